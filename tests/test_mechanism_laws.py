"""The law of each mechanism's noise, audited once for all that draw by it: no fit can be told apart better than its records say.

Every mechanism of ``MECHANISMS``, by the one way in which the library draws (``Measurement.invoke``), on two values that it tells apart
easily. Its epsilon is bounded from below by 2 x 200,000 draws, of which half choose an event and half certify it; with a chance of 1e-9
the bound is too large. A mechanism with half the noise that its record says, or noise made for half of what a person moves, is caught:
each test shows it. Where the output is discrete and small the law is exact, by ``audit.exact_epsilon``. A new mechanism is audited as soon
as it stands in ``MECHANISMS``, without a line of test.
"""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach import audit, mechanisms
from dpfair_teach.mechanisms import MECHANISMS, UNIT_A, Measurement
from faults import Mutant

N = 200_000
#: Options under which the law is the same, and is audited too; of the slow ones fewer draws.
OPTIONS = [*((name, {}, N) for name in MECHANISMS), ("laplace", {"grid": 0}, N), ("gaussian", {"grid": 0}, N),
           ("geometric", {"exact": True}, 2000), ("exponential", {"by_gumbel": False}, N), ("randomized response", {"n_groups": 5}, N)]


def certified(name: str, epsilon: float, options: dict, n: int, claim: float | None = None, shift: float = 1.0) -> audit.AuditResult:
    """A lower bound on the epsilon of one run that is drawn for ``epsilon``, by n draws on each of two neighbours."""
    law, delta = MECHANISMS[name], MECHANISMS[name].audit_delta
    measurement = Measurement(name, UNIT_A, **law.at(epsilon, delta) | ({"sensitivity": 1.0} if law.inner else {}), **options)
    values = [value if value.dtype.kind == "i" else shift * value for value in law.worst_pair()]
    samples = [measurement.invoke(value, np.random.default_rng(seed), size=n).reshape(n, -1)[:, 0] for seed, value in enumerate(values)]
    return audit.audit_scalar(*samples, np.random.default_rng(2), delta=delta, claimed_epsilon=epsilon if claim is None else claim)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("name, options, n", OPTIONS, ids=lambda value: str(value))
def test_no_mechanism_tells_more_than_its_record_says(name, options, n, epsilon):
    honest = certified(name, epsilon, options, n)
    assert honest.verdict != "refuted", honest
    # The bound is of use: it reaches a good part of the truth, and half the noise is refuted.
    assert n < N or honest.lower_bound > 0.5 * epsilon
    assert n < N or certified(name, 2 * epsilon, options, n, claim=epsilon).verdict == "refuted"


@pytest.mark.parametrize("name", [name for name, law in MECHANISMS.items() if law.worst_pair()[0].dtype.kind == "f" and not law.inner])
def test_noise_that_is_made_for_half_of_what_a_person_moves_is_caught(name):
    assert certified(name, 1.0, {}, N, shift=2.0).verdict == "refuted"


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_discrete_laws_are_exactly_as_private_as_their_records(epsilon):
    response = mechanisms.randomized_response_matrix(3, epsilon)
    assert audit.exact_epsilon(response[0], response[1]) == pytest.approx(epsilon, rel=1e-9)
    first, second = (mechanisms.exponential_probabilities(loss, 1.0, epsilon) for loss in MECHANISMS["exponential"].worst_pair())
    assert audit.exact_epsilon(first, second) <= epsilon * (1 + 1e-9)
    counts = np.arange(-60, 62)
    first, second = (mechanisms.geometric_law(1, epsilon, value).pmf(counts) for value in (0, 1))
    assert np.abs(np.log(first / second)).max() == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_worst_pair_is_as_far_apart_as_the_sensitivity_allows(name):
    first, second = MECHANISMS[name].worst_pair()
    assert MECHANISMS[name].distance(first, second) == 1


def test_a_measurement_counts_what_it_draws_and_draws_nothing_of_scale_0():
    rng = np.random.default_rng(0)
    noise = Measurement("laplace", UNIT_A, sensitivity=1.0, scale=[2.0, 0.0, 2.0])
    value = np.arange(6.0).reshape(3, 2)
    assert noise.releases == ()
    noisy = noise.invoke(value, rng)
    assert np.array_equal(noisy[1], value[1]) and (noisy[[0, 2]] != value[[0, 2]]).all()
    noise.invoke(value, rng, units=[1.0, 1.0, 0.0])
    (record,) = noise.releases
    assert (record.times, record.scale, record.sensitivity) == (3, 2.0, 1.0)
    assert noise.planned(5)[0].times == 10
    once = Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=3.0)
    assert once.invoke(value, rng, units=0.0) is not None and once.releases == ()
    assert once.invoke(value, rng, size=7).shape == (7, 3, 2) and once.releases[0].times == 7


def test_units_multiply_the_noise_and_leave_the_record():
    noise = Measurement("gaussian", UNIT_A, sensitivity=1.0, scale=2.0)
    noisy = noise.invoke(np.zeros(100_000), np.random.default_rng(0), units=50.0)
    assert noisy.std() == pytest.approx(100.0, rel=0.02) and noise.releases[0].scale == 2.0     # 0.02: nine deviations
    assert np.array_equal(noisy / 2.0**-4, np.rint(noisy / 2.0**-4))        # on the grid of the scale 100


def half_the_noise(draw):
    def faulty(self, value, numbers, rng, shape, **options):
        sensitivity, scale, epsilon = numbers
        return draw(self, value, (sensitivity, None if scale is None else scale / 2, None if epsilon is None else 2 * epsilon), rng, shape,
                    **options)
    return faulty


FAULTS = {f"{name.replace(' ', '_')}_draws_half_its_noise": Mutant(
    f"dpfair_teach.mechanisms.registry.{type(law).__name__}.draw", half_the_noise, f"{name} noise is half of what its record says")
    for name, law in MECHANISMS.items()}
