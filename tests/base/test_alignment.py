"""Values that stand beside queries, brought to other queries."""

import numpy as np
import pytest

from irev.base.segments import values_on


def test_the_same_queries_have_the_same_array():
    values = np.array([0.5, 1.0])

    assert values is values_on(values, (b"1", b"2"), (b"1", b"2"))


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.bool_])
def test_other_queries_have_the_values_in_their_own_order_and_of_the_same_kind(kind):
    found = values_on(np.array([0, 1, 1], dtype=kind), (b"a", b"b", b"c"), (b"c", b"a"))

    assert [1, 0] == found.tolist()
    assert kind == found.dtype


def test_a_query_without_a_value_has_what_counts_as_one():
    assert [0.0, 0.5] == values_on(np.array([0.5]), (b"b",), (b"a", b"b"), absent=0.0).tolist()


def test_a_query_without_a_value_has_none_where_nothing_counts_as_one():
    with pytest.raises(KeyError):
        values_on(np.array([0.5]), (b"b",), (b"a", b"b"))
