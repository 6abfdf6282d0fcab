"""Preferences: how many of them a ranking fulfils, as trec_eval's ``prefs_`` measures have it.

The preferences of many documents are counted without looking at each pair, from the levels of their documents.

Within a query the judged documents have numbers: those that are retrieved, 0 to ρ - 1, in the order of their ranks, and
behind them the others, in the order of their ids. A preference of a over b is *fulfilled* when a is retrieved and its
number is the lower one; and it is one of three kinds: both are retrieved, one is, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import cached_property, dataclass
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.extensions.preferences.levels import PREFERENCES, pairs, preferences
from irev.measures.families.judgment_groups import in_order
from irev.measures.measure import measure
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Details


class PreferenceCounts(NamedTuple):
    """Preferences by group, (g,) each: those of which both documents are retrieved, one is, or none.

    Attributes
    ----------
    fulfilled, fulfilled_by_one : int (g,)
        Of both retrieved, and of one.
    both, one, none : int (g,)
        How many there are.
    """

    fulfilled: Ints
    fulfilled_by_one: Ints
    both: Ints
    one: Ints
    none: Ints


class LevelRows(NamedTuple):
    """Documents in groups: of each group by number.

    Attributes
    ----------
    group : int (n,)
        Never decreasing.
    level : int (n,)
        As numbers that rise with levels, 0 where the level is 0 or there is none.
    number : int (n,)
    retrieved : bool (n,)
    """

    group: Ints
    level: Ints
    number: Ints
    retrieved: Bools

    def of(self, kept: Bools) -> LevelRows:
        """Some of them."""
        return LevelRows(self.group[kept], self.level[kept], self.number[kept], self.retrieved[kept])


@dataclass(frozen=True, eq=False)
class SomeGroups:
    """The preferences of some groups, which have numbers of their own here.

    Attributes
    ----------
    first, groups : int
        Their place among all of them, and how many they are.
    simple : LevelRows
        The rows of groups with one subgroup.
    members : LevelRows
        The documents of the others; levels are 0, or 1 for one above 0.
    group, better, worse : int (p,)
        The preferences of these: the group, and two numbers.
    retrieved : int (g,)
        ρ of the query of each group: judged documents that are retrieved.
    """

    first: int
    groups: int
    simple: LevelRows
    members: LevelRows
    group: Ints
    better: Ints
    worse: Ints
    retrieved: Ints


@dataclass(frozen=True, eq=False)
class Judged:
    """The preferences of the queries of some rankings, in as few bytes as will do.

    Attributes
    ----------
    query : int (g,)
        The query of each group; those of a query together, by the bytes of their names.
    simple, members : LevelRows
        As `SomeGroups` has them, of all groups.
    start, count : int (g,)
        Where the preferences of each group begin in `better` and `worse`, and how many there are.
    better, worse : int (p,)
        Two judgments.
    number : int (j,)
        Of each judgment.
    retrieved : int (q,)
        ρ: judged documents that are retrieved.
    """

    query: Ints
    simple: LevelRows
    members: LevelRows
    start: Ints
    count: Ints
    better: AnyInts
    worse: AnyInts
    number: Ints
    retrieved: Ints

    @cached_property
    def _begins(self) -> tuple[Ints, ...]:
        """(g + 1,) Where the rows of each group begin: of `simple`, of `members`."""
        counts = (segments.count(rows.group, len(self.query)) for rows in (self.simple, self.members))
        return tuple(segments.narrowed(np.append(0, np.cumsum(each)), 0) for each in counts)

    def some(self, first: int, last: int) -> SomeGroups:
        """The groups from `first` to before `last`."""
        simple, members = (
            LevelRows(
                rows.group[begins[first] : begins[last]].astype(np.int64) - first,
                rows.level[begins[first] : begins[last]].astype(np.int64),
                rows.number[begins[first] : begins[last]].astype(np.int64),
                rows.retrieved[begins[first] : begins[last]],
            )
            for rows, begins in zip((self.simple, self.members), self._begins, strict=True)
        )
        start, count = (each[first:last].astype(np.int64) for each in (self.start, self.count))
        group, place = segments.ranges(start, count)
        better, worse = self.number[self.better[place]], self.number[self.worse[place]]
        retrieved = self.retrieved[self.query[first:last]]
        return SomeGroups(first, last - first, simple, members, group, better, worse, retrieved)

    def parts(self) -> Iterator[SomeGroups]:
        """All groups, some at a time, so that their arrays fit into the cache of the processor."""
        size = sum((np.diff(begins).astype(np.int64) for begins in self._begins), self.count.astype(np.int64))
        so_far, first = np.cumsum(size), 0
        while not first or first < len(size):  # once if there are none
            before = so_far[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(so_far, before + _PART, "right")))
            yield self.some(first, min(last, len(size)))
            first = last


_PART = 1 << 16
"""Rows and preferences of a part."""


def judged_groups(ranked: Ranked) -> Judged:
    details, judgment, judged = ranked.detailed
    known = details.once(preferences, ranked.settings.single_precision)
    number, retrieved = _numbers(ranked, details, judgment, judged)
    owner, row = details.rows(judged)
    wanted, group = in_order(details, details.grouped[0][row], ranked.judged_owner[owner])
    query = np.zeros(len(wanted), dtype=np.int64)
    query[group] = ranked.judged_owner[owner]
    # Levels as small numbers, of which 0 stands for level 0.
    levels = segments.distinct(np.append(known.level[row], 0.0))
    level = segments.narrowed(np.searchsorted(levels, known.level[row]), 0)
    inside = (number < retrieved[ranked.judged_owner])[owner]
    of_row = segments.narrowed(number, 0)[owner]
    del owner, row
    # No two are equal but in subgroups.
    order = segments.stable_order(group * (int(number.max(initial=0)) + 1) + of_row)
    rows = LevelRows(segments.narrowed(group, 0)[order], level[order], of_row[order], inside[order])
    simple = known.simple[wanted][rows.group]
    of_judgment = np.full(len(details.start) - 1, -1, dtype=np.int64)
    of_judgment[judged] = number
    return Judged(
        query,
        rows if simple.all() else rows.of(simple),
        _members(rows.of(~simple)),
        segments.narrowed(known.start[wanted], 0),
        segments.narrowed(known.count[wanted], 0),
        known.better,
        known.worse,
        of_judgment,
        retrieved,
    )


def _numbers(ranked: Ranked, details: Details, judgment: Ints, judged: Ints) -> tuple[Ints, Ints]:
    """(j,) The number of each judged document of the rankings, and (q,) how many of them are retrieved."""
    place = np.full(len(details.start) - 1, -1, dtype=np.int64)
    place[judged] = np.arange(len(judged))
    retrieved = segments.count(ranked.owner, ranked.size)
    number = np.full(len(judged), -1, dtype=np.int64)
    number[place[judgment]] = segments.position(ranked.owner, ranked.size)
    others = np.flatnonzero(number < 0)
    owner = ranked.judged_owner[others]
    order = np.lexsort((details.by_document[judged[others]], owner))
    number[others[order]] = retrieved[owner[order]] + segments.position(owner[order], ranked.size)
    return number, retrieved


def _members(rows: LevelRows) -> LevelRows:
    """The documents that rows are about, each once in a group; with one of level 0 for all of level 0."""
    first = segments.opens(rows.group, rows.number)
    kept = rows.of(first)
    highest = np.maximum.reduceat(rows.level, np.flatnonzero(first)) if len(first) else rows.level
    return LevelRows(kept.group, (highest > 0).astype(np.int64), kept.number, kept.retrieved)


# Counting


def counts_of_groups(ranked: Ranked) -> PreferenceCounts:
    """All preferences: of a group with one subgroup counted by their levels, without looking at any two documents; of
    the others every preference is there (`irev.extensions.preferences.levels`)."""
    parts = [_counts(some) for some in ranked.once(judged_groups).parts()]
    return PreferenceCounts(*map(np.concatenate, zip(*parts, strict=True)))


def _counts(some: SomeGroups) -> PreferenceCounts:
    listed = of_pairs(some, np.ones(len(some.group), dtype=bool))
    return PreferenceCounts(*map(np.add, of_levels(some.simple, some.groups), listed))


_DENSE = 4
"""Numbers up to so many for each row are counted where they are, and not sorted first."""


def of_levels(rows: LevelRows, groups: int) -> PreferenceCounts:
    """The preferences that the levels of rows are."""
    found = rows.of(rows.retrieved)
    both = _fulfilled(found.group, found.level, groups)
    # Of each level of a group, how many are retrieved and how many are not, from the lowest.
    levels = int(rows.level.max(initial=0)) + 1
    code = rows.group * levels + rows.level
    if groups * levels <= _DENSE * len(code):
        seen = segments.count(code, groups * levels) > 0
        known, place = np.flatnonzero(seen), (np.cumsum(seen) - 1)[code]
    else:
        known = segments.distinct(code)
        place = np.searchsorted(known, code)
    there = segments.count(place[rows.retrieved], len(known))
    others = segments.count(place, len(known)) - there
    group = known // levels
    so_far = np.concatenate(([0], np.cumsum(others)))
    lower = so_far[:-1] - so_far[segments.starts(segments.count(group, groups))[group]]

    def summed(values: Ints) -> Ints:
        return added(values, group, groups)

    all_there, all_others = summed(there), summed(others)
    return PreferenceCounts(
        both,
        summed(there * lower),
        (all_there**2 - summed(there**2)) // 2,
        all_there * all_others - summed(there * others),
        (all_others**2 - summed(others**2)) // 2,
    )


def added(values: Ints, group: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group, exact however large."""
    so_far = np.concatenate(([0], np.cumsum(values)))
    counts = segments.count(group, groups)
    start = segments.starts(counts)
    sums: Ints = so_far[start + counts] - so_far[start]
    return sums


