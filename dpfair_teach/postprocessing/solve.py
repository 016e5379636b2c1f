"""One program, solved by the quickest way that serves it."""
from __future__ import annotations

from numpy.typing import ArrayLike

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ._program import Solution, served, slacks, width
from .closed_form import closed_form
from .lp import solve_lp

__all__ = ["solve"]


def solve(q: ArrayLike, gamma: float, slack: ArrayLike = 0.0, *, notion: AcceptanceNotion | Parity = "equalized_odds",
          against: OfGroups | None = None) -> Solution:
    """The program of :func:`solve_lp`: by :func:`closed_form` where there is one, else by the solver.

    Source: supplement, LP^ (2) and LP~ (3). Two groups have a closed form, and so has exact equality of more, of two predictions. Where
    several p are optimal, the two ways may choose different ones: :class:`DPPostProcessing` and the algorithms beside it all ask here.

    Parameters
    ----------
    q : (b, k, 2) array [yhat, a, y], k >= 2
        Frequencies; noisy entries may be negative.
    gamma : float >= 0
    slack, notion, against : as in :func:`solve_lp`

    Returns
    -------
    Solution
        ``p`` (b, k), ``value``, ``dual`` (k, 2), as of :func:`solve_lp`.

    Raises
    ------
    ValueError
        As :func:`solve_lp`.

    Examples
    --------
    >>> ten = [[[.2, .1], [.2, 0]], [[0, .2], [.1, .2]]]
    >>> solve(ten, gamma=0).p.round(3) + 0
    array([[0.25, 0.  ],
           [1.  , 0.75]])
    """
    parity, q, gamma = served(notion, against), check.table("q", q, least_groups=2), check.gamma(gamma)
    b, k = q.shape[-3:-1]
    slack = slacks(slack, k, width(parity), batch=False)
    equal = b == 2 and parity.notion == "equalized_odds" and gamma == 0 and not slack.any()
    closed = q.ndim == 3 and (k == 2 or equal)
    return (closed_form if closed else solve_lp)(q, gamma, slack, notion=parity)
