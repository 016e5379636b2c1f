"""The ledger is complete, says only what is so, and what was filled in it stays filled."""
from __future__ import annotations

import ast
import importlib
import re
import shutil
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import ledger as page
from ledger import FILLED_LATER

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ROOT / "book" / "chapters"
sys.path[:0] = [str(ROOT / "tests")]

FIELDS = ["paper", "source", "kind", "statement", "main_text", "label", "title", "chapter", "function", "test", "mutants", "exercises",
          "verdict", "note"]
KINDS = {"definition", "assumption", "lemma", "proposition", "theorem", "corollary", "remark", "algorithm", "subroutine", "program",
         "example", "table", "figure", "claim"}
VERDICTS = {"definition", "true", "loose", "gap in the proof", "needs a hypothesis", "misprint", "not private as printed", "false",
            "reconstructed", "reproduced", "not reproduced"}

# Every numbered item of the three papers, read off them by hand (supplement numbers for Jagielski et al.).
NUMBERED = {
    "jagielski": """
        Definition 1.1, Remark 1.1, Remark 1.2, Remark 1.3, Definition 1.2, Definition 1.3, Definition 1.4, Theorem 1.1, Definition 1.5,
        Theorem 1.2, Lemma 1.3, Theorem 1.4, Theorem 1.5, Figure 1 (supplement), LP (1), LP (2), Lemma 2.1, Algorithm 1, LP (3),
        Theorem 2.2, Problem (4), Problem (5), Assumption 3.1, Subroutine 2, Algorithm 3, Assumption 3.2, Subroutine 4, Assumption 3.3,
        Lemma 3.1, Lemma 3.2, Algorithm 5, Lemma 3.3, Lemma 3.4, Theorem 3.5, Theorem 3.6, Remark 3.1, Theorem 3.7, Problem (6),
        Assumption 3.4, Theorem 3.8, Corollary 3.8.1, Theorem 3.9, Lemma A.1(1), Lemma A.1(2), Lemma A.1(3), Lemma A.1(4), Lemma A.1(5),
        Lemma B.1, Lemma B.2, Table 1, Figure 1 left, Figure 1 right, LP (1) of the main text, Remark 4.2 (main text)""",
    "tran": """
        Problem (L), Equation (1), Example 1, Example 2, Example 3, Definition 1, Problem (3), Equation (4), Equation (5), Equation (6),
        Algorithm 1, Theorem 1, Equation (10), Theorem 2, Equation (13), Definition 2, Theorem 3, Theorem 4, Lemma 1, Lemma 2, Theorem 5,
        Theorem 6, Theorem 7, Table 1, Table 2, Figure 1, Figure 2, Figure 3, Figure 4, Figure 5""",
    "ding": """
        Equation (1), Definition 1, Definition 2, Theorem 1, Theorem 2, Equation (2), Lemma 1, Definition 3, Equation (3), Equation (4),
        Equation (5), Equation (6), Algorithm 1, Lemma 2, Theorem 3, Lemma 3, Algorithm 2, Theorem 4, Algorithm 3, Lemma 4, Theorem 5,
        Figure 1, Figure 2, Figure 3, Table 1""",
}
# What the main text numbers on its own: each must be some row's `main_text`.
MAIN_TEXT = """Definition 2.1, Definition 2.2, Algorithm 1, LP (1), Theorem 3.1, Problem (2), Subroutine 2, Algorithm 3, Lemma 4.1,
    Lemma 4.2, Theorem 4.3, Theorem 4.4, Remark 4.1, Remark 4.2, Assumption 4.1, Theorem 4.5, Theorem 4.6, Table 1, Figure 1"""
GAPS = {"J": 37, "T": 30, "D": 14}


@cache
def ledger() -> list[dict]:
    return yaml.load((ROOT / "book" / "theorems.yml").read_text(encoding="utf8"), Loader=yaml.CSafeLoader)    # ten times as fast


def name(row: dict) -> str:
    return f"{row['paper']} {row['statement']}"


def given(value: object) -> bool:
    return value != "planned" and not str(value).startswith("none: ")


def listed(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split(",")]


