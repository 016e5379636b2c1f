"""What a page carries of an interactive figure, read back: its numbers and sentences, frame by frame."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator

import numpy as np

from dpfair_teach.explore import Explorer, Panel
from dpfair_teach.explore.schema import ALPHABET, LAST, MORE

ISLAND = re.compile(r'<script type="application/json" class="dpx-data">(.*?)</script>', re.S)


def decode(text: str) -> np.ndarray:
    """The inverse of ``encode``, as int64."""
    place = {c: i for i, c in enumerate(ALPHABET)}
    out, high = [], 0
    for c in text:
        i = place[c]
        if i >= LAST:
            high = high * MORE + i - LAST
        else:
            z = high * LAST + i
            out.append(-(z + 1) // 2 if z % 2 else z // 2)
            high = 0
    return np.array(out, dtype=np.int64)


def unpack(packed: dict, lengths: list[int]) -> list[np.ndarray]:
    """The frames again, given how long each is."""
    stream = decode(packed["q"])
    for _ in range(packed["o"]):
        stream = np.cumsum(stream)
    frames = np.split(stream, np.cumsum(lengths)[:-1])
    return list(np.cumsum(frames, axis=0)) if packed["m"] else frames


def data_of(html: str) -> dict:
    """The data of the one figure in ``html``."""
    return json.loads(ISLAND.search(html)[1])


def frames_of(data: dict) -> list[np.ndarray]:
    """The whole numbers of every distinct frame of a panel."""
    n = data["f"]
    lengths = [data["size"]] * n
    if "c" in data:
        counts = [data["c"]] * n if isinstance(data["c"], list) else unpack(data["c"], [len(data["S"])] * n)
        lengths = [2 * int(sum(c)) for c in counts]
    return unpack(data["p"], lengths)


def place(data: dict, on: list[int], places: list[int]) -> int:
    """Where a setting of all controls stands on the grid of those in ``on``."""
    at = 0
    for k in on:
        at = at * data["n"][k] + places[k]
    return at


def settings(figure: Explorer, data: dict) -> Iterator[tuple[dict, list[int]]]:
    """Every setting of the controls, with the place of each."""
    grid = figure.grid()
    assert data["n"] == [len(g) for g in figure.sliders.values()]
    assert len(grid) == (np.prod(data["n"]) if "o" not in data else len(unpack(data["o"], [])[0]))
    for values in grid:
        yield values, [figure.controls[name].places[value] for name, value in values.items()]


def indexed(packed: dict | None, at: int, cache: dict) -> int:
    """The number of the distinct frame or sentence at a place."""
    if packed is None:
        return at
    key = packed["q"]
    if key not in cache:
        cache[key] = unpack(packed, [])[0].tolist()
    return cache[key][at]


def sentences_of(figure: Explorer, data: dict) -> list[str]:
    """The text alternative at every setting."""
    told, cache = [], {}
    for _, places in settings(figure, data):
        said = data["say"]
        template, *parts = said["a"][indexed(said.get("i"), place(data, said["on"], places), cache)].split("|")
        told.append("".join(a + b for a, b in zip(said["t"][int(template)].split("\x01"), [*parts, ""], strict=True)))
    return told


def read(axis: dict, kept: np.ndarray) -> np.ndarray:
    return 10.0 ** (kept / 10 ** axis["k"]) if axis["log"] else kept / 10 ** axis["k"]


def close(axis: dict, kept: np.ndarray, exact: np.ndarray) -> None:
    """Within half a step: of the number, or of its logarithm; there the next step where only that one reads as the number does."""
    half = 0.5 / 10 ** axis["k"] * (1 + 1e-6)
    if not axis["log"]:
        assert (np.abs(read(axis, kept) - exact) <= half + 1e-12).all()
        return
    assert three(read(axis, kept)) == three(exact)
    off = kept / 10 ** axis["k"] - np.log10(exact)
    nearest = np.rint(np.log10(exact) * 10 ** axis["k"]).astype(np.int64)
    misread = np.array(three(read(axis, nearest))) != np.array(three(exact))
    assert (np.abs(off) <= np.where(misread, 2 * half, half)).all()


def three(values: np.ndarray) -> list[str]:
    """Numbers as the folded table shows those of a log axis."""
    return [f"{value:.2e}" for value in np.asarray(values).tolist()]


def assert_every_frame_is_a_direct_call(figure: Explorer, data: dict) -> None:
    """At each setting of the controls the numbers in ``data`` are those that the function of each panel returns for it."""
    assert len(data["P"]) == len(figure.panels)
    names = list(figure.sliders)
    for panel, held in zip(figure.panels, data["P"], strict=True):
        kept, used, cache = frames_of(held), set(), {}
        on = [names[k] for k in held["on"]]
        assert len(figure.panels) == 1 or set(on) <= set(panel.takes(figure.controls))
        seen: set = set()
        for values, places in settings(figure, data):
            at = place(data, held["on"], places)
            number = indexed(held.get("i"), at, cache)
            used.add(number)
            if at not in seen:
                given = {name: values[name] for name in on}
                same_numbers(panel, held, kept[number], panel.fn(*panel.positional(given), **given))
            seen.add(at)
        assert used == set(range(held["f"])), "a frame that no setting shows"


def same_numbers(panel: Panel, data: dict, numbers: np.ndarray, direct: object) -> None:
    """One frame as it is held, against one call."""
    if panel.view == "table":
        shown = [data["u"][i] for i in numbers]
        cells = direct["values"] if isinstance(direct, dict) else direct.values
        for text, exact in zip(shown, np.array(cells, dtype=object).ravel(), strict=True):
            assert text == exact if isinstance(exact, str) else abs(float(text) - exact) <= 0.5 * 10.0 ** -panel.digits * (1 + 1e-9)
        return
    at = 0
    for want in (np.asarray(series, dtype=float) for series in direct.values()):
        if panel.view in ("lines", "bars"):
            close(data["Y" if panel.view == "lines" else "X"], numbers[at:at + want.size], want.T.ravel())
        else:
            close(data["X"], numbers[at:at + len(want)], want[:, 0])
            close(data["Y"], numbers[at + len(want):at + 2 * len(want)], want[:, 1])
        at += want.size
    assert at == numbers.size
