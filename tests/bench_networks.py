"""What clipping costs a network: against a loop over people, against training without privacy, and against Opacus where it is installed.

Rows for ``tests/bench.py``. An epoch is one of Adult's people (45,222 with 101 columns, standardized), in steps of 256, for two hidden
layers of 100. *As trained* is all that the estimators do in an epoch, in double precision, the only one that they train in. Opacus gets
its batches cut from a tensor in memory: its own loader would cost more. Seconds of epochs are the processor's.

In an environment that has torch and Opacus (1.x) beside what the library needs, ``python tests/bench_networks.py`` writes the rows and the
versions into ``tests/recorded/networks_speed.json``, which ``tests/test_networks_torch.py`` reads.
"""
from __future__ import annotations

import importlib.util
import json
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np

from dpfair_teach import load
from dpfair_teach.lagrangian import (
    FairProblem,
    FairTerms,
    NoiseMultipliers,
    Plan,
    algorithm,
    f_ld_signed,
    noisy_violations,
    pf_ld,
    start_training,
)
from dpfair_teach.lagrangian.algorithm import dual_step
from dpfair_teach.networks import (
    Adam,
    Network,
    clipped_sum,
    gradient,
    gradient_norms,
    log_loss_slopes,
    per_example_gradients,
)
from dpfair_teach.networks.gradients import layer_deltas, summed_gradient
from dpfair_teach.networks.network import blocks

score_slopes = FairTerms("demographic_parity", 2).slopes
BATCH, HIDDEN, CLIP, SIGMA = 256, (100, 100), 1.0, 1.0
SIZES = ((20, (40, 29)), (100, HIDDEN))       # features, hidden layers; 2,059 and 20,301 parameters


def against_the_loop(interleaved: Callable, repeats: int) -> list[dict]:
    """Norms and clipped sums of a batch, and the loop that makes every gradient: ``per_example_gradients``, and one without its checks."""
    rows = []
    for n, hidden in SIZES:
        network, rng = Network(n, hidden), np.random.default_rng(0)
        theta, X, slopes = network.initial(rng), rng.normal(size=(BATCH, n)), rng.normal(size=BATCH)
        passed = network.forward(theta, X)
        clip = float(np.median(gradient_norms(network, theta, passed, slopes)))

        def bare(network=network, theta=theta, passed=passed, slopes=slopes):
            """Each gradient by the same arithmetic, with nothing around it."""
            layers, found = blocks(network.shapes, theta), np.empty((BATCH, len(theta)))
            for i in range(BATCH):
                alone = tuple(read[i:i + 1] for read in passed.activations)
                summed_gradient(alone, layer_deltas(layers, alone, slopes[i:i + 1]), blocks(network.shapes, found[i]))
            return found

        def norms_of(gradients):
            return np.linalg.norm(gradients, axis=1)

        def clipped_of(gradients, clip=clip):
            return np.minimum(1, clip / norms_of(gradients)) @ gradients

        def norms(network=network, theta=theta, passed=passed, slopes=slopes):
            return gradient_norms(network, theta, passed, slopes)

        def clipped(network=network, theta=theta, passed=passed, slopes=slopes, clip=clip):
            return clipped_sum(network, theta, passed, slopes, clip)

        def loop(network=network, theta=theta, passed=passed, slopes=slopes):
            return per_example_gradients(network, theta, passed, slopes)

        assert len(theta) >= 2000, len(theta)
        np.testing.assert_allclose(norms(), norms_of(loop()), rtol=1e-10)
        np.testing.assert_allclose(clipped(), clipped_of(bare()), rtol=1e-10, atol=1e-10 * np.abs(clipped()).max())
        seconds = interleaved(repeats, loop=lambda: norms_of(loop()), bare=lambda: norms_of(bare()), norms=norms,
                              clipped_loop=lambda: clipped_of(loop()), clipped_bare=lambda: clipped_of(bare()), clipped=clipped)
        for what, rival, ours, wanted in (("norms", "loop", "norms", 20), ("norms", "bare", "norms", None),
                                          ("clipped sum", "clipped_loop", "clipped", 20), ("clipped sum", "clipped_bare", "clipped", None)):
            rows.append(dict(what=f"{what}, batch {BATCH}, p = {len(theta):,}", rival_s=seconds[rival], ours_s=seconds[ours], wanted=wanted,
                             ours={"norms": "gradient_norms", "clipped": "clipped_sum"}[ours],
                             rival="loop without checks" if "bare" in rival else "loop over people"))
    return rows


def people() -> tuple[np.ndarray, np.ndarray]:
    """Adult's features, standardized, and labels."""
    adult = load("adult")
    return (adult.X - adult.X.mean(axis=0)) / np.maximum(adult.X.std(axis=0), 1e-9), np.asarray(adult.Y)


