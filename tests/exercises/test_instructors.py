"""What the instructors' pages say is run as it stands there: from an empty folder to a class that is marked, and into other platforms."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

import assignments
import minutes
import notebooks
import turning
from dpfair_teach import exercises

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (BOOK / "instructors").glob("*.md")}
BOXES = {box["name"]: (path.stem, box["title"], re.search(r":label: (\S+)", box["options"])[1])
         for path in sorted((BOOK / "chapters").glob("*.md")) for box in assignments.BOX.finditer(path.read_text(encoding="utf-8"))}
HANDED_OUT = sorted((BOOK / "assignments").glob("*.ipynb"))


def shown(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES[page], re.M | re.S)


@pytest.fixture(scope="module")
def adopted(tmp_path_factory):
    """The folder, and what is printed, after all that the page *Adopt this book in an hour* tells one to type."""
    folder = tmp_path_factory.mktemp("instructor")
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(BOOK.parent), "HOME": str(folder)}
    typed = "\n".join(shown("adopt", "sh"))
    done = subprocess.run(["bash", "-e"], input=typed, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return folder / "course", done.stdout


def test_adopting_ends_in_the_marks_that_the_page_shows(adopted):
    folder, printed = adopted
    assert (folder / "marks.csv").read_text().strip() == shown("adopt", "text")[0].strip()
    assert all(name in printed for name in exercises.names()) and "ada-betrayed_bits.key" in printed


def test_gradescope_gets_its_results(tmp_path, adopted):
    script = shown("grading", "python")[0].replace("/autograder", str(tmp_path))
    for name in ("submission", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "submission_metadata.json").write_text(json.dumps({"users": [{"email": "ada@example.org"}]}))
    (tmp_path / "submission" / "radon.json").write_bytes((adopted[0] / "answers" / "ada-radon.json").read_bytes())
    exec(script, {})
    [result] = json.loads((tmp_path / "results" / "results.json").read_text())["tests"]
    assert result["name"] == "radon" and result["score"] == 0 and result["max_score"] == 10 and "labels" in result["output"]


def test_moodle_and_canvas_get_a_line_a_student(adopted, monkeypatch):
    monkeypatch.chdir(adopted[0])
    exec(shown("grading", "python")[1], {})
    points = pd.read_csv("points.csv", index_col="student")
    assert list(points.index) == ["ada", "bob", "cy"] and "radon" in points


def test_three_lines_for_a_grader_of_notebooks_and_the_solvers_of_the_companion():
    with pytest.raises(AssertionError, match="the field"):
        exec(shown("grading", "python")[2], {"answer": {}, "student": "ada"})
    solvers = type(sys)("solvers")
    exec(shown("grading", "python")[3], own := {})
    solvers.local_witness = own["local_witness"]
    sys.modules["solvers"] = solvers
    try:
        exec(shown("grading", "python")[4], names := {})
        names["test_there_is_an_answer_for_each_of_200_ids"]()
    finally:
        del sys.modules["solvers"]


def test_the_weeks_add_up():
    """24 lectures; of each week the cores' minutes, and of each assignment its own."""
    core = {name: row.figures.core_minutes for name, row in minutes.stored().items()}
    label = {re.search(r"^\((ch-[\w-]+)\)=", path.read_text(encoding="utf-8"), re.M)[1]: path.stem
             for path in (BOOK / "chapters").glob("*.md") if path.stem in core}
    rows = re.findall(r"^\| \d+ \| (.*) \| (\d+) \| (.*) \|$", PAGES["weeks"], re.M)
    meetings = [each for lectures, _, _ in rows for each in lectures.split(";") if not re.search("midterm|for reading", each)]
    assert len(rows) == 12 and len(meetings) + sum("two lectures" in each for each in meetings) == 24
    seen, set_there = set(), []
    for lectures, reading, tasks in rows:
        new = [name for name in re.findall(r"<(ch-[\w-]+)>", lectures) if name not in seen]
        seen |= set(new)
        assert int(reading) == sum(core[label[name]] for name in new), lectures
        set_there += re.findall(r"\{ref\}`(\w+) <(as-[\w-]+)>` (\d+)", tasks)
    assert {name for name, _, _ in set_there} <= set(BOXES)
    assert all(BOXES[name][2] == at and exercises._module(name).MINUTES == int(said) for name, at, said in set_there)


