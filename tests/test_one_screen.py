"""The algorithm of a numbered box is a function that fits one screen: at most 30 lines, made of public names only.

Every source that a chapter shows is as narrow as the box it is shown in, or its comments are cut off at the right edge.
"""
from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import textwrap
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from dpfair_teach import _checks as check
from dpfair_teach import postprocessing
from test_bad_input import CALLABLES, PUBLIC_MODULES

#: The algorithms of the papers and ours, and the chapters that show them, in their order.
SHOWN_IN = {
    "06-dp-postprocessing": ["postprocessing.dp_postprocessing", "postprocessing.public_margin_postprocessing"],
    "07-less-epsilon": ["postprocessing.score_bin_postprocessing", "postprocessing.public_margin_postprocessing"],
    "08-fair-learning-as-a-game": ["games.FairnessGame.cell_costs", "games.algorithm_3"],
    "10-dp-oracle-learner": ["games.algorithm_5", "games.PromisePlayers.best_response", "games.PromisePlayers.constraint_values"],
    "11-private-as-printed": ["games.algorithm_5_as_printed", "games.FrozenPlayers.best_response", "games.FrozenPlayers.constraint_values"],
    "12-when-a-may-be-used": ["games.fair_mixture"],
    "14-ask-once": ["oneshot.ask_well"],
    "15-networks": ["lagrangian.f_ld", "lagrangian.f_ld_signed"],
    "16-pf-ld": ["lagrangian.pf_ld_as_printed", "lagrangian.pf_ld_autograd", "lagrangian.pf_ld"],
    "20-covariance-and-responses": ["baselines.reduction"],
    "17-choosing-the-clip": ["lagrangian.best_clip"],
    "19-pdfc-and-adfc": ["functional.adfc", "functional.fair_functional_mechanism"],
    "22-networks-tables": ["oneshot.ask_well"],
    "23-functional-tables": ["functional.Moments.denoised_gram"],
    "18-functional-mechanism": ["functional.functional_mechanism", "functional.relaxed_functional_mechanism"],
}
MOST_LINES = 30
#: What the box of a shown source holds in a window of 1280 pixels with both side bars; measured in tests/book/test_site_presentation.py.
COLUMNS = 82
CHAPTERS = Path(__file__).resolve().parents[1] / "book" / "chapters"
IN_CHAPTERS = {chapter.stem: re.findall(r"^show\(([\w.]+)\)", chapter.read_text(encoding="utf-8"), re.M)
               for chapter in CHAPTERS.glob("*.md")}
SHOWN = sorted({name for names in IN_CHAPTERS.values() for name in names})
#: Shown sources that are wider, and why. This list only shrinks.
TOO_WIDE = {
    "mechanisms.likely_counts": "stands in a folded part",
}
#: Shown sources that read their arguments themselves, or are made of what no room lists: those of chapters older than the rule, and parts
#: of an algorithm that stand in a file. This list only shrinks.
NO_BOX = {
    "accounting.optimal_composition", "accounting.optimal_composition_delta", "accounting.rdp_to_epsilon",
    "attacks.attribute_advantage_bound", "attacks.guessing_game", "experiments.pareto_quality", "fairness.gap_margin", "games.hedge",
    "games.printed_noise_delta", "mechanisms.exact_geometric", "mechanisms.exponential_by_gumbel", "mechanisms.geometric",
    "mechanisms.k_norm.exact_shift", "mechanisms.k_norm.exact_vector", "mechanisms.likely_counts", "oracles.halfplane_labelings",
    "postprocessing.bins.best_path", "postprocessing.crossings.best_crossing", "postprocessing.lp.program",
    "separation.fair_optimum",
}
#: All else that a chapter shows is the box of an algorithm; this one stands beside another in the same file.
BOXES = sorted({"games.fair_mixture_as_printed", *SHOWN} - NO_BOX)
#: Callables, and the words that rooms list, such as the privacy units.
PUBLIC = {id(thing) for thing in CALLABLES.values()} | {
    id(thing) for name in PUBLIC_MODULES for room in [importlib.import_module(name)] for word in getattr(room, "__all__", ())
    if isinstance(thing := getattr(room, word), str)}


