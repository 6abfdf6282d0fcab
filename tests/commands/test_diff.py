"""``irev diff``: the queries that changed most, and the documents whose contributions add up to the change."""

import csv
import gzip
import io
import json
import math
import random
import re
from pathlib import Path

import pytest
from conftest import ROOT
from outcomes import refused
from test_explain import GRADES, SUMS, single  # noqa: F401 - a fixture
from test_explain import kept as kept_of_explain

from irev.base.errors import InputError, UsageError
from irev.base.settings import Settings
from irev.evaluation.changes import changes, details
from irev.measures import parse
from irev.ranking import full
from irev.reading import qrels
from irev.reading.sources import Source

kept = kept_of_explain

SAMPLE = ROOT / "sample_data"
QRELS, SEMANTIC, KEYWORD = (str(SAMPLE / name) for name in ("qrels.txt", "semantic.run", "keyword.run"))


@pytest.fixture(scope="session")
def differ(tmp_path_factory):
    """``differ(judged, before, after, requests, depth, **choices)``: the `Changes`, and a `Detail` for each query."""
    folder = tmp_path_factory.mktemp("different")

    def differ(judged: bytes, before: bytes, after: bytes, requests, depth: int = 10, **choices):
        for name, content in (("qrels", judged), ("before", before), ("after", after)):
            (folder / name).write_bytes(content)
        chosen = Settings(**{"collection_size": 1000, "complete": True, **choices})
        requests = parse(requests) if isinstance(requests[0], str) else requests
        with Source(str(folder / "qrels")) as source:
            judgments = qrels.read(source, chosen)
        rankings, wholes = [], []
        for name in ("before", "after"):
            with Source(str(folder / name)) as source:
                ranked, _, _, whole = full.rank_keeping(judgments, source, chosen, judgments.queries)
            rankings.append(ranked)
            wholes.append(whole)
        found = changes(*rankings, requests)
        chosen_wholes = [{query: whole[query] for query in found.queries} for whole in wholes]
        return found, details(found, *rankings, *chosen_wholes, depth)

    return differ


QUERIES = (b"q1", b"q2", b"q3", b"q4", b"q5")


def random_files(seed: int) -> tuple[bytes, bytes, bytes]:
    """Judgments and two runs, with queries that one of them lacks, ties, negative grades and unjudged documents."""
    chance = random.Random(seed)
    documents = [b"d%02d" % number for number in range(20)]
    judged = b"".join(
        b"%b 0 %b %b\n" % (query, name, chance.choice(GRADES))
        for query in QUERIES
        for name in [*documents, b"m1"]
        if chance.random() < 0.5
    )
    runs = [
        b"".join(
            b"%b Q0 %b 1 %d %b\n" % (query, name, chance.randrange(12), tag)
            for query in QUERIES
            if query == b"q1" or chance.random() < 0.8
            for name in documents
            if chance.random() < 0.7
        )
        for tag in (b"before", b"after")
    ]
    return judged, runs[0], runs[1]


# What the changes are


def of(found, name: str) -> dict[bytes, tuple[float, float, float]]:
    return {
        query: tuple(values)
        for query, *values in zip(
            found.queries,
            found.before[:, 0].tolist(),
            found.after[:, 0].tolist(),
            found.change[:, 0].tolist(),
            strict=True,
        )
    }


JUDGED = b"a 0 x 1\nb 0 x 1\nc 0 x 1\nd 0 x 1\n"


def at_rank(query: bytes, rank: int) -> bytes:
    """A ranking with document x at a rank."""
    return b"".join(
        b"%b Q0 %b 1 %d t\n" % (query, b"x" if place == rank else b"n%d" % place, 100 - place) for place in range(1, 6)
    )


BEFORE = at_rank(b"a", 1) + at_rank(b"b", 2) + at_rank(b"c", 2) + at_rank(b"d", 1)
AFTER = at_rank(b"a", 4) + at_rank(b"b", 1) + at_rank(b"c", 2)


def test_queries_are_ordered_by_their_change_worst_first(differ):
    found, _ = differ(JUDGED, BEFORE, AFTER, ["AP"])

    assert {b"a": (1.0, 0.25, -0.75), b"b": (0.5, 1.0, 0.5), b"c": (0.5, 0.5, 0.0), b"d": (1.0, 0.0, -1.0)} == of(
        found, "AP"
    )
    assert [b"d", b"a", b"c", b"b"] == [found.queries[place] for place in found.order]
    assert ([b"d", b"a"], [b"b"]) == tuple(
        [found.queries[place] for place in places] for places in (found.worse, found.better)
    )
    assert (0.75, 0.4375) == (*found.all_before, *found.all_after)


