"""What the player is handed with a figure: one JSON object in the page. ``player/*.js`` reads it, ``tests/page_frames.py`` reads it back.

Its keys are short, since each of a page's numbers is sent with them. A key that not every figure
has says when it is there.

======  =======  =======================================================================================================
of      key      what it is
======  =======  =======================================================================================================
figure  title    what the figure shows
figure  k        the label of each control, in order; ``data-k`` of an input is its place here
figure  n        how many values each control has
figure  v        how each value reads; of people nothing, the names in the page say it
figure  say      the sentences
figure  o        packed: the settings that are offered, as numbers on the grid of all controls, where not all are
figure  play     the control that can play, where one can
figure  P        the panels
say     on       the controls that the sentence follows
say     t        templates, with a hole (character 1) for each number
say     a        the distinct sentences: number of the template and the numbers, between ``|``
say     i        packed: which sentence stands at each point of the grid of ``on``, where one stands at several
panel   name     its heading, empty where it is alone
panel   on       the controls that it follows
panel   view     lines, roc, pareto, bars or table
panel   f        how many distinct frames it has
panel   p        packed: their numbers, frame by frame, as ``drawing.kept_numbers`` puts them; of a table places in ``u``
panel   size     how many numbers a frame has, where all have as many
panel   i        packed: which frame stands at each point of the grid of ``on``, -1 where none is offered; without, in order
panel   X        the axis across: lines, roc, pareto, bars
panel   Y        the axis up: lines, roc, pareto
panel   w        width of the drawing area in tenths of a unit, where there is an axis across
panel   h        its height, of curves
panel   S        the series of curves and bars
panel   xl       what stands at the axis across, of curves
panel   yl       what stands at the axis up, of curves
panel   x        lines: the kept places of x
panel   r        lines: which of them the folded table shows,
panel   rx       lines: and how these read
panel   xt       lines on a log axis: how each place of x reads
panel   top      lines: how far below the top of the picture the drawing area begins, in tenths, where there are ``e``
panel   e        lines: how high the name at the end of each series is, in tenths; left out where no name stands there
panel   c        roc, pareto: how many points each series has, series by series; packed, frame by frame, where frames differ
panel   g        which series the reader guesses, where one is guessed
panel   u        table: every text that a cell can have
panel   start    table: the frame with which the others are compared,
panel   rows     table: or which row with which other,
panel   columns  and how many columns it has
series  name     its name
series  kind     line, points, band, polygon, circles, squares or segments, of curves
series  dx       what has markers: where the path of a marker begins, across,
series  dy       up,
series  tail     and how it goes on
axis    lo       its lower end; on a log axis the logarithm
axis    hi       its upper end
axis    k        decimals to which numbers are kept: a kept number is the whole number of such steps
axis    log      1 on a log axis
packed  q        the numbers, as characters
packed  o        how often they were differenced along the stream
packed  m        1 where frames were first differenced with the frame before
======  =======  =======================================================================================================
"""
from __future__ import annotations

import re
from typing import Any

import numpy as np

from .._checks import refuse
from . import drawing, views
from .axes import Axis
from .chart import Chart, shown_rows
from .panel import Frames

__all__: list[str] = []

MOST_CHARACTERS = 400_000


def of_figure(explorer: Any) -> dict:
    """The object of a figure."""
    names = list(explorer.controls)
    on, said = explorer._sentences
    each = explorer.controls.values()
    data: dict = {"title": explorer.title, "k": [c.label for c in each], "n": [len(c.grid) for c in each],
                  "v": [[] if c.people else c.texts for c in each],
                  "say": {"on": [names.index(name) for name in on], **packed_sentences(said)}}
    if not explorer.offered.whole:
        data["o"] = pack([explorer.offered.numbers()])
    if explorer.play:
        data["play"] = names.index(explorer.play)
    data["P"] = [{"name": panel.name, "on": [names.index(name) for name in frames.on],
                  **data_of(drawn, frames, explorer._number(frames, explorer.start)),
                  **({"g": [name for name, _ in drawn.series].index(panel.guess)} if panel.guess else {})}
                 for panel, drawn, frames in zip(explorer.panels, explorer._charts, explorer._frames, strict=True)]
    return data


