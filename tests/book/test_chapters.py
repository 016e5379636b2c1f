"""The chapters have the parts that every chapter of this book has, in their order; what they name exists.

Numbered chapters, ``NN-name.md``, are asked for all parts: card, puzzle, figure, setting, statements with their proofs, an attack on one
of them, the library's own source, an experiment, self-checks, exercises, close. Ten people and the refreshers (``refresher-name.md``)
state less and are asked for less. What a built page shows is looked at in ``test_site.py``, the ledger's rows in ``test_ledger.py``.
"""
from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import minutes
from test_floors import BESIDE, FLOORS

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
NUMBERED = sorted(CHAPTERS.glob("[0-9][0-9]-*.md"))
LIGHTER = sorted([CHAPTERS / "ten-people.md", *CHAPTERS.glob("refresher-*.md")])
INSTRUCTORS = sorted((CHAPTERS.parent / "instructors").glob("*.md"))

CARD = ("You will be able to", "Time", "Before this", "In the papers", "To run it")
WHY_WORDS = 120
IN_FORM = {name for name, row in minutes.stored().items() if row.in_form}       # the site counts their minutes
CLOSE = ("Remember", "Limits", "Where the paper", "References")
SECTIONS = ("Puzzle", "Explore", "Setting", "Experiment", "Self-check", "Exercises", "Close")
FORM_SECTIONS = ("Explore", "Puzzle", *SECTIONS[2:])
PROVED = ("theorem", "lemma", "proposition", "corollary")
CENTRAL = ("theorem", "lemma", "proposition")       # in a core, why they are true is said before the proof
SAID = (*PROVED, "definition", "assumption")        # boxes with "In words" and "Fails if"
LONGEST = 14            # lines of a cell that lies open, blank ones not counted; a dozen is better


class Box(NamedTuple):
    kind: str       # of the directive: prf:theorem, exercise, code-cell, ...
    title: str
    body: str
    line: int


def boxes(text: str) -> Iterator[Box]:
    """Every directive of a page, inner ones too, in order."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if opened := re.match(r"\s*(`{3,}|:{3,})\{([\w:-]+)\}\s*(.*)", line):
            closes = re.compile(rf"\s*{opened[1][0]}{{{len(opened[1])},}}\s*$")
            body = []
            for below in lines[number + 1:]:
                if closes.match(below):
                    break
                body.append(below)
            yield Box(opened[2], opened[3].strip(), "\n".join(body), number)


def cells(text: str) -> str:
    """The Python of all cells, without the lines that begin a cell's options."""
    sources = (re.sub(r"\A---\n.*?^---\n", "", box.body, flags=re.S | re.M) for box in boxes(text) if box.kind == "code-cell")
    return "\n".join(re.sub(r"^(?::\w+:.*|%.*)$", "", source, flags=re.M) for source in sources)


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name]


def sections(text: str) -> dict[str, str]:
    """First word of a heading of the second level -> what stands below the headings that begin so."""
    found: dict[str, str] = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        word = re.match(r"[\w-]*", heading)[0]
        found[word] = found.get(word, "") + body
    return found


# --- what is asked of a page ----------------------------------------------------------------------------------------------

def card_and_checks(text: str, *, counted: bool = False) -> Iterator[str]:
    """Of every page; its card says minutes, unless they are counted."""
    first = next(boxes(text), None)
    if first is None or first.title != "Chapter card":
        yield "its first box is no {admonition} Chapter card"
    else:
        for entry in CARD:
            if f"**{entry}**" not in first.body and not (entry == "Time" and counted):
                yield f"the card has no entry **{entry}**"
    if len(calls(ast.parse(cells(text)), "SelfCheck")) < 3:
        yield "fewer than three SelfCheck questions"
    yield from figures(text)


def figures(text: str) -> Iterator[str]:
    """A figure that moves says what it shows now: its alt is a function."""
    tree = ast.parse(cells(text))
    texts = {target.id for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.JoinedStr)
             for target in node.targets if isinstance(target, ast.Name)}
    for call in calls(tree, "Explorer"):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        alt = given.get("alt")
        stays = alt is None or isinstance(alt, ast.Constant | ast.JoinedStr) or (isinstance(alt, ast.Name) and alt.id in texts)
        if "sliders" in given and stays:
            yield f"Explorer({ast.unparse(call.args[0])}): alt is not a function of the sliders, so its sentence stays as the figure moves"


