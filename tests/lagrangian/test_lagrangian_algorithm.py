"""F-LD and PF-LD: their terms by hand, their gradients by finite differences, the budget."""
from __future__ import annotations

import dataclasses
import functools
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from dp_accounting import pld

from dpfair_teach import lagrangian
from dpfair_teach._generator import own_generator
from dpfair_teach.accounting import compose
from dpfair_teach.data import make_logistic
from dpfair_teach.lagrangian import FairProblem, FairTerms, NoiseMultipliers, Plan, find_noise, training_releases
from dpfair_teach.lagrangian.algorithm import silent as nothing
from dpfair_teach.mechanisms import UNIT_A, Measurement
from dpfair_teach.networks import SGD, Adam, Network, log_loss, per_example_gradients
from faults import Mutant, scaled, with_numpy

PEOPLE = {k: make_logistic(60 * k, n_groups=k, d=2, rng=np.random.default_rng(k)) for k in (2, 3, 5)}
NETWORK = Network(2, (3,))
NOTIONS = ("demographic_parity", "equalized_odds", "accuracy_parity", "true_positive")


def problem(k=2, notion="demographic_parity", A=None, network=NETWORK):
    people = PEOPLE[k]
    return FairProblem(network, people.X, people.A if A is None else A, people.Y, FairTerms(notion, k))


def plan(**how):
    return Plan(**dict(dict(epochs=3, batch=25, sampling_probability=.2, dual_learning_rate=2.0, optimizer=SGD(.2)), **how))


def noise(multiplier=1.0):
    return Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=multiplier)


def part(k=2, notion="equalized_odds", n=None):
    it = problem(k, notion)
    return it.of(NETWORK.initial(np.random.default_rng(0)), np.arange(n or it.m))


def given(**more):
    return dict(problem=problem(), plan=plan(dual_clip=1.0), **more, rng=np.random.default_rng(1))


VALID_CALLS = {
    "lagrangian.FairTerms": lambda: dict(notion="accuracy_parity", n_groups=2),
    "lagrangian.FairProblem": lambda: dict(network=NETWORK, X=PEOPLE[2].X, A=PEOPLE[2].A, Y=PEOPLE[2].Y,
                                           terms=FairTerms("equalized_odds", 2), missing=False),
    "lagrangian.Plan": lambda: dict(epochs=3, batch=25, optimizer=SGD(.1), dual_learning_rate=1.0, max_multiplier=2.0, gamma=.01,
                                    max_grad_norm=1.0, dual_clip=5.0, warmup_epochs=1, sampling_probability=.1, empty="skip"),
    "lagrangian.NoiseMultipliers": lambda: dict(primal=1.0, dual=2.0, sizes=.1),
    "lagrangian.epoch_batches": lambda: dict(m=10, size=3, rng=np.random.default_rng(0)),
    "lagrangian.problem.poisson_sample": lambda: dict(m=10, probability=.3, rng=np.random.default_rng(0)),
    "lagrangian.start_training": lambda: given(noise=NoiseMultipliers(1.0, 1.0), least=2, log=nothing),
    "lagrangian.algorithm.dual_step": lambda: dict(multipliers=np.zeros((2, 1)), apart=np.ones((2, 1)), plan=plan()),
    "lagrangian.f_ld": given,
    "lagrangian.f_ld_signed": lambda: given(sizes=np.full((2, 1), 60.0), log=nothing),
    "lagrangian.pf_ld": lambda: given(sizes=np.full((2, 1), 60.0), noise=NoiseMultipliers(1.0, 1.0), log=nothing),
    "lagrangian.printed.clipped": lambda: dict(vector=np.ones(3), clip=1.0),
    "lagrangian.printed.printed_sensitivity": lambda: dict(sizes=np.full((2, 1), 60.0), clip=1.0, factor=2.0, empty="refuse"),
    "lagrangian.printed.printed_dual_step": lambda: dict(multipliers=np.zeros((2, 1)), whole=problem().of(np.ones(13)),
                                                         plan=plan(dual_clip=1.0), noise=NoiseMultipliers(1.0, 1.0),
                                                         rng=np.random.default_rng(1)),
    "lagrangian.pf_ld_as_printed": lambda: given(noise=NoiseMultipliers(1.0, 1.0)),
    "lagrangian.pf_ld_autograd": lambda: given(noise=NoiseMultipliers(1.0, 1.0)),
    "lagrangian.centred_prices": lambda: dict(multipliers=np.ones((2, 1)), sizes=np.full((2, 1), 60.0), silent=True),
    "lagrangian.noisy_group_sum": lambda: dict(part=part(), centred=[[.1, .2], [-.1, -.2]], clip=1.0, noise=noise(),
                                               directions=np.eye(13)[:, :2], rng=np.random.default_rng(0)),
    "lagrangian.noisy_violations": lambda: dict(part=part(), sizes=np.full((2, 2), 30.0), noise=noise(), rng=np.random.default_rng(0)),
    "lagrangian.private_steps.noisy_sizes": lambda: dict(problem=problem(), epsilon=1.0, rng=np.random.default_rng(0)),
    "lagrangian.public_sizes": lambda: dict(problem=problem(), group_proportions=np.array([.5, .5])),
    "lagrangian.training_releases": lambda: dict(noise=NoiseMultipliers(1.0, 2.0, .1), plan=plan(), m=100, n_groups=2, missing=False),
    "lagrangian.find_noise": lambda: dict(epsilon=2.0, delta=1e-5, plan=plan(), m=100, sizes_budget_fraction=.1),
}


