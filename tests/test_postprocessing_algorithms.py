"""The algorithms on one screen: the estimator's numbers at the same seed, the batched ones, and no word about what the noise was."""
from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from dpfair_teach import fairness
from dpfair_teach.data import base_classifier, load, make_logistic
from dpfair_teach.experiments.tradeoff import METHODS, postprocessing_draws
from dpfair_teach.postprocessing import (
    DPPostProcessing,
    closed_form,
    derived_counts,
    dp_postprocessing,
    noisy_counts,
    paper_slack,
    public_margin_counts,
    public_margin_postprocessing,
    score_bin_postprocessing,
    score_bins,
    solve,
    solve_lp,
)
from faults import Mutant, calling

TEN = load("ten_people")
COMMUNITIES = load("communities")
PEOPLE = {2: COMMUNITIES, 3: make_logistic(900, n_groups=3, d=2, rng=np.random.default_rng(3))}
BASES = {k: base_classifier(people) for k, people in PEOPLE.items()}
COUNTS = {k: fairness.cell_counts(BASES[k].predict(people.X), people.A, people.Y, n_groups=k) for k, people in PEOPLE.items()}
SCORES = {k: BASES[k].predict_proba(people.X)[:, 1] for k, people in PEOPLE.items()}

VALID_CALLS = {
    "postprocessing.dp_postprocessing": lambda: dict(counts=COUNTS[2], epsilon=1.0, gamma=0.1, beta=0.05, rng=np.random.default_rng(1)),
    "postprocessing.public_margin_postprocessing": lambda: dict(counts=COUNTS[2], epsilon=1.0, gamma=0.1, rng=np.random.default_rng(1)),
    "postprocessing.score_bin_postprocessing": lambda: dict(
        score=TEN.X[:, 0], A=TEN.A, Y=TEN.Y, n_groups=2, n_bins=3, epsilon=1.0, gamma=0.1, rng=np.random.default_rng(1)),
    "postprocessing.solve": lambda: dict(q=COUNTS[2] / 1994, gamma=0.1, slack=0.0, notion="equalized_odds"),
}


def counted(people, A):
    return fairness.cell_counts((people.X[:, 0] > 0).astype(int), A, people.Y, n_groups=2)


PRIVATE_FITS = {
    "postprocessing.dp_postprocessing": lambda people, A, rng: astuple(dp_postprocessing(counted(people, A), 1.0, 0.05, 0.05, rng)),
    "postprocessing.public_margin_postprocessing": lambda people, A, rng: astuple(
        public_margin_postprocessing(counted(people, A), 1.0, 0.05, rng)),
    "postprocessing.score_bin_postprocessing": lambda people, A, rng: score_bin_postprocessing(
        people.X[:, 0], A, people.Y, 2, 4, 1.0, 0.05, rng),
}


def fitted(k, seed, **settings):
    settings = dict(dict(base=BASES[k], epsilon=0.5, gamma=0.02, n_groups=k, against="anchor"), **settings)
    return DPPostProcessing(**settings).fit(PEOPLE[k].X, PEOPLE[k].Y, sensitive_features=PEOPLE[k].A, rng=np.random.default_rng(seed))


def same(p, model):
    """Bit for bit."""
    assert p.tobytes() == model.p_.tobytes() and p.shape == model.p_.shape


@pytest.mark.parametrize("k", (2, 3))
@pytest.mark.parametrize("epsilon", (0.004, 0.5, 5.0))      # at 0.004 noisy cells are below 0
def test_algorithm_1_is_the_estimators_at_the_same_seed(k, epsilon):
    below = 0
    for seed in range(6):
        model = fitted(k, seed, method="as_printed", epsilon=epsilon, beta=0.1)
        same(dp_postprocessing(COUNTS[k], epsilon, 0.02, 0.1, np.random.default_rng(seed)).p, model)
        below += (model.q_tilde_.sum(axis=0) <= 0).any()
    assert below or epsilon > 0.004


@pytest.mark.parametrize("k", (2, 3))
def test_public_margins_are_the_estimators_at_the_same_seed(k):
    for seed in range(4):
        for gamma in (0.0, 0.05):
            model = fitted(k, seed, gamma=gamma)
            same(public_margin_postprocessing(COUNTS[k], 0.5, gamma, np.random.default_rng(seed)).p, model)


@pytest.mark.parametrize("k", (2, 3))
def test_score_bins_are_the_estimators_at_the_same_seed(k):
    for seed, n_bins in ((0, 3), (1, 5)):
        model = fitted(k, seed, method="score_bins", n_bins=n_bins)
        cuts, best = score_bin_postprocessing(SCORES[k], PEOPLE[k].A, PEOPLE[k].Y, k, n_bins, 0.5, 0.02, np.random.default_rng(seed))
        same(best.p, model)
        assert cuts.tobytes() == model.cuts_.tobytes()


