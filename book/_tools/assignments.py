"""The students' notebooks, ``book/assignments/X.ipynb``: the assignments of a chapter, out of its own boxes.

Such a notebook works alone, with nothing but the library beside it: its text is plain Markdown, which JupyterLab, Binder and Colab show
alike. It is not executed here: the answers are the student's. A cell with the tag ``assignment`` below a box draws its numbers.
"""
from __future__ import annotations

import re
from pathlib import Path

import nbformat

from dpfair_teach import exercises

BOX = re.compile(r"^(?P<fence>`{3,})\{exercise\} (?P<title>.*)\n(?P<options>(?::.*\n)*:assignment: (?P<name>\w+)\n)\n"
                 r"(?P<body>(?s:.*?))^(?P=fence)\n"
                 r"(?:\n```\{code-cell\} ipython3\n---\ntags: \[[^\]]*\bassignment\]\n(?:.*\n)*?---\n(?P<picture>(?s:.*?))^```\n)?", re.M)
HEADING = re.compile(r"^# (.+)$", re.M)
ROLE = re.compile(r"\{[\w:]+\}`(?P<text>[^`<]*?)\s*(?:<[^`>]*>)?`")
HOW = """# {title}: assignments

Write your id and the course's word for this term into the first cell, and run it. Below each task stand your own numbers and a place for
your answer. The self-check is the program that marks: it says your points, and why some are missing, as often as you like, and writes the
file to hand in. This notebook, saved after the self-check, may be handed in as well: let its name begin with your id."""
FIRST = """# Where the library is missing, as in Colab, first the next line, with the address of your course's copy:
# %pip install git+ADDRESS
from dpfair_teach import exercises

student = ""        # your id, as the course's list has it
term = ""           # the course's word for this term"""
WHY = "**Why.** *In three sentences, for whoever marks; the program does not read them.*"
KEY = ', key=f"{{student}}-{name}.key"'


def plain(text: str, titles: dict[str, str]) -> str:
    """Markdown without roles: of a reference its words stay.

    >>> plain("By {prf:ref}`Lemma A.1 <lem-a1>` and {ref}`ch-game`.", {"ch-game": "Fair learning as a game"})
    'By Lemma A.1 and Fair learning as a game.'
    """
    return ROLE.sub(lambda role: titles.get(role["text"], role["text"]), text)


def notebook(text: str, titles: dict[str, str]) -> nbformat.NotebookNode | None:
    """The students' notebook of a chapter with that text; None where it has no assignment."""
    boxes = list(BOX.finditer(text))
    if not boxes:
        return None
    cells = [nbformat.v4.new_markdown_cell(HOW.format(title=HEADING.search(text)[1])), nbformat.v4.new_code_cell(FIRST)]
    for box in boxes:
        name = box["name"]
        of = exercises._module(name)
        own = "student, term" + (KEY.format(name=name) if getattr(of, "PLANTED", False) else "")
        line = f"*`{name}` · {of.MINUTES} minutes · {of.LEVEL} · {of.POINTS} points*"
        cells.append(nbformat.v4.new_markdown_cell(f"## {box['title']}\n\n{line}\n\n{plain(box['body'], titles).strip()}"))
        cells.append(nbformat.v4.new_code_cell(f'exercises.params("{name}", {own})'))
        if box["picture"]:
            drawn = box["picture"].strip().replace('"ada", "trial"', "student, term").replace("# Ada's", "# Your")
            cells.append(nbformat.v4.new_code_cell(drawn))
        cells.append(nbformat.v4.new_code_cell(f'answer = None      # here\n\nexercises.self_check("{name}", answer, {own})'))
        cells.append(nbformat.v4.new_markdown_cell(WHY))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    made = nbformat.v4.new_notebook(cells=cells, metadata={
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}})
    nbformat.validate(made)
    return made


def texts(chapters: Path, titles: dict[str, str]) -> dict[str, str]:
    """Of each notebook's file name what stands in it."""
    made = ((path, notebook(path.read_text(encoding="utf-8"), titles)) for path in sorted(chapters.glob("*.md")))
    return {f"{path.stem}.ipynb": nbformat.writes(of).rstrip("\n") + "\n" for path, of in made if of is not None}


def problems(wanted: dict[str, str], folder: Path) -> list[str]:
    """Which of the notebooks are not as they would be made now."""
    stands = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}
    return [f"stale: assignments/{name} is not what its chapter says; run: make notebooks"
            for name in sorted(wanted.keys() | stands.keys()) if wanted.get(name) != stands.get(name)]


def write(wanted: dict[str, str], folder: Path) -> None:
    """Make the folder hold these notebooks and no others."""
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.ipynb"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
