"""What ``group=``, ``label=`` and ``features=`` may be: the name of a rule, or a function of the raw table."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks as check

if TYPE_CHECKING:
    import pandas as pd

__all__: list[str] = []     # the loader reads them


@dataclass(frozen=True)
class Rule:
    """A named rule, in words, and the function of the raw table that computes it; a group's code -1 leaves a row out, see ``left_out``."""

    words: str
    compute: Callable[[pd.DataFrame], Any]
    names: tuple[str, ...] = ()
    left_out: str = ""
    own: bool = False  # the caller's, so its answer is checked


def resolve(argument: str, asked: object, rules: Mapping[str, Rule], default: str) -> Rule:
    """The rule that was asked for: ``None`` for the default, a name, or the caller's own function."""
    if asked is None:
        return rules[default]
    if callable(asked):
        own = getattr(asked, "__name__", type(asked).__name__)
        return Rule(f"own function {own}", lambda raw: _call(argument, asked, raw), own=True)
    if not isinstance(asked, str) or asked not in rules:
        check.refuse(argument, asked, "not a known rule",
                     f"Choose one of {', '.join(map(repr, rules))}, or pass a function of the raw pandas table.")
    return rules[asked]


def _call(argument: str, function: Callable, raw: pd.DataFrame) -> Any:
    """The caller's function on a copy of the raw table, its failure told as ours."""
    try:
        return function(raw.copy())
    except Exception as problem:
        columns = ", ".join(map(str, raw.columns[:8]))
        raise ValueError(f"{argument}={function!r}: raised {type(problem).__name__}: {problem}. The function gets the raw pandas table "
                         f"({len(raw):,} rows; columns {columns}, ...): make it run on that.") from problem


def group_codes(rule: Rule, raw: pd.DataFrame) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes (m,) with -1 for a row the named rule leaves out, and the names of the groups."""
    got = rule.compute(raw)
    if not rule.own:
        return np.asarray(got), rule.names
    codes, k = check.groups("group", got, length=len(raw))
    missing = np.setdiff1d(np.arange(k), codes)
    if k < 2 or missing.size:
        check.refuse("group", k if k < 2 else int(missing[0]), "one group only" if k < 2 else "a group code that nobody has",
                     "Let the function return codes 0, 1, ..., k-1, k at least 2, each of them used.")
    return codes, tuple(f"group {a}" for a in range(k))


def feature_table(rule: Rule, raw: pd.DataFrame) -> tuple[np.ndarray, tuple[str, ...]]:
    """Features (m, d) and their names."""
    import pandas as pd

    got = rule.compute(raw)
    if not rule.own:
        got[0].flags.writeable = False  # nobody else holds it: spares Dataset a copy
        return got
    names = tuple(map(str, got.columns)) if isinstance(got, pd.DataFrame) else None
    X = check.array("features", got, shape=(len(raw), None))
    if X.shape[1] == 0:
        check.refuse("features", X.shape, "has no column", "Let the function return at least one column.")
    if names is None:
        names = tuple(f"x{j}" for j in range(X.shape[1]))
    elif len(set(names)) != len(names):
        check.refuse("features", names, "column names appear twice", "Rename the columns.")
    return X, names


def one_hot(table: pd.DataFrame, dtype: type = np.float64) -> tuple[np.ndarray, tuple[str, ...]]:
    """Features (m, d) of the dtype and their names: a number stays one column, a category becomes one 0/1 column per value, sorted."""
    import pandas as pd

    numeric = {c: pd.api.types.is_numeric_dtype(table[c]) for c in table}
    codes = {c: pd.factorize(table[c], sort=True) for c in table if not numeric[c]}
    names: list[str] = []
    start = {}
    for c in table:
        start[c] = len(names)
        names += [c] if numeric[c] else [f"{c}={value}" for value in codes[c][1]]
    X: np.ndarray = np.zeros((len(table), len(names)), dtype=dtype)
    rows = np.arange(len(table))
    for c in table:
        if numeric[c]:
            X[:, start[c]] = table[c].to_numpy()
        else:
            X[rows, start[c] + codes[c][0]] = 1.0
    return X, tuple(names)
