"""The statements of chapter 3: neighbours, groups, tests, delta, geometric and Gaussian noise, Gumbel, local privacy."""
from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from dpfair_teach import accounting, attacks, audit, data, load, mechanisms
from faults import Mutant, scaled, with_arguments

PAGE = Path(__file__).resolve().parents[2] / "book" / "chapters" / "03-privacy-for-one-attribute.md"


def rows(people):
    """All data sets of that many people, as sorted rows (x, a)."""
    return list(itertools.combinations_with_replacement(itertools.product((0, 1), (0, 1)), people))


def law_of(release, data):
    """A mechanism on multisets of rows: exact law of its output on {0, 1, 2, 3}."""
    return release[tuple(sorted(data))]


def epsilons(release, people):
    """Exact epsilon under the three relations, over all data sets of that many people (and one less, for removal)."""
    def worst(pairs):
        return max((audit.exact_epsilon(law_of(release, d), law_of(release, e)) for d, e in pairs), default=0.0)

    def replaced(data, allowed):
        return [(data, (*data[:i], row, *data[i + 1:])) for i in range(people) for row in itertools.product((0, 1), (0, 1))
                if row != data[i] and allowed(data[i], row)]

    every = rows(people)
    return {"A": worst(p for d in every for p in replaced(d, lambda old, new: old[0] == new[0])),
            "tuple": worst(p for d in every for p in replaced(d, lambda old, new: True)),
            "remove": worst((d, d[:i] + d[i + 1:]) for d in every for i in range(people))}


def test_what_the_three_relations_imply_for_each_other():
    rng, people = np.random.default_rng(31), 2
    for _ in range(40):
        release = {d: rng.dirichlet(np.full(4, 5.0)) for n in (people, people - 1) for d in rows(n)}
        found = epsilons(release, people)
        assert found["A"] <= found["tuple"] + 1e-12 and found["tuple"] <= 2 * found["remove"] + 1e-12
    # not the other way: publishing every x protects A perfectly and nobody's x
    shown = {d: np.eye(4)[sum(x for x, _ in d)] for n in (people, people - 1) for d in rows(n)}
    found = epsilons(shown, people)
    assert found["A"] == 0 and found["tuple"] == math.inf
    # and the factor 2 is needed: counts of (x, a), Laplace-like noise, remove moves one cell and replace two
    here, there = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    grid = np.arange(-60, 62)
    laws = [np.outer(*(mechanisms.geometric_law(1, 0.5, int(v)).pmf(grid) for v in value)).ravel() for value in (here, there, np.zeros(2))]
    laws = [law / law.sum() for law in laws]
    assert audit.exact_epsilon(laws[0], laws[2]) == pytest.approx(0.5) and audit.exact_epsilon(laws[0], laws[1]) == pytest.approx(1.0)


def test_records_say_which_neighbours_are_meant():
    units = (accounting.UNIT_A, accounting.UNIT_TUPLE)
    a, b = (accounting.Release("laplace", unit, sensitivity=1, scale=2.0) for unit in units)
    assert (a.relation, b.relation) == ("replace one A", "replace one tuple")
    with pytest.raises(ValueError, match="unit"):
        accounting.compose([a, b])


