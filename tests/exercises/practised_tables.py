"""Right and wrong answers to the practice exercises on rates, privacy and tables. Their solutions are printed in the chapters."""
from __future__ import annotations

TRUE = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]


def in_group_1(*who):
    return [int(i in who) for i in range(10)]


def ada_alone(params):
    """3A: three accepted people are in group 1, and Ada comes to them."""
    return {"groups": in_group_1(5, 6, 7, *(8, 9, 2, 3)[:params["ones"] - 3]), "who": 0, "value": 1}


def one_beside_four(params):
    """Groups of which one has a single accepted person."""
    return in_group_1(*((0, *(2, 3, 4, 8, 9)[:params["ones"] - 1]) if params["ones"] < 7 else (0, 1, 5, 6, 2, 3, 4)))


def fay_or_dan(params):
    """6A: of the two people with the label in a group one leaves."""
    ones = params["ones"]
    if params["label"]:
        return {"groups": in_group_1(5, 6, *(7, 8, 9, 3)[:ones - 2]), "who": 5, "before": 2, "after": 1}
    return {"groups": in_group_1(7, 8, 9, *(5, 6, 0)[:ones - 3]), "who": 3, "before": 2, "after": 1}


def one_over(ways):
    """6F: noise of these signs on label 0, [decision][group], and the base's own decision."""
    return {"noise": [[[way, 0] for way in half] for half in ways], "p": [[0, 0], [1, 1]]}


POPULATION = [[[6, 5], [5, 5], [4, 5]], [[4, 5], [5, 5], [6, 5]]]
PREDICTIVE = [[[9, 3], [3, 1]], [[1, 3], [3, 9]]]
ANCHORS = [[[2, 1], [1, 1], [0, 2]], [[1, 1], [0, 2], [1, 0]]]
PRICES = {"false": 0.075, "true": 0.075, "at_a_tenth": 0.235}
ALL_IN_ONE = {"counts": [100, 0, 0, 0], "noise": [-5, 5, 5, 5], "p": [0, 1, 1, 1]}
LED = [[0.5, 0]] + [[0, 1], [1, 0]] * 19 + [[0, 1]]

