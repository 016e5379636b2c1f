"""A student's code in a process that sees a read-only system and nothing else: plain data goes in, plain data comes out.

The verdict falls here, in a process that never ran the code. Limits are in processor time; the clock only ends what waits.
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

#: Of processor time and of memory each process has as much: so they are few. Of bytes a file, and all that is said.
SECONDS, CLOCK, MEMORY, PROCESSES, LONGEST = 4, 60, 2 * 2**30, 4, 1_000_000
RUNS = count()
FEW_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
WORKER = Path(__file__).with_name("_worker.py")
ROOM, LIBRARY = WORKER.parents[:2]


class Unfinished(Exception):
    """The code gave no answer; says in one line what happened."""


@cache
def missing() -> str:
    """Why code exercises are refused on this machine, in words; "" where they are not."""
    if lack := [tool for tool in ("bwrap", "prlimit", "setpriv") if shutil.which(tool) is None]:
        return f"not marked: code runs only in a sandbox, and this machine has no {', '.join(lack)}: on Debian, apt install bubblewrap"
    if subprocess.run(_command(), input=b'["", []]', capture_output=True, env=FEW_THREADS).stdout != b"[]":
        return "not marked: code runs only in a sandbox, and bubblewrap may not make one on this machine"
    return ""


def run(code: str, calls: list[list[Any]]) -> list[Any]:
    """What each call ``[function, *arguments]`` of the code's functions returns, as JSON has it; in place of an argument
    ``{"rng": seed}`` it is handed numpy's generator of that seed, the same one wherever the seed is the same text.

    :class:`Unfinished` where no whole answer comes back.
    """
    if lack := missing():
        raise Unfinished(lack)
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as told:
        asked.write(json.dumps([code, calls]).encode())
        asked.seek(0)
        try:
            # A session of its own: what is killed is all of it, and it cannot reach this one.
            subprocess.run(_command(), stdin=asked, stdout=told, stderr=subprocess.DEVNULL, timeout=CLOCK, start_new_session=True,
                           env=FEW_THREADS)
        except subprocess.TimeoutExpired:
            raise Unfinished(f"the code was ended after {CLOCK} s") from None
        told.seek(0)
        said = told.read()
    if len(said) >= LONGEST:
        raise Unfinished("the code said more than an answer holds")
    try:
        replies = json.loads(said)
    except (ValueError, RecursionError):
        replies = None
    if isinstance(replies, str):
        raise Unfinished(f"the code ended with {repr(replies)[1:-1][:150]}")       # of one line, and of letters that can be written
    if not isinstance(replies, list) or len(replies) != len(calls):
        raise Unfinished("the code ended, or was ended after its processor time, before it answered")
    return replies


def _command() -> list[str]:
    """bubblewrap and what it runs: no network, no other process, no other file, a small /tmp. Root gives itself up: limits on processes
    do not hold for it."""
    python = os.path.abspath(sys.executable)        # called as ../.venv/bin/python it has dots, and what they leave is not there
    shown = [Path("/usr"), Path(sys.base_prefix).resolve(), Path(os.path.abspath(sys.prefix)), LIBRARY]
    parents = dict.fromkeys(str(parent) for path in shown for parent in reversed(path.parents))
    made = [word for parent in parents if parent not in ("/", "/tmp") for word in ("--perms", "0755", "--dir", parent)]     # else 0700
    seen = [word for path in shown for word in ("--ro-bind", str(path), str(path))]
    hidden = ["--tmpfs", str(ROOM), "--ro-bind", str(WORKER), "/worker.py"]         # a checker can be made to say what it compares with
    fixed = [word for path in ("/dev", str(ROOM), "/") for word in ("--remount-ro", path)]      # their memory has no limit
    links = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    lowered = []
    if os.geteuid() == 0:
        own = str(60_000 + (os.getpid() + next(RUNS)) % 5_000)      # nobody else's: processes are counted by user
        lowered = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
                   "setpriv", "--reuid", own, "--regid", own, "--clear-groups", "--no-new-privs"]
    return ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--die-with-parent",
            "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", "16000000", "--tmpfs", "/tmp",
            *made, *seen, *links, *hidden, *fixed, "--chdir", "/tmp", *lowered,
            "prlimit", f"--cpu={SECONDS}", f"--as={MEMORY}", f"--nproc={PROCESSES}", f"--fsize={LONGEST}", "--nofile=64", "--core=0",
            python, "-I", "/worker.py", str(LIBRARY.parent)]