def test_group_privacy_is_reached_and_never_passed():
    """A chain of laws whose neighbours are (epsilon, delta)-close: the ends are close as stated; Laplace and an open truth reach it."""
    rng = np.random.default_rng(32)
    for _ in range(200):
        chain = rng.dirichlet(np.full(5, 2.0), size=4)
        epsilon = rng.uniform(0.1, 1.0) if rng.random() < 0.7 else 0.0
        delta = max(audit.exact_delta(*pair, epsilon) for pair in itertools.pairwise(chain))
        for g in (1, 2, 3):
            group, group_delta = accounting.group_privacy(epsilon, g, delta)
            assert audit.exact_delta(chain[0], chain[g], group) <= group_delta + 1e-9
    here, there = (mechanisms.geometric_law(1, 0.3, v).pmf(np.arange(-400, 401)) for v in (0, 3))
    assert audit.exact_epsilon(here / here.sum(), there / there.sum()) == pytest.approx(accounting.group_privacy(0.3, 3)[0])
    # sharp with delta: answers 0..3 in a row, each step with the stated loss
    epsilon, delta = 0.5, 0.01
    tail = [0.0]
    for _ in range(3):
        tail.append(math.exp(epsilon) * tail[-1] + delta)
    assert tail[3] == pytest.approx(accounting.group_privacy(epsilon, 3, delta)[1])
    assert accounting.group_privacy(300.0, 5, 1e-300) == (1500.0, 1.0)
    # and with epsilon 0: each step moves delta of the law to another answer
    steps = [np.array([1 - 0.1 * j, 0.1 * j]) for j in range(4)]
    assert audit.exact_delta(steps[0], steps[3], 0.0) == pytest.approx(0.3) == pytest.approx(accounting.group_privacy(0.0, 3, 0.1)[1])
    assert accounting.group_privacy(0.0, 30, 0.1) == (0.0, 1.0) and accounting.group_privacy(1e-9, 3, 0.1)[1] == pytest.approx(0.3)


def test_no_test_has_more_power_and_one_mechanism_has_all_of_it():
    rng = np.random.default_rng(33)
    for _ in range(500):
        laws, epsilon = rng.dirichlet(np.ones(5), size=2), rng.exponential()
        delta = audit.exact_delta(*laws, epsilon)
        event = rng.random(5)                                        # a test that may toss a coin
        fp, tp = laws[0] @ event, laws[1] @ event
        assert tp <= audit.largest_power(fp, epsilon, delta) + 1e-9
    for epsilon, delta in itertools.product((0.2, 1.0, 3.0), (0.0, 0.05)):
        report = mechanisms.randomized_response_matrix(2, epsilon)
        laws = [np.r_[delta * np.eye(2)[a], (1 - delta) * report[a]] for a in (0, 1)]
        order = [1, 3, 2, 0]                                         # say yes to: openly 1, reported 1, reported 0, openly 0
        corners = np.cumsum([(laws[0][o], laws[1][o]) for o in order], axis=0)
        assert audit.largest_power(corners[:, 0].clip(0, 1), epsilon, delta) == pytest.approx(corners[:, 1])
        between = ((corners[1:] + corners[:-1]) / 2).clip(0, 1)                   # a coin between two tests
        assert audit.largest_power(between[:, 0], epsilon, delta) == pytest.approx(between[:, 1])


def test_the_audit_inverts_the_test():
    """100 runs of 4,000 tests of randomized response each: the lower bound, at alpha = 1e-10, never passes the truth and comes near. Also
    of one that tells the truth with probability delta = .3, whose TP = e^epsilon FP + delta: without delta the bound would be 1.2."""
    rng, epsilon, n = np.random.default_rng(34), 1.0, 4000
    keep = mechanisms.randomized_response_matrix(2, epsilon)[0, 0]
    for delta, near in ((0.0, 0.7), (0.3, 0.6)):
        hits, false = rng.binomial(n, delta + (1 - delta) * keep, 100), rng.binomial(n, (1 - delta) * (1 - keep), 100)
        low = audit.epsilon_lower_bound(hits, false, n, delta, alpha=1e-10)
        assert (low <= epsilon).all() and low.mean() > near


def test_delta_is_the_mean_of_what_the_loss_has_above_epsilon():
    rng = np.random.default_rng(35)
    for _ in range(200):
        P, Q = rng.dirichlet(np.ones(6), size=2)
        epsilon, loss = rng.exponential(0.5), np.log(P / Q)
        one_way = P @ np.maximum(0, -np.expm1(epsilon - loss))
        other_way = Q @ np.maximum(0, -np.expm1(epsilon + loss))
        assert audit.exact_delta(P, Q, epsilon) == pytest.approx(max(one_way, other_way), abs=1e-12)
        assert one_way <= P[loss > epsilon].sum() + 1e-12            # the chance of a larger loss is enough
        # and a larger loss is rare: P[loss > u] <= delta / (1 - e^(epsilon - u))
        u = epsilon + 0.3
        assert P[loss > u].sum() * -math.expm1(epsilon - u) <= one_way + 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
