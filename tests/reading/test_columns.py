"""Columns that are not found: one message says which, and its option, pasted as it stands, reads the file."""

import re
import shlex

import pytest
from outcomes import refused

import irev as package

TREC = {
    "qrels": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "run": "q1 Q0 d2 1 9 t\nq1 Q0 d1 2 8 t\nq2 Q0 d3 1 7 t\n",
}
AP = "map                   \tall\t0.7500\n"

QRELS = [
    "query_id\tcorpus_id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t1\n",
    "topic no,docno,rel\nq1,d1,1\nq1,d2,0\nq2,d3,1\n",
    "question;passage_id;my rating\nq1;d1;1\nq1;d2;0\nq2;d3;1\n",
    "query_id,doc_id,relevant\nq1,d1,1\nq1,d2,0\nq2,d3,1\n",
    '{"query_id": "q1", "golden_chunk_uuids": ["d1"]}\n{"query_id": "q2", "golden_chunk_uuids": ["d3"]}\n',
    '{"query_id": "q1", "correct_chunks": ["d1"]}\n{"query_id": "q2", "correct_chunks": ["d3"]}\n',
    '{"query_id": "q1", "references": ["d1"], "answer": "x"}\n'
    '{"query_id": "q2", "references": ["d3"], "answer": "x"}\n',
    "query_id,golden ids\nq1,['d1']\nq2,['d3']\n",
    '[{"question": "q1", "gold": ["d1"]}, {"question": "q2", "gold": ["d3"]}]',
    '{"question no": "q1", "item": "d1", "my_rating": 1}\n{"question no": "q1", "item": "d2", "my_rating": 0}\n'
    '{"question no": "q2", "item": "d3", "my_rating": 1}\n',
]
RUNS = [
    "query_id,corpus_id,score\nq1,d2,9\nq1,d1,8\nq2,d3,7\n",
    "query id\tchunk uuid\tsim_score\nq1\td2\t9\nq1\td1\t8\nq2\td3\t7\n",
    "question_no\tmatches\nq1\t['d2', 'd1']\nq2\t['d3']\n",
    '{"query_id": "q1", "matches": ["d2", "d1"]}\n{"query_id": "q2", "matches": ["d3"]}\n',
    '{"query_id": "q1", "retrieved_chunks": ["d2", "d1"]}\n{"query_id": "q2", "retrieved_chunks": ["d3"]}\n',
    '{"query_id": "q1", "references": ["d1"], "top": ["d2", "d1"]}\n'
    '{"query_id": "q2", "references": ["d3"], "top": ["d3"]}\n',
]


