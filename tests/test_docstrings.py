"""Every public function says what goes in, what comes out, what it refuses, where it comes from, and shows itself."""
from __future__ import annotations

import importlib
import inspect
import re

import pytest

from dpfair_teach import fairness
from test_bad_input import CALLABLES, PUBLIC_MODULES
from valid_calls import VALID

ROOMS = tuple(module.removeprefix("dpfair_teach.") for module in PUBLIC_MODULES if module.count(".") == 1)
PUBLIC = [(room, name, thing) for room in ROOMS for module in [importlib.import_module(f"dpfair_teach.{room}")]
          for name in getattr(module, "__all__", ()) if callable(thing := getattr(module, name))
          and not (inspect.isclass(thing) and issubclass(thing, BaseException))]    # an exception is raised, not called


def sections(thing: object) -> dict[str, str]:
    """Title -> text of a numpydoc docstring; what stands before the first title is under "". """
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


#: The first line of a parameter that says what it may be: ends, a few numbers, a yes or no, or where that is said.
RANGED = re.compile(r" : .*([<>]=? ?-?\d|in [\[(]|in \d|\bfrom \S+ (on|to)\b|\bbool\b|tuple of \"|\d or \d|as in :func:)")
#: What tells a caller nothing.
EMPTY = re.compile(r"ValueError\s+(A number|Numbers|An argument|Arguments)( is| are)? out of( its| their)? ranges?\.?\s*\Z")


def entries_of(doc: dict[str, str]) -> list[str]:
    """The first line of each entry under Parameters."""
    return re.findall(r"^\S.*? :.*$", doc.get("Parameters", ""), re.M)


def test_what_says_a_range_and_what_says_nothing():
    for line in ("epsilon : float > 0", "k : int from 1 to a million", "beta : float in (0, 1)", "B : as in :func:`lemma_3_2`",
                 "n : int in 2..300", "m : int from 1 on", "as_printed : bool", "constants : 0, 1 or 2"):
        assert RANGED.search(line), line
    for line in ("epsilon : float", "counts : array (2, k, 2)", "name : str", "rng : numpy.random.Generator"):
        assert not RANGED.search(line), line
    assert EMPTY.search("ValueError\n    A number out of range.\n") and EMPTY.search("ValueError\n    Numbers out of range.\n")
    assert not EMPTY.search("ValueError\n    A number out of range, or delta so small that no epsilon up to 700 keeps it.\n")


@pytest.mark.parametrize("thing", [pytest.param(thing, id=f"{room}.{name}") for room, name, thing in PUBLIC])
def test_the_docstring_is_whole(thing):
    doc = sections(thing)
    signature = inspect.signature(thing)
    names = list(signature.parameters)
    wanted = {"Examples"}
    if names:  # a call without arguments has nothing to refuse
        wanted |= {"Parameters"} | (set() if all(map(RANGED.search, entries_of(doc))) else {"Raises"})
    if not inspect.isclass(thing) and signature.return_annotation not in (None, "None"):
        wanted.add("Returns")
    assert wanted <= doc.keys(), f"no {sorted(wanted - doc.keys())}"
    assert ">>> " in doc["Examples"] and "ValueError" in doc.get("Raises", "ValueError")
    assert re.search(r"^Source: ", doc[""], re.M)
    described = [name for entry in entries_of(doc) for name in entry.partition(" :")[0].split(", ")]
    assert described == names
    assert not EMPTY.search(doc.get("Raises", "")), "ranges stand at the parameter; Raises names what is not obvious from them"


def options() -> dict[tuple[str, str], set[str]]:
    """(public name, argument) -> the words that it takes, as its own refusal lists them."""
    found = {}
    for call, argument in [(name, argument) for name in sorted(VALID) for argument in VALID[name]().arguments]:
        spoilt = VALID[call]()
        if isinstance(spoilt.arguments[argument], str | None):
            spoilt.arguments[argument] = "rubbish"
            try:
                spoilt.run()
            except ValueError as refusal:
                words = re.match(rf"{argument}='rubbish': not a known option\. Choose one of ('.*')\.$", str(refusal))
                if words and call in CALLABLES:
                    found[call, argument] = set(re.findall(r"'(\w+)'", words[1]))
    return found


OPTIONS = options()


def test_arguments_with_options_are_found():
    assert OPTIONS["fairness.violation", "notion"] == set(fairness.NOTIONS) and len(OPTIONS) > 12


def said(thing: object, argument: str, room: object) -> set[str]:
    """The words in quotes or code type of a docstring, and of what it names for that argument: a constant, another function."""
    doc = inspect.getdoc(thing) + "\n"
    words = set(re.findall(r"[`\"](\w+)[`\"]", doc))
    entry = re.search(rf"^(?:\w+, )*{argument}(?:, \w+)* :.*\n(?:    .*\n)*", doc, re.M)
    for name in re.findall(r"(?:``|:func:`)(\w+)", entry[0]) if entry else ():
        other = getattr(room, name, None)
        if name == "list_datasets":
            words |= set(room.list_datasets().name)
        elif callable(other) and other is not thing:
            words |= said(other, argument, room)
        elif other is not None:
            words |= set(other)
    return words


@pytest.mark.parametrize("name, argument", OPTIONS)
def test_every_option_is_in_the_docstring(name, argument):
    missing = OPTIONS[name, argument] - said(CALLABLES[name], argument, importlib.import_module(f"dpfair_teach.{name.split('.')[0]}"))
    assert not missing, f"{name}: the docstring does not say that {argument} may be {sorted(missing)}"
