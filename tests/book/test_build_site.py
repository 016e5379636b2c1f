"""`make html`: what is refused before it is built, and what an earlier build left behind."""
from __future__ import annotations

import pytest

import build_site

CELL = "# A chapter\n\n```{code-cell} ipython3\n1 + 1\n```\n"


@pytest.fixture
def book(tmp_path):
    """A book of two pages, of which the first has cells."""
    chapters = tmp_path / "book" / "chapters"
    chapters.mkdir(parents=True)
    (chapters / "counts.md").write_text(CELL, encoding="utf-8")
    (chapters / "words.md").write_text("# Words\n\nNo cells.\n", encoding="utf-8")
    return tmp_path


def test_the_toc_is_read_as_it_is_nested(tmp_path):
    toc = tmp_path / "_toc.yml"
    toc.write_text("root: book/a\nparts:\n  - caption: One\n    chapters:\n      - file: book/b\n        sections:\n"
                   "          - file: book/c\n  - caption: Two\n    chapters:\n      - file: book/d\n", encoding="utf-8")
    assert build_site.listed(toc) == ["book/a", "book/b", "book/c", "book/d"]


def test_each_page_is_listed_from_the_folder_that_shows_it_whole(book):
    assert build_site.misplaced(["book/notebooks/counts", "book/chapters/words"], book) == []
    assert build_site.misplaced(["book/chapters/counts"], book) == [
        "book/chapters/counts has cells: list it as book/notebooks/counts, which `make notebooks` writes"]
    assert build_site.misplaced(["book/notebooks/words"], book) == [
        "book/notebooks/words has no chapter with cells: list it as book/chapters/words"]
    assert "write book/chapters/lost.md, or take the line out" in build_site.misplaced(["book/notebooks/lost"], book)[0]


def test_a_wrong_toc_is_not_built(book, monkeypatch, capsys):
    (book / "_toc.yml").write_text("root: book/chapters/words\nchapters:\n  - file: book/chapters/counts\n", encoding="utf-8")
    monkeypatch.setattr(build_site, "ROOT", book)
    monkeypatch.setattr(build_site.subprocess, "run", lambda *_, **__: pytest.fail("the builder was called"))
    assert build_site.main([]) == 1
    assert "site: NOT built" in (said := capsys.readouterr().err) and "list it as book/notebooks/counts" in said


def test_a_page_that_left_the_toc_leaves_the_site(tmp_path):
    for name in ("book/chapters/words.html", "book/chapters/old.html", "book/notebooks/counts.html", "search.html",
                 "_sources/book/chapters/words.md", "_sources/book/chapters/old.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert build_site.remove_stale(["book/chapters/words", "book/notebooks/counts"], tmp_path) == ["book/chapters/old.html"]
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*") if path.is_file()}
    assert left == {"book/chapters/words.html", "book/notebooks/counts.html", "search.html", "_sources/book/chapters/words.md"}


def test_a_change_of_what_shapes_every_page_builds_every_page(book):
    (book / "book" / "_ext").mkdir()
    extension = book / "book" / "_ext" / "note.py"
    extension.write_text("A = 1\n", encoding="utf-8")
    before = build_site.shape(book)
    assert build_site.shape(book) == before
    extension.write_text("A = 2\n", encoding="utf-8")
    assert build_site.shape(book) != before
