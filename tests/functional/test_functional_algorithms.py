"""The boxes of the functional mechanism: what is handed to the noise, how loud it is, what the records say, and what is refused."""
from __future__ import annotations

import importlib
import pickle

import numpy as np
import pytest
from scipy import stats
from test_functional_quadratic import drawn, on_grid
from test_functional_quadratic import without_noise as told_without_noise

from dpfair_teach import functional
from dpfair_teach.accounting import UNIT_TUPLE, compose
from dpfair_teach.functional.algorithms import NoisyFit
from dpfair_teach.mechanisms import gaussian_sigma

algorithms = importlib.import_module("dpfair_teach.functional.algorithms")
D, DELTA = 4, 1e-6
X, Y, A = drawn(600, D)
SIGNED = X * np.array([1, -1, 1, -1])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


#: Each box with its options, by name: how it is run at an epsilon, and what it hands to its noise.
BOXES = {
    "functional_mechanism": (lambda e, r: functional.functional_mechanism(SIGNED, Y, e, r),
                             lambda: functional.log_loss_quadratic(on_grid(SIGNED), Y)),
    "functional_mechanism, printed": (lambda e, r: functional.functional_mechanism(X, Y, e, r, as_printed=True),
                                      lambda: functional.log_loss_quadratic(on_grid(X), Y)),
    "relaxed": (lambda e, r: functional.relaxed_functional_mechanism(SIGNED, Y, e, DELTA, r),
                lambda: functional.log_loss_quadratic(on_grid(SIGNED), Y)),
    "relaxed, printed": (lambda e, r: functional.relaxed_functional_mechanism(X, Y, e, DELTA, r, as_printed=True),
                         lambda: functional.log_loss_quadratic(on_grid(X), Y)),
    "pdfc": (lambda e, r: functional.pdfc(X, Y, A, 1, e, 2 * e, r), lambda: functional.merged_quadratic(on_grid(X), Y, A)),
    "adfc": (lambda e, r: functional.adfc(X, Y, A, 1, e, 2 * e, DELTA, DELTA, r), lambda: functional.merged_quadratic(on_grid(X), Y, A)),
    "pflr_star": (lambda e, r: functional.pflr_star(X, Y, A, e, r, alpha=2.0), lambda: functional.merged_quadratic(on_grid(X), Y, A, 2.0)),
    "pflr_star, pays": (lambda e, r: functional.pflr_star(X, Y, A, e, r, alpha=2.0, pays=True),
                        lambda: functional.merged_quadratic(on_grid(X), Y, A, 2.0)),
    "pflr_star, printed": (lambda e, r: functional.pflr_star(X, Y, A, e, r, as_printed=True),
                           lambda: functional.merged_quadratic(on_grid(X), Y, A)),
    "fair": (lambda e, r: functional.fair_functional_mechanism(X, Y, A, e, DELTA, r), lambda: functional.log_loss_quadratic(on_grid(X), Y)),
    "fair, Laplace": (lambda e, r: functional.fair_functional_mechanism(X, Y, A, e, None, r),
                      lambda: functional.log_loss_quadratic(on_grid(X), Y)),
}
#: Of boxes with one epsilon: how far one tuple moves what they release.
SENSITIVITY = {"functional_mechanism": functional.logistic_l1(D), "functional_mechanism, printed": D**2 / 4 + D, "relaxed": 1.0,
               "relaxed, printed": np.sqrt(D**2 / 16 + D), "pflr_star": functional.fair_l1(D, 2.0),
               "pflr_star, pays": functional.fair_l1(D, 2.0),
               "pflr_star, printed": functional.fair_l1(D), "fair": np.sqrt(3), "fair, Laplace": functional.fair_l1(D, separate=True)}


@pytest.fixture
def without_noise(monkeypatch):
    """All mechanisms hand their numbers through."""
    monkeypatch.setattr(algorithms, "release", told_without_noise)


@pytest.mark.parametrize("name", BOXES)
def test_without_noise_the_objective_is_that_of_the_people(name, without_noise):
    run, objective = BOXES[name]
    fit, f = run(100.0, rng()), objective()
    np.testing.assert_allclose(fit.objective.coefficients(), f.coefficients(), atol=1e-9)
    if "fair" not in name:
        *_, last = fit.releases_            # the ridge goes by the coefficients without w_s
        ridge = 4 * last.scale * (np.sqrt(2) if last.mechanism == "laplace" else 1)
        np.testing.assert_allclose(fit.w, functional.minimum(f, ridge=ridge), rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 50.0, np.inf])
