"""Noise on the coefficients of an objective: the functional mechanism, its relaxation, PDFC, ADFC, PFLR*, and moments in one release.

Privacy unit of all of them: one whole tuple (x, y, a) is replaced, the number of people is public. ``quadratic`` makes objectives of
people, ``sensitivity`` says how far one tuple moves them, ``algorithms`` are the papers' boxes, ``two_scales`` what noise of two scales
costs, ``minimum`` what to do with a noisy quadratic; ``moments`` and ``learner`` are ours.
"""
from .adversary import largest_move, worst_pair
from .algorithms import (
    NoisyFit,
    adfc,
    fair_functional_mechanism,
    functional_mechanism,
    laplace_deviation,
    linear_functional_mechanism,
    noise_ridge,
    pdfc,
    pflr_star,
    relaxed_functional_mechanism,
    with_feature,
)
from .extended import extended_gaussian, gaussian_sigma_extended
from .learner import FunctionalClassifier, LittleLeftWarning, NoiseOnlyWarning
from .minimum import bounded_minimum, minimum, no_minimum_chance, penalized_minimum
from .moments import Moments, denoised_gram, free_gram_weight, gram_noise, group_vertices, moments_l2, release_moments
from .people import in_domain, shorten_rows
from .quadratic import Quadratic, covariance_vector, log_loss_quadratic, merged_quadratic, square_loss_quadratic
from .sensitivity import fair_l1, fair_l2, linear_l1, linear_l2, logistic_l1, logistic_l2
from .taylor import taylor_error_bound, taylor_log_loss
from .two_scales import adfc_claim, adfc_epsilon, adfc_ratio, average_epsilon, part_l1, part_l2, pdfc_epsilon

__all__ = ["Quadratic", "log_loss_quadratic", "square_loss_quadratic", "covariance_vector", "merged_quadratic", "taylor_log_loss",
           "taylor_error_bound", "logistic_l1", "logistic_l2", "fair_l1", "fair_l2", "linear_l1", "linear_l2", "gaussian_sigma_extended",
           "extended_gaussian", "minimum", "no_minimum_chance", "penalized_minimum", "bounded_minimum", "noise_ridge", "laplace_deviation",
           "functional_mechanism", "relaxed_functional_mechanism", "linear_functional_mechanism", "fair_functional_mechanism", "pdfc",
           "adfc", "pflr_star", "NoisyFit", "with_feature", "average_epsilon", "pdfc_epsilon", "adfc_claim", "adfc_epsilon", "adfc_ratio",
           "part_l1", "part_l2", "largest_move", "worst_pair", "Moments", "release_moments", "moments_l2", "denoised_gram", "gram_noise",
           "free_gram_weight", "group_vertices", "in_domain", "shorten_rows", "FunctionalClassifier",
           "LittleLeftWarning", "NoiseOnlyWarning"]
