"""``make mutants``: put one deliberate fault at a time into the library, and see that the test of the statement turns red.

Every row of ``book/theorems.yml`` that has a test names faults from ``MUTANTS``. First all those tests must pass on the library as it
is. Then, for each row and fault, the function is replaced while the row's test runs, in this one process; the test has to fail, and fail by
an assertion: a fault that crashes proves nothing about the test.

    python tests/mutants.py                 # all
    python tests/mutants.py slack_halved    # one
"""
from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import io
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
FAIRNESS, POST = "dpfair_teach.fairness.", "dpfair_teach.postprocessing."
MECHANISMS, AUDIT, ACCOUNTING = "dpfair_teach.mechanisms.", "dpfair_teach.audit.", "dpfair_teach.accounting."
TRADEOFF = "dpfair_teach.experiments.tradeoff."
ATTACKS = "dpfair_teach.attacks."
LUCK = "dpfair_teach.luck."
REPORTS = "dpfair_teach.reports."
GAMES, ORACLES = "dpfair_teach.games.", "dpfair_teach.oracles."
ONESHOT = "dpfair_teach.oneshot."
SEPARATION = "dpfair_teach.separation."


class Mutant(NamedTuple):
    """A fault: what is replaced, by what (given the original), in words."""

    target: str
    make: Callable[[Any], Any]
    fault: str


def scaled(factor: float) -> Callable[[Any], Any]:
    """The result times a factor."""
    return lambda f: lambda *args, **kw: factor * f(*args, **kw)


def rewritten(old: str, new: str) -> Callable[[Any], Any]:
    """The function with one place of its source replaced: for faults at a call, such as the one that draws."""
    def make(f):
        source, names = textwrap.dedent(inspect.getsource(f)), {}
        assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {f.__qualname__}"
        flags = inspect.getmodule(f).annotations.compiler_flag
        exec(compile(source.replace(old, new), f.__code__.co_filename, "exec", flags), f.__globals__, names)
        return names[f.__name__]
    return make


