"""One valid call of every public callable: ``test_bad_input`` spoils its arguments one at a time.

A key is "room.name", or "room.name:method" for what an object does after it is made. A value makes a fresh call each time.

A call may as well stand beside the tests of its function, in a dictionary of the test file, and is found there: "room.name" -> a function
that makes the arguments, ``VALID_CALLS = {"games.my_learner": lambda: dict(epsilon=1.0)}``.
"""
from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_array

from dpfair_teach import (
    SmallGroupWarning,
    accounting,
    attacks,
    audit,
    baselines,
    data,
    experiments,
    explore,
    fairness,
    functional,
    games,
    lagrangian,
    mechanisms,
    oneshot,
    oracles,
    plotting,
    postprocessing,
    separation,
)

# Arguments that are free text, where any text is a fair value.
ANY_TEXT = {
    ("accounting.Release", "mechanism"), ("accounting.Release", "unit"), ("accounting.Release", "relation"), ("accounting.Release", "part"),
    ("mechanisms.Measurement", "unit"), ("mechanisms.Measurement", "relation"), ("mechanisms.release", "relation"),
    ("mechanisms.release_cells", "part"), ("mechanisms.release_directions", "part"),
    ("explore.Explorer", "title"), ("explore.Explorer", "alt"), ("explore.Explorer", "question"),
    ("explore.Panel", "name"), ("explore.Panel", "x_label"), ("explore.Panel", "y_label"),
    ("explore.Puzzle", "question"), ("explore.Puzzle", "answer"), ("explore.SelfCheck", "question"),
    ("plotting.network_picture", "title"), ("plotting.network_picture", "question"),
    ("data.Dataset", "name"),
    *((f"exercises.{name}", word) for name in ("params", "check", "self_check") for word in ("student", "term")),
    ("exercises.grade", "term"),
}


@dataclass
class Call:
    function: Callable
    arguments: dict = field(default_factory=dict)

    def run(self) -> object:
        return self.function(**self.arguments)


VALID: dict[str, Callable[[], Call]] = {}


def _of(make, method):
    """A method of a fresh copy of what ``make`` makes."""
    return lambda **arguments: getattr(deepcopy(make()), method)(**arguments)


def valid(name: str, function: Callable, arguments: Callable[[], dict]) -> None:
    VALID[name] = lambda: Call(function, arguments())


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


COUNTS = np.array([[[20, 10], [20, 4]], [[6, 20], [10, 20]]])
M = int(COUNTS.sum())
Q = COUNTS / M
PREDICTION, A, Y = [1, 0, 1, 0, 1, 0, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 0, 0, 1, 1, 0, 0]
RELEASE = dict(mechanism="laplace", unit=accounting.UNIT_A, sensitivity=2.0, scale=4.0)


# ---------------------------------------------------------------------------------------------------------- mechanisms
valid("mechanisms.laplace", mechanisms.laplace, lambda: dict(value=[1.0, 2.0], sensitivity=2.0, epsilon=1.0, rng=rng(), size=3))
valid("mechanisms.laplace_law", mechanisms.laplace_law, lambda: dict(sensitivity=2.0, epsilon=1.0, value=0.5))
valid("mechanisms.geometric", mechanisms.geometric, lambda: dict(value=[1, 2], sensitivity=1, epsilon=1.0, rng=rng(), size=3))
valid("mechanisms.geometric_law", mechanisms.geometric_law, lambda: dict(sensitivity=1, epsilon=1.0, value=2))
valid("mechanisms.gaussian", mechanisms.gaussian,
      lambda: dict(value=[1.0], sensitivity=1.0, epsilon=1.0, delta=1e-5, rng=rng(), size=2))
valid("mechanisms.gaussian_delta", mechanisms.gaussian_delta, lambda: dict(sensitivity=1.0, sigma=3.0, epsilon=1.0))
valid("mechanisms.gaussian_sigma", mechanisms.gaussian_sigma, lambda: dict(sensitivity=1.0, epsilon=1.0, delta=1e-5))
for bound in ("laplace_error_bound", "laplace_error_quantile"):
    valid(f"mechanisms.{bound}", getattr(mechanisms, bound), lambda: dict(n_numbers=8, sensitivity=2.0, epsilon=1.0, beta=0.05))
valid("mechanisms.exponential_error_bound", mechanisms.exponential_error_bound,
      lambda: dict(n_choices=8, sensitivity=2.0, epsilon=1.0, beta=0.05))
valid("mechanisms.exponential", mechanisms.exponential,
      lambda: dict(loss=[1.0, 2.0], sensitivity=1.0, epsilon=1.0, rng=rng(), size=2))
valid("mechanisms.exponential_by_gumbel", mechanisms.exponential_by_gumbel,
      lambda: dict(loss=[1.0, 2.0], sensitivity=1.0, epsilon=1.0, rng=rng(), size=2))
valid("mechanisms.gaussian_sigma_textbook", mechanisms.gaussian_sigma_textbook, lambda: dict(sensitivity=1.0, epsilon=1.0, delta=1e-5))
valid("mechanisms.exponential_probabilities", mechanisms.exponential_probabilities,
      lambda: dict(loss=[1.0, 2.0], sensitivity=1.0, epsilon=1.0))
valid("mechanisms.randomized_response", mechanisms.randomized_response,
      lambda: dict(A=A, n_groups=2, epsilon=1.0, rng=rng(), size=2))
valid("mechanisms.randomized_response_matrix", mechanisms.randomized_response_matrix, lambda: dict(n_groups=2, epsilon=1.0))
valid("mechanisms.debias_counts", mechanisms.debias_counts, lambda: dict(counts=[3.0, 5.0], epsilon=1.0, axis=0))
for reading in ("debias_variance", "likely_counts"):
    valid(f"mechanisms.{reading}", getattr(mechanisms, reading), lambda: dict(counts=[3.0, 5.0], epsilon=1.0, axis=0))
valid("audit.largest_power", audit.largest_power, lambda: dict(false_positive=[0.1, 0.5], epsilon=1.0, delta=1e-5))
valid("accounting.group_privacy", accounting.group_privacy, lambda: dict(epsilon=1.0, people=3, delta=1e-5))
valid("accounting.upsampling", accounting.upsampling, lambda: dict(epsilon=1.0, copies=[3, 0, 2], delta=1e-5))

valid("mechanisms.exact_geometric", mechanisms.exact_geometric,
      lambda: dict(value=[1, 2], sensitivity=1, epsilon=1.0, rng=rng(), size=3))

# ------------------------------------------------------------------------------------------------ accounting and audit
valid("accounting.Release", accounting.Release,
      lambda: dict(RELEASE, epsilon=0.5, delta=0.0, sampling_probability=1.0, relation=None, times=1, part=("label 0", "labels of May")))
