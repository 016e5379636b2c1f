"""Post-processing for equalized odds, in the open and in private: the linear programs, their closed form, the noise, the bounds.

``lp`` is the program as the paper writes it, and what its solution does to people, ``highs`` its solver; ``closed_form`` the same answers
without a solver, and ``solve``, which chooses; ``bins`` turns a public score into more predictions than two; ``noisy_tables`` is what a
private algorithm publishes; ``slacks`` what it adds to gamma, and the rule for unusable cells; ``algorithms`` each private algorithm on
one screen, and what is proved about it; ``learner`` all of it as a scikit-learn class, ``curve`` what its release says of it.
"""
from ..mechanisms.k_norm import k_norm_probability, k_norm_variance
from .algorithms import LemmaA1 as LemmaA1
from .algorithms import Theorem22 as Theorem22
from .algorithms import dp_postprocessing, largest_change, lemma_a1, public_margin_postprocessing, score_bin_postprocessing, theorem_2_2
from .bins import optimal_cuts, score_bins, suggested_bins
from .closed_form import closed_form, solve
from .learner import DPPostProcessing
from .lp import Solution as Solution
from .lp import derived_counts, dual_value, solve_lp
from .noisy_tables import k_norm_counts, noisy_counts, public_margin_counts
from .slacks import bins_slack, lift_unusable, main_text_slack, margin_slack, paper_slack

__all__ = [
    "dp_postprocessing", "public_margin_postprocessing", "score_bin_postprocessing",
    "solve_lp", "closed_form", "solve", "dual_value", "derived_counts",
    "score_bins", "optimal_cuts", "suggested_bins",
    "noisy_counts", "public_margin_counts", "k_norm_counts", "k_norm_probability", "k_norm_variance",
    "lift_unusable", "paper_slack", "main_text_slack", "margin_slack", "bins_slack",
    "largest_change", "lemma_a1", "theorem_2_2",
    "DPPostProcessing",
]
