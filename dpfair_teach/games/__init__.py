"""Fair learning as a zero-sum game between a learner and an auditor: the game, its value, who plays it and what the play promises.

``game`` is the game of one data set and one class; ``programs`` its exact solutions by linear programs; ``auditor`` the rule
Hedge and what it regrets; ``play`` Algorithm 3, round by round; ``bounds`` what an approximate equilibrium promises; ``rounds`` how many
the private version affords; ``aware`` what changes when a classifier may see the group.
"""
from .auditor import AgarwalTheorem1 as AgarwalTheorem1
from .auditor import agarwal_theorem_1, hedge, hedge_rate, hedge_regret
from .aware import AwareGuarantee as AwareGuarantee
from .aware import FairMixture as FairMixture
from .aware import aware_predictions, corollary_3_8_1, fair_mixture, group_indicators, least_bound, theorem_3_8
from .bounds import PopulationBound as PopulationBound
from .bounds import fairness_bound_with_constants, lemma_b_1, lemma_b_2, population_bound
from .game import FairnessGame
from .play import Play as Play
from .play import exponentiated_gradient
from .programs import Equilibrium as Equilibrium
from .programs import FairERM as FairERM
from .rounds import Schedule as Schedule
from .rounds import schedule

__all__ = [
    "FairnessGame",
    "hedge", "hedge_rate", "hedge_regret", "agarwal_theorem_1",
    "exponentiated_gradient",
    "lemma_b_1", "lemma_b_2", "fairness_bound_with_constants", "population_bound",
    "schedule",
    "group_indicators", "aware_predictions", "fair_mixture", "least_bound", "theorem_3_8", "corollary_3_8_1",
]
