"""Ask once, on one screen: what chapter 14 shows beside its box."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..accounting import Release
from ..mechanisms import release_cells
from .candidates import bayes_scores, expected_gaps, multiplier_grid
from .frontier import Mixtures, best_mixtures
from .guess import Guess, guess_groups, public_part
from .posterior import joint_cells
from .settings import suggested_cells

__all__ = ["ask_once"]


def ask_once(
    X: ArrayLike, Y: ArrayLike, A: ArrayLike, epsilon: float, gammas: ArrayLike,
    rng: np.random.Generator,
) -> tuple[list[tuple[np.ndarray, np.ndarray, Release]], Guess, Mixtures]:
    """One private question about two groups, an audit, and a fair mixture of functions of x for every gamma.

    Source: ours, chapter 14. A is read twice, by :func:`release_cells`, at epsilon / 2 each; all else is computed from X, Y and the
    answers. So what is returned is epsilon-differentially private, for all gammas together, and may be published.
    The same numbers: ``FrontierLearner(epsilon, gamma).fit(...)``, which also has other questions and notions and more groups, decides
    about people to come, and looks at millions of people a block at a time.

    Parameters
    ----------
    X : array (m, d)
        Features; standardize them.
    Y : array (m,) of 0/1, both occurring
    A : array (m,) of 0/1
        Groups, the private input.
    epsilon : float in [1e-9, 1e9]
        Of both questions together; each gets half, which is at least 1e-9.
    gammas : array (G,), at least 0
    rng : numpy.random.Generator

    Returns
    -------
    list of (cells, noisy counts, accounting.Release)
        What was asked and answered, and the record: first the public cells, then the audit's.
    Guess
        By the first answer: with it candidate h decides about anybody, see the line of ``accepts``.
    Mixtures
        ``weights`` (G, H): how often each gamma uses each candidate. The last two reject and accept everybody; the others are those of
        :func:`multiplier_grid`.

    Raises
    ------
    ValueError
        As :func:`public_part`, :func:`release_cells` and :func:`best_mixtures`; never because of what the noise was.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> asked, guess, best = ask_once(people.X, people.Y, people.A, 2.0, [0, .1], np.random.default_rng(2))
    >>> [release.epsilon for _, _, release in asked], best.weights.shape
    ([1.0, 1.0], (2, 444))
    """
    # 1: before anybody is asked
    public = public_part(X, Y)
    cells, n_cells = public.cells(suggested_cells(public.m, epsilon))
    # 2: ask
    asked = [(cells, *release_cells(cells, A, epsilon / 2, rng, n_cells=n_cells))]
    # 3: who is where, in expectation
    guess = guess_groups(public, asked)
    # 4: candidates, and both constants
    scores = bayes_scores(public.eta(public.X), guess.chances(public.X),
                          guess.sizes)
    accepts = scores[:, 0] > multiplier_grid() @ scores[:, 1:].T
    constants = np.zeros(public.m, bool), np.ones(public.m, bool)
    accepts = np.vstack([accepts, *constants])
    error = (accepts != public.y).mean(axis=1)
    gaps = expected_gaps(accepts, guess.weights, public.y)
    # 5: what the audit is to look at
    chosen = best_mixtures(error, gaps, [0.0]).support
    joint = joint_cells(accepts[chosen], public.y)
    # 6: audit
    asked.append((joint, *release_cells(joint, A, epsilon / 2, rng)))
    # 7: decide, by both answers
    both = guess_groups(public, asked)
    gaps = expected_gaps(accepts, both.weights, public.y)
    return asked, guess, best_mixtures(error, gaps, gammas)
