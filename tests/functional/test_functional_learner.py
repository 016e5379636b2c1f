"""The estimator: one release for every gamma, bounds that hold by it, rows that are nobody else's, and nothing else of anybody kept."""
from __future__ import annotations

import importlib
import itertools
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from test_functional_moments import everything, seeing

from dpfair_teach import SmallGroupWarning, data, functional
from dpfair_teach.accounting import Release, compose
from dpfair_teach.functional import FunctionalClassifier, LittleLearnedWarning, learner, people

moments = importlib.import_module("dpfair_teach.functional.moments")
GROUPS, GAMMAS = (2, 3, 5), (0.0, 0.01, 0.05, 0.2, 10.0)
BOUND, DELTA = 4.0, 1e-6


def population(k: int = 2, m: int = 4000, d: int | None = None, seed: int = 0) -> data.Dataset:
    d = max(3, k) if d is None else d
    return data.make_logistic(m, n_groups=k, d=d, shifts=np.outer(np.linspace(0, 1.5, k), [1, .5] + [0] * (d - 2)),
                              rng=np.random.default_rng(seed))


def fitted(D: data.Dataset, epsilon: float = 2.0, gamma: float = 0.0, seed: int = 1, **how: object) -> FunctionalClassifier:
    how = dict(bound=BOUND, n_groups=D.n_groups, shorten=True) | how
    return FunctionalClassifier(epsilon, gamma, DELTA, **how).fit(D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(seed))


def weights(model: FunctionalClassifier, gamma: float) -> np.ndarray:
    """Of rows (1/2, sqrt(3)/2 x / bound)."""
    coef, intercept = model._weights(gamma)
    return np.r_[2 * intercept, coef * model.bound / np.sqrt(0.75)]


def rows_of(X: np.ndarray, bound: float = BOUND) -> np.ndarray:
    return np.column_stack([np.full(len(X), 0.5), np.sqrt(0.75) * functional.shorten_rows(X, bound)])


# ------------------------------------------------------------------------------------------------ one release
@pytest.mark.parametrize("k", GROUPS)
def test_one_release_serves_every_gamma_as_a_fit_with_it_would(k):
    D = population(k)
    model = fitted(D)
    for gamma in GAMMAS:
        again = fitted(D, gamma=gamma)
        assert again.releases_ == model.releases_ and np.array_equal(again.moments_.gram, model.moments_.gram)
        assert np.array_equal(again.predict_proba(D.X), model.predict_proba(D.X, gamma=gamma))
        coef, intercept = again.coef_, again.intercept_
        scores = BOUND * functional.shorten_rows(D.X, BOUND) @ coef + intercept
        np.testing.assert_allclose(again.decision_function(D.X), scores, atol=1e-12)
        assert np.array_equal(model.decision_function(D.X, gamma), again.decision_function(D.X))
        assert np.array_equal(again.predict(D.X), scores > 0)
        assert model.score(D.X, D.Y, gamma=gamma) == pytest.approx((again.predict(D.X) == D.Y).mean())
    assert len(model.releases_) == 1 and compose(model.releases_, DELTA) == pytest.approx(2.0, rel=1e-4)


@pytest.mark.parametrize("k", GROUPS)
def test_by_the_release_the_covariances_are_within_gamma_and_at_0_mean_scores_are_equal(k):
    model = fitted(population(k))
    free = np.abs(model.covariances_ @ weights(model, 100.0)).max()
    assert free > 0.05, "else nothing is bounded"
    for gamma in GAMMAS:
        found = np.abs(model.covariances_ @ weights(model, gamma)).max()
        assert found <= gamma + 1e-12 and found == pytest.approx(min(gamma, free), abs=1e-9)
    sums, (sizes, _) = model.moments_.group_sums(), model.moments_.sizes()
    means = sums @ weights(model, 0.0) / sizes
    np.testing.assert_allclose(means, means[0], atol=1e-9)


