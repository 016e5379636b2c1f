"""The kernels of checked notebooks talk through files: two that start at once may both be given the port that was free a moment ago.

    PYTHONPATH=tests python -m pytest -p kernels --nbval ...
"""
from __future__ import annotations

import itertools
import socket
import tempfile
from pathlib import Path
from typing import Any

import nbval.kernel
from jupyter_client.manager import KernelManager

FOLDER = tempfile.TemporaryDirectory(prefix="kernels-")
COUNT = itertools.count(1)


def manager(**settings: Any) -> KernelManager:
    """Of a kernel whose sockets have names that no other kernel has."""
    return KernelManager(transport="ipc", ip=str(Path(FOLDER.name) / str(next(COUNT))), **settings)


if hasattr(socket, "AF_UNIX"):
    nbval.kernel.KernelManager = manager
