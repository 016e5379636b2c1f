"""Build the site: every warning is an error, and the build goes on to show them all.

    python book/_tools/build_site.py           build what changed
    python book/_tools/build_site.py --all     build every page again
"""
from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"


def main(arguments: list[str] | None = None) -> int:
    """Build into _build/html; returns the exit code of the builder."""
    everything = "--all" in (sys.argv[1:] if arguments is None else arguments)
    if everything:
        shutil.rmtree(ROOT / "_build", ignore_errors=True)
    start = time.perf_counter()
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    code = subprocess.run([jupyter_book, "build", ".", "-W", "-n", "--keep-going", *(["--all"] if everything else [])], cwd=ROOT).returncode
    print(f"site: {'built' if code == 0 else 'NOT built without warnings'} in {time.perf_counter() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
