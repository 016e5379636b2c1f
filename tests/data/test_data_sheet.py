"""Every number on the data-sheet page, against the data.

Tables are read row by row. In the prose every number of three digits or more, with a decimal point or a per cent sign, has to be in
``facts``, where it is computed from the embedded data or, for the other sets, taken from the constants that the slow tests compare with the
real files.
"""
import re
from pathlib import Path

import numpy as np
import pytest

from dpfair_teach.data import list_datasets, load, registry
from test_data_load import CELLS, REAL_CELLS

PAGE = (Path(__file__).parents[2] / "book" / "chapters" / "data-sheet.md").read_text()
ALL_CELLS = CELLS | REAL_CELLS | {("ten_people", "given"): [[2, 3], [3, 2]]}
# Compared with the files below, and with an invented one.
FEATURES = {("bank", "one_hot"): 50, ("compas", "one_hot"): 7, ("census", "one_hot"): 508}
YEARS = {"1990", "1994", "1995", "1996", "2000", "2008", "2009", "2010", "2013", "2014", "2016"}


def rows(first_cells):
    for line in PAGE.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == first_cells:
            yield cells


def test_the_table_of_groups():
    found, drawn = {}, []
    for name, rule, label, a, _, people, y0, y1 in rows(8):
        if people == "any":
            drawn.append((name, rule, label))
            continue
        n0, n1 = (int(v.replace(",", "")) for v in (y0, y1))
        assert int(people.replace(",", "")) == n0 + n1
        cells = found.setdefault((name.strip("`"), rule.strip("`")), [])
        assert int(a) == len(cells)
        cells.append([n0, n1])
    assert found == ALL_CELLS and drawn == [("`synthetic`", "`drawn`", "`logistic`")]
    table = list_datasets()
    assert {name for name, _ in found} | {"synthetic"} == set(table.name) and table.name[table.rows.isna()].tolist() == ["synthetic"]


def test_drawn_groups_have_equal_shares_and_differ_in_the_first_feature():
    """n = 90,000 people in 3 groups; each share and mean within its Hoeffding or normal window at alpha = 1e-10."""
    d = load("synthetic", m=90_000, n_groups=3, rng=np.random.default_rng(2))
    assert np.abs(np.bincount(d.A) / d.m - 1 / 3).max() < np.sqrt(np.log(2e10) / (2 * d.m))
    means = np.array([d.X[d.A == a].mean(axis=0) for a in range(3)])
    width = 6.5 / np.sqrt(np.bincount(d.A).min())  # P(|normal| > 6.5) < 1e-10
    assert np.abs(np.diff(means, axis=0)[:, 0] - 0.25).max() < 2 * width and np.abs(means[:, 1:]).max() < width


def test_the_table_of_features():
    found = {(name.strip("`"), rule.strip("`")): int(columns) for name, rule, columns, what in rows(4) if columns.isdigit()}
    drawn = load("synthetic", m=50, rng=np.random.default_rng(1))
    expected = {("ten_people", "given"): 1, ("synthetic", "drawn"): drawn.d, ("adult", "one_hot"): load("adult").d, **FEATURES}
    expected |= {("communities", rule): load("communities", features=rule).d for rule in ("paper", "unprotected", "all")}
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bank", "compas", "census"])
def test_the_numbers_of_columns_in_the_real_files(load_real, name):
    assert load_real(name).d == FEATURES[name, "one_hot"]


@pytest.mark.slow
def test_numbers_of_the_full_bank_file(load_real):
    from dpfair_teach.data import sources
    load_real("bank")
    text = sources.find(registry.BANK[0]).content.decode()
    labels = [line.rsplit(";", 1)[1] for line in text.split()[1:]]
    assert (len(labels), labels.count('"yes"')) == (45211, 5289)


def test_the_table_of_files():
    listed = {(cells[1].strip("`"), cells[3].strip("`")) for cells in rows(4) if len(cells[3]) == 66}
    assert listed == {(r.name, r.sha256) for r in (*registry.BANK, *registry.COMPAS, *registry.CENSUS)}


