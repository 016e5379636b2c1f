"""Every learner's violation is the one counted by hand, person by person, for 2, 3 and 5 groups: the command ``make violations``."""
from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import sys

import numpy as np
import pytest

import dpfair_teach
import violations
from dpfair_teach import games, oracles
from dpfair_teach.postprocessing import learner as repairs
from faults import Mutant


@pytest.mark.slow
def test_every_learners_violation_is_the_one_counted_by_hand():
    for k in violations.GROUPS:
        found = violations.violations(k)
        assert len(found) >= len(violations.LEARNERS) - 2       # the separation has two groups
        for name, (said, hand) in found.items():
            assert said == pytest.approx(hand, abs=1e-12), (name, k)
        assert np.ptp([hand for _, hand in found.values()]) > 0.05, "violations that are all alike compare nothing"


SAYS = ("predict_proba", "acceptance_probability")      # how a learner, or what it returns, says its chances


def learners() -> list[str]:
    """Public classes with ``fit``, and functions that are called so or return something of the library that predicts; in any room."""
    found = []
    for room in pkgutil.iter_modules(dpfair_teach.__path__):
        module = importlib.import_module(f"dpfair_teach.{room.name}")
        for name in set(getattr(module, "__all__", ())) - {"penalty_gradient"}:    # a direction
            thing = getattr(module, name)
            returned = inspect.signature(thing).return_annotation if inspect.isfunction(thing) else None
            returned = getattr(sys.modules[thing.__module__], returned, None) if isinstance(returned, str) else returned
            if hasattr(thing, "fit") or name.endswith(("_learner", "_gradient")) or any(map(functools.partial(hasattr, returned), SAYS)):
                found.append(f"{room.name}.{name}")
    return sorted(found)


def test_a_learner_of_another_name_or_room_is_missed(monkeypatch):
    class Trained:
        def fit(self, X, y, *, sensitive_features, rng): ...

    class Played:
        def acceptance_probability(self, X): ...

    def trains(X, A, Y, rng): ...

    trains.__annotations__["return"] = Played
    for room, thing in ((oracles, Trained), (games, trains)):
        monkeypatch.setattr(room, thing.__name__, thing, raising=False)
        monkeypatch.setattr(room, "__all__", [*room.__all__, thing.__name__])
    assert {"oracles.Trained", "games.trains"} <= set(learners())


def test_every_learner_is_on_the_list():
    """A learner that joins the library is asked for here: its line goes into ``LEARNERS``."""
    source, names = inspect.getsource(violations), " ".join(violations.LEARNERS)
    assert len(learners()) >= 5
    for name in learners():
        assert f"{name}(" in source, f"no line for {name} in LEARNERS of tests/violations.py"
    assert all(method in names for method in (*repairs.METHODS, "noisy", "noisy_lower_bound", "public_lower_bound"))


# --- deliberate faults

def first_two_groups(f):
    return lambda counts, *args, **kw: f(np.asarray(counts)[..., :2, :], *args, **kw)


def first_gaps(f):
    return property(lambda self: np.abs(self.game.gaps[self.chosen].mean(axis=0))[..., :2].max(axis=-1))


FAULTS = {
    "violation_of_two_groups_only": Mutant("dpfair_teach.fairness.violation", first_two_groups, "the third group is not looked at"),
    "play_violation_of_two_groups_only": Mutant("dpfair_teach.games.play.Play.violation", first_gaps, "a play forgets the third group"),
}
