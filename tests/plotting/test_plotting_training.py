"""The picture of a network that trains: every frame against the network's own probabilities, and what a reader sees turn round."""
from __future__ import annotations

import gzip
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from dpfair_teach.data import make_logistic
from dpfair_teach.explore import Explorer
from dpfair_teach.networks import Network
from dpfair_teach.plotting import network_picture, training
from dpfair_teach.plotting.training import TrainingRun
from page_frames import assert_every_frame_is_a_direct_call, data_of, sentences_of

PLANE, GAPS, BARS = training.PLANE, training.GAPS, training.BARS
NETWORK = Network(2, hidden=(5,))
EPOCHS = 12


@cache
def runs(k: int) -> dict[str, TrainingRun]:
    """Not trained: networks that drift, so that violations change their sign often."""
    rng = np.random.default_rng(k)
    start, drift = NETWORK.initial(rng), rng.normal(size=(EPOCHS + 1, NETWORK.n_parameters))
    drift[0] = 0
    thetas = start + 0.4 * drift.cumsum(axis=0)
    up = np.abs(rng.normal(size=(EPOCHS + 1, k))).cumsum(axis=0)
    return {"absolute": TrainingRun(thetas, up, False), "signed": TrainingRun(thetas[::-1], rng.normal(size=(EPOCHS + 1, k)), True)}


@cache
def people(k: int):
    return make_logistic(40, n_groups=k, d=2, rng=np.random.default_rng(1))


@cache
def figure(k: int = 2) -> Explorer:
    return network_picture(NETWORK, people(k).X, people(k).A, people(k).Y, runs(k), title="Training", question="Where to?")


@pytest.mark.parametrize("k", [2, 3])
def test_the_page_holds_what_the_functions_return_and_is_small(k):
    html = figure(k).html()
    assert_every_frame_is_a_direct_call(figure(k), data_of(html))
    assert sentences_of(figure(k), data_of(html)) == figure(k)._sentences[1]
    assert len(gzip.compress(html.encode())) < 32 * 1024


@pytest.mark.parametrize("k", [2, 3])
def test_every_frame_is_counted_by_hand(k):
    X, A, Y = people(k).X, people(k).A, people(k).Y
    for name, run in runs(k).items():
        for epoch in range(EPOCHS + 1):
            frame = figure(k).frame(run=name, epoch=epoch)
            scores = NETWORK.probabilities(run.thetas[epoch], X)
            for a in range(k):
                violation = scores.mean() - scores[A == a].mean()
                assert frame[GAPS][f"group {a}"][-1] == pytest.approx([epoch, violation])
                assert frame[BARS][f"group {a}"] == run.multipliers[epoch][a]
                for y in (0, 1):
                    np.testing.assert_array_equal(frame[PLANE][f"group {a}, label {y}"], X[(A == a) & (Y == y)])
            wrong = sum((score >= 0.5) != label for score, label in zip(scores, Y, strict=True)) / len(Y)
            assert f"{training.shown(wrong)} of the people" in figure(k).sentence(run=name, epoch=epoch)


@pytest.mark.parametrize("k", [2, 3])
def test_the_arrow_points_where_the_term_in_the_loss_drives_the_violation(k):
    """Of an absolute violation always towards 0; of a signed one against the sign of the multiplier. As long as the multiplier."""
    scale = set()
    for name, run in runs(k).items():
        for epoch in range(EPOCHS + 1):
            frame = figure(k).frame(run=name, epoch=epoch)[GAPS]
            for a in range(k):
                (_, foot), (_, tip) = frame[f"arrow: push on group {a}"][:2]
                violation, multiplier = frame[f"group {a}"][-1][1], run.multipliers[epoch][a]
                assert foot == violation
                assert np.sign(tip - foot) == -np.sign(multiplier if run.signed else violation)
                scale.add(round(abs(tip - foot) / abs(multiplier), 9))
    assert len(scale) == 1


def test_the_arrows_stand_apart():
    """By several of their heads, and off the lines and the edge."""
    for k in (2, 3):
        frame, most = figure(k).frame(run="absolute", epoch=EPOCHS)[GAPS], figure(k).panels[1].x_range[1]
        places = [float(EPOCHS), *(frame[f"arrow: push on group {a}"][0, 0] for a in range(k)), most]
        assert np.diff(places).min() > 3 * training.HEAD * EPOCHS


