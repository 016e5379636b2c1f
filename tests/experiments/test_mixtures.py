"""The whole frontier from one convex hull is the linear program, gamma by gamma."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach.experiments import GAMMAS_PROTOCOL as GAMMAS
from dpfair_teach.experiments import best_mixtures, mixtures
from faults import Mutant


def program(error: np.ndarray, gaps: np.ndarray, gammas: list[float]) -> np.ndarray:
    """The least error for each gamma, by one linear program: the readable way."""
    rows = np.concatenate([np.transpose(gaps), -np.transpose(gaps)])
    return np.array([linprog(error, A_ub=rows, b_ub=np.full(len(rows), gamma), A_eq=np.ones((1, len(error))), b_eq=[1.0]).fun
                     for gamma in gammas])


def by_programs(error: np.ndarray, gaps: np.ndarray, gammas: list[float]) -> mixtures.Mixtures:
    """A gap that is said twice: no hull serves three, and the library solves a program for each gamma."""
    return best_mixtures(error, np.column_stack([gaps, np.asarray(gaps)[:, :1]]), gammas)


def problem(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n candidates on a noisy bowl, and the two constants."""
    rng = np.random.default_rng(seed)
    gaps = 0.3 * rng.standard_normal((n, 2))
    error = 0.3 - 0.2 * np.abs(gaps).sum(axis=1) + 0.1 * rng.random(n)
    return np.r_[error, 0.4, 0.6], np.r_[gaps, np.zeros((2, 2))]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n", [1, 2, 3, 8, 60])
def test_the_hull_gives_the_optimum_of_the_linear_program_at_every_gamma(n, seed):
    error, gaps = problem(n, 100 * n + seed)
    hull = best_mixtures(error, gaps, GAMMAS)
    assert np.abs(hull.values - program(error, gaps, GAMMAS)).max() < 1e-9
    assert np.abs(by_programs(error, gaps, GAMMAS).values - hull.values).max() < 1e-9
    assert np.abs(hull.weights @ error - hull.values).max() < 1e-9
    assert (np.abs(hull.weights @ gaps).max(axis=1) <= np.array(GAMMAS) + 1e-9).all()
    assert np.abs(hull.weights.sum(axis=1) - 1).max() < 1e-12 and hull.weights.min() >= 0
    assert ((hull.weights > 1e-9).sum(axis=1) <= 3).all()


@pytest.mark.parametrize("gaps", [np.zeros((4, 2)), np.c_[np.linspace(0, .3, 4), np.zeros(4)], np.c_[[0, .1, .2, .3], [0, .1, .2, .3]]],
                         ids=["no gaps", "one gap", "on a line"])
def test_flat_problems_are_solved_too(gaps):
    error = np.array([.4, .3, .2, .1])
    assert np.allclose(best_mixtures(error, gaps, GAMMAS).values, program(error, gaps, GAMMAS), atol=1e-9)


@pytest.mark.slow
@pytest.mark.turning(7)
@pytest.mark.parametrize("scale", [1, 10, 1e3])
def test_gaps_on_a_line_but_for_rounding_are_taken_for_a_line(scale):
    """The hull's triangles have no width there, and a corner computed in one may lie anywhere."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        gaps = scale * (rng.standard_normal((30, 1)) * [.3, .7] + 1e-12 * rng.standard_normal((30, 2)))
        gaps, error = np.r_[gaps, np.zeros((2, 2))], np.r_[0.4 * rng.random(30), .45, .55]
        hull = best_mixtures(error, gaps, GAMMAS)
        assert (np.abs(hull.weights @ gaps).max(axis=1) <= np.array(GAMMAS) + 1e-9 * scale).all()
        assert np.abs(hull.values - by_programs(error, gaps, GAMMAS).values).max() < 1e-9


@pytest.mark.parametrize(("scale", "noise", "seed"), [(1e5, 1e-16, 85), (1e3, 1e-12, 51), (1.0, 1e-10, 144)])
def test_a_triangle_of_next_to_no_width_is_left_to_the_program(scale, noise, seed):
    """Most gaps on a line but for rounding, a few off it: the hull has volume, and triangles with corners that may lie anywhere."""
    rng, off = np.random.default_rng(seed), 1 + seed % 3
    gaps = scale * (rng.standard_normal((30, 1)) * [.3, .7] + noise * rng.standard_normal((30, 2)))
    gaps = np.r_[gaps, scale * rng.standard_normal((off, 2)) * .5, np.zeros((2, 2))]
    error = np.r_[.4 * rng.random(30), .4 * rng.random(off), .45, .55]
    hull, programs = best_mixtures(error, gaps, GAMMAS), by_programs(error, gaps, GAMMAS)
    for found in (hull, programs):
        assert (np.abs(found.weights @ gaps).max(axis=1) <= np.array(GAMMAS) + 1e-7).all()
    assert np.abs(hull.values - programs.values).max() < 1e-9


def test_a_tolerance_below_the_solvers_own_is_no_impossible_one(monkeypatch):
    """HiGHS's presolve says "infeasible" of these, though two candidates have no gap at all. And whatever it says, they have none."""
    error = np.array([.19, .02, .13, .45, .55])
    gaps = np.array([[-.33000001049062655, -.03299999672727008], [-.040000010980677, -.004000015776776227],
                     [.3200000049425439, .03199999449649048], [0, 0], [0, 0]])
    for gammas in ([0.0], [1e-12]):
        for solve in (best_mixtures, by_programs):
            found = solve(error, gaps, gammas)
            assert found.values[0] < .45 + 1e-9 and np.abs(found.weights @ gaps).max() < 1.1e-7     # the solver's own tolerance
    refused, solver = type("Answer", (), {"status": 4}), mixtures.linprog
    monkeypatch.setattr(mixtures, "linprog", lambda *args, options, **how:
                        refused if options["presolve"] else solver(*args, options=options, **how))
    found, mixed = by_programs(error, gaps, [.01]), best_mixtures(error, gaps, [.01])
    assert found.values == pytest.approx(mixed.values) and found.values[0] < .13     # the second try, no single candidate
    monkeypatch.setattr(mixtures, "linprog", lambda *args, **how: refused)
    found = by_programs(error[[4, *range(4)]], gaps[[4, *range(4)]], [0.0, 1e-9, .05])
    assert found.values.tolist() == [.45, .45, .02] and found.weights.argmax(axis=1).tolist() == [4, 4, 2]


def test_an_impossible_gamma_is_refused_by_name():
    for solve in (best_mixtures, by_programs):
        with pytest.raises(ValueError, match=r"^gammas=0\.05: no mixture"):
            solve([.1, .2, .15], [[.2, .1], [.3, .1], [.25, .2]], [0.05])


VALID_CALLS = {"experiments.best_mixtures": lambda: dict(error=[.1, .4, .2], gaps=[[.2, .1], [0, 0], [.1, .05]], gammas=[0.0, .1])}


# --- deliberate faults

def single_candidates_only(f):
    def best_mixtures(error, gaps, gammas):
        found = f(error, gaps, gammas)
        best = np.eye(len(error))[found.weights.argmax(axis=1)]
        return dataclasses.replace(found, weights=best, values=best @ np.asarray(error))
    return best_mixtures


FAULTS = {
    "single_candidates_only": Mutant("dpfair_teach.experiments.best_mixtures", single_candidates_only, "no mixtures"),
}
