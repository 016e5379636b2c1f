"""What each part of asking well gains, and what gained nothing: its stages put together in other ways, on drawn populations."""
from __future__ import annotations

import copy
import dataclasses
from itertools import product
from typing import Any

import numpy as np

from dpfair_teach.experiments import GAMMAS_PROTOCOL
from dpfair_teach.experiments.tradeoff import Draws
from dpfair_teach.oneshot import (
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
from dpfair_teach.oneshot.belief import Asked, Belief
from dpfair_teach.oneshot.chosen import published_of
from dpfair_teach.oneshot.decided import Decisions
from dpfair_teach.oneshot.settings import Designed
from dpfair_teach.oneshot.thresholds import Candidates

from .ask_once import draws_of
from .ask_well import over_populations
from .populations import POPULATIONS

Rows = list[dict]
#: What was learned: belief, candidates and mixtures.
Learned = tuple[Belief, Candidates, np.ndarray]
#: The prior of everybody's logit, of which the answers may choose: times both variances, and what labels share of them.
PRIORS = [{"linear": DESIGNED.linear * times, "smooth": DESIGNED.smooth * times, "shared": shared}
          for times, shared in product((0.3, 1.0, 3.0), (0.5, 0.9))]


def under(public: Public, settings: Designed) -> Public:
    """The same map, cells and label model with the length and variances of other settings."""
    other = copy.copy(public)
    other.settings, other.map = settings, copy.copy(public.map)
    other.map.settings = settings
    other.map = other.map.with_landmarks(public.map.landmarks)
    return other


def decided(belief: Belief, before: Learned | None = None, by_estimate: bool = False) -> tuple[Learned, np.ndarray]:
    """Candidates, mixtures by a belief, and their prices; ``by_estimate`` believes the mean gaps as if they were true."""
    found = fair_candidates(belief.public, belief, *(before[1:] if before else ()))
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
             learn_prior: bool = False, by_estimate: bool = False) -> Learned:
    """``ask_well`` with ``more`` designed questions one after the other, a prior chosen by the first answers, or estimates believed."""
    parts, asked = split_epsilon(public, epsilon, 2, share), list[Asked]()
    for part in parts:
        asked.append(ask_part(public_cells(public, part), A, part, part.first, rng))
    if learn_prior:
        public = max((under(public, dataclasses.replace(DESIGNED, **prior)) for prior in PRIORS),
                     key=lambda other: log_evidence(believe(other, asked)))
    learned, prices = decided(believe(public, asked), None, by_estimate)
    for _ in range(more):
        for part in parts:
            question = design_question(*learned, prices, part.rate, part.second / more)
            asked.append(ask_part(question, A, part, part.second / more, rng))
        learned, prices = decided(believe(public, asked), learned, by_estimate)
    return learned


def of_constants(**changed: float) -> dict[str, object]:
    return {"settings": dataclasses.replace(DESIGNED, **changed)}


#: Variants: constants, and how to ask.
VARIANTS: dict[str, dict[str, object]] = {
    "as it is": {}, "estimates believed": {"by_estimate": True}, "labels apart": of_constants(shared=0.0),
    "no designed question": {"share": 1.0, "more": 0}, "two designed questions": {"more": 2}, "three": {"more": 3},
    "prior learnt": {"learn_prior": True},
    "shares as in the trial": of_constants(share=0.55, slope=1.25),
}
PARTS = [{"variant": variant, "epsilon": epsilon} for epsilon, variant in product((0.5, 1.0), VARIANTS)]


def parts(setting: dict, repeats: int, rng: np.random.Generator) -> Rows:
    """Mean Q over drawn populations of one variant."""
    each, how = max(2, repeats // POPULATIONS), dict(VARIANTS[setting["variant"]])
    settings = how.pop("settings", DESIGNED)

    def draw(X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> Draws:
        return draws_in(Public(X, Y, settings), A, setting["epsilon"], each, rng, **how)
    return over_populations(draw)


def draws_in(public: Public, A: np.ndarray, epsilon: float, repeats: int, rng: np.random.Generator, **how: Any) -> Draws:
    """:func:`draws_of` what is asked in another way."""

    def learned() -> tuple:
        belief, found, path = asked_in(public, A, epsilon, rng, **how)
        basis, frontier, _ = published_of(belief, found, path, GAMMAS_PROTOCOL)
        return basis, frontier, Decisions(basis.of_people(belief.public), frontier.multipliers)
    return draws_of(learned, A, public.y, None, repeats, n_groups=2)
