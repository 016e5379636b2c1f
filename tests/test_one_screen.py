"""The algorithm of a numbered box is a function that fits one screen: at most 30 lines, made of public names only."""
from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import textwrap
import types
from collections.abc import Callable

import pytest

from dpfair_teach import postprocessing
from test_bad_input import CALLABLES

#: The functions that chapters show beside the box of an algorithm.
BOXES = [
    "fairness.violation",
    "oneshot.ask_once",
    "postprocessing.dp_postprocessing",
    "postprocessing.public_margin_postprocessing",
    "postprocessing.score_bin_postprocessing",
    "games.algorithm_3", "games.algorithm_5", "games.algorithm_5_as_printed", "games.fair_mixture", "games.fair_mixture_as_printed",
    "games.FairnessGame.cell_costs",                                                        # what Subroutine 2 adds up
    "games.FrozenPlayers.best_response", "games.FrozenPlayers.constraint_values",           # Subroutine 4, and the auditor's line
    "games.PromisePlayers.best_response", "games.PromisePlayers.constraint_values",
]
MOST_LINES = 30
PUBLIC = {id(thing) for thing in CALLABLES.values()}


def body_of(function: Callable) -> tuple[ast.FunctionDef, list[ast.stmt]]:
    """The definition, and its statements without the docstring."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition, definition.body[ast.get_docstring(definition) is not None:]


def lines_of(function: Callable) -> int:
    _, body = body_of(function)
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def own_names(definition: ast.FunctionDef) -> set[str]:
    """Its arguments and what it assigns."""
    stored = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}


def is_public(thing: object) -> bool:
    """A module, or a name of this library that some ``__all__`` lists."""
    return isinstance(thing, types.ModuleType) or id(thing) in PUBLIC


def not_public(function: Callable) -> set[str]:
    """The names in the body that a reader cannot import from a room."""
    definition, body = body_of(function)
    own, found = own_names(definition), set()
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            found.add(node.attr)
        if isinstance(node, ast.Name) and node.id not in own and not hasattr(builtins, node.id):
            thing = function.__globals__.get(node.id)
            if node.id.startswith("_") or not is_public(thing):
                found.add(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in own:
            home = function.__globals__.get(node.value.id)
            thing = getattr(home, node.attr, None)
            if getattr(home, "__name__", "").startswith("dpfair_teach") and not is_public(thing):
                found.add(f"{node.value.id}.{node.attr}")
    return found


@pytest.mark.parametrize("name", BOXES)
def test_the_box_fits_one_screen_and_is_made_of_public_names(name):
    room, last, *method = name.split(".")
    module = importlib.import_module(f"dpfair_teach.{room}")
    function = getattr(getattr(module, last), method[0]) if method else getattr(module, last)
    assert last in module.__all__ and not inspect.isclass(function)
    assert lines_of(function) <= MOST_LINES, f"{name}: {lines_of(function)} lines"
    assert not not_public(function), f"{name} is made of {not_public(function)}, which a reader cannot import from a room"


def test_what_is_too_long_or_not_public_is_found():
    assert {"margin_sensitivity", "checked_epsilon"} <= not_public(postprocessing.margin_slack)
    assert lines_of(postprocessing.DPPostProcessing.__init__) == 12 and lines_of(postprocessing.lp.program) > MOST_LINES


def test_algorithm_1_is_four_statements():
    _, body = body_of(postprocessing.dp_postprocessing)
    assert len(body) == 4
