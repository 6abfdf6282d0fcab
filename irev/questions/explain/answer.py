"""Why a query has the number that it has: its ranking, and for each measure the terms that add up to the value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.text import named
from irev.evaluation.batch import facts_of
from irev.evaluation.result import Outcome, Result, worst
from irev.evaluation.scores import evaluate, terms
from irev.evaluation.summary import summarise
from irev.measures import MEASURES, Request
from irev.measures.gains import Gained
from irev.measures.measure import MadeOf, Terms
from irev.measures.parameters import Value
from irev.output.reports.ranking import Excerpt
from irev.questions.explain import ExplainChoices
from irev.questions.explain.finding import Explanation
from irev.questions.explain.lists import QueriesByValue
from irev.questions.explain.parts import Cost, Counts, Explained, Ideal, Missed, Sum, Term, ranking_of
from irev.questions.question import Given
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked


def answer(given: Given, choices: ExplainChoices) -> Explanation | QueriesByValue:
    """What the values of one query are made of, or the values of every query."""
    if choices.grades is not None:
        for name in ("titles", "documents"):
            if getattr(given.texts, name) is not None:
                raise UsageError(f"{option(name)} has no effect with {option('grades')}")
        judgments, run = ranking_of(choices.grades, choices.relevant, given.settings)
        explained = explain(run.ranked, run.keep([*judgments.queries])[judgments.queries[0]], given.of_each_query)
        return replace(explained, run=run.name, excerpt=Excerpt(choices.top, choices.everything))
    asked = () if choices.query is None else (choices.query,)
    settings = replace(given.settings, queries=asked or "both", complete=not asked)
    large = settings.allow_large
    with given.single_queries(settings, asked, alone=True) as (judgments, requests, (run,)):
        ranked, query, found = run.ranked, choices.query, None
        if query is None:
            scores = evaluate(ranked, requests)
            if choices.listing:
                outcome = Outcome(run.name, "", scores, summarise(scores), facts_of(ranked, run.left_out))
                result = Result((outcome,), ranked.settings, settings.policy, per_query=True)
                return QueriesByValue(result, given.texts.of_queries(scores.queries, large))
            found = worst(scores, requests[0], judgments.relevant(scores.queries, settings.level).tolist())
            query = found.query
            place = scores.queries.index(query)
            ranked = ranked.part(place, place + 1)
        explained = replace(
            explain(ranked, run.keep([query])[query], requests),
            run=named(run.name),
            qrels=named(judgments.name),
            excerpt=Excerpt(choices.top, choices.everything, given.texts.of_queries([query], large)),
            worst=found,
        )
        texts = given.texts.of_documents(explained.shown_documents, large)
    return replace(explained, excerpt=explained.excerpt._replace(documents=texts))


def explain(ranked: Ranked, whole: FullRanking, requests: Iterable[Request]) -> Explanation:
    """Explain the values of one query.

    Parameters
    ----------
    ranked : Ranked
        The ranking of this query alone.
    whole : FullRanking
        The same with every document, cut alike.
    requests : iterable of Request
        As `irev.measures.request.of_single_queries` gives them.

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
