"""What a private fit publishes holds nothing of A but through a recorded mechanism: its bytes, with the mechanisms' answers held fixed.

Each private fit of the list runs on one data set, and what its mechanisms answer is written down. Then it runs on others, a neighbour
and people whose groups are all exchanged, and the mechanisms give the answers that were written down. All that depends on A but through
them would now be seen: the pickled results are the same, byte by byte. (Not in the list: algorithms as printed and Section 5's learner,
which are not private.)
"""
from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_teach import data
from dpfair_teach.games import FairnessGame, dp_oracle_learner, private, regression_dp_oracle_learner, regression_private
from dpfair_teach.games import players as rooms
from dpfair_teach.oneshot import FrontierLearner, asked
from dpfair_teach.oracles import RegressionOracle
from dpfair_teach.postprocessing import DPPostProcessing, estimator
from faults import Mutant

PEOPLE = {k: data.make_logistic(240, n_groups=k, d=2, rng=np.random.default_rng(k)) for k in (2, 3)}


class Fit(NamedTuple):
    """A private fit, of A alone, and the mechanisms that it runs: where they are called from."""

    of: Callable[[np.ndarray], Any]
    mechanisms: list[tuple[Any, str]]
    k: int


def game(k: int, **how: Any) -> Callable[[np.ndarray], Any]:
    def of(A):
        H = np.array([PEOPLE[k].X[:, 0] > t for t in np.linspace(-1, 1, 7)])
        table = FairnessGame(H, A, PEOPLE[k].Y, [0.02, 0.1], n_groups=k, empty="zero")
        return dp_oracle_learner(table, 2.0, 1e-6, 3.0, np.random.default_rng(1), rounds=4, size=3, **how)
    return of


def loop(k: int) -> Callable[[np.ndarray], Any]:
    oracle = RegressionOracle(PEOPLE[k].X, PEOPLE[k].Y)
    return lambda A: regression_dp_oracle_learner(oracle, A, [0.02, 0.1], 2.0, 1e-6, np.random.default_rng(1), n_groups=k, rounds=4, size=3)


def repaired(**how: Any) -> Callable[[np.ndarray], Any]:
    base = LogisticRegression().fit(PEOPLE[2].X, PEOPLE[2].Y)
    return lambda A: DPPostProcessing(base, 1.0, 0.05, n_groups=2, **how).fit(
        PEOPLE[2].X, PEOPLE[2].Y, sensitive_features=A, rng=np.random.default_rng(1))


def once(**how: Any) -> Callable[[np.ndarray], Any]:
    return lambda A: FrontierLearner(1.0, gammas=[0.0, 0.1], n_groups=2, **how).fit(
        PEOPLE[2].X, PEOPLE[2].Y, sensitive_features=A, rng=np.random.default_rng(1))


_PLAYERS = [(room, name) for room in (rooms.FrozenCounts, rooms.PromisedRates) for name in ("answer", "measure")]
_GAME = [*_PLAYERS, (private, "frozen_cells"), (private, "released_bound")]
_LOOP = [(regression_private, "frozen_cells"), (regression_private, "on_grid")]
_TABLE = [(estimator, "public_margin_counts"), (estimator, "noisy_counts")]
_ASKED = [(asked, "release_cells"), (asked, "release_sums"), (asked.mechanisms, "randomized_response")]
FITS = {
    **{f"game, {how.get('repair', 'frozen')}, {how.get('protect', 'A')}, {k} groups": Fit(game(k, **how), _GAME, k)
       for k in (2, 3) for how in (dict(), dict(repair="bound"), dict(repair="promise", smallest_cell=2), dict(protect="X and A"))},
    **{f"regression loop, {k} groups": Fit(loop(k), _LOOP, k) for k in (2, 3)},
    **{f"post-processing, {how}": Fit(repaired(**how), _TABLE, 2) for how in (dict(), dict(method="score_bins"))},
    **{f"ask once, {how}": Fit(once(**how), _ASKED, 2) for how in (dict(), dict(method="sums"), dict(method="response"))},
}


