"""What clipping costs: Theorems 6 and 7 against drawn errors, and the best clip against every clip."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpfair_teach.lagrangian import (
    best_clip,
    clip_error_bound,
    group_term,
    mean_length,
    means_sensitivity,
    theorem_2,
    theorem_6,
    theorem_7,
)
from faults import Mutant, calling, scaled, with_arguments

VALID_CALLS = {
    "lagrangian.mean_length": lambda: dict(n_parameters=10),
    "lagrangian.clip_error_bound": lambda: dict(norms=[1.0, 2.0, 4.0], weights=[1.0, 0.5, 1.0], clip=[0.5, 1.0], noise=1.5),
    "lagrangian.best_clip": lambda: dict(norms=[1.0, 2.0, 4.0], weights=[1.0, 0.5, 1.0], noise=1.5),
    "lagrangian.theorem_6": lambda: dict(norms=[1.0, 2.0, 4.0, 1.0], A=[0, 0, 1, 1], multipliers=[1.0, 0.5], clip=1.0, noise_multiplier=1.0,
                                         n_parameters=10, as_printed=True),
    "lagrangian.theorem_7": lambda: dict(values=[0.2, 0.9], n_left=20.0, n_joined=9.0, clip=0.5, noise_multiplier=1.0, as_printed=True),
}


def test_the_mean_length_of_noise():
    for p in (1, 2, 7, 1000):
        assert mean_length(p) == pytest.approx(stats.chi.mean(p)) and mean_length(p) <= math.sqrt(p)
    assert mean_length(1) == pytest.approx(math.sqrt(2 / math.pi)) and round(mean_length(1), 3) == 0.798
    assert mean_length(10**10) == pytest.approx(1e5)


def test_the_bound_and_its_least_clip_against_every_clip():
    """gap-t23: convex and piecewise linear, so the least lies at a norm or at 0; all of an interval where the weight above is the noise."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        m = rng.integers(1, 7)
        norms, weights, noise = rng.integers(0, 5, size=m).astype(float), rng.integers(0, 4, size=m) / 2, rng.integers(1, 12) / 4
        def plain(C, norms=norms, weights=weights, noise=noise):
            return noise * C + (weights * np.maximum(norms - C, 0)).sum()
        every = np.linspace(0, 6, 121)
        values = np.array([plain(C) for C in every])
        assert clip_error_bound(norms, weights, every, noise) == pytest.approx(values)
        found = best_clip(norms, weights, noise)
        assert [found.bound, plain(found.high)] == pytest.approx([values.min()] * 2)
        least = every[values < values.min() + 1e-9]
        assert (found.low, found.high) == pytest.approx((least.min(), least.max()))
        assert (np.diff(values, 2) > -1e-9).all()
        above = weights[norms > found.low].sum(), weights[norms >= found.low].sum() if found.low else np.inf
        assert above[0] <= noise <= above[1]                        # a quantile, and where equality fails there is no other


def test_two_groups_alike_and_no_clip_at_all():
    """gap-t23: two equal multipliers and sigma = 1: by the printed bound C = 0 is best for groups of at most 1 + sqrt(p), 71."""
    p, rng = 5000, np.random.default_rng(0)
    for m in (60, 71, 72, 90):
        norms, A = rng.uniform(1, 2, size=2 * m), np.repeat([0, 1], m)
        noise = 2 * math.sqrt(p) / (m - 1)                          # of the printed bound at C = 1
        found = best_clip(norms, np.full(2 * m, 1 / m), noise)
        assert (found.high == 0) == (m <= 1 + math.sqrt(p)) == (m <= 71)
        printed = [theorem_6(norms, A, [1, 1], C, 1.0, p, as_printed=True) for C in (found.low, 0.0, 0.5, 1.5, 2.0)]
        assert [printed[0], found.bound] == pytest.approx([min(printed)] * 2)


def test_theorem_6_as_printed_is_false():
    """gap-t22: one parameter, gradients of 1 and -1, no noise, no clipping: the error is 2, the bound 0."""
    X, A = np.array([[1.0], [-1.0]]), np.array([0, 1])
    one = np.array([1.0, 0.0])                                      # the multiplier of one constraint
    true, printed = (group_term(form, X, A, one, **more) for form, more in (
        ("autograd", {"scores": [0.0, 1.0]}), ("printed", {})))     # V > 0, and the gradient of V is -1
    assert (true, printed) == (-1, 1) and abs(true - printed) == 2
    assert theorem_6([1.0, 1.0], A, one, 1.0, 0.0, 1, as_printed=True) == 0


def steps(rng, X, A, nu, clip, sigma, size):
    """Errors of the private group term, drawn: everybody's gradient clipped, noise by the exact sensitivity."""
    lengths = np.linalg.norm(X, axis=1)
    clipped = X / np.maximum(1, lengths / clip)[:, None] if clip else 0 * X
    off = group_term("means", X, A, nu) - group_term("means", clipped, A, nu)
    noise = sigma * clip * means_sensitivity(np.bincount(A), nu, 1.0) * rng.normal(size=(size, X.shape[1]))
    return np.linalg.norm(off + noise, axis=1).mean()


