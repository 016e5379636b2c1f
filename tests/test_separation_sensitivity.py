"""The upper half of Theorem 3.9, by brute force over every data set of a few people, and what the bounds leave."""
from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dpfair_teach import separation
from faults import Mutant, scaled

GAMMAS = (0.0, 0.05, 0.1, 0.25, 0.5)


@pytest.mark.parametrize("m, share", [(8, 0.25), (8, 0.125), (10, 0.2), (10, 0.3)])
@pytest.mark.parametrize("aware", [False, True])
def test_no_data_set_of_a_few_people_jumps_further(m, share, aware):
    """thm-3-9, upper half, and ours: all comb(m + 7, 7) data sets, all neighbours."""
    for gamma in GAMMAS:
        jump = separation.largest_jump(m, gamma, share, aware)
        bound = separation.sensitivity_bound(m, gamma, share, aware)
        assert jump.value <= bound + 1e-12
        for change in ("attribute", "feature"):
            assert separation.largest_jump(m, gamma, share, aware, change).value <= jump.value + 1e-12
        printed = separation.sensitivity_bound(m, gamma, share, as_printed=True)
        assert separation.sensitivity_bound(m, gamma, share, True) < printed == pytest.approx(1 / m + 2 / (share * m))


def test_part_1_of_the_theorem_needs_a_c_below_one_half():
    """thm-3-9, its hypothesis on C: where half of all people are of each group with label 0 nobody has label 1, and f is 0."""
    for m in (8, 12):
        for gamma in (0.15, 0.25):
            assert separation.largest_jump(m, gamma, 0.5).value == 0
            assert separation.largest_jump(m, gamma, 0.25).value >= 1 / (5 * gamma * m)


def test_only_a_changes_and_the_blind_error_stays():
    """For a blind class the error of a fixed mixture does not see A: without the 1/m."""
    for gamma in GAMMAS:
        for m, share in ((8, 0.25), (10, 0.2)):
            bound = separation.sensitivity_bound(m, gamma, share, False) - 1 / m
            assert 0 <= separation.largest_jump(m, gamma, share, False, "attribute").value <= bound


def test_the_witness_is_one():
    for change, aware in (("record", True), ("attribute", False), ("feature", True)):
        jump = separation.largest_jump(10, 0.1, 0.2, aware, change)
        pair = np.stack([jump.counts, jump.counts_neighbour])
        assert (pair.sum(axis=(1, 2, 3)) == 10).all() and np.abs(np.diff(pair, axis=0)).sum() == 2
        assert (pair[..., 0].sum(axis=1) >= 2).all()
        gap = np.diff(separation.optimal_errors(pair, 0.1, aware))[0]
        assert abs(gap) == pytest.approx(jump.value) and jump.value > 0
        axes = {"record": (), "attribute": (2,), "feature": (1,)}[change]
        assert not axes or not np.diff(pair.sum(axis=axes), axis=0).any()       # what is public stays


def test_the_pair_of_exercise_13a_is_the_one_that_its_solution_checks_by_hand():
    pair = separation.largest_jump(8, 0.25, 0.25, change="attribute")
    assert pair.counts.tolist() == [[[1, 0], [2, 0]], [[2, 3], [0, 0]]]                  # V, U by R, B by label
    assert pair.counts_neighbour.tolist() == [[[1, 0], [2, 0]], [[1, 3], [1, 0]]]        # one (U, 0) of R has declared B
    assert np.allclose(separation.optimal_errors(pair.counts, 0.25), 3 / 8 * 0.25 + 5 / 8 * 0.375)
    assert np.allclose(separation.optimal_errors(pair.counts_neighbour, 0.25), 0.25) and pair.value > 0.07


def test_a_gap_moves_no_further_than_alpha_and_that_is_attained():
    """All pairs (n, accepted) -> one person more, fewer or moved, in groups of at least N = share m negatives."""
    for m, share in ((8, 0.25), (12, 0.25), (10, 0.2)):
        least, worst = round(share * m), 0.0
        sizes = [(n, i) for n in range(least, m - least + 1) for i in range(n + 1)]
        for n, i in sizes:
            for p, j in sizes:
                before = i / n - j / p
                for c in (0, 1):                                                # the person who leaves R for B was accepted, or not
                    if n > least and n + p <= m and i - c >= 0 and n - 1 >= i - c:
                        worst = max(worst, abs((i - c) / (n - 1) - (j + c) / (p + 1) - before))
        bound = separation.sensitivity.gap_sensitivity(m, share)
        assert worst == pytest.approx(bound) and bound < separation.sensitivity.gap_sensitivity(m, share, as_printed=True)


def test_blind_is_of_order_one_over_gamma_m_and_aware_of_order_one_over_m():
    """Both bounds times m: one grows as gamma falls, the other does not; and the theorem's own pairs lie between bound and bound."""
    ms, gammas = (400, 2000, 20_000), (0.2, 0.1, 0.02, 0.01)
    for m in ms:
        blind, aware = ([separation.sensitivity_bound(m, g, 0.25, a) for g in gammas] for a in (False, True))
        assert max(aware) * m <= 7 and all(b > a for a, b in pairwise(blind))
        for g, bound in zip(gammas, blind, strict=True):
            assert bound <= 1 / m + 4 / (g * m)
            for neighbour in ("paper", "attribute"):
                jump = float(separation.theorem_3_9(m, g, neighbour).jump)
                assert jump <= bound and jump * (g * m + 4) >= (0.3 if m == 400 else 0.9)
    assert float(separation.theorem_3_9(20_000, 0.01).jump) > 10 * separation.sensitivity_bound(20_000, 0.01, 0.25)


@pytest.mark.parametrize("call, words", [
    (lambda: separation.largest_jump(21, 0.1, 0.25), "m=21: there are more than 1,000,000 data sets"),
    (lambda: separation.largest_jump(3, 0.1, 0.5), "share=0.5: no two neighbours of 3 people"),
    (lambda: separation.largest_jump(8, 0.1, 0.25, change="label"), "change='label': not a known option"),
    (lambda: separation.sensitivity_bound(8, 0.1, 0.1), "share=0.1: share m = 0.8 with m = 8, less"),
    (lambda: separation.sensitivity_bound(8, 0.1, 0.25, False, as_printed=True), "as_printed=True: is read by aware=True"),
    (lambda: separation.sensitivity_bound(8, 0.1, 0.7), "share=0.7: outside")])
def test_what_cannot_be_bounded_or_enumerated(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# --- deliberate faults

FAULTS = {
    "separation_bound_halved": Mutant("dpfair_teach.separation.sensitivity_bound", scaled(0.5), "half the bound"),
    "separation_alpha_halved": Mutant("dpfair_teach.separation.sensitivity.gap_sensitivity", scaled(0.5), "one rate moves, not two"),
}
