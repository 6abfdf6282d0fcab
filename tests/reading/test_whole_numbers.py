"""Whole numbers as ids: their digits, however many, with the keys of the same digits in a text."""

import numpy as np
import pytest

from irev.reading.written_ids import joined_ids, whole_number_ids


@pytest.mark.parametrize("highest", [9, 9_999, 10_000, 99_999_999, 10**8, 2**32, 2**63 - 1])
def test_ids_of_numbers_are_their_digits(highest):
    rng = np.random.default_rng(7)
    values = np.concatenate(([0, 1, highest], rng.integers(0, highest, 200), 10 ** np.arange(len(str(highest)))))
    found, expected = whole_number_ids(values), joined_ids([str(value) for value in values.tolist()])

    assert [str(value).encode() for value in values.tolist()] == list(found)
    assert np.array_equal(expected.keys, found.keys)
    assert np.array_equal(expected.length, found.length)
