"""The page beside the stored tables says what each of them is."""
import re
from pathlib import Path

from dpfair_teach.experiments import EXPERIMENTS

README = Path(__file__).parents[2] / "book" / "results" / "README.md"


def test_every_table_has_a_row_in_the_readme():
    rows = re.findall(r"^\| `(\w+)\.csv` \|", README.read_text(encoding="utf-8"), re.M)
    assert sorted(rows) == sorted(table for experiment in EXPERIMENTS.values() for table in experiment.tables)
