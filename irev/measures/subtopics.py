"""What measures of diversity are made of: which results are relevant to which subtopics, and how often each was met.

A document is relevant to a subtopic when its grade for that reaches the relevance level. The subtopics of a topic are
those with a relevant document, retrieved or not, and all of them count alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from irev.base import segments
from irev.base.aggregates import total
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Floats, Ints
from irev.measures.expected_over_ties import chances
from irev.measures.measure import Terms
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Details


@dataclass(frozen=True, eq=False)
class Relevance:
    """Pairs of a document and a subtopic that it is relevant to, by document and then by subtopic.

    Attributes
    ----------
    document : int (r,)
        A place among the hits of `Ranked`, or among its judgments, whichever documents these are.
    subtopic : int (r,)
        An index into the groups of `Details`, of all queries.
    grade : float (r,)
        The grade of the document for the subtopic.
    """

    document: Ints
    subtopic: Ints
    grade: Floats

    @property
    def met(self) -> Ints:
        """(r,) How many documents above are relevant to the same subtopic."""
        order = segments.stable_order(self.subtopic)
        count = np.empty(len(order), dtype=np.int64)
        ordered = self.subtopic[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        sizes = np.diff(np.append(first, len(ordered)))
        count[order] = np.arange(len(ordered)) - np.repeat(first, sizes)
        return count


def details(ranked: Ranked) -> Details:
    """The rows of the judgments, which measures of subtopics have."""
    if ranked.details is None or ranked.details.groups is None or ranked.judgment is None or ranked.judged is None:
        raise ValueError("these are no judgments of subtopics")
    return ranked.details


def _relevance(ranked: Ranked, judgment: AnyInts) -> Relevance:
    found = details(ranked)
    document, row = found.rows(judgment)
    group = np.empty(0, np.int64) if found.group is None else found.group[row]
    kept = np.flatnonzero(found.grade[row] >= ranked.settings.level)
    return Relevance(document[kept], group[kept], found.grade[row[kept]])


def retrieved(ranked: Ranked) -> Relevance:
    """The relevance of the hits."""
    return _relevance(ranked, np.empty(0, np.int64) if ranked.judgment is None else ranked.judgment)


def judged(ranked: Ranked) -> Relevance:
    """The relevance of all judged documents."""
    return _relevance(ranked, np.empty(0, np.int64) if ranked.judged is None else ranked.judged)


def relevant_documents(ranked: Ranked) -> Ints:
    """(g,) How many documents are relevant to each group of the file; those of other queries have none."""
    groups = details(ranked).groups
    return np.bincount(ranked.once(judged).subtopic, minlength=0 if groups is None else len(groups))


def number(ranked: Ranked) -> Ints:
    """(q,) How many subtopics each query has."""
    found = ranked.once(judged)
    _, first = _distinct(found.subtopic)
    return segments.count(np.sort(ranked.judged_owner[found.document[first]]), ranked.size)


def _distinct(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, rising, and where each first comes."""
    order = segments.stable_order(values)
    ordered = values[order]
    opens = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return ordered[opens], order[opens]


def powers(alpha: float, most: int) -> Floats:
    """1, 1 - alpha, (1 - alpha)², …: what a subtopic that was met so often still counts, multiplied up one by one."""
    factors = np.full(most + 1, 1.0 - alpha)
    factors[0] = 1.0
    return np.cumprod(factors)


def novelty(ranked: Ranked, alpha: float) -> Floats:
    """(h,) What each hit adds: over its subtopics, (1 - alpha) to the power of how often each was met above."""
    found = ranked.once(retrieved)
    met = found.met
    left = powers(alpha, int(met.max(initial=0)))
    return np.bincount(found.document, weights=left[met], minlength=len(ranked.rank)).astype(np.float64, copy=False)


def covered(ranked: Ranked) -> Ints:
    """(h,) How many subtopics each hit is the first to be relevant to."""
    found = ranked.once(retrieved)
    return np.bincount(found.document[found.met == 0], minlength=len(ranked.rank))


