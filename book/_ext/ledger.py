"""The ledger page: ``{ledger}`` lays ``book/theorems.yml`` out as one accessible table a paper, and one of the book's own statements.

``{ledger-summary}`` gives the counts, ``{ledger} jagielski`` the rows of one paper. Each row has an address of its own
(``#jagielski-lemma-2-1``), a fold-out with its notes and checks, and links to the statement in its chapter, to the function on the
reference page and to the gaps its note names, wherever those exist in the book. On narrow screens a row becomes a card.
"""
from __future__ import annotations

import re
from collections import Counter
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError, NoUri
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import exercise_subtitle

import reference

PAGE = "book/chapters/ledger"
LEDGER = Path(__file__).resolve().parents[1] / "theorems.yml"
PAPERS = {"jagielski": "Jagielski et al. 2019", "tran": "Tran et al. 2021", "ding": "Ding et al. 2020", "ours": "this book"}
SOURCES = {"main": "main text", "supplement": "supplement", "arxiv": "arXiv version", "book": "this book"}
#: Number -> title, and the label of those that are written. 0 is a page without a number.
CHAPTERS = {
    0: ("Ten people", "ch-ten-people"),
    1: ("Why locking the data up is not enough", "ch-locking-up"), 2: ("Fairness as rates", "ch-fairness"),
    3: ("Privacy for one attribute", "ch-privacy"), 4: ("Adding up", "ch-adding-up"),
    5: ("Equalized odds", "ch-equalized-odds"), 6: ("DP-postprocessing", "ch-dp-postprocessing"),
    7: ("Fairness for less epsilon", "ch-less-epsilon"),
    8: ("Fair learning as a game", "ch-game"), 9: ("Oracles", "ch-oracles"),
    10: ("DP-oracle-learner", "ch-oracle-learner"), 11: ("Private as printed?", "ch-private-as-printed"),
    12: ("When A may be used", "ch-aware"), 13: ("The separation", "ch-separation"), 14: ("Ask once", "ch-ask-once"),
    15: ("Networks and multipliers", "ch-networks"), 16: ("PF-LD", "ch-pf-ld"),
    17: ("Clips and missing attributes", "ch-clip"), 18: ("The functional mechanism", "ch-functional"), 19: ("PDFC and ADFC", "ch-pdfc"),
    20: ("Covariance constraints", "ch-covariance"), 21: ("Communities and Crime", "ch-communities"),
    22: ("The networks' tables", "ch-networks-tables"),
    23: ("The functional mechanism's tables", "ch-functional-tables"),
    24: ("All systems side by side", ""), 25: ("What cannot be done", ""),
}
FILLED_LATER = ("label", "function", "test", "mutants", "exercises", "verdict")
SERIOUS = {"false", "not private as printed", "not reproduced"}
CAREFUL = {"loose", "gap in the proof", "needs a hypothesis", "misprint", "reconstructed"}
GAP = re.compile(r"\b([JTD])(\d{1,2})\b")

STYLE = """<style>
.ledger{width:100%;table-layout:fixed;border-collapse:collapse;font-size:.9rem}
.ledger code{overflow-wrap:anywhere;white-space:normal}
.ledger caption{caption-side:top;text-align:left;font-weight:600;padding:.4rem 0}
.ledger th,.ledger td{border-top:1px solid var(--pst-color-border);padding:.45rem .5rem;text-align:left;vertical-align:top;
  overflow-wrap:anywhere}
.ledger th[scope=row]{font-weight:600}
.ledger th:nth-child(1){width:23%}.ledger th:nth-child(3){width:19%}.ledger th:nth-child(4){width:18%}
.ledger small{display:block;font-weight:400}
.ledger tr:target{outline:2px solid var(--pst-color-primary);outline-offset:-2px}
.ledger dl{margin:.3rem 0 0}.ledger dt{font-weight:600;margin:0}.ledger dd{margin:0 0 .3rem 0}
.ledger .verdict{list-style:none;margin:0;padding:0}.ledger .serious{font-weight:700}.ledger .serious::before{content:"\\2716  "}
.ledger .careful::before{content:"\\25B3  "}.ledger .fine::before{content:"\\2713  "}.ledger .open::before{content:"\\2026  "}
@media (max-width:48rem){.ledger,.ledger tbody,.ledger tr,.ledger th,.ledger td,.ledger caption{display:block;width:100%}
 .ledger thead{position:absolute;clip-path:inset(50%);height:1px;width:1px;overflow:hidden;white-space:nowrap}
 .ledger tr{border-top:2px solid var(--pst-color-border);padding:.4rem .3rem}.ledger tr th:nth-child(n){width:100%}
 .ledger th,.ledger td{border:0;padding:.15rem 0}}
</style>"""


