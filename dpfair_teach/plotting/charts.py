"""The book's plot style and its few figure types: opaque, legible on a phone, no series told by colour alone, made without ``pyplot``."""
from __future__ import annotations

import io
from numbers import Real
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from PIL import Image

from .. import _checks as check
from .. import fairness

__all__ = ["COLORS", "new_figure", "pareto", "quality_against_epsilon", "roc_plane"]

ITS_OWN = "It makes its own figure, and returns it."

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


def new_figure(width: float = 5.0, height: float = 4.0) -> tuple[BookFigure, Axes]:
    """A figure with one set of axes in the book's style, outside ``pyplot``.

    Source: none in the papers.

    Parameters
    ----------
    width, height : float in [1, 50]
        In inches. Wider than 5, the type is too small where a phone shows the figure at 343 px.

    Returns
    -------
    (BookFigure, Axes)

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


def _table(table: object, by: str, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table with rows and with these columns, and ``by``, which tells curves apart: every row belongs to one."""
    if not isinstance(table, pd.DataFrame):
        check.refuse("table", type(table).__name__, "not a pandas DataFrame", f"Give a table with columns {', '.join(columns)}.")
    if not table.columns.is_unique:
        check.refuse("table", list(table.columns), "has two columns of one name", "Rename or drop one of them.")
    missing = [c for c in columns if c not in table.columns]
    if missing or table.empty:
        check.refuse("table", list(table.columns), f"lacks {missing}" if missing else "has no rows",
                     f"Give a table with columns {', '.join(columns)}.")
    if check.text("by", by) not in table.columns:
        check.refuse("by", by, f"no column of the table, which has {list(table.columns)}", "Choose one of them.")
    if table[by].isna().any():
        check.refuse("by", by, "that column has missing entries, whose rows belong to no curve", "Fill them, or drop those rows yourself.")
    try:
        table[by].map(hash)
    except TypeError as problem:
        check.refuse("by", by, f"that column holds more than plain values ({problem})", "Give a column of numbers or texts.")
    return table


