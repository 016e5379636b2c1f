"""Experiments: grids of the protocol, trade-off curves and their quality Q, sweeps that can be stopped, named experiments.

``python -m dpfair_teach.experiments`` runs the named ones.
"""
from .bootstrap import bootstrap_interval, bootstrap_means
from .grids import BETA, DELTA, EPSILONS, EPSILONS_FIGURE1, GAMMAS_FIGURE1, GAMMAS_PROTOCOL
from .pareto import lower_hull, pareto_quality, quality_interval
from .runner import setting_rng, sweep

__all__ = [
    "BETA", "DELTA", "EPSILONS", "EPSILONS_FIGURE1", "GAMMAS_FIGURE1", "GAMMAS_PROTOCOL",
    "bootstrap_interval", "bootstrap_means", "lower_hull", "pareto_quality", "quality_interval",
    "setting_rng", "sweep",
]
