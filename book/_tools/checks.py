"""Every check, what is quick first; a failure does not stop the others. `make test` and `make nightly` call this.

    python book/_tools/checks.py              all
    python book/_tools/checks.py site cells   only the checks named so
    NIGHTLY=1 python book/_tools/checks.py    and of each check all that `make test` spreads over days
"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

import turning

JOBS = os.environ.get("JOBS", "2")
PYTHON = [sys.executable]
PYTEST = [*PYTHON, "-m", "pytest", "-rs"]
# Outputs whose last digits depend on the machine that computed them: see the file.
NBVAL = ["-p", "kernels", "--nbval", "--nbval-current-env", "--nbval-sanitize-with", "tests/book/nbval.cfg", "-o", "addopts="]
# What some checks see beside the environment.
SEEN = {"cells": {"PYTHONPATH": str(ROOT / "tests")}}       # where kernels.py is

# It keeps one core busy, as the build does: both run side by side, and it speaks when its turn comes.
ASIDE = "types"

CHECKS = {
    "notebooks": [*PYTHON, "book/_tools/notebooks.py", "--check"],
    "spelling": [str(Path(sys.executable).with_name("codespell"))],
    "lint": [str(Path(sys.executable).with_name("ruff")), "check", "--quiet"],
    "build": [*PYTHON, "book/_tools/build_site.py", "--all"],
    "types": [str(Path(sys.executable).with_name("mypy"))],
    "mutants": [*PYTHON, "tests/mutants.py", "--today"],
    "cells": [*PYTEST, *NBVAL, "-n", JOBS, "--dist", "loadfile"],     # and which notebooks
    "site": [*PYTEST, "-n", JOBS, "--dist", "loadgroup", "-m", "site or browser", "tests"],
    "library": [*PYTEST, "-n", JOBS, "--dist", "worksteal", "-m", "not site and not browser"],
}


def main(names: list[str] | None = None) -> int:
    """Run the checks and print what each said and took; returns 1 if one failed."""
    names = names or list(CHECKS)
    if unknown := [name for name in names if name not in CHECKS]:
        print(f"no check is called {', '.join(unknown)}; there are: {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    # A worker that spreads its linear algebra over every core slows the other one down.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    day = environment["TEST_DATE"] = turning.day().isoformat()      # one day for all checks, also after midnight
    print("all that is spread over the days" if environment.get("NIGHTLY") else
          f"of what is spread over the days, the part of {day}: TEST_DATE={day} make test repeats it, make nightly runs all of it\n"
          f"{turning.told()}")
    # A reader's notebook has embedded data only; the library's tests use the other files where they are.
    folder = environment.pop("DPFAIR_TEACH_DATA", "")
    print(f"data files that are not embedded: {folder or 'none; set DPFAIR_TEACH_DATA to test with them'}")

    def run(name: str, aside: bool = False) -> tuple[int, float, list[str], str]:
        """Exit code, seconds, what was left out; of a check that runs beside another one what it says, for later."""
        command = [*CHECKS[name], *(turning.notebooks() if name == "cells" else ())]
        words = " ".join(Path(part).name if part == sys.executable else part for part in command)
        title = f"\n=== [{names.index(name) + 1}/{len(names)}] {name}: {words}"
        if not aside:
            print(title, flush=True)
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            notes = Path(scratch) / "left-out"
            own = {"DPFAIR_LEFT_OUT": str(notes)} | SEEN.get(name, {}) | (
                {"DPFAIR_TEACH_DATA": folder} if folder and name == "library" else {})
            done = subprocess.run(command, cwd=ROOT, env=environment | own, text=True,
                                  **({"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if aside else {}))
            reasons = notes.read_text(encoding="utf-8").splitlines() if notes.is_file() else []
        return done.returncode, time.perf_counter() - start, reasons, f"{title}\n{done.stdout}" if aside else ""

    results, began = {}, time.perf_counter()
    with ThreadPoolExecutor() as other:
        aside = other.submit(run, ASIDE, True) if {ASIDE, "build"} <= set(names) else None
        for name in names:
            results[name] = aside.result() if aside is not None and name == ASIDE else run(name)
            print(results[name][-1], end="", flush=True)
    print("\n=== all checks" if len(names) == len(CHECKS) else "\n=== some checks")
    for name, (code, seconds, *_) in results.items():
        print(f"{name:<10} {'passed' if code == 0 else f'FAILED ({code})':<12} {seconds:6.1f} s")
    for name, (_, _, reasons, _) in results.items():
        for reason in reasons:
            print(f"!! LEFT OUT of {name}: {reason}")
    print(f"{'together':<23} {time.perf_counter() - began:6.1f} s")
    return int(any(code for code, *_ in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
