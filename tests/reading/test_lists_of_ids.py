"""Every option that reads a list reads it in every form: the same ids, whatever stands around them."""

import gzip
import json
import re

import pytest
from outcomes import refused

import irev as package

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq3 0 a 1\n"
RUN = b"q1 Q0 b 1 2 r\nq1 Q0 a 2 1 r\nq2 Q0 a 1 2 r\nq3 Q0 c 1 1 r\n"

MARK = b"\xef\xbb\xbf"
IDS = {
    "lines": b"q1\nq2\n",
    "mark": MARK + b"q1\nq2\n",
    "carriage returns": b"q1\r\nq2\r\n",
    "mark, carriage returns, no end": MARK + b"q1\r\nq2",
    "blanks": b"  q1 \n\n\tq2\n\n",
    "comments": b"# those that matter\nq1\n# more\nq2\n",
    "text": b"q1\tred bricks\nq2\tblue sky\n",
    "header": b"query_id\nq1\nq2\n",
    "marked header": MARK + b"Query_ID\r\nq1\r\nq2\r\n",
    "header between blanks": b"qid text\nq1 red\nq2 blue\n",
    "tsv": b"qid\ttext\nq1\tred bricks\nq2\tblue sky\n",
    "csv": b'query_id,text\nq1,"red, bricks"\n"q2",blue sky\n',
    "csv of a frame": b",query_id,text\n0,q1,red bricks\n1,q2,blue sky\n",
    "semicolons": b"topic;text\nq1;red\nq2;blue\n",
    "beir": b'{"_id": "q1", "text": "red bricks", "metadata": {}}\n{"_id": "q2", "text": "blue", "metadata": {}}\n',
    "jsonl": b'{"query_id": "q1"}\n{"query_id": "q2"}\n',
    "marked jsonl": MARK
    + b'{"question_id": "q1", "question": "red?"}\r\n{"question_id": "q2", "question": "blue?"}\r\n',
    "id and text": b'{"id": "q1", "query": "red bricks"}\n{"id": "q2", "query": "blue"}\n',
    "array": b'["q1", "q2"]',
    "array of records": b'[\n {"qid": "q1"},\n {"qid": "q2"}\n]\n',
    "object": b'{"q1": "red bricks", "q2": "blue sky"}\n',
    "topics": b"<top>\n<num> Number: q1\n<title> red\n</top>\n\n<top>\n<num> Number: q2\n<title> blue\n</top>\n",
    "topics in XML": b'<?xml version="1.0"?>\n<topics>\n<topic number="q1"><query>red</query></topic>\n'
    b'<topic number="q2"><query>blue</query></topic>\n</topics>\n',
    "compressed": gzip.compress(MARK + b"q1\nq2\n"),
}
"""The queries q1 and q2."""

