"""Ask once: one private release of who is in which group, then a whole fair frontier by post-processing."""
from .frontier import Mixtures, best_mixtures, best_mixtures_lp

__all__ = ["Mixtures", "best_mixtures", "best_mixtures_lp"]
