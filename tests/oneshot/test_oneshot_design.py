"""The designed question: what it leaves, by the formula and by everything written out, and that nothing simple leaves less."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from test_oneshot_posterior import CASES, believed, written_out

from dpfair_teach.mechanisms import cell_sensitivity
from dpfair_teach.mechanisms.geometric import geometric_variance
from dpfair_teach.oneshot import ask_part, design, design_question, fair_candidates
from dpfair_teach.oneshot.design import REACH, Doubt, directions, gap_slopes, least_doubt, within
from dpfair_teach.oneshot.questions import Part
from dpfair_teach.oneshot.settings import TARGETS
from faults import Mutant

PRICES = np.array([2.0, 1.0, .5, .1])


def mixtures_of(people, n, seed=1):
    """Chances (n, L) with which a few mixtures of thresholds accept some people."""
    rng = np.random.default_rng(seed)
    hard = (people.X @ rng.normal(size=(3, 6)) > 0).astype(float)[n]
    return hard @ rng.dirichlet(np.ones(6), size=4).T


def doubt_about(k, against, notion, r=0, epsilon=.7, target="these"):
    """Everybody a cell of the own."""
    people, public, belief = believed(k, against, notion, target=target)
    mixtures = mixtures_of(people, public.people[r])
    return belief, Doubt(belief, r, np.arange(len(mixtures)), mixtures, PRICES, epsilon)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_how_a_gap_moves_with_a_person_is_its_derivative(k, against, notion):
    """By differences: a rate is counted over people, with one person a little more in a group, and so less in group 0."""
    people, public, belief = believed(k, against, notion)
    for r in range(len(public.people)):
        mixtures, means = mixtures_of(people, public.people[r]), belief.means(r)
        gaps = gap_slopes(belief, means, np.ones(len(means)), mixtures)

        def gap_of(told, mixtures=mixtures):
            whole = belief.all_groups(told, np.ones(len(told))[:, None])
            rates = mixtures.T @ whole / whole.sum(axis=0)
            return (rates[:, public.parity.comparisons(k)] @ [-1, 1]).ravel()       # of each mixture all gaps
        for i, a in ((0, 0), (5, len(belief.groups) - 1)):
            step = np.zeros_like(means)
            step[i, a] = 1e-5
            found = (gap_of(means + step) - gap_of(means - step)) / 2e-5
            assert np.abs(gaps[i, a]) == pytest.approx(np.abs(found), abs=1e-7)


def noise_as_drawn(k, every_group, question, epsilon):
    """The variance of an answer to weights of which somebody's add up to 1, by the record of what was drawn."""
    A = np.arange(question.shape[1]) % k
    part = Part(0, None, np.arange(len(A)), len(A), epsilon, epsilon, k, every_group)
    asked = ask_part((question / np.abs(question).sum(axis=0).max(), part.people), A, part, epsilon, np.random.default_rng(0))
    grid = np.abs(asked.question[0]).sum(axis=0).max()
    return geometric_variance(asked.release.sensitivity, asked.release.epsilon) / grid**2


