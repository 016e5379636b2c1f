"""A state in a file: written so that a kill leaves the old file or the new one, and read back byte by byte."""
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from .. import _checks as check
from .state import State

__all__: list[str] = []     # the loop writes and reads them

#: Raised with every change of what stands in the file.
FORMAT = 1
_HEADER, _VALUES = "header", "values/"
#: Bytes of an array that are read together.
BLOCK = 2**22
REMEDY = "Remove it to start anew, or name another file."


class Read(NamedTuple):
    """What a checkpoint holds."""

    state: State
    rows: list[dict[str, float]]


# ---------------------------------------------------------------------------------------------------------- what the run is

def digest(run: object) -> str:
    """A hash of what a run is: numbers, texts, arrays, records, and lists and dicts of such."""
    seen = hashlib.sha256()
    _add(seen, run)
    return seen.hexdigest()


def _add(seen: Any, thing: object) -> None:
    """Each kind with its name and its length, so that no two things look alike."""
    if isinstance(thing, np.generic):
        thing = np.asarray(thing)
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes)):
        _tagged(seen, type(thing).__name__, repr(thing).encode())
    elif isinstance(thing, np.ndarray) and thing.dtype.kind in "biufcSU":
        seen.update(f"array {thing.dtype.str} {thing.shape} {thing.nbytes}:".encode())
        rows = thing.reshape(-1, *thing.shape[1:]) if thing.ndim else thing.reshape(1)
        some = max(1, BLOCK // max(1, rows[:1].nbytes))       # rows at a time: a memmap is not to come into memory whole
        for at in range(0, len(rows), some):
            seen.update(np.ascontiguousarray(rows[at:at + some]).tobytes())
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        _add(seen, (type(thing).__qualname__, {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing)}))
    elif isinstance(thing, Mapping):
        _tagged(seen, "dict", str(len(thing)).encode())
        for key in sorted(thing, key=repr):
            _add(seen, key)
            _add(seen, thing[key])
    elif isinstance(thing, (list, tuple)):
        _tagged(seen, "list", str(len(thing)).encode())
        for entry in thing:
            _add(seen, entry)
    else:
        check.refuse("run", thing, "is no number, text, array or record, nor a list or dict of such",
                     "Say what the run is by those: its settings and its data.")


def _tagged(seen: Any, kind: str, content: bytes) -> None:
    seen.update(f"{kind} {len(content)}:".encode())
    seen.update(content)


# ---------------------------------------------------------------------------------------------------------- the generator

def spawned(rng: np.random.Generator | None) -> int:
    """How many generators were made from this one, which its own state does not tell."""
    return 0 if rng is None else getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0)


def _as_json(part: Any) -> Any:
    """The state of a bit generator, whose numbers and arrays of numbers json keeps."""
    if isinstance(part, dict):
        return {key: _as_json(value) for key, value in part.items()}
    if isinstance(part, np.ndarray):
        return {"dtype": part.dtype.str, "array": part.tolist()}
    return part.item() if isinstance(part, np.generic) else part


def _from_json(part: Any) -> Any:
    if isinstance(part, dict):
        return np.array(part["array"], part["dtype"]) if set(part) == {"dtype", "array"} else {k: _from_json(v) for k, v in part.items()}
    return part


def _resume_generator(path: Path, rng: np.random.Generator | None, stored: Any) -> None:
    """The run's own generator, set to where the stopped run's was."""
    known = None if rng is None else rng.bit_generator.state["bit_generator"]
    with _reading(path):
        its = stored if stored is None else stored["bit_generator"]
    if known != its:
        check.refuse("checkpoint", str(path), f"its run draws from {its}, and this one from {known}", "Give a generator of the same kind.")
    if rng is not None:
        with _reading(path):
            rng.bit_generator.state = _from_json(stored)


# ---------------------------------------------------------------------------------------------------------- the file

def part_of(path: Path) -> Path:
    """The file beside it that is written first."""
    return path.with_name(path.name + ".part")


