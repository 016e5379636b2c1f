"""Code of students runs in a sandbox: what is hostile gets nothing, with a reason, and touches nobody else."""
from __future__ import annotations

import json
import math
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from test_exercises import SANDBOX

from dpfair_teach import exercises
from dpfair_teach.exercises import _law, _sandbox
from dpfair_teach.exercises._sandbox import Unfinished, run

pytestmark = SANDBOX
ONE = [["f", 2]]
HEAD = "def f(x):\n    return x + 1\n"

#: What somebody tries, and a piece of what is said. A storm of forks meets the limit, and the code may go on.
HOSTILE = {
    "endless loop": ("def f(x):\n    while True: pass", "processor time"),
    "endless loop at the top": ("while True: pass", "processor time"),
    "exit": ("import os\nos._exit(0)", "ended"),
    "polite exit": ("import sys\ndef f(x): sys.exit(0)", "SystemExit"),
    "fork storm": ("import os, time\ndef f(x):\n    for i in range(200):\n        try:\n            if os.fork() == 0: time.sleep(99)\n"
                   "        except OSError: return 0\n    raise RuntimeError('all')\n", "[0]"),
    "many with memory of their own": ("import os, time\ndef f(x):\n    for i in range(200):\n        try:\n"
                                      "            if os.fork() == 0: time.sleep(99)\n        except OSError: return i < 8\n", "[True]"),
    "memory": ("def f(x): return len(bytearray(9 * 10**9))", "MemoryError"),
    "flood": ("import os\ndef f(x):\n    while True:\n        for i in range(3, 9):\n            try: os.write(i, b'9' * 10**6)\n"
              "            except OSError: pass", "more than an answer holds"),
    "always equal": ("class Right(float):\n    def __eq__(self, other): return True\ndef f(x): return Right(2)", "no plain answer"),
    "forged reply": ("import os\nfor i in range(3, 9):\n    try: os.write(i, b'[3]')\n    except OSError: pass\n"
                     "def f(x): return 0", "ended"),
    "forged reason": ("import os\nfor i in range(3, 9):\n    try: os.write(i, b'\"=1+1\\\\n\\\\ud800\"')\n    except OSError: pass\n"
                      "os._exit(0)", "the code ended with =1+1"),
    "forged object": ("import os\nfor i in range(3, 9):\n    try: os.write(i, b'{\"0\": 3}')\n    except OSError: pass\n"
                      "os._exit(0)", "ended"),
    "letters that cannot be written": ("def f(x): raise ValueError('\\ud800\\n=1')", "ended with ValueError"),
    "writes beside /tmp": ("def f(x):\n    for place in ('/', '/dev/', '/dev/shm/', '/usr/'):\n        try: open(place + 'x', 'w')\n"
                           "        except OSError: x += 1\n    return x", "[6]"),
    "reads a file": ("def f(x): return open('/etc/passwd').read()", "FileNotFoundError"),
    "reads home": ("import os\ndef f(x): return os.listdir(os.path.expanduser('~'))", "Error"),
    "writes the library": ("import dpfair_teach\ndef f(x): open(dpfair_teach.__file__, 'a').write('#')", "Error"),
    "kills everybody": ("import os, signal\ndef f(x):\n    os.kill(-1, signal.SIGKILL)\n    return 3", "Error"),
    "network": ("import socket\ndef f(x): socket.create_connection(('1.1.1.1', 53), 2)", "Error"),
    "many brackets": ("def f(x):\n    a = []\n    for i in range(10**5): a = [a]\n    return a", "no plain answer"),
    "fills the disk": ("def f(x):\n    with open('/tmp/x', 'wb') as out:\n        while True: out.write(b'9' * 10**6)", "Error"),
}


def said(code, calls=None):
    try:
        return run(code, calls or ONE)
    except Unfinished as ended:
        return str(ended)


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_hostile_has_a_reason_and_the_next_one_is_untouched(what):
    code, reason = HOSTILE[what]
    answer = str(said(code))
    assert reason in answer and answer.isprintable()
    assert said(HEAD) == [3]


def test_the_library_that_a_student_patches_is_not_the_one_that_judges():
    patch = "from dpfair_teach import mechanisms\nmechanisms.laplace = lambda *a, **k: 0\nimport random, math\nmath.exp = lambda x: .5\n"
    code = patch + "def noise_scale():\n    return 1e9\ndef release(A, rng):\n    return [0, 0, 0, 0]\n"
    assert exercises.check("group_totals", {"code": code}, "ada", "trial").points == 0


def test_no_checker_is_there_to_be_asked():
    """The room is empty there, and nothing is written into it."""
    code = ("import os\nimport dpfair_teach, dpfair_teach.exercises as room\nhere = list(room.__path__)[0]\nplaces = [os.listdir(here)]\n"
            "try: open(here + '/x', 'w')\nexcept OSError: places.append('closed')\ndef f(x): return places")
    assert said(code) == [[[], "closed"]]
    asked = "from dpfair_teach.exercises import group_totals\ndef noise_scale():\n    return group_totals"
    assert "cannot import name 'group_totals'" in exercises.check("group_totals", {"code": asked}, "ada", "trial").reason


def test_a_number_that_no_float_holds_is_wrong_and_no_fault_of_the_checkers():
    huge = "def noise_scale():\n    return {}\ndef release(A, rng):\n    return [10**400 if rng.random() < .1 else 0, 0, 0, rng.random()]\n"
    weights, epsilon = exercises.params("group_totals", "ada", "trial").values()
    for scale, points, reason in (("10**400", 0, "too much noise"), (sum(sorted(weights)[2:]) / epsilon, 4, "does not give 4 numbers")):
        mark = exercises.check("group_totals", {"code": huge.format(scale)}, "ada", "trial")
        assert mark.points == points and reason in mark.reason


