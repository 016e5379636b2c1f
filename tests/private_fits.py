"""Every private fit of the library, with each word of each option, for two groups and for three; a new one stands beside its test."""
from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpfair_teach import baselines, data, games, lagrangian, mechanisms, oracles, postprocessing
from dpfair_teach.fairness import Parity, cell_counts
from dpfair_teach.games import FairnessGame
from dpfair_teach.oneshot import FrontierLearner
from dpfair_teach.oracles import RegressionOracle
from dpfair_teach.postprocessing import DPPostProcessing
from dpfair_teach.postprocessing import learner as repairs
from dpfair_teach.postprocessing.noisy_tables import MARGIN_NOISES
from plays import private_play
from test_estimators import Above

#: People of k groups; and few of them, for what is tried on every neighbour.
PEOPLE = {k: data.make_logistic(240, n_groups=k, d=2, rng=np.random.default_rng(k)) for k in (2, 3)}
FEW = {k: data.make_logistic(42, n_groups=k, d=2, rng=np.random.default_rng(k)) for k in (2, 3)}
#: Three people in each cell, one more than is promised.
FEWEST = {k: dataclasses.replace(FEW[k], X=np.stack([1.2 * (i - 1), a - i / 2], axis=1), A=a, Y=y)
          for k in (2, 3) for a, y, i in [np.indices((k, 2, 3)).reshape(3, -1)]}
CLASSIFIERS = [Above(0, 0.0), Above(0, .5), Above(1, 0.0)]


def base_of(people: data.Dataset) -> LogisticRegression:
    return LogisticRegression().fit(people.X, people.Y)


def rules_of(people: data.Dataset) -> np.ndarray:
    """Every other one turned round: by whom one accepts, and another does not, losses move apart."""
    return np.array([(people.X[:, 0] > t) ^ (i % 2 == 1) for i, t in enumerate(np.linspace(-1, 1, 7))])


class Fit(NamedTuple):
    """A private fit: of which public name, with which options, of people, A and a generator alone; for so many games or repeats at once.

    What is published is then looked at with the private data in hand, as a teacher would: that must leave nothing on it either.
    """

    door: str
    options: dict
    of: Callable[[data.Dataset, np.ndarray, np.random.Generator], Any]
    k: int
    games: int = 1

    @property
    def draws(self) -> bool:
        """Whether anything private is asked: not in one round of a game, and not by an oracle whose costs are the same for all groups."""
        one_round = self.options.get("rounds") == 1 and self.options.get("protect", "A") == "A"
        return not (one_round or self.options.get("spread") == 0 or self.door == "lagrangian.start_training")

    @property
    def few(self) -> data.Dataset:
        """People for what is tried on every neighbour: where noise is made for the smallest cell, they are such that it is small."""
        return (FEW if self.options.get("cell_sizes", "noisy") == "noisy" else FEWEST)[self.k]

    def quietly(self, people: data.Dataset, A: np.ndarray, rng: np.random.Generator) -> Any:
        """Run with nobody listening: of a released size that is small it may warn."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self.of(people, A, rng)


def function_of(door: str) -> Callable:
    """What a public name runs: a class's ``fit``."""
    room, name = door.split(".")
    thing = getattr(importlib.import_module(f"dpfair_teach.{room}"), name)
    return thing.fit if inspect.isclass(thing) else thing


def game_of(people: data.Dataset, A: np.ndarray, k: int, made: str = "people", notion: str = "equalized_odds", against: str = "anchor",
            protect: str = "A") -> FairnessGame:
    Y, H = people.Y, rules_of(people)
    if protect != "A":                                          # their X is private too, and another one where the group is another
        H = np.where(A == people.A, H, H[:, ::-1])
    parity = Parity(notion, against=against)
    if made == "counts":
        n = cell_counts(H[0], A, Y, n_groups=k).sum(axis=0)
        return FairnessGame.from_counts([cell_counts(said, A, Y, n_groups=k)[1] for said in H], n, [.02, .1], notion=parity, empty="zero")
    return FairnessGame(H, A, Y, [.02, .1], notion=parity, n_groups=k, empty="zero")


def play(k: int, made: str = "people", notion: str = "equalized_odds", against: str = "anchor", **how: Any) -> Fit:
    def of(people, A, rng):
        game = game_of(people, A, k, made, notion, against, how.get("protect", "A"))
        result = private_play(game, rng=rng, **dict(dict(epsilon=2.0, delta=1e-6, B=3.0, rounds=4, size=3), **how))
        games.evaluate(result, game)
        return result
    door = "games.dp_oracle_learner_as_printed" if how.get("as_printed") else "games.dp_oracle_learner"
    return Fit(door, dict(how, made=made, notion=notion, against=against), of, k, 6)


