"""Table 1 of Ding et al. 2020 as printed: risk differences, mean and standard deviation over ten runs, transcribed."""
from __future__ import annotations

import numpy as np

#: For each data set and epsilon the columns LR, PFLR*, PDFC, ADFC, each "mean deviation".
_TEXT = """
adult 0.01: 0.187 0.049, 0.045 0.095, 0.048 0.108, 0.146 0.131
adult 0.1: 0.187 0.049, 0.004 0.009, 0.005 0.022, 0.068 0.028
adult 1: 0.187 0.049, 0.022 0.088, 0.002 0.011, 0.045 0.027
adult 10: 0.187 0.049, 0.003 0.001, 0.035 0.041, 0.019 0.003
us 0.01: 0.191 0.014, 0.037 0.038, 0.003 0.034, 0.004 0.007
us 0.1: 0.191 0.014, 0.078 0.021, 0.001 0.006, 0.008 0.003
us 1: 0.191 0.014, 0.069 0.007, 0.022 0.047, 0.031 0.004
us 10: 0.191 0.014, 0.067 0.003, 0.022 0.031, 0.045 0.002
"""
#: The epsilons that the text says its figures have.
GRID: tuple[float, ...] = (1e-2, 10**-1.5, 1e-1, 10**0.5, 1e1)
METHODS: tuple[str, ...] = ("lr", "pflr_star", "pdfc", "adfc")


def _read() -> dict[tuple[str, float, str], tuple[float, float]]:
    found = {}
    for line in _TEXT.strip().splitlines():
        place, told = line.split(":")
        data, epsilon = place.split()
        for method, pair in zip(METHODS, told.split(","), strict=True):
            mean, deviation = map(float, pair.split())
            found[data, float(epsilon), method] = mean, deviation
    return found


NUMBERS = _read()
PRINTED: list[dict] = [{"data": data, "method": method, "epsilon": epsilon} for data, epsilon, method in NUMBERS]


def printed(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """What the table says; nothing is drawn."""
    mean, deviation = NUMBERS[setting["data"], setting["epsilon"], setting["method"]]
    return [{"risk_difference": mean, "risk_difference_deviation": deviation}]
