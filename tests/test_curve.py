"""What the curves of learners say: estimates from the release, and intervals in which the truth lies as often as they claim."""
from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpfair_teach import data, fairness
from dpfair_teach._classifier import FrontierClassifier
from dpfair_teach._curve import GAMMAS, band, violation_of
from dpfair_teach.experiments import select_row
from dpfair_teach.fairness import Parity
from dpfair_teach.oneshot import FrontierLearner
from dpfair_teach.oneshot.posterior_frontier import MORE_APART
from dpfair_teach.postprocessing import DPPostProcessing, curve, derived_counts
from test_estimators import CASES, A, X, Y

COLUMNS = ["gamma", "error", "error_low", "error_high", "violation", "violation_low", "violation_high", "claimed"]
VALID_CALLS = {"experiments.select_row": lambda: dict(
    curve=pd.DataFrame({"gamma": [0.0, .1], "error": [.3, .2], "violation_high": [.05, .1]}), violation=.2)}
SOME = (0.0, .02, .05, .1, .2)
WITH_A_CURVE = [name for name, case in CASES.items() if issubclass(type(case.make()), FrontierClassifier)]


@pytest.fixture(params=WITH_A_CURVE, scope="module")
def case(request):
    return CASES[request.param]


# ------------------------------------------------------------------------------------------------ the table
def test_a_curve_is_a_table_of_what_was_released(case):
    model = case.fitted(gamma=.033)
    before = pickle.dumps(model)
    table = model.curve()
    assert table.columns.tolist() == COLUMNS and table.gamma.tolist() == sorted({*GAMMAS, .033})
    for name in ("error", "violation"):
        assert (table[f"{name}_low"] <= table[name] + 1e-12).all() and (table[name] <= table[f"{name}_high"] + 1e-12).all()
    assert (table.violation_low <= table.claimed).all() and (table.claimed <= table.violation_high).all()
    assert table.equals(model.curve()) and table.equals(pickle.loads(before).curve())       # nothing but the published object is read
    other = model.curve(rng=np.random.default_rng(5))
    assert np.abs(other.violation - table.violation).max() < .02
    wide, narrow = model.curve(SOME, confidence=.999), model.curve(SOME, confidence=.5)
    assert (wide.violation_high >= narrow.violation_high).all() and (wide.violation_high > narrow.violation_high).any()
    alike = pickle.dumps(model) == before
    assert alike, "asking for a curve leaves something on the model"


def test_the_claims_of_a_curve_keep_their_gamma(case):
    """But where a slack is added to it, or the constraint was lifted."""
    model = case.fitted()
    table = model.curve(SOME)
    slack = np.nanmax(getattr(model, "slack_", np.zeros(1)))
    fairest = table.claimed[0] if isinstance(model, FrontierLearner) else 0.0    # which at 0 has some
    assert (table.claimed <= np.maximum(table.gamma, fairest) + 2 * slack + 1e-6).all()
    assert table.claimed.is_monotonic_increasing and table.error.is_monotonic_decreasing


@pytest.mark.parametrize("wrong, message", [
    (dict(gammas=[-.1]), r"gammas=-0\.1: outside"), (dict(gammas=[]), "gammas=.*: is empty"), (dict(gammas=.1), "gammas=0.1: has 0 axes"),
    (dict(confidence=1.0), "confidence=1.0: outside"), (dict(confidence="95%"), "confidence='95%': not a real number"),
    (dict(rng=0), "rng=0: not a numpy.random.Generator")])
