"""Pools made slowly and obviously, of plain dictionaries: what judges `irev.extensions.judging.pool`.

A run is ``{query: {document: score}}``, judgments are ``{query: {document: grade}}``.
"""

from fractions import Fraction

Run = dict[str, dict[str, float]]


def ranking(scores: dict[str, float]) -> list[str]:
    """Documents by score, highest first; those of equal score by id, highest first."""
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def rankings(runs: dict[str, Run], query: str, within: int | None = None) -> list[list[str]]:
    """Of each run its documents for a query, in order."""
    return [ranking(run.get(query, {}))[:within] for run in runs.values()]


def by_depth(runs: dict[str, Run], query: str, depth: int) -> set[str]:
    return {document for documents in rankings(runs, query, depth) for document in documents}


def fused(runs: dict[str, Run], query: str, within: int | None = None) -> dict[str, Fraction]:
    """The exact sum of 1 / (60 + rank) of every document."""
    found: dict[str, Fraction] = {}
    for documents in rankings(runs, query, within):
        for rank, document in enumerate(documents, start=1):
            found[document] = found.get(document, Fraction(0)) + Fraction(1, 60 + rank)
    return found


def by_fusion(runs: dict[str, Run], query: str, budget: int, judged: dict[str, int], within: int | None) -> list[str]:
    score = fused(runs, query, within)
    known = {document for document, grade in judged.items() if grade >= 0}
    order = [document for document in ranking({each: float(score[each]) for each in score}) if document not in known]
    return order[: max(budget - len(known), 0)]


def next_by_bandit(
    runs: dict[str, Run], query: str, judged: dict[str, int], level: float = 1, within: int | None = None
) -> str | None:
    """What MaxMean gives next, given all judgments so far."""
    offers = []
    for documents in rankings(runs, query, within):
        grades = [judged[document] for document in documents if judged.get(document, -1) >= 0]
        mean = Fraction(1 + sum(grade >= level for grade in grades), 2 + len(grades))
        for rank, document in enumerate(documents, start=1):
            if judged.get(document, -1) < 0:
                offers.append((mean, -rank, document))
                break
    return max(offers)[2] if offers else None


def in_strata(runs: dict[str, Run], query: str, depths: list[int]) -> list[set[str]]:
    """The documents of each stratum."""
    found: list[set[str]] = []
    for depth in depths:
        found.append(by_depth(runs, query, depth) - {document for stratum in found for document in stratum})
    return found
