"""Why a query has the number that it has: for each measure the documents with what each adds, and why it is no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import counted, decoded, plain, real
from irev.evaluation.result import Worst
from irev.output.figures.bars import Bars
from irev.output.finding import Drawing, Finding, drawing_of_bars, fields_of
from irev.output.report import Cell, Plain, Sheet, stamp
from irev.output.reports.ranking import Excerpt, beside, grade_or_none, grade_text, id_text, with_texts
from irev.questions.explain.lists import Lists
from irev.questions.explain.parts import (
    SHOWN,
    Counts,
    Explained,
    Missed,
    by_rank,
    groups_of,
    is_at_recall,
    last_rank,
    last_rank_of,
    summed,
)

FORMAT, VERSION = "irev explanation", 1

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
class Explanation(Finding):
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
    """

    query: bytes
    level: float
    counts: Counts
    missed: tuple[Missed, ...]
    measures: tuple[Explained, ...]
    run: str = ""
    qrels: str = ""
    excerpt: Excerpt = Excerpt()
    worst: Worst | None = None
    more: str = "--all"

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
            yield f"The worst of {queries}{some} by {name}; --query chooses another, --list lists all."
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
        for group in self._groups:
            if is_at_recall(group[0]) and len(group) > 1:  # one list and one table for all points of recall
                yield from self._at_points(group)
            else:
                yield from self._lists.of_group(group)
            for each in group:
                if each.points:
                    yield self._points("The points of recall whose mean it is", each.points)
        if self.missed:
            yield self._missed()

    def _at_points(self, alike: Sequence[Explained]) -> Iterator[Sheet]:
        """One list, and one table, for interpolated precision at several points of recall."""
        first = alike[0]
        last = last_rank(first, self.excerpt)
        if last:
            yield self._lists.one(
                first, "Precision and recall at each rank", dict(self._lists.columns(first, last)), last, ()
            )
        points = [(float(str(each.request.value.value)), float(each.value)) for each in alike]
        sheet = self._points("Interpolated precision", points)
        yield replace(sheet, notes=(first.meaning,))

    def _points(self, title: str, points: Sequence[tuple[float, float]]) -> Sheet:
        rows = tuple((Cell(decimal(level)), Cell(self._lists.real(value))) for level, value in points)
        return Sheet(title, ("recall", "precision"), 1, frozenset(), (rows,))

    @property
    def _groups(self) -> list[list[Explained]]:
        """Measures that share a list."""
        return groups_of(self.measures)

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
            len(group[-1].whole) for group in self._groups if len(group[-1].whole) > last_rank_of(group, self.excerpt)
        ]
        if hidden:
            yield f"The ranking continues to rank {max(hidden):,}; {self.more} shows all of it."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        query = decoded(self.query)
        for explained in self.measures:
            name = self.look.name(explained.request)
            value = decoded(explained.value) if isinstance(explained.value, bytes) else explained.value
            for place in self._places(explained):
                grade, tie = place["grade"], place["tie"]
                yield (
                    *(query, name, "run", place["rank"], place["document"], place["score"], grade, *tie),
                    *(place["gain"], place["discount"], place["term"], place["total"], value),
                )
            for ideal in explained.sum.ideal if explained.sum else ():
                discount = explained.sum.discounts.get(ideal.rank) if explained.sum else None
                yield (
                    *(query, name, "ideal", ideal.rank, decoded(ideal.document), None),
                    *(
                        grade_or_none(ideal.grade),
                        None,
                        None,
                        grade_or_none(ideal.gain),
                        discount,
                        ideal.value,
                        ideal.so_far,
                        value,
                    ),
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
            }

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamp(FORMAT, VERSION),
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
                | self.excerpt.recorded_text(explained.whole.documents[place["rank"] - 1])
                for place in self._places(explained)
            ],
        }
        if made is not None and made.ideal:
            found["ideal"] = [
                {
                    "rank": place.rank,
                    "document": decoded(place.document),
                    "grade": grade_or_none(place.grade),
                    "gain": grade_or_none(place.gain),
                    "discount": made.discounts.get(place.rank),
                    "term": place.value,
                    "total": place.so_far,
                    **self.excerpt.recorded_text(place.document),
                }
                for place in made.ideal
            ]
        return found

    # For Python

    def plot(self) -> Drawing:
        """What each rank adds to the measures that are sums over ranks; with matplotlib."""
        bars = [
            Bars(
                f"{each.request.standard}: what each rank adds",
                tuple(str(term.rank) for term in each.sum.terms),
                tuple(term.value for term in each.sum.terms),
            )
            for each in self.measures
            if each.sum is not None and each.sum.terms
        ]
        return drawing_of_bars(bars, f"Query {decoded(self.query)} of {self.run}.")

    def __repr__(self) -> str:
        numbers = [(each.request.standard, each.value) for each in self.measures if not isinstance(each.value, bytes)]
        values = ", ".join(f"{name} {real(value, 4)}" for name, value in numbers[:4])
        return f"<Explanation of query {decoded(self.query)!r}: {values}>"
