"""One figure of each view, with what is awkward about it: bands, empty series, log axes, texts as slider values, markup in names."""
from __future__ import annotations

import numpy as np
import pandas as pd

from dpfair_teach.explore import Explorer, Panel, People

X = np.linspace(-6, 6, 61)
WICKED = "</script><b>&\"' $x$"


def density(x, epsilon, sensitivity):
    scale = sensitivity / epsilon
    middle = np.exp(-np.abs(x) / scale) / (2 * scale)
    return {"this data set": middle, "neighbour " + WICKED: np.exp(-np.abs(x - sensitivity) / scale) / (2 * scale),
            "a tenth": np.stack([0.9 * middle, 1.1 * middle], axis=1), "mode": np.where(np.abs(x) < 1e-9, 1 / (2 * scale), 0.0)}


def regions(gamma, kind):
    empty = np.empty((0, 2))
    best = np.array([[0.25 + gamma / 4, 0.75]])
    return {"group 0": np.array([[0, 0], [0, 2 / 3], [1, 1], [1, 1 / 3]]), "group 1": np.array([[0, 0], [1 / 3, 1], [1, 1], [2 / 3, 0]]),
            "optimum": empty if kind == "none" else best, "its twin": best, "path": np.array([[0.25, 0.75], [0.25 + gamma / 4, 0.75]])}


def table(who, weight):
    counts = np.array([[2.0, 1, 1, 2], [0, 2, 1, 2]])
    if who != "nobody":
        counts[0, 0] -= weight
        counts[0, 2] += weight
    return pd.DataFrame(counts, index=["rejected", "accepted " + WICKED], columns=["Ada", "Ben", "Cleo", "Dan"])


def curve(epsilon):
    violation = np.linspace(0, 0.24, 13)
    error = 0.127 + 1.5 * (0.24 - violation) ** 2
    return {"best": np.stack([violation, error], axis=1), "private": np.stack([violation, error + 0.02 / epsilon], axis=1),
            "free": np.array([[0, 0.29], [0.24, 0.127]])}


PEOPLE = np.array([5.0, 20, 76.9, 1247, 2239, 20_000])


def shares(x, n):
    """Fractions whose third digit a coarse step of the logarithm misses: 4/9, 11/30."""
    return {"share": (n / 9) * x / PEOPLE[0], "other": (11 / 30) * PEOPLE[0] / x / n}


def path(rounds, B):
    steps = np.stack([np.cos(np.arange(rounds) / B), np.sin(np.arange(rounds) / B)], axis=1)
    averages = np.cumsum(steps, axis=0) / np.arange(1, rounds + 1)[:, None]
    return {"so far": averages, "now": averages[-1:]}


def was_run(method, runs, held_out):
    """Counts everywhere; the loop from 2 on but not 5, seen people only; nothing else."""
    return method == "counts" or (method == "loop" and runs in (2, 10, 20) and not held_out)


