"""Lists of documents as pipelines write them: what is read of them, in any arrangement, and what is refused."""

import csv
import gzip
import io
import json
import re
import shlex
import warnings
from unittest.mock import patch

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import in_process
from outcomes import refused
from pyarrow import ipc, parquet

import irev as package
from irev.base.settings import Settings
from irev.reading import chunks, formats, limits
from irev.reading.formats import JUDGMENTS, RUNS

LISTS = {"q1": ["d3", "d1", "d2"], "the second": ["d4"], "q3": ["d 1", "é"]}
JUDGED = {"q1": {"d1": 1, "d2": 2}, "the second": {"d4": 1}, "q3": {"d 1": 0, "é": 3}}
SCORED = {query: {d: -float(i) for i, d in enumerate(found)} for query, found in LISTS.items()}


def records(of=lambda document, rank: document, array="results"):
    return [
        {"text": "x", "query": query, array: [of(document, rank) for rank, document in enumerate(found)]}
        for query, found in LISTS.items()
    ]


def lines(*given, **options):
    return "".join(json.dumps(record) + "\n" for record in records(*given, **options)).encode()


def node(document, rank):
    return {"node": {"id_": f"chunk-{rank}", "metadata": {"file": document}}, "score": 1 / (rank + 1)}


EVERY_WAY = {
    "jsonl": lines(),
    "other names": lines(array="retrieved_ids"),
    "array": json.dumps(records()).encode(),
    "array in lines": b"\xef\xbb\xbf" + json.dumps(records(), indent=1, ensure_ascii=False).encode(),
    "records in several lines": "\n".join(json.dumps(record, indent=2) for record in records()).encode(),
    "by query": json.dumps(LISTS).encode(),
    "objects": lines(lambda document, rank: {"id": document, "score": 9 - rank}),
    "objects with distances": lines(lambda document, rank: {"text": "…", "docid": document, "distance": rank / 7}),
    "objects by query": json.dumps({q: [{"_id": d} for d in found] for q, found in LISTS.items()}).encode(),
    "pairs": lines(lambda document, rank: [document, 1 - rank / 10]),
    "scores that are null": lines(lambda document, rank: {"doc_id": document, "score": None}),
}


def evaluated(tmp_path, data, **options):
    (tmp_path / "run").write_bytes(data)
    return package.evaluate(JUDGED, tmp_path / "run", ["AP", "nDCG", "P@1"], **options).per_query


@pytest.mark.parametrize("data", EVERY_WAY.values(), ids=EVERY_WAY)
@pytest.mark.parametrize("size", [1, 50, 1 << 21])
def test_the_order_of_a_list_is_its_ranking(data, size, tmp_path):
    with patch.object(chunks, "SIZE", size):
        assert package.evaluate(JUDGED, SCORED, ["AP", "nDCG", "P@1"]).per_query == evaluated(tmp_path, data)
        assert evaluated(tmp_path, data) == evaluated(tmp_path, gzip.compress(data), order="rank")


CELLS = {
    "as Python": str,
    "as JSON": json.dumps,
    "as numpy": lambda found: str(found).replace(",", ""),
    "with line breaks": lambda found: json.dumps(found, indent=1),
    "with objects": lambda found: json.dumps([{"id": each, "score": 9 - i} for i, each in enumerate(found)]),
    "with objects as Python": lambda found: str([{"id": each, "text": None} for each in found]),
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_of_tables_hold_lists(cell, separator, tmp_path):
    written = io.StringIO()
    rows = csv.writer(written, delimiter=separator)
    rows.writerows([("query_id", "x", "retrieved_ids"), *((query, "", cell(found)) for query, found in LISTS.items())])
    assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, written.getvalue().encode())


def test_cells_of_tables_hold_ids_with_blanks_between_them(tmp_path):
    (tmp_path / "run").write_text("query_id,retrieved_ids\nq1,d2 d1\nq2,d1\nq3,\n")
    judged = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}
    with pytest.warns(package.RunWarning, match="cells are split at blanks"):
        assert {"q1": 0.5, "q2": 1.0, "q3": 0.0} == package.evaluate(judged, tmp_path / "run", "RR").per_query["RR"]