def long_cells(text: str) -> Iterator[str]:
    """A cell that lies open is read at one glance."""
    for box in boxes(text):
        options, _, code = box.body.rpartition("\n---\n")
        lines = [line for line in code.splitlines() if line.strip() and not line.startswith(":")]
        folded = re.search(r"^:?tags:.*\b(?:hide|remove)-", options + "\n" + box.body, re.M)
        if box.kind == "code-cell" and not folded and len(lines) > LONGEST:
            yield f"the cell in line {box.line + 1} has {len(lines)} lines, more than {LONGEST}: split it"


def tables(text: str) -> Iterator[str]:
    """Each column has a head, for those who hear a table cell by cell."""
    for head in re.findall(r"^(\|.*\|)\n\|(?: *:?-+:? *\|)+$", text, re.M):
        if not all(cell.strip() for cell in head.strip("|").split("|")):
            yield f"the table '{head}' has a column without a head"
        if "$" in head.strip("|").partition("|")[2]:      # on a phone it is repeated in each cell, as plain text
            yield f"the table '{head}' has a formula in the head of a column: give it a name"


def links(text: str) -> Iterator[str]:
    """Boxes have no numbers, so a link to one says its name."""
    for label in re.findall(r"\{prf:ref\}`([^<`]*)`", text):
        yield f"the link to {label} has no words: a box without a number has no name of its own"


def algorithms(text: str) -> Iterator[str]:
    """Pseudocode, and below it, in the same section, the library's own source."""
    parts = re.split(r"^## ", text, flags=re.M)[1:]
    if not any(re.search(r"\{prf:algorithm\}[\s\S]*^show\(", part, re.M) for part in parts):
        yield "no {prf:algorithm} with a show(...) below it in its section"


def statements(text: str) -> Iterator[str]:
    """A boxed statement is said in words, with what makes it fail; what is to be proved is proved before the next box."""
    here = [box for box in boxes(text) if box.kind.startswith("prf:")]
    for box, following in zip(here, [*here[1:], None], strict=True):
        kind = box.kind.removeprefix("prf:")
        name = f"{kind} '{box.title}'"
        if kind in SAID:
            for words in ("**In words.**", "**Fails if**"):
                if words not in box.body:
                    yield f"{name} has no {words}"
        if kind in PROVED and (following is None or following.kind != "prf:proof"):
            yield f"{name} has no proof below it"
        if kind == "proof" and not (re.search(r"\*\*(?:Step|Part) \d", box.body) and "*(uses: " in box.body):
            yield f"the proof in line {box.line + 1} has no numbered steps that name what they use"


def core(text: str) -> str:
    """A page without its deeper parts: those with a body, and those down to ``{deeper-end}``."""
    kept, until, depth = [], None, 0
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if until:
            until = None if until.match(line) else until
        elif opened := re.match(r"(`{3,}|:{3,})\{(deeper|deeper-end)\}", line):
            until = re.compile(rf"{opened[1][0]}{{{len(opened[1])},}}\s*$")
            if until.match(below):          # one of the two ends of a part that holds cells
                depth += 1 if opened[2] == "deeper" else -1
        elif not depth:
            kept.append(line)
    return "\n".join(kept)


def in_form(text: str) -> Iterator[str]:
    """Of a chapter in the form: no minutes by hand, and each statement of the core says why it is true, between itself and its proof."""
    card = next((box.body for box in boxes(text) if box.title == "Chapter card"), "")
    if "**Time**" in card:
        yield "the card says minutes, which the site counts: take the entry **Time** out"
    here = [box for box in boxes(core(text)) if box.kind.startswith("prf:") or box.kind == "why"]
    for box, following in pairwise([*here, None]):
        if box.kind.removeprefix("prf:") in CENTRAL and (following is None or following.kind != "why"):
            yield f"{box.kind.removeprefix('prf:')} '{box.title}' does not say {{why}} it is true before its proof"
    for box in here:
        if box.kind == "why" and (words := len(box.body.split())) > WHY_WORDS:
            yield f"{{why}} '{box.body.strip()[:30]}...' has {words} words, at most {WHY_WORDS}: five lines that a reader can retell"


def exercises(text: str) -> Iterator[str]:
    """Each with a label and, folded, hint and solution."""
    below = sections(text).get("Exercises", "")
    parts = re.split(r"^`{3,}\{exercise\}", below, flags=re.M)[1:]
    if not parts:
        yield "no {exercise} in the section Exercises"
    for part in parts:
        title = part.split("\n", 1)[0].strip()
        if re.search(r"^:assignment: ", part, re.M):
            if "{dropdown}" in part or not re.search(r"^:label: as-", part, re.M):
                yield f"assignment '{title}' has a hint or a solution, or no :label: as-..., or stands before an exercise"
            continue
        if not re.search(r"^:label: ex-", part, re.M):
            yield f"exercise '{title}' has no :label: ex-..."
        if not re.search(r"^`{3,}\{dropdown\} Hint", part, re.M):
            yield f"exercise '{title}' has no folded hint"
        if not re.search(r"^`{3,}\{dropdown\} Solution", part, re.M):
            yield f"exercise '{title}' has no folded solution"


