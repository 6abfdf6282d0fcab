"""The same data in every container: the table of docs/formats.md says of each what becomes of it, and is tried here.

A cell is `same` where the numbers are those of all others, `refused` where there is an error, and `—` where the
container cannot hold such data.
"""

import io
import json
import math
import re
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from conftest import ROOT
from pyarrow import feather, parquet
from workbooks import workbook

import irev as package

BOM = b"\xef\xbb\xbf"
TABLE = re.compile(r"<!-- containers: begin -->\n+(.*?)\n+<!-- containers: end -->", re.DOTALL)


def cells():
    """What the page says of each situation in each container."""
    lines = TABLE.search((ROOT / "docs" / "formats.md").read_text("utf-8"))[1].split("\n")
    header, _, *rows = ([cell.strip() for cell in line.strip("| ").split("|")] for line in lines)
    for situation, *said in rows:
        for names, each in zip(header[1:], said, strict=True):
            for name in names.split(", "):
                yield situation, name, each


# Containers: rows of a query, a document and a number, or of a query and a list


def trec(rows, value):
    line = "{}\t0\t{}\t{}\n" if value == "relevance" else "{}\tQ0\t{}\t1\t{}\tx\n"
    return "".join(line.format(*map(text, row)) for row in rows).encode()


def text(cell):
    return str(cell).lower() if isinstance(cell, bool) else json.dumps(cell) if isinstance(cell, list) else str(cell)


def separated(separator):
    def write(rows, value):
        def quoted(cell):
            return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell

        lines = [names(rows, value), *rows]
        return "".join(separator.join(quoted(text(cell)) for cell in line) + "\n" for line in lines).encode()

    return write


def names(rows, value):
    return ["query_id", "doc_id", value] if len(rows[0]) == 3 else ["query_id", value]


def nested(rows, value):
    if len(rows[0]) == 2:
        return dict(rows)
    found = {}
    for query, document, number in rows:
        if document in found.setdefault(query, {}):
            pytest.fail("a dictionary has a key once")
        found[query][document] = number
    return found


def as_json(rows, value):
    if len(rows[0]) == 2:
        return json.dumps(dict(rows)).encode()
    of = {query: [] for query, _, _ in rows}
    for query, document, number in rows:
        of[query].append(f"{json.dumps(str(document))}: {json.dumps(number)}")
    queries = (f"{json.dumps(str(query))}: {{{', '.join(found)}}}" for query, found in of.items())
    return f"{{{', '.join(queries)}}}\n".encode()


def jsonl(rows, value):
    records = (dict(zip(names(rows, value), row, strict=True)) for row in rows)
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def columns(rows, value):
    return {name: [row[place] for row in rows] for place, name in enumerate(names(rows, value))}


def arrow(rows, value):
    return pyarrow.table(columns(rows, value))


def in_parquet(rows, value):
    parquet.write_table(arrow(rows, value), written := io.BytesIO())
    return written.getvalue()


def in_feather(rows, value):
    feather.write_feather(arrow(rows, value), written := io.BytesIO())
    return written.getvalue()


def arrays(rows, value):
    return tuple(np.array(column) for column in columns(rows, value).values())


def xlsx(rows, value):
    return workbook([names(rows, value), *rows], text)


CONTAINERS = {
    "TREC": trec,
    "CSV": separated(","),
    "TSV": separated("\t"),
    "JSON": as_json,
    "JSONL": jsonl,
    "Parquet": in_parquet,
    "Feather": in_feather,
    "xlsx": xlsx,
    "pandas": lambda rows, value: pandas.DataFrame(columns(rows, value)),
    "polars": lambda rows, value: polars.DataFrame(columns(rows, value), strict=False),
    "pyarrow": arrow,
    "dictionaries": nested,
    "arrays": arrays,
}
TEXTS = ("TREC", "CSV", "TSV", "JSON", "JSONL")

# Situations: judgments, a run, the values of RR, options


QRELS = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d3", 1)]
RUN = [("q1", "d2", 9.5), ("q1", "d1", 8.5), ("q2", "d3", 7.0)]
USUAL = {"q1": 0.5, "q2": 1.0}


def as_they_are(name, kind):
    return CONTAINERS[name](QRELS if kind == "relevance" else RUN, kind)


def lists(name, kind):
    if kind == "relevance":
        return CONTAINERS[name]([("q1", ["d1"]), ("q2", ["d3"])], "relevant_ids")
    return CONTAINERS[name]([("q1", ["d2", "d1"]), ("q2", ["d3"])], "retrieved_ids")


def empty_lists(name, kind):
    if kind == "relevance":
        return "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in QRELS).encode()
    return CONTAINERS[name]([("q1", ["d2", "d1"]), ("q2", [])], "retrieved_ids")


