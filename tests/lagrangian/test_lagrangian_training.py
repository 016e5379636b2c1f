"""Training by steps: killed and resumed, watched, and with X on disk; always the same bytes."""
from __future__ import annotations

import pathlib
import tempfile
import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dpfair_teach import SmallGroupWarning, lagrangian
from dpfair_teach.data import make_logistic
from dpfair_teach.lagrangian import FairLagrangian, FairProblem, FairTerms, Noise, Plan, PrivateFairLagrangian, loop, spool
from dpfair_teach.lagrangian.loop import Run
from dpfair_teach.networks import Network

PEOPLE = make_logistic(300, n_groups=3, d=4, rng=np.random.default_rng(1))
X, Y, A = PEOPLE.X, PEOPLE.Y, PEOPLE.A
HOW = dict(n_groups=3, hidden=(4,), epochs=4, batch=100, rate=.05)
MODELS = {
    **{kind: lambda kind=kind, **how: FairLagrangian(0.0, multipliers=kind, **HOW, **how) for kind in ("signed", "absolute")},
    **{method: lambda method=method, delta=delta, **how: PrivateFairLagrangian(2.0, 0.0, delta, method=method, **HOW, **how)
       for method, delta in (("gradients", 1e-6), ("response", 0.0), ("posterior", 0.0))},
}
VALID_CALLS = {"lagrangian.spool": lambda: dict(chunks=[np.ones((2, 3)), np.zeros((1, 3))],
                                                path=pathlib.Path(tempfile.mkdtemp()) / "rows")}


def learned(model, X=X, seed=3):
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(seed))
    told = model.history_.to_csv() + repr(getattr(model, "releases_", None))
    return model.theta_.tobytes() + model.multipliers_.tobytes() + told.encode()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("again", [0, 1])
def test_a_fit_that_was_killed_ends_as_if_nothing_had_happened(name, again, tmp_path, monkeypatch):
    """Also when it is given another generator: what it had asked stands in the file, and is asked no second time."""
    whole, file = learned(MODELS[name](checkpoint=tmp_path / "whole")), tmp_path / "checkpoint"
    step, done = Run.step, []

    def dies(run, state):
        if state.round == 7 and not done:
            done.append(state.round)
            raise KeyboardInterrupt
        return step(run, state)
    monkeypatch.setattr(Run, "step", dies)
    with pytest.raises(KeyboardInterrupt):
        learned(MODELS[name](checkpoint=file))
    assert file.exists() and learned(MODELS[name](checkpoint=file), seed=3 + again) == whole and not file.exists() and done
    done.clear()
    with pytest.raises(KeyboardInterrupt):
        learned(MODELS[name](checkpoint=file))
    with pytest.raises(ValueError, match=r"^checkpoint=.*another run"):
        learned(MODELS[name](checkpoint=file).set_params(dual_rate=9.0))


def left_by_a_killed_fit(name, file, monkeypatch):
    step = Run.step

    def dies(run, state):
        if state.round == 7:
            raise KeyboardInterrupt
        return step(run, state)
    with monkeypatch.context() as patched:
        patched.setattr(Run, "step", dies)
        with pytest.raises(KeyboardInterrupt):
            learned(MODELS[name](checkpoint=file))


@pytest.mark.parametrize("name", ["gradients", "response", "posterior"])
def test_nothing_is_asked_by_a_fit_that_is_refused_its_checkpoint(name, tmp_path, monkeypatch):
    """Each retry would be a release for nothing, and left on the model as if it were of the fit."""
    left_by_a_killed_fit(name, tmp_path / "killed", monkeypatch)
    other = A.copy()
    other[0] = (A[0] + 1) % 3
    (tmp_path / "mine").write_bytes(b"mine")
    for file, groups, said in ((tmp_path / "killed", other, "belongs to another run"), (tmp_path / "mine", A, "no checkpoint that can be"),
                               (tmp_path, A, "is a folder"), (tmp_path / "no" / "such", A, "cannot be written"), (7, A, "not a path")):
        model, rng = MODELS[name](checkpoint=file), np.random.default_rng(9)
        before = rng.bit_generator.state
        with pytest.raises(ValueError, match=rf"^checkpoint=.*{said}"):
            model.fit(X, Y, sensitive_features=groups, rng=rng)
        assert rng.bit_generator.state == before and not hasattr(model, "releases_")


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_that_dies_in_a_step_leaves_its_records_and_no_model(name, monkeypatch):
    """Its callback dies: neither this fit nor the one before answers, and what was released is known."""
    model = MODELS[name]()
    model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(3))

    def dies(state):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callback=dies).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(4))
    assert hasattr(model, "releases_") == (name in ("gradients", "response", "posterior")) and not hasattr(model, "theta_")
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("name", MODELS)
def test_rows_on_disk_make_the_same_releases(name, tmp_path):
    on_disk = spool((X[start:start + 70] for start in range(0, len(X), 70)), tmp_path / "rows")
    assert isinstance(on_disk, np.memmap) and np.array_equal(on_disk, X)
    assert learned(MODELS[name](), on_disk) == learned(MODELS[name]())