def epochs(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    """One epoch each: not private, private as DP-SGD (each loss clipped), private as a Lagrangian (a public batch for the loss, a secret
    one for the groups' term, clipped), in both precisions."""
    m, found = len(X), {}
    steps = m // BATCH

    def made(dtype):
        network, rng, data = Network(X.shape[1], HIDDEN), np.random.default_rng(0), X.astype(dtype)
        p, optimizer, weights = network.n_parameters, Adam(), np.where(y == 1, 1.0, -1.0)

        def secret():
            """A Poisson sample: as many as a binomial says, and of these all sets alike."""
            return rng.choice(m, rng.binomial(m, BATCH / m), replace=False, shuffle=False)

        def noisy(total):
            return total + SIGMA * CLIP * rng.standard_normal(p, dtype=total.dtype.type)

        def epoch(step):
            theta, moments = network.initial(np.random.default_rng(1), dtype), optimizer.start(p, dtype)
            for batch in rng.permutation(m)[:steps * BATCH].reshape(steps, BATCH):
                theta, moments = optimizer.step(theta, step(theta, batch) / BATCH, moments)
            return theta

        def not_private(theta, batch):
            passed = network.forward(theta, data[batch])
            slopes = log_loss_slopes(passed.logits, y[batch]) + weights[batch] * score_slopes(passed.logits, None)
            return gradient(network, theta, passed, slopes)

        def dp_sgd(theta, batch):
            own = secret()
            passed = network.forward(theta, data[own])
            return noisy(clipped_sum(network, theta, passed, log_loss_slopes(passed.logits, y[own]), CLIP))

        def lagrangian(theta, batch):
            passed = network.forward(theta, data[batch])
            public = gradient(network, theta, passed, log_loss_slopes(passed.logits, y[batch]))
            own = secret()
            passed = network.forward(theta, data[own])
            return public + noisy(clipped_sum(network, theta, passed, score_slopes(passed.logits, None), CLIP, weights[own]))

        return {name: (lambda step=step: epoch(step)) for name, step in (
            ("not private", not_private), ("DP-SGD", dp_sgd), ("Lagrangian", lagrangian))}

    for dtype in (np.float64, np.float32):
        found |= {f"{name}, {dtype.__name__}": run for name, run in made(dtype).items()}
    return found


def trained_epochs(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    """One epoch each as the estimators train: prices on, sampling, noise on its grid, the dual step at the end; F-LD and PF-LD."""
    m, A = len(X), load("adult").A
    problem = FairProblem(Network(X.shape[1], HIDDEN), X, A, y, FairTerms("demographic_parity", 2))
    sizes, plan = np.bincount(A)[:, None].astype(float), Plan(1, BATCH, sampling_probability=BATCH / m, max_grad_norm=CLIP)

    def with_prices(*given, **how):
        theta, moments, _ = start_training(*given, **how)
        return theta, moments, np.array([[1.0], [-1.0]])

    def made(noise):
        def epoch():
            rng = np.random.default_rng(0)
            with mock.patch.object(algorithm, "start_training", with_prices):
                theta, nu, *_ = pf_ld(problem, plan, sizes, noise, rng) if noise else f_ld_signed(problem, plan, sizes, rng)
            whole = problem.of(theta)
            apart = noisy_violations(whole, sizes, noise.measurements(1.0)[1], rng) if noise else whole.violations(sizes)
            return dual_step(nu, apart, plan)
        return epoch
    return {"F-LD, as trained": made(None), "PF-LD, as trained": made(NoiseMultipliers(SIGMA, 30.0))}


def opacus_epochs(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    """One epoch of DP-SGD by Opacus, for the same sizes: by hooks, as most use it, and by ghost clipping; and torch without privacy."""
    import torch
    from opacus import GradSampleModule
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    torch.set_num_threads(1)
    m, found = len(X), {}
    steps = m // BATCH

    def made(dtype):
        data, labels = torch.tensor(X, dtype=dtype), torch.tensor(y, dtype=dtype)[:, None]

        def model():
            torch.manual_seed(0)
            widths = (X.shape[1], *HIDDEN)
            layers = [part for n, w in pairwise(widths) for part in (torch.nn.Linear(n, w), torch.nn.ReLU())]
            return torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], 1)).to(dtype)

        def batches():
            return torch.randperm(m)[:steps * BATCH].reshape(steps, BATCH)

        def plain():
            network, loss = model(), torch.nn.BCEWithLogitsLoss()
            optimizer = torch.optim.Adam(network.parameters())
            for batch in batches():
                optimizer.zero_grad()
                loss(network(data[batch]), labels[batch]).backward()
                optimizer.step()

        def hooks():
            network, loss = GradSampleModule(model()), torch.nn.BCEWithLogitsLoss()
            optimizer = DPOptimizer(torch.optim.Adam(network.parameters()), noise_multiplier=SIGMA, max_grad_norm=CLIP,
                                    expected_batch_size=BATCH)
            for batch in batches():
                optimizer.zero_grad()
                loss(network(data[batch]), labels[batch]).backward()
                optimizer.step()

        def ghost():
            network = GradSampleModuleFastGradientClipping(model(), max_grad_norm=CLIP, use_ghost_clipping=True)
            optimizer = DPOptimizerFastGradientClipping(torch.optim.Adam(network.parameters()), noise_multiplier=SIGMA, max_grad_norm=CLIP,
                                                        expected_batch_size=BATCH)
            loss = DPLossFastGradientClipping(network, optimizer, torch.nn.BCEWithLogitsLoss())
            for batch in batches():
                optimizer.zero_grad()
                loss(network(data[batch]), labels[batch]).backward()
                optimizer.step()

        slow = {"Opacus": hooks} if dtype == torch.float32 else {}     # in double precision an epoch takes about four times as long
        return {"model": model, "torch without privacy": plain, "Opacus, ghost clipping": ghost, **slow}

    same_clipped_sum(X[:BATCH], y[:BATCH], made(torch.float64)["model"]())
    for dtype in (torch.float64, torch.float32):
        found |= {f"{name}, {str(dtype).removeprefix('torch.')}": run for name, run in made(dtype).items() if name != "model"}
    return found


