"""The numbers of a private play, read and refused once: what Algorithm 5 is played with, and what its lemmas and theorems are about."""
from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from .. import _checks as check
from ..fairness import Parity
from ..fairness.parity import read_parity
from .auditor import MOST_ROUNDS, bound_on_multipliers, hedge_rate
from .budget import (
    BUDGET_FRACTION,
    STEPS,
    checked_delta,
    checked_fraction,
    choice_delta,
    laplace_delta,
    largest_step,
    losses_off,
    printed_step,
    refuse_delta_below,
    rounds_for,
)
from .game import FairnessGame, checked_game
from .sensitivity import GUARDED, Guarded
from .table import ODDS_NOTIONS, checked_constraints

__all__ = ["Setting"]

#: How the private players know how large the cells are.
CellSizes = Literal["noisy", "noisy_lower_bound", "public_lower_bound"]
CELL_SIZES: tuple[CellSizes, ...] = get_args(CellSizes)
SMALLEST_ETA = 1e-12
#: The same, and the algorithm as printed, which reads them off the private data.
Variant = Literal[CellSizes, "printed"]


@check.formerly(share="Say budget_fraction.", accounting="All steps are added up as tightly as the accountant can.")
@dataclass(frozen=True)
class Setting:
    """The numbers of a private play: rounds, privacy, bound of the multipliers, groups, and what bounds on it ask about.

    Source: supplement, Algorithm 5 (its input, and the T, eta and epsilon' that it computes from it) and Lemmas 3.2 to 3.4.

    Everything is checked when the object is made, and nothing later. All of it is public: a setting is chosen without a look at A. One
    setting serves all ``cell_sizes`` of :func:`dp_oracle_learner`, each with an epsilon' of its own: :meth:`step`.

    Parameters
    ----------
    rounds : int in 1..10^15
        T.
    epsilon : float in [1e-6, 1e6]
        Of the whole play.
    delta : float in [1e-300, 1)
        Of the whole play.
    B : float in (0, 1e9]
        Limit on the sum of the multipliers.
    n_groups : int in 2..1000
        k, or |A|.
    beta : float in [1e-300, 1)
        Failure probability of a bound as a whole.
    log_labelings : float in [0, 1e12], optional
        ln|H(S)| or ln|H|, for bounds on the learner.
    smallest_cell : float in [1, 1e15], optional
        N: people in the smallest cell that a constraint asks about, for bounds and for ``cell_sizes="public_lower_bound"``.
    constraints : tuple of "FP", "TP", or Parity
        What is equalized; the Parity for other notions, and for all pairs of groups.
    eta : float in [1e-12, 1e9], optional
        The auditor's step, where it is not the printed sqrt(ln d / T) / 2.
    budget_fraction : float in (0, 1)
        The part of epsilon for what is released before the first round.
    protect : str
        "A", for classifiers that do not see it. "X and A": features too, Y public.
    m : float in (0, 1e19], optional
        People.
    n_classifiers : int in 1..10^15, optional
        |H|. With ``m`` it says what noise in doubles gives away of delta, which the steps then leave out. A play needs both.

    Examples
    --------
    >>> setting = Setting(100, 1.0, 1e-7, 2.0, 2, .05, 9.9, 5000)
    >>> setting.K, setting.d, round(setting.learning_rate, 4), round(setting.epsilon_step, 4)
    (4, 5, 0.0634, 0.0166)
    >>> round(setting.step("public_lower_bound"), 4), round(setting.step("printed"), 4)
    (0.0184, 0.0062)
    """

    rounds: int
    epsilon: float
    delta: float
    B: float
    n_groups: int
    beta: float = 0.05
    log_labelings: float | None = None
    smallest_cell: float | None = None
    constraints: tuple[str, ...] | Parity = ("FP", "TP")
    _: KW_ONLY
    eta: float | None = None
    budget_fraction: float = BUDGET_FRACTION
    protect: Guarded = "A"
    m: float | None = None
    n_classifiers: int | None = None

    def __post_init__(self) -> None:
        def number(name: str, low: float, high: float, low_open: bool = False) -> float | None:
            value = getattr(self, name)
            return None if value is None else check.number(name, value, low=low, high=high, low_open=low_open)
        epsilon = check.number("epsilon", self.epsilon, low=1e-6, high=1e6)
        read = {
            "rounds": check.integer("rounds", self.rounds, low=1, high=MOST_ROUNDS), "epsilon": epsilon,
            "delta": checked_delta(self.delta), "B": float(bound_on_multipliers(check.number("B", self.B))),
            "n_groups": check.group_count(self.n_groups), "beta": check.number("beta", self.beta, low=1e-300, high=1.0, high_open=True),
            "log_labelings": number("log_labelings", 0.0, 1e12),
            "smallest_cell": None if self.smallest_cell is None else checked_cell(self.smallest_cell),
            "constraints": _constraints(self.constraints), "eta": number("eta", SMALLEST_ETA, 1e9),
            "budget_fraction": checked_fraction(self.budget_fraction, epsilon), "protect": check.choice("protect", self.protect, GUARDED),
            "m": number("m", 0.0, 1e19, low_open=True)}
        if self.n_classifiers is not None:
            read["n_classifiers"] = check.integer("n_classifiers", self.n_classifiers, low=1, high=10**15)
        for name, value in read.items():
            object.__setattr__(self, name, value)
        self._refuse_more_than_all()

    def _refuse_more_than_all(self) -> None:
        cells = len(self.parity.cells) * self.n_groups     # those of a label that no constraint asks about may be of any size
        if self.m is not None and self.smallest_cell is not None and self.smallest_cell * cells > self.m * (1 + 1e-9):
            check.refuse("smallest_cell, n_groups", (self.smallest_cell, self.n_groups),
                         f"{cells} cells of that many people are more than m={self.m:g}", "Give a smaller cell, or fewer groups.")

    @classmethod
    def of(cls, game: FairnessGame, epsilon: float, delta: float, B: float, *, rounds: int | None = None,
           smallest_cell: float | None = None, eta: float | None = None, budget_fraction: float = BUDGET_FRACTION,
           protect: Guarded = "A") -> Setting:
        """The setting of a game: groups, constraints, people and classifiers are the game's, and nothing else of it is read.

        For bounds, at a failure probability of 0.05 and ln|H| of the game's classifiers.

        Parameters
        ----------
        game : FairnessGame
            Made with ``n_groups``, or ``from_counts``: else the number of groups was read off A, and is not public.
        epsilon, delta, B, smallest_cell, eta, budget_fraction, protect : as in the class
        rounds : int in 1..10^15, optional
            T; by default :func:`schedule`'s.
        """
        checked_game(game)

        def made(rounds: int) -> Setting:
            return cls(rounds, epsilon, delta, B, game.n_groups, 0.05, math.log(game.n_classifiers), smallest_cell, game.parity, eta=eta,
                       budget_fraction=budget_fraction, protect=protect, m=game.m, n_classifiers=game.n_classifiers)
        return made(made(1).scheduled_rounds if rounds is None else rounds)

    @classmethod
    def scheduled(cls, m: float, epsilon: float, delta: float, B: float, n_groups: int, beta: float, log_labelings: float,
                  smallest_cell: float | None = None) -> Setting:
        """The setting with the printed number of rounds, :attr:`scheduled_rounds`, for equalized odds.

        Parameters
        ----------
        m, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell : as in the class
        """
        first = cls(1, epsilon, delta, B, n_groups, beta, log_labelings, smallest_cell, m=m)
        return replace(first, rounds=first.scheduled_rounds)

    # ----------------------------------------------------------------------------------------------------- what follows

    @property
    def parity(self) -> Parity:
        """The notion."""
        return self.constraints if isinstance(self.constraints, Parity) else read_parity(constraints=self.constraints)

    @cached_property
    def K(self) -> int:
        """The multipliers: two for each gap."""
        return 2 * len(self.parity.cells) * len(self.parity.comparisons(self.n_groups))

    @property
    def d(self) -> int:
        """K + 1, with the spare one: 4k - 3 for equalized odds against a group."""
        return self.K + 1

    @property
    def learning_rate(self) -> float:
        """``eta``, or the printed sqrt(ln d / T) / 2."""
        return hedge_rate(self.K, self.rounds, as_printed=True) if self.eta is None else self.eta

    @property
    def selections(self) -> int:
        """How often the learner reads private data: where A alone is protected, not in the first round, whose prices all cancel."""
        return self.rounds - (self.protect == "A")

    @property
    def gradients(self) -> int:
        """How often the auditor measures: the last round's gradient would never be used."""
        return self.rounds - 1

    @property
    def epsilon_sizes(self) -> float:
        """The part of epsilon for what is released before the first round; 0 where nothing is, as one round needs no sizes."""
        return self.budget_fraction * self.epsilon if self.gradients else 0.0

    @cached_property
    def epsilon_step(self) -> float:
        """epsilon' of every private step of the default play, with frozen denominators."""
        return self.step("noisy")

    @cached_property
    def scheduled_rounds(self) -> int:
        """max(1, T rounded up), T by the formula of :func:`schedule`."""
        if self.m is None or self.log_labelings is None:
            check.refuse("m, log_labelings", (self.m, self.log_labelings), "the formula for T needs both", "Give both to the Setting.")
        return max(1, math.ceil(rounds_for(math.ceil(self.m), self.epsilon, self.delta, max(self.B, 1e-9), self.n_groups, self.K,
                                           self.beta, self.log_labelings)))

    def step(self, cell_sizes: Variant = "noisy") -> float:
        """epsilon' of every private step.

        "noisy" and "noisy_lower_bound" leave 1 - ``budget_fraction`` of epsilon to the steps, the second half of delta;
        "public_lower_bound" all of both. "printed": epsilon / (4 sqrt(T ln(1/delta))), for 2T steps.
        """
        check.choice("cell_sizes", cell_sizes, (*CELL_SIZES, "printed"))
        if cell_sizes == "printed":
            return printed_step(self.epsilon, self.delta, self.rounds)
        return _step(self, cell_sizes)


