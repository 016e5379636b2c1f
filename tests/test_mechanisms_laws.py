"""The law of each mechanism's noise, audited once for all that draw by it: no fit can be told apart better than its records say.

Every mechanism of ``MECHANISMS``, by the one way in which the library draws (``Measurement.invoke``), on two values that it tells apart
easily: two rows of three numbers of which one moves. Its epsilon is bounded from below by 2 x 200,000 draws, of which half choose an event
and half certify it; with a chance of 1e-9 the bound is too large. Events are about the number that moves, how it differs from another of
its row and of another row, a sum, and the distance from the first value. It is so once for one answer, and once for two games at once in
units of 3, of which the other game has a tenth of the noise. A mechanism with half the noise that its record says, or noise made for half
of what a person moves, is caught: each test shows it. So is less: the law of one number is the one that the record names, but for 5% of its
scale. Where the output is discrete and small the law is exact, by ``audit.exact_epsilon``. A new mechanism is audited as soon as it stands
in ``MECHANISMS``, without a line of test.
"""
from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpfair_teach import audit, mechanisms
from dpfair_teach.accounting import compose
from dpfair_teach.mechanisms import MECHANISMS, UNIT_A, Measurement, noise
from dpfair_teach.mechanisms.k_norm import k_norm_probability
from dpfair_teach.mechanisms.mechanism import grid_step
from faults import Mutant, calling, with_arguments

N = 200_000
#: Options under which the law is the same, and is audited too; of the slow ones fewer draws.
OPTIONS = [*((name, {}, N) for name in MECHANISMS), ("laplace", {"grid": 0}, N), ("gaussian", {"grid": 0}, N),
           ("geometric", {"exact": True}, 100), ("randomized response", {"n_groups": 5}, N)]


def numbers_of(name: str, epsilon: float = 1.0) -> dict[str, float]:
    """Those of a mechanism at this epsilon, and a sensitivity of 1 where it has one."""
    law = MECHANISMS[name]
    return ({"sensitivity": 1.0} if law.inner else {}) | law.at(epsilon, law.audit_delta)


def drawn(name: str, epsilon: float, value: np.ndarray, options: dict, n: int, seed: int, games: bool) -> np.ndarray:
    """n answers to a value at this epsilon; with ``games`` it is the first of two, the other asked at ten times the epsilon, and in units
    of 3."""
    law, rng, numbers = MECHANISMS[name], np.random.default_rng(seed), numbers_of(name, epsilon)
    if not games:
        return Measurement(name, UNIT_A, **numbers, **options).invoke(value, rng, size=n)
    other = {"sensitivity": 1.0, "scale": 0.1, "epsilon": 10.0}
    both = Measurement(name, UNIT_A, **{key: number * np.array([1.0, other[key]]) for key, number in numbers.items()}, **options)
    answers = both.invoke(np.stack([3 * value] * 2), rng, units=3.0, size=n)[:, 0]
    return answers if law.inner else answers / 3


def plays_many(name: str, options: dict) -> bool:
    """Whether it answers many games at once; else it refuses them."""
    with contextlib.suppress(ValueError):
        return drawn(name, 1.0, MECHANISMS[name].worst_pair()[0], options, 1, 0, True) is not None
    return False


GAMES = [(name, options, n, True) for name, options, n in OPTIONS if plays_many(name, options)]
HOW = [*((*how, False) for how in OPTIONS), *GAMES]


def looked_at(answers: np.ndarray, value: np.ndarray) -> list[np.ndarray]:
    """Numbers of each answer by which one tells what it covers."""
    row = answers.reshape(len(answers), -1)
    if row.shape[1] == 1:
        return [row[:, 0]]
    first, away = row[:, 0], row - value.ravel()
    return [first, first - row[:, 1], first - row[:, -value.shape[-1]], row.sum(axis=1), np.sqrt((away * away).sum(axis=1))]


