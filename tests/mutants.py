"""``make mutants``: put one deliberate fault at a time into the library, and see that the test of the statement turns red.

Every row of ``book/theorems.yml`` that has a test names faults, which stand in ``FAULTS`` beside some test: see ``faults.py``. First
those tests must pass on the library as it is. Then, for each row and fault, the function is replaced while the row's test runs, in the same
process; the test has to fail, and its first case that fails by an assertion: a fault that crashes proves nothing about the test. JOBS
processes share the work.

    python tests/mutants.py                 # all
    python tests/mutants.py slack_halved    # one
    python tests/mutants.py --today         # a seventh, by the date, and all whose function or test stands in a changed file
"""
from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import yaml

import faults
import turning
from faults import Mutant

ROOT = Path(__file__).resolve().parents[1]
#: In so many days `make test` plants every fault.
DAYS = 7

MUTANTS: dict[str, Mutant] = faults.beside_their_tests()


class Outcomes:
    """A pytest plugin that keeps what happened: test -> None if it passed, else the name of the exception."""

    def __init__(self) -> None:
        self.raised: dict[str, str | None] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        result = yield
        report = result.get_result()
        if report.when == "call" or report.failed:
            self.raised[item.nodeid] = call.excinfo.typename if call.excinfo and report.failed else "skipped" if report.skipped else None


def under(step: tuple[str, str]) -> set[str | None]:
    """What a test raises while a fault is planted, up to its first case that fails."""
    test, name = step
    with faults.planted(MUTANTS[name]):
        return set(run([test, "-x"])[0].values())


def run(tests: list[str]) -> tuple[dict[str, str | None], str]:
    """Run tests in this process; (what each raised, pytest's own words)."""
    outcomes, words = Outcomes(), io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        pytest.main([*tests, "-q", "-p", "no:cacheprovider", "--no-header"], plugins=[outcomes])
    return outcomes.raised, words.getvalue()


def rows_of(names: set[str]) -> list[tuple[str, str, str]]:
    """(statement, test, mutant) of the rows of the ledger that name one of these."""
    rows = yaml.load((ROOT / "book" / "theorems.yml").read_text(encoding="utf8"), Loader=yaml.CSafeLoader)
    return [(f"{row['paper']}: {row['statement']}", row["test"], name) for row in rows if isinstance(row["mutants"], list)
            for name in row["mutants"] if name in names]


def of_changed_files(new: frozenset[str]) -> set[str]:
    """Faults whose own file is among the new, or the file of the function that they replace."""
    files = {(ROOT / name).resolve() for name in new}
    return {name for path, own in faults.by_file().items() for name, mutant in own.items()
            if {path.resolve(), faults.file_of(mutant).resolve()} & files}


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
    tests, pairs = sorted({test for _, test, _ in steps}), list(dict.fromkeys((test, name) for _, test, name in steps))
    jobs = int(os.environ.get("JOBS", "1"))
    # Nothing has run in this process yet, so it has no threads and may fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        parts = list(pool.map(run, [tests[job::jobs] for job in range(min(jobs, len(tests)))]))
        healthy = {test: raised for part, _ in parts for test, raised in part.items()}
        if len(healthy) < len(tests) or any(healthy.values()):
            print(*(words for _, words in parts), "\nThe tests must pass before a fault is planted.", sep="")
            return 1
        print(f"{len(tests)} tests pass on the library as it is.\n", flush=True)
        green, seen, answers = 0, {}, zip(pairs, pool.map(under, pairs), strict=True)
        for statement, test, name in steps:
            while (test, name) not in seen:
                pair, seen[pair] = next(answers)
            raised = seen[test, name]
            red = raised and raised <= {"AssertionError", "Failed", None} and raised != {None}
            green += not red
            how = "red" if red else "STILL GREEN" if raised <= {None} else f"CRASHED: {', '.join(sorted(map(str, raised)))}"
            print(f"{how:12} {statement[:52]:52} {name:42} {MUTANTS[name].fault}", flush=True)
    print(f"\n{len(steps) - green} of {len(steps)} faults seen, in {time.perf_counter() - start:.0f} s")
    return 1 if green else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