def private_problem(people, A, notion="equalized_odds"):
    return FairProblem(Network(people.X.shape[1], (3,)), people.X, A, people.Y, FairTerms(notion, 2))


def of_some(people, A, who=slice(None)):
    it = private_problem(people, A)
    return it.of(it.network.initial(np.random.default_rng(0)), who)


def trained(people, A, rng):
    it = private_problem(people, A)
    return lagrangian.pf_ld(it, plan(), lagrangian.public_sizes(it, [.4, .6]), NoiseMultipliers(1.0, 2.0), rng)


PRIVATE_FITS = {
    "lagrangian.start_training": lambda people, A, rng: lagrangian.start_training(private_problem(people, A), plan(), rng),
    "lagrangian.noisy_violations": lambda people, A, rng: lagrangian.noisy_violations(
        of_some(people, A), np.full((2, 2), 60.0), noise(), rng),
    "lagrangian.noisy_group_sum": lambda people, A, rng: lagrangian.noisy_group_sum(
        of_some(people, A, np.arange(0, len(A), 3)), [[.1, .2], [-.1, -.2]], .1, noise(), rng),
    "lagrangian.pf_ld": trained,
}


@pytest.mark.parametrize("notion", NOTIONS)
def test_sums_of_violations_are_exact(notion, monkeypatch):
    """In fractions: so nobody's change is rounded by who else is in the group."""
    summed, real = [], FairTerms.sums
    monkeypatch.setattr(FairTerms, "sums", lambda self, *given: summed.append((given, real(self, *given))) or summed[-1][1])
    where = part(notion=notion)
    summed.clear()
    lagrangian.noisy_violations(where, np.full(where.problem.public.terms.shape, 30.0), noise(), np.random.default_rng(0))
    ((values, cells, weights), sums), = summed
    for a, r in np.ndindex(sums.shape):
        assert sum(map(Fraction, (values * weights[:, a])[cells == r])) == Fraction(sums[a, r])


# ------------------------------------------------------------------------------------------------ the terms
def mean_by_hand(values, members):
    total, n = 0.0, 0
    for value, member in zip(values, members, strict=True):
        if member:
            total, n = total + value, n + 1
    return total / n


@pytest.mark.parametrize("k, notion", list(itertools.product((2, 3, 5), NOTIONS)))
def test_violations_are_those_counted_by_hand(k, notion):
    people, it = PEOPLE[k], problem(k, notion)
    theta = NETWORK.initial(np.random.default_rng(0))
    chance = NETWORK.probabilities(theta, people.X)
    h = np.abs(people.Y - chance) if notion == "accuracy_parity" else chance
    labels = {"equalized_odds": (0, 1), "true_positive": (1,)}.get(notion, (None,))
    found = it.of(theta).violations()
    assert found.shape == (k, len(labels)) == it.terms.shape
    for (a, (r, label)) in itertools.product(range(k), enumerate(labels)):
        of_label = [label in (None, y) for y in people.Y]
        by_hand = mean_by_hand(h, of_label) - mean_by_hand(h, [own == a and asked for own, asked in zip(people.A, of_label, strict=True)])
        assert found[a, r] == pytest.approx(by_hand, abs=1e-12)
    assert (found * it.of(theta).sizes()).sum(axis=0) == pytest.approx(0, abs=1e-9)     # one of two groups is enough: T28