@pytest.mark.parametrize("k", GROUPS)
def test_with_hardly_any_noise_it_is_least_squares_and_mean_scores_are_equal_for_these_people(k):
    D = population(k, m=20_000)
    model, Z = fitted(D, 600.0), rows_of(D.X)
    free = np.linalg.lstsq(Z, 4 * D.Y - 2, rcond=None)[0]
    np.testing.assert_allclose(weights(model, 100.0), free, atol=0.03 * np.abs(free).max())
    fair = functional.bounded_minimum(functional.log_loss_quadratic(Z, D.Y),
                                      np.array([Z[D.A == a].sum(axis=0) - (D.A == a).mean() * Z.sum(axis=0) for a in range(k)]), 0.0)
    np.testing.assert_allclose(weights(model, 0.0), fair, atol=0.03 * np.abs(free).max())
    scores, before = Z @ weights(model, 0.0), Z @ weights(model, 100.0)
    apart = np.ptp([scores[D.A == a].mean() for a in range(k)]), np.ptp([before[D.A == a].mean() for a in range(k)])
    assert apart[0] < 0.01 < 0.3 < apart[1]


def test_a_covariance_of_0_is_no_equal_rate_of_acceptance():
    """As the class says: a proxy. Scores with equal means, and groups of different spread."""
    rng = np.random.default_rng(0)
    A, x = np.repeat([0, 1], 10_000), rng.normal(size=(20_000, 2))
    x[:, 0] = np.where(A == 0, 0.3 * x[:, 0], x[:, 0])
    Y = (x[:, 0] + 0.1 * rng.normal(size=20_000) > 0.4).astype(int)
    model = FunctionalClassifier(600.0, 0.0, DELTA, bound=4.0, shorten=True).fit(x, Y, sensitive_features=A, rng=rng)
    said = model.predict(x)
    assert abs(said[A == 0].mean() - said[A == 1].mean()) > 0.1
    sums, (sizes, _) = model.moments_.group_sums(), model.moments_.sizes()
    assert np.ptp(sums @ weights(model, 0.0) / sizes) < 1e-9


def test_the_unit_of_x_and_of_bound_is_one():
    D = population()
    here = fitted(D)
    there = FunctionalClassifier(2.0, 0.0, DELTA, bound=1024 * BOUND, shorten=True).fit(
        1024 * D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(1))
    assert np.array_equal(there.moments_.gram, here.moments_.gram)
    np.testing.assert_allclose(there.coef_, here.coef_ / 1024)
    assert np.array_equal(there.predict(1024 * D.X), here.predict(D.X))


# ------------------------------------------------------------------------------------------------ what is said of a poor fit
def test_it_says_where_rows_were_shortened_to_their_directions():
    """Raw units and a small bound; with a bound that fits, and where rows were made as long on purpose, nothing is said."""
    D = population()
    with pytest.warns(LittleLearnedWarning, match="most were shortened"):
        fitted(D, bound=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LittleLearnedWarning)
        fitted(D)
        X = D.X / np.linalg.norm(D.X, axis=1, keepdims=True)
        FunctionalClassifier(2.0, 0.0, DELTA, bound=1.0).fit(X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(1))
        warnings.simplefilter("ignore", LittleLearnedWarning)
        warnings.simplefilter("ignore", SmallGroupWarning)
        few = population(m=200)                                 # whose rows are short, and the noise of all squares is 0.6
        lengths = [np.trace(fitted(few, 0.2, seed=seed).moments_.gram) / 200 for seed in range(20)]
    assert max(lengths) > learner.FULL


@pytest.mark.parametrize("k, d, said", [(2, 1, True), (3, 2, True), (5, 3, True), (2, 2, False), (5, 5, False)])
def test_it_says_where_gamma_0_leaves_no_weight(k, d, said):
    """k - 1 equations for as many weights: all are 0 by rounding, and everybody is decided alike."""
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(4000, d)), rng.integers(0, k, 4000)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = FunctionalClassifier(2.0, 0.0, DELTA, bound=4.0, n_groups=k, shorten=True)
        model.fit(X, X[:, 0] > 0, sensitive_features=A, rng=np.random.default_rng(1))
    assert any(issubclass(w.category, LittleLearnedWarning) for w in told) == said
    assert (np.abs(model.coef_).max() < 1e-9) == said and (np.ptp(model.predict(X)) == 0) == said


