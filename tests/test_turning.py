"""What `make test` leaves to `make nightly`: everything has its day, what changed never waits, a test that is named runs whole."""
from __future__ import annotations

import ast
import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import dpfair_teach
import faults
import mutants
import test_floors
import turning

ROOT = Path(__file__).resolve().parents[1]
CASES = [f"case {number}" for number in range(10)]


@pytest.fixture(autouse=True)
def not_quickly(monkeypatch):
    monkeypatch.delenv("QUICK", raising=False)


@pytest.fixture
def on(monkeypatch):
    """Set the day; by default no night."""
    monkeypatch.delenv("NIGHTLY", raising=False)
    return lambda day: monkeypatch.setenv("TEST_DATE", (datetime.date(2026, 11, 23) + datetime.timedelta(day)).isoformat())


def test_every_case_has_one_day_in_so_many(on, monkeypatch):
    turns = []
    for day in range(7):
        on(day)
        turns.append(turning.chosen(CASES, 7, new=()))
    assert [sum(case) for case in zip(*turns, strict=True)] == [1] * 10 and max(map(sum, turns)) == 2
    monkeypatch.setenv("NIGHTLY", "1")
    assert all(turning.chosen(CASES, 7, new=()))


def test_what_is_called_after_a_changed_file_runs_every_day(on):
    pages = ["book/notebooks/05-equalized-odds.html", "book/notebooks/06-dp-postprocessing.html"] * 5
    for day in range(7):
        on(day)
        today = turning.chosen(pages, 10, new=["book/chapters/05-equalized-odds.md", "README.md"])
        assert all(today[0::2]) and sum(today[1::2]) <= 1


def test_what_is_about_a_changed_folder_runs_every_day():
    about = ["book/_static", "dpfair_teach/explore/player.js"]
    for name, now in (("book/_static/folds.js", True), ("dpfair_teach/explore/player.js", True), ("book/_statically.py", False),
                      ("dpfair_teach/explore/figure.py", False)):
        assert turning.touched(about, new=["README.md", name]) is now
    assert not turning.touched((), new=["README.md"]) and not turning.touched(about, new=())


def test_a_case_of_a_public_name_runs_while_its_room_or_one_that_it_reads_is_changed(on, monkeypatch):
    cases = ["games.dp_oracle_learner, k=2", "baselines.PrivateReduction, k=2", "data.load", "lagrangian.pf_ld"] * 7
    on(0)
    for file, rooms in (("games/play.py", {"games", "baselines"}), ("mechanisms/noise.py", {"games", "baselines", "lagrangian"}),
                        ("_checks.py", {"games", "baselines", "lagrangian", "data"}), ("explore/player.js", set())):
        today = turning.chosen(cases, 7, new=[f"dpfair_teach/{file}"])
        always = {case.partition(".")[0] for case in cases if all(now for name, now in zip(cases, today, strict=True) if name == case)}
        assert always == rooms
    monkeypatch.setenv("QUICK", "1")
    today = turning.chosen(cases, 7, new=["dpfair_teach/games/play.py"])
    assert {case.partition(".")[0] for case, now in zip(cases, today, strict=True) if now} >= {"games"} and not all(today[1::4])


@pytest.mark.parametrize("file, room", [
    ("dpfair_teach/games/play.py", "games"), ("dpfair_teach/attacks.py", "attacks"), ("tests/games/test_games_play.py", "games"),
    ("tests/test_accounting_pld.py", "accounting"), ("tests/test_fairness.py", "fairness"), ("tests/test_mechanisms_laws.py", "mechanisms"),
    ("tests/studies/test_study.py", "studies"), ("tests/test_published.py", "")])
def test_of_which_room_a_file_of_tests_is(file, room):
    assert turning.about(ROOT / file) == room and (ROOT / file).is_file()


def test_rooms_read_what_they_import_and_the_face_has_the_rooms_of_its_names():
    found = {}
    for module, names in test_floors.MODULES.items():
        if len(module) > 1:
            found.setdefault(module[1], set()).update(test_floors.rooms_of(names) & set(test_floors.FLOORS) - {module[1]})
    read = turning.read_by_rooms()
    assert {room: read.get(room, set()) & set(test_floors.FLOORS) - {room} for room in found} == found
    assert turning.OF_THE_FACE.items() <= dpfair_teach._FROM.items()