def test_chunks_that_do_not_fit_leave_no_file(tmp_path):
    file = tmp_path / "rows"
    for chunks, said in (([X, X[:, :2]], r"chunks=.*behind 300 rows, .* with 4 columns, as"),
                         ([], r"chunks=\[\]: is empty"), ([X * np.nan], "chunks=.*finite"),
                         (7, "chunks=7: not something")):
        with pytest.raises(ValueError, match=f"^{said}"):
            spool(chunks, file)
        assert not file.exists()
    file.write_bytes(b"mine")
    with pytest.raises(ValueError, match="cannot be made: File exists"):
        spool([X], file)
    assert file.read_bytes() == b"mine"


def test_a_callback_sees_each_step_and_stops():
    it = FairProblem(Network(4, (4,)), X, A, Y, FairTerms("equalized_odds", 3))
    seen = []
    found = Run(it, Plan(4, 100), "private", lagrangian.public_sizes(it, [.3, .3, .4]), Noise(1.0, 1.0)).train(
        np.random.default_rng(0), callback=lambda state: seen.append(state["nu"].copy()) or len(seen) == 7)
    assert len(seen) == 7 and len(found.history) == 2 and not seen[1].any() and seen[2].any()
    assert found.history["loss"].notna().all() and found.history["violation FP 0"].notna().all()


def test_a_fit_that_is_stopped_has_the_records_of_all_steps():
    whole, stopped = MODELS["gradients"](), MODELS["gradients"](callback=lambda state: state.round == 7)
    assert learned(whole) != learned(stopped) and whole.releases_ == stopped.releases_ and len(stopped.history_) == 2


def test_the_history_is_of_what_was_published():
    model = MODELS["gradients"]()
    learned(model)
    table = model.history_
    assert list(table.index) == [1, 2, 3, 4] and table["loss"].iloc[-1] < table["loss"].iloc[0] + .5
    assert (table.filter(like="multiplier").iloc[0] == 0).all() and table.filter(like="violation").iloc[:3].notna().all().all()
    assert table.filter(like="violation").iloc[-1].isna().all() and table.shape == (4, 13)
    for r, name in enumerate(("FP", "TP")):
        after = np.array([table[f"multiplier {name} {a}"].iloc[-1] for a in range(3)])
        assert np.array_equal(after, model.multipliers_[:, r])


@pytest.mark.parametrize("how, said", [
    (dict(clip=0.0), r"clip=0\.0: outside"), (dict(clip=-1.0), "clip=-1"), (dict(sample=1.5), r"sample=1\.5: outside \[1e-05, 1\]"),
    (dict(sample=2.2e-308), r"sample=2\.2e-308: outside \[1e-05, 1\]"),
    (dict(n_groups=1000, missing=True), "n_groups=1000: with missing=True, which is one group more.*at most 999"),
    (dict(epochs=1), r"epochs, free=\(1, 1\): no epoch is left"), (dict(epsilon=1e-6), "epsilon, delta=.*no noise multiplier up to"),
    (dict(delta=0.0), r"delta=0\.0: and noisy gradients need"), (dict(method="response"), r"delta=1e-06: is read by method='gradients'"),
    (dict(method="posterior", delta=0.0, clip=1.0), r"clip=1\.0: is read by method='gradients'"),
    (dict(subspace=150), "subspace=150: more"),
    (dict(shares=[.2, .8]), r"n_groups, shares=\(3, \(2,\)\): not one share for each group, \(3,\)"),
    (dict(shares=[0, .2, .8]), r"shares=0\.0: is the smallest"),
    (dict(gamma=-.1), r"gamma=-0\.1"), (dict(decision="coin"), "decision='coin'"), (dict(hidden=7), "hidden=7"),
    (dict(h="loss"), "h='loss'")])