def _fulfilled(group: Ints, level: Ints, groups: int) -> Ints:
    """(g,) How many pairs of rows have the higher level above the lower one.

    A bit of the levels after the other, from the highest: of two rows that agree in all bits above, the one that has
    the bit is preferred to the one that has not; then those with the bit go on behind those without it.
    """
    found = np.zeros(groups, dtype=np.int64)
    bucket = group
    for bit in range(int(level.max(initial=0)).bit_length() - 1, -1, -1):
        high = (level >> bit & 1).astype(bool)
        opens = segments.opens(bucket)
        start = np.flatnonzero(opens)
        number = np.cumsum(opens) - 1
        above = np.cumsum(high)  # rows with the bit up to each, itself included
        before = (above - high)[start][number]
        found += added(np.where(high, 0, above - before), group, groups)
        lows = np.cumsum(~high)
        lows_here = lows - (lows - ~high)[start][number]
        ends = np.append(start[1:], len(bucket)) - 1
        total_low = lows_here[ends][number] if len(bucket) else lows
        place = start[number] + np.where(high, total_low + (above - before) - 1, lows_here - 1)
        bucket, level = _placed(number * 2 + high, place), _placed(level, place)
    return found


def _placed(values: Ints, place: Ints) -> Ints:
    placed = np.empty_like(values)
    placed[place] = values
    return placed


