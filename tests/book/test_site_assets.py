"""What is taken out of a page, and that nothing else is."""
from __future__ import annotations

import site_assets

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


def test_doing_it_twice_changes_nothing():
    once = site_assets.fetch_maths_ahead(site_assets.clean_page(PAGE, is_search=False), "_static/mathjax/tex-chtml.js?v=1")
    assert once.count("tex-chtml.js") == 1 and 'href="../../_static/mathjax/' in once
    assert site_assets.fetch_maths_ahead(site_assets.clean_page(once, is_search=False), "_static/mathjax/tex-chtml.js?v=1") == once