def anatomy(text: str, *, form: bool = False) -> Iterator[str]:
    """The parts of a numbered chapter, in their order; in the form its question and first figure come first."""
    found, wanted = sections(text), FORM_SECTIONS if form else SECTIONS
    order = [word for word in found if word in wanted]
    for word in wanted:
        if word not in found:
            yield f"no section '## {word}'"
    if order != [word for word in wanted if word in found]:
        yield f"its sections stand in the order {', '.join(order)}"
    tree = ast.parse(cells(text))
    for name in ("Puzzle", "Explorer", "show"):
        if not calls(tree, name):
            yield f"no {name}(...) in a cell"
    if "ten_people" not in {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}:
        yield "the ten people do not occur"
    if not any(box.kind == f"prf:{kind}" for box in boxes(text) for kind in SAID):
        yield "no boxed statement"
    for words in ("**Attack", "**Break"):
        if not re.search(rf"^{re.escape(words)}(?:(?!^#)[\s\S])*?^```{{code-cell}}", text, re.M):
            yield f"no paragraph {words} ...** with a cell below it"
    if len(calls(ast.parse(cells(found.get("Self-check", ""))), "SelfCheck")) < 3:
        yield "fewer than three questions in the section Self-check"
    for words in CLOSE:
        if not re.search(rf"^\*\*{words}", found.get("Close", ""), re.M):
            yield f"the close has no paragraph **{words}...**"


def names(text: str) -> Iterator[str]:
    """What stands in code type and looks like the library's is the library's; what a reference names is a label of the book."""
    prose = re.sub(r"^(`{3,})\{code-cell\}.*?^\1\s*$", "", text, flags=re.S | re.M)
    own = {node.name for node in ast.walk(ast.parse(cells(text))) if isinstance(node, ast.FunctionDef)}
    for code in re.findall(r"(?<![`}])`([^`\n]+)`(?!`)", prose):
        dotted = re.match(r"(?:dpfair_teach\.)?([a-z_]+)((?:\.\w+)+)", code)
        if dotted and dotted[1] in FLOORS and not exists(dotted[1], dotted[2]):
            yield f"`{code}`: the library has no {dotted[1]}{dotted[2]}"
        called = re.match(r"(\w+)\(", code)
        if called and called[1] not in own | known():
            yield f"`{code}`: neither the library nor this page has a function {called[1]}"
    for role, target in re.findall(r"\{(ref|prf:ref|numref)\}`([^`]+)`", prose):
        label = re.sub(r".*<(.+)>$", r"\1", target, flags=re.S).strip()
        if label not in labels():
            yield f"{{{role}}}`{target}`: no page has the label {label}"


def exists(room: str, path: str) -> bool:
    try:
        thing = importlib.import_module(f"dpfair_teach.{room}")
    except ModuleNotFoundError:
        return False
    for name in path.split(".")[1:]:
        if not hasattr(thing, name):
            return name in getattr(thing, "__annotations__", ())        # a field of a record
        thing = getattr(thing, name)
    return True


@cache
def known() -> frozenset[str]:
    """Names that may be called without their room: public ones, methods of public classes, Python's own."""
    found = set(dir(builtins))
    for room in ("", *(f".{room}" for room in FLOORS if room not in BESIDE)):
        try:
            module = importlib.import_module(f"dpfair_teach{room}")
        except ModuleNotFoundError:     # a room that is still to be built
            continue
        for name in module.__all__:
            found |= {name} | (set(dir(thing)) if isinstance(thing := getattr(module, name), type) else set())
    return frozenset(found)


@cache
def labels() -> frozenset[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in [*sorted(CHAPTERS.glob("*.md")), *INSTRUCTORS])
    return frozenset(re.findall(r"^\(([\w-]+)\)=\s*$", text, re.M) + re.findall(r"^:(?:label|name):\s*([\w-]+)\s*$", text, re.M))


