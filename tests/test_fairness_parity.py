"""One object for each notion: rates, signed gaps and violations against the same counted by hand, in fractions, person by person."""
from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from dpfair_teach import fairness
from dpfair_teach._checks import MOST_GROUPS
from dpfair_teach.fairness import AGAINST, NOTIONS, Parity
from dpfair_teach.fairness.parity import read_parity, signed
from faults import Mutant

EVERY = [(notion, against) for notion in NOTIONS for against in AGAINST]


def of_two_groups_only(f):
    """What a loop over (0, 1) finds."""
    def rates(self, counts):
        return f(self, np.asarray(counts)[..., :2, :])
    return rates


def minus_is_plus(f):
    def gaps(self, counts):
        found = f(self, counts).copy()
        found[..., 1::2] = found[..., 0::2]
        return found
    return gaps


def rates_before_groups(f):
    """The order (FP, 1), (FP, 2), ..., (TP, 1), ...: with one comparison the same."""
    def differences(self, rates, sizes=None):
        apart = f(self, rates, sizes)
        each = apart.reshape(apart.shape[:-1] + (-1, len(self.cells)))
        return np.swapaxes(each, -1, -2).reshape(apart.shape)
    return differences


def groups_count_alike(f):
    return lambda self, rates, sizes=None: f(self, rates, None if sizes is None else np.ones_like(sizes))


def only_with_the_first(f):
    def comparisons(self, n_groups):
        found = f(self, n_groups).copy()
        if self.against == "pairs":
            found[:, 1] = 0
        return found
    return comparisons


def always_the_first(f):
    def differences(self, rates, sizes=None):
        return f(Parity(self.notion), rates) if self.against == "anchor" else f(self, rates, sizes)
    return differences


PARITY = "dpfair_teach.fairness.Parity."
FAULTS = {
    "parity_of_two_groups_only": Mutant(PARITY + "gaps", of_two_groups_only, "the third group is never looked at"),
    "parity_minus_is_plus": Mutant(PARITY + "gaps", minus_is_plus, "a group below the anchor breaks no constraint"),
    "parity_rates_before_groups": Mutant(PARITY + "differences", rates_before_groups, "constraints go by rate, then by group"),
    "parity_population_counts_groups_alike": Mutant(PARITY + "differences", groups_count_alike, "everybody's rate is a mean of groups"),
    "parity_pairs_with_the_first_only": Mutant(PARITY + "comparisons", only_with_the_first, "pairs are compared with group 0 only"),
    "parity_anchor_is_always_the_first": Mutant(PARITY + "differences", always_the_first, "another anchor than group 0 is ignored"),
}


