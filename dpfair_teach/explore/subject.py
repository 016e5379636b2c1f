"""One figure of the whole subject, the same on the first page of the book and at the top of the ten people."""
from __future__ import annotations

from .explorer import Explorer

__all__ = ["whole_subject"]


def whole_subject() -> Explorer:
    """Make the bank fair without betraying Ada: the ten people, the coins that repair the bank, and what these give away.

    A click puts a person into the other group. Published are four coins, the chances of a yes by what the bank says and by group, those
    of least error with equal rates (``postprocessing.closed_form`` at gamma 0): for the true table, or for a table from
    ``postprocessing.public_margin_counts``, with two-sided geometric noise of scale 1 / epsilon on group 1's counts. What is private is
    one person's A, and coins that are computed from the noisy table are epsilon-differentially private in it. The guess is that of
    somebody who knows all other groups: ``attacks.attribute_advantage_bound`` more than one half.

    Source: ours. The repair is supplement, LP^ (2) with gamma = 0.

    Returns
    -------
    Explorer
        Its people set ``A``, its buttons ``publish``: ``exactly``, ``epsilon 5``, ``epsilon 2``, ``epsilon 1``, ``epsilon 0.5``.

    Examples
    --------
    >>> whole_subject().frame()["Published coins (with noise: eight draws)"].values.tolist()
    [['1', '0.75'], ['0.25', '0']]
    """
    from .bank import figure  # here: whoever only loads data does not wait for the solvers
    return figure()
