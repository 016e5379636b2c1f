"""The tables of Tran et al. made again: what is stored is what a hand counts, and what chapter 22 says of it."""
from __future__ import annotations

from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

from book.studies import tran_printed, tran_table2
from book.studies.study import sweep
from book.studies.tran_guess import guessed_groups
from book.studies.tran_methods import METHODS, Case
from book.studies.tran_people import FOLDS, NOTIONS, SETS, Fold, People, people, read
from book.studies.tran_soft import Remembered, Responding, Told, response_model
from dpfair_teach import data, fairness, mechanisms
from dpfair_teach.data import DataUnavailable
from dpfair_teach.oneshot import SoftGroupLearner, group_contrasts, public_data
from faults import Mutant

RESULTS = Path(__file__).parents[2] / "book" / "results"
KEYS = ["data", "notion", "method", "epsilon"]
#: Table 1 of the paper: people; ours of Compas are 22 more. Its shares of M-Bank3, 46 and 46, and M-Bank5, four times 23, are not those
#: that its own limits of age make.
PEOPLE = {"bank": 11_162, "income": 45_222, "compas": 6_172, "m_bank3": 11_162, "m_bank5": 11_162}
SHARES = {"bank": [92, 8], "income": [68, 32], "compas": [81, 19], "m_bank3": [53, 39, 8], "m_bank5": [28, 25, 18, 21, 8]}


def stored(name):
    return pd.read_csv(RESULTS / f"{name}.csv")


def by_hand(counts, notion):
    """The largest difference of a rate between two groups: loops, and no array of rates."""
    k, found = counts.shape[1], []
    for labels in ([(0, 1)] if notion != "equalized_odds" else [(0,), (1,)]):
        rates = []
        for a in range(k):
            of_group = sum(counts[yhat, a, y] for yhat in (0, 1) for y in labels)
            above = sum(counts[yhat, a, y] for yhat in (0, 1) for y in labels if (yhat == y if notion == "accuracy_parity" else yhat == 1))
            rates.append(above / of_group)
        found += [abs(r - s) for r in rates for s in rates]
    return max(found)


@pytest.mark.parametrize("table", ["tran_table2", "tran_curves", "tran_epsilon", "tran_clip", "tran_dual_clip", "tran_missing"])
def test_violations_and_accuracies_are_those_of_the_stored_counts(table):
    """Two groups, three and five; the library's violation, too."""
    rows = stored(table)
    for row in rows.to_dict("records"):
        counts, notion = read(row["counts"]), row.get("notion", "demographic_parity")
        right = counts[0, :, 0].sum() + counts[1, :, 1].sum()
        assert row["accuracy"] == pytest.approx(right / counts.sum(), abs=2e-7)
        assert row["violation"] == pytest.approx(by_hand(counts, notion), abs=2e-7)
        assert row["violation"] == pytest.approx(float(fairness.violation(counts, notion=notion, against="pairs")), abs=2e-7)


def test_the_judged_of_five_folds_are_the_people_of_table_1():
    rows = stored("tran_table2").drop_duplicates(["data", "notion", "method", "epsilon", "fold"])
    for name in SETS:
        mine = rows[(rows["data"] == name) & (rows["notion"] == NOTIONS[0]) & (rows["method"] == "clf_logistic")]
        n = sum(map(read, mine["counts"])).sum(axis=(0, 2))
        assert len(mine) == FOLDS and n.sum() == pytest.approx(PEOPLE[name])
        np.testing.assert_allclose(100 * n / n.sum(), SHARES[name], atol=1)


def test_27_of_30_printed_numbers_of_pf_ld_are_at_least_as_good_as_those_of_m():
    rows = stored("tran_printed").set_index(["data", "notion", "method"])
    for setting in tran_printed.PRINTED:
        (row,) = tran_printed.printed(setting, 24, np.random.default_rng(0))
        np.testing.assert_array_equal(rows.loc[tuple(setting.values()), list(row)].to_numpy(float), list(row.values()))
    a, b = (rows.xs(method, level="method") for method in ("pf_ld", "m"))
    assert len(a) == 15
    assert (a["accuracy"] >= b["accuracy"]).sum() + (a["violation"] <= b["violation"]).sum() == 27
    assert rows["accuracy"].isna().sum() == 6 and rows.xs("z", level="method")["accuracy"].isna().sum() == 6


def means():
    return stored("tran_table2").groupby(KEYS)[["accuracy", "violation"]].mean()


