"""Noise: Laplace, two-sided geometric, Gaussian, the exponential mechanism and randomized response.

Each mechanism is one function that draws (``rng`` is given, ``size`` adds leading axes of repeats) and, beside it, its
exact law, so that a claim about privacy or accuracy can be checked without sampling. ``sensitivity`` and ``epsilon``
must be public: a sensitivity read off the private data makes the *scale* of the noise private, and Laplace noise of different scale on
two neighbouring data sets has no finite epsilon.

Floating point. The guarantees are those of the real-number mechanisms. A Laplace or Gaussian number computed in double
precision is **not** exactly differentially private: which doubles can come out depends on the value being
protected, and the low bits can give it away (Mironov, "On significance of the least significant bits for differential
privacy", CCS 2012). For counts use :func:`geometric`, whose output is a whole number; for deployment use a library with exact
integer sampling. For errors and rates the difference is far below what any experiment sees; for privacy it is not: see gap J37 of the
book, and the notes of :func:`geometric`.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from . import _checks as check

__all__ = [
    "laplace", "laplace_law", "laplace_error_bound", "laplace_error_quantile",
    "geometric", "geometric_law",
    "gaussian", "gaussian_law", "gaussian_delta", "gaussian_sigma", "gaussian_sigma_textbook",
    "exponential", "exponential_by_gumbel", "exponential_probabilities", "exponential_error_bound", "exponential_worst_error",
    "randomized_response", "randomized_response_matrix", "debias_counts",
]


def _scale(sensitivity: object, epsilon: object) -> float:
    """sensitivity / epsilon, both finite and above 0."""
    sensitivity = check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    epsilon = check.epsilon(epsilon)
    if not 1e-300 < sensitivity / epsilon < 1e300:
        check.refuse("epsilon", epsilon, f"gives the scale {sensitivity / epsilon:g} at sensitivity {sensitivity:g}",
                     "Choose an epsilon nearer to the sensitivity.")
    return sensitivity / epsilon


def _beta(beta: object) -> float:
    """A failure probability, large enough for its logarithm."""
    return check.number("beta", beta, low=1e-200, high=1.0, high_open=True)


# ---------------------------------------------------------------------------------------------------------- Laplace

def laplace(value: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator,
            size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release ``value`` with independent Laplace noise of scale sensitivity / epsilon on every entry.

    Source: supplement, Definition 1.4 (Laplace mechanism) and Theorem 1.1 (it is epsilon-differentially private).

    Parameters
    ----------
    value : array, any shape
        What is to be released; all its entries together have the given sensitivity.
    sensitivity : float > 0
        The most that ``value`` changes in l1 norm (the sum over its entries) between neighbouring data sets, in the units of
        ``value``. Public.
    epsilon : float > 0
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes. Each repeat costs epsilon if it is published.

    Returns
    -------
    array of shape size + value.shape

    Raises
    ------
    ValueError
        ``value`` empty, not numeric or not finite; ``sensitivity`` or ``epsilon`` not above 0; ``rng`` not a Generator.

    Notes
    -----
    Computed in double precision, this is not exactly private (Mironov 2012; see the module). For counts,
    :func:`geometric` is the alternative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> laplace([12.0, 30.0], sensitivity=2, epsilon=1, rng=rng).shape
    (2,)
    >>> laplace([12.0, 30.0], sensitivity=2, epsilon=1, rng=rng, size=1000).shape
    (1000, 2)
    """
    value = check.filled("value", check.array("value", value, low=-1e300, high=1e300), "number")
    scale = _scale(sensitivity, epsilon)
    rng = check.rng(rng)
    return value + rng.laplace(0.0, scale, size=check.size(size, value.shape) + value.shape)


