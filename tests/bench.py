"""How fast, beside what there is: one run, interleaved repeats, medians. ``python tests/bench.py`` (``make bench``).

A ratio is the median over the rounds of rival / ours in the same round, so that a machine that is busy for a while slows both sides.
Every rival gets its warm-up and the same data; error and violation of ours are asserted to be equal or better. Where the rival is a number
of seconds, ours are processor seconds: those of a clock would be the other programs' too. Exits with 1 if a ratio falls short.
``--csv FILE`` also writes the table; ``--only exact_noise`` measures one group of rows (any of ``GROUPS``).
"""
from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import bench_networks
from dpfair_teach import fairness, games
from dpfair_teach.data import base_classifier, load
from dpfair_teach.experiments import GAMMAS_PROTOCOL, best_mixtures, pareto_quality, regression_reference
from dpfair_teach.functional import FunctionalClassifier
from dpfair_teach.oneshot import FrontierLearner
from dpfair_teach.oracles import RegressionOracle
from dpfair_teach.postprocessing import (
    closed_form,
    k_norm_counts,
    noisy_counts,
    optimal_cuts,
    paper_slack,
    public_margin_counts,
    score_bins,
    solve_lp,
)
from dpfair_teach.postprocessing.lp import acceptance_probability

EPSILONS = (0.1, 0.25, 0.5, 1, 2, 5)
GAMMAS = np.array(GAMMAS_PROTOCOL)
REPEATS = 100
SAMPLE = 150


class Copy(ClassifierMixin, BaseEstimator):
    """A fitted base whose one feature is its own 0/1 prediction, so that nobody's time is spent on predicting."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 0]


def interleaved(repeats: int, clock: Callable[[], float] = time.perf_counter, **contestants: Callable[[], object]) -> dict[str, np.ndarray]:
    """Seconds of each in every round, taking turns; one warm-up round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for round_ in range(repeats + 1):
        for name, run in contestants.items():
            start = clock()
            run()
            if round_:
                times[name].append(clock() - start)
    return {name: np.array(taken) for name, taken in times.items()}