def test_the_penalty_of_the_fair_mechanism_is_chosen_afterwards(alpha, without_noise):
    fit = functional.fair_functional_mechanism(X, Y, A, 1e9, None, rng(), alpha=alpha)
    f, c = functional.log_loss_quadratic(on_grid(X), Y), functional.covariance_vector(on_grid(X), A)
    np.testing.assert_allclose(fit.w, functional.penalized_minimum(f, c, alpha), atol=1e-5)
    if alpha > 10:
        assert abs(c @ fit.w) < 1e-6 * abs(c @ functional.minimum(f))


@pytest.mark.parametrize("delta", [None, DELTA])
def test_the_ridge_of_the_fair_mechanism_is_four_deviations_of_its_noise(delta):
    """Read off the weights: where the noisy matrix is positive definite, H w + b = -r w."""
    for epsilon in (3.0, 30.0):
        fit = functional.fair_functional_mechanism(*drawn(5000, D), epsilon, delta, rng(), alpha=0.0)
        b, H = fit.objective.b, fit.objective.H
        deviation = (np.sqrt(2) * (functional.logistic_l1(D) + np.sqrt(2 * D)) / epsilon if delta is None
                     else gaussian_sigma(np.sqrt(3), epsilon, delta))
        assert np.linalg.eigvalsh(H)[0] > 0 and -(H @ fit.w + b) @ fit.w / (fit.w @ fit.w) == pytest.approx(4 * deviation, rel=1e-6)


@pytest.mark.parametrize("name", BOXES)
def test_the_noise_is_as_loud_as_the_record_says(name):
    """800 runs. Kolmogorov and Smirnov's distance of the noise of at least five coefficients, 4,000 numbers, over the recorded scale, from
    its law: above sqrt(ln(2 / 1e-9) / (2 * 4,000)) = 0.0518 in one of a billion runs at most. And two coefficients have noise of their own:
    a correlation of 800 pairs is beyond 6.2 / sqrt(800) = 0.22 in one of a billion."""
    run, objective = BOXES[name]
    true, part, r = objective().coefficients(), functional.with_feature(D, 1), rng(7)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(algorithms, "minimum", lambda f, **how: f.b)         # the noise is all that is asked about
        fits = [run(3.0, r) for _ in range(800)]
    draws = np.array([fit.objective.coefficients() for fit in fits]) - true
    records = fits[0].releases_
    for record, which in zip(records, (part, ~part) if len(records) == 2 else (np.ones(len(true), dtype=bool),), strict=True):
        law = stats.laplace if record.mechanism == "laplace" else stats.norm
        noise = draws[:, which].ravel() / record.scale
        assert len(noise) >= 4000 and stats.kstest(noise, law.cdf).statistic < .0518 < stats.kstest(.8 * noise, law.cdf).statistic + .01
    assert np.abs(np.corrcoef(draws.T) - np.eye(len(true))).max() < .22


@pytest.mark.parametrize("name", SENSITIVITY)
def test_the_record_has_the_sensitivity_and_the_scale(name):
    for epsilon in (0.1, 3.0):
        (record,) = (fit := BOXES[name][0](epsilon, rng())).releases_
        assert record.unit == UNIT_TUPLE and record.sensitivity == pytest.approx(SENSITIVITY[name]) and fit.claimed == epsilon
        assert fit.claimed_delta == (DELTA if record.mechanism == "gaussian" else 0.0)
        if name == "pflr_star":
            more = functional.fair_l1(D, 2.0) / functional.logistic_l1(D)
            assert record.epsilon == pytest.approx(more * epsilon) and more > 1
        elif name == "pflr_star, printed":
            assert record.scale == pytest.approx((D**2 / 4 + D) / epsilon)
        elif record.mechanism == "laplace":
            assert record.epsilon == pytest.approx(epsilon)
        elif name == "relaxed, printed":
            assert record.scale == functional.gaussian_sigma_extended(SENSITIVITY[name], epsilon, DELTA)
            assert compose([record], DELTA) < epsilon
        else:
            assert record.scale == gaussian_sigma(SENSITIVITY[name], epsilon, DELTA)
            assert compose([record], DELTA) == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize("epsilons", [(0.1, 1.0), (1.0, 0.1), (1.0, 1.0)])
