"""The network: forward, back, losses and steps, against finite differences and against what is written out by hand."""
from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest

from dpfair_teach import networks
from dpfair_teach.lagrangian import FairTerms
from dpfair_teach.networks import SGD, Adam, Network, Pass, gradient, log_loss, log_loss_slopes
from dpfair_teach.networks.network import TOGETHER, blocks
from dpfair_teach.training import State, train
from faults import Mutant, scaled

#: 3-4-5: everybody's norm is a number of few bits, so that all of this is the same in every precision.
SMALL = Network(2, hidden=(2,))
THETA = np.array([.5, 0, 0, .5, 1, 1, .75, 0, 1])
X = np.array([[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]])
SLOPES = np.array([1.0, -2.0, .5])


def handed(**more):
    return dict(network=SMALL, theta=THETA, passed=SMALL.forward(THETA, X), slopes=SLOPES, **more)


VALID_CALLS = {
    "networks.Network": lambda: dict(n_features=3, hidden=(2, 4)),
    "networks.gradient_norms": handed, "networks.per_example_gradients": handed,
    "networks.clipped_sum": lambda: handed(clip=1.875, weights=np.array([1.0, 2.0, -4.0])),
    "networks.log_loss_slopes": lambda: dict(logits=np.array([.5, -1.0]), y=np.array([0, 1])),
    "networks.SGD": lambda: dict(learning_rate=.1),
    "networks.Adam": lambda: dict(learning_rate=.1),
}
HIDDEN = [(), (3,), (5, 4), (4, 1, 3)]


def case(hidden, m=20, n=4, seed=0, dtype=float):
    """A network with biases that are not 0, some people, and slopes."""
    rng = np.random.default_rng(seed)
    network = Network(n, hidden)
    theta = (network.initial(rng) + .3 * rng.normal(size=network.n_parameters)).astype(dtype)
    return network, theta, rng.normal(size=(m, n)), rng.normal(size=m)


def layers(network, theta):
    """The weights and the biases of each layer."""
    return [(block[:-1], block[-1]) for block in blocks(network.shapes, theta)]


def by_hand(network, theta, X):
    """One person and one unit after the other."""
    found = []
    for x in X:
        a, start = list(x), 0
        for i, (rows, columns) in enumerate(network.shapes):
            W = theta[start:start + rows * columns].reshape(rows, columns)
            z = [sum(W[j, l] * a[j] for j in range(rows - 1)) + W[-1, l] for l in range(columns)]
            a, start = [max(v, 0) for v in z] if i < len(network.hidden) else z, start + rows * columns
        found += a
    return np.array(found)


# ------------------------------------------------------------------------------------------------------ forward