def laplace_law(sensitivity: float, epsilon: float, value: float = 0.0) -> Any:
    """The exact law of one released number: Laplace around ``value`` with scale sensitivity / epsilon.

    Source: supplement, Definition 1.4.

    Parameters
    ----------
    sensitivity, epsilon : float > 0
    value : float
        What is released, the centre.

    Returns
    -------
    frozen ``scipy.stats`` distribution (``pdf``, ``cdf``, ``ppf``, ``std``...)

    Raises
    ------
    ValueError
        ``sensitivity`` or ``epsilon`` not above 0, or so far apart that their ratio is no scale; ``value`` not finite.

    Examples
    --------
    >>> law = laplace_law(sensitivity=1, epsilon=0.5)
    >>> round(float(law.std()), 3)          # sqrt(2) times the scale 2
    2.828
    """
    return stats.laplace(loc=check.number("value", value), scale=_scale(sensitivity, epsilon))


def laplace_error_bound(k: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """ln(k / beta) sensitivity / epsilon: with probability at least 1 - beta none of ``k`` released numbers is further off.

    Source: supplement, Theorem 1.1 (which calls the failure probability delta). A union bound over P(|W| > t) = exp(-t/scale).

    Parameters
    ----------
    k : int >= 1
        How many numbers are released together.
    sensitivity, epsilon : float > 0
    beta : float in [1e-200, 1)
        Failure probability.

    Returns
    -------
    float, in the units of the released numbers

    Raises
    ------
    ValueError
        ``k`` below 1, ``beta`` outside [1e-200, 1), ``sensitivity`` or ``epsilon`` not above 0, or so far apart that
        their ratio is no scale.

    Examples
    --------
    >>> round(laplace_error_bound(8, sensitivity=2, epsilon=1, beta=0.05), 3)
    10.15
    """
    return math.log(check.integer("k", k, low=1, high=10**15) / _beta(beta)) * _scale(sensitivity, epsilon)


def laplace_error_quantile(k: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """The exact (1 - beta) quantile of the largest of ``k`` absolute Laplace errors: the sharp form of the error bound.

    Source: sharpens supplement, Theorem 1.1: independence gives P(max |W| <= t) = (1 - exp(-t/scale))^k, and equality is
    solved for t.

    Parameters
    ----------
    k, sensitivity, epsilon, beta : as in :func:`laplace_error_bound`

    Returns
    -------
    float, in the units of the released numbers; never above the bound

    Raises
    ------
    ValueError
        As :func:`laplace_error_bound`.

    Examples
    --------
    >>> round(laplace_error_quantile(8, sensitivity=2, epsilon=1, beta=0.05), 3)
    10.106
    >>> round(laplace_error_quantile(8, sensitivity=2, epsilon=1, beta=0.9), 3), round(laplace_error_bound(8, 2, 1, 0.9), 3)
    (2.772, 4.37)
    """
    k, beta = check.integer("k", k, low=1, high=10**15), _beta(beta)
    one_fails = -math.expm1(math.log1p(-beta) / k)      # 1 - (1 - beta)^(1/k), without cancellation
    return -math.log(one_fails) * _scale(sensitivity, epsilon)


# ------------------------------------------------------------------------------------------- two-sided geometric

def _decay(sensitivity: object, epsilon: object) -> float:
    """epsilon / sensitivity for whole-number queries, in a range where double precision holds."""
    sensitivity = check.integer("sensitivity", sensitivity, low=1, high=10**9)
    epsilon = check.epsilon(epsilon)
    if not 1e-9 <= epsilon / sensitivity <= 1e9:
        check.refuse("epsilon", epsilon, f"epsilon / sensitivity = {epsilon / sensitivity:g} lies outside [1e-9, 1e9]: "
                     "double precision does not hold there", "Choose another epsilon.")
    return epsilon / sensitivity


def _failures(decay: float, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Independent whole numbers with P(at least k) = exp(-decay k), drawn as the integer part of an exponential time over ``decay``.

    One draw of the generator has 53 bits, so no time above about 40 would ever come. Waiting has no memory: whoever has waited 30 has a
    fresh exponential time before him. Drawing that one again makes the tail as long as the law's, and large epsilons safe.
    """
    times = np.atleast_1d(rng.standard_exponential(shape)).ravel()
    still, waited = np.flatnonzero(times > 30), 30.0
    while len(still):
        fresh = rng.standard_exponential(len(still))
        times[still] = waited + fresh
        still, waited = still[fresh > 30], waited + 30.0
    return np.floor(times / decay).astype(np.int64).reshape(shape)


def geometric(value: ArrayLike, sensitivity: int, epsilon: float, rng: np.random.Generator,
              size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release whole numbers with two-sided geometric ("discrete Laplace") noise, P(W = w) proportional to exp(-epsilon |w| / sensitivity).

    Source: the discrete form of supplement, Definition 1.4 (Ghosh, Roughgarden and Sundararajan 2012). The ratio of
    P(W = w) to P(W = w + 1) is at most exp(epsilon / sensitivity), so the proof of Theorem 1.1 holds word for word.
    Drawn as the difference of two independent geometric variables, whose law is exactly this one.

    Parameters
    ----------
    value : array of whole numbers, any shape, at most 2^53 in absolute value
    sensitivity : int >= 1
        l1 sensitivity of all entries together.
    epsilon : float > 0
        epsilon / sensitivity within [1e-9, 1e9].
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    int64 array of shape size + value.shape

    Raises
    ------
    ValueError
        ``value`` empty or not whole; ``sensitivity`` not a whole number >= 1; ``epsilon / sensitivity`` outside [1e-9, 1e9].

    Notes
    -----
    Each chance is right to about 2^-53, but privacy is about ratios. The generator's exponential times lie on a grid that widens along the
    tail, to about 1e-6 before a fresh one is drawn, and a whole number is an interval of length epsilon / sensitivity of such times: in
    the far tail its chance has a relative error up to about 1e-6 sensitivity / epsilon. So below epsilon / sensitivity of about 1e-3 the
    guarantee is one for the ideal law, not for these draws.

    Examples
    --------
    >>> geometric([12, 30], sensitivity=1, epsilon=20.0, rng=np.random.default_rng(0))
    array([12, 30])
    """
    value = check.filled("value", check.whole_numbers("value", value), "number")
    decay, rng = _decay(sensitivity, epsilon), check.rng(rng)
    shape = check.size(size, value.shape) + value.shape
    return value + _failures(decay, rng, shape) - _failures(decay, rng, shape)


def geometric_law(sensitivity: int, epsilon: float, value: int = 0) -> Any:
    """The exact law of one released count: tanh(t/2) exp(-t |w - value|) with t = epsilon / sensitivity.

    Source: discrete form of supplement, Definition 1.4.

    Parameters
    ----------
    sensitivity : int >= 1
    epsilon : float > 0
    value : int
        What is released, the centre.

    Returns
    -------
    frozen ``scipy.stats`` distribution (``pmf``, ``cdf``...)

    Raises
    ------
    ValueError
        ``sensitivity`` or ``value`` not a whole number, ``epsilon / sensitivity`` outside [1e-9, 1e9].

    Examples
    --------
    >>> law = geometric_law(sensitivity=1, epsilon=1.0, value=7)
    >>> law.pmf([6, 7, 8]).round(3)
    array([0.17 , 0.462, 0.17 ])
    """
    decay = _decay(sensitivity, epsilon)
    return stats.dlaplace(decay, loc=check.integer("value", value, low=-2**53, high=2**53))


# ---------------------------------------------------------------------------------------------------------- Gaussian

def gaussian_delta(sensitivity: float, sigma: float, epsilon: float) -> float:
    """The smallest delta for which N(0, sigma^2) noise on a query of this l2 sensitivity is (epsilon, delta)-private.

    Source: Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, Theorem 8: with
    s = sensitivity / (2 sigma) and t = epsilon sigma / sensitivity, delta = Phi(s - t) - exp(epsilon) Phi(-s - t). Exact, no bound.

    Parameters
    ----------
    sensitivity : float > 0
        l2 sensitivity, in the units of the query.
    sigma : float > 0
        Standard deviation of the noise, same units. sensitivity / sigma within [1e-12, 1e6].
    epsilon : float in [0, 1e4]
        At 0 the answer is the total variation distance.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        A number outside its range.

    Examples
    --------
    >>> round(gaussian_delta(sensitivity=1, sigma=4.2248, epsilon=1), 8)
    1e-06
    >>> round(gaussian_delta(sensitivity=1, sigma=1, epsilon=0), 4)
    0.3829
    """
    sensitivity = check.number("sensitivity", sensitivity, low=0.0, low_open=True)
    sigma = check.number("sigma", sigma, low=0.0, low_open=True)
    if not 1e-12 <= sensitivity / sigma <= 1e6:
        check.refuse("sigma", sigma, f"sensitivity / sigma = {sensitivity / sigma:g} lies outside [1e-12, 1e6]", "Choose another sigma.")
    return math.exp(_log_gaussian_delta(sensitivity / sigma, check.number("epsilon", epsilon, low=0.0, high=1e4)))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _log_gaussian_delta(ratio: float, epsilon: float) -> float:
    """ln delta at ratio = sensitivity / sigma; in logarithms, because Phi underflows long before delta matters.

    As exp(epsilon) phi(t + s) = phi(t - s), the two terms of delta share a factor: delta = phi(t - s) (R(t - s) - R(t + s)) with Mills'
    ratio R(x) = Phi(-x) / phi(x). For small s the two are nearly equal, so their difference is taken as the integral of
    -R'(x) = 1 - x R(x) > 0 from t - s to t + s, where nothing cancels. For the other s the terms are far enough apart to subtract.
    """
    s, t = ratio / 2, epsilon / ratio
    if t - s > 50:  # delta below e^-1250: no float
        return -math.inf
    if s < 0.5:
        x = t + s * _NODES
        slopes = 1 - x * math.sqrt(math.pi / 2) * special.erfcx(x / math.sqrt(2))
        return -(t - s) ** 2 / 2 + math.log(s * (_WEIGHTS @ slopes) / math.sqrt(2 * math.pi))
    if t <= s:
        return math.log(special.ndtr(s - t) - math.exp(epsilon + special.log_ndtr(-s - t)))
    mills = special.erfcx(np.array([t - s, t + s]) / math.sqrt(2))
    return -(t - s) ** 2 / 2 + math.log((mills[0] - mills[1]) / 2)


def gaussian_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """The smallest standard deviation that makes Gaussian noise (epsilon, delta)-private for this l2 sensitivity.

    Source: Balle and Wang 2018, Section 3: the exact delta curve of :func:`gaussian_delta` falls in sigma; its crossing
    with ``delta`` is found by bracketing and Brent's method. Valid for any epsilon, unlike the textbook's
    sigma = sensitivity sqrt(2 ln(1.25/delta)) / epsilon, which needs epsilon < 1 and is larger.

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]

    Returns
    -------
    float, in the units of ``sensitivity``

    Raises
    ------
    ValueError
        A number outside its range.

    Examples
    --------
    >>> sigma = gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6)
    >>> round(sigma, 3), gaussian_delta(1, sigma, 1) <= 1e-6
    (4.225, True)
    >>> round(gaussian_sigma(sensitivity=1, epsilon=1e-9, delta=0.01), 3)   # almost all of delta, none of epsilon: 1 / (sqrt(2 pi) delta)
    39.893
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9, high=1e3)
    target = math.log(check.number("delta", check.delta(delta), low=1e-100, high=1 - 1e-9))

    def excess(log_u: float) -> float:
        """Above 0 while sigma = u * sensitivity is too small."""
        return max(_log_gaussian_delta(math.exp(-log_u), epsilon), -1e4) - target

    low = high = 0.0
    while excess(low) <= 0:
        low -= 1.0
    while excess(high) > 0:
        high += 1.0
    u = math.exp(optimize.brentq(excess, low, high, xtol=1e-14))
    while excess(math.log(u)) > 0:  # end on the private side of the crossing
        u *= 1 + 1e-13
    return u * sensitivity


def gaussian_sigma_textbook(sensitivity: float, epsilon: float, delta: float) -> float:
    """The textbook's standard deviation, sensitivity sqrt(2 ln(1.25/delta)) / epsilon: private for epsilon up to 1, and larger than needed.

    Source: Dwork and Roth 2014, Theorem 3.22 and Appendix A (arXiv version of Tran et al., Section 4.2, has it with a misprint, gap T26).
    :func:`gaussian_sigma` is the exact calibration and holds for every epsilon.

    Parameters
    ----------
    sensitivity : float in [1e-200, 1e200]
        l2 sensitivity.
    epsilon : float in [1e-9, 1]
    delta : float in [1e-100, 1 - 1e-9]

    Returns
    -------
    float, in the units of ``sensitivity``

    Raises
    ------
    ValueError
        A number outside its range; above epsilon = 1 the formula is not proved, and at 9 (delta = 1e-6) it is false.

    Examples
    --------
    >>> round(gaussian_sigma_textbook(1, 1, 1e-6), 3), round(gaussian_sigma(1, 1, 1e-6), 3)
    (5.299, 4.225)
    """
    sensitivity = check.number("sensitivity", sensitivity, low=1e-200, high=1e200)
    epsilon = check.number("epsilon", epsilon, low=1e-9)
    if epsilon > 1:
        check.refuse("epsilon", epsilon, "above 1, where the textbook formula is not proved", "Use gaussian_sigma: exact, any epsilon.")
    delta = check.number("delta", check.delta(delta), low=1e-100, high=1 - 1e-9)
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def gaussian(value: ArrayLike, sensitivity: float, epsilon: float, delta: float, rng: np.random.Generator,
             size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Release ``value`` with Gaussian noise calibrated exactly to (epsilon, delta).

    Source: Balle and Wang 2018, Algorithm 1 (the papers of this book use Laplace; Gaussian noise wins when many
    numbers are released at once, because its sensitivity is measured in l2).

    Parameters
    ----------
    value : array, any shape
    sensitivity : float > 0
        The most that ``value`` changes in **l2** norm between neighbouring data sets. Public.
    epsilon : float in [1e-9, 1e3]
    delta : float in [1e-100, 1 - 1e-9]
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    array of shape size + value.shape

    Raises
    ------
    ValueError
        ``value`` empty, not numeric or not finite; a number outside its range; ``rng`` not a Generator.

    Examples
    --------
    >>> gaussian([0.0, 0.0], sensitivity=1, epsilon=1, delta=1e-6, rng=np.random.default_rng(0), size=(5, 3)).shape
    (5, 3, 2)
    """
    value = check.filled("value", check.array("value", value, low=-1e300, high=1e300), "number")
    sigma = gaussian_sigma(sensitivity, epsilon, delta)
    rng = check.rng(rng)
    return value + rng.normal(0.0, sigma, size=check.size(size, value.shape) + value.shape)


def gaussian_law(sensitivity: float, epsilon: float, delta: float, value: float = 0.0) -> Any:
    """The exact law of one number released by :func:`gaussian`.

    Source: Balle and Wang 2018, Algorithm 1.

    Parameters
    ----------
    sensitivity, epsilon, delta : as in :func:`gaussian`
    value : float
        What is released, the centre.

    Returns
    -------
    frozen ``scipy.stats`` distribution

    Raises
    ------
    ValueError
        A number outside its range.

    Examples
    --------
    >>> round(float(gaussian_law(1, 1, 1e-6).std()), 3)
    4.225
    """
    return stats.norm(loc=check.number("value", value), scale=gaussian_sigma(sensitivity, epsilon, delta))


# ------------------------------------------------------------------------------------------------------- exponential

def _losses(loss: object) -> np.ndarray:
    loss = check.array("loss", loss)
    if loss.ndim == 0:
        check.refuse("loss", float(loss), "is a single number", "Give one loss for each choice: shape (H,) or (..., H).")
    return check.filled("loss", loss, "loss")


def _scores(loss: object, sensitivity: object, epsilon: object) -> np.ndarray:
    """-epsilon (loss - best) / (2 sensitivity), at most 0; -inf, which never wins, where a loss is infinitely far above the best."""
    loss = _losses(loss)
    with np.errstate(over="ignore"):
        return -((loss - loss.min(axis=-1, keepdims=True)) / (2 * _scale(sensitivity, epsilon)))


def exponential_probabilities(loss: ArrayLike, sensitivity: float, epsilon: float) -> np.ndarray:
    """The exact law of the exponential mechanism: probability proportional to exp(-epsilon loss / (2 sensitivity)).

    Source: supplement, Definition 1.5 and Theorem 1.2 (epsilon-differentially private).

    Parameters
    ----------
    loss : array (..., H)
        One loss for each of H choices; smaller is better. Leading axes are independent selections.
    sensitivity : float > 0
        The most that one loss changes between neighbouring data sets. Public.
    epsilon : float > 0

    Returns
    -------
    array (..., H), each row summing to 1

    Raises
    ------
    ValueError
        ``loss`` a single number, empty, not numeric or not finite; ``sensitivity`` or ``epsilon`` not above 0, or so far apart that
        their ratio is no scale.

    Examples
    --------
    >>> exponential_probabilities([0.0, 1.0, 2.0], sensitivity=1, epsilon=2.0).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    weights = np.exp(_scores(loss, sensitivity, epsilon))
    return weights / weights.sum(axis=-1, keepdims=True)


def exponential(loss: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator,
                size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Choose the index of a small loss privately: the exponential mechanism.

    Source: supplement, Definition 1.5. Drawn by inverting the exact distribution function of
    :func:`exponential_probabilities`.

    Parameters
    ----------
    loss, sensitivity, epsilon : as in :func:`exponential_probabilities`
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    int array of shape size + loss.shape[:-1], entries in 0..H-1

    Raises
    ------
    ValueError
        As :func:`exponential_probabilities`; ``rng`` not a Generator.

    Examples
    --------
    >>> exponential([[0.0, 1.0], [1.0, 0.0]], sensitivity=1, epsilon=200.0, rng=np.random.default_rng(0))
    array([0, 1])
    """
    below = np.cumsum(exponential_probabilities(loss, sensitivity, epsilon), axis=-1)
    below /= below[..., -1:]  # rounding must not leave room above the last choice
    rng = check.rng(rng)
    if below.ndim == 1:
        return np.searchsorted(below, rng.random(check.size(size)), side="right")
    u = rng.random(check.size(size, below.shape) + below.shape[:-1])    # below.shape: the next line compares with every choice
    return (u[..., None] >= below).sum(axis=-1)


def exponential_by_gumbel(loss: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator,
                          size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """The exponential mechanism as "report noisy max": add Gumbel noise to every score and name the largest.

    Source: supplement, Definition 1.5, by the Gumbel trick: with scores s_h = -epsilon loss_h / (2 sensitivity) and independent noise G_h
    with P(G <= x) = exp(-exp(-x)), the index of the largest s_h + G_h has exactly the law of :func:`exponential_probabilities`. Only the
    index may be shown: the noisy scores are another release.

    Parameters
    ----------
    loss, sensitivity, epsilon : as in :func:`exponential_probabilities`
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    int array of shape size + loss.shape[:-1], entries in 0..H-1

    Raises
    ------
    ValueError
        As :func:`exponential`.

    Examples
    --------
    >>> exponential_by_gumbel([[0.0, 1.0], [1.0, 0.0]], sensitivity=1, epsilon=200.0, rng=np.random.default_rng(0))
    array([0, 1])
    """
    score = _scores(loss, sensitivity, epsilon)
    rng = check.rng(rng)
    return np.argmax(score + rng.gumbel(size=check.size(size, score.shape) + score.shape), axis=-1)


def exponential_error_bound(n_choices: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """ln(H / beta) 2 sensitivity / epsilon: with probability at least 1 - beta the chosen loss exceeds the best by no more.

    Source: supplement, Theorem 1.2.

    Parameters
    ----------
    n_choices : int >= 1
        H, the number of choices.
    sensitivity, epsilon : float > 0
    beta : float in [1e-200, 1)
        Failure probability.

    Returns
    -------
    float, in the units of the loss

    Raises
    ------
    ValueError
        ``n_choices`` below 1, ``beta`` outside [1e-200, 1), ``sensitivity`` or ``epsilon`` not above 0, or so far apart that
        their ratio is no scale.

    Examples
    --------
    >>> round(exponential_error_bound(100, sensitivity=1, epsilon=1, beta=0.05), 3)
    15.202
    """
    return math.log(check.integer("n_choices", n_choices, low=1, high=10**15) / _beta(beta)) * 2 * _scale(sensitivity, epsilon)


def exponential_worst_error(n_choices: int, sensitivity: float, epsilon: float, beta: float) -> float:
    """The smallest bound of the kind of Theorem 1.2 that holds for every loss: max(0, ln((H-1)(1-beta)/beta)) 2 sensitivity / epsilon.

    Source: sharpens supplement, Theorem 1.2. The best choice weighs 1 and at most H - 1 others lie more than t
    above it, each weighing less than e = exp(-t epsilon / (2 sensitivity)), so they are chosen with probability less than
    (H-1)e / (1 + (H-1)e); that equals beta at the t returned here. Losses (0, t+, ..., t+) come as close as one likes.

    Parameters
    ----------
    n_choices, sensitivity, epsilon, beta : as in :func:`exponential_error_bound`

    Returns
    -------
    float, in the units of the loss; never above the bound

    Raises
    ------
    ValueError
        As :func:`exponential_error_bound`.

    Examples
    --------
    >>> round(exponential_worst_error(100, sensitivity=1, epsilon=1, beta=0.05), 3)
    15.079
    """
    n_choices, beta, scale = check.integer("n_choices", n_choices, low=1, high=10**15), _beta(beta), _scale(sensitivity, epsilon)
    odds = (n_choices - 1) * (1 - beta) / beta
    return 2 * scale * math.log(odds) if odds > 1 else 0.0


# ---------------------------------------------------------------------------------------------- randomized response

def _truth(n_groups: object, epsilon: object) -> tuple[int, float, float]:
    """k, the probability of the true code, and the probability of each other code."""
    k = check.integer("n_groups", n_groups, low=2, high=4096)
    others = math.exp(-check.number("epsilon", epsilon, low=0.0, high=700.0, low_open=True))  # beyond 700 it would underflow to never
    return k, 1 / (1 + (k - 1) * others), others / (1 + (k - 1) * others)


def randomized_response(A: ArrayLike, n_groups: int, epsilon: float, rng: np.random.Generator,
                        size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Each person reports a group: the true one with probability e^epsilon / (e^epsilon + k - 1), else another at random.

    Source: Warner 1965; k-ary form of Kairouz, Oh and Viswanath 2016. Every person's report is epsilon-private
    on its own ("one person's A changes"), so whatever is computed from the reports and public X and Y is epsilon-private too. The
    probability of a lie is a multiple of 2^-53, rounded up: from epsilon 37 on people lie a little more often than they have to.

    Parameters
    ----------
    A : int array (m,)
        Group codes 0..k-1.
    n_groups : int >= 2
        k, public.
    epsilon : float > 0
    rng : numpy.random.Generator
    size : int or tuple of ints, optional
        Independent repeats, as leading axes.

    Returns
    -------
    int64 array of shape size + (m,)

    Raises
    ------
    ValueError
        ``A`` no codes below ``n_groups``; ``n_groups`` outside 2..4096; ``epsilon`` outside (0, 700]; ``rng`` not a Generator.

    Examples
    --------
    >>> randomized_response([0, 1, 2, 2], n_groups=3, epsilon=50.0, rng=np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    k, _, other = _truth(n_groups, epsilon)
    A, k = check.groups("A", A, n_groups=k)
    rng = check.rng(rng)
    shape = check.size(size, A.shape) + A.shape
    lies = math.ceil((k - 1) * other * 2.0**53)            # of the 2^53 uniform numbers; rounded up, so that lies never die out
    lie = rng.random(shape) >= 1 - lies / 2.0**53
    return np.where(lie, (A + rng.integers(1, k, shape)) % k, A)


def randomized_response_matrix(n_groups: int, epsilon: float) -> np.ndarray:
    """The exact law of :func:`randomized_response`: entry [a, r] is the probability that a member of group a reports r.

    Source: Kairouz, Oh and Viswanath 2016.

    Parameters
    ----------
    n_groups : int in 2..4096
    epsilon : float in (0, 700]

    Returns
    -------
    array (k, k); rows sum to 1; two entries of a column differ by at most the factor e^epsilon

    Raises
    ------
    ValueError
        A number outside its range.

    Examples
    --------
    >>> randomized_response_matrix(2, np.log(3))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    k, keep, other = _truth(n_groups, epsilon)
    return np.full((k, k), other) + np.eye(k) * (keep - other)


def debias_counts(counts: ArrayLike, epsilon: float, axis: int = -1) -> np.ndarray:
    """Unbiased estimates of the true group counts from counts of randomized reports.

    Source: inverts the matrix of :func:`randomized_response_matrix`: with keep and other its two entries, a report count has mean
    other * total + (keep - other) * true count. Entries may come out negative or above the total: nothing is clipped.

    Parameters
    ----------
    counts : array, any shape with at least 2 groups along ``axis``
        How many people of each public kind reported each group; (b, k, 2) cell counts have ``axis=-2``.
    epsilon : float > 0
        The one the reports were made with.
    axis : int
        The axis of the groups.

    Returns
    -------
    array of the shape of ``counts``, same sum along ``axis``

    Raises
    ------
    ValueError
        ``counts`` a single number, empty, not finite, or not of 2 to 4096 groups along ``axis``; no such axis; ``epsilon`` outside
        (0, 700], or so small that the reports say nothing.

    Examples
    --------
    >>> debias_counts([40.0, 60.0], epsilon=np.log(3))
    array([30., 70.])
    """
    counts = check.filled("counts", check.array("counts", counts, low=-1e150, high=1e150, booleans=False), "number")
    if counts.ndim == 0:
        check.refuse("counts", float(counts), "is a single number", "Give one count for each group.")
    axis = check.integer("axis", axis, low=-counts.ndim, high=counts.ndim - 1)
    if not 2 <= counts.shape[axis] <= 4096:
        check.refuse("counts", counts.shape, f"has {counts.shape[axis]} groups along axis {axis}", "Point axis at the axis of the groups.")
    _, keep, other = _truth(counts.shape[axis], epsilon)
    if keep - other < 1e-9:
        check.refuse("epsilon", epsilon, "leaves no information in the reports", "Choose a larger epsilon.")
    return (counts - other * counts.sum(axis=axis, keepdims=True)) / (keep - other)
