"""``irev online interleave``: every way against `reference_interleaving`, what clicks at random are worth by
enumeration of all that chance can lead to, what decides a draw, and what is refused."""

import csv
import json
import re
import subprocess
import sys
from collections import defaultdict
from itertools import chain, combinations, permutations
from math import isclose
from pathlib import Path

import numpy as np
import pytest
import reference_interleaving as reference
from conftest import ROOT, environment, nested
from outcomes import refused
from reference_interleaving import credit, outcomes

import irev as package
from irev.base.errors import UsageError
from irev.extensions.clicks.online.interleave import METHODS, Interleaved

SAMPLE = ROOT / "sample_data"
HYBRID, KEYWORD, SEMANTIC = (str(SAMPLE / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))
WAYS = tuple(METHODS)


def ids(text: str) -> list[bytes]:
    return [letter.encode() for letter in text]


def draws(method: str, a: str, b: str, length: int) -> list[tuple[float, Interleaved]]:
    """Every list that two rankings of one-letter ids can become, with its probability."""
    draw = METHODS[method].draw
    return [*outcomes(lambda chance: draw(ids(a), ids(b), length, chance))]


def positions_of(size: int) -> list[tuple[int, ...]]:
    """Every set of positions, none aside."""
    return [*chain.from_iterable(combinations(range(1, size + 1), count) for count in range(1, size + 1))]


RANKINGS = ["".join(letters) for size in (1, 2, 3) for letters in permutations("wxyz", size)]
"""Every ranking of up to three of four documents."""

FEW = [
    ("xyz", "yzx"),
    ("xy", "y"),
    ("x", "xyz"),
    ("xyz", "wy"),
    ("wxyz", "yx"),
    ("xyz", "xyz"),
    ("x", "x"),
    ("xy", "wz"),
]


# Lists


def test_a_new_way_is_a_module_and_nothing_else():
    assert ("probabilistic", "team-draft") == WAYS


@pytest.mark.parametrize(("a", "b"), [("xyz", "yzx"), ("wxyz", "zyxw"), ("xy", "wz"), ("wxy", "wyz")])
def test_team_draft_is_that_of_its_paper_while_both_runs_last(a, b):
    for probability, found in draws("team-draft", a, b, 4):
        coins = [team == "A" for team in found.teams[::2]]
        documents, teams = reference.team_draft(a, b, coins)

        assert isclose(2 ** -len(coins), probability)
        assert documents == [each.decode() for each in found.documents][: len(documents)]
        assert teams == [*found.teams[: len(teams)]]
        assert len(teams) >= len(found.teams) - 1, "the paper ends with a run, and here the round is completed"


@pytest.mark.parametrize(("a", "b", "length"), [("xyz", "yzx", 2), ("wxyz", "zy", 1), ("wxyz", "ywzx", 3)])
def test_probabilistic_is_that_of_its_paper(a, b, length):
    expected, found = defaultdict(float), defaultdict(float)
    for probability, documents, teams in reference.probabilistic(a, b, length):
        expected[documents, teams] += probability
    for probability, shown in draws("probabilistic", a, b, length):
        found[tuple(each.decode() for each in shown.documents), shown.teams] += probability

    assert pytest.approx(dict(expected), abs=1e-14) == dict(found)


@pytest.mark.parametrize(
    ("a", "b", "length"), [("xyz", "yzx", 3), ("wxyz", "ywzx", 3), ("xy", "y", 2), ("wxy", "zy", 4)]
)
def test_shares_are_the_probabilities_of_teams_given_the_list(a, b, length):
    """By Bayes, of all ways in which a list can come about."""
    ways: dict = defaultdict(list)
    for probability, shown in draws("probabilistic", a, b, length):
        ways[shown.documents].append((probability, shown))
    for found in ways.values():
        whole = sum(probability for probability, _ in found)
        for place, share in enumerate(found[0][1].shares):
            of_a = sum(probability for probability, shown in found if shown.teams[place] == "A") / whole
            if share is None:
                assert {None} == {shown.teams[place] for _, shown in found}
            else:
                assert pytest.approx(of_a, abs=1e-12) == share


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize(("a", "b"), FEW)
@pytest.mark.parametrize("length", [1, 2, 3, 9])
def test_a_list_has_every_document_once_and_as_many_as_are_asked_for(method, a, b, length):
    found = draws(method, a, b, length)

    assert pytest.approx(1) == sum(probability for probability, _ in found)
    for _, shown in found:
        assert min(length, len({*a, *b})) == len(shown.documents) == len({*shown.documents}) == len(shown.teams)
        for document, team in zip(shown.documents, shown.teams, strict=True):
            assert document in ids({"A": a, "B": b, None: a + b}[team])


