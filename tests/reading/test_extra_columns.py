"""Judgments that are more than grades of documents: rows with a group, a subgroup and a probability."""

import pickle
import random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.base.errors import Faults, ProblemError
from irev.base.settings import Settings
from irev.ranking.ranking import rank
from irev.reading import extra_columns, formats, ids, qrels
from irev.reading.fields import JudgmentKind, Layout
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.sources import Source

LAYOUT = Layout(
    ("query", "group", "subgroup", "document", "grade", "probability"),
    exact=True,
    empty_lines=False,
    comments="none",
    example="query group subgroup document grade probability",
)
FORMAT = Format(
    name="whole",
    description="Everything.",
    example="q1 a x d01 2 0.5\n",
    lines=lambda source, settings, faults: (LAYOUT, source),
    kind=JudgmentKind("wholes"),
)
NAMED = Settings(qrels_format="whole")


@pytest.fixture(autouse=True)
def whole():
    len(JUDGMENTS)  # all formats are there before one is added
    with patch.dict(JUDGMENTS._made, {"whole": FORMAT}):
        yield


def read(path, rows, faults=None):
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    with Source(str(path)) as source:
        return qrels.read(source, NAMED, faults)


def seen(judgments):
    """The rows of each judgment, in their order, by query and document."""
    found = judgments.details
    rows = {}
    for j in range(len(judgments.grade)):
        document = ids.at(judgments.text, judgments.document_start[j], judgments.document_length[j])
        query = judgments.queries[judgments.query[j]]
        rows[query.decode(), document.decode()] = []
        for d in range(found.start[j], found.start[j + 1]):
            group, subgroup = found.group[d], found.subgroup[d]
            assert judgments.query[j] == found.groups.within[group]
            assert group == found.subgroups.within[subgroup]
            assert document == ids.at(judgments.text, found.place[d], judgments.document_length[j])
            names = found.groups.called(group).decode(), found.subgroups.called(subgroup).decode()
            rows[query.decode(), document.decode()].append((*names, found.grade[d], found.probability[d]))
    return rows


def natural(name):
    """What sorts names as people do."""
    return (0, int(name), name) if name.isdigit() else (1, 0, name)


WORDS = ("a", "b", "10", "9", "09", "0", "a-long-name-of-a-group")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("1", "2", "q")),
        st.sampled_from(WORDS),
        st.sampled_from(WORDS),
        st.sampled_from(("d1", "d2", "d10", "a-document-with-a-long-id")),
        st.sampled_from((-1, 0, 1, 2.5)),
        st.sampled_from((0.25, 1)),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:4],
)


@settings(max_examples=100)
@given(ROWS)
def test_every_row_is_there_beside_the_highest_grade_of_its_document(tmp_path_factory, rows):
    judgments = read(tmp_path_factory.getbasetemp() / "rows", rows)

    expected = {}
    for query, group, subgroup, document, grade, probability in rows:
        expected.setdefault((query, document), []).append((group, subgroup, grade, probability))
    for of_one in expected.values():
        of_one.sort(key=lambda row: (natural(row[0]), natural(row[1])))
    assert expected == seen(judgments)
    grades = {
        (query.decode(), document.decode()): grade
        for query in judgments.queries
        for document, grade in judgments.graded(query).items()
    }
    assert {key: max(row[2] for row in of_one) for key, of_one in expected.items()} == grades


def test_no_order_of_the_rows_matters(tmp_path):
    rows = [(f"q{q}", f"g{(q + d) % 3}", s, f"d{d}", d % 4, 0.5) for q in range(5) for d in range(9) for s in range(2)]
    first = read(tmp_path / "rows", rows)
    random.Random(1).shuffle(rows)
    again = read(tmp_path / "again", rows)
    assert seen(first) == seen(again)
    names = [
        [[groups.called(i) for i in range(len(groups))] for groups in (each.groups, each.subgroups)]
        for each in (first.details, again.details)
    ]
    assert names[0] == names[1]


def test_documents_whose_keys_are_alike_are_told_apart(tmp_path):
    rows = [("1", group, "x", f"d{i}", i, 1) for i in range(5) for group in "ab"]
    expected = seen(read(tmp_path / "rows", rows))
    with patch.object(ids, "keys", lambda text, start, length, seed, loaded=None: np.zeros(len(start), np.uint64)):
        assert expected == seen(read(tmp_path / "rows", rows))


def test_what_is_wrong_is_named_by_its_columns_and_found_at_once(tmp_path):
    rows = [
        ("1", "a", "x", "d1", 1, 0.5),
        ("1", "a", "y", "d1", 1, 0.5),
        ("1", "b", "x", "d1", "one", 0.5),
        ("1", "a", "x", "d2", 1, 0),
        ("1", "a", "x", "d3", 1, 1.5),
        ("1", "a", "x", "d4", 1, "half"),
        ("1", "a", "x", "d1", 2, 0.5),
        ("1", "a", "x", "d1", 2, 0.5),
    ]
    faults = Faults(20)
    judgments = read(tmp_path / "rows", rows, faults)

    again = "document 'd1' is judged twice for query '1', group 'a', subgroup 'x'"
    assert [
        (3, "E102", "the grade 'one' is not a number", None),
        (4, "E114", "the probability '0' is not above 0 and at most 1", None),
        (5, "E114", "the probability '1.5' is not above 0 and at most 1", None),
        (6, "E114", "the probability 'half' is not a number", None),
        (7, "E103", again, 1),
        (8, "E103", again, 1),
    ] == [(problem.line, problem.code, problem.fact, problem.first) for problem in faults.earliest()]
    assert {("1", "d1"): [("a", "x", 1, 0.5), ("a", "y", 1, 0.5)]} == seen(judgments)
    with pytest.raises(ProblemError, match=":3: the grade 'one'"):
        read(tmp_path / "rows", rows)


