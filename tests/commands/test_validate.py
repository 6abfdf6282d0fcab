"""`irev validate`: each code at its place, all problems in one pass, three styles, and agreement with `irev eval`."""

import io
import json
import os
import random
import re
import subprocess
import sys
from unittest import mock

import pytest
from conftest import ROOT, environment
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import refused
from test_against_reference import BAD_QRELS_LINES, BAD_RUN_LINES, Files, files, with_lines
from workbooks import workbook

import irev as package
from irev.evaluation.notes import WITHOUT_LEVEL
from irev.reading import chunks
from irev.reading.problem_codes import CODES, severity

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n"
BOM = b"\xef\xbb\xbf"


@pytest.fixture
def validate(irev, tmp_path, monkeypatch):
    """``validate(qrels, run, *options)`` gives the `Outcome` for files of these names; without a run, for judgments."""
    monkeypatch.chdir(tmp_path)

    def validate(qrels: bytes, run: bytes | None, *options: str):
        (tmp_path / "qrels").write_bytes(qrels)
        (tmp_path / "run").write_bytes(b"" if run is None else run)
        return irev("validate", *options, "qrels", *([] if run is None else ["run"]))

    return validate


@pytest.fixture
def lines(validate):
    """Like `validate`, but gives the lines printed but for the last, which counts."""
    return lambda *arguments: validate(*arguments).stdout.decode().splitlines()[:-1]


# Each code


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        (QRELS + b"1 0 c\n", "qrels:4: error E101: 3 fields in '1 0 c'; expected 4 fields: query 0 document grade"),
        (QRELS + b"\n", "qrels:4: error E101: the line is empty; expected 4 fields: query 0 document grade"),
        (
            QRELS + b" 1 0  c\tx\n",
            "qrels:4:9: error E102: the grade 'x' is not a number; expected a grade such as 0, 1 or 0.5; "
            "--grade-words FILE gives grades to words",
        ),
        (
            QRELS + b"1 0 c 9007199254740994\n",
            "qrels:4:7: error E102: the grade '9007199254740994' is too large; expected at most 2^53",
        ),
        (
            QRELS + b"  1 0 a 1\n",
            "qrels:4:7: error E103: document 'a' is judged twice for query '1' (first on line 1);"
            " keep one of the two lines, or choose --duplicates same",
        ),
        (QRELS + b"1 0 c\0 1\n", "qrels:4:6: error E104: this line contains a NUL byte; expected text"),
        (QRELS + b"1 0 \xff 1\n", "qrels:4:5: warning W209: the line is not UTF-8; tools that decode it will differ"),
        (
            QRELS + b"1 0 c\xe2\x80\x8b 1\n" + b"1 0 d\xe2\x80\x8b 1\n",
            "qrels:4:6: warning W229: the document holds the invisible character U+200B;"
            " ids are compared byte for byte",
        ),
        (QRELS + b"3 0 a 0\n", "qrels: warning W221: no document is relevant for query '3'; such queries score 0"),
        (
            b"1 0 a 0.1234567\n1 0 b 0\n",
            "qrels: warning W222: no grade reaches the relevance level 1;"
            " --level 0.1234567 would count the highest grade as relevant",
        ),
        (b"", "qrels: error E100: the file is empty; expected lines such as query 0 document grade"),
        (b"#\n", "qrels: error E100: the file holds no judgments; expected lines such as query 0 document grade"),
    ],
)
def test_each_problem_of_judgments_stands_at_its_place(lines, qrels, expected):
    assert [expected] == lines(qrels, None)


SCORE = "expected a decimal number such as 12.5"
SIX = "expected 6 fields: query Q0 document rank score tag"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (RUN + b"2 Q0 c\n", f"run:5: error E101: 3 fields in '2 Q0 c'; {SIX}"),
        (
            RUN + b"2 Q0 a 3 1 t\n",
            "run:5:6: error E103: document 'a' is retrieved twice for query '2' (first on line 3);"
            " keep one of the two lines, or see --duplicates",
        ),
        (RUN + b"2 Q0 c 3 0 \0t\n", "run:5:12: error E104: this line contains a NUL byte; expected text"),
        (RUN + b"2 Q0 c 3 nan t\n", f"run:5:10: error E105: the score 'nan' is not a number; {SCORE}"),
        (RUN + b" 2  Q0 c 3\tx t\n", f"run:5:12: error E105: the score 'x' is not a number; {SCORE}"),
        (
            b"3 Q0 a 1 2 t\n",
            "run: error E120: qrels and run have no query in common: the first query is '1' in the judgments and "
            "'3' in the results; do the two files belong together?",
        ),
        (b"", f"run: error E100: the file is empty; expected lines such as {SIX[19:]}"),
        (b"# 1\n\n", f"run: error E100: the file holds no results; expected lines such as {SIX[19:]}"),
        (
            b"1 Q0 a 1 2 t\n1 Q0 b 2 3 t\n1 Q0 c 3 4 t\n2 Q0 a 1 3 t\n2 Q0 b 2 2 t\n2 Q0 c 3 1 t\n",
            "run:2:10: warning W201: the score is higher than that of the rank before;"
            " eval goes by the score; --order rank goes by the rank",
        ),
        (
            b"1 Q0 a 1 2 t\n1 Q0 b 2 3 t\n2 Q0 a 1 1 t\n2 Q0 b 2 2 t\n2 Q0 c 3 3 t\n",
            "run:2:10: warning W201: the score is higher than that of the rank before, in 2 queries;"
            " eval goes by the score; --order rank goes by the rank",
        ),
        (
            RUN.replace(b"2 1 t", b"2 2.0 t"),
            "run:3:10: warning W202: the 2 scores of this query are equal; document ids alone decide their order",
        ),
        (
            RUN.replace(b"1 2 t", b"1 2 u"),
            "run: warning W203: run ids differ: 't' and 'u'; a run has one id; were two files put together?",
        ),
        (
            RUN.replace(b"2 1 t", b"2 1 u"),
            "run: warning W203: run ids differ: 'u' and 't'; a run has one id; were two files put together?",
        ),
        (
            b"1 Q0 a 1 2 t\n",
            "run: warning W205: no results for query '2'; eval leaves them out, or counts them as 0 with -c",
        ),
        (
            RUN + b"2 Q0 A 3 0 t\n",
            "run:5:6: warning W207: a judged document has this id but for capital letters;"
            " it counts as unjudged; ids are compared byte for byte",
        ),
        (
            b"1 Q0 x 1 2 t\n2 Q0 x 1 2 t\n",
            "run: warning W208: none of the retrieved documents is judged: for query '1' 'x' is retrieved, 'a' judged;"
            " are the document ids those of the judgments?",
        ),
        (
            RUN + b" 2 Q0 \xc3\xa9\xe9 3 0 t\n",
            "run:5:9: warning W209: the line is not UTF-8; tools that decode it will differ",
        ),
        (
            RUN.replace(b"t\n", b"t\xe2\x80\xaeg\n"),
            "run:1:13: warning W229: the tag holds the invisible character U+202E; ids are compared byte for byte",
        ),
        (
            RUN.replace(b"t\n", b"\x1bt\n"),
            "run:1:12: warning W229: the tag holds the invisible character U+001B; ids are compared byte for byte",
        ),
        (
            RUN.replace(b"b 2 1", b"b second 1"),
            "run:4:8: warning W210: the rank is not a number; nothing reads it, but tools may",
        ),
        (RUN + b"3 Q0 a 1 1 t\n", None),  # two warnings
    ],
)
def test_each_problem_of_a_run_stands_at_its_place(lines, run, expected):
    more = [
        "run: warning W204: fewer than 2 results for query '3'; most queries have that many",
        "run: warning W212: results without judgments for query '3'; eval leaves them out",
    ]
    found = lines(QRELS, run)
    if expected is not None and re.search(r":5:.*[EW]", expected):
        # The line that was added may be counted as a third result of query 2.
        found = [line for line in found if "W204" not in line]
    assert (more if expected is None else [expected]) == found


