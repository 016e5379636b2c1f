"""The designed question: what it leaves, by the formula and by everything written out, and that nothing simple leaves less."""
from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from test_oneshot_belief import CASES, believed, whole_law

from dpfair_teach.mechanisms import cell_sensitivity
from dpfair_teach.mechanisms.geometric import geometric_variance
from dpfair_teach.oneshot import ask_part, design, design_question, fair_candidates
from dpfair_teach.oneshot.design import REACH, Doubt, Lift, directions, least_doubt, within
from dpfair_teach.oneshot.designed import Part
from faults import Mutant


def mixtures_of(people, n, seed=1):
    """Chances (n, L) with which a few mixtures of thresholds accept some people."""
    rng = np.random.default_rng(seed)
    hard = (people.X @ rng.normal(size=(3, 6)) > 0).astype(float)[n]
    return hard @ rng.dirichlet(np.ones(6), size=4).T


def doubt_about(k, against, notion, r=0, epsilon=.7):
    people, public, belief = believed(k, against, notion)
    mixtures = mixtures_of(people, public.people[r])
    gaps = Lift(belief, r, mixtures).of(mixtures)
    prices = np.tile([2.0, 1.0, .5, .1], gaps.shape[2])[:gaps.shape[2]]
    return belief, mixtures, gaps, Doubt(belief, r, gaps, prices, epsilon), epsilon


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_how_a_gap_moves_with_a_person_is_its_derivative(k, against, notion):
    """By differences: a rate is accepted over people, with one person a little more in a group, and so less in group 0."""
    people, public, belief = believed(k, against, notion)
    for r in range(len(public.people)):
        mixtures = mixtures_of(people, public.people[r])
        gaps, means = Lift(belief, r, mixtures).of(mixtures), belief.means(r)

        def rates(told, mixtures=mixtures):
            whole = belief.all_groups(told, np.ones(len(told))[:, None])
            return (mixtures.T @ whole / whole.sum(axis=0)).T[..., None]        # (k, L, 1)
        one, other = public.parity.comparisons(k).T

        def differences(rates, one=one, other=other):
            return rates[:, one, 0] - rates[:, other, 0]
        for i in (0, 5):
            for a in range(len(belief.groups)):
                step = np.zeros_like(means)
                step[i, a] = 1e-5
                moved = [differences(np.moveaxis(rates(means + sign * step), 1, 0)) for sign in (1, -1)]
                assert gaps[i, a] == pytest.approx(((moved[0] - moved[1]) / 2e-5).ravel(), rel=1e-4, abs=1e-7)


def noise_as_drawn(k, every_group, question, epsilon):
    """The variance of an answer to weights of which somebody's add up to 1, by the record of what was drawn."""
    A = np.arange(question.shape[1]) % k
    part = Part(0, None, np.arange(len(A)), len(A), epsilon, epsilon, k, every_group)
    asked = ask_part(question / np.abs(question).sum(axis=0).max(), A, part, epsilon, np.random.default_rng(0))
    grid = np.abs(asked.question).sum(axis=0).max()
    return geometric_variance(asked.release.sensitivity, asked.release.epsilon) / grid**2


