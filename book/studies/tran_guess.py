"""Everybody's expected group by noisy counts in public cells, as F-LD is trained on: the best guess that is linear in the counts."""
from __future__ import annotations

import numpy as np

from dpfair_teach import mechanisms
from dpfair_teach.mechanisms.geometric import geometric_variance
from dpfair_teach.oneshot import public_data

#: The model of the people of a label: a chance is the mean, plus what is smooth along the public map, of these prior variances, with bells
#: of that length; and of mean (1 - mean) so much is a person's own.
LENGTH, LINEAR, SMOOTH, OWN = 2.0, 0.02, 0.1, 0.6


def cells_a_label(m: int, epsilon: float) -> int:
    return int(min(max(4, 28.0 * (m * epsilon / 2000) ** 0.6), 400))


def guessed_groups(X: np.ndarray, y: np.ndarray, A: np.ndarray, k: int, epsilon: float,
                   rng: np.random.Generator) -> tuple[np.ndarray, mechanisms.Release]:
    """Weights (m, k) of everybody on every group, which sum to 1 and may leave [0, 1]; and the record of the counts, which alone read A."""
    public, cells, start = public_data(X, y), np.empty(len(y), dtype=np.int64), 0
    for r, people in enumerate(public.people):
        found, n = public.cells_of(r, cells_a_label(public.m, epsilon))
        cells[people] = start + found
        start += n
    counts, record = mechanisms.release_cells(cells, A, epsilon, rng, n_groups=k, n_cells=start)
    variance = geometric_variance(record.sensitivity, record.epsilon)
    weights = np.zeros((public.m, k))
    for people in public.people:
        here, code = np.unique(cells[people], return_inverse=True)
        features = prior_features(public.place_of(people), public.map.landmarks)
        sizes = np.bincount(code).astype(float)
        along = np.stack([np.bincount(code, column) for column in features.T], axis=1)
        for a, answers in enumerate(counts[:, here].astype(float), 1):
            mean = np.clip(answers.sum() / len(people), 0.05, 0.95)
            own = OWN * mean * (1 - mean)
            covariance = along @ along.T + np.diag(own * sizes + variance + 1e-9)
            pull = np.linalg.solve(covariance, answers - mean * sizes)
            weights[people, a] = mean + features @ (along.T @ pull) + own * pull[code]
    weights[:, 0] = 1 - weights[:, 1:].sum(axis=1)
    return weights, record


def prior_features(place: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """Features (n, r) of places on the map, whose inner products are the prior covariance of chances: a linear part and a smooth one."""
    def bells(of: np.ndarray) -> np.ndarray:
        square = (of**2).sum(axis=1)[:, None] + (landmarks**2).sum(axis=1) - 2 * of @ landmarks.T
        return SMOOTH * np.exp(-np.maximum(square, 0.0) / (2 * LENGTH**2))
    values, vectors = np.linalg.eigh(bells(landmarks) + 1e-8 * np.eye(len(landmarks)))
    return np.column_stack([np.sqrt(LINEAR) * place, bells(place) @ (vectors / np.sqrt(np.maximum(values, 1e-8)))])