def changed(**fields: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Some fields of the returned record changed."""
    def make(f):
        def faulty(*args, **kw):
            record = f(*args, **kw)
            return dataclasses.replace(record, **{name: change(getattr(record, name)) for name, change in fields.items()})
        return faulty
    return make


# --- fairness

def forgets_true_positives(f):
    return lambda counts, notion="equalized_odds", **kw: f(counts, "false_positive" if notion == "equalized_odds" else notion, **kw)


def pairs_read_the_anchor(f):
    def violation(counts, notion="equalized_odds", against="anchor", **kw):
        return f(counts, notion, "anchor" if against == "pairs" else against, **kw)
    return violation


def divided_by_everybody(f):
    def rates(counts):
        counts = np.asarray(counts, float)
        people = counts.sum(axis=(-3, -1))
        return counts[..., 1, :, 0] / people, counts[..., 1, :, 1] / people
    return rates


def merge_forgets_all_but_one(f):
    def merge_groups(counts, into):
        first = [list(into).index(g) for g in range(max(into) + 1)]
        return np.asarray(counts, float)[..., first, :]
    return merge_groups


def margin_of_the_other_cell(f):
    def gap_margin(people, beta=0.05):
        people = np.asarray(people, float)
        gaps = (people.shape[0] - 1) * people.shape[1]
        margin = np.sqrt(np.log(2 * gaps / beta) / (2 * people[0])) * np.ones_like(people)
        margin[0] = 0
        return margin
    return gap_margin


def population_is_the_anchor(f):
    def violation(counts, notion="equalized_odds", against="anchor", **kw):
        return f(counts, notion, "anchor" if against == "population" else against, **kw)
    return violation


def accuracy_is_acceptance(f):
    def violation(counts, notion="equalized_odds", *args, **kw):
        return f(counts, "demographic_parity" if notion == "accuracy_parity" else notion, *args, **kw)
    return violation


# --- noise

def less_noise(f):
    """Noise of half the size around the same value."""
    return lambda value, *args, **kw: np.asarray(value, float) + (f(value, *args, **kw) - np.asarray(value, float)) / 2


def one_draw_for_all(f):
    def laplace(value, sensitivity, epsilon, rng, size=None):
        noisy = f(value, sensitivity, epsilon, rng, size)
        return np.asarray(value, float) + (noisy - np.asarray(value, float))[..., :1]
    return laplace


def real_numbers(f):
    def geometric(value, sensitivity, epsilon, rng, size=None):
        return np.asarray(value) + rng.laplace(0, sensitivity / epsilon, (() if size is None else (size,)) + np.shape(value))
    return geometric


def one_direction_only(f):
    return lambda law, law_neighbour, delta=0.0: float(np.log(np.asarray(law) / np.asarray(law_neighbour)).max())


def delta_one_direction_only(f):
    return lambda law, law_neighbour, epsilon: float(np.maximum(np.asarray(law) - np.exp(epsilon) * np.asarray(law_neighbour), 0).sum())


def unclipped(f):
    def public_margin_counts(counts, epsilon, rng, size=None, noise="laplace"):
        counts = np.asarray(counts, float)
        shape = (() if size is None else (size,)) + counts[:, 1].shape
        ones = counts[:, 1] + rng.laplace(0, 1 / epsilon, shape)
        return np.stack([counts.sum(axis=-2) - ones, ones], axis=-2)
    return public_margin_counts


def epsilon_times(factor):
    return lambda f: lambda counts, epsilon, *args, **kw: f(counts, factor * epsilon, *args, **kw)


def at_epsilon_times(factor):
    """For the functions whose third argument is epsilon."""
    return lambda f: lambda first, sensitivity, epsilon, *args, **kw: f(first, sensitivity, factor * epsilon, *args, **kw)


def steep_line_only(f):
    return lambda false_positive, epsilon, delta=0.0: np.minimum(np.exp(epsilon) * np.asarray(false_positive) + delta, 1.0)


def times_the_people(f):
    return lambda epsilon, people, delta=0.0: (people * epsilon, people * delta)


def noise_of_the_table(f):
    def noisy_counts(counts, epsilon, rng, size=None, noise="laplace"):
        return counts + np.sum(counts) / 2000 * (f(counts, epsilon, rng, size, noise) - counts)
    return noisy_counts


def a_row_is_a_person(f):
    return lambda epsilon, copies, delta=0.0: (epsilon, delta)


def the_mean_person(f):
    return lambda epsilon, copies, delta=0.0: f(epsilon, [round(np.mean(copies))], delta)


def clipped_and_scaled(f):
    def likely_counts(counts, epsilon, axis=-1):
        counts = np.asarray(counts, float)
        keep, other = (np.exp(epsilon) / (np.exp(epsilon) + counts.shape[axis] - 1), 1 / (np.exp(epsilon) + counts.shape[axis] - 1))
        total = counts.sum(axis=axis, keepdims=True)
        people = np.maximum((counts - other * total) / (keep - other), 0)
        return people / people.sum(axis=axis, keepdims=True) * total
    return likely_counts


def largest_epsilon_only(f):
    return lambda releases, delta=0.0, method="basic": max(r.epsilon for r in ([releases] if hasattr(releases, "epsilon") else releases))


def never_refuses_a_delta(f):
    return lambda releases, delta=0.0, method="basic": f(releases, 0.999999, method)


def chance_of_a_larger_loss(f):
    def exact_delta(law, law_neighbour, epsilon):
        p, q = np.asarray(law, float), np.asarray(law_neighbour, float)
        return float(max(p[p > np.exp(epsilon) * q].sum(), q[q > np.exp(epsilon) * p].sum()))
    return exact_delta


def always_answers(f):
    return lambda epsilon0, k, delta: 2 * epsilon0 * np.sqrt(2 * k * np.log(1 / delta))


def half_the_steps(f):
    return lambda epsilon, k, delta, delta_step=0.0, **kw: dataclasses.replace(
        f(epsilon, k, delta, delta_step, **kw), epsilon_step=f(epsilon, (k + 1) // 2, delta, delta_step, **kw).epsilon_step)


def one_part(f):
    return lambda releases, delta=0.0, touches=1: f(releases, delta)


def without_the_mean(f):
    return lambda epsilon0, k, delta: f(epsilon0, k, delta) - k * epsilon0 * np.tanh(epsilon0 / 2)


def first_record_only(f):
    return lambda releases, order: f(releases if dataclasses.is_dataclass(releases) else list(releases)[:1], order)


def forgets_delta0(f):
    return lambda epsilon0, k, delta, delta0=0.0: f(epsilon0, k, delta)


# --- the linear programs

def without_true_positive_rows(f):
    def solve_lp(q, gamma, slack=0.0):
        slack = np.broadcast_to(slack, (np.shape(q)[-2], 2)).copy()
        slack[:, 1] = np.inf
        return f(q, gamma, slack)
    return solve_lp


def last_group_as_anchor(f):
    def solve_lp(q, gamma, slack=0.0):
        answer = f(np.asarray(q)[:, ::-1], gamma, slack)
        return dataclasses.replace(answer, p=answer.p[:, ::-1])
    return solve_lp


def main_text_slack_instead(f):
    from dpfair_teach import postprocessing
    return postprocessing.main_text_slack


def paper_slack_instead(f):
    from dpfair_teach import postprocessing
    return postprocessing.paper_slack


def equal_people(f):
    return lambda score, Y, n_bins, criterion="area": np.unique(np.quantile(score, np.arange(1, n_bins) / n_bins, method="higher"))


def without_one_axis(f):
    """The crossings with the axis lam_FP = 0 are left out: ten for fifteen where a classifier has two predictions."""
    def two_groups(q, *args):
        module, axis = sys.modules["dpfair_teach.postprocessing.closed_form"], 2 * len(q)
        crossings = module._crossings
        first, second = crossings(len(q))
        kept = (first != axis) & (second != axis)
        module._crossings = lambda b: (first[kept], second[kept])
        try:
            return f(q, *args)
        finally:
            module._crossings = crossings
    return two_groups


def groups_exchanged(f):
    def solve(q, gamma, slack=0.0):
        answer = f(q, gamma, slack)
        return dataclasses.replace(answer, p=answer.p[..., ::-1])
    return solve


def gamma_times(factor):
    return lambda f: lambda q, gamma, slack=0.0: f(q, factor * np.asarray(gamma, float), slack)


def first_gamma_for_all(f):
    def solve_many(q, gamma, slack=0.0):
        return f(q, np.zeros_like(gamma) + np.ravel(gamma)[0], slack)
    return solve_many


def dual_without_gamma(f):
    def dual_value(q, gamma, dual, slack=0.0):
        return f(q, 0.0 * np.asarray(gamma), dual, 0.0)
    return dual_value


def chances_forget_the_group(f):
    return lambda p, prediction, A: f(p, prediction, np.zeros_like(A))


def derived_reverses_nobody(f):
    """Nobody whom the base rejected is accepted."""
    return lambda q, p: f(q, np.asarray(p) * np.array([0.0, 1.0])[:, None])


# --- experiments

def another_method(f):
    return lambda counts, method, *args, **kw: f(counts, "public_margins" if method == "as_printed" else method, *args, **kw)


# --- the estimator

def reads_the_true_counts(f):
    def fit(self, X, y, *, sensitive_features, rng):
        from dpfair_teach import fairness, postprocessing
        f(self, X, y, sensitive_features=sensitive_features, rng=rng)
        true = fairness.cell_counts(self.base.predict(X), sensitive_features, y, n_groups=self.n_groups_) / len(y)
        self.p_ = postprocessing.closed_form(true, self.gamma).p
        return self
    return fit


def refits_the_base(f):
    def fit(self, X, y, *, sensitive_features, rng):
        self.base.fit(np.column_stack([X, sensitive_features]), y)
        return f(self, X, y, sensitive_features=sensitive_features, rng=rng)
    return fit


def half_the_release(f):
    def fit(self, X, y, *, sensitive_features, rng):
        f(self, X, y, sensitive_features=sensitive_features, rng=rng)
        self.releases_ = tuple(dataclasses.replace(r, sensitivity=r.sensitivity / 2, epsilon=r.epsilon / 2) for r in self.releases_)
        return self
    return fit


# --- attribute inference

def bound_without_delta(f):
    return lambda epsilon, delta=0.0, prior=0.5: f(epsilon, 0.0, prior)


def interval_of_the_share(f):
    def advantage_interval(hits, n, prior=0.5, alpha=0.05):
        return tuple(part + max(prior, 1 - prior) for part in f(hits, n, prior, alpha))
    return advantage_interval


def without_masks(f):
    def secret_shares(values, parties, modulus, rng):
        return np.concatenate([np.zeros((parties - 1, *np.shape(values)), int), np.asarray(values)[None]])
    return secret_shares


def exchanged_where_read(f):
    def read(*args, **kw):
        guesses = f(*args, **kw)
        return np.where(guesses < 0, guesses, 1 - guesses)
    return read


def labels_not_crossed(f):
    """The group with the larger weight for label 1 is taken to have the larger one for label 0."""
    def read_multipliers(multipliers, Y, known):
        guesses = f(multipliers, Y, known)
        return np.where((np.asarray(Y) == 0) & (guesses >= 0), 1 - guesses, guesses)
    return read_multipliers


def reports_at_double_epsilon(f):
    return lambda A, n_groups, epsilon, rng, size=None: f(A, n_groups, 2 * epsilon, rng, size)


# --- the separation, and classifiers that may see A

def blind_for_aware(f):
    return lambda D, gamma, aware=False: f(D, gamma, True)


def tolerance_cut(f):
    return lambda D, gamma, aware=False: f(D, 9 * gamma / 10, aware)


def neighbours_alike(f):
    return lambda *args, **kw: f(*args, **kw)[:1] * 2


def gamma_left_out(f):
    def theorem_3_8(nu, gamma, B, n_groups, **kw):
        said = f(nu, gamma, B, n_groups, **kw)
        return dataclasses.replace(said, violation=said.violation - gamma)
    return theorem_3_8


def hats_for_bars(f):
    """Every repair with h_a, as the misprint reads."""
    def fair_mixture(fp, gamma, **kw):
        made, k = f(fp, gamma, **kw), len(fp)
        own, other = made.weights[1:k + 1], made.weights[k + 1:]
        return dataclasses.replace(made, weights=np.concatenate([made.weights[:1], own + other, 0 * other]))
    return fair_mixture


def rows_of_one_group(f):
    return lambda by_group, A: f(by_group, 0 * np.asarray(A))


def corollary_at_twice_k(f):
    def corollary(nu, gamma, n_groups, **kw):
        games = importlib.import_module("dpfair_teach.games")
        return games.theorem_3_8(nu, gamma, 2 * n_groups, n_groups, **kw)
    return corollary


def constraints_reversed(f):
    return lambda self, Q: f(self, Q)[..., ::-1]


# --- the private players

def error_left_out_of_the_range(f):
    """FrozenCounts.spread for "X and A" without the error that a changed decision makes or mends."""
    def spread(self, w):
        price, range_ = f(self, w)
        return price, range_ if self.protect == "A" else 2 * np.abs(price).max(axis=(-2, -1))
    return spread


def half_the_range(f):
    def spread(self, w):
        price, range_ = f(self, w)
        return price, range_ / 2
    return spread


def error_left_out_of_the_sensitivity(f):
    return lambda self, w: f(self, w) - (self.protect != "A") / self.game.m


def one_noise_for_all_labels(f):
    """All that is asked in one call gets the noise of its first label."""
    def laplace_noise(scale, shape, rng, inner=1):
        return np.broadcast_to(f(scale, shape[:-1] + (1,), rng, inner), shape).copy() if inner else f(scale, shape, rng, inner)
    return laplace_noise


def one_noise_for_both_sizes(f):
    def frozen_cells(game, epsilon, axes, rng):
        sizes, sensitivity = f(game, epsilon, axes, rng)
        sizes[..., 1] = np.maximum(sizes[..., 0] - game.n[:, 0] + game.n[:, 1], 1.0)
        return sizes, sensitivity
    return frozen_cells


def with_a_known_seed(f):
    """The generator is the last argument, and is not looked at."""
    return lambda *args: f(*args[:-1], np.random.default_rng(7))


def half_the_noise_on_three_rates(f):
    def measure(self, h, rng):
        said = self.measurement
        self.measurement = (said[0], said[1] / (2 if self.game.n_groups > 2 else 1))
        try:
            return f(self, h, rng)
        finally:
            self.measurement = said
    return measure


def loop_roots_by_squares(f):
    def root(design, ridge):
        values, vectors = np.linalg.eigh(np.linalg.inv(design.T @ design + ridge * np.eye(design.shape[1])))
        kept = values > 1e-14 * values[-1]
        found = vectors[:, kept] * np.sqrt(values[kept])
        return found, design @ found
    return root


def one_noise_for_both_counts(f):
    def measured(accepted, n, mu, rng):
        if len(n) > 2:
            return f(accepted, n, mu, rng)
        one = accepted[:, 1] + rng.standard_normal((len(accepted), 1)) / mu[:, None]
        return np.stack([accepted.sum(axis=1) - one, one], axis=1)
    return measured


# --- the game and its oracles

def gamma_forgotten(f):
    return lambda self, gaps: f(self, gaps) + self.gamma[..., None]


def last_row_as_printed(f):
    """TP_a - TP_a - gamma."""
    def values(self, gaps):
        r = f(self, gaps)
        r[..., -1] = -self.gamma
        return r
    return values


def value_as_printed(f):
    return lambda self, B, *, as_printed=False: f(self, B, as_printed=True)


def costs_without_the_anchor(f):
    def cell_costs(self, lam):
        costs = f(self, lam)
        costs[..., 1, 0, :] = [1.0, 0.0]
        return costs
    return cell_costs


def dearest_answer(f):
    return lambda self, lam: (self.losses(lam)).argmax(axis=-1)


def gap_of_the_learner(f):
    return lambda self, Q, lam, B: self.regrets(Q, lam, B)[1]


def halved_gaps(f):
    return staticmethod(lambda errors, gaps, gamma: f(errors, np.asarray(gaps) / 2, gamma))


def without_a_spare(f):
    def weights(theta, B):
        lam = f(theta, B)
        return lam / lam.sum(axis=-1, keepdims=True) * B[..., None]
    return weights


def without_the_one(f):
    return lambda nu, B, gamma, **kw: gamma + 2 * nu / B


def room_forgotten(f):
    return lambda nu, B, gamma, *, room=0.5: f(nu, B, gamma, room=0.0)


def one_labeling_lost(f):
    return lambda *args, **kw: f(*args, **kw)[1:]


def second_number_ignored(f):
    return lambda X, **kw: f(np.asarray(X, dtype=float) * [1, 0], **kw)


# --- the regression oracle

def anchor_mean_forgotten(f):
    def gap_coefficients(self, sums):
        sums = np.array(sums, dtype=float)
        sums[..., 0, :, 1:] = 0.0
        return f(self, sums)
    return gap_coefficients


def first_of_the_groups_twice(f):
    return lambda self, A, n_groups=None: f(self, np.zeros_like(A), n_groups or int(np.max(A)) + 1)


def noise_readings_exchanged(f):
    return lambda *a, noise="scale", **kw: f(*a, noise={"scale": "location", "location": "scale"}[noise], **kw)


# --- oneshot

def cells_at_double_epsilon(f):
    return lambda cells, A, epsilon, rng, **kw: f(cells, A, 2 * epsilon, rng, **kw)


def one_for_any_number_of_groups(f):
    return lambda n_groups: min(f(n_groups), 1)


def sums_sensitivity_of_two_groups(f):
    return lambda features, n_groups=2, norm="l1": f(features, 2, norm)


def sums_with_half_the_noise(f):
    return lambda d, scale, rng, size=None: f(d, scale / 2, rng, size)


def length_of_one_dimension(f):
    def l2_noise(d, scale, rng, size=None):
        noise = f(d, scale, rng, size)
        return noise / np.linalg.norm(noise, axis=-1, keepdims=True) * rng.exponential(scale, (*noise.shape[:-1], 1))
    return l2_noise


def reports_taken_as_true(f):
    return lambda reports, n_groups, epsilon: np.eye(n_groups)[np.asarray(reports)]


def costs_without_group_0(f):
    return lambda weights, Y: np.maximum(f(weights, Y), 0)


def thresholds_without_the_label(f):
    return lambda eta, group_given, n: np.column_stack([2 * np.asarray(eta) - 1, f(np.full(len(eta), 0.5), group_given, n)[:, 1:]])


def residual_forgotten(f):
    def expected_groups(queries, answers, variances, features, mean, residual):
        return f(queries, answers, variances, features, mean, 1e-6 * residual)
    return expected_groups


def last_classifier_forgotten(f):
    return lambda decisions, Y: f(np.asarray(decisions)[:-1], Y)


def single_candidates_only(f):
    def best_mixtures(error, gaps, gammas):
        mixtures = f(error, gaps, gammas)
        best = np.eye(len(error))[mixtures.weights.argmax(axis=1)]
        return dataclasses.replace(mixtures, weights=best, values=best @ np.asarray(error))
    return best_mixtures


def groups_peeped_at(f):
    def expected(self):
        weights, smooth = f(self)
        return weights + 1e-7 * np.outer(self._A, [-1, 1, 0, 0][:self.k]), smooth
    return expected


def likelihood_of_the_true_counts(f):
    def smooth_by_likelihood(self):
        for y, i in enumerate(self.public.people):
            self.observed[0][y].answers = self.observed[0][y].queries @ (self._A[i] == 1)
        f(self)
    return smooth_by_likelihood


def mean_not_subtracted(f):
    return lambda acceptance, Y, n_1: f(acceptance, Y, n_1) + 0.01


# --- the private players

def printed_sensitivity_without_its_one(f):
    return lambda n, *args, as_printed=False, **kw: f(n + 1 if as_printed else n, *args, as_printed=as_printed, **kw)


def record_counts_one_rate(f):
    return lambda *args, protect="A", **kw: f(*args, protect="X and A" if protect == "record" else protect, **kw)


def scaled_fields(factor):
    def make(f):
        def faulty(*args, **kw):
            record = f(*args, **kw)
            return type(record)(*(factor * getattr(record, field.name) for field in dataclasses.fields(record)))
        return faulty
    return make


def printed_learner_is_frozen(f):
    return lambda *args, as_printed=False, **kw: f(*args, **kw)


def repaired_learner_is_printed(f):
    return lambda *args, as_printed=False, **kw: f(*args, as_printed=True, **kw)


def theorem_3_6_keeps_one_over_b(f):
    def theorem_3_6(*args, as_printed=False, **kw):
        worse = f(*args, as_printed=True, **kw)
        return worse if as_printed else dataclasses.replace(f(*args, **kw), violation=worse.violation)
    return theorem_3_6


def theorem_3_7_squares_the_class(f):
    return lambda *args, n_classifiers=None, **kw: f(*args, n_classifiers=n_classifiers**2, **kw)


def costs_without_their_cells(f):
    def cell_costs(self, lam):
        costs = f(self, lam)
        mistakes = np.array([1.0, 0.0])
        return np.stack([costs[..., 0, :, :], mistakes + (costs[..., 1, :, :] - mistakes) * self.n / self.m], axis=-3)
    return cell_costs



MUTANTS: dict[str, Mutant] = {
    "violation_forgets_true_positives": Mutant(FAIRNESS + "violation", forgets_true_positives, "the true-positive gap is left out"),
    "violation_halved": Mutant(FAIRNESS + "violation", scaled(0.5), "half the gap"),
    "violation_against_pairs_reads_the_anchor": Mutant(FAIRNESS + "violation", pairs_read_the_anchor, "pairs are not compared"),
    "violation_population_is_the_anchor": Mutant(FAIRNESS + "violation", population_is_the_anchor, "group 0 stands for everybody"),
    "form_constants_always_two": Mutant(FAIRNESS + "form_constants", lambda f: lambda shares, anchor=0: 2 - np.eye(3),
                                        "the shares play no part"),
    "form_constants_forget_the_anchor": Mutant(FAIRNESS + "form_constants", lambda f: lambda shares, anchor=0: f(shares),
                                               "group 0 is always the anchor"),
    "predictive_values_swapped": Mutant(FAIRNESS + "predictive_values", lambda f: lambda counts: f(counts)[::-1],
                                        "accepted and rejected exchanged"),
    "merge_forgets_all_but_one": Mutant(FAIRNESS + "merge_groups", merge_forgets_all_but_one, "one of the merged groups stands for all"),
    "cross_forgets_the_last": Mutant(FAIRNESS + "cross_groups", lambda f: lambda attributes: f(attributes[:-1] or attributes),
                                     "the last attribute is left out"),
    "gap_margin_halved": Mutant(LUCK + "gap_margin", scaled(0.5), "half the bound"),
    "gap_margin_of_the_other_cell": Mutant(LUCK + "gap_margin", margin_of_the_other_cell, "only the anchor's cell counts"),
    "chance_violation_halved": Mutant(LUCK + "chance_violation", scaled(0.5), "half the quantile"),
    "chance_violation_pairs_read_the_anchor": Mutant(LUCK + "chance_violation", lambda f: lambda n, rate, k=2, beta=0.05, against="anchor":
                                                     f(n, rate, k, beta), "pairs are not compared"),
    "violation_accuracy_is_acceptance": Mutant(FAIRNESS + "violation", accuracy_is_acceptance,
                                               "accuracy parity answers demographic parity"),
    "rates_swapped": Mutant(FAIRNESS + "rates", lambda f: lambda counts: f(counts)[::-1], "FP and TP exchanged"),
    "rates_divided_by_everybody": Mutant(FAIRNESS + "rates", divided_by_everybody,
                                         "divided by the group, not by the group with that label"),
    "counts_predictions_swapped": Mutant(FAIRNESS + "cell_counts", lambda f: lambda *a, **kw: f(*a, **kw)[::-1],
                                         "accepted and rejected exchanged"),
    "exact_epsilon_one_way": Mutant(AUDIT + "exact_epsilon", one_direction_only, "one of the two neighbours is always the denominator"),
    "counts_doubled": Mutant(FAIRNESS + "cell_counts", scaled(2), "everybody counted twice"),
    "exact_epsilon_halved": Mutant(AUDIT + "exact_epsilon", scaled(0.5), "half the epsilon"),
    "largest_power_one_line": Mutant(AUDIT + "largest_power", steep_line_only, "the line from the other corner is left out"),
    "lower_bound_doubled": Mutant(AUDIT + "epsilon_lower_bound", scaled(2), "twice the bound"),
    "lower_bound_halved": Mutant(AUDIT + "epsilon_lower_bound", scaled(0.5), "half the bound"),
    "group_privacy_adds_delta": Mutant(ACCOUNTING + "group_privacy", times_the_people, "deltas add up as if they were composed"),
    "noise_grows_with_the_table": Mutant(POST + "noisy_counts", noise_of_the_table, "noise of a fixed share of the rows"),
    "slack_of_a_thousand_people": Mutant(POST + "paper_slack", lambda f: lambda q, m, epsilon, beta, **kw: f(q, 1000, epsilon, beta, **kw),
                                         "the slack does not read the number of rows"),
    "copies_are_people": Mutant(ACCOUNTING + "upsampling", a_row_is_a_person, "a row's epsilon is passed off as a person's"),
    "copies_of_the_mean_person": Mutant(ACCOUNTING + "upsampling", the_mean_person, "the mean number of copies, not the largest"),
    "textbook_a_tenth_less": Mutant(MECHANISMS + "gaussian_sigma_textbook", scaled(0.9), "a tenth less noise"),
    "gaussian_sigma_times_13": Mutant(MECHANISMS + "gaussian_sigma", scaled(1.3), "scale times 1.3"),
    "gumbel_at_double_epsilon": Mutant(MECHANISMS + "exponential_by_gumbel", at_epsilon_times(2),
                                       "the 2 under the fraction line is missing"),
    "matrix_at_double_epsilon": Mutant(MECHANISMS + "randomized_response_matrix", lambda f: lambda k, epsilon: f(k, 2 * epsilon),
                                       "the law of twice the epsilon"),
    "debias_variance_halved": Mutant(REPORTS + "debias_variance", scaled(0.5), "half the variance"),
    "debiasing_forgets_the_lies": Mutant(MECHANISMS + "debias_counts", lambda f: lambda counts, epsilon, axis=-1: np.asarray(counts, float),
                                         "reports are taken for the truth"),
    "likely_counts_by_clipping": Mutant(REPORTS + "likely_counts", clipped_and_scaled, "debiased, clipped at 0 and scaled"),
    "exact_delta_one_way": Mutant(AUDIT + "exact_delta", delta_one_direction_only, "the other direction is never looked at"),
    "exact_delta_is_a_tail": Mutant(AUDIT + "exact_delta", chance_of_a_larger_loss, "the chance of a larger loss, not its mean excess"),
    "largest_change_halved": Mutant(POST + "largest_change", scaled(0.5), "a change counted once, not twice"),
    "release_claims_a_whole_tuple": Mutant(ACCOUNTING + "UNIT_A", lambda unit: "one whole tuple", "the wrong people are protected"),
    "release_at_half_epsilon": Mutant(POST + "DPPostProcessing.fit", half_the_release, "the record claims half of what was spent"),
    "laplace_scale_times_08": Mutant(MECHANISMS + "laplace", lambda f: lambda v, s, *a, **kw: f(v, 0.8 * s, *a, **kw), "scale times 0.8"),
    "laplace_noise_halved": Mutant(MECHANISMS + "laplace", less_noise, "half the noise"),
    "laplace_one_draw_for_all": Mutant(MECHANISMS + "laplace", one_draw_for_all, "the same noise on every coordinate"),
    "laplace_law_times_08": Mutant(MECHANISMS + "laplace_law", lambda f: lambda s, e, value=0.0: f(0.8 * s, e, value), "scale times 0.8"),
    "laplace_law_doubled": Mutant(MECHANISMS + "laplace_law", lambda f: lambda s, e, value=0.0: f(2 * s, e, value), "twice the scale"),
    "exponential_probabilities_at_double_epsilon": Mutant(MECHANISMS + "exponential_probabilities", at_epsilon_times(2),
                                                          "the 2 under the fraction line is missing"),
    "exponential_drawn_at_double_epsilon": Mutant(MECHANISMS + "exponential", at_epsilon_times(2),
                                                  "the 2 under the fraction line is missing"),
    "exponential_bound_halved": Mutant(MECHANISMS + "exponential_error_bound", scaled(0.5), "half the bound"),
    "compose_takes_the_largest": Mutant(ACCOUNTING + "compose", largest_epsilon_only, "the largest epsilon, not the sum"),
    "compose_never_refuses_a_delta": Mutant(ACCOUNTING + "compose", never_refuses_a_delta, "deltas cost nothing"),
    "advanced_composition_always_answers": Mutant(ACCOUNTING + "advanced_composition", always_answers,
                                                  "the short formula where it is no bound"),
    "advanced_composition_halved": Mutant(ACCOUNTING + "advanced_composition", scaled(0.5), "the tail without the mean loss"),
    "theorem_1_5_for_half_the_steps": Mutant(ACCOUNTING + "theorem_1_5", half_the_steps, "the budget of half as many steps"),
    "parallel_touches_one_part": Mutant(ACCOUNTING + "compose_parallel", one_part, "one part, however many a change touches"),
    "long_formula_without_the_mean": Mutant(ACCOUNTING + "advanced_composition_long", without_the_mean, "the tail alone"),
    "optimal_forgets_the_steps_delta": Mutant(ACCOUNTING + "optimal_composition", forgets_delta0, "the steps' own delta is left out"),
    "optimal_delta_halved": Mutant(ACCOUNTING + "optimal_composition_delta", scaled(0.5), "half the delta"),
    "renyi_worst_is_laplace": Mutant(ACCOUNTING + "rdp_pure",
                                     lambda f: lambda e, a: importlib.import_module("dpfair_teach.accounting").rdp_laplace(e, a),
                                     "Laplace for the worst mechanism"),
    "renyi_of_the_first_record": Mutant(ACCOUNTING + "rdp_of_releases", first_record_only, "the first record only"),
    "renyi_laplace_halved": Mutant(ACCOUNTING + "rdp_laplace", scaled(0.5), "half the divergence"),
    "renyi_exponential_a_tenth_less": Mutant(ACCOUNTING + "rdp_exponential", scaled(0.9), "nine tenths of the divergence"),
    "renyi_conversion_at_ten_times_delta": Mutant(ACCOUNTING + "rdp_to_epsilon", lambda f: lambda o, r, d: f(o, r, min(0.9999, 10 * d)),
                                                  "a constant ten times too small"),
    "bounded_range_adaptive_as_fixed": Mutant(ACCOUNTING + "bounded_range_composition",
                                              lambda f: lambda *a, adaptive=True: f(*a, adaptive=False),
                                              "steps chosen adaptively as if fixed beforehand"),
    "bounded_range_delta_a_tenth_less": Mutant(ACCOUNTING + "bounded_range_delta", scaled(0.9), "nine tenths of the delta"),
    "loss_distribution_a_tenth_less": Mutant(ACCOUNTING + "pld_delta", scaled(0.9), "nine tenths of the delta"),
    "scale_delta_of_one_noise": Mutant(AUDIT + "laplace_scale_delta", lambda f: lambda b, c, e, n=1: f(b, c, e, 1),
                                       "one noise seen, not all"),
    "gaussian_delta_halved": Mutant(MECHANISMS + "gaussian_delta", scaled(0.5), "half of the curve"),
    "gaussian_sigma_times_08": Mutant(MECHANISMS + "gaussian_sigma", scaled(0.8), "scale times 0.8"),
    "geometric_draws_real_numbers": Mutant(MECHANISMS + "geometric", real_numbers, "Laplace noise under another name"),
    "geometric_law_at_double_epsilon": Mutant(MECHANISMS + "geometric_law", lambda f: lambda s, e, value=0: f(s, 2 * e, value),
                                              "the law of half the noise"),
    "estimator_reads_the_true_counts": Mutant(POST + "DPPostProcessing.fit", reads_the_true_counts, "the program reads the true table"),
    "fit_refits_the_base_with_the_group": Mutant(POST + "DPPostProcessing.fit", refits_the_base, "the base learns from A"),
    "lp_forgets_true_positive_rows": Mutant(POST + "solve_lp", without_true_positive_rows, "the true-positive rows are left out"),
    "lp_gamma_doubled": Mutant(POST + "solve_lp", lambda f: lambda q, gamma, slack=0.0: f(q, 2 * gamma, slack), "twice the tolerance"),
    "lp_anchor_is_the_last_group": Mutant(POST + "solve_lp", last_group_as_anchor, "another anchor"),
    "lp_value_five_percent_up": Mutant(POST + "solve_lp", changed(value=lambda x: 1.05 * x), "a value that no p has"),
    "closed_form_without_one_axis": Mutant(POST + "closed_form._two_groups", without_one_axis, "one of the six lines is left out"),
    "closed_form_groups_exchanged": Mutant(POST + "closed_form", groups_exchanged, "each group gets the other's chances"),
    "closed_form_gamma_halved": Mutant(POST + "closed_form", gamma_times(0.5), "half the tolerance"),
    "closed_form_gamma_doubled": Mutant(POST + "closed_form", gamma_times(2), "twice the tolerance"),
    "many_first_gamma_for_all": Mutant(POST + "solve_many", first_gamma_for_all, "every program gets the first one's tolerance"),
    "many_groups_exchanged": Mutant(POST + "solve_many", groups_exchanged, "the groups' chances in the wrong order"),
    "dual_without_the_gamma_term": Mutant(POST + "dual_value", dual_without_gamma, "tolerances cost nothing"),
    "dual_of_wrong_size": Mutant(POST + "dual_value", scaled(1.05), "five percent above the limit"),
    "chances_forget_the_group": Mutant(POST + "predict_proba", chances_forget_the_group, "everybody is treated as in group 0"),
    "derived_groups_exchanged": Mutant(POST + "derived_counts", lambda f: lambda q, p: f(q, np.asarray(p)[..., ::-1]),
                                       "each group gets the other's chances"),
    "derived_reverses_nobody": Mutant(POST + "derived_counts", derived_reverses_nobody, "rejections are never reversed"),
    "figure_1_of_another_method": Mutant(TRADEOFF + "postprocessing_draws", another_method, "public margins under the paper's name"),
    "sensitivity_one_over_m": Mutant(POST + "count_sensitivity", scaled(0.5), "1/m"),
    "noisy_counts_halved": Mutant(POST + "noisy_counts", less_noise, "half the noise"),
    "noisy_counts_at_sensitivity_one": Mutant(POST + "noisy_counts", epsilon_times(2), "the scale forgets that two cells change"),
    "slack_halved": Mutant(POST + "paper_slack", scaled(0.5), "half the slack"),
    "slack_is_zero": Mutant(POST + "paper_slack", lambda f: lambda *a, **kw: np.zeros_like(f(*a, **kw)), "no slack"),
    "slack_negative_kept": Mutant(POST + "paper_slack", lambda f: lambda *a, negative="", **kw: f(*a, **kw),
                                  "a negative cell gives a negative slack"),
    "main_text_slack_for_papers": Mutant(POST + "paper_slack", main_text_slack_instead, "as the main text prints it"),
    "main_text_slack_corrected": Mutant(POST + "main_text_slack", paper_slack_instead, "as the supplement prints it"),
    "lift_nothing": Mutant(POST + "lift_unusable",
                           lambda f: lambda q, slack=0.0: np.broadcast_to(slack, (*np.shape(q)[:-3], *np.shape(q)[-2:])),
                           "constraints that divide by nobody stay"),
    "public_margins_unclipped": Mutant(POST + "public_margin_counts", unclipped, "outside the public range"),
    "public_margins_noise_halved": Mutant(POST + "public_margin_counts", epsilon_times(2), "half the noise"),
    "public_margins_noise_doubled": Mutant(POST + "public_margin_counts", epsilon_times(0.5), "the paper's scale 2 / epsilon"),
    "k_norm_at_double_epsilon": Mutant(POST + "k_norm_counts", epsilon_times(2), "half the noise"),
    "k_norm_law_at_double_epsilon": Mutant(POST + "k_norm_probability", lambda f: lambda x, e: f(x, 2 * e), "the law of half the noise"),
    "k_norm_variance_a_fifth_less": Mutant(POST + "k_norm_variance", scaled(0.8), "four fifths of the variance"),
    "bins_below_their_cut": Mutant(POST + "score_bins", lambda f: lambda s, c: np.searchsorted(c, s), "a score equal to a cut is below it"),
    "cuts_with_equal_people": Mutant(POST + "optimal_cuts", equal_people, "equal numbers of people, not the largest area"),
    "price_cuts_by_area": Mutant(POST + "optimal_cuts", lambda f: lambda score, Y, n_bins, criterion="area": f(score, Y, n_bins),
                                 "the criterion is not read"),
    "coin_turned": Mutant("dpfair_teach.mechanisms_exact.bernoulli_exp", lambda f: lambda x, rng: not f(x, rng), "heads for tails"),
    "exact_noise_at_double_epsilon": Mutant("dpfair_teach.mechanisms_exact.exact_geometric",
                                            lambda f: lambda v, s, e, *a, **kw: f(v, s, 2 * e, *a, **kw), "half the noise"),
    "margin_slack_halved": Mutant(POST + "margin_slack", scaled(0.5), "half the slack"),
    "bins_slack_halved": Mutant(POST + "bins_slack", scaled(0.5), "half the slack"),
    "quality_a_tenth_less": Mutant("dpfair_teach.experiments.pareto_quality", scaled(0.9), "nine tenths of Q"),
    "lemma_a1_error_constant_2": Mutant(POST + "lemma_a1", changed(error=lambda x: x / 2), "2k for 4k"),
    "lemma_a1_error_constant_12": Mutant(POST + "lemma_a1", changed(error=lambda x: 3 * x), "12k, as printed"),
    "lemma_a1_hypothesis_dropped": Mutant(POST + "lemma_a1", changed(holds=lambda x: True), "no hypothesis"),
    "lemma_a1_people_halved": Mutant(POST + "lemma_a1", changed(people=lambda x: x / 2), "one cell's noise for two cells'"),
    "lemma_a1_rate_halved": Mutant(POST + "lemma_a1", changed(rates=lambda x: x / 2), "half the bound on rates"),
    "lemma_a1_violation_halved": Mutant(POST + "lemma_a1", changed(gaps=lambda x: x / 2), "half the bound on gaps"),
    "theorem_2_2_constant_4": Mutant(POST + "theorem_2_2", changed(error=lambda x: x / 2), "4k for 8k"),
    "theorem_2_2_constant_24": Mutant(POST + "theorem_2_2", changed(error=lambda x: 3 * x), "24k, as printed"),
    "theorem_2_2_fairness_term_dropped": Mutant(POST + "theorem_2_2", changed(fp=lambda x: 0.03 + 0 * x, tp=lambda x: 0.03 + 0 * x),
                                                "gamma with nothing added"),
    "advantage_bound_halved": Mutant(ATTACKS + "attribute_advantage_bound", scaled(0.5), "half the bound"),
    "advantage_bound_doubled": Mutant(ATTACKS + "attribute_advantage_bound", scaled(2), "the balanced form for the advantage"),
    "advantage_bound_without_delta": Mutant(ATTACKS + "attribute_advantage_bound", bound_without_delta, "delta left out"),
    "posterior_bound_at_half_epsilon": Mutant(ATTACKS + "posterior_bound", lambda f: lambda epsilon, prior=0.5: f(epsilon / 2, prior),
                                              "odds move by half as much"),
    "game_with_a_fair_coin": Mutant(ATTACKS + "guessing_game", lambda f: lambda *args, prior=0.5, **kw: f(*args, **kw),
                                    "the prior is forgotten"),
    "advantage_interval_of_the_share": Mutant(ATTACKS + "advantage_interval", interval_of_the_share, "blind guessing not taken off"),
    "shares_without_masks": Mutant(ATTACKS + "secret_shares", without_masks, "one party gets the number, the others 0"),
    "support_vectors_read_backwards": Mutant(ATTACKS + "read_support_vectors", exchanged_where_read, "the groups exchanged"),
    "multipliers_labels_not_crossed": Mutant(ATTACKS + "read_multipliers", labels_not_crossed, "the two labels not matched crosswise"),
    "reports_at_double_epsilon": Mutant(MECHANISMS + "randomized_response", reports_at_double_epsilon, "the coins of twice the epsilon"),
    # the separation, and classifiers that may see A
    "separation_blind_is_aware": Mutant(SEPARATION + "optimal_error", blind_for_aware, "the blind class gets h_R and h_B"),
    "separation_tolerance_cut": Mutant(SEPARATION + "optimal_error", tolerance_cut, "nine tenths of the tolerance"),
    "separation_optimum_tolerance_cut": Mutant(SEPARATION + "fair_optimum", tolerance_cut, "nine tenths of the tolerance"),
    "separation_neighbours_alike": Mutant(SEPARATION + "instance", neighbours_alike, "nobody changes"),
    "separation_jump_halved": Mutant(SEPARATION + "theorem_3_9", changed(jump=lambda x: x / 2), "half the jump"),
    "separation_bound_halved": Mutant(SEPARATION + "sensitivity_bound", scaled(0.5), "half the bound"),
    "separation_alpha_halved": Mutant(SEPARATION + "gap_sensitivity", scaled(0.5), "one rate moves, not two"),
    "aware_bound_without_gamma": Mutant(GAMES + "theorem_3_8", gamma_left_out, "gamma left out"),
    "aware_error_nu_once": Mutant(GAMES + "theorem_3_8", changed(error=lambda x: x / 2), "nu once, not twice"),
    "aware_corollary_at_twice_k": Mutant(GAMES + "corollary_3_8_1", corollary_at_twice_k, "B = 2|A|"),
    "aware_price_a_tenth_less": Mutant(GAMES + "least_bound", scaled(0.9), "nine tenths of the price"),
    "aware_price_a_tenth_more": Mutant(GAMES + "least_bound", scaled(1.1), "a tenth more than the price"),
    "aware_price_as_printed": Mutant(GAMES + "least_bound", lambda f: lambda k, gamma, as_printed=False: f(k, gamma, as_printed=True),
                                     "|A| - 1"),
    "aware_hats_for_bars": Mutant(GAMES + "fair_mixture", hats_for_bars, "h_a in the place of hbar_a"),
    "aware_rows_of_one_group": Mutant(GAMES + "aware_predictions", rows_of_one_group, "everybody is taken for group 0"),
    "indicators_bars_first": Mutant(GAMES + "group_indicators", lambda f: lambda A, n_groups=None: 1 - f(A, n_groups),
                                    "h_a and hbar_a exchanged"),
    "program_6_constraints_reversed": Mutant(GAMES + "FairnessGame.constraint_values", constraints_reversed, "the wrong order"),
    "constraints_without_gamma": Mutant(GAMES + "game.FairnessGame._values", gamma_forgotten, "the tolerance is left out"),
    "constraints_last_row_as_printed": Mutant(GAMES + "game.FairnessGame._values", last_row_as_printed, "TP_a - TP_a in the last row"),
    "fair_erm_five_percent_up": Mutant(GAMES + "programs.solve_fair_erm", changed(value=lambda x: 1.05 * x), "a value that no mixture has"),
    "prices_a_tenth_more": Mutant(GAMES + "programs.solve_fair_erm", changed(lam=lambda x: 1.1 * x), "a tenth more than the least prices"),
    "game_value_of_the_root_of_the_price": Mutant(
        GAMES + "game.FairnessGame.value", lambda f: lambda self, B, **kw: f(self, np.sqrt(B), **kw), "the root of B is charged"),
    "game_value_with_signs": Mutant(GAMES + "game.FairnessGame.value", value_as_printed, "multipliers may be negative"),
    "costs_without_the_anchor": Mutant(GAMES + "game.FairnessGame.cell_costs", costs_without_the_anchor, "group 0 pays for no gap"),
    "best_answer_is_the_dearest": Mutant(GAMES + "game.FairnessGame.best_response", dearest_answer, "the largest cost, not the least"),
    "gaps_of_notions_halved": Mutant(GAMES + "game.FairnessGame.from_gaps", halved_gaps, "every gap counts half"),
    "gap_of_the_learner_alone": Mutant(GAMES + "game.FairnessGame.equilibrium_gap", gap_of_the_learner, "the auditor is not asked"),
    "hedge_without_a_spare": Mutant(GAMES + "auditor.weights", without_a_spare, "the multipliers always sum to B"),
    "rounds_halved": Mutant(GAMES + "auditor.agarwal_theorem_1", changed(rounds=lambda x: max(1, x // 2)), "half of the rounds"),
    "hedge_regret_halved": Mutant(GAMES + "auditor.hedge_regret", scaled(0.5), "half of the regret"),
    "lemma_b_1_halved": Mutant(GAMES + "bounds.lemma_b_1", scaled(0.5), "nu is spent once"),
    "lemma_b_1_printed_form_halved": Mutant(GAMES + "bounds.lemma_b_1", lambda f: lambda nu, nu_learner=None:
                                            f(nu, 0.0 if nu_learner is None else nu_learner), "nu once where one nu is given"),
    "lemma_b_2_without_the_one": Mutant(GAMES + "bounds.lemma_b_2", without_the_one, "what cheating gains is left out"),
    "room_of_one_constant_taken_for_a_half": Mutant(
        GAMES + "bounds.fairness_bound_with_constants", lambda f: lambda nu, B, gamma, *, room=0.5: f(nu, B, gamma, room=min(room, 0.5)),
        "one constant is taken for both"),
    "constants_without_room": Mutant(GAMES + "bounds.fairness_bound_with_constants", room_forgotten, "the repair costs no error"),
    "population_rates_halved": Mutant(GAMES + "bounds.population_bound", changed(rates=lambda x: x / 2), "half of the distance"),
    "population_error_halved": Mutant(GAMES + "bounds.population_bound", changed(error=lambda x: x / 2), "half of the distance of errors"),
    "population_gaps_of_one_rate": Mutant(GAMES + "bounds.population_bound", changed(gaps=lambda x: x / 2), "one rate's distance for two"),
    "sauer_sum_one_less": Mutant(ORACLES + "labelings.sauer_sum", lambda f: lambda m, d: f(m, d) - 1, "the empty set is not counted"),
    "half_planes_one_less": Mutant(ORACLES + "labelings.halfplane_labelings", one_labeling_lost, "one labeling is lost"),
    "shattered_without_the_empty_set": Mutant(ORACLES + "labelings.shattered_sets", one_labeling_lost, "the empty set is not counted"),
    "oracle_at_a_quarter": Mutant(ORACLES + "private.cost_sensitivity", scaled(0.5), "a quarter of the sensitivity"),
    "oracle_rounds_small_costs": Mutant(ORACLES + "private._choice_losses", rewritten("costs.min(axis=0)", "0 * costs.min(axis=0)"),
                                        "costs that hardly depend on the group are summed with what does not"),
    "oracle_at_the_whole": Mutant(ORACLES + "private.cost_sensitivity", scaled(2), "the textbook's sensitivity, which is private too"),
    "half_planes_without_a": Mutant(ORACLES + "labelings.halfplane_labelings", second_number_ignored, "the second number is ignored"),
    # where the private players draw
    "printed_answer_at_half": Mutant(GAMES + "players.PrintedPlayers.answer", rewritten("2 * self.delta_l", "self.delta_l"),
                                     "the printed learner draws with half its scale"),
    "promised_answer_at_half": Mutant(GAMES + "players.PromisedRates.answer", rewritten("2 * self.sensitivity(w)", "self.sensitivity(w)"),
                                      "the learner of a promise or a bound draws with half its scale"),
    "promised_measurement_at_half": Mutant(GAMES + "players.PromisedRates.__init__", rewritten("2 / (self.N + 1)", "1 / (self.N + 1)"),
                                           "the auditor of a promise or a bound measures with half its scale, and says so"),
    "frozen_answer_at_half": Mutant(GAMES + "players.FrozenCounts.answer", rewritten("spread / self.step", "spread / (2 * self.step)"),
                                    "the learner over frozen sizes draws with half its scale"),
    "frozen_counts_at_half": Mutant(GAMES + "players.FrozenCounts.__init__", rewritten("1.0 if self.margins else 2.0",
                                                                                      "0.5 if self.margins else 1.0"),
                                    "the auditor over frozen sizes measures with half its scale, and says so"),
    "frozen_margins_whoever_changes": Mutant(GAMES + "players.FrozenCounts.__init__", rewritten(' and protect == "A"', ""),
                                             "with private features too the number of accepted is taken for public"),
    "frozen_sizes_at_double_epsilon": Mutant(GAMES + "private._players", rewritten("frozen_cells(game, ", "frozen_cells(game, 2 * "),
                                             "half the noise on the sizes of cells"),
    "bound_at_double_epsilon": Mutant(GAMES + "private._players", rewritten("(game), spent", "(game), 2 * spent"),
                                      "half the noise on the bound"),
    "loop_sizes_at_double_epsilon": Mutant(GAMES + "regression_private.regression_dp_oracle_learner",
                                           rewritten("frozen_cells(constants, share", "frozen_cells(constants, 2 * share"),
                                           "half the noise on the sizes of cells"),
    "loop_learner_quiet_after_round_2": Mutant(GAMES + "regression_private.regression_dp_oracle_learner",
                                               rewritten("_noise(scale,", "_noise(scale / min(t, 2),"),
                                               "half the noise from the third round on"),
    "loop_auditor_at_half": Mutant(GAMES + "regression_private._measured", lambda f: lambda counts, n, mu, rng:
                                   (counts + f(counts, n, mu, rng)) / 2, "half the noise on the counts"),
    "loop_refuses_an_empty_cell": Mutant(GAMES + "regression_private.regression_dp_oracle_learner",
                                         rewritten('empty="zero"', 'empty="refuse"'), "it stops where a cell holds nobody"),
    "game_asks_every_cell": Mutant(GAMES + "regression.regression_exponentiated_gradient",
                                   rewritten("np.maximum(sums[..., 0], 1.0)", "sums[..., 0]"), "it stops at a cell that nobody asks about"),
    "responses_at_double_epsilon": Mutant(ONESHOT + "asked.Asked.response", rewritten("k, epsilon, self._rng", "k, 2 * epsilon, self._rng"),
                                          "the coins of twice the epsilon, and the record of once"),
    "first_counts_at_double_epsilon": Mutant(ONESHOT + "asked.Asked.histogram", rewritten("self._A, epsilon", "self._A, 2 * epsilon"),
                                             "half the noise on a fit's counts"),
    "first_sums_at_double_epsilon": Mutant(ONESHOT + "asked.Asked.sums", rewritten("self.public.y, epsilon", "self.public.y, 2 * epsilon"),
                                           "half the noise on a fit's sums"),
    # oneshot
    "cells_at_double_epsilon": Mutant(ONESHOT + "release_cells", cells_at_double_epsilon, "half the noise on the counts of public cells"),
    "cells_one_for_any_number_of_groups": Mutant(ONESHOT + "cell_sensitivity", one_for_any_number_of_groups,
                                                 "three groups' counts with the sensitivity of two"),
    "sums_sensitivity_of_two_groups": Mutant(ONESHOT + "sums_sensitivity", sums_sensitivity_of_two_groups,
                                             "three groups' sums with the sensitivity of two"),
    "sums_with_half_the_noise": Mutant(ONESHOT + "l2_noise", sums_with_half_the_noise, "half the scale of the two-norm noise"),
    "length_of_one_dimension": Mutant(ONESHOT + "l2_noise", length_of_one_dimension, "an exponential length in every dimension"),
    "reports_taken_as_true": Mutant(ONESHOT + "debiased_groups", reports_taken_as_true, "randomized responses are not debiased"),
    "costs_without_group_0": Mutant(ONESHOT + "candidates.costs_of", costs_without_group_0, "group 0's part of the costs is lost"),
    "thresholds_without_the_label": Mutant(ONESHOT + "bayes_scores", thresholds_without_the_label, "P(y | x) is taken as one half"),
    "residual_forgotten": Mutant(ONESHOT + "expected_groups", residual_forgotten, "people are what their features say"),
    "last_classifier_forgotten": Mutant(ONESHOT + "joint_cells", last_classifier_forgotten, "the last classifier is not looked at"),
    "single_candidates_only": Mutant(ONESHOT + "best_mixtures", single_candidates_only, "no mixtures"),
    "group_zero_without_group_one_only": Mutant(
        "dpfair_teach.oneshot.asked.Asked.expected", rewritten("1 - both[:, :, 1:].sum(axis=2)", "1 - both[:, :, 1]"),
        "group 0 is taken for everybody outside group 1"),
    "rest_of_group_one_only": Mutant(
        "dpfair_teach.oneshot.basis.BayesBasis._of", rewritten("1 - given.sum(axis=0, keepdims=True)", "1 - given[:1]"),
        "candidates take group 0 for everybody outside group 1"),
    "groups_peeped_at": Mutant("dpfair_teach.oneshot.asked.Asked.expected", groups_peeped_at, "the expected groups look at the true ones"),
    "exact_gaps_in_the_digits": Mutant(ONESHOT + "learner.learn", rewritten(
        "mixtures = best_mixtures(error, gaps, gammas)",
        "mixtures = best_mixtures(error, gaps, gammas); gaps = gaps + 1e-9 * gaps_of(decisions, np.eye(k)[A], public.y)"),
        "the published gaps carry the true ones in their last digits"),
    "groups_on_the_fitted_object": Mutant(ONESHOT + "learner.FrontierLearner.fit", rewritten(
        "self.classes_ = np.array([0, 1])", "self.classes_ = np.array([0, 1]); self.asked_ = asked"), "the fitted object holds A"),
    "lifted_people_not_counted": Mutant(ONESHOT + "candidates.with_lift", lambda f: lambda weights, Y: (weights, f(weights, Y)[1]),
                                        "sizes are lifted, who is accepted is not"),
    "likelihood_of_the_true_counts": Mutant(ONESHOT + "asked.Asked.smooth_by_likelihood", likelihood_of_the_true_counts,
                                            "the covariance is chosen by counts without noise"),
    "mean_not_subtracted": Mutant(ONESHOT + "gap_weights", mean_not_subtracted, "all weights shifted"),
    # the private players
    "printed_sensitivity_without_its_one": Mutant(GAMES + "sensitivity.lemma_3_1", printed_sensitivity_without_its_one, "2k / n"),
    "sensitivities_at_four_fifths": Mutant(GAMES + "sensitivity.lemma_3_1", scaled_fields(0.8), "four fifths of the sensitivities"),
    "sensitivities_a_tenth_more": Mutant(GAMES + "sensitivity.lemma_3_1", scaled_fields(1.1), "a tenth more than is met"),
    "record_counts_one_rate": Mutant(GAMES + "sensitivity.lemma_3_1", record_counts_one_rate, "a record moves one rate of a group"),
    "learner_spends_a_tenth": Mutant(GAMES + "sensitivity.subroutine_4_epsilon", scaled(0.1), "a tenth of the bound"),
    "printed_leak_halved": Mutant(GAMES + "budget.printed_noise_delta", scaled(0.5), "half of the delta"),
    "printed_learner_is_frozen": Mutant(GAMES + "private.dp_oracle_learner", printed_learner_is_frozen, "as printed means repaired"),
    "repaired_learner_is_printed": Mutant(GAMES + "private.dp_oracle_learner", repaired_learner_is_printed, "no repair at all"),
    "players_with_half_the_noise": Mutant(GAMES + "players.laplace_noise", scaled(0.5), "half the noise on what is measured"),
    "one_noise_for_all_labels": Mutant(GAMES + "players.laplace_noise", one_noise_for_all_labels, "one noise for both labels' counts"),
    "one_noise_for_both_sizes": Mutant(GAMES + "players.frozen_cells", one_noise_for_both_sizes, "one noise for the sizes of both labels"),
    "frozen_auditor_with_a_known_seed": Mutant(GAMES + "players.FrozenCounts.measure", with_a_known_seed, "the same noise in every round"),
    "frozen_learner_at_half": Mutant(GAMES + "players.FrozenCounts.spread", half_the_range, "half the learner's range"),
    "frozen_learner_with_a_known_seed": Mutant(GAMES + "players.FrozenCounts.answer", with_a_known_seed, "the same noise in every round"),
    "promised_auditor_with_a_known_seed": Mutant(GAMES + "players.PromisedRates.measure", with_a_known_seed, "the same noise every round"),
    "promised_rates_at_half": Mutant(GAMES + "players.PromisedRates.measure", half_the_noise_on_three_rates,
                                     "half the noise on the rates of three groups"),
    "error_left_out_of_the_range": Mutant(GAMES + "players.FrozenCounts.spread", error_left_out_of_the_range,
                                          "a changed decision moves no error"),
    "error_left_out_of_the_sensitivity": Mutant(GAMES + "players.PromisedRates.sensitivity", error_left_out_of_the_sensitivity,
                                                "a changed decision moves no error"),
    "stay_forgotten": Mutant(GAMES + "players.PromisedRates.sensitivity", rewritten("size[..., -1, :].max(axis=-1) /", "0.0 /"),
                             "a decision changes with the group only"),
    "first_rate_for_any": Mutant(GAMES + "players.asked", lambda f: lambda game: list(range(len(game.constraints))),
                                 "true positives are asked for, false positives measured"),
    "first_rate_in_the_loop": Mutant(GAMES + "regression_private.regression_dp_oracle_learner", rewritten(
        "labels_of(constants.constraints)", "list(range(len(constants.constraints)))"), "the first rate is measured"),
    "first_rate_in_the_report": Mutant(GAMES + "regression_private.PrivateRegressionPlay.gaps", lambda f: property(lambda play: (
        lambda rates: (rates[..., 1:, :] - rates[..., :1, :]).reshape(play.counts.shape[:-2] + (-1,)))(
            (play.counts / play.constants.n)[..., :len(play.constants.constraints)])), "false positives are reported"),
    "promised_learner_at_half": Mutant(GAMES + "players.PromisedRates.sensitivity", scaled(0.5), "half the learner's sensitivity"),
    "players_with_all_digits": Mutant(GAMES + "players.on_grid", lambda f: lambda value, *_: value, "noisy numbers are not rounded"),
    "loop_with_all_digits": Mutant(GAMES + "regression_private.on_grid", lambda f: lambda value, *_: value,
                                   "noisy counts and vectors are not rounded"),
    "errors_summed_by_cell": Mutant(GAMES + "game.FairnessGame._set", lambda f: lambda self, n_pos, accepted, *a: f(
        self, n_pos, n_pos.sum(axis=1), *a), "errors are sums over the cells, and rounded so"),
    "prices_added_to_errors": Mutant(GAMES + "players.excess_errors", lambda f: lambda game: game.errors,
                                     "small prices are rounded to the digits of the errors"),
    "loop_decides_by_cell": Mutant(GAMES + "regression_private.regression_dp_oracle_learner", rewritten(
        "(rules[t] @ people > 0)", "(rules[t] @ people[:, cells.order] > 0)[:, np.argsort(cells.order)]"),
        "people are decided about in the order of their cells"),
    "loop_roots_by_squares": Mutant(GAMES + "regression_private._root", loop_roots_by_squares, "strong directions count as rounding"),
    "bound_without_its_margin": Mutant(GAMES + "players.released_bound", lambda f: lambda n, epsilon, delta, axes, rng:
                                       f(n, epsilon, 0.5, axes, rng), "the noisy number, and 1 less"),
    "costs_without_their_cells": Mutant(GAMES + "game.FairnessGame.cell_costs", costs_without_their_cells, "costs without a denominator"),
    "lemma_3_2_halved": Mutant(GAMES + "accuracy.lemma_3_2", scaled_fields(0.5), "half of both bounds"),
    "lemma_3_3_halved": Mutant(GAMES + "regret.lemma_3_3", scaled(0.5), "half of the bound"),
    "lemma_3_4_halved": Mutant(GAMES + "regret.lemma_3_4", scaled(0.5), "half of the bound"),
    "gap_noise_halved": Mutant(GAMES + "accuracy.gap_noise", scaled(0.5), "half of the noise of a gap"),
    "theorem_3_5_learner_alone": Mutant(GAMES + "guarantees.theorem_3_5", changed(nu=lambda x: x / 2), "half of nu"),
    "sharp_gap_with_the_printed_step": Mutant(GAMES + "guarantees.auditor_step", lambda f: lambda s, as_printed: f(s, True),
                                              "the step that the algorithm plays of itself"),
    "theorem_3_6_nu_once": Mutant(GAMES + "guarantees.theorem_3_6", changed(error=lambda x: x / 2), "nu for 2 nu where it is printed"),
    "theorem_3_6_keeps_one_over_b": Mutant(GAMES + "guarantees.theorem_3_6", theorem_3_6_keeps_one_over_b, "the printed violation"),
    "frozen_gap_pays_once": Mutant(GAMES + "frozen.frozen_gap", lambda f: lambda nu, B, tau: f(nu, B, tau / 2), "2 B tau"),
    "frozen_tau_ignores_a_group": Mutant(
        GAMES + "frozen.frozen_tau", lambda f: lambda n, d, **kw: f(np.asarray(n)[1:], np.asarray(d)[..., 1:, :], **kw),
        "group 0 is left out"),
    "theorem_3_7_squares_the_class": Mutant(GAMES + "guarantees.theorem_3_7", theorem_3_7_squares_the_class, "2 ln|H|"),
    # ---------------------------------------------------------------------------------------------- the regression oracle
    "regression_without_the_anchor": Mutant(ORACLES + "regression.RegressionOracle.gap_coefficients", anchor_mean_forgotten,
                                            "group 0's mean is left out"),
    "oracle_cuts_by_units": Mutant(ORACLES + "regression.lost_to_scale", lambda f: lambda *_: None,
                                   "what a large column makes small counts as rounding"),
    "regression_sums_of_one_group": Mutant(ORACLES + "regression.RegressionOracle.sums", first_of_the_groups_twice,
                                                 "everybody is taken for group 0"),
    "sums_at_half_sensitivity": Mutant("dpfair_teach.oneshot.releases.sums_sensitivity", scaled(0.5), "half of the largest norm"),
    "section_5_step_a_tenth_more": Mutant(GAMES + "regression_printed.section_5_step", scaled(1.1), "a tenth more epsilon in each round"),
    "regression_learner_with_half_the_noise": Mutant(GAMES + "regression_private._noise", scaled(0.5), "half the noise on the gap scores"),
    "regression_learner_with_a_known_seed": Mutant(GAMES + "regression_private._noise", with_a_known_seed, "the same noise in every round"),
    "regression_auditor_with_one_noise": Mutant(GAMES + "regression_private._measured", one_noise_for_both_counts,
                                                "one noise for the counts of both labels"),
    "section_5_noise_in_the_wrong_place": Mutant(GAMES + "regression_printed.section_5_learner", noise_readings_exchanged,
                                                 "the scale is handed over as the location"),
}


@contextlib.contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The library with one fault in it: every name that means the original means the faulty one."""
    parts = mutant.target.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            owner = importlib.import_module(".".join(parts[:cut]))
            break
        except ModuleNotFoundError:
            continue
    for part in parts[cut:-1]:
        owner = getattr(owner, part)
    original = getattr(owner, parts[-1])
    faulty = mutant.make(original)
    modules = [module for key, module in list(sys.modules.items()) if key.startswith(("dpfair_teach", "test_"))]
    places = [(owner, parts[-1])]
    places += [(module, name) for module in modules for name, value in list(vars(module).items()) if value is original]
    for place, name in places:
        setattr(place, name, faulty)
    try:
        yield
    finally:
        for place, name in places:
            setattr(place, name, original)


class Outcomes:
    """A pytest plugin that keeps what happened: test -> None if it passed, else the name of the exception."""

    def __init__(self) -> None:
        self.raised: dict[str, str | None] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        result = yield
        report = result.get_result()
        if report.when == "call" or report.failed:
            self.raised[item.nodeid] = call.excinfo.typename if call.excinfo and report.failed else "skipped" if report.skipped else None


def run(tests: list[str]) -> tuple[dict[str, str | None], str]:
    """Run tests in this process; (what each raised, pytest's own words)."""
    outcomes, words = Outcomes(), io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        pytest.main([*tests, "-q", "-p", "no:cacheprovider", "--no-header"], plugins=[outcomes])
    return outcomes.raised, words.getvalue()


def plan(only: set[str]) -> list[tuple[str, str, str]]:
    """(statement, test, mutant) of every row that has them."""
    rows = yaml.safe_load((ROOT / "book" / "theorems.yml").read_text(encoding="utf8"))
    return [(f"{row['paper']}: {row['statement']}", row["test"], name) for row in rows if isinstance(row["mutants"], list)
            for name in row["mutants"] if not only or name in only]


def main(names: list[str]) -> int:
    start = time.perf_counter()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"               # no test here needs one, and each costs time in every run
    sys.path[:0] = [str(ROOT)]
    steps = plan(set(names))
    if not steps:
        print(f"no row names {names}")
        return 1
    tests = sorted({test for _, test, _ in steps})
    healthy, words = run(tests)
    if len(healthy) < len(tests) or any(healthy.values()):
        print(words, "\nThe tests must pass before a fault is planted.", sep="")
        return 1
    print(f"{len(tests)} tests pass on the library as it is.\n")
    green, seen = 0, {}
    for statement, test, name in steps:
        mutant = MUTANTS[name]
        if (test, name) not in seen:
            with planted(mutant):
                seen[test, name] = set(run([test])[0].values())
        raised = seen[test, name]
        red = raised and raised <= {"AssertionError", "Failed", None} and raised != {None}
        green += not red
        how = "red" if red else "STILL GREEN" if raised <= {None} else f"CRASHED: {', '.join(sorted(map(str, raised)))}"
        print(f"{how:12} {statement[:52]:52} {name:42} {mutant.fault}")
    print(f"\n{len(steps) - green} of {len(steps)} faults seen, in {time.perf_counter() - start:.0f} s")
    return 1 if green else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
