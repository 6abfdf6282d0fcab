"""The order of the results of a query: scores, and ties among them; and judged hits, the results of a block that are
judged, with their ranks and grades, and all hits of a run together.

Some of the first results are kept as they are written, so that it can be said when ids of documents do not match.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, Problem, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.ranking.ranked import Ranked
from irev.reading import flat_ids, ids
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds, of_some
from irev.reading.judgments import Judgments
from irev.reading.numbers import TOLERANCE, Decimals
from irev.reading.small_files import of_rows

if TYPE_CHECKING:
    from irev.reading.small_files import Costs


@dataclass(frozen=True, eq=False)
class Firsts:
    """The first documents of the judged queries of a run, or of a part of it, `t` of them.

    Attributes
    ----------
    query : int (t,)
        Index of the query among those that are judged.
    place : int (t,)
        Its rank, 1, 2, 3, … in each query.
    judgment : int (t,)
        Its judgment, as an index into the judgments; -1 for one that they do not name.
    others : FlatIds
        The ids of these last, in their order; what the others are called stands in the judgments.
    """

    query: Ints
    place: Ints
    judgment: Ints
    others: FlatIds

    @classmethod
    def joined(cls, parts: Sequence[Firsts]) -> Firsts:
        """One behind the other."""
        query, place, judgment = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("query", "place", "judgment")
        )
        return cls(query, place, judgment, flat_ids.joined([part.others for part in parts]))


@dataclass(frozen=True, eq=False)
class TopK:
    """The first documents of a run, and where the judged ones stand.

    Attributes
    ----------
    first : Firsts
    rank : int (j,)
        Of each judgment the rank of its document; 0 where it was not retrieved, or was cut off or dropped.
    """

    first: Firsts
    rank: Ints


def first_rows(block: Block, settings: Settings, most: int | None) -> tuple[Ints, Ints]:
    """The first rows of each query of a block, in the order of their ranks, and where each stands in that of all.

    At most so many of a query; None for all of them.
    """
    score = comparable_scores(block.score, settings)
    order = order_of(block, score, query_boundary(block), stable=settings.ties == "file")
    sizes = np.diff(np.append(block.first, len(score)))
    in_order = score if order is None else score[order]
    place, group, group_start = _first_places(in_order, block.first, sizes if most is None else most, sizes)
    rows = place if order is None else order[place]
    if settings.ties != "file" and len(place):
        place = break_ties(block, order, place, group, group_start, rows, settings.ties == "docid-asc")
        by_rank = np.argsort(place)
        rows, place = rows[by_rank], place[by_rank]
    if most is not None:
        kept = np.flatnonzero(place - block.first[block.query[rows]] < most)
        rows, place = rows[kept], place[kept]
    return rows, place


def _first_places(in_order: Floats, first: Ints, most: Ints | int, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """The first places of each query, and whatever ties with the last of them; their ties, and where these begin.

    Parameters
    ----------
    in_order : float (n,)
        Scores, falling within each query.
    first, sizes : int (s,)
        The first place of each query, and how many it has.
    most : int (s,) or int
        How many places are wanted of each.
    """
    counts = np.minimum(sizes, most)
    cut = np.flatnonzero((counts > 0) & (counts < sizes))
    last = first[cut] + counts[cut]
    for query, end in zip(*(each[in_order[last] == in_order[last - 1]].tolist() for each in (cut, last)), strict=True):
        rest = in_order[end : first[query] + sizes[query]] != in_order[end - 1]
        counts[query] += int(np.argmax(rest)) if rest.any() else len(rest)
    # Behind the last place of each query stands one that opens a tie of its own, and so ends the one before.
    owner = np.repeat(np.arange(len(first)), counts + 1)
    position = segments.position(owner, len(first))
    place, behind = first[owner] + position, position == counts[owner]
    value = in_order[np.minimum(place, len(in_order) - 1)] if len(in_order) else np.empty(len(place))
    opens = (position == 0) | behind
    opens[1:] |= value[1:] != value[:-1]
    group = np.cumsum(opens) - 1
    return place[~behind], group[~behind], place[opens]


def query_boundary(block: Block) -> Bools:
    """(n,) Where the rows of each query begin."""
    boundary = np.zeros(len(block.query) + 1, dtype=bool)
    boundary[block.first] = True  # one past the end for a query without rows
    return boundary[:-1]


def tie_starts(score: Floats, boundary: Bools) -> Ints:
    """Where each group of documents of equal score begins, in the order of ranks, and where the last one ends."""
    opens = boundary.copy()
    opens[1:] |= score[1:] != score[:-1]
    return np.append(np.flatnonzero(opens), len(score))


def comparable_scores(column: Decimals, settings: Settings) -> Floats:
    """The scores to order by: doubles, or what single precision leaves of them."""
    if not settings.single_precision or settings.order != "score":
        return column.value
    with np.errstate(over="ignore"):  # beyond 3.4e38 a score is infinite in single precision
        if column.uncertain is not None:
            # Rounding twice differs from rounding once only near the middle between two single-precision numbers.
            low, high = (column.value * (1 + side * TOLERANCE) for side in (-1, 1))
            near = column.uncertain & (low.astype(np.float32) != high.astype(np.float32))
            column.settle(np.flatnonzero(near))
        return column.value.astype(np.float32).astype(np.float64)


def order_of(block: Block, score: Floats, boundary: Bools, stable: bool) -> Ints | None:
    """Rows by query and falling score; None when they already stand so. `stable`: equal scores in the order of rows."""
    order = None
    if not ((score[1:] <= score[:-1]) | boundary[1:]).all():
        order = _falling(block, score, stable)
    uncertain = block.score.uncertain
    if uncertain is None or score is not block.score.value:
        return order
    # Values that are known only within a tolerance: neighbours closer than that are read again exactly, unless all that
    # are close are close because they are written alike.
    rows = np.arange(len(score)) if order is None else order
    above, below = rows[:-1], rows[1:]
    with np.errstate(invalid="ignore", over="ignore"):  # infinities, and differences beyond the largest double
        close = np.abs(score[above] - score[below]) <= 4 * TOLERANCE * np.abs(score[above])
    close &= (uncertain[above] | uncertain[below]) & ~boundary[1:]
    if not (close & ~block.score.written_alike(above, below)).any():
        return order
    block.score.settle(segments.distinct(np.concatenate((above[close], below[close]))))
    return _falling(block, score, stable)


_FEW = 64
"""Rows of a query, on average, below which all queries are sorted at once."""

_SIXTEEN_BITS = 1 << 16
"""Numbers below this are sorted eight times faster by numpy, which counts them."""


def _falling(block: Block, score: Floats, stable: bool) -> Ints:
    """Rows by query and falling score."""
    kind: Any = "stable" if stable else None
    if len(score) < _FEW * len(block.queries):
        if len(block.queries) > _SIXTEEN_BITS:
            return np.lexsort((-score, block.query))
        by_score = np.argsort(-score, kind=kind)
        return by_score[np.argsort(block.query.astype(np.uint16)[by_score], kind="stable")]
    order = np.empty(len(score), dtype=np.int64)
    ends = [*block.first[1:].tolist(), len(score)]
    for begin, end in zip(block.first.tolist(), ends, strict=True):
        # numpy sorts numbers several times faster when equal ones may change places.
        order[begin:end] = np.argsort(-score[begin:end], kind=kind)
        order[begin:end] += begin
    return order


def any_tied(score: Floats, boundary: Bools, place: Ints) -> bool:
    """Whether a document at one of the places has the score of a neighbour in its query."""
    above, below = np.maximum(place - 1, 0), np.minimum(place + 1, len(score) - 1)
    tied_above = (score[place] == score[above]) & ~boundary[place]
    tied_below = (score[place] == score[below]) & ~boundary[below] & (below > place)
    return bool((tied_above | tied_below).any())


def break_ties(
    block: Block, order: Ints | None, place: Ints, group: Ints, group_start: Ints, rows: Ints, rising: bool
) -> Ints:
    """The places of the hits with documents of equal score ordered by id; only ties that hold a hit are looked at."""
    sizes = group_start[group + 1] - group_start[group]
    tied = segments.distinct(group[sizes > 1])
    counts = group_start[tied + 1] - group_start[tied]
    owner = np.repeat(np.arange(len(tied)), counts)
    places = group_start[tied][owner] + segments.position(owner, len(tied))
    members = places if order is None else order[places]
    placed = np.full(len(block.query), -1, dtype=np.int64)
    by_id = ids.falling(block.text, block.start[members], block.length[members], -owner if rising else owner)
    # Rising ids are falling ones, read backwards.
    placed[members[by_id[::-1] if rising else by_id]] = places
    broken = placed[rows]
    return np.where(broken >= 0, broken, place)


# Judged hits


class RetrievedCounts(NamedTuple):
    """How many documents a run has for each query.

    Attributes
    ----------
    judgments : Judgments
    of_judged : int (judged queries,)
        For each query of the judgments, -1 where the run lacks it.
    others : dict of bytes to int
        For each query without judgments.
    """

    judgments: Judgments
    of_judged: Ints
    others: dict[bytes, int]

    @classmethod
    def of(cls, judgments: Judgments, blocks: Sequence[Hits]) -> RetrievedCounts:
        """What all blocks of a run have."""
        count = segments.full(len(judgments.queries), -1)
        others: dict[bytes, int] = {}
        for block in blocks:
            judged = block.place >= 0
            count[block.place[judged]] = block.retrieved[judged]
            others.update(zip(block.unjudged, block.retrieved[~judged].tolist(), strict=True))
        return cls(judgments, count, others)

    def of_queries(self, queries: Sequence[bytes]) -> Ints:
        """Documents retrieved for each of some queries, -1 where the run lacks it."""
        place = self.judgments.places(queries)
        count: Ints = np.append(self.of_judged, np.int64(-1))[place]
        for row in np.flatnonzero(place < 0).tolist():
            count[row] = self.others.get(queries[row], -1)
        return count


def ordered_by(judgments: Judgments, settings: Settings) -> str:
    """How documents of equal score are ordered: by the usual rule of what the judgments are of, or as asked for."""
    own = "" if judgments.details is None else judgments.details.kind.ties
    return own if own and settings.are_usual("ties") else settings.ties


class FirstResults(NamedTuple):
    """The first results of a query in the order of the file: those that are judged, and the others."""

    query: bytes
    judged: tuple[bytes, ...]
    unjudged: tuple[bytes, ...]


@dataclass(frozen=True, eq=False)
class Hits:
    """What is kept of a block: per query how much was retrieved, and its judged documents.

    Attributes
    ----------
    place : int (s,)
        For each query of the block, s of them, its index in the judgments, -1 for one without.
    unjudged : list of bytes
        The queries without judgments.
    retrieved : int (s,)
        Documents retrieved for each.
    first : tuple of FirstResults
        Of some judged queries, the first ones of the block that have a result without a judgment among the first.
    judgment : int (h,)
        For each hit its judgment, as an index into the judgments.
    rank, tie_first, tie_last : int (h,)
        Its rank, and the first and last rank of its tie; one array for all three where there are no ties.
    score : float (h,) or None
        Its score, where judgments are of what runs assign scores to.
    element : int (r,) or None
        Which of `Settings.costs` each of the r documents of the block has, by query and rank, where there are costs.
    """

    place: Ints
    unjudged: list[bytes]
    retrieved: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints
    first: tuple[FirstResults, ...] = ()
    score: Floats | None = None
    element: AnyInts | None = None

    def queries(self, judgments: Judgments) -> Iterator[bytes]:
        """The queries of the block, under the judgments that it was ranked under."""
        unjudged = iter(self.unjudged)
        return (judgments.queries[place] if place >= 0 else next(unjudged) for place in self.place.tolist())


class UnmatchedIds(NamedTuple):
    """A query, and two ids of documents that do not match: one was retrieved for the query, the other is judged."""

    query: bytes
    retrieved: bytes
    judged: bytes

    @property
    def example(self) -> str:
        """The ids, for a message."""
        query, retrieved, judged = map(shown, self)
        return f"for query {query} {retrieved} is retrieved, {judged} judged"

    @property
    def fact_and_remedy(self) -> tuple[str, str]:
        """What to say if this is an example from a run without any judged document, and what to look at."""
        fact = f"none of the retrieved documents is judged: {self.example}"
        return fact, "are the document ids those of the judgments?"


def near_miss(judgments: Judgments, blocks: Iterable[Hits]) -> UnmatchedIds | None:
    """An example of ids that differ only in how they are written, if there are many of them among the first results of
    some queries."""
    first = [*islice((each for block in blocks for each in block.first), LOOKED_AT)]
    judged, left = {}, _MOST_JUDGED
    for each in first:
        rows = judgments.rows_of(each.query)
        left -= len(rows)
        judged[each.query] = judgments.documents(rows) if left >= 0 else []
    return near_miss_among(first, judged)


def near_miss_among(first: Sequence[FirstResults], judged: Mapping[bytes, Iterable[bytes]]) -> UnmatchedIds | None:
    """The same, given the documents that are judged for each query."""
    found = []
    for query, there, others in first:
        twins = twins_of([each for each in sorted(judged[query]) if each not in there], others)
        found += [UnmatchedIds(query, retrieved, known) for known, retrieved in twins]
    exact = sum(len(each.judged) for each in first)
    return found[0] if len(found) > _MANY_SHARE * (len(found) + exact) else None


def twins_of(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Judged ids, and with each the retrieved one that is the same but for how it is written.

    That is: capital letters, blanks at its ends, a letter and its accent as one sign or two, zeros before and behind a
    whole number, or the end of a long id, which one of the two sides has cut at a certain length.
    """
    known, others = folded([*judged]), folded([*retrieved])
    found = [(known[key], each) for key, each in others.items() if key in known]
    if found or not known or not others:
        return found
    longest = [max(map(len, known)), max(map(len, others))]
    length, shorter = min(longest), known if longest[0] < longest[1] else others
    if length < _SHORTEST_CUT or longest[0] == longest[1]:
        return found
    if 2 * sum(len(key) == length for key in shorter) > len(shorter):
        cut = {key[:length]: each for key, each in known.items() if len(key) >= length}
        pairs = ((key, each) for key, each in others.items() if len(key) >= length and key[:length] in cut)
        found = [(cut[key[:length]], each) for key, each in pairs]
    return found


