"""Numbers of textbooks: what five of them work out by hand, irev gives, at the precision that they print.

Each row is a ranking by its grades, how many documents are relevant in all where the text says so, a measure, and the
number in the text. Examples with files of their own are in sample_data/examples, and are cases.
"""

import re

import pytest
from conftest import ROOT

import irev
from irev.measures import parse

JK = "DCG(discount=jarvelin2002)"
TEXTBOOKS = [
    # Notes on common measures of retrieval, twice: with formulas and as plain text
    ("1 0 1 0 1", None, "Prec@3", "0.67"),
    ("1 0 1 0 1", None, "Prec@4", "0.50"),
    ("1 0 1 0 1", None, "Prec@5", "0.60"),
    ("1 0 1 0 1", 3, "AP", "0.76"),
    ("0 0 1", None, "RR", "0.33"),
    ("0 0 1", None, "search_length", "3"),
    *(
        ("3 2 3 0 0 1 2 2 3 0", None, f"{JK}@{rank}", f"{value:.2f}")
        for rank, value in enumerate([3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61], 1)
    ),
    # Slides of a course: precision, recall, accuracy, DCG and nDCG
    ("1", 10, "accuracy", "0.991"),
    ("1 1 0 1 0", 20, "R@1", "0.05"),
    ("1 1 0 1 0", 20, "R@2", "0.1"),
    ("1 1 0 1 0", 20, "R@5", "0.15"),
    ("1 1 0 1 0", 20, "P@3", "0.67"),
    ("1 1 0 1 0", 20, "P@4", "0.75"),
    ("1 1 0 1 0", 20, "P@5", "0.6"),
    ("0 0 0 1", None, JK, "0.500"),
    ("0 0 0 0 0 0 0 1", None, JK, "0.333"),
    ("2 2 1 0", None, JK, "4.6309"),
    ("2 1 2 0", None, JK, "4.2619"),
    ("2 2 1 0", None, "nDCG(discount=jarvelin2002)", "1.00"),
    ("2 1 2 0", None, "nDCG(discount=jarvelin2002)", "0.9203"),
    # A chapter of a handbook on metrics
    ("1 0 1 1 0", 4, "P@5", "0.60"),
    ("1 0 1 1 0", 4, "R@5", "0.75"),
    ("1 0 1 0 0 1", 3, "AP", "0.722"),
    ("3 2 3", None, "DCG(gain=exp)@3", "12.393"),
    (
        "3 2 3",
        None,
        "IDCG(gain=exp)@3",
        "12.917",
    ),  # the text has 12.916 and then 0.960, of terms that were rounded before
    ("3 2 3", None, "nDCG(gain=exp)@3", "0.959"),
    # An article on systematic evaluation
    ("1 1 0 1", 5, "SetP", "0.75"),
    ("1 1 0 1", 5, "SetR", "0.60"),
    ("1 0", 2, "F1", "0.5"),
    ("1 1 1 1 1 1 1 1 1 0", 90, "F1", "0.18"),
    ("1 1 1 0 1 1 0 1 0 0", 8, "AP", "0.67"),
    ("1 1 1 0 1 1 0 1 0 0", 8, "P@8", "0.75"),
    ("1 1 1 0 1 1 0 1 0 0", 8, "R@8", "0.75"),
    ("3 2 1 2 3", None, "CG@5", "11"),
    ("3 2 1 2 3", None, "DCG@5", "6.78"),
    ("3 2 1 2 3", None, "IDCG@5", "7.14"),
    ("3 2 1 2 3", None, "nDCG@5", "0.95"),
]

HERE = re.findall(r"^\| `([^`]+)`.*\|.*\| .* = ([0-9.]+) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)


def test_the_table_of_measures_in_the_readme_is_found():
    assert {"P@3", "AP", "DCG@3", "DCG(discount=jarvelin2002)@3", "nDCG@3"} <= {measure for measure, _ in HERE}


@pytest.mark.parametrize(("measure", "expected"), HERE)
def test_the_table_of_measures_in_the_readme_is_right(measure, expected):
    judged = {"q": {"a": 3, "b": 2, "c": 3, "m": 3}}
    result = irev.evaluate(judged, {"q": {"a": 3, "b": 2, "c": 1}}, measure)

    assert expected == f"{result.mean()[measure]:.4f}"


@pytest.mark.parametrize(("ranking", "relevant", "measure", "expected"), TEXTBOOKS)
def test_the_number_of_a_textbook_is_the_one_that_irev_gives(ranking, relevant, measure, expected):
    grades = [*map(int, ranking.split())]
    found = irev.explain(grades=grades, relevant=relevant, measures=measure, collection_size=1000)

    assert expected == f"{found.measures[0].value:.{len(expected.partition('.')[2])}f}"


def test_means_over_queries_of_textbooks_are_those_that_irev_gives():
    """Average precision 1.0, 0.5 and 0.1; first relevant documents at ranks 1, 3 and 2."""
    judged = {"1": ["a"], "2": ["a"], "3": ["a"]}
    run = {"1": ["a"], "2": ["b", "a"], "3": [*"bcdefghijk"[:9], "a"]}
    assert {"MAP": "0.53", "gMAP": "0.37"} == _rounded(irev.evaluate(judged, run, ["MAP", "gMAP"]).mean())
    run = {"1": ["a"], "2": ["b", "c", "a"], "3": ["b", "a"]}
    assert {"MRR": "0.61"} == _rounded(irev.evaluate(judged, run, "MRR").mean())


def _rounded(values):
    return {name: f"{value:.2f}" for name, value in values.items()}


@pytest.mark.parametrize("measure", ["DCG(discount={})@10", "nDCG(discount={},base=10)", "dcg_discount={}"])
def test_the_discount_of_textbooks_has_a_name_that_is_found_and_an_old_one(measure):
    old, new = (parse([measure.format(name)]) for name in ("jk", "jarvelin2002"))

    assert old == new
    assert "discount=jarvelin2002" in new[0].label
