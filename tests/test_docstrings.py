"""Every public function says what goes in, what comes out, what it refuses, where it comes from, and shows itself."""
from __future__ import annotations

import importlib
import inspect
import re

import pytest

from dpfair_teach import fairness
from test_bad_input import CALLABLES
from valid_calls import VALID

ROOMS = ("fairness", "luck", "postprocessing", "mechanisms", "mechanisms_exact", "reports", "accounting", "audit", "attacks", "data",
         "experiments", "plotting", "explore", "oracles", "games", "separation", "oneshot")
PUBLIC = [(room, name, thing) for room in ROOMS for module in [importlib.import_module(f"dpfair_teach.{room}")]
          for name in module.__all__ if callable(thing := getattr(module, name))
          and not (inspect.isclass(thing) and issubclass(thing, BaseException))]    # an exception is raised, not called


def sections(thing: object) -> dict[str, str]:
    """Title -> text of a numpydoc docstring; what stands before the first title is under "". """
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.parametrize("thing", [pytest.param(thing, id=f"{room}.{name}") for room, name, thing in PUBLIC])
def test_the_docstring_is_whole(thing):
    doc = sections(thing)
    signature = inspect.signature(thing)
    names = list(signature.parameters)
    wanted = {"Examples"}
    if names:  # a call without arguments has nothing to refuse
        wanted |= {"Parameters", "Raises"}
    if not inspect.isclass(thing) and signature.return_annotation not in (None, "None"):
        wanted.add("Returns")
    assert wanted <= doc.keys(), f"no {sorted(wanted - doc.keys())}"
    assert ">>> " in doc["Examples"] and "ValueError" in doc.get("Raises", "ValueError")
    assert re.search(r"^Source: ", doc[""], re.M)
    entries = re.findall(r"^(\S.*?) :", doc.get("Parameters", ""), re.M)
    described = [name for entry in entries for name in entry.split(", ")]
    assert described == names


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
