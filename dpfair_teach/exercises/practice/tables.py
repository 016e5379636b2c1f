"""Judges of the exercises on rates, privacy and tables: ten people, refreshers, chapters 1 to 7."""
from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, sqrt
from typing import Any

import numpy as np

from . import practice

Fields = dict[str, Any]
#: A group for each of the ten people, and one of the ten.
TEN, WHO = ("list", ("whole", 0, 1), 10, 10), ("whole", 0, 9)
#: Of the ten people, in order: whom the base accepts, and who has label 1.
ACCEPTED, LABEL_1 = (0, 1, 5, 6, 7), (0, 1, 2, 5, 6)
NUMBER, CHANCE, TRUE = ("real", -10**6, 10**6), ("exact", 0, 1), [0] * 5 + [1] * 5


def pairs(entry: Any, of: int = 2) -> Any:
    """The shape of `of` pairs."""
    return ("list", ("list", entry, 2, 2), of, of)


def table(groups: list[int], accepted: Any = ACCEPTED) -> list:
    """Of the ten people in these groups the counts, [decision][group][label]."""
    return [[[sum(groups[i] == a and (i in accepted) == d and (i in LABEL_1) == y for i in range(10)) for y in (0, 1)]
             for a in (0, 1)] for d in (0, 1)]


def moved(groups: list[int], who: int) -> list[int]:
    """The groups when one person is in the other one."""
    return [g ^ (i == who) for i, g in enumerate(groups)]


def people(counts: list, labels: tuple[int, ...] = (0, 1)) -> list[int]:
    """How many there are in each (group, label), all groups of the first label first."""
    return [counts[0][a][y] + counts[1][a][y] for y in labels for a in range(len(counts[0]))]


def share(counts: list, d: int, a: int, y: int) -> Fraction:
    """Of group a's people with label y the part with decision d."""
    return Fraction(counts[d][a][y]) / (counts[0][a][y] + counts[1][a][y])


def gap(counts: list, y: int) -> Fraction:
    """How far the groups' accepted parts of the people with label y are apart."""
    rates = [share(counts, 1, a, y) for a in range(len(counts[0]))]
    return max(rates) - min(rates)


def near(answer: Fields, **truth: tuple[float, float]) -> str:
    """Of the first number that is further from the truth than allowed, (truth, allowed), whether it is too large or too small."""
    for name, (value, allowed) in truth.items():
        if abs(answer[name] - value) > allowed:
            return f"{name} is {float(answer[name]):.9g}, which is too {'large' if answer[name] > value else 'small'}"
    return ""


@practice({"groups": TEN})
def fairest_groups(answer: Fields, own: Fields) -> str:
    """B of the ten people: groups with the least violation. One of the people with label 1 is in the other group than Cleo."""
    counts = table(answer["groups"])
    if not all(people(counts)):
        return "a group has nobody with one of the labels"
    violation = max(gap(counts, 0), gap(counts, 1))
    return f"the violation is {violation}, and other groups have less" if violation > Fraction(1, len(LABEL_1) - 1) else ""


@practice({"chebyshev": ("whole", 0, 10**9), "hoeffding": ("whole", 0, 10**9), "within": NUMBER})
def enough_draws(answer: Fields, own: Fields) -> str:
    """PA: the least numbers of draws, and what 300 promise."""
    return near(answer, chebyshev=(1 / (4 * 0.01**2 * 0.01), 1), hoeffding=(ceil(log(200) / (2 * 0.01**2)), 1),
                within=(sqrt(log(40) / 600), 0.001))


@practice({"true": ("list", ("exact", 0, 10**6), 2, 2), "false": ("list", ("exact", 0, 10**6), 2, 2)})
def impossible_rates(answer: Fields, own: Fields) -> str:
    """LB: multipliers of the demands, for each group of its true positives and of its false ones. What coins reach is less."""
    counts = table(TRUE)
    reached = sum(max(0, answer["true"][a] * share(counts, d, a, 1) - answer["false"][a] * share(counts, d, a, 0))
                  for a in (0, 1) for d in (0, 1))
    asked = sum(answer["true"]) * Fraction(4, 5) - sum(answer["false"]) * Fraction(1, 5)
    return "" if reached < asked else f"the rows add up to at least {float(asked):.6g}, and coins reach {float(reached):.6g}"


