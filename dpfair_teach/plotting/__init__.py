"""The book's own figures: drawn ones in its style, and two interactive ones, of the whole subject and of a network that trains."""
from .bank import whole_subject
from .charts import COLORS, new_figure, pareto, quality_against_epsilon, roc_plane
from .training import network_picture

__all__ = ["COLORS", "network_picture", "new_figure", "pareto", "quality_against_epsilon", "roc_plane", "whole_subject"]
