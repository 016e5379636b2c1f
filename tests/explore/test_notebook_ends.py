"""Names at the ends of lines, in every figure over x of the book as its notebook holds it: at every setting, wide and narrow."""
from __future__ import annotations

import re

import nbformat
import pytest

from page_frames import data_of
from test_notebook_frames import NOTEBOOKS

OVER_X = re.compile(r'"view":\s*"lines"')
NAMED = 'class="dpx-body dpx-beside dpx-named"'

#: Of each panel, at each of its frames: names (or numbers) that overlap each other or what is told below them, or are cut off.
LOOK = """() => [...document.querySelectorAll("dpfair-explorer")].flatMap((figure) =>
        figure.panels.filter(({data}) => data.e).map((panel) => {
    const beside = getComputedStyle(panel.ends[0].children[0]).display !== "none", wrong = [];
    const edge = (beside ? figure : panel.svg.closest(".dpx-plot")).getBoundingClientRect();
    const told = figure.querySelector(".dpx-where").getBoundingClientRect();
    for (panel.frame = 0; panel.frame < panel.data.f; panel.frame++) {
        panel.name(panel.frame);
        const boxes = (beside ? panel.items : panel.ends.map((end) => end.children[2])).map((one) => one.getBoundingClientRect());
        boxes.forEach((a, i) => {
            if (!a.height || a.left < edge.left || a.right > edge.right || a.top < edge.top) wrong.push(`${panel.frame}: ${i} is cut off`);
            if (beside && a.bottom > told.top + .5) wrong.push(`${panel.frame}: ${i} lies on what is told`);
            boxes.slice(0, i).forEach((b, j) => {
                if (a.top < b.bottom - .5 && b.top < a.bottom - .5) wrong.push(`${panel.frame}: ${j} and ${i} overlap`);
            });
        });
    }
    const numbers = panel.items.filter((one) => getComputedStyle(one.querySelector(".dpx-near")).display !== "none").length;
    return {title: figure.data.title, series: panel.ends.length, beside, numbers, wrong};
}))"""


def players() -> list[str]:
    """The players with a picture over x."""
    outputs = [output for path in NOTEBOOKS for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
               for output in cell.outputs]
    found = [output["data"].get("text/html", "") for output in outputs if "data" in output]
    return [html for html in found if "dpx-data" in html and OVER_X.search(html)]


def test_every_figure_over_x_names_its_series_at_their_ends():
    """But for one with a single series, or that asks for a guess; only among other pictures by numbers. There are 23 such pictures."""
    panels = [(html, panel) for html in players() for panel in data_of(html)["P"] if panel["view"] == "lines"]
    several = [(html, panel) for html, panel in panels if len(panel["S"]) > 1 and "g" not in panel]
    guessed = sum("g" in panel for _, panel in panels)
    assert len(panels) >= 23 and len(several) + guessed >= len(panels) - 1
    for html, panel in several:
        assert len(panel["e"]) == len(panel["S"])
        assert (NAMED in html) == (html.count('class="dpx-panel"') == 1), panel["S"]


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 470, 360])
def test_no_name_overlaps_another_or_is_cut_off_at_any_setting(chromium, tmp_path, width, theme):
    page = chromium.new_page(viewport={"width": width, "height": 800})
    head = '<meta charset="utf-8"><title>t</title><meta name="viewport" content="width=device-width">'
    (tmp_path / "all.html").write_text(f'<!doctype html><html lang="en" data-theme="{theme}"><head>{head}</head>'
                                       f'<body>{"".join(players())}</body></html>', encoding="utf-8")
    page.goto((tmp_path / "all.html").as_uri())
    looks = page.evaluate(LOOK)
    page.close()
    assert len(looks) >= 22 and not [(one["title"], one["wrong"][:5]) for one in looks if one["wrong"]]
    for one in looks:       # the names beside the picture, or a number at each end and the same in the list of names
        assert one["numbers"] == (0 if one["beside"] else one["series"])
    assert sum(one["beside"] for one in looks) == (0 if width < 1280 else len([html for html in players() if NAMED in html]))
