"""The way in tells the truth: how many chapters there are, how long each takes, what comes before it, how long a path is.

Cards say minutes and prerequisites; the first page, the paths and the table of chapters repeat them. A new chapter in ``_toc.yml`` makes
these tests name the row and the number that are missing.
"""
from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import ledger
import minutes as counted
from test_chapters import CHAPTERS, IN_FORM, LIGHTER, boxes

ROOT = CHAPTERS.parents[1]
TOC = (ROOT / "_toc.yml").read_text(encoding="utf-8")
PUBLISHED = [CHAPTERS / f"{stem}.md" for stem in re.findall(r"file: book/notebooks/(\d\d-[\w-]+)", TOC)]
FIRST, PATHS = ((CHAPTERS / name).read_text(encoding="utf-8") for name in ("index.md", "how-to-use.md"))
WEEKS = (CHAPTERS.parent / "instructors" / "weeks.md").read_text(encoding="utf-8")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
          "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "21", "22", "23", "24", "all")
REF = re.compile(r"\{ref\}`(?:[^`<]*<)?([\w-]+)>?`")


def entry(path: Path, name: str) -> str:
    """What the card of a page says under a name."""
    card = next(boxes(path.read_text(encoding="utf-8"))).body
    return re.search(rf"\*\*{name}\*\*:?\s(.*?)(?=\n\n\*\*|\Z)", card, re.S)[1]


def minutes(path: Path) -> tuple[int, list[int]]:
    """Of the whole page, and of the parts that its card names. Of a chapter in the form both are counted: its parts are core and deeper."""
    if path.stem in IN_FORM:
        figures = counted.stored()[path.stem].figures
        return figures.whole_minutes, [figures.core_minutes, figures.whole_minutes - figures.core_minutes]
    whole, parts = re.match(r"about (\d+) minutes\. (.*)", entry(path, "Time"), re.S).groups()
    return int(whole), [int(part) for part in re.findall(r"\d+", parts)]


def label(path: Path) -> str:
    return re.search(r"^\((ch-[\w-]+)\)=$", path.read_text(encoding="utf-8"), re.M)[1]


@cache
def home(target: str) -> Path | None:
    """The page with a card that a label stands on; None for other pages."""
    return next((path for path in [*PUBLISHED, *LIGHTER] if f"\n({target})=\n" in "\n" + path.read_text(encoding="utf-8")), None)


def headings(path: Path) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M))


def rows(first: str, page: str = PATHS) -> list[list[str]]:
    """The rows of the table of a page, that of the paths, whose first column has that head."""
    table = re.search(rf"^\| {first} \|.*\n\|[ -|]*\n((?:\|.*\n)+)", page, re.M)[1]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()]


# --- the cards --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("path", [*PUBLISHED, *LIGHTER], ids=lambda path: path.stem)
def test_the_minutes_of_a_card_add_up(path):
    whole, parts = minutes(path)
    assert sum(parts) == whole, f"{path.name}: the card says {whole} minutes, its parts {parts} add up to {sum(parts)}"


# --- the first page ---------------------------------------------------------------------------------------------------------

def test_the_first_page_counts_the_chapters_that_are_here():
    said = f"{COUNTS[len(PUBLISHED)]} of its {max(ledger.CHAPTERS)} chapters are here"
    assert said in FIRST, f"book/chapters/index.md must say: {said}"


def test_the_first_page_links_to_every_chapter_that_is_here_and_names_the_others_as_planned():
    here = {int(path.name[:2]): label(path) for path in PUBLISHED}
    for number in range(1, max(ledger.CHAPTERS) + 1):
        if number in here:
            assert re.search(rf"\{{ref\}}`{number} [^`<]+<{here[number]}>`", FIRST), f"index.md: link to chapter {number}, {here[number]}"
        else:
            named = re.search(rf"^:.*planned:(?:[^\n{{]*·)? {number} ", FIRST, re.M)
            assert named, f"index.md: name chapter {number} as planned, without a link"


def test_the_readme_gives_no_count_of_chapters_and_does_not_deny_prerequisites():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) chapters\b|stands alone", readme)


