"""What a page does besides text: figures with sliders, questions with feedback, a function's own source."""
from .cards import Puzzle, SelfCheck
from .explorer import Explorer
from .panel import Panel
from .people import People
from .source import show

__all__ = ["Explorer", "Panel", "People", "Puzzle", "SelfCheck", "show"]
