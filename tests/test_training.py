"""The loop of all that trains: state to state, stopped, recorded, killed and resumed."""
from __future__ import annotations

import errno
import json
import os
import pickle
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from dpfair_teach.accounting import UNIT_A, Release, compose
from dpfair_teach.training import Budget, State, checkpoint, train

NOISE = Release("gaussian", UNIT_A, sensitivity=1, scale=12.0)
SIZES = Release("laplace", UNIT_A, sensitivity=1, scale=10.0)
VALID_CALLS = {
    "training.State": lambda: dict(values={"w": np.zeros(2)}, rng=np.random.default_rng(1), round=3),
    "training.Budget": lambda: dict(step=NOISE, epsilon=1.0, delta=1e-6, method="rdp", before=[SIZES]),
    "training.train": lambda: dict(step=walk, state=start(), rounds=4, budget=Budget(NOISE, 1.0, 1e-6), progress=False,
                                   callback=lambda state: False, history=lambda state: {"w": state["w"][0]}, checkpoint=None,
                                   every=None, run=None),
}


def start(seed=0):
    return State({"w": np.zeros(3), "met": np.zeros(20, dtype=np.int64)}, np.random.default_rng(seed))


def walk(state):
    """A random walk, as minibatches and noise would make it; one array is written into, as a history is."""
    state["met"][state.round] = state.rng.integers(100)
    return state.then(w=0.9 * state["w"] + state.rng.normal(size=3) / (1 + np.abs(state["w"]).sum()))


def everything(found):
    """All that a training leaves, as bytes."""
    state = found.state
    return pickle.dumps(({name: value.copy() for name, value in state.values.items()}, state.round,
                         state.rng.bit_generator.state, found.history.to_dict("list"), list(found.history.index)))


def numbers(state):
    return {"w": state["w"][0], "met": int(state["met"].sum()), "large": state["w"].max() > 0.5}


# ------------------------------------------------------------------------------------------------------ state and loop

def test_a_state_is_numbers_by_name_and_goes_on():
    first = State({"layer/W": np.eye(2), "seen": np.array([True])})
    after = first.then(**{"layer/W": np.ones((2, 2))})
    assert (first.round, after.round) == (0, 1) and after["seen"] is first["seen"] and (first["layer/W"] == np.eye(2)).all()
    strided = State({"x": np.arange(8.0)[::2], "f": np.asfortranarray(np.ones((2, 3))), "one": np.array(2.0)})
    assert strided["x"].flags.c_contiguous and strided["f"].flags.f_contiguous and strided["one"].shape == ()
    for wrong in ({"x": [1.0]}, {"x": np.array(["a"])}, {"x": np.array([None])}, {3: np.ones(1)}, {"": np.ones(1)}, [np.ones(1)]):
        with pytest.raises(ValueError, match=r"^values="):
            State(wrong)
    with pytest.raises(ValueError, match=r"^name='y': not in the state, which holds x"):
        State({"x": np.ones(1)})["y"]


def test_the_loop_goes_from_state_to_state_and_keeps_a_table():
    seen = []
    found = train(walk, start(), 12, history=numbers, callback=lambda state: seen.append(state.round))
    by_hand = start()
    for _ in range(12):
        by_hand = walk(by_hand)
    assert (found.state["w"] == by_hand["w"]).all() and seen == list(range(1, 13))
    assert (found.stopped, found.resumed) == (False, 0)
    assert list(found.history.columns) == ["w", "met", "large"] and found.history.index.name == "round"
    assert found.history.index.tolist() == seen and found.history["w"].iloc[-1] == by_hand["w"][0]
    rest = train(walk, found.state, 15, history=numbers)       # a state that has rounds behind it
    assert rest.history.index.tolist() == [13, 14, 15] and train(walk, start(), 0).history.empty


def test_a_callback_may_stop_it():
    found = train(walk, start(), 100, callback=lambda state: state.round == 5)
    assert found.stopped and found.state.round == 5
    last = train(walk, start(), 5, callback=lambda state: state.round == 5)
    assert last.stopped and last.state.round == 5