@cache
def functions_in(path: Path) -> frozenset[str]:
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))) if isinstance(node, ast.FunctionDef))


@cache
def labels() -> frozenset[str]:
    text = "\n".join(path.read_text(encoding="utf8") for path in sorted(CHAPTERS.glob("*.md")))
    return frozenset(re.findall(r"^\(([\w-]+)\)=\s*$", text, re.M) + re.findall(r"^:label:\s*([\w-]+)\s*$", text, re.M))


def test_every_row_has_exactly_the_fields_and_words_of_the_ledger():
    for row in ledger():
        assert list(row) == FIELDS, name(row)
        assert row["paper"] in {*NUMBERED, "ours"} and row["source"] in {"main", "supplement", "arxiv", "book"}, name(row)
        assert (row["paper"] == "ours") == (row["source"] == "book") and row["kind"] in KINDS, name(row)
        assert isinstance(row["chapter"], int) and 0 <= row["chapter"] <= 25, name(row)
        assert row["title"] and isinstance(row["note"], str) and row["main_text"], name(row)
        for field in ("mutants", "exercises"):
            assert (isinstance(row[field], list) and row[field]) or not given(row[field]), f"{name(row)}: {field}"
        for field in FILLED_LATER:
            assert row[field] and str(row[field]) != "none" and row[field] is not None, f"{name(row)}: {field} needs a reason"


def test_verdicts_come_from_the_list():
    for row in ledger():
        if row["verdict"] != "planned":
            assert isinstance(row["verdict"], list) and set(row["verdict"]) <= VERDICTS, f"{name(row)}: {row['verdict']}"
            assert len(set(row["verdict"])) == len(row["verdict"]), name(row)
            assert not {"true", "false"} <= set(row["verdict"]), f"{name(row)} is both true and false"
        if given(row["test"]):
            assert row["verdict"] != "planned", f"{name(row)}: has a test and no verdict"


def test_only_tables_and_figures_are_reproduced():
    for row in ledger():
        if {"reproduced", "not reproduced"} & set(row["verdict"]):
            assert row["kind"] in {"table", "figure", "claim"} and given(row["test"]), name(row)


def test_no_statement_is_listed_twice():
    names = [name(row) for row in ledger()]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_item_of_the_papers_is_there(paper):
    here = {row["statement"].replace(", left", " left").replace(", right", " right") for row in ledger() if row["paper"] == paper}
    assert set(listed(NUMBERED[paper])) <= here, set(listed(NUMBERED[paper])) - here


def test_every_number_of_the_main_text_is_some_rows_main_text():
    here = [row["main_text"] for row in ledger() if row["paper"] == "jagielski"]
    missing = [item for item in listed(MAIN_TEXT) if not any(text.startswith(item) for text in here)]
    assert not missing, missing


def test_every_gap_has_a_place_on_the_page_of_gaps_and_a_row_that_names_it():
    named = set(re.findall(r"\b[JTD]\d{1,2}\b", " ".join(row["note"] for row in ledger())))
    expected = {f"{letter}{i}" for letter, n in GAPS.items() for i in range(1, n + 1)}
    assert expected == named, expected ^ named
    assert {f"gap-{gap.lower()}" for gap in expected} <= labels()


def test_functions_can_be_imported():
    for row in ledger():
        if given(row["function"]):
            module, _, attribute = row["function"].rpartition(".")
            assert callable(getattr(importlib.import_module(module), attribute, None)), f"{name(row)}: {row['function']}"


def test_tests_exist():
    for row in ledger():
        if given(row["test"]):
            path, _, function = row["test"].partition("::")
            assert (ROOT / path).is_file() and function.startswith("test_"), f"{name(row)}: {row['test']}"
            assert function in functions_in(ROOT / path), f"{name(row)}: {row['test']}"


def test_mutants_are_defined_and_every_test_has_one():
    import mutants

    for row in ledger():
        assert given(row["mutants"]) == given(row["test"]), f"{name(row)}: a test without a fault that it catches, or the other way round"
        if given(row["mutants"]):
            assert set(row["mutants"]) <= set(mutants.MUTANTS), f"{name(row)}: {row['mutants']}"
    used = {m for row in ledger() if given(row["mutants"]) for m in row["mutants"]}
    assert used == set(mutants.MUTANTS), f"no row uses {set(mutants.MUTANTS) - used}"


