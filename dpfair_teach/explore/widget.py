"""The live figure: ipywidgets that call the library function as a slider moves, and do what the player in a page does.

No script of ours runs in a widget's page: its buttons and sliders are widgets, its picture is drawn by the kernel, its words are the
player's.
"""
from __future__ import annotations

import math
from dataclasses import replace
from html import escape
from typing import Any

from .axes import Axis
from .controls import Control
from .drawing import Over, Spot
from .html import still_html
from .reader import BEFORE, HINT, SHOWN, STEP, PanelGuess

__all__: list[str] = []

WIDE = {"description_width": "initial"}


def has_kernel() -> bool:
    """Whether a Jupyter kernel is running this code: only then can a widget reach a front end."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def widget(explorer: Any) -> Any:
    """The controls, the picture, what reads its values; of a figure that asks for a guess also the question and the hand."""
    live = LiveFigure(explorer)
    live.box.live = live            # what the widgets call lives as long as they do
    return live.box


class LiveFigure:
    """One HTML picture, so that text alternatives survive and no output area is captured, and what moves it."""

    def __init__(self, explorer: Any) -> None:
        import ipywidgets as widgets
        self.explorer = explorer
        self.inputs: list[ControlInput | PeopleButtons] = [
            PeopleButtons(control) if control.people else ControlInput(control, plays=control.name == explorer.play)
            for control in explorer.controls.values()]
        self.settling = False
        self.refused = ""       # why there is nothing to show for these controls
        self.settle()
        self.shown = explorer._afresh(self.values())
        asking = [i for i, panel in enumerate(explorer.panels) if panel.guess]
        self.asking = GuessBox(PanelGuess(explorer.panels[asking[0]], explorer._charts[asking[0]]), asking[0], self) if asking else None
        self.readers = [ValueReader(one.name or explorer.title, self) for one in self.shown.pictures]
        self.picture = widgets.HTML(self.html())
        for one in self.inputs:
            one.observe(self.moved)
        row = widgets.Box([one.box for one in self.inputs], layout={"flex_flow": "row wrap", "max_width": "46rem"})
        asks = [self.asking.box] if self.asking else []
        self.box = widgets.VBox([row, *asks, self.picture, *(one.box for one in self.readers)])

    def values(self) -> dict[str, Any]:
        return {one.control.name: one.value() for one in self.inputs}

    def settle(self) -> None:
        """Each control offers what goes with those before it, and stands at the nearest."""
        offered = self.explorer.offered
        if offered.whole:
            return
        places = offered.nearest(tuple(one.control.places[one.value()] for one in self.inputs))
        for k, one in enumerate(self.inputs):
            one.offer(offered.allowed(places, k), places[k])

    def moved(self, _: Any) -> None:
        """A control has moved: new calls, and a guess was for the setting before."""
        if self.settling:
            return
        self.settling = True
        self.settle()
        self.settling = False
        try:
            self.shown, self.refused = self.explorer._afresh(self.values()), ""
        except ValueError as error:     # a kernel callback has no cell to show its error in: the figure's place shows it
            self.refused = str(error)
        if self.asking:
            self.asking.moved()
        self.draw()

    def draw(self) -> None:
        self.picture.value = f'<p role="alert">{escape(self.refused)}</p>' if self.refused else self.html()

    def html(self) -> str:
        """The picture of what was called last, with the guess and what is read."""
        asking = self.asking is not None and self.asking.asks
        for one in self.inputs:
            one.wait(asking)
        pictures = []
        for i, (one, reader) in enumerate(zip(self.shown.pictures, self.readers, strict=True)):
            over = self.asking.over(one.over) if self.asking and i == self.asking.at else one.over
            reader.offer(over.spots)
            pictures.append(replace(one, over=replace(over, read=reader.at())))
        sentence = self.asking.question if self.asking and asking else self.shown.sentence
        return still_html(replace(self.shown, pictures=pictures, sentence=sentence))


class GuessBox:
    """Guess first: a slider for each number of the guess, *Compare* and *Show me*; then the answer, and how far off the guess was."""

    def __init__(self, guess: PanelGuess, at: int, live: LiveFigure) -> None:
        import ipywidgets as widgets
        self.guess, self.at, self.live, self.asks = guess, at, live, True      # at: which of the pictures
        self.mine: list[float] | None = None
        self.question = guess.panel.asks(live=True)
        self.words = widgets.HTML()
        drawn = guess.chart.view == "lines"
        self.handles = [GuessHandle(name, axis, upright=drawn) for name, axis in guess.handles()]
        over = [widgets.HTML(f"{escape(guess.chart.y_label or 'y')}, at {escape(guess.chart.x_label or 'x')} =")] if drawn else []
        self.hand = widgets.VBox([*over, widgets.Box([one.box for one in self.handles], layout={"flex_flow": "row wrap"})])
        self.done, self.skip = widgets.Button(), widgets.Button(description="Show me")
        self.box = widgets.VBox([self.words, self.hand, widgets.HBox([self.done, self.skip])], layout={"max_width": "46rem"})
        for one in self.handles:
            one.observe(self.touched)
        self.done.on_click(lambda _: self.compare() if self.asks else self.ask())
        self.skip.on_click(lambda _: self.show(SHOWN))
        self.turn(self.question, True)

    def turn(self, words: str, asks: bool) -> None:
        """The words, the buttons, and whether the reader is asked."""
        self.asks = asks
        self.words.value = f'<p aria-live="polite">{escape(words)}</p>'
        self.done.description, self.done.disabled = ("Compare", self.mine is None) if asks else ("Guess again", False)
        self.skip.layout.display = None if asks else "none"
        self.hand.layout.display = None if asks else "none"

    def ask(self) -> None:
        for one in self.handles:
            one.rest()
        self.mine = None
        self.turn(self.question, True)
        self.live.draw()

    def touched(self) -> None:
        self.mine = [one.part() for one in self.handles]
        self.done.disabled = False
        if self.asks:
            self.live.draw()

    def show(self, words: str) -> None:
        self.turn(words, False)
        self.live.draw()

    def compare(self) -> None:
        self.show(self.guess.compared(self.live.shown.pictures[self.at].frame, self.mine or []))

    def moved(self) -> None:
        """Another setting of the controls: the guess was not about that one."""
        if not self.asks and self.mine:
            self.mine = None
            self.turn(BEFORE, False)

    def over(self, without: Over) -> Over:
        """What is drawn with the guess; values are read once the answer is there."""
        drawn = Over(guess=self.guess.i, mine=self.guess.path(self.mine) if self.mine else "", asking=self.asks)
        return drawn if self.asks else replace(drawn, spots=without.spots)


class ValueReader:
    """A slider over all that can be read off a picture, and what is read there."""

    def __init__(self, name: str, live: LiveFigure) -> None:
        import ipywidgets as widgets
        self.slider = widgets.SelectionSlider(options=[(HINT, -1)], description=f"Values of: {name}", readout=False,
                                              style={"description_width": "initial"}, layout={"width": "auto"})
        self.spots: tuple[Spot, ...] = ()
        self.said = widgets.HTML()
        self.box = widgets.VBox([self.slider, self.said], layout={"max_width": "46rem"})
        self.live, self.settling = live, False
        self.slider.observe(self.moved, "value")

    def at(self) -> int | None:
        """Which spot is read."""
        return self.slider.value if 0 <= self.slider.value < len(self.spots) else None

    def offer(self, spots: tuple[Spot, ...]) -> None:
        """The frame has changed: the same place in the new one, or the last."""
        self.spots = spots
        options = ((HINT, -1), *((spot.where, i) for i, spot in enumerate(spots)))
        self.settling = True
        if tuple(self.slider.options) != options:
            at = min(self.slider.value, len(spots) - 1)
            self.slider.options = options
            self.slider.value = at
        self.settling = False
        at = self.at()
        self.said.value = f'<p aria-live="polite">{escape(HINT if at is None else spots[at].told)}</p>'
        self.box.layout.display = None if spots else "none"

    def moved(self, _: Any) -> None:
        if not self.settling:
            self.live.draw()


# --- sliders, buttons, checkboxes, people, and the handles of a guess ---------------------------------------------------------

class ControlInput:
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


class PeopleButtons:
    """A button for each of the people, in the order of the picture; pressed means that the bit is not the one at the start.

    A button says what the player says of its person, as a screen reader is told its words, and not whether it is pressed; no icon either.
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


class GuessHandle:
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
    """The slider, and below it the value at which it stands: beside it ipywidgets would cut it off at a few characters."""
    import ipywidgets as widgets
    value = widgets.HTML(bold(slider.label), layout={"width": "auto"})
    slider.observe(lambda change: setattr(value, "value", bold(change["new"])), "label")
    return widgets.VBox([slider, value], layout={"flex": "1 1 18em", "padding": "0 1em 0 0"})


def bold(text: str) -> str:
    return f"<b>{escape(text)}</b>"
