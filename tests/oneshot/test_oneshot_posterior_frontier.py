"""What is published: means and deviations by the law of everybody's groups, the lower hull, and no constant where a mixture is better."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_oneshot_posterior import CASES, believed, written_out

from dpfair_teach import data
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import FrontierLearner, ask_well, fair_candidates, learner, posterior_frontier, public_data
from dpfair_teach.oneshot.candidates import Candidates
from dpfair_teach.oneshot.posterior_frontier import (
    MORE_APART,
    NARROW,
    USEFUL,
    RateDraws,
    between,
    doubt_of,
    expected_violations,
    fairest_useful,
    lower_corners,
    published_of,
    what_is_believed,
)

PEOPLE = data.make_logistic(500, d=4, shifts=[[0, 0, 0, 0], [1, .5, 0, 0]], rng=np.random.default_rng(1))


def fitted(**how):
    model = FrontierLearner(2.0, .05, **how)
    return model.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(3))


def published(k, against, notion):
    _, public, belief = believed(k, against, notion)
    found = fair_candidates(public, belief)
    path = np.zeros((3, len(found.error)))
    path[[0, 1, 2], [-1, 5, int(found.error.argmin())]] = 1.0
    return public, belief, found, published_of(belief, found, path, (0.0, .1))


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_people_and_deviations_are_those_of_everybody_s_groups_by_the_law_written_out(k, against, notion):
    """As many people as the answers make expect: the chances alone say another number. The deviation is of those whom a public score puts
    in the upper half, plus a half for them and minus a half for the others."""
    public, belief, _, (_, _, told) = published(k, against, notion)
    law, apart, score = written_out(belief), 0.0, public.map.score(public.scaling(public.X))
    for r, (start, stop) in enumerate(itertools.pairwise(law.ends)):
        people = public.people[r]
        counted = law.mean[start:stop].reshape(len(belief.groups), -1).sum(axis=1)
        everybody = counted if len(belief.groups) == k else np.append(len(people) - counted.sum(), counted)
        assert told.people[:, r] == pytest.approx(everybody)
        apart = max(apart, np.abs(belief.p[r].sum(axis=0) - everybody).max())
        upper = np.where(score[people] > np.median(score[people]), .5, -.5)
        assert told.deviation[:, r] == pytest.approx(np.sqrt(belief.noise(r, upper)), rel=1e-9)
    assert apart > 1e-3


def test_of_a_handful_of_people_nothing_is_known_better_than_by_a_count():
    """At most half of everybody is counted with plus and half with minus a half: a quarter of the variance of a count, of all questions
    together."""
    _, belief, found, _ = published(2, "anchor", "equalized_odds")
    belief.noise = lambda r, weights: 0.0
    told = what_is_believed(belief, found, np.arange(len(found.error))[-3:])
    for r in range(2):
        assert told.deviation[:, r] == pytest.approx(.5 / np.sqrt(sum(1 / question.variance for question in belief.asked[r])))


@pytest.mark.parametrize("spared", [.2, 1.2, 8.0])
def test_for_gamma_0_a_constant_is_published_only_where_no_mixture_is_useful(spared, monkeypatch):
    """Of a path from constants over a mixture that spares so many times what counts as useful, to the best one; and of constants alone."""
    monkeypatch.setattr(posterior_frontier, "NARROW", 1.0)          # no gap is too large
    _, belief, found, _ = published(2, "anchor", "equalized_odds")
    constant, best = found.loss[-2:].min(), int(found.loss.argmin())
    better = int(np.argmin(np.abs(found.loss - constant)[:-2]))
    found.loss[better] = constant - spared * USEFUL
    path = np.eye(len(found.loss))[[-2, -1, better, best]]
    _, frontier, _ = published_of(belief, found, path, (0.0, 1.0))
    fairest = found.decisions.multipliers[better if spared > 1 else best]
    assert found.loss[best] < constant - 2 * USEFUL and np.array_equal(frontier.row(0.0) @ frontier.multipliers, fairest)
    found.loss[:] = np.maximum(found.loss, constant - spared * USEFUL / 10)         # where none spares so much, half of what any spares
    assert not published_of(belief, found, path, (0.0,))[1].row(0.0)[-2:].any()
    found.loss[:] = np.maximum(found.loss, constant)
    found.loss[-2:] = constant          # and where both constants are level it is one of them
    _, frontier, told = published_of(belief, found, path, (0.0, 1.0))
    assert (frontier.weights[:, -2:].max(axis=1) == 1).all() and not expected_violations(told, frontier.weights, Parity()).any()


def test_for_every_gamma_above_0_a_constant_is_the_end_of_the_path():
    """A gamma below what the fairest mixture violates by is met by as much of that as it allows, and of the constant the rest."""
    F = fitted().frontier_
    first, half = F.corners[0], F.violations[1] / 2
    assert first[-2:].max() == 1 and F.violations[0] == 0 and F.error @ first == F.error[-2:].min()
    assert F.row(half) == pytest.approx((first + F.corners[1]) / 2) and not F.row(0.0)[-2:].any()
    for wrong in (float("nan"), -1, "a"):
        with pytest.raises(ValueError, match=r"^gamma="):
            F.row(wrong)


def test_what_gamma_0_gave_is_said_with_its_violation_where_it_is_no_constant():
    """It is the fairest of the path that errs less than a constant."""
    model = FrontierLearner(2.0, 0.0, gammas=[0.0])
    model.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=PEOPLE.A, rng=np.random.default_rng(3))
    violation = model.frontier_.expected_violation[0]
    assert model.summary_.endswith(f" the fairest of the path that errs less than a constant, expected to violate by {violation:.3g}.")
    assert violation > 0 and model.frontier_.expected_error[0] < model.frontier_.error[-2:].min() - USEFUL


def test_gamma_0_of_a_path_from_a_constant_to_the_base_is_a_mixture_of_both():
    """Groups go by the label's chance, and nothing between is worth its price. So much of the base is left as violates by .05."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4))
    alike = X[:, 0] * X[:, 1] > 0
    Y, A = ((rng.random(2000) < np.where(alike, 1 - share, share)).astype(int) for share in (.15, .2))
    model = FrontierLearner(1.0, 0.0, notion="demographic_parity").fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))
    F = model.frontier_
    assert F.violations[1] > 4 * NARROW and F.row(0.0) @ F.error < F.error[-2:].min() - USEFUL
    assert model.curve([0]).claimed[0] == pytest.approx(NARROW) and .5 < F.row(0.0)[-2:].max() < 1
    share = F.row(0.0)[-2:].max()
    assert model.summary_.endswith(f" a mixture that errs less than a constant, {share:.0%} of it constants, expected to violate by 0.05.")


