"""The sentence under a figure: one for each setting of the controls that it follows."""
from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .arguments import cause, raised, writable
from .controls import Control, where_of
from .packing import pack
from .panel import taken_by

__all__: list[str] = []

Alt = str | Callable[..., str]


def follows(alt: Alt, controls: Mapping[str, Control]) -> tuple[str, ...]:
    """The controls on which the sentence depends: those that ``alt`` takes by name, or all where it reads the frame or takes none."""
    if not callable(alt):
        return ()
    names = taken_by(alt, controls, extra=() if "frame" in controls else ("frame",))
    return tuple(controls) if "frame" in names or not names else names


def one(alt: Alt, controls: Mapping[str, Control], values: dict, frame: Callable[[], Any]) -> str:
    """The sentence at ``values`` of all controls; ``frame`` gives the frame there, where ``alt`` wants it."""
    if not callable(alt):
        return alt
    where = where_of(values)
    wants = "frame" not in controls and "frame" in taken_by(alt, controls, extra=("frame",))
    given = {name: values[name] for name in follows(alt, controls)} if not wants else values
    try:
        sentence = alt(frame=frame(), **given) if wants else alt(**given)
    except Exception as error:
        raise raised("alt", where, error, "Make alt take every slider by name.") from cause(error)
    if not isinstance(sentence, str) or not sentence.strip() or not writable(sentence):
        raise ValueError(f"alt at {where}: returned {sentence!r}, not a sentence. Say what the frame shows.")
    return sentence


def every(alt: Alt, controls: Mapping[str, Control], grid: list[dict], frame: Callable[[dict], Any]) -> tuple[tuple[str, ...], list[str]]:
    """The controls that the sentence follows, and the sentence at every point of their grid; "" where no setting of ``grid`` is there."""
    on = follows(alt, controls)
    settings: dict[tuple, dict] = {}
    for values in grid:
        settings.setdefault(tuple(values[name] for name in on), values)
    said = []
    for point in itertools.product(*(controls[name].grid for name in on)):
        if point in settings:
            said.append(one(alt, controls, settings[point], partial(frame, settings[point])))
        else:
            said.append("")
    return on, said


def packed(said: list[str]) -> dict:
    """Sentences that differ in their numbers: templates with holes, the numbers of each distinct sentence, and which one stands where.

    ``{"t": templates, "a": ["template number|number|...", ...]}``, and ``"i"`` where a sentence stands at several settings.

    >>> packed(["It is 1.", "It is 2.5."])
    {'t': ['It is \\x01.'], 'a': ['0|1', '0|2.5']}
    """
    templates: dict[str, int] = {}
    distinct: dict[str, int] = {}
    index = []
    for sentence in said:
        parts = re.split(r"(\d+(?:\.\d+)?)", sentence)
        template = "\x01".join(parts[::2])
        one = "|".join([str(templates.setdefault(template, len(templates))), *parts[1::2]])
        index.append(distinct.setdefault(one, len(distinct)))
    data: dict = {"t": list(templates), "a": list(distinct)}
    return data | ({"i": pack([np.array(index)])} if len(distinct) < len(said) else {})
