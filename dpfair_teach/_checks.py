"""Checks of what a caller hands in, in one voice: each raises a ``ValueError`` that names the argument, the value and the way out."""
from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable, Sized
from numbers import Integral, Real
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

#: The most groups that anything here takes. It is one limit for every data set and every method, so that refusing a code tells nothing
#: about the others. A matrix of groups by groups then takes 8 MB and all pairs of groups are half a million: what every method can bear.
#: A method that costs more in k refuses by its own size, in words.
MOST_GROUPS = 1000

ArrayOrList = TypeVar("ArrayOrList", np.ndarray, list)
Word = TypeVar("Word", bound=str)
Made = TypeVar("Made", bound=Callable[..., Any])
Kind = TypeVar("Kind")


def refuse(name: str, value: object, why: str, remedy: str, cause: Exception | None = None) -> NoReturn:
    """Raise the ``ValueError`` of this library: argument, value, reason, remedy; ``cause`` is an exception that led to it."""
    raise ValueError(f"{name}={everybodys(value) if name in PRIVATE else shown(value)}: {why}. {remedy}") from cause


#: Where a notion and whom it compares were two options.
BY_PARITY = 'Say notion=Parity(notion, "pairs").'


def formerly(**replaced: str) -> Callable[[Made], Made]:
    """A function, or a class, that says of each option that it had once what replaced it, in one line."""
    def of(made: Made) -> Made:
        if isinstance(made, type):
            init = "__init__"                                   # under a name: of a class's own, checkers know no type
            setattr(made, init, of(getattr(made, init)))
            return made

        @functools.wraps(made)
        def asked(*args: Any, **options: Any) -> Any:
            for name in replaced.keys() & options.keys():
                refuse(name, options[name], f"is no option of {made.__qualname__.removesuffix('.__init__')} any more", replaced[name])
            return made(*args, **options)
        return cast(Made, asked)
    return of


#: Names of arguments that hold everybody's group. A message may be printed into a log, so it must not list them.
PRIVATE = ("sensitive_features", "A")


def everybodys(value: object) -> str:
    """Of a private argument: many people's entries by their kind and number, a single one, and what is a shape already, as it is."""
    if isinstance(value, str) or not isinstance(value, Sized) or (isinstance(value, tuple) and len(value) < 4):
        return shown(value)
    kind, shape = type(value).__name__, getattr(value, "shape", None)
    try:
        return f"<{kind} of {f'shape {shape}' if isinstance(shape, tuple) else f'length {len(value)}'}>"
    except Exception:   # somebody's class may refuse to be counted
        return f"<{kind}>"


def shown(value: object) -> str:
    """A value in one line of at most 80 characters."""
    if isinstance(value, np.generic):
        value = value.item()                    # nan, not np.float64(nan)
    try:
        text = repr(value)
    except Exception:   # Python refuses to print an int of more than 4300 digits; somebody's class may refuse anything
        kind = type(value).__name__
        text = f"an {kind} too long to print" if isinstance(value, int) else f"a {kind} that cannot be printed"
    if "\n" in text:                            # a table prints over many lines
        text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."


def number(name: str, value: Any, *, low: float = -math.inf, high: float = math.inf,
           low_open: bool = False, high_open: bool = False, finite: bool = True) -> float:
    """A real number in [low, high] (ends left out where ``low_open`` / ``high_open``), as a float."""
    if not _is_number(value) or isinstance(value, (bool, np.bool_)):
        refuse(name, value, "not a real number", f"Give one number for {name}.")
    try:
        with np.errstate(over="ignore"):        # of a long double: it is infinity then, and refused as that
            x = float(value)
    except OverflowError:
        refuse(name, value, "too large for a float", f"Give a smaller {name}.")
    if math.isnan(x) or (finite and math.isinf(x)):
        refuse(name, value, "not a finite number", f"Give a finite number for {name}.")
    if x < low or x > high or (low_open and x == low) or (high_open and x == high):
        left, right = "(" if low_open or low == -math.inf else "[", ")" if high_open or high == math.inf else "]"
        refuse(name, value, f"outside {left}{low:g}, {high:g}{right}", f"Choose {name} inside that range.")
    return x


