"""Every bound of the ledger that is a sum, or a maximum, of several terms has a fault for each that drops it.

A bound whose test passes with a term left out has no test of that term. ``SUMS`` lists the terms of every function of the ledger that is
such a bound.
"""
from __future__ import annotations

import re

import pytest

from test_ledger import given, ledger

# Of what regrets and gaps are made, in all statements about the private game.
LEARNER = {"ln|H(S)|": "learner_without_the_labelings", "ln(2T / beta)": "learner_without_its_failures"}
HEDGE = {"B ln d / (eta T)": "auditor_never_late", "the gaps' range": "auditor_never_hasty"}
PRINTED = HEDGE | {"the noise": "auditor_hears_no_noise"}
SHARP = PRINTED | {"the martingale": "no_noise_hides_a_gap"}
BOTH = {"the learner": "printed_nu_without_the_learner", "the auditor": "printed_nu_without_the_auditor"}
B_1 = {"the auditor's nu": "lemma_b_1_without_the_auditor", "the learner's nu": "lemma_b_1_without_the_learner"}
B_2 = {"gamma": "lemma_b_2_without_gamma", "1 / B": "lemma_b_2_without_the_one", "2 nu / B": "lemma_b_2_without_nu"}
CONSTANTS = {"tolerance": "constants_without_gamma", "E / gamma": "constants_without_room", "nu": "constants_without_nu"}
RATES = {"the group's own rate": "gap_of_the_anchors_rate", "the anchor's rate": "gap_of_its_own_rate"}
MIXTURE = {"gamma": "aware_bound_without_gamma", "2 nu": "aware_bound_without_nu", "the price": "aware_bound_without_the_price",
           "nu twice": "aware_error_nu_once"}

