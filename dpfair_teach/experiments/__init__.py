"""Experiments: grids and splits of the protocol, trade-off curves, their quality Q, and a row chosen by what was released."""
from .bootstrap import bootstrap_interval, bootstrap_means
from .pareto import (
    epsilon_at_quality,
    error_at_violation,
    lower_hull,
    pareto_quality,
    quality_interval,
    quality_room,
    select_row,
)
from .protocol import BETA, DELTA, EPSILONS, GAMMAS_PROTOCOL, base_counts, held_out_counts, held_out_splits
from .reference import error_and_gaps, regression_reference
from .tradeoff import METHODS, Draws, draws_over_splits, free_points, postprocessing_draws

__all__ = [
    "BETA", "DELTA", "EPSILONS", "GAMMAS_PROTOCOL", "METHODS", "Draws", "base_counts", "bootstrap_interval",
    "bootstrap_means", "draws_over_splits", "epsilon_at_quality", "error_and_gaps", "error_at_violation", "free_points",
    "held_out_counts", "held_out_splits", "lower_hull", "pareto_quality", "postprocessing_draws", "quality_interval", "quality_room",
    "regression_reference", "select_row",
]
