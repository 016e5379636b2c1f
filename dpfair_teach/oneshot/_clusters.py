"""Clusters of people who are near each other on the public map, of any number of people."""
from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ._blocks import blocks, together

#: Of more people than are looked at together, so many find the centres of clusters, or ``A_CENTRE`` for each where that is more.
SAMPLE, A_CENTRE = 2**13, 20


def centres(place: np.ndarray, n: int, everybody: int, **how: int) -> KMeans:
    """At most ``n`` clusters (fewer where fewer people differ) of people who stand at ``place`` (m, p).

    Of a data set of ``everybody`` people, if that is more than are looked at together, a sample finds the centres: drawn without
    replacement, by a seed that is the same for all, so that it is a function of public numbers.
    """
    most = len(place) if together(everybody) else max(SAMPLE, A_CENTRE * n)
    if len(place) > most:
        place = place[np.sort(np.random.default_rng(0).choice(len(place), most, replace=False))]
    with warnings.catch_warnings():         # of places that differ by rounding alone it says that they do not differ, which is no news
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(min(n, len(np.unique(place, axis=0))), n_init=1, **how).fit(place)


def clusters(place: np.ndarray, n: int, everybody: int) -> np.ndarray:
    """The cluster 0, 1, ... of each of them, without a hole: of places that differ by rounding alone some centres have nobody."""
    found = centres(place, n, everybody, random_state=0)
    labels = found.labels_
    if len(labels) < len(place):
        labels = np.concatenate([found.predict(place[at]) for at in blocks(len(place))])
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
