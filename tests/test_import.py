"""``import dpfair_teach`` reads nothing that is not asked for."""
from __future__ import annotations

import subprocess
import sys

import pytest

import dpfair_teach

#: What takes a tenth of a second and more.
HEAVY = ("pandas", "scipy.stats", "matplotlib", "sklearn")
SECONDS = 0.25


def said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_import_reads_nothing_heavy_and_takes_a_quarter_of_a_second():
    found = said("import sys, time; start = time.process_time(); import dpfair_teach; took = time.process_time() - start; "
                 f"print(took, *[name for name in {HEAVY} if name in sys.modules])").split()
    assert not found[1:] and float(found[0]) < SECONDS, found


@pytest.mark.slow
def test_every_name_and_every_room_is_there_when_it_is_asked_for():
    names = said("import dpfair_teach; print(*dir(dpfair_teach)); dpfair_teach.games.DPOracleLearner; dpfair_teach.load; "
                 "from dpfair_teach import *; Explorer, SmallGroupWarning").split()
    assert {*dpfair_teach.__all__, "games", "data", "plotting", "__version__"} <= {*names} and not any(name[:2] == "_c" for name in names)
    assert dpfair_teach.SmallGroupWarning is dpfair_teach._fit_warnings.SmallGroupWarning
    for missing in ("nothing", "_nothing"):
        with pytest.raises(AttributeError, match=f"module 'dpfair_teach' has no attribute '{missing}'"):
            getattr(dpfair_teach, missing)