@pytest.mark.parametrize("notion", ["demographic_parity", "equalized_odds", "accuracy_parity"])
def test_slopes_are_those_of_the_lagrangian(notion):
    """Central differences of the mean loss and of lambda |mu(P) - mu(G)|, in each coordinate."""
    it, network, rng = problem(3, notion), NETWORK, np.random.default_rng(0)
    theta, lam, batch = network.initial(rng), rng.random(it.terms.shape), np.arange(90)

    def at(theta):
        here = it.of(theta, batch)
        return log_loss(here.logits, here.y).mean() + (lam * np.abs(here.violations())).sum()

    here, sizes = it.of(theta, batch), it.of(theta, batch).sizes()
    found = here.gradient(here.loss_slopes() + here.penalty_slopes(lam * np.sign(here.violations())))
    steps = 1e-5 * np.eye(len(theta))
    assert found == pytest.approx([(at(theta + step) - at(theta - step)) / 2e-5 for step in steps], abs=1e-7)
    whole = it.of(theta, np.arange(it.m))
    sizes = whole.sizes()       # over fixed sizes of everybody it is the same on everybody
    assert whole.penalty_slopes(lam, sizes) == pytest.approx(whole.penalty_slopes(lam))


def test_public_part_and_group_sum_make_the_whole_gradient():
    """The middle of the prices goes from one to the other: without noise, on everybody and unclipped, they are what was split."""
    for k, notion, silent in ((2, "equalized_odds", False), (3, "demographic_parity", False), (5, "accuracy_parity", False),
                              (2, "equalized_odds", True), (3, "demographic_parity", True)):
        here, rng = part(k, notion), np.random.default_rng(k)
        if silent:      # a third does not say its group: it has the price 0, though the public part counts everybody with the middle
            it = here.problem
            A = np.where(np.arange(it.m) % 3 == 0, k, it.codes)
            here = FairProblem(it.network, it.X, A, it.Y, it.terms, missing=True).of(here.theta, here.people)
        nu, sizes = rng.normal(size=here.problem.terms.shape), here.sizes() * rng.uniform(.7, 1.3, here.problem.terms.shape)
        nu = np.abs(nu) if silent else nu
        middle, centred = lagrangian.centred_prices(nu, sizes, silent)
        group = lagrangian.noisy_group_sum(here, centred, 1e6, noise(0.0), rng)
        public = here.gradient(here.public_slopes(nu, middle, 1e6))
        assert public - group == pytest.approx(here.gradient(here.penalty_slopes(nu, sizes)), abs=1e-12)


def test_f_ld_by_hand():
    """Every step from central differences of the batch's Lagrangian, every multiplier from means: the same weights to 1e-6."""
    people, how = PEOPLE[3], plan(optimizer=SGD(.2), max_multiplier=.3, dual_learning_rate=20.0, batch=60)
    it = problem(3, "demographic_parity")
    found, lam = lagrangian.f_ld(it, how, np.random.default_rng(9))
    rng = np.random.default_rng(9)
    theta, by_hand, steps = NETWORK.initial(own_generator(rng)), np.zeros(3), 1e-5 * np.eye(NETWORK.n_parameters)

    def apart(theta, who):
        score, own = NETWORK.probabilities(theta, people.X[who]), people.A[who]
        return np.array([mean_by_hand(score, own == own) - mean_by_hand(score, own == a) for a in range(3)])

    def lagrangian_of(theta, who):
        score, y = NETWORK.probabilities(theta, people.X[who]), people.Y[who]
        return -np.log(np.where(y == 1, score, 1 - score)).mean() + by_hand @ np.abs(apart(theta, who))

    for _ in range(how.epochs):
        for who in lagrangian.epoch_batches(180, 60, rng):
            theta = theta - .2 * np.array([(lagrangian_of(theta + e, who) - lagrangian_of(theta - e, who)) / 2e-5 for e in steps])
        by_hand = np.minimum(by_hand + 20 * np.abs(apart(theta, np.arange(180))), .3)
    assert found == pytest.approx(theta, abs=1e-6) and lam[:, 0] == pytest.approx(by_hand, abs=1e-6)
    assert by_hand.max() == .3 and by_hand.min() > 0


