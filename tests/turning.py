"""What `make test` leaves to `make nightly`, and how the day and the last changes choose the rest.

A test of a room, and an example in its docstrings, waits for its day, one in five, while neither that room nor one that it reads is
changed. ``@pytest.mark.turning(5)``: of the test's cases a fifth runs each day, all of them in five days. A case whose name is that of a
changed file always runs (a chapter, a stored table), and one of a public name (``games.dp_oracle_learner, k=2``) while its room, or one
that this room reads, is changed. ``turning(5, of=[...])`` is about what these files and folders do: while one of them is
changed, or the test's own file (but of tests of pages), or its room, all of it runs. ``@pytest.mark.nightly``: `make nightly` alone does. A
test that is named on the command line, ``FILE::TEST``, runs whole, whatever its marks, so a deliberate fault meets all of its test.

`make quick` (``QUICK=1``) leaves more to the days: what is changed is the branch, or the last commit, and no room for what it reads.

Two variables of the environment: ``NIGHTLY=1`` runs everything, and ``TEST_DATE=2026-11-23`` repeats the sample of that day.
"""
from __future__ import annotations

import datetime
import os
import re
import subprocess
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "dpfair_teach"
#: On main itself, where no branch says what is new: so many commits count as changes, and to `make quick` the last alone.
RECENT = 5
#: What everything stands on: while one of these is changed, no room rests and every notebook is run.
UNDER_ALL = ("requirements.txt", "requirements-dev.txt", "pyproject.toml", "tests/recorded", "dpfair_teach/__init__.py")
#: What chapters import by the face of the library, and its room.
OF_THE_FACE = {"load": "data", **dict.fromkeys(("Explorer", "Puzzle", "SelfCheck", "show"), "explore")}
#: In so many days a room that nothing changes is tested, and by `make quick`.
REST, QUICK_REST = 5, 7


def all_of_it() -> bool:
    return bool(os.environ.get("NIGHTLY"))


def quickly() -> bool:
    return bool(os.environ.get("QUICK"))


def day() -> datetime.date:
    """Today, or the day that ``TEST_DATE`` names. Kept in the environment, for workers and after midnight."""
    return datetime.date.fromisoformat(os.environ.setdefault("TEST_DATE", datetime.date.today().isoformat()))


def due(number: int, days: int) -> bool:
    """Is it the turn of case ``number`` today? Each case has one day in ``days``."""
    return (number - day().toordinal()) % days == 0


def of(name: str) -> int:
    """A number for a name, the same on every machine."""
    return zlib.crc32(name.encode())


def git(root: Path, *words: str) -> str:
    """What git says; nothing where there is no git, or nothing that it may read."""
    try:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, encoding="utf8").stdout
    except OSError:
        return ""


@cache
def since(root: Path = ROOT) -> tuple[str, str]:
    """The commit from which on a file counts as changed, and in words which one that is: where the branch left main, or on main five back.

    A clone with less history has fewer commits to go by. Without git, or in an unpacked archive, there is none.
    """
    head = git(root, "rev-parse", "HEAD").strip()
    if not head:
        return "", "git tells nothing here, so none is known to be changed"
    for main in ("origin/main", "main"):
        if (left := git(root, "merge-base", "HEAD", main).strip()) and left != head:
            return left, f"since {left[:9]}, where this branch left {main}"
    recent = 1 if quickly() else RECENT
    line = git(root, "rev-list", "--first-parent", f"--max-count={recent + 1}", "HEAD").split()
    if len(line) > 1:
        return line[-1], f"in the last {len(line) - 1} commits" + ("" if len(line) > recent else ", and git knows no earlier ones")
    return head, "not yet committed; git knows one commit only, not what came before it"


@cache
def changed(root: Path = ROOT) -> frozenset[str]:
    """Files, as paths below the root, that differ from the commit of `since`, not committed ones too; where git tells nothing, none."""
    start, _ = since(root)
    if not start:
        return frozenset()
    names = git(root, "diff", "--name-only", "--no-renames", "--relative", start) + git(root, "ls-files", "--others", "--exclude-standard")
    return frozenset(names.split("\n")) - {""}


def told(root: Path = ROOT) -> str:
    """One line: which files do not wait for their day, and how that is known."""
    return f"changed files, whose checks do not wait for their day: {len(changed(root))} {since(root)[1]}"


def called_after(new: Iterable[str]) -> set[str]:
    """The names of changed files, and of rooms that read them. Of a notebook only with its chapter: a change of the player makes all of
    them anew, and what it does to one page it does to the others, whose turn comes.
    """
    made, files = Path("book/notebooks"), {Path(name) for name in new}
    return standing_on(files) | {
        file.stem for file in files if file.parent != made or Path("book/chapters", file.stem).with_suffix(".md") in files}


