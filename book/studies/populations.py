"""The drawn populations on which the constants of the left panel's private learners were chosen; none is like the data of the book."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpfair_teach.experiments import regression_reference

#: Constants were chosen on the populations with the seeds 0, ..., POPULATIONS - 1, of so many people each.
POPULATIONS, PEOPLE = 12, 2000


def drawn_population(m: int, rng: np.random.Generator, even: bool = False, d: int = 100, factors: int = 12,
                     label: float | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Correlated, bounded, skewed features X (m, d); a group A that is not linear in X; a label Y that goes with both.

    Hidden factors make everything: features are bent mixtures of them with noise, cut to [0, 1]; the label is 1 for the highest 30 or
    50 % of a noisy index, or for the share ``label``; the group is made of another index, products of factors and noise, and holds 20 to
    50 %. Factors have falling variances; with ``even`` the small ones count for label and group as much as the large ones: a map of the
    large ones misses some.
    """
    falling = np.arange(1, factors + 1.0)
    F = rng.standard_normal((m, factors)) * falling**-0.5
    Z = F @ rng.standard_normal((factors, d))
    Z = 0.85 * Z / Z.std(axis=0) + 0.53 * rng.standard_normal((m, d))
    X = np.exp(rng.uniform(0.2, 1.0, d) * Z)
    X = np.minimum((X - X.min(axis=0)) / (np.quantile(X, 0.995, axis=0) - X.min(axis=0)), 1.0)
    weights = falling ** (0.5 if even else -0.3)
    label_index = F @ (rng.standard_normal(factors) * weights)
    label_index /= label_index.std()
    index = label_index + 0.25 * np.tanh(2 * label_index) * F[:, 2] + rng.uniform(0.4, 0.7) * rng.standard_normal(m)
    share = rng.choice([0.7, 0.7, 0.5])
    Y = (index > np.quantile(index, share if label is None else 1 - label)).astype(np.int64)
    group_index = F @ (rng.standard_normal(factors) * weights)
    group_index *= np.sign(group_index @ label_index) / group_index.std()
    G = F / F.std(axis=0)
    j, k, n = rng.choice(factors, 3, replace=False)
    hidden = (group_index + rng.uniform(0.3, 0.8) * label_index + rng.uniform(0.3, 0.8) * G[:, j] * G[:, k]
              + rng.uniform(0.2, 0.6) * np.abs(G[:, n]) + rng.uniform(0.3, 0.9) * rng.standard_normal(m))
    A = (hidden > np.quantile(hidden, 1 - rng.uniform(0.2, 0.5))).astype(np.int64)
    return X - X.mean(axis=0), A, Y


@lru_cache(maxsize=36)
def population(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, A, Y of a seed, ``even`` for every other one, and its rows of the protocol's reference; learned from everybody."""
    X, A, Y = drawn_population(PEOPLE, np.random.default_rng(np.random.SeedSequence(seed)), even=seed % 2 == 1)
    kept = X, A, Y, np.vstack(regression_reference(X, A, Y))
    for array in kept:
        array.flags.writeable = False       # the next caller gets the same
    return kept
