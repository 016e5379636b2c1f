"""HTML of the figures: everything a page needs in one string, the same bytes every time."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from . import drawing
from .chart import Chart
from .controls import Control
from .drawing import NOTHING, Over

__all__: list[str] = []


@lru_cache
def asset(name: str) -> str:
    """A file that lies beside this one, without comment lines and indentation."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return "\n".join(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


#: The parts of the player, in order: each uses those before it.
PLAYER = ("numbers", "panel", "offered", "reading", "playing", "guess", "figure")


def player_script() -> str:
    """The player; of several copies on a page the first one runs."""
    parts = "\n".join(asset(f"player/{part}.js") for part in PLAYER)
    return f'(() => {{\nif (customElements.get("dpfair-explorer")) return;\n{parts}\n}})();'


def style_html(*sheets: str) -> str:
    """The style sheets, inside the output: a notebook has no place to link one from. Questions and sources need no more than these."""
    return f"<style>{''.join(map(asset, ('colors.css', 'base.css', *sheets)))}</style>"


#: What a figure needs beside those.
FIGURE = ("drawing.css", "explore.css")


def data_island(data: dict) -> str:
    """Data for the player; no ``<`` can end the script early."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    return f'<script type="application/json" class="dpx-data">{text}</script>'


# Where a notebook is not trusted, JupyterLab strips styles, scripts, SVG and custom elements, but keeps text, inline styles and
# images. So what must not be seen there is hidden inline and shown by the style sheet (the drawing, whose tick labels would
# be left as loose words), and what must be seen only there is hidden by the style sheet (a flat image of the drawing).
SAFE = " ='/:;,.(){}!@*+-_[]|~^"
HIDDEN = 'style="display:none"'
UNTRUSTED = '<span class="dpx-flat"> (sliders come once you run the notebook)</span>'


def as_image(drawn: str) -> str:
    """A drawing as the address of an image, with the styles it needs."""
    styles = f"><style>{asset('colors.css')}{asset('drawing.css')}</style>"
    drawn = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", styles, 1)
    return f"data:image/svg+xml,{quote(drawn, safe=SAFE)}"


def flat_image(chart: Chart, frame: Any, sentence: str) -> str:
    """The drawing with its legend as an image with a text alternative."""
    drawn = drawing.frame_svg(chart, frame, sentence, keys=chart.view != "bars")
    return f'<img class="dpx-flat" alt="{escape(sentence)}" src="{as_image(drawn)}">'


def titled(title: str, sentence: str) -> str:
    """The title and the sentence, as the player says them too."""
    return f"{title}{' ' if title[-1:] in ('.', '?', '!') else '. '}{sentence}"


def picture_html(one: Picture, title: str, sentence: str) -> str:
    """Drawing of one frame, or its table."""
    chart, frame = one.chart, one.frame
    if chart.view == "table":
        cells = drawing.table_html(chart, frame, title)
        return f'<div class="dpx-plot" tabindex="0" role="group" aria-label="{escape(title)}: table">{cells}</div>'
    drawn = f'<div class="dpx-draw" {HIDDEN}>{drawing.frame_svg(chart, frame, titled(title, sentence), over=one.over)}</div>'
    return f'<div class="dpx-plot">{drawn}{"" if one.over.asking else flat_image(chart, frame, sentence)}</div>'


def legend_html(one: Picture) -> str:
    """The names of the series; hidden where no style sheet comes, since the flat image has them inside."""
    drawn = "" if one.chart.view == "table" else drawing.legend_list(one.chart, one.frame, one.over)
    return f'<div class="dpx-draw" {HIDDEN}>{drawn}</div>' if drawn else ""


def fold_summary(text: str) -> str:
    """The line that opens a fold. Without the style sheet JupyterLab gives it no triangle and no pointer: it brings its own."""
    return f'<summary style="cursor:pointer"><span class="dpx-flat" aria-hidden="true">▸ </span>{escape(text)}</summary>'


def numbers_html(one: Picture) -> str:
    """The folded table of the frame's numbers; a table needs none, and while the reader guesses it would tell."""
    chart, frame = one.chart, one.frame
    if chart.view in ("table", "bars") or one.over.asking:
        return ""
    head, rows = drawing.number_rows(chart, frame)
    top = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in head)
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
                   for row in rows)
    return (f'<details class="dpx-numbers">{fold_summary("Numbers in this frame")}'
            '<div class="dpx-scroll" tabindex="0" role="group" aria-label="Numbers in this frame">'
            f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></details>")


def caption_html(title: str, question: str) -> str:
    """Title, and the question the figure answers."""
    asked = f'<p class="dpx-q">{escape(question)}</p>' if question else ""
    return f'<figcaption><p class="dpx-title" role="heading" aria-level="3">{escape(title)}</p>{asked}</figcaption>'


@dataclass(frozen=True)
class Picture:
    """One panel at one frame."""

    chart: Chart
    frame: Any
    name: str
    share: float
    over: Over = NOTHING


@dataclass(frozen=True)
class Shown:
    """A figure at one setting of its controls: its words, its pictures in columns, and the controls above."""

    title: str
    question: str
    sentence: str
    pictures: list[Picture]
    columns: list[int]          # how many pictures stand below each other
    controls: list[Control]
    values: dict
    play: str = ""              # the control that can play
    guess: str = ""             # what the reader is asked to guess
    longest: int = 0            # characters of the longest sentence

    def places(self) -> list[int]:
        """Where each control stands."""
        return [control.places[self.values[control.name]] for control in self.controls]


#: Views whose legend and sentence stand beside the picture where there is room.
LINE = 24       # the height of a line of text, in pixels
BESIDE = ("lines", "roc", "pareto")


def panel_html(one: Picture, sentence: str) -> str:
    """One of several pictures, with its heading."""
    drawn = picture_html(one, one.name, sentence) + legend_html(one) + numbers_html(one)
    return f'<div class="dpx-panel" data-view="{one.chart.view}"><p class="dpx-head">{escape(one.name)}</p>{drawn}</div>'


def sentence_goes_below(chart: Chart, longest: int) -> bool:
    """Whether the sentence takes less height below the picture than in the column beside it, below the legend."""
    names = LINE * (1.2 + sum(1 + len(name) // 22 for name, _ in chart.series))
    picture = 300 if chart.view != "roc" else 400
    return max(picture, names + LINE * math.ceil(longest / 31)) > max(picture, names) + LINE * math.ceil(longest / 88) + 16


def body_html(shown: Shown) -> str:
    """The pictures with their legends, the sentence, the folded numbers."""
    said = f'<div class="dpx-told"><p class="dpx-say" aria-live="polite">{escape(shown.sentence)}</p></div>'
    if len(shown.pictures) == 1:
        one = shown.pictures[0]
        drawn = picture_html(one, shown.title, shown.sentence)
        kind, below = ("dpx-beside", sentence_goes_below(one.chart, shown.longest)) if one.chart.view in BESIDE else ("dpx-one", False)
        if one.chart.named:
            kind, below = "dpx-beside dpx-named", True
        return (f'<div class="dpx-body {kind}"><div class="dpx-panel" data-view="{one.chart.view}">{drawn}</div>'
                f'<div class="dpx-side">{legend_html(one)}{"" if below else said}</div></div>{said if below else ""}'
                f"{numbers_html(one)}")
    parts, pictures = [], iter(shown.pictures)
    highest = max(shown.columns)
    inside = shown.columns.index(highest) if highest > 1 else None          # a column of several pictures has room for the sentence
    for number, height in enumerate(shown.columns):
        column = [next(pictures) for _ in range(height)]
        panels = "".join(panel_html(one, shown.sentence) for one in column) + (said if number == inside else "")
        parts.append(f'<div class="dpx-column" style="--w:{column[0].share:g}">{panels}</div>')
    return f'<div class="dpx-body dpx-many">{"".join(parts)}</div>{said if inside is None else ""}'


def people_html(shown: Shown) -> str:
    """The row of people."""
    for control in shown.controls:
        if control.people:
            bits = shown.values[control.name]
            drawn = control.people.svg(bits, name=f"{len(bits)} people")
            told = ". ".join(control.people.told(bits)) + "."
            return (f'<div class="dpx-crowd"><div class="dpx-draw" {HIDDEN}>{drawn}</div>'
                    f'<img class="dpx-flat" alt="{escape(told)}" src="{as_image(drawn)}"></div>')
    return ""


def control_html(one: Control, number: int, at: int, *, plays: bool = False) -> str:
    """The native input of a control; people are clicked in their row. One that ``plays`` has buttons to play and to step."""
    if plays:
        buttons = '<button type="button">Play</button><button type="button">Step</button>'
        return f'<div class="dpx-time">{control_html(one, number, at)}{buttons}</div>'
    name, texts = escape(one.label), one.texts
    if one.kind == "range":
        wide = max(map(len, texts))
        return (f'<label class="dpx-range"><span>{name}</span> <b aria-hidden="true" style="min-width:{wide}ch">{escape(texts[at])}</b>'
                f'<input type="range" min="0" max="{len(texts) - 1}" step="1" value="{at}" aria-valuetext="{escape(texts[at])}" '
                f'data-k="{number}"></label>')
    if one.kind == "flag":
        checked = " checked" if one.grid[at] else ""
        return f'<label class="dpx-flag"><input type="checkbox" data-k="{number}"{checked}> <span>{name}</span></label>'
    choices = "".join(f'<label><input type="radio" name="k{number}" value="{i}" data-k="{number}"{" checked" if i == at else ""}>'
                      f"<span>{escape(text)}</span></label>" for i, text in enumerate(texts))
    return f'<fieldset class="dpx-names"><legend>{name}</legend><div>{choices}</div></fieldset>'


def guess_html(words: str) -> str:
    """Where the reader is asked to guess; without scripts nobody is asked, and the answer shows."""
    if not words:
        return ""
    return (f'<div class="dpx-guess" {HIDDEN}><div class="dpx-told"><p aria-live="polite">{escape(words)}</p></div>'
            '<span><button type="button">Compare</button> <button type="button">Show me</button></span></div>')


def still_html(shown: Shown) -> str:
    """One frame without controls: what the live widget shows."""
    asks = " dpx-asks" if any(one.over.asking for one in shown.pictures) else ""
    drawn = f"{caption_html(shown.title, shown.question)}{people_html(shown)}{body_html(shown)}"
    return f'<div class="dpx{asks}">{style_html(*FIGURE)}<figure>{drawn}</figure></div>'


def player_html(shown: Shown, data: dict) -> str:
    """The self-contained player. Without scripts the figure, its sentence and its numbers are there."""
    places = shown.places()
    inputs = "".join(control_html(one, k, places[k], plays=one.name == shown.play)
                     for k, one in enumerate(shown.controls) if not one.people)
    at = ", ".join(f"{one.label} = {one.texts[i]}" for one, i in zip(shown.controls, places, strict=True))
    # a form keeps the names of its buttons to itself, so that two figures on a page do not share them
    form = f'<form autocomplete="off"><div class="dpx-sliders" {HIDDEN}>{inputs}</div></form>' if inputs else ""
    return (f'<dpfair-explorer class="dpx">{style_html(*FIGURE)}<figure>{caption_html(shown.title, shown.question)}{people_html(shown)}'
            f'{form}{guess_html(shown.guess)}<p class="dpx-at">{escape(at)}{UNTRUSTED}</p>{body_html(shown)}'
            f"</figure>{data_island(data)}<script>{player_script()}</script></dpfair-explorer>")
