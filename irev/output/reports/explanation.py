"""The report of an explanation: for each measure the list of documents with what each adds, and why it is no more.

A sheet has the documents of the run, rank by rank, and beside them those of the ideal ranking where the measure is a
share of what that has. Measures of which the lists say the same have one together: at several cutoffs, the first ranks
of the longest. Only the top of a long list is shown; what adds something further down is summed up, so that the last
total always is what the value is made of.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

from irev import __version__
from irev.analysis.explain import Explained, Explanation, Ideal, Sum, Term
from irev.base.text import MISSING, counted, decoded, number, plain, real
from irev.errors import decimal
from irev.evaluation.result import Worst
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.ranking import Excerpt, beside, grade_or_none, grade_text, id_text, with_texts
from irev.output.widths import width_of

FORMAT, VERSION = "irev explanation", 1

SHOWN = 10
"""Ranks that are shown of a measure without a cutoff."""

_FRACTIONS = 12
"""Fractions that a sum is written out with."""

_SCORE = 12
"""Characters of a score that are shown."""

_EQUAL = 1e-12

_LEVEL = "iprec_at_recall"
"""The measure whose values at several points stand in one table."""

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


def shown_ids(explanation: Explanation, excerpt: Excerpt) -> set[bytes]:
    """The documents that a report shows, whose texts are wanted."""
    found = {missed.document for missed in explanation.missed[: _most_missed(explanation, excerpt)]}
    for explained in explanation.measures:
        last = _last(explained, excerpt)
        found.update(explained.whole.documents[:last])
        found.update(place.document for place in _ideal_shown(explained, last))
    return found


def _last(explained: Explained, excerpt: Excerpt) -> int:
    """The last rank that is shown."""
    longest = max(len(explained.whole), len(explained.sum.ideal) if explained.sum else 0)
    if excerpt.everything:
        return longest
    wanted = (explained.request.cutoff or SHOWN) if excerpt.top is None else excerpt.top
    return min(wanted, longest)


def _last_of(group: Sequence[Explained], excerpt: Excerpt) -> int:
    """The last rank that is shown of measures that share a list; of many cutoffs the longest is much too long."""
    last = _last(group[-1], excerpt)
    if len(group) == 1 or excerpt.everything or excerpt.top is not None:
        return last
    return min(last, max(SHOWN, min(each.request.cutoff or SHOWN for each in group)))


def _groups(measures: Sequence[Explained]) -> list[list[Explained]]:
    """The measures that share a list, the one with the longest last."""
    found: list[list[Explained]] = []
    for explained in measures:
        group = next((group for group in found if _share(group[0], explained)), None)
        if group is None:
            found.append([explained])
        else:
            group.append(explained)
            group.sort(key=_depth)
    return found


def _depth(explained: Explained) -> float:
    return explained.request.cutoff or (SHOWN if explained.sum is None else math.inf)


def _is_level(explained: Explained) -> bool:
    return explained.request.measure.name == _LEVEL


def _share(one: Explained, other: Explained) -> bool:
    """Whether the list of one of two measures says all that the other's does, if not more."""
    short, long = sorted((one, other), key=_depth)
    few, many = short.sum, long.sum
    if (
        short.whole is not long.whole
        or short.request.level != long.request.level
        or short.request.measure.at_ranks != long.request.measure.at_ranks
        or _is_level(short) != _is_level(long)
    ):
        return False
    if _is_level(short):
        return replace(short.request, value=long.request.value) == long.request
    if few is None or many is None:
        return few is many
    within = [term for term in few.terms if term.rank <= _depth(short)]
    return (
        short.request.measure.standard == long.request.measure.standard
        and within == [*many.terms[: len(within)]]
        and not any(term.value for term in few.terms[len(within) :])
        and few.ideal == many.ideal[: len(few.ideal)]
        and few.discounts.items() <= many.discounts.items()
    )


def _ideal_shown(explained: Explained, last: int) -> tuple[Ideal, ...]:
    return () if explained.sum is None else explained.sum.ideal[:last]


def _most_missed(explanation: Explanation, excerpt: Excerpt) -> int:
    return len(explanation.missed) if excerpt.everything else excerpt.top or SHOWN


