"""Code for weighted group sizes that is wrong in one thing."""
from __future__ import annotations

HEAD = "import numpy as np\nW = {weights}\nEPSILON = {epsilon}\n"


def code(scale, body="    pass"):
    return lambda params: {"code": HEAD.format(**params) + f"def noise_scale():\n    return {scale}\ndef release(A, rng):\n{body}\n"}


def the_librarys(params):
    """Of a plain histogram one person moves two counts by 1."""
    body = "    from dpfair_teach import mechanisms\n    return mechanisms.laplace(np.bincount(A, minlength=4), 2, EPSILON, rng)"
    return code("2 / EPSILON", body)(params)


GIVEN_AWAY = [the_librarys]
WRONG = [
    (code("max(W) / EPSILON"), 0, "too much noise, or too little"),
    (code("sum(W) / EPSILON"), 0, "too much noise, or too little"),
    (code("'large'"), 0, "noise_scale() is 'large'"),
    (code("1 +"), 0, "the code ended with SyntaxError"),
    (lambda params: {"code": 3}, 0, "code is 3; it must be a text of at most 20000 characters"),
]
