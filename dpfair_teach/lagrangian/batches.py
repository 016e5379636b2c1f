"""What many steps add up to: how often the private groups are read, and what a batch is worth that can be seen, or that is no sample."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from .. import _checks as check
from ..mechanisms.gaussian import log_delta
from .leaks import _delta, _sigma, gaussian_epsilon

__all__ = ["theorem_5", "visible_batch_delta", "visible_batch_epsilon", "partition_epsilon"]


@dataclass(frozen=True)
class Counts:
    """How often a run reads the private groups.

    Attributes
    ----------
    primal, dual : float
        Noisy steps, and noisy measurements of the violations.
    """

    primal: float
    dual: float


def theorem_5(n: int, batch: int, epochs: int, *, as_printed: bool = False) -> Counts:
    """The number of noisy steps and measurements in a run.

    Source: Tran et al. 2020, Theorem 5; ours without ``as_printed`` (gap T14). An epoch has ceil(n / batch) steps. In the first all
    multipliers are 0: its steps read no group. The last measurement moves multipliers that no step uses.

    Parameters
    ----------
    n : int in 1..10^12
        People.
    batch : int in 1..10^12
        At most n.
    epochs : int in 1..10^9
        T.
    as_printed : bool
        T n / batch and T.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        A batch of more than all people.

    Examples
    --------
    >>> theorem_5(8930, 256, 50), theorem_5(8930, 256, 50, as_printed=True)
    (Counts(primal=1715, dual=49), Counts(primal=1744.140625, dual=50))
    """
    n, T = check.integer("n", n, low=1, high=10**12), check.integer("epochs", epochs, low=1, high=10**9)
    batch = check.integer("batch", batch, low=1, high=10**12)
    if batch > n:
        check.refuse("batch", batch, f"more than n = {n}, all people", "Choose a smaller batch.")
    if check.flag("as_printed", as_printed):
        return Counts(T * n / batch, T)
    return Counts((T - 1) * math.ceil(n / batch), T - 1)


def _seen(noise_multiplier: object, sampling_probability: object, steps: object) -> tuple[np.ndarray, np.ndarray]:
    """Distances sqrt(K) / sigma for K = 1, 2, ... appearances of a person, and the chances of those K; what is left out is below 1e-14."""
    sigma = _sigma(noise_multiplier)
    q = check.number("sampling_probability", sampling_probability, low=0.0, high=1.0, low_open=True)
    N = check.integer("steps", steps, low=1, high=10**7)
    low, high = stats.binom.ppf([1e-15, 1 - 1e-15], N, q)
    K = np.arange(max(low - 2, 1), min(high + 2, N) + 1)
    return np.sqrt(K) / sigma, stats.binom.pmf(K, N, q)


def visible_batch_delta(noise_multiplier: float, sampling_probability: float, steps: int, epsilon: float) -> float:
    """The delta of sampled Gaussian steps whose batches can be seen: the mean over K ~ Bin(N, q) of that of K plain Gaussian steps.

    Source: ours, against Tran et al. 2020, Lemma 1 (gap T7). The loss of the same batch is added without noise, and everything but the
    groups is public: in the worst case everybody sees in which steps a person took part. Their number K has the same law whatever the
    person's group, and given K the steps are one Gaussian with distance sqrt(K) / sigma. So nothing is gained by sampling.

    Parameters
    ----------
    noise_multiplier : float in [1e-3, 1e6]
        sigma: standard deviation over the sensitivity.
    sampling_probability : float in (0, 1]
        q.
    steps : int in 1..10^7
        N.
    epsilon : float in [0, 1e4]

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> f"{visible_batch_delta(4.94, 256 / 8930, 1744, 7.02):.0e}"
    '1e-05'
    """
    distances, chances = _seen(noise_multiplier, sampling_probability, steps)
    return _delta_of(distances, chances, check.number("epsilon", epsilon, low=0.0, high=1e4))


def _delta_of(distances: np.ndarray, chances: np.ndarray, epsilon: float) -> float:
    """The mean delta over how often the person took part."""
    return float(chances @ [math.exp(log_delta(distance, epsilon)) for distance in distances])


def visible_batch_epsilon(noise_multiplier: float, sampling_probability: float, steps: int, delta: float) -> float:
    """The epsilon of :func:`visible_batch_delta`.

    Source: as there (gap T7).

    Parameters
    ----------
    noise_multiplier : float in [1e-3, 1e6]
    sampling_probability : float in (0, 1]
    steps : int in 1..10^7
    delta : float in [1e-10, 1)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        More than 10,000 of epsilon.

    Examples
    --------
    >>> round(visible_batch_epsilon(4.94, 256 / 8930, 1744, 1e-5), 2)       # claimed: 1
    7.02
    """
    seen, delta = _seen(noise_multiplier, sampling_probability, steps), _delta(delta)
    if _delta_of(*seen, 0.0) <= delta:
        return 0.0
    if _delta_of(*seen, 1e4) > delta:
        check.refuse("noise_multiplier", noise_multiplier, "epsilon beyond 10,000", "Add more noise, or take fewer steps.")
    return float(optimize.brentq(lambda epsilon: _delta_of(*seen, epsilon) - delta, 0.0, 1e4, xtol=1e-9))


def partition_epsilon(noise_multiplier: float, epochs: int, delta: float) -> float:
    """The epsilon of epochs over a partition into batches, seen or not: each person is in one batch an epoch, so T plain Gaussian steps.

    Source: ours, against Tran et al. 2020, Lemma 1 and Theorem 5 (gap T8). The loop of Algorithm 1 visits batch after batch of a partition:
    no sample is drawn, and what is proved without any is a distance of sqrt(T) / sigma.

    Parameters
    ----------
    noise_multiplier : float in [1e-3, 1e6]
    epochs : int in 1..10^9
        T.
    delta : float in [1e-10, 1)

    Returns
    -------
    float

    Examples
    --------
    >>> round(partition_epsilon(4.94, 50, 1e-5), 2)
    6.67
    """
    return gaussian_epsilon(math.sqrt(check.integer("epochs", epochs, low=1, high=10**9)) / _sigma(noise_multiplier), _delta(delta))
