"""What is asked of A: sensitivities by exhaustion, laws, and attacks that broken noise does not survive."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import audit, mechanisms
from dpfair_teach.mechanisms import cell_sensitivity, release_cells
from dpfair_teach.oneshot import (
    debiased_groups,
    group_sums,
    l2_noise,
    release_sums,
    sums_sensitivity,
)
from faults import Mutant

ALPHA = 1e-9        # of every statistical test here; seeds are fixed


def neighbours(m: int, k: int):
    """All pairs of group vectors that differ in one person."""
    for A in itertools.product(range(k), repeat=m):
        for j, a in itertools.product(range(m), range(k)):
            if a != A[j]:
                other = list(A)
                other[j] = a
                yield np.array(A), np.array(other)


@pytest.mark.parametrize("every_group", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_the_sensitivity_of_cells_is_what_exhaustion_finds(k, every_group, monkeypatch):
    """Of what is released, before its noise; and the noise and the record are made for it."""
    cells, rng, made_for = np.array([0, 0, 1, 2]), np.random.default_rng(0), set()
    monkeypatch.setattr(mechanisms.MECHANISMS["geometric"], "draw", lambda counts, numbers, *_, **__: made_for.add(numbers[0]) or counts)

    def counts(A):
        said, release = release_cells(cells, A, 0.5, rng, n_groups=k, every_group=every_group)
        made_for.add(release.scale * 0.5)
        assert said.shape == (k - (not every_group), 3)
        return said

    worst = max(np.abs(counts(A) - counts(B)).sum() for A, B in neighbours(4, k))
    assert worst == cell_sensitivity(k, every_group) and made_for == {worst}


@pytest.mark.parametrize("every_group", [False, True])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_sensitivity_of_sums_is_what_exhaustion_finds(k, norm, every_group):
    features, Y = np.array([[1, .5, -2.], [1, 3., 0], [1, -.1, .2], [1, 0, 0]]), np.array([0, 1, 1, 0])
    order = 1 if norm == "l1" else 2
    for labels in (Y, None):
        pairs = ([group_sums(features, groups, labels, k, every_group) for groups in pair] for pair in neighbours(4, k))
        worst = max(np.linalg.norm((here - there).ravel(), order) for here, there in pairs)
        assert worst == pytest.approx(sums_sensitivity(features, k, norm, every_group), abs=1e-12)


def attack_on_cells(epsilon: float, broken: bool, monkeypatch) -> audit.AuditResult:
    """One person of a cell changes group: what does the loss of 2 x 8,000 released histograms prove?"""
    if broken:
        law = mechanisms.MECHANISMS["geometric"]
        drawn = law.draw
        monkeypatch.setattr(law, "draw",
                            lambda value, numbers, *how, **options: drawn(value, (*numbers[:2], 2 * numbers[2]), *how, **options))
    cells, A, B = np.array([0, 0, 0, 1, 1]), np.array([1, 0, 1, 0, 1]), np.array([0, 0, 1, 0, 1])
    rng = np.random.default_rng(14)
    runs = [np.stack([release_cells(cells, groups, epsilon, rng)[0][0] for _ in range(8_000)]) for groups in (A, B)]
    loss = [audit.privacy_loss(run, [2, 1], [1, 1], 1 / epsilon) for run in runs]
    return audit.audit_scalar(*loss, rng, alpha=ALPHA, claimed_epsilon=epsilon)


@pytest.mark.slow
def test_an_attack_finds_most_of_epsilon_and_not_more_and_catches_half_the_noise(monkeypatch):
    right = attack_on_cells(1.0, False, monkeypatch)
    assert right.verdict == "not refuted" and right.lower_bound > 0.75
    assert attack_on_cells(1.0, True, monkeypatch).verdict == "refuted"


@pytest.mark.slow
def test_an_attack_on_three_groups_counts_finds_half_of_epsilon_and_catches_the_noise_of_two():
    """One person moves from group 1 to group 2: two released counts change. n = 2 x 8,000 histograms, alpha 1e-9."""
    cells, A, B = np.array([0, 0, 0, 1]), np.array([1, 0, 2, 1]), np.array([2, 0, 2, 1])

    def verdict(drawn_for):
        rng = np.random.default_rng(21)
        runs = [np.stack([release_cells(cells, groups, drawn_for, rng, n_groups=3)[0] for _ in range(8_000)]) for groups in (A, B)]
        true = [np.stack([np.bincount(cells[groups == a], minlength=2) for a in (1, 2)]) for groups in (A, B)]
        loss = [(np.abs(run - true[1]).sum(axis=(1, 2)) - np.abs(run - true[0]).sum(axis=(1, 2))) / 2.0 for run in runs]
        return audit.audit_scalar(*loss, rng, alpha=ALPHA, claimed_epsilon=1.0)

    right = verdict(1.0)
    assert right.verdict == "not refuted" and right.lower_bound > 0.5
    assert verdict(2.0).verdict == "refuted"        # the noise of sensitivity 1


SINGLE = np.array([[8.0], [0.5], [0.0]])            # fewer numbers, so the loss of a release says more
SUMMED, LABELS = np.array([[8.0, 1.0], [0.5, 1.0], [0.0, 1.0]]), np.array([1, 1, 0])
MOVES = {2: ([1, 1, 0], [0, 1, 0]), 3: ([1, 1, 0], [2, 1, 0])}      # the person with the largest features, by the number of groups


@pytest.mark.turning(4)
@pytest.mark.slow
@pytest.mark.parametrize("k", MOVES)
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_attack_on_sums_finds_half_of_epsilon_and_catches_half_the_noise(norm, k):
    """By the loss of 2 x 8,000 releases as made, alpha 1e-9; 2 x 16,000 of the two-norm for three groups, whose loss tells least."""
    scale, runs_of_each = sums_sensitivity(SINGLE, k, norm), 16_000 if (k, norm) == (3, "l2") else 8_000       # scale at epsilon 1
    true = [group_sums(SINGLE, A, LABELS, k) for A in MOVES[k]]

    def length(z):                                      # (n, k - 1, 2, d): in l2 each label has noise of its own
        return np.abs(z).sum(axis=(1, 2, 3)) if norm == "l1" else np.sqrt((z**2).sum(axis=(1, 3))).sum(axis=1)

    def verdict(drawn_for):
        rng = np.random.default_rng(15)
        runs = [np.array([release_sums(SINGLE, A, LABELS, drawn_for, rng, n_groups=k, norm=norm)[0] for _ in range(runs_of_each)])
                for A in MOVES[k]]
        loss = [(length(run - true[1]) - length(run - true[0])) / scale for run in runs]
        return audit.audit_scalar(*loss, rng, alpha=ALPHA, claimed_epsilon=1.0)

    right = verdict(1.0)
    assert right.verdict == "not refuted" and right.lower_bound > 0.5
    assert verdict(2.0).verdict == "refuted"


@pytest.mark.parametrize("k", MOVES)
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_released_sums_have_the_noise_of_their_record(norm, k):
    """Kolmogorov-Smirnov against the exact law, n = 2,000, DKW bound at alpha 1e-9."""
    A, rng, n = MOVES[k][1], np.random.default_rng(16), 2000
    _, record = release_sums(SUMMED, A, LABELS, 2.0, rng, n_groups=k, norm=norm)
    assert record.epsilon == 2.0 and record.scale == record.sensitivity / 2 == sums_sensitivity(SUMMED, k, norm) / 2
    noise = np.array([release_sums(SUMMED, A, LABELS, 2.0, rng, n_groups=k, norm=norm)[0] for _ in range(n)])
    noise -= group_sums(SUMMED, A, LABELS, k)
    if norm == "l1":
        values, law = noise[:, -1, 1, 0], stats.laplace(scale=record.scale)
    else:               # one length for all groups of a label
        values, law = np.sqrt((noise[:, :, 1]**2).sum(axis=(1, 2))), stats.gamma(2 * (k - 1), scale=record.scale)
    assert stats.kstest(values, law.cdf).statistic < np.sqrt(np.log(2 / ALPHA) / (2 * n))


def test_noise_of_the_two_norm_has_its_law_and_no_direction():
    """Length Gamma(d), first coordinate of the direction as on the sphere of 3 dimensions (uniform), n = 20,000, alpha 1e-9."""
    n = 20_000
    noise = l2_noise(3, 1.5, np.random.default_rng(17), size=n)
    length = np.linalg.norm(noise, axis=1)
    bound = np.sqrt(np.log(2 / ALPHA) / (2 * n))
    assert stats.kstest(length, stats.gamma(3, scale=1.5).cdf).statistic < bound
    assert stats.kstest(noise[:, 0] / length, stats.uniform(-1, 2).cdf).statistic < bound


@pytest.mark.parametrize("k", [2, 4])
def test_debiased_reports_are_unbiased_exactly(k):
    law = mechanisms.randomized_response_matrix(k, 1.3)
    mean = law @ debiased_groups(np.arange(k), k, 1.3)
    assert np.abs(mean - np.eye(k)).max() < 1e-12


def test_which_groups_occur_changes_no_shape_and_no_message():
    rng = np.random.default_rng(18)
    shapes = {release_cells([0, 0, 1], A, 1.0, rng, n_groups=3, n_cells=2)[0].shape for A in ([0, 0, 0], [0, 1, 2], [2, 2, 2])}
    assert shapes == {(2, 2)}


# --- deliberate faults

def one_for_any_number_of_groups(f):
    return lambda n_groups, every_group=False: min(f(n_groups, every_group), 1)


def group_0_is_not_counted(f):
    """``every_group``, the last argument, is not looked at."""
    return lambda *args: f(*args[:-1])


def sums_sensitivity_of_two_groups(f):
    return lambda features, n_groups=2, norm="l1", every_group=False: f(features, 2, norm, every_group)


def sums_with_half_the_noise(f):
    return lambda d, scale, rng, size=None: f(d, scale / 2, rng, size)


def length_of_one_dimension(f):
    def l2_noise(d, scale, rng, size=None):
        noise = f(d, scale, rng, size)
        return noise / np.linalg.norm(noise, axis=-1, keepdims=True) * rng.exponential(scale, (*noise.shape[:-1], 1))
    return l2_noise


def reports_taken_as_true(f):
    return lambda reports, n_groups, epsilon: np.eye(n_groups)[np.asarray(reports)]


FAULTS = {
    "cells_one_for_any_number_of_groups": Mutant(
        "dpfair_teach.mechanisms.cell_sensitivity", one_for_any_number_of_groups, "three groups' counts with the sensitivity of two"),
    "cells_of_every_group_without_group_0": Mutant(
        "dpfair_teach.mechanisms.cell_sensitivity", group_0_is_not_counted, "both of two groups are counted, with the sensitivity of one"),
    "sums_of_every_group_without_group_0": Mutant(
        "dpfair_teach.oneshot.sums_sensitivity", group_0_is_not_counted, "sums of both of two groups, with the sensitivity of one"),
    "sums_sensitivity_of_two_groups": Mutant(
        "dpfair_teach.oneshot.sums_sensitivity", sums_sensitivity_of_two_groups, "three groups' sums with the sensitivity of two"),
    "sums_with_half_the_noise": Mutant("dpfair_teach.oneshot.l2_noise", sums_with_half_the_noise, "half the scale of the two-norm noise"),
    "length_of_one_dimension": Mutant("dpfair_teach.oneshot.l2_noise", length_of_one_dimension, "an exponential length in every dimension"),
    "reports_taken_as_true": Mutant("dpfair_teach.oneshot.debiased_groups", reports_taken_as_true, "randomized responses are not debiased"),
}
