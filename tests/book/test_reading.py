"""What the finished pages gain for eye and ear, on small pages of our own."""
from __future__ import annotations

import pytest

import reading

F = '<span class="math notranslate nohighlight">\\(x\\)</span>'


@pytest.mark.parametrize("before, after", [
    (f"<p>let {F}, then</p>", f'<p>let <span class="glue">{F},</span> then</p>'),
    (f"<p>({F}).</p>", f'<p><span class="glue">({F}).</span></p>'),
    (f"<p>a {F}-fair rule</p>", f'<p>a <span class="glue">{F}-</span>fair rule</p>'),
    (f"<p>let {F} be</p>", f"<p>let {F} be</p>"),
    (f"<p>f({F}) of</p>", f'<p>f(<span class="glue">{F})</span> of</p>'),
    (f"<p>{F} - {F}</p>", f"<p>{F} - {F}</p>"),
])
def test_punctuation_stays_with_its_formula(before, after):
    assert reading.glue(before) == after
    assert reading.glue(after) == after


PAGE = """<h1>Chapter</h1><div class="note admonition"><p class="admonition-title">Chapter card</p></div>
<h2>Setting</h2><div class="proof lemma admonition" id="lem-x">\
<p class="admonition-title"><span class="caption-number">Lemma 1 </span> (Rates)</p></div>
<details class="fold proof-fold" open="open">
<summary><span class="fold-title">Proof</span><span class="fold-minutes"></span></summary><div class="proof proof-body">
<p>We split.</p></div></details><figcaption><p class="dpx-title" role="heading" aria-level="3">A figure</p></figcaption>
<h3>Deeper</h3><figcaption><p class="dpx-title">Another</p></figcaption>
<div class="admonition proof theorem"><p class="admonition-title">Markov</p></div>
<div class="why admonition"><p class="admonition-title">Why it is true</p><p>It averages.</p></div>
<details class="fold proof-fold" open="open">
<summary><span class="fold-title">Proof</span><span class="fold-minutes"></span></summary><div class="proof proof-body">
<p>Average.</p></div></details>"""


def test_titles_of_boxes_are_headings_one_level_below_their_section():
    page = reading.headings(PAGE)
    for wanted in ('<p class="admonition-title" role="heading" aria-level="2">Chapter card',
                   'role="heading" aria-level="3"><span class="caption-number">Lemma 1',
                   'class="fold-title" role="heading" aria-level="3">Proof<span class="visually-hidden"> of Lemma 1 (Rates)</span></span>',
                   'role="heading" aria-level="3">A figure', 'role="heading" aria-level="4">Another',
                   'role="heading" aria-level="4">Markov', 'aria-level="4">Proof<span class="visually-hidden"> of Markov</span></span>'):
        assert wanted in page, wanted
    assert reading.headings(page) == page


def fold(code: str) -> str:
    return ('<summary aria-label="Toggle hidden content">\n<p class="collapsed admonition-title">Show code cell source</p>\n'
            f'<p class="expanded admonition-title">Hide code cell source</p>\n</summary><div><pre><span></span>{code}</pre></div>')


@pytest.mark.parametrize("code, name", [
    ('ax.set(title="no")', "Code: ax.set(…)"),
    ('Explorer(f, <span>title</span>=<span>"The &lt;plane&gt;"</span>)', "Code of the figure “The &lt;plane&gt;”"),
    ("x = 1\n<span># The bank's rule.</span>", "Code: The bank's rule"),
    ("<span>def</span> <span>plane</span>(gamma):\n    pass\n\n\ndef alt(gamma):\n    pass", "Code of plane, alt"),
    ("import itertools\nimport os", "Code: imports"),
    ("plotting.pareto(table,\n    ax=None)", "Code: plotting.pareto(…)"),
    ("x" * 70, "Code: " + "x" * 57 + "..."),
])
def test_folded_code_is_named_by_what_it_does(code, name):
    page = reading.folds(fold(code) + fold("y = 2"))
    assert f'<summary><span class="admonition-title">{name}</span></summary>' in page and "Code: y = 2<" in page and "Show code" not in page
    assert reading.folds(page) == page


TABLE = """<div class="pst-scrollable-table-container"><table class="table">
<thead>
<tr class="row-odd"><th class="head"><p>set</p></th>
<th class="head text-right"><p>Y &lt; 1, <em>of</em> all</p></th>
<th class="head"><p>sha256</p></th>
</tr>
</thead>
<tbody>
<tr class="row-even"><td><p>ten</p></td>
<td class="text-right"><p>2</p></td>
<td><p><code><span class="pre">DIGEST</span></code></p></td>
</tr>
</tbody>
</table>
</div>""".replace("DIGEST", "0a" * 32)


def test_a_cell_of_a_table_knows_its_column():
    page = reading.tables(TABLE)
    for wanted in ('<table class="table stacks" role="table">', '<td role="cell"><p>ten', '<td role="cell" data-label="sha256">',
                   '<td role="cell" data-label="Y &lt; 1, of all" class="text-right"><p>2', '<th role="columnheader" class="head"><p>set',
                   '<tr role="row" class="row-even">', '<tbody role="rowgroup">', f'<span class="pre digest">{"0a" * 32}</span>'):
        assert wanted in page, wanted
    assert reading.tables(page) == page
    other = '<table border="1" class="dataframe"><thead><tr><th>a</th></tr></thead></table>'
    assert reading.tables(other) == other


def test_a_page_with_formulas_says_that_it_needs_javascript():
    page = f'<h1>On paper</h1><h1>Title<a class="headerlink" href="#t">#</a></h1><p>{F}</p>'
    told = reading.without_script(page)
    assert told.count("<noscript>") == 1 and "#</a></h1><noscript>" in told
    assert reading.without_script(told) == told
    assert reading.without_script(page.replace(F, "x")) == page.replace(F, "x")
