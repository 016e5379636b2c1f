"""What is asked of the private groups, once: everybody's randomized answer, or sums of features per label."""
from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .. import mechanisms
from ..mechanisms import UNIT_A, Release, release
from ..mechanisms.k_norm import l2_noise

__all__ = ["debiased_groups", "group_sums", "l2_noise", "release_sums", "sums_sensitivity"]

Norm = Literal["l1", "l2"]
NORMS: tuple[Norm, ...] = get_args(Norm)
_SMALLEST, _LARGEST = 1e-9, 1e9     # epsilons between which doubles hold


def as_many(name: str, value: np.ndarray, other: str, n_other: int) -> None:
    """Two arrays of one entry (a row) for each person, or each candidate."""
    if len(value) != n_other:
        check.refuse(name, value.shape, f"{other} has {n_other} entries", f"Give {name} and {other} as many entries.")


def number_of(kept: float | None) -> float:
    """A number that records of added noise have."""
    assert kept is not None
    return kept


def debiased_groups(reports: ArrayLike, n_groups: int, epsilon: float) -> np.ndarray:
    """Weights of every person on every group, unbiased for the true 0/1 membership, from randomized responses.

    Source: ours, inverting mechanisms.randomized_response_matrix person by person: a report r gives group a the weight
    (1{r = a} - other) / (keep - other), whose mean over the coin is 1{A = a}. Post-processing of the reports.

    Parameters
    ----------
    reports : int array (m,)
        What mechanisms.randomized_response returned.
    n_groups : int in 2..1000
    epsilon : float in [1e-9, 700]
        The one of the response.

    Returns
    -------
    array (m, k); rows sum to 1, entries may be negative or above 1

    Raises
    ------
    ValueError
        Codes that are none, numbers out of range.

    Examples
    --------
    >>> debiased_groups([0, 1], 2, np.log(3)).tolist()
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    law = mechanisms.randomized_response_matrix(check.group_count(n_groups), check.number("epsilon", epsilon, low=_SMALLEST, high=700.0))
    k = law.shape[0]
    reports = check.groups_below("reports", reports, k)
    keep, other = law[0, 0], law[0, 1]
    return ((reports[:, None] == np.arange(k)) - other) / (keep - other)


def _features(features: ArrayLike) -> np.ndarray:
    return check.filled("features", check.array("features", features, ndim=2, low=-1e100, high=1e100), "number")


def longest_row(features: np.ndarray, order: int) -> float:
    """The largest norm of a row. Entries are brought near 1 first, by a power of two: squares of tiny ones would vanish, and with them the
    noise; nothing else is rounded by it."""
    by = np.ldexp(1.0, np.frexp(np.abs(features).max())[1])
    return float(np.linalg.norm(features / by, ord=order, axis=1).max() * by) if by > 0 else 0.0


def group_sums(features: ArrayLike, A: ArrayLike, Y: ArrayLike | None, n_groups: int = 2, every_group: bool = False) -> np.ndarray:
    """s_ay: the sum of the features over the people of group a and label y, for a = 1, ..., k-1. All that regression needs of A.

    Source: ours, for the regression oracle of main text, Section 5: its right-hand side X^T C_1 is a combination of the s_ay, and
    those of group 0 are the public sums over a label less the others. A first feature 1 makes s_ay[0] the number of people.

    Parameters
    ----------
    features : array (m, d)
    A : array (m,)
    Y : array (m,), or None
        None: labels play no part, and there is one sum for each group.
    n_groups : int in 2..1000
    every_group : bool
        Sums of group 0 too.

    Returns
    -------
    array (k-1, 2, d), indexed [a - 1, y]; with ``every_group`` (k, 2, d); without labels the second axis has one entry

    Raises
    ------
    ValueError
        Arrays that do not fit together, labels not 0 or 1, a code of n_groups or above.

    Examples
    --------
    >>> group_sums([[1, .5], [1, .2], [1, .1]], [1, 1, 0], [0, 1, 1]).tolist()
    [[[1.0, 0.5], [1.0, 0.2]]]
    """
    check.same_people(features=features, A=A, **({} if Y is None else {"Y": Y}))
    features, k = _features(features), check.group_count(n_groups)
    A, strata = check.groups_below("A", A, k, of="features", length=len(features)), [np.ones(len(features), dtype=bool)]
    if Y is not None:
        Y = check.labels("Y", Y)
        as_many("Y", Y, "features", len(features))
        strata = [Y == 0, Y == 1]
    first = 0 if check.flag("every_group", every_group) else 1
    return np.stack([[features[(A == a) & here].sum(axis=0) for here in strata] for a in range(first, k)])


def sums_sensitivity(features: ArrayLike, n_groups: int = 2, norm: Norm = "l1", every_group: bool = False) -> float:
    """The most that all released sums together change when one person's group does.

    Source: ours. A person with features x who moves between group 0 and a moves one vector, s_ay, by x; between two other groups two
    vectors, one by x and one by -x. In l1 that is ||x||_1, or 2 ||x||_1 for k > 2; in l2 ||x||_2, or sqrt(2) ||x||_2. Where the sums of
    group 0 are released too, two vectors move in any case. The label is
    public, so only one label's vectors move: both labels are released in parallel. X is public, so the largest norm among the people is
    exact, and may be used.

    Parameters
    ----------
    features : array (m, d)
    n_groups : int in 2..1000
    norm : {"l1", "l2"}
    every_group : bool

    Returns
    -------
    float, above 0

    Raises
    ------
    ValueError
        Features that are all 0, arguments of another kind.

    Examples
    --------
    >>> sums_sensitivity([[3, 4], [1, 0]]), sums_sensitivity([[3, 4], [1, 0]], norm="l2")
    (7.0, 5.0)
    """
    features, k = _features(features), check.group_count(n_groups)
    check.choice("norm", norm, NORMS)
    order = 1 if norm == "l1" else 2
    largest = longest_row(features, order)
    if largest == 0:
        check.refuse("features", largest, "is the largest norm: nobody has a feature", "Give features that are not all 0.")
    every_group = check.flag("every_group", every_group)
    return largest * (1.0 if k == 2 and not every_group else 2.0 ** (1 / order))


def exact_rows(features: np.ndarray) -> np.ndarray:
    """Cut off toward 0 to multiples of a public power of two, so small that sums of everybody's are exact in doubles in any order. X is
    public, so its largest entry may say which; no row becomes longer, so no sensitivity does."""
    unit = max(np.ldexp(1.0, int(np.frexp(np.abs(features).max())[1]) + (len(features) - 1).bit_length() - 53), 5e-324)
    return np.trunc(features / unit) * unit


def release_sums(features: ArrayLike, A: ArrayLike, Y: ArrayLike | None, epsilon: float, rng: np.random.Generator, *, n_groups: int = 2,
                 norm: Norm = "l1", every_group: bool = False) -> tuple[np.ndarray, Release]:
    """The sums of :func:`group_sums` with noise, epsilon-private together: Laplace for l1, :func:`l2_noise` for l2.

    Source: ours; ``l1`` by supplement, Theorem 1.1, ``l2`` by the same proof with the other norm. A moves the vectors of one label, so
    for l2 each label has noise of its own over its (k-1) d numbers. Entries are cut off to multiples of about m 2^-53 of the largest, so
    that sums are exact in any order of the people; the noisy sums are rounded to a public grid. Neither costs epsilon;
    noise in doubles does a little (chapter 18).

    Parameters
    ----------
    features, A, Y : as in :func:`group_sums`
    epsilon : float in [1e-9, 1e9]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
    norm : {"l1", "l2"}
    every_group : bool
        Sums of group 0 too, so that no group is treated otherwise than the others.

    Returns
    -------
    (array as of :func:`group_sums`, accounting.Release)

    Raises
    ------
    ValueError
        As :func:`group_sums`, and for numbers out of range.

    Examples
    --------
    >>> sums, release = release_sums([[1, .5], [1, .2]], [1, 0], [0, 1], 1e9, np.random.default_rng(0))
    >>> sums[0, 0].round(3).tolist(), release.sensitivity
    ([1.0, 0.5], 1.5)
    """
    check.same_people(features=features, A=A, **({} if Y is None else {"Y": Y}))
    sums = group_sums(exact_rows(_features(features)), A, Y, n_groups, every_group)
    epsilon, rng = check.number("epsilon", epsilon, low=_SMALLEST, high=_LARGEST), check.rng(rng)
    sensitivity = sums_sensitivity(features, n_groups, norm, every_group)
    if norm == "l1":
        return release("laplace", sums, rng, unit=UNIT_A, sensitivity=sensitivity, epsilon=epsilon)
    of_labels = sums.swapaxes(0, 1)
    noisy, record = release("l2 norm mechanism", of_labels.reshape(len(of_labels), -1), rng, unit=UNIT_A, sensitivity=sensitivity,
                            epsilon=epsilon)
    return noisy.reshape(of_labels.shape).swapaxes(0, 1), record
