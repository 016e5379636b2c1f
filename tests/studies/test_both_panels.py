"""Both panels in a minute: how long the command takes, that it goes on where it was killed, and that it agrees with the slower tables."""
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pandas as pd
import pytest

from book.studies.figure1_right import EPSILONS_FIGURE1
from dpfair_teach.experiments import EPSILONS
from test_results import children_seconds, stored


def both_panels(folder, repeats=None, then=None):
    """Run the command in a process of its own; ``then`` may look at it before it ends. Processor seconds of it and its workers."""
    command = [sys.executable, "-m", "book.studies", "both_panels", "--out", str(folder), "--jobs", "2", "--quiet"]
    before = children_seconds()
    process = subprocess.Popen(command + ([] if repeats is None else ["--repeats", str(repeats)]), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    if then is not None:
        then(process)
    process.wait()
    return children_seconds() - before


@pytest.mark.turning(7)
@pytest.mark.slow
def test_both_panels_are_made_in_a_minute(tmp_path):
    """All epsilons, all gammas, 100 repeats on the right and 6 on the left, from a cold start, in processor seconds."""
    assert both_panels(tmp_path) < 60
    mine, rows = pd.read_csv(tmp_path / "both_panels.csv"), stored("both_panels")
    assert set(rows["repeats"]) == {100}
    assert rows.groupby("panel")["rounds"].unique().map(list).to_dict() == {"left": [6], "right": [100], "figure1": [100]}
    assert np.abs(rows[["error", "violation"]] - mine[["error", "violation"]]).to_numpy().max() < .02       # as the sample of rows
    assert rows.groupby("panel")["epsilon"].unique().map(lambda found: [e for e in found if np.isfinite(e)]).to_dict() == {
        "left": list(EPSILONS), "right": list(EPSILONS), "figure1": [e for e in EPSILONS_FIGURE1 if np.isfinite(e)]}
    sizes = rows.groupby(["panel", "method", "epsilon"]).size().groupby("panel").unique()
    assert sizes.map(list).to_dict() == {"left": [25], "right": [25], "figure1": [72]}


@pytest.mark.turning(7)
@pytest.mark.slow
def test_both_panels_go_on_where_they_were_killed(tmp_path):
    """Killed with its workers after some settings, it computes the others only, and the table has the same bytes."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir(), broken.mkdir()
    both_panels(whole, repeats=24)
    finished = []

    def kill(process):
        while process.poll() is None and len(list(broken.rglob("output.pkl"))) <= 3:
            time.sleep(.01)
        os.killpg(process.pid, signal.SIGKILL)
        finished.extend(broken.rglob("output.pkl"))     # each once it is whole

    both_panels(broken, repeats=24, then=kill)
    assert not (broken / "both_panels.csv").exists() and len(finished) > 3
    done = [joblib.load(path) for path in finished]
    both_panels(broken, repeats=24)
    assert (broken / "both_panels.csv").read_bytes() == (whole / "both_panels.csv").read_bytes()
    # the seconds of what was kept are those of the first start: nothing of it was computed again
    times = pd.read_csv(broken / "both_panels.times.csv")
    for setting, _, seconds in done:
        same = np.logical_and.reduce([times[key] == value for key, value in setting.items()])
        assert times.loc[same, "seconds"].tolist() == [pytest.approx(seconds, abs=1e-4)]


def test_both_panels_agree_with_the_tables_of_more_repeats():
    """The same methods at other draws: their Qs are near those of the stored panels, by five widths of the wider interval or .02."""
    rows = stored("both_panels").groupby(["panel", "method", "epsilon"])[["q", "q_low", "q_high"]].first()
    once, right = stored("left_oneshot"), stored("communities_quality")
    once = once[once["group"] == "paper"].groupby("epsilon")["q"].first()
    right = right[(right["group"] == "paper") & (right["evaluated"] == "in_sample")].set_index(["method", "epsilon"])["q"]
    for (panel, method, epsilon), row in rows.iterrows():
        if panel != "figure1" and method != "not_private":
            other = once[epsilon] if panel == "left" else right[method, epsilon]
            assert abs(row["q"] - other) <= max(5 * (row["q_high"] - row["q_low"]), .02), (panel, method, epsilon)
    assert rows["q"].drop("figure1").xs("not_private", level="method").tolist() == pytest.approx([1, 1])
