"""No test here touches the network, the user's cache or the user's data folder, except those marked ``slow`` that ask for the latter."""
import os

import pytest

from dpfair_teach.data import _sources as sources

USERS_FOLDER = os.environ.get(sources.FOLDER_VARIABLE)


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
def users_folder(monkeypatch):
    """The folder with the files that are not embedded, or a skip that says what is not checked."""
    if not USERS_FOLDER:
        pytest.skip(f"{sources.FOLDER_VARIABLE} is not set: bank and census are not checked against the real files")
    monkeypatch.setenv(sources.FOLDER_VARIABLE, USERS_FOLDER)
    return USERS_FOLDER
