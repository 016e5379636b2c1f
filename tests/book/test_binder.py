"""Binder: repo2docker accepts the repository, and sees the files that make the environment."""
from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_repo2docker_accepts_the_repository(tmp_path):
    """Only the tracked files, as Binder clones them; no container engine is asked."""
    copy = tmp_path / "repository"
    if (ROOT / ".git").exists():
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    else:                                                                # unpacked from an archive
        tracked = [str(path.relative_to(ROOT)) for path in (*ROOT.glob("*"), *(ROOT / "dpfair_teach").rglob("*")) if path.is_file()]
    wanted = [name for name in tracked if "/" not in name or name.startswith("dpfair_teach/")]
    for name in filter(None, wanted):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    command = [Path(sys.executable).with_name("jupyter-repo2docker"), "--no-build", "--debug",
               "--user-name", "reader", "--user-id", "1000", "."]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-2000:]
    # The Dockerfile it would build: our pins, the Python of runtime.txt, the library itself.
    assert "PythonBuildPack" in said or "python" in said.lower()
    for line in ("requirements.txt", "3.11"):
        assert line in said, f"{line} is not in what repo2docker would build"


def test_no_folder_makes_binder_ignore_the_requirements():
    assert not (ROOT / "binder").exists() and not (ROOT / ".binder").exists()
    assert (ROOT / "runtime.txt").read_text().strip() == "python-3.11"


@pytest.mark.parametrize("pins", ["requirements.txt", "requirements-dev.txt"])
def test_the_least_python_we_ask_for_can_install_every_pin(pins):
    """A pin made with a later patch release of Python may ask for it: README's two commands would then fail on the first of 3.11."""
    least = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=") + ".0"
    lines = [line.split("#")[0].strip() for line in (ROOT / pins).read_text().splitlines()]
    pinned = dict(line.split("==") for line in lines if "==" in line)
    wants = {name: metadata(name)["Requires-Python"] for name in pinned}
    assert len(pinned) > 5
    assert [name for name, asked in wants.items() if asked and not SpecifierSet(asked).contains(least)] == []