def test_where_lower_is_better_a_rise_is_a_loss(differ):
    found, _ = differ(JUDGED, BEFORE, AFTER, ["SearchLength"])

    assert [b"d", b"a"] == [found.queries[place] for place in found.worse]
    assert (1.0, math.inf, math.inf) == of(found, "")[b"d"]


def test_what_is_infinite_in_both_has_not_changed(differ):
    found, _ = differ(b"a 0 x 1\na 0 y 0\n", b"a Q0 y 1 1 t\n", b"a Q0 z 1 1 t\n", ["SearchLength"])

    assert (math.inf, math.inf, 0.0) == of(found, "")[b"a"]
    assert ([], []) == (found.worse, found.better)


def test_a_missing_query_has_found_nothing_unless_only_common_ones_count(differ):
    every, _ = differ(JUDGED, BEFORE, AFTER, ["AP"])
    both, _ = differ(JUDGED, BEFORE, AFTER, ["AP"], complete=False)

    assert (b"a", b"b", b"c", b"d") == every.queries
    assert [False, False, False, True] == every.missing_after.tolist()
    assert [False, False, False, False] == every.missing_before.tolist()
    assert (b"a", b"b", b"c") == both.queries
    assert pytest.approx((2 / 3, 1.75 / 3)) == (*both.all_before, *both.all_after)


def test_runs_without_a_common_query_are_refused(differ):
    with pytest.raises(InputError, match="no query in common"):
        differ(JUDGED, at_rank(b"a", 1), at_rank(b"b", 1), ["AP"], complete=False)


def test_averaged_ties_and_texts_are_refused(differ):
    with pytest.raises(UsageError, match="no rank of their own"):
        differ(JUDGED, BEFORE, AFTER, ["AP"], ties="average")
    with pytest.raises(UsageError, match="are not numbers"):
        differ(JUDGED, BEFORE, AFTER, ["relstring"])


# What documents contribute


@pytest.mark.thorough
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"judged_only": True},
        {"depth": 4},
        {"depth": 6, "judged_only": True},
        {"level": 2.0},
        {"gains": ((0.0, 0.5), (1.0, 1.5), (2.0, 4.0), (3.0, 2.0))},
    ],
    ids=str,
)
def test_contributions_add_up_to_the_change_for_every_measure_that_is_a_sum(differ, single, choices):  # noqa: F811
    requests = [request for request in single if request.measure.numeric]
    found, each = differ(*random_files(1), requests, **choices)
    assert [detail.query for detail in each] == list(found.queries)
    sums = set()
    for detail in each:
        for number, request in enumerate(requests):
            contributions = [move.contributions[number] for move in detail.moves]
            change = float(found.change[detail.number, number])
            if None in contributions or not math.isfinite(change):
                continue
            sums.add(request)
            size = max(1.0, abs(found.before[detail.number, number]), abs(found.after[detail.number, number]))
            assert abs(math.fsum(contributions) - change) <= 1e-12 * size, (request.label, detail.query)
    assert len(sums) >= SUMS


def test_a_change_of_what_divides_the_sum_is_accounted_for(differ):
    """The share of pairs in order is divided by the number of relevant documents retrieved: one, and then two."""
    before = b"q Q0 n 1 9 t\nq Q0 a 1 8 t\n"
    after = b"q Q0 a 1 9 t\nq Q0 n 1 8 t\nq Q0 b 1 7 t\n"
    found, (detail,) = differ(b"q 0 a 1\nq 0 b 1\n", before, after, ["pair_accuracy"])

    assert [0.5] == found.change[:, 0].tolist()
    assert [(b"a", 2, 1, 0.5)] == [
        (move.document, move.before, move.after, *move.contributions)
        for move in detail.moves
        if any(move.contributions)
    ]

    found, (detail,) = differ(b"q 0 a 1\nq 0 b 1\n", after.replace(b"q Q0 b 1 7 t\n", b""), after, ["pair_accuracy"])

    assert [-0.5] == found.change[:, 0].tolist()
    assert [(b"a", 1, 1, -0.5)] == [
        (move.document, move.before, move.after, *move.contributions)
        for move in detail.moves
        if any(move.contributions)
    ]