def of_pairs(some: SomeGroups, kept: Bools) -> PreferenceCounts:
    """The counts of those preferences of groups with several subgroups that are kept."""
    group, better, worse = some.group[kept], some.better[kept], some.worse[kept]
    last = some.retrieved[group]
    both = (better < last) & (worse < last)
    one = ~both & ((better < last) | (worse < last))
    up = (better < worse) & (better < last)
    return PreferenceCounts(
        *(segments.count(group[each], some.groups) for each in (both & up, one & up, both, one, ~both & ~one))
    )


# Averages over groups


class _Which(NamedTuple):
    """The preferences that a measure looks at: those that are fulfilled, and all of them."""

    fulfilled: Callable[[PreferenceCounts], Ints]
    possible: Callable[[PreferenceCounts], Ints]


_ALL = _Which(lambda c: c.fulfilled + c.fulfilled_by_one, lambda c: c.both + c.one + c.none)
_RETRIEVED = _Which(lambda c: c.fulfilled, lambda c: c.both)
_IMPLIED = _Which(lambda c: c.fulfilled + c.fulfilled_by_one, lambda c: c.both + c.one)


def _of_queries(ranked: Ranked, values: Ints) -> Ints:
    return added(values, ranked.once(judged_groups).query, ranked.size)


def _simple(ranked: Ranked, which: _Which) -> Floats:
    """Fulfilled / possible, of all groups together."""
    counts = ranked.once(counts_of_groups)
    return segments.ratio(*(_of_queries(ranked, side(counts)) for side in which))


