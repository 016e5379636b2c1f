"""Rates that are fair by two forms and far apart by the third, and unfair to the anchor once two groups are merged."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._draw import Draw

MINUTES, POINTS, LEVEL = 35, 10, "find"
OBJECTIVE = "say which form of a fairness promise survives the merging of groups, and which does not"
COUNT = ("whole", 0, 400)
SHAPE = {"accepted": ("list", ("list", COUNT, 2, 2), 4, 4), "merge": ("list", ("whole", 0, 3), 2, 2)}


def params(draw: Draw) -> dict[str, Any]:
    """People [group][label] and gamma; it is not the same which groups are merged."""
    while True:
        people = [[draw.whole(100, 160) for _ in "01"], *([draw.whole(190, 380) for _ in "01"] for _ in "123")]
        times = [min(n / n_0 for n, n_0 in zip(group, people[0], strict=True)) for group in people[1:]]
        gamma = Fraction(draw.whole(12, 20), 100)
        if sorted(times)[1] < 2 and max(times) > 2.4:
            return {"people": people, "gamma": str(gamma), "pairs": str(gamma * 19 / 10), "merged": str(gamma * 5 / 3)}


def check(params: dict[str, Any], answer: dict[str, Any]) -> tuple[int, str]:
    """Are both rates fair to the population and to the anchor, far apart in a pair, and unfair to the anchor after the merger?"""
    people, merge = params["people"], sorted(answer["merge"])
    gamma, pairs, merged = (Fraction(params[name]) for name in ("gamma", "pairs", "merged"))
    if merge[0] == merge[1]:
        return 0, f"group {merge[0]} cannot be merged with itself"
    for y, name in enumerate(("false", "true")):
        sizes, accepted = ([group[y] for group in counts] for counts in (people, answer["accepted"]))
        if (more := [a for a in range(4) if accepted[a] > sizes[a]]):
            return 0, f"of group {more[0]} {accepted[more[0]]} people with label {y} are accepted, and there are {sizes[more[0]]}"
        rates, everybody = [Fraction(*pair) for pair in zip(accepted, sizes, strict=True)], Fraction(sum(accepted), sum(sizes))
        for form, other in (("the population's", everybody), ("group 0's", rates[0])):
            if (gap := largest(rates, other)) > gamma:
                return 0, f"a {name} positive rate is {float(gap):.6g} from {form}, more than {float(gamma):g}"
        if (gap := max(rates) - min(rates)) < pairs:
            return 0, f"no two {name} positive rates are more than {float(gap):.6g} apart; asked for are {float(pairs):g}"
        both = Fraction(sum(accepted[a] for a in merge), sum(sizes[a] for a in merge))
        after = [both if a in merge else rate for a, rate in enumerate(rates)]
        if (gap := largest(after, after[0])) < merged:
            return 0, f"after the merger no {name} positive rate is more than {float(gap):.6g} from the anchor's, not {float(merged):.6g}"
    return POINTS, ""


def largest(rates: list[Fraction], other: Fraction) -> Fraction:
    """The largest gap to the other rate."""
    return max(abs(rate - other) for rate in rates)
