"""PF-LD, repaired, against all its neighbours: what its noise covers moves no further than the records say, and nothing else moves at all.

Eight people and a logistic model. A training runs, and what its noise answers is written down. Then it runs for every neighbour, with the
same coins, and is given the same answers: so every later step is the same, unless something depends on A but through the noise. What
differs is the sums that the noise was added to: they are the sensitivities, by trying all.
"""
from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

from book.studies import tran_lagrangian
from book.studies.tran_lagrangian import pf_ld_in_directions
from dpfair_teach import lagrangian
from dpfair_teach.lagrangian import FairProblem, FairTerms, NoiseMultipliers, Plan, algorithm, problem
from dpfair_teach.mechanisms import UNIT_A, Measurement
from dpfair_teach.mechanisms.mechanism import rounded
from dpfair_teach.networks import SGD, Network
from faults import Mutant

M = 8
RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(M, 2)), np.arange(M) % 2
NOISE = NoiseMultipliers(.8, 1.5)
#: A clip that shortens everybody, so that the bound is met, and one that shortens some.
CLIPS = (1e-3, .2)
CASES = [(k, notion, clip, rank) for k, notion in ((2, "demographic_parity"), (2, "equalized_odds"), (3, "equalized_odds"),
                                                   (3, "accuracy_parity")) for clip in CLIPS for rank in (0, 2)]


class Seen(NamedTuple):
    """A training: what its noise was asked, how large it is, and all that came out."""

    values: list[np.ndarray]
    scales: list[float]
    answers: list[np.ndarray]
    out: bytes


def trained(A: np.ndarray, k: int, notion: str, clip: float, rank: int, told: list | None = None, *, missing: bool = True,
            coins: int = 1, sample: Any = None) -> Seen:
    values, scales, answers = [], [], []
    real = Measurement.invoke

    def asked(noise, value, rng, *, units):
        drawn = real(noise, value, rng, units=units)
        (record,) = noise.planned(1)
        values.append(np.array(value))
        scales.append(record.scale * units)
        answers.append(drawn if told is None else told[len(answers)])
        return answers[-1]

    it = FairProblem(Network(2, ()), X, A, Y, FairTerms(notion, k), missing=missing)
    plan = Plan(4, 3, optimizer=SGD(.5), dual_learning_rate=3.0, max_multiplier=2.0, max_grad_norm=clip, sampling_probability=.5)
    sizes = lagrangian.public_sizes(it, np.linspace(1, 2, k) / 3)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Measurement, "invoke", asked)
        if sample is not None:
            patched.setattr(algorithm if not rank else tran_lagrangian, "poisson_sample", sample)
        log: list = []
        if rank:
            out = pf_ld_in_directions(it, plan, sizes, NOISE, np.random.default_rng(coins), rank)
        else:
            out = lagrangian.pf_ld(it, plan, sizes, NOISE, np.random.default_rng(coins), lambda **seen: log.append(
                seen["violations"] if "violations" in seen else (seen["part"].loss(), seen["multipliers"].tolist())))
    return Seen(values, scales, answers, b"".join(array.tobytes() for array in out[:2]) + repr(log).encode())


def noise(multiplier: float = 1.0) -> Measurement:
    return Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=multiplier)


def start(k: int) -> np.ndarray:
    return np.arange(M) // 2 % k


def worlds(k: int, i: int, missing: bool) -> list[np.ndarray]:
    """Person i in each group, and last in none."""
    return [np.where(np.arange(M) == i, a, start(k)) for a in range(k + missing)]


def but(i: int) -> Any:
    """The same secret samples without person i."""
    return lambda m, q, rng: (sample := problem.poisson_sample(m, q, rng))[sample != i]


@pytest.mark.parametrize("k, notion, clip, rank", CASES)
def test_no_neighbour_moves_what_the_noise_covers_further_than_the_records_say(k, notion, clip, rank):
    first = trained(start(k), k, notion, clip, rank)
    plan_steps = [len(value.shape) == 1 for value in first.values]      # a primal step asks for a vector
    assert plan_steps.count(True) == 9 and plan_steps.count(False) == 3
    furthest = {True: 0.0, False: 0.0}
    for i in range(M):
        found = [trained(A, k, notion, clip, rank, first.answers) for A in worlds(k, i, missing=True)]
        absent = trained(start(k), k, notion, clip, rank, first.answers, sample=but(i))
        assert all(one.scales == first.scales and one.out == first.out for one in found), "something shows but through the noise"
        for step, primal in enumerate(plan_steps):
            without = (absent if primal else found[-1]).values[step]     # of violations: in no group
            alone = np.array([(one.values[step] - without).ravel() for one in found]) / first.scales[step]
            moved = np.linalg.norm(alone[:, None] - alone[None], axis=-1).max()
            furthest[primal] = max(furthest[primal], moved)
            if primal:      # what a person adds to the sum, in any group or none, is within half of what the record has as its sensitivity
                assert np.linalg.norm(alone, axis=-1).max() <= .5 / NOISE.primal * (1 + 1e-9)
            assert moved <= 1 / (NOISE.primal if primal else NOISE.dual) * (1 + 1e-9)
    assert furthest[False] == pytest.approx(1 / NOISE.dual, rel=.2)
    if clip == CLIPS[0] and not rank:
        assert furthest[True] == pytest.approx(1 / NOISE.primal), "the bound is met: no noise is wasted"