def integer(name: str, value: Any, *, low: int | None = None, high: int | None = None, whole_float: bool = False) -> int:
    """A whole number in [low, high], as an int; with ``whole_float`` also as a float, as the sum of a table is one."""
    whole = isinstance(value, Integral) or (whole_float and isinstance(value, (float, np.floating)) and float(value).is_integer())
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not whole:
        is_float = isinstance(value, (float, np.floating)) and float(value).is_integer()
        refuse(name, value, "a float, not an int" if is_float else "not a whole number", f"Give an int for {name}.")
    n = int(value)
    if (low is not None and n < low) or (high is not None and n > high):
        bounds = " and ".join(b for b in (f"at least {low}" if low is not None else "",
                                          f"at most {high}" if high is not None else "") if b)
        refuse(name, value, f"must be {bounds}", f"Choose another {name}.")
    return n


def group_count(value: object, *, low: int = 2) -> int:
    """A number of groups, at least ``low`` and at most MOST_GROUPS."""
    k = integer("n_groups", value)
    if not low <= k <= MOST_GROUPS:
        refuse("n_groups", k, f"must be at least {low} and at most {MOST_GROUPS}", "Merge groups that are close, or leave small ones out."
               if k > MOST_GROUPS else "Choose another n_groups.")
    return k


def epsilon(value: object, name: str = "epsilon") -> float:
    """A privacy parameter: a finite number above 0."""
    return number(name, value, low=0.0, low_open=True)


def delta(value: object, name: str = "delta") -> float:
    """A privacy parameter strictly between 0 and 1."""
    return number(name, value, low=0.0, high=1.0, low_open=True, high_open=True)


def beta(value: object, name: str = "beta") -> float:
    """A failure probability strictly between 0 and 1."""
    return number(name, value, low=0.0, high=1.0, low_open=True, high_open=True)


def gamma(value: object, name: str = "gamma") -> float:
    """A fairness tolerance: a finite number, at least 0."""
    return number(name, value, low=0.0)


def rng(value: object, name: str = "rng", *, drawn: str = "the noise", of: str = "") -> np.random.Generator:
    """A ``numpy.random.Generator``: what is ``drawn`` never comes from a hidden or default source. ``of``: the learner whose fit draws."""
    if not isinstance(value, np.random.Generator):
        refuse(name, value, "not a numpy.random.Generator" + (f", from which {of} draws" if of else ""),
               "Write fit(X, y, sensitive_features=A, rng=np.random.default_rng()); with a seed, default_rng(seed), whoever knows the seed "
               "knows the draws." if of else
               f"Pass np.random.default_rng(seed), or default_rng() where {drawn} must be unpredictable.")
    return value


#: What others call a notion, and its name here.
ELSEWHERE = {"equal_opportunity": "true_positive", "predictive_equality": "false_positive", "statistical_parity": "demographic_parity"}


def choice(name: str, value: Any, allowed: tuple[Word, ...]) -> Word:
    """One of a few named options."""
    if not isinstance(value, str) or value not in allowed:
        here = ELSEWHERE.get(value) if isinstance(value, str) else None
        refuse(name, value, "not a known option" + (f": here it is called {here!r}" if here in allowed else ""),
               f"Choose one of {', '.join(map(repr, allowed))}.")
    return value


def unread(variant: str, reader: str, **given: object) -> None:
    """What only another variant reads is not given: ``unread("norm='l2'", "norm='l1'", as_printed=as_printed)``.

    Fits that differ in such an argument differ in their noise only. None is not given.
    """
    for name, value in given.items():
        if value is not None:
            refuse(name, value, f"is read by {reader}, and not by {variant}", f"Leave {name} out, or choose {reader}.")


def instance(name: str, value: object, kind: type[Kind], why: str, remedy: str) -> Kind:
    """What is of that class."""
    if not isinstance(value, kind):
        refuse(name, value, why, remedy)
    return value


def text(name: str, value: object) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        refuse(name, value, "not a text", f"Give {name} as a string that is not empty.")
    return value


