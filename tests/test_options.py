"""No option is ignored: given another value it changes what comes out at the same seed, or it is refused as unread."""
from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dpfair_teach import baselines, fairness, functional, games, lagrangian, oneshot, postprocessing
from dpfair_teach.oracles import RegressionOracle
from test_estimators import CASES as ESTIMATORS

RNG = np.random.default_rng(0)
X, A, Y = RNG.normal(size=(300, 2)), np.arange(300) % 3, np.arange(300) // 3 % 2
UNEVEN = np.where((np.arange(300) % 7 == 0) & (Y == 1), 0, A)     # labels in other proportions in each group
GAME = games.FairnessGame(RNG.random((9, 300)) > 0.5, A, Y, 0.05, n_groups=3, empty="zero")
ORACLE = RegressionOracle(X, Y)
RULES = [lambda X, t=t: (X[:, 0] > t).astype(int) for t in (-0.5, 0.0, 0.5)]
#: What watches a learner, and changes nothing of what it learns; how many groups there are is a fact.
NOT_TRIED = {"progress", "n_groups"}
#: What is published as it was given.
ECHOED = {"game", "oracle", "gamma", "B", "eta", "epsilon", "protect", "spent", "parity"}


class Case(NamedTuple):
    """A learner: how it is called with its options, what stands in each variant, and another value for each option."""

    play: Callable[..., Any]
    call: Callable[..., Any]
    variants: list[dict[str, Any]]
    others: dict[str, Any]


def variants(**words):
    return [dict(zip(words, each, strict=True)) for each in itertools.product(*words.values())]


def private(learner):
    return lambda **how: learner(GAME, 1.0, 1e-6, 2.0, np.random.default_rng(1), **how)


def fitted(learner, *first, **how):
    return learner(*first, 1.0, 0.05, 1e-6, n_groups=3, **how).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))


def asked(**how):
    return oneshot.FrontierLearner(4.0, 0.05, n_groups=3, **how).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))


def priced(**how):
    k = 2 if how.get("missing") else 3          # then 2 is the code of who did not say
    return lagrangian.FairLagrangian(0.0, n_groups=k, **NETWORK | how).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))


def priced_in_private(**how):
    model = lagrangian.PrivateFairLagrangian(2.0, 0.0, 1e-6, n_groups=3, **NETWORK | how)
    return model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))