def published(fit: Fit, A: np.ndarray, answers: list, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The result, pickled; with ``answers`` already there they take the mechanisms' place, else they are written down."""
    told = iter(list(answers)) if answers else None
    with monkeypatch.context() as patched:
        for place, name in fit.mechanisms:
            def mechanism(*args, real, **kw):
                if told is None:
                    answers.append(real(*args, **kw))
                    return answers[-1]
                return next(told)
            patched.setattr(place, name, functools.partialmethod(mechanism, real=getattr(place, name)) if isinstance(place, type) else
                            functools.partial(mechanism, real=getattr(place, name)))
        result = fit.of(A)
    assert told is None or next(told, None) is None
    return pickle.dumps(pickle.loads(pickle.dumps(result)))     # twice: which equal texts are one object is forgotten


@pytest.mark.parametrize("name", FITS)
def test_what_is_published_is_made_by_the_recorded_mechanisms(name, monkeypatch):
    fit = FITS[name]
    A, answers = PEOPLE[fit.k].A, []
    first = published(fit, A, answers, monkeypatch)
    assert answers
    neighbour = A.copy()
    neighbour[0] = (A[0] + 1) % fit.k
    for world in (neighbour, (A + 1) % fit.k):
        again = published(fit, world, answers, monkeypatch)
        alike = first == again                                  # not in the assert: to show how bytes differ takes long
        assert alike


@pytest.mark.parametrize("name", FITS)
def test_neither_groups_nor_counts_of_them_are_in_what_is_published(name):
    """The groups as any of numpy's numbers; the people of the cells, and their shares, as any of four bytes and more."""
    fit = FITS[name]
    A, Y = PEOPLE[fit.k].A, PEOPLE[fit.k].Y
    stored = pickle.dumps(fit.of(A))
    n = np.array([[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in range(fit.k)])
    for secret, kinds in ((A, "bhiqfd"), (n, "iqfd"), (n / n.sum(axis=0), "fd"), (n / n.sum(), "fd")):
        assert not any(np.array(secret, dtype=kind).tobytes() in stored for kind in kinds)


def test_a_private_play_asks_for_a_game_whose_making_told_nothing():
    """No number of groups read off A, no refusal of an empty cell: else a refusal, in the same words whoever is in which group."""
    H, Y, said = [[0, 1, 0, 1], [1, 1, 1, 1]], [0, 0, 1, 1], set()
    for A in ([0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 2, 1]):
        for how in (dict(), dict(n_groups=3), dict(empty="zero")):
            if how == dict(n_groups=3) or (2 in A and not how):
                continue                                        # the game itself refuses already, as it is asked to
            with pytest.raises(ValueError, match=r'Make it with n_groups=k and empty="zero"') as refusal:
                dp_oracle_learner(FairnessGame(H, A, Y, 0.1, **how), 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=3)
            said.add(str(refusal.value))
        for repair in ("frozen", "bound"):
            told = FairnessGame(H, A, Y, 0.1, n_groups=3, empty="zero")
            assert dp_oracle_learner(told, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=3, repair=repair).lam.shape == (8,)
    assert len(said) == 1


def with_what_it_played_on(f):
    """The private play as it was: with the game, and so with A and the true cells."""
    def learner(game, *args, **kw):
        play = f(game, *args, **kw)
        object.__setattr__(play, "game", game)
        return play
    return learner


def with_the_table_of_cells(f):
    """The private loop's play as it was: with the constants, whose n is the table of cells, and whom each round accepts."""
    def learner(oracle, A, *args, **kw):
        play = f(oracle, A, *args, **kw)
        found = regression_private.evaluate_regression(play, A)
        object.__setattr__(play, "n", found.n)
        object.__setattr__(play, "counts", found.counts)
        return play
    return learner


FAULTS = {
    "play_carries_its_game": Mutant("dpfair_teach.games.private.dp_oracle_learner", with_what_it_played_on,
                                    "what is published holds the game, with A and the true cells"),
    "loop_carries_its_cells": Mutant("dpfair_teach.games.regression_private.regression_dp_oracle_learner", with_the_table_of_cells,
                                     "what is published holds the private table of cells"),
}