def test_a_generator_is_the_one_of_its_seed_and_goes_on_where_the_text_is_the_same():
    code = "def f(x, rng):\n    return rng.random()"
    first, second, again, other = said(code, [["f", 2, {"rng": word}] for word in ("5 a", "5 a", "5 b", "6")])
    assert first == again != second != other


def test_a_python_that_is_called_by_a_way_with_dots_is_found(monkeypatch):
    python = Path(sys.executable)
    monkeypatch.setattr(_sandbox.sys, "executable", str(python.parent / "gone" / ".." / python.name))
    assert said(HEAD) == [3]


def test_where_the_sandbox_does_not_start_nobody_is_charged(monkeypatch):
    monkeypatch.setattr(_sandbox, "_command", lambda: ["false"])
    assert _sandbox.missing.__wrapped__().startswith("not marked: ")


@pytest.mark.parametrize("source, piece", [("rng", ""), ("np.random.default_rng()", "draw from rng alone"),
                                           ("np.random.default_rng(1)", "the same numbers each time")])
def test_noise_from_elsewhere_than_the_rng_is_seen(source, piece):
    code = f"import numpy as np\ndef f(x, rng): return {source}.random()"
    found = _law.draws_of(code, "f", [2], 5)[1]
    assert piece in found and bool(found) == bool(piece)


def test_without_bubblewrap_code_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(_sandbox.shutil, "which", lambda tool: None)
    monkeypatch.setattr(_sandbox, "missing", _sandbox.missing.__wrapped__)
    assert exercises.check("group_totals", {"code": ""}, "ada", "trial") == (
        0, 10, "not marked: code runs only in a sandbox, and this machine has no bwrap, prlimit, setpriv: "
               "on Debian, apt install bubblewrap")


def laws():
    rng = np.random.default_rng(1)
    draws = rng.laplace(size=(5000, 4))
    half = np.log((np.arange(10_000) + .5) / 10_000)
    sweep = np.concatenate([half, -half])
    shared = np.repeat(draws[:, :1], 4, axis=1)
    shared[:8] = 1e9 * np.vstack([np.eye(4), -np.eye(4)])
    partly = draws.copy()
    partly[:1500, 1] = partly[:1500, 0]
    return {"right": (draws, ""), "twice": (2 * draws, "from the law"), "half": (draws / 2, "from the law"),
            "1.2": (1.2 * draws, "from the law"),
            "Gaussian": (rng.normal(size=(5000, 4)) * 2**.5, "from the law"), "moved": (draws + .1, "from the law"),
            "clipped": (draws.clip(-2, 2), "from the law"), "swept": (rng.permutation(sweep).reshape(5000, 4), "nearer"),
            "in order": (np.sort(draws), "of number 0 is"), "one size": (np.sign(draws) * abs(draws[:, :1]), "goes together"),
            "twice running": (np.repeat(draws[:2500], 2, axis=0), "of the next draw goes together"),
            "shared": (np.repeat(draws[:, :1], 4, axis=1), "goes together"), "shared, but for a few": (shared, "goes together"),
            "shared by three in ten": (partly, "goes together")}


@pytest.mark.parametrize("name", laws())
def test_noise_of_another_law_is_seen(name):
    draws, piece = laws()[name]
    found = _law.wrong_law(draws.tolist(), lambda x: 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2)
    assert piece in found and bool(found) == bool(piece)


#: Right but for the scale of its noise, so 4 points; and one that does not know the scale.
NEARLY = ("import numpy as np\nW, E = {weights}, {epsilon}\ndef noise_scale():\n    return {scale}\n"
          "def release(A, rng):\n    return [w * A.count(a) + rng.laplace(0, 1.2 * {scale}) for a, w in enumerate(W)]\n")


@pytest.mark.parametrize("away, marks", [(0, (10, "")), (0.2, (4, "number 2 of f is off by"))])
def test_one_number_that_is_off_in_the_mean_is_seen(away, marks):
    code = "def noise_scale(): return 1.0\ndef f(x, rng): return rng.laplace(0, 1, 4)"
    points, reason = _law.marked(code, "f", [2], [0, 0, away, 0], 1.0, lambda x: 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2)
    assert points == marks[0] and reason.startswith(marks[1])


@pytest.mark.slow
@pytest.mark.nightly
def test_a_class_of_100_in_code_with_16_hostile_is_marked_in_a_minute(tmp_path):
    """84 hand in the right scale and noise of another, for 4 points; the hostile have none; all are marked as if they were alone."""
    hostile = [code.replace("def f(x)", "def noise_scale(x=0)") for code, _ in HOSTILE.values()]
    students = [f"s{i:03}" for i in range(100)]
    (tmp_path / "roster.csv").write_text("student\n" + "\n".join(students) + "\n")
    for i, student in enumerate(students):
        own = exercises.params("group_totals", student, "trial")
        scale = max(one + other for one, other in combinations(own["weights"], 2)) / own["epsilon"]
        code = hostile[i // 6] if i % 6 == 0 and i < 96 else NEARLY.format(**own, scale=scale)
        (tmp_path / f"{student}.json").write_text(json.dumps({"exercise": "group_totals", "term": "trial", "answer": {"code": code}}))
    start = time.monotonic()
    rows = exercises.grade(tmp_path / "roster.csv", tmp_path, "trial")
    took = time.monotonic() - start
    for i, row in enumerate(rows):
        assert (row["points"], bool(row["reason"])) == ((0, True) if i % 6 == 0 and i < 96 else (4, True)), row
    assert len(rows) == 100 and took < 60, took