def measured(**how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", functional.LittleLearnedWarning)        # these labels go with no feature
        return fitted(functional.FunctionalClassifier, **dict(bound=4.0) | how)


def compared(learner, *given):
    def call(**how):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return learner(*given, n_groups=3, **how).fit(X, Y, sensitive_features=UNEVEN, rng=np.random.default_rng(1))
    return call


def repaired(**how):
    def base(X):
        return X[:, 0] if how.get("method") == "score_bins" else (X[:, 0] > 0).astype(int)
    model = postprocessing.DPPostProcessing(base, 1.0, 0.05, n_groups=3, **how)
    return model.fit(np.tile(X, (20, 1)), np.tile(Y, 20), sensitive_features=np.tile(A, 20), rng=np.random.default_rng(1))


def needed(how):
    """A promise needs its number."""
    return how | {"smallest_cell": 20.0} if how.get("cell_sizes") == "public_lower_bound" else how


#: So small that all options of a network have something to change, and the noise is found once.
NETWORK = dict(epochs=4, learning_rate=0.1, hidden=(2,), batch=300)
NETWORK_OTHERS = dict(epochs=5, learning_rate=0.2, missing=True, hidden=(3,), batch=100, dual_learning_rate=3.0, max_multiplier=1e-3)
NOTIONS = ("equalized_odds", "accuracy_parity")
ROUNDS = (1, 2, 5)
ANCHORED = fairness.Parity("equalized_odds", "anchor")
CELL_SIZES = ("noisy", "noisy_lower_bound", "public_lower_bound")
CASES = {
    "dp_oracle_learner": Case(
        games.dp_oracle_learner, private(games.dp_oracle_learner),
        variants(rounds=(*ROUNDS, None), cell_sizes=CELL_SIZES, protect=("A", "X and A")),
        dict(smallest_cell=30.0, budget_fraction=0.3, eta=0.3, size=2)),
    "dp_oracle_learner_as_printed": Case(
        games.dp_oracle_learner_as_printed, private(games.dp_oracle_learner_as_printed), variants(rounds=(*ROUNDS, None)),
        dict(eta=0.3, size=2)),
    "exponentiated_gradient": Case(
        games.exponentiated_gradient, lambda **how: games.exponentiated_gradient(GAME, 2.0, **how),
        [*variants(rounds=ROUNDS), *variants(rounds=ROUNDS[1:], eta=(0.1,))], dict(eta=0.3, as_printed=True)),
    "regression_exponentiated_gradient": Case(
        games.regression_exponentiated_gradient, lambda **how: games.regression_exponentiated_gradient(ORACLE, A, 0.05, **how),
        variants(rounds=ROUNDS), dict(B=3.0, eta=0.3, notion="true_positive")),
    "regression_dp_oracle_learner": Case(
        games.regression_dp_oracle_learner,
        lambda **how: games.regression_dp_oracle_learner(ORACLE, A, 0.05, 1.0, 1e-6, np.random.default_rng(1), n_groups=3, **how),
        variants(rounds=ROUNDS),
        dict(B=3.0, eta=0.3, budget_fraction=0.3, learner_fraction=0.5, ridge=9.0, notion="true_positive", size=2)),
    "regression_dp_oracle_learner_as_printed": Case(
        baselines.regression_dp_oracle_learner_as_printed,
        lambda **how: baselines.regression_dp_oracle_learner_as_printed(ORACLE, A, 0.05, 1e4, 1e-6, np.random.default_rng(1), **how),
        variants(most_rounds=ROUNDS, step=("code", "supplement"), noise=("scale", "location")), dict(B=3.0, beta=1e-9, size=2)),
    "DPOracleLearner": Case(
        games.DPOracleLearner, lambda **how: fitted(games.DPOracleLearner, RULES, **how), variants(rounds=ROUNDS),
        dict(notion="false_positive", against="anchor", B=3.0)),
    "DPRegressionLearner": Case(
        games.DPRegressionLearner, lambda **how: fitted(games.DPRegressionLearner, **dict(notion=ANCHORED) | how), variants(rounds=ROUNDS),
        dict(notion=fairness.Parity("false_positive", "anchor"), B=3.0, ridge=9.0)),
    "FrontierLearner": Case(
        oneshot.FrontierLearner, asked, [{}],
        dict(gammas=[0.1], share=0.4, notion="false_positive", against="anchor", target="new", cost=(1, 4), base=GaussianNB().fit(X, Y))),
    "FairLagrangian": Case(
        lagrangian.FairLagrangian, priced, variants(notion=NOTIONS), NETWORK_OTHERS),
    "PrivateFairLagrangian": Case(
        lagrangian.PrivateFairLagrangian, priced_in_private, variants(notion=NOTIONS), NETWORK_OTHERS | dict(max_grad_norm=1e-3)),
    "CovarianceClassifier": Case(
        baselines.CovarianceClassifier, compared(baselines.CovarianceClassifier, 0.002),
        variants(notion=("demographic_parity", "equalized_odds", "accuracy_parity")), dict(C=0.01, steps=1)),
    "Reduction": Case(
        baselines.Reduction, compared(baselines.Reduction, LogisticRegression(), 0.002), variants(rounds=(2, 5)),
        dict(notion="demographic_parity", against="pairs")),
    "PrivateReduction": Case(
        baselines.PrivateReduction, compared(baselines.PrivateReduction, LogisticRegression(), 4.0, 0.002),
        variants(rounds=(2, 5), correction=("rates", "none")), dict(notion="demographic_parity")),
    "FunctionalClassifier": Case(
        functional.FunctionalClassifier, measured, variants(shorten=(False, True)), dict(bound=5.0)),
    "DPPostProcessing": Case(
        postprocessing.DPPostProcessing, repaired,
        variants(method=("public_margins", "as_printed", "score_bins"), slack=(None, True, False)),
        dict(notion="false_positive", against="anchor", beta=0.3, n_bins=4)),
}


SLOW = {"dp_oracle_learner", "DPOracleLearner", "FrontierLearner", "PrivateFairLagrangian"}


def published(found):
    """All that came out, but what only says what was given."""
    if hasattr(found, "fit"):
        kept = {name: value for name, value in vars(found).items() if name.endswith("_") and not name.startswith("_")}
        kept["p_"] = getattr(found, "p_", None)         # solved when it is asked for
    else:
        kept = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)} | {
            "releases": getattr(found, "releases_", None)}
    return {name: whole(value) for name, value in kept.items() if name.rstrip("_") not in ECHOED}


