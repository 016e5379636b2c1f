"""Counting, rates, errors and violations: by hand on ten people, against fairlearn, and by identities."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    equalized_odds_difference,
    false_positive_rate,
    true_positive_rate,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from dpfair_teach import fairness
from dpfair_teach.data import load, ten_people_base

TEN = load("ten_people")
TEN_COUNTS = fairness.cell_counts(ten_people_base(TEN.X), TEN.A, TEN.Y)


def people(seed: int, m: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions, groups and labels with every (a, y) present."""
    rng = np.random.default_rng(seed)
    A = np.concatenate([np.repeat(np.arange(k), 2), rng.integers(0, k, m)])
    Y = np.concatenate([np.tile([0, 1], k), rng.integers(0, 2, m)])
    return rng.integers(0, 2, len(A)), A, Y


def by_loop(prediction, A, Y, b, k):
    table = np.zeros((b, k, 2))
    for yhat, a, y in zip(prediction, A, Y, strict=True):
        table[yhat, a, y] += 1
    return table


def test_ten_people_by_hand():
    assert TEN_COUNTS.tolist() == [[[2, 1], [2, 0]], [[0, 2], [1, 2]]]
    fp, tp = fairness.rates(TEN_COUNTS)
    assert fp.tolist() == [0, pytest.approx(1 / 3)]
    assert tp.tolist() == [pytest.approx(2 / 3), 1]
    assert fairness.error(TEN_COUNTS) == pytest.approx(0.2)
    assert fairness.violation(TEN_COUNTS) == pytest.approx(1 / 3)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), m=st.integers(0, 60), k=st.integers(2, 5), b=st.integers(2, 6))
def test_counts_are_what_a_loop_counts(seed, m, k, b):
    prediction, A, Y = people(seed, m, k)
    counts = fairness.cell_counts(prediction, A, Y)
    assert counts.dtype.kind == "i"
    assert np.array_equal(counts, by_loop(prediction, A, Y, 2, k))
    for same in (prediction.astype(float), prediction.astype(bool), prediction.astype(np.uint8), prediction.tolist()):
        assert np.array_equal(fairness.cell_counts(same, A, Y), counts)
    bins = np.random.default_rng(seed).integers(0, b, len(A))
    assert np.array_equal(fairness.cell_counts(bins, A, Y, n_groups=k + 1, n_bins=b), by_loop(bins, A, Y, b, k + 1))


@pytest.mark.parametrize("k", [64, 65, 200])
def test_more_cells_than_a_byte_can_number_are_counted_too(k):
    """4 k cells: 256 are the most that one byte tells apart."""
    prediction, A, Y = people(k, 3000, k)
    assert np.array_equal(fairness.cell_counts(prediction, A, Y), by_loop(prediction, A, Y, 2, k))


def test_expected_counts_are_sums_of_chances():
    rng = np.random.default_rng(5)
    _, A, Y = people(1, 26, 3)
    chance = rng.random(len(A))
    counts = fairness.cell_counts(chance, A, Y)
    for a in range(3):
        for y in (0, 1):
            here = (A == a) & (Y == y)
            assert counts[:, a, y] == pytest.approx([(1 - chance[here]).sum(), chance[here].sum()])


def test_a_batch_is_its_tables_one_by_one():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 9, (3, 4, 2, 3, 2))
    for notion in fairness.NOTIONS:
        for against in fairness.AGAINST:
            anchor = 1 if against == "anchor" else 0
            batch = fairness.violation(counts, notion, against, anchor)
            assert batch.shape == (3, 4)
            assert batch[2, 1] == pytest.approx(fairness.violation(counts[2, 1], notion, against, anchor))
    assert fairness.error(counts)[1, 3] == pytest.approx(fairness.error(counts[1, 3]))
    assert fairness.rates(counts)[1][1, 3] == pytest.approx(fairness.rates(counts[1, 3])[1])


