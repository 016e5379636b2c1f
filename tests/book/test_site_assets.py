"""What is taken out of a page, and that nothing else is."""
from __future__ import annotations

import numpy as np

import site_assets
from dpfair_teach.explore import Explorer, Puzzle, drawing, show

PAGE = """<html data-content_root="../../"><head>
<meta name="viewport" content="a"/><meta name="viewport" content="b"/>
<script defer src="../../_static/scripts/fontawesome.js?digest=1"></script>
<script>const THEBE_JS_URL = "https://unpkg.com/thebe"; const thebe_selector = ".thebe"</script>
<script async="async" src="../../_static/sphinx-thebe.js?v=1"></script>
<script>var togglebuttonSelector = '.toggle';</script>
<script>var togglebuttonSelector = '.toggle';</script>
<script src="../../_static/searchtools.js"></script>
<script src="../../searchindex.js"></script>
<script src="../../_static/scripts/bootstrap.js"></script>
</head><body><table><tr><th></th><th>a</th></tr></table>
<div class="proof admonition" id="proof"><section id="proof-content"></section></div>
<div class="proof algorithm admonition" id="alg-x">
<p class="admonition-title" id="alg-x">Algorithm</p></div>
<style>.a {}</style><style>.b {}</style><style>.a {}</style></body></html>"""


def test_a_page_keeps_what_it_needs_and_loses_the_rest():
    page = site_assets.clean_page(PAGE, is_search=False)
    for gone in ("fontawesome", "thebe", "unpkg", "searchtools", "searchindex", 'id="proof', "<th></th>"):
        assert gone not in page, gone
    for kept, times in {"bootstrap.js": 1, "togglebuttonSelector": 1, 'name="viewport"': 1, 'id="alg-x"': 1, "<th>a</th>": 1,
                        "<style>.a {}</style>": 1, "<style>.b {}</style>": 1}.items():
        assert page.count(kept) == times, kept


def test_the_search_page_keeps_its_index():
    page = site_assets.clean_page(PAGE, is_search=True)
    assert "searchtools.js" in page and "searchindex.js" in page


def test_a_page_links_to_the_player_and_its_styles_once():
    """Figures, questions and sources of one version, as they stand in notebooks; what only a notebook needs is gone."""
    figure = Explorer(lambda x, a: {"s": a * x}, x=np.arange(3.0), sliders={"a": [1, 2]}, title="t", alt="It rises.")
    outputs = [figure.html(), Puzzle("Why?", "So.")._repr_html_(), figure.html(), show(drawing.bar_path)._repr_html_()]
    page, files = site_assets.share_assets(f'<html data-content_root="../"><head></head><body>{"".join(outputs)}</body></html>')
    assert sorted(name.rpartition(".")[2] for name in files) == ["css", "css", "css", "js"], "base, figures, sources"
    assert "<style>" not in page and page.count("customElements") == 0 and "dpx-flat" not in page
    assert page.count("<dpfair-explorer") == 2 and page.count('class="dpx-data"') == 2 and page.count('class="dpx-draw"') >= 2
    for name, content in files.items():
        assert page.count(f'"../_static/{name}"') == 1 and page.index(name) < page.index("</head>")
        assert content in "".join(outputs)
    assert site_assets.share_assets(page) == (page, {})


def test_two_versions_of_the_player_stay_apart():
    page = '<html data-content_root=""><head></head><body>{}</body></html>'
    scripts = [f'<script>(() => {{\nif (customElements.get("dpfair-explorer")) return;\n{what}}})();</script>' for what in ("one", "two")]
    names = [name for script in scripts for name in site_assets.share_assets(page.format(script))[1]]
    assert len(set(names)) == 2


def test_a_page_without_figures_stays_as_it_is():
    assert site_assets.share_assets(PAGE) == (PAGE, {})


def test_doing_it_twice_changes_nothing():
    once = site_assets.fetch_maths_ahead(site_assets.clean_page(PAGE, is_search=False), "_static/mathjax/tex-chtml.js?v=1")
    assert once.count("tex-chtml.js") == 1 and 'href="../../_static/mathjax/' in once
    assert site_assets.fetch_maths_ahead(site_assets.clean_page(once, is_search=False), "_static/mathjax/tex-chtml.js?v=1") == once
