"""Words and minutes of each chapter, of its core and of the whole, counted on the built pages.

    python book/_tools/minutes.py            the table; exits with 1 where book/minutes.csv says something else
    python book/_tools/minutes.py --write    put the figures into book/minutes.csv

What is counted says ``book/_ext/counting.py``. A chapter in the form keeps to the limits below. The others are listed with what they
have, and may only become shorter: their figures never rise, and no chapter is added to them.
"""
from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))

import counting

SITE = ROOT / "_build" / "html"
STORED = ROOT / "book" / "minutes.csv"
#: Of the core of a chapter in the form.
WORDS, MINUTES = 2000, 40
COMMAND = "make minutes ARGS=--write"


class Figures(NamedTuple):
    """Of one chapter."""

    core_words: int
    core_minutes: int
    whole_words: int
    whole_minutes: int


class Row(NamedTuple):
    """One chapter of the stored table."""

    in_form: bool
    figures: Figures


def chapters(root: Path = ROOT) -> list[str]:
    """The ten people and the numbered chapters of `_toc.yml`, in its order."""
    import build_site

    names = [Path(page).name for page in build_site.listed(root / "_toc.yml")]
    return [name for name in names if name == "ten-people" or name[:2].isdigit()]


def counted(site: Path = SITE) -> dict[str, Figures]:
    """What the built pages have."""
    found = {}
    for name in chapters():
        page = counting.count((site / "book" / "notebooks" / f"{name}.html").read_text(encoding="utf-8"))
        found[name] = Figures(*(measure(count) for count in (page.core, page.whole) for measure in (counting.words, counting.minutes)))
    return found


def stored(path: Path = STORED) -> dict[str, Row]:
    """What the file says."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["chapter"]: Row({"yes": True, "not yet": False}[row["in the form"]],
                                    Figures(*(int(row[name.replace("_", " ")]) for name in Figures._fields)))
                for row in csv.DictReader(lines)}


def complaints(found: dict[str, Figures], rows: dict[str, Row]) -> list[str]:
    """What is too long, and what the file does not know."""
    said = [f"{name}: no row in book/minutes.csv" for name in found if name not in rows]
    said += [f"{name}: is no chapter of _toc.yml" for name in rows if name not in found]
    for name in found.keys() & rows.keys():
        here, row = found[name], rows[name]
        if row.in_form:
            said += [f"{name}: its core has {has} {unit}, at most {most}: fold what is deeper" for has, unit, most in
                     ((here.core_words, "words", WORDS), (here.core_minutes, "minutes", MINUTES)) if has > most]
        grew = [] if row.in_form else [
            f"{name}: its core had {had} {unit} and has {has}: it is not in the form yet, and may only become shorter"
            for has, had, unit in ((here.core_words, row.figures.core_words, "words"),
                                   (here.core_minutes, row.figures.core_minutes, "minutes")) if has > had]
        said += grew
        if here != row.figures and not grew:
            said.append(f"{name}: {here} on the page, {row.figures} in book/minutes.csv; run: {COMMAND}")
    return sorted(said)


def write(found: dict[str, Figures], rows: dict[str, Row], path: Path = STORED) -> None:
    """The table anew. What is not in the form yet keeps its figures unless its core became shorter; a new chapter is in the form."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines, lineterminator="\n")
        table.writerow(["chapter", "in the form", *(name.replace("_", " ") for name in Figures._fields)])
        for name, here in found.items():
            row = rows.get(name, Row(True, here))
            shorter = here.core_words <= row.figures.core_words and here.core_minutes <= row.figures.core_minutes
            table.writerow([name, "yes" if row.in_form else "not yet", *(here if row.in_form or shorter else row.figures)])


def table(found: dict[str, Figures], rows: dict[str, Row]) -> str:
    """For people."""
    lines = [f"{'chapter':<34} {'core':>12} {'whole':>18}  in the form"]
    lines += [f"{name:<34} {here.core_words:5,} w {here.core_minutes:4} min {here.whole_words:6,} w {here.whole_minutes:4} min  "
              f"{'yes' if name in rows and rows[name].in_form else 'not yet'}" for name, here in found.items()]
    sums = [sum(column) for column in zip(*found.values(), strict=True)]
    return "\n".join([*lines, "{:<34} {:5,} w {:4} min {:6,} w {:4} min".format("all", *sums)])


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="put the figures into book/minutes.csv")
    options = parser.parse_args(arguments)
    if not (SITE / "index.html").is_file():
        print(f"{SITE.relative_to(ROOT)} holds no built site; run: make html", file=sys.stderr)
        return 1
    found, rows = counted(), stored() if STORED.is_file() else {}
    if options.write:
        write(found, rows)
        rows = stored()
    print(table(found, rows))
    said = complaints(found, rows)
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
