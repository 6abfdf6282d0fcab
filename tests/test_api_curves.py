"""`irev.curves`: the points that the command has, of files and of what programs hand in."""

import json
from pathlib import Path

import pytest
from conftest import ROOT
from pages import Page

import irev
from irev.errors import UsageError
from irev.evaluation.curves.kinds import KINDS, LOOKED_AT_BY

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = {name: str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic")}


def nested(path, place):
    """A file as a dictionary: query, document and what stands in one of the places."""
    found = {}
    for line in Path(path).read_text().splitlines():
        if not line.startswith("#"):
            fields = line.split()
            found.setdefault(fields[0], {})[fields[2]] = float(fields[place])
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_points_of_the_command(irev_command, kind):
    named = {"query": "q3"} if kind == "query" else {}
    words = ("--query", "q3") if kind == "query" else ()
    _, stdout, _ = irev_command("curves", "--kind", kind, *words, "-f", "json", QRELS, *RUNS.values())
    expected = json.loads(stdout)

    for runs in (RUNS, list(RUNS.values())):
        found = irev.curves(QRELS, runs, kind, **named).report().record
        assert expected["pictures"] == found["pictures"]
        assert expected["queries"] == found["queries"]
    held = {name: nested(path, 4) for name, path in RUNS.items()}
    found = irev.curves(nested(QRELS, 3), held, kind, **named).report().record
    assert expected["pictures"] == found["pictures"]


@pytest.fixture(name="irev_command")
def _irev_command(irev):
    return irev


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
def test_choices_are_those_of_the_command(irev_command, choices, words):
    _, stdout, _ = irev_command("curves", *words, "-f", "json", QRELS, *RUNS.values())
    expected = json.loads(stdout)

    found = irev.curves(QRELS, RUNS, **choices).report().record

    assert [expected[key] for key in ("pictures", "made", "policy")] == [
        found[key] for key in ("pictures", "made", "policy")
    ]


def test_curves_are_shown_and_drawn(tmp_path):
    found = irev.curves(QRELS, RUNS)
    found.plot().save(str(tmp_path / "figure.svg"))

    assert "<Curves: Recall-precision, 3 runs>" == repr(found)
    assert "recall  hybrid  keyword  semantic" in str(found)
    assert ["recall", "hybrid", "keyword", "semantic"] == Page(found._repr_html_()).rows[0]
    assert (33, 3) == found.to_pandas().shape
    assert (tmp_path / "figure.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("choices", "fact"),
    [
        ({"kind": "cutof"}, "there is no kind of curves 'cutof'; did you mean 'cutoff'"),
        ({"measures": "AP"}, "measures changes nothing here; it is for kind cutoff, queries"),
        ({"query": "q1"}, "query changes nothing here; it is for kind query"),
        ({"baseline": "keyword"}, "baseline changes nothing here"),
        ({"confidence": 0.9}, "confidence changes nothing here"),
        ({"kind": "query"}, "which query is to be drawn"),
        ({"rule": "trec"}, "'trec' is no value of rule"),
        ({"kind": "cutoff", "cutoffs": [0]}, "0 is no value of cutoffs"),
        ({"kind": "queries", "baseline": "nobody"}, "there is no run 'nobody'"),
        ({"kind": "queries", "confidence": 2}, "2 is no value of confidence"),
        ({"kind": "queries", "tie_tolerance": -1}, "-1 is no value of tie_tolerance"),
        ({"queries": "run"}, "curves are over the same queries for all runs"),
    ],
)
def test_what_makes_no_curve_is_refused(choices, fact):
    with pytest.raises(UsageError, match=fact):
        irev.curves(QRELS, RUNS, **choices)


def test_a_path_alone_is_no_list_of_runs():
    with pytest.raises(TypeError, match="expected runs"):
        irev.curves(QRELS, RUNS["hybrid"])
    with pytest.raises(UsageError, match="there is nothing to draw"):
        irev.curves(QRELS, {})


def test_every_choice_of_some_kinds_is_a_parameter():
    import inspect

    assert set(LOOKED_AT_BY) <= set(inspect.signature(irev.curves).parameters)
