"""What was released, and what it adds up to.

``records`` say what was measured, in which unit of privacy, with which noise, and nothing about how such records add up: every private
``fit`` in this library leaves its records in ``releases_``. The accountants are ``basic``, ``advanced`` (mean and tail of the loss),
``optimal`` (all that follows from epsilon and delta alone), ``renyi`` (its moments), ``bounded_range`` (the exponential mechanism) and
``loss_distribution`` (the whole loss, by dp-accounting). What they know of a mechanism is a class in its file of ``mechanisms``;
``adding`` reads records and asks any accountant, ``allowed`` the other way round; ``events`` leads to dp-accounting and back; ``steps``
draws their curves; ``side_by_side`` holds them against dp-accounting and brute force: ``python -m dpfair_teach.accounting``.
"""
from ..mechanisms import RELATIONS, UNIT_A, UNIT_TUPLE, Release
from ..mechanisms.exponential import rdp_exponential
from ..mechanisms.gaussian import rdp_gaussian
from ..mechanisms.geometric import rdp_geometric
from ..mechanisms.laplace import rdp_laplace
from ..mechanisms.mechanism import rdp_pure
from ..mechanisms.response import rdp_randomized_response
from ..mechanisms.sampled import rdp_sampled_gaussian
from .adding import ACCOUNTANTS, compare_accountants, compose, rdp_of_releases
from .advanced import Theorem15, advanced_composition, advanced_composition_long, theorem_1_5
from .allowed import most_steps
from .basic import basic_composition, compose_parallel, group_privacy, upsampling
from .bounded_range import bounded_range_composition, bounded_range_delta, bounded_range_mean
from .loss_distribution import event_epsilon, pld_delta, pld_epsilon
from .optimal import optimal_composition, optimal_composition_delta
from .records import releases_table
from .renyi import ORDERS, rdp_to_delta, rdp_to_epsilon
from .side_by_side import brute_force_epsilon, side_by_side
from .steps import epsilon_by_steps

__all__ = [
    "UNIT_A", "UNIT_TUPLE", "RELATIONS", "Release", "releases_table",
    "ACCOUNTANTS", "compose", "compare_accountants", "compose_parallel", "epsilon_by_steps",
    "most_steps",
    "basic_composition", "group_privacy", "upsampling", "advanced_composition", "advanced_composition_long", "Theorem15", "theorem_1_5",
    "optimal_composition", "optimal_composition_delta",
    "ORDERS", "rdp_of_releases", "rdp_pure", "rdp_randomized_response", "rdp_laplace", "rdp_geometric", "rdp_gaussian",
    "rdp_sampled_gaussian", "rdp_exponential",
    "rdp_to_epsilon", "rdp_to_delta",
    "bounded_range_composition", "bounded_range_delta", "bounded_range_mean",
    "pld_epsilon", "pld_delta", "event_epsilon", "brute_force_epsilon", "side_by_side",
]
