"""Code for a private step that is wrong in one thing."""
from __future__ import annotations

HEAD = "import numpy as np\nS = {sizes}\nP = {prices}\nC = {clip}\nZ = {noise_multiplier}\n"


def code(scale, body="    pass"):
    its = f"def noise_scale():\n    return {scale}\ndef step(gradients, A, rng):\n{body}\n"
    return lambda params: {"code": HEAD.format(**params) + its}


def the_librarys(params):
    """Of sums that one person joins or leaves, by the largest price."""
    return code("Z * C * max(abs(p) / n for p, n in zip(P, S))")(params)


GIVEN_AWAY = [the_librarys]
WRONG = [
    (code("Z * C"), 0, "too much noise, or too little"),
    (code("2 * Z * C * max(abs(p) / n for p, n in zip(P, S))"), 0, "too much noise, or too little"),
    (code("None"), 0, "noise_scale() is None"),
    (lambda params: {"code": "raise SystemExit"}, 0, "the code ended with SystemExit"),
]
