"""Lemma 2.1, Lemma A.1, Theorem 2.2: exhaustive, by simulation, attained; and the main text's slack refuted by numbers."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dpfair_teach import fairness
from dpfair_teach.postprocessing import (
    closed_form,
    derived_counts,
    largest_change,
    lemma_a1,
    main_text_slack,
    noisy_counts,
    paper_slack,
    theorem_2_2,
)
from dpfair_teach.postprocessing.algorithms import count_sensitivity
from faults import Mutant

COMMUNITIES = np.array([[[890, 50], [426, 108]], [[26, 58], [69, 367]]])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_lemma_2_1_is_an_equality_whatever_the_data(m, k):
    rng = np.random.default_rng(m)
    for _ in range(4):
        prediction, Y = rng.integers(0, 2, (2, m))
        assert largest_change(prediction, Y, k) == pytest.approx(count_sensitivity(m))


@pytest.mark.parametrize("m, k", [(30, 2), (2, 300), (1, 1000), (4, 40)])
def test_too_many_cases_are_refused(m, k):
    """By what would have to be held and compared, not by the number of vectors A alone: 300 groups of 2 people took 3.5 GB."""
    with pytest.raises(ValueError, match="too many to try"):
        largest_change([0] * m, [0] * m, k)


def test_a_small_type_of_m_or_epsilon_changes_no_bound():
    """In int16 the product 20,000 * 5 is negative, in float16 infinite."""
    q = COMMUNITIES / COMMUNITIES.sum()
    right = theorem_2_2(q, 20000, 5, 0.05, 0.02)
    for m, epsilon in ((np.int16(20000), 5), (np.int16(20000), np.int8(5)), (20000, np.float16(5)), (np.float32(20000), np.float16(5))):
        bound = theorem_2_2(q, m, epsilon, 0.05, 0.02)
        assert bound.error_gamma == right.error_gamma > 0 and bound.error == right.error and bound.fp.tolist() == right.fp.tolist()


def test_part_5_is_part_4():
    facts = lemma_a1(COMMUNITIES / COMMUNITIES.sum(), 1994, 5, 0.05)
    assert facts.slack is facts.gaps


def errors(q, p):
    """err(Y_p) on the table q, unnormalised as the paper writes it."""
    return ((q[..., 0] - q[..., 1]) * p).sum(axis=(-2, -1)) + q[..., 1].sum(axis=(-2, -1))


def gaps(q, p=None):
    """FP_a - FP_0 and TP_a - TP_0 of the derived classifier, shape (..., k, 2)."""
    share = q / q.sum(axis=-3, keepdims=True)
    rate = share[..., 1, :, :] if p is None else (share * p[..., None]).sum(axis=-3)
    return rate - rate[..., :1, :]


def hoeffding(n):
    """A share over n draws exceeds its mean by more than this with probability 1e-10."""
    return np.sqrt(np.log(1e10) / (2 * n))


@pytest.mark.parametrize("as_printed", [True, False])
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_lemma_a1_holds_in_simulation(beta, as_printed):
    """n = 4,000 tables, 20 classifiers each; the share of tables that break any part is at most beta plus Hoeffding's margin (1e-10)."""
    counts, epsilon, n = COMMUNITIES, 1.0, 4000
    m, rng = int(counts.sum()), np.random.default_rng(1)
    q = counts / m
    noisy = noisy_counts(counts, epsilon, rng, size=n) / m
    p = rng.integers(0, 2, (20, 2, 2)).astype(float)
    broken = np.zeros(n, dtype=bool)
    for i, table in enumerate(noisy):
        if (table.sum(axis=0) <= 0).any():
            broken[i] = True                                       # part 2
            continue
        bound = lemma_a1(table, m, epsilon, beta, as_printed=as_printed)
        rate_off = np.abs(table[1] / table.sum(axis=0) - q[1] / q.sum(axis=0))
        gap_off = np.abs(np.abs(gaps(table, p)) - np.abs(gaps(q, p)))
        broken[i] = ((np.abs(errors(table, p) - errors(q, p)) > bound.error).any() or (rate_off > bound.rates).any()
                     or (gap_off > bound.gaps + 1e-12).any() or (np.abs(table.sum(axis=0) - q.sum(axis=0)) > bound.people).any())
    assert lemma_a1(q, m, epsilon, beta).holds
    assert broken.mean() <= beta + hoeffding(n)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_part_1_is_attained_at_4k_and_never_reaches_the_printed_12k(k):
    """All noise at the limit of the event, every two cells alike: the error is then off by 4 k L / (m epsilon) for every p."""
    m, epsilon, beta = 10_000, 1.0, 0.05
    q = np.full((2, k, 2), 1 / (4 * k))
    sharp, printed = (lemma_a1(q, m, epsilon, beta, as_printed=flag) for flag in (False, True))
    p = np.random.default_rng(k).random((50, 2, k))
    off = np.abs(errors(q + sharp.noise, p) - errors(q, p))
    assert off == pytest.approx(sharp.error)
    assert printed.error == pytest.approx(3 * sharp.error)