def data_of(chart: Chart, frames: Frames, start: int) -> dict:
    """Of one panel; ``start`` is the distinct frame shown first."""
    data: dict = {"view": chart.view}
    if chart.view == "table":
        found: dict[str, int] = {}
        kept = [np.array([found.setdefault(c, len(found)) for c in drawing.cell_texts(f, chart.digits)], dtype=np.int64)
                for f in frames.distinct]
        data |= {"u": list(found), "start": start}
        data |= {"rows": dict(chart.compare), "columns": len(frames.distinct[0].columns)} if chart.compare else {}
    else:
        kept = [drawing.kept_numbers(chart, f) for f in frames.distinct]
    if chart.view == "bars":
        data |= {"X": axis_data(chart.x), "w": 10 * chart.box[2], "S": [{"name": name} for name, _ in chart.series]}
    elif chart.view != "table":
        data |= curve_data(chart, frames)
    data |= {"size": int(kept[0].size), "f": len(kept), "p": pack(kept)}
    if len(frames.index) != len(kept) or (frames.index != np.arange(len(kept))).any():
        data["i"] = pack([frames.index])
    if len(data["p"]["q"]) > MOST_CHARACTERS:
        refuse("sliders", len(kept), f"the frames take {len(data['p']['q']):,} characters of a page, more than {MOST_CHARACTERS:,}",
               "Coarsen the sliders, give fewer points a curve, or smooth Monte-Carlo noise.")
    return data


def curve_data(chart: Chart, frames: Frames) -> dict:
    """Axes, series and how many points each has."""
    _, _, width, height = chart.box
    series: list[dict] = [{"name": name, "kind": kind} for name, kind in chart.series]
    for i, one in enumerate(series):
        if one["kind"] in views.DOTS:
            one["dx"], one["dy"], one["tail"] = drawing.marker_path(chart, i)
    data: dict = {"X": axis_data(chart.x), "Y": axis_data(chart.y), "w": 10 * width, "h": 10 * height, "S": series,
                  "xl": chart.x_label or "x", "yl": chart.y_label or "y"}
    if chart.view == "lines":
        # on a log axis a kept number has three digits, and people are counted in full
        data |= {"top": 10 * chart.box[1], "e": chart.ends} if chart.ends else {}
        data |= {"xt": [chart.x.says(v) for v in chart.exact]} if chart.x.log else {}
        return data | {"x": chart.at.tolist(), "r": shown_rows(len(chart.at)), "rx": chart.said}
    counts = [np.array([len(f[name]) for name, _ in chart.series], dtype=np.int64) for f in frames.distinct]
    return data | {"c": counts[0].tolist() if all((c == counts[0]).all() for c in counts) else pack(counts)}


def axis_data(axis: Axis) -> dict:
    """An axis as the player reads it."""
    return {"lo": axis.low, "hi": axis.high, "k": axis.decimals, "log": int(axis.log)}


def packed_sentences(said: list[str]) -> dict:
    """Sentences that differ in their numbers: templates with holes, the numbers of each distinct sentence, and which one stands where.

    ``{"t": templates, "a": ["template number|number|...", ...]}``, and ``"i"`` where a sentence stands at several settings.

    >>> packed_sentences(["It is 1.", "It is 2.5."])
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


# --- many whole numbers as a short text -------------------------------------------------------------------------------------
# Figures hold ten thousands of numbers that change slowly along a curve and from frame to frame. They are rounded to a decimal step,
# differenced, and each difference is written as one or two printable characters. ``player/numbers.js`` undoes this.

# No quote, backslash, <, >, & or `: safe inside JSON, HTML and a template literal. The first 64 end a number, the last 20 go before.
ALPHABET = "".join(chr(c) for c in range(35, 127) if chr(c) not in "\\<>&`'$%")
LAST, MORE = 64, len(ALPHABET) - 64


def encode(numbers: np.ndarray) -> str:
    """Signed whole numbers as text, small ones as one character.

    >>> encode(np.array([0, -1, 1, 40]))
    '#()l7'
    """
    out = []
    for z in np.where(numbers < 0, -2 * numbers - 1, 2 * numbers).tolist():
        text = ALPHABET[z % LAST]
        z //= LAST
        while z:
            text = ALPHABET[LAST + z % MORE] + text
            z //= MORE
        out.append(text)
    return "".join(out)


def pack(frames: list[np.ndarray]) -> dict:
    """The shortest of a few differencings of the frames, each (n_f,) whole numbers; ``m`` only where all frames have one length."""
    best: dict = {}
    for m in (0, 1) if len({f.size for f in frames}) == 1 else (0,):
        table = frames if not m else [f - g for f, g in zip(frames, [np.zeros_like(frames[0]), *frames[:-1]], strict=True)]
        stream = np.concatenate(table)
        for order in (0, 1, 2):
            text = encode(stream)
            if not best or len(text) < len(best["q"]):
                best = {"q": text, "o": order, "m": m}
            stream = np.diff(stream, prepend=0)
    return best
