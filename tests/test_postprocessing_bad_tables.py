"""Tables of any numbers whatever: an answer or a ``ValueError``, never a warning, a NaN or another exception."""
from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpfair_teach import fairness, postprocessing

NUMBERS = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(-2, 2), st.sampled_from([0.0, 0.1, 5e-324, -1e-300, 1e300]))
TABLES = st.tuples(st.integers(2, 3), st.integers(1, 3)).flatmap(lambda shape: arrays(float, (*shape, 2), elements=NUMBERS))
PLAIN = arrays(float, (2, 2, 2), elements=st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-300, 5e-324, 1e9, 0.5])))

CALLS = {
    "rates": lambda q: np.concatenate(fairness.rates(q)),
    "error": lambda q: fairness.error(q),
    **{f"violation {notion} {against}": lambda q, notion=notion, against=against: fairness.violation(q, notion, against)
       for notion in fairness.NOTIONS for against in fairness.AGAINST},
    "report": lambda q: fairness.report(q).to_numpy(),
    "solve_lp": lambda q: postprocessing.solve_lp(q, 0.1).p,
    "solve_lp batch": lambda q: postprocessing.solve_lp(q, [0.0, 0.1]).p,
    "closed_form": lambda q: postprocessing.closed_form(q, 0.1).p,
    "closed_form batch": lambda q: postprocessing.closed_form(q, [0.0, 0.1]).p,
    "closed_form gamma 0": lambda q: postprocessing.closed_form(q, 0.0).p,
    "dual_value": lambda q: postprocessing.dual_value(q, 0.1, np.ones((q.shape[1], 2))),
    "derived_counts": lambda q: postprocessing.derived_counts(q, np.full(q.shape[:2], 0.5)),
    "lift_unusable": lambda q: postprocessing.lift_unusable(q, 0.1),
    "noisy_counts": lambda q: postprocessing.noisy_counts(q, 1.0, np.random.default_rng(0)),
    "public_margin_counts": lambda q: postprocessing.public_margin_counts(q, 1.0, np.random.default_rng(0)),
    "laplace": lambda q: postprocessing.public_margin_counts(q, 1.0, np.random.default_rng(0), noise="laplace"),
    "paper_slack": lambda q: postprocessing.paper_slack(q, 10, 1.0, 0.05),
    "main_text_slack": lambda q: postprocessing.main_text_slack(q, 10, 1.0, 0.05),
    "margin_slack": lambda q: postprocessing.margin_slack(q, 10, 1.0, 0.05),
    "lemma_a1": lambda q: postprocessing.lemma_a1(q, 10, 1.0, 0.05).gaps,
    "theorem_2_2": lambda q: postprocessing.theorem_2_2(q, 10, 1.0, 0.05, 0.1).fp,
}


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(table=st.one_of(TABLES, PLAIN))
def test_any_table_is_answered_or_refused(name, table):
    try:
        answer = CALLS[name](table)
    except ValueError as refusal:
        assert re.fullmatch(r"(q|counts|gamma)=.+?: .+?\. \S.{5,}\.\)?", str(refusal), re.DOTALL), refusal
    else:
        assert not np.isnan(answer).any()