def test_part_4_is_attained_at_the_sum_of_the_two_groups():
    """FP_1 noisily up, FP_0 noisily down by the limit: the gap moves by 2L/(q~_10 m epsilon) + 2L/(q~_00 m epsilon)."""
    m, epsilon, beta = 10_000, 1.0, 0.05
    q = np.full((2, 2, 2), 1 / 8)
    off = lemma_a1(q, m, epsilon, beta).noise
    noisy = q.copy()
    noisy[1, 1, 0] += off
    noisy[0, 1, 0] -= off
    noisy[1, 0, 0] -= off
    noisy[0, 0, 0] += off
    assert np.abs(gaps(noisy) - gaps(q))[1, 0] == pytest.approx(lemma_a1(noisy, m, epsilon, beta).gaps[1, 0])


@pytest.mark.parametrize("k", [2, 3])
def test_theorem_2_2_error_is_attained_at_8k_in_the_limit(k):
    """Every cost a hair below twice the noise's limit, gamma so large that nothing else matters: noise turns every decision around."""
    m, epsilon, beta = 100_000, 1.0, 0.05
    q = np.full((2, k, 2), 1 / (4 * k))
    off = lemma_a1(q, m, epsilon, beta).noise
    q = q + off * (1 - 1e-6) * np.array([1.0, -1.0])
    noisy = q + off * np.array([-1.0, 1.0])
    best, private = ((q[..., 0] < q[..., 1]).astype(float), (noisy[..., 0] < noisy[..., 1]).astype(float))
    bound = theorem_2_2(q, m, epsilon, beta, gamma=1.0)
    assert bound.holds
    assert errors(q, private) - errors(q, best) == pytest.approx(bound.error, rel=1e-5)
    assert theorem_2_2(q, m, epsilon, beta, 1.0, as_printed=True).error == pytest.approx(3 * bound.error)


@pytest.mark.parametrize("beta", [0.05, 0.4])
def test_theorem_2_2_holds_in_simulation(beta):
    """n = 4,000 runs of Algorithm 1; shares of failures are at most beta (2 beta for ``error_gamma``) plus Hoeffding's margin (1e-10)."""
    counts, epsilon, gamma, n = COMMUNITIES, 1.0, 0.05, 4000
    m = int(counts.sum())
    q = counts / m
    bound, printed = (theorem_2_2(q, m, epsilon, beta, gamma, as_printed=flag) for flag in (False, True))
    assert bound.holds
    noisy = noisy_counts(counts, epsilon, np.random.default_rng(3), size=n) / m
    noisy = noisy[(noisy.sum(axis=-3) > 0).all(axis=(-2, -1))]
    found = closed_form(noisy, gamma, paper_slack(noisy, m, epsilon, beta))
    excess = errors(q, found.p) - closed_form(q, gamma).value
    unfair = np.abs(gaps(q, found.p))[:, 1]
    lost = n - len(noisy)                                          # outside the event: counted as failures
    limit = np.stack([bound.fp[1:], bound.tp[1:]], axis=-1)[0]
    failed = (excess > bound.error) | (unfair > limit).any(axis=-1)
    assert (failed.sum() + lost) / n <= beta + hoeffding(n)
    assert ((excess > bound.error_gamma).sum() + lost) / n <= 2 * beta + hoeffding(n)
    assert bound.error_gamma < bound.error < printed.error
    assert (bound.fp <= printed.fp).all() and (bound.tp <= printed.tp).all()


