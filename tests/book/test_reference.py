"""The reference page holds every public name, and names in code type lead into it."""
from __future__ import annotations

import importlib
import inspect
import re

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

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


def test_members_of_a_class():
    """Fields, properties and methods, its own and those of its bases in the library; nothing private, nothing of others."""
    found = dict(reference.members(importlib.import_module("dpfair_teach.postprocessing").DPPostProcessing))
    names = {written.partition("(")[0].partition(":")[0] for written in found}
    assert {"fit", "predict", "predict_proba", "score"} <= names and not any(name.startswith("_") for name in names)
    assert "get_params" not in names                 # scikit-learn's
    fit = next(written for written in found if written.startswith("fit("))
    assert fit.startswith("fit(X: Any, y: ArrayLike, *by_position: Any, sensitive_features") and found[fit]
    fields = reference.members(importlib.import_module("dpfair_teach.data").Dataset)
    assert ("name: str", "What tables and messages call the data.") in fields


def test_every_member_says_what_it_is():
    """A field in the section of its class or of a base, a method and a property in its own docstring or there."""
    rows = [(entry, *row) for entry in everything() if inspect.isclass(entry.value) for row in reference.members(entry.value)]
    assert not [f"{entry.room}.{entry.name}: {written}" for entry, written, what in rows if not what] and len(rows) > 250


def test_what_functions_return_is_shown_with_its_members():
    """Nobody makes a mixture or a table of a play by hand: it stands behind what returns it, once, and in no list of public names."""
    assert "Mixtures" in [entry.name for entry in reference.results("experiments")]
    for room, (_, entries) in reference.rooms().items():
        returned = reference.results(room)
        assert not {entry.name for entry in returned} & {entry.name for entry in entries}
        assert all(reference.members(entry.value) for entry in returned), room


def everything():
    return [entry for room, (_, entries) in reference.rooms().items() for entry in (*entries, *reference.results(room))]


def test_no_two_names_share_an_id():
    """`games.schedule` returns a `Schedule`. The id of what is written in small letters is that of docutils, to which older links lead."""
    ids = [entry.id for entry in everything()]
    assert not sorted({name for name in ids if ids.count(name) > 1}) and len(ids) > 200
    assert all(re.fullmatch(r"lib(-[A-Za-z0-9]+)+", name) for name in ids)
    assert not [entry.id for entry in everything() if entry.name.islower() and entry.id != nodes.make_id(f"lib-{entry.room}-{entry.name}")]


@pytest.mark.site
def test_the_page_has_an_entry_for_every_name_and_pages_lead_there(site):
    page = BeautifulSoup((site / "book" / "chapters" / "reference.html").read_text(encoding="utf-8"), "html.parser")
    ids = {tag["id"] for tag in page.select(".api-entry[id], .api-entry [id]")}
    assert not [entry.id for entry in everything() if entry.id not in ids]
    folds = {fold.text for fold in page.select(".api-entry details:has(dl) > summary code")}
    assert folds >= {entry.name for entry in everything() if inspect.isclass(entry.value) and reference.members(entry.value)}
    assert page.select(".api-entry a.reference.internal[href*=equalized-odds]"), "no entry names a chapter that uses it"
    links = [path.name for path in (site / "book").rglob("*.html") if "api-link" in path.read_text(encoding="utf-8")]
    assert len(links) >= 3, links
