"""Groups where decisions are made: what is wrong with them, and who decides without."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import numpy as np

from . import _checks as check

#: Every learner whose classifier reads X alone.
WITHOUT_GROUPS = ("oneshot.FrontierLearner, oneshot.SoftGroupLearner, games.DPOracleLearner, games.DPRegressionLearner, "
                  "lagrangian.PrivateFairLagrangian, functional.FunctionalClassifier, baselines.PrivateReduction, and, not private, "
                  "lagrangian.FairLagrangian, baselines.Reduction and baselines.CovarianceClassifier")


@contextmanager
def way_out_of_groups(read: bool) -> Iterator[None]:
    """Whatever is refused inside, about groups at a prediction, ends with how to do without; ``read``: the classifier decides by them."""
    try:
        yield
    except ValueError as problem:
        out = f"Or use a learner whose classifier reads X alone: {WITHOUT_GROUPS}." if read else "Or leave them out: they are not read."
        raise ValueError(f"{problem} {out}") from problem.__cause__


def refuse_no_groups(name: str, because: str = "") -> NoReturn:
    """Nobody's group is given, and the classifier reads it."""
    with way_out_of_groups(read=True):
        check.refuse(name, None, f"the classifier decides by the group{because}", "Give everybody's group.")


def validated_groups(name: str, value: object, k: int | None, *, of: str, length: int, knows: str) -> np.ndarray:
    """Everybody's group at a prediction, one for each of the ``length`` rows of ``of``. Where the classifier reads it, it is below k, as
    the groups that ``knows`` knows: nobody can be given a code of their own any more. Else k is None."""
    if k is not None and value is None:
        refuse_no_groups(name)
    with way_out_of_groups(read=k is not None):
        return check.groups_below(name, value, k, of=of, length=length, last=f"the last group of {knows}",
                                  remedy=f"Give groups below {k}: {knows} knows no other.",
                                  missing=f"Give that person's group, or the code of a missing group if {knows} knows one.")
