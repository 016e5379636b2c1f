"""What each part of asking well gains, and what gained nothing: its stages put together in other ways, on drawn populations."""
from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from dpfair_teach.experiments import GAMMAS_PROTOCOL
from dpfair_teach.experiments.tradeoff import Draws
from dpfair_teach.oneshot import (
    DEFAULTS,
    DESIGNED,
    Public,
    ask_part,
    bayes_mixtures,
    believe,
    design_question,
    fair_candidates,
    price_grid,
    public_cells,
    split_epsilon,
)
from dpfair_teach.oneshot.basis import BothBases, RegressionBasis
from dpfair_teach.oneshot.belief import Asked, Belief
from dpfair_teach.oneshot.candidates import multiplier_grid
from dpfair_teach.oneshot.chosen import published_of
from dpfair_teach.oneshot.decided import Decisions
from dpfair_teach.oneshot.run import candidate_rows
from dpfair_teach.oneshot.thresholds import Candidates

from .ask_once import draws_of, draws_on, oneshot_draws, quality_of
from .ask_well import over_populations
from .left_panel import LAST_GROUPS, LEFT_GROUPS
from .populations import POPULATIONS

Rows = list[dict]
#: What was learned: belief, candidates and mixtures.
Learned = tuple[Belief, Candidates, np.ndarray]
#: The prior of everybody's logit, of which the answers may choose: times both variances, and what labels share of them.
PRIORS = [{"linear": DESIGNED.linear * times, "smooth": DESIGNED.smooth * times, "shared": shared}
          for times, shared in product((0.3, 1.0, 3.0), (0.5, 0.9))]


class OraclesToo(Candidates):
    """Beside the fair Bayes thresholds what the paper's regression oracle answers to a grid of prices, by the believed groups."""

    def __init__(self, public: Public, belief: Belief, also: Candidates | None = None, path: np.ndarray | None = None) -> None:
        super().__init__(public, belief, also, path)
        believed = np.zeros((public.m, belief.k))
        for r, people in enumerate(public.people):
            believed[people] = belief.all_groups(belief.means(r), np.ones((len(people), 1)))
        oracle = RegressionBasis(public, believed)
        rows = block_diag(candidate_rows(multiplier_grid(belief.k, notion=public.parity))[:-2], self.decisions.multipliers)
        self.basis = BothBases(oracle, self.basis)
        self.decisions = Decisions(np.column_stack([oracle.of_people(public), self.decisions.scores]), rows)
        self.of_crowd = [self.decisions.of_people(i[at]) for i, at in zip(public.people, belief.crowd.sample, strict=True)]
        self.error, _ = self.decisions.counted(public.y)


def decided(belief: Belief, before: Learned | None = None, by_estimate: bool = False, oracles: bool = False) -> tuple[Learned, np.ndarray]:
    """Candidates, mixtures by a belief, and their prices; ``by_estimate`` believes the mean gaps as if they were true."""
    make = OraclesToo if oracles else fair_candidates
    found = make(belief.public, belief, *(before[1:] if before else ()))
    gaps = found.gaps(seed=int(before is not None))
    if by_estimate:
        gaps = gaps.mean(axis=0, keepdims=True)
    prices = price_grid(found.error, gaps)
    return (belief, found, bayes_mixtures(found.error, gaps, prices)), prices


def log_evidence(belief: Belief) -> float:
    """How likely the answers are under the prior, up to a constant: the normal law about the likeliest coefficients."""
    told = np.concatenate([np.einsum("tjd,dj->t", slopes, w) for slopes, w in zip(belief.slopes, belief.weights, strict=True)])
    return float(-0.5 * (belief.answers - belief.expected + told) @ belief.pull - np.log(np.diag(belief.root[0])).sum())


