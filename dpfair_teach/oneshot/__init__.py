"""Ask once, in private, who is in which group: one question and an audit; then a whole fair frontier by post-processing.

``algorithm`` is all of it on one screen. ``releases`` are the questions, with their sensitivities, and ``directions`` one in which
everybody has a weight; ``posterior`` turns the answers into
everybody's expected group, with a covariance that ``smoothing`` may choose by them; ``candidates`` are the classifiers that the paper's
regression oracle, or fair Bayes thresholding, makes of these; ``frontier`` mixes them for every gamma; ``run`` is all of it for every
option and any number of people, and ``learner`` that as an estimator. There only ``asked`` hands A to a release; ``learner`` checks that it
holds codes, and ``_public`` and ``known`` never see it.

``designed`` is the way that asks well, on one screen: ``directions`` are its second question, ``crowd`` the people that ``belief`` is
about, ``thresholds`` the candidates, ``decide`` chooses mixtures over draws, ``design`` makes the question, ``chosen`` is what is
published; ``one_label`` has belief and question in a few lines. There ``ask_part`` alone reads A.

``soft_learner`` is another way, for every notion, (epsilon, delta): one Gaussian answer and no audit; ``soft_algorithm`` has it on one
screen. ``soft_groups`` asks, and makes a model of the groups of it; ``soft_frontier`` mixes thresholds by column generation.
"""
from ._public import Public as Public
from .algorithm import ask_once
from .belief import Asked as Asked
from .belief import Belief as Belief
from .belief import believe
from .candidates import bayes_scores, expected_gaps, group_costs, multiplier_grid, regression_scores
from .decide import bayes_mixtures
from .design import design_question
from .designed import ask_part, ask_well, price_grid, public_cells, split_epsilon
from .directions import release_directions, whole_directions
from .frontier import Mixtures as Mixtures
from .frontier import best_mixtures, best_mixtures_lp
from .guess import guess_groups, public_part
from .learner import FrontierLearner, NothingToAskWarning
from .one_label import GapQuestion as GapQuestion
from .one_label import curse_bound, gap_question, logit_posterior
from .posterior import expected_groups, joint_cells
from .price import audit_price, gap_weights
from .published import Frontier as Frontier
from .releases import debiased_groups, group_sums, l2_noise, release_sums, sums_sensitivity
from .run import learn as learn
from .settings import DEFAULTS as DEFAULTS
from .settings import DESIGNED as DESIGNED
from .settings import suggested_cells
from .smoothing import answers_log_likelihood
from .soft_algorithm import ask_softly, of_own_label
from .soft_frontier import response_error, threshold_scores
from .soft_groups import group_contrasts, release_contrasts, soft_groups
from .soft_learner import SoftGroupLearner
from .thresholds import fair_candidates

__all__ = [
    "FrontierLearner", "NothingToAskWarning", "ask_once", "guess_groups", "public_part",
    "debiased_groups", "group_sums", "l2_noise", "release_sums", "sums_sensitivity",
    "answers_log_likelihood", "expected_groups", "joint_cells", "suggested_cells",
    "bayes_scores", "expected_gaps", "group_costs", "multiplier_grid", "regression_scores",
    "ask_part", "ask_well", "bayes_mixtures", "believe", "design_question", "fair_candidates", "public_cells", "release_directions",
    "price_grid", "split_epsilon", "whole_directions", "curse_bound", "gap_question", "logit_posterior",
    "audit_price", "best_mixtures", "best_mixtures_lp", "gap_weights",
    "SoftGroupLearner", "ask_softly", "of_own_label", "group_contrasts", "release_contrasts", "response_error",
    "soft_groups", "threshold_scores",
]