def test_the_sentence_tells_when_the_push_turns_and_only_of_absolute_violations():
    said = {name: [figure().sentence(run=name, epoch=epoch) for epoch in range(EPOCHS + 1)] for name in runs(2)}
    assert not any("turn" in one for one in said["signed"])
    turned = [epoch for epoch, one in enumerate(said["absolute"]) if "the pushes turn from" in one]
    signs = np.sign([figure().frame(run="absolute", epoch=epoch)[GAPS]["group 0"][-1][1] for epoch in range(EPOCHS + 1)])
    assert turned == [epoch for epoch in range(1, EPOCHS + 1) if signs[epoch] != signs[epoch - 1]] and len(turned) >= 2


def test_the_sentence_says_which_way_the_arrows_point():
    """The same as the arrow of that epoch, and of the one before."""
    for epoch in range(1, EPOCHS + 1):
        if "turn from" not in (said := figure().sentence(run="absolute", epoch=epoch)):
            continue
        words = re.findall(r"([\d.]+) (up|down)", said)
        arrows = [figure().frame(run="absolute", epoch=at)[GAPS][f"arrow: push on group {a}"] for at in (epoch - 1, epoch) for a in (0, 1)]
        assert [way for _, way in words] == ["up" if arrow[1, 1] > arrow[0, 1] else "down" for arrow in arrows]
        most = runs(2)["absolute"].multipliers
        assert [float(size) for size, _ in words] == pytest.approx([*most[epoch - 1], *most[epoch]], abs=2e-3)


def line_and_ticks(epoch: int) -> tuple[np.ndarray, np.ndarray]:
    """The boundary of an epoch, and the strokes from it to the accepted."""
    theta, x, y = runs(2)["absolute"].thetas[epoch], *(np.linspace(*ends, training.FINE) for ends in
                                                       (figure().panels[0].x_range, figure().panels[0].y_range))
    line = training.crossing(lambda points: NETWORK.probabilities(theta, points), x, y, 0.5)
    both = figure().frame(run="absolute", epoch=epoch)[PLANE][training.BOUNDARY]
    np.testing.assert_array_equal(both[:len(line)], line)
    return line, both[len(line):]


def test_the_ticks_of_the_boundary_point_to_the_accepted():
    """Each begins on the line, and the chance at its tip is larger than as far on the other side, and than one half but for a corner."""
    tips = 0
    for epoch in range(EPOCHS + 1):
        line, ticks = line_and_ticks(epoch)
        assert bool(len(line)) == bool(len(ticks)) and len(ticks) % 2 == 0
        theta, sides = runs(2)["absolute"].thetas[epoch], np.ptp([figure().panels[0].x_range, figure().panels[0].y_range], axis=1)
        for foot, tip in ticks.reshape(-1, 2, 2):
            assert min(distance(foot, *ends) for ends in line.reshape(-1, 2, 2)) < 1e-9
            assert np.linalg.norm((tip - foot) / sides) <= training.LONG + 1e-9
            here, there = NETWORK.probabilities(theta, np.array([tip, 2 * foot - tip]))
            assert here >= there
            tips += here >= 0.5
    assert tips > 60


def test_ticks_stand_at_a_right_angle_on_the_larger_side():
    line = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]])          # its last segment has no length
    found = training.ticks(lambda points: points[:, 0] - points[:, 1], line, (0.0, 2.0), (0.0, 2.0)).reshape(-1, 2, 2)
    assert len(found) == round(2**0.5 / training.EVERY)
    for foot, tip in found:
        assert foot[0] == pytest.approx(foot[1]) and tip[0] > foot[0] and (tip - foot).sum() == pytest.approx(0, abs=0.03)
    assert training.ticks(lambda points: points[:, 0], np.empty((0, 2)), (0.0, 1.0), (0.0, 1.0)).shape == (0, 2)


def test_a_leaning_stroke_is_the_key_of_segments_and_a_lying_one_of_a_line():
    html = figure().html()
    keys = dict(re.findall(r'<path class="dpx-s dpx-(line|segments) dpx-s\d" d="([^"]*)"/></svg><span>', html))
    assert keys["line"] != keys["segments"]


