"""How many words and minutes a built page has: its core, the whole, and each of its folded parts. One rule for all of them.

The *core* is what lies open: without folded parts, folded code, answers and exercises. The *whole* is everything but the answers.

Words are those of the prose: text outside boxes of statements, code, outputs, tables, figures, puzzles, the card, exercises and the
self-check. A formula in a line is a word.

Minutes are those of a first, slow reading with pen and paper (`RATES`). With these rates the first fifteen chapters
come to 2,503 minutes; their authors' cards had said 2,270, and somebody new to the subject took about 3,400.
"""
from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from math import ceil
from typing import NamedTuple

#: Seconds for one of each.
RATES = {
    "prose": 60 / 130,      # a word of technical prose: about half the speed of a novel
    "box": 60 / 80,         # a word of a statement is weighed,
    "proof": 60 / 80,       # and one of a proof checked
    "inline": 2.0,          # a formula in a line, beyond the word that it is
    "display": 20.0,        # a displayed formula
    "code": 4.0,            # a line of code
    "output": 2.0,          # a line of output
    "cell": 1.0,            # a cell of a table
    "picture": 60.0,        # a picture that stands still
    "figure": 150.0,        # a figure that moves: it asks something, and is tried
    "puzzle": 150.0,        # a puzzle: an answer first, then the solution
    "question": 60.0,       # a question of the self-check
    "exercise": 480.0,      # an exercise with its hints and its solution
}
SPOKEN = ("prose", "box", "proof")
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
SILENT = frozenset("script style noscript template svg button".split())


class Count(NamedTuple):
    """Of one page: its core, the whole, and its folded parts in order."""

    core: Counter
    whole: Counter
    folds: list[Counter]


def words(count: Counter) -> int:
    """Words of prose, those of proofs too.

    >>> words(Counter(prose=260, proof=40, box=30))
    300
    """
    return count["prose"] + count["proof"]


def minutes(count: Counter) -> int:
    """Minutes of reading, at least one.

    >>> minutes(Counter(prose=260, display=3))
    3
    """
    return max(1, ceil(sum(RATES[kind] * number for kind, number in count.items()) / 60))


class _Place(NamedTuple):
    """Where the parser is: what text counts as, what is folded around it, whether exercises are around it."""

    kind: str = ""
    folds: tuple[int, ...] = ()
    shut: bool = False
    exercises: bool = False
    checks: bool = False


class _Reader(HTMLParser):
    """Walks through a page once."""

    def __init__(self) -> None:
        super().__init__()
        self.core, self.whole, self.folds = Counter(), Counter(), []
        self.stack: list[tuple[str, _Place]] = [("", _Place())]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        place = self.place(tag, set(given.get("class", "").split()), given.get("id", ""))
        if tag not in VOID:
            self.stack.append((tag, place))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth][0] == tag:
                del self.stack[depth:]
                return

    def handle_data(self, data: str) -> None:
        place = self.stack[-1][1]
        if place.kind in SPOKEN:
            self.add(place.kind, len(data.split()), place)
        elif place.kind in ("code", "output"):
            self.add(place.kind, data.count("\n"), place)

    def add(self, kind: str, number: int, place: _Place) -> None:
        """Into the whole, the core if nothing is folded around it, and every fold around it."""
        if place.exercises and kind != "exercise":
            return
        if place.checks and kind in (*SPOKEN, "inline"):
            return
        self.whole[kind] += number
        for fold in place.folds:
            self.folds[fold][kind] += number
        if not place.shut and not place.exercises:
            self.core[kind] += number

    def place(self, tag: str, classes: set[str], name: str) -> _Place:
        """Where the text of an element stands; what counts by itself is counted."""
        here = self.stack[-1][1]
        silent = here._replace(kind="silent")
        if tag == "article":
            return here._replace(kind="prose")
        if here.kind in ("", "silent") or tag in SILENT or classes & {"headerlink", "visually-hidden", "fold-minutes", "depth"}:
            if tag == "details" and "fold" in classes and here.kind == "silent":
                self.folds.append(Counter())
            return here if here.kind == "" else silent
        if "chapter-card" in classes:
            return silent
        if tag == "section" and name.startswith("exercises"):
            return here._replace(exercises=True)
        if tag == "section" and name.startswith("self-check"):
            return here._replace(checks=True)
        if tag == "details" and "fold" in classes:
            self.folds.append(Counter())
            return here._replace(folds=(*here.folds, len(self.folds) - 1), shut=True)
        if tag == "details":                    # folded code; a proof of a detail; an answer is silent as its exercise or puzzle is
            return here._replace(shut=True)
        return self.counted(tag, classes, here, silent)

    def counted(self, tag: str, classes: set[str], here: _Place, silent: _Place) -> _Place:
        """An element that counts by itself, or changes what its text is."""
        if "math" in classes:
            if tag == "span":
                self.add(here.kind if here.kind in SPOKEN else "prose", 1, here)
            self.add("display" if tag == "div" else "inline", 1, here)
            return silent
        if tag == "dpfair-explorer":
            self.add("figure", 1, here)
            return silent
        if "dpx-card" in classes:
            self.add("question" if here.checks else "puzzle", 1, here)
            return silent
        if "assignment" in classes:             # says its own minutes
            return silent
        if "exercise" in classes:
            self.add("exercise", 1, here)
            return silent
        if tag == "img":
            self.add("picture", 1, here)
        if tag in ("td", "th"):
            self.add("cell", 1, here)
            return silent
        if "cell_input" in classes:
            return here._replace(kind="code")
        if "cell_output" in classes:
            return here._replace(kind="output")
        if tag == "table":
            return silent._replace(kind="table")
        if "proof" in classes:
            return here._replace(kind="proof" if "proof-body" in classes else "box")
        return here


def count(html: str) -> Count:
    """What stands on a page."""
    reader = _Reader()
    reader.feed(html)
    return Count(reader.core, reader.whole, reader.folds)
