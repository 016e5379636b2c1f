"""A class is marked: whose a file is, what is best, late, the same as another's; what is no answer; from the command line, too."""
from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest

from dpfair_teach import exercises
from dpfair_teach.exercises import __main__ as command
from dpfair_teach.exercises._shapes import Misshapen, read

HERE = Path(tempfile.mkdtemp())
(HERE / "roster.csv").write_text("student,received\nada,2026-10-05\n")
KEY = str(Path(__file__).with_name("course.key"))
VALID_CALLS = {
    "exercises.names": dict,
    "exercises.params": lambda: dict(name="betrayed_bits", student="ada", term="trial", key=KEY),
    "exercises.check": lambda: dict(name="betrayed_bits", answer={}, student="ada", term="trial", key=KEY),
    "exercises.self_check": lambda: dict(name="betrayed_bits", answer={}, student="ada", term="trial", key=KEY, folder=str(HERE)),
    "exercises.grade": lambda: dict(roster=str(HERE / "roster.csv"), answers=str(HERE), term="trial", due="2026-10-05", key=KEY,
                                    asked=["radon"]),
}
HALF = {"coins": [["1/2", "1/2"], ["1/2", "1/2"]], "prices": [0, 0, 0]}


def handed(answer=HALF, exercise="certificate", term="trial"):
    return json.dumps({"exercise": exercise, "term": term, "answer": answer})


def nested(depth):
    return "[" * depth + "]" * depth


#: What is handed in, and a piece of the one line that is said of it.
WRONG = {
    "no JSON": ("coins = 1/2", "no JSON"), "empty": ("", "no JSON"), "not text": (b"\xff\xfe\x00\xd8", "no JSON"),
    "brackets": (nested(200_000), "no JSON"), "long": ('"' + "x" * 1_100_000 + '"', "too long"),
    "a list of nothing": ("[]", "no answer"), "null": ("null", "no JSON"),
    "unknown exercise": (handed(exercise="certificates"), "'certificates' is no assignment"),
    "exercise is a number": (handed(exercise=5), "5 is no assignment"),
    "many exercises": (json.dumps([{"exercise": f"e{i}"} for i in range(20_000)]), "'e0' is no assignment"),
    "a file of the machinery": (handed(exercise="_draw"), "is no assignment"),
    "other term": (handed(term="last"), "is of the term 'last'"), "no term": ('{"exercise": "certificate"}', "is of the term None"),
    "no answer": ('{"exercise": "certificate", "term": "trial"}', "the answer is None; it must be an object"),
    "field missing": (handed({"coins": HALF["coins"]}), "the field 'prices' is missing"),
    "field misspelt": (handed(HALF | {"price": 1}), "the field 'price' is not asked for"),
    "NaN": (handed(HALF | {"prices": [0, 0, "x"]}).replace('"x"', "NaN"), "prices[2] is nan; it must be a number"),
    "1e400": (handed(HALF | {"prices": [0, 0, "x"]}).replace('"x"', "1e400"), "prices[2] is inf"),
    "a true coin": (handed(HALF | {"prices": [0, 0, True]}), "prices[2] is True"),
    "5,000 digits": (handed(HALF | {"prices": [0, 0, "x"]}).replace('"x"', "9" * 5000), "no JSON"),
    "a long fraction": (handed(HALF | {"prices": [0, 0, "1/" + "3" * 90]}), "prices[2] is '1/333"),
    "no denominator": (handed(HALF | {"prices": [0, 0, "1/0"]}), "prices[2] is '1/0'"),
    "three groups": (handed(HALF | {"coins": [[1, 1, 1], [1, 1, 1]]}), "coins[0] is a list of 3; it must be a list of 2"),
    "not best": (handed(), "the prices prove no more than"),
}


