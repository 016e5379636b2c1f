"""Five million people from files on disk: linear in their number, in bounded memory, with the numbers of the same people in memory."""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator

import numpy as np
import pytest
from test_oneshot_transcript import same

from dpfair_teach.oneshot import FrontierLearner

FEATURES = 5
AT_ONCE = 100_000


def write(folder: str, m: int) -> None:
    """X in single precision, labels and groups a byte each, a block at a time: the files are never in memory as a whole."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(f"{folder}/X.npy", "w+", np.float32, (m, FEATURES))
    y, A = (np.lib.format.open_memmap(f"{folder}/{name}.npy", "w+", np.uint8, (m,)) for name in "yA")
    for start in range(0, m, AT_ONCE):
        here = slice(start, min(start + AT_ONCE, m))
        n = here.stop - start
        A[here], X[here] = rng.integers(0, 2, n), rng.normal(size=(n, FEATURES))
        y[here] = X[here] @ np.linspace(1, .1, FEATURES) + .7 * A[here] + rng.normal(size=n) > .8


def stored(folder: str) -> Iterator[np.ndarray]:
    """X, y and A, as they lie on the disk."""
    return (np.load(f"{folder}/{name}.npy", mmap_mode="r") for name in "XyA")


def fitted(X: np.ndarray, y: np.ndarray, A: np.ndarray) -> FrontierLearner:
    return FrontierLearner(1.0, 0.0).fit(X, y, sensitive_features=A, rng=np.random.default_rng(1))


@pytest.mark.slow
def test_files_give_the_numbers_of_memory():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, 40_000)
        on_disk, in_memory = list(stored(folder)), [np.array(column) for column in stored(folder)]
        in_memory[0] = in_memory[0].astype(float)
        one, other = fitted(*on_disk), fitted(*in_memory)
        assert isinstance(on_disk[0], np.memmap) and not isinstance(in_memory[0], np.memmap)
        assert np.array_equal(one.predict_proba(on_disk[0]), other.predict_proba(in_memory[0]))
        assert all(map(same, one.answers_, other.answers_))


PROGRAM = textwrap.dedent("""
    import json, resource, sys, time
    from test_oneshot_at_scale import fitted, stored, write
    folder, m = sys.argv[1], int(sys.argv[2])
    write(folder, m)
    X, y, A = stored(folder)
    before = time.process_time()
    model = fitted(X, y, A)
    seconds = time.process_time() - before
    model.predict_proba(X)
    print(json.dumps([seconds, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
    """)


@pytest.mark.nightly
@pytest.mark.slow
def test_ten_times_as_many_people_take_ten_times_as_long_and_a_few_numbers_more_for_each():
    """Seconds of the processor and the peak of the whole process, pages of the files among it: 22 bytes a person, and the chances."""
    found = {}
    for m in (500_000, 5_000_000):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([sys.executable, "-c", PROGRAM, folder, str(m)], check=True, capture_output=True, text=True,
                                 cwd=__file__.rpartition("/")[0])
        found[m] = json.loads(ran.stdout)
    (seconds, peak), (longer, higher) = found.values()
    assert longer < 12 * seconds
    assert higher - peak < 4_500_000 * 250 and higher < 1.75e9
