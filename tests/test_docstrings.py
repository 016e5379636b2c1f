"""Every public function says what goes in, what comes out, where it comes from, and shows itself.

What all refuse in the same words stands nowhere: what is no number, out of its range, of another length, no generator. ``Raises`` is for
more.
"""
from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import re
import tempfile
from numbers import Real
from pathlib import Path

import numpy as np
import pytest

import dpfair_teach
from dpfair_teach import fairness
from test_bad_input import CALLABLES, PUBLIC_MODULES
from valid_calls import VALID

ROOMS = tuple(module.removeprefix("dpfair_teach.") for module in PUBLIC_MODULES if module.count(".") == 1)
PUBLIC = [(room, name, thing) for room in ROOMS for module in [importlib.import_module(f"dpfair_teach.{room}")]
          for name in getattr(module, "__all__", ()) if callable(thing := getattr(module, name))
          and not (inspect.isclass(thing) and issubclass(thing, BaseException))]    # an exception is raised, not called

#: The classes of the library, each with a docstring of its own.
CLASSES = {name for path in sorted(Path(dpfair_teach.__file__).parent.rglob("*.py"))
           for name in re.findall(r"^class (\w+)", path.read_text(), re.M)}


def sections(thing: object) -> dict[str, str]:
    """Title -> text of a numpydoc docstring; what stands before the first title is under "". """
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


#: What tells a caller nothing.
EMPTY = re.compile(r"ValueError\s+(A number|Numbers|An argument|Arguments)( is| are)? out of( its| their)? ranges?\.?\s*\Z")


def entries_of(doc: dict[str, str]) -> list[str]:
    """The first line of each entry under Parameters."""
    return re.findall(r"^\S.*? :.*$", doc.get("Parameters", ""), re.M)


def test_what_says_nothing():
    assert EMPTY.search("ValueError\n    A number out of range.\n") and EMPTY.search("ValueError\n    Numbers out of range.\n")
    assert not EMPTY.search("ValueError\n    A number out of range, or delta so small that no epsilon up to 700 keeps it.\n")


def says_it_all(annotation: object) -> bool:
    """Whether nothing has to be said of what comes back: nothing, a number, a word, or a class of this library, which says it itself."""
    return str(annotation).rpartition(".")[2] in {"None", "float", "int", "bool", "str", "Fraction", "Figure"} | CLASSES


@pytest.mark.parametrize("thing", [pytest.param(thing, id=f"{room}.{name}") for room, name, thing in PUBLIC])
def test_the_docstring_is_whole(thing):
    doc = sections(thing)
    signature = inspect.signature(thing)
    names = list(signature.parameters)
    wanted = {"Examples"}
    if names:  # a call without arguments has nothing to refuse
        wanted.add("Parameters")
    if not inspect.isclass(thing) and not says_it_all(signature.return_annotation):
        wanted.add("Returns")       # the shape of an array, what each of a tuple is
    assert wanted <= doc.keys(), f"no {sorted(wanted - doc.keys())}"
    assert ">>> " in doc["Examples"] and "ValueError" in doc.get("Raises", "ValueError")
    assert re.search(r"^Source: ", doc[""], re.M)
    described = [name for entry in entries_of(doc) for name in entry.partition(" :")[0].split(", ")]
    assert described == names
    assert doc.get("Returns", "").strip() != str(signature.return_annotation), "the annotation says that already"
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


with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):     # where a word is the name of a file, that is written here
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
        elif other is not None and not inspect.ismodule(other):
            words |= set(other)
    return words


@pytest.mark.parametrize("name, argument", OPTIONS)
def test_every_option_is_in_the_docstring(name, argument):
    missing = OPTIONS[name, argument] - said(CALLABLES[name], argument, importlib.import_module(f"dpfair_teach.{name.split('.')[0]}"))
    assert not missing, f"{name}: the docstring does not say that {argument} may be {sorted(missing)}"


#: What every number is tried with: too small, too large, and what only a check of its sign lets pass.
EXTREMES = (-1e308, 0.0, 1e-320, 1e308, -10**18, 0, 10**18)
RANGE = re.compile(r"(\w+)=[^:]*: (?:outside ([\[(])(\S+), (\S+)([\])])|must be (?:at least (-?\d+))?(?: and )?(?:at most (-?\d+))?)\. ")
#: Here the range in the message is not what can be said at the parameter.
OTHERWISE = {
    # the docstring has the end by a name, as k - 1 or n; the call has it as a number
    ("fairness.Parity", "anchor"), ("fairness.violation", "anchor"), ("fairness.form_constants", "anchor"),
    ("audit.epsilon_lower_bound", "hits_1"), ("audit.epsilon_lower_bound", "hits_0"),
    *((f"functional.{name}", "s") for name in ("adfc", "pdfc", "with_feature", "worst_pair")),
    ("mechanisms.debias_counts", "axis"), ("mechanisms.debias_variance", "axis"), ("mechanisms.likely_counts", "axis"),
    # less is taken than the message says: what is beyond is refused in other words, which tell why
    ("games.printed_noise_delta", "smallest_cell"), ("games.printed_noise_epsilon", "smallest_cell"),
    ("oneshot.FrontierLearner", "n_groups"), ("postprocessing.k_norm_variance", "n_groups"),
    ("postprocessing.score_bin_postprocessing", "n_groups"),
    ("baselines.regression_dp_oracle_learner_as_printed", "n_groups"), ("games.regression_exponentiated_gradient", "n_groups"),
    ("games.regression_exponentiated_gradient:notion", "n_groups"), ("oracles.RegressionOracle:sums", "n_groups"),
}


