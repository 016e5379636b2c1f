"""Asking once about features, on one screen."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import _checks as check
from ..accounting import Release
from ..fairness.parity import Notion
from .soft_frontier import FairMixture, fair_mixture, threshold_scores
from .soft_groups import group_contrasts, release_contrasts, soft_groups
from .thresholds import both_labels

__all__ = ["ask_softly", "of_own_label"]


def of_own_label(features: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Everybody's row for the label that they have, of rows for both labels.

    Source: ours.

    Parameters
    ----------
    features : array (m, 2, d)
        Rows for label 0 and label 1.
    y : array (m,) of 0/1, both occurring

    Returns
    -------
    array (m, d)

    Raises
    ------
    ValueError
        Shapes that do not fit, one label only.

    Examples
    --------
    >>> of_own_label([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [0, 1]).tolist()
    [[1.0, 2.0], [7.0, 8.0]]
    """
    rows = check.filled("features", check.array("features", features, ndim=3, low=-1e100, high=1e100), "number")
    y = both_labels(check.labels("y", y))
    if rows.shape[:2] != (len(y), 2):
        check.refuse("features, y", (rows.shape, y.shape), "are not two rows for everybody in y", "Give two rows for everybody in y.")
    return rows[np.arange(len(y)), y]


def ask_softly(
    features: ArrayLike, eta: np.ndarray, y: ArrayLike, A: ArrayLike,
    epsilon: float, delta: float, gamma: float, rng: np.random.Generator,
    *, n_groups: int = 2, notion: Notion = "equalized_odds",
) -> tuple[FairMixture, np.ndarray, Release]:
    """One noisy answer about public features, a model of the groups from it, and the fair classifier by that model.

    Source: ours. Privacy unit: one person's A changes; X and y are public. (epsilon, delta), in one release. The estimator, with features
    and eta of its own and for new people, is :class:`SoftGroupLearner`.

    Parameters
    ----------
    features : array (m, 2, d)
        f(x, y): of everybody as if the label were 0, and 1. Public.
    eta : array (m,) in [0, 1]
        P(Y = 1 | x), cross-fitted. Public.
    y : array (m,) of 0/1
    A : int array (m,)
        Groups 0..k-1. Private.
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]
    gamma : float >= 0
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public.
    notion : str
        ``equalized_odds``, ``false_positive``, ``true_positive``, ``demographic_parity`` or ``accuracy_parity``.

    Returns
    -------
    mixture : FairMixture
        Of rules on the columns of :func:`threshold_scores`.
    W : array (d, k-1)
        Weights of the model of the groups.
    release : accounting.Release

    Raises
    ------
    ValueError
        Arrays that do not fit each other, numbers out of range; never because of who is in which group.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, y = rng.integers(0, 2, (2, 400))
    >>> features = np.stack([np.column_stack([np.ones(400), A + rng.normal(size=400), np.full(400, label)]) for label in (0, 1)], axis=1)
    >>> eta = .2 + .6 * y
    >>> mixture, W, release = ask_softly(features, eta, y, A, 2.0, 1e-6, .02, rng, notion="demographic_parity")
    >>> W.shape, release.mechanism, round(mixture.violation, 3)
    ((3, 1), 'gaussian', 0.02)
    """
    own, B = of_own_label(features, y), group_contrasts(n_groups)
    sums, release = release_contrasts(          # all that reads A
        own, A, epsilon, delta, rng, n_groups=n_groups)
    W = soft_groups(own, sums, release.scale or 0.0, n_groups=n_groups)
    given = special.softmax(                    # P(A = a | x, y)
        np.asarray(features) @ W @ B.T, axis=2)
    weights = of_own_label(given, y)
    people = [weights[np.equal(y, label)].sum(axis=0) for label in (0, 1)]
    scores = threshold_scores(eta, given, np.stack(people), notion)
    return fair_mixture(scores, y, weights, gamma, notion), W, release