valid("accounting.releases_table", accounting.releases_table, lambda: dict(releases=[accounting.Release(**RELEASE)]))
valid("accounting.compose", accounting.compose, lambda: dict(releases=[accounting.Release(**RELEASE)], delta=1e-6, method="basic"))
valid("accounting.compose_parallel", accounting.compose_parallel,
      lambda: dict(releases=[accounting.Release(**RELEASE)], delta=1e-6, touches=1))
for formula in ("advanced_composition", "advanced_composition_long"):
    valid(f"accounting.{formula}", getattr(accounting, formula), lambda: dict(epsilon0=0.1, k=10, delta=1e-5))
valid("accounting.basic_composition", accounting.basic_composition, lambda: dict(epsilon0=0.1, k=10))
valid("accounting.theorem_1_5", accounting.theorem_1_5,
      lambda: dict(epsilon=0.5, k=10, delta=1e-5, delta_step=1e-9, as_printed=False))
valid("accounting.optimal_composition", accounting.optimal_composition, lambda: dict(epsilon0=0.1, k=10, delta=1e-5, delta0=1e-9))
valid("accounting.optimal_composition_delta", accounting.optimal_composition_delta,
      lambda: dict(epsilon0=0.1, k=10, epsilon=0.5, delta0=1e-9))
valid("accounting.bounded_range_composition", accounting.bounded_range_composition,
      lambda: dict(epsilon0=0.1, k=10, delta=1e-5, adaptive=True))
valid("accounting.bounded_range_delta", accounting.bounded_range_delta, lambda: dict(epsilon0=0.1, k=10, epsilon=0.2))
valid("accounting.bounded_range_mean", accounting.bounded_range_mean, lambda: dict(epsilon0=0.1))
for divergence in ("rdp_pure", "rdp_laplace", "rdp_exponential"):
    valid(f"accounting.{divergence}", getattr(accounting, divergence), lambda: dict(epsilon0=0.1, order=[2.0, 3.0]))
valid("accounting.rdp_sampled_gaussian", accounting.rdp_sampled_gaussian,
      lambda: dict(noise_multiplier=2.0, sampling_probability=0.1, order=[2.0, 3.0], pair="add or remove"))
valid("accounting.rdp_to_epsilon", accounting.rdp_to_epsilon, lambda: dict(orders=[2.0, 3.0], rdp=[0.1, 0.2], delta=1e-5))
valid("accounting.pld_epsilon", accounting.pld_epsilon,
      lambda: dict(releases=[accounting.Release(**RELEASE)], delta=1e-6, pessimistic=True))
valid("accounting.pld_delta", accounting.pld_delta,
      lambda: dict(releases=[accounting.Release(**RELEASE)], epsilon=0.2, pessimistic=True))
valid("accounting.compare_accountants", accounting.compare_accountants,
      lambda: dict(releases=[accounting.Release(**RELEASE)], delta=1e-6))
valid("accounting.epsilon_by_steps", accounting.epsilon_by_steps,
      lambda: dict(mechanism="laplace", epsilon0=0.1, steps=[1, 10], delta=1e-6, accountants=("basic", "optimal", "rdp")))
valid("audit.clopper_pearson", audit.clopper_pearson, lambda: dict(n_hits=[3, 4], n=10, alpha=0.05))
valid("audit.epsilon_lower_bound", audit.epsilon_lower_bound,
      lambda: dict(hits_1=90, hits_0=10, n=100, delta=0.0, alpha=0.05))
valid("audit.audit_scalar", audit.audit_scalar,
      lambda: dict(samples=rng().laplace(1, 1, 200), samples_neighbour=rng().laplace(0, 1, 200), rng=rng(), delta=0.0, alpha=1e-3,
                   claimed_epsilon=1.0))
valid("audit.privacy_loss", audit.privacy_loss,
      lambda: dict(outputs=[[0.5, 1.5]], table=[0.0, 1.0], table_neighbour=[1.0, 0.0], scale=2.0))
valid("audit.exact_epsilon", audit.exact_epsilon, lambda: dict(law=[0.4, 0.6], law_neighbour=[0.5, 0.5], delta=0.0))
valid("audit.exact_delta", audit.exact_delta, lambda: dict(law=[0.4, 0.6], law_neighbour=[0.5, 0.5], epsilon=0.1))
valid("audit.laplace_shift_delta", audit.laplace_shift_delta, lambda: dict(shift=1.0, scale=1.0, epsilon=0.5))
valid("audit.laplace_scale_delta", audit.laplace_scale_delta, lambda: dict(scale=1.0, scale_neighbour=1.2, epsilon=0.5, n=3))

# -------------------------------------------------------------------------------------------------------------- attacks
valid("attacks.attribute_advantage_bound", attacks.attribute_advantage_bound, lambda: dict(epsilon=1.0, delta=0.01, prior=0.5))
valid("attacks.posterior_bound", attacks.posterior_bound, lambda: dict(epsilon=1.0, prior=0.5))
valid("attacks.exact_advantage", attacks.exact_advantage, lambda: dict(law_0=[0.4, 0.6], law_1=[0.5, 0.5], prior=0.5))
valid("attacks.advantage_interval", attacks.advantage_interval, lambda: dict(hits=[6, 7], n=10, prior=0.5, alpha=0.05))
valid("attacks.guessing_game", attacks.guessing_game,
      lambda: dict(release=lambda A, rng: A, attack=lambda outputs: outputs, trials=20, rng=rng(), prior=0.5))
valid("attacks.secret_shares", attacks.secret_shares, lambda: dict(values=[1, 0, 1], parties=3, modulus=101, rng=rng()))
valid("attacks.reweighing_weights", attacks.reweighing_weights, lambda: dict(A=A, Y=Y, counts=[[2.0, 2.0], [1.5, 2.5]]))
valid("attacks.read_support_vectors", attacks.read_support_vectors,
      lambda: dict(vectors=[[0.4, 1.0], [0.6, 0.0]], X=[[0.2], [0.4], [0.6]]))
valid("attacks.read_multipliers", attacks.read_multipliers,
      lambda: dict(multipliers=[1.25, -1.25, 0.75, 0.75], Y=[1, 1, 1, 1], known=[1, -1, -1, -1]))

# ------------------------------------------------------------------------------------------------------------ fairness
valid("fairness.cell_counts", fairness.cell_counts, lambda: dict(prediction=PREDICTION, A=A, Y=Y, n_groups=2, n_bins=2))
valid("fairness.rates", fairness.rates, lambda: dict(counts=COUNTS))
valid("fairness.error", fairness.error, lambda: dict(counts=COUNTS))
valid("fairness.violation", fairness.violation, lambda: dict(counts=COUNTS, notion="equalized_odds", against="anchor", anchor=0))
valid("fairness.Parity", fairness.Parity, lambda: dict(notion="equalized_odds", against="anchor", anchor=0))
valid("fairness.Parity:sizes", fairness.Parity("accuracy_parity").sizes, lambda: dict(n=COUNTS[0]))
for _method in ("rates", "gaps", "violation"):
    valid(f"fairness.Parity:{_method}", getattr(fairness.Parity(), _method), lambda: dict(counts=COUNTS))
