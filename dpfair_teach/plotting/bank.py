"""The figure of the whole subject: a bank of ten people, the coins that repair it, and what these give away."""
from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from .. import attacks, data, fairness, mechanisms
from ..explore import Explorer, Panel, People
from ..postprocessing import closed_form, derived_counts, lift_unusable, public_margin_counts

__all__ = ["whole_subject"]

EXACTLY = "exactly"
#: What may be published instead of the coins for the true table: those for a table with so much noise.
EPSILONS = {"epsilon 5": 5.0, "epsilon 2": 2.0, "epsilon 1": 1.0, "epsilon 0.5": 0.5}
DRAWS = 8
SEED = 7            # public: the people are invented
SERIES = ("group 0 can get", "group 1 can get", "bank alone", "group 0", "group 1")
PLANE, COINS = "Rates these coins give", "Published coins (with noise: eight draws)"
FAIR, GUESS = "Fair, at what cost (noise: mean of all draws)", "Best guess of Ada's group"
ANSWERS, WORTH = ("after the bank's yes", "after the bank's no"), ("violation: larger gap", "error: wrong decisions")
LABELS = ("defaulted", "repaid")

Groups = tuple[int, ...]
#: Group 1's counts [yhat, y], row by row: with the decisions and labels, which are public, they are the table.
Ones = tuple[int, int, int, int]


class Repair(NamedTuple):
    """What is published for one table, and what it does."""

    counts: np.ndarray          # (2, 2, 2) [yhat, a, y]: the people
    p: np.ndarray               # (n, 2, 2) [which, yhat, a]: the coins, some draws of them where there is noise
    before: tuple[float, float]     # violation and error without coins,
    after: tuple[float, float]      # and with them, on average over the noise; NaN for what does not exist
    empty: tuple[int, ...]          # the first group and label that nobody has: then there is no violation


def whole_subject() -> Explorer:
    """Make the bank fair without betraying Ada: the ten people, the coins that repair the bank, and what these give away.

    A click puts a person into the other group. Published are four coins, the chances of a yes by what the bank says and by group, those
    of least error with equal rates: for the true table, or for a table with two-sided geometric noise of scale 1 / epsilon on group 1's
    counts, which are epsilon-differentially private in one person's A. The guess is that of somebody who knows all other groups.

    Source: ours. The repair is supplement, LP^ (2) with gamma = 0.

    Returns
    -------
    Explorer
        Its people set ``A``, its buttons ``publish``: ``exactly``, ``epsilon 5``, ``epsilon 2``, ``epsilon 1``, ``epsilon 0.5``.

    Examples
    --------
    >>> whole_subject().frame()["Published coins (with noise: eight draws)"].values.tolist()
    [['1', '0.75'], ['0.25', '0']]
    """
    ten = data.load("ten_people")
    kinds = dict(zip(SERIES, ("polygon", "polygon", "points", "points", "points"), strict=True))
    people = People(data.TEN_NAMES, group=ten.A.tolist(), label=ten.Y.tolist(), score=ten.X[:, 0].tolist(), cut=0.5,
                    words={"label": LABELS})
    unmarked = [{row: row for row in rows} for rows in (ANSWERS, WORTH)]      # all cells move: marks of change would say nothing
    return Explorer(
        [[Panel(coins, name=COINS, view="table", share=0.62, compare=unmarked[0]),     # on a phone the coins come first
          Panel(guess, name=GUESS, view="bars", x_range=(0.5, 1.0), share=0.62),
          Panel(worth, name=FAIR, view="table", digits=2, share=0.62, compare=unmarked[1])],
         Panel(plane, name=PLANE, view="roc", share=0.38, series=kinds, colors=dict(zip(SERIES[3:], SERIES[:2], strict=True)),
               x_label="false positive rate (of defaulted)", y_label="true positive rate (of repaid)")],
        people=people, sliders={"publish": [EXACTLY, *EPSILONS]}, title="Make the bank fair without betraying Ada", alt=sentence,
        question="What does the bank learn about Ada? Click on her, then lower epsilon: more noise.")