def test_what_is_no_question_to_a_curve(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        CASES[WITH_A_CURVE[0]].fitted().curve(**wrong)


# ------------------------------------------------------------------------------------------------ the truth lies in it
def people_of_many(k: int, m: int, d: int, rng: np.random.Generator) -> data.Dataset:
    while True:
        share = rng.dirichlet(np.full(k, 2.0)) + .1
        people = data.make_logistic(m, n_groups=k, d=d, shifts=rng.normal(0, .7, (k, d)), group_shares=share / share.sum(), rng=rng)
        if np.bincount(2 * people.A + people.Y, minlength=2 * k).min() > 0:
            return people


def people_of(k: int, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A score, groups that differ in it, and labels, of drawn people; in every group people of both labels."""
    people = people_of_many(k, m, 3, rng)
    return people.X @ [1, .8, .6] + rng.normal(0, .5, m), people.A, people.Y


def repaired(k: int, m: int, epsilon: float, rng: np.random.Generator, **how: object) -> list[np.ndarray]:
    """Of one population and fit: which of the gammas' true violations, and errors, lie in the curve, and how far above them it ends."""
    score, A, Y = people_of(k, m, rng)
    base = (lambda X: X[:, 0]) if how.get("method") == "score_bins" else (lambda X: (X[:, 0] > 0).astype(int))
    model = DPPostProcessing(base, epsilon, .05, n_groups=k, **how).fit(score[:, None], Y, sensitive_features=A, rng=rng)
    told = [fairness.cell_counts(model.predict_proba(score[:, None], A, gamma)[:, 1], A, Y, n_groups=k) for gamma in SOME]
    return inside(model, np.array([model.parity_.violation(table) for table in told]), np.array([fairness.error(table) for table in told]))


def asked_once(k: int, m: int, epsilon: float, rng: np.random.Generator, **how: object) -> list[np.ndarray]:
    """As :func:`repaired`."""
    people = people_of_many(k, m, 4, rng)
    model = FrontierLearner(epsilon, .05, n_groups=k, **how).fit(people.X, people.Y, sensitive_features=people.A, rng=rng)
    told = [fairness.cell_counts(model.predict_proba(people.X, gamma=gamma)[:, 1], people.A, people.Y, n_groups=k) for gamma in SOME]
    return inside(model, np.array([model._parity.violation(table) for table in told]), np.array([fairness.error(table) for table in told]))


def inside(model: FrontierClassifier, violation: np.ndarray, error: np.ndarray) -> list[np.ndarray]:
    table = model.curve(SOME)
    return [(table[f"{name}_low"] - 1e-9 <= true) & (true <= table[f"{name}_high"] + 1e-9)
            for name, true in {"violation": violation, "error": error}.items()] + [table.violation_high - violation]


REPAIRED = [dict(k=2, m=300, epsilon=.3), dict(k=2, m=2000, epsilon=.3), dict(k=2, m=2000, epsilon=1.0, method="score_bins", n_bins=12),
            dict(k=2, m=300, epsilon=.3, method="as_printed"), dict(k=3, m=400, epsilon=.5, against="pairs"),
            dict(k=3, m=2000, epsilon=1.0, method="score_bins", n_bins=4), dict(k=2, m=300, epsilon=1.0, notion="demographic_parity"),
            dict(k=3, m=2000, epsilon=1.0, method="as_printed")]


@pytest.mark.turning(7, of=["dpfair_teach/oneshot", "dpfair_teach/postprocessing", "dpfair_teach/_curve.py"])
@pytest.mark.slow
def test_true_violations_and_errors_lie_in_the_curve_of_post_processing():
    """All five gammas at once, in 95 of 100 fits: 240 fits, each on a population of its own, and 240 errors. Where they do, more than 37
    of 240 are outside with a probability below 1e-9."""
    rng, most = np.random.default_rng(0), stats.binom.isf(1e-9, 240, .05)
    found = [repaired(rng=rng, **how) for how in REPAIRED for _ in range(30)]
    for which in (0, 1):
        assert sum(not fit[which].all() for fit in found) <= most == 37
    assert np.median([fit[2] for fit in found]) < .1        # and the interval says something


ASKED = [dict(k=2, m=500, epsilon=1.0), dict(k=2, m=2000, epsilon=.3), dict(k=3, m=1000, epsilon=2.0, against="pairs"),
         dict(k=2, m=1000, epsilon=1.0, notion="demographic_parity")]


@pytest.mark.turning(7, of=["dpfair_teach/oneshot", "dpfair_teach/postprocessing", "dpfair_teach/_curve.py"])
@pytest.mark.slow
@pytest.mark.parametrize("fits", [3, pytest.param(15, marks=pytest.mark.nightly)])
def test_true_violations_lie_in_the_curve_of_the_learner_that_asks_once(fits):
    """So many of four kinds, where intervals are short. Errors are known exactly."""
    rng = np.random.default_rng(1)
    found = [asked_once(rng=rng, **how) for how in ASKED for _ in range(fits)]
    assert sum(not fit[0].all() for fit in found) <= fits // 15
    assert all(fit[1].all() for fit in found) and np.median([fit[2] for fit in found]) < .08


@pytest.mark.nightly
def test_where_x_tells_nothing_about_the_groups_the_belief_s_own_intervals_would_hold_less_often(monkeypatch):
    """In 62 of 100, and these in 91."""
    rng, held = np.random.default_rng(1), {MORE_APART: 0, 1.0: 0}
    for _ in range(100):
        x = rng.normal(size=(2000, 4))
        A = (rng.random(2000) < .4).astype(int)
        labels = (x[:, 0] + x[:, 1] + .8 * A + rng.normal(0, .7, 2000) > .5).astype(int)
        model = FrontierLearner(.5, .05).fit(x, labels, sensitive_features=A, rng=rng)
        told = [fairness.cell_counts(model.predict_proba(x, gamma=gamma)[:, 1], A, labels) for gamma in SOME]
        for apart in held:
            monkeypatch.setattr("dpfair_teach.oneshot.learner.MORE_APART", apart)
            held[apart] += bool(inside(model, np.array([model._parity.violation(table) for table in told]), np.zeros(len(SOME)))[0].all())
    assert abs(held[MORE_APART] - 91) <= 2 and abs(held[1.0] - 62) <= 3


def few_in_each_cell(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """The curve of a fit with twelve bins of six groups; its true errors, and those on the table that the program saw."""
    score, A, Y = people_of(6, 2000, rng)
    model = DPPostProcessing(lambda X: X[:, 0], .5, .05, method="score_bins", n_bins=12, n_groups=6)
    model.fit(score[:, None], Y, sensitive_features=A, rng=rng)
    true = [fairness.cell_counts(model.predict_proba(score[:, None], A, gamma)[:, 1], A, Y, n_groups=6) for gamma in SOME]
    seen = [derived_counts(model.q_tilde_, model.p_at(gamma)) for gamma in SOME]
    return model.curve(SOME), fairness.error(np.array(true)), fairness.error(np.array(seen))


@pytest.mark.slow
def test_where_many_cells_hold_few_people_each_the_error_is_not_flattered():
    """The program chose by the noisy table, and errs more on the true one, by .01 to .02 here; an interval around what it saw missed that
    in three of ten fits."""
    rng = np.random.default_rng(6)
    fits = [few_in_each_cell(rng) for _ in range(10)]
    assert .01 < np.mean([true - seen for _, true, seen in fits]) < .02
    assert np.abs(np.mean([true - table.error for table, true, _ in fits])) < .005
    assert sum(not ((table.error_low <= true) & (true <= table.error_high)).all() for table, true, _ in fits) <= 1


@pytest.mark.parametrize("how", [dict(epsilon=1e-3), dict(epsilon=2e-9)])
def test_a_curve_has_numbers_in_it_where_noise_leaves_nobody(how):
    """And at the least epsilon that its noise can have."""
    X, Y, A = np.array([[-1.0], [1.0]]), [0, 1], [0, 1]
    model = DPPostProcessing(lambda X: (X[:, 0] > 0).astype(int), gamma=.05, method="as_printed", n_groups=2, **how)
    table = model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0)).curve([0, .1])
    assert np.isfinite(table.to_numpy()).all() and table.error_low.min() >= 0 and table.error_high.max() <= 1


@pytest.mark.parametrize("how", REPAIRED)
def test_without_noise_the_curve_is_the_truth(how):
    score, A, Y = people_of(how["k"], 400, np.random.default_rng(1))
    rest = {name: value for name, value in how.items() if name not in ("k", "m", "epsilon")}
    model = DPPostProcessing(lambda X: X[:, 0] if "n_bins" in how else (X[:, 0] > 0).astype(int), 1e4, .05, n_groups=how["k"], **rest)
    model.fit(score[:, None], Y, sensitive_features=A, rng=np.random.default_rng(2))
    table = model.curve(SOME)
    for row in table.itertuples():
        true = fairness.cell_counts(model.predict_proba(score[:, None], A, row.gamma)[:, 1], A, Y, n_groups=how["k"])
        for said in (row.violation, row.violation_low, row.violation_high, row.claimed):
            assert said == pytest.approx(model.parity_.violation(true), abs=1e-3)
        assert row.error == pytest.approx(fairness.error(true), abs=1e-3)


# ------------------------------------------------------------------------------------------------ its parts
def test_a_band_holds_as_many_rows_as_it_says():
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=(3000, 1)) + rng.normal(size=(3000, 8)) * np.arange(1, 9)
    for confidence in (.5, .9, .95, .999):
        for tails in (1, 4):
            low, high = band(drawn, confidence, tails)
            inside = ((low <= drawn) & (drawn <= high)).all(axis=1).mean()
            assert confidence <= inside < confidence + .02
            below, above = (drawn < low).mean(axis=0), (drawn > high).mean(axis=0)
            assert np.ptp(below) == 0 == np.ptp(above) and (below <= above / tails + 1e-12).all()
    low, high = band(np.array([[.3, .5]]), .95)             # no doubt
    assert low.tolist() == high.tolist() == [.3, .5]


