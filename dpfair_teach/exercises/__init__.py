"""Exercises that a public program judges: data that are hard to find and easy to check, with parameters of the student's own.

An exercise is a module of this folder, named for what is asked: ``MINUTES``, ``POINTS``, ``LEVEL``, ``OBJECTIVE``; ``SHAPE``, what an
answer looks like; ``params(draw)``, the student's numbers; ``check(params, answer)``, points and a reason. No solution stands in any;
but whoever reads a checker of code finds the scale that it compares with.
"""
from __future__ import annotations

import csv
import importlib
import json
import os
import pkgutil
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from .. import _checks as refused
from . import practice
from ._draw import Draw
from ._shapes import Misshapen, brief, read

__all__ = ["check", "grade", "names", "params", "self_check"]

STUDENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
#: A file that is longer is no answer: the longest asked for has some 20,000 characters.
MOST_BYTES = 1_000_000
#: Of a student's files so many are read, in the order of their names: code that sleeps holds the grader up for a minute a file.
MOST_FILES = 50
#: A file takes forty times its length while it is read, so one is read after the other.
READING = Lock()
#: With this begins a student's own file in place of the course's key.
OWN = b'{"of"'
#: Under this key of an output's metadata a notebook keeps what was handed to a self-check.
SAVED = "dpfair_teach_answer"


class Mark(NamedTuple):
    """What an answer has.

    Attributes
    ----------
    points, of : float, int
        So many, of so many.
    reason : str
        In one line why points are missing; "" where none is.
    """

    points: float
    of: int
    reason: str


def names() -> list[str]:
    """All assignments: the exercises that a program marks.

    Source: ours.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "certificate" in names()
    True
    """
    return [found.name for found in pkgutil.iter_modules(__path__) if not (found.ispkg or found.name.startswith("_"))]


def _module(name: str) -> Any:
    if isinstance(name, str) and name in names():
        return importlib.import_module(f"{__name__}.{name}")
    return practice.found(str(name)) or refused.refuse("name", name, "is no exercise that a program judges",
                                                  f"Assignments are: {', '.join(names())}; the book names the others.")


def params(name: str, student: str = "you", term: str = "practice", key: str | Path | None = None) -> dict[str, Any]:
    """The student's own numbers: the same each time, other ones for other students and terms.

    Source: ours. They follow by sha256 from the three words alone, and are public; those of a *planted* exercise, which hide
    something, from the course's key as well.

    Parameters
    ----------
    name : str
        Of the exercise.
    student : str
        1 to 64 letters, digits and . _ @ + - ; capitals do not matter.
    term : str
        The course's word, as the syllabus has it.
    key : path, optional
        For a planted exercise: the course's key, a file of 16 bytes or more that nobody else has; or the student's own file, which
        ``python -m dpfair_teach.exercises params --key`` made from it.

    Returns
    -------
    dict of what JSON holds

    Examples
    --------
    >>> params("certificate", "ada", "trial") == params("certificate", "ada", "trial") != params("certificate", "bob", "trial")
    True
    """
    exercise, words = _module(name), (_word("term", term), name, _word("student", student))
    if not getattr(exercise, "PLANTED", False):
        return exercise.params(Draw(*words))
    if key is None:
        refused.refuse("key", key, f"and {name} is planted", "Give key=, the file made for the student, or the course's key.")
    secret = _there("key", key, "file").read_bytes()
    if secret.startswith(OWN):
        try:
            made = json.loads(secret)
            if made["of"] == list(words):
                return made["params"]
            why = f"was made for {' '.join(made['of'])}"
        except (KeyError, TypeError, ValueError):
            why = "is not whole"
        refused.refuse("key", Path(key).name, why, f"Here it must be for {' '.join(words)}.")
    return exercise.params(Draw(*words, _long(key, secret).hex()))


def _long(key: str | Path, secret: bytes) -> bytes:
    if len(secret) < 16:
        refused.refuse("key", Path(key).name, "has fewer than 16 bytes", "Make one: head -c 32 /dev/urandom > course.key")
    return secret


def _word(name: str, word: str) -> str:
    if not isinstance(word, str) or not STUDENT.fullmatch(word):
        refused.refuse(name, word, "not 1 to 64 letters, digits and . _ @ + - of which the first is a letter or digit",
                       "Give the id of the course's list." if name == "student" else "Give the word of the syllabus.")
    return word.lower() if name == "student" else word


