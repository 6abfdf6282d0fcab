"""Measures of one long tie, and of many grades: the right values, in a number of steps that does not grow with the
square of the documents.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.measures import expected_over_ties
from irev.measures.families import compatibility, expected_reciprocal_rank
from irev.measures.families.graded_precision import _smaller_gains


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=30))
def test_the_smaller_of_two_gains_is_added_up_over_all_pairs(rows):
    rows.sort(key=lambda row: row[0])
    part, gain = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=float)
    expected = [sum(min(gain[i], gain[j]) for j in range(i + 1) if part[i] == part[j]) for i in range(len(rows))]

    assert expected == _smaller_gains(part, gain).tolist()


@pytest.mark.parametrize(("measure", "module"), [("ERR", expected_reciprocal_rank), ("Compat", compatibility)])
def test_documents_of_a_long_tie_that_nobody_reaches_are_not_looked_at(monkeypatch, measure, module):
    asked = []

    def counted(size, chosen, number):
        asked.append(number)
        return expected_over_ties.chances(size, chosen, number)

    monkeypatch.setattr(module, "chances", counted)
    judged = {f"d{i}": 1 for i in range(4000)}
    found = irev.evaluate({"q": judged}, {"q": dict.fromkeys(judged, 1.0)}, measure, ties="average").mean()[measure]
    monkeypatch.undo()
    untied = irev.evaluate({"q": judged}, {"q": {each: -float(i) for i, each in enumerate(judged)}}, measure)

    assert untied.mean()[measure] == pytest.approx(found, rel=1e-12)
    assert len(asked) < 1500
