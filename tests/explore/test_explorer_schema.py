"""The keys of the object that the player is handed: those that are written are those that the table of ``schema.py`` tells of."""
from __future__ import annotations

import re
from collections import Counter

from dpfair_teach.explore import schema
from explorer_samples import samples
from page_frames import data_of

ROW = re.compile(r"^(figure|say|panel|series|axis|packed) +(\w+) +(\S.*)$", re.M)


def written(data: dict) -> set[tuple[str, str]]:
    """What each key of a figure's object stands in, and the key."""
    found = {("figure", key) for key in data} | {("say", key) for key in data["say"]}
    for panel in data["P"]:
        found |= {("panel", key) for key in panel}
        found |= {("series", key) for one in panel.get("S", []) for key in one}
        found |= {("axis", key) for letter in "XY" if letter in panel for key in panel[letter]}
    packed = [one for part in (data, data["say"], *data["P"]) for key, one in part.items() if key in "oipc" and isinstance(one, dict)]
    return found | {("packed", key) for one in packed for key in one}


def test_every_key_that_is_written_is_in_the_table_and_every_key_of_the_table_is_written():
    told = [(of, key) for of, key, _ in ROW.findall(schema.__doc__)]
    assert max(Counter(told).values()) == 1 and len(told) > 40
    assert set(told) == set().union(*(written(data_of(figure.html())) for figure in samples().values()))
