"""Right and wrong answers to the practice exercises on learners. Their solutions are printed in the chapters."""
from __future__ import annotations

EIGHT = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 1, 0], [0, 1, 0]]        # x, a, y; the second leaves R
UNFAIR = {"unfair": [20, 100, 0, 100], "fair": [100, 0, 100, 0], "gamma": 0.15, "B": 4}
XOR, INNER = [[0, 1, 1, 0], [1, 0, 0, 1]], [[0, 0, 0, 1], [1, 1, 1, 0]]
COPIES = {"groups": [0] * 5 + [1] * 5, "who": 5, "least": 15, "chances": [0.5, 0.112]}


def mixture(**weights):
    """Of the eleven thresholds."""
    return {"mixture": [weights.get(f"r{r}", 0) for r in range(11)]}


RIGHT = {
    "three_thresholds": mixture(r4=0.3, r6="13/30", r7="4/15"),
    "unfair_equilibrium": UNFAIR,
    "missing_labelings": {"square": XOR, "triangle": INNER},
    "half_sensitivity": {"accepts": [0], "rejects": [0] * 10, "change": 1},
    "price_suffices": {"violation": 0.12, "B": 7.45},
    "seen_noise": {"tails": 40, "densities": 41.386},
    "smallest_repair": {"accepts": [1, 0, 1], "weight": "2/11"},
    "no_repair": {"rates": [0, "1/2", "1/2", 0], "prices": [1, -1]},
    "blind_jump": {"people": EIGHT, "who": 1},
    "two_norms": {"ones_laplace": 512, "ones_two_norm": 272, "hot_laplace": 2, "hot_two_norm": 17},
    "absolute_price": {"price": 0.6, "weights": [0, "1/2", "1/2"]},
    "enough_people": {"people": 379},
    "quantile_clips": {"clips": [5, 3, 2, 1], "equality": 3},
    "silent_bias": {"half": 0.35, "nine_tenths": 0.07},
    "parabola_optimum": {"log_loss": 4.595, "second_order": 1.96},
    "literal_price": {"k": 0.833, "vanishes": 1.385, "literal": -15.5, "exchanged": -17.8},
    "averaged_claim": {"epsilon_s": 10, "mu": 0.248, "epsilon": 0.874},
    "centred_share": {"there": 0, "everybody": -0.3},
    "fair_coin": {"first": [[1, 0], [1, 0]], "second": [[0, 1], [0, 1]]},
    "three_copies": COPIES,
    "lucky_folds": {"one_fold": 0.067, "five_folds": 0.03},
    "accepted_share": {"above": 0.032, "below": 0.968},
}
WRONG = {
    "three_thresholds": [(mixture(r4=0.5), "add up to 0.5"), (mixture(r4="1/2", r5="1/2"), "some threshold pays less"),
                         (mixture(r6=1), "gains by other prices"), (mixture(r4="1/3", r6="1/3", r7="1/3"), "0.1111 and 0.0556")],
    "unfair_equilibrium": [({**UNFAIR, "B": 3}, "twice their product is 0.9"), ({**UNFAIR, "B": 5}, "pays 1.05, and the fair one 1"),
                           ({**UNFAIR, "gamma": 0.2}, "is not larger"), ({**UNFAIR, "fair": [0, 100, 50, 100]}, "is larger than gamma")],
    "missing_labelings": [({"square": INNER, "triangle": INNER}, "square: a half-plane makes [0, 0, 0, 1]"),
                          ({"square": XOR, "triangle": INNER[:1] * 2}, "triangle: both labelings")],
    "half_sensitivity": [({"accepts": [0], "rejects": [0], "change": 1}, "e to the 0.70"),
                         ({"accepts": [0], "rejects": [0] * 10, "change": 0.5}, "e to the 0.5"),
                         ({"accepts": [0], "rejects": [0] * 5, "change": 1}, "e to the 0.99")],
    "price_suffices": [({"violation": 0.1, "B": 7.45}, "violation 0.1 "), ({"violation": 0.12, "B": 8.94}, "h pays 0.1848")],
    "seen_noise": [({"tails": 20, "densities": 41.386}, "tails: 20 is too small"), ({"tails": 40, "densities": 40}, "densities: 40")],
    "smallest_repair": [({"accepts": [0, 1, 0], "weight": "2/11"}, "gap is"), ({"accepts": [1, 0, 1], "weight": 0.2}, "does it, too"),
                        ({"accepts": [1, 1, 1], "weight": 2}, "does it, too")],
    "no_repair": [({"rates": [0, "1/2", "1/2", 0], "prices": [1, 1]}, "one of both is below 0"),
                  ({"rates": [0, "1/2", "1/2", 0], "prices": [-1, 1]}, "the classifier costs -1"),
                  ({"rates": [0, 0, "1/2", "1/2"], "prices": [1, -1]}, "the gaps are 1/2 and 1/2")],
    "blind_jump": [({"people": EIGHT, "who": 3}, "the least errors are 21/64 and 21/64"),
                   ({"people": EIGHT, "who": 7}, "1 people of label 0")],
    "two_norms": [({"ones_laplace": 32, "ones_two_norm": 272, "hot_laplace": 2, "hot_two_norm": 17}, "ones_laplace: 32"),
                  ({"ones_laplace": 512, "ones_two_norm": 272, "hot_laplace": 2, "hot_two_norm": 272}, "hot_two_norm: 272 is too large")],
    "absolute_price": [({"price": 0.3, "weights": [0, "1/2", "1/2"]}, "a network pays 0.15"),
                       ({"price": 3, "weights": [0, "1/2", "1/2"]}, "a price of 2.999"),
                       ({"price": 0.6, "weights": [1, 0, 0]}, "lose 3/10")],
    "enough_people": [({"people": 378}, "0.052639 times 2 C lambda, as printed 0.052632"), ({"people": 380}, "379 are enough")],
    "quantile_clips": [({"clips": [5, 3, 2, 2], "equality": 3}, "s = 11/6"), ({"clips": [5, 3, 2, 1], "equality": 5}, "weigh 1/3")],
    "silent_bias": [({"half": 0.65, "nine_tenths": 0.07}, "half: the silent would have a mean score of 1.6"),
                    ({"half": 0.35, "nine_tenths": 0.03}, "mean score of 0.6")],
    "parabola_optimum": [({"log_loss": 1.96, "second_order": 1.96}, "log_loss"), ({"log_loss": 4.595, "second_order": 0.49}, "too small")],
    "literal_price": [({"k": 0.833, "vanishes": 1.154, "literal": -15.5, "exchanged": -17.8}, "vanishes"),
                      ({"k": 0.833, "vanishes": 1.385, "literal": 0, "exchanged": -17.8}, "literal")],
    "averaged_claim": [({"epsilon_s": 0.1, "mu": 0.248, "epsilon": 0.874}, "claim of 0.1 is kept"),
                       ({"epsilon_s": 10, "mu": 0.248, "epsilon": 0.595}, "epsilon: 0.595 is too small")],
    "centred_share": [({"there": 0, "everybody": -0.6}, "everybody: -0.6"), ({"there": -0.3, "everybody": 0}, "there: -0.3 is too small")],
    "fair_coin": [({"first": [[1, 1], [1, 1]], "second": [[0, 0], [0, 0]]}, "the violations are 0 and 0"),
                  ({"first": [[1, 0], [1, 0]], "second": [[1, 0], [1, 0]]}, "the mixture's 1")],
    "three_copies": [({**COPIES, "least": 10}, "that event has a loss of 0.16"), ({**COPIES, "chances": [0.5, 0.3]}, "it is not 0.3")],
    "lucky_folds": [({"one_fold": 0.0045, "five_folds": 0.03}, "one_fold: 0.0045 is too small"),
                    ({"one_fold": 0.067, "five_folds": 0.067}, "five_folds")],
    "accepted_share": [({"above": 0.1, "below": 0.968}, "above: 0.1 is too large"), ({"above": 0.032, "below": 0.932}, "below")],
}
