"""Decide, knowing what you do not know: mixtures that are good on average over what could be true, and not on one estimate."""
from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._curve import violation_of
from ..fairness import Parity
from ..fairness.parity import Notion
from .thresholds import served

__all__ = ["bayes_mixtures", "price_grid"]

#: A gap as narrow as this is as dear as one that is narrower: below it nobody wants to pay for ever less.
NARROW = 0.05
#: Prices of unfairness, times what a gap costs along the way from the unconstrained classifier to a constant.
TIMES = np.append(np.geomspace(8.0, 0.1, 16), 0.0)

#: Candidates that enter at once; what counts as better; up to so many rows all are there from the start.
_FEW, _TOLERANCE, _ALL = 6, 1e-6, 1024
#: What has been found stays allowed when a price changes or a candidate enters, so the primal method goes on from there; nothing is scaled
#: or shaken, as all entries are of one size. Of many groups it may go in circles, where else it takes some hundred steps: then the dual one
#: begins anew, and then an interior one.
_WAYS: tuple[dict[str, str | int | float], ...] = (
    {"presolve": "off", "solver": "simplex", "simplex_strategy": 4, "simplex_scale_strategy": 0,
     "primal_simplex_bound_perturbation_multiplier": 0.0, "simplex_iteration_limit": 2_000},
    {"presolve": "on", "simplex_strategy": 1, "simplex_scale_strategy": 2, "primal_simplex_bound_perturbation_multiplier": 1.0,
     "simplex_iteration_limit": 20_000},
    {"solver": "ipm"})


