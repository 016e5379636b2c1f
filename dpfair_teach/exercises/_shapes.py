"""What an answer must look like, so that a wrong shape is told from a wrong answer.

An exercise's SHAPE is one of these, or a dict of them, which asks for exactly its fields. A bound or a length may be a parameter's name.

    ("whole", low, high)              a whole number; true and 3.0 are none
    ("exact", low, high)              3, 0.25 or the text "1/3", read as a Fraction
    ("real", low, high)               a number, read as a float
    ("one of", "up", "down")          one of these texts
    ("text", most)                    so many characters at most
    ("list", entry, least, most)      so many entries, each of that shape
    ("or null", entry)                that, or null, read as None
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .._checks import shown

LONGEST = 80        # characters of a number


class Misshapen(ValueError):
    """An answer that does not look as it must; says in one line where, and how it must."""


def read(shape: Any, value: Any, params: Mapping[str, Any], where: str = "the answer") -> Any:
    """The value as a checker takes it; :class:`Misshapen` if it does not look so."""
    if isinstance(shape, dict) and type(value) is dict:
        if wrong := sorted(map(str, value.keys() ^ shape.keys())):
            raise Misshapen(f"{where}: the field {brief(wrong[0])} is {'missing' if wrong[0] in shape else 'not asked for'}; "
                            f"asked for are {', '.join(shape)}")
        return {name: read(shape[name], value[name], params, name) for name in shape}
    kind, *rest = shape if isinstance(shape, tuple) else ("fields",)
    if kind == "or null":
        return None if value is None else read(rest[0], value, params, where)
    if kind == "list":
        least, most = (meant(length, params) for length in rest[1:])
        if type(value) is list and least <= len(value) <= most:
            return [read(rest[0], each, params, f"{where}[{i}]") for i, each in enumerate(value)]
    elif kind in ("one of", "text"):
        if type(value) is str and (value in rest if kind == "one of" else len(value) <= rest[0]):
            return value
    elif kind != "fields":
        number = as_number(kind, value)
        if number is not None and meant(rest[0], params) <= number <= meant(rest[1], params):       # NaN is not
            return float(number) if kind == "real" else number
    raise Misshapen(f"{where} is {brief(value)}; it must be {words(shape, params)}")


def as_number(kind: str, value: Any) -> int | float | Fraction | None:
    """A number of that kind, or None."""
    if kind != "exact":
        return value if type(value) is int or (kind == "real" and type(value) is float) else None
    try:                                    # Python writes no whole number of more than 4,300 digits
        text = value if type(value) is str and "e" not in value.lower() else repr(value) if type(value) in (int, float) else ""
        return Fraction(text) if 0 < len(text) <= LONGEST else None
    except (ValueError, ZeroDivisionError):
        return None


def words(shape: Any, params: Mapping[str, Any]) -> str:
    """What a value must look like, in words."""
    if isinstance(shape, dict):
        return "an object {" + ", ".join(f'"{name}": {words(entry, params)}' for name, entry in shape.items()) + "}"
    kind, *rest = shape
    if kind == "list":
        least, most = (meant(length, params) for length in rest[1:])
        return f"a list of {least if least == most else f'{least} to {most}'}, each {words(rest[0], params)}"
    if kind == "or null":
        return f"{words(rest[0], params)}, or null"
    if kind in ("one of", "text"):
        return " or ".join(f'"{text}"' for text in rest) if kind == "one of" else f"a text of at most {rest[0]} characters"
    named = {"whole": "a whole number", "exact": 'a number such as 3, 0.25 or "1/3"', "real": "a number"}[kind]
    return f"{named} from {meant(rest[0], params)} to {meant(rest[1], params)}"


def meant(bound: Any, params: Mapping[str, Any]) -> Any:
    """A bound or a length; of a name the parameter."""
    return params[bound] if isinstance(bound, str) else bound


def brief(value: Any) -> str:
    """A value in one line of at most 40 characters."""
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    told = shown(value)
    return told if len(told) <= 40 else told[:37] + "..."
