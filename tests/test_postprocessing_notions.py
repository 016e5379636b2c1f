"""Other notions than equalized odds, and gaps of any two groups: explicit rows, all renumberings, all neighbours; what is published."""
from __future__ import annotations

import pickle
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import fairness, mechanisms
from dpfair_teach.data import base_classifier, load
from dpfair_teach.fairness import Parity
from dpfair_teach.postprocessing import (
    DPPostProcessing,
    bins_slack,
    closed_form,
    derived_counts,
    dual_value,
    k_norm_probability,
    lift_unusable,
    margin_slack,
    public_margin_counts,
    solve_lp,
)
from faults import Mutant

NOTIONS = ("equalized_odds", "false_positive", "true_positive", "demographic_parity")

# ---------------------------------------------------------------------------------------------------------- the programs


def by_rows(q, gamma, slack, parity):
    """The optimum by scipy's solver from one row for every signed gap, made by ``Parity`` from the rates."""
    b, k, _ = q.shape
    label = parity.cells[0].label
    tables = []
    for v, a in product(range(b), range(k)):            # the rates are linear: those of each unit vector
        p = np.zeros((b, k))
        p[v, a] = 1.0
        top = (q * p[..., None]).sum(axis=0)
        tables.append(np.stack([top.sum(axis=1) / q[:, :, :].sum(axis=(0, 2))] if label is None else
                               [top[:, cell.label] / q[..., cell.label].sum(axis=0) for cell in parity.cells], axis=-1))
    rows = parity.differences(np.array(tables)).T
    each = np.broadcast_to(slack, (k, 1 if label is None else 2))[:, [cell.label or 0 for cell in parity.cells]]
    allowed = [gamma + (each[a] + each[other] if parity.against == "pairs" else each[a]) for a, other in parity.comparisons(k)]
    most = np.concatenate(allowed)
    finite = np.isfinite(most)
    rows, most = rows[finite], most[finite]
    cost = (q[..., 0] - q[..., 1]).ravel()
    return linprog(cost, A_ub=np.vstack([rows, -rows]), b_ub=np.append(most, most), bounds=(0, 1), method="highs").fun + q[..., 1].sum()


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("against", ["anchor", "pairs"])
@pytest.mark.parametrize("k, b", [(2, 2), (3, 2), (5, 2), (2, 4), (3, 3)])
def test_the_program_is_the_one_with_a_row_for_every_gap(notion, against, k, b):
    """20 tables, gammas, with and without slack, some infinite: value, fairness by the table, proof; a batch and closed_form too."""
    rng, parity = np.random.default_rng(k * b), Parity(notion, against)
    wide = 1 if notion == "demographic_parity" else 2
    tables = rng.dirichlet(np.ones(2 * b * k), size=20).reshape(20, b, k, 2)
    gammas = rng.choice([0.0, 0.01, 0.05, 0.3], 20)
    slacks = np.where(rng.random((20, 1, 1)) < 0.4, 0.0, rng.choice([0.0, 0.04, 0.2, np.inf], (20, k, wide)))
    many = solve_lp(tables, gammas, slacks, notion=Parity(notion, against))
    assert many.dual.shape == (20, k, wide)
    for n, (q, gamma, slack) in enumerate(zip(tables, gammas, slacks, strict=True)):
        one = solve_lp(q, gamma, slack, notion=parity)
        wanted = by_rows(q, gamma, slack, parity)
        assert one.value == pytest.approx(wanted, abs=1e-8) and many.value[n] == pytest.approx(wanted, abs=1e-8)
        for dual in (one.dual, many.dual[n]):
            assert dual_value(q, gamma, dual, slack, notion=Parity(notion, against)) == pytest.approx(wanted, abs=1e-8)
        if not slack.any() and b == 2:
            assert parity.violation(derived_counts(q, one.p)) <= gamma + 1e-8
        elif not slack.any():
            assert parity.violation(derived_counts(q, many.p[n])) <= gamma + 1e-8
        if k == 2:
            closed = closed_form(q, gamma, slack, notion=Parity(notion, against))
            assert closed.value == pytest.approx(wanted, abs=1e-8)
            assert dual_value(q, gamma, closed.dual, slack, notion=parity) == pytest.approx(wanted, abs=1e-8)
    if k == 2:
        closed = closed_form(tables, gammas, slacks, notion=Parity(notion, against))
        assert closed.value == pytest.approx(many.value, abs=1e-8) and closed.dual.shape == (20, k, wide)