@cache
def boxes() -> list[tuple[str, str, str]]:
    """(label, kind, title) of every boxed statement in the chapters."""
    found = []
    for path in sorted(CHAPTERS.glob("*.md")):
        lines = path.read_text(encoding="utf8").splitlines()
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            box = re.match(r"[`:]{3,}\s*\{prf:(\w+)\}(.*)", line)
            if box and box[1] != "proof":
                assert below.startswith(":label: "), f"{path.name}: '{line}' has no label"
                found.append((below.removeprefix(":label: ").strip(), box[1], box[2].strip()))
    return found


def test_every_boxed_statement_of_the_book_has_a_row():
    """A box marked (ours) has one among the book's own, with function, test and fault; any other a row of its paper."""
    assert len(boxes()) >= 20
    for label, kind, title in boxes():
        rows = [row for row in ledger() if row["label"] == label]
        assert rows, f"no row of book/theorems.yml has the label {label}"
        own = [row for row in rows if row["paper"] == "ours"]
        if title.startswith("(ours)"):
            assert own and {row["kind"] for row in own} == {kind}, f"{label}: a row with paper 'ours' and kind {kind}"
        else:
            assert not own, f"{label}: not marked (ours) in its chapter"
    for row in ledger():
        if row["paper"] == "ours":
            assert row["label"] in {label for label, _, _ in boxes()}, name(row)
            assert all(given(row[field]) for field in ("function", "test", "mutants", "verdict")), name(row)


def test_labels_exist_in_the_chapters():
    missing = [f"{name(row)}: {row['label']}" for row in ledger() if given(row["label"]) and row["label"] not in labels()]
    assert not missing, missing


def test_the_page_has_an_address_and_header_cells_for_every_row():
    """The tables as HTML, read with a parser: one row a statement, each with its own address, header cells with a scope, a caption."""
    class Book(page.Links):                                          # a book in which every label and every function exists
        def __init__(self): pass
        def label(self, name): return f"#{name}", name
        def function(self, dotted): return f"reference#{dotted}"

    addresses = []
    for paper in page.PAPERS:
        html = page.table_html(paper, Book())
        ElementTree.fromstring("<div>" + html.replace(page.STYLE, "") + "</div>")     # every tag closed
        rows = [row for row in ledger() if row["paper"] == paper]
        assert html.count("<caption>") == 1 and html.count('scope="col"') == 4 and html.count('scope="row"') == len(rows)
        found = re.findall(r'<tr id="([^"]+)"', html)
        assert found == [page.slug(row) for row in rows]
        assert html.count('href="#gap-') >= sum(len(page.GAP.findall(row["note"])) for row in rows)
        addresses += found
    assert len(set(addresses)) == len(addresses) and set(page.CHAPTERS) == set(range(26))


def test_exercises_exist_in_the_chapters():
    missing = [f"{name(row)}: {label}" for row in ledger() if given(row["exercises"]) for label in row["exercises"]
               if label not in labels()]
    assert not missing, missing


def test_a_statement_of_a_chapter_that_is_here_stands_in_it_and_has_its_exercises_or_says_why_not():
    """What a chapter teaches with a test, a reader can practise: ``planned`` is for chapters that are still to come."""
    home = {found: path for path in CHAPTERS.glob("[0-9][0-9]-*.md")
            for found in re.findall(r"^(?:\(|:label:\s*)([\w-]+)\)?=?\s*$", path.read_text(encoding="utf8"), re.M)}
    here = {int(path.name[:2]) for path in home.values()}
    for row in ledger():
        if row["label"] in home:
            assert int(home[row["label"]].name[:2]) == row["chapter"], f"{name(row)}: its label stands in {home[row['label']].name}"
        if row["chapter"] in here and row["test"] != "planned":
            assert row["exercises"] != "planned", f"{name(row)}: name the exercises of chapter {row['chapter']}, or 'none: reason'"


