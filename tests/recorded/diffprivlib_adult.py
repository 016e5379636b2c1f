"""What diffprivlib's logistic regression says of Adult: run by hand, in an environment of its own, as it pins an older scikit-learn.

    .venv/bin/python tests/recorded/diffprivlib_adult.py people some.npz        # in the environment of the book: rows and splits
    python -m venv somewhere && somewhere/bin/pip install diffprivlib==0.6.6 "scikit-learn<1.6" numpy
    somewhere/bin/python tests/recorded/diffprivlib_adult.py ask some.npz       # writes diffprivlib_adult.json beside this file

Rows are those of ``book/studies/ding_rivals.py``, of norm at most 1; ``data_norm=1``. Its guarantee is pure, for one replaced tuple by
its paper (Chaudhuri, Monteleoni and Sarwate 2011). C is the best of 12 by trials on the same part of the learning people as DP-SGD's, at
epsilon .1 for epsilons up to that, else at 1.
"""
from __future__ import annotations

import json
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np

RECORD = Path(__file__).with_suffix(".json")
EPSILONS = (0.01, 0.0316, 0.1, 1.0, 3.16, 10.0)
TRIALS = [10.0**power for power in range(-9, 3)]


def people(path: str) -> None:
    """Rows, labels, groups, and who learns and is judged in each split."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from book.studies.ding_people import SPLITS, people, unit_rows

    found, _ = people("adult", "one_hot")
    orders = np.stack([np.random.default_rng([2020, number]).permutation(found.m) for number in range(SPLITS)])
    np.savez(path, X=unit_rows("adult", "one_hot"), y=found.Y, A=found.A, orders=orders,
             part=np.random.default_rng(5).permutation(found.m * 4 // 5))


def fit(X: np.ndarray, y: np.ndarray, epsilon: float, C: float, seed: int) -> object:
    from diffprivlib.models import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegression(epsilon=epsilon, data_norm=1.0, C=C, max_iter=1000, random_state=seed).fit(X, y)


def judged(said: np.ndarray, y: np.ndarray, A: np.ndarray) -> dict[str, float]:
    rates = [said[A == a].mean() for a in (0, 1)]
    return {"accuracy": float((said == y).mean()), "risk_difference": float(abs(rates[1] - rates[0])), "accepted": float(said.mean()),
            "constant": float(max(y.mean(), 1 - y.mean()))}


def ask(path: str) -> dict:
    """Trials, then ten runs for each epsilon."""
    import diffprivlib
    import sklearn

    told = np.load(path)
    X, y, A, orders = told["X"], told["y"], told["A"], told["orders"]
    m = len(y) * 4 // 5
    part = orders[0][:m][told["part"]]
    learn, asked = part[:m * 4 // 5], part[m * 4 // 5:]
    trials = []
    for epsilon in (0.1, 1.0):
        for C in TRIALS:
            right = [float((fit(X[learn], y[learn], epsilon, C, seed).predict(X[asked]) == y[asked]).mean()) for seed in range(3)]
            trials.append({"epsilon": epsilon, "C": C, "accuracy": sum(right) / 3})
    best = {epsilon: max((t for t in trials if t["epsilon"] == epsilon), key=lambda t: t["accuracy"])["C"] for epsilon in (0.1, 1.0)}
    rows = []
    for epsilon in EPSILONS:
        C, runs, start = best[0.1 if epsilon <= 0.1 else 1.0], [], time.perf_counter()
        for number, order in enumerate(orders):
            model = fit(X[order[:m]], y[order[:m]], epsilon, C, number)
            runs.append(judged(model.predict(X[order[m:]]), y[order[m:]], A[order[m:]]))
        rows.append({"epsilon": epsilon, "C": C, "seconds": time.perf_counter() - start, "runs": runs})
    versions = {"diffprivlib": diffprivlib.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__,
                "python": platform.python_version()}
    return {"versions": versions, "trials": trials, "rows": rows}


if __name__ == "__main__":
    if sys.argv[1] == "people":
        people(sys.argv[2])
    else:
        RECORD.write_text(json.dumps(ask(sys.argv[2]), indent=1) + "\n", encoding="utf-8")