def certified(name: str, epsilon: float, options: dict, n: int, games: bool = False, claim: float | None = None, shift: float = 1.0
              ) -> audit.AuditResult:
    """A lower bound on the epsilon of one run that is drawn for ``epsilon``, by n draws on each of two neighbours: the largest."""
    values = [value if value.dtype.kind == "i" else shift * value for value in MECHANISMS[name].worst_pair()]
    answers = [drawn(name, epsilon, value, options, n, seed, games) for seed, value in enumerate(values)]
    seen = zip(*(looked_at(each, values[0]) for each in answers), strict=True)
    audits = (audit.audit_scalar(*samples, np.random.default_rng(2), delta=MECHANISMS[name].audit_delta,
                                 claimed_epsilon=epsilon if claim is None else claim) for samples in seen)
    if claim is not None or shift != 1:
        audits = itertools.islice(audits, 1)
    return max(audits, key=lambda result: result.lower_bound)


@functools.cache
def least_cost(name: str, epsilon: float) -> float:
    """The least that any accountant says of the record of one run."""
    [record], found = Measurement(name, UNIT_A, **numbers_of(name, epsilon)).planned(1), []
    for method in ("basic", "rdp", "pld"):
        with contextlib.suppress(ValueError):                   # no formula for it
            found.append(compose([record], MECHANISMS[name].audit_delta or 1e-9, method))
    return min(found)


@pytest.mark.parametrize("name, options, n, games, epsilon", [*((*how, epsilon) for how in HOW for epsilon in ((2.0,) if how[-1] else (
    0.5, 2.0)))], ids=lambda value: str(value))
def test_no_mechanism_tells_more_than_its_record_says(name, options, n, games, epsilon):
    honest = certified(name, epsilon, options, n, games)
    assert honest.verdict != "refuted", honest
    assert honest.lower_bound <= least_cost(name, epsilon), f"{name}: accountants say less of its record than its draws show"
    # The bound is of use: it reaches a good part of the truth, and half the noise is refuted.
    assert n < N or honest.lower_bound > 0.5 * epsilon
    assert n < N or certified(name, 2 * epsilon, options, n, games, claim=epsilon).verdict == "refuted"


def test_those_that_fits_ask_about_many_games_answer_them():
    assert {"laplace", "gaussian", "exponential"} <= {name for name, *_ in GAMES}


@pytest.mark.parametrize("name", [name for name, law in MECHANISMS.items() if law.worst_pair()[0].dtype.kind == "f" and not law.inner])
def test_noise_that_is_made_for_half_of_what_a_person_moves_is_caught(name):
    assert certified(name, 1.0, {}, N, shift=2.0).verdict == "refuted"


def of_k_norm(epsilon: float, two: bool = False) -> np.ndarray:
    """The distribution function of the first of three counts, or of two, at -100, ..., 100."""
    at = np.arange(-100, 101)
    if two:
        return k_norm_probability(np.stack([at, -at], axis=-1), epsilon).cumsum()
    x, y = np.meshgrid(at, at, indexing="ij")
    return k_norm_probability(np.stack([x, y, -x - y], axis=-1), epsilon).sum(axis=1).cumsum()


#: The distribution function of a number at epsilon = 1, under some options; the number is how far the first has moved, of a choice or a
#: report which it is.
LAWS: dict[str, Any] = {
    "laplace": lambda x: stats.laplace.cdf(x),
    "gaussian": lambda x: stats.norm.cdf(x / mechanisms.gaussian_sigma(1.0, 1.0, MECHANISMS["gaussian"].audit_delta)),
    "geometric": lambda x: mechanisms.geometric_law(1, 1.0).cdf(x),
    "k_norm": lambda x: of_k_norm(1.0)[np.rint(x).astype(int) + 100],
    "exponential": lambda x: mechanisms.exponential_probabilities(MECHANISMS["exponential"].worst_pair()[0], 1.0, 1.0).cumsum()[x],
    "randomized response": lambda x, n_groups=2: mechanisms.randomized_response_matrix(n_groups, 1.0)[0].cumsum()[x],
}
#: Of rows of two, where that is another.
LAWS_OF_TWO = {"k_norm": lambda x: of_k_norm(1.0, two=True)[np.rint(x).astype(int) + 100]}