def _there(name: str, path: str | Path, kind: str) -> Path:
    is_there = os.path.isfile if kind == "file" else os.path.isdir
    if not isinstance(path, (str, Path)) or not is_there(path):
        refused.refuse(name, path, f"is no {kind}", f"Give the path of the {name}.")
    return Path(path)


def check(name: str, answer: Any, student: str = "you", term: str = "practice", key: str | Path | None = None) -> Mark:
    """The points of an answer by the public checker, which grading and the self-check in a notebook run.

    Source: ours. Nothing of an answer in data is executed; code runs in a sandbox. Without a student and a term it is practice.

    Parameters
    ----------
    name : str
    answer : dict
        As JSON has it: numbers, texts, None, lists and dicts; numpy's arrays and numbers, too.
    student, term, key : str, str, path
        As in :func:`params`.

    Returns
    -------
    Mark
        Of ``points``, ``of`` and ``reason``: in one line why points are missing.

    Examples
    --------
    >>> check("certificate", {"p": "all"}, "ada", "trial").points
    0
    """
    own = params(name, student, term, key)
    return _judged(name, own, json.loads(_written(answer)))


def _written(answer: Any, allow_nan: bool = True) -> str:
    try:
        return json.dumps(answer, default=lambda thing: thing.tolist(), allow_nan=allow_nan)
    except (AttributeError, TypeError, ValueError, RecursionError) as problem:
        refused.refuse("answer", answer, f"cannot be written as JSON ({problem})", "Use lists, dicts, texts, None and numbers.")


def _judged(name: str, own: dict[str, Any], answer: Any) -> Mark:
    exercise = _module(name)
    try:
        points, reason = exercise.check(own, read(exercise.SHAPE, answer, own))
    except Misshapen as wrong:
        points, reason = 0, str(wrong)
    return Mark(points, exercise.POINTS, reason)


def self_check(name: str, answer: Any, student: str, term: str, key: str | Path | None = None, folder: str | Path = ".") -> None:
    """Print the points of an answer, and write it to ``STUDENT-NAME.json``, the file to hand in, unless a better one stands there.

    Source: ours. In a notebook the answer is saved in the output of the cell as well, and the notebook may be handed in.

    Parameters
    ----------
    name : str
    answer, student, term, key : dict, str, str, path
        As in :func:`check`.
    folder : str or Path
        Where the file goes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     self_check("certificate", {"coins": "all"}, "ada", "trial", folder=folder)
    0 of 10 points. the answer: the field 'prices' is missing; asked for are coins, prices
    To hand in: ada-certificate.json
    """
    handed = {"exercise": name, "term": term, "student": student, "answer": json.loads(_written(answer, allow_nan=False))}
    mark = check(name, handed["answer"], student, term, key)
    file = _there("folder", folder, "folder") / f"{student}-{name}.json"
    print(f"{mark.points:g} of {mark.of} points. {mark.reason}".rstrip())
    if answer is None:                  # as a notebook is handed out
        return
    say = f"To hand in: {file.name}"
    if file.is_file() and max((old.points for *_, old in _marks(file, student, term, key)), default=0) > mark.points:
        say += ", which keeps an earlier answer of more points"
    else:
        file.write_text(json.dumps(handed) + "\n", encoding="utf-8")
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        shell.display_pub.publish({"text/plain": say}, metadata={SAVED: handed})
    else:
        print(say)


