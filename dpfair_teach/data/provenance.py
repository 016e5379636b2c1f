"""Where data come from, in a record that travels with them."""
from __future__ import annotations

from dataclasses import dataclass

from .. import _checks as check

__all__ = ["Provenance"]


@dataclass(frozen=True)
class Provenance:
    """Where data come from and what was done to them; printed with every result.

    Source: none in the papers; the rules of this book for data.

    Parameters
    ----------
    source : str
        Who made the data, in words, with an address where there is one.
    files : tuple of (str, str)
        Name and sha256 (of the uncompressed bytes) of each file read.
    place : str
        Where those bytes were found: ``"embedded"``, ``"folder"``, ``"cache"``, ``"url"``, ``"pypi"``, or ``"made here"``.
    archive : str
        The one archive those bytes were unpacked from, with its sha256: the archive on PyPI, or what the address gave. Empty for
        a file that lay in the folder or the cache.
    licence, attribution : str
        The terms of use, and the words its owners ask to see.
    rules : tuple of (str, str)
        What ``group``, ``label`` and ``features`` mean here, each in words.
    dropped : tuple of (int, str)
        How many rows were left out, and why, in the order in which it was done.

    Raises
    ------
    ValueError
        A field of the wrong kind.

    Examples
    --------
    >>> p = Provenance("ten invented people", rules=(("group", "given"),), licence="CC BY 4.0")
    >>> p.rules_as_dict["group"]
    'given'
    """

    source: str
    files: tuple[tuple[str, str], ...] = ()
    place: str = "made here"
    archive: str = ""
    licence: str = ""
    attribution: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        check.text("source", self.source)
        for name in ("place", "archive", "licence", "attribution"):
            if not isinstance(getattr(self, name), str):
                check.refuse(name, getattr(self, name), "not a text", f"Give {name} as a string.")
        for name, kinds in (("files", (str, str)), ("rules", (str, str)), ("dropped", (int, str))):
            object.__setattr__(self, name, _pairs(name, getattr(self, name), kinds))

    @property
    def rules_as_dict(self) -> dict[str, str]:
        """The rules, by the name of the argument of ``load`` they answer."""
        return dict(self.rules)

    def __str__(self) -> str:
        lines = [f"source: {self.source}", f"found: {self.place}"]
        lines += [f"file: {name}, sha256 {digest}" for name, digest in self.files]
        lines += [f"{name}: {getattr(self, name)}" for name in ("archive", "licence", "attribution") if getattr(self, name)]
        lines += [f"{name}: {meaning}" for name, meaning in self.rules]
        lines += [f"left out: {count:,} rows, {why}" for count, why in self.dropped]
        return "\n".join(lines)


def _pairs(name: str, value: object, kinds: tuple[type, type]) -> tuple:
    """A tuple of pairs of the two types."""
    found = tuple(check.entries(name, value, "a list of pairs", f"Give {name} as a tuple of pairs."))
    for pair in found:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(v, t) for v, t in zip(pair, kinds, strict=True)):
            check.refuse(name, pair, f"not a pair ({kinds[0].__name__}, {kinds[1].__name__})", f"Give {name} as a tuple of such pairs.")
    return found