@pytest.mark.parametrize("k", [2, 3, 5])
def test_fairlearn_finds_the_same_numbers(k):
    prediction, A, Y = people(k, 400, k)
    counts = fairness.cell_counts(prediction, A, Y)
    fp, tp = fairness.rates(counts)
    frame = MetricFrame(metrics={"fp": false_positive_rate, "tp": true_positive_rate, "right": accuracy_score},
                        y_true=Y, y_pred=prediction, sensitive_features=A)
    assert fp == pytest.approx(frame.by_group["fp"].to_numpy())
    assert tp == pytest.approx(frame.by_group["tp"].to_numpy())
    assert fairness.error(counts) == pytest.approx(1 - frame.overall["right"])

    def violation(notion, against):
        return float(fairness.violation(counts, notion, against))

    assert violation("equalized_odds", "pairs") == pytest.approx(equalized_odds_difference(Y, prediction, sensitive_features=A))
    assert violation("equalized_odds", "population") == pytest.approx(
        equalized_odds_difference(Y, prediction, sensitive_features=A, method="to_overall"))
    assert violation("demographic_parity", "pairs") == pytest.approx(
        demographic_parity_difference(Y, prediction, sensitive_features=A))
    assert violation("demographic_parity", "population") == pytest.approx(
        demographic_parity_difference(Y, prediction, sensitive_features=A, method="to_overall"))
    assert violation("false_positive", "pairs") == pytest.approx(frame.difference()["fp"])
    assert violation("accuracy_parity", "pairs") == pytest.approx(frame.difference()["right"])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), notion=st.sampled_from(fairness.NOTIONS))
def test_anchored_and_pairwise_violations_are_within_a_factor_of_two(seed, k, notion):
    counts = np.random.default_rng(seed).integers(1, 30, (2, k, 2))
    pairs = fairness.violation(counts, notion, "pairs")
    anchored = [fairness.violation(counts, notion, "anchor", a) for a in range(k)]
    assert max(anchored) == pytest.approx(pairs)
    for value in anchored:
        assert pairs / 2 - 1e-12 <= value <= pairs + 1e-12
    assert fairness.violation(counts, notion, "population") <= pairs + 1e-12


# The cells (a, y) of group 1 without which a notion has no rate of that group.
NEEDS = {"equalized_odds": [(1, 0), (1, 1)], "false_positive": [(1, 0)], "true_positive": [(1, 1)],
         "demographic_parity": [], "accuracy_parity": []}


@pytest.mark.parametrize("notion, needs", NEEDS.items())
def test_an_empty_cell_is_refused_by_name_where_the_notion_needs_it(notion, needs):
    for a, y in [(1, 0), (1, 1)]:
        counts = np.full((2, 3, 2), 4)
        counts[:, a, y] = 0
        if (a, y) in needs:
            with pytest.raises(ValueError, match=rf"\(a={a}, y={y}\) holds nobody"):
                fairness.violation(counts, notion, "anchor")
        else:
            assert fairness.violation(counts, notion, "anchor") >= 0
    counts = np.full((2, 3, 2), 4)
    counts[:, 2] = 0
    with pytest.raises(ValueError, match=r"group 2 holds nobody|a=2"):
        fairness.violation(counts, notion, "pairs")


@pytest.mark.parametrize("notion", fairness.NOTIONS)
def test_noise_that_leaves_less_than_nobody_is_refused(notion):
    counts = np.full((2, 3, 2), 4)
    counts[:, 1] = -1
    with pytest.raises(ValueError, match=r"counts=-[24].0: (the cell \(a=1, y=[01]\) holds a negative number|group 1 holds)"):
        fairness.violation(counts, notion, "pairs")
    with pytest.raises(ValueError, match=r"counts=-2.0: the cell \(a=1, y=[01]\) holds a negative number"):
        fairness.rates(counts)
    with pytest.raises(ValueError, match=r"counts=-12\.0: the table holds nobody"):
        fairness.error(np.full((2, 3, 2), -1))


@pytest.mark.parametrize("arguments, message", [
    (dict(prediction=[0, 2], A=[0, 1], Y=[0, 1]), "prediction=2.0"),
    (dict(prediction=[0, 1], A=[0, -1], Y=[0, 1]), "A=-1"),
    (dict(prediction=[0, 1, 1], A=[0, 1], Y=[0, 1]), r"prediction, A, Y=\(3, 2, 2\): different lengths"),
    (dict(prediction=[0, 1], A=[0, 2], Y=[0, 1], n_groups=2), "n_groups"),
    (dict(prediction=[0, 6], A=[0, 1], Y=[0, 1], n_bins=6), "n_bins"),
    (dict(prediction=np.array([0, 2]), A=np.array([0, 1]), Y=np.array([0, 1])), "prediction=2.0"),
    (dict(prediction=np.array([0, 1]), A=np.array([0, -1]), Y=np.array([0, 1])), "A=-1"),
])
def test_bad_people_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fairness.cell_counts(**arguments)


