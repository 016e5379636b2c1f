"""The two estimators: they run the algorithms of the chapters, keep what was published, and refuse by name."""
from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dpfair_teach import lagrangian
from dpfair_teach.data import make_logistic
from dpfair_teach.lagrangian import FairLagrangian, FairProblem, FairTerms, Plan, PrivateFairLagrangian, learner, plan
from dpfair_teach.networks import Adam, Network

PEOPLE = make_logistic(300, n_groups=3, d=4, rng=np.random.default_rng(1))
X, Y, A = PEOPLE.X, PEOPLE.Y, PEOPLE.A
HOW = dict(n_groups=3, hidden=(4,), epochs=4, batch=100, learning_rate=.05)
MODELS = {"FairLagrangian": lambda **how: FairLagrangian(0.0, **HOW, **how),
          "PrivateFairLagrangian": lambda **how: PrivateFairLagrangian(2.0, 0.0, 1e-6, **HOW, **how)}


def learned(model, X=X, seed=3):
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(seed))
    told = model.history_.to_csv() + repr(getattr(model, "releases_", None))
    return model.theta_.tobytes() + model.multipliers_.tobytes() + told.encode()


def test_the_estimators_run_the_algorithms():
    """The same numbers by the same generator; of the private one after the question for the sizes."""
    it = FairProblem(Network(4, (4,)), X, A, Y, FairTerms("equalized_odds", 3))
    how = Plan(4, 100, optimizer=Adam(.05), sampling_probability=1 / 3)
    for name, model in MODELS.items():
        fitted, rng = model().fit(X, Y, sensitive_features=A, rng=np.random.default_rng(3)), np.random.default_rng(3)
        if name == "FairLagrangian":
            found = lagrangian.f_ld_signed(it, how, it.of(fitted.theta_).sizes(), rng)
        else:
            noise = lagrangian.find_noise(2.0, 1e-6, how, 300, sizes_budget_fraction=.05)
            sizes, asked = lagrangian.private_steps.noisy_sizes(it, noise.sizes, rng)
            found = lagrangian.pf_ld(it, how, sizes, noise, rng)
            assert np.array_equal(sizes, fitted.sizes_) and fitted.releases_ == (asked, *found[2]) and fitted.noise_ == noise
        assert np.array_equal(found[0], fitted.theta_) and np.array_equal(found[1], fitted.multipliers_) and found[1].any()


def test_a_third_of_the_epochs_is_warm_up():
    model = MODELS["PrivateFairLagrangian"]().set_params(epochs=9)
    learned(model)
    multipliers = model.history_.filter(like="multiplier")
    assert not multipliers.iloc[:3].any().any() and multipliers.iloc[3].any()
    assert [release.times for release in model.releases_] == [1, 18, 6]


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_that_dies_in_a_step_leaves_its_records_and_no_model(name, monkeypatch):
    """Neither this fit nor the one before answers, and what was released is known."""
    model = MODELS[name]()
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(3))

    def dies(*given, **seen):
        raise KeyboardInterrupt
    monkeypatch.setattr(learner.History, "__call__", dies)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(4))
    assert hasattr(model, "releases_") == (name == "PrivateFairLagrangian") and not hasattr(model, "theta_")
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("name", MODELS)
def test_rows_on_disk_make_the_same_releases(name, tmp_path):
    on_disk = np.memmap(tmp_path / "rows", np.float64, "w+", shape=X.shape)
    on_disk[:] = X
    assert learned(MODELS[name](), on_disk) == learned(MODELS[name]())


def test_a_bar_shows_on_the_error_stream_and_changes_nothing(capsys):
    for model in MODELS.values():
        assert learned(model(progress=True)) == learned(model())
        assert "12/12" in capsys.readouterr().err


def test_the_history_is_of_what_was_published():
    model = MODELS["PrivateFairLagrangian"]()
    learned(model)
    table = model.history_
    assert list(table.index) == [1, 2, 3, 4] and table["loss"].iloc[-1] < table["loss"].iloc[0] + .5
    assert (table.filter(like="multiplier").iloc[0] == 0).all() and table.filter(like="violation").iloc[:3].notna().all().all()
    assert table.filter(like="violation").iloc[-1].isna().all() and table.shape == (4, 13)
    for r, name in enumerate(("FP", "TP")):
        after = np.array([table[f"multiplier {name} {a}"].iloc[-1] for a in range(3)])
        assert np.array_equal(after, model.multipliers_[:, r])


