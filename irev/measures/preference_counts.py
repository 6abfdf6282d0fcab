"""How many preferences there are in each group of judgments, and how many of them a ranking fulfils.

Of a group with one subgroup, preferences are counted by their levels, without looking at any two documents; of the
others every preference is there (`irev.reading.preferences`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Bools, Ints
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Details
from irev.reading.preferences import preferences


def in_order(details: Details, group: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Groups by query and name, and where the group of each row stands among them.

    Parameters
    ----------
    details : Details
    group, query : int (n,)
        Of each row its group, an index into the groups of the details, and its query, any number.

    Returns
    -------
    wanted : int (g,)
        The groups of the rows, each once.
    place : int (n,)
        Indices into them.
    """
    known = len(details.grouped[1])
    wanted = np.flatnonzero(segments.count(group, known))
    of = np.zeros(known, dtype=np.int64)
    of[group] = query
    wanted = wanted[np.lexsort((details.once(_by_bytes)[wanted], of[wanted]))]
    of[wanted] = np.arange(len(wanted))
    return wanted, of[group]


def _by_bytes(details: Details) -> Ints:
    """(g,) Numbers that rise as the bytes of the names of groups do."""
    groups = details.grouped[1]
    order = sorted(range(len(groups.names)), key=groups.names.__getitem__)
    return segments.inverse(np.array(order, dtype=np.int64))[groups.name]


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
        """Those from one to before another."""
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
        """All of them, some at a time: what is made of so many stays in the cache."""
        size = sum((np.diff(begins).astype(np.int64) for begins in self._begins), self.count.astype(np.int64))
        so_far, first = np.cumsum(size), 0
        while not first or first < len(size):  # once if there are none
            before = so_far[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(so_far, before + _PART, "right")))
            yield self.some(first, min(last, len(size)))
            first = last


_PART = 1 << 16
"""Rows and preferences that are looked at together."""


def judged_groups(ranked: Ranked) -> Judged:
    details = ranked.details
    if details is None or ranked.judgment is None or ranked.judged is None:
        raise ValueError("these rankings have no preferences")
    known = details.once(preferences, ranked.settings.single_precision)
    number, retrieved = _numbers(ranked, details, ranked.judgment, ranked.judged)
    owner, row = details.rows(ranked.judged)
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
    of_judgment[ranked.judged] = number
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
    """All preferences."""
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
    """(g,) How many rows stand above one of a lower level, for each of these.

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
    """Of groups with several subgroups, the preferences that are kept."""
    group, better, worse = some.group[kept], some.better[kept], some.worse[kept]
    last = some.retrieved[group]
    both = (better < last) & (worse < last)
    one = ~both & ((better < last) | (worse < last))
    up = (better < worse) & (better < last)
    return PreferenceCounts(
        *(segments.count(group[each], some.groups) for each in (both & up, one & up, both, one, ~both & ~one))
    )


# Averages over groups
