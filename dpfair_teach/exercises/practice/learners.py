"""Judges of the exercises on learners: chapters 8 to 23."""
from __future__ import annotations
