"""Fair learning as a zero-sum game between a learner and an auditor: the game, its value, who plays it and what the play promises.

The game: ``game``, of one data set and one class, ``table`` the counts that it is made of, ``programs`` its exact solutions by linear
programs. ``auditor`` is the rule Hedge and what it regrets.

Who plays: ``algorithms``, Algorithms 3 and 5 on one screen each, over ``players``, the two private ones, and ``play``, what comes out.
``setting`` has the numbers that private plays and their bounds are about, ``budget`` how many rounds are afforded, what each may cost and
what noise in doubles gives away, ``sensitivity`` how far one person moves the players. ``learner`` has the scikit-learn estimators.

What it promises: ``regret`` how far a round may be off and what the players regret, ``guarantees`` the theorems, and what noisy cell sizes
cost. ``aware`` what changes when a classifier may see the group, and how these make a mixture fair.

With the regression oracle of the experiments: ``regression`` Algorithm 3, ``regression_private`` Algorithm 5, repaired.
"""
from .algorithms import (
    algorithm_3,
    algorithm_5,
    algorithm_5_as_printed,
    dp_oracle_learner,
    dp_oracle_learner_as_printed,
    exponentiated_gradient,
    start_play,
)
from .auditor import AgarwalTheorem1 as AgarwalTheorem1
from .auditor import agarwal_theorem_1, hedge, hedge_regret
from .aware import (
    aware_predictions,
    aware_sensitivities,
    fair_mixture,
    fair_mixture_as_printed,
    group_indicators,
    least_bound,
    theorem_3_8,
)
from .budget import Schedule as Schedule
from .budget import largest_step, printed_noise_delta, printed_noise_epsilon, schedule
from .game import FairnessGame
from .guarantees import EquilibriumBound as EquilibriumBound
from .guarantees import Guarantee as Guarantee
from .guarantees import PopulationBound as PopulationBound
from .guarantees import (
    best_setting,
    fairness_bound_with_constants,
    frozen_bound,
    frozen_tau,
    lemma_b_1,
    lemma_b_2,
    population_bound,
    theorem_3_5,
    theorem_3_6,
    theorem_3_7,
)
from .learner import DPOracleLearner, DPRegressionLearner
from .play import Play as Play
from .play import PrivatePlay as PrivatePlay
from .play import evaluate, gradient_seen
from .players import FrozenPlayers, PromisePlayers
from .programs import Equilibrium as Equilibrium
from .programs import FairERM as FairERM
from .regression import RegressionPlay as RegressionPlay
from .regression import regression_exponentiated_gradient
from .regression_private import PrivateRegressionPlay as PrivateRegressionPlay
from .regression_private import regression_dp_oracle_learner
from .regret import RoundAccuracy as RoundAccuracy
from .regret import lemma_3_2, lemma_3_3, lemma_3_4
from .sensitivity import NeighbourChanges as NeighbourChanges
from .sensitivity import Sensitivities as Sensitivities
from .sensitivity import lemma_3_1, neighbour_changes, subroutine_4_epsilon
from .setting import Setting

__all__ = [
    "FairnessGame", "DPOracleLearner", "DPRegressionLearner",
    "hedge", "hedge_regret", "agarwal_theorem_1",
    "algorithm_3", "algorithm_5", "algorithm_5_as_printed", "FrozenPlayers", "PromisePlayers", "start_play",
    "exponentiated_gradient", "regression_exponentiated_gradient", "regression_dp_oracle_learner",
    "lemma_b_1", "lemma_b_2", "fairness_bound_with_constants", "population_bound",
    "Setting", "schedule", "largest_step", "printed_noise_delta", "printed_noise_epsilon",
    "dp_oracle_learner", "dp_oracle_learner_as_printed", "evaluate", "gradient_seen",
    "lemma_3_1", "neighbour_changes", "subroutine_4_epsilon",
    "lemma_3_2", "lemma_3_3", "lemma_3_4", "theorem_3_5", "theorem_3_6", "theorem_3_7", "best_setting",
    "frozen_tau", "frozen_bound",
    "group_indicators", "aware_predictions", "aware_sensitivities", "least_bound", "theorem_3_8",
    "fair_mixture", "fair_mixture_as_printed",
]