@pytest.mark.parametrize("epsilon", [.5, 10.0, 40.0])
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_a_question_is_designed_for_the_noise_that_is_drawn(k, against, notion, epsilon):
    """At a large epsilon too, where counts have next to no noise and weights in whole numbers have some."""
    belief, doubt = doubt_about(k, against, notion, epsilon=epsilon)
    question = np.random.default_rng(2).dirichlet(np.ones(2), size=len(belief.p[0])).T
    assert doubt.noise == pytest.approx(noise_as_drawn(k, belief.every_group, question, epsilon), rel=.01)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_a_question_leaves_is_the_conditional_variance(k, against, notion, target):
    """By the covariance of everybody's groups, written out: the block that is left when the answers are told. The slope is its
    derivative, by differences."""
    belief, doubt = doubt_about(k, against, notion, target=target)
    law, g, rng, c = written_out(belief), len(belief.groups), np.random.default_rng(2), doubt.gaps
    people, both, wanted = (part[:law.ends[1], :law.ends[1]] for part in (law.people, law.both, law.wanted))
    for K in (1, 3):
        question = within(rng.normal(size=(K, len(belief.p[0]))))
        Q = np.kron(np.eye(g), question)
        noise = noise_as_drawn(k, belief.every_group, question, .7) * np.eye(len(Q))
        left = c.T @ (wanted - (Q @ both).T @ np.linalg.solve(Q @ people @ Q.T + noise, Q @ both)) @ c
        value, slope = doubt.after(question)
        assert value == pytest.approx(doubt.prices @ np.sqrt(np.diag(left)), rel=1e-6)
        for row, i in ((0, 3), (K - 1, 7)):
            step = np.zeros_like(question)
            step[row, i] = 1e-4
            found = (doubt.after(question + step)[0] - doubt.after(question - step)[0]) / 2e-4
            assert slope[row, i] == pytest.approx(found, rel=1e-3, abs=1e-7)


