"""Names that options take: letters of either case are the same, and what is near is said."""

import pytest
from conftest import ROOT
from outcomes import refused

SAMPLE = ROOT / "sample_data"
QRELS, HYBRID, KEYWORD, BUCKETS = (
    str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "ab_test.csv")
)
TWO = (HYBRID, KEYWORD)

GIVEN = [
    ("fuse", "--method", "combsum", "CombSUM", TWO),
    ("fuse", "--method", "rrf", "RRF", TWO),
    ("online interleave", "--method", "team-draft", "Team-Draft", TWO),
    ("online ab", "--measure", "ctr", "CTR", (BUCKETS,)),
]


@pytest.mark.parametrize(("command", "option", "name", "other", "files"), GIVEN)
def test_letters_of_either_case_are_the_same(irev, command, option, name, other, files):
    expected = irev(*command.split(), option, name, *files)
    assert 0 == expected.status, expected.stderr
    assert expected == irev(*command.split(), option, other, *files)


def test_a_normalisation_too(irev):
    expected = irev("fuse", "--method", "combsum", "--norm", "min-max", *TWO)
    assert expected == irev("fuse", "--method", "CombSum", "--norm", "Min-Max", *TWO)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("fuse", "--method", "rff"), "rrf"),
        (("fuse", "--method", "WSUM"), "combsum"),
        (("fuse", "--method", "weighted_sum"), "combsum"),
        (("fuse", "--norm", "zscore"), "z"),
        (("fuse", "--norm", "min_max"), "min-max"),
        (("online", "interleave", "--method", "teamdraft"), "team-draft"),
    ],
)
def test_what_is_near_is_said(irev, words, meant):
    refused(irev(*words, *TWO), f"'{words[-1]}' is not one of", f"; did you mean {meant!r}")


def test_what_metrics_of_clicks_are_near_is_said(irev):
    refused(
        irev("online", "ab", "--measure", "click", *TWO), "there is no 'click'", "; did you mean 'clicks' or 'first_"
    )


def test_where_nothing_is_near_the_names_are(irev):
    done = irev("fuse", "--method", "xyz", *TWO)
    refused(done, "'xyz' is not one of 'borda', 'combanz'")
    assert "did you mean" not in done.stderr
