"""What chapter 14 says of other releases, cells and covariances, and the helpers that make them."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from book.studies import ask_once_others as others
from dpfair_teach.data import make_logistic
from dpfair_teach.oneshot import Public

RESULTS = Path(__file__).parents[2] / "book" / "results"


@pytest.fixture(scope="module")
def people():
    return make_logistic(400, d=4, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def public(people):
    return Public(people.X, people.Y, oracle="bayes")


def stored(table):
    return pd.read_csv(RESULTS / f"{table}.csv")


def test_crossed_cells_hold_everybody_of_one_label_and_one_half(public):
    codes, n = others.crossed_cells(public, 6)
    assert n == 12 and sorted(set(codes)) == list(range(12))
    for y in (0, 1):
        score = public.place[public.people[y], -1]
        for code in set(codes[public.people[y]]):
            assert len(set((score > np.median(score))[codes[public.people[y]] == code])) == 1
    assert not set(codes[public.people[0]]) & set(codes[public.people[1]])


def test_what_the_chapter_says_of_questions_with_the_same_oracle():
    q = pd.concat([stored("left_oneshot"), stored("left_oneshot_others")]).groupby(["group", "method", "epsilon"]).q.first()
    for group in ("paper", "race_argmax"):
        at = {name: q[group, name] for name in ("histogram_regression", "response", "sums_regression", "sums_features")}
        assert at["histogram_regression"][1.0] == max(rows[1.0] for rows in at.values())
        assert at["sums_features"][1.0] == min(rows[1.0] for rows in at.values())
        assert at["response"][5.0] > at["histogram_regression"][5.0]
        assert (q[group, "histogram"][0.25:] > q[group, "histogram_regression"][0.25:]).all()
        assert (q[group, "histogram_logistic"][0.25:] > q[group, "histogram_regression"][0.25:]).all()


def test_what_the_chapter_says_of_other_ways():
    """No way is told apart from the chosen one: all differences are within two standard errors of it."""
    ways = stored("left_tuning_others").set_index(["way", "epsilon"])
    for (way, epsilon), row in ways.iterrows():
        assert abs(row.q - ways.q["chosen", epsilon]) < 2 * np.hypot(row.q_standard_error, ways.q_standard_error["chosen", epsilon]), way