@pytest.mark.parametrize("parity", [Parity(), Parity("equalized_odds", "pairs"), Parity("false_positive", anchor=2)], ids=str)
def test_the_violation_of_rates_is_that_of_the_notion(parity):
    rates = np.random.default_rng(4).random((7, 4, len(parity.cells)))
    assert violation_of(rates, parity) == pytest.approx(parity.apart(rates))
    rates[:, 1] = np.nan
    assert violation_of(rates, parity) == pytest.approx(dataclasses.replace(
        parity, anchor=parity.anchor and 1).apart(np.delete(rates, 1, axis=1)))
    assert violation_of(np.full((4, 2), np.nan), Parity()) == 0


def test_rates_and_errors_are_those_of_the_derived_table():
    rng = np.random.default_rng(5)
    for b, k in ((2, 2), (2, 3), (6, 2)):
        tables, p = rng.integers(1, 20, (4, b, k, 2)).astype(float), rng.random((b, k))
        for parity in (Parity(), Parity("true_positive"), Parity("demographic_parity")):
            rates, errors = curve.rates_and_errors(p, tables, parity)
            derived = derived_counts(tables, p)
            assert rates == pytest.approx(parity.rates(derived)) and errors == pytest.approx(fairness.error(derived))
        assert np.isnan(curve.rates_and_errors(p, np.where(np.arange(k)[:, None] == 1, 0, tables), Parity())[0][:, 1]).all()


