"""`irev curves`: the numbers of every kind are those of other commands, on one set of queries, in every style."""

import json
import re
from pathlib import Path

import pytest
from comparing import record, rows, shown
from conftest import ROOT, nested
from outcomes import refused
from pages import Page

from irev import curves
from irev.base.errors import UsageError
from irev.evaluation.curves import KINDS, WITH_QUERIES

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))
ALL = (QRELS, *RUNS)
BY_NAME = {Path(path).stem: path for path in RUNS}


def arguments(kind):
    more = {"query": ("--query", "q3"), "tradeoff": ("--resources", str(ROOT / "sample_data" / "resources.csv"))}
    return ("--kind", kind, *more.get(kind, ()), *ALL)


# Numbers


def test_sorted_differences_are_those_of_compare(irev):
    found = record(irev, "curves", "--kind", "queries", "-m", "AP", "-m", "nDCG@10", "--confidence", "0.9", *ALL)
    compared = record(irev, "compare", "-q", "-m", "AP", "-m", "nDCG@10", "--confidence", "0.9", *ALL)

    contrasts = [
        (each["name"] if "name" in each else each["standard"], contrast)
        for each in compared["measures"]
        for contrast in each["contrasts"]
    ]
    assert 4 == len(contrasts) == len(found["pictures"])
    for picture, (_, contrast) in zip(found["pictures"], contrasts, strict=True):
        (curve,) = picture["curves"]
        assert (contrast["baseline"], contrast["run"]) == (picture["baseline"], curve["run"])
        assert [contrast[name] for name in ("wins", "ties", "losses")] == [
            curve["values"][name] for name in ("wins", "ties", "losses")
        ]
        assert contrast["difference"] == curve["values"]["mean"]
        assert list(
            contrast["interval"].values() if isinstance(contrast["interval"], dict) else contrast["interval"]
        ) == [
            curve["values"]["low"],
            curve["values"]["high"],
        ]


def test_one_query_has_the_ranks_of_its_relevant_documents(irev):
    found = rows(irev, "curves", "--kind", "query", "--query", "q3", "--query", "q4", *ALL)

    assert [("q3", "semantic", "2", "0.5"), ("q3", "semantic", "3", repr(2 / 3)), ("q3", "semantic", "5", "0.6")] == [
        (each["query"], each["run"], each["rank"], each["precision"])
        for each in found
        if each["run"] == "semantic" and each["query"] == "q3"
    ]
    assert {"q3", "q4"} == {each["query"] for each in found}


def test_a_query_that_a_run_lacks_has_no_points_in_either_version(irev, write):
    bare = [line for line in Path(QRELS).read_text().splitlines(keepends=True) if not line.startswith("#")]
    judgments = write("".join(bare).encode())

    for compat in ("10.0", "9.0.8"):
        (picture,) = record(irev, "curves", "--compat", compat, "--kind", "query", "--query", "q6", judgments, *RUNS)[
            "pictures"
        ]
        assert [1, 0, 1] == [curve["values"]["found"] for curve in picture["curves"]]


# One set of queries


def test_every_judged_query_counts_unless_both_are_asked_for(irev):
    every = record(irev, "curves", "--kind", "distribution", "-m", "AP", *ALL)
    _, stdout, stderr = irev("curves", "--kind", "distribution", "-m", "AP", "--queries", "both", "-f", "json", *ALL)
    both = json.loads(stdout)

    assert 7 == every["queries"]
    assert 6 == both["queries"]
    assert "query q6 is not in all of the runs and is left out" in stderr
    assert {7} == {curve["values"]["queries"] for curve in every["pictures"][0]["curves"]}
    assert {6} == {curve["values"]["queries"] for curve in both["pictures"][0]["curves"]}
    assert "all judged queries; one without results counts as an empty ranking" == every["policy"]
    assert "queries that are judged and that all runs have" == both["policy"]


