"""Folded parts and the boxes behind links, in a browser: what is open when, what opens it, and that nothing jumps."""
from __future__ import annotations

import gzip
import re
import threading
from functools import partial
from http.server import ThreadingHTTPServer

import pytest

import hover
import serve
from test_chapters import IN_FORM
from test_site import PAGES, ROOT, Visit, soup

pytestmark = [pytest.mark.site, pytest.mark.slow, pytest.mark.browser,
              pytest.mark.turning(5, of=["book/_static", "book/_ext", "book/_tools/build_site.py"])]

CHAPTER, OTHER = "book/notebooks/05-equalized-odds.html", "book/notebooks/08-fair-learning-as-a-game.html"
FOLDS = "document.querySelectorAll('details.fold')"
OPEN = f"() => [...{FOLDS}].map(fold => fold.open)"
# A part that holds a part, with a place in it that links can lead to.
NESTED = """<details class="fold deeper" open="open"><summary>Outer</summary>
<details class="fold deeper" open="open"><summary>Inner</summary><p id="deep-inside">Quixotic.</p></details></details>"""
# What an open fold was seen by the reader: asked in every frame.
WATCH = """let seen = window.seen = [];
const look = () => { seen.push(document.querySelectorAll("details:is(.fold, .chapter-card)[open]").length); requestAnimationFrame(look); };
requestAnimationFrame(look);
window.shift = 0;
window.moved = [];      // how far, when, what, from where to where
const place = ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" ");
const told = ({node, previousRect, currentRect}) => `${node?.parentElement?.className} > ${node?.nodeName} `
    + `"${node?.textContent.replace(/\\s+/g, " ").trim().slice(0, 40)}": ${place(previousRect)} -> ${place(currentRect)}`;
new PerformanceObserver(list => { for (const {value, startTime, sources} of list.getEntries()) {
    window.shift += value;
    moved.push([value, Math.round(startTime), ...sources.map(told)]);
} }).observe({type: "layout-shift", buffered: true});"""
FORBIDDEN = """for (const [kind, doors] of [[Storage, ["getItem", "setItem"]], [History, ["replaceState"]]])
    for (const door of doors) kind.prototype[door] = () => { throw new DOMException("no", "SecurityError"); };"""


