"""The private loop with the regression oracle keeps its promise, and an attack says so."""
import dataclasses
import itertools
import math

import dp_accounting
import numpy as np
import pytest
from scipy import optimize, stats
from test_games_draws import whole

from brute_force import event_epsilon
from dpfair_teach import accounting, audit, games, mechanisms
from dpfair_teach.mechanisms.registry import Gaussian
from dpfair_teach.oracles import RegressionOracle
from faults import Mutant, calling, with_arguments
from test_oracles_regression import people

DELTA = 1e-7


@pytest.mark.parametrize(("notion", "K"), [("equalized_odds", 8), ("true_positive", 4)])
def test_the_step_is_by_default_hedges(notion, K):
    X, A, Y = people(k=3)
    play = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, 1.0, DELTA, np.random.default_rng(0), n_groups=3, rounds=7,
                                              notion=notion)
    assert play.eta == pytest.approx(math.sqrt(2 * math.log(K + 1) / 7)) == games.auditor.hedge_rate(K, 7)


# ---------------------------------------------------------------------------------------------------------------- repaired

@pytest.mark.parametrize("k", [2, 3])
def test_the_releases_of_the_repaired_loop_add_up_to_epsilon(k):
    X, A, Y = people(m=300, k=k)
    for epsilon, rounds, share in ((1.0, 10, 0.1), (20.0, 3, 0.3)):
        play = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, epsilon, 1e-6, np.random.default_rng(0), n_groups=k,
                                                  rounds=rounds, budget_fraction=share)
        sizes, *gaussians = play.releases_
        assert sizes.epsilon == pytest.approx(share * epsilon) and sizes.times == 1
        assert [r.times for r in gaussians] == [rounds - 1] * 2
        mu = math.sqrt(sum(r.times * (r.sensitivity / r.scale) ** 2 for r in gaussians))
        assert mechanisms.gaussian_delta(mu, 1.0, (1 - share) * epsilon) == pytest.approx(1e-6, rel=1e-3)
        assert accounting.pld_epsilon(gaussians, 1e-6) <= (1 - share) * epsilon * 1.01
    batch = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, [0.1, 0.2], 20.0, 1e-6, np.random.default_rng(0), n_groups=k,
                                               rounds=3, budget_fraction=0.3, size=5)
    assert [r.times for r in batch.releases_] == [10, 20, 20]       # 2 gammas, 5 repeats
    assert tuple(r.with_times(r.times // 10) for r in batch.releases_) == play.releases_
    once = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, 1.0, 1e-6, np.random.default_rng(0), n_groups=k, rounds=1)
    assert once.releases_ == () and once.denominators is None           # nothing private is read, so nothing is paid


def answered(oracle, play, t, k, ridge):
    """The learner's answer of round t, undone: (public numbers c (R, k, 2), what was published of sum c s (R, d + 1), M, largest norm)."""
    w = (play.multipliers[t][..., 0::2] - play.multipliers[t][..., 1::2])
    price = np.zeros((*w.shape[:-1], k, 2))
    price[..., 1:, :] = w.reshape(*w.shape[:-1], k - 1, 2)
    price[..., 0, :] = -price[..., 1:, :].sum(axis=-2)
    M = oracle.design.T @ oracle.design + ridge * np.eye(oracle.d + 1)
    largest = math.sqrt(np.einsum("ij,jk,ik->i", oracle.design, np.linalg.inv(M), oracle.design).max())
    return oracle.m * price / play.denominators, (oracle.base - play.rules[t]) @ M, M, largest


def has_law(columns, law):
    """Kolmogorov-Smirnov by DKW, alpha 1e-9 for each column."""
    for column in columns:
        assert stats.kstest(column, law).statistic < math.sqrt(math.log(2 / 1e-9) / (2 * len(column)))


def has_the_laws_of_its_records(play, oracle, A, k, ridge, epsilon):
    """The sizes are off by Laplace noise. In each round the published vector less the true one, whitened and divided by sensitivity / mu,
    is standard normal, and so are the measured counts."""
    sizes, learner, auditor = play.releases_
    R = len(play.denominators)
    noise, n = play.denominators - oracle.sums(A)[:, :, 0], play.denominators
    assert sizes.scale == pytest.approx((1 if k == 2 else 2) / (0.2 * epsilon)) and n.min() > 1
    has_law(whole(noise[:, 1 if k == 2 else 0:], sizes.scale, np.random.default_rng(0)).reshape(R, -1).T, "uniform")
    for t in (1, 2):
        c, published, M, largest = answered(oracle, play, t, k, ridge)
        true = np.einsum("ray,ayd->rd", c, oracle.sums(A))
        sensitivity = np.ptp(c, axis=1).max(axis=1) * largest
        white = (published - true) @ np.linalg.inv(np.linalg.cholesky(M)).T / sensitivity[:, None] * (learner.sensitivity / learner.scale)
        has_law(white.T, "norm")
        assert np.abs(np.corrcoef(white.T) - np.eye(oracle.d + 1)).max() < 0.11        # six standard deviations and more
    for t in (0, 1):
        counts = games.regression_private.evaluate_regression(play, A).counts[t]
        off = play.gaps_seen[t].reshape(R, k - 1, 2) - (counts[:, 1:] / n[:, 1:] - counts[:, :1] / n[:, :1])
        # Two groups: one noisy count moves both rates. More: each rate has noise of its own.
        width = (1 / n[:, 1:] + 1 / n[:, :1]) if k == 2 else np.sqrt(1 / n[:, 1:] ** 2 + 1 / n[:, :1] ** 2)
        has_law((off / (auditor.scale * width)).reshape(R, -1).T, "norm")
    assert auditor.sensitivity == pytest.approx(1 if k == 2 else math.sqrt(2))


@pytest.mark.parametrize(("k", "ridge"), [(2, 0.0), (2, 30.0), (3, 5.0)])
def test_every_draw_of_the_repaired_loop_has_the_law_of_its_record(k, ridge):
    """4,000 plays of three rounds; and every neighbour of the data set moves the learner's vector by no more than the sensitivity."""
    X, A, Y = people(m=240, d=3, k=k)
    oracle = RegressionOracle(X, Y)
    play = games.regression_dp_oracle_learner(oracle, A, 0.05, 12.0, 1e-4, np.random.default_rng(1), n_groups=k, B=5.0, rounds=3,
                                              budget_fraction=0.2, ridge=ridge, size=4000)
    has_the_laws_of_its_records(play, oracle, A, k, ridge, 12.0)
    for t in (1, 2):
        c, _, M, largest = answered(oracle, play, t, k, ridge)
        inverse, worst, sensitivity = np.linalg.inv(M), 0.0, np.ptp(c[:100], axis=1).max(axis=1) * largest
        for i in range(oracle.m):
            for other in set(range(k)) - {A[i]}:
                moved = (c[:100, other, Y[i]] - c[:100, A[i], Y[i]])[:, None] * oracle.design[i]
                worst = max(worst, (np.sqrt(np.einsum("rd,de,re->r", moved, inverse, moved)) / sensitivity).max())
        assert 0.9 < worst <= 1 + 1e-9


def world_of_an_attack():
    X, A, Y = people(m=60, d=2, k=2)
    oracle = RegressionOracle(X, Y)
    M_inverse = np.linalg.inv(oracle.design.T @ oracle.design)
    return oracle, A, Y, M_inverse, np.sqrt(np.einsum("ij,jk,ik->i", oracle.design, M_inverse, oracle.design))


@pytest.mark.parametrize("k", [2, 3])
def test_98_runs_of_its_noise_are_added_up_as_gaussians(k):
    """The records of both players' Gaussians, by our accountants and by dp-accounting's from the records' events: within 1 %."""
    X, A, Y = people(m=300, k=k)
    play = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, 2.0, 1e-6, np.random.default_rng(0), n_groups=k, rounds=99)
    learner, auditor = play.releases_[1:]
    assert learner.times == auditor.times == 98 and learner.epsilon is None and auditor.delta == 0
    for records in ([learner], [auditor], [learner, auditor]):
        event = dp_accounting.ComposedDpEvent([r.event() for r in records])
        theirs = event_epsilon(event, 1e-6, relation=learner.neighbours)
        exact = optimize.brentq(lambda e, records=records: mechanisms.gaussian_delta(
            math.sqrt(sum(r.times * (r.sensitivity / r.scale) ** 2 for r in records)), 1.0, e) - 1e-6, 1e-6, 20)
        assert exact * (1 - 1e-9) <= accounting.compose(records, 1e-6, "pld") <= 1.0001 * exact
        assert theirs == pytest.approx(exact, rel=0.01) and exact < accounting.compose(records, 1e-6, "rdp") < 1.1 * exact
    assert accounting.compose([learner, auditor], 1e-6, "pld") == pytest.approx(0.95 * 2.0, rel=1e-3)


