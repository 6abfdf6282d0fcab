"""What measures of diversity are made of: which results are relevant to which subtopics, and how often each was met.

A document is relevant to a subtopic when its grade for that reaches the relevance level. The subtopics of a topic are
those with a relevant document, retrieved or not, and all of them count alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, repeat

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, sum_in_order
from irev.measures.expected_over_ties import expected_at
from irev.measures.measure import Terms
from irev.ranking.ranked import Ranked
from irev.reading import ids
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
        first = np.flatnonzero(segments.opens(ordered))
        sizes = np.diff(np.append(first, len(ordered)))
        count[order] = np.arange(len(ordered)) - np.repeat(first, sizes)
        return count


def _relevance(ranked: Ranked, details: Details, judgment: Ints) -> Relevance:
    document, row = details.rows(judgment)
    kept = np.flatnonzero(details.grade[row] >= ranked.settings.level)
    return Relevance(document[kept], details.grouped[0][row[kept]], details.grade[row[kept]])


def retrieved(ranked: Ranked) -> Relevance:
    """The relevance of the hits."""
    details, judgment, _ = ranked.detailed
    return _relevance(ranked, details, judgment)


def judged(ranked: Ranked) -> Relevance:
    """The relevance of all judged documents."""
    details, _, of_judged = ranked.detailed
    return _relevance(ranked, details, of_judged)


def relevant_documents(ranked: Ranked) -> Ints:
    """(g,) How many documents are relevant to each group of the file; those of other queries have none."""
    details, _, _ = ranked.detailed
    return np.bincount(ranked.once(judged).subtopic, minlength=len(details.grouped[1]))


def number(ranked: Ranked) -> Ints:
    """(q,) How many subtopics each query has."""
    found = ranked.once(judged)
    _, first = _distinct(found.subtopic)
    return segments.count(np.sort(ranked.judged_owner[found.document[first]]), ranked.size)


def _distinct(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, rising, and where each first comes."""
    order = segments.stable_order(values)
    ordered = values[order]
    opens = segments.opens(ordered)
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
    begins = np.flatnonzero(segments.opens(subtopic, first))
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
            each = [left[above + n] * expected_at(m, h, n, of_ranks) for n in counting]
            known[before, m, h, above] = sum_in_order(np.array(each))
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
    names = ranked.detailed[0].grouped[1]
    split = replace(
        ranked,
        queries=tuple(map(names.called, subtopic.tolist())),
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
    opens = segments.opens(query, rank)
    summed = segments.total(values[order], np.cumsum(opens) - 1, int(opens.sum()))
    return Terms(query[opens], rank[opens], summed, ranked.once(number))


PATIENCE = 20_000
"""So many sets of documents are looked at for the exact ideal of one query; fewer where the documents are many."""


@dataclass(frozen=True, eq=False)
class Greedy:
    """The greedy ranking: query, rank and novelty of its documents."""

    owner: Ints
    rank: Ints
    value: Floats

    def total(self, weights: Floats, queries: int) -> Floats:
        """(q,) The novelty of each rank times its weight, added up as far as there are weights."""
        near = self.rank <= len(weights)
        return segments.total(self.value[near] * weights[self.rank[near] - 1], self.owner[near], queries)


def greedy(ranked: Ranked, alpha: float, depth: int) -> Greedy:
    """The greedy ranking of each query, its first `depth` documents.

    Documents that are relevant to the same subtopics add the same, so that one of them is looked at in each step: the
    one with the highest id that is left.
    """
    order, head, ends, query, of_kind, topic = ranked.once(_by_kind)
    head = head.copy()
    left = np.ones(1 + int(topic.max(initial=-1)))
    parts: list[tuple[Ints, Ints, Floats]] = []
    for rank in range(1, depth + 1):
        if not len(query):
            break
        score = np.bincount(of_kind, weights=left[topic], minlength=len(query))
        opens = np.flatnonzero(segments.opens(query))
        best = np.maximum.reduceat(score, opens)
        alike = score == np.repeat(best, np.diff(np.append(opens, len(query))))
        next_of = np.where(alike, order[head], len(order))
        highest = np.minimum.reduceat(next_of, opens)
        chosen = np.flatnonzero(next_of == np.repeat(highest, np.diff(np.append(opens, len(query)))))
        parts.append((query[chosen], np.full(len(chosen), rank), best))
        met = np.zeros(len(query), dtype=bool)
        met[chosen] = True
        left[topic[met[of_kind]]] *= 1.0 - alpha
        head[chosen] += 1
        there = head < ends
        if not there.all():
            stays = there[of_kind]
            of_kind, topic = (np.cumsum(there) - 1)[of_kind[stays]], topic[stays]
            head, ends, query = head[there], ends[there], query[there]
    if not parts:
        return Greedy(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    of_queries, rank_of, value = (np.concatenate(each) for each in zip(*parts, strict=True))
    in_order = np.lexsort((rank_of, of_queries))
    return Greedy(of_queries[in_order], rank_of[in_order], value[in_order])


def _by_kind(ranked: Ranked) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Relevant documents by kind; where those of each kind begin and end among them, and the query that it is of; and
    the kind and the subtopic of each pair of these. Kinds stand by query."""
    document, subtopic, owner = ranked.once(_numbered)
    kind = _kinds(document, subtopic, len(owner))
    order = np.lexsort((np.arange(len(kind)), kind))
    first = np.flatnonzero(segments.opens(kind[order]))
    ends = np.append(first[1:], len(order))
    head, query = first.copy(), owner[order[first]]
    # The subtopics of a kind are those of any of its documents.
    example = np.zeros(len(owner), dtype=bool)
    example[order[first]] = True
    pairs = np.flatnonzero(example[document])
    of_kind, topic = kind[document[pairs]], subtopic[pairs]
    by_query = segments.stable_order(query)
    place = segments.inverse(by_query)
    head, ends, query, of_kind = head[by_query], ends[by_query], query[by_query], place[of_kind]
    by_kind = segments.stable_order(of_kind)
    of_kind, topic = of_kind[by_kind], topic[by_kind]
    return order, head, ends, query, of_kind, topic


def _kinds(document: Ints, subtopic: Ints, documents: int) -> Ints:
    """(d,) Documents that are relevant to the same subtopics have the same number, given the pairs of both by document.

    Subtopics are those of all queries, so that documents of different queries differ.
    """
    kind = np.zeros(documents, dtype=np.int64)
    first = np.searchsorted(document, np.arange(documents))
    count = np.diff(np.append(first, len(document)))
    for nth in range(int(count.max(initial=0))):
        some = np.flatnonzero(count > nth)
        # What was alike so far, and what the next subtopic is, as one number.
        code = kind.copy()
        code *= int(subtopic.max()) + 2
        code[some] += subtopic[first[some] + nth] + 1
        kind = np.searchsorted(segments.distinct(code), code)
    return kind


def _numbered(ranked: Ranked) -> tuple[Ints, Ints, Ints]:
    """The relevant documents by query and falling id, as numbers: document and subtopic of each pair, and the query of
    each document."""
    found = ranked.once(judged)
    opens = segments.opens(found.document)
    number, relevant = np.cumsum(opens) - 1, found.document[opens]
    owner = ranked.judged_owner[relevant].astype(np.int64)
    details, _, of_judged = ranked.detailed
    documents = details.documents.pick(of_judged[relevant])
    order = ids.falling(documents.text, documents.start, documents.length, owner)
    document = segments.inverse(order)[number]
    by_document = segments.stable_order(document)  # subtopics of a document stay in their order
    return document[by_document], found.subtopic[by_document], owner[order]


def exact(ranked: Ranked, alpha: float, weights: Floats) -> Floats:
    """(q,) The highest sum of novelty times the weight of its rank that any ranking has.

    Raises
    ------
    UsageError
        For a query of which it is not found soon.
    """
    document, subtopic, owner = ranked.once(_numbered)
    known = greedy(ranked, alpha, min(len(weights), int(segments.count(owner, ranked.size).max(initial=0))))
    lowest = known.total(weights, ranked.size)
    first = np.searchsorted(owner[document], np.arange(ranked.size + 1)).tolist()
    for query in range(ranked.size):
        pairs = slice(first[query], first[query + 1])
        topics: dict[int, list[int]] = {}
        for number, topic in zip(document[pairs].tolist(), subtopic[pairs].tolist(), strict=True):
            topics.setdefault(number, []).append(topic)
        kinds = Counter(map(tuple, topics.values()))
        found = _best(kinds, 1.0 - alpha, weights[: len(topics)].tolist(), float(lowest[query]))
        if found is None:
            raise UsageError(
                f"the exact ideal of query {shown(ranked.queries[query])} takes too long",
                remedy="use ideal=greedy, the ideal of ndeval, which may be slightly lower",
            )
        lowest[query] = found
    return lowest


def _best(kinds: Counter[tuple[int, ...]], keeps: float, weights: list[float], known: float) -> float | None:
    """The highest sum for documents of these kinds, each with its number, that is `known` to be reached at least.

    Which documents were taken matters, and not in which order. A set of them is given up when what is left cannot make
    it the best: no document adds more later than it would now.
    """

    def added(topics: list[int], left: list[float]) -> float:
        total = 0.0
        for topic in topics:
            total += left[topic]
        return total

    def weighed(values: Iterable[float], weights: list[float]) -> float:
        total = 0.0
        for value, weight in zip(values, weights, strict=False):
            total += value * weight
        return total

    subtopics = {topic: place for place, topic in enumerate(dict.fromkeys(chain.from_iterable(kinds)))}
    about = [[subtopics[topic] for topic in kind] for kind in kinds]
    number = list(kinds.values())
    reached: dict[tuple[int, ...], float] = {(0,) * len(number): 0.0}
    best, looked_at = known, 0
    for rank, weight in enumerate(weights):
        further: dict[tuple[int, ...], float] = {}
        for taken, value in reached.items():
            looked_at += 1 + len(number) ** 2 // 1000  # each leads to as many others, which are as long
            if looked_at > PATIENCE:
                return None
            met = [0] * len(subtopics)
            for kind, times in enumerate(taken):
                for topic in about[kind]:
                    met[topic] += times
            left = [keeps**times for times in met]
            adds = [added(topics, left) if taken[kind] < number[kind] else 0.0 for kind, topics in enumerate(about)]
            falling = sorted(range(len(adds)), key=lambda kind: -adds[kind])
            most = chain.from_iterable(repeat(adds[kind], number[kind] - taken[kind]) for kind in falling)
            if value + weighed(most, weights[rank:]) <= best * (1 + 1e-15):
                continue
            for kind in falling:
                if taken[kind] == number[kind]:
                    continue
                after = (*taken[:kind], taken[kind] + 1, *taken[kind + 1 :])
                then = value + adds[kind] * weight
                if then > further.get(after, -1.0):
                    further[after] = then
                best = max(best, then)
        reached = further
    return best
