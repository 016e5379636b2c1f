"""``make mutants``: put one deliberate fault at a time into the library, and see that the test of the statement turns red.

Every row of ``book/theorems.yml`` that has a test names faults, which stand in ``FAULTS`` beside some test: see ``faults.py``. For
each row and fault the function is replaced while the row's test runs, in the same process; the test has to fail, and its first case that
fails by an assertion: a fault that crashes proves nothing about the test. Then that case has to pass on the library as it is. A test
file is collected once for all its tests and faults, and JOBS processes share the files. And as the library is, each row's test must call
the function that the row names: else it is about another one.

    python tests/mutants.py                 # all
    python tests/mutants.py slack_halved    # one
    python tests/mutants.py --today         # a fourteenth, by the date, and all whose function or test stands in a changed file
"""
from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import yaml
from _pytest.runner import runtestprotocol

import faults
import turning
from faults import Mutant

ROOT = Path(__file__).resolve().parents[1]
#: In so many days `make test` plants every fault.
DAYS = 14

MUTANTS: dict[str, Mutant] = faults.beside_their_tests()


class Planter:
    """A pytest plugin that runs each test of one file under each of its faults, up to the first case that fails, and that case as it is.

    ``raised[test, fault]`` is what its cases raised, by name, None for a case that passed; the fault None is the library as it is.
    """

    def __init__(self, pairs: list[tuple[str, str]], named: dict[str, set[str]]) -> None:
        self.pairs, self.words, self.named = pairs, "", named
        self.raised: dict[tuple[str, str | None], set[str | None]] = {}
        self.not_called: set[tuple[str, str]] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.when == "call" or report.failed or report.skipped:
            self.now.add(call.excinfo.typename if call.excinfo and report.failed else "skipped" if report.skipped else None)
            self.words += report.longreprtext

    def pytest_runtestloop(self, session):
        cases = defaultdict(list)
        for item in session.items:
            cases[item.nodeid.split("[")[0]].append(item)
        for test in dict.fromkeys(test for test, _ in self.pairs):
            seen_by: list[pytest.Item] = []
            for name in [name for other, name in self.pairs if other == test]:
                try:
                    with faults.planted(MUTANTS[name]):
                        self.raised[test, name] = self.run(cases[test])
                    seen_by.append(self.last)
                except Exception as problem:                    # the function has moved
                    self.raised[test, name] = {f"{type(problem).__name__}: {problem}"}
            self.raised[test, None], left = {None}, self.named.get(test, set())
            for item in dict.fromkeys(seen_by):
                with faults.calls_of(left) as left:
                    self.raised[test, None] |= self.run([item])
            for item in cases[test]:
                if left:
                    with faults.calls_of(left) as left:
                        self.run([item])
            self.not_called |= {(test, function) for function in left}
        return True

    def run(self, cases: list[pytest.Item]) -> set[str | None]:
        """What the cases raise, up to the first that fails, which is ``last``."""
        self.now: set[str | None] = set()
        for item in cases:
            self.last = item
            runtestprotocol(item, nextitem=None, log=False)     # no fixture outlives its case, and none its fault
            if self.now != {None}:
                break
        return self.now


Told = tuple[dict[tuple[str, str | None], set[str | None]], set[tuple[str, str]], str]


def of_one_file(pairs: list[tuple[str, str]], named: dict[str, set[str]]) -> Told:
    """What the tests of one file raise, as the library is and under faults, in this process; what they did not call; pytest's words."""
    planter, words = Planter(pairs, named), io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        pytest.main([*dict.fromkeys(test for test, _ in pairs), "-q", "-p", "no:cacheprovider", "--no-header"], plugins=[planter])
    return planter.raised, planter.not_called, words.getvalue() + planter.words


def ledger() -> list[dict]:
    return yaml.load((ROOT / "book" / "theorems.yml").read_text(encoding="utf8"), Loader=yaml.CSafeLoader)


