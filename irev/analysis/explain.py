"""Why a query has the number that it has: its ranking, and for each measure the terms that add up to the value.

Many measures are sums over ranks (`irev.measures.measure.Terms`). Of these the terms are told one by one, added from
left to right as the evaluation adds them, so that nothing remains unexplained. Of the others, what they are made of is
told as far as it can be counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.analysis.single_queries import scaled
from irev.base.records import dataclass
from irev.evaluation.scores import evaluate, terms
from irev.measures import MEASURES, Request
from irev.measures.gains import Gained
from irev.measures.measure import MadeOf, Terms
from irev.measures.parameters import Value
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked


class Counts(NamedTuple):
    """How much there is.

    Attributes
    ----------
    retrieved : int
        Documents retrieved.
    relevant, nonrelevant : int
        How many of them are judged, with a grade that reaches the relevance level or one below.
    unjudged : int
        How many are not, those with a negative grade included.
    relevant_total, nonrelevant_total : int
        Documents judged so, retrieved or not.
    """

    retrieved: int
    relevant: int
    nonrelevant: int
    unjudged: int
    relevant_total: int
    nonrelevant_total: int


class Missed(NamedTuple):
    """A relevant document that was not retrieved."""

    document: bytes
    grade: float


class Term(NamedTuple):
    """One term of a sum.

    Attributes
    ----------
    rank : int
        Where it belongs.
    value : float
    so_far : float
        The sum up to it, itself included.
    gain : float or None
        The gain that it was made of, if it was.
    """

    rank: int
    value: float
    so_far: float
    gain: float | None = None


class Ideal(NamedTuple):
    """A document of the ideal ranking.

    Attributes
    ----------
    rank : int
        Where it stands there.
    document : bytes
    grade, gain : float
    value, so_far : float
        Its term, and the sum up to it.
    """

    rank: int
    document: bytes
    grade: float
    gain: float
    value: float
    so_far: float


class Cost(NamedTuple):
    """What is lost since a document does not stand where the ideal ranking has it.

    Attributes
    ----------
    ideal : Ideal
        Where it would stand.
    rank : int or None
        Where it does; None where it was not retrieved.
    lost : float
        How much more its term would be there.
    """

    ideal: Ideal
    rank: int | None
    lost: float


@dataclass(frozen=True, eq=False)
class Sum:
    """A value as ``times · (sum of the terms) / over``, 0 where `over` is 0.

    Attributes
    ----------
    terms : tuple of Term
        In rank order.
    times, over : float
    discounts : dict of int to float
        What the gain at each rank is divided by, up to the last one that counts; empty where terms are not discounted
        gains.
    ideal : tuple of Ideal
        The ideal ranking, where the value is a share of what that has. Documents of equal gain stand in the order of
        the run, those not retrieved last.
    costs : tuple of Cost
        The documents that have less than in the ideal ranking, the one that loses most first.
    gains : bool
        Whether terms are gains of documents.
    precisions : bool
        Whether the n-th term is n / rank.
    """

    terms: tuple[Term, ...]
    times: float
    over: float
    discounts: dict[int, float]
    ideal: tuple[Ideal, ...]
    costs: tuple[Cost, ...]
    gains: bool
    precisions: bool = False

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return self.terms[-1].so_far if self.terms else 0.0

    @property
    def value(self) -> float:
        """The value."""
        return scaled(self.total, self.times, self.over)


@dataclass(frozen=True, eq=False)
class Explained:
    """The value of one measure.

    Attributes
    ----------
    request : Request
    value : float, int or bytes
        As an evaluation has it.
    whole : FullRanking
        The ranking as the measure sees it, but for its cutoff.
    sum : Sum or None
        How it comes about, where it is a sum over ranks.
    points : tuple of (float, float)
        Of a mean of interpolated precision, the points of recall and the precision at each.
    """

    request: Request
    value: float | int | bytes
    whole: FullRanking
    sum: Sum | None
    points: tuple[tuple[float, float], ...] = ()

    @property
    def meaning(self) -> str:
        """What the measure is, with its options, in a sentence or two."""
        from irev.measures.formulas import formula

        return formula(self.request)


@dataclass(frozen=True, eq=False)
class Explanation:
    """The numbers of one query of a run.

    Attributes
    ----------
    query : bytes
    level : float
        The relevance level.
    counts : Counts
    missed : tuple of Missed
        Best grade first.
    measures : tuple of Explained
    """

    query: bytes
    level: float
    counts: Counts
    missed: tuple[Missed, ...]
    measures: tuple[Explained, ...]


def explain(ranked: Ranked, whole: FullRanking, requests: Iterable[Request]) -> Explanation:
    """Explain the values of one query.

    Parameters
    ----------
    ranked : Ranked
        The ranking of this query alone.
    whole : FullRanking
        The same with every document, cut alike.
    requests : iterable of Request
        As `irev.analysis.single_queries.of_single_queries` gives them.

    Raises
    ------
    UsageError
        As `irev.evaluation.scores.evaluate`.
    """
    scores = evaluate(ranked, requests)
    measures = []
    for column in scores.columns:
        view = whole.at(judged_only=column.request.judged_only)
        found = terms(ranked, column.request)
        (value,) = column.values.tolist()
        made, points = None if found is None else _sum(found, view), _points(ranked, column.request)
        measures.append(Explained(column.request, value, view, made, points))
    level = ranked.settings.level
    return Explanation(whole.query, level, _counts(whole, level), _missed(whole, level), tuple(measures))


def _points(ranked: Ranked, request: Request) -> tuple[tuple[float, float], ...]:
    """The interpolated precision at each point of recall that a measure is a mean of."""
    if request.measure.name != "11pt_avg":
        return ()
    levels, at = request.value.value, MEASURES["iprec_at_recall"]
    wanted = [replace(request, measure=at, value=Value(level, "")) for level in levels]
    return tuple(
        (level, float(evaluate(ranked, [each]).columns[0].values[0]))
        for level, each in zip(levels, wanted, strict=True)
    )


def _counts(whole: FullRanking, level: float) -> Counts:
    def below_and_reached(grades: Any) -> tuple[int, int]:
        return int(np.count_nonzero((grades >= 0) & (grades < level))), int(np.count_nonzero(grades >= level))

    nonrelevant, relevant = below_and_reached(whole.grade)
    nonrelevant_total, relevant_total = below_and_reached(whole.judged_grade)
    retrieved = len(whole)
    return Counts(
        retrieved, relevant, nonrelevant, retrieved - relevant - nonrelevant, relevant_total, nonrelevant_total
    )


def _missed(whole: FullRanking, level: float) -> tuple[Missed, ...]:
    retrieved = set(whole.documents)
    judged = zip(whole.judged, whole.judged_grade.tolist(), strict=True)
    return tuple(Missed(document, g) for document, g in judged if g >= level and document not in retrieved)


def _sum(found: Terms, whole: FullRanking) -> Sum:
    """The terms of the one query there is."""
    gains = {} if found.made_of is None else _gains(found.made_of)
    listed = []
    so_far = 0.0
    for rank, value in zip(found.rank.tolist(), found.values.tolist(), strict=True):
        so_far += value
        listed.append(Term(rank, float(value), so_far, gains.get(rank)))
    over = found.over if isinstance(found.over, float | int) else np.asarray(found.over)[0]
    ideal: tuple[Ideal, ...] = ()
    costs: tuple[Cost, ...] = ()
    if found.made_of is not None and found.made_of.ideal is not None:
        ideal = _ideal(found.made_of, found.made_of.ideal, whole)
        costs = _costs(ideal, listed, whole)
    return Sum(
        tuple(listed),
        float(found.times),
        float(over),
        {} if found.made_of is None else _discounts(found.made_of, len(whole), len(ideal)),
        ideal,
        costs,
        found.made_of is not None,
        found.precisions,
    )


def _gains(made_of: MadeOf) -> dict[int, float]:
    return dict(zip(made_of.run.rank.tolist(), made_of.run.gain.tolist(), strict=True))


def _discounts(made_of: MadeOf, *lengths: int) -> dict[int, float]:
    if not made_of.discounted:
        return {}
    last = max(lengths) if made_of.depth is None else min(max(lengths), made_of.depth)
    ranks = np.arange(1, last + 1)
    return dict(zip(ranks.tolist(), made_of.run.scale.divisors(ranks).tolist(), strict=True))


def _ideal(made_of: MadeOf, best: Gained, whole: FullRanking) -> tuple[Ideal, ...]:
    if best.judgment is None:
        return ()
    ranks = {document: rank for rank, document in enumerate(whole.documents, start=1)}
    gain = best.gain.tolist()
    judgment = best.judgment.tolist()
    # Documents of equal gain may change places; the order of the run shows best what it did wrong.
    order = sorted(range(len(gain)), key=lambda i: (-gain[i], ranks.get(whole.judged[judgment[i]], math.inf)))
    values = (best.discounted if made_of.discounted else best.gain).tolist()
    listed = []
    so_far = 0.0
    for place, i in enumerate(order[: made_of.depth]):
        so_far += values[place]
        number = judgment[i]
        grade = float(whole.judged_grade[number])
        listed.append(Ideal(place + 1, whole.judged[number], grade, gain[i], values[place], so_far))
    return tuple(listed)


def _costs(ideal: tuple[Ideal, ...], listed: list[Term], whole: FullRanking) -> tuple[Cost, ...]:
    has: dict[int, float] = {}
    for term in listed:
        has[term.rank] = has.get(term.rank, 0.0) + term.value
    ranks = {document: rank for rank, document in enumerate(whole.documents, start=1)}
    costs = []
    for place in ideal:
        rank = ranks.get(place.document)
        lost = place.value - (0.0 if rank is None else has.get(rank, 0.0))
        if lost > 0:
            costs.append(Cost(place, rank, lost))
    return tuple(sorted(costs, key=lambda cost: -cost.lost))
