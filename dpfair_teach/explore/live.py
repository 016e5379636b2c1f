"""The live figure: ipywidgets that call the library function as a slider moves."""
from __future__ import annotations

from html import escape
from typing import Any

from .controls import Control

__all__: list[str] = []


def has_kernel() -> bool:
    """Whether a Jupyter kernel is running this code: only then can a widget reach a front end."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def widget(explorer: Any) -> Any:
    """A widget for each control above one HTML picture, so that text alternatives survive and no output area is captured."""
    import ipywidgets as widgets
    inputs = [Person(c) if c.people else Input(c, plays=c.name == explorer.play) for c in explorer.controls.values()]
    picture = widgets.HTML(explorer.still())
    settling = False

    def draw(_: Any) -> None:
        nonlocal settling
        if settling:
            return
        settling = True
        settle(explorer, inputs)
        settling = False
        try:
            picture.value = explorer.still(**{one.control.name: one.value() for one in inputs})
        except ValueError as error:     # a kernel callback has no cell to show its error in: the figure's place shows it
            picture.value = f'<p role="alert">{escape(str(error))}</p>'

    settle(explorer, inputs)
    for one in inputs:
        one.observe(draw)
    row = widgets.Box([one.box for one in inputs], layout={"flex_flow": "row wrap", "max_width": "46rem"})
    return widgets.VBox([row, picture])


def settle(explorer: Any, inputs: list[Any]) -> None:
    """Each control offers what goes with those before it, and stands at the nearest."""
    if explorer.offered.whole:
        return
    places = explorer.offered.nearest(tuple(one.control.places[one.value()] for one in inputs))
    for k, one in enumerate(inputs):
        one.offer(explorer.offered.allowed(places, k), places[k])


class Input:
    """A slider for numbers, buttons for names, a checkbox for yes and no."""

    def __init__(self, control: Control, *, plays: bool = False) -> None:
        import ipywidgets as widgets
        self.control = control
        options = {"options": list(zip(control.texts, control.grid, strict=True)), "index": control.start, "description": control.label,
                   "style": {"description_width": "initial"}, "layout": {"width": "auto"}}
        if control.kind == "flag":
            self.widget = widgets.Checkbox(value=control.grid[control.start], description=control.label, indent=False)
            self.box = self.widget
        elif control.kind == "names":
            options["style"] = {"description_width": "initial", "button_width": "auto"}
            self.widget = widgets.ToggleButtons(**options)
            self.box = widgets.VBox([self.widget], layout={"flex": "1 1 100%"})
        else:
            self.widget = widgets.SelectionSlider(**options, continuous_update=True, readout=False)
            self.box = with_value(self.widget)
            if plays:
                clock = widgets.Play(min=0, max=len(control.grid) - 1, value=control.start, interval=400, show_repeat=False)
                widgets.jslink((clock, "value"), (self.widget, "index"))
                self.box = widgets.HBox([clock, self.box])

    def value(self) -> Any:
        return self.widget.value

    def offer(self, allowed: list[int], at: int) -> None:
        """Leave only what is offered, and stand at one of it."""
        if self.control.kind == "flag":
            self.widget.disabled = len(allowed) < 2
        else:
            options = tuple((self.control.texts[i], self.control.grid[i]) for i in allowed)
            if tuple(self.widget.options) != options:
                self.widget.options = options
        self.widget.value = self.control.grid[at]

    def observe(self, draw: Any) -> None:
        self.widget.observe(draw, "value")


class Person:
    """A button for each of the people; pressed means that the bit is not the one at the start."""

    def __init__(self, control: Control) -> None:
        import ipywidgets as widgets
        assert control.people is not None
        self.control, self.begin = control, control.people.start
        at = control.grid[control.start]
        self.buttons = [widgets.ToggleButton(value=bit != before, description=name, layout={"width": "auto"})
                        for name, bit, before in zip(control.people.names, at, self.begin, strict=True)]
        row = widgets.Box(self.buttons, layout={"flex_flow": "row wrap"})
        self.box = widgets.VBox([widgets.HTML(escape(control.label)), row], layout={"flex": "1 1 100%"})

    def value(self) -> tuple[int, ...]:
        return tuple(bit ^ int(button.value) for bit, button in zip(self.begin, self.buttons, strict=True))

    def observe(self, draw: Any) -> None:
        for button in self.buttons:
            button.observe(draw, "value")


def with_value(slider: Any) -> Any:
    """The slider, and below it the value at which it stands.

    ipywidgets cuts what stands beside a slider off at a few characters, so its value stands below it, in full. To a screen reader
    ipywidgets tells the position of a ``SelectionSlider``, not its value, and offers no way to change that; the sentence of the
    picture says what is shown.
    """
    import ipywidgets as widgets
    value = widgets.HTML(bold(slider.label), layout={"width": "auto"})
    slider.observe(lambda change: setattr(value, "value", bold(change["new"])), "label")
    return widgets.VBox([slider, value], layout={"flex": "1 1 18em", "padding": "0 1em 0 0"})


def bold(text: str) -> str:
    return f"<b>{escape(text)}</b>"
