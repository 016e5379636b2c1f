"""The tables of Tran et al. made again: what is stored is what a hand counts, and what chapter 22 says of it."""
from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest

from book.studies import tran_asked, tran_printed, tran_table2
from book.studies.study import sweep
from book.studies.tran_asked import SPENT, TOLD_EPSILON, Remembered, asked_groups, operating_gamma
from book.studies.tran_methods import METHODS, Case
from book.studies.tran_people import DELTA, FOLDS, NOTIONS, SETS, Fold, People, people, read
from dpfair_teach import accounting, data, fairness
from dpfair_teach.data import DataUnavailable
from dpfair_teach.oneshot import FrontierLearner, algorithm, public_cells, public_data, split_epsilon
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
    """How many of 30 numbers are at least as good, in how many pairs both, and what is lost, by pair. Who reads no epsilon has one row."""
    known = table.index.droplevel(["data", "notion"])
    a, b = (table.xs((name, epsilon if (name, epsilon) in known else np.inf), level=["method", "epsilon"]) for name in (one, other))
    as_good = pd.DataFrame({"accuracy": a["accuracy"] >= b["accuracy"], "violation": a["violation"] <= b["violation"]})
    lost = pd.DataFrame({"accuracy": b["accuracy"] - a["accuracy"], "violation": a["violation"] - b["violation"]})
    assert len(a) == len(b) == 15
    return int(as_good.to_numpy().sum()), int(as_good.all(axis=1).sum()), lost


def test_what_chapter_22_says_of_table_2():
    """The counts of its duels, where the best one loses, and what PF-LD costs Bank."""
    table = means()
    assert [duel(table, "asked_boosted", "m_network", epsilon)[:2] for epsilon in (1.0, .5)] == [(27, 12), (25, 12)]
    assert [duel(table, "told_boosted", "m_network", epsilon)[0] for epsilon in (1.0, .5)] == [27, 28]
    assert [duel(table, f"{which}_{base}", f"m_{base}", epsilon)[0] for which, base in (
        ("asked", "logistic"), ("told", "logistic"), ("asked", "network")) for epsilon in (1.0, .5)] == [18, 22, 17, 21, 18, 18]
    assert duel(table, "asked_boosted", "m_boosted", 1.0)[0] == 18
    lost = duel(table, "asked_logistic", "m_logistic", 1.0)[2]
    assert lost["violation"].max() == lost.loc[("m_bank3", "demographic_parity"), "violation"] == pytest.approx(.07, abs=.005)
    assert lost.loc[("m_bank3", "demographic_parity"), "accuracy"] == pytest.approx(-.02, abs=.005)
    for base in ("network", "logistic"):
        less = [table.xs((f"m_{base}{how}", 1.0), level=["method", "epsilon"]) for how in ("", "_rates")]
        assert ((less[1] - less[0]) < 0).sum().min() >= 9          # of 15
    lagrangian = {("pf_ld_repaired", "m_network"): (13, 0), ("pf_ld_subspace", "m_network"): (19, 4),
                  ("pf_ld_logistic", "m_logistic"): (17, 4)}
    assert {pair: duel(table, *pair, 1.0)[:2] for pair in lagrangian} == lagrangian
    assert duel(table, "f_ld", "m_network", 1.0)[:2] == (19, 4)
    lost = duel(table, "asked_boosted", "m_network", 1.0)[2]
    most = lost.loc[("income", "demographic_parity")]
    assert lost.max().max() == most["violation"] == pytest.approx(.01, abs=.0005) and most["accuracy"] == pytest.approx(-.023, abs=.0005)
    lost = duel(table, "asked_boosted", "m_network", .5)[2]
    assert (lost.drop(index="compas", level="data") < 0).all().all() and .009 < lost.max().max() < .01
    by_noise = lost.where(duel(table, "told_boosted", "m_network", .5)[2] <= 0)
    assert (by_noise > 0).to_numpy().sum() == 3 and by_noise.max().max() < .006
    parity = table.xs("demographic_parity", level="notion")
    for data_set in ("bank", "income", "compas"):
        apart = parity.loc[(data_set, "pf_ld_posterior", 1.0)] - parity.loc[(data_set, "f_ld", np.inf)]
        assert apart.abs().max() < .016
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

    found = [ratio(*pair, epsilon) for pair in (
        ("asked_boosted", "m_network"), ("asked_logistic", "m_logistic"), ("asked_network", "m_network")) for epsilon in (1.0, .5)]
    assert max(found[:2]) < .47
    np.testing.assert_allclose([*found[2:], ratio("asked_boosted", "m_boosted", 1.0)], [.66, .74, .78, .96, .87], atol=.0051)


