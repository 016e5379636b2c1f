"""Every private fit, on every neighbour, with the answers of one run told to all: the law of what is published, and its records.

At each draw one changed person moves the value by at most the sensitivity that the noise was made for, in the mechanism's norm; whoever
is in which group, the noise is of the same scale. The records that a fit leaves are those of the mechanisms that were run, all of them and
no other, and together they cost at most the epsilon and delta that the fit was asked for. That each mechanism's noise has the law that its
record says is test_mechanism_laws.py's. A new private method is tried as soon as it stands in a room's ``__all__``: it needs a run, and no
test.
"""
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import turning
from dpfair_teach.accounting import compose
from faults import Mutant, calling, with_arguments
from private_fits import FEW, FITS, LIST, Fit, function_of
from test_published import PRINTED, promised
from witness import merged, records_of, run, seed_of

ROOT = Path(__file__).resolve().parents[1]
PARTS = 7
#: Where a record is made of numbers that nobody drew by, and whose curve is drawn.
PLANNED = {"adding.py"}
#: What returns arrays and no record: tables, what the chapter's screens make of them, steps that are handed a Measurement; the door itself.
NUMBERS_ALONE = {"postprocessing.noisy_counts", "postprocessing.public_margin_counts", "postprocessing.k_norm_counts",
                 "postprocessing.dp_postprocessing", "postprocessing.public_margin_postprocessing",
                 "postprocessing.score_bin_postprocessing", "lagrangian.noisy_group_sum", "lagrangian.noisy_violations",
                 "mechanisms.release"}
#: Rounding of a value: a sum of doubles that is not on a grid may move a little further than its sensitivity.
ROUNDING = 1e-9
PRIVATE = [name for name, fit in FITS.items() if fit.door != PRINTED]


def neighbours(fit: Fit, part: int) -> list[np.ndarray]:
    """One person's group changed to any other, of every seventh person."""
    A, found = FEW[fit.k].A, []
    cell = 2 * A + FEW[fit.k].Y
    for who in range(part, len(A), PARTS):
        if promised(fit) and np.bincount(cell)[cell[who]] <= 2:
            continue                                            # the promise is not about those who break it
        for other in set(range(fit.k)) - {A[who]}:
            found.append(np.where(np.arange(len(A)) == who, other, A))
    return found


@functools.lru_cache(maxsize=4)
def first(name: str, part: int):
    fit = FITS[name]
    return run(fit, FEW[fit.k], FEW[fit.k].A, seed=seed_of(name, part))


def todays() -> list[int]:
    """Every seventh person each day, and all of them in `make nightly`."""
    return list(range(PARTS)) if turning.all_of_it() else [turning.day().toordinal() % PARTS]


@pytest.mark.parametrize("name", PRIVATE)
def test_no_neighbour_moves_a_value_further_than_its_noise_was_made_for(name):
    fit = FITS[name]
    for seen, A in [(first(name, part), A) for part in todays() for A in neighbours(fit, part)]:
        again = run(fit, FEW[fit.k], A, seen.witness.answers)
        assert len(again.witness.asked) == len(seen.witness.asked), "a mechanism is asked less often than for other groups"
        for number, (one, other) in enumerate(zip(seen.witness.asked, again.witness.asked, strict=True)):
            assert one.public() == other.public(), f"draw {number}: scale, sensitivity or shape depend on the groups"
            moved, allowed = one.moved(other), one.allowed()
            if one.sample is not None and not np.isin(np.flatnonzero(A != FEW[fit.k].A), one.sample.people).any():
                allowed = 0 * allowed                           # the coins left the changed person out
            worst = np.max(moved - allowed * (1 + ROUNDING))
            assert worst <= 0, f"draw {number}, {one.mechanism}: moved by {np.max(moved):.6g}, noise made for {np.min(allowed):.6g}"


@pytest.mark.parametrize("name", PRIVATE)
def test_the_records_are_those_of_the_mechanisms_and_cost_what_was_asked_for(name):
    fit, seen = FITS[name], first(name, todays()[0])
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
        takes = "epsilon" in inspect.signature(function).parameters or function.__name__ == "fit"
        assert (first(name, todays()[0]).claim is not None) == takes, name


def test_no_record_is_written_but_by_a_mechanism():
    """Outside the room of mechanisms nothing in the library makes a Release: an estimator passes on what it was given."""
    found = []
    for path in sorted((ROOT / "dpfair_teach").rglob("*.py")):
        if path.parent.name != "mechanisms" and path.name not in PLANNED:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (getattr(node.func, "id", None) or getattr(node.func, "attr", None)) == "Release":
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == [], f"{found}: draw by mechanisms.Measurement or mechanisms.release, and keep what they return"


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


twice = with_arguments(epsilon=lambda epsilon: 2 * epsilon)
FAULTS = {
    "sizes_asked_at_twice_their_epsilon": Mutant("dpfair_teach.lagrangian.private_steps.noisy_sizes", twice,
                                                 "the sizes of groups spend twice the epsilon that was set apart for them"),
    "responses_at_twice_their_epsilon": Mutant(
        "dpfair_teach.baselines.PrivateReduction._learn", calling("release", twice), "everybody responds at twice the epsilon"),
    "cells_at_twice_their_epsilon": Mutant("dpfair_teach.mechanisms.release_cells", twice, "cells are counted at twice the epsilon"),
    "two_counts_move_and_one_is_reckoned": Mutant("dpfair_teach.mechanisms.cell_sensitivity", one_for_any_number_of_groups,
                                                  "three groups' counts have noise for a sensitivity of 1"),
    "scale_of_cells_by_a_group": Mutant("dpfair_teach.mechanisms.release_cells", scaled_by_the_private_group,
                                        "who is in which group scales the noise"),
    "everybody_is_in_the_secret_sample": Mutant("dpfair_teach.lagrangian.algorithm.poisson_sample", with_arguments(
        probability=lambda q: 1.0), "a sum over everybody is recorded as one over a secret sample"),
    "response_recorded_as_half": Mutant("dpfair_teach.baselines.PrivateReduction.fit", recorded_as_half,
                                        "a learner's record is not the one that the mechanism made"),
}
