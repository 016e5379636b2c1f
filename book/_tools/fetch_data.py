"""Put the data files that are not embedded into a folder, for the tests of the library. `make data` calls this.

    python book/_tools/fetch_data.py .data

What lies in the folder, or in one that DPFAIR_TEACH_DATA names, is left where it is; everything else is fetched from where the library
itself would fetch it, and checked. A file that can be had nowhere is told loudly and is no failure: its tests are then left out,
loudly too.
"""
from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from dpfair_teach.data import registry, sources

RECORDS = (*registry.CENSUS, *registry.COMPAS, *registry.BANK)


def main(folder: str) -> int:
    """Fetch what is missing and say what became of each file; returns 1 if a file has other bytes than it should have."""
    target = Path(folder).resolve()
    target.mkdir(parents=True, exist_ok=True)
    given = os.environ.get(sources.FOLDER_VARIABLE, "").split(os.pathsep)
    os.environ[sources.FOLDER_VARIABLE] = os.pathsep.join(dict.fromkeys([str(target), *filter(None, given)]))
    failed = 0
    for record in RECORDS:
        try:
            found = sources.find(record)
        except sources.DataUnavailable as problem:
            print(f"!! NOT HAD: {record.name}; the tests that need it will be left out\n{problem}", flush=True)
            continue
        except sources.CorruptData as problem:
            print(f"!! WRONG BYTES: {problem}", flush=True)
            failed = 1
            continue
        if found.place != "folder":
            path = target / f"{record.name}.gz"
            part = path.with_suffix(".part")
            part.write_bytes(gzip.compress(found.content, 6, mtime=0))
            part.replace(path)
        print(f"{record.name}: " + ("is there" if found.place == "folder" else f"from {found.archive or found.place}, checked"), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