READERS_OF_IDS = {
    "--queries": ("eval", "-m", "map", "--queries", "list", "qrels", "run"),
    "--subset": ("agree", "-m", "map", "--subset", "some=list", "--subset", "all=all", "qrels", "run", "other"),
    "--topics": ("validate", "--topics", "list", "qrels", "run"),
    "--docids": ("validate", "--docids", "list", "qrels", "run"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name, content in {"qrels": QRELS, "run": RUN, "other": RUN.replace(b" 2 r", b" 0 r")}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "all").write_bytes(b"q1\nq2\nq3\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", IDS)
@pytest.mark.parametrize("option", READERS_OF_IDS)
def test_ids_are_read_in_every_form(irev, place, option, form):
    content, plain = (IDS[each] for each in (form, "lines"))
    if option == "--docids":
        content, plain = (IDS[each] for each in (form, "lines"))
        for name in ("qrels", "run"):
            (place / name).write_bytes((place / name).read_bytes().replace(b" a ", b" q1 ").replace(b" b ", b" q2 "))
        if form in ("csv", "csv of a frame", "header between blanks", "semicolons") or "topics" in form:
            content = content.replace(b"query_id", b"docno").replace(b"qid", b"docno").replace(b"topic;", b"docno;")
        for name in (b"query_id", b"Query_ID", b"qid", b"question_id"):
            content = content.replace(name, b"docno")
    (place / "list").write_bytes(plain)
    expected = irev(*READERS_OF_IDS[option])
    (place / "list").write_bytes(content)

    assert expected == irev(*READERS_OF_IDS[option])


def test_the_listed_queries_are_those_that_count(irev, place):
    (place / "list").write_bytes(IDS["beir"])
    assert (0, b"map                   \tall\t0.7500\n", "") == irev(*READERS_OF_IDS["--queries"])


def test_a_listed_query_without_judgments_is_an_error_under_strict(irev, place):
    """Whether the run has it or not; a judged query that the run lacks counts as 0."""
    fact = "the list of queries has 'yy', without judgments; correct the list, or leave out {}"
    for run in (RUN, RUN + b"yy Q0 a 1 1 r\n"):
        (place / "run").write_bytes(run)
        (place / "list").write_bytes(b"q1\nyy\n")
        refused(irev("eval", "-m", "map", "--strict", "--queries", "list", "qrels", "run"), fact.format("--strict"))
        for given in (("qrels", "run"), ({"q1": {"a": 1}}, {"q1": {"a": 2.0, "b": 1.0}})):
            with pytest.raises(package.InputError, match=re.escape(fact.format("strict"))):
                package.evaluate(*given, "AP", queries=["q1", "yy"], strict=True)
    (place / "list").write_bytes(b"q1\nq2\n")
    (place / "run").write_bytes(RUN.replace(b"q2 Q0", b"q3 Q0 x 1 1 r\nq2 Q0", 1).replace(b"q2 Q0 a 1 2 r\n", b""))
    assert 0 == irev("eval", "-m", "map", "--strict", "--queries", "list", "qrels", "run").status


PAIRS = {
    "lines": b"q1\tA\nq2\tA\nq3\tB\n",
    "mark": MARK + b"q1\tA\r\nq2\tA\r\nq3\tB",
    "comments": b"# groups\nq1\tA\n\nq2\tA\nq3\tB\n",
    "header": b"query\tgroup\nq1\tA\nq2\tA\nq3\tB\n",
    "csv": MARK + b'query_id,text,GROUP\nq1,"x, y",A\nq2,y,A\nq3,z,B\n',
    "other name": b"qid,value\nq1,A\nq2,A\nq3,B\n",
    "object": b'{"q1": "A", "q2": "A", "q3": "B"}',
    "jsonl": b'{"_id": "q1", "GROUP": "A"}\n{"_id": "q2", "GROUP": "A"}\n{"_id": "q3", "GROUP": "B"}\n',
    "array": MARK + b'[{"qid": "q1", "GROUP": "A"}, {"qid": "q2", "GROUP": "A"}, {"qid": "q3", "GROUP": "B"}]',
    "compressed": gzip.compress(b"q1\tA\nq2\tA\nq3\tB\n"),
}
"""What q1 and q2 have, and what q3 has."""

READERS_OF_PAIRS = {
    "--groups": ("group", b"x", b"y", ("eval", "-m", "map", "--groups", "list", "qrels", "run")),
    "--groups of runs": ("group", b"x", b"y", ("coverage", "--groups", "list", "qrels", "q1", "q2", "q3")),
    "--query-weights": ("weight", b"2.5", b"1", ("eval", "-m", "map", "--query-weights", "list", "qrels", "run")),
    "--grade-words": ("grade", b"2", b"0", ("eval", "-m", "ndcg", "--grade-words", "list", "words", "run")),
    "--costs": ("cost", b"2.5", b"1", ("eval", "-m", "TBG", "--costs", "list", "qrels", "types")),
}


@pytest.mark.parametrize("form", PAIRS)
@pytest.mark.parametrize("option", READERS_OF_PAIRS)
def test_what_ids_have_is_read_in_every_form(irev, place, option, form):
    name, first, second, command = READERS_OF_PAIRS[option]
    ids = {"--grade-words": b"word", "--costs": b"type", "--groups of runs": b"run"}

    def written(form: str) -> bytes:
        content = gzip.decompress(PAIRS[form]) if form == "compressed" else PAIRS[form]
        content = content.replace(b"group", name.encode()).replace(b"GROUP", name.encode())
        if option in ids:
            for each in (b"query_id", b"query", b"_id", b"qid"):
                content = content.replace(each, ids[option])
        for tail, value in ((b"A", first), (b"B", second)):
            quoted = b'"%b"' % tail
            number = option not in ("--groups", "--groups of runs") and form in ("object", "jsonl")
            content = content.replace(quoted, value if number else b'"%b"' % value).replace(tail, value)
        return gzip.compress(content) if form == "compressed" else content

    for run in ("q1", "q2", "q3"):
        (place / run).write_bytes(RUN.replace(b" r\n", b" %b\n" % run.encode()))
    (place / "words").write_bytes(b"q1 0 a q1\nq1 0 b q3\nq2 0 a q2\nq3 0 a q1\n")
    (place / "types").write_bytes(RUN.replace(b"Q0 b", b"q1 b").replace(b"Q0 a", b"q2 a").replace(b"Q0 c", b"q3 c"))
    (place / "list").write_bytes(written("lines"))
    expected = irev(*command)
    assert 0 == expected[0], expected[2]
    (place / "list").write_bytes(written(form))

    assert expected == irev(*command)


@pytest.mark.parametrize(
    "content",
    [
        b"q1 map 0.5 0.1\nq2 map 0.5 0.2\nq3 map 0.25 0.1\n",
        MARK + b"# spreads\nq1 map 0.5 0.1\r\nq2\tmap\t0.5\t0.2\r\n\r\nq3 map 0.25 0.1",
        b"query,measure,mean,deviation\nq1,map,0.5,0.1\nq2,map,0.5,0.2\nq3,map,0.25,0.1\n",
        b"query measure mean deviation\nq1 map 0.5 0.1\nq2 map 0.5 0.2\nq3 map 0.25 0.1\n",
        json.dumps(
            [
                {"query_id": f"q{n}", "measure": "map", "mean": mean, "deviation": spread}
                for n, mean, spread in ((1, 0.5, 0.1), (2, 0.5, 0.2), (3, 0.25, 0.1))
            ]
        ).encode(),
    ],
)
def test_means_for_z_scores_are_read_in_every_form(irev, place, content):
    (place / "list").write_bytes(content)
    done = irev("eval", "-q", "-m", "map", "-Z", "list", "qrels", "run")
    assert [b"0.0000", b"2.5000", b"-2.5000", b"0.0000"] == [line.split()[-1] for line in done[1].splitlines()]


@pytest.mark.parametrize("content", [b"run\nother\n", MARK + b"# runs\r\nrun\r\n\r\nother"])
def test_runs_are_listed_with_a_mark_and_comments(irev, place, content):
    (place / "list").write_bytes(content)
    assert 2 == irev("eval", "-m", "map", "qrels", "@list")[1].count(b"map")


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"q1\nq1\n", "list:2: query 'q1' occurs twice (first on line 1); keep one of the two lines"),
        (b'["q1", "q1"]', "list, entry 2: query 'q1' occurs twice (first in entry 1); keep one of the two entries"),
        (b'["q1", null]', "list, entry 2: the entry is null; expected an object"),
        (b'{"query_id": null}', "list, entry 1: the query is null; expected a text or a number"),
        (b'["q1"', "list, entry 2: this is not JSON"),
        (b'{"qid": "a", "topic_id": "b"}', "columns qid and topic_id could each be the query"),
        (b"query_id,text\nq1\n", "list:2: 1 field in a record; expected 2, as the header has"),
        (b"query_id,text\n,red\n", "list:2: the query id is empty"),
        (b"q1\rq2\r", "lines end in carriage returns alone; end them in line feeds: tr"),
        (b"query_id\n", "list: the file lists no ids; expected one on each line"),
        (MARK + b"\n# nothing\n", "list: the file lists no ids; expected one on each line"),
        (b"q\0\n", "list:1: this line contains a NUL byte"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_at_its_entry(irev, place, content, fact):
    (place / "list").write_bytes(content)
    refused(irev(*READERS_OF_IDS["--queries"]), fact)


def test_a_table_of_groups_without_groups_says_what_it_has(irev, place):
    (place / "list").write_bytes(b"query_id,text,domain\nq1,red,law\n")
    fact = "list: found no column group; there are query_id, text, domain; call the one that has it group"
    refused(irev("eval", "--groups", "list", "qrels", "run"), fact)


TEXTS = {form: content for form, content in IDS.items() if b"red" in content} | {
    "texts": b"# those that matter\nq1\tred bricks\nq2\tblue sky\n",
    "marked texts": MARK + b"q1\tred bricks\r\nq2\tblue sky",
    "ids of several kinds": b'{"question_id": 1, "text": "x"}\n{"question_id": "q1", "body": "red bricks"}\n'
    b'{"question_id": "q2", "body": "blue"}\n',
    "another name": b"qid,utterance\nq1,red bricks\nq2,blue\n",
    "objects by id": b'{"q1": {"title": "red", "text": "bricks"}, "q2": {"title": "blue"}}',
    "compressed texts": gzip.compress(MARK + b"q1\tred bricks\nq2\tblue\n"),
    "topic in its element": b'<topics><topic number="q1">red &amp; bricks</topic>'
    b'<topic number="q2">blue</topic></topics>',
}
"""Texts of q1 and q2, of which that of q1 begins with red."""

READERS_OF_TEXTS = {
    "explain": ("explain", "--query", "q1", "qrels", "run"),
    "diff": ("diff", "--query", "q1", "qrels", "run", "other"),
    "report": ("report", "-o", "page.html", "qrels", "run", "other"),
}


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command in READERS_OF_TEXTS for option in ("--titles", "--documents")],
)
def test_texts_are_read_in_every_form_of_a_list(irev, place, command, option, form):
    content = TEXTS[form]
    for name in ("qrels", "run", "other") if option == "--documents" else ():
        (place / name).write_bytes((place / name).read_bytes().replace(b" a ", b" q1 ").replace(b" b ", b" q2 "))
        for query in (b"query_id", b"question_id", b"qid", b"topic;"):
            content = content.replace(query, b"docno;" if query == b"topic;" else b"docno")
    (place / "list").write_bytes(content)
    status, printed, said = irev(*READERS_OF_TEXTS[command], option, "list")

    assert status in (0, 1), said
    assert "list" not in said
    assert re.search(rb"\bred\b", (place / "page.html").read_bytes() if command == "report" else printed)


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command in READERS_OF_TEXTS for option in ("--titles", "--documents")],
)
def test_texts_of_other_ids_are_told_once_and_refused_under_strict(irev, place, command, option):
    (place / "list").write_bytes(b"Q1\tred\nB\tblue\n")
    status, _, said = irev(*READERS_OF_TEXTS[command], option, "list")
    role, shown = ("query", "q1") if option == "--titles" else ("document", "a")
    example = f"for example, 'Q1' is in the file, and '{shown}' is shown"
    fact = f"list: there is no text for any {role} that is shown; {example}"

    assert (True, 1) == (status in (0, 1), said.count(fact)), said
    if command == "check":
        refused(irev(*READERS_OF_TEXTS[command], option, "list", "--strict"), f"{fact}; leave out --strict")


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"q1\nq2\n", "list:1: found 'q1'; expected an id, a tab and a text on each line"),
        (b"", "list: the file lists no texts; expected an id, a tab and a text on each line"),
        (
            b"query_id,number,year\nq1,1,2\n",
            "list: found no column text; there are query_id, number, year; call the one",
        ),
        (b'{"query_id": "q2", "text": "x"}\n{"query_id": "q1"', "list, entry 2: this is not JSON"),
        (b'{"query_id": "x", "text": "x"}\n\n{"query_id": null}\n', "list, entry 2: the query is null"),
        (b'["q1", "q2"]', "list, entry 1: the entry is a string; expected an object"),
    ],
)
def test_texts_that_cannot_be_read_are_refused_at_their_entry(irev, place, content, fact):
    (place / "list").write_bytes(content)
    refused(irev(*READERS_OF_TEXTS["explain"], "--titles", "list"), fact)
