"""What a built page needs to be read well, by eye and by ear; done on the finished HTML, where doing it twice changes nothing.

- A comma or a bracket stays on the line of its formula: browsers may break a line on either side of one.
- The titles of boxes and figures are headings for those who jump from heading to heading. They have no place in the contents.
- Folded code is named by what it does, not each time the same.
- A cell of a table knows its column, so that on a phone each row can be a card (``.stacks`` in the style sheet).
- A folded part says its minutes; below the title the reader chooses between the core and everything.
- A page with formulas says that they need JavaScript, where there is none.
"""
from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

import counting

FORMULA = r'<span class="math notranslate nohighlight">[^<]*</span>'
# What opens before and what closes after; the hyphen of "k-fold" too, after which a line may well break.
GLUED = re.compile(rf'((?:(?<=[\s>])[(\[“‘])?)({FORMULA})((?:[)\]”’.,;:!?…]|-(?=\w))*)')
GLUE = '<span class="glue">'

HEADING = re.compile(r'<h(?P<level>[1-6])[ >]'
                     r'|<p class="admonition-title"(?P<title>(?: id="[^"]*")?)(?: role="heading" aria-level="\d")?>(?P<caption>.*?)</p>'
                     r'|<p class="dpx-title"(?: role="heading" aria-level="\d")?>'
                     r'|(?P<fold><details class="(?:fold|chapter-card)[^>]*>\s*<summary><span class="fold-title")[^>]*>'
                     r'(?P<name>.*?)</span>(?=<span class="fold-minutes|</summary)', re.S)

WHY = "Why it is true"          # stands between a statement and its proof, and is none

FOLD = re.compile(r'<summary aria-label="Toggle hidden content">\s*<p class="collapsed admonition-title">[^<]*</p>\s*'
                  r'<p class="expanded admonition-title">[^<]*</p>\s*</summary>(?P<rest>.*?<pre>(?P<code>.*?)</pre>)', re.S)
TAG = re.compile(r"<[^>]+>")

TABLE = re.compile(r'<table class="table">\s*<thead>.*?</table>', re.S)
HEAD_CELL = re.compile(r"<th[ >].*?</th>", re.S)
PART = re.compile(r"<(thead|tbody|tr|th|td)(?=[ >])")
DIGEST = re.compile(r'<span class="pre">([0-9a-f]{64})(?=<)')     # a checksum is no name: it may be broken
ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}

# Pages whose contents list shows more than its sections: who looks up a gap knows its number.
CONTENTS = {"book/chapters/gaps": 3}

FOLD_MINUTES = re.compile(r'<span class="fold-minutes">[^<]*</span>')
TIME = "<p><strong>Time</strong>"        # a card with minutes of its own, until its chapter is written in the form
DEPTH = re.compile(r'<fieldset class="depth">.*?</fieldset>', re.S)

MATHS = 'class="math notranslate nohighlight"'
TITLE_LINE = re.compile(r'<h1>(?:(?!</h1>).)*class="headerlink".*?</h1>', re.S)
NO_SCRIPT = "<noscript><p><em>The formulas of this page are drawn by JavaScript; without it you see their TeX.</em></p></noscript>"

# The first of these that a cell has names it: its figure's title, its first comment, the functions it defines.
TITLE = re.compile(r'\btitle="([^"]+)"')
COMMENT = re.compile(r"^# *(.+)", re.M)
DEFINED = re.compile(r"^(?:def|class) (\w+)", re.M)
CALL = re.compile(r"[\w.]+\(")


def glue(html: str) -> str:
    """Each inline formula in one piece with the punctuation that touches it."""
    def together(match: re.Match) -> str:
        before, formula, after = match.groups()
        if (not before and not after) or html.endswith(GLUE, 0, match.start()):
            return match[0]
        return f"{GLUE}{before}{formula}{after}</span>"

    return GLUED.sub(together, html)


def headings(html: str) -> str:
    """The titles of boxes and figures as headings, one level below the section they stand in."""
    level, last = 1, ""

    def title(match: re.Match) -> str:
        nonlocal level, last
        if match["level"]:
            level = int(match["level"])
            return match[0]
        role = f'role="heading" aria-level="{min(level + 1, 6)}"'
        if match["fold"]:
            name = match["name"]
            if "proof-fold" in match["fold"]:
                name = f'Proof<span class="visually-hidden"> of {last}</span>' if last else "Proof"
            return f'{match["fold"]} {role}>{name}</span>'
        if match["caption"] is None:
            return f'<p class="dpx-title" {role}>'
        if match["caption"] != WHY:
            last = " ".join(TAG.sub("", match["caption"]).replace('"', "”").split())      # a proof is of the box before it
        return f'<p class="admonition-title"{match["title"]} {role}>{match["caption"]}</p>'

    return HEADING.sub(title, html)


