"""Bounds: the lowest and the highest value that a measure could have, whatever the retrieved documents without a
judgment turn out to be.

Neither "all of them relevant" nor "all of them not relevant" is extreme for a measure that divides by R, the number of
relevant documents, as R grows with every one of them. But for any number m of them that turn out relevant, such a
measure is highest when these are the m that stand highest, and lowest when they are the m that stand lowest; so with u
documents without a judgment, 2 (u + 1) assignments are tried and not 2^u. `irev.measures.measure.Bounds` names the
methods; which one serves is a field of each measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from irev.base import segments
from irev.base.segments import Bools, Floats, Ints
from irev.errors import UsageError
from irev.measures.measure import summed
from irev.measures.parameters import Cutoffs, Pairs
from irev.measures.request import LOW, Request
from irev.ranking.ranked import Ranked

_ROWS = 1 << 20
"""About how many documents are assigned at a time, which bounds memory."""

Extremes = tuple[Floats, Floats]
"""(q,) lowest and highest values."""


def bounds(ranked: Ranked, requests: Iterable[Request]) -> dict[Request, Floats]:
    """The bounds that the requests ask for, one value per query each.

    Parameters
    ----------
    ranked : Ranked
        Rankings at the relevance level of the requests, not yet cut at their cutoffs.
    requests : iterable of Request
        Each with a `bound`.

    Raises
    ------
    UsageError
        Where no exact method is known for a measure under these judgments.
    """
    wanted = tuple(dict.fromkeys(replace(request, bound=LOW) for request in requests))
    for request in wanted:
        _require_exact(ranked, request)
    parts = [_extremes(ranked.part(begin, end), wanted) for begin, end in _parts(ranked)]
    found = {
        request: tuple(np.concatenate([np.zeros(0), *(part[request][high] for part in parts)]) for high in (0, 1))
        for request in wanted
    }
    return {request: found[replace(request, bound=LOW)][request.bound != LOW] for request in requests}


def _parts(ranked: Ranked) -> Iterator[tuple[int, int]]:
    """Queries that stand together and have not too many documents, and so fit into memory with all of these."""
    begin, documents = 0, 0
    for query, retrieved in enumerate(ranked.retrieved.tolist()):
        if documents and documents + retrieved > _ROWS:
            yield begin, query
            begin, documents = query, 0
        documents += retrieved
    if begin < ranked.size:
        yield begin, ranked.size


def _extremes(ranked: Ranked, requests: tuple[Request, ...]) -> dict[Request, Extremes]:
    """The lowest and highest values of some requests, for some queries."""
    found: dict[Request, Extremes] = {}
    search: dict[tuple[int | None, float, bool], list[Request]] = {}
    for request in requests:
        best = _best_grade(ranked, request)
        if request.measure.extremes is not None:
            found[request] = _at_once(ranked, request)
        elif request.measure.bounds == "search":
            search.setdefault((_limit(request), best, request.measure.graded), []).append(request)
        else:
            ends = [_value(_all(ranked, grade, _limit(request)), request) for grade in (0.0, best)]
            found[request] = np.minimum(*ends), np.maximum(*ends)
    for (limit, grade, graded), sought in search.items():
        found |= _searched(ranked, sought, limit, grade, graded)
    return found


def _require_exact(ranked: Ranked, request: Request) -> None:
    """Refuse what would not be exact."""
    measure, given = request.measure, dict(request.options)
    if ranked.settings.judged_only:
        raise UsageError("there are no bounds where documents without a judgment are dropped", remedy="leave out -J")
    if not measure.graded and ranked.settings.level <= 0:
        raise UsageError("there are no bounds where every judged document is relevant", remedy="choose a level above 0")
    if not measure.graded:
        return
    if ranked.settings.gains is not None or _gives_gains(request) or given.get("gains"):
        raise UsageError(
            f"there are no bounds of '{_named(request)}' where gains are given: no exact method is known",
            remedy="ask for it without bounds, or without gains",
        )
    judged = ranked.judged_grade[ranked.judged_grade >= 0]
    if measure.bounds == "search" and (ranked.highest_grade > 1 or not np.isin(judged, (0.0, 1.0)).all()):
        raise UsageError(
            f"there are no bounds of '{_named(request)}' for judgments with more grades than 0 and 1: no exact"
            " method is known",
            remedy="ask for it without bounds",
        )


def _gives_gains(request: Request) -> bool:
    """Whether the parameter has pairs of grade and gain."""
    pairs = request.value.value if isinstance(request.measure.parameter, Pairs) else ()
    return any(not isinstance(key, str) for key, _ in pairs)


def _named(request: Request) -> str:
    return replace(request, bound="").base.label


def _best_grade(ranked: Ranked, request: Request) -> float:
    """What a document can turn out to be at best: relevant, or of the highest grade in the judgments."""
    if not request.measure.graded:
        return ranked.settings.level
    best = ranked.highest_grade if ranked.highest_grade > 0 else 1.0
    # A level asked for takes the gain from the grades below it.
    return best if request.level is None or best >= request.level else 0.0


def _limit(request: Request) -> int | None:
    """The last rank that the measure looks at, if there is one."""
    return int(request.value.value) if isinstance(request.measure.parameter, Cutoffs) else request.k


def _value(ranked: Ranked, request: Request) -> Floats:
    view = ranked if request.k is None else ranked.at(depth=request.k)
    positional, named = request.measure.arguments(request.value.value, dict(request.options))
    return summed(request.measure.function(view, *positional, **named), ranked.size).astype(np.float64)


def _at_once(ranked: Ranked, request: Request) -> Extremes:
    positional, named = request.measure.arguments(request.value.value, dict(request.options))
    if request.measure.extremes is None:
        raise ValueError(f"measure {request.measure.name!r} has no extremes")
    return request.measure.extremes(ranked.at(depth=request.k), *positional, **named)


def _all(ranked: Ranked, grade: float, limit: int | None) -> Ranked:
    """The rankings with every retrieved document judged, those without a judgment as of the given grade."""
    return ranked.once(_assigned_alike, grade, limit)


def _assigned_alike(ranked: Ranked, grade: float, limit: int | None) -> Ranked:
    queries = np.arange(ranked.size)
    every = ranked.once(Ranked.every_rank)
    return _assigned(every, queries, np.full(ranked.size, 1 << 62), grade, True, limit, graded=True)


def _searched(
    ranked: Ranked, requests: list[Request], limit: int | None, grade: float, graded: bool
) -> dict[Request, Extremes]:
    """The extremes over every number of relevant ones among the documents without a judgment."""
    every = ranked.once(Ranked.every_rank)
    lowest = {request: np.full(ranked.size, np.inf) for request in requests}
    highest = {request: np.full(ranked.size, -np.inf) for request in requests}
    for queries, relevant in _tried(every):
        for top, extreme, further in ((False, lowest, np.minimum), (True, highest, np.maximum)):
            assigned = _assigned(every, queries, relevant, grade, top, limit, graded)
            for request in requests:
                further.at(extreme[request], queries, _value(assigned, request))
    return {request: (lowest[request], highest[request]) for request in requests}


def _tried(every: Ranked) -> Iterator[tuple[Ints, Ints]]:
    """Every query with every number of documents that may turn out relevant, in batches."""
    unknown = segments.count(every.owner[_unknown(every)], every.size)
    queries = np.repeat(np.arange(every.size), unknown + 1)
    relevant = segments.position(queries, every.size)
    rows = (every.retrieved + segments.count(every.judged_owner, every.size) + 1)[queries]
    batch = np.cumsum(rows) // _ROWS
    for _, part in _runs(batch):
        yield queries[part], relevant[part]


def _runs(values: Ints) -> Iterator[tuple[int, slice]]:
    """Each run of equal values, and where it stands."""
    begins = np.flatnonzero(np.diff(values, prepend=-1)).tolist()
    for begin, end in zip(begins, [*begins[1:], len(values)], strict=True):
        yield int(values[begin]), slice(begin, end)


def _unknown(every: Ranked) -> Bools:
    return ~(every.grade >= 0)


def _assigned(
    every: Ranked, queries: Ints, relevant: Ints, grade: float, top: bool, limit: int | None, graded: bool
) -> Ranked:
    """A ranking for each of the given queries, with its first or last `relevant` unknown documents of the given grade
    and the other ones of grade 0. Hits beyond `limit` are left out. Judgments are in order where measures are `graded`;
    the others only count them."""
    counts = every.retrieved[queries]
    owner = np.repeat(np.arange(len(queries)), counts)
    place = segments.position(owner, len(queries))
    source = segments.starts(every.retrieved)[queries][owner] + place
    unknown = _unknown(every)[source]
    number = segments.running_count(unknown, owner, len(queries)) - 1
    if not top:
        number = segments.count(owner[unknown], len(queries))[owner] - 1 - number
    turned = np.where(number < relevant[owner], grade, 0.0)
    grades = np.where(unknown, turned, every.grade[source])

    # What was judged before, but for negative grades of retrieved documents, which are unknown and now judged.
    first_judgment = segments.starts(segments.count(every.judged_owner, every.size))
    judgments = segments.count(every.judged_owner, every.size)[queries]
    before_owner = np.repeat(np.arange(len(queries)), judgments)
    before = every.judged_grade[first_judgment[queries][before_owner] + segments.position(before_owner, len(queries))]
    known = before >= 0
    judged_owner = np.concatenate((before_owner[known], owner[unknown]))
    judged_grade = np.concatenate((before[known], turned[unknown]))
    order = np.lexsort((-judged_grade, judged_owner)) if graded else slice(None)
    near = slice(None) if limit is None else place < limit
    rank = place[near] + 1
    return replace(
        every,
        queries=tuple(every.queries[query] for query in queries.tolist()),
        missing=every.missing[queries],
        retrieved=counts,
        element=None if every.element is None else every.element[source],
        owner=owner[near],
        rank=rank,
        grade=grades[near],
        tie_first=rank,
        tie_last=rank,
        judged_owner=judged_owner[order],
        judged_grade=judged_grade[order],
        considered=len(queries),
        details=None,  # what unjudged documents turn out to be is a grade
        judgment=None,
        judged=None,
        _views={},
    )
