"""The warning of a learner that a constant beats: its rule, what it says, and that it reads no group."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import dpfair_teach
from dpfair_teach import WorseThanConstantWarning, load
from dpfair_teach._fit_warnings import warn_of_a_better_constant
from dpfair_teach.games import DPRegressionLearner

PEOPLE = load("communities", features="unprotected")


def fitted(epsilon=1.0, seed=0, A=PEOPLE.A, **how):
    model = DPRegressionLearner(epsilon, .05, delta=1e-6, **how)
    return model.fit(PEOPLE.X, PEOPLE.Y, sensitive_features=A, rng=np.random.default_rng(seed))


def test_the_rule_is_more_errors_than_the_better_constant():
    y = np.array([1, 0, 0, 0])
    for labels, said in ((y, "rejects"), (1 - y, "accepts")):
        told = rf"^no better than a constant: .* errs on 0\.3 of .* who {said} everybody on 0\.25\."
        with pytest.warns(WorseThanConstantWarning, match=told):
            warn_of_a_better_constant(np.array([.25, .35]), labels, instead="")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_a_better_constant(np.array([.1, .4]), labels, instead="")          # exactly as good
    assert issubclass(WorseThanConstantWarning, UserWarning) and "WorseThanConstantWarning" in dpfair_teach.__all__


def test_a_fit_warns_with_the_defaults_and_not_with_what_it_names():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", WorseThanConstantWarning)
        model = fitted()
    assert len(caught) == 1 and caught[0].filename == __file__
    assert all(word in str(caught[0].message) for word in ("oneshot.FrontierLearner", "smaller B", "larger ridge"))
    assert model.errors_.shape == (10,) and model.errors_.mean() == pytest.approx(1 - model.score(PEOPLE.X, PEOPLE.Y), abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorseThanConstantWarning)
        fitted(10.0, B=5.0, ridge=100.0)
        fitted(rounds=1)


def test_its_numbers_in_the_docstring_and_on_the_page():
    """Accuracies of three fits on average; the page says that the defaults are worse than a constant from epsilon 1 to 100."""
    words = " ".join(DPRegressionLearner.__doc__.split())
    assert "1,994 communities at epsilon 1 its accuracy is 0.55, and of who rejects everybody 0.71" in words and len(PEOPLE.Y) == 1994
    assert 1 - PEOPLE.Y.mean() == pytest.approx(.71, abs=.005)
    for epsilon in (1.0, 20.0, 100.0):
        scores = [fitted(epsilon, seed).score(PEOPLE.X, PEOPLE.Y) for seed in range(3)]
        assert max(scores) < .7 and (epsilon > 1 or np.mean(scores) == pytest.approx(.55, abs=.005))


def test_errors_are_of_public_numbers_alone():
    """They are those of the rules on X and y, whatever the groups are."""
    for A in (PEOPLE.A, np.zeros(PEOPLE.m, int)):
        model = fitted(A=A)
        accepts = np.column_stack([np.ones(PEOPLE.m), PEOPLE.X]) @ model.rules_.T > 0
        assert np.array_equal(model.errors_, (accepts.T != PEOPLE.Y).mean(axis=1))
