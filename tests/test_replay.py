"""Every private fit, on every neighbour, with the answers of one run told to all: the law of what is published, and its records.

At each draw one changed person moves the value by at most the sensitivity that the noise was made for, in the mechanism's norm; whoever
is in which group, the noise is of the same scale. The records that a fit leaves are those of the mechanisms that were run, all of them and
no other, and together they cost at most the epsilon and delta that were asked for. Somebody moves each value more than half as far as is
allowed, so that half the noise is seen, and what is published is the same for all neighbours. That noise has the law that its record says
is test_mechanisms_laws.py's. A new private method is tried as soon as it stands in a room's ``__all__``: it needs a run, and no
test.
"""
from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import functools
import inspect
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import faults
import turning
from dpfair_teach import data
from dpfair_teach.accounting import Release, compose
from faults import Mutant, calling, scaled, with_arguments
from private_fits import FITS, LIST, Fit, function_of
from test_published import PRINTED, bytes_of
from witness import BY_TURNS, Run, merged, others, records_of, run, seed_of

ROOT = Path(__file__).resolve().parents[1]
PARTS = 7
#: The fields of a record; what has some of them and is none; where a record is made of what others made.
FIELDS, NO_RECORD = {field.name for field in dataclasses.fields(Release)}, {"self", "params.plan", "optimizer"}
READ = {"accounting/adding.py", "accounting/releases.py"}
#: What returns arrays and no record: tables, what the chapter's screens make of them, steps that are handed a Measurement; the door itself.
NUMBERS_ALONE = {"postprocessing.noisy_counts", "postprocessing.public_margin_counts", "postprocessing.k_norm_counts",
                 "postprocessing.dp_postprocessing", "postprocessing.public_margin_postprocessing",
                 "postprocessing.score_bin_postprocessing", "lagrangian.noisy_group_sum", "lagrangian.noisy_violations",
                 "mechanisms.release"}
#: Rounding of a value: a sum of doubles that is not on a grid may move a little further than its sensitivity.
ROUNDING = 1e-9
#: The largest step of the grid of noise, in scales.
GRID = 2.0**-10
#: Half the noise would be seen where somebody moves a value by more than this part of what its noise is made for.
HALF = 0.5 + 1e-6
#: Fits of which nobody is seen to do so: as printed the noise is made for twice as far; whose features are another's, too, is accepted
#: otherwise among the other group, and of two groups the rates move together.
NOT_HALF = {name for name, fit in FITS.items() if (fit.door == "oracles.private_oracle" and fit.options.get("as_printed"))
            or (fit.k == 2 and fit.options.get("protect") == "X and A" and fit.options.get("cell_sizes"))}
PRIVATE = [name for name, fit in FITS.items() if fit.door != PRINTED]


def neighbours(fit: Fit, part: int) -> list[np.ndarray]:
    """One person's group changed to any other, of every seventh person."""
    A, found = fit.few.A, []
    for who in range(part, len(A), PARTS):
        for other in set(range(fit.k)) - {A[who]}:
            found.append(np.where(np.arange(len(A)) == who, other, A))
    return found


def worlds(fit: Fit, part: int, seen: Run) -> list[tuple[data.Dataset, np.ndarray]]:
    """The neighbours; where the records protect more of a person than the group, one who is another in all of that as well."""
    return [(fit.few, A) for A in neighbours(fit, part)] + others(fit.few, fit.few.A, part, seen)


def first(name: str, part: int) -> Run:
    return _first(name, part, faults.standing[-1])


@functools.lru_cache(maxsize=4)       # more would be remembered from one test to the next, which then calls nothing
def _first(name: str, part: int, fault: int) -> Run:
    fit = FITS[name]
    return run(fit, fit.few, fit.few.A, seed=seed_of(name, part))


def todays() -> list[int]:
    """Every seventh person each day, and all of them in `make nightly`."""
    return list(range(PARTS)) if turning.all_of_it() else [turning.day().toordinal() % PARTS]


@BY_TURNS
@pytest.mark.parametrize("name", PRIVATE)
def test_no_neighbour_moves_a_value_further_than_its_noise_was_made_for(name):
    """And somebody moves each more than half as far: of few people that is somebody of today's, or else others are tried, too."""
    used: dict[tuple, float] = {}
    for part in (today := list(range(PARTS)) if FITS[name].door.startswith("lagrangian.noisy_") else todays()):     # these are quick
        none_moves_it_further(name, part, used)
    for part in range(PARTS):
        if part not in today and min(used.values(), default=1) <= HALF:
            none_moves_it_further(name, part, used)
    little = {asked: most for asked, most in used.items() if most <= HALF}
    assert not little or name in NOT_HALF, f"noise is made for more than twice of what anybody moves: {little}"


