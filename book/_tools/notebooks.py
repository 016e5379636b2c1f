"""Make the executed notebooks from the chapters.

    python book/_tools/notebooks.py            execute the chapters that changed
    python book/_tools/notebooks.py --all      execute every chapter
    python book/_tools/notebooks.py --check    execute nothing; say what is stale, missing or left over
    python book/_tools/notebooks.py 05 06      only the chapters whose names start so

A chapter with cells, ``book/chapters/x.md``, becomes ``book/notebooks/x.ipynb``. The result depends on the chapter and the
library only: making it twice on one machine gives the same bytes. A chapter without cells has no notebook. The students' notebooks of its
assignments, ``book/assignments/x.ipynb``, are made each time.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

import assignments
import for_lab

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ROOT / "book" / "chapters"
NOTEBOOKS = ROOT / "book" / "notebooks"
ASSIGNMENTS = ROOT / "book" / "assignments"
COMMAND = "make notebooks"

CELL = re.compile(r"(`{3,}|~{3,})\{code-cell\}")
FENCE = re.compile(r"(`{3,}|~{3,})")
# A label in front of its heading, and a reference that leaves it to the site to put the heading in.
LABEL = re.compile(r"^\(([\w-]+)\)=\s*^#+ ([^`$<>\n]+)$", re.M)
REFERENCE = re.compile(r"\{ref\}`([\w-]+)`")
COLONS = re.compile(r"(:{3,})(.*)")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# What a tag folds away on the site, JupyterLab folds away by these: it does not know the tags.
FOLDED = {"remove-input": ["source_hidden"], "hide-input": ["source_hidden"], "hide-output": ["outputs_hidden"],
          "hide-cell": ["source_hidden", "outputs_hidden"]}
WIDGETS = "application/vnd.jupyter.widget-view+json"
# What would differ from one run, or from one machine, to the next.
UNSTABLE = [
    (re.compile(r"<[^<>\n]* at 0x[0-9a-f]+>"), "the address of an object: print something else, or end the cell with an assignment"),
    (re.compile(re.escape(str(ROOT))), "the path of this checkout"),
    (re.compile(r"/tmp/ipykernel_\d+"), "a temporary path, usually of a warning: repair what the warning is about"),
]


class ChapterError(Exception):
    """A chapter that cannot become a notebook; the message names the chapter, the line and the cell."""


def chapters(folder: Path = CHAPTERS) -> list[Path]:
    """The chapters with cells, in order of their names."""
    return [path for path in sorted(folder.glob("*.md")) if "{code-cell}" in path.read_text(encoding="utf-8") and lines_of(path)]


def cell_lines(text: str) -> list[int]:
    """The line (from 1) of each code cell's opening fence; fences shown inside longer fences do not count.

    Raises ChapterError for a cell inside a ``:::`` directive: there it would end the directive.
    """
    lines: list[int] = []
    fence, colons = None, []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if fence is not None:
            if stripped.startswith(fence) and not stripped.strip(fence[0]):
                fence = None
        elif match := CELL.match(line):
            if colons:
                opened = colons[-1][1]
                raise ChapterError(f"line {number}: a {{code-cell}} stands inside the directive opened at line {opened}; move it out")
            lines.append(number)
            fence = match[1]
        elif match := FENCE.match(stripped):
            fence = match[1]
        elif match := COLONS.match(stripped):
            if match[2]:
                colons.append((len(match[1]), number))
            elif colons and len(match[1]) >= colons[-1][0]:
                colons.pop()
    return lines


def lines_of(chapter: Path) -> list[int]:
    """`cell_lines` of a file, with the file's name in the complaint."""
    try:
        return cell_lines(chapter.read_text(encoding="utf-8"))
    except ChapterError as error:
        raise ChapterError(f"{chapter.name}, {error}") from None


def headings(folder: Path = CHAPTERS) -> dict[str, str]:
    """The heading behind each label of the book."""
    return {label: title.strip() for path in sorted(folder.glob("*.md"))
            for label, title in LABEL.findall(path.read_text(encoding="utf-8"))}


