"""The book's plot style and its few figure types.

The style is opaque: dark ink on white, as on paper; the book's pages turn lightness over in the dark, which keeps the hues. Figures are
five inches wide with type that a phone, which shows them at half that, still makes legible. Colours are those of Okabe and Ito, which stay
apart for colour-blind readers, and no series is told by colour alone: each has its own line style and marker.

Figures are made without ``pyplot``: nothing is registered, nothing has to be closed, no backend is needed.
"""
from __future__ import annotations

import io
from numbers import Real
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from PIL import Image

from . import _checks as check
from . import fairness

__all__ = ["COLORS", "interval_band", "new_figure", "pareto", "quality_against_epsilon", "roc_plane", "use_style"]

#: Okabe and Ito's colours that have a contrast of at least 3 to 1 on white; a series past the last starts over.
COLORS: tuple[str, ...] = ("#0072B2", "#D55E00", "#00795A", "#AA4E86", "#3A3A3A", "#8A6A00")
_LINES: tuple[object, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
_MARKERS: tuple[str, ...] = ("o", "s", "^", "D", "v", "P")

_STYLE: dict[Any, Any] = {
    "figure.figsize": (5.0, 4.0), "figure.dpi": 130, "savefig.dpi": 130, "figure.constrained_layout.use": True,
    "figure.facecolor": "white", "savefig.facecolor": "white", "axes.facecolor": "white",
    "text.color": "#1A1A1A", "axes.labelcolor": "#1A1A1A", "axes.edgecolor": "#4D4D4D", "xtick.color": "#333333",
    "ytick.color": "#333333", "font.size": 11, "axes.titlesize": 12, "legend.fontsize": 10.5, "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.7,
    "axes.axisbelow": True, "lines.linewidth": 1.8, "lines.markersize": 5,
    "axes.prop_cycle": cycler(color=list(COLORS)) + cycler(linestyle=list(_LINES)),
}


class BookFigure(Figure):
    """A matplotlib figure that a notebook shows as it is, whether or not ``pyplot`` was imported."""

    def _repr_png_(self) -> bytes:
        drawn, data = io.BytesIO(), io.BytesIO()
        with matplotlib.rc_context(dict(_STYLE)):
            self.savefig(drawn, format="png")
        # A drawing has few colours: a palette takes a quarter of the bytes, and a phone pays for each of them. The median cut to as few
        # colours would mix those of thin lines.
        with Image.open(drawn) as picture:
            few = picture.convert("RGB").quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.putpalette([255 if value > 250 else value for value in few.getpalette() or ()])      # the tree's white is 254
        few.save(data, "PNG", optimize=True)
        return data.getvalue()


def use_style() -> None:
    """Give the book's style to every figure made from here on, your own ones too.

    The figure types of this module have it without this call.

    Source: none in the papers; colours of Okabe and Ito 2008.

    Examples
    --------
    >>> with matplotlib.rc_context():
    ...     use_style()
    ...     matplotlib.rcParams["axes.facecolor"]
    'white'
    """
    matplotlib.rcParams.update(dict(_STYLE))


def new_figure(width: float = 5.0, height: float = 4.0) -> tuple[BookFigure, Axes]:
    """A figure with one set of axes in the book's style, outside ``pyplot``.

    Source: none in the papers.

    Parameters
    ----------
    width, height : float
        In inches, 1 to 50. Wider than 5, the type is too small where a phone shows the figure at 343 px.

    Returns
    -------
    (BookFigure, Axes)

    Raises
    ------
    ValueError
        Where a size is not a number in that range.

    Examples
    --------
    >>> figure, ax = new_figure()
    >>> figure.axes == [ax]
    True
    """
    width = check.number("width", width, low=1.0, high=50.0)
    height = check.number("height", height, low=1.0, high=50.0)
    with matplotlib.rc_context(dict(_STYLE)):
        figure = BookFigure(figsize=(width, height))
        return figure, figure.add_subplot()


def _axes(ax: Axes | None) -> tuple[Figure, Axes]:
    """The caller's axes, or new ones."""
    if ax is None:
        return new_figure()
    if not isinstance(ax, Axes):
        check.refuse("ax", ax, "not matplotlib axes", "Pass Axes, or None for a figure of its own.")
    figure: Any = ax.figure     # of a part of a figure, that part
    return figure, ax


def _table(name: str, value: object, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table with rows and with these columns."""
    if not isinstance(value, pd.DataFrame):
        check.refuse(name, type(value).__name__, "not a pandas DataFrame", f"Give a table with columns {', '.join(columns)}.")
    if not value.columns.is_unique:
        check.refuse(name, list(value.columns), "has two columns of one name", "Rename or drop one of them.")
    missing = [c for c in columns if c not in value.columns]
    if missing or value.empty:
        check.refuse(name, list(value.columns), f"lacks {missing}" if missing else "has no rows",
                      f"Give a table with columns {', '.join(columns)}.")
    return value


def _column(name: str, value: object, table: pd.DataFrame) -> str:
    """The name of a column of the table that tells curves apart: every row belongs to one."""
    value = check.text(name, value)
    if value not in table.columns:
        check.refuse(name, value, f"no column of the table, which has {list(table.columns)}", f"Choose {name} among them.")
    if table[value].isna().any():
        check.refuse(name, value, "that column has missing entries, whose rows belong to no curve",
                      "Fill them, or drop those rows yourself.")
    try:
        table[value].map(hash)
    except TypeError as problem:
        check.refuse(name, value, f"that column holds more than plain values ({problem})", "Give a column of numbers or texts.")
    return value


def _draw(ax: Axes, n: int, x: ArrayLike, y: ArrayLike, label: str | None) -> None:
    """One series in the n-th colour, line style and marker; at most about twenty markers on a line."""
    n %= len(COLORS)
    ax.plot(x, y, color=COLORS[n], linestyle=_LINES[n], marker=_MARKERS[n], markevery=max(1, np.size(x) // 20), label=label)


def _legend_below(ax: Axes) -> None:
    """Under the axes, where no line is; handles long enough to tell dashes apart."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2, frameon=False, fontsize=_STYLE["legend.fontsize"], handlelength=3.2,
              columnspacing=1.2, handletextpad=0.5)


def interval_band(x: ArrayLike, mean: ArrayLike, low: ArrayLike, high: ArrayLike, ax: Axes | None = None, *,
                  label: str | None = None, series: int = 0) -> Figure:
    """A line with the band of its interval.

    Source: none in the papers.

    Parameters
    ----------
    x, mean, low, high : array_like, shape (n,)
        Finite; ``low <= mean <= high`` entry by entry.
    ax : matplotlib Axes, optional
        Where to draw; a figure of its own without.
    label : str, optional
        For the legend.
    series : int
        From 0 on: chooses colour, line style and marker.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    ValueError
        Where lengths differ, a value is not finite, or an interval does not hold its mean.

    Examples
    --------
    >>> figure = interval_band([1, 2], [.5, .6], [.4, .5], [.6, .7], label="printed")
    >>> len(figure.axes[0].lines), len(figure.axes[0].collections)
    (1, 1)
    """
    x = check.filled("x", check.array("x", x, ndim=1, low=-1e100, high=1e100), "point")
    mean, low, high = (check.array(name, v, ndim=1, low=-1e100, high=1e100) for name, v in (("mean", mean), ("low", low), ("high", high)))
    lengths = tuple(map(len, (x, mean, low, high)))
    if len(set(lengths)) > 1:
        check.refuse("x, mean, low, high", lengths, "different lengths", "Give one entry a point in each.")
    outside = (mean < low - 1e-9) | (mean > high + 1e-9)
    if outside.any():
        i = int(np.argmax(outside))
        check.refuse("mean", float(mean[i]), f"outside its interval [{low[i]:g}, {high[i]:g}] at index {i}",
                      "Check the order of mean, low, high.")
    label = None if label is None else check.text("label", label)
    series = check.integer("series", series, low=0)
    figure, ax = _axes(ax)
    ax.fill_between(x, low, high, color=COLORS[series % len(COLORS)], alpha=0.2, linewidth=0)
    _draw(ax, series, x, mean, label)
    return figure


def roc_plane(counts: ArrayLike, ax: Axes | None = None, *, p: ArrayLike | None = None,
              group_names: tuple[str, ...] | list[str] | None = None) -> Figure:
    """Each group's reachable rates: the parallelogram that post-processing can move it in.

    The corners are never accept (0, 0), the base classifier, always accept (1, 1), and the base turned round. With ``p`` a
    filled marker shows where each group lands.

    Source: supplement, section 2.1 (the rates of a derived classifier).

    Parameters
    ----------
    counts : array_like, shape (2, k, 2)
        Indexed [yhat, a, y], in people or frequencies; every group has people of both labels.
    ax : matplotlib Axes, optional
        Where to draw; a figure of its own without.
    p : array_like, shape (2, k), optional
        P(accept) by [yhat, a].
    group_names : sequence of k str, optional
        All different.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    ValueError
        Where a shape is wrong, a (group, label) cell is empty, ``p`` leaves [0, 1], or names do not match the groups.

    Examples
    --------
    >>> figure = roc_plane([[[2, 1], [2, 0]], [[0, 2], [1, 2]]], p=[[.25, 0], [1, .75]])
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['group 0', 'group 1']
    """
    counts = check.array("counts", counts, shape=(2, None, 2), low=0.0, booleans=False)
    fp, tp = fairness.rates(counts)
    k = counts.shape[1]
    group_names = check.group_names(group_names, k)
    if p is not None:
        p = check.array("p", p, shape=(2, k), low=0.0, high=1.0)
    figure, ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color="#767676", linewidth=0.8, linestyle=":")
    for a in range(k):
        color, marker = COLORS[a % len(COLORS)], _MARKERS[a % len(_MARKERS)]
        size = max(4, 11 - 3 * a)  # smaller for later groups: equal points stay visible on top of each other
        corners = np.array([[0, 0], [fp[a], tp[a]], [1, 1], [1 - fp[a], 1 - tp[a]], [0, 0]])
        ax.fill(corners[:, 0], corners[:, 1], color=color, alpha=0.12, linewidth=0)
        ax.plot(corners[:, 0], corners[:, 1], color=color, linestyle=_LINES[a % len(_LINES)], label=group_names[a])
        ax.plot(fp[a], tp[a], color=color, marker=marker, markersize=size, markerfacecolor="white", linestyle="none")
        if p is not None:
            ax.plot(p[0, a] + (p[1, a] - p[0, a]) * fp[a], p[0, a] + (p[1, a] - p[0, a]) * tp[a],
                    color=color, marker=marker, markersize=size, linestyle="none")
    ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    _legend_below(ax)
    return figure


