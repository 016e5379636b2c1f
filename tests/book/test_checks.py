"""`make test`: what each check may see, and that nothing is left out in silence."""
from __future__ import annotations

import subprocess
import sys

import pytest

import checks

SEES = "import os; print(os.environ.get('DPFAIR_TEACH_DATA'))"


def test_only_the_library_sees_the_folder_of_the_larger_files(monkeypatch, capfd):
    monkeypatch.setenv("DPFAIR_TEACH_DATA", "/a/folder")
    tells = {name: [sys.executable, "-c", SEES.replace("print(", f"print({name!r}, ")] for name in checks.CHECKS}
    monkeypatch.setattr(checks, "CHECKS", tells)
    assert checks.main([]) == 0
    said = capfd.readouterr().out
    assert "library /a/folder" in said
    for name in checks.CHECKS:
        assert name == "library" or f"{name} None" in said, name


@pytest.mark.slow
def test_what_was_left_out_stands_at_the_end(monkeypatch, capfd, tmp_path):
    for name in ("conftest.py", "turning.py"):
        (tmp_path / name).write_text((checks.ROOT / "tests" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_it():\n    pytest.skip('no such file')\n", encoding="utf-8")
    monkeypatch.delenv("DPFAIR_TEACH_DATA", raising=False)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    monkeypatch.setattr(checks, "CHECKS", {"library": [*run, "--rootdir", str(tmp_path), str(tmp_path)]})
    assert checks.main(["library"]) == 0
    said = capfd.readouterr().out
    assert "!! LEFT OUT of library: 1 check: no such file" in said.splitlines()[-2]


@pytest.mark.parametrize("fault, rule", [
    ("import os\n", "F401"), ("print(nothing)\n", "F821"), ("def f(\n", "invalid-syntax"), ("def f(x=[]):\n    return x\n", "B006"),
    ("print(list(zip([1], [2, 3])))\n", "B905"), ("import numpy as np\n\nnp.random.seed(0)\n", "NPY002"),
    ("from typing import List\n\nx: List = []\n", "UP035"), (f"x = {'1' * 140}\n", "E501"),
])
def test_the_linter_finds_what_is_wrong(fault, rule):
    """The command of `make test` with the book's own rules, on a file of its own: the rules that are meant to be on are on."""
    command = [*checks.CHECKS["lint"], "--no-cache", "--output-format", "concise", "--stdin-filename", "dpfair_teach/x.py", "-"]
    found = subprocess.run(command, cwd=checks.ROOT, input=fault, capture_output=True, text=True)
    assert found.returncode == 1 and rule in found.stdout, found.stdout + found.stderr


def test_the_linter_reads_every_python_file_and_no_notebook():
    listed = subprocess.run([*checks.CHECKS["lint"], "--show-files"], cwd=checks.ROOT, capture_output=True, text=True, check=True).stdout
    files = {line.removeprefix(f"{checks.ROOT}/") for line in listed.splitlines()}
    folders = [checks.ROOT / name for name in ("book", "dpfair_teach", "tests")]
    python = {str(path.relative_to(checks.ROOT)) for folder in folders for path in folder.rglob("*.py")}
    assert python <= files and not [name for name in files if name.endswith(".ipynb")]


def test_every_test_file_has_a_name_of_its_own():
    """Test files are modules outside packages: two of one name cannot be collected together."""
    names = [path.name for path in (checks.ROOT / "tests").rglob("*.py")]
    assert not {name for name in names if names.count(name) > 1 and name != "conftest.py"}


def test_no_two_kernels_of_checked_notebooks_share_a_door():
    """They do not ask for a free port: one that starts at the same moment may be given it too, and one of the two dies."""
    import nbval.kernel

    import kernels

    assert nbval.kernel.KernelManager is kernels.manager and ["-p", "kernels"] == checks.NBVAL[:2]
    one, other = (nbval.kernel.KernelManager(kernel_name="python3").get_connection_info() for _ in range(2))
    assert one["transport"] == other["transport"] == "ipc" and one["ip"] != other["ip"]