def test_every_assignment_stands_in_one_box_of_a_chapter_and_in_the_table():
    table = (BOOK / "chapters" / "assignments.md").read_text(encoding="utf-8")
    assert sorted(BOXES) == exercises.names()
    chapters = "".join(path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.md"))
    assert len(re.findall(r"^:assignment:", chapters, re.M)) == len(BOXES)
    assert chapters.count("\n:nonumber:\n:class: assignment\n:assignment: ") == len(BOXES)
    for name, (chapter, title, label) in BOXES.items():
        of = exercises._module(name)
        assert (f"| {{ref}}`{title} <{label}>` | `{name}` | {of.MINUTES} | {of.LEVEL} | {of.POINTS} | "
                f"{{download}}`open <../assignments/{chapter}.ipynb>` |") in table, name


def test_the_notebooks_handed_out_are_their_chapters_boxes():
    wanted = assignments.texts(BOOK / "chapters", notebooks.headings())
    assert not assignments.problems(wanted, BOOK / "assignments") and len(HANDED_OUT) == len({chapter for chapter, _, _ in BOXES.values()})


@pytest.mark.slow
@pytest.mark.turning(5)
@pytest.mark.parametrize("path", HANDED_OUT, ids=lambda path: path.stem)
def test_a_notebook_works_alone_in_an_empty_folder_and_its_file_is_marked(path, tmp_path, monkeypatch):
    """With empty answers each self-check says so, and what it writes is marked; as it is handed out, answers None, it is no answer."""
    made = nbformat.read(path, as_version=4)
    assert not re.search(r"\{[a-z:]+\}`", "".join(cell.source for cell in made.cells)), "a role, which Colab does not know"
    key = Path(__file__).with_name("course.key")
    names = [name for name, (chapter, _, _) in BOXES.items() if chapter == path.stem]
    for name in names:
        if getattr(exercises._module(name), "PLANTED", False):
            own = {"of": ["trial", name, "ada"], "params": exercises.params(name, "ada", "trial", key)}
            (tmp_path / f"ada-{name}.key").write_text(json.dumps(own))
    monkeypatch.setenv("PYTHONPATH", str(BOOK.parent))
    for cell in made.cells:
        for blank, filled in (('student = ""', 'student = "ada"'), ('term = ""', 'term = "trial"'), ("answer = None", "answer = {}")):
            cell.source = cell.source.replace(blank, filled)
    NotebookClient(made, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    nbformat.write(made, tmp_path / "ada.ipynb")
    (tmp_path / "roster.csv").write_text("student\nada\n")
    rows = exercises.grade(tmp_path / "roster.csv", tmp_path, "trial", key=key)
    assert sorted(row["exercise"] for row in rows) == sorted(names)
    assert all(row["points"] == 0 and row["reason"].startswith("the answer: the field ") for row in rows)
    assert not turning.all_of_it() or {f"ada-{name}.json" for name in names} <= {file.name for file in tmp_path.iterdir()}


def written(text):
    """Whatever in a text is written like an answer: an object of fields."""
    for start in re.finditer(r'\{\s*"\w+":', text):
        try:
            yield json.JSONDecoder().raw_decode(text, start.start())[0]
        except ValueError:
            continue


def test_no_page_no_notebook_no_test_and_no_module_holds_an_answer():
    """What looks like one, anywhere in the book, its made notebooks, the library or the tests, is worth a third at most, to any of 20
    students; code, which takes a process each, to any of 2."""
    fields = {name: set(exercises._module(name).SHAPE) for name in exercises.names()}
    roots, kinds = (BOOK, BOOK.parent / "dpfair_teach", BOOK.parent / "tests"), {".md", ".ipynb", ".py", ".json", ".yml"}
    found = {json.dumps(one) for root in roots for path in root.rglob("*") if path.suffix in kinds
             for one in written(path.read_text(encoding="utf-8").replace('\\"', '"'))}
    tried = [(name, json.loads(one)) for one in found for name in fields if set(json.loads(one)) == fields[name]]
    assert len(tried) >= 5, "the reader of answers reads none"
    for name, answer in tried:
        for i in range(2 if "code" in answer else 20):
            key = Path(__file__).with_name("course.key")
            assert exercises.check(name, answer, ["ada", f"student{i}"][i > 0], "trial", key).points <= 10 / 3, (name, answer)


@pytest.mark.site
def test_the_site_ships_no_module_of_checks_and_no_answers_of_tests(site):
    """Downloads are the notebooks that are handed out; the search index and the sources hold the statements only."""
    downloads = {path.name for path in (site / "_downloads").rglob("*") if path.is_file()}
    assert {path.name for path in HANDED_OUT} <= downloads and not [name for name in downloads if name.endswith(".py")]
    solved = re.compile(r"answers_\w+\.py|GIVEN_AWAY")
    assert not [path for path in (site / "_sources").rglob("*") if path.is_file() and solved.search(path.read_text(encoding="utf-8"))]
    assert not solved.search((site / "searchindex.js").read_text(encoding="utf-8"))