def test_what_is_left_when_a_run_ends_is_nobodys():
    """B has one document: after it, which is A's best too, no round has a second pick whoever begins."""
    for _, shown in draws("team-draft", "xyz", "x", 3):
        assert (b"x", b"y", b"z") == shown.documents
        assert (None, None) == shown.teams[1:]


# Clicks at random


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("run", ["x", "xy", "xyz", "wxyz"])
def test_whatever_is_clicked_is_worth_the_same_to_equal_runs(method, run):
    for length in range(1, 4):
        found = draws(method, run, run, length)
        for positions in positions_of(min(length, len(run))):
            worth = [(probability, *credit(shown, positions)) for probability, shown in found]
            assert pytest.approx(0, abs=1e-12) == sum(probability * (a - b) for probability, a, b in worth)
            if method != "team-draft":
                assert all(isclose(a, b) for _, a, b in worth), "and so it is in every single list"


def expected_by_position(method: str, a: str, b: str, length: int) -> list[tuple[float, float]]:
    """What a click at each position is worth to A and to B over all draws."""
    found = draws(method, a, b, length)
    worths = [[(p * x, p * y) for p, shown in found for x, y in [credit(shown, [place])]] for place in positions(found)]
    return [(sum(x for x, _ in each), sum(y for _, y in each)) for each in worths]


def positions(found: list[tuple[float, Interleaved]]) -> range:
    return range(1, len(found[0][1].documents) + 1)


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize(("a", "b"), FEW)
def test_a_click_at_any_position_is_worth_the_same_to_both_over_all_draws(method, a, b):
    """So are all clicks that depend on positions alone, since by these ways what a click is worth does not depend on
    others: whatever the runs, and where one of them ends before the list does."""
    for length in range(1, 6):
        for of_a, of_b in expected_by_position(method, a, b, length):
            assert pytest.approx(of_a, abs=1e-12) == of_b


@pytest.mark.thorough
@pytest.mark.parametrize("method", WAYS)
def test_that_holds_of_all_short_runs(method):
    pairs = [(a, b) for a in RANKINGS if [*a] == sorted(a) for b in RANKINGS]
    assert 14 * 40 == len(pairs), "up to what documents are called"
    for a, b in pairs:
        for of_a, of_b in expected_by_position(method, a, b, 4):
            assert pytest.approx(of_a, abs=1e-12) == of_b, (a, b)


@pytest.mark.parametrize("method", WAYS)
def test_of_two_runs_that_go_on_half_of_every_click_is_worth_something_to_each(method):
    assert [pytest.approx((0.5, 0.5))] * 3 == expected_by_position(method, "wxyz", "zyxw", 3)


def signs(method: str, a: str, b: str, length: int) -> float:
    """The probability that a random click is worth more to A in the list at hand, less that it is to B."""
    found = [
        (probability, *credit(shown, [position]))
        for probability, shown in draws(method, a, b, length)
        for position in range(1, len(shown.documents) + 1)
    ]
    return sum(probability * ((a > b) - (a < b)) for probability, a, b in found) / min(length, len({*a, *b}))


