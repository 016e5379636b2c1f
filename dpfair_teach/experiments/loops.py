"""The left panel by rounds: the learner of the experiments as it was run, and the best repaired loop with the regression oracle."""
from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from .. import games
from ..oneshot import best_mixtures
from ..oracles import RegressionOracle
from .ask_once import drawn_population
from .grids import BETA, DELTA, GAMMAS_FIGURE1, GAMMAS_PROTOCOL
from .left import LEFT_GROUPS, left_people, left_reference, reference_of
from .pareto import pareto_quality, quality_interval
from .tradeoff import Draws

__all__ = ["LITERAL_ROUNDS", "REPAIRED_LOOPS"]

Rows = list[dict]

#: T is cut there: the formula asks for 10^6 rounds and more where the noise becomes small.
LITERAL_ROUNDS: int = 1000
_PRICES = {"1/gamma": lambda gammas: 1 / gammas, "1": np.ones_like, "5": lambda gammas: np.full_like(gammas, 5.0)}


@lru_cache(maxsize=8)
def _oracle(group: str) -> RegressionOracle:
    people = left_people(group)
    return RegressionOracle(people.X, people.Y)


def _quality(violation: np.ndarray, error: np.ndarray, group: str, rng: np.random.Generator) -> dict[str, float]:
    q, low, high = quality_interval(violation, error, *left_reference(group), rng)
    return {"q": q, "q_low": low, "q_high": high}