for _method in ("differences", "apart"):
    valid(f"fairness.Parity:{_method}", getattr(fairness.Parity(against="population"), _method),
          lambda: dict(rates=[[0.1, 0.2], [0.3, 0.5]], sizes=[[1, 2], [3, 4]]))
valid("fairness.Parity:comparisons", fairness.Parity(against="pairs").comparisons, lambda: dict(n_groups=3))
valid("fairness.report", fairness.report, lambda: dict(counts=COUNTS))

valid("fairness.form_constants", fairness.form_constants, lambda: dict(shares=[0.5, 0.3, 0.2], anchor=1))
valid("fairness.predictive_values", fairness.predictive_values, lambda: dict(counts=COUNTS))
valid("fairness.cross_groups", fairness.cross_groups, lambda: dict(attributes=[A, Y]))
valid("fairness.merge_groups", fairness.merge_groups, lambda: dict(counts=COUNTS, into=[0, 0]))

# ---------------------------------------------------------------------------------------------------------------- luck
valid("fairness.mean_gap_bounds", fairness.mean_gap_bounds, lambda: dict(rates=[[.5, .4], [.2, .9]], people=[[40, 30], [20, 10]]))
valid("fairness.gap_margin", fairness.gap_margin, lambda: dict(people=[[40, 30], [20, 10]], beta=0.05))
valid("fairness.chance_violation", fairness.chance_violation, lambda: dict(people=50, rate=0.3, n_groups=3, beta=0.05, against="pairs"))

# ------------------------------------------------------------------------------------------------------ postprocessing
valid("postprocessing.solve_lp", postprocessing.solve_lp, lambda: dict(q=Q, gamma=0.1, slack=0.0, notion="equalized_odds"))
valid("postprocessing.closed_form", postprocessing.closed_form, lambda: dict(
    q=Q, gamma=0.1, slack=0.0, notion="equalized_odds"))
valid("postprocessing.dual_value", postprocessing.dual_value, lambda: dict(
    q=Q, gamma=0.1, dual=np.zeros((2, 2)), slack=0.0, notion="equalized_odds"))
valid("postprocessing.derived_counts", postprocessing.derived_counts, lambda: dict(q=Q, p=np.full((2, 2), 0.5)))
valid("postprocessing.score_bins", postprocessing.score_bins, lambda: dict(score=[0.1, 0.5, 0.9], cuts=[0.2, 0.5]))
valid("postprocessing.suggested_bins", postprocessing.suggested_bins, lambda: dict(m=100, epsilon=1.0))
valid("postprocessing.optimal_cuts", postprocessing.optimal_cuts,
      lambda: dict(score=[0.9, 0.7, 0.4, 0.3, 0.2, 0.8, 0.6, 0.5], Y=Y, n_bins=3, criterion="price"))
valid("postprocessing.noisy_counts", postprocessing.noisy_counts,
      lambda: dict(counts=COUNTS, epsilon=1.0, rng=rng(), size=2, as_printed=True))
valid("postprocessing.public_margin_counts", postprocessing.public_margin_counts,
      lambda: dict(counts=COUNTS, epsilon=1.0, rng=rng(), size=2, noise="laplace", as_printed=False))
valid("postprocessing.k_norm_counts", postprocessing.k_norm_counts,
      lambda: dict(counts=COUNTS, epsilon=1.0, rng=rng(), size=2, exact=False))
valid("postprocessing.k_norm_probability", postprocessing.k_norm_probability, lambda: dict(noise=[1, 0, -1], epsilon=1.0))
valid("postprocessing.k_norm_variance", postprocessing.k_norm_variance, lambda: dict(n_groups=3, epsilon=1.0))
valid("postprocessing.lift_unusable", postprocessing.lift_unusable, lambda: dict(q=Q, slack=0.0, notion="false_positive"))
for slack in ("paper_slack", "main_text_slack"):
    valid(f"postprocessing.{slack}", getattr(postprocessing, slack),
          lambda: dict(q=Q, m=M, epsilon=1.0, beta=0.05))
valid("postprocessing.bins_slack", postprocessing.bins_slack, lambda: dict(
    q=Q, m=M, epsilon=1.0, beta=0.05, noise="geometric", notion="true_positive"))
valid("postprocessing.margin_slack", postprocessing.margin_slack, lambda: dict(
    q=Q, m=M, epsilon=1.0, beta=0.05, noise="geometric", notion="true_positive"))
valid("postprocessing.largest_change", postprocessing.largest_change, lambda: dict(prediction=[1, 0, 1], Y=[1, 0, 0], n_groups=2))
valid("postprocessing.lemma_a1", postprocessing.lemma_a1, lambda: dict(q=Q, m=M, epsilon=5.0, beta=0.05, as_printed=False))
valid("postprocessing.theorem_2_2", postprocessing.theorem_2_2,
      lambda: dict(q=Q, m=M, epsilon=5.0, beta=0.05, gamma=0.1, as_printed=False))


def _fitted_post(X, y, sensitive_features, rng, **settings):
    return postprocessing.DPPostProcessing(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)


def _post_arguments():
    ten = data.load("ten_people")
    return dict(base=data.ten_people_base, epsilon=1.0, gamma=0.1, method="public_margins", notion="equalized_odds",
                against="pairs", slack=True, beta=0.05, n_bins=None, n_groups=2,
                X=ten.X, y=ten.Y, sensitive_features=ten.A, rng=rng())


@cache
def _post():
    return _fitted_post(**_post_arguments())


valid("postprocessing.DPPostProcessing", _fitted_post, _post_arguments)
valid("postprocessing.DPPostProcessing:score_bins", _fitted_post,
      lambda: dict(_post_arguments(), method="score_bins", n_bins=3, base=lambda X: np.asarray(X)[:, 0]))
valid("postprocessing.DPPostProcessing:p_at", _of(_post, "p_at"), lambda: dict(gamma=0.1))
valid("postprocessing.DPPostProcessing:predict_proba", _of(_post, "predict_proba"),
      lambda: dict(X=data.load("ten_people").X, sensitive_features=data.load("ten_people").A, gamma=0.05))
valid("postprocessing.DPPostProcessing:curve", _of(_post, "curve"), lambda: dict(gammas=[0.0, 0.1], confidence=0.9, rng=rng()))
valid("postprocessing.DPPostProcessing:predict", _of(_post, "predict"),
      lambda: dict(X=data.load("ten_people").X, sensitive_features=data.load("ten_people").A, rng=rng(), gamma=0.05))
valid("postprocessing.DPPostProcessing:score", _of(_post, "score"),
      lambda: dict(X=data.load("ten_people").X, y=data.load("ten_people").Y, sensitive_features=data.load("ten_people").A,
                   gamma=0.05, sample_weight=None))

