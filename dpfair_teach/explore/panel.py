"""One picture of a figure: a function, how its results are drawn, and which controls it follows."""
from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import array, choice, formerly, integer, number, refuse, unread
from .._checks import shown as short
from . import views
from .arguments import cause, named, raised, span, text
from .controls import Control, where_of

__all__ = ["Panel"]

NO_MAP = "The heat map went; lines, points and bars are left."

MOST_NUMBERS = 1_000_000

#: Which views have no use for an argument.
_WITHOUT: dict[str, tuple[str, ...]] = {
    "log_x": ("roc", "table", "bars"), "log_y": ("roc", "table", "bars"), "x_range": ("table",), "y_range": ("table", "bars"),
    "x_label": ("table", "bars"), "y_label": ("table", "bars")}
_WITH_SERIES = tuple(view for view in views.VIEWS if views.KINDS[view])


@dataclass(frozen=True)
class Frames:
    """The frames of a panel over its own controls, ``on``: each of the ``distinct`` ones once, and by ``index`` which one stands where."""

    on: tuple[str, ...]         # the controls that this panel follows
    distinct: list
    index: np.ndarray           # (points of the grid,), the last control moving fastest; -1 where no setting is offered


@formerly(y=NO_MAP, z_label=NO_MAP)
class Panel:
    """One picture of a figure: a function of the controls, and how its results are drawn.

    The player keeps numbers to at least 2,000 steps of the axis, on a log axis to three digits, tables to ``digits``.

    Source: none in the papers.

    Parameters
    ----------
    fn : callable
        Called with the values of those controls that it takes by name, of lines as ``fn(x, **values)`` where it takes ``x``. It returns,
        by view: ``"lines"``: dict name -> (len(x),), or (len(x), 2) low and high for a band; ``"roc"``, ``"pareto"``: dict name -> (n, 2)
        points [x, y], n free; ``"bars"``: dict name -> number; ``"table"``: a pandas DataFrame or ``{"rows": names, "columns": names,
        "values": cells}``. Finite everywhere; the same series, rows and columns at every value. Same values in, same numbers out.
    name : str
        The heading above the picture, and the key of its frame in ``Explorer.frame``. Needed where a figure has several panels.
    x : (n,) increasing numbers, for ``"lines"``
    series : dict name -> kind
        ``"lines"``: ``"line"`` (default), ``"points"``, ``"band"``; ``"roc"``, ``"pareto"``: ``"points"`` (default), ``"line"``,
        ``"polygon"``, ``"circles"`` and ``"squares"`` (small, for many people; of the second colour open), ``"segments"`` (every two
        points are the ends of one). Of several series of points the first is drawn large and open, the next smaller on top.
    view : "lines", "roc", "pareto", "bars" or "table"
    x_label, y_label : str
    log_x, log_y : bool
    x_range, y_range : (low, high)
        The range drawn, instead of the range of all frames.
    digits : int in 0..8, optional
        Decimals in a table, by default 3.
    colors : dict name -> name
        A series that takes the colour of another, of another kind.
    compare : dict row -> row
        Of a table, which row is marked where it differs from which other row. Without, each cell that differs from the start is marked.
    guess : str
        A series that the reader draws or places before it is shown: a line or points over x, a single point, or a bar.
    share : float in [0.2, 1]
        Of the figure's width; a column is as wide as its first panel says.

    Examples
    --------
    >>> import numpy as np
    >>> from dpfair_teach.explore import Explorer
    >>> wave = Panel(lambda x, a: {"sine": np.sin(a * x)}, name="Wave", x=np.linspace(0, 6, 25))
    >>> turns = Panel(lambda a: {"turns": a * 6 / (2 * np.pi)}, name="Turns", view="bars", share=0.4)
    >>> figure = Explorer([wave, turns], sliders={"a": [1, 2]}, title="A wave", alt=lambda a: f"The frequency is {a}.")
    >>> sorted(figure.frame(a=2))
    ['Turns', 'Wave']
    """

    def __init__(self, fn: Callable, *, name: str = "", x: Sequence | None = None, series: Mapping[str, str] | None = None,
                 view: views.View = "lines", x_label: str = "", y_label: str = "", log_x: bool = False, log_y: bool = False,
                 x_range: tuple[float, float] | None = None, y_range: tuple[float, float] | None = None, digits: int | None = None,
                 colors: Mapping[str, str] | None = None, compare: Mapping[str, str] | None = None, guess: str = "",
                 share: float = 1.0) -> None:
        if not callable(fn):
            refuse("fn", fn, "not callable", "Give a function of the slider values.")
        self.fn = fn
        self.name = text("name", name, empty=True)
        self.view = choice("view", view, views.VIEWS)
        self.x_label, self.y_label = text("x_label", x_label, empty=True), text("y_label", y_label, empty=True)
        for name_of, flag in (("log_x", log_x), ("log_y", log_y)):
            if not isinstance(flag, (bool, np.bool_)):
                refuse(name_of, flag, "not True or False", "Give True for a logarithmic axis.")
        self.log_x, self.log_y = bool(log_x), bool(log_y)
        self._unread_but_by(("table",), digits=digits)
        self.digits = 3 if digits is None else integer("digits", digits, low=0, high=8)
        self.x_range, self.y_range = span("x_range", x_range, self.log_x), span("y_range", y_range, self.log_y)
        given = {"log_x": self.log_x, "log_y": self.log_y, "x_range": x_range, "y_range": y_range, "x_label": x_label, "y_label": y_label}
        for argument, value in given.items():
            said = None if value is False or (isinstance(value, str) and not value) else value
            self._unread_but_by(tuple(one for one in views.VIEWS if one not in _WITHOUT[argument]), **{argument: said})
        self.x = self._positions(x)
        self.series, self.colors = self._series(series), self._colors(colors)
        self.compare = named("compare", compare)
        self._unread_but_by(("table",), compare=self.compare or None)
        self.guess = text("guess", guess, empty=True)
        if guess and (self.view == "table" or self.series.get(guess) in ("band", "polygon", "segments")):
            refuse("guess", guess, "nothing that a reader could draw or place", "Name a line, points, a single point or a bar.")
        self.share = number("share", share, low=0.2, high=1.0)

    # -- arguments ---------------------------------------------------------------------------------------------------------

    def _unread_but_by(self, readers: tuple[str, ...], **given: Any) -> None:
        """What only these views read is given to no other."""
        if self.view not in readers:
            unread(f'view "{self.view}"', f"view {' or '.join(map(short, readers))}".replace("'", '"'), **given)

    def _series(self, series: Any) -> dict[str, str]:
        """The kinds of the series."""
        kinds = named("series", series)
        self._unread_but_by(_WITH_SERIES, series=kinds or None)
        for name, kind in kinds.items():
            choice(f"series[{name!r}]", kind, views.KINDS[self.view])
        return kinds

    def _colors(self, colors: Any) -> dict[str, str]:
        """Which series takes the colour of which other."""
        likes = named("colors", colors)
        self._unread_but_by(_WITH_SERIES, colors=likes or None)
        for name, like in likes.items():
            if not isinstance(like, str) or like == name or like in likes:
                refuse(f"colors[{name!r}]", like, "not the name of another series that has a colour of its own",
                       'Give {"series": "the series whose colour it takes"}.')
        return likes

    def _positions(self, x: Any) -> Any:
        """``x`` of lines as increasing numbers."""
        self._unread_but_by(("lines",), x=x)
        if self.view != "lines":
            return None
        if x is None:
            refuse("x", None, 'view "lines" needs the places where fn is drawn', "Give x as increasing numbers.")
        values = array("x", x, ndim=1)
        if values.size < 2 or (np.diff(values) <= 0).any():
            refuse("x", x, "not increasing numbers", "Give at least two numbers, each above the one before.")
        if self.log_x and values[0] <= 0:
            refuse("x", float(values[0]), "0 or negative on a logarithmic axis", "Give positive x, or leave log_x out.")
        return values

    # -- frames ------------------------------------------------------------------------------------------------------------

    def takes(self, controls: Mapping[str, Control]) -> tuple[str, ...]:
        """The controls that ``fn`` takes by name."""
        return taken_by(self.fn, controls)

    def positional(self, values: dict) -> list:
        """``x``, if ``fn`` takes it before the ``values``."""
        return [self.x] if self.x is not None and fits(self.fn, [self.x], values) else []

    def _remedy(self, values: dict) -> str:
        """What to do about an error in ``fn``."""
        if fits(self.fn, self.positional(values), values):
            return "Make fn work there, or leave that slider value out of the grid."
        first = ["x"] if self.x is not None else []
        return f"Define it as fn({', '.join([*first, *values])}): {'x first, and ' if first else ''}each control by its name."

    def call(self, values: dict) -> Any:
        """The frame at ``values`` of the controls that ``fn`` takes, checked and exact."""
        what, where = f"fn of panel {self.name!r}" if self.name else "fn", where_of(values)
        try:
            result = self.fn(*self.positional(values), **values)
        except Exception as error:
            raise raised(what, where, error, self._remedy(values)) from cause(error)
        at = f"{what} at {where}"
        frame = views.canonical(result, self.view, at, x=self.x, kinds=self.series)
        for argument, names in (("series", self.series), ("colors", [*self.colors, *self.colors.values()])):
            for name in names:
                if name not in frame:
                    raise ValueError(f"{argument}={name!r}: {at} returned no such series. It returned {', '.join(frame)}.")
        for row in (*self.compare, *self.compare.values()):
            if row not in frame.rows:
                raise ValueError(f"compare={row!r}: {at} returned no such row. It returned {', '.join(frame.rows)}.")
        if self.guess:
            self._guessable(frame, at)
        for letter, log, drawn in zip("xy", (self.log_x, self.log_y), self.drawn(frame), strict=True):
            if log and any((v <= 0).any() for v in drawn):
                raise ValueError(f"{at}: 0 or a negative number on a logarithmic {letter} axis. Leave log_{letter} out.")
            if not log and any((abs(v) > views.LARGEST).any() for v in drawn):
                raise ValueError(f"{at}: a number beyond {views.LARGEST:g} on a linear {letter} axis. "
                                 f"Set log_{letter}=True or rescale.")
        return frame

    def _guessable(self, frame: dict, at: str) -> None:
        """There is a series of that name, and where the reader places a point there is one."""
        if self.guess not in frame:
            raise ValueError(f"guess={short(self.guess)}: {at} returned no such series. It returned {', '.join(frame)}.")
        if self.view in ("roc", "pareto") and len(frame[self.guess]) != 1:
            raise ValueError(f"guess={short(self.guess)}: {at} returned {len(frame[self.guess])} points of it, and a reader places one. "
                             "Return one point, or leave guess out.")

    def asks(self, *, live: bool = False) -> str:
        """What the reader is asked to do before the answer is shown; in the ``live`` figure with widgets."""
        if not self.guess:
            return ""
        if self.view == "lines":
            return f"Guess first: draw {self.guess} over the picture, {'with the sliders below' if live else 'by pointer or arrow keys'}."
        what = f"how long the bar {self.guess} is" if self.view == "bars" else f"where {self.guess} lies"
        return f"Guess first {what}: {'move the sliders below' if live else 'click the place, or use the arrow keys'}."

    def drawn(self, frame: Any) -> tuple[list, list]:
        """The numbers of a frame that its x axis and its y axis show."""
        if self.view == "table":
            return [], []
        if self.view == "lines":
            return [self.x], list(frame.values())
        if self.view == "bars":
            return list(frame.values()), []
        return [v[:, 0] for v in frame.values()], [v[:, 1] for v in frame.values()]

    def frames(self, controls: Mapping[str, Control], wanted: set[tuple] | None = None) -> Frames:
        """Every frame, over the grid of these ``controls``, or at the ``wanted`` points of it; frames that are equal are held once."""
        on = tuple(controls)
        found: dict[Any, int] = {}
        distinct: list = []
        index, count = [], 0
        for point in itertools.product(*(controls[name].grid for name in on)):
            if wanted is not None and point not in wanted:
                index.append(-1)
                continue
            values = dict(zip(on, point, strict=True))
            frame = self.call(values)
            if distinct:
                views.same_shape(distinct[0], frame, where_of(values))
            key = views.key(frame)
            if key not in found:
                found[key] = len(distinct)
                distinct.append(frame)
                count += views.size(frame)
                if count > MOST_NUMBERS:
                    refuse("sliders", count, f"the frames hold over {MOST_NUMBERS:,} numbers",
                           "Coarsen the sliders or give fewer points a curve.")
            index.append(found[key])
        return Frames(on, distinct, np.array(index, dtype=np.int64))


def fits(fn: Callable, given: list, values: dict) -> bool:
    """Whether ``fn`` takes so many positional arguments before the ``values``; where that cannot be told it is tried without."""
    try:
        inspect.signature(fn).bind(*given, **values)
    except TypeError:
        return False
    except ValueError:      # a built-in that does not say
        return not given
    return True


def taken_by(fn: Callable, controls: Mapping[str, Control], *, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Those of the names of ``controls`` (or ``extra``) that ``fn`` takes by keyword; all of the former where that cannot be told."""
    names = (*controls, *extra)
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return tuple(controls)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return tuple(name for name in names if name in controls or name in parameters)
    return tuple(name for name in names if name in parameters and parameters[name].kind in (
        inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY))
