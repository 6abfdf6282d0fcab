"""Ids in place: which of many are the same."""

from random import Random

import numpy as np
import pytest

from irev.reading import ids
from irev.reading.flat_ids import FlatIds


@pytest.mark.parametrize("bits", [0, 1, 3, 61, 64])
@pytest.mark.parametrize("rows", [0, 1, 2, 1000])
def test_the_first_row_of_the_same_key_is_found_however_keys_are_alike(rows, bits):
    random = Random(rows)
    for shift in (0, 64 - bits):  # alike in their highest bits, and in their lowest
        keys = [(random.getrandbits(bits) if bits else 0) << shift for _ in range(rows)]
        assert [keys.index(key) for key in keys] == ids.first_alike(np.array(keys, dtype=np.uint64)).tolist()


@pytest.mark.parametrize("alike", [False, True])
def test_equal_ids_have_the_number_of_their_first_row(monkeypatch, alike):
    if alike:
        monkeypatch.setattr(ids, "keys", lambda text, start, *rest: np.full(len(start), 7, dtype=np.uint64))
    written = [b"b", b"a", b"b", b"c", b"a", b"a-much-longer-one", b"c"]
    found = FlatIds.of(written)
    number, examples = ids.grouped(found.text, found.start, found.length)
    assert ([0, 1, 0, 2, 1, 3, 2], [0, 1, 3, 5]) == (number.tolist(), examples.tolist())