# ---------------------------------------------------------------------------------------------------------------- data
TEN = data.load("ten_people")
valid("data.load", data.load, lambda: dict(name="communities", group="paper", label="p70", features="paper"))
valid("data.load:ten", data.load, lambda: dict(name="ten_people", group=None, label=None, features=None))
valid("data.load:synthetic", data.load, lambda: dict(name="synthetic", m=20, n_groups=2, d=2, rng=rng()))
valid("data.list_datasets", data.list_datasets, dict)
valid("data.base_classifier", data.base_classifier, lambda: dict(dataset=TEN))
valid("data.ten_people_base", data.ten_people_base, lambda: dict(X=TEN.X))
valid("data.make_logistic", data.make_logistic,
      lambda: dict(m=20, n_groups=2, d=2, coefficients=[1.0, -1.0], intercepts=[0.0, 0.1], shifts=[[0, 0], [1, 1]],
                   group_shares=[0.5, 0.5], rng=rng()))
valid("data.Dataset", data.Dataset,
      lambda: dict(X=TEN.X, A=TEN.A, Y=TEN.Y, feature_names=TEN.feature_names, group_names=TEN.group_names, name="ten",
                   provenance=TEN.provenance))
valid("data.Dataset:subset", lambda **arguments: TEN.subset(**arguments), lambda: dict(rows=[0, 1, 5, 7]))
valid("data.Population", data.Population,
      lambda: dict(shares=[0.5, 0.5], base_rates=[0.4, 0.5], false_positive=[0.1, 0.2], true_positive=[0.7, 0.8]))

# --------------------------------------------------------------------------------------------------------- experiments
LINE = np.array([[0.0, 0.3], [0.1, 0.15], [0.2, 0.12]])
FREE = np.array([[0.0, 0.4], [0.25, 0.1]])
valid("experiments.lower_hull", experiments.lower_hull, lambda: dict(points=LINE))
valid("experiments.pareto_quality", experiments.pareto_quality, lambda: dict(curve=LINE + 0.01, reference=LINE, free_points=FREE))
valid("experiments.bootstrap_means", experiments.bootstrap_means,
      lambda: dict(values=np.ones((5, 3)), rng=rng(), resamples=20))

SIXTY = data.make_logistic(60, d=2, rng=np.random.default_rng(0))
_TWO_GROUPS = np.array([[[30, 20], [15, 10]], [[5, 40], [10, 25]]])
valid("experiments.free_points", experiments.free_points, lambda: dict(counts=_TWO_GROUPS))
valid("experiments.postprocessing_draws", experiments.postprocessing_draws,
      lambda: dict(counts=_TWO_GROUPS, method="as_printed", epsilon=1.0, gammas=[0.0, 0.1], repeats=3, rng=rng(),
                   negative_slack="left_out", beta=0.05, evaluate_on=_TWO_GROUPS))
valid("experiments.draws_over_splits", experiments.draws_over_splits,
      lambda: dict(pairs=[(_TWO_GROUPS, _TWO_GROUPS)] * 2, method="public_margins", epsilon=1.0, gammas=[0.0, 0.1], repeats=3, rng=rng()))
valid("experiments.base_counts", experiments.base_counts, lambda: dict(people=SIXTY, n_bins=4, criterion="price"))
valid("experiments.held_out_counts", experiments.held_out_counts, lambda: dict(people=SIXTY, n_bins=3, criterion="area"))
valid("experiments.regression_reference", experiments.regression_reference,
      lambda: dict(X=SIXTY.X, A=SIXTY.A, Y=SIXTY.Y))
valid("experiments.error_at_violation", experiments.error_at_violation, lambda: dict(curve=LINE, violation=0.05, free_points=FREE))
valid("experiments.epsilon_at_quality", experiments.epsilon_at_quality, lambda: dict(epsilons=[0.1, 1.0], qualities=[0.2, 0.9], target=0.5))

# ---------------------------------------------------------------------------------------------------------- separation
for quantity in ("instance", "theorem_3_9"):
    valid(f"separation.{quantity}", getattr(separation, quantity), lambda: dict(m=40, gamma=0.1, neighbour="paper"))
for value in ("fair_optimum", "optimal_error"):
    valid(f"separation.{value}", getattr(separation, value), lambda: dict(D=separation.instance(40, 0.1)[0], gamma=0.1, aware=True))
valid("separation.optimal_errors", separation.optimal_errors, lambda: dict(counts=COUNTS, gamma=0.1, aware=True))
valid("separation.sensitivity_bound", separation.sensitivity_bound,
      lambda: dict(m=40, gamma=0.1, share=0.25, aware=True, as_printed=False))
valid("separation.largest_jump", separation.largest_jump,
      lambda: dict(m=5, gamma=0.1, share=0.2, aware=True, change="attribute"))

# ------------------------------------------------------------------------------------------ games: classifiers that see A
valid("games.group_indicators", games.group_indicators, lambda: dict(A=A, n_groups=2))
valid("games.aware_predictions", games.aware_predictions, lambda: dict(by_group=np.zeros((3, 2, 8)), A=A))
valid("games.fair_mixture", games.fair_mixture, lambda: dict(fp=[0.2, 0.5, 0.9], gamma=0.1))
valid("games.fair_mixture_as_printed", games.fair_mixture_as_printed, lambda: dict(fp=[0.2, 0.5, 0.9], gamma=0.1))
valid("games.aware.false_positive_gaps", games.aware.false_positive_gaps, lambda: dict(fp=[0.2, 0.5, 0.9], gamma=0.1))
valid("games.aware.anchor_move", games.aware.anchor_move, lambda: dict(gap=[0.3, 0.7], limit=0.2, most=0.5))
valid("games.aware_sensitivities", games.aware_sensitivities, lambda: dict(smallest_cell=9, n_groups=3, B=2.0, m=100))
valid("games.least_bound", games.least_bound, lambda: dict(n_groups=3, gamma=0.1, as_printed=False))
valid("games.theorem_3_8", games.theorem_3_8, lambda: dict(nu=0.01, gamma=0.1, B=4.0, n_groups=3, as_printed=False))

# ------------------------------------------------------------------------------------------------- explore and plotting


def _square(x, power):
    return {"curve": np.asarray(x, dtype=float) ** power}


valid("explore.Explorer", lambda **arguments: explore.Explorer(**arguments).html(),
      lambda: dict(fn=_square, sliders={"power": [1.0, 2.0]}, title="Powers", alt="A curve.", people=None, start={"power": 2.0},
                   question="How?", labels={"power": "the power"}, play="", offered=None, x=[0.0, 0.5, 1.0]))
valid("explore.Panel", lambda **given: explore.Explorer([explore.Panel(**given)], sliders={"power": [1, 2]}, title="t", alt="A.").html(),
      lambda: dict(fn=_square, name="Powers", x=[0.0, 0.5, 1.0], series={"curve": "line"}, view="lines", x_label="x", y_label="y",
                   log_x=False, log_y=False, x_range=(0.0, 1.0), y_range=(0.0, 1.0), digits=None, colors={}, compare={},
                   guess="", share=0.5))
