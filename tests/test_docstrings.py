"""Every public function says what goes in, what comes out, what it refuses, where it comes from, and shows itself."""
from __future__ import annotations

import importlib
import inspect
import re

import pytest

ROOMS = ("fairness", "luck", "postprocessing", "mechanisms", "accounting", "audit", "attacks", "data", "experiments", "plotting", "explore")
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
