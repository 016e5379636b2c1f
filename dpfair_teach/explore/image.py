"""The starting frame as a PNG, for print and for viewers that show no HTML: what to draw; :mod:`dpfair_teach.plotting` draws it."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import plotting
from . import drawing
from .axes import Axis
from .drawing import Chart
from .page import Shown
from .people import People
from .views import Table

__all__: list[str] = []


def png(shown: Shown) -> bytes:
    """The whole figure at 100 dots an inch: the people, then the panels below one another."""
    pictures = [crowd(one.people, shown) for one in shown.controls if one.people]
    several = len(shown.pictures) > 1
    pictures += [panel(one.chart, one.frame, one.name if several or pictures else shown.title) for one in shown.pictures]
    return plotting.stacked_png(pictures)


def crowd(people: People, shown: Shown) -> bytes:
    """The row of people."""
    bits = shown.values[people.argument]
    order = people.order()
    traits = {trait: [values[i] for i in order] for trait, values in (people.traits | {people.flips: bits}).items()}
    scores = None if people.score is None else [people.score[i] for i in order]
    return plotting.people_png(shown.title, [people.names[i] for i in order], traits, scores, people.cut, people.words)


def panel(chart: Chart, frame: Any, title: str) -> bytes:
    """One picture."""
    if chart.view == "table":
        return table(chart, frame, title)
    labels = plotting.Labels(title, chart.x_label, chart.y_label)
    if chart.view == "heatmap":
        return heat(chart, frame, labels)
    if chart.view == "bars":
        return plotting.bars_png(labels, {name: float(frame[name][0]) for name, _ in chart.series}, scale(chart.x), chart.slots)
    curves = [curve(chart, frame, i) for i in range(len(chart.series))]
    return plotting.curves_png(labels, curves, scale(chart.x), scale(chart.y), roc=chart.view == "roc", clip=chart.clip)


def table(chart: Chart, frame: Table, title: str) -> bytes:
    cells = np.array(drawing.cells(frame, chart.digits)).reshape(frame.values.shape)
    return plotting.table_png(title, list(frame.rows), list(frame.columns), cells.tolist())


def heat(chart: Chart, frame: np.ndarray, labels: plotting.Labels) -> bytes:
    values = np.log10(frame) if chart.y.log else frame
    few = frame.size <= drawing.MOST_LABELLED
    texts = [[chart.y.text(int(value)) for value in row] for row in chart.y.keep(frame)] if few else None
    key = ("log10 of " if chart.y.log else "") + (chart.z_label or "value")
    return plotting.heatmap_png(labels, values, (chart.y.low, chart.y.high), chart.rows, chart.columns, texts, key)


def curve(chart: Chart, frame: dict, i: int) -> plotting.Curve:
    """Series ``i`` in numbers, with the look that it has in the page."""
    name, kind = chart.series[i]
    values = frame[name]
    if chart.view == "lines":
        x, y = chart.at / 10 ** chart.x.decimals, values
        x = 10.0 ** x if chart.x.log else x
    else:
        x, y = values[:, 0], values[:, 1]
    below, several = drawing.points_below(chart, i)
    size = drawing.SIZES[min(below, len(drawing.SIZES) - 1)] if several else 1
    return plotting.Curve(name, kind, x, y, chart.slots[i], size, several and not below)


def scale(axis: Axis) -> tuple[bool, float, float]:
    """Whether an axis is logarithmic, and its ends in numbers."""
    return (True, 10 ** axis.low, 10 ** axis.high) if axis.log else (False, axis.low, axis.high)
