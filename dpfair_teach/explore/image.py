"""The starting frame as a PNG, for print and for viewers that show no HTML. Uses no pyplot: nothing is left open."""
from __future__ import annotations

from io import BytesIO

import numpy as np

from . import drawing
from .drawing import Chart

__all__: list[str] = []

COLOURS = ("#0072b2", "#d24e00", "#008a63", "#a2468a", "#8a6a00", "#333333", "#2b86c4", "#b3261e")
DASHES = ("-", (0, (5, 2.5)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (10, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (2.5, 1)),
          (0, (8, 1.5, 3.5, 1.5)))
MARKS = ("o", "s", "^", "D", "v")


def png(chart: Chart, frame: object, title: str) -> bytes:
    """The picture at 100 dots an inch."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    size = (6.4, 0.5 + 0.32 * (1 + len(frame.rows))) if chart.view == "table" else (5.2, 5.6) if chart.view == "roc" else (6.4, 4.2)
    figure = Figure(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title.replace("$", r"\$"), loc="left", fontsize=11, wrap=True)
    if chart.view == "table":
        table(axes, chart, frame)
    elif chart.view == "heatmap":
        heat(axes, figure, chart, frame)
    else:
        curves(axes, chart, frame)
        figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    out = BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def table(axes: object, chart: Chart, frame: object) -> None:
    cells = np.array(drawing.cells(frame, chart.digits)).reshape(frame.values.shape)
    axes.axis("off")
    drawn = axes.table(cellText=plain(cells.tolist()), rowLabels=plain(list(frame.rows)), colLabels=plain(list(frame.columns)),
                       loc="center",
                       edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9.5)
    drawn.scale(1, 1.4)


def heat(axes: object, figure: object, chart: Chart, frame: np.ndarray) -> None:
    values = np.log10(frame) if chart.y.log else frame
    image = axes.imshow(values, cmap="Blues", vmin=chart.y.low, vmax=chart.y.high, aspect="auto")
    figure.colorbar(image, ax=axes, label=plain(("log10 of " if chart.y.log else "") + (chart.z_label or "value")))
    if frame.size <= drawing.MOST_LABELLED:
        for (row, column), value in np.ndenumerate(chart.y.keep(frame)):
            dark = values[row, column] > (chart.y.low + chart.y.high) / 2
            axes.text(column, row, chart.y.text(int(value)), ha="center", va="center", color="white" if dark else "black", fontsize=9)
    for set_ticks, names in ((axes.set_xticks, chart.columns), (axes.set_yticks, chart.rows)):
        at = list(range(0, len(names), max(1, -(-len(names) // 8))))
        set_ticks(at, [plain(names[i]) for i in at])
    axes.set_xlabel(plain(chart.x_label))
    axes.set_ylabel(plain(chart.y_label))


def curves(axes: object, chart: Chart, frame: dict) -> None:
    for i, (name, kind) in enumerate(chart.series):
        slot, (below, several) = chart.slots[i], drawing.points_below(chart, i)
        values, colour, name = frame[name], COLOURS[slot], plain(name)
        x, y = (10.0 ** (chart.at / 10 ** chart.x.decimals) if chart.x.log else chart.at / 10 ** chart.x.decimals, values) \
            if chart.view == "lines" else (values[:, 0], values[:, 1])
        if kind == "band":
            axes.fill_between(x, y[:, 0], y[:, 1], color=colour, alpha=0.2, label=name, linewidth=0)
        elif kind == "points":
            hollow = several and not below
            axes.plot(x, y, MARKS[slot % len(MARKS)], color=colour, label=name, clip_on=chart.clip, zorder=3,
                      markeredgewidth=2 if hollow else 1,
                      markersize=6 * (drawing.SIZES[min(below, len(drawing.SIZES) - 1)] if several else 1),
                      markerfacecolor="none" if hollow else colour)
        elif kind == "polygon":
            axes.fill(x, y, facecolor=colour + "22", edgecolor=colour, linestyle=DASHES[slot], linewidth=2, label=name)
        else:
            axes.plot(x, y, color=colour, linestyle=DASHES[slot], linewidth=2, label=name)
    if chart.view == "roc":
        axes.plot([0, 1], [0, 1], color="#55595f", linestyle=":", linewidth=1)
        axes.set_aspect("equal")
    for axis, scale, limits in ((chart.x, axes.set_xscale, axes.set_xlim), (chart.y, axes.set_yscale, axes.set_ylim)):
        scale("log" if axis.log else "linear")
        limits(*((10 ** axis.low, 10 ** axis.high) if axis.log else (axis.low, axis.high)))
    axes.set_xlabel(plain(chart.x_label))
    axes.set_ylabel(plain(chart.y_label))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dcdfe4")


def plain(text: object) -> object:
    """Text that matplotlib does not read as mathematics or as a hidden label."""
    if isinstance(text, list):
        return [plain(t) for t in text]
    text = text.replace("$", r"\$")
    return " " + text if text.startswith("_") else text
