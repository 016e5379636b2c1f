"""What the accountants know of each mechanism: its scale, its Renyi divergence, its worst pair of laws. A new mechanism is one more row."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import mechanisms
from .renyi import rdp_exponential, rdp_gaussian, rdp_geometric, rdp_laplace, rdp_pure

if TYPE_CHECKING:
    from .records import Release


@dataclass(frozen=True)
class Kind:
    """One mechanism, for those who read its records."""

    #: (sensitivity, epsilon, delta) -> the scale that they ask for; None where a record has none
    scale: Callable[[float, float, float], float] | None
    #: (record, orders) -> the Renyi divergence of one run
    rdp: Callable[[Release, np.ndarray], np.ndarray]
    #: (dp-accounting's module, record, its settings) -> the loss distribution of all runs
    losses: Callable[[Any, Release, dict], Any]


def _repeated(one: Any, record: Release) -> Any:
    return one.self_compose(record.times) if record.times > 1 else one


def _pure_rdp(record: Release, order: np.ndarray) -> np.ndarray:
    return rdp_pure(record.epsilon, order)


def _pure_losses(pld: Any, record: Release, how: dict) -> Any:
    """Two outcomes: the worst epsilon-private mechanism, which is also geometric noise on a count of sensitivity 1."""
    return _repeated(pld.from_discrete_laplace_mechanism(record.epsilon, 1, **how), record)


def _geometric_rdp(record: Release, order: np.ndarray) -> np.ndarray:
    n = record.sensitivity
    if n.is_integer() and n <= 1e9 and record.epsilon >= 1e-9 * n:
        return rdp_geometric(record.epsilon, order, int(n))
    return rdp_pure(record.epsilon, order)


def _geometric_losses(pld: Any, record: Release, how: dict) -> Any:
    n = record.sensitivity
    if n.is_integer() and n <= 1000:                # the pair of laws is listed
        return _repeated(pld.from_discrete_laplace_mechanism(record.epsilon / n, int(n), **how), record)
    return _pure_losses(pld, record, how)


def _gaussian_losses(pld: Any, record: Release, how: dict) -> Any:
    """Many runs are one with less noise."""
    return pld.from_gaussian_mechanism(record.scale / (record.sensitivity * math.sqrt(record.times)), **how)


#: A mechanism of which only epsilon is known.
PURE = Kind(None, _pure_rdp, _pure_losses)
#: The mechanisms that accountants know by name.
KINDS = {
    "laplace": Kind(lambda sensitivity, epsilon, delta: sensitivity / epsilon,
                    lambda record, order: rdp_laplace(record.epsilon, order),
                    lambda pld, record, how: _repeated(pld.from_laplace_mechanism(1 / record.epsilon, **how), record)),
    "geometric": Kind(lambda sensitivity, epsilon, delta: sensitivity / epsilon, _geometric_rdp, _geometric_losses),
    "gaussian": Kind(mechanisms.gaussian_sigma,
                     lambda record, order: rdp_gaussian(record.scale / record.sensitivity, order), _gaussian_losses),
    "exponential": Kind(lambda sensitivity, epsilon, delta: 2 * sensitivity / epsilon,
                        lambda record, order: rdp_exponential(record.epsilon, order), _pure_losses),
    "randomized response": PURE,
}


def kind_of(record: Release) -> Kind:
    """The row of a record; of an unknown mechanism, that of a pure one."""
    return KINDS.get(record.mechanism, PURE)