def test_each_invisible_character_of_a_field_is_named_once_for_a_file(lines, monkeypatch):
    monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 10)
    rows = [f"{q} Q0 {d} 1 {9 - n} t\u202e\xad".encode() for q in range(200) for n, d in enumerate(("a", "日本é"))]
    qrels = b"".join(b"%d 0 a 1\n" % q for q in range(200))
    fact = "run:1:{}: warning W229: the tag holds the invisible character U+{}; ids are compared byte for byte"
    assert [fact.format(13, "202E"), fact.format(16, "00AD")] == lines(qrels, b"\n".join(rows) + b"\n")


def test_a_blank_in_an_id_makes_two_problems_of_a_line(lines):
    assert [
        "run:5: warning W206: more than 6 fields, and the rank is not a number; does an id contain a blank?",
        "run:5:10: warning W210: the rank is not a number; nothing reads it, but tools may",
    ] == [line for line in lines(QRELS, RUN + b"2 Q0 two words 3 0 t\n") if "W203" not in line]


def test_a_byte_order_mark_is_a_problem_of_the_first_line(lines):
    for qrels, run, file in ((BOM + QRELS, RUN, "qrels"), (QRELS, BOM + RUN, "run")):
        assert any(re.match(rf"{file}:1:1: (error E109|warning W211): ", line) for line in lines(qrels, run))


@pytest.mark.parametrize(
    ("options", "run", "expected"),
    [
        (("--max-depth", "1"), RUN, ["run:2:1: error E303: this query has more than 1 result; cut the rest"]),
        (("--max-depth", "2"), RUN, []),
        (
            ("--tag", "[a-z]{2}-[0-9]"),
            RUN,
            ["run:1:12: error E305: the run id does not match '[a-z]{2}-[0-9]'; name the run as the track asks"],
        ),
        (("--tag", "[a-z]"), RUN, []),
        (
            ("--tag", "t"),
            RUN.replace(b"1 2 t", b"1 2 tt"),
            [
                "run: warning W203: run ids differ: 't' and 'tt'; a run has one id; were two files put together?",
                "run:3:12: error E305: the run id does not match 't'; name the run as the track asks",
            ],
        ),
        (("--sorted",), RUN, []),
        (
            ("--sorted",),
            b"1 Q0 b 2 2 t\n1 Q0 a 1 3 t\n2 Q0 c 3 1 t\n2 Q0 b 2 2 t\n2 Q0 a 1 3 t\n",
            [
                "run:2:10: error E306: the score is higher than that of the line before; sort each query by score",
                "run:4:10: error E306: the score is higher than that of the line before; sort each query by score",
            ],
        ),
    ],
)
def test_the_rules_of_a_track_are_kept(lines, options, run, expected):
    # The query with the second breach of --max-depth is query 2.
    found = [line for line in lines(QRELS, run, *options) if "run:4:1: error E303" not in line]
    assert expected == found


def test_topics_that_are_missing_and_results_for_others_are_named(lines, tmp_path):
    (tmp_path / "topics").write_bytes(b"1\tone  or\tmore\n3\n4 four\n")
    assert [
        "qrels: error E302: judgments of query '2', not among those of --topics; leave them out",
        "run: error E301: no results for 2 queries: '3', '4'; a submission has results for each",
        "run: error E302: results for query '2', not among those of --topics; leave them out",
    ] == lines(QRELS, RUN, "--topics", "topics")


def test_a_topic_that_stands_twice_is_refused_at_its_line(validate, tmp_path):
    (tmp_path / "topics").write_bytes(b"1\n2\n1\n")
    said = "irev: error: topics:3: query '1' occurs twice (first on line 1); keep one of the two lines\n"
    assert (2, b"", said) == validate(QRELS, RUN, "--topics", "topics")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7, 64, 1 << 21])
def test_documents_outside_the_collection_are_found_however_long_the_list(lines, tmp_path, monkeypatch, size):
    monkeypatch.setattr(chunks, "SIZE", size)
    listed = [b"%d" % n for n in range(1000)] + [b"a and its text", b"  c\t", b"x" * 300]
    random.Random(1).shuffle(listed)
    (tmp_path / "docids").write_bytes(b"\r\n".join(listed))
    run = RUN.replace(b" b 2 1", b" %s 2 1" % (b"x" * 300))
    assert [
        "qrels:2:5: error E304: this document is not in docids; no run can find it",
        "run:2:6: error E304: this document is not in docids; only documents of the collection can be submitted",
    ] == lines(QRELS, run, "--docids", "docids")


