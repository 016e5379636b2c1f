"""The page: the same bytes every time, well formed, safe against what is in the names, small, and readable without a script."""
from __future__ import annotations

import base64
import gzip
import re
from html.parser import HTMLParser
from io import BytesIO
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from dpfair_teach.explore import drawing
from dpfair_teach.explore import html as html_of
from explorer_samples import WICKED, samples

FIGURES = samples()
VOID = {"input", "br", "img", "meta", "link", "hr"}


class Tree(HTMLParser):
    """Checks that tags nest and collects them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attributes):
        assert len({name for name, _ in attributes}) == len(attributes), f"an attribute twice in {tag}"
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)


def parsed(html: str) -> Tree:
    tree = Tree()
    tree.feed(html)
    tree.close()
    assert not tree.open
    return tree


def test_the_player_is_small():
    """Script and styles, which a page carries once, as a host sends them."""
    sent = len(gzip.compress((html_of.player_script() + html_of.style_html(*html_of.FIGURE)).encode()))
    assert sent <= 16_384, f"{sent} bytes"


@pytest.mark.turning(7)
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_two_makings_give_the_same_bytes(name):
    assert FIGURES[name].html() == samples()[name].html()
    assert FIGURES[name].png() == samples()[name].png()


@pytest.mark.parametrize("name", FIGURES)
def test_the_html_nests_and_lets_nothing_through(name):
    html = FIGURES[name].html()
    tree = parsed(html)
    tags = [tag for tag, _ in tree.seen]
    assert tags.count("script") == 2 and html.count("</script>") == 2, "a name closed a script"
    assert "<b>&" not in html
    assert "b" not in [tag for tag, attributes in tree.seen if "aria-hidden" not in attributes]
    assert any(WICKED in text for text in tree.text)
    assert not any("id" in attributes for _, attributes in tree.seen), "an id could meet another figure's"
    assert not re.search(r"""(?:src|href|url\()\s*=?\s*["']?(?:https?:)?//""", html), "reaches outside"


@pytest.mark.parametrize("name", FIGURES)
def test_without_a_script_the_starting_frame_is_there(name):
    figure = FIGURES[name]
    static = re.sub(r"<script.*?</script>", "", figure.html(), flags=re.S)
    tree = parsed(static)
    words = " ".join(tree.text)
    assert figure.sentence() in words and figure.title in words and figure.question in words
    for control in figure.controls.values():
        assert f"{control.label} = {control.texts[control.start]}" in words
    hidden = [attributes for tag, attributes in tree.seen if attributes.get("class") == "dpx-sliders"]
    assert all(form["style"] == "display:none" for form in hidden), "dead sliders would show"
    assert len(hidden) == any(control.kind != "people" for control in figure.controls.values())
    assert "button" not in [attributes.get("role") for _, attributes in tree.seen], "dead people"
    drawn = [panel for panel in figure.panels if panel.view != "table"]
    pictures = [a for tag, a in tree.seen if tag == "svg" and a.get("role") == "img"]
    assert len(pictures) == len(drawn) and all(figure.sentence() in picture["aria-label"] for picture in pictures)
    assert [tag for tag, _ in tree.seen].count("table") >= len(figure.panels) - len(drawn)


class Sanitised(HTMLParser):
    """What JupyterLab leaves of a figure in a notebook that is not trusted: no styles, scripts, SVG or custom elements; their
    words stay (but for styles and scripts), and so do inline styles, which hide what they hide."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hidden = 0
        self.dropped: str | None = None
        self.words: list[str] = []
        self.images: list[dict] = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("style", "script"):
            self.dropped = tag
        if tag == "img":
            self.images.append(attributes)
        if tag == "div" and (self.hidden or attributes.get("style") == "display:none"):
            self.hidden += 1

    def handle_endtag(self, tag):
        self.dropped = None if tag == self.dropped else self.dropped
        if tag == "div" and self.hidden:
            self.hidden -= 1

    def handle_data(self, data):
        if not self.hidden and not self.dropped:
            self.words.append(data)


@pytest.mark.parametrize("name", FIGURES)
def test_a_notebook_that_is_not_trusted_shows_image_and_sentence(name):
    figure = FIGURES[name]
    left = Sanitised()
    left.feed(figure.html())
    words = [w for w in left.words if w]
    values = ", ".join(f"{control.label} = {control.texts[control.start]}" for control in figure.controls.values())
    assert words[:4] == [figure.title, figure.question, values, " (sliders come once you run the notebook)"]
    several = len(figure.panels) > 1
    folded = words.index("▸ ") if "▸ " in words else len(words)
    if not any(panel.view == "table" for panel in figure.panels) and not several:
        assert words[4:folded] == [figure.sentence()], "loose words of the drawing"
    assert figure.sentence() in words and not set(words) & set(figure.people.names if figure.people else ())
    told = [". ".join(figure.people.told(figure.people.start)) + "."] if figure.people else []
    drawn = [(panel, chart) for panel, chart in zip(figure.panels, figure._charts, strict=True) if panel.view != "table"]
    assert [image["alt"] for image in left.images] == told + [figure.sentence()] * len(drawn)
    frames = figure.frame()
    for image, (panel, chart) in zip(left.images[len(told):], drawn, strict=True):
        kind, _, picture = image["src"].partition(",")
        root = ElementTree.fromstring(unquote(picture))
        assert kind == "data:image/svg+xml" and root.tag == "{http://www.w3.org/2000/svg}svg"
        words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        frame = frames[panel.name] if several else frames
        if panel.view != "bars":
            assert words[-len(frame):] == list(frame), "the legend"
            drawn_paths = [element.get("d") for element in root.iter("{http://www.w3.org/2000/svg}path")]
            assert set(drawing.series_paths(chart, frame)) <= set(drawn_paths)
    for image in left.images[:len(told)]:
        root = ElementTree.fromstring(unquote(image["src"].partition(",")[2]))
        assert set(figure.people.names) <= {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("name", FIGURES)
def test_the_bundle_has_a_player_an_image_and_a_sentence(name):
    figure = FIGURES[name]
    data, _ = figure._repr_mimebundle_()
    assert set(data) == {"text/html", "image/png", "text/plain"}, "no kernel here, so no widget"
    assert data["text/plain"] == f"{figure.title}. {figure.sentence()}"
    from matplotlib.image import imread
    picture = imread(BytesIO(base64.b64decode(data["image/png"])))
    assert picture.shape[1] > 400 and np.ptp(picture[..., :3]) > 0.5


def test_a_table_marks_what_moved_since_the_start():
    html = FIGURES["table"].still(who="nobody")
    assert html.count('class="dpx-moved"') == 2
    assert '<td class="dpx-moved" data-was="was 1">2</td>' in html and '<td class="dpx-moved" data-was="was 2">1</td>' in html
    assert 'class="dpx-moved"' not in FIGURES["table"].still()


def luminance(colour: str) -> float:
    colour = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(np.dot([0.2126, 0.7152, 0.0722], [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]))


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_stand_out(theme):
    css = html_of.style_html()
    colour = dict(re.findall(r"--(\w+): (#\w+);", re.findall(r"\{([^}]*--bg:[^}]*)\}", css)[theme]))
    for text in ("ink", "soft", "accent"):
        for ground in ("bg", "tint"):
            assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
    for i in range(8):
        assert contrast(colour[f"s{i}"], colour["bg"]) >= 3, f"series {i}"


def test_no_two_lines_share_a_dash():
    css = html_of.style_html(*html_of.FIGURE)
    dashes = dict(re.findall(r"\.dpx-line\.dpx-s(\d)[^{]*\{ stroke-dasharray: ([\d ]+);", css))
    assert set(dashes) == set("1234567") and len(set(dashes.values())) == 7


def test_points_take_the_colour_of_their_shape_and_equal_points_all_show():
    """Both points lie on one place: the first is larger and open, the second smaller and filled; later series take the next free colour."""
    figure = samples()["roc"]
    html = figure.html()
    drawn = dict(re.findall(r'<path class="dpx-s (dpx-points dpx-s\d(?: dpx-open)?)" d="(M[^"]*)"/></svg><span>(?:optimum|its twin)', html))
    assert set(drawn) == {"dpx-points dpx-s0 dpx-open", "dpx-points dpx-s1"}
    assert "dpx-line dpx-s2" in html and not re.search('class="dpx-s [^"]*dpx-s3', html)
    widths = [int(re.search(r"1 0 (\d+)", drawn["dpx-points dpx-s0 dpx-open"])[1]),
              int(re.search(r"h(\d+)", drawn["dpx-points dpx-s1"])[1])]
    assert widths[0] > 1.5 * widths[1]
    # the largest marker and half its stroke are inside its key
    top, height = map(int, re.search(r'class="dpx-key" viewBox="0 (-\d+) 320 (\d+)"', html).groups())
    assert top <= 80 - widths[0] / 2 - 13 and top + height >= 80 + widths[0] / 2 + 13


def test_a_single_series_of_points_is_filled():
    assert "dpx-points dpx-s2" in samples()["pareto"].html() and "dpx-points dpx-s2 dpx-open" not in samples()["pareto"].html()


def test_segments_are_drawn_one_by_one_and_the_label_is_the_shape():
    """Three pieces, each of which starts anew; of label 0 a square, of label 1 a circle, and a group has one colour."""
    chart = FIGURES["trained"]._charts[0]
    paths = drawing.series_paths(chart, FIGURES["trained"].frame()["Plane"])
    drawn = dict(zip((drawing.css_classes(chart, i) for i in range(5)), paths, strict=True))
    assert re.fullmatch(r"(M\d+ -?\d+L\d+ -?\d+){3}", drawn["dpx-s dpx-segments dpx-s2"])
    assert drawn["dpx-s dpx-squares dpx-s0"].count("h84v84") == 2 and drawn["dpx-s dpx-circles dpx-s1"].count("M") == 2
    assert ".dpx-squares).dpx-s1 { fill: var(--bg); }" in html_of.style_html(*html_of.FIGURE)


def test_a_bar_starts_at_zero_whatever_its_sign():
    low, high = FIGURES["trained"]._charts[1].x.low, FIGURES["trained"]._charts[1].x.high
    zero = round(-low / (high - low) * 5160)
    starts = re.findall(r'dpx-bar dpx-s0" d="M(\d+) 0H(\d+)v140H(\d+)z"', FIGURES["trained"].still(epoch=2))
    assert [int(start) for start, _, _ in starts] == [zero] * 3 and all(start == back for start, _, back in starts)
    up, down, none = (int(end) for _, end, _ in starts)
    assert down < zero < up and none == zero


def test_the_title_is_a_heading():
    assert '<p class="dpx-title" role="heading" aria-level="3">' in samples()["lines"].html()