@pytest.mark.parametrize(("kind", "content"), [*(("qrels", each) for each in QRELS), *(("run", each) for each in RUNS)])
def test_the_option_of_the_message_reads_the_file_when_it_is_pasted(kind, content, irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {**TREC, kind: content}.items():
        (tmp_path / name).write_text(text)
    done = irev("eval", "-m", "map", "qrels", "run")
    pasted = re.search(r"; add (--columns (?:'[^']*'|\S+?))(?:;|$)", done.stderr.strip())
    assert (2, b"") == (done.status, done.stdout)
    assert pasted, done.stderr
    followed = irev("eval", "-m", "map", *shlex.split(pasted[1]), "qrels", "run")
    assert (0, AP) == (followed.status, followed.stdout.decode()), (pasted[1], followed.stderr)


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("qrels", "query_id,doc_id,when\nq1,d1,1700000000\n", "no grade column"),
        ("qrels", '{"query_id": "q1", "retrieved_chunks": ["d1"]}\n', "no field of relevant documents"),
        ("run", '{"query_id": "q1", "golden_ids": ["d1"]}\n', "no field of retrieved documents"),
        ("qrels", '{"query_id": "q1", "a": ["d1"], "b": ["d2"]}\n', "no field of relevant documents"),
    ],
)
def test_a_column_that_may_be_something_else_is_not_suggested(kind, content, said, irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {**TREC, kind: content}.items():
        (tmp_path / name).write_text(text)
    refused(irev("eval", "-m", "map", "qrels", "run"), f"found {said}", "=NAME")


def test_validate_names_a_missing_column_once(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(TREC["qrels"])
    (tmp_path / "run").write_text('{"query_id": "q1", "doc_id": "d1"}\n' * 3)
    done = irev("validate", "qrels", "run")
    assert (2, 1) == (done.status, done.stdout.count(b"error E100: found no score field"))
    assert b"; add --order file if its rows are in ranked order" in done.stdout


def test_distances_are_not_suggested_as_scores(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(TREC["qrels"])
    (tmp_path / "run").write_text("query_id,doc_id,distance\nq1,d2,0.1\nq1,d1,0.2\nq2,d3,0.1\n")
    done = irev("eval", "-m", "map", "qrels", "run")
    refused(done, "; add --order file if its rows are in ranked order, best first, or write the negative of 'distance'")
    assert AP == irev("eval", "-m", "map", "--order", "file", "qrels", "run").stdout.decode()


ROWS = (("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d3", 1))
TWO_GRADES = {
    "CSV": "query_id,doc_id,{}\n" + "".join(f"{q},{d},{1 - g},{g}\n" for q, d, g in ROWS),
    "TSV": "query_id\tdoc_id\t{}\n" + "".join(f"{q}\t{d}\t{1 - g}\t{g}\n" for q, d, g in ROWS),
    "JSONL": "".join(f'{{{{"query_id": "{q}", "doc_id": "{d}", "{{}}": {1 - g}, "{{}}": {g}}}}}\n' for q, d, g in ROWS),
    "frame": None,
}


@pytest.mark.parametrize("names", [("grade", "relevance"), ("label", "rel")])
@pytest.mark.parametrize("form", TWO_GRADES)
def test_two_columns_of_grades_are_asked_for_and_texts_beside_grades_are_not(form, names, tmp_path):
    pandas = pytest.importorskip("pandas")

    def given(*values):
        content = TWO_GRADES[form]
        if content is None:
            rows = [(q, d, each(g), g) for (q, d, g), each in zip(ROWS, values * 3, strict=False)]
            return pandas.DataFrame(rows, columns=["query_id", "doc_id", *names])
        called = {"CSV": [",".join(names)], "TSV": ["\t".join(names)], "JSONL": [*names] * 3}[form]
        text = content.format(*called)
        if values[0](0) == "bad":
            text = re.sub(r"(d\d\"?[,\t] ?(?:\"\w+\": )?)\d", r'\1"bad"', text)
        (tmp_path / "qrels").write_text(text)
        return str(tmp_path / "qrels")

    (tmp_path / "run").write_text(TREC["run"])
    run = str(tmp_path / "run")
    other = given(lambda g: 1 - g)
    with pytest.raises(package.InputError, match=f"'{names[0]}' and '{names[1]}' could each be the grade; columns="):
        package.evaluate(other, run, "AP")
    assert 0.75 == package.evaluate(other, run, "AP", columns={"qrels:grade": names[1]}).mean()["AP"]
    assert 0.5 == package.evaluate(other, run, "AP", columns={"qrels:grade": names[0]}).mean()["AP"]
    if names[1] == "relevance":
        assert 0.75 == package.evaluate(given(lambda g: "bad"), run, "AP").mean()["AP"]


def test_blanks_around_names_are_ignored_and_arrays_of_arrays_are_told(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("query_id, doc_id , relevance\nq1,d1,1\nq1,d2,0\nq2,d3,1\n")
    (tmp_path / "run").write_text(TREC["run"])
    assert (0, AP.encode(), "") == irev("eval", "-m", "map", "qrels", "run")
    (tmp_path / "run").write_text('{"ids": [["d1", "d2"]], "distances": [[0.1, 0.2]]}\n')
    refused(irev("eval", "-m", "map", "qrels", "run"), "the array 'ids' has arrays in it")