@practice({"losses": pairs(("real", 0, 1), 40)})
def misled_leader(answer: Fields, own: Fields) -> str:
    """CA: losses of two actions in 40 rounds. Where both are equal so far, the leader takes the one that loses less."""
    leader, first, second = 0.0, 0.0, 0.0
    for one, two in answer["losses"]:
        leader += min(one, two) if first == second else one if first < second else two
        first, second = first + one, second + two
    regret = leader - min(first, second)
    return "" if regret >= 19 else f"the leader's regret is {regret:.4g}, less than 19"


@practice({"chance": NUMBER, "epsilon": NUMBER})
def certified_epsilon(answer: Fields, own: Fields) -> str:
    """1B: the lower end for the chance to be right, and what it says of epsilon."""
    from ...audit import clopper_pearson
    low = float(clopper_pearson(731, n=1000, alpha=0.05)[0])
    return near(answer, chance=(low, 0.001), epsilon=(log(low / (1 - low)), 0.005))


@practice({"independent": NUMBER, "known_count": NUMBER})
def street(answer: Fields, own: Fields) -> str:
    """1E: the largest probability of group 0. Where the count is known, two people change together."""
    odds = [5 / 95 * exp(epsilon) for epsilon in (1, 2)]
    return near(answer, independent=(odds[0] / (1 + odds[0]), 0.001), known_count=(odds[1] / (1 + odds[1]), 0.001))


@practice({"table": ("list", pairs(("whole", 0, 60), 3), 2, 2)})
def population_form(answer: Fields, own: Fields) -> str:
    """2A: three groups near the population's false positive rate, two of them far apart."""
    counts = answer["table"]
    if sum(people(counts)) > 60 or not all(people(counts, (0,))):
        return f"there are {sum(people(counts))} people, and of label 0 in the groups {people(counts, (0,))}"
    whole = Fraction(sum(counts[1][a][0] for a in range(3)), sum(people(counts, (0,))))
    far = max(abs(share(counts, 1, a, 0) - whole) for a in range(3))
    fits = far <= Fraction(1, 10) and gap(counts, 0) >= Fraction(1, 5)
    return "" if fits else f"a rate is {float(far):.4g} from the population's; two are {float(gap(counts, 0)):.4g} apart"


@practice({"table": ("list", pairs(("whole", 0, 40)), 2, 2)})
def equal_predictive_values(answer: Fields, own: Fields) -> str:
    """2B: predictive values of 3/4, and both rates far apart."""
    counts = answer["table"]
    if sum(people(counts)) > 40 or not all(people(counts)) or not all(sum(row) for half in counts for row in half):
        return f"there are {sum(people(counts))} people, or none in a (group, label) or (decision, group)"
    values = [Fraction(counts[d][a][d], sum(counts[d][a])) for d in (1, 0) for a in (0, 1)]
    if values != [Fraction(3, 4)] * 4:
        return f"PPV is {values[0]} and {values[1]} in the two groups, NPV {values[2]} and {values[3]}"
    if min(gap(counts, 0), gap(counts, 1)) < Fraction(2, 5):
        return f"false positive rates differ by {gap(counts, 0)}, true positive rates by {gap(counts, 1)}"
    return ""


@practice({"groups": TEN, "who": WHO, "value": ("whole", 0, 1)}, lambda draw: {"ones": draw.whole(3, 7)})
def local_witness(answer: Fields, own: Fields) -> str:
    """3A: neighbours, and the value of f that has probability 1 for the groups and 0 for the neighbour."""
    def both(groups: list[int]) -> bool:
        return len({groups[i] for i in ACCEPTED}) == 2

    def still(groups: list[int]) -> bool:
        return all(both(moved(groups, j)) == both(groups) for j in range(10))
    groups = answer["groups"]
    if sum(groups) != own["ones"]:
        return f"group 1 has {sum(groups)} people, and must have {own['ones']}"
    if not still(groups):
        return "one change alters f at your groups: noise is added there, and no value has probability 1"
    if answer["value"] != both(groups):
        return f"f is {both(groups):d} at your groups, so {answer['value']} has probability 0 there"
    if still(moved(groups, answer["who"])):
        return "at the neighbour no noise is added either, and f is the same: the value has probability 1 for both"
    return ""