valid("explore.Panel:table", lambda **given: explore.Explorer([explore.Panel(**given)], sliders={"n": [1, 2]}, title="t", alt="A.").html(),
      lambda: dict(fn=lambda n: pd.DataFrame({"n": [n]}), view="table", digits=3))
valid("explore.People", explore.People,
      lambda: dict(names=["Ada", "Ben"], group=[0, 1], label=[1, 0], score=[0.9, 0.4], cut=0.5,
                   words={"group": ("left", "right")}))
valid("explore.Puzzle", explore.Puzzle, lambda: dict(question="Why?", answer="Because."))
valid("explore.SelfCheck", explore.SelfCheck, lambda: dict(question="Why?", choices=[("yes", True, "Right."), ("no", False, "Not so.")]))
valid("explore.show", explore.show, lambda: dict(obj=fairness.rates))
valid("plotting.whole_subject", plotting.whole_subject, lambda: {})
_CURVES = pd.DataFrame({"epsilon": [1.0, 1.0, 2.0], "violation": [0.0, 0.2, 0.1], "error": [0.3, 0.1, 0.2]})
_QUALITY = pd.DataFrame({"method": ["a", "a"], "epsilon": [1.0, 2.0], "q": [0.2, 0.9], "q_low": [0.1, 0.8], "q_high": [0.3, 1.0]})
valid("plotting.new_figure", plotting.new_figure, lambda: dict(width=5.0, height=4.0))
valid("plotting.roc_plane", plotting.roc_plane,
      lambda: dict(counts=_TWO_GROUPS, p=[[0.25, 0.0], [1.0, 0.75]]))
valid("plotting.pareto", plotting.pareto, lambda: dict(table=_CURVES, by="epsilon", free_points=FREE))
valid("plotting.quality_against_epsilon", plotting.quality_against_epsilon, lambda: dict(table=_QUALITY))

# ------------------------------------------------------------------------------------------------- oracles: the labelings
valid("oracles.threshold_labelings", oracles.threshold_labelings, lambda: dict(x=[0.1, 0.4, 0.4]))
valid("oracles.halfplane_labelings", oracles.halfplane_labelings, lambda: dict(X=[[0.0, 0.1], [1.0, 0.0], [0.5, 0.7]]))
valid("oracles.threshold_counts", oracles.threshold_counts, lambda: dict(x=[0.1 * i for i in range(8)], A=A, Y=Y, n_groups=2))
valid("oracles.halfplane_counts", oracles.halfplane_counts,
      lambda: dict(X=[[i, i * i % 5] for i in range(8)], A=A, Y=Y, n_groups=2))
valid("oracles.with_constants", oracles.with_constants, lambda: dict(predictions=[[0, 1, 0]]))
valid("oracles.sauer_sum", oracles.sauer_sum, lambda: dict(m=10, d=3))
valid("oracles.labelings_bound", oracles.labelings_bound, lambda: dict(m=10, d=3, as_printed=False))
valid("oracles.shattered_sets", oracles.shattered_sets, lambda: dict(labelings=[[0, 1], [1, 1]]))
CELL_COSTS = [[1.0, -1.0], [2.0, -0.5]]
valid("oracles.cell_losses", oracles.cell_losses, lambda: dict(labelings=[[0] * 8, PREDICTION], A=A, Y=Y, costs=CELL_COSTS))
valid("oracles.cost_sensitivity", oracles.cost_sensitivity, lambda: dict(costs=CELL_COSTS, m=8))
valid("oracles.private_oracle", oracles.private_oracle,
      lambda: dict(labelings=[[0] * 8, PREDICTION], A=A, Y=Y, costs=CELL_COSTS, epsilon=1.0, rng=rng(), size=3,
                   as_printed=False))


# ------------------------------------------------------------------------------------------------- games: the game itself
CLASSIFIERS = [[0] * 8, [1] * 8, PREDICTION]
LAM = [0.5, 0.0, 0.25, 0.0]


def game():
    return games.FairnessGame(CLASSIFIERS, A, Y, 0.1, n_groups=2, empty="zero")


def two_of_each():
    return games.FairnessGame(np.tile(CLASSIFIERS, 2), 2 * list(A), 2 * list(Y), 0.1)


def _play():
    return games.exponentiated_gradient(game(), 2.0, rounds=9)


valid("games.FairnessGame", games.FairnessGame,
      lambda: dict(predictions=CLASSIFIERS, A=A, Y=Y, gamma=0.1, constraints=("FP", "TP"), n_groups=2, empty="zero"))
valid("games.FairnessGame:from_counts", games.FairnessGame.from_counts,
      lambda: dict(n_pos=[[[1.0, 2.0], [3.0, 0.5]]], n=[[4.0, 4.0], [5.0, 1.0]], gamma=0.1, constraints=("FP",), empty="zero"))
valid("games.FairnessGame:notion", games.FairnessGame, lambda: dict(
    predictions=CLASSIFIERS, A=A, Y=Y, gamma=0.1, notion="demographic_parity", n_groups=2, empty="refuse"))
valid("games.FairnessGame:from_gaps", games.FairnessGame.from_gaps,
      lambda: dict(errors=[0.5, 0.1], gaps=[[0.0, 0.0], [0.2, -0.3]], gamma=0.1))
valid("games.FairnessGame:with_gamma", _of(game, "with_gamma"), lambda: dict(gamma=[0.1, 0.2]))
valid("games.FairnessGame:restricted", _of(game, "restricted"), lambda: dict(index=[0, 2]))
valid("games.FairnessGame:constraints_of", _of(game, "constraints_of"), lambda: dict(gaps=[0.1, -0.2]))
for method in ("signed", "losses", "cell_costs", "costs", "best_response"):
    valid(f"games.FairnessGame:{method}", _of(game, method), lambda: dict(lam=LAM))
for method in ("constraint_values", "error", "violation"):
    valid(f"games.FairnessGame:{method}", _of(game, method), lambda: dict(Q=[0.5, 0.25, 0.25]))
valid("games.FairnessGame:lagrangian", _of(game, "lagrangian"), lambda: dict(Q=[0.5, 0.25, 0.25], lam=LAM))
for method in ("regrets", "equilibrium_gap"):
    valid(f"games.FairnessGame:{method}", _of(game, method), lambda: dict(Q=[0.5, 0.25, 0.25], lam=LAM, B=2.0))
for method in ("equilibrium", "value"):
    valid(f"games.FairnessGame:{method}", _of(game, method), lambda: dict(B=2.0, as_printed=False))
