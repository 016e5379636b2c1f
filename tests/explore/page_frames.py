"""What a page carries of an interactive figure, read back: its numbers and sentences, frame by frame."""
from __future__ import annotations

import json
import re

import numpy as np

from dpfair_teach.explore import Explorer, packing

ISLAND = re.compile(r'<script type="application/json" class="dpx-data">(.*?)</script>', re.S)


def data_of(html: str) -> dict:
    """The data of the one figure in ``html``."""
    return json.loads(ISLAND.search(html)[1])


def frames_of(data: dict) -> list[np.ndarray]:
    """The whole numbers of every frame."""
    n = int(np.prod(data["n"]))
    lengths = [data["size"]] * n
    if "c" in data:
        counts = [data["c"]] * n if isinstance(data["c"], list) else packing.unpack(data["c"], [len(data["S"])] * n)
        lengths = [2 * int(sum(c)) for c in counts]
    return packing.unpack(data["p"], lengths)


def sentences_of(data: dict) -> list[str]:
    """The text alternative of every frame; one that is the same in all frames is carried once."""
    told = []
    for packed in data["a"]:
        template, *parts = packed.split("|")
        told.append("".join(a + b for a, b in zip(data["t"][int(template)].split("\x01"), [*parts, ""], strict=True)))
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
    """At each setting of the sliders the numbers in ``data`` are those that ``figure.fn`` returns for it."""
    kept = frames_of(data)
    assert len(kept) == len(figure.grid()) == np.prod([len(g) for g in figure.sliders.values()])
    for values, numbers in zip(figure.grid(), kept, strict=True):
        direct = figure.fn(*figure._positional(), **values)
        if figure.view == "table":
            shown = [data["u"][i] for i in numbers]
            exact = np.asarray(getattr(direct, "values", direct), dtype=float).ravel()
            assert np.abs(np.array(shown, dtype=float) - exact).max() <= 0.5 * 10.0 ** -figure.digits * (1 + 1e-9)
            continue
        if figure.view == "heatmap":
            close(data["Y"], numbers, np.asarray(direct, dtype=float).ravel())
            continue
        at = 0
        for want in (np.asarray(series, dtype=float) for series in direct.values()):
            if figure.view == "lines":
                close(data["Y"], numbers[at:at + want.size], want.T.ravel())
            else:
                close(data["X"], numbers[at:at + len(want)], want[:, 0])
                close(data["Y"], numbers[at + len(want):at + 2 * len(want)], want[:, 1])
            at += want.size
        assert at == numbers.size
