"""Bounds: the lowest and the highest value that a measure could have, whatever the retrieved documents without a
judgment turn out to be.

Neither "all of them relevant" nor "all of them not relevant" is extreme for a measure that divides by R, the number of
relevant documents, as R grows with every one of them. But for any number m of them that turn out relevant, such a
measure is highest when these are the m that stand highest, and lowest when they are the m that stand lowest; so with u
documents without a judgment, 2 (u + 1) assignments are tried and not 2^u. `irev.measures.measure.Bounds` names the
methods; which one serves is a field of each measure.

A share of the ideal gain, D / I as nDCG is, is lowest where each unknown document has the lowest or the highest grade:
D is linear in the gains and I is convex in them, as the highest sum over all orders. So the same search finds that, in
whatever grades there are. For the highest share see `_highest_share`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, decimal
from irev.base.segments import Bools, Floats, Ints
from irev.evaluation.scores import value_of, with_grades
from irev.extensions.bounds.at_once import AT_ONCE, Extremes
from irev.measures.gains import Scale
from irev.measures.parameters import Cutoffs, Pairs
from irev.measures.request import BOOTSTRAP, LOW, Request
from irev.ranking.ranked import Ranked

_ROWS = 1 << 20
"""About how many documents are assigned at a time, which bounds memory."""

_HIGHEST = 1000
"""Each whole grade up to this is tried."""


def bounded(ranked: Ranked, requests: Sequence[Request]) -> dict[Request, Floats]:
    """Return the bounds, or expected values under drawn grades, that the requests ask for, one value per query each.

    Parameters
    ----------
    ranked : Ranked
        Rankings at the relevance level of the requests, not yet cut at their cutoffs.
    requests : iterable of Request
        Each with a `bound`.

    Raises
    ------
    UsageError
        Where no exact method is known for a measure under these judgments, and for judgments of which grades cannot be
        drawn.
    """
    drawn = {request: bootstrapped(ranked, request) for request in requests if request.bound == BOOTSTRAP}
    ends = [request for request in requests if request.bound != BOOTSTRAP]
    wanted = tuple(dict.fromkeys(replace(request, bound=LOW) for request in ends))
    for request in wanted:
        _require_exact(ranked, request)
    parts = [_extremes(ranked.part(begin, end), wanted) for begin, end in _parts(ranked)]
    found = {
        request: tuple(np.concatenate([np.zeros(0), *(part[request][high] for part in parts)]) for high in (0, 1))
        for request in wanted
    }
    return drawn | {request: found[replace(request, bound=LOW)][request.bound != LOW] for request in ends}


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
        if (at_once := AT_ONCE.get(request.measure.name)) is not None:
            found[request] = at_once(ranked.at(depth=request.k), request)
        elif request.measure.bounds in ("search", "share"):
            search.setdefault((_limit(request), best, request.measure.graded), []).append(request)
        else:
            ends = [value_of(_all(ranked, grade, _limit(request)), request) for grade in (0.0, best)]
            found[request] = np.minimum(*ends), np.maximum(*ends)
    for (limit, grade, graded), sought in search.items():
        found |= _searched(ranked, sought, limit, grade, graded)
        for request in sought:
            if request.measure.bounds == "share" and grade > 0:
                found[request] = found[request][0], _highest_share(ranked, request, limit, grade)
    return found


def _require_exact(ranked: Ranked, request: Request) -> None:
    """Refuse what would not be exact."""
    measure, given = request.measure, dict(request.options)
    if ranked.settings.judged_only:
        raise UsageError("there are no bounds if unjudged documents are removed", remedy="leave out -J")
    if not measure.graded and ranked.settings.level <= 0:
        raise UsageError("there are no bounds if every judged document is relevant", remedy="choose a level above 0")
    if not measure.graded:
        return
    if ranked.settings.gains is not None or _gives_gains(request) or given.get("gains"):
        raise UsageError(
            f"there are no bounds of '{_named(request)}' where gains are given: no exact method is known",
            remedy="ask for it without bounds, or without gains",
        )
    if measure.bounds == "share" and ranked.highest_grade > _HIGHEST:
        raise UsageError(
            f"there are no bounds of '{_named(request)}' for grades up to {decimal(ranked.highest_grade)}",
            remedy=f"expected grades up to {_HIGHEST}; ask for it without bounds",
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


def _highest_share(ranked: Ranked, request: Request, limit: int | None, best: float) -> Floats:
    """The highest value of a share of the ideal gain, where unknown documents have whole grades up to `best`, or that.

    A grade adds w · P(m) to D and w · S(n + m) to I: w is what it gains above the grade below, m the number of unknown
    documents that reach it, of the highest ranks, P(m) their discounts added up, n the number of judged documents that
    reach it, and S those of the ideal ranks. So D - t · I is a sum over grades, and each m can be chosen by itself: a
    higher grade, which fewer judged documents reach, never wants more. The highest share is the t of which the highest
    D - t · I is 0 (Dinkelbach), which few steps from below reach.
    """
    every = ranked.once(Ranked.every_rank)
    lowest = request.level or 0.0
    grades = np.unique([*np.arange(1.0, best), best])
    grades = grades[grades >= lowest]
    scale = Scale(**{name: value for name, value in request.options if name in ("gain", "discount", "base")})
    first, judged = segments.starts(every.retrieved), segments.count(every.judged_owner, every.size)
    first_judged = segments.starts(judged)
    ranks = np.arange(1, int((every.retrieved + judged).max(initial=0)) + 1)
    discounts = 1.0 / scale.divisors(ranks) if "discount" in request.measure.options else np.ones(len(ranks))
    discounts[len(ranks) if limit is None else limit :] = 0.0
    unknown, reaching = _unknown(every), np.zeros((len(grades), every.size), dtype=np.int64)
    for query, (begin, retrieved) in enumerate(zip(first.tolist(), every.retrieved.tolist(), strict=True)):
        here = slice(begin, min(begin + retrieved, begin + (limit or retrieved)))
        known = every.judged_grade[first_judged[query] : first_judged[query] + judged[query]]
        known = scale.gains(known[(known > 0) & (known >= lowest)])
        found = here, ~unknown[here] & (every.grade[here] >= lowest)
        own = float((scale.gains(every.grade[here][found[1]]) * discounts[: len(found[1])][found[1]]).sum())
        free = discounts[: len(found[1])][unknown[here]]
        if not len(free):  # nothing to choose: time counts where queries are many and short
            continue
        reaching[:, query] = _most_worth(scale.gains(grades), known, own, free, discounts)
    steps = zip(grades.tolist(), reaching, strict=True)
    return value_of(_assigned(every, np.arange(every.size), steps, True, limit, graded=True), request)


def _most_worth(gains: Floats, known: Floats, own: float, free: Floats, discounts: Floats) -> Ints:
    """How many unknown documents reach each of the rising gains where their query has the highest share.

    Parameters
    ----------
    gains, known : float array
        Those that unknown documents may have, and those that judged documents have.
    own : float
        The discounted gain of what is retrieved and judged.
    free, discounts : float array
        The discounts of the ranks of unknown documents, and of all ranks.
    """
    added, ideal = (np.concatenate(([0.0], np.cumsum(each))) for each in (free, discounts))
    bounds = np.unique(np.concatenate(([0.0], gains, known)))
    reached = len(known) - np.searchsorted(np.sort(known), bounds[1:], side="left")
    documents = np.arange(len(added))
    run = np.diff(gains, prepend=0.0)[:, None] * added
    best = np.zeros((len(gains), len(added)))
    step = np.searchsorted(gains, bounds[1:], side="left")
    for grade, width, judged in zip(step.tolist(), np.diff(bounds).tolist(), reached.tolist(), strict=True):
        best[grade] += width * ideal[np.minimum(judged + documents, len(discounts))]
    each, share, most = np.arange(len(gains)), -1.0, np.zeros(len(gains), dtype=np.int64)
    tried = np.full(len(gains), len(free))
    while True:
        over = float(best[each, tried].sum())
        reaches = (own + float(run[each, tried].sum())) / over if over else 0.0
        if reaches <= share:
            return most
        share, most = reaches, tried
        tried = np.argmax(run - share * best, axis=1)


DRAWS = 1000
"""Grades that are drawn for each unjudged document."""


def bootstrapped(ranked: Ranked, request: Request) -> Floats:
    """Expected values of a measure with a cutoff, where unjudged documents have grades of judged ones of their query.

    Each unjudged document among the first results is given the grade of a judged document of the query, drawn with
    replacement; the mean over `DRAWS` draws is the value. The number of relevant documents and the ideal ranking stay
    the same, and values of measures up to 1 are cut there. The draws depend on query and rank alone, so that runs share
    them. A query without judgments keeps its value.

    Fröbe, Gienapp, Potthast and Hagen, Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023:
    the prior of the pool.

    Raises
    ------
    UsageError
        For judgments of which grades cannot be drawn.
    """
    _require_drawn(ranked)
    values = value_of(ranked, request)
    limit = request.cutoff or 0
    shown, known = np.minimum(ranked.retrieved, limit), ranked.judged_grade >= 0
    judged = ranked.within(limit, ranked.grade >= 0)
    pooled = segments.count(ranked.judged_owner[known], ranked.size)
    some = np.flatnonzero((judged < shown) & (pooled > 0))
    together = max(1, _ROWS // (DRAWS * int((shown + pooled)[some].max(initial=1))))
    for begin in range(0, len(some), together):
        queries = some[begin : begin + together]
        drawn = value_of(with_grades(ranked, queries.tolist(), limit, _random_grades, DRAWS), request)
        drawn = drawn.reshape(len(queries), DRAWS)
        values[queries] = (np.minimum(drawn, 1.0) if request.of_one else drawn).mean(axis=1)
    return values


def _require_drawn(ranked: Ranked) -> None:
    settings, judged = ranked.settings, segments.count(ranked.judged_owner, ranked.size) > 0
    if settings.judged_only or settings.costs is not None:
        fact = "grades cannot be drawn for unjudged documents "
        fact += "that are removed" if settings.judged_only else "where results have costs"
        raise UsageError(fact, remedy="leave out -J" if settings.judged_only else "leave out costs")
    below = (ranked.judged_grade >= 0) & (ranked.judged_grade < settings.level)
    if 2 * len(np.unique(ranked.judged_owner[below])) < judged.sum():
        fact = "grades cannot be drawn for unjudged documents: most queries have no document judged not relevant"
        raise UsageError(fact, remedy="leave out unjudged=bootstrap")


def _random_grades(query: bytes, judged: Floats, ranks: int, copies: int) -> Floats:
    """(ranks, copies) Grades of random judged documents."""
    pool = judged[judged >= 0]
    random = np.random.default_rng(zlib.crc32(query)).random((ranks, copies))
    drawn: Floats = pool[(random * len(pool)).astype(np.int64)]
    return drawn


def _all(ranked: Ranked, grade: float, limit: int | None) -> Ranked:
    """The rankings with every retrieved document judged, those without a judgment as of the given grade."""
    return ranked.once(_assigned_alike, grade, limit)


def _assigned_alike(ranked: Ranked, grade: float, limit: int | None) -> Ranked:
    queries = np.arange(ranked.size)
    every = ranked.once(Ranked.every_rank)
    return _assigned(every, queries, [(grade, np.full(ranked.size, 1 << 62))], True, limit, graded=True)


def _searched(
    ranked: Ranked, requests: list[Request], limit: int | None, grade: float, graded: bool
) -> dict[Request, Extremes]:
    """The extremes over every number of relevant ones among the documents without a judgment."""
    every = ranked.once(Ranked.every_rank)
    lowest = {request: np.full(ranked.size, np.inf) for request in requests}
    highest = {request: np.full(ranked.size, -np.inf) for request in requests}
    for queries, relevant in _tried(every):
        for top in (False, True):
            assigned = _assigned(every, queries, [(grade, relevant)], top, limit, graded)
            for request in requests:
                value = value_of(assigned, request)
                np.minimum.at(lowest[request], queries, value)
                np.maximum.at(highest[request], queries, value)
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
    every: Ranked, queries: Ints, reaching: Iterable[tuple[float, Ints]], top: bool, limit: int | None, graded: bool
) -> Ranked:
    """A ranking for each of the given queries: with each of the rising grades in `reaching` the number of its first or
    last unknown documents that reach it; the other ones have grade 0. Hits beyond `limit` are left out. Judgments are
    in order where measures are `graded`; the others only count them."""
    counts = every.retrieved[queries]
    owner = np.repeat(np.arange(len(queries)), counts)
    place = segments.position(owner, len(queries))
    source = segments.starts(every.retrieved)[queries][owner] + place
    unknown = _unknown(every)[source]
    number = segments.running_count(unknown, owner, len(queries)) - 1
    if not top:
        number = segments.count(owner[unknown], len(queries))[owner] - 1 - number
    turned = np.zeros(len(owner))
    for grade, documents in reaching:
        turned[number < documents[owner]] = grade
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
