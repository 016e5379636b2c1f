"""A row of people, each of whom a reader may put into the other group by a click."""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from .._checks import array, formerly, number, refuse
from .arguments import text
from .axes import shown

__all__ = ["People"]

MOST_PEOPLE = 10
LONGEST_NAME = 8

#: Sizes in units of the picture, which is as wide as that of a figure with axes.
WIDTH, SLOT, RADIUS = 520, 52, 12
TOP, LANE, STRIP = 22, 54, 22
HEIGHT = 2 * TOP + 2 * LANE + STRIP

_WORDS = {"group": ("group 0", "group 1"), "label": ("label 0", "label 1"), "decision": ("rejected", "accepted")}


@formerly(decision="Say score and cut.", flips="A click changes the group.", argument="The argument is called A.")
class People:
    """A row of up to ten people, to be put above an :class:`Explorer`; a click, Enter or Space puts one of them into the other group.

    A person's group is told by side (above or below the line), colour and hatching; the label by the shape, a circle for 1, a square for 0;
    the decision by the place on the score line. ``fn`` and ``alt`` of the figure get the groups as ``A``, a tuple of n ints.

    Source: none in the papers.

    Parameters
    ----------
    names : list of 2 to 10 short texts, all different
    group, label : (n,) of 0 and 1
        ``group`` as it is at the start.
    score : (n,) numbers
        People stand in their order, evenly apart, so that none hides another.
    cut : number
        Who has at least this score is accepted.
    words : dict "group", "label" or "decision" -> (text for 0, text for 1)

    Examples
    --------
    >>> people = People(["Ada", "Ben"], group=[0, 1], label=[1, 0], score=[0.9, 0.4], cut=0.5)
    >>> people.told((1, 1))
    ['Ada, group 1, label 1, score 0.9, accepted', 'Ben, group 1, label 0, score 0.4, rejected']
    """

    def __init__(self, names: Sequence[str], *, group: Sequence[int], label: Sequence[int], score: Sequence[float], cut: float,
                 words: dict[str, tuple[str, str]] | None = None) -> None:
        self.names = self._names(names)
        self.start, self.labels = self.bits("group", group), self.bits("label", label)
        self.score, self.cut = array("score", score, shape=(len(self.names),)), number("cut", cut)
        self.words = self._read_words(words)

    @staticmethod
    def _names(names: Any) -> tuple[str, ...]:
        if not isinstance(names, (list, tuple)) or not 2 <= len(names) <= MOST_PEOPLE:
            refuse("names", names, f"not a list of 2 to {MOST_PEOPLE} names",
                   f"Choose some of them: {2 ** MOST_PEOPLE:,} ways to flip bits are as many as a page holds.")
        for i, name in enumerate(names):
            if len(text(f"names[{i}]", name)) > LONGEST_NAME:
                refuse(f"names[{i}]", name, f"longer than {LONGEST_NAME} characters", "Shorten it: ten names stand in a row.")
        if len(set(names)) < len(names):
            refuse("names", names, "two people of one name", "Give each a name of their own.")
        return tuple(names)

    @staticmethod
    def _read_words(words: Any) -> dict[str, tuple[str, str]]:
        remedy = 'Give {"group": ("text for 0", "text for 1")}.'
        if words is not None and not isinstance(words, dict):
            refuse("words", words, "not a dict", remedy)
        for trait, pair in (words or {}).items():
            if trait not in _WORDS or not isinstance(pair, (list, tuple)) or len(pair) != 2:
                refuse("words", {trait: pair}, "not two texts for group, label or decision", remedy)
            for one in pair:
                text(f"words[{trait!r}]", one)
        return _WORDS | {trait: (pair[0], pair[1]) for trait, pair in (words or {}).items()}

    def bits(self, argument: str, value: Any) -> tuple[int, ...]:
        """One bit a person as a tuple of ints."""
        values = array(argument, value, shape=(len(self.names),), low=0, high=1)
        if not np.isin(values, (0, 1)).all():
            refuse(argument, value, "not a 0 or 1 a person", f"Give {len(self.names)} bits.")
        return tuple(int(v) for v in values)

    # -- what it says ------------------------------------------------------------------------------------------------------

    def grid(self) -> tuple[tuple[int, ...], ...]:
        """All settings; the first person is the highest bit."""
        return tuple(itertools.product((0, 1), repeat=len(self.names)))

    def said(self, bits: tuple[int, ...]) -> str:
        """Who differs from the start."""
        return ", ".join(name for name, now, before in zip(self.names, bits, self.start, strict=True) if now != before) or "nobody"

    def told(self, bits: tuple[int, ...]) -> list[str]:
        """Of each person, in the order of ``names``: group, label, score and decision in words."""
        return [", ".join([name, self.words["group"][bits[i]], self.words["label"][self.labels[i]], f"score {shown(self.score[i])}",
                           self.words["decision"][int(self.score[i] >= self.cut)]]) for i, name in enumerate(self.names)]

    # -- how it looks ------------------------------------------------------------------------------------------------------

    def order(self) -> list[int]:
        """People from left to right."""
        return np.argsort(self.score, kind="stable").tolist()

    def _person(self, i: int, group: int, x: int) -> str:
        """Person ``i`` as drawn in that group."""
        y = TOP + LANE + STRIP // 2 + (1 if group else -1) * (STRIP // 2 + RADIUS + 4)
        named_at = y + (RADIUS + 20 if group else -RADIUS - 7)
        hatch = f'<path class="dpx-hatch dpx-s{group}" d="{hatching(self.labels[i], x, y)}"/>' if group else ""
        return (f'<g class="dpx-if{group}"><path class="dpx-self dpx-s{group}" d="{outline(self.labels[i], x, y)}"/>{hatch}'
                f'<text class="dpx-called" x="{x}" y="{named_at}" text-anchor="middle">{escape(self.names[i])}</text></g>')

    def svg(self, bits: tuple[int, ...], *, name: str) -> str:
        """The row with these ``bits``; each person holds both looks, and a class says which one shows."""
        middle, n = TOP + LANE, len(self.names)
        slot = min(SLOT + 28, WIDTH // n)
        left = (WIDTH - slot * n) // 2
        parts = [f'<svg class="dpx-svg dpx-people" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(name)}">',
                 f'<rect class="dpx-strip" x="{left}" y="{middle}" width="{slot * n}" height="{STRIP}" rx="4"/>',
                 f'<text x="2" y="14" aria-hidden="true">{escape(self.words["group"][0])}</text>',
                 f'<text x="2" y="{HEIGHT - 5}" aria-hidden="true">{escape(self.words["group"][1])}</text>', self._shapes()]
        told = [self.told((bit,) * n) for bit in (0, 1)]
        for place, i in enumerate(self.order()):
            x = left + slot * place + slot // 2
            changed = bits[i] != self.start[i]
            parts.append(f'<g class="dpx-who dpx-is{bits[i]}" role="img" aria-label="{escape(told[bits[i]][i])}" data-who="{i}" '
                         f'data-a="{escape(told[0][i])}" data-b="{escape(told[1][i])}"{" data-moved" if changed else ""}>'
                         f'<rect class="dpx-hit" x="{x - slot // 2 + 1}" y="{TOP - 2}" width="{slot - 2}" height="{HEIGHT - 2 * TOP + 4}" '
                         f'rx="6"/>{self._person(i, 0, x)}{self._person(i, 1, x)}'
                         f'<text x="{x}" y="{middle + 16}" text-anchor="middle" aria-hidden="true">{shown(self.score[i], 2)}</text></g>')
        return "".join([*parts, self._cut(left, slot), "</svg>"])

    def _shapes(self) -> str:
        """What a circle and a square stand for, at the top on the right."""
        zero, one = self.words["label"]
        return (f'<g aria-hidden="true"><path class="dpx-shape" d="{outline(1, 284, 9, 7)}"/><text x="296" y="14">{escape(one)}</text>'
                f'<path class="dpx-shape" d="{outline(0, 372, 9, 7)}"/><text x="384" y="14">{escape(zero)}</text></g>')

    def _cut(self, left: int, slot: int) -> str:
        """The line between the rejected and the accepted, and the words on its sides."""
        x = left + slot * int((self.score < self.cut).sum())
        no, yes = self.words["decision"]
        x = min(max(x, 2), WIDTH - 2)
        return (f'<path class="dpx-cut" d="M{x} {TOP}V{HEIGHT - TOP + 18}"/><g aria-hidden="true">'
                f'<text x="{x - 8}" y="{HEIGHT - 5}" text-anchor="end">{escape(no)}</text>'
                f'<text x="{x + 8}" y="{HEIGHT - 5}">{escape(yes)}</text></g>')


def outline(label: int, x: int, y: int, r: int = RADIUS) -> str:
    """A circle for label 1, a square for label 0."""
    if label:
        return f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0-{2 * r} 0z"
    half = r - 1
    return f"M{x - half} {y - half}h{2 * half}v{2 * half}h-{2 * half}z"


def hatching(label: int, x: int, y: int, r: int = RADIUS) -> str:
    """Slanted lines inside the outline."""
    parts = []
    for offset in (-10, -5, 0, 5, 10):
        if label:
            half = math.sqrt(max((r - 1) ** 2 - offset ** 2, 0)) / math.sqrt(2)
            cx, cy = x + offset / math.sqrt(2), y + offset / math.sqrt(2)
            ends = (cx - half, cy + half, cx + half, cy - half)
        else:
            side, o = r - 1, offset * math.sqrt(2)
            low, high = max(-side, o - side), min(side, o + side)       # the line u + v = o inside the square
            ends = (x + low, y + o - low, x + high, y + o - high)
        parts.append("M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*ends))
    return "".join(parts)