def printed_by_hand(variant, it, how, noise, rng):
    """Two epochs of one batch each, from everybody's own gradients: the first step has no price, the second has those of the first dual
    step. Whose gradients are clipped, how, and which sign they have, is what the two variants differ in."""
    people, network, m = it.X, it.network, it.m
    theta, _, lam = lagrangian.start_training(it, how, rng)
    members = [[it.codes == a for a in range(it.terms.n_groups)] for _ in it.terms.parity.cells]
    lines = [it.y == cell.label if cell.label is not None else np.ones(m, bool) for cell in it.terms.parity.cells]
    members = [[own & line for own in of] for of, line in zip(members, lines, strict=True)]
    smallest = min(own.sum() for of in members for own in of)
    clips = False
    for _ in range(2):
        rng.permutation(m)
        score = network.probabilities(theta, people)
        G = per_example_gradients(network, theta, network.forward(theta, people), score * (1 - score))
        step = per_example_gradients(network, theta, network.forward(theta, people), score - it.y).mean(axis=0)
        for r, line in enumerate(lines):
            everybody = G[line].mean(axis=0)
            for a, own in enumerate(members[r]):
                if variant == "pf_ld_as_printed":       # the mean of the group is clipped, and the difference loses its signs
                    group = G[own].mean(axis=0)
                    group = group * min(1.0, how.max_grad_norm / np.linalg.norm(group))
                    step = step + lam[a, r] * abs(everybody - group)
                    clips |= np.linalg.norm(G[own].mean(axis=0)) > how.max_grad_norm
                else:                                   # each person is clipped, and the violation has its sign
                    each = np.array([g * min(1.0, how.max_grad_norm / np.linalg.norm(g)) for g in G[own]])
                    V = score[line].mean() - score[own].mean()
                    step = step + lam[a, r] * (1 if V > 0 else -1) * (everybody - each.mean(axis=0))
                    clips |= np.linalg.norm(G[own], axis=1).max() > how.max_grad_norm
        step = step + rng.normal(size=len(step)) * noise.primal * 2 * how.max_multiplier * how.max_grad_norm / (smallest - 1)      # (7)
        theta = theta - how.optimizer.learning_rate * step
        score = network.probabilities(theta, people)
        apart = np.array([[abs(score[line].mean() - np.minimum(score[own], how.dual_clip).mean())
                           for line, own in zip(lines, of_rates, strict=True)] for of_rates in zip(*members, strict=True)])    # (13)
        apart += rng.normal(size=lam.shape) * noise.dual * np.sqrt(2) * how.dual_clip / (smallest - 1)                  # (11)
        lam = np.minimum(lam + how.dual_learning_rate * apart, how.max_multiplier)
        clips |= (score > how.dual_clip).any() and (score < how.dual_clip).any()
    assert clips, "no clip is at work, so nothing tells whose gradients it shortens"
    return theta, lam


@pytest.mark.parametrize("noise", [NoiseMultipliers(0.0, 0.0), NoiseMultipliers(.3, .7)], ids=["no noise", "noise"])
@pytest.mark.parametrize("k, notion", [(2, "demographic_parity"), (3, "equalized_odds")])
@pytest.mark.parametrize("variant", ["pf_ld_as_printed", "pf_ld_autograd"])
def test_the_printed_programs_by_hand(variant, k, notion, noise):
    it = problem(k, notion)
    how = plan(epochs=2, batch=it.m, optimizer=SGD(.5), dual_learning_rate=20.0, max_multiplier=3.0, max_grad_norm=.1, dual_clip=.5)
    theta, lam, skipped = getattr(lagrangian, variant)(it, how, noise, np.random.default_rng(9))
    by_hand, prices = printed_by_hand(variant, it, how, noise, np.random.default_rng(9))
    assert theta == pytest.approx(by_hand, abs=1e-12) and lam == pytest.approx(prices, abs=1e-12) and skipped == 0
    assert lam.max() <= 3.0 and np.unique(lam).size > 1         # the bound does not hide the violations