def of_one_run(release, delta):
    """epsilon of one of its runs at this delta."""
    return accounting.compose(dataclasses.replace(release, times=1), delta)


def certified(statistics, release, delta):
    """What an event tells of two normal numbers with means 0 and 1 and the standard deviation of a record of sensitivity 1."""
    cut = 0.5 + 1.2 * release.scale**2
    return audit.epsilon_lower_bound((statistics[1] > cut).sum(), (statistics[0] > cut).sum(), 20_000, delta=delta, alpha=1e-9)


def test_an_attack_on_the_learners_answer(monkeypatch):
    """Who knows all but one group reads it off round 2's rule as well as the release allows, and no better. The same attack refutes the
    claim if the noise is half. n = 20,000 runs a world, alpha 1e-9."""
    delta = 0.01
    oracle, A, Y, M_inverse, norms = world_of_an_attack()
    j = int(norms.argmax())
    notion = "false_positive" if Y[j] == 0 else "true_positive"         # then round 2's sensitivity is this label's
    other = A.copy()
    other[j] = 1 - A[j]

    def attack():
        rng, statistics = np.random.default_rng(3), []
        for world in (A, other):
            play = games.regression_dp_oracle_learner(oracle, world, 0.05, 3.0, delta, rng, n_groups=2, B=5.0, rounds=2,
                                                      budget_fraction=0.01, learner_fraction=0.9, notion=notion, size=20_000)
            w = play.multipliers[1][:, 0] - play.multipliers[1][:, 1]
            c = np.stack([-w, w], axis=1) * oracle.m / play.denominators[:, :, Y[j]]
            true = c @ oracle.sums(A)[:, Y[j]]
            published = (oracle.base - play.rules[1]) @ (oracle.design.T @ oracle.design)
            spread = c[:, other[j]] - c[:, A[j]]            # mean 0 in this world, 1 in the other
            # Noisy gaps of exactly 0 leave the prices at 0, and then the rule says nothing.
            moved = (published - true) @ M_inverse @ oracle.design[j]
            statistics.append(np.divide(moved, spread * norms[j] ** 2, out=np.zeros_like(moved), where=spread != 0))
            assert (spread == 0).mean() < 0.01
        return certified(statistics, play.releases_[1], delta), of_one_run(play.releases_[1], delta)

    found, claimed = attack()
    assert claimed / 2 <= found <= claimed
    monkeypatch.setattr(Gaussian, "draw", half_the_noise(Gaussian.draw))
    assert attack()[0] > claimed