@pytest.mark.parametrize(
    ("docids", "message"),
    [
        (b"", "docids: the file lists no ids; expected one on each line"),
        (b"\n\n", "docids: the file lists no ids; expected one on each line"),
        (b"a\nb\0\n", "docids:2: this line contains a NUL byte; expected text"),
    ],
)
def test_a_list_of_documents_that_is_none_is_refused(validate, tmp_path, docids, message):
    (tmp_path / "docids").write_bytes(docids)
    assert (2, b"", f"irev: error: {message}\n") == validate(QRELS, RUN, "--docids", "docids")


# Everything in one pass


# Judgments that were perhaps meant otherwise


RATINGS = b"196\t242\t3\t881250949\n186\t302\t4\t891717742\n"
"""As MovieLens has them in u.data: user, item, rating and time."""

SUBTOPICS = b"1 1 a 1\n1 2 b 1\n2 1 a 1\n"


@pytest.mark.parametrize("command", ["eval", "compare", "check", "diff", "explain", "agree"])
def test_every_command_that_evaluates_doubts_them_too(command, irev, validate):
    validate(RATINGS + b"1 302 a 1\n", RUN)
    files = {"eval": 1, "check": 1, "explain": 1}.get(command, 2) * ["run"]
    options = {"check": ["--min", "AP=0"], "explain": ["--query", "1"], "agree": ["-m", "AP", "-m", "RR"]}
    done = irev(command, *options.get(command, []), "qrels", *files)
    assert 0 == done.status
    assert "irev: warning: qrels:1: the grade 881250949 is above 1000; is it a timestamp" in done.stderr
    assert "irev: warning: qrels:2: the second field is '302', and in the first line '242'; it is" in done.stderr


@pytest.mark.parametrize("size", [1, 8, 1 << 20], ids=["parts of a line", "of some", "whole"])
@pytest.mark.parametrize("line", [2, 40])
def test_the_line_is_the_same_however_the_file_is_read(lines, monkeypatch, size, line):
    monkeypatch.setattr(chunks, "SIZE", size)
    rows = [b"1 %d d%d 1\n" % (number >= line, number) for number in range(1, 60)]
    assert [f"qrels:{line}:3"] == [found.split(": ")[0] for found in lines(b"".join(rows), None)]


def test_columns_of_tables_are_no_second_fields(lines):
    assert [] == lines(b"query_id,note,doc_id,relevance\n1,x,a,1\n1,y,b,0\n", None)


def test_a_grade_of_a_thousand_is_believed(lines):
    assert [] == lines(b"1 0 a 1000\n1 0 b 1e3\n", None)
    assert ["W224"] == re.findall("W...", "".join(lines(b"1 0 a 1000\n1 0 b 1000.5\n", None)))


def test_grades_that_are_mostly_fractions_are_doubted(lines, irev):
    """As a run is, in a format that writes both alike."""
    said = "the grade 12.5 has a fraction, as most of them have; are these judgments, or the scores of a run?"
    assert [f"qrels:2:7: warning W225: {said}"] == lines(b"1 0 a 1\n1 0 b 12.5\n1 0 c 1.25\n", None)
    assert [] == lines(b"1 0 a 1\n1 0 b 1.25\n1 0 c 2\n1 0 d 1.5\n1 0 e 3\n", None)
    (partly,) = lines(b"1 0 a 1\n1 0 b 0.5\n1 0 c 0.25\n", None)
    assert partly.startswith("qrels: warning W226: 2 of 3 grades above 0 are below the relevance level 1: ")


@pytest.mark.parametrize(("below", "expected"), [(b"0", False), (b"-0.5", False), (b"1e-9", True), (b"0.999", True)])
def test_grades_between_0_and_the_level_are_noted(irev, validate, below, expected):
    """An option that names another level, or gains, is what the warning asks for."""
    validate(b"1 0 a 1\n1 0 b " + below + b"\n1 0 c 0\n", b"1 Q0 a 1 1 t\n1 Q0 b 2 0 t\n")
    said = (
        "1 of 2 grades above 0 is below the relevance level 1: such documents gain in nDCG and are not relevant in AP,"
    )
    for words in (("eval",), ("check", "--min", "AP=0"), ("explain",), ("coverage",)):
        done = irev(*words, *(() if words[0] == "check" else ("-m", "P@10")), "qrels", "run")
        assert (0, expected) == (done.status, said in done.stderr), done.stderr
        assert not expected or "-l sets the lowest relevant grade" in done.stderr
    for options in (("-l", "0.5"), ("-l", "1e-10"), ("--gains", "0=0,1=1,0.999=1,0.000000001=0"), ("-m", "nDCG@10")):
        assert said not in irev("eval", *options, "qrels", "run").stderr
    assert expected == (b"warning W226" in irev("validate", "qrels").stdout)


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ("1 2 3", True),
        ("2 4", False),
        ("1 1 3", True),
        ("1 2.5 3", False),
        ("1 101", False),
        ("1 2", False),
        ("1 1", False),
        ("0 1 2 3", False),
        ("-1 1 3", False),
    ],
)
def test_a_scale_that_begins_at_1_is_noted(irev, validate, grades, expected):
    validate("".join(f"1 0 d{n} {grade}\n" for n, grade in enumerate(grades.split())).encode(), b"1 Q0 d0 1 1 t\n")
    said = "every judged document counts as relevant: grades go from"
    for words in (("eval",), ("explain", "-m", "AP"), ("coverage", "-m", "P@10")):
        assert (0, expected) == ((done := irev(*words, "qrels", "run")).status, said in done.stderr), done.stderr
    for options in (("-l", "2"), ("--gains", "1=0,2=1,3=2,4=3,0=0"), ("-m", "nDCG@10"), ("-m", "AP(rel=2)")):
        assert said not in irev("eval", *options, "qrels", "run").stderr
    assert expected == (b"warning W227" in irev("validate", "qrels").stdout)


def test_a_scale_that_begins_at_1_is_not_noted_where_it_does_not_matter(irev, validate):
    """For measures without a level, and in lists of relevant documents, whose format says that they are relevant."""
    validate(b"1 0 a 1\n1 0 b 2\n1 0 c 3\n", b"1 Q0 a 1 1 t\n")
    alone = irev("eval", *(f"-m{name}" for name in ("Judged@10", "num_ret", "num_q", "nDCG@10")), "qrels", "run")
    assert (0, "") == (alone.status, alone.stderr)
    assert "every judged document counts" in irev("eval", "-m", "Judged@10", "-m", "P@1", "qrels", "run").stderr

    objects = b'{"id": "b", "grade": 2}, {"id": "c", "grade": 3}'
    for lists in (b'{"query": "1", "relevant_ids": ["a", %b]}\n', b'{"1": ["a", %b]}\n'):
        validate(lists % objects, b"1 Q0 a 1 1 t\n")
        done = irev("eval", "-R", "lists", "qrels", "run")
        assert (0, "") == (done.status, done.stderr)
        assert b"W227" not in irev("validate", "-R", "lists", "qrels").stdout


