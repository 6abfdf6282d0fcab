"""Nuggets and their assignments, as nuggetizer writes them: read, scored, and refused where they cannot be meant."""

import json
import random
import subprocess
import sys

import pytest
from conftest import ROOT, environment
from outcomes import refused

from irev.measures import MEASURES

IMPORTANCE = ("vital", "okay")
CREDIT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
NAMES = ("strict_vital_score", "vital_score", "strict_all_score", "all_score")


def written(path, records) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def record(query, nuggets, field, **more):
    return {"qid": query, **more, "nuggets": [{"text": text, field: said} for text, said in nuggets]}


def obvious(nuggets: dict[str, str], assigned: dict[str, str], count: str, credit: str) -> float:
    """The definition, nugget by nugget."""
    weight = {"vital": 1.0, "okay": {"vital": 0.0, "all": 1.0, "weighted": 0.5}[count]}
    total = sum(weight[importance] for importance in nuggets.values())
    earned = 0.0
    for text, importance in nuggets.items():
        worth = CREDIT[assigned.get(text, "not_support")]
        earned += weight[importance] * (worth if credit == "partial" else float(worth == 1))
    return earned / total if total else 0.0


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_the_definition(irev, tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    texts = ["It opened in 1930", "a", "naïve: 雪", "two  blanks", '"quoted" # text', "x" * 300, "y" * 300, "Z, z; -1"]
    nuggets = {
        f"q{n}": {text: chance.choice(IMPORTANCE) for text in chance.sample(texts, chance.randint(1, 8))}
        for n in range(chance.randint(1, 30))
    }
    assigned = {
        query: {text: chance.choice(list(CREDIT)) for text in known if chance.random() < 0.8}
        for query, known in nuggets.items()
    }
    written(tmp_path / "nuggets", [record(query, known.items(), "importance") for query, known in nuggets.items()])
    written(
        tmp_path / "answers",
        [record(query, known.items(), "assignment", run_id="mine") for query, known in assigned.items()],
    )
    for count in ("vital", "all", "weighted"):
        for credit in ("strict", "partial"):
            name = f"NuggetRecall(nuggets={count},credit={credit})"
            status, printed, said = irev("eval", "-q", "-f", "jsonl", "-m", name, "nuggets", "answers")
            assert (0, any(not known for known in assigned.values())) == (status, "empty list" in said)
            rows = [json.loads(line) for line in printed.splitlines()]
            found = {row["query"]: row["measures"].popitem()[1] for row in rows if row["query"] != "all"}
            expected = {query: obvious(nuggets[query], assigned[query], count, credit) for query in nuggets}
            assert expected == pytest.approx(found, abs=1e-12)


def test_names_of_nuggetizer_are_taken(irev):
    folder = "sample_data/nuggets"
    status, printed, _ = irev(
        "eval", *(word for name in NAMES for word in ("-m", name)), f"{folder}/nuggets.jsonl", f"{folder}/short.jsonl"
    )

    assert 0 == status
    assert ["0.3333", "0.6667", "0.1944", "0.3750"] == [line.split()[-1] for line in printed.decode().splitlines()]


NUGGETS = [
    record("q1", [("a fact", "vital"), ("another", "okay")], "importance"),
    record("q2", [("c", "vital")], "importance"),
]
ANSWERS = [
    record("q1", [("a fact", "support"), ("another", "partial_support")], "assignment", run_id="mine"),
    record("q2", [("c", "not_support")], "assignment", run_id="mine"),
]


def changed(records, number, **fields):
    return [{**each, **fields} if place == number else each for place, each in enumerate(records)]


def nugget(**fields):
    return {"nuggets": [fields]}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            changed(ANSWERS, 1, **nugget(text="d", assignment="support")),
            "answers, nugget 3: 'd' is none of the nuggets of query 'q2'; the run may be made from another "
            "version of nuggets",
        ),
        (
            ANSWERS + ANSWERS[1:],
            "answers, nugget 4: document 'c' is retrieved twice for query 'q2' (first in nugget 3); keep one of the two"
            " lines, or see --duplicates",
        ),
        (
            changed(ANSWERS, 0, **nugget(text="a fact", assignment="supported")),
            "answers, nugget 1: a nugget of query 'q1' has the assignment 'supported'; expected one of support,"
            " partial_support, not_support",
        ),
        (
            changed(ANSWERS, 0, **nugget(text="a fact", assignment="failed")),
            "answers, nugget 1: a nugget of query 'q1' has the assignment 'failed'; nuggetizer got no answer for "
            "it; run the assignment again",
        ),
        (
            changed(ANSWERS, 0, **nugget(text="a fact")),
            "answers, nugget 1: a nugget of query 'q1' has no assignment; expected one of support, partial_support,"
            " not_support",
        ),
        (changed(ANSWERS, 0, **nugget(assignment="support")), "answers, nugget 1: a nugget of query 'q1' has no text"),
        (
            changed(ANSWERS, 0, **nugget(text=3, assignment="support")),
            "answers, nugget 1: the text of a nugget of query 'q1' is a number; expected a string",
        ),
        (
            changed(ANSWERS, 0, **nugget(text="a\x1b[31m", assignment="support")),
            "answers, nugget 1: the nugget id 'a\\x1b[31m' holds a control character",
        ),
        (changed(ANSWERS, 0, nuggets=["a fact"]), "answers, nugget 1: the nugget is a string; expected an object"),
        (changed(ANSWERS, 1, nuggets={}), "answers, nugget 3: the record of query 'q2' has no array of nuggets"),
        (changed(ANSWERS, 1, run_id=None), "answers, nugget 3: the record of query 'q2' has no run id"),
        (changed(ANSWERS, 1, qid=None), "answers, nugget 3: the query id is null; expected the id of a query"),
        (changed(ANSWERS, 1, qid=" q2"), "answers, nugget 3: the query id ' q2' begins or ends with a blank"),
        ([*ANSWERS, {"nuggets": []}], "answers, nugget 4: the record has no field 'qid'"),
        ([*ANSWERS, 7], "answers, nugget 4: the record is a number; expected an object"),
    ],
)
def test_what_contradicts_the_nuggets_is_refused_with_its_place(irev, tmp_path, monkeypatch, answers, expected):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "nuggets", NUGGETS)
    written(tmp_path / "answers", answers)
    refused(irev("eval", "-m", "NuggetRecall", "nuggets", "answers"), f"irev: error: {expected}")