def grade(roster: str | Path, answers: str | Path, term: str, due: str | None = None, key: str | Path | None = None,
          asked: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Marks of a class: a row for each student and exercise, the best of what was handed in. One bad file does not stop the others.

    Source: ours. Whose a file is, a ``.json`` or ``.ipynb``, the roster says: an id begins its name, or that of a folder it lies in. What
    stands in it says nothing of that. A notebook is not executed: what its self-checks saved is read.

    Parameters
    ----------
    roster : path
        CSV with a column ``student``, and where there is a ``due`` day a column ``received``, days as 2026-10-05. No other clock is read.
        In a column ``download`` may stand how a platform's files of a student begin, where it is not by the id.
    answers : path
        The folder of what was handed in.
    term : str
    due : str, optional
        The last day that is in time.
    key : path, optional
        The course's key, where a planted exercise was set.
    asked : names, optional
        What was to be handed in; answers to others are passed over. Without it, whatever anybody handed in.

    Returns
    -------
    list of dicts: student, exercise, points, of, late ("late" or ""), file, same_as (whose answer is the same), reason

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "roster.csv").write_text("student\\nada\\nbob\\n")
    ...     _ = (Path(folder) / "ada.json").write_text('{"exercise": "certificate", "term": "trial", "answer": 3}')
    ...     for row in grade(Path(folder) / "roster.csv", folder, "trial"):
    ...         print(row["student"], row["exercise"], row["points"], row["reason"])       # doctest: +ELLIPSIS
    ada certificate 0 the answer is 3; it must be an object {"coins": a list of 2, ...
    bob certificate 0 nothing was handed in
    """
    late, begins, folder = *_roster(_there("roster", roster, "file"), due), _there("answers", answers, "folder")
    _word("term", term)
    if key is not None:
        secret = _there("key", key, "file").read_bytes()
        if secret.startswith(OWN):
            refused.refuse("key", Path(key).name, "is a student's own file, which whoever has it may change", "Give the course's key.")
        _long(key, secret)
    known = names()
    if asked is not None and not (isinstance(asked, (list, tuple, set)) and asked and all(name in known for name in asked)):
        refused.refuse("asked", asked, "is no list of assignments", f"There are: {', '.join(known)}.")
    wanted = None if asked is None else set(asked)
    best: dict[tuple[str, str], dict[str, Any]] = {}
    same: dict[tuple[str, str], set[str]] = {}
    doubtful = []
    whose: dict[Path, str] = {}
    files: Counter[str] = Counter()
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        beside = file.suffix in (".csv", ".key") or any(part.startswith((".", "__")) for part in inside.parts)
        if beside or (file.is_dir() and not file.is_symlink()):
            continue
        each = ({student: len(begin) for begin, student in begins.items()
                 if part.startswith(begin) and not part[len(begin):][:1].isalnum()} for part in map(_plain, inside.parts))
        owners = next(filter(None, each), {})           # a platform names the folder, and the student what lies in it
        said = "" if owners else "no id of the roster begins its name"
        if owners:
            owner = max(owners, key=lambda student: owners[student])
            files[owner] += 1
            if files[owner] > MOST_FILES:
                said = f"not read: {owner} has more than {MOST_FILES} files"
            else:
                whose[file] = owner
                said = f"{' and '.join(owners)} begin its name: counted for {owner}" if len(owners) > 1 else ""
        if said:
            doubtful.append(_row("", "", Mark(0, 0, said), str(inside)))
    with ThreadPoolExecutor(os.cpu_count()) as side_by_side:        # code runs in other processes
        marks = side_by_side.map(lambda file: list(_marks(file, whose[file], term, key)), whose)
    for (file, student), of_file in zip(whose.items(), marks, strict=True):
        for name, answer, mark in of_file:
            if name and wanted is not None and name not in wanted:
                continue
            what = name or str(file)                    # of no exercise: each such file has its own row
            if mark.points > best.get((student, what), {"points": -1})["points"]:
                best[student, what] = _row(student, name, mark, str(file.relative_to(folder)), late[student]) | {"answer": (name, answer)}
            if answer:
                same.setdefault((name, answer), set()).add(student)
    for name in sorted({row["exercise"] for row in best.values()} - {""} | (wanted or set())):
        for student in late:
            best.setdefault((student, name), _row(student, name, Mark(0, _module(name).POINTS, "nothing was handed in"), ""))
    for row in best.values():
        row["same_as"] = " ".join(sorted(same.get(row.pop("answer", None), set()) - {row["student"]}))
    return sorted(best.values(), key=lambda row: (row["student"], row["exercise"])) + doubtful


#: Of marks, a row.
COLUMNS = ["student", "exercise", "points", "of", "late", "file", "same_as", "reason"]


def _row(student: str, name: str, mark: Mark, file: str, late: str = "") -> dict[str, Any]:
    return dict(zip(COLUMNS, (student, name, mark.points, mark.of, late, file, "", mark.reason), strict=True))


def _roster(roster: Path, due: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Of each student whether they are late, "late" or ""; and whose a file is, by how its name begins."""
    late: dict[str, str] = {}
    begins: dict[str, str] = {}
    last = date.max if due is None else _day("due", due)
    try:
        with roster.open(encoding="utf-8-sig", newline="") as lines:
            columns, *rows = [[_plain(cell.strip()) for cell in row] for row in csv.reader(lines) if any(row)] or [[]]
    except (UnicodeError, csv.Error) as problem:
        refused.refuse("roster", roster.name, f"is no table ({problem})", "Save it as CSV in UTF-8, its columns separated by commas.")
    for column in ["student", *(["received"] if due is not None else [])]:
        if column not in columns:
            refused.refuse("roster", roster.name, f"has no column {column!r}, only {', '.join(columns) or 'none'}",
                           "Name the columns in the first line, separated by commas.")
    for row in rows:
        student, download, day = (dict(zip(columns, row, strict=False)).get(name, "") for name in ("student", "download", "received"))
        if student in late or not STUDENT.fullmatch(student):
            refused.refuse("roster", student, "stands twice" if student in late else "is no id of letters, digits and . _ @ + -",
                           "Give each student one id and one line.")
        late[student] = "late" if due is not None and day and _day("received", day, f", in the line of {student}") > last else ""
        for begin in filter(None, (student, download)):
            if (other := begins.setdefault(begin, student)) != student:
                refused.refuse("roster", begin, f"begins the files of {other} and of {student}",
                               "Write into the column download more of how a student's files begin, such as Ada Ba_123.")
    return late, begins


def _plain(name: str) -> str:
    """A name as it is compared: some systems take its letters apart."""
    return unicodedata.normalize("NFC", name).lower()


def _day(name: str, day: str | None, where: str = "") -> date:
    try:
        return date.fromisoformat(day or "")
    except (TypeError, ValueError):
        refused.refuse(name, day, f"is no day{where}", "Write days as 2026-10-05.")


def _marks(file: Path, student: str, term: str, key: str | Path | None) -> Iterator[tuple[str, str, Mark]]:
    """Each answer in a file: the exercise ("" if none can be told), the answer in JSON where it was judged, its mark."""
    try:
        notebook = file.suffix.lower() == ".ipynb"
        if file.suffix.lower() not in (".json", ".ipynb"):
            raise Misshapen("is no .json and no .ipynb, so it was not read")
        if file.is_symlink() or not file.is_file():                 # a folder, or what never ends
            raise Misshapen("a link or a folder is no answer")
        if file.stat().st_size > MOST_BYTES * (5 if notebook else 1):
            raise Misshapen("the file is too long for an answer")
        with READING:
            told = json.loads(file.read_bytes())
            if notebook:
                told = [one for cell in told["cells"] for output in cell.get("outputs", ())
                        if (one := output.get("metadata", {}).get(SAVED))]
        # Of each exercise the last: else one file could ask for hours. None is what a notebook is handed out with.
        last = {one["exercise"]: (one, json.dumps(one.get("answer"), sort_keys=True)) for one in (told if type(told) is list else [told])
                if one.get("answer", "") is not None}
        if not last:
            raise Misshapen("no answer is saved in it: run the self-checks, save, and hand it in again")
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError, MemoryError) as wrong:
        yield "", "", Mark(0, 0, str(wrong) if isinstance(wrong, Misshapen) else
                           "no JSON of an answer: hand in the file that the self-check wrote")
        return
    known = names()
    for name, (one, answer) in last.items():
        if name not in known:
            yield "", "", Mark(0, 0, f"{brief(name)} is no assignment")
        elif one.get("term") != term:
            yield name, "", Mark(0, _module(name).POINTS, f"is of the term {brief(one.get('term'))}, and this one is {brief(term)}")
        elif key is None and getattr(_module(name), "PLANTED", False):
            yield name, "", Mark(0, _module(name).POINTS, "not marked: it is planted, and no key was given")
        elif len(answer) > MOST_BYTES:
            yield name, "", Mark(0, _module(name).POINTS, "the answer is too long")
        else:
            try:
                mark = _judged(name, params(name, student, term, key), one.get("answer"))
                if mark.reason and (its := str(one.get("student", student)).lower()) != student:
                    mark = mark._replace(reason=f"made with the numbers of {brief(its)}: {mark.reason}")
            except Exception as problem:            # a fault of the checker's: nobody else waits for it
                mark = Mark(0, _module(name).POINTS, f"the checker failed, which is not the student's fault: {problem!r}"[:200])
            yield name, answer, mark
