"""Before anybody is asked, and after: what X and Y say, and the best guess of everybody's group by noisy counts."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .. import _checks as check
from ..accounting import Release
from ..fairness import Parity
from ..fairness.parity import AcceptanceNotion, OfGroups
from ..mechanisms.geometric import geometric_variance
from ._public import Public
from .candidates import group_shares, served
from .known import Chances, Known
from .settings import DEFAULTS, DESIGNED

__all__ = ["guess_groups", "public_part"]

#: What the public part is for.
PublicMethod = Literal["histogram", "designed"]


def public_part(X: object, Y: object, *, method: PublicMethod = "histogram", notion: AcceptanceNotion | Parity = "equalized_odds",
                against: OfGroups | None = None, base: Any = None) -> Public:
    """All that asking once computes from X and Y before it asks: a map of the people, cells on it, the chance of label 1. It never sees A.

    Source: ours, chapter 14. Standardize X: who is near whom depends on the units of its columns.

    Parameters
    ----------
    X : array (m, d)
    Y : array (m,) of 0/1, both occurring
    method : str
        ``histogram``: for :func:`ask_once`; ``designed``: for :func:`ask_well`, whose belief has another prior.
    notion, against : as in :func:`multiplier_grid`
        Whose rates are compared.
    base : fitted classifier with ``predict_proba``, optional
        Its P(Y = 1 | x) in the place of the logistic's, see :class:`FrontierLearner`. It must not have seen A.

    Returns
    -------
    record with ``X``, ``y``, ``m``; ``cells(n)``: everybody's cell (m,), n of them a label, and their number; ``eta(X)``: the base's
        or a logistic's P(Y = 1 | x), for anybody

    Raises
    ------
    ValueError
        Arrays that do not fit, entries that are not finite, one label only, features that hardly vary; a base that cannot tell.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> cells, n = public_part(people.X, people.Y).cells(6)
    >>> len(cells), n
    (400, 12)
    """
    check.same_people(X=X, Y=Y)
    settings = DESIGNED if check.choice("method", method, get_args(PublicMethod)) == "designed" else DEFAULTS
    return Public(X, Y, settings, oracle="bayes", parity=served(notion, against), label="Y", base=base)


@dataclass(frozen=True)
class Guess:
    """What is guessed of the groups by what was released.

    Source: ours, chapter 14, the best linear guess.

    Parameters
    ----------
    weights : array (m, k)
        Everybody's expected group; entries may leave [0, 1].
    chances : function of X (n, d)
        P(A = a | x, y) of anybody, (n, 2, k), indexed [x, y, a].
    sizes : array (2, k)
        [y, a]: how many people of each label and group, at least 1.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.mechanisms import release_cells
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> cells, n = public_part(people.X, people.Y).cells(6)
    >>> asked = [(cells, *release_cells(cells, people.A, 1.0, np.random.default_rng(2), n_cells=n))]
    >>> guess = guess_groups(public_part(people.X, people.Y), asked)
    >>> guess.weights.shape, guess.chances(people.X[:3]).shape, guess.sizes.shape
    ((400, 2), (3, 2, 2), (2, 2))
    """

    weights: np.ndarray
    chances: Chances
    sizes: np.ndarray


def guess_groups(public: Public, asked: Sequence[tuple[np.ndarray, np.ndarray, Release]]) -> Guess:
    """The best linear guess of everybody's group, by the noisy counts of one or more questions: :func:`expected_groups` for each label.

    Source: ours, chapter 14, the best linear guess. The model: people of a label have the mean chance that the first counts add up to,
    between 0.05 and 0.95; neighbours on the public map have similar chances; the rest of a person is the person's own. It is computed
    from public things and from what was released: it costs nothing.

    Parameters
    ----------
    public : of :func:`public_part`
    asked : sequence of (cells, counts, release)
        Everybody's cell (m,), and what :func:`release_cells` answered: the noisy counts (k-1, J), and its record.

    Raises
    ------
    ValueError
        Where ``public`` is none, or ``asked`` no such sequence.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.mechanisms import release_cells
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> public = public_part(people.X, people.Y)
    >>> cells, n = public.cells(6)
    >>> guess = guess_groups(public, [(cells, *release_cells(cells, people.A, 1.0, np.random.default_rng(2), n_cells=n))])
    >>> bool(np.allclose(guess.weights.sum(axis=1), 1))
    True
    """
    check.instance("public", public, Public, "is not the public part of a data set", "Make it with oneshot.public_part(X, Y).")
    asked = check.filled("asked", check.entries("asked", asked, "a list of questions", HOW), "question")
    known: Known | None = None
    for number, question in enumerate(asked):
        cells, counts, release = checked_question(asked, question, public.m)
        known = known or Known(public, len(counts) + 1)
        known.count(cells, counts, geometric_variance(release.sensitivity or 0.0, release.epsilon or 0.0), sets_mean=number == 0)
    assert known is not None
    weights, smooth = known.expected()
    return Guess(weights, known.chances(), group_shares(smooth, public.people))


HOW = "Give a list of (cells, counts, release), the last two as mechanisms.release_cells(cells, A, ...) returns them."


def checked_question(asked: list, question: Any, m: int) -> tuple[np.ndarray, np.ndarray, Release]:
    whole = isinstance(question, tuple) and len(question) == 3 and isinstance(question[2], Release)
    if not whole or question[2].mechanism != "geometric":
        check.refuse("asked", asked, "does not hold questions with their noisy counts and records", HOW)
    cells = check.codes("asked", question[0], what="cells", remedy=HOW)
    counts = check.array("asked", question[1], ndim=2)
    wanted = (np.shape(asked[0][1])[0], int(cells.max()) + 1)
    if len(cells) != m or len(counts) != wanted[0] or counts.shape[1] < wanted[1]:
        check.refuse("asked", (len(cells), counts.shape), f"are not the cells of {m} people, and counts {wanted} of them", HOW)
    return cells, counts, question[2]
