"""The network against torch's numbers, which stand in ``tests/recorded/networks_torch.json`` with the versions that made them."""
from __future__ import annotations

import json

import numpy as np
import pytest

from dpfair_teach import networks
from dpfair_teach.lagrangian import FairTerms
from dpfair_teach.networks import SGD, Adam, Network
from recorded.networks_torch import CASES, RECORD, inputs

STORED = json.loads(RECORD.read_text(encoding="utf-8"))
SLOPES = {"log_loss": networks.log_loss_slopes, "score": FairTerms("demographic_parity", 2).slopes,
          "soft_error": networks.soft_error_slopes}
STEPS = {"SGD": SGD(.05), "Adam": Adam(.05)}


def close(found, stored):
    """Equal to 1e-10, of the largest entry where some are small."""
    np.testing.assert_allclose(found, stored, rtol=1e-10, atol=1e-10 * np.abs(stored).max())


@pytest.mark.parametrize("name", CASES)
def test_numbers_gradients_norms_and_clipped_sums_are_torchs(name):
    n, hidden, _, every = CASES[name]
    network, (theta, X, y), stored = Network(n, hidden), inputs(name), STORED["cases"][name]
    passed = network.forward(theta, X)
    close(passed.logits, stored["logits"])
    values = {"log_loss": networks.log_loss(passed.logits, y), "score": network.probabilities(theta, X),
              "soft_error": networks.soft_error(passed.logits, y)}
    for what, of in SLOPES.items():
        slopes, row = of(passed.logits, y), stored[what]
        close(values[what], row["values"])
        close(networks.gradient_norms(network, theta, passed, slopes), row["norms"])
        whole, clipped = networks.gradient(network, theta, passed, slopes), networks.clipped_sum(
            network, theta, passed, slopes, STORED["clip"])
        for found, label in ((whole, "gradient"), (clipped, "clipped_sum")):
            close(found[::every], row[label])
            close(np.linalg.norm(found), row[f"{label}_norm"])
    assert any(norm > STORED["clip"] for norm in stored["log_loss"]["norms"])     # somebody is clipped


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("optimizer", STEPS)
def test_steps_are_torchs(name, optimizer):
    n, hidden, _, every = CASES[name]
    network, (theta, X, y), row = Network(n, hidden), inputs(name), STORED["cases"][name][optimizer]
    step = STEPS[optimizer]
    moments, losses = step.start(len(theta)), []
    for _ in range(STORED["steps"]):
        passed = network.forward(theta, X)
        losses.append(networks.log_loss(passed.logits, y).mean())
        slopes = networks.log_loss_slopes(passed.logits, y) / len(X)
        theta, moments = step.step(theta, networks.gradient(network, theta, passed, slopes), moments)
    close(losses, row["losses"])
    close(theta[::every], row["theta"])


def test_the_record_says_what_made_it():
    assert STORED["versions"]["torch"].startswith("2.13.0") and set(STORED["versions"]) == {"torch", "numpy", "python", "machine"}
    assert STORED["script"] == "tests/recorded/networks_torch.py" and set(STORED["cases"]) == set(CASES)


def test_the_recorded_speeds_are_those_that_are_promised():
    """A loop 20 times as slow; a private epoch within three of one that is not, and faster than Opacus whichever way it clips."""
    record = json.loads((RECORD.parent / "networks_speed.json").read_text(encoding="utf-8"))
    assert record["versions"]["opacus"].startswith("1.") and all(row["repeats"] >= 7 for row in record["rows"])
    wanted = [row for row in record["rows"] if row["wanted"] is not None]
    assert len(wanted) >= 10 and not [row for row in wanted if row["ratio"] < row["wanted"]]
    as_trained = {row["rival"] for row in wanted if row["ours"] == "PF-LD, as trained"}         # and not its sums alone
    assert as_trained == {"F-LD, as trained", "Opacus, ghost clipping, float64", "Opacus, float32"}
    rivals = {row["rival"] for row in wanted}
    assert rivals >= {"loop over people", "Opacus, float32", "Opacus, ghost clipping, float32", "not private, float32"}