def trained(epoch):
    """People of two groups and labels, a line in two pieces that is gone at the end, and an arrow."""
    pieces = np.array([[-1, epoch / 2], [0, 0.3], [0, 0.3], [0.4, 1], [0.7, -1], [1, -epoch / 3]])[:6 - 3 * (epoch // 2) * 2]
    return {"zeros": np.array([[-0.5, 0.2], [0.9, -0.4]]), "ones": np.array([[0.1, 0.8]]),
            "ones of b": np.array([[0.3, -0.6], [-0.8, -0.2]]), "zeros of b": np.empty((0, 2)), "boundary": pieces}


def say(**values):
    return "The sliders stand at " + ", ".join(f"{k} {v}" for k, v in values.items()) + f" {WICKED}."


FOUR = People(["Ada", "Ben", "<Cleo>", "Dan"], group=[0, 0, 1, 1], label=[1, 1, 0, 1], score=[0.9, 0.2, 0.6, 0.4], cut=0.5,
              words={"decision": ("turned away", "taken")})


def shares_of(A):
    """Of the accepted and of the rejected, how many are in group 1: many settings have the same."""
    return {"accepted": (A[0] + A[2]) / 2, "rejected " + WICKED: (A[1] + A[3]) / 2}


def plane(A, blurred):
    return {"group 0": np.array([[0, 0], [1 - sum(A) / 4, 1]]), "drawn": np.array([[0.2, 0.3], [0.4, 0.1]])[:2 * blurred]}


def kept(x, noise):
    return {"kept": x * {"none": 1, "little": 0.5}[noise]}


def crowd() -> Explorer:
    """People, a choice of names and a checkbox; four panels, each of which follows some of them."""
    return Explorer([Panel(plane, name="Plane", view="roc", share=0.5, series={"group 0": "line"}),
                     [Panel(shares_of, name="Shares", view="bars", share=0.5, x_range=(0, 1)),
                      Panel(lambda A: {"each": np.column_stack([np.arange(4), A])}, name="Each", view="pareto", share=0.5)],
                     Panel(kept, name="Kept", x=np.linspace(0, 1, 5))],
                    people=FOUR, sliders={"noise": ["none", "little"], "blurred": [False, True]}, start={"noise": "little"},
                    title="People " + WICKED, question="Who moves? " + WICKED, alt=say, labels={"blurred": "blur it"})


def samples() -> dict[str, Explorer]:
    """Fresh figures; ``lines_log`` and ``pareto_log`` are second figures of a view."""
    bare = {"title": "How much? " + WICKED, "alt": say, "question": "What moves? " + WICKED}
    common = {**bare, "x_label": "x", "y_label": "y"}
    return {
        "lines": Explorer(density, x=X, sliders={"epsilon": [0.1, 0.5, 1, 2], "sensitivity": [1, 2, 3]}, start={"epsilon": 0.5},
                          series={"a tenth": "band", "mode": "points"}, **common),
        "named": Explorer(lambda x, a: {"falls": 5 - x * a / 12, "rises": 6 + x * a / 12, "flat": np.full(len(x), 2.0)}, x=X,
                          sliders={"a": [0, 1, 2]}, y_range=(0, 9), **common),
        "lines_log": Explorer(shares, x=PEOPLE, sliders={"n": [1, 4, 7]}, log_x=True, log_y=True, **common),
        "roc": Explorer(regions, view="roc", sliders={"gamma": [0, 0.1, 0.2, 0.4], "kind": ["none", "one"]}, start={"kind": "one"},
                        series={"group 0": "polygon", "group 1": "polygon", "path": "line"},
                        colors={"optimum": "group 0", "its twin": "group 1"}, **common),
        "table": Explorer(table, view="table", sliders={"who": ["nobody", "Dan"], "weight": [1, 0.25]}, start={"who": "Dan"}, **bare),
        "pareto": Explorer(curve, view="pareto", sliders={"epsilon": [0.1, 0.5, 1, 5]}, series={"best": "line", "private": "line"},
                           y_range=(0.1, 0.3), **common),
        "pareto_log": Explorer(lambda m: {"bound": np.array([[k, 1e4 * k / m] for k in (1, 10, 100)])}, view="pareto", log_x=True,
                               log_y=True, sliders={"m": [10, 1000, 100_000]}, **common),
        "trained": Explorer([Panel(trained, name="Plane", view="pareto", share=0.6, colors={"zeros": "ones", "zeros of b": "ones of b"},
                                   series={"zeros": "squares", "zeros of b": "squares", "ones": "circles", "ones of b": "circles",
                                           "boundary": "segments"}),
                             Panel(lambda epoch: {"up": epoch - 0.5, "down": -epoch, "none": 0.0}, name="Signed", view="bars", share=0.4)],
                            sliders={"epoch": [0, 1, 2]}, play="epoch", **bare),
        "bars": Explorer(lambda n: {"one " + WICKED: 1.0 / n, "two": n ** 2, "three": 3.0}, view="bars", sliders={"n": [1, 10, 100]},
                         **bare),
        "draw": Explorer(lambda x, scale: {"answer": np.exp(-np.abs(x) / scale), "given": np.full(len(x), 0.25)}, x=X,
                         sliders={"scale": [1, 2, 3]}, guess="answer", **common),
        "draw_log": Explorer(shares, x=PEOPLE, sliders={"n": [1, 4, 7]}, log_x=True, log_y=True, guess="share", **common),
        "rounds": Explorer(path, view="pareto", sliders={"rounds": range(1, 9), "B": [1, 2]}, series={"so far": "line"}, guess="now",
                           play="rounds", **common),
        "bar": Explorer(lambda e: {"right": 1 / (1 + np.exp(-e)), "blind": 0.5}, view="bars", sliders={"e": [0, 1, 4]}, x_range=(0, 1),
                        guess="right", **bare),
        "pairs": Explorer(lambda n: {"rows": ["D", "E", "D'"], "columns": ["one", "two"], "values": [[1, n], [5, 5], [1, 2]]}, view="table",
                          sliders={"n": [1, 2, 3]}, compare={"D'": "D"}, digits=0, **bare),
        "some": Explorer(lambda x, method, runs, held_out: {"s": x * runs + len(method)}, x=np.arange(3.0), offered=was_run,
                         sliders={"method": ["counts", "loop", "none"], "runs": [1, 2, 5, 10, 20], "held_out": [False, True]},
                         start={"method": "loop", "runs": 2}, **common),
        "crowd": crowd(),
    }