def _is_number(value: Any) -> bool:
    """A real number of any kind. numpy counts spans of time among the integers."""
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def _holds_bool(value: object) -> bool:
    """True or False, or a list with one inside, which numpy would read as 1 and 0."""
    return any(map(_holds_bool, value)) if isinstance(value, (list, tuple)) else isinstance(value, (bool, np.bool_))


#: A person who is dropped is missed in counts that are public.
REPLACE = "Keep its row and replace it yourself, by a public rule: nothing is imputed silently."
#: Of a table's column of words.
ENCODE = "Encode it in a step before, as by OneHotEncoder in a ColumnTransformer, with a public list of categories."


def numeric(name: str, value: object, remedy: str | None = None) -> np.ndarray:
    """What numpy makes of ``value``, if that is booleans, integers, floats or objects that are all numbers; nothing is converted."""
    remedy = remedy or f"Give {name} as an array of numbers."
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        refuse(name, value, "has masked entries", REPLACE)
    if callable(getattr(type(value), "toarray", None)):     # of scipy; numpy makes one object of it
        refuse(name, value, "is sparse, and every number of it is read here", f"Give {name}.toarray(), or fewer columns.")
    try:
        a = np.asarray(value)
    except Exception as problem:    # rows of different lengths; whatever an __array__ of somebody's raises
        refuse(name, value, "not numeric", remedy, problem)
    # Other kinds are texts, dates, complex numbers, records: numpy would read "3" as 3.0, None as NaN, a date as its nanoseconds.
    if a.dtype.kind == "O":
        for at, entry in enumerate(a.ravel()):
            if not _is_number(entry):
                if a.ndim and _is_missing(entry):
                    refuse(name, entry, f"missing{_in_column(value, a, at)}",
                           REPLACE)
                where = _in_column(value, a, at)
                refuse(name, entry if a.ndim and name not in PRIVATE else value, f"not numeric{where}", ENCODE if where else remedy)
    elif a.dtype.kind not in "biuf":
        where = _in_column(value, a, 0)     # of one kind as a whole: then its first entry is one of them
        refuse(name, a.ravel()[0] if where else value, f"not numeric{where}", ENCODE if where else remedy)
    return a


def _is_missing(entry: Any) -> bool:
    """None, or what pandas puts in its place; it need not be installed."""
    return entry is None or type(entry).__name__ in {"NAType", "NaTType"}


def _in_column(table: Any, a: np.ndarray, at: int) -> str:
    """In which column of a table of pandas the entry stands, in words; "" where there are no columns."""
    columns = getattr(table, "columns", None)
    if a.ndim != 2 or not a.size or not isinstance(columns, Iterable):
        return ""
    return f", in column {shown(list(columns)[at % a.shape[1]])}"


def array(name: str, value: object, *, ndim: int | None = None, shape: tuple | None = None,
          length: int | None = None, low: float = -math.inf, high: float = math.inf, infinite: bool = False, booleans: bool = True,
          remedy: str | None = None) -> np.ndarray:
    """A float array, finite or, with ``infinite``, up to +infinity.

    In ``shape`` None is a free axis, ``length`` fixes the first axis; ``booleans=False`` where True is no number but a slip; ``remedy``
    for what is not numeric.
    """
    if type(value) is np.ndarray and value.dtype == float and value.size and ndim is None and shape is None and length is None:
        if max(low, -sys.float_info.max) <= value.min() and value.max() <= min(high, sys.float_info.max):     # NaN is above nothing
            return value.astype(float)
    a = numeric(name, value, remedy)
    if not booleans and (a.dtype.kind == "b" or _holds_bool(a.tolist() if a.dtype.kind == "O" else value)):
        refuse(name, value, "True or False, not a number", f"Give numbers for {name}.")
    try:
        a = a.astype(float)
    except OverflowError:
        refuse(name, value, "too large for a float", remedy or f"Give smaller numbers for {name}.")
    seen = a.shape if a.ndim else value         # of a single number the shape would tell nothing
    if ndim is not None and a.ndim != ndim:
        refuse(name, seen, f"has {a.ndim} axes, not {ndim}", f"Reshape {name}.")
    if shape is not None and (a.ndim != len(shape)
                              or any(want is not None and got != want for got, want in zip(a.shape, shape, strict=True))):
        wanted = "(" + ", ".join("any" if s is None else str(s) for s in shape) + (",)" if len(shape) == 1 else ")")
        refuse(name, seen, f"is an array of shape {a.shape}, not {wanted}",
               f"Give {shape[1]} columns." if a.ndim == 2 and len(shape) == 2 and shape[1] is not None and shape[0] in (None, a.shape[0])
               else f"Reshape {name}.")
    if length is not None and (a.ndim == 0 or a.shape[0] != length):
        refuse(name, seen, f"must have {length} entries along its first axis", f"Give {name} one entry for each of the {length}.")
    fine = a > -np.inf if infinite else np.isfinite(a)
    if a.size and not fine.all():
        first = int(np.argmin(fine.ravel()))
        refuse(name, a.ravel()[first], f"holds NaN or infinity{_in_column(value, a, first)}",
               REPLACE)
    if a.size and (a.min() < low or a.max() > high):
        bad = a.ravel()[(a.ravel() < low) | (a.ravel() > high)][0]
        refuse(name, float(bad), f"outside [{low:g}, {high:g}]", f"Check the entries of {name}.")
    return a