valid("games.FairnessGame:fair_erm", _of(game, "fair_erm"), dict)
valid("games.hedge", games.hedge, lambda: dict(theta=[0.1, -0.2], B=2.0))
valid("games.hedge_regret", games.hedge_regret,
      lambda: dict(n_constraints=4, rounds=10, B=2.0, eta=0.1, spread=2.0, as_printed=False))
valid("games.agarwal_theorem_1", games.agarwal_theorem_1, lambda: dict(nu=0.1, n_constraints=4, B=2.0, spread=2.0, as_printed=False))
valid("games.exponentiated_gradient", games.exponentiated_gradient,
      lambda: dict(game=game(), B=2.0, eta=0.1, rounds=5, as_printed=False))
for method in ("gap_after", "regret_after"):
    valid(f"games.exponentiated_gradient:{method}", _of(_play, method), lambda: dict(after=[1, 9]))
valid("games.lemma_b_1", games.lemma_b_1, lambda: dict(nu=0.1, nu_learner=0.05))
valid("games.lemma_b_2", games.lemma_b_2, lambda: dict(nu=0.1, B=5.0, gamma=0.1, excess=0.2))
valid("games.fairness_bound_with_constants", games.fairness_bound_with_constants, lambda: dict(nu=0.1, B=5.0, gamma=0.2, room=0.5))
valid("games.population_bound", games.population_bound, lambda: dict(n=[[40, 30], [20, 10]], log_classifiers=2.0, beta=0.05))
valid("games.schedule", games.schedule,
      lambda: dict(m=1000, epsilon=1.0, delta=1e-7, B=2.0, n_groups=2, beta=0.05, log_labelings=7.0, constraints=("FP", "TP"),
                   smallest_cell=50.0))

# ---------------------------------------------------------------------------------------------- games: the private players
valid("games.lemma_3_1", games.lemma_3_1,
      lambda: dict(smallest_cell=20, n_groups=3, B=2.0, at="promise", protect="X and A", m=200, as_printed=False))
valid("games.neighbour_changes", games.neighbour_changes,
      lambda: dict(predictions=[[0, 1, 0, 1, 0, 1, 0, 1]], A=[0, 0, 0, 0, 1, 1, 1, 1], Y=[0, 0, 1, 1, 0, 0, 1, 1], B=2.0, least=1))
valid("games.subroutine_4_epsilon", games.subroutine_4_epsilon, lambda: dict(epsilon_step=0.1, B=2.0, n_groups=2))
valid("games.largest_step", games.largest_step, lambda: dict(epsilon=1.0, delta=1e-6, selections=10, gradients=9))
valid("games.printed_noise_delta", games.printed_noise_delta,
      lambda: dict(smallest_cell=5, n_groups=2, epsilon=1.0, gradients=2))
valid("games.printed_noise_epsilon", games.printed_noise_epsilon,
      lambda: dict(smallest_cell=5, n_groups=2, delta=1e-6, gradients=2))
_PRIVATE = dict(epsilon=1.0, delta=1e-6, B=2.0, eta=0.1, size=2)
_REPAIRED = dict(protect="A", progress=False, **_PRIVATE)
valid("games.dp_oracle_learner", games.dp_oracle_learner,
      lambda: dict(game=game(), rng=rng(), cell_sizes="public_lower_bound", smallest_cell=1.0, rounds=3, **_REPAIRED))
valid("games.dp_oracle_learner:budget_fraction", games.dp_oracle_learner,
      lambda: dict(game=game(), rng=rng(), cell_sizes="noisy_lower_bound", budget_fraction=0.2, rounds=3, **_REPAIRED))
valid("games.dp_oracle_learner:schedule", games.dp_oracle_learner,
      lambda: dict(game=game(), rng=rng(), epsilon=1.0, delta=1e-6, B=2.0, cell_sizes="noisy", rounds=None))
valid("games.dp_oracle_learner_as_printed", games.dp_oracle_learner_as_printed,
      lambda: dict(game=two_of_each(), rng=rng(), rounds=3, **_PRIVATE))
valid("games.dp_oracle_learner_as_printed:schedule", games.dp_oracle_learner_as_printed,
      lambda: dict(game=two_of_each(), rng=rng(), epsilon=1.0, delta=1e-6, B=2.0, rounds=None))
valid("games.Setting:of", games.Setting.of, lambda: dict(
    game=game(), epsilon=1.0, delta=1e-6, B=2.0, rounds=3, smallest_cell=1.0, eta=0.1,
    budget_fraction=0.2, protect="A"))
valid("games.Setting:step", lambda cell_sizes: games.Setting(3, 1.0, 1e-6, 2.0, 2).step(cell_sizes), lambda: dict(cell_sizes="noisy"))
valid("games.evaluate", games.evaluate, lambda: dict(
    published=games.dp_oracle_learner(game(), 1.0, 1e-6, 2.0, rng(), rounds=3), game=game()))
valid("games.gradient_seen", games.gradient_seen, lambda: dict(lam=[0.4, 0.4, 0.4, 0.4], B=2.0, eta=0.5))
_BOUND = games.Setting(9, 1.0, 1e-6, 2.0, 2, 0.05, 2.0, 200.0, eta=0.1, m=1000)
for bound in ("lemma_3_2", "lemma_3_3", "lemma_3_4", "theorem_3_5"):
    valid(f"games.{bound}", getattr(games, bound), lambda: dict(setting=_BOUND, as_printed=False))
valid("games.theorem_3_6", games.theorem_3_6, lambda: dict(setting=_BOUND, gamma=0.1, constants=2, as_printed=False))
valid("games.theorem_3_7", games.theorem_3_7,
      lambda: dict(setting=replace(_BOUND, protect="X and A"), gamma=0.1, constants=2, as_printed=False))
valid("games.best_setting", games.best_setting, lambda: dict(setting=_BOUND))
valid("games.frozen_bound", games.frozen_bound, lambda: dict(setting=_BOUND))
valid("games.Setting:scheduled", games.Setting.scheduled, lambda: dict(
    m=1000, epsilon=1.0, delta=1e-6, B=2.0, n_groups=2, beta=0.05, log_labelings=2.0, smallest_cell=200.0))
valid("games.frozen_tau", games.frozen_tau, lambda: dict(
    n=[[40, 30], [20, 10]], denominators=[[41.0, 28.5], [19.0, 11.5]]))

# ------------------------------------------------------------------------------------------ the regression oracle, and games
_PEOPLE = dict(X=np.arange(24.0).reshape(12, 2) % 5, Y=[0, 1] * 6)
_GROUPS = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]


def _regression():
    return oracles.RegressionOracle(**_PEOPLE)


def _regression_play():
    return games.regression_exponentiated_gradient(_regression(), _GROUPS, 0.1, rounds=5)


def _private_regression_play():
    return games.regression_dp_oracle_learner(_regression(), _GROUPS, 0.1, 1.0, 1e-6, rng(), n_groups=2, rounds=3)


