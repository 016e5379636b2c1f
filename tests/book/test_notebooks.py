"""The road from chapters to notebooks: fresh, the same bytes every time, nothing of one run or machine left in them."""
from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import nbformat
import pytest

import notebooks

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = sorted((ROOT / "book" / "notebooks").glob("*.ipynb"))

CHAPTER = """---
kernelspec: {name: python3, display_name: Python 3}
---
# Small

```{code-cell}
import numpy as np
print("one"); print(np.arange(3))
```

````markdown
```{code-cell}
this is shown, not run
```
````

```{code-cell}
:tags: [hide-input]
%matplotlib inline
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(2, 1))
_ = ax.plot([1, 2])
```
"""


def chapter(folder: Path, text: str = CHAPTER, name: str = "small.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- the committed notebooks ------------------------------------------------------------------------------------------------

def test_every_chapter_with_cells_has_a_fresh_notebook():
    assert not notebooks.problems()


def test_there_are_notebooks():
    assert len(COMMITTED) >= 3


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: p.stem)
def test_nothing_of_a_run_or_a_machine_is_left(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info", "dpfair_teach"}
    assert notebook.metadata.dpfair_teach.chapter == f"book/chapters/{path.stem}.md"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "not run once, from the top"
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags", "mystnb", "jupyter"}
    text = path.read_text(encoding="utf-8")
    for trace in ("application/vnd.jupyter.widget", "/tmp/", "/home/", f"{Path.home()}/", str(ROOT)):
        assert trace not in text, trace
    assert not [o for cell in code for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert text == notebooks.dumps(notebook)


def of_the_library(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("dpfair_teach")


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: p.stem)
def test_the_source_that_a_page_shows_is_the_library_as_it_is(path):
    """A change of the library leaves the chapter as it was, so its notebook counts as fresh. Run here: imports, and `show(...)`."""
    names: dict = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code" and not cell.source.startswith("%"):
            tree = ast.parse(cell.source)
            exec(compile(ast.Module([part for part in tree.body if of_the_library(part)], []), path.name, "exec"), names)
            last = ast.unparse(tree.body[-1]) if tree.body else ""
            if last.startswith("show("):
                assert cell.outputs[0].data["text/plain"] == repr(eval(last, names)), f"{last}: make notebooks ARGS='--all {path.stem}'"


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: p.stem)
def test_what_the_site_folds_jupyterlab_folds(path):
    """A question's cell holds its answer: in JupyterLab, which does not know the site's tags, it must not lie open."""
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    for cell in code:
        tags, shown = set(cell.metadata.get("tags", [])), cell.metadata.get("jupyter", {})
        assert shown.get("source_hidden", False) == bool(tags & {"remove-input", "hide-input", "hide-cell"}), cell.source[:80]
        assert shown.get("outputs_hidden", False) == bool(tags & {"hide-output", "hide-cell"}), cell.source[:80]
    asking = [cell for cell in code if re.search(r"\b(Puzzle|SelfCheck)\(", cell.source)]
    assert asking or path.stem in ("assignments", "index", "using-it")
    assert all(cell.metadata.get("jupyter", {}).get("source_hidden") for cell in asking)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: p.stem)
def test_no_cell_keeps_what_jupyterlab_does_not_know(path):
    """A directive of the book's own, or an option of an exercise, that was not put into words."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"^(`{3,}|:{3,})\{(deeper|deeper-end|why)\}|^:(minutes|level|check|assignment):", cell.source, re.M)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: p.stem)
def test_references_carry_the_headings_they_lead_to(path):
    """JupyterLab shows what stands in the notebook; the site would put the heading of today in."""
    titles = notebooks.headings()
    chapter, made = (ROOT / "book" / "chapters" / f"{path.stem}.md").read_text(encoding="utf-8"), nbformat.read(path, as_version=4)
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    bare = [label for label in notebooks.REFERENCE.findall(chapter) if label in titles]
    assert bare and not [label for label in bare if f"{{ref}}`{titles[label]} <{label}>`" not in text]
    assert not [label for label in notebooks.REFERENCE.findall(text) if label in titles]


# --- the tool ---------------------------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_making_twice_gives_the_same_bytes(tmp_path):
    source = chapter(tmp_path)
    first, second = (notebooks.dumps(notebooks.build(source)) for _ in range(2))
    assert first == second
    made = nbformat.reads(first, as_version=4)
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert len(code) == 2 and code[0].outputs[0].text == "one\n[0 1 2]\n"
    assert "image/png" in code[1].outputs[0].data and code[1].metadata == {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}


@pytest.mark.slow
def test_cells_do_not_see_the_readers_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DPFAIR_TEACH_DATA", "/nowhere")
    source = chapter(tmp_path, "```{code-cell}\nimport os\nprint(os.environ.get('DPFAIR_TEACH_DATA'))\n```\n")
    assert notebooks.build(source).cells[0].outputs[0].text == "None\n"


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "message"), [
    ("1 / 0", r"small\.md, line 3 \(cell 1 of 1\): ZeroDivisionError"),
    ("import sys\nprint('x', file=sys.stderr)", r"small\.md, line 3 \(cell 1 of 1\): the cell writes to stderr"),
    ("object()", r"line 3 .* the address of an object"),
])
def test_an_error_names_chapter_line_and_cell(tmp_path, cell, message):
    source = chapter(tmp_path, f"# Small\n\n```{{code-cell}}\n{cell}\n```\n")
    with pytest.raises(notebooks.ChapterError, match=message):
        notebooks.build(source)


def test_a_cell_inside_a_directive_is_refused(tmp_path):
    source = chapter(tmp_path, ":::{note}\n```{code-cell}\n1\n```\n:::\n")
    with pytest.raises(notebooks.ChapterError, match=r"small\.md, line 2: .* inside the directive opened at line 1; move it out"):
        notebooks.build(source)


def test_lines_of_cells_leave_out_fences_that_are_shown():
    assert notebooks.cell_lines(CHAPTER) == [6, 17]
    assert notebooks.cell_lines("text\n~~~{code-cell}\n1\n~~~\n") == [2]
    assert notebooks.cell_lines("# no cells\n\n```python\n1\n```\n") == []


def test_check_names_the_file_and_the_command(tmp_path):
    chapters, made = tmp_path / "chapters", tmp_path / "notebooks"
    chapters.mkdir(), made.mkdir()
    fresh = chapter(chapters, name="fresh.md")
    changed, missing = chapter(chapters, name="changed.md"), chapter(chapters, name="missing.md")
    chapter(chapters, "# no cells", name="plain.md")
    for path in (fresh, changed):
        (made / f"{path.stem}.ipynb").write_text(json.dumps({"metadata": {"dpfair_teach": {"sha256": notebooks.digest(path)}}}))
    (made / "gone.ipynb").write_text("{}")
    changed.write_text(changed.read_text() + "more\n")
    said = notebooks.problems(chapters, made)
    assert [line.split(":")[0] for line in said] == ["stale", "missing", "left over"]
    assert "changed.md" in said[0] and "make notebooks" in said[0]
    assert missing.name in said[1] and "make notebooks" in said[1]
    assert "git rm book/notebooks/gone.ipynb" in said[2]