def numbered(text: str) -> Iterator[str]:
    """Where the prose of a page in the form names a statement that has a box by its number, it shows the box: the name is a link."""
    prose = re.sub(r"^(`{3,})\{(?:code-cell|admonition)\}.*?^\1\s*$", "", text, flags=re.S | re.M)
    prose = re.sub(r"^\s*`{3,}\{.*$|\{[\w:]+\}`[^`]+`", "", prose, flags=re.M)         # titles, and what is a link
    for name, number in re.findall(r"\b([A-Z][a-z]+?)s? ((?:[A-Z]\.)?\d+(?:\.\d+)?)\b", prose):
        if f"{name} {number}" in boxed():
            yield f"{name} {number} is named without a link to its box: {{prf:ref}}`{name} {number} <...>`"


@cache
def boxed() -> frozenset[str]:
    """The statements of the papers that have boxes, by kind and number."""
    every = [box for path in CHAPTERS.glob("*.md") for box in boxes(path.read_text(encoding="utf-8")) if box.kind.startswith("prf:")]
    found = [(box.kind, re.match(r"([A-Z][a-z]+ )?((?:[A-Z]\.)?\d+(?:\.\d+)?)\b", box.title)) for box in every]
    return frozenset(f"{(of[1] or kind.removeprefix('prf:').capitalize()).strip()} {of[2]}" for kind, of in found if of)


def lacks(text: str, *, lighter: bool = False, form: bool = False) -> list[str]:
    always = (partial(card_and_checks, counted=form), long_cells, tables, links, statements, names, *([in_form, numbered] if form else []))
    return [lack for ask in (always if lighter else (*always, exercises, algorithms, partial(anatomy, form=form))) for lack in ask(text)]


# --- the tests ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_a_numbered_chapter_has_all_its_parts(path):
    missing = lacks(path.read_text(encoding="utf-8"), form=path.stem in IN_FORM)
    assert not missing, "\n".join([f"{path.name}:", *missing])


@pytest.mark.parametrize("path", LIGHTER, ids=lambda path: path.stem)
def test_a_page_of_the_start_has_its_parts(path):
    missing = lacks(path.read_text(encoding="utf-8"), lighter=True, form=path.stem in IN_FORM)
    assert not missing, "\n".join([f"{path.name}:", *missing])


@pytest.mark.parametrize("path", sorted({*CHAPTERS.glob("*.md"), *INSTRUCTORS} - {*NUMBERED, *LIGHTER}), ids=lambda path: path.stem)
def test_what_another_page_names_exists(path):
    text = path.read_text(encoding="utf-8")
    assert not (missing := [*names(text), *tables(text), *links(text)]), "\n".join([f"{path.name}:", *missing])


# --- and each lack is found --------------------------------------------------------------------------------------------------

SPOILT = [      # what is taken out of a chapter or put into it, and what is then said
    ("{admonition} Chapter card", "{admonition} Card", "its first box is no"),
    ("**Before this**", "**Before**", "the card has no entry **Before this**"),
    ("## Puzzle:", "## Riddle:", "no section '## Puzzle'"),
    ("## Setting", "## Assumptions", "no section '## Setting'"),
    ("## Experiment:", "## Data:", "no section '## Experiment'"),
    ("## Exercises", "## Practice", "no section '## Exercises'"),
    ("## Close", "## End", "no section '## Close'"),
    ("## Puzzle:", "## Exercises\n\n## Puzzle:", "its sections stand in the order"),
    ('load("ten_people")', 'load("communities")', "the ten people do not occur"),
    ("Puzzle(", "print(", "no Puzzle(...) in a cell"),
    ("Explorer(", "print(", "no Explorer(...) in a cell"),
    ("show(", "print(", "no show(...) in a cell"),
    ("SelfCheck(", "print(", "fewer than three SelfCheck questions"),
    ("## Self-check\n", "## Self-check\n\nNone.\n\n## Questions\n", "fewer than three questions in the section Self-check"),
    ("alt=plane_alt", 'alt="A figure."', "alt is not a function of the sliders"),
    ("alt=plane_alt, ", "", "alt is not a function of the sliders"),
    ("def plane_alt(gamma):", 'plane_alt = "A figure."\n\n\ndef other(gamma):', "alt is not a function of the sliders"),
    ("**In words.** Four numbers", "Four numbers", "lemma '(ours): rates of a derived classifier' has no **In words.**"),
    ("**Fails if** a cell $(a,y)$ is empty.", "", "definition 'of LP (2), the empirical program' has no **Fails if**"),
    ("{prf:proof}", "{admonition} Proof", "theorem '(ours): closed form' has no proof below it"),
    ("**Step ", "**Now ", "has no numbered steps"),
    ("**Attack", "**Try", "no paragraph **Attack"),
    ("**Break", "**Try", "no paragraph **Break"),
    ("```{dropdown} Solution", "```{dropdown} Hint", "has no folded solution"),
    ("```{dropdown} Hint\nWrite the best", "```{dropdown} First\nWrite the best", "exercise '5C. The slope' has no folded hint"),
    ("{prf:algorithm}", "{prf:remark}", "no {prf:algorithm} with a show(...) below it"),
    ("show(postprocessing.crossings", "print(postprocessing.crossings", "no {prf:algorithm} with a show(...) below it"),
    ("tags: [hide-input]\nmystnb", "mystnb", "lines, more than 14: split it"),
    ("## Close\n", "## Close\n\n```{code-cell}\n" + "print(1)\n" * 15 + "```\n", "lines, more than 14: split it"),
    (":label: ex-05-slope\n", "", "exercise '5C. The slope' has no :label:"),
    ("**Remember.**", "", "the close has no paragraph **Remember"),
    ("**Limits.**", "", "the close has no paragraph **Limits"),
    ("## Close\n", "## Close\n\n| | b |\n| --- | --- |\n| 1 | 2 |\n", "has a column without a head"),
    ("## Close\n", "## Close\n\n| a | $b$ |\n| --- | --- |\n| 1 | 2 |\n", "has a formula in the head of a column"),
    ("## Close\n", "## Close\n\nSee {prf:ref}`thm-closed-form`.\n", "the link to thm-closed-form has no words"),
    ("## Close\n", "## Close\n\nSee `fairness.no_such()`.\n", "the library has no fairness.no_such"),
    ("## Close\n", "## Close\n\nSee `fairness.violation.no_such`.\n", "the library has no fairness.violation.no_such"),
    ("## Close\n", "## Close\n\nSee `solve_all(q, gamma)`.\n", "has a function solve_all"),
    ("{ref}`ch-dp-postprocessing`", "{ref}`ch-postprocessing`", "no page has the label ch-postprocessing"),
    ("<thm-closed-form>", "<thm-open-form>", "no page has the label thm-open-form"),
]


