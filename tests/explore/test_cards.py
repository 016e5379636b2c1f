"""Questions with feedback, and the library's own source."""
from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from dpfair_teach import _checks
from dpfair_teach.explore import Explorer, Puzzle, SelfCheck, show
from dpfair_teach.explore.source import PYGMENTS_STYLE
from explorer_samples import WICKED
from test_explorer_page import contrast, parsed

CHOICES = [("A " + WICKED, True, "Because. " + WICKED), ("Y", False, "It is public.")]


def test_a_self_check_tells_after_the_choice():
    html = SelfCheck("Which? " + WICKED, CHOICES)._repr_html_()
    tree = parsed(html)
    assert [tag for tag, _ in tree.seen].count("details") == 2 and "script" not in [tag for tag, _ in tree.seen]
    for (choice, right, feedback), shown in zip(CHOICES, re.findall(r"<details>.*?</details>", html), strict=True):
        words = "".join(parsed(shown).text)
        assert words == f"▸ {choice}{'Right.' if right else 'Not quite.'} {feedback}"
        assert re.match(r"<details><summary[ >]", shown), "open from the start"


def test_a_self_check_in_plain_text_keeps_feedback_for_last():
    text = repr(SelfCheck("Which?", CHOICES))
    assert text.index("b) Y") < text.index("Feedback") < text.index("Right.") < text.index("Not quite.")


def test_a_puzzle_folds_its_answer():
    html = Puzzle("How many? " + WICKED, "Two. " + WICKED)._repr_html_()
    assert "".join(parsed(re.search(r"<details>.*</details>", html)[0]).text) == "▸ AnswerTwo. " + WICKED
    assert repr(Puzzle("How many?", "Two.")) == "How many?\nAnswer\n  Two."


@pytest.mark.parametrize("arguments, names", [
    ((None, CHOICES), "question"), (("", CHOICES), "question"), (("q", None), "choices"), (("q", []), "choices"),
    (("q", CHOICES[:1]), "choices"),
    (("q", [("a", 1, "f"), ("b", 0, "f")]), r"choices\[0\]"), (("q", [("a", True), ("b", False)]), r"choices\[0\]"),
    (("q", [("a", False, "f"), ("b", False, "f")]), "no choice is right"),
    (("q", [("a", True, ""), ("b", False, "f")]), r"choices\[0\]\[2\]"),
    (("q", [(3, True, "f"), ("b", False, "f")]), r"choices\[0\]\[0\]"),
])
def test_bad_self_checks_are_refused(arguments, names):
    with pytest.raises(ValueError, match=names):
        SelfCheck(*arguments)


@pytest.mark.parametrize("arguments, names", [((1, "a"), "question"), (("q", ""), "answer"), (("q", None), "answer")])
def test_bad_puzzles_are_refused(arguments, names):
    with pytest.raises(ValueError, match=names):
        Puzzle(*arguments)


def test_show_prints_what_runs():
    shown = show(_checks.number)
    html = shown._repr_html_()
    tree = parsed(html)
    assert "dpfair_teach/_checks.py" in "".join(tree.text)
    assert repr(shown).startswith("# dpfair_teach/_checks.py\ndef number(")
    # all of the code is there, in order, folded or not
    code = "".join("".join(parsed(block).text) for block in re.findall(r"<pre.*?</pre>", html, re.S))
    assert code.split() == shown.code.split()
    exec(compile("from __future__ import annotations\nfrom dpfair_teach._checks import *\n" + shown.code, "shown", "exec"), {})


def test_show_folds_the_docstring_and_no_more():
    html = show(_checks.number)._repr_html_()
    folded = "".join(parsed(re.search(r"<details>.*?</details>", html, re.S)[0]).text)
    assert folded.strip().removeprefix("▸ Its docstring").strip() == f'"""{_checks.number.__doc__}"""'


def test_show_takes_methods_properties_classes_and_wrapped_functions():
    assert repr(show(Explorer.frame)).splitlines()[1].startswith("def frame(self")
    assert "def widget(self)" in repr(show(Explorer.widget))
    assert "class Puzzle:" in repr(show(Puzzle))

    @functools.wraps(_checks.number)
    def wrapped(*args):
        return _checks.number(*args)
    assert repr(show(wrapped)) == repr(show(_checks.number))


@pytest.mark.parametrize("nothing", [3, None, len, np.add, "number", int, dict.get, [], _checks, object(), np.nan, type("Made", (), {})])
def test_show_refuses_what_has_no_source(nothing):
    with pytest.raises(ValueError, match="obj="):
        show(nothing)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_code_colours_can_be_read(theme):
    colours = re.findall(r"--\w+: (#\w+);", re.findall(r"\{([^}]*--com:[^}]*)\}", PYGMENTS_STYLE)[theme])
    assert len(colours) == 5
    for colour in colours:
        assert contrast(colour, ["#f2f6fa", "#20262d"][theme]) >= 4.5
