"""Chunks to documents: ids are cut by a regular expression, and the best chunk of a document counts, in any format."""

import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from outcomes import refused

import irev as package

CUT = r"^(.*)#\d+$"
QRELS = {f"q{q}": {f"d {d}": (q + d) % 3 for d in range(6)} for q in range(4)}


def chunks(seed=1):
    """Results of each query, best first: a chunk and its score."""
    chance = random.Random(seed)
    found = {}
    for query in QRELS:
        ids = [f"d {d}#{n}" for d in range(8) for n in range(3)] + ["whole"]
        found[query] = {each: chance.randrange(200) / 4 for each in chance.sample(ids, 15)}
    return found


def documents(run):
    """The same by hand: each document with the score of its best chunk."""
    best = {}
    for query, results in run.items():
        best[query] = {}
        for chunk, score in results.items():
            document = chunk.partition("#")[0]
            best[query][document] = max(score, best[query].get(document, score))
    return best


def written(path, run, ending):
    """A run as a file."""
    rows = [(query, document, score) for query, results in run.items() for document, score in results.items()]
    random.Random(3).shuffle(rows)
    if ending == "csv":
        text = "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    elif ending == "jsonl":
        text = "".join(json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, s in rows)
    elif ending == "json":
        text = json.dumps(run)
    else:
        text = "".join(f"{q} Q0 {d.replace(' ', '_')} 1 {s} tag\n" for q, d, s in rows)
    (path / f"run.{ending}").write_text(text)
    return str(path / f"run.{ending}")


@pytest.fixture
def judged(tmp_path):
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    return str(tmp_path / "qrels.json")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("asked", [(), ("--ties", "average"), ("--duplicates", "best")])
def test_the_best_chunk_of_a_document_counts(irev, tmp_path, judged, ending, asked):
    run = chunks()
    measured = ("-q", "-m", "map", "-m", "ndcg", "-m", "num_ret", *asked, judged)
    (tmp_path / "expected").mkdir()
    expected = irev(*measured, written(tmp_path / "expected", documents(run), ending))
    assert 0 == expected[0]
    assert expected[1] == irev("--document-of", CUT, *measured, written(tmp_path, run, ending))[1]


def test_lines_of_trecs_are_cut_too(irev, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 b#1 1 9 t\nq1 Q0 a#7 2 8 t\nq1 Q0 b#2 3 7 t\nq1 Q0 a#1 4 1 t\nq1 Q0 c 5 0 t\n")
    done = irev(
        "--document-of", "^[^#]+", "-m", "num_ret", "-m", "recip_rank", str(tmp_path / "qrels"), str(tmp_path / "run")
    )
    assert (0, b"num_ret               \tall\t3\nrecip_rank            \tall\t0.5000\n") == done[:2]


def test_a_table_of_parquet_is_cut(irev, tmp_path, judged):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    run = chunks(2)
    rows = [(query, document, score) for query, results in run.items() for document, score in results.items()]
    columns = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pyarrow.table(columns), tmp_path / "run.parquet")
    given = ("-q", "-m", "map", judged)
    expected = irev(*given, written(tmp_path, documents(run), "csv"))
    assert expected[1] == irev("--document-of", CUT, *given, str(tmp_path / "run.parquet"))[1]


@pytest.mark.filterwarnings("ignore:.*document_of finds nothing in document 'whole'")
def test_memory_gives_what_files_give():
    run = chunks(5)
    frame_like = tuple(
        map(np.array, zip(*((q, d, s) for q, results in run.items() for d, s in results.items()), strict=True))
    )
    frame = frame_like[0], frame_like[1], frame_like[2].astype(float)
    lists = {
        query: sorted(results, key=lambda each: (results[each], each), reverse=True) for query, results in run.items()
    }
    expected = package.evaluate(QRELS, documents(run), "AP").per_query
    for given in (run, frame):
        assert expected == package.evaluate(QRELS, given, "AP", document_of=CUT).per_query
    firsts = {query: list(dict.fromkeys(each.partition("#")[0] for each in found)) for query, found in lists.items()}
    assert (
        package.evaluate(QRELS, firsts, "AP").per_query
        == package.evaluate(QRELS, lists, "AP", document_of=CUT).per_query
    )


