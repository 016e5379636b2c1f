"""What a reader meets who clones the book or starts it on Binder: JupyterLab from requirements.txt alone, in a browser.

A notebook is opened, run from the top, and its interactive figure is moved with the kernel behind it. Whether it ran is read from
the saved file through the server, not from the page, which shows only a part of a long notebook.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import nbformat
import pytest

from dpfair_teach import exercises

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).resolve().parents[2]
READER = ROOT / ".venv-reader"
TOKEN = "reader"


def with_explorer() -> str:
    """The smallest notebook that holds an interactive figure."""
    found = [p for p in (ROOT / "book" / "notebooks").glob("*.ipynb") if "<dpfair-explorer" in p.read_text(encoding="utf-8")]
    assert found, "no notebook holds an interactive figure"
    return min(found, key=lambda p: p.stat().st_size).name


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """JupyterLab on a copy of the book, in the reader's environment, with nothing of this checkout on its path."""
    if not (READER / "bin" / "jupyter").is_file():
        pytest.fail(f"{READER.name} is not made; run: make test")
    folder = tmp_path_factory.mktemp("reader")
    for part in ("notebooks", "results", "assignments"):
        shutil.copytree(ROOT / "book" / part, folder / "book" / part, dirs_exist_ok=True)
    # The numbers of the cells in the file shall be those of this run.
    for path in (folder / "book" / "notebooks").glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.execution_count = None
        nbformat.write(notebook, path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHON", "DPFAIR"))}
    quiet = folder / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "PATH": f"{READER / 'bin'}:{os.environ['PATH']}",
                    "HOME": str(folder),
                    "JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data")}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([READER / "bin" / "jupyter", "lab", "--no-browser", "--expose-app-in-browser", "--allow-root",
                                   "--ip=127.0.0.1", f"--port={port}", f"--IdentityProvider.token={TOKEN}",
                                   f"--ServerApp.root_dir={folder}"],
                                  stdout=log, stderr=log, env=environment, cwd=folder)
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(240):
                try:
                    urlopen(f"{address}/api?token={TOKEN}", timeout=1).close()
                    break
                except (URLError, OSError):
                    assert server.poll() is None, (folder / "log").read_text()[-2000:]
                    time.sleep(.25)
            else:
                pytest.fail("JupyterLab did not start in a minute:\n" + (folder / "log").read_text()[-2000:])
            yield address
        finally:
            server.terminate()
            server.wait(20)


def contents(address: str, name: str) -> dict:
    request = Request(f"{address}/api/contents/book/{name}?content=1", headers={"Authorization": f"token {TOKEN}"})
    for attempt in range(10):
        try:
            with urlopen(request, timeout=10) as answer:
                return json.load(answer)["content"]
        except HTTPError as error:
            # The server answers 400 while a save is half written.
            if error.code != 400 or attempt == 9:
                raise
            time.sleep(.5)
    raise AssertionError("not reached")


def opened(lab: str, chromium, name: str):
    """A page that shows the notebook, its kernel connected; before, which takes long on a busy machine, "run all" asks which one."""
    page = chromium.new_context(viewport={"width": 1400, "height": 2400}).new_page()
    page.goto(f"{lab}/lab/tree/book/{name}?token={TOKEN}")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function("""() => { const session = jupyterapp.shell.currentWidget?.sessionContext;
        const kernel = session?.session?.kernel;
        return session?.isReady && kernel?.connectionStatus === "connected" && kernel.status === "idle"; }""", timeout=120_000)
    return page


