"""The path of A through each private fit, from the call to its last use: functions, and files, that are handed something private.

    python tests/paths.py                 each private method once, by its first entry in the list, the longest path first
    python tests/paths.py DPPostPro       those whose name holds this, with the functions on their way

A fit runs for two data sets that differ in everybody's group, with the same answers of the mechanisms. Every call of a function of the
library is written down with its arguments and what these hold; where the two runs hand a function different ones, private data went in. The
first count is of functions that are handed A itself, or anything else with a row or column for each person; the second of all, with those
that see counts or sums. Two rooms are left out: `_checks`, which refuses bad input, and `mechanisms`, where the way ends.
"""
from __future__ import annotations

import hashlib
import io
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), *map(str, (ROOT / "tests").glob("*/"))]
HOME = str(ROOT / "dpfair_teach")
LEFT_OUT = ("_checks.py", "/mechanisms/", "_fit_warnings.py")
#: More calls of one fit are not looked at: a loop's rounds are alike.
MOST = 20_000


class Reader(pickle.Pickler):
    """Pickles a value, and writes down the arrays in it that have an axis of one entry a person."""

    def __init__(self, people: int) -> None:
        self.bytes, self.people, self.rows = io.BytesIO(), people, hashlib.md5()
        super().__init__(self.bytes)

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, np.ndarray) and self.people in value.shape:
            self.rows.update(value.tobytes())
        return NotImplemented


def digest(value: Any, people: int) -> tuple[str, str]:
    """Words for what a value holds of each person, and for all of it; a generator and what cannot be read have none."""
    if isinstance(value, np.random.Generator):
        return "", ""
    reader = Reader(people)
    try:
        reader.dump(value)
    except Exception:
        return "", type(value).__name__
    return reader.rows.hexdigest(), hashlib.md5(reader.bytes.getvalue()).hexdigest()


def calls_of(fit: Any, people: Any, A: np.ndarray, told: list | None = None) -> tuple[list[tuple[str, str, Any]], Any]:
    """(file, function, digests of the arguments) of every call, in order, up to the last answer of a mechanism; and the run."""
    import witness
    from dpfair_teach.mechanisms import Measurement
    found: list[tuple[str, str, Any]] = []
    door, last = Measurement.invoke.__code__, []

    def seen(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code is door:
            last.append(len(found))
        if event != "call" or len(found) >= MOST or not code.co_filename.startswith(HOME) or any(
                part in code.co_filename for part in LEFT_OUT) or code.co_name.startswith("<"):
            return
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        sys.setprofile(None)
        found.append((code.co_filename[len(HOME) + 1:], code.co_qualname,
                      [digest(frame.f_locals.get(name), len(A)) for name in names]))
        sys.setprofile(seen)

    rng = np.random.default_rng(1)
    import pytest
    who = witness.Witness(told)
    with pytest.MonkeyPatch.context() as patched:
        who.watch(patched)
        sys.setprofile(seen)
        try:
            fit.of(people, A, rng)
        finally:
            sys.setprofile(None)
    return found[:last[-1] if last else None], who


def path_of(fit: Any) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The functions that are handed people's groups, and those that are handed anything private, in the order of their first call."""
    import private_fits
    people = private_fits.FEW[fit.k]
    calls_of(fit, people, people.A)         # what is reckoned once, and remembered, is no difference of two runs
    one, who = calls_of(fit, people, people.A)
    other, _ = calls_of(fit, people, (people.A + 1) % fit.k, who.answers)
    rows: dict[tuple[str, str], None] = {}
    all_of_it: dict[tuple[str, str], None] = {}
    for (file, name, first), (_, _, second) in zip(one, other, strict=False):
        if [digest for digest, _ in first] != [digest for digest, _ in second]:
            rows[file, name] = None
        if first != second:
            all_of_it[file, name] = None
    return list(rows), list(all_of_it)


def counted(way: list[tuple[str, str]]) -> str:
    return f"{len(way):3} in {len({file for file, _ in way}):2} files"


def main(wanted: str = "") -> None:
    import private_fits
    found, met = [], set()
    warnings.simplefilter("ignore")
    for name, fit in private_fits.FITS.items():
        if wanted in name and fit.k == 2 and (wanted or fit.door not in met):
            met.add(fit.door)
            found.append((name, *path_of(fit)))
    print("handed A      handed anything private")
    for name, rows, all_of_it in sorted(found, key=lambda path: (-len(path[1]), -len(path[2]))):
        print(f"{counted(rows)}   {counted(all_of_it)}   {name}")
        for file, function in all_of_it if wanted else ():
            print(f"      {'A ' if (file, function) in rows else '  '} {file}: {function}")


if __name__ == "__main__":
    main(*sys.argv[1:])