def test_validate_finds_all_at_once(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "nuggets", NUGGETS + changed(NUGGETS, 0, **nugget(text="a fact", importance="high"))[:1])
    wrong = [("unknown", "support"), ("a fact", "support"), ("a fact", "support"), ("another", "some")]
    written(tmp_path / "answers", [record("q1", wrong, "assignment"), record("q2", [("d", "support")], "assignment")])
    status, printed, _ = irev("validate", "nuggets", "answers")

    assert 1 == status
    lines = printed.decode().splitlines()
    assert ["E113", "E115", "E103", "E113", "E115"] == [line.split(": error ")[1][:4] for line in lines[:-1]]
    assert ["nugget 4", "nugget 1", "nugget 3", "nugget 4", "nugget 5"] == [
        line.partition(", ")[2].partition(":")[0] for line in lines[:-1]
    ]


def test_a_run_of_documents_is_no_assignment(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "nuggets", [record("q1", [("a", "vital")], "importance")])
    (tmp_path / "run").write_text("q1 Q0 a 1 17.5 t\n")

    expected = "irev: error: assignments of nuggets have scores from 0 to 1; is this a run of documents?\n"
    assert (2, b"", expected) == irev("eval", "-m", "NuggetRecall", "nuggets", "run")


def test_grades_have_no_nuggets(irev):
    outcome = irev("eval", "-m", "NuggetRecall", "sample_data/qrels.txt", "sample_data/keyword.run")
    refused(outcome, "needs judgments of nuggets, and these are of grades; --qrels-format nuggets reads them")


