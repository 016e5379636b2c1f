"""What several tests share: the built site behind a local server, and a headless Chromium."""
from __future__ import annotations

import os
import shutil
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

import turning

turning.day()       # before there are workers
ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_tools"), str(ROOT / "book" / "_ext")]

# No call home, no update, no sandbox that a container would refuse.
CHROMIUM_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                      "--disable-component-update", "--disable-sync"]
collect_ignore = ["kernels.py"]     # a plugin, which needs nbval
NO_CHROMIUM = "no Chromium on this machine: the checks of the pages in a browser did not run; install it with: make ci-deps"


@pytest.fixture
def real_numbers(monkeypatch):
    """As if noise were drawn in real numbers: for plays at an epsilon that leaves no noise to see, which doubles do not keep."""
    for door, nothing in (("setting", 0.0), ("regression_private", (0.0, 0.0))):
        monkeypatch.setattr(f"dpfair_teach.games.{door}._in_doubles", lambda *arguments, nothing=nothing: nothing)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    if not (SITE / "index.html").is_file():
        pytest.fail(f"{SITE.relative_to(ROOT)} holds no built site; run: make html")
    return SITE


@pytest.fixture(scope="session")
def site_url(site):
    """The address of the built site, served compressed as a public host would."""
    import serve

    with serve.server(site) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium. Without one the test is skipped, and fails where CI is set: there nothing may be left out in silence."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # With the scroll bars of a desktop, which take room: a box that scrolls by mistake shows itself.
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGUMENTS, ignore_default_args=["--hide-scrollbars"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(request, chromium, site_url):
    """The page of the site that a test's ``on`` names, opened once for a file's tests, at the width where the test before left it."""
    from test_site import Visit

    opened = Visit(chromium, site_url, request.param)
    yield opened
    opened.context.close()


@pytest.fixture
def visit(opened):
    from test_site import DESKTOP
    return opened.at(DESKTOP)


@pytest.fixture
def phone(opened):
    from test_site import PHONE
    return opened.at(PHONE)


def pytest_collection_modifyitems(config, items):
    """Leave to `make nightly` what is marked so, and what has not its day: see `turning.py`."""
    if turning.all_of_it() or any("::" in argument for argument in config.args):
        return
    kept = {item: not item.get_closest_marker("nightly") for item in items}
    a_room_is_named = not {Path(argument).resolve() for argument in config.args} <= {ROOT / "tests", ROOT / "dpfair_teach"}
    quick, tests, rooms = turning.quickly(), {}, turning.rooms_of(map(Path, turning.changed()))
    for item in items:
        of_any_room = turning.about(item.path) not in turning.read_by_rooms()
        if item.get_closest_marker("turning") or (
                quick and of_any_room and hasattr(item, "callspec") and "name" in item.callspec.params):
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
        elif not a_room_is_named and turning.rests(item.path):
            kept[item] &= turning.due(turning.of(item.nodeid), turning.QUICK_REST if quick else turning.REST)
    for name, cases in tests.items():
        mark = cases[0].get_closest_marker("turning")
        days = turning.QUICK_REST if quick else mark.args[0]
        own = cases[0].path
        itself = [] if cases[0].get_closest_marker("browser") else [own.relative_to(ROOT)]     # all pages take ten minutes
        if mark and (turning.about(own) in rooms or turning.touched([*mark.kwargs.get("of", ()), *itself])):
            continue
        if hasattr(cases[0], "callspec"):
            today = turning.chosen([str(item.callspec.params.get("name", item.callspec.id)) for item in cases], days)
        else:
            today = [turning.due(turning.of(name), days)]
        kept |= {item: kept[item] and now for item, now in zip(cases, today, strict=True)}
    config.hook.pytest_deselected(items=[item for item in items if not kept[item]])
    items[:] = [item for item in items if kept[item]]


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    """Say loudly what did not run and why; `make test` says it again at its end."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else str(report.longrepr)
                      for report in terminalreporter.stats.get("skipped", []))
    if not reasons:
        return
    lines = [f"{count} {'check' if count == 1 else 'checks'}: {reason}" for reason, count in sorted(reasons.items())]
    terminalreporter.section("LEFT OUT", sep="!", red=True, bold=True)
    for line in lines:
        terminalreporter.line(line, red=True)
    if notes := os.environ.get("DPFAIR_LEFT_OUT"):
        Path(notes).write_text("\n".join(lines) + "\n", encoding="utf-8")
