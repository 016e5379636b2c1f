"""The learners of the game on the loop of all that trains: stopped, killed and resumed, with nothing else changed."""
from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpfair_teach import games
from dpfair_teach.oracles import RegressionOracle
from plays import private_play

T = 9


def people(neighbour=False):
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    A[0] = A[0] if not neighbour else 1 - A[0]
    return X, A, (X[:, 0] + 0.5 * A + rng.normal(size=300) > 0.3).astype(int)


def game(neighbour=False):
    X, A, Y = people(neighbour)
    return games.FairnessGame([X[:, 0] > t for t in np.linspace(-1, 1, 9)], A, Y, [0.02, 0.1], n_groups=2, empty="zero")


def private(**options):
    return lambda seed=0, neighbour=False, **how: private_play(
        game(neighbour), 2.0, 1e-6, 3.0, np.random.default_rng(seed), rounds=T, size=2, **options, **how)


def regression(seed=0, neighbour=False, **how):
    X, A, Y = people(neighbour)
    return games.regression_exponentiated_gradient(RegressionOracle(X, Y), A, [0.02, 0.1], rounds=T, **how)


def private_regression(seed=0, neighbour=False, **how):
    X, A, Y = people(neighbour)
    return games.regression_dp_oracle_learner(RegressionOracle(X, Y), A, [0.02, 0.1], 2.0, 1e-6, np.random.default_rng(seed), n_groups=2,
                                              rounds=T, size=2, **how)


def section_5(seed=0, neighbour=False, **how):
    """The games of the first epsilon are over after two rounds, the others play on."""
    X, A, Y = people(neighbour)
    return games.section_5_learner(RegressionOracle(X, Y), A, [0.1, 0.3], [[5.0], [1e6]], 1e-6, np.random.default_rng(seed), B=5.0,
                                   most_rounds=T, size=2, **how)


#: Each starts from a seed, of these people or of a neighbour.
LEARNERS = {
    "exponentiated gradient": lambda seed=0, neighbour=False, **how: games.exponentiated_gradient(game(neighbour), 5.0, rounds=T, **how),
    "frozen": private(), "bound": private(repair="bound"), "promise": private(repair="promise", smallest_cell=9),
    "printed": private(as_printed=True), "regression": regression, "private regression": private_regression,
    "section 5": section_5}
PRIVATE = [name for name in LEARNERS if name not in ("exponentiated gradient", "regression", "section 5")]


class Stop(Exception):
    """The test breaks a run off."""


def stopping(at):
    def stop(state):
        if state.round == at:
            raise Stop
    return stop


@pytest.mark.parametrize("learner", LEARNERS)
def test_broken_off_and_resumed_it_is_the_same_play(learner, tmp_path):
    """With another generator too: it is set to where the first one was, and what was released before the first round stands in the file."""
    play, path = LEARNERS[learner], tmp_path / "play"
    with pytest.raises(Stop):
        play(checkpoint=path, every=2, callback=stopping(7))
    assert path.exists()
    resumed = play(seed=1, checkpoint=path, every=2)
    assert pickle.dumps(resumed) == pickle.dumps(play(checkpoint=tmp_path / "whole")) and not list(tmp_path.iterdir())
    if learner in PRIVATE:
        assert pickle.dumps(resumed) != pickle.dumps(play(seed=1, checkpoint=tmp_path / "whole"))


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_same_noise_is_never_drawn_for_other_people(learner, tmp_path):
    """A neighbour's run refuses the file: of two runs with one noise the difference would tell who changed."""
    path = tmp_path / "play"
    with pytest.raises(Stop):
        LEARNERS[learner](checkpoint=path, every=2, callback=stopping(7))
    with pytest.raises(ValueError, match=r"belongs to another run"):
        LEARNERS[learner](neighbour=True, checkpoint=path, every=2)
    assert path.exists()


@pytest.mark.parametrize("other", [dict(epsilon=2.5), dict(delta=1e-5), dict(B=2.0), dict(eta=0.3), dict(repair="bound"), dict(share=0.2),
                                   dict(rounds=8), dict(size=None), dict(protect="X and A"), dict(accounting="advanced")], ids=str)
