"""The best ranking of the judged documents for measures of novelty, which nobody finds fast.

To choose the documents that cover subtopics best is as hard as covering sets. The greedy ranking takes at each rank the
document that adds most, of several the one with the highest id: that is what ndeval divides by, and another ranking may
be better. The exact one is searched for, and refused where that takes too long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, repeat

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.errors import UsageError, shown
from irev.measures.subtopics import details, judged
from irev.ranking.ranked import Ranked
from irev.reading import ids

PATIENCE = 20_000
"""So many sets of documents are looked at for the exact ideal of one query."""


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
        opens = np.flatnonzero(np.append(True, query[1:] != query[:-1]))
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
    first = np.flatnonzero(np.append(True, kind[order][1:] != kind[order][:-1])[: len(order)])
    ends = np.append(first[1:], len(order))
    head, query = first.copy(), owner[order[first]]
    # The subtopics of a kind are those of any of its documents.
    example = np.zeros(len(owner), dtype=bool)
    example[order[first]] = True
    pairs = np.flatnonzero(example[document])
    of_kind, topic = kind[document[pairs]], subtopic[pairs]
    by_query = segments.stable_order(query)
    place = np.empty_like(by_query)
    place[by_query] = np.arange(len(place))
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
    opens = np.append(True, found.document[1:] != found.document[:-1])[: len(found.document)]
    number, relevant = np.cumsum(opens) - 1, found.document[opens]
    owner = ranked.judged_owner[relevant].astype(np.int64)
    known = np.empty(0, np.int64) if ranked.judged is None else ranked.judged[relevant]
    documents = details(ranked).documents.pick(known)
    order = ids.falling(documents.text, documents.start, documents.length, owner)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    document = place[number]
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
                f"the exact ideal of query {shown(ranked.queries[query])} is not found soon enough",
                remedy="ideal=greedy divides by that of ndeval, which may be a little less",
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
            looked_at += 1
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
