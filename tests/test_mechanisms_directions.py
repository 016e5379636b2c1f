"""Questions with whole weights: the sensitivity is exact, the noise is what the record says, and no refusal tells of the groups."""
from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import mechanisms
from dpfair_teach.mechanisms import release_directions, whole_directions
from dpfair_teach.mechanisms.directions import grid_for

#: False failures of a statistical test.
ALPHA = 1e-9
WEIGHTS = np.array([[3, -1, 0, 2], [0, 2, 1, -2]])


def sums(A, k: int, every_group: bool = False, weights: np.ndarray = WEIGHTS) -> np.ndarray:
    return np.array([[weights[q, [i for i in range(4) if A[i] == a]].sum() for q in range(2)] for a in range(0 if every_group else 1, k)])


@pytest.mark.parametrize(("cells", "widest"), [(None, 4), ([2, 0, 0, 3], 4), ([2, 0, 1, 1], 3)], ids=str)
@pytest.mark.parametrize(("k", "every_group"), [(2, False), (2, True), (3, False), (3, True)])
def test_no_neighbours_are_further_apart_than_the_sensitivity_and_some_are_as_far(k, every_group, cells, widest):
    """All groups of four people, every change of one of them. Or a weight for each cell of people: one with nobody in it moves nothing."""
    rng, far, how = np.random.default_rng(0), 0, {"n_groups": k, "every_group": every_group, "cells": cells}
    weights = WEIGHTS if cells is None else WEIGHTS[:, cells]
    _, release = release_directions(WEIGHTS, [0, 1, 0, 1], 1.0, rng, **how)
    for A in itertools.product(range(k), repeat=4):
        for i, a in itertools.product(range(4), range(k)):
            moved = np.abs(sums(A, k, every_group, weights) - sums([*A[:i], a, *A[i + 1:]], k, every_group, weights)).sum()
            assert moved <= release.sensitivity
            far = max(far, moved)
    assert far == release.sensitivity == widest * (1 if k == 2 and not every_group else 2) and release.epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(("k", "every_group"), [(2, False), (2, True), (3, False), (3, True)])
def test_weights_of_cells_are_asked_as_those_of_everybody_in_them(k, every_group):
    """The same answers, with the same noise, and the same record, whoever is in which group."""
    cells, how = [2, 0, 0, 3], {"n_groups": k, "every_group": every_group, "part": ("label 0", "labels of May")}
    for seed, A in enumerate(itertools.product(range(k), repeat=4)):
        one = release_directions(WEIGHTS, A, 2.0, np.random.default_rng(seed), cells=cells, **how)
        other = release_directions(WEIGHTS[:, cells], A, 2.0, np.random.default_rng(seed), **how)
        assert np.array_equal(one[0], other[0]) and one[1] == other[1]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epsilon"), [(2, 2.0), (3, 0.5)])
def test_the_answers_are_the_sums_with_two_sided_geometric_noise_of_the_record(k, epsilon):
    """2,000 draws of each answer against the exact law, by the bound of Dvoretzky, Kiefer, Wolfowitz and Massart at 1e-9."""
    A, rng = [0, k - 1, 1, 1], np.random.default_rng(1)
    drawn = [release_directions(WEIGHTS, A, epsilon, rng, n_groups=k) for _ in range(2000)]
    noise = (np.array([answers for answers, _ in drawn]) - sums(A, k)).ravel()
    decay = float(Fraction(epsilon) / int(drawn[0][1].sensitivity))
    at = np.arange(-400, 401)
    law = stats.dlaplace(decay).cdf(at)
    empirical = np.searchsorted(np.sort(noise), at, side="right") / len(noise)
    bound = np.sqrt(np.log(2 / ALPHA) / (2 * len(noise)))
    assert np.abs(empirical - law).max() < bound < np.abs(stats.dlaplace(0.7 * decay).cdf(at) - law).max() + 0.02
    assert drawn[0][1].scale == pytest.approx(1 / decay) and drawn[0][0].dtype == np.int64


def test_the_log_ratio_of_any_two_neighbours_is_at_most_epsilon_whatever_is_answered():
    """By the exact law: products of geometric chances over the answers, on a box that holds every place where the ratio is largest."""
    epsilon, (_, release) = 0.7, release_directions(WEIGHTS, [0, 1, 0, 1], 0.7, np.random.default_rng(0))
    grid = np.array(list(itertools.product(range(-12, 13), repeat=2)))
    largest = 0.0
    for A in itertools.product(range(2), repeat=4):
        for i in range(4):
            other = list(A)
            other[i] = 1 - other[i]
            loss = (np.abs(grid - sums(other, 2)[0]) - np.abs(grid - sums(A, 2)[0])).sum(axis=1) / release.scale
            largest = max(largest, loss.max())
    assert largest == pytest.approx(epsilon)


