"""The figures of chapters 18, 19 and 23: each frame against what it is drawn from, in all positions of their controls."""
from __future__ import annotations

import contextlib
import math
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dpfair_teach import functional, mechanisms
from dpfair_teach.explore import Explorer
from test_chapters import CHAPTERS, boxes


@cache
def figures(page: str, number: int) -> tuple[list[Explorer], dict]:
    """The first figures of a chapter and all names up to there: its cells build on each other."""
    names: dict = {"FIGURES": []}
    with contextlib.chdir(CHAPTERS.parent / "notebooks"):
        for box in boxes((CHAPTERS / f"{page}.md").read_text(encoding="utf-8")):
            if box.kind == "code-cell" and not re.search(r"^(show|Puzzle|SelfCheck)\(", box.body, re.M):
                body = re.sub(r"\A(?::\w+:.*\n)+", "", box.body).replace("\nExplorer(", "\nFIGURES += 0, Explorer(")
                exec(body, names)
                names["FIGURES"] = [shown for shown in names["FIGURES"] if shown != 0]
            if len(names["FIGURES"]) == number:
                return names["FIGURES"], names
    raise AssertionError(f"{page} has fewer than {number} figures")


@pytest.mark.slow
def test_the_eigenvalues_are_those_of_the_noisy_matrix_and_all_that_is_cut_off_is_told():
    (shown, *_), names = figures("18-functional-mechanism", 3)
    cut, without = 0, set()
    for at in shown.grid():
        frame, said = shown.frame(**at), shown.sentence(**at)
        reach = 2 * math.sqrt(at["d"]) * names["deviation_of"](at["noise"], at["d"])
        values = np.linalg.eigvalsh(names["noisy"](**at, rng=np.random.default_rng(0)).H)[::-1] / reach
        np.testing.assert_allclose(frame["with noise"][:, 1], np.minimum(values, 2.5), atol=1e-12)
        assert (f"{(values < 0).sum()} of {at['d']} noisy eigenvalues" in said) == (values[-1] < 0) != ("there is a minimum" in said)
        above = [(frame[name][:, 1] >= 2.5).sum() for name in ("with noise", "without noise")]
        assert ("upper edge, {} with noise and {} without".format(*above) in said) == (max(above) > 0)
        cut += max(above) > 0
        if at["d"] == 10 and at["m"] == 10_000 and values[-1] > 0:
            without.add(at["noise"])
    assert cut > 20 and without == {"Gaussian, sharp"}       # the sentence below the figure


def test_along_its_flattest_direction_the_noisy_quadratic_is_a_parabola_that_opens_as_the_sentence_says():
    (_, shown, _), names = figures("18-functional-mechanism", 3)
    for at in shown.grid():
        frame, said, means = shown.frame(**at), shown.sentence(**at), names["means_along"](**at)
        step = names["STEPS"][1] - names["STEPS"][0]
        low = np.linalg.eigvalsh(names["noisy"](**at, rng=np.random.default_rng(0)).H)[0] / at["m"]
        rounding = 1e-9 * max(1.0, np.abs(means["with noise"]).max())
        np.testing.assert_allclose(np.diff(means["with noise"], 2), low * step**2, rtol=1e-6, atol=rounding)
        assert (np.diff(means["without noise"], 2) > -1e-9).all() and ("saddle" in said) == (low < 0)
        scale = max(np.abs(values).max() for values in means.values())
        assert all(np.allclose(frame[name] * scale, means[name]) for name in means) and f"{means['with noise'][-1]:.2f}" in said


def test_noise_over_the_features_is_calibrated_as_its_controls_say():
    (_, _, shown), _ = figures("18-functional-mechanism", 3)
    d = shown.panels[0].x.astype(int)
    for at in shown.grid():
        frame, epsilon = shown.frame(**at), at["epsilon"]
        if at["noise"].startswith("Gaussian"):
            np.testing.assert_allclose(frame["sharp"], mechanisms.gaussian_sigma(1.0, epsilon, 1e-5))
            calibrated = mechanisms.gaussian_sigma if at["printed_by"] == "exactly" else functional.gaussian_sigma_extended
            np.testing.assert_allclose(frame["printed"], [calibrated(math.sqrt(k**2 / 16 + k), epsilon, 1e-5) for k in d])
        else:
            np.testing.assert_allclose(frame["printed"], math.sqrt(2) * (d**2 / 4 + d) / epsilon)
            np.testing.assert_allclose(frame["sharp"], [math.sqrt(2) * functional.logistic_l1(int(k)) / epsilon for k in d])