# ------------------------------------------------------------------------------------------------ small batches, and what is logged
@pytest.mark.parametrize("k", [2, 3])
def test_signed_f_ld_by_hand(k):
    """Every step from central differences of the loss and the priced violations over everybody's sizes, and the prices by the dual step."""
    people, how = PEOPLE[k], plan(optimizer=SGD(.2), dual_learning_rate=20.0, max_multiplier=.5, gamma=.001, batch=30 * k)
    it = problem(k)
    sizes, logged = it.of(NETWORK.initial(np.random.default_rng(0))).sizes(), []
    found, nu = lagrangian.f_ld_signed(it, how, sizes, np.random.default_rng(9), lambda **seen: logged.append(seen))
    rng, by_hand, m = np.random.default_rng(9), np.zeros((k, 1)), it.m
    theta, steps = NETWORK.initial(own_generator(rng)), 1e-5 * np.eye(NETWORK.n_parameters)

    def apart(theta, who):
        score, own = NETWORK.probabilities(theta, people.X[who]), people.A[who]
        return np.array([[score.mean() - m / len(who) * score[own == a].sum() / sizes[a, 0]] for a in range(k)])

    def lagrangian_of(theta, who):
        score, y = NETWORK.probabilities(theta, people.X[who]), people.Y[who]
        return -np.log(np.where(y == 1, score, 1 - score)).mean() + (by_hand * apart(theta, who)).sum()

    for epoch in range(1, how.epochs + 1):
        for who in lagrangian.epoch_batches(m, 30 * k, rng):
            theta = theta - .2 * np.array([(lagrangian_of(theta + e, who) - lagrangian_of(theta - e, who)) / 2e-5 for e in steps])
        if epoch < how.epochs:
            moved = by_hand + 20 * apart(theta, np.arange(m))
            by_hand = np.clip(np.sign(moved) * np.maximum(np.abs(moved) - .02, 0), -.5, .5)
    assert found == pytest.approx(theta, abs=1e-6) and nu == pytest.approx(by_hand, abs=1e-6) and nu.any()
    assert len(logged) == how.epochs * how.steps(m) + how.epochs - 1


def test_what_is_logged_is_no_part_of_the_training():
    it, noise, logged = problem(), NoiseMultipliers(.7, 3.0), []
    sizes = lagrangian.public_sizes(it, [.5, .5])
    plain = lagrangian.pf_ld(it, plan(), sizes, noise, np.random.default_rng(5))
    seen = lagrangian.pf_ld(it, plan(), sizes, noise, np.random.default_rng(5), lambda **seen: logged.append(seen))
    assert all(map(np.array_equal, plain[:2], seen[:2])) and plain[1].any() and plain[2] == seen[2]
    assert plain[2] == training_releases(noise, plan(), it.m)
    assert [sorted(one) for one in logged].count(["violations"]) == 2 and len(logged) == 17
    assert np.array_equal(logged[-1]["multipliers"], plain[1])


@pytest.mark.parametrize("variant", ["f_ld", "pf_ld_as_printed", "pf_ld_autograd"])
def test_a_batch_without_a_group_is_refused_or_skipped_and_counted(variant):
    noise = {} if variant == "f_ld" else {"noise": NoiseMultipliers(.1, .1)}
    learn = functools.partial(getattr(lagrangian, variant), **noise)
    it = problem(A=(np.arange(120) < 3).astype(int))
    with pytest.raises(ValueError, match=r"^(batch=25: people of whom nobody|sizes=[01]\.0: is the smallest).*empty='skip'"):
        learn(it, plan(dual_clip=1.0), rng=np.random.default_rng(0))
    found = learn(it, plan(dual_clip=1.0, empty="skip"), rng=np.random.default_rng(0))
    assert np.isfinite(found[0]).all() and (variant == "f_ld" or found[2] > 5)


