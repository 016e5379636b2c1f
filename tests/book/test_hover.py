"""The boxes that a page carries for its links."""
from __future__ import annotations

import hover

BOX = ('<div class="proof lemma admonition" id="lem-x"><p class="admonition-title" role="heading" aria-level="3">Lemma</p>'
       '<section id="s"><div>See <a href="#a">that</a><a class="headerlink" href="#s">#</a>.</div></section></div>')
KNOWN = hover.boxes(f"<article>{BOX}<p>on</p></article>", "book/a.html")
LINK = '<a class="reference internal" href="{}#lem-x"><span>x</span></a>'


def test_a_box_is_carried_without_what_only_its_page_can_use():
    assert KNOWN["lem-x"].html == ('<div class="proof lemma admonition"><p class="admonition-title">Lemma</p>'
                                   '<div>See that.</div></div>')


def test_a_page_carries_each_box_of_another_page_once_and_none_of_its_own():
    page = "<body>" + 2 * LINK.format("a.html") + LINK.format("c.html") + "</body>"
    made = hover.with_boxes(page, "book/b.html", KNOWN)
    assert made.count('data-box="" href="a.html#lem-x"') == 2 and 'data-box="" href="c.html' not in made
    assert made.count("<template") == 1 and KNOWN["lem-x"].html in made
    assert hover.with_boxes(made, "book/b.html", KNOWN) == made
    assert 0 < hover.weight(made) < 300 and hover.weight(page) == 0
    own = hover.with_boxes("<body>" + LINK.format("") + "</body>", "book/a.html", KNOWN)
    assert 'data-box="" href="#lem-x"' in own and "<template" not in own


def test_what_a_page_no_longer_links_to_leaves_it():
    made = hover.with_boxes("<body>" + LINK.format("a.html") + "</body>", "book/b.html", KNOWN)
    assert hover.with_boxes(made, "book/b.html", {}) == "<body>" + LINK.format("a.html") + "</body>"
