"""Every public function that takes groups, with 2, 3 and 5 of them: on data whose answer is counted by hand, person by person.

``HAND`` and ``GROWS`` together name every public callable with an argument of ``TAKES_GROUPS``; a new one is asked for by name.
"""
from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable

import numpy as np
import pytest

import violations
from dpfair_teach import (
    accounting,
    attacks,
    baselines,
    data,
    experiments,
    fairness,
    functional,
    games,
    lagrangian,
    mechanisms,
    networks,
    oneshot,
    oracles,
    plotting,
    postprocessing,
    separation,
)
from dpfair_teach._checks import MOST_GROUPS
from dpfair_teach.baselines.reductions import reweighed, start_reduction
from dpfair_teach.functional.moments import group_vertices
from test_bad_input import CALLABLES
from valid_calls import VALID

GROUPS = (2, 3, 5)
#: Arguments that say who is in which group, or how many groups there are.
TAKES_GROUPS = {"A", "n_groups", "sensitive_features", "counts", "q", "fp", "shares", "by_group", "into", "attributes", "weights",
                "group_given", "game", "n_pos", "reports", "dual", "denominators", "pairs"}
HAND: dict[str, Callable[[int], None]] = {}


def counted(*names: str) -> Callable:
    """The test of these functions: with k groups the answer is that of the hand."""
    def keep(check: Callable[[int], None]) -> Callable[[int], None]:
        HAND.update(dict.fromkeys(names, check))
        return check
    return keep


