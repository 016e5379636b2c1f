"""A generator that tells nothing of the one it came from; a copy, whose noise is another fit's; people who come twice."""
from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from . import _checks as check


def own_generator(rng: np.random.Generator) -> np.random.Generator:
    """Another one of the same kind, seeded by a hash of numbers that ``rng`` drew.

    For what is published or kept by others (first weights, a base's seed). Not ``rng.spawn``: a child knows its parent's seed, from which
    the noise follows. Not numbers that ``rng`` drew: from enough of them follow the next ones.
    """
    kind: Any = type(rng.bit_generator)
    return np.random.Generator(kind(list(hashlib.sha256(rng.bytes(32)).digest())))


#: What hands a task to another process, as a copy: the task stands in their frames.
HANDS_OVER = ("joblib.parallel", "multiprocessing.pool", "concurrent.futures.process")
#: Where scikit-learn's own loops with n_jobs hand each fold, or each of several learners, the same arguments.
IN_PARALLEL = "sklearn.utils.parallel"
OWN = "Fit in a loop, or in tasks, in which each fit has its own of rng.spawn(n)"

#: Digests of the states from which fits of this process have drawn, where these came as copies; under a key that is never stored.
_used: set[bytes] = set()
_key = os.urandom(32)


@contextmanager
def refused_as_a_copy(rng: np.random.Generator) -> Iterator[None]:
    """Refuse a generator that came as a copy and that another fit has drawn from, around a private fit.

    A process that was started for tasks unpickles their arguments: all folds of scikit-learn's are handed the same generator. What cannot
    be seen: a copy in the same process, and copies in two processes of which each fits once.
    """
    hands = _hands_over(rng)
    if not hands:
        yield
        return
    if "fold" in hands:
        check.refuse("rng", rng, "a copy: with n_jobs every fold, or learner, is handed the same generator, all draw the same noise, and "
                     "none is left in the difference of two folds' counts", f"Choose n_jobs=1. {OWN}.")
    start = _digest(rng)
    if start in _used:
        check.refuse("rng", rng, "a copy: another fit has drawn its noise from the same state, and none is left in the difference of their "
                     "counts", f"{OWN}; where the same noise is meant, make the generator of its seed inside the task.")
    try:
        yield
    finally:
        if _digest(rng) != start:
            _used.add(start)


def refuse_people_drawn_twice() -> None:
    """Refuse a private fit inside a bagging that draws people with repetition: a record speaks of one row."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        bagging = frame.f_locals.get("ensemble") if frame.f_globals.get("__name__") == "sklearn.ensemble._bagging" else None
        if getattr(bagging, "bootstrap", False):
            check.refuse("bootstrap", True, "draws people with repetition: of somebody who comes four times, four times "
                         "the epsilon is spent that the record says", "Choose bootstrap=False. Each fit then is a release of its own.")
        frame = frame.f_back


def _digest(rng: np.random.Generator) -> bytes:
    return hashlib.blake2b(pickle.dumps(rng.bit_generator.state), key=_key).digest()


def _hands_over(rng: np.random.Generator) -> str:
    """"task" where this process was handed the generator with one, "fold" where scikit-learn's loops did; else ""."""
    if multiprocessing.parent_process() is None or threading.current_thread() is not threading.main_thread():
        return ""                           # threads share one generator
    frame: FrameType | None = sys._getframe()
    fold = ""
    while frame is not None and frame.f_code.co_name != "_bootstrap":       # below it stands what a fork took along
        module, name = frame.f_globals.get("__name__"), frame.f_code.co_name
        if module == IN_PARALLEL:
            fold = "fold"
        elif name == "_get_sequential_output":
            fold = ""                       # one fold after the other, with one generator
        elif module in HANDS_OVER and _holds(list(frame.f_locals.values()), rng):
            return fold or "task"
        frame = frame.f_back
    return ""


def _holds(thing: Any, rng: np.random.Generator, depth: int = 8) -> bool:
    """Is it among the arguments of a task? They are short; long lists are data."""
    if thing is rng or depth == 0:
        return thing is rng
    inside = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else ()
    if type(thing).__module__.startswith(HANDS_OVER) and hasattr(thing, "__dict__"):
        inside = vars(thing).values()
    return len(inside) < 1000 and any(_holds(one, rng, depth - 1) for one in inside)
