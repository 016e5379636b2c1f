"""A clip of public numbers, and violations over those who say their group."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpfair_teach.lagrangian import best_clip, clip_error_bound, fixed_sensitivity, public_clip, reported_violations
from faults import Mutant, changed, with_arguments

VALID_CALLS = {
    "lagrangian.public_clip": lambda: dict(norms=[1.0, 2.0, 4.0], weights=[1.0, 0.5], sizes=[2.0, 1.0], noise=1.5),
    "lagrangian.reported_violations": lambda: dict(values=[0.2, 0.5, 0.7, 0.1], A=[0, 0, 1, 1], reports=[1, 0, 1, 1],
                                                   normalisers=[2.0, 2.0], centred=False),
}


def test_the_best_clips_are_where_the_weights_from_the_longest_norm_down_pass_the_noise():
    rng = np.random.default_rng(0)
    for _ in range(300):
        m = rng.integers(1, 7)
        norms, weights, noise = rng.integers(0, 5, size=m), rng.integers(0, 4, size=m) / 2, rng.integers(1, 12) / 4
        found, down = best_clip(norms, weights, noise), sorted(set(norms.tolist()), reverse=True)
        assert found.low == next((norm for norm in down if weights[norms >= norm].sum() > noise), 0)
        assert found.high == next((norm for norm in down if weights[norms >= norm].sum() >= noise), 0)
    assert repr(best_clip([3.0, 1.0], [0.5, 0.5], 0.0)) == "BestClip(low=3.0, high=inf, bound=0.0)"       # without noise nothing is clipped
    assert best_clip([1.0, 2.0, 3.0], [0.1] * 3, 0.3) == best_clip([1.0, 2.0, 3.0], [0.1] * 3, math.fsum([0.1] * 3))


@pytest.mark.slow
def test_a_public_clip_loses_at_most_the_ratio_of_the_weights():
    """Every grouping of eight people; close to the ratio where few heavy people hold all that is long."""
    rng, groupings = np.random.default_rng(0), np.array(list(itertools.product((0, 1), repeat=8)))
    for _ in range(8):
        norms, weights = rng.integers(0, 6, size=8).astype(float), rng.integers(1, 5, size=2) / 2
        for noise in (0.5, 2.0, 3.7, 8.0):
            for sizes in ([4, 4], [1, 7]):
                found = public_clip(norms, weights, sizes, noise)
                assert found.loses == weights.max() / weights.min()
                for A in groupings:
                    here = float(clip_error_bound(norms, weights[A], found.clip, noise))
                    assert here <= found.loses * best_clip(norms, weights[A], noise).bound * (1 + 1e-12)
    norms, A = np.r_[np.zeros(990), np.ones(10)], np.repeat([0, 1], [990, 10])
    found, w = public_clip(norms, [1, 10], [990, 10], 10 * 1.09 + 1e-9), np.array([1.0, 10.0])[A]       # the mean weight is 1.09
    lost = float(clip_error_bound(norms, w, found.clip, 10.9)) / best_clip(norms, w, 10.9).bound
    assert found.clip == 0 and 9 < lost <= found.loses == 10
    assert public_clip(norms, [0, 1], [990, 10], 1.0).loses == math.inf


def test_a_public_clip_loses_nothing_where_norms_are_alike_or_weights_equal():
    rng = np.random.default_rng(1)
    for noise in (0.5, 2.0, 3.7):
        norms = rng.uniform(0, 5, size=6)
        alike, A = np.tile(norms, 3), np.repeat([0, 1], [12, 6])
        weights = np.array([0.25, 1.5])
        found = public_clip(alike, weights, [12, 6], noise)
        assert float(clip_error_bound(alike, weights[A], found.clip, noise)) == pytest.approx(best_clip(alike, weights[A], noise).bound)
        equal = public_clip(norms, [0.5, 0.5], [3, 3], noise)
        assert equal.loses == 1 and equal.clip == best_clip(norms, np.full(6, 0.5), noise).low
    with pytest.raises(ValueError, match=r"^weights=\[0.0, 0.0\]: not one weight for each"):
        public_clip([1.0], [0, 0], [1, 1], 1.0)
    assert public_clip([1.0, 3.0], [1, 1], [1, 1], 0.0).clip == 3.0


def test_silence_rescales_a_centred_violation_and_shifts_a_plain_one():
    """All 3^6 ways in which six people are in group 0, in group 1, or silent in group 0."""
    h, rng = np.array([0.0, 0.1, 0.4, 0.7, 1.0, 1.0]), np.random.default_rng(0)
    for said in itertools.product((0, 1, 2), repeat=6):
        A, reports = np.array(said) % 2, (np.array(said) < 2).astype(int)
        own = np.bincount(A, minlength=2)
        if own.min() == 0 or not (reports[A == 0]).any():
            continue
        r, N = np.array([reports[A == a].mean() for a in (0, 1)]), rng.uniform(0.5, 5, size=2)
        told, mean = (np.array([h[(A == a) & keep].mean() for a in (0, 1)]) for keep in (reports == 1, reports < 2))
        scale = r * own / N
        assert reported_violations(h, A, reports, N) == pytest.approx(scale * (h.mean() - told))
        assert reported_violations(h, A, reports, N, centred=False) == pytest.approx(h.mean() - scale * told)
        assert reported_violations(h, A, reports, r * own, centred=False) == pytest.approx(h.mean() - told)
        assert (np.abs(told - mean) <= (1 - r) * 1.0 + 1e-12).all()
    fair = np.full(6, 0.5)
    assert reported_violations(fair, [0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 1, 1], [2, 2]) == pytest.approx(0)
    assert reported_violations(fair, [0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 1, 1], [2, 2], centred=False) == pytest.approx([0.25, 0])
    worst = reported_violations([1, 1, 1, 0, 0], [0] * 5, [1, 1, 1, 0, 0], [3, 1])[0] - 0       # of three fifths the mean is 1, of all 0.6
    assert worst == pytest.approx(0.6 - 1.0)
    with pytest.raises(ValueError, match=r"^reports=0.5: neither 0 nor 1"):
        reported_violations(fair, [0] * 6, [0.5] * 6, [1, 1])


def test_who_is_silent_moves_a_fixed_sum_by_no_more():
    """Every change among three groups and silence, with gradients of length C: met, and 0 lies in the range where signs differ."""
    for nu, N in (([1.0, -1.0, 0.5], [20.0, 10.0, 5.0]), ([1.0, 0.5, 0.2], [20.0, 20.0, 20.0]), ([-1.0, -2.0], [4.0, 4.0])):
        adds = np.append(np.divide(nu, N), 0.0) * 3.0                                           # of one person, clip 3; the last is silence
        most = max(abs(x - y) for x, y in itertools.product(adds, repeat=2))
        assert fixed_sensitivity(nu, 3.0, N, missing=True) == pytest.approx(most)
        without = fixed_sensitivity(nu, 3.0, N)
        assert (without == pytest.approx(most)) == (min(nu) < 0 < max(nu))


# --- deliberate faults

PUBLIC, REPORTED = "dpfair_teach.lagrangian.clipping.public_clip", "dpfair_teach.lagrangian.clipping.reported_violations"
FAULTS = {
    "clip_before_the_noise_is_passed": Mutant("dpfair_teach.lagrangian.clipping.best_clip", with_arguments(
        noise=lambda noise: noise * (1 - 1e-9)), "as soon as they weigh as much as the noise"),
    "public_clip_with_too_little_noise": Mutant(PUBLIC, with_arguments(noise=lambda noise: noise / 200), "noise hardly costs anything"),
    "public_clip_loses_the_root": Mutant(PUBLIC, changed(loses=math.sqrt), "the root of the ratio"),
    "public_clip_by_the_first_group": Mutant(PUBLIC, with_arguments(sizes=lambda sizes: np.r_[1e9, np.asarray(sizes, float)[1:]]),
                                             "everybody is in group 0"),
    "reports_never_centred": Mutant(REPORTED, with_arguments(centred=lambda _: False), "the plain sum"),
    "silent_people_speak": Mutant(REPORTED, with_arguments(reports=np.ones_like), "everybody is counted"),
}
