"""What the pages load, and nothing else: no live-code scripts, no address outside the site, the icons as a font of a few glyphs.

The theme ships every icon there is: a script of 1.5 MB, three fonts and 1,700 style rules. When the site is built, the icons that its
pages, scripts and styles use are collected, the fonts are cut down to those, and the rest is left out.
"""
from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

logging.getLogger("fontTools").setLevel(logging.WARNING)   # each font's every table is not news to whoever builds the book

# One tag each: what a page has no use for. Every page of the theme loads the whole search index, though only the search page reads it.
SCRIPT = r'\s*<script[^>]*\ssrc="[^"]*{}[^"]*"[^>]*></script>'
UNWANTED = [
    re.compile(SCRIPT.format(r"scripts/fontawesome\.js")),
    re.compile(SCRIPT.format(r"sphinx-thebe\.js")),
    re.compile(r"\s*<script>const THEBE_JS_URL[^<]*</script>"),
    re.compile(r'\s*<link[^>]*href="[^"]*sphinx-thebe\.css[^"]*"[^>]*/>'),
    re.compile(r"\s*<!-- So that users can add custom icons -->"),
]
SEARCH = [re.compile(SCRIPT.format(name)) for name in (r"_static/searchtools\.js", r"_static/language_data\.js", r"\bsearchindex\.js")]
REPEATED = re.compile(r"\s*<script>[^<]*(?:togglebuttonSelector|thebe_selector)[^<]*</script>")
STYLE = re.compile(r"<style[^>]*>.*?</style>", re.S)     # every figure of a notebook brings the same one; a page needs it once
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*/>')
MATHS = re.compile(r'<script defer="defer" src="[./]*(_static/mathjax/tex-chtml\.js\?v=[0-9a-f]+)"')

# What the theme and the extensions write and a screen reader, or the rule that an id is one of its kind, should not meet.
REPAIRS = [
    (re.compile(r'<div class="proof admonition" id="proof">'), '<div class="proof admonition proof-body">'),
    (re.compile(r'(<div class="proof [^>]*id="([^"]+)">\s*<p class="admonition-title") id="\2"'), r"\1"),
    (re.compile(r' id="(?:proof|exercise|solution)-content"'), ""),
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    (re.compile(r"<th></th>"), "<td></td>"),
    (re.compile(r'(<div[^>]*class="bd-sidebar-primary bd-sidebar[^"]*")(?![^>]*role=)'), r'\1 role="complementary" aria-label="The book"'),
    # The theme chooses light or dark in its last script; until then it has no colours, and what has a border in one of them moves.
    (re.compile(r'(<html[^>]* data-theme=)"auto"'), r'\1"light"'),
    (re.compile(r'localStorage\.getItem\("theme"\) \|\| "auto"'),
     '{dark: "dark", light: "light"}[localStorage.getItem("mode")]'
     ' || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'),
]

# The figures, questions and sources of a notebook each bring their styles, and figures their player: there each output stands alone.
# A page of the site links to them once, and leaves out what a notebook shows where nothing of that may run.
OWN = [(re.compile(r"<style>(\.dpx.*?)</style>", re.S), ".css", '<link rel="stylesheet" href="{}"/>'),
       (re.compile(r'<script>(\(\(\) => \{\s*if \(customElements\.get\("dpfair-explorer"\)\).*?)</script>', re.S), ".js",
        '<script defer="defer" src="{}"></script>')]
FLAT = [re.compile(r'<img class="dpx-flat"[^>]*>'), re.compile(r'<span class="dpx-flat"[^>]*>[^<]*</span>')]

FILES = ["sphinx-thebe.js", "sphinx-thebe.css", "scripts/fontawesome.js", "scripts/fontawesome.js.LICENSE.txt",
         "scripts/*.map", "styles/*.map", "webpack-macros.html", "sbt-webpack-macros.html"]
NAME = re.compile(r"\bfa-([a-z0-9]+(?:-[a-z0-9]+)*)")
RULE = re.compile(r'(?:\.fa-[a-z0-9-]+:before,?)+\{content:"\\([0-9a-f ]+|.)"\}')
# A glyph in a style sheet, escaped or as the character itself.
POINT = re.compile(r"\\([ef][0-9a-f]{3})\b|([\ue000-\uf8ff])")
SOURCE = re.compile(r'url\(([^()]*/webfonts/fa-[a-z]+-\d+)\.woff2\) format\("woff2"\),\s*url\([^()]*\.ttf\) format\("truetype"\)')