def duel(table, one, other, epsilon):
    """How many of 30 numbers are at least as good, in how many pairs both, and what is lost, by pair."""
    a, b = (table.xs((name, epsilon), level=["method", "epsilon"]) for name in (one, other))
    as_good = pd.DataFrame({"accuracy": a["accuracy"] >= b["accuracy"], "violation": a["violation"] <= b["violation"]})
    lost = pd.DataFrame({"accuracy": b["accuracy"] - a["accuracy"], "violation": a["violation"] - b["violation"]})
    assert len(a) == len(b) == 15
    return int(as_good.to_numpy().sum()), int(as_good.all(axis=1).sum()), lost


def test_what_chapter_22_says_of_table_2():
    """The counts of its duels, where the best one loses, and what PF-LD costs Bank."""
    table = means()
    assert [duel(table, "asked_boosted", "m_network", epsilon)[:2] for epsilon in (1.0, .5)] == [(27, 12), (27, 12)]
    assert [duel(table, "told_boosted", "m_network", epsilon)[0] for epsilon in (1.0, .5)] == [27, 27]
    assert [duel(table, f"asked_{base}", f"m_{base}", epsilon)[0] for base in ("logistic", "network") for epsilon in (1.0, .5)] == [
        24, 23, 22, 18]
    assert duel(table, "asked_boosted", "m_boosted", 1.0)[0] == 21
    for epsilon, most in ((1.0, .0055), (.5, .0115)):
        of, _, lost = duel(table, "asked_boosted", "m_logistic", epsilon)
        assert of == 28 and lost.max().max() == pytest.approx(most, abs=.0005)
    on_responses = [duel(table, f"asked_{base}", f"responding_{base}", epsilon)[0]
                    for base in ("logistic", "network", "boosted") for epsilon in (1.0, .5)]
    assert on_responses == [16, 17, 20, 20, 21, 22]
    corrected = [duel(table, *pair, epsilon)[0] for pair in (("asked_boosted", "m_network_rates"), ("asked_logistic", "m_logistic_rates"))
                 for epsilon in (1.0, .5)]
    assert corrected == [27, 27, 23, 24]
    for base in ("network", "logistic"):
        less = [table.xs((f"m_{base}{how}", 1.0), level=["method", "epsilon"]) for how in ("", "_rates")]
        assert ((less[1] - less[0]) < 0).sum().min() >= 9          # of 15
    lagrangian = {("pf_ld_repaired", "m_network"): (13, 0), ("pf_ld_subspace", "m_network"): (19, 4),
                  ("pf_ld_logistic", "m_logistic"): (17, 4), ("pf_ld_posterior", "m_network"): (19, 4)}
    assert {pair: duel(table, *pair, 1.0)[:2] for pair in lagrangian} == lagrangian
    seen = table.rename(index={np.inf: 1.0}, level="epsilon")      # who sees the groups reads no epsilon
    assert duel(seen, "f_ld", "m_network", 1.0)[:2] == (19, 4)
    for epsilon in (1.0, .5):
        lost = duel(table, "asked_boosted", "m_network", epsilon)[2]
        elsewhere = lost.drop(index="compas", level="data")
        assert elsewhere["violation"].max() <= 0 and elsewhere["accuracy"].max() < .0026
    lost = duel(table, "asked_boosted", "m_network", 1.0)[2]
    compas = table.xs(("compas", "demographic_parity", 1.0), level=["data", "notion", "epsilon"])
    assert lost.max().max() == lost.loc[("compas", "demographic_parity"), "accuracy"] == pytest.approx(.023, abs=.0006)
    assert [round(compas.loc[name, "violation"], 3) for name in ("asked_boosted", "m_network")] == [.067, .114]
    parity = table.xs("demographic_parity", level="notion")
    for data_set in ("bank", "income", "compas"):
        apart = parity.loc[(data_set, "pf_ld_posterior", 1.0)] - parity.loc[(data_set, "f_ld", np.inf)]
        assert apart.abs().max() < .025
    bank = parity.xs("bank", level="data")["accuracy"].droplevel("epsilon")
    lost = [bank["clf_network"] - bank[name] for name in ("pf_ld_repaired", "pf_ld_subspace")]
    assert lost == pytest.approx([.035, .01], abs=.001)
    apart = parity["violation"].xs("bank", level="data").droplevel("epsilon")
    assert .5 * apart["clf_network"] < apart["pf_ld_subspace"] < .75 * apart["clf_network"] and bank["pf_ld_printed"] < .65
    encoded = stored("tran_encoding").set_index(["encoding", "labels"])["accuracy"]
    assert encoded["whole", "coins"] - .5 == pytest.approx(.01, abs=.002)
    assert encoded["many_whole", "coins"] - .5 == pytest.approx(1 / 8, abs=.002)
    assert encoded["one_hot", "true"] - encoded["learned", "true"] == pytest.approx(.02, abs=.001)


