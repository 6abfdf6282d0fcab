"""Pools made slowly and obviously, of plain dictionaries: what judges `irev.extensions.judging.pool`.

A run is ``{query: {document: score}}``, judgments are ``{query: {document: grade}}``.
"""

import math
from fractions import Fraction
from itertools import product

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


def sum_of_precisions(documents: list[str], relevant: set[str]) -> float:
    """Average precision without its divisor."""
    found = 0.0
    for rank, document in enumerate(documents, start=1):
        if document in relevant:
            found += len(relevant.intersection(documents[:rank])) / rank
    return found


def discounted(documents: list[str], relevant: set[str], cutoff: int | None) -> float:
    ranked = enumerate(documents[:cutoff], start=1)
    return math.fsum(1 / math.log2(1 + rank) for rank, document in ranked if document in relevant)


def expected_changes(runs: dict[str, Run], query: str, judged: dict[str, int], measure, level: float = 1) -> dict:
    """|E(difference | relevant) - E(difference | not relevant)| of each document that is not judged.

    `measure(documents, relevant)` is evaluated under every way in which the other documents without a judgment can be
    relevant, each as likely as the product of their chances. For few documents.
    """
    first, second = rankings(runs, query)
    there = sorted({*first, *second})
    known = {document: judged[document] >= level for document in there if judged.get(document, -1) >= 0}
    open_ = [document for document in there if document not in known]
    chance = (1 + sum(known.values())) / (2 + len(known))
    found = {}
    for document in open_:
        others = [each for each in open_ if each != document]
        change = 0.0
        for outcome in product((True, False), repeat=len(others)):
            relevant = {each for each, is_relevant in zip(others, outcome, strict=True) if is_relevant}
            relevant |= {each for each, is_relevant in known.items() if is_relevant}
            likely = math.prod(chance if is_relevant else 1 - chance for is_relevant in outcome)
            with_it = measure(first, relevant | {document}) - measure(second, relevant | {document})
            change += likely * (with_it - (measure(first, relevant) - measure(second, relevant)))
        found[document] = abs(change)
    return found


def expected_relevant(runs: dict[str, Run], query: str, judged: dict[str, int], level: float = 1) -> float:
    """How many relevant documents a query is expected to have."""
    there = {document for documents in rankings(runs, query) for document in documents}
    known = {document: grade for document, grade in judged.items() if grade >= 0}
    inside = [grade >= level for document, grade in known.items() if document in there]
    chance = (1 + sum(inside)) / (2 + len(inside))
    return sum(grade >= level for grade in known.values()) + chance * len(there - known.keys())
