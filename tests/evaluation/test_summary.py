"""The numbers for all queries: what a slow loop over kept values gives, to the last bit, however many queries are
evaluated at a time; and where nobody wants the values, none are kept."""

import math
import struct
import tracemalloc

import numpy as np
import pytest
from kinds import OF_GRADES

from irev.base.errors import InputError
from irev.base.settings import Settings
from irev.evaluation import result, scores
from irev.evaluation.result import in_groups
from irev.evaluation.scores import Column, Scores
from irev.measures import Request, parse
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.reading import in_memory

QUERIES = 30
CHANCE = np.random.default_rng(20)


def grade() -> int:
    return int(CHANCE.choice((-1, 0, 0, 1, 2, 3)))


def documents(most: int) -> list[str]:
    return [f"d{number}" for number in CHANCE.permutation(most)[: CHANCE.integers(1, most)]]


JUDGED = {f"q{query}": {document: grade() for document in documents(30)} for query in range(QUERIES + 9)}
RUN = {f"q{query}": {document: float(CHANCE.integers(12)) for document in documents(40)} for query in range(QUERIES)}


def rankings(**choices) -> Ranked:
    settings = Settings(**{"collection_size": 1000, **choices})
    judgments = in_memory.judgments(JUDGED, settings)
    return ranking.rank_blocks(judgments, in_memory.blocks(RUN, settings), "run", b"tag", settings)[0]


MORE = ("utility.1,-1,0,0", "nDCG(rel=2)", "P(judged_only=true)@7", "Judged(by=pooled)@5")
PLAIN = (*parse(OF_GRADES), *parse(MORE))
AGGREGATED = parse(
    ["map", "P.5", "num_ret", "success"], aggregates=("mean", "gmean", "median", "min", "sd", "q2.5", "sum")
)
BOUNDED = parse(["map", "P.5", "num_rel_ret"], bounds=True)


def slowly(found: Scores, column: Column) -> object:
    """The number for all queries by plain loops, in the order of the queries."""
    values, absent = column.values.tolist(), found.considered - len(found.queries)
    rule = column.request.measure.summary
    if column.request.aggregate:
        return aggregated(column.request.aggregate, [float(value) for value in values] + [0.0] * absent)
    if rule not in ("mean", "sum", "geometric mean", "judged relevant"):
        return {"queries": found.considered, "run tag": found.tag, "none": None}[rule]
    if column.weights is not None:
        weights = column.weights.tolist()
        return added(v * w for v, w in zip(values, weights, strict=True)) / (added(weights) or 1.0)
    if rule == "mean":
        return added(values) / found.considered
    if rule == "geometric mean":
        return math.exp((added(values) + absent * math.log(0.00001)) / found.considered)
    if rule == "judged relevant" and found.complete and column.request.plain:
        return found.positive_judgments
    return added(values)


def aggregated(name: str, values: list[float]) -> float:
    mean = added(values) / len(values)
    match name:
        case "sum":
            return added(values)
        case "mean":
            return mean
        case "gmean":
            return math.exp(added(math.log(max(value, 0.00001)) for value in values) / len(values))
        case "sd":
            return math.sqrt(added((value - mean) ** 2 for value in values) / (len(values) - 1))
    place = {"min": 0.0, "median": 0.5, "q2.5": 0.025}[name] * (len(values) - 1)
    low, high = sorted(values)[math.floor(place)], sorted(values)[math.ceil(place)]
    return low if low == high else low + (high - low) * (place - math.floor(place))


def added(values) -> float | int:
    total = 0
    for value in values:
        total += value
    return total


def bits(value: object) -> object:
    """What tells two numbers apart that differ in anything."""
    return struct.pack("d", value) if isinstance(value, float) else value


def named(requests: tuple[Request, ...], values) -> list[tuple[str, object]]:
    return [(request.label, bits(value)) for request, value in zip(requests, values, strict=True)]


