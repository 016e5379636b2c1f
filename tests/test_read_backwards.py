"""No published number can be read backwards: whoever knows everybody else excludes no world with certainty.

A sum v of people plus a double n is a double r. For some r no n leads there from v, so v was not the sum:
`attacks.floating_point_exclusions`. Every sum that a private fit hands to noise and that is answered in doubles is attacked so, for
neighbours, with the answers of one run told to all. Answers that all lie on the public grid of their scale are taken for what they are,
v + n to the nearest multiple; others for raw doubles. Only what last digits tell is looked for here: how much noise there is, is held by
test_replay.py and test_mechanisms_laws.py.
"""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import faults
from dpfair_teach import attacks, functional, networks
from dpfair_teach.lagrangian import FairProblem, FairTerms, NoiseMultipliers, Plan
from dpfair_teach.lagrangian.printed import printed_dual_step
from dpfair_teach.mechanisms.mechanism import grid_step
from faults import Mutant
from private_fits import FEW, FITS, Fit
from witness import BY_TURNS, Asked, Witness, run, seed_of

#: What publishes raw doubles with ``as_printed``, as the paper prints it; no other fit may.
PRINTED_RAW = ("games.dp_oracle_learner_as_printed", "postprocessing.noisy_counts", "postprocessing.public_margin_counts")
RAW = [name for name, fit in FITS.items() if fit.door in PRINTED_RAW and fit.options.get("as_printed")]
SUMS = [name for name, fit in FITS.items() if fit.draws and name not in RAW]


def excluded(questions: list[list[Asked]]) -> int:
    """How many worlds are excluded in all, of runs with the same answers: the first is the true one."""
    found = 0
    for asked in zip(*questions, strict=True):
        if asked[0].answer.dtype.kind == "f":
            first, size = asked[0], asked[0].value.size
            worlds = np.array([np.ravel(each.value) for each in asked], dtype=float)
            scale = np.asarray(first.numbers[1], dtype=float) * first.units
            scale = scale.reshape(scale.shape + (1,) * (first.value.ndim - scale.ndim))
            step = grid_step(np.broadcast_to(scale, first.value.shape).ravel())
            for answer in np.reshape(first.answer, (-1, size)):                         # one for each repeat
                told = np.where((answer % step == 0).all(), step, 0.0)                  # all on the grid: rounded; else raw doubles
                for own in np.unique(told):
                    found += attacks.floating_point_exclusions(worlds[:, told == own], answer[told == own], own).sum()
    return found


def off_the_grid(asked: list[Asked]) -> int:
    """How many answers in doubles are not all on the grid of their scale."""
    found = 0
    for one in asked:
        if one.answer.dtype.kind == "f" and (scale := np.asarray(one.numbers[1], dtype=float) * one.units).all():
            found += bool((one.answer % grid_step(scale.reshape(scale.shape + (1,) * (one.value.ndim - scale.ndim))) != 0).any())
    return found


def worlds_of(fit: Fit, runs: int, seed: int = 1) -> list[list[Asked]]:
    people = FEW[fit.k]
    first = run(fit, people, people.A, seed=seed)
    questions = [first.witness.asked]
    for who in np.linspace(0, len(people.A) - 1, runs).astype(int):
        A = np.where(np.arange(len(people.A)) == who, (people.A + 1) % fit.k, people.A)
        questions.append(run(fit, people, A, first.witness.answers).witness.asked)
    return questions


@BY_TURNS
@pytest.mark.parametrize("name", SUMS)
def test_no_world_is_excluded_by_any_sum_that_a_private_fit_hands_to_noise(name):
    questions = worlds_of(FITS[name], 3, seed_of(name))
    assert excluded(questions) == 0
    assert off_the_grid(questions[0]) == 0                               # of whole counts little noise excludes anybody


@pytest.mark.parametrize("name", RAW)
def test_as_printed_some_release_of_raw_noise_excludes_a_neighbour(name):
    """Of at most 100 releases; a table's whole numbers give less away than a rate's last bits."""
    assert any(excluded(worlds_of(FITS[name], 3, seed)) > 0 for seed in range(100))


def test_as_printed_the_multipliers_of_pf_ld_exclude_a_neighbour_and_never_the_truth():
    """Its noise passes no mechanism's door. From 0 and at rate 1 the multipliers are violations plus raw noise."""
    people, found = FEW[2], np.zeros(2, dtype=int)
    plan, terms = Plan(1, 10, dual_clip=1.0, dual_learning_rate=1.0, max_multiplier=1e6), FairTerms("equalized_odds", 2)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        network = networks.Network(people.d, (4,))
        theta = network.initial(rng)
        other = np.where(np.arange(people.m) == seed % people.m, 1 - people.A, people.A)
        wholes = [FairProblem(network, people.X, A, people.Y, terms).of(theta) for A in (people.A, other)]
        told = printed_dual_step(np.zeros((2, 2)), wholes[0], plan, NoiseMultipliers(1.0, 1.0), rng)
        found += attacks.floating_point_exclusions([np.abs(whole.clipped_violations(1.0)).ravel() for whole in wholes], told.ravel())
    assert found[0] == 0 < found[1]