@pytest.mark.parametrize("epsilon", [.5, 10.0, 40.0])
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_a_question_is_designed_for_the_noise_that_is_drawn(k, against, notion, epsilon):
    """At a large epsilon too, where counts have next to no noise and weights in whole numbers have some."""
    belief, _, gaps, doubt, _ = doubt_about(k, against, notion, epsilon=epsilon)
    question = np.random.default_rng(2).dirichlet(np.ones(2), size=len(gaps)).T
    assert doubt.noise == pytest.approx(noise_as_drawn(k, belief.every_group, question, epsilon), rel=.01)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_a_question_leaves_is_the_conditional_variance(k, against, notion):
    """By the covariance of everybody's groups, written out: the block that is left when the answers are told."""
    belief, _, gaps, doubt, epsilon = doubt_about(k, against, notion)
    _, covariance, ends = whole_law(belief)
    P, g = covariance[:ends[1], :ends[1]], len(belief.groups)
    rng = np.random.default_rng(2)
    for K in (1, 3):
        question = within(rng.normal(size=(K, len(gaps))))
        Q = np.stack([np.kron(row, np.eye(g)[a]) for a in range(g) for row in question])
        c = gaps.reshape(len(gaps) * g, -1)
        noise = noise_as_drawn(k, belief.every_group, question, epsilon) * np.eye(len(Q))
        left = c.T @ (P - P @ Q.T @ np.linalg.solve(Q @ P @ Q.T + noise, Q @ P)) @ c
        assert doubt.after(question)[0] == pytest.approx(doubt.prices @ np.sqrt(np.diag(left)), rel=1e-6)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_the_slope_is_the_derivative_of_what_is_left(k, against, notion):
    _, _, gaps, doubt, _ = doubt_about(k, against, notion)
    question = within(np.random.default_rng(3).normal(size=(2, len(gaps))))
    slope = doubt.slope(*doubt.after(question)[1:], 2)
    for row, i in ((0, 3), (1, 7)):
        step = np.zeros_like(question)
        step[row, i] = 1e-4
        found = (doubt.after(question + step)[0] - doubt.after(question - step)[0]) / 2e-4
        assert slope[row, i] == pytest.approx(found, rel=1e-3, abs=1e-8)


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


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_the_designed_question_leaves_less_than_any_partition_or_single_gap(k, against, notion):
    belief, mixtures, gaps, _, epsilon = doubt_about(k, against, notion)
    prices = np.array([2.0, 1.0, .5, .1])
    question = least_doubt(belief, 0, mixtures, prices, epsilon)
    assert np.abs(question).sum(axis=0).max() <= 1 + 1e-12
    doubt = Doubt(belief, 0, gaps, np.repeat(prices, gaps.shape[2] // 4), epsilon)
    value = doubt.after(question)[0]
    points = gaps.reshape(len(gaps), -1)
    single = [points[:, [g]].T / np.abs(points[:, g]).max() for g in range(points.shape[1]) if np.abs(points[:, g]).max() > 0]
    cells = [KMeans(K, n_init=1, random_state=0).fit(points).labels_ for K in (2, 4, 6)]
    others = [np.eye(c.max() + 1)[c].T for c in cells] + single
    assert value <= min(doubt.after(other)[0] for other in others) + 1e-9
    assert value < doubt.prices @ np.sqrt(doubt.variances)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_a_question_is_about_the_mixture_whose_gaps_are_priced(k, against, notion):
    """Of two mixtures the first, or the last: each question leaves less of its own gaps than the other does."""
    _, public, belief = believed(k, against, notion)
    found, left = fair_candidates(public, belief), np.zeros((2, 2))
    path = np.zeros((2, len(found.error)))
    some = np.random.default_rng(3).choice(len(found.error) - 2, size=6, replace=False)
    path[0, some[:3]] = path[1, some[3:]] = 1 / 3
    mixtures = found.of_crowd[0] @ path.T
    gaps = Lift(belief, 0, mixtures).of(mixtures)
    for a, prices in enumerate(np.eye(2)):
        question = design_question(belief, found, path, prices, 0, .7)
        for b, priced in enumerate(np.eye(2)):
            left[a, b] = Doubt(belief, 0, gaps, np.repeat(priced, gaps.shape[2] // 2), .7).after(question)[0]
    assert left[0, 0] < left[1, 0] and left[1, 1] < left[0, 1]


def test_of_all_noises_a_question_is_best_for_its_own():
    """Little noise asks for much at once, much noise for little: each of two questions leaves less at the epsilon it was designed for."""
    _, public, belief = believed(2, "anchor", "equalized_odds")
    found = fair_candidates(public, belief)
    path = np.zeros((3, len(found.error)))
    path[np.arange(3), np.random.default_rng(3).choice(len(found.error) - 2, size=3, replace=False)] = 1.0
    mixtures, prices, epsilons = found.of_crowd[0] @ path.T, np.ones(3), (.02, 20.0)
    gaps = Lift(belief, 0, mixtures).of(mixtures)
    left = np.array([[Doubt(belief, 0, gaps, prices, epsilon).after(design_question(belief, found, path, prices, 0, designed_for))[0]
                      for designed_for in epsilons] for epsilon in epsilons])
    assert left[0, 0] < left[0, 1] and left[1, 1] < left[1, 0]


def test_the_first_directions_do_not_hang_on_the_signs_that_a_decomposition_chose(monkeypatch):
    """A direction and its opposite are equally good singular vectors: which is found differs between processors."""
    gaps = np.random.default_rng(4).normal(size=(30, 2, 3))
    before = directions(gaps)
    assert [len(rows) for rows in before] == [1, 2, 3, 5] and np.abs(before[0]).max() == pytest.approx(REACH)
    svd = np.linalg.svd
    for flipped in (np.array([-1.0, 1, -1, -1, 1, -1]), -np.ones(6)):
        def other(a, full_matrices, flipped=flipped):
            along, sizes, across = svd(a, full_matrices=full_matrices)
            return along * flipped, sizes, across
        monkeypatch.setattr(design.np.linalg, "svd", other)
        assert all(np.array_equal(one, two) for one, two in zip(before, directions(gaps), strict=True))


def test_directions_that_are_rounding_are_no_directions():
    """Gaps that all say the same have one; what a decomposition finds beside it is noise of the processor's own."""
    one = np.outer(np.linspace(-1, 1, 20), [3.0, 2.0, 1.0])[:, None, :]
    assert [len(rows) for rows in directions(one + 1e-13 * np.random.default_rng(5).normal(size=one.shape))] == [1]
    assert [len(rows) for rows in directions(one + 1e-3 * np.random.default_rng(5).normal(size=one.shape))] == [1, 2, 3]


def test_of_questions_that_are_level_the_one_that_asks_least_is_taken(monkeypatch):
    """Whatever the last bits of their values are."""
    belief, mixtures, _, _, epsilon = doubt_about(2, "anchor", "equalized_odds")
    for last_bits in (1e-12, -1e-12):
        monkeypatch.setattr(Doubt, "after", lambda self, question, last_bits=last_bits: (
            1.0 + last_bits * len(question), np.zeros((len(question), self.prices.size)), self.told))
        assert len(least_doubt(belief, 0, mixtures, np.array([2.0, 1.0, .5, .1]), epsilon)) == 1


# --- deliberate faults

def noise_forgotten(f):
    def init(self, *args):
        f(self, *args)
        self.noise *= 0.5
    return init


def noise_of_a_count(f):
    def init(self, belief, r, gaps, prices, epsilon):
        f(self, belief, r, gaps, prices, epsilon)
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
        "dpfair_teach.oneshot.design.Lift.of",
        lambda f: lambda self, mixtures: np.linspace(.9, 1, len(mixtures))[:, None, None] * f(self, mixtures),
        "how much a gap moves with a person is off by up to a tenth"),
}
