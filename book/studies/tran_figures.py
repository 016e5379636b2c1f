"""Figures 1 to 5 of Tran et al. 2020 made again: epsilon, the two clips, and groups that are not said; demographic parity, five folds."""
from __future__ import annotations

import numpy as np

from dpfair_teach import lagrangian, networks

from .tran_lagrangian import HIDDEN
from .tran_people import FOLDS, fold, judged
from .tran_table2 import ROUND, fitted, made, ones

NOTION = "demographic_parity"

#: Figure 1: which learners over epsilon.
OVER_EPSILON: tuple[str, ...] = ("m_network", "pf_ld_autograd", "pf_ld_repaired", "pf_ld_subspace", "pf_ld_response", "pf_ld_posterior",
                                 "asked_logistic", "asked_boosted")
FIGURE1: list[dict] = [{"data": data, "method": method, "epsilon": epsilon, "fold": number}
                       for data in ("bank", "compas") for method in OVER_EPSILON
                       for epsilon in (0.1, 0.25, 0.5, 1.0, 2.0, 5.0) for number in range(FOLDS)]
#: Figures 2 and 3: the primal clip. Figure 4: the dual one, which the repair does not have.
CLIPPED: list[dict] = [{"data": data, "method": method, "clip": clip, "fold": number} for data in ("bank", "income")
                       for method in ("pf_ld_autograd", "pf_ld_repaired") for clip in (0.05, 0.2, 0.5, 2.0, 10.0, 50.0)
                       for number in range(FOLDS)]
DUAL_CLIPPED: list[dict] = [{"dual_clip": clip, "epsilon": epsilon, "fold": number} for clip in (0.2, 1.0, 5.0, 100.0, 1000.0)
                            for epsilon in (0.5, 2.0) for number in range(FOLDS)]
#: Figure 5: the share of people who do not say their group.
SILENT: list[dict] = [{"method": method, "silent": silent, "epsilon": epsilon, "fold": number}
                      for method in ("pf_ld_autograd", "pf_ld_repaired", "pf_ld_posterior") for silent in (0.0, 0.2, 0.4, 0.6)
                      for epsilon in (0.5, 2.0) for number in range(FOLDS)]
EPSILON = 1.0


def over_epsilon(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """A row for each draw of noise."""
    of = fold(setting["data"], setting["fold"])
    models = (fitted(made(setting["method"], of, NOTION, setting["epsilon"]), of, own) for own in rng.spawn(repeats // ROUND))
    return [{"draw": draw, **judged(ones(model, of.judge.X), of, NOTION)} for draw, model in enumerate(models)]


def clipped(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Accuracy and violation by the primal clip; and the share of the smallest group's gradients that are longer, at the end."""
    of = fold(setting["data"], setting["fold"])
    model = fitted(made(setting["method"], of, NOTION, EPSILON).set_params(max_grad_norm=setting["clip"]), of, rng)
    terms = lagrangian.FairTerms(NOTION, of.k)
    problem = lagrangian.FairProblem(networks.Network(of.learn.X.shape[1], HIDDEN), of.learn.X, of.learn.A, of.learn.Y, terms)
    norms = problem.of(model.theta_, np.flatnonzero(of.learn.A == of.k - 1)).norms
    return [{**judged(ones(model, of.judge.X), of, NOTION), "longer": float((norms > setting["clip"]).mean())}]


def dual_clipped(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Accuracy and violation by the dual clip, on Bank."""
    of = fold("bank", setting["fold"])
    model = fitted(made("pf_ld_autograd", of, NOTION, setting["epsilon"]).set_params(dual_clip=setting["dual_clip"]), of, rng)
    return [judged(ones(model, of.judge.X), of, NOTION)]


def silent(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Accuracy and violation on Bank where a share of those learned from, drawn by lot, does not say the group. All are judged."""
    of = fold("bank", setting["fold"])
    says = rng.random(len(of.learn.A)) >= setting["silent"]
    told = of._replace(learn=of.learn._replace(A=np.where(says, of.learn.A, of.k)))
    model = fitted(made(setting["method"], of, NOTION, setting["epsilon"]).set_params(missing=True), told, rng)
    return [judged(ones(model, of.judge.X), of, NOTION)]
