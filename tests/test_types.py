"""The types of the library are checked by ``mypy`` (``make quick``, ``make test``); here, that nothing is left out of that in silence."""
from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from dpfair_teach import accounting
from dpfair_teach.accounting import adding
from dpfair_teach.mechanisms import MECHANISMS, Name
from test_bad_input import CALLABLES
from test_docstrings import OPTIONS

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]


def test_the_whole_library_is_checked_and_no_error_is_switched_off():
    assert SETTINGS["files"] == ["dpfair_teach"] and SETTINGS["check_untyped_defs"] and SETTINGS["disallow_incomplete_defs"]
    assert not {"ignore_errors", "exclude", "disable_error_code", "follow_imports"} & SETTINGS.keys()
    for part in SETTINGS["overrides"]:
        assert part.keys() == {"module", "ignore_missing_imports"} and not any(name.startswith("dpfair_teach") for name in part["module"])


def test_no_error_is_ignored_in_a_line():
    ignored = [path for path in (ROOT / "dpfair_teach").rglob("*.py") if "type: ignore" in path.read_text(encoding="utf-8")]
    assert not ignored


def literals(call: str) -> dict[str, set[str]]:
    """Argument -> the words of its annotation, of a public callable."""
    thing, found = CALLABLES[call], {}
    function = thing.__init__ if inspect.isclass(thing) else thing
    for argument, kind in get_type_hints(function, sys.modules[thing.__module__].__dict__).items():
        for part in (kind, *get_args(kind)):
            if get_origin(part) is Literal and isinstance(get_args(part)[0], str):
                found[argument] = set(get_args(part))
    return found


def test_words_with_few_values_are_literals_and_those_that_the_function_takes():
    """What an annotation lists is what the function's own refusal lists."""
    checked = 0
    for call in sorted({call for call, _ in OPTIONS}):
        for argument, words in literals(call).items():
            if (call, argument) in OPTIONS:
                assert {word for word in words if word.isidentifier()} == OPTIONS[call, argument], (call, argument)
                checked += 1
    assert checked >= 50


def test_no_word_with_few_values_is_any_text():
    assert not [key for key in OPTIONS if key[1] not in literals(key[0])]
    assert len(OPTIONS) > 60


def test_in_the_rooms_of_noise_every_argument_of_few_words_is_a_literal():
    """As ``method`` of ``compose``; and the words of dp-accounting's neighbours are one alias."""
    wanted = {(call, argument) for call, argument in OPTIONS if call.startswith(("accounting.", "mechanisms."))}
    assert len(wanted) >= 4
    assert not {(call, argument) for call, argument in wanted if argument not in literals(call)}
    asked = get_type_hints(accounting.Release.from_event)["neighbours"]
    assert get_args(asked) == (get_type_hints(accounting.Release.neighbours.fget)["return"], type(None))
    assert set(get_args(Name)) == set(MECHANISMS) and get_args(adding.Method) == (*adding.ACCOUNTANTS, "best")


@pytest.mark.slow
@pytest.mark.parametrize(("code", "error"), [
    ("from dpfair_teach import mechanisms\nmechanisms.laplace(1.0, 'two', 1.0, None)", "arg-type"),
    ("from dpfair_teach import fairness\nfairness.error([[[1]]]).nothing", "attr-defined"),
    ("from dpfair_teach import fairness\nfairness.violation([[[1]]], notion='equal_odds')", "arg-type"),
    ("from dpfair_teach import accounting\naccounting.compose([], 1e-6, 'moments')", "arg-type"),
    ("def f(x: int, y):\n    return x", "no-untyped-def"),
])
def test_a_wrong_type_is_found(code, error, tmp_path):
    (tmp_path / "wrong.py").write_text(code + "\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", str(tmp_path / "wrong.py")], cwd=ROOT, env=os.environ | {"MYPYPATH": str(ROOT)},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"[{error}]" in done.stdout, done.stdout + done.stderr
