"""The built site away from the desk: on a phone, on paper, in a list of results."""
from __future__ import annotations

from pathlib import Path

import pytest

from test_chapters import IN_FORM
from test_one_screen import COLUMNS
from test_site import PAGES, Visit, on, reads_all_pages, soup

pytestmark = [pytest.mark.site, pytest.mark.slow, pytest.mark.browser,
              pytest.mark.turning(5, of=["book/_static", "book/_ext", "book/_tools/build_site.py"])]

CHAPTER = "book/notebooks/05-equalized-odds.html"
TABLES = "book/notebooks/23-functional-tables.html"
GAPS, SHEET = "book/chapters/gaps.html", "book/chapters/data-sheet.html"


# --- paper ------------------------------------------------------------------------------------------------------------------

# Where a page stands while it is printed: its theme, what is folded, code that is cut, and how dark its paper is.
STATE = """() => [document.documentElement.dataset.theme, [...document.querySelectorAll("article details")].map(fold => fold.open)]"""


@on([CHAPTER])
def test_a_page_is_printed_in_light_colours_and_unfolded_and_then_is_as_before(visit):
    page = visit.page
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    try:
        before = page.evaluate(STATE)
        assert before[0] == "dark" and not all(before[1])
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        folded = page.evaluate("""() => [...document.querySelectorAll("article details:not([open])")]
            .filter(fold => !fold.closest(".dpx-card, .dpx-numbers")).length""")
        assert not folded
        cards = page.locator("article .dpx-card")
        assert cards.count() and not page.locator("article .dpx-card details[open]").count()
        told = "card => getComputedStyle(card, '::after').content"
        assert all("answers" in card.evaluate(told) for card in cards.all())
        cut = page.evaluate("""() => [...document.querySelectorAll("article pre")]
            .filter(pre => pre.scrollWidth > pre.clientWidth + 1 || getComputedStyle(pre).whiteSpace === "pre")
            .map(pre => pre.textContent.slice(0, 60))""")
        assert not cut
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(STATE) == before
    finally:
        page.emulate_media(media="screen")
        page.evaluate("document.documentElement.dataset.theme = 'light'")


@on([TABLES])
def test_a_wide_table_is_whole_on_paper(visit):
    """On a screen it goes on sideways and its edge fades; paper does neither."""
    page = visit.page
    page.emulate_media(media="print")
    try:
        lost = page.evaluate("""() => [...document.querySelectorAll("article .output.text_html:has(table)")]
            .map(box => getComputedStyle(box)).filter(style => style.maskImage !== "none" || style.overflowX !== "visible").length""")
        assert page.locator("article .output.text_html table").count() >= 5 and not lost
    finally:
        page.emulate_media(media="screen")


# --- wide tables ------------------------------------------------------------------------------------------------------------

@on([TABLES])
def test_a_table_over_six_epsilons_fits_a_desktop(visit):
    """The text beside it speaks of its last column."""
    wide = visit.page.evaluate("""() => [...document.querySelectorAll("article .output.text_html:has(table)")]
        .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1).map(box => box.textContent.trim().slice(0, 60))""")
    assert visit.page.locator("article .output.text_html thead tr > :nth-child(7)").count() >= 3 and not wide


@on([TABLES])
def test_what_a_row_is_of_stays_in_sight_on_a_phone(phone):
    name = phone.page.locator("article table.dataframe tbody th", has_text="AdaSSP").first
    name.scroll_into_view_if_needed()
    moved = name.evaluate("""name => {
        const left = () => name.getBoundingClientRect().left, number = name.nextElementSibling;
        const box = name.closest(".text_html"), before = [left(), number.getBoundingClientRect().left];
        box.scrollLeft = 120;
        return [before[0] - left(), before[1] - number.getBoundingClientRect().left];
    }""")
    assert moved == pytest.approx([0, 120], abs=1)


# --- phone ------------------------------------------------------------------------------------------------------------------

@on([SHEET])
def test_no_table_of_the_data_sheet_is_cut_on_a_desktop(visit):
    wide = visit.page.evaluate("""() => [...document.querySelectorAll(".pst-scrollable-table-container")]
        .filter(box => box.scrollWidth > box.clientWidth + 2).map(box => box.textContent.slice(0, 60))""")
    assert not wide


@on([CHAPTER])
def test_a_drawer_closes_when_something_in_it_is_chosen(phone):
    for opener, drawer in ((".primary-toggle", "#pst-primary-sidebar-modal"), (".secondary-toggle", "#pst-secondary-sidebar-modal")):
        phone.page.locator(opener).click()
        assert phone.page.locator(f"{drawer}[open]").count() == 1
        phone.page.locator(f"{drawer} a[href^='#']").last.click()
        assert not phone.page.locator("dialog[open]").count()