def raw_table(name):
    seen = {}
    load(name, label=lambda raw: seen.update(raw=raw) or np.arange(len(raw)) % 2)
    return seen["raw"]


def facts():
    """Numbers as the page writes them."""
    towns, adults = raw_table("communities"), raw_table("adult")
    holes = towns.iloc[:, 5:-1].isna().sum()
    crime = towns["ViolentCrimesPerPop"]
    husbands = adults["relationship"].isin(["Husband", "Wife"])
    rich = adults["income"] == ">50K"
    men = adults["sex"] == "Male"
    dropped = load("adult").provenance.dropped[0][0]
    bank, census, compas = (np.array(REAL_CELLS[k]) for k in (("bank", "age"), ("census", "sex"), ("compas", "sex")))
    race = np.array(REAL_CELLS["compas", "race"])
    assert (adults["age"].min(), (holes == 1675).sum(), (holes == 1).sum(), holes["OtherPerCap"]) == (17, 22, 1, 1)
    assert ((adults["relationship"] == "Husband") & ~men | (adults["relationship"] == "Wife") & men).sum() == 2

    def percent(x):
        return f"{100 * x:.1f}%"

    computed = [f"{n:,}" for n in (
        len(towns), towns.shape[1] - 6, int(holes.max()), int(holes.sum()),
        (crime > crime.quantile(.7)).sum(), (crime > crime.quantile(.2)).sum(),
        len(adults), len(adults) + dropped, dropped, rich.sum(), (adults["capital-gain"] == 99_999).sum(), adults["capital-gain"].max(),
        bank.sum(), bank[:, 0].sum(), bank[:, 1].sum(), census.sum(), compas.sum(), race.sum(), compas.sum() - race.sum(),
        FEATURES["census", "one_hot"],
        load("communities", features="unprotected").d, min(c for cell in ALL_CELLS["communities", "race_argmax_4"] for c in cell),
        max(c for cell in ALL_CELLS["adult", "sex"] for c in cell))]
    computed += [percent(x) for x in (
        (adults["race"] == "White").mean(), (adults["native-country"] == "United-States").mean(), men.mean(), rich.mean(), rich[men].mean(),
        rich[~men].mean(), husbands.mean(), bank[:, 1].sum() / bank.sum(), 5289 / 45211, census[:, 1].sum() / census.sum(),
        *(census[:, 1] / census.sum(axis=1)))]
    computed += [f"{x:.2f}" for x in (crime.quantile(.7), crime.quantile(.2),
                                      *towns[["racePctWhite", "racepctblack", "racePctAsian", "racePctHisp"]].median())]
    computed.append(f"{census.sum() * 508 * 4 / 1e9:.1f}")  # gigabytes
    # What the files' own descriptions say, and counts of lines and conditions that no table here holds.
    told = ["32,561", "16,281", "199,523", "99,762", "45,211", "7,214", "370,000", "50,000", "100"]
    assert 32_561 + 16_281 == len(adults) + dropped and 199_523 + 99_762 == census.sum()
    assert compas.sum() + 1_042 == 7_214
    return set(computed) | set(told)


def test_every_number_in_the_prose():
    prose = "\n".join(line for line in PAGE.splitlines() if not line.startswith("|"))
    prose = re.sub(r"```.*?```|`[^`]*`|https?://\S+|doi \S+|sha256|CC BY 4\.0|\{\w+(:\w)?\}", " ", prose, flags=re.S)
    numbers = set(re.findall(r"\d[\d,]*(?:\.\d+)?%?", prose.replace(", ", " , ")))
    large = {n.rstrip(",") for n in numbers if len(re.sub(r"\D", "", n)) > 2 or "." in n or "%" in n} - YEARS
    known = facts()
    assert large <= known, f"not checked: {sorted(large - known)}"
    assert len(large) > 40


def test_the_page_says_what_each_set_must_not_be_used_for():
    sections = re.split(r"\n## ", PAGE)[2:-1]
    assert len(sections) == 7
    for section in sections:
        assert section.count("**Must not be used to conclude**") == 1, section[:40]
