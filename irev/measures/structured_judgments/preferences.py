"""Preferences: how many of them a ranking fulfils, as trec_eval's ``prefs_`` measures have it.

Within a query the judged documents have numbers: those that are retrieved, 0 to ρ - 1, in the order of their ranks, and
behind them the others, in the order of their ids. A preference of a over b is *fulfilled* when a is retrieved and its
number is the lower one; and it is one of three kinds: both are retrieved, one is, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irev.base import aggregates, segments
from irev.base.segments import Bools, Floats, Ints
from irev.measures.measure import measure
from irev.measures.preference_counts import (
    LevelRows,
    PreferenceCounts,
    SomeGroups,
    added,
    counts_of_groups,
    judged_groups,
    of_levels,
    of_pairs,
)
from irev.ranking.ranked import Ranked
from irev.reading.fields import PREFERENCES
from irev.reading.preferences import pairs


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
    return aggregates.total(both), aggregates.total(np.concatenate((both, one))), len(both), len(one), none


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
