"""The starting frame as a PNG, for print and for viewers that show no HTML: matplotlib's own style, the page's colours and dashes."""
from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from . import drawing
from .axes import Axis
from .chart import Chart
from .controls import PEOPLE
from .html import Shown
from .people import People
from .views import TableFrame

__all__: list[str] = []

COLORS = ("#0072b2", "#d24e00", "#008a63", "#a2468a", "#8a6a00", "#333333", "#2b86c4", "#b3261e")
DASHES = ("-", (0, (5, 2.5)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (10, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (2.5, 1)),
          (0, (8, 1.5, 3.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v")
INK = "#1a1a1a"


def png(shown: Shown) -> bytes:
    """The whole figure at 100 dots an inch: the people, then the panels below one another."""
    pictures = [people_png(one.people, shown) for one in shown.controls if one.people]
    several = len(shown.pictures) > 1
    pictures += [panel_png(one.chart, one.frame, one.name if several or pictures else shown.title) for one in shown.pictures]
    return below_one_another(pictures)


def panel_png(chart: Chart, frame: Any, title: str) -> bytes:
    """One picture."""
    if chart.view == "table":
        return table_png(chart, frame, title)
    return (bars_png if chart.view == "bars" else curves_png)(chart, frame, title)


def table_png(chart: Chart, frame: TableFrame, title: str) -> bytes:
    """A table of texts."""
    figure, ax = new_picture(title, (6.4, 0.5 + 0.32 * (1 + len(frame.rows))))
    ax.axis("off")
    cells = np.array(drawing.cell_texts(frame, chart.digits)).reshape(frame.values.shape)
    drawn = ax.table(cellText=[list(map(plain, row)) for row in cells.tolist()], rowLabels=list(map(plain, frame.rows)),
                     colLabels=list(map(plain, frame.columns)), loc="center", edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9.5)
    drawn.scale(1, 1.4)
    return png_of(figure)


def curves_png(chart: Chart, frame: dict, title: str) -> bytes:
    """Series on two axes; a plane of rates is a square with its diagonal."""
    roc = chart.view == "roc"
    figure, ax = new_picture(title, (5.2, 5.6) if roc else (6.4, 4.2))
    for i in range(len(chart.series)):
        draw_series(ax, chart, frame, i)
    if roc:
        ax.plot([0, 1], [0, 1], color="#55595f", linestyle=":", linewidth=1)
        ax.set_aspect("equal")
    ax.set(xscale=scale(chart.x), yscale=scale(chart.y), xlim=ends(chart.x), ylim=ends(chart.y), xlabel=plain(chart.x_label),
           ylabel=plain(chart.y_label))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#dcdfe4")
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return png_of(figure)


def draw_series(ax: Axes, chart: Chart, frame: dict, i: int) -> None:
    """Series ``i`` with the look that it has in the page."""
    name, kind = chart.series[i]
    slot, label = chart.slots[i], plain(name)
    color, dashes = COLORS[slot], DASHES[slot]
    if chart.view == "lines":
        x, y = chart.at / 10 ** chart.x.decimals, frame[name]
        x = 10.0 ** x if chart.x.log else x
    else:
        x, y = frame[name][:, 0], frame[name][:, 1]
    if kind == "band":
        ax.fill_between(x, y[:, 0], y[:, 1], color=color, alpha=0.2, label=label, linewidth=0)
    elif kind == "points":
        below, several = drawing.points_below(chart, i)
        size = drawing.SIZES[min(below, len(drawing.SIZES) - 1)] if several else 1
        hollow = several and not below
        ax.plot(x, y, MARKERS[slot % len(MARKERS)], color=color, label=label, clip_on=chart.clip, zorder=3, markersize=6 * size,
                markeredgewidth=2 if hollow else 1, markerfacecolor="none" if hollow else color)
    elif kind in ("circles", "squares"):
        ax.plot(x, y, "o" if kind == "circles" else "s", color=color, label=label, clip_on=chart.clip, zorder=3, markersize=5,
                markerfacecolor="white" if slot == 1 else color)
    elif kind == "segments":
        apart = [np.append(one.reshape(-1, 2), np.full((one.size // 2, 1), np.nan), axis=1).ravel() for one in (x, y)]
        ax.plot(*apart, color=color, linewidth=3, label=label, clip_on=chart.clip)
    elif kind == "polygon":
        ax.fill(x, y, facecolor=color + "22", edgecolor=color, linestyle=dashes, linewidth=2, label=label)
    else:
        ax.plot(x, y, color=color, linestyle=dashes, linewidth=2, label=label)


def bars_png(chart: Chart, frame: dict, title: str) -> bytes:
    """A bar for each name, the first at the top, with its number."""
    figure, ax = new_picture(title, (6.4, 0.9 + 0.42 * len(chart.series)))
    values = [float(frame[name][0]) for name, _ in chart.series]
    low, high = ends(chart.x)
    zero = low if chart.x.log else min(max(0.0, low), high)      # where bars begin
    drawn = ax.barh(range(len(values)), [value - zero for value in values], left=zero, color=[COLORS[slot] for slot in chart.slots],
                    height=0.6)
    ax.bar_label(drawn, [f"{value:.3g}" for value in values], padding=3, fontsize=9)
    ax.set_yticks(range(len(values)), [plain(name) for name, _ in chart.series])
    ax.invert_yaxis()
    ax.set(xscale=scale(chart.x), xlim=(low, high), xlabel=plain(chart.x_label))
    ax.spines[["top", "right"]].set_visible(False)
    return png_of(figure)


def people_png(people: People, shown: Shown) -> bytes:
    """The row of people: group by side, colour and hatching, label by shape, the cut as a line."""
    figure, ax = new_picture(shown.title, (6.4, 1.9))
    n, words, groups = len(people.names), people.words, shown.values[PEOPLE]
    order = people.order()
    for x, i in enumerate(order):
        y, color = (-1, COLORS[1]) if groups[i] else (1, COLORS[0])
        ax.scatter(x, y, s=170, marker="o" if people.labels[i] else "s", facecolor="white" if groups[i] else color, edgecolor=color,
                   linewidth=1.6, hatch="////" if groups[i] else None)
        ax.text(x, 2 * y, plain(people.names[i]), ha="center", va="center", fontsize=9)
        ax.text(x, 0, f"{people.score[i]:.3g}", ha="center", va="center", fontsize=8)
    at = int((people.score < people.cut).sum()) - 0.5
    ax.plot([at, at], [-3.2, 2.4], color=INK, linestyle="--", linewidth=1)
    for place, align, word in ((at - 0.1, "right", words["decision"][0]), (at + 0.1, "left", words["decision"][1])):
        ax.text(place, -2.9, plain(word), ha=align, va="center", fontsize=9)
    said = f"above: {words['group'][0]}, below: {words['group'][1]}; circle: {words['label'][1]}, square: {words['label'][0]}"
    ax.text(-0.5, 2.9, plain(said), ha="left", va="center", fontsize=9)
    ax.set(xlim=(-0.6, n - 0.4), ylim=(-3.4, 3.4))
    ax.axis("off")
    return png_of(figure)


def below_one_another(pictures: list[bytes]) -> bytes:
    """One picture below the other on white; a single one as it is."""
    if len(pictures) == 1:
        return pictures[0]
    opened = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    whole = Image.new("RGB", (max(one.width for one in opened), sum(one.height for one in opened)), "white")
    top = 0
    for one in opened:
        whole.paste(one, (0, top))
        top += one.height
    data = io.BytesIO()
    whole.save(data, "PNG", optimize=True)
    return data.getvalue()


# --- what all of them need ----------------------------------------------------------------------------------------------------

def new_picture(title: str, size: tuple[float, float]) -> tuple[Figure, Axes]:
    """An empty picture at 100 dots an inch."""
    figure = Figure(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    ax.set_title(title.replace("$", r"\$"), loc="left", fontsize=11, wrap=True)
    return figure, ax


def png_of(figure: Figure) -> bytes:
    """The bytes, which do not tell what wrote them."""
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def plain(text: str) -> str:
    """Text that matplotlib does not read as mathematics or as a hidden label."""
    text = text.replace("$", r"\$")
    return " " + text if text.startswith("_") else text


def scale(axis: Axis) -> str:
    return "log" if axis.log else "linear"


def ends(axis: Axis) -> tuple[float, float]:
    """The ends of an axis in numbers."""
    return (10 ** axis.low, 10 ** axis.high) if axis.log else (axis.low, axis.high)