@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
def test_a_logit_is_what_the_units_add_up(hidden):
    network, theta, X, _ = case(hidden)
    passed = network.forward(theta, X)
    np.testing.assert_allclose(passed.logits, by_hand(network, theta, X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(network.logits(theta, X), passed.logits, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(network.probabilities(theta, X), 1 / (1 + np.exp(-passed.logits)), rtol=1e-12)
    assert len(theta) == network.n_parameters == sum(W.size + b.size for W, b in layers(network, theta))
    assert [read.shape for read in passed.activations] == [(20, rows) for rows, _ in network.shapes]


def test_layers_are_views_and_two_networks_of_the_same_sizes_are_equal():
    network = Network(3, [2, 4])
    theta = np.zeros(network.n_parameters)
    for i, (W, b) in enumerate(layers(network, theta)):
        W += i + 1
        b -= i + 1
    assert (theta != 0).all() and [W.shape for W, _ in layers(network, theta)] == [(3, 2), (2, 4), (4, 1)]
    assert network == Network(3, (2, 4)) == pickle.loads(pickle.dumps(network)) != Network(3, (2, 5))
    assert len({network, Network(3, (2, 4))}) == 1


def test_it_starts_uniform_within_bounds_by_inputs_and_outputs():
    network = Network(500, (400, 300))
    theta = network.initial(np.random.default_rng(0))
    for W, b in layers(network, theta):
        within = np.sqrt(6 / sum(W.shape))
        assert .98 * within < np.abs(W).max() <= within and .9 * within < np.abs(np.append(b, W[:50].max())).max() <= within
        assert W.std() == pytest.approx(within / np.sqrt(3), rel=.01 if W.shape[1] > 1 else .1) and len(set(b)) == len(b)
    small = network.initial(np.random.default_rng(0), dtype=np.float32)
    assert small.dtype == np.float32 and (small == theta.astype(np.float32)).all()


def test_many_people_are_read_in_blocks_from_a_file_too(tmp_path):
    network, theta, X, _ = case((3,), m=8 * TOGETHER + 5, n=40)
    path = tmp_path / "X"
    X.astype(np.float32).tofile(path)
    on_disk = np.memmap(path, np.float32, "r", shape=X.shape)
    network.probabilities(theta, on_disk[:10])
    tracemalloc.start()
    found = network.probabilities(theta, on_disk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(found, network.probabilities(theta, np.array(on_disk)))
    assert len(found) == len(X) and peak < 4 * TOGETHER * 41 * 8 < X.nbytes
    np.testing.assert_allclose(network.logits(theta, X.astype(np.float32)), network.forward(theta, X.astype(np.float32)).logits, rtol=1e-9,
                               atol=1e-12)
    assert (network.logits(theta, np.eye(40, dtype=np.uint8)) == network.logits(theta, np.eye(40))).all()
    assert network.logits(theta, X[:0]).shape == (0,)


# ------------------------------------------------------------------------------------------------------ back

def numbers(logits, y, loss, w):
    return w @ loss(logits, y)


SCORES = FairTerms("demographic_parity", 2)      # what the Lagrangian averages
LOSSES = {"log loss": (lambda z, y: log_loss(z, y), lambda z, y: log_loss_slopes(z, y)),      # by name: a fault takes the place of it
          "score": (lambda z, y: 1 / (1 + np.exp(-z)), SCORES.slopes),
          "soft error": (networks.soft_error, networks.soft_error_slopes)}


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
@pytest.mark.parametrize("what", LOSSES)
def test_gradients_are_those_of_finite_differences(hidden, what):
    """Central differences of h = 1e-6 are off by about h^2 and 1e-16 / h, if no unit changes its side."""
    loss, slopes = LOSSES[what]
    network, theta, X, w = case(hidden)
    y = np.arange(len(X)) % 2
    passed = network.forward(theta, X)
    found = gradient(network, theta, passed, w * slopes(passed.logits, y))
    assert min(np.abs(z[z != 0]).min() for z in passed.activations[1:]) > 1e-4 if hidden else True
    expected = np.empty_like(theta)
    for j, e in enumerate(1e-6 * np.eye(len(theta))):
        up, down = (numbers(network.logits(theta + side * e, X), y, loss, w) for side in (1, -1))
        expected[j] = (up - down) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
def test_half_the_bits_give_the_same_numbers_to_half_the_digits(hidden):
    network, theta, X, slopes = case(hidden, dtype=np.float32)
    passed, double = network.forward(theta, X), network.forward(theta.astype(float), X)
    single, full = gradient(network, theta, passed, slopes), gradient(network, theta.astype(float), double, slopes)
    assert single.dtype == passed.logits.dtype == np.float32 and full.dtype == np.float64
    np.testing.assert_allclose(single, full, rtol=1e-3, atol=1e-4)


# ------------------------------------------------------------------------------------------------------ losses

def test_losses_keep_their_digits_at_every_logit():
    """Against whole fractions of exp where these fit, and by what they tend to where they do not."""
    z = np.linspace(-30, 30, 61)
    for y in (0, 1):
        labels, s = np.full(61, y), 2 * y - 1
        np.testing.assert_allclose(log_loss(z, labels), np.log1p(np.exp(-s * z)), rtol=1e-13)
        np.testing.assert_allclose(log_loss_slopes(z, labels), -s / (1 + np.exp(s * z)), rtol=1e-13)
        np.testing.assert_allclose(networks.soft_error(z, labels), 1 / (1 + np.exp(s * z)), rtol=1e-13)
        np.testing.assert_allclose(networks.soft_error_slopes(z, labels), -s / (2 + np.exp(z) + np.exp(-z)), rtol=1e-13)
    far = np.array([-1e308, -800.0, 800.0, 1e308])
    assert log_loss(far, [1, 1, 0, 0]).tolist() == [1e308, 800.0, 800.0, 1e308] and not log_loss(far, [0, 0, 1, 1]).any()
    assert log_loss_slopes(far, [1, 0, 1, 0]).tolist() == [-1.0, 0.0, 0.0, 1.0] and not SCORES.slopes(far, None).any()
    assert log_loss_slopes([40.0], [1])[0] == pytest.approx(-np.exp(-40), rel=1e-12)      # and not 1 - 1


def test_a_batch_of_nobody_has_no_loss_and_no_gradient():
    """A Poisson batch may be empty."""
    network, theta, X, _ = case((3,))
    passed = network.forward(theta, X[:0])
    for one in (log_loss, log_loss_slopes, networks.soft_error, networks.soft_error_slopes):
        assert one(passed.logits, np.empty(0, int)).shape == (0,)
    assert SCORES.slopes(passed.logits, None).shape == networks.gradient_norms(network, theta, passed, []).shape == (0,)
    assert not gradient(network, theta, passed, []).any() and not networks.clipped_sum(network, theta, passed, [], 1.0).any()
    with pytest.raises(ValueError, match=r"^logits, y=\(0, 2\): different lengths"):
        log_loss(passed.logits, [0, 1])


# ------------------------------------------------------------------------------------------------------ steps

@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_steps_are_those_of_the_formulas_and_go_through_a_training_state(dtype):
    gradients = np.random.default_rng(0).normal(size=(7, 3)).astype(dtype)
    m = s = np.zeros(3)
    plain, adam = np.ones(3, dtype), np.ones(3, dtype)
    for t, g in enumerate(gradients, 1):
        plain = plain - .1 * g
        m, s = .9 * m + .1 * g, .999 * s + .001 * g**2
        adam = adam - .1 * (m / (1 - .9**t)) / (np.sqrt(s / (1 - .999**t)) + 1e-8)
    for optimizer, expected in ((SGD(.1), plain), (Adam(.1), adam)):
        def step(state, optimizer=optimizer):
            after, moments = optimizer.step(state["theta"], gradients[state.round], state)
            return state.then(theta=after, **moments)
        first = State({"theta": np.ones(3, dtype), **optimizer.start(3, dtype)})
        before = {name: value.copy() for name, value in first.values.items()}
        found = train(step, first, 7).state
        np.testing.assert_allclose(found["theta"], expected, rtol=1e-12 if dtype == np.float64 else 1e-5)
        assert found["theta"].dtype == dtype and all((first[name] == value).all() for name, value in before.items())
        assert {name: value.dtype for name, value in found.values.items()} == {name: value.dtype for name, value in before.items()}


def test_steps_may_be_a_plain_int_and_an_equal_theta_is_that_of_the_pass():
    network, theta, X, slopes = case((3,))
    g = gradient(network, theta.copy(), network.forward(theta, X), slopes)      # equal, and another array
    assert np.array_equal(g, gradient(network, theta.tolist(), network.forward(theta, X), slopes))
    single = network.forward(theta.astype(np.float32), X)
    assert gradient(network, single.theta.astype(float), single, slopes).dtype == np.float32
    moments = Adam(.1).start(len(theta))
    for steps in (0, np.int32(0), np.array(0, np.uint8)):
        assert np.array_equal(Adam(.1).step(theta, g, moments | {"steps": steps})[0], Adam(.1).step(theta, g, moments)[0])


# ------------------------------------------------------------------------------------------------------ bad input

NETWORK, START, PEOPLE, _ = case((3,))
PASSED = NETWORK.forward(START, PEOPLE)
WITH_NAN = np.where(np.arange(len(START)) == 5, np.nan, START)


@pytest.mark.parametrize("call, match", [
    (lambda: Network(3, (4, 0)), r"^hidden\[1\]=0: must be at least 1"),
    (lambda: Network(3, (4.0,)), r"^hidden\[0\]=4\.0: a float, not an int"),
    (lambda: Network(3, 100), r"^hidden=100: not a tuple of widths\. Give the width of each hidden layer, as \(100, 100\)"),
    (lambda: Network(10**6, (10**6,)), r"^n_features, hidden=\(1000000, \(1000000,\)\): make 1,000,002,000,001 parameters"),
    (lambda: NETWORK.initial(np.random.default_rng(0), dtype=np.float16), r"^dtype=.*: neither float64 nor float32"),
    (lambda: NETWORK.forward(START[:-1], PEOPLE), r"^theta=\(18,\): the network has 19 parameters\. Give 19 numbers"),
    (lambda: NETWORK.forward(WITH_NAN, PEOPLE), r"^theta=nan: holds NaN or infinity"),
    (lambda: NETWORK.forward(START, PEOPLE[:, :3]), r"^X=\(20, 3\): not of shape \(m, 4\)\. Give one column for each of the 4 features"),
    (lambda: NETWORK.forward(START, np.where(np.eye(20, 4) > 0, np.inf, PEOPLE)), r"^X=inf: holds NaN or infinity"),
    (lambda: NETWORK.forward(1e200 * START, 1e200 * PEOPLE), r"^theta, X=.*some number on the way to the logit is no longer finite"),
    (lambda: NETWORK.forward(START.astype(np.float32), 1e200 * PEOPLE), r"^X=.*e\+200: is too large for float32\. Give smaller features"),
    (lambda: NETWORK.logits(START, np.full((9000, 4), np.nan)), r"^X=nan: holds NaN or infinity"),
    (lambda: gradient(NETWORK, START, PASSED, np.ones(19)), r"^slopes=\(19,\): must have 20 entries"),
    (lambda: gradient(NETWORK, START, PASSED, np.full(20, 1e308)), r"^theta, passed, slopes, weights=-?(inf|nan): is what a"),
    (lambda: networks.clipped_sum(NETWORK, START.astype(np.float32), NETWORK.forward(START.astype(np.float32), PEOPLE), np.ones(20), 1.0,
                                  np.full(20, 1e200)), r"^theta, passed, slopes, weights=-?(inf|nan): is what a gradient of them, or its"),
    (lambda: gradient(Network(4, ()), START[:5], PASSED, np.ones(20)), r"^network, passed=\(\(20, 5\), \(20, 4\)\): are the shapes"),
    (lambda: gradient(NETWORK, START, PASSED.logits, np.ones(20)), r"^passed=array.*: not what a forward pass returns"),
    (lambda: networks.clipped_sum(NETWORK, START, PASSED, np.ones(20), 1.0, np.ones(3)), r"^weights=\(3,\): must have 20 entries"),
    (lambda: networks.per_example_gradients(Network(10**6, ()), np.zeros(10**6 + 1), Pass(np.zeros(200), (np.zeros((200, 10**6 + 1)),)),
                                            np.ones(200)), r"^passed, slopes=200: gradients of 1000001 numbers each are more than"),
    (lambda: Adam(.1).step(START, np.full(19, np.nan), Adam(.1).start(19)), r"^gradient=nan: holds NaN or infinity"),
    (lambda: Adam(.1).step(START, np.full(19, 1e200), Adam(.1).start(19)), r"^gradient=1e\+200: has a square that is too large for flo"),
    (lambda: SGD(.1).step(START, np.ones(18), {}), r"^gradient=\(18,\): must have 19 entries"),
    (lambda: Adam(.1).step(START, START, {}), r"^moments=\{\}: has no mean\. Give what start\(p\)"),
    (lambda: Adam(.1).step(START, START, Adam(.1).start(19, np.float32)), r"^moments=.*: is called mean, and not of shape \(19,\) and flo"),
    *((lambda steps=steps: Adam(.1).step(START, START, Adam(.1).start(19) | {"steps": steps}),
       r"^moments=.*: is called steps, and no whole number from 0 to .* Give what start\(p\)") for steps in (
        np.array(-1), -1, "x", None, 1.0, True, np.array(1.0), np.array([1, 2]), np.array([1]), np.datetime64("2020-01-01"), 10**400)),
    *((lambda name=name: Adam(.1).step(START, START, Adam(.1).start(19) | {name: WITH_NAN}),
       f"^moments=nan: is an entry of what is called {name}. Give what start") for name in ("mean", "square")),
    (lambda: Adam(.1).step(START, START, Adam(.1).start(19) | {"square": np.full(19, -1.0)}), r"^moments=-1\.0: is .* called square"),
    (lambda: SGD(1e300).step(START, np.full(19, 1e10), {}), r"^learning_rate=1e\+300: with this step an entry of theta is no longer"),
    (lambda: SGD(1e300).step(np.ones(2, np.float32), np.ones(2, np.float32), {}), r"^learning_rate=1e\+300: with this step"),
    (lambda: Adam(1e308).step(START, np.ones(19), Adam(.1).start(19) | {"mean": np.full(19, 1e200)}), r"^learning_rate=1e\+308: with"),
    *((lambda ask=ask: ask(NETWORK, START + np.eye(19)[3], PASSED, np.ones(20)),
       r"^theta, passed=\(.*\): are entry 3 of theta, and of the one that the pass was made with\. Give network\.forward")
      for ask in (gradient, networks.gradient_norms, networks.per_example_gradients)),
])
def test_what_is_no_network_no_pass_or_no_number_is_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()


# ------------------------------------------------------------------------------------------------------ the faults

def without_the_bias(f):
    def faulty(activations, found, out):
        f(activations, found, out)
        for into in out:
            into[-1] = 0
    return faulty


def no_unit_is_off(f):
    return lambda layers, activations, slopes: f(layers, tuple(np.abs(a) + 1 for a in activations), slopes)


BACK = "dpfair_teach.networks.gradients."
FAULTS = {
    "network_gradient_halved": Mutant(BACK + "layer_deltas", lambda f: lambda *a: [d / 2 for d in f(*a)], "half of a slope"),
    "network_biases_stay": Mutant(BACK + "summed_gradient", without_the_bias, "the gradient by the biases is left out"),
    "network_units_never_off": Mutant(BACK + "layer_deltas", no_unit_is_off, "the way back ignores which units were off"),
    "network_loss_slope_halved": Mutant(BACK + "log_loss_slopes", scaled(.5), "half of the loss's slope"),
}
