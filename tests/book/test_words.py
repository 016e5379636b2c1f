"""The dictionary has the words of every chapter, the notation its letters: a new chapter is asked for both."""
from __future__ import annotations

import re

import pytest

from test_chapters import CHAPTERS, boxes
from test_paths import PUBLISHED, label

DICTIONARY, NOTATION = ((CHAPTERS / name).read_text(encoding="utf-8") for name in ("dictionary.md", "notation.md"))
OWN_WORDS = DICTIONARY[DICTIONARY.index("## Words that the papers do not have"):]
LINK = re.compile(r"\{(?:prf:)?ref\}`[^`<]*<([\w-]+)>`")
PLANNED = re.search(r"planned chapters (\d+) to (\d+)", NOTATION)


def labels(path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    return set(re.findall(r"^\(([\w-]+)\)=$", text, re.M) + re.findall(r"^:label: ([\w-]+)$", text, re.M))


HOME = {found: int(path.name[:2]) for path in PUBLISHED for found in labels(path)}


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_what_a_chapter_defines_is_in_the_dictionary(path):
    defined = {re.search(r"^:label: ([\w-]+)", box.body, re.M)[1]: box.title for box in boxes(path.read_text(encoding="utf-8"))
               if box.kind == "prf:definition"}
    missing = {found: title for found, title in defined.items() if f"<{found}>`" not in DICTIONARY}
    assert not missing, f"{path.name}: dictionary.md does not link to {missing}"


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_a_chapter_has_words_of_its_own_in_the_dictionary_and_its_letters_in_the_notation(path):
    number = int(path.name[:2])
    explained = {HOME.get(target) for target in LINK.findall(OWN_WORDS)}
    assert number in explained, f"no word of chapter {number} in the last table of dictionary.md"
    assert f"<{label(path)}>" in NOTATION or re.search(rf"\bchapters? (?:\d+(?:,| and) )*{number}\b", NOTATION), \
        f"notation.md has no letter of chapter {number}"
    assert PLANNED is None or not int(PLANNED[1]) <= number <= int(PLANNED[2]), f"notation.md calls chapter {number} planned"


def test_the_words_stand_in_the_order_of_the_chapters():
    first = [HOME[found[0]] for line in OWN_WORDS.splitlines() if (found := LINK.findall(line))]
    assert first == sorted(first) and len(first) > 30