def test_what_chapter_22_says_of_the_figures():
    """Accuracies and violations by the stored counts."""
    def mean(table, *keys):
        rows = stored(table)
        tables = [read(text) for text in rows["counts"]]
        rows["accuracy"] = [(c[0, :, 0].sum() + c[1, :, 1].sum()) / c.sum() for c in tables]
        rows["violation"] = [by_hand(c, "demographic_parity") for c in tables]
        return rows.groupby(list(keys))[["accuracy", "violation"]].mean()

    over = mean("tran_epsilon", "data", "method", "epsilon")
    for name in ("bank", "compas"):         # M: less violation and less accuracy as epsilon grows; asked once: the same
        first, last = over.loc[(name, "m_network", .1)], over.loc[(name, "m_network", 5.0)]
        assert first["accuracy"] > last["accuracy"] + .01 and first["violation"] > last["violation"] + .07
        for method in ("asked_logistic", "asked_boosted"):
            apart = np.ptp(over.loc[(name, method)], axis=0)
            assert apart.max() < .0325, (name, method)
    for method in ("pf_ld_autograd", "pf_ld_subspace"):
        assert over.loc[("bank", method, .1), "accuracy"] < over.loc[("bank", method, 5.0), "accuracy"] - .02
    apart = over["violation"].xs("bank", level="data").unstack("method")
    assert (apart.idxmin(axis=1)[:4] == "pf_ld_posterior").all()
    posterior = over.xs("pf_ld_posterior", level="method")["violation"]
    assert posterior["bank"].max() < .09 and posterior["compas"].min() > .13
    assert [round(over.loc[("bank", "m_network", epsilon), "violation"], 2) for epsilon in (.5, 5.0)] == [.34, .03]
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
    assert round(stored("tran_table2.times")["seconds"].sum() / 3600, 1) == 1.4


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
       for method, epsilon in (("clf_logistic", np.inf), ("m_logistic", 1.0), ("asked_logistic", 1.0), ("told_logistic", np.inf))]


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


# --- the learner that asks, as the table has it

def drawn(k):
    return data.make_logistic(1500, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5, 0]), rng=np.random.default_rng(1))


def fitted_of(k, notion="demographic_parity", groups=lambda A: A):
    them, model = drawn(k), METHODS["asked_logistic"].make(Case(k, notion, 2.0))
    return model.fit(them.X, them.Y, sensitive_features=groups(them.A), rng=np.random.default_rng(3))


def answers_of(module, monkeypatch):
    """All answers to the questions that a module asks from now on; and, when called, the same ones again, whoever is in which group."""
    asked, ask = [], module.ask_part
    monkeypatch.setattr(module, "ask_part", lambda *how: asked.append(ask(*how)) or asked[-1])

    def again():
        told = iter(list(asked))
        monkeypatch.setattr(module, "ask_part", lambda *_: next(told))
    return asked, again


#: Two candidates and a constant; three mixtures, of errors .3, .2 and .18.
BY_HAND = SimpleNamespace(frontier_=SimpleNamespace(
    corners=np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]), error=np.array([.2, .18, .3]), violations=np.array([.01, .1, .2])))


@pytest.mark.parametrize("spent, gamma", [(.01, .15), (.02, .1), (.07, .055), (.12, .01), (.5, .01), (0.0, .2)])
def test_the_operating_point_spends_what_it_says_by_hand(spent, gamma, monkeypatch):
    """Between corners error falls in proportion; where all may be spent, the fairest mixture that is asked for."""
    monkeypatch.setattr(tran_asked, "SPENT", spent)
    assert operating_gamma(BY_HAND) == pytest.approx(gamma)


@pytest.mark.parametrize("k, notion", [(2, "demographic_parity"), (2, "accuracy_parity"), (3, "equalized_odds")])
def test_the_operating_point_never_spends_more_and_a_smaller_gamma_does(k, notion):
    """By the mixtures that the learner itself has for a gamma."""
    model = fitted_of(k, notion)
    frontier, gamma = model.frontier_, operating_gamma(model)
    least = (frontier.corners @ frontier.error).min()

    def spent(gamma):
        return frontier.row(gamma) @ frontier.error - least

    assert spent(gamma) <= SPENT + 1e-12
    if gamma > frontier.violations[0]:
        assert spent(gamma) == pytest.approx(SPENT)
        for less in (.99, .9, .5):
            assert spent(max(less * gamma, frontier.violations[0])) > SPENT


def test_the_operating_point_follows_from_the_answers(monkeypatch):
    """With the same answers, whoever is in which group, the learner is operated at the same gamma."""
    asked, again = answers_of(algorithm, monkeypatch)
    first = fitted_of(2)
    again()
    assert operating_gamma(first) == operating_gamma(fitted_of(2, groups=lambda A: 1 - A)) > 0 and len(asked) == 2


