"""Every mechanism by the name that its records have."""
from __future__ import annotations

from typing import Literal

from .exponential import Exponential
from .gaussian import Gaussian
from .geometric import Geometric
from .k_norm import KNorm
from .laplace import Laplace
from .mechanism import Mechanism
from .response import RandomizedResponse

__all__: list[str] = []     # the room hands them on

#: The names of mechanisms in records.
Name = Literal["laplace", "geometric", "gaussian", "exponential", "randomized response", "k_norm"]
#: What draws, and what accountants know of each mechanism, by that name; of any other name, its epsilon alone.
MECHANISMS: dict[str, Mechanism] = {"laplace": Laplace(), "geometric": Geometric(), "gaussian": Gaussian(), "exponential": Exponential(),
                                    "randomized response": RandomizedResponse(), "k_norm": KNorm()}


def mechanism_of(name: str) -> Mechanism:
    """The mechanism of a record."""
    return MECHANISMS.get(name, _OTHER)


_OTHER = Mechanism()