def test_what_is_wrong_is_refused_by_name(how, said):
    model = PrivateFairLagrangian(**dict(HOW, epsilon=2.0, gamma=0.0, delta=1e-6) | how)
    with pytest.raises(ValueError, match=f"^{said}"):
        model.fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_weights_that_run_away_are_refused_before_they_overflow(monkeypatch):
    """Else whether a number overflows could depend on who is in the secret sample."""
    monkeypatch.setattr(loop, "LARGEST", 100.0)
    for model in MODELS.values():
        with pytest.raises(ValueError, match=r"^rate=90\.0: at which an entry of theta has grown beyond 100\. Choose a smaller"):
            model().set_params(rate=90.0).fit(X, Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_labels_all_alike_and_features_that_are_no_numbers_are_refused():
    for model in MODELS.values():
        with pytest.raises(ValueError, match=r"^y=1: everybody has the same label"):
            model().fit(X, np.ones(len(Y)), sensitive_features=A, rng=np.random.default_rng(0))
        for wrong in (np.nan, np.inf, 1e7):
            with pytest.raises(ValueError, match=r"^X=(nan|inf|10000000\.0): (holds NaN|outside)"):
                model().fit(np.where(X == X.max(), wrong, X), Y, sensitive_features=A, rng=np.random.default_rng(0))


def test_an_empty_group_is_no_error_where_groups_are_private_and_one_where_they_are_not():
    nobody = np.where(A == 1, 0, A)
    for name, model in MODELS.items():
        if name in ("signed", "absolute"):
            with pytest.raises(ValueError, match=r"^sensitive_features=1: a group of whom nobody is under the line of FP"):
                model().fit(X, Y, sensitive_features=nobody, rng=np.random.default_rng(0))
        else:
            assert np.isfinite(model().fit(X, Y, sensitive_features=nobody, rng=np.random.default_rng(0)).theta_).all()


def test_who_did_not_say_is_in_no_group():
    """With everybody silent nothing is unequal: the multipliers are noise, and without a fault nothing is refused."""
    silent = np.full(len(Y), 3)
    model = PrivateFairLagrangian(2.0, 0.0, 1e-6, missing=True, **HOW).fit(X, Y, sensitive_features=silent, rng=np.random.default_rng(0))
    assert np.isfinite(model.theta_).all() and model.releases_[0].sensitivity == 2 and model.releases_[2].sensitivity > 1.4
    some = np.where(np.arange(len(Y)) % 4 == 0, 3, A)
    it = FairProblem(Network(4, (4,)), X, some, Y, FairTerms("demographic_parity", 3), missing=True)
    told = some < 3
    theta = it.network.initial(np.random.default_rng(0))
    score = it.network.probabilities(theta, X)
    apart = [[score.mean() - score[told & (some == a)].mean()] for a in range(3)]
    assert it.of(theta).violations() == pytest.approx(np.array(apart)) and not it.complete


@pytest.mark.parametrize("method", ["gradients", "response", "posterior"])
def test_a_fit_that_dies_in_its_first_round_does_not_ask_again(tmp_path, method):
    """With another generator, before the first checkpoint by the clock: what was asked is in the file."""
    asked = []

    def dies(state):
        asked.append(state["asked"].copy())
        raise KeyboardInterrupt

    for seed in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            learned(MODELS[method](callback=dies, checkpoint=tmp_path / "x"), seed=seed)
    assert asked[0].size and np.array_equal(*asked)


def test_a_network_too_large_for_directions_is_refused_before_anything_is_asked():
    model = PrivateFairLagrangian(1.0, 0.0, 1e-5, n_groups=3, hidden=(1500, 1500), epochs=2, batch=300, subspace=5)
    with pytest.raises(ValueError, match=r"^hidden, subspace="):
        learned(model)
    assert not hasattr(model, "releases_")


def test_a_training_whose_every_epoch_is_free_learns_no_fairness_and_is_refused():
    with pytest.raises(ValueError, match=r"^epochs, free=\(5, 5\): no epoch is left"):
        learned(FairLagrangian(0.0, n_groups=3, epochs=5, free=5))


@pytest.mark.parametrize("name", ["gradients", "response", "posterior"])
def test_a_callback_that_cannot_be_called_is_refused_before_anything_is_asked(name):
    model, rng = MODELS[name](callback=3), np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=r"^callback=3: cannot be called with the state"):
        model.fit(X, Y, sensitive_features=A, rng=rng)
    assert not hasattr(model, "releases_") and rng.bit_generator.state == before


def test_sizes_of_responses_are_those_of_some_people():
    """At an epsilon of a thousandth 400 responses said of a group that it has 17,089."""
    people = make_logistic(400, rng=np.random.default_rng(0))
    model = lagrangian.PrivateFairLagrangian(1e-3, 0.0, 0.0, method="response", hidden=(), epochs=2)
    with pytest.warns(SmallGroupWarning):
        model.fit(people.X, people.Y, sensitive_features=people.A, rng=np.random.default_rng(1))
    assert (model.sizes_ >= 1).all() and (model.sizes_.sum(axis=1) <= 2 * 400).all() and model.sizes_.max() <= 400


@pytest.mark.turning(7)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "absolute"])
def test_a_fit_of_people_on_disk_never_has_them_all_in_memory(name, tmp_path):
    """80,000 people of 200 numbers, 122 MB: the fit takes less than half of that at any time."""
    rng = np.random.default_rng(0)
    m, d = 80_000, 200
    Y, A = rng.integers(0, 2, m), rng.integers(0, 3, m)
    on_disk = spool((rng.normal(size=(m // 8, d)) for _ in range(8)), tmp_path / "rows")
    model = MODELS[name]().set_params(epochs=2, batch=2000, hidden=())
    tracemalloc.start()
    try:
        model.fit(on_disk, Y, sensitive_features=A, rng=rng)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * m * d / 2, f"{peak / 2**20:.0f} MB"
