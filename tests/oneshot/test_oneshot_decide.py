"""Mixtures chosen over draws: the program, its short cuts, and what choosing by one estimate costs."""
from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach.oneshot import bayes_mixtures, decide
from faults import Mutant


def objective(weights, error, gaps, lam):
    return weights @ error + lam * np.abs(gaps @ weights).max(axis=1).mean()


def whole_program(error, gaps, lam):
    """All rows and columns at once, by another wrapper."""
    S, C, H = gaps.shape
    flat, each = gaps.reshape(S * C, H), np.repeat(np.eye(S), C, axis=0)
    found = linprog(np.append(error, np.full(S, lam / S)), A_ub=np.block([[flat, -each], [-flat, -each]]), b_ub=np.zeros(2 * S * C),
                    A_eq=np.append(np.ones(H), np.zeros(S))[None], b_eq=[1.0])
    return found.fun


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    H, S, C = 60, 40, 3
    place = rng.uniform(-1, 1, (H, 2))
    gaps = np.concatenate([place @ rng.normal(size=(2, C)) / 5, np.zeros((2, C))]).T + .03 * rng.normal(size=(S, C, H + 2))
    gaps[:, :, -2:] = 0.0
    return np.append(.2 + .1 * (place**2).sum(axis=1), [.5, .4]), gaps


@pytest.mark.parametrize("all_rows", [True, False])
def test_the_rows_and_columns_that_enter_are_enough(problem, all_rows, monkeypatch):
    monkeypatch.setattr(decide, "_ALL", 10**6 if all_rows else 0)
    error, gaps = problem
    lams = [.05, 3.0, .4, 0.0]
    weights = bayes_mixtures(error, gaps, lams)
    assert weights.shape == (4, len(error)) and weights.min() >= 0 and weights.sum(axis=1) == pytest.approx(1)
    for lam, found in zip(lams, weights, strict=True):
        assert objective(found, error, gaps, lam) == pytest.approx(whole_program(error, gaps, lam), abs=1e-5)


@pytest.mark.parametrize("longest", [1, 0])
def test_a_solver_that_goes_in_circles_begins_anew(problem, longest, monkeypatch):
    """After one step it stops: the other ways, which end in one without steps, say the same."""
    begun, anew = [], decide.highspy.Highs.clearSolver
    monkeypatch.setattr(decide.highspy.Highs, "clearSolver", lambda solver: begun.append(1) or anew(solver))
    monkeypatch.setattr(decide, "_LONGEST", longest)
    error, gaps = problem
    found = bayes_mixtures(error, gaps, [.4])[0]
    assert len(begun) >= 2 * (1 + (longest == 0))       # a way that stopped is left without what it had found
    assert objective(found, error, gaps, .4) == pytest.approx(whole_program(error, gaps, .4), abs=1e-5)


def test_with_one_draw_it_is_the_program_that_believes_an_estimate(problem):
    error, gaps = problem
    found = bayes_mixtures(error, gaps[:1], [1.0])[0]
    assert objective(found, error, gaps[:1], 1.0) == pytest.approx(whole_program(error, gaps[:1], 1.0), abs=1e-5)


@pytest.mark.slow
def test_who_believes_an_estimate_is_optimistic_and_who_averages_is_not():
    """Twenty candidates of one error and true gaps from a normal law; each told with noise. What the mixture of the best estimates claims
    is less than what comes true; what the mean over the posterior claims comes true, and costs least. 400 games each; standard errors
    below .004."""
    rng, H, sd, noise = np.random.default_rng(3), 20, .05, .1
    claims = {"estimate": [], "posterior mean": [], "bayes": []}
    costs = dict.fromkeys(claims, 0.0)
    for _ in range(400):
        true = rng.normal(size=H) * sd
        told = true + noise * rng.normal(size=H)
        shrunk, left = told * sd**2 / (sd**2 + noise**2), sd * noise / np.hypot(sd, noise)
        draws = {"estimate": told[None], "posterior mean": shrunk[None], "bayes": shrunk + left * rng.normal(size=(200, H))}
        for name, drawn in draws.items():
            mixture = bayes_mixtures(np.linspace(0, .01, H), drawn[:, None], [1.0])[0]
            fresh = shrunk + left * rng.normal(size=(200, H)) if name == "bayes" else drawn
            claims[name].append([np.abs(fresh @ mixture).mean(), np.abs(true @ mixture)])
            costs[name] += (np.linspace(0, .01, H) @ mixture + np.abs(true @ mixture)) / 400
    excess = {name: np.diff(np.mean(rows, axis=0))[0] for name, rows in claims.items()}
    assert excess["estimate"] > .01 and excess["posterior mean"] > .01 and abs(excess["bayes"]) < .004
    assert costs["bayes"] < min(costs["estimate"], costs["posterior mean"]) - .001


@pytest.mark.parametrize(("change", "said"), [
    ({"error": []}, r"^error=.*candidate"), ({"gaps": [[[0.0]]]}, r"^gaps"),
    ({"gaps": np.zeros((0, 1, 2))}, r"^gaps=\(0, 1, 2\): has no draw"),
    ({"lams": [-1.0]}, r"^lams=-1"), ({"gaps": [[[np.nan, 0.0]]]}, r"^gaps=nan")])
def test_what_does_not_fit_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        bayes_mixtures(**({"error": [.1, .5], "gaps": [[[.2, 0.0]]], "lams": [1.0]} | change))


VALID_CALLS = {"oneshot.bayes_mixtures": lambda: dict(error=[.1, .5], gaps=[[[.2, 0.0]], [[-.2, 0.0]]], lams=[1.0, 3.0])}


# --- deliberate faults

FAULTS = {
    "mixtures_believe_the_mean_of_the_draws": Mutant(
        "dpfair_teach.oneshot.decide.bayes_mixtures", lambda f: lambda error, gaps, lams: f(error, np.mean(gaps, axis=0)[None], lams),
        "the largest gap of the mean, and not the mean of the largest gaps"),
    "broken_rows_are_left_out": Mutant(
        "dpfair_teach.oneshot.decide.Program._add_broken", lambda f: lambda self, least, used: False, "draws that are broken never enter"),
    "candidates_stay_out": Mutant(
        "dpfair_teach.oneshot.decide.Program._add_better", lambda f: lambda self, price: False, "no candidate joins the first few"),
}
