"""What chapter 14 says of candidates, by the stored tables."""
from __future__ import annotations

from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parents[2] / "book" / "results"


def test_where_a_logistic_score_beats_the_papers_oracle_and_where_it_does_not():
    rows = pd.read_csv(RESULTS / "left_oneshot.csv").query("epsilon >= 0.25")
    q = rows.groupby(["method", "group", "epsilon"]).q.first()
    behind = {name: set(q[name].index[q[name] <= q["histogram_regression"]]) for name in ("histogram", "histogram_logistic")}
    assert behind == {"histogram": {("white_median", 5.0)},
                      "histogram_logistic": {("white_median", 5.0), ("hisp_median", 0.5), ("hisp_median", 5.0)}}
