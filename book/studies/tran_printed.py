"""Table 2 of Tran et al. 2020 as printed: accuracy and violation, mean and standard deviation over five folds, transcribed."""
from __future__ import annotations

import numpy as np

#: The columns of the paper; what its table calls DF-LP is its PF-LD.
PRINTED_METHODS: tuple[str, ...] = ("clf", "z", "a", "m", "pf_ld")
#: For each data set and notion the accuracies, then the violations, each "mean (deviation)"; Z is for two groups.
_TEXT = """
bank accuracy_parity: 0.8 0.007, 0.801 0.005, 0.808 0.004, 0.799 0.007, 0.812 0.004;
    0.041 0.021, 0.025 0.015, 0.006 0.004, 0.036 0.019, 0.021 0.009
bank demographic_parity: 0.8 0.007, 0.78 0.009, 0.772 0.01, 0.784 0.008, 0.793 0.013;
    0.299 0.034, 0.03 0.021, 0.03 0.017, 0.131 0.048, 0.126 0.027
bank equalized_odds: 0.8 0.007, 0.791 0.006, 0.764 0.007, 0.796 0.006, 0.808 0.004;
    0.239 0.046, 0.113 0.054, 0.125 0.055, 0.252 0.103, 0.188 0.076
income accuracy_parity: 0.848 0.003, 0.848 0.004, 0.834 0.005, 0.842 0.004, 0.782 0.008;
    0.114 0.005, 0.114 0.007, 0.093 0.006, 0.11 0.006, 0.061 0.019
income demographic_parity: 0.848 0.003, 0.827 0.019, 0.789 0.031, 0.792 0.035, 0.799 0.002;
    0.181 0.007, 0.039 0.012, 0.044 0.053, 0.063 0.054, 0.019 0.009
income equalized_odds: 0.848 0.003, 0.842 0.003, 0.84 0.003, 0.837 0.002, 0.841 0.003;
    0.094 0.013, 0.102 0.022, 0.042 0.005, 0.064 0.014, 0.044 0.006
compas accuracy_parity: 0.683 0.011, 0.677 0.013, 0.675 0.013, 0.661 0.019, 0.671 0.015;
    0.024 0.014, 0.016 0.008, 0.033 0.022, 0.016 0.012, 0.031 0.029
compas demographic_parity: 0.683 0.011, 0.634 0.017, 0.643 0.014, 0.664 0.014, 0.667 0.015;
    0.121 0.022, 0.023 0.012, 0.048 0.023, 0.092 0.032, 0.098 0.037
compas equalized_odds: 0.683 0.011, 0.647 0.011, 0.662 0.019, 0.67 0.013, 0.677 0.015;
    0.118 0.038, 0.049 0.033, 0.097 0.044, 0.139 0.036, 0.115 0.04
m_bank3 accuracy_parity: 0.807 0.008, NA, 0.813 0.005, 0.817 0.009, 0.827 0.007;
    0.064 0.021, NA, 0.037 0.012, 0.04 0.032, 0.033 0.007
m_bank3 demographic_parity: 0.807 0.008, NA, 0.771 0.008, 0.797 0.006, 0.811 0.008;
    0.317 0.035, NA, 0.067 0.026, 0.261 0.085, 0.218 0.033
m_bank3 equalized_odds: 0.807 0.008, NA, 0.783 0.004, 0.808 0.01, 0.825 0.006;
    0.244 0.07, NA, 0.199 0.054, 0.348 0.133, 0.279 0.082
m_bank5 accuracy_parity: 0.807 0.008, NA, 0.809 0.007, 0.814 0.008, 0.827 0.007;
    0.078 0.013, NA, 0.055 0.018, 0.059 0.009, 0.046 0.008
m_bank5 demographic_parity: 0.807 0.008, NA, 0.757 0.015, 0.774 0.011, 0.805 0.009;
    0.341 0.034, NA, 0.091 0.028, 0.336 0.047, 0.193 0.035
m_bank5 equalized_odds: 0.807 0.008, NA, 0.785 0.011, 0.8 0.008, 0.823 0.007;
    0.271 0.068, NA, 0.214 0.045, 0.4 0.117, 0.297 0.084
"""
_ROWS: tuple[str, ...] = tuple(_TEXT.strip().replace(";\n    ", "; ").splitlines())
PRINTED: list[dict] = [{"data": line.split()[0], "notion": line.split()[1].strip(":"), "method": method}
                       for line in _ROWS for method in PRINTED_METHODS]


def printed(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The printed numbers of one method; none where the paper has none. Nothing is drawn."""
    head = f"{setting['data']} {setting['notion']}: "
    line = next(line for line in _ROWS if line.startswith(head))
    at = PRINTED_METHODS.index(setting["method"])
    row = {}
    for name, part in zip(("accuracy", "violation"), line.removeprefix(head).split("; "), strict=True):
        entry = part.split(", ")[at]
        row[name], row[f"{name}_sd"] = (float("nan"),) * 2 if entry == "NA" else map(float, entry.split())
    return [row]
