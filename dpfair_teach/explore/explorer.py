"""One interactive figure with two lives: a player inside a page, and widgets in front of a running kernel."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from .._checks import refuse
from . import controls, schema
from .arguments import cause, raised, text, writable
from .chart import Chart, chart_of
from .controls import Control, Offered, where_of
from .drawing import Over
from .html import Picture, Shown, player_html, still_html, titled
from .panel import Frames, Panel, taken_by
from .people import People
from .reader import spots

__all__ = ["Explorer"]


class Explorer:
    """A figure whose controls call a library function.

    One frame for every setting is computed and carried along, so that the controls work where no Python runs. In front of a running kernel
    they are ipywidgets and call ``fn`` afresh.

    Source: none in the papers.

    Parameters
    ----------
    fn : callable, or a list of Panel and of lists of Panel
        A function is drawn as one picture, as :class:`Panel` says. Pictures that share a control are panels of one figure, beside each
        other where they fit; a list inside the list is a column.
    title : str
        What the figure shows.
    alt : str or callable
        The sentence that says what the current frame shows: ``alt(**values)`` of those controls that it takes by name, or
        ``alt(frame=..., **values)`` where it takes ``frame`` (what ``Explorer.frame`` returns).
    sliders : dict name -> grid of numbers, of texts, or [False, True]
        Numbers get a slider, texts buttons to choose from (at most 24), True and False a checkbox. With ``people``, at most 8,192 settings.
    people : People, optional
        A row of people above the figure, one of whom a click puts into the other group; ``fn`` and ``alt`` get the groups as ``A``.
    start : dict name -> value
        Where the controls stand first; one left out starts at its first value.
    question : str
        What the reader should find out with the figure.
    labels : dict slider name -> text
        What stands beside a slider, instead of its name.
    play : str
        A slider of at least three numbers, which gets buttons to play, pause and step. It never starts by itself.
    offered : callable, optional
        ``offered(**values)`` is False where there is nothing to show: such a setting is not computed and cannot be chosen.
    picture : the other arguments of :class:`Panel`
        For a figure of one picture.

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

    def __init__(self, fn: Callable | Sequence[Panel | Sequence[Panel]], *, title: str, alt: str | Callable[..., str],
                 sliders: Mapping[str, Sequence] | None = None, people: People | None = None, start: Mapping[str, Any] | None = None,
                 question: str = "", labels: Mapping[str, str] | None = None, play: str = "", offered: Callable[..., bool] | None = None,
                 **picture: Any) -> None:
        self.columns = columns_of(fn, picture)
        self.panels = tuple(panel for column in self.columns for panel in column)
        self.title, self.question = text("title", title), text("question", question, empty=True)
        if not callable(alt):
            text("alt", alt)
        self.alt = alt
        self.people = people
        self.controls = controls.read(sliders, people, labels, start)
        self.offered = Offered.read(offered, self.controls)
        if tuple(control.start for control in self.controls.values()) not in self.offered:
            refuse("start", start, "this setting is not offered", "Give a start for each slider, at a setting that is.")
        self.sliders = {name: control.grid for name, control in self.controls.items()}
        self.start = {name: control.grid[control.start] for name, control in self.controls.items()}
        self.play = self._read_play(play)
        asking = [panel.guess for panel in self.panels if panel.guess]
        if len(asking) > 1:
            refuse("guess", asking, "two panels ask for a guess", "Ask for one at a time.")
        self._refuse_idle()
        self._widget = None

    def _read_play(self, play: str) -> str:
        """The control whose values pass by themselves."""
        fit = [name for name, control in self.controls.items() if control.kind == "range" and len(control.grid) >= 3]
        if text("play", play, empty=True) and play not in fit:
            refuse("play", play, "not the name of a slider with at least three numbers", f"Choose from {', '.join(fit) or 'none'}.")
        return play

    def _refuse_idle(self) -> None:
        """A control that nothing takes would move nothing: fn is then called wrongly, which says more."""
        taken = {name for panel in self.panels for name in panel.takes(self.controls)}
        for name in self.controls:
            if name not in taken and len(self.panels) > 1:
                refuse("sliders", name, "no panel takes an argument of that name", "Leave the slider out, or name an argument of a fn so.")

    # -- frames ------------------------------------------------------------------------------------------------------------

    def frame(self, /, **values: Any) -> Any:
        """What ``fn`` returns at slider ``values`` (any left out: where the slider starts), checked and exact.

        A dict of arrays, a ``TableFrame`` (``rows``, ``columns``, ``values``); of several panels a dict from their names to
        these. Every value must lie on its slider's grid.
        """
        full = self._full(values)
        frames = [panel.call({name: full[name] for name in self._on(panel)}) for panel in self.panels]
        return frames[0] if len(frames) == 1 else {panel.name: frame for panel, frame in zip(self.panels, frames, strict=True)}

    def sentence(self, /, **values: Any) -> str:
        """The text alternative of the frame at slider ``values``."""
        full = self._full(values)
        return sentence_at(self.alt, self.controls, full, lambda: self.frame(**full))

    def grid(self) -> list[dict]:
        """Slider values of all frames, the last slider moving fastest."""
        return [{name: grid[at] for (name, grid), at in zip(self.sliders.items(), places, strict=True)}
                for places in self.offered.settings]

    def _full(self, values: dict) -> dict:
        """A value for every control: the one given, as it stands on the grid, or the start."""
        for name in values:
            if name not in self.controls:
                refuse("values", name, "no slider has that name", f"Choose from {', '.join(self.controls)}.")
        full = {name: control.grid[control.index(values[name], "values")] if name in values else self.start[name]
                for name, control in self.controls.items()}
        if tuple(self.controls[name].places[value] for name, value in full.items()) not in self.offered:
            refuse("values", full, "this setting is not offered", "Choose one that is: Explorer.grid() lists them.")
        return full

    def _on(self, panel: Panel) -> tuple[str, ...]:
        """The controls of a panel: those that its fn takes, and of a figure with one picture all, so that a misspelt one is named."""
        return panel.takes(self.controls) if len(self.panels) > 1 else tuple(self.controls)

    @cached_property
    def _frames(self) -> list[Frames]:
        """Every frame of every panel, once."""
        return [panel.frames({name: self.controls[name] for name in self._on(panel)}, self._wanted(self._on(panel)))
                for panel in self.panels]

    def _wanted(self, on: tuple[str, ...]) -> set[tuple] | None:
        """The values of the controls ``on`` at the settings that are offered; None for all."""
        return None if self.offered.whole else {tuple(values[name] for name in on) for values in self.grid()}

    def _number(self, frames: Frames, values: dict) -> int:
        """Which of the distinct frames stands at ``values``."""
        at = 0
        for name in frames.on:
            at = at * len(self.controls[name].grid) + self.controls[name].places[values[name]]
        return int(frames.index[at])

    def _frames_at(self, values: dict) -> list:
        """The frame of each panel at ``values``, from those that are held."""
        return [frames.distinct[self._number(frames, values)] for frames in self._frames]

    @cached_property
    def _sentences(self) -> tuple[tuple[str, ...], list[str]]:
        """The controls that the sentence follows, and the sentence at every point of their grid."""
        def frame(values: dict) -> Any:
            found = self._frames_at(values)
            return found[0] if len(found) == 1 else {panel.name: f for panel, f in zip(self.panels, found, strict=True)}
        return all_sentences(self.alt, self.controls, self.grid(), frame)

    # -- showing -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _charts(self) -> list[Chart]:
        return [chart_of(panel, frames.distinct, frames.distinct[self._number(frames, self.start)])
                for panel, frames in zip(self.panels, self._frames, strict=True)]

    def _shown(self, values: dict, frames: list) -> Shown:
        """The figure at ``values``, ready to be written as HTML."""
        pictures = [Picture(drawn, frame, panel.name, panel.share)
                    for drawn, frame, panel in zip(self._charts, frames, self.panels, strict=True)]
        columns = [len(column) for column in self.columns]
        return Shown(self.title, self.question, self.sentence(**values), pictures, columns, list(self.controls.values()), values,
                          self.play, next((panel.asks() for panel in self.panels if panel.guess), ""), max(map(len, self._sentences[1])))

    def html(self) -> str:
        """The self-contained player, deterministic."""
        return player_html(self._shown(self.start, self._frames_at(self.start)), schema.of_figure(self))

    def still(self, /, **values: Any) -> str:
        """HTML of the single frame at slider ``values``, computed afresh, without sliders."""
        return still_html(self._afresh(values))

    def _afresh(self, values: dict) -> Shown:
        """The figure at slider ``values``, from new calls, with its values to read."""
        full = self._full(values)
        frame = self.frame(**full)
        shown = self._shown(full, [frame] if len(self.panels) == 1 else list(frame.values()))
        return replace(shown, pictures=[replace(one, over=Over(tuple(spots(one.chart, one.frame)))) for one in shown.pictures])

    def png(self) -> bytes:
        """The starting frame as an image, for print."""
        from .image import png
        return png(self._shown(self.start, self._frames_at(self.start)))

    @property
    def widget(self) -> Any:
        """The live figure: an ipywidgets box of controls and an ``HTML`` picture."""
        if self._widget is None:
            from .widget import widget
            self._widget = widget(self)
        return self._widget

    def __repr__(self) -> str:
        return titled(self.title, self.sentence())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        """Player, image and sentence; before a kernel with a front end also the widget."""
        from base64 import b64encode
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html(), "image/png": b64encode(self.png()).decode()}
        from .widget import has_kernel
        if has_kernel():
            bundle["application/vnd.jupyter.widget-view+json"] = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return bundle, {}


