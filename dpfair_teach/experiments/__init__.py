"""Experiments: grids of the protocol, splits, trade-off curves and their quality Q, sweeps that can be stopped, studies.

The studies of the book stand in ``book/studies``: ``python -m book.studies`` runs them.
"""
from .bootstrap import bootstrap_interval, bootstrap_means
from .communities import communities_counts, held_out_counts
from .grids import BETA, DELTA, EPSILONS, EPSILONS_FIGURE1, GAMMAS_FIGURE1, GAMMAS_PROTOCOL
from .left import LEFT_GROUPS, REFERENCE_MULTIPLIERS, left_people, left_reference
from .panels import AT_VIOLATION, PANEL_METHODS
from .pareto import LEAST_ROOM, epsilon_at_quality, error_at_violation, lower_hull, pareto_quality, quality_interval, quality_room
from .runner import setting_rng, sweep
from .splits import held_out_splits
from .study import Study, run
from .tradeoff import METHODS, Draws, free_points, postprocessing_curve, postprocessing_draws

__all__ = [
    "AT_VIOLATION", "BETA", "DELTA", "EPSILONS", "EPSILONS_FIGURE1", "GAMMAS_FIGURE1", "GAMMAS_PROTOCOL", "LEAST_ROOM", "LEFT_GROUPS",
    "METHODS", "PANEL_METHODS", "REFERENCE_MULTIPLIERS", "Draws", "Study", "bootstrap_interval", "bootstrap_means", "communities_counts",
    "epsilon_at_quality", "error_at_violation", "free_points", "held_out_counts", "held_out_splits", "left_people", "left_reference",
    "lower_hull", "pareto_quality", "postprocessing_curve", "postprocessing_draws", "quality_interval", "quality_room", "run",
    "setting_rng", "sweep",
]