def people(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions, groups, labels of m drawn people in two groups."""
    rng = np.random.default_rng(0)
    A = rng.integers(0, 2, m)
    Y = (rng.random(m) < 0.3 + 0.2 * A).astype(int)
    return (rng.random(m) < np.where(Y == 1, 0.75 - 0.15 * A, 0.15 + 0.1 * A)).astype(int), A, Y


def fit_against_fairlearn(m: int, repeats: int) -> list[dict]:
    prediction, A, Y = people(m)
    X = prediction[:, None]

    def theirs():
        return ThresholdOptimizer(estimator=Copy(), constraints="equalized_odds", objective="accuracy_score", prefit=True,
                                  predict_method="predict").fit(X, Y, sensitive_features=A)

    def ours():
        return closed_form(fairness.cell_counts(prediction, A, Y) / m, 0.0)

    def program():
        return solve_lp(fairness.cell_counts(prediction, A, Y) / m, 0.0)

    reached = fairness.cell_counts(theirs()._pmf_predict(X, sensitive_features=A)[:, 1], A, Y)
    for answer in (ours(), program()):
        mine = fairness.cell_counts(acceptance_probability(answer.p, prediction, A), A, Y)
        assert fairness.error(mine) <= fairness.error(reached) + 1e-9, "fairlearn has the smaller error"
        assert fairness.violation(mine) <= max(fairness.violation(reached), 1e-7), "fairlearn has the smaller violation"
    seconds = interleaved(repeats, theirs=theirs, ours=ours, program=program)
    what = f"fit, m = {m:,}"
    return [dict(what=what, rival="fairlearn ThresholdOptimizer.fit", ours="cell_counts + closed_form", rival_s=seconds["theirs"],
                 ours_s=seconds["ours"], wanted=30 if m <= 2000 else 50),
            dict(what=what, rival="fairlearn ThresholdOptimizer.fit", ours="cell_counts + solve_lp", rival_s=seconds["theirs"],
                 ours_s=seconds["program"], wanted=6)]


def predict_against_fairlearn(m: int, repeats: int) -> list[dict]:
    prediction, A, Y = people(m)
    X = prediction[:, None]
    model = ThresholdOptimizer(estimator=Copy(), constraints="equalized_odds", objective="accuracy_score", prefit=True,
                               predict_method="predict").fit(X, Y, sensitive_features=A)
    p = closed_form(fairness.cell_counts(prediction, A, Y) / m, 0.0).p

    def draw():
        return np.random.default_rng(0).random(m) < acceptance_probability(p, prediction, A)

    seconds = interleaved(repeats, chances=lambda: model._pmf_predict(X, sensitive_features=A),
                          ours=lambda: acceptance_probability(p, prediction, A),
                          decisions=lambda: model.predict(X, sensitive_features=A, random_state=0), draw=draw)
    return [dict(what=f"P(say 1), m = {m:,}", rival="fairlearn _pmf_predict", ours="acceptance_probability", rival_s=seconds["chances"],
                 ours_s=seconds["ours"], wanted=10),
            dict(what=f"drawn decisions, m = {m:,}", rival="fairlearn predict", ours="acceptance_probability + draw",
                 rival_s=seconds["decisions"], ours_s=seconds["draw"], wanted=None)]


def noisy_programs(repeats: int) -> list[dict]:
    """6 epsilons x 25 gammas x 100 tables. linprog is timed on every 100th program (all inputs ready); times 100, that is an estimate."""
    data = load("communities")
    counts = fairness.cell_counts(base_classifier(data).predict(data.X), data.A, data.Y)
    rng = np.random.default_rng(0)
    tables = np.stack([np.maximum(noisy_counts(counts, epsilon, rng, size=REPEATS), 0.5) / data.m for epsilon in EPSILONS])
    slack = np.stack([paper_slack(table, data.m, epsilon, 0.05) for table, epsilon in zip(tables, EPSILONS, strict=True)])
    q, slack = tables[:, :, None], slack[:, :, None]
    each_q = np.broadcast_to(q, (len(EPSILONS), REPEATS, len(GAMMAS), 2, 2, 2)).reshape(-1, 2, 2, 2)
    each_gamma = np.broadcast_to(GAMMAS, (len(EPSILONS), REPEATS, len(GAMMAS))).ravel()
    programs = len(each_q)
    step = programs // SAMPLE + 1                                   # 101: no common factor with the grid, so every gamma occurs
    chosen = range(0, programs, step)

    prepared = []
    for n in chosen:
        share = each_q[n] / each_q[n].sum(axis=0)
        rows = np.stack([np.stack([-share[:, 0, y], share[:, 1, y]], axis=1).ravel() for y in (0, 1)])
        prepared.append(((each_q[n][..., 0] - each_q[n][..., 1]).ravel(), np.vstack([rows, -rows]), np.full(4, each_gamma[n])))

    def one_by_one():
        return [linprog(cost, A_ub=rows, b_ub=limits, bounds=(0, 1), method="highs").fun for cost, rows, limits in prepared]

    found = closed_form(q, GAMMAS)
    assert found.p.shape[:3] == (len(EPSILONS), REPEATS, len(GAMMAS))
    values = found.value.ravel()[list(chosen)] - each_q[list(chosen)][..., 1].sum(axis=(1, 2))
    assert np.abs(values - one_by_one()).max() < 1e-7, "the closed form is not the program's optimum"
    seconds = interleaved(repeats, sample=one_by_one, broadcast=lambda: closed_form(q, GAMMAS), slack=lambda: closed_form(q, GAMMAS, slack),
                          separate=lambda: closed_form(each_q, each_gamma))
    rival_s = seconds["sample"] / len(prepared) * programs
    rival = f"linprog, one call each ({len(prepared)} timed)"
    return [dict(what=f"{programs:,} noisy programs", rival=rival, ours=ours, rival_s=rival_s, ours_s=seconds[key], wanted=200)
            for key, ours in [("broadcast", "closed_form(q[:, None], gammas)"), ("slack", "the same with slack"),
                              ("separate", f"closed_form on {programs:,} tables")]]


def binned_programs(repeats: int) -> list[dict]:
    """6 epsilons x 25 gammas x 300 tables of six score bins, public margins. linprog is timed on every 500th or so, as above."""
    data = load("communities")
    score = base_classifier(data).predict_proba(data.X)[:, 1]
    counts = fairness.cell_counts(score_bins(score, optimal_cuts(score, data.Y, 6)), data.A, data.Y, n_bins=6)
    rng = np.random.default_rng(0)
    q = np.stack([public_margin_counts(counts, epsilon, rng, size=300) / data.m for epsilon in EPSILONS])[:, :, None]
    q = np.maximum(q, 1e-4)                                         # at epsilon 0.1 a cell may hold nobody
    found = closed_form(q, GAMMAS)
    programs = found.value.size
    prepared = []
    for n in range(0, programs, programs // (SAMPLE // 2) + 1):
        table, gamma = q.reshape(-1, 6, 2, 2)[n // len(GAMMAS)], GAMMAS[n % len(GAMMAS)]
        share = table / table.sum(axis=0)
        rows = np.stack([np.stack([-share[:, 0, y], share[:, 1, y]], axis=1).ravel() for y in (0, 1)])
        program = (table[..., 0] - table[..., 1]).ravel(), np.vstack([rows, -rows]), np.full(4, gamma)
        prepared.append((program, found.value.ravel()[n] - table[..., 1].sum()))

    def one_by_one():
        return [linprog(cost, A_ub=rows, b_ub=limits, bounds=(0, 1), method="highs").fun for (cost, rows, limits), _ in prepared]

    assert np.abs(np.array(one_by_one()) - [value for _, value in prepared]).max() < 1e-7, "the closed form is not the program's optimum"
    seconds = interleaved(repeats, sample=one_by_one, ours=lambda: closed_form(q, GAMMAS))
    return [dict(what=f"{programs:,} programs of 6 bins", rival=f"linprog, one call each ({len(prepared)} timed)",
                 ours="closed_form(q[:, None], gammas)", rival_s=seconds["sample"] / len(prepared) * programs, ours_s=seconds["ours"],
                 wanted=50)]


class LeastSquares(ClassifierMixin, BaseEstimator):
    """The regression oracle as an estimator: fairlearn hands the sign of C^0 - C^1 as the label and its size as the weight."""

    def fit(self, X, y, sample_weight):
        design = np.column_stack([np.ones(len(X)), X])
        self.coef_ = np.linalg.solve(design.T @ design, design.T @ (np.asarray(sample_weight) * (2 * np.asarray(y) - 1)))
        return self

    def predict(self, X):
        return (self.coef_[0] + np.asarray(X) @ self.coef_[1:] > 0).astype(int)


def learners(m: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten features, k groups, labels that go with both, of m drawn people."""
    rng = np.random.default_rng(0)
    A, X = rng.integers(0, k, m), rng.normal(size=(m, 10))
    X[:, 0] += 0.5 * A / (k - 1)
    return X, A, (X @ np.linspace(1, 0.1, 10) + 0.7 * A / (k - 1) + rng.normal(size=m) > 0.8).astype(int)


def gradient_against_fairlearn(m: int, k: int, repeats: int) -> list[dict]:
    """fairlearn compares with the overall rate, ours with group 0: ours is asked to be as fair to group 0 as fairlearn came out."""
    X, A, Y = learners(m, k)

    def theirs():
        return ExponentiatedGradient(LeastSquares(), constraints=EqualizedOdds(difference_bound=0.02)).fit(X, Y, sensitive_features=A)

    reached = fairness.cell_counts(theirs()._pmf_predict(X)[:, 1], A, Y)
    gamma, rounds = float(fairness.violation(reached, against="anchor")), 30

    def ours():
        play = games.regression_exponentiated_gradient(RegressionOracle(X, Y), A, gamma, 1.0, rounds=rounds,
                                                       eta=4 * games.auditor.hedge_rate(4 * (k - 1), rounds))
        return play, play.game.fair_erm()

    play, best = ours()
    mine = fairness.cell_counts(play.acceptance_probability(X, best.Q), A, Y)
    assert fairness.error(mine) <= fairness.error(reached) + 1e-6, "fairlearn has the smaller error"
    assert fairness.violation(mine, against="anchor") <= gamma + 1e-6, "fairlearn has the smaller violation"
    with threadpool_limits(1):                                # for both: threads that wait for each other on a busy machine tell nothing
        seconds = interleaved(repeats, theirs=theirs, ours=ours)
    return [dict(what=f"in-processing, m = {m:,}, {k} groups ({repeats} repeats)", rival="fairlearn ExponentiatedGradient, least squares",
                 ours="RegressionOracle, 30 rounds, LP", rival_s=seconds["theirs"], ours_s=seconds["ours"], wanted=20)]


def sixteen_gammas(repeats: int) -> list[dict]:
    """Communities, 200 rounds for each of 16 tolerances, everything included; the rival is a tenth of a second."""
    data, gammas = load("communities", features="unprotected"), np.linspace(0, 0.3, 16)

    def ours():
        play = games.regression_exponentiated_gradient(RegressionOracle(data.X, data.Y), data.A, gammas, rounds=200)
        return play, best_mixtures(play.game.errors, play.game.gaps, gammas)

    play, best = ours()
    reference = regression_reference(data.X, data.A, data.Y)
    assert pareto_quality(np.column_stack([play.violation, play.error]), *reference) >= 0.90
    assert pareto_quality(np.column_stack([np.abs(best.weights @ play.game.gaps).max(axis=1), best.values]), *reference) >= 0.95
    with threadpool_limits(1):
        seconds = interleaved(repeats, time.process_time, ours=ours)["ours"]
    return [dict(what="Communities, 16 gammas x 200 rounds", rival="a tenth of a second", ours="RegressionOracle, rounds, mixtures",
                 rival_s=np.full_like(seconds, 0.1), ours_s=seconds, wanted=1)]


def asking_once(repeats: int) -> list[dict]:
    """200,000 people with 20 features, from the first question to 25 tolerances and everybody's decision, beside ten seconds; and
    Communities beside six tenths of one."""
    rng, m = np.random.default_rng(0), 200_000
    A, X = rng.integers(0, 2, m), rng.normal(size=(m, 20))
    Y = (X @ np.linspace(1, 0.1, 20) + 0.7 * A + rng.normal(size=m) > 0.8).astype(int)
    communities = load("communities", features="unprotected")
    many, few = (X, Y, A), (communities.X, communities.Y, communities.A)

    def of(X, Y, A):
        return lambda: FrontierLearner(1.0, 0.05).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1)).predict_proba(X)

    with threadpool_limits(1):
        seconds = interleaved(repeats, time.process_time, well=of(*many))["well"]
        small = interleaved(7, time.process_time, well=of(*few))["well"]
    ours = "FrontierLearner.fit, predict_proba"
    return [dict(what=f"asking well, m = {m:,}", rival="ten seconds", ours=ours, rival_s=np.full(repeats, 10.0), ours_s=seconds, wanted=1),
            dict(what="asking well, Communities", rival="0.6 seconds", ours=ours, rival_s=np.full(7, 0.6), ours_s=small, wanted=1)]