@pytest.fixture
def reader(chromium, site_url):
    """Somebody who comes for the first time; every page has one more folded part, at its end."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.route("**/book/**/*.html*", lambda route: route.fulfill(
        response=(answer := route.fetch()), body=answer.text().replace("</article>", f"{NESTED}</article>", 1)))
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    context.close()


def all_open(page, wanted: bool = True) -> bool:
    """Whether all folds come to be open, or closed: they follow a choice one a frame."""
    page.wait_for_function(f"wanted => [...{FOLDS}].every(fold => fold.open === wanted)", arg=wanted, timeout=10_000)
    return True


def settle(page) -> None:
    page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
    page.wait_for_timeout(300)


def stands_still(page) -> bool:
    """Whether nothing that was painted has moved, but for a trifle, while the page was put together; says what did."""
    shift = page.evaluate("shift")
    assert shift < 0.02, f"{shift:.4f}: {page.evaluate('moved')}"
    return True


def test_a_page_starts_with_its_core_and_nothing_is_seen_to_close(reader, site_url):
    reader.add_init_script(WATCH)
    reader.goto(site_url + CHAPTER, wait_until="networkidle")
    settle(reader)
    assert reader.evaluate("seen.length > 3 && Math.max(...seen)") == 0
    assert not any(reader.evaluate(OPEN)) and stands_still(reader)
    assert reader.locator("input[value=core]").is_checked()


class Slowly(serve.Handler):
    """A page in two pieces, as on a slow line: no more than the choice below its title at first, the rest when that was painted."""

    def __init__(self, *arguments, painted: threading.Event, **options):
        self.painted = painted
        super().__init__(*arguments, **options)

    def send_head(self):
        del self.headers["Accept-Encoding"]
        return super().send_head()

    def copyfile(self, source, outputfile):
        start, end, rest = source.read().partition(b"</fieldset>")
        outputfile.write(start + end)
        if rest:
            self.painted.wait(20)
        outputfile.write(rest)


def test_a_page_that_comes_in_pieces_stands_still(chromium, site):
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    painted = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Slowly, directory=str(site), painted=painted)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.1:{server.server_port}/{CHAPTER}", wait_until="commit")
        page.locator(".depth").wait_for()
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        assert page.evaluate("document.readyState") == "loading"
        painted.set()
        page.wait_for_load_state("load")
        settle(page)
        server.shutdown()
    assert page.evaluate("innerWidth > document.documentElement.clientWidth"), "without a scroll bar nothing was tried"
    assert stands_still(page)
    context.close()


def test_the_choice_works_by_keyboard_and_is_remembered(reader, site_url):
    reader.goto(site_url + CHAPTER)
    reader.locator("input[value=core]").focus()
    before = reader.locator(".depth").bounding_box()
    reader.keyboard.press("ArrowRight")
    assert all_open(reader) and reader.locator("input[value=everything]").is_checked()
    assert reader.locator(".depth").bounding_box() == before
    assert reader.locator("details.chapter-card[open]").count() == 0
    reader.add_init_script(WATCH)
    reader.goto(site_url + OTHER)
    settle(reader)
    assert all(reader.evaluate(OPEN)) and reader.locator("input[value=everything]").is_checked() and stands_still(reader)
    reader.locator("input[value=everything]").focus()
    reader.keyboard.press("ArrowLeft")
    reader.reload()
    assert not any(reader.evaluate(OPEN))


def test_the_choice_has_a_name_and_says_minutes(reader, site_url):
    reader.goto(site_url + f"book/notebooks/{min(IN_FORM)}.html")
    group = reader.get_by_role("group", name="How much of this page is unfolded")
    assert re.fullmatch(r"core \d+ min everything \d+ min", " ".join(" ".join(group.locator("label").all_inner_texts()).split()))
    assert group.get_by_role("radio", name=re.compile("^core")).is_checked()


def test_a_browser_that_keeps_nothing_can_choose_too(reader, site_url):
    reader.add_init_script(FORBIDDEN)
    reader.goto(site_url + CHAPTER)
    reader.complaints.clear()           # the theme's own
    assert not any(reader.evaluate(OPEN))
    reader.locator("input[value=everything]").check()
    assert all_open(reader)
    reader.wait_for_timeout(300)
    assert not reader.complaints


def in_view(reader) -> bool:
    top = reader.evaluate("document.getElementById('deep-inside').getBoundingClientRect().top")
    return reader.locator("#deep-inside").is_visible() and 0 <= top < 800


@pytest.mark.parametrize("way", ["address", "link", "the same link again"])
def test_a_link_into_a_folded_part_opens_it_and_what_it_is_in(reader, site_url, way):
    reader.goto(site_url + CHAPTER + ("#deep-inside" if way == "address" else ""))
    settle(reader)
    for _ in range({"address": 0, "link": 1, "the same link again": 2}[way]):
        reader.evaluate("""() => {
            for (const fold of document.querySelectorAll("details.fold")) fold.open = false;
            scrollTo(0, 0);
            const link = document.querySelector("#way-in") || document.querySelector("article p").appendChild(document.createElement("a"));
            link.id = "way-in", link.href = "#deep-inside", link.textContent = "there";
            link.click();
        }""")
        reader.wait_for_timeout(300)
    assert in_view(reader)
    assert sum(reader.evaluate(OPEN)) == 2


def test_who_goes_back_finds_what_was_open_and_the_same_place(reader, site_url):
    reader.goto(site_url + CHAPTER)
    settle(reader)
    first = reader.locator("details.proof-fold").first
    first.locator("summary").click()
    first.scroll_into_view_if_needed()
    reader.wait_for_timeout(300)
    place = reader.evaluate("scrollY")
    for step in (site_url + CHAPTER + "#deep-inside", site_url + OTHER):
        reader.goto(step)
        settle(reader)
        reader.go_back()
        settle(reader)
        assert abs(reader.evaluate("scrollY") - place) < 3 and first.evaluate("fold => fold.open")


def test_a_search_opens_the_part_that_alone_has_the_word(reader, site_url):
    for word, opened in (("quixotic", 2), ("group", 0), ("group%20quixotic", 2)):
        reader.goto(site_url + f"{CHAPTER}?highlight={word}")
        settle(reader)
        assert reader.locator("article span.highlighted").count()
        assert sum(reader.evaluate(OPEN)) == opened and (not opened or in_view(reader))


def test_without_a_script_all_is_open(chromium, site_url):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + CHAPTER)
    assert page.locator("details:is(.fold, .chapter-card)").count() == page.locator("details:is(.fold, .chapter-card)[open]").count() > 1
    assert page.locator("input[name=depth]").first.is_hidden()
    core, everything = page.locator(".depth label").evaluate_all("""labels => labels.map(label => getComputedStyle(label))
        .map(({borderTopWidth, backgroundColor, fontWeight, cursor}) => [borderTopWidth, backgroundColor, fontWeight, cursor])""")
    assert core == everything and core[0] == "0px" and core[3] != "pointer", "nothing is chosen, and nothing looks like a button"
    context.close()


def test_from_a_file_all_of_it_works(chromium, site):
    context = chromium.new_context()
    page = context.new_page()
    page.goto((site / CHAPTER).as_uri())
    assert not any(page.evaluate(OPEN))
    page.locator("input[value=everything]").check()
    page.wait_for_function(f"({OPEN})().every(open => open)")   # what was chosen is kept from then on
    page.reload()
    page.wait_for_function(f"({OPEN})().every(open => open)")
    link = page.locator("article a[data-box]:visible").first
    link.hover()
    page.locator("#box-card mjx-container").first.wait_for()
    context.close()


def test_a_formula_in_a_folded_part_has_its_size(chromium, site_url):
    sizes = []
    for depth in ("core", "everything"):
        opened = Visit(chromium, site_url, CHAPTER, depth)
        opened.page.evaluate(f"() => {{ for (const fold of {FOLDS}) fold.open = true; }}")
        formulas = opened.page.locator(".proof-body mjx-container")
        sizes.append(formulas.evaluate_all("all => all.map(formula => formula.getBoundingClientRect().width)"))
        opened.context.close()
    assert sizes[0] and sizes[0] == pytest.approx(sizes[1], abs=1)


# --- links to boxes ---------------------------------------------------------------------------------------------------------

def links(page: str) -> list[str]:
    return [tag["href"] for tag in soup(ROOT / "_build" / "html" / page).select("article a[data-box]")]


def test_the_boxes_of_other_pages_weigh_little(site):
    weights = {page: hover.weight((site / page).read_text(encoding="utf-8")) / 1024 for page in PAGES}
    print({page: round(weight, 1) for page, weight in weights.items() if weight})
    assert max(weights.values()) < 30 and any(links(page) for page in PAGES)


def test_every_link_to_a_box_has_it_in_the_page_once(site):
    for page in PAGES:
        here = soup(site / page)
        stored = [tag["data-name"] for tag in here.select("#boxes template")]
        assert len(set(stored)) == len(stored)
        wanted = {tag["href"].split("#")[1] for tag in here.select("a[data-box]")}
        assert all(name in stored or here.find(id=name) for name in wanted)
        assert set(stored) <= wanted


@pytest.fixture(scope="module")
def linking(chromium, site_url):
    """A chapter with links to boxes of its own and of other pages, in the dark."""
    page = max(PAGES, key=lambda page: sum(not link.startswith("#") for link in links(page)) if "notebooks" in page else 0)
    opened = Visit(chromium, site_url, page)
    opened.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    yield opened
    opened.context.close()


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_link_shows_its_box_on_hover_and_on_focus_without_a_request(linking, where):
    page = linking.page
    kind = {"here": "[href^='#']", "elsewhere": ":not([href^='#'])"}[where]
    statement = ":is([href*='#thm-'], [href*='#lem-'], [href*='#prop-'])"      # an algorithm says nothing in words
    link = page.locator(f"article a[data-box]{statement}{kind}:visible").first
    asked = len(linking.requests)
    name = link.get_attribute("href").split("#")[1]
    link.scroll_into_view_if_needed()
    link.hover()
    card = page.locator("#box-card")
    card.locator("mjx-container").first.wait_for()
    assert "In words." in card.inner_text() and not card.locator("a, [id]").count()
    # The browser fetches the icon of its tab whenever it finds the time: no page asks for that.
    by_card = [url for url in linking.requests[asked:] if not url.endswith("/favicon.svg")]
    assert not by_card, name
    assert not linking.violations(within="#box-card")
    card.hover()                                    # the pointer may go there to read on
    page.wait_for_timeout(400)
    assert card.count() == 1
    page.keyboard.press("Escape")
    assert not card.count()
    page.mouse.move(2, 2)
    link.evaluate("link => link.focus({focusVisible: true})")
    assert card.count() == 1 and link.get_attribute("aria-details") == "box-card"
    box, screen = card.bounding_box(), page.viewport_size
    assert box["x"] >= 0 and box["x"] + box["width"] <= screen["width"] and box["y"] >= 0 and box["y"] + box["height"] <= screen["height"]
    scrolls = card.evaluate("card => card.scrollHeight > card.clientHeight + 1")
    page.keyboard.press("Tab")
    if scrolls:                                     # to the box where it scrolls, and on from there
        assert page.evaluate("document.activeElement.id") == "box-card"
        page.keyboard.press("Shift+Tab")
        assert link.evaluate("link => link === document.activeElement")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    after = "link => !!(link.compareDocumentPosition(document.activeElement) & 4) && !document.activeElement.closest('#box-card')"
    assert link.get_attribute("aria-details") is None and link.evaluate(after)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(300)
    assert not card.count()


def test_a_finger_follows_the_link(chromium, site_url):
    context = chromium.new_context(has_touch=True, viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.goto(site_url + CHAPTER, wait_until="networkidle")
    link = page.locator("article a[data-box]:visible").first
    target = link.get_attribute("href").split("#")[1]
    link.tap()
    page.wait_for_url(f"**#{target}")
    page.wait_for_timeout(400)
    assert not page.locator("#box-card").count()
    context.close()


def test_scripts_are_small():
    size = sum(len(gzip.compress((ROOT / "book" / "_static" / name).read_bytes())) for name in ("folds.js", "hover.js"))
    print(f"folds.js and hover.js: {size} bytes gzipped")
    assert size < 4096