def test_the_bar_goes_to_the_error_stream_and_only_when_asked(capfd):
    train(walk, start(), 5)
    assert capfd.readouterr() == ("", "")
    train(walk, start(), 5, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "5/5" in err and "round" in err


@pytest.mark.parametrize("wrong, match", [
    ({"step": lambda state: state}, r"^step=0: is the state of round 0 after round 0\. Return"),
    ({"step": lambda state: state["w"]}, r"^step=array.*no State"),
    ({"step": None}, r"^step=None"),
    ({"callback": lambda state: 1}, r"^callback=1: is what callback\(state\) returned, and neither True nor False\. Return True to stop"),
    ({"callback": lambda state: state["w"] > 0}, r"^callback=array\(.*: is what callback\(state\) returned.* bool\(x\.all\(\)\)\.$"),
    ({"history": lambda state: 3.0}, r"^history=3.0"),
    ({"history": lambda state: {"w": "a"}}, r"^history='a': is what history\(state\) returned for 'w', and not one number"),
    ({"history": lambda state: {"w": state["w"]}}, r"^history=array\(.*returned for 'w', .*Return one, for instance \{\"w\": float\(x\)\}"),
    ({"history": lambda state: {str(state.round): 1.0}}, r"^history=\['2'\]: are the names of round 2"),
    ({"state": State({}, None, 9)}, r"^rounds=4: and 9 rounds were done"),
    ({"rounds": None}, r"^rounds=None: and no budget either, which would say how many\. Give one of them"),
    ({"budget": 1.0}, r"^budget=1\.0: not a Budget\. Make it with training\.Budget"),
    ({"budget": Budget(SIZES, .35, method="basic")}, r"^rounds=4: the budget of epsilon=0\.35, delta=0 allows 3\. Ask for no more, al"),
    ({"rounds": None, "budget": Budget(SIZES, .05, method="basic")}, r"^budget=Budget.*allows no step\. Allow more, or release less"),
    ({"rounds": None, "budget": Budget(SIZES, .5, method="basic"), "state": State({}, None, 6)}, r"^budget=.* allows 5 steps, and 6 "),
    ({"every": 5}, r"^every=5: is read by one with checkpoint"),
    ({"run": "x"}, r"^run='x': is read by one with checkpoint"),
    ({"checkpoint": "x"}, r"^checkpoint, run=\('x', None\): a file, and no word"),
    ({"checkpoint": 3, "run": 1}, r"^checkpoint=3: not a path"),
    ({"checkpoint": "no/such/folder/x", "run": 1, "every": 1}, r"^checkpoint='no/such/folder/x': cannot be written"),
    ({"checkpoint": "x", "run": {1, 2}}, r"^run=\{1, 2\}: is no number"),
])
def test_what_cannot_be_trained_is_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        train(**dict(step=walk, state=start(), rounds=4) | wrong)


# ------------------------------------------------------------------------------------------------------ what it may cost

@pytest.mark.parametrize("before", [(), [SIZES]], ids=["alone", "after sizes"])
def test_without_a_word_of_rounds_it_goes_as_far_as_the_budget_allows_and_not_one_further(before):
    budget = Budget(NOISE, 1.0, 1e-6, before=before)
    found = train(walk, start(), budget=budget)
    assert found.state.round == budget.steps > 3
    assert compose(found.releases_, 1e-6, "rdp") <= 1.0 < compose(budget.releases(budget.steps + 1), 1e-6, "rdp")
    assert len(found.releases_) == len(before) + 1 and found.releases_[-1].times == budget.steps
    fewer = train(walk, start(), 3, budget=budget)
    assert fewer.state.round == fewer.releases_[-1].times == 3 and train(walk, start(), 3).releases_ == ()
    assert train(walk, start(), 0, budget=budget).releases_ == tuple(before)
    assert train(walk, fewer.state, budget=budget).state.round == budget.steps          # three were spent before


def test_a_budget_reads_its_records_once_and_two_that_are_alike_are_equal():
    budget = Budget((one for one in [NOISE, SIZES]), 2.0, 1e-6, before=iter([SIZES]))
    assert budget == Budget([NOISE, SIZES], 2.0, 1e-6, before=SIZES) != Budget([NOISE, SIZES], 2.1, 1e-6, before=SIZES)
    assert [one.times for one in budget.releases(7)] == [1, 7, 7] and pickle.loads(pickle.dumps(budget)) == budget
    with pytest.raises(ValueError, match=r"^steps=-1"):
        budget.releases(-1)
    with pytest.raises(ValueError, match=r"^before=.*costs 0\.1 alone, more than epsilon=0\.05"):
        Budget(NOISE, .05, before=SIZES, method="basic")


def test_a_training_that_was_stopped_has_all_its_rounds_for_a_price():
    """Who stops when an answer looks good would not get what the rounds until then add up to."""
    budget = Budget(NOISE, 1.0, 1e-6)
    for rounds in (None, 5):
        found = train(walk, start(), rounds, budget=budget, callback=lambda state: state.round == 4)
        assert found.stopped and found.state.round == 4 and found.releases_ == budget.releases(rounds or budget.steps)


def test_a_budget_with_a_file_needs_the_generator_in_the_state(tmp_path):
    """Else what a resume draws anew was published before, and is counted once."""
    with pytest.raises(ValueError, match=r"^checkpoint=.*a state without a generator: a resume would draw"):
        train(lambda state: state.then(), State({"w": np.zeros(1)}), budget=Budget(SIZES, .5, method="basic"),
              checkpoint=tmp_path / "x", run=1)


def test_a_resume_keeps_what_was_spent(tmp_path):
    """Of 5 steps 4 stand in the file: one is left, and no file of another budget is taken."""
    budget = Budget(SIZES, .5, method="basic")
    broken_off(tmp_path / "x", at=5, rounds=None, budget=budget)
    for other in (None, Budget(SIZES, .6, method="basic"), Budget(NOISE, 5.0, 1e-6)):
        with pytest.raises(ValueError, match=r"^checkpoint=.*belongs to another run"):
            train(walk, start(), 5, budget=other, checkpoint=tmp_path / "x", run=1)
    seen = []
    found = train(walk, start(), budget=budget, callback=lambda state: seen.append(state.round), checkpoint=tmp_path / "x", run=1)
    assert (found.resumed, seen) == (4, [5]) and found.releases_ == budget.releases(5)
    assert compose(found.releases_) == pytest.approx(.5)
    assert everything(found) == everything(train(walk, start(), 5, checkpoint=tmp_path / "whole", run=1))


# ------------------------------------------------------------------------------------------------------ killed and resumed

#: A process that trains, and dies by SIGKILL where it is told to.
SCRIPT = '''
import os, signal, sys
import numpy as np
from test_training import RUN, numbers, start, walk
from dpfair_teach.training import checkpoint, train
place, path = sys.argv[1:]

def die(*args, **kw):
    os.kill(os.getpid(), signal.SIGKILL)

def late(state):
    if place == "in a round" and state.round == 11:
        die()
    if state.round == 9 and place != "in a round":
        module, name = {"in the file": (os, "fsync"), "after its name": (checkpoint, "_sync_folder")}[place]
        setattr(module, name, die)

train(walk, start(), 20, callback=late, history=numbers, checkpoint=path, every=2, run=RUN)
'''
RUN = {"what": "a walk", "data": np.arange(3)}


@pytest.mark.slow
@pytest.mark.parametrize("place, stands_at", [("in a round", 10), ("in the file", 8), ("after its name", 10)])
def test_killed_and_resumed_it_ends_with_the_same_bytes(tmp_path, place, stands_at):
    """SIGKILL in a round, in a write and behind it: the file is that of one round, and the end is as if nothing had been."""
    path, here = tmp_path / "walk.npz", os.path.dirname(__file__)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.path.dirname(here)])}
    killed = subprocess.run([sys.executable, "-c", SCRIPT, place, path], env=env, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = train(walk, start(), 20, history=numbers, checkpoint=path, every=2, run=RUN)
    assert resumed.resumed == stands_at and everything(resumed) == everything(
        train(walk, start(), 20, history=numbers, checkpoint=tmp_path / "whole", run=1))
    assert not list(tmp_path.iterdir())     # no checkpoint, no part of one


class Stop(Exception):
    """The test ends a run in the middle."""


def broken_off(path, at=7, every=2, first=None, what=1, step=walk, rounds=12, **how):
    def stop(state):
        if state.round == at:
            raise Stop
    with pytest.raises(Stop):
        train(step, start() if first is None else first, rounds, callback=stop, checkpoint=path, every=every, run=what, **how)


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_every_generator_resumes_in_place(tmp_path, kind):
    def made(seed=3):
        return State(start().values, np.random.Generator(getattr(np.random, kind)(seed)))
    whole = train(walk, made(), 12, history=numbers, checkpoint=tmp_path / "whole", run=1)
    broken_off(tmp_path / "x", first=made(), history=numbers)
    again = made(seed=4)        # a generator of the same kind: the run's own is set to where the stopped one's was
    found = train(walk, again, 12, history=numbers, checkpoint=tmp_path / "x", every=2, run=1)
    assert found.resumed == 6 and everything(found) == everything(whole) and found.state.rng is not again.rng
    pd.testing.assert_frame_equal(found.history, whole.history)


@pytest.mark.parametrize("kind", ["PCG64", "MT19937"])
def test_what_is_drawn_between_a_kill_and_a_resume_is_not_drawn_again(tmp_path, kind):
    """With the caller's generator set back, two releases would have the same noise: their difference would tell what the noise hides."""
    rng, drawn = np.random.Generator(getattr(np.random, kind)(0)), []

    def step(state):
        drawn.append(state.rng.normal())
        return state.then()
    first = State({}, rng)
    with pytest.raises(KeyboardInterrupt):
        train(lambda state: (_ for _ in ()).throw(KeyboardInterrupt) if state.round == 4 else step(state), first, 40,
              checkpoint=tmp_path / "x", every=2, run=1)
    between = [rng.normal() for _ in range(60)]
    assert train(step, first, 40, checkpoint=tmp_path / "x", every=2, run=1).resumed == 4 and len(drawn) == 40
    assert not set(drawn) & set(between)


def test_a_training_without_a_generator_resumes(tmp_path):
    def halve(state):
        return state.then(w=state["w"] / 2 + np.float32(1))
    first = State({"w": np.ones((2, 2), dtype=np.float32)})
    broken_off(tmp_path / "x", first=first, step=halve)
    found = train(halve, first, 12, checkpoint=tmp_path / "x", run=1)
    assert found.resumed == 6 and (found.state["w"] == train(halve, first, 12).state["w"]).all() and found.state["w"].dtype == np.float32


def test_only_its_owner_may_read_a_checkpoint(tmp_path):
    old = os.umask(0)
    try:
        broken_off(tmp_path / "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600
    train(walk, start(), 12, checkpoint=tmp_path / "x", run=1)
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class Numbers:
    epsilon: float
    constraints: tuple


RUNS = [1, 1.0, True, "1", None, [1], [[1]], {"a": 1}, {"a": 1, "b": 2}, np.ones(2), np.ones(2, dtype=np.float32), np.ones((2, 1)),
        np.array([1, 1]), Numbers(1.0, ("FP",)), Numbers(1.0, ("FP", "TP")), Numbers(1.0, ("FPTP",)), ["a", "b"], ["ab"], b"1", -0.0, 0.0]


def test_two_runs_that_differ_have_two_hashes_and_one_run_one():
    found = [checkpoint.digest(one) for one in RUNS]
    assert len(set(found)) == len(RUNS)
    assert checkpoint.digest({"a": 1, "b": np.ones(2)}) == checkpoint.digest({"b": np.ones(4)[::2], "a": 1})


def test_a_file_of_another_run_is_refused_and_left(tmp_path):
    path = tmp_path / "x"
    broken_off(path, what={"data": np.arange(3), "epsilon": 1.0})
    before = path.read_bytes()

    def resume(first=None, what=None):
        train(walk, start() if first is None else first, 12, checkpoint=path,
              run={"data": np.arange(3), "epsilon": 1.0} if what is None else what)
    for other in ({"data": np.arange(1, 4), "epsilon": 1.0}, {"data": np.arange(3), "epsilon": 2.0}):
        with pytest.raises(ValueError, match=r"^checkpoint='.*': belongs to another run.*Remove it to start anew"):
            resume(what=other)
    with pytest.raises(ValueError, match=r"its run draws from PCG64, and this one from MT19937"):
        resume(State(start().values, np.random.Generator(np.random.MT19937(0))))
    with pytest.raises(ValueError, match=r"its run draws from PCG64, and this one from None"):
        resume(State(start().values))
    with pytest.raises(ValueError, match=r"holds .*'w': 'float64 \(3,\)'.*starts from"):
        resume(State({"w": np.zeros(4), "met": np.zeros(20, dtype=np.int64)}, np.random.default_rng(0)))
    assert path.read_bytes() == before
    path.write_bytes(before[:500])
    with pytest.raises(ValueError, match=r"no checkpoint that can be read"):
        resume()
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"no checkpoint that can be read"):
        resume()


def test_a_folder_is_no_file_and_nobody_is_told_to_remove_it(tmp_path):
    with pytest.raises(ValueError, match=r"^checkpoint='.*': is a folder\. Name a file in it\.$"):
        train(walk, start(), 12, checkpoint=tmp_path, run=1)
    assert tmp_path.exists()


def test_on_a_full_disk_the_file_before_is_left_and_the_same_call_goes_on_from_it(tmp_path, monkeypatch):
    path = tmp_path / "x"

    def full(state):
        if state.round == 5:
            monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(ValueError, match=r"^checkpoint=.*cannot be written \(No space left .*Make room.* call again: it goes on from the "):
        train(walk, start(), 12, callback=full, checkpoint=path, every=2, run=1)
    assert list(tmp_path.iterdir()) == [path]          # half a file takes up room, and is as secret as a whole one
    monkeypatch.undo()
    found = train(walk, start(), 12, checkpoint=path, every=2, run=1)
    assert found.resumed == 4 and everything(found) == everything(train(walk, start(), 12, checkpoint=tmp_path / "whole", run=1))


@pytest.mark.parametrize("spoilt", [{"round": "7"}, {"round": -1}, {"rng": 3}, {"rng": {"bit_generator": "PCG64"}}, {"rows": 3}], ids=str)
def test_a_file_whose_header_makes_no_sense_is_no_checkpoint(tmp_path, spoilt):
    path = tmp_path / "x"
    broken_off(path)
    with np.load(path) as file:
        parts = dict(file)
    header = json.loads(parts["header"].tobytes()) | spoilt
    with open(path, "wb") as raw:
        np.savez(raw, **parts | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)})
    with pytest.raises(ValueError, match=r"^checkpoint='.*': is a file, and no checkpoint that can be read"):
        train(walk, start(), 12, checkpoint=path, run=1)