def test_measures_without_a_level_have_the_same_values_at_all_levels():
    judged = {f"q{i}": {f"d{j}": (i * j) % 4 for j in range(0, 30, 2)} for i in range(1, 8)}
    run = {f"q{i}": {f"d{j}": (7 * i + 11 * j) % 31 for j in range(25)} for i in range(1, 8)}
    for name in WITHOUT_LEVEL:
        assert 1 == len({repr(package.evaluate(judged, run, [name], level=level)) for level in (1, 2, 3)}), name


def test_the_note_on_a_scale_says_from_which_grade_on_to_count(irev, validate):
    validate(b"1 0 a 1\n1 0 b 3\n1 0 c 5\n", b"1 Q0 a 1 1 t\n")

    assert "and none is 0; if 1 means not relevant, add -l 3" in irev("eval", "qrels", "run").stderr


def test_a_run_in_the_place_of_judgments_is_doubted_in_every_format(irev, validate):
    for content in (b'{"1": {"a": 12.5, "b": 11.25}}', b"query-id\tcorpus-id\tscore\n1\ta\t12.5\n1\tb\t11.25\n"):
        validate(content, b"1 Q0 a 1 1 t\n")
        done = irev("eval", "qrels", "run")
        assert (0, True) == (done.status, "has a fraction, as most of them have" in done.stderr)


def test_a_document_judged_for_two_subtopics_is_not_called_a_mere_repetition(lines):
    assert (
        "qrels:4:5: error E103: document 'a' is judged twice for query '1' (first on line 1); keep one of the two"
        " lines; their second fields differ ('1' and '2'), and --qrels-format subtopics tells subtopics apart"
    ) in lines(SUBTOPICS + b"1 2 a 0\n", None)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            b"1 bob b 1\n",
            "it is ignored; --qrels-format subtopics tells subtopics apart, and --qrels-format qrels_jg people",
        ),
        (b"1 bob a 1\n", "and --qrels-format subtopics tells subtopics apart, and --qrels-format qrels_jg people"),
    ],
)
def test_second_fields_that_are_names_may_be_those_of_people(lines, line, said):
    assert said in "".join(lines(b"1 ann a 1\n" + line, None))


def test_formats_of_other_judgments_that_ignore_a_field_are_no_subtopics(irev, validate):
    """As inclusion probabilities taken for strata, whose second fields are documents."""
    validate(b"1 a 1 1 0.5\n1 b 0 1 1\n", RUN)
    said = irev("validate", "--qrels-format", "strata", "qrels").stdout
    fact = "qrels:2:3: warning W223: the second field is 'b', and in the first line 'a'"
    assert f"{fact}; it is ignored; are these judgments?\n".encode() in said


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_eval_says_that_nothing_retrieved_is_judged_and_names_a_document_of_either_side(irev, validate, jobs):
    validate(QRELS, b"1 Q0 x 1 2 t\n2 Q0 y 1 2 t\n")
    done = irev("eval", "-m", "map", "-m", "num_rel", "-j", jobs, "qrels", "run", "run")
    assert 0 == done.status
    expected = (
        "irev: warning: run: none of the retrieved documents is judged: for query '1' 'x' is retrieved, 'a' judged;"
        " are the document ids those of the judgments?"
    )
    assert 2 == done.stderr.splitlines().count(expected), done.stderr


@pytest.mark.parametrize("option", ["-M1", "-J", "-c", "-D0.2", "-mJudged@10"])
def test_eval_says_so_only_where_it_is_so(irev, validate, option):
    """One judged document is enough, below the cut, with a negative grade or for another query."""
    validate(QRELS + b"2 0 c -1\n", b"1 Q0 x 1 2 t\n2 Q0 y 1 2 t\n2 Q0 c 2 1 t\n")
    assert "none of the retrieved" not in irev("eval", option, "qrels", "run").stderr


EVERYTHING = (
    b"x\n1 0 a 1\n1 0 a 2\n1 0 b z\n\n2 0 c\0 1\n2 0 \xff 0\n",
    b"\n1 Q0 a 1 x t\n1 Q0 b 2 3 t\n1 Q0 b 3 2 t\nshort\n2 Q0 a 1 1 u\n2 Q0 \0 2 1 t\n2 Q0 c two 1 t\n9 Q0 a 1 1 t\n",
)


def test_all_problems_of_all_files_are_found_in_one_pass(lines):
    assert [
        ("qrels", "W221"),
        ("qrels:1", "E101"),
        ("qrels:3:5", "E103"),
        ("qrels:4:7", "E102"),
        ("qrels:5", "E101"),
        ("qrels:6:6", "E104"),
        ("qrels:7:5", "W209"),
        ("run", "W203"),
        ("run", "W208"),
        ("run", "W212"),
        ("run:2:10", "E105"),
        ("run:4:6", "E103"),
        ("run:5", "E101"),
        ("run:6:10", "W202"),
        ("run:7:6", "E104"),
        ("run:8:8", "W210"),
    ] == [tuple(re.match(r"(\S+): \w+ (\w+):", line).groups()) for line in lines(*EVERYTHING)]


def test_files_of_which_no_line_can_be_used_still_list_their_problems(validate):
    status, stdout, _ = validate(b"x\n1 0 a z\n", b"y\n1 Q0 a 1 z t\n")
    assert (1, ["E101", "E102", "E101", "E105"]) == (status, re.findall(r"error (E\d+)", stdout.decode()))


def test_a_file_that_is_not_there_does_not_hide_the_problems_of_the_others(irev, validate):
    assert validate(EVERYTHING[0], EVERYTHING[1]).status == 1
    status, stdout, stderr = irev("validate", "nowhere", "run", "nothing", "qrels")
    first, *_, last = stdout.decode().splitlines()
    assert (2, "", "nowhere: error E100: there is no such file") == (status, stderr, first)
    assert "nothing: error E100: there is no such file" in stdout.decode()
    assert "run:2:10: error E105" in stdout.decode()
    assert "in 4 files" in last


