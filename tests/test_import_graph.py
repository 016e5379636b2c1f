"""No two files of the library import each other, and no longer way leads back: each can be read after those it names."""
from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

from test_floors import MODULES, imports


def graph(modules):
    """Each module and the modules of the library that it names, wherever in it: under ``TYPE_CHECKING`` and inside functions too.

    A package that names one of its own files is what puts it together, and names what it needs only; a file that names its package's
    ``__init__`` takes it all, and stands above it.
    """
    known = {".".join(module) for module in modules}

    def file_of(name):
        while name and name not in known:
            name = name.rpartition(".")[0]
        return name

    mine = {".".join(module): names for module, names in modules.items()}
    return {module: {file_of(name) for name in names} - {"", module, "dpfair_teach"} for module, names in mine.items()}


def test_no_two_files_import_each_other():
    try:
        TopologicalSorter(graph(MODULES)).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


def test_a_circle_is_seen_wherever_the_import_stands():
    one = imports("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import B\n", ("dpfair_teach", "room", "a"), False)
    two = imports("def f():\n    from . import a\n", ("dpfair_teach", "room", "b"), False)
    modules = {("dpfair_teach", "room"): set(), ("dpfair_teach", "room", "a"): one, ("dpfair_teach", "room", "b"): two}
    with pytest.raises(CycleError):
        TopologicalSorter(graph(modules)).prepare()
    TopologicalSorter(graph(modules | {("dpfair_teach", "room", "b"): set()})).prepare()
