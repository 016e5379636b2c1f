"""More people than memory holds: their features are written into one file, once, and read from there a batch at a time."""
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check

__all__ = ["spool"]


def spool(chunks: Iterable[ArrayLike], path: str | os.PathLike[str]) -> np.memmap:
    """Write chunks of rows into one file, one after the other, and hand back all rows, on disk.

    Source: ours. What learns here reads a batch, or a block, of such rows at a time, and the rows are the same numbers as in memory: so are
    its releases, to the byte. Labels stay in memory, and everybody's weight on each group: 8 k bytes a person. An unfinished file is
    removed.

    Parameters
    ----------
    chunks : iterable of (n, d) arrays
        Read once; any n. All of one d.
    path : str or path
        A file that does not exist yet; it holds doubles and nothing else. X is public here, and so is the file.

    Returns
    -------
    numpy.memmap of shape (m, d), read-only

    Raises
    ------
    ValueError
        No chunk, chunks of different widths, entries that are no finite numbers; a file that exists, or cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X = spool((np.full((2, 3), i) for i in range(4)), pathlib.Path(folder) / "rows")
    ...     X.shape, float(X[-1, 0])
    ((8, 3), 3.0)
    """
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or "\0" in str(path):
        check.refuse("path", path, "not a path", "Give the name of a new file.")
    try:
        if isinstance(chunks, (str, bytes, dict)):
            raise TypeError
        coming = iter(chunks)
    except Exception as problem:        # whatever somebody's __iter__ raises
        check.refuse("chunks", chunks, "not something that gives one array after the other", "Give a generator or a list of arrays.",
                     problem)
    try:
        file = open(path, "xb")         # closed below, and removed where a chunk is refused
    except OSError as problem:
        check.refuse("path", os.fspath(path), f"cannot be made: {problem.strerror}", "Give the name of a new file in a folder of yours.",
                     problem)
    try:
        with file:
            m, d = _written(coming, chunks, file)
    except BaseException:
        os.unlink(path)
        raise
    return np.memmap(path, dtype=np.float64, mode="r", shape=(m, d))


def _written(coming: Any, chunks: Any, file: Any) -> tuple[int, int]:
    """Rows and columns that were written."""
    m, d = 0, None
    for chunk in coming:
        try:
            rows = check.rows("chunks", chunk, columns=d, low=-1e50, high=1e50)
        except ValueError as problem:
            wide = "" if d is None else f" with {d} columns, as the first has"
            check.refuse("chunks", chunks, f"holds, behind {m} rows, what is no table of finite numbers{wide}",
                         "Give arrays of shape (n, d), all of one d.", problem)
        d = rows.shape[1]
        m += len(rows)
        file.write(np.ascontiguousarray(rows, dtype=np.float64).tobytes())
    if not m or not d:
        check.refuse("chunks", chunks, "is empty: no row came", "Give at least one chunk, with rows and columns.")
    return m, d
