"""The form of a chapter, on a small book of our own: what is folded, what is in it, and what is refused."""
from __future__ import annotations

import io

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup

import counting
import for_lab
import reading

CHAPTER = """# Small

```{admonition} Chapter card
:class: note

**You will be able to** fold.
```

The core.

```{prf:theorem} (ours): noise
:label: thm-noise
:nonumber:

Noise is noise.
```

```{why}
It cancels *on average*.
```

````{prf:proof}
**Step 1** *(uses: nothing)*. Clear.
````

(sec-sharp)=
````{deeper} The constant $c$, sharp
Some words.

```{prf:lemma} (ours): sharper
:label: lem-sharper
:nonumber:

It is $2$.
```

```{prf:proof}
Look.
```
````

```{deeper} How it was measured
```

Before the cell.

```{code-cell} ipython3
print(1)
```

```{deeper} And once more
```

```{code-cell} ipython3
print(2)
```

```{deeper-end}
```

```{deeper-end}
```

After it, see {ref}`the constant <sec-sharp>`.

```markdown
    ```{deeper} shown only
```
"""
CONF = """
extensions = ["myst_nb", "sphinx_proof", "deeper"]
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
html_theme = "basic"
proof_title_format = "%t"
"""


def notebook(chapter: str) -> str:
    """A chapter as the notebook that the site is built from, its cells not run."""
    made = jupytext.reads(chapter, fmt="md:myst")
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = for_lab.as_admonitions(cell.source)
    made.metadata = {"language_info": {"name": "python"},
                     "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return nbformat.writes(made)


def built(folder, name: str, source: str) -> tuple[str, str]:
    """The finished page and what was complained about."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    (folder / name).write_text(source, encoding="utf-8")
    complaints = io.StringIO()
    with docutils_namespace():
        Sphinx(folder, folder, folder / "out", folder / "out", "html", status=None, warning=complaints).build()
    html = (folder / "out" / "index.html").read_text(encoding="utf-8")
    return html.replace("<body>", "<body><article>").replace("</body>", "</article></body>"), complaints.getvalue()


@pytest.fixture(scope="module", params=["notebook", "page"])
def page(request, tmp_path_factory):
    """The chapter as a notebook, and as a page without one; both have the same folds."""
    folder = tmp_path_factory.mktemp("book")
    if request.param == "notebook":
        html, complaints = built(folder, "index.ipynb", notebook(CHAPTER))
    else:
        html, complaints = built(folder, "index.md", CHAPTER.replace("{code-cell} ipython3", "python"))
    assert not complaints
    once = reading.minutes(reading.headings(html))
    assert reading.minutes(reading.headings(once)) == once
    return BeautifulSoup(once, "html.parser").find("article")


def test_each_fold_is_open_in_the_html_and_says_what_one_gets_and_its_minutes(page):
    folds = page.select("details.fold")
    assert all(fold.has_attr("open") for fold in folds)
    told = [fold.summary.get_text() for fold in folds]
    names = ["Proof of Theorem (ours): noise", "The constant \\(c\\), sharp", "Proof of Lemma (ours): sharper",
             "How it was measured", "And once more"]
    assert told == [f"{name} · 1 min" for name in names]
    assert all(title.get("role") == "heading" for title in page.select("summary > .fold-title"))


def test_a_fold_holds_what_was_put_into_it_and_nothing_else(page):
    sharp, measured, more = page.select("details.deeper")
    assert sharp.select_one("#lem-sharper") and sharp.select_one("details.proof-fold") and sharp.find_parent("section")["id"] == "small"
    assert sharp["id"] == "sec-sharp"
    assert "Before the cell." in measured.get_text() and more in measured.find_all("details")
    assert "print(2)" in more.get_text() and "print(1)" not in more.get_text()
    for text in ("The core.", "After it"):
        assert page.find(string=lambda words, text=text: text in words).find_parent("details") is None
    assert "Back to the core" not in page.get_text() and "may be skipped" not in page.get_text()


def test_why_stands_between_a_statement_and_its_proof(page):
    why = page.select_one("div.why")
    assert why.get_text(" ", strip=True).startswith("Why it is true It cancels")
    assert why.find_previous_sibling("div")["id"] == "thm-noise" and "proof-fold" in why.find_next_sibling("details")["class"]


def test_the_first_word_of_a_proof_stands_in_its_summary_only(page):
    assert page.select_one(".proof-body").get_text(strip=True).startswith("Step 1")


def test_the_card_is_folded_and_the_choice_stands_below_the_title(page):
    card = page.select_one("details.chapter-card")
    assert card.summary.get_text() == "Chapter card" and "fold" in card.select_one(".fold-body").get_text()
    labels = page.select("h1 ~ .depth label")
    assert [label.get_text(" ", strip=True)[:-6] for label in labels] == ["core", "everything"]
    by_hand = str(page).replace("<p><strong>You will be able to", "<p><strong>Time</strong>: 5 minutes.</p><p><strong>You will be able to")
    assert by_hand != str(page) and "depth-minutes" not in reading.minutes(by_hand)       # one number of minutes a page


@pytest.mark.parametrize("chapter, said", [
    ("# A\n\n```{deeper} Open\n```\n\nText.\n", "has no {deeper-end} in its section"),
    ("# A\n\n```{deeper} Open\n```\n\n## B\n\n```{deeper-end}\n```\n", "has no {deeper-end} before the next heading"),
    ("# A\n\n```{deeper-end}\n```\n", "a {deeper-end} without a {deeper} before it"),
    ("# A\n\n````{deeper} Whole\n## Heading\n\nText.\n````\n", "holds a heading"),
])
def test_what_cannot_be_folded_is_refused(tmp_path, chapter, said):
    assert said in built(tmp_path, "index.ipynb", notebook(chapter))[1]


@pytest.mark.parametrize("before, after", [
    ("````{deeper} A title\nText.\n````", "````{admonition} A title\n:class: dropdown deeper\n\nText.\n````"),
    (":::{deeper} A title\nText.\n:::", ":::{admonition} A title\n:class: dropdown deeper\n\nText.\n:::"),
    ("```{deeper} A title\n```", f"```{{admonition}} A title\n:class: tip deeper-begin\n\n{for_lab.SKIP}\n```"),
    ("```{deeper-end}\n```", "```{admonition} Back to the core\n:class: deeper-end\n\nThe deeper part ends here.\n```"),
    ("```{why}\nSo.\n```", "```{admonition} Why it is true\n:class: tip why\n\nSo.\n```"),
    ("````markdown\n```{why}\nSo.\n```\n````", "````markdown\n```{why}\nSo.\n```\n````"),
])
def test_jupyterlab_gets_admonitions(before, after):
    assert for_lab.as_admonitions(before) == after


# --- counting ----------------------------------------------------------------------------------------------------------------

PAGE = """<body><p>outside</p><article><section><h1>Two words<a class="headerlink">#</a></h1>
<details class="chapter-card"><summary>Chapter card</summary><p>not counted</p></details>
<p>three words <span class="math">\\(x\\)</span></p>
<div class="proof theorem"><p>four words are boxed</p></div>
<details class="fold proof-fold"><summary><span class="fold-title">Proof</span></summary>
<div class="proof proof-body"><p>in all five words</p>
<div class="math">\\[x\\]</div></div></details>
<div class="cell_input"><pre>a = 1
b = 2
</pre></div>
<details class="hide"><summary>Code</summary><div class="cell_input"><pre>c = 3
</pre></div></details>
<table><tr><td>a cell</td></tr></table>
<section id="exercises"><h2>Exercises</h2><div class="exercise"><p>much to do</p></div>
<details><summary>Hint</summary>no</details></section>
</section></article><p>outside</p></body>"""


@pytest.mark.parametrize("line, said", [
    ("```{deeper}", r"^```\{deeper\}: a folded part needs a title\. Say what one gets"),
    ("```{why} Because", r"^```\{why\} Because: takes no title"),
    ("```{deeper-end} Sharper", "takes no title"),
    ("````{deeper} What `fit` reads", "a backtick in the title ends the fence"),
])
def test_a_directive_that_would_lose_its_words_is_refused(line, said):
    with pytest.raises(ValueError, match=said):
        for_lab.as_admonitions(f"{line}\nText.\n{line.split('{')[0]}\n")
    assert for_lab.as_admonitions(":::{deeper} What `fit` reads\nText.\n:::").startswith(":::{admonition} What `fit` reads")


def test_words_and_minutes_of_the_core_the_whole_and_each_fold():
    counted = counting.count(PAGE)
    assert counted.core == {"prose": 5, "inline": 1, "box": 4, "code": 2, "cell": 1}
    assert counted.folds == [{"prose": 1, "proof": 4, "display": 1}]
    assert counting.words(counted.whole) == 11 and counting.words(counted.core) == 5
    assert counted.whole == {"prose": 7, "proof": 4, "inline": 1, "box": 4, "display": 1, "code": 3, "cell": 1, "exercise": 1}
    assert counting.minutes(counted.folds[0]) == 1 and counting.minutes(counting.Counter(prose=131)) == 2