def functions_of() -> dict[str, set[str]]:
    """test -> the functions that rows name beside it."""
    found = defaultdict(set)
    for row in ledger():
        if isinstance(row["mutants"], list) and row["function"].startswith("dpfair_teach."):
            found[row["test"]].add(row["function"])
    return found


def rows_of(names: set[str]) -> list[tuple[str, str, str]]:
    """(statement, test, mutant) of the rows of the ledger that name one of these."""
    rows = ledger()
    return [(f"{row['paper']}: {row['statement']}", row["test"], name) for row in rows if isinstance(row["mutants"], list)
            for name in row["mutants"] if name in names]


def of_changed_files(new: frozenset[str]) -> set[str]:
    """Faults of which some file is among the new: that of the function, that of a test which must see them, and the one they stand in."""
    files, seen_in = {(ROOT / name).resolve() for name in new}, defaultdict(set)
    for _, test, name in rows_of(set(MUTANTS)):
        seen_in[name].add((ROOT / test.partition("::")[0]).resolve())
    return {name for path, own in faults.by_file().items() for name, mutant in own.items()
            if {path.resolve(), faults.file_of(mutant).resolve(), *seen_in[name]} & files}


def todays() -> set[str]:
    """Every fault where all is asked for, else the day's and those of changed files; says how the same can be had again."""
    if turning.all_of_it():
        return set(MUTANTS)
    turn, new = {name for name in MUTANTS if turning.due(turning.of(name), DAYS)}, of_changed_files(turning.changed())
    print(f"of {len(MUTANTS)} faults {len(turn)} by the turn of the day, and {len(new - turn)} more of changed files. "
          f"Again: TEST_DATE={turning.day()} make test; all: make mutants\n{turning.told()}\n", flush=True)
    return turn | new


def main(names: list[str]) -> int:
    start = time.perf_counter()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"               # no test here needs one, and each costs time in every run
    sys.path[:0] = [str(ROOT)]
    if unknown := sorted(set(names) - set(MUTANTS) - {"--today"}):
        print(f"no fault is called {', '.join(unknown)}")
        return 1
    steps = rows_of(todays() if "--today" in names else set(names) or set(MUTANTS))
    if unused := sorted(set(names) - {"--today"} - {name for _, _, name in steps}):
        print(f"no row of book/theorems.yml names {', '.join(unused)} among its mutants")
        return 1
    files = defaultdict(list)
    for step in steps:
        files[step[1].partition("::")[0]].append(step)
    largest_first = sorted(files.values(), key=len, reverse=True)
    green, named, not_called = 0, functions_of(), 0
    # Nothing has run in this process yet, so it has no threads and may fork.
    with ProcessPoolExecutor(int(os.environ.get("JOBS", "1")), mp_context=multiprocessing.get_context("fork")) as pool:
        pairs = [list(dict.fromkeys((test, name) for _, test, name in mine)) for mine in largest_first]
        for mine, (raised_by, missed, words) in zip(largest_first, pool.map(of_one_file, pairs, [named] * len(pairs)), strict=True):
            for test, function in sorted(missed):
                not_called += 1
                print(f"NOT CALLED   {function} by {test}: another function is tried than the one that the row names", flush=True)
            if any(raised_by.get((test, None)) != {None} for _, test, _ in mine):
                print(f"{words}\n{mine[0][1].partition('::')[0]}: the tests must pass before a fault is planted.", flush=True)
                green += len(mine)
                continue
            for statement, test, name in mine:
                raised = raised_by[test, name]
                red = raised and raised <= {"AssertionError", "Failed", None} and raised != {None}
                green += not red
                how = "red" if red else "STILL GREEN" if raised <= {None} else f"CRASHED: {', '.join(sorted(map(str, raised)))}"
                print(f"{how:12} {statement[:52]:52} {name:42} {MUTANTS[name].fault}", flush=True)
    print(f"\n{len(steps) - green} of {len(steps)} faults seen, in {time.perf_counter() - start:.0f} s")
    return 1 if green or not_called else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