def test_the_caption_says_how_many_queries_the_level_the_depth_and_the_rule(irev):
    text = " ".join(shown(irev, "curves", "-l2", "-M3", "-J", "--rule", "nist", *ALL).split())

    assert (
        "7 queries: all judged queries; one without results counts as an empty ranking. Relevant: a grade of 2 or"
        in text
    )
    assert "rankings cut at rank 3; documents without a judgment dropped" in text
    assert "Rule of NIST: the highest precision at any rank where recall is at least x." in text


def test_judgments_of_which_none_is_relevant_give_zeros(irev, folder):
    Path("qrels").write_text("1 0 a 0\n2 0 a 0\n")

    for kind in ("recall-precision", "cutoff", "precision-recall@k", "roc", "distribution"):
        status, stdout, _ = irev("curves", "--kind", kind, "qrels", "run")
        assert 0 == status
        assert b"nan" not in stdout
    _, stdout, _ = irev("curves", "--kind", "query", "--query", "1", "qrels", "run")
    assert b"No document is judged relevant" in stdout


# Styles


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_columns_of_types(irev, folder, kind):
    assert (0, b"") == irev("curves", *arguments(kind), "-f", "parquet", "-o", "out")[:2]


@pytest.mark.parametrize("kind", KINDS)
def test_text_figures_stand_in_tables_on_screens_alone(irev, kind):
    table = shown(irev, "curves", *arguments(kind))
    page = Page(irev("curves", *arguments(kind), "-f", "html").stdout)

    assert re.search("[┤┼├]", table)
    assert not re.search("[┤┼├]", "".join(page.texts["body"]))
    assert 80 >= max(map(len, table.splitlines()))


@pytest.mark.parametrize("kind", WITH_QUERIES)
def test_queries_are_shown_to_people_who_ask_for_them(irev, kind):
    without, every = shown(irev, "curves", *arguments(kind)), shown(irev, "curves", "-q", *arguments(kind))

    assert len(without) < len(every)


# What is refused


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("--kind", "topics", *ALL[:3]), "the median needs at least three runs"),
        (("--kind", "queries", *ALL[:2]), "there is nothing to compare"),
        (("--kind", "query", *ALL), "the query to draw is needed; give --query"),
        (("--kind", "query", "--query", "q9", *ALL), "query 'q9' has no judgments"),
        (("--kind", "cutoff", "-m", "nDCG@10", *ALL), "nDCG@10 has a cutoff, but this picture has every cutoff"),
        (("--kind", "cutoff", "-m", "bpref", *ALL), "measure 'bpref' takes no cutoff"),
        (("--kind", "cutoff", "--cutoffs", "0,5", *ALL), "'0,5' is not a list of whole numbers of 1 or more"),
        (("--kind", "queries", "-m", "runid", *ALL), "has no numbers for single queries"),
        (("--kind", "queries", "--baseline", "keyboard", *ALL), "there is no run 'keyboard'; did you mean 'keyword'"),
        (("--queries", "run", *ALL), "--queries run means other queries for each run"),
        (("--plot", "figure.gif", *ALL), "no figure can be written to a file called '.gif'"),
        (("--plot", QRELS, *ALL), "is an input; write to another file"),
        ((QRELS,), "expected QRELS and at least one RUN"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(word for word in value if "/" not in word),
)
def test_what_makes_no_curve_is_refused(irev, words, fact):
    refused(irev("curves", *words), fact)


# Python


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sheet"])  # which is no picture
def test_every_kind_has_the_points_of_the_command(irev, kind):
    took = str(ROOT / "sample_data" / "resources.csv")
    named = {"query": {"query": "q3"}, "tradeoff": {"resources": took}}.get(kind, {})
    words = tuple(word for name, value in named.items() for word in (f"--{name}", value))
    _, stdout, _ = irev("curves", "--kind", kind, *words, "-f", "json", QRELS, *BY_NAME.values())
    expected = json.loads(stdout)

    for runs in (BY_NAME, list(BY_NAME.values())):
        found = curves(QRELS, runs, kind, **named).report().record
        assert expected["pictures"] == found["pictures"]
        assert expected["queries"] == found["queries"]
    held = {name: nested(path, 4) for name, path in BY_NAME.items()}
    found = curves(nested(QRELS, 3), held, kind, **named).report().record
    assert expected["pictures"] == found["pictures"]