def people(k: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """(yhat, a, y) of people, some of each kind in every group, groups of very different sizes."""
    counts = np.random.default_rng(seed + 10 * k).integers(1, 9, (2, k, 2))
    counts[:, -1] *= 4
    return [(yhat, a, y) for yhat in range(2) for a in range(k) for y in range(2) for _ in range(counts[yhat, a, y])]


def by_hand(who: list, notion: str) -> list[Fraction]:
    """The rates of some people, one by one."""
    def share(condition, event):
        here = [person for person in who if condition(*person)]
        return Fraction(sum(event(*person) for person in here), len(here))

    fp = share(lambda yhat, a, y: y == 0, lambda yhat, a, y: yhat == 1)
    tp = share(lambda yhat, a, y: y == 1, lambda yhat, a, y: yhat == 1)
    accepted = share(lambda yhat, a, y: True, lambda yhat, a, y: yhat == 1)
    right = share(lambda yhat, a, y: True, lambda yhat, a, y: yhat == y)
    return {"equalized_odds": [fp, tp], "false_positive": [fp], "true_positive": [tp], "demographic_parity": [accepted],
            "accuracy_parity": [right]}[notion]


def gaps_by_hand(who: list, k: int, parity: Parity) -> list[Fraction]:
    """For every comparison, for every rate: +, -."""
    of = [by_hand([person for person in who if person[1] == a], parity.notion) for a in range(k)]
    everybody = by_hand(who, parity.notion)
    compared = {"anchor": [(of[a], of[parity.anchor]) for a in range(k) if a != parity.anchor],
                "pairs": [(of[b], of[a]) for a, b in combinations(range(k), 2)],
                "population": [(of[a], everybody) for a in range(k)]}[parity.against]
    return [sign * (mine - theirs) for one, other in compared for mine, theirs in zip(one, other, strict=True) for sign in (1, -1)]


def test_gaps_and_violations_are_those_counted_by_hand():
    for k in (2, 3, 5):
        who = people(k)
        yhat, A, Y = np.array(who).T
        counts = fairness.cell_counts(yhat, A, Y)
        for notion, against in EVERY:
            for anchor in range(k) if against == "anchor" else (0,):
                parity = Parity(notion, against, anchor)
                hand = gaps_by_hand(who, k, parity)
                assert parity.gaps(counts).shape == (len(hand),)
                assert parity.gaps(counts) == pytest.approx([float(g) for g in hand], abs=1e-12)
                assert parity.violation(counts) == pytest.approx(float(max(hand)), abs=1e-12)
                assert fairness.violation(counts, notion, against, anchor=anchor) == parity.violation(counts)
                assert len(parity.comparisons(k)) * 2 * len(parity.cells) == len(hand)
                a, b = parity.comparisons(k).T
                rates = parity.rates(counts)
                if against != "population":
                    assert parity.gaps(counts)[0::2] == pytest.approx((rates[a] - rates[b]).ravel())


@pytest.mark.parametrize("notion, against", EVERY)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_leading_axes_are_tables_one_by_one(notion, against, k):
    counts = np.random.default_rng(k).integers(1, 9, (4, 3, 2, k, 2))
    parity = Parity(notion, against)
    lam = np.random.default_rng(1).random((4, 3, parity.gaps(counts).shape[-1]))
    sizes = parity.sizes(counts.sum(axis=-3))
    whole = [parity.rates(counts), parity.gaps(counts), parity.violation(counts), sizes, parity.prices_of_rates(signed(lam), k, sizes)]
    for i, j in np.ndindex(4, 3):
        n = parity.sizes(counts[i, j].sum(axis=0))
        one = [parity.rates(counts[i, j]), parity.gaps(counts[i, j]), parity.violation(counts[i, j]), n,
               parity.prices_of_rates(signed(lam[i, j]), k, n)]
        for batch, single in zip(whole, one, strict=True):
            assert batch[i, j] == pytest.approx(single, abs=1e-15)


@pytest.mark.parametrize("notion, against", EVERY)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_prices_charge_every_rate_what_the_gaps_cost(notion, against, k):
    parity = Parity(notion, against, 1 if against == "anchor" else 0)
    counts = np.random.default_rng(k).integers(1, 9, (2, k, 2))
    gaps, rates, sizes = parity.gaps(counts), parity.rates(counts), parity.sizes(counts.sum(axis=0))
    lam = np.random.default_rng(2).random((6, len(gaps)))
    assert (parity.prices_of_rates(signed(lam), k, sizes) * rates).sum(axis=(-2, -1)) == pytest.approx(lam @ gaps, abs=1e-12)
    mixed = parity.differences(np.stack([rates, 1 - rates]), np.stack([sizes, sizes]))
    assert mixed[0] == pytest.approx(gaps[0::2]) and mixed[1] == pytest.approx(-gaps[0::2])
    assert parity.apart(rates, sizes) == pytest.approx(max(gaps))


def test_the_first_constraints_of_two_groups_are_the_papers():
    """FP+, FP-, TP+, TP- of group 1 against group 0; and between pairs the same, as there is one pair."""
    counts = [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    assert Parity().gaps(counts) == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])
    assert [cell.name for cell in Parity().cells] == ["FP", "TP"] and [cell.label for cell in Parity().cells] == [0, 1]
    assert (Parity(against="pairs").gaps(counts) == Parity().gaps(counts)).all()
    assert Parity(against="pairs").comparisons(4).tolist() == [[1, 0], [2, 0], [3, 0], [2, 1], [3, 1], [3, 2]]
    assert Parity(anchor=1).comparisons(3).tolist() == [[0, 1], [2, 1]]


@pytest.mark.parametrize("notion", NOTIONS)
def test_renamed_groups_have_the_same_pairwise_violation_and_permuted_gaps(notion):
    rng = np.random.default_rng(3)
    counts, order = rng.integers(1, 9, (2, 5, 2)), rng.permutation(5)
    pairs = Parity(notion, "pairs")
    assert pairs.violation(counts) == pairs.violation(counts[:, order])
    assert sorted(pairs.gaps(counts)) == pytest.approx(sorted(pairs.gaps(counts[:, order])), abs=1e-15)


@pytest.mark.parametrize("notion, against", EVERY)
def test_an_empty_cell_is_named_where_the_notion_needs_it(notion, against):
    parity = Parity(notion, against)
    for a in range(3):
        for y in range(2):
            counts = np.full((2, 3, 2), 4)
            counts[:, a, y] = 0
            if y in [cell.label for cell in parity.cells]:
                for call in (parity.rates, parity.gaps, parity.violation):
                    with pytest.raises(ValueError, match=rf"^counts=0.0: the cell \(a={a}, y={y}\) holds nobody"):
                        call(counts)
                with pytest.raises(ValueError, match=rf"^A={a}: the cell \(a={a}, y={y}\) holds nobody.*Do this\.$"):
                    parity.require("A", counts.sum(axis=0), "Do this.", codes=True)
            else:
                assert np.isfinite(parity.gaps(counts)).all()
        counts[:, a] = 0
        with pytest.raises(ValueError, match=rf"^counts=0.0: (the cell \(a={a}, y=[01]\)|group {a}) holds nobody"):
            parity.violation(counts)


