"""Exercises from the command line.

    python -m dpfair_teach.exercises list
    python -m dpfair_teach.exercises params NAME STUDENT --term TERM [--key STUDENT-NAME.key]
    python -m dpfair_teach.exercises params NAME ROSTER.csv --term TERM --key course.key       # STUDENT-NAME.key, one a student
    python -m dpfair_teach.exercises grade ROSTER.csv ANSWERS/ --term TERM [--due 2026-10-05] [--key course.key] [--set NAME,NAME]
"""
from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from pathlib import Path

from . import COLUMNS, _module, _roster, _there, grade, names, params


def main(arguments: list[str] | None = None) -> int:
    """Do what the words say; 2 and one line where that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m dpfair_teach.exercises", description="Exercises that a public program judges.")
    ways = parser.add_subparsers(dest="way", required=True)
    ways.add_parser("list", help="the exercises: points, minutes, level, what one learns")
    own = ways.add_parser("params", help="a student's own numbers, as JSON")
    own.add_argument("name")
    own.add_argument("student", help="an id, or with --key the roster: then each student's own file is written")
    marks = ways.add_parser("grade", help="marks of a class, as CSV")
    marks.add_argument("roster", help="CSV with a column student, and with --due a column received")
    marks.add_argument("answers", help="the folder of what was handed in")
    marks.add_argument("--due", help="the last day that is in time, as 2026-10-05")
    marks.add_argument("--set", help="what was to be handed in, names with commas between them; else what anybody handed in")
    for way in (own, marks):
        way.add_argument("--term", required=True, help="the course's word, as the syllabus has it")
        way.add_argument("--key", help="for a planted exercise the course's secret file, or a student's own file made from it")
    given = parser.parse_args(arguments)
    try:
        if given.way == "list":
            for name in names():
                of = _module(name)
                print(f"{name:<20} {of.POINTS:>3} points {of.MINUTES:>4} minutes  {of.LEVEL:<8} {of.OBJECTIVE}")
        elif given.way == "params" and given.student.lower().endswith(".csv"):
            if not getattr(_module(given.name), "PLANTED", False):
                raise ValueError(f"name={given.name!r}: is not planted, and needs no key. Give one student's id in place of a roster.")
            for student in _roster(_there("roster", given.student, "file"), None)[0]:
                made = {"of": [given.term, given.name, student], "params": params(given.name, student, given.term, given.key)}
                Path(f"{student}-{given.name}.key").write_text(json.dumps(made) + "\n", encoding="utf-8")
        elif given.way == "params":
            print(json.dumps(params(given.name, given.student, given.term, given.key)))
        else:
            asked = given.set and [name.strip() for name in given.set.split(",")]
            rows = grade(given.roster, given.answers, given.term, given.due, given.key, asked)
            if isinstance(sys.stdout, io.TextIOWrapper):            # a file's name may hold what no CSV can be written with
                sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
            table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(row | {"file": re.sub(r"^(?=[=+@\t\r-])", "'", row["file"])} for row in rows)      # no formula
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
