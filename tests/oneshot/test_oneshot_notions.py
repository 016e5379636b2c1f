"""One-shot learning for every notion it serves, against an anchor and between pairs, for 2, 3 and 5 groups."""
from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from dpfair_teach import audit, data, fairness
from dpfair_teach.fairness.parity import ACCEPTANCE_NOTIONS as NOTIONS
from dpfair_teach.fairness.parity import OF_GROUPS as FORMS
from dpfair_teach.oneshot import FrontierLearner, asked
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.asked import Asked
from faults import Mutant

EVERY = [(notion, against) for notion in NOTIONS for against in FORMS]
GAMMAS = [0.0, 0.05]


@functools.cache
def population(k: int, m: int = 900) -> data.Dataset:
    return data.make_logistic(m, n_groups=k, d=4, shifts=np.outer(np.linspace(0, 1, k), [1, .5, 0, 0]), rng=np.random.default_rng(1))


def fitted(people: data.Dataset, A: np.ndarray, k: int, epsilon: float = 1e4, **how: object) -> FrontierLearner:
    return FrontierLearner(epsilon, 0.0, n_groups=k, gammas=GAMMAS, **how).fit(people.X, people.Y, sensitive_features=A,
                                                                          rng=np.random.default_rng(2))


@pytest.mark.parametrize("method, k, notion, against", [
    *[("histogram", k, notion, against) for k in (2, 3, 5) for notion, against in EVERY],
    *[("designed", 3, notion, FORMS[i % 2]) for i, notion in enumerate(NOTIONS)]])
def test_with_hardly_any_noise_the_notion_is_kept_and_no_other_price_is_paid(method, k, notion, against):
    """In-sample, by the counts of the people themselves; and a tolerance lowers the error."""
    people = population(k)
    model = fitted(people, people.A, k, method=method, notion=notion, against=against)
    parity = fairness.Parity(notion, against)
    found = [parity.violation(fairness.cell_counts(model.predict_proba(people.X, gamma=g)[:, 1], people.A, people.Y, n_groups=k))
             for g in GAMMAS]
    assert np.abs(np.array(found) - GAMMAS).max() < 0.04
    error = model.frontier_.expected_error
    assert error[1] < error[0] <= min(people.Y.mean(), 1 - people.Y.mean()) + 1e-9
    assert model.frontier_.gaps.shape[1] == len(parity.comparisons(k)) * len(parity.cells)


@pytest.mark.parametrize("notion, against", EVERY)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_one_person_moves_the_answers_by_the_recorded_sensitivity_at_most(k, notion, against):
    """Every person, every other group, without noise: attained by somebody; nobody who is not asked moves anything."""
    people = population(k, 40)
    public = Public(people.X, people.Y, parity=fairness.Parity(notion, against))

    def answers(A: np.ndarray) -> list:
        one = Asked(public, A, k, np.random.default_rng(0))
        one.histogram(*public.cells(4), 1e9)
        one.sums(1e9, "l1", "coordinates")
        return one.known

    everybody = np.full(people.m, k - 1)        # who comes from group 0 moves one count only, where that is not asked for
    before, moved = answers(everybody), []
    for i in range(people.m):
        for a in range(k - 1):
            A = everybody.copy()
            A[i] = a
            after = answers(A)
            change = [np.abs(x[1] - y[1]).sum() for x, y in zip(before.answers, after.answers, strict=True)]
            if i not in public.asked:
                assert max(change) < 1e-4                   # Laplace noise at epsilon 1e9
            moved.append(change)
    most = [release.sensitivity for release in before.releases]
    assert most[0] == (1 if k == 2 else 2)
    assert np.max(moved, axis=0) == pytest.approx(most, abs=1e-4)
    assert len(public.asked) == {"false_positive": (people.Y == 0).sum(), "true_positive": (people.Y == 1).sum()}.get(notion, people.m)


