"""Noise on the coefficients of an objective: the functional mechanism, its relaxation, PDFC, ADFC, PFLR*, and moments in one release.

Privacy unit of all of them: one whole tuple (x, y, a) is replaced, the number of people is public. ``quadratic`` makes objectives of
people and their minima, ``sensitivity`` says how far one tuple moves them, ``algorithms`` are the papers' boxes, ``two_scales`` what noise
of two scales costs; ``moments`` and ``learner`` are ours. Every sum of people is exact in doubles, on a public grid (``people``).
"""
from .algorithms import (
    adfc,
    fair_functional_mechanism,
    functional_mechanism,
    pdfc,
    pflr_star,
    relaxed_functional_mechanism,
    with_feature,
)
from .learner import FunctionalClassifier, LittleLearnedWarning
from .moments import Moments, moments_l2, release_moments
from .people import shorten_rows
from .quadratic import (
    Quadratic,
    bounded_minimum,
    covariance_vector,
    log_loss_quadratic,
    merged_quadratic,
    minimum,
    no_minimum_chance,
    penalized_minimum,
)
from .sensitivity import attained_move, fair_l1, fair_l2, logistic_l1, logistic_l2, worst_pair
from .two_scales import adfc_epsilon, adfc_ratio, average_epsilon, gaussian_sigma_extended, pdfc_epsilon

__all__ = ["Quadratic", "log_loss_quadratic", "covariance_vector", "merged_quadratic", "logistic_l1", "logistic_l2", "fair_l1", "fair_l2",
           "gaussian_sigma_extended", "minimum", "no_minimum_chance", "penalized_minimum", "bounded_minimum",
           "functional_mechanism", "relaxed_functional_mechanism", "fair_functional_mechanism", "pdfc", "adfc", "pflr_star",
           "with_feature", "average_epsilon", "pdfc_epsilon", "adfc_epsilon", "adfc_ratio", "attained_move", "worst_pair",
           "Moments", "release_moments", "moments_l2", "shorten_rows", "FunctionalClassifier", "LittleLearnedWarning"]