def folds(html: str) -> str:
    """Folded code named by what it does."""
    def named(match: re.Match) -> str:
        name = escape(fold_name(match["code"]), quote=False)
        return f'<summary><span class="admonition-title">{name}</span></summary>{match["rest"]}'

    return FOLD.sub(named, html)


def tables(html: str) -> str:
    """The cells of Markdown tables with the names of their columns, and the roles that another layout would take from them."""
    def stacking(match: re.Match) -> str:
        head = match[0].split("</thead>")[0]
        names = [escape(" ".join(unescape(TAG.sub("", name)).split())) for name in HEAD_CELL.findall(head)]
        column = 0

        def named(tag: re.Match) -> str:
            nonlocal column
            if tag[1] == "tr":
                column = 0
            elif tag[1] == "td":
                column += 1
                if 1 < column <= len(names):    # the first cell is what its row is about
                    return f'{tag[0]} role="cell" data-label="{names[column - 1]}"'
            return f'{tag[0]} role="{ROLES[tag[1]]}"'

        table = DIGEST.sub(r'<span class="pre digest">\1', PART.sub(named, match[0]))
        return table.replace('class="table"', 'class="table stacks" role="table"', 1)

    return TABLE.sub(stacking, html)


def without_script(html: str) -> str:
    """A sentence for those who see TeX instead of formulas."""
    if MATHS not in html or NO_SCRIPT in html:
        return html
    return TITLE_LINE.sub(lambda title: title[0] + NO_SCRIPT, html, count=1)


def minutes(html: str) -> str:
    """Each folded part with its minutes, and below the title the choice between core and everything, with theirs."""
    if '<details class="fold' not in html:
        return html
    counted = counting.count(html)
    each = iter(counted.folds)
    html = FOLD_MINUTES.sub(lambda _: f'<span class="fold-minutes"> · {counting.minutes(next(each))} min</span>', html)
    choice = ""
    for depth, count, checked in (("core", counted.core, ' checked=""'), ("everything", counted.whole, "")):
        told = "" if TIME in html else f' <span class="depth-minutes">{counting.minutes(count)} min</span>'
        choice += f'<label><input type="radio" name="depth" value="{depth}" autocomplete="off"{checked}/> {depth}{told}</label>'
    field = f'<fieldset class="depth"><legend class="visually-hidden">How much of this page is unfolded</legend>{choice}</fieldset>'
    return TITLE_LINE.sub(lambda title: title[0] + field, DEPTH.sub("", html), count=1)


def fold_name(code: str) -> str:
    """The name of a cell's code, given as highlighted HTML.

    >>> fold_name("<i># The bank.</i>"), fold_name("<b>def</b> plane(gamma): ..."), fold_name("import os"), fold_name("draw(table)")
    ('Code: The bank', 'Code of plane', 'Code: imports', 'Code: draw(…)')
    """
    source = unescape(TAG.sub("", code)).strip()
    if "Explorer(" in source and (found := TITLE.search(source)):
        return f"Code of the figure “{found[1]}”"
    if found := COMMENT.search(source):
        return f"Code: {found[1].rstrip('.:')}"
    if found := DEFINED.findall(source):
        return f"Code of {', '.join(found)}"
    if source.startswith(("import ", "from ")):
        return "Code: imports"
    line = source.splitlines()[0] if source else "empty"
    if call := CALL.match(line):
        return f"Code: {call[0]}…)"
    return f"Code: {line if len(line) <= 60 else line[:57] + '...'}"


def _contents(app, pagename, templatename, context, doctree) -> None:
    if pagename in CONTENTS:
        context["theme_show_toc_level"] = CONTENTS[pagename]


def _finish(app, error) -> None:
    if error is not None or app.builder.format != "html":
        return
    for path in sorted((Path(app.outdir) / "book").rglob("*.html")):
        html = path.read_text(encoding="utf-8")
        better = minutes(without_script(tables(folds(headings(glue(html))))))
        if better != html:
            path.write_text(better, encoding="utf-8")


def setup(app) -> dict:
    app.connect("html-page-context", _contents)
    app.connect("build-finished", _finish, priority=950)    # after site_assets has repaired the boxes
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
