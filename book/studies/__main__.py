"""``python -m book.studies``, from the folder of the book's sources: run a study from the command line."""
from __future__ import annotations

import sys
from collections.abc import Sequence

from dpfair_teach.experiments import command

from .named import STUDIES

COMMAND, SEED, OUT = "python -m book.studies", 20190613, "book/results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run; the status."""
    return command.main(STUDIES, COMMAND, seed=SEED, out=OUT, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
