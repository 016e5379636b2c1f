"""The non-private reference of in-processing as a stored table, four group rules; and which data the studies of the left panel read."""
from __future__ import annotations

import numpy as np

from dpfair_teach.experiments import GAMMAS_PROTOCOL

from .left import ASIDE_GROUPS, LAST_GROUPS, LEFT_GROUPS, left_reference


def reads(settings: list[dict]) -> tuple[dict[str, object], ...]:
    """What ``data.load`` is asked for by settings of (group, label): each pair once."""
    pairs = dict.fromkeys((setting["group"], setting["label"]) for setting in settings)
    groups = LEFT_GROUPS | ASIDE_GROUPS | LAST_GROUPS
    return tuple({"name": "communities", "group": groups[g], "label": label, "features": "unprotected"} for g, label in pairs)


def second_rows(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The same of the second reference, which also mixes fair Bayes thresholds made with the true groups."""
    return reference_rows(setting | {"thresholds": True}, repeats, rng)


def reference_rows(setting: dict, repeats: int, rng: np.random.Generator) -> list[dict]:
    """The stored form: one row a gamma, and two with gamma -1 (the constant) and infinity (no constraint). Nothing is drawn."""
    curve, free = left_reference(setting["group"], setting["label"], setting["evaluated"], setting.get("thresholds", False))
    return [{"gamma": float(gamma), "violation": float(violation), "error": float(error)}
            for gamma, (violation, error) in zip((*GAMMAS_PROTOCOL, -1.0, np.inf), np.vstack([curve, free]), strict=True)]


REFERENCES = [{"group": group, "label": label, "evaluated": evaluated}
              for group in LEFT_GROUPS for label in ("p70", "p20") for evaluated in ("in_sample", "held_out")]