@pytest.mark.parametrize("together", [1, 7, QUERIES - 1, QUERIES])
@pytest.mark.parametrize("choices", [{}, {"complete": True}, {"depth": 7, "level": 2.0}], ids=str)
@pytest.mark.parametrize("requests", [PLAIN, AGGREGATED, BOUNDED], ids=["plain", "aggregated", "bounded"])
@pytest.mark.thorough
def test_a_summary_has_the_last_bits_of_kept_values_added_in_order(requests, choices, together, monkeypatch):
    found = scores.evaluate(rankings(**choices), requests)
    expected = named(requests, [slowly(found, column) for column in found.columns])
    assert expected == named(requests, scores.summarise(found).values)

    monkeypatch.setattr(scores, "TOGETHER", together)
    of_none, in_parts = scores.evaluate_summary(rankings(**choices), requests)

    assert expected == named(requests, in_parts.values)
    assert [0] * len(requests) == [len(column.values) for column in of_none.columns]
    assert (found.queries, found.considered, found.tag) == (of_none.queries, of_none.considered, of_none.tag)


@pytest.mark.thorough
@pytest.mark.parametrize("together", [1, 7, QUERIES - 1])
def test_values_are_those_of_all_queries_at_once(together, monkeypatch):
    requests = (*PLAIN, *AGGREGATED)
    expected = scores.evaluate(rankings(complete=True), requests)
    monkeypatch.setattr(scores, "TOGETHER", together)
    found = scores.evaluate(rankings(complete=True), requests)

    for one, other in zip(expected.columns, found.columns, strict=True):
        assert one.values.dtype == other.values.dtype, one.request.label
        assert [bits(v) for v in one.values.tolist()] == [bits(v) for v in other.values.tolist()], one.request.label
        assert (one.weights is None) == (other.weights is None), one.request.label
    weighted = [
        (a.weights.tolist(), b.weights.tolist())
        for a, b in zip(expected.columns, found.columns, strict=True)
        if a.weights is not None
    ]
    assert weighted
    assert all(one == other for one, other in weighted)


def one_document_each(queries: int) -> Ranked:
    """Rankings of so many queries, each of one judged document."""
    whole = np.arange(queries)
    ones = np.ones(queries, dtype=np.int64)
    return Ranked(
        settings=Settings().uncut,
        queries=(b"q",) * queries,
        missing=np.zeros(queries, dtype=bool),
        retrieved=ones,
        owner=whole,
        rank=ones,
        grade=np.ones(queries),
        tie_first=ones,
        tie_last=ones,
        judged_owner=whole,
        judged_grade=np.ones(queries),
        considered=queries,
        positive_judgments=queries,
        highest_grade=1.0,
        tag=b"tag",
    )


@pytest.mark.thorough
def test_a_summary_takes_no_memory_for_each_query(monkeypatch):
    monkeypatch.setattr(scores, "TOGETHER", 1 << 10)
    ranked, requests = one_document_each(200_000), parse(())
    scores.evaluate_summary(ranked.part(0, 1), requests)  # what is made once is there

    tracemalloc.start()
    scores.evaluate_summary(ranked, requests)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < ranked.size * 8 * 2, "two of the columns, of which there are thirty"


def test_values_of_single_queries_are_kept_once(monkeypatch):
    monkeypatch.setattr(scores, "TOGETHER", 1 << 10)
    ranked, requests = one_document_each(200_000), parse(["map"], aggregates=("mean", "sum", "median"))
    scores.evaluate(ranked.part(0, 1), requests)

    tracemalloc.start()
    found = scores.evaluate(ranked, requests)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert {3} == {len(found.columns)}
    assert peak < ranked.size * 8 * 2, "one column for all three, and what some queries take"


def test_many_groups_take_each_query_once(monkeypatch):
    """A file of a megabyte has a group for each of some 50,000 queries: no group may look at all of them."""
    looked_at = []
    at = Scores.at
    monkeypatch.setattr(Scores, "at", lambda self, kept: looked_at.append(len(kept)) or at(self, kept))
    found = scores.evaluate(rankings(complete=True), parse(["map"]))
    groups = in_groups(found, {query: b"group of " + query for query in found.queries})
    assert [1] * len(found.queries) == looked_at
    assert [(query,) for query in found.queries] == [group.queries for group in groups]


def test_more_groups_than_are_summarised_are_refused(monkeypatch):
    monkeypatch.setattr(result, "MAX_GROUPS", 2)
    found = scores.evaluate(rankings(complete=True), parse(["map"]))
    in_groups(found, {b"1": b"a", b"2": b"b"})
    with pytest.raises(InputError, match="there are 3 groups of queries, and at most 2 are summarised"):
        in_groups(found, {b"1": b"a", b"2": b"b", b"3": b"c"})