def test_every_question_reads_runs_so(irev, tmp_path, judged):
    for folder, make in (("chunks", dict), ("documents", documents)):
        (tmp_path / folder).mkdir()
        for seed, name in enumerate("ab"):
            Path(written(tmp_path, make(chunks(seed)), "csv")).rename(tmp_path / folder / f"{name}.csv")

    def said(folder, *asked):
        runs = [str(tmp_path / folder / f"{name}.csv") for name in "ab"]
        option = ("--document-of", CUT) if folder == "chunks" else ()
        return irev(asked[0], *option, *asked[1:], judged, *runs[: 2 if asked[0] == "compare" else 1])[:2]

    for asked in (("compare", "-m", "nDCG@5", "-f", "csv"), ("check", "--min", "AP=0.01", "-f", "csv")):
        assert 0 == said("documents", *asked)[0]
        assert said("documents", *asked) == said("chunks", *asked)


def test_neighbours_may_be_chunks(irev, tmp_path):
    np.save(tmp_path / "truth.npy", np.array([[1, 2], [3, 4]]))
    np.save(tmp_path / "found.npy", np.array([[10, 11, 25], [47, 30, 99]]))
    done = irev(
        "--document-of",
        r"^\d",
        "-m",
        "num_ret",
        "-m",
        "recip_rank",
        *(str(tmp_path / f"{n}.npy") for n in ("truth", "found")),
    )
    assert b"num_ret               \tall\t5\nrecip_rank            \tall\t1.0000\n" == done[1]


def test_the_record_says_it_and_is_read_back(irev, tmp_path, judged):
    run = written(tmp_path, chunks(), "csv")
    saved = irev("--document-of", CUT, "-f", "json", "-m", "AP", judged, run)[1]
    assert CUT == json.loads(saved)["options"]["document_of"]
    assert "document_of" not in json.loads(irev("-f", "json", "-m", "AP", judged, run)[1])["options"]
    (tmp_path / "saved.json").write_bytes(saved)
    assert saved == irev("show", "-f", "json", str(tmp_path / "saved.json"))[1]


@pytest.mark.parametrize("expression", ["(", "", "[a"])
def test_what_is_no_expression_is_refused(irev, tmp_path, judged, expression):
    refused(
        irev("--document-of", expression, judged, written(tmp_path, chunks(), "csv")), "is not a regular expression"
    )
    with pytest.raises(package.UsageError, match="is no value of document_of; expected a regular expression"):
        package.evaluate(QRELS, chunks(), "AP", document_of=expression)


@pytest.mark.parametrize("expression", [r"^(.{2})", r"^([é💡]+)#", r"^(\w{2}|💡é)#", r"^([^#]+)#"])
def test_ids_are_matched_as_text_in_files_and_in_memory(irev, tmp_path, expression):
    results = {"q": {"éé#1": 3.0, "éé#2": 2.0, "💡é#1": 1.0}}
    qrels = {"q": {"éé": 1, "éx": 0}}
    (tmp_path / "qrels").write_text("q 0 éé 1\nq 0 éx 0\n")
    (tmp_path / "run").write_text("".join(f"q Q0 {d} 1 {s} t\n" for d, s in results["q"].items()))
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    shown = irev("eval", "-m", "RR", "-m", "num_ret", "--document-of", expression, *files)
    assert [b"2", b"1.0000"] == shown.stdout.split()[2::3]
    found = package.evaluate(qrels, results, ["RR", "NumRet"], document_of=expression)
    assert {"RR": 1.0, "NumRet": 2} == found.mean()


