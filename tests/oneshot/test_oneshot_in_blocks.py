"""More people than are looked at together: the same numbers a block at a time, from any table, in little memory."""
from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from test_oneshot_learner import population
from threadpoolctl import threadpool_info, threadpool_limits

from dpfair_teach import _checks, data
from dpfair_teach.oneshot import (
    FrontierLearner,
    _blocks,
    _clusters,
    _label,
    ask_part,
    ask_well,
    decision_matrix,
    design,
    design_question,
    fair_candidates,
    fit_group_posterior,
    learner,
    posterior,
    price_grid,
    public_data,
    representative,
    split_epsilon,
)
from dpfair_teach.oneshot.design import Doubt, least_doubt
from dpfair_teach.oneshot.posterior_frontier import what_is_believed
from dpfair_teach.oneshot.scaled import Moments, Scaling
from dpfair_teach.oneshot.settings import TARGETS

GAMMAS = [0, .03, .1, .3]


@pytest.fixture
def in_blocks(monkeypatch):
    """From here on more than 50 people are looked at in blocks of 64."""
    def patch() -> None:
        for module in (_blocks, _checks):
            monkeypatch.setattr(module, "TOGETHER", 50)
            monkeypatch.setattr(module, "BLOCK", 64)
        monkeypatch.setattr(decision_matrix, "NARROW", 16)
    return patch


