"""The learners that the papers compare with: a network alone (CLF), covariance constraints (Z), a reduction (A), and that on responses (M).

None of these is this book's advice; all are what a private learner is to be held against, so they are made as good as they can be.
``network`` is a classifier round ``networks`` with scikit-learn's contract. ``covariance`` is what Zafar et al. bound, ``convex_concave``
how a loss is minimised under such bounds, ``covariance_learner`` the estimator. ``reduction`` turns fairness into weighted classification,
on the game of ``games``; ``reduction_learner`` is the estimator. ``response`` says what randomized response does to gaps between groups;
``private_reduction`` is the estimator that learns from responses. Only the last one is private. ``oracle_learner_as_printed`` is the
private learner of Figure 1, left, as an author's code has it, with noise that nobody has shown to be private.
"""
from .covariance import covariances
from .covariance_learner import CovarianceClassifier
from .network import NetworkClassifier
from .oracle_learner_as_printed import PrintedRegressionPlay as PrintedRegressionPlay
from .oracle_learner_as_printed import regression_dp_oracle_learner_as_printed, section_5_step
from .private_reduction import PrivateReduction
from .reduction import reduction, reweighed, shaken_prices, start_reduction
from .reduction_learner import Reduction
from .response import pair_shrinkage, response_gap_deviation, response_shrinkage

__all__ = ["NetworkClassifier", "CovarianceClassifier", "Reduction", "PrivateReduction", "covariances", "reduction", "reweighed",
           "shaken_prices", "start_reduction", "response_shrinkage", "pair_shrinkage", "response_gap_deviation",
           "regression_dp_oracle_learner_as_printed", "section_5_step"]