def test_frequencies_and_people_give_the_same_rates():
    counts = np.random.default_rng(3).integers(1, 9, (2, 3, 2))
    for notion in fairness.NOTIONS:
        assert fairness.violation(counts, notion, "pairs") == pytest.approx(fairness.violation(counts / counts.sum(), notion, "pairs"))
    assert fairness.error(counts) == pytest.approx(fairness.error(counts / counts.sum()))


def test_the_report_holds_the_numbers_of_the_functions():
    table = fairness.report(TEN_COUNTS)
    fp, tp = fairness.rates(TEN_COUNTS)
    assert list(table.index) == ["group 0", "group 1", "all"]
    assert table["fp"].iloc[:2].to_numpy() == pytest.approx(fp)
    assert table["tp"].iloc[:2].to_numpy() == pytest.approx(tp)
    assert table.loc["all", "error"] == pytest.approx(fairness.error(TEN_COUNTS))
    assert table["people"].tolist() == [5, 5, 10]
    assert table["accepted"].tolist() == [0.4, 0.6, 0.5]


# What each notion compares, written out: the numbers of one group's table [yhat, y].
BY_HAND = {
    "equalized_odds": lambda t: [t[1][0] / (t[0][0] + t[1][0]), t[1][1] / (t[0][1] + t[1][1])],
    "false_positive": lambda t: [t[1][0] / (t[0][0] + t[1][0])],
    "true_positive": lambda t: [t[1][1] / (t[0][1] + t[1][1])],
    "demographic_parity": lambda t: [(t[1][0] + t[1][1]) / sum(map(sum, t))],
    "accuracy_parity": lambda t: [(t[0][0] + t[1][1]) / sum(map(sum, t))],
}


def test_every_notion_has_its_formula_its_cells_and_its_place_in_the_dictionary():
    assert set(BY_HAND) == set(NEEDS) == set(fairness.NOTIONS)
    dictionary = (Path(__file__).resolve().parents[1] / "book" / "chapters" / "dictionary.md").read_text(encoding="utf-8")
    missing = [notion for notion in fairness.NOTIONS if f"`{notion}`" not in dictionary]
    assert not missing, f"book/chapters/dictionary.md: say what {', '.join(missing)} is, by that name in code type"


@pytest.mark.parametrize("notion", fairness.NOTIONS)
def test_notions_are_the_formulas_written_out(notion):
    counts = np.random.default_rng(11).integers(1, 30, (2, 4, 2))
    rates = [BY_HAND[notion](counts[:, a].tolist()) for a in range(4)]
    everybody = BY_HAND[notion](counts.sum(axis=1).tolist())

    def gap(one, other):
        return max(abs(x - y) for x, y in zip(one, other, strict=True))

    assert fairness.violation(counts, notion, "anchor", 2) == pytest.approx(max(gap(rate, rates[2]) for rate in rates))
    assert fairness.violation(counts, notion, "pairs") == pytest.approx(max(gap(one, other) for one in rates for other in rates))
    assert fairness.violation(counts, notion, "population") == pytest.approx(max(gap(rate, everybody) for rate in rates))


@pytest.mark.parametrize("arguments, message", [
    (([0, 1], [0, 1], ["yes", "no"]), r"Y=\['yes', 'no'\]: not numeric. Recode Y, for instance \(Y == positive\)"),
    (([0, 1], ["F", "M"], [0, 1]), r"A=<list of length 2>: not numeric. Code the groups by a list of names that is fixed before"),
    (([0, 1], [0, 0.5], [0, 1]), r"A=0.5: groups must be integer codes 0, 1, 2, .... Code the groups by"),
    (([0, 0.5], [0, 0], [0, 1], 1, 3), r"prediction=0.5: score bins must be integer codes .* numpy.digitize\(score"),
    ((["a", "b"], [0, 0], [0, 1], 1, 3), r"prediction=\['a', 'b'\]: not numeric. Give bins"),
    (([0, 0], [0, 0], [0, 1], 1001), r"n_groups=1001: must be at least 1 and at most 1000. Merge groups"),
    (([0, 1], [0, 1000], [0, 1]), r"A=1000: a group code beyond the 1000 groups that are taken. Code the groups 0, 1"),
])
def test_refusals_say_what_to_do(arguments, message):
    with pytest.raises(ValueError, match=message):
        fairness.cell_counts(*arguments)


