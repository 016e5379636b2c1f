"""The core of a chapter in the form is short; that of another one only becomes shorter."""
from __future__ import annotations

import pytest

import minutes
from minutes import Figures, Row

#: The chapters that were written before the form, by number, and the words of their cores together. Both only shrink: a chapter that
#: is brought into the form, or becomes shorter, takes its own away from here.
OLD = {"01", "02", "04", "05", "06", "07", "08", "09", "11", "12", "13", "21"}
OLD_WORDS = 34493


@pytest.mark.site
def test_every_core_keeps_its_limits_and_the_file_says_what_the_pages_have(site):
    said = minutes.complaints(minutes.counted(site), minutes.stored())
    assert not said, "\n".join(said)


def test_a_new_chapter_is_in_the_form():
    rows = minutes.stored()
    assert set(rows) == set(minutes.chapters())
    old = {name: row.figures.core_words for name, row in rows.items() if not row.in_form}
    assert {name[:2] for name in old} == OLD and sum(old.values()) == OLD_WORDS


SHORT, LONG = Figures(1900, 38, 4000, 150), Figures(2001, 41, 4000, 150)


@pytest.mark.parametrize("here, row, said", [
    (SHORT, Row(True, SHORT), []),
    (SHORT._replace(whole_words=3999), Row(True, SHORT), ["run: make minutes"]),
    (LONG, Row(True, LONG), ["2001 words, at most 2000", "41 minutes, at most 40"]),
    (LONG, Row(False, LONG), []),
    (SHORT, Row(False, LONG), ["run: make minutes"]),
    (LONG._replace(core_words=2002), Row(False, LONG), ["had 2001 words and has 2002"]),
    (LONG._replace(core_minutes=42), Row(False, LONG), ["had 41 minutes and has 42"]),
])
def test_what_is_too_long_or_grew_is_said(here, row, said):
    found = minutes.complaints({"a": here}, {"a": row})
    assert len(found) == len(said) and all(any(part in line for line in found) for part in said), found


def test_a_chapter_without_a_row_and_a_row_without_a_chapter_are_said():
    assert [line.split(":")[0] for line in minutes.complaints({"a": SHORT}, {"b": Row(True, SHORT)})] == ["a", "b"]


def test_writing_never_lets_a_chapter_that_is_not_in_the_form_grow(tmp_path):
    path = tmp_path / "minutes.csv"
    rows = {"old": Row(False, LONG), "shorter": Row(False, LONG), "form": Row(True, LONG)}
    minutes.write({"old": LONG._replace(core_words=2500), "shorter": SHORT, "form": SHORT, "new": SHORT}, rows, path)
    short = Row(True, SHORT)
    assert minutes.stored(path) == {"old": Row(False, LONG), "shorter": Row(False, SHORT), "form": short, "new": short}


def test_the_table_names_every_chapter_and_adds_up():
    told = minutes.table({"a": SHORT, "b": LONG}, {"a": Row(True, SHORT)})
    assert "3,901 w   79 min" in told and told.count("not yet") == 1