@pytest.mark.parametrize(
    "cell", ["d1;d2", "d1|d2", "['d1' ... 'd2']", "[1.5]", "[d1]", "{'d1'}", "['d1', x]", "[[" * 5000]
)
def test_cells_that_hold_no_list_are_refused(cell, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text(f'query_id,retrieved_ids\nq1,"{cell}"\n')
    refused(in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run")), "run, entry 1: ")


def arrow_tables(queries, array, lists):
    table = pyarrow.table({"query_id": queries, "x": [None] * len(queries), array: lists})
    parquet.write_table(table, written := io.BytesIO())
    yield written.getvalue()
    for writer in ipc.new_file, ipc.new_stream:
        with writer(written := io.BytesIO(), table.schema) as made:
            made.write_table(table)
        yield written.getvalue()


def test_tables_of_arrow_hold_lists(tmp_path):
    for data in arrow_tables([*LISTS], "retrieved_ids", [*LISTS.values()]):
        assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, data)
    expected = package.evaluate({"q1": ["d1"], "q2": ["d2"]}, {"q1": ["d2", "d1"], "q2": ["d2"]}, "AP").per_query
    (tmp_path / "run").write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d2 1 1 t\n")
    for data in arrow_tables(["q1", "q2"], "relevant_ids", [["d1"], ["d2"]]):
        (tmp_path / "qrels").write_bytes(data)
        assert expected == package.evaluate(tmp_path / "qrels", tmp_path / "run", "AP").per_query


def test_null_in_the_place_of_a_list_is_refused(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    for data in arrow_tables(["q1", "q2"], "retrieved_ids", [["d1"], None]):
        (tmp_path / "run").write_bytes(data)
        said = "run, entry 2: query 'q2' has null; expected an array of documents"
        refused(in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run")), said)


def test_parts_of_nested_records_are_found_by_paths(tmp_path):
    nested = [{"question": r["query"], "response": {"source_nodes": r["results"]}} for r in records(node)]
    data = "".join(json.dumps(record) + "\n" for record in nested).encode()
    paths = {"run:query": "question", "results": "response.source_nodes", "document": "node.metadata.file"}
    expected = evaluated(tmp_path, EVERY_WAY["jsonl"])
    assert expected == evaluated(tmp_path, data, columns=paths)
    assert expected == evaluated(
        tmp_path, lines(node, array="source_nodes"), columns={"document": "node.metadata.file"}
    )


def test_a_field_of_texts_is_not_taken_for_the_ids_beside_it(tmp_path):
    def hit(document, rank):
        return {"_id": document, "document": "its text"}

    assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, lines(hit), columns={"document": "_id"})


def test_results_may_repeat_the_query_that_they_stand_under(tmp_path):
    data = {q: [{"query": q, "doc_id": d} for d in found] for q, found in LISTS.items()}
    assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, json.dumps(data).encode())


def test_scores_that_contradict_the_array_are_told_and_rank_where_their_field_is_named(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "run").write_text(
        '{"q1": [{"id": "d2", "sim": 0.1}, {"id": "d1", "sim": 0.9}], "q2": [{"id": "d1", "sim": 0.1}]}'
    )
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    said = f"irev: warning: {files[1]}: the scores of query 'q1' rise along the array, which is the ranking"
    for command in ("eval", "-m", "RR", *files), ("compare", "-m", "RR", *files, files[1]), ("fuse", *files[1:] * 2):
        done = in_process(*command)
        assert f"{said}; --columns run:score=sim ranks by the scores\n" in done.stderr, (command, done.stderr)
    with pytest.warns(package.RunWarning, match=r"columns=\{'run:score': 'sim'\} ranks by the scores"):
        assert 0.75 == package.evaluate(*files, "RR").mean()["RR"]
    assert 1.0 == package.evaluate(*files, "RR", columns={"run:score": "sim"}).mean()["RR"]
    (tmp_path / "run").write_text('{"q1": [["d2", 0.1], ["d1", 0.9]], "q2": [["d1", 1]]}')
    assert 1.0 == package.evaluate(*files, "RR", columns={"run:score": "[1]"}).mean()["RR"]
    done = in_process("validate", *files)
    assert b"run: warning W201: the scores of query 'q1' rise along the array" in done.stdout


def test_a_list_that_ranks_by_scores_has_one_for_each_document(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text('{"q1": [{"id": "d2", "sim": 0.1}, {"id": "d1"}]}')
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    refused(in_process("eval", "--columns", "run:score=sim", *files), "entry 2: the document 'd1' has no score")


def test_pairs_are_grades_only_where_that_is_asked_for(tmp_path):
    (tmp_path / "qrels").write_text('{"query_id": "q1", "relevant": [["docA", 0], ["docB", 7]]}\n')
    (tmp_path / "run").write_text("q1 Q0 docA 1 2 t\nq1 Q0 docB 2 1 t\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    done = in_process("eval", "-m", "AP", *files)
    refused(done, "the documents of query 'q1' are pairs; add --columns 'qrels:document=[0],qrels:grade=[1]' if")
    asked = {"qrels:document": "[0]", "qrels:grade": "[1]"}
    assert 0.5 == package.evaluate(*files, "AP", columns=asked).mean()["AP"]
    assert 1.0 == package.evaluate(*files, "AP", columns={"qrels:document": "[0]"}).mean()["AP"]


WRAPPED = {
    "an object": '{"name": "x", "turns": [{"turn_id": "q1", "hits": ["d2", "d1"]}, {"turn_id": "q2", "hits": ["d3"]}]}',
    "objects in lines": '{"run_name": "x", "turns": [{"turn_id": "q1", "hits": ["d2", "d1"]}]}\n'
    '{"run_name": "y", "turns": [{"turn_id": "q2", "hits": ["d3"]}]}\n',
    "an array": '[{"turns": [{"turn_id": "q1", "hits": ["d2", "d1"]}, {"turn_id": "q2", "hits": ["d3"]}]}]',
    "the array first": '{"turns": [{"turn_id": "q1", "hits": ["d2", "d1"]}, {"turn_id": "q2", "hits": ["d3"]}]}',
    "rows": '{"name": "x", "turns": [{"turn_id": "q1", "doc_id": "d2", "score": 2}, '
    '{"turn_id": "q1", "doc_id": "d1", "score": 1}, {"turn_id": "q2", "doc_id": "d3", "score": 1}]}',
}


@pytest.mark.parametrize("data", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("size", [1, 1 << 21])
def test_records_in_an_array_are_found_by_the_path_that_the_message_has(data, size, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d3 1\n")
    (tmp_path / "run").write_text(data)
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    with patch.object(chunks, "SIZE", size):
        done = in_process("eval", "-m", "map", *files)
        refused(done, "the records are in the array 'turns'; add --columns 'run:query=turns[].turn_id,")
        pasted = shlex.split(done.stderr.partition("; add ")[2])
        assert b"map                   \tall\t0.7500\n" == in_process("eval", "-m", "map", *pasted, *files).stdout


def test_a_path_leads_through_objects_and_arrays(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    inner = [{"id": "q1", "found": {"hits": [{"doc": "d1"}]}}, {"id": "q2", "found": {"hits": []}}]
    (tmp_path / "run").write_text(json.dumps({"log": {"a": [1], "sessions": [{"turns": inner}]}}))
    path = "log.sessions[].turns[]."
    columns = {"run:query": f"{path}id", "results": f"{path}found.hits"}
    assert {"q1": 1.0} == package.evaluate(tmp_path / "qrels", tmp_path / "run", "AP", columns=columns).per_query["AP"]


def test_fields_in_several_arrays_are_refused(tmp_path):
    (tmp_path / "run").write_text(WRAPPED["an object"])
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    done = in_process("eval", "--columns", "run:query=a[].b,run:results=c[].d", *files)
    refused(done, "columns are in several arrays: a[]. and c[].")


def test_scores_in_disorder_are_read_when_the_order_is_said(tmp_path):
    data = lines(lambda document, rank: {"id": document, "score": (1, 3, 2)[rank]})
    assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, data, order="file")


def test_ranks_that_rise_say_what_the_array_says(tmp_path):
    def hit(document, rank):
        return {"id": document, "rank": rank + 1}

    assert evaluated(tmp_path, EVERY_WAY["jsonl"]) == evaluated(tmp_path, lines(hit))


def test_a_key_that_stands_twice_on_a_path_is_refused(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    for data, place in (
        ('{"q1": [{"metadata": {"id": "d1", "id": "d2"}}]}', ", entry 1: a document of query 'q1' is"),
        ('{"qid": "q1", "score": 1, "metadata": {"id": "d1", "id": "d2"}}', ":1: the document id is"),
    ):
        (tmp_path / "run").write_text(data)
        files = str(tmp_path / "qrels"), str(tmp_path / "run")
        done = in_process("eval", "--columns", "document=metadata.id", *files)
        refused(done, f"{place} in an object that has a key twice")


def test_contexts_may_be_ids_with_blanks_where_that_is_said(tmp_path):
    expected = evaluated(tmp_path, EVERY_WAY["jsonl"])
    assert expected == evaluated(tmp_path, lines(array="contexts"), columns={"run:results": "contexts"})


def test_relevant_documents_have_grade_1_or_their_own(tmp_path):
    judged = [
        {"query": q, "relevant_ids": [{"id": d, "rel": g} if g > 1 else d for d, g in found.items() if g]}
        for q, found in JUDGED.items()
    ]
    (tmp_path / "qrels").write_text("".join(json.dumps(each) + "\n" for each in judged))
    expected = package.evaluate(JUDGED, SCORED, ["AP(rel=1)", "nDCG"]).per_query
    assert expected == package.evaluate(tmp_path / "qrels", SCORED, ["AP(rel=1)", "nDCG"]).per_query


@pytest.mark.parametrize(
    ("expected", "head"),
    [
        (("lists", "lists"), b'{"query": "a", "relevant_ids": ["d"], "retrieved_ids": ["d"]}'),
        ((None, "lists"), b'{"q1": ["d1"'),
        ((None, "lists"), b'{"q1": []}'),
        (("jsonl", "lists"), b'{"query": "a", "results": [{"text": "' + b"long " * 20_000),
        ((None, "lists"), b'{"results": ["d1"], "qid": 7}'),
        (("json", "lists"), b'[{"results": ["d1"], "qid": "7"}]'),
        (("json", "json"), b'{"q1": {"d1": 1}}'),
        (("jsonl", "jsonl"), b'{"query_id": "q", "docs": ["x"], "doc_id": "d", "score": 1, "relevance": 1}'),
        ((None, None), b"{q} 0 d1 1\n"),
    ],
)
def test_lists_are_told_from_other_json(expected, head):
    """An array for each query, with nothing that says relevant, could as well be a run."""
    found = [formats.recognised(table, head, Settings()) for table in (JUDGMENTS, RUNS)]
    assert expected == tuple(form and form.name for form in found)


REFUSED = [
    (b'{"q1": ["d1", "d1"]}', "entry 2: document 'd1' is retrieved twice for query 'q1' (first in entry 1)"),
    (b'{"q1": ["d1"], "q1": ["d2"]}', "entry 2: the key 'q1' occurs twice among the queries"),
    (
        b'{"qid": 1, "docs": [{"id": "d1", "score": 1}]}\n{"qid": 1, "docs": [{"id": "d2", "score": 2}]}',
        "entry 2: query '1' has two records, and their documents have scores; rank by the scores with "
        "--columns run:score=score, or rank one list behind the other with --order file",
    ),
    (
        b'{"qid": 1, "docs": ["d1"]}\n{"qid": 1, "docs": ["d1"]}',
        "entry 2: document 'd1' is retrieved twice for query '1' (first in entry 1)",
    ),
    (b'{"q1": ["d1", null]}', "entry 2: a document of query 'q1' is null; expected a string, a whole number, or"),
    (b'{"q1": ["d1", 1.5]}', "entry 2: a document of query 'q1' is a number"),
    (b'{"q1": [["d1"]]}', "entry 1: the array 'q1' has arrays in it, and is no list of a query's documents"),
    (b'{"q1": ["two\\nlines"]}', "entry 1: the document id 'two\\nlines' holds a control character"),
    (b'{"q1": ["d1"], "q2": 7}', "entry 2: query 'q2' has a number; expected an array of documents"),
    (b'{"q1": ["d1"], "q2": {"d1": 1}}', "entry 2: query 'q2' has an object; expected an array of documents"),
    (
        b'{"q1": [{"id": "a", "_id": "b", "x": 1}]}',
        ": fields 'id' and '_id' could each be the document; --columns run:document",
    ),
    (
        b'{"q1": [{"docno": "a", "pid": "b"}]}',
        ": fields 'docno' and 'pid' could each be the document; --columns run:document",
    ),
    (b'{"q1": [{"id": "a"}, {"docno": "b"}]}', "entry 2: the document has no field 'id'; there are 'docno'"),
    (b'{"q1": [{"id": "a", "id": "b"}]}', "entry 1: the key 'id' occurs twice in one object"),
    (
        b'{"qid": "q1", "docs": ["a"], "contexts": ["b"]}',
        ": fields 'docs' and 'contexts' could each be the results; --columns run:results=NAME",
    ),
    (b'{"qid": "q1", "docs": ["a"]}\n{"qid": "q2"}', "entry 2: the record has no field 'docs'; there are 'qid'"),
    (b'{"qid": "q1", "docs": ["a"]}\n[1]', "entry 2: the record is an array; expected an object"),
    (b'{"qid": null, "docs": ["a"]}', "entry 1: the query id is null; expected a string or a whole number"),
    (b'{"qid": "q1", "docs": ["a"]}\n{"qid": ', "entry 2: this is not JSON: expecting value (line 2"),
    (b'{"q1": ["a"]} {"q2": ["b"]}', "entry 2: this is not JSON: data follow its end (line 1, column 15)"),
    (
        b'{"query": "q1", "contexts": ["d1", "Bricks are red."]}',
        "entry 2: the contexts of query 'q1' are texts, not ids: 'Bricks are red.'; --columns run:results=NAME",
    ),
    (
        b'{"q1": [{"id": "d2", "rank": 2}, {"id": "d1", "rank": 1}]}',
        "entry 1: the ranks of query 'q1' do not rise along the array; sort the array, or use it unchanged",
    ),
    (b'{"q1": [{"id": "d2", "Position": 2}, {"id": "d1", "Position": 2}]}', "entry 1: the ranks of query 'q1' do not"),
    (
        b'{"q1": [["d1", 2], ["d2", 1]], "q2": [["d1", 0]], "q3": [["d1", 1], ["d2", 2]]}',
        "entry 4: the scores of query 'q3' rise, and others did not; rank by the scores with --columns 'run:score=[1]'",
    ),
    (b'{"q1": [[1, 7], [2, 9]]}', "entry 1: the pairs of query 'q1' may be ranks and ids as well as ids and scores"),
    (
        b'{"q1": [{"id": "d1", "document": "text", "score": 0.9}]}',
        ": fields 'document' and 'id' could each be the document; --columns run:document=NAME",
    ),
    (
        b'{"q1": [{"id": "d1"}, {"id": "d2", "document": "text"}]}',
        ": fields 'document' and 'id' could each be the document; --columns run:document=NAME",
    ),
    (
        b'{"query": "q1", "document": "text", "score": 1, "contexts": ["d1"]}',
        ": fields 'document' and 'contexts' could each be the document; --run-format lists reads 'contexts', --col",
    ),
    (
        b'{"data": [{"qid": "q1", "docs": ["d1"]}]}',
        ": the records are in the array 'data'; add --columns 'run:query=data[].qid,run:results=data[].docs'",
    ),
    (b'{"queries": [{"id": "q1", "results": ["d1"]}]}', ": in the array 'queries' records have a field 'results' of "),
    (b'{"query_id": ["q1"], "doc_id": ["d1"]}', ": 'doc_id' and others are names of columns, but queries were expec"),
    (b'{"index": [0], "columns": ["qid", "docno"], "data": []}', ": 'data' and others are names of columns"),
    (b'{"query_id": {"0": 1}, "doc_id": {"0": 7}, "score": {"0": 2}}', ": 'doc_id' and others are names of columns"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("data", "message"), REFUSED, ids=[message for _, message in REFUSED])
@pytest.mark.parametrize("size", [1, 1 << 21])
def test_what_a_list_cannot_hold_is_refused_at_its_entry(data, message, size, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_bytes(data)
    with patch.object(chunks, "SIZE", size):
        done = in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert message in done.stderr
    assert (2, b"", 1) == (done.status, done.stdout, done.stderr.count("\n"))


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (b'{"q1": ["d1"]}', (), "; perhaps it needs --qrels-format lists\n"),
        (b'{"q1": ["d1", "d2"],\n "q2": ["d1"]}', (), "; perhaps it needs --qrels-format lists\n"),
        (b'{\n  "q1": [\n    "d1"\n  ]\n}', (), "; perhaps it needs --qrels-format lists\n"),
        (
            b'{"q1": [{"id": "d1", "score": 0.5}]}',
            ("--qrels-format", "lists"),
            "entry 1: the document has a score and no",
        ),
        (
            b'{"q1": [{"id": "d1", "rel": "x"}]}',
            ("--qrels-format", "lists"),
            "entry 1: the document has a grade that is a",
        ),
    ],
)
def test_lists_that_could_be_runs_are_no_judgments(data, options, message, tmp_path):
    (tmp_path / "qrels").write_bytes(data)
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    refused(in_process("eval", *options, str(tmp_path / "qrels"), str(tmp_path / "run")), message)


def test_one_list_has_a_largest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 2000)
    monkeypatch.setattr(chunks, "SIZE", 64)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text(json.dumps({"q1": [f"d{i}" for i in range(1000)]}))
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    said = "a value is longer than 2.0 kB; write it in lines, or set IREV_ALLOW_LARGE=1"
    assert said in in_process("eval", *files).stderr
    monkeypatch.setenv("IREV_ALLOW_LARGE", "1")
    assert 0 == in_process("eval", *files).status


def test_judgments_and_run_in_the_wrong_order_are_told_from_their_lists(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, array in (("judged", "relevant_ids"), ("run", "retrieved_ids")):
        for ending, data in (("jsonl", lines(array=array)), ("json", json.dumps(records(array=array)).encode())):
            (tmp_path / f"{name}.{ending}").write_bytes(data)
    for ending in ("jsonl", "json"):
        judged, run = f"judged.{ending}", f"run.{ending}"
        assert 0 == irev("eval", "-m", "AP", judged, run).status
        said = irev("eval", run, judged)
        refused(said, f"{run}: the records have lists of documents, 'retrieved_ids', as a run has; judgments come")
        assert (
            f"{judged}: the records have lists of documents, 'relevant_ids', as judg"
            in irev("eval", judged, judged).stderr
        )


def test_records_of_single_documents_may_have_lists_beside_them(tmp_path):
    """What another kind of file would be about is no reason to refuse what can be read."""
    rows = [{"query": "q1", "docid": d, "score": 5 - n, "relevant_ids": ["d1"]} for n, d in enumerate(LISTS["q1"])]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    expected = package.evaluate(JUDGED, {"q1": SCORED["q1"]}, ["AP", "nDCG", "P@1"]).per_query
    assert expected == evaluated(tmp_path, data)


def test_the_query_may_be_a_question(tmp_path):
    data = b'{"question_id": "q1", "results": ["d3", "d1", "d2"]}\n'
    assert package.evaluate(JUDGED, {"q1": SCORED["q1"]}, ["AP", "nDCG", "P@1"]).per_query == evaluated(tmp_path, data)


TWO_RECORDS = (
    b'{"qid": "q1", "%b": []}\n{"qid": "q1", "%b": ["a"]}\n{"qid": "q2", "%b": ["x"]}\n{"qid": "q1", "%b": ["b"]}\n'
)


@pytest.mark.parametrize("array", [False, True])
def test_records_of_one_query_are_joined(irev, tmp_path, array):
    """The lists of a query follow one another, wherever its records stand; an empty one is none of them."""
    for name, key in (("qrels", b"relevant_ids"), ("run", b"results")):
        content = TWO_RECORDS.replace(b"%b", key)
        if array:
            content = b"[" + b",".join(content.splitlines()) + b"]"
        (tmp_path / name).write_bytes(content)
    (tmp_path / "ranks").write_text("q1 0 b 1\nq2 0 x 1\n")
    judged, ranks, run = (str(tmp_path / name) for name in ("qrels", "ranks", "run"))

    assert (0, b"num_rel               \tall\t3\nmap                   \tall\t1.0000\n", "") == irev(
        "eval", "-m", "num_rel", "-m", "map", judged, run
    )
    assert b"recip_rank            \tall\t0.7500\n" == irev("eval", "-m", "RR", ranks, run).stdout


IDS = (["d3", "d1", "d2"], ["d4"], [])
HELD = {
    "lists": list,
    "tuples": tuple,
    "arrays": lambda ids: numpy.array(ids, dtype=str),
    "as Python writes them": repr,
    "as JSON writes them": json.dumps,
    "with blanks": " ".join,
    "objects": lambda ids: [{"id": each} for each in ids],
    "objects as JSON": lambda ids: json.dumps([{"id": each} for each in ids]),
    "objects as Python": lambda ids: repr([{"id": each} for each in ids]),
    "objects with scores": lambda ids: [{"id": each, "score": -float(rank)} for rank, each in enumerate(ids)],
    "objects with rising scores": lambda ids: [{"id": each, "score": float(rank)} for rank, each in enumerate(ids)],
    "nested objects": lambda ids: [{"metadata": {"file": each}, "text": "x"} for each in ids],
    "pairs": lambda ids: [[each, -float(rank)] for rank, each in enumerate(ids)],
    "pairs as Python": lambda ids: repr([[each, -float(rank)] for rank, each in enumerate(ids)]),
    "commas": ",".join,
    "numbers": lambda ids: [float(rank) for rank, _ in enumerate(ids)],
    "other objects": lambda ids: [{"name": each} for each in ids],
}
FRAMES = {
    "pandas": lambda columns: pandas.DataFrame(columns),
    "polars": lambda columns: polars.DataFrame(columns),
    "pyarrow": lambda columns: pyarrow.table(columns),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("cell", HELD)
@pytest.mark.parametrize("role", ["relevant_ids", "retrieved_ids"])
def test_a_column_of_a_frame_holds_what_a_column_of_csv_holds(role, cell, library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries, held = [*LISTS], [HELD[cell](each) for each in IDS]
    with open("lists.csv", "w", newline="", encoding="utf-8") as file:
        written = [each if isinstance(each, str) else json.dumps([*each]) for each in held]
        csv.writer(file).writerows([("query_id", role), *zip(queries, written, strict=True)])
    options = {"columns": {"document": "metadata.file"}} if cell == "nested objects" else {}
    judged = {query: dict.fromkeys(ids, 1) or {"x": 1} for query, ids in zip(queries, IDS, strict=True)}

    def outcome(given):
        pair = (given, judged) if role == "relevant_ids" else (judged, given)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                found = package.evaluate(*pair, ["RR", "AP", "num_ret", "num_rel"], **options).per_query
            except package.InputError as error:
                found = str(error)
        texts = [found, *(str(each.message) for each in said)]
        return [re.sub(r"^(lists\.csv|run|qrels)\b", "…", each) if isinstance(each, str) else each for each in texts]

    try:
        frame = FRAMES[library]({"query_id": queries, role: held})
    except (TypeError, pyarrow.ArrowException):
        assert "pairs" in cell  # which columns of polars and pyarrow cannot hold
        return
    expected, found = outcome("lists.csv"), outcome(frame)
    if cell == "numbers":
        assert all("expected a string" in each[0] for each in (expected, found))
    else:
        assert expected == found
    refusals = {"commas", "numbers", "other objects"} | (
        {"pairs", "pairs as Python"} if role == "relevant_ids" else set()
    )
    refusals |= {"objects with scores", "objects with rising scores"} if role == "relevant_ids" else set()
    assert (cell in refusals) == isinstance(found[0], str), found


def test_texts_in_a_frame_are_not_taken_for_ids(tmp_path):
    frame = pandas.DataFrame({"query_id": ["q1"], "contexts": ["what a model was given"]})
    with pytest.raises(package.InputError, match="expected an array of documents"):
        package.evaluate({"q1": {"a": 1}}, frame, "AP")


@pytest.mark.parametrize("number", ["score", "rank"])
@pytest.mark.parametrize("container", ["csv", "tsv", "pandas"])
def test_rows_of_single_documents_are_not_read_as_lists(container, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [("q1", "d2", 1.0), ("q1", "d1", 5.0)]
    frame = pandas.DataFrame(rows, columns=["query_id", "retrieved", number])
    judged, run = {"q1": {"d1": 1, "d2": 0}}, frame
    if container != "pandas":
        run = f"run.{container}"
        frame.to_csv(run, index=False, sep="\t" if container == "tsv" else ",")
    with pytest.raises(package.InputError, match=r"add columns={'run:document':"):
        package.evaluate(judged, run, "RR")
    assert {"RR": 1.0 if number == "score" else 0.5} == package.evaluate(
        judged, run, "RR", columns={"run:document": "retrieved"}
    ).mean()
    listed = frame.assign(retrieved="['d2', 'd1']")[:1]
    listed.to_csv("lists.csv", index=False)
    assert [{"RR": 0.5}] * 2 == [package.evaluate(judged, each, "RR").mean() for each in (listed, "lists.csv")]


def test_judgments_of_single_documents_are_not_read_as_lists(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("query_id,relevant,grade\nq1,d1,0\nq1,d2,1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    said = "has the text 'd1' for a list, and a grade beside it; add --columns qrels:document=relevant if each row has"
    refused(irev("eval", "qrels", "run"), said)
    assert b"\t0.5000\n" in irev("eval", "-m", "map", "--columns", "qrels:document=relevant", "qrels", "run").stdout


def as_cell(value):
    return value if isinstance(value, str) else json.dumps(value)


def held(container, rows):
    """Records in a container: the name of a file, or a frame."""
    if container == "jsonl":
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    elif container == "csv":
        csv.writer(made := io.StringIO()).writerows([[*rows[0]], *([*map(as_cell, row.values())] for row in rows)])
        data = made.getvalue().encode()
    else:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        if container != "parquet":
            return FRAMES[container](columns)
        parquet.write_table(pyarrow.table(columns), made := io.BytesIO())
        data = made.getvalue()
    with open(f"lists.{container}", "wb") as file:
        file.write(data)
    return f"lists.{container}"


def of_two_queries(**fields):
    """A record of each of two queries, whose other fields are given as pairs."""
    return [{"query_id": query, **{name: pair[i] for name, pair in fields.items()}} for i, query in enumerate("ab")]


TRUTH = {"a": {"d1": 1, "d2": 0}, "b": {"d3": 1}}
RANKED = {"a": {"d2": 9, "d1": 8}, "b": {"d3": 7}}
CONTAINERS = ["jsonl", "csv", "parquet", "pandas", "polars"]
RELEVANT, RETRIEVED = (["d1", "d2"], ["d3"]), (["d2", "d1"], ["d3"])


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("fields", "options", "expected"),
    [
        ({"relevance": ([1, 0], [1])}, {}, 0.75),
        ({"grades": ([1, 0], [1])}, {}, 0.75),
        ({"labels": ([True, False], [True])}, {}, 0.75),
        ({"rel": ([1.0, 0.0], [1.0])}, {}, 0.75),
        ({"labels": (["finance"], [])}, {}, 1.0),
        ({"scores": ([1, 0], [1])}, {"columns": {"qrels:grade": "scores"}}, 0.75),
        ({"retrieved_ids": (["d2"], []), "relevance": ([1], [])}, {}, 1.0),
        ({"retrieved_ids": RETRIEVED, "relevance": ([1, 0], [1])}, {}, "as many values in 'relevance' as relevant doc"),
        ({"scores": ([1, 0], [1])}, {}, r"add columns={'qrels:grade': 'scores'} if these are their grades"),
        ({"grades": ([1, 0, 1], [1])}, {}, "query 'a' has 2 documents and 3 numbers in 'grades'"),
        ({"grades": ([1, None], [1])}, {}, "query 'a' has null among its grades"),
        ({"grades": ([1, 0], [])}, {}, "query 'b' has no grades, unlike the queries before"),
        ({"grades": ([1, 0], [1]), "labels": ([1, 0], [1])}, {}, "could each be the grade"),
    ],
)
def test_grades_may_be_in_a_list_beside_the_documents(fields, options, expected, container, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = held(container, of_two_queries(relevant_ids=RELEVANT, **fields))
    if isinstance(expected, str):
        with pytest.raises(package.InputError, match=re.escape(expected)):
            package.evaluate(judged, RANKED, "AP", **options)
    else:
        assert expected == package.evaluate(judged, RANKED, "AP", **options).mean()["AP"]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("name", "numbers", "said"),
    [
        *((name, ([0.1, 0.9], [0.5]), "rise along") for name in ("score", "scores", "relevance_score", "similarity")),
        *((name, ([0.9, 0.1], [0.5]), "fall along") for name in ("distance", "distances")),
        *((name, ([0.9, 0.1], [0.5]), "") for name in ("score", "relevance_scores")),
        *((name, ([0.1, 0.9], [0.5]), "") for name in ("distance", "distances")),
        ("scores", ([0.1], [0.5]), "query 'a' has 2 documents and 1 number in 'scores'"),
    ],
)
def test_numbers_that_contradict_a_list_are_told(name, numbers, said, container, tmp_path, monkeypatch):
    """In a list of their own or in objects, and whatever they are called."""
    monkeypatch.chdir(tmp_path)
    in_objects = tuple(
        [{"id": document, name: number} for document, number in zip(*both, strict=False)]
        for both in zip(RETRIEVED, numbers, strict=True)
    )
    for fields in {"retrieved_ids": RETRIEVED, name: numbers}, {"retrieved_ids": in_objects}:
        run = held(container, of_two_queries(**fields))
        if "number in" in said:
            with pytest.raises(package.InputError, match=said):
                package.evaluate(TRUTH, run, "AP")
            assert 0.75 == package.evaluate(TRUTH, run, "AP", order="file").mean()["AP"]
            return
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            assert 0.75 == package.evaluate(TRUTH, run, "AP").mean()["AP"]
        assert [True] * bool(said) == [f"of query 'a' {said} the array" in str(each.message) for each in given]
        if said.startswith("rise"):
            assert 1.0 == package.evaluate(TRUTH, run, "AP", columns={"run:score": name}).mean()["AP"]


def test_a_list_in_a_string_is_read_in_records_as_in_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = of_two_queries(retrieved_ids=("['d2', 'd1']", '["d3"]'))
    assert [0.75] * 2 == [package.evaluate(TRUTH, held(each, rows), "AP").mean()["AP"] for each in ("jsonl", "csv")]
    judged = of_two_queries(relevant_ids=("['d1']", "['d3']"))
    assert 0.75 == package.evaluate(held("jsonl", judged), RANKED, "AP").mean()["AP"]


@pytest.mark.parametrize("container", CONTAINERS[1:])  # lists in strings of JSON have brackets
def test_a_cell_that_is_split_at_blanks_is_told(container, tmp_path, monkeypatch):
    """The remedy, pasted into the cell, reads it as one id."""
    monkeypatch.chdir(tmp_path)
    run = {"a": ["red bricks.pdf"], "b": ["d3"]}
    judged = of_two_queries(relevant_ids=("red bricks.pdf", "d3"))
    with pytest.warns(package.JudgmentsWarning, match="cells are split at blanks") as said:
        assert 0.5 == package.evaluate(held(container, judged), run, "AP").mean()["AP"]
    with pytest.raises(package.InputError, match=r"blanks: 'red bricks\.pdf' of query 'a' is 2 docu"):
        package.evaluate(held(container, judged), run, "AP", strict=True)
    retrieved = of_two_queries(retrieved_ids=("red bricks.pdf", "d3"))
    with pytest.warns(package.RunWarning, match="cells are split at blanks"):
        package.evaluate(TRUTH, held(container, retrieved), "AP")
    pasted = re.search(r"lists as JSON: (.*) if this is one id", str(said[0].message))[1]
    judged = held(container, of_two_queries(relevant_ids=(pasted, "d3")))
    assert 1.0 == package.evaluate(judged, run, "AP", strict=True).mean()["AP"]


def test_cells_split_at_blanks_are_told_by_validate_and_convert(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("query_id,relevant_ids\nq1,red bricks.pdf\n")
    said = "q.csv: {}cells are split at blanks: 'red bricks.pdf' of query 'q1' is 2 documents; write lists as JSON:"
    assert said.format("warning W228: ") in irev("validate", "q.csv").stdout.decode()
    assert said.format("") in irev("convert", "q.csv", "q.trec").stderr
    (tmp_path / "q.csv").write_text('query_id,relevant_ids\nq1,["red bricks.pdf"]\n')  # as it stands in the message
    assert (0, "") == (irev("convert", "q.csv", "one.jsonl").status, irev("convert", "q.csv", "two.jsonl").stderr)
    assert '"red bricks.pdf"' in (tmp_path / "one.jsonl").read_text()


@pytest.mark.parametrize("container", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize("cell", ["nan", "NaN", "None", "null", "<NA>", ""])
def test_a_cell_without_a_value_is_an_empty_list(cell, container, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = held(container, of_two_queries(relevant_ids=("d1", cell)))
    with pytest.warns(package.QueriesWarning, match="query b has no relevant document"):
        assert {"a": 0.5, "b": 0.0} == package.evaluate(judged, RANKED, "AP").per_query["AP"]


@pytest.mark.parametrize("container", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("['1', None]", "a document of query 'b' is None"),
        ("['d1' nan]", "a document of query 'b' is nan"),
        ("('1' '2')", "query 'b' has the text '('1' '2')' for a list; expected an array of documents"),
        ("'1' '2'", "query 'b' has the text ''1' '2'' for a list"),
    ],
)
def test_what_a_cell_holds_in_the_place_of_a_list_is_named(cell, said, container, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = held(container, of_two_queries(retrieved_ids=("d1", cell)))
    with pytest.raises(package.InputError, match=re.escape(said)):
        package.evaluate(TRUTH, run, "AP")


def test_null_and_sets_in_the_place_of_the_first_list_are_named(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("a 0 d1 1\n")
    (tmp_path / "r").write_text('{"query_id": "a", "retrieved_ids": null}\n')
    refused(irev("eval", "q", "r"), "r, entry 1: query 'a' has null; expected an array of documents")
    sets = pandas.DataFrame({"query_id": ["a"], "retrieved_ids": [{"d1"}]})
    with pytest.raises(package.InputError, match="column 'retrieved_ids' has sets, which have no order"):
        package.evaluate(TRUTH, sets, "AP")


def test_the_first_row_of_a_frame_may_have_no_value():
    judged = pandas.DataFrame({"query_id": ["a", "b"], "relevant_ids": [float("nan"), "d3"]})
    with pytest.warns(package.QueriesWarning, match="query a has no relevant document"):
        assert {"a": 0.0, "b": 1.0} == package.evaluate(judged, RANKED, "AP").per_query["AP"]


@pytest.mark.parametrize("container", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize(
    "grades", [("[1 0]", "[1]"), ("[1. 0.]", "[1.]"), ("1 0", "[1]"), ("1,0", "[1]"), ("1;0", "[1]")]
)
def test_numbers_in_a_cell_are_read_as_numpy_and_people_write_them(grades, container, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = held(container, of_two_queries(relevant_ids=('["d1", "d2"]', '["d3"]'), grades=grades))
    assert 0.75 == package.evaluate(judged, RANKED, "AP").mean()["AP"]


def test_grades_of_documents_may_be_at_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = held("jsonl", of_two_queries(relevant_ids=RELEVANT, meta=({"grades": [1, 0]}, {"grades": [1]})))
    assert 0.75 == package.evaluate(judged, RANKED, "AP", columns={"qrels:grade": "meta.grades"}).mean()["AP"]


def test_a_long_number_in_a_cell_is_looked_at_in_no_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = held("csv", of_two_queries(relevant_ids=("['d1']", "['d3']"), label=("1" * 100_000 + "x", "")))
    assert 0.75 == package.evaluate(judged, RANKED, "AP").mean()["AP"]
