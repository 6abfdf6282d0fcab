"""What changed between two runs: which queries, and which documents made them change.

Every query has a change in each measure. For a measure that is a sum over ranks, the change of a query is the sum of
what its documents changed: each has a share of the value before and a share after, ``times · term / over``, and what it
contributes is the difference of the two. So what divides the sum is accounted for, and nothing is left over.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irev.base.records import cached_property, dataclass
from irev.base.segments import Bools, Floats, difference, values_on
from irev.evaluation.result import common_queries
from irev.evaluation.scores import Scores, Summarised, evaluate, require_ranks, summarise, terms
from irev.measures import Request
from irev.measures.measure import part_of
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked


@dataclass(frozen=True, eq=False)
class Changes:
    """The values of two runs, the earlier one and the later one, on the same queries.

    Attributes
    ----------
    requests : tuple of Request, length m
        The measures; the first one says what is worse.
    queries : tuple of bytes, length q
        In the order of their bytes.
    before, after : float (q, m)
        Their values.
    missing_before, missing_after : bool (q,)
        Queries that the run has no results for.
    all_before, all_after : tuple, length m
        The values for all queries, None for a measure that has none.
    """

    requests: tuple[Request, ...]
    queries: tuple[bytes, ...]
    before: Floats
    after: Floats
    missing_before: Bools
    missing_after: Bools
    all_before: tuple[Summarised, ...]
    all_after: tuple[Summarised, ...]

    @cached_property
    def change(self) -> Floats:
        """(q, m) After less before; 0 where the two are the same infinity."""
        return difference(self.after, self.before)

    def merit(self, number: int = 0) -> Floats:
        """(q,) The change in one of the measures, above 0 where the later run is better."""
        change: Floats = self.change[:, number]
        return -change if self.requests[number].better == "lower" else change

    @cached_property
    def order(self) -> list[int]:
        """The queries, the one that lost most first; those whose change is not a number last."""
        merit = self.merit().tolist()
        return sorted(range(len(merit)), key=lambda i: (math.isnan(merit[i]), merit[i]))

    @cached_property
    def worse(self) -> list[int]:
        """The queries that lost, the one that lost most first."""
        merit = self.merit()
        return [i for i in self.order if merit[i] < 0]

    @cached_property
    def better(self) -> list[int]:
        """The queries that won, the one that won most first."""
        merit = self.merit()
        return [i for i in reversed(self.order) if merit[i] > 0]


class Move(NamedTuple):
    """A document of one query.

    Attributes
    ----------
    document : bytes
    grade : float
        NaN where the judgments do not name it.
    before, after : int or None
        Its ranks; None where it was not retrieved.
    contributions : tuple of (float or None)
        How much of the change of each measure is its doing; None for a measure that is no sum over ranks.
    """

    document: bytes
    grade: float
    before: int | None
    after: int | None
    contributions: tuple[float | None, ...]

    def event(self, depth: int) -> str:
        """What became of it: it ``entered`` or ``left`` the first `depth`, went ``up`` or ``down``, or ``stayed``."""
        before, after = (math.inf if rank is None else rank for rank in (self.before, self.after))
        if before > depth >= after:
            return "entered"
        if after > depth >= before:
            return "left"
        return "stayed" if before == after else "up" if after < before else "down"


@dataclass(frozen=True, eq=False)
class Detail:
    """What changed in one query.

    Attributes
    ----------
    number : int
        Which of the queries of `Changes`.
    query : bytes
    moves : tuple of Move
        The documents that contribute to a change, and those that were or are among the first and moved, entered or
        left; the largest contribution to the first measure first.
    newcomers : tuple of Move
        Documents without a judgment that entered the first ranks, in their order.
    """

    number: int
    query: bytes
    moves: tuple[Move, ...]
    newcomers: tuple[Move, ...]


def changes(before: Ranked, after: Ranked, requests: Iterable[Request]) -> Changes:
    """The change of every query that both evaluations have.

    Raises
    ------
    UsageError
        For a measure whose values are not numbers, and where ties are averaged: documents of a tie have no place then
        that they could move from.
    InputError
        When they have no query in common.
    """
    requests = tuple(requests)
    require_ranks(requests, before.settings)
    queries = tuple(sorted(common_queries([before.queries, after.queries])[0]))
    of_both = [_on(evaluate(ranked, requests), queries) for ranked in (before, after)]
    values = [
        np.array([column.values for column in scores.columns], dtype=np.float64).reshape(len(requests), -1).T
        for scores in of_both
    ]
    missing = [values_on(ranked.missing, ranked.queries, queries) for ranked in (before, after)]
    summaries = [summarise(scores).values for scores in of_both]
    return Changes(requests, queries, values[0], values[1], missing[0], missing[1], summaries[0], summaries[1])


def _on(scores: Scores, queries: tuple[bytes, ...]) -> Scores:
    if tuple(scores.queries) == queries:
        return scores
    wanted = set(queries)
    return scores.of([query in wanted for query in scores.queries])


def details(
    found: Changes,
    before: Ranked,
    after: Ranked,
    whole_before: Mapping[bytes, FullRanking],
    whole_after: Mapping[bytes, FullRanking],
    depth: int,
) -> tuple[Detail, ...]:
    """What changed in the queries whose full rankings are given, in the order of these.

    Parameters
    ----------
    found : Changes
    before, after : Ranked
        What these were made of.
    whole_before, whole_after : mapping of bytes to FullRanking
        The full rankings of the same queries.
    depth : int
        How many ranks count as the first.
    """
    return tuple(
        _detail(
            bisect_left(found.queries, query),
            query,
            [_shares(before, whole_before[query], request) for request in found.requests],
            [_shares(after, whole_after[query], request) for request in found.requests],
            whole_before[query],
            whole_after[query],
            depth,
        )
        for query in whole_before
    )


_TermShares = Mapping[bytes, float] | None
"""What each document with a term is of a value; None for a measure that is no sum over ranks."""


def _shares(ranked: Ranked, whole: FullRanking, request: Request) -> _TermShares:
    place = bisect_left(ranked.queries, whole.query)
    found = terms(ranked.part(place, place + 1), request)
    if found is None:
        return None
    documents = whole.at(judged_only=request.judged_only).documents
    over = float(found.over if isinstance(found.over, float | int) else found.over[0])
    shares: dict[bytes, float] = {}
    for rank, value in zip(found.rank.tolist(), found.values.tolist(), strict=True):
        document = documents[rank - 1]
        shares[document] = shares.get(document, 0.0) + part_of(value, found.times, over)
    return shares


def _detail(
    number: int,
    query: bytes,
    shares_before: Sequence[_TermShares],
    shares_after: Sequence[_TermShares],
    whole_before: FullRanking,
    whole_after: FullRanking,
    depth: int,
) -> Detail:
    ranks_before, ranks_after = _ranks(whole_before), _ranks(whole_after)
    grades = dict(zip(whole_before.judged, whole_before.judged_grade.tolist(), strict=True))

    def move(document: bytes) -> Move:
        contributions = tuple(
            None if old is None or new is None else new.get(document, 0.0) - old.get(document, 0.0)
            for old, new in zip(shares_before, shares_after, strict=True)
        )
        grade = grades.get(document, math.nan)
        return Move(document, grade, ranks_before.get(document), ranks_after.get(document), contributions)

    near = {*whole_before.documents[:depth], *whole_after.documents[:depth]}
    with_terms = {document for shares in (*shares_before, *shares_after) for document in shares or ()}
    moves = [move(document) for document in near | with_terms]
    kept = [each for each in moves if any(each.contributions) or (each.document in near and each.before != each.after)]
    newcomers = [
        each for each in kept if not each.grade >= 0 and each.document in near and each.event(depth) == "entered"
    ]
    return Detail(
        number, query, tuple(sorted(kept, key=_weight)), tuple(sorted(newcomers, key=lambda each: each.after or 0))
    )


def _weight(move: Move) -> tuple[float, int, bytes]:
    """The largest contribution first; of equal ones what stands, or stood, highest."""
    first = move.contributions[0]
    rank = min(rank for rank in (move.before, move.after) if rank is not None)
    return -abs(first or 0.0), rank, move.document


def _ranks(whole: FullRanking) -> dict[bytes, int]:
    return {document: rank for rank, document in enumerate(whole.documents, start=1)}