def test_too_many_features_are_refused_before_anything_is_drawn():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    model = FunctionalClassifier(1.0, 0.0, DELTA, bound=100.0)
    with pytest.raises(ValueError, match=r"X=\(3, 5000\): has 5,000 features. Give at most 4,999"):
        model.fit(np.zeros((3, 5000)), [0, 1, 0], sensitive_features=[0, 1, 1], rng=rng)
    assert rng.bit_generator.state == before and not hasattr(model, "releases_")


def test_a_decision_shortens_rows_as_the_fit_did():
    """So mean scores are equal at gamma 0 also where many rows of one group are longer than the bound."""
    rng = np.random.default_rng(3)
    A = rng.integers(0, 2, 20_000)
    X = rng.normal(size=(20_000, 3)) + np.outer(A, [0, 0, 1.0])
    X[:, 1] = np.abs(X[:, 1]) * np.where(A == 1, rng.pareto(1.5, 20_000) + 1, 1.0)
    y = X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=20_000) > 1
    model = FunctionalClassifier(600.0, 0.0, DELTA, bound=3.0, shorten=True).fit(X, y, sensitive_features=A, rng=rng)
    scores, as_given = model.decision_function(X), X @ model.coef_ + model.intercept_
    assert abs(scores[A == 0].mean() - scores[A == 1].mean()) < 0.01 < 0.1 < abs(as_given[A == 0].mean() - as_given[A == 1].mean())
    np.testing.assert_allclose(model.decision_function(X[:50] * 1e30 / 3), model.decision_function(X[:50] * 1e20), rtol=1e-9)
    assert np.array_equal(model.predict(X), scores > 0)


# ------------------------------------------------------------------------------------------------ rows
def asked(X, y, A, k: int = 2, **how: object) -> np.ndarray:
    """The vector that a fit hands to the mechanism."""
    seen: list[np.ndarray] = []
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.setattr(moments, "release", seeing(seen))
        FunctionalClassifier(1.0, 0.0, DELTA, **dict(bound=BOUND, n_groups=k, shorten=True) | how).fit(
            X, y, sensitive_features=A, rng=np.random.default_rng(0))
    assert len(seen) == 1, "asked once"
    return seen[0]


def test_who_is_far_out_is_shortened_and_nobody_elses_part_changes():
    D = population(m=30)
    far = D.X.copy()
    far[7] = [1e6, 0, 1e6]
    UNIT = 2.0**-24                                             # of the grid of 30 people
    parts = [everything(z, y, a, 2, 0.5) for X in (D.X, far) for z, y, a in zip(rows_of(X), D.Y, D.A, strict=True)]
    before, after = np.array(parts[:30]), np.array(parts[30:])
    d = 4
    order = np.r_[np.arange(2 * d), 2 * d + np.argsort([j * d + i for j, i in [*((j, j) for j in range(d)), *itertools.combinations(
        range(d), 2)]])]
    np.testing.assert_allclose(asked(D.X, D.Y, D.A), before.sum(axis=0)[order], atol=30 * UNIT)
    np.testing.assert_allclose(asked(far, D.Y, D.A), after.sum(axis=0)[order], atol=30 * UNIT)
    assert np.array_equal(np.delete(before, 7, axis=0), np.delete(after, 7, axis=0)) and not np.array_equal(before[7], after[7])


