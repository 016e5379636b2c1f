"""Mixtures chosen over draws: the program, its short cuts, and what choosing by one estimate costs."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import bayes_mixtures, decide, price_grid
from faults import Mutant

HOW = {"notion": "demographic_parity"}


def gaps_of(rates, against="anchor"):
    """Of every group against the first, or of every two, for each rate, (S, C, H)."""
    pairs = itertools.combinations(range(rates.shape[1]), 2) if against == "pairs" else [(0, a) for a in range(1, rates.shape[1])]
    return np.concatenate([np.moveaxis(rates[:, b] - rates[:, a], 2, 1) for a, b in pairs], axis=1)


def objective(weights, loss, gaps, lam):
    return weights @ loss + lam * np.abs(gaps @ weights).max(axis=1).mean()


def whole_program(loss, gaps, lam):
    """All rows and columns at once, by another wrapper."""
    S, C, H = gaps.shape
    flat, each = gaps.reshape(S * C, H), np.repeat(np.eye(S), C, axis=0)
    found = linprog(np.append(loss, np.full(S, lam / S)), A_ub=np.block([[flat, -each], [-flat, -each]]), b_ub=np.zeros(2 * S * C),
                    A_eq=np.append(np.ones(H), np.zeros(S))[None], b_eq=[1.0])
    return found.fun


def problem(R=1, seed=1):
    """Losses (H,) and rates (S, 3, H, R) of 60 candidates and two that have no gap."""
    rng = np.random.default_rng(seed)
    place = np.concatenate([rng.uniform(-1, 1, (60, 2)), np.zeros((2, 2))])
    rates = .5 + np.einsum("hp,pkr->khr", place, rng.normal(size=(2, 3, R)) / 8) + .02 * rng.normal(size=(40, 3, 62, R))
    rates[:, :, -2:] = [[0.0], [1.0]]
    return np.append(.2 + .1 * (place[:60]**2).sum(axis=1), [.5, .4]), rates


@pytest.mark.parametrize("against", ["anchor", "pairs"])
@pytest.mark.parametrize("notion", ["demographic_parity", "equalized_odds"])
@pytest.mark.parametrize("all_rows", [True, False])
def test_the_rows_and_columns_that_enter_are_enough(notion, against, all_rows, monkeypatch):
    """In doubles and in single precision."""
    monkeypatch.setattr(decide, "_ALL", 10**6 if all_rows else 0)
    loss, rates = problem(R=1 + (notion == "equalized_odds"))
    lams, gaps = [.05, 3.0, .4, 0.0], gaps_of(rates, against)
    for table in (rates, rates.astype(np.float32)):
        weights = bayes_mixtures(loss, table, lams, Parity(notion, against))
        assert weights.shape == (4, len(loss)) and weights.min() >= 0 and weights.sum(axis=1) == pytest.approx(1)
        for lam, found in zip(lams, weights, strict=True):
            assert objective(found, loss, gaps, lam) == pytest.approx(whole_program(loss, gaps, lam), abs=1e-5)


@pytest.mark.parametrize("longest", [1, 0])
def test_a_solver_that_goes_in_circles_begins_anew(longest, monkeypatch):
    """After one step it stops: the other ways, which end in one without steps, say the same."""
    begun, anew = [], decide.highspy.Highs.clearSolver
    monkeypatch.setattr(decide.highspy.Highs, "clearSolver", lambda solver: begun.append(1) or anew(solver))
    limit = "simplex_iteration_limit"
    monkeypatch.setattr(decide, "_WAYS", tuple(way | ({limit: longest} if limit in way else {}) for way in decide._WAYS))
    loss, rates = problem()
    found = bayes_mixtures(loss, rates, [.4], **HOW)[0]
    assert len(begun) >= 2 * (1 + (longest == 0))       # a way that stopped is left without what it had found
    assert objective(found, loss, gaps_of(rates), .4) == pytest.approx(whole_program(loss, gaps_of(rates), .4), abs=1e-5)


def test_with_one_draw_it_is_the_program_that_believes_an_estimate():
    loss, rates = problem()
    found, gaps = bayes_mixtures(loss, rates[:1], [1.0], **HOW)[0], gaps_of(rates[:1])
    assert objective(found, loss, gaps, 1.0) == pytest.approx(whole_program(loss, gaps, 1.0), abs=1e-5)


def test_the_largest_of_several_gaps_is_what_unfairness_costs():
    """On average over draws, of the candidate of least loss: 0.2 and 0.4, beside a smaller one; of .05 or more."""
    rates = np.zeros((2, 2, 3, 2))
    rates[0, 1, 0], rates[1, 0, 0] = [.2, .1], [0, .4]
    assert price_grid([.1, .4, .5], rates)[[0, -1]] == pytest.approx([8 * .3 / .3, 0])
    assert price_grid([.1, .4, .5], rates / 100)[0] == pytest.approx(8 * .3 / .05)


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
            rates = np.stack([drawn, 0 * drawn], axis=1)[..., None]
            mixture = bayes_mixtures(np.linspace(0, .01, H), rates, [1.0], **HOW)[0]
            fresh = shrunk + left * rng.normal(size=(200, H)) if name == "bayes" else drawn
            claims[name].append([np.abs(fresh @ mixture).mean(), np.abs(true @ mixture)])
            costs[name] += (np.linspace(0, .01, H) @ mixture + np.abs(true @ mixture)) / 400
    excess = {name: np.diff(np.mean(rows, axis=0))[0] for name, rows in claims.items()}
    assert excess["estimate"] > .01 and excess["posterior mean"] > .01 and abs(excess["bayes"]) < .004
    assert costs["bayes"] < min(costs["estimate"], costs["posterior mean"]) - .001


@pytest.mark.parametrize(("change", "said"), [
    ({"loss": []}, r"^loss=.*candidate"), ({"rates": [[[[0.0]]]]}, r"^rates"),
    ({"rates": np.zeros((0, 2, 2, 1))}, r"^rates=\(0, 2, 2, 1\): are no draws of the 1 rates of the notion"),
    ({"rates": np.zeros((1, 2, 3, 1), np.float32)}, r"^rates=\(1, 2, 3, 1\): are no draws"),
    ({"lams": [-1.0]}, r"^lams=-1"), ({"rates": np.full((1, 2, 2, 1), np.nan)}, r"^rates=nan")])
def test_what_does_not_fit_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        bayes_mixtures(**({"loss": [.1, .5], "rates": np.zeros((1, 2, 2, 1)), "lams": [1.0]} | HOW | change))


RATES = [[[[.2, .3], [0.0, 0.0], [1.0, 1.0]], [[.4, .5], [0.0, 0.0], [1.0, 1.0]]]]
SAID = dict(loss=[.1, .4, .5], rates=RATES, notion="equalized_odds")
VALID_CALLS = {"oneshot.bayes_mixtures": lambda: SAID | dict(lams=[1.0, 3.0]), "oneshot.price_grid": lambda: dict(SAID)}


# --- deliberate faults

FAULTS = {
    "mixtures_believe_the_mean_of_the_draws": Mutant(
        "dpfair_teach.oneshot.decide.bayes_mixtures",
        lambda f: lambda loss, rates, *how, **named: f(loss, np.mean(rates, axis=0)[None], *how, **named),
        "the largest gap of the mean, and not the mean of the largest gaps"),
    "broken_rows_are_left_out": Mutant(
        "dpfair_teach.oneshot.decide.Program._add_broken", lambda f: lambda self, least, used: False, "draws that are broken never enter"),
    "candidates_stay_out": Mutant(
        "dpfair_teach.oneshot.decide.Program._add_better", lambda f: lambda self, price: False, "no candidate joins the first few"),
}