def test_one_object_is_one_notion():
    assert Parity() == Parity("equalized_odds", "anchor", 0) and len({Parity(), Parity("equalized_odds"), Parity(anchor=1)}) == 2
    with pytest.raises(AttributeError):
        Parity().notion = "false_positive"


def test_a_door_takes_a_word_or_an_object_or_names_of_rates():
    assert read_parity() == read_parity("equalized_odds") == read_parity(constraints=["TP", "FP"]) == Parity()
    assert read_parity(constraints=("TP",)) == Parity("true_positive")
    assert read_parity("demographic_parity", against="pairs") == read_parity(Parity("demographic_parity", "pairs"))
    assert read_parity(constraints=("FP",), against="pairs") == Parity("false_positive", "pairs")
    served = dict(notions=("equalized_odds",), forms=("anchor",), because="The box is about these.")
    for arguments, message in [
        ((dict(notion="false_positive", constraints=("FP",))), r"^notion, constraints=\('false_positive', \('FP',\)\): two vocabularies"),
        (dict(notion=Parity("equalized_odds", "anchor"), against="pairs"), "^notion, against=.*: two answers to one question"),
        (dict(notion="equal_odds"), r"^notion='equal_odds': not a known option"),
        (dict(notion=7), r"^notion=7: not a known option"),
        (dict(constraints=("FN",)), r"^constraints=\('FN',\): not one or both"), (dict(constraints=()), r"^constraints=\(\): not"),
        (dict(constraints=("FP", "FP")), "^constraints=.*: not one or both"), (dict(constraints=5), "^constraints=5: not names of rates"),
        (dict(notion="false_positive", **served), r"^notion='false_positive': not served here\. The box is about these\. Choose one of"),
        (dict(notions=("demographic_parity",)), r"^notion=None: means 'equalized_odds', which is not served here\. Choose one of"),
        (dict(forms=("pairs",)), r"^against=None: means 'anchor', which is not served here\. Choose one of 'pairs'"),
        (dict(against="pairs", **served), r"^against='pairs': not served here\. The box is about these\. Choose one of 'anchor'"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_parity(**arguments)


def test_what_a_parity_refuses():
    counts = np.ones((2, 3, 2))
    for call, message in [
        (lambda: Parity("equalized_odds", "pairs", 1), "^anchor=1: is read by against='anchor', and not by against='pairs'"),
        (lambda: Parity(anchor=3).violation(counts), r"^anchor=3: not one of the 3 groups, 0 to 2"),
        (lambda: Parity(anchor=MOST_GROUPS), "^anchor=1000: must be at least 0 and at most 999"),
        (lambda: Parity().gaps(np.ones((2, 1, 2))), r"^counts=\(2, 1, 2\): has 1 group"),
        (lambda: Parity().gaps(np.ones((3, 2, 2))), r"^counts=\(3, 2, 2\): has 3 values of yhat"),
        (lambda: Parity().comparisons(MOST_GROUPS + 1), "^n_groups=1001: must be at least 2 and at most 1000. Merge groups"),
        (lambda: Parity().comparisons(1), "^n_groups=1: must be at least 2"),
        (lambda: Parity().violation(np.ones((2, MOST_GROUPS + 1, 2))), r"^counts=\(2, 1001, 2\): has 1001 groups on axis -2, more"),
        (lambda: Parity(against="pairs").gaps(np.ones((200, 2, MOST_GROUPS, 2))), r"^k \* \(k - 1\) / 2=499500: asks for more than"),
        (lambda: Parity(against="population").differences(np.ones((3, 2))), "^sizes=None: against='population' needs the people"),
        (lambda: Parity(against="population").differences(np.ones((3, 2)), np.zeros((3, 2))), r"^sizes=\(3, 2\): not of shape"),
        (lambda: Parity().differences(np.ones((3, 1))), r"^rates=\(3, 1\): not of shape \(\.\.\., k, 2\).*FP, TP of every group"),
        (lambda: Parity().sizes([1.0, 2.0, 3.0]), r"^n=\(3,\): not an array of shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_the_largest_number_of_groups_is_borne():
    counts = np.random.default_rng(0).integers(1, 9, (2, MOST_GROUPS, 2))
    pairs = Parity(against="pairs")
    assert pairs.violation(counts) == max(pairs.gaps(counts)) == max(Parity(anchor=a).violation(counts) for a in range(MOST_GROUPS))
