"""A command line for named studies: ``sys.exit(main(STUDIES, "python -m my.studies", seed=1, out="results"))`` is all of one."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from .study import Study, run

__all__: list[str] = []


def main(studies: Mapping[str, Study], command: str, *, seed: int, out: str, arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run, say what was written and from which data; wrong input ends with a message and status 2; Ctrl-C, 130.

    ``command`` is what starts it; ``seed`` and ``out`` are its defaults.
    """
    widest = max(map(len, studies))
    parser = argparse.ArgumentParser(
        prog=command, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run a study and write its tables as CSV. A run that was stopped continues when started again.",
        epilog="studies:\n" + "\n".join(f"  {name:<{widest}}  {study.about} [{study.repeats} repeats]" for name, study in studies.items()))
    parser.add_argument("name", nargs="?", help="which study")
    parser.add_argument("--list", action="store_true", help="list the studies and stop")
    parser.add_argument("--out", default=out, metavar="FOLDER", help="where the tables go (default: %(default)s)")
    parser.add_argument("--repeats", type=int, metavar="N", help="noise draws for each setting (default: the study's own)")
    parser.add_argument("--seed", type=int, default=seed, metavar="N", help="the sweep's seed (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers, -1 for one a core (default: %(default)s)")
    parser.add_argument("--only", action="append", metavar="COLUMN=VALUE,...",
                        help="compute only settings with one of these values, and put their rows into the stored tables; may be repeated")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    given = parser.parse_args(arguments)
    if given.list:
        print("\n".join(f"{name}: {study.about}" for name, study in studies.items()))
        return 0
    if given.name not in studies:
        parser.error(f"{given.name or 'nothing'} is no study; name one of: {', '.join(studies)}")
    study = studies[given.name]
    only: dict[str, list[str]] = {}
    for words in given.only or []:
        column, equals, values = words.partition("=")
        if not equals or not column or not values:
            parser.error(f"--only {words}: give a column and values, as in method=m_network,m_logistic")
        only.setdefault(column, []).extend(values.split(","))
    try:
        tables = run(study, given.out, command=f"{command} {given.name}", repeats=given.repeats, seed=given.seed, jobs=given.jobs,
                     progress=not given.quiet, only=only or None)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"\n{given.name}: stopped. Finished rows are kept in {given.out}; the same command goes on from there.", file=sys.stderr)
        return 130
    for name, table in tables.items():
        print(f"{given.out}/{name}.csv: {len(table)} rows")
    print(study.provenance)
    return 0
