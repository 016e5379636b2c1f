"""No room is above its budget of lines, files, names, options and tests: `tests/budgets.csv`, whose numbers only fall."""
from __future__ import annotations

import ast

import pytest

import size
from size import Budget, Size


@pytest.fixture(scope="module")
def found():
    return size.sizes()


@pytest.fixture(scope="module")
def used():
    return size.users()


def test_no_room_is_above_its_budget(found):
    said = size.complaints(found, {}, size.stored())
    assert not said, "\n".join(said)


def test_every_name_that_is_exported_has_a_user(used):
    """Those that had none when this was first asked stand in the last column of the file, which only becomes shorter."""
    said = size.complaints({}, size.unused(used), size.stored())
    assert not said, "\n".join(said)


SOURCE = '''"""A module.

Of three lines.
"""
import numpy as np      # a comment

__all__ = ["Learner", "fit"]
# a comment alone
TEXT = """one

# two"""


class Learner:
    """It learns."""

    def __init__(self, epsilon, *, rng=None, gamma=0.1):
        self.epsilon = epsilon

    def fit(self, X, y, groups, weights, rng):
        """Fit."""


def fit(a):
    return (a,
            a)
'''


def test_what_is_counted():
    tree = ast.parse(SOURCE)
    assert size.lines(SOURCE, tree) == (1 + 1 + 3 + 4 + 3, 4 + 1 + 1)
    assert size.options(tree) == 3 and size.exported(tree) == ["Learner", "fit"]


def test_rooms_and_their_tests(tmp_path):
    for name in ("lib/__init__.py", "lib/_checks.py", "lib/games/__init__.py", "lib/games/play.py", "lib/audit.py", "tests/test_audit.py",
                 "tests/test_audit_more.py", "tests/games/test_play.py", "tests/test_floors.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('"""A file."""\n__all__ = ["a"]\n')
    assert size.sizes(tmp_path / "lib", tmp_path / "tests") == {
        "_shared": Size(2, 2, 2, 2, 0, 1), "audit": Size(1, 1, 1, 1, 0, 2), "games": Size(2, 2, 2, 1, 0, 1)}


def test_users_are_found_by_what_they_call():
    source = ("from dpfair_teach import games, Explorer\nfrom dpfair_teach.data import load as read\nfrom .. import fairness\n"
              "from ..oracles.finite import losses\ngames.FairnessGame.from_counts(1)\nnumpy.games.schedule\nread('x')\n")
    paths = size.uses(source, ("dpfair_teach", "explore"))
    exports = {"games": ["FairnessGame", "schedule"], "explore": ["Explorer"], "data": ["load"], "oracles": ["losses"], "audit": ["load"]}
    assert set().union(*(size.named(path, exports) for path in paths)) == {
        ("games", "FairnessGame"), ("explore", "Explorer"), ("data", "load"), ("oracles", "losses")}


def test_a_cell_a_study_the_ledger_a_page_and_another_room_are_users(used):
    assert {by.split()[0] for one in used.values() for by in one} == {"cell", "study", "ledger", "page", "room"}
    assert "cell 06-dp-postprocessing" in used["postprocessing", "dp_postprocessing"]
    assert "room experiments" in used["postprocessing", "solve"] and "page using-it" in used["oneshot", "FrontierLearner"]


SMALL, LARGE = Size(10, 10, 1, 2, 3, 20), Size(11, 10, 1, 2, 4, 20)


def test_what_is_above_its_budget_is_said():
    budgets = {"games": Budget(SMALL, frozenset({"old"}))}
    assert size.complaints({"games": SMALL}, {"games": frozenset({"old"})}, budgets) == []
    said = size.complaints({"games": LARGE, "new": SMALL}, {"games": frozenset({"old", "fresh"})}, budgets)
    assert [line.split(",")[0] for line in said] == [
        "games: code 11", "games: options 4", "new: no row in tests/budgets.csv: whoever adds a room writes there how large it may be",
        "games.fresh: exported"]


def test_writing_only_lowers(tmp_path):
    budgets = {"games": Budget(SMALL, frozenset({"old", "mended"})), "gone": Budget(SMALL, frozenset())}
    lower = size.lowered({"games": LARGE._replace(docstring=5), "new": SMALL}, {"games": frozenset({"old", "fresh"})}, budgets)
    assert lower == {"games": Budget(SMALL._replace(docstring=5), frozenset({"old"}))}
    size.write(lower, tmp_path / "budgets.csv")
    assert size.stored(tmp_path / "budgets.csv") == lower


def test_the_table_adds_up_and_names_who_uses_what():
    told = size.table({"games": SMALL, "oneshot": LARGE}, {("games", "play"): ["cell 08", "ledger"], ("games", "old"): []})
    rows = {line.split("  ")[0]: line.split()[-6:] for line in told.splitlines()}
    assert rows["all"] == ["21", "20", "2", "4", "4", "40"] and rows["without oneshot"] == [str(value) for value in SMALL]
    assert "play: cell 08, ledger" in told and "old: NO USER" in told