def off_its_law(name: str, options: dict, n: int, games: bool, epsilon: float = 1.0, shape: tuple[int, ...] | None = None) -> float:
    """How far the distribution function of n answers' numbers, each of them alone, is from the law's at epsilon = 1, in units of what has
    a chance of 1e-9. ``shape`` is that of the value, if not that of the worst pair."""
    value = MECHANISMS[name].worst_pair()[0]
    if shape is not None:
        value = np.zeros(shape, dtype=value.dtype)
    numbers = drawn(name, epsilon, value, options, n, 3, games)
    if MECHANISMS[name].inner or name == "randomized response":
        numbers = numbers.reshape(n, -1)[:, :1]
    else:
        numbers = numbers - value
    worst = 0.0
    for column in numbers.reshape(n, -1).T:
        seen, times = np.unique(column, return_counts=True)
        laws = LAWS | LAWS_OF_TWO if value.shape[-1:] == (2,) else LAWS
        law = laws[name](seen, **{key: number for key, number in options.items() if key == "n_groups"})
        worst = max(worst, float(np.abs(times.cumsum() / n - law).max()))
    return worst / np.sqrt(np.log(2e9) / (2 * n))


def test_every_mechanism_has_its_law_here():
    assert set(LAWS) == set(MECHANISMS), "give the distribution function of its noise in LAWS"


@pytest.mark.parametrize("name, options, n, games", [how for how in HOW if how[0] in LAWS], ids=lambda value: str(value))
def test_noise_has_the_law_that_its_record_names_and_no_other_epsilons(name, options, n, games):
    assert off_its_law(name, options, n, games) < 1
    assert n < N or off_its_law(name, options, n, games, epsilon=1.1) > 1


