"""The program in the README runs as it stands and prints what its comments promise."""
from __future__ import annotations

import re
from pathlib import Path

import numpy as np

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_program_of_the_readme_runs_and_prints_its_releases(capsys):
    program, = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict = {}
    exec(program, names)
    fair = names["fair"]
    assert fair.p_.shape == (2, 2) and (0 <= fair.p_).all() and (fair.p_ <= 1).all()
    assert [release.epsilon for release in fair.releases_] == [1.0]
    said = capsys.readouterr().out
    assert str(fair.p_) in said and "epsilon" in said and fair.releases_[0].mechanism in said
    assert np.array_equal(np.unique(names["communities"].A), [0, 1])


def test_the_commands_of_the_readme_exist():
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text(encoding="utf-8")
    others = re.search(r"lists the others: (.*?)\. ", README, re.S)[1].replace("`", "").replace("\n", " ").split(", ")
    named = {*re.findall(r"make ([a-z-]+)", README), *others}
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.M)) | {"help"}, named
