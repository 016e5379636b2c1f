"""Private plays by their options: which of two functions is meant, as an option of a test says."""
from __future__ import annotations

from typing import Any

from dpfair_teach import games


def private_play(*args: Any, as_printed: bool = False, **how: Any) -> games.PrivatePlay:
    """``dp_oracle_learner``, or the printed one."""
    return games.dp_oracle_learner_as_printed(*args, **how) if as_printed else games.dp_oracle_learner(*args, **how)