def test_the_numbers_of_the_three_constants():
    """k = 2, beta = .05, as multiples of 1 / (m epsilon): printed 243.6, sharp 81.2, without the union bound 26.3."""
    q = np.full((2, 2, 2), 1 / 8)
    sharp, printed = (theorem_2_2(q, 1, 1.0, 0.05, 0.0, as_printed=flag) for flag in (False, True))
    assert [round(x, 1) for x in (printed.error, sharp.error, sharp.error_gamma)] == [243.6, 81.2, 26.3]


def test_where_the_hypothesis_fails_nothing_is_promised():
    q = COMMUNITIES / 1994
    bound = theorem_2_2(q, 1994, 0.01, 0.05, 0.1)
    assert not bound.holds
    assert np.isposinf(bound.fp[1]) and np.isposinf(bound.tp[1])
    with pytest.raises(ValueError, match=r"\(a=1, y=0\) holds a negative number, outside"):
        lemma_a1(q - np.array([[0, 0], [1, 0]]), 1994, 1.0, 0.05)


def refutation():
    """A small group 0 whose rates noise can turn around, inside the event of Lemma A.1 and under the hypothesis of Theorem 2.2."""
    counts = np.array([[[20.0, 5.0], [40_010.0, 9_990.0]], [[5.0, 20.0], [9_990.0, 39_960.0]]])
    m = int(counts.sum())
    noisy = counts.copy()
    off = 10.0                                                     # the event allows 2 ln(160) = 10.15 people
    noisy[:, 0, 0] += [-off, off]                                  # FP_0 seems to be .6 instead of .2,
    noisy[:, 0, 1] += [off, -off]                                  # TP_0 .4 instead of .8
    return counts / m, noisy / m, m


def test_the_main_texts_slack_is_wrong():
    epsilon, beta, gamma = 1.0, 0.05, 0.01
    q, noisy, m = refutation()
    assert m == 100_000
    event = lemma_a1(q, m, epsilon, beta)
    assert event.holds and np.abs(noisy - q).max() <= event.noise
    best = closed_form(q, gamma)
    printed = theorem_2_2(q, m, epsilon, beta, gamma, as_printed=True)

    seen = np.abs(gaps(noisy, best.p))[1].max()                    # how unfair the true optimum looks through the noise
    assert seen == pytest.approx(0.400, abs=0.001)
    assert seen > gamma + main_text_slack(noisy, m, epsilon, beta)[1].max()
    assert (np.abs(gaps(noisy, best.p)) <= gamma + paper_slack(noisy, m, epsilon, beta))[1].all()

    def excess(slack):
        return errors(q, closed_form(noisy, gamma, slack(noisy, m, epsilon, beta)).p) - best.value

    assert excess(main_text_slack) == pytest.approx(0.190, abs=0.001)
    assert printed.error == pytest.approx(0.0024, abs=0.0001)      # the bound fails, even with its printed constant
    assert excess(paper_slack) <= theorem_2_2(q, m, epsilon, beta, gamma).error


