"""The figure of the whole subject, against direct calls of the library: every list of groups, every way to publish."""
from __future__ import annotations

import gzip
from functools import cache

import numpy as np
import pytest

from dpfair_teach import attacks, data, fairness, postprocessing
from dpfair_teach.explore import Explorer
from dpfair_teach.plotting import bank, whole_subject
from page_frames import assert_every_frame_is_a_direct_call, data_of, sentences_of

TEN = data.load("ten_people")
DECISION = data.ten_people_base(TEN.X)
TRUE = tuple(TEN.A.tolist())
ADA_IN_1 = (1, *TRUE[1:])
PLANE, COINS = "Rates these coins give", "Published coins (with noise: eight draws)"
FAIR, GUESS = "Fair, at what cost (noise: mean of all draws)", "Best guess of Ada's group"
LISTS = [tuple(int(bit) for bit in f"{number:010b}") for number in range(1024)]


@cache
def figure() -> Explorer:
    return whole_subject()


def counted(A: tuple[int, ...]) -> np.ndarray:
    return fairness.cell_counts(DECISION, A, TEN.Y, n_groups=2)


def measurable(counts: np.ndarray) -> bool:
    return bool((counts.sum(axis=0) > 0).all())


@pytest.mark.slow
def test_the_page_holds_what_the_functions_return_and_is_small():
    html = figure().html()
    assert_every_frame_is_a_direct_call(figure(), data_of(html))
    assert sentences_of(figure(), data_of(html)) == figure()._sentences[1]
    assert len(gzip.compress(html.encode())) < 32 * 1024


def test_with_the_true_groups_and_with_ada_in_the_other():
    one, two = figure().frame(), figure().frame(A=ADA_IN_1)
    assert one[COINS].values.tolist() == [["1", "0.75"], ["0.25", "0"]] and two[COINS].values.tolist() == [["1", "0.6"], ["0.2", "0"]]
    assert one[FAIR].values.tolist() == [[0.33, 0], [0.2, 0.25]]
    assert two[FAIR].values.tolist() == [[0.5, 0], [0.2, 0.3]]
    assert one[GUESS]["right, at most"] == two[GUESS]["right, at most"] == 1
    assert "With Ada in group 1 the coins would be 1 and 0.6 after a yes, 0.2 and 0 after a no." in figure().sentence()
    guesses = [figure().frame(publish=publish)[GUESS]["right, at most"].item() for publish in bank.EPSILONS]
    assert guesses == [0.99, 0.88, 0.73, 0.62]


def test_a_bank_that_knows_no_group_learns_cleos_and_hanas_and_nothing_about_ada():
    """The page says: 36 lists give the first coins, Ada is in group 0 in half of them; and whoever changes group, the coins change."""
    coins = figure().frame()[COINS].values.tolist()
    alike = np.array([A for A in LISTS if figure().frame(A=A)[COINS].values.tolist() == coins])
    assert alike.sum(axis=0)[[0, 2, 7]].tolist() == [18, 0, 36] and data.TEN_NAMES[2] == "Cleo" and data.TEN_NAMES[7] == "Hana"
    assert len(alike) == 36 and np.abs(alike - TRUE).sum(axis=1).tolist().count(1) == 0


def test_the_noisy_table_that_the_page_tells_of():
    """Noise of -1, 0, 0 and 1 on group 1's counts, in the order of the page's rows."""
    ones = counted(TRUE)[:, 1][[1, 1, 0, 0], [1, 0, 1, 0]] + (-1, 0, 0, 1)
    assert ones.tolist() == [1, 1, 0, 3]
    table = np.array([[ones[3], ones[2]], [ones[1], ones[0]]])          # [yhat, y]
    assert bank.fair(np.stack([bank.margins() - table, table], axis=1)[None])[0] == pytest.approx(np.array([[0.2, 0], [1, 0.8]]))


def test_the_pages_tell_what_epsilon_1_does_to_the_ten():
    """Both pages say: violation and error larger than the bank's own; a violation of 0.35."""
    assert figure().frame(publish="epsilon 1")[FAIR].values.tolist() == [[0.33, 0.35], [0.2, 0.32]]
    assert figure().frame(A=ADA_IN_1, publish="epsilon 1")[FAIR].values[0, 1] == 0.32


def test_with_ada_and_ben_in_the_other_group_everybody_is_accepted_and_half_of_the_decisions_are_wrong():
    frame = figure().frame(A=(1, 1, *TRUE[2:]))
    assert set(frame[COINS].values.ravel()) == {"1"} and frame[FAIR].values.tolist() == [[1, 0], [0.2, 0.5]]


def test_numbers_have_two_decimals_and_no_mark_of_change():
    html, data = figure().html(), data_of(figure().html())
    assert "dpx-moved" not in html.split("<figure>")[1].split("</figure>")[0]
    for panel in (one for one in data["P"] if one["view"] == "table"):
        assert len(panel["rows"]) == 2 and all(int(row) == other for row, other in dict(panel["rows"]).items())
        assert not [text for text in panel["u"] if "e-" in text or any(len(part) > 4 for part in text.split(" to "))]


def test_where_nobody_can_be_measured_the_sentence_says_what_gives_ada_away():
    A = (1, 1, 1, *TRUE[3:])
    assert figure().frame(A=A)[GUESS]["right, at most"] == 1
    assert "nobody to measure, and no coins. With Ada in group 0 there would be coins: this gives her group away." in figure().sentence(A=A)
    assert "there would be nobody to measure and no coins: this gives" in figure().sentence(A=(0, 1, 1, *TRUE[3:]))
    assert "you would see the same" in figure().sentence(A=(0,) * 10)