_SHORTEST_CUT = 16
"""Ids of fewer letters are not cut, but begin alike."""


def folded(written: list[bytes]) -> dict[str, bytes]:
    """Ids by what `twins_of` compares."""
    joined = b"\0".join(written)
    if joined.isascii() and joined.count(b"\0") == len(written) - 1:
        text = joined.decode().lower()
        # All together show at once whether something besides capital letters is left out of any.
        if text.split() == [text] and not ("." in text or "\x000" in text or text[0] == "0"):
            return dict(zip(text.split("\0"), written, strict=True))
    return {_folded(each): each for each in written}


def _folded(written: bytes) -> str:
    text = decoded(written.lower()).strip()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    whole, point, rest = text.partition(".")
    is_number = whole.isascii() and whole.isdigit() and bool(rest) == bool(point) and not rest.strip("0")
    return whole.lstrip("0") or "0" if is_number else text


RESULTS, LOOKED_AT, QUERIES_OF_BLOCK, _MOST_JUDGED = 10, 20, 3, 5000
"""First results of a query that are looked at; queries of a run, and of a block; and judgments of these queries."""

_MANY_SHARE = 0.1
"""The share of documents that are written otherwise, among those that are judged, from which on they are many."""


def no_overlap(judgments: Judgments, blocks: Sequence[Hits], near: UnmatchedIds | None = None) -> UnmatchedIds | None:
    """An example of ids, if queries are in both files and no retrieved document is judged for its query: `near`, or
    else the first ids of a query. Otherwise None."""
    if any((block.judgment >= 0).any() for block in blocks):
        return None
    if near is not None:
        return near
    for query, retrieved in ((each.query, each.unjudged[0]) for block in blocks for each in block.first[:1]):
        judged = judgments.rows_of(query)
        if len(judged):
            first_of_file = judged[np.argmin(judgments.document_start[judged])]
            return UnmatchedIds(query, retrieved, *judgments.documents(np.array([first_of_file])))
    return None