def test_the_same_file_may_be_given_twice(irev, validate):
    validate(QRELS, RUN + b"x\n")
    once = irev("validate", "qrels", "run").stdout.decode().splitlines()
    twice = irev("validate", "qrels", "run", "run").stdout.decode().splitlines()
    assert [once[0], once[0], "2 errors, 0 warnings in 3 files"] == twice


def test_a_run_may_come_from_standard_input(irev, validate):
    validate(QRELS, RUN)
    status, stdout, _ = irev("validate", "qrels", "-", stdin=RUN + b"x\n")
    assert (1, f"<stdin>:5: error E101: 1 field in 'x'; {SIX}") == (status, stdout.decode().splitlines()[0])
    status, stdout, _ = irev("validate", "-", "run", stdin=QRELS + b"x\n")
    assert (1, "<stdin>:4: error E101") == (status, stdout.decode()[:21])


@pytest.mark.parametrize(
    "arguments", [("-", "-"), ("qrels", "-", "--topics", "-"), ("qrels", "run", "--topics", "-", "--docids", "-")]
)
def test_standard_input_is_one_file(irev, validate, arguments):
    validate(QRELS, RUN)
    refused(irev("validate", *arguments), "irev: error: only one of the files can be standard input\n")


def test_wrong_usage_is_refused(irev, validate):
    validate(QRELS, RUN)
    for arguments, message in {
        (): "expected QRELS, and any number of runs",
        ("qrels", "run", "--tag", "("): "invalid value for '--tag': '(' is not a regular expression",
        ("qrels", "--max-problems", "0"): "'0' is not a whole number of 1 or more",
        ("qrels", "--qrels-format", "nonsense"): "there is no format of judgments 'nonsense'",
    }.items():
        refused(irev("validate", *arguments), message)


# Exit status


@pytest.mark.parametrize(
    ("qrels", "run", "options", "status"),
    [
        (QRELS, RUN, (), 0),
        (QRELS, RUN, ("--strict",), 0),
        (QRELS, RUN + b"3 Q0 a 1 1 t\n", (), 0),
        (QRELS, RUN + b"3 Q0 a 1 1 t\n", ("--strict",), 1),
        (QRELS, RUN + b"x\n", (), 1),
        (QRELS + b"x\n", RUN, (), 1),
        (b"x\n", b"x\n", (), 1),
        (QRELS, b"", (), 2),
        (b"", RUN, (), 2),
        (b"", b"x\n", (), 2),
        (b"", b"", (), 2),
    ],
)
@pytest.mark.parametrize("style", ["text", "json", "github"])
def test_the_exit_status_is_the_verdict(validate, qrels, run, options, status, style):
    assert status == validate(qrels, run, "-f", style, *options).status


# How many are shown


@pytest.mark.parametrize("most", [1, 2, 3, 4, 100])
def test_at_most_so_many_of_a_code_are_shown_and_the_rest_counted(lines, most):
    found = lines(QRELS, RUN + b"x\n" * 3 + b"2 Q0 c 3 z t\n", "--max-problems", str(most))
    fields = [line for line in found if re.search("error E101: 1 field", line)]
    assert min(most, 3) == len(fields)
    assert [f"run:{5 + n}: " for n in range(min(most, 3))] == [line[:7] for line in fields]
    counted = [line for line in found if " more " in line]
    assert ([f"run: {3 - most} more E101 (wrong number of fields)"] if most < 3 else []) == counted
    assert any(line.startswith("run:8:10: error E105") for line in found)


def test_the_rest_is_counted_in_every_style(validate):
    run = RUN + b"x\n" * 5
    record = json.loads(validate(QRELS, run, "--max-problems", "2", "-f", "json").stdout)
    assert (5, {"E101": 5}, 2) == (record["errors"], record["files"][1]["counts"], len(record["files"][1]["problems"]))
    annotations = validate(QRELS, run, "--max-problems", "2", "-f", "github").stdout.decode().splitlines()
    assert "::notice file=run::3 more E101 (wrong number of fields)" == annotations[-1]
    assert (
        "5 errors, 0 warnings in 2 files"
        == validate(QRELS, run, "--max-problems", "2").stdout.decode().splitlines()[-1]
    )


@pytest.mark.thorough
@pytest.mark.parametrize("scattered", [False, True])
def test_a_hundred_thousand_bad_lines_are_counted_and_the_first_shown(lines, scattered):
    bad = [b"%d Q0 d%d 1 x t\n" % (n % 10, n) if scattered else b"1 Q0 d%d 1 x t\n" % n for n in range(100_000)]
    found = lines(QRELS, b"".join(bad), "--max-problems", "3")
    assert ["run:1:", "run:2:", "run:3:"] == [line[:6] for line in found if " E105: " in line]
    assert "run: 99997 more E105 (unusable score or rank)" in found


# Styles


def test_json_is_one_record(validate):
    status, stdout, _ = validate(QRELS, RUN + b"1 Q0 a 9 0 \x1b[0m\n", "-f", "json")
    assert 1 == status
    assert {
        "errors": 1,
        "warnings": 2,
        "files": [
            {"name": "qrels", "kind": "judgments", "unit": "line", "counts": {}, "problems": []},
            {
                "name": "run",
                "kind": "run",
                "unit": "line",
                "counts": {"E103": 1, "W203": 1, "W229": 1},
                "problems": [
                    {
                        "code": "W203",
                        "severity": "warning",
                        "line": None,
                        "column": None,
                        "first": None,
                        "fact": "run ids differ: '\\x1b[0m' and 't'",
                        "remedy": "a run has one id; were two files put together?",
                    },
                    {
                        "code": "E103",
                        "severity": "error",
                        "line": 5,
                        "column": 6,
                        "first": 1,
                        "fact": "document 'a' is retrieved twice for query '1'",
                        "remedy": "keep one of the two lines, or see --duplicates",
                    },
                    {
                        "code": "W229",
                        "severity": "warning",
                        "line": 5,
                        "column": 12,
                        "first": None,
                        "fact": "the tag holds the invisible character U+001B",
                        "remedy": "ids are compared byte for byte",
                    },
                ],
            },
        ],
    } == json.loads(stdout)


