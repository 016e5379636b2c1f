"""Noise: Laplace, two-sided geometric, Gaussian, the exponential mechanism and randomized response.

Each mechanism is one function that draws (``rng`` is given, ``size`` adds leading axes of repeats) and, beside it, its
exact law, so that a claim about privacy or accuracy can be checked without sampling. ``sensitivity`` and ``epsilon``
must be public: a sensitivity read off the private data makes the *scale* of the noise private, and Laplace noise of different scale on
two neighbouring data sets has no finite epsilon.

Floating point. The guarantees are those of the real-number mechanisms. A Laplace or Gaussian number computed in double
precision is **not** exactly differentially private: which doubles can come out depends on the value being
protected, and the low bits can give it away (Mironov, "On significance of the least significant bits for differential
privacy", CCS 2012). For counts use :func:`geometric`, whose output is a whole number; for deployment use a library with exact
integer sampling. For errors and rates the difference is far below what any experiment sees; for privacy it is not: see gap J37 of the
book, and the notes of :func:`geometric`.
"""
from .counts import cell_sensitivity, release_cells
from .exact import bernoulli_exp, exact_geometric
from .exponential import (
    exponential,
    exponential_by_gumbel,
    exponential_error_bound,
    exponential_probabilities,
    exponential_worst_error,
)
from .gaussian import gaussian, gaussian_delta, gaussian_law, gaussian_sigma, gaussian_sigma_textbook
from .geometric import geometric, geometric_law
from .laplace import laplace, laplace_error_bound, laplace_error_quantile, laplace_law
from .measurement import Measurement, release
from .records import RELATIONS as RELATIONS
from .records import UNIT_A as UNIT_A
from .records import UNIT_TUPLE as UNIT_TUPLE
from .records import Release as Release
from .registry import MECHANISMS as MECHANISMS
from .registry import Name as Name
from .registry import mechanism_of as mechanism_of
from .response import debias_counts, debias_variance, likely_counts, randomized_response, randomized_response_matrix

__all__ = [
    "Measurement", "release",
    "laplace", "laplace_law", "laplace_error_bound", "laplace_error_quantile",
    "geometric", "geometric_law", "exact_geometric", "bernoulli_exp",
    "gaussian", "gaussian_law", "gaussian_delta", "gaussian_sigma", "gaussian_sigma_textbook",
    "exponential", "exponential_by_gumbel", "exponential_probabilities", "exponential_error_bound", "exponential_worst_error",
    "cell_sensitivity", "release_cells",
    "randomized_response", "randomized_response_matrix", "debias_counts", "debias_variance", "likely_counts",
]
