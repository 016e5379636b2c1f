"""H(S): each family's labelings against every labeling tried one by one, and Sauer's lemma against every class on few points."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import games
from dpfair_teach.oracles import (
    halfplane_counts,
    halfplane_labelings,
    labelings_bound,
    sauer_sum,
    shattered_sets,
    threshold_counts,
    threshold_labelings,
    with_constants,
)
from faults import Mutant, less


def rows(labelings) -> set[tuple[int, ...]]:
    found = {tuple(row) for row in np.asarray(labelings).tolist()}
    assert len(found) == len(labelings), "a labeling is listed twice"
    return found


def separable(X: np.ndarray, y: tuple[int, ...]) -> bool:
    """Whether some w, b has w . x >= b exactly on the ones: a linear program, for points in small whole numbers."""
    s = 2 * np.array(y) - 1
    return linprog(np.zeros(3), A_ub=-s[:, None] * np.column_stack([X, -np.ones(len(X))]), b_ub=-np.ones(len(X)),
                   bounds=[(None, None)] * 3).status == 0


def by_trying(X: np.ndarray) -> set[tuple[int, ...]]:
    return {y for y in itertools.product((0, 1), repeat=len(X)) if separable(X, y)}


@pytest.mark.parametrize("x", [[.3], [.1, .2, .3], [.2, .2, .1, .9, .2], [1.0, 1.0]])
def test_thresholds_are_every_threshold(x):
    tried = {tuple(int(v >= t) for v in x) for t in [*x, max(x) + 1, min(x) - 1, *(np.array(x) + 1e-9)]}
    assert rows(threshold_labelings(x)) == tried and len(tried) == len(set(x)) + 1


@pytest.mark.parametrize("seed", range(8))
def test_half_planes_are_every_separable_labeling(seed):
    """Points on a 3 x 3 grid: many ties, many on one line."""
    X = np.random.default_rng(seed).integers(0, 3, (7, 2)).astype(float)
    assert rows(halfplane_labelings(X)) == by_trying(X)


@pytest.mark.parametrize("X", [[[0, 0]], [[0, 0], [0, 0]], [[0, 0], [1, 1], [2, 2], [3, 3]], [[0, 1], [0, 3], [0, 2]],
                               [[0, 0], [2, 0], [1, 0], [1, 1], [1, -1]], [[0, 0], [1, 0], [0, 1], [1, 1], [.5, .5]]])
def test_half_planes_on_special_points(X):
    X = np.array(X, dtype=float)
    assert rows(halfplane_labelings(X)) == by_trying(X)


@pytest.mark.parametrize("u", [2, 3, 8, 40])
def test_points_in_general_position_have_u_squared_minus_u_plus_2_labelings(u):
    X = np.random.default_rng(u).normal(size=(u, 2))
    assert len(rows(halfplane_labelings(X))) == u * u - u + 2
    assert len(halfplane_labelings(np.repeat(X, 2, axis=0))) == u * u - u + 2


def test_half_planes_do_not_trust_rounding():
    """Three points on a line, in floats: (a, a), (2a, 2a), (3a, 3a) exactly; then the last moved by the smallest step."""
    a = 0.1
    line = np.array([[a, a], [2 * a, 2 * a], [0.7, 0.7], [1e-3, 1e-3]])
    assert len(halfplane_labelings(line)) == 2 * 4
    bent = line.copy()
    bent[2, 1] = np.nextafter(0.7, 1)
    assert len(halfplane_labelings(bent)) > 8
    tiny, huge = halfplane_labelings(line * 2.0**-600), halfplane_labelings(line * 2.0**600)
    assert len(tiny) == len(huge) == 8
    grid = np.array(list(itertools.product(range(4), repeat=2))) / 10        # .3 is not 3 x .1
    assert len(halfplane_labelings(grid)) >= len(halfplane_labelings(np.round(grid * 10)))


@pytest.mark.parametrize("seed", range(12))
def test_the_number_of_half_planes_is_2_and_the_directions_seen_from_each_point(seed):
    """Directions by fractions: the primitive vector towards each other point."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (rng.integers(1, 14), 2))
    points = {tuple(point) for point in X.tolist()}
    seen = sum(len({((x - a) // math.gcd(x - a, y - b), (y - b) // math.gcd(x - a, y - b)) for x, y in points - {(a, b)}})
               for a, b in points)
    assert len(rows(halfplane_labelings(X))) == 2 + seen


@pytest.mark.parametrize("seed", range(20))
def test_the_counts_are_those_of_the_lists(seed):
    """Ties, points on lines, steps of 1 and of 0.1: every labeling's counts, each as often as it occurs."""
    rng = np.random.default_rng(seed)
    m = rng.integers(1, 14)
    X, A, Y = rng.integers(0, 4, (m, 2)) / (1 if seed % 2 else 10), rng.integers(0, 3, m), rng.integers(0, 2, m)
    cells = np.eye(6)[2 * A + Y]
    for labelings, (n_pos, n) in ((halfplane_labelings(X), halfplane_counts(X, A, Y, n_groups=3)),
                                  (threshold_labelings(X[:, 0]), threshold_counts(X[:, 0], A, Y, n_groups=3))):
        assert sorted(map(tuple, (labelings @ cells).tolist())) == sorted(map(tuple, n_pos.reshape(-1, 6).tolist()))
        assert np.array_equal(n.ravel(), cells.sum(axis=0))


def test_counts_do_not_trust_rounding():
    """Directions so close that arctan2 cannot tell them apart, in both orders of the points."""
    big = 2.0**27
    X = np.array([[0, 0], [big, big - 1], [big - 1, big - 2], [-big, 1 - big], [1, 1], [big + 1, big]])
    for points in (X, X[::-1], X * 2.0**-40):
        m = len(points)
        n_pos, _ = halfplane_counts(points, np.arange(m) % 2, np.arange(m) // 2 % 2)
        exact = halfplane_labelings(points)
        cells = np.eye(4)[2 * (np.arange(m) % 2) + np.arange(m) // 2 % 2]
        assert sorted(map(tuple, (exact @ cells).tolist())) == sorted(map(tuple, n_pos.reshape(-1, 4).tolist()))


def test_a_large_class_is_a_game_without_its_list():
    """20,000 people and all thresholds: the fair optimum of the counts is that of a list of a tenth of the cuts, or better."""
    rng, m = np.random.default_rng(0), 20_000
    A, Y = rng.integers(0, 2, m), rng.integers(0, 2, m)
    x = rng.normal(Y + 0.5 * A * (1 - Y), 1.0)
    n_pos, n = threshold_counts(x, A, Y)
    all_cuts, some = games.FairnessGame.from_counts(n_pos, n, 0.02), games.FairnessGame.from_counts(n_pos[::10], n, 0.02)
    assert all_cuts.n_classifiers == m + 1 and all_cuts.fair_erm().value <= some.fair_erm().value + 1e-9


def test_what_is_too_large_is_refused():
    with pytest.raises(ValueError, match=r"X=\(8000, 2\): has up to 63,992,002 labelings with 4 counts each"):
        halfplane_counts(np.random.default_rng(0).normal(size=(8000, 2)), np.arange(8000) % 2, np.arange(8000) // 2 % 2)
    with pytest.raises(ValueError, match=r"x=\(20000,\): has up to 20,001 labelings of 20,000 people, more than 100,000,000 labels"):
        threshold_labelings(np.arange(20_000))
    with pytest.raises(ValueError, match=r"X=\(600, 2\): has up to 359,402 labelings of 600 people"):
        halfplane_labelings(np.random.default_rng(0).normal(size=(600, 2)))
    with pytest.raises(ValueError, match="labels 17 people"):
        shattered_sets(np.zeros((1, 17)))


def test_people_whom_no_float_tells_apart_are_not_one_person():
    """2^53 and 2^53 + 1, and the nanoseconds of today: as floats two of three would be one. Floats of that size are what they are."""
    for far in (2**53, 1_790_000_000_000_000_000, -2**53 - 2):
        x = np.array([far, far + 1, far + 2])
        for call in (lambda x=x: threshold_labelings(x), lambda x=x: threshold_counts(x, [0, 1, 0], [0, 1, 1]),
                     lambda x=x: halfplane_labelings(np.column_stack([x, [0, 1, 2]])),
                     lambda x=x: halfplane_counts(np.column_stack([x, [0, 1, 2]]), [0, 1, 0], [0, 1, 1])):
            with pytest.raises(ValueError, match=rf"^[xX]={str(far)[:9]}.*: a whole number beyond 2\^53"):
                call()
    assert len(threshold_labelings([2.0**53, 2.0**53 + 2])) == 3 and len(threshold_labelings(np.array([2**53 - 1, 2**53 - 2]))) == 3


def test_half_planes_of_three_columns_are_not_to_be_reshaped():
    for call in (halfplane_labelings, lambda X: halfplane_counts(X, [0, 1], [0, 1])):
        with pytest.raises(ValueError, match=r"^X=\(2, 3\): has not two columns.*Choose two columns"):
            call(np.eye(2, 3))


def test_with_constants_adds_what_is_missing_and_nothing_else():
    assert with_constants([[0, 1], [0, 0]]).tolist() == [[0, 1], [0, 0], [1, 1]]
    assert with_constants(threshold_labelings([1, 2])).tolist() == threshold_labelings([1, 2]).tolist()


def test_sauers_sum():
    for m in range(9):
        for d in range(10):
            assert sauer_sum(m, d) == sum(math.comb(m, i) for i in range(d + 1))
    assert sauer_sum(2000, 3) == 1 + 2000 + math.comb(2000, 2) + math.comb(2000, 3)


def test_sauers_lemma_on_every_class_of_four_points():
    """All 65,535 classes of labelings of four people: none has more labelings than Sauer's sum, nor than it has shattered sets."""
    labelings = np.array(list(itertools.product((0, 1), repeat=4)))
    sets = [people for size in range(5) for people in itertools.combinations(range(4), size)]
    patterns = np.array([[sum(int(row[i]) << j for j, i in enumerate(people)) for row in labelings] for people in sets])
    classes = (np.arange(1, 2**16)[:, None] >> np.arange(16)) & 1               # which of the 16 labelings
    shattered = np.zeros((2**16 - 1, len(sets)), dtype=bool)
    for s, people in enumerate(sets):
        hit = [(classes @ (patterns[s] == code)) > 0 for code in range(2**len(people))]
        shattered[:, s] = np.all(hit, axis=0)
    size, d = classes.sum(axis=1), (shattered * np.array([len(p) for p in sets])).max(axis=1)
    assert (size <= shattered.sum(axis=1)).all()                                # Pajor
    assert (size <= np.array([sauer_sum(4, int(i)) for i in range(5)])[d]).all()    # Sauer
    for d_here in range(5):
        assert size[d == d_here].max() == sauer_sum(4, d_here)                  # and it is attained
    for c in np.random.default_rng(0).integers(0, 2**16 - 1, 50):
        assert len(shattered_sets(labelings[classes[c] == 1])) == shattered[c].sum()


def test_the_dimensions_of_our_families():
    X = np.random.default_rng(3).normal(size=(8, 2))
    for labelings, d in ((threshold_labelings(X[:, 0]), 1), (halfplane_labelings(X), 3)):
        found = shattered_sets(labelings)
        assert max(map(len, found)) == d and len(labelings) <= len(found) and len(labelings) <= sauer_sum(8, d)


def test_d_ln_m_is_a_bound_from_d_2_on_and_none_for_d_1():
    """Item J19: m + 1 > m; for d >= 2 and m >= 2 Sauer's sum is at most m^d."""
    for m in (2, 3, 10, 2000):
        assert math.log(len(threshold_labelings(np.arange(m)))) > labelings_bound(m, 1, as_printed=True)
        assert labelings_bound(m, 1) == pytest.approx(math.log(m + 1))
        for d in (2, 3, 5):
            assert labelings_bound(m, d) <= labelings_bound(m, d, as_printed=True) + 1e-12
    for m, d in ((20_001, 10_001), (10**6, 10_001), (10**9, 20_000)):           # too many terms to add: an upper bound, and not a bad one
        lower = math.lgamma(m + 1) - math.lgamma(d + 1) - math.lgamma(m - d + 1)        # the last term alone
        assert lower < labelings_bound(m, d) < 1.01 * lower + 1
    assert labelings_bound(10**6, 10_000) < labelings_bound(10**6, 10_001) < labelings_bound(10**6, 20_000)
    assert round(math.log(2000**2 - 2000 + 2), 1) == 15.2 and round(labelings_bound(2000, 3, as_printed=True), 1) == 22.8


# --- deliberate faults

def one_labeling_lost(f):
    return lambda *args, **kw: f(*args, **kw)[1:]


FAULTS = {
    "sauer_sum_without_its_last_term": Mutant("dpfair_teach.oracles.labelings.sauer_sum", less(
        lambda call: math.comb(call.m, call.d)), "the largest shattered sets are left out"),
    "sauer_sum_one_less": Mutant(
        "dpfair_teach.oracles.labelings.sauer_sum", lambda f: lambda m, d: f(m, d) - 1, "the empty set is not counted"),
    "half_planes_one_less": Mutant("dpfair_teach.oracles.labelings.halfplane_labelings", one_labeling_lost, "one labeling is lost"),
    "shattered_without_the_empty_set": Mutant(
        "dpfair_teach.oracles.labelings.shattered_sets", one_labeling_lost, "the empty set is not counted"),
}