def hits(block: Block, judgments: Judgments, settings: Settings) -> Hits:
    """Rank the documents of a block, and keep those that the judgments name."""
    score = comparable_scores(block.score, settings)
    boundary = query_boundary(block)
    ties = ordered_by(judgments, settings)
    order = order_of(block, score, boundary, stable=ties == "file")
    in_order = score if order is None else score[order]

    # Queries of the block as indices into the judgments; -1 for one without judgments.
    of_block = judgments.places(block.queries)
    rows, judgment = judgments.find(block.text, of_block[block.query], block.start, block.length, block.key)
    if judgments.assigned:
        _refuse_unknown(block, judgments, of_block, rows)
    place = rows if order is None else segments.inverse(order)[rows]

    ranks = [place]  # and the first and last place of each tie, where there is any
    if not judgments.assigned and any_tied(in_order, boundary, place):
        group_start = tie_starts(in_order, boundary)
        group = np.searchsorted(group_start, place, "right") - 1
        if ties != "file":
            place = break_ties(block, order, place, group, group_start, rows, ties == "docid-asc")
        ranks = [place, group_start[group], group_start[group + 1] - 1]

    query_start = block.first[block.query[rows]]
    by_rank = np.argsort(place)
    rank, *tied = (segments.narrowed((each - query_start)[by_rank] + 1, _MANY) for each in ranks)
    tie_first, tie_last = tied or (rank, rank)
    return Hits(
        segments.narrowed(of_block, _MANY),
        [block.queries[number] for number in np.flatnonzero(of_block < 0).tolist()],
        segments.narrowed(np.diff(np.append(block.first, len(score))), _MANY),
        segments.narrowed(judgment[by_rank], _MANY),
        rank,
        tie_first,
        tie_last,
        _first_results(block, of_block, rows),
        score[rows][by_rank] if judgments.assigned else None,
        None if settings.costs is None else _elements(block, settings.costs, order, in_order, boundary, ties),
    )


