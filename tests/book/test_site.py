"""The built site: links, weights, and every page in a headless Chromium."""
from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
KB = 1024
# Gzipped bytes: a chapter's own HTML; everything a first visit loads, without and with maths; everything a second page loads.
CHAPTER, FIRST, FIRST_WITH_MATHS, SECOND = 300 * KB, 1000 * KB, 1600 * KB, 350 * KB
PLAYER = 8 * KB


def toc() -> list[str]:
    """The pages of `_toc.yml` in order, as paths of the site."""
    found: list[str] = []

    def walk(node):
        if isinstance(node, dict):
            found.extend(node[key] for key in ("root", "file") if key in node)
            for key in ("parts", "chapters", "sections"):
                for child in node.get(key, []):
                    walk(child)

    walk(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
    return [f"{name}.html" for name in found]


PAGES = toc()
ALL_PAGES = [*PAGES, "search.html", "genindex.html"]


def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


# --- without a browser ------------------------------------------------------------------------------------------------------

def test_every_page_of_the_toc_is_built_and_nothing_else(site):
    built = {p.relative_to(site).as_posix() for p in site.rglob("*.html") if "_static" not in p.parts}
    assert set(PAGES) <= built
    assert {p for p in built if p.startswith("book/")} == set(PAGES)


def test_chapters_with_cells_are_published_as_notebooks():
    import notebooks

    with_cells = {path.stem for path in notebooks.chapters()}
    wrong = [page for page in PAGES if (Path(page).stem in with_cells) != page.startswith("book/notebooks/")]
    assert not wrong, f"list these in _toc.yml in the other folder (book/notebooks/ with cells, book/chapters/ without): {wrong}"


def test_internal_links_resolve(site):
    pages = {p: soup(p) for p in site.rglob("*.html") if "_static" not in p.parts}
    ids = {p: {tag["id"] for tag in s.find_all(id=True)} for p, s in pages.items()}
    dead = []
    for page, content in pages.items():
        for tag, attribute in [(t, a) for a in ("href", "src") for t in content.find_all(attrs={a: True})]:
            target, fragment = urldefrag(tag[attribute])
            if urlsplit(target).scheme or target.startswith("//"):
                continue
            file = (page.parent / unquote(urlsplit(target).path)).resolve() if target else page
            if file.is_dir():
                file = file / "index.html"
            if not file.is_file() or (fragment and file in ids and unquote(fragment) not in ids[file]):
                dead.append(f"{page.relative_to(site)}: {tag[attribute]}")
    assert not dead, "\n".join(sorted(set(dead)))


def test_no_page_names_a_script_or_style_elsewhere(site):
    for page in site.rglob("*.html"):
        for tag in soup(page).find_all(["script", "link", "img", "iframe", "source"]):
            address = tag.get("src") or (tag.get("href") if "stylesheet" in tag.get("rel", []) else "") or ""
            assert not re.match(r"(https?:)?//", address), f"{page.relative_to(site)}: {address}"


def test_ids_are_unique(site):
    for page in PAGES:
        seen, twice = set(), set()
        for tag in soup(site / page).find_all(id=True):
            (twice if tag["id"] in seen else seen).add(tag["id"])
        assert not twice, f"{page}: {sorted(twice)}"


def test_images_have_a_text_alternative(site):
    for page in PAGES:
        bare = [str(tag)[:120] for tag in soup(site / page).select("article img") if not tag.get("alt", "").strip()]
        assert not bare, f"{page}: {bare}"


@pytest.mark.parametrize("page", PAGES)
def test_weight_of_the_page_itself(site, page):
    weight = len(gzip.compress((site / page).read_bytes()))
    assert weight <= CHAPTER, f"{weight / KB:.0f} KB gzipped, at most {CHAPTER // KB}"


def test_weight_of_the_player(site):
    scripts = {tag.string for page in PAGES for tag in soup(site / page).select("dpfair-explorer script:not([type])")}
    assert all(len(text.encode()) <= PLAYER for text in scripts)


# --- in a browser -----------------------------------------------------------------------------------------------------------

class Visit:
    """One page in a context of its own, with what it asked for and what it complained about."""

    def __init__(self, browser, address: str, *, width: int = 1280, theme: str = "light"):
        self.address = address
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.loaded: dict[str, int] = {}
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfinished", self._weigh)
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _weigh(self, request) -> None:
        # A data: address is part of the page that was weighed already.
        if request.url.startswith("http"):
            self.loaded[request.url] = request.sizes()["responseBodySize"]

    def open(self, page: str) -> "Visit":
        self.page.goto(self.address + page, wait_until="networkidle")
        # Scripts and fonts of MathJax come last; networkidle has seen them, their drawing may lag.
        self.page.evaluate("() => window.MathJax && MathJax.startup && MathJax.startup.promise")
        return self

    def close(self) -> None:
        self.context.close()


@pytest.fixture(scope="module")
def light(request, chromium, site_url):
    visit = Visit(chromium, site_url).open(request.param)
    yield visit
    visit.close()


@pytest.fixture(scope="module")
def dark(request, chromium, site_url):
    visit = Visit(chromium, site_url, theme="dark").open(request.param)
    yield visit
    visit.close()


@pytest.fixture(scope="module")
def narrow(request, chromium, site_url):
    visit = Visit(chromium, site_url, width=375).open(request.param)
    yield visit
    visit.close()


def on(name: str, pages: list[str] = ALL_PAGES):
    """One test per page; a page's tests go to one worker, which opens it once."""
    each = [pytest.param(page, id=page, marks=pytest.mark.xdist_group(f"{name} {page}")) for page in pages]
    return lambda test: pytest.mark.slow(pytest.mark.browser(pytest.mark.parametrize(name, each, indirect=True)(test)))


@on("light")
def test_nothing_is_asked_of_other_hosts(light):
    other = [url for url in light.requests if not url.startswith((light.address, "data:", "blob:"))]
    assert not other


@on("light")
def test_no_complaint_in_the_console(light):
    assert not light.complaints


@on("light", PAGES)
def test_no_raw_tex(light):
    """What a reader sees outside code has no dollar sign of a formula and no TeX command."""
    text = light.page.evaluate("""() => {
        const copy = document.querySelector("article").cloneNode(true);
        copy.querySelectorAll("pre, code, script, style, mjx-container, .dpx-svg").forEach(node => node.remove());
        return copy.textContent;
    }""")
    raw = re.findall(r".{0,30}(?:\$|\\\(|\\\[|\\[a-zA-Z]{2,}|\\begin).{0,30}", text)
    assert not raw
    assert not light.page.locator("mjx-merror").count(), light.page.locator("mjx-merror").first.inner_text()


@on("light", PAGES)
def test_every_slider_moves_its_figure_by_keyboard(light):
    for figure in light.page.locator("dpfair-explorer").all():
        title = figure.locator(".dpx-title").inner_text()
        plot = figure.locator(".dpx-plot").first
        sliders = figure.locator("input[type=range]").all()
        assert sliders, f"{title}: no slider"
        for slider in sliders:
            name = slider.get_attribute("aria-label")
            start = int(slider.input_value())
            steps = int(slider.get_attribute("max"))
            slider.focus()
            slider.press("Home")
            pictures, spoken = {plot.inner_html()}, [slider.get_attribute("aria-valuetext")]
            for _ in range(steps):
                slider.press("ArrowRight")
                pictures.add(plot.inner_html())
                spoken.append(slider.get_attribute("aria-valuetext"))
            assert len(set(spoken)) == steps + 1, f"{title}, {name}: the spoken values repeat: {spoken}"
            assert len(pictures) > 1, f"{title}, {name}: the figure stands still"
            slider.press("Home")
            for _ in range(start):
                slider.press("ArrowRight")


@on("light", PAGES)
def test_a_slider_step_costs_under_a_millisecond(light):
    """The median over 60 inputs of each slider; a loaded machine stretches single ones."""
    slow = light.page.evaluate("""() => [...document.querySelectorAll("dpfair-explorer input[type=range]")].map(input => {
        const times = [], kept = input.value, max = +input.max;
        for (let i = 0; i < 60; i++) {
            input.value = i % (max + 1);
            const start = performance.now();
            input.dispatchEvent(new Event("input", {bubbles: true}));
            times.push(performance.now() - start);
        }
        input.value = kept;
        input.dispatchEvent(new Event("input", {bubbles: true}));
        return [input.getAttribute("aria-label"), times.sort((a, b) => a - b)[30]];
    }).filter(([name, time]) => time >= 1)""")
    assert not slow


def violations(visit: Visit) -> list[str]:
    """What axe finds, one line each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(visit.page).response["violations"]
    return [f"{v['id']}: {node['target']} {node['html'][:140]}" for v in found for node in v["nodes"]]


@on("light")
def test_axe_in_light(light):
    assert not violations(light)


@on("dark")
def test_axe_in_dark(dark):
    assert dark.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert not violations(dark)


@on("narrow")
def test_no_horizontal_scroll_on_a_phone(narrow):
    wide = narrow.page.evaluate("""() => {
        const edge = document.documentElement.clientWidth, found = [];
        if (document.documentElement.scrollWidth <= edge) return found;
        for (const node of document.querySelectorAll("article *"))
            if (node.getBoundingClientRect().right > edge + 1) found.push(node.outerHTML.slice(0, 100));
        return [document.documentElement.scrollWidth + " > " + edge, ...found.slice(0, 8)];
    }""")
    assert not wide


@on("light", PAGES)
def test_weight_of_a_first_visit(light):
    maths = any("mathjax" in url for url in light.loaded)
    weight, budget = sum(light.loaded.values()), FIRST_WITH_MATHS if maths else FIRST
    heaviest = sorted(((size // KB, url.removeprefix(light.address)) for url, size in light.loaded.items()), reverse=True)[:5]
    assert weight <= budget, f"{weight / KB:.0f} KB, at most {budget // KB}: {heaviest}"


@pytest.mark.slow
@pytest.mark.browser
def test_weight_of_a_second_page(chromium, site_url):
    """From the first chapter, every other page in turn, the browser keeping what it has."""
    first = next(page for page in PAGES if page.startswith("book/notebooks/"))
    for page in PAGES:
        visit = Visit(chromium, site_url).open(first)
        visit.loaded.clear()
        visit.open(page)
        weight = sum(visit.loaded.values())
        visit.close()
        assert weight <= SECOND, f"{page}: {weight / KB:.0f} KB after {first}, at most {SECOND // KB}"
