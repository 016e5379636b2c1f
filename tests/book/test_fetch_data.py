"""`make data`: what is missing is fetched once, what cannot be had is told, and what is wrong is an error."""
from __future__ import annotations

import gzip
import hashlib
import os

import pytest

import fetch_data
from dpfair_teach.data import registry, sources

CONTENTS = {"here.csv": b"1,2\n", "far.csv": b"3,4\n", "gone.csv": b"5,6\n"}


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    """A folder of the user with one file, an address that has another, and nothing else."""
    asked = []

    def download(url, folder):
        asked.append(url)
        if not url.endswith("far.csv"):
            raise OSError("no such host")
        path = tmp_path / "far.csv"
        path.write_bytes(CONTENTS["far.csv"])
        return path

    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "here.csv").write_bytes(CONTENTS["here.csv"])
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path / "own"))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(sources, "_not_kept", {})
    monkeypatch.setattr(sources, "download", download)
    monkeypatch.setattr(fetch_data, "RECORDS", tuple(
        registry.FileRecord(name, hashlib.sha256(content).hexdigest(), len(content), url=f"https://x.org/{name}", keep=False)
        for name, content in CONTENTS.items()))
    return asked


def test_what_is_missing_is_fetched_once_and_what_cannot_be_had_is_told(monkeypatch, tmp_path, places, capsys):
    target = tmp_path / "fetched"
    assert fetch_data.main(str(target)) == 0
    assert {path.name: gzip.decompress(path.read_bytes()) for path in target.iterdir()} == {"far.csv.gz": CONTENTS["far.csv"]}
    said = capsys.readouterr().out
    assert "here.csv: is there" in said and "far.csv: from https://x.org/far.csv" in said
    assert "!! NOT HAD: gone.csv" in said and "no such host" in said
    places.clear()
    monkeypatch.setattr(sources, "_not_kept", {})
    assert fetch_data.main(str(target)) == 0
    assert "far.csv: is there" in capsys.readouterr().out and places == ["https://x.org/gone.csv"]
    assert os.environ[sources.FOLDER_VARIABLE].split(os.pathsep) == [str(target), str(tmp_path / "own")]


def test_wrong_bytes_are_an_error_and_the_others_are_fetched(tmp_path, capsys):
    (tmp_path / "own" / "here.csv").write_bytes(b"other")
    assert fetch_data.main(str(tmp_path / "fetched")) == 1
    assert "!! WRONG BYTES" in capsys.readouterr().out and (tmp_path / "fetched" / "far.csv.gz").is_file()


def test_every_set_that_is_not_embedded_is_fetched():
    """Of the real list, which `places` replaces for the other tests."""
    from importlib import reload

    from dpfair_teach.data import list_datasets

    names = {record.name for record in reload(fetch_data).RECORDS}
    table = list_datasets()
    assert names == {record.name for name in table.name[~table.embedded] for record in getattr(registry, name.upper())}