@practice({"third": NUMBER, "nine_tenths": NUMBER})
def less_noise(answer: Fields, own: Fields) -> str:
    """3B: the least delta at epsilon 1 of a third and of nine tenths of the noise."""
    return near(answer, third=(-expm1((1 - 3) / 2), 0.002), nine_tenths=(-expm1((1 - 10 / 9) / 2), 0.002))


@practice({"epsilon": NUMBER, "enough": NUMBER, "at_zero": NUMBER})
def two_answers(answer: Fields, own: Fields) -> str:
    """4A: epsilon at delta 1e-6, the delta from which epsilon0 = 0.5 is enough, and that at epsilon 0."""
    truth = exp(0.5) / (1 + exp(0.5))
    return near(answer, epsilon=(1 + log(1 - 1e-6 / truth**2), 1e-7), enough=(truth**2 * -expm1(-0.5), 0.001),
                at_zero=(2 * truth - 1, 0.001))


@practice({"first": ("real", 0, 1), "after_high": ("real", 0, 1), "after_low": ("real", 0, 1)})
def second_step(answer: Fields, own: Fields) -> str:
    """4E: at epsilon0 = 1 a t for each step, the second after either loss; delta at epsilon = 0.25 against the best fixed plan."""
    from ...accounting import bounded_range_delta

    def outcomes(t: float) -> list[tuple[float, float]]:
        low = expm1(-t) / expm1(-1.0)
        return [(1 - low, t), (low, t - 1)]         # probability under Q, loss
    delta = sum(chance * then * max(0.0, exp(loss + more) - exp(0.25))
                for (chance, loss), second in zip(outcomes(answer["first"]), ("after_high", "after_low"), strict=True)
                for then, more in outcomes(answer[second]))
    fixed = bounded_range_delta(1.0, 2, 0.25)
    return "" if delta > fixed + 1e-6 else f"delta is {delta:.6f}; the best two steps that are fixed beforehand have {fixed:.6f}"


@practice({"table": ("list", pairs(("whole", 0, 12), 3), 2, 2)})
def two_anchors(answer: Fields, own: Fields) -> str:
    """5A: a table of three groups whose best error depends on the anchor."""
    from ...postprocessing import solve_lp
    counts = answer["table"]
    if sum(people(counts)) > 12 or not all(people(counts)):
        return f"there are {sum(people(counts))} people, in the cells of label 0 and then of label 1 {people(counts)}"
    errors = [float(solve_lp(np.array(counts)[:, order] / sum(people(counts)), 0.1).value) for order in ([0, 1, 2], [1, 0, 2])]
    return "" if abs(errors[0] - errors[1]) >= 0.01 - 1e-9 else f"the best errors are {errors[0]:.6f} and {errors[1]:.6f}"


@practice({"false": ("exact", -10, 10), "true": ("exact", -10, 10), "at_a_tenth": ("exact", -10, 10)})
def prices_by_hand(answer: Fields, own: Fields) -> str:
    """5B: two prices that prove an error of 1/4, and what they prove at gamma = 0.1."""
    counts, proved = table(TRUE), Fraction(1, 2)
    for d, a in ((0, 0), (0, 1), (1, 0), (1, 1)):
        price = answer["false"] * share(counts, d, a, 0) + answer["true"] * share(counts, d, a, 1)
        proved += min(Fraction(0), Fraction(counts[d][a][0] - counts[d][a][1], 10) + (price if a else -price))
    if proved != Fraction(1, 4):
        return f"at gamma = 0 these prices prove an error of at least {float(proved):.6g}, not of 1/4"
    return near(answer, at_a_tenth=(float(proved - (abs(answer["false"]) + abs(answer["true"])) / 10), 1e-9))


