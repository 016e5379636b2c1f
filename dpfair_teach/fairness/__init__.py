"""Fairness as rates: everything here is a function of one small table, the number of people with each (yhat, a, y).

A table has shape ``(b, k, 2)`` and is indexed ``[yhat, a, y]``: what the classifier said (b = 2), the group (k of them) and the true
label. Entries are people, or frequencies (people divided by m): rates, errors and violations are the same for both. They may be
expected numbers (a randomized classifier) and, where a privacy mechanism has added noise, negative; what is needed is only that the
sums that stand below a fraction line are positive. Leading axes are batches: ``(..., 2, k, 2)``.

``counts`` makes the table, ``parity`` turns it into rates, gaps and violations (one object, :class:`Parity`, for each notion), ``forms``
compares the forms of a notion, ``luck`` says what drawn decisions and small cells do to rates, ``few`` what accepting few people does,
``report`` prints.
"""
from .._checks import MOST_GROUPS
from .counts import cell_counts, cross_groups, error, merge_groups
from .few import widest_gap
from .forms import form_constants
from .luck import chance_violation, gap_margin, mean_gap_bounds
from .parity import AGAINST, NOTIONS, Parity, rates, violation
from .report import predictive_values, report

__all__ = ["NOTIONS", "AGAINST", "MOST_GROUPS", "cell_counts", "rates", "error", "Parity", "violation", "form_constants",
           "chance_violation", "gap_margin", "mean_gap_bounds", "widest_gap", "predictive_values", "cross_groups", "merge_groups",
           "report"]