RIGHT = {
    "fairest_groups": {"groups": in_group_1(4, 5, 7, 8, 9)},
    "enough_draws": {"chebyshev": 250_000, "hoeffding": 26_492, "within": 0.0784},
    "impossible_rates": {"true": [0, "1/3"], "false": [0, 1]},
    "misled_leader": {"losses": LED},
    "certified_epsilon": {"chance": 0.7024, "epsilon": 0.859},
    "street": {"independent": 0.1252, "known_count": 0.28},
    "population_form": {"table": POPULATION},
    "equal_predictive_values": {"table": PREDICTIVE},
    "local_witness": ada_alone,
    "less_noise": {"third": 0.632, "nine_tenths": 0.054},
    "two_answers": {"epsilon": 1 - 2.6e-6, "enough": 0.152, "at_zero": 0.245},
    "second_step": {"first": 0.5, "after_high": 0.375, "after_low": 0.875},
    "two_anchors": {"table": ANCHORS},
    "prices_by_hand": PRICES,
    "slack_witness": fay_or_dan,
    "attained_bounds": one_over([[1, -1], [-1, 1]]),
    "chosen_bins": {"groups": in_group_1(6, 7), "who": 2},
    "worst_bins": ALL_IN_ONE,
}
WRONG = {
    "fairest_groups": [({"groups": TRUE}, "the violation is 1/3"), ({"groups": in_group_1(3, 4)}, "a group has nobody")],
    "enough_draws": [({"chebyshev": 250_000, "hoeffding": 23_026, "within": 0.0784}, "hoeffding is 23026, which is too small"),
                     ({"chebyshev": 1_000_000, "hoeffding": 26_492, "within": 0.0784}, "too large")],
    "impossible_rates": [({"true": [1, 1], "false": [1, 1]}, "at least 1.2, and coins reach 1.33333"),
                         ({"true": [0, 0], "false": [0, 0]}, "at least 0, and coins reach 0")],
    "misled_leader": [({"losses": [[0, 1], [1, 0]] * 20}, "regret"), ({"losses": [[1, 0]] * 40}, "regret is 0, less")],
    "certified_epsilon": [({"chance": 0.731, "epsilon": 1.0}, "chance is 0.731, which is too large"),
                          ({"chance": 0.7024, "epsilon": 0.7024}, "epsilon is 0.7024, which is too small")],
    "street": [({"independent": 0.1252, "known_count": 0.1252}, "known_count is 0.1252, which is too small"),
               ({"independent": 0.143, "known_count": 0.28}, "independent is 0.143, which is too large")],
    "population_form": [({"table": [[[5, 5]] * 3, [[5, 5]] * 3]}, "two are 0 apart"),
                        ({"table": [[[7, 5], [5, 5], [5, 5]], [[3, 5], [5, 5], [5, 5]]]}, "a rate is 0.1333 from"),
                        ({"table": [[[60, 0], [1, 0], [1, 0]], [[0, 0]] * 3]}, "there are 62 people")],
    "equal_predictive_values": [({"table": [[[3, 1], [3, 1]], [[1, 3], [1, 3]]]}, "differ by 0, "),
                                ({"table": [[[9, 3], [3, 1]], [[1, 3], [3, 8]]]}, "PPV is 3/4 and 8/11"),
                                ({"table": [[[0, 0], [3, 1]], [[1, 3], [3, 9]]]}, "none in")],
    "local_witness": [(lambda params: {**ada_alone(params), "value": 0}, "has probability 0 there"),
                      (lambda params: {**ada_alone(params), "groups": [0] * 10}, "group 1 has 0 people"),
                      (lambda params: {**ada_alone(params), "groups": one_beside_four(params)}, "one change alters"),
                      (lambda params: {**ada_alone(params), "who": 9}, "f is the same")],
    "less_noise": [({"third": 0.393, "nine_tenths": 0.054}, "third is 0.393, which is too small"),
                   ({"third": 0.632, "nine_tenths": 0.1}, "too large")],
    "two_answers": [({"epsilon": 1, "enough": 0.152, "at_zero": 0.245}, "epsilon is 1, which is too large"),
                    ({"epsilon": 1 - 2.6e-6, "enough": 0.152, "at_zero": 0.49}, "at_zero is 0.49, which is too large")],
    "second_step": [({"first": 0.5, "after_high": 0.5, "after_low": 0.5}, "fixed beforehand have 0.216055"),
                    ({"first": 0.5, "after_high": 0.875, "after_low": 0.375}, "the best two steps")],
    "two_anchors": [({"table": [[[1, 1]] * 3, [[1, 1]] * 3]}, "the best errors are"),
                    ({"table": [[[2, 2]] * 3, [[1, 1]] * 3]}, "there are 18 people")],
    "prices_by_hand": [({**PRICES, "false": 0.1}, "not of 1/4"),
                       ({**PRICES, "at_a_tenth": 0.25}, "at_a_tenth is 0.25, which is too large")],
    "slack_witness": [(lambda params: {**fay_or_dan(params), "after": 2}, "after: the smaller cell"),
                      (lambda params: {**fay_or_dan(params), "who": 0 if params["label"] else 7, "after": 2}, "is the same for both"),
                      (lambda params: {**fay_or_dan(params), "groups": [0] * 10}, "group 1 has 0 people")],
    "attained_bounds": [(one_over([[0, 0], [0, 0]]), "the gap moves by 0;"), (one_over([[-1, -1], [1, 1]]), "the gap moves by")],
    "chosen_bins": [({"groups": TRUE, "who": 2}, "bins are taken for both"), ({"groups": [0] * 10, "who": 2}, "nobody")],
    "worst_bins": [({**ALL_IN_ONE, "p": [0, 0, 0, 1]}, "the rate is off by 5 / 110"),
                   ({**ALL_IN_ONE, "counts": [0, 0, 0, 0]}, "the cell has 0 people")],
}
