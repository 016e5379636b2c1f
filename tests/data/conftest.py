"""No test here touches the network, the user's cache or the user's data folder, except those marked ``slow`` that ask for the latter."""
import os

import pytest

from dpfair_teach.data import DataUnavailable, load, sources

USERS_FOLDERS = os.environ.get(sources.FOLDER_VARIABLE)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """Every place but the embedded files is empty; returns the empty cache folder."""
    monkeypatch.delenv(sources.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(sources, "_not_kept", {})

    def no_network(*args, **options):
        raise OSError("no network in tests")

    monkeypatch.setattr(sources, "download", no_network)
    monkeypatch.setattr(sources, "pip_download", no_network)
    return tmp_path / "cache"


@pytest.fixture
def load_real(monkeypatch):
    """``load`` of a set that is not embedded, from the user's folders; where they lack it, a skip that says what is not checked."""
    if USERS_FOLDERS:
        monkeypatch.setenv(sources.FOLDER_VARIABLE, USERS_FOLDERS)

    def load_or_skip(name, **rules):
        try:
            return load(name, **rules)
        except DataUnavailable:
            pytest.skip(f"no folder of {sources.FOLDER_VARIABLE} has {name}: it is not checked against the real file; run: make data")

    return load_or_skip
