"""Words as grades, and judgments and runs without a column of queries, which are of one."""

import json

import pytest
from outcomes import refused

import irev as package
from irev.base.errors import InputError, UsageError

RUN = "query,document,score\nq1,d1,4\nq1,d2,3\nq1,d3,2\nq1,d4,1\n"
WORDS = "\n  partly   relevant 1\nHighly-Relevant 2\nirrelevant -1\n"
JUDGED = {"d1": "no", "d2": "Partly_relevant", "d3": "highly relevant", "d4": 1}
VALUE = package.evaluate({"q1": {"d1": 0, "d2": 1, "d3": 2, "d4": 1}}, {"q1": ["d1", "d2", "d3", "d4"]}, "nDCG")


@pytest.fixture(autouse=True)
def within(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def files(folder, suffix):
    rows = [{"query": "q1", "document": document, "grade": grade} for document, grade in JUDGED.items()]
    written = {
        "csv": "query,document,grade\n" + "".join(f"q1,{d},{grade}\n" for d, grade in JUDGED.items()),
        "txt": "".join(f"q1 0 {d} {str(grade).replace(' ', '_')}\n" for d, grade in JUDGED.items()),
        "json": json.dumps({"q1": JUDGED}),
        "jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    }
    for name, text in (("qrels", written[suffix]), ("run.csv", RUN), ("words", WORDS)):
        (folder / name).write_text(text)
    return folder / "qrels", folder / "run.csv"


@pytest.mark.parametrize("suffix", ["csv", "txt", "json", "jsonl"])
def test_words_of_a_file_are_grades_in_every_format(irev, tmp_path, suffix):
    files(tmp_path, suffix)
    done = irev("eval", "-m", "ndcg", "--digits", "exact", "--grade-words", "words", "qrels", "run.csv")
    assert (0, "") == (done.status, done.stderr)
    assert VALUE.mean()["nDCG"] == float(done.stdout.split()[-1])


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_a_word_that_nobody_knows_is_refused_with_the_option(irev, tmp_path, suffix):
    files(tmp_path, suffix)
    done = irev("eval", "qrels", "run.csv")
    refused(done, "is not a number; expected a grade such as 0, 1 or 0.5; --grade-words FILE gives grades to words")


def test_python_takes_words_from_a_dictionary_or_a_file_in_dictionaries_and_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    qrels, run = files(tmp_path, "csv")
    frame = pandas.DataFrame({"query": "q1", "document": [*JUDGED], "grade": [*JUDGED.values()]})
    for words in ({"partly relevant": 1, "highly relevant": 2}, tmp_path / "words"):
        for judged in (qrels, {"q1": JUDGED}, frame):
            found = package.evaluate(judged, run, "nDCG", grade_words=words)
            assert VALUE.mean() == found.mean()
    assert {"AP": 1.0} == package.evaluate(
        {"q": {"a": "Relevant", "b": "not relevant"}}, {"q": ["a", "b"]}, "AP"
    ).mean()
    with pytest.raises(InputError, match="'highly relevant' of type str is not a number"):
        package.evaluate({"q1": {"d3": "highly relevant"}}, run, "AP")


@pytest.mark.parametrize(
    "words", [{"a": "b"}, {"2": 3}, {1: 2}, {"a": 2.0**60}, {}, 3, {"not relevant": 0, "Not-relevant": 1}], ids=str
)
def test_words_that_have_no_grade_or_two_are_refused(tmp_path, words):
    with pytest.raises(UsageError, match="is no value of grade_words"):
        package.evaluate(*files(tmp_path, "csv"), "AP", grade_words=words)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("relevant\n", "words:1: found 'relevant'; expected a word and its grade"),
        ("a 1\na 2\n", "words:2: word 'a' occurs twice"),
        ("a 1\nb x\n", "words:2: the grade 'x' of word 'b' is not a number"),
        ("a 1e99\n", "words:1: the grade '1e99' of word 'a' is too large"),
        ("\n", "words: the file is empty"),
        ("2 3\n", "words: the word '2' is a number; --gains says what grades gain"),
        ("highly: 2\n", "is not a number; expected a grade such as 0, 1 or 0.5; --grade-words has 'highly:'\n"),
    ],
)
def test_lines_of_a_file_of_words_that_are_wrong_are_named(irev, tmp_path, text, fact):
    files(tmp_path, "csv")
    (tmp_path / "words").write_text(text)
    refused(irev("eval", "--grade-words", "words", "qrels", "run.csv"), fact)


def test_a_saved_result_has_the_words(irev, tmp_path):
    files(tmp_path, "csv")
    asked = ("eval", "-m", "AP", "--grade-words", "words", "qrels", "run.csv")
    saved = irev(*asked, "-q", "-f", "json", "-o", "saved.json")
    assert 0 == saved.status
    words = {"highly relevant": 2, "irrelevant": -1, "partly relevant": 1}
    assert words == json.loads((tmp_path / "saved.json").read_text())["options"]["grade_words"]
    assert irev(*asked[:3], "-f", "csv", *asked[3:]).stdout == irev("show", "saved.json", "-f", "csv").stdout


def test_a_table_of_documents_and_their_numbers_alone_is_of_one_query(irev, tmp_path):
    (tmp_path / "qrels").write_text("document,grade\nd1,yes\nd2,no\nd 3,Relevant\n")
    (tmp_path / "run").write_text("doc_id\tscore\nd2\t2\nd1\t1\n")
    done = irev("eval", "-q", "-m", "P@1", "-m", "R", "qrels", "run", "-f", "csv")
    assert (0, "") == (done.status, done.stderr)
    assert "0.5000" in done.stdout.decode()
    (tmp_path / "qrels").write_text("Document ID,Title,Relevant\nd1,x,yes\nd2,y,no\n")
    refused(irev("eval", "--qrels-format", "csv", "qrels", "run"), "query=- means that all rows are for one query")
    named = ("--columns", "qrels:query=-,qrels:document=Document ID,qrels:grade=Relevant")
    assert b"0.5000" in irev("eval", *named, "-m", "RR", "qrels", "run").stdout
    (tmp_path / "lines").write_text('{"document": "d1", "grade": 1}\n')
    refused(
        irev("eval", "--columns", "query=-", "lines", "run"),
        "only CSV and TSV files can have a single query without a column for it",
    )


@pytest.mark.parametrize("judged", [{"d1": 1, "d2": 0}, {"d1": "Relevant"}, ["d1"], {"d1"}], ids=str)
@pytest.mark.parametrize("run", [["d2", "d1"], {"d2": 2.5, "d1": 1}], ids=str)
def test_python_takes_one_query_without_an_id(judged, run):
    assert {"RR": 0.5} == package.evaluate(judged, run, "RR").mean()


def test_a_word_that_stands_twice_is_refused_however_it_is_written(irev, tmp_path):
    files(tmp_path, "csv")
    (tmp_path / "words").write_text("good 1\nGOOD 2\nbad 0\n")
    done = irev("eval", "--grade-words", "words", "qrels", "run.csv")
    refused(done, "words:2: word 'good' occurs twice (first on line 1); keep one of the two lines")


def test_a_grade_beyond_all_numbers_is_refused():
    with pytest.raises(UsageError, match="grade_words"):
        package.evaluate({"q": {"d": "good"}}, {"q": {"d": 1.0}}, grade_words={"good": 10**400})
