"""Of many rows each takes few bytes, piece by piece: that must change no number and no message."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.base import segments

FEW_ROWS = 7


@pytest.fixture
def many(monkeypatch):
    """More rows than a handful are many."""

    def many() -> None:
        monkeypatch.setattr(segments, "MANY", FEW_ROWS)

    return many


WHOLE = st.lists(st.integers(0, 2**40), max_size=40) | st.lists(st.integers(0, 3), max_size=40)


@given(WHOLE)
def test_packed_numbers_are_ordered_as_a_stable_sort_orders_them(numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "MANY", FEW_ROWS)
        values = np.array(numbers, dtype=np.int64)
        expected = np.argsort(values, kind="stable").tolist()
        ordered, order = segments.packed_order(values.astype(np.uint64))

        assert (sorted(numbers), expected) == (ordered.tolist(), order.tolist())
        assert expected == segments.stable_order(values).tolist()
        assert sorted(numbers) == segments.taken(values, order).tolist()
        assert numbers == segments.narrowed(values).tolist() or max(numbers) > 2**31


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=40).map(sorted))
def test_flagged_rows_are_counted_in_pieces(rows):
    owner, flags = np.array([o for o, _ in rows], dtype=np.int64), np.array([f for _, f in rows], dtype=bool)
    expected = [sum(f for o, f in rows if o == segment) for segment in range(6)]

    assert expected == segments.count_flagged(flags, owner, 6).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "MANY", FEW_ROWS)
        assert expected == segments.count_flagged(flags, owner, 6).tolist()


@pytest.mark.parametrize(
    "options", [("-q", "-m", "all_trec"), ("-q", "-c", "-m", "nDCG", "-m", "Judged"), ("-J", "-M", "3")]
)
def test_many_judgments_give_the_numbers_of_few(irev, write, many, options):
    chance = np.random.default_rng(1)
    pairs = sorted({(int(q), int(d)) for q, d in chance.integers(0, (12, 60), (300, 2))})
    chance.shuffle(pairs)
    judgments = write(b"".join(b"q%d 0 d%d %d\n" % (q, d, chance.integers(-1, 4)) for q, d in pairs), "qrels")
    run = write(
        b"".join(b"q%d Q0 d%d 1 %d t\n" % (q, d, chance.integers(9)) for q in range(9) for d in range(60)), "run"
    )
    expected = irev("eval", *options, judgments, run)
    many()

    assert expected == irev("eval", *options, judgments, run)


def test_a_document_judged_again_is_found_among_many_and_named_by_its_lines(irev, write, many):
    many()
    lines = [b"q%d 0 d%d 1\n" % (i % 5, i) for i in range(100)]
    judgments = write(b"".join([*lines, b"q3 0 d98 0\n", b"q4 0 d3 0\n", b"q1 0 d1 0\n", b"q0 0 d0 0\n"]), "qrels")
    refused = irev("eval", judgments, write(b"q1 Q0 d1 1 1 t\n", "run"))

    expected = f"{judgments}:101: document 'd98' is judged again for query 'q3' (first on line 99)"
    assert (2, True) == (refused.status, refused.stderr.startswith(f"irev: error: {expected}"))


def test_line_numbers_count_lines_that_are_no_judgments(irev, write):
    judgments = write(b"# one\nq1 0 d1 1\n# two\nq1 0 d2 1\nq1 0 d1 1\n", "qrels")
    refused = irev("eval", judgments, write(b"q1 Q0 d1 1 1 t\n", "run"))

    assert f"{judgments}:5: document 'd1' is judged again for query 'q1' (first on line 2)" in refused.stderr
