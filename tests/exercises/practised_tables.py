"""Right and wrong answers to the practice exercises on rates, privacy and tables. Their solutions are printed in the chapters."""
from __future__ import annotations


def ada_alone(params):
    """3A's idea at other numbers: one accepted person in a group beside two."""
    groups = [0] * 10
    for i in (0, 1, *(2, 3, 4, 8, 9)[:params["ones"] - 2]):
        groups[i] = 1
    return {"groups": groups, "who": 0, "value": 1}


RIGHT = {"local_witness": ada_alone}
WRONG = {"local_witness": [
    (lambda params: {**ada_alone(params), "value": 0}, "has probability 0 there"),
    (lambda params: {**ada_alone(params), "groups": [0] * 10}, "group 1 has 0 people"),
    (lambda params: {**ada_alone(params), "who": 9}, "f is the same"),
]}