_Cells = Callable[[int], Cell]
"""What a column has at a rank."""


class ExplanationReport(Report):
    """An explanation, laid out.

    Parameters
    ----------
    explanation : Explanation
    run, qrels : str
        What the two are called.
    excerpt : Excerpt
    worst : Worst or None
        That it is the worst one by the first measure; None where it was asked for.
    more : str
        With what people see all ranks.
    """

    columns = COLUMNS
    exact = frozenset({"grade", "gain"})

    def __init__(
        self,
        explanation: Explanation,
        run: str,
        qrels: str,
        excerpt: Excerpt,
        worst: Worst | None = None,
        more: str = "--all",
    ) -> None:
        self.explanation, self.run, self.qrels, self.excerpt = explanation, run, qrels, excerpt
        self.worst, self.more = worst, more

    @property
    def title(self) -> str:
        return f"Query {id_text(self.explanation.query)} of {self.run}"

    def real(self, value: float | None) -> str:
        return real(value, self.look.digits)

    def value(self, explained: Explained) -> str:
        if isinstance(explained.value, bytes):
            return id_text(explained.value)
        return number(explained.value, self.look.digits)

    # For people

    @property
    def lead(self) -> Iterator[str]:
        if self.worst is not None:
            name = self.look.name(self.explanation.measures[0].request)
            queries = counted(self.worst.queries, "query", "queries")
            some = " with relevant documents" if self.worst.some else ""
            yield f"The worst of {queries}{some} by {name}; --query names another, --list has them all."
        title = self.excerpt.titles.get(self.explanation.query)
        if title:
            yield f"“{beside(title)}”"
        counts = self.explanation.counts
        if not counts.retrieved:
            yield f"Nothing was retrieved. Relevant in the judgments: {counts.relevant_total:,}."
            return
        yield (
            f"{counted(counts.retrieved, 'document')} retrieved: {counts.relevant:,} relevant,"
            f" {counts.nonrelevant:,} judged not relevant, {counts.unjudged:,} without a judgment."
            f" Relevant in the judgments: {counts.relevant_total:,}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        for group in self._groups:
            if _is_level(group[0]) and len(group) > 1:  # one list and one table for all points of recall
                yield from self._at_points(group)
            else:
                yield from self._lists(group)
            for each in group:
                if each.points:
                    yield self._points("The points of recall that it is the mean of", each.points)
        if self.explanation.missed:
            yield self._missed()

    def _at_points(self, alike: Sequence[Explained]) -> Iterator[Sheet]:
        """One list, and one table, for interpolated precision at several points of recall."""
        first = alike[0]
        last = _last(first, self.excerpt)
        if last:
            yield self._list(first, "Precision and recall at each rank", dict(self._columns(first, last)), last, ())
        points = [(float(str(each.request.value.value)), float(each.value)) for each in alike]
        sheet = self._points("Interpolated precision", points)
        yield replace(sheet, notes=(first.meaning,))

    def _points(self, title: str, points: Sequence[tuple[float, float]]) -> Sheet:
        rows = tuple((Cell(decimal(level)), Cell(self.real(value))) for level, value in points)
        return Sheet(title, ("recall", "precision"), 1, frozenset(), (rows,))

    @property
    def _groups(self) -> list[list[Explained]]:
        """Measures that share a list."""
        return _groups(self.explanation.measures)

    def _lists(self, group: Sequence[Explained]) -> Iterator[Sheet]:
        """The list of the run and, where there is room, that of the ideal ranking beside it; else below it."""
        explained, last = group[-1], _last_of(group, self.excerpt)
        title = ", ".join(f"{self.look.name(each.request)} = {self.value(each)}" for each in group)
        why = tuple(self._why(group))
        bare = Sheet(title, (), 0, frozenset(), ())
        own, ideal = dict(self._columns(explained, last)), dict(self._ideal_columns(explained))
        beside = self._list(explained, title, own | ideal, last, why)
        if not last:
            yield replace(bare, notes=why)
        elif self._fits(beside):
            yield beside
        else:
            ranks, notes = min(last, len(explained.whole)), () if ideal else why
            alone = self._list(explained, title, own, ranks, notes)
            if not self._fits(alone) and self._gains_are_grades(explained, last):
                without = {label: cell for label, cell in own.items() if label != "gain"}
                alone = self._list(explained, title, without, ranks, notes)
            yield alone if ranks else bare
            if ideal:
                yield self._ideal_list(explained, own["rank"], ideal, last, why)

    def _ideal_list(
        self, explained: Explained, rank: _Cells, ideal: dict[str, _Cells], last: int, why: tuple[str, ...]
    ) -> Sheet:
        columns = {"rank": rank, "document": ideal["ideal"]}
        columns |= {label.removeprefix("its "): cell for label, cell in ideal.items() if label != "ideal"}
        top = min(last, len(explained.sum.ideal) if explained.sum else 0)
        return self._list(explained, "The ideal ranking", columns, top, why, ideal=True)

    def _fits(self, sheet: Sheet) -> bool:
        return self.look.width is None or width_of(sheet) <= self.look.width

    def _gains_are_grades(self, explained: Explained, last: int) -> bool:
        made, grades = explained.sum, explained.whole.grade
        if made is None or not made.gains:
            return False
        shown = [term for term in made.terms if term.rank <= min(last, len(grades))]
        return all(term.gain == grades[term.rank - 1] for term in shown)

    def _list(
        self,
        explained: Explained,
        title: str,
        columns: dict[str, _Cells],
        last: int,
        why: tuple[str, ...],
        ideal: bool = False,
    ) -> Sheet:
        header = tuple(columns)
        rows = tuple(tuple(cell(rank) for cell in columns.values()) for rank in range(1, last + 1))
        further = None if ideal else self._further(explained, last, header)
        sections = tuple(filter(None, (rows, (further,) if further else ())))
        texts = frozenset(place for place, label in enumerate(header) if label in ("document", "ideal"))
        sheet = Sheet(title, header, 2, texts, sections, why)
        if not self.excerpt.documents or not rows:
            return sheet
        names: list[bytes | None] = [_at(explained.whole.documents, rank) for rank in range(1, last + 1)]
        if ideal and explained.sum:
            names = [place.document for place in explained.sum.ideal[:last]]
        names += [None] * bool(further)
        found = [self.excerpt.documents.get(name) if name is not None else None for name in names]
        return with_texts(sheet, 2, "text", found, self.look.width)

    def _columns(self, explained: Explained, last: int) -> Iterator[tuple[str, _Cells]]:
        """The label of each column, and what it has at a rank."""
        whole, made = explained.whole, explained.sum
        yield "rank", lambda rank: Cell(str(rank))
        yield "document", lambda rank: Cell(_id(_at(whole.documents, rank)))
        yield "score", lambda rank: Cell(_cut(_id(_at(whole.scores, rank))))
        if (whole.tie_first < whole.tie_last)[:last].any():
            yield "tie", lambda rank: Cell(_tie(explained, rank), tone="quiet")
        yield "grade", lambda rank: self._grade(explained, rank)
        if explained.request.measure.at_ranks and not whole.averaged:
            yield from self._at_ranks(explained)
        elif made is None:
            so_far = (whole.grade >= self.explanation.level).cumsum().tolist()
            yield "relevant so far", lambda rank: Cell(str(_at(so_far, rank)) if rank <= len(so_far) else "")
        if made is None:
            return
        terms = _by_rank(made)
        if made.gains:
            yield "gain", lambda rank: Cell(self._gain(terms.get(rank)))
        if made.discounts:
            yield "discount", lambda rank: Cell(self.real(made.discounts[rank]) if rank in made.discounts else "")
        yield "term", lambda rank: Cell(self.real(_summed(terms[rank])) if rank in terms else "")
        yield "total", lambda rank: Cell(self._total(made, rank), best=rank in terms)

    def _at_ranks(self, explained: Explained) -> Iterator[tuple[str, _Cells]]:
        """Precision and recall at each rank, as the fractions that they are."""
        level = self.explanation.level if explained.request.level is None else explained.request.level
        so_far = (explained.whole.grade >= level).cumsum().tolist()
        total = int((explained.whole.judged_grade >= level).sum())
        yield "precision", lambda rank: Cell(f"{so_far[rank - 1]}/{rank}" if rank <= len(so_far) else "")
        yield "recall", lambda rank: Cell(f"{so_far[rank - 1]}/{total}" if rank <= len(so_far) else "")

    def _ideal_columns(self, explained: Explained) -> Iterator[tuple[str, _Cells]]:
        made = explained.sum
        if made is not None and made.ideal:
            yield "ideal", lambda rank: Cell(_of(made.ideal, rank, lambda place: id_text(place.document)))
            yield "its grade", lambda rank: Cell(_of(made.ideal, rank, lambda place: grade_text(place.grade)))
            yield "its term", lambda rank: Cell(_of(made.ideal, rank, lambda place: self.real(place.value)))
            yield "its total", lambda rank: Cell(_of(made.ideal, rank, lambda place: self.real(place.so_far)))

    def _grade(self, explained: Explained, rank: int) -> Cell:
        if rank > len(explained.whole):
            return Cell("")
        grade = float(explained.whole.grade[rank - 1])
        tone = "good" if grade >= self.explanation.level else "" if grade >= 0 else "quiet"
        return Cell(grade_text(grade), tone=tone)

    def _gain(self, terms: list[Term] | None) -> str:
        gain = terms[0].gain if terms else None
        return "" if gain is None else decimal(gain) if gain == int(gain) else self.real(gain)

    def _total(self, made: Sum, rank: int) -> str:
        """The sum up to a rank; nothing behind the last term."""
        if not made.terms or rank > made.terms[-1].rank:
            return ""
        upto = bisect_right(made.terms, rank, key=lambda term: term.rank)
        return self.real(made.terms[upto - 1].so_far if upto else 0.0)

    def _further(self, explained: Explained, last: int, header: tuple[str, ...]) -> tuple[Cell, ...] | None:
        """A row for all that adds something further down."""
        made = explained.sum
        below = [] if made is None else [term for term in made.terms if term.rank > last and term.value]
        if made is None or not below:
            return None
        first, end = below[0].rank, below[-1].rank
        cells = {
            "rank": f"{first}" if first == end else f"{first}–{end}",
            "document": f"… {counted(len(below), 'more term')}",
            "term": self.real(_summed(below)),
            "total": self.real(made.total),
        }
        return tuple(Cell(cells.get(label, ""), tone="quiet") for label in header)

    def _why(self, group: Sequence[Explained]) -> Iterator[str]:
        without = [self.look.name(each.request) for each in group if each.sum is None]
        if len(without) == 1:
            yield f"{without[0]} is not computed as a sum over ranks, so it has no terms that could be listed."
        elif without:
            yield f"{', '.join(without)}: not computed as sums over ranks, so they have no terms that could be listed."
        yield from (self._arithmetic(each, each.sum) for each in group if each.sum is not None)
        dearest = {each: [*self._dearest(each.sum)] for each in group if each.sum is not None}
        alike = len({*map(tuple, dearest.values())}) < 2
        for explained, sentences in dearest.items():
            about = "" if alike else f"{self.look.name(explained.request)}: "
            yield from (about + sentence for sentence in sentences)
            if alike:
                break
        yield from dict.fromkeys(each.meaning for each in group)

    def _arithmetic(self, explained: Explained, made: Sum) -> str:
        name, value = self.look.name(explained.request), self.value(explained)
        if not made.over:
            return f"{name} = {value}: what the sum would be divided by is 0."
        # As one writes it: 1 - 0.8 is 0.2, and a double that is a little less.
        product = f"{decimal(float(f'{made.times:.12g}'))} × " if made.times != 1 else ""
        over = decimal(made.over) if made.over == made.over // 1 else self.real(made.over)
        quotient = f" / {over}" if made.over != 1 else ""
        if made.terms and made.precisions:
            listed = [f"{place}/{term.rank}" for place, term in enumerate(made.terms, start=1)]
            if len(listed) > _FRACTIONS:
                listed = [*listed[: _FRACTIONS - 1], "…", listed[-1]]
            total = " + ".join(listed)
            return f"{name} = {product}({total}){quotient} = {value}." if quotient else f"{name} = {total} = {value}."
        if not (product or quotient):
            return f"{name} = {value}: the sum of the terms."
        shares = f": the ideal ranking reaches {self.real(made.over)}." if made.ideal and quotient else "."
        counted_ones = not made.gains and all(term.value in (0, 1) for term in made.terms)
        total = decimal(made.total) if counted_ones else self.real(made.total)
        return f"{name} = {product}{total}{quotient} = {value}{shares}"

    def _dearest(self, made: Sum) -> Iterator[str]:
        """What is lost most by."""
        if not made.ideal:
            return
        gap = made.ideal[-1].so_far - made.total
        if gap <= _EQUAL * abs(made.ideal[-1].so_far) or not made.costs:
            yield "No ranking has more."
            return
        cost = made.costs[0]
        where = (
            "was not retrieved, and would stand at" if cost.rank is None else f"stands at rank {cost.rank} instead of"
        )
        yield (
            f"{id_text(cost.ideal.document)} (grade {grade_text(cost.ideal.grade)}) {where} rank {cost.ideal.rank}:"
            f" that costs most, {self.real(cost.lost)}."
        )

    def _missed(self) -> Sheet:
        missed = self.explanation.missed
        shown = missed[: _most_missed(self.explanation, self.excerpt)]
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
        if any(explained.whole.averaged for explained in self.explanation.measures):
            yield (
                "Values are expected ones, over all orders of documents in ties. What a tie has as a whole stands at"
                " its first rank."
            )
        hidden = [
            len(group[-1].whole) for group in self._groups if len(group[-1].whole) > _last_of(group, self.excerpt)
        ]
        if hidden:
            yield f"The ranking goes on to rank {max(hidden):,}; {self.more} shows all of it."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        query = decoded(self.explanation.query)
        for explained in self.explanation.measures:
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
        for missed in self.explanation.missed:
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
        terms = {} if made is None else _by_rank(made)
        last = min(_last(explained, self.excerpt), len(whole))
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
                "term": None if mine is None else _summed(mine),
                "total": None if mine is None else mine[-1].so_far,
            }

    @property
    def record(self) -> dict[str, Any]:
        explanation = self.explanation
        counts = explanation.counts._asdict()
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "query": decoded(explanation.query),
            "title": self.excerpt.titles.get(explanation.query),
            "qrels": self.qrels,
            "run": self.run,
            "level": explanation.level,
            "counts": counts,
            "measures": [self._measure(explained) for explained in explanation.measures],
            "missed": [
                {
                    "document": decoded(each.document),
                    "grade": grade_or_none(each.grade),
                    **self.excerpt.recorded_text(each.document),
                }
                for each in explanation.missed
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
            "why": [*([] if made is None else [self._arithmetic(explained, made), *self._dearest(made)])],
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


def _by_rank(made: Sum) -> dict[int, list[Term]]:
    found: dict[int, list[Term]] = {}
    for term in made.terms:
        found.setdefault(term.rank, []).append(term)
    return found


def _summed(terms: list[Term]) -> float:
    """The sum of terms, and what one alone is to the last bit."""
    return reduce(add, (term.value for term in terms))


def _at(listed: Any, rank: int) -> Any:
    return listed[rank - 1] if rank <= len(listed) else None


def _cut(score: str) -> str:
    return score if len(score) <= _SCORE else f"{score[: _SCORE - 1]}…"


def _id(name: bytes | None) -> str:
    return MISSING if name is None else id_text(name)


def _of(ideal: tuple[Ideal, ...], rank: int, word: Any) -> str:
    return word(ideal[rank - 1]) if rank <= len(ideal) else ""


def _tie(explained: Explained, rank: int) -> str:
    if rank > len(explained.whole):
        return ""
    first, last = (int(side[rank - 1]) for side in (explained.whole.tie_first, explained.whole.tie_last))
    return "" if first == last else f"{first}–{last}"