def ranges() -> dict[tuple[str, str], tuple[str, float, float, str]]:
    """(public name, argument) -> the brackets and the ends of the range in which its own refusals want a number; infinite where open."""
    found: dict[tuple[str, str], tuple[str, float, float, str]] = {}
    for call, argument in [(name, argument) for name in sorted(VALID) for argument in VALID[name]().arguments]:
        valid = VALID[call]().arguments[argument]
        if isinstance(valid, (bool, np.bool_)) or not isinstance(valid, Real) or argument == "size":    # axes, each from 1 on
            continue
        for extreme in EXTREMES:
            spoilt = VALID[call]()
            spoilt.arguments[argument] = extreme
            try:
                with np.errstate(all="ignore"):     # what it is worth out there is no question here
                    spoilt.run()
            except ValueError as refusal:
                told = RANGE.match(str(refusal))
                if told and told[1] == argument:
                    left, low, high, right = told[2] or "[", told[3] or told[6] or "-inf", told[4] or told[7] or "inf", told[5] or "]"
                    old = found.get((call, argument), ("(", -math.inf, math.inf, ")"))     # one check after the other: the narrowest
                    below = max((old[1], old[0] == "("), (float(low), left == "("))
                    above = min((old[2], old[3] == "]"), (float(high), right == "]"))
                    found[call, argument] = "[("[below[1]], below[0], above[0], ")]"[above[1]]
    return found


def numbers(text: str) -> list[float]:
    """The numbers of a docstring's entry, however they are written: 1e-6, 10^-6, 10**7, 2**63 - 1, 1,000, 1/2, a million."""
    for words, figure in (("a hundred", "100"), ("a million", "10^6"), ("ten million", "10^7"), ("100 million", "10^8")):
        text = text.replace(words, figure)
    found = []
    for base, power, less, under in re.findall(r"(?<![\w.^])(-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?)(?:(?:\^|\*\*)(-?\d+))?"
                                               r"(?: - (1(?:e-\d+)?)(?!\d))?(?:/(\d+))?", text.replace("..", " ")):
        found.append((float(base.replace(",", "")) ** float(power or 1) - float(less or 0)) / float(under or 1))
    return found


def entry_of(thing: object, argument: str, room: object, owner: object = None) -> str:
    """What a docstring says of one parameter, with what it says it is as in; "" where it has no such entry."""
    entry = re.search(rf"^(?:\w+, )*{argument}(?:, \w+)* :.*\n(?:    .*\n)*", (inspect.getdoc(thing) or "") + "\n", re.M)
    if entry is None:
        return ""
    others = re.findall(r"(?i:as in) (?::(?:func|meth|class):`|``)(\w+)`", entry[0])
    whole = [getattr(owner, other, getattr(room, other, None)) for other in others] + [owner] * ("as in the class" in entry[0])
    return entry[0] + "".join(entry_of(other, argument, room, owner) for other in whole if other is not None)


def unsaid(entry: str, left: str, low: float, high: float, right: str) -> list[str]:
    """What of a range an entry does not say: an end, or whether the end belongs to it."""
    def same(a: float, b: float) -> bool:
        return math.isclose(a, b, rel_tol=1e-5)     # a message shows six digits

    lacks = [f"{end:g}" for end in (low, high) if math.isfinite(end) and not any(same(end, one) for one in numbers(entry))]
    for begin, a, b, end in re.findall(r"([\[(])([^][(),]+), ([^][(),]+)([\])])", entry):
        of_a, of_b = numbers(a), numbers(b)
        if of_a == [low] and of_b == [high] and (begin, end) != (left, right):      # exactly: 1 - 1e-9 belongs, 1 does not
            lacks.append(f"{left}...{right}, not {begin}...{end}")
    return lacks


def test_what_an_entry_says_of_a_range_is_read():
    assert numbers("int in 1..10^15, or a million, 10**7, 2**63 - 1, 100,000 of 1/2, at least -1e-6, [1e-100, 1 - 1e-9]") == [
        1, 1e15, 1e6, 1e7, 2.0**63, 1e5, 0.5, -1e-6, 1e-100, 1 - 1e-9]
    assert not unsaid("epsilon : float in [1e-6, 10^6]\n", "[", 1e-6, 1e6, "]") and not unsaid("k : int >= 1\n", "[", 1, math.inf, "]")
    assert unsaid("epsilon : float > 0\n", "(", 0.0, 1e9, "]") == ["1e+09"]
    assert unsaid("delta : float in (0, 1)\n", "[", 1e-300, 1.0, ")") == ["1e-300"]
    assert unsaid("delta : float in (0, 1]\n", "(", 0.0, 1.0, ")") == ["(...), not (...]"]


def test_the_docstring_says_the_range_that_is_taken():
    """The range of a number, as the function's own refusal of a number outside of it names it, stands at the parameter."""
    found, faults = ranges(), []
    assert found["games.dp_oracle_learner", "epsilon"] == ("[", 1e-6, 1e6, "]") and len(found) > 400
    for (call, argument), taken in found.items():
        name, _, method = call.partition(":")
        room = importlib.import_module(f"dpfair_teach.{name.split('.')[0]}")
        entry = entry_of(getattr(CALLABLES[name], method, CALLABLES[name]), argument, room, CALLABLES[name])
        if (call, argument) not in OTHERWISE and (lacks := unsaid(entry, *taken) if entry else []):
            faults.append(f"{call}: {argument} is taken in {taken[0]}{taken[1]:g}, {taken[2]:g}{taken[3]}, "
                          f"and its entry lacks {', '.join(lacks)}: {entry.splitlines()[0]}")
    assert not faults, f"{len(faults)} parameters:\n" + "\n".join(faults)
