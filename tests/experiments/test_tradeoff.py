"""Trade-off curves against a solver of our own, the protocol's facts, and what must hold for every method."""
import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_teach import fairness, postprocessing
from dpfair_teach.experiments import (BETA, METHODS, communities_counts, free_points, held_out_counts, postprocessing_curve,
                                      postprocessing_draws)

COUNTS = communities_counts()
M = COUNTS.sum()
GAMMAS = [0.0, 0.03, 0.1, 0.4]


def printed_program(q, gamma, m, epsilon):
    """LP (3) of the supplement for two groups, written out once more: p = (p_00, p_01, p_10, p_11), [yhat, a]."""
    n = q.sum(axis=0)
    slack = 4 * np.log(8 / BETA) / (np.minimum(n[0], n[1]) * m * epsilon)
    rows, limits = [], []
    for y in (0, 1):
        if n[0, y] <= 0 or n[1, y] <= 0:
            continue
        r = q[1, :, y] / n[:, y]
        gap = np.array([-(1 - r[0]), 1 - r[1], -r[0], r[1]])
        rows += [gap, -gap]
        limits += [gamma + slack[y]] * 2
    result = linprog((q[..., 0] - q[..., 1]).ravel(), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1), method="highs")
    assert result.status == 0
    return result.x.reshape(2, 2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_draws_as_printed_equal_a_program_written_out_by_hand(epsilon):
    """The same noise through scipy's solver gives the same error and violation on the true counts, for 20 draws x 4 gammas."""
    draws = postprocessing_draws(COUNTS, "as_printed", epsilon, GAMMAS, 20, np.random.default_rng(3))
    noisy = postprocessing.noisy_counts(COUNTS, epsilon, np.random.default_rng(3), size=20) / M
    n1 = COUNTS.sum(axis=0)
    for r, q in enumerate(noisy):
        for g, gamma in enumerate(GAMMAS):
            p = printed_program(q, gamma, M, epsilon)
            rate = np.array([[(COUNTS[:, a, y] @ p[:, a]) / n1[a, y] for y in (0, 1)] for a in (0, 1)])
            error = sum(n1[a, 0] * rate[a, 0] + n1[a, 1] * (1 - rate[a, 1]) for a in (0, 1)) / M
            assert draws.error[r, g] == pytest.approx(error, abs=1e-6)
            assert draws.violation[r, g] == pytest.approx(np.abs(rate[1] - rate[0]).max(), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_without_noise_every_method_is_the_program_2(method):
    draws = postprocessing_draws(COUNTS, method, np.inf, GAMMAS, 2, np.random.default_rng(0))
    for g, gamma in enumerate(GAMMAS):
        assert draws.error[:, g] == pytest.approx(postprocessing.solve_lp(COUNTS / M, gamma).value, abs=1e-9)
    assert (draws.violation[0] <= np.array(GAMMAS) + 1e-9).all()


def test_the_facts_of_the_protocol():
    base = free_points(COUNTS)
    np.testing.assert_allclose(base, [[0, 583 / 1994], [.2356, .1269]], atol=5e-5)
    assert postprocessing_draws(COUNTS, "as_printed", np.inf, [.001], 1, np.random.default_rng(0)).error[0, 0] == pytest.approx(.1975, abs=5e-5)


@pytest.mark.parametrize("method", METHODS)
def test_one_gamma_alone_gives_the_same_column(method):
    """The table is drawn once for all gammas; gamma only enters afterwards."""
    full = postprocessing_draws(COUNTS, method, 0.5, GAMMAS, 30, np.random.default_rng(8))
    alone = postprocessing_draws(COUNTS, method, 0.5, GAMMAS[2:3], 30, np.random.default_rng(8))
    np.testing.assert_allclose(alone.error[:, 0], full.error[:, 2], atol=1e-12)
    np.testing.assert_allclose(alone.violation[:, 0], full.violation[:, 2], atol=1e-12)


def test_batches_do_not_change_the_answer(monkeypatch):
    from dpfair_teach.experiments import tradeoff
    whole = postprocessing_draws(COUNTS, "public_margins", 0.5, GAMMAS, 11, np.random.default_rng(8))
    monkeypatch.setattr(tradeoff, "_PROGRAMS_AT_ONCE", 12)
    np.testing.assert_array_equal(whole.error, postprocessing_draws(COUNTS, "public_margins", 0.5, GAMMAS, 11, np.random.default_rng(8)).error)


def test_negative_slack_left_out_or_no_constraint():
    """At epsilon = 0.02 the noise has scale 100 people: cells of 108 people come out negative in about one draw of six."""
    args = COUNTS, "as_printed", 0.02, GAMMAS, 400
    out = postprocessing_draws(*args, np.random.default_rng(1), negative_slack="left_out")
    free = postprocessing_draws(*args, np.random.default_rng(1))
    noisy = postprocessing.noisy_counts(COUNTS, 0.02, np.random.default_rng(1), size=400)
    negative = (noisy.sum(axis=1) < 0).any(axis=(1, 2))
    assert 20 < negative.sum() < 200
    np.testing.assert_array_equal(out.kept, ~negative)
    assert free.kept.all()
    np.testing.assert_array_equal(out.error[out.kept], free.error[out.kept])
    row = out.rows(np.random.default_rng(0))[0]
    assert row["share_left_out"] == pytest.approx(negative.mean())
    assert row["error"] == pytest.approx(out.error[out.kept, 0].mean())


def test_no_draw_left_is_visible():
    """Nothing kept: means are missing and the share says why."""
    from dpfair_teach.experiments.tradeoff import Draws
    row = Draws(np.zeros((3, 1)), np.zeros((3, 1)), np.zeros(3, dtype=bool), (0.1,)).rows(np.random.default_rng(0))[0]
    assert np.isnan(row["error"]) and np.isnan(row["violation_high"]) and row["share_left_out"] == 1


def test_public_margins_beat_the_printed_noise_at_the_same_epsilon():
    """Mean violation at gamma = 0, epsilon = 0.5, 500 draws each. The gap is near .012, its standard error near .0012 (asserted)."""
    margins, printed = (postprocessing_draws(COUNTS, method, 0.5, [0.0], 500, np.random.default_rng(2)).violation[:, 0]
                        for method in ("public_margins", "as_printed_no_slack"))
    assert np.sqrt(margins.var() / 500 + printed.var() / 500) < .0014
    assert printed.mean() - margins.mean() > .004


def test_three_groups_go_through_the_solver():
    counts = np.array([[[40, 10], [30, 20], [30, 30]], [[10, 50], [10, 30], [20, 40]]])
    draws = postprocessing_draws(counts, "as_printed_no_slack", np.inf, [0.05], 1, np.random.default_rng(0))
    assert draws.error[0, 0] == pytest.approx(postprocessing.solve_lp(counts / counts.sum(), 0.05).value)
    assert draws.violation[0, 0] <= 0.05 + 1e-9


def test_evaluating_on_other_people():
    train, test = (table[0] for table in held_out_counts())
    draws = postprocessing_draws(train, "public_margins", np.inf, [0.05], 1, np.random.default_rng(0), evaluate_on=test)
    derived = postprocessing.derived_counts(test, postprocessing.solve_lp(train / train.sum(), 0.05).p)
    assert draws.error[0, 0] == pytest.approx(float(fairness.error(derived)))
    assert draws.violation[0, 0] == pytest.approx(float(fairness.violation(derived)))


@pytest.mark.parametrize("group", ["paper", "race_argmax"])
def test_held_out_thirds_hold_out_each_person_four_times(group):
    train, test = held_out_counts(group)
    assert train.shape == test.shape == (12, 2, 2, 2)
    people = communities_counts(group).sum(axis=0)
    np.testing.assert_array_equal(test.sum(axis=(0, 1)), 4 * people)
    np.testing.assert_array_equal((train + test).sum(axis=1), np.broadcast_to(people, (12, 2, 2)))
    assert set(test.sum(axis=(1, 2, 3))) == {664, 665}
    assert len({table.tobytes() for table in test}) == 12


def test_curve_is_the_table_of_its_draws():
    table = postprocessing_curve(COUNTS, "as_printed", [1.0], GAMMAS, 50, np.random.default_rng(4))
    draws = postprocessing_draws(COUNTS, "as_printed", 1.0, GAMMAS, 50, np.random.default_rng(4))
    np.testing.assert_allclose(table["error"], draws.error.mean(axis=0))
    np.testing.assert_allclose(table["violation"], draws.violation.mean(axis=0))
    assert (table["error_low"] <= table["error"] + 1e-12).all() and (table["error"] <= table["error_high"] + 1e-12).all()
    assert list(table["gamma"]) == GAMMAS and set(table["share_left_out"]) == {0}