def expected_novelty(ranked: Ranked, alpha: float, weights: Floats) -> tuple[Ints, Ints, Floats]:
    """What is added at the ranks of each tie, over all orders of its documents: query, first rank, and the expected
    sum of novelty times the weight of the rank, of which there is one for each from 1 to `Ranked.last_rank`.

    Of h documents of a tie that are relevant to a subtopic the first stands at each place with a known probability,
    and counts (1 - alpha)^c if c were met above; the second counts (1 - alpha)^(c + 1), and so on.
    """
    found = ranked.once(retrieved)
    first = ranked.tie_first[found.document]
    size = ranked.tie_last[found.document] - first + 1
    order = np.lexsort((found.document, found.subtopic))
    subtopic, first, size = found.subtopic[order], first[order], size[order]
    owner, met = ranked.owner[found.document[order]], found.met[order]
    opens = np.append(True, (subtopic[1:] != subtopic[:-1]) | (first[1:] != first[:-1]))[: len(order)]
    begins = np.flatnonzero(opens)
    tied = np.diff(np.append(begins, len(order)))
    left = powers(alpha, int(met.max(initial=0)))
    values = left[met[begins]] * weights[first[begins] - 1]
    last = int(np.flatnonzero(weights).max(initial=-1)) + 1  # what stands further down counts nothing
    known: dict[tuple[int, int, int, int], float] = {}  # most ties are alike in one large one
    for i in np.flatnonzero(size[begins] > 1).tolist():
        begin, m, h = int(begins[i]), int(size[begins[i]]), int(tied[i])
        above, before = int(met[begin]), int(first[begin]) - 1
        if (before, m, h, above) not in known:
            of_ranks = weights[before:][:m]
            counting = range(min(h, max(last - before, 0)))
            each = [left[above + n] * float(chances(m, h, n) @ of_ranks) for n in counting]
            known[before, m, h, above] = total(np.array(each))
        values[i] = known[before, m, h, above]
    by_rank = np.lexsort((begins, first[begins], owner[begins]))
    begins = begins[by_rank]
    return owner[begins], first[begins], values[by_rank]


def apart(ranked: Ranked) -> tuple[Ranked, Ints]:
    """Each subtopic as a query of its own, for measures that are means over subtopics; and the query that each is of.

    The hits and the judged documents of a subtopic are those that are relevant to it, with their grades for it.
    """
    of_hits, of_judged = ranked.once(retrieved), ranked.once(judged)
    subtopic, first = _distinct(of_judged.subtopic)
    owner = ranked.judged_owner[of_judged.document[first]]
    hits = segments.stable_order(of_hits.subtopic)
    place_of = np.searchsorted(subtopic, of_judged.subtopic)
    by_grade = np.lexsort((-of_judged.grade, place_of))
    place = of_hits.document[hits]
    names = details(ranked).groups
    split = replace(
        ranked,
        queries=tuple(b"" if names is None else names.called(group) for group in subtopic.tolist()),
        missing=ranked.missing[owner],
        retrieved=ranked.retrieved[owner],
        owner=np.searchsorted(subtopic, of_hits.subtopic[hits]),
        rank=ranked.rank[place],
        grade=of_hits.grade[hits],
        tie_first=ranked.tie_first[place],
        tie_last=ranked.tie_last[place],
        judged_owner=place_of[by_grade],
        judged_grade=of_judged.grade[by_grade],
        considered=len(subtopic),
        details=None,
        judgment=None,
        judged=None,
        _views={},
    )
    return split, owner


def mean_over_subtopics(ranked: Ranked, of: Callable[[Ranked], Floats]) -> Floats:
    """(q,) The mean over the subtopics of each query of a measure of the results for one; 0 where there are none."""
    split, owner = ranked.once(apart)
    return segments.ratio(segments.total(of(split), owner, ranked.size), ranked.once(number))


def terms_over_subtopics(ranked: Ranked, of: Callable[[Ranked], Terms]) -> Terms:
    """The same of a sum over ranks, as such a sum: a term for each document that is relevant to any subtopic."""
    split, owner = ranked.once(apart)
    found = of(split)
    values = segments.ratio(found.times * found.values, np.broadcast_to(found.over, split.size)[found.owner])
    query, rank = owner[found.owner], found.rank
    order = np.lexsort((rank, query))
    query, rank = query[order], rank[order]
    opens = np.append(True, (query[1:] != query[:-1]) | (rank[1:] != rank[:-1]))[: len(order)]
    summed = segments.total(values[order], np.cumsum(opens) - 1, int(opens.sum()))
    return Terms(query[opens], rank[opens], summed, ranked.once(number))
