"""Deliberate faults: how a test file says under which of them it must turn red.

A test file keeps its faults beside its tests, in a dictionary ``FAULTS``: name -> ``Mutant``. A fault is a function of the original
(``lambda f: ...``) that gives what stands in its place; it never reads or rewrites source text, so that renaming a variable breaks none.
``book/theorems.yml`` names the faults of each statement, and ``tests/mutants.py`` plants them.

    FAULTS = {"noise_left_out": Mutant("dpfair_teach.games.regret.lemma_3_4", without_noise, "the noise of the sum is left out")}
"""
from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

TESTS = Path(__file__).resolve().parent
#: The last is the number of the fault that stands now, and 0 where none does: what a test remembers of a run is of one library alone.
standing, _numbers = [0], itertools.count(1)


class Mutant(NamedTuple):
    """A fault: what is replaced, by what (given the original), in words."""

    target: str
    make: Callable[[Any], Any]
    fault: str


def scaled(factor: float) -> Callable[[Any], Any]:
    """The result times a factor."""
    return lambda f: lambda *args, **kw: factor * f(*args, **kw)


def changed(**fields: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Some fields of the returned record changed."""
    def make(f):
        def faulty(*args, **kw):
            record = f(*args, **kw)
            return dataclasses.replace(record, **{name: change(getattr(record, name)) for name, change in fields.items()})
        return faulty
    return make


def scaled_fields(factor: float) -> Callable[[Any], Any]:
    """All fields of the returned record times a factor."""
    def make(f):
        def faulty(*args, **kw):
            record = f(*args, **kw)
            return dataclasses.replace(record, **{field.name: factor * getattr(record, field.name) for field in dataclasses.fields(record)})
        return faulty
    return make


def less(term: Callable[[Any], Any], *fields: str) -> Callable[[Any], Any]:
    """The result, or some fields of the returned record, less a term of a sum: ``term`` is given the arguments of the call by name."""
    def make(f):
        signature = inspect.signature(f)

        def faulty(*args, **kw):
            found, call = f(*args, **kw), signature.bind(*args, **kw)
            call.apply_defaults()
            lost = term(SimpleNamespace(**call.arguments))
            return dataclasses.replace(found, **{name: getattr(found, name) - lost for name in fields}) if fields else found - lost
        return faulty
    return make


def with_arguments(**arguments: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Called with some of its arguments changed: ``with_arguments(epsilon=lambda e: 2 * e)``."""
    def make(f):
        signature = inspect.signature(f)

        def faulty(*args, **kw):
            call = signature.bind(*args, **kw)
            call.apply_defaults()
            for name, change in arguments.items():
                call.arguments[name] = change(call.arguments[name])
            return f(*call.args, **call.kwargs)
        return faulty
    return make


def calling(name: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A fault at one call: while the original runs, what it calls by that name ("f", or "module.f") is the faulty one, for it alone."""
    def outer(f):
        def faulty(*args, **kw):
            *module, last = name.split(".")
            names = vars(inspect.unwrap(f).__globals__[module[0]]) if module else inspect.unwrap(f).__globals__
            called = names[last]
            names[last] = make(called)
            try:
                return f(*args, **kw)
            finally:
                names[last] = called
        return faulty
    return outer


def with_a_known_seed(f: Any) -> Any:
    """The generator is the last argument, and is not looked at."""
    return lambda *args: f(*args[:-1], np.random.default_rng(7))


def by_file() -> dict[Path, dict[str, Mutant]]:
    """The faults of each test file that has some."""
    root = TESTS.parent
    sys.path[:0] = [str(root), str(root / "book" / "_tools"), str(root / "book" / "_ext")]      # as in conftest.py
    found: dict[Path, dict[str, Mutant]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if "\nFAULTS" not in path.read_text(encoding="utf8"):
            continue
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        found[path] = importlib.import_module(path.stem).FAULTS
    return found


def beside_their_tests() -> dict[str, Mutant]:
    """The faults of all test files, by name."""
    found: dict[str, Mutant] = {}
    for path, own in by_file().items():
        if twice := set(found) & set(own):
            raise ValueError(f"{path.name}: another test file has a fault called {', '.join(sorted(twice))}")
        found |= own
    return found


def place(mutant: Mutant) -> tuple[Any, str]:
    """The module or class that the target stands in, and its name there."""
    parts = mutant.target.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            owner = importlib.import_module(".".join(parts[:cut]))
            break
        except ModuleNotFoundError:
            continue
    for part in parts[cut:-1]:
        owner = getattr(owner, part)
    return owner, parts[-1]


def file_of(mutant: Mutant) -> Path:
    """The file of the function that is replaced."""
    owner, name = place(mutant)
    try:
        return Path(inspect.getsourcefile(inspect.unwrap(getattr(owner, name))) or "")
    except TypeError:                   # a constant or a property: the file of what holds it
        return Path(inspect.getsourcefile(owner) or "")


def code_of(target: str) -> set[Any]:
    """The code that runs when a public name is called: of a class that of what makes it, class methods too, and of ``fit``."""
    owner, name = place(Mutant(target, lambda f: f, ""))
    thing = inspect.unwrap(getattr(owner, name))
    if not inspect.isclass(thing):
        parts = [thing]
    else:
        makers = [part for part in vars(thing) if inspect.ismethod(getattr(thing, part))]
        parts = [getattr(thing, part, None) for part in ("__init__", "fit", "__post_init__", *makers)]
    return {inspect.unwrap(part).__code__ for part in parts if hasattr(inspect.unwrap(part), "__code__")} if parts else set()


@contextlib.contextmanager
def calls_of(targets: set[str]) -> Iterator[set[str]]:
    """While it lasts, those of the names that nobody has called yet; what is no function is not asked about."""
    codes = {target: code_of(target) for target in targets}
    left = {target for target, code in codes.items() if code}

    def seen(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            for target in [target for target in left if frame.f_code in codes[target]]:
                left.discard(target)
            if not left:
                sys.setprofile(None)

    if left:
        sys.setprofile(seen)
    try:
        yield left
    finally:
        sys.setprofile(None)


@contextlib.contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The library with one fault in it: every name that means the original means the faulty one."""
    owner, name = place(mutant)
    original, as_it_was = getattr(owner, name), inspect.getattr_static(owner, name)
    faulty = mutant.make(original)
    modules = [module for key, module in list(sys.modules.items()) if key.startswith(("dpfair_teach", "book.", "test_"))]
    places = [(module, other) for module in modules for other, value in list(vars(module).items()) if value is original]
    for home, called in [(owner, name), *places]:
        setattr(home, called, faulty)
    standing.append(next(_numbers))
    try:
        yield
    finally:
        standing.pop()
        for home, called in places:
            setattr(home, called, original)
        setattr(owner, name, as_it_was)


def with_numpy(**functions: Callable[..., Any]) -> Callable[[Any], Any]:
    """A fault in what the original calls of numpy: while it runs, ``np`` of its module has these in the place of its own."""
    def make(f):
        def faulty(*args, **kw):
            own = inspect.unwrap(f).__globals__["np"]
            inspect.unwrap(f).__globals__["np"] = SimpleNamespace(**(vars(own) | functions))
            try:
                return f(*args, **kw)
            finally:
                inspect.unwrap(f).__globals__["np"] = own
        return faulty
    return make