#: Adult's numbers by public ranges; all else is 0 or 1.
ADULT_RANGES = {"age": (17, 90), "education-num": (1, 16), "capital-gain": (0, 99999), "capital-loss": (0, 9999), "hours-per-week": (0, 99)}


def moments_at_once(repeats: int) -> list[dict]:
    """One release of second moments: a fit on Adult, categories as 0/1 columns, beside 50 ms and a logistic regression without privacy; and
    300,000 people beside four times as long as 75,000 of them."""
    adult = load("adult")
    low, high = np.array([ADULT_RANGES.get(name, (0, 1)) for name in adult.feature_names], dtype=float).T
    X, bound = (adult.X - low) / (high - low), len({name.split("=")[0] for name in adult.feature_names})**0.5

    def ours(X=X, Y=adult.Y, A=adult.A, bound=bound, delta=1e-6):
        return FunctionalClassifier(1.0, 0.05, delta, bound=bound).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(1))

    def theirs():
        return LogisticRegression(max_iter=1000).fit(X, adult.Y)

    assert ours().score(X, adult.Y, gamma=10.0) > theirs().score(X, adult.Y) - 0.03
    rng = np.random.default_rng(0)
    many = rng.normal(size=(300_000, 20))
    Y, A = (many[:, 0] > 0.5).astype(int), rng.integers(0, 2, len(many))

    def of(m):
        return lambda: FunctionalClassifier(1.0, 0.05, 1e-7, bound=8.0, shorten=True).fit(
            many[:m], Y[:m], sensitive_features=A[:m], rng=np.random.default_rng(1))

    with threadpool_limits(1):
        seconds = interleaved(repeats, time.process_time, ours=ours, theirs=theirs, some=of(75_000), all=of(300_000))
    what = f"moments at once, Adult, {X.shape[0]:,} x {X.shape[1]}"
    return [dict(what=what, rival="50 ms", ours="FunctionalClassifier.fit", rival_s=np.full(repeats, 0.05), ours_s=seconds["ours"],
                 wanted=1),
            dict(what=what, rival="LogisticRegression.fit, not private", ours="FunctionalClassifier.fit", rival_s=seconds["theirs"],
                 ours_s=seconds["ours"], wanted=5),
            dict(what="moments at once, m = 300,000, 20 features", rival="four times 75,000 people", ours="FunctionalClassifier.fit",
                 rival_s=4 * seconds["some"], ours_s=seconds["all"], wanted=0.8)]


