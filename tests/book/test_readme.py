"""The program in the README runs as it stands and prints what its comments promise; what CONTRIBUTING sends you to is there."""
from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import yaml

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_program_of_the_readme_runs_and_prints_its_releases(capsys):
    program, codes = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(codes, found := {})
    assert found["A"].tolist() == [1, 0, 2, 0]
    names: dict = {}
    exec(program, names)
    fair = names["fair"]
    assert fair.p_.shape == (2, 2) and (0 <= fair.p_).all() and (fair.p_ <= 1).all()
    assert [release.epsilon for release in fair.releases_] == [1.0]
    said = capsys.readouterr().out
    assert str(fair.p_) in said and "epsilon" in said and fair.releases_[0].mechanism in said
    assert np.array_equal(np.unique(names["communities"].A), [0, 1])


def test_the_citation_the_changelog_and_the_package_agree_on_what_is_released():
    """A version has a day of release in the citation when, and only when, its section of the changelog has it."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    released = [line for line in sections if line.startswith(f"[{citation['version']}]")]
    assert sections[0] == "Unreleased" or released
    assert [f"[{citation['version']}] - {citation['date-released']}"] == released if "date-released" in citation else not released


def test_the_readme_names_the_commands_that_make_help_lists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.M))
    others = re.search(r"lists the others: (.*?)\. ", README, re.S)[1].replace("`", "").replace("\n", " ").split(", ")
    assert {*others, "book", "test", "help"} == listed
    named = set(re.findall(r"`(?:TEST_DATE=\S+ )?make ([a-z-]+)", README + GUIDE))
    assert named <= listed, named - listed


def test_the_files_of_the_guide_exist():
    named = set(re.findall(r"`(\w[\w.-]*/(?:[\w.-]+/)*[\w.-]*)`", GUIDE))
    named = {path for path in named if not re.search(r"/(NN-name|name|x)(\.\w+)?$", path)}         # stand for what you write
    assert len(named) > 15
    assert not (missing := [path for path in named if not (ROOT / path).exists()]), missing


def test_the_tables_of_the_guide_exist():
    """A name in capitals stands in a file that is named in the same item of a list, at most one item before; two you write in your test."""
    items = re.split(r"\n(?=\d\. )", GUIDE[GUIDE.index("## To add something"):GUIDE.index("## Rules")])
    for before, item in pairwise(items):
        files = [ROOT / path for path in re.findall(r"`((?:\w+/)+\w+\.py)`", before + item)] + [ROOT / "tests" / "test_bad_input.py"]
        for table in set(re.findall(r"`([A-Z_]{4,})`", item)) - {"FAULTS", "VALID_CALLS"}:
            assert any(re.search(rf"^{table}\b", path.read_text(encoding="utf-8"), re.M) for path in files), f"{table} in none of {files}"