@check.formerly(against="Give a fairness.Parity for the notion.")
def bayes_mixtures(loss: ArrayLike, rates: ArrayLike, lams: ArrayLike, notion: Notion | Parity = "equalized_odds") -> np.ndarray:
    """For each price of unfairness the mixture of least loss + lam * largest gap, on average over draws of what could be true.

    Source: ours, chapter 14, the Bayes decision. A linear program: minimize the sum of w_h loss_h + lam / S times the sum of t_s, where
    t_s is at least each gap's size of the mixture in draw s. Of its columns, one for each candidate, and of its rows, one for each draw,
    gap and sign, only those enter that matter: a row that is broken, a candidate whose price is right, until there is none.

    Parameters
    ----------
    loss : array (H,)
        Of each candidate: how often it errs, or what its errors cost.
    rates : array (S, k, H, R)
        Of each group and candidate in each of S draws, for each rate of the notion.
    lams : array (L,), at least 0
        What a gap of 1 costs, in errors.
    notion : str or Parity
        As in :func:`multiplier_grid`; a word compares with group 0.

    Returns
    -------
    array (L, H): how often each candidate is used, for each price

    Raises
    ------
    ValueError
        Shapes that do not fit, entries that are not finite, numbers out of range.

    Examples
    --------
    A classifier whose gap is 0.2 in one draw and -0.2 in the other has no gap by the mean of the draws, and one of 0.2 on average:

    >>> loss, rates = [.1, .5], [[[[.2], [0]], [[.4], [0]]], [[[.4], [0]], [[.2], [0]]]]
    >>> bayes_mixtures(loss, rates, [1, 3], "demographic_parity").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    loss, rates, parity = read_candidates(loss, rates, served(notion))
    lams = check.filled("lams", check.array("lams", lams, ndim=1, low=0.0, high=1e9, booleans=False), "price")
    program, weights = Program(loss, rates, lams, parity), np.zeros((len(lams), len(loss)))
    for number in np.argsort(-lams, kind="stable"):
        weights[number] = program.solve(lams[number])
    return weights


@check.formerly(against="Give a fairness.Parity for the notion.")
def price_grid(loss: ArrayLike, rates: ArrayLike, notion: Notion | Parity = "equalized_odds") -> np.ndarray:
    """Prices of a gap of 1, in errors, for which mixtures are chosen: high ones first, 0 last.

    Source: ours, chapter 14. What a gap costs is a matter of scale: along the chord from the classifier of least loss to the better
    constant, so many errors buy one gap (of .05 or more). The prices are from 8 times to a tenth of that, evenly in the logarithm, and 0.

    Parameters
    ----------
    loss, rates, notion : as in :func:`bayes_mixtures`
        The last two candidates are the constants.

    Returns
    -------
    array (17,), falling; where a constant errs least, zeros

    Raises
    ------
    ValueError
        Shapes that do not fit, entries that are not finite.

    Examples
    --------
    >>> rates = [[[[.2], [0], [1]], [[.4], [0], [1]]], [[[.4], [0], [1]], [[.2], [0], [1]]]]
    >>> price_grid([.1, .4, .5], rates, "demographic_parity").round(2).tolist()[:3]
    [12.0, 8.96, 6.69]
    """
    loss, rates, parity = read_candidates(loss, rates, served(notion))
    best = int(loss.argmin())
    wide = violation_of(rates[:, :, best].astype(float), parity).mean()
    return TIMES * float((loss[-2:].min() - loss[best]) / max(wide, NARROW))


def read_candidates(loss: ArrayLike, rates: ArrayLike, parity: Parity) -> tuple[np.ndarray, np.ndarray, Parity]:
    loss = check.filled("loss", check.array("loss", loss, ndim=1, low=-1e6, high=1e6, booleans=False), "candidate")
    if not (isinstance(rates, np.ndarray) and rates.dtype == np.float32):           # of many candidates there is no room for another table
        rates = check.array("rates", rates, shape=(None,) * 4, low=-1e6, high=1e6, booleans=False)
    if rates.ndim != 4 or rates.shape[2:] != (len(loss), len(parity.cells)) or 0 in rates.shape or len(loss) < 2:
        check.refuse("rates", rates.shape, f"are no draws of the {len(parity.cells)} rates of the notion, of as many candidates as have a "
                     f"loss, {len(loss)}, two at least", "Give the rates(...) and the loss of oneshot.fair_candidates.")
    return loss, rates, parity


class Program:
    """The program with the rows and columns that have entered, in a solver that goes on where it stopped."""

    def __init__(self, loss: np.ndarray, rates: np.ndarray, lams: np.ndarray, parity: Parity) -> None:
        self.loss, self.rates, (self.S, k, self.H, R) = loss, rates, rates.shape
        self.pairs = np.array([(a, b, r) for a, b in parity.comparisons(k) for r in range(R)])
        self.columns: list[int] = []
        self.rows = np.zeros((0, 3), dtype=np.int64)        # draw, gap, sign
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        for _ in range(self.S):
            self.solver.addVar(0.0, highspy.kHighsInf)
        self.solver.addRow(1.0, 1.0, 0, np.zeros(0, dtype=np.int32), np.zeros(0))        # the weights' sum
        widest = np.stack([violation_of(np.moveaxis(draw, 1, 0), parity) for draw in rates]).mean(axis=0)
        self._add_columns(np.unique([widest.argmin(), loss.argmin(), *[(loss + lam * widest).argmin() for lam in lams]]))
        if 2 * self.S * len(self.pairs) <= _ALL:
            self._add_rows(np.stack(np.meshgrid(range(self.S), range(len(self.pairs)), (1, -1), indexing="ij"), axis=-1).reshape(-1, 3))

    def solve(self, lam: float) -> np.ndarray:
        self.solver.changeColsCost(self.S, np.arange(self.S, dtype=np.int32), np.full(self.S, lam / self.S))
        while True:
            solution = self._run()
            found, price = np.array(solution.col_value), np.array(solution.row_dual)
            least, used = found[:self.S], found[self.S:]
            if not self._add_broken(least, used) and not self._add_better(price):
                break
        weights = np.zeros(self.H)
        weights[self.columns] = np.clip(used, 0.0, None)
        return weights / weights.sum()

    def _run(self) -> highspy.HighsSolution:
        for number, way in enumerate(_WAYS):
            for option, value in way.items():
                self.solver.setOptionValue(option, value)
            if number:
                self.solver.clearSolver()
            self.solver.run()
            if self.solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                return self.solver.getSolution()
        raise RuntimeError(f"the program of the decision was not solved: {self.solver.getModelStatus()}")

    def _add_broken(self, least: np.ndarray, used: np.ndarray) -> bool:
        """The largest gap of each draw that is above what is paid for; one that is there already is the solver's rounding."""
        here = np.flatnonzero(used > 0)
        rates = np.einsum("skhr,h->skr", self.rates[:, :, [self.columns[i] for i in here]].astype(float), used[here])
        a, b, r = self.pairs.T
        gaps = rates[:, a, r] - rates[:, b, r]
        widest = np.abs(gaps).argmax(axis=1)
        size = np.take_along_axis(gaps, widest[:, None], 1)[:, 0]
        rows = np.column_stack([np.arange(self.S), widest, np.where(size > 0, 1, -1)])[np.abs(size) > least + _TOLERANCE]
        rows = rows[~(rows[:, None] == self.rows).all(axis=2).any(axis=1)]
        if len(rows):
            self._add_rows(rows)
        return bool(len(rows))

    def _gaps(self, rows: np.ndarray, columns: np.ndarray | slice) -> np.ndarray:
        """Signed gaps of rows (n, 3) for some candidates, (n, h)."""
        draw, gap, sign = rows.T
        a, b, r = self.pairs[gap].T
        return sign[:, None] * (self.rates[draw, a, :, r][:, columns].astype(float) - self.rates[draw, b, :, r][:, columns])

    def _add_rows(self, rows: np.ndarray) -> None:
        entries = np.column_stack([np.ones(len(rows)), -self._gaps(rows, np.array(self.columns))])
        n = entries.shape[1]
        index = np.concatenate([rows[:, :1], np.tile(self.S + np.arange(n - 1), (len(rows), 1))], axis=1)
        self.solver.addRows(len(rows), np.zeros(len(rows)), np.full(len(rows), highspy.kHighsInf), entries.size,
                            (n * np.arange(len(rows))).astype(np.int32), index.ravel().astype(np.int32), entries.ravel())
        self.rows = np.concatenate([self.rows, rows])

    def _add_better(self, price: np.ndarray) -> bool:
        """Candidates that at these prices of the rows would make the mixture better."""
        paid = np.flatnonzero(price[1:])
        reduced = self.loss - price[0] + price[1:][paid] @ self._gaps(self.rows[paid], slice(None))
        reduced[self.columns] = 0.0
        best = np.argsort(reduced, kind="stable")[:_FEW]
        best = best[reduced[best] < -_TOLERANCE]
        if len(best):
            self._add_columns(best)
        return bool(len(best))

    def _add_columns(self, which: np.ndarray) -> None:
        entries = np.concatenate([np.ones((1, len(which))), -self._gaps(self.rows, which)])
        n = len(entries)
        self.solver.addCols(len(which), self.loss[which], np.zeros(len(which)), np.full(len(which), highspy.kHighsInf), entries.size,
                            (n * np.arange(len(which))).astype(np.int32), np.tile(np.arange(n, dtype=np.int32), len(which)),
                            entries.T.ravel())
        self.columns.extend(which.tolist())