BY_CUTOFF = {"kind": "cutoff", "measures": ["P", "RR"], "cutoffs": [3, 1]}
SORTED = {"kind": "queries", "measures": "AP", "baseline": "keyword", "confidence": 0.8}
SPREAD = {"kind": "distribution", "measures": "AP"}


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"rule": "nist", "level": 2}, ("--rule", "nist", "-l2")),
        (BY_CUTOFF, ("--kind", "cutoff", "-mP", "-mRR", "--cutoffs=1,3")),
        (SORTED, ("--kind=queries", "-mAP", "--baseline=keyword", "--confidence=.8")),
        (SPREAD | {"both": True}, ("--kind", "distribution", "-mAP", "--queries=both")),
        (SPREAD | {"depth": 2}, ("--kind", "distribution", "-mAP", "-M2")),
    ],
)
def test_choices_are_those_of_the_command(irev, choices, words):
    _, stdout, _ = irev("curves", *words, "-f", "json", QRELS, *BY_NAME.values())
    expected = json.loads(stdout)

    found = curves(QRELS, BY_NAME, **choices).report().record

    assert [expected[key] for key in ("pictures", "made", "policy")] == [
        found[key] for key in ("pictures", "made", "policy")
    ]


def test_curves_are_shown_and_drawn(tmp_path):
    found = curves(QRELS, BY_NAME)
    found.plot().save(str(tmp_path / "figure.svg"))

    assert "<Curves: Recall-precision, 3 runs>" == repr(found)
    assert "recall  hybrid  keyword  semantic" in str(found)
    assert ["recall", "hybrid", "keyword", "semantic"] == Page(found._repr_html_()).rows[0]
    assert (33, 3) == found.to_pandas().shape
    assert (tmp_path / "figure.svg").read_bytes().startswith(b"<svg")


@pytest.mark.parametrize(
    ("choices", "fact"),
    [
        ({"kind": "cutof"}, "'cutof' is no value of kind; did you mean 'cutoff'"),
        ({"measures": "AP"}, "measures has no effect without kind='cutoff' or 'queries'"),
        ({"query": "q1"}, "query has no effect without kind='query'"),
        ({"kind": "sheet", "baseline": "keyword"}, "baseline has no effect without kind='recall-precision' or "),
        ({"confidence": 0.9}, "confidence has no effect without kind='queries'"),
        ({"kind": "query"}, "the query to draw is needed; give query"),
        ({"kind": "cutoff", "cutoffs": [0]}, "is no value of cutoffs; expected a list of whole numbers of 1 or more"),
        ({"kind": "queries", "baseline": "nobody"}, "there is no run 'nobody'"),
        ({"queries": "run"}, "but curves need the same queries"),
    ],
)
def test_what_makes_no_curve_is_refused_in_python(choices, fact):
    with pytest.raises(UsageError, match=fact):
        curves(QRELS, BY_NAME, **choices)


def test_a_path_alone_is_no_list_of_runs():
    with pytest.raises(TypeError, match="expected several runs"):
        curves(QRELS, BY_NAME["hybrid"])
    with pytest.raises(UsageError, match="there are no runs"):
        curves(QRELS, {})


def test_a_picture_for_a_paper_has_no_sentences_below_it(irev, tmp_path):
    drawn = []
    for name, more in (("page.svg", ()), ("paper.svg", ("--width", "3.3in"))):
        assert 0 == irev("curves", "--plot", str(tmp_path / name), *more, *ALL).status
        drawn.append((tmp_path / name).read_text().partition("</title>")[2])
    assert [True, False] == ["Relevant: a grade of 1 or more." in each for each in drawn]