def spelt_out(source: str, titles: dict[str, str]) -> str:
    """References with their headings written out: JupyterLab knows one page only, and would show a bare label.

    >>> spelt_out("See {ref}`pg-notation`.", {"pg-notation": "Notation"})
    'See {ref}`Notation <pg-notation>`.'
    """
    return REFERENCE.sub(lambda found: f"{{ref}}`{titles[found[1]]} <{found[1]}>`" if found[1] in titles else found[0], source)


def digest(path: Path) -> str:
    """The sha256 of a chapter's text, the same whatever the line endings of the checkout."""
    return hashlib.sha256(path.read_text(encoding="utf-8").encode("utf-8")).hexdigest()


def build(chapter: Path, *, root: Path = ROOT, timeout: int = 300) -> nbformat.NotebookNode:
    """Read one chapter, execute its cells from the top, and keep only what is the same the next time."""
    text = chapter.read_text(encoding="utf-8")
    starts = lines_of(chapter)
    notebook = jupytext.reads(text, fmt="md:myst")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if len(code) != len(starts):
        raise ChapterError(f"{chapter.name}: {len(starts)} code cells begin (lines {starts}) but {len(code)} were read; "
                           "look for a fence that is not closed, or a cell inside a list or a directive")

    name = chapter.relative_to(root).as_posix() if chapter.is_relative_to(root) else chapter.name
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "dpfair_teach": {"chapter": name, "sha256": digest(chapter)},
    })
    titles = headings()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = for_lab.as_admonitions(spelt_out(cell.source, titles))
    execute(notebook, chapter, starts, root=root, timeout=timeout)

    seen: dict[str, int] = {}
    for cell in notebook.cells:
        key = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[key] = seen.get(key, 0) + 1
        cell.id = key if seen[key] == 1 else f"{key}-{seen[key]}"
        cell.metadata = nbformat.from_dict({k: v for k, v in sorted(cell.metadata.items()) if k in ("tags", "mystnb")} | folded(cell))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def folded(cell: nbformat.NotebookNode) -> dict:
    """What tells JupyterLab to show a cell's source or outputs folded, as its tags tell the site."""
    wanted = {name: True for tag in cell.metadata.get("tags", []) for name in FOLDED.get(tag, [])}
    return {"jupyter": {**cell.metadata.get("jupyter", {}), **wanted}} if wanted or "jupyter" in cell.metadata else {}