def drawn(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Decisions, groups and labels of people with some of each kind in every group, the last group the largest."""
    n = np.random.default_rng(k).integers(1, 5, (2, k, 2))
    n[:, -1] *= 3
    who = np.array([(yhat, a, y) for yhat in range(2) for a in range(k) for y in range(2) for _ in range(n[yhat, a, y])])
    return tuple(np.random.default_rng(0).permutation(who).T)


def share(of: np.ndarray, among: np.ndarray) -> float:
    return sum(of[among].tolist()) / int(among.sum())


def rates(chance: np.ndarray, A: np.ndarray, Y: np.ndarray, k: int) -> np.ndarray:
    """(k, 2) [a, y], one cell at a time."""
    return np.array([[share(chance, (A == a) & (Y == y)) for y in (0, 1)] for a in range(k)])


def table(k: int) -> np.ndarray:
    return fairness.cell_counts(*drawn(k), n_groups=k)


def close(found: object, hand: object, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(hand, dtype=float), atol=tolerance, rtol=0)


# ------------------------------------------------------------------------------------------------------ fairness, data, attacks

@counted("fairness.cell_counts", "fairness.rates", "fairness.error", "fairness.report", "fairness.predictive_values")
def tables_and_rates(k):
    yhat, A, Y = drawn(k)
    close(table(k), [[[sum((yhat == b) & (A == a) & (Y == y)) for y in (0, 1)] for a in range(k)] for b in (0, 1)])
    close(np.stack(fairness.rates(table(k)), axis=1), rates(yhat, A, Y, k))
    close(fairness.error(table(k)), np.mean(yhat != Y))
    report = fairness.report(table(k))
    close(report["accepted"], [share(yhat, A == a) for a in range(k)] + [np.mean(yhat)])
    close(fairness.predictive_values(table(k))[0], [share(Y, (A == a) & (yhat == 1)) for a in range(k)])


@counted("fairness.violation", "fairness.merge_groups", "fairness.cross_groups", "fairness.form_constants")
def violations_and_coarser_groups(k):
    yhat, A, Y = drawn(k)
    rate = rates(yhat, A, Y, k)
    close(fairness.violation(table(k), against="anchor"), max(abs(rate[a, y] - rate[0, y]) for a in range(k) for y in (0, 1)))
    pairs = [(a, b) for a in range(k) for b in range(k)]
    close(fairness.violation(table(k), against="pairs"), max(abs(rate[a, y] - rate[b, y]) for a, b in pairs for y in (0, 1)))
    into = np.arange(k) % 2
    close(fairness.merge_groups(table(k), into), fairness.cell_counts(yhat, into[A], Y, n_groups=2))
    crossed, n = fairness.cross_groups([A, Y])
    assert n == 2 * k and (crossed == 2 * A + Y).all()
    constants = fairness.form_constants(np.bincount(A))
    for notion in ("demographic_parity", "accuracy_parity"):
        value = [float(fairness.violation(table(k), notion, against)) for against in fairness.AGAINST]
        assert all(value[j] <= constants[i, j] * value[i] + 1e-12 for i in range(3) for j in range(3))


@counted("fairness.widest_gap")
def who_accepts_few_is_fair(k):
    pi = np.arange(1, k + 1) / (k * (k + 1) / 2)
    close(fairness.widest_gap(pi[0] / 2, pi), 0.5)                          # all who are accepted are of the smallest group
    close(fairness.widest_gap(1 - pi[0] / 2, pi), 0.5)                      # or all who are rejected


@counted("fairness.gap_margin")
def margins(k):
    n = table(k).sum(axis=0)
    close(fairness.gap_margin(n, 0.1)[1:], [[math.sqrt((1 / n[a, y] + 1 / n[0, y]) * math.log(2 * 2 * (k - 1) / 0.1) / 2) for y in (0, 1)]
                                            for a in range(1, k)])


@counted("fairness.chance_violation")
def lucky(k):
    """Two people in each group: all counts alike with the chance that all others agree with the first."""
    alike = sum(p**k for p in (0.25, 0.5, 0.25))
    assert fairness.chance_violation(2, 0.5, k, beta=1 - alike + 1e-9, against="pairs") == 0
    assert fairness.chance_violation(2, 0.5, k, beta=1 - alike - 1e-9, against="anchor") == 0.5


@counted("data.make_logistic", "data.load", "data.Dataset", "data.Population")
def drawn_people(k):
    for people in (data.make_logistic(60 * k, n_groups=k, rng=np.random.default_rng(1)),
                   data.load("synthetic", m=60 * k, n_groups=k, rng=np.random.default_rng(1))):
        assert people.n_groups == k and set(people.A) == set(range(k)) and len(people.group_names) == k
    law = data.Population(np.full(k, 1 / k), np.full(k, .4), np.linspace(0, .5, k), np.linspace(.5, 1, k)).frequencies
    assert law.shape == (2, k, 2) and np.isclose(law[1, k - 1, 0], .6 * .5 / k)


@counted("attacks.reweighing_weights")
def weighed(k):
    """Kamiran and Calders: with the weights group and label are independent."""
    _, A, Y = drawn(k)
    w = attacks.reweighing_weights(A, Y)
    close(w, [np.mean(A == a) * np.mean(Y == y) / np.mean((A == a) & (Y == y)) for a, y in zip(A, Y, strict=True)])


# ------------------------------------------------------------------------------------------------------ mechanisms, accounting

@counted("mechanisms.randomized_response", "mechanisms.randomized_response_matrix", "mechanisms.debias_counts",
         "mechanisms.debias_variance", "mechanisms.likely_counts", "mechanisms.debiased_groups")
def responses(k):
    keep = math.e / (math.e + k - 1)
    law = np.full((k, k), (1 - keep) / (k - 1))
    law[np.diag_indices(k)] = keep
    close(mechanisms.randomized_response_matrix(k, 1.0), law)
    A = np.arange(k).repeat(3)
    assert (mechanisms.randomized_response(A, k, 50.0, np.random.default_rng(0)) == A).all()
    n = np.arange(1.0, k + 1)
    close(mechanisms.debias_counts(n @ law, 1.0), n)
    close(mechanisms.likely_counts(n @ law, 1.0), n)
    spread = keep - law[0, 1]
    close(mechanisms.debias_variance(n, 1.0), [sum(n[a] * law[a, r] * (1 - law[a, r]) for a in range(k)) / spread**2 for r in range(k)])
    close(mechanisms.debiased_groups(A, k, 1.0) @ law, np.eye(k)[A])


# ------------------------------------------------------------------------------------------------------ post-processing

@counted("postprocessing.solve_lp", "postprocessing.closed_form", "postprocessing.solve",
         "postprocessing.dual_value", "postprocessing.derived_counts", "postprocessing.lift_unusable")
def programs(k):
    """The optimum is feasible by hand, its error is the hand's, and its multipliers prove that nothing is better."""
    yhat, A, Y = drawn(k)
    q = table(k) / len(A)
    if k > 2:
        with pytest.raises(ValueError, match=rf"^gamma=0.1: with {k} groups only gamma \+ slack = 0 has a closed form"):
            postprocessing.closed_form(q, 0.1)
    for solve in (postprocessing.solve_lp, postprocessing.closed_form, postprocessing.solve):
        gamma = 0 if k > 2 and solve is postprocessing.closed_form else 0.1
        found = solve(q, gamma)
        chance = postprocessing.lp.acceptance_probability(found.p, yhat, A)
        close(chance, [found.p[b, a] for b, a in zip(yhat, A, strict=True)])
        rate = rates(chance, A, Y, k)
        assert np.abs(rate - rate[0]).max() < gamma + 1e-7
        close(found.value, sum(c if y == 0 else 1 - c for c, y in zip(chance, Y, strict=True)) / len(A), 1e-7)
        close(postprocessing.dual_value(q, gamma, found.dual), found.value, 1e-7)
        close(postprocessing.derived_counts(q, found.p)[1] / q.sum(axis=0), rate)
    q[:, k - 1, 1] = 0          # nobody left in one cell: its constraint goes, no other
    lifted = np.isinf(postprocessing.lift_unusable(q))
    assert lifted[k - 1, 1] and lifted.sum() == 1


@counted("postprocessing.dp_postprocessing", "postprocessing.public_margin_postprocessing", "postprocessing.score_bin_postprocessing")
def algorithms(k):
    """With hardly any noise each has the error of the program, counted by hand, and gaps of at most gamma."""
    yhat, A, Y = drawn(k)
    rng, counts = np.random.default_rng(0), table(k)
    cuts, by_bins = postprocessing.score_bin_postprocessing(yhat, A, Y, k, 2, 500.0, 0.1, rng)     # the decision as a score: two bins
    close(cuts, [1])
    for found in (postprocessing.dp_postprocessing(counts, 1e7, 0.1, 0.05, rng), by_bins,
                  postprocessing.public_margin_postprocessing(counts, 500.0, 0.1, rng)):
        chance = np.array([found.p[b, a] for b, a in zip(yhat, A, strict=True)])
        rate = rates(chance, A, Y, k)
        assert np.abs(rate - rate[0]).max() < 0.1 + 1e-4
        close(found.value, share(np.where(Y == 1, 1 - chance, chance), np.ones(len(A), bool)), 1e-4)
        close(found.value, postprocessing.solve_lp(counts / len(A), 0.1).value, 1e-4)


@counted("postprocessing.noisy_counts", "postprocessing.public_margin_counts", "postprocessing.k_norm_counts",
         "postprocessing.largest_change", "postprocessing.k_norm_variance")
def noise(k):
    """With hardly any noise the table comes back; margins stay; one person moves two entries."""
    counts, rng = table(k), np.random.default_rng(0)
    close(postprocessing.noisy_counts(counts, 1e6, rng), counts, 1e-3)
    assert (postprocessing.k_norm_counts(counts, 500.0, rng) == counts).all()
    loud = postprocessing.public_margin_counts(counts, 0.2, rng)
    close(loud.sum(axis=-2), counts.sum(axis=-2))
    assert postprocessing.largest_change([0, 1, 1], [0, 1, 0], n_groups=k) == pytest.approx(2 / 3)      # one of three people leaves a cell
    # P(x) as (1 - r)^d r^||x|| over sum_i C(d, i)^2 r^i, summed over whole vectors that add up to 0; the norm is the positive entries' sum
    r, points = math.exp(-4.0), np.stack(np.meshgrid(*[np.arange(-5, 6)] * (k - 1)), axis=-1).reshape(-1, k - 1)
    points = np.column_stack([points, -points.sum(axis=1)])
    law = r ** np.maximum(points, 0).sum(axis=1)
    close(postprocessing.k_norm_variance(k, 4.0), (law / law.sum()) @ points[:, 0] ** 2, 1e-6)


@counted("postprocessing.lemma_a1", "postprocessing.theorem_2_2", "postprocessing.paper_slack", "postprocessing.main_text_slack",
         "postprocessing.margin_slack", "postprocessing.bins_slack")
def slacks(k):
    """Of k groups with the same table: the printed slack 4 L / (min(q_ay, q_0y) m epsilon), L = ln(4 k / beta), and the sharp gap
    2 L / (m epsilon) (1 / q_ay + 1 / q_0y), for each group; all slacks are alike for all groups, and at most half for four times the
    people."""
    q = np.repeat(np.array([[[0.15, 0.1]], [[0.05, 0.2]]]), k, axis=1)
    q /= q.sum()
    for slack in (postprocessing.paper_slack, postprocessing.main_text_slack, postprocessing.margin_slack, postprocessing.bins_slack):
        some, more = slack(q, 10**5, 1.0, 0.05), slack(q, 4 * 10**5, 1.0, 0.05)
        assert some.shape == (k, 2) and (some[1:] > 0).all()
        close(some[1:], np.broadcast_to(some[1], (k - 1, 2)))
        assert (more[1:] <= some[1:] / 2 + 1e-12).all()
    L, n = math.log(4 * k / 0.05), q.sum(axis=0)
    facts = postprocessing.lemma_a1(q, 10**5, 1.0, 0.05)
    close(facts.error, 4 * k * L / 1e5)
    close(facts.gaps[1:], [[2 * L / 1e5 * (1 / n[a, y] + 1 / n[0, y]) for y in (0, 1)] for a in range(1, k)])
    close(postprocessing.paper_slack(q, 10**5, 1.0, 0.05)[1:], [[4 * L / 1e5 / min(n[a, y], n[0, y]) for y in (0, 1)] for a in range(1, k)])
    bound = postprocessing.theorem_2_2(q, 10**5, 1.0, 0.05, 0.1)
    assert (np.array([bound.fp, bound.tp])[:, 1:] > 0.1).all() and np.shape(bound.fp) == (k,)


# ------------------------------------------------------------------------------------------------------ the game

def some_game(k: int, **how: object) -> tuple[games.FairnessGame, np.ndarray]:
    yhat, A, Y = drawn(k)
    predictions = np.stack([yhat, 1 - yhat, np.zeros_like(yhat), np.ones_like(yhat)])
    return games.FairnessGame(predictions, A, Y, 0.1, n_groups=k, **how), predictions


@counted("games.FairnessGame")
def game(k):
    (_, A, Y), (found, predictions) = drawn(k), some_game(k)
    for h, row in enumerate(predictions):
        rate = rates(row, A, Y, k)
        close(found.rates[h], rate)
        close(found.gaps[h], [rate[a, y] - rate[0, y] for a in range(1, k) for y in (0, 1)])
        Q = np.eye(4)[h]
        close(found.constraint_values(Q), [sign * (rate[a, y] - rate[0, y]) - 0.1 for a in range(1, k) for y in (0, 1) for sign in (1, -1)])


@counted("games.algorithm_3", "games.start_play")
def by_rounds(k):
    """Three rounds, with rates, prices and losses by hand."""
    (_, A, Y), (found, predictions) = drawn(k), some_game(k)
    rate = np.array([rates(row, A, Y, k) for row in predictions])
    gaps = np.array([[each[a, y] - each[0, y] for a in range(1, k) for y in (0, 1)] for each in rate])
    errors, theta, chosen, prices = [np.mean(row != Y) for row in predictions], np.zeros(4 * (k - 1)), [], []
    for _ in range(3):
        lam = 2.0 * np.exp(theta) / (1 + np.exp(theta).sum())
        loss = errors + gaps @ (lam[::2] - lam[1::2])
        chosen.append(int(np.argmin(loss.round(12))))
        prices.append(lam)
        theta = theta + 0.3 * (np.stack([gaps[chosen[-1]], -gaps[chosen[-1]]], axis=1).ravel() - 0.1)
    lam, h = games.algorithm_3(found, 2.0, 0.3, 3)
    close(h, chosen)
    close(lam, prices)
    assert [len(one) for one in games.start_play(found, 2.0, 0.3, 3)] == [4 * (k - 1), 3, 3]


@counted("games.algorithm_5", "games.algorithm_5_as_printed", "games.players.private_players", "games.FrozenPlayers",
         "games.PromisePlayers", "games.players.printed_sensitivities")
def by_private_rounds(k):
    """What the auditors measure is, on average, what the hand counts: of 2,000 draws, with noise of scale 1 or so for cells of 100."""
    yhat, A, Y = (np.tile(column, 30) for column in drawn(k))
    found = games.FairnessGame([yhat, 1 - yhat], A, Y, 0.1, n_groups=k, empty="zero")
    n = np.array([[np.sum((A == a) & (Y == y)) for y in (0, 1)] for a in range(k)])
    setting, rng = games.Setting.of(found, 8.0, 1e-6, 2.0, rounds=5, smallest_cell=n.min()), np.random.default_rng(k)
    counted_by_hand = rates(yhat, A, Y, k) * n
    for cell_sizes in ("noisy", "noisy_lower_bound", "public_lower_bound"):
        both = games.players.private_players(found, setting, rng, cell_sizes)
        rate = counted_by_hand / (both.sizes if cell_sizes == "noisy" else n)
        seen = np.mean([both.constraint_values(0, rng) for _ in range(2000)], axis=0)
        close(seen, [sign * (rate[a, y] - rate[0, y]) - 0.1 for a in range(1, k) for y in (0, 1) for sign in (1, -1)], 0.02)
        assert games.algorithm_5(found, setting, rng, cell_sizes).lam.shape == (4 * (k - 1),)
    close(games.players.printed_sensitivities(found, setting).auditor, 2 * k / (n.min() - 1))
    assert games.algorithm_5_as_printed(found, setting, rng)[0].shape == (5, 4 * (k - 1))


@counted("games.neighbour_changes", "games.population_bound", "games.frozen_tau")
def about_cells(k):
    """One classifier, and one person who moves: every move tried by hand."""
    yhat, A, Y = drawn(k)
    before, moved = rates(yhat, A, Y, k), 0.0
    for i in range(len(A)):
        for a in range(k):
            other = A.copy()
            other[i] = a
            if all(((other == b) & (Y == y)).any() for b in range(k) for y in (0, 1)):
                after = rates(yhat, other, Y, k)
                moved = max(moved, 2 * np.abs((after - after[0]) - (before - before[0])).sum())      # each gap is in r with both signs
    close(games.neighbour_changes([yhat], A, Y).auditor, moved)
    n = table(k).sum(axis=0)
    bound = games.population_bound(n, math.log(4), 0.1)
    assert bound.gaps.shape == (k, 2) and not bound.gaps[0].any() and (bound.gaps[1:] > 0).all()
    close(games.frozen_tau(n, n), 0)
    assert games.frozen_tau(n, n + 1) > 0


@counted("games.group_indicators", "games.aware_predictions", "games.fair_mixture", "games.fair_mixture_as_printed",
         "games.aware.false_positive_gaps")
def told_the_group(k):
    yhat, A, Y = drawn(k)
    indicators = games.group_indicators(A, k)
    close(indicators, [[int(b == a) for b in A] for a in range(k)] + [[int(b != a) for b in A] for a in range(k)])
    by_group = np.random.default_rng(0).integers(0, 2, (3, k, len(A)))
    close(games.aware_predictions(by_group, A), [[by_group[h, a, i] for i, a in enumerate(A)] for h in range(3)])
    fp = rates(yhat, A, Y, k)[:, 0]
    close(games.aware.false_positive_gaps(fp, 0.05)[0], fp - fp[0])
    for repair in (games.fair_mixture, games.fair_mixture_as_printed):
        mixed = repair(fp, 0.05)[0] @ np.concatenate([[yhat], indicators])
        after = rates(mixed, A, Y, k)[:, 0]
        assert np.abs(after - after[0]).max() < 0.05 + 1e-12


# ------------------------------------------------------------------------------------------------------ oracles, asking once

@counted("oracles.threshold_counts", "oracles.halfplane_counts", "oracles.cell_losses", "oracles.private_oracle")
def finite_classes(k):
    yhat, A, Y = drawn(k)
    x = np.random.default_rng(1).random(len(A)).round(1)
    n_pos, n = oracles.threshold_counts(x, A, Y, n_groups=k)
    close(n, [[sum((A == a) & (Y == y)) for y in (0, 1)] for a in range(k)])

    def accepted(rule: np.ndarray, A: np.ndarray, Y: np.ndarray) -> list:
        return [[sum((A == a) & (Y == y) & rule) for y in (0, 1)] for a in range(k)]

    close(n_pos, [accepted(x > t, A, Y) for t in [-1, *np.unique(x)]])
    A12, Y12 = A[:12], Y[:12]
    planes, n = oracles.halfplane_counts(np.column_stack([x, np.zeros_like(x)])[:12], A12, Y12, n_groups=k)     # on a line: thresholds
    hand = {np.array(accepted(rule, A12, Y12), float).tobytes() for t in [-1, *x[:12]] for rule in (x[:12] > t, x[:12] <= t)}
    assert {np.asarray(cells, float).tobytes() for cells in planes} == hand
    close(n, accepted(np.ones(12, bool), A12, Y12))
    costs = np.arange(2.0 * k).reshape(k, 2) / (2 * k) - 0.4
    losses = [sum(costs[a, y] for b, a, y in zip(rule, A, Y, strict=True) if b) / len(A) for rule in (yhat, 1 - yhat)]
    close(oracles.cell_losses([yhat, 1 - yhat], A, Y, costs), losses)
    assert oracles.private_oracle([yhat, 1 - yhat], A, Y, costs, 1e6, np.random.default_rng(0)).index == np.argmin(losses)


@counted("mechanisms.release_cells", "mechanisms.release_directions")
def asked(k):
    yhat, A, Y = drawn(k)
    assert mechanisms.cell_sensitivity(k) == (1 if k == 2 else 2)
    counts, _ = mechanisms.release_cells(Y, A, 1e9, np.random.default_rng(0), n_groups=k, every_group=True)
    close(counts, [[sum((A == a) & (Y == y)) for y in (0, 1)] for a in range(k)])
    answers, release = mechanisms.release_directions([3 * Y - 1, yhat], A, 1e9, np.random.default_rng(0), n_groups=k)
    close(answers, [[sum(3 * Y[A == a] - 1), sum(yhat[A == a])] for a in range(1, k)])
    close(release.sensitivity, max(abs(3 * y - 1) + h for y, h in zip(Y, yhat, strict=True)) * (1 if k == 2 else 2))


@counted("oneshot.split_epsilon", "oneshot.ask_part", "oneshot.fit_group_posterior", "oneshot.ask_well")
def asked_well(k):
    """At epsilon 500 the first counts are exact, what is believed adds up to them, and the records to epsilon."""
    rng = np.random.default_rng(5)
    A, X = np.arange(120) % k, rng.normal(size=(120, 2))
    Y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    public = oneshot.public_data(X, Y)
    parts = oneshot.split_epsilon(public, 1000.0, k)
    assert {part.unit for part in parts} == {1 if k == 2 else 2}
    asked = []
    for part in parts:
        cells = oneshot.public_cells(public, part)
        asked.append(oneshot.ask_part(cells, A, part, 500.0, rng))
        close(asked[-1].answers, [[((A[part.people] == a) & (cells == c)).sum() for c in range(cells.max() + 1)] for a in range(1, k)])
    belief = oneshot.fit_group_posterior(public, asked, k)
    for part in parts:
        close(belief.means(part.rate).sum(axis=0), np.bincount(A[part.people], minlength=k)[1:], 1e-3)
    asked, _, candidates, _ = oneshot.ask_well(public, A, 2.0, rng, n_groups=k)
    close(accounting.compose([one.release for one in asked]), 2.0)
    assert candidates.rates(4).shape[1::2] == (k, 2)


@counted("oneshot.bayes_scores", "oneshot.multiplier_grid")
def candidates(k):
    _, A, Y = drawn(k)
    n = np.array([[sum((A == a) & (Y == y)) for a in range(k)] for y in (0, 1)])
    scores = oneshot.bayes_scores([0.4], [[row / row.sum() for row in n]], n)
    close(scores, [[-0.2, *np.zeros(2 * (k - 1))]])         # groups that x says nothing about: nothing to gain from them
    assert oneshot.multiplier_grid(k).shape[1] == 2 * (k - 1)


@counted("experiments.free_points", "experiments.postprocessing_draws", "plotting.roc_plane")
def curves(k):
    counts = 50 * table(k)
    points = experiments.free_points(counts)
    assert any(np.allclose(point, [fairness.violation(counts, against="anchor"), fairness.error(counts)]) for point in points)
    draws = experiments.postprocessing_draws(counts, "public_margins", 1e4, [0.02], 2, np.random.default_rng(0))
    best = postprocessing.solve_lp(counts / counts.sum(), 0.02)
    close(draws.error[draws.kept][:, 0], best.value, 1e-2)
    close(draws.violation[draws.kept][:, 0], fairness.violation(postprocessing.derived_counts(counts, best.p), against="anchor"), 1e-2)
    assert len(plotting.roc_plane(counts).axes[0].collections) + len(plotting.roc_plane(counts).axes[0].lines) >= k


@counted("experiments.base_counts", "experiments.held_out_counts", "experiments.draws_over_splits", "data.base_classifier")
def tables_of_a_data_set(k):
    """Each table person by person; without noise a curve is the mean of the programs' answers."""
    people = data.make_logistic(150 * k, n_groups=k, d=2, rng=np.random.default_rng(k), shifts=np.outer(np.arange(k), [0.5, 0]))
    others = dataclasses.replace(people, A=np.roll(people.A, 1))
    yhat = data.base_classifier(people).predict(people.X)
    close(data.base_classifier(others).predict(people.X), yhat)             # whoever is in which group

    def by_hand(said, side):
        return [[[sum((said == b)[side] & (people.A == a)[side] & (people.Y == y)[side]) for y in (0, 1)] for a in range(k)]
                for b in (0, 1)]

    close(experiments.base_counts(people), by_hand(yhat, np.arange(people.m)))
    pairs = list(zip(*experiments.held_out_counts(people), strict=True))
    for (learn, judge), (released, judged) in zip(experiments.protocol.held_out_splits(people.m), pairs, strict=True):
        said = data.base_classifier(people.subset(np.isin(np.arange(people.m), learn))).predict(people.X)
        close(released, by_hand(said, learn))
        close(judged, by_hand(said, judge))
    hand = []
    for released, judged in pairs:
        p = postprocessing.solve_lp(released / released.sum(), 0.02).p
        rate = np.array([[sum(judged[b, a, y] * p[b, a] for b in (0, 1)) / judged[:, a, y].sum() for y in (0, 1)] for a in range(k)])
        wrong = sum(judged[b, a, y] * abs(y - p[b, a]) for b in (0, 1) for a in range(k) for y in (0, 1)) / judged.sum()
        hand.append((wrong, np.abs(rate - rate[0]).max()))
    draws = experiments.draws_over_splits(pairs, "public_margins", np.inf, [0.02], 1, np.random.default_rng(0))
    close((draws.error[0, 0], draws.violation[0, 0]), np.mean(hand, axis=0), 1e-6)


@counted("networks.clipped_sum", "lagrangian.FairTerms", "lagrangian.FairProblem", "lagrangian.public_sizes",
         "lagrangian.NoiseMultipliers", "lagrangian.training_releases")
def priced(k):
    _, A, Y = drawn(k)
    X, network = np.random.default_rng(k).normal(size=(len(A), 2)), networks.Network(2, (3,))
    theta = network.initial(np.random.default_rng(0))
    it = lagrangian.FairProblem(network, X, A, Y, lagrangian.FairTerms("equalized_odds", k))
    clipped = [networks.clipped_sum(network, theta, network.forward(theta, X), np.ones(len(A)), .5, own) for own in np.eye(k)[:, A]]
    close(sum(clipped), networks.clipped_sum(network, theta, network.forward(theta, X), np.ones(len(A)), .5))
    score = network.probabilities(theta, X)
    close(it.of(theta).violations(), [[score[y == Y].mean() - score[(A == a) & (y == Y)].mean() for y in (0, 1)] for a in range(k)])
    close(lagrangian.public_sizes(it, np.full(k, 1 / k)), [[(y == Y).sum() / k for y in (0, 1)]] * k)
    records = lagrangian.training_releases(lagrangian.NoiseMultipliers(1.0, 2.0, .1), lagrangian.Plan(3, 10), len(A), k)
    moved = [1 if k == 2 else 2, 1, 1]      # a size, a sum of gradients, violations: of both in units of how far one person moves them
    close([r.sensitivity for r in records], moved)
    close([r.scale / r.sensitivity for r in records], [10.0, 1.0, 2.0])


@counted("lagrangian.public_clip", "lagrangian.reported_violations")
def clips_and_reports(k):
    rng = np.random.default_rng(k)
    A, norms, group_weights = np.arange(6 * k) % k, rng.uniform(0, 4, size=6 * k), 1.0 + np.arange(k)
    w, noise = group_weights[A], 3.3 * k            # no sum of weights, so one clip is best

    def bound(weights, C):
        return noise * C + sum(each * max(length - C, 0) for each, length in zip(weights, norms, strict=True))

    at = [0.0, *norms]
    assert lagrangian.best_clip(norms, w, noise).low == min(at, key=lambda C: bound(w, C))
    found = lagrangian.public_clip(norms, group_weights, np.full(k, 6.0), noise)
    assert found.clip == min(at, key=lambda C: bound(np.full(6 * k, group_weights.mean()), C)) and found.loses == k
    h, says, N = rng.uniform(size=6 * k), rng.integers(2, size=6 * k), 1.0 + np.arange(k)
    close(lagrangian.reported_violations(h, A, says, N), [sum(h.mean() - h[(A == a) & (says == 1)]) / N[a] for a in range(k)])


@counted("lagrangian.group_term", "lagrangian.largest_move", "lagrangian.clip_error_bound", "lagrangian.best_clip", "lagrangian.theorem_6")
def clipped_groups(k):
    """Sums person by person, also where one changes group; every norm is tried as a clip."""
    _, A, _ = drawn(k)
    n, nu = [sum(A == a) for a in range(k)], np.linspace(-1.0, 2.0, k)
    G = np.random.default_rng(k).normal(size=(len(A), 2))
    norms = [math.hypot(*g) for g in G]

    def term(B):
        return sum(nu[a] / sum(B == a) * g for a, g in zip(B, G, strict=True))

    close(lagrangian.group_term("means", G, A, nu), term(A))
    move = lagrangian.largest_move("means", G, A, nu)
    close(move.value, np.linalg.norm(term(np.where(np.arange(len(A)) == move.person, move.group, A)) - term(A)))
    weights = [abs(nu[a]) / n[a] for a in A]

    def bound(clip, noise):
        return noise * clip + sum(w * max(norm - clip, 0) for w, norm in zip(weights, norms, strict=True))

    close(lagrangian.clip_error_bound(norms, weights, [0, 0.5, 2], 0.7), [bound(clip, 0.7) for clip in (0, 0.5, 2)])
    close(lagrangian.best_clip(norms, weights, 0.7).bound, min(bound(clip, 0.7) for clip in [0, *norms]))
    close(lagrangian.theorem_6(norms, A, nu, 0.5, 0.0, 2), bound(0.5, 0))


@counted("plotting.network_picture")
def pictured(k):
    """Violations person by person; five groups are more than a picture tells apart."""
    _, A, Y = drawn(k)
    X, network = np.random.default_rng(k).normal(size=(len(A), 2)), networks.Network(2, ())
    theta = np.array([1.0, -1.0, 0.5])

    def picture():
        run = np.tile(theta, (3, 1)), np.zeros((3, k)), True
        return plotting.network_picture(network, X, A, Y, {"one": run}, title="Some people")

    if k > 3:
        with pytest.raises(ValueError, match=r"^A=5: groups, and a picture tells at most 3 apart"):
            picture()
        return
    score = 1 / (1 + np.exp(-(X[:, 0] - X[:, 1] + 0.5)))
    lines = picture().frame(epoch=2)["Violation of each group"]
    close([lines[f"group {a}"][-1][1] for a in range(k)], [score.mean() - share(score, A == a) for a in range(k)])


@counted("baselines.covariances")
def together(k):
    _, A, Y = drawn(k)
    scores = np.random.default_rng(k).normal(size=len(A))
    hand = [[sum((float(a == b) - share(A == b, A >= 0)) * s for a, s in zip(A, scores, strict=True)) / len(A)] for b in range(k)]
    close(baselines.covariances(scores, A, Y, k), hand)


@counted("functional.release_moments", "functional.Moments")
def moments_of_groups(k):
    """With hardly any noise, sums of rows, sizes and covariances of every group, person by person."""
    _, A, Y = (np.tile(column, 200) for column in drawn(k))
    X = np.column_stack([np.full(len(A), 0.5), np.random.default_rng(k).uniform(-0.6, 0.6, size=(len(A), 2))])
    V = group_vertices(k)
    close([[math.dist(u, v) for u in V] for v in V], 1 - np.eye(k))
    shares = [sum(A == b) / len(A) for b in range(k)]
    hand = [sum((float(a == b) - shares[b]) * x for a, x in zip(A, X, strict=True)) for b in range(k)]
    told, _ = functional.release_moments(X, Y, A, 1000.0, 0.5, np.random.default_rng(0), n_groups=k)
    again = functional.Moments(**vars(told))
    for found in (told, again):
        close(found.group_sums(), [sum(X[A == a]) for a in range(k)], 1.0)
        close(found.sizes()[0], [sum(A == a) for a in range(k)], 1.0)
        close(found.covariances(), hand[1:] if k == 2 else hand, 1.0)


@counted("functional.moments_l2")
def moved_moments(k):
    """Pairs of two unit rows at an angle, with labels and groups equal or not, one by one: none moves further, and one as far."""
    V, g, far = group_vertices(k), functional.moments.free_gram_weight(k), []
    for angle in np.linspace(0, np.pi, 181):
        x, new = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
        for y in (0.5, -0.5):
            for a in (0, k - 1):
                parts = x / 2 - y * new, np.outer(V[0], x) - np.outer(V[a], new), g * (np.outer(x, x) - np.outer(new, new))
                far.append(math.sqrt(sum((part**2).sum() for part in parts)))
    close(max(far), functional.moments_l2(k))
    close(functional.moments_l2(k), functional.moments_l2(k, gram_weight=1e-3), 1e-5)


@counted("baselines.reductions.start_reduction")
def everybody(k):
    _, A, _ = drawn(k)
    close(start_reduction(len, A, .1, 1.0, 1, np.random.default_rng(0), fairness.Parity())[0], [[0.0] * len(A), [1.0] * len(A)])


@counted("baselines.reductions.reweighed")
def tolerances(k):
    """|gap| within gamma times its factor, one by one."""
    yhat, A, Y = drawn(k)
    game = games.FairnessGame([yhat, 1 - yhat, A == k - 1, Y], A, Y, 0.3, notion=fairness.Parity("demographic_parity", "population"))
    factors = np.linspace(.2, 1, k)
    played, _ = reweighed(game, factors)
    close((np.abs(played.gaps) - played.gamma) > 0, np.abs(game.gaps) > 0.3 * factors)


# ------------------------------------------------------------------------------------------------------ the learners

#: Counted by hand in ``tests/violations.py``, with these numbers of groups.
LEARNERS = {"games.dp_oracle_learner", "games.dp_oracle_learner_as_printed", "games.exponentiated_gradient", "games.evaluate",
            "games.regression_dp_oracle_learner", "games.regression_exponentiated_gradient", "oneshot.FrontierLearner",
            "postprocessing.DPPostProcessing", "games.DPOracleLearner", "games.DPRegressionLearner",
            "lagrangian.FairLagrangian", "lagrangian.PrivateFairLagrangian",
            "functional.FunctionalClassifier",
            "baselines.reduction", "baselines.regression_dp_oracle_learner_as_printed",
            "baselines.Reduction", "baselines.PrivateReduction", "baselines.CovarianceClassifier"}
#: One data set of two groups, by the theorem, by the paper's covariance or by the protocol's grid: of more they refuse.
TWO_GROUPS = {"experiments.regression_reference", "separation.optimal_errors", "separation.optimal_error", "separation.fair_optimum",
              "functional.covariance_vector", "functional.merged_quadratic", "functional.pdfc", "functional.adfc",
              "functional.pflr_star", "functional.fair_functional_mechanism", "functional.attained_move", "functional.people.in_domain"}
#: Formulas in k: their own tests hold them to what they say. Here each moves one way with k, or not at all (a step grows, an epsilon of
#: the printed learner falls).
_PLAY = dict(epsilon=1.0, delta=1e-6, B=2.0, beta=0.05)


def _few(k: int, n: float) -> games.Setting:
    """Nine rounds."""
    return games.Setting(9, n_groups=k, log_labelings=3.0, smallest_cell=n, **_PLAY)


def _many(k: int, protect: str = "A") -> games.Setting:
    """A million people, and the rounds that are best for the bound."""
    setting = games.Setting.scheduled(10**6, n_groups=k, log_labelings=9.0, smallest_cell=10**5, **_PLAY)
    return games.best_setting(dataclasses.replace(setting, protect=protect))


GROWS: dict[str, Callable[[int], float]] = {
    "games.least_bound": lambda k: games.least_bound(k, 0.1),
    "games.aware_sensitivities": lambda k: games.aware_sensitivities(20, k, 2.0, 200).auditor,
    "games.lemma_3_1": lambda k: games.lemma_3_1(20, k, 2.0).auditor,
    "games.lemma_3_2": lambda k: games.lemma_3_2(_few(k, 50)).auditor,
    "games.lemma_3_3": lambda k: games.lemma_3_3(_few(k, 50)),
    "games.lemma_3_4": lambda k: games.lemma_3_4(_few(k, 50)),
    "games.best_setting": lambda k: _many(k).eta,
    "games.theorem_3_5": lambda k: games.theorem_3_5(_many(k)).nu,
    "games.theorem_3_6": lambda k: games.theorem_3_6(_many(k), 0.1).nu,
    "games.theorem_3_7": lambda k: games.theorem_3_7(_many(k, "X and A"), 0.1).nu,
    "games.theorem_3_8": lambda k: games.theorem_3_8(0.01, 0.1, 4.0, k).error,
    "games.frozen_bound": lambda k: games.frozen_bound(_few(k, 500)).nu,
    "games.printed_noise_delta": lambda k: games.printed_noise_delta(20, k, 1.0),
    "games.printed_noise_epsilon": lambda k: games.printed_noise_epsilon(20, k, 1e-6),
    "games.Setting": lambda k: games.Setting(9, n_groups=k, **_PLAY).learning_rate,
    "games.schedule": lambda k: games.schedule(10**6, n_groups=k, log_labelings=9.0, **_PLAY).eta,
    "games.subroutine_4_epsilon": lambda k: 1 / games.subroutine_4_epsilon(0.1, 2.0, k),
}


def takes_groups(thing: Callable) -> bool:
    """By the name of an argument, or by its kind: a data set, the numbers of a private play."""
    arguments = inspect.signature(thing).parameters
    kinds = ("Dataset", "Setting") if thing.__module__.startswith("dpfair_teach.games") else ("Dataset",)
    return bool(TAKES_GROUPS & set(arguments)) or any(kind in str(each.annotation) for each in arguments.values() for kind in kinds)


def test_every_public_function_that_takes_groups_is_asked():
    takes = {name for name, thing in CALLABLES.items() if takes_groups(thing)}
    asked_for = {*HAND, *GROWS, *LEARNERS, *TWO_GROUPS}
    assert takes <= asked_for, f"not asked with 2, 3 and 5 groups: {sorted(takes - asked_for)}"
    assert asked_for <= set(CALLABLES), sorted(asked_for - set(CALLABLES))


@pytest.mark.parametrize("check", [pytest.param(check, id=check.__name__) for check in dict.fromkeys(HAND.values())])
def test_with_any_number_of_groups_the_answer_is_the_hands(check):
    for k in GROUPS:
        check(k)


@pytest.mark.parametrize("name", GROWS)
def test_a_formula_takes_any_number_of_groups(name):
    found = [float(np.max(GROWS[name](k))) for k in GROUPS]
    assert np.isfinite(found).all() and found == sorted(found)


#: Refuses far below the limit, by its own cost.
OWN_LIMIT = {"postprocessing.largest_change": "too many to try", "postprocessing.k_norm_variance": "thousands of digits",
             "oneshot.multiplier_grid": "multipliers", "oneshot.FrontierLearner": "multipliers"}


@pytest.mark.parametrize("name", sorted(name for name in VALID if ":" not in name and "n_groups" in VALID[name]().arguments))
def test_no_function_takes_more_groups_than_the_limit(name):
    """The one public limit; and what costs more refuses earlier, and says what it costs."""
    for k in [MOST_GROUPS + 1, *([MOST_GROUPS] if name in OWN_LIMIT else [])]:
        call = VALID[name]()
        call.arguments["n_groups"] = k
        why = f"at most {MOST_GROUPS}|{OWN_LIMIT.get(name, 'at most')}" if k > MOST_GROUPS else OWN_LIMIT[name]
        with pytest.raises(ValueError, match=rf"(n_groups={k}|points=5): .*({why})"):
            call.run()


def test_the_learners_are_counted_elsewhere():
    assert violations.GROUPS == GROUPS


def test_what_is_for_two_groups_refuses_three():
    for k in (3, 5):
        with pytest.raises(ValueError, match=r"^counts=.*groups"):
            separation.optimal_errors(table(k), 0.1)
        X, A, y, rng = np.full((6, 2), 0.5), np.arange(6) % k, [0, 1] * 3, np.random.default_rng(0)
        for asked, given in ((functional.people.in_domain, (X, y, A)), (functional.covariance_vector, (X, A)),
                             (functional.merged_quadratic, (X, y, A)),
                             (functional.pdfc, (X, y, A, 0, 1.0, 1.0, rng)), (functional.adfc, (X, y, A, 0, 1.0, 1.0, 1e-6, 1e-6, rng)),
                             (functional.pflr_star, (X, y, A, 1.0, rng)),
                             (functional.fair_functional_mechanism, (X, y, A, 1.0, None, rng))):
            with pytest.raises(ValueError, match=rf"^A={k - 1}: a code above the second of two groups.*take FunctionalClassifier"):
                asked(*given)
        D, _ = separation.instance(40, 0.1)
        D = dataclasses.replace(D, A=np.arange(D.m) % k, group_names=tuple("abcde"[:k]))
        for call in (separation.optimal_error, separation.fair_optimum):
            with pytest.raises(ValueError, match=r"^D=.*two groups"):
                call(D, 0.1)
