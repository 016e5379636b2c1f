"""Post-processing for equalized odds, in the open and in private: the linear programs, their closed form, the noise, the bounds.

``lp`` is the program as the paper writes it; ``many`` many of them in one call; ``closed_form`` the same answers without a solver;
``solve`` chooses between them; ``bins`` turns a public score into more predictions than two; ``knorm`` draws noise that keeps public sums,
``knorm_exact`` without floating point; ``noise`` what a private algorithm publishes; ``slacks`` what it adds to gamma, and the rule for
unusable cells; ``algorithms`` is each private algorithm on one screen; ``bounds`` what is proved about it; ``estimator`` all of it as a
scikit-learn class.
"""
from ._program import Solution as Solution
from ._program import dual_value
from .algorithms import dp_postprocessing, public_margin_postprocessing, score_bin_postprocessing
from .bins import optimal_cuts, score_bins, suggested_bins
from .bounds import LemmaA1 as LemmaA1
from .bounds import Theorem22 as Theorem22
from .bounds import count_sensitivity, largest_change, lemma_a1, theorem_2_2
from .closed_form import closed_form
from .estimator import DPPostProcessing
from .knorm import k_norm_counts, k_norm_probability, k_norm_variance
from .lp import acceptance_probability, derived_counts, printed_tp_row, solve_lp
from .many import solve_many
from .noise import clip_counts, noisy_counts, public_margin_counts
from .slacks import bins_slack, lift_unusable, main_text_slack, margin_slack, paper_slack
from .solve import solve

__all__ = [
    "dp_postprocessing", "public_margin_postprocessing", "score_bin_postprocessing",
    "solve_lp", "solve_many", "closed_form", "solve", "dual_value", "derived_counts", "acceptance_probability", "printed_tp_row",
    "score_bins", "optimal_cuts", "suggested_bins",
    "noisy_counts", "public_margin_counts", "k_norm_counts", "k_norm_probability", "k_norm_variance",
    "lift_unusable", "clip_counts", "paper_slack", "main_text_slack", "margin_slack", "bins_slack",
    "count_sensitivity", "largest_change", "lemma_a1", "theorem_2_2",
    "DPPostProcessing",
]
