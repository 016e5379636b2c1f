"""Many whole numbers as a short text: the data a figure carries into the page.

Figures on a slider grid hold ten thousands of numbers that change slowly along a curve and from frame to frame. They are
rounded to a decimal step, differenced, and each difference is written as one or two printable characters. The player
(``player/*.js``) undoes this; ``unpack`` here is the same in Python, so that tests can read a page back.
"""
from __future__ import annotations

import numpy as np

__all__: list[str] = []

# No quote, backslash, <, >, & or `: safe inside JSON, HTML and a template literal. The first 64 end a number, the last 20 go before.
ALPHABET = "".join(chr(c) for c in range(35, 127) if chr(c) not in "\\<>&`'$%")
LAST, MORE = 64, len(ALPHABET) - 64


def encode(numbers: np.ndarray) -> str:
    """Signed whole numbers as text, small ones as one character.

    >>> encode(np.array([0, -1, 1, 40]))
    '#()l7'
    """
    out = []
    for z in np.where(numbers < 0, -2 * numbers - 1, 2 * numbers).tolist():
        text = ALPHABET[z % LAST]
        z //= LAST
        while z:
            text = ALPHABET[LAST + z % MORE] + text
            z //= MORE
        out.append(text)
    return "".join(out)


def decode(text: str) -> np.ndarray:
    """The inverse of ``encode``, as int64."""
    place = {c: i for i, c in enumerate(ALPHABET)}
    out, high = [], 0
    for c in text:
        i = place[c]
        if i >= LAST:
            high = high * MORE + i - LAST
        else:
            z = high * LAST + i
            out.append(-(z + 1) // 2 if z % 2 else z // 2)
            high = 0
    return np.array(out, dtype=np.int64)


def pack(frames: list[np.ndarray]) -> dict:
    """The shortest of a few differencings of the frames, each (n_f,) whole numbers.

    Returns ``{"q": text, "o": order of differences along the stream, "m": 1 if frames were first differenced with the frame
    before}``; ``m`` only where all frames have one length.
    """
    best: dict = {}
    for m in (0, 1) if len({f.size for f in frames}) == 1 else (0,):
        table = frames if not m else [f - g for f, g in zip(frames, [np.zeros_like(frames[0]), *frames[:-1]], strict=True)]
        stream = np.concatenate(table)
        for order in (0, 1, 2):
            text = encode(stream)
            if not best or len(text) < len(best["q"]):
                best = {"q": text, "o": order, "m": m}
            stream = np.diff(stream, prepend=0)
    return best


def unpack(packed: dict, lengths: list[int]) -> list[np.ndarray]:
    """The frames again, given how long each is."""
    stream = decode(packed["q"])
    for _ in range(packed["o"]):
        stream = np.cumsum(stream)
    frames = np.split(stream, np.cumsum(lengths)[:-1])
    return list(np.cumsum(frames, axis=0)) if packed["m"] else frames