def test_a_row_that_is_too_long_changes_no_other_row_by_a_bit():
    """Also where others are longer than the bound by less than rounding allows."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    X *= (1 + np.linspace(-1e-9, 1e-9, 50))[:, None] / np.linalg.norm(X, axis=1, keepdims=True)
    far = np.vstack([X[:-1], 1e3 * X[-1:]])
    rows = [learner.framed(block, 2.0**-20, bound=1.0, shorten=True, out=np.empty((50, 4))) for block in (X, far)]
    assert rows[0][:-1].tobytes() == rows[1][:-1].tobytes()
    assert (rows[1]**2).sum(axis=1).max() <= 4.0**20


def test_a_longer_row_is_refused_before_anything_is_drawn_and_the_way_out_is_named():
    D, rng = population(m=100), np.random.default_rng(0)
    before, longest = rng.bit_generator.state, np.linalg.norm(D.X, axis=1).max()
    with pytest.raises(ValueError, match=rf"^X={longest:.10g}: is the length of a row, and bound says 1\. Give a larger bound, from a "
                                         r"codebook and not from these people; or shorten=True: .*keeps what is promised\. float32 "
                                         r"rounds by 6e-8: convert before\."):
        FunctionalClassifier(1.0, 0.0, DELTA, bound=1.0).fit(D.X, D.Y, sensitive_features=D.A, rng=rng)
    assert rng.bit_generator.state == before
    inside = [FunctionalClassifier(4.0, 0.0, DELTA, bound=longest * (1 + 1e-12), shorten=shorten).fit(
        D.X, D.Y, sensitive_features=D.A, rng=np.random.default_rng(0)) for shorten in (False, True)]
    assert np.array_equal(inside[0].moments_.gram, inside[1].moments_.gram)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("by", [1e-6, 1e-8])
def test_a_row_of_norm_1_and_a_millionth_is_refused_by_all_who_ask_for_1(by):
    """And by a hundredth of that; a part in 10^10 is rounding, and let pass."""
    y, A = np.array([0, 1, 0]), np.array([0, 1, 1])
    takers = (lambda X: functional.people.in_domain(X, y), lambda X: functional.people.in_domain(X, y, domain="signed"),
              lambda X: functional.release_moments(X, y, None, 1.0, DELTA, np.random.default_rng(0)),
              lambda X: FunctionalClassifier(1.0, 0.0, DELTA, bound=1.0).fit(X, y, sensitive_features=A, rng=np.random.default_rng(0)))
    for takes in takers:
        takes(np.array([[0.5, 0.5], [0.6, 0.8], [0.0, 1 + 1e-10]]))
        for i in range(3):
            rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
            rows[i] *= 1 + by
            with pytest.raises(ValueError, match=r"^X=1\.0\d*: is the (norm|length) of a row"):
                takes(rows)


def test_rows_begin_with_a_half_and_end_on_the_ball():
    """(1/2, sqrt(3)/2 x / bound): the constant has a quarter of the square of the longest row, and features have what is left."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:20] *= BOUND / np.linalg.norm(X[:20], axis=1, keepdims=True)
    assert np.linalg.norm(X[20:], axis=1).max() < BOUND
    for shorten in (False, True):
        unit = 2.0**-20
        rows = unit * learner.framed(X, unit, bound=BOUND, shorten=shorten, out=np.empty((60, 4)))
        np.testing.assert_allclose(rows, np.column_stack([np.full(60, 0.5), np.sqrt(0.75) * X / BOUND]), atol=unit)
        np.testing.assert_allclose(np.linalg.norm(rows[:20], axis=1), 1, atol=2 * unit)
        assert (rows[:, 0] == 0.5).all()
    D = population()
    model = fitted(D, 600.0)
    assert model.moments_.constant == 0.5 and model.moments_.gram[0, 0] == pytest.approx(D.m / 4, rel=0.01)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("epsilon", [0.02, 2.0, 600.0])
def test_beside_the_constant_every_direction_has_two_deviations_at_least(epsilon, monkeypatch):
    """The ridge of what is minimized; where noise has taken a feature's own variance away, it is all that is left."""
    seen = []
    monkeypatch.setattr(learner, "bounded_minimum", lambda f, *rest: (seen.append(4 * f.H), functional.bounded_minimum(f, *rest))[1])
    told = fitted(population(d=6), epsilon).moments_
    mean = told.total() / told.m
    values = np.linalg.eigvalsh((seen[0] - told.m * np.outer(mean, mean))[1:, 1:]) / told.gram_deviation()
    assert values[0] > 2 - 1e-6
    if epsilon == 0.02:
        assert values[0] == pytest.approx(2, abs=1e-6)


