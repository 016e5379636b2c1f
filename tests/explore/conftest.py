"""Pages with the sample figures, and a browser to look at them: from a file, with no server and no network."""
from __future__ import annotations

import pytest

from dpfair_teach.explore import Puzzle, SelfCheck, chart, show
from explorer_samples import samples


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Each figure and card on a page of its own in both themes, and all of them on one."""
    folder = tmp_path_factory.mktemp("pages")
    cards = {"self-check": SelfCheck("Which is private?", [("A", True, "X and Y are public."), ("Y", False, "It is public here.")]),
             "puzzle": Puzzle("How many cells move?", "Two."), "show": show(chart.Chart)}
    bodies = {name: figure.html() for name, figure in samples().items()} | {name: card._repr_html_() for name, card in cards.items()}
    for name, html in {**bodies, "all": "".join(bodies.values())}.items():
        for theme in ("light", "dark"):
            ground, ink = ("#fff", "#000") if theme == "light" else ("#121212", "#fff")
            (folder / f"{name}-{theme}.html").write_text(
                f'<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">'
                f'<meta name="viewport" content="width=device-width"><title>{name}</title>'
                f"<style>body{{margin:0;padding:16px;background:{ground};color:#777}}h1,h2{{color:{ink}}}</style>"
                f"</head><body><main><h1>Page</h1><h2>Figure</h2>{html}</main></body></html>", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def window(chromium):
    """One page for all tests, and what has gone wrong on it: a browser takes longer to make one than to fill it."""
    context = chromium.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(m.text))
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("request", lambda r: None if r.url.startswith("file:") else trouble.append(r.url))
    yield page, trouble
    context.close()


@pytest.fixture
def visit(window, folder):
    """Opens a page; afterwards nothing may have gone wrong on it and nothing may have been asked of the network."""
    page, trouble = window
    trouble.clear()
    page.emulate_media(media="null", reduced_motion="null")     # as no test left it

    def go(name: str, theme: str = "light", width: int = 1000):
        page.mouse.move(0, 0)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto((folder / f"{name}-{theme}.html").as_uri())
        return page
    yield go
    assert not trouble
