"""Drawn data follow the law they carry.

Each frequency is compared with its probability by Hoeffding's inequality at alpha = 1e-10 per comparison: with n people in the cell the
distance is below sqrt(ln(2/alpha) / (2 n)) but for that chance. At most 30 comparisons a test: false failure below 3e-9, and seeds are
fixed.
"""
import numpy as np
import pytest
from scipy import special

from dpfair_teach.data import load, make_logistic

ALPHA = 1e-10


def near(frequency, probability, n):
    return abs(frequency - probability) <= np.sqrt(np.log(2 / ALPHA) / (2 * n))


@pytest.mark.parametrize("k, d, coefficients", [(2, 5, None), (3, 2, [3., -1.]), (1, 1, [.2])])
def test_logistic_people_follow_their_law(k, d, coefficients):
    """Groups by their shares; labels, in each group and half of the score w x + c, by the chances of the people in it."""
    people = make_logistic(200_000, n_groups=k, d=d, coefficients=coefficients, rng=np.random.default_rng(8))
    assert people.X.shape == (200_000, d)
    score = people.X @ (np.full(d, 2 / np.sqrt(d)) if coefficients is None else coefficients)
    for a, c in enumerate(np.linspace(0, -1, k)):
        here = people.A == a
        assert near(here.mean(), 1 / k, people.m)
        for half in (here & (score + c < 0), here & (score + c >= 0)):
            assert near(people.Y[half].mean(), special.expit(score + c)[half].mean(), half.sum())
        assert abs(people.X[here].mean(axis=0) - np.eye(d)[0] * (.5 * a / max(k - 1, 1))).max() < 8 / np.sqrt(here.sum())


def test_the_same_seed_gives_the_same_people():
    assert make_logistic(50, rng=np.random.default_rng(3)) == make_logistic(50, rng=np.random.default_rng(3))
    assert make_logistic(50, rng=np.random.default_rng(3)) != make_logistic(50, rng=np.random.default_rng(4))


@pytest.mark.parametrize("asked", [{}, {"n_groups": 3}, {"d": 2}, {"n_groups": 1, "d": 7}])
def test_the_synthetic_set_is_what_make_logistic_draws(asked):
    loaded = load("synthetic", m=300, rng=np.random.default_rng(5), **asked)
    made = make_logistic(300, rng=np.random.default_rng(5), **asked)
    assert loaded == made and loaded.name == "synthetic" and loaded.provenance == made.provenance
    assert (loaded.m, loaded.n_groups, loaded.d) == (300, asked.get("n_groups", 2), asked.get("d", 5))
    assert loaded.provenance.place == "made here" and dict(loaded.provenance.rules)["label"].startswith("logistic")


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