def test_noise_of_two_scales_is_recorded_as_two_answers(epsilons):
    """Each record has the move of its own part; the paper's epsilon stands beside them as what is claimed."""
    fit = functional.pdfc(X, Y, A, 2, *epsilons, rng())
    assert fit.claimed == functional.average_epsilon(D, *epsilons) and [r.mechanism for r in fit.releases_] == ["laplace"] * 2
    for record, epsilon, part in zip(fit.releases_, epsilons, "sn", strict=True):
        assert record.scale == pytest.approx((D**2 / 4 + 3 * D) / epsilon)
        assert record.sensitivity == functional.two_scales.part_sensitivity(D, part, "l1")
    assert sum(record.epsilon for record in fit.releases_) >= functional.pdfc_epsilon(D, *epsilons) - 1e-12
    fit = functional.adfc(X, Y, A, 2, *epsilons, DELTA, DELTA, rng())
    for record, epsilon, part in zip(fit.releases_, epsilons, "sn", strict=True):
        assert record.scale == functional.gaussian_sigma_extended(np.sqrt(D**2 / 16 + 9 * D), epsilon, DELTA)
        assert record.sensitivity == functional.two_scales.part_sensitivity(D, part, "l2")


def test_which_coefficients_have_the_noise_of_w_s():
    """All monomials with w_s, and no other: 1 + d of them, as 1 / d of a quadratic's derivative says."""
    for d, s in ((2, 0), (3, 1), (7, 6)):
        part = functional.with_feature(d, s)
        w = np.random.default_rng(0).normal(size=d)
        moved = w.copy()
        moved[s] += 1.0

        def monomials(w, d=d):
            return np.r_[w, [w[j] * w[each] for j in range(d) for each in range(j, d)]]

        assert np.array_equal(monomials(moved) != monomials(w), part) and part.sum() == 1 + d


@pytest.mark.parametrize("name", BOXES)
def test_another_generator_is_another_noise_and_none_is_kept(name):
    run, _ = BOXES[name]
    one, same, other = run(1.0, rng()), run(1.0, rng()), run(1.0, rng(2))
    assert np.array_equal(one.w, same.w) and not np.array_equal(one.objective.b, other.objective.b)
    assert pickle.loads(pickle.dumps(one)).objective.b.tolist() == one.objective.b.tolist()
    assert set(vars(one)) == {"w", "objective", "releases_", "claimed", "claimed_delta", "c"}
    assert (one.c is not None) == name.startswith("fair")


# ------------------------------------------------------------------------------------------------ what is refused
def call(name: str, **changed: object) -> NoisyFit:
    return getattr(functional, name)(**VALID_CALLS[f"functional.{name}"]() | changed)


ALL = ("functional_mechanism", "relaxed_functional_mechanism", "pdfc", "adfc", "pflr_star",
       "fair_functional_mechanism")


@pytest.mark.parametrize("name", ALL)
def test_what_is_wrong_is_refused_before_anything_is_drawn(name):
    generator = rng()
    before = generator.bit_generator.state
    given = VALID_CALLS[f"functional.{name}"]()
    wrongs: dict[str, list] = {"X": [2 * np.array(given["X"]), -np.array(given["X"])], "y": [[1] * 3], "A": [[0, 1, 2] * 2, [0, 1]],
                               "epsilon": [0.0, -1.0, "1", None], "epsilon_s": ["1", 0.0], "epsilon_n": ["1", 0.0, np.nan],
                               "delta": [0.0, 1.0, "1e-6"], "s": [D, -1, 1.0, "0"], "alpha": [-1.0, np.nan], "as_printed": ["yes"],
                               "pays": ["yes"]}
    for argument, values in wrongs.items():
        for value in values if argument in given else ():
            with pytest.raises(ValueError, match=rf"^{argument}=.*\. \w.*\.$"):
                call(name, **{"rng": generator} | ({"as_printed": False} if argument == "delta" and "as_printed" in given else {})
                     | {argument: value})
            # the penalty of the fair mechanism is chosen when everything is released
            assert generator.bit_generator.state == before or (name, argument) == ("fair_functional_mechanism", "alpha")


def test_signed_features_are_taken_where_the_sensitivity_is_for_them_too():
    for name in ("functional_mechanism", "relaxed_functional_mechanism"):
        assert call(name, X=-np.array(ROWS), as_printed=False).claimed


def test_an_option_that_is_not_read_is_refused():
    with pytest.raises(ValueError, match=r"^as_printed=True: is read by norm='l1', and not by norm='l2'\. Leave as_printed out"):
        functional.sensitivity.linear_sensitivity(3, "l2", as_printed=True)
    with pytest.raises(ValueError, match=r"^alpha=2\.0: the printed constant is for a covariance of weight 1\. Leave alpha or as_pri"):
        call("pflr_star", alpha=2.0, pays=True, as_printed=True)


