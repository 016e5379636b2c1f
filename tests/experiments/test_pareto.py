"""Q and its hulls on cases small enough to do by hand, and on what must hold for every curve."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from book.studies.figure1_right import GAMMAS_FIGURE1
from book.studies.quality import quality_interval, quality_room
from dpfair_teach import fairness, postprocessing
from dpfair_teach.experiments import (
    GAMMAS_PROTOCOL,
    bootstrap_means,
    epsilon_at_quality,
    error_at_violation,
    lower_hull,
    pareto_quality,
)
from faults import Mutant, scaled

# Constant (0, .4), base (.2, .1), reference down to (0, .2): the chord lies above it by a triangle of area .02.
FREE = [[0, .4], [.2, .1]]
REFERENCE = [[0, .2]]


@pytest.mark.parametrize("curve, q", [
    ([[0, .2]], 1.0),
    ([[0, .4]], 0.0),
    ([[.1, .15]], 0.5),                      # hull (0,.4) (.1,.15) (.2,.1): triangle of base .1 and height .2 is lost
    ([[.1, .15], [.05, .35], [.15, .3]], 0.5),  # points above the hull change nothing
    ([[0, .1]], 1.5),                        # better than the reference
    ([[.25, 0]], 0.1),                       # beyond the base, yet its hull (0,.4)-(.25,0) passes under the base: gap .2 to -.02
    ([[.3, 0]], 0.0),                        # beyond the base and its hull keeps the base
    ([[.2, .5], [1, 1]], 0.0),
])
def test_quality_by_hand(curve, q):
    assert pareto_quality(curve, REFERENCE, FREE) == pytest.approx(q, abs=1e-12)


def test_quality_with_knots_of_both_curves():
    """Reference hull (0,.3) (.05,.15) (.2,.1), curve hull (0,.4) (.1,.2) (.2,.1): gaps .1, .15, .2 - .4/3, 0 at 0, .05, .1, .2."""
    gap = [.1, .15, .2 - .4 / 3, 0]
    lost = .05 * (gap[0] + gap[1]) / 2 + .05 * (gap[1] + gap[2]) / 2 + .1 * gap[2] / 2
    room = .05 * (.1 + .175) / 2 + .15 * .175 / 2  # the chord is .4 at 0 and .325 at .05
    q = pareto_quality([[.1, .2]], [[0, .3], [.05, .15]], FREE)
    assert q == pytest.approx(1 - lost / room, abs=1e-12)


@pytest.mark.parametrize("reference, room", [
    ([[0, .1]], 1.0),                        # fairness costs nothing
    ([[0, .2]], 2 / 3), ([[0, .37]], 0.1),   # the triangle has area .03; its part on the axis counts in proportion
    ([[.1, .1]], 0.5), ([[.1, .25]], 0.0), ([[.1, .4]], 0.0),
    ([[.1, .0]], .025 / .03),                # below the base: (0, .4) (.1, 0) (.2, .1) has .025 below it, the chord .05
])
def test_room_by_hand(reference, room):
    assert quality_room(reference, FREE) == pytest.approx(room, abs=1e-12)


def test_the_interval_holds_a_q_that_all_resamples_exceed():
    """Thirty noisy curves of 400 tolerances along the chord: hulls take the luckiest points, and of resamples those that are luckier.

    The percentile interval lies above Q as a whole, which is too high itself: the truth is 0. The interval reaches as far below Q as above.
    """
    rng, violations = np.random.default_rng(0), np.tile(np.linspace(.01, .19, 400), (30, 1))
    errors = .4 - 1.5 * violations + .02 * rng.standard_normal((30, 400))
    q, low, high = quality_interval(violations, errors, REFERENCE, FREE, np.random.default_rng(1))
    curves = bootstrap_means(np.stack([violations, errors], axis=-1), np.random.default_rng(1))
    percentile = np.quantile([pareto_quality(curve, REFERENCE, FREE) for curve in curves], [.025, .975])
    assert q < percentile[0] and high == pytest.approx(percentile[1])
    assert low == pytest.approx(max(2 * q - high, 0)) and low < q < high


points = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(points, points, st.randoms(use_true_random=False))
def test_more_points_never_hurt_and_order_never_matters(curve, more, random):
    q = pareto_quality(curve, REFERENCE, FREE)
    assert q >= -1e-9
    assert pareto_quality(curve + more, REFERENCE, FREE) >= q - 1e-9
    shuffled = list(curve)
    random.shuffle(shuffled)
    assert pareto_quality(shuffled, REFERENCE, FREE) == pytest.approx(q, abs=1e-9)


def test_hull_is_scipys_lower_hull():
    rng = np.random.default_rng(5)
    for _ in range(50):
        cloud = rng.random((30, 2))
        hull = ConvexHull(cloud)
        # a facet whose outward normal points down belongs to the lower hull
        lower = {v for facet, (_, down, _) in zip(hull.simplices, hull.equations, strict=True) if down < 0 for v in facet}
        expected = cloud[sorted(lower, key=lambda v: cloud[v, 0])]
        np.testing.assert_allclose(lower_hull(cloud), expected)


@pytest.mark.slow
def test_interval_covers_as_promised():
    """200 experiments of 40 repeats whose mean Q is .5: a 95 % interval covers .5 in more than 150 of them.

    n = 200, cover probability at least .92 (the percentile interval of 40 normal repeats has about .94): P(Binomial <= 150) < 1e-11.
    Nor is it too wide: Q has standard deviation .02 / sqrt(40) / .2, so the mean width is near 2 * 1.96 times that.
    """
    rng = np.random.default_rng(11)
    covered, widths = 0, []
    for _ in range(200):
        errors = .3 + .02 * rng.standard_normal((40, 1))
        _, low, high = quality_interval(np.zeros((40, 1)), errors, REFERENCE, FREE, rng)
        covered += low <= 0.5 <= high
        widths.append(high - low)
    assert covered > 150
    assert np.mean(widths) == pytest.approx(2 * 1.96 * .1 / np.sqrt(40), rel=0.15)


def test_interval_is_about_the_mean_curve():
    violations, errors = np.array([[.0], [.2]]), np.array([[.2], [.2]])
    q, low, high = quality_interval(violations, errors, REFERENCE, FREE, np.random.default_rng(0))
    assert q == pytest.approx(pareto_quality([[.1, .2]], REFERENCE, FREE))
    assert low == pytest.approx(0.0) and high == pytest.approx(1.0)


def test_grids_of_the_protocol():
    assert len(GAMMAS_PROTOCOL) == 25 and len(GAMMAS_FIGURE1) == 72
    np.testing.assert_allclose(GAMMAS_PROTOCOL, np.r_[np.arange(11) / 100, np.linspace(.12, .5, 14)])
    for value in (.001, .01, .1, .2, .4, .8, 1.0, .0138, .1962):
        assert np.isclose(GAMMAS_FIGURE1, value).sum() == 1, value


@pytest.mark.parametrize("target, epsilon", [(.2, .1), (.9, 10), (.4, 1), (.3, 10 ** -.5), (.65, 10 ** .5)])
def test_epsilon_at_quality_by_hand(target, epsilon):
    assert epsilon_at_quality([.1, 1, 10], [.2, .4, .9], target) == pytest.approx(epsilon)


def test_epsilon_at_quality_takes_the_first_crossing_and_never_extrapolates():
    assert epsilon_at_quality([1, 2, 3, 4], [0, 1, 0, 1], .5) == pytest.approx(2 ** .5)
    for target in (.1, .95):
        with pytest.raises(ValueError, match="target"):
            epsilon_at_quality([.1, 1, 10], [.2, .4, .9], target)


@pytest.mark.parametrize("curve, violation, error", [
    ([[.1, .15]], 0.0, .4), ([[.1, .15]], .05, .275), ([[.1, .15]], .1, .15), ([[.1, .15]], .2, .1),
    ([[.1, .3]], .1, .25),                          # above the chord: the chord
    ([[.3, 0]], .1, .25),                           # beyond the base, whose own hull point stays lower on the chord
])
def test_error_at_violation_by_hand(curve, violation, error):
    assert error_at_violation(curve, violation, FREE) == pytest.approx(error, abs=1e-12)


def test_error_beyond_the_base_is_refused():
    with pytest.raises(ValueError, match=r"violation=0\.21: above the base's"):
        error_at_violation(REFERENCE, .21, FREE)


@pytest.mark.parametrize("seed", range(12))
def test_the_interval_is_that_of_each_resample_alone(seed):
    """All resamples walk along their hulls together; every second case has ties, every third no better point than the free ones."""
    rng = np.random.default_rng(seed)
    violations, errors = rng.random((2, 9, 1 + 3 * seed)) * np.array([[[rng.choice([.2, 1.0])]], [[.4]]])
    if seed % 2:
        violations, errors = np.round(violations, 1), np.round(errors, 1)
    if seed % 3 == 0:
        errors = .4 + errors
    q, low, high = quality_interval(violations, errors, REFERENCE, FREE, np.random.default_rng(1))
    curves = bootstrap_means(np.stack([violations, errors], axis=-1), np.random.default_rng(1))
    alone = [pareto_quality(curve, REFERENCE, FREE) for curve in curves]
    ends = np.quantile(alone, [.025, .975])
    assert low <= q <= high
    if ends[0] <= q <= ends[1]:
        assert (low, high) == pytest.approx(ends.tolist(), abs=1e-12)
    assert q == pareto_quality(np.stack([violations, errors], axis=-1).mean(axis=0), REFERENCE, FREE)
    if seed % 3 == 0:
        assert (q, low, high) == (0, 0, 0)


def test_a_public_coin_mixes_error_linearly_and_violation_convexly():
    """Random tables and pairs of derived classifiers; equality of the violation where one of them is constant."""
    rng = np.random.default_rng(21)
    counts = rng.integers(1, 30, size=(500, 2, 3, 2))
    h0, h1, t = rng.random((500, 2, 3)), rng.random((500, 2, 3)), rng.random((500, 1, 1))

    def points(p):
        derived = postprocessing.derived_counts(counts / counts.sum(axis=(1, 2, 3), keepdims=True), p)
        return fairness.error(derived), fairness.violation(derived, against="anchor")

    share = t.ravel()
    (e0, v0), (e1, v1), (e, v) = points(h0), points(h1), points((1 - t) * h0 + t * h1)
    np.testing.assert_allclose(e, (1 - share) * e0 + share * e1, atol=1e-12)
    assert (v <= (1 - share) * v0 + share * v1 + 1e-12).all() and (v < (1 - share) * v0 + share * v1 - .01).any()
    for constant in (np.zeros_like(h0), np.ones_like(h0)):
        np.testing.assert_allclose(points(constant)[1], 0, atol=1e-12)
        np.testing.assert_allclose(points((1 - t) * constant + t * h1)[1], share * v1, atol=1e-12)


# --- deliberate faults

FAULTS = {
    "quality_a_tenth_less": Mutant("dpfair_teach.experiments.pareto_quality", scaled(0.9), "nine tenths of Q"),
}