@pytest.mark.parametrize("old, new, said", SPOILT)
def test_what_a_chapter_lacks_is_said(old, new, said):
    text = (CHAPTERS / "05-equalized-odds.md").read_text(encoding="utf-8")
    assert old in text, "the chapter has changed: choose another part of it to spoil"
    assert any(said in lack for lack in lacks(text.replace(old, new))), lacks(text.replace(old, new))


LEMMA = """```{prf:lemma} 1: a fact
```

```{why}
It is clear.
```

````{prf:proof}
````
"""
DEEPER = {"with a body": "`````{deeper} Sharper\n" + LEMMA + "`````\n",
          "with cells": "```{deeper} Sharper\n```\n\n" + LEMMA + "\n```{deeper-end}\n```\n"}


@pytest.mark.parametrize("where", ["", *DEEPER])
def test_a_statement_of_the_core_says_why_it_is_true(where):
    page = DEEPER[where] if where else LEMMA
    without = page.replace("```{why}\nIt is clear.\n```\n", "")
    assert without != page and not list(in_form(page)) and bool(list(in_form(without))) == (not where)
    assert list(in_form(without + LEMMA)) == list(in_form(without))         # the core goes on where the part ends
    long, short = ("```{why}\n" + "so " * words + "\n```\n" for words in (WHY_WORDS + 1, WHY_WORDS))
    assert list(in_form(long)) and not list(in_form(short))
    assert list(in_form("```{admonition} Chapter card\n**Time**: 5 minutes.\n```\n"))


def test_a_statement_with_a_box_is_named_with_a_link_to_it():
    for said, missing in (("By {prf:ref}`Lemma 3.4 <lem-3-4>`.", 0), ("By Lemma 3.4.", 1), ("*(uses: Lemmas 3.3, 3.4)*", 1),
                          ("```{prf:lemma} 3.4: a fact\n```", 0), ("Lemma 9.9 has no box.", 0), ("See Subroutine 4.", 1)):
        assert len(list(numbered(said))) == missing, said


def test_a_chapter_in_the_form_begins_with_its_figure():
    for first, form in (("Explore", True), ("Puzzle", False)):
        second = "Puzzle" if first == "Explore" else "Explore"
        page = f"## {first}\n\n## {second}\n"
        assert not any("order" in said for said in anatomy(page, form=form))
        assert any("order" in said for said in anatomy(page, form=not form))


def test_a_library_name_is_one_that_can_be_had():
    assert not list(names("`fairness.violation(counts)`, `dpfair_teach.fairness.NOTIONS`, `accounting.Release.epsilon`, `len(q)`"))
