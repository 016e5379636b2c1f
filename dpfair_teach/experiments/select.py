"""Choose by what was released: a gamma, or one of several methods, from the tables that ``curve`` makes."""
from __future__ import annotations

import pandas as pd

from .. import _checks as check

__all__ = ["select_row"]

READ = ("gamma", "error", "violation_high")


def select_row(curve: pd.DataFrame, violation: float) -> pd.Series:
    """The row of a curve that promises the least error, of those whose violation is small enough at the upper end of its interval.

    Source: ours. The curve is a function of what was released, so choosing by it costs no epsilon, and the choice may be published.
    (Choosing by a violation on the true groups, as GridSearchCV would, is neither.) A curve's intervals are calibrated for all its gammas
    at once, so for the chosen one too.

    Parameters
    ----------
    curve : pandas.DataFrame
        Of ``DPPostProcessing.curve`` or ``FrontierLearner.curve``; or several of them, one below the other, with a column that says which:
        ``pd.concat([a.curve().assign(method="a"), b.curve().assign(method="b")])``. Of n curves together each interval fails with its own
        probability: ask each for confidence 1 - 0.05 / n.
    violation : float >= 0
        The most that ``violation_high`` may be.

    Returns
    -------
    pandas.Series
        That row, with all its columns. Of rows with the same error the one of smaller violation, then the first.

    Raises
    ------
    ValueError
        Not such a table; or no row promises so little, and then with what could be promised.

    Examples
    --------
    >>> curve = pd.DataFrame({"gamma": [0, .1, .2], "error": [.3, .2, .1], "violation_high": [.05, .12, .3]})
    >>> float(select_row(curve, violation=.15).gamma)
    0.1
    """
    bound = check.number("violation", violation, low=0.0)
    names = check.column_names(curve)
    if names is None or not isinstance(curve, pd.DataFrame) or not set(READ) <= set(names):
        check.refuse("curve", curve, f"is no table with the columns {', '.join(READ)}",
                     "Give what the method curve() of a fitted learner returns.")
    told = {name: check.filled("curve", check.array("curve", curve[name], ndim=1, booleans=False), "row") for name in READ}
    if (told["violation_high"] > bound).all():
        least = told["violation_high"].argmin()
        check.refuse("violation", bound, f"no gamma promises so little: the least is {told['violation_high'][least]:.3g}, at gamma "
                     f"{told['gamma'][least]:g}", "Allow that much, or fit with a larger epsilon, larger groups, or fewer bins.")
    rows = curve[told["violation_high"] <= bound].sort_values(["error", "violation_high"], kind="stable")
    return rows.iloc[0]