def run_all(page, lab: str, name: str) -> list[dict]:
    """Its cells of code as the saved file has them, run once each from the top."""
    deadline, started = time.monotonic() + 180, False
    while True:
        if not started:
            # A kernel that has not quite connected lets the first click pass.
            page.locator("#jp-MainMenu").get_by_text("Run", exact=True).click()
            page.locator("[data-command='runmenu:run-all']").click()
            page.wait_for_timeout(3000)
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        page.wait_for_timeout(1000)
        cells = [cell for cell in contents(lab, name)["cells"] if cell["cell_type"] == "code" and cell["source"]]
        errors = [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
        assert not errors, errors[0]
        counts = [cell["execution_count"] for cell in cells]
        started = started or any(counts) or page.locator(".jp-NotebookPanel-toolbar [data-status=busy]").count() > 0
        if None not in counts:
            break
        dialogs = page.locator(".jp-Dialog").all_inner_texts()
        assert time.monotonic() < deadline and not dialogs, f"not run: {counts}; JupyterLab asks: {dialogs}"
    assert counts == sorted(set(counts)), "not run once each, from the top"
    return cells


def test_a_notebook_runs_from_the_top_and_its_figure_moves_with_the_kernel(lab, chromium):
    name = f"notebooks/{with_explorer()}"
    page = opened(lab, chromium, name)
    run_all(page, lab, name)

    # A live slider of ipywidgets, moved by keyboard; the figure beside it is drawn again by the kernel.
    slider = page.locator(".jupyter-widgets [role=slider], .jupyter-widgets input[type=range]").first
    slider.scroll_into_view_if_needed(timeout=30_000)
    figure = page.locator(".jp-OutputArea-output").filter(has=slider).locator(".dpx").first
    before = figure.inner_html()
    for key in ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"] * 5:
        slider.focus()
        slider.press(key)
        page.wait_for_timeout(500)
        if figure.inner_html() != before:
            break
    else:
        pytest.fail("the figure stood still while its slider moved")
    page.context.close()


ANSWER = '''answer = {"labels": [0, 1] * 3 + [1], "weights": [1, 1, 0, 0, 0, 0, 0]}
exercises.self_check("radon", answer, student, term)'''


def test_an_assignment_is_answered_checked_handed_in_and_marked(lab, chromium, tmp_path):
    """Both ways to hand in, the file that the self-check wrote and the saved notebook, have the mark that the self-check said."""
    name = "assignments/09-oracles.ipynb"
    page = opened(lab, chromium, name)
    for cell, text in (("student =", 'from dpfair_teach import exercises\nstudent, term = "ada", "trial"'), ("answer = None", ANSWER)):
        page.locator(".jp-CodeCell .cm-content", has_text=cell).first.click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(text)
    said = run_all(page, lab, name)[-1]["outputs"][0]["text"].strip()
    assert said.startswith("0 of 10 points. ")
    (tmp_path / "roster.csv").write_text("student\nada\nbob\n")
    (tmp_path / "ada-radon.json").write_text(contents(lab, "assignments/ada-radon.json"))
    (tmp_path / "bob.ipynb").write_text(json.dumps(contents(lab, name)))
    ada, bob = exercises.grade(tmp_path / "roster.csv", tmp_path, "trial")
    assert said == f"0 of 10 points. {ada['reason']}" and ada["file"] == "ada-radon.json" and ada["same_as"] == "bob"
    assert bob["file"] == "bob.ipynb" and bob["points"] == 0 and bob["reason"]
    page.context.close()


def test_statements_and_proofs_are_boxes_with_formulas_and_nothing_comes_from_outside(lab, chromium):
    context = chromium.new_context(viewport={"width": 1400, "height": 2400})
    page, outside = context.new_page(), []
    own = (lab, lab.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(own) else outside.append(request.url))
    page.goto(f"{lab}/lab/workspaces/statements/tree/book/notebooks/06-dp-postprocessing.ipynb?token={TOKEN}")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_selector(".jp-MarkdownCell .myst h1", timeout=60_000)
    statement = page.locator(".jp-MarkdownCell .myst-proof", has_text="In words.").first
    for _ in range(20):                                              # Lab draws the cells in view only
        if statement.count():
            break
        page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 800)")
        page.wait_for_timeout(500)
    assert re.match("Definition|Lemma|Theorem", statement.inner_text().strip())
    assert statement.locator(".katex").count(), "no box with formulas"
    shown = "\n".join(page.locator(".jp-MarkdownCell .myst").all_inner_texts())
    assert ":label:" not in shown and "{prf:" not in shown
    assert not outside, outside
    context.close()


def test_the_readers_environment_holds_nothing_of_the_checks():
    names = {path.name for path in (READER / "lib").glob("python*/site-packages/*")}
    for name in ("pytest", "playwright", "nbval", "fairlearn"):
        assert name not in names
    assert "dpfair_teach" in names, "the library is installed as a package, not from this checkout"
