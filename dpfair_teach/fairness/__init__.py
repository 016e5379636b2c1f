"""Fairness as rates: everything here is a function of one small table, the number of people with each (yhat, a, y).

A table has shape ``(b, k, 2)`` and is indexed ``[yhat, a, y]``: what the classifier said (b = 2), the group (k of them) and the true
label. Entries are people, or frequencies (people divided by m). They may be expected numbers (a randomized classifier) and, where a
mechanism has added noise, negative; only the sums that stand below a fraction line must be positive. Leading axes are batches.

``counts`` makes the table and reads it off, ``parity`` turns it into rates, gaps and violations (one object, :class:`Parity`, for each
notion), ``gap_bounds`` says how large a gap can be.
"""
from .counts import cell_counts, cross_groups, error, merge_groups, predictive_values, report
from .gap_bounds import chance_violation, form_constants, gap_margin, mean_gap_bounds, widest_gap
from .parity import AGAINST, NOTIONS, Parity, rates, violation

__all__ = ["NOTIONS", "AGAINST", "cell_counts", "rates", "error", "Parity", "violation", "form_constants", "chance_violation", "gap_margin",
           "mean_gap_bounds", "widest_gap", "predictive_values", "cross_groups", "merge_groups", "report"]