def both_panels(repeats: int) -> list[dict]:
    """The command from a cold start: processor seconds of it and its two workers, beside a minute."""
    seconds = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-m", "book.studies", "both_panels", "--jobs", "2", "--quiet", "--out", folder],
                           check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [dict(what="both panels, 100 repeats, two workers", rival="a minute", ours="python -m book.studies both_panels",
                 rival_s=np.full(repeats, 60.0), ours_s=np.array(seconds), wanted=1)]


def exact_noise(repeats: int) -> list[dict]:
    """Noise without floating point for four public cells, by the number of groups and epsilon, beside a second."""
    rows = []
    for k in (2, 3, 10, 50, 200, 1000):
        counts = np.full((2, k, 2), 10)
        for epsilon in (0.1, 1.0, 5.0, 20.0):
            rng = np.random.default_rng(0)
            seconds = interleaved(repeats, time.process_time, ours=lambda counts=counts, epsilon=epsilon, rng=rng: k_norm_counts(
                counts, epsilon, rng, exact=True))["ours"]
            rows.append(dict(what=f"exact noise, {k:,} groups, epsilon {epsilon:g}", rival="a second", ours="k_norm_counts(exact=True)",
                             rival_s=np.ones(repeats), ours_s=seconds, wanted=1))
    return rows


