"""The command line: help, list, a small run, and errors that say what to do."""
import subprocess
import sys

import pandas as pd
import pytest

from book.studies.__main__ import main
from book.studies.named import STUDIES
from book.studies.populations import population
from dpfair_teach import load


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_list_and_help_name_every_experiment(capsys):
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    helped = capsys.readouterr().out
    for name, study in STUDIES.items():
        assert name in listed and study.about in listed and f"  {name} " in helped


@pytest.mark.slow
def test_a_small_run_in_two_workers_equals_one(tmp_path, capsys):
    for jobs in "12":
        (tmp_path / jobs).mkdir()
        assert main(["figure1_right", "--out", str(tmp_path / jobs), "--repeats", "24", "--seed", "5", "--jobs", jobs, "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "figure1_right.csv: 360 rows" in said
    provenance = str(load("communities", group="paper").provenance)
    assert provenance in said and (tmp_path / "1" / "figure1_right.provenance.txt").read_text(encoding="utf-8") == provenance + "\n"
    one, two = ((tmp_path / jobs / "figure1_right.csv").read_bytes() for jobs in "12")
    assert one == two
    table = pd.read_csv(tmp_path / "1" / "figure1_right.csv")
    assert list(table.columns) == ["epsilon", "gamma", "error", "violation", "error_low", "error_high", "violation_low",
                                   "violation_high", "share_left_out", "repeats", "seed", "version", "command"]
    assert str(tmp_path) not in table["command"][0]


def test_an_interrupted_run_says_in_one_line_what_is_kept(tmp_path, capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("book.studies.__main__.run", stopped)
    assert main(["both_panels", "--out", str(tmp_path)]) == 130
    said = f"\nboth_panels: stopped. Finished rows are kept in {tmp_path}; the same command goes on from there.\n"
    assert capsys.readouterr() == ("", said)


def test_nobody_can_change_a_population_that_the_next_caller_gets():
    for array in population(0):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_errors(tmp_path, capsys):
    assert "figure1_right" in refused(capsys)
    assert "figure2 is no study; name one of: figure1_right" in refused(capsys, "figure2", "--out", str(tmp_path))
    assert "repeats" in refused(capsys, "figure1_right", "--out", str(tmp_path), "--repeats", "0")
    assert "jobs" in refused(capsys, "figure1_right", "--out", str(tmp_path), "--jobs", "0")
    assert "seed" in refused(capsys, "figure1_right", "--out", str(tmp_path), "--seed", "-1")
    assert "invalid int" in refused(capsys, "figure1_right", "--repeats", "many")
    (tmp_path / "file").write_text("")
    assert "not a folder that exists" in refused(capsys, "figure1_right", "--out", str(tmp_path / "file"))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "book.studies", "--list"], capture_output=True, text=True, check=True)
    assert "communities_q" in done.stdout and done.stderr == ""
