"""The reference page holds every public name, and names in code type lead into it."""
from __future__ import annotations

import importlib

import pytest
from bs4 import BeautifulSoup

import reference


def test_every_room_has_its_public_names():
    assert {"data", "fairness", "mechanisms", "accounting", "audit", "postprocessing", "explore", "experiments"} <= set(reference.rooms())
    for room, (_, entries) in reference.rooms().items():
        assert [entry.name for entry in entries] == list(importlib.import_module(f"dpfair_teach.{room}").__all__), room
        assert entries, f"{room} has no public name"


@pytest.mark.parametrize(("text", "room", "name"), [
    ("fairness.error", "fairness", "error"),
    ("dpfair_teach.fairness.error(counts)", "fairness", "error"),
    ("solve_lp", "postprocessing", "solve_lp"),
    ("violation(counts)", "fairness", "violation"),
    ("Release", "accounting", "Release"),
])
def test_what_names_a_part_of_the_library(text, room, name):
    found = reference.find(text)
    assert (found.room, found.name) == (room, name)


@pytest.mark.parametrize("text", ["error", "epsilon", "x + 1", "numpy.error", "fairness.nothing", "", "make test"])
def test_what_does_not(text):
    assert reference.find(text) is None


def test_source_and_summary_of_a_docstring():
    doc = "One thing\non two lines.\n\nMore.\n\nSource: supplement, Lemma 2.1\n(main text, Lemma 3.1).\n\nExamples"
    assert reference.summary(doc) == "One thing on two lines."
    assert reference.source_line(doc) == "supplement, Lemma 2.1 (main text, Lemma 3.1)."
    assert reference.source_line("Nothing.") is None


@pytest.mark.site
def test_the_page_has_an_entry_for_every_name_and_pages_lead_there(site):
    page = BeautifulSoup((site / "book" / "chapters" / "reference.html").read_text(encoding="utf-8"), "html.parser")
    ids = {tag["id"] for tag in page.select(".api-entry[id], .api-entry [id]")}
    missing = [entry.id for _, entries in reference.rooms().values() for entry in entries if entry.id not in ids]
    assert not missing
    assert page.select(".api-entry a.reference.internal[href*=equalized-odds]"), "no entry names a chapter that uses it"
    links = [path.name for path in (site / "book").rglob("*.html") if "api-link" in path.read_text(encoding="utf-8")]
    assert len(links) >= 3, links
