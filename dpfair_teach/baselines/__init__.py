"""The learners that the papers compare with: a network alone (CLF), covariance constraints (Z), a reduction (A), and that on responses (M).

None of these is this book's advice; all are what a private learner is to be held against, so they are made as good as they can be.
Only ``PrivateReduction`` is private. ``oracle_learner_as_printed`` is the private learner of Figure 1, left, as an author's code has it,
with noise that nobody has shown to be private.
"""
from .covariance import covariances
from .learner import CovarianceClassifier, NetworkClassifier, PrivateReduction, Reduction
from .oracle_learner_as_printed import PrintedRegressionPlay as PrintedRegressionPlay
from .oracle_learner_as_printed import regression_dp_oracle_learner_as_printed, section_5_step
from .reductions import reduction
from .response_gaps import response_gap_deviation, response_shrinkage

__all__ = ["NetworkClassifier", "CovarianceClassifier", "Reduction", "PrivateReduction", "covariances", "reduction",
           "response_shrinkage", "response_gap_deviation",
           "regression_dp_oracle_learner_as_printed", "section_5_step"]
