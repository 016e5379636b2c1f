"""Which of the known files is this? For copies you downloaded yourself."""
from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pandas as pd

from .. import _checks as check
from ._communities import content_digest
from ._registry import ADULT, BANK, BANK_ROWS, CENSUS, COMMUNITIES, COMMUNITIES_DIGEST, COMMUNITIES_UCI, COMPAS
from ._sources import CorruptData, unpack

__all__ = ["identify"]

_KNOWN = (*COMMUNITIES, COMMUNITIES_UCI, *ADULT, *BANK, BANK_ROWS, *COMPAS, *CENSUS)


def identify(path: str | os.PathLike) -> str:
    """The name under which this library knows a file, by its bytes and not by what it is called.

    Copies of UCI's ``communities.data`` circulate with two kinds of line ends; both are accepted, by the digest of their numbers.

    Source: none in the papers; the library's own register of files.

    Parameters
    ----------
    path : str or path
        A file, plain or ``.gz``.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        There is no such file, or (``CorruptData``) its bytes are not known; the message names the file and the hashes.

    Examples
    --------
    >>> from importlib import resources
    >>> identify(resources.files("dpfair_teach.data") / "files" / "adult.data.gz")
    'adult.data'
    """
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes) or not os.path.isfile(path):
        check.refuse("path", path, "not a file", "Give the path of a file you can read.")
    content = Path(path).read_bytes()
    content = unpack(content, str(path)) if content[:2] == b"\x1f\x8b" else content
    got = hashlib.sha256(content).hexdigest()
    for record in _KNOWN:
        if got == record.sha256:
            return record.name
    if _communities_numbers(content) == COMMUNITIES_DIGEST:
        return COMMUNITIES_UCI.name
    raise CorruptData(f"path: {path} has sha256 {got}, which is none of the known: "
                      + ", ".join(f"{r.name} {r.sha256}" for r in _KNOWN) + ". Download an unchanged copy.")


def _communities_numbers(content: bytes) -> str:
    """Content digest of a headerless table of Communities and Crime, or "" where it is no such table."""
    try:
        return content_digest(pd.read_csv(io.BytesIO(content), header=None, na_values="?", low_memory=False))
    except (ValueError, TypeError):  # what pandas raises for bytes that are no such table
        return ""