def test_the_number_of_planned_fields_is_written_down():
    """``book/planned.txt`` holds it: whoever fills a field lowers it. It rises only with a new row, which the history test sees to."""
    now = page.planned(ledger())
    written = int((ROOT / "book" / "planned.txt").read_text(encoding="utf8"))
    assert now == written, f"{now} planned fields, {written} in book/planned.txt: fill what became planned, or write the new number"


def planned_by_row(text: str) -> dict[str, frozenset[str]]:
    """Row -> its planned fields, read line by line: a YAML parser would need seconds for a whole history."""
    rows = {}
    for block in re.split(r"^- paper: ", text, flags=re.M)[1:]:
        paper, statement = block.split("\n", 1)[0], re.search(r"^  statement: (.*)$", block, re.M)[1]
        rows[f"{paper} {statement}"] = frozenset(re.findall(r"^  (\w+): planned$", block, re.M))
    return rows


def test_planned_fields_are_read_line_by_line_as_the_parser_reads_them():
    by_line = planned_by_row((ROOT / "book" / "theorems.yml").read_text(encoding="utf8"))
    assert list(by_line.values()) == [frozenset(f for f in FILLED_LATER if row[f] == "planned") for row in ledger()]


#: Rows about ways to ask that the library has no more, or that have another name since.
GONE = {f"ours {statement}" for statement in ("One fit answers every price", "'One fit: the sensitivity of the sums'",
    "'One fit: the two-norm noise'", "Debiased responses", "The best linear guess", "Joint decisions are all that matters",
    "'A gap is one weighted count: constants'", "Asking once is private", "'Asking once is private: what is published'", "Ask once",
    "'Ask once: every answer'", "'Ask once: on one screen'", "'Ask once: three groups'", "'Ask once: between pairs'",
    "'Ask once: the sensitivity of every notion'", "'Ask once: candidates for three groups'", "'Ask once: everybody is attacked'",
    "One answer about features", "'One answer about features: in doubles'", "Ask once about features")}


def test_what_was_filled_stays_filled_in_the_history():
    """No field of a row becomes planned again, and no row is dropped but those of ``GONE``, which are not there. Reads main's own line of
    history: all of it in a full clone, the last step in a shallow one, nothing in an unpacked archive."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return

    def said(*words: str) -> str:
        return subprocess.run([git, *words], cwd=ROOT, capture_output=True, text=True, encoding="utf8").stdout

    # --first-parent: two branches may fill different rows and be merged in either order
    commits = said("log", "--first-parent", "--format=%H", "--", "book/theorems.yml").split()
    versions = [planned_by_row(said("show", f"{commit}:book/theorems.yml")) for commit in reversed(commits)]
    versions.append(planned_by_row((ROOT / "book" / "theorems.yml").read_text(encoding="utf8")))
    for before, after in pairwise(versions):
        assert not before.keys() - after.keys() - GONE, f"dropped or renamed: {before.keys() - after.keys()}"
        emptied = {row: after[row] - before[row] for row in before.keys() & after.keys() if after[row] - before[row]}
        assert not emptied, f"filled once, planned again: {emptied}"
    assert not GONE & versions[-1].keys()


def test_every_page_is_published_and_every_chapter_has_its_link_on_the_ledger():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf8")
    published = {Path(path).name for path in re.findall(r"(?:root|file): (\S+)", toc)}
    sources = {path.stem for folder in ("chapters", "instructors") for path in (CHAPTERS.parent / folder).glob("*.md")}
    assert sources == published, f"in one of book/chapters, book/instructors and _toc.yml only: {sorted(sources ^ published)}"
    for path in CHAPTERS.glob("[0-9][0-9]-*.md"):
        label = re.search(r"^\((ch-[\w-]+)\)=$", path.read_text(encoding="utf8"), re.M)
        number = int(path.stem[:2])
        assert number in page.CHAPTERS, f"{path.name}: book/_ext/ledger.py plans CHAPTERS up to {max(page.CHAPTERS)}"
        assert label and page.CHAPTERS[number][1] == label[1], f"{path.name}: give its label to CHAPTERS in book/_ext/ledger.py"