def test_unfairness_of_the_sharp_theorem_follows_from_its_parts():
    """gamma + slack + part 4 of Lemma A.1 at the worst noisy table, q~_ay = q^_ay - 4 L / (m epsilon)."""
    q, m, epsilon, beta, gamma = COMMUNITIES / 1994, 1994, 2.0, 0.05, 0.02
    bound = theorem_2_2(q, m, epsilon, beta, gamma)
    worst = q - np.array([1.0, 1.0])[:, None, None] * lemma_a1(q, m, epsilon, beta).people / 2
    lemma = lemma_a1(worst, m, epsilon, beta)
    slack = paper_slack(worst, m, epsilon, beta)
    assert bound.fp[1] == pytest.approx(gamma + slack[1, 0] + lemma.gaps[1, 0])
    assert bound.tp[1] == pytest.approx(gamma + slack[1, 1] + lemma.gaps[1, 1])


def test_derived_rates_are_the_gaps_used_here():
    q = COMMUNITIES / 1994
    p = np.array([[0.1, 0.0], [1.0, 0.7]])
    fp, tp = fairness.rates(derived_counts(q, p))
    assert gaps(q, p)[1] == pytest.approx([fp[1] - fp[0], tp[1] - tp[0]])


@pytest.mark.parametrize("ask", [lemma_a1, lambda *arguments: theorem_2_2(*arguments, 0.1)])
def test_the_hypothesis_is_strict_and_where_the_paper_puts_it(ask):
    """min q^_ay > 4 ln(4k / beta) / (m epsilon): 20.3 people for k = 2, beta = .05, epsilon = 1."""
    for smallest, holds in [(20, False), (21, True)]:
        counts = np.full((2, 2, 2), 200.0)
        counts[:, 1, 0] = [smallest - 5, 5]
        m = int(counts.sum())
        assert ask(counts / m, m, 1.0, 0.05).holds is holds


def test_bounds_refuse_people():
    """Counts in place of frequencies would make the hypothesis true and the limits tiny."""
    assert COMMUNITIES.sum() == 1994
    with pytest.raises(ValueError, match=r"q=1994.0: is the sum of the entries.*divide by m"):
        theorem_2_2(COMMUNITIES, 1994, 0.01, 0.05, 0.1)
    with pytest.raises(ValueError, match=r"q=1994.0: is the sum of the entries.*divide by m"):
        lemma_a1(COMMUNITIES, 1994, 1.0, 0.05)
    with pytest.raises(ValueError, match=r"q=0.9"):
        theorem_2_2(COMMUNITIES / 1994 * 0.9, 1994, 1.0, 0.05, 0.1)


# --- deliberate faults

def without(term):
    """The sharp theorem's bound on unfairness without gamma, or without the slack."""
    def make(f):
        def theorem_2_2(q, m, epsilon, beta, gamma, *, as_printed=False):
            found = f(q, m, epsilon, beta, gamma, as_printed=as_printed)
            people, unit = np.asarray(q, float).sum(axis=0), np.log(4 * np.shape(q)[1] / beta) / (m * epsilon)
            room = people - 4 * unit
            lost = np.full_like(room, gamma) if term == "gamma" else 4 * unit / np.minimum(room, room[:1])
            lost[0] = 0
            return dataclasses.replace(found, fp=found.fp - lost[:, 0], tp=found.tp - lost[:, 1])
        return theorem_2_2
    return make


POST = "dpfair_teach.postprocessing."
FAULTS = {
    "gap_of_the_anchors_rate": Mutant(POST + "slacks.both_rates", lambda f: lambda off: 0 * off + off[..., :1, :],
                                      "a group's own rate is exact"),
    "gap_of_its_own_rate": Mutant(POST + "slacks.both_rates", lambda f: lambda off: off, "the anchor's rate is exact"),
    "theorem_2_2_without_gamma": Mutant(POST + "theorem_2_2", without("gamma"), "no tolerance"),
    "theorem_2_2_without_the_slack": Mutant(POST + "theorem_2_2", without("slack"), "the slack is free"),
}
