"""What is published of asking well besides the mixtures: mean gaps, and what noise alone does to a count of people."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_oneshot_belief import CASES, believed, whole_law

from dpfair_teach.oneshot import fair_candidates
from dpfair_teach.oneshot.chosen import published_of, what_is_believed


def published(k, against, notion, epsilon=1.0):
    people, public, belief = believed(k, against, notion, epsilon)
    found = fair_candidates(public, belief)
    path = np.zeros((3, len(found.error)))
    path[[0, 1, 2], [-1, 5, int(found.error.argmin())]] = 1.0
    return people, public, belief, found, published_of(belief, found, path, (0.0, .1))


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_the_gaps_published_are_the_means_of_the_rates_that_are_drawn(k, against, notion):
    """Pair by pair, and of the constants none."""
    _, public, _, _, (_, frontier, told) = published(k, against, notion)
    rates = told.drawn.astype(float).mean(axis=0)                                   # (k, S, R)
    pairs = public.parity.comparisons(k)
    gaps = np.stack([rates[a, :, r] - rates[b, :, r] for a, b in pairs for r in range(rates.shape[2])], axis=1)
    assert frontier.gaps == pytest.approx(gaps, abs=1e-6)
    assert np.abs(gaps).max() > .05 and not frontier.gaps[-2:].any()


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_the_deviation_is_of_those_whom_a_public_score_puts_in_the_upper_half(k, against, notion):
    """Plus a half for them and minus a half for the others, person by person; group 0 has whom the counted groups have not."""
    _, public, belief, _, (_, _, told) = published(k, against, notion)
    score = public.base @ np.column_stack([np.ones(public.m), public.X]).T
    for r, people in enumerate(public.people):
        upper = score > np.median(score[people])
        for a in range(k):
            numbers = np.zeros((len(people), len(belief.groups)))
            for i, person in enumerate(people):
                for column, group in enumerate(belief.groups):
                    sign = 1 if group == a else -1 if a not in belief.groups else 0
                    numbers[i, column] = sign * (.5 if upper[person] else -.5)
            assert told.deviation[a, r] == pytest.approx(np.sqrt(belief.noise(r, numbers)), rel=1e-9)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_as_many_people_are_believed_as_the_answers_make_expect(k, against, notion):
    """By the law of everybody's groups given the answers, written out; the chances alone say another number."""
    _, public, belief, _, (_, _, told) = published(k, against, notion)
    mean, _, ends = whole_law(belief)
    apart = 0.0
    for r, (start, stop) in enumerate(itertools.pairwise(ends)):
        counted = mean[start:stop].reshape(-1, len(belief.groups)).sum(axis=0)
        everybody = counted if len(belief.groups) == k else np.append(len(public.people[r]) - counted.sum(), counted)
        assert told.people[:, r] == pytest.approx(everybody)
        apart = max(apart, np.abs(belief.crowd.times[r] @ belief.p[r] - everybody).max())
    assert apart > 1e-3


def test_of_a_handful_of_people_nothing_is_known_better_than_by_a_count():
    """At most half of everybody is counted with plus and half with minus a half: a quarter of the variance of a count, of all questions
    together."""
    _, _, belief, found, _ = published(2, "anchor", "equalized_odds")
    belief.noise = lambda r, numbers: 0.0
    told = what_is_believed(belief, found, np.arange(len(found.error))[-3:])
    for r in range(2):
        assert told.deviation[:, r] == pytest.approx(.5 / np.sqrt(sum(1 / question.variance for question in belief.asked[r])))
