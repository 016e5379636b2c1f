"""One notion against an anchor, between all pairs, against everybody: what each promises of the others."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["form_constants"]


def form_constants(shares: ArrayLike, anchor: int = 0) -> np.ndarray:
    """What one form of a notion promises of another: the smallest c with violation(wanted) <= c violation(given), for all rates.

    Source: ours; the supplement, Definition 1.1, goes from pairs to an anchor "without loss of generality".

    Parameters
    ----------
    shares : (k,) array, k >= 2, positive
        People, or shares of people, of each group among those whose rate is compared: with label y for the rates of equalized odds,
        all of them for demographic and accuracy parity.
    anchor : int in 0..k-1
        The group that the anchored form compares with.

    Returns
    -------
    (3, 3) array indexed [given, wanted], both in the order of :data:`AGAINST`. Each constant is attained for violations up to 1/2.

    Raises
    ------
    ValueError
        Fewer than two groups, a share that is not positive, or an anchor that is no group.

    Examples
    --------
    >>> form_constants([0.6, 0.3, 0.1])     # rows: given the anchored, pairwise, population form
    array([[1.        , 2.        , 1.2       ],
           [1.        , 1.        , 0.9       ],
           [1.66666667, 2.        , 1.        ]])
    """
    w = check.array("shares", shares, ndim=1, high=1e15)
    if w.size < 2 or (w <= 0).any():
        check.refuse("shares", w.tolist(), "not the positive shares of at least two groups", "Leave empty groups out.")
    anchor = check.integer("anchor", anchor, low=0, high=w.size - 1)
    w = w / w.max()
    w = w / w.sum()
    own, least = w[anchor], np.delete(w, anchor).min()
    return np.array([
        [1.0, 1.0 if w.size == 2 else 2.0, max(1 - own, 2 - own - 2 * least)],
        [1.0, 1.0, 1 - w.min()],
        [min(2.0, 1 / max(own, least)), min(2.0, 1 / np.sort(w)[1]), 1.0],
    ])