def _draw(ax: Axes, n: int, x: ArrayLike, y: ArrayLike, label: str | None) -> None:
    """One series in the n-th colour, line style and marker; at most about twenty markers on a line."""
    n %= len(COLORS)
    ax.plot(x, y, color=COLORS[n], linestyle=_LINES[n], marker=_MARKERS[n], markevery=max(1, np.size(x) // 20), label=label)


def _legend_below(ax: Axes) -> None:
    """Under the axes, where no line is; handles long enough to tell dashes apart."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2, frameon=False, fontsize=_STYLE["legend.fontsize"], handlelength=3.2,
              columnspacing=1.2, handletextpad=0.5)


@check.formerly(ax=ITS_OWN, group_names="Groups go by their codes.")
def roc_plane(counts: ArrayLike, *, p: ArrayLike | None = None) -> Figure:
    """Each group's reachable rates: the parallelogram that post-processing can move it in; with ``p`` a marker where it lands.

    Source: supplement, section 2.1 (the rates of a derived classifier).

    Parameters
    ----------
    counts : array_like, shape (2, k, 2)
        Indexed [yhat, a, y], in people or frequencies; every group has people of both labels.
    p : array_like, shape (2, k), optional
        P(accept) by [yhat, a].

    Examples
    --------
    >>> figure = roc_plane([[[2, 1], [2, 0]], [[0, 2], [1, 2]]], p=[[.25, 0], [1, .75]])
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['group 0', 'group 1']
    """
    counts = check.array("counts", counts, shape=(2, None, 2), low=0.0, booleans=False)
    fp, tp = fairness.rates(counts)
    k = counts.shape[1]
    if p is not None:
        p = check.array("p", p, shape=(2, None), low=0.0, high=1.0)
        if p.shape[1] != k:
            check.refuse("counts, p", (k, p.shape[1]), "different numbers of groups", "Give p a column for each group of counts.")
    figure, ax = new_figure()
    ax.plot([0, 1], [0, 1], color="#767676", linewidth=0.8, linestyle=":")
    for a in range(k):
        color, marker = COLORS[a % len(COLORS)], _MARKERS[a % len(_MARKERS)]
        size = max(4, 11 - 3 * a)  # smaller for later groups: equal points stay visible on top of each other
        corners = np.array([[0, 0], [fp[a], tp[a]], [1, 1], [1 - fp[a], 1 - tp[a]], [0, 0]])
        ax.fill(corners[:, 0], corners[:, 1], color=color, alpha=0.12, linewidth=0)
        ax.plot(corners[:, 0], corners[:, 1], color=color, linestyle=_LINES[a % len(_LINES)], label=f"group {a}")
        ax.plot(fp[a], tp[a], color=color, marker=marker, markersize=size, markerfacecolor="white", linestyle="none")
        if p is not None:
            ax.plot(p[0, a] + (p[1, a] - p[0, a]) * fp[a], p[0, a] + (p[1, a] - p[0, a]) * tp[a],
                    color=color, marker=marker, markersize=size, linestyle="none")
    ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    _legend_below(ax)
    return figure


@check.formerly(ax=ITS_OWN)
def pareto(table: pd.DataFrame, *, by: str = "epsilon", free_points: ArrayLike | None = None) -> Figure:
    """Trade-off curves: mean violation across, mean error up, one curve for each value of a column.

    Source: main text, Figure 1 (the axes).

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``violation``, ``error`` and ``by``, and perhaps ``error_low``, ``error_high`` for bars. Without one there is no point.
    by : str
        The column that tells curves apart.
    free_points : array_like, shape (2, 2), optional
        Rows [violation, error] of the constant and the base classifier: drawn with the chord between them.

    Examples
    --------
    >>> table = pd.DataFrame({"epsilon": [1., 1., 5.], "violation": [0., .2, .1], "error": [.3, .1, .15]})
    >>> len(pareto(table, free_points=[[0, .3], [.25, .1]]).axes[0].lines)
    3
    """
    table = _table(table, by, ("violation", "error")).dropna(subset=["violation", "error"])
    check.filled("table", table.to_numpy(dtype=object), "row with a violation and an error")
    for column in ("violation", "error", "error_low", "error_high"):
        if column in table:
            check.array(f"table[{column!r}]", table[column], low=0.0, high=1.0)
    if free_points is not None:
        free_points = check.array("free_points", free_points, shape=(2, 2), low=0.0, high=1.0)
    bars = {"error_low", "error_high"} <= set(table.columns)
    figure, ax = new_figure()
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


@check.formerly(ax=ITS_OWN, by="It draws one curve for each method.")
def quality_against_epsilon(table: pd.DataFrame) -> Figure:
    """Q of each method as epsilon grows, with its interval as a band; epsilon on a log scale.

    Source: none in the papers; the evaluation protocol of this book.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``epsilon`` (above 0, finite), ``q``, ``q_low``, ``q_high`` (the former between the latter) and ``method``.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "printed", "epsilon": [1., 2.], "q": [0., .5], "q_low": [0., .4], "q_high": [.1, .6]})
    >>> quality_against_epsilon(table).axes[0].get_xscale()
    'log'
    """
    table = _table(table, "method", ("epsilon", "q", "q_low", "q_high"))
    epsilons = check.array("table['epsilon']", table["epsilon"])
    for value in epsilons:
        check.epsilon(float(value))
    low, q, high = (check.array(f"table[{name!r}]", table[name]) for name in ("q_low", "q", "q_high"))
    if ((q < low - 1e-9) | (q > high + 1e-9)).any():
        check.refuse("table", "q", "outside its interval in some row", "Check the order of q_low, q, q_high.")
    figure, ax = new_figure()
    for n, (name, rows) in enumerate(table.groupby("method", sort=False)):
        rows = rows.sort_values("epsilon")
        ax.fill_between(rows["epsilon"], rows["q_low"], rows["q_high"], color=COLORS[n % len(COLORS)], alpha=0.2, linewidth=0)
        _draw(ax, n, rows["epsilon"], rows["q"], str(name).replace("_", " "))
    ticks = np.unique(epsilons)
    ax.set_xscale("log")
    ax.set_xticks(ticks, [f"{e:g}" for e in ticks], minor=False)
    ax.minorticks_off()
    ax.axhline(1.0, color="#767676", linestyle=":", linewidth=1)
    ax.set(xlabel="epsilon", ylabel="Q (1 = as good as not private)")
    _legend_below(ax)
    return figure