@pytest.mark.parametrize("variant", ["f_ld", "pf_ld_as_printed", "pf_ld_autograd"])
def test_what_is_wrong_with_the_whole_is_said_before_the_first_step(variant, monkeypatch):
    """Not after an epoch; and of a group that has nobody in all the data no batch is to be larger."""
    noise, rng = {} if variant == "f_ld" else {"noise": NoiseMultipliers(1.0, 1.0)}, np.random.default_rng(0)
    learn = functools.partial(getattr(lagrangian, variant), **noise, rng=rng)
    monkeypatch.setattr(Network, "forward", lambda *given: pytest.fail("a step was made"))
    before, out = rng.bit_generator.state, r"Make the FairProblem without that group"
    for empty in ("refuse", "skip"):
        how = plan(dual_clip=1.0, empty=empty)
        with pytest.raises(ValueError, match=r"^problem=1: a group of whom nobody is under the line of .*, in all the data.*" + out):
            learn(problem(A=np.zeros(120, dtype=int)), how)
        if variant != "f_ld":
            with pytest.raises(ValueError, match=r"^problem=0: a group of whom one person is under the line of .*divides by 0.*" + out):
                learn(problem(A=(np.arange(120) > 0).astype(int)), how)
        with pytest.raises(ValueError, match=r"^problem=\(120, 2\): the groups of its people are weights.*codes"):
            learn(problem(A=np.full((120, 2), .5)), how)
    if variant != "f_ld":
        with pytest.raises(ValueError, match=r"^plan=None: is its dual_clip.*Make the Plan with dual_clip=5\.0"):
            learn(problem(), plan())
    assert rng.bit_generator.state == before


def test_an_empty_group_of_everybody_is_not_blamed_on_a_batch():
    with pytest.raises(ValueError, match=r"^problem=120: people of whom nobody is .*Make the FairProblem without that group"):
        problem(A=np.zeros(120, dtype=int)).of(np.ones(13)).violations()


# ------------------------------------------------------------------------------------------------ people, weights, rows
def test_weights_are_weights_as_an_array_a_list_or_a_table():
    weights = np.random.default_rng(0).dirichlet([1, 1], 120)
    of = [problem(A=A).of(np.ones(13)).violations() for A in (weights, weights.tolist(), pd.DataFrame(weights, columns=["a", "b"]))]
    assert np.array_equal(of[0], of[1]) and np.array_equal(of[0], of[2]) and of[0].any()
    for wrong in (weights[:, :1].tolist(), pd.DataFrame(weights[:-1])):
        with pytest.raises(ValueError, match=r"^A=\(\d+, \d\): is an array of shape .*, not \(120, 2\)"):
            problem(A=wrong)


def test_people_that_are_none_are_refused_in_words():
    it, theta = problem(), np.ones(13)
    assert it.of(theta, [3, 1]).y.tolist() == it.y[[3, 1]].tolist()
    assert it.of(theta, []).n == 0 and it.of(theta, slice(2, 2)).logits.size == 0
    for people, said in ((np.array([999]), r"^people=999: outside \[0, 119\]"), ([0, -1], r"^people=-1: outside"),
                         ([.5], r"^people=0\.5: not a whole number"), (it.y > 0, r"^people=\(120,\): True or False.*flatnonzero"),
                         (3, r"^people=3: has 0 axes"), ("x", r"^people='x': not numeric"), (None, r"^people=None: not numeric")):
        with pytest.raises(ValueError, match=said):
            it.of(theta, people)
    with pytest.raises(ValueError, match=r"^theta=\(12,\): the network has 13 parameters"):
        it.of(np.ones(12))


def test_labels_and_prices_of_another_shape_are_refused_in_words():
    for wrong in ([0, 5, None, "1"], [0, 5], ["0"], [0, None], [.5]):
        with pytest.raises(ValueError, match=r"^y=.*(not numeric|missing|labels must be 0 or 1).*\. (Recode y|Keep)"):
            FairTerms("equalized_odds", 2).cells(wrong)
    here = part(2, "equalized_odds")
    for multipliers, sizes, said in ((np.ones((2, 1)), None, "multipliers"), (np.ones(2), None, "multipliers"),
                                     (np.full((2, 2), np.nan), None, "multipliers"), (np.ones((2, 2)), np.ones((3, 2)), "sizes"),
                                     (np.ones((2, 2)), np.ones((2, 2, 1)), "sizes"), (None, None, "multipliers")):
        with pytest.raises(ValueError, match=f"^{said}="):
            here.penalty_slopes(multipliers, sizes)


