"""Counts of groups in public cells: their sensitivity by exhaustion, and attacks that broken noise does not survive. Debiased reports."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpfair_teach import audit, mechanisms
from dpfair_teach.mechanisms import cell_sensitivity, debiased_groups, release_cells
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


@pytest.mark.parametrize("k", [2, 4])
def test_debiased_reports_are_unbiased_exactly(k):
    law = mechanisms.randomized_response_matrix(k, 1.3)
    mean = law @ debiased_groups(np.arange(k), k, 1.3)
    assert np.abs(mean - np.eye(k)).max() < 1e-12


def test_reports_at_an_epsilon_below_what_doubles_hold_are_refused():
    with pytest.raises(ValueError, match=r"^epsilon=1e-17: outside \[1e-09, 700\]"):
        debiased_groups([0, 1], 2, 1e-17)
    assert np.isfinite(debiased_groups([0, 1], 2, 1e-9)).all()


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


def reports_taken_as_true(f):
    return lambda reports, n_groups, epsilon: np.eye(n_groups)[np.asarray(reports)]


FAULTS = {
    "cells_one_for_any_number_of_groups": Mutant(
        "dpfair_teach.mechanisms.cell_sensitivity", one_for_any_number_of_groups, "three groups' counts with the sensitivity of two"),
    "cells_of_every_group_without_group_0": Mutant(
        "dpfair_teach.mechanisms.cell_sensitivity", group_0_is_not_counted, "both of two groups are counted, with the sensitivity of one"),
    "reports_taken_as_true": Mutant("dpfair_teach.mechanisms.debiased_groups", reports_taken_as_true,
                                    "randomized responses are not debiased"),
}