def _elements(block: Block, costs: Costs, order: Ints | None, in_order: Floats, boundary: Bools, ties: str) -> AnyInts:
    """Which of the costs each document of a block has, by query and rank."""
    rows = by_rank(block, order, tie_starts(in_order, boundary), ties)
    return of_rows(block, costs)[rows]


def by_rank(block: Block, order: Ints | None, group_start: Ints, ties: str) -> Ints:
    """All rows of a block, by query and rank, given where ties begin."""
    rows = np.arange(len(block.query)) if order is None else order
    if ties == "file":
        return rows
    sizes = np.diff(group_start)
    group = np.repeat(np.arange(len(sizes)), sizes)
    place = break_ties(block, order, np.arange(len(rows)), group, group_start, rows, ties == "docid-asc")
    return rows[np.argsort(place)]


def _refuse_unknown(block: Block, judgments: Judgments, of_block: Ints, known: Ints) -> None:
    """Add to the faults of a block the rows of judged queries that are not among the known.

    Raises `InputError` for one of a block that was in memory, which has no lines.
    """
    others = of_block[block.query] >= 0
    others[known] = False
    rows, fields = np.flatnonzero(others), block.fields

    def told(row: int) -> tuple[str, str]:
        written = shown(ids.at(block.text, block.start[row], block.length[row]))
        fact = f"{written} is none of the {judgments.kind} of query {shown(block.queries[block.query[row]])}"
        return fact, f"the run may be made from another version of {judgments.name}"

    if not fields.layout.fields:
        for row in rows[:1].tolist():
            fact, remedy = told(row)
            raise InputError(fact, remedy=remedy)
        return
    fields.faults.add(
        rows,
        lambda row: Problem(fields.line_of(int(block.row[row])), "E115", *told(row)),
        lambda some: fields.lines_of(block.row[some]),
    )


