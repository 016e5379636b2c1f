"""The path of the private data through each private fit: functions, and files, that are handed something which depends on A.

    python tests/paths.py                 each private method once, by its first entry in the list, the longest path first
    python tests/paths.py DPPostPro       those whose name holds this, with the functions on their way

A fit runs for two data sets that differ in everybody's group, with the same answers of the mechanisms. Every call of a function of the
library is written down with its arguments; where the two runs hand a function different ones, private data went in. Two rooms are left out:
`_checks`, which refuses bad input, and `mechanisms`, where the way ends.
"""
from __future__ import annotations

import hashlib
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), *map(str, (ROOT / "tests").glob("*/"))]
HOME = str(ROOT / "dpfair_teach")
LEFT_OUT = ("_checks.py", "/mechanisms/", "_small_groups.py")
#: More calls of one fit are not looked at: a loop's rounds are alike.
MOST = 20_000


def digest(value: Any) -> str:
    """A word for a value, the same for equal ones; a generator and what cannot be read have none."""
    if isinstance(value, np.random.Generator):
        return "generator"
    try:
        return hashlib.md5(pickle.dumps(value)).hexdigest()
    except Exception:
        return type(value).__name__


def calls_of(fit: Any, people: Any, A: np.ndarray, told: list | None = None) -> tuple[list[tuple[str, str, str]], Any]:
    """(file, function, digest of the arguments) of every call, in order, up to the last answer of a mechanism; and the run."""
    import witness
    from dpfair_teach.mechanisms import Measurement
    found: list[tuple[str, str, str]] = []
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
                      " ".join(digest(frame.f_locals.get(name)) for name in names)))
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


def path_of(fit: Any) -> list[tuple[str, str]]:
    """The functions on the way, in the order in which they are met first."""
    import private_fits
    people = private_fits.FEW[fit.k]
    one, who = calls_of(fit, people, people.A)
    other, _ = calls_of(fit, people, (people.A + 1) % fit.k, who.answers)
    way: dict[tuple[str, str], None] = {}
    for (file, name, first), (_, _, second) in zip(one, other, strict=False):
        if first != second:
            way[file, name] = None
    return list(way)


def main(wanted: str = "") -> None:
    import private_fits
    rows, met = [], set()
    warnings.simplefilter("ignore")
    for name, fit in private_fits.FITS.items():
        if wanted in name and fit.k == 2 and (wanted or fit.door not in met):
            met.add(fit.door)
            rows.append((name, path_of(fit)))
    for name, way in sorted(rows, key=lambda row: -len(row[1])):
        print(f"{len(way):3} functions in {len({file for file, _ in way}):2} files: {name}")
        for file, function in way if wanted else ():
            print(f"      {file}: {function}")


if __name__ == "__main__":
    main(*sys.argv[1:])