@pytest.mark.parametrize("run", ["wxyz", "xwzy", "zyxw", "yzwx", "wxy", "vwu"])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_by_team_draft_lists_are_won_as_often_by_either_where_no_run_ends(run, length):
    """Whatever positions are clicked: teams depend on coins alone."""
    found = draws("team-draft", "wxyz", run, length)
    assert not any(None in shown.teams for _, shown in found)
    for positions in positions_of(length):
        worth = [(probability, *credit(shown, positions)) for probability, shown in found]
        assert 0 == sum(probability * ((a > b) - (a < b)) for probability, a, b in worth)


def test_signs_of_shares_are_biased_though_their_mean_is_not():
    """What counts wins of single lists counts more of them for one of the runs, by a clicker who clicks at random."""
    assert pytest.approx(0, abs=1e-12) == signs("team-draft", "xyz", "yzx", 3)
    assert 0.45 == round((1 + signs("probabilistic", "xyz", "yzx", 1)) / 2, 2)


# What decides a draw


def lists(outcome) -> dict[str, dict]:
    """The lines that were printed, by query."""
    assert 0 == outcome.status, outcome.stderr
    found = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert sorted(each["query"] for each in found) == [each["query"] for each in found]
    return {each["query"]: each for each in found}


@pytest.mark.parametrize("method", WAYS)
def test_a_draw_depends_on_the_seed_and_the_query_alone(irev, tmp_path, method):
    whole = lists(irev("online", "interleave", "--method", method, HYBRID, SEMANTIC))
    for path, name in ((HYBRID, "a"), (SEMANTIC, "b")):
        rows = [line for line in Path(path).read_text().splitlines(keepends=True) if line[:2] in ("q2", "q5")]
        (tmp_path / name).write_text("".join(sorted(rows, reverse=True)))
    some = lists(irev("online", "interleave", "--method", method, str(tmp_path / "a"), str(tmp_path / "b")))

    assert {query: whole[query] for query in ("q2", "q5")} == some
    other = lists(irev("online", "interleave", "--method", method, "--seed", "1", HYBRID, SEMANTIC))
    assert whole != other
    assert other == lists(irev("online", "interleave", "--method", method, "--seed", "1", HYBRID, SEMANTIC))


@pytest.mark.parametrize("method", WAYS)
def test_another_process_draws_the_same(irev, method):
    done = subprocess.run(
        [sys.executable, "-m", "irev", "online", "interleave", "--method", method, HYBRID, SEMANTIC],
        capture_output=True,
        env=environment(PYTHONHASHSEED="7"),
    )
    assert irev("online", "interleave", "--method", method, HYBRID, SEMANTIC).stdout == done.stdout


def test_documents_stand_in_the_order_of_irev(irev, tmp_path):
    """Equal scores by id, highest first."""
    (tmp_path / "a").write_bytes(b"1 Q0 x 1 5 t\n1 Q0 y 2 5 t\n1 Q0 z 3 5 t\n")
    found = irev("online", "interleave", *(f"{name}={tmp_path / 'a'}" for name in "ab"))
    assert ["z", "y", "x"] == lists(found)["1"]["documents"]


def test_within_cuts_what_is_drawn_from(irev):
    found = lists(
        irev("online", "interleave", "--method", "probabilistic", "--within", "2", "--seed", "3", HYBRID, SEMANTIC)
    )
    firsts = {
        query: {*each["documents"]}
        for query, each in lists(irev("online", "interleave", "--length", "2", HYBRID, SEMANTIC)).items()
    }
    assert all(len(each["documents"]) <= 4 for each in found.values())
    assert any(firsts[query] <= {*each["documents"]} for query, each in found.items())


# What is written and said


@pytest.mark.thorough
@pytest.mark.parametrize("method", WAYS)
def test_every_style_for_programs_has_the_same_lists(irev, tmp_path, method):
    from pyarrow import parquet

    expected = [*lists(irev("online", "interleave", "--method", method, HYBRID, KEYWORD)).values()]
    record = json.loads(irev("online", "interleave", "--method", method, "-f", "json", HYBRID, KEYWORD).stdout)
    head = {"method": method, "a": "hybrid", "b": "keyword"}
    irev("online", "interleave", "--method", method, "-o", str(tmp_path / "x.parquet"), HYBRID, KEYWORD)
    table = csv.DictReader(
        irev("online", "interleave", "--method", method, "-f", "csv", HYBRID, KEYWORD).stdout.decode().splitlines()
    )

    def cell(value):
        return value if isinstance(value, str) else " ".join("-" if each is None else str(each) for each in value)

    assert expected == [head | each for each in record["queries"]]
    assert expected == parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert [{name: cell(value) for name, value in each.items()} for each in expected] == [*table]


