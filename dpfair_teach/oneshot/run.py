"""One private run: ask, find candidates, audit the best of them, mix; arguments come checked."""
from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import _checks as check
from .._curve import GAMMAS
from ..mechanisms import cell_sensitivity
from ._public import Columns, Public
from .asked import Asked
from .basis import Basis, basis_of, scores_of
from .candidates import estimated_gaps, multiplier_grid
from .decided import Decisions
from .frontier import best_mixtures
from .known import Known
from .posterior import joint_codes
from .published import Frontier
from .releases import Norm
from .settings import suggested_cells

Method = Literal["histogram", "response", "sums", "designed"]
Smoothing = Literal["fixed", "likelihood"]
METHODS: tuple[Method, ...] = get_args(Method)


def learn(public: Public, A: np.ndarray, k: int, epsilon: float, rng: np.random.Generator, *, method: Method = "histogram",
          share: float | None = None, n_cells: int | None = None, norm: Norm = "l2", columns: Columns = "coordinates",
          smoothing: Smoothing = "fixed", gammas: tuple[float, ...] = GAMMAS) -> tuple[Basis, Frontier, Decisions, Known]:
    """One private run on checked arguments: (basis, Frontier, decisions of the H candidates, answers). A is read by ``Asked`` only."""
    if method == "designed":
        check.refuse("method", method, "has a run of its own", "Call oneshot.ask_well, or FrontierLearner with method='designed'.")
    settings = public.settings
    share = settings.share if share is None else share
    asked = Asked(public, A, k, rng)
    known = asked.known
    first, rest = parts_of(epsilon, share, k)
    strata, parity = public.people, public.parity
    if method == "histogram":
        asked.histogram(*public.cells(suggested_cells(public.m, epsilon) if n_cells is None else n_cells), first, sets_mean=True)
    elif method == "response":
        asked.response(first)
    else:
        asked.sums(first, norm, columns)
    if smoothing == "likelihood":
        known.smooth_by_likelihood()
        public = known.public
    weights, smooth = known.expected()
    if method == "sums" and columns == "features":
        smooth = weights        # whose sums of (1, X) are the answers, shrunk: without noise the oracle's own s_ay
    basis = basis_of(public, known, smooth)
    multipliers = candidate_rows(multiplier_grid(k, notion=parity))
    decisions = Decisions(scores_of(basis, public), multipliers)
    error, everybody = decisions.counted(public.y)
    gaps = estimated_gaps(decisions, everybody, weights, strata, parity)
    del weights, smooth     # of millions of people these are much
    audited = np.zeros((0, len(error)))
    if share < 1:
        chosen = best_mixtures(error, gaps, settings.support if method != "response" else GAMMAS)
        support, audited = chosen.support, chosen.weights
        if method == "response":        # reports of one person alone say little: from here on only what is audited is used
            support = np.union1d(support, [len(error) - 2, len(error) - 1])
            multipliers, decisions, audited = multipliers[support], decisions.only(support), audited[:, support]
            error, everybody = error[support], everybody[support]
            support = np.arange(len(error))
        codes, who = np.full(public.m, -1, dtype=np.int32), public.who
        labels = public.y[who]
        codes[who] = joint_codes(decisions.only(support).rows(who), labels if len(strata) == 2 else np.zeros_like(labels))
        asked.histogram(codes, int(codes.max()) + 1, rest)
        gaps = estimated_gaps(decisions, everybody, known.expected()[0], strata, parity)
    mixtures = best_mixtures(error, gaps, gammas)
    return basis, Frontier(mixtures.gammas, mixtures.weights, multipliers, error, gaps, audited), decisions, known


def parts_of(epsilon: float, share: float, k: int) -> tuple[float, float]:
    """Epsilon of the first release and of the second; together not above the whole, and such that the noise of counts lies in doubles."""
    first, least = epsilon * share, 1e-9 * cell_sensitivity(k)
    second = epsilon - first
    if Fraction(first) + Fraction(second) > Fraction(epsilon):      # by the last digit, and epsilon is a promise
        second = float(np.nextafter(second, 0.0))
    for name, part in {"the first question": first, **({"the second question": second} if share < 1 else {})}.items():
        if part < least:
            check.refuse("share", share, f"leaves {part:.2g} of epsilon = {epsilon:g} for {name}: less than {least:g}",
                         "Choose a share nearer to 0.5, 1 for no second question, or a larger epsilon.")
    return first, second


def candidate_rows(multipliers: np.ndarray) -> np.ndarray:
    """What the columns (score, gap scores, 1) of a basis are multiplied with: for each multiplier, then reject all and accept all."""
    rows = np.column_stack([np.ones(len(multipliers)), -multipliers, np.zeros(len(multipliers))])
    constants = np.zeros((2, rows.shape[1]))
    constants[:, -1] = (-1.0, 1.0)
    return np.concatenate([rows, constants])
