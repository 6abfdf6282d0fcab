"""Fusion done slowly and obviously, of plain dictionaries and exact fractions: what judges `irev.ranking.fusion`.

A run is ``{query: {document: score}}`` with ids as bytes.
"""

import math
from fractions import Fraction
from statistics import median

Run = dict[bytes, dict[bytes, float]]


def ranking(scores: dict[bytes, float], depth: int | None = None) -> list[bytes]:
    """Documents by score, highest first; those of equal score by id, highest first."""
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])[:depth]


def normalised(scores: dict[bytes, float], norm: str, depth: int | None) -> dict[bytes, Fraction]:
    """The first documents, and what stands for their scores."""
    documents = ranking(scores, depth)
    exact = {document: Fraction(scores[document]) for document in documents}
    n = len(documents)
    if norm == "none":
        return exact
    if norm == "rank":
        return {document: 1 - Fraction(rank, n) for rank, document in enumerate(documents)}
    lowest, highest = min(exact.values()), max(exact.values())
    alike = lowest == highest
    if norm == "max":
        return {document: exact[document] / highest for document in documents}
    if norm == "min-max":
        return {
            document: Fraction(1) if alike else (exact[document] - lowest) / (highest - lowest)
            for document in documents
        }
    if norm == "sum":
        above = sum(score - lowest for score in exact.values())
        return {document: Fraction(1, n) if alike else (exact[document] - lowest) / above for document in documents}
    if norm == "z":
        mean = sum(exact.values()) / n
        variance = sum((score - mean) ** 2 for score in exact.values()) / n
        return {document: Fraction(0) if alike else (exact[document] - mean) / root(variance) for document in documents}
    raise ValueError(norm)


def root(square: Fraction) -> Fraction:
    """The square root of a fraction, to 40 digits and more."""
    digits = 10**40
    return Fraction(math.isqrt(square.numerator * square.denominator * digits**2), square.denominator * digits)


def fused(
    runs: list[Run],
    method: str,
    norm: str = "min-max",
    k: float = 60,
    weights: list[float] | None = None,
    depth: int | None = None,
) -> dict[bytes, dict[bytes, float]]:
    """The fused score of every document of every query."""
    worth = [Fraction(weight) for weight in weights or [1] * len(runs)]
    found: dict[bytes, dict[bytes, float]] = {}
    for query in dict.fromkeys(query for run in runs for query in run):
        rankings = [ranking(run.get(query, {}), depth) for run in runs]
        candidates = {document for documents in rankings for document in documents}
        found[query] = {
            document: float(score(document, query, runs, rankings, len(candidates), method, norm, k, worth, depth))
            for document in candidates
        }
    return found


def score(
    document: bytes,
    query: bytes,
    runs: list[Run],
    rankings: list[list[bytes]],
    candidates: int,
    method: str,
    norm: str,
    k: float,
    worth: list[Fraction],
    depth: int | None,
) -> Fraction:
    """The fused score of one document."""
    having = [number for number, documents in enumerate(rankings) if document in documents]
    rank = {number: rankings[number].index(document) + 1 for number in having}
    if method == "rrf":
        return sum(worth[number] / (Fraction(k) + rank[number]) for number in having)
    if method == "isr":
        return len(having) * sum(Fraction(1, rank[number] ** 2) for number in having)
    if method == "borda":
        return sum(
            worth[number]
            * (candidates - rank[number] + 1 if number in having else Fraction(candidates - len(documents) + 1, 2))
            for number, documents in enumerate(rankings)
        )
    scores = [normalised(runs[number][query], norm, depth)[document] for number in having]
    if method == "combsum":
        return sum(worth[number] * value for number, value in zip(having, scores, strict=True))
    return {
        "combmnz": sum(scores) * len(scores),
        "combanz": sum(scores) / len(scores),
        "combmax": max(scores),
        "combmin": min(scores),
        "combmed": median(scores),
    }[method]