def test_fields_of_text_refuse_an_id_that_would_be_two(irev, tmp_path):
    for document, why in (("x y", "there is a blank in it"), ("-", "it means that there is no value")):
        run = [{"query_id": "1", "doc_id": document, "score": 1}]
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in run))
        arguments = ("online", "interleave", *(f"{name}={tmp_path / 'a.jsonl'}" for name in "ab"))
        for style in ("csv", "tsv"):
            refused(irev(*arguments, "-f", style), f"cannot have '{document}': {why}; use -f jsonl or -f parquet")
        assert [document] == lists(irev(*arguments))["1"]["documents"]


@pytest.mark.parametrize("method", WAYS)
def test_python_makes_the_same_lists_of_files_and_of_what_is_in_memory(irev, method):
    expected = [*lists(irev("online", "interleave", "--method", method, "--length", "4", HYBRID, SEMANTIC)).values()]
    files = package.interleave(HYBRID, SEMANTIC, method=method, length=4)
    found = package.interleave(nested(HYBRID, 4), nested(SEMANTIC, 4), method=method, length=4)

    assert ("hybrid", "semantic", "A", "B") == (files.a, files.b, found.a, found.b)
    assert expected == json.loads(json.dumps(files.to_pandas().to_dict("records")))
    assert files.lists == found.lists
    assert "8 lists, each for its query" in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("choices", "fact"),
    [
        ({"method": "draft"}, "'draft' is no value of method; did you mean 'team-draft'"),
        ({"within": 3}, "within has no effect without method='probabilistic'"),
        ({"ties": "average"}, "no rank of their own"),
    ],
)
def test_python_refuses_the_same(choices, fact):
    with pytest.raises(UsageError, match=fact):
        package.interleave(HYBRID, SEMANTIC, **choices)
    with pytest.raises(TypeError, match="level"):
        package.interleave(HYBRID, SEMANTIC, level=2)


def test_queries_of_one_run_are_named_and_left_out(irev):
    done = irev("online", "interleave", HYBRID, KEYWORD)

    assert "irev: warning: query q6 is not in all of the runs and is left out\n" == done.stderr
    assert "q6" not in lists(done)
    assert ["q6"] == json.loads(irev("online", "interleave", "-f", "json", HYBRID, KEYWORD).stdout)["left_out"]


def test_what_cannot_be_interleaved_is_refused(irev, tmp_path):
    (tmp_path / "other").write_bytes(b"x1 Q0 a 1 1 t\n")
    refused(irev("online", "interleave", HYBRID), "missing argument 'B'")
    refused(irev("online", "interleave", HYBRID, KEYWORD, SEMANTIC), "got unexpected extra argument")
    refused(
        irev("online", "interleave", HYBRID, str(tmp_path / "other")),
        "the runs have no query in common: it has 'x1', hybrid has 'q1'",
    )
    refused(irev("online", "interleave", "--length", "0", HYBRID, KEYWORD), "'0' is not a whole number of 1 or more")
    refused(irev("online", "interleave", "--method", "draft", HYBRID, KEYWORD), "'draft' is not one of")
    refused(irev("online", "interleave", HYBRID, str(tmp_path / "none")), "none")


@pytest.mark.parametrize("name", [" a", "a ", "a\x1b[31mb", "a\nb", "\x7f", "\udc80"])
def test_a_name_that_no_log_may_have_is_refused(irev, name):
    """`irev online preference` would refuse lists and logs in which runs are called so."""
    runs = [str(ROOT / "sample_data" / f"{run}.run") for run in ("hybrid", "keyword")]
    done = irev("online", "interleave", f"{name}={runs[0]}", runs[1])
    refused(done, "contains a control character, or has a blank at an end")


