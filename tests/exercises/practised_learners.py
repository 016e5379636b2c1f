"""Right and wrong answers to the practice exercises on learners. Their solutions are printed in the chapters."""
from __future__ import annotations

RIGHT = {}
WRONG = {}
