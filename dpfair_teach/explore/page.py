"""HTML of the figures: everything a page needs in one string, the same bytes every time."""
from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from . import drawing
from .drawing import Chart

__all__: list[str] = []


@lru_cache
def asset(name: str) -> str:
    """A file that lies beside this one, without comment lines and indentation."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return "\n".join(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def style() -> str:
    """The style sheet, inside the output: a notebook has no place to link one from."""
    return f"<style>{asset('drawing.css')}{asset('explore.css')}</style>"


def island(data: dict) -> str:
    """Data for the player; no ``<`` can end the script early."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    return f'<script type="application/json" class="dpx-data">{text}</script>'


# Where a notebook is not trusted, JupyterLab strips styles, scripts, SVG and custom elements, but keeps text, inline styles and
# images. So what must not be seen there is hidden inline and shown by the style sheet (the drawing, whose tick labels would
# be left as loose words), and what must be seen only there is hidden by the style sheet (a flat image of the drawing).
SAFE = " ='/:;,.(){}!@*+-_[]|~^"
HIDDEN = 'style="display:none"'
UNTRUSTED = '<span class="dpx-flat"> (sliders come once you run the notebook)</span>'


def flat(chart: Chart, frame: Any, sentence: str) -> str:
    """The drawing with its legend as an image with a text alternative."""
    drawn = drawing.svg(chart, frame, sentence, keys=True)
    drawn = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", f"><style>{asset('drawing.css')}</style>", 1)
    return f'<img class="dpx-flat" alt="{escape(sentence)}" src="data:image/svg+xml,{quote(drawn, safe=SAFE)}">'


def picture(chart: Chart, frame: Any, title: str, sentence: str) -> str:
    """Legend and drawing of one frame, or its table."""
    if chart.view == "table":
        cells = drawing.grid(frame, chart.start, chart.digits, title, frame.corner)
        return f'<div class="dpx-plot" tabindex="0" role="group" aria-label="{escape(title)}: table">{cells}</div>'
    drawn = f'<div class="dpx-draw" {HIDDEN}>{drawing.legend(chart)}{drawing.svg(chart, frame, f"{title}. {sentence}")}</div>'
    return f'<div class="dpx-plot">{drawn}{flat(chart, frame, sentence)}</div>'


def summary(text: str) -> str:
    """The line that opens a fold. Without the style sheet JupyterLab gives it no triangle and no pointer: it brings its own."""
    return f'<summary style="cursor:pointer"><span class="dpx-flat" aria-hidden="true">▸ </span>{escape(text)}</summary>'


def numbers(chart: Chart, frame: Any) -> str:
    """The folded table of the frame's numbers; a table needs none."""
    if chart.view == "table" or (chart.view == "heatmap" and frame.size <= drawing.MOST_LABELLED):
        return ""
    head, rows = drawing.rows_of(chart, frame)
    top = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in head)
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
                   for row in rows)
    return (f'<details class="dpx-numbers">{summary("Numbers in this frame")}'
            '<div class="dpx-scroll" tabindex="0" role="group" aria-label="Numbers in this frame">'
            f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></details>")


def caption(title: str, question: str) -> str:
    """Title, and the question the figure answers."""
    asked = f'<p class="dpx-q">{escape(question)}</p>' if question else ""
    return f'<figcaption><p class="dpx-title" role="heading" aria-level="3">{escape(title)}</p>{asked}</figcaption>'


def still(chart: Chart, frame: Any, title: str, question: str, sentence: str) -> str:
    """One frame without sliders: what the live widget shows."""
    return (f'<div class="dpx">{style()}<figure>{caption(title, question)}{picture(chart, frame, title, sentence)}'
            f'<p class="dpx-say" aria-live="polite">{escape(sentence)}</p>{numbers(chart, frame)}</figure></div>')


def player(chart: Chart, frame: Any, title: str, question: str, sentence: str, sliders: list[tuple[str, list[str], int]],
           data: dict) -> str:
    """The self-contained player, standing at ``frame``. Without scripts the figure, its sentence and its numbers are there."""
    inputs = "".join(
        f'<label><span>{escape(name)}</span> <b aria-hidden="true">{escape(texts[at])}</b>'
        f'<input type="range" min="0" max="{len(texts) - 1}" step="1" value="{at}" aria-valuetext="{escape(texts[at])}" autocomplete="off">'
        "</label>"
        for name, texts, at in sliders)
    at = ", ".join(f"{name} = {texts[i]}" for name, texts, i in sliders)
    return (f'<dpfair-explorer class="dpx" data-view="{chart.view}">{style()}<figure>{caption(title, question)}'
            f'<div class="dpx-sliders" {HIDDEN}>{inputs}</div><p class="dpx-at">{escape(at)}{UNTRUSTED}</p>'
            f'{picture(chart, frame, title, sentence)}<p class="dpx-say" aria-live="polite">{escape(sentence)}</p>'
            f"{numbers(chart, frame)}</figure>{island(data)}<script>{asset('player.js')}</script></dpfair-explorer>")
