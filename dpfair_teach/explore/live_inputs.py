"""The widgets that a live figure is moved by: sliders, buttons, checkboxes, people, and the handles of a guess."""
from __future__ import annotations

import math
from html import escape
from typing import Any

from .axes import Axis
from .controls import Control
from .guessing import STEP

__all__: list[str] = []

WIDE = {"description_width": "initial"}


class Input:
    """A slider for numbers, buttons for names, a checkbox for yes and no; with a clock and a step where it plays."""

    def __init__(self, control: Control, *, plays: bool = False) -> None:
        import ipywidgets as widgets
        self.control = control
        self.only = self.waits = False
        options = {"options": list(zip(control.texts, control.grid, strict=True)), "index": control.start, "description": control.label,
                   "style": WIDE, "layout": {"width": "auto"}}
        self.parts: list[Any] = []
        if control.kind == "flag":
            self.widget = widgets.Checkbox(value=control.grid[control.start], description=control.label, indent=False)
            self.box = self.widget
        elif control.kind == "names":
            options["style"] = WIDE | {"button_width": "auto"}
            self.widget = widgets.ToggleButtons(**options)
            self.box = widgets.VBox([self.widget], layout={"flex": "1 1 100%"})
        else:
            self.widget = widgets.SelectionSlider(**options, continuous_update=True, readout=False)
            self.box = with_value(self.widget)
            if plays:
                self.box = widgets.HBox([*self._clock(), self.box], layout={"align_items": "center", "flex": "1 1 28em"})

    def _clock(self) -> list[Any]:
        """To play, to pause, to step. It never starts by itself."""
        import ipywidgets as widgets
        last = len(self.control.grid) - 1
        clock = widgets.Play(min=0, max=last, value=self.control.start, interval=min(max(6000 // last, 60), 600), show_repeat=False)
        widgets.jslink((clock, "value"), (self.widget, "index"))
        step = widgets.Button(description="Step", layout={"flex": "none", "width": "4.5rem"})

        def one(_: Any) -> None:
            clock.playing = False
            self.widget.index = min(self.widget.index + 1, len(self.widget.options) - 1)

        step.on_click(one)
        self.parts = [clock, step]
        return self.parts

    def value(self) -> Any:
        return self.widget.value

    def offer(self, allowed: list[int], at: int) -> None:
        """Leave only what is offered, and stand at one of it."""
        if self.control.kind == "flag":
            self.only = len(allowed) < 2
            self.wait(self.waits)
        else:
            options = tuple((self.control.texts[i], self.control.grid[i]) for i in allowed)
            if tuple(self.widget.options) != options:
                self.widget.options = options
                for clock in self.parts[:1]:
                    clock.max = len(options) - 1
        self.widget.value = self.control.grid[at]

    def wait(self, waits: bool) -> None:
        """Whether the figure first wants an answer."""
        self.waits = waits
        self.widget.disabled = waits or self.only
        for part in self.parts:
            part.disabled = waits
        for clock in self.parts[:1]:
            clock.playing = clock.playing and not waits

    def observe(self, draw: Any) -> None:
        self.widget.observe(draw, "value")


class Person:
    """A button for each of the people, in the order of the picture; pressed means that the bit is not the one at the start.

    A button says what the player says of its person: the front end tells a screen reader the words on it, and not whether it is pressed.
    So it has no icon either, which would be read as a letter. People of group 0 stand on the left, those of group 1 on the right.
    """

    def __init__(self, control: Control) -> None:
        import ipywidgets as widgets
        assert control.people is not None
        self.control, self.people, self.begin = control, control.people, control.people.start
        at = control.grid[control.start]
        self.buttons = [widgets.ToggleButton(value=bit != before, layout={"width": "auto"})
                        for bit, before in zip(at, self.begin, strict=True)]
        row = widgets.GridBox([self.buttons[i] for i in self.people.order()],
                              layout={"grid_template_columns": "1fr 1fr", "grid_auto_flow": "row dense", "max_width": "46rem"})
        self.box = widgets.VBox([widgets.HTML(escape(control.label)), row], layout={"flex": "1 1 100%"})
        self.observe(lambda _: self.say())
        self.say()

    def say(self) -> None:
        bits = self.value()
        for i, (button, told) in enumerate(zip(self.buttons, self.people.told(bits), strict=True)):
            button.description = button.tooltip = told
            button.layout.grid_area = f"auto / {bits[i] + 1}"

    def value(self) -> tuple[int, ...]:
        return tuple(bit ^ int(button.value) for bit, button in zip(self.begin, self.buttons, strict=True))

    def offer(self, allowed: list[int], at: int) -> None:
        """People may each be flipped, whatever the others are: such figures leave nothing out."""

    def wait(self, waits: bool) -> None:
        for button in self.buttons:
            button.disabled = waits

    def observe(self, draw: Any) -> None:
        for button in self.buttons:
            button.observe(draw, "value")


class Handle:
    """One number of a guess: a slider over an axis, in steps of a hundredth of it, that begins in the middle."""

    def __init__(self, name: str, axis: Axis, *, upright: bool) -> None:
        import ipywidgets as widgets
        self.axis = axis
        middle = (axis.low + axis.high) / 2
        shape = {"height": "11rem", "width": "2.15rem", "margin": "2px 0"} if upright else {"width": "auto", "flex": "1 1 18rem"}
        self.middle = 10 ** middle if axis.log else middle
        self.box = (widgets.FloatLogSlider if axis.log else widgets.FloatSlider)(
            value=self.middle, min=axis.low, max=axis.high, step=STEP * (axis.high - axis.low), description=name, readout_format=".2g",
            orientation="vertical" if upright else "horizontal", style=WIDE, layout=shape)

    def part(self) -> float:
        """Where it stands, in hundredths of the axis."""
        at = math.log10(self.box.value) if self.axis.log else self.box.value
        return round((at - self.axis.low) / (self.axis.high - self.axis.low), 2)

    def rest(self) -> None:
        self.box.value = self.middle

    def observe(self, touched: Any) -> None:
        """A front end sends the number back in its own rounding, which is no touch."""
        before = self.part()

        def moved(_: Any) -> None:
            nonlocal before
            if self.part() != before:
                before = self.part()
                touched()

        self.box.observe(moved, "value")


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