@pytest.mark.parametrize("shape", [(3,), (12,), (40, 3), (2, 2), (4, 2)], ids=str)
@pytest.mark.parametrize("name", [name for name, law in MECHANISMS.items() if not law.inner and name != "randomized response"])
def test_in_a_row_alone_and_in_a_long_table_each_number_has_that_noise(name, shape):
    if shape == (12,) and name == "k_norm":
        shape = (2, 2, 3)                                       # the law above is that of rows of three
    assert off_its_law(name, {}, N // 20, False, shape=shape) < 1
    assert off_its_law(name, {}, N // 20, False, epsilon=2.0, shape=shape) > 1


def test_a_choice_among_many_has_its_law():
    """Of seven, by 20,000 draws: at twice the epsilon they are seen to be others."""
    losses = np.array([0.0, .3, .5, 1, 1.5, 2, 4])
    for epsilon, right in ((1.0, True), (2.0, False)):
        door = Measurement("exponential", UNIT_A, sensitivity=1.0, epsilon=epsilon)
        chosen = np.bincount(door.invoke(losses, np.random.default_rng(4), size=20_000).ravel(), minlength=7)
        law = 20_000 * mechanisms.exponential_probabilities(losses, 1.0, 1.0)
        assert bool(stats.chisquare(chosen, law).pvalue > 1e-9) is right


@pytest.mark.parametrize("draw", [noise.waits, noise.laplace_noise, noise.gumbel_noise, noise.normal_noise])
def test_noise_has_all_the_bits_of_a_double(draw):
    """In single or half precision sums could be read backwards, also on their grid."""
    drawn = draw(np.random.default_rng(5), (10_000,))
    assert drawn.dtype == np.float64 and (drawn == drawn.astype(np.float32)).mean() < 0.01


class Far:
    """A generator of numbers that are as far as numpy's reach, or so: then of exponential times of 29, and 31, and 1, in turn."""

    bit_generator = np.random.PCG64(0)

    def __init__(self) -> None:
        self.times = itertools.cycle([29.0, 31.0, 1.0])

    def laplace(self, size):
        return np.full(size, -21.0)

    def standard_normal(self, shape):
        return np.full(shape, -9.0)

    def gumbel(self, size):
        return np.full(size, 26.0)

    def standard_exponential(self, shape):
        return np.full(shape, next(self.times))


@pytest.mark.parametrize("draw, least", [
    (noise.waits, 29.0), (noise.laplace_noise, -49.0), (noise.normal_noise, -11.625), (noise.gumbel_noise, 54.0)])
def test_noise_in_doubles_ends_nowhere(draw, least):
    """One number of numpy's Laplace generator ends at 36 scales, of its normal one at 12: worlds twice as far apart would have no answer in
    common."""
    far = draw(rng=Far(), shape=(2,))
    assert far[0] == far[1] and far[0] / least >= 1
    assert draw(rng=Far(), shape=()).shape == ()


def test_half_a_step_of_a_scales_grid_has_a_chance_that_is_right_to_a_thousandth():
    """Of 2^53 equally likely numbers two too many or too few lead there, in the draw that reaches it: so 0.002 of epsilon a number."""
    half, wait, r = 1 / 4096, noise.FAR_WAIT - 7.69711747013105, 3.6541528853610088       # where the layers end, numpy draws a logarithm
    least = {"laplace": np.exp(-noise.FAR_LAPLACE) * -np.expm1(-half) / 2, "laplace beyond": np.exp(-wait) * -np.expm1(-half),
             "normal": np.exp(-r * (noise.FAR_NORMAL - r)) * -np.expm1(-r * half),
             "normal beyond": np.exp(-wait) * -np.expm1(-noise.FAR_NORMAL * half)}
    assert all(2 * 2.0**-53 / chance < 0.0009 for chance in least.values()), least
    assert mechanisms.mechanism.grid_step(1.0) >= 2 * half and mechanisms.mechanism.grid_step(1.999) >= 1.999 * 2 * half


@pytest.mark.parametrize("draw, law, far", [
    (noise.waits, stats.expon, {"FAR_WAIT": 1.0}), (noise.laplace_noise, stats.laplace, {"FAR_LAPLACE": 1.0}),
    (noise.normal_noise, stats.norm, {"FAR_NORMAL": 1.0}), (noise.gumbel_noise, stats.gumbel_r, {"FAR_GUMBEL": 4.0})])
def test_noise_is_drawn_on_by_its_own_law(draw, law, far, monkeypatch):
    """From a point that many reach, who goes on has the law's tail, from that point on and in all."""
    for name, point in far.items():
        monkeypatch.setattr(noise, name, point)
    seen = draw(rng=np.random.default_rng(0), shape=(N,))
    (point,) = far.values()
    for beyond in (-np.inf, point):
        tail = seen[seen > beyond]
        chance = (law.cdf(tail) - law.cdf(beyond)) / law.sf(beyond)
        assert len(tail) > 3000 and stats.kstest(chance, "uniform").pvalue > 1e-9


def far_numbers(kind: str):
    def draw(self, *given, **how):
        self.asked = True
        return getattr(Far, kind)(self, *given, **how)
    return draw


class FarAtTheDoor(np.random.Generator):
    """A generator whose numbers are as far as those of ``Far``; of Gumbel numbers the last alone."""

    laplace, standard_normal, standard_exponential = map(far_numbers, ("laplace", "standard_normal", "standard_exponential"))

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))
        self.times, self.asked = itertools.cycle([27.0, 8.0]), False

    def gumbel(self, size):
        return np.where(np.arange(size[-1]) == size[-1] - 1, 26.0, np.zeros(size))


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "randomized response"])
def test_a_number_that_is_far_reaches_the_answer(name):
    """Noise is cut nowhere on its way, and nobody who audits by draws would see it: 4.5 sigma are passed once in 150,000 draws."""
    numbers = MECHANISMS[name].at(1.0, MECHANISMS[name].audit_delta)
    if MECHANISMS[name].inner:                                  # a choice that is made once in 10^10 times
        assert Measurement(name, UNIT_A, sensitivity=0.5, **numbers).invoke([0.0, 0.0, 50.0], FarAtTheDoor()) == 2
        return
    value, rng = MECHANISMS[name].worst_pair()[0], FarAtTheDoor()
    answer = Measurement(name, UNIT_A, **numbers).invoke(value, rng)
    least = {"laplace": 46, "geometric": 18, "k_norm": 18}
    assert rng.asked == (name in least or name == "gaussian") or name not in LAWS
    far = np.abs(answer - value).max() / numbers.get("scale", 1.0)
    assert not rng.asked or far > least.get(name, 11), (
        f"{name}: a draw that is far reaches the answer as {far:.3g} scales. Noise of bounded range needs a delta: "
        f"give its law an audit_delta that pays for it, and write {name!r} with these scales into `least`")


