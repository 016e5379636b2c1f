"""`make test`: what each check may see, and that nothing is left out in silence."""
from __future__ import annotations

import sys

import checks

SEES = "import os; print(os.environ.get('DPFAIR_TEACH_DATA'))"


def test_only_the_library_sees_the_folder_of_the_larger_files(monkeypatch, capfd):
    monkeypatch.setenv("DPFAIR_TEACH_DATA", "/a/folder")
    monkeypatch.setattr(checks, "CHECKS", {name: [sys.executable, "-c", f"{SEES.replace('print(', f'print({name!r}, ')}"] for name in checks.CHECKS})
    assert checks.main([]) == 0
    said = capfd.readouterr().out
    assert "library /a/folder" in said
    for name in checks.CHECKS:
        assert name == "library" or f"{name} None" in said, name


def test_what_was_left_out_stands_at_the_end(monkeypatch, capfd, tmp_path):
    (tmp_path / "conftest.py").write_text((checks.ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_it():\n    pytest.skip('no such file')\n", encoding="utf-8")
    monkeypatch.delenv("DPFAIR_TEACH_DATA", raising=False)
    monkeypatch.setattr(checks, "CHECKS", {"library": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]})
    assert checks.main(["library"]) == 0
    said = capfd.readouterr().out
    assert "!! LEFT OUT of library: 1 check: no such file" in said.splitlines()[-2]