def entries(name: str, value: Any, what: str, remedy: str) -> list:
    """What a collection holds; a text is none, nor is an array without axes. ``what`` it should be, and the ``remedy`` if it is not."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return list(value)
    except Exception as problem:    # no collection; or one whose own __iter__ or __len__ raises, whatever that is
        refuse(name, value, f"not {what}", remedy, problem)


def filled(name: str, value: ArrayOrList, each: str) -> ArrayOrList:
    """An array or a list with something in it; ``each`` says what one entry is."""
    if (value.size if isinstance(value, np.ndarray) else len(value)) == 0:
        refuse(name, value.shape if isinstance(value, np.ndarray) else value, "is empty", f"Give at least one {each}.")
    return value


def broadcast(name: str, axes: tuple[int, ...], others: str, other_axes: tuple[int, ...], remedy: str) -> tuple[int, ...]:
    """The common shape of the (leading) ``axes`` of ``name`` and those of ``others``."""
    try:
        return np.broadcast_shapes(axes, other_axes)
    except ValueError:
        refuse(name, axes, f"these leading axes do not broadcast with those of {others}, {other_axes}", remedy)


BLOCK = 2**15     # people that are looked at together; a multiple of 64
NEAR = 2**12      # people whose rows stay in the processor's own memory
TOGETHER = 2**14  # people of whom a table of floats may be made, whatever it was


def rows(name: str, value: Any, *, columns: int | None = None, low: float = -math.inf, high: float = math.inf) -> np.ndarray:
    """Rows of numbers, as :func:`array` with two axes reads them; more than ``TOGETHER`` of a plain array are looked at block by block and
    handed back as they are, on disk or in memory: a copy of everybody may not fit."""
    def read(some: object) -> np.ndarray:
        return array(name, some, shape=(None, columns), low=low, high=high)

    value = _of_yes_and_no(value)
    a = numeric(name, value) if isinstance(value, np.ndarray) else value
    plain = isinstance(a, np.ndarray) and a.dtype.kind in "biuf"
    if not plain or a.ndim != 2 or len(a) <= TOGETHER or columns not in (None, a.shape[1]):
        return read(value)
    for start in range(0, len(a), NEAR):
        some = a[start:start + NEAR]
        if not (some.size and some.dtype.kind == "f" and low <= float(some.min()) and float(some.max()) <= min(high, sys.float_info.max)):
            read(some)                      # NaN is not above anything
    return a


def _of_yes_and_no(table: Any) -> Any:
    """A table of pandas with columns of numbers and of booleans as floats, of which numpy alone makes an object each; else as it is."""
    kinds = list(getattr(table, "dtypes", ())) if hasattr(table, "columns") and hasattr(table, "to_numpy") else []
    plain = all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds)
    return table.to_numpy(dtype=float) if plain and len({kind.kind == "b" for kind in kinds}) == 2 else table


def _signless(value: Any, length: int | None = None) -> np.ndarray | None:
    """The same memory without signs, so that a negative number is a huge one; None but for a plain array of whole numbers, one a person."""
    plain = type(value) is np.ndarray and value.ndim == 1 and value.size and value.dtype.kind in "bi" and length in (None, value.size)
    return value.view(value.dtype.str.replace("i", "u")) if plain else None


def _codes(value: Any, length: int | None, high: int = 2**63 - 1) -> np.ndarray | None:
    """``value`` as int64 codes when it plainly holds them (one pass, no copy), else None: the slow way then finds what is wrong."""
    numbers = _signless(value, length)
    if numbers is None or numbers.max() > (high if numbers.dtype.kind == "b" else min(high, np.iinfo(value.dtype).max)):
        return None
    return value.astype(np.int64, copy=False)


def small_codes(value: Any, high: int) -> tuple[np.ndarray, int] | None:
    """``value`` as one byte a person, and the largest, where it plainly holds codes 0..high <= 255; else None, as ``_codes``."""
    numbers = _signless(value)
    if numbers is None:
        return None
    small, largest = np.empty(numbers.size, np.uint8), 0
    for start in range(0, numbers.size, BLOCK):
        block = numbers[start:start + BLOCK]
        largest = max(largest, int(np.maximum.reduce(block)))
        if largest > high:
            return None
        small[start:start + BLOCK] = block
    return small, largest


def labels(name: str, value: Any, *, length: int | None = None, remedy: str | None = None) -> np.ndarray:
    """Binary labels, shape (m,), as int 0/1; ``remedy`` for what are none."""
    plain = _codes(value, length, high=1)
    if plain is not None:
        return plain
    remedy = remedy or f"Recode {name}, for instance ({name} == positive).astype(int)."
    a = filled(name, array(name, value, ndim=1, length=length, remedy=remedy), "person")
    wrong = (a != 0) & (a != 1)
    if wrong.any():
        refuse(name, float(a[wrong][0]), "labels must be 0 or 1", remedy)
    return a.astype(np.int64)


def codes(name: str, value: Any, *, what: str, remedy: str, length: int | None = None, missing: str | None = None) -> np.ndarray:
    """Integer codes 0, 1, ... of people, shape (m,), as int; ``what`` they are; what to do about those that are none, or ``missing``."""
    plain = _codes(value, length)
    if plain is not None:
        return plain
    a = filled(name, array(name, value, ndim=1, length=length, infinite=True, remedy=remedy), "person")
    wrong = (a != np.floor(a)) | (a < 0) | (a > 2**53)
    if missing and (a == -1).any():
        refuse(name, -1, "a group is missing, which pandas codes as -1", missing)
    if wrong.any():
        refuse(name, float(a[wrong][0]), f"{what} must be integer codes 0, 1, 2, ...", remedy)
    return a.astype(np.int64)


#: What to do about two attributes.
CROSS = ("Cross them by a list that is fixed before the data are seen: names = list(itertools.product(['f', 'm'], ['<40', '40+'])), "
         "then [names.index(both) for both in zip(sex, age)].")
#: What a missing group may be before anything is learned.
MISSING = ("Do not drop that row: the public counts would then be smaller by exactly this person, and tell whose group is missing. Give "
           "those who do not say it one more code of a fixed list, names = ['f', 'm', 'not said'], or before the fit a group that is drawn "
           "with public chances, and say so.")


def no_missing_group(name: str, value: Any, remedy: str = MISSING) -> None:
    """No entry is None, NaN, pandas' NA or an empty text; a list is read as it is, for numpy would make a text of a NaN among texts."""
    try:
        a = np.asarray(value, dtype=object if isinstance(value, (list, tuple)) else None)
    except Exception:       # no array: what is wrong is said later
        return
    if np.ma.is_masked(value):
        refuse(name, value, "a group is missing: it is masked", remedy)
    if a.ndim != 1 or a.dtype.kind not in "OfU":
        return
    for entry in a[np.isnan(a)] if a.dtype.kind == "f" else a:
        if _is_missing(entry) or (_is_number(entry) and entry != entry) or (isinstance(entry, str) and not entry.strip()):
            refuse(name, entry, "a group is missing", remedy)