def class_of(tmp_path, files, students=("ada", "bob", "cy"), extra=""):
    (tmp_path / "roster.csv").write_text("student\n" + "\n".join(students) + "\n" + extra)
    (tmp_path / "in").mkdir()
    for name, text in files.items():
        (tmp_path / "in" / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "roster.csv", tmp_path / "in", "trial"


def test_a_class_of_100_with_wrong_and_hostile_answers_is_marked_in_two_seconds(tmp_path):
    """Every mark as stated; what one hands in costs nobody else."""
    kinds = list(WRONG.values())
    students = [f"s{i:03}" for i in range(100)]
    given = class_of(tmp_path, {f"{student}-x.json": kinds[i % len(kinds)][0] for i, student in enumerate(students)}, students)
    start = time.process_time()
    rows = exercises.grade(*given)
    assert time.process_time() - start < 2
    of = {row["student"]: row for row in rows if row["file"]}
    for i, student in enumerate(students):
        assert of[student]["points"] == 0 and kinds[i % len(kinds)][1] in of[student]["reason"], of[student]
        assert "\n" not in of[student]["reason"] and len(of[student]["reason"]) < 300


def test_the_best_of_several_counts_and_whose_it_is_says_the_roster(tmp_path):
    """A longer id is nobody else's file; a file that says another name is still its owner's; a stranger's is named."""
    files = {"ann-1.json": "no", "ann-2.json": handed(), "anna.json": handed(HALF | {"student": "ann"}), "zed.json": handed(),
             "ann.txt": "not looked at", "anna (1).ipynb": "{}"}
    given = class_of(tmp_path, files, ["ann", "anna", "ben"])
    found = exercises.grade(*given)
    rows = {(row["student"], row["exercise"]): row for row in found}
    assert rows["ann", "certificate"]["file"] == "ann-2.json"
    assert [row["reason"][:7] for row in found if row["student"] == "ann" and not row["exercise"]] == ["no JSON", "is no ."]
    assert "'student' is not asked for" in rows["anna", "certificate"]["reason"]
    assert rows["ben", "certificate"]["reason"] == "nothing was handed in" and rows["ben", "certificate"]["of"] == 10
    assert rows["", ""]["reason"] == "no id of the roster begins its name" and rows["", ""]["file"] == "zed.json"


def test_whose_a_file_is_when_ids_begin_each_other_is_said_and_letters_of_all_scripts_continue_an_id(tmp_path):
    given = class_of(tmp_path, {"ann-1-x.json": handed(), "annä.json": handed(), "ann.JSON": handed()}, ["ann", "ann-1"])
    ann, other, *doubtful = exercises.grade(*given)
    assert (ann["file"], other["file"]) == ("ann.JSON", "ann-1-x.json")
    assert [row["reason"] for row in doubtful] == ["ann and ann-1 begin its name: counted for ann-1", "no id of the roster begins its name"]


def test_links_folders_depths_and_lengths_stop_nobody(tmp_path):
    """Of depths one is the deepest that can be read; from a deeper place in the program it could not be written again."""
    saved = {"cells": [{"outputs": [{"metadata": {exercises.SAVED: json.loads(handed([0] * 500_000))}}]}]}
    students = ["ada", "bob", "cy", "deep0", "deep1", "deep2", "eve"]
    given = class_of(tmp_path, {"cy.json": handed(), "eve.ipynb": json.dumps(saved)}, students)
    (given[1] / "ada.json").symlink_to("nowhere")
    (given[1] / "bob").mkdir()                          # nothing lies in it
    for depth in range(880, 1000):
        (given[1] / f"deep{depth % 3}-{depth}.json").write_text(handed("X").replace('"X"', nested(depth)))
    reasons = {row["file"]: row["reason"] for row in exercises.grade(*given)}
    assert reasons["ada.json"] == "a link or a folder is no answer"
    assert "prove no more" in reasons["cy.json"] and "the answer is too long" in reasons["eve.ipynb"]


def test_what_a_platform_hands_out_is_whose_the_roster_says(tmp_path):
    """Moodle's folders and Canvas's names begin by a column of the roster; ids may lie in folders, capitals do not matter."""
    roster, folder, term = class_of(tmp_path, {"baada_12_3_radon.json": handed(), "zoe.pdf": "%PDF"})
    roster.write_text("Student,download\nada@x.org,baada\nBob,Bob Ro\ncy,\nzoe,\n,\n")
    for name in ("Bob Ro_123_assignsubmission_file_", "more/CY-late", "__MACOSX", ".ipynb_checkpoints"):
        (folder / name).mkdir(parents=True)
        (folder / name / "answer.json").write_text(handed())
    (folder / "Bob Ro_123_assignsubmission_file_" / "ada@x.org-9.json").write_text(handed())       # it is Bob's all the same
    found = exercises.grade(roster, folder, term)
    assert not [row for row in found if not row["student"]]
    rows = {row["student"]: row for row in found if row["file"]}
    assert sorted(rows) == ["ada@x.org", "bob", "cy", "zoe"]
    assert rows["zoe"]["reason"] == "is no .json and no .ipynb, so it was not read" and rows["cy"]["file"] == "more/CY-late/answer.json"
    assert all("prove no more" in rows[student]["reason"] for student in ("ada@x.org", "bob", "cy"))
    assert exercises.params("radon", "BOB", term) == exercises.params("radon", "bob", term)


def test_what_was_set_is_listed_and_nothing_else_and_none_is_no_answer(tmp_path):
    given = class_of(tmp_path, {"ada.json": handed(), "bob.json": handed(None), "cy.json": handed([], "radon")})
    rows = exercises.grade(*given, asked=["certificate", "regret"])
    assert [(row["student"], row["exercise"]) for row in rows if row["exercise"]] == [
        (student, name) for student in ("ada", "bob", "cy") for name in ("certificate", "regret")]
    assert [row["reason"][:21] for row in rows if row["student"] == "bob"] == ["no answer is saved in", *["nothing was handed in"] * 2]
    assert not any(row["exercise"] == "radon" for row in rows)
    assert "radon" in {row["exercise"] for row in exercises.grade(*given)}


def test_who_worked_on_somebody_elses_numbers_is_told_and_a_planted_answer_needs_the_key(tmp_path):
    other = json.loads(handed()) | {"student": "bob"}
    planted = handed({"groups": [0, 1] * 10}, "betrayed_bits")
    given = class_of(tmp_path, {"ada.json": json.dumps(other), "bob.json": planted})
    reasons = {row["student"]: row["reason"] for row in exercises.grade(*given) if row["file"]}
    assert reasons["ada"].startswith("made with the numbers of 'bob': ")
    assert reasons["bob"] == "not marked: it is planted, and no key was given"
    key = Path(__file__).with_name("course.key")
    reasons = {row["student"]: row["reason"] for row in exercises.grade(*given, key=key) if row["file"]}
    assert "gradient" in reasons["bob"]


def test_of_each_exercise_in_a_file_the_last_answer_counts(tmp_path):
    one, other = json.loads(handed()), json.loads(handed(HALF | {"prices": [0, 0, "x"]}))
    rows = exercises.grade(*class_of(tmp_path, {"ada.json": json.dumps([one] * 9 + [other]), "bob.json": json.dumps([3])}))
    assert [row["reason"][:12] for row in rows if row["file"] == "ada.json"] == ["prices[2] is"]
    assert [row["reason"][:7] for row in rows if row["file"] == "bob.json"] == ["no JSON"]


def test_equal_answers_are_named_and_the_order_of_fields_hides_none(tmp_path):
    turned = dict(reversed(HALF.items()))
    other = handed(HALF | {"prices": [0, 0, 1]})
    rows = exercises.grade(*class_of(tmp_path, {"ada.json": handed(), "bob.json": handed(turned), "cy.json": other}))
    assert [row["same_as"] for row in rows] == ["bob", "ada", ""]


def test_late_is_what_the_roster_says(tmp_path):
    given = class_of(tmp_path, {"ada.json": handed(), "bob.json": handed()}, [], "")
    given[0].write_text("student,received\nada,2026-10-05\nbob,2026-10-06\ncy,\n")
    assert [row["late"] for row in exercises.grade(*given, due="2026-10-05")] == ["", "late", ""]
    assert [row["late"] for row in exercises.grade(*given)] == ["", "", ""]


@pytest.mark.parametrize("roster, due, piece", [
    ("student\nada\nada\n", None, "roster='ada': stands twice"), ("name\nada\n", None, "has no column 'student'"),
    ("", None, "has no column"), ("student;received\nada;x\n", None, "only student;received"),
    ("student\nada\n", "2026-10-05", "has no column 'received'"),
    ("student,received\nada,soon\n", "2026-10-05", "received='soon': is no day"),
    ("student,received\nada,2026-10-05\n", "Monday", "due='Monday': is no day"), ("student\n../x\n", None, "roster='../x': is no id"),
    ("student,name\nada,M\xfcller\n".encode("latin-1"), None, "roster='roster.csv': is no table"),
    ("student,name\nada," + "x" * 200_000, None, "roster='roster.csv': is no table"),
    ("student,download\nada,Kim Li\nbob,Kim Li\n", None, "roster='kim li': begins the files of ada and of bob"),
    ("student,download\nada,bob\nbob,\n", None, "roster='bob': begins the files of ada and of bob"),
])
def test_a_roster_that_is_wrong_is_refused_in_one_line(tmp_path, roster, due, piece):
    given = class_of(tmp_path, {"ada.json": handed()})
    given[0].write_bytes(roster if isinstance(roster, bytes) else roster.encode())
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refusal:
        exercises.grade(*given, due=due)
    assert piece in str(refusal.value)


def test_a_notebook_is_read_and_not_run_and_one_without_answers_says_what_to_do(tmp_path):
    saved = nbformat.v4.new_output("display_data", data={"text/plain": ""}, metadata={exercises.SAVED: json.loads(handed())})
    full = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0", outputs=[saved])])
    empty = nbformat.writes(nbformat.v4.new_notebook())
    given = class_of(tmp_path, {"ada.ipynb": nbformat.writes(full), "bob.ipynb": empty, "cy.ipynb": "[1]"})
    reasons = {row["student"]: row["reason"] for row in exercises.grade(*given) if row["file"]}
    assert "the prices prove no more than" in reasons["ada"]
    assert reasons["bob"] == "no answer is saved in it: run the self-checks, save, and hand it in again"
    assert reasons["cy"].startswith("no JSON")


def test_the_self_check_says_what_grading_gives_and_writes_the_file(tmp_path, capsys):
    exercises.self_check("certificate", HALF, "ada", "trial", folder=tmp_path)
    said = capsys.readouterr().out
    assert "0 of 10 points. the coins make" in said and said.endswith("To hand in: ada-certificate.json\n")
    (tmp_path / "roster.csv").write_text("student\nada\n")
    [row] = exercises.grade(tmp_path / "roster.csv", tmp_path, "trial")
    assert row["reason"] in said
    exercises.self_check("certificate", {"coins": np.full((2, 2), .5), "prices": (np.float64(0), np.int64(0), 0)},
                         "ada", "trial", folder=tmp_path)
    assert said.splitlines()[0] == capsys.readouterr().out.splitlines()[0]
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        exercises.self_check("certificate", {"coins": {1, 2}}, "ada", "trial", folder=tmp_path)


def test_a_worse_answer_does_not_take_the_place_of_a_better_one(tmp_path, capsys, monkeypatch):
    of = exercises._module("certificate")
    monkeypatch.setattr(of, "check", lambda params, answer: (3 if answer["prices"][2] else 0, ""))
    for last, kept in ((0, False), (1, False), (0, True), (2, False)):
        exercises.self_check("certificate", HALF | {"prices": [0, 0, last]}, "ada", "trial", folder=tmp_path)
        assert ("keeps an earlier answer" in capsys.readouterr().out) == kept
    assert json.loads((tmp_path / "ada-certificate.json").read_text())["answer"]["prices"] == [0, 0, 2]


def test_no_answer_yet_is_no_file(tmp_path, capsys):
    exercises.self_check("certificate", None, "ada", "trial", folder=tmp_path)
    assert "the answer is None" in capsys.readouterr().out and not list(tmp_path.iterdir())


def test_no_one_student_can_fill_memory_or_time(tmp_path, monkeypatch):
    files = {f"ada-{i:02}.json": handed() for i in range(exercises.MOST_FILES + 2)} | {"bob.ipynb": "x" * 5_100_000, "cy.json": handed()}
    given = class_of(tmp_path, files)
    rows = exercises.grade(*given)
    assert [row["file"] for row in rows if row["reason"] == "not read: ada has more than 50 files"] == ["ada-50.json", "ada-51.json"]
    assert [row["reason"] for row in rows if row["file"] == "bob.ipynb"] == ["the file is too long for an answer"]

    def full(text):
        raise MemoryError
    monkeypatch.setattr(exercises.json, "loads", full)
    assert {row["reason"][:7] for row in exercises.grade(*given) if row["file"] == "cy.json"} == {"no JSON"}


def test_a_name_whose_letters_a_disk_took_apart_is_the_same_name(tmp_path):
    roster, folder, term = class_of(tmp_path, {"Zoe\u0308 Ba_1_radon.json": handed(), "zoe\u0308x.json": handed()}, ["zoe"])
    roster.write_text("student,download\nada,Zo\u00eb Ba\nzoe,\n", encoding="utf-8")
    assert [(row["student"], row["reason"][:5]) for row in exercises.grade(roster, folder, term) if row["file"]] == [
        ("ada", "the c"), ("", "no id")]


def test_each_file_that_is_no_answer_has_its_own_line(tmp_path):
    given = class_of(tmp_path, {"ada-1.json": "no", "ada-2.json": handed(exercise="nope"), "ada.ipynb": '{"cells": []}'}, ["ada"])
    assert [row["reason"][:12] for row in exercises.grade(*given)] == ["no JSON of a", "'nope' is no", "no answer is"]


def test_a_checker_that_fails_stops_nobody(tmp_path, monkeypatch):
    def broken(params, answer):
        return {}["no"]

    monkeypatch.setattr(exercises._module("certificate"), "check", broken)
    rows = exercises.grade(*class_of(tmp_path, {"ada.json": handed(), "bob.json": "no"}))
    assert [row["reason"][:50] for row in rows if row["student"] == "ada"] == ["the checker failed, which is not the student's fau"]
    assert len(rows) == 4


def test_from_the_command_line(tmp_path, capsys):
    roster, folder, term = map(str, class_of(tmp_path, {"ada.json": handed()}, ["ada"]))
    assert command.main(["list"]) == 0 and "certificate" in capsys.readouterr().out
    assert command.main(["params", "certificate", "ada", "--term", term]) == 0
    assert json.loads(capsys.readouterr().out) == exercises.params("certificate", "ada", term)
    assert command.main(["grade", roster, folder, "--term", term]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head == "student,exercise,points,of,late,file,same_as,reason" and row.startswith("ada,certificate,0,10,,ada.json,,")
    for wrong in (["params", "nothing", "ada", "--term", term], ["params", "certificate", "a b", "--term", term],
                  ["params", "radon", roster, "--term", term, "--key", KEY], ["params", "betrayed_bits", roster, "--term", term],
                  ["params", "betrayed_bits", roster + "x.csv", "--term", term, "--key", KEY],
                  ["grade", roster, folder, "--term", term, "--key", roster],
                  ["grade", roster, folder + "x", "--term", term], ["grade", folder, folder, "--term", term]):
        assert command.main(wrong) == 2 and capsys.readouterr().err.count("\n") == 1


def test_marks_of_files_with_hostile_names_are_written_and_compute_nothing(tmp_path, capsys):
    roster, folder, term = map(str, class_of(tmp_path, {"=1+1.json": "", "-2.json": "", "ada-ä.json": handed()}, ["ada"]))
    Path(folder, "ada-\udcff.json").write_text(handed())
    assert command.main(["grade", roster, folder, "--term", term]) == 0
    said = capsys.readouterr().out
    assert "\n,,0,0,,'-2.json,," in said and "\n,,0,0,,'=1+1.json,," in said and "\nada,certificate,0,10,,ada-" in said


def test_what_is_planted_follows_from_the_key_too(tmp_path):
    """Else whoever has the library computes what is hidden, from words that are public."""
    (tmp_path / "other.key").write_bytes(b"another course's key")
    own, other = (exercises.params("betrayed_bits", "ada", "trial", key) for key in (KEY, tmp_path / "other.key"))
    assert own != other and own == exercises.params("betrayed_bits", "ada", "trial", KEY)


@pytest.mark.parametrize("text, why", [
    ('{"of"', "is not whole"), ('{"of": 3}', "is not whole"), ('{"of": ["trial", "betrayed_bits", "ada"]}', "is not whole"),
    ('{"of": ["trial", "betrayed_bits", "bob"]}', "was made for trial betrayed_bits bob")])
def test_a_students_own_key_is_for_that_student_and_marks_nobody(tmp_path, text, why):
    (tmp_path / "ada.key").write_text(text)
    with pytest.raises(ValueError, match=f"^key='ada.key': {why}"):
        exercises.params("betrayed_bits", "ada", "trial", tmp_path / "ada.key")
    with pytest.raises(ValueError, match="is a student's own file"):
        exercises.grade(*class_of(tmp_path, {"ada.json": handed()}), key=tmp_path / "ada.key")
    with pytest.raises(ValueError, match="is no file"):
        exercises.grade(tmp_path / "roster.csv", tmp_path / "in", "trial", key=tmp_path / "none.key")


@pytest.mark.parametrize("shape, value, right", [
    (("whole", 0, "n"), 3, 3), (("whole", 0, 9), 3.0, None), (("whole", 0, 9), True, None), (("exact", 0, 1), 0.1, "1/10"),
    (("exact", 0, 1), "2/4", "1/2"), (("exact", 0, 1), "1e-9", None), (("exact", 0, 1), float("nan"), None), (("real", 0, 9), 3, 3.0),
    (("real", 0, 9), "3", None), (("whole", 0, 9), np.zeros((3, 3)), None), (("text", 3), "abcd", None),
    (("one of", "a"), ["a"], None), (("or null", ("whole", 0, 1)), None, "null"), (("list", ("whole", 0, 1), 1, 2), [], None)])
def test_a_shape_reads_what_is_meant_and_refuses_the_rest_by_its_place(shape, value, right):
    if right is None:
        with pytest.raises(Misshapen, match=r"^x is .*; it must be "):
            read(shape, value, {"n": 5}, "x")
    else:
        assert str(read(shape, value, {"n": 5}, "x")) == str(None if right == "null" else right)