def test_a_format_checks_what_no_line_alone_shows(tmp_path):
    def check(judgments, faults):
        faults.note(qrels.Problem(1, "E100", f"{len(judgments.grade)} is too few", "judge more"))

    checking = formats.replace(FORMAT, kind=JudgmentKind("wholes", check))
    with patch.dict(JUDGMENTS._made, {"whole": checking}), pytest.raises(ProblemError, match="1 is too few"):
        read(tmp_path / "rows", [("1", "a", "x", "d1", 1, 0.5)])


RUN = "1 Q0 d2 1 9 x\n1 Q0 d9 2 8 x\n1 Q0 d1 3 7 x\n1 Q0 d3 4 6 x\n2 Q0 d1 1 5 x\n"
JUDGED = [
    ("2", "a", "x", "d1", 3, 1),
    ("1", "a", "x", "d1", 1, 1),
    ("1", "a", "x", "d2", -1, 1),
    ("1", "b", "x", "d2", -1, 1),
    ("1", "a", "x", "d3", 0, 1),
    ("1", "b", "x", "d1", 2, 1),
    ("3", "a", "x", "d7", 2, 1),
]


@pytest.fixture
def ranked(tmp_path):
    judgments = read(tmp_path / "qrels", JUDGED)
    (tmp_path / "run").write_text(RUN)
    with Source(str(tmp_path / "run")) as source:
        return rank(judgments, source, Settings(complete=True))[0]


def hits(ranked):
    """Query, rank and rows of each hit; and query and rows of each judged document."""

    def rows(judgment):
        owner, row = ranked.details.rows(judgment)
        of = [[] for _ in judgment]
        for place, d in zip(owner.tolist(), row.tolist(), strict=True):
            of[place].append((ranked.details.groups.called(ranked.details.group[d]).decode(), ranked.details.grade[d]))
        return of

    queries = [query.decode() for query in ranked.queries]
    return (
        [
            (queries[q], rank, of)
            for q, rank, of in zip(ranked.owner.tolist(), ranked.rank.tolist(), rows(ranked.judgment), strict=True)
        ],
        [(queries[q], of) for q, of in zip(ranked.judged_owner.tolist(), rows(ranked.judged), strict=True)],
    )


D1, D2, D3 = [("a", 1), ("b", 2)], [("a", -1), ("b", -1)], [("a", 0)]


def test_hits_and_judgments_of_rankings_know_their_rows(ranked):
    judged = [("1", D1), ("1", D3), ("1", D2)]
    two, three = [("2", 1, [("a", 3)])], [("3", [("a", 2)])]
    assert (
        [("1", 1, D2), ("1", 3, D1), ("1", 4, D3), *two],
        [*judged, ("2", [("a", 3)]), *three],
    ) == hits(ranked)
    # And so do those of any part or view of them.
    assert ([("1", 1, D2), ("1", 3, D1), *two], hits(ranked)[1]) == hits(ranked.at(depth=3))
    assert [("1", 1, D1), ("1", 2, D3), *two] == hits(ranked.at(judged_only=True))[0]
    assert (two, [("2", [("a", 3)])]) == hits(ranked.part(1, 2))
    assert [True, False, True, True, True] == (ranked.every_rank().judgment >= 0).tolist()


def test_ordinary_rankings_carry_none_of_it(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    (tmp_path / "run").write_text(RUN)
    with Source(str(tmp_path / "qrels")) as source:
        judgments = qrels.read(source, Settings())
    with Source(str(tmp_path / "run")) as source:
        ranked = rank(judgments, source, Settings())[0]
    assert (None, None, None, None) == (judgments.details, ranked.details, ranked.judgment, ranked.judged)


def test_documents_are_numbered_in_the_order_of_their_bytes(tmp_path):
    rows = [(q, "a", "x", d, 1, 1) for q in "12" for d in ("b", "a", "ab")]
    judgments = read(tmp_path / "rows", rows)
    documents = list(judgments.details.documents)
    assert [sorted({*documents}).index(each) for each in documents] == judgments.details.by_document.tolist()


def test_they_are_sent_to_another_process(tmp_path):
    judgments = read(tmp_path / "rows", JUDGED)
    assert seen(judgments) == seen(pickle.loads(pickle.dumps(judgments)))


def test_no_group_is_too_long_a_number(tmp_path):
    rows = [("1", group, "x", "d1", 1, 1) for group in ("9" * 5000, "1" + "0" * 5000, "2")]
    names = read(tmp_path / "rows", rows).details.groups.names
    assert [b"2", b"9" * 5000, b"1" + b"0" * 5000] == list(names)
    assert extra_columns._natural(b"007") < extra_columns._natural(b"08") < extra_columns._natural(b"x")