def test_each_setting_is_part_of_what_a_run_is(other, tmp_path):
    def play(**how):
        at = dict(epsilon=2.0, delta=1e-6, B=3.0, rounds=T, size=2) | how
        return games.dp_oracle_learner(game(), rng=np.random.default_rng(0), checkpoint=tmp_path / "play", every=2, **at)
    with pytest.raises(Stop):
        play(callback=stopping(7))
    with pytest.raises(ValueError, match=r"belongs to another run|and this run starts from"):
        play(**other)


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "section 5"])
@pytest.mark.parametrize("at", [1, 4, T])
def test_a_callback_stops_a_play_and_saves_no_epsilon_by_it(learner, at):
    """Who stops by what came out would not get what the fewer records add up to: they are those of all T rounds."""
    whole, stopped = LEARNERS[learner](), LEARNERS[learner](callback=lambda state: state.round == at)
    assert len(stopped.multipliers) == at and (stopped.multipliers == whole.multipliers[:at]).all()
    for name in ("chosen", "rules", "errors", "gaps_seen", "gradients"):
        if learner not in ("regression", "exponentiated gradient") and hasattr(stopped, name):
            seen = getattr(whole, name)[:at]
            assert (getattr(stopped, name) == seen).all() and len(getattr(stopped, name)) == len(seen)
    if learner in PRIVATE:
        assert stopped.releases_ == whole.releases_
        ran = {(r.mechanism, r.scale): r.times for r in whole.releases_}
        selections, gradients = (T, T) if learner == "printed" else (T - 1, T - 1)
        sizes = [2 * 2] * (learner in ("frozen", "bound", "private regression"))       # four games: two repeats of two gammas
        assert sorted(ran.values()) == sorted([*sizes, 4 * selections, 4 * gradients])
    if learner == "frozen":
        found = games.evaluate(stopped, game())
        assert found.rounds == at and (found.error >= 0).all()


@pytest.mark.parametrize("at", [1, 4, T])
def test_a_callback_stops_the_printed_loop_and_its_averages_are_of_what_was_played(at):
    _, A, Y = people()
    accepted = []

    def stop(state):
        accepted.append(state["accepted"].copy())
        return state.round == at
    whole, stopped = section_5(), section_5(callback=stop)
    assert whole.rounds.tolist() == [[2, 2], [T, T]] and stopped.rounds.tolist() == [[min(2, at)] * 2, [at] * 2]
    n = np.array([[((A == a) & (Y == y)).sum() for y in (0, 1)] for a in (0, 1)])
    mean = accepted[-1].reshape(2, 2, 2, 2, 2) / stopped.rounds[..., None, None]
    assert stopped.error == pytest.approx((mean[..., 0].sum(axis=-1) + (n[:, 1] - mean[..., 1]).sum(axis=-1)) / len(Y))
    assert stopped.violation == pytest.approx(np.abs(np.diff(mean / n, axis=-2)).max(axis=(-2, -1)))
    assert (stopped.error[:, 0] == whole.error[:, 0]).all() == (at >= 2) and (stopped.error == whole.error).all() == (at == T)


def test_a_bar_shows_the_rounds(capfd):
    for play in LEARNERS.values():
        play(progress=True)
        assert f"{T}/{T}" in capfd.readouterr().err
        play()
        assert capfd.readouterr() == ("", "")


SCRIPT = '''
import os, signal, sys
from test_games_training import LEARNERS

path, learner, place = sys.argv[1:]

def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)

def watch(state):
    if place == "in a round" and state.round == 7:
        die()
    if place == "in the file" and state.round == 5:
        os.fsync = die                  # of the write after round 6, when all of it is in the file beside the old one

LEARNERS[learner](checkpoint=path, every=3, callback=watch)
'''


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "place", "left"), [("frozen", "in a round", [7, 8, 9]), ("bound", "in the file", [4, 5, 6, 7, 8, 9]),
                                                        ("exponentiated gradient", "in the file", [4, 5, 6, 7, 8, 9])])
def test_killed_and_resumed_a_play_has_the_same_bytes(tmp_path, learner, place, left):
    """SIGKILL in round 7, or while round 6 is written; the file is that of round 6 or 3, of its owner alone; the pickles are equal."""
    path, here = tmp_path / "play", Path(__file__).parent
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (here, here.parent, here.parents[1])))}
    killed = subprocess.run([sys.executable, "-c", SCRIPT, path, learner, place], env=env, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert path.stat().st_mode & 0o777 == 0o600
    rounds = []
    resumed = LEARNERS[learner](seed=2, checkpoint=path, every=3, callback=lambda state: rounds.append(state.round))
    assert rounds == left and pickle.dumps(resumed) == pickle.dumps(LEARNERS[learner](checkpoint=tmp_path / "whole"))
    assert not list(tmp_path.iterdir())
