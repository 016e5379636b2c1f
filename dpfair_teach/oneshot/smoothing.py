"""Which covariance the answers speak for: a length, variances and a residual by the likelihood of noisy counts, at no further epsilon."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from ._public import Public
from .posterior import Observed, checked_answers
from .settings import Settings

__all__ = ["answers_log_likelihood"]

#: What is compared: lengths of the bell, factors of the two prior variances ``linear`` and ``smooth`` together, residual shares.
LENGTHS, FACTORS, RESIDUALS = (1.0, 2.0, 4.0), (0.25, 1.0, 4.0), (0.6, 0.9)


def answers_log_likelihood(queries: ArrayLike, answers: ArrayLike, variances: ArrayLike, features: ArrayLike, mean: float,
                           residual: float) -> float:
    """Log density of the answers in the model of :func:`expected_groups`, with normal laws for A and for the noise.

    Source: ours; the marginal likelihood of Gaussian process regression. T = M A + W of mean mu M 1 and covariance
    V = M (features features^T + residual I) M^T + diag(variances) has log density -(log det V + t^T V^-1 t + q log 2 pi) / 2 with
    t = T - mu M 1. A normal law stands in for counts of 0 and 1 and for geometric noise, of the same mean and variance. It sees answers and
    public numbers only: whatever is chosen by it is post-processing and costs no epsilon.

    Parameters
    ----------
    queries, answers, variances, features, mean, residual : as in :func:`expected_groups`

    Raises
    ------
    ValueError
        As :func:`expected_groups`.

    Examples
    --------
    Two cells whose counts differ much speak for people who differ between cells:

    >>> alike, apart = np.zeros((4, 1)), np.array([[.5], [.5], [-.5], [-.5]])
    >>> said = [[1, 1, 0, 0], [0, 0, 1, 1]], [2.1, -.2], [.1, .1]
    >>> [round(answers_log_likelihood(*said, features, mean=.5, residual=.1), 2) for features in (alike, apart)]
    [-5.05, -2.24]
    """
    observed, mean, residual = checked_answers(queries, answers, variances, features, mean, residual)
    return observed.log_likelihood(mean, residual)


def grid(settings: Settings) -> Iterator[Settings]:
    for length, factor, residual in product(LENGTHS, FACTORS, RESIDUALS):
        yield dataclasses.replace(settings, length=length, linear=factor * settings.linear, smooth=factor * settings.smooth,
                                  residual=residual)


def likeliest(public: Public, observed: list[list[Observed]], means: np.ndarray) -> Public:
    """The same map under the covariance of the grid that the answers like best, one for both labels and all groups."""
    features_at = {length: public.under(dataclasses.replace(public.settings, length=length)).features_of for length in LENGTHS}

    def liking(settings: Settings) -> float:
        scale = np.sqrt(settings.smooth / public.settings.smooth)       # linear and smooth grow alike
        return sum(observed[a][y].under(scale * features_at[settings.length][y]).log_likelihood(mean, settings.residual * mean * (1 - mean))
                   for (a, y), mean in np.ndenumerate(means))

    return public.under(max(grid(public.settings), key=liking))
