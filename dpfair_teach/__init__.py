"""Fair classifiers that keep group membership private: the library of the book."""
from ._constants import WorseThanConstantWarning
from ._large_delta import LargeDeltaWarning
from ._small_groups import SmallGroupWarning
from .data import load
from .explore import Explorer, Puzzle, SelfCheck, show

__all__ = ["Explorer", "LargeDeltaWarning", "Puzzle", "SelfCheck", "SmallGroupWarning", "WorseThanConstantWarning", "load", "show"]
__version__ = "0.2.0"