SUMS = {
    "fairness.mean_gap_bounds": {
        "the true gap": "mean_gap_without_the_truth", "luck of the first group": "mean_gap_of_the_second_groups_luck",
        "of the second": "mean_gap_of_the_first_groups_luck"},
    "games.lemma_3_1": {
        "printed: 2kB, and the error": "printed_loss_without_the_error", "who leaves": "local_change_without_who_leaves",
        "who joins": "local_change_without_who_joins", "1/m": "features_move_no_error", "who stays": "features_never_stay",
        "who moves": "features_always_stay"},
    "games.aware_sensitivities": {
        "the decision stays": "aware_loss_without_an_unchanged_decision", "it changes": "aware_loss_without_a_changed_decision",
        "B / (N + 1)": "aware_loss_without_the_gap", "1/m": "aware_loss_without_the_error"},
    "games.subroutine_4_epsilon": {
        "the scale": "subroutine_4_without_the_scale", "the losses": "subroutine_4_without_the_losses",
        "the error": "subroutine_4_without_the_error"},
    "games.hedge_regret": HEDGE,
    "games.agarwal_theorem_1": HEDGE,
    "games.lemma_3_2": LEARNER,
    "games.lemma_3_3": LEARNER,
    "games.lemma_3_4": SHARP,
    "games.theorem_3_5": LEARNER | SHARP | BOTH,
    "games.theorem_3_6": B_1 | B_2 | CONSTANTS,
    "games.theorem_3_7": LEARNER | PRINTED | BOTH | B_1 | B_2,
    "games.lemma_b_1": B_1,
    "games.lemma_b_2": B_2,
    "games.fairness_bound_with_constants": CONSTANTS,
    "games.population_bound": {
        "ln|H|": "population_without_the_class", "ln(1 / beta)": "population_without_the_failures",
        "the anchor's rate": "population_gaps_of_one_rate", "the group's own rate": "population_gaps_without_their_own_rate"},
    "games.frozen_bound": LEARNER | SHARP | {
        "nu": "frozen_gap_without_nu", "4 B tau": "frozen_gap_without_the_denominators", "the learner's 2 B tau":
        "frozen_learner_without_the_denominators", "the auditor's 4 B tau": "frozen_auditor_without_the_denominators",
        "1/2": "frozen_sizes_not_rounded", "noise of the sizes": "frozen_sizes_without_noise", "grid": "frozen_bound_without_the_grid"},
    "games.dp_oracle_learner": {                        # what noise in doubles gives away
        "Laplace: its own chances": "laplace_neighbours_chances_alone", "the neighbour's": "laplace_own_chances_alone",
        "its scale": "laplace_without_its_steps", "one step more": "laplace_without_one_step_more", "rounding": "laplace_of_exact_numbers",
        "a choice: its classifiers": "choice_without_its_classifiers", "its sums": "choice_without_its_sums",
        "its losses": "choice_of_exact_losses", "a loss: its rates": "losses_without_their_rates",
        "its error": "losses_without_their_errors", "a play: its sizes": "play_without_its_sizes",
        "its numbers": "play_without_its_numbers", "its choices": "play_without_its_choices"},
    "games.budget.gaussian_cost": {
        "Gaussian layers": "gaussian_without_its_layers", "tables": "gaussian_without_its_tables", "rounding": "gaussian_of_exact_numbers",
        "the tail's steps": "gaussian_steps_never_widen"},
    "games.regression_dp_oracle_learner": {
        "a loop: its sizes": "loop_without_its_sizes",
        "its vector": "the_vector_is_not_counted", "its counts": "loop_without_its_counts"},
    "games.theorem_3_8": MIXTURE,
    "lagrangian.theorem_1": {"who leaves": "theorem_1_without_who_leaves", "who joins": "theorem_1_without_who_joins",
                             "the mean itself": "theorem_1_as_if_nobody_else_moved"},
    "lagrangian.theorem_2": {"who leaves": "theorem_2_without_who_leaves", "who joins": "theorem_2_without_who_joins"},
    "lagrangian.best_clip": {"noise": "clip_without_noise", "what is cut off": "clip_without_bias"},
    "lagrangian.theorem_6": {"noise": "theorem_6_without_noise", "what is cut off": "theorem_6_without_bias"},
    "lagrangian.theorem_7": {"noise": "theorem_7_without_noise", "what is cut off": "theorem_7_without_bias"},
    "postprocessing.theorem_2_2": RATES | {"gamma": "theorem_2_2_without_gamma", "slack": "theorem_2_2_without_the_slack"},
    "postprocessing.lemma_a1": RATES,
    "postprocessing.margin_slack": RATES,
    "postprocessing.bins_slack": RATES,
    "postprocessing.paper_slack": {"own cell": "slack_of_the_anchors_cell", "the anchor's cell": "slack_of_the_own_cell"},
    "accounting.advanced_composition_long": {"mean": "long_formula_without_the_mean", "tail": "long_formula_without_the_tail"},
    "accounting.theorem_1_5": {
        "deltas of the steps": "theorem_1_5_without_the_steps_deltas", "delta": "theorem_1_5_without_delta"},
    "accounting.rdp_to_epsilon": {
        "D_a": "renyi_conversion_without_the_divergence", "ln(1/delta)": "renyi_conversion_without_delta",
        "ln a": "renyi_conversion_without_the_order", "ln(1 - 1/a)": "renyi_conversion_without_the_sharpening"},
    "accounting.bounded_range_composition": {
        "mean": "bounded_range_without_the_mean", "tail": "bounded_range_without_the_tail"},
    "accounting.compose": {"all but the largest epsilon": "compose_takes_the_largest", "deltas": "compose_never_refuses_a_delta"},
    "accounting.compose_parallel": {"parts after the first": "parallel_touches_one_part"},
    "accounting.optimal_composition": {"deltas of the steps": "optimal_forgets_the_steps_delta"},
    "accounting.group_privacy": {"the powers of e^epsilon": "group_privacy_adds_delta"},
    "audit.epsilon_lower_bound": {"delta": "lower_bound_without_delta"},
    "audit.largest_power": {
        "delta": "largest_power_without_delta", "e^epsilon fp": "largest_power_of_delta_alone", "the flat line": "largest_power_one_line"},
    "attacks.attribute_advantage_bound": {"epsilon": "advantage_bound_of_delta_alone", "delta": "advantage_bound_without_delta"},
    "mechanisms.exponential_error_bound": {
        "ln|H|": "exponential_bound_without_the_choices", "ln(1 / beta)": "exponential_bound_without_the_failures"},
    "fairness.gap_margin": {"own cell": "gap_margin_of_the_anchors_cell", "the anchor's cell": "gap_margin_of_its_own_cell"},
    "separation.sensitivity_bound": {"1/m": "separation_bound_without_the_error", "the gap": "separation_bound_without_the_gap"},
    "oracles.sauer_sum": {"1": "sauer_sum_one_less", "the last": "sauer_sum_without_its_last_term"},
    "functional.logistic_l1": {"labels": "lemma_1_without_the_labels", "products": "lemma_1_without_the_matrix"},
    "functional.sensitivity.linear_sensitivity": {"targets": "linear_l1_without_the_labels", "products": "linear_l1_without_the_matrix"},
    "functional.gaussian_sigma_extended": {"the first root": "extended_one_root", "epsilon": "extended_without_epsilon"},
    "functional.fair_l1": {
        "the label": "fair_l1_without_the_label", "the group": "fair_l1_without_the_group", "products": "fair_l1_without_the_matrix",
        "labels agree": "fair_l1_of_labels_that_differ", "labels differ": "fair_l1_of_labels_that_agree"},
    "functional.fair_l2": {
        "the label": "fair_l2_without_the_label", "the own row": "fair_l2_without_the_own_row", "the others": "fair_l2_without_the_others",
        "apart: the others": "apart_without_the_others"},
    "functional.pdfc_epsilon": {"with w_s": "pdfc_loss_without_phi_s", "without": "pdfc_loss_without_phi_n"},
    "functional.two_scales.part_sensitivity": {"degree one": "part_of_s_without_degree_one", "products": "part_of_s_without_products"},
    "functional.adfc_ratio": {"with w_s": "adfc_ratio_without_phi_s", "without": "adfc_ratio_without_phi_n"},
    "functional.moments_l2": {
        "the label": "moments_without_the_label", "the group": "moments_without_the_group", "products": "moments_without_the_matrix"},
}