def test_github_annotations_name_file_line_and_column(validate):
    assert [
        "::warning file=run,title=W205 judged queries missing::no results for query '2'; eval leaves them out, or"
        " counts them as 0 with -c",
        "::error file=run,line=2,col=10,title=E105 unusable score or rank::the score 'x' is not a number; " + SCORE,
    ] == validate(QRELS, b"1 Q0 a 1 2 t\n1 Q0 b 2 x t\n", "-f", "github").stdout.decode().splitlines()


def test_github_annotations_cannot_be_forged(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a%b:c,d\r\n::error::forged"
    (tmp_path / name).write_bytes(QRELS + b"1 0 100%:,\x1b\rx\n")
    found = irev("validate", "-f", "github", name).stdout.split(b"\n")
    lines = [line for line in found if b"W229" not in line]
    place = "file=a%25b%3Ac%2Cd%0D%0A%3A%3Aerror%3A%3Aforged,line=4"
    assert [
        f"::error {place},title=E101 wrong number of fields::3 fields in '1 0 100%25:,\\x1b\\rx';"
        " expected 4 fields: query 0 document grade",
        "",
    ] == [line.decode().replace(",col=11", "") for line in lines] or lines[0].startswith(b"::error " + place.encode())
    assert 2 == len(lines)


def test_a_name_that_is_not_utf_8_leaves_json_valid(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = b"q\xff".decode("utf-8", "surrogateescape")
    (tmp_path / name).write_bytes(QRELS)
    assert name == json.loads(irev("validate", "-f", "json", name).stdout.decode("utf-8"))["files"][0]["name"]


if os.name == "posix":  # elsewhere there are no pseudo terminals

    def test_severities_have_colour_on_a_terminal_alone(irev, validate):
        import pty

        validate(QRELS, RUN + b"x\n")
        assert b"\x1b" not in irev("validate", "qrels", "run").stdout
        in_colour, plain = b": \x1b[31m\x1b[1merror E101\x1b[0m: 1 field", b": error E101: 1 field"
        for no_colour, expected in (("", in_colour), ("1", plain)):
            ours, theirs = pty.openpty()
            subprocess.run(
                [sys.executable, "-m", "irev", "validate", "qrels", "run"],
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                env=environment(NO_COLOR=no_colour),
                timeout=60,
            )
            os.close(theirs)
            assert expected in os.read(ours, 10_000)
            os.close(ours)


# What files hold


def test_statistics_are_those_of_a_pocket_calculator(validate):
    """Of the first ten results of queries 1 and 2, which are 10 and 3, 2 + 1 are judged; -1 is none."""
    qrels = b"1 0 d1 2\n1 0 d9 0\n1 0 d11 1\n1 0 d2 -1\n2 0 d1 0\n2 0 x 0.5\n"
    run = b"".join(b"1 Q0 d%d %d %d tag\n" % (n, n, 100 - n) for n in range(1, 13))
    run += b"".join(b"2 Q0 d%d %d %d tag\n" % (n, n, 100 - n) for n in range(1, 4)) + b"3 Q0 a 1 1 tag\n"
    record = json.loads(validate(qrels, run, "-f", "json", "--stats").stdout)
    assert [
        {
            "queries": 2,
            "judgments": 6,
            "grades": {"-1": 1, "0": 2, "0.5": 1, "1": 1, "2": 1},
            "relevant per query": {"least": 0, "median": 1.0, "most": 2},
        },
        {
            "queries": 3,
            "results": 16,
            "results per query": {"least": 1, "median": 3.0, "most": 12},
            "judged share at 10": round(3 / 13, 4),
            "run id": "tag",
        },
    ] == [file["statistics"] for file in record["files"]]


def test_statistics_are_shown_on_request(lines):
    assert [
        *(
            "qrels: judgments",
            "  queries              2",
            "  judgments            3",
            "  grades               0: 1, 1: 2",
        ),
        *("  relevant per query   least: 1, median: 1.0, most: 1", "run: run", "  queries              2"),
        *("  results              4", "  results per query    least: 2, median: 2.0, most: 2"),
        *("  judged share at 10   0.75", "  run id               't'"),
    ] == lines(QRELS, RUN, "--stats")


def test_grades_that_are_nearly_all_different_are_not_counted_one_by_one(validate):
    qrels = b"".join(b"1 0 d%d %r\n" % (n, n / 8) for n in range(100))
    record = json.loads(validate(qrels, None, "-f", "json", "--stats").stdout)
    assert {"least": 0.0, "median": 6.1875, "most": 12.375} == record["files"][0]["statistics"]["grades"]


# Other layouts


@pytest.mark.parametrize(
    ("form", "run"),
    [
        ("msmarco", b"1\ta\t1\n1\tb\t2\n2\ta\t1\n2\tb\t2\n"),
        ("csv", b"query_id,doc_id,score\n1,a,3\n1,b,2\n2,a,3\n2,b,2\n"),
        ("jsonl", b'{"query_id": "1", "doc_id": "a", "score": 3}\n{"query_id": "2", "doc_id": "a", "score": 3}\n'),
    ],
)
def test_formats_without_ranks_or_scores_or_tags_have_no_warnings_about_them(validate, form, run, tmp_path):
    (tmp_path / "topics").write_bytes(b"1\n2\n")
    rules = ("--sorted", "--max-depth", "5", "--tag", "run", "--topics", "topics")
    status, stdout, stderr = validate(QRELS, run, "--run-format", form, "--stats", *rules)
    assert (0, "0 errors, 0 warnings in 2 files") == (status, stdout.decode().splitlines()[-1]), (
        stdout + stderr.encode()
    )


def test_ranks_that_order_are_called_ranks(lines):
    assert [
        "run:2: error E306: the rank is lower than that of the line before; sort each query by rank",
        "run:4: warning W202: the 2 ranks of this query are equal; document ids alone decide their order",
    ] == [
        re.sub(r"^(run:\d):\d+", r"\1", line)
        for line in lines(
            QRELS, b"1\ta\t2\n1\tb\t1\n1\tc\t3\n2\ta\t7\n2\tb\t7\n", "--run-format", "msmarco", "--sorted"
        )
        if "W204" not in line
    ]


def test_the_order_of_the_file_is_an_order_too(lines):
    """Scores then mean nothing, so nothing is said about them."""
    assert [] == lines(
        QRELS, b"1 Q0 a 2 1 t\n1 Q0 b 1 1 t\n2 Q0 a 1 1 t\n2 Q0 b 1 2 t\n", "--order", "file", "--sorted"
    )


# Scores of which doubles do not tell enough


def test_scores_of_many_digits_are_compared_exactly(lines):
    """They differ in the eighteenth digit, and 2^53 + 1 lies between two doubles."""
    run = b"1 Q0 a 1 0.12345678901234566 t\n1 Q0 b 2 0.12345678901234568 t\n"
    assert ["run:2:10"] == [line.split(": ")[0] for line in lines(b"1 0 a 1\n", run)]
    assert ["run:2:10"] == [line.split(": ")[0] for line in lines(b"1 0 a 1\n", run, "--sorted") if "E306" in line]
    falling = b"1 Q0 a 1 0.12345678901234568 t\n1 Q0 b 2 0.12345678901234566 t\n"
    assert [] == lines(b"1 0 a 1\n", falling, "--sorted")
    alike = b"1 Q0 a 1 9007199254740993 t\n1 Q0 b 2 9007199254740992 t\n"
    assert ["W202"] == [re.search("W...", line)[0] for line in lines(b"1 0 a 1\n", alike, "--sorted")]


# Chunks and threads


@pytest.mark.thorough
@pytest.mark.parametrize("scattered", [False, True], ids=["contiguous", "scattered"])
@pytest.mark.parametrize("most", ["1", "2", "100"])
def test_the_report_is_the_same_for_any_size_of_chunks_and_number_of_threads(validate, scattered, most, tmp_path):
    (tmp_path / "docids").write_bytes(b"a\nb\n")
    rules = ("--sorted", "--max-depth", "2", "--tag", "t", "--docids", "docids", "--stats", "--max-problems", most)
    chance = random.Random(1)
    good = [b"%d Q0 d%d %d %d t\n" % (q, d, d, 50 - d + 3 * (d == 7)) for q in range(20) for d in range(10)]
    bad = [b"%d Q0 D%d 1 %s u%d\n" % (n // 2, n, (b"x", b"1")[n % 2], n % 4) for n in range(40)]
    ordered = sorted(good + bad, key=lambda line: int(line.split()[0]))
    run = b"".join(chance.sample(good + bad, 240) if scattered else ordered) + b"x\n" * 5
    qrels = b"".join(b"%d 0 d%d 1\n%d 0 d1 z\n" % (q, q % 10, q) for q in range(20))
    expected = validate(qrels, run, *rules).stdout.decode()
    assert 20 < len(expected.splitlines())
    for size in (1, 13, 100, 1000, 5000):
        for threads in (1, 3):
            with (
                mock.patch.object(chunks, "SIZE", size),
                mock.patch.object(chunks, "THREADS", threads),
                mock.patch.object(chunks, "processors", return_value=threads),
            ):
                assert expected == validate(qrels, run, *rules).stdout.decode(), f"{size} bytes, {threads} threads"


def test_the_lines_of_scattered_runs_are_those_of_the_file(lines):
    run = b"# first\n1 Q0 a 1 9 t\n2 Q0 a 1 8 t\n\n1 Q0 b 2 x t\n2 Q0 b 2 y t\nbad\n1 Q0 a 3 7 t\n2 Q0 \xff 3 2 t\n"
    found = [line for line in lines(QRELS, run) if re.match(r"run:\d", line)]
    assert ["run:5:10", "run:6:10", "run:7", "run:8:6", "run:9:6"] == [line.split(": ")[0] for line in found]
    assert "(first on line 2)" in found[3]


@pytest.mark.parametrize("alone", [True, False])
def test_judgments_have_no_other_topics_and_documents_either(lines, tmp_path, alone):
    """They may lack topics: few are judged of many."""
    (tmp_path / "docids").write_bytes(b"a\nb\nz\n")
    (tmp_path / "topics").write_bytes(b"1\n3\n")
    qrels, run = b"1 0 a 1\n1 0 y 0\n2 0 b 1\n2 0 x 1\n", b"1 Q0 a 1 1 t\n3 Q0 b 1 1 t\n"
    found = lines(qrels, None if alone else run, "--docids", "docids", "--topics", "topics")

    assert [
        "qrels: error E302: judgments of query '2', not among those of --topics; leave them out",
        "qrels:2:5: error E304: this document is not in docids; no run can find it",
        "qrels:4:5: error E304: this document is not in docids; no run can find it",
    ] == [line for line in found if line.startswith("qrels") and " error " in line]


# Codes


def used() -> set[str]:
    """Every code that the package names."""
    return {
        code
        for path in (ROOT / "irev").rglob("*.py")
        for code in re.findall(r"[\"']([EW]\d{3})[\"']", path.read_text(encoding="utf-8"))
    }


def test_every_code_that_is_used_is_described_and_the_other_way_round():
    assert sorted(used()) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_described_in_full(code):
    entry = CODES[code]
    assert re.fullmatch(r"E[13]\d\d|W2\d\d", code)
    assert {"E": "error", "W": "warning"}[code[0]] == severity(code)
    assert entry.title[0].islower() or entry.title.split()[0].isupper()
    assert not entry.title.endswith(".")
    assert entry.example
    for sentence in (entry.cause, entry.remedy):
        assert sentence[0].isupper() or sentence[0] == "-"
        assert sentence.endswith(".")


def test_titles_are_told_apart():
    titles = [entry.title for entry in CODES.values()]
    assert sorted(set(titles)) == sorted(titles)


# Agreement with eval


@pytest.fixture(scope="session")
def agree(irev, tmp_path_factory):
    """Fails unless `irev eval` refuses two files just where `irev validate` finds an error."""
    folder = tmp_path_factory.mktemp("agreement")
    paths = {name: str(folder / name) for name in ("qrels", "run")}

    def agree(given: Files, *options: str, size: int = 1 << 20) -> None:
        for name, path in paths.items():
            with open(path, "wb") as file:
                file.write(getattr(given, name))
        with mock.patch.object(chunks, "SIZE", size):
            evaluated = irev("eval", *options, *paths.values())
            validated = irev("validate", "-f", "json", *options, *paths.values())
        record = json.loads(validated.stdout)
        if record["files"][0]["kind"] == "run":  # both are taken for runs, before there are judgments
            assert evaluated.status == 2
            return
        assert (evaluated.status == 2) == (validated.status > 0) == (record["errors"] > 0), (evaluated, record)
        refused = re.match(r"irev: error: (.*?)(?::(\d+))?: ", evaluated.stderr)
        if evaluated.status and refused:
            name, line = refused.group(1), refused.group(2)
            errors = [
                (file["name"], problem["line"])
                for file in record["files"]
                for problem in file["problems"]
                if problem["severity"] == "error"
            ]
            if line is not None:
                assert (name, int(line)) in errors
                assert int(line) == min(line for file, line in errors if file == name and line is not None)

    return agree


@settings(max_examples=250)
@given(data=st.data(), size=st.sampled_from((1, 40, 200, 1 << 20)))
@pytest.mark.parametrize("options", [(), ("--order", "rank"), ("--duplicates", "best")])
@pytest.mark.thorough
def test_validate_finds_an_error_where_eval_refuses_and_only_there(agree, options, data, size):
    good = data.draw(files(query=st.sampled_from((b"1", b"2", b"3")), most=12, compat="10.0"))
    bad = Files(with_lines(data, good.qrels, BAD_QRELS_LINES, 1), with_lines(data, good.run, BAD_RUN_LINES, 3))
    agree(bad, *options, size=size)


NOTHING = (b"", b"\n", b" ", b"#", b"# only a comment\n", b"\0", BOM, b"x", b"\r\n\r\n")


@pytest.mark.parametrize("nothing", NOTHING)
def test_validate_agrees_about_files_with_next_to_nothing_in_them(agree, nothing):
    agree(Files(nothing, RUN))
    agree(Files(QRELS, nothing))
    agree(Files(nothing, nothing))
    agree(Files(BOM + QRELS, BOM + RUN))


@pytest.mark.parametrize(
    "run",
    [
        b"1 Q0 a 1 1 t\r\n1 Q0 b 2 0 t\r\n",
        b"1 Q0 a 1 1 t",
        b"1 Q0 a 99999999999999999999999999999999999999 1 t\n",
        b"1 Q0 a 1 1 t\n" * 1 + b"1 Q0 %s 2 1 t\n" % (b"x" * 100_000),
    ],
    ids=["Windows line ends", "no newline", "a rank of 38 digits", "a long id"],
)
def test_odd_files_are_no_errors(agree, validate, run):
    agree(Files(QRELS, run))
    assert 0 == validate(QRELS, run).status


def test_an_id_that_is_judged_but_for_a_blank_that_cannot_be_seen_is_a_warning(tmp_path, irev):
    """A blank of ASCII ends an id; those of Unicode, and characters without width, become part of it."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b\u00a0 1\nq1 0 c 0\nq2 0 é 1\n", encoding="utf-8")
    rows = ["q1 Q0 a\u200b 1 4 t", "q1 Q0 b 2 3 t", "q1 Q0 c 3 2 t", "q1 Q0 d 4 1 t", "q2 Q0 é 1 2 t", "q2 Q0 e 2 1 t"]
    (tmp_path / "run").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    status, stdout, _ = irev("validate", str(tmp_path / "qrels"), str(tmp_path / "run"))
    found = [line.rpartition("/")[2] for line in stdout.decode().splitlines() if " W213: " in line]
    remedy = "it counts as unjudged; ids are compared byte for byte"
    assert [
        f"run:{n}:7: warning W213: a judged document has this id but for a blank; {remedy}" for n in (1, 2)
    ] == found
    assert 0 == status


HEADER = ["query_id", "doc_id", "rank", "score"]


def in_table(name: str, rows: list[list]) -> bytes:
    """A run as a table of this kind, with ranks beside the scores."""
    if name in ("csv", "tsv"):
        cells = [HEADER, *([("" if cell is None else str(cell)) for cell in row] for row in rows)]
        return "".join(("\t" if name == "tsv" else ",").join(each) + "\n" for each in cells).encode()
    if name == "xlsx":
        return workbook([HEADER, *rows])
    records = [{key: cell for key, cell in zip(HEADER, row, strict=True) if cell is not None} for row in rows]
    if name in ("json", "jsonl"):
        lines = [json.dumps(each) + "\n" for each in records]
        return "".join(lines).encode() if name == "jsonl" else json.dumps(records).encode()
    import pyarrow
    from pyarrow import feather, parquet

    made = io.BytesIO()
    {"parquet": parquet.write_table, "feather": feather.write_feather}[name](pyarrow.Table.from_pylist(records), made)
    return made.getvalue()


@pytest.mark.parametrize("container", ["csv", "tsv", "json", "jsonl", "parquet", "feather", "xlsx"])
@pytest.mark.parametrize(
    ("ranks", "found"),
    [
        ([1, 2, 1, 2], []),
        ([0, 1, 0, 1], []),
        ([2, 1, 1, 2], ["W201"]),
        (["2", "1", "1", "2"], ["W201"]),
        ([2, 1, 2, 1], ["W201"]),  # said once
        ([1, None, 1, 2], ["W210"]),
        (["first", "second", "first", "second"], ["W210"]),
    ],
)
def test_ranks_beside_scores_are_compared_with_them_in_every_table(
    irev, tmp_path, monkeypatch, container, ranks, found
):
    monkeypatch.chdir(tmp_path)
    keys = [("1", "a", 3.5), ("1", "b", 2.5), ("2", "a", 2.5), ("2", "b", 1.5)]
    rows = [[query, document, rank, score] for (query, document, score), rank in zip(keys, ranks, strict=True)]
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / f"run.{container}").write_bytes(in_table(container, rows))
    done = irev("validate", "-f", "json", "qrels", f"run.{container}")
    problems = json.loads(done.stdout)["files"][1]["problems"]

    assert (0, found) == (done.status, list(dict.fromkeys(each["code"] for each in problems))), done.stderr
    assert 0 == irev("eval", "qrels", f"run.{container}").status  # which reads no rank
    if found == ["W201"]:
        (one,) = problems
        assert "the score is higher than that of the rank before" in one["fact"]
        by_rank = irev("eval", "-q", "-m", "recip_rank", "--order", "rank", "qrels", f"run.{container}")
        of_text = isinstance(ranks[0], str) and container not in ("csv", "tsv", "xlsx")
        if of_text:
            refused(by_rank, "rank", "; expected ")
        else:
            assert b"recip_rank            \t1\t0.5000\n" in by_rank.stdout
