"""Figures 1 to 3 and Table 1 of Ding et al. 2020 made again, as printed and with sharp constants: one table of settings for all of them.

The paper does not say how a budget is split. Here epsilon_s = epsilon / 2, and epsilon_n so that the printed average is epsilon. Noisy
objectives without a minimum get the ridge and the trimming of Zhang et al. (4 deviations of the noise), printed and sharp alike.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpfair_teach import LargeDeltaWarning, functional

from .ding_people import SPLITS, Split, attributes, judged, split, spread

#: The paper's 10^-1.5 and 10^0.5 to three digits.
EPSILONS: tuple[float, ...] = (0.01, 0.0316, 0.1, 1.0, 3.16, 10.0)
DELTAS: tuple[float, ...] = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
DELTA = 1e-3
NEVER = 1e9     # a bound on covariances that binds nobody
#: So many repeats are one draw for each of the ten splits, as in the paper.
ROUND = 24

Learned = tuple[np.ndarray, float]
How = Callable[[Split, float, float, int, np.random.Generator], Learned]


def ours(gamma: float) -> How:
    def fit(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
        model = functional.FunctionalClassifier(epsilon, gamma, delta, bound=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", functional.LittleLearnedWarning)
            warnings.simplefilter("ignore", LargeDeltaWarning)      # the paper's 1e-3
            model.fit(of.X, of.y, sensitive_features=of.A, rng=rng)
        return model.coef_, model.intercept_
    return fit


def _apart(alpha: float) -> How:
    return lambda of, epsilon, delta, s, rng: (
        functional.fair_functional_mechanism(of.X, of.y, of.A, epsilon, delta, rng, alpha=alpha).w, 0.0)


def lr(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
    scale = np.sqrt(attributes(of.names))           # so that each is in [0, 1], or about so
    model = LogisticRegression(max_iter=1000).fit(of.X * scale, of.y)
    return model.coef_[0] * scale, float(model.intercept_[0])


def budgets(d: int, epsilon: float) -> tuple[float, float]:
    """epsilon_s and epsilon_n whose printed average is epsilon."""
    return epsilon / 2, (d - 0.5) * epsilon / (d - 1)


def _men(how: How) -> How:
    """With men as group 1: the sign of the covariance that is merged is the other."""
    return lambda of, epsilon, delta, s, rng: how(of._replace(A=1 - of.A), epsilon, delta, s, rng)


def _pflr(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
    return functional.pflr_star(of.X, of.y, of.A, epsilon, rng, as_printed=True).w, 0.0


def _pdfc(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
    return functional.pdfc(of.X, of.y, of.A, s, *budgets(of.X.shape[1], epsilon), rng).w, 0.0


def _adfc(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
    return functional.adfc(of.X, of.y, of.A, s, *budgets(of.X.shape[1], epsilon), delta, delta, rng).w, 0.0


def _literal(of: Split, epsilon: float, delta: float, s: int, rng: np.random.Generator) -> Learned:
    return functional.minimum(functional.merged_quadratic(of.X, of.y, of.A)), 0.0


#: Of Split, epsilon, delta, s and rng: weights and intercept. The first are without noise or the paper's; ``_sharp`` and below ours.
METHODS: dict[str, How] = {
    "lr": lr,
    "no_privacy": lambda of, epsilon, delta, s, rng: (functional.minimum(functional.log_loss_quadratic(of.X, of.y)), 0.0),
    "fm_printed": lambda of, epsilon, delta, s, rng: (functional.functional_mechanism(of.X, of.y, epsilon, rng, as_printed=True).w, 0.0),
    "relaxed_printed": lambda of, epsilon, delta, s, rng: (
        functional.relaxed_functional_mechanism(of.X, of.y, epsilon, delta, rng, as_printed=True).w, 0.0),
    "literal": _literal, "pflr_star": _pflr, "pdfc": _pdfc, "adfc": _adfc,
    "literal_men": _men(_literal), "pflr_star_men": _men(_pflr), "pdfc_men": _men(_pdfc), "adfc_men": _men(_adfc),
    "fm_sharp": lambda of, epsilon, delta, s, rng: (functional.functional_mechanism(of.X, of.y, epsilon, rng).w, 0.0),
    "relaxed_sharp": lambda of, epsilon, delta, s, rng: (functional.relaxed_functional_mechanism(of.X, of.y, epsilon, delta, rng).w, 0.0),
    "apart_free": _apart(0.0), "apart_fair": _apart(np.inf), "lr_one_hot": lr, "apart_one_hot_fair": _apart(np.inf),
    "pflr_star_one_hot": _pflr, "pdfc_one_hot": _pdfc, "adfc_one_hot": _adfc,
    "moments_free": ours(NEVER), "moments_fair": ours(0.0), "moments_one_hot_free": ours(NEVER), "moments_one_hot_fair": ours(0.0)}
#: Without epsilon, without delta, and with an attribute of its own.
NO_NOISE = ("lr", "lr_one_hot", "no_privacy", "literal", "literal_men")
PURE = ("fm_printed", "fm_sharp", "pflr_star", "pdfc", "pflr_star_men", "pdfc_men", "pflr_star_one_hot", "pdfc_one_hot")
TWO_SCALES = ("pdfc", "adfc", "pdfc_men", "adfc_men", "pdfc_one_hot", "adfc_one_hot")
#: The attribute of PDFC and ADFC where the paper names none, by data set; those of Figure 3; those of Table 1.
USUAL = {"adult": "marital-status", "census": "marital status", "one_hot": "marital-status=Married-civ-spouse"}
FIGURE3 = ("marital-status", "age", "relationship", "race")
TABLE1 = {"adult": "race", "census": "class of worker"}
#: Over delta also on Adult: what Figure 2 does not have.
OVER_DELTA = ("adfc", "apart_fair", "moments_fair", "moments_one_hot_fair")


def setting(data: str, method: str, epsilon: float, delta: float = DELTA, attribute: str | None = None) -> dict:
    """One row: what a method does not read is inf, 0 or "none"."""
    return {"data": data, "method": method, "epsilon": np.inf if method in NO_NOISE else epsilon,
            "delta": 0.0 if method in NO_NOISE + PURE else delta,
            "attribute": (attribute or USUAL["one_hot" if "one_hot" in method else data]) if method in TWO_SCALES else "none"}


def _all() -> list[dict]:
    plain = ("no_privacy", "fm_printed", "relaxed_printed", "fm_sharp", "relaxed_sharp")
    fair = ("lr", "pflr_star", "pdfc", "adfc", "pflr_star_men", "pdfc_men", "adfc_men", "apart_free", "apart_fair", "moments_free",
            "moments_fair")
    rows = [setting(data, method, epsilon) for data in ("census", "adult") for method in plain + fair for epsilon in EPSILONS]
    rows += [setting("adult", method, epsilon) for method in METHODS if "one_hot" in method for epsilon in EPSILONS]
    rows += [setting("adult", method, np.inf) for method in ("literal", "literal_men")]
    rows += [setting("census", method, 0.01, delta) for method in ("relaxed_printed", "relaxed_sharp") for delta in DELTAS]
    rows += [setting("adult", method, epsilon, attribute=one) for method in TWO_SCALES[:2] for one in FIGURE3 for epsilon in EPSILONS]
    rows += [setting("adult", method, epsilon, attribute=TABLE1["adult"]) for method in ("pdfc_men", "adfc_men") for epsilon in EPSILONS]
    rows += [setting("census", method, epsilon, attribute=TABLE1["census"]) for method in TWO_SCALES[:2] for epsilon in EPSILONS]
    rows += [setting("adult", method, 0.1, delta) for method in OVER_DELTA for delta in DELTAS]
    return list({tuple(row.items()): row for row in rows}.values())


FIGURES: list[dict] = _all()


def figures(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Mean and spread over ten splits, one draw each, or repeats // 24."""
    encoding, runs = "one_hot" if "one_hot" in setting["method"] else "codes", []
    for number, own in enumerate(rng.spawn(SPLITS)):
        of = split(setting["data"], encoding, number)
        s = of.feature(setting["attribute"]) if setting["attribute"] != "none" else 0
        for draw in own.spawn(repeats // ROUND):
            w, intercept = METHODS[setting["method"]](of, setting["epsilon"], setting["delta"], s, draw)
            runs.append(judged(of.X_judged @ w + intercept > 0, of))
    return [spread(runs)]
