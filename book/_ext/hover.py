"""A link to a box of a statement, a definition or an algorithm shows that box: on hover, and on keyboard focus.

Nothing is fetched for it. A box of the same page is copied from there; those of other pages lie in the page as templates, once each,
written here on the finished HTML, where doing it twice changes nothing. ``hover.js`` shows them.
"""
from __future__ import annotations

import gzip
import posixpath
import re
from pathlib import Path
from typing import NamedTuple

from sphinx.util import logging

logger = logging.getLogger(__name__)

BOX = re.compile(r'<div class="proof (?!proof-body)[^"]*" id="(?P<name>[^"]+)">')
DIV = re.compile(r"<div\b|</div>")
LINK = re.compile(r'<a class="reference internal"(?: data-box="")? href="(?P<page>[^"#]*)#(?P<name>[^"]+)"')
STORE = re.compile(r'\n*<div id="boxes" hidden>.*?</div><!-- boxes -->', re.S)
# What a box says, without what only its own page can use: anchors, links to links, names of places; and words for translators of pages,
# which do nothing to a formula that is set as soon as the box is shown.
LEFT_OUT = [re.compile(r'<a class="headerlink".*?</a>', re.S), re.compile(r"</?a\b[^>]*>"), re.compile(r'\s(?:id|role|aria-level)="[^"]*"'),
            re.compile(r"</?section\b[^>]*>"), re.compile(r'(?<=class="math) notranslate nohighlight(?=")')]


class Box(NamedTuple):
    """A box and the page that it stands on."""

    page: str
    html: str


def boxes(html: str, page: str) -> dict[str, Box]:
    """The boxes of one page by their names.

    >>> boxes('<div class="proof lemma admonition" id="a"><div>x</div></div> y', "p.html")["a"].html
    '<div class="proof lemma admonition"><div>x</div></div>'
    """
    found = {}
    for begin in BOX.finditer(html):
        depth = 0
        for tag in DIV.finditer(html, begin.start()):
            depth += -1 if tag[0] == "</div>" else 1
            if depth == 0:
                found[begin["name"]] = Box(page, _bare(html[begin.start():tag.end()]))
                break
    return found


def _bare(html: str) -> str:
    for pattern in LEFT_OUT:
        html = pattern.sub("", html)
    return html


def with_boxes(html: str, page: str, known: dict[str, Box]) -> str:
    """A page whose links to boxes are marked, with the boxes of other pages that they lead to."""
    there: dict[str, str] = {}

    def marked(link: re.Match) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link["page"])) if link["page"] else page
        box = known.get(link["name"])
        if box is None or box.page != target:
            return link[0].replace(' data-box=""', "")
        if box.page != page:
            there[link["name"]] = box.html
        return f'<a class="reference internal" data-box="" href="{link["page"]}#{link["name"]}"'

    html = LINK.sub(marked, STORE.sub("", html))
    if not there:
        return html
    store = "".join(f'<template data-name="{name}">{there[name]}</template>\n' for name in sorted(there))
    return html.replace("</body>", f'\n<div id="boxes" hidden>\n{store}</div><!-- boxes --></body>', 1)


def weight(html: str) -> int:
    """Gzipped bytes that the boxes of other pages add to a page."""
    return len(gzip.compress(html.encode(), mtime=0)) - len(gzip.compress(STORE.sub("", html).encode(), mtime=0))


def _finish(app, error) -> None:
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in sorted((out / "book").rglob("*.html"))}
    known = {name: box for page, html in pages.items() for name, box in boxes(STORE.sub("", html), page).items()}
    weights = {}
    for page, html in pages.items():
        better = with_boxes(html, page, known)
        weights[page] = weight(better)
        if better != html:
            (out / page).write_text(better, encoding="utf-8")
    heaviest = max(weights, key=weights.__getitem__, default="")
    if heaviest:
        logger.info("boxes for links to other pages: %.1f KB gzipped on %s, %.1f KB on all pages together",
                    weights[heaviest] / 1024, heaviest, sum(weights.values()) / 1024)


def setup(app) -> dict:
    app.connect("build-finished", _finish, priority=960)    # after reading.py, which finishes the boxes
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
