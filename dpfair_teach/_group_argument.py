"""Groups as an argument: that they are no feature, what is wrong with them where decisions are made, and who decides without."""
from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable, Iterator
from numbers import Integral
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from . import _checks as check

#: Every learner whose classifier reads X alone.
WITHOUT_GROUPS = ("oneshot.FrontierLearner, games.DPOracleLearner, games.DPRegressionLearner, lagrangian.PrivateFairLagrangian, "
                  "functional.FunctionalClassifier, baselines.PrivateReduction, and, not private, lagrangian.FairLagrangian, "
                  "baselines.Reduction and baselines.CovarianceClassifier")


def without(read: bool) -> str:
    """How to do without somebody's group at a prediction; ``read``: the classifier decides by them."""
    return f"Or use a learner whose classifier reads X alone: {WITHOUT_GROUPS}." if read else "Or leave them out: they are not read."


def missing_now(read: bool, knows: str = "fit") -> str:
    """The remedy for a group that is missing at a prediction, where nobody can be given a code of their own any more."""
    return f"Give that person's group, or the code of a missing group if {knows} knows one. {without(read)}"


def refuse_no_groups(name: str, because: str = "") -> NoReturn:
    """Nobody's group is given, and the classifier reads it."""
    check.refuse(name, None, f"the classifier decides by the group{because}",
                 f"Give everybody's group; in a search or cross-validation by the name of a column of X. {without(True)}")


def validated_groups(name: str, value: object, k: int | None, *, of: str, length: int, knows: str) -> np.ndarray:
    """Everybody's group at a prediction, one for each of the ``length`` rows of ``of``. Where the classifier reads it, it is below k, as
    the groups that ``knows`` knows. Else k is None."""
    if k is not None and value is None:
        refuse_no_groups(name)
    return check.groups_below(name, value, k, of=of, length=length, last=f"the last group of {knows}",
                              remedy=f"Give groups below {k}: {knows} knows no other. {without(True)}",
                              missing=missing_now(k is not None, knows))


#: What pandas puts behind the name of a second column in a merge, or in a file.
BEHIND_A_SECOND = re.compile(r"(_[xy]|\.\d+)$")


def refuse_group_as_feature(X: Any, named: Any, index: Any, made_of: dict[str, Any]) -> None:
    """What the groups, whose rows have this ``index``, are ``named`` is no column of X, and of nothing that a learner is ``made_of`` (its
    parameters): there the group would be a public feature, and no epsilon would protect it. Nor is it a part of a column's name, as in
    ``remainder__Race``, or with what pandas puts behind a second one, ``race_x`` or ``race.1``. A number is a name where groups and X are
    of one table: else it is pandas' own.

    Names only are read, never a value: what has no names, as an array, cannot be checked, nor can a copy of the column under another name.
    """
    same_table = getattr(index, "is_", None)
    if isinstance(named, Integral) and same_table and named in getattr(X, "columns", ()) and same_table(X.index):
        check.refuse("sensitive_features", named, "the group is also a column of X, of this number, so it would be learned as a public "
                     "feature, and no epsilon would protect it", f"Leave it out, with X.drop(columns={named}).")
    name = _last(named)
    if name is None:
        return
    wanted = name.strip().casefold()
    group = [part for part in wanted.split("__") if part][-1:] or [wanted]

    def of_the_group(columns: Iterable[Any]) -> list[str]:
        texts = [text for text in map(_last, columns) if text is not None]
        plain = [BEHIND_A_SECOND.sub("", text.strip().casefold()) for text in texts]
        return [text for text, own in zip(texts, plain, strict=True) if own == wanted or group[0] in own.split("__")
                or text.strip().casefold() == wanted]

    for parameter, value in made_of.items():
        for names in _names_known_to(value):
            for column in of_the_group(names):
                check.refuse(parameter, value, f"was fitted on a column {column!r}, which is the group: what it says of people may tell "
                             "their group, and no epsilon would protect it", "Fit it again without that column.")
    columns = getattr(X, "columns", None)
    for column in of_the_group(columns if isinstance(columns, Iterable) else ()):
        check.refuse("sensitive_features", name, "the group is also a column of X" + (f", {column!r}" if column != name else "")
                     + ", so it would be learned as a public feature, and no epsilon would protect it",
                     f"Leave it out of X, or give its name alone, sensitive_features={column!r}: a column of codes is taken out of X."
                     + (" If it is another, rename it." if column != name else ""))


def _last(name: Any) -> str | None:
    """A name that is a text; of a column under several headings the last one. Numbers are no names: they are pandas' own."""
    parts = [part for part in (name if isinstance(name, tuple) else (name,)) if isinstance(part, str) and part]
    return parts[-1] if parts else None


#: How many objects inside a base are looked at: a forest has some hundreds.
LOOKED_AT = 10_000


def _names_known_to(thing: Any) -> Iterator[list[Any]]:
    """The names of columns that a base, or any classifier inside it, was fitted on; a function's are those of what it calls."""
    ahead, seen = [thing], set[int]()
    while ahead and len(seen) < LOOKED_AT:
        one = ahead.pop()
        if id(one) in seen or isinstance(one, (str, bytes, int, float, np.ndarray, np.random.Generator, type(None), type)):
            continue
        seen.add(id(one))
        if isinstance(one, (list, tuple, set, frozenset, dict)):
            ahead += one.values() if isinstance(one, dict) else one
        elif isinstance(one, functools.partial):
            ahead += [one.func, *one.args, *one.keywords.values()]
        elif isinstance(one, MethodType):
            ahead.append(one.__self__)
        elif isinstance(one, FunctionType):
            ahead += [*(one.__defaults__ or ()), *_called_by(one)]
        elif callable(one) or callable(getattr(one, "predict", None)) or callable(getattr(one, "transform", None)):
            try:
                yield list(one.feature_names_in_)
            except Exception:       # it has none, or is not fitted: it is somebody's
                pass
            ahead += vars(one).values() if hasattr(one, "__dict__") else ()


def _called_by(function: FunctionType) -> list[Any]:
    """What a function knows by a name, but for its own locals."""
    try:
        known = inspect.getclosurevars(function)
    except Exception:               # a cell that is not filled yet
        return []
    return [*known.nonlocals.values(), *known.globals.values()]