@pytest.mark.parametrize("how, said", [
    (dict(max_grad_norm=0.0), r"max_grad_norm=0\.0: outside"), (dict(max_grad_norm=-1.0), "max_grad_norm=-1"),
    (dict(n_groups=1000, missing=True), "n_groups=1000: with missing=True, which is one group more.*at most 999"),
    (dict(epochs=1), "epochs=1: must be at least 2"), (dict(epsilon=1e-6), "epsilon, delta=.*no noise multiplier up to"),
    (dict(delta=0.0), r"delta=0\.0: outside \[1e-10"), (dict(gamma=-.1), r"gamma=-0\.1"), (dict(hidden=7), "hidden=7")])
def test_what_is_wrong_is_refused_by_name(how, said):
    model = PrivateFairLagrangian(**dict(HOW, epsilon=2.0, gamma=0.0, delta=1e-6) | how)
    with pytest.raises(ValueError, match=f"^{said}"):
        model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_weights_that_run_away_are_refused_before_they_overflow(monkeypatch):
    """Else whether a number overflows could depend on who is in the secret sample."""
    monkeypatch.setattr(plan, "LARGEST", 100.0)
    for model in MODELS.values():
        with pytest.raises(ValueError, match=r"^learning_rate=90\.0: at which an entry of theta has grown beyond 100\. Take smaller"):
            model().set_params(learning_rate=90.0).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_labels_all_alike_and_features_that_are_no_numbers_are_refused():
    for model in MODELS.values():
        with pytest.raises(ValueError, match=r"^y=1: everybody has the same label"):
            model().fit(X, np.ones(len(Y)), sensitive_features=A, rng=np.random.default_rng(0))
        for wrong in (np.nan, np.inf, 1e7):
            with pytest.raises(ValueError, match=r"^X=(nan|inf|10000000\.0): (holds NaN|outside)"):
                model().fit(np.where(X == X.max(), wrong, X), Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_an_empty_group_is_no_error_where_groups_are_private_and_one_where_they_are_not():
    nobody = np.where(A == 1, 0, A)
    with pytest.raises(ValueError, match=r"^sensitive_features=1: a group of whom nobody is under the line of FP"):
        MODELS["FairLagrangian"]().fit(X, Y, sensitive_features=nobody, rng=np.random.default_rng(0))
    private = MODELS["PrivateFairLagrangian"]().fit(X, Y, sensitive_features=nobody, rng=np.random.default_rng(0))
    assert np.isfinite(private.theta_).all()


def test_who_did_not_say_is_in_no_group():
    """With everybody silent nothing is unequal: the multipliers are noise, and without a fault nothing is refused."""
    silent = np.full(len(Y), 3)
    model = PrivateFairLagrangian(2.0, 0.0, 1e-6, missing=True, **HOW).fit(X, Y, sensitive_features=silent, rng=np.random.default_rng(0))
    assert np.isfinite(model.theta_).all() and model.releases_[0].sensitivity == 2
    some = np.where(np.arange(len(Y)) % 4 == 0, 3, A)
    it = FairProblem(Network(4, (4,)), X, some, Y, FairTerms("demographic_parity", 3), missing=True)
    told = some < 3
    theta = it.network.initial(np.random.default_rng(0))
    score = it.network.probabilities(theta, X)
    apart = [[score.mean() - score[told & (some == a)].mean()] for a in range(3)]
    assert it.of(theta).violations() == pytest.approx(np.array(apart)) and not it.public.complete


def test_the_secret_sample_is_of_as_many_people_as_a_batch():
    model = MODELS["PrivateFairLagrangian"]()
    learned(model)
    assert model.releases_[1].sampling_probability == 1 / 3
    assert dataclasses.replace(Plan(2, 10), sampling_probability=.5).sampling_probability == .5


@pytest.mark.slow
@pytest.mark.turning(2)
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_of_people_on_disk_never_has_them_all_in_memory(name, tmp_path):
    """80,000 people of 200 numbers, 122 MB: the fit takes less than half of that at any time."""
    rng = np.random.default_rng(0)
    m, d = 80_000, 200
    Y, A = rng.integers(0, 2, m), rng.integers(0, 3, m)
    on_disk = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(m, d))
    for start in range(0, m, m // 8):
        on_disk[start:start + m // 8] = rng.normal(size=(m // 8, d))
    model = MODELS[name]().set_params(epochs=2, batch=2000, hidden=())
    tracemalloc.start()
    try:
        model.fit(on_disk, Y, sensitive_features=A, rng=rng)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * m * d / 2, f"{peak / 2**20:.0f} MB"