class ledger_table(nodes.General, nodes.Element):
    """Stands for the rows of one paper until every label of the book is known."""


def load() -> list[dict]:
    return yaml.load(LEDGER.read_text(encoding="utf8"), Loader=yaml.CSafeLoader)


def _depends(env: BuildEnvironment) -> None:
    """Read the page again when the ledger or the way it is laid out changes."""
    for path in (LEDGER, Path(__file__)):
        env.note_dependency(str(path))


def slug(row: dict) -> str:
    """The row's address on the page: ``jagielski-lemma-a-1-2``."""
    return row["paper"] + "-" + re.sub(r"[^a-z0-9]+", "-", row["statement"].lower()).strip("-")


def planned(rows: list[dict]) -> int:
    """How many fields a later piece of work fills."""
    return sum(row[field] == "planned" for row in rows for field in FILLED_LATER)


def is_name(value: object) -> bool:
    """True for a real entry, False for ``planned`` and ``none: reason``."""
    return value != "planned" and not str(value).startswith("none: ")


class LedgerDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        paper = directives.choice(self.arguments[0], tuple(PAPERS))
        _depends(self.env)
        return [ledger_table(paper=paper)]


class SummaryDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        _depends(self.env)
        rows = load()
        checked = [row for row in rows if is_name(row["test"])]
        working = [row for row in rows if row["test"] == "planned" and row["verdict"] != "planned"]
        by_paper = ", ".join(f"{sum(r['paper'] == p for r in rows)} from {name}" for p, name in PAPERS.items())
        text = [f"{len(rows)} rows: {by_paper}. {len(checked)} rows have a test in this repository. "
                f"{planned(rows)} fields are still planned.",
                f"Verdicts behind which a test stands: {_tally(checked)}. Working verdicts, not checked yet: {_tally(working)}."]
        return [nodes.paragraph("", line) for line in text]


def _tally(rows: list[dict]) -> str:
    """How often each verdict was given, the commonest first."""
    return ", ".join(f"{name} {n}" for name, n in Counter(v for row in rows for v in row["verdict"]).most_common())


class Links:
    """Addresses, from one page, of labels, functions and gaps; ``None`` where the book has none."""

    def __init__(self, app: Sphinx, page: str) -> None:
        self.app, self.page = app, page
        std = app.env.domaindata.get("std", {})
        self.labels = {name: entry[:2] for name, entry in std.get("anonlabels", {}).items()}
        self.proofs = getattr(app.env, "proof_list", {})
        self.exercises = getattr(app.env, "sphinx_exercise_registry", {})

    def _uri(self, docname: str, anchor: str) -> str | None:
        try:
            return self.app.builder.get_relative_uri(self.page, docname) + (f"#{anchor}" if anchor else "")
        except (NoUri, KeyError):
            return None

    def label(self, name: str) -> tuple[str, str] | None:
        """(address, shown text) of a label of the book."""
        if name in self.proofs:
            entry = self.proofs[name]
            shown, uri = f"the {entry['realtype']}", self._uri(entry["docname"], name)
        elif name in self.exercises:
            entry = self.exercises[name]
            shown, uri = entry["node"].next_node(exercise_subtitle).astext(), self._uri(entry["docname"], name)
        elif name in self.labels:
            docname, anchor = self.labels[name]
            title = self.app.env.domaindata["std"]["labels"].get(name, ("", "", ""))[2]
            shown, uri = title or name, self._uri(docname, anchor)
        else:
            return None
        return None if uri is None else (uri, shown)

    def function(self, dotted: str) -> str | None:
        """Address of a library name on the reference page."""
        entry = reference.find(dotted)
        return self._uri(reference.PAGE, entry.id) if entry and reference.PAGE in self.app.env.found_docs else None

    def note(self, text: str) -> str:
        """The note as HTML, with every gap it names linked to the page of gaps."""
        def link(match: re.Match) -> str:
            found = self.label(f"gap-{match[1].lower()}{match[2]}")
            return f'<a href="{escape(found[0])}">{match[0]}</a>' if found else match[0]
        return GAP.sub(link, escape(text))


def _value(value: object, links: Links, kind: str) -> str:
    """One field of the fold-out as HTML."""
    if value == "planned":
        return "planned"
    if kind == "exercises":
        found = [(links.label(name), name) for name in value]
        return ", ".join(f'<a href="{escape(at[0])}">{escape(at[1])}</a>' if at else escape(name) for at, name in found)
    if isinstance(value, list):
        return ", ".join(f"<code>{escape(str(v))}</code>" for v in value)
    if str(value).startswith("none: "):
        return "none: " + escape(str(value)[6:])
    uri = links.function(value) if kind == "function" else None
    code = f"<code>{escape(str(value))}</code>"
    return f'<a href="{escape(uri)}">{code}</a>' if uri else code


