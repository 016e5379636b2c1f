"""What a released table says of a classifier made from it: the true tables that there could be, and its error and violation on each."""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._curve import draws_of, violation_of
from ..fairness import Parity
from ..mechanisms.k_norm import draws, k_norm_variance
from .noisy_tables import LEAST_EPSILON, nearest_whole

#: Tables are drawn with so much more noise than there was. The program chose what looks small on the released table, above all among many
#: bins. Calibrated, not derived, on drawn populations: twelve kinds of fits, two to twelve bins and two to six groups, 100 fits each.
#: With the very noise the intervals of 95 % of violations held in 89 to 99 fits of a kind, in 1150 of all 1200; with a quarter more in 89
#: to 100, and in 1173.
MORE_NOISE = 1.25
MOST_GROUPS = 300       # whose variance under K-norm noise is computed; it hardly grows beyond
#: How often it is tried what the program makes of noise: the more, the smaller the table; and for how many gammas.
TRIED, LEAST_TRIED, MOST_TRIED, GAMMAS_TRIED = 2000, 4, 40, 6


def possible_tables(released: np.ndarray, epsilon: float, public: bool, rng: np.random.Generator) -> np.ndarray:
    """True tables (D, b, k, 2) that could stand behind a released one, in people: what a little more noise makes of it.

    Noise is symmetric, so what it makes of the released table is the law of the true one, where no table was more likely than others
    before. With public margins the tables keep them: the mechanism is run again, on what it released, which is no private number.
    """
    tables = noisy_again(released, max(epsilon / MORE_NOISE, min(epsilon, 2 * LEAST_EPSILON)), public, rng, draws_of(released.size))
    return tables if public else np.maximum(tables, 0.0)


def noisy_again(released: np.ndarray, epsilon: float, public: bool, rng: np.random.Generator, size: int) -> np.ndarray:
    """What a mechanism like the one that ran makes of the table that it released, (size, b, k, 2), in people."""
    if public:
        table = np.moveaxis(np.rint(released), -2, -1).astype(np.int64)                     # (b, 2, k)
        noise = draws(size * table.size // table.shape[-1], table.shape[-1], epsilon, rng).reshape(size, *table.shape)
        return np.moveaxis(nearest_whole(table + noise, table.sum(axis=-1)), -1, -2).astype(float)
    return released + rng.laplace(0.0, 2 / epsilon, (size, *released.shape))


def times_tried(released: np.ndarray) -> int:
    """How often to try."""
    return int(min(MOST_TRIED, max(LEAST_TRIED, TRIED / released.size)))


def hidden_errors(gammas: np.ndarray, released: np.ndarray, again: np.ndarray, answer: Callable[[float], np.ndarray]) -> np.ndarray:
    """How much more a classifier errs on the table behind the noise than on the noisy one, for each gamma (G,), on average.

    The program chose what errs least on the table that it saw. Here the released table stands for the true one, tables ``again``
    (N, b, k, 2) are that with noise once more, and ``answer`` says what the program makes of them at a gamma, (N, b, k). In people.
    """
    some = np.unique(np.quantile(gammas, np.linspace(0, 1, GAMMAS_TRIED), method="nearest"))
    seen_less = np.subtract(*np.moveaxis(released - again, -1, 0))          # errors of accepting, less those of not
    return np.interp(gammas, some, [float((answer(gamma) * seen_less).sum()) / len(again) for gamma in some.tolist()])


def rates_and_errors(p: np.ndarray, tables: np.ndarray, parity: Parity) -> tuple[np.ndarray, np.ndarray]:
    """Of a classifier ``p`` (b, k) on tables (..., b, k, 2): its rates (..., k, R), NaN where there is nobody, and its error (...)."""
    n, accepted = tables.sum(axis=-3), (p[..., None] * tables).sum(axis=-3)
    under, above = ([x.sum(axis=-1) if cell.label is None else x[..., cell.label] for cell in parity.cells] for x in (n, accepted))
    there = np.stack(under, axis=-1)
    rates = np.where(there > 0, np.stack(above, axis=-1) / np.where(there > 0, there, 1.0), np.nan)
    low, high = p.min(axis=0)[:, None], p.max(axis=0)[:, None]      # noisy entries below 0 make rates that are none
    everybody = n.sum(axis=(-2, -1))
    error = (accepted[..., 0] + n[..., 1] - accepted[..., 1]).sum(axis=-1) / np.where(everybody > 0, everybody, 1.0)
    return np.clip(rates, low, high), error


def claims_and_draws(ps: list[np.ndarray], released: np.ndarray, tables: np.ndarray,
                     parity: Parity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each of G classifiers the violation on the released table (G,), and error and violation on each of D tables (D, G)."""
    claimed = [float(violation_of(rates_and_errors(p, released, parity)[0], parity)) for p in ps]
    errors, violations = [], []
    for p in ps:
        rates, error = rates_and_errors(p, tables, parity)
        errors.append(error)
        violations.append(violation_of(rates, parity))
    return np.array(claimed), np.stack(errors, axis=1), np.stack(violations, axis=1)


def noise_of_accepted(b: int, k: int, epsilon: float, public: bool, labels: int) -> float:
    """The standard deviation, in people, that noise gives to the accepted of a cell where half are: sum of (p_v - 1/2) w_v, p_v 0 or 1."""
    variance = k_norm_variance(min(k, MOST_GROUPS), epsilon) if public else 2 * (2 / epsilon)**2
    return math.sqrt(b * labels * variance) / 2