def test_what_chapter_22_says_of_violations_at_the_accuracy_of_m():
    """Points of a curve, and coins between neighbours."""
    table, curves = means(), stored("tran_curves").groupby([*KEYS, "share"])[["accuracy", "violation"]].mean()

    def ratio(one, other, epsilon):
        found = []
        for key, m in table.xs((other, epsilon), level=["method", "epsilon"]).iterrows():
            points = curves.loc[(*key, one, epsilon)].sort_values("accuracy")
            least = np.minimum.accumulate(points["violation"].to_numpy()[::-1])[::-1]
            found.append(np.interp(m["accuracy"], points["accuracy"], least) / m["violation"])
        return np.mean(found)

    found = [ratio(*pair, epsilon) for pair in (("asked_boosted", "m_network"), ("asked_logistic", "m_logistic")) for epsilon in (1.0, .5)]
    np.testing.assert_allclose(found, [.44, .43, .62, .74], atol=.0051)
    level = [ratio(f"asked_{base}", f"responding_{base}", epsilon) for base in ("logistic", "boosted") for epsilon in (1.0, .5)]
    assert np.abs(np.array(level[:2]) - 1).max() < .05 and .75 < min(level[2:]) < max(level[2:]) < 1


def test_what_chapter_22_says_of_the_figures():
    """Accuracies and violations by the stored counts."""
    def mean(table, *keys):
        rows = stored(table)
        tables = [read(text) for text in rows["counts"]]
        rows["accuracy"] = [(c[0, :, 0].sum() + c[1, :, 1].sum()) / c.sum() for c in tables]
        rows["violation"] = [by_hand(c, "demographic_parity") for c in tables]
        return rows.groupby(list(keys))[["accuracy", "violation"]].mean()

    over = mean("tran_epsilon", "data", "method", "epsilon")
    for name in ("bank", "compas"):         # asked once: less violation and less accuracy as epsilon grows; noise in each step: more
        for method in ("asked_logistic", "asked_boosted", "m_network"):
            first, last = over.loc[(name, method, .1)], over.loc[(name, method, 5.0)]
            assert first["accuracy"] > last["accuracy"] + .01 and first["violation"] > last["violation"] + .07
    for method in ("pf_ld_autograd", "pf_ld_subspace"):
        assert over.loc[("bank", method, .1), "accuracy"] < over.loc[("bank", method, 5.0), "accuracy"] - .02
    apart = over["violation"].xs("bank", level="data").unstack("method")
    assert (apart.idxmin(axis=1)[:5] == "pf_ld_posterior").all()
    posterior = over.xs("pf_ld_posterior", level="method")["violation"]
    assert posterior["bank"].max() < .09 and posterior["compas"].min() > .13
    half = over.xs(("bank", .5), level=["data", "epsilon"])["violation"]
    assert [round(half[name], 2) for name in ("m_network", "asked_logistic", "asked_boosted")] == [.34, .16, .17]
    clip = mean("tran_clip", "data", "method", "clip")["violation"]
    mine = clip["bank", "pf_ld_repaired"]
    assert mine.idxmin() == .5 and mine[10.0] > 1.5 * mine[.5]
    mine = clip["income", "pf_ld_repaired"].sort_values()
    assert set(mine.index[:2]) == {2.0, 10.0} and mine.iloc[2] > 1.5 * mine.iloc[1]
    printed = mean("tran_clip", "data", "method", "clip").xs("pf_ld_autograd", level="method")
    alone = means().xs(("demographic_parity", "clf_network"), level=["notion", "method"]).droplevel("epsilon")
    for name, row in printed.reset_index("clip").iterrows():
        assert row["accuracy"] < alone.loc[name, "accuracy"] - .04 or row["violation"] > .8 * alone.loc[name, "violation"]
    longer = stored("tran_clip").groupby(["data", "method", "clip"])["longer"].mean().unstack("clip")
    assert (longer.diff(axis=1).dropna(axis=1) <= .01).all().all() and (longer[.05] > .7).all() and (longer[50.0] == 0).all()
    dual = mean("tran_dual_clip", "dual_clip", "epsilon")["violation"]
    assert dual[[100.0, 1000.0]].min() > alone.loc["bank", "violation"] > dual[[.2, 1.0, 5.0]].max()
    silent = mean("tran_missing", "method", "silent", "epsilon")["violation"]
    assert silent["pf_ld_repaired", .6, .5] == pytest.approx(2 * silent["pf_ld_repaired", 0.0, .5], rel=.1)
    assert max(silent["pf_ld_repaired", share, 2.0] for share in (.2, .4)) < silent["pf_ld_repaired", 0.0, 2.0] + .01