def checked_setting(value: object) -> Setting:
    """A setting, and nothing that only has some of its numbers."""
    return check.instance("setting", value, Setting, "is no Setting",
                          "Make it with games.Setting.of(game, epsilon, delta, B), or games.Setting.")


def checked_cell(value: object) -> float:
    """N, people of the smallest cell."""
    return check.number("smallest_cell", value, low=1.0, high=1e15)


def _constraints(value: object) -> tuple[str, ...] | Parity:
    """The names of rates against group 0, or else the notion."""
    if isinstance(value, Parity):
        plain = value.notion in ODDS_NOTIONS and (value.against, value.anchor) == ("anchor", 0)
        return tuple(cell.name for cell in value.cells) if plain else value
    return checked_constraints(value)


def before_the_rounds(setting: Setting, cell_sizes: CellSizes) -> tuple[float, float]:
    """What is spent of epsilon and of delta before the first round."""
    if cell_sizes == "public_lower_bound" or not setting.gradients:        # one choice, all of whose prices cancel, needs no sizes
        return 0.0, 0.0
    half = cell_sizes == "noisy_lower_bound"                               # the rounds get the other
    return setting.epsilon_sizes, checked_delta(setting.delta, least=2e-300) / 2 if half else 0.0


def _step(setting: Setting, cell_sizes: CellSizes) -> float:
    """epsilon' of a private play."""
    if not setting.selections + setting.gradients:      # one round, and nothing private is read in it
        return setting.epsilon
    first, first_delta = before_the_rounds(setting, cell_sizes)
    epsilon, left = (1 - setting.budget_fraction if first else 1.0) * setting.epsilon, setting.delta - first_delta

    def step(delta: float) -> float:
        return largest_step(epsilon, delta, setting.selections, setting.gradients)
    if setting.m is None or setting.n_classifiers is None:
        return step(left)
    least = _in_doubles(setting, cell_sizes, first, step(left))     # a smaller delta makes it smaller
    refuse_delta_below(least * setting.delta / left, setting.delta, setting.epsilon, setting.rounds)
    return step(left - least)


