"""Of every practice exercise that a program judges: the printed solution is right, and what is nearly right is told what is wrong."""
from __future__ import annotations

import re
from pathlib import Path

import practised_learners
import practised_tables
import pytest

import for_lab
from dpfair_teach import exercises
from dpfair_teach.exercises import practice

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
RIGHT = practised_tables.RIGHT | practised_learners.RIGHT
WRONG = practised_tables.WRONG | practised_learners.WRONG
LEARNERS = ["you", "ada", "bob"]
OPTIONS = re.compile(r"^`{3,}\{exercise\} (?P<title>.*)\n(?P<options>(?::.*\n)*)", re.M)


def boxes():
    """Each exercise's title and options, of all chapters."""
    for path in sorted(CHAPTERS.glob("*.md")):
        for box in OPTIONS.finditer(path.read_text(encoding="utf-8")):
            yield box["title"], dict(re.findall(r":(\w+):[ \t]*(.*)", box["options"]))


def answer(make, name, learner):
    return make(exercises.params(name, learner)) if callable(make) else make


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_the_printed_solution_is_right(name):
    for learner in LEARNERS:
        assert exercises.check(name, answer(RIGHT[name], name, learner), learner) == (1, 1, "")


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_what_is_nearly_right_is_told_what_is_wrong(name):
    assert len(WRONG[name]) >= 2
    for learner in LEARNERS:
        for make, reason in WRONG[name]:
            mark = exercises.check(name, answer(make, name, learner), learner)
            assert mark.points == 0 and reason in mark.reason and "\n" not in mark.reason, mark


def test_every_exercise_says_its_minutes_and_level_and_every_judge_stands_in_a_box():
    practice.found("")
    told = list(boxes())
    mine = [options for _, options in told if "assignment" not in options]
    assert all(options.get("minutes", "").isdigit() and options.get("level") in for_lab.LEVELS for options in mine), [
        title for title, options in told if "assignment" not in options and "minutes" not in options]
    judged = [options["check"] for options in mine if "check" in options]
    assert sorted(judged) == sorted(practice.ALL) == sorted(RIGHT) and len(judged) >= 25


def test_no_exercise_with_a_printed_solution_is_an_assignment():
    assert not set(RIGHT) & set(exercises.names())
