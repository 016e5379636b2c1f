"""Fair learning as a zero-sum game between a learner and an auditor: the game, its value, who plays it and what the play promises.

``game`` is the game of one data set and one class; ``programs`` its exact solutions by linear programs; ``hedge`` the auditor's
rule and what it regrets; ``play`` Algorithm 3, round by round; ``bounds`` what an approximate equilibrium promises; ``schedule`` how many
rounds the private version affords.
"""
from .bounds import PopulationBound as PopulationBound
from .bounds import fairness_bound_with_constants, lemma_b_1, lemma_b_2, population_bound
from .game import FairnessGame
from .hedge import AgarwalTheorem1 as AgarwalTheorem1
from .hedge import agarwal_theorem_1, hedge, hedge_rate, hedge_regret
from .play import Play as Play
from .play import exponentiated_gradient
from .programs import Equilibrium as Equilibrium
from .programs import FairERM as FairERM
from .schedule import Schedule as Schedule
from .schedule import schedule

__all__ = [
    "FairnessGame",
    "hedge", "hedge_rate", "hedge_regret", "agarwal_theorem_1",
    "exponentiated_gradient",
    "lemma_b_1", "lemma_b_2", "fairness_bound_with_constants", "population_bound",
    "schedule",
]