@cache
def read_by_rooms() -> dict[str, set[str]]:
    """Each room, and file beside the rooms, with those that its files import; the studies of the book may read any."""
    found: dict[str, set[str]] = {}
    for path in LIBRARY.rglob("*.py"):
        up = r"\." * len(path.relative_to(LIBRARY).parts)       # dots that lead out of a room
        for room, names in re.findall(rf"^ *from {up}(\w*)[\w.]* import (.*)", path.read_text(encoding="utf-8"), re.M):
            found.setdefault(room_of(path), set()).update([room] if room else re.findall(r"\w+", names))
    return found | {"studies": set(found)}


def room_of(path: Path) -> str:
    """The room in which a file of the library lies, or its own name where it lies beside them."""
    return path.relative_to(LIBRARY).with_suffix("").parts[0]


def rooms_of(files: Iterable[Path]) -> set[str]:
    """The rooms of those files that are the library's."""
    return {room_of(ROOT / file) for file in files if LIBRARY in (ROOT / file).parents}


def standing_on(files: Iterable[Path]) -> set[str]:
    """The rooms of files of the library, and all that read one of them, straight or through others."""
    found = rooms_of(files) | {"studies" for file in files if Path("book/studies") in file.parents}
    if quickly():
        return found
    while more := {room for room, read in read_by_rooms().items() if read & found} - found:
        found |= more
    return found


def about(path: Path) -> str:
    """The room that a file of tests or examples is about; none where it is about the whole."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if LIBRARY in path.parents:
        return room_of(path)
    if len(parts) > 2:
        return parts[1]
    words = parts[-1].removeprefix("test_")
    return max((room for room in read_by_rooms() if f"{words}_".startswith(f"{room}_")), key=len, default="")


@cache
def rests(path: Path, new: frozenset[str] | None = None) -> bool:
    """Whether a file of tests is about a room alone, and neither that nor the file, nor what it imports, of tests or rooms, is changed."""
    room, names = about(path), changed() if new is None else new
    files = {Path(name) for name in names}
    if touched(UNDER_ALL, names) and not quickly():
        return False
    if room not in read_by_rooms() or path.relative_to(ROOT) in files or room in standing_on(files):
        return False
    text = path.read_text(encoding="utf-8")
    helpers = {file.stem for file in files if file.parts[0] == "tests"}
    beside = {ROOT / file.parent for file in files if file.name == "conftest.py"}
    imports = [] if quickly() else re.findall(r"^from dpfair_teach\.?(\w*)[\w.]* import (\([^)]*\)|.*)", text, re.M)
    read = {word for room, names in imports for word in ([room] if room else re.findall(r"\w+", names))}
    return (helpers.isdisjoint(re.findall(r"^(?:from|import) (\w+)", text, re.M)) and beside.isdisjoint(path.parents)
            and rooms_of(files).isdisjoint(read))


def notebooks(new: Iterable[str] | None = None) -> list[str]:
    """The notebooks that run today: a fifth, and those whose chapter, or a room that it imports, or one that this reads, is changed."""
    files = changed() if new is None else new
    rooms, tables = standing_on(map(Path, files)), {Path(file).name for file in files if file.startswith("book/results/")}
    found = sorted((ROOT / "book" / "notebooks").glob("*.ipynb"))
    today = []
    for notebook, now in zip(found, chosen(map(str, found), REST, files), strict=True):
        chapter = (ROOT / "book" / "chapters" / f"{notebook.stem}.md").read_text(encoding="utf-8")
        used = {word for imports in re.findall(r"^from dpfair_teach(.*)", chapter, re.M) for word in re.findall(r"\w+", imports)}
        used |= {OF_THE_FACE[name] for name in used & OF_THE_FACE.keys()}
        if now or touched(UNDER_ALL, files) or rooms & used or any(table in chapter for table in tables):
            today.append(str(notebook.relative_to(ROOT)))
    return today


def touched(of: Iterable[str], new: Iterable[str] | None = None) -> bool:
    """Is a changed file one of these, or below one of these folders?"""
    files = changed() if new is None else new
    return any(Path(place) in (Path(name), *Path(name).parents) for place in of for name in files)


def chosen(cases: Iterable[str], days: int, new: Iterable[str] | None = None) -> list[bool]:
    """Which of a test's cases run today: whose turn it is, and those called after a changed file."""
    stems = called_after(changed() if new is None else new)
    return [all_of_it() or due(number, days) or not stems.isdisjoint((Path(case).stem, case.partition(".")[0]))
            for number, case in enumerate(cases)]