def body_of(function: Callable) -> tuple[ast.FunctionDef, list[ast.stmt]]:
    """The definition, and its statements without the docstring."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition, definition.body[ast.get_docstring(definition) is not None:]


def lines_of(function: Callable) -> int:
    _, body = body_of(function)
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def shown(name: str) -> Callable:
    """What ``show(name)`` of a chapter shows: its module is that of a room, or of a file in one."""
    room, *rest = name.split(".")
    thing = importlib.import_module(f"dpfair_teach.{room}")
    for part in rest:
        thing = getattr(thing, part)
    return thing


def widest_line(function: Callable) -> str:
    """Of the source as it is shown: its docstring is folded, and its first line begins at the left edge."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    definition, _ = body_of(function)
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1:docstring.end_lineno]
    return max(lines, key=len)


def own_names(definition: ast.FunctionDef) -> set[str]:
    """Its arguments, what it assigns, and the class of what it returns, which the reference page has behind it."""
    stored = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    returned = {node.id for node in ast.walk(definition.returns or ast.Pass()) if isinstance(node, ast.Name)}
    return stored | returned | {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}


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


def what_is_wrong(name: str) -> str:
    """With the box of an algorithm; "" where nothing is."""
    room, last, *_ = name.split(".")
    module, function = importlib.import_module(f"dpfair_teach.{room}"), shown(name)
    if last not in module.__all__ or inspect.isclass(function):
        return f"{name}: no function or method that the room lists"
    if lines_of(function) > MOST_LINES:
        return f"{name}: {lines_of(function)} lines, at most {MOST_LINES}"
    others = not_public(function)
    return f"{name} is made of {others}, which a reader cannot import from a room" if others else ""


@pytest.mark.parametrize("name", BOXES)
def test_the_box_fits_one_screen_and_is_made_of_public_names(name):
    assert not (wrong := what_is_wrong(name)), wrong


@pytest.mark.parametrize("name", sorted(NO_BOX))
def test_what_is_no_box_is_shown_and_would_not_do_as_one(name):
    assert name in SHOWN and what_is_wrong(name), f"{name}: take it out of NO_BOX"


def refused_in(function: Callable) -> list[ast.AST]:
    """What the body refuses itself, or asks the kind of."""
    _, body = body_of(function)
    return [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Raise | ast.Assert | ast.Try)
            or (isinstance(node, ast.Name) and node.id in ("isinstance", "hasattr", "warnings"))]


@pytest.mark.parametrize("chapter", SHOWN_IN)
def test_a_chapter_shows_the_algorithm_itself_and_not_the_layer_around_it(chapter):
    """And the algorithm checks no arguments: what it calls refuses its own."""
    assert [name for name in IN_CHAPTERS[chapter] if name in SHOWN_IN[chapter]] == SHOWN_IN[chapter]
    assert set(SHOWN_IN[chapter]) <= set(BOXES)
    assert {name: found for name in SHOWN_IN[chapter] if (found := refused_in(shown(name)))} == {}


@pytest.mark.parametrize("name", SHOWN)
def test_a_shown_source_is_no_wider_than_its_box(name):
    line = widest_line(shown(name))
    if name in TOO_WIDE:
        assert len(line) > COLUMNS, f"{name} fits: take it out of TOO_WIDE"
    else:
        assert len(line) <= COLUMNS, f"{name}: {len(line)} columns, at most {COLUMNS}:\n{line}"


def test_every_box_and_every_exception_is_shown_somewhere():
    assert set(TOO_WIDE) <= set(SHOWN) and len(BOXES) >= 15


def test_a_line_that_is_too_wide_is_found_outside_of_the_docstring():
    assert widest_line(shown) == '    thing = importlib.import_module(f"dpfair_teach.{room}")'
    assert len(widest_line(not_public)) > COLUMNS


def test_what_is_too_long_or_not_public_is_found():
    assert "k_norm_limit" in not_public(postprocessing.margin_slack)
    assert refused_in(body_of) and refused_in(check.rng) and not refused_in(lines_of)
    assert lines_of(postprocessing.DPPostProcessing.__init__) == 10 and lines_of(postprocessing.lp.program) > MOST_LINES


def test_algorithm_1_is_four_statements():
    _, body = body_of(postprocessing.dp_postprocessing)
    assert len(body) == 4