# --- the table of chapters --------------------------------------------------------------------------------------------------

def test_every_chapter_has_its_row_with_the_minutes_and_the_chapters_before_it():
    table = rows("chapter")
    assert [REF.findall(row[0]) for row in table[:-1]] == [[label(path)] for path in PUBLISHED], \
        "the table of chapters in how-to-use.md has a row for each chapter of _toc.yml, in that order"
    for path, (_, time, before) in zip(PUBLISHED, table[:-1], strict=True):
        assert int(time) == minutes(path)[0], f"{path.name}: the card says {minutes(path)[0]} minutes, the table {time}"
        on_card = {target for target in REF.findall(entry(path, "Before this")) if target.startswith("ch-")} - {"ch-ten-people"}
        assert set(REF.findall(before)) == on_card, f"{path.name}: the chapters before it are {on_card} on its card"


def test_every_chapter_says_what_makes_its_lectures_and_which_exercises_are_for_the_class():
    table = rows("chapter", WEEKS)
    assert [REF.findall(row[0]) for row in table] == [[label(path)] for path in PUBLISHED]
    for path, (_, teach, practice) in zip(PUBLISHED, table, strict=True):
        assert re.match(r"(?:one|two|three) lectures?\b", teach), f"{path.name}: say in how many lectures it is taught"
        quoted = set(re.findall(r'"([^"]+)"', teach))
        assert quoted and quoted <= headings(path), f"{path.name} has no section {quoted - headings(path)}"
        named = re.findall(r"\b\d+[A-Z]\b", practice)
        asked = {box.title.split(".")[0]: box.title for box in boxes(path.read_text(encoding="utf-8")) if box.kind == "exercise"}
        assert named and set(named) <= set(asked), f"{path.name} has no exercise {set(named) - set(asked)}"
        for exercise in re.findall(r"(\d+[A-Z]) \(witness\)", practice):
            assert "witness" in asked[exercise], f"{exercise} asks for no witness"


def test_the_last_row_adds_up():
    *table, last = rows("chapter")
    assert last == ["**all**", str(sum(int(row[1]) for row in table))]
    lectures = sum(COUNTS.index(row[1].split()[0]) for row in rows("chapter", WEEKS))
    assert f"{lectures} lectures in all" in WEEKS


# --- the paths --------------------------------------------------------------------------------------------------------------

def sums(parts: list[int]) -> set[int]:
    return {sum(some) for size in range(1, len(parts) + 1) for some in combinations(parts, size)}


@pytest.mark.parametrize("row", rows("you are, or have"), ids=lambda row: row[0])
def test_a_path_takes_the_hours_it_says_and_its_minutes_are_those_of_the_cards(row):
    total = 0
    for item in row[2].split(";"):
        target, said = REF.findall(item), re.findall(r"\((\d+)\)", item)
        path = home(target[0]) if target else None
        if path is not None and said:
            whole, parts = minutes(path)
            assert int(said[0]) in sums(parts) | {whole}, f"{item.strip()}: the card of {path.name} has {whole} minutes, {parts}"
        for heading in re.findall(r'"([^"]+)"', item):
            page = path or CHAPTERS / f"{target[0].removeprefix('pg-')}.md"
            assert heading in headings(page), f"{page.name} has no section {heading}"
        total += sum(map(int, said))
    if re.fullmatch(r"[\d.]+", row[3]):
        assert abs(total / 60 - float(row[3])) <= 0.25, f"{row[0]}: {total} minutes are not {row[3]} hours"
    else:
        assert "sec-chapter-table" in row[2], f"{row[0]}: no hours, and no word on the table that has them"


def test_there_is_a_path_for_every_chapter_and_for_every_reader():
    readers = " ".join(row[0] for row in rows("you are, or have"))
    assert all(reader in readers for reader in ("student", "instructor", "engineer", "reviewer", "half an hour"))
    assert "every chapter of {ref}`the table below <sec-chapter-table>`" in PATHS       # the student's; the table has them all
