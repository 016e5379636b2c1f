"""Experiments: grids of the protocol, splits, trade-off curves and their quality Q.

The studies of the book stand in ``book/studies``: ``python -m book.studies`` runs them.
"""
from .bootstrap import bootstrap_interval, bootstrap_means
from .grids import BETA, DELTA, EPSILONS, GAMMAS_PROTOCOL
from .pareto import LEAST_ROOM, epsilon_at_quality, error_at_violation, lower_hull, pareto_quality, quality_interval, quality_room
from .reference import REFERENCE_MULTIPLIERS, error_and_gaps, regression_reference
from .select import select_row
from .splits import held_out_splits
from .tables import base_counts, held_out_counts
from .tradeoff import METHODS, Draws, draws_over_splits, free_points, postprocessing_curve, postprocessing_draws

__all__ = [
    "BETA", "DELTA", "EPSILONS", "GAMMAS_PROTOCOL", "LEAST_ROOM", "METHODS", "REFERENCE_MULTIPLIERS", "Draws", "base_counts",
    "bootstrap_interval", "bootstrap_means", "draws_over_splits", "epsilon_at_quality", "error_and_gaps", "error_at_violation",
    "free_points", "held_out_counts", "held_out_splits", "lower_hull", "pareto_quality", "postprocessing_curve", "postprocessing_draws",
    "quality_interval", "quality_room", "regression_reference", "select_row",
]
