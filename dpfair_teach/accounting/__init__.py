"""What was released, and what it adds up to.

Every private ``fit`` in this library leaves in ``releases_`` the records of the mechanisms that it ran. ``compose`` adds them up with any
accountant: ``composition`` (sums; mean, tail and moments of the loss), ``optimal`` (all that follows from epsilon and delta alone),
``bounded_range`` (the exponential mechanism), ``loss_distribution`` (the whole loss, by dp-accounting). What they know of a
mechanism is a class in its file of ``mechanisms``.
"""
from ..mechanisms import UNIT_A, UNIT_TUPLE, Release
from ..mechanisms.exponential import rdp_exponential
from ..mechanisms.laplace import rdp_laplace
from ..mechanisms.mechanism import rdp_pure
from ..mechanisms.sampled import rdp_sampled_gaussian
from .adding import compare_accountants, compose, epsilon_by_steps, most_steps
from .bounded_range import bounded_range_composition, bounded_range_delta, bounded_range_mean
from .composition import (
    ORDERS,
    advanced_composition,
    advanced_composition_long,
    basic_composition,
    compose_parallel,
    group_privacy,
    rdp_to_epsilon,
    theorem_1_5,
    upsampling,
)
from .loss_distribution import pld_delta, pld_epsilon
from .optimal import optimal_composition, optimal_composition_delta
from .releases import releases_table

__all__ = [
    "UNIT_A", "UNIT_TUPLE", "Release", "releases_table",
    "compose", "compare_accountants", "compose_parallel", "epsilon_by_steps", "most_steps",
    "basic_composition", "group_privacy", "upsampling", "advanced_composition", "advanced_composition_long", "theorem_1_5",
    "optimal_composition", "optimal_composition_delta",
    "ORDERS", "rdp_pure", "rdp_laplace", "rdp_sampled_gaussian", "rdp_exponential", "rdp_to_epsilon",
    "bounded_range_composition", "bounded_range_delta", "bounded_range_mean",
    "pld_epsilon", "pld_delta",
]