def _weight(verdict: str) -> str:
    """The class of one verdict: a mark in front of the word, so that colour is never needed."""
    return "serious" if verdict in SERIOUS else "careful" if verdict in CAREFUL else "fine"


def _verdict(row: dict) -> str:
    if row["verdict"] == "planned":
        return '<ul class="verdict"><li class="open">planned</li></ul>'
    items = "".join(f'<li class="{_weight(v)}">{escape(v)}</li>' for v in row["verdict"])
    working = "<small>working verdict</small>" if row["test"] == "planned" else ""
    return f'<ul class="verdict">{items}</ul>{working}'


def _chapter(row: dict, links: Links) -> str:
    title, label = CHAPTERS[row["chapter"]]
    found = links.label(row["label"]) if is_name(row["label"]) and row["label"] != label else None
    there = f'<small><a href="{escape(found[0])}">{escape(found[1])}</a></small>' if found else ""
    written = links.label(label) if label else None
    chapter = f"{row['chapter']}. {escape(title)}" if row["chapter"] else escape(title)
    return (f'<a href="{escape(written[0])}">{chapter}</a>' if written else f"{chapter} <small>(planned)</small>") + there


def _row(row: dict, links: Links) -> str:
    name, anchor = escape(row["statement"]), slug(row)
    main = row["main_text"]
    also = "" if main.startswith("none") else f"<small>main text: {escape(main)}</small>"
    where = f"<small>{escape(row['kind'])}, {SOURCES[row['source']]}</small>"
    fields = "".join(f"<dt>{title}</dt><dd>{_value(row[key], links, key)}</dd>" for title, key in
                     (("Function", "function"), ("Test", "test"), ("Faults the test catches", "mutants"), ("Exercises", "exercises")))
    note = f"<p>{links.note(row['note'])}</p>" if row["note"] else ""
    return (f'<tr id="{anchor}" role="row"><th scope="row" role="rowheader"><a href="#{anchor}">{name}</a>{where}{also}</th>'
            f'<td role="cell">{escape(row["title"])}'
            f'<details><summary>Notes and checks<span class="visually-hidden"> of {name}</span></summary>{note}'
            f'<dl>{fields}</dl></details></td>'
            f'<td role="cell">{_chapter(row, links)}</td><td role="cell">{_verdict(row)}</td></tr>')


def table_html(paper: str, links: Links) -> str:
    rows = [row for row in load() if row["paper"] == paper]
    heads = "".join(f'<th scope="col" role="columnheader">{h}</th>' for h in ("Statement", "What it says", "Taught in", "Verdict"))
    caption = f"{PAPERS[paper]}: {len(rows)} statements, {planned(rows)} planned fields"
    caption = caption[0].upper() + caption[1:]
    body = "\n".join(_row(row, links) for row in rows)
    return (f'{STYLE}<table class="ledger" role="table"><caption>{caption}</caption>'
            f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
            f'<tbody role="rowgroup">\n{body}\n</tbody></table>')


def fill(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Replace the placeholders once every label is known: HTML for the site, a plain list for any other builder."""
    for node in list(doctree.findall(ledger_table)):
        if app.builder.format == "html":
            node.replace_self(nodes.raw("", table_html(node["paper"], Links(app, page)), format="html"))
            continue
        items = nodes.bullet_list()
        for row in load():
            if row["paper"] == node["paper"]:
                verdict = row["verdict"] if isinstance(row["verdict"], str) else ", ".join(row["verdict"])
                items += nodes.list_item("", nodes.paragraph("", f"{row['statement']}: {row['title']} ({verdict}). {row['note']}"))
        node.replace_self(items)


def always_written(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The page links to labels of every chapter, so it is written anew whenever anything was read."""
    return [PAGE] if PAGE in env.found_docs else []


def readable(app: Sphinx) -> None:
    """Fail early on a file that is not a list of rows."""
    if not isinstance(load(), list):
        raise ExtensionError(f"{LEDGER}: expected a YAML list of rows")


def setup(app: Sphinx) -> dict:
    app.add_node(ledger_table)
    app.add_directive("ledger", LedgerDirective)
    app.add_directive("ledger-summary", SummaryDirective)
    app.connect("builder-inited", readable)
    app.connect("env-updated", always_written)
    app.connect("doctree-resolved", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