@pytest.mark.parametrize("k", (2, 3))
def test_the_batch_layer_has_the_same_numbers(k, monkeypatch):
    """``postprocessing_draws`` releases and solves many at once: error and violation of the first release."""
    binned = fairness.cell_counts(score_bins(SCORES[k], [0.3, 0.6]), PEOPLE[k].A, PEOPLE[k].Y, n_groups=k, n_bins=3)
    for method, counts, algorithm in (
            ("as_printed", COUNTS[k], lambda counts, rng: dp_postprocessing(counts, 0.5, 0.05, 0.05, rng)),
            ("public_margins", COUNTS[k], lambda counts, rng: public_margin_postprocessing(counts, 0.5, 0.05, rng)),
            ("score_bins", binned, lambda counts, rng: public_margin_postprocessing(counts, 0.5, 0.05, rng))):
        monkeypatch.setitem(METHODS[method], "noise", None)         # the stored tables draw the same law in another way
        draws = postprocessing_draws(counts, method, 0.5, [0.05], 1, np.random.default_rng(8))
        reached = derived_counts(counts, algorithm(counts, np.random.default_rng(8)).p)
        assert (draws.error[0, 0], draws.violation[0, 0]) == pytest.approx(
            (fairness.error(reached), fairness.violation(reached, against="anchor")), abs=1e-9), method


def test_algorithm_1_solves_the_program_of_the_noisy_table_with_its_slack():
    """Against its parts, with the plain solver: the least error that its own table allows, and gaps within gamma and the slack."""
    best = dp_postprocessing(COUNTS[2], 3.0, 0.02, 0.1, np.random.default_rng(5))
    q = noisy_counts(COUNTS[2], 3.0, np.random.default_rng(5)) / COMMUNITIES.m
    plain = solve_lp(q, 0.02, paper_slack(q, COMMUNITIES.m, 3.0, 0.1))
    assert best.value == pytest.approx(plain.value, abs=1e-9) and best.value < solve_lp(q, 0.02).value - 0.001
    margins = public_margin_postprocessing(COUNTS[2], 3.0, 0.02, np.random.default_rng(5))
    q = public_margin_counts(COUNTS[2], 3.0, np.random.default_rng(5)) / COMMUNITIES.m
    assert margins.value == pytest.approx(solve_lp(q, 0.02).value, abs=1e-9)


def test_no_noise_makes_them_refuse():
    """Few people, noise up to a billion times as large: 600 draws, and each has its answer."""
    rng, ten = np.random.default_rng(6), fairness.cell_counts((TEN.X[:, 0] > 0.5).astype(int), TEN.A, TEN.Y, n_groups=2)
    for counts in (ten, np.eye(2)[:, :, None] * [1, 0], [[[0, 0]] * 3, [[1, 1]] * 3]):
        for epsilon in (1e-9, 1e-3, 0.1, 2.0):
            for _ in range(25):
                for best in (dp_postprocessing(counts, epsilon, 0.0, 0.05, rng), public_margin_postprocessing(counts, epsilon, 0.0, rng)):
                    assert ((best.p >= 0) & (best.p <= 1)).all()


def test_a_table_of_nobody_is_refused_before_the_noise():
    nobody, rng = np.zeros((2, 2, 2)), np.random.default_rng(0)
    before = rng.bit_generator.state
    for algorithm in (lambda: dp_postprocessing(nobody, 1.0, 0.0, 0.05, rng), lambda: public_margin_postprocessing(nobody, 1.0, 0.0, rng),
                      lambda: noisy_counts(nobody, 1.0, rng), lambda: public_margin_counts(nobody, 1.0, rng)):
        with pytest.raises(ValueError, match=r"^counts=0: .*nobody"):
            algorithm()
    assert rng.bit_generator.state == before


def test_solve_takes_the_closed_form_where_there_is_one():
    rng = np.random.default_rng(7)
    for k, gamma, notion, closed in (
            (2, 0.1, "equalized_odds", True), (2, 0.1, "demographic_parity", True), (3, 0.0, "equalized_odds", True),
            (3, 0.1, "equalized_odds", False), (3, 0.0, "true_positive", False)):
        for against in ("anchor", "pairs"):
            q = rng.dirichlet(np.ones(4 * k)).reshape(2, k, 2)
            best = solve(q, gamma, notion=fairness.Parity(notion, against))
            other = (closed_form if closed else solve_lp)(q, gamma, notion=fairness.Parity(notion, against))
            assert best.p.tobytes() == other.p.tobytes()
            assert best.value == pytest.approx(solve_lp(q, gamma, notion=fairness.Parity(notion, against)).value, abs=1e-9)
    three = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    assert solve(three, 0.0, 0.1).value == pytest.approx(solve_lp(three, 0.1).value, abs=1e-9)


FAULTS = {
    "algorithm_1_without_slack": Mutant("dpfair_teach.postprocessing.dp_postprocessing", calling("paper_slack", lambda f: (
        lambda q, *args, **kw: np.zeros(q.shape[1:]))), "the program of the box has no slack"),
}
