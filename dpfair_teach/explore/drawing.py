"""One frame as SVG or as an HTML table, without a browser.

What a page shows before any script, and what the live widget draws. The player moves the same elements to the same whole positions, in
tenths of a unit.
"""
from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from . import views
from .axes import shown
from .chart import BAR, NUMBER, ROOM, Chart, shown_rows, spread
from .views import TableFrame

__all__: list[str] = []

#: Sizes of the markers of the first, second, ... of several series of points: equal points all show.
SIZES = (2.0, 1.45, 0.95, 0.6)
SHAPES = 5
#: Half the width of the marks of many people, in tenths.
CROWD = {"circles": 48, "squares": 42}
KEY_HEIGHT = 22


# --- what the live figure lays over a drawing, since no script of ours runs in its page -----------------------------------------

class Spot(NamedTuple):
    """One place to read values at: in tenths of a unit in the drawing area."""

    x: int
    y: int | None                           # None: all that stands over x
    marks: tuple[tuple[int, int], ...]      # where the values lie
    where: str
    told: str


@dataclass(frozen=True)
class Over:
    """Of one picture. While ``asking``, the answer of the series ``guess`` is not drawn."""

    spots: tuple[Spot, ...] = ()            # each says its values under the pointer
    read: int | None = None                 # the spot that is being read
    guess: int | None = None                # the series that the reader guesses,
    mine: str = ""                          # the ``d`` of the guess, as far as there is one
    asking: bool = False

    def hides(self, i: int) -> bool:
        """Whether series ``i`` is the answer that is not to be seen yet."""
        return self.asking and self.guess == i

    def guessed(self, i: int, kind: str) -> str:
        """The reader's guess of series ``i``."""
        return f'<path class="dpx-mine dpx-{kind}" d="{self.mine}"/>' if self.mine and self.guess == i else ""

    def spoken(self, height: int) -> list[str]:
        """A rule and rings where values are read, and above all else what each place says."""
        parts = []
        if self.read is not None:
            at = self.spots[self.read]
            parts += [] if at.y is not None else [f'<path class="dpx-now" d="M{at.x} 0V{height}"/>']
            parts += [f'<circle class="dpx-now" cx="{x}" cy="{y}" r="50"/>' for x, y in at.marks]
        xs = [spot.x for spot in self.spots]
        for before, spot, after in zip([*xs[:1], *xs[:-1]], self.spots, [*xs[1:], *xs[-1:]], strict=True):
            words = f'class="dpx-hit"><title>{escape(spot.told)}</title>'
            if spot.y is None:
                left, right = (before + spot.x) // 2, (spot.x + after) // 2
                parts.append(f'<rect x="{left}" y="0" width="{right - left}" height="{height}" {words}</rect>')
            else:
                parts.append(f'<circle cx="{spot.x}" cy="{spot.y}" r="90" {words}</circle>')
        return parts


NOTHING = Over()


# --- a frame ---------------------------------------------------------------------------------------------------------------

def marker_path(chart: Chart, i: int) -> tuple[int, int, str]:
    """The marker of series ``i``, in tenths: where the path starts from the point, and the rest of it.

    The first of several series of points is large (and open), those above it ever smaller. Circles and squares are small.
    """
    kind = chart.series[i][1]
    if kind in CROWD:
        r = CROWD[kind]
        circle, square = (-r, 0, f"a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"), (-r, -r, f"h{2 * r}v{2 * r}h-{2 * r}z")
        return circle if kind == "circles" else square
    below, several = points_below(chart, i)
    size = SIZES[min(below, len(SIZES) - 1)] if several else 1.0
    r, half, high, wide, deep, diagonal = (round(part * size) for part in (62, 55, 74, 72, 126, 78))
    return ((-r, 0, f"a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"), (-half, -half, f"h{2 * half}v{2 * half}h-{2 * half}z"),
            (0, -high, f"l{wide} {deep}h-{2 * wide}z"),
            (0, -diagonal, f"l{diagonal} {diagonal}-{diagonal} {diagonal}-{diagonal}-{diagonal}z"),
            (0, high, f"l{wide}-{deep}h-{2 * wide}z"))[chart.slots[i] % SHAPES]


def points_below(chart: Chart, i: int) -> tuple[int, bool]:
    """How many series of points are drawn before series ``i``, and whether there is more than one in all."""
    dots = [j for j, (_, kind) in enumerate(chart.series) if kind == "points"]
    return sum(j < i for j in dots), len(dots) > 1