@pytest.mark.parametrize("file, new, waits", [
    ("tests/test_oracles_regression.py", "dpfair_teach/games/regression_private.py", False),
    ("tests/test_attacks.py", "dpfair_teach/mechanisms/noise.py", False), ("tests/test_attacks.py", "dpfair_teach/oneshot/basis.py", True),
    ("tests/games/test_games_play.py", "dpfair_teach/postprocessing/highs.py", False),
    ("tests/explore/test_explorer_errors.py", "tests/explore/conftest.py", False), ("tests/test_audit.py", "tests/conftest.py", False)])
def test_a_file_waits_for_nothing_that_it_imports_itself(file, new, waits):
    assert turning.rests(ROOT / file, frozenset([new])) is waits


@pytest.mark.parametrize("new, waits", [
    ("README.md", True), ("dpfair_teach/explore/explorer.py", True), ("dpfair_teach/functional/moments.py", True),
    ("tests/games/test_games_play.py", True), ("dpfair_teach/games/learner.py", False), ("dpfair_teach/mechanisms/noise.py", False),
    ("tests/games/test_games_notions.py", False), ("tests/plays.py", False)])
def test_tests_of_a_room_wait_while_nothing_that_they_try_is_changed(new, waits):
    assert turning.rests(ROOT / "tests/games/test_games_notions.py", frozenset([new])) is waits
    assert not turning.rests(ROOT / "tests/test_published.py", frozenset([new]))        # it is about all rooms
    assert turning.rests(ROOT / "tests/studies/test_study.py", frozenset([new])) is (not new.startswith("dpfair_teach"))


def test_a_notebook_is_run_on_its_day_and_while_its_chapter_or_a_room_that_it_imports_is_changed(on):
    days = []
    for day in range(turning.REST):
        on(day)
        days.append(set(turning.notebooks(new=())))
        for file, more in (("book/chapters/15-networks.md", "15-networks"), ("dpfair_teach/networks/network.py", "15-networks"),
                           ("dpfair_teach/separation/forms.py", "13-the-separation"), ("dpfair_teach/_checks.py", "index")):
            today = set(turning.notebooks(new=[file]))
            assert today >= days[-1] | {f"book/notebooks/{more}.ipynb"}
    every = {str(path.relative_to(ROOT)) for path in (ROOT / "book/notebooks").glob("*.ipynb")}
    assert set.union(*days) == every and sum(map(len, days)) == len(every)


def test_pages_that_are_all_made_anew_wait_for_their_turn(on):
    pages = [f"book/notebooks/{number:02}-x.html" for number in range(9)]
    anew = [page.replace(".html", ".ipynb") for page in pages]
    for day in range(3):
        on(day)
        assert turning.chosen(pages, 3, new=anew) == turning.chosen(pages, 3, new=())
        assert sum(turning.chosen(pages, 3, new=[*anew, "book/chapters/04-x.md"])) in (3, 4)
        assert turning.chosen(pages, 3, new=[*anew, "book/chapters/04-x.md"])[4]