valid("oracles.RegressionOracle", oracles.RegressionOracle, lambda: dict(_PEOPLE))
valid("oracles.RegressionOracle:sums", _of(_regression, "sums"), lambda: dict(A=_GROUPS, n_groups=2))
valid("oracles.RegressionOracle:gap_coefficients", _of(_regression, "gap_coefficients"), lambda: dict(sums=_regression().sums(_GROUPS)))
valid("oracles.RegressionOracle:scores", _of(_regression, "scores"), lambda: dict(coefficients=[0.1, 0.2, 0.3], X=_PEOPLE["X"]))
valid("oracles.RegressionOracle:coefficients", _of(_regression, "coefficients"), lambda: dict(targets=np.arange(len(_PEOPLE["Y"])) / 2))
valid("oracles.RegressionOracle:answer", _of(_regression, "answer"),
      lambda: dict(prices=[0.1, -0.2], gap_coefficients=[[0.1, 0.2, 0.3], [0.0, 1.0, -1.0]], X=_PEOPLE["X"]))
valid("games.regression_exponentiated_gradient", games.regression_exponentiated_gradient,
      lambda: dict(oracle=_regression(), A=_GROUPS, gamma=0.1, B=2.0, notion="equalized_odds", eta=0.2, rounds=5))
valid("games.regression_exponentiated_gradient:notion", games.regression_exponentiated_gradient,
      lambda: dict(oracle=_regression(), A=_GROUPS, gamma=0.1, notion="false_positive", rounds=5))
valid("games.regression_exponentiated_gradient:acceptance_probability", _of(_regression_play, "acceptance_probability"),
      lambda: dict(X=_PEOPLE["X"]))
valid("games.regression_dp_oracle_learner", games.regression_dp_oracle_learner,
      lambda: dict(oracle=_regression(), A=_GROUPS, gamma=0.1, epsilon=1.0, delta=1e-6, rng=rng(), n_groups=2, B=2.0, rounds=3, eta=0.2,
                   budget_fraction=0.1, learner_fraction=0.9, ridge=1.0, notion="equalized_odds", size=2, progress=False))
valid("games.regression_dp_oracle_learner:notion", games.regression_dp_oracle_learner,
      lambda: dict(oracle=_regression(), A=_GROUPS, gamma=0.1, epsilon=1.0, delta=1e-6, rng=rng(), n_groups=2,
                   notion="true_positive", rounds=3))
valid("games.regression_dp_oracle_learner:acceptance_probability", _of(_private_regression_play, "acceptance_probability"),
      lambda: dict(X=_PEOPLE["X"]))
valid("baselines.regression_dp_oracle_learner_as_printed", baselines.regression_dp_oracle_learner_as_printed,
      lambda: dict(oracle=_regression(), A=_GROUPS, gamma=0.1, epsilon=100.0, delta=1e-6, rng=rng(), B=2.0, beta=0.05, step="code",
                   noise="scale", most_rounds=5, size=2))
valid("baselines.section_5_step", baselines.section_5_step, lambda: dict(epsilon=100.0, delta=1e-6, rounds=5))


# --------------------------------------------------------------------------------------------------------------- oneshot
_SCORES = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.4, 0.2], [0.7, 0.9], [0.1, 0.6], [0.6, 0.4], [0.3, 0.8]])
valid("mechanisms.Measurement", mechanisms.Measurement, lambda: dict(
    mechanism="gaussian", unit="one whole tuple", sensitivity=[1.0, 2.0], scale=3.0, epsilon=None, delta=0.0, relation="replace one tuple",
    sampling_probability=.5, part=None))
valid("mechanisms.release", mechanisms.release, lambda: dict(
    mechanism="laplace", value=[1.0, 2.0], rng=rng(), unit=mechanisms.UNIT_A, sensitivity=1.0, scale=2.0, epsilon=None,
    delta=0.0, relation=None, part=None, size=3))
valid("mechanisms.release_cells", mechanisms.release_cells,
      lambda: dict(cells=[0, 0, 1, 1, 2, 2, 2, 0], A=A, epsilon=1.0, rng=rng(), n_groups=2, n_cells=3, every_group=False,
                   exact=True, part=("label 0", "labels of May")))
valid("mechanisms.debiased_groups", mechanisms.debiased_groups, lambda: dict(reports=A, n_groups=2, epsilon=1.0))
valid("oneshot.bayes_scores", oneshot.bayes_scores,
      lambda: dict(eta=[0.2, 0.7, 0.5], group_given=np.full((3, 2, 2), 0.5), n=[[4.0, 2.0], [3.0, 5.0]], notion="equalized_odds",
                   share=1.0, cost=(1.0, 2.0)))
valid("oneshot.multiplier_grid", oneshot.multiplier_grid,
      lambda: dict(n_groups=2, points=5, notion="equalized_odds", against="pairs"))
_ONE_SHOT = dict(epsilon=1.0, gamma=0.05, gammas=[0.0, 0.1], n_groups=2, share=0.5, notion="equalized_odds", against="anchor", target="new",
                 base=LogisticRegression().fit(_SCORES, Y), cost=(1.0, 2.0))


def _fitted_one_shot(X, y, sensitive_features, rng, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)       # of so few people gaps say next to nothing
        return oneshot.FrontierLearner(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)


@cache
def _one_shot():
    return _fitted_one_shot(_SCORES, Y, A, np.random.default_rng(1), **_ONE_SHOT)


valid("oneshot.FrontierLearner", _fitted_one_shot, lambda: dict(X=_SCORES, y=Y, sensitive_features=A, rng=rng(), **_ONE_SHOT))
valid("oneshot.FrontierLearner:decisions", _of(_one_shot, "decisions"), lambda: dict(X=_SCORES))
valid("oneshot.FrontierLearner:predict_proba", _of(_one_shot, "predict_proba"), lambda: dict(X=_SCORES, sensitive_features=A, gamma=0.1))
valid("oneshot.FrontierLearner:curve", _of(_one_shot, "curve"), lambda: dict(gammas=[0.0, 0.1], confidence=0.9, rng=rng()))
valid("oneshot.FrontierLearner:predict", _of(_one_shot, "predict"), lambda: dict(X=_SCORES, sensitive_features=A, rng=rng(), gamma=0.1))
valid("oneshot.FrontierLearner:score", _of(_one_shot, "score"), lambda: dict(X=_SCORES, y=Y, sensitive_features=A, gamma=0.1))


# ------------------------------------------------------------------------------------------------ the estimators of the games
_LOOP = dict(epsilon=4.0, gamma=0.05, delta=1e-3, n_groups=2, notion="equalized_odds", B=2.0, rounds=3, progress=False)
_MIXED = dict(_LOOP, against="anchor", classifiers=[
    lambda X: (check_array(X)[:, 0] > 0.5).astype(int)])


def _fitted_loop(learner):
    def fitted(X, y, sensitive_features, rng, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallGroupWarning)
            return learner(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)
    return fitted


