"""Post-processing for equalized odds, in the open and in private: the linear programs, their closed form, the noise, the bounds.

``lp`` is the program as the paper writes it; ``closed_form`` the same answers without a solver; ``noise`` what a private
algorithm publishes and the slack it adds; ``bounds`` what is proved about it; ``estimator`` all of it as a scikit-learn class.
"""
from ._program import Solution, dual_value
from .closed_form import closed_form
from .lp import derived_counts, predict_proba, solve_lp

__all__ = ["Solution", "closed_form", "derived_counts", "dual_value", "predict_proba", "solve_lp"]