@pytest.mark.parametrize("k", [2, 3])
def test_where_everybody_is_in_a_group_the_noise_of_the_violations_may_keep_to_it(k):
    """Noise is projected there, and so are the sums: in the projected space one changed A moves them no further than the record says."""
    first = trained(start(k), k, "demographic_parity", .2, 0, missing=False)
    for i in range(M):
        found = [trained(A, k, "demographic_parity", .2, 0, first.answers, missing=False) for A in worlds(k, i, missing=False)]
        assert all(one.scales == first.scales and one.out == first.out for one in found)
        for step, value in enumerate(first.values):
            if value.ndim == 2:
                sums = np.array([one.values[step] for one in found])
                assert np.abs(sums.sum(axis=1)).max() < 1e-9
                moved = max(np.linalg.norm(a - b) for a in sums for b in sums)
                deviation = first.scales[step]
                if k == 2:          # one number: its noise, and how far it moves
                    moved, deviation = moved / np.sqrt(2), deviation / np.sqrt(2)
                assert moved / deviation <= 1 / NOISE.dual * (1 + 1e-9)


def test_the_secret_sample_shows_in_nothing_but_the_noisy_sums():
    """Other coins for the sample, and the same answers: nothing that is published differs."""
    first = trained(start(2), 2, "equalized_odds", .2, 0)
    for coins in range(5):
        others = np.random.default_rng(100 + coins)

        def sample(m, probability, rng, others=others):
            problem.poisson_sample(m, probability, rng)          # as many numbers are drawn
            return problem.poisson_sample(m, probability, others)
        assert trained(start(2), 2, "equalized_odds", .2, 0, first.answers, sample=sample).out == first.out


def looked_at(patched: pytest.MonkeyPatch) -> list[Any]:
    """Whom a training looks at from now on, with their groups or without."""
    looked: list[Any] = []
    for kind in (FairProblem, problem.PublicProblem):
        patched.setattr(kind, "of", lambda it, theta, people=slice(None), real=kind.of: looked.append(people) or real(it, theta, people))
    return looked


def test_the_secret_sample_is_drawn_apart_from_the_public_batch(monkeypatch):
    """The public batch holds a share q of the sample, and no more: Hoeffding, 1e-9 over 120 steps of 100 people."""
    looked = looked_at(monkeypatch)
    rng = np.random.default_rng(0)
    it = FairProblem(Network(1, ()), rng.normal(size=(400, 1)), np.arange(400) % 2, np.arange(400) // 2 % 2,
                     FairTerms("demographic_parity", 2))
    plan = Plan(31, 100, sampling_probability=.25)
    lagrangian.pf_ld(it, plan, np.full((2, 1), 200.0), NOISE, rng)
    secret = [(public, sample) for public, sample in itertools.pairwise(looked)
              if not isinstance(public, slice) and not isinstance(sample, slice) and (np.diff(sample) > 0).all()]
    assert len(secret) == 120
    together = np.mean([len(np.intersect1d(public, sample)) / len(public) for public, sample in secret])
    assert abs(together - .25) < np.sqrt(np.log(2e9) / 2 / 12_000)
    sizes = np.array([len(sample) for _, sample in secret])
    assert sizes.std() > 3, "a Poisson sample is not always of one size"


def contributions(centred: np.ndarray, clip: float, directions: Any = None) -> tuple[float, float]:
    """How far one of eight people moves the sum by any change of group, over the reach that its noise is made for; and what they add."""
    asked, k = [], len(centred)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Measurement, "invoke", lambda noise, value, rng, *, units: asked.append((np.array(value), units)) or value)
        for i, who in itertools.product(range(M), (np.arange(M), None)):
            for A in worlds(k, i, missing=False):
                it = FairProblem(Network(2, ()), X, A, Y, FairTerms("demographic_parity", k))
                sample = np.arange(M)[np.arange(M) != i] if who is None else who
                lagrangian.noisy_group_sum(it.of(np.zeros(3), sample), centred, clip, noise(), np.random.default_rng(0), directions)
    (reach,) = {scale for _, scale in asked}
    sums = np.array([value for value, _ in asked]).reshape(M, 2, k, -1)
    return (np.linalg.norm(sums[:, 0, :, None] - sums[:, 0, None], axis=-1).max() / reach,
            np.linalg.norm(sums[:, 0] - sums[:, 1], axis=-1).max() / reach)