# --- the form ---------------------------------------------------------------------------------------------------------------

FRONT, TEN = PAGES[0], "book/notebooks/ten-people.html"
FORM = [page for page in PAGES if Path(page).stem in IN_FORM]


@on([CHAPTER])
def test_the_box_of_a_shown_source_has_the_columns_that_sources_keep_to(visit):
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    columns = visit.page.evaluate("""() => [...document.querySelectorAll("article .dpx-source > .highlight > pre")].map(pre => {
        const ruler = document.createElement("span"), style = getComputedStyle(pre);
        ruler.textContent = "0".repeat(100);
        pre.append(ruler);
        const one = ruler.getBoundingClientRect().width / 100;
        ruler.remove();
        return Math.floor((pre.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / one);
    })""")
    assert set(columns) == {COLUMNS}, f"{columns}: say so in tests/test_one_screen.py"


@pytest.mark.turning(7)
@pytest.mark.parametrize("name", [FRONT, *FORM], ids=lambda name: Path(name).stem)
def test_the_first_figure_of_a_chapter_in_the_form_begins_on_its_first_screen(chromium, site_url, name):
    """At most 900 pixels below the top, on a desktop and on a narrow phone."""
    opened = Visit(chromium, site_url, name, "core")
    for pixels in (1280, 360):
        top = opened.at(pixels).page.evaluate("""() => {
            const figure = [...document.querySelectorAll("article :is(dpfair-explorer, .cell_output img)")]
                .find(figure => figure.getClientRects().length);
            return figure ? figure.getBoundingClientRect().top + scrollY : Infinity;
        }""")
        assert top <= 900, pixels
    opened.context.close()


@on([FRONT])
def test_the_figure_of_the_subject_stays_within_two_screens_of_a_phone(visit):
    """Of 700 pixels, with its four pictures below each other."""
    for width in (360, 390, 600):
        assert 0 < visit.at(width).page.locator("dpfair-explorer").first.bounding_box()["height"] <= 1400, width


@on([FRONT])
def test_the_figure_of_the_subject_fits_a_screen_and_is_played_by_keyboard(visit):
    figure = visit.page.locator("dpfair-explorer").first
    ada, said = figure.locator(".dpx-who[data-who='0']"), figure.locator(".dpx-say")
    seen = set()
    for pressed in ("true", "false"):
        ada.focus()
        visit.page.keyboard.press("Space")
        assert ada.get_attribute("aria-pressed") == pressed
        for publish in figure.get_by_role("radio").all():
            publish.check(force=True)
            assert figure.bounding_box()["height"] <= 700
            seen.add(said.inner_text())
        figure.get_by_role("radio").first.check(force=True)
    # at epsilon 5 the noise is so small that the same is said of both groups
    assert len(seen) == 9 and said.get_attribute("aria-live") == "polite"
    assert visit.at(320).page.evaluate("document.documentElement.scrollWidth") <= 320


# The heights of a figure in all settings of its people and buttons, and what of its controls and tables is cut.
HEIGHTS = """async figure => {
    const heights = new Set(), cut = new Set(), drawn = () => new Promise(then => requestAnimationFrame(() => setTimeout(then)));
    for (const who of [null, ...figure.querySelectorAll(".dpx-who")]) {
        who?.dispatchEvent(new MouseEvent("click", {bubbles: true}));
        for (const field of [null, ...figure.querySelectorAll(".dpx-sliders input[type=radio]")]) {
            field?.click();
            await drawn();
            heights.add(Math.round(figure.getBoundingClientRect().height));
            for (const box of figure.querySelectorAll(".dpx-sliders, .dpx-many [data-view=table] :is(td, .dpx-plot)"))
                if (box.scrollWidth > box.clientWidth + 1) cut.add(box.textContent);
        }
    }
    return [[...heights], [...cut]];
}"""


@on([FRONT, "book/notebooks/08-fair-learning-as-a-game.html", "book/notebooks/10-dp-oracle-learner.html"])
def test_on_the_narrowest_phones_nothing_of_a_figure_is_cut_and_no_button_makes_it_higher(opened):
    opened.page.emulate_media(reduced_motion="no-preference")       # with the button that plays
    try:
        for width in (320, 360):
            for figure in opened.at(width).page.locator("dpfair-explorer").all():
                heights, cut = figure.evaluate(HEIGHTS)
                assert len(heights) == 1 and not cut, (width, heights, cut)
    finally:
        opened.page.emulate_media(reduced_motion="reduce")


