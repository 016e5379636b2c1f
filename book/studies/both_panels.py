"""Both panels of Figure 1 in one table, within a minute: post-processing on the right, asking well on the left."""
from __future__ import annotations

from itertools import product

import numpy as np

from dpfair_teach.experiments import EPSILONS, GAMMAS_PROTOCOL, postprocessing_draws
from dpfair_teach.experiments.tradeoff import Draws

from . import ask_once, panels
from .figure1_right import EPSILONS_FIGURE1, GAMMAS_FIGURE1
from .left_panel import left_reference
from .panels import communities_counts

#: A run on the left takes about a second: more than so many are not made, whatever ``repeats`` says.
LEFT_ROUNDS = 6
#: Left: asking well. Right: the four methods of the panels. And Figure 1's own right panel, at its epsilons and gammas.
#: The left settings take longest, so they come first: workers that end at the same time wait for nobody.
BOTH_PANELS: list[dict] = [
    *({"panel": "left", "method": method, "epsilon": epsilon} for method, epsilon in product(("ask_well",), EPSILONS)),
    {"panel": "left", "method": "not_private", "epsilon": np.inf},
    *({"panel": "right", "method": method, "epsilon": epsilon} for method, epsilon in product(panels.PANEL_METHODS, EPSILONS)),
    {"panel": "right", "method": "not_private", "epsilon": np.inf},
    *({"panel": "figure1", "method": "as_printed", "epsilon": epsilon} for epsilon in EPSILONS_FIGURE1),
]
_DEFAULT = {"group": "paper", "label": "p70", "evaluated": "in_sample"}


def both_panels(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The curve of a setting, one row a gamma; its Q stands in each, and how many draws were averaged."""
    if setting["panel"] == "left":
        repeats = min(repeats, LEFT_ROUNDS)
    draws = _drawn(setting, repeats, rng)
    reference = left_reference() if setting["panel"] == "left" else panels.reference(_DEFAULT)
    rows = draws.rows(rng)
    q = panels.quality_columns(draws, *reference, rng)
    return [row | q | {"rounds": repeats} for row in rows]


def _drawn(setting: dict, repeats: int, rng: np.random.Generator) -> Draws:
    setting = setting | _DEFAULT
    if setting["panel"] == "figure1":
        return postprocessing_draws(communities_counts(), "as_printed", setting["epsilon"], GAMMAS_FIGURE1, repeats, rng,
                                    negative_slack="left_out")
    if setting["panel"] == "right":
        return panels.panel_draws(setting, repeats, rng)
    if setting["method"] == "not_private":
        violation, error = np.tile(left_reference()[0].T[:, None], (1, repeats, 1))
        return Draws(error, violation, np.ones(repeats, dtype=bool), GAMMAS_PROTOCOL)
    return ask_once.oneshot_draws(setting, repeats, rng)