def pareto(table: pd.DataFrame, ax: Axes | None = None, *, by: str = "epsilon", free_points: ArrayLike | None = None) -> Figure:
    """Trade-off curves: mean violation across, mean error up, one curve for each value of a column.

    Where the table has ``error_low, error_high`` they are drawn as bars.

    Source: main text, Figure 1 (the axes).

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``violation``, ``error`` and ``by``; rows of a curve in the order in which they are to be joined. A row whose
        error or violation is missing (no draw was left) has no point.
    ax : matplotlib Axes, optional
        Where to draw; a figure of its own without.
    by : str
        The column that tells curves apart.
    free_points : array_like, shape (2, 2), optional
        Rows [violation, error] of the constant and the base classifier: drawn with the chord between them.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    ValueError
        Where ``table`` is no table, lacks a column or has no rows; where a number is outside [0, 1]; where an entry of ``by`` is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"epsilon": [1., 1., 5.], "violation": [0., .2, .1], "error": [.3, .1, .15]})
    >>> len(pareto(table, free_points=[[0, .3], [.25, .1]]).axes[0].lines)
    3
    """
    table = _table("table", table, ("violation", "error")).dropna(subset=["violation", "error"])
    by = _column("by", by, _table("table", table, ("violation", "error")))
    for column in ("violation", "error"):
        check.array(f"table[{column!r}]", table[column], low=0.0, high=1.0)
    if free_points is not None:
        free_points = check.array("free_points", free_points, shape=(2, 2), low=0.0, high=1.0)
    bars = {"error_low", "error_high"} <= set(table.columns)
    if bars:
        for column in ("error_low", "error_high"):
            check.array(f"table[{column!r}]", table[column], low=0.0, high=1.0)
    figure, ax = _axes(ax)
    for n, (value, curve) in enumerate(table.groupby(by, sort=False)):
        if isinstance(value, float) and np.isinf(value):
            label = "not private"
        else:
            label = f"{by} = {value:g}" if by == "epsilon" and isinstance(value, Real) else str(value).replace("_", " ")
        if bars:
            ax.vlines(curve["violation"], curve["error_low"], curve["error_high"], color=COLORS[n % len(COLORS)], linewidth=1)
        _draw(ax, n, curve["violation"], curve["error"], label)
    if free_points is not None:
        ax.plot(free_points[:, 0], free_points[:, 1], color="#767676", linestyle=":", marker="*", markersize=9,
                label="constant and base, mixed")
    ax.set(xlabel="violation (largest gap of a rate to group 0)", ylabel="error")
    _legend_below(ax)
    return figure