def one_play(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        game = game_of(people, A, k).with_gamma(.1)
        epsilon, delta, fraction = (10.0, .05, .9) if how.get("cell_sizes") == "noisy_lower_bound" else (2.0, 1e-6, .1)
        setting = games.Setting.of(game, epsilon, delta, 3.0, rounds=4, smallest_cell=2, budget_fraction=fraction)
        return games.algorithm_5(game, setting, rng, **how)
    return Fit("games.algorithm_5", how, of, k)


def loop(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        result = games.regression_dp_oracle_learner(RegressionOracle(people.X, people.Y), A, rng=rng, n_groups=k, **dict(
            dict(gamma=[.02, .1], epsilon=2.0, delta=1e-6, rounds=4, size=3), **how))
        games.regression_private.evaluate_regression(result, A)
        return result
    return Fit("games.regression_dp_oracle_learner", how, of, k, 6)


def mixed(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        model = games.DPOracleLearner(**dict(
            dict(classifiers=CLASSIFIERS, epsilon=2.0, gamma=.05, delta=1e-6, n_groups=k, rounds=4), **how))
        return model.fit(people.X, people.Y, sensitive_features=A, rng=rng)
    return Fit("games.DPOracleLearner", how, of, k)


def learned(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        notion = how.get("notion", "equalized_odds")
        anchored = {} if k == 2 else {"notion": Parity(notion, "anchor")}
        model = games.DPRegressionLearner(**dict(dict(epsilon=2.0, gamma=.05, delta=1e-6, n_groups=k, rounds=4), **how | anchored))
        return model.fit(people.X, people.Y, sensitive_features=A, rng=rng)
    return Fit("games.DPRegressionLearner", how, of, k)


def responded(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        model = baselines.PrivateReduction(LogisticRegression(), **dict(dict(epsilon=2.0, gamma=.05, n_groups=k, rounds=3), **how))
        return model.fit(people.X, people.Y, sensitive_features=A, rng=rng)
    return Fit("baselines.PrivateReduction", how, of, k)


def repaired(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        model = DPPostProcessing(base_of(people), **dict(dict(epsilon=1.0, gamma=.05, n_groups=k), **how))
        model.fit(people.X, people.Y, sensitive_features=A, rng=rng).score(people.X, people.Y, A)
        return model
    return Fit("postprocessing.DPPostProcessing", how, of, k)


def table(k: int, door: str, **how: Any) -> Fit:
    def of(people, A, rng):
        counts = cell_counts(base_of(people).predict(people.X), A, people.Y, n_groups=k)
        return getattr(postprocessing, door)(counts, rng=rng, **dict(dict(epsilon=.3), **how))
    return Fit(f"postprocessing.{door}", how, of, k)


def once(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        model = FrontierLearner(**dict(dict(epsilon=1.0, gamma=.1, gammas=[.1], n_groups=k, share=.5), **how))
        model.fit(people.X, people.Y, sensitive_features=A, rng=rng).score(people.X, people.Y, A)
        return model
    return Fit("oneshot.FrontierLearner", how, of, k)


def in_cells(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        cells = 2 * (people.X[:, 0] > 0) + people.Y
        return mechanisms.release_cells(cells, A, rng=rng, n_groups=k, **dict(dict(epsilon=1.0), **how))
    return Fit("mechanisms.release_cells", how, of, k)


def priced(k: int, **how: Any) -> Fit:
    def of(people, A, rng):
        usual = dict(epsilon=2.0, gamma=0.0, delta=1e-6, n_groups=k, hidden=(3,), epochs=3, batch=30, learning_rate=.05)
        model = lagrangian.PrivateFairLagrangian(**usual | how)
        return model.fit(people.X, people.Y, sensitive_features=A, rng=rng)
    return Fit("lagrangian.PrivateFairLagrangian", how, of, k)


def choice(k: int, spread: float = 1.0, **how: Any) -> Fit:
    def of(people, A, rng):
        costs = [[1.0, -1.0 - spread * a] for a in range(k)]
        return oracles.private_oracle(rules_of(people), A, people.Y, costs, rng=rng, **dict(dict(epsilon=1.0, size=3), **how))
    return Fit("oracles.private_oracle", dict(how, spread=spread), of, k, 3)


def reports(k: int) -> Fit:
    def of(people, A, rng):
        said, _ = mechanisms.release("randomized response", A, rng, unit=mechanisms.UNIT_A, epsilon=1.0, n_groups=k)
        counts = np.bincount(said, minlength=k)
        return counts, mechanisms.debias_counts(counts, 1.0), mechanisms.likely_counts(counts, 1.0)
    return Fit("mechanisms.release", {}, of, k)


NOTIONS = ("false_positive", "true_positive", "demographic_parity")
#: With this epsilon and delta for it a bound is one less than the smallest cell.
REPAIRS: tuple[dict, ...] = (dict(), dict(cell_sizes="noisy_lower_bound", epsilon=10.0, delta=.05, budget_fraction=.9),
                             dict(cell_sizes="public_lower_bound", smallest_cell=2))
#: The same, of cells that are groups: one less than the few of them are.
OF_ALL = (*REPAIRS[:2], REPAIRS[2] | dict(smallest_cell=5))


def all_fits() -> list[Fit]:
    """The list: what is private, with each word of each option, for two groups and for three."""
    found = []
    for k in (2, 3):
        found += [play(k, **how) for how in (
            *REPAIRS, *(dict(repair, protect="X and A") for repair in REPAIRS), *(dict(repair, made="counts") for repair in REPAIRS),
            *(dict(repair, against="pairs") for repair in REPAIRS), *(dict(notion=notion) for notion in NOTIONS),
            *(dict(repair, notion="accuracy_parity") for repair in OF_ALL),
            *(dict(repair, notion="demographic_parity", against="pairs") for repair in OF_ALL),
            dict(rounds=1), dict(rounds=1, protect="X and A"), dict(progress=True),
            dict(as_printed=True), dict(as_printed=True, made="counts"))]
        found += [one_play(k, cell_sizes=cell_sizes) for cell_sizes in ("noisy", "noisy_lower_bound", "public_lower_bound")]
        found += [one_play(k, progress=True)]
        found += [loop(k, **how) for how in (*(dict(notion=notion) for notion in ("equalized_odds", *NOTIONS[:2])), dict(rounds=1),
                                             dict(ridge=1.0, rounds=2), dict(progress=True))]
        found += [mixed(k, **how) for how in (
            dict(), dict(rounds=1), dict(progress=True), dict(against="anchor"), dict(against="pairs"),
            *(dict(notion=notion) for notion in (*NOTIONS, "accuracy_parity")))]
        found += [learned(k, **how) for how in (dict(), *(dict(notion=notion) for notion in NOTIONS[:2]), dict(rounds=1),
                                                dict(progress=True))]
        found += [responded(k, **how) for how in (
            dict(), *(dict(notion=notion) for notion in (*NOTIONS, "accuracy_parity")), dict(correction="none"))]
        found += [repaired(k, **how) for how in (
            *(dict(method=method) for method in repairs.METHODS),
            *(dict(method=method, slack=slack) for method, slack in (
                ("public_margins", True), ("as_printed", False), ("score_bins", True))),
            *(dict(method=method, notion=notion, against=against) for method in ("public_margins", "score_bins")
              for notion in (*NOTIONS, "equalized_odds") for against in ("anchor", "pairs")),
            dict(method="score_bins", n_bins=3))]
        found += [table(k, "noisy_counts"), table(k, "noisy_counts", as_printed=True),
                  table(k, "public_margin_counts", noise="laplace", as_printed=True),
                  *(table(k, "public_margin_counts", noise=noise) for noise in MARGIN_NOISES)]
        found += [table(k, "k_norm_counts", exact=exact) for exact in (False, True)]
        found += [once(k, **how) for how in (
            dict(), *(dict(notion=notion) for notion in (*NOTIONS, "accuracy_parity")), dict(against="pairs"), dict(against="anchor"),
            dict(target="new"), dict(cost=(1, 3), share=None, base=LogisticRegression()),
            dict(notion="demographic_parity", against="pairs", share=1.0))]
        found += [priced(k, **how) for how in (
            *(dict(notion=notion) for notion in (*NOTIONS, "equalized_odds", "accuracy_parity")), dict(missing=True), dict(progress=True))]
        found += [in_cells(k, **how) for how in (dict(every_group=False), dict(every_group=True), dict(exact=True))]
        found += [choice(k), choice(k, as_printed=True), choice(k, spread=0.0), reports(k)]
    return found


def beside_their_tests() -> list[Fit]:
    """Fits that stand beside their own tests: ``PRIVATE_FITS = {"room.name": lambda people, A, rng: ...}``, for two groups."""
    found = []
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        if "\nPRIVATE_FITS = " in path.read_text(encoding="utf-8"):
            if str(path.parent) not in sys.path:
                sys.path.insert(0, str(path.parent))
            for door, of in importlib.import_module(path.stem).PRIVATE_FITS.items():
                found.append(Fit(door, {}, of, 2))
    return found


LIST = [*all_fits(), *beside_their_tests()]
FITS = {f"{fit.door}, k={fit.k}" + "".join(f", {name}={value}" for name, value in fit.options.items()): fit for fit in LIST}
assert len(FITS) == len(LIST)