# Called like a bound, and of one term: a product, an exact value, a largest or smallest number.
ONE_TERM = {
    "functional.bounded_minimum", "games.players.released_bound",
    "accounting.advanced_composition", "accounting.optimal_composition_delta", "attacks.posterior_bound",
    "games.least_bound", "lagrangian.clipped_mean_sensitivity", "lagrangian.fixed_sensitivity", "lagrangian.fixed_violation_sensitivity",
    "lagrangian.sensitivity.floored_sensitivity", "lagrangian.means_sensitivity",
    "lagrangian.missing_sensitivity", "lagrangian.sensitivity.sign_flip_sensitivity", "lagrangian.leaks.theorem_5",
    "mechanisms.measurement.cell_sensitivity", "oneshot.winners_curse_bound", "oracles.cost_sensitivity",
    "postprocessing.algorithms.count_sensitivity", "postprocessing.main_text_slack",
    "separation.sensitivity.gap_sensitivity", "separation.theorem_3_9",
}
CALLED_LIKE_A_BOUND = re.compile(r"theorem|lemma|corollary|bound(?!ed_range_d)|slack|margin$|regret|sensitivit|composition|privacy")


def bound(row: dict) -> str:
    return row["function"].removeprefix("dpfair_teach.")


def test_what_is_called_like_a_bound_has_its_terms_listed():
    functions = {bound(row) for row in ledger() if given(row["function"])}
    assert functions >= set(SUMS) | ONE_TERM and not set(SUMS) & ONE_TERM
    unknown = {name for name in functions if CALLED_LIKE_A_BOUND.search(name)} - set(SUMS) - ONE_TERM
    assert not unknown, f"list the terms of each in SUMS, or put it into ONE_TERM: {unknown}"


@pytest.mark.parametrize("function", SUMS)
def test_each_term_of_a_bound_has_a_fault_that_drops_it(function):
    """Some row about that function names it, and so its test is red under it (``tests/mutants.py``); two terms have two faults."""
    named = {name for row in ledger() if bound(row) == function for name in row["mutants"]}
    terms = SUMS[function]
    assert len(set(terms.values())) == len(terms)
    assert set(terms.values()) <= named, f"no row about {function} names {set(terms.values()) - named}"
