"""The starting frame as a PNG, for print and for viewers that show no HTML: matplotlib's own style, the page's colours and dashes."""
from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import drawing
from .axes import Axis
from .chart import Chart
from .html import Picture, Shown
from .views import TableFrame

__all__: list[str] = []

COLORS = ("#0072b2", "#d24e00", "#008a63", "#a2468a", "#8a6a00", "#333333", "#2b86c4", "#b3261e")
DASHES = ("-", (0, (5, 2.5)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (10, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (2.5, 1)),
          (0, (8, 1.5, 3.5, 1.5)))
MARKERS = {"points": "osDv^", "circles": "o", "squares": "s"}


def png(shown: Shown) -> bytes:
    """The panels below one another, at 100 dots an inch. A row of people is told by the sentence alone."""
    heights = [height_of(one) for one in shown.pictures]
    figure = Figure(figsize=(6.4, 0.4 + sum(heights)), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(plain(shown.title), fontsize=11, wrap=True)
    for ax, one in zip(figure.subplots(len(heights), squeeze=False, height_ratios=heights).ravel(), shown.pictures, strict=True):
        ax.set_title(plain(one.name), loc="left", fontsize=10)
        draw = draw_table if one.chart.view == "table" else draw_bars if one.chart.view == "bars" else draw_curves
        draw(ax, one.chart, one.frame)
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})     # bytes that do not tell what wrote them
    return data.getvalue()


def height_of(one: Picture) -> float:
    """In inches."""
    rows = {"table": len(getattr(one.frame, "rows", ())), "bars": len(one.chart.series)}
    return 0.8 + 0.4 * rows[one.chart.view] if one.chart.view in rows else 4.2


def draw_table(ax: Axes, chart: Chart, frame: TableFrame) -> None:
    """A table of texts."""
    ax.axis("off")
    cells = np.array(drawing.cell_texts(frame, chart.digits)).reshape(frame.values.shape)
    drawn = ax.table(cellText=[list(map(plain, row)) for row in cells.tolist()], rowLabels=list(map(plain, frame.rows)),
                     colLabels=list(map(plain, frame.columns)), loc="center", edges="horizontal")
    drawn.scale(1, 1.4)


def draw_bars(ax: Axes, chart: Chart, frame: dict) -> None:
    """A bar for each name, the first at the top, with its number."""
    values, (low, high) = [float(frame[name][0]) for name, _ in chart.series], ends(chart.x)
    zero = min(max(0.0, low), high)      # where bars begin
    drawn = ax.barh(range(len(values)), [value - zero for value in values], left=zero, color=COLORS[0])
    ax.bar_label(drawn, [f"{value:.3g}" for value in values], padding=3)
    ax.set_yticks(range(len(values)), [plain(name) for name, _ in chart.series])
    ax.invert_yaxis()
    ax.set_xlim(low, high)


def draw_curves(ax: Axes, chart: Chart, frame: dict) -> None:
    """Series on two axes; a plane of rates is a square with its diagonal."""
    for i in range(len(chart.series)):
        draw_series(ax, chart, frame, i)
    if chart.view == "roc":
        ax.plot([0, 1], [0, 1], color="#55595f", linestyle=":", linewidth=1)
        ax.set_aspect("equal")
    ax.set(xscale=scale(chart.x), yscale=scale(chart.y), xlim=ends(chart.x), ylim=ends(chart.y), xlabel=plain(chart.x_label),
           ylabel=plain(chart.y_label))
    ax.legend(fontsize=8)


def draw_series(ax: Axes, chart: Chart, frame: dict, i: int) -> None:
    """Series ``i`` in the colour and the dashes of the page."""
    (name, kind), slot = chart.series[i], chart.slots[i]
    look: dict[str, Any] = {"color": COLORS[slot], "label": plain(name)}
    if chart.view == "lines":
        x, y = chart.at / 10 ** chart.x.decimals, frame[name]
        x = 10.0 ** x if chart.x.log else x
    else:
        x, y = frame[name][:, 0], frame[name][:, 1]
    if kind == "band":
        ax.fill_between(x, y[:, 0], y[:, 1], alpha=0.2, **look)
    elif kind in MARKERS:
        ax.plot(x, y, MARKERS[kind][slot % len(MARKERS[kind])], **look)
    elif kind == "segments":
        apart = [np.append(one.reshape(-1, 2), np.full((one.size // 2, 1), np.nan), axis=1).ravel() for one in (x, y)]
        ax.plot(*apart, linewidth=3, **look)
    elif kind == "polygon":
        ax.fill(x, y, alpha=0.2, **look)
    else:
        ax.plot(x, y, linestyle=DASHES[slot], **look)


def plain(text: str) -> str:
    """Text that matplotlib does not read as mathematics or as a hidden label."""
    text = text.replace("$", r"\$")
    return " " + text if text.startswith("_") else text


def scale(axis: Axis) -> str:
    return "log" if axis.log else "linear"


def ends(axis: Axis) -> tuple[float, float]:
    """The ends of an axis in numbers."""
    return (10 ** axis.low, 10 ** axis.high) if axis.log else (axis.low, axis.high)