def test_two_groups_are_one_pair():
    rng = np.random.default_rng(3)
    for q in rng.dirichlet(np.ones(8), size=30).reshape(30, 2, 2, 2):
        for notion in NOTIONS:
            values = [solve_lp(q, 0.04, notion=Parity(notion, against)).value for against in ("anchor", "pairs")]
            assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_equal_rates_of_more_groups_have_a_closed_form_between_pairs_too():
    q = np.random.default_rng(5).dirichlet(np.ones(12), size=30).reshape(30, 2, 3, 2)
    best = closed_form(q, 0.0, notion=Parity(against="pairs"))
    assert best.value == pytest.approx(solve_lp(q, 0.0, notion=Parity(against="pairs")).value, abs=1e-9)
    assert dual_value(q, 0.0, best.dual, notion=Parity(against="pairs")) == pytest.approx(best.value, abs=1e-9)
    assert Parity(against="pairs").violation(derived_counts(q, best.p)).max() <= 1e-8


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_thousand_groups_between_pairs(notion):
    """Half a million pairs, and no row for each of them."""
    k = 1000
    q = np.random.default_rng(0).dirichlet(np.ones(4 * k)).reshape(2, k, 2)
    best = solve_lp(q, 0.1, notion=Parity(notion, "pairs"))
    assert Parity(notion, "pairs").violation(derived_counts(q, best.p)) <= 0.1 + 1e-8


# -------------------------------------------------------------------------------------------------------- renumbered groups

TABLES = {
    "smooth": lambda rng, k: rng.dirichlet(np.ones(4 * k)).reshape(2, k, 2),
    "ties": lambda rng, k: rng.integers(1, 4, (2, k, 2)) / 12,
    "alike": lambda rng, k: np.repeat(rng.integers(1, 5, (2, 1, 2)), k, axis=1) / 20,
    "two alike": lambda rng, k: rng.integers(1, 9, (2, 2, 2))[:, [0, *[1] * (k - 1)]] / 40,
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_between_pairs_a_renumbering_renumbers_the_answer_and_changes_nothing(kind, notion, k):
    """Every permutation of the groups, bit for bit: p, value and multipliers, by every solver, with slack and without."""
    rng = np.random.default_rng(k)
    for trial in range(4):
        q, gamma = TABLES[kind](rng, k), rng.choice([0.0, 0.03, 0.2])
        slack = rng.choice([0.0, 0.05, np.inf] if trial > 1 else [0.0], (k, 1 if notion == "demographic_parity" else 2))
        solvers = [solve_lp]
        if k == 2 or (gamma == 0 and not slack.any() and notion == "equalized_odds"):
            solvers.append(closed_form)
        for solve in solvers:
            best = solve(q, gamma, slack, notion=Parity(notion, "pairs"))
            for order in permutations(range(k)):
                other = solve(q[:, order], gamma, slack[list(order)], notion=Parity(notion, "pairs"))
                assert np.array_equal(other.p, best.p[:, order]) and other.value == best.value
                assert np.array_equal(other.dual, best.dual[list(order)])


def sex_and_age():
    """Three groups of the adults: older women, younger men, older men."""
    data = load("adult")
    old = data.X[:, list(data.feature_names).index("age")] > 37
    A = np.where(data.A == data.group_names.index("Male"), 1 + old, 0)
    keep = (A > 0) | old
    return base_classifier(data), data.X[keep], A[keep], data.Y[keep]


def test_pairs_by_sex_and_age():
    """gamma = .05 holds for any two groups on the released table; to group 0 only, another pair has more, and the numbering decides."""
    base, X, A, Y = sex_and_age()

    def fit(against, order=(0, 1, 2)):
        groups = np.array(order)[A]
        model = DPPostProcessing(base, 1.0, 0.05, n_groups=3, against=against)
        model.fit(X, Y, sensitive_features=groups, rng=np.random.default_rng(1))
        released = derived_counts(model.q_tilde_, model.p_)
        return [float(fairness.violation(released, against=form)) for form in ("anchor", "pairs")], float(fairness.error(released))

    (to_0, any_two), _ = fit("anchor")
    assert to_0 <= 0.05 + 1e-8 and any_two > 0.09
    (_, any_two), _ = fit("pairs")
    assert any_two <= 0.05 + 1e-8
    counts = fairness.cell_counts(base.predict(X), A, Y) / len(Y)
    best = {against: [solve_lp(counts[:, order], 0.05, notion=Parity(against=against)).value for order in permutations(range(3))]
            for against in ("anchor", "pairs")}
    assert len(set(best["pairs"])) == 1 and max(best["anchor"]) - min(best["anchor"]) > 0.002


# ------------------------------------------------------------------------------------------------------------- the release

@pytest.mark.parametrize("k", [2, 3])
def test_what_is_released_for_demographic_parity_is_private_on_every_pair_of_neighbours(k):
    """4 people, one in each public cell but the last, which has two; every A, every change of one, every output near: the exact loss.

    With noise for the table's own sensitivity, 1 person, as the record says. The loss reaches epsilon.
    """
    epsilon, prediction, Y = 0.7, np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1])
    model = DPPostProcessing(lambda X: X[:, 0], epsilon, 0.1, notion="demographic_parity", n_groups=k)
    model.fit(prediction[:, None], Y, sensitive_features=np.arange(5) % k, rng=np.random.default_rng(0))
    (release,) = model.releases_
    assert (release.epsilon, release.sensitivity) == (epsilon, 1)
    near = np.array([x for x in product(range(-3, 4), repeat=k) if sum(x) == 0])

    @cache
    def loss(moved):
        return np.abs(np.log(k_norm_probability(near, epsilon)) - np.log(k_norm_probability(near - moved, epsilon))).max()

    worst = 0.0
    for A in product(range(k), repeat=5):
        counts = fairness.cell_counts(prediction, A, Y, k)
        for i, other in product(range(5), range(k)):
            change = fairness.cell_counts(prediction, [*A[:i], other, *A[i + 1:]], Y, k) - counts
            moved = np.moveaxis(change, 1, -1).reshape(-1, k)                       # the noise of each (yhat, y) is independent
            worst = max(worst, sum(loss(tuple(x)) for x in moved))
            summed = change.sum(axis=2)                                             # [yhat, a]: what the constraint needs
            assert np.maximum(summed, 0).sum() <= 1 and np.abs(summed).sum() <= 2
    assert worst == pytest.approx(epsilon)