@practice({"groups": TEN, "who": WHO, "before": ("whole", 0, 5), "after": ("whole", 0, 5)},
          lambda draw: {"label": draw.whole(0, 1), "ones": draw.whole(4, 6)})
def slack_witness(answer: Fields, own: Fields) -> str:
    """6A: neighbours, and the people of the smaller cell of the own label for each, which the published slack tells."""
    if sum(answer["groups"]) != own["ones"]:
        return f"group 1 has {sum(answer['groups'])} people, and must have {own['ones']}"
    for name, groups in (("before", answer["groups"]), ("after", moved(answer["groups"], answer["who"]))):
        counts = table(groups)
        if not all(people(counts)):
            return f"{name}: a group has nobody with one of the labels"
        if answer[name] != min(people(counts, (own["label"],))):
            return f"{name}: the smaller cell of label {own['label']} does not hold {answer[name]}"
    return "" if answer["before"] != answer["after"] else "the smaller cell, and so the slack, is the same for both"


@practice({"noise": ("list", pairs(("exact", -1, 1)), 2, 2), "p": pairs(CHANCE)})
def attained_bounds(answer: Fields, own: Fields) -> str:
    """6F: noise on the toy table of 1,000 people, in units of tau, and decisions with which part 4's bound is attained."""
    tau, toy = Fraction(2 * log(8 / 0.05)), [[[150, 100], [50, 80]], [[50, 250], [120, 200]]]
    noisy = [[[toy[d][a][y] + tau * answer["noise"][d][a][y] for y in (0, 1)] for a in (0, 1)] for d in (0, 1)]
    gaps = [abs(sum(s * answer["p"][d][a] * share(counts, d, a, 0) for d in (0, 1) for a, s in ((0, -1), (1, 1))))
            for counts in (toy, noisy)]
    move, bound = abs(gaps[1] - gaps[0]), sum(tau / cell for cell in people(noisy, (0,)))
    return "" if move == bound else f"the gap moves by {float(move):.6g}; the bound is {float(bound):.6g}"


@practice({"groups": TEN, "who": WHO})
def chosen_bins(answer: Fields, own: Fields) -> str:
    """7A: neighbours for which another number of bins has the smaller error on the true table."""
    from ... import data, fairness, postprocessing
    ten, chosen = data.load("ten_people"), []
    for groups in (answer["groups"], moved(answer["groups"], answer["who"])):
        if not all(people(table(groups))):
            return "a group has nobody with one of the labels, at your groups or at the neighbour"
        counts = [fairness.cell_counts(postprocessing.score_bins(ten.X[:, 0], cuts), groups, ten.Y, n_groups=2, n_bins=len(cuts) + 1)
                  for cuts in ([0.5], [0.4, 0.6])]
        two, three = (float(postprocessing.closed_form(each / 10, 0).value) for each in counts)
        chosen.append(3 if three < two - 1e-9 else 2)
    return f"{chosen[0]} bins are taken for both" if chosen[0] == chosen[1] else ""


@practice({"counts": ("list", ("whole", 0, 1000), 4, 4), "noise": ("list", ("whole", -5, 5), 4, 4), "p": ("list", CHANCE, 4, 4)})
def worst_bins(answer: Fields, own: Fields) -> str:
    """7C: counts of four bins, noises of at most 5, and p with which the rate is off by nearly 3 * 5 over the noisy cell."""
    true, noisy = answer["counts"], [answer["counts"][v] + answer["noise"][v] for v in range(4)]
    if min(sum(true), sum(noisy)) <= 0:
        return f"the cell has {sum(true)} people, and {sum(noisy)} with the noise"
    rate, said = (sum(answer["p"][v] * each[v] for v in range(4)) / sum(each) for each in (true, noisy))
    off = abs(said - rate) * sum(noisy)
    return "" if off > 14 else f"the rate is off by {float(off):.4g} / {sum(noisy)}"