# Several lists of a query


@pytest.mark.parametrize("method", WAYS)
def test_the_first_of_several_draws_is_the_only_one_of_one(method):
    one, three = (package.interleave(HYBRID, KEYWORD, method=method, draws=draws) for draws in (1, 3))
    assert one.lists == three.lists
    assert {query: (of,) for query, of in one.lists.items()} == one.drawn
    assert {query: of[0] for query, of in three.drawn.items()} == one.lists
    assert {3} == {len(of) for of in three.drawn.values()}


def test_several_draws_stand_together_and_differ(irev):
    made = irev("online", "interleave", "--draws", "40", HYBRID, KEYWORD)
    rows = [json.loads(line) for line in made.stdout.splitlines()]
    queries = [row["query"] for row in rows]
    assert sorted(queries) == queries
    assert {40} == {queries.count(query) for query in queries}
    # Four of the five documents of q1 have a team, which two coins decide about.
    assert 4 == len({json.dumps(row) for row in rows if row["query"] == "q1"})
    record = json.loads(irev("online", "interleave", "--draws", "2", "-f", "json", HYBRID, KEYWORD).stdout)
    assert (2, rows[1]["teams"]) == (record["draws"], record["queries"][1]["teams"])


def test_draws_that_are_none_are_refused(irev):
    assert "--draws" in irev("online", "interleave", "--draws", "0", HYBRID, KEYWORD).stderr
    with pytest.raises(UsageError, match="draws"):
        package.interleave(HYBRID, KEYWORD, draws=0)


@pytest.mark.parametrize("method", WAYS)
def test_lists_of_a_query_are_the_same_no_more_often_than_coins_allow(method):
    """Over all that can be drawn: a list with k teams comes from so many coins at least, each with its own lists."""
    coins = METHODS[method].coins
    for a, b in FEW:
        found = defaultdict(float)
        for probability, of in draws(method, a, b, 4):
            found[of] += probability
        for of, probability in found.items():
            teams = np.array([sum(team is not None for team in of.teams)])
            assert probability <= 0.5 ** coins(teams)[0] + 1e-12


# For people


def test_a_draft_is_shown_round_by_round(irev, tmp_path):
    for name, documents in (("A", "xyz"), ("B", "ywx")):
        lines = (f"q Q0 {document} 1 {9 - rank} {name}\n" for rank, document in enumerate(documents))
        (tmp_path / name).write_text("".join(lines))
    for seed in range(9):
        words = ("online", "interleave", str(tmp_path / "A"), str(tmp_path / "B"), "--length", "4", "--seed", str(seed))
        made = json.loads(irev(*words).stdout)
        text = irev(*words, "-f", "table").stdout.decode()
        rows = re.findall(r"^(?:(\d): (A|B) first)? +(\d)  (\w) +(A|B|nobody) +(\S+) +(\S+)$", text, re.MULTILINE)

        assert made["documents"] == [document for *_, document, _, _, _ in rows]
        assert [team or "nobody" for team in made["teams"]] == [team for *_, team, _, _ in rows]
        for place, (number, first, _, document, team, *ranks) in enumerate(rows):
            assert [str(1 + run.find(document)) if document in run else "–" for run in ("xyz", "ywx")] == ranks
            if team != "nobody":
                begins = place % 2 == 0
                assert (str(place // 2 + 1), team) == (number, first) if begins else (number, first) == ("", "")


@pytest.mark.parametrize("method", WAYS)
def test_lists_beyond_some_are_counted(irev, method):
    done = irev("online", "interleave", HYBRID, KEYWORD, "--method", method, "-f", "table")
    text = done.stdout.decode()

    assert 5 == text.count("\nQuery ")
    assert "The first 5 of 7 lists; -f jsonl has all." in text
    assert ("round" in text) == (method == "team-draft")
