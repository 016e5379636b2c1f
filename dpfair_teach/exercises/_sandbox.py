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
import threading
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

SECONDS, CLOCK, MEMORY, PROCESSES, LONGEST = 4, 60, 2 * 2**30, 48, 4_000_000
NEEDED = ("bwrap", "prlimit", "setpriv")
RUNS = count()
LIBRARY, WORKER = Path(__file__).parents[1], Path(__file__).with_name("_worker.py")


class Unfinished(Exception):
    """The code gave no answer; says in one line what happened."""


@cache
def missing() -> str:
    """Why code exercises are refused on this machine, in words; "" where they are not."""
    lack = [] if sys.platform == "linux" else ["Linux"]
    lack += [tool for tool in NEEDED if shutil.which(tool) is None]
    said = f"code exercises run only in a sandbox, and this machine has no {', '.join(lack)}: on Debian, apt install bubblewrap"
    tried = ["bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]
    if not lack and subprocess.run(tried, capture_output=True).returncode:
        return "code exercises run only in a sandbox, and bubblewrap may not make one on this machine"
    return said if lack else ""


def run(code: str, calls: list[list[Any]]) -> list[Any]:
    """What each call ``[function, *arguments]`` of the code's functions returns, as JSON has it; in place of an argument
    ``{"rng": seed}`` it is handed numpy's generator of that seed, the same one wherever the seed is the same text.

    :class:`Unfinished` where no whole answer comes back.
    """
    if lack := missing():
        raise Unfinished(lack)
    with tempfile.TemporaryFile() as told:
        told.write(json.dumps([code, calls]).encode())
        told.seek(0)
        # A session of its own: what is killed is all of it, and it cannot reach this one.
        with subprocess.Popen(_command(), stdin=told, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={},
                              start_new_session=True) as its:
            backstop = threading.Timer(CLOCK, its.kill)
            backstop.start()
            said = its.stdout.read(LONGEST + 1) if its.stdout else b""
            late = not backstop.is_alive()
            backstop.cancel()
            its.kill()
    if len(said) > LONGEST:
        raise Unfinished("the code said more than an answer holds")
    try:
        replies = json.loads(said)
        if isinstance(replies, str):
            raise Unfinished(replies[:200])
        if len(replies) != len(calls):
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise Unfinished("the code ended, or was ended after its processor time, before it answered" if not late else
                         f"the code was ended after {CLOCK} s") from None
    return replies


def _command() -> list[str]:
    """bubblewrap and what it runs: no network, no other process, no other file, a small /tmp. Root gives itself up: limits on processes
    do not hold for it."""
    shown = [Path("/usr"), Path(sys.base_prefix).resolve(), Path(sys.prefix)]
    parents = dict.fromkeys(str(parent) for path in (*shown, Path("/library/x")) for parent in reversed(path.parents))
    made = [word for parent in parents if parent not in ("/", "/tmp") for word in ("--perms", "0755", "--dir", parent)]     # else 0700
    seen = [word for path in shown for word in ("--ro-bind", str(path), str(path))]
    links = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    own = str(60_000 + (os.getpid() + next(RUNS)) % 5_000)      # nobody else's: processes are counted by user
    as_root = os.geteuid() == 0
    alone = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"] if as_root else ["--unshare-all"]
    lowered = ["setpriv", "--reuid", own, "--regid", own, "--clear-groups", "--no-new-privs"] if as_root else []
    may_lower = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if as_root else []
    return ["bwrap", *alone, "--die-with-parent", "--new-session", "--clearenv", "--setenv", "OMP_NUM_THREADS", "1",
            "--setenv", "OPENBLAS_NUM_THREADS", "1", "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", "16000000",
            "--tmpfs", "/tmp", *made, *seen, *links, "--ro-bind", str(LIBRARY), "/library/dpfair_teach",
            "--ro-bind", str(WORKER), "/worker.py", "--chdir", "/tmp", *may_lower, *lowered,
            "prlimit", f"--cpu={SECONDS}", f"--as={MEMORY}", f"--nproc={PROCESSES}", "--fsize=1000000", "--nofile=64", "--core=0",
            sys.executable, "-I", "/worker.py"]