def clean_page(html: str, *, is_search: bool) -> str:
    """One page's HTML without the tags it has no use for; doing it twice changes nothing."""
    for pattern in UNWANTED + ([] if is_search else SEARCH):
        html = pattern.sub("", html)
    for pattern, better in REPAIRS:
        html = pattern.sub(better, html)
    html = _first_of_each(REPEATED, html, key=str.strip)
    html = _first_of_each(STYLE, html, key=str)
    return _first_of_each(VIEWPORT, html, key=lambda tag: "viewport")


def share_assets(html: str) -> tuple[str, dict[str, str]]:
    """A page whose outputs use linked styles and one linked player, and the files that it links to: name -> content.

    A file is named after what is in it: pages whose notebooks were made with different versions keep their own.
    """
    root = re.search(r'data-content_root="([^"]*)"', html)
    files: dict[str, str] = {}
    if root is None:
        return html, files
    links = []
    for pattern, ending, tag in OWN:
        for content in dict.fromkeys(pattern.findall(html)):
            name = f"dpfair-{hashlib.sha256(content.encode()).hexdigest()[:10]}{ending}"
            files[name] = content
            links.append(tag.format(f"{root[1]}_static/{name}"))
        html = pattern.sub("", html)
    if links:
        for pattern in FLAT:
            html = pattern.sub("", html)
        html = html.replace("</head>", "  ".join(["", *links]) + "\n  </head>", 1)
    return html, files


def _first_of_each(pattern: re.Pattern, html: str, key: Callable[[str], str]) -> str:
    """``html`` without the matches whose ``key`` an earlier match had."""
    seen: set[str] = set()

    def once(match: re.Match) -> str:
        return "" if key(match[0]) in seen else seen.add(key(match[0])) or match[0]

    return pattern.sub(once, html)


def fetch_maths_ahead(html: str, script: str) -> str:
    """A page without formulas fetches the script of the others while the reader reads, so that the next page need not wait."""
    root = re.search(r'data-content_root="([^"]*)"', html)
    if root is None or "tex-chtml.js" in html:
        return html
    return html.replace("</head>", f'<link rel="prefetch" as="script" href="{root[1]}{script}"/>\n  </head>', 1)


def cut_icons(static: Path, texts: list[str]) -> None:
    """Leave in the theme's fonts and styles only the icons whose names stand in `texts` or whose glyphs another style rule names."""
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    css = sheet.read_text(encoding="utf-8")
    if not SOURCE.search(css):
        return  # cut by the build before
    names = {name for text in texts for name in NAME.findall(text)}
    wanted = {escaped or f"{ord(character):x}" for other in static.rglob("*.css")
              for escaped, character in POINT.findall(RULE.sub("", other.read_text(encoding="utf-8")))}

    def keep(match: re.Match) -> str:
        if names.isdisjoint(NAME.findall(match[0])):
            return ""
        wanted.add(match[1].strip())
        return match[0]

    css = RULE.sub(keep, css)
    for font in sorted((static / "vendor" / "fontawesome" / "webfonts").glob("*.ttf")):
        options = subset.Options(flavor="woff", layout_features=[], notdef_outline=True, recalc_timestamp=False)
        loaded = TTFont(font, recalcTimestamp=False)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=[int(point, 16) for point in wanted if len(point) == 4])
        cutter.subset(loaded)
        loaded.flavor = "woff"
        loaded.save(font.with_suffix(".woff"))
        font.unlink()
        font.with_suffix(".woff2").unlink(missing_ok=True)
    sheet.write_text(SOURCE.sub(r'url(\1.woff) format("woff")', css), encoding="utf-8")


def _finish(app, error) -> None:
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    found = {path: path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.html")) if static not in path.parents}
    maths = next((match[1] for html in found.values() if (match := MATHS.search(html))), None)
    pages = []
    for path, html in found.items():
        cleaned, shared = share_assets(clean_page(html, is_search=path.name == "search.html"))
        for name, content in shared.items():
            (static / name).write_text(content, encoding="utf-8")
        if maths:
            cleaned = fetch_maths_ahead(cleaned, maths)
        if cleaned != html:
            path.write_text(cleaned, encoding="utf-8")
        pages.append(cleaned)
    for pattern in FILES:
        for path in static.glob(pattern):
            path.unlink()
    scripts = [path.read_text(encoding="utf-8") for path in static.rglob("*.js") if "mathjax" not in path.parts]
    cut_icons(static, pages + scripts)


def setup(app) -> dict:
    app.connect("build-finished", _finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
