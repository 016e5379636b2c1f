"""Judges of the exercises on learners: chapters 8 to 23."""
from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

from . import practice

Fields = dict[str, Any]
#: People accepted of group 0 with label 0, with label 1, of group 1 with label 0, with label 1.
CELLS = ("list", ("whole", 0, 100), 4, 4)
BIT, SHARE, NUMBER = ("whole", 0, 1), ("exact", 0, 1), ("exact", -1000, 1000)
#: What an answer with digits may be off by.
NEAR = Fraction(1, 1000)


def measures(accepted: list[int], people: list[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Error, and the false and the true positive rate of group 1 less those of group 0, from the four cells."""
    wrong = sum(accepted[i] if i in (0, 2) else people[i] - accepted[i] for i in range(4))
    rates = [Fraction(accepted[i], people[i]) for i in range(4)]
    return Fraction(wrong, sum(people)), rates[2] - rates[0], rates[3] - rates[1]


def off(answer: Fields, right: dict[str, float], near: float = 1e-3) -> str:
    """Which number is too large or too small by more than that, or ""."""
    return next((f"{name}: {float(answer[name]):.6g} is too {'large' if answer[name] > value else 'small'}"
                 for name, value in right.items() if abs(answer[name] - value) > near), "")


@practice({"mixture": ("list", SHARE, 11, 11)})
def three_thresholds(answer: Fields, own: Fields) -> str:
    """8A: neither player can gain by changing alone."""
    from ...data import load
    ten, weights, tenth = load("ten_people"), answer["mixture"], Fraction(1, 10)
    cells = [2 * a + y for _, a, y in sorted(zip(ten.X[:, 0], ten.A.tolist(), ten.Y.tolist(), strict=True))]
    each = [measures([cells[r:].count(i) for i in range(4)], [cells.count(i) for i in range(4)]) for r in range(11)]
    error, fp, tp = (sum(w * one[i] for w, one in zip(weights, each, strict=True)) for i in range(3))
    pays, cheapest = error + (fp + tp) / 5, min(one[0] + (one[1] + one[2]) / 5 for one in each)
    if abs(sum(weights) - 1) > 1e-9:
        return f"the weights add up to {float(sum(weights)):.6g}"
    if pays > cheapest + 1e-6:
        return f"without 0.4 gamma the mixture pays {float(pays):.4f}, and some threshold pays less"
    fair = max(abs(fp - tenth), abs(tp - tenth)) < 1e-6
    return "" if fair else f"the gaps are {float(fp):.4f} and {float(tp):.4f}, and the auditor gains by other prices"


@practice({"unfair": CELLS, "fair": CELLS, "gamma": SHARE, "B": ("exact", 0, 1000)})
def unfair_equilibrium(answer: Fields, own: Fields) -> str:
    """8C: even at the highest price the learner keeps the unfair classifier."""
    gamma, B = answer["gamma"], answer["B"]
    (error, gap, _), (its_error, its_gap, _) = (measures(answer[name], [100] * 4) for name in ("unfair", "fair"))
    if abs(its_gap) > gamma:
        return f"the fair one's gap {float(its_gap):g} is larger than gamma"
    if abs(gap) <= gamma:
        return f"the unfair one's gap {float(gap):g} is not larger than gamma"
    if 2 * B * gamma <= 1:
        return f"B is not above 1/(2 gamma): twice their product is {float(2 * B * gamma):g}"
    pays, its = error + B * abs(gap), its_error + B * its_gap * (1 if gap > 0 else -1)
    return f"at the price B the unfair one pays {float(pays):g}, and the fair one {float(its):g}" if pays > its else ""


@practice({name: ("list", ("list", BIT, 4, 4), 2, 2) for name in ("square", "triangle")})
def missing_labelings(answer: Fields, own: Fields) -> str:
    """9B: no half-plane makes them."""
    from ...oracles import halfplane_labelings
    for name, points in (("square", [[0, 0], [1, 0], [0, 1], [1, 1]]), ("triangle", [[0, 0], [4, 0], [0, 4], [1, 1]])):
        made = halfplane_labelings(points).tolist()
        if told := [f"a half-plane makes {labels}" for labels in answer[name] if labels in made]:
            return f"{name}: {told[0]}"
        if answer[name][0] == answer[name][1]:
            return f"{name}: both labelings are {answer[name][0]}"
    return ""


@practice({"accepts": ("list", ("real", -50, 50), 1, 40), "rejects": ("list", ("real", -50, 50), 1, 40), "change": ("real", -1, 1)})
def half_sensitivity(answer: Fields, own: Fields) -> str:
    """9C: some labeling's chance changes by more than e."""
    weigh = [[exp(-(loss + moved * answer["change"]) / (2 * 0.45)) for loss in answer[name]]
             for name, moved in (("accepts", 0), ("accepts", 1), ("rejects", 0))]
    before, after = (sum(accepting) + sum(weigh[2]) for accepting in weigh[:2])
    lost = max(abs(log(old * after / (new * before))) for old, new in ((weigh[0][0], weigh[1][0]), (1, 1)))
    return "" if lost > 1 else f"no labeling's chance changes by a factor of more than e to the {lost:.4f}"


@practice({"violation": SHARE, "B": ("real", 0, 1000)})
def price_suffices(answer: Fields, own: Fields) -> str:
    """10E: h alone at B = 6; and the price at which h costs as much as the constant."""
    people, B = [900, 100, 900, 100], answer["B"]
    (error, _, gap), (constant, _, _) = measures([0, 100, 0, 88], people), measures(people, people)
    pays, its = float(error) + B * (abs(float(gap)) - 0.1), float(constant) - B * 0.1
    if abs(answer["violation"] - abs(gap)) > NEAR:
        return f"at B = 6 a mixture with violation {float(answer['violation']):g} does not pay least"
    return "" if abs(pays - its) < 0.002 else f"at your B the classifier h pays {pays:.4f} and accepting everybody {its:.4f}"


@practice({"tails": NUMBER, "densities": NUMBER})
def seen_noise(answer: Fields, own: Fields) -> str:
    """11A: in multiples of b, with b' = 2b: the loss at x is x/2, and for densities less ln 2."""
    return off(answer, {"tails": 2 * 20, "densities": 2 * (20 + log(2))}, 0.01)


@practice({"accepts": ("list", BIT, 3, 3), "weight": ("exact", 0, 1000)})
def smallest_repair(answer: Fields, own: Fields) -> str:
    """12A: an indicator whose weight is enough, and no larger than the smallest of any."""
    def widest(accepts: Any, weight: Fraction) -> Fraction:
        rates = [(Fraction(rate) + weight * one) / (1 + weight) for rate, one in zip(("0.1", "0.4", "0.05"), accepts, strict=True)]
        return max(abs(rate - rates[0]) for rate in rates)
    weight, enough = answer["weight"], Fraction("0.1")
    if (gap := widest(answer["accepts"], weight + NEAR)) > enough:
        return f"with that indicator and weight the largest gap is {float(gap):.4f}"
    # With a smaller one the gap of groups 1 and 0, (0.3 - weight) / (1 + weight) at best, is too large.
    return "a smaller weight of some indicator does it, too" if weight > Fraction(2, 11) + NEAR else ""


@practice({"rates": ("list", SHARE, 4, 4), "prices": ("list", NUMBER, 2, 2)})
def no_repair(answer: Fields, own: Fields) -> str:
    """12C: prices of the two gaps by which indicators cost 0 or more, and the classifier more than 0."""
    rates, (u, v) = answer["rates"], answer["prices"]
    gaps = rates[2] - rates[0], rates[3] - rates[1]
    if gaps != (Fraction(1, 2), Fraction(-1, 2)):
        return f"the gaps are {gaps[0]} and {gaps[1]}"
    if u + v != 0:
        return f"the indicators cost {u + v} and {-u - v}, and one of both is below 0"
    return "" if (cost := u * gaps[0] + v * gaps[1]) > 0 else f"the classifier costs {cost}"


@practice({"people": ("list", ("list", BIT, 3, 3), 8, 8), "who": ("whole", 0, 7)})
def blind_jump(answer: Fields, own: Fields) -> str:
    """13A: the least blind errors of two neighbours, in fractions."""
    from ..aware_jump import least_error
    errors = []
    for moved in (0, 1):
        people = [[x, a ^ (moved and i == answer["who"]), y] for i, (x, a, y) in enumerate(answer["people"])]
        table = [[[people.count([x, a, y]) for y in (0, 1)] for a in (0, 1)] for x in (0, 1)]
        if (fewest := min(table[0][a][0] + table[1][a][0] for a in (0, 1))) < 2:
            return f"a group has {fewest} people of label 0 {'after' if moved else 'before'} the change"
        errors.append(least_error(table, Fraction(1, 4), aware=False))
    return "" if abs(errors[0] - errors[1]) > Fraction(7, 100) else f"the least errors are {errors[0]} and {errors[1]}"


@practice(dict.fromkeys(("ones_laplace", "ones_two_norm", "hot_laplace", "hot_two_norm"), NUMBER))
def two_norms(answer: Fields, own: Fields) -> str:
    """14C: 2 ||x||_1^2, and (d + 1) ||x||_2^2, for d = 16."""
    return off(answer, {"ones_laplace": 2 * 16**2, "ones_two_norm": 17 * 16, "hot_laplace": 2, "hot_two_norm": 17})


@practice({"price": ("exact", 0, 1000), "weights": ("list", SHARE, 3, 3)})
def absolute_price(answer: Fields, own: Fields) -> str:
    """15B: the least price at which no network pays less than 0.3; a mixture without violation that loses nothing."""
    networks, price, weights = [(Fraction(3, 10), 0), (0, Fraction(1, 2)), (0, Fraction(-1, 2))], answer["price"], answer["weights"]
    if (least := min(loss + price * abs(gap) for loss, gap in networks)) < Fraction(3, 10):
        return f"at your price a network pays {float(least):.4g}"
    if min(loss + (price - NEAR) * abs(gap) for loss, gap in networks) >= Fraction(3, 10):
        return f"a price of {float(price - NEAR):.4g} reaches 0.3, too"
    total, (loss, gap) = sum(weights), (sum(w * one[i] for w, one in zip(weights, networks, strict=True)) for i in (0, 1))
    return "" if (total, loss, gap) == (1, 0, 0) else f"weights: they add up to {total}, lose {loss} and violate by {gap}"


@practice({"people": ("whole", 1, 10**6)})
def enough_people(answer: Fields, own: Fields) -> str:
    """16B: from so many on 1/20 + 1/(n_2 + 1) is at most 1/19."""
    def holds(people: int) -> bool:
        return Fraction(1, 20) + Fraction(1, people + 1) <= Fraction(1, 19)
    if holds((people := answer["people"]) - 1):
        return f"{people - 1} are enough, too"
    true = 1 / 20 + 1 / (people + 1)
    return "" if holds(people) else f"with {people} people the true bound is {true:.6f} times 2 C lambda, as printed {1 / 19:.6f}"


@practice({"clips": ("list", ("exact", 0, 100), 4, 4), "equality": ("exact", 0, 100)})
def quantile_clips(answer: Fields, own: Fields) -> str:
    """17A: clips by their bound; and one that solves the printed equality."""
    people = [(norm, Fraction(1, 3)) for norm in (1, 2, 5)] + [(norm, Fraction(1, 2)) for norm in (2, 4)]
    noises = [Fraction(1, 4), Fraction(5, 6), Fraction(4, 3), Fraction(11, 6)]

    def bound(clip: Fraction, noise: Fraction) -> Fraction:
        return noise * clip + sum(weight * max(norm - clip, Fraction(0)) for norm, weight in people)
    for clip, noise in zip(answer["clips"], noises, strict=True):
        if bound(clip, noise) > min(bound(Fraction(norm), noise) for norm in (0, 1, 2, 4, 5)):
            return f"s = {noise}: the bound is {bound(clip, noise)} at {clip}, and can be less"
    reached = sum(weight for norm, weight in people if norm >= answer["equality"])
    return "" if reached in noises else f"equality: those as long as {answer['equality']} or longer weigh {reached}, none of the four"


@practice({"half": SHARE, "nine_tenths": SHARE})
def silent_bias(answer: Fields, own: Fields) -> str:
    """17E: the mean score of the silent that makes such a violation."""
    for name, silent in (("half", Fraction(1, 2)), ("nine_tenths", Fraction(1, 10))):
        if abs((mean := Fraction(3, 10) + answer[name] / silent) - 1) > 10 * NEAR:
            return f"{name}: the silent would have a mean score of {float(mean):.4g}; it can be from 0 to 1"
    return ""


@practice({"log_loss": NUMBER, "second_order": NUMBER})
def parabola_optimum(answer: Fields, own: Fields) -> str:
    """18A: where the slopes 1/(1 + exp(-w)) - p and 1/2 + w/4 - p are 0."""
    return off(answer, {"log_loss": log(0.99 / 0.01), "second_order": 4 * 0.99 - 2}, 0.005)


@practice({"k": NUMBER, "vanishes": NUMBER, "literal": NUMBER, "exchanged": NUMBER})
def literal_price(answer: Fields, own: Fields) -> str:
    """19A: c w = t - S k, from its values at S = 0 and 1."""
    t, k = 1.154, 1.154 - 0.321
    return off(answer, {"k": k, "vanishes": t / k, "literal": t - 20 * k, "exchanged": -t - 20 * k}, 0.02)


@practice({"epsilon_s": ("real", 0.001, 1000), "mu": ("real", 0, 100), "epsilon": ("real", 0, 1000)})
def averaged_claim(answer: Fields, own: Fields) -> str:
    """19B: the claim at that epsilon_s is below the truth; and what the worst pair says of both."""
    from ... import functional
    epsilon_s, sensitivity = answer["epsilon_s"], functional.fair_l2(20, as_printed=True)
    mu = functional.adfc_ratio(20, *(functional.gaussian_sigma_extended(sensitivity, each, 1e-5) for each in (epsilon_s, 0.1)))
    claimed, true = functional.average_epsilon(20, epsilon_s, 0.1), functional.adfc_epsilon(20, epsilon_s, 0.1, 1e-5, 1e-5)
    if true <= claimed:
        return f"at epsilon_s = {epsilon_s:g} the claim of {claimed:.4g} is kept"
    return off(answer, {"mu": mu, "epsilon": true}, 0.002 * max(1, true))


@practice({"there": NUMBER, "everybody": NUMBER})
def centred_share(answer: Fields, own: Fields) -> str:
    """20A: the covariance is -2/100 times the sum of the 50 people's weights."""
    return off(answer, {name: -0.02 * (40 * (1 - share) - 10 * share) for name, share in (("there", 0.8), ("everybody", 0.5))}, 1e-6)


@practice({name: ("list", ("list", SHARE, 2, 2), 2, 2) for name in ("first", "second")})
def fair_coin(answer: Fields, own: Fields) -> str:
    """21B: of the ten people: two violations above 0, and the even mixture's."""
    from ... import data, fairness, postprocessing
    ten, (first, second) = data.load("ten_people"), (answer[name] for name in ("first", "second"))
    mixed = [[(first[d][a] + second[d][a]) / 2 for a in (0, 1)] for d in (0, 1)]
    counts = fairness.cell_counts(data.ten_people_base(ten.X), ten.A, ten.Y)
    found = [float(fairness.violation(postprocessing.derived_counts(counts, [[float(p) for p in row] for row in table])))
             for table in (first, second, mixed)]
    right = min(found[:2]) > 1e-6 and found[2] < 1e-9
    return "" if right else "the violations are {:.4g} and {:.4g}, and the mixture's {:.4g}".format(*found)


@practice({"groups": ("list", BIT, 10, 10), "who": ("whole", 0, 9), "least": ("exact", 0, 30), "chances": ("list", SHARE, 2, 2)})
def three_copies(answer: Fields, own: Fields) -> str:
    """21E: Laplace tails of the two numbers of rows."""
    rows = 3 * sum(answer["groups"])
    ways = [float(answer["least"] - number) / 2 for number in (rows, rows + (-3 if answer["groups"][answer["who"]] else 3))]
    true = [exp(-way) / 2 if way > 0 else 1 - exp(way) / 2 for way in ways]
    if (loss := abs(log(true[0] / true[1]))) <= 0.5:
        return f"that event has a loss of {loss:.4f}"
    return next((f"chances: at {way * 2:+.4g} rows from the true number it is not {float(chance):.4g}"
                 for way, chance, right in zip(ways, answer["chances"], true, strict=True) if abs(chance - right) > 1e-3), "")


@practice({"one_fold": NUMBER, "five_folds": NUMBER})
def lucky_folds(answer: Fields, own: Fields) -> str:
    """22A: the root of the variance of the measured gap."""
    return off(answer, {name: sqrt(0.8 * 0.2 * (1 / 37 + 1 / 900) / folds) for name, folds in (("one_fold", 1), ("five_folds", 5))})


@practice({"above": SHARE, "below": SHARE})
def accepted_share(answer: Fields, own: Fields) -> str:
    """23A: where all acceptances, or all rejections, of women make a gap of 0.1."""
    return off(answer, {"above": 0.1 * 0.32, "below": 1 - 0.1 * 0.32}, 5e-4)