def none_moves_it_further(name: str, part: int, used: dict[tuple, float]) -> None:
    """Nobody of a part of the people; ``used`` is told how much of what is allowed the value of each shape moves at most."""
    fit, seen = FITS[name], first(name, part)
    published = bytes_of(seen.result)
    for people, A in worlds(fit, part, seen):
        again = run(fit, people, A, seen.witness.answers)
        assert len(again.witness.asked) == len(seen.witness.asked), "a mechanism is asked less often than for other groups"
        touched = set()
        for number, (one, other) in enumerate(zip(seen.witness.asked, again.witness.asked, strict=True)):
            assert one.public() == other.public(), f"draw {number}: scale, sensitivity or shape depend on the groups"
            moved, allowed = one.moved(other), one.allowed()
            if np.any(allowed):
                key = one.mechanism, one.value.shape
                used[key] = max(used.get(key, 0.0), np.max(moved[allowed > 0] / allowed[allowed > 0]))
            if one.sample is not None and not np.isin(np.flatnonzero(A != fit.few.A), one.sample.people).any():
                allowed = 0 * allowed                           # the coins left the changed person out
            worst = np.max(moved - allowed * (1 + ROUNDING))
            assert worst <= 0, f"draw {number}, {one.mechanism}: moved by {np.max(moved):.6g}, noise made for {np.min(allowed):.6g}"
            assert one.part == other.part, f"draw {number}: of which people it is depends on the groups"
            if one.part is not None and np.max(moved) > 0:
                touched.add(one.part)
        partitions = [partition for _, partition in touched]
        assert len(set(partitions)) == len(partitions), f"one person moves what was asked of {sorted(touched)}: these are no parts"
        alike = bytes_of(again.result) == published
        assert alike, "what is published differs"


def drawn_once(seen: Run) -> None:
    """All noise, and the coins of secret samples, are of the generator that the fit was given, which goes on and never back; and no two
    games, repeats or answers have the same noise, as far as 6 numbers tell: that by chance two are so near has a chance of 1e-16."""
    streams = seen.witness.streams
    assert all(rng is seen.rng for rng, _ in streams), "noise of another generator than was given: of a copy, or of a seed"
    states = [state for _, state in streams] + [str(seen.generator)] * bool(streams)
    assert len(set(states)) == len(states), "the generator was set back: noise is drawn twice, or by the next fit again"
    noises = [noise for asked in seen.witness.asked if (noise := asked.noise()) is not None]
    answers: dict[int, list[np.ndarray]] = {}
    games: dict[int, list[np.ndarray]] = {}
    for noise in noises:
        answers.setdefault(noise.size, []).append(noise.ravel())
        games.setdefault(len(noise), []).append(noise)
    for rows in (*(np.stack(each) for each in answers.values()), *(np.concatenate(each, axis=1) for each in games.values())):
        other = ~np.eye(len(rows), dtype=bool)
        near = [(np.abs(rows[:, None] - sign * rows).max(axis=-1) < 2 * GRID)[other].any() for sign in (1, -1)]
        assert rows.shape[1] < 6 or not any(near), "noise is drawn once for two games or answers, with one sign or both"


