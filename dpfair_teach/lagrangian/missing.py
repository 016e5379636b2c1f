"""People who do not say their group: what that does to the sensitivity of group means."""
from __future__ import annotations

from .. import _checks as check
from .sensitivity import sizes_of, theorem_1

__all__ = ["missing_sensitivity"]


def missing_sensitivity(n_left: float, n_joined: float, rate: float, clip: float, multiplier: float, *, as_printed: bool = False) -> float:
    """The l2 sensitivity of a signed sum of group means when a share r of each group says its group.

    Source: Tran et al. 2020, Section 7, divides the printed Theorem 1 by r. Ours (gap T25): means are over those who say it, so it is
    :func:`theorem_1` at r n1 and r n2 people. Dividing by r leaves the minus one of the printed denominator where it is, and the wrong
    factor too. The text there says that less noise is needed; it is more. Who stops saying their group moves one mean only, by 2 C lambda /
    (r n1), which is less.

    With fixed normalisers (:func:`fixed_sensitivity`) nothing of this is needed: who says nothing adds 0.

    Parameters
    ----------
    n_left, n_joined : float in [2, 1e12] and [1, 1e12]
        People of the two groups, before the change, as in :func:`theorem_1`; those who say it must be at least as many.
    rate : float in (0, 1]
        r.
    clip, multiplier : float in [1e-12, 1e12]
        C and lambda.
    as_printed : bool
        The printed Theorem 1, divided by r.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Fewer than 2 or 1 people who say their group.

    Examples
    --------
    >>> round(missing_sensitivity(20, 20, 0.2, 1, 1), 3), round(missing_sensitivity(20, 20, 0.2, 1, 1, as_printed=True), 3)
    (0.9, 0.526)
    """
    n1, n2 = sizes_of(n_left, n_joined)
    rate = check.number("rate", rate, low=0.0, high=1.0, low_open=True)
    if check.flag("as_printed", as_printed):
        return theorem_1(n1, n2, clip, multiplier, as_printed=True) / rate
    if rate * n1 < 2 or rate * n2 < 1:
        check.refuse("rate", rate, f"leaves {rate * n1:g} and {rate * n2:g} people who say their group: one mean would empty",
                     "Raise the rate, or use fixed normalisers.")
    return theorem_1(rate * n1, rate * n2, clip, multiplier)
