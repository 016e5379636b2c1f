"""Some rows of a stored table again, the others to the byte."""
import numpy as np
import pandas as pd
import pytest

from dpfair_teach.experiments import Study, run
from dpfair_teach.experiments.command import main

SETTINGS = [{"who": who, "epsilon": epsilon} for who in ("a", "b") for epsilon in (0.1, float("inf"))]
HOW = {"command": "here", "seed": 1, "progress": False}


def drawn(shift=0.0):
    def evaluate(setting, repeats, rng):
        return [{"draw": i, "mean": shift + rng.normal(size=repeats).mean()} for i in range(2)]
    return evaluate


def study(settings, shift=0.0):
    return Study("Means.", 30, {"means": (settings, drawn(shift))})


def test_a_table_that_grew_is_that_of_a_whole_run(tmp_path):
    run(study(SETTINGS[:2] + SETTINGS[3:]), tmp_path, **HOW)
    found = run(study(SETTINGS), tmp_path, only={"who": ["b"], "epsilon": ["0.1"]}, **HOW)["means"]
    grown = (tmp_path / "means.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["means.csv", "means.provenance.txt", "means.times.csv"]
    whole = run(study(SETTINGS), tmp_path, **HOW)["means"]
    assert (tmp_path / "means.csv").read_bytes() == grown and np.allclose(found["mean"], whole["mean"])
    assert len(pd.read_csv(tmp_path / "means.times.csv")) == 4


def test_only_the_chosen_rows_change(tmp_path):
    run(study(SETTINGS), tmp_path, **HOW)
    before = (tmp_path / "means.csv").read_text().splitlines()
    run(study(SETTINGS, shift=5.0), tmp_path, only={"epsilon": ["inf"]}, **HOW)
    after = (tmp_path / "means.csv").read_text().splitlines()
    same = [one == other for one, other in zip(before, after, strict=True)]
    assert same == [True, *[True, True, False, False] * 2]


def test_a_table_of_the_study_in_which_nothing_is_chosen_stays_as_it_is(tmp_path):
    """One table has rows of a and b, the other of c by another column: each may be named without the other."""
    both = Study("Two.", 30, {"means": (SETTINGS, drawn()), "others": ([{"who": "c", "size": 1}], drawn())})
    run(both, tmp_path, **HOW)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if ".times." not in path.name}
    changed = Study("Two.", 30, {"means": (SETTINGS, drawn(5.0)), "others": ([{"who": "c", "size": 1}], drawn(5.0))})
    for only, written in (({"who": ["b"]}, "means"), ({"size": ["1"]}, "others")):
        assert list(run(changed, tmp_path, only=only, **HOW)) == [written]
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if ".times." not in path.name}
        assert [name for name in after if after[name] != before[name]] == [f"{written}.csv"]
        before = after


@pytest.mark.parametrize(("settings", "only", "how", "match"), [
    (SETTINGS, {"who": ["c"]}, HOW, r"^only=\{'who': \['c'\]\}: is in no setting\. There are a, b\.$"),
    (SETTINGS, {"what": ["c"]}, HOW, r"^only=.*There are no such columns"),
    (SETTINGS, [], HOW, r"^only=\[\]: not a mapping"),
    (SETTINGS, {"who": ["a"]}, HOW | {"seed": 2}, r"^out=.*has rows of another (seed|command)"),
    ([*SETTINGS, {"who": "c", "epsilon": 0.1}], {"who": ["a"]}, HOW, r"^only=.*'c'.*is a setting without stored rows")])
def test_what_does_not_fit_is_refused(tmp_path, settings, only, how, match):
    run(study(SETTINGS), tmp_path, **HOW)
    before = (tmp_path / "means.csv").read_bytes()
    with pytest.raises(ValueError, match=match):
        run(study(settings), tmp_path, only=only, **how)
    assert (tmp_path / "means.csv").read_bytes() == before and len(list(tmp_path.iterdir())) == 3     # nothing was computed


def test_without_a_table_there_is_nothing_to_renew(tmp_path):
    with pytest.raises(ValueError, match=r"^out=.*no table is stored there\. Run the study whole first"):
        run(study(SETTINGS), tmp_path, only={"who": ["a"]}, **HOW)


def test_the_command_line_has_it(tmp_path, capsys):
    studies = {"means": study(SETTINGS)}
    assert main(studies, "here", seed=1, out=str(tmp_path), arguments=["means", "--quiet"]) == 0
    again = ["means", "--quiet", "--only", "who=a,b", "--only", "epsilon=inf"]
    assert main(studies, "here", seed=1, out=str(tmp_path), arguments=again) == 0
    before = (tmp_path / "means.csv").read_text().splitlines()      # a column named twice: the rows of both
    twice = ["means", "--quiet", "--only", "who=a", "--only", "who=b"]
    assert main({"means": study(SETTINGS, shift=5.0)}, "here", seed=1, out=str(tmp_path), arguments=twice) == 0
    assert not set(before[1:]) & set((tmp_path / "means.csv").read_text().splitlines())
    with pytest.raises(SystemExit):
        main(studies, "here", seed=1, out=str(tmp_path), arguments=["means", "--only", "who"])
    assert "--only who: give a column and values, as in method=" in capsys.readouterr().err