@pytest.mark.parametrize("stretch", [1e-2, 1e6])
@pytest.mark.parametrize("name", [name for name, law in MECHANISMS.items() if "sensitivity" in law.at(1.0, law.audit_delta) or law.inner])
def test_noise_is_the_same_in_any_units_and_at_any_value(name, stretch):
    """At values of 0, near 1/2 and of a million scales, by 2 x 20,000 draws; what is drawn in doubles lies on all of its scale's grid."""
    law, values = MECHANISMS[name], MECHANISMS[name].worst_pair()
    usual = {"sensitivity": 1.0} | law.at(1.0, law.audit_delta)
    if not law.inner and Measurement(name, UNIT_A, **usual).invoke(values[0], np.random.default_rng(0)).dtype.kind == "i":
        stretch = max(1.0, stretch)                             # whole numbers, and so is how far they move
    numbers = {key: number if key == "epsilon" else stretch * number for key, number in usual.items()}
    for at in (0, 49.5 if stretch < 1 else 49, 10**6, -10**6):
        door = Measurement(name, UNIT_A, **numbers)
        answers = [door.invoke(stretch * (value + at), np.random.default_rng(seed), size=20_000) for seed, value in enumerate(values)]
        if answers[0].dtype.kind == "f":
            steps = answers[0] / grid_step(numbers["scale"])
            assert (steps == np.rint(steps)).all() and (steps % 2 == 1).any()
        seen = (answer.reshape(len(answer), -1)[:, 0] for answer in answers)
        found = audit.audit_scalar(*seen, np.random.default_rng(2), delta=law.audit_delta, claimed_epsilon=1.0)
        assert found.verdict != "refuted" and found.lower_bound > .3, f"at {at} scales: {found}"