def test_the_table_takes_the_hours_that_chapter_22_says():
    assert round(stored("tran_table2.times")["seconds"].sum() / 3600, 1) == 1.8


def test_what_chapter_22_says_of_rows_without_privacy():
    """What a gap and an encoding do, beside the printed numbers."""
    apart, printed = (stored(name).set_index(keys)[["accuracy", "violation"]] for name, keys in (
        ("tran_apart", ["method", "data", "notion", "setting"]), ("tran_printed", ["data", "notion", "method"])))
    off = apart.loc[("a_network", "income", "accuracy_parity", "0.05")] - printed.loc[("income", "accuracy_parity", "a")]
    assert off.abs().max() < .01
    off = apart.loc[("z", "compas", "demographic_parity", "0.01")] - printed.loc[("compas", "demographic_parity", "z")]
    assert abs(off["accuracy"]) < .005 and off["violation"] > .04
    for notion in NOTIONS:
        there = printed.loc[("bank", notion, "clf")]
        one_hot, means_ = (np.abs(apart.loc[("clf_network", "bank", notion, how)] - there) for how in ("one_hot", "whole"))
        assert (means_ < one_hot).all() and means_["accuracy"] < .02


def test_what_chapter_22_says_of_who_is_judged():
    """184 people decide Bank's equalized odds, 33 to 41 a fold; and how much of a network's violation is left of five folds added up."""
    rows = stored("tran_table2")
    mine = rows[(rows["method"] == "clf_network") & (rows["notion"] == "equalized_odds")]
    smallest = [read(text).sum(axis=0).min() for text in mine[mine["data"] == "bank"]["counts"]]
    assert sum(smallest) == 184 and (min(smallest), max(smallest)) == (33, 41)
    left = []
    for name, notion in product(("bank", "income", "compas"), NOTIONS):
        of = rows[(rows["method"] == "clf_network") & (rows["notion"] == notion) & (rows["data"] == name)]
        left.append(by_hand(sum(map(read, of["counts"])), notion) / of["violation"].mean())
    assert .86 < min(left) < .88 and max(left) < 1.02


