"""Of many rows each takes few bytes, piece by piece: that must change no number and no message."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.base import segments
from irev.base.settings import Settings
from irev.evaluation import scores
from irev.ranking import hits
from irev.ranking.ranked import Ranked
from irev.reading import flat_ids

FEW_ROWS = 7


@pytest.fixture
def many(monkeypatch):
    """More rows than a handful are many."""

    def many() -> None:
        for module, name, most in (
            *((segments, "MANY", FEW_ROWS), (hits, "_MANY", 2)),
            *((flat_ids, "MANY", 3), (scores, "TOGETHER", 4)),
        ):
            monkeypatch.setattr(module, name, most)

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
        assert sorted(numbers) == segments.pick(values, order).tolist()
        assert numbers == segments.narrowed(values).tolist()


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

    expected = f"{judgments}:101: document 'd98' is judged twice for query 'q3' (first on line 99)"
    assert (2, True) == (refused.status, refused.stderr.startswith(f"irev: error: {expected}"))


def test_line_numbers_count_lines_that_are_no_judgments(irev, write):
    judgments = write(b"# one\nq1 0 d1 1\n# two\nq1 0 d2 1\nq1 0 d1 1\n", "qrels")
    refused = irev("eval", judgments, write(b"q1 Q0 d1 1 1 t\n", "run"))

    assert f"{judgments}:5: document 'd1' is judged twice for query 'q1' (first on line 2)" in refused.stderr


# Long queries


def results(chance: np.random.Generator, queries: int, most: int) -> bytes:
    """Results of some queries, with ties, scores of many digits, comments, empty lines, further fields."""
    found = []
    for query in range(queries):
        for document in chance.permutation(most)[: chance.integers(1, most)].tolist():
            score = chance.choice([f"{chance.integers(5)}", f"{chance.random()!r}", f"{chance.random():.3f}", "1e-3"])
            found.append(f"q{query} Q0 d{document} {chance.integers(9)} {score} tag{chance.integers(2)}")
            found += ["# a comment"] * (chance.random() < 0.05) + [""] * (chance.random() < 0.05)
    return "\n".join(found).encode() + b"\n"


@pytest.fixture
def long(many, monkeypatch):
    """Chunks of more than a few bytes are long, and slices of some lines make them up."""

    def long() -> None:
        many()
        monkeypatch.setattr("irev.reading.block.LONG", 100)
        monkeypatch.setattr("irev.reading.chunks.SIZE", 400)

    return long


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options", [(), ("--ties", "file"), ("--ties", "average"), ("--compat", "9.0.8"), ("--drop-self",)]
)
@pytest.mark.parametrize("seed", range(3))
def test_long_queries_give_the_numbers_of_short_ones(irev, write, long, options, seed):
    chance = np.random.default_rng(seed)
    judgments = write(b"".join(b"q%d 0 d%d %d\n" % (q, d, d % 3) for q in range(6) for d in range(0, 90, 2)), "qrels")
    rows = results(chance, 5, 80)
    if "--compat" in options:  # there were no comments yet
        rows = rows.replace(b"# a comment\n", b"")
    command = ("eval", "-q", "-m", "map", "-m", "ndcg", "-m", "P", *options, judgments, write(rows, "run"))
    expected = irev(*command)
    long()

    assert 0 == expected.status
    assert expected == irev(*command)


@pytest.mark.parametrize(
    "fault",
    [
        b"q0 Q0 again 1 1 t\n" + b"".join(b"q0 Q0 x%d 1 1 t\n" % i for i in range(30)) + b"q0 Q0 again 1 1 t\n",
        b"q9 Q0 d1 1 one t\n",
        b"q9 Q0 d1\n",
        b"q9 Q0 d1 1 1 t\nq0 Q0 other 1 1 t\n",
    ],
    ids=["again", "a score", "fields", "scattered"],
)
@pytest.mark.parametrize("duplicates", ["error", "first", "best"])
@pytest.mark.thorough
def test_what_is_wrong_with_a_long_query_is_said_as_of_a_short_one(irev, write, long, fault, duplicates):
    judgments = write(b"q0 0 d1 1\nq1 0 d1 1\n", "qrels")
    run = write(results(np.random.default_rng(4), 1, 80) + fault, "run")
    command = ("eval", "-q", "--duplicates", duplicates, judgments, run)
    expected = irev(*command)
    long()

    assert expected == irev(*command)


def test_what_explains_a_long_query_shows_its_scores_as_they_are_written(irev, write, long):
    judgments = write(b"q0 0 d1 1\n", "qrels")
    command = (
        "explain",
        judgments,
        write(results(np.random.default_rng(5), 1, 80), "run"),
        "--query",
        "q0",
        "-m",
        "AP",
    )
    expected = irev(*command)
    long()

    assert expected == irev(*command)


# Many queries


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-c",),
        ("-c", "--compat", "9.0.8"),
        ("--queries", "run"),
        ("--queries", "qrels"),
        ("-D", "0.q7"),
        ("-J",),
        ("--aggregate", "median,sd"),
        ("--strict",),
    ],
)
def test_many_queries_give_the_numbers_of_few(irev, write, many, monkeypatch, options):
    chance = np.random.default_rng(6)
    judgments = write(
        b"".join(b"q%d 0 d%d %d\n" % (q, d, chance.integers(3)) for q in range(30) for d in range(4)), "qrels"
    )
    rows = (b"q%d Q0 d%d 1 %d t\n" % (q, d, chance.integers(9)) for q in range(3, 36) for d in range(5))
    command = ("eval", "-q", "-m", "all_trec", *options, judgments, write(b"".join(rows), "run"))
    expected = irev(*command)
    many()
    monkeypatch.setattr("irev.output.styles.trec.TOGETHER", 4)

    assert (expected.status == 2) == ("--strict" in options)
    assert expected == irev(*command)


@pytest.mark.thorough
@pytest.mark.parametrize("lines", ["as written", "shuffled"])
@pytest.mark.parametrize(
    "command",
    [
        ("eval", "-q"),
        ("eval", "-q", "-j", "2"),
        ("eval", "-q", "--queries", "listed"),
        ("eval", "-q", "--drop-self"),
        ("eval", "--groups", "groups"),
        ("compare",),
        ("diff",),
        ("validate",),
    ],
    ids=" ".join,
)
def test_queries_that_look_alike_are_told_apart_among_many(irev, write, many, monkeypatch, command, lines):
    chance = np.random.default_rng(8)
    names = [
        b"a",
        b"aa",
        b"a" * 8,
        b"a" * 9,
        b"ab",
        b"b",
        b"\xff\xfe",
        b"a" * 300,
        b"a" * 300 + b"b",
        b"\xc3\xa9",
        b"9",
        b"10",
    ]
    written = [
        [b"%s 0 %s %d\n" % (query, document, chance.integers(3)) for query in names[:-1] for document in names[:5]],
        [b"%s Q0 %s 1 %d s\n" % (query, document, chance.integers(9)) for query in names[1:] for document in names[:7]],
        [b"%s Q0 %s 1 %d t\n" % (query, document, chance.integers(9)) for query in names[2:] for document in names[:7]],
    ]
    for part in written:
        if lines == "shuffled":
            chance.shuffle(part)
    files = [write(b"".join(part), name) for part, name in zip(written, ("qrels", "one", "two"), strict=True)]
    lists = {
        "listed": write(b"".join(name + b"\n" for name in names[::2]), "listed"),
        "groups": write(b"".join(name + b"\tgroup %d\n" % (len(name) % 2) for name in names), "groups"),
    }
    arguments = [lists.get(each, each) for each in command] + files
    expected = irev(*arguments)
    many()
    monkeypatch.setattr("irev.reading.flat_ids.MANY", 0)

    assert expected.status in (0, 1)
    assert expected == irev(*arguments)


def test_numbers_of_many_hits_have_room_for_arithmetic_where_they_are_looked_at():
    narrow = np.array([1, 2], dtype=np.int32)
    ranked = Ranked(
        settings=Settings(),
        queries=(b"p", b"q"),
        missing=np.zeros(2, dtype=bool),
        retrieved=np.array([1, 1]),
        owner=narrow - 1,
        rank=np.array([1, 1]),
        grade=np.ones(2),
        tie_first=np.array([1, 1]),
        tie_last=np.array([1, 1]),
        judged_owner=narrow - 1,
        judged_grade=np.ones(2),
        considered=2,
        positive_judgments=2,
        highest_grade=1.0,
        tag=b"t",
    )

    assert np.int64 == ranked.wide.owner.dtype == ranked.part(0, 1).owner.dtype
