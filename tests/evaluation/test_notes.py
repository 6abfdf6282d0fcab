"""Notes on an evaluation: ids of queries that differ between judgments and a run only in how they are written; and
messages about files, which name what is missing."""

import warnings

import pytest
from outcomes import refused

import irev as package
from irev.evaluation.notes import written_otherwise

RUN = b'{"query_id": "q1", "doc_id": "d1", "score": 2}\n{"query_id": "q2", "doc_id": "d2", "score": 1}\n'


@pytest.mark.parametrize(
    ("judged", "retrieved", "expected"),
    [
        ("q01", "q1", True),
        ("Q1", "q1", True),
        ("MED-1", "1", True),
        ("1", "MED-1", True),
        ("q_1_2", "q-1-2", True),
        ("q6", "q8", False),
        ("MED-1", "PLAIN-1", False),
        ("apple", "pear", False),
        ("q1 Q01", "q001", False),
        ("q0", "q", False),
    ],
)
def test_queries_that_are_written_otherwise_are_found(judged, retrieved, expected):
    first = tuple(each.encode() for each in judged.split())
    found = written_otherwise(first, (b"other", retrieved.encode()))

    assert ((first[0], retrieved.encode()) if expected else None) == found


def test_a_query_that_is_written_otherwise_is_named_with_an_id_of_each_side(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nQ02 0 d2 1\n")
    (tmp_path / "run.jsonl").write_bytes(RUN)
    done = irev("eval", "qrels", "run.jsonl")

    same = "'Q02' is in the judgments and 'q2' in the run: are they the same query?\n"
    assert f"query q2 has no judgments and is left out; {same}" in done.stderr


def test_a_listed_query_that_neither_file_has_is_not_said_to_be_in_one(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nQ02 0 d2 1\n")
    (tmp_path / "run.jsonl").write_bytes(RUN)
    (tmp_path / "queries").write_text("q1\nQ99\nQ02\nq2\n")
    done = irev("eval", "-m", "AP", "--queries", "queries", "qrels", "run.jsonl")

    assert "2 listed queries have no results and count as empty rankings: Q02, Q99\n" in done.stderr
    assert "; 'Q02' is in the judgments and 'q2' in the run: are they the same query?\n" in done.stderr
    (tmp_path / "queries").write_text("q1\nQ99\n")
    done = irev("eval", "-m", "AP", "--queries", "queries", "qrels", "run.jsonl")

    assert "listed query Q99 has no results and " in done.stderr
    assert "are they the same query" not in done.stderr


def test_records_without_a_document_are_not_said_to_lack_a_query(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.jsonl").write_text('{"query": "q1", "answer": "x", "label": 2}\n')
    (tmp_path / "main.jsonl").write_bytes(RUN)
    done = irev("eval", "judge.jsonl", "main.jsonl")
    refused(
        done,
        "judge.jsonl: found no document field (doc_id, docno, docid …); there are 'query', 'answer', 'label'",
        "add --columns qrels:document=NAME",
    )


@pytest.mark.parametrize("content", [RUN, b"q1 Q0 d1 1 1 t\n", b"{}"])
def test_a_run_as_baseline_is_told_which_option_takes_it(irev, tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "run.jsonl").write_bytes(RUN)
    (tmp_path / "before").write_bytes(content)
    done = irev("check", "--max-drop", "AP=0.1", "--baseline", "before", "qrels", "run.jsonl")
    refused(done, "make the record again with `irev eval -f json`, or name a run by --baseline-run\n")


def test_titles_are_called_topics_too(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    (tmp_path / "topics").write_text("q1\tcompost heap smells\n")

    assert "compost heap smells" in irev("explain", "--topics", "topics", "qrels", "run").stdout.decode()
    assert 0 == irev("report", "--topics", "topics", "-o", "page.html", "qrels", "run").status
    assert "compost heap smells" in (tmp_path / "page.html").read_text()


JUDGED = "".join(f"q{q} 0 d{d} 1\n" for q in range(10, 50) for d in range(q, q + 9))
NEAR = "documents differ from judged ones only in how they are written: for query 'q10' 'D10' is retrieved, 'd10'"


def retrieved(every: int) -> str:
    """A run of the judged documents, of which each so many is written in capital letters."""
    rows = enumerate(line.split() for line in JUDGED.splitlines())
    return "".join(f"{q} Q0 {d if row % every else d.upper()} 1 {-row} t\n" for row, (q, _, d, _) in rows)


@pytest.mark.parametrize("every", [2, 5])
def test_documents_that_are_judged_but_for_capital_letters_are_told(irev, tmp_path, monkeypatch, every):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(JUDGED)
    (tmp_path / "run").write_text(retrieved(every))
    said = irev("eval", "-m", "AP", "qrels", "run").stderr
    assert f"irev: warning: run: some {NEAR} judged; `irev validate` lists them\n" == said
    (tmp_path / "run").write_text(retrieved(every).replace(" d", " x"))
    said = irev("eval", "-m", "AP", "qrels", "run").stderr
    assert "none of the retrieved documents is judged: for query 'q10' 'D10' is retrieved, 'd10' judged;" in said
    (tmp_path / "run").write_text(retrieved(1000).replace(" D", " x"))
    assert "" == irev("eval", "-m", "AP", "qrels", "run").stderr


@pytest.mark.parametrize("other", ["D10é", "d10É", "\u00a0d10é"])
def test_documents_that_are_told_are_those_that_validate_lists(irev, tmp_path, monkeypatch, other):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q10 0 d10é 1\nq10 0 d11 1\n")
    (tmp_path / "run").write_text(f"q10 Q0 {other} 1 2 t\nq10 Q0 d11 2 1 t\n")
    listed = irev("validate", "qrels", "run").stdout
    assert (b"W207" in listed or b"W213" in listed) == ("lists them" in irev("eval", "qrels", "run").stderr)


def test_documents_in_memory_that_are_judged_but_for_capital_letters_or_blanks_are_told():
    few = {"q10": {"d10": 1, "d11": 1}}
    many = {f"q{q}": {f"d{d}": 1 for d in range(200)} for q in range(10, 140)}
    for judged in (few, many):
        for other in ("D10", " d10", "d10\n"):
            with pytest.warns(package.DocumentsWarning, match="retrieved, 'd10' judged"):
                package.evaluate(judged, {query: {other: 2.0, "d11": 1.0} for query in judged}, "AP")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            package.evaluate(judged, {query: {"D10": 2.0, "d10": 1.5, "d11": 1.0} for query in judged}, "AP")


TWINS = {
    "decimals": ("1.0", "2.0", "1", "2"),
    "zeros": ("007", "008", "7", "8"),
    "accents": ("caf\u00e9", "th\u00e9", "cafe\u0301", "the\u0301"),
    "cut": ("a-very-long-id-of-one", "a-very-long-id-of-two", "a-very-long-id-of-on", "a-very-long-id-of-tw"),
    "capitals": ("Q1", "Q2", "q1", "q2"),
}


@pytest.mark.parametrize("ids", TWINS.values(), ids=TWINS)
def test_queries_that_differ_in_how_they_are_written_are_told_also_where_others_match(ids, irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second, *others = ids
    (tmp_path / "qrels").write_text(f"x 0 d 1\n{first} 0 d 1\n{second} 0 d 1\n")
    (tmp_path / "run").write_text(f"x Q0 d 1 1 t\n{others[0]} Q0 d 1 1 t\n{others[1]} Q0 d 1 1 t\n")
    said = f"{first!r} is in the judgments and {others[0]!r} in the run: are they the same query?"
    for command, *more in ("eval",), ("compare", "run"), ("report", "-o", "page.html"):
        assert said in irev(command, "-m", "AP", "qrels", "run", *more).stderr, command
    assert said.replace("in the run", "here") in irev("validate", "qrels", "run").stdout.decode()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        package.evaluate("qrels", "run", "AP")
    assert any(said in str(each.message) for each in caught)


@pytest.mark.parametrize("ids", TWINS.values(), ids=TWINS)
def test_documents_that_differ_in_how_they_are_written_are_told_also_where_others_match(
    ids, irev, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    first, second, *others = ids
    (tmp_path / "qrels").write_text(f"q 0 x 1\nq 0 {first} 1\nq 0 {second} 1\n")
    (tmp_path / "run").write_text(f"q Q0 x 1 3 t\nq Q0 {others[0]} 2 2 t\nq Q0 {others[1]} 3 1 t\n")
    said = f"differ from judged ones only in how they are written: for query 'q' {others[0]!r} is retrieved, {first!r} "
    assert said in irev("eval", "-m", "AP", "qrels", "run").stderr
    done = irev("validate", "qrels", "run").stdout.decode()
    assert said in done or "but for capital letters" in done
