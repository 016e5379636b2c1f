"""Asking well put together by hand is the learner's, and every other way asks for no more than epsilon of anybody."""
from __future__ import annotations

import numpy as np
import pytest

from book.studies import ask_well_parts
from dpfair_teach import accounting
from dpfair_teach.data import make_logistic
from dpfair_teach.oneshot import DESIGNED, ask_well, public_part
from dpfair_teach.oneshot.belief import Asked


@pytest.fixture(scope="module")
def people():
    return make_logistic(400, rng=np.random.default_rng(1))


def test_as_it_is_is_the_learner(people):
    public = public_part(people.X, people.Y)
    _, belief, found, path = ask_well(public, people.A, 1.0, np.random.default_rng(3))
    other, candidates, mixtures = ask_well_parts.asked_in(public, people.A, 1.0, np.random.default_rng(3))
    np.testing.assert_array_equal(mixtures, path)
    np.testing.assert_array_equal(candidates.error, found.error)
    np.testing.assert_array_equal(other.weights, belief.weights)


@pytest.mark.parametrize("variant", list(ask_well_parts.VARIANTS))
def test_every_variant_asks_for_epsilon_and_no_more(variant, people, monkeypatch):
    asked: list[Asked] = []

    def note(*args):
        asked.append(ask_part(*args))
        return asked[-1]

    ask_part = ask_well_parts.ask_part
    monkeypatch.setattr(ask_well_parts, "ask_part", note)
    how = dict(ask_well_parts.VARIANTS[variant])
    settings = how.pop("settings", DESIGNED)
    public = public_part(people.X, people.Y)
    public.settings = settings
    belief, *_ = ask_well_parts.asked_in(public, people.A, 1.0, np.random.default_rng(3), **how)
    releases = [one.release for one in asked]
    assert accounting.compose(releases, 0.0) == pytest.approx(1.0)
    assert len(releases) == 2 * (1 + how.get("more", 1))
    assert np.isfinite(ask_well_parts.log_evidence(belief))