def css_classes(chart: Chart, i: int) -> str:
    """The CSS classes of series ``i``: its kind, its colour, whether its markers are open."""
    kind = chart.series[i][1]
    below, several = points_below(chart, i)
    return f"dpx-s dpx-{kind} dpx-s{chart.slots[i]}" + (" dpx-open" if kind == "points" and several and not below else "")


def kept_numbers(chart: Chart, frame: Any) -> np.ndarray:
    """The frame's kept whole numbers in one row, in the order the player reads them; (n,) int64."""
    if chart.view == "lines":
        return np.concatenate([chart.y.keep(frame[name].T).ravel() for name, _ in chart.series])
    if chart.view == "bars":
        return np.concatenate([chart.x.keep(frame[name]) for name, _ in chart.series])
    return np.concatenate([np.concatenate([chart.x.keep(frame[name][:, 0]), chart.y.keep(frame[name][:, 1])])
                           for name, _ in chart.series])


def series_paths(chart: Chart, frame: dict) -> list[str]:
    """The ``d`` of every series of one frame."""
    _, _, width, height = chart.box
    out = []
    for i, (name, kind) in enumerate(chart.series):
        values = frame[name]
        if chart.view == "lines":
            x, y = chart.at, values if kind != "band" else np.concatenate([values[:, 0], values[::-1, 1]])
            x = np.concatenate([x, x[::-1]]) if kind == "band" else x
        else:
            x, y = chart.x.keep(values[:, 0]), values[:, 1]
        px = chart.x.place(x, 10 * width).tolist()
        py = (10 * height - chart.y.place(chart.y.keep(y), 10 * height)).tolist()
        if kind in views.DOTS:
            dx, dy, tail = marker_path(chart, i)
            out.append("".join(f"M{a + dx} {b + dy}{tail}" for a, b in zip(px, py, strict=True)))
        elif kind == "segments":
            out.append("".join(f"{'L' if j % 2 else 'M'}{a} {b}" for j, (a, b) in enumerate(zip(px, py, strict=True))))
        else:
            line = "L".join(f"{a} {b}" for a, b in zip(px, py, strict=True))
            out.append(line and f"M{line}{'Z' if kind in ('band', 'polygon') else ''}")
    return out


def frame_svg(chart: Chart, frame: Any, label: str, *, keys: bool = False, over: Over = NOTHING) -> str:
    """The whole picture of one frame; ``label`` is its text alternative; with ``keys`` the legend is inside, below."""
    left, top, width, height = chart.box
    below = KEY_HEIGHT * len(chart.series) if keys else 0
    parts = [f'<svg class="dpx-svg" viewBox="0 0 {chart.size[0]} {chart.size[1] + below}" role="img" aria-label="{escape(label)}">']
    if chart.view == "bars":
        return "".join(parts + bars_svg(chart, frame, over)) + "</svg>"
    parts += [f'<text class="dpx-name" x="2" y="15">{escape(chart.y_label)}</text>',
             f'<text class="dpx-name" x="{left + width / 2:g}" y="{chart.size[1] - 6}" text-anchor="middle">{escape(chart.x_label)}</text>']
    for value, text in chart.y.ticks:
        at = f"{top + height - (value - chart.y.low) / (chart.y.high - chart.y.low) * height:.1f}"
        rule = "dpx-axis" if value == 0 and not chart.y.log and chart.view != "roc" else "dpx-grid"
        parts.append(f'<path class="{rule}" d="M{left} {at}h{width}"/>'
                     f'<text x="{left - 8}" y="{at}" dy=".35em" text-anchor="end">{text}</text>')
    for value, text in chart.x.ticks:
        at = f"{left + (value - chart.x.low) / (chart.x.high - chart.x.low) * width:.1f}"
        parts.append(f'<path class="dpx-tick" d="M{at} {top + height}v5"/>'
                     f'<text x="{at}" y="{top + height + 23}" text-anchor="middle">{text}</text>')
    parts.append(f'<path class="dpx-axis" d="M{left} {top + height}h{width}"/>')
    parts.append(f'<svg x="{left}" y="{top}" width="{width}" height="{height}" viewBox="0 0 {10 * width} {10 * height}" '
                 f'overflow="{"hidden" if chart.clip else "visible"}">')
    if chart.view == "roc":
        corner = [(int(chart.x.place(np.float64(v), 10 * width)), 10 * height - int(chart.y.place(np.float64(v), 10 * height)))
                  for v in (0, 10 ** chart.x.decimals)]
        parts.append('<path class="dpx-diagonal" d="M{} {}L{} {}"/>'.format(*corner[0], *corner[1]))
    parts += [series_svg(chart, i, d, over) for i, d in enumerate(series_paths(chart, frame))]
    parts += [*over.spoken(10 * height), "</svg>", *([] if keys else label_marks(chart, frame))]
    for i, (name, _) in enumerate(chart.series if keys else ()):
        y = chart.size[1] + KEY_HEIGHT * i
        key = key_svg(chart, i).replace("<svg ", f'<svg x="{left}" y="{y - 4}" width="32" height="24" ', 1)
        parts.append(f'{key}<text x="{left + 42}" y="{y + 13}">{escape(name)}</text>')
    return "".join(parts) + "</svg>"


