"""Norms and clipped sums: what the loop over people makes, without the gradients; and what privacy asks of them."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach.networks import clipped_sum, gradient, gradient_norms, per_example_gradients
from faults import Mutant
from test_networks import HIDDEN, case

LARGE = (100, 100)


def clipped_by_hand(network, theta, passed, slopes, clip):
    """Each person's gradient, shortened, by the definition."""
    gradients = per_example_gradients(network, theta, passed, slopes)
    return np.array([g if np.linalg.norm(g) <= clip else clip * g / np.linalg.norm(g) for g in gradients])


def close(found, expected):
    """Equal to 1e-10 of the largest entry."""
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("hidden, m, n", [*((hidden, 20, 4) for hidden in HIDDEN), ((30, 30), 256, 40), (LARGE, 64, 100)], ids=str)
def test_norms_and_clipped_sums_are_those_of_the_loop(hidden, m, n):
    network, theta, X, slopes = case(hidden, m=m, n=n)
    slopes[3] = 0
    passed, rng = network.forward(theta, X), np.random.default_rng(1)
    gradients = per_example_gradients(network, theta, passed, slopes)
    norms = gradient_norms(network, theta, passed, slopes)
    np.testing.assert_allclose(norms, np.linalg.norm(gradients, axis=1), rtol=1e-10)
    close(gradient(network, theta, passed, slopes), gradients.sum(axis=0))
    weights = rng.normal(size=m)
    for clip in (1e-3, np.median(norms), 1e6):
        clipped = clipped_by_hand(network, theta, passed, slopes, clip)
        close(clipped_sum(network, theta, passed, slopes, clip), clipped.sum(axis=0))
        close(clipped_sum(network, theta, passed, slopes, clip, weights), weights @ clipped)


def test_per_example_gradients_are_those_of_finite_differences():
    network, theta, X, slopes = case((4, 3))
    found = per_example_gradients(network, theta, network.forward(theta, X), slopes)
    for j, e in enumerate(1e-6 * np.eye(len(theta))):
        np.testing.assert_allclose(found[:, j], slopes * (network.logits(theta + e, X) - network.logits(theta - e, X)) / 2e-6, rtol=1e-6,
                                   atol=1e-8)


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
def test_one_person_more_moves_a_sum_by_the_clip_at_most_and_can_do_so(hidden):
    """The sensitivity that noise is calibrated to: of a person who is added with weight 1."""
    network, theta, X, slopes = case(hidden, m=40)
    for clip in (.01, 1.0, 5.0):
        whole, moves = clipped_sum(network, theta, network.forward(theta, X), slopes, clip), []
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            moves.append(np.linalg.norm(whole - clipped_sum(network, theta, network.forward(theta, X[rest]), slopes[rest], clip)))
        longest = gradient_norms(network, theta, network.forward(theta, X), slopes).max()
        assert max(moves) == pytest.approx(min(clip, longest), rel=1e-9)
    assert longest > 1.0


def test_single_precision_keeps_its_digits_and_its_kind():
    network, theta, X, slopes = case((30, 20), m=100, n=30, dtype=np.float32)
    single, double = network.forward(theta, X), network.forward(theta.astype(float), X)
    for one in (lambda passed: clipped_sum(network, theta, passed, slopes, 1.0),
                lambda passed: gradient_norms(network, theta, passed, slopes)):
        np.testing.assert_allclose(one(single), one(double), rtol=1e-3, atol=1e-4)
    assert clipped_sum(network, theta, single, slopes, 1.0).dtype == np.float32


@pytest.mark.parametrize("dtype, within", [(np.float64, 1e-14), (np.float32, 1e-5)])
def test_nobodys_share_is_longer_than_the_clip_but_by_rounding(dtype, within):
    network, theta, X, slopes = case(LARGE, m=40, n=100, dtype=dtype)
    for i in range(40):
        alone = clipped_sum(network, theta, network.forward(theta, X[i:i + 1]), slopes[i:i + 1], 1e-3)
        assert np.linalg.norm(alone.astype(float)) == pytest.approx(1e-3, rel=within)


def test_a_norm_that_is_too_large_for_its_kind_is_refused_and_nobody_is_left_out():
    """A square may be infinite where the gradient is not; a factor of 0 would drop the person without a word."""
    network, theta, X, slopes = case((3,))
    theta, X = (1e-10 * theta).astype(np.float32), 1e25 * np.abs(X)
    passed = network.forward(theta, X)
    with pytest.raises(ValueError, match=r"^theta, passed, slopes, weights=inf: is what a gradient of them, or its norm, holds"):
        clipped_sum(network, theta, passed, slopes, 1.0)


# ------------------------------------------------------------------------------------------------------ the faults

def less_of_a_layer(keep):
    """Squared norms of what ``keep`` leaves of what the layers read and of their deltas."""
    return lambda f: lambda activations, found: f(*keep(activations, found))


FAULTS = {
    "norms_without_biases": Mutant("dpfair_teach.networks.gradients.squared_norms", less_of_a_layer(
        lambda a, d: ([one[:, :-1] for one in a], d)), "|delta|^2 |a|^2: the gradient by the biases is left out of the norm"),
    "norms_of_the_last_layer": Mutant("dpfair_teach.networks.gradients.squared_norms", less_of_a_layer(
        lambda a, d: (a[-1:], d[-1:])), "the norm of the last layer's gradient alone"),
    "clipped_after_the_sum": Mutant("dpfair_teach.networks.gradients.clipped_sum", lambda f: lambda network, theta, passed, slopes, clip,
                                    weights=None: (lambda g: g * min(1, clip / np.linalg.norm(g)))(gradient(
                                        network, theta, passed, slopes if weights is None else slopes * weights)),
                                    "the sum is clipped and not each person"),
    "clip_forgets_the_slopes": Mutant("dpfair_teach.networks.gradients._norms", lambda f: lambda read, deltas: f(
        read._replace(slopes=np.ones_like(read.slopes)), deltas), "clips by the norm of the logit's gradient"),
}