@pytest.mark.slow
def test_claimed_and_true_epsilon_are_the_librarys_and_the_sentence_says_where_the_claim_is_false():
    (shown, *_), names = figures("19-pdfc-and-adfc", 1)
    budgets, false = names["EPSILONS"], 0
    for at in shown.grid():
        frame, said, d, other = shown.frame(**at), shown.sentence(**at), at["d"], at["epsilon_n"]
        np.testing.assert_allclose(frame["claimed average"], budgets / d + other * (d - 1) / d)
        sharp = at["noise"] == "sharp"
        if at["method"] == "ADFC":
            true = [functional.adfc_epsilon(d, e, other, 1e-5, 1e-5, sensitivity=math.sqrt(5) if sharp else None) for e in budgets]
        else:
            scale = d**2 / 8 + 1.5 * d + 0.5 if sharp else d**2 / 4 + 3 * d
            true = [functional.pdfc_epsilon(d, e, other, domain="box", sensitivity=1.0) / scale for e in budgets]
        np.testing.assert_allclose(frame["true epsilon"], true)
        worse = budgets[np.array(true) > frame["claimed average"] * (1 + 1e-9)]
        false += len(worse) > 0
        assert ("everywhere" in said) == (len(worse) == 0) and ("only" in said) == (len(worse) == 1)
        assert len(worse) < 2 or f"from {worse[0]:.3g} to {worse[-1]:.3g}." in said
    assert 10 < false < len(shown.grid())


@pytest.mark.parametrize("called", ["women", "men"])
def test_a_penalty_never_turns_the_covariance_round_and_the_literal_objective_does_or_widens_it(called):
    (_, shown), _ = figures("19-pdfc-and-adfc", 2)
    frame = shown.frame(called=called)
    penalty, literal = frame["Covariance"]["penalty"], frame["Covariance"]["literal"]
    assert (np.diff(np.abs(penalty)) <= 1e-12).all() and np.abs(penalty[-1]) < 1e-9 and (np.diff(literal) < 0).all()
    assert literal[-1] < 0 and (literal[0] < 0) == (called == "women")         # the scores of group 1 fall, whichever group that is
    assert (frame["Loss"]["literal"][1:] > frame["Loss"]["penalty"][1:] - 1e-12)[-1]


def test_the_first_figure_of_chapter_23_draws_stored_rows_less_the_constant():
    (shown, *_), _ = figures("23-functional-tables", 1)
    stored = pd.read_csv(CHAPTERS.parent / "results" / "ding_runs.csv")
    of = {"one number": {"PFLR*": "pflr_star", "PDFC": "pdfc", "ADFC": "adfc", "fair apart": "apart_fair", "fair moments": "moments_fair"}}
    of["0/1 columns"] = {name: method.replace("_fair", "_one_hot_fair") if "fair" in method else f"{method}_one_hot"
                         for name, method in of["one number"].items()}
    married = ["none", "marital-status", "marital-status=Married-civ-spouse"]
    for at in shown.grid():
        frame, said = shown.frame(**at), shown.sentence(**at)
        for name, method in of[at["categories"]].items():
            rows = stored[(stored.data == "adult") & (stored.method == method) & stored.delta.isin([0, 1e-3])]
            rows = rows[rows.attribute.isin(married)].sort_values("epsilon")
            np.testing.assert_allclose(frame["Accuracy"][name], rows.accuracy - rows.constant)
            np.testing.assert_allclose(frame["Risk difference"][name], rows.risk_difference)
        assert not frame["Accuracy"]["the constant"].any() and re.search(r"At epsilon 0\.1 (PFLR\*|PDFC|ADFC) has", said)
