"""The loop of all that trains: state to state, with a table."""
from __future__ import annotations

import numpy as np
import pytest

from dpfair_teach.training import State, train

VALID_CALLS = {
    "training.State": lambda: dict(values={"w": np.zeros(2)}, rng=np.random.default_rng(1), round=3),
    "training.train": lambda: dict(step=walk, state=start(), rounds=4, progress=False, history=lambda state: {"w": state["w"][0]}),
}


def start(seed=0):
    return State({"w": np.zeros(3), "met": np.zeros(20, dtype=np.int64)}, np.random.default_rng(seed))


def walk(state):
    """A random walk, as minibatches and noise would make it; one array is written into, as a history is."""
    state["met"][state.round] = state.rng.integers(100)
    return state.then(w=0.9 * state["w"] + state.rng.normal(size=3) / (1 + np.abs(state["w"]).sum()))


def numbers(state):
    return {"w": state["w"][0], "met": int(state["met"].sum()), "large": state["w"].max() > 0.5}


# ------------------------------------------------------------------------------------------------------ state and loop

def test_a_state_is_numbers_by_name_and_goes_on():
    first = State({"layer/W": np.eye(2), "seen": np.array([True])})
    after = first.then(**{"layer/W": np.ones((2, 2))})
    assert (first.round, after.round) == (0, 1) and after["seen"] is first["seen"] and (first["layer/W"] == np.eye(2)).all()
    for wrong in ({"x": [1.0]}, {"x": np.array(["a"])}, {"x": np.array([None])}, {3: np.ones(1)}, {"": np.ones(1)}, [np.ones(1)]):
        with pytest.raises(ValueError, match=r"^values="):
            State(wrong)
    with pytest.raises(ValueError, match=r"^name='y': not in the state, which holds x"):
        State({"x": np.ones(1)})["y"]


def test_the_loop_goes_from_state_to_state_and_keeps_a_table():
    found = train(walk, start(), 12, history=numbers)
    by_hand = start()
    for _ in range(12):
        by_hand = walk(by_hand)
    assert (found.state["w"] == by_hand["w"]).all()
    assert list(found.history.columns) == ["w", "met", "large"] and found.history.index.name == "round"
    assert found.history.index.tolist() == list(range(1, 13)) and found.history["w"].iloc[-1] == by_hand["w"][0]
    rest = train(walk, found.state, 15, history=numbers)       # a state that has rounds behind it
    assert rest.history.index.tolist() == [13, 14, 15] and train(walk, start(), 0).history.empty


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
    ({"history": lambda state: 3.0}, r"^history=3.0"),
    ({"history": lambda state: {"w": "a"}}, r"^history='a': is what history\(state\) returned for 'w', and not one number"),
    ({"history": lambda state: {"w": state["w"]}}, r"^history=array\(.*returned for 'w', .*Return one, for instance \{\"w\": float\(x\)\}"),
    ({"history": lambda state: {str(state.round): 1.0}}, r"^history=\['2'\]: are the names of round 2"),
    ({"state": State({}, None, 9)}, r"^rounds=4: and 9 rounds were done"),
])
def test_what_cannot_be_trained_is_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        train(**dict(step=walk, state=start(), rounds=4) | wrong)
