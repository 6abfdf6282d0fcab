"""Judgments of several people: a measure is computed for what each of them finds relevant, and averaged over them.

A query has as many groups as there are names in the second column of its judgments, also those of which nobody finds
anything relevant. In the definitions R_g and r_k,g are R and r_k when only the judgments of group g are there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import measure
from irev.measures.parameters import Cutoffs, Levels
from irev.ranking.ranked import Ranked
from irev.reading.fields import GROUPS
from irev.reading.judgments import Details


def in_order(details: Details, group: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Groups by query and name, and the place of the group of each row among them.

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


class _GroupHits(NamedTuple):
    """What is relevant to the groups of the queries.

    Attributes
    ----------
    query, total : int (g,)
        The query of each group, those of a query by the bytes of their names; and R_g.
    group, rank, found : int (h,)
        Each relevant document of each group: the group, its rank, and how many there are up to it.
    """

    query: Ints
    total: Ints
    group: Ints
    rank: Ints
    found: Ints

    def mean(self, values: Floats, queries: int) -> Floats:
        """The mean of the values of the groups of each query."""
        return segments.ratio(segments.total(values, self.query, queries), segments.count(self.query, queries))

    def within(self, depth: Ints | int) -> Ints:
        """(g,) r_k,g, given one rank, or one for each group."""
        limit = depth if isinstance(depth, int) else depth[self.group]
        return segments.count(self.group[self.rank <= limit], len(self.query))


def _hits(ranked: Ranked) -> _GroupHits:
    details, judgment, judged = ranked.detailed
    group_of, groups = details.grouped
    settings = ranked.settings
    owner, row = details.rows(judged)
    wanted, group = in_order(details, group_of[row], ranked.judged_owner[owner])
    query = np.zeros(len(wanted), dtype=np.int64)
    query[group] = ranked.judged_owner[owner]
    total = segments.count(group[details.grade[row] >= settings.level], len(wanted))
    place = np.full(len(groups), -1, dtype=np.int64)
    place[wanted] = np.arange(len(wanted))

    owner, row = details.rows(judgment)
    if settings.judged_only:  # without what the group itself has no grade of 0 or more for
        kept = details.grade[row] >= 0
        owner, row = owner[kept], row[kept]
    group, rank = place[group_of[row]], ranked.rank[owner]
    order = np.lexsort((rank, group))
    group, rank, row = group[order], rank[order], row[order]
    if settings.judged_only:
        rank = segments.position(group, len(wanted)) + 1
    relevant = details.grade[row] >= settings.level
    group, rank = group[relevant], rank[relevant]
    return _GroupHits(query, total, group, rank, segments.position(group, len(wanted)) + 1)


@measure("map_avgjg", standard="AP_avgjg", of=GROUPS)
def average_precision(ranked: Ranked) -> Floats:
    """Average precision, averaged over judgment groups.

    map_avgjg = mean over groups of (Σ over the documents that the group finds relevant of r_i,g / i) / R_g, where i is
    the rank of the document; 0 for a group with R_g = 0.

    Example: grades of two groups 1 0 | 0 1: map_avgjg 0.7500.
    """
    hits = ranked.once(_hits)
    precisions = segments.total(hits.found / hits.rank, hits.group, len(hits.query))
    return hits.mean(segments.ratio(precisions, hits.total), ranked.size)


@measure("P_avgjg", standard="P_avgjg", over=Cutoffs(*CUTOFFS), of=GROUPS)
def precision(ranked: Ranked, k: int) -> Floats:
    """Precision of the first k results, averaged over judgment groups.

    P_avgjg_k = mean over groups of r_k,g / k. Missing ranks count as not relevant.

    Example: grades of two groups 1 1 | 0 1: P_avgjg_2 0.7500.
    """
    hits = ranked.once(_hits)
    return hits.mean(hits.within(k) / k, ranked.size)


@measure(
    "Rprec_mult_avgjg",
    standard="RprecMult_avgjg",
    over=Levels(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
    of=GROUPS,
)
def r_precision(ranked: Ranked, multiple: float) -> Floats:
    """Precision at multiples of R_g, averaged over judgment groups.

    Rprec_mult_avgjg_c = mean over groups of r_k,g / k, where k = trunc(c · R_g + 0.9); 0 for a group where k is 0.

    Example: grades of two groups 1 0 | 0 1: Rprec_mult_avgjg_1.00 0.5000.
    """
    hits = ranked.once(_hits)
    depth = np.clip(np.trunc(multiple * hits.total + 0.9), 0, 2.0**62)
    return hits.mean(segments.ratio(hits.within(depth), depth), ranked.size)
