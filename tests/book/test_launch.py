"""Repository and launch buttons: from the git remote or the environment, none when neither says where."""
from __future__ import annotations

import subprocess
from types import SimpleNamespace

import launch
import pytest


@pytest.mark.parametrize(("remote", "address"), [
    ("https://github.com/who/what.git", "https://github.com/who/what"),
    ("https://github.com/who/what/", "https://github.com/who/what"),
    ("git@github.com:who/what.git", "https://github.com/who/what"),
    ("ssh://git@github.com:22/who/what.git", "https://github.com/who/what"),
    ("https://name:secret@gitlab.com/group/sub/what.git", "https://gitlab.com/group/sub/what"),
    ("git@bitbucket.org:who/what.git", "https://bitbucket.org/who/what"),
    ("/srv/git/what.git", None),
    ("../what", None),
    ("file:///srv/git/what.git", None),
    ("https://git.example.org/who/what.git", None),
    ("https://github.com/", None),
    ("", None),
])
def test_web_address(remote, address):
    assert launch.web_address(remote) == address


def test_the_environment_comes_before_git(monkeypatch, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.delenv("DPFAIR_TEACH_REPO_URL", raising=False)
    assert launch.remote_address(tmp_path) is None
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", "git@github.com:who/what.git"], check=True)
    assert launch.remote_address(tmp_path) == "git@github.com:who/what.git"
    monkeypatch.setenv("DPFAIR_TEACH_REPO_URL", "https://github.com/other/book")
    assert launch.remote_address(tmp_path) == "https://github.com/other/book"
    monkeypatch.setenv("DPFAIR_TEACH_REPO_URL", "")
    assert launch.remote_address(tmp_path) is None


def test_no_address_no_buttons():
    assert launch.theme_options(None) == {}


def test_buttons_of_an_address():
    options = launch.theme_options("https://github.com/who/what")
    assert options["repository_url"] == "https://github.com/who/what"
    assert options["use_edit_page_button"] and options["use_repository_button"]
    assert options["launch_buttons"]["binderhub_url"] == "https://mybinder.org"
    assert "launch_buttons" not in launch.theme_options("https://bitbucket.org/who/what")


def test_the_edit_button_leads_to_the_chapter():
    context = {"get_edit_provider_and_url": lambda: ("GitHub", "https://github.com/who/what/edit/main/book/notebooks/05-x.ipynb")}
    launch._edit_the_chapter(SimpleNamespace(), "book/notebooks/05-x", "page.html", context, None)
    assert context["get_edit_provider_and_url"]() == ("GitHub", "https://github.com/who/what/edit/main/book/chapters/05-x.md")
