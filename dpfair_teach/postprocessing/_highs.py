"""One call of the solver HiGHS, without the time that a general wrapper spends around it."""
from __future__ import annotations

import highspy
import numpy as np

__all__ = ["minimize"]

_OPTIONS = {
    "output_flag": False,
    "presolve": "off",                      # the programs are small already
    "primal_feasibility_tolerance": 1e-10,  # the smallest that HiGHS takes
    "dual_feasibility_tolerance": 1e-10,
    "small_matrix_value": 1e-12,            # it would drop rates below 1e-9
}


def minimize(cost: np.ndarray, rows: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """x in [0, 1]^n that minimizes cost . x under -most <= rows x <= most, and the price of each row; None where HiGHS has no answer."""
    columns = np.ascontiguousarray(rows.T)
    n, m = columns.shape
    filled = columns != 0
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n, m
    program.col_cost_, program.col_lower_, program.col_upper_ = cost, np.zeros(n), np.ones(n)
    program.row_lower_, program.row_upper_ = -most, most
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.num_col_, matrix.num_row_ = n, m
    matrix.start_ = np.append(0, filled.sum(axis=1).cumsum()).astype(np.int32)
    matrix.index_ = filled.nonzero()[1].astype(np.int32)
    matrix.value_ = columns[filled]

    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    return np.array(solution.col_value), -np.array(solution.row_dual)
