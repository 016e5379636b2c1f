"""The statements of chapter 7 that no room's own tests attack."""
from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dpfair_teach import audit, data, fairness
from dpfair_teach.experiments import lower_hull
from dpfair_teach.mechanisms import laplace
from dpfair_teach.postprocessing import closed_form, derived_counts, optimal_cuts, public_margin_counts, score_bins, solve_lp
from faults import Mutant


def farthest(coefficients, constant=0.0):
    """The largest |constant + sum of coefficients p| over the box 0 <= p <= 1, exact."""
    up, down = np.maximum(coefficients, 0).sum(), np.minimum(coefficients, 0).sum()
    return max(constant + up, -(constant + down))


def apart(q, released):
    """(eta, s): how far errors and gaps of one p can differ between two tables, over all p."""
    cost = [table[..., 0] - table[..., 1] for table in (q, released)]
    eta = farthest(cost[1] - cost[0], (released - q)[..., 1].sum())
    share = [table / table.sum(axis=0) for table in (q, released)]
    signed = (share[1] - share[0]) * np.array([-1, 1])[:, None]
    return eta, max(farthest(signed[..., y]) for y in (0, 1))


def random_tables(n=300):
    rng = np.random.default_rng(0)
    for _ in range(n):
        b = int(rng.integers(2, 7))
        q = rng.dirichlet(np.full(b * 4, rng.choice([0.5, 1, 5]))).reshape(b, 2, 2)
        released = np.abs(q + rng.normal(0, rng.choice([0.001, 0.01, 0.03]) / b, q.shape))
        if min(q.sum(axis=0).min(), released.sum(axis=0).min()) > 0.02:
            yield q, released / released.sum(), float(rng.choice([0.01, 0.05, 0.2]))


def small_anchor():
    """Fair tables of 100,000 people of whom 22 are in (0, 0): eight of these seem to be decided about otherwise."""
    q = np.array([[[20, 1000], [36000, 2000]], [[2, 19000], [4000, 37978]]]) / 100_000
    return q, q + 8e-5 * np.array([[[-1, 0], [1, 0]], [[1, 0], [-1, 0]]]), 0.02


def test_what_a_slack_buys_and_what_is_promised_without():
    """thm-no-slack on random pairs of tables; eta and s are the exact distances, so no event is left out. Every term is needed somewhere:
    2s with a slack and s without, 2 eta, and, where the small cell looks unfair, what mixing in a constant costs."""
    seen, spent, needed = 0, 0, np.zeros(5, dtype=int)
    for q, released, gamma in (*random_tables(), small_anchor()):
        eta, s = apart(q, released)
        best, constant = closed_form(q, gamma).value, q.sum(axis=(0, 1)).min()
        mixed, reached = s / (gamma + s) * (constant - best), []
        for limit, unfair, extra in ((gamma + s, gamma + 2 * s, 0.0), (gamma, gamma + s, mixed)):
            answer = closed_form(released, limit)
            true, there = derived_counts(q, answer.p), derived_counts(released, answer.p)
            reached += [fairness.violation(true), fairness.error(true)]
            assert reached[-2] <= unfair + 1e-9
            assert reached[-1] <= best + 2 * eta + extra + 1e-9
            unconstrained = np.minimum(released[..., 0], released[..., 1]).sum()
            used = abs(fairness.violation(there) - limit) < 1e-8
            assert used or answer.value == pytest.approx(unconstrained, abs=1e-9)
            seen, spent = seen + 1, spent + used
        needed += np.array(reached)[[0, 1, 2, 3, 3]] > np.array([gamma + s, best, gamma, best + mixed, best + 2 * eta]) + 1e-6
    assert seen > 300 and spent > 0.3 * seen and (needed > 0).all()


