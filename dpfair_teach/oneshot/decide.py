"""Decide, knowing what you do not know: mixtures that are good on average over what could be true, and not on one estimate."""
from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["bayes_mixtures"]

#: Candidates that enter at once; what counts as better; up to so many rows all are there from the start; steps of the simplex method.
_FEW, _TOLERANCE, _ALL, _LONGEST = 6, 1e-6, 1024, 20_000
#: What has been found stays allowed when a price changes or a candidate enters, so the primal method goes on from there; nothing is scaled
#: or shaken, as all entries are of one size. Rarely it goes in circles: then the dual one begins anew, and then an interior one.
_WAYS: tuple[dict[str, str | int | float], ...] = (
    {"presolve": "off", "solver": "simplex", "simplex_strategy": 4, "simplex_scale_strategy": 0,
     "primal_simplex_bound_perturbation_multiplier": 0.0},
    {"presolve": "on", "simplex_strategy": 1, "simplex_scale_strategy": 2, "primal_simplex_bound_perturbation_multiplier": 1.0},
    {"solver": "ipm"})


def bayes_mixtures(error: ArrayLike, gaps: ArrayLike, lams: ArrayLike) -> np.ndarray:
    """For each price of unfairness the mixture of least error + lam * largest gap, on average over draws of what could be true.

    Source: ours, chapter 14, the Bayes decision. A linear program: minimize the sum of w_h error_h + lam / S times the sum of t_s, where
    t_s is at least each gap's size of the mixture in draw s. Of its columns, one for each candidate, and of its rows, one for each draw,
    gap and sign, only those enter that matter: a row that is broken, a candidate whose price is right, until there is none.

    Parameters
    ----------
    error : array (H,)
        Error of each candidate.
    gaps : array (S, C, H)
        Signed gaps of each candidate in each of S draws.
    lams : array (L,), at least 0
        What a gap of 1 costs, in errors.

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

    >>> error, gaps = [.1, .5], [[[.2, 0]], [[-.2, 0]]]
    >>> bayes_mixtures(error, gaps, [1, 3]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    error = check.filled("error", check.array("error", error, ndim=1, low=-1e6, high=1e6, booleans=False), "candidate")
    gaps = check.array("gaps", gaps, shape=(None, None, len(error)), low=-1e6, high=1e6, booleans=False)
    if 0 in gaps.shape:
        check.refuse("gaps", gaps.shape, "has no draw or no gap", "Give at least one draw of at least one gap.")
    lams = check.filled("lams", check.array("lams", lams, ndim=1, low=0.0, high=1e9, booleans=False), "price")
    program, weights = Program(error, gaps, lams), np.zeros((len(lams), len(error)))
    for number in np.argsort(-lams, kind="stable"):
        weights[number] = program.solve(lams[number])
    return weights


class Program:
    """The program with the rows and columns that have entered, in a solver that goes on where it stopped."""

    def __init__(self, error: np.ndarray, gaps: np.ndarray, lams: np.ndarray) -> None:
        self.error, self.gaps, (self.S, self.C, self.H) = error, np.ascontiguousarray(gaps), gaps.shape
        self.columns: list[int] = []
        self.rows = np.zeros((0, 3), dtype=np.int64)        # draw, gap, sign
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("simplex_iteration_limit", _LONGEST)
        none, whole = np.zeros(0), np.zeros(0, dtype=np.int32)
        for _ in range(self.S):
            self.solver.addVar(0.0, highspy.kHighsInf)
        self.solver.addRow(1.0, 1.0, 0, whole, none)        # the weights' sum
        widest = np.abs(gaps).max(axis=1).mean(axis=0)
        self._add_columns(np.unique([widest.argmin(), error.argmin(), *[(error + lam * widest).argmin() for lam in lams]]))
        if 2 * self.S * self.C <= _ALL:
            self._add_rows(np.stack(np.meshgrid(range(self.S), range(self.C), (1, -1), indexing="ij"), axis=-1).reshape(-1, 3))

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
        gaps = self.gaps[:, :, [self.columns[i] for i in here]] @ used[here]
        widest = np.abs(gaps).argmax(axis=1)
        size = np.take_along_axis(gaps, widest[:, None], 1)[:, 0]
        rows = np.column_stack([np.arange(self.S), widest, np.where(size > 0, 1, -1)])[np.abs(size) > least + _TOLERANCE]
        rows = rows[~(rows[:, None] == self.rows).all(axis=2).any(axis=1)]
        if len(rows):
            self._add_rows(rows)
        return bool(len(rows))

    def _add_rows(self, rows: np.ndarray) -> None:
        entries = np.column_stack([np.ones(len(rows)), -self._entries(rows)])
        n = entries.shape[1]
        index = np.concatenate([rows[:, :1], np.tile(self.S + np.arange(n - 1), (len(rows), 1))], axis=1)
        self.solver.addRows(len(rows), np.zeros(len(rows)), np.full(len(rows), highspy.kHighsInf), entries.size,
                            (n * np.arange(len(rows))).astype(np.int32), index.ravel().astype(np.int32), entries.ravel())
        self.rows = np.concatenate([self.rows, rows])

    def _entries(self, rows: np.ndarray) -> np.ndarray:
        draw, gap, sign = rows.T
        return sign[:, None] * self.gaps[draw[:, None], gap[:, None], np.array(self.columns)]

    def _add_better(self, price: np.ndarray) -> bool:
        """Candidates that at these prices of the rows would make the mixture better."""
        paid = np.flatnonzero(price[1:])
        draw, gap, sign = self.rows[paid].T
        reduced = self.error - price[0] + (sign * price[1:][paid]) @ self.gaps[draw, gap]
        reduced[self.columns] = 0.0
        best = np.argsort(reduced, kind="stable")[:_FEW]
        best = best[reduced[best] < -_TOLERANCE]
        if len(best):
            self._add_columns(best)
        return bool(len(best))

    def _add_columns(self, which: np.ndarray) -> None:
        draw, gap, sign = self.rows.T
        entries = np.concatenate([np.ones((1, len(which))), -sign[:, None] * self.gaps[draw[:, None], gap[:, None], which]])
        n = len(entries)
        self.solver.addCols(len(which), self.error[which], np.zeros(len(which)), np.full(len(which), highspy.kHighsInf), entries.size,
                            (n * np.arange(len(which))).astype(np.int32), np.tile(np.arange(n, dtype=np.int32), len(which)),
                            entries.T.ravel())
        self.columns.extend(which.tolist())