def test_a_history_is_asked_for_again_by_who_resumes(tmp_path):
    """Else the rows of the file would stand at the last rounds."""
    broken_off(tmp_path / "x", history=numbers)
    with pytest.raises(ValueError, match=r"^history=None: and the run of this checkpoint has one, up to round 6\. Give the same history"):
        train(walk, start(), 12, checkpoint=tmp_path / "x", run=1)
    again = train(walk, start(), 12, checkpoint=tmp_path / "x", run=1, history=numbers).history
    assert again.index.tolist() == list(range(1, 13))
    broken_off(tmp_path / "y")
    later = train(walk, start(), 12, checkpoint=tmp_path / "y", run=1, history=numbers).history
    assert later.index.tolist() == list(range(7, 13)) and later["w"].tolist() == again["w"].tolist()[6:]


def test_another_format_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "FORMAT", 2)
    broken_off(tmp_path / "x")
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"has format 2, and this version reads 1\. Finish that run with the version that wrote it"):
        train(walk, start(), 12, checkpoint=tmp_path / "x", run=1)


def test_what_would_not_come_back_the_same_is_refused(tmp_path):
    """Generators made from the state's, which a resumed run would make again; two names for one memory."""
    def spawning(state):
        state.rng.spawn(1)
        return state.then()
    with pytest.raises(ValueError, match=r"^step=2: is the round after which its generator had made others"):
        train(spawning, start(), 12, checkpoint=tmp_path / "x", every=2, run=1)
    for late in ("later", "w"):
        with pytest.raises(ValueError, match=r"^step=2: is the round after which the state holds .*, and a resumed run would start from "
                                             r".*'w': 'float64 \(3,\)'.*\. Give the first state every array, as large as it becomes"):
            train(lambda state, late=late: state.then(**{late: np.zeros(5)}), start(), 12, checkpoint=tmp_path / late, every=2, run=1)
    w = np.zeros(4)
    with pytest.raises(ValueError, match=r"^state=\['w', 'half'\]: are two names for the same memory"):
        train(lambda state: state.then(), State({"w": w, "half": w[:2]}), 12, checkpoint=tmp_path / "shared", every=2, run=1)
    assert {path.name for path in tmp_path.iterdir()} == {"x", "later", "w"}       # of the round before the first, which is whole