def test_theorem_6_repaired_bounds_the_error():
    """With signed multipliers; drawn, 4000 times each. Met by noise alone, by clipping alone where gradients are aligned."""
    rng, A, nu = np.random.default_rng(0), np.repeat([0, 1, 2], [4, 6, 5]), np.array([1.0, -0.5, 0.2])
    for p in (1, 3, 50):
        X = rng.normal(size=(15, p))
        for clip, sigma in itertools.product((0.0, 0.3, 1.0, 5.0, 100.0), (0.0, 0.5, 2.0)):
            bound = theorem_6(np.linalg.norm(X, axis=1), A, nu, clip, sigma, p)
            error = steps(rng, X, A, nu, clip, sigma, 4000)
            assert error <= bound * 1.05
            if clip == 100.0:
                assert error == pytest.approx(bound, rel=0.06)
        aligned = np.abs(X[:, :1]) * (np.sign(nu)[A])[:, None]
        assert steps(rng, aligned, A, nu, 0.3, 0.0, 1) == pytest.approx(theorem_6(np.abs(aligned[:, 0]), A, nu, 0.3, 0.0, 1))
    with pytest.raises(ValueError, match=r"^multipliers=-0.5: below 0: the printed multipliers are not"):
        theorem_6(np.ones(15), A, nu, 1.0, 1.0, 3, as_printed=True)
    with pytest.raises(ValueError, match=r"^A=2: group 2 holds nobody"):
        theorem_6(np.ones(3), [0, 1, 1], nu, 1.0, 1.0, 3)


def test_theorem_7_bounds_the_error_of_a_violation():
    """gap-t24: for h of both signs the printed equality (20) is an inequality, and so is the bound; met by values of one sign."""
    rng = np.random.default_rng(0)
    for low, clip, sigma in itertools.product((0.0, -3.0), (0.5, 1.0, 4.0), (0.0, 1.0)):
        h = rng.uniform(low, 3.0, size=12)
        noise = sigma * theorem_2(12, 9, 0.0 if low == 0 else -clip, clip) * rng.normal(size=20_000)
        V = [abs(0.7 - x.mean()) for x in (h, np.clip(h, -clip, clip))]
        error, bound = np.abs(V[1] - V[0] + noise).mean(), theorem_7(h, 12, 9, clip, sigma)
        assert error <= bound * 1.03
        if clip == 4.0:
            assert error == pytest.approx(bound, rel=0.03)
    h = np.array([2.0, -2.0])                                       # clipped at 1 the mean stays: no bias where (20) says 1
    assert np.clip(h, -1, 1).mean() == h.mean() and theorem_7(h, 2, 2, 1.0, 0.0) == 1.0
    h = np.array([2.0, 0.5])
    assert abs(np.clip(h, 0, 1).mean() - h.mean()) == pytest.approx(theorem_7(h, 2, 2, 1.0, 0.0))
    assert theorem_7(h, 20, 20, 1.0, 1.0) < theorem_7(h, 20, 20, 1.0, 1.0, as_printed=True)
    assert theorem_7(h, 20, 1, 1.0, 1.0, as_printed=True) == math.inf


# --- deliberate faults

CLIPPING = "dpfair_teach.lagrangian.clipping."
FAULTS = {
    "clip_without_noise": Mutant(CLIPPING + "clip_error_bound", with_arguments(noise=lambda _: 0.0), "no variance"),
    "clip_without_bias": Mutant(CLIPPING + "clip_error_bound", with_arguments(norms=np.zeros_like), "no bias"),
    "best_clip_without_weights": Mutant(CLIPPING + "best_clip", with_arguments(weights=np.ones_like), "a plain quantile"),
    "best_clip_never_zero": Mutant(CLIPPING + "best_clip", with_arguments(noise=lambda noise: min(noise, 1.0)),
                                   "noise never outweighs all"),
    "theorem_6_without_noise": Mutant(CLIPPING + "theorem_6", with_arguments(noise_multiplier=lambda _: 0.0), "no variance"),
    "theorem_6_without_bias": Mutant(CLIPPING + "theorem_6", with_arguments(norms=np.zeros_like), "no bias"),
    "theorem_6_by_the_root": Mutant(CLIPPING + "theorem_6", calling("mean_length", lambda f: lambda p: math.sqrt(p) * 1.1),
                                    "more than sqrt(p)"),
    "printed_theorem_6_without_its_noise": Mutant(CLIPPING + "theorem_6", lambda f: lambda *args, as_printed=False: f(
        *args[:4], 0.0 if as_printed else args[4], args[5], as_printed=as_printed), "no noise"),
    "theorem_7_without_noise": Mutant(CLIPPING + "theorem_7", with_arguments(noise_multiplier=lambda _: 0.0), "no variance"),
    "theorem_7_without_bias": Mutant(CLIPPING + "theorem_7", with_arguments(values=np.zeros_like), "no bias"),
    "theorem_7_by_the_deviation": Mutant(CLIPPING + "theorem_7", calling("mean_length", lambda f: lambda p: 1.0),
                                         "the deviation, and not 0.798"),
    "mean_length_is_the_root": Mutant(CLIPPING + "mean_length", lambda f: lambda n_parameters: math.sqrt(n_parameters), "sqrt(p)"),
    "mean_length_halved": Mutant(CLIPPING + "mean_length", scaled(0.5), "half of it"),
}