def quality_against_epsilon(table: pd.DataFrame, ax: Axes | None = None, *, by: str = "method") -> Figure:
    """Q of each method as epsilon grows, with its interval as a band; epsilon on a log scale.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``epsilon`` (above 0, finite), ``q``, ``q_low``, ``q_high`` and ``by``.
    ax : matplotlib Axes, optional
        Where to draw; a figure of its own without.
    by : str
        The column that tells methods apart.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    ValueError
        Where ``table`` is no table, lacks a column or has no rows, or holds a value out of range.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "printed", "epsilon": [1., 2.], "q": [0., .5], "q_low": [0., .4], "q_high": [.1, .6]})
    >>> quality_against_epsilon(table).axes[0].get_xscale()
    'log'
    """
    table = _table("table", table, ("epsilon", "q", "q_low", "q_high"))
    by = _column("by", by, table)
    epsilons = check.array("table['epsilon']", table["epsilon"])
    for value in epsilons:
        check.epsilon(float(value))
    figure, ax = _axes(ax)
    for n, (name, rows) in enumerate(table.groupby(by, sort=False)):
        rows = rows.sort_values("epsilon")
        interval_band(rows["epsilon"], rows["q"], rows["q_low"], rows["q_high"], ax, label=str(name).replace("_", " "), series=n)
    ticks = np.unique(epsilons)
    ax.set_xscale("log")
    ax.set_xticks(ticks, [f"{e:g}" for e in ticks], minor=False)
    ax.minorticks_off()
    ax.axhline(1.0, color="#767676", linestyle=":", linewidth=1)
    ax.set(xlabel="epsilon", ylabel="Q (1 = as good as not private)")
    _legend_below(ax)
    return figure