def test_the_fairest_useful_mixture_stays_useful_and_by_accuracy_parity_whole():
    """Of what violates by .3 and spares .008 half is kept, which spares .004: what .05 allows, a sixth, would spare too little."""
    violations, losses = np.array([.3, .1, 0.0]), np.array([.292, .299, .3])
    assert fairest_useful(violations, losses, 2, Parity()) == (0, pytest.approx(.15))
    assert fairest_useful(violations, losses - [.05, 0, 0], 2, Parity()) == (0, NARROW)
    assert fairest_useful(violations, losses - [.05, .05, 0], 2, Parity("accuracy_parity")) == (1, .1)
    assert fairest_useful(violations / 10, losses - [.05, .05, 0], 2, Parity()) == (1, .01)
    assert fairest_useful(violations, np.array([.4, .3, .3]), 2, Parity()) == (2, 0)


class Says:
    """A base that says one chance of everybody."""

    def __init__(self, chance):
        self.chance = chance

    def predict_proba(self, X):
        return np.tile([1 - self.chance, self.chance], (len(X), 1))


def of_rare_labels(base=None):
    """A tenth has label 1, and x tells nothing of it."""
    rng = np.random.default_rng(1)
    X, A, y = rng.integers(0, 2, (400, 1)), rng.integers(0, 2, 400), (rng.random(400) < .1).astype(int)
    return FrontierLearner(2.0, 0.0, base=base).fit(X, y, sensitive_features=A, rng=rng), X