FEW = [{"data": "bank", "notion": "demographic_parity", "method": method, "epsilon": epsilon, "fold": 0}
       for method, epsilon in (("clf_logistic", float("inf")), ("m_logistic", 1.0), ("asked_logistic", 1.0), ("told_logistic", .5))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the cluster's own
def test_table_2_on_a_dask_cluster_and_after_a_stop_is_the_same_to_the_byte(tmp_path, monkeypatch):
    """The stored rows come out again; where a worker dies at the third setting, what was finished is kept, and a cluster does the rest."""
    distributed = pytest.importorskip("distributed")
    try:
        people("bank")
    except DataUnavailable:
        pytest.skip("no folder of DPFAIR_TEACH_DATA has bank: run make data")
    given = {"repeats": tran_table2.ROUND, "seed": 20190613, "command": "c", "progress": False}
    sweep(tran_table2.table2, FEW, out=tmp_path / "alone.csv", **given)
    alone, there = (rows.set_index([*KEYS, "fold"]) for rows in (pd.read_csv(tmp_path / "alone.csv"), stored("tran_table2")))
    apart = alone[["accuracy", "violation"]] - there.loc[alone.index, ["accuracy", "violation"]]
    assert apart.abs().max().max() <= .02 and len(apart) == len(FEW)       # near-ties break otherwise on another processor
    whole = tran_table2.table2

    def dies(setting, repeats, rng):
        if setting["method"] == "asked_logistic":
            raise KeyboardInterrupt
        return whole(setting, repeats, rng)

    with pytest.raises(KeyboardInterrupt):
        sweep(dies, FEW, out=tmp_path / "cluster.csv", **given)
    assert len(list(tmp_path.rglob("cluster.unfinished/**/output.pkl"))) == 2 and not (tmp_path / "cluster.csv").exists()
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
        with joblib.parallel_config(backend="dask"):
            sweep(whole, FEW, out=tmp_path / "cluster.csv", jobs=2, **given)
    assert (tmp_path / "cluster.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


# --- the rivals of the one-shot learner

def drawn(k):
    return data.make_logistic(1500, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(1))


@pytest.mark.parametrize("k", [2, 3])
def test_who_is_told_the_groups_is_the_learner_without_noise(k):
    them = drawn(k)
    told = Told(1.0, .05, 1e-6, n_groups=k).fit(them.X, them.Y, sensitive_features=them.A, rng=np.random.default_rng(0))
    loud = SoftGroupLearner(700.0, .05, 1e-6, n_groups=k).fit(them.X, them.Y, sensitive_features=them.A, rng=np.random.default_rng(0))
    np.testing.assert_allclose(told.people_, loud.people_, rtol=.02)
    assert not hasattr(told, "releases_")


@pytest.mark.parametrize("k", [2, 3])
def test_the_model_of_responses_finds_the_groups_behind_them(k):
    """30,000 people, epsilon 2: weights as of the true groups; and the responses themselves are not taken for groups."""
    rng = np.random.default_rng(5)
    F = np.column_stack([np.ones(30_000), rng.normal(size=(30_000, 2))])
    W, B = 2 * rng.normal(size=(3, k - 1)), group_contrasts(k)
    chances = np.exp(F @ W @ B.T)
    A = np.array([rng.choice(k, p=p) for p in chances / chances.sum(axis=1, keepdims=True)])
    reports = mechanisms.randomized_response(A, k, 2.0, rng)
    near, naive = response_model(F, reports, k, 2.0), response_model(F, reports, k, 40.0)
    assert np.abs(near - W).max() < .25 < np.abs(naive - W).max()


@pytest.mark.parametrize("k", [2, 3])
def test_guessed_groups_say_of_every_cell_what_its_count_says(k):
    """Without noise, what those of a cell are believed to be adds up to the count; weights of a person add up to 1."""
    them = drawn(k)
    weights, record = guessed_groups(them.X, them.Y, them.A, k, 1e6, np.random.default_rng(0))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert record.mechanism == "geometric" and record.epsilon == 1e6
    public = public_data(them.X, them.Y)
    for r, mine in enumerate(public.people):
        cells, n = public.cells_of(r, 400)
        for cell in range(n):
            here = mine[cells == cell]
            np.testing.assert_allclose(weights[here].sum(axis=0), np.bincount(them.A[here], minlength=k), atol=1e-3)


def test_a_remembered_base_is_fitted_once_and_for_each_set_of_people():
    them = drawn(2)
    base = METHODS["clf_logistic"].make(Case(2, "demographic_parity", 1.0))
    one, two = (Remembered(base.base).fit(them.X, them.Y) for _ in range(2))
    other = Remembered(base.base).fit(them.X[:1000], them.Y[:1000])
    assert one.fitted_ is two.fitted_ and one.fitted_ is not other.fitted_


@pytest.mark.slow
def test_every_private_learner_of_the_table_leaves_its_releases():
    """And nobody else does: what is claimed has none that an accountant could read."""
    them = drawn(2)
    half = (them.X, them.A, them.Y)
    of = Fold(People(*half), People(*half), 2)
    for name, method in METHODS.items():
        if "boosted" in name or name.startswith("z"):
            continue
        model = tran_table2.fitted(tran_table2.made(name, of, "demographic_parity", 1.0), of, np.random.default_rng(0))
        assert hasattr(model, "releases_") == (method.private == "yes"), name
        chances = tran_table2.ones(model, them.X)
        assert chances.shape == (1500,) and chances.min() >= 0 and chances.max() <= 1
        if isinstance(model, (Told, Responding, SoftGroupLearner)):
            assert (chances == chances.round()).mean() > .5
    assert not METHODS["pf_ld_printed"].private == "yes"


# --- deliberate faults

def of_m(f):
    return lambda setting, repeats, rng: f(setting | {"method": "m"}, repeats, rng)


FAULTS = {
    "stored_counts_turned_over": Mutant(
        "book.studies.tran_people.read", lambda f: lambda text: f(text)[::-1], "who is rejected is accepted"),
    "stored_groups_turned_over": Mutant(
        "book.studies.tran_people.read", lambda f: lambda text: f(text)[:, ::-1], "the last group is first"),
    "printed_rows_of_m": Mutant("book.studies.tran_printed.printed", of_m, "every learner is M"),
}