def whole_numbers(name, kind):
    rows = QRELS if kind == "relevance" else RUN
    return CONTAINERS[name]([(int(q[1:]), int(d[1:]) + 10, number) for q, d, number in rows], kind)


def blanks(name, kind):
    rows = QRELS if kind == "relevance" else RUN
    return CONTAINERS[name]([(f"red {q}", f"blue {d}.pdf", number) for q, d, number in rows], kind)


def truth(name, kind):
    rows = [(q, d, bool(number)) for q, d, number in QRELS] if kind == "relevance" else RUN
    return CONTAINERS[name](rows, kind)


def scored(score):
    def write(name, kind):
        rows = QRELS if kind == "relevance" else [RUN[0], ("q1", "d1", score), RUN[2]]
        return CONTAINERS[name](rows, kind)

    return write


def repeated(name, kind):
    return CONTAINERS[name](QRELS if kind == "relevance" else [*RUN, RUN[0]], kind)


def unscored(name, kind):
    if kind == "relevance":
        return as_they_are(name, kind)
    if name == "TREC":
        return b"q1 d2\nq1 d1\nq2 d3\n"
    if name in ("JSON", "dictionaries"):
        return CONTAINERS[name]([("q1", ["d2", "d1"]), ("q2", ["d3"])], "retrieved_ids")
    rows = [(query, document) for query, document, _ in RUN]
    if name == "arrays":
        return tuple(map(np.array, zip(*rows, strict=True)))
    return CONTAINERS[name](rows, "doc_id")


def of_text(change):
    return lambda name, kind: change(as_they_are(name, kind))


SITUATIONS = {
    "as it is": (as_they_are, USUAL, {}),
    "lists of ids": (lists, USUAL, {}),
    "an empty list": (empty_lists, {"q1": 0.5, "q2": 0.0}, {}),
    "whole numbers as ids": (whole_numbers, {"1": 0.5, "2": 1.0}, {}),
    "ids with blanks": (blanks, {"red q1": 0.5, "red q2": 1.0}, {}),
    "`true` and `false` as grades": (truth, USUAL, {}),
    "NaN as a score": (scored(math.nan), None, {}),
    "an infinite score": (scored(math.inf), {"q1": 1.0, "q2": 1.0}, {}),
    "a byte order mark": (of_text(lambda data: BOM + data), USUAL, {}),
    "line ends CR LF": (of_text(lambda data: data.replace(b"\n", b"\r\n")), USUAL, {}),
    "line ends CR": (of_text(lambda data: data.replace(b"\n", b"\r")), USUAL, {}),
    "a document twice": (repeated, None, {}),
    "no scores, `--order file`": (unscored, USUAL, {"order": "file"}),
}
ONLY_TEXTS = ("a byte order mark", "line ends CR LF", "line ends CR")


def given(folder, name, role, data):
    if not isinstance(data, bytes):
        return data
    (folder / role).write_bytes(data)
    return str(folder / role)


@pytest.mark.parametrize(("situation", "name", "said"), [*cells()])
def test_what_becomes_of_data_in_a_container_is_what_the_page_says(situation, name, said, tmp_path):
    write, expected, options = SITUATIONS[situation]
    if said == "—":
        return
    if name == "TREC" and situation.startswith("no scores"):
        options = {**options, "run_format": "msmarco"}
    if name == "JSON" and situation == "lists of ids":
        options = {"qrels_format": "lists"}  # it could be a run
    qrels, run = (given(tmp_path, name, kind, write(name, kind)) for kind in ("relevance", "score"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", package.IrevWarning)
        if said == "refused":
            with pytest.raises(package.InputError):
                package.evaluate(qrels, run, "RR", **options)
        else:
            assert ("same", expected) == (said, package.evaluate(qrels, run, "RR", **options).per_query["RR"])


def test_the_page_names_every_container_in_every_situation():
    assert {(each, name) for each in SITUATIONS for name in CONTAINERS} == {(each, name) for each, name, _ in cells()}


@pytest.mark.parametrize("more", [0, 300])  # few queries are evaluated by other code than many
@pytest.mark.parametrize("kind", [int, np.int64])
def test_whole_numbers_in_dictionaries_are_the_ids_that_strings_are(kind, more):
    judged = {query: {"10": 1, "11": 0, "12": 2} for query in ("1", "2", *map(str, range(3, 3 + more)))}
    run = {query: {"10": 1.0, "12": 0.5, "13": 2.0} for query in judged}
    wanted = package.evaluate(judged, run, "AP").per_query["AP"]

    def numbered(data):
        return {kind(query): {kind(document): value for document, value in row.items()} for query, row in data.items()}

    for qrels, results in ((numbered(judged), run), (judged, numbered(run)), (numbered(judged), numbered(run))):
        assert wanted == package.evaluate(qrels, results, "AP").per_query["AP"]
