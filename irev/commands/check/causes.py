"""Causes: the documents that made queries fall, for runs that do not meet a condition.

The values say which queries fell, the rankings why, so those of the queries that fell are looked at again: as
`irev.evaluation.changes` shares the change of a query out among documents, the one that lost most is named, and what
stands above it now. A measure that is no sum over ranks has no shares: of it a relevant document is named that, put
back where it stood, would raise the value, or else what is new. How far the fall comes from documents that nobody
judged is measured by leaving those out that entered the first ranks or rose there, and evaluating what is left.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from irev.base.errors import InputError
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.commands.check.baseline import Again, Rankings
from irev.commands.check.conditions import GateRules, gains_of, has, has_queries, of_group, paired
from irev.commands.check.verdict import WORST, Cause, Finding, Newcomers, Why
from irev.evaluation import changes
from irev.evaluation.result import Outcome
from irev.evaluation.scores import evaluate, terms
from irev.measures import Request
from irev.measures.measure import Terms
from irev.ranking import full
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Judgments
from irev.reading.sources import Source

MOST = 1000
"""Queries of a run and measure that are looked at again, those that fell most."""

POOL = 10
"""Number of first ranks that are looked at for measures without a cutoff."""


def in_file(judgments: Judgments, path: str, settings: Settings, queries: Collection[bytes]) -> Again | None:
    """The rankings of some queries of a run, which is read again; None of what can be read but once, such as a pipe.

    Raises `InputError` as `irev.ranking.ranking.rank`.
    """
    if not os.path.isfile(path):
        return None
    with Source(path) as source:
        ranked, _, _, whole = full.rank_keeping(judgments, source, queries_alone(settings, queries), queries)
    return Again(ranked, whole)


def queries_alone(settings: Settings, queries: Collection[bytes]) -> Settings:
    """Settings under which these queries are ranked as they were among others, neither cut nor reduced."""
    listed = tuple(sorted(queries))
    return replace(settings.uncut, queries=listed, complete=False, strict=False, only=None)


@dataclass(frozen=True, eq=False)
class _Fall:
    """The queries of a run that fell in a measure, the one that lost most first.

    Attributes
    ----------
    run, group : str
    request : Request
    queries : tuple of bytes
        At most `MOST` of them.
    before, after : float, one for each
    count : int
        How many there are.
    """

    run: str
    group: str
    request: Request
    queries: tuple[bytes, ...]
    before: Floats
    after: Floats
    count: int

    @property
    def sign(self) -> int:
        return -1 if self.request.better == "lower" else 1


def whys(
    findings: Sequence[Finding],
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
    settings: Settings,
    rules: GateRules,
    rankings: Rankings,
) -> Iterator[Why]:
    """Why runs are worse than what they are compared with, for each run and measure of which a condition does not hold.

    Parameters
    ----------
    findings : sequence of Finding
    requests : sequence of Request
        The measures that were evaluated.
    outcomes : sequence of Outcome
    baselines : mapping of str to Outcome
        What each run was compared with.
    settings : Settings
        Those of both.
    rules : GateRules
    rankings : Rankings

    Raises
    ------
    InputError
        For rankings that are not those that were evaluated.
    """
    if settings.ties == "average":  # documents of a tie have no rank that they could fall from
        return
    if settings.costs is not None:  # what a document would cost that comes back is not known
        return
    falls = list(_falls(findings, requests, outcomes, baselines, rules))
    for run in dict.fromkeys(fall.run for fall in falls):
        mine = [fall for fall in falls if fall.run == run]
        queries = {query for fall in mine for query in fall.queries}
        after = rankings.run(run, queries)
        before = rankings.baseline(run, queries) if after and rankings.baseline else None
        for fall in mine:
            if after is not None:
                yield _why(fall, before, after, settings)


def _falls(
    findings: Sequence[Finding],
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
    rules: GateRules,
) -> Iterator[_Fall]:
    named = {request.standard: request for request in requests}
    of_runs = {outcome.run: outcome for outcome in outcomes}
    for run, group, measure in dict.fromkeys(
        (each.run, each.group, each.measure) for each in findings if not each.holds
    ):
        request, old = named.get(measure), baselines.get(run)
        if request is None or old is None or not request.measure.per_query or request.better == "neither":
            continue
        if request.bound or not (has(old.scores, request) and has_queries(old.scores, request)):
            continue
        part = of_group(of_runs[run], group).scores
        before, after = paired(request, part, of_group(old, group, of_runs[run]).scores)
        gains = gains_of(request, before, after, rules.precision)
        order = np.argsort(gains, kind="stable")
        fell = order[gains[order] < 0]
        if len(fell):
            most = fell[:MOST]
            queries = tuple(part.queries[place] for place in most.tolist())
            yield _Fall(run, group, request, queries, before[most], after[most], len(fell))


def _why(fall: _Fall, before: Again | None, after: Again, settings: Settings) -> Why:
    depth = fall.request.cutoff or POOL
    now = after.at(settings)
    _require_same(now.ranked, fall.request, fall.queries, fall.after, fall.run)
    if before is None:
        causes = tuple(_seen(fall, place, now, depth) for place in range(min(WORST, len(fall.queries))))
    else:
        then = before.at(settings)
        _require_same(then.ranked, fall.request, fall.queries, fall.before, "the baseline")
        causes = tuple(_compared(fall, then, now, depth))
    summed = _terms(now.ranked, fall.request) is not None
    newcomers = _newcomers(fall, before, after, settings, depth, summed)
    measure, compared = fall.request.standard, before is not None
    return Why(
        *(fall.run, fall.group, measure, fall.count, depth, compared, causes, newcomers),
        cut=settings.depth,
        summed=summed,
    )


def _terms(ranked: Ranked, request: Request) -> Terms | None:
    return terms(ranked.part(0, 1), request.base)


def _require_same(ranked: Ranked, request: Request, queries: Sequence[bytes], values: Floats, name: str) -> None:
    """Raise `InputError` where a run is not what it was when it was evaluated."""
    found = _values(ranked, request)
    for query, value in zip(queries, values.tolist(), strict=True):
        if found[query] != value and not (math.isnan(value) and math.isnan(found[query])):
            fact = "this file is not what was evaluated: it has changed, or is another run"
            raise InputError(fact, name, "check it again")


def _values(ranked: Ranked, request: Request) -> dict[bytes, float]:
    (column,) = evaluate(ranked, (request.base,)).columns
    return dict(zip(ranked.queries, column.values.astype(np.float64).tolist(), strict=True))


# One query


def _compared(fall: _Fall, before: Again, after: Again, depth: int) -> Iterator[Cause]:
    """What made the queries fall that fell most."""
    worst = fall.queries[:WORST]
    found = changes.changes(before.ranked, after.ranked, (fall.request.base,))
    whole_before, whole_after = ({query: each.whole[query] for query in worst} for each in (before, after))
    details = changes.details(found, before.ranked, after.ranked, whole_before, whole_after, depth)
    level = fall.request.level
    level = after.ranked.settings.level if level is None else level
    found_terms = _terms(after.ranked, fall.request)
    pushed = found_terms is not None and found_terms.by_rank and not fall.request.judged_only
    for detail in details:
        change = float(found.change[detail.number, 0])
        cause = Cause(detail.query, change, missing=bool(found.missing_after[detail.number]))
        if found_terms is None:
            move = _missed(detail, fall, after, level)
            if move is None:
                cause = _new(cause, whole_before[detail.query], whole_after[detail.query], level)
        else:
            move = _loser(detail.moves, fall.sign)
        if move is not None:
            contribution = move.contributions[0]
            cause = cause._replace(
                document=move.document,
                grade=move.grade,
                was=move.before,
                now=move.after,
                contribution=contribution,
            )
        if pushed:
            cause = _pushed(cause, whole_before[detail.query], whole_after[detail.query])
        yield cause


def _fell(moves: Sequence[changes.Move]) -> list[changes.Move]:
    return [move for move in moves if move.before and (move.after is None or move.after > move.before)]


def _loser(moves: Sequence[changes.Move], sign: int) -> changes.Move | None:
    """The document that a query lost most by: of those that fell or left, or if none did, of all."""
    fell = _fell(moves)
    losing = [move for move in moves if sign * (move.contributions[0] or 0.0) < 0]
    if losing:
        return min(
            [move for move in losing if move in fell] or losing, key=lambda move: sign * (move.contributions[0] or 0.0)
        )
    return None


def _missed(detail: changes.Detail, fall: _Fall, after: Again, level: float) -> changes.Move | None:
    """The highest of the relevant documents that fell or left, and back where they stood would raise the value."""
    place = after.ranked.queries.index(detail.query)
    ranked = after.ranked.part(place, place + 1)
    now = _values(ranked, fall.request)[detail.query]
    fell = (move for move in _fell(detail.moves) if move.grade >= level)
    for move in sorted(fell, key=lambda move: move.before or 0):
        value = _values(_restored(ranked, move), fall.request)[detail.query]
        if fall.sign * value > fall.sign * now:
            return move
    return None


def _restored(ranked: Ranked, move: changes.Move) -> Ranked:
    """The ranking of one query with a document back where it stood, or last where there are fewer results now."""
    rank, grade, retrieved = ranked.rank, ranked.grade, ranked.retrieved + (move.after is None)
    if move.after is not None:
        others = rank != move.after
        rank, grade = rank[others] - (rank[others] > move.after), grade[others]
    back = min(move.before or 1, int(retrieved[0]))
    at = int(np.searchsorted(rank, back))
    rank, grade = np.insert(rank + (rank >= back), at, back), np.insert(grade, at, move.grade)
    if ranked.settings.depth is not None:
        within = rank <= ranked.settings.depth
        rank, grade, retrieved = rank[within], grade[within], np.minimum(retrieved, ranked.settings.depth)
    return replace(
        ranked,
        missing=np.zeros_like(ranked.missing),
        owner=np.zeros(len(rank), dtype=np.int64),
        rank=rank,
        grade=grade,
        tie_first=rank,
        tie_last=rank,
        retrieved=retrieved,
        _views={},
    )


def _new(cause: Cause, before: FullRanking, after: FullRanking, level: float) -> Cause:
    """The same with the documents that were not retrieved before and are not relevant."""
    had = {*before.documents}
    new = [
        rank
        for rank, document in enumerate(after.documents, 1)
        if document not in had and not after.grade[rank - 1] >= level
    ]
    return _above(cause, after, new) if new else cause


def _pushed(cause: Cause, before: FullRanking, after: FullRanking) -> Cause:
    """The same with what stands above the document now and did not before."""
    if cause.was is None or cause.now is None or cause.now <= cause.was:
        return cause
    above = {*before.documents[: cause.was - 1]}
    new = [rank for rank in range(1, cause.now) if after.documents[rank - 1] not in above]
    return _above(cause, after, new)


def _above(cause: Cause, after: FullRanking, ranks: Sequence[int]) -> Cause:
    """The same with the documents at some ranks, by the first of them."""
    at = ranks[0] - 1
    grade = float(after.grade[at])
    return cause._replace(by=after.documents[at], by_grade=grade, by_rank=ranks[0], others=len(ranks) - 1)


def _seen(fall: _Fall, place: int, after: Again, depth: int) -> Cause:
    """What the ranking of now alone shows: which of its first documents have no judgment."""
    query = fall.queries[place]
    whole = after.whole[query]
    cause = Cause(query, float(fall.after[place] - fall.before[place]), missing=not len(whole))
    ranks = _unjudged(whole, depth)
    return _above(cause, whole, ranks) if ranks else cause


def _unjudged(whole: FullRanking, depth: int) -> list[int]:
    """The ranks of the documents without a judgment among the first."""
    return (np.flatnonzero(~(whole.grade[:depth] >= 0)) + 1).tolist()


# Newcomers as a whole


def _newcomers(
    fall: _Fall, before: Again | None, after: Again, settings: Settings, depth: int, summed: bool
) -> Newcomers | None:
    """How much of what the queries lost comes back without the newcomers; None where that is not a number.

    What rose hurts a sum over ranks more than it did. Of another measure, for which the order may not matter, only what
    was not retrieved before is a newcomer: the baseline has borne the rest.
    """
    gone: dict[bytes, list[int]] = {}
    for query in fall.queries:
        whole = after.whole[query].at(settings.depth)
        known: dict[bytes, int] = {}
        if before is not None:
            had = before.whole[query].at(settings.depth).documents
            known = (
                {document: rank for rank, document in enumerate(had[:depth], start=1)}
                if summed
                else dict.fromkeys(had, 0)
            )
        gone[query] = [
            rank for rank in _unjudged(whole, depth) if known.get(whole.documents[rank - 1], depth + 1) > rank
        ]
    without = _without(after.ranked, gone).at(depth=settings.depth, judged_only=settings.judged_only)
    values = _values(without, fall.request)
    with np.errstate(invalid="ignore"):
        lost = fall.sign * (fall.before - fall.after)
        back = fall.sign * (np.array([values[query] for query in fall.queries]) - fall.after)
    if not (np.isfinite(lost).all() and np.isfinite(back).all()):
        return None
    regained = np.minimum(np.maximum(back, 0.0), lost)
    return Newcomers(len(fall.queries), sum(map(len, gone.values())), math.fsum(lost), math.fsum(regained))


def _without(ranked: Ranked, gone: Mapping[bytes, Sequence[int]]) -> Ranked:
    """The rankings without the documents at some ranks of each query, the others closed up.

    None of these documents has a grade of 0 or more, and no ties are averaged, so that the ranks of the others are all
    that a measure sees of it.
    """
    rank, keep, retrieved = ranked.rank.copy(), np.ones(len(ranked.rank), dtype=bool), ranked.retrieved.copy()
    for place, query in enumerate(ranked.queries):
        away: Ints = np.array(gone.get(query, ()), dtype=np.int64)
        hits = slice(*np.searchsorted(ranked.owner, (place, place + 1)))
        keep[hits] = ~np.isin(ranked.rank[hits], away)
        rank[hits] -= np.searchsorted(away, ranked.rank[hits])
        retrieved[place] -= len(away)
    return replace(
        ranked,
        owner=ranked.owner[keep],
        rank=rank[keep],
        grade=ranked.grade[keep],
        tie_first=rank[keep],
        tie_last=rank[keep],
        retrieved=retrieved,
        _views={},
    )
