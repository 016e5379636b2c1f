"""How large the library is, room by room, and who uses each of its names.

    python book/_tools/size.py            the table; exits with 1 where a room is above its budget
    python book/_tools/size.py --names    and each exported name with its users
    python book/_tools/size.py --write    lower the budgets in tests/budgets.csv to what stands; it raises none

A line of code holds something besides a docstring or a comment. A room exports what its face lists in `__all__`. Its options are the
parameters of that class which takes most to be made. Its tests are the files of `tests/ROOM/` and `tests/test_ROOM*.py`.
"""
from __future__ import annotations

import argparse
import ast
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LIBRARY, TESTS, CHAPTERS, STUDIES = ROOT / "dpfair_teach", ROOT / "tests", ROOT / "book" / "chapters", ROOT / "book" / "studies"
LEDGER, BUDGETS = ROOT / "book" / "theorems.yml", TESTS / "budgets.csv"
#: What stands beside the rooms, in the library and among the tests.
BESIDE = "_shared"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?:---\n(?:.*\n)*?---\n)?((?:.*\n)*?)```\s*$", re.M)
#: Of a page: blocks of Python, and code type; roles and the fences of directives aside.
PYTHON, QUOTED = re.compile(r"^```python\n(.*?)^```", re.M | re.S), re.compile(r"`([^`\n]+)`")
NO_QUOTE = re.compile(r"\{[\w:]+\}`[^`]*`|^`{3,}.*$", re.M)
LONG_TEXT = re.compile(r"""\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}""", re.S)
COMMAND = "make size ARGS=--write"


class Size(NamedTuple):
    """Of one room."""

    code: int = 0
    docstring: int = 0
    files: int = 0
    names: int = 0
    options: int = 0
    tests: int = 0


def together(*sizes: Size) -> Size:
    """Of several rooms, or parts of one: all is added up, but for the options of the largest class."""
    columns = zip(Size._fields, zip(*sizes, strict=True), strict=True)
    return Size(*(max(each) if field == "options" else sum(each) for field, each in columns))


class Budget(NamedTuple):
    """What a room may have at most, and which of its names may be without a user."""

    size: Size
    unused: frozenset[str]


# -- sizes ---------------------------------------------------------------------------------------------------------------------


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The program itself and every statement in it, of whatever block."""
    yield tree
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        inside = getattr(tree, block, [])
        for one in inside if isinstance(inside, list) else []:
            yield from statements(one)


def lines(source: str, tree: ast.Module) -> tuple[int, int]:
    """Lines of code and of docstrings."""
    docstrings: set[int] = set()
    for node in statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node) is not None:
            docstrings |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    code = {number for number, line in enumerate(source.splitlines(), start=1) if line.strip() and not line.lstrip().startswith("#")}
    for text in LONG_TEXT.finditer(source):         # all its lines, also what is empty or looks like a comment
        start = source.count("\n", 0, text.start()) + 1
        code |= set(range(start, start + text[0].count("\n") + 1))
    return len(code - docstrings), len(docstrings)


def options(tree: ast.Module) -> int:
    """The parameters of the class that takes most of them to be made."""
    made = [method.args for node in statements(tree) if isinstance(node, ast.ClassDef) for method in node.body
            if isinstance(method, ast.FunctionDef) and method.name == "__init__"]
    return max((len(taken.args) - 1 + len(taken.kwonlyargs) for taken in made), default=0)


def exported(tree: ast.Module) -> list[str]:
    """The names in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    return []


def room_of(path: Path, library: Path) -> str:
    """The room that a file of the library belongs to."""
    inside = path.relative_to(library)
    if len(inside.parts) > 1:
        return inside.parts[0]
    return BESIDE if path.stem.startswith("_") else path.stem


def room_of_test(path: Path, tests: Path, rooms: set[str]) -> str:
    """The room whose test this is, or the folder of tests."""
    inside = path.relative_to(tests)
    if len(inside.parts) > 1:
        return inside.parts[0]
    word = path.stem.removeprefix("test_").split("_")[0]
    return word if word in rooms else BESIDE


def sizes(library: Path = LIBRARY, tests: Path = TESTS) -> dict[str, Size]:
    """Of every room, by name."""
    found: dict[str, Size] = {}
    for path in library.rglob("*.py"):
        source, room = path.read_text(encoding="utf-8"), room_of(path, library)
        tree = ast.parse(source)
        names = len(exported(tree)) if path.name == "__init__.py" or path.parent == library else 0
        found[room] = together(found.get(room, Size()), Size(*lines(source, tree), 1, names, options(tree)))
    rooms = set(found)
    for path in tests.rglob("*.py"):
        source, room = path.read_text(encoding="utf-8"), room_of_test(path, tests, rooms)
        found[room] = together(found.get(room, Size()), Size(tests=lines(source, ast.parse(source))[0]))
    return dict(sorted(found.items()))


# -- users ---------------------------------------------------------------------------------------------------------------------


def faces(library: Path = LIBRARY) -> dict[str, list[str]]:
    """What each room exports."""
    rooms = {path.parent.name: path for path in library.glob("*/__init__.py")}
    rooms |= {path.stem: path for path in library.glob("*.py") if not path.stem.startswith("_")}
    return {room: exported(ast.parse(path.read_text(encoding="utf-8"))) for room, path in sorted(rooms.items())}


def uses(source: str, home: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """What a program takes from the library: ``games.schedule(m)`` after ``from dpfair_teach import games`` is ("games", "schedule").

    ``home`` is the package that the program's relative imports start from.
    """
    known: dict[str, tuple[str, ...]] = {}       # a name in the program, and what it stands for
    attributes = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            attributes.append(node)
        elif isinstance(node, ast.ImportFrom):
            start = home[:len(home) - node.level + 1] if node.level else ()
            path = (*start, *(node.module.split(".") if node.module else ()))
            if path[:1] == ("dpfair_teach",):
                known |= {alias.asname or alias.name: (*path[1:], alias.name) for alias in node.names}
    found = set(known.values())
    for node in attributes:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in known:
            found.add((*known[inner.id], *parts))
    return found


def named(path: tuple[str, ...], exports: dict[str, list[str]]) -> set[tuple[str, str]]:
    """The exported name that a path in the library goes through, as ``(room, name)``; the package's own face shows names of rooms."""
    if len(path) == 1:
        return {(room, path[0]) for room, names in exports.items() if path[0] in names}
    room, *rest = path
    return {(room, name) for name in rest if name in exports.get(room, ())}


def programs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """What kind of user, its source, and the package that it lies in; of what is written in Python."""
    for path in sorted(CHAPTERS.glob("*.md")):
        cells = "\n".join(CELL.findall(path.read_text(encoding="utf-8")))
        yield f"cell {path.stem}", "\n".join(line for line in cells.splitlines() if not line.startswith((":", "%"))), ()
    for path in sorted(STUDIES.glob("*.py")):
        yield f"study {path.stem}", path.read_text(encoding="utf-8"), ("book", "studies")
    for path in sorted(set(LIBRARY.rglob("*.py")) - {LIBRARY / "__init__.py"}):
        package = ("dpfair_teach", *path.relative_to(LIBRARY).parent.parts)
        yield f"room {room_of(path, LIBRARY)}", path.read_text(encoding="utf-8"), package


def users() -> dict[tuple[str, str], list[str]]:
    """Who uses each exported name: cells, studies, the ledger, pages that name it in code type, other rooms."""
    exports = faces()
    found: dict[tuple[str, str], dict[str, None]] = {(room, name): {} for room, names in exports.items() for name in names}
    for user, source, home in programs():
        for path in uses(source, home):
            for one in named(path, exports):
                if user != f"room {one[0]}":
                    found[one][user] = None
    for function in re.findall(r"^  function: dpfair_teach\.([\w.]+)", LEDGER.read_text(encoding="utf-8"), re.M):
        for one in named(tuple(function.split(".")), exports):
            found[one]["ledger"] = None
    for page in [*sorted(CHAPTERS.glob("*.md")), *sorted((CHAPTERS.parent / "instructors").glob("*.md"))]:
        text = CELL.sub("", page.read_text(encoding="utf-8"))
        code = [*PYTHON.findall(text), *QUOTED.findall(NO_QUOTE.sub("", text))]
        for room, word in set(re.findall(r"(?:(\w+)\.)?(\w+)", " ".join(code))):
            for one in [(room, word)] if room in exports else [(other, word) for other in exports]:
                if one in found:
                    found[one][f"page {page.stem}"] = None
    return {one: list(names) for one, names in found.items()}


def unused(used: dict[tuple[str, str], list[str]]) -> dict[str, frozenset[str]]:
    """The exported names of each room that nobody uses."""
    return {room: frozenset(name for (home, name), by in used.items() if home == room and not by) for room in {home for home, _ in used}}


# -- budgets -------------------------------------------------------------------------------------------------------------------


def stored(path: Path = BUDGETS) -> dict[str, Budget]:
    """What the file allows."""
    with path.open(encoding="utf-8", newline="") as rows:
        return {row["room"]: Budget(Size(*(int(row[field]) for field in Size._fields)), frozenset(row["unused"].split()))
                for row in csv.DictReader(rows)}


def complaints(found: dict[str, Size], without: dict[str, frozenset[str]], budgets: dict[str, Budget]) -> list[str]:
    """Where a room has more than its budget."""
    said = []
    for room, size in found.items():
        if room not in budgets:
            said.append(f"{room}: no row in tests/budgets.csv: whoever adds a room writes there how large it may be")
            continue
        said += [f"{room}: {field} {has:,}, and its budget is {most:,}: delete or merge; what must be more is raised by hand in "
                 "tests/budgets.csv, with the reason in the commit"
                 for field, has, most in zip(Size._fields, size, budgets[room].size, strict=True) if has > most]
    said += [f"{room}.{name}: exported, and used by no cell, study, ledger row, page or other room: take it out of __all__"
             for room, names in without.items() for name in sorted(names - (budgets[room].unused if room in budgets else set()))]
    return said


def lowered(found: dict[str, Size], without: dict[str, frozenset[str]], budgets: dict[str, Budget]) -> dict[str, Budget]:
    """The budgets, where a room has become smaller lowered to what it has; a room that is gone has none."""
    return {room: Budget(Size(*map(min, found[room], budget.size)), budget.unused & without.get(room, frozenset()))
            for room, budget in budgets.items() if room in found}


def write(budgets: dict[str, Budget], path: Path = BUDGETS) -> None:
    with path.open("w", encoding="utf-8", newline="") as rows:
        table = csv.writer(rows, lineterminator="\n")
        table.writerow(["room", *Size._fields, "unused"])
        for room, budget in sorted(budgets.items()):
            table.writerow([room, *budget.size, " ".join(sorted(budget.unused))])


# -- for people ----------------------------------------------------------------------------------------------------------------


def table(found: dict[str, Size], used: dict[tuple[str, str], list[str]] | None = None) -> str:
    """Rooms below each other, each with its names and their users where these are given."""
    said = ["room             " + "".join(f"{field:>11}" for field in Size._fields)]

    def row(name: str, size: Size) -> str:
        return f"{name:17}" + "".join(f"{value:11,}" for value in size)

    for room, size in found.items():
        said.append(row(room, size))
        said += [f"    {name}: {', '.join(by) or 'NO USER'}" for (home, name), by in (used or {}).items() if home == room]
    whole, small = together(*found.values()), together(*(size for room, size in found.items() if room != "oneshot"))
    said += [row("all", whole), row("without oneshot", small)]
    return "\n".join(said)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--names", action="store_true", help="each exported name with its users")
    parser.add_argument("--write", action="store_true", help="lower the budgets in tests/budgets.csv to what stands")
    given = parser.parse_args(arguments)
    found, used = sizes(), users()
    if given.write:
        write(lowered(found, unused(used), stored()))
    print(table(found, used if given.names else None))
    said = complaints(found, unused(used), stored())
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