def test_geometric_noise_is_private_whole_and_slightly_smaller(epsilon):
    law, alpha = mechanisms.geometric_law(2, epsilon), math.exp(-epsilon / 2)
    w = np.arange(-30, 31)
    assert law.pmf(w) == pytest.approx((1 - alpha) / (1 + alpha) * alpha ** np.abs(w))
    for shift in (1, 2):
        ratio = np.abs(law.logpmf(w) - mechanisms.geometric_law(2, epsilon, shift).logpmf(w))
        assert ratio.max() == pytest.approx(shift * epsilon / 2)
    assert law.var() == pytest.approx(2 * alpha / (1 - alpha) ** 2)
    assert 2 * (2 / epsilon) ** 2 * (1 - epsilon**2 / 48) < law.var() < mechanisms.laplace_law(2, epsilon).var()
    # Laplace noise is geometric noise and the difference of two fractions of exponential times, independent of it
    fraction = stats.truncexpon(b=epsilon / 2, scale=2 / epsilon)
    assert law.var() + 2 * fraction.var() == pytest.approx(mechanisms.laplace_law(2, epsilon).var())
    drawn = mechanisms.geometric([5], 2, epsilon, np.random.default_rng(36), size=1000)
    assert np.array_equal(drawn, np.rint(drawn))


def test_the_delta_curve_of_gaussian_noise_is_exact():
    """Balle and Wang's formula against the integral of max(0, p - e^epsilon q)."""
    for sigma, epsilon in itertools.product((0.7, 1.0, 3.0), (0.0, 0.5, 2.0)):
        p, q = stats.norm(0, sigma), stats.norm(1, sigma)
        edge = 0.5 - epsilon * sigma**2                              # the loss exceeds epsilon below it
        integral = integrate.quad(lambda z, p=p, q=q, e=epsilon: p.pdf(z) - math.exp(e) * q.pdf(z), -12 * sigma, edge, epsabs=1e-12)[0]
        assert mechanisms.gaussian_delta(1, sigma, epsilon) == pytest.approx(integral, abs=1e-8)
    # in the plane only the length of the shift counts: the loss of (3, 4) / 5 has the law of the loss of 1
    rng, sigma, epsilon = np.random.default_rng(37), 0.8, 0.5
    z = rng.normal(0, sigma, (200_000, 2))
    loss = (((z - [0.6, 0.8]) ** 2).sum(1) - (z**2).sum(1)) / (2 * sigma**2)
    found = np.maximum(0, -np.expm1(epsilon - loss)).mean()
    margin = math.sqrt(math.log(2e10) / (2 * len(z)))                # Hoeffding, alpha 1e-10
    assert abs(found - mechanisms.gaussian_delta(1, sigma, epsilon)) < margin < 0.01


def test_the_textbook_deviation_is_private_up_to_epsilon_one_and_false_at_nine():
    for epsilon, delta in itertools.product((1e-6, 0.01, 0.3, 0.7, 1.0), (1e-12, 1e-6, 0.01, 0.3, 0.7, 0.74, 0.9, 0.999)):
        sigma = mechanisms.gaussian_sigma_textbook(1, epsilon, delta)
        assert mechanisms.gaussian_delta(1, sigma, epsilon) <= delta
        assert mechanisms.gaussian_sigma(1, epsilon, delta) < sigma
        assert sigma == pytest.approx(math.sqrt(2 * math.log(1.25 / delta)) / epsilon)
    for epsilon, private in ((8.5, True), (9.0, False)):
        assert (mechanisms.gaussian_delta(1, math.sqrt(2 * math.log(1.25e6)) / epsilon, epsilon) <= 1e-6) == private