def _in_doubles(setting: Setting, cell_sizes: CellSizes, first: float, step: float) -> float:
    """What a play gives away of delta by noise in doubles: by the numbers that one person moves, and by the choices; ``first`` and ``step``
    are the epsilons of what is released before the rounds, and of each step in them.

    One person is counted in one cell of a group, and moves one number where that is known from the other group's, or where the gap is one
    number; else two, by half of the step each. Who stays and is decided about otherwise moves one rate by 1/N: of a cell of one person that
    is all of the step, 2/(N + 1).
    """
    assert setting.m is not None and setting.n_classifiers is not None
    k, m, counts, X_too = setting.n_groups, setting.m, cell_sizes == "noisy", setting.protect != "A"
    numbers = 1 if k == 2 and not (counts and X_too) else 2
    sizes = 1 if k == 2 or cell_sizes == "noisy_lower_bound" else 2
    off = 0.0 if counts else m * step       # rates are off by 2^-53, and their noise has a scale of 2 / (N + 1) over the step
    measured = numbers * laplace_delta(STEPS, step / numbers, off)
    if X_too and not counts:
        measured = max(measured, laplace_delta(STEPS, step, off))
    chosen = choice_delta(setting.n_classifiers, step, losses_off(k * len(setting.parity.cells), m, step))
    released = sizes * laplace_delta(sizes / first, first / sizes) if first else 0.0
    return released + setting.gradients * measured + setting.selections * chosen
