"""The page on machine arithmetic, seeds and defaults: what it says the library does when nothing is said, the library does."""
from __future__ import annotations

import ast
import importlib
import inspect
import re

import pytest

from test_chapters import CHAPTERS, boxes

PAGE = (CHAPTERS / "arithmetic.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z]+)\.(\w+)` \| (.+?) \|", PAGE[PAGE.index("(sec-defaults)="):], re.M)


@pytest.mark.parametrize("room, name, defaults", ROWS, ids=[name for _, name, _ in ROWS])
def test_a_default_is_the_one_that_the_page_names(room, name, defaults):
    parameters = inspect.signature(getattr(importlib.import_module(f"dpfair_teach.{room}"), name)).parameters
    said = re.findall(r"`(\w+)=([^`]+)`", defaults)
    assert said, "the row names no default"
    for argument, value in said:
        assert parameters[argument].default == ast.literal_eval(value), f"{room}.{name}({argument}=)"


def test_the_table_has_its_rows():
    assert len(ROWS) == 6


MACHINE = re.compile(r"\b((?:of|in|as) doubles|floating\w*|seeds?|seeded|processors?|round(?:ed|ing) to a grid)\b", re.I)


@pytest.mark.parametrize("chapter", ["03-privacy-for-one-attribute", "10-dp-oracle-learner"])
def test_no_statement_and_no_proof_argues_about_the_machine(chapter):
    """They are about real numbers; a link of half a sentence leads to the page."""
    arguments = [box for box in boxes((CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8"))
                 if box.kind.startswith("prf:") or box.kind == "why"]
    assert len(arguments) > 20
    found = {box.title or box.kind: MACHINE.findall(re.sub(r"\{(?:prf:)?ref\}`[^`]*`", "", box.body)) for box in arguments}
    assert not {title: words for title, words in found.items() if words}
