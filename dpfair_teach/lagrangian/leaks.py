"""What printed steps give away: the size of their noise, a sign, a batch that can be seen; and how often a run reads the groups.

Those of one step are for a step on all people (no sample), with noise of standard deviation sigma times the printed sensitivity.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from ..mechanisms import UNIT_A, Measurement, mechanism_of
from ..mechanisms.gaussian import log_delta
from .sensitivity import positive, sign_flip_sensitivity, theorem_1

__all__ = ["printed_step_epsilon", "scale_leak_epsilon", "size_from_noise", "sign_flip_epsilon",
           "visible_batch_epsilon", "partition_epsilon"]


def gaussian_epsilon(ratio: float, delta: float) -> float:
    """The exact epsilon of a shift by ``ratio`` standard deviations."""
    (record,) = Measurement("gaussian", UNIT_A, sensitivity=ratio, scale=1.0).planned(1)
    found = mechanism_of("gaussian").epsilon_at(record, delta)
    return float(found or 0.0)


def printed_step_epsilon(noise_multiplier: float, delta: float) -> float:
    """What one step on all people would cost if the printed sensitivity were the true one.

    Source: Tran et al. 2020, Lemma 1 with q = 1, by the exact curve of the Gaussian mechanism (Balle and Wang 2018).

    Parameters
    ----------
    noise_multiplier : float in [1e-3, 1e6]
        sigma_p: standard deviation over the printed sensitivity.
    delta : float in [1e-10, 1)

    Examples
    --------
    >>> round(printed_step_epsilon(5, 1e-5), 2)
    0.73
    """
    return gaussian_epsilon(1 / _sigma(noise_multiplier), _delta(delta))


def _sigma(value: object) -> float:
    return check.number("noise_multiplier", value, low=1e-3, high=1e6)


def _delta(value: object) -> float:
    return check.number("delta", check.delta(value), low=1e-10)


def scale_leak_delta(ratio: float, n_parameters: int, epsilon: float) -> float:
    """The smallest delta between two noises of the same mean, N(0, s^2 I) and N(0, (ratio s)^2 I), in p coordinates; exact.

    Source: ours (gap T6). The likelihood ratio grows with the length of the noise, whose square is chi-square. The larger of the two
    directions is taken.
    """
    ratio = check.number("ratio", ratio, low=1.0, high=1e6, low_open=True)
    p, epsilon = check.integer("n_parameters", n_parameters, low=1, high=10**7), check.number("epsilon", epsilon, low=0.0, high=1e4)
    return math.exp(_log_scale_delta(ratio, p, epsilon))


def _log_scale_delta(ratio: float, p: int, epsilon: float) -> float:
    """ln delta: the larger of the two directions."""
    weight = -math.expm1(-2 * math.log(ratio)) / 2              # of the squared length, in standard deviations of the smaller noise
    from scipy import stats

    found = -math.inf
    for tail, likelier, other, t in ((stats.chi2.logsf, ratio**2, 1.0, p * math.log(ratio) + epsilon),
                                     (stats.chi2.logcdf, 1.0, ratio**2, p * math.log(ratio) - epsilon)):
        if t > 0:
            one, two = tail(t / weight / likelier, p), tail(t / weight / other, p) + epsilon
            if two < one:
                found = max(found, one + math.log(-math.expm1(two - one)))
    return float(found)


def scale_leak_epsilon(group_size: int, n_parameters: int, delta: float) -> float:
    """What the noise alone gives away in one step: groups of m and of m - 1, whose printed noise is in the ratio m - 1 to m - 2. Exact.

    Source: ours, Tran et al. 2020, Theorem 1 and equation (10) (gap T6): the denominator of the printed sensitivity is private. It is the
    same for every noise multiplier.

    Parameters
    ----------
    group_size : int in 3..10^9
        m, of the smallest group.
    n_parameters : int in 1..10^7
        p.
    delta : float in [1e-10, 1)

    Examples
    --------
    >>> [round(scale_leak_epsilon(m, p, 1e-5), 1) for m, p in ((20, 1000), (20, 10_000), (100, 10_000))]
    [14.0, 64.6, 6.9]
    """
    m, p = check.integer("group_size", group_size, low=3, high=10**9), check.integer("n_parameters", n_parameters, low=1, high=10**7)
    target = math.log(_delta(delta))
    ratio = (m - 1) / (m - 2)

    def excess(epsilon: float) -> float:
        return max(_log_scale_delta(ratio, p, epsilon), -1e4) - target

    if excess(0.0) <= 0:
        return 0.0
    if excess(1e4) > 0:
        check.refuse("n_parameters", n_parameters, f"epsilon beyond 10,000 for a group of {m}",
                     "Ask for fewer parameters or a larger group.")
    from scipy import optimize

    return float(optimize.brentq(excess, 0.0, 1e4, xtol=1e-9))


def size_from_noise(noise: ArrayLike, noise_multiplier: float, clip: float, multiplier: float) -> float:
    """An attack: the size of the smallest group, read off the length of the noise of one printed step.

    Source: ours (gap T6). The noise has standard deviation sigma 2 C lambda / (m - 1) in each of p coordinates.

    Parameters
    ----------
    noise : (p,) array
        Released step less what it is without noise; not 0.
    noise_multiplier : float in [1e-3, 1e6]
        sigma_p.
    clip, multiplier : as in :func:`theorem_1`

    Examples
    --------
    >>> import numpy as np
    >>> s = 5 * theorem_1(20, 20, clip=1, multiplier=1, as_printed=True)
    >>> round(size_from_noise(np.random.default_rng(0).normal(0, s, 10_000), 5, 1, 1), 1)
    20.0
    """
    z = check.filled("noise", check.array("noise", noise, ndim=1, low=-1e100, high=1e100), "coordinate")
    length = math.sqrt(float(z @ z) / z.size)
    if length < 1e-100:
        check.refuse("noise", float(z[0]), "0 everywhere: no size sets such noise",
                     "Subtract the step without noise from the released one.")
    return 1 + 2 * _sigma(noise_multiplier) * positive("clip", clip) * positive("multiplier", multiplier) / length


def sign_flip_epsilon(group_size: int, noise_multiplier: float, delta: float) -> float:
    """What one autograd step gives away with the printed noise, where both groups hold m people and one turns the signs. Exact.

    Source: ours, Tran et al. 2020, Theorem 1 (gap T2): the step moves by C lambda (4 - 2 / (m + 1)). The noise's own size is taken as
    public here.

    Parameters
    ----------
    group_size : int in 2..10^9
        m.
    noise_multiplier, delta : as in :func:`printed_step_epsilon`

    Examples
    --------
    >>> [round(sign_flip_epsilon(m, 5, 1e-5)) for m in (20, 100)]
    [58, 943]
    """
    m, sigma = check.integer("group_size", group_size, low=2, high=10**9), _sigma(noise_multiplier)
    ratio = sign_flip_sensitivity(m, m, 1.0, 1.0) / theorem_1(m, m, 1.0, 1.0, as_printed=True) / sigma
    return gaussian_epsilon(ratio, _delta(delta))


@dataclass(frozen=True)
class Counts:
    """How often a run reads the private groups: ``primal`` noisy steps, and ``dual`` noisy measurements of the violations."""

    primal: float
    dual: float


def theorem_5(n: int, batch: int, epochs: int, *, as_printed: bool = False) -> Counts:
    """The number of noisy steps and measurements in a run of T epochs on n people; as printed T n / batch and T.

    Source: Tran et al. 2020, Theorem 5; ours without ``as_printed`` (gap T14): the steps of the first epoch read no group, and the last
    measurement moves multipliers that no step uses.
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
    from scipy import stats

    low, high = stats.binom.ppf([1e-15, 1 - 1e-15], N, q)
    K = np.arange(max(low - 2, 1), min(high + 2, N) + 1)
    return np.sqrt(K) / sigma, stats.binom.pmf(K, N, q)