@pytest.mark.parametrize("prices", [[[.5], [-.5]], [[.5], [.5]], [[1.0], [.8]], [[-3.0], [-2.9], [-2.0]]])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_whatever_the_prices_what_a_person_adds_is_within_half_the_reach(prices, rank):
    """Also of prices that nobody centred: the law that is worst on a sample goes by how far both contributions are from nothing."""
    directions = np.linalg.qr(np.random.default_rng(1).normal(size=(3, rank)))[0] if rank else None
    moved, added = contributions(np.array(prices), 1e-3, directions)
    assert moved <= 1 + 1e-9 and added <= .5 + 1e-9
    if not rank:
        assert added == pytest.approx(.5), "the bound is met: no noise is wasted"


@pytest.mark.parametrize("directions", [2 * np.eye(3)[:, :2], np.ones((3, 2)), np.eye(3)[:, :2] + 1e-6, np.full((3, 1), np.nan),
                                        np.full((3, 1), 1e200), [[1.0], [1.0], [0.0]]])
def test_directions_that_make_a_contribution_longer_are_refused(directions):
    it = FairProblem(Network(2, ()), X, start(2), Y, FairTerms("demographic_parity", 2))
    with pytest.raises(ValueError, match=r"^directions(=|, )"):
        lagrangian.noisy_group_sum(it.of(np.zeros(3), np.arange(M)), [[.5], [-.5]], 1.0, noise(), np.random.default_rng(0), directions)


def test_weights_in_place_of_groups_are_refused_where_noise_is_made_for_codes():
    """A row of weights of any size moved the sum and the violations further than the noise is made for."""
    weights = np.eye(2)[start(2)]
    weights[0] = 1e6, -1e6
    it = FairProblem(Network(2, ()), X, weights, Y, FairTerms("demographic_parity", 2))
    part, rng = it.of(np.zeros(3), np.arange(M)), np.random.default_rng(0)
    sizes = np.full((2, 1), 4.0)
    for name, call in (("part", lambda: lagrangian.noisy_group_sum(part, [[.5], [-.5], [0.0]], 1.0, noise(), rng)),
                       ("part", lambda: lagrangian.noisy_violations(part, sizes, noise(), rng)),
                       ("problem", lambda: lagrangian.private_steps.noisy_sizes(it, 1.0, rng)),
                       ("part", lambda: lagrangian.pf_ld(it, Plan(3, 4), sizes, NOISE, rng))):
        with pytest.raises(ValueError, match=rf"^{name}=\(8, 2\): the groups of its people are weights, and noise .*as codes"):
            call()


@pytest.mark.parametrize("scale", [5e-324, 1e-322, 1e-310, 1e-290, 1e-5, 1.0, 1e300])
def test_noise_of_any_size_leaves_numbers_on_a_grid(scale):
    found = noise().invoke(np.array([[.1, -2.0], [0.0, 1e6]]), np.random.default_rng(0), units=scale)
    assert np.isfinite(found).all() and np.array_equal(found, rounded(found, scale))
    assert np.abs(found - [[.1, -2.0], [0.0, 1e6]]).max() <= max(10 * scale, 1e-9)


def test_prices_whose_noise_would_be_none_release_nothing():
    """Noise of .05 times a reach of 4e-323 is 0 in doubles: whatever then came out was the private sum."""
    it = FairProblem(Network(2, ()), X, start(2), Y, FairTerms("demographic_parity", 2))
    part = it.of(np.zeros(3), np.arange(M))
    asked = noise(.05)
    assert not lagrangian.noisy_group_sum(part, [[2e-323], [-2e-323]], 1.0, asked, np.random.default_rng(0)).any()
    assert asked.releases == ()


def test_single_precision_is_refused_where_a_clip_is_to_hold():
    it = FairProblem(Network(2, ()), X, start(2), Y, FairTerms("demographic_parity", 2))
    with pytest.raises(ValueError, match=r"^part=dtype\('float32'\): is the precision of its theta.*float64"):
        lagrangian.noisy_group_sum(it.of(np.zeros(3, np.float32), np.arange(M)), [[.5], [-.5]], 1.0, noise(), np.random.default_rng(0))