def test_gumbel_noise_names_the_winner_by_the_exponential_mechanism():
    """400,000 draws of six losses, alpha 1e-10 by Hoeffding and a union bound."""
    loss, n = np.array([0.0, 1.0, 1.0, 2.5, 4.0, 0.3]), 400_000
    chosen = mechanisms.exponential_by_gumbel(loss, 1, 1.5, np.random.default_rng(38), size=n)
    share = np.bincount(chosen, minlength=6) / n
    margin = math.sqrt(math.log(2 * 6 / 1e-10) / (2 * n))
    assert np.abs(share - mechanisms.exponential_probabilities(loss, 1, 1.5)).max() < margin < 0.006
    assert mechanisms.exponential_by_gumbel([[0, 1], [1, 0.0]], 1, 1.0, np.random.default_rng(1), size=(3, 2)).shape == (3, 2, 2)
    assert mechanisms.exponential_by_gumbel([1e300, 0.0], 1e-5, 1.0, np.random.default_rng(1)) == 1


def test_randomized_response_has_exactly_epsilon_and_no_channel_keeps_more():
    """Exact epsilon; and of all channels of that epsilon on a grid none, for two groups, tells the truth more often for both."""
    for k, epsilon in itertools.product((2, 3, 7), (0.1, 1.0, 3.0)):
        matrix = mechanisms.randomized_response_matrix(k, epsilon)
        assert matrix.sum(axis=1) == pytest.approx(1)
        assert max(audit.exact_epsilon(*pair) for pair in itertools.combinations(matrix, 2)) == pytest.approx(epsilon)
    epsilon, keep = 1.0, mechanisms.randomized_response_matrix(2, 1.0)[0, 0]
    for t, r in itertools.product(np.linspace(0.01, 0.99, 99), repeat=2):
        if audit.exact_epsilon([r, 1 - r], [1 - t, t]) <= epsilon:
            assert t + r <= 2 * keep + 1e-9


def test_a_local_protocol_is_private_in_a_and_its_reports_pay_for_it():
    """Random protocols of three people and three groups, each report's channel chosen after those before it, against all neighbours;
    then the library's reports: their law, 200,000 draws of it audited at alpha 1e-10, and the epsilon at which they equal a count."""
    rng = np.random.default_rng(47)
    for epsilon, delta in ((0.5, 0.0), (1.2, 0.0), (0.5, 0.02)):
        channels = {}

        def channel(past, e=epsilon, d=delta, known=channels):
            """Row a: the law of a report of group a; its entries are within a factor e^epsilon, but for mass delta."""
            if past not in known:
                low = rng.uniform(1, math.exp(e / 2), (3, 3))
                known[past] = np.hstack([(1 - d) * low / low.sum(axis=1, keepdims=True), d * np.eye(3)])
                assert max(audit.exact_delta(*pair, e) for pair in itertools.permutations(known[past], 2)) <= d + 1e-12
            return known[past]

        def law(A, channel=channel):
            return np.array([channel(())[A[0], r] * channel((r,))[A[1], s] * channel((r, s))[A[2], t]
                             for r, s, t in itertools.product(range(6), repeat=3)])

        laws = {A: law(A) for A in itertools.product(range(3), repeat=3)}
        for A, B in itertools.combinations(laws, 2):
            if sum(a != b for a, b in zip(A, B, strict=True)) == 1:
                assert audit.exact_delta(laws[A], laws[B], epsilon) <= delta + 1e-12
    for epsilon in (0.3, 1.0):
        matrix, n = mechanisms.randomized_response_matrix(3, epsilon), 200_000
        assert max(audit.exact_epsilon(*pair) for pair in itertools.combinations(matrix, 2)) == pytest.approx(epsilon)
        said = [mechanisms.randomized_response(np.full(n, a), 3, epsilon, rng) for a in (0, 1)]
        low = audit.epsilon_lower_bound(int((said[0] == 0).sum()), int((said[1] == 0).sum()), n, alpha=1e-10)
        assert 0.8 * epsilon < low <= epsilon
    for n, epsilon in itertools.product((100, 1994, 10**6), (0.1, 0.5, 2.0)):
        local = 2 * math.asinh(math.sqrt(n / 2) * math.sinh(epsilon / 2))
        assert mechanisms.debias_variance([n / 2, n / 2], local)[0] == pytest.approx(mechanisms.geometric_law(1, epsilon).var())
    assert audit.exact_epsilon([1.0, 0.0], [0.0, 1.0]) == math.inf          # a true answer


