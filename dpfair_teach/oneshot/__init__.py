"""Ask in private who is in which group, once or twice and well; then a whole fair frontier by post-processing.

``algorithm`` is all of it on one screen, and its steps are files: ``public_data`` is what X and y say before anybody is asked, a map of the
people, cells on it, the chance of label 1; ``questions`` asks; ``posterior`` is what the answers say of everybody's group; ``candidates``
are fair Bayes ``thresholds`` by it; ``decide`` mixes them over draws of what could be true; ``design`` makes the second question for these
mixtures. ``posterior_frontier`` is what is published, ``learner`` all of it as an estimator, ``one_label`` posterior and question in a few
lines. Only ``ask_part`` hands A to a release; ``learner`` checks that it holds codes.
"""
from .algorithm import ask_well
from .answer import Answer as Answer
from .candidates import fair_candidates
from .decide import bayes_mixtures, price_grid
from .design import design_question
from .learner import FrontierLearner, NothingToAskWarning
from .one_label import GapQuestion as GapQuestion
from .one_label import gap_question, logit_posterior, winners_curse_bound
from .posterior import GroupPosterior as GroupPosterior
from .posterior import fit_group_posterior
from .posterior_frontier import Frontier as Frontier
from .public_data import PublicData as PublicData
from .public_data import public_data
from .questions import ask_part, public_cells, split_epsilon
from .settings import SETTINGS as SETTINGS
from .thresholds import bayes_scores, multiplier_grid

__all__ = [
    "FrontierLearner", "NothingToAskWarning", "public_data",
    "ask_part", "ask_well", "bayes_mixtures", "bayes_scores", "design_question", "fair_candidates", "fit_group_posterior",
    "multiplier_grid", "price_grid", "public_cells", "split_epsilon", "gap_question", "logit_posterior", "winners_curse_bound",
]
