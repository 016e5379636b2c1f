"""Experiments: grids and splits of the protocol, trade-off curves, their quality Q, and a row chosen by what was released."""
from .mixtures import Mixtures as Mixtures
from .mixtures import best_mixtures
from .pareto import epsilon_at_quality, error_at_violation, lower_hull, pareto_quality, select_row
from .protocol import DELTA, EPSILONS, GAMMAS_PROTOCOL, base_counts, held_out_counts
from .reference import regression_reference
from .tradeoff import Draws as Draws
from .tradeoff import bootstrap_means, draws_over_splits, free_points, postprocessing_draws

__all__ = [
    "DELTA", "EPSILONS", "GAMMAS_PROTOCOL", "base_counts", "best_mixtures", "bootstrap_means", "draws_over_splits", "epsilon_at_quality",
    "error_at_violation", "free_points", "held_out_counts", "lower_hull", "pareto_quality", "postprocessing_draws",
    "regression_reference", "select_row",
]