ROWS = [[0.6, 0.8, 0.0], [0.0, 0.5, 0.1], [0.1, 0.0, 0.4], [0.3, 0.3, 0.3], [0.9, 0.1, 0.0], [0.0, 0.0, 0.2]]
_PEOPLE = dict(X=ROWS, y=[1, 0, 1, 0, 1, 0])
_TWO = dict(_PEOPLE, A=[1, 0, 0, 1, 1, 0])


def _noise() -> np.random.Generator:
    return np.random.default_rng(1)


VALID_CALLS = {
    "functional.two_scales.adfc_claim": lambda: dict(d=3, epsilon_s=0.1, epsilon_n=1.0, delta_s=1e-6, delta_n=1e-5),
    "functional.two_scales.part_sensitivity": lambda: dict(d=3, part="s", norm="l2"),
    "functional.with_feature": lambda: dict(d=3, s=1),
    "functional.functional_mechanism": lambda: dict(_PEOPLE, epsilon=1.0, rng=_noise(), as_printed=True),
    "functional.relaxed_functional_mechanism": lambda: dict(_PEOPLE, epsilon=1.0, delta=1e-6, rng=_noise(), as_printed=True),
    "functional.pdfc": lambda: dict(_TWO, s=1, epsilon_s=1.0, epsilon_n=2.0, rng=_noise()),
    "functional.adfc": lambda: dict(_TWO, s=1, epsilon_s=1.0, epsilon_n=2.0, delta_s=1e-6, delta_n=1e-5, rng=_noise()),
    "functional.pflr_star": lambda: dict(_TWO, epsilon=1.0, rng=_noise(), alpha=1.0, pays=True, as_printed=True),
    "functional.fair_functional_mechanism": lambda: dict(_TWO, epsilon=1.0, delta=1e-6, rng=_noise(), alpha=2.0),
    "functional.gaussian_sigma_extended": lambda: dict(sensitivity=2.0, epsilon=1.0, delta=1e-6),
    "functional.logistic_l1": lambda: dict(d=3, domain="box", as_printed=False),
    "functional.fair_l1": lambda: dict(d=3, alpha=2.0, separate=False, domain="signed", as_printed=False),
    "functional.logistic_l2": lambda: dict(d=3, as_printed=True),
    "functional.fair_l2": lambda: dict(d=3, alpha=2.0, separate=False, domain="signed", as_printed=False),
    "functional.average_epsilon": lambda: dict(d=3, epsilon_s=0.1, epsilon_n=1.0),
    "functional.pdfc_epsilon": lambda: dict(d=3, epsilon_s=0.1, epsilon_n=1.0, domain="box", sensitivity=11.25),
    "functional.adfc_epsilon": lambda: dict(d=3, epsilon_s=0.1, epsilon_n=1.0, delta_s=1e-6, delta_n=1e-5, sensitivity=5.0),
    "functional.adfc_ratio": lambda: dict(d=3, sigma_s=1.0, sigma_n=2.0),
    "functional.attained_move": lambda: dict(d=3, rng=_noise(), alpha=1.0, norm="l2", weights=(1.0, 2.0), steps=10),
    "functional.worst_pair": lambda: dict(d=3, m=5, s=1),
}


def _tuples(people, A):
    """Labels and groups are all the ones of A, and some rows: the whole person is private here. Most people have the first feature alone;
    of one in six the other is all, as in ``functional.worst_pair``, and of one in six both are even, which moves a sum in l1 further."""
    private, rows, even = np.asarray(A) == 1, np.tile([1.0, 0.0], (people.m, 1)), np.sqrt([.5, .5])
    rows[::6], rows[1::6], rows[2::6] = [0.0, 1.0], even, np.where(private[2::6, None], even, [1.0, 0.0])
    return rows, 1 - private, private.astype(int)


def _box(name, *given, tuples=3, **how):
    return lambda people, A, rng: getattr(functional, name)(*_tuples(people, A)[:tuples], *given, rng, **how)


PRIVATE_FITS = {
    "functional.functional_mechanism": _box("functional_mechanism", 2.0, tuples=2),
    "functional.relaxed_functional_mechanism": _box("relaxed_functional_mechanism", 2.0, 1e-6, tuples=2),
    "functional.pdfc": _box("pdfc", 0, 1.0, 2.0),
    "functional.adfc": _box("adfc", 0, 1.0, 2.0, 1e-6, 1e-6),
    "functional.pflr_star": _box("pflr_star", 2.0, pays=True),     # as printed it costs more than it says
    "functional.fair_functional_mechanism": _box("fair_functional_mechanism", 2.0, 1e-6, alpha=np.inf),
}