# ------------------------------------------------------------------------------------------------ many numbers at once
def people_of(seed: int, m: int = 200, d: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((m, d))
    return X / np.linalg.norm(X, axis=1).max(), rng.integers(0, 2, m), rng.integers(0, 2, m)


def classifier(X, y, A, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return functional.FunctionalClassifier(1.0, .1, 1e-6, bound=1.0).fit(X, y, sensitive_features=A, rng=rng)


#: What hands sums of rows to noise.
BOXES = {
    "FunctionalClassifier": classifier,
    "release_moments": lambda X, y, A, rng: functional.release_moments(X, y, None, 1.0, 1e-6, rng),
    "functional_mechanism": lambda X, y, A, rng: functional.functional_mechanism(X, y, 1.0, rng),
    "functional_mechanism, printed": lambda X, y, A, rng: functional.functional_mechanism(X, y, 1.0, rng, as_printed=True),
    "relaxed": lambda X, y, A, rng: functional.relaxed_functional_mechanism(X, y, 1.0, 1e-6, rng),
    "relaxed, printed": lambda X, y, A, rng: functional.relaxed_functional_mechanism(X, y, 1.0, 1e-6, rng, as_printed=True),
    "pdfc": lambda X, y, A, rng: functional.pdfc(X, y, A, 0, 1.0, 1.0, rng),
    "adfc": lambda X, y, A, rng: functional.adfc(X, y, A, 0, 1.0, 1.0, 1e-6, 1e-6, rng),
    "pflr_star": lambda X, y, A, rng: functional.pflr_star(X, y, A, 1.0, rng),
    "fair, Laplace": lambda X, y, A, rng: functional.fair_functional_mechanism(X, y, A, 1.0, None, rng),
    "fair, Gaussian": lambda X, y, A, rng: functional.fair_functional_mechanism(X, y, A, 1.0, 1e-6, rng),
}


def watched(box, people, told=None, seed: int = 0) -> Witness:
    """What a box asks at the door, of these people."""
    witness = Witness(told)
    with pytest.MonkeyPatch.context() as patched:
        witness.watch(patched)
        box(*people, np.random.default_rng(seed))
    return witness


def attacked(box, tries: int = 6) -> tuple[int, int]:
    """Of so many data sets, each with its release: how often a person's other row, label or group is excluded, and how often the truth."""
    found, wrong = 0, 0
    for seed in range(tries):
        X, y, A = people_of(seed)
        first = watched(box, (X, y, A), seed=seed)
        wrong += excluded([first.asked])
        for what in ("row", "label", "group"):
            other = X.copy(), y.copy(), A.copy()
            other[0][0] = np.roll(X[0], 1) if what == "row" else X[0]
            other[1][0], other[2][0] = y[0] ^ (what == "label"), A[0] ^ (what == "group")
            found += excluded([watched(box, other, first.answers).asked])
    return found, wrong


@pytest.mark.parametrize("name", BOXES)
def test_sums_of_rows_are_exact_and_no_other_person_is_excluded(name):
    """In any order of the people the mechanism is handed the same bits; and in 6 releases of some 100 numbers nobody is excluded."""
    X, y, A = people_of(0)
    order = np.random.default_rng(1).permutation(len(y))
    one, other = (watched(BOXES[name], people).asked[0].value for people in ((X, y, A), (X[order], y[order], A[order])))
    assert np.array_equal(one, other)
    assert attacked(BOXES[name]) == (0, 0)


@pytest.mark.parametrize("name", BOXES)
def test_in_raw_doubles_somebody_is_excluded_and_never_the_truth(name):
    """So the attack has power, in each of the boxes."""
    with faults.planted(FAULTS["noise_in_raw_doubles"]):
        found, wrong = attacked(BOXES[name])
    assert found > 0 == wrong


def raw(noisy, scale, step=None):
    return noisy


def rows_as_they_are(f):
    """The domain is looked at, and rows are not cut off to the grid."""
    def in_domain(X, y, *given, **how):
        f(X, y, *given, **how)
        return np.asarray(X, float), np.asarray(y)
    return in_domain


FAULTS = {
    "noise_in_raw_doubles": Mutant("dpfair_teach.mechanisms.mechanism.rounded", lambda f: raw, "noisy sums are published as raw doubles"),
    "rows_off_the_grid": Mutant("dpfair_teach.functional.people.in_domain", rows_as_they_are, "sums depend on the order of the people"),
}
