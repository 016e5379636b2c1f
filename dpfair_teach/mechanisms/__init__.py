"""Noise, its exact law, and the records of what was drawn: Laplace, two-sided geometric, Gaussian, exponential, randomized response.

``sensitivity`` and ``epsilon`` must be public: a sensitivity read off the private data makes the *scale* of the noise private, and Laplace
noise of another scale on a neighbour has no finite epsilon. What a fit publishes goes through :class:`Measurement`, which draws exact or on
a grid that the scale fixes, and leaves the record. The functions that carry a mechanism's name draw in doubles, for study (gap J37).
"""
from .directions import release_directions, whole_directions
from .exact import exact_geometric
from .exponential import exponential, exponential_by_gumbel, exponential_error_bound, exponential_probabilities
from .gaussian import gaussian, gaussian_delta, gaussian_sigma, gaussian_sigma_textbook
from .geometric import geometric, geometric_law
from .laplace import laplace, laplace_error_bound, laplace_error_quantile, laplace_law
from .measurement import Measurement, release, release_cells
from .measurement import cell_sensitivity as cell_sensitivity
from .records import RELATIONS as RELATIONS
from .records import UNIT_A as UNIT_A
from .records import UNIT_TUPLE as UNIT_TUPLE
from .records import Release as Release
from .registry import MECHANISMS as MECHANISMS
from .registry import Name as Name
from .registry import mechanism_of as mechanism_of
from .response import debias_counts, debias_variance, debiased_groups, likely_counts, randomized_response, randomized_response_matrix

__all__ = [
    "Measurement", "release",
    "laplace", "laplace_law", "laplace_error_bound", "laplace_error_quantile",
    "geometric", "geometric_law", "exact_geometric",
    "gaussian", "gaussian_delta", "gaussian_sigma", "gaussian_sigma_textbook",
    "exponential", "exponential_by_gumbel", "exponential_probabilities", "exponential_error_bound",
    "release_cells", "release_directions", "whole_directions",
    "randomized_response", "randomized_response_matrix", "debias_counts", "debias_variance", "debiased_groups", "likely_counts",
]
