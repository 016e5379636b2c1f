"""Does a student's noise have the law it should? One test of one law, not of differential privacy."""
from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

import numpy as np

from ._sandbox import Unfinished, run

#: Draws, and how far their distribution function may be from the law's: passed by right noise but once in 10^9 (Dvoretzky, Kiefer,
#: Wolfowitz). Nearer than ``NEAR`` no draws come but once in 10^9 either: who sweeps through the quantiles is seen.
DRAWS, FAR, NEAR = 20_000, 0.0231, 0.23 / 20_000**0.5
#: Numbers of one draw, or of one and the next, go together, by their ranks in the law or by how far these are from the middle, by at most
#: this, in 5,000 draws or more, but once in 10^9.
TOGETHER = 0.095
#: And their mean is off by at most this.
OFF = 0.15


def wrong_law(noise: Sequence[Sequence[float]], cdf: Callable[[float], float]) -> str:
    """In one line how draws (n, k) of k independent numbers differ from k of that law; "" where they do not.

    Source: ours.
    """
    ranks = np.array([[cdf(x) for x in draw] for draw in noise])        # a few far numbers hide nothing
    for numbers, told in [(ranks.ravel(), f"{ranks.size} numbers"), *((one, f"number {i}") for i, one in enumerate(ranks.T))]:
        in_order, steps, wider = np.sort(numbers), np.arange(len(numbers) + 1) / len(numbers), (DRAWS / len(numbers))**0.5
        apart = max((steps[1:] - in_order).max(), (in_order - steps[:-1]).max())
        if len(numbers) == ranks.size and apart < NEAR * wider:
            return f"the noise of {told} is nearer to the law than chance comes"
        if not apart <= FAR * wider:
            return f"the noise of {told} is {apart:.3g} from the law in distribution, more than {FAR * wider:.3g}"
    k, middle = ranks.shape[1], ranks - 0.5
    for spread in (middle * 12**0.5, (abs(middle) - 0.25) * 48**0.5):
        following = np.hstack([spread[:-1], spread[1:]])        # the numbers of a draw, then those of the next
        r = np.triu(following.T @ following / len(following), 1)
        i, j = np.unravel_index(abs(r).argmax(), r.shape)
        if abs(r[i, j]) > TOGETHER:
            return f"the noise of numbers {i % k} and {j % k}{' of the next draw' if i < k <= j else ''} goes together"
    return ""


def draws_of(code: str, function: str, arguments: list, times: int) -> tuple[list, str]:
    """That many answers of the code's function from one generator, and in one line what is wrong with its randomness; "" if nothing.

    Two generators in one state must give the same answer, and others another one. Seeds are fresh: no code knows them before.
    """
    seed, call = secrets.randbelow(10**9), [function, *arguments]
    seeds = [f"{seed} long"] * times + [f"{seed + 1} once", f"{seed + 1} again", f"{seed + 2} other"]
    *draws, same, again, other = run(code, [[*call, {"rng": each}] for each in seeds])
    if same != again:
        return draws, f"{function} gives other numbers with the same rng: draw from rng alone"
    return draws, "" if same != other and draws[0] != draws[1] else f"{function} gives the same numbers each time"


def marked(code: str, function: str, arguments: list, exact: Sequence[float], scale: float, cdf: Callable[[float], float]
           ) -> tuple[int, str]:
    """4 points for ``noise_scale()``, and 6 for a function whose answers are ``exact`` and noise of that scale and law."""
    right = 0
    try:
        [told] = run(code, [["noise_scale"]])
        if type(told) not in (int, float) or not scale * (1 - 1e-6) <= told <= scale * (1 + 1e-6):
            return 0, f"noise_scale() is {told!r}"[:60] + ": too much noise, or too little for some pair of neighbours"
        right = 4
        draws, wrong = draws_of(code, function, arguments, DRAWS // len(exact))
        noise = [[(x - v) / scale for x, v in zip(draw, exact, strict=True)] for draw in draws]
        off = [(i, sum(column) / len(column)) for i, column in enumerate(zip(*noise, strict=True))]
        wrong = wrong or next((f"number {i} of {function} is off by {mean:.3g} times the scale, in the mean: look at what gets the noise"
                               for i, mean in off if not abs(mean) <= OFF), "") or wrong_law(noise, cdf)
    except Unfinished as ended:
        return right, str(ended)
    except (TypeError, ValueError, OverflowError):
        return right, f"{function} does not give {len(exact)} numbers"
    return (right, wrong) if wrong else (10, "")
