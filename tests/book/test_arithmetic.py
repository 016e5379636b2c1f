"""The page on machine arithmetic, seeds and defaults: what it says the library does when nothing is said, the library does."""
from __future__ import annotations

import ast
import importlib
import inspect
import re

import numpy as np
import pytest

from dpfair_teach import accounting, games, load, oracles
from test_chapters import CHAPTERS, boxes

PAGE = (CHAPTERS / "arithmetic.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z]+)\.(\w+)` \| (.+?) \|", PAGE[PAGE.index("(sec-defaults)="):], re.M)


@pytest.mark.parametrize("room, name, defaults", ROWS, ids=[name for _, name, _ in ROWS])
def test_a_default_is_the_one_that_the_page_names(room, name, defaults):
    parameters = inspect.signature(getattr(importlib.import_module(f"dpfair_teach.{room}"), name)).parameters
    said = re.findall(r"`(\w+)=([^`]+)`", defaults)
    assert said, "the row names no default"
    for argument, value in said:
        assert parameters[argument].default == ast.literal_eval(value), f"{room}.{name}({argument}=)"


def test_the_table_has_its_rows():
    assert len(ROWS) == 6


MACHINE = re.compile(r"\b((?:of|in|as) doubles|floating\w*|seeds?|seeded|processors?|round(?:ed|ing) to a grid)\b", re.I)


@pytest.mark.parametrize("chapter", ["03-privacy-for-one-attribute", "10-dp-oracle-learner"])
def test_no_statement_and_no_proof_argues_about_the_machine(chapter):
    """They are about real numbers; a link of half a sentence leads to the page."""
    arguments = [box for box in boxes((CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8"))
                 if box.kind.startswith("prf:") or box.kind == "why"]
    assert len(arguments) > 20
    found = {box.title or box.kind: MACHINE.findall(re.sub(r"\{(?:prf:)?ref\}`[^`]*`", "", box.body)) for box in arguments}
    assert not {title: words for title, words in found.items() if words}


def test_a_play_of_one_round_releases_nothing_and_one_of_many_thousand_needs_a_larger_delta():
    ten = load("ten_people")
    few = games.FairnessGame(oracles.threshold_labelings(ten.X[:, 0]), ten.A, ten.Y, 0.1)
    game = games.FairnessGame.from_counts(10**4 * few.n_pos, 10**4 * few.n, 0.1, empty="zero")

    def play(rounds, delta):
        return games.dp_oracle_learner(game, 1.0, delta, 1.0, np.random.default_rng(0), rounds=rounds)

    with pytest.raises(ValueError, match="nothing private was released, and that costs epsilon 0"):
        accounting.compose(play(1, 1e-7).releases_, 1e-7, "rdp")
    with pytest.raises(ValueError, match=r"^delta=1e-07: not above 1\.4e-07.*Choose a larger delta"):
        play(5000, 1e-7)
    assert play(1000, 1e-7).rounds == 1000
