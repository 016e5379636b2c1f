"""Repository and launch buttons, from where this checkout came from.

The address is ``DPFAIR_TEACH_REPO_URL`` where it is set (empty means: none), else git's ``origin``. Without an address on a host
whose pages we know, the site has no such buttons: a dead button is worse than none. The "edit" button of a page that was published
from a notebook leads to the chapter the notebook was made from.
"""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

HOSTS = {"github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket"}
FORMS = [
    re.compile(r"^(?:https?|git|ssh)://(?:[^@/]+@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)$"),
    re.compile(r"^(?:[^@/]+@)(?P<host>[^/:]+):(?P<path>[^/].*)$"),
]


def web_address(remote: str) -> str | None:
    """The https address of a git remote on a known host, else None; user names and passwords in it are left out."""
    for form in FORMS:
        if match := form.match(remote.strip()):
            host, path = match["host"].lower(), match["path"].strip("/").removesuffix(".git")
            if host in HOSTS and re.fullmatch(r"[\w.-]+(/[\w.-]+)+", path):
                return f"https://{host}/{path}"
    return None


def remote_address(root: Path) -> str | None:
    """What the environment or git says about where this checkout came from; None when neither knows."""
    if (given := os.environ.get("DPFAIR_TEACH_REPO_URL")) is not None:
        return given or None
    try:
        answer = subprocess.run(["git", "-C", str(root), "remote", "get-url", "origin"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None


def theme_options(address: str | None, branch: str = "main") -> dict:
    """The theme's options for an address; no address, no buttons."""
    if address is None:
        return {}
    options = {"repository_url": address, "repository_branch": branch, "repository_provider": HOSTS[address.split("/")[2]],
               "use_repository_button": True, "use_edit_page_button": True, "path_to_docs": "",
               "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}}
    if options["repository_provider"] == "github":
        options["use_issues_button"] = True
    # Binder knows how to start from these two only.
    if options["repository_provider"] == "bitbucket":
        del options["launch_buttons"]
    return options


def _set_options(app, config) -> None:
    remote = remote_address(Path(app.srcdir))
    config.html_theme_options.update(theme_options(web_address(remote) if remote else None,
                                                   os.environ.get("DPFAIR_TEACH_REPO_BRANCH", "main")))


def _edit_the_chapter(app, pagename, templatename, context, doctree) -> None:
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", [group]):
            if button.get("label") == "source-edit-button":
                button["url"] = button["url"].replace("/book/notebooks/", "/book/chapters/").replace(".ipynb", ".md")


def setup(app) -> dict:
    app.connect("config-inited", _set_options)
    # After the theme has written its buttons (501).
    app.connect("html-page-context", _edit_the_chapter, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
