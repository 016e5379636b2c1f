"""Drawn data follow the law they carry.

Each frequency is compared with its probability by Hoeffding's inequality at alpha = 1e-10 per comparison: with n people in the cell the
distance is below sqrt(ln(2/alpha) / (2 n)) but for that chance. At most 30 comparisons a test: false failure below 3e-9, and seeds are
fixed.
"""
import numpy as np
import pytest
from scipy import special

from dpfair_teach.data import load, logistic_base, make_logistic, make_synthetic, ten_people_base

ALPHA = 1e-10


def near(frequency, probability, n):
    return abs(frequency - probability) <= np.sqrt(np.log(2 / ALPHA) / (2 * n))


def check_law(d, prediction):
    law = d.population
    for a in range(d.n_groups):
        here = d.A == a
        assert near(here.mean(), law.shares[a], d.m)
        assert near(d.Y[here].mean(), law.base_rates[a], here.sum())
        for y, rates in ((0, law.false_positive), (1, law.true_positive)):
            cell = here & (d.Y == y)
            assert near(prediction[cell].mean(), rates[a], cell.sum())


def test_scores_have_the_rates_asked_for():
    d = make_synthetic(200_000, n_groups=3, group_shares=[.2, .3, .5], base_rates=[.6, .2, .4], false_positive=[0., .3, .1],
                       true_positive=[1., .5, .8], rng=np.random.default_rng(7))
    assert d.population.false_positive.tolist() == [0, .3, .1]
    check_law(d, ten_people_base(d.X))
    assert d.X.min() >= 0 and d.X.max() < 1
    exact = ten_people_base(d.X)[(d.A == 0)] == d.Y[d.A == 0]
    assert exact.all()  # group 0 was asked to be predicted without a fault


@pytest.mark.parametrize("k, d, coefficients", [(2, 5, None), (3, 2, [3., -1.]), (1, 1, [.2])])
def test_logistic_people_follow_the_integrated_law(k, d, coefficients):
    people = make_logistic(200_000, n_groups=k, d=d, coefficients=coefficients, rng=np.random.default_rng(8))
    assert people.X.shape == (200_000, d)
    check_law(people, logistic_base(people.X, coefficients))


def test_the_integral_against_a_plain_sum():
    law = make_logistic(100, n_groups=2, d=1, coefficients=[1.5], intercepts=[.3, -2.], shifts=[[-.4], [1.]],
                        rng=np.random.default_rng(1)).population
    for a, (c, s) in enumerate(((.3, -.4), (-2., 1.))):
        x = np.linspace(s - 12, s + 12, 2_400_001)
        density = np.exp(-(x - s) ** 2 / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
        p = special.expit(1.5 * x + c)
        assert np.isclose(law.base_rates[a], (p * density).sum(), atol=1e-9)
        accepted = x >= 0
        assert np.isclose(law.true_positive[a], (p * density)[accepted].sum() / (p * density).sum(), atol=1e-5)
        assert np.isclose(law.false_positive[a], ((1 - p) * density)[accepted].sum() / ((1 - p) * density).sum(), atol=1e-5)


@pytest.mark.parametrize("maker", [make_synthetic, make_logistic])
def test_the_same_seed_gives_the_same_people(maker):
    assert maker(50, rng=np.random.default_rng(3)) == maker(50, rng=np.random.default_rng(3))
    assert maker(50, rng=np.random.default_rng(3)) != maker(50, rng=np.random.default_rng(4))


@pytest.mark.parametrize("asked", [{}, {"n_groups": 3}, {"d": 2}, {"n_groups": 1, "d": 7}])
def test_the_synthetic_set_is_what_make_logistic_draws(asked):
    loaded = load("synthetic", m=300, rng=np.random.default_rng(5), **asked)
    made = make_logistic(300, rng=np.random.default_rng(5), **asked)
    assert loaded == made and loaded.name == "synthetic" and loaded.provenance == made.provenance
    assert (loaded.m, loaded.n_groups, loaded.d) == (300, asked.get("n_groups", 2), asked.get("d", 5))
    assert np.array_equal(loaded.population.frequencies, made.population.frequencies)
    assert loaded.provenance.place == "made here" and loaded.provenance.rules_as_dict["label"].startswith("logistic")


def test_the_synthetic_set_is_drawn_anew_from_the_callers_generator():
    rng = np.random.default_rng(3)
    first, second = (load("synthetic", m=50, rng=rng) for _ in range(2))
    assert first != second and first == load("synthetic", m=50, rng=np.random.default_rng(3))


@pytest.mark.parametrize("given, named", [
    ({"m": None, "rng": None}, "m"), ({"m": None}, "m"), ({"rng": None}, "rng"), ({"rng": 1}, "rng"), ({"m": 0}, "m"),
    ({"n_groups": 0}, "n_groups"), ({"d": 2.5}, "d"), ({"group": "paper"}, "group"), ({"label": "p70"}, "label"),
    ({"features": "all"}, "features")])
def test_what_the_synthetic_set_needs_and_what_it_has_no_use_for(given, named):
    with pytest.raises(ValueError, match=rf"^{named}="):
        load("synthetic", **({"m": 50, "rng": np.random.default_rng(1)} | given))


@pytest.mark.parametrize("name", ["ten_people", "communities"])
@pytest.mark.parametrize("argument, value", [("m", 10), ("n_groups", 2), ("d", 1), ("rng", np.random.default_rng(1))])
def test_only_the_synthetic_set_is_drawn(name, argument, value):
    with pytest.raises(ValueError, match=rf"^{argument}=.*is read by load.'synthetic'., and not by load.'{name}'."):
        load(name, **{argument: value})