@pytest.mark.parametrize("depth", [1, 3, 10, 100])
@pytest.mark.parametrize("seed", range(4))
def test_moves_are_those_that_a_loop_finds(differ, seed, depth):
    judged, before, after = random_files(seed)
    grades: dict[bytes, dict[bytes, float]] = {}
    for query, _, document, grade in map(bytes.split, judged.splitlines()):
        grades.setdefault(query, {})[document] = float(grade)

    def ranks(run: bytes, query: bytes) -> dict[bytes, int]:
        rows = [line.split() for line in run.splitlines() if line.startswith(query + b" ")]
        scores = {row[2]: int(row[4]) for row in rows}
        order = sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])
        return {document: rank for rank, document in enumerate(order, 1)}

    def event(old: float, new: float) -> str:
        if new <= depth < old:
            return "entered"
        if old <= depth < new:
            return "left"
        return "up" if new < old else "down" if old < new else "stayed"

    _, found = differ(judged, before, after, ["AP", "nDCG@3"], depth)
    for detail in found:
        old, new = ranks(before, detail.query), ranks(after, detail.query)
        mine = grades[detail.query]
        near = {document for document in {*old, *new} if min(old.get(document, 999), new.get(document, 999)) <= depth}
        moved = {document for document in near if old.get(document) != new.get(document)}
        contributing = {move.document for move in detail.moves if any(move.contributions)}
        assert moved | contributing == {move.document for move in detail.moves}
        assert all(mine.get(document, 0) > 0 for document in contributing)
        for move in detail.moves:
            where = old.get(move.document), new.get(move.document)
            assert where == (move.before, move.after)
            assert event(*(math.inf if rank is None else rank for rank in where)) == move.event(depth)
            assert mine.get(move.document) == (None if math.isnan(move.grade) else move.grade)
        weights = [abs(move.contributions[0]) for move in detail.moves]
        assert sorted(weights, reverse=True) == weights
        newcomers = [
            document
            for document, rank in new.items()
            if rank <= depth < old.get(document, 999) and mine.get(document, -1) < 0
        ]
        assert newcomers == [move.document for move in detail.newcomers]


# The command


def rows(outcome) -> list[dict[str, str]]:
    assert outcome.status == 0, outcome.stderr
    return list(csv.DictReader(io.StringIO(outcome.stdout.decode("utf-8", "surrogateescape"))))


def shown_queries(outcome) -> list[str]:
    """The queries of the first table, in its order."""
    assert outcome.status == 0, outcome.stderr
    table = outcome.stdout.decode().partition("Queries by change")[2].partition("all queries")[0]
    return [line.split()[0] for line in table.splitlines() if line.startswith("q") and not line.startswith("query")]


def test_values_are_those_that_eval_prints(irev):
    found = rows(irev("diff", QRELS, SEMANTIC, KEYWORD, "-mAP", "-fcsv", "--digits", "exact"))
    for side, run in (("before", SEMANTIC), ("after", KEYWORD)):
        printed = irev("eval", QRELS, run, "-c", "-q", "-n", "-mAP", "--digits", "exact").stdout.decode()
        expected = {query: value for _, query, value in map(str.split, printed.splitlines())}
        assert expected == {row["query"]: row[side] for row in found if not row["document"]}


@pytest.mark.thorough
def test_the_worst_and_the_best_queries_are_shown_and_the_rest_is_counted(irev):
    every = irev("diff", QRELS, SEMANTIC, KEYWORD)
    few = irev("diff", QRELS, SEMANTIC, KEYWORD, "--limit", "1")
    best = irev("diff", QRELS, SEMANTIC, KEYWORD, "--limit", "2", "--best")
    none = irev("diff", QRELS, SEMANTIC, KEYWORD, "--limit", "0")

    assert ["q6", "q4", "q2", "q5", "q1", "q3"] == shown_queries(every)
    assert (["q6", "q3"], ["q3", "q6", "q4"], []) == (shown_queries(few), shown_queries(best), shown_queries(none))
    assert b"nDCG@10 of 7 queries: 5 worse, 1 better, 1 unchanged.\n" in every.stdout
    assert b"Not in the list" not in every.stdout
    assert b"Not in the list: 4 of those that got worse, 0 of those that got better.\n" in few.stdout


