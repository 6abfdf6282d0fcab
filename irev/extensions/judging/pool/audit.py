"""Audit: the queries, or the documents, that a human is to judge to check models, each drawn with a known probability.

Without judgments of models queries are drawn alike, one as likely as the other. With these, queries stand in the order
of what the models' judgments say that the runs score, and are drawn at even distances (systematic sampling: Madow, On
the Theory of Systematic Sampling, Annals of Mathematical Statistics 20(3), 1949), so that easy and hard ones are there
in their shares; and those on which models or runs disagree are more likely, since human judgments can change most
there. Documents are drawn in the same way, each with a probability in proportion to how much it can move the difference
of two runs and to how little the models are sure of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.segments import Bools, Floats, Ints, log2
from irev.base.settings import CURRENT, Settings
from irev.commands.drawn import adds_of, require_sums
from irev.extensions.judging.pool.candidates import AUDIT, Candidates, by_hashes
from irev.measures import parse
from irev.measures.request import Request
from irev.reading.judgments import Judgments

EVEN = 2.0
"""What a query weighs beside how much is disagreed on it, in mean disagreements: no query is drawn with less than two
thirds of the probability that it would have if all were alike."""

OF_MEANS = 0.1
"""How much what a document adds to both runs weighs beside what it adds to their difference: none that adds to either
is never drawn, so that the means of both runs are unbiased, too."""


def alike(queries: Sequence[bytes], number: int, seed: int) -> dict[bytes, float]:
    """So many queries, drawn at random. Those that were drawn first come first, so that a larger number, and a further
    draw with the same seed, go on where the last one ended."""
    order = by_hashes(seed, AUDIT, b"", queries, range(len(queries)))
    return {queries[place]: number / len(queries) for place in order[:number]}


def by_disagreement(
    candidates: Sequence[Candidates], models: Sequence[Judgments], number: int, depth: int, seed: int, level: float
) -> dict[bytes, float]:
    """So many queries, and the probability of each: in proportion to 2 + d/d̄, d being how much is disagreed.

    The score of a run is that of its first `depth` documents by the judgments of a model: Σ relevant/log2(1 + rank),
    of all that there could be. d is how far the runs are apart, by the means of all models, plus how far the models
    are apart, by the means of all runs.
    """
    scores = np.array([_scores(each, models, depth, level) for each in candidates])  # (q, models, runs)
    disagreed = np.ptp(scores.mean(axis=1), axis=1) + np.ptp(scores.mean(axis=2), axis=1)
    middle = float(disagreed.mean())
    size = EVEN + disagreed / middle if middle else np.ones(len(candidates))
    queries = [each.query for each in candidates]
    order = by_hashes(seed, AUDIT, b"", queries, range(len(queries)))
    by_score = np.array(order)[np.argsort(scores.mean(axis=(1, 2))[order], kind="stable")]
    probability = probabilities(size, number)
    drawn = evenly(probability, by_score, _uniform(seed))
    return {queries[place]: float(probability[place]) for place in np.flatnonzero(drawn).tolist()}


def _scores(candidates: Candidates, models: Sequence[Judgments], depth: int, level: float) -> Floats:
    """(models, runs) What each run scores by each model."""
    held = _relevant(candidates, models, level)[:, candidates.document]
    found = np.zeros((len(models), candidates.runs))
    for model, relevant in enumerate(held):
        found[model] = np.bincount(candidates.run, relevant / log2(candidates.rank + 1), candidates.runs)
    return found / float((1 / log2(np.arange(2, depth + 2))).sum())


def _relevant(candidates: Candidates, models: Sequence[Judgments], level: float) -> Bools:
    """(models, d) Whether each model holds each document to be relevant."""
    grades = [model.graded(candidates.query) for model in models]
    return np.array([[each.get(document, -1.0) >= level for document in candidates.documents] for each in grades])


def measure_of(name: str) -> Request:
    """The measure whose difference documents are drawn for. Raises `UsageError` unless it is a sum over ranks."""
    requests = parse([name], CURRENT)
    require_sums(requests)
    if len(requests) > 1:
        raise UsageError(f"documents are drawn for one measure, but {name} is several", remedy="name one, such as P@10")
    return requests[0]


def documents(
    candidates: Sequence[Candidates],
    models: Sequence[Judgments],
    number: int,
    measure: Request,
    seed: int,
    settings: Settings,
) -> dict[bytes, Mapping[bytes, float]]:
    """So many documents of all queries of two runs together, with the probability of each: in proportion to
    (|a - b| + (a + b)/10)·√(p(1 - p)), a and b being what a relevant document adds at its ranks in the two runs, and
    p = (1 + r)/(2 + m), of m models of which r hold it to be relevant."""
    deepest = max((int(each.rank.max(initial=0)) for each in candidates), default=0)
    adds = adds_of(measure, {(rank, settings.level or 1.0) for rank in range(1, deepest + 1)}, settings)
    by_rank = np.array([0.0, *(adds[rank, settings.level or 1.0] for rank in range(1, deepest + 1))])
    sizes, names = [], []
    for each in candidates:
        one, other = by_rank[each.ranks(0)], by_rank[each.ranks(1)]
        likely = (1 + _relevant(each, models, settings.level).sum(axis=0)) / (2 + len(models))
        size = (np.abs(one - other) + OF_MEANS * (one + other)) * np.sqrt(likely * (1 - likely))
        order = by_hashes(seed, AUDIT, each.query, each.documents, range(len(size)))
        sizes.append(size[order])
        names += [(each.query, each.documents[place]) for place in order]
    size = np.concatenate(sizes)
    there = int(np.count_nonzero(size))
    if number > there:
        fact = f"{option('audit')} is {number:,}, and {there:,} documents of the runs can move {measure.standard}"
        raise UsageError(fact, remedy="ask for fewer")
    probability = probabilities(size, number)
    drawn = evenly(probability, np.arange(len(size)), _uniform(seed))
    found: dict[bytes, dict[bytes, float]] = {each.query: {} for each in candidates}
    for place in np.flatnonzero(drawn).tolist():
        query, document = names[place]
        found[query][document] = float(probability[place])
    return {**found}


def probabilities(size: Floats, number: int) -> Floats:
    """(n,) How likely each is drawn if so many are: in proportion to its size, 1 where that would be more. They add up
    to the number."""
    certain = np.zeros(len(size), dtype=bool)
    while True:
        rest = number - np.count_nonzero(certain)
        others = np.where(certain, 0.0, size)
        likely = np.where(certain, 1.0, rest * others / (others.sum() or 1.0))
        more = ~certain & (likely >= 1)
        if not more.any():
            return likely
        certain |= more


def evenly(probability: Floats, order: Ints, start: float) -> Bools:
    """(n,) Which are drawn: those that are certain, and of the others, laid out in an order one behind the other, each
    as long as its probability, those that lie at `start`, from 0 to 1, and at every whole number further on."""
    drawn = probability >= 1
    others = order[~drawn[order]]
    ends = np.cumsum(probability[others])
    number = round(float(ends[-1])) if len(ends) else 0
    # Two points are 1 apart and nothing is as long, so that no two fall on one.
    places = np.minimum(np.searchsorted(ends, start + np.arange(number), side="right"), len(ends) - 1)
    drawn[others[places]] = True
    return drawn


def _uniform(seed: int) -> float:
    """A number from 0 to 1, below it, that is the same everywhere."""
    return int.from_bytes(blake2b(b"%b %d" % (AUDIT, seed), digest_size=6).digest()) / 2**48