# --- what the panels show ---------------------------------------------------------------------------------------------------

def plane(A: Groups, publish: str) -> dict[str, np.ndarray]:
    """The rates that coins can give, those of the bank alone, and those of the published coins; nothing where nobody is to be measured."""
    return _plane(ones_of(A), publish)


@cache
def _plane(ones: Ones, publish: str) -> dict[str, np.ndarray]:
    repair = repaired(ones, publish)
    if repair.empty:
        return dict.fromkeys(SERIES, np.empty((0, 2)))
    reach = [np.array([(0, 0), (fp, tp), (1, 1), (1 - fp, 1 - tp)]) for fp, tp in zip(*fairness.rates(repair.counts), strict=True)]
    places = np.stack(fairness.rates(derived_counts(repair.counts, repair.p)), axis=-1)         # (n, a, 2)
    alone = np.array([one[1] for one in reach])
    return dict(zip(SERIES, (*reach, alone, places[:, 0], places[:, 1]), strict=True))


def coins(A: Groups, publish: str) -> dict:
    """The four coins; of several draws the lowest and the highest."""
    p = repaired(ones_of(A), publish).p
    cells = [[span(p[:, yhat, a]) if len(p) else "none" for a in (0, 1)] for yhat in (1, 0)]
    return {"corner": "chance of a yes", "rows": ANSWERS, "columns": ["group 0", "group 1"], "values": cells}


def worth(A: Groups, publish: str) -> dict:
    """Violation of equalized odds and error, before and after the repair, on average over the noise, to two decimals."""
    repair = repaired(ones_of(A), publish)
    cells = [["none" if np.isnan(value) else round(value, 2) for value in pair] for pair in zip(repair.before, repair.after, strict=True)]
    return {"rows": WORTH, "columns": ["bank alone", "with coins"], "values": cells}


def guess(A: Groups, publish: str) -> dict[str, float]:
    """The chance to guess Ada's group, of who knows all others and has seen what is published, to two decimals; 1/2 is a blind guess."""
    if publish in EPSILONS:
        return {"right, at most": round(0.5 + attacks.attribute_advantage_bound(EPSILONS[publish]), 2)}
    here, there = (repaired(ones_of(groups), EXACTLY).p for groups in (A, other(A)))
    return {"right, at most": 0.5 if same(here, there) else 1.0}


def sentence(A: Groups, publish: str) -> str:
    """What the figure shows now."""
    repair = repaired(ones_of(A), publish)
    nobody = f"Nobody in group {repair.empty[0]} {LABELS[repair.empty[1]]}: there is nobody to measure" if repair.empty else ""
    if publish in EPSILONS:
        known = nobody or f"At {publish} the mean violation is {repair.after[0]:.2f}; draws may coincide"
        return (f"{known}. Told only nine groups, the bank guesses Ada's right "
                f"at most about {100 * guess(A, publish)['right, at most']:.0f} times in 100.")
    there, if_moved = repaired(ones_of(other(A)), EXACTLY).p, f"With Ada in group {1 - A[0]}"
    known = f"{nobody}, and no coins. {if_moved}" if nobody else if_moved
    if same(repair.p, there):
        return f"{known} you would see the same: it says nothing about her."
    if len(repair.p) != len(there):
        return f"{known} there would be {'' if nobody else 'nobody to measure and no '}coins: this gives her group away."
    return f"{known} {would_be(there[0])}. Told the other nine groups, the bank reads hers off the coins."


# --- tables and coins -------------------------------------------------------------------------------------------------------

@cache
def ones_of(A: Groups) -> Ones:
    """Group 1's counts."""
    ten = data.load("ten_people")
    counts = fairness.cell_counts(data.ten_people_base(ten.X), np.array(A), ten.Y, n_groups=2)
    a, b, c, d = counts[:, 1].ravel()
    return int(a), int(b), int(c), int(d)