def test_queries_that_are_asked_for_are_shown_in_that_order(irev):
    found = irev("diff", QRELS, SEMANTIC, KEYWORD, "--query", "q7", "--query", "q1", "--query", "q7")

    assert ["q7", "q1"] == shown_queries(found)


def test_the_first_measure_that_is_given_says_what_is_worse(irev):
    """Though trec_eval prints average precision before nDCG."""
    found = json.loads(irev("diff", QRELS, SEMANTIC, KEYWORD, "-mnDCG@10", "-mAP", "-mRR", "-fjson").stdout)

    assert ["nDCG@10", "AP", "RR"] == [measure["standard"] for measure in found["measures"]]
    assert sorted(query["change"][0] for query in found["queries"]) == [
        query["change"][0] for query in found["queries"]
    ]


def test_on_a_narrow_screen_every_part_of_the_table_begins_with_the_queries(irev, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    shown = irev("diff", QRELS, SEMANTIC, KEYWORD, "-m", "AP", "-m", "RR", "--limit", "1").stdout.decode()
    parts = [line.split() for line in shown.splitlines() if line.startswith("query")]
    assert len(parts) > 1
    assert 1 == sum("before" in part for part in parts)


def test_measures_that_are_no_sums_are_named(irev):
    said = "no sum over ranks: the change cannot be shared out among documents."
    for measures, named in (
        (("nDCG@10",), ""),
        (("nDCG@10", "RR"), "RR is "),
        (("RR", "AP", "Judged"), "RR, Judged are "),
    ):
        words = [word for name in measures for word in ("-m", name)]
        text = " ".join(irev("diff", QRELS, SEMANTIC, KEYWORD, *words).stdout.decode().split())
        assert (named != "") == (f"{named}{said}" in text), measures
        assert bool(named) == (said in text)


def test_a_change_has_the_colour_of_what_it_is_and_none_where_there_is_none(irev):
    """A fall of a search length is for the better."""

    def tones(*arguments: str) -> set[tuple[str, str]]:
        page = irev("diff", "-fhtml", *arguments).stdout.decode()
        cells = re.findall(r'<td class="number([^"]*)">([-+0][^<]*)', page)
        return {(tone.strip(), text[0]) for tone, text in cells} - {("quiet", "-"), ("quiet", "+")}  # of no known grade

    assert {("bad", "-"), ("good", "+"), ("", "0")} >= tones("-mAP", QRELS, KEYWORD, SEMANTIC)
    assert {("bad", "+"), ("good", "-"), ("", "0")} >= tones("-mSearchLength", QRELS, KEYWORD, SEMANTIC)
    assert {("", "0")} == tones("-mAP", QRELS, KEYWORD, KEYWORD)


def test_the_table_says_where_lower_is_better(irev):
    lower, higher = (irev("diff", QRELS, SEMANTIC, KEYWORD, "-m", name).stdout for name in ("SearchLength", "RR"))

    assert b"\nQueries by change in SearchLength, lower is better\n" in lower
    assert b"\nQueries by change in RR\n" in higher


def test_the_contributions_that_are_shown_add_up_to_the_change(irev):
    found = rows(irev("diff", QRELS, SEMANTIC, KEYWORD, "-mnDCG@10", "-mAP", "-fcsv", "--digits", "exact"))
    of_queries = {(row["query"], row["measure"]): float(row["change"]) for row in found if not row["document"]}
    summed = dict.fromkeys(of_queries, 0.0)
    for row in found:
        if row["document"]:
            summed[row["query"], row["measure"]] += float(row["change"])

    assert pytest.approx(of_queries, abs=1e-12) == summed


def test_a_short_list_says_what_the_rest_changes_and_all_shows_it(irev):
    command = ("diff", QRELS, SEMANTIC, KEYWORD, "--query", "q4", "-mAP")
    short, whole = (irev(*command, *extra).stdout.decode() for extra in (("--top=1",), ("--all",)))

    assert "… 5 more" in short
    assert "-0.1667\ntogether" in short
    assert "more" not in whole
    assert all(name in whole for name in ("d14", "d13", "d16", "d01", "d15"))


def test_documents_without_a_judgment_that_entered_are_listed_for_judging(irev, tmp_path):
    target = tmp_path / "to-judge"
    found = irev("diff", QRELS, KEYWORD, SEMANTIC, "--unjudged", str(target))

    assert found.status == 0, found.stderr
    assert "q3 d04 4\n" in target.read_text()
    assert "Unjudged and new in the first 10: d01 (rank 4)." in irev("diff", QRELS, SEMANTIC, KEYWORD).stdout.decode()

    irev("diff", QRELS, KEYWORD, SEMANTIC, "--unjudged", str(target), "--pool-depth", "1")
    assert target.read_text() == "q3 d25 1\n"


def test_a_run_may_come_from_standard_input_or_be_compressed_or_scattered(irev, write, tmp_path):
    expected = irev("diff", QRELS, SEMANTIC, KEYWORD, "-fcsv").stdout
    content = Path(SEMANTIC).read_bytes()
    scattered = content.splitlines(keepends=True)
    random.Random(1).shuffle(scattered)
    packed, mixed = write(gzip.compress(content), "run.gz"), write(b"".join(scattered), "mixed")

    assert expected == irev("diff", QRELS, "-", KEYWORD, "-fcsv", stdin=content).stdout
    assert expected == irev("diff", QRELS, "-", KEYWORD, "-fcsv", stdin=b"".join(scattered)).stdout
    assert expected == irev("diff", "-", SEMANTIC, KEYWORD, "-fcsv", stdin=Path(QRELS).read_bytes()).stdout
    assert expected == irev("diff", QRELS, packed, KEYWORD, "-fcsv").stdout
    assert expected == irev("diff", QRELS, mixed, KEYWORD, "-fcsv").stdout


def test_a_run_from_a_pipe_is_read_twice(process):
    expected = process("diff", QRELS, SEMANTIC, KEYWORD, "-fcsv").stdout

    assert expected == process("diff", QRELS, SEMANTIC, "-", "-fcsv", stdin=Path(KEYWORD).read_bytes()).stdout


def test_options_of_reading_hold_in_both_passes(irev, write):
    judged = write(b"q 0 a 1\nq 0 b 2\n", "judged")
    before = write(b"q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 9 t\n", "before")
    after = write(b"q Q0 b 1 3 t\nq Q0 a 2 3 t\n", "after")
    command = ("diff", judged, before, after, "-mnDCG@10", "-fcsv")

    def ranks(*options: str) -> dict[str, tuple[str, str]]:
        found = rows(irev(*command, *options))
        return {row["document"]: (row["rank_before"], row["rank_after"]) for row in found if row["document"]}

    assert {"a": ("1", "2"), "b": ("2", "1")} == ranks("--duplicates", "first")
    assert {} == ranks("--duplicates", "best", "--ties", "docid-asc")
    assert {"a": ("1", "2"), "b": ("2", "1")} == ranks("--duplicates", "best", "--order", "rank")
    assert "document 'a' is retrieved twice for query 'q' (first on line 1)" in irev(*command).stderr


def test_a_query_that_both_runs_lack_has_nothing_to_show(irev, write):
    judged = write(b"q 0 a 1\nr 0 a 1\n", "judged")
    run = write(b"q Q0 a 1 1 t\n", "run")
    found = " ".join(irev("diff", judged, run, run, "--query", "r").stdout.decode().split())

    assert "r: nDCG@10 0.0000 → 0.0000 (0.0000)" in found
    assert 2 == found.count("has no results for")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-", "-"), "only one of the files can be standard input"),
        ((SEMANTIC,), "missing argument 'B'"),
        ((SEMANTIC, KEYWORD, "--query", "q9"), "query 'q9' has no judgments"),
        ((SEMANTIC, KEYWORD, "--query", "q6", "--queries", "both"), "query 'q6' is left out"),
        ((SEMANTIC, KEYWORD, "-mrelstring"), "are not numbers"),
        ((SEMANTIC, KEYWORD, "--ties", "average"), "no rank of their own"),
        ((SEMANTIC, KEYWORD, "-o", SEMANTIC), "is an input"),
        ((SEMANTIC, KEYWORD, "--unjudged", KEYWORD), "is an input"),
        ((SEMANTIC, "nowhere"), "there is no such file"),
        ((SEMANTIC, KEYWORD, "--pool-depth", "0"), "'0' is not a whole number of 1 or more"),
    ],
)
def test_wrong_usage_is_refused(irev, words, said):
    refused(irev("diff", QRELS, *words), said)
