"""One call of the solver HiGHS, without the time that a general wrapper spends around it."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

__all__: list[str] = []     # the programs here and those of the games call it

_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "presolve": "off",                      # the programs are small already
    "primal_feasibility_tolerance": 1e-10,  # the smallest that HiGHS takes
    "dual_feasibility_tolerance": 1e-10,
    "small_matrix_value": 1e-12,            # it would drop rates below 1e-9
}


class _Kept(threading.local):
    """One solver a thread, as making one takes a third of the time of a small program. Of a program before it knows nothing."""

    solver: Any = None


_KEPT = _Kept()


def _solver(options: dict[str, object] | None) -> Any:
    """A solver with these options beside those of every call; the one that is kept, where there are none."""
    if not options and _KEPT.solver is not None:
        return _KEPT.solver
    import highspy  # here: it takes a tenth of a second

    solver = highspy.Highs()
    for option, value in (_OPTIONS | (options or {})).items():
        solver.setOptionValue(option, value)
    if not options:
        _KEPT.solver = solver
    return solver


def minimize(cost: np.ndarray, rows: np.ndarray, most: np.ndarray, least: np.ndarray | None = None, free: int = 0,
             options: dict[str, object] | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """N programs as one: x in [0, 1]^n that minimizes cost . x under least <= rows x <= most, and the price of each row.

    The last ``free`` of the n may be any number. ``options`` of HiGHS beside those of every call.
    ``cost`` (N, n), ``rows`` (N, r, n), ``most`` and ``least`` (N, r), which may be infinite; ``least`` is -``most`` where it is not given.
    Returns x (N, n) and prices (N, r), None where HiGHS has no answer.
    """
    import highspy

    least = -most if least is None else least
    programs, r, n = rows.shape
    columns = rows.swapaxes(1, 2)
    filled = columns != 0
    block, _, row = filled.nonzero()
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = programs * n, programs * r
    lower, upper = np.zeros((programs, n)), np.ones((programs, n))
    lower[:, n - free:], upper[:, n - free:] = -np.inf, np.inf
    program.col_cost_, program.col_lower_, program.col_upper_ = cost.ravel(), lower.ravel(), upper.ravel()
    program.row_lower_, program.row_upper_ = least.ravel(), most.ravel()
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.num_col_, matrix.num_row_ = programs * n, programs * r
    matrix.start_ = np.append(0, filled.sum(axis=2).cumsum()).astype(np.int32)
    matrix.index_ = (block * r + row).astype(np.int32)
    matrix.value_ = columns[filled]

    solver = _solver(options)
    solver.passModel(program)
    solver.run()
    found = None
    if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
        solution = solver.getSolution()
        found = np.array(solution.col_value).reshape(programs, n), -np.array(solution.row_dual).reshape(programs, r)
    solver.clearModel()             # a large one is not kept
    return found
