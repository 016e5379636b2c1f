"""What a page does besides text: figures with sliders, questions with feedback, a function's own source."""
from .cards import Puzzle, SelfCheck
from .explorer import Explorer
from .panel import Panel
from .people import People
from .source import show
from .subject import whole_subject
from .trained import network_picture

__all__ = ["Explorer", "Panel", "People", "Puzzle", "SelfCheck", "network_picture", "show", "whole_subject"]
