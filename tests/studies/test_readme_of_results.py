"""The page beside the stored tables says what each of them is."""
import re
from pathlib import Path

from book.studies.named import STUDIES

README = Path(__file__).parents[2] / "book" / "results" / "README.md"


def test_every_table_has_a_row_in_the_readme():
    rows = re.findall(r"^\| `(\w+)\.csv` \|", README.read_text(encoding="utf-8"), re.M)
    assert sorted(rows) == sorted(table for study in STUDIES.values() for table in study.tables)