_MANY = 1 << 10
"""Numbers of a block that are kept in few bytes each, since there may be many such blocks."""


def _first_results(block: Block, of_block: Ints, judged: Ints) -> tuple[FirstResults, ...]:
    """As `Hits.first`, given the rows that are judged."""
    known = np.zeros(len(block.query), dtype=bool)
    known[judged] = True
    bounds = np.append(block.first, len(known))
    found = []
    for number in np.flatnonzero(of_block >= 0)[:QUERIES_OF_BLOCK].tolist():
        rows = np.arange(bounds[number], min(bounds[number] + RESULTS, bounds[number + 1]))
        written = tuple(FlatIds(block.text, block.start[rows], block.length[rows]))
        there, others = (tuple(compress(written, which)) for which in (known[rows], ~known[rows]))
        if others:
            found.append(FirstResults(block.queries[number], there, others))
    return tuple(found)


def joined(
    judgments: Judgments, blocks: list[Hits], retrieved: RetrievedCounts, tag: bytes, settings: Settings
) -> Ranked:
    """The hits of all blocks, in the order of the queries. The blocks are lost."""
    evaluated, count = evaluated_queries(retrieved, settings), retrieved.of_judged
    place = segments.full(len(count), -1)
    if isinstance(evaluated, list):
        queries: Sequence[bytes] = tuple(evaluated)
        count, of_judgments = retrieved.of_queries(queries), judgments.places(queries)
        there = np.flatnonzero(of_judgments >= 0)
        place[of_judgments[there]] = there
    else:
        whole = len(evaluated) == len(count)
        queries = judgments.queries if whole else of_some(judgments.queries, evaluated)
        place[evaluated] = np.arange(len(evaluated), dtype=place.dtype)
        count = count if whole else count[evaluated]
    element = None if settings.costs is None else _elements_in_order(blocks, place, queries)
    owner, rank, grade, tie_first, tie_last, judgment, score = _hits_in_order(judgments, blocks, place)
    judged_owner, judged_grade, judged = _judged_in_order(judgments, place)
    return Ranked(
        settings=settings.uncut,
        queries=queries,
        missing=count < 0,
        retrieved=np.maximum(count, 0),
        owner=owner,
        rank=rank,
        grade=grade,
        tie_first=tie_first,
        tie_last=tie_last,
        judged_owner=judged_owner,
        judged_grade=judged_grade,
        considered=len(judgments.queries) if settings.complete else len(queries),
        positive_judgments=judgments.positive,
        highest_grade=judgments.highest,
        tag=tag,
        details=judgments.details,
        judgment=judgment,
        judged=judged,
        score=score,
        element=element,
    )