def literal(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting: one row a gamma of Figure 1, with the rounds and scales it ran with; its Q stands in each."""
    people = left_people(setting["group"])
    gammas = np.array(GAMMAS_FIGURE1)
    play = games.section_5_learner(_oracle(setting["group"]), people.A, gammas, setting["epsilon"], DELTA, rng, beta=BETA,
                                   B=_PRICES[setting["B"]](gammas), step=setting["step"], noise=setting["noise"],
                                   most_rounds=LITERAL_ROUNDS, size=repeats)
    rows = Draws(play.error, play.violation, np.ones(repeats, dtype=bool), tuple(gammas.tolist())).rows(rng)
    q = _quality(play.violation, play.error, setting["group"], rng)
    run = {name: getattr(play, name) for name in ("rounds_real", "rounds", "epsilon_step", "learner_scale", "auditor_scale")}
    return [row | q | {name: float(values[g]) for name, values in run.items()} for g, row in enumerate(rows)]


_PANEL = (100.0, 150.0, 200.0)
#: As claimed, up to where the curve is that of no noise; with the noise misplaced, at the epsilons of the published panel.
_LITERAL_EPSILONS = {"scale": (*_PANEL, 1e3, 1e5, 1e6, 1e7, 1e8), "location": _PANEL}
LITERAL = [{"group": "paper", "noise": noise, "step": step, "B": B, "epsilon": epsilon}
           for noise, step, B in product(_LITERAL_EPSILONS, ("code", "supplement"), _PRICES) for epsilon in _LITERAL_EPSILONS[noise]]


# --------------------------------------------------------------------------------------------------------------- repaired

#: What was tried for the repaired loop, around a start, on drawn populations: ``B`` at most, ``eta`` as a multiple of the sharp rate.
LOOP_START: dict[str, float] = {"rounds": 10, "learner_share": 0.9, "share": 0.05, "ridge": 100.0, "B": 20.0, "eta": 1.0}
LOOPS_TRIED: dict[str, dict[str, float]] = {
    "start": {}, "T 5": {"rounds": 5}, "T 20": {"rounds": 20}, "T 40": {"rounds": 40},
    "no ridge": {"ridge": 0.0}, "ridge 300": {"ridge": 300.0},
    "learner .8": {"learner_share": 0.8}, "B 5": {"B": 5.0}, "no ridge, T 40": {"ridge": 0.0, "rounds": 40},
    "B 2": {"B": 2.0, "eta": 2.0}, "B 1": {"B": 1.0, "eta": 4.0}, "B 1, T 20": {"B": 1.0, "eta": 4.0, "rounds": 20},
    "B 1, no ridge": {"B": 1.0, "eta": 4.0, "ridge": 0.0}, "B 1, no ridge, T 40": {"B": 1.0, "eta": 4.0, "ridge": 0.0, "rounds": 40},
}
LOOP_MIXES = ("mean", "lp")
LOOP_POPULATIONS = 12
LOOP_EPSILONS = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
LOOP_TUNING = [{"mix": mix, "variant": variant, "epsilon": epsilon}
               for mix, variant, epsilon in product(LOOP_MIXES, LOOPS_TRIED, LOOP_EPSILONS)]
#: For each mix and epsilon the variant with the best mean Q over the drawn populations, ``left_repaired_tuning``.
REPAIRED_LOOPS: dict[str, dict[float, str]] = {
    "mean": {2.0: "T 5", 5.0: "B 1", 10.0: "B 5", 20.0: "T 40", 50.0: "T 40", 100.0: "no ridge, T 40", 200.0: "no ridge, T 40"},
    "lp": {2.0: "B 1", 5.0: "B 1", 10.0: "B 1", 20.0: "B 1, no ridge", 50.0: "B 1, no ridge, T 40", 100.0: "B 1, no ridge, T 40",
           200.0: "B 1, no ridge, T 40"},
}
REPAIRED = [{"group": group, "mix": mix, "epsilon": epsilon}
            for group, mix, epsilon in product(LEFT_GROUPS, LOOP_MIXES, LOOP_EPSILONS)]


def loop_draws(oracle: RegressionOracle, A: np.ndarray, mix: str, epsilon: float, repeats: int, rng: np.random.Generator, *, rounds: int,
               B: float, eta: float, **how: float) -> Draws:
    """One run for each gamma and repeat. "mean": the average of the rounds. "lp": the best mixture of the rounds whose gaps were measured,
    and a constant, by the noisy gaps: post-processing, since errors are public."""
    gammas = np.array(GAMMAS_PROTOCOL)
    prices, step = np.minimum(1 / np.maximum(gammas, 1e-9), B), eta * games.hedge_rate(4, int(rounds))
    play = games.regression_dp_oracle_learner(oracle, A, gammas, epsilon, DELTA, rng, n_groups=2, B=prices, rounds=int(rounds), eta=step,
                                              size=repeats, **how)
    error, violation = np.array(play.error), np.array(play.violation)
    if mix == "lp":
        share, flat = float(oracle.Y.mean()), np.zeros((1, 2))
        errors, gaps = play.errors[:-1], play.gaps[:-1]
        for r, g in np.ndindex(error.shape):
            loss = np.append(errors[:, r, g], min(share, 1 - share))
            weights = best_mixtures(loss, np.vstack([play.gaps_seen[:, r, g], flat]), gammas[g:g + 1]).weights[0]
            error[r, g], violation[r, g] = weights @ loss, np.abs(weights @ np.vstack([gaps[:, r, g], flat])).max()
    return Draws(error, violation, np.ones(repeats, dtype=bool), GAMMAS_PROTOCOL)


def repaired(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """The curve of a setting, one row a gamma; its Q stands in each."""
    how = LOOP_START | LOOPS_TRIED[REPAIRED_LOOPS[setting["mix"]][setting["epsilon"]]]
    draws = loop_draws(_oracle(setting["group"]), left_people(setting["group"]).A, setting["mix"], setting["epsilon"], repeats, rng, **how)
    q = _quality(draws.violation, draws.error, setting["group"], rng)
    return [row | q for row in draws.rows(rng)]


def loop_tuned(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q of a variant over drawn populations, the same for all variants."""
    how, qualities = LOOP_START | LOOPS_TRIED[setting["variant"]], []
    for seed in range(LOOP_POPULATIONS):
        oracle, A, reference = _population(seed)
        draws = loop_draws(oracle, A, setting["mix"], setting["epsilon"], max(2, repeats // LOOP_POPULATIONS), rng, **how)
        qualities.append(pareto_quality(draws.means(), reference[:-2], reference[-2:]))
    return [{"q": float(np.mean(qualities)), "q_lowest": float(np.min(qualities)), "populations": LOOP_POPULATIONS}]


@lru_cache(maxsize=LOOP_POPULATIONS)
def _population(seed: int) -> tuple[RegressionOracle, np.ndarray, np.ndarray]:
    X, A, Y = drawn_population(2000, np.random.default_rng(np.random.SeedSequence(seed)))
    everybody = np.arange(len(Y))
    return RegressionOracle(X, Y), A, reference_of(X, A, Y, everybody, everybody)