# --- the starting frame of an interactive figure -----------------------------------------------------------------------------
# Called by the room of interactive figures alone, which has checked every argument. Its page has a palette and dashes of its own.

_FRAME_COLORS = ("#0072b2", "#d24e00", "#008a63", "#a2468a", "#8a6a00", "#333333", "#2b86c4", "#b3261e")
_FRAME_LINES = ("-", (0, (5, 2.5)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (10, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (2.5, 1)),
                (0, (8, 1.5, 3.5, 1.5)))
_FRAME_MARKERS = ("o", "s", "^", "D", "v")


class Labels(NamedTuple):
    """The words around a frame."""

    title: str
    x: str
    y: str


class Curve(NamedTuple):
    """One series of a frame; ``y`` is (n, 2) for the two edges of a band, ``slot`` chooses colour, dashes and marker."""

    name: str
    kind: str                   # line, band, points, polygon, circles, squares, segments
    x: np.ndarray
    y: np.ndarray
    slot: int
    size: float                 # of markers, in usual ones
    hollow: bool


def _frame(title: str, size: tuple[float, float]) -> tuple[Figure, Axes]:
    """An empty picture at 100 dots an inch, in matplotlib's own style."""
    figure = Figure(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    ax.set_title(title.replace("$", r"\$"), loc="left", fontsize=11, wrap=True)
    return figure, ax


def _png(figure: Figure) -> bytes:
    """The bytes, which do not tell what wrote them."""
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def _plain(text: str) -> str:
    """Text that matplotlib does not read as mathematics or as a hidden label."""
    text = text.replace("$", r"\$")
    return " " + text if text.startswith("_") else text


def table_png(title: str, rows: list[str], columns: list[str], cells: list[list[str]]) -> bytes:
    """A table of texts."""
    figure, ax = _frame(title, (6.4, 0.5 + 0.32 * (1 + len(rows))))
    ax.axis("off")
    drawn = ax.table(cellText=[list(map(_plain, row)) for row in cells], rowLabels=list(map(_plain, rows)),
                     colLabels=list(map(_plain, columns)), loc="center", edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9.5)
    drawn.scale(1, 1.4)
    return _png(figure)


def heatmap_png(labels: Labels, values: np.ndarray, limits: tuple[float, float], rows: tuple[str, ...], columns: tuple[str, ...],
                texts: list[list[str]] | None, key: str) -> bytes:
    """``values`` (n_y, n_x) as shades from ``limits[0]`` to ``limits[1]``, with the ``texts`` of the cells where there are any."""
    figure, ax = _frame(labels.title, (6.4, 4.2))
    figure.colorbar(ax.imshow(values, cmap="Blues", vmin=limits[0], vmax=limits[1], aspect="auto"), ax=ax, label=_plain(key))
    for (row, column), value in np.ndenumerate(values if texts else np.empty((0, 0))):
        ax.text(column, row, (texts or [])[row][column], ha="center", va="center", color="white" if value > sum(limits) / 2 else "black",
                fontsize=9)
    for set_ticks, names in ((ax.set_xticks, columns), (ax.set_yticks, rows)):
        at = list(range(0, len(names), max(1, -(-len(names) // 8))))
        set_ticks(at, [_plain(names[i]) for i in at])
    ax.set(xlabel=_plain(labels.x), ylabel=_plain(labels.y))
    return _png(figure)


def curves_png(labels: Labels, curves: list[Curve], x: tuple[bool, float, float], y: tuple[bool, float, float], *, roc: bool,
               clip: bool) -> bytes:
    """Series on two axes, each axis (logarithmic?, low, high); ``roc`` makes a square with its diagonal."""
    figure, ax = _frame(labels.title, (5.2, 5.6) if roc else (6.4, 4.2))
    for c in curves:
        color, dashes, label = _FRAME_COLORS[c.slot], _FRAME_LINES[c.slot], _plain(c.name)
        if c.kind == "band":
            ax.fill_between(c.x, c.y[:, 0], c.y[:, 1], color=color, alpha=0.2, label=label, linewidth=0)
        elif c.kind == "points":
            ax.plot(c.x, c.y, _FRAME_MARKERS[c.slot % len(_FRAME_MARKERS)], color=color, label=label, clip_on=clip, zorder=3,
                    markersize=6 * c.size, markeredgewidth=2 if c.hollow else 1, markerfacecolor="none" if c.hollow else color)
        elif c.kind in ("circles", "squares"):
            ax.plot(c.x, c.y, "o" if c.kind == "circles" else "s", color=color, label=label, clip_on=clip, zorder=3, markersize=5,
                    markerfacecolor="white" if c.slot == 1 else color)
        elif c.kind == "segments":
            ends = [np.append(one.reshape(-1, 2), np.full((one.size // 2, 1), np.nan), axis=1).ravel() for one in (c.x, c.y)]
            ax.plot(*ends, color=color, linewidth=3, label=label, clip_on=clip)
        elif c.kind == "polygon":
            ax.fill(c.x, c.y, facecolor=color + "22", edgecolor=color, linestyle=dashes, linewidth=2, label=label)
        else:
            ax.plot(c.x, c.y, color=color, linestyle=dashes, linewidth=2, label=label)
    if roc:
        ax.plot([0, 1], [0, 1], color="#55595f", linestyle=":", linewidth=1)
        ax.set_aspect("equal")
    ax.set(xscale="log" if x[0] else "linear", yscale="log" if y[0] else "linear", xlim=x[1:], ylim=y[1:],
           xlabel=_plain(labels.x), ylabel=_plain(labels.y))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#dcdfe4")
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    return _png(figure)


def bars_png(labels: Labels, values: dict[str, float], x: tuple[bool, float, float], slots: tuple[int, ...]) -> bytes:
    """A bar for each name, the first at the top, with its number."""
    figure, ax = _frame(labels.title, (6.4, 0.9 + 0.42 * len(values)))
    colors = [_FRAME_COLORS[slot] for slot in slots]
    zero = x[1] if x[0] else min(max(0.0, x[1]), x[2])      # where bars begin
    drawn = ax.barh(range(len(values)), [value - zero for value in values.values()], left=zero, color=colors, height=0.6)
    ax.bar_label(drawn, [f"{value:.3g}" for value in values.values()], padding=3, fontsize=9)
    ax.set_yticks(range(len(values)), list(map(_plain, values)))
    ax.invert_yaxis()
    ax.set(xscale="log" if x[0] else "linear", xlim=x[1:], xlabel=_plain(labels.x))
    ax.spines[["top", "right"]].set_visible(False)
    return _png(figure)


def people_png(title: str, names: list[str], traits: dict[str, list[int]], scores: list[float] | None, cut: float | None,
               words: dict[str, tuple[str, str]]) -> bytes:
    """People in a row: group by side, colour and hatching, label by shape, the cut as a line."""
    figure, ax = _frame(title, (6.4, 1.9))
    n = len(names)
    group, label = traits.get("group", [0] * n), traits.get("label", [1] * n)
    for i, name in enumerate(names):
        y, color = (-1, _FRAME_COLORS[1]) if group[i] else (1, _FRAME_COLORS[0])
        ax.scatter(i, y, s=170, marker="o" if label[i] else "s", facecolor="white" if group[i] else color, edgecolor=color, linewidth=1.6,
                   hatch="////" if group[i] else None)
        ax.text(i, 2 * y, _plain(name), ha="center", va="center", fontsize=9)
        mark = f"{scores[i]:.3g}" if scores is not None else ("+", "-")[1 - traits["decision"][i]] if "decision" in traits else ""
        ax.text(i, 0, mark, ha="center", va="center", fontsize=8)
    if scores is not None and cut is not None:
        at = sum(score < cut for score in scores) - 0.5
        ax.plot([at, at], [-3.2, 2.4], color="#1a1a1a", linestyle="--", linewidth=1)
        for x, align, word in ((at - 0.1, "right", words["decision"][0]), (at + 0.1, "left", words["decision"][1])):
            ax.text(x, -2.9, _plain(word), ha=align, va="center", fontsize=9)
    said = [f"above: {words['group'][0]}, below: {words['group'][1]}"] if "group" in traits else []
    said += [f"circle: {words['label'][1]}, square: {words['label'][0]}"] if "label" in traits else []
    ax.text(-0.5, 2.9, _plain("; ".join(said)), ha="left", va="center", fontsize=9)
    ax.set(xlim=(-0.6, n - 0.4), ylim=(-3.4, 3.4))
    ax.axis("off")
    return _png(figure)


def stacked_png(pictures: list[bytes]) -> bytes:
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