def test_the_boundary_is_where_the_chance_is_one_half():
    """Its corners lie on it, and each change of the decision along a line of the plane lies at it."""
    for epoch in range(EPOCHS + 1):
        theta, (boundary, _) = runs(2)["absolute"].thetas[epoch], line_and_ticks(epoch)
        if not len(boundary):
            continue
        step = np.ptp(people(2).X, axis=0).max() / (training.FINE - 1)
        around = boundary[:, None] + step * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        chances = NETWORK.probabilities(theta, around.reshape(-1, 2)).reshape(len(boundary), 5)
        assert ((chances.min(axis=1) < 0.5 + 1e-9) & (chances.max(axis=1) > 0.5 - 1e-9)).all(), "no change of decision beside it"
        x = np.linspace(*figure().panels[0].x_range, 7)[1:-1]
        y = np.linspace(*figure().panels[0].y_range, 400)
        for at in x:
            accepted = NETWORK.probabilities(theta, np.column_stack([np.full(400, at), y])) >= 0.5
            for change in y[1:][accepted[1:] != accepted[:-1]]:
                away = [distance(np.array([at, change]), *ends) for ends in boundary.reshape(-1, 2, 2)]
                assert min(away) < step


def distance(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    along = end - start
    part = np.clip((point - start) @ along / max(along @ along, 1e-300), 0, 1)
    return float(np.linalg.norm(start + part * along - point))


def test_a_boundary_may_be_nowhere_or_in_pieces():
    grid = np.linspace(-1, 1, 21)
    assert training.crossing(lambda points: np.zeros(len(points)), grid, grid, 0.5).shape == (0, 2)
    ring = training.crossing(lambda points: (points ** 2).sum(axis=1), grid, grid, 0.25)
    assert len(ring) % 2 == 0 and np.linalg.norm(ring, axis=1) == pytest.approx(0.5, abs=0.01)
    two = training.crossing(lambda points: np.abs(points[:, 0]), grid, grid, 0.5)
    assert sorted(two[:, 0].round(9).tolist()) == [-0.5, -0.5, 0.5, 0.5]


def test_what_left_out_corners_change_stays_close():
    rng = np.random.default_rng(0)
    line = np.column_stack([np.linspace(0, 1, 200), np.cumsum(rng.normal(size=200)) / 100])
    few = training.fewer(line, 0.02)
    assert len(few) < 60 and all(min(distance(point, *ends) for ends in pairwise(few)) <= 0.02 + 1e-12 for point in line)


BAD = [
    (dict(network=Network(3)), "network=Network"), (dict(X=[[0.0, 1.0]]), "X, A, Y="), (dict(Y=[0, 1]), "different lengths"),
    (dict(A=[0, 1, 2, 3] * 10), "A=4: groups, and a picture"), (dict(runs={}), "runs="), (dict(runs={"a": 1}), "runs="),
    (dict(runs={"a": TrainingRun(np.zeros((2, 21)), np.zeros((2, 2)), True)}), "at least 2"),
    (dict(runs={"a": TrainingRun(np.zeros((4, 21)), np.zeros((3, 2)), True)}), "not one number of epochs"),
    (dict(runs={"a": TrainingRun(np.zeros((3, 21)), np.zeros((3, 3)), True)}), "multipliers"),
    (dict(runs={"a": TrainingRun(np.zeros((3, 20)), np.zeros((3, 2)), True)}), "thetas"),
    (dict(runs={"a": TrainingRun(np.zeros((3, 21)), np.full((3, 2), np.nan), True)}), "multipliers"),
    (dict(runs={"a": TrainingRun(np.zeros((3, 21)), -np.ones((3, 2)), False)}), "below 0"),
]


def good() -> dict:
    return dict(network=NETWORK, X=people(2).X, A=people(2).A, Y=people(2).Y, runs=runs(2), title="Training", question="")


@pytest.mark.parametrize("changes, why", BAD, ids=[why for _, why in BAD])
def test_bad_input_is_named(changes, why):
    with pytest.raises(ValueError, match=why):
        network_picture(**(good() | changes))


def test_runs_without_a_constraint_have_no_arrows():
    still = TrainingRun(runs(2)["signed"].thetas, np.zeros((EPOCHS + 1, 2)), True)
    frame = network_picture(**(good() | {"runs": {"none": still}})).frame(epoch=3)
    assert not len(frame[GAPS]["arrow: push on group 0"])


VALID_CALLS = {"plotting.network_picture": good}