def whole(value):
    """Every number of it, to be compared: a text leaves out the middle of a long array."""
    if isinstance(value, (np.ndarray, float)):
        return np.shape(value), np.asarray(value).tobytes()
    if dataclasses.is_dataclass(value):
        return [whole(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return [whole(one) for one in value] if isinstance(value, (list, tuple)) else repr(value)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES])
@pytest.mark.turning(3, of=["dpfair_teach"])
def test_an_option_changes_what_comes_out_or_is_refused(name):
    """Of every variant, and for every option; each option is read by some variant."""
    case, read = CASES[name], set()
    required = {p.name for p in inspect.signature(case.play).parameters.values() if p.default is p.empty}
    tried = {key for how in case.variants for key in how} | set(case.others)
    assert set(inspect.signature(case.play).parameters) - required - NOT_TRIED <= tried
    for how in case.variants:
        if how.get("rounds") == 1 and how.get("cell_sizes", "noisy") != "noisy":
            with pytest.raises(ValueError, match=r"^cell_sizes='\w+': is read by a play of more rounds, and not by a play of rounds=1"):
                case.call(**needed(how))
            continue
        plain = published(case.call(**needed(how)))
        for option, value in case.others.items():
            if option in how:
                continue
            if option == "against" and how.get("method") == "as_printed":       # where the anchor is what is meant without a word
                value = "pairs"
            try:
                assert published(case.call(**needed(how) | {option: value})) != plain, (how, option)
                read.add(option)
            except ValueError as refused:
                unread = (rf"{option}=.*: is read by .*, and not by .*\. Leave {option} out"
                          r"|notion, against=.*Algorithm 1 as printed is about equalized odds")
                assert re.match(unread, str(refused)), (how, option, str(refused))
    assert read == set(case.others)


def test_every_estimator_is_tried():
    missing = {type(case.make()).__name__ for case in ESTIMATORS.values()} - set(CASES)
    assert not missing, f"{missing}: its variants and options stand in CASES"


def test_what_is_read_is_played():
    """One round with X private is one choice, whose epsilon' an accountant finds; sizes, N and steps are of what is measured after it."""
    once = dict(rounds=1, protect="X and A")
    play = CASES["dp_oracle_learner"].call(**once)
    assert play.epsilon_step == pytest.approx(games.largest_step(1.0, 1e-6, 1, 0), rel=.01)
    assert [r.times for r in play.releases_] == [1]
    for cell_sizes in CELL_SIZES[1:]:
        setting = games.Setting.of(GAME, 1.0, 1e-6, 2.0, rounds=1, smallest_cell=20)
        with pytest.raises(ValueError, match=rf"^cell_sizes='{cell_sizes}': is read by a play of more rounds, and not by a play of"):
            games.algorithm_5(GAME, setting, np.random.default_rng(1), cell_sizes)