def execute(notebook: nbformat.NotebookNode, chapter: Path, starts: list[int], *, root: Path, timeout: int) -> None:
    """Run every code cell in a fresh kernel without access to the reader's data folder."""
    environment = {k: v for k, v in os.environ.items() if k != "DPFAIR_TEACH_DATA"}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (str(root), os.environ.get("PYTHONPATH")) if p)
    # Colours and line widths must not depend on the terminal the tool is called from.
    environment |= {"PYTHONHASHSEED": "0", "NO_COLOR": "1", "COLUMNS": "100", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    client = NotebookClient(notebook, kernel_name="python3", timeout=timeout, record_timing=False,
                            store_widget_state=False, resources={"metadata": {"path": str(NOTEBOOKS if NOTEBOOKS.exists() else root)}})
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    # Its advice on how to open its ports would stand among our own lines.
    client.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    with client.setup_kernel(env=environment):
        for number, (cell, line) in enumerate(zip(code, starts, strict=True), start=1):
            where = f"{chapter.name}, line {line} (cell {number} of {len(code)})"
            try:
                client.execute_cell(cell, notebook.cells.index(cell), execution_count=number)
            except CellExecutionError as error:
                raise ChapterError(f"{where}: {error.ename}: {error.evalue}\n{ANSI.sub('', error.traceback)}") from None
            except (CellTimeoutError, DeadKernelError) as error:
                raise ChapterError(f"{where}: {error}") from None
            cell.outputs = [tidy(output, where) for output in joined(cell.outputs)]
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join neighbouring pieces of one stream: how a kernel cuts its prints is a matter of chance."""
    result: list[nbformat.NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and result and result[-1].output_type == "stream" and result[-1].name == output.name:
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def tidy(output: nbformat.NotebookNode, where: str) -> nbformat.NotebookNode:
    """Leave out live widgets, and refuse what would not be the same the next time."""
    if output.output_type == "stream":
        if output.name == "stderr":
            raise ChapterError(f"{where}: the cell writes to stderr, and a chapter's page should not: {output.text.strip()[:400]}")
        texts = [output.text]
    else:
        output.data.pop(WIDGETS, None)
        output.metadata = nbformat.from_dict({k: v for k, v in output.get("metadata", {}).items() if k != WIDGETS})
        texts = [value for kind, value in output.data.items() if isinstance(value, str) and kind.startswith("text/")]
    for text in texts:
        for pattern, what in UNSTABLE:
            if match := pattern.search(text):
                raise ChapterError(f"{where}: the output holds {what} ({match[0]!r})")
    return output


def dumps(notebook: nbformat.NotebookNode) -> str:
    """The notebook as text: sorted keys, one space of indentation, a newline at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def stored_digest(path: Path) -> str | None:
    """The hash of the chapter that a notebook was made from; None when the file does not say."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"]["dpfair_teach"]["sha256"]
    except (KeyError, TypeError, ValueError):
        return None


def problems(chapter_folder: Path = CHAPTERS, notebook_folder: Path = NOTEBOOKS) -> list[str]:
    """What `--check` says: stale, missing and left-over notebooks, each with the command that repairs it."""
    found, sources = [], chapters(chapter_folder)
    for chapter in sources:
        notebook = notebook_folder / f"{chapter.stem}.ipynb"
        if not notebook.exists():
            found.append(f"missing: {notebook.name} was never made from {chapter.name}; run: {COMMAND}")
        elif stored_digest(notebook) != digest(chapter):
            found.append(f"stale: {notebook.name} was made from another version of {chapter.name}; run: {COMMAND}")
    names = {chapter.stem for chapter in sources}
    for notebook in sorted(notebook_folder.glob("*.ipynb")):
        if notebook.stem not in names:
            found.append(f"left over: {notebook.name} has no chapter with cells; run: git rm book/notebooks/{notebook.name}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of the chapters' names (default: every chapter)")
    parser.add_argument("--all", action="store_true", help="execute the chapters that did not change, too")
    parser.add_argument("--check", action="store_true", help="execute nothing, exit with 1 when a notebook is not fresh")
    options = parser.parse_args(arguments)

    try:
        found, sources = problems(), chapters()
        handed_out = assignments.texts(CHAPTERS, headings())
        found += assignments.problems(handed_out, ASSIGNMENTS)
    except ChapterError as error:
        print(error, file=sys.stderr)
        return 1
    if options.check:
        print("\n".join(found) if found else f"notebooks: {len(sources)} are fresh")
        return 1 if found else 0

    chosen = [c for c in sources if not options.names or c.name.startswith(tuple(options.names))]
    if options.names and not chosen:
        print(f"no chapter with cells starts with {' or '.join(options.names)}; there are: {', '.join(c.stem for c in sources) or 'none'}")
        return 1
    NOTEBOOKS.mkdir(exist_ok=True)
    assignments.write(handed_out, ASSIGNMENTS)
    failures = 0
    for number, chapter in enumerate(chosen, start=1):
        target = NOTEBOOKS / f"{chapter.stem}.ipynb"
        head = f"[{number}/{len(chosen)}] {chapter.stem}"
        if not options.all and target.exists() and stored_digest(target) == digest(chapter):
            print(f"{head}: fresh", flush=True)
            continue
        print(f"{head}: executing ...", flush=True)
        start = time.perf_counter()
        try:
            target.write_text(dumps(build(chapter)), encoding="utf-8")
        except ChapterError as error:
            print(error, file=sys.stderr, flush=True)
            failures += 1
        else:
            print(f"{head}: done in {time.perf_counter() - start:.1f} s, {target.stat().st_size / 1024:.0f} KB", flush=True)
    for line in found:
        if line.startswith("left over"):
            print(line, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