def in_processing() -> list[dict]:
    return [row for m in (2000, 20_000, 200_000) for k in (2, 4) for row in gradient_against_fairlearn(m, k, 7)]


#: Groups of rows, given the number of repeats.
GROUPS = {
    "fit": lambda repeats: fit_against_fairlearn(2000, 5 * repeats) + fit_against_fairlearn(200_000, repeats),
    "predict": lambda repeats: predict_against_fairlearn(200_000, repeats),
    "noisy_programs": noisy_programs,
    "binned_programs": binned_programs,
    "exact_noise": lambda repeats: exact_noise(3),
    "sixteen_gammas": sixteen_gammas,
    "asking_once": lambda repeats: asking_once(2),
    "moments_at_once": moments_at_once,
    "both_panels": lambda repeats: both_panels(1),
    "in_processing": lambda repeats: in_processing(),
    "networks": lambda repeats: bench_networks.against_the_loop(interleaved, repeats) + bench_networks.epochs_of_adult(interleaved, 7),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15, help="interleaved repeats, at least 7")
    parser.add_argument("--csv", help="also write the table there")
    parser.add_argument("--only", choices=GROUPS, help="one group of rows")
    options = parser.parse_args()
    if options.repeats < 7:
        parser.error("--repeats must be at least 7")
    rows = [row for name, group in GROUPS.items() if options.only in (None, name) for row in group(options.repeats)]
    for row in rows:
        rival_s, ours_s = row.pop("rival_s"), row.pop("ours_s")
        row |= {"rival_ms": 1e3 * np.median(rival_s), "ours_ms": 1e3 * np.median(ours_s), "ratio": np.median(rival_s / ours_s)}
    shown = pd.DataFrame(rows)[["what", "rival", "ours", "rival_ms", "ours_ms", "ratio", "wanted"]]
    print(shown.to_string(index=False, float_format=lambda x: f"{x:,.3g}", na_rep="-"))
    if options.csv:
        shown.to_csv(options.csv, index=False)
    short = shown[shown["ratio"] < shown["wanted"]]
    print("every ratio is reached" if short.empty else f"{len(short)} ratio(s) fall short: {', '.join(short['what'])}")
    return 0 if short.empty else 1


if __name__ == "__main__":
    sys.exit(main())
