"""Many ids as one text: in order, numbered, found and copied as a list and a dictionary of them would have it."""

import pickle
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.base import segments
from irev.base.settings import Settings
from irev.evaluation import scores
from irev.measures import parse
from irev.ranking import ranking
from irev.reading import chunks, qrels, runs
from irev.reading.block import Seen
from irev.reading.chunks import Scattered
from irev.reading.flat_ids import FlatIds, Lookup, joined, kept, of_some
from irev.reading.ids import equal, rising
from irev.reading.sources import Source

usual = st.binary(min_size=1, max_size=20).map(lambda found: found.replace(b"\0", b"0"))
alike = st.text("ab", min_size=1, max_size=9).map(str.encode)
long = st.integers(250, 270).map(lambda size: b"x" * size)
ids = st.lists(usual | alike | long, max_size=30)


@given(st.lists(ids, min_size=1, max_size=3))
def test_several_are_joined_to_one(parts):
    found = joined([FlatIds.of(part) for part in parts])

    assert [each for part in parts for each in part] == list(found)
    assert b"".join(found) == found.content


@given(ids, st.randoms())
def test_they_are_ordered_by_groups_and_inside_of_these_by_bytes(written, chance):
    found = FlatIds.of(written)
    groups = np.array([[chance.randint(0, 2) for _ in written] for _ in range(2)], dtype=np.int64)
    order = rising(found.text, found.start, found.length, *groups)

    assert sorted(zip(*groups.tolist(), written, strict=True)) == [(*groups[:, i].tolist(), written[i]) for i in order]


@given(ids)
def test_they_are_a_sequence_of_bytes(written):
    found = FlatIds.of(written)

    assert written == list(found) == list(found.copied()) == list(pickle.loads(pickle.dumps(found)))
    assert written[3:-1] == list(found[3:-1]) == list(found[3:-1].copied())
    assert [written[i] for i in range(len(written))] == [found[i] for i in range(len(written))]
    assert found == found.copied()
    assert hash(found) == hash(found.copied())
    assert found != FlatIds.of([*written, b"more"])
    assert found != tuple(written)


@given(ids)
def test_equal_ones_have_one_number_and_the_distinct_ones_stand_in_the_order_of_bytes(written):
    distinct, number = FlatIds.of(written).numbered()
    names = [written[place] for place in distinct.tolist()]

    assert sorted(set(written)) == names
    assert written == [names[each] for each in number.tolist()]


@given(ids, ids)
def test_others_are_found_among_them(written, others):
    rising = sorted(set(written))
    expected = [rising.index(each) if each in rising else -1 for each in others]
    found = FlatIds.of(rising)

    assert expected == found.places(others).tolist() == found.places(FlatIds.of(others)).tolist()


def test_some_of_many_are_sent_without_the_text_of_all():
    some = FlatIds.of([b"%d" % number for number in range(10_000)])[17:20]

    assert [b"17", b"18", b"19"] == list(pickle.loads(pickle.dumps(some)))
    assert len(pickle.dumps(some)) < 1000


def test_few_of_many_are_objects_as_few_are_elsewhere(monkeypatch):
    monkeypatch.setattr("irev.reading.flat_ids.MANY", 3)
    found = kept(FlatIds.of([b"a", b"b", b"c", b"d", b"e"]))

    assert (b"b", b"e") == of_some(found, np.array([1, 4]))
    assert [b"a", b"b", b"d", b"e"] == list(of_some(found, np.array([0, 1, 3, 4])))
    assert (b"a", b"b", b"c") == kept(found[:3])


def test_two_ids_of_one_key_are_told_apart(monkeypatch):
    monkeypatch.setattr("irev.reading.ids.keys", lambda text, start, *rest: np.full(len(start), 7, dtype=np.uint64))
    found = FlatIds.of([b"a", b"b", b"c"])

    assert [1, 0, 2, -1] == found.places([b"b", b"a", b"c", b"d"]).tolist()


