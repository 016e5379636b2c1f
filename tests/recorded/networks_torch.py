"""What torch says of the networks of ``tests/test_networks_torch.py``: run by hand, in an environment that has it.

    python -m venv somewhere && somewhere/bin/pip install torch==2.13.0 numpy
    somewhere/bin/python tests/recorded/networks_torch.py       # writes networks_torch.json beside this file

Nothing of the library is read here: theta, people and slopes are drawn by ``inputs`` from a seed of numpy, for both sides alike. All is in
double precision. Of the large network every 997th entry of a gradient is kept, and its norm.
"""
from __future__ import annotations

import json
import platform
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

RECORD = Path(__file__).with_suffix(".json")
#: features, hidden layers, people, every how manieth entry is kept
CASES = {"logistic": (5, (), 12, 1), "small": (4, (6, 5), 10, 1), "narrow": (3, (4, 1, 3), 9, 1), "large": (100, (100, 100), 64, 997)}
CLIP = 1.5
STEPS = 6


def inputs(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """theta, layer by layer with weights (inputs, outputs) before biases; X; y."""
    n, hidden, m, _ = CASES[name]
    rng = np.random.default_rng(list(name.encode()))
    widths = (n, *hidden, 1)
    theta = np.concatenate([rng.normal(size=(rows + 1) * columns) * np.sqrt(2 / rows)
                            for rows, columns in pairwise(widths)])
    X, y = rng.normal(size=(m, n)), rng.integers(0, 2, m)
    return theta, X, y


def record() -> dict:
    """All numbers, and the versions that made them."""
    import torch

    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)

    def numbers(hidden, n, theta, X, y):
        """Everybody's logit, log loss, score and soft error, from torch's own layers."""
        a, start, widths = X, 0, (n, *hidden, 1)
        for i, (rows, columns) in enumerate(pairwise(widths)):
            W = theta[start:start + rows * columns].reshape(rows, columns)
            b = theta[start + rows * columns:start + (rows + 1) * columns]
            a = torch.nn.functional.linear(a, W.T, b)
            a = torch.relu(a) if i < len(hidden) else a
            start += (rows + 1) * columns
        z = a[:, 0]
        p = torch.sigmoid(z)
        return {"logits": z, "log_loss": torch.nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none"), "score": p,
                "soft_error": (y - p).abs()}

    found = {}
    for name, (n, hidden, _, every) in CASES.items():
        theta, X, y = (torch.tensor(a, dtype=torch.float64) for a in inputs(name))
        rows = {"logits": numbers(hidden, n, theta, X, y)["logits"].tolist()}
        for what in ("log_loss", "score", "soft_error"):
            each = []
            for i in range(len(X)):
                weights = theta.clone().requires_grad_()
                numbers(hidden, n, weights, X[i:i + 1], y[i:i + 1])[what][0].backward()
                each.append(weights.grad)
            weights = theta.clone().requires_grad_()
            values = numbers(hidden, n, weights, X, y)[what]
            values.sum().backward()
            clipped = sum(g / torch.clamp(g.norm() / CLIP, min=1) for g in each)
            rows[what] = {"values": values.tolist(), "norms": [g.norm().item() for g in each],
                          "gradient": weights.grad[::every].tolist(), "gradient_norm": weights.grad.norm().item(),
                          "clipped_sum": clipped[::every].tolist(), "clipped_sum_norm": clipped.norm().item()}
        for label, make in (("SGD", lambda w: torch.optim.SGD([w], lr=.05)), ("Adam", lambda w: torch.optim.Adam([w], lr=.05)),
                            ("momentum", lambda w: torch.optim.SGD([w], lr=.05, momentum=.9))):
            weights = theta.clone().requires_grad_()
            optimizer, losses = make(weights), []
            for _ in range(STEPS):
                optimizer.zero_grad()
                loss = numbers(hidden, n, weights, X, y)["log_loss"].mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            rows[label] = {"losses": losses, "theta": weights.detach()[::every].tolist()}
        found[name] = rows
    versions = {"torch": torch.__version__, "numpy": np.__version__, "python": sys.version.split()[0], "machine": platform.machine()}
    return {"script": "tests/recorded/networks_torch.py", "versions": versions, "clip": CLIP, "steps": STEPS, "cases": found}


if __name__ == "__main__":
    RECORD.write_text(json.dumps(record(), indent=0) + "\n", encoding="utf-8")
