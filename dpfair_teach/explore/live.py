"""The live figure: ipywidgets that call the library function as a slider moves, and do what the player in a page does.

No script of ours runs in a widget's page. So its buttons and sliders are widgets, and its picture is drawn by the kernel. Its words, in
``guessing.py``, ``reading.py``, ``people.py``, are the player's: the tests hold them equal.
"""
from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

from . import page, reading
from .controls import Control
from .guessing import BEFORE, SHOWN, Guess
from .live_inputs import Handle, Input, Person
from .over import Over, Spot

__all__: list[str] = []


def has_kernel() -> bool:
    """Whether a Jupyter kernel is running this code: only then can a widget reach a front end."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def widget(explorer: Any) -> Any:
    """The controls, the picture, what reads its values; of a figure that asks for a guess also the question and the hand."""
    live = Live(explorer)
    live.box.live = live            # what the widgets call lives as long as they do
    return live.box


class Live:
    """One HTML picture, so that text alternatives survive and no output area is captured, and what moves it."""

    def __init__(self, explorer: Any) -> None:
        import ipywidgets as widgets
        self.explorer = explorer
        self.inputs = [made(control, control.name == explorer.play) for control in explorer.controls.values()]
        self.settling = False
        self.refused = ""       # why there is nothing to show for these controls
        self.settle()
        self.shown = explorer._afresh(self.values())
        asking = [i for i, panel in enumerate(explorer.panels) if panel.guess]
        self.asking = Asking(Guess(explorer.panels[asking[0]], explorer._charts[asking[0]]), asking[0], self) if asking else None
        self.readers = [Reader(one.name or explorer.title, self) for one in self.shown.pictures]
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
        return page.still(replace(self.shown, pictures=pictures, sentence=sentence))


def made(control: Control, plays: bool) -> Input | Person:
    """The widgets of a control."""
    return Person(control) if control.people else Input(control, plays=plays)


class Asking:
    """Guess first: a slider for each number of the guess, *Compare* and *Show me*; then the answer, and how far off the guess was."""

    def __init__(self, guess: Guess, at: int, live: Live) -> None:
        import ipywidgets as widgets
        self.guess, self.at, self.live, self.asks = guess, at, live, True      # at: which of the pictures
        self.mine: list[float] | None = None
        self.question = guess.panel.asks(live=True)
        self.words = widgets.HTML()
        drawn = guess.chart.view == "lines"
        self.handles = [Handle(name, axis, upright=drawn) for name, axis in guess.handles()]
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


class Reader:
    """A slider over all that can be read off a picture, and what is read there."""

    def __init__(self, name: str, live: Live) -> None:
        import ipywidgets as widgets
        self.slider = widgets.SelectionSlider(options=[(reading.HINT, -1)], description=f"Values of: {name}", readout=False,
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
        options = ((reading.HINT, -1), *((spot.where, i) for i, spot in enumerate(spots)))
        self.settling = True
        if tuple(self.slider.options) != options:
            at = min(self.slider.value, len(spots) - 1)
            self.slider.options = options
            self.slider.value = at
        self.settling = False
        at = self.at()
        self.said.value = f'<p aria-live="polite">{escape(reading.HINT if at is None else spots[at].told)}</p>'
        self.box.layout.display = None if spots else "none"

    def moved(self, _: Any) -> None:
        if not self.settling:
            self.live.draw()
