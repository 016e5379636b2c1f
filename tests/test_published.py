"""What a private fit publishes holds nothing of A but through the mechanisms: its bytes, with the mechanisms' answers held fixed.

Each private fit of the list runs on one data set, with a witness at the door where all noise is drawn. Then it runs on others: a neighbour,
people of whom about half are of other groups, people of whom a cell or a whole group is empty. The mechanisms draw as before, and the first
run's answers are told. All that depends on A but through them is now seen:

- the pickled result is the same, byte by byte, and so is what it prints and warns of; a refusal, or another shape, would be seen as well;
- the mechanisms were asked as often, with the same scale, epsilon and shape, and drew as many numbers;
- the neighbour's noise is another, and so are the coins for secret samples: neither they nor the generator are kept, as who has them has
  the private numbers, or knows who was asked about.

How far the private numbers move, and whether the records are those of the mechanisms, is test_replay.py's.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import io
import pickle
import pkgutil
import sys
import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import dpfair_teach
import turning
from dpfair_teach import SmallGroupWarning, fairness, games, mechanisms, oneshot, oracles, postprocessing
from dpfair_teach.fairness import cell_counts
from dpfair_teach.games import FairnessGame, evaluate, regression_private
from dpfair_teach.postprocessing import DPPostProcessing
from faults import Mutant, calling
from private_fits import (
    FITS,
    LIST,
    NOTIONS,
    PEOPLE,
    Fit,
    all_fits,
    base_of,
    choice,
    in_cells,
    learned,
    loop,
    mixed,
    once,
    play,
    repaired,
    rules_of,
    table,
)
from witness import BY_TURNS, Run, merged, others, records_of, run, seed_of


# ------------------------------------------------------------------------------------------------ the test
def worlds(fit: Fit) -> list[np.ndarray]:
    """Other groups for the same people: a neighbour's, any for each (of each fit others), a cell empty, a group empty. A promise, and what
    is printed, is about the first two alone."""
    A, Y, k = PEOPLE[fit.k].A, PEOPLE[fit.k].Y, fit.k
    neighbour = A.copy()
    neighbour[0] = (A[0] + 1) % k
    both = [neighbour, (A + np.random.default_rng(turning.of(f"{fit.door} {fit.options}")).integers(k, size=len(A))) % k]
    if promised(fit) or fit.door == PRINTED:
        return both
    return [*both, np.where((A == k - 1) & (Y == 1), 0, A), np.where(A == 0, 1, A)]


def promised(fit: Fit) -> bool:
    return fit.options.get("cell_sizes") == "public_lower_bound"


PRINTED = "games.dp_oracle_learner_as_printed"


def fits(*rooms_of: str, printed: bool = False) -> list[str]:
    return [name for name, fit in FITS.items() if fit.door.split(".")[0] in rooms_of and (fit.door == PRINTED) == printed]


def bytes_of(result: Any, without: tuple[str, ...] = ()) -> bytes:
    """Pickled, the attributes of an object by themselves as well, and printed. Twice: which equal texts are one object is forgotten."""
    if without:
        result = {name: value for name, value in vars(result).items() if name not in without}
    return whole(pickle.loads(whole((result, getattr(result, "__dict__", None), repr(result), on_its_class(result)))))


class Whole(pickle.Pickler):
    """Our objects with all that they have, whatever they would leave out of a pickle."""

    def reducer_override(self, found: Any) -> Any:
        if type(found).__module__.startswith(("dpfair_teach", "test_")) and hasattr(found, "__dict__") and not isinstance(found, type):
            return object.__new__, (type(found),), vars(found)
        return NotImplemented


def whole(found: Any) -> bytes:
    held = io.BytesIO()
    Whole(held).dump(found)
    return held.getvalue()


def on_its_class(result: Any) -> dict[str, Any]:
    """What is read as an attribute and not pickled: the numbers and tables of our classes, sorted by name."""
    found = {f"{kind.__name__}.{name}": value for kind in type(result).__mro__ if kind.__module__.startswith("dpfair_teach")
             for name, value in vars(kind).items() if not (name.startswith("__") or callable(value) or hasattr(value, "__get__"))}
    return dict(sorted(found.items()))


def questions(seen: Run) -> list[bytes]:
    return [asked.public() for asked in seen.witness.asked]


def in_the_library() -> dict[str, dict[str, tuple]]:
    """What each module of the library holds by name, and how much is in it."""
    return {key: {name: (id(value), len(value) if isinstance(value, list | dict | set) else 0) for name, value in vars(module).items()
                  if not (name.startswith("__") or inspect.ismodule(value))}
            for key, module in list(sys.modules.items()) if key.startswith("dpfair_teach")}


def nothing_else_is_published(name: str) -> None:
    fit = FITS[name]
    people = PEOPLE[fit.k]
    seed, before = seed_of(name), in_the_library()
    first = run(fit, people, people.A, seed=seed)
    left = {module: names for module, names in in_the_library().items() if before.get(module, names) != names}
    assert not left, f"something is left in {list(left)}"
    assert first.witness.asked or not fit.draws, "no mechanism was asked"
    if (kept := records_of(first.result)) is not None:
        assert merged(kept) == first.witness.records(), "an answer without its record"
    expected, public = bytes_of(first.result), questions(first)
    for i, (public_ones, A) in enumerate([*((people, A) for A in worlds(fit)), *others(people, people.A, 0, first)]):
        again = run(fit, public_ones, A, first.witness.answers, seed=seed + (i == 0), fresh=i == 0, alike=i > 0)
        alike = questions(again) == public                      # not in the assert: to show how bytes differ takes long
        assert alike, "the mechanisms are asked otherwise"
        alike = again.generator == first.generator or i == 0
        assert alike, "not as many numbers are drawn"
        alike = bytes_of(again.result) == expected
        assert alike, "what is published differs"
        assert again.said == first.said, "what is warned of, or printed, differs"


@BY_TURNS
@pytest.mark.parametrize("name", fits("games"))
def test_what_is_published_is_made_by_the_recorded_mechanisms(name):
    nothing_else_is_published(name)


@BY_TURNS
@pytest.mark.parametrize("name", fits("postprocessing"))
def test_what_post_processing_publishes_is_made_by_its_recorded_mechanism(name):
    nothing_else_is_published(name)


@BY_TURNS
@pytest.mark.slow
@pytest.mark.parametrize("name", fits("oneshot"))
def test_what_asking_once_publishes_is_made_by_its_recorded_mechanisms(name):
    nothing_else_is_published(name)


@BY_TURNS
@pytest.mark.parametrize("name", [name for name in FITS if FITS[name].door.split(".")[0] not in ("games", "postprocessing", "oneshot")])
def test_what_a_private_oracle_answers_is_made_by_its_recorded_mechanism(name):
    nothing_else_is_published(name)


@pytest.mark.parametrize("name", fits("games", printed=True))
def test_as_printed_the_scales_tell_of_the_groups_and_nothing_else_does(name):
    """The one play that is not private: its noise is scaled by the smallest cell, and its records say so."""
    fit, spent = FITS[name], ("spent", "releases_")
    people = PEOPLE[fit.k]
    A, Y = people.A, people.Y
    first = run(fit, people, A)
    whole, rest = bytes_of(first.result), bytes_of(first.result, spent)
    cell = 2 * A + Y
    one_less = A.copy()
    leaves = np.flatnonzero(cell == np.bincount(cell).argmin())[0]
    one_less[leaves] = (A[leaves] + 1) % fit.k
    for world in (*worlds(fit), one_less):
        again = run(fit, people, world, first.witness.answers)
        alike = bytes_of(again.result, spent) == rest and again.generator == first.generator
        assert alike
    alike = bytes_of(run(fit, people, one_less, first.witness.answers).result) == whole
    assert not alike


# ------------------------------------------------------------------------------------------------ a search, with draws of their own
class Numbers(pickle.Pickler):
    """All arrays that a pickle holds, what they are views of, and lists of numbers, as eight bytes a number."""

    def __init__(self, result: Any) -> None:
        super().__init__(io.BytesIO())
        self.rows: list[bytes] = []
        self.dump((result, getattr(result, "__dict__", None)))

    def persistent_id(self, found: Any) -> None:
        while isinstance(found, np.ndarray):
            if found.dtype.kind in "biuf":
                self.rows += [found.astype(float).tobytes(order) for order in ("C", "F")]
            found = found.base
        if isinstance(found, list | tuple) and found and all(isinstance(entry, int | float | np.number) for entry in found):
            self.rows.append(np.array(found, dtype=float).tobytes())

    def hold(self, secret: np.ndarray) -> bool:
        """Whether all numbers of a secret stand in a row somewhere."""
        sought = secret.astype(float).tobytes()
        return any(sought in row for row in self.rows)


@functools.cache
def secrets(k: int) -> list[np.ndarray]:
    """The groups as codes, indicators and lists of people; the people of all cells, those whom the rules and the base accept; shares."""
    A, Y = PEOPLE[k].A, PEOPLE[k].Y
    tables = [cell_counts(said, A, Y, n_groups=k) for said in (*rules_of(PEOPLE[k]), base_of(PEOPLE[k]).predict(PEOPLE[k].X))]
    n = tables[0].sum(axis=0)
    accepted = [table[1] for table in tables if (table[1] > 0).all()]
    shares = [n / n.sum(), n / n.sum(axis=0), n / n.sum(axis=1, keepdims=True), *(each / n.sum() for each in tables),
              *(each / n for each in accepted)]
    tables_of_groups = [n, *accepted, *tables, *shares]
    vectors = [A, *(A == a for a in range(k)), *(np.flatnonzero(A == a) for a in range(k)), np.argsort(A, kind="stable"),
               *([n.sum(axis=1) / n.sum(), n[:, 1] / n.sum(axis=1)] if k > 2 else [])]     # two numbers are soon met by chance
    return [*vectors, *tables_of_groups, *(np.moveaxis(each, -1, -2) for each in tables_of_groups)]


@BY_TURNS
@pytest.mark.parametrize("name", FITS)
def test_neither_groups_nor_counts_nor_rates_of_them_are_in_what_is_published(name):
    """The draws are others than above, and fixed: by chance noise may be 0. Nor is who was in a secret sample."""
    fit = FITS[name]
    seen = run(fit, PEOPLE[fit.k], PEOPLE[fit.k].A, seed=2)
    numbers, samples = Numbers(seen.result), [asked.sample.people for asked in seen.witness.asked if asked.sample is not None]
    assert not [secret.tolist() for secret in (*secrets(fit.k), *samples) if numbers.hold(secret)]


def test_the_search_finds_each_secret_wherever_it_is_kept():
    for k in (2, 3):
        for secret in secrets(k):
            part = np.concatenate([np.zeros((1,) + secret.shape[1:]), secret])[1:]
            for kept in (secret, part, {"of": [secret.copy("F")]}, secret.T.copy(), secret.astype(float).ravel().tolist()):
                assert Numbers((1.0, kept)).hold(secret)


# ------------------------------------------------------------------------------------------------ refusals
REFUSED: list[tuple[Callable[..., Fit], dict]] = [
    *((play, how) for how in (
        dict(B=-1.0), dict(delta=1e-300), dict(delta=1e-14, epsilon=1e-6), dict(rounds=0), dict(size=10**9),
        dict(budget_fraction=1.0),
        dict(cell_sizes="public_lower_bound"), dict(smallest_cell=2), dict(epsilon=[1.0, 9.0]),
        dict(against="population"),
        dict(cell_sizes="public_lower_bound", budget_fraction=.2, smallest_cell=2))),
    *((loop, how) for how in (
        dict(gamma=-1.0), dict(delta=1e-99), dict(size=10**9), dict(budget_fraction=1.0), dict(eta=-1.0),
        dict(notion="demographic_parity"))),
    *((repaired, how) for how in (
        dict(epsilon=0.0), dict(gamma=-1.0), dict(beta=2.0), dict(n_groups=1), dict(method="score_bins", n_bins=1),
        dict(method="score_bins", n_bins=10**6),
        dict(method="as_printed", notion="true_positive"))),
    *((fit, how) for fit in (mixed, learned) for how in (
        dict(gamma=-1.0), dict(delta=1e-99), dict(rounds=0), dict(notion="fair"), dict(B=-1.0), dict(n_groups=1))),
    (mixed, dict(classifiers=[])),
    *((once, how) for how in (
        dict(epsilon=1e-6, share=.9999), dict(n_groups=30), dict(gammas=[-1.0]), dict(gammas=[]))),
    (in_cells, dict(n_cells=1)),
    (functools.partial(table, door="public_margin_counts"), dict(size=-1)), (choice, dict(epsilon=0.0)), (choice, dict(size=-1)),
]


def said_by(fit: Fit) -> set[str]:
    """What a fit does on each of the worlds, in words."""
    said = set()
    for A in (PEOPLE[fit.k].A, *worlds(fit._replace(options={}))):
        try:
            said.add(type(fit.quietly(PEOPLE[fit.k], A, np.random.default_rng(1))).__name__)
        except ValueError as refusal:
            said.add(f"{type(refusal).__name__}: {refusal}")
    return said


@pytest.mark.parametrize(("fit", "how"), REFUSED, ids=[f"{getattr(fit, 'func', fit).__name__}, {how}" for fit, how in REFUSED])
def test_a_refusal_says_the_same_whoever_is_in_which_group(fit, how):
    for k in (2, 3):
        said = said_by(fit(k, **how))
        assert len(said) == 1 and "ValueError: " in min(said), said


SPOILT = {play: (-1, 0, -.5, "rubbish", [1, 2]), loop: (-1, 0, -.5, "rubbish", [1, 2]), repaired: (-1, 0, -.5, "rubbish", [1, 2], None),
          once: (-1, "rubbish"), choice: (-1, 0, "rubbish", [1, 2])}


@pytest.mark.parametrize("fit", SPOILT, ids=lambda fit: fit.__name__)
def test_a_spoilt_option_is_refused_or_taken_whoever_is_in_which_group(fit):
    given = {"game", "oracle", "A", "Y", "labelings", "costs", "rng", "base", "n_groups"}
    for name in inspect.signature(doors()[fit(3).door]).parameters.keys() - given:
        for value in SPOILT[fit]:
            said = said_by(fit(3, **{name: value}))
            assert len(said) == 1, (name, value, said)


def test_a_private_play_asks_for_a_game_whose_making_told_nothing():
    """No number of groups read off A, no refusal of an empty cell: else a refusal, in the same words whoever is in which group."""
    H, Y, said = [[0, 1, 0, 1], [1, 1, 1, 1]], [0, 0, 1, 1], set()
    for A in ([0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 2, 1]):
        for how in (dict(), dict(n_groups=3), dict(empty="zero")):
            if how == dict(n_groups=3) or (2 in A and not how):
                continue                                        # the game itself refuses already, as it is asked to
            with pytest.raises(ValueError, match=r'Make it with n_groups=k and empty="zero"') as refusal:
                games.dp_oracle_learner(FairnessGame(H, A, Y, 0.1, **how), 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=3)
            said.add(str(refusal.value))
        for cell_sizes in ("noisy", "noisy_lower_bound"):
            told = FairnessGame(H, A, Y, 0.1, n_groups=3, empty="zero")
            assert games.dp_oracle_learner(told, 1.0, 1e-6, 1.0, np.random.default_rng(0), rounds=3,
                                           cell_sizes=cell_sizes).lam.shape == (8,)
    assert len(said) == 1


# ------------------------------------------------------------------------------------------------ the list is whole
#: Public names that draw, with an epsilon or about the people of groups, and publish nothing private, and why.
NOT_PUBLISHED = {
    "experiments.postprocessing_draws": "error and violation on the true counts: for the teacher's eye, not a release",
    "experiments.draws_over_splits": "the same over several tables",
    "games.algorithm_5_as_printed": "not private, and leaves no record; dp_oracle_learner_as_printed, which leaves them, is in the list",
    "baselines.regression_dp_oracle_learner_as_printed": "as printed: nothing private is claimed, no record is left",
    **dict.fromkeys(["lagrangian.FairLagrangian", "lagrangian.f_ld", "lagrangian.f_ld_signed", "lagrangian.pf_ld_as_printed",
                     "lagrangian.pf_ld_autograd",
                     "baselines.Reduction", "baselines.reduction", "baselines.CovarianceClassifier"],
                    "not private, and says so"),
}
#: Words of options that are not in an annotation.
WORDS = {"notion": {*NOTIONS, "equalized_odds"}, "against": {"anchor", "pairs"}}
#: Arguments that hold who is in which group.
PRIVATE = {"A", "sensitive_features", "counts", "game", "problem", "part"}
#: Words that a fit refuses.
REFUSES = {(f"games.{door}", "notion", "demographic_parity") for door in ("regression_dp_oracle_learner", "DPRegressionLearner")}


def doors() -> dict[str, Any]:
    """Every public class with ``fit`` and function with ``rng`` that takes an epsilon or who is in which group.

    Noise may as well be said by its scale: then there is no epsilon, but there are groups.
    """
    found = {}
    for room in pkgutil.iter_modules(dpfair_teach.__path__):
        if room.name.startswith("_"):
            continue
        module = importlib.import_module(f"dpfair_teach.{room.name}")
        for name in module.__all__:
            thing = getattr(module, name)
            arguments = set(inspect.signature(thing).parameters) if inspect.isroutine(thing) or hasattr(thing, "fit") else set()
            if hasattr(thing, "fit"):
                arguments |= {*inspect.signature(thing.fit).parameters, "rng"}
            if "rng" in arguments and (arguments & PRIVATE or any(argument.startswith("epsilon") for argument in arguments)):
                found[f"{room.name}.{name}"] = thing
    return found


def words_of(door: str) -> dict[str, set]:
    """Option -> its words, of a public name: those of its annotation, both truth values, notions and forms."""
    thing = doors()[door]
    function = thing.__init__ if inspect.isclass(thing) else thing
    found: dict[str, set] = {}
    for name, kind in get_type_hints(function, sys.modules[thing.__module__].__dict__).items():
        for part in (kind, *get_args(kind)):
            if get_origin(part) is Literal:
                found[name] = set(get_args(part))
        if kind is bool:
            found[name] = {False, True}
    found |= {name: words for name, words in WORDS.items() if name in inspect.signature(thing).parameters}
    if door == "games.dp_oracle_learner":
        found |= WORDS | {"notion": set(fairness.NOTIONS)}      # its game's
    if door == "lagrangian.PrivateFairLagrangian":
        found |= {"notion": set(fairness.NOTIONS)}
    return {name: {word for word in words if (door, name, word) not in REFUSES} for name, words in found.items()}


def not_in_the_list() -> set[str]:
    return set(doors()) - {fit.door for fit in LIST} - {f"mechanisms.{name}" for name in mechanisms.__all__} - set(NOT_PUBLISHED)


def test_every_private_fit_is_in_the_list():
    missing = sorted(not_in_the_list())
    assert not missing, (f"{missing}: add fits to all_fits() of tests/private_fits.py, or PRIVATE_FITS = {{'room.name': "
                         "lambda people, A, rng: ...}} beside their test")
    assert not ({fit.door for fit in LIST} | set(NOT_PUBLISHED)) - set(doors())
    assert len(doors()) >= 20


def test_a_new_private_fit_is_missed(monkeypatch):
    class NewLearner:
        def __init__(self, epsilon: float) -> None: ...
        def fit(self, X, y, *, sensitive_features, rng): ...

    def new_release(counts, epsilon, rng): ...

    def new_training(X, A, Y, noise_multiplier, rng): ...

    monkeypatch.setattr(postprocessing, "new_release", new_release, raising=False)
    monkeypatch.setattr(games, "new_training", new_training, raising=False)
    monkeypatch.setattr(games, "__all__", [*games.__all__, "new_training"])
    monkeypatch.setattr(oneshot, "NewLearner", NewLearner, raising=False)
    monkeypatch.setattr(postprocessing, "__all__", [*postprocessing.__all__, "new_release"])
    monkeypatch.setattr(oneshot, "__all__", [*oneshot.__all__, "NewLearner"])
    assert not_in_the_list() == {"postprocessing.new_release", "oneshot.NewLearner", "games.new_training"}


@pytest.mark.parametrize("door", sorted({fit.door for fit in all_fits() if not fit.door.startswith("mechanisms.")}))
def test_every_word_of_an_option_is_in_the_list(door):
    defaults = {name: argument.default for name, argument in inspect.signature(doors()[door]).parameters.items()}
    for k in (2, 3):
        mine = [fit for fit in LIST if fit.door == door and fit.k == k]
        assert mine, f"{door} with {k} groups: add it to all_fits() of tests/private_fits.py"
        for name, words in words_of(door).items():
            left = words - {fit.options.get(name, defaults.get(name)) for fit in mine}
            assert not left, f"{door}, {name}={sorted(left)} with {k} groups: add it to all_fits() of tests/private_fits.py"


# ------------------------------------------------------------------------------------------------ faults
def kept(**what: Callable[..., Any]) -> Callable[[Any], Any]:
    """What the function returns keeps something more, made of it and of the arguments."""
    def make(f):
        signature = inspect.signature(f)

        def faulty(*args, **kw):
            result, call = f(*args, **kw), signature.bind(*args, **kw)
            for name, value in what.items():
                object.__setattr__(result, name, value(result, call.arguments))
            return result
        return faulty
    return make


class Hidden:
    """Something that no pickle shows."""

    def __init__(self, what: Any) -> None:
        self.what = what

    def __getstate__(self) -> dict:
        return {}


def printing_its_violation(f):
    """How unfair a play is on the private data is shown to whoever waits."""
    def learner(game, *args, **kw):
        play = f(game, *args, **kw)
        print(evaluate(play, game).violation.max())
        return play
    return learner


def leaving_its_number(f):
    """What a play is worth on the private data stays on it."""
    def evaluated(published, game):
        found = f(published, game)
        object.__setattr__(published, "worth", found.violation)
        return found
    return evaluated


def left_on_its_class(f):
    """The true table of the last fit is an attribute of the class, and so of every model."""
    def fit(self, X, y, *, sensitive_features, rng):
        f(self, X, y, sensitive_features=sensitive_features, rng=rng)
        DPPostProcessing.counts_ = counted(self, dict(X=X, y=y, sensitive_features=sensitive_features))
        return self
    return fit


def kept_in_its_module(f):
    """A list of the module holds the games of all plays."""
    def learner(game, *args, **kw):
        f.__globals__.setdefault("played", []).append(game)
        return f(game, *args, **kw)
    return learner


def counted(model: DPPostProcessing, given: dict) -> np.ndarray:
    return cell_counts(model.base.predict(given["X"]), given["sensitive_features"], given["y"], n_groups=model.n_groups_)


def keeping_its_samples(f):
    """A training keeps who was in each of its secret samples."""
    def learn(self, *args):
        self.samples_ = []

        def kept(poisson_sample):
            return lambda *given: self.samples_.append(poisson_sample(*given)) or self.samples_[-1]
        calling("pf_ld", calling("poisson_sample", kept))(f)(self, *args)
    return learn


def stopping_when_fair(f):
    """Rounds are played until the average of the true game is fair."""
    def learner(game, *args, **kw):
        result = f(game, *args, **kw)
        fair = np.flatnonzero((np.abs(game.gaps[result.chosen].cumsum(axis=0)).max(axis=-1).reshape(result.rounds, -1)
                               <= .1 * np.arange(1, result.rounds + 1)[:, None]).any(axis=1))
        object.__setattr__(result, "multipliers", result.multipliers[:int(fair[0]) + 1 if len(fair) else None])
        return result
    return learner


def without_noise_where_nobody_is(f):
    """An empty cell is told as it is."""
    def release(cells, A, *args, **kw):
        counts, record = f(cells, A, *args, **kw)
        there = np.bincount(np.asarray(cells)[np.asarray(A) == 1], minlength=counts.shape[1])
        return np.where(there > 0, counts, 0), record
    return release


def no_cell_larger_than_its_group(f):
    """Noisy counts are cut at the true size of the group."""
    def noisy(counts, *args, **kw):
        return np.minimum(f(counts, *args, **kw), np.sum(counts, axis=(0, 2))[:, None])
    return noisy


def naming_the_smallest_cell(f):
    """What could have been promised is said where no promise was made."""
    def promise(game, smallest_cell):
        if smallest_cell is None:
            raise ValueError(f"smallest_cell=None: no promise was made. Give {game.table.sizes.min():g}.")
        return f(game, smallest_cell)
    return promise


def refusing_an_empty_cell(f):
    def refuse(game):
        f(game)
        if game.n.min() == 0:
            raise ValueError("a cell is empty")
    return refuse


def refusing_a_missing_group(f):
    def fit(self, X, y, *, sensitive_features, rng):
        if len(set(sensitive_features)) < self.n_groups:
            raise ValueError("a group is missing")
        return f(self, X, y, sensitive_features=sensitive_features, rng=rng)
    return fit


def warning_of_a_true_size(f):
    def fit(self, X, y, *, sensitive_features, rng):
        warnings.warn(f"group 1: {np.sum(np.asarray(sensitive_features) == 1)} people", SmallGroupWarning, stacklevel=2)
        return f(self, X, y, sensitive_features=sensitive_features, rng=rng)
    return fit


FAULTS = {
    "play_carries_its_game": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", kept(game=lambda play, given: given["game"]),
                                    "what is published holds the game, with A and the true cells"),
    "play_carries_its_violation": Mutant(
        "dpfair_teach.games.algorithms.dp_oracle_learner",
        kept(violation=lambda play, given: evaluate(play, given["game"]).violation), "what is published holds the true violation"),
    "play_is_kept_in_its_module": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", kept_in_its_module,
                                         "the library holds the games of all plays"),
    "play_prints_its_violation": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", printing_its_violation,
                                        "the true violation is printed"),
    "play_hides_its_cells": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", kept(
        hidden=lambda play, given: Hidden(given["game"].n)), "what is published holds the private cells, and leaves them out of pickles"),
    "play_remembers_what_it_was_worth": Mutant("dpfair_teach.games.play.evaluate", leaving_its_number,
                                               "who evaluates a play leaves the true violation on what was published"),
    "play_stops_when_it_is_fair": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", stopping_when_fair,
                                         "the number of rounds tells when the true game was fair"),
    "first_choice_reads_the_gaps": Mutant("dpfair_teach.games.players.excess_errors",
                                          lambda f: lambda game: f(game) + np.abs(game.gaps).max(axis=1),
                                          "the first round's choice, which has no noise, reads the private gaps"),
    "bound_is_the_smallest_cell": Mutant("dpfair_teach.games.players.released_bound",
                                         lambda f: lambda n, epsilon, delta, axes, rng, asked: (
                                             np.full(axes, n), f(n, epsilon, delta, axes, rng, asked)[1]),
                                         "N is the true smallest cell, and recorded as noise"),
    "refusal_names_the_smallest_cell": Mutant("dpfair_teach.games.players.promised", naming_the_smallest_cell,
                                              "a refusal says how many people the smallest cell holds"),
    "play_refuses_an_empty_cell": Mutant("dpfair_teach.games.players._refuse_unfit", refusing_an_empty_cell,
                                         "an empty cell is refused, and the refusal tells who is in it"),
    "loop_carries_its_cells": Mutant("dpfair_teach.games.regression_private.regression_dp_oracle_learner", kept(
        n=lambda play, given: regression_private.evaluate_regression(play, given["A"]).n,
        counts=lambda play, given: regression_private.evaluate_regression(play, given["A"]).counts),
                                     "what is published holds the private table of cells"),
    "mixed_keeps_the_groups": Mutant("dpfair_teach.games.DPOracleLearner.fit", kept(
        A_=lambda model, given: np.array(given["sensitive_features"])), "the fitted mixture keeps A"),
    "warning_names_a_true_size": Mutant("dpfair_teach.games.DPOracleLearner.fit", warning_of_a_true_size,
                                        "a warning says how many people group 1 has"),
    "learned_keeps_its_sizes": Mutant("dpfair_teach.games.DPRegressionLearner.fit", kept(n_=lambda model, given: np.bincount(
        2 * np.asarray(given["sensitive_features"]) + given["y"], minlength=2 * model.n_groups)), "the fitted rules keep the true sizes"),
    "repair_keeps_the_true_table": Mutant("dpfair_teach.postprocessing.DPPostProcessing.fit", kept(counts_=counted),
                                          "the fitted model keeps the true table"),
    "repair_keeps_whether_two_are_alike": Mutant("dpfair_teach.postprocessing.DPPostProcessing.fit", kept(
        alike_=lambda model, given: bool(np.equal(*np.asarray(given["sensitive_features"])[[4, 9]]))),
                                                 "the fitted model says whether two people are of one group"),
    "repair_leaves_it_on_its_class": Mutant("dpfair_teach.postprocessing.DPPostProcessing.fit", left_on_its_class,
                                            "the true table of the last fit is left on the class, where no pickle of a model holds it"),
    "repair_slack_reads_a_rate": Mutant(
        "dpfair_teach.postprocessing.DPPostProcessing.fit",
        kept(slack_=lambda model, given: model.slack_ + np.mean(given["sensitive_features"] == 1)), "the slack holds a group's true share"),
    "repair_refuses_a_missing_group": Mutant("dpfair_teach.postprocessing.DPPostProcessing.fit", refusing_a_missing_group,
                                             "with n_groups given, a group that nobody is in is refused"),
    "noisy_counts_cut_at_the_true_size": Mutant("dpfair_teach.postprocessing.public_margin_counts", no_cell_larger_than_its_group,
                                                "noisy counts are cut at the true size of their group"),
    "frontier_keeps_the_groups": Mutant("dpfair_teach.oneshot.FrontierLearner.fit",
                                        kept(A_=lambda model, given: np.array(given["sensitive_features"])), "the fitted model keeps A"),
    "frontier_keeps_its_generator": Mutant("dpfair_teach.oneshot.FrontierLearner.fit", kept(rng_=lambda model, given: given["rng"]),
                                           "the fitted model keeps the generator, and who has it draws the noise again"),
    "training_keeps_its_samples": Mutant("dpfair_teach.lagrangian.PrivateFairLagrangian._learn", keeping_its_samples,
                                         "the fitted model keeps who was in its secret samples"),
    "second_question_leaves_no_record": Mutant("dpfair_teach.oneshot.FrontierLearner.fit",
                                     kept(releases_=lambda model, given: model.releases_[:2]), "the second question has no record"),
    "empty_cells_told_without_noise": Mutant("dpfair_teach.mechanisms.release_cells", without_noise_where_nobody_is,
                                             "a cell in which nobody is of group 1 is told to be empty"),
    "choice_carries_a_rate": Mutant("dpfair_teach.oracles.private.private_oracle", kept(
        share=lambda choice, given: np.mean(np.asarray(given["A"]) == 1)), "the answer holds a group's true share"),
    "choice_carries_the_losses": Mutant("dpfair_teach.oracles.private.private_oracle", kept(
        losses=lambda choice, given: oracles.cell_losses(*(given[name] for name in ("labelings", "A", "Y", "costs")))),
                                        "the answer holds every labeling's true loss"),
}
