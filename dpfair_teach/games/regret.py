"""What the private players regret over all rounds: Lemmas 3.3 and 3.4, as printed and sharper."""
from __future__ import annotations

import math

import numpy as np

from .accuracy import Noisy, gap_noise, labelings_of, learner_bound, noisy, noisy_answers, printed_noise
from .auditor import hasty, hedge_rate, late
from .setting import Setting

__all__ = ["lemma_3_3", "lemma_3_4"]

_THETA = np.linspace(1e-3, 0.999, 999)


def lemma_3_3(setting: Setting, *, as_printed: bool = False) -> float:
    """The private learner's average regret, with probability at least 1 - beta/2: no more than the worst of its rounds.

    Source: supplement, Lemma 3.3 (main text, Lemma 4.1): Lemma 3.2 in all rounds at once. It is the same whichever rates are compared.

    Parameters
    ----------
    setting, as_printed : as in :func:`lemma_3_2`

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`lemma_3_2`.

    Examples
    --------
    >>> round(lemma_3_3(Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)), 2)
    1.57
    """
    s = noisy(setting, as_printed)
    return learner_bound(s, labelings_of(setting), as_printed) * (1 if as_printed else noisy_answers(s) / s.T)


def _noise(s: Noisy) -> tuple[float, float]:
    """Scale of the noise of a rate, and what that of a gap does not exceed in any round."""
    scale = s.moves.rates / s.step if s.T > 1 else 0.0
    return scale, gap_noise(s.k, scale, s.beta / (2 * (s.T - 1) * (s.d - 1))) if s.T > 1 else 0.0


def auditor_step(s: Noisy, as_printed: bool, largest: float = 1.0) -> float:
    """The printed step; sharp, the best for the range of what the auditor sees."""
    if as_printed:
        return hedge_rate(s.d - 1, s.T, as_printed=True)
    return math.sqrt(8 * math.log(s.d) / s.T) / (2 * largest + 2 * _noise(s)[1])      # hedge_rate's, for any spread


def _hidden(s: Noisy, scale: float) -> float:
    """What noise hides from him: Chernoff's bound for the martingale."""
    if s.T == 1:
        return 0.0
    noises = (s.T - 1) * (1 if s.k == 2 else 2)
    return s.B * 2 * scale * ((math.log(4 * s.d / s.beta) - noises * np.log1p(-_THETA**2)) / _THETA).min() / s.T


def auditor_bound(s: Noisy, eta: float | None, as_printed: bool, largest: float = 1.0) -> float:
    """The auditor's average regret; ``largest`` is that of a gap, before noise."""
    eta = auditor_step(s, as_printed, largest) if eta is None else eta
    if as_printed:
        return late(s.B, s.d, eta, s.T) + 8 * hasty(s.B, eta, 2 + printed_noise(s))         # 4 eta B (1 + half the noise)^2
    scale, sup = _noise(s)
    return late(s.B, s.d, eta, s.T) + hasty(s.B, eta, 2 * largest + 2 * sup) + _hidden(s, scale)


def lemma_3_4(setting: Setting, *, as_printed: bool = False) -> float:
    """The private auditor's average regret against the *true* constraint values, with probability at least 1 - beta/2; for gamma <= 1.

    Source: supplement, Lemma 3.4 (main text, Lemma 4.2): B ln d / (eta T) + 4 eta B (1 + b l / 2)^2, with b the noise scale and l =
    ln(8Tk/beta). The printed proof bounds the regret against the noisy values and stops. Missing is the average of (lambda_t - lambda) .
    W_t, a martingale, which is about b sqrt(ln d / T): the stated bound has room for it at the algorithm's own eta and at larger ones,
    and only there is it proved. Sharp, for the repair "promise": Hoeffding's lemma, the exact tail of the noise of rates, and
    Chernoff's bound for the martingale; without the grid to which that algorithm rounds, see :func:`theorem_3_5`.

    Parameters
    ----------
    setting : Setting
        With ``smallest_cell``, as in :func:`lemma_3_2`. Without ``eta`` as printed the algorithm's own step; sharp, that with the smallest
        bound, which :func:`dp_oracle_learner` has to be given: its own is another. :func:`theorem_3_5` returns it.
    as_printed : bool

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`lemma_3_2`.

    Examples
    --------
    >>> setting = Setting(100, 1.0, 1e-7, 2.0, 2, .05, smallest_cell=5000)
    >>> round(lemma_3_4(setting, as_printed=True), 3), round(lemma_3_4(setting), 3)
    (1.917, 0.477)
    """
    return float(auditor_bound(noisy(setting, as_printed), setting.eta, as_printed))