@BY_TURNS
@pytest.mark.parametrize("name", PRIVATE)
def test_the_records_are_those_of_the_mechanisms_and_cost_what_was_asked_for(name):
    fit, seen = FITS[name], first(name, todays()[0])
    drawn_once(seen)
    assert not seen.witness.written, f"records are made by {seen.witness.written}, and not by the door"
    drawn, kept = seen.witness.records(), records_of(seen.result)
    if kept is not None or fit.door not in NUMBERS_ALONE:
        assert merged(kept or ()) == drawn, "a record that no mechanism made, or a draw without its record"
    samples = [asked for asked in seen.witness.asked if asked.probability < 1]
    assert all(asked.sample is not None and asked.sample.probability == asked.probability for asked in samples), \
        "a record's sample, and no coins of its probability"
    chosen, tossed = (sum(numbers) for numbers in zip(*((len(each.sample.people), each.sample.m) for each in samples), (0, 0), strict=True))
    for q in {asked.probability for asked in samples}:          # one for all of a fit
        assert stats.binomtest(chosen, tossed, q).pvalue > 1e-9, f"{chosen} of {tossed} are in the samples, at the probability {q:.3g}"
    if not drawn or seen.claim is None:
        return
    records = [record for door in seen.witness.doors for record in door.releases]
    assert all(record.relation.startswith("replace one ") for record in records), "other data sets are neighbours than those that are tried"
    assert all(record.times % fit.games == 0 for record in records)
    one = [record.with_times(record.times // fit.games) for record in records]
    epsilon, delta = seen.claim
    delta = 0.0 if delta is None else float(delta)
    found = np.inf
    for method in ("basic", "rdp", "pld"):
        if delta or method == "basic":
            with contextlib.suppress(ValueError):               # the records spend all of delta: by other formulas nothing is left
                found = min(found, compose(one, delta, method))
        if found <= np.max(epsilon) * (1 + 1e-9):
            return
    assert found <= np.max(epsilon) * (1 + 1e-9), f"epsilon {epsilon} was asked for, and the records cost {found}"


def test_a_fit_that_takes_an_epsilon_claims_it():
    """So that the test above is about something."""
    for name in {FITS[name].door: name for name in PRIVATE}.values():
        function = function_of(FITS[name].door)
        takes = any(name.startswith("epsilon") for name in inspect.signature(function).parameters) or function.__name__ == "fit"
        assert (first(name, todays()[0]).claim is not None) == takes, name


def written(source: str) -> list[int]:
    """Lines in which a record may be made, or changed: by its name, by that of its class, or from another record."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found += [node.lineno for name in node.names if name.name == "Release" and name.asname not in (None, "Release")]
        if not isinstance(node, ast.Call):
            continue
        called, first = node.func, ast.unparse(node.args[0]) if node.args else ""
        name = getattr(called, "id", None) or getattr(called, "attr", None)
        words = {word.arg for word in node.keywords}
        if (name in ("Release", "from_event") or (name == "__init__" and "Release" in ast.unparse(called)) or name == "__class__"
                or (isinstance(called, ast.Call) and ast.unparse(called.func) == "type" and words & (FIELDS | {None}))
                or (name in ("replace", "__replace__") and words & (FIELDS | {None}) and first not in NO_RECORD)
                or (name == "__setattr__" and first not in NO_RECORD)):
            found.append(node.lineno)
    return found


def test_no_record_is_written_but_by_a_mechanism():
    """Outside the room of mechanisms nothing in the library makes a Release: an estimator passes on what it was given."""
    found = [f"{path}:{line}" for path in sorted((ROOT / "dpfair_teach").rglob("*.py")) if path.parent.name != "mechanisms"
             and "/".join(path.parts[-2:]) not in READ for line in written(path.read_text(encoding="utf-8"))]
    assert found == [], f"{found}: draw by mechanisms.Measurement or mechanisms.release, and keep what they return"


@pytest.mark.parametrize("source", [
    "Release('laplace', UNIT_A, scale=1)", "records.Release(*numbers)", "type(record)('laplace', scale=1)", "type(record)(**numbers)",
    "record.__class__(*numbers)", "dataclasses.replace(record, scale=2.0)", "copy.replace(record, times=1)", "replace(record, **numbers)",
    "record.__replace__(epsilon=1.0)", "Release.from_event(event)", "object.__setattr__(record, 'scale', 2.0)",
    "from dpfair_teach.accounting import Release as Note", "Release.__init__(record, 'laplace', UNIT_A)"])
def test_a_record_that_is_written_is_seen_however_it_is_done(source):
    assert written(source) == [1]


def test_every_private_fit_is_tried():
    assert {fit.door for fit in LIST} == {FITS[name].door for name in FITS} and len(PRIVATE) > 100


# ------------------------------------------------------------------------------------------------ faults
def one_for_any_number_of_groups(f):
    return lambda n_groups, every_group=False: 1


def recorded_as_half(f):
    """A learner writes a record of its own: that of half the epsilon."""
    def fit(self, *args, **kw):
        f(self, *args, **kw)
        self.releases_ = tuple(type(record)(record.mechanism, record.unit, **record.given() | {"epsilon": record.epsilon / 2})
                               for record in self.releases_)
        return self
    return fit


def scaled_by_the_private_group(f):
    """The more people are of group 1, the smaller is the noise of a table."""
    def release(cells, A, epsilon, *args, **kw):
        return f(cells, A, epsilon * (1 + .01 * np.mean(A == 1)), *args, **kw)
    return release


def one_for_all_games(draw):
    """The noise of the first game of a batch is that of all."""
    def faulty(self, value, numbers, rng, shape, **options):
        scale = np.asarray(numbers[1], dtype=float)
        scale = scale.reshape(scale.shape + (1,) * (value.ndim - scale.ndim))
        noise = (draw(self, 0 * value, numbers, rng, shape, **options) / scale).reshape(-1, *value.shape)
        return (value + noise[:, :1] * scale).reshape(shape + value.shape)
    return faulty


def set_back(f):
    """Who draws next from the generator has the same noise."""
    def learner(*args, rng, **how):
        before = rng.bit_generator.state
        play = f(*args, rng=rng, **how)
        rng.bit_generator.state = before
        return play
    return learner


def recorded_with(said):
    """The games' measurements say something else of whom they protect."""
    return calling("Measurement", lambda made: lambda mechanism, unit, **how: made(mechanism, **{"unit": unit} | how | said(mechanism)))


def keeping_a_bit(f):
    """One bit of everybody's groups, that any neighbour has otherwise."""
    def fit(self, X, y, *, sensitive_features, rng):
        f(self, X, y, sensitive_features=sensitive_features, rng=rng)
        self.odd_ = bool(np.sum(np.asarray(sensitive_features) == 1) % 2)
        return self
    return fit


def for_half_as_far(f):
    """The noise of the rounds is made for half of what a person moves."""
    def over(self, N, step):
        f(self, N, step)
        self.choose = self._asked("exponential", .5, step)
        self.measure = self._asked("laplace", np.broadcast_to(1 / (np.asarray(N) + 1), self.axes), step)
    return over


twice = with_arguments(epsilon=lambda epsilon: 2 * epsilon)
FAULTS = {
    "sizes_asked_at_twice_their_epsilon": Mutant("dpfair_teach.lagrangian.private_steps.noisy_sizes", twice,
                                                 "the sizes of groups spend twice the epsilon that was set apart for them"),
    "rounds_for_half_as_far": Mutant("dpfair_teach.games.players.PromisePlayers._over", for_half_as_far,
                                     "the noise of all rounds is made for half of what a person moves, and recorded so"),
    "group_sums_for_half_as_far": Mutant("dpfair_teach.lagrangian.private_steps.reach_of", scaled(.5),
                                         "the noise of a sum is made for half of what a person moves"),
    "repair_keeps_an_odd_number": Mutant("dpfair_teach.postprocessing.DPPostProcessing.fit", keeping_a_bit,
                                         "the fitted model says whether an odd number of people are of group 1"),
    "responses_at_twice_their_epsilon": Mutant(
        "dpfair_teach.baselines.PrivateReduction._learn", calling("release", twice), "everybody responds at twice the epsilon"),
    "cells_at_twice_their_epsilon": Mutant("dpfair_teach.mechanisms.release_cells", twice, "cells are counted at twice the epsilon"),
    "two_counts_move_and_one_is_reckoned": Mutant("dpfair_teach.mechanisms.cell_sensitivity", one_for_any_number_of_groups,
                                                  "three groups' counts have noise for a sensitivity of 1"),
    "scale_of_cells_by_a_group": Mutant("dpfair_teach.mechanisms.release_cells", scaled_by_the_private_group,
                                        "who is in which group scales the noise"),
    "everybody_is_in_the_secret_sample": Mutant("dpfair_teach.lagrangian.algorithm.poisson_sample", with_arguments(
        probability=lambda q: 1.0), "a sum over everybody is recorded as one over a secret sample"),
    "play_draws_from_a_copy": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", with_arguments(rng=copy.deepcopy),
                                     "what draws next from the generator draws the same noise"),
    "play_draws_from_a_known_seed": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", with_arguments(
        rng=lambda _: np.random.default_rng(7)), "anybody can draw the noise again"),
    "play_sets_the_generator_back": Mutant("dpfair_teach.games.algorithms.dp_oracle_learner", set_back,
                                           "what draws next from the generator draws the same noise, and no generator is copied"),
    "laplace_noise_from_a_copy": Mutant("dpfair_teach.mechanisms.laplace.Laplace.draw", with_arguments(rng=copy.deepcopy),
                                        "the next draw begins where this one began"),
    "samples_from_a_known_seed": Mutant("dpfair_teach.lagrangian.algorithm.poisson_sample", with_arguments(
        rng=lambda _: np.random.default_rng(7)), "who is in a secret sample is no secret"),
    "games_of_a_batch_share_noise": Mutant("dpfair_teach.mechanisms.laplace.Laplace.draw", one_for_all_games,
                                           "two games of a batch have the same noise, and their difference none"),
    "play_recorded_for_other_neighbours": Mutant("dpfair_teach.games.players._Players._asked", recorded_with(
        lambda mechanism: {"relation": "add or remove one A"}), "the records are about data sets of which none is a neighbour here"),
    "play_recorded_as_hiding_x_too": Mutant("dpfair_teach.games.players._Players._asked", recorded_with(
        lambda mechanism: {"unit": "one person's X and A change", "relation": "replace one X and A"}),
                                            "noise that hides a group is recorded as if it hid features, too"),
    "players_recorded_as_of_parts": Mutant("dpfair_teach.games.players._Players._asked", recorded_with(
        lambda mechanism: {"part": (mechanism, "all")}), "two players read everybody, and are recorded as if each read other people"),
    "response_recorded_as_half": Mutant("dpfair_teach.baselines.PrivateReduction.fit", recorded_as_half,
                                        "a learner's record is not the one that the mechanism made"),
}
