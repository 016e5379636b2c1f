"""Every learner's violation from the library, and the same counted by hand, for 2, 3 and 5 groups: ``make violations``.

A learner joins by one line of ``LEARNERS``: a name and a function of :class:`People` that gives the library's number, the chance of a 1 for
every person, and, where that is not equalized odds against group 0, the notion and the form. The hand goes person by person; it knows
nothing of tables.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpfair_teach import baselines, data, fairness, functional, games, lagrangian, oneshot, postprocessing, separation
from dpfair_teach.oracles import RegressionOracle
from dpfair_teach.postprocessing import learner as repairs

GROUPS = (2, 3, 5)
GAMMA, EPSILON, DELTA = 0.05, 2.0, 1e-6


@dataclass(frozen=True)
class People:
    """People of k groups, the last of them large, and a classifier to start from."""

    k: int

    @cached_property
    def data(self) -> data.Dataset:
        return data.make_logistic(300, n_groups=self.k, d=3, shifts=np.outer(np.linspace(0, 1.5, self.k), [1, .5, 0]),
                                  rng=np.random.default_rng(7))

    @property
    def A(self) -> np.ndarray:
        return self.data.A

    @property
    def Y(self) -> np.ndarray:
        return self.data.Y

    @staticmethod
    def base(X: np.ndarray) -> np.ndarray:
        return (X[:, 0] > 0.3).astype(int)

    @staticmethod
    def score(X: np.ndarray) -> np.ndarray:
        return X[:, 0]

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(11)

    @cached_property
    def counts(self) -> np.ndarray:
        return fairness.cell_counts(self.base(self.data.X), self.A, self.Y, n_groups=self.k)

    @cached_property
    def predictions(self) -> np.ndarray:
        thresholds = np.linspace(-1, 2, 9)
        return np.concatenate([[(self.data.X[:, j] > t).astype(int) for t in thresholds] for j in (0, 1)] + [np.zeros((1, len(self.A))),
                                                                                                     np.ones((1, len(self.A)))])

    def game(self, **how: object) -> games.FairnessGame:
        return games.FairnessGame(self.predictions, self.A, self.Y, GAMMA, n_groups=self.k, **how)

    @cached_property
    def oracle(self) -> RegressionOracle:
        return RegressionOracle(self.data.X, self.Y)


Answer = tuple        # the library's number, chances (m,), then the notion and the form where they are others


def solved(*compared: str) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        p = postprocessing.solve_lp(people.counts / people.counts.sum(), GAMMA, notion=fairness.Parity(*compared)).p
        said = fairness.violation(postprocessing.derived_counts(people.counts, p), *compared)
        return said, p[people.base(people.data.X), people.A], *compared
    return learner


def post_processed(**how: object) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        binned = how.get("method") == "score_bins"
        model = postprocessing.DPPostProcessing(people.score if binned else people.base, EPSILON, GAMMA, n_groups=people.k, **how)
        model.fit(people.data.X, people.Y, sensitive_features=people.A, rng=people.rng)
        counts = people.counts
        if binned:
            bins = postprocessing.score_bins(people.score(people.data.X), model.cuts_)
            counts = fairness.cell_counts(bins, people.A, people.Y, n_groups=people.k, n_bins=len(model.p_))
        compared = how.get("notion", "equalized_odds"), how.get("against", "anchor" if how.get("method") == "as_printed" else "pairs")
        said = fairness.violation(postprocessing.derived_counts(counts, model.p_), *compared)
        return said, model.predict_proba(people.data.X, people.A)[:, 1], *compared
    return learner


def played(*compared: str) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        play = games.exponentiated_gradient(people.game(notion=fairness.Parity(*compared)), 2.0, rounds=40)
        return play.violation, play.Q @ people.predictions, *compared
    return learner


def fair_erm(*compared: str) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        game = people.game(notion=fairness.Parity(*compared))
        Q = game.fair_erm().Q
        return np.abs(Q @ game.gaps).max(), Q @ people.predictions, *compared
    return learner


def private_play(*compared: str, **how: object) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        game = people.game(notion=fairness.Parity(*compared), empty="zero")
        published = games.dp_oracle_learner(game, EPSILON, DELTA, 2.0, people.rng, rounds=6, **how)
        return games.evaluate(published, game).violation, published.Q @ people.predictions, *compared
    return learner


def printed_play(people: People) -> Answer:
    game = people.game()
    published = games.dp_oracle_learner_as_printed(game, EPSILON, DELTA, 2.0, people.rng, rounds=6)
    return games.evaluate(published, game).violation, published.Q @ people.predictions


def regression_play(people: People) -> Answer:
    play = games.regression_exponentiated_gradient(people.oracle, people.A, GAMMA, rounds=20)
    return play.violation, play.acceptance_probability(people.data.X)


def private_regression(people: People) -> Answer:
    published = games.regression_dp_oracle_learner(people.oracle, people.A, GAMMA, EPSILON, DELTA, people.rng, n_groups=people.k, rounds=5)
    return games.regression_private.evaluate_regression(published, people.A).violation, published.acceptance_probability(people.data.X)


def mixed_classifiers(*compared: str) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        rules = [lambda X, j=j, t=t: (X[:, j] > t).astype(int) for j in (0, 1) for t in np.linspace(-1, 2, 9)]
        notion, against = compared
        model = games.DPOracleLearner(rules, 20.0, GAMMA, DELTA, n_groups=people.k, notion=notion, against=against)
        return judged(people, model, compared)
    return learner


def learned_rules(people: People) -> Answer:
    anchored = fairness.Parity("equalized_odds", "anchor")
    return judged(people, games.DPRegressionLearner(20.0, GAMMA, DELTA, n_groups=people.k, notion=anchored), ("equalized_odds", "anchor"))


def judged(people: People, model: games.DPOracleLearner | games.DPRegressionLearner, compared: tuple[str, ...]) -> Answer:
    """Fitted, and its exact chances counted."""
    model.fit(people.data.X, people.Y, sensitive_features=people.A, rng=people.rng)
    chances = model.predict_proba(people.data.X)[:, 1]
    return fairness.violation(fairness.cell_counts(chances, people.A, people.Y, n_groups=people.k), *compared), chances, *compared


def priced(notion: str, epsilon: float | None = None, **how: object) -> Callable[[People], Answer]:
    """A network with multipliers; the decisions of ``predict_proba`` are counted."""
    def learner(people: People) -> Answer:
        how_long = dict(n_groups=people.k, notion=notion, hidden=(4,), epochs=4, batch=100, learning_rate=.05)
        if epsilon is None:
            return judged(people, lagrangian.FairLagrangian(GAMMA, **how_long, **how), (notion, "pairs"))
        return judged(people, lagrangian.PrivateFairLagrangian(epsilon, GAMMA, DELTA, **how_long, **how), (notion, "pairs"))
    return learner


def compared_with(notion: str, make: Callable[..., object]) -> Callable[[People], Answer]:
    """A learner that the papers compare with, made of the number of groups and the notion."""
    return lambda people: judged(people, make(n_groups=people.k, notion=notion), (notion, "population"))


def plain_network(people: People) -> Answer:
    """It never sees a group."""
    said = baselines.NetworkClassifier((4,), epochs=3).fit(people.data.X, people.Y, rng=people.rng).predict(people.data.X)
    return fairness.violation(fairness.cell_counts(said, people.A, people.Y, n_groups=people.k), against="anchor"), said


def reduced(notion: str, against: str) -> Callable[[People], Answer]:
    """The reduction itself, with the largest gap that its game says."""
    def learner_of(people: People) -> Answer:
        said = [np.zeros(len(people.Y)), np.ones(len(people.Y))]

        def learn(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
            said.append(LogisticRegression().fit(people.data.X, labels, sample_weight=weights).predict(people.data.X))
            return said[-1]
        game, best, _ = baselines.reduction(learn, people.A, people.Y, GAMMA, 20.0, 8, people.rng, parity=fairness.Parity(notion, against),
                                            n_groups=people.k)
        return game.violation(best.Q), best.Q @ np.array(said), notion, against
    return learner_of


def aware_mixture(people: People) -> Answer:
    """A classifier that is told the group, mixed with indicators of the groups until its false positives are fair."""
    classes = np.concatenate([people.predictions[[3]], games.group_indicators(people.A, people.k)])
    game = games.FairnessGame(classes, people.A, people.Y, GAMMA, constraints=("FP",), n_groups=people.k)
    Q, _ = games.fair_mixture(game.rates[0, :, 0], GAMMA)
    return np.abs(Q @ game.gaps).max(), Q @ classes, "false_positive"


def asked_once(**how: object) -> Callable[[People], Answer]:
    def learner(people: People) -> Answer:
        model = oneshot.FrontierLearner(20.0, GAMMA, n_groups=people.k, gammas=[GAMMA], **how)
        return judged(people, model, (how.get("notion", "equalized_odds"), how.get("against", "pairs")))
    return learner


def measured(people: People) -> Answer:
    """Its bound is on covariances; what is compared is how often groups are accepted."""
    return judged(people, functional.FunctionalClassifier(20.0, GAMMA, DELTA, bound=4.0, n_groups=people.k, shorten=True),
                  ("demographic_parity", "pairs"))


def separated(aware: bool) -> Callable[[People], Answer | None]:
    def learner(people: People) -> Answer | None:
        if people.k > 2:
            return None                 # the instance of the theorem has two groups
        D, _ = separation.instance(40, 0.1)
        best = separation.fair_optimum(D, 0.02, aware=aware)
        says = {"h_0": np.zeros(D.m), "h_U": D.X[:, 0], "h_R": D.A == 0, "h_B": D.A == 1}
        chances = sum(float(weight) * says[name] for name, weight in best.weights.items())
        return abs(float(best.gap)), chances, "false_positive", "anchor", D.A, D.Y
    return learner


#: What is served of both vocabularies.
COMPARED = list(product(("equalized_odds", "false_positive", "true_positive", "demographic_parity"), ("anchor", "pairs")))
LEARNERS: dict[str, Callable[[People], Answer | None]] = {
    **{f"linear program, {notion}, {against}": solved(notion, against) for notion, against in COMPARED},
    **{f"DPPostProcessing, {method}": post_processed(method=method) for method in repairs.METHODS},
    **{f"DPPostProcessing, {notion}, {against}": post_processed(notion=notion, against=against) for notion, against in COMPARED},
    **{f"exponentiated_gradient, {notion}, {against}": played(notion, against) for notion, against in COMPARED},
    **{f"fair ERM, {notion}, {against}": fair_erm(notion, against) for notion, against in COMPARED},
    **{f"dp_oracle_learner, {notion}, {against}": private_play(notion, against, cell_sizes="noisy") for notion, against in COMPARED},
    "dp_oracle_learner, as printed": printed_play,
    **{f"dp_oracle_learner, {cell_sizes}": private_play(cell_sizes=cell_sizes, **more) for cell_sizes, more in (
        ("public_lower_bound", {"smallest_cell": 4}), ("noisy_lower_bound", {}), ("noisy", {}))},
    **{f"DPOracleLearner, {notion}, {against}": mixed_classifiers(notion, against) for notion, against in COMPARED},
    "DPRegressionLearner": learned_rules,
    "regression_exponentiated_gradient": regression_play,
    "regression_dp_oracle_learner": private_regression,
    **{f"reduction, {notion}, {against}": reduced(notion, against) for notion in ("equalized_odds", "demographic_parity", "accuracy_parity")
       for against in ("population", "pairs")},
    **{f"{name}, {notion}": compared_with(notion, make) for notion in ("equalized_odds", "demographic_parity", "accuracy_parity")
       for name, make in {
           "Reduction": lambda **how: baselines.Reduction(LogisticRegression(), GAMMA, rounds=6, **how),
           "PrivateReduction": lambda **how: baselines.PrivateReduction(LogisticRegression(), 4.0, GAMMA, rounds=4, **how),
           "CovarianceClassifier": lambda **how: baselines.CovarianceClassifier(GAMMA, **how)}.items()},
    "NetworkClassifier": plain_network,
    "aware mixture": aware_mixture,
    "FrontierLearner": asked_once(),
    **{f"FrontierLearner, {notion}, {against}": asked_once(notion=notion, against=against)
       for notion, against in (*COMPARED, *product(("accuracy_parity",), ("anchor", "pairs")))},
    **{f"FairLagrangian, {notion}": priced(notion) for notion in ("equalized_odds", "demographic_parity")},
    **{f"PrivateFairLagrangian, {notion}": priced(notion, EPSILON) for notion in ("equalized_odds", "true_positive", "demographic_parity")},
    "FunctionalClassifier": measured,
    "separation": separated(False),
    "separation, aware": separated(True),
}


def by_hand(chances: Sequence[float], A: Sequence[int], Y: Sequence[int], k: int, notion: str = "equalized_odds",
            against: str = "anchor") -> float:
    """Person by person: everybody's chance added to the cell that the person stands in, and the groups compared one by one."""
    def rate(a: int | None, label: int | None) -> float:
        total, people = 0.0, 0
        for chance, group, y in zip(chances, A, Y, strict=True):
            if a in (None, group) and label in (None, y):
                total, people = total + (chance if y or notion != "accuracy_parity" else 1 - chance), people + 1
        return total / people

    labels = {"equalized_odds": (0, 1), "false_positive": (0,), "true_positive": (1,), "demographic_parity": (None,),
              "accuracy_parity": (None,)}[notion]
    compared = {"pairs": list(combinations(range(k), 2)), "anchor": [(0, a) for a in range(1, k)],
                "population": [(a, None) for a in range(k)]}[against]
    return max(abs(rate(a, label) - rate(b, label)) for a, b in compared for label in labels)


def violations(k: int, names: Sequence[str] = tuple(LEARNERS)) -> dict[str, tuple[float, float]]:
    """Of every learner that takes k groups: the violation from the library, and by hand."""
    people, found = People(k), {}
    for name in names:
        answer = LEARNERS[name](people)
        if answer is not None:
            said, chances, *compared = answer
            A, Y = compared[2:] or (people.A, people.Y)
            found[name] = float(said), by_hand(np.asarray(chances).tolist(), A.tolist(), Y.tolist(), k, *compared[:2])
    return found


def main() -> int:
    print(f"{'learner':50} {'k':>2} {'library':>10} {'by hand':>10} {'apart':>8}")
    worst = 0.0
    for k in GROUPS:
        for name, (said, hand) in violations(k).items():
            print(f"{name:50} {k:2} {said:10.6f} {hand:10.6f} {abs(said - hand):8.0e}")
            worst = max(worst, abs(said - hand))
    print(f"\nat most {worst:.0e} apart")
    return int(worst > 1e-12)


if __name__ == "__main__":
    sys.exit(main())
