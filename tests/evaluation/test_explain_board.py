"""``irev explain`` for classrooms: fractions, precision and recall at ranks, points of recall, the worst query."""

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import ROOT

import irev as api
from irev import explain

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def board(irev, tmp_path, monkeypatch):
    """``board(*arguments)``: what is explained of a query with relevant documents at ranks 1, 4 and 5 of 6."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(
        "".join(f"q1 0 d{n} {int(n in (1, 4, 5))}\nq2 0 d{n} 1\n" for n in range(1, 7)) + "q3 0 a 1\n"
    )
    Path("run").write_text("".join(f"q1 Q0 d{n} {n} {-n} t\nq2 Q0 d{n} {n} {-n} t\n" for n in range(1, 7)))

    def board(*arguments: str) -> str:
        status, stdout, stderr = irev("explain", "qrels", "run", *arguments)
        assert 0 == status, stderr
        return stdout.decode()

    return board


def test_average_precision_is_written_in_fractions(board):
    text = board("--query", "q1", "-m", "AP")
    assert "AP = (1/1 + 2/4 + 3/5) / 3 = 0.7000." in text
    rows = [line.split() for line in text.splitlines() if re.match(r" +[1-6]  d", line)]
    assert ["1/1", "1/2", "1/3", "2/4", "3/5", "3/6"] == [row[4] for row in rows]
    assert ["1/3", "1/3", "1/3", "2/3", "3/3", "3/3"] == [row[5] for row in rows]


def test_fractions_go_on_as_far_as_one_reads_them(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"q 0 d{n:02} 1\n" for n in range(20)))
    Path("run").write_text("".join(f"q Q0 d{n:02} 1 {-n} t\n" for n in range(20)))
    text = " ".join(irev("explain", "qrels", "run", "-m", "AP").stdout.decode().split())
    assert "AP = (1/1 + 2/2 + 3/3 + 4/4 + 5/5 + 6/6 + 7/7 + 8/8 + 9/9 + 10/10 + 11/11 + … + 20/20) / 20 = 1" in text


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["AP", "AP@5", "AP(rel=2)", "AP(judged_only=true)@7"])
def test_the_fractions_add_up_to_the_value(irev, tmp_path, monkeypatch, seed, name):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    names = [f"d{n:02}" for n in range(14)]
    Path("qrels").write_text(
        "".join(f"q 0 {d} {chance.choice((-1, 0, 1, 2))}\n" for d in names if chance.random() < 0.7)
    )
    Path("run").write_text("".join(f"q Q0 {d} 1 {chance.random()} t\n" for d in chance.sample(names, 11)))
    text = " ".join(irev("explain", "qrels", "run", "-m", name, "--digits", "12").stdout.decode().split())
    written = re.search(r" = \(?([\d/+ ]*\d/\d+)\)?(?: / (\d+))? = ([\d.]+)\.", text)
    if written is None:  # no relevant document was found
        assert f"{name} = 0.000" in text or f"{name} = 0" in text
        return
    total = sum((Fraction(each) for each in written[1].split(" + ")), Fraction(0))
    assert float(total / int(written[2] or 1)) == pytest.approx(float(written[3]), abs=1e-11)


@pytest.mark.parametrize(
    "name", ["AP", "P@5", "R@5", "Rprec", "F@5", "SetP", "SetR", "SetRelP", "SetF", "SetAP", "YAAP", "PRPoints"]
)
def test_measures_made_of_precision_and_recall_have_both_at_each_rank(name, board):
    rows = [line.split() for line in board("--query", "q1", "-m", name).splitlines() if re.match(r" +[1-5]  d", line)]
    assert [["1/1", "1/3"], ["1/2", "1/3"], ["1/3", "1/3"], ["2/4", "2/3"], ["3/5", "3/3"]] == [
        row[4:6] for row in rows[:5]
    ]


def test_eleven_points_stand_in_one_table(board):
    text = board("--query", "q1", "-m", "iprec_at_recall")
    assert 1 == text.count("rank  document")
    (table,) = re.findall(r"recall  precision  at rank\n─+\n((?: +[\d.]+ +[\d.]+ +\d+\n)+)", text)
    points = [tuple(map(float, line.split())) for line in table.splitlines()]
    assert [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] == [recall for recall, *_ in points]
    assert [1, 1, 1, 1, 1, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6] == [precision for _, precision, _ in points]
    assert [1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5] == [rank for *_, rank in points]
    assert table in board("--query", "q1", "-m", "11pt_avg")


def test_without_a_query_the_worst_is_taken_and_said_to_be(board):
    text = board("-m", "AP")
    assert text.startswith("Query q3 of run\n\nThe worst of 3 queries by AP; --query chooses another")
    assert "worst" not in board("-m", "AP", "--query", "q3")
    assert board("-m", "search_length").startswith("Query q3 of run"), "where lower is better"


def test_the_worst_query_is_one_for_which_something_is_relevant(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("a Q0 d 1 1 r\nb Q0 x 1 2 r\nb Q0 d 1 1 r\nc Q0 d 1 1 r\n")
    (tmp_path / "qrels").write_text("a 0 d 0\nb 0 d 1\nc 0 d 1\n")
    text = irev("explain", "-m", "AP", "qrels", "run").stdout.decode()
    assert text.startswith("Query b of run\n\nThe worst of 2 queries with relevant documents by AP; --query")
    assert b"b" == api.explain("qrels", "run", measures="AP").query
    strict = irev("explain", "-l", "2", "-m", "AP", "qrels", "run").stdout.decode()
    assert strict.startswith("Query a of run\n\nThe worst of 3 queries by AP; --query"), (
        "where nothing is relevant at all"
    )


def test_python_takes_the_worst_query_too(board):
    assert b"q3" == explain("qrels", "run", measures="AP").query
    assert b"q1" == explain("qrels", {"q1": {"x": 1.0}, "q2": {"d1": 1.0}, "q3": {"a": 1.0}}, measures="AP").query


def test_a_run_from_a_pipe_is_explained_by_its_worst_query_too(irev, board):
    done = irev("explain", "qrels", "-", "-m", "AP", stdin=Path("run").read_bytes())
    assert (0, True) == (done.status, done.stdout.startswith(b"Query q3"))


def test_one_list_serves_all_cutoffs_of_a_measure(board):
    text = board("--query", "q1", "-m", "P.5,1,3", "-m", "AP")
    assert 1 == text.count("rank  document"), "the ranking is shown once for all measures"
    assert "\nP@1 = 1.0000, P@3 = 0.3333, P@5 = 0.6000\n" in text
    assert "P@1 = 1.0000: the sum of the terms.\nP@3 = 1 / 3 = 0.3333.\nP@5 = 3 / 5 = 0.6000.\nP_k = " in text
    rows = [line.split() for line in text.splitlines() if re.match(r" +\d  d", line)]
    assert [str(rank) for rank in range(1, 7)] == [row[0] for row in rows], "as deep as the longest"


def test_one_list_of_many_cutoffs_is_no_longer_than_people_read(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"q 0 d{n:02} {n % 2}\n" for n in range(40)))
    Path("run").write_text("".join(f"q Q0 d{n:02} 1 {-n} t\n" for n in range(40)))
    text = irev("explain", "qrels", "run", "-m", "F").stdout.decode()
    rows = [line.split() for line in text.splitlines() if re.match(r" +\d+  d", line)]
    assert [str(rank) for rank in range(1, 11)] == [row[0] for row in rows]
    assert "12–40  … 15 more terms" in text
    assert 9 == len(re.findall(r"^F@\d+ = 2 × ", text, re.MULTILINE)), "a line for each of the nine"
    assert "F@5 = 2 × 2 / 25 = 0.1600." in text
    everything = irev("explain", "qrels", "run", "-m", "F", "--all").stdout.decode()
    assert 40 == len(re.findall(r"^ +\d+  d", everything, re.MULTILINE))


def test_what_has_no_terms_shares_a_list_where_it_shows_the_same(board):
    text = board("--query", "q1", "-m", "SetF", "-m", "RR", "-m", "SetP")
    assert 1 == text.count("rank  document")
    assert "not a sum" not in text
    assert "\nSetF = 0.6667, SetP = 0.5000\n" in text


def test_points_of_recall_hide_no_other_measure(board):
    text = board("--query", "q1", "-m", "iprec_at_recall", "-m", "SetF", "-m", "11pt_avg", "-m", "IPrec(rel=2)@0.5")
    assert "\nSetF = 0.6667, IPrecAvg = 0.7818\n" in text
    assert "\nInterpolated precision\n" in text
    assert "\nIPrec(rel=2)@0.5 = 0.0000\n" in text
    assert "\nThe points of recall whose mean it is\n" in text
    both = board("--query", "q1", "-m", "iprec_at_recall", "-m", "IPrec(rule=nist)@0.1", "-m", "IPrec(rule=nist)@0.2")
    assert 2 == both.count("\nInterpolated precision\n")


def test_lists_that_differ_stay_apart(board):
    """Under expected values over ties, what a tie adds depends on how much of it a cutoff takes."""
    Path("run").write_text("".join(f"q1 Q0 d{n} {n} 1 t\nq2 Q0 d{n} 1 1 t\n" for n in range(1, 7)))
    text = board("--query", "q1", "-m", "P.2,5", "--ties", "average")
    assert (1, 2) == (text.count("rank  document"), text.count("rank    term"))
    assert 2 == board("--query", "q1", "-m", "P@5", "-m", "P(rel=2)@5").count("rank  document"), (
        "other relevance levels"
    )


@pytest.mark.parametrize(
    ("name", "worked"),
    [
        ("SetP", "3 / 6 = 0.5000."),
        ("SetP@5", "3 / 5 = 0.6000."),
        ("SetP@50", "3 / 6 = 0.5000."),
        ("SetR", "3 / 3 = 1.0000."),
        ("SetRelP", "3 / min(6, 3) = 1.0000."),
        ("SetAP", "(3 · 3) / (6 · 3) = 0.5000."),
        ("SetF(beta=2)", "(4 + 1) · 3/6 · 3/3 / (4 · 3/6 + 3/3) = 0.8333."),
        ("utility", "1 · 3 + -1 · 3 + 0 · 0 = 0.0000."),
        ("Success@5", "1.0000: the first relevant document is at rank 1."),
        ("IPrec@0.5", "3/5 = 0.6000, the precision at rank 5: the highest from rank 4 on, where recall is 2/3."),
        ("SetP(rel=2)", "0.0000"),
    ],
)
def test_measures_of_sets_and_of_one_rank_are_computed_in_a_sentence(board, name, worked):
    assert f" = {worked}" in " ".join(board("--query", "q1", "-m", name).split())


@pytest.mark.parametrize("rule", ["trec_eval", "nist"])
@pytest.mark.parametrize("seed", range(4))
def test_the_rank_of_interpolated_precision_decides_it(seed, rule):
    """The precision at this rank is the value, and no later rank has a higher one."""
    chance = random.Random(seed)
    qrels = {"q": {f"d{n:02}": int(chance.random() < 0.5) for n in range(20)} | {"d00": 1, "x": 1}}
    run = {"q": {f"d{n:02}": float(-n) for n in range(20)}}
    found = [qrels["q"][f"d{n:02}"] for n in range(20)]
    precision = [sum(found[: n + 1]) / (n + 1) for n in range(20)]
    for measure in explain(qrels, run, "q", [f"iprec_at_recall.rule={rule}", f"11pt_avg.rule={rule}"]).measures:
        for point in measure.points:
            if point.rank is None:
                assert 0 == point.precision
            else:
                assert point.precision == precision[point.rank - 1] == max(precision[point.first - 1 :])


def test_each_ranking_that_measures_see_is_shown_once(board):
    text = board(
        "--query", "q1", *(word for m in ("AP", "nDCG", "RBP", "P(judged_only=true)@3", "RR") for word in ("-m", m))
    )
    assert 2 == text.count("rank  document  ")
    assert "\nThe ranking\n" in text
    assert "\nrank  gain  discount" in text
