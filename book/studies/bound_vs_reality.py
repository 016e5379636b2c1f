"""Theorem 2.2 against reality: its bounds, printed and sharp, beside simulated quantiles over (m, epsilon, number of groups, beta)."""
from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

from dpfair_teach import data, postprocessing
from dpfair_teach.experiments import EPSILONS, postprocessing_draws

Rows = list[dict]

GAMMA = 0.02


def bound_population(k: int) -> np.ndarray:
    """Fixed frequencies [yhat, a, y] for the bounds: equal groups, base rates and rates of the base that differ between them."""
    between = np.linspace(0, 1, k)  # group 0 is best off, group k-1 worst
    return data.Population(np.full(k, 1 / k), 0.6 - 0.2 * between, 0.15 + 0.1 * between, 0.85 - 0.2 * between).frequencies


def quantile(values: np.ndarray, level: float) -> tuple[float, float, float]:
    """The sample quantile, and the order statistics that hold the true one with 95 %."""
    ordered, n = np.sort(values), len(values)
    low, high = stats.binom.ppf([0.025, 0.975], n, level).astype(int)
    return float(np.quantile(ordered, level)), float(ordered[max(low - 1, 0)]), float(ordered[min(high, n - 1)])


def bound(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The (1 - beta) quantiles that Theorem 2.2 bounds, the same without slack, and its bounds as printed and sharp."""
    m, epsilon, beta = setting["m"], setting["epsilon"], setting["beta"]
    counts = bound_population(setting["n_groups"]) * m
    optimum = postprocessing.solve_lp(counts / m, GAMMA).value
    row = {"gamma": GAMMA}
    for method, ending, its_beta in (("as_printed", "", beta), ("as_printed_no_slack", "_no_slack", None)):
        draws = postprocessing_draws(counts, method, epsilon, [GAMMA], repeats, rng, beta=its_beta)
        for name, values in (("excess_error", draws.error[:, 0] - optimum), ("violation", draws.violation[:, 0])):
            columns = (name + ending, f"{name}{ending}_low", f"{name}{ending}_high")
            row |= dict(zip(columns, quantile(values, 1 - beta), strict=True))
    for form, printed in (("printed", True), ("sharp", False)):
        theorem = postprocessing.theorem_2_2(counts / m, m, epsilon, beta, GAMMA, as_printed=printed)
        fairness_bound = max(np.max(theorem.fp[1:]), np.max(theorem.tp[1:])) if theorem.holds else np.nan
        row |= {f"error_bound_{form}": float(theorem.error), f"violation_bound_{form}": float(fairness_bound)}
    return [row]


BOUNDS = [{"m": m, "epsilon": epsilon, "n_groups": k, "beta": beta}
           for k, beta, m, epsilon in product((2, 3, 5), (0.01, 0.05, 0.2), (500, 1000, 2000, 5000, 20000, 100000, 1000000), EPSILONS)]