@pytest.mark.parametrize("bad", [np.nan, 1e7, -1e7, np.inf])
def test_rows_that_change_behind_a_training_are_found_when_they_are_read(bad, tmp_path):
    """More people than are copied: X is read where it lies, by everybody's logits and by a batch."""
    m = 2**14 + 1000
    X = np.memmap(tmp_path / "X", np.float32, "w+", shape=(m, 2))
    X[:] = np.random.default_rng(0).normal(size=(m, 2))
    it = FairProblem(NETWORK, X, np.arange(m) % 2, np.arange(m) // 2 % 2, FairTerms("demographic_parity", 2))
    theta = NETWORK.initial(np.random.default_rng(0))
    before = it.of(theta).logits
    assert np.array_equal(before, NETWORK.logits(theta, X))
    X[m - 3, 1] = bad
    said = r"^X=.*: not within 1e\+06, and all of X was .*the file behind X has changed.*Train on a copy"
    for ask in (lambda: it.of(theta).logits, lambda: it.of(theta, np.array([5, m - 3])).passed, lambda: it.of(theta, [m - 3]).logits,
                lambda: lagrangian.f_ld(it, plan(epochs=1, batch=2000), np.random.default_rng(0))):
        with pytest.raises(ValueError, match=said):
            ask()
    assert it.of(theta, np.arange(9)).logits == pytest.approx(before[:9])       # who was read is who counts


# ------------------------------------------------------------------------------------------------ optimizers of others
@dataclasses.dataclass(frozen=True)
class Signs:
    """A third optimizer, by the signs alone."""

    learning_rate: float

    def start(self, p, dtype=float):
        return {"last": np.zeros(p, dtype)}

    def step(self, theta, gradient, moments):
        return theta - self.learning_rate * np.sign(gradient), {"last": gradient}


def test_an_optimizer_of_ones_own_needs_no_change_of_the_plan():
    it, how = problem(), plan(optimizer=Signs(.01))
    theta, _ = lagrangian.f_ld(it, how, np.random.default_rng(5))
    assert np.isfinite(theta).all()
    for wrong in (Adam, SGD, 3, None, "adam", Network(2)):
        with pytest.raises(ValueError, match=r"^optimizer=.*: not something with learning_rate, start\(p\) and step.*Give networks\.Adam"):
            plan(optimizer=wrong)


def test_steps_that_are_too_large_are_refused_in_words():
    with pytest.raises(ValueError, match=r"theta.*(smaller steps|finite)"):
        lagrangian.f_ld(problem(), plan(optimizer=SGD(1e200)), np.random.default_rng(0))


# ------------------------------------------------------------------------------------------------ the budget
@pytest.mark.parametrize("epsilon, delta, m, how", [
    (1.0, 1e-5, 2000, dict(epochs=6, sampling_probability=.02)), (.2, 1e-6, 500, dict(sampling_probability=1.0)),
    (8.0, 1e-5, 500, dict(warmup_epochs=2))])
def test_the_noise_that_is_found_is_within_its_budget_and_hardly_more(epsilon, delta, m, how):
    p = plan(**how)
    noise = find_noise(epsilon, delta, p, m, sizes_budget_fraction=.1)
    spent = compose(training_releases(noise, p, m), delta, "pld")
    assert .99 * epsilon < spent <= epsilon and noise.sizes == .1 * epsilon


def test_the_noise_is_found_in_few_looks_of_the_slow_accountant(monkeypatch):
    looks, real = [], lagrangian.plan.pld_epsilon
    monkeypatch.setattr(lagrangian.plan, "pld_epsilon", lambda *given: looks.append(1) or real(*given))
    find_noise(2.0, 1e-6, plan(epochs=7), 321)
    assert 1 <= len(looks) <= 4


def test_the_budget_is_the_one_of_dp_accounting():
    p, m, delta = plan(epochs=6, sampling_probability=.05), 500, 1e-5
    noise = find_noise(1.0, delta, p, m)
    primal, dual = p.paid(m)
    make = pld.privacy_loss_distribution.from_gaussian_mechanism
    one = make(noise.primal, sensitivity=.5, sampling_prob=.05, neighboring_relation=pld.privacy_loss_distribution.NeighborRel.REPLACE_ONE)
    both = one.self_compose(primal).compose(make(noise.dual, sensitivity=1.0).self_compose(dual))
    assert both.get_epsilon_for_delta(delta) == pytest.approx(1.0, rel=5e-3)


@pytest.mark.parametrize("epochs, warmup, m", [(3, 1, 100), (5, 2, 101), (2, 2, 10)])
def test_steps_that_read_a_are_counted_in_the_run(monkeypatch, epochs, warmup, m):
    """T14: the warm-up reads nothing, nor does the last dual step."""
    calls = []
    for name in ("noisy_group_sum", "noisy_violations"):
        real = getattr(lagrangian.algorithm, name)
        monkeypatch.setattr(lagrangian.algorithm, name, lambda *given, name=name, real=real: calls.append(name) or real(*given))
    p = plan(epochs=epochs, warmup_epochs=warmup)
    people = PEOPLE[2]
    it = FairProblem(NETWORK, people.X[:m], people.A[:m], people.Y[:m], FairTerms("demographic_parity", 2))
    lagrangian.pf_ld(it, p, np.full((2, 1), m / 2), NoiseMultipliers(1.0, 1.0), np.random.default_rng(0))
    assert (calls.count("noisy_group_sum"), calls.count("noisy_violations")) == p.paid(m)


def test_what_no_noise_reaches_is_refused():
    for epsilon, delta in ((1e-6, 1e-10), (1e-6, 1e-6)):
        with pytest.raises(ValueError, match=r"^epsilon, delta=.*shows no noise multiplier up to 1e\+06 to keep, in .*fewer"):
            find_noise(epsilon, delta, plan(epochs=10**6), 10**6)
    with pytest.raises(ValueError, match=r"^sizes_budget_fraction=2\.2e-308: above 0 and below 0\.001"):
        find_noise(1.0, 1e-5, plan(), 100, sizes_budget_fraction=2.2e-308)
    with pytest.raises(ValueError, match=r"^sampling_probability=2\.2e-308: outside"):
        plan(sampling_probability=2.2e-308)
    with pytest.raises(ValueError, match=r"^plan=\(1, 1\): epochs, and so many of them warm-up"):
        find_noise(1.0, 1e-5, plan(epochs=1), 100)


@pytest.mark.parametrize("one", [dict(primal=0.0, dual=20.0), dict(primal=1.0, dual=0.0)])
def test_noise_for_one_part_alone_is_no_noise(one):
    """The records would be those of the other part, and promise what the first has given away."""
    with pytest.raises(ValueError, match=r"^(primal|dual)=0\.0: then one part is read without noise"):
        NoiseMultipliers(**one)
    with pytest.raises(ValueError, match=r"^noise=.*is none: the records would be empty.* train with f_ld_signed"):
        lagrangian.pf_ld(problem(), plan(), np.full((2, 1), 60.0), NoiseMultipliers(0.0, 0.0), np.random.default_rng(0))


# ------------------------------------------------------------------------------------------------ faults
def without_population(f):
    """The penalty's slopes without mu(P): its mean is 0."""
    def faulty(here, multipliers, sizes=None):
        return -here.problem.terms.each(multipliers / here.sizes(), here.cells, here.weights) * here.slopes
    return faulty


FAULTS = {
    "f_ld_penalty_turned": Mutant("dpfair_teach.lagrangian.problem.GroupPart.penalty_slopes",
                                  lambda f: lambda here, multipliers, sizes=None: -f(here, multipliers, sizes),
                                  "the penalty is climbed, not descended"),
    "f_ld_population_left_out": Mutant("dpfair_teach.lagrangian.problem.GroupPart.penalty_slopes", without_population,
                                       "the group's mean moves, and everybody's does not"),
    "violations_are_on_no_grid": Mutant("dpfair_teach.lagrangian.private_steps.noisy_violations", with_numpy(rint=lambda units: units),
                                        "sums of violations are rounded, by how much depends on who is in which group"),
    "f_ld_violations_halved": Mutant("dpfair_teach.lagrangian.problem.FairTerms.violations", scaled(.5), "violations are halved"),
    "printed_step_with_signs": Mutant(
        "dpfair_teach.lagrangian.printed.pf_ld_as_printed", with_numpy(abs=lambda v: v if v.ndim == 1 else np.abs(v)),
        "the coordinates of the difference of gradients keep their signs; violations, which are tables, do not"),
    "autograd_without_signs": Mutant("dpfair_teach.lagrangian.printed.pf_ld_autograd", with_numpy(sign=np.ones_like),
                                     "the gradient of the absolute violation has no sign in front"),
}