def test_the_release_of_every_notion_is_the_same_table():
    """One draw, whatever the notion, so nothing is drawn twice; that its law is the record's is tested by chi-square elsewhere."""
    rng = np.random.default_rng(2)
    prediction, A, Y = rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    counts = fairness.cell_counts(prediction, A, Y)
    drawn = public_margin_counts(counts, 0.5, np.random.default_rng(9), noise="k_norm") / 300
    for notion, against in product(NOTIONS, ("anchor", "pairs")):
        model = DPPostProcessing(lambda X: X[:, 0], 0.5, 0.02, notion=notion, against=against, n_groups=3)
        model.fit(prediction[:, None], Y, sensitive_features=A, rng=np.random.default_rng(9))
        assert np.array_equal(model.q_tilde_, drawn) and len(model.releases_) == 1
        assert Parity(notion, against).violation(derived_counts(drawn, model.p_)) <= 0.02 + 1e-8
        assert model.slack_.shape == (3, 1 if notion == "demographic_parity" else 2) and model.parity_ == Parity(notion, against)


def test_the_counts_that_demographic_parity_needs_are_the_table_in_other_words():
    """The hull of the changes of (s, d) is that of the table's: max(|s|, |d|) = |n0| + |n1|; variances: 2 noises' for s and for d."""
    for n0, n1 in product(range(-6, 7), repeat=2):
        assert max(abs(n0 + n1), abs(n0 - n1)) == abs(n0) + abs(n1)
    for epsilon in (0.01, 0.1, 1.0):
        whole, half = mechanisms.geometric_law(1, epsilon).var(), mechanisms.geometric_law(1, epsilon / 2).var()
        assert half > 2 * (2 * whole)                        # s or d at half of epsilon: more than twice what the table gives both
        whole, half = mechanisms.laplace_law(1, epsilon).var(), mechanisms.laplace_law(1, epsilon / 2).var()
        assert half == pytest.approx(2 * (2 * whole))        # Laplace noise: exactly twice
    assert 2 * mechanisms.geometric_law(1, 1e-3).var() == pytest.approx(4e6, rel=1e-5)