def test_weights_are_brought_to_the_nearest_that_are_allowed():
    """Against a general solver, for single people; who is allowed already stays."""
    rng = np.random.default_rng(4)
    question = rng.normal(size=(4, 40)) * rng.choice([.1, 1.0, 3.0], size=40)
    found = within(question)
    inside = np.abs(question).sum(axis=0) <= 1
    assert np.abs(found).sum(axis=0).max() <= 1 + 1e-12 and inside.any() and np.array_equal(found[:, inside], question[:, inside])
    for i in np.flatnonzero(~inside)[:6]:
        # sizes up and down apart, so that the constraint is a plane
        told = minimize(lambda x, q=question[:, i]: ((x[:4] - x[4:] - q)**2).sum(), np.full(8, .1), bounds=[(0, None)] * 8,
                        constraints={"type": "ineq", "fun": lambda x: 1 - x.sum()}, options={"ftol": 1e-14, "maxiter": 500}).x
        assert found[:, i] == pytest.approx(told[:4] - told[4:], abs=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_the_designed_question_leaves_less_than_any_partition_or_single_gap(k, against, notion, target):
    """And less than the directions that the search begins with."""
    belief, doubt = doubt_about(k, against, notion, target=target)
    size = np.ones(len(belief.p[0]))
    question = least_doubt(doubt, size)
    assert np.abs(question).sum(axis=0).max() <= 1 + 1e-12
    value, points = doubt.after(question)[0], np.concatenate(np.split(doubt.gaps, doubt.g), axis=1)
    single = [row[None] / np.abs(row).max() for row in points.T if np.abs(row).max() > 0]
    cells = [KMeans(K, n_init=1, random_state=0).fit(points).labels_ for K in (2, 4, 6)]
    others = [np.eye(c.max() + 1)[c].T for c in cells] + single + list(map(within, directions(doubt, size)))
    assert value <= min(doubt.after(other)[0] for other in others) + 1e-9
    assert value < doubt.prices @ np.sqrt(doubt.variances)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_a_question_is_about_the_mixture_whose_gaps_are_priced(k, against, notion):
    """Of two mixtures the first, or the last: each question leaves less of its own gaps than the other does. Who is in a cell is treated
    alike by both, and its weight is that of all in it."""
    _, public, belief = believed(k, against, notion)
    found, left = fair_candidates(public, belief), np.zeros((2, 2))
    path = np.zeros((2, len(found.error)))
    some = np.random.default_rng(3).choice(len(found.error) - 2, size=6, replace=False)
    path[0, some[:3]] = path[1, some[3:]] = 1 / 3
    mixtures, everybody = found.of_sample[0] @ path.T, np.arange(len(public.people[0]))
    for a, prices in enumerate(np.eye(2)):
        weights, cells = design_question(belief, found, path, prices, 0, .7)
        assert all(np.ptp(mixtures[cells == cell], axis=0).max() < 1e-6 for cell in range(weights.shape[1]))
        for b, priced in enumerate(np.eye(2)):
            left[a, b] = Doubt(belief, 0, everybody, mixtures, priced, .7).after(weights[:, cells])[0]
    assert left[0, 0] <= 1.001 * left[1, 0] and left[1, 1] <= 1.001 * left[0, 1] and np.trace(left) < left[0, 1] + left[1, 0]


def priced(gaps, **how):
    """What directions are made of: gaps (g J, G), all of one price and variance."""
    return SimpleNamespace(gaps=gaps, prices=np.ones(gaps.shape[1]), variances=np.ones(gaps.shape[1]), g=1, **how)


def test_the_first_directions_do_not_hang_on_the_signs_that_a_decomposition_chose(monkeypatch):
    """A direction and its opposite are equally good singular vectors: which is found differs between processors."""
    doubt, size = priced(np.random.default_rng(4).normal(size=(30, 6))), np.ones(30)
    before = directions(doubt, size)
    assert [len(rows) for rows in before] == [1, 2, 3, 5] and np.abs(before[0]).max() == pytest.approx(REACH)
    svd = np.linalg.svd
    for flipped in (np.array([-1.0, 1, -1, -1, 1, -1]), -np.ones(6)):
        def other(a, full_matrices, flipped=flipped):
            along, sizes, across = svd(a, full_matrices=full_matrices)
            return along * flipped, sizes, across
        monkeypatch.setattr(design.np.linalg, "svd", other)
        assert all(np.array_equal(one, two) for one, two in zip(before, directions(doubt, size), strict=True))


def test_directions_that_are_rounding_are_no_directions():
    """Gaps that all say the same have one; what a decomposition finds beside it is noise of the processor's own. Without gaps, as of
    constants, people are counted."""
    one, noise = np.outer(np.linspace(-1, 1, 20), [3.0, 2.0, 1.0]), np.random.default_rng(5).normal(size=(20, 3))
    assert [len(rows) for rows in directions(priced(one + 1e-13 * noise), np.ones(20))] == [1]
    assert [len(rows) for rows in directions(priced(one + 1e-3 * noise), np.ones(20))] == [1, 2, 3]
    assert np.array_equal(directions(priced(0 * one), np.ones(20))[0], np.ones((1, 20)))


def test_of_questions_that_are_level_the_one_that_asks_least_is_taken():
    """Whatever the last bits of their values are."""
    for last_bits in (1e-12, -1e-12):
        doubt = priced(np.random.default_rng(4).normal(size=(30, 6)),
                       after=lambda question, last_bits=last_bits: (1.0 + last_bits * len(question), 0 * question))
        assert len(least_doubt(doubt, np.ones(30))) == 1


# --- deliberate faults

def noise_forgotten(f):
    def init(self, *args):
        f(self, *args)
        self.noise *= 0.5
    return init


def noise_of_a_count(f):
    def init(self, belief, r, cells, chances, prices, epsilon):
        f(self, belief, r, cells, chances, prices, epsilon)
        self.noise = geometric_variance(cell_sensitivity(belief.k, belief.every_group), epsilon)
    return init


FAULTS = {
    "noise_of_counts": Mutant("dpfair_teach.oneshot.design.Doubt.__init__", noise_of_a_count,
                              "the question is designed for the noise of a count, which a large epsilon leaves next to none of"),
    "question_of_half_the_noise": Mutant("dpfair_teach.oneshot.design.Doubt.__init__", noise_forgotten,
                                         "the question is designed for half the noise that it will have"),
    "weights_reach_two": Mutant("dpfair_teach.oneshot.design.within", lambda f: lambda question: 2 * f(question / 2),
                                "somebody's weights add up to more than 1"),
    "a_gap_moves_by_too_little": Mutant(
        "dpfair_teach.oneshot.design.gap_slopes",
        lambda f: lambda *of: np.linspace(.9, 1, len(of[-1]))[:, None, None] * f(*of),
        "how much a gap moves with a person is off by up to a tenth"),
}