def group_codes(name: str, value: Any, *, length: int | None = None, missing: str = MISSING) -> np.ndarray:
    """Group codes 0, 1, ..., shape (m,), as int; ``missing`` is the remedy for a group that is.

    Numbering the groups that occur, as numpy.unique does, would let one person who joins or leaves a rare group renumber everybody, and
    then no private answer keeps its epsilon.
    """
    value = one_column(name, value)
    if type(value) is not np.ndarray or value.dtype.kind in "OfU":
        no_missing_group(name, value, missing)
    return codes(name, value, what="groups", length=length, missing=missing,
                 remedy=f"Code the groups by a list of names that is fixed before the data are seen: [names.index(a) for a in {name}].")


def groups_below(name: str, value: object, k: int | None = None, *, of: str = "X", length: int | None = None, last: str = "n_groups - 1",
                 remedy: str = "Raise n_groups or recode the groups.", missing: str = MISSING) -> np.ndarray:
    """Everybody's group, as :func:`group_codes`: one for each of the ``length`` rows that ``of`` has, and below k; ``last`` says what k - 1
    is. Which of these codes occur is private, so nothing here may depend on it."""
    a = group_codes(name, value, missing=missing)
    if length is not None and len(a) != length:
        refuse(name, a.shape, f"not as long as {of}, which has {length} rows",
               f"Give everybody's group: {name} and {of} are about the same people.")
    if k is not None and a.max() >= k:
        refuse(name, int(a.max()), f"a code above {last} = {k - 1}", remedy)
    return a


