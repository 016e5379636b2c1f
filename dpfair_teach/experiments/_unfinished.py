"""What a sweep keeps on disk while it runs: a lock against a second run, and the finished rows, each line with its checksum.

A line is trusted only where this code, in this run, wrote it: the checksum covers the line and the header, the header names the
run's numbers, its settings and the package's source. Anything else is refused, not repaired.
"""
from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .. import _checks as check

__all__ = ["Unfinished", "alone", "source_hash", "text_hash"]


#: Windows has none, and nothing guards against two runs there.
fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None


def text_hash(parts: Iterable[str]) -> str:
    """One short hash of several texts; where one ends and the next begins matters."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:16]


def source_hash(package: Path) -> str:
    """One hash of all Python files under a folder, names and contents."""
    files = sorted(package.rglob("*.py"), key=lambda path: path.relative_to(package).as_posix())
    return text_hash(f"{path.relative_to(package).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold ``lock`` while the block runs, or refuse and say which process holds it.

    The operating system drops the hold when a process dies, however it dies: a file left behind by a dead one hinders nobody.
    """
    if fcntl is None:
        yield
        return
    try:
        file = _held(lock)
    except OSError as problem:
        check.refuse("out", str(lock), f"cannot be opened as a lock ({problem.strerror})",
                      "Remove what stands there, or write elsewhere.")
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the hold ends: nobody else's lock can be unlinked
        file.close()


def _held(lock: Path) -> IO[str]:
    """The open lock file, held by this process and with its number in it."""
    while True:
        file = open(lock, "a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            pid = file.read().strip() or "unknown"
            file.close()
            check.refuse("out", str(lock), f"process {pid} is writing that table", "Wait for it, or stop it, or write elsewhere.")
        # The holder before may have removed the file between our opening and our holding it: then a third could hold a new one.
        if lock.exists() and os.path.samestat(os.fstat(file.fileno()), os.stat(lock)):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            return file
        file.close()


class Unfinished:
    """The finished rows of a run that is not finished, one JSON record a line after a checksum; made where there is no such file."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self._salt = path, json.dumps(header, sort_keys=True)
        self.records: list[dict] = []
        if path.exists():
            self._read(header)
        else:
            self._write(self._salt, salt="")

    def append(self, record: dict) -> None:
        """Add one record and wait until it is on disk. A kill in the middle leaves a torn last line, which reading cuts off."""
        self._write(json.dumps(record), self._salt)

    def remove(self) -> None:
        """The run is finished."""
        self.path.unlink(missing_ok=True)

    def _write(self, text: str, salt: str) -> None:
        with open(self.path, "ab") as file:
            file.write(f"{text_hash([salt, text])} {text}\n".encode())
            file.flush()
            os.fsync(file.fileno())

    def _read(self, header: dict[str, Any]) -> None:
        if not self.path.is_file():
            check.refuse("out", str(self.path), "not a file, and stored rows go there", "Remove it and run again.")
        raw = self.path.read_bytes()
        whole = raw[:raw.rfind(b"\n") + 1]
        if len(whole) < len(raw):  # else the next record would be glued to the torn line
            with open(self.path, "r+b") as file:
                file.truncate(len(whole))
        first, *lines = whole.split(b"\n")[:-1] or [b""]
        if not whole:
            self._write(self._salt, salt="")
            return
        stored = self._record(first, "", 1)
        differ = sorted(key for key in stored.keys() | header.keys() if stored.get(key) != header.get(key))
        if differ:
            check.refuse("out", str(self.path), f"holds rows of another run: {', '.join(differ)} differ",
                          "Give the same to continue it, or delete that file to start anew.")
        self.records = [self._record(line, self._salt, number) for number, line in enumerate(lines, start=2)]

    def _record(self, line: bytes, salt: str, number: int) -> dict:
        checksum, _, text = line.decode(errors="replace").partition(" ")
        if checksum != text_hash([salt, text]):
            check.refuse("out", str(self.path),
                          f"its line {number} is not as a run of this library wrote it: its stored rows cannot be read",
                          "Delete that file and run again.")
        return json.loads(text)