@pytest.mark.parametrize("notion, against", [("demographic_parity", "anchor"), ("false_positive", "pairs"), ("equalized_odds", "pairs")])
def test_the_counts_give_away_what_their_record_says(notion, against, monkeypatch):
    """Everybody a cell of the own, so everybody is a trial: n = 3,000 of group 1 against as many of group 2, alpha = 1e-9. More than half
    of the claim is certified and not more than it; with the noise of twice the epsilon it is refuted."""
    people = population(3, 600)
    public = Public(people.X, people.Y, parity=fairness.Parity(notion, against))
    n, rounds = len(public.asked), -(-3000 // len(public.asked))
    codes = np.full(people.m, -1)
    codes[public.asked] = np.arange(n)

    def attack(seed: int) -> float:
        ones = []
        for a in (1, 2):
            rng = np.random.default_rng(seed + a)
            hits = 0
            for _ in range(rounds):
                one = Asked(public, np.full(people.m, a), 3, rng)
                one.histogram(codes, n, 2.0)
                ones_, twos = one.known.answers[0][1][-2:]
                hits += int(((ones_ >= 1) & (twos <= 0)).sum())
            ones.append(hits)
        return audit.epsilon_lower_bound(ones[0], ones[1], n * rounds, alpha=1e-9)

    assert 1.0 < attack(5) <= 2.0
    real = asked.release_cells
    monkeypatch.setattr(asked, "release_cells", lambda cells, A, epsilon, *args, **kw: real(cells, A, 2 * epsilon, *args, **kw))
    assert attack(5) > 2.0


def permuted(monkeypatch, k: int, order: np.ndarray, noise: np.ndarray | None) -> None:
    """Counts without noise, or with the given noise of each group by its first name."""
    real = asked.release_cells

    def release_cells(cells, A, epsilon, rng, **kw):
        _, release = real(cells, A, epsilon, rng, **kw)
        counts = np.stack([np.bincount(cells[A == a], minlength=kw["n_cells"]) for a in range(k)])
        if noise is not None:
            counts = counts + noise[np.argsort(order)][:, :kw["n_cells"]]
        return counts[k - len(_):], release

    monkeypatch.setattr(asked, "release_cells", release_cells)


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_between_pairs_renamed_groups_get_the_same_classifiers(k, notion, noisy, monkeypatch):
    """The same draws, renamed, and everybody is treated as before: nothing depends on which group is called 0. Of two groups the noise of
    one is the noise of the other with the sign turned, as their counts add up to what is public."""
    people = population(k)
    order = np.roll(np.arange(k), 1) if k > 2 else np.array([1, 0])         # group a is called order[a]
    noise = np.random.default_rng(3).integers(-9, 10, (k, 400)) if noisy else None
    if noisy and k == 2:
        noise[0] = -noise[1]
    treated = []
    for names in (np.arange(k), order):
        with monkeypatch.context() as patch:
            permuted(patch, k, names, noise)
            model = fitted(people, names[people.A], k, 2.0, notion=notion, against="pairs", share=1.0 if noisy else 0.5)
            treated.append([model.predict_proba(people.X, gamma=g)[:, 1] for g in GAMMAS])
            assert [r.epsilon for r in model.releases_] == ([2.0] if noisy else [1.0, 1.0])
    assert np.abs(np.array(treated[0]) - treated[1]).max() < 1e-6


def test_against_an_anchor_the_order_of_groups_matters_with_three():
    """What the form between pairs is for: the anchor's gap is kept, the widest of the others is not."""
    people = population(3)
    gaps = []
    for against in FORMS:
        model = fitted(people, people.A, 3, notion=fairness.Parity("demographic_parity", against, 1 if against == "anchor" else 0))
        counts = fairness.cell_counts(model.predict_proba(people.X, gamma=0.05)[:, 1], people.A, people.Y)
        gaps.append(float(fairness.violation(counts, "demographic_parity", "pairs")))
    assert gaps[0] > 0.07 and gaps[1] < 0.07


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("notion, against", EVERY)
def test_the_answers_have_the_shapes_that_the_docstring_says(k, notion, against):
    """(k-1, J) and (k-1, R, d); between pairs with three groups or more k in place of k-1."""
    people = population(k)
    rows, rates = k - 1 + (against == "pairs" and k > 2), len(fairness.Parity(notion).cells)
    shapes = {}
    for method in ("histogram", "sums"):
        model = fitted(people, people.A, k, 1.0, notion=notion, against=against, method=method)
        shapes[method] = [np.shape(answer) for _, answer in model.answers_]
    assert [shape[0] for shape in shapes["histogram"]] == [rows, rows] and len(shapes["histogram"][0]) == 2
    assert shapes["sums"][0][:2] == (rows, rates) and len(shapes["sums"][0]) == 3
    said = FrontierLearner.__doc__
    assert "noisy sums (k-1, R, d)" in said and "Between pairs with three or more groups k in place of k-1" in said


# --- deliberate faults

def asks_everybody(f):
    def __init__(self, public, k):
        f(self, public, k)
        self.every_group = False
        self.groups = range(1, k)
        self.observed, self.means = self.observed[-(k - 1):], self.means[-(k - 1):]
        self.weights_of_features = self.weights_of_features[-(k - 1):]
    return __init__


def anchored(f):
    return lambda decisions, weights, strata, parity: f(decisions, weights, strata, dataclasses.replace(parity, against="anchor"))


FAULTS = {
    "oneshot_pairs_half_the_sensitivity": Mutant(
        "dpfair_teach.mechanisms.cell_sensitivity", lambda f: lambda k, every_group=False: f(k, every_group) / (1 + every_group),
        "counts of every group at half their sensitivity"),
    "oneshot_pairs_leave_group_0_out": Mutant(
        "dpfair_teach.oneshot.known.Known.__init__", asks_everybody, "between pairs group 0 is still what the others leave"),
    "oneshot_pairs_are_anchored": Mutant(
        "dpfair_teach.oneshot.candidates.gaps_of", anchored, "between pairs only gaps to group 0 are kept"),
}
