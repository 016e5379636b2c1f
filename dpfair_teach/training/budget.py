"""What a training may cost, and so how many steps it has."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import _checks as check
from ..accounting import Release, most_steps
from ..accounting.adding import Method
from ..accounting.records import records_of

__all__ = ["Budget"]


@dataclass(frozen=True)
class Budget:
    """A limit (epsilon, delta) on a training whose every step releases the same: it says how many steps that allows.

    Source: ours, by :func:`dpfair_teach.accounting.most_steps`. :func:`train` takes no step beyond it, also after a resume; a run that is
    started anew is another release. It believes what you say of a step, which draws its noise itself, and that rounds which a state has
    behind it were such steps too.

    Parameters
    ----------
    step : Release, or iterable of Release or of dp_accounting.DpEvent
        What one step releases.
    epsilon : float in [1e-9, 1e9]
        What the whole training may cost.
    delta : float in [0, 1)
        From 1e-300 on for "rdp"; 0 is for "basic".
    method : {"basic", "advanced", "long", "optimal", "bounded_range", "rdp", "pld", "best"}
        The accountant, as in :func:`dpfair_teach.accounting.compose`; "pld" and "best" take seconds.
    before : Release, or iterable of such
        What is released once, ahead of the first step.

    Attributes
    ----------
    steps : int
        How many are allowed, 0 where one step is too much; those that a state has behind it are among them.

    Raises
    ------
    ValueError
        What :func:`dpfair_teach.accounting.most_steps` refuses.

    Examples
    --------
    >>> from dpfair_teach.accounting import UNIT_A, compose
    >>> budget = Budget(Release("gaussian", UNIT_A, sensitivity=1, scale=50.0), epsilon=1.0, delta=1e-6)
    >>> budget.steps, round(compose(budget.releases(budget.steps), 1e-6, "rdp"), 4)
    (121, 0.9967)
    """

    step: Release | Iterable[Release]
    epsilon: float
    delta: float = 0.0
    method: Method = "rdp"
    before: Release | Iterable[Release] = ()
    steps: int = field(init=False)

    def __post_init__(self) -> None:
        step, before = _records("step", self.step), _records("before", self.before)
        epsilon, delta = check.number("epsilon", self.epsilon), check.number("delta", self.delta)
        steps = most_steps(step, epsilon, delta, method=self.method, before=before)
        for name, value in (("step", step), ("epsilon", epsilon), ("delta", delta), ("before", before), ("steps", steps)):
            object.__setattr__(self, name, value)

    def releases(self, steps: int) -> tuple[Release, ...]:
        """What is released by so many steps and before them: for an accountant.

        Parameters
        ----------
        steps : int in 0..10^9

        Returns
        -------
        tuple of Release
        """
        steps = check.integer("steps", steps, low=0, high=10**9)
        each = _records("step", self.step) if steps else ()
        return (*_records("before", self.before), *(one.with_times(one.times * steps) for one in each))


def _records(name: str, given: object) -> tuple[Release, ...]:
    """What is given, read once; nothing may be released before the steps."""
    return () if name == "before" and isinstance(given, (list, tuple)) and not given else tuple(records_of(given, events=True, name=name))
