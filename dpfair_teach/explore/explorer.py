"""One interactive figure with two lives: a player inside a page, and widgets in front of a running kernel."""
from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from .._checks import array, choice, integer, refuse
from . import drawing, page, views
from .arguments import cause, named, raised, shown_value, slider_grid, span, text, writable
from .axes import Axis, shown
from .drawing import Chart
from .packing import pack, pack_sentences

__all__ = ["Explorer"]

MOST_NUMBERS = 1_000_000
MOST_CHARACTERS = 400_000


#: A table has no axes, a heat map none below its columns: their charts are never asked for one.
_NO_AXES: dict[str, Any] = {"x": None, "y": None}


class Explorer:
    """A figure whose sliders call a library function.

    Shown in a notebook or page, it computes one frame for every point of the slider grid and carries them along, so that the
    sliders work where no Python runs. In front of a running kernel the same sliders are ipywidgets and call ``fn`` afresh.

    Source: none in the papers.

    Parameters
    ----------
    fn : callable
        Called as ``fn(x, **values)`` (a heat map also ``fn(x, y, **values)``) where it takes them, else as ``fn(**values)``. It returns, by
        view: ``"lines"``: dict name -> (len(x),), or (len(x), 2) low and high for a band; ``"roc"``, ``"pareto"``: dict name -> (n, 2)
        points [x, y], n free; ``"table"``: a pandas DataFrame or ``{"rows": names, "columns": names, "values": cells}``; ``"heatmap"``:
        (n_y, n_x). Finite everywhere; the same series, rows and columns at every slider value. Same values in, same numbers out.
    sliders : dict name -> grid of numbers or texts; at most 5,000 points in all
    title : str
        What the figure shows.
    alt : str or callable
        The sentence that says what the current frame shows: ``alt(**values)``, or ``alt(frame=..., **values)`` where it takes ``frame``
        (what ``Explorer.frame`` returns).
    x : (n,) increasing numbers, for ``"lines"`` (required) and the columns of ``"heatmap"`` (numbers or names)
    y : the rows of ``"heatmap"``, numbers or names, from the top
    series : dict name -> kind
        ``"lines"``: ``"line"`` (default), ``"points"``, ``"band"``; ``"roc"``, ``"pareto"``: ``"points"`` (default), ``"line"``,
        ``"polygon"``. Of several series of points the first is drawn large and open, the next smaller on top, so that equal points all
        show.
    view : "lines", "roc", "table", "pareto" or "heatmap"
    x_label, y_label, z_label : str
        Names of the axes; ``z_label`` what the cells of a heat map hold.
    start : dict name -> value
        Where the sliders stand first; a slider left out starts at its first value.
    question : str
        What the reader should find out with the figure.
    log_x, log_y : bool
    x_range, y_range : (low, high)
        The range drawn, instead of the range of all frames. For ``"heatmap"``, ``y_range`` is the range of the cells.
    digits : int
        Decimals in tables, 0 to 8.
    labels : dict slider name -> text
        What stands beside a slider, instead of its name.
    colors : dict name -> name
        A series that takes the colour of another, of another kind: ``{"group 0 is put at": "group 0 can reach"}``.

    Raises
    ------
    ValueError
        For an argument that does not fit, when made; for a result of ``fn`` or ``alt`` that does not fit, when shown or on
        ``frame``, naming the slider values.

    Notes
    -----
    The player keeps numbers to a decimal step of at most 1/2000 of the axis (1/200 for heat maps), on a log axis to three digits
    and to 1/10000 of the logarithm, tables to ``digits``. ``frame`` is exact.

    Examples
    --------
    >>> import numpy as np
    >>> def density(x, epsilon):
    ...     return {"Laplace": epsilon / 2 * np.exp(-epsilon * np.abs(x))}
    >>> figure = Explorer(density, x=np.linspace(-5, 5, 41), sliders={"epsilon": [0.5, 1, 2]}, title="Laplace noise",
    ...                   alt=lambda epsilon: f"At epsilon {epsilon} the density at 0 is {epsilon / 2}.")
    >>> figure
    Laplace noise. At epsilon 0.5 the density at 0 is 0.25.
    >>> float(figure.frame(epsilon=2)["Laplace"][20])
    1.0
    """

    def __init__(self, fn: Callable, *, sliders: Mapping[str, Sequence], title: str, alt: str | Callable[..., str],
                 x: Sequence | None = None, y: Sequence | None = None, series: Mapping[str, str] | None = None, view: views.View = "lines",
                 x_label: str = "", y_label: str = "", z_label: str = "", start: Mapping[str, Any] | None = None, question: str = "",
                 log_x: bool = False, log_y: bool = False, x_range: tuple[float, float] | None = None,
                 y_range: tuple[float, float] | None = None, digits: int = 3, labels: Mapping[str, str] | None = None,
                 colors: Mapping[str, str] | None = None) -> None:
        if not callable(fn):
            refuse("fn", fn, "not callable", "Give a function of the slider values.")
        self.fn = fn
        self.view = choice("view", view, views.VIEWS)
        self.sliders = slider_grid(sliders)
        self.title, self.question = text("title", title), text("question", question, empty=True)
        if not callable(alt):
            text("alt", alt)
        self.alt = alt
        self.x_label, self.y_label = text("x_label", x_label, empty=True), text("y_label", y_label, empty=True)
        self.z_label = text("z_label", z_label, empty=True)
        for name, flag in (("log_x", log_x), ("log_y", log_y)):
            if not isinstance(flag, (bool, np.bool_)):
                refuse(name, flag, "not True or False", "Give True for a logarithmic axis.")
        self.log_x, self.log_y = bool(log_x), bool(log_y)
        self.digits = integer("digits", digits, low=0, high=8)
        self.x_range, self.y_range = span("x_range", x_range, self.log_x), span("y_range", y_range, self.log_y)
        for name, value, without in (("log_x", log_x, ("roc", "table", "heatmap")), ("log_y", log_y, ("roc", "table")),
                                     ("x_range", x_range, ("table", "heatmap")), ("y_range", y_range, ("table",)),
                                     ("x_label", x_label, ("table",)), ("y_label", y_label, ("table",)),
                                     ("z_label", z_label, ("lines", "roc", "pareto", "table"))):
            if view in without and value not in (False, None, ""):
                refuse(name, value, f'view "{view}" has no use for it', f"Leave {name} out.")
        self.x, self.y = self._positions("x", x), self._positions("y", y)
        self.series = named("series", series)
        for name, kind in self.series.items():
            if not views.KINDS[view]:
                refuse("series", series, f'view "{view}" has no series', "Leave series out.")
            choice(f"series[{name!r}]", kind, views.KINDS[view])
        self.colors = named("colors", colors)
        for name, like in self.colors.items():
            if not views.KINDS[view]:
                refuse("colors", colors, f'view "{view}" has no series', "Leave colors out.")
            if not isinstance(like, str) or like == name or like in self.colors:
                refuse(f"colors[{name!r}]", like, "not the name of another series that has a colour of its own",
                       'Give {"series": "the series whose colour it takes"}.')
        self.labels = named("labels", labels)
        for name, value in self.labels.items():
            if name not in self.sliders:
                refuse("labels", name, "no slider has that name", f"Choose from {', '.join(self.sliders)}.")
            text(f"labels[{name!r}]", value)
        self.start = {name: grid[0] for name, grid in self.sliders.items()}
        for name, value in named("start", start).items():
            self.start[name] = self.sliders[name][self._index(name, value, "start")] if name in self.sliders else refuse(
                "start", name, "no slider has that name", f"Choose from {', '.join(self.sliders)}.")
        self._frames: list | None = None
        self._widget = None

    # -- frames ------------------------------------------------------------------------------------------------------------

    def frame(self, /, **values: Any) -> Any:
        """What ``fn`` returns at slider ``values`` (any left out: where the slider starts), checked and exact.

        A dict of arrays, a ``Table`` (``rows``, ``columns``, ``values``) or a 2-d array; every value must lie on its slider's grid.
        """
        for name in values:
            if name not in self.sliders:
                refuse("values", name, "no slider has that name", f"Choose from {', '.join(self.sliders)}.")
        return self._call({name: grid[self._index(name, values[name], "values")] if name in values else self.start[name]
                           for name, grid in self.sliders.items()})

    def sentence(self, /, **values: Any) -> str:
        """The text alternative of the frame at slider ``values``."""
        frame = self.frame(**values)
        return self._sentence({**self.start, **values}, frame)

    def grid(self) -> list[dict]:
        """Slider values of all frames, the last slider moving fastest."""
        return [dict(zip(self.sliders, point, strict=True)) for point in itertools.product(*self.sliders.values())]

    def _call(self, values: dict) -> Any:
        where = ", ".join(f"{name} = {shown_value(value)}" for name, value in values.items())
        try:
            result = self.fn(*self._positional(), **values)
        except Exception as error:
            raise raised("fn", where, error, "Make fn work there, or leave that slider value out of the grid.") from cause(error)
        frame = views.canonical(result, self.view, where, x=self.x, kinds=self.series)
        for argument, names in (("series", self.series), ("colors", [*self.colors, *self.colors.values()])):
            for name in names:
                if name not in frame:
                    raise ValueError(f"{argument}={name!r}: fn at {where} returned no such series. It returned {', '.join(frame)}.")
        for letter, log, drawn in zip("xy", (self.log_x, self.log_y), self._drawn(frame), strict=True):
            if log and any((v <= 0).any() for v in drawn):
                raise ValueError(f"fn at {where}: 0 or a negative number on a logarithmic {letter} axis. Leave log_{letter} out.")
            if not log and any((abs(v) > views.LARGEST).any() for v in drawn):
                raise ValueError(f"fn at {where}: a number beyond {views.LARGEST:g} on a linear {letter} axis. "
                                 f"Set log_{letter}=True or rescale.")
        return frame

    def _drawn(self, frame: Any) -> tuple[list, list]:
        """The numbers of a frame that its x axis and its y axis show."""
        if self.view == "table":
            return [], []
        if self.view == "heatmap":
            return [], [frame]
        if self.view == "lines":
            return [self.x], list(frame.values())
        return [v[:, 0] for v in frame.values()], [v[:, 1] for v in frame.values()]

    def _positional(self) -> list:
        """``x`` and ``y``, as far as ``fn`` takes them before the sliders."""
        given = [v for v in (self.x, self.y) if v is not None]
        while given:
            try:
                inspect.signature(self.fn).bind(*given, **self.start)
                break
            except (TypeError, ValueError):
                given.pop()
        return given

    def _sentence(self, values: dict, frame: Any) -> str:
        if not callable(self.alt):
            return self.alt
        where = ", ".join(f"{name} = {shown_value(value)}" for name, value in values.items())
        try:
            wants = "frame" in inspect.signature(self.alt).parameters and "frame" not in self.sliders
        except (TypeError, ValueError):
            wants = False
        try:
            sentence = self.alt(frame=frame, **values) if wants else self.alt(**values)
        except Exception as error:
            raise raised("alt", where, error, "Make alt take every slider by name.") from cause(error)
        if not isinstance(sentence, str) or not sentence.strip() or not writable(sentence):
            raise ValueError(f"alt at {where}: returned {sentence!r}, not a sentence. Say what the frame shows.")
        return sentence

    def _all(self) -> list[tuple[Any, str]]:
        """Every frame and its sentence, once."""
        if self._frames is None:
            frames: list[tuple[Any, str]] = []
            count = 0
            for values in self.grid():
                frame = self._call(values)
                if frames:
                    views.same_shape(frames[0][0], frame, ", ".join(f"{n} = {shown_value(v)}" for n, v in values.items()))
                parts = frame.values() if isinstance(frame, dict) else [frame.values if self.view == "table" else frame]
                count += sum(part.size for part in parts)
                if count > MOST_NUMBERS:
                    refuse("sliders", len(self.grid()), f"the frames hold over {MOST_NUMBERS:,} numbers",
                           "Coarsen the sliders or give fewer points a curve.")
                frames.append((frame, self._sentence(values, frame)))
            self._frames = frames
        return self._frames

    # -- arguments ---------------------------------------------------------------------------------------------------------

    def _index(self, name: str, value: Any, argument: str) -> int:
        for i, known in enumerate(self.sliders[name]):
            if type(value) in (int, float, str, bool) or isinstance(value, np.generic):
                close = isinstance(known, float) and isinstance(value, Real) and abs(known - float(value)) <= 1e-12 * abs(known)
                if known == value or close:
                    return i
        refuse(f"{argument}[{name!r}]", value, "not on that slider's grid",
               f"Choose one of {', '.join(map(shown_value, self.sliders[name]))}.")

    def _positions(self, name: str, value: Any) -> Any:
        """``x`` of lines as increasing numbers; ``x``, ``y`` of a heat map as numbers or names."""
        needed = self.view == "lines" and name == "x"
        allowed = needed or self.view == "heatmap"
        if value is None:
            if needed:
                refuse("x", None, 'view "lines" needs the places where fn is drawn', "Give x as increasing numbers.")
            return None
        if not allowed:
            refuse(name, value, f'view "{self.view}" takes no {name}', f"Leave {name} out.")
        if self.view == "heatmap" and isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value):
            return tuple(value)
        values = array(name, value, ndim=1)
        if values.size < (2 if needed else 1) or ((np.diff(values) <= 0).any() and needed):
            refuse(name, value, "not increasing numbers", "Give at least two numbers, each above the one before.")
        if needed and self.log_x and values[0] <= 0:
            refuse(name, float(values[0]), "0 or negative on a logarithmic axis", "Give positive x, or leave log_x out.")
        return values

    # -- showing -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _chart(self) -> Chart:
        """What the frames have in common: axes over all of them, series, names."""
        frames = [frame for frame, _ in self._all()]
        first = frames[0]
        common: dict[str, Any] = {"view": self.view, "x_label": self.x_label, "y_label": self.y_label, "digits": self.digits}
        if self.view == "table":
            return Chart(**common | _NO_AXES, start=frames[self._start_index()])
        if self.view == "heatmap":
            axis = Axis.over(np.concatenate([f.ravel() for f in frames]), log=self.log_y, given=self.y_range, levels=200, pad=0)
            rows, columns = self._names("y", self.y, first.shape[0]), self._names("x", self.x, first.shape[1])
            return Chart(**common | _NO_AXES | {"y": axis}, rows=rows, columns=columns, z_label=self.z_label)
        kinds = tuple((name, self.series.get(name, views.KINDS[self.view][0])) for name in first)
        if self.view == "lines":
            all_x, all_y = self.x, np.concatenate([v.ravel() for f in frames for v in f.values()])
        else:
            all_x, all_y = (np.concatenate([v[:, i] for f in frames for v in f.values()]) for i in (0, 1))
        x_range, y_range = self.x_range, self.y_range
        if self.view == "lines" and x_range is None:
            x_range = (float(self.x[0]), float(self.x[-1]))
        if self.view == "roc":
            x_range, y_range = x_range or (-0.02, 1.02), y_range or (-0.02, 1.02)
            common["x_label"], common["y_label"] = self.x_label or "false positive rate", self.y_label or "true positive rate"
        x = Axis.over(all_x, log=self.log_x, given=x_range)
        y = Axis.over(all_y, log=self.log_y, given=y_range)
        tight = 1e-9
        outside = any(s.min(initial=a.low) < a.low - tight or s.max(initial=a.high) > a.high + tight
                      for a, v in ((x, all_x), (y, all_y)) for s in [np.log10(v) if a.log else v])
        return Chart(**common, x=x, y=y, series=kinds, slots=self._slots(dict(kinds)),
                     at=x.keep(self.x) if self.view == "lines" else None, clip=bool(outside),
                     said=tuple(x.says(self.x[i]) for i in drawing.shown_rows(len(self.x))) if self.view == "lines" else ())

    def _slots(self, kinds: dict[str, str]) -> tuple[int, ...]:
        """The place of each series among colours, dashes and markers: its own, in order, or that of the series it is to look like."""
        own = {name: i for i, name in enumerate(name for name in kinds if name not in self.colors)}
        taken = {(slot, kinds[name]) for name, slot in own.items()}
        for name, like in self.colors.items():
            if (own[like], kinds[name]) in taken:
                refuse(f"colors[{name!r}]", like, f"another series of kind {kinds[name]!r} has that colour: nothing would tell them apart",
                       "Share a colour between different kinds.")
            taken.add((own[like], kinds[name]))
        return tuple(own[self.colors.get(name, name)] for name in kinds)

    def _names(self, name: str, given: Any, n: int) -> tuple[str, ...]:
        names = tuple(str(i) for i in range(n)) if given is None else given if isinstance(given, tuple) else tuple(shown(v) for v in given)
        if len(names) != n:
            refuse(name, len(names), f"fn returns {n} {'rows' if name == 'y' else 'columns'}", f"Give one {name} for each.")
        return names

    def _start_index(self) -> int:
        at = 0
        for name, grid in self.sliders.items():
            at = at * len(grid) + grid.index(self.start[name])
        return at

    def _slider_texts(self) -> list[tuple[str, list[str], int]]:
        return [(self.labels.get(name, name.replace("_", " ")), [shown_value(v) for v in grid], grid.index(self.start[name]))
                for name, grid in self.sliders.items()]

    def _data(self, chart: Chart) -> dict:
        """What the player needs, JSON-ready (``player.js`` reads these keys)."""
        frames = [frame for frame, _ in self._all()]
        sliders = self._slider_texts()
        data: dict = {"view": self.view, "title": self.title, "n": [len(texts) for _, texts, _ in sliders],
                      "v": [texts for _, texts, _ in sliders],
                      "k": [name for name, _, _ in sliders], **pack_sentences([sentence for _, sentence in self._all()])}
        if self.view == "table":
            found: dict[str, int] = {}
            kept = [np.array([found.setdefault(c, len(found)) for c in drawing.cells(f, self.digits)], dtype=np.int64) for f in frames]
            data |= {"u": list(found), "start": self._start_index()}
        else:
            kept = [drawing.whole(chart, f) for f in frames]
            data |= {"Y": axis_data(chart.y)}
        if self.view == "heatmap":
            data |= {"rows": chart.rows, "columns": chart.columns}
        elif self.view != "table":
            _, _, width, height = chart.box
            series: list[dict] = [{"name": name, "kind": kind} for name, kind in chart.series]
            for i, one in enumerate(series):
                if one["kind"] == "points":
                    one["dx"], one["dy"], one["tail"] = drawing.marker(chart, i)
            data |= {"X": axis_data(chart.x), "w": 10 * width, "h": 10 * height, "S": series}
            if self.view == "lines":
                data |= {"x": chart.at.tolist(), "r": drawing.shown_rows(len(chart.at)), "rx": chart.said}
            else:
                counts = [np.array([len(f[name]) for name, _ in chart.series], dtype=np.int64) for f in frames]
                data["c"] = counts[0].tolist() if all((c == counts[0]).all() for c in counts) else pack(counts)
        data |= {"size": int(kept[0].size), "p": pack(kept)}
        if len(data["p"]["q"]) > MOST_CHARACTERS:
            refuse("sliders", len(frames), f"the frames take {len(data['p']['q']):,} characters of a page, more than {MOST_CHARACTERS:,}",
                   "Coarsen the sliders, give fewer points a curve, or smooth Monte-Carlo noise.")
        return data

    def html(self) -> str:
        """The self-contained player, deterministic."""
        chart = self._chart
        frame, sentence = self._all()[self._start_index()]
        return page.player(chart, frame, self.title, self.question, sentence, self._slider_texts(), self._data(chart))

    def still(self, /, **values: Any) -> str:
        """HTML of the single frame at slider ``values``, computed afresh, without sliders."""
        frame = self.frame(**values)
        values = {**self.start, **values}
        return page.still(self._chart, frame, self.title, self.question, self._sentence(values, frame))

    def png(self) -> bytes:
        """The starting frame as an image, for print."""
        from .image import png
        return png(self._chart, self._all()[self._start_index()][0], self.title)

    @property
    def widget(self) -> Any:
        """The live figure: an ipywidgets box of ``SelectionSlider`` and an ``HTML`` picture."""
        if self._widget is None:
            from .live import widget
            self._widget = widget(self)
        return self._widget

    def __repr__(self) -> str:
        return f"{self.title}. {self.sentence()}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        """Player, image and sentence; before a kernel with a front end also the widget."""
        from base64 import b64encode
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html(), "image/png": b64encode(self.png()).decode()}
        from .live import has_kernel
        if has_kernel():
            bundle["application/vnd.jupyter.widget-view+json"] = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return bundle, {}


def axis_data(axis: Axis) -> dict:
    """An axis as the player reads it."""
    return {"lo": axis.low, "hi": axis.high, "k": axis.decimals, "log": int(axis.log)}