def test_counts_of_cells_are_directions_of_zeros_and_ones():
    cells, A = np.array([0, 1, 1, 2, 2, 2]), np.array([1, 0, 1, 2, 2, 0])
    one_hot = (cells == np.arange(3)[:, None]).astype(int)
    answers, release = release_directions(one_hot, A, 500.0, np.random.default_rng(0), n_groups=3)
    counts, record = mechanisms.release_cells(cells, A, 500.0, np.random.default_rng(0), n_groups=3)
    assert np.array_equal(answers, counts) and release == record
    told = release_directions(one_hot, A, 500.0, np.random.default_rng(0), n_groups=3, part=("label 0", "labels of May"))[1]
    assert told.part == ("label 0", "labels of May")


@pytest.mark.parametrize("grid", [1, 7, 1024, 10**8])
def test_on_the_grid_nobody_counts_for_more_than_it_and_somebody_for_nearly_as_much(grid):
    rng = np.random.default_rng(grid)
    for K in (1, 3):
        for size in (1e-30, 1.0, 1e30):
            given = size * rng.normal(size=(K, 200))
            whole = whole_directions(given, grid)
            widest = np.abs(given).sum(axis=0).max()
            assert whole.dtype == np.int64 and grid - K <= np.abs(whole).sum(axis=0).max() <= grid
            assert np.abs(whole / grid - given / widest).max() <= 1.0001 / grid + 1e-15
    for K in (3, 7, 49, 1000):
        same = whole_directions(np.random.default_rng(K).choice([-1, 1], size=(K, 2)) / K, grid)
        assert np.abs(same).sum(axis=0).max() <= grid


def test_what_rounding_took_from_a_whole_number_is_given_back():
    """Or the sensitivity, and with it all noise, would hang on a last bit: of two people whose weights add up to 1, and on one processor a
    little more, each stands for the whole grid. More than a millionth is not given."""
    for more in (0.0, 1e-15, 1e-12):
        assert whole_directions([[1.0, -.5 - more], [0.0, .5]], 1024).tolist() == [[1024, -512], [0, 512]]
    assert whole_directions([[1.0, 1 - 2e-9]], 1024).tolist() == [[1024, 1023]]


@pytest.mark.parametrize(("directions", "how", "said"), [
    ([[0.5, 1.0]], {}, r"^directions=0\.5: is no whole number\. Round: mechanisms\.whole_directions does"),
    ([[0, 0]], {}, r"^directions=\(1, 2\): count nobody"),
    ([[1, 2]], {"epsilon": 0.0}, r"^epsilon=0\.0"),
    ([[3 * 10**8] * 2] * 2, {}, r"^directions=600000000: is a sum of sizes.*coarser grid"),
    ([[1, 2, 3]], {}, r"^A=\(2,\): directions has 3 entries|^A"),
    ([[1, 2]], {"cells": [0, 2]}, r"^directions, cells=.*are 2 columns, and a cell beyond them"),
    ([[4 * 10**8, 0]], {"A": np.zeros(3 * 10**7, dtype=int), "cells": np.zeros(3 * 10**7, dtype=int)}, r"^directions=.*no room"),
    ([1, 2], {}, r"^directions=\(2,\): has 1 axes, not 2")])
def test_what_does_not_fit_is_refused(directions, how, said):
    with pytest.raises(ValueError, match=said):
        release_directions(directions, **({"A": [0, 1], "epsilon": 1.0, "rng": np.random.default_rng(0)} | how))


def test_weights_are_as_fine_as_the_exact_noise_takes():
    """1,024 steps, and at a tiny epsilon fewer: as many as one person of ``unit`` answers may have."""
    assert [grid_for(epsilon, unit) for epsilon, unit in [(1.0, 1), (1e-6, 1), (1e-6, 2), (1e-9, 2)]] == [1024, 1000, 500, 1]


@pytest.mark.slow
def test_too_large_a_sum_is_refused_whoever_is_in_the_group():
    """The exact noise takes sums up to 2^53: said of the weights, before anybody's group is looked at."""
    weights, told = np.full((1, 2 * 10**7), 4.9e8), set()
    for A in (np.zeros(weights.shape[1], dtype=np.int8), np.ones(weights.shape[1], dtype=np.int8)):
        with pytest.raises(ValueError, match=r"^directions=.*no room") as refused:
            release_directions(weights, A, 1.0, np.random.default_rng(0))
        told.add(str(refused.value))
    assert len(told) == 1
    with pytest.raises(ValueError, match="count nobody"):
        whole_directions(np.zeros((1, 4)))


VALID_CALLS = {
    "mechanisms.whole_directions": lambda: dict(directions=[[1.0, -0.5, 0.25]], grid=8),
    "mechanisms.release_directions": lambda: dict(directions=[[3, -1, 2]], A=[1, 0, 2], epsilon=1.0, rng=np.random.default_rng(0),
                                                  n_groups=3, every_group=True, cells=[0, 1, 2], part=("label 0", "labels of May")),
}

PRIVATE_FITS = {"mechanisms.release_directions": lambda people, A, rng: release_directions(
    whole_directions(people.X.T), np.asarray(A), 2.0, rng, n_groups=int(np.max(A)) + 1)}