def _elements_in_order(blocks: list[Hits], place: Ints, queries: Sequence[bytes]) -> AnyInts:
    """The elements of all blocks, in the order of the queries, given the place of each judged one among them, -1 for
    one that is not wanted."""
    unjudged = {name: number for number, name in enumerate(queries)} if any(block.unjudged for block in blocks) else {}
    owner: list[AnyInts] = [np.empty(0, dtype=np.int64)]
    element: list[AnyInts] = [np.empty(0, dtype=np.uint8)]
    for block in blocks:
        of_query = np.append(place, np.int64(-1))[block.place]
        of_query[block.place < 0] = [unjudged.get(name, -1) for name in block.unjudged]
        owner.append(np.repeat(of_query, block.retrieved))
        element.append(np.empty(0, dtype=np.uint8) if block.element is None else block.element)
    of_row, of_all = np.concatenate(owner), np.concatenate(element)
    kept = np.flatnonzero(of_row >= 0)
    return of_all[kept[segments.stable_order(of_row[kept])]]


def _hits_in_order(
    judgments: Judgments, blocks: list[Hits], place: Ints
) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints | None, Floats | None]:
    """Query, rank, grade and tie of every hit, and its judgment where that is more than a grade, and its score where
    that is wanted.

    Given the place of each judged query, -1 for one that is not wanted. The blocks are lost as soon as they are joined,
    for where hits are many they count.
    """
    judgment, rank = _together(blocks, "judgment"), _together(blocks, "rank")
    ties = [rank, rank]
    if any(block.tie_first is not block.rank for block in blocks):
        ties = [_together(blocks, "tie_first"), _together(blocks, "tie_last")]
    scores = [block.score for block in blocks if block.score is not None]
    score = np.concatenate([np.empty(0), *scores]) if judgments.assigned else None
    blocks.clear()
    owner = segments.pick(place, segments.pick(judgments.query, judgment))
    # Within a query hits come from one block, in the order of ranks, and a stable sort leaves them so.
    order = segments.gathered(owner)
    owner, judgment = segments.pick(owner, order), segments.pick(judgment, order)
    grade = segments.pick(judgments.grade, judgment)
    known = None if judgments.details is None else judgment
    del judgment
    tied = ties[0] is not rank
    rank = segments.pick(rank, order)
    first, last = (segments.pick(each, order) for each in ties) if tied else (rank, rank)
    return owner, rank, grade, first, last, known, None if score is None else score[order]


