"""The answer of ``irev explain``: the ranking of a query, and for each measure the terms that add up to its value.

`Explanation` shows them to people, with reasons why the value is not higher, and to programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.segments import mean, sum_in_order
from irev.base.text import counted, decoded, named, plain, real
from irev.commands.explain import ExplainChoices
from irev.commands.explain.lists import Lists
from irev.commands.explain.parts import (
    SHOWN,
    Cost,
    DocumentCounts,
    Explained,
    Ideal,
    InterpolatedPoint,
    Missed,
    RankTerm,
    Sum,
    by_rank,
    is_at_recall,
    last_rank,
    last_rank_of,
    ranking_of,
    rankings_of,
    summed,
)
from irev.evaluation.inputs import Inputs, single_queries
from irev.evaluation.result import Worst, worst
from irev.evaluation.scores import evaluate, terms
from irev.measures import Request
from irev.measures.families.precision import deciding_ranks, interpolated_precision
from irev.measures.gains import Gained
from irev.measures.measure import MadeOf, Terms
from irev.output.finding import Drawing, ReportedFinding, drawing_of_bars, fields_of
from irev.output.report import Cell, Plain, Sheet, stamp
from irev.output.reports.ranking import (
    Excerpt,
    beside,
    grade_or_none,
    grade_text,
    id_text,
    rank_text,
    with_texts,
)
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked

COLUMNS = (
    "query",
    "measure",
    "list",
    "rank",
    "document",
    "score",
    "grade",
    "tie_first",
    "tie_last",
    "gain",
    "discount",
    "term",
    "total",
    "value",
)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(ReportedFinding):
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
    run, qrels : str
        What the two are called; where grades alone were given, these, and nothing.
    excerpt : Excerpt
        How much is shown, and texts.
    worst : Worst or None
        That it is the worst one by the first measure; None where it was asked for.
    more : str
        With what people see all ranks.
    others : tuple of Explanation
        Of several rankings that were given by their grades, the others.
    """

    query: bytes
    level: float
    counts: DocumentCounts
    missed: tuple[Missed, ...]
    measures: tuple[Explained, ...]
    run: str = ""
    qrels: str = ""
    excerpt: Excerpt = Excerpt()
    worst: Worst | None = None
    more: str = "--all"
    others: tuple[Explanation, ...] = ()

    columns = COLUMNS
    exact = frozenset({"grade", "gain"})

    @property
    def shown_documents(self) -> set[bytes]:
        """The documents that people see, whose texts are wanted."""
        found = {missed.document for missed in self.missed[: self._most_missed]}
        for explained in self.measures:
            last = last_rank(explained, self.excerpt)
            found.update(explained.whole.documents[:last])
            found.update(place.document for place in (explained.sum.ideal[:last] if explained.sum else ()))
        return found

    @property
    def _most_missed(self) -> int:
        return len(self.missed) if self.excerpt.everything else self.excerpt.top or SHOWN

    @property
    def _lists(self) -> Lists:
        return Lists(self.level, self.excerpt, self.look, steps=not self.qrels)

    @property
    def title(self) -> str:
        return f"Query {id_text(self.query)} of {self.run}" if self.qrels else self.run

    # For people

    @property
    def lead(self) -> Iterator[str]:
        if self.worst is not None:
            name = self.look.name(self.measures[0].request)
            queries = counted(self.worst.queries, "query", "queries")
            some = " with relevant documents" if self.worst.some else ""
            yield f"The worst of {queries}{some} by {name}; --query chooses another."
        title = self.excerpt.titles.get(self.query)
        if title:
            yield f"“{beside(title)}”"
        counts = self.counts
        if not counts.retrieved:
            yield f"Nothing was retrieved. Relevant in the judgments: {counts.relevant_total:,}."
            return
        yield (
            f"{counted(counts.retrieved, 'document')} retrieved: {counts.relevant:,} relevant, "
            f"{counts.nonrelevant:,} judged not relevant, {counts.unjudged:,} unjudged. Relevant in the "
            f"judgments: {counts.relevant_total:,}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        for groups in self._rankings:
            at_points = is_at_recall(groups[0][0]) and len(groups[0]) > 1
            shown = at_points or len(groups) > 1
            if shown:
                yield from self._lists.ranking(groups, "Precision and recall at each rank" if at_points else "")
            for group in groups:
                if is_at_recall(group[0]) and len(group) > 1:  # one table for all points of recall
                    points = [point for each in group for point in each.points]
                    yield replace(self._points("Interpolated precision", points), notes=(group[0].meaning,))
                else:
                    yield from self._lists.of_group(group, ranking_shown=shown)
                for each in group:
                    if len(each.points) > 1:
                        yield self._points("The points of recall whose mean it is", each.points)
        if self.missed:
            yield self._missed()
        for other in self._others:
            yield Sheet(other.title, (), 0, frozenset(), (), tuple(other.lead))
            yield from other.sheets
        if self.others:
            yield Sheet("All rankings", (), 0, frozenset(), (), tuple(self._worked_means()))

    @property
    def _others(self) -> list[Explanation]:
        return [each.seen(self.look) for each in self.others]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over several rankings; counts are added. Nothing for a single ranking."""
        return {request.standard: value for request, value, _ in self._means} if self.others else {}

    @property
    def _means(self) -> Iterator[tuple[Request, float, list[Explained]]]:
        for alike in zip(*(each.measures for each in (self, *self.others)), strict=True):
            request, values = alike[0].request, [each.value for each in alike]
            if request.measure.numeric and request.measure.summary in ("mean", "sum"):
                add = mean if request.measure.summary == "mean" else sum_in_order
                yield request, add(np.array(values, dtype=np.float64)), [*alike]

    def _worked_means(self) -> Iterator[str]:
        for request, value, alike in self._means:
            name, added = self.look.name(request), " + ".join(map(self._lists.value, alike))
            if request.measure.summary == "mean":
                yield f"Mean {name} = ({added}) / {len(alike)} = {self._lists.real(value)}."
            else:
                yield f"{name} of all = {added} = {decimal(value)}."

    def _points(self, title: str, points: Sequence[InterpolatedPoint]) -> Sheet:
        rows = tuple(
            (Cell(decimal(each.recall)), Cell(self._lists.real(each.precision)), Cell(rank_text(each.rank)))
            for each in points
        )
        return Sheet(title, ("recall", "precision", "at rank"), 1, frozenset(), (rows,))

    @property
    def _rankings(self) -> list[list[list[Explained]]]:
        """Groups of measures that share a list, by the ranking that they see."""
        return rankings_of(self.measures)

    def _missed(self) -> Sheet:
        missed = self.missed
        shown = missed[: self._most_missed]
        rest = len(missed) - len(shown)
        sheet = Sheet(
            "Relevant documents that were not retrieved",
            ("document", "grade"),
            1,
            frozenset({0}),
            (tuple((Cell(id_text(each.document)), Cell(grade_text(each.grade))) for each in shown),),
            (f"{counted(rest, 'more document')} of that kind; {self.more} shows all.",) if rest else (),
        )
        if not self.excerpt.documents:
            return sheet
        return with_texts(
            sheet, 1, "text", [self.excerpt.documents.get(each.document) for each in shown], self.look.width
        )

    @property
    def notes(self) -> Iterator[str]:
        if any(explained.whole.averaged for explained in self.measures):
            yield (
                "Values are expected values over all orders of tied documents. The total of a tie is shown at "
                "its first rank."
            )
        hidden = [
            len(groups[0][0].whole)
            for groups in self._rankings
            if len(groups[0][0].whole) > max(last_rank_of(group, self.excerpt) for group in groups)
        ]
        if hidden:
            yield f"The ranking continues to rank {max(hidden):,}; {self.more} shows all of it."
        yield from dict.fromkeys(note for each in self._others for note in each.notes)

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        query = decoded(self.query)
        for explained in self.measures:
            name = self.look.name(explained.request)
            value = decoded(explained.value) if isinstance(explained.value, bytes) else explained.value
            for kind, places in (("run", self._places(explained)), ("ideal", self._ideal_places(explained))):
                for place in places:
                    yield (
                        *(query, name, kind, place["rank"], place["document"], place.get("score"), place["grade"]),
                        *place.get("tie", (None, None)),
                        *(place["gain"], place["discount"], place["term"], place["total"], value),
                    )
        for missed in self.missed:
            yield (
                query,
                None,
                "missed",
                None,
                decoded(missed.document),
                None,
                grade_or_none(missed.grade),
                *[None] * 7,
            )
        for other in self._others:
            yield from other.rows

    def _places(self, explained: Explained) -> Iterator[dict[str, Any]]:
        """The shown ranks, and those further down that have a term."""
        whole, made = explained.whole, explained.sum
        terms = {} if made is None else by_rank(made)
        last = min(last_rank(explained, self.excerpt), len(whole))
        for rank in [*range(1, last + 1), *sorted(rank for rank in terms if rank > last)]:
            at = rank - 1
            mine = terms.get(rank)
            yield {
                "rank": rank,
                "document": decoded(whole.documents[at]),
                "score": decoded(whole.scores[at]) or None,
                "grade": grade_or_none(float(whole.grade[at])),
                "tie": [int(whole.tie_first[at]), int(whole.tie_last[at])],
                "gain": None if mine is None or mine[0].gain is None else grade_or_none(mine[0].gain),
                "discount": None if made is None else made.discounts.get(rank),
                "term": None if mine is None else summed(mine),
                "total": None if mine is None else mine[-1].so_far,
                **self.excerpt.recorded_text(whole.documents[at]),
            }

    def _ideal_places(self, explained: Explained) -> Iterator[dict[str, Any]]:
        """The ranks of the ideal ranking."""
        for place in explained.sum.ideal if explained.sum else ():
            yield {
                "rank": place.rank,
                "document": decoded(place.document),
                "grade": grade_or_none(place.grade),
                "gain": grade_or_none(place.gain),
                "discount": explained.sum.discounts.get(place.rank) if explained.sum else None,
                "term": place.value,
                "total": place.so_far,
                **self.excerpt.recorded_text(place.document),
            }

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamp("irev explanation"),
            "query": decoded(self.query),
            "title": self.excerpt.titles.get(self.query),
            **fields_of(self, "qrels", "run", "level", "counts"),
            "measures": [self._measure(explained) for explained in self.measures],
            "missed": [
                {
                    "document": decoded(each.document),
                    "grade": grade_or_none(each.grade),
                    **self.excerpt.recorded_text(each.document),
                }
                for each in self.missed
            ],
            **({"others": [each.record for each in self._others], "means": self.means} if self.others else {}),
        }

    def _measure(self, explained: Explained) -> dict[str, Any]:
        made, value = explained.sum, explained.value
        found: dict[str, Any] = {
            "label": explained.request.label,
            "standard": explained.request.standard,
            "value": decoded(value) if isinstance(value, bytes) else plain(value),
            "cutoff": explained.request.cutoff,
            "meaning": explained.meaning,
            "why": [*([] if made is None else [self._lists.arithmetic(explained, made), *self._lists.dearest(made)])],
            "sum": None
            if made is None
            else {"terms": plain(made.total), "times": made.times, "over": plain(made.over)},
            "ranking": [
                {key: plain(each) if isinstance(each, float) else each for key, each in place.items()}
                for place in self._places(explained)
            ],
        }
        if made is not None and made.ideal:
            found["ideal"] = [*self._ideal_places(explained)]
        return found

    # For Python

    def plot(self) -> Drawing:
        """What each rank adds to the measures that are sums over ranks."""
        sets = [
            (
                f"{each.request.standard}: what each rank adds",
                {str(term.rank): term.value for term in each.sum.terms},
            )
            for each in self.measures
            if each.sum is not None and each.sum.terms
        ]
        return drawing_of_bars(sets, "rank", f"Query {decoded(self.query)} of {self.run}.", order=False)

    def __repr__(self) -> str:
        numbers = [(each.request.standard, each.value) for each in self.measures if not isinstance(each.value, bytes)]
        values = ", ".join(f"{name} {real(value, 4)}" for name, value in numbers[:4])
        return f"<Explanation of query {decoded(self.query)!r}: {values}>"


def _of_grades(inputs: Inputs, choices: ExplainChoices) -> Explanation:
    """Explain rankings that are given by their grades."""
    for name in ("titles", "documents"):
        if getattr(inputs, name) is not None:
            raise UsageError(f"{option(name)} has no effect with {option('grades')}")
    rankings, relevant = choices.grades, choices.relevant or (None,) * len(choices.grades)
    if len(rankings) != len(relevant):
        fact = f"{counted(len(rankings), 'ranking')} and {counted(len(relevant), 'number')} of relevant documents"
        raise UsageError(fact, remedy=f"expected a number for each ranking: {option('relevant')} 4,2")
    found = []
    for place, (grades, number) in enumerate(zip(rankings, relevant, strict=True), start=1):
        judgments, run = ranking_of(grades, number, inputs.settings, f"q{place}" if len(rankings) > 1 else "q")
        explained = explain(run.ranked, run.keep([*judgments.queries])[judgments.queries[0]], inputs.of_each_query)
        found.append(replace(explained, run=run.name, excerpt=Excerpt(choices.top, choices.everything)))
    return replace(found[0], others=tuple(found[1:]))


def answer(inputs: Inputs, choices: ExplainChoices) -> Explanation:
    """What the values of one query are made of."""
    if choices.grades:
        return _of_grades(inputs, choices)
    asked = () if choices.query is None else (choices.query,)
    settings = replace(inputs.settings, queries=asked or "both", complete=not asked)
    with single_queries(inputs, settings, asked, alone=True) as (judgments, requests, (run,)):
        ranked, query, found = run.ranked, choices.query, None
        if query is None:
            scores = evaluate(ranked, requests)
            found = worst(scores, requests[0], judgments.relevant(scores.queries, settings.level).tolist())
            query = found.query
            place = scores.queries.index(query)
            ranked = ranked.part(place, place + 1)
        explained = replace(
            explain(ranked, run.keep([query])[query], requests),
            run=named(run.name),
            qrels=named(judgments.name),
            excerpt=Excerpt(choices.top, choices.everything, inputs.titles_of([query])),
            worst=found,
        )
        texts = inputs.texts_of(explained.shown_documents)
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
    level = ranked.settings.level
    judged_only = {column.request.judged_only for column in scores.columns}
    views = {each: whole.at(judged_only=each) for each in judged_only}
    measures = []
    for column in scores.columns:
        request, view = column.request, views[column.request.judged_only]
        found = terms(ranked, request)
        (value,) = column.values.tolist()
        made = None if found is None else _sum(found, view)
        own_level = level if request.level is None else request.level
        measures.append(Explained(request, value, view, made, _points(ranked, request), own_level))
    missed = _missed(whole, level)
    return Explanation(whole.query, level, _counts(whole, level), missed, tuple(measures))


def _points(ranked: Ranked, request: Request) -> tuple[InterpolatedPoint, ...]:
    """The interpolated precision at the point of recall of a measure, or at each point that it is a mean of."""
    if request.bound or request.measure.name not in ("iprec_at_recall", "11pt_avg"):
        return ()
    several = request.measure.name == "11pt_avg"
    view, options = ranked.at(level=request.level, judged_only=request.judged_only), dict(request.options)
    found = []
    for recall in request.value.value if several else (request.value.value,):
        precision = float(interpolated_precision(view, recall, **options)[0])
        first, rank = deciding_ranks(view, recall, **options) or (None, None)
        found.append(InterpolatedPoint(float(str(recall)), precision, first, rank))
    return tuple(found)


def _counts(whole: FullRanking, level: float) -> DocumentCounts:
    def below_and_reached(grades: Any) -> tuple[int, int]:
        return int(np.count_nonzero((grades >= 0) & (grades < level))), int(np.count_nonzero(grades >= level))

    nonrelevant, relevant = below_and_reached(whole.grade)
    nonrelevant_total, relevant_total = below_and_reached(whole.judged_grade)
    retrieved = len(whole)
    return DocumentCounts(
        retrieved, relevant, nonrelevant, retrieved - relevant - nonrelevant, relevant_total, nonrelevant_total
    )


def _missed(whole: FullRanking, level: float) -> tuple[Missed, ...]:
    """The relevant documents that were not retrieved."""
    there = set(whole.documents)
    judged = zip(whole.judged, whole.judged_grade.tolist(), strict=True)
    return tuple(Missed(document, grade) for document, grade in judged if grade >= level and document not in there)


def _sum(found: Terms, whole: FullRanking) -> Sum:
    """The terms of the one query there is."""
    gains = {} if found.made_of is None else _gains(found.made_of)
    listed = []
    so_far = 0.0
    for rank, value in zip(found.rank.tolist(), found.values.tolist(), strict=True):
        so_far += value
        listed.append(RankTerm(rank, float(value), so_far, gains.get(rank)))
    over = found.over if isinstance(found.over, float | int) else np.asarray(found.over)[0]
    ideal: tuple[Ideal, ...] = ()
    if found.made_of is not None and found.made_of.ideal is not None:
        ideal = _ideal(found.made_of, found.made_of.ideal, whole)
    return Sum(
        tuple(listed),
        float(found.times),
        float(over),
        {} if found.made_of is None else _discounts(found.made_of, len(whole), len(ideal)),
        ideal,
        _largest_loss(ideal, listed, whole),
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


def _largest_loss(ideal: tuple[Ideal, ...], listed: list[RankTerm], whole: FullRanking) -> Cost | None:
    has: dict[int | None, float] = {}
    for term in listed:
        has[term.rank] = has.get(term.rank, 0.0) + term.value
    ranks = {document: rank for rank, document in enumerate(whole.documents, start=1)}
    costs = [Cost(place, rank := ranks.get(place.document), place.value - has.get(rank, 0.0)) for place in ideal]
    return max((cost for cost in costs if cost.lost > 0), key=lambda cost: cost.lost, default=None)
