"""What `make test` leaves to `make nightly`, and how the day and the last changes choose the rest.

``@pytest.mark.turning(5)``: of the test's cases a fifth runs each day, all of them in five days. A case whose name is that of a changed
file always runs (a chapter, a stored table). ``turning(5, of=[...])`` is about what these files and folders do: while one of them is
changed, all of it runs. ``@pytest.mark.nightly``: `make nightly` alone runs it. A test that is named on the command
line runs whole, whatever its marks, so a deliberate fault meets all of its test.

Two variables of the environment: ``NIGHTLY=1`` runs everything, and ``TEST_DATE=2026-11-23`` repeats the sample of that day.
"""
from __future__ import annotations

import datetime
import os
import subprocess
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: On main itself, where no branch says what is new: so many commits count as changes.
RECENT = 5


def all_of_it() -> bool:
    return bool(os.environ.get("NIGHTLY"))


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
    line = git(root, "rev-list", "--first-parent", f"--max-count={RECENT + 1}", "HEAD").split()
    if len(line) > 1:
        return line[-1], f"in the last {len(line) - 1} commits" + ("" if len(line) > RECENT else ", and git knows no earlier ones")
    return head, "not yet committed; git knows one commit only, not what came before it"


@cache
def changed(root: Path = ROOT) -> frozenset[str]:
    """Files, as paths below the root, that differ from the commit of `since`, not committed ones too; where git tells nothing, none."""
    start, _ = since(root)
    if not start:
        return frozenset()
    names = git(root, "diff", "--name-only", "--relative", start) + git(root, "ls-files", "--others", "--exclude-standard")
    return frozenset(names.split("\n")) - {""}


def told(root: Path = ROOT) -> str:
    """One line: which files do not wait for their day, and how that is known."""
    return f"changed files, whose checks do not wait for their day: {len(changed(root))} {since(root)[1]}"


def called_after(new: Iterable[str]) -> set[str]:
    """The names of changed files. Of a notebook only with its chapter: a change of the player makes all of them anew, and what it does to
    one page it does to the others, whose turn comes.
    """
    made, files = Path("book/notebooks"), {Path(name) for name in new}
    return {file.stem for file in files if file.parent != made or Path("book/chapters", file.stem).with_suffix(".md") in files}


def touched(of: Iterable[str], new: Iterable[str] | None = None) -> bool:
    """Is a changed file one of these, or below one of these folders?"""
    files = changed() if new is None else new
    return any(Path(place) in (Path(name), *Path(name).parents) for place in of for name in files)


def chosen(cases: Iterable[str], days: int, new: Iterable[str] | None = None) -> list[bool]:
    """Which of a test's cases run today: whose turn it is, and those called after a changed file."""
    stems = called_after(changed() if new is None else new)
    return [all_of_it() or due(number, days) or Path(case).stem in stems for number, case in enumerate(cases)]