def test_the_first_weights_are_no_numbers_of_the_generator_that_makes_the_noise():
    """At a rate of 1e-9 the published network is its first weights: whoever knew the generator's numbers would know the noise."""
    model = lagrangian.PrivateFairLagrangian(1.0, 0.0, 1e-5, hidden=(8,), epochs=2, batch=4, learning_rate=1e-9)
    model.fit(X, Y, sensitive_features=start(2), rng=np.random.default_rng(5))
    weights, drawn = model.theta_[:16], np.random.default_rng(5).uniform(size=400)       # of the first layer, of one scale
    alike = [np.corrcoef(weights, drawn[first:first + 16])[0, 1] for first in range(len(drawn) - 16)]
    assert np.ptp(weights) > .1 and max(alike) < .95


@pytest.mark.parametrize("q", [.02, .5, 1.0])
def test_the_sample_is_a_coin_for_each(q):
    """Everybody alike, pairs apart: 4,000 samples of 6 people, each rate and each pair within Hoeffding's bound at 1e-9 for all 21."""
    rng, n = np.random.default_rng(0), 4000
    seen = np.zeros((n, 6))
    for row in seen:
        row[problem.poisson_sample(6, q, rng)] = 1
    off = np.sqrt(np.log(2 * 21 / 1e-9) / 2 / n)
    both = seen.T @ seen / n
    assert np.abs(np.diag(both) - q).max() < off and np.abs(both - q * q)[~np.eye(6, dtype=bool)].max() < off


def test_multipliers_stay_within_their_bound():
    """With noise of 30 deviations of a violation they are thrown about, and projected."""
    it = FairProblem(Network(2, ()), X, start(2), Y, FairTerms("equalized_odds", 2))
    plan = Plan(12, 8, max_multiplier=.7, dual_learning_rate=5.0, sampling_probability=.5)
    logged: list = []
    lagrangian.pf_ld(it, plan, np.full((2, 2), 2.0), NoiseMultipliers(1.0, 30.0), np.random.default_rng(0),
                     lambda **seen: logged.append(seen.get("multipliers")))
    shown = np.array([multipliers for multipliers in logged if multipliers is not None])
    assert np.abs(shown).max() == .7 and (shown.max() > 0 > shown.min())


# ------------------------------------------------------------------------------------------------ faults
def not_centred(f):
    def faulty(multipliers, sizes, silent=False):
        prices = np.asarray(multipliers) / np.asarray(sizes)
        prices = np.vstack([prices, np.zeros((int(silent), prices.shape[1]))])
        return np.zeros(prices.shape[1]), prices
    return faulty


def sizes_from_a(f):
    return lambda problem, group_proportions: np.maximum(problem.of(np.zeros(problem.network.n_parameters)).sizes(), .5)


def with_the_public_batch(f):
    """The secret sample is the batch of the loss."""
    def faulty(problem, plan, sizes, noise, rng, log=lambda **seen: None):
        names = f.__globals__
        with pytest.MonkeyPatch.context() as patched:
            looked = looked_at(patched)
            patched.setitem(names, "poisson_sample", lambda m, q, rng: np.sort(looked[-1]))
            return f(problem, plan, sizes, noise, rng, log)
    return faulty


def not_projected(f):
    def faulty(multipliers, apart, plan):
        return multipliers + plan.dual_learning_rate * apart
    return faulty


FAULTS = {
    "prices_not_centred": Mutant("dpfair_teach.lagrangian.private_steps.centred_prices", not_centred,
                                 "what all groups have alike stays in the secret sum, and noise is made for the whole price"),
    "noise_of_half_the_reach": Mutant("dpfair_teach.lagrangian.private_steps.reach_of",
                                      lambda f: lambda *given: f(*given) / 2, "a step's noise is made for half of what one person moves"),
    "sizes_counted_from_a": Mutant("dpfair_teach.lagrangian.private_steps.public_sizes", sizes_from_a,
                                   "the normalisers are the groups' own sizes"),
    "sample_is_the_public_batch": Mutant("dpfair_teach.lagrangian.algorithm.pf_ld", with_the_public_batch,
                                         "the group sum is over the batch of the loss, which can be seen"),
    "violations_of_half_the_reach": Mutant("dpfair_teach.lagrangian.private_steps.farthest",
                                           lambda f: lambda *given: f(*given) / 2, "violations are measured in units of half their reach"),
    "multipliers_not_projected": Mutant("dpfair_teach.lagrangian.algorithm.dual_step", not_projected,
                                        "noise may carry a multiplier beyond its bound"),
}