SUBJECT = {"people": ".dpx-crowd", "buttons": ".dpx-sliders", "coins": ".dpx-panel:nth-child(1 of [data-view=table])",
           "gauge": ".dpx-panel[data-view=bars]", "rates": ".dpx-panel[data-view=roc] .dpx-draw svg"}
ENDS = """parts => { const box = part => document.querySelector("dpfair-explorer").querySelector(part).getBoundingClientRect();
    return parts.map(part => [box(part).top + scrollY, box(part).bottom + scrollY].map(Math.round)); }"""


@on([FRONT, TEN])
def test_the_subject_is_seen_at_once(visit):
    """On a screen of 1280 x 800 with its people, coins and gauge; on a phone one below the other, in the order in which it is played."""
    ends = dict(zip(SUBJECT, visit.page.evaluate(ENDS, list(SUBJECT.values())), strict=True))
    needed = [part for part in SUBJECT if part != "rates" or visit.page.url.endswith(FRONT)]
    assert all(ends[part][1] <= 800 for part in needed), ends
    for pixels in (360, 390):
        tops = [top for top, _ in visit.at(pixels).page.evaluate(ENDS, list(SUBJECT.values()))]
        assert tops == sorted(tops), f"{pixels} px: {dict(zip(SUBJECT, tops, strict=True))}"


@on([FRONT])
def test_the_doors_stand_directly_below_the_figure(visit):
    figure, doors = visit.page.locator("dpfair-explorer"), visit.page.locator("#three-doors")
    assert figure.evaluate("figure => figure.closest('div.cell').nextElementSibling.id") == "three-doors"
    assert doors.bounding_box()["y"] < 1000


def test_the_figure_of_the_subject_is_there_without_scripts(chromium, site_url):
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + FRONT)
    figure = page.locator("dpfair-explorer").first
    assert figure.locator(".dpx-people").is_visible() and figure.locator(".dpx-plot .dpx-svg").first.is_visible()
    assert "reads hers off the coins" in figure.inner_text() and "publish = exactly" in figure.inner_text()
    assert not figure.get_by_role("radio").first.is_visible()
    context.close()


# --- search, contents -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("place", ["page", "dialog"])
def test_what_is_typed_into_a_search_field_is_seen(chromium, site_url, place):
    opened = Visit(chromium, site_url, "search.html" if place == "page" else CHAPTER)
    if place == "dialog":
        opened.page.keyboard.press("Control+k")
    form = opened.page.locator("#pst-search-dialog form" if place == "dialog" else ".bd-search-container form")
    icon = form.locator(".fa-magnifying-glass").bounding_box()
    begins = form.locator("input").evaluate("input => input.getBoundingClientRect().left + parseFloat(getComputedStyle(input).paddingLeft)")
    assert icon["x"] + icon["width"] < begins
    opened.context.close()


def test_results_of_a_search_show_no_tex(chromium, site_url):
    opened = Visit(chromium, site_url, "search.html?q=threshold")
    opened.page.locator("p.context").first.wait_for()
    excerpts = opened.page.locator("p.context").all_inner_texts()
    assert excerpts and any("…" in text for text in excerpts) and not any("\\" in text for text in excerpts)
    opened.context.close()


@on([GAPS])
def test_each_gap_is_in_the_contents_and_headings_shrink(visit):
    names = visit.page.locator("#pst-page-toc-nav a, .bd-sidebar-secondary nav a").evaluate_all(
        "links => links.filter(link => link.getClientRects().length).map(link => link.textContent)")
    assert any(name.startswith("J20.") for name in names) and any(name.startswith("D1.") for name in names)
    sizes = visit.page.evaluate("""() => ["h1", "h2", "h3", "h4", "p"].map(name =>
        parseFloat(getComputedStyle(document.querySelector("article " + name)).fontSize))""")
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 5


@pytest.mark.turning(7)
@reads_all_pages
def test_the_foot_of_a_page_names_nobody_called_by_the_authors(site):
    assert not [page for page in PAGES if soup(site / page).select(".component-author")]


# What axe says stands last: it is asked of a shorter page.

@on([CHAPTER])
def test_paper_is_white_even_where_a_browser_does_not_announce_that_it_prints(opened):
    page = opened.page
    opened.condense()
    page.emulate_media(media="print")
    try:
        with opened.dark():
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
            assert not opened.violations(runOnly=["color-contrast"])
    finally:
        page.emulate_media(media="screen")