def fitted(X, people):
    model = FrontierLearner(1.0, 0.0, gammas=GAMMAS)
    model.fit(X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
    return model, np.stack([model.predict_proba(X, gamma=g)[:, 1] for g in GAMMAS])


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_who_asks_well_believes_and_decides_the_same_in_blocks(k, in_blocks):
    """While everybody is in the sample. Of mixtures that are as good the last bits may choose, and with them what is asked next."""
    people, runs, second = population(k), [], []
    for patch in (lambda: None, in_blocks):
        patch()
        public = public_data(people.X, people.Y)
        runs.append(ask_well(public, people.A, 1.0, np.random.default_rng(2), n_groups=k, share=1.0))
        second.append(ask_well(public, people.A, 2.0, np.random.default_rng(2), n_groups=k, share=.5))
    (asked, one, found, path), (asked_again, other, found_again, path_again) = runs
    assert found.decisions.whole is not None and found_again.decisions.whole is None
    for mine, theirs in zip(asked, asked_again, strict=True):
        assert np.array_equal(mine.question, theirs.question) and np.array_equal(mine.answers, theirs.answers)
    for r in range(2):
        assert one.means(r) == pytest.approx(other.means(r), abs=.01) and np.array_equal(other.of_everybody(r), other.means(r))
    prices, values = price_grid(found.loss, found.rates(seed=1)), []
    for candidates, mixtures in ((found, path), (found_again, path_again)):
        rates = np.einsum("skhr,lh->slkr", candidates.rates(seed=1), mixtures)
        values.append(candidates.loss @ mixtures.T + prices * np.ptp(rates, axis=2).max(axis=2).mean(axis=0))
    assert values[0] == pytest.approx(values[1], abs=.01)
    for mine, theirs in zip(*(questions[2:] for questions, *_ in second), strict=True):
        assert mine.question[1].shape == theirs.question[1].shape and mine.release.part == theirs.release.part


def test_blocks_are_everybody_once_and_in_order(in_blocks):
    """Also where one person is left for the last block; up to 50 people are one block."""
    in_blocks()
    for n in (0, 1, 50, 51, 63, 64, 65, 192, 193):
        found = list(_blocks.blocks(n))
        assert np.array_equal(np.concatenate([np.arange(n)[at] for at in found] or [[]]), np.arange(n))
        assert len(found) == (n > 0 if n <= 50 else -(-n // 64)) and all(at.stop <= n for at in found)
    for width, size in ((1, 64), (128, 64), (300, 27), (10**6, 1)):         # of wider rows fewer
        found = [np.arange(193)[at] for at in _blocks.blocks(193, width)]
        assert np.array_equal(np.concatenate(found), np.arange(193)) and {len(at) for at in found[:-1]} == {size}


def a_sample(k, in_blocks, monkeypatch, size=40, **how):
    """Of 300 people, 105 of label 1, whose groups in a dozen cells of a label are known: candidates by a belief about all, and by one where
    40 of each label, or ``size``, stand for it, by the same answers; and a few mixtures of the latter."""
    people, rng = population(k), np.random.default_rng(2)
    labels = (people.X[:, 0] > np.quantile(people.X[:, 0], .65)).astype(int)
    public = public_data(people.X, labels, **how)
    asked = [ask_part(public.cells_of(part.rate, 12), people.A, part, part.first, rng) for part in split_epsilon(public, 30.0, k)]
    all_together = fair_candidates(public, fit_group_posterior(public, asked, k))
    in_blocks()
    monkeypatch.setattr(representative, "SAMPLE", size * k // 2)
    monkeypatch.setattr(representative, "LEAST", 1)
    public = public_data(people.X, labels, **how)
    few = fair_candidates(public, fit_group_posterior(public, asked, k))
    path = np.zeros((3, len(few.error)))
    path[:, rng.choice(len(few.error) - 2, 8)] = rng.dirichlet(np.ones(8), size=3)
    return public, asked, all_together, few, path


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("k", [2, 3])
def test_a_few_stand_for_everybody(k, target, in_blocks, monkeypatch):
    """Each of the sample for as many of the own cell as there are for each of it there; what is believed of them goes by that."""
    monkeypatch.setattr(posterior, "UNSURE", 0.0)        # factors of the prior are 1: they go by the sample, and this one is very small
    public, asked, all_together, few, _ = a_sample(k, in_blocks, monkeypatch, target=target)
    whole, belief = all_together.belief, few.belief
    drawn = belief.draws(2000, np.random.default_rng(4))
    for r, (people, at, times) in enumerate(zip(public.people, belief.sample.at, belief.sample.weights, strict=True)):
        cells = asked[r].question
        assert len(at) < 50 < len(people) and np.bincount(cells[at], times) == pytest.approx(np.bincount(cells))
        assert belief.of_everybody(r) == pytest.approx(whole.means(r), abs=.02)
        told = np.stack([np.bincount(cells[at], column) for column in belief.means(r).T])
        assert told == pytest.approx(asked[r].answers, abs=4 if target == "these" else 5)
        half = (public.X[people[at], 1] > 0).astype(float)
        variances = np.einsum("nas,n->sa", drawn[r], half).var(axis=0)
        spread = np.diag(belief.covariance(r, sparse.csr_array(half[None]))[2])
        assert variances == pytest.approx(spread, rel=.2)


@pytest.mark.parametrize(("k", "notion", "target"), [
    (2, "equalized_odds", "these"), (3, "equalized_odds", "these"), (2, "accuracy_parity", "these"), (2, "equalized_odds", "new")])
def test_candidates_of_a_sample_count_everybody(k, notion, target, in_blocks, monkeypatch):
    """What they are made of, the people of each group and label, are those of all. Their rates, and how these move with a person, are those
    of the sample with whom it stands for; of candidates that are published everybody's."""
    public, _, all_together, few, path = a_sample(k, in_blocks, monkeypatch, notion=notion, target=target)
    assert few.basis.n == pytest.approx(all_together.basis.n, rel=.15)
    assert few.basis.n.sum(axis=1) == pytest.approx([len(people) for people in public.people])
    belief, last = few.belief, fair_candidates(public, few.belief, few, path)
    accepts = [public.counted(last.decisions.of_people(people), people) for people in public.people]
    wrong = last.decisions.of_people(np.arange(public.m)) != public.y[:, None]
    assert last.error == pytest.approx(wrong.mean(axis=0))
    assert what_is_believed(belief, last, np.arange(5)).people.sum(axis=0) == pytest.approx([len(people) for people in public.people])
    drawn, drawn_last = few.rates(400, 0), last.rates(400, 0)
    for r, (accepted, times) in enumerate(zip(accepts, belief.sample.weights, strict=True)):
        rates = rates_by(belief.all_groups(belief.means(r), times[:, None]), few.of_sample[r])
        assert drawn[..., r].mean(axis=0) == pytest.approx(rates, abs=.03)
        rates = rates_by(belief.all_groups(belief.of_everybody(r), np.ones(len(accepted))[:, None]), accepted)
        assert drawn_last[..., r].mean(axis=0) == pytest.approx(rates, abs=.02)
    only = np.arange(0, len(last.error), 97)
    assert last.rates(20, 0, only) == pytest.approx(last.rates(20, 0)[:, :, only], abs=1e-5)


def rates_by(groups, accepted):
    """How often each group is accepted, (k, H), where (n, k) says how many of it everybody stands for."""
    return (groups.T @ accepted) / groups.sum(axis=0)[:, None]


def apart(cells, chances):
    """Of how chances (n, L) vary, the share that is within cells."""
    within = [chances[cells == cell] - chances[cells == cell].mean(axis=0) for cell in np.unique(cells)]
    return (np.concatenate(within)**2).sum() / ((chances - chances.mean(axis=0))**2).sum()


@pytest.mark.parametrize("k", [2, 3])
def test_a_question_that_a_few_design_leaves_nearly_as_little_as_everybody_s(k, in_blocks, monkeypatch):
    """By the belief about all. Who is in a cell is treated alike by the mixtures."""
    public, _, all_together, few, path = a_sample(k, in_blocks, monkeypatch, size=60)
    monkeypatch.setattr(design, "FEWEST", 9)
    monkeypatch.setattr(design, "ALIKE", 9 * len(few.belief.groups))
    prices = np.array([1.0, .3, .1])
    for r, people in enumerate(public.people):
        chances = few.decisions.of_people(people) @ path.T
        weights, of = design_question(few.belief, few, path, prices, r, 1.0)
        assert len(of) == len(people) and apart(of, chances) < .2 and .9 < np.abs(weights).sum(axis=0).max() <= 1 + 1e-9
        size = np.bincount(of)
        alike = np.stack([np.bincount(of, column) for column in chances.T], axis=1) / size[:, None]
        whole, ours = (Doubt(found.belief, r, of, alike, prices, 1.0) for found in (all_together, few))
        assert np.abs(np.log(ours.variances / whole.variances)).max() < 1      # of 54 people
        before, (after, _) = whole.prices @ np.sqrt(whole.variances), whole.after(weights)
        best, _ = whole.after(least_doubt(whole, size))
        assert before - after > .8 * (before - best)


def test_rows_are_looked_at_block_by_block_and_never_copied(monkeypatch):
    """What is wrong in the last block is said in the words of any table."""
    monkeypatch.setattr(_checks, "TOGETHER", 50)
    monkeypatch.setattr(_checks, "BLOCK", 64)
    X = np.zeros((200, 3), np.float32)
    assert np.shares_memory(_checks.rows("X", X), X) and not np.shares_memory(_checks.rows("X", X[:50]), X)
    for wrong, why in ((np.nan, "holds NaN or infinity"), (7.0, r"outside \[-1, 1\]")):
        X[199, 2] = wrong
        with pytest.raises(ValueError, match=rf"^X={wrong}: {why}"):
            _checks.rows("X", X, low=-1, high=1)
    with pytest.raises(ValueError, match=r"^X=\(200, 3\): is an array of shape \(200, 3\), not \(any, 4\)"):
        _checks.rows("X", X[:, :3] * 0, columns=4)
    with pytest.raises(ValueError, match=r"^X='a': not numeric"):
        _checks.rows("X", np.full((60, 1), "a", dtype=object))


@pytest.mark.parametrize("shift, scale", [(0.0, 1.0), (1e5, 1.0), (0.0, 1e-7)])
def test_moments_in_blocks_are_those_of_all(shift, scale, monkeypatch):
    """Least squares and principal axes; also of columns that are far from 0, in other units, constant or said twice."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4)) @ rng.normal(size=(4, 4))
    targets = X[:, 0] - X[:, 2] + rng.normal(size=500)
    X[:, 1] = shift + scale * X[:, 1]
    X = np.column_stack([X, X[:, 2], np.full(500, .1)])
    found = []
    for together in (500, 50):
        monkeypatch.setattr(_blocks, "TOGETHER", together)
        monkeypatch.setattr(_blocks, "BLOCK", 64)
        scaling = Scaling(X)
        found.append((scaling, Moments(X, scaling, targets)))
    for scaling, one in found:
        Z = np.column_stack([np.ones(500), scaling(X)])
        exact = Z @ np.linalg.lstsq(Z, targets, rcond=1e-8)[0]
        assert Z @ one.coefficients == pytest.approx(exact, abs=1e-6)
        assert [one.fitted_mean, one.fitted_deviation] == pytest.approx([exact.mean(), exact.std()])
        along = (Z[:, 1:] - one.mean) @ one.axes
        assert along.shape[1] == 4 and along[:, 0].std() == pytest.approx(1) and np.abs(np.corrcoef(along.T) - np.eye(4)).max() < 1e-6
    assert found[0][1].axes == pytest.approx(found[1][1].axes, abs=1e-5)         # medians of a sample start the second
    skew = np.exp(3 * rng.normal(size=(500, 1)))                                # so that its mean is not 0 when it is cut
    line = np.polyfit(Scaling(skew)(skew)[:, 0], targets, 1)[::-1]
    assert Moments(skew, Scaling(skew), targets).coefficients == pytest.approx(line)


@pytest.mark.parametrize("share", [.5, .02])
def test_newton_finds_the_optimum_that_scikit_learn_goes_to(share, monkeypatch):
    """With scikit-learn's tolerance at 1e-10, on the same scale; of all together and in blocks; few of one label, or half."""
    people = data.make_logistic(1500, d=4, rng=np.random.default_rng(3))
    X = np.column_stack([3 * people.X, np.full(1500, 2.0)])
    y = (X[:, 0] + np.random.default_rng(4).normal(size=1500) > np.quantile(X[:, 0], 1 - share)).astype(int)
    Z = Scaling(X)(X)
    exact = LogisticRegression(C=_label.C, max_iter=10_000, tol=1e-10).fit(Z, y)
    for together in (1500, 50):
        monkeypatch.setattr(_blocks, "TOGETHER", together)
        monkeypatch.setattr(_blocks, "BLOCK", 64)
        found = _label.LabelModel(X, y, Scaling(X))
        assert found.coefficients == pytest.approx(np.append(exact.intercept_, exact.coef_[0]), abs=1e-4) and found.coefficients[-1] == 0
        assert found(X) == pytest.approx(exact.predict_proba(Z)[:, 1], abs=1e-4)


def test_columns_that_a_sample_misses_cost_few_looks_at_everybody(monkeypatch):
    """Six are there for one in 400 each: a sample of 200 tells no curvature along most, and everybody does from the sixth step on.
    Else it takes 97 looks."""
    rng, looks, look = np.random.default_rng(0), [], _label.LabelModel._look
    X = np.column_stack([rng.normal(size=(6000, 3)), rng.random((6000, 6)) < 1 / 400])
    y = (rng.random(6000) < expit(X[:, 0] + 4 * X[:, 3:].sum(axis=1) - 1.5)).astype(int)
    monkeypatch.setattr(_label.LabelModel, "_look", lambda *given: looks.append(given[-1]) or look(*given))
    monkeypatch.setattr(_blocks, "TOGETHER", 200)
    found = _label.LabelModel(X, y, Scaling(X))
    assert len(looks) < 25
    exact = LogisticRegression(C=_label.C, max_iter=10_000, tol=1e-10).fit(Scaling(X)(X), y)
    assert found.coefficients == pytest.approx(np.append(exact.intercept_, exact.coef_[0]), abs=1e-4)


def test_a_public_sample_finds_the_centres_of_many_and_everybody_goes_to_the_nearest(monkeypatch):
    place = np.random.default_rng(5).normal(size=(2700, 3))
    whole = _clusters.clusters(place, 20, 3000)
    monkeypatch.setattr(_clusters, "SAMPLE", 1000)
    assert np.array_equal(_clusters.clusters(place, 20, 3000), whole) and whole.max() == 19
    monkeypatch.setattr(_blocks, "TOGETHER", 2000)
    codes, found = _clusters.clusters(place, 20, 3000), _clusters.centres(place, 20, 3000, random_state=0)
    assert codes.max() == 19 and len(found.labels_) == 1000
    distances = np.linalg.norm(place[:, None] - found.cluster_centers_, axis=2)
    assert np.array_equal(codes, distances.argmin(axis=1))
    assert len(_clusters.centres(place, 100, 3000, random_state=0).labels_) == 100 * _clusters.A_CENTRE


def test_what_is_kept_of_a_fit_holds_nobody(in_blocks):
    """The estimator keeps its answers, a number a person for each question; not X, nor anything as wide."""
    people, sizes = population(2), []
    in_blocks()
    for times in (1, 4):
        many = data.Dataset(np.tile(people.X, (times, 10)), np.tile(people.A, times), np.tile(people.Y, times),
                            [str(i) for i in range(40)], people.group_names, "many", people.provenance)
        sizes.append(len(pickle.dumps(fitted(many.X, many)[0])))
    assert sizes[1] - sizes[0] < 900 * 8 * 4


def test_a_fit_is_one_threads_work_and_leaves_the_others_as_they_were(monkeypatch):
    people, seen = data.make_logistic(300, rng=np.random.default_rng(1)), []
    public = learner.PublicData
    monkeypatch.setattr(learner, "PublicData", lambda *of, **how: (
        seen.append({pool["num_threads"] for pool in threadpool_info()}), public(*of, **how))[1])
    with threadpool_limits(2):
        before = [pool["num_threads"] for pool in threadpool_info()]
        FrontierLearner(1.0, .05).fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(2))
        assert [pool["num_threads"] for pool in threadpool_info()] == before
    assert seen == [{1}]