@pytest.mark.parametrize("base", [None, Says(.1), Says(.9)])
def test_where_a_base_is_no_better_than_a_constant_that_is_what_is_published(base):
    """Nobody is accepted."""
    model, X = of_rare_labels(base)
    assert not model.predict_proba(X)[:, 1].any()


@pytest.mark.parametrize("chance", [.9, .1])
def test_a_constant_that_gamma_0_gave_is_said_to_be_one(chance):
    """Where the base is worse than a constant, and where it decides as one."""
    told = of_rare_labels(Says(chance))[0].summary_
    assert told.endswith(" gamma = 0: a constant, as no mixture errs less.")


def test_by_accuracy_parity_constants_have_gaps_and_the_fairest_mixture_is_none():
    """More people of one group have label 1, and who accepts everybody is right about it more often; a mixture is fairer than that."""
    model = fitted(notion="accuracy_parity", gammas=[0.0, .01])
    F = model.frontier_
    assert expected_violations(model.accepted_, np.eye(len(F.error))[-2:], model._parity).min() > .05 and F.row(0.0)[-2:].sum() < .5
    assert F.expected_violation.max() < .05 and F.expected_error.max() < F.error[-2:].min() - .1


def test_by_accuracy_parity_half_of_both_constants_keeps_what_no_candidate_does():
    """Of one group half have label 1, of the other a tenth, and x tells nothing: each constant is right about more of one group."""
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(1000, 3)), rng.integers(0, 2, 1000)
    Y = (rng.random(1000) < np.where(A == 1, .5, .1)).astype(int)
    model = FrontierLearner(2.0, .05, notion="accuracy_parity").fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))
    assert model.curve([.05]).claimed[0] <= .05 and model.frontier_.row(.05)[-2:].min() > .3 and "constant" not in model.summary_
    model.set_params(gamma=0.0).fit(X[:, :1] > 0, Y, sensitive_features=A, rng=np.random.default_rng(1))
    violation = model.curve([0]).claimed[0]
    assert violation > .3 and model.summary_.endswith(f" 0: a constant, as no mixture errs less, expected to violate by {violation:.3g}.")


def test_by_accuracy_parity_gamma_0_is_the_better_constant_where_none_errs_less():
    """And neither the fairer one nor half of both."""
    _, belief, found, _ = published(2, "anchor", "accuracy_parity")
    found.loss[:] = np.maximum(found.loss, found.loss[-2:].min())
    _, frontier, _ = published_of(belief, found, np.eye(len(found.loss))[[5, -2, -1]], (0.0,))
    assert frontier.row(0.0)[-2:].tolist() == np.eye(2)[found.loss[-2:].argmin()].tolist()


def test_a_gamma_above_0_is_kept_by_what_is_expected_and_0_by_the_fairest_useful_mixture():
    model = fitted(gammas=[0.0, .02, .05, .1, .3])
    F = model.frontier_
    assert (F.expected_violation[1:] <= F.gammas[1:]).all() and F.expected_violation[1:4] == pytest.approx(F.gammas[1:4], abs=1e-3)
    assert np.array_equal(F.weights[0], F.fairest) and 0 < F.expected_violation[0] < .02
    assert (np.diff(F.expected_error) <= 1e-12).all() and (np.diff(F.violations) > 0).all()
    table = model.curve([.02, .05, .1])
    assert (table.claimed <= table.violation + 1e-9).all() and (table.violation_low <= table.violation).all()
    assert table.claimed.to_numpy() == pytest.approx(F.expected_violation[1:4], abs=1e-9)
    assert (table.violation <= table.violation_high).all() and np.array_equal(table.error_low, table.error_high)