def same_clipped_sum(X: np.ndarray, y: np.ndarray, model) -> None:
    """What Opacus adds its noise to is what we add ours to."""
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    layers = GradSampleModule(model)
    optimizer = DPOptimizer(torch.optim.Adam(layers.parameters()), noise_multiplier=0.0, max_grad_norm=CLIP, expected_batch_size=len(X))
    torch.nn.BCEWithLogitsLoss()(layers(torch.tensor(X)), torch.tensor(y, dtype=torch.float64)[:, None]).backward()
    optimizer.clip_and_accumulate()
    parts = [(part.weight, part.bias) for part in model if isinstance(part, torch.nn.Linear)]
    theta = np.concatenate([np.append(W.detach().numpy().T.ravel(), b.detach().numpy()) for W, b in parts])
    theirs = np.concatenate([np.append(W.summed_grad.numpy().T.ravel(), b.summed_grad.numpy()) for W, b in parts])
    network = Network(X.shape[1], HIDDEN)
    passed = network.forward(theta, X)
    ours = clipped_sum(network, theta, passed, log_loss_slopes(passed.logits, y), CLIP)
    np.testing.assert_allclose(ours, theirs, atol=1e-4 * np.abs(theirs).max())        # they divide by the norm plus a millionth


def epochs_of_adult(interleaved: Callable, repeats: int) -> list[dict]:
    """A private epoch beside one without privacy, and beside Opacus."""
    X, y = people()
    with_opacus = bool(importlib.util.find_spec("opacus"))
    ours = epochs(X, y) | trained_epochs(X, y)
    seconds = interleaved(repeats, time.process_time, **ours, **(opacus_epochs(X, y) if with_opacus else {}))
    what, rows = f"epoch of Adult, {len(X):,} x {X.shape[1]}, batch {BATCH}", []

    def row(rival, ours, wanted):
        rows.append(dict(what=what, rival=rival, ours=ours, rival_s=seconds[rival], ours_s=seconds[ours], wanted=wanted))

    for kind in ("float64", "float32"):
        row(f"not private, {kind}", f"Lagrangian, {kind}", 1 / 3)
        if with_opacus:
            row(f"torch without privacy, {kind}", f"not private, {kind}", None)
            for way in [way for way in seconds if way.startswith("Opacus") and way.endswith(kind)]:
                row(way, f"DP-SGD, {kind}", 1)
                row(way, f"Lagrangian, {kind}", 1)
                row(way, "PF-LD, as trained", None if way == "Opacus, ghost clipping, float32" else 1)
    row("F-LD, as trained", "PF-LD, as trained", 1 / 3)
    return rows


def record() -> dict:
    """All rows, with medians in milliseconds, and what made them."""
    import bench
    rows = against_the_loop(bench.interleaved, 15) + epochs_of_adult(bench.interleaved, 7)
    for one in rows:
        rival, ours = one.pop("rival_s"), one.pop("ours_s")
        one |= {"rival_ms": round(1e3 * np.median(rival), 3), "ours_ms": round(1e3 * np.median(ours), 3), "repeats": len(ours),
                "ratio": round(float(np.median(rival / ours)), 2)}
    versions = {name: version(name) for name in ("torch", "opacus", "numpy", "scipy")} | {
        "python": platform.python_version(), "machine": platform.machine(), "threads": "one"}
    return {"script": "tests/bench_networks.py", "versions": versions, "rows": rows}


if __name__ == "__main__":
    path = Path(__file__).parent / "recorded" / "networks_speed.json"
    path.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