def _mean(ranked: Ranked, fulfilled: Ints, possible: Ints, undefined: float) -> Floats:
    """The mean of fulfilled / possible over the groups of each query, with what 0 / 0 is; 0 where it is not a
    number."""
    query = ranked.once(judged_groups).query
    share = np.where(possible > 0, segments.ratio(fulfilled, possible), undefined)
    mean = segments.ratio(segments.total(share, query, ranked.size), segments.count(query, ranked.size))
    return np.where(mean > 0, mean, 0.0)


def _mean_of_groups(ranked: Ranked, which: _Which) -> Floats:
    counts = ranked.once(counts_of_groups)
    return _mean(ranked, which.fulfilled(counts), which.possible(counts), 0.0)


def _as_many(ranked: Ranked, which: _Which, retrieved_alone: bool) -> Floats:
    """The mean over groups as it would be with as many documents of level 0 as of others."""
    counts = ranked.once(counts_of_groups)
    parts = [
        _balanced(
            some, PreferenceCounts(*(each[some.first :][: some.groups] for each in counts)), which, retrieved_alone
        )
        for some in ranked.once(judged_groups).parts()
    ]
    fulfilled, possible = map(np.concatenate, zip(*parts, strict=True))
    return _mean(ranked, fulfilled, possible, np.nan)


def _balanced(some: SomeGroups, counts: PreferenceCounts, which: _Which, retrieved_alone: bool) -> tuple[Ints, Ints]:
    """(g,) What is fulfilled, and what is possible, with as many documents of level 0 as of others."""
    groups = some.groups

    def of_both(flags: Callable[[LevelRows], Bools]) -> Ints:
        return segments.count(some.simple.group[flags(some.simple)], groups) + segments.count(
            some.members.group[flags(some.members)], groups
        )

    relevant, found = of_both(lambda rows: rows.level > 0), of_both(lambda rows: (rows.level > 0) & rows.retrieved)
    others, others_found = (
        of_both(lambda rows: rows.level == 0),
        of_both(lambda rows: (rows.level == 0) & rows.retrieved),
    )
    wanted, there = (found, others_found) if retrieved_alone else (relevant, others)
    fewer = wanted >= there  # documents of level 0, which are added then; else there are too many
    more = np.maximum(wanted - there, 0)
    fulfilled = which.fulfilled(counts) + found * more
    possible = which.possible(counts) + relevant * more
    if fewer.all():
        return fulfilled, possible

    rows, number = some.simple, _among_others(some.simple, groups)
    kept = ((rows.level > 0) | (number < wanted[rows.group])) & ~fewer[rows.group]
    left = of_levels(rows.of(kept), groups)
    # In groups with one subgroup each of level 0 is counted against each that is kept, itself too, as trec_eval does.
    both = np.minimum(wanted, others_found)
    of_simple = ~fewer & (segments.count(rows.group, groups) > 0)
    fulfilled = np.where(
        of_simple, which.fulfilled(left) + both * (both - 1) // 2 + (wanted - both) * others_found, fulfilled
    )
    possible = np.where(of_simple, which.possible(left) + there * wanted, possible)

    rows = some.members
    if len(rows.group):
        dropped = (rows.level == 0) & (_among_others(rows, groups) >= relevant[rows.group])
        width = int(rows.number.max()) + 1
        codes = (rows.group * width + rows.number)[dropped]
        stay = ~np.isin(some.group * width + some.better, codes)
        stay &= ~np.isin(some.group * width + some.worse, codes)
        left = of_pairs(some, stay)
        of_several = ~fewer & ~of_simple
        fulfilled = np.where(of_several, which.fulfilled(left), fulfilled)
        possible = np.where(of_several, which.possible(left), possible)
    return fulfilled, possible


