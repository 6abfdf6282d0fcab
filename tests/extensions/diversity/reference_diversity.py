"""Measures of judgments of subtopics, as their definitions say, with nothing shared with what they judge.

A ranking is a list of documents, or of lists of documents that tie. `judged` has ``{document: {subtopic: grade}}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

Judged = dict[str, dict[str, float]]
Weight = Callable[[int], float]


def relevant(judged: Judged, document: str, level: float) -> list[str]:
    """The subtopics that a document is relevant to, smaller numbers first."""
    found = judged.get(document, {})
    return sorted((topic for topic, grade in found.items() if grade >= level), key=int)


def subtopics(judged: Judged, level: float) -> list[str]:
    return sorted({topic for document in judged for topic in relevant(judged, document, level)}, key=int)


def novelties(judged: Judged, ranking: Sequence[str], alpha: float, level: float) -> list[float]:
    """What each result adds."""
    met: dict[str, int] = {}
    added = []
    for document in ranking:
        topics = relevant(judged, document, level)
        added.append(sum((1 - alpha) ** met.get(topic, 0) for topic in topics))
        for topic in topics:
            met[topic] = met.get(topic, 0) + 1
    return added


def gain(judged: Judged, ranking: Sequence[str], alpha: float, level: float, weight: Weight, k: int | None) -> float:
    return sum(value * weight(i) for i, value in enumerate(novelties(judged, ranking, alpha, level)[:k], start=1))


def greedy(judged: Judged, alpha: float, level: float) -> list[str]:
    """At each rank the document that adds most, of several the one with the highest id."""
    ranking: list[str] = []
    left = set(judged)
    while left:
        best = max(left, key=lambda document: (novelties(judged, [*ranking, document], alpha, level)[-1], document))
        ranking.append(best)
        left.remove(best)
    return ranking


def ideal(judged: Judged, alpha: float, level: float, weight: Weight, k: int | None, which: str) -> float:
    if which == "greedy":
        return gain(judged, greedy(judged, alpha, level), alpha, level, weight, k)
    useful = [document for document in judged if relevant(judged, document, level)]
    length = len(useful) if k is None else min(k, len(useful))
    return max(gain(judged, ranking, alpha, level, weight, k) for ranking in permutations(useful, length))


def perfect(judged: Judged, alpha: float, level: float, weight: Weight, k: int) -> float:
    return len(subtopics(judged, level)) * sum((1 - alpha) ** (i - 1) * weight(i) for i in range(1, k + 1))


def by_logarithm(i: int) -> float:
    return 1 / math.log2(i + 1)


def by_rank(i: int) -> float:
    return 1 / i


def shared(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def alpha_dcg(judged, ranking, level, k, alpha=0.5, norm="perfect"):
    over = perfect(judged, alpha, level, by_logarithm, k) if norm == "perfect" else 1.0
    return shared(gain(judged, ranking, alpha, level, by_logarithm, k), over)


def alpha_ndcg(judged, ranking, level, k, alpha=0.5, ideal_is="greedy"):
    best = ideal(judged, alpha, level, by_logarithm, k, ideal_is)
    return shared(gain(judged, ranking, alpha, level, by_logarithm, k), best)


def err_ia(judged, ranking, level, k, alpha=0.5, norm="perfect"):
    if norm == "perfect":
        over = perfect(judged, alpha, level, by_rank, k)
        return shared(gain(judged, ranking, alpha, level, by_rank, k), over)
    # For each subtopic a reader who is satisfied by a relevant document with probability alpha.
    each = []
    for topic in subtopics(judged, level):
        goes_on, value = 1.0, 0.0
        for i, document in enumerate(ranking[:k], start=1):
            if topic in relevant(judged, document, level):
                value += goes_on * alpha / i
                goes_on *= 1 - alpha
        each.append(value)
    return shared(sum(each), len(each))


def nerr_ia(judged, ranking, level, k, alpha=0.5, ideal_is="greedy"):
    best = ideal(judged, alpha, level, by_rank, k, ideal_is)
    return shared(gain(judged, ranking, alpha, level, by_rank, k), best)


def nrbp(judged, ranking, level, k=None, alpha=0.5, beta=0.5):
    found = gain(judged, ranking, alpha, level, lambda i: beta ** (i - 1), k)
    return shared((1 - (1 - alpha) * beta) * found, len(subtopics(judged, level)))


def nnrbp(judged, ranking, level, k=None, alpha=0.5, beta=0.5, ideal_is="greedy"):
    def weight(i: int) -> float:
        return beta ** (i - 1)

    return shared(gain(judged, ranking, alpha, level, weight, k), ideal(judged, alpha, level, weight, None, ideal_is))


def over_subtopics(judged, level, of) -> float:
    topics = subtopics(judged, level)
    return shared(sum(of(topic) for topic in topics), len(topics))


def precision_ia(judged, ranking, level, k):
    def of(topic: str) -> float:
        return sum(topic in relevant(judged, document, level) for document in ranking[:k]) / k

    return over_subtopics(judged, level, of)


def map_ia(judged, ranking, level, k=None):
    def of(topic: str) -> float:
        there = [topic in relevant(judged, document, level) for document in ranking[:k]]
        total = sum(topic in relevant(judged, document, level) for document in judged)
        return sum(sum(there[: i + 1]) / (i + 1) for i, hit in enumerate(there) if hit) / total

    return over_subtopics(judged, level, of)


def worth(grade: float, gain_is: str) -> float:
    return grade if gain_is == "linear" else 2.0**grade - 1


def ndcg_ia(judged, ranking, level, k, gain_is="linear"):
    def of(topic: str) -> float:
        def gain_of(document: str) -> float:
            there = topic in relevant(judged, document, level)
            return worth(judged[document][topic], gain_is) if there else 0.0

        best = sorted(map(gain_of, judged), reverse=True)
        top, bottom = (
            sum(g * by_logarithm(i) for i, g in enumerate(gains[:k], start=1))
            for gains in (list(map(gain_of, ranking)), best)
        )
        return top / bottom

    return over_subtopics(judged, level, of)


def strec(judged, ranking, level, k):
    met = {topic for document in ranking[:k] for topic in relevant(judged, document, level)}
    return shared(len(met), len(subtopics(judged, level)))


def d_ndcg(judged, ranking, level, k, gain_is="linear"):
    def gain_of(document: str) -> float:
        return sum(worth(judged[document][topic], gain_is) for topic in relevant(judged, document, level))

    best = sorted(map(gain_of, judged), reverse=True)
    top, bottom = (
        sum(g * by_logarithm(i) for i, g in enumerate(gains[:k], start=1))
        for gains in ([gain_of(document) for document in ranking], best)
    )
    return shared(top, bottom)


def d_sharp_ndcg(judged, ranking, level, k, gamma=0.5, gain_is="linear"):
    return gamma * strec(judged, ranking, level, k) + (1 - gamma) * d_ndcg(judged, ranking, level, k, gain_is)


MEASURES = {
    "alpha_dcg": alpha_dcg,
    "alpha_ndcg": alpha_ndcg,
    "err_ia": err_ia,
    "nerr_ia": nerr_ia,
    "nrbp": nrbp,
    "nnrbp": nnrbp,
    "P_ia": precision_ia,
    "map_ia": map_ia,
    "ndcg_ia": ndcg_ia,
    "strec": strec,
    "d_ndcg": d_ndcg,
    "d_sharp_ndcg": d_sharp_ndcg,
}

OPTIONS = {"ideal": "ideal_is", "gain": "gain_is"}
"""What options of measures are called here where a name is taken."""


def orders(ties: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Every ranking that ties allow."""
    for parts in product(*(permutations(tie) for tie in ties)):
        yield [document for part in parts for document in part]
