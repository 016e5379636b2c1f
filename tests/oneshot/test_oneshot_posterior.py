"""Expected groups by the linear-Gaussian model, and cells of joint decisions."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpfair_teach.oneshot import audit_price, expected_gaps, expected_groups, gap_weights, joint_cells
from faults import Mutant


def setting(seed: int):
    rng = np.random.default_rng(seed)
    queries, features = rng.integers(0, 2, (4, 7)).astype(float), rng.standard_normal((7, 3))
    return rng, queries, features, rng.uniform(0.1, 2, 4)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_conditional_mean_of_the_joint_normal_law(seed):
    """By brute force: the covariance of (A, answers), and Schur's complement."""
    rng, queries, features, variances = setting(seed)
    mean, residual = 0.3, 0.2
    prior = features @ features.T + residual * np.eye(7)
    joint = np.block([[prior, prior @ queries.T], [queries @ prior, queries @ prior @ queries.T + np.diag(variances)]])
    answers = rng.standard_normal(4)
    by_hand = mean + joint[:7, 7:] @ np.linalg.inv(joint[7:, 7:]) @ (answers - mean * queries.sum(axis=1))
    assert np.abs(expected_groups(queries, answers, variances, features, mean, residual) - by_hand).max() < 1e-6


def test_no_rule_linear_in_the_answers_has_a_smaller_mean_square_whatever_the_law():
    """A is 0/1 here, not normal: over all 16 groups with their chances, any other linear rule does worse in mean."""
    chances = np.array([0.2, 0.5, 0.5, 0.7])
    law = np.array(list(itertools.product((0, 1), repeat=4)))
    weight = np.prod(np.where(law == 1, chances, 1 - chances), axis=1)
    queries, variances, mean, residual = np.array([[1., 1, 0, 0], [0, 0, 1, 1]]), np.array([0.3, 0.5]), 0.5, 0.25
    # A law with mean 1/2 and covariance residual I: fair independent coins.
    weight = np.full(16, 1 / 16)

    def expected_square(rule):      # rule: (4, 2) slopes on the centred answers
        fit = law - mean - (law @ queries.T - mean * queries.sum(axis=1)) @ rule.T
        return weight @ (fit**2).sum(axis=1) + (rule**2 @ variances).sum()

    base = expected_groups(queries, mean * queries.sum(axis=1), variances, np.zeros((4, 1)), mean, residual)
    rule = np.column_stack([expected_groups(queries, mean * queries.sum(axis=1) + step, variances, np.zeros((4, 1)), mean, residual) - base
                            for step in np.eye(2)])
    best = expected_square(rule)
    rng = np.random.default_rng(3)
    assert all(expected_square(rule + 0.1 * rng.standard_normal((4, 2))) > best for _ in range(200))


def test_a_second_histogram_of_the_same_people_is_averaged_with_the_first():
    """Two answers of variance 2 about one sum are worth one of variance 1; forgetting the shared residual would not give that."""
    features, ones = np.zeros((5, 1)), np.ones((1, 5))
    twice = expected_groups(np.vstack([ones, ones]), [4.0, 2.0], [2.0, 2.0], features, 0.5, 0.25)
    once = expected_groups(ones, [3.0], [1.0], features, 0.5, 0.25)
    assert np.abs(twice - once).max() < 1e-6


def test_counts_of_joint_cells_give_every_rate_and_nothing_coarser_does():
    rng = np.random.default_rng(4)
    decisions, Y, A = rng.integers(0, 2, (3, 40)), np.r_[[0, 1], rng.integers(0, 2, 38)], rng.integers(0, 2, 40)
    cells = joint_cells(decisions, Y)
    assert sorted(set(cells)) == list(range(len(set(cells))))
    for c in set(cells):
        assert len({tuple(row) for row in np.column_stack([decisions.T, Y])[cells == c]}) == 1
    kinds = {tuple(row) for row in np.column_stack([decisions.T, Y])}
    assert len(kinds) == len(set(cells))
    share = np.bincount(cells, A) / np.bincount(cells)
    spread = np.column_stack([1 - share[cells], share[cells]])          # the counts, spread evenly within each cell
    exact = np.column_stack([1 - A, A])
    assert np.abs(expected_gaps(decisions, spread, Y) - expected_gaps(decisions, exact, Y)).max() < 1e-12
    # two cells of one label put together: two people of different groups, one of each, exchange them; the counts do not see the moved rate
    firsts = {c: np.flatnonzero(cells == c) for c in kinds_of(cells, Y)}
    for c, d in itertools.combinations(firsts, 2):
        if Y[firsts[c][0]] != Y[firsts[d][0]]:
            continue
        i, j = next((i, j) for i in firsts[c] for j in firsts[d])
        one = A.copy()
        one[[i, j]] = 1, 0
        other = one.copy()
        other[[i, j]] = 0, 1
        merged = np.where(cells == d, c, cells)
        assert (np.bincount(merged, one) == np.bincount(merged, other)).all()
        before, after = (expected_gaps(decisions, np.column_stack([1 - groups, groups]), Y) for groups in (one, other))
        assert np.abs(after - before).max() > 0.01


def kinds_of(cells, Y):
    """The cells of both labels."""
    return [c for y in (0, 1) for c in sorted(set(cells[Y == y]))]


def test_a_gap_is_a_weighted_count_of_group_1_and_one_person_moves_it_by_a_weight():
    """The price of the audit is exact: with the weights held, the largest change by one person is the largest weight."""
    rng = np.random.default_rng(6)
    Y, A, acceptance = np.r_[[0, 0, 1, 1], rng.integers(0, 2, 30)], np.r_[[0, 1, 0, 1], rng.integers(0, 2, 30)], rng.random(34)
    n_1 = [((A == 1) & (Y == y)).sum() for y in (0, 1)]
    weights = gap_weights(acceptance, Y, n_1)
    gaps = expected_gaps(acceptance[None], np.column_stack([1 - A, A]), Y)[0]
    assert np.abs(weights @ A - gaps).max() < 1e-12
    moved = [np.abs(weights @ np.where(np.arange(34) == j, 1 - A, A) - gaps) for j in range(34)]
    assert np.abs(np.max(moved, axis=0) * np.sqrt(2) / 0.7 - audit_price(acceptance, Y, n_1, 0.7)).max() < 1e-12


# --- deliberate faults

def residual_forgotten(f):
    def expected_groups(queries, answers, variances, features, mean, residual):
        return f(queries, answers, variances, features, mean, 1e-6 * residual)
    return expected_groups


def last_classifier_forgotten(f):
    return lambda decisions, Y: f(np.asarray(decisions)[:-1], Y)


def mean_not_subtracted(f):
    return lambda acceptance, Y, n_1: f(acceptance, Y, n_1) + 0.01


FAULTS = {
    "cells_finer_than_decisions": Mutant("dpfair_teach.oneshot.joint_cells", lambda f: lambda decisions, Y: np.arange(len(Y)),
                                         "a cell for each person"),
    "cells_without_the_label": Mutant("dpfair_teach.oneshot.joint_cells", lambda f: lambda decisions, Y: f(decisions, np.zeros_like(Y)),
                                      "people of both labels in one cell"),
    "residual_forgotten": Mutant("dpfair_teach.oneshot.expected_groups", residual_forgotten, "people are what their features say"),
    "last_classifier_forgotten": Mutant(
        "dpfair_teach.oneshot.joint_cells", last_classifier_forgotten, "the last classifier is not looked at"),
    "mean_not_subtracted": Mutant("dpfair_teach.oneshot.gap_weights", mean_not_subtracted, "all weights shifted"),
}