# --- numbers in the text

def test_numbers_of_the_text():
    page = PAGE.read_text(encoding="utf8")

    def says(text):
        assert text in page, text

    # the puzzle
    assert mechanisms.randomized_response_matrix(2, math.log(3))[0, 0] == pytest.approx(0.75)
    assert mechanisms.debias_counts([4, 6], math.log(3)) == pytest.approx([3, 7])
    assert f"{math.sqrt(mechanisms.debias_variance([5, 5], math.log(3))[0]):.1f}" == "2.7"
    assert load("ten_people").A.sum() == 5
    says("standard deviation of that guess is 2.7 people")
    says("For 10,000, with the same coins, it has 87")
    assert f"{math.sqrt(mechanisms.debias_variance([5000, 5000], math.log(3))[0]):.0f}" == "87"
    # the first figure, and what an epsilon means
    assert load("ten_people").A[1:].sum() == 5
    says("five of the others are in group 1. The count is 5 or 6")
    assert [f"{p:.2f}" for p in attacks.posterior_bound(1.0)] == ["0.27", "0.73"]
    says("you end between 0.27 and 0.73")
    assert f"{mechanisms.laplace_law(1, 1.0).std():.1f}" == "1.4"
    says("off by 1.4 people in root mean square")
    assert round(100 * float(audit.largest_power(0.01, 5.0))) == 99 and math.exp(5) * 0.01 > 1         # the second line is the limit
    says("for 1 wrong yes in 100 runs up to 99 right ones, by the second line")
    # three candidates
    assert mechanisms.exponential_probabilities([2, 3, 6], 1, 2.0).round(2).tolist() == [0.72, 0.27, 0.01]
    says("losses of 2, 3 and 6 have chances 0.72, 0.27 and 0.01")
    # delta is not the chance of a larger loss
    keep = mechanisms.randomized_response_matrix(2, 1.0)
    assert f"{keep[0, 0]:.3f}" == "0.731" and f"{audit.exact_delta(*keep, 0.99):.4f}" == "0.0073"
    says("in 73 % of all runs, yet $\\delta(0.99)=0.731\\,(1-e^{-0.01})=0.0073$")
    assert 0.027 < audit.largest_power(0.01, 1.0) < 0.03
    says("says yes in 1 of 100 runs on $A$ says yes in at most 3 of 100 on $A'$")
    # bits: one count of 0 in seven; wide noise: one run in twenty
    assert 1 / 7.5 < 0.15 < 1 / 6.5 and math.exp(-3) == pytest.approx(1 / 20, abs=3e-4)
    # which noise for how many counts: nine or more
    better = [s for s in range(1, 30) if mechanisms.gaussian_sigma(s**0.5, 1, 1e-6) < mechanisms.geometric_law(s, 1.0).std()]
    assert better == list(range(9, 30))
    says("when one person touches nine or more")
    # the steps of the textbook's proof
    c = math.sqrt(2 * math.log(1.25 / 0.73))
    assert c > 1.037 and 1.037 - 1 / (2 * 1.037) > 0.554 and math.exp(0.5) / (1.25 * math.sqrt(2 * math.pi) * 0.554) < 0.95
    assert math.sqrt(2 * math.log(1.25)) > 0.668 and 1 / 0.668 < 1.5 and 2 * stats.norm.cdf(0.75) - 1 < 0.55
    assert round(audit.laplace_shift_delta(1, 0.5, 1.0), 2) == 0.39
    # the price of local privacy: sqrt(m/2) on Communities, 71 for ten thousand
    assert f"{math.sqrt(1994 / 2):.1f}" == "31.6" and round(math.sqrt(5000)) == 71
    says("\\sqrt{1994/2}\\approx31.6")
    communities = load("communities")
    people = [int((communities.Y == y).sum()) for y in (0, 1)]
    ones = [int(((communities.Y == y) & (communities.A == 1)).sum()) for y in (0, 1)]
    assert (people, ones) == ([1411, 583], [495, 475])
    says("1,411 communities with label 0 and 583 with label 1. In group 1 are 495 and 475 of them")
    one = mechanisms.geometric_law(1, 1.0).std()
    assert [f"{math.sqrt(n / 2) * one:.0f}" for n in people] == ["36", "23"] and f"{one:.2f}" == "1.36"
    says("by label, as the theorem says, 36 and 23: $\\sqrt{n/2}$ times 1.36")
    assert f"{mechanisms.laplace_law(2, 1.0).std():.0f}" == "3"
    # the break: who moves the true positive rate of group 1 furthest
    ten = load("ten_people")
    accepted, inside = data.ten_people_base(ten.X), (ten.A == 1) & (ten.Y == 1)
    assert [data.TEN_NAMES[i] for i in np.flatnonzero(inside)] == ["Fay", "Gus"] and accepted[inside].all()
    cleo = data.TEN_NAMES.index("Cleo")
    assert (ten.A[cleo], ten.Y[cleo], accepted[cleo]) == (0, 1, 0)
    assert mechanisms.debias_variance([1024, 970], 1.0)[0] / mechanisms.geometric_law(1, 1.0).var() == pytest.approx(997)