def series_svg(chart: Chart, i: int, d: str, over: Over) -> str:
    """Series ``i``, unless it is still to be guessed, and the guess of it."""
    kind = {"lines": "line", "bars": "bar"}.get(chart.view, "points")
    return ("" if over.hides(i) else f'<path class="{css_classes(chart, i)}" d="{d}"/>') + over.guessed(i, kind)


def label_places(chart: Chart, frame: dict) -> list[tuple[int, int, int]]:
    """Of each series that is named at its end, in tenths of a unit from the top: where it ends, and where its name and its number stand."""
    if not chart.ends:
        return []
    _, top, _, height = chart.box
    places = [chart.y.place(np.atleast_1d(chart.y.keep(frame[name][-1])), 10 * height) for name, _ in chart.series]
    end = [10 * (top + height) - min(max(int(one.sum()) // len(one), 0), 10 * height) for one in places]
    return list(zip(end, spread(end, list(chart.ends), ROOM), spread(end, [NUMBER] * len(end), ROOM), strict=True))


def label_marks(chart: Chart, frame: dict) -> list[str]:
    """Leaders to the names beside the picture; and the numbers that stand for them where there is no room beside."""
    right = chart.box[0] + chart.box[2]
    parts = []
    for i, (end, name, number) in enumerate(label_places(chart, frame)):
        far, near = (f"M{right + 2} {end / 10:g}L{x} {to / 10:g}" for x, to in ((chart.size[0], name), (right + 4, number)))
        said = f'<text class="dpx-near" x="{right + 6}" y="{number / 10:g}" dy=".35em">{i + 1}</text>'
        parts.append(f'<g class="dpx-end dpx-s{chart.slots[i]}" aria-hidden="true"><path class="dpx-far" d="{far}"/>'
                     f'<path class="dpx-near" d="{near}"/>{said}</g>')
    return parts


def bar_path(chart: Chart, kept: int) -> str:
    """The ``d`` of a bar from 0, or the end of the range that is nearest to it, to the ``kept`` number."""
    width = 10 * chart.box[2]
    zero, end = (min(max(int(chart.x.place(np.float64(one), width)), 0), width) for one in (0, kept))
    return f"M{zero} 0H{end}v140H{zero}z"


def bars_svg(chart: Chart, frame: dict, over: Over) -> list[str]:
    """A track for each name with its number at the end, filled up to it; the ends of the range below."""
    left, top, width, height = chart.box
    parts = []
    for i, (name, _) in enumerate(chart.series):
        y, kept = top + BAR * i, int(chart.x.keep(frame[name])[0])
        track = f'<path class="dpx-track" d="M0 0h{10 * width}v140H0z"/>{series_svg(chart, i, bar_path(chart, kept), over)}'
        said = "" if over.hides(i) else chart.x.text(kept)
        parts.append(f'<text class="dpx-name" x="{left}" y="{y + 13}">{escape(name)}</text>'
                     f'<text class="dpx-in dpx-name" x="{left + width}" y="{y + 13}" text-anchor="end">{said}</text>'
                     f'<svg x="{left}" y="{y + 20}" width="{width}" height="14" viewBox="0 0 {10 * width} 140">{track}</svg>')
    for x, end, anchor in ((left, chart.x.low, "start"), (left + width, chart.x.high, "end")):
        said = chart.x.text(round(end * 10 ** chart.x.decimals))
        parts.append(f'<text x="{x}" y="{top + height + 18}" text-anchor="{anchor}">{said}</text>')
    return parts


def key_svg(chart: Chart, i: int) -> str:
    """The key of a series: its line or its marker."""
    kind = chart.series[i][1]
    if kind in views.DOTS:
        dx, dy, tail = marker_path(chart, i)
        d = f"M{160 + dx} {80 + dy}{tail}"
    elif kind == "line":
        d = "M10 80H310"
    elif kind == "segments":        # a stroke that leans: a line of the same colour lies
        d = "M80 190L240 -30"
    else:
        d = "M10 25H310V135H10Z"
    return f'<svg class="dpx-key" viewBox="0 -60 320 280" aria-hidden="true"><path class="{css_classes(chart, i)}" d="{d}"/></svg>'


def legend_list(chart: Chart, frame: Any, over: Over = NOTHING) -> str:
    """The names of the series, those struck out that have nothing in this frame."""
    if chart.view == "bars":
        return ""
    looks = ["" if len(frame[name]) else ' class="dpx-absent"' for name, _ in chart.series]
    numbers = [""] * len(looks)
    if chart.ends:
        looks = [f' style="top:{10 * name / chart.size[1]:.2f}%"' for _, name, _ in label_places(chart, frame)]
        numbers = [f'<b class="dpx-near" aria-hidden="true">{i + 1}</b>' for i in range(len(looks))]
    names = "".join(f"<li{looks[i]}>{numbers[i]}{key_svg(chart, i)}<span>{escape(name)}</span></li>"
                    for i, (name, _) in enumerate(chart.series))
    if over.mine:
        d = "M10 80H310" if chart.view == "lines" else "M80 80h160m-80 -80v160"
        key = f'<svg class="dpx-key" viewBox="0 -60 320 280" aria-hidden="true"><path class="dpx-mine" d="{d}"/></svg>'
        names += f"<li>{key}your guess</li>"
    return f'<ul class="dpx-legend">{names}</ul>'


def cell_texts(table: TableFrame, digits: int) -> list[str]:
    """The texts of a table's cells, row by row."""
    return [value if isinstance(value, str) else shown(value, digits) for value in table.values.ravel()]


def compared_texts(chart: Chart, table: TableFrame) -> list[str | None]:
    """What each cell is compared with: the cell at the start, or in the other row of its pair; None where with nothing."""
    if not chart.compare:
        return list(cell_texts(chart.start or table, chart.digits))
    now, width, other = cell_texts(table, chart.digits), len(table.columns), dict(chart.compare)
    return [now[other[i // width] * width + i % width] if i // width in other else None for i in range(len(now))]


def table_html(chart: Chart, table: TableFrame, label: str) -> str:
    """A table; cells that differ from what they are compared with carry a mark and the number there."""
    now, was, width = cell_texts(table, chart.digits), compared_texts(chart, table), len(table.columns)
    verb = "against" if chart.compare else "was"

    def cell(i: int) -> str:
        if was[i] is None:
            return f"<td>{escape(now[i])}</td>"
        moved = ' class="dpx-moved"' if now[i] != was[i] else ""
        return f'<td{moved} data-was="{verb} {escape(was[i] or "")}">{escape(now[i])}</td>'

    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    body = "".join(f'<tr><th scope="row">{escape(name)}</th>{"".join(map(cell, range(r * width, (r + 1) * width)))}</tr>'
                   for r, name in enumerate(table.rows))
    corner = table.corner
    corner = f'<th scope="col">{escape(corner)}</th>' if corner else "<td></td>"
    return f'<table aria-label="{escape(label)}"><thead><tr>{corner}{head}</tr></thead><tbody>{body}</tbody></table>'


def number_rows(chart: Chart, frame: Any) -> tuple[list[str], list[list[str]]]:
    """The numbers of a frame as head and rows of text, for the folded table; of long curves every so many points."""
    if chart.view == "lines":
        head = [chart.x_label or "x", *(name for name, _ in chart.series)]
        columns = [list(chart.said)]
        for name, _ in chart.series:
            kept = chart.y.keep(frame[name])
            columns.append([" to ".join(chart.y.text(int(v)) for v in np.atleast_1d(kept[i])) for i in shown_rows(len(kept))])
        return head, [list(row) for row in zip(*columns, strict=True)]
    rows = []
    for name, _ in chart.series:
        points = zip(chart.x.keep(frame[name][:, 0]).tolist(), chart.y.keep(frame[name][:, 1]).tolist(), strict=True)
        rows += [[f"{name}, {i + 1}", chart.x.text(a), chart.y.text(b)] for i, (a, b) in enumerate(points)]
    return ["point", chart.x_label or "x", chart.y_label or "y"], rows
