"""The base classifier that post-processing starts from."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _checks as check
from .dataset import Dataset

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

__all__ = ["base_classifier"]


def base_classifier(dataset: Dataset) -> LogisticRegression:
    """Logistic regression of Y on X, fitted without A: liblinear, C = 1, random state 123.

    The random state orders the solver's coordinates; it is part of the protocol, and no privacy rests on it.

    Source: main text, Figure 1, right panel (the base classifier behind it).

    Parameters
    ----------
    dataset : Dataset
        Both labels must occur.

    Returns
    -------
    sklearn.linear_model.LogisticRegression, fitted; ``.predict(X)`` is 0/1

    Raises
    ------
    ValueError
        Not a ``Dataset``, or one label only.

    Examples
    --------
    >>> from dpfair_teach.data import load
    >>> communities = load("communities")
    >>> float((base_classifier(communities).predict(communities.X) != communities.Y).mean().round(4))
    0.1269
    """
    if not isinstance(dataset, Dataset):
        check.refuse("dataset", dataset, "not a Dataset", "Pass what data.load returns, or build a data.Dataset.")
    if dataset.Y.min() == dataset.Y.max():
        check.refuse("dataset", dataset, f"every label is {dataset.Y[0]}", "A classifier needs people of both labels.")
    from sklearn.linear_model import LogisticRegression  # a second to import: not for those who only load data

    return LogisticRegression(solver="liblinear", C=1.0, random_state=123).fit(np.asarray(dataset.X), dataset.Y)