# ------------------------------------------------------------------------------------------------ choosing by it
def test_a_row_is_chosen_by_the_upper_end_and_the_error():
    a = CASES[WITH_A_CURVE[0]].fitted().curve()
    for bound in (.1, .2, 2.0):
        row, fine = select_row(a, bound), a[a.violation_high <= bound]
        assert row.violation_high <= bound and row.error == fine.error.min()
    both = pd.concat([a.assign(method="a"), a.assign(method="b", error=a.error - .01)])
    assert select_row(both, .2).method == "b" and select_row(both, .2).gamma == select_row(a, .2).gamma
    tie = pd.DataFrame({"gamma": [.5, .4, .3], "error": [.1, .1, .2], "violation_high": [.3, .2, .1]})
    assert select_row(tie, .5).gamma == .4
    with pytest.raises(ValueError, match=r"^violation=0\.05: no gamma promises so little: the least is 0\.1, at gamma 0\.3\. Allow that"):
        select_row(tie, .05)
    for wrong in (tie.drop(columns="error"), tie.to_numpy(), None, tie[:0], tie.assign(error="small")):
        with pytest.raises(ValueError, match=r"^curve="):
            select_row(wrong, .1)


def test_the_choice_is_the_same_whoever_is_in_which_group():
    """The whole way, from the model on, reads the release alone: with the true groups out of reach nothing changes."""
    model = pickle.loads(pickle.dumps(CASES[WITH_A_CURVE[0]].fitted(X, Y, A)))
    chosen = [float(select_row(model.curve(), .2).gamma) for _ in range(2)]
    assert chosen[0] == chosen[1] == model.set_params(gamma=chosen[0]).gamma