# --- deliberate faults

def steep_line_only(f):
    return lambda false_positive, epsilon, delta=0.0: np.minimum(np.exp(epsilon) * np.asarray(false_positive) + delta, 1.0)


def times_the_people(f):
    return lambda epsilon, people, delta=0.0: (people * epsilon, people * delta)


def reports_at_double_epsilon(f):
    return lambda A, n_groups, epsilon, rng, size=None: f(A, n_groups, 2 * epsilon, rng, size)


FAULTS = {
    "largest_power_without_delta": Mutant("dpfair_teach.audit.largest_power", with_arguments(delta=lambda delta: 0.0),
                                          "delta gives a test no power"),
    "largest_power_of_delta_alone": Mutant("dpfair_teach.audit.largest_power", lambda f: lambda false_positive, epsilon, delta=0.0: (
        np.minimum(np.asarray(false_positive) + delta, 1.0)), "epsilon gives a test no power"),
    "exact_epsilon_halved": Mutant("dpfair_teach.audit.exact_epsilon", scaled(0.5), "half the epsilon"),
    "largest_power_one_line": Mutant("dpfair_teach.audit.largest_power", steep_line_only, "the line from the other corner is left out"),
    "lower_bound_doubled": Mutant("dpfair_teach.audit.epsilon_lower_bound", scaled(2), "twice the bound"),
    "lower_bound_without_delta": Mutant("dpfair_teach.audit.epsilon_lower_bound", with_arguments(delta=lambda _: 0.0), "no delta"),
    "lower_bound_halved": Mutant("dpfair_teach.audit.epsilon_lower_bound", scaled(0.5), "half the bound"),
    "group_privacy_adds_delta": Mutant("dpfair_teach.accounting.group_privacy", times_the_people, "deltas add up as if they were composed"),
    "textbook_a_tenth_less": Mutant("dpfair_teach.mechanisms.gaussian_sigma_textbook", scaled(0.9), "a tenth less noise"),
    "gaussian_sigma_times_13": Mutant("dpfair_teach.mechanisms.gaussian_sigma", scaled(1.3), "scale times 1.3"),
    "gumbel_at_double_epsilon": Mutant(
        "dpfair_teach.mechanisms.exponential_by_gumbel", with_arguments(epsilon=lambda e: 2 * e),
        "the 2 under the fraction line is missing"),
    "matrix_at_double_epsilon": Mutant(
        "dpfair_teach.mechanisms.randomized_response_matrix", lambda f: lambda k, epsilon: f(k, 2 * epsilon),
        "the law of twice the epsilon"),
    "reports_at_double_epsilon": Mutant(
        "dpfair_teach.mechanisms.randomized_response", reports_at_double_epsilon, "the coins of twice the epsilon"),
}