def test_the_way_out_for_groups_that_are_no_codes_changes_the_code_of_one_person_only():
    """As told in the message, with the person of the rare group and without: numbering the groups that occur would renumber everybody."""
    names, coded = ["a", "b", "c"], []
    for last in "ba":
        A = ["a", "c", "c", last]
        with pytest.raises(ValueError, match="A=") as refused:
            fairness.cell_counts([0, 1, 0, 1], A, [0, 1, 0, 1])
        way_out = str(refused.value).split(": ")[-1].rstrip(".")
        coded.append(np.asarray(eval(way_out, {"np": np, "numpy": np, "names": names, "A": A})))
    assert (coded[0] != coded[1]).tolist() == [False, False, False, True]


def test_numbers_are_shown_plainly():
    with pytest.raises(ValueError, match=r"counts=nan: holds NaN"):
        fairness.error([[[2, 1], [2, np.nan]], [[0, 2], [1, 2]]])


@pytest.mark.parametrize("notion", fairness.NOTIONS)
def test_for_more_than_two_groups_it_is_said_who_is_compared_with_whom(notion):
    rng = np.random.default_rng(31)
    for counts in rng.integers(1, 30, (5, 2, 2, 2)):                # two groups: the word is free, and each pair is one with the anchor
        assert len({float(fairness.violation(counts, notion, against)) for against in (None, "anchor", "pairs")}) == 1
    for k in (3, 5):
        for counts in (rng.integers(1, 30, (2, k, 2)), rng.integers(1, 30, (4, 2, k, 2))):
            for anchor in (0, k - 1):
                with pytest.raises(ValueError, match=rf"^against=None: must be said for {k} groups: 'anchor' .* 'pairs' .* 'population' .*"
                                   r"\. Choose 'pairs'"):
                    fairness.violation(counts, notion, anchor=anchor)
            assert all((fairness.violation(counts, notion, against) >= 0).all() for against in fairness.AGAINST)
    with pytest.raises(ValueError, match=r"^against=None: must be said for 3 groups"):
        fairness.chance_violation(20, 0.3, n_groups=3)
    assert len({fairness.chance_violation(20, 0.3, against=against) for against in (None, "anchor", "pairs")}) == 1


def test_an_anchor_is_refused_where_there_is_none():
    for against in ("pairs", "population"):
        with pytest.raises(ValueError, match=rf"^anchor=1: is read by against='anchor', and not by against='{against}'\. Leave anchor out"):
            fairness.violation(TEN_COUNTS, against=against, anchor=1)
    with pytest.raises(ValueError, match=r"^anchor=7"):
        fairness.violation(TEN_COUNTS, anchor=7)


@pytest.mark.parametrize("k, bins", [(1, 2), (2, 2), (3, 2), (5, 2), (6, 2), (2, 6), (3, 6), (64, 2), (70, 2), (2, 200), (2, 300)])
@pytest.mark.parametrize("kind", ["i8", ">i8", "i2", "u1", "f8", "strided", "list"])
def test_counts_are_the_same_however_the_people_are_held(k, bins, kind):
    """Counted one by one; the quick road for plain arrays, in several blocks, and the other for all else."""
    rng = np.random.default_rng(k * bins)
    m = 70_000 if (kind, k, bins) == ("i8", 3, 6) else 400
    people = [rng.integers(0, n, m) for n in (bins, k, 2)]
    held = [np.repeat(x, 2)[::2] if kind == "strided" else x.tolist() if kind == "list" else x.astype(kind) for x in people] if not (
        kind == "u1" and bins == 300) else people
    by_hand = np.zeros((bins, k, 2), int)
    np.add.at(by_hand, tuple(people), 1)
    counts = fairness.cell_counts(*held, n_groups=k, n_bins=None if bins == 2 else bins)
    assert counts.dtype.kind == "i" and np.array_equal(counts, by_hand)


@pytest.mark.parametrize("kind", ["i1", "i2", "i8", ">i4"])
def test_a_wrong_code_is_found_wherever_it_stands(kind):
    """At the end of the last of three blocks; a negative number is no large one."""
    good = np.zeros(70_000, kind)
    good[::2] = 1
    bad = good.copy()
    for wrong in (-1, 2, 100):
        bad[-1] = wrong
        for place, message in enumerate(("prediction=", "A=", "Y=")):
            columns = [bad if i == place else good for i in range(3)]
            with pytest.raises(ValueError, match=message):
                fairness.cell_counts(*columns, n_groups=2)
    with pytest.raises(ValueError, match="different lengths"):
        fairness.cell_counts(good[1:], good, good)