def test_who_is_told_the_groups_is_the_learner_that_asks_at_a_large_epsilon():
    """Told, and asked at epsilon 10,000: one learner. And other noise hardly moves where it is operated."""
    of = Case(2, "demographic_parity", float("inf"))
    told, asked = METHODS["told_logistic"].make(of), METHODS["asked_logistic"].make(of._replace(epsilon=TOLD_EPSILON))
    assert isinstance(told, FrontierLearner)
    given, other = (model.get_params(deep=False) for model in (told, asked))
    assert repr(given.pop("base").base) == repr(other.pop("base").base) and given == other
    assert given["epsilon"] == TOLD_EPSILON and given["target"] == "new" and tran_table2.epsilons("told_logistic") == (float("inf"),)
    them = drawn(2)
    told.fit(them.X, them.Y, sensitive_features=them.A, rng=np.random.default_rng(0))
    again = METHODS["told_logistic"].make(of).fit(them.X, them.Y, sensitive_features=them.A, rng=np.random.default_rng(1))
    assert operating_gamma(told) == pytest.approx(operating_gamma(again), abs=1e-3)


@pytest.mark.parametrize("k", [2, 3])
def test_asked_groups_say_of_every_cell_what_its_count_says(k):
    """Without noise, what those of a cell are believed to be adds up to the count; weights of a person add up to 1."""
    them = drawn(k)
    weights, _ = asked_groups(them.X, them.Y, them.A, k, 1e4, np.random.default_rng(0))
    assert weights.shape == (1500, k)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    public = public_data(them.X, them.Y)
    for part in split_epsilon(public, 1e4, k, share=1.0):
        cells = public_cells(public, part)
        for cell in range(cells.max() + 1):
            here = part.people[cells == cell]
            np.testing.assert_allclose(weights[here].sum(axis=0), np.bincount(them.A[here], minlength=k), atol=.02)


@pytest.mark.parametrize("k", [2, 3])
def test_asked_groups_cost_epsilon_and_each_label_all_of_it(k):
    them = drawn(k)
    _, records = asked_groups(them.X, them.Y, them.A, k, 1.5, np.random.default_rng(0))
    assert len(records) == 2 and {record.mechanism for record in records} == {"geometric"}
    assert [accounting.compose([record]) for record in records] == pytest.approx([1.5, 1.5])
    assert accounting.compose(records) == pytest.approx(1.5)             # nobody has two labels


def test_nothing_but_the_answers_of_asked_groups_reads_them(monkeypatch):
    """With the same answers, all other groups have the same weights."""
    them, (asked, again) = drawn(3), answers_of(tran_asked, monkeypatch)
    first, records = asked_groups(them.X, them.Y, them.A, 3, 1.0, np.random.default_rng(0))
    again()
    other, same = asked_groups(them.X, them.Y, (them.A + 1) % 3, 3, 1.0, np.random.default_rng(1))
    np.testing.assert_array_equal(first, other)
    assert records == same and len(asked) == 2


def test_a_remembered_base_is_fitted_once_and_for_each_set_of_people():
    them = drawn(2)
    base = METHODS["clf_logistic"].make(Case(2, "demographic_parity", 1.0))
    one, two = (Remembered(base.base).fit(them.X, them.Y) for _ in range(2))
    other = Remembered(base.base).fit(them.X[:1000], them.Y[:1000])
    assert one.fitted_ is two.fitted_ and one.fitted_ is not other.fitted_


@pytest.mark.slow
def test_every_private_learner_of_the_table_leaves_its_releases():
    """Of no more than its epsilon, by the accountant. Who is told leaves records of an epsilon that is no promise; nobody else has any."""
    them = drawn(2)
    half = (them.X, them.A, them.Y)
    of = Fold(People(*half), People(*half), 2)
    for name, method in METHODS.items():
        if "boosted" in name or name.startswith("z"):
            continue
        model = tran_table2.fitted(tran_table2.made(name, of, "demographic_parity", 1.0), of, np.random.default_rng(0))
        assert hasattr(model, "releases_") == (method.private == "yes" or name.startswith("told")), name
        if hasattr(model, "releases_"):
            spent = accounting.compose(model.releases_, DELTA, "best")
            assert spent <= 1 + 1e-6 if method.private == "yes" else spent > 1000, name
        chances = tran_table2.ones(model, them.X)
        assert chances.shape == (1500,) and chances.min() >= 0 and chances.max() <= 1
        if isinstance(model, FrontierLearner):
            assert (chances == chances.round()).mean() > .5 and model.gamma == operating_gamma(model)
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
    "operated_at_half_the_gamma": Mutant(
        "book.studies.tran_asked.operating_gamma", lambda f: lambda model: f(model) / 2, "more is spent than the rule allows"),
}