def test_no_neighbour_moves_what_is_asked_further_than_the_noise_is_made_for():
    """Through the estimator's own code: every pair of neighbours of three people, of whom one has one of 8 rows, some far out, any label
    and any group. Were rows not shortened, it would be seen."""
    X = [[4, 0], [-4, 0], [0, 4], [1e3, 1e3], [-5, 5], [1, 0], [0, 0], [-30, 1]]
    for k in GROUPS:
        def worst(k=k):
            told = [asked([x, X[0], X[2]], [y, 1, 0], [a, 0, k - 1], k) for x in X for y in (0, 1) for a in range(k)]
            return max(np.linalg.norm(one - other) for one, other in itertools.combinations(told, 2)) / functional.moments_l2(k)
        assert 0.8 < worst() <= 1
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(learner, "framed", lambda block, unit, *, bound, shorten, out: np.column_stack(
                [np.full(len(block), 0.5), np.sqrt(0.75) * block / bound]) / unit)
            assert worst() > 10


# ------------------------------------------------------------------------------------------------ private labels
@pytest.mark.parametrize("label", [0, 1])
def test_that_everybody_has_one_label_is_no_refusal(label):
    """Who has which label is private here. The model then decides as all of them were labelled."""
    D = population()
    model = FunctionalClassifier(2.0, 1.0, DELTA, bound=BOUND, shorten=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleLearnedWarning)
        model.fit(D.X, np.full(D.m, label), sensitive_features=D.A, rng=np.random.default_rng(0))
    assert (model.predict(D.X) == label).mean() > 0.99 and not FunctionalClassifier._labels_are_public


def test_an_empty_group_is_no_refusal():
    D = population()
    for A in (np.zeros(D.m, dtype=int), np.ones(D.m, dtype=int)):
        model = FunctionalClassifier(2.0, 0.0, DELTA, bound=BOUND, n_groups=3, shorten=True).fit(
            D.X, D.Y, sensitive_features=A, rng=np.random.default_rng(0))
        assert np.isfinite(model.coef_).all() and model.covariances_.shape == (3, 4)


# ------------------------------------------------------------------------------------------------ warnings
def test_it_says_when_what_was_learned_is_noise():
    D = population(m=200)
    said = r"^the sums of labelled features have length [\d.e+]+, and noise alone has about [\d.e+]+: what was learned tells little but "
    with pytest.warns(LittleLearnedWarning, match=said) as caught:
        model = fitted(D, 0.05)
    assert [one.filename for one in caught if one.category is LittleLearnedWarning] == [__file__]
    told = np.linalg.norm(model.moments_.by_label[1:])
    assert f"length {told:.3g}, and noise alone has about {model.moments_.sigma * np.sqrt(3):.3g}:" in str(caught[-1].message)
    assert issubclass(LittleLearnedWarning, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LittleLearnedWarning)
        fitted(population(m=20_000), 1.0)