def test_a_thousand_lists_give_a_hundred_tables_and_64_can_be_measured():
    tables = {counted(A).tobytes(): counted(A) for A in LISTS}
    assert len(tables) == len(bank.noisy_tables()) == 100 and sum(map(measurable, tables.values())) == 64


def test_every_exact_frame_is_the_librarys_fairest_repair():
    for A in {bank.ones_of(A): A for A in LISTS}.values():
        counts, frame = counted(A), figure().frame(A=A)
        if not measurable(counts):
            assert "nobody to measure" in figure().sentence(A=A)
            assert set(frame[COINS].values.ravel()) == {*frame[FAIR].values[0], frame[FAIR].values[1, 1]} == {"none"}
            assert not any(len(points) for points in frame[PLANE].values())
            continue
        best = postprocessing.closed_form(counts / 10, gamma=0)
        assert [float(cell) for cell in frame[COINS].values.ravel()] == pytest.approx(best.p[::-1].ravel(), abs=0.005)
        after = postprocessing.derived_counts(counts, best.p)
        for a, (fp, tp) in enumerate(zip(*fairness.rates(after), strict=True)):
            assert frame[PLANE][f"group {a}"][0] == pytest.approx([fp, tp], abs=1e-12)
        for a, corner in enumerate(zip(*fairness.rates(counts), strict=True)):
            assert frame[PLANE][f"group {a} can get"][1] == pytest.approx(corner) == frame[PLANE]["bank alone"][a]
        assert frame[FAIR].values[0].tolist() == [round(float(fairness.violation(counts)), 2), 0.0]
        assert frame[FAIR].values[1].tolist() == pytest.approx([0.2, best.value], abs=0.005 + 1e-9)


@pytest.mark.parametrize("publish", bank.EPSILONS)
def test_every_noisy_frame_is_eight_draws_of_the_library(publish):
    epsilon = bank.EPSILONS[publish]
    for ones, A in {bank.ones_of(A): A for A in LISTS}.items():
        rng = np.random.default_rng([bank.SEED, list(bank.EPSILONS).index(publish), *ones])
        q = postprocessing.public_margin_counts(counted(A), epsilon, rng, size=8, noise="geometric") / 10
        p = postprocessing.closed_form(q, gamma=0, slack=postprocessing.lift_unusable(q)).p
        frame = figure().frame(A=A, publish=publish)
        ends = [[float(end) for end in cell.split(" to ")] for cell in frame[COINS].values.ravel()]
        wanted = np.stack([p[:, ::-1].min(axis=0).ravel(), p[:, ::-1].max(axis=0).ravel()], axis=1)
        assert np.abs([[one[0], one[-1]] for one in ends] - wanted).max() <= 0.005 + 1e-9
        if measurable(counted(A)):
            fp, tp = fairness.rates(postprocessing.derived_counts(counted(A), p))
            for a in (0, 1):
                np.testing.assert_array_equal(frame[PLANE][f"group {a}"], np.stack([fp[:, a], tp[:, a]], axis=1))
        assert frame[GUESS]["right, at most"] == round(0.5 + attacks.attribute_advantage_bound(epsilon), 2)


@pytest.mark.parametrize("publish", bank.EPSILONS)
def test_the_average_violation_and_error_are_those_of_many_draws(publish):
    """20,000 draws of two numbers in [0, 1]: by Hoeffding a mean is off by 0.024 at most, but for two cases in
    ten billion; 0.005 is rounding."""
    counts = counted(TRUE)
    draws = postprocessing.public_margin_counts(counts, bank.EPSILONS[publish], np.random.default_rng(0), size=20_000, noise="geometric")
    released, times = np.unique(draws, axis=0, return_counts=True)
    p = postprocessing.closed_form(released / 10, gamma=0, slack=postprocessing.lift_unusable(released / 10)).p
    derived = postprocessing.derived_counts(counts, p)
    means = [times @ values / times.sum() for values in (fairness.violation(derived), fairness.error(derived))]
    assert figure().frame(publish=publish)[FAIR].values[:, 1].tolist() == pytest.approx(means, abs=0.024 + 0.005)


@pytest.mark.slow
def test_nobody_guesses_ada_better_than_the_gauge_says():
    """The best guess from the released table itself, by its exact law, for every list of the others; exactly, by comparing coins."""
    alike = 0
    for A in LISTS[:512]:
        one, two = bank.ones_of(A), bank.ones_of(bank.other(A))
        for epsilon in bank.EPSILONS.values():
            laws = bank.law(one, epsilon), bank.law(two, epsilon)
            best = 0.5 * np.maximum(*laws).sum()
            assert sum(laws[0]) == pytest.approx(1) and 0.5 < best <= 0.5 + attacks.attribute_advantage_bound(epsilon) + 1e-12
        coins = [postprocessing.closed_form(counted(B) / 10, gamma=0).p if measurable(counted(B)) else None for B in (A, bank.other(A))]
        same = coins[0] is coins[1] or (all(p is not None for p in coins) and np.allclose(*coins, rtol=0, atol=1e-9))
        for B in (A, bank.other(A)):
            assert figure().frame(A=B)[GUESS]["right, at most"] == (0.5 if same else 1.0)
        alike += same and coins[0] is not None
        if same and coins[0] is not None:
            assert "the same" in figure().sentence(A=A)
    assert alike == 6