def test_the_changes_of_a_branch_of_main_and_of_a_clone_without_history(tmp_path):
    def git(folder, *words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    def commit(name):
        (book / name).write_text("x\n")
        git(book, "add", "-A")
        git(book, "commit", "-m", name)

    book = tmp_path / "book"
    book.mkdir()
    git(book, "init")
    for number in range(turning.RECENT + 3):
        commit(f"old {number}")
    assert turning.changed(book) == {f"old {number}" for number in range(3, turning.RECENT + 3)}
    assert turning.told(book).endswith(": 5 in the last 5 commits")
    turning.changed.cache_clear(), turning.since.cache_clear()
    git(book, "checkout", "-b", "work")
    commit("mine")
    (book / "not yet committed").write_text("x\n")
    assert turning.changed(book) == {"mine", "not yet committed"}
    assert re.search(r": 2 since [0-9a-f]{9}, where this branch left main$", turning.told(book))
    for branch in ("main", "work"):                                 # one commit of either: what was before it is not known
        clone = tmp_path / f"clone of {branch}"
        git(tmp_path, "clone", "--depth", "1", "--branch", branch, book.as_uri(), str(clone))
        assert turning.changed(clone) == set()
        assert turning.told(clone).endswith(": 0 not yet committed; git knows one commit only, not what came before it")
    git(tmp_path, "clone", "--depth", "3", "--branch", "main", book.as_uri(), "three")
    assert turning.changed(tmp_path / "three") == {f"old {number}" for number in (6, 7)}
    assert turning.told(tmp_path / "three").endswith(": 2 in the last 2 commits, and git knows no earlier ones")
    (tmp_path / "unpacked").mkdir()
    assert turning.changed(tmp_path / "unpacked") == set()
    assert turning.told(tmp_path / "unpacked").endswith(": 0 git tells nothing here, so none is known to be changed")


def test_without_git_the_part_of_the_day_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert turning.changed(tmp_path) == set() and "git tells nothing here" in turning.told(tmp_path)


def test_on_a_server_git_knows_all_commits_and_once_a_week_everything_runs():
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf8"))
    job = flow["jobs"]["checks"]
    checkout = next(step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout"))
    assert checkout["with"]["fetch-depth"] == 0
    assert flow[True]["schedule"]                                   # YAML reads `on` as yes
    assert "make ${{ github.event_name == 'schedule' && 'nightly' || 'test' }}" in [step.get("run") for step in job["steps"]]
    assert re.fullmatch(r"\$\{\{ github.event_name == 'schedule' && (\d+) \|\| (\d+) \}\}", job["timeout-minutes"])


TESTS = """
import pytest
def test_plain(): pass
@pytest.mark.nightly
def test_at_night(): pass
@pytest.mark.turning(3)
@pytest.mark.parametrize("n", range(3))
def test_by_turns(n): pass
@pytest.mark.turning(3)
def test_some_day(): pass
"""


@pytest.mark.slow
def test_which_tests_run(tmp_path):
    for name in ("conftest.py", "turning.py"):
        (tmp_path / name).write_text((ROOT / "tests" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")

    def passed(*words, **variables):
        environment = {key: value for key, value in os.environ.items() if key not in ("NIGHTLY", "QUICK")} | {
            "TEST_DATE": "2026-11-23", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables
        run = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), *words]
        said = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
        return {line.split("::")[1].split(" ")[0] for line in said.splitlines() if "PASSED" in line}

    days = [passed("test_it.py", TEST_DATE=f"2026-11-{23 + day}") for day in range(3)]
    every = {"test_plain", "test_some_day", *(f"test_by_turns[{n}]" for n in range(3))}
    assert set.union(*days) == every and all("test_plain" in day for day in days)
    assert all(sum(name in day for day in days) == 1 for name in every - {"test_plain"})
    assert passed("test_it.py", NIGHTLY="1") == every | {"test_at_night"}
    assert passed("test_it.py::test_at_night", "test_it.py::test_some_day", "test_it.py::test_by_turns") == every - {"test_plain"} | {
        "test_at_night"}


@pytest.mark.slow
def test_every_fault_has_its_day_and_those_of_changed_files_have_every_day(on, monkeypatch, capsys):
    met, home = set(), faults.file_of(mutants.MUTANTS["violation_halved"]).relative_to(ROOT)
    monkeypatch.setattr(turning, "changed", lambda root=ROOT: frozenset({str(home), "tests/test_fairness_gap_bounds.py"}))
    for day in range(mutants.DAYS):
        on(day)
        today = mutants.todays()
        assert {"violation_halved", "gap_margin_halved"} <= today and len(today) < len(mutants.MUTANTS) / 2
        assert f"TEST_DATE={turning.day()}" in capsys.readouterr().out
        met |= today
    assert met == set(mutants.MUTANTS)
    monkeypatch.setenv("NIGHTLY", "1")
    assert mutants.todays() == set(mutants.MUTANTS)


@pytest.mark.slow
def test_a_changed_test_meets_its_faults_wherever_they_stand():
    for file in ("tests/book/test_statements.py", "tests/games/test_games_play.py"):
        its = {name for _, test, name in mutants.rows_of(set(mutants.MUTANTS)) if test.startswith(file)}
        assert its - set(faults.by_file().get(ROOT / file, ())), "all stand beside it: another file is to be tried"
        assert its <= mutants.of_changed_files(frozenset({file}))


@pytest.mark.slow
def test_no_statement_waits_for_its_test():
    """What the ledger names runs in `make test` every day that its room, or one that this reads, is changed."""
    named: dict[str, set[str]] = {}
    for file, test in re.findall(r"^  test: (\S+)::(\S+)$", (ROOT / "book" / "theorems.yml").read_text(encoding="utf8"), re.M):
        named.setdefault(file, set()).add(test)
    assert len(named) > 20
    for file, tests in named.items():
        body = ast.parse((ROOT / file).read_text(encoding="utf8")).body
        marks = [ast.unparse(node) for node in body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node.targets[0])]
        marks += [ast.unparse(mark) for node in body if getattr(node, "name", "") in tests for mark in node.decorator_list]
        assert not [mark for mark in marks if "turning" in mark or "nightly" in mark], f"{file}: a statement waits for its day"