@pytest.mark.parametrize("words", [("eval",), ("compare",), ("eval", "-m", "nDCG@10"), ("report",)])
def test_measures_of_documents_are_refused_since_what_an_answer_lacks_is_there_too(irev, words):
    """Each nugget is a line of the assignments, supported or not: AP would be 1 of any answer."""
    files = [f"sample_data/nuggets/{name}.jsonl" for name in ("nuggets", "short", "long")]
    outcome = irev(*words, *files)
    refused(outcome, "needs grades, and these are judgments of nuggets; choose one for them with -m: nugget_recall")


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "-m", "vital_score"),
        ("check", "--min", "vital_score=0.1"),
        ("curves", "--kind", "queries", "-m", "vital_score"),
        ("report", "-m", "vital_score", "-o", "page.html"),
        ("diff", "-m", "vital_score"),
    ],
)
def test_commands_that_take_runs_take_answers(words, tmp_path):
    files = [str(ROOT / "sample_data" / "nuggets" / f"{name}.jsonl") for name in ("nuggets", "short", "long")]
    command = [sys.executable, "-m", "irev", *words, *files]
    done = subprocess.run(command, cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)), capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout or (tmp_path / "page.html").stat().st_size > 10_000


@pytest.mark.parametrize("queries", ["both", "qrels"])
def test_a_page_about_answers_has_no_curves_of_rankings(irev, queries):
    files = [f"sample_data/nuggets/{name}.jsonl" for name in ("nuggets", "short", "long")]
    status, page, _ = irev("report", "-m", "vital_score", "--queries", queries, *files)

    assert (0, True, False, False) == (
        status,
        b"short \xe2\x88\x92 long" in page,
        b"nDCG" in page,
        b"Interpolated precision" in page,
    )


def test_python_reads_the_same_files():
    import irev

    folder = ROOT / "sample_data" / "nuggets"
    found = irev.evaluate(str(folder / "nuggets.jsonl"), str(folder / "short.jsonl"), ["NuggetRecall(credit=partial)"])

    assert [2 / 3] == pytest.approx(list(found.mean().values()))


@pytest.mark.parametrize("form", ["dictionary", "run that was read", "arrays"])
def test_assignments_in_memory_name_no_other_nuggets_either(tmp_path, form):
    """A misspelt nugget was one that is not supported."""
    import irev

    written(tmp_path / "nuggets", [record("t1", [("a fact", "vital"), ("another", "vital")], "importance")])
    written(tmp_path / "answers", [record("t1", [("a fact", "support"), ("anothr", "support")], "assignment")])
    forms = {
        "dictionary": {"t1": {"a fact": 1.0, "anothr": 1.0}},
        "run that was read": irev.read_run(str(tmp_path / "answers")),
        "arrays": (["t1", "t1"], ["a fact", "anothr"], [1.0, 1.0]),
    }
    for _ in range(2):  # nothing is left of the first time
        with pytest.raises(
            irev.InputError, match=r"^'anothr' is none of the nuggets of query 't1'; the run may be made from"
        ):
            irev.evaluate(str(tmp_path / "nuggets"), forms[form], ["NuggetRecall"])
    known = {"t1": {"a fact": 1.0, "another": 0.0}, "t2": {"what nobody asked": 1.0}}
    assert {"NuggetRecall": 0.5} == irev.evaluate(str(tmp_path / "nuggets"), known, ["NuggetRecall"]).mean()


def test_the_example_of_the_definition_is_right(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = " ".join(MEASURES["nugget_recall"].documentation.split()).partition("Example: ")[2].removesuffix(".")
    said, _, values = text.partition(": ")
    pairs = [each.split() for each in said.split(", ")]
    for name, field, which in (("nuggets", "importance", 0), ("answers", "assignment", 1)):
        given = [(f"nugget {number}", pair[which]) for number, pair in enumerate(pairs)]
        written(tmp_path / name, [record("q", given, field)])
    for label, value in (each.split() for each in values.split(", ")):
        _, printed, _ = irev("eval", "-m", label, "nuggets", "answers")
        assert [label, "all", value] == printed.decode().split()


@pytest.mark.parametrize("queries", [("q1", "q2"), ("q1", "q1")])
def test_two_run_ids_are_two_runs(irev, tmp_path, monkeypatch, queries):
    """They were evaluated as one."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "nuggets", [record(query, [("a", "vital")], "importance") for query in ("q1", "q2")])
    answers = zip(queries, ("mine", "theirs"), strict=True)
    written(tmp_path / "answers", [record(q, [("a", "support")], "assignment", run_id=run) for q, run in answers])
    outcome = irev("eval", "-m", "NuggetRecall", "nuggets", "answers")
    refused(outcome, "answers, nugget 2: the file has two runs, 'mine' and 'theirs'; write each to its own file")