def groups(name: str, value: object, *, length: int | None = None, n_groups: int | None = None) -> tuple[np.ndarray, int]:
    """Group codes 0..k-1, shape (m,), as int, with k = ``n_groups`` or the largest code plus one, at most MOST_GROUPS."""
    a = group_codes(name, value, length=length)
    if n_groups is not None:
        return groups_below(name, a, n_groups := group_count(n_groups, low=1)), n_groups
    k = int(a.max()) + 1
    if k > MOST_GROUPS:
        refuse(name, k - 1, f"a group code beyond the {MOST_GROUPS} groups that are taken", "Code the groups 0, 1, ... without holes.")
    elif k > a.size:
        refuse(name, k - 1, "a group code larger than the number of people",
               "Code the groups 0, 1, ... by a list of names that is fixed before the data are seen.")
    return a, k


def column_names(table: object) -> list[str] | None:
    """The names of the columns of a table, None where it has none, or none that are texts."""
    names = getattr(table, "columns", None)
    return list(names) if isinstance(names, Iterable) and all(isinstance(name, str) for name in names) else None


def columns_called(table: object, name: str) -> int:
    """How many columns of a table of pandas have that name, whatever the others have: numbers are pandas' own."""
    columns = getattr(table, "columns", None)
    return sum(isinstance(one, str) and one == name for one in columns) if isinstance(columns, Iterable) else 0