def test_an_attack_on_the_auditors_answer(monkeypatch):
    """The same for the number of accepted people of group 1 that round 1 measures, of which one is accepted and changes group."""
    delta = 0.01
    oracle, A, Y, _, _ = world_of_an_attack()
    accepted = oracle.scores(oracle.base) > 0
    j = int(np.flatnonzero(accepted & (A == 0))[0])
    other = A.copy()
    other[j] = 1
    count = [(accepted & (A == a) & (Y == Y[j])).sum() for a in (0, 1)]

    def attack():
        rng, statistics = np.random.default_rng(4), []
        for world in (A, other):
            play = games.regression_dp_oracle_learner(oracle, world, 0.05, 3.0, delta, rng, n_groups=2, B=5.0, rounds=2,
                                                      budget_fraction=0.01, learner_fraction=0.1, size=20_000)
            zero, one = play.denominators[:, 0, Y[j]], play.denominators[:, 1, Y[j]]     # gap = c / one - (total - c) / zero
            statistics.append((play.gaps_seen[0][:, Y[j]] + sum(count) / zero) / (1 / one + 1 / zero) - count[1])
        return certified(statistics, play.releases_[2], delta), of_one_run(play.releases_[2], delta)

    found, claimed = attack()
    assert claimed / 2 <= found <= claimed
    monkeypatch.setattr(Gaussian, "draw", half_the_noise(Gaussian.draw))
    assert attack()[0] > claimed


