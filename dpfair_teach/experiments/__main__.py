"""``python -m dpfair_teach.experiments``: run a named experiment from the command line."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .named import EXPERIMENTS, run

SEED = 20190613


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run, say what was written and from which data; wrong input ends with a message and status 2; Ctrl-C, 130."""
    widest = max(map(len, EXPERIMENTS))
    parser = argparse.ArgumentParser(
        prog="python -m dpfair_teach.experiments", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run an experiment of the book and write its tables as CSV. A run that was stopped continues when started again.",
        epilog="experiments:\n" + "\n".join(f"  {name:<{widest}}  {e.about} [{e.repeats} repeats]" for name, e in EXPERIMENTS.items()))
    parser.add_argument("name", nargs="?", help="which experiment")
    parser.add_argument("--list", action="store_true", help="list the experiments and stop")
    parser.add_argument("--out", default="book/results", metavar="FOLDER", help="where the tables go (default: %(default)s)")
    parser.add_argument("--repeats", type=int, metavar="N", help="noise draws for each setting (default: the experiment's own)")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help="the sweep's seed (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers, -1 for one a core (default: %(default)s)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    given = parser.parse_args(arguments)
    if given.list:
        print("\n".join(f"{name}: {e.about}" for name, e in EXPERIMENTS.items()))
        return 0
    if given.name is None:
        parser.error(f"name an experiment: {', '.join(EXPERIMENTS)}")
    try:
        tables = run(given.name, given.out, repeats=given.repeats, seed=given.seed, jobs=given.jobs, progress=not given.quiet)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"\n{given.name}: stopped. Finished rows are kept in {given.out}; the same command goes on from there.", file=sys.stderr)
        return 130
    for name, table in tables.items():
        print(f"{given.out}/{name}.csv: {len(table)} rows")
    print(EXPERIMENTS[given.name].provenance)
    return 0


if __name__ == "__main__":
    sys.exit(main())
