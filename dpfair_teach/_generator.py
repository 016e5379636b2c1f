"""A generator that tells nothing of the one it was made with."""
from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def own_generator(rng: np.random.Generator) -> np.random.Generator:
    """Another one of the same kind, seeded by a hash of numbers that ``rng`` drew.

    For what is published or kept by others (first weights, a base's seed), and for a run that a resume sets back. Not ``rng.spawn``: a
    child knows its parent's seed, from which the noise follows, and is the same wherever the parent stands. Not numbers that ``rng`` drew:
    from enough of them follow the next ones. A hash of them tells neither.
    """
    kind: Any = type(rng.bit_generator)
    return np.random.Generator(kind(list(hashlib.sha256(rng.bytes(32)).digest())))
