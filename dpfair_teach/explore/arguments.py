"""Arguments of the figures, checked; every complaint names the argument, the value and the way out."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._checks import array, refuse
from .axes import shown

__all__: list[str] = []

def shown_value(value: Any) -> str:
    """A slider's value for a reader, thousands apart.

    >>> shown_value(2000), shown_value(1e8), shown_value(-1234.5), shown_value(-0.5), shown_value(1e9), shown_value("none")
    ('2,000', '100,000,000', '-1,234.5', '-0.5', '1e9', 'none')
    >>> shown_value(True), shown_value((0, 1, 1))
    ('yes', '011')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "".join(map(str, value))
    if isinstance(value, int):
        return f"{value:,}"
    said = shown(value, 4)
    whole, point, part = said.partition(".")
    return f"{int(whole):,}{point}{part}" if 1e3 <= abs(value) < 1e9 and "e" not in said else said


def text(name: str, value: Any, *, empty: bool = False) -> str:
    """A text that a page can hold."""
    if not isinstance(value, str) or not (empty or value.strip()):
        refuse(name, value, "not a text", f"Give {name} as a str, or leave it out." if empty else f"Give {name} as a non-empty str.")
    if not writable(value):
        refuse(name, value, "holds a control character", f"Leave it out of {name}.")
    return value


def writable(value: str) -> bool:
    """No control characters but line breaks and tabs, no halves of characters."""
    return not any((ord(c) < 32 and c not in "\n\t") or 0xD800 <= ord(c) < 0xE000 for c in value)


def named(name: str, value: Any) -> dict:
    """A dict keyed by names, or nothing."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        refuse(name, value, "not a dict from names", f"Give {name} as {{name: ...}}.")
    return dict(value)


def span(name: str, value: Any, log: bool) -> tuple[float, float] | None:
    """A (low, high) pair, or None."""
    if value is None:
        return None
    pair = array(name, value, shape=(2,))
    if not pair[0] < pair[1] or (log and pair[0] <= 0):
        refuse(name, value, "not low < high" + (f", both positive as log_{name[0]} asks" if log else ""), f"Give {name} as (low, high).")
    return float(pair[0]), float(pair[1])


def raised(name: str, where: str, error: Exception, remedy: str) -> ValueError:
    """What a reader is told of an error inside a function of the figure."""
    what = ": ".join(part for part in (type(error).__name__, str(error).rstrip(". ")) if part)
    return ValueError(f"{name} at {where}: raised {what}. {remedy}")


def cause(error: Exception) -> Exception | None:
    """The error to show in full beside ours: none where the library refused an argument, since its message says it all."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("dpfair_teach.") else error