def one_column(name: str, groups: Any) -> Any:
    """A table, array or list of rows with one column as that column; two attributes are refused."""
    rows = isinstance(groups, (list, tuple)) and len(groups) > 0 and all(isinstance(row, (list, tuple)) for row in groups)
    shape = np.array(groups, dtype=object).shape if rows else getattr(groups, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return groups
    if shape[1] > 1:
        refuse(name, groups, f"{shape[1]} attributes, and everybody has one group", CROSS)
    if shape[1] == 0:
        return groups
    return [row[0] for row in groups] if rows else groups.iloc[:, 0] if hasattr(groups, "iloc") else groups[:, 0]


def column_taken_out(X: Any, sensitive_features: Any) -> tuple[Any, Any, str | None]:
    """X, the groups, and None; where the groups are given by the name of a column of X: X without it, the column, and its name."""
    if isinstance(sensitive_features, (list, tuple)) and len(sensitive_features) > 1 and all(
            isinstance(name, str) and columns_called(X, name) for name in sensitive_features):
        refuse("sensitive_features", sensitive_features, f"{len(sensitive_features)} columns of X, and everybody has one group", CROSS)
    if isinstance(sensitive_features, (list, tuple)) and len(sensitive_features) == 1 and isinstance(sensitive_features[0], str):
        (sensitive_features,) = sensitive_features
    if not isinstance(sensitive_features, str):
        return X, one_column("sensitive_features", sensitive_features), None
    if columns_called(X, sensitive_features) != 1:
        longer = [column for column in getattr(X, "columns", ()) if str(column).endswith(f"__{sensitive_features}")]
        refuse("sensitive_features", sensitive_features, "X is no table with one column of that name",
               f"There is {longer[0]!r}: say that." if longer else
               "Give everybody's group, or a pandas table with such a column; a step before hands it on with "
               "set_output(transform='pandas').")
    return X.drop(columns=sensitive_features), X[sensitive_features], sensitive_features


def as_long_as(X: Any, learner: str, **columns: tuple[Any, str]) -> None:
    """Each column, given with what one entry is, is as long as X, for that ``learner``; what is no column is refused later."""
    people = _shape(X)[:1]
    for name, (column, each) in columns.items():
        shape = _shape(column)
        if any(people) and shape and shape[:1] != people and shape[1:] in ((), (1,)):
            refuse(name, shape, f"not as long as X, which has {people[0]} rows", f"Give {learner} one {each} for each row of X.")


def _shape(table: Any) -> tuple[int, ...]:
    shape = (len(table),) if isinstance(table, (list, tuple)) else getattr(table, "shape", ())
    return shape if isinstance(shape, tuple) else ()


def same_people(**columns: Any) -> None:
    """Tables and columns of pandas that are as long have the same index. A refusal names row labels only, and nobody's group."""
    indexes: dict[str, Any] = {name: getattr(value, "index", None) for name, value in columns.items()}
    known = [(name, index) for name, index in indexes.items() if hasattr(index, "equals")]
    for name, index in known[1:]:
        first, wanted = known[0]
        if len(index) == len(wanted) and not index.equals(wanted):
            same, at = 0, len(index)            # the first so many agree, so many do not
            while at - same > 1:
                middle = (same + at) // 2
                same, at = (middle, at) if index[:middle].equals(wanted[:middle]) else (same, middle)
            refuse(f"{name}.index[{same}]", index[same], f"{first} has {shown(wanted[same])} in row {same}: other people, or another order",
                   f"Give {name}.loc[{first}.index], or {name}.to_numpy() if the rows belong together as they are.")


def whole_numbers(name: str, value: Any, *, low: int = -2**53, high: int = 2**53) -> np.ndarray:
    """An array of whole numbers (ints, or floats such as 3.0), as int64."""
    a = numeric(name, value)
    if a.dtype.kind in "iu" or (a.dtype.kind == "O" and all(isinstance(entry, Integral) for entry in a.ravel())):
        wrong = (a < low) | (a > high)          # before anything is rounded: no float tells 2**53 + 1 from 2**53
        if wrong.any():
            refuse(name, int(a[wrong].ravel()[0]), f"outside [{low:g}, {high:g}]", f"Check the entries of {name}.")
        return a.astype(np.int64)
    a = array(name, a, low=low, high=high)
    if (a != np.floor(a)).any():
        refuse(name, float(a[a != np.floor(a)].ravel()[0]), "not a whole number", f"Give counts, or whole numbers, as {name}.")
    return a.astype(np.int64)


def exact(name: str, value: object, numbers: np.ndarray) -> np.ndarray:
    """``numbers``, which are ``value`` as floats, unless whole numbers are among them that no float tells apart."""
    if np.abs(numbers).max() >= 2.0**53:
        given = numeric(name, value)
        if given.dtype.kind in "iu" or (given.dtype.kind == "O" and all(isinstance(one, Integral) for one in given.ravel())):
            wrong = (given < -2**53) | (given > 2**53)
            if wrong.any():
                refuse(name, int(given[wrong].ravel()[0]), "a whole number beyond 2^53, which floats do not tell from its neighbours",
                       f"Subtract the smallest entry of {name} from all of them before.")
    return numbers


def size(value: object, each: tuple[int, ...] = (), name: str = "size", *, most: int = 10**8,
         remedy: str = "Draw in batches.") -> tuple[int, ...]:
    """Leading axes of repeats: None for none, an int, or a tuple of ints, each at least 1; ``each`` is the shape of one repeat."""
    if value is None:
        return ()
    axes = value if isinstance(value, (tuple, list)) else (value,)
    shape = tuple(integer(name, n, low=1) for n in axes)
    if math.prod(shape) * math.prod(each) > most:
        refuse(name, value, f"asks for more than {most:,} numbers at once", remedy)
    return shape


def table(name: str, value: object, *, bins: int | None = None, groups: int | None = None,
          least_groups: int = 1, low: float = -math.inf,
          remedy: str = "Give the table of a 0/1 classifier (postprocessing.derived_counts makes one from score bins).") -> np.ndarray:
    """A table of cells (..., b, k, 2) [yhat, a, y], as floats; ``bins`` fixes b (``remedy`` if it is another), ``groups`` k."""
    a = array(name, value, low=max(low, -1e15), high=1e15, booleans=False)    # people; beyond, floats no longer hold single ones
    if a.ndim < 3 or a.shape[-1] != 2 or a.shape[-3] < 2 or a.shape[-2] < 1 or a.size == 0:
        refuse(name, a.shape, "not a table of shape (..., b, k, 2) indexed [yhat, a, y]",
               "Build it with fairness.cell_counts(prediction, A, Y).")
    if bins is not None and a.shape[-3] != bins:
        refuse(name, a.shape, f"has {a.shape[-3]} values of yhat on axis -3, not {bins}", remedy)
    if a.shape[-2] > MOST_GROUPS:
        refuse(name, a.shape, f"has {a.shape[-2]} groups on axis -2, more than {MOST_GROUPS}", "Merge groups: fairness.merge_groups.")
    if groups is not None and a.shape[-2] != groups:
        refuse(name, a.shape, f"has {a.shape[-2]} groups on axis -2, not {groups}", f"Give {groups} groups.")
    if a.shape[-2] < least_groups:
        refuse(name, a.shape, f"has {a.shape[-2]} group(s); comparing needs at least {least_groups}",
               "Give n_groups to cell_counts, or another A.")
    return a


def occupied(name: str, people: np.ndarray, remedy: str, *, usable: np.ndarray | None = None,
             labels: tuple[int | None, ...] = (0, 1), so: str = "so its rate does not exist", codes: bool = False) -> None:
    """No cell (a, y) of ``people`` (..., k, len(labels)) is unusable; ``usable`` says which are, by default those above 0.

    A label None stands for the whole group. With ``codes`` the argument holds group codes: the group is shown, not how many people.
    """
    usable = people > 0 if usable is None else usable
    if usable.all():
        return
    where = tuple(int(i) for i in np.argwhere(~usable)[0])
    value = float(people[where])
    holds = "holds nobody" if value == 0 else "holds a negative number" if value < 0 else "holds entries that cancel to nearly 0"
    label = labels[where[-1]]
    who = f"group {where[-2]}" if label is None else f"the cell (a={where[-2]}, y={label})"
    refuse(name, where[-2] if codes else value, f"{who} {holds}, {so}", remedy)


def frequencies(name: str, table: np.ndarray) -> np.ndarray:
    """Tables (..., b, k, 2) that each sum to 1: shares of all people, exact or with exact margins."""
    total = table.sum(axis=(-3, -2, -1))
    off = np.abs(total - 1)
    if off.max() > 1e-6:
        refuse(name, float(f"{total.ravel()[off.argmax()]:.6g}"), "is the sum of the entries, and that of frequencies is 1",
               f"If {name} counts people, divide by m, their number.")
    return table


def people(name: str, table: np.ndarray) -> np.ndarray:
    """A table in people, perhaps expected numbers: it sums to at least 2, or is whole."""
    if table.sum() < 2 - 1e-9 and (table != np.floor(table)).any():       # a sum of two people may be rounded
        refuse(name, float(f"{table.sum():.6g}"), "is the sum of the entries: fewer than two people, and not in whole numbers",
               f"If {name} holds frequencies, multiply by m, the number of people.")
    return table


def flag(name: str, value: object) -> bool:
    """True or False, and nothing that merely looks like it."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(name, value, "neither True nor False", f"Set {name}=True or {name}=False.")
    return bool(value)
