"""An axis: what range it spans, how finely its numbers are kept, where its ticks stand."""
from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

__all__: list[str] = []

#: Steps of a log axis, ``10**-4`` in log10, of which any number of three digits has four: each has one that reads as it does.
LOG_DECIMALS = 4
#: An axis is kept to at least so many steps, with so much free at its ends, and has at most so many ticks.
STEPS, PAD, MOST_TICKS = 2000, 0.04, 6


def shown(value: float, digits: int = 3) -> str:
    """A number for a reader: ``digits`` decimals without closing zeros; where that would hide it, ``digits`` significant ones.

    >>> shown(2 / 3), shown(916.0), shown(0.25), shown(1.2345e-6), shown(12345.6)
    ('0.667', '916', '0.25', '1.23e-6', '12345.6')
    """
    value = float(value)
    text = f"{value:.{digits}f}"
    if value and (float(text) == 0 or abs(value) >= 1e9):
        mantissa, exponent = f"{value:.{max(digits - 1, 0)}e}".split("e")
        return f"{strip(mantissa)}e{int(exponent)}"
    return strip(text)


def strip(text: str) -> str:
    """A decimal without closing zeros and without a minus before 0."""
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


@dataclass(frozen=True)
class Axis:
    """``low`` to ``high`` in axis space: the number itself, or its log10 where ``log``. Kept to ``10**-decimals`` there."""

    low: float
    high: float
    decimals: int
    log: bool
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def over(cls, values: np.ndarray, *, log: bool = False, given: tuple[float, float] | None = None) -> Axis:
        """The axis that shows all ``values``, or the ``given`` range."""
        space = np.log10(values) if log else np.asarray(values, dtype=float)
        low, high = (float(space.min()), float(space.max())) if space.size else (0.0, 1.0)
        if given is not None:
            low, high = (math.log10(given[0]), math.log10(given[1])) if log else given
        elif high - low <= 1e-12 * max(abs(low), abs(high)):
            half = 0.5 if log or high == 0 else abs(high) / 2
            low, high = low - half, high + half
        elif not log and 0 <= low < 0.35 * high:
            low, high = 0.0, high + PAD * high      # counts, errors and probabilities are read against zero
        else:
            low, high = low - PAD * (high - low), high + PAD * (high - low)
        decimals = max(math.ceil(math.log10(STEPS / (high - low)) - 1e-9), LOG_DECIMALS if log else 0)
        return cls(low, high, min(decimals, 100), log, tuple((log_ticks if log else ticks)(low, high, MOST_TICKS)))

    def keep(self, values: np.ndarray | np.float64) -> np.ndarray:
        """Whole numbers of steps ``10**-decimals``, in axis space; on a log axis the nearest that reads as the number to three digits."""
        space = np.log10(values) if self.log else np.asarray(values, dtype=float)
        kept = np.rint(space * 10.0 ** self.decimals).astype(np.int64)
        if self.log:
            below, above = three_digits(10.0 ** (kept / 10 ** self.decimals)), three_digits(np.asarray(values, dtype=float))
            kept = kept + np.sign(above - below).astype(np.int64)
        return kept

    def place(self, kept: np.ndarray | np.float64, size: int) -> np.ndarray:
        """Whole positions 0..size; the same operations in the same order as the player's."""
        return np.floor((kept / 10 ** self.decimals - self.low) / (self.high - self.low) * size + 0.5).astype(np.int64)

    def text(self, kept: int) -> str:
        """The kept number, for a reader; the player writes the same."""
        value = kept / 10 ** self.decimals
        return brief(float(f"{10.0 ** value:.2e}") if self.log else float(f"{value:.{self.decimals}f}"))

    def says(self, value: float) -> str:
        """A number for a reader: on a log axis whole ones, of people or of rounds, in full."""
        return brief(float(value)) if self.log and float(value).is_integer() else self.text(int(self.keep(np.float64(value))))


def three_digits(values: np.ndarray) -> np.ndarray:
    """The numbers as a reader has them, rounded to three significant digits.

    >>> three_digits(np.array([4 / 9, 2239.0])).tolist()
    [0.444, 2240.0]
    """
    return np.array([float(f"{value:.2e}") for value in values.ravel().tolist()]).reshape(values.shape)


def brief(value: float) -> str:
    """The shortest text that reads back as ``value``, written as JavaScript writes it.

    >>> brief(0.0123), brief(1230.0), brief(2e-9), brief(0.00000123), brief(-0.0)
    ('0.0123', '1230', '2e-9', '0.00000123', '0')
    """
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return strip(format(Decimal(repr(value)), "f"))
    mantissa, exponent = f"{Decimal(repr(value)):e}".split("e")
    return f"{strip(mantissa)}e{int(exponent):+d}"


def ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round numbers in [low, high], at most ``most``.

    >>> [t for _, t in ticks(0, 1.04, 6)]
    ['0', '0.2', '0.4', '0.6', '0.8', '1']
    """
    raw = (high - low) / most
    base = 10.0 ** math.floor(math.log10(raw))
    for step in (s * base for s in (1, 2, 2.5, 5, 10, 20)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            break
    decimals = max(0, -math.floor(math.log10(step)) + 1)
    return [(i * step, strip(f"{i * step:.{decimals}f}")) for i in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Powers of ten between 10**low and 10**high; 1, 2, 5 of each where there are few."""
    whole = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 5), (1,)):
        found = [(math.log10(d) + e, d, e) for e in whole for d in digits if low - 1e-9 <= math.log10(d) + e <= high + 1e-9]
        if len(found) <= most:
            break
    found = found[::max(1, math.ceil(len(found) / most))]
    plain = all(-3 <= e <= 4 for _, _, e in found)
    return [(at, power(d, e, plain)) for at, d, e in found]


def power(digit: int, exponent: int, plain: bool) -> str:
    """``digit * 10**exponent`` in full, or with a raised exponent.

    >>> power(1, -2, True), power(5, 0, True), power(1, 4, True), power(1, 6, False), power(2, -5, False)
    ('0.01', '5', '10,000', '10⁶', '2·10⁻⁵')
    """
    if plain:
        return f"{digit * 10 ** exponent:,}" if exponent >= 0 else f"{digit * 10.0 ** exponent:.{-exponent}f}"
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digit == 1 else f"{digit}·10{raised}"