@pytest.mark.parametrize("times, warned", [(0.0, True), (1.999, True), (2.001, False), (10.0, False)])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_it_says_so_up_to_twice_the_length_of_noise_alone(d, times, warned, monkeypatch):
    """Sums of labelled features of that many times sqrt(d) deviations, in any direction; the constant's own is none of them."""
    rng = np.random.default_rng(d)

    def answered(mechanism, value, _, **numbers):
        v, answer = rng.normal(size=d), np.array(value)
        answer[:d + 1] = np.r_[1e6, times * np.sqrt(d) * numbers["scale"] * v / np.linalg.norm(v)]
        return answer, Release(mechanism, **numbers)
    monkeypatch.setattr(moments, "release", answered)
    X, A = rng.uniform(-1, 1, (300, d)), rng.integers(0, 2, 300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        FunctionalClassifier(1.0, 0.1, DELTA, bound=5.0).fit(X, A, sensitive_features=A, rng=rng)
    assert any(one.category is LittleLearnedWarning for one in caught) == warned


def test_labels_that_go_with_nothing_are_mostly_said_to_be_noise():
    """Of 300 fits on such labels at least 235 warn; with a chance of nine tenths for each, fewer would come in one of a billion."""
    rng, warned = np.random.default_rng(0), 0
    X, A = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    for _ in range(300):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            FunctionalClassifier(0.3, 0.0, DELTA, bound=BOUND, shorten=True).fit(X, rng.integers(0, 2, 400), sensitive_features=A, rng=rng)
        warned += any(one.category is LittleLearnedWarning for one in caught)
    assert warned >= 235


# ------------------------------------------------------------------------------------------------ in blocks
@pytest.mark.parametrize("block", [1, 64, 1000, 10**6])
def test_whatever_the_block_the_sums_are_the_same(block, monkeypatch):
    """To the last bit: of each group's sums alone the products with points are rounded, and those of the matrix with a root."""
    D = population(3, m=700)
    whole = fitted(D, 20.0)
    for module in (people, learner):
        monkeypatch.setattr(module, "BLOCK", block)
    again = fitted(D, 20.0)
    for name in ("by_label", "by_group", "gram"):
        assert np.array_equal(getattr(again.moments_, name), getattr(whole.moments_, name)), name
    assert np.array_equal(again.predict(D.X), whole.predict(D.X))


def test_the_same_numbers_in_any_table_are_the_same_bytes(tmp_path):
    """In memory, on disk, by columns, as a table of pandas, in fewer bits where those hold them."""
    D = population(m=50_000)
    X = D.X.astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    on_disk = np.load(tmp_path / "X.npy", mmap_mode="r")
    plain, groups = X.astype(float), D.A.astype(np.int8)
    kept = {}
    for name, table in {"doubles": plain, "floats": X, "on disk": on_disk, "by columns": np.asfortranarray(plain),
                        "pandas": pd.DataFrame(plain)}.items():
        model = FunctionalClassifier(2.0, 0.1, DELTA, bound=BOUND, shorten=True).fit(
            table, D.Y.astype(np.uint8), sensitive_features=groups, rng=np.random.default_rng(1))
        kept[name] = pickle.dumps(pickle.loads(pickle.dumps((model.moments_, model.coef_, model.intercept_, model.predict(table)))))
    assert len(set(kept.values())) == 1


def test_many_people_on_disk_take_no_memory_of_their_number(tmp_path):
    """300,000 rows of 20 numbers of four bytes, 24 MB on disk and 48 MB as doubles: a fit and a prediction take less than half of that."""
    m, d = 300_000, 20
    X = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(m, d))
    rng = np.random.default_rng(0)
    for start in range(0, m, 50_000):
        X[start:start + 50_000] = rng.normal(size=(50_000, d))
    A, Y = rng.integers(0, 5, m), (X[:, 0] > 0.3).astype(int)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    tracemalloc.start()
    model = FunctionalClassifier(1.0, 0.1, 1e-7, bound=9.0, n_groups=5, shorten=True).fit(X, Y, sensitive_features=A, rng=rng)
    _, peak = tracemalloc.get_traced_memory()
    said = model.predict_proba(X)
    _, peak_of_both = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6 and peak_of_both < 24e6, (peak, peak_of_both)
    assert model.score(X, Y, gamma=9.0) > 0.95 and said.shape == (m, 2)


# ------------------------------------------------------------------------------------------------ what is published
def bytes_of(model: FunctionalClassifier) -> bytes:
    probe = PROBE[:, :model.n_features_in_]
    said = model.predict(probe), model.predict(probe, gamma=0.3)
    return pickle.dumps(pickle.loads(pickle.dumps((model, vars(model), repr(model), said))))


PROBE = np.random.default_rng(9).normal(size=(50, 5))


