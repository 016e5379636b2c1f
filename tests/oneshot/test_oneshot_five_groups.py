"""Five groups, one in eight people positive: what a fit promises of these people it keeps, and it decides something where that is fair."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import fairness
from dpfair_teach.oneshot import FrontierLearner

GAMMA, FITS, HELD = 0.05, 40, 38


def drawn(seed: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, A, Y of 20,000 people of whom 12 % have label 1; group 4 has 8 % of them, or ``nine`` people, three with label 1; or it has 15 %,
    and groups are so ``near`` to each other that most cells have 200 people."""
    rng = np.random.default_rng([33, seed])
    A = rng.choice(5, size=20_000, p=[.3, .2, .2, .15, .15] if kind == "near" else [.35, .25, .2, .12, .08])
    X = rng.normal(size=(20_000, 8)) + rng.normal(scale=.25 if kind == "near" else .5, size=(5, 8))[A]
    index = X @ np.linspace(1, .2, 8) + rng.normal(scale=1.5, size=20_000)
    Y = (index > np.quantile(index, .88)).astype(int)
    if kind == "nine":
        A[A == 4] = 0
        for label, n in ((0, 6), (1, 3)):
            A[rng.choice(np.flatnonzero(Y == label), n, replace=False)] = 4
    return X, A, Y


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["rare", "nine", "near"])
def test_the_gap_of_these_people_is_what_the_curve_says_and_nobody_gets_a_constant(kind):
    """At epsilon 1 and gamma .05, in 38 of 40 fits the true gap between pairs is at most what `curve()` says. Where every cell has 200
    people, as of the ``near`` in 36 fits, it is at most .02 above gamma in nine of ten: in 33. Each fit decides something."""
    kept, large = [], []
    for seed in range(FITS):
        X, A, Y = drawn(seed, kind)
        model = FrontierLearner(1.0, GAMMA, n_groups=5).fit(X, Y, sensitive_features=A, rng=np.random.default_rng([34, seed]))
        chance = model.predict_proba(X)[:, 1]
        gap = fairness.violation(fairness.cell_counts(chance, A, Y, n_groups=5), against="pairs")
        kept.append(gap <= model.curve([GAMMA]).violation_high[0])
        if np.bincount(2 * A + Y).min() >= 200:
            large.append(gap <= GAMMA + .02)
        assert np.ptp(chance) > .1
    assert sum(kept) >= HELD
    assert kind != "near" or (len(large) > 34 and sum(large) > 30)
