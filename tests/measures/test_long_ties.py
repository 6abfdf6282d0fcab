"""Measures of one long tie, and of many grades: the right values, in a number of steps that does not grow with the
square of the documents.
"""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.extensions.more_measures.graded_precision import _smaller_gains
from irev.extensions.preferences import compatibility
from irev.measures import expected_over_ties


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=30))
def test_the_smaller_of_two_gains_is_added_up_over_all_pairs(rows):
    rows.sort(key=lambda row: row[0])
    part, gain = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=float)
    expected = [sum(min(gain[i], gain[j]) for j in range(i + 1) if part[i] == part[j]) for i in range(len(rows))]

    assert expected == _smaller_gains(part, gain).tolist()


@pytest.mark.parametrize("measure", ["ERR", "Compat", "Compat(depth=longest)"])
def test_documents_of_a_long_tie_that_nobody_reaches_are_not_looked_at(monkeypatch, measure):
    asked, chances = [], expected_over_ties.chances

    def counted(size, chosen, number):
        asked.append(number)
        return chances(size, chosen, number)

    monkeypatch.setattr(compatibility, "chances", counted)
    monkeypatch.setattr(expected_over_ties, "chances", counted)
    judged = {f"d{i}": 1 for i in range(4000)}
    found = irev.evaluate({"q": judged}, {"q": dict.fromkeys(judged, 1.0)}, measure, ties="average").mean()[measure]
    monkeypatch.undo()
    untied = irev.evaluate({"q": judged}, {"q": {each: -float(i) for i, each in enumerate(judged)}}, measure)

    assert untied.mean()[measure] == pytest.approx(found, rel=1e-12)
    assert 0 < len(asked) < 1500


@given(st.integers(1, 200), st.data())
def test_places_that_are_left_out_of_a_tie_are_as_good_as_impossible(size, data):
    chosen = data.draw(st.integers(1, size))
    number = data.draw(st.integers(0, chosen - 1))
    ways = [math.comb(t, number) * math.comb(size - 1 - t, chosen - 1 - number) for t in range(size)]
    first, found = expected_over_ties.chances(size, chosen, number)

    expected = np.array([each / math.comb(size, chosen) for each in ways])
    assert expected[first : first + len(found)] == pytest.approx(found, rel=1e-9)
    assert 1e-17 > expected[:first].sum() + expected[first + len(found) :].sum()


def test_few_places_of_a_long_tie_are_looked_at():
    first, found = expected_over_ties.chances(1_000_000, 500_000, 250_000)
    assert (True, True) == (len(found) < 20_000, abs(first + len(found) // 2 - 500_000) < 5)
    assert 1.0 == pytest.approx(found.sum(), rel=1e-12)


@pytest.mark.parametrize("grades", ["halves", "different"])
def test_a_long_tie_is_worth_no_more_than_its_documents_one_by_one(grades):
    judged = {f"d{i}": i % 2 if grades == "halves" else i + 1 for i in range(60)}
    name, tied = "Compat(p=0.99,depth=longest)", {"q": dict.fromkeys(judged, 1.0)}
    expected = irev.evaluate({"q": judged}, tied, name, ties="average").mean()[name]
    rng, drawn = random.Random(1), []
    for _ in range(300):
        order = rng.sample([*judged], len(judged))
        drawn.append(irev.evaluate({"q": judged}, {"q": order}, name).mean()[name])
    assert statistics.mean(drawn) == pytest.approx(expected, abs=4 * statistics.stdev(drawn) / 300**0.5)
