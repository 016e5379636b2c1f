"""Experiments: grids of the protocol, trade-off curves and their quality Q, sweeps that can be stopped, named experiments.

``python -m dpfair_teach.experiments`` runs the named ones.
"""
from .ask_once import ONESHOT_METHODS
from .bootstrap import bootstrap_interval, bootstrap_means
from .communities import communities_counts, held_out_counts
from .grids import BETA, DELTA, EPSILONS, EPSILONS_FIGURE1, GAMMAS_FIGURE1, GAMMAS_PROTOCOL
from .left import LEFT_GROUPS, REFERENCE_MULTIPLIERS, left_people, left_reference
from .left_table import LEFT_METHODS, left_curves
from .loops import LITERAL_ROUNDS, REPAIRED_LOOPS
from .named import EXPERIMENTS, bound_population, run
from .panels import AT_QUALITY, AT_VIOLATION, EPSILONS_WIDE, PANEL_METHODS
from .pareto import LEAST_ROOM, epsilon_at_quality, error_at_violation, lower_hull, pareto_quality, quality_interval, quality_room
from .runner import setting_rng, sweep
from .tradeoff import METHODS, Draws, free_points, postprocessing_curve, postprocessing_draws

__all__ = [
    "AT_QUALITY", "AT_VIOLATION", "BETA", "DELTA", "EPSILONS", "EPSILONS_FIGURE1", "EPSILONS_WIDE", "EXPERIMENTS",
    "GAMMAS_FIGURE1", "GAMMAS_PROTOCOL", "LEAST_ROOM", "LEFT_GROUPS", "LEFT_METHODS", "LITERAL_ROUNDS", "METHODS", "ONESHOT_METHODS",
    "PANEL_METHODS", "REFERENCE_MULTIPLIERS", "REPAIRED_LOOPS", "Draws", "bootstrap_interval", "bootstrap_means", "bound_population",
    "communities_counts", "epsilon_at_quality", "error_at_violation", "free_points", "held_out_counts", "left_curves",
    "left_people", "left_reference", "lower_hull",
    "pareto_quality", "postprocessing_curve", "postprocessing_draws", "quality_interval", "quality_room", "run", "setting_rng", "sweep",
]