def _among_others(rows: LevelRows, groups: int) -> Ints:
    """(n,) How many documents of level 0 stand before each row in its group."""
    others = rows.level == 0
    before: Ints = segments.running_count(others, rows.group, groups) - others
    return before


# Pairs of documents


class _PairSums(NamedTuple):
    """(q,) Of pairs of documents with a preference: the sum of shares of those of which both are retrieved, that of
    these and those of which one is, and how many pairs have both, one or none."""

    of_both: Floats
    of_both_and_one: Floats
    both: Ints
    one: Ints
    none: Ints


_TOGETHER = 1 << 16
"""Preferences, and cells of a matrix, that are looked at together."""

_LARGE, _SHARE = 1024, 8
"""Of a group with so many preferences, and one for each so many cells of a matrix of the judged documents, the levels
are compared in that matrix, and no preference is listed."""


def _pairs(ranked: Ranked) -> _PairSums:
    judged, counts = ranked.once(judged_groups), ranked.once(counts_of_groups)
    of_group = _ALL.possible(counts)
    found = _PairSums(
        _of_queries(ranked, counts.fulfilled).astype(np.float64),
        _of_queries(ranked, _ALL.fulfilled(counts)).astype(np.float64),
        *(_of_queries(ranked, each) for each in (counts.both, counts.one, counts.none)),
    )
    # Of one group no two preferences are about the same documents: there the counts are of pairs.
    several = segments.count(judged.query, ranked.size) > 1
    documents = segments.count(ranked.judged_owner, ranked.size)
    # What is listed already is listed.
    large = (judged.count == 0) & (of_group > _LARGE)
    large[large] = of_group[large] * _SHARE > documents[judged.query[large]] ** 2
    in_matrix = np.zeros(ranked.size, dtype=bool)
    in_matrix[judged.query[large]] = True
    in_matrix &= several
    begins = np.append(0, np.cumsum(segments.count(judged.query, ranked.size)))
    for query in np.flatnonzero(in_matrix).tolist():
        first, last = int(begins[query]), int(begins[query + 1])
        sums = _of_matrix(judged.some(first, last), int(documents[query]), large[first:last])
        for of_all, of_query in zip(found, sums, strict=True):
            of_all[query] = of_query
    listed = np.flatnonzero(several & ~in_matrix)
    so_far = np.cumsum(_of_queries(ranked, of_group)[listed])
    begin = 0
    while begin < len(listed):
        before = so_far[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(so_far, before + _TOGETHER, "right")))
        first, last = int(listed[begin]), int(listed[end - 1]) + 1
        here = slice(int(begins[first]), int(begins[last]))
        wanted = (several & ~in_matrix)[judged.query[here]]
        some = judged.some(here.start, here.stop)
        of_queries = _of_list(some, wanted, judged.query[here] - first, documents[first:last])
        for of_all, of_some in zip(found, of_queries, strict=True):
            of_all[listed[begin:end]] = of_some[listed[begin:end] - first]
        begin = end
    return found