def write(path: Path, state: State, rows: list[dict[str, float]], run: str) -> None:
    """The state beside the file, on the disk, then in its place. Nobody else may read it."""
    _refuse_shared(state)
    header = {"format": FORMAT, "run": run, "round": state.round, "rows": rows,
              "rng": None if state.rng is None else _as_json(state.rng.bit_generator.state)}
    with _writing(path, "Make room, or mend what else it is, and call again"
                  f"{': it goes on from the checkpoint before' if path.exists() else ''}."):
        with _new(part_of(path)) as file:
            np.savez(file, allow_pickle=False, **{_HEADER: np.frombuffer(json.dumps(header).encode(), np.uint8)},
                     **{_VALUES + name: value for name, value in state.values.items()})
            file.flush()
            os.fsync(file.fileno())
        os.replace(part_of(path), path)
        _sync_folder(path.parent)


def _new(part: Path) -> IO[bytes]:
    """A new file that its owner alone may read, in place of what a run left that was killed while it wrote."""
    part.unlink(missing_ok=True)
    return os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


@contextmanager
def _writing(path: Path, remedy: str = "Name a file in a folder that can be written.") -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        with suppress(OSError):             # half a file takes up room, and is as secret as a whole one
            part_of(path).unlink(missing_ok=True)
        check.refuse("checkpoint", str(path), f"cannot be written ({problem.strerror})", remedy, problem)


def refuse_unwritable(path: Path) -> None:
    """Before the first round, and not after a hundred."""
    with _writing(path):
        if path.is_dir():
            check.refuse("checkpoint", str(path), "is a folder", "Name a file in it.")
        _new(part_of(path)).close()
        part_of(path).unlink()


def _sync_folder(folder: Path) -> None:
    """The new name on the disk too, where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def path_of(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or "\0" in str(path):
        check.refuse("checkpoint", path, "not a path", "Give the name of a file.")
    return Path(path)


def values_of(path: Any, run: object) -> dict[str, np.ndarray] | None:
    """The arrays of a killed run, None where there is no file: for a run that asks once before its first step, and is not to ask again.

    What the loop would refuse of the file it refuses before anything is asked.
    """
    path = path_of(path)
    refuse_unwritable(path)
    return _stored(path, digest(run))[1] if path.exists() else None


def _stored(path: Path, run: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a file of this run."""
    with _reading(path), open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
        header = json.loads(file[_HEADER].tobytes())
        # Interned, as names in source are: a pickle tells one text met twice from two equal ones.
        values = {sys.intern(name.removeprefix(_VALUES)): file[name] for name in file.files if name != _HEADER}
        version, its = header["format"], header["run"]
    if version != FORMAT:
        check.refuse("checkpoint", str(path), f"has format {version}, and this version reads {FORMAT}",
                     "Finish that run with the version that wrote it, or remove the file to start anew.")
    if its != run:
        check.refuse("checkpoint", str(path), "belongs to another run: other data, settings or algorithm", REMEDY)
    return header, values


def read(path: Path, start: State, run: str) -> Read:
    """The stored state, for a run that starts from ``start``; whose generator is set."""
    header, values = _stored(path, run)
    with _reading(path):
        rows = [{sys.intern(name): value for name, value in row.items()} for row in header["rows"]]
        state = State(values, start.rng, header["round"])
    if kinds(values) != kinds(start.values):
        check.refuse("checkpoint", str(path), f"holds {kinds(values)}, and this run starts from {kinds(start.values)}", REMEDY)
    _resume_generator(path, start.rng, header["rng"])
    return Read(state, rows)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as problem:        # whatever somebody else's bytes make zip, npy or json raise
        check.refuse("checkpoint", str(path), "is a file, and no checkpoint that can be read", REMEDY, problem)


def kinds(values: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Name -> dtype and shape."""
    return {name: f"{value.dtype} {value.shape}" for name, value in sorted(values.items())}


def remove(path: Path) -> None:
    for one in (path, part_of(path)):
        one.unlink(missing_ok=True)


def _refuse_shared(state: State) -> None:
    names = list(state.values)
    for i, one in enumerate(names):
        for other in names[:i]:
            if np.may_share_memory(state.values[one], state.values[other]):
                check.refuse("state", [other, one], "are two names for the same memory, and after a resume would be two arrays",
                             "Keep one of them in the state, or a copy.")


def number(name: str, value: object) -> float:
    """A number of a history's row, as it is kept."""
    if isinstance(value, (float, np.floating)):
        return float(value)             # not finite too: a loss that overflows is worth a row
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    try:
        return check.number("history", value)
    except ValueError as problem:
        check.refuse("history", value, f"is what history(state) returned for {name!r}, and not one number",
                     f'Return one, for instance {{"{name}": float(x)}}.', problem)