def columns_of(fn: Any, given: dict[str, Any]) -> tuple[tuple[Panel, ...], ...]:
    """The panels of a figure, those of one column together: those of a list, or the one that a function and its arguments describe."""
    if not isinstance(fn, (list, tuple)):
        return ((Panel(fn, **given),),)
    columns = tuple(tuple(one) if isinstance(one, (list, tuple)) else (one,) for one in fn)
    panels = [panel for column in columns for panel in column]
    if not all(columns) or not panels or not all(isinstance(panel, Panel) for panel in panels):
        refuse("fn", fn, "neither a function nor a list of panels", "Give a function of the slider values, or [Panel(...), ...].")
    for name, value in given.items():
        refuse(name, value, "it describes one picture, and there are several panels", f"Give {name} to the Panel that it is for.")
    names = [panel.name for panel in panels]
    if len(panels) > 1 and (len(set(names)) < len(names) or not all(names)):
        refuse("fn", names, "panels without a name, or two of one name", "Give each Panel a name of its own.")
    return columns


# --- the sentence under a figure ---------------------------------------------------------------------------------------------

def controls_of(alt: str | Callable[..., str], controls: Mapping[str, Control]) -> tuple[str, ...]:
    """The controls on which the sentence depends: those that ``alt`` takes by name, or all where it reads the frame or takes none."""
    if not callable(alt):
        return ()
    names = taken_by(alt, controls, extra=() if "frame" in controls else ("frame",))
    return tuple(controls) if "frame" in names or not names else names


