"""Ids of two columns, ``--columns document=file+page``: as if they were one, in every kind of file and in memory."""

import json

import pytest
from outcomes import refused

import irev as package

ROWS = [("q1", "a.pdf", 1, 3.0), ("q1", "a.pdf", 2, 2.5), ("q1", "b c.pdf", 1, 2.0), ("q2", "b c.pdf", 7, 1.0)]
JUDGED = [("q1", "a.pdf", 2, 1), ("q1", "b c.pdf", 1, 0), ("q2", "b c.pdf", 7, 2)]
JOIN = ("--columns", "document=file+page")


def written(path, rows, ending, number):
    """A file of rows."""
    path = path / f"{number}.{ending}"
    if ending == "csv":
        lines = [f"query_id,file,other,page,{number}", *(f"{q},{f},-,{p},{n}" for q, f, p, n in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif ending == "parquet":
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        names = ("query_id", "file", "page", number)
        parquet.write_table(pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path)
    else:
        records = [{"query_id": q, "file": f, "page": p, number: n} for q, f, p, n in rows]
        text = json.dumps(records) if ending == "json" else "".join(json.dumps(each) + "\n" for each in records)
        path.write_text(text)
    return str(path)


def by_query(rows):
    found = {}
    for query, file, page, number in rows:
        found.setdefault(query, {})[f"{file}+{page}"] = number
    return found


EXPECTED = package.evaluate(by_query(JUDGED), by_query(ROWS), "AP").per_query


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_two_columns_make_an_id(irev, tmp_path, ending):
    files = written(tmp_path, JUDGED, ending, "relevance"), written(tmp_path, ROWS, ending, "score")
    assert EXPECTED == package.evaluate(*files, "AP", columns={"document": "file+page"}).per_query
    assert 0 == irev(*JOIN, "-m", "map", *files)[0]


def test_a_query_may_be_of_two_fields_and_one_may_be_inside(tmp_path):
    (tmp_path / "qrels").write_text("7+de 0 a+2 1\n")
    record = {"query": {"id": 7, "language": "de"}, "doc": {"name": "a"}, "page": 2, "score": 1.5}
    (tmp_path / "run.jsonl").write_text(json.dumps(record) + "\n")
    columns = {"run:query": "query.id+query.language", "run:document": "doc.name+page"}
    files = str(tmp_path / "qrels"), str(tmp_path / "run.jsonl")
    assert 1.0 == package.evaluate(*files, "RR", columns=columns, run_format="jsonl").mean()["RR"]


def test_documents_of_a_list_may_be_so(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a+2 1\n")
    record = {"query_id": "q1", "results": [{"file": "a", "page": 1}, {"file": "a", "page": 2}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(record) + "\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run.jsonl")
    assert 0.5 == package.evaluate(*files, "RR", columns={"run:document": "file+page"}).mean()["RR"]


def test_a_column_that_is_called_so_is_meant_itself(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 x 1\n")
    (tmp_path / "run.csv").write_text("query_id,file+page,file,page,score\nq1,x,a,1,2\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run.csv")
    assert 1.0 == package.evaluate(*files, "RR", columns={"run:document": "file+page"}).mean()["RR"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_it_too(library):
    module = pytest.importorskip(library)
    names = ("query_id", "file", "page")
    frames = [
        module.DataFrame(dict(zip((*names, number), map(list, zip(*rows, strict=True)), strict=True)))
        for rows, number in ((JUDGED, "relevance"), (ROWS, "score"))
    ]
    assert EXPECTED == package.evaluate(*frames, "AP", columns={"document": "file+page"}).per_query
    holed = module.DataFrame({"query_id": ["q1"], "file": [None], "page": [1], "score": [1.0]})
    with pytest.raises(package.InputError, match="has no id in row 0"):
        package.evaluate(frames[0], holed, "AP", columns={"document": "file+page"})


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_empty_part_is_refused_with_its_line(irev, tmp_path, ending):
    judged = written(tmp_path, JUDGED, ending, "relevance")
    run = written(tmp_path, [("q1", "a", "1", 1.0), ("q1", "", "2", 2.0)], ending, "score")
    line = {"csv": ":3", "jsonl": ":2", "parquet": ", row 2"}[ending]
    refused(irev(*JOIN, "-m", "map", judged, run), f"{run}{line}", "the document id is empty")


def test_a_column_that_is_not_there_is_named(irev, tmp_path):
    files = written(tmp_path, JUDGED, "csv", "relevance"), written(tmp_path, ROWS, "csv", "score")
    refused(irev("--columns", "document=file+leaf", "--qrels-format", "csv", *files), "there is no column 'file+leaf'")