@pytest.mark.parametrize("name", [name for name, law in MECHANISMS.items() if plays_many(name, {})])
def test_games_have_noise_of_their_own_and_so_have_blocks(name, monkeypatch):
    """By 10,000 draws for two games a correlation of 0.07 is seen, with a chance of 1e-11; and no 16 choices of 16 come twice."""
    law = MECHANISMS[name]
    numbers = {key: np.full(2, number) for key, number in ({"sensitivity": 1.0} | law.at(1.0, law.audit_delta)).items()}
    value = np.zeros((2, 2)) if law.inner else np.zeros((2, 2, 3))
    answers = Measurement(name, UNIT_A, **numbers).invoke(value, np.random.default_rng(0), size=10_000).reshape(10_000, 2, -1)
    both = np.corrcoef(answers[:, 0], answers[:, 1], rowvar=False)
    assert np.abs(both[:both.shape[0] // 2, both.shape[0] // 2:]).max() < .07
    for key, module in list(sys.modules.items()):
        if key.startswith("dpfair_teach.mechanisms.") and hasattr(module, "_BLOCK"):
            monkeypatch.setattr(module, "_BLOCK", 256)
    rows = Measurement(name, UNIT_A, **{"sensitivity": 1.0} | law.at(1.0, law.audit_delta)).invoke(
        np.zeros(16), np.random.default_rng(0), size=1600).reshape(100, -1)
    assert len(np.unique(rows, axis=0)) == 100


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_that_is_audited_at_a_delta_has_no_epsilon_without_one(name):
    """Else it is tested as (epsilon, delta)-private, and added up as epsilon-private."""
    (record,) = Measurement(name, UNIT_A, **numbers_of(name)).planned(1)
    assert (record.epsilon is None) == (MECHANISMS[name].audit_delta > 0)


def likeness(numbers: np.ndarray) -> float:
    """How like numbers are to those that stand any number of places further, or backwards from any place: the largest correlation, in
    units of what has a chance of 1e-9."""
    spectrum = np.fft.fft(numbers - numbers.mean())
    further, backwards = (np.abs(np.fft.ifft(each)) / numbers.var() / len(numbers) for each in (np.abs(spectrum)**2, spectrum**2))
    return float(max(further[1:].max(), backwards.max()) * np.sqrt(len(numbers) / (2 * np.log(4e9 * len(numbers)))))


@pytest.mark.parametrize("name, options, draws", OPTIONS, ids=lambda value: str(value))
def test_everybody_and_every_number_has_noise_of_its_own(name, options, draws):
    """In one answer of 4096 numbers, and in the first numbers of 4096 answers (512 of the slow): noise, its size, and where it is 0."""
    law, rng, n = MECHANISMS[name], np.random.default_rng(0), 4096 if draws == N else 512
    door = Measurement(name, UNIT_A, **numbers_of(name), **options)
    answers = [door.invoke(law.worst_pair()[0], rng, size=n).reshape(n, -1)[:, 0]]
    if not law.inner:                                           # a choice is one number
        answers.append(door.invoke(np.zeros(n, dtype=law.worst_pair()[0].dtype), rng))
    for each in answers:
        for numbers in [each, np.abs(each)] + ([each == 0] if each.dtype.kind == "i" and 0 in each else []):
            assert likeness(numbers.astype(float)) < 1


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
    assert MECHANISMS[name].distance(np.atleast_2d(first), np.atleast_2d(second)) == 1


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
    for times in (2.9, np.array([5, 1])):
        with pytest.raises(ValueError, match=r"^times="):
            noise.planned(times)
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


def one_number_for_a_row(draw):
    """The noise of a row's first number is added to all of the row."""
    def faulty(self, value, numbers, rng, shape, **options):
        noise = draw(self, 0 * value, numbers, rng, shape, **options)
        return value + noise[..., :1]
    return faulty


def in_other_units(draw):
    """Where one is asked about many games, or in other units, a choice has a tenth of its noise."""
    def faulty(self, value, numbers, rng, shape, **options):
        sensitivity, scale, epsilon = numbers
        return draw(self, value, (sensitivity if np.all(sensitivity == 1) else sensitivity / 10, scale, epsilon), rng, shape, **options)
    return faulty


def of_the_first_game(draw):
    """Where two games are asked at once, both have the noise of the first."""
    def faulty(self, value, numbers, rng, shape, **options):
        if np.ndim(numbers[1]) != 1:
            return draw(self, value, numbers, rng, shape, **options)
        noise = draw(self, 0 * value, numbers, rng, shape, **options)
        return value + np.take(noise, [0], axis=len(shape))
    return faulty


def cut_at(most):
    return lambda noise: lambda rng, shape: np.clip(noise(rng, shape), -most, most)


def drawn_for_one_block(gumbel):
    kept: dict[Any, np.ndarray] = {}
    return lambda rng, shape: kept.setdefault(shape, gumbel(rng, shape))


def with_the_coins_of_64(f):
    """Everybody tells the truth, or lies, as the person 64 places before does."""
    def faulty(A, n_groups, epsilon, rng, size=None):
        told, first = f(A, n_groups, epsilon, rng, size), np.arange(np.size(A)) % 64
        return (A + (told - A)[..., first]) % n_groups
    return faulty


def drawn_for_64(noise):
    """Noise of an answer begins again after 64 numbers."""
    return lambda rng, shape: noise(rng, shape)[..., np.arange(shape[-1]) % 64] if shape else noise(rng, shape)


FAULTS = {
    "everything_is_audited_at_a_delta": Mutant("dpfair_teach.mechanisms.mechanism.Mechanism.audit_delta", lambda delta: .03,
                                               "what is private but for a delta is recorded as if it were without one"),
    "coins_of_64_people": Mutant("dpfair_teach.mechanisms.response.randomized_response", with_the_coins_of_64,
                                 "who knows that one person lies knows that another does"),
    "noise_of_64_numbers": Mutant("dpfair_teach.mechanisms.laplace.laplace_noise", drawn_for_64, "noise comes again in one answer"),
    **{f"{name.replace(' ', '_')}_draws_half_its_noise": Mutant(
        f"dpfair_teach.mechanisms.registry.{type(law).__name__}.draw", half_the_noise, f"{name} noise is half of what its record says")
        for name, law in MECHANISMS.items()},
    "one_noise_number_for_a_row": Mutant("dpfair_teach.mechanisms.laplace.Laplace.draw", one_number_for_a_row,
                                         "all numbers of a row have the same noise, and their differences none"),
    "noise_ends_where_numpys_does": Mutant("dpfair_teach.mechanisms.noise.drawn_on", lambda f: lambda noise, far, excess: noise,
                                           "noise has an end, and worlds further apart have no answer in common"),
    "times_go_on_at_30": Mutant("dpfair_teach.mechanisms.noise.FAR_WAIT", lambda far: 30.0,
                                "far out a step of a grid is made by too few numbers of the generator"),
    "all_of_the_excess_is_kept": Mutant("dpfair_teach.mechanisms.noise.kept", lambda f: lambda n, rng, draw, cost: draw(n),
                                        "the tail of normal noise falls like an exponential one"),
    "normal_noise_is_cut": Mutant("dpfair_teach.mechanisms.noise.normal_noise", cut_at(4.5), "normal noise ends at 4.5 deviations"),
    "laplace_noise_is_cut": Mutant("dpfair_teach.mechanisms.noise.laplace_noise", cut_at(30.0), "Laplace noise ends at 30 scales"),
    "gumbel_noise_is_cut": Mutant("dpfair_teach.mechanisms.noise.gumbel_noise", cut_at(20.0), "a choice that is seldom is none"),
    "noise_of_a_thousand_at_most": Mutant("dpfair_teach.mechanisms.mechanism.noisy", with_arguments(
        scale=lambda scale: np.minimum(scale, 1e3)), "noise of a large scale is cut to 1000"),
    "values_are_rounded_to_whole_people": Mutant("dpfair_teach.mechanisms.mechanism.noisy", with_arguments(value=np.rint),
                                                 "what a person moves is rounded up to 1, for which the noise was not made"),
    "grid_follows_the_value": Mutant(
        "dpfair_teach.mechanisms.mechanism.rounded",
        lambda f: lambda noisy, scale, step=None: f(noisy, np.maximum(scale, np.abs(noisy)), step),
        "large numbers are published in large steps: who reads the step reads the value"),
    "gumbel_noise_of_one_block_for_all": Mutant("dpfair_teach.mechanisms.exponential.Exponential.draw", calling(
        "gumbel_noise", drawn_for_one_block), "choices that are drawn in blocks have the noise of the first"),
    "two_games_have_the_noise_of_one": Mutant("dpfair_teach.mechanisms.gaussian.Gaussian.draw", of_the_first_game,
                                              "the difference of two games' answers has no noise"),
    "choices_in_other_units_have_a_tenth": Mutant("dpfair_teach.mechanisms.exponential.Exponential.draw", in_other_units,
                                                  "in units other than 1 a choice has a tenth of its noise"),
}