_RULES = dict(_LOOP, ridge=1.0, notion=fairness.Parity("equalized_odds", "anchor"))
for _name, _settings in (("DPOracleLearner", _MIXED), ("DPRegressionLearner", _RULES)):
    _fit, _told = _fitted_loop(getattr(games, _name)), dict(_settings, X=_SCORES, y=Y, sensitive_features=A)
    valid(f"games.{_name}", _fit, lambda told=_told: dict(told, rng=rng()))
    _made = cache(lambda fit=_fit, told=_told: fit(**told, rng=np.random.default_rng(1)))
    valid(f"games.{_name}:predict_proba", _of(_made, "predict_proba"), lambda: dict(X=_SCORES, sensitive_features=A, gamma=0.05))
    valid(f"games.{_name}:predict", _of(_made, "predict"), lambda: dict(X=_SCORES, sensitive_features=A, rng=rng(), gamma=0.05))
    valid(f"games.{_name}:score", _of(_made, "score"), lambda: dict(X=_SCORES, y=Y, sensitive_features=A, gamma=0.05, sample_weight=None))


# ------------------------------------------------------------------------------------------------ networks with multipliers
_PRICED = dict(gamma=0.05, notion="accuracy_parity", n_groups=2, missing=False, hidden=(2,), epochs=2, batch=64, learning_rate=0.01,
               dual_learning_rate=1.0, max_multiplier=2.0, progress=False)
_SECRET = dict(_PRICED, epsilon=2.0, delta=1e-6, max_grad_norm=1.0)


def _priced(learner):
    def fitted(X, y, sensitive_features, rng, **settings):
        return learner(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)
    return fitted


for _name, _settings in (("FairLagrangian", _PRICED), ("PrivateFairLagrangian", _SECRET)):
    _fit, _told = _priced(getattr(lagrangian, _name)), dict(_settings, X=_SCORES, y=Y, sensitive_features=A)
    valid(f"lagrangian.{_name}", _fit, lambda told=_told: dict(told, rng=rng()))
    _made = cache(lambda fit=_fit, told=_told: fit(**told, rng=np.random.default_rng(1)))
    valid(f"lagrangian.{_name}:predict_proba", _of(_made, "predict_proba"), lambda: dict(X=_SCORES, sensitive_features=A, gamma=0.05))
    valid(f"lagrangian.{_name}:predict", _of(_made, "predict"), lambda: dict(X=_SCORES, sensitive_features=A, rng=rng(), gamma=0.05))
    valid(f"lagrangian.{_name}:score", _of(_made, "score"), lambda: dict(X=_SCORES, y=Y, sensitive_features=A, gamma=0.05,
                                                                        sample_weight=None))


# ------------------------------------------------------------------------------------------------ the learners that papers compare with
def _fitted_as(learner):
    def fitted(X, y, sensitive_features, rng, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallGroupWarning)
            return learner(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)
    return fitted


_REDUCED = dict(base=LogisticRegression(), gamma=0.05, n_groups=2, notion="equalized_odds", rounds=3)
for _name, _settings in (("Reduction", dict(_REDUCED, against="pairs")),
                         ("PrivateReduction", dict(_REDUCED, epsilon=2.0, correction="rates")),
                         ("CovarianceClassifier", dict(gamma=0.05, n_groups=2, notion="equalized_odds", C=1.0, steps=3))):
    _fit, _told = _fitted_as(getattr(baselines, _name)), dict(_settings, X=_SCORES, y=Y, sensitive_features=A)
    valid(f"baselines.{_name}", _fit, lambda told=_told: dict(told, rng=rng()))
    _made = cache(lambda fit=_fit, told=_told: fit(**told, rng=np.random.default_rng(1)))
    valid(f"baselines.{_name}:predict_proba", _of(_made, "predict_proba"), lambda: dict(X=_SCORES, sensitive_features=A, gamma=0.05))
    valid(f"baselines.{_name}:predict", _of(_made, "predict"), lambda: dict(X=_SCORES, sensitive_features=A, rng=rng(), gamma=0.05))
    valid(f"baselines.{_name}:score", _of(_made, "score"),
          lambda: dict(X=_SCORES, y=Y, sensitive_features=A, gamma=0.05, sample_weight=None))


def _fitted_network(X, y, sample_weight, rng, **settings):
    return baselines.NetworkClassifier(**settings).fit(X, y, sample_weight, rng=rng)


_NETWORK = dict(hidden=(3,), epochs=1, batch=4, learning_rate=0.01, precision="float64")
_network = cache(lambda: _fitted_network(_SCORES, Y, None, np.random.default_rng(1), **_NETWORK))
valid("baselines.NetworkClassifier", _fitted_network, lambda: dict(X=_SCORES, y=Y, sample_weight=np.ones(len(Y)), rng=rng(), **_NETWORK))
for _name in ("predict", "predict_proba", "decision_function"):
    valid(f"baselines.NetworkClassifier:{_name}", _of(_network, _name), lambda: dict(X=_SCORES))


# ------------------------------------------------------------------------------------------------ moments in one release
_MEASURED = dict(epsilon=30.0, gamma=0.05, delta=1e-3, bound=2.0, n_groups=2, shorten=False)


def _fitted_moments(X, y, sensitive_features, rng, **settings):
    with warnings.catch_warnings():
        for kind in (SmallGroupWarning, functional.LittleLearnedWarning):
            warnings.simplefilter("ignore", kind)
        return functional.FunctionalClassifier(**settings).fit(X, y, sensitive_features=sensitive_features, rng=rng)


_moments = cache(lambda: _fitted_moments(_SCORES, Y, A, np.random.default_rng(1), **_MEASURED))
valid("functional.FunctionalClassifier", _fitted_moments, lambda: dict(X=_SCORES, y=Y, sensitive_features=A, rng=rng(), **_MEASURED))
valid("functional.FunctionalClassifier:predict_proba", _of(_moments, "predict_proba"),
      lambda: dict(X=_SCORES, sensitive_features=A, gamma=0.05))
valid("functional.FunctionalClassifier:predict", _of(_moments, "predict"),
      lambda: dict(X=_SCORES, sensitive_features=A, rng=rng(), gamma=0.05))
valid("functional.FunctionalClassifier:score", _of(_moments, "score"),
      lambda: dict(X=_SCORES, y=Y, sensitive_features=A, gamma=0.05, sample_weight=None))


# ------------------------------------------------------------------------------------------------ calls beside their tests
def beside_their_tests() -> None:
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        if "\nVALID_CALLS" in path.read_text(encoding="utf-8"):
            if str(path.parent) not in sys.path:
                sys.path.insert(0, str(path.parent))
            for name, arguments in importlib.import_module(path.stem).VALID_CALLS.items():
                room, _, thing = name.rpartition(".")
                valid(name, getattr(importlib.import_module(f"dpfair_teach.{room}"), thing), arguments)


beside_their_tests()
