"""The floors of the library: a room imports from floors below or from its own, in no circle; who draws, who needs no other room."""
from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "dpfair_teach"
#: Modules beside the rooms, for more than one of them.
BESIDE = {"_group_argument": 0, "_checks": -1, "_classifier": 1, "_curve": 1, "_base_estimator": -1, "_generator": -1,
          "_fit_warnings": 1}
GUIDE = (LIBRARY.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: The table of the guide is the list.
FLOORS = BESIDE | {room: int(floor) for floor, rooms in re.findall(r"^\| (\d) \| ([^|]+) \|", GUIDE, re.M)
                   for room in re.findall(r"`(\w+)`", rooms)}
#: Files with an underscore belong to their room. These are read by others too. This list only shrinks.
READ_BY_OTHERS: set[str] = set()
#: The package's own `__init__` stands above all rooms; this is what a room may take from it.
OF_THE_HOUSE = {"__version__"}


def imports(source: str, module: tuple[str, ...], is_package: bool) -> set[str]:
    """Full dotted names that a module imports, wherever in it: ``from a import b`` gives ``a.b``."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = module[:len(module) - node.level + is_package] if node.level else ()
            start = ".".join((*home, *([node.module] if node.module else [])))
            found |= {f"{start}.{alias.name}" for alias in node.names}
    return found


def library() -> dict[tuple[str, ...], set[str]]:
    """Each module of the library and what it imports."""
    modules = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        parts = ("dpfair_teach", *path.relative_to(LIBRARY).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        module = parts[:-1] if is_package else parts
        modules[module] = imports(path.read_text(encoding="utf-8"), module, is_package)
    return modules


MODULES = library()
IN_ROOMS = [module for module in MODULES if len(module) > 1]


def rooms_of(names: set[str]) -> set[str]:
    """The rooms that imported names lie in."""
    return {name.split(".")[1] for name in names if name.startswith("dpfair_teach.")} - OF_THE_HOUSE


def too_high(module: tuple[str, ...], names: set[str]) -> set[str]:
    """Rooms that the module must not import from."""
    return {room for room in rooms_of(names) if room not in FLOORS or FLOORS[room] > FLOORS[module[1]]}


def test_how_imports_are_read():
    source = ("import numpy as np\nfrom .. import _checks, data\nfrom .lp import solve\nfrom ..fairness import rates\n"
              "def f():\n    import matplotlib.figure\n")
    found = imports(source, ("dpfair_teach", "audit", "exact"), False)
    assert found == {"numpy", "dpfair_teach._checks", "dpfair_teach.data", "dpfair_teach.audit.lp.solve", "dpfair_teach.fairness.rates",
                     "matplotlib.figure"}
    assert imports("from .a import b", ("dpfair_teach", "audit"), True) == {"dpfair_teach.audit.a.b"}
    assert too_high(("dpfair_teach", "audit"), found) == set() and too_high(("dpfair_teach", "data", "x"), found) == {"audit"}


def test_every_room_has_a_floor_in_the_guide_and_no_other():
    assert {module[1] for module in IN_ROOMS} | set(BESIDE) == set(FLOORS)


@pytest.mark.parametrize("module", IN_ROOMS, ids=".".join)
def test_a_module_imports_from_floors_below_or_its_own(module):
    assert not too_high(module, MODULES[module])
    assert "dpfair_teach" not in MODULES[module], "import the room, not the house"


def test_no_circle_among_rooms():
    graph: dict[str, set[str]] = {}
    for module in IN_ROOMS:
        graph.setdefault(module[1], set()).update(rooms_of(MODULES[module]) - {module[1]})
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)     # CycleError names a circle


def test_the_interactive_figures_know_no_other_room():
    """What `explore` shows is a function's own; so it can be read, moved and tested without the rest."""
    found = set().union(*(rooms_of(names) for module, names in MODULES.items() if module[1:2] == ("explore",)))
    assert found <= {"explore", "_checks"}, found


@pytest.mark.parametrize("module", MODULES, ids=".".join)
def test_only_the_plotting_room_draws_and_nothing_comes_from_the_book_or_the_tests(module):
    roots = {name.split(".")[0] for name in MODULES[module]}
    assert roots.isdisjoint({"book", "tests", "conftest"})
    if module[1:2] != ("plotting",) and module[1:] != ("explore", "image"):       # a figure's image for print
        assert roots.isdisjoint({"matplotlib", "mpl_toolkits", "seaborn", "plotly"})


def test_a_private_file_of_a_room_is_read_in_its_room_only():
    found = {".".join(name.split(".")[1:3]) for module, names in MODULES.items() for name in names
             if re.match(r"dpfair_teach\.\w+\._[a-z]", name) and name.split(".")[1:2] != list(module[1:2])}
    assert found <= READ_BY_OTHERS, f"{found - READ_BY_OTHERS}: take the underscore away, or put what is shared beside the rooms"
    assert found == READ_BY_OTHERS, f"{READ_BY_OTHERS - found}: take it out of READ_BY_OTHERS"