def _listed(some: SomeGroups, groups: Bools) -> tuple[Ints, Ints, Ints]:
    """The preferences of some groups: the group of each, and two numbers, the better one first."""
    rows = some.simple.of(groups[some.simple.group])
    falling = np.lexsort((-rows.level, rows.group))
    group, number = rows.group[falling], rows.number[falling]
    above, below = pairs(group, rows.level[falling])
    there = groups[some.group]
    return (
        np.concatenate((group[above], some.group[there])),
        np.concatenate((number[above], some.better[there])),
        np.concatenate((number[below], some.worse[there])),
    )


def _of_list(some: SomeGroups, groups: Bools, query: Ints, documents: Ints) -> _PairSums:
    """Of some groups, given the query of each and how many judged documents each of these has: preferences between the
    same two documents are brought together."""
    group, better, worse = _listed(some, groups)
    low: Ints = np.minimum(better, worse)
    high: Ints = np.maximum(better, worse)
    # One number for the query and the two documents: a cell of the matrices of all queries.
    begins: Ints = segments.starts(documents * documents)
    of_query = query[group]
    cell = begins[of_query] + low * documents[of_query] + high
    known, place = segments.numbered(cell, int(np.sum(documents * documents)))
    votes, up = (segments.count(each, len(known)) for each in (place, place[better < worse]))
    share = up / votes
    of_query = np.searchsorted(begins, known, "right") - 1
    offset = known - begins[of_query]
    low, high = offset // documents[of_query], offset % documents[of_query]
    last = np.zeros(len(documents), dtype=np.int64)
    last[query] = some.retrieved
    kind = (high >= last[of_query]).astype(np.int64) + (low >= last[of_query])
    both, one, none = (np.flatnonzero(kind == each) for each in range(3))
    ranked = np.concatenate((both, one))
    return _PairSums(
        segments.total(share[both], of_query[both], len(documents)),
        segments.total(share[ranked], of_query[ranked], len(documents)),
        *(segments.count(of_query[each], len(documents)) for each in (both, one, none)),
    )