@pytest.mark.parametrize("k", GROUPS)
@pytest.mark.filterwarnings("ignore")
def test_nothing_of_anybodys_row_label_or_group_is_kept_but_what_was_released(k, monkeypatch):
    """One run's answer is written down and told to the others, whatever it was that they asked about: a neighbour, all labels exchanged,
    all groups exchanged, one label, one group, quite other people. What is pickled and printed is the same, byte by byte, and so are
    warnings; and the mechanism was asked once, with the same numbers beside the private ones, after the same number of draws."""
    D, others = population(k, m=500), population(k, m=500, seed=5)
    real, told, questions = moments.release, [], []

    def mechanism(law, value, rng, **public):
        questions.append((law, np.shape(value), public))
        drawn, record = real(law, value, rng, **public)
        told.append(drawn)
        return told[0].copy(), record
    monkeypatch.setattr(moments, "release", mechanism)

    def run(X, Y, A):
        rng = np.random.default_rng(3)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = FunctionalClassifier(1.0, 0.02, DELTA, bound=BOUND, n_groups=k, shorten=True).fit(X, Y, sensitive_features=A, rng=rng)
        return bytes_of(model), rng.bit_generator.state, [str(one.message) for one in said]

    neighbour = D.X.copy(), D.Y.copy(), D.A.copy()
    neighbour[0][0], neighbour[1][0], neighbour[2][0] = [90.0, -3.0] + [0.0] * (D.X.shape[1] - 2), 1 - D.Y[0], (D.A[0] + 1) % k
    first = run(D.X, D.Y, D.A)
    for X, Y, A in (neighbour, (D.X, 1 - D.Y, D.A), (D.X, D.Y, (D.A + 1) % k), (D.X, 0 * D.Y, D.A), (D.X, D.Y, 0 * D.A),
                    (others.X, others.Y, others.A), (0 * D.X, D.Y, D.A), (1e6 * D.X, D.Y, D.A)):
        alike = run(X, Y, A) == first                   # not in the assert: to show how bytes differ takes long
        assert alike
    assert len(questions) == 9 and len({repr(question) for question in questions}) == 1
    assert not np.allclose(told[0], told[1]), "the mechanism's own answers would have told them apart"


def test_a_model_that_kept_more_would_be_found(monkeypatch):
    """The same with a model that keeps how many people have label 1: its bytes differ."""
    D = population(m=500)
    answer, real, learn = [], moments.release, FunctionalClassifier._learn
    monkeypatch.setattr(moments, "release", lambda *args, **numbers: (answer.append(real(*args, **numbers)), answer[0])[1])

    def keeps(self, params, X, y, sensitive_features, rng):
        learn(self, params, X, y, sensitive_features, rng)
        self.base_rate_ = float(np.mean(y))
    monkeypatch.setattr(FunctionalClassifier, "_learn", keeps)
    found = {bytes_of(fitted(data_set)) for data_set in (D, population(m=500, seed=5))}
    assert len(found) == 2


@pytest.mark.filterwarnings("ignore")
def test_no_row_of_anybody_can_be_found_in_it():
    """Neither a row, nor a column, nor labels or groups, in the order of the people, stand in the numbers of a pickle."""
    D = population(m=300)
    kept = pickle.dumps(vars(fitted(D)))
    for secret in (D.X[:5].ravel(), D.X[:20, 0].copy(), D.A[:40], D.A[:40].astype(float), D.Y[:40], rows_of(D.X)[:2].ravel(),
                   (D.X / BOUND)[0], D.A[:200].astype(np.int8)):
        assert np.ascontiguousarray(secret).tobytes() not in kept
    assert fitted(D).moments_.gram.tobytes() in kept, "what was released is found so"


def _private(people, A, rng):
    """Rows and labels go by A too: the whole person is private here."""
    model = FunctionalClassifier(3.0, 0.05, DELTA, bound=3.0, shorten=True)
    model.fit(people.X + np.asarray(A)[:, None], people.Y ^ (np.asarray(A) == 1), sensitive_features=A, rng=rng)
    model.score(people.X, people.Y)
    return model


PRIVATE_FITS = {"functional.FunctionalClassifier": _private}