@pytest.mark.parametrize("against", ["anchor", "pairs"])
@pytest.mark.parametrize("b, k, noise", [(2, 2, "geometric"), (2, 3, "k_norm"), (4, 3, "k_norm"), (4, 2, "laplace")])
def test_rates_of_acceptance_stay_within_their_slack(against, b, k, noise):
    """4,000 releases: the share with a gap off by more than the slack, for the worst p, is at most beta; the slack is not idle."""
    rng = np.random.default_rng(b * k)
    counts = rng.integers(20, 60, (b, k, 2))
    m, beta = counts.sum(), 0.2
    noisy = public_margin_counts(counts, 0.5, rng, 4000, noise=noise) / m
    top = counts.sum(axis=2)
    off = noisy.sum(axis=-1) / noisy.sum(axis=(1, 3))[:, None] - top / top.sum(axis=0)      # (4000, b, k)
    most = np.maximum(off, 0).sum(axis=1)                                               # the worst p of each group's rate
    for slack_of in (margin_slack, bins_slack):
        slack = slack_of(noisy, m, 0.5, beta, noise, notion=Parity("demographic_parity", against))[..., 0]
        if against == "anchor":
            passed = most[:, 1:] + most[:, :1] > slack[:, 1:]
            assert (slack[:, 0] == 0).all()
        else:
            passed = most > slack
        assert passed.any(axis=1).mean() <= beta
    # by hand: q~_a = .5 of 100 people; two groups, Laplace: t = ln(2b / beta) / epsilon for each of 2 (b - 1) cells
    t = np.log(2 * b / 0.1) / 2.0
    each = 2 * (b - 1) * t / (100 * 0.5)
    found = margin_slack(np.full((b, 2, 2), 1 / (4 * b)), 100, 2.0, 0.1, "laplace", notion=Parity("demographic_parity", against))
    assert found.ravel() == pytest.approx([0.0, 2 * each] if against == "anchor" else [each, each])
    found = margin_slack(np.full((b, 2, 2), 1 / (4 * b)), 100, 2.0, 0.1, "laplace", notion=Parity(against="pairs"))
    assert found == pytest.approx(np.full((2, 2), (b - 1) * t / 25))


def test_an_unusable_cell_takes_only_its_own_group_out_of_the_pairs():
    q = np.array([[[1.5, 3], [2, -2], [1, 1]], [[4, 1], [0, 1], [1, 1]]])               # group 1 has -1 people with label 1
    assert np.isinf(lift_unusable(q, 0.1, notion=Parity(against="pairs"))).tolist() == [[False, False], [False, True], [False, False]]
    assert np.isinf(lift_unusable(q[:, [1, 0, 2]], 0.1)).tolist() == [[False, False], [False, True], [False, True]]
    assert lift_unusable(q, 0.1, notion="demographic_parity").tolist() == [[0.0], [0.1], [0.1]]
    q[:, 1] = [[2, -3], [-1, 1]]                                                        # and now -1 people at all
    assert lift_unusable(q, 0.1, notion="demographic_parity").ravel().tolist() == [0.0, np.inf, 0.1]
    assert lift_unusable(q[:, [1, 0, 2]], 0.1, notion="demographic_parity").ravel().tolist() == [0.0, np.inf, np.inf]
    assert lift_unusable(q, 0.1, notion=Parity("demographic_parity", "pairs")).ravel().tolist() == [0.1, np.inf, 0.1]
    negative = [[0.1, -0.1], [0.1, 0.1], [0.1, 0.1]]
    assert lift_unusable(np.ones((2, 3, 2)), negative, notion=Parity(against="pairs")).tolist() == [[0.1, np.inf], [0.1, 0.1], [0.1, 0.1]]


# ----------------------------------------------------------------------------------------------------------- what is published

@pytest.mark.parametrize("method", ["public_margins", "score_bins", "as_printed"])
@pytest.mark.parametrize("k", [2, 3])
def test_a_fitted_model_holds_nothing_of_a_but_the_released_table(monkeypatch, method, k):
    """Pickled after neighbouring fits that released the same table: the same bytes. After the same draws: only what came of the table."""
    from dpfair_teach.postprocessing import learner
    rng = np.random.default_rng(k)
    X, Y, A = rng.random((200, 1)), rng.integers(0, 2, 200), rng.integers(0, k, 200)
    neighbour = A.copy()
    neighbour[17] = (A[17] + 1) % k

    def fit(groups):
        model = DPPostProcessing(BASE, 1.0, 0.05, method=method, n_groups=k, n_bins=4 if method == "score_bins" else None,
                                 against=None if method == "as_printed" else "pairs")
        return model.fit(X, Y, sensitive_features=groups, rng=np.random.default_rng(5))

    one, other = vars(fit(A)), vars(fit(neighbour))
    assert not np.array_equal(one["q_tilde_"], other["q_tilde_"])
    of_the_table = {"q_tilde_", "slack_"}
    assert [name for name in one if pickle.dumps(one[name]) != pickle.dumps(other[name]) and name not in of_the_table] == []
    table = one["q_tilde_"] * 200
    monkeypatch.setattr(learner, "draw_table", lambda counts, noise, rng, keep_margins: table.copy())
    alike = pickle.dumps(fit(A)) == pickle.dumps(fit(neighbour))            # not in the assert: how long texts differ takes an hour to show
    assert alike