def _of_matrix(some: SomeGroups, documents: int, large: Bools) -> tuple[float, float, int, int, int]:
    """Of one query, by way of a matrix of its documents, some rows of it at a time."""
    rows = some.simple.of(large[some.simple.group])
    # The levels of each large group by document; 0 for one that it does not have.
    levels = np.zeros((len(segments.distinct(rows.group)), documents), dtype=np.int32)
    levels[np.searchsorted(segments.distinct(rows.group), rows.group), rows.number] = rows.level + 1
    _, better, worse = _listed(some, ~large)
    low, high, rises = np.minimum(better, worse), np.maximum(better, worse), better < worse
    last = int(some.retrieved[0])
    shares: tuple[list[Floats], list[Floats]] = [], []
    none = 0
    step = max(1, _TOGETHER // documents)
    for begin in range(0, documents, step):
        end, width = min(begin + step, documents), documents - begin
        here = (low >= begin) & (low < end)
        cell = (low[here] - begin) * width + high[here] - begin
        cells = (end - begin) * width
        up, down = (segments.count(cell[each[here]], cells).reshape(-1, width) for each in (rises, ~rises))
        for level in levels:
            of_rows, of_columns = level[begin:end, None], level[None, begin:]
            up += (of_rows > of_columns) & (of_columns > 0)
            down += (of_rows < of_columns) & (of_rows > 0)
        votes = up + down
        votes[np.tril_indices(end - begin, 0, width)] = 0
        there = votes > 0
        middle = max(last - begin, 0)  # the first row and column of a document that is not retrieved
        ranked = there[:middle]
        share = np.divide(up[:middle], votes[:middle], out=np.zeros(ranked.shape), where=ranked)
        shares[0].append(share[:, :middle][ranked[:, :middle]])
        shares[1].append(share[:, middle:][ranked[:, middle:]])
        none += int(np.count_nonzero(there[middle:]))
    both, one = (np.concatenate(each) for each in shares)
    return segments.sum_in_order(both), segments.sum_in_order(np.concatenate((both, one))), len(both), len(one), none


# Measures


@measure("prefs_num_prefs_poss", standard="PrefsPoss", kind="count", better="neither", of=PREFERENCES)
def possible(ranked: Ranked) -> Ints:
    """Number of preferences, P.

    Those that follow from others in a group with several subgroups are counted too. The line for all queries is the
    sum.

    Example: levels 2 1 0: prefs_num_prefs_poss 3.
    """
    return _of_queries(ranked, _ALL.possible(ranked.once(counts_of_groups)))


@measure("prefs_num_prefs_ful", standard="PrefsFul", kind="count", of=PREFERENCES)
def fulfilled(ranked: Ranked) -> Ints:
    """Number of preferences that the ranking fulfils, F.

    A preference of a over b is fulfilled when a is retrieved, and b after it or not at all. The line for all queries is
    the sum.

    Example: levels 1 2 0: prefs_num_prefs_ful 2.
    """
    return _of_queries(ranked, _ALL.fulfilled(ranked.once(counts_of_groups)))


@measure("prefs_num_prefs_ful_ret", standard="PrefsFul_ret", kind="count", of=PREFERENCES)
def fulfilled_retrieved(ranked: Ranked) -> Ints:
    """Number of preferences that the ranking fulfils, of those between two retrieved documents.

    The line for all queries is the sum.

    Example: levels 1 2, not retrieved 0: prefs_num_prefs_ful_ret 0.
    """
    return _of_queries(ranked, _RETRIEVED.fulfilled(ranked.once(counts_of_groups)))


@measure("prefs_simp", standard="PrefsSimp", of=PREFERENCES)
def simple(ranked: Ranked) -> Floats:
    """Share of the preferences that the ranking fulfils, each counted alike.

    prefs_simp = F / P, over all groups together; 0 if P = 0. A preference of which neither document is retrieved is not
    fulfilled. Where groups contradict each other, not all can be.

    Example: levels 1 2 0: prefs_simp 0.6667.
    """
    return _simple(ranked, _ALL)


@measure("prefs_simp_ret", standard="PrefsSimp_ret", of=PREFERENCES)
def simple_retrieved(ranked: Ranked) -> Floats:
    """Share of the preferences between two retrieved documents that the ranking fulfils.

    As prefs_simp, without the preferences of which a document is not retrieved: for collections that change.

    Example: levels 1 2, not retrieved 0: prefs_simp_ret 0.0000.
    """
    return _simple(ranked, _RETRIEVED)


@measure("prefs_simp_imp", standard="PrefsSimp_imp", of=PREFERENCES)
def simple_implied(ranked: Ranked) -> Floats:
    """Share of the preferences that the ranking fulfils, of those of which a document is retrieved.

    As prefs_simp, without the preferences of which neither document is retrieved.

    Example: levels 1 2, not retrieved 0: prefs_simp_imp 0.6667.
    """
    return _simple(ranked, _IMPLIED)


@measure("prefs_pair", standard="PrefsPair", of=PREFERENCES)
def pair(ranked: Ranked) -> Floats:
    """Mean over pairs of documents of the share of the groups' preferences between the two that the ranking fulfils.

    Of two documents a and b, of which a has the lower number, the share is w_ab / (w_ab + w_ba), where w_ab groups
    prefer a to b; 0 if neither is retrieved. Each pair counts alike that some group has a preference for. Where no
    two groups judge the same pair this is prefs_simp.

    Example: levels of three groups 2 1 | 2 1 | 1 2: prefs_pair 0.6667.
    """
    found = ranked.once(_pairs)
    return segments.ratio(found.of_both_and_one, found.both + found.one + found.none)


@measure("prefs_pair_ret", standard="PrefsPair_ret", of=PREFERENCES)
def pair_retrieved(ranked: Ranked) -> Floats:
    """Mean over pairs of retrieved documents of the share of the groups' preferences that the ranking fulfils.

    As prefs_pair, without the pairs of which a document is not retrieved.

    Example: levels of two groups 2 1 | 1 2: prefs_pair_ret 0.5000.
    """
    found = ranked.once(_pairs)
    return segments.ratio(found.of_both, found.both)


@measure("prefs_pair_imp", standard="PrefsPair_imp", of=PREFERENCES)
def pair_implied(ranked: Ranked) -> Floats:
    """Mean over pairs of documents, at least one retrieved, of the share of the preferences that the ranking fulfils.

    As prefs_pair, without the pairs of which neither document is retrieved.

    Example: levels 1 2, not retrieved 0: prefs_pair_imp 0.6667.
    """
    found = ranked.once(_pairs)
    return segments.ratio(found.of_both_and_one, found.both + found.one)


@measure("prefs_avgjg", standard="PrefsAvgJG", of=PREFERENCES)
def mean_of_groups(ranked: Ranked) -> Floats:
    """Share of the preferences that the ranking fulfils, averaged over judgment groups.

    prefs_avgjg = mean over groups of F / P, which is 0 if P = 0. Each group, so each person, counts alike, however many
    preferences they have.

    Example: levels of two groups 2 1 0 | 1 2 -: prefs_avgjg 0.5000.
    """
    return _mean_of_groups(ranked, _ALL)


@measure("prefs_avgjg_ret", standard="PrefsAvgJG_ret", of=PREFERENCES)
def mean_of_groups_retrieved(ranked: Ranked) -> Floats:
    """Share of the preferences between two retrieved documents that the ranking fulfils, averaged over judgment groups.

    As prefs_avgjg, without the preferences of which a document is not retrieved.

    Example: levels 1 2, not retrieved 0: prefs_avgjg_ret 0.0000.
    """
    return _mean_of_groups(ranked, _RETRIEVED)


@measure("prefs_avgjg_imp", standard="PrefsAvgJG_imp", of=PREFERENCES)
def mean_of_groups_implied(ranked: Ranked) -> Floats:
    """Share of the preferences with a retrieved document that the ranking fulfils, averaged over judgment groups.

    As prefs_avgjg, without the preferences of which neither document is retrieved.

    Example: levels 1 2, not retrieved 0: prefs_avgjg_imp 0.6667.
    """
    return _mean_of_groups(ranked, _IMPLIED)


@measure("prefs_avgjg_Rnonrel", standard="PrefsAvgJG_Rnonrel", of=PREFERENCES)
def mean_of_balanced_groups(ranked: Ranked) -> Floats:
    """As prefs_avgjg, with as many documents of level 0 in each group as of higher ones.

    So the number of nonrelevant documents that happened to be judged does not matter. Of R documents above level 0 and
    N of level 0, where N < R, R - N of level 0 are imagined behind all others; where N > R, the first R in the order of
    their numbers are kept, and in groups with one subgroup each document of level 0 is also counted as preferred to
    each that is kept, itself too, as in trec_eval. 0 if in any group there is no preference then.

    Example: levels 1 0: prefs_avgjg_Rnonrel 1.0000.
    """
    return _as_many(ranked, _ALL, retrieved_alone=False)


@measure("prefs_avgjg_Rnonrel_ret", standard="PrefsAvgJG_Rnonrel_ret", of=PREFERENCES)
def mean_of_balanced_groups_retrieved(ranked: Ranked) -> Floats:
    """As prefs_avgjg_ret, with as many retrieved documents of level 0 in each group as of higher ones.

    R and N are of retrieved documents. Where N < R, those that are imagined count for the share that is fulfilled with
    the retrieved documents above level 0, and for the possible ones with all of them, retrieved or not. In groups with
    several subgroups as many of level 0 are kept as there are documents above it, retrieved or not. Else as
    prefs_avgjg_Rnonrel.

    Example: levels 1 0: prefs_avgjg_Rnonrel_ret 1.0000.
    """
    return _as_many(ranked, _RETRIEVED, retrieved_alone=True)