@pytest.mark.parametrize("k", [2, 3])
def test_an_empty_cell_or_an_absent_group_is_no_exception(k):
    """Neighbours of which one has an empty cell, and groups that hold nobody: no refusal, by which they could be told apart, and numbers
    as elsewhere. The labels alone, which are public, decide."""
    X, _, Y = people(m=50, d=2, k=k)
    oracle = RegressionOracle(X, Y)
    A = np.zeros(50, dtype=int)
    A[Y == 1] = np.arange((Y == 1).sum()) % k
    last = np.flatnonzero(Y == 0)[0]
    worlds = [A.copy() for _ in range(3)]
    worlds[0][last] = k - 1                                 # the only one of group k-1 with label 0; then nobody; then one group only
    worlds[2][:] = 1
    for world, notion in itertools.product(worlds, ("equalized_odds", "false_positive")):
        try:
            play = games.regression_dp_oracle_learner(oracle, world, 0.05, 1.0, 1e-6, np.random.default_rng(5), n_groups=k, rounds=4,
                                                      size=20, notion=notion)
        except ValueError as refusal:
            pytest.fail(f"refused: {refusal}")
        asked = [0] if notion == "false_positive" else [0, 1]
        assert play.denominators.shape == (20, k, 2) and (play.denominators[..., asked] >= 1).all()
        assert np.isnan(play.denominators[..., 1]).all() == (asked == [0])
        if k == 2:                                          # put into the public range
            assert (play.denominators[..., asked] <= np.bincount(Y)[asked] - 1).all()
        found = games.regression_private.evaluate_regression(play, world)
        for numbers in (play.rules, play.multipliers, play.gaps_seen, play.errors, found.error, found.violation):
            assert np.isfinite(numbers).all()


def test_prices_that_shrink_below_all_doubles_leave_no_nan():
    """A fair play: the multipliers fall round by round, and the noise, made for them, with them."""
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    Y = (X[:, 0] + .3 * rng.normal(size=400) > 0).astype(int)
    play = games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, .3, 20.0, 1e-6, rng, n_groups=2, rounds=800, eta=5.0, size=20)
    assert np.abs(play.multipliers[-1]).max() < 1e-200 and np.isfinite(play.rules).all()
    assert np.isfinite(play.acceptance_probability(X[:3])).all()


@pytest.mark.usefixtures("real_numbers")
@pytest.mark.parametrize(("epsilon", "delta", "rounds"), [(1e-6, 1e-7, 2), (1e-3, 1e-10, 1000), (1000.0, 0.4, 2)])
def test_the_ends_of_the_ranges_are_recorded(epsilon, delta, rounds):
    """Records hold what was run, however small or large it is, and their Gaussians are one that keeps the promise."""
    Y = np.arange(40) // 2 % 2
    play = games.regression_dp_oracle_learner(RegressionOracle(np.arange(40.0)[:, None], Y), np.arange(40) % 2, .1, epsilon, delta,
                                              np.random.default_rng(0), n_groups=2, rounds=rounds)
    assert [r.mechanism for r in play.releases_] == ["laplace", "gaussian", "gaussian"]
    sizes, *gaussians = play.releases_
    ratio = math.sqrt(sum(r.times * (r.sensitivity / r.scale) ** 2 for r in gaussians))
    assert mechanisms.gaussian_delta(ratio, 1.0, epsilon - sizes.epsilon) == pytest.approx(delta, rel=1e-6)


# --- deliberate faults

def half_the_noise(f, when=lambda self: True):
    """On what ``when`` says."""
    def draw(self, value, numbers, rng, shape, **how):
        sensitivity, scale, epsilon = numbers
        return f(self, value, (sensitivity, np.multiply(scale, 0.5 if when(value) else 1.0), epsilon), rng, shape, **how)
    return draw


def quiet_after_round_2(f):
    calls = itertools.count(1)
    return half_the_noise(f, lambda value: value.shape[-1] == 4 and next(calls) > 1)


FAULTS = {
    "loop_sizes_at_double_epsilon": Mutant(
        "dpfair_teach.games.regression_private.regression_dp_oracle_learner",
        calling("release_sizes", with_arguments(epsilon=lambda e: 2 * e)),
        "half the noise on the sizes of cells"),
    "loop_learner_quiet_after_round_2": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", quiet_after_round_2,
        "half the noise from the third round on"),
    "loop_auditor_at_half": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", half_the_noise, "half the noise on the counts"),
    "loop_refuses_an_empty_cell": Mutant(
        "dpfair_teach.games.regression_private.regression_dp_oracle_learner",
        calling("game_of_constants", with_arguments(empty=lambda _: "refuse")),
        "it stops where a cell holds nobody"),
    "regression_learner_with_half_the_noise": Mutant(
        "dpfair_teach.mechanisms.registry.Gaussian.draw", half_the_noise, "half the noise on the gap scores"),
}
