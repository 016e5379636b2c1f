"""Fair classifiers that keep group membership private: the library of the book. A room is read when it is first asked for."""
from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._fit_warnings import LargeDeltaWarning, SmallGroupWarning, WorseThanConstantWarning
    from .data import load
    from .explore import Explorer, Puzzle, SelfCheck, show

__all__ = ["Explorer", "LargeDeltaWarning", "Puzzle", "SelfCheck", "SmallGroupWarning", "WorseThanConstantWarning", "load", "show"]
__version__ = "0.2.0"

_FROM = {"load": "data", **dict.fromkeys(["Explorer", "Puzzle", "SelfCheck", "show"], "explore"),
         **dict.fromkeys(["LargeDeltaWarning", "SmallGroupWarning", "WorseThanConstantWarning"], "_fit_warnings")}


def __getattr__(name: str) -> Any:
    """A name of ``__all__`` from its room, or a room."""
    if name in _FROM:
        return getattr(importlib.import_module(f"{__name__}.{_FROM[name]}"), name)
    if name in _rooms():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", *_rooms()])


def _rooms() -> list[str]:
    return [room.name for room in pkgutil.iter_modules(__path__) if not room.name.startswith("_")]