def sentence_at(alt: str | Callable[..., str], controls: Mapping[str, Control], values: dict, frame: Callable[[], Any]) -> str:
    """The sentence at ``values`` of all controls; ``frame`` gives the frame there, where ``alt`` wants it."""
    if not callable(alt):
        return alt
    where = where_of(values)
    wants = "frame" not in controls and "frame" in taken_by(alt, controls, extra=("frame",))
    given = {name: values[name] for name in controls_of(alt, controls)} if not wants else values
    try:
        sentence = alt(frame=frame(), **given) if wants else alt(**given)
    except Exception as error:
        raise raised("alt", where, error, "Make alt take every slider by name.") from cause(error)
    if not isinstance(sentence, str) or not sentence.strip() or not writable(sentence):
        raise ValueError(f"alt at {where}: returned {sentence!r}, not a sentence. Say what the frame shows.")
    return sentence


def all_sentences(alt: str | Callable[..., str], controls: Mapping[str, Control], grid: list[dict],
                  frame: Callable[[dict], Any]) -> tuple[tuple[str, ...], list[str]]:
    """The controls that the sentence follows, and the sentence at every point of their grid; "" where no setting of ``grid`` is there."""
    on = controls_of(alt, controls)
    settings: dict[tuple, dict] = {}
    for values in grid:
        settings.setdefault(tuple(values[name] for name in on), values)
    said = []
    for point in itertools.product(*(controls[name].grid for name in on)):
        if point in settings:
            said.append(sentence_at(alt, controls, settings[point], partial(frame, settings[point])))
        else:
            said.append("")
    return on, said