@cache
def margins() -> np.ndarray:
    """How many people have each decision and label, (2, 2) [yhat, y]: public, whatever the groups."""
    ten = data.load("ten_people")
    return fairness.cell_counts(data.ten_people_base(ten.X), ten.A, ten.Y, n_groups=2).sum(axis=1)


def other(A: Groups) -> Groups:
    """Ada, the first of the ten, in the other group."""
    return (1 - A[0], *A[1:])


@cache
def repaired(ones: Ones, publish: str) -> Repair:
    """What is published for the table with these ``ones``, and how far it leaves the groups apart."""
    counts = np.stack([margins() - np.reshape(ones, (2, 2)), np.reshape(ones, (2, 2))], axis=1)
    empty = tuple(next(iter(np.argwhere(counts.sum(axis=0) == 0).tolist()), ()))
    if publish in EPSILONS:
        rng = np.random.default_rng([SEED, list(EPSILONS).index(publish), *ones])       # every table has draws of its own
        p = fair(public_margin_counts(counts, EPSILONS[publish], rng, size=DRAWS, noise="geometric"))
        chance, every = law(ones, EPSILONS[publish]), noisy_coins()
    else:
        p = fair(counts[None]) if not empty else np.empty((0, 2, 2))
        chance, every = np.ones(len(p)), p
    derived = derived_counts(counts, every)
    error = float(chance @ fairness.error(derived)) if len(every) else np.nan
    if empty:
        return Repair(counts, p, (np.nan, float(fairness.error(counts))), (np.nan, error), empty)
    violation = round(float(chance @ fairness.violation(derived)), 12)          # equal rates differ by a rounding
    return Repair(counts, p, (float(fairness.violation(counts)), float(fairness.error(counts))), (violation, error), empty)


def fair(tables: np.ndarray) -> np.ndarray:
    """The best coins with equal rates, for each of the ``tables``; rates that do not exist are not compared."""
    q = tables / margins().sum()
    return closed_form(q, gamma=0, slack=lift_unusable(q)).p


@cache
def noisy_tables() -> np.ndarray:
    """Group 1's counts in every table that noise can release, (n, 2, 2) [yhat, y]: the noise is cut off at 0 and at the margins."""
    return np.array(list(product(*(range(most + 1) for most in margins().ravel())))).reshape(-1, 2, 2)


@cache
def noisy_coins() -> np.ndarray:
    """The coins for each of these tables, (n, 2, 2) [yhat, a]."""
    return fair(np.stack([margins() - noisy_tables(), noisy_tables()], axis=2))


def law(ones: Ones, epsilon: float) -> np.ndarray:
    """With which chance each of the noisy tables is released for the true one, (n,)."""
    cells = zip(ones, margins().ravel().tolist(), noisy_tables().reshape(-1, 4).T, strict=True)
    return np.prod([released(true, most, epsilon)[noisy] for true, most, noisy in cells], axis=0)


@cache
def released(true: int, most: int, epsilon: float) -> np.ndarray:
    """The law of one released count, (most + 1,)."""
    return np.diff(mechanisms.geometric_law(1, epsilon, true).cdf(np.arange(most)), prepend=0.0, append=1.0)


# --- words ------------------------------------------------------------------------------------------------------------------

def same(p: np.ndarray, other: np.ndarray) -> bool:
    """Whether two coins are the same, or neither is published."""
    return p.shape == other.shape and bool(np.allclose(p, other, rtol=0.0, atol=1e-9))


def would_be(p: np.ndarray) -> str:
    """The four coins, row by row as the table shows them."""
    yes, no = (" and ".join(two(p[yhat, a]) for a in (0, 1)) for yhat in (1, 0))
    return f"the coins would be {yes} after a yes, {no} after a no"


def two(value: float) -> str:
    """A chance to two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def span(values: np.ndarray) -> str:
    """One chance, or the lowest and the highest of several."""
    low, high = two(values.min()), two(values.max())
    return low if low == high else f"{low} to {high}"