def _delta_of(distances: np.ndarray, chances: np.ndarray, epsilon: float) -> float:
    """The mean delta over how often the person took part."""
    return float(chances @ [math.exp(log_delta(distance, epsilon)) for distance in distances])


def visible_batch_epsilon(noise_multiplier: float, sampling_probability: float, steps: int, delta: float) -> float:
    """The epsilon of sampled Gaussian steps whose batches can be seen: as much as if nothing were sampled.

    Source: ours, against Tran et al. 2020, Lemma 1 (gap T7). The loss of the same batch is added without noise, and everything but the
    groups is public: in the worst case everybody sees in which K ~ Bin(N, q) steps a person took part. Given K the steps are one Gaussian
    with distance sqrt(K) / sigma.

    Parameters
    ----------
    noise_multiplier : as in :func:`printed_step_epsilon`
    sampling_probability : float in (0, 1]
    steps : int in 1..10^7
    delta : as in :func:`printed_step_epsilon`

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
    from scipy import optimize

    return float(optimize.brentq(lambda epsilon: _delta_of(*seen, epsilon) - delta, 0.0, 1e4, xtol=1e-9))


def partition_epsilon(noise_multiplier: float, epochs: int, delta: float) -> float:
    """The epsilon of epochs over a partition into batches, seen or not: each person is in one batch an epoch, so T plain Gaussian steps.

    Source: ours, against Tran et al. 2020, Lemma 1 and Theorem 5 (gap T8): no sample is drawn.

    Parameters
    ----------
    noise_multiplier : as in :func:`printed_step_epsilon`
    epochs : int in 1..10^9
        T.
    delta : as in :func:`printed_step_epsilon`

    Examples
    --------
    >>> round(partition_epsilon(4.94, 50, 1e-5), 2)
    6.67
    """
    return gaussian_epsilon(math.sqrt(check.integer("epochs", epochs, low=1, high=10**9)) / _sigma(noise_multiplier), _delta(delta))
