"""``python -m book.studies``, from the folder of the book's sources: run a study from the command line."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from .named import STUDIES
from .study import Study, run

COMMAND, SEED, OUT = "python -m book.studies", 20190613, "book/results"


def main(arguments: Sequence[str] | None = None, studies: Mapping[str, Study] = STUDIES) -> int:
    """Read the command line, run, say what was written and from which data; wrong input ends with a message and status 2; Ctrl-C, 130."""
    parser = _parser(studies)
    given = parser.parse_args(arguments)
    if given.list:
        print("\n".join(f"{name}: {study.about}" for name, study in studies.items()))
        return 0
    if given.name not in studies:
        parser.error(f"{given.name or 'nothing'} is no study; name one of: {', '.join(studies)}")
    only: dict[str, list[str]] = {}
    for words in given.only or []:
        column, equals, values = words.partition("=")
        if not equals or not column or not values:
            parser.error(f"--only {words}: give a column and values, as in method=m_network,m_logistic")
        only.setdefault(column, []).extend(values.split(","))
    study = studies[given.name]
    try:
        tables = run(study, given.out, command=f"{COMMAND} {given.name}", repeats=given.repeats, seed=given.seed, jobs=given.jobs,
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


def _parser(studies: Mapping[str, Study]) -> argparse.ArgumentParser:
    widest = max(map(len, studies))
    parser = argparse.ArgumentParser(
        prog=COMMAND, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run a study and write its tables as CSV. A run that was stopped continues when started again.",
        epilog="studies:\n" + "\n".join(f"  {name:<{widest}}  {study.about} [{study.repeats} repeats]" for name, study in studies.items()))
    parser.add_argument("name", nargs="?", help="which study")
    parser.add_argument("--list", action="store_true", help="list the studies and stop")
    parser.add_argument("--out", default=OUT, metavar="FOLDER", help="where the tables go (default: %(default)s)")
    parser.add_argument("--repeats", type=int, metavar="N", help="noise draws for each setting (default: the study's own)")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help="the study's seed (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers, -1 for one a core (default: %(default)s)")
    parser.add_argument("--only", action="append", metavar="COLUMN=VALUE,...",
                        help="compute only settings with one of these values, and put their rows into the stored tables; may be repeated")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


if __name__ == "__main__":
    sys.exit(main())
