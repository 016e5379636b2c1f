"""What a new private method costs: in a copy of the repository one is added, and the tests that know every public name are content.

Its own file and its own test aside, `__all__` of its room changes and the changelog; and the budgets, which nobody raises in silence.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

METHOD = '''"""How many of each group are accepted, with noise."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..fairness import cell_counts
from .noisy_tables import public_margin_counts


def toy_accepted(prediction: ArrayLike, A: ArrayLike, Y: ArrayLike, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Accepted people of each group, epsilon-private in A.

    Source: ours, a trial.

    Parameters
    ----------
    prediction, A, Y : (m,) arrays of 0/1
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    (2,) array

    Raises
    ------
    ValueError
        Arrays of different lengths, or an epsilon that is not positive.

    Examples
    --------
    >>> toy_accepted([1, 1, 0], [0, 1, 1], [0, 1, 1], 100.0, np.random.default_rng(0)).round().tolist()
    [1.0, 1.0]
    """
    return public_margin_counts(cell_counts(prediction, A, Y, n_groups=2), epsilon, rng)[1].sum(axis=-1)
'''
ITS_TEST = '''import numpy as np
from dpfair_teach.postprocessing import toy_accepted

ITS_CALL = {"postprocessing.toy_accepted": lambda: dict(
    prediction=[1, 1, 0, 0], A=[0, 1, 1, 0], Y=[0, 1, 0, 1], epsilon=1.0, rng=np.random.default_rng(0))}
ITS_FIT = {"postprocessing.toy_accepted": lambda people, A, rng: toy_accepted(people.X[:, 0] > 0, A, people.Y, 1.0, rng)}

def test_it_counts():
    assert toy_accepted([1, 1, 0], [0, 1, 1], [0, 1, 1], 100.0, np.random.default_rng(0)).round().tolist() == [1, 1]
'''


@pytest.mark.nightly
def test_a_new_private_method_is_registered_in_one_place(tmp_path):
    for folder in ("dpfair_teach", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "book").symlink_to(ROOT / "book")
    (tmp_path / "dpfair_teach/postprocessing/toy.py").write_text(METHOD, encoding="utf-8")
    its_test = ITS_TEST.replace("ITS_CALL", "VALID_CALLS").replace("ITS_FIT", "PRIVATE_FITS")
    (tmp_path / "tests/test_toy.py").write_text(its_test, encoding="utf-8")
    asks = ["tests/test_toy.py", "tests/test_floors.py", "tests/test_docstrings.py", "tests/test_bad_input.py", "tests/test_odd_input.py",
            "tests/test_published.py", "dpfair_teach/postprocessing/toy.py"]

    def said() -> subprocess.CompletedProcess:
        words = "toy or has_a_valid_call or is_attacked or is_in_the_list or floor or circle"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-vv", "-k", words, *asks]
        return subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)

    assert "cannot import name 'toy_accepted'" in said().stdout
    init = tmp_path / "dpfair_teach/postprocessing/__init__.py"
    text = init.read_text(encoding="utf-8")
    assert "\n__all__ = [\n" in text
    with_toy = text.replace("\n__all__ = [\n", "\nfrom .toy import toy_accepted\n\n__all__ = [\n    \"toy_accepted\",\n")
    init.write_text(with_toy, encoding="utf-8")
    done = said()
    assert done.returncode == 0, done.stdout[-3000:]
    for test in ("the_docstring_is_whole", "the_valid_call_is_valid", "rubbish_is_accepted_or_refused_by_name_value_and_remedy"):
        assert f"test_{test}[postprocessing.toy_accepted] PASSED" in done.stdout, test
