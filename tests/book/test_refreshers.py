"""What the refreshers say in prose, and the inequalities they prove, on inputs that try to break them."""
from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

from dpfair_teach import audit, data, fairness, load, mechanisms, postprocessing


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    ten = load("ten_people")
    return fairness.cell_counts(data.ten_people_base(ten.X), ten.A, ten.Y)


def test_numbers_in_the_questions_of_the_refresher_on_probability():
    assert round(2 * np.exp(-2 * 400 * 0.1**2), 4) == 0.0007 and 0.25 / (400 * 0.1**2) == pytest.approx(0.0625)
    assert round(float(audit.clopper_pearson(0, 1000, 0.05)[1]), 4) == 0.0037
    assert stats.expon.sf(3) < 0.05 < stats.expon.sf(2.9)                     # one Laplace noise in twenty is larger than 3b


@pytest.mark.parametrize("n, b", [(1, 1.0), (4, 0.5), (8, 2.0), (16, 3.0)])
def test_sum_of_absolute_laplace_noises_has_the_tail_of_the_box(n, b):
    x = np.linspace(0, 4 * n * b, 40)[:, None]
    j = np.arange(n)
    factorial = np.array([float(np.prod(np.arange(1, i + 1))) for i in j])
    box = (np.exp(-x / b) * (x / b) ** j / factorial).sum(axis=1)
    np.testing.assert_allclose(box, stats.gamma(n, scale=b).sf(x[:, 0]), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_two_sided_geometric_law_of_the_box(epsilon):
    law, alpha, t = mechanisms.geometric_law(1, epsilon), np.exp(-epsilon), np.arange(1, 30)
    np.testing.assert_allclose(2 * law.cdf(-t), 2 * alpha**t / (1 + alpha), rtol=1e-9)
    assert float(law.var()) == pytest.approx(2 * alpha / (1 - alpha) ** 2)


def test_hoeffdings_lemma_on_laws_of_two_points_which_are_its_worst_case():
    rng = np.random.default_rng(1)
    chance, width, s = rng.uniform(1e-6, 1, 20_000), rng.uniform(0, 5, 20_000), rng.normal(0, 3, 20_000)
    centred = np.logaddexp(np.log(chance) + s * width * (1 - chance), np.log1p(-chance) - s * width * chance)
    assert (centred <= s**2 * width**2 / 8 + 1e-12).all()
    assert centred[np.abs(s * width) > 0.1].max() > 0                        # something was compared


@pytest.mark.parametrize("seed", range(5))
def test_hedge_with_a_budget_keeps_its_regret_against_gradients_of_every_kind(seed):
    rng, d, B, T, rho = np.random.default_rng(seed), 6, 2.5, 400, 1.5
    bases = {"coins": lambda lam: rng.choice([-rho, rho], d), "against": lambda lam: np.where(lam >= np.median(lam), -rho, rho),
             "one pays": lambda lam: rho * np.eye(d)[2], "none pays": lambda lam: np.full(d, -rho)}
    for name, gradient in bases.items():
        for eta in (0.01, np.sqrt(2 * np.log(d + 1) / T) / rho, 1.0):
            seen, gained = np.zeros(d), 0.0
            for _ in range(T):
                weight = np.exp(eta * (np.append(seen, 0.0) - max(seen.max(), 0.0)))
                lam = B * weight[:d] / weight.sum()
                r = gradient(lam)
                gained, seen = gained + lam @ r, seen + r
            regret = B * max(seen.max(), 0.0) - gained
            bound = B * np.log(d + 1) / eta + eta * B * T * rho**2 / 2
            assert regret <= bound + 1e-9, (name, eta)


def test_the_game_of_the_ten_people_is_fair_from_the_sum_of_the_multipliers_on(counts):
    choices = np.array(list(itertools.product((0, 1), repeat=4))).reshape(16, 2, 2)
    derived = postprocessing.derived_counts(counts, choices)
    violation, error = fairness.violation(derived), fairness.error(derived)
    constant = np.isin(choices.sum((1, 2)), (0, 4))
    assert (violation[constant] == 0).all() and violation[~constant].min() == pytest.approx(1 / 3)
    gaps = np.stack([np.diff(rate)[:, 0] for rate in fairness.rates(derived)], axis=1)
    r = np.hstack([gaps, -gaps, np.zeros((16, 1))])
    for B in (0.05, 0.1, 0.15, 0.5, 2.0):
        rows = np.column_stack([(error[:, None] + B * r).T, -np.ones(5)])
        game = linprog(np.eye(17)[16], A_ub=rows, b_ub=np.zeros(5), A_eq=[[1.0] * 16 + [0.0]], b_eq=[1.0],
                       bounds=[(0, 1)] * 16 + [(None, None)])
        assert game.fun == pytest.approx(min(0.25, 0.2 + B / 3), abs=1e-9)


def test_certificates_of_exercises_on_linear_programs(counts):
    share = counts / counts.sum(axis=0)
    row = np.array([0.0, 0.0])
    row += np.array([0.0, 1 / 3])                                            # 1/3 of p11 >= 0.8; unknowns p01, p11 of group 1
    row -= share[:, 1, 0]                                                    # 1 of -u >= -0.2
    row += np.array([2 / 3, 0.0])                                            # 2/3 of p01 >= 0
    np.testing.assert_allclose(row, 0, atol=1e-12)
    assert share[1, 1, 1] == 1 and 0.8 / 3 - 0.2 == pytest.approx(1 / 15)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_no_system_beats_azumas_inequality(n):
    """The best gambler, by dynamic programming over all fair bets -i or +j of eighths with i + j <= 16: an interval of length 2."""
    ahead, here = np.arange(-16 * n, 16 * n + 1), 16 * n
    bets = [(i, j) for i in range(1, 16) for j in range(1, 17 - i)]
    lose = [np.clip(np.arange(ahead.size) - i, 0, None) for i, _ in bets]
    win = [np.clip(np.arange(ahead.size) + j, None, ahead.size - 1) for _, j in bets]
    close = []
    for goal in range(1, 16 * n):
        chance = (ahead >= goal).astype(float)
        for _ in range(n):
            chance = np.max([chance, *((j * chance[low] + i * chance[high]) / (i + j)
                                       for (i, j), low, high in zip(bets, lose, win, strict=True))], axis=0)
        bound = np.exp(-2 * (goal / 8) ** 2 / (4 * n))
        assert chance[here] <= bound + 1e-12
        close.append(chance[here] / bound)
    assert max(close) > 0.6                                                   # the gambler is not a straw man


def test_vertices_duality_and_sensitivity_of_random_programs():
    rng = np.random.default_rng(39)
    for _ in range(60):
        n, r = rng.integers(1, 4), rng.integers(1, 5)
        a = np.vstack([rng.normal(size=(r, n)), np.eye(n), -np.eye(n)])       # the box bounds the feasible set
        b = np.append(a[:r] @ rng.uniform(-0.5, 0.5, n) - rng.uniform(0, 0.5, r), -np.ones(2 * n))
        c = rng.normal(size=n)
        answer = linprog(c, A_ub=-a, b_ub=-b, bounds=(None, None))
        y = -answer.ineqlin.marginals
        assert y.min() >= 0 and b @ y == pytest.approx(answer.fun)
        np.testing.assert_allclose(a.T @ y, c, atol=1e-9)
        np.testing.assert_allclose(y * (a @ answer.x - b), 0, atol=1e-9)
        square = [list(rows) for rows in itertools.combinations(range(len(b)), n) if abs(np.linalg.det(a[list(rows)])) > 1e-9]
        corners = np.array([np.linalg.solve(a[rows], b[rows]) for rows in square])
        corners = corners[(corners @ a.T >= b - 1e-9).all(axis=1)]
        assert (corners @ c).min() == pytest.approx(answer.fun)
        for other in b + rng.normal(0, 0.2, size=(5, len(b))):
            moved = linprog(c, A_ub=-a, b_ub=-other, bounds=(None, None))
            if moved.status == 0:
                assert moved.fun >= answer.fun + y @ (other - b) - 1e-9


def test_averages_of_any_play_are_as_near_to_equilibrium_as_their_regrets():
    rng = np.random.default_rng(40)
    for _ in range(60):
        rows, columns = rng.integers(1, 5, 2)
        payoff = rng.normal(size=(rows, columns))
        value = linprog(np.eye(rows + 1)[rows], A_ub=np.column_stack([payoff.T, -np.ones(columns)]), b_ub=np.zeros(columns),
                        A_eq=[[1] * rows + [0]], b_eq=[1], bounds=[(0, 1)] * rows + [(None, None)]).fun
        p, q = rng.dirichlet(np.ones(rows), 5), rng.dirichlet(np.ones(columns), 5)
        paid, p_bar, q_bar = np.einsum("ti,ij,tj->", p, payoff, q) / 5, p.mean(axis=0), q.mean(axis=0)
        worst, least, now = (p_bar @ payoff).max(), (payoff @ q_bar).min(), p_bar @ payoff @ q_bar
        nu = (paid - least) + (worst - paid)
        assert max(worst - now, now - least, abs(now - value)) <= nu + 1e-12 and worst <= value + 2 * nu + 1e-9


def test_the_line_of_equal_cost_has_one_cost_and_stays_in_the_square():
    page = Path(__file__).resolve().parents[2] / "book" / "chapters" / "refresher-linear-programs.md"
    cell = re.search(r"^corners = .*?(?=^def vertices_alt)", page.read_text(encoding="utf-8"), re.S | re.M)[0]
    names = {"np": np}
    exec(cell, names)
    for weight in np.arange(1, 10) / 10:
        frame = names["vertices"](weight)
        ends, best = frame["same cost"], frame["optimal vertex"]
        u, v = np.vstack([ends, best]).T
        assert np.ptp(weight * u + (1 - weight) * (1 - v)) < 1e-12
        assert ends.min() >= 0 and ends.max() <= 1 and np.ptp(ends, axis=0).max() > 0.1


@pytest.mark.parametrize("name", ["probability", "linear-programs", "convexity"])
def test_a_refresher_takes_half_an_hour_without_what_is_folded(name):
    """A numbered step of an open proof takes 1.9 minutes, as in the chapters with its statement; a box whose proof is folded one."""
    page = Path(__file__).resolve().parents[2] / "book" / "chapters" / f"refresher-{name}.md"
    text = page.read_text(encoding="utf-8")
    whole, proofs = map(int, re.search(r"about (\d+) minutes\. Statements and open proofs (\d+),", text).groups())
    assert whole == 30
    opened = re.sub(r"^(`{3,})\{dropdown\}.*?^\1$", "", text, flags=re.M | re.S)
    folded = text.count("{prf:proof}") - opened.count("{prf:proof}")
    steps = len(re.findall(r"^\*\*Step \d", opened, re.M))
    assert folded >= 3 and steps >= 5
    assert abs(1.9 * steps + folded - proofs) <= 1