@pytest.mark.parametrize("n_bins", [2, 5])
def test_more_bins_spend_no_more_epsilon(n_bins):
    """thm-score-bins, part 1: one person of a middle bin changes group. n = 2 * 100,000, alpha = 1e-9; the claim is 1."""
    rng, here = np.random.default_rng(1), np.full((n_bins, 2, 2), 40)
    there = here.copy()
    there[n_bins // 2, :, 1] += [-1, 1]
    runs = [public_margin_counts(table, 1.0, rng, size=100_000, noise="geometric") for table in (here, there)]
    moved = [run[:, n_bins // 2, 1, 1] for run in runs]
    bound = audit.epsilon_lower_bound(int((moved[1] >= 41).sum()), int((moved[0] >= 41).sum()), 100_000, alpha=1e-9)
    assert 0.9 < bound <= 1
    for run in runs:                                                # the other bins: the same law on both, mean 40
        others = np.delete(run, n_bins // 2, axis=1)[:, :, 1]
        assert abs(others.mean() - 40) < 0.05


@pytest.mark.parametrize("n_bins", [2, 4, 9])
def test_the_noise_of_a_rate_is_the_stated_sum(n_bins):
    """prop-bins-noise: the identity on every draw, the deviation on 40,000, and the two cases in which it is known exactly."""
    rng, sigma = np.random.default_rng(2), np.sqrt(2)
    table = rng.integers(200, 900, (n_bins, 2, 2)).astype(float)
    noise = laplace(np.zeros(n_bins), 1.0, 1.0, rng, size=40_000)
    noisy = np.repeat(table[None], 40_000, axis=0)
    noisy[:, :, 1, 0] += noise
    for p in (rng.random(n_bins), (np.arange(n_bins) >= n_bins / 2).astype(float)):
        p = np.stack([np.zeros(n_bins), p], axis=1)
        rate, seen = (fairness.rates(derived_counts(t, p))[0][..., 1] for t in (table, noisy))
        people = (seen - rate) * noisy[:, :, 1, 0].sum(axis=1)
        assert people == pytest.approx(((p[:, 1] - rate) * noise).sum(axis=1), abs=1e-8)
        assert people.std() <= 1.05 * sigma * np.sqrt(n_bins - 1)
    even = np.full(n_bins, 0.5) * (-1.0) ** np.arange(n_bins)       # p - R of thresholds at R = 1/2
    assert (noise @ even).std() == pytest.approx(sigma * np.sqrt(n_bins) / 2, rel=0.05)


def roc(bins, Y):
    """(fp, tp) of all thresholds of whole numbers, from (0, 0) to (1, 1)."""
    table = np.array([np.bincount(bins[Y == y], minlength=bins.max() + 1)[::-1].cumsum() / (Y == y).sum() for y in (0, 1)])
    return np.hstack([np.zeros((2, 1)), table])


def hull(fp, tp):
    """The corners of the concave hull."""
    corners = lower_hull(np.c_[fp, 1 - tp])
    return corners[:, 0], 1 - corners[:, 1]


def test_what_bins_lose_is_measured_from_the_hull_of_the_curve():
    """thm-cuts: the binned area is the hull's less the mean loss of the true positive rate, which is 0 with a cut for each corner."""
    rng, above_the_curve, exact = np.random.default_rng(3), 0, 0
    for _ in range(400):
        m = int(rng.integers(8, 30))
        score = np.round(rng.random(m), 1)
        Y = (rng.random(m) < score).astype(int)
        if Y.min() == Y.max() or len(np.unique(score)) < 4:
            continue
        own = roc(np.unique(score, return_inverse=True)[1], Y)
        top = hull(*own)
        for b in (2, 3, 4):
            binned = roc(score_bins(score, optimal_cuts(score, Y, b)), Y)
            area, curve, most = (np.trapezoid(tp, fp) for fp, tp in (binned, own, top))
            assert area <= most + 1e-12
            at = np.unique(np.concatenate([binned[0], top[0]]))             # between these both heights are straight
            middle = (at[1:] + at[:-1]) / 2
            lost = np.interp(middle, *top) - np.interp(middle, *binned)     # no vertical piece inside: at a corner one side would count
            assert (lost * np.diff(at)).sum() == pytest.approx(most - area, abs=1e-12) and lost.min() > -1e-12
            above_the_curve += area > curve + 1e-9
            if len(top[0]) - 2 == b - 1 and top[1][0] == 0:
                assert area == pytest.approx(most, abs=1e-12)
                exact += 1
    assert above_the_curve > 20 and exact > 10
    ten = data.load("ten_people")
    score = ten.X[:, 0]
    numbers = np.unique(score, return_inverse=True)[1], score_bins(score, [0.4, 0.6])
    areas = [np.trapezoid(tp, fp) for fp, tp in (roc(bins, ten.Y) for bins in numbers)]
    assert areas == pytest.approx([0.96, 0.98])


def test_a_group_is_decided_by_its_price_where_it_has_one():
    """What leads to prop-price-cuts: B = x q0 - y q1. With x, y >= 0 and not both 0 the share of label 1 decides a bin."""
    decided = without = 0
    for q, _, gamma in random_tables(150):
        answer = closed_form(q, gamma)
        lam, n = answer.dual[1], q.sum(axis=0)
        for a, sign in ((0, -1), (1, 1)):
            x, y = 1 + sign * lam[0] / n[a, 0], 1 - sign * lam[1] / n[a, 1]
            if min(x, y) < -1e-9 or max(x, y) < 1e-9:
                without += 1
                continue
            share = q[:, a, 1] / q[:, a].sum(axis=1)
            price = x / (x + y)
            assert answer.p[share > price + 1e-7, a] == pytest.approx(1) and answer.p[share < price - 1e-7, a] == pytest.approx(0)
            decided += 1
    assert decided > 100 and without > 0


def test_a_known_price_asks_for_one_cut_at_the_price_only_of_a_calibrated_score():
    """prop-price-cuts, 'Fails if': on Communities 0.5 is not the best threshold, and the best of eight bins' answers is no threshold's."""
    people = data.load("communities")
    score = data.base_classifier(people).predict_proba(people.X)[:, 1]
    wrong = [((score >= cut) != people.Y).mean() for cut in (0.5, *np.unique(score))]
    N = np.array([np.bincount(score_bins(score, optimal_cuts(score, people.Y, 8, "price"))[people.Y == y], minlength=8) for y in (0, 1)])
    assert wrong[0] == pytest.approx(.1269, abs=5e-5) and min(wrong) == pytest.approx(.1239, abs=5e-5)
    assert N.min(axis=0).sum() / people.m < min(wrong)


def test_two_groups_are_further_apart_than_gamma_only_with_the_anchor_between_them():
    """Chapter 7, below the table of notions: the largest gap of a pair exceeds gamma only where a rate of group 0 lies inside, and then
    it is at most twice gamma; between pairs it never does."""
    rng, seen = np.random.default_rng(3), {True: 0, False: 0}
    for q in rng.dirichlet(np.full(12, 2.0), size=40).reshape(-1, 2, 3, 2):
        for notion in ("equalized_odds", "false_positive", "true_positive", "demographic_parity"):
            parity = fairness.Parity(notion)
            rates = parity.rates(derived_counts(q, solve_lp(q, 0.05, notion=notion).p))
            for one in rates.T:
                between = min(one) + 1e-9 < one[0] < max(one) - 1e-9
                assert np.ptp(one) <= (0.1 if between else 0.05) + 1e-7
                seen[bool(np.ptp(one) > 0.05 + 1e-7)] += 1
            pairs = derived_counts(q, solve_lp(q, 0.05, notion=fairness.Parity(notion, "pairs")).p)
            assert fairness.violation(pairs, notion, "pairs") <= 0.05 + 1e-7
    assert min(seen.values()) > 20


NOTIONS_TABLE = re.compile(r"(\w+) +anchor +[\d.]+ +([\d.]+) +(True|False)\n +pairs +[\d.]+ +([\d.]+)")


def test_the_table_of_notions_says_what_the_text_below_it_says():
    """Chapter 7: twice 0.05 wherever group 0 lies between, 0.05 where it does not and between pairs."""
    path = Path(__file__).resolve().parents[2] / "book" / "notebooks" / "07-less-epsilon.ipynb"
    cells = (cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code")
    cell, = (cell for cell in cells if "group 0 between" in "".join(cell["source"]))
    rows = NOTIONS_TABLE.findall("".join(cell["outputs"][0]["data"]["text/plain"]))
    assert [row[0] for row in rows if row[2] == "False"] == ["true_positive"] and len(rows) == 4
    for _, anchored, between, pairs in rows:
        assert float(anchored) == pytest.approx(0.1 if between == "True" else 0.05, abs=0.0015)
        assert float(pairs) == pytest.approx(0.05, abs=5e-4)


# --- deliberate faults

FAULTS = {
    "derived_groups_exchanged": Mutant(
        "dpfair_teach.postprocessing.derived_counts", lambda f: lambda q, p: f(q, np.asarray(p)[..., ::-1]),
        "each group gets the other's chances"),
}