def asked_in(public: Public, A: np.ndarray, epsilon: float, rng: np.random.Generator, *, share: float | None = None, more: int = 1,
             learn_prior: bool = False, by_estimate: bool = False, oracles: bool = False) -> Learned:
    """``ask_well`` with ``more`` designed questions one after the other, a prior chosen by the first answers, estimates believed, or more
    candidates."""
    parts, asked = split_epsilon(public, epsilon, 2, share), list[Asked]()
    for part in parts:
        asked.append(ask_part(public_cells(public, part), A, part, part.first, rng))
    if learn_prior:
        public = max((public.under(dataclasses.replace(DESIGNED, **prior)) for prior in PRIORS),
                     key=lambda other: log_evidence(believe(other, asked)))
    learned, prices = decided(believe(public, asked), None, by_estimate, oracles)
    for _ in range(more):
        for part in parts:
            question = design_question(*learned, prices, part.rate, part.second / more)
            asked.append(ask_part(question, A, part, part.second / more, rng))
        learned, prices = decided(believe(public, asked), learned, by_estimate, oracles)
    return learned


def of_constants(**changed: float) -> dict[str, object]:
    return {"settings": dataclasses.replace(DESIGNED, **changed)}


#: Variants: constants, and how to ask.
VARIANTS: dict[str, dict[str, object]] = {
    "as it is": {}, "estimates believed": {"by_estimate": True}, "labels apart": of_constants(shared=0.0),
    "no designed question": {"share": 1.0, "more": 0}, "two designed questions": {"more": 2}, "three": {"more": 3},
    "prior learnt": {"learn_prior": True}, "the oracle's candidates too": {"oracles": True},
    "shares as in the trial": of_constants(share=0.55, slope=1.25),
}
PARTS = [{"variant": variant, "epsilon": epsilon} for epsilon, variant in product((0.5, 1.0), ("histogram", *VARIANTS))]


def parts(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q over drawn populations of one variant, or of the learner's default."""
    each, how = max(2, repeats // POPULATIONS), dict(VARIANTS.get(setting["variant"], {}))
    settings = how.pop("settings", DESIGNED)

    def draw(X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> Draws:
        if setting["variant"] == "histogram":
            return draws_on(Public(X, Y, DEFAULTS, oracle="bayes"), A, None, setting["epsilon"], each, rng, n_groups=2, method="histogram")
        public = Public(X, Y, settings, oracle="bayes")

        return draws_in(public, A, None, setting["epsilon"], each, rng, **how)
    return over_populations(draw)


def draws_in(public: Public, A: np.ndarray, judge: tuple[np.ndarray, np.ndarray, np.ndarray] | None, epsilon: float, repeats: int,
             rng: np.random.Generator, **how: Any) -> Draws:
    """:func:`draws_of` what is asked in another way."""

    def learned() -> tuple:
        belief, found, path = asked_in(public, A, epsilon, rng, **how)
        basis, frontier, _ = published_of(belief, found, path, GAMMAS_PROTOCOL)
        return basis, frontier, Decisions(basis.of_people(belief.public), frontier.multipliers)
    return draws_of(learned, A, public.y, judge, repeats, n_groups=2)


#: On Communities, with the oracle's candidates beside the others: in-sample and held out.
MORE_CANDIDATES = [{"group": group, "label": "p70", "evaluated": evaluated, "method": "designed", "epsilon": 1.0}
                   for evaluated, groups in (("in_sample", [*LEFT_GROUPS, *LAST_GROUPS]), ("held_out", list(LEFT_GROUPS)))
                   for group in groups]


def more_candidates(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Q with its interval, and by the second reference."""

    def on(public: Public, A: np.ndarray, judge: tuple | None, epsilon: float, rounds: int, rng: np.random.Generator, **_: object) -> Draws:
        return draws_in(public, A, judge, epsilon, rounds, rng, oracles=True)
    q = quality_of(oneshot_draws(setting, repeats, rng, on), setting, rng)
    return [{name: q[name] for name in ("q", "q_low", "q_high", "q_thresholds")}]