def test_bytes_that_are_no_text_are_characters_of_their_own(irev, tmp_path):
    (tmp_path / "qrels").write_bytes(b"q 0 \xff\xe9 1\n")
    (tmp_path / "run").write_bytes(b"q Q0 \xff\xe9\xc3\xa9 1 2 t\n")
    shown = irev("eval", "-m", "RR", "--document-of", "^..", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert b"1.0000" in shown.stdout


@pytest.mark.parametrize("ending", ["run", "csv", "jsonl", "json"])
def test_an_id_without_the_part_is_told_with_an_example(ending, irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    lines = {
        "run": "q1 Q0 a#1 1 2 t\nq1 Q0 b-1 2 1 t\n",
        "csv": "query_id,doc_id,score\nq1,a#1,2\nq1,b-1,1\n",
        "jsonl": '{"query_id": "q1", "doc_id": "a#1", "score": 2}\n{"query_id": "q1", "doc_id": "b-1", "score": 1}\n',
        "json": '{"q1": {"a#1": 2, "b-1": 1}}',
    }
    (tmp_path / "run").write_text(lines[ending])
    said = "--document-of finds nothing in document 'b-1', whose whole id is used; let it find a part of every id"
    done = irev("eval", "-m", "map", "--document-of", "(.*)#", "qrels", "run")
    assert (0, 1) == (done.status, done.stderr.count(said)), done.stderr
    assert said in irev("convert", "--document-of", "(.*)#", "--content", "run", "--to", "csv", "run", "-").stderr
    with pytest.warns(package.RunWarning, match="document_of finds nothing in document 'b-1'"):
        package.evaluate("qrels", "run", "AP", document_of="(.*)#")


def frame_of(module):
    """What makes frames of lists of queries, documents, and their numbers under a name."""

    def made(queries, documents, name, numbers):
        columns = {"query_id": queries, "doc_id": documents, name: numbers}
        if module == "pyarrow":
            return pytest.importorskip(module).table(columns)
        return pytest.importorskip(module).DataFrame(columns)

    return made


IN_MEMORY = {
    "dictionaries": lambda ids: {"q1": dict(zip(ids, (3.0, 2.0, 1.0), strict=True))},
    "lists": lambda ids: {"q1": ids},
    "one query": lambda ids: ids,
    "arrays": lambda ids: (["q1"] * 3, ids, [3.0, 2.0, 1.0]),
    **{
        name: lambda ids, name=name: frame_of(name)(["q1"] * 3, ids, "score", [3.0, 2.0, 1.0])
        for name in ("pandas", "polars", "pyarrow")
    },
    "frame of lists": lambda ids: pytest.importorskip("pandas").DataFrame({"query_id": ["q1"], "results": [ids]}),
}
DOORS = {
    "evaluate": lambda judged, run, **options: package.evaluate(judged, run, "AP", **options),
    "Evaluator": lambda judged, run, **options: package.Evaluator(judged, "AP", **options).evaluate(run),
    "evaluate_runs": lambda judged, run, **options: package.evaluate_runs(judged, {"run": run}, "AP", **options),
    "compare": lambda judged, run, **options: package.compare(
        judged, {"run": run, "same": {"q1": ["a#1", "b#1"]}}, "AP", **options
    ),
    "explain": lambda judged, run, **options: package.explain(judged, run, measures="AP", **options),
    "read_run": lambda judged, run, **options: package.evaluate(
        judged, package.read_run(run, **options), "AP", **options
    ),
    "fuse": lambda judged, run, **options: package.fuse({"a": run, "b": {"q1": ["a#1", "b#1"]}}, **options),
}


NAMED = ("compare", "evaluate_runs", "fuse")
"""Doors that take runs by their names, each with its queries."""


@pytest.mark.parametrize(
    ("form", "door"), [(form, door) for form in IN_MEMORY for door in DOORS if form != "one query" or door not in NAMED]
)
def test_an_id_without_the_part_is_told_once_of_data_in_memory(form, door):
    judged = {"1" if form == "one query" else "q1": {"a": 1, "b": 0}}
    options = {"document_of": "(.*)#"}

    def told(ids):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            DOORS[door](judged, IN_MEMORY[form](ids), **options)
        return [str(each.message) for each in found if "document_of" in str(each.message)]

    said = "run: document_of finds nothing in document 'c-1', whose whole id is used; let it find a part of every id"
    assert [[], [said if door != "fuse" else said.replace("run", "run a", 1)]] == [
        told(["b#1", "a#2", "a#1"]),
        told(["a#1", "c-1", "d-1"]),
    ]


def test_an_id_without_the_part_is_an_error_under_strict():
    with pytest.raises(package.InputError, match=r"document_of finds nothing in document 'c-1'.*leave out strict"):
        package.evaluate({"q1": {"a": 1}}, {"q1": ["a#1", "c-1"]}, "AP", document_of="(.*)#", strict=True)