class Score:
    """A base with decisions and scores, that can be pickled."""

    def predict(self, X):
        return (X[:, 0] > 0.5).astype(int)

    def decision_function(self, X):
        return X[:, 0]


BASE = Score()

# ----------------------------------------------------------------------------------------------------------------- bad input

Q = np.array([[[2, 1], [2, 1], [1, 1]], [[1, 2], [1, 2], [1, 3]]]) / 18


@pytest.mark.parametrize("call, message", [
    (lambda: solve_lp(Q, 0.1, notion="accuracy_parity"), "notion='accuracy_parity': not served here.*rates of acceptance"),
    (lambda: solve_lp(Q, 0.1, notion=Parity(against="population")), "not served here"),
    (lambda: solve_lp(Q, 0.1, notion="odds"), "notion='odds': not a known option"),
    (lambda: solve_lp(Q, 0.1, notion=Parity(anchor=1)), "another anchor than group 0"),
    (lambda: solve_lp(Q, 0.1, np.zeros((3, 2)), notion="demographic_parity"), r"slack=\(3, 2\).*\(..., 3, 1\)"),
    (lambda: solve_lp(Q, 0.1, np.full((3, 2), -0.01), notion=Parity(against="pairs")), r"slack=-0.01: slack is negative at \(a=0, y=0\)"),
    (lambda: dual_value(Q, 0.1, np.ones((3, 2)), notion=Parity(against="pairs")), "dual=3.0: the sum of a rate's multipliers"),
    (lambda: dual_value(Q, 0.1, np.ones((3, 2)), notion="demographic_parity"), r"dual=\(3, 2\)"),
    (lambda: closed_form(Q, 0.0, notion="demographic_parity"), "notion='demographic_parity': with 3 groups only equalized odds"),
    (lambda: closed_form(Q, 0.1, notion=Parity(against="pairs")), "gamma=0.1: with 3 groups"),
    (lambda: solve_lp(np.where(np.arange(3)[:, None] == 1, 0.0, Q), 0.1, notion="demographic_parity"), "q=0.0: group 1 holds nobody"),
    (lambda: margin_slack(Q, 18, 1, 0.1, notion="accuracy_parity"), "accuracy_parity"),
    (lambda: DPPostProcessing(BASE, 1, 0.1, method="as_printed", notion="demographic_parity").fit(
        [[0.1], [0.9]], [0, 1], sensitive_features=[0, 1], rng=np.random.default_rng(0)), "as printed is about equalized odds"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- deliberate faults

def of_label_0(f):
    """Demographic parity counts the people of label 0 only."""
    return lambda q, parity: q[..., :1] if parity.notion == "demographic_parity" else f(q, parity)


def as_they_are_numbered(f):
    """The groups are left in the order of their numbers."""
    def in_order(q, least, most):
        n, k = len(q), q.shape[2]
        return np.tile(np.arange(k), (n, 1)), np.tile(np.arange(k), (n, 1))
    return in_order


def always_to_group_0(f):
    """``against`` is not read: every gap is one to group 0."""
    return lambda notion, against=None: Parity(notion.notion if isinstance(notion, Parity) else notion)


def one_label_for_two(f):
    """The slack of a rate that adds two labels up is taken for that of one."""
    def slack(q, m, epsilon, beta, noise=None, *, notion="equalized_odds"):
        found = f(q, m, epsilon, beta, noise, notion=notion)
        return found / 2 if found.shape[-1] == 1 else found
    return slack


POST = "dpfair_teach.postprocessing."
FAULTS = {
    "demographic_parity_of_one_label": Mutant(POST + "lp.counted", of_label_0, "only people of label 0 are counted"),
    "groups_solved_as_numbered": Mutant(POST + "lp.in_order", as_they_are_numbered, "ties are broken by the groups' numbers"),
    "pairs_taken_for_anchor": Mutant(POST + "lp.served", always_to_group_0, "gaps to group 0 in place of any two groups'"),
    "parity_slack_of_one_label": Mutant(POST + "margin_slack", one_label_for_two, "half the slack"),
}