def _together(blocks: list[Hits], name: str) -> Any:
    """Numbers of the hits of all blocks, in eight bytes each unless they are many."""
    values = [getattr(block, name) for block in blocks]
    if sum(map(len, values)) <= segments.MANY:
        return np.concatenate(values).astype(np.int64, copy=False)
    return np.concatenate([segments.narrowed(each, -1) for each in values])  # small ones too


def _judged_in_order(judgments: Judgments, place: Ints) -> tuple[Ints, Floats, Ints | None]:
    """Query and grade of every judgment of the queries that are wanted, and which one it is where that is more."""
    # Evaluated queries stand in the order of judged ones, so that their judgments need no sorting.
    judged = judgments.by_query
    if (place < 0).any():
        judged = judged[place[judgments.query[judged]] >= 0]
    owner = segments.full(len(judged), 0)
    for begin, end in segments.pieces(len(judged)):
        owner[begin:end] = place[judgments.query[judged[begin:end]]]
    return owner, segments.pick(judgments.grade, judged), None if judgments.details is None else judged


def evaluated_queries(retrieved: RetrievedCounts, settings: Settings) -> Ints | list[bytes]:
    """The queries to evaluate, in order: as indices into the judgments where all are judged.

    trec_eval 9 does not score a query that the run lacks, only divides by it.
    """
    judgments, count = retrieved.judgments, retrieved.of_judged
    there: Ints = segments.narrowed(np.flatnonzero(count >= 0))
    if not isinstance(settings.queries, str):
        queries = set(settings.queries)
    elif settings.queries == "run" and retrieved.others:
        queries = {judgments.queries[i] for i in there.tolist()} | retrieved.others.keys()
    else:
        complete = settings.queries != "run" and settings.complete and not settings.single_precision
        found = segments.narrowed(np.arange(len(count))) if complete else there
        if settings.only is None:
            return found
        queries = {settings.only} if judgments.places([settings.only]) in found else set()
    if settings.only is not None:
        queries &= {settings.only}
        if not queries:
            raise InputError(f"query {shown(settings.only)} of -D is not in both files")
    return sorted(queries)
