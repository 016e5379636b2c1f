"""The numbers of a training with multipliers, read and refused once."""
from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args

from .. import _checks as check
from ..networks import Adam, Optimizer

__all__ = ["Plan"]

Empty = Literal["refuse", "skip"]
EMPTY: tuple[Empty, ...] = get_args(Empty)

#: Of the secret sample: of smaller ones the accountant cannot tell the losses from rounding.
LEAST_SAMPLE = 1e-5


@dataclass(frozen=True)
class Plan:
    """How long a training goes, in which steps, and how far the multipliers go; all of it public, and chosen without a look at A.

    Source: Tran et al. 2020, the input of Algorithm 1: T, alpha, s_k (one for all epochs) and lambda^max; C_p and C_d of (10) and (13).

    One plan serves all variants; each takes what it needs.

    Parameters
    ----------
    epochs : int in 1..10^6
        T.
    batch : int in 1..10^9
        People of a mini-batch.
    optimizer : networks.SGD or networks.Adam
        Or a dataclass of yours with their ``rate``, ``start`` and ``step``. Its rate is alpha. The paper writes plain SGD.
    dual_rate : float in [0, 1e9]
        s: how far a multiplier moves for a violation of 1.
    largest : float in (0, 1e9]
        lambda^max.
    gamma : float in [0, 1]
        What violation is allowed: 0 in the paper. Signed multipliers are drawn back to 0 by ``dual_rate * gamma`` at each step, which is
        the dual of |violation| <= gamma.
    clip : float in (0, 1e9]
        C_p, for the gradient of h of one person.
    dual_clip : float in (0, 1e9], optional
        C_d, for h of one person; as printed only, which must have one. The repair takes the largest |mu(P) - h| that anybody has, a public
        number.
    free : int in 1..10^6
        Epochs before the first dual step, in which all multipliers are 0 and nothing private is read. One in the paper.
    sample : float in [1e-5, 1]
        q: with which probability a person is in the secret sample of a step; of the repair.
    empty : str
        What F-LD, and what is printed, does with a batch in which a group has no mean: "refuse", or "skip", and count how often.

    Raises
    ------
    ValueError
        An optimizer that is none; an unknown word.

    Examples
    --------
    >>> Plan(20, 256).steps(1000), Plan(20, 256, free=2).paid(1000)
    (4, (72, 18))
    """

    epochs: int
    batch: int
    _: KW_ONLY
    optimizer: Optimizer = field(default_factory=lambda: Adam(0.001))
    dual_rate: float = 1.0
    largest: float = 5.0
    gamma: float = 0.0
    clip: float = 1.0
    dual_clip: float | None = None
    free: int = 1
    sample: float = 0.01
    empty: Empty = "refuse"

    def __post_init__(self) -> None:
        found: dict[str, Any] = {
            "epochs": check.integer("epochs", self.epochs, low=1, high=10**6),
            "batch": check.integer("batch", self.batch, low=1, high=10**9),
            "dual_rate": check.number("dual_rate", self.dual_rate, low=0.0, high=1e9),
            "largest": check.number("largest", self.largest, low=0.0, high=1e9, low_open=True),
            "gamma": check.number("gamma", self.gamma, low=0.0, high=1.0),
            "clip": check.number("clip", self.clip, low=0.0, high=1e9, low_open=True),
            "dual_clip": None if self.dual_clip is None else check.number("dual_clip", self.dual_clip, low=0.0, high=1e9, low_open=True),
            "free": check.integer("free", self.free, low=1, high=10**6),
            "sample": check.number("sample", self.sample, low=LEAST_SAMPLE, high=1.0),
            "empty": check.choice("empty", self.empty, EMPTY)}
        if isinstance(self.optimizer, type) or not isinstance(self.optimizer, Optimizer):
            check.refuse("optimizer", self.optimizer, "not something with rate, start(p) and step(theta, gradient, moments)",
                         "Give networks.Adam(rate) or networks.SGD(rate).")
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def steps(self, m: int) -> int:
        """Primal steps of an epoch."""
        return -(-m // self.batch)

    def paid(self, m: int) -> tuple[int, int]:
        """How many primal and how many dual steps read A: those after the free epochs; and the last epoch has no dual step, as nobody uses
        its multipliers (gap T14)."""
        return max(0, self.epochs - self.free) * self.steps(m), max(0, self.epochs - self.free)

    def told(self) -> dict[str, Any]:
        """What a checkpoint is told of it."""
        optimizer = {"kind": type(self.optimizer).__name__, **vars(self.optimizer)}
        return {name: value for name, value in vars(self).items() if name != "optimizer"} | {"optimizer": optimizer}


def dual_clip_of(plan: Any) -> float:
    """C_d, which a plan for what is printed must have."""
    if checked_plan(plan).dual_clip is None:
        check.refuse("plan", None, "is its dual_clip, and the printed dual step clips everybody's h by it",
                     "Make the Plan with dual_clip=5.0, as in the paper, or another number above 0.")
    return plan.dual_clip


def checked_plan(plan: Any) -> Plan:
    if not isinstance(plan, Plan):
        check.refuse("plan", plan, "not a Plan", "Make it with lagrangian.Plan(epochs, batch).")
    return plan