def of_one_key(blocks: int) -> list[bytes]:
    """Ids of one key: three bits of 16 bytes that are flipped together change nothing, whatever the seed."""
    plain = b"abcdefgh" * 2
    flipped = bytes(byte ^ {7: 0x80, 12: 0x04, 15: 0x80}.get(place, 0) for place, byte in enumerate(plain))
    return [b"".join(each) for each in product((plain, flipped), repeat=blocks)]


@pytest.mark.parametrize("blocks", [2, 8])
def test_ids_that_were_made_to_share_a_key_do_not_take_the_square_of_their_number(monkeypatch, blocks):
    written = of_one_key(blocks)
    found = FlatIds.of(written)
    assert 1 == len(np.unique(found.keys))
    compared = []

    def counted(text, start, *rest):
        compared.append(len(start))
        return equal(text, start, *rest)

    monkeypatch.setattr("irev.reading.ids.equal", counted)

    assert [*range(len(written)), -1] == found.places([*written, b"other"]).tolist()
    assert sum(compared) <= 8 * len(written)


def test_keys_that_share_their_upper_bits_do_not_take_the_square_of_their_number():
    """A bucket of a table of keys is searched, however many keys somebody put into it."""
    key = np.arange(1 << 12, dtype=np.uint64) << np.uint64(32)
    found = Lookup((key >> np.uint64(32)).astype(np.uint32))
    rows, place = found.find(key[::-1].copy(), lambda rows, place: rows + place == len(key) - 1, None, None)

    assert (rows.tolist(), place.tolist()) == ([*range(len(key))], [*range(len(key))][::-1])


def test_a_query_that_comes_back_is_seen_at_the_latest_when_there_are_twice_as_many():
    seen = Seen()
    for first in range(0, 100, 10):
        seen.add(np.arange(first, first + 10, dtype=np.uint64))
    seen.add(np.array([3], dtype=np.uint64))  # unseen as yet

    with pytest.raises(Scattered):
        seen.add(np.arange(1000, 1100, dtype=np.uint64))


@pytest.mark.parametrize("cut", [40, 200, 1000])
def test_of_several_faults_the_earliest_is_reported_where_a_query_comes_back(cut, write):
    lines = [b"q%d Q0 d%d 1 1 t\n" % (number, number) for number in range(60)]
    lines[40:40] = [b"q38 Q0 d38 1 1 t\n"]  # a document of a query that was there, again
    lines[50:50] = [b"q99 Q0 d1 1 one t\n"]
    path = write(b"".join(lines))

    with Source(path) as source, pytest.raises(Exception, match=":41: document 'd38' is retrieved twice") as raised:
        runs.read(source, lambda block: None, Settings(), size=cut)
    assert "q38" in str(raised.value)


QUERIES = 150_000


@pytest.mark.thorough
def test_of_many_queries_no_object_and_no_number_is_kept_that_is_not_needed(write, monkeypatch):
    # What some queries or rows take at a time is little here, as it is beside millions.
    monkeypatch.setattr(segments, "MANY", 1 << 10)
    monkeypatch.setattr(scores, "TOGETHER", 1 << 10)
    monkeypatch.setattr(chunks, "SIZE", 1 << 16)
    monkeypatch.setattr(chunks, "_keep_freed_memory", lambda: None)
    judged = write(b"".join(b"%d 0 d%d 1\n" % (query, query) for query in range(QUERIES)), "qrels")
    run = write(b"".join(b"%d Q0 d%d 1 0.5 t\n" % (query, query) for query in range(QUERIES)), "run")
    settings, requests = Settings(), parse(())

    tracemalloc.start()
    with Source(judged) as first, Source(run) as second:
        judgments = qrels.read(first, settings)
        of_judgments, _ = tracemalloc.get_traced_memory()
        ranked, _, _ = ranking.rank(judgments, second, settings)
        scores.evaluate_summary(ranked, requests)
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    text = len(judgments.text)
    assert isinstance(judgments.queries, FlatIds)
    assert (of_judgments - text) / QUERIES < 45
    assert (peak - text) / QUERIES < 200
