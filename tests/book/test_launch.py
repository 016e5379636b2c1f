"""Repository and launch buttons: from the git remote or the environment, none when neither says where."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import launch

ROOT = Path(__file__).resolve().parents[2]


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
    edit = {"label": "source-edit-button", "url": "https://github.com/who/what/edit/main/book/notebooks/05-x.ipynb"}
    binder = {"label": "launch", "url": "https://mybinder.org/v2/gh/who/what/main?urlpath=lab/tree/book/notebooks/05-x.ipynb"}
    context = {"header_buttons": [{"type": "group", "buttons": [dict(edit), dict(binder)]}, {"type": "javascript"}]}
    launch._edit_the_chapter(None, "book/notebooks/05-x", "page.html", context, None)
    changed, kept = context["header_buttons"][0]["buttons"]
    assert changed["url"] == "https://github.com/who/what/edit/main/book/chapters/05-x.md" and kept == binder


@pytest.mark.slow
def test_a_built_page_has_the_buttons_of_its_repository(tmp_path):
    """A book of two pages with our configuration and extensions, built as the real one is."""
    for name in ("_config.yml", "book/references.bib", "book/theorems.yml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "book" / "_ext", tmp_path / "book" / "_ext")
    shutil.copytree(ROOT / "book" / "_static", tmp_path / "book" / "_static", ignore=shutil.ignore_patterns("mathjax"))
    for folder in ("chapters", "notebooks"):
        (tmp_path / "book" / folder).mkdir()
    (tmp_path / "book/chapters/index.md").write_text("# Index\n\nText.\n")
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Page", id="page")],
                                            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}),
                   tmp_path / "book/notebooks/page.ipynb")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/chapters/index\nchapters:\n- file: book/notebooks/page\n")
    done = subprocess.run([Path(sys.executable).with_name("jupyter-book"), "build", ".", "-W", "-n", "--keep-going"],
                          cwd=tmp_path, text=True, capture_output=True,
                          env=os.environ | {"DPFAIR_TEACH_REPO_URL": "git@github.com:who/what.git"})
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    html = (tmp_path / "_build/html/book/notebooks/page.html").read_text(encoding="utf-8")
    wanted = ["https://mybinder.org/v2/gh/who/what/main?urlpath=lab/tree/book/notebooks/page.ipynb",
              "https://github.com/who/what/edit/main/book/chapters/page.md", 'href="https://github.com/who/what"']
    for link in wanted:
        assert link in html, link
    assert "unpkg.com" not in html and "fontawesome.js" not in html