def test_corners_are_the_lower_hull_and_between_them_is_a_mixture():
    rng = np.random.default_rng(5)
    x, y = np.append(0.0, rng.random(30)), np.append(.5, rng.random(30) * .5)
    hull = lower_corners(x, y)
    for w in rng.dirichlet(np.ones(31), size=200):          # no mixture lies below
        at = w @ x
        if at <= x[hull[-1]]:
            row = between(np.eye(31)[hull], x[hull], at)
            assert row @ x == pytest.approx(at) and row @ y <= w @ y + 1e-12
    for gamma, end in ((5.0, hull[-1]), (-1.0, hull[0])):       # beyond the last, and below the first: that one
        assert np.array_equal(between(np.eye(31)[hull], x[hull], gamma), np.eye(31)[end])


def test_what_is_published_is_told_by_draws_that_chose_no_mixture(monkeypatch):
    """What a mixture was chosen by it violates by less than it does."""
    honest, seeds = Candidates.rates, []
    monkeypatch.setattr(Candidates, "rates", lambda self, size=None, seed=0, *of: (seeds.append(seed), honest(self, size, seed, *of))[1])
    fitted()
    assert len(seeds) == 3 and len(set(seeds)) == 3


def test_intervals_are_those_of_larger_deviations(monkeypatch):
    """By the factor that is calibrated; 1 makes them narrower."""
    model = fitted()
    assert MORE_APART > 1
    weights = np.stack([model.frontier_.row(gamma) for gamma in (.02, .1)])
    plain, apart = model.accepted_.rates(weights), model.accepted_.rates(weights, MORE_APART)
    inside = ((apart > 0) & (apart < 1)).all(axis=0)
    assert inside.any() and apart.std(axis=0)[inside] == pytest.approx(MORE_APART * plain.std(axis=0)[inside])
    assert apart.mean(axis=0)[inside] == pytest.approx(plain.mean(axis=0)[inside])
    wide = model.curve([.02, .1])
    monkeypatch.setattr(learner, "MORE_APART", 1.0)
    narrow = model.curve([.02, .1])
    assert (wide.violation_high > narrow.violation_high).all() and np.array_equal(wide.claimed, narrow.claimed)


def test_what_is_expected_is_the_mean_violation_and_not_that_of_the_mean():
    """One candidate of which each of two groups is accepted more by 0.2, in half of the draws: that is the doubt, too."""
    drawn = np.array([[.4, .6], [.6, .4]])[:, :, None, None]                # (D, k, S, R)
    told = RateDraws(drawn, np.ones((2, 1)), np.ones((2, 1)))
    assert np.unique(told.rates(np.ones((1, 1)), 9.0)).tolist() == [0.0, 1.0]           # what can be, however far apart
    for parity in (Parity("demographic_parity"), Parity("demographic_parity", "pairs")):
        assert expected_violations(told, np.ones((1, 1)), parity) == pytest.approx([.2])
        assert doubt_of(told, np.ones(1), parity) == pytest.approx(.2)


def test_what_is_published_of_a_mixture_is_all_of_it_however_rarely_a_candidate_is_used():
    """A mixture that uses one of them once in a million times: the same errors, and the same people are accepted as often."""
    public = public_data(PEOPLE.X, PEOPLE.Y)
    _, belief, found, path = ask_well(public, PEOPLE.A, 2.0, np.random.default_rng(2))
    path = (1 - 1e-6) * path[[8]]
    path[0, int(found.error[:-2].argmax())] += 1e-6
    basis, frontier, _ = published_of(belief, found, path, (1.0,))
    accepted = (basis(PEOPLE.X) @ frontier.multipliers.T > 0) @ frontier.row(1.0)
    assert frontier.row(1.0) @ frontier.error == pytest.approx(path[0] @ found.error, rel=1e-12)
    assert accepted == pytest.approx(path[0] @ found.decisions.whole, rel=1e-9, abs=1e-12)
