"""Ask in private who is in which group, twice and well; then a whole fair frontier by post-processing.

``designed`` is all of it on one screen. ``_public`` is what X and y say before anybody is asked: a map of the people, cells on it, the
chance of label 1. ``belief`` is what the answers say of everybody's group, and ``crowd`` the people that it is about; ``thresholds`` are
the candidates, fair Bayes thresholds by ``candidates``; ``decide`` chooses mixtures of them over draws of what could be true; ``design``
makes the second question for these; ``chosen`` is what is published, and ``learner`` all of it as an estimator. ``one_label`` has belief
and question in a few lines. Only ``ask_part`` hands A to a release; ``learner`` checks that it holds codes.

``soft_learner`` is another way, for every notion, (epsilon, delta): one Gaussian answer and no second question; ``soft_algorithm`` has it
on one screen. ``soft_groups`` asks, and makes a model of the groups of it; ``soft_frontier`` mixes thresholds by column generation.
"""
from ._public import Public as Public
from ._public import public_part
from .belief import Asked as Asked
from .belief import Belief as Belief
from .belief import believe
from .candidates import bayes_scores, multiplier_grid
from .chosen import Frontier as Frontier
from .decide import bayes_mixtures
from .design import design_question
from .designed import ask_part, ask_well, price_grid, public_cells, split_epsilon
from .learner import FrontierLearner, NothingToAskWarning
from .one_label import GapQuestion as GapQuestion
from .one_label import curse_bound, gap_question, logit_posterior
from .settings import DESIGNED as DESIGNED
from .soft_algorithm import ask_softly, of_own_label
from .soft_frontier import response_error, threshold_scores
from .soft_groups import group_contrasts, release_contrasts, soft_groups
from .soft_learner import SoftGroupLearner
from .thresholds import fair_candidates

__all__ = [
    "FrontierLearner", "NothingToAskWarning", "public_part",
    "ask_part", "ask_well", "bayes_mixtures", "bayes_scores", "believe", "design_question", "fair_candidates", "multiplier_grid",
    "price_grid", "public_cells", "split_epsilon", "curse_bound", "gap_question", "logit_posterior",
    "SoftGroupLearner", "ask_softly", "of_own_label", "group_contrasts", "release_contrasts", "response_error",
    "soft_groups", "threshold_scores",
]
