"""Lists of documents with what each adds to a value, and sentences on why it is no more.

A list has the documents of the run, rank by rank, and beside them those of the ideal ranking where the measure is a
share of what that has. Only the top of a long list is shown; what adds something further down is summed up, so that the
last total always is what the value is made of.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.text import MISSING, counted, number, real
from irev.commands.explain.parts import (
    Explained,
    RankTerm,
    Sum,
    by_rank,
    last_rank_of,
    summed,
)
from irev.output.report import Cell, Look, Sheet
from irev.output.reports.ranking import Excerpt, grade_text, id_text, with_texts
from irev.output.terminal import width_of

_FRACTIONS = 12
"""Fractions that a sum is written out with."""

_SCORE = 12
"""Characters of a score that are shown."""

_EQUAL = 1e-12

_OF_SETS = {
    "set_P": "{r} / {n}",
    "set_recall": "{r} / {R}",
    "set_relative_P": "{r} / min({n}, {R})",
    "set_map": "({r} · {r}) / ({n} · {R})",
    "set_F": "({weights[0]} + 1) · {r}/{n} · {r}/{R} / ({weights[0]} · {r}/{n} + {r}/{R})",
    "utility": "{weights[0]} · {r} + {weights[1]} · {other} + {weights[2]} · {missed}",
}
"""How measures of sets are computed from r, n and R, the relevant, the retrieved and all relevant documents."""

_Columns = dict[str, list[Cell]]
"""The cells of each column, from the first rank on; nothing where they end."""


class Lists(NamedTuple):
    """How lists and sentences are made.

    Attributes
    ----------
    level : float
        The relevance level.
    excerpt : Excerpt
    look : Look
    steps : bool
        Whether sums are worked step by step.
    """

    level: float
    excerpt: Excerpt
    look: Look
    steps: bool = False

    def real(self, value: float | None) -> str:
        """A number, rounded."""
        return real(value, self.look.digits)

    def value(self, explained: Explained) -> str:
        """The value of a measure."""
        if isinstance(explained.value, bytes):
            return id_text(explained.value)
        return number(explained.value, self.look.digits)

    def ranking(self, groups: Sequence[Sequence[Explained]], title: str = "") -> Iterator[Sheet]:
        """The ranking that several groups of measures share, without their terms."""
        measures = [explained for group in groups for explained in group]
        first, last = measures[0], max(last_rank_of(group, self.excerpt) for group in groups)
        last = min(last, len(first.whole))
        level = f", relevant from grade {decimal(first.level)}" if first.level != self.level else ""
        title = title or "The ranking" + ", judged documents alone" * first.request.judged_only + level
        if last:
            yield self.one(first, title, self._ranking_columns(measures, last), last, (), terms=False)

    def of_group(self, group: Sequence[Explained], ranking_shown: bool = False) -> Iterator[Sheet]:
        """The list of the run and, where there is room, that of the ideal ranking beside it; else below it.

        Where the ranking was shown before, the list has the terms alone, if the sentences do not have them.
        """
        explained, last = group[-1], last_rank_of(group, self.excerpt)
        title = ", ".join(f"{self.look.name(each.request)} = {self.value(each)}" for each in group)
        why = tuple(self._why(group))
        bare = Sheet(title, (), 0, frozenset(), ())
        own, ideal = self._term_columns(explained, last), self._ideal_columns(explained, last)
        if ranking_shown:
            last = last if self._has_table(explained) else 0
            own = {"rank": _ranks(last)} | own
        else:
            own = self._ranking_columns(group, last) | own
        beside = self.one(explained, title, own | ideal, last, why)
        if not last:
            yield replace(bare, notes=why)
        elif self._fits(beside):
            yield beside
        else:
            ranks, notes = min(last, len(explained.whole)), () if ideal else why
            alone = self.one(explained, title, own, ranks, notes)
            yield alone if ranks else bare
            if ideal:
                yield self._ideal_list(explained, ideal, last, why)

    def _ideal_list(self, explained: Explained, ideal: _Columns, last: int, why: tuple[str, ...]) -> Sheet:
        columns = {"rank": _ranks(last), "document": ideal["ideal"]}
        columns |= {label.removeprefix("its "): cell for label, cell in ideal.items() if label != "ideal"}
        top = min(last, len(explained.sum.ideal) if explained.sum else 0)
        return self.one(explained, "The ideal ranking", columns, top, why, ideal=True)

    def _fits(self, sheet: Sheet) -> bool:
        return self.look.width is None or width_of(sheet) <= self.look.width

    def one(
        self,
        explained: Explained,
        title: str,
        columns: _Columns,
        last: int,
        why: tuple[str, ...],
        ideal: bool = False,
        terms: bool = True,
    ) -> Sheet:
        header = tuple(columns)
        rows = tuple(zip(*(cells[:last] + [Cell("")] * (last - len(cells)) for cells in columns.values()), strict=True))
        further = None if ideal or not terms else self._further(explained, last, header)
        sections = tuple(filter(None, (rows, (further,) if further else ())))
        texts = frozenset(place for place, label in enumerate(header) if label in ("document", "ideal"))
        sheet = Sheet(title, header, 2 if "document" in header else 1, texts, sections, why)
        if not self.excerpt.documents or not rows or "document" not in header:
            return sheet
        names = [*explained.whole.documents[:last]]
        if ideal and explained.sum:
            names = [place.document for place in explained.sum.ideal[:last]]
        found = [self.excerpt.documents.get(name) for name in names]
        found += [None] * (len(rows) - len(found) + bool(further))
        return with_texts(sheet, 2, "text", found, self.look.width)

    def _has_table(self, explained: Explained) -> bool:
        """Return True if the terms of a sum are not all in the sentence that adds them up."""
        made = explained.sum
        return made is not None and bool(made.ideal or not (made.precisions or _counts_ones(made)))

    def _ranking_columns(self, measures: Sequence[Explained], last: int) -> _Columns:
        """The columns of a ranking."""
        explained = measures[-1]
        whole = explained.whole
        missing = [Cell(MISSING)] * (last - len(whole))
        found = {"rank": _ranks(last), "document": [Cell(id_text(each)) for each in whole.documents[:last]] + missing}
        if any(whole.scores[:last]):
            found["score"] = [Cell(_cut(id_text(each))) for each in whole.scores[:last]] + missing
        ties = [*zip(whole.tie_first[:last].tolist(), whole.tie_last[:last].tolist(), strict=True)]
        if any(first < final for first, final in ties):
            found["tie"] = [Cell("" if first == final else f"{first}–{final}", tone="quiet") for first, final in ties]
        found["grade"] = [self._grade(grade) for grade in whole.grade[:last].tolist()]
        if any(each.request.measure.at_ranks for each in measures) and not whole.averaged:
            # Precision and recall at each rank, as the fractions that they are.
            so_far = (whole.grade >= explained.level).cumsum()[:last].tolist()
            total = int((whole.judged_grade >= explained.level).sum())
            found["precision"] = [Cell(f"{relevant}/{rank}") for rank, relevant in enumerate(so_far, start=1)]
            found["recall"] = [Cell(f"{relevant}/{total}") for relevant in so_far]
        elif any(each.sum is None for each in measures):
            so_far = (whole.grade >= self.level).cumsum()[:last].tolist()
            found["relevant so far"] = [Cell(str(relevant)) for relevant in so_far]
        return found

    def _term_columns(self, explained: Explained, last: int) -> _Columns:
        """The columns of the terms of a sum."""
        made, found, ranks = explained.sum, dict[str, list[Cell]](), range(1, last + 1)
        if made is None:
            return found
        terms = by_rank(made)
        if made.gains:
            found["gain"] = [Cell(self._gain(terms.get(rank))) for rank in ranks]
        if made.discounts:
            found["discount"] = [
                Cell(self.real(made.discounts[rank]) if rank in made.discounts else "") for rank in ranks
            ]
        found["term"] = [Cell(self.real(summed(terms[rank])) if rank in terms else "") for rank in ranks]
        found["total"] = [Cell(self._total(made, rank), best=rank in terms) for rank in ranks]
        return found

    def _ideal_columns(self, explained: Explained, last: int) -> _Columns:
        places = () if explained.sum is None else explained.sum.ideal[:last]
        if not places:
            return {}
        return {
            "ideal": [Cell(id_text(place.document)) for place in places],
            "its grade": [Cell(grade_text(place.grade)) for place in places],
            "its term": [Cell(self.real(place.value)) for place in places],
            "its total": [Cell(self.real(place.so_far)) for place in places],
        }

    def _grade(self, grade: float) -> Cell:
        tone = "good" if grade >= self.level else "" if grade >= 0 else "quiet"
        return Cell(grade_text(grade), tone=tone)

    def _gain(self, terms: list[RankTerm] | None) -> str:
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
            "term": self.real(summed(below)),
            "total": self.real(made.total),
        }
        return tuple(Cell(cells.get(label, ""), tone="quiet") for label in header)

    def _why(self, group: Sequence[Explained]) -> Iterator[str]:
        worked = {each: self._worked(each) for each in group if each.sum is None}
        without = [self.look.name(each.request) for each, sentence in worked.items() if not sentence]
        if len(without) == 1:
            yield f"{without[0]} is not a sum over ranks, so it has no terms to list."
        elif without:
            yield f"{', '.join(without)}: not sums over ranks, so they have no terms to list."
        for each in group:
            if each.sum is not None:
                if self.steps:
                    yield from self._steps(each.sum, dict(each.request.options))
                yield self.arithmetic(each, each.sum)
            elif worked[each]:
                yield worked[each]
        dearest = {each: [*self.dearest(each.sum)] for each in group if each.sum is not None}
        alike = len({*map(tuple, dearest.values())}) < 2
        for explained, sentences in dearest.items():
            about = "" if alike else f"{self.look.name(explained.request)}: "
            yield from (about + sentence for sentence in sentences)
            if alike:
                break
        yield from dict.fromkeys(each.meaning for each in group)

    def _worked(self, explained: Explained) -> str:
        """Return a sentence that computes a value which is not a sum over ranks; empty where irev has none."""
        name, value, request = self.look.name(explained.request), self.value(explained), explained.request
        relevant = explained.whole.grade >= explained.level
        everything = int((explained.whole.judged_grade >= explained.level).sum())
        if explained.whole.averaged or request.bound:
            return ""
        if request.measure.name == "recip_rank" and explained.value:
            first = round(1 / float(explained.value))
            return f"The first relevant document is at rank {first}: 1 / {first} = {value}."
        if request.measure.name == "success" and explained.value:
            return f"{name} = {value}: the first relevant document is at rank {int(relevant.argmax()) + 1}."
        if request.measure.name == "11pt_avg":
            precisions = self._sum(each.precision for each in explained.points)
            return f"{name} = ({precisions}) / {len(explained.points)} = {value}."
        for point in explained.points:
            if point.rank is not None:
                found, before = int(relevant[: point.rank].sum()), int(relevant[: point.first].sum())
                return (
                    f"{name} = {found}/{point.rank} = {value}, the precision at rank {point.rank}: the highest from "
                    f"rank {point.first} on, where recall is {before}/{everything}."
                )
        r, n = int(relevant[: request.cutoff].sum()), len(relevant[: request.cutoff])
        form = _OF_SETS.get(request.measure.name, "")
        if not (form and n and everything) or (request.measure.name == "set_F" and not r):
            return ""
        numbers: dict[str, Any] = {"r": r, "n": n, "R": everything, "other": n - r, "missed": everything - r}
        if request.measure.name in ("set_F", "utility"):
            numbers |= {"weights": [decimal(each) for each in request.value.value]}
        return f"{name} = {form.format(**numbers)} = {value}."

    def _steps(self, made: Sum, options: Mapping[str, Any]) -> Iterator[str]:
        """How a value is worked out by hand, a sentence for each step; the last one is `arithmetic`."""
        if not made.discounts or not made.terms:
            return
        term = next((each for each in made.terms if each.rank > 1), made.terms[0])
        gain, discount = "" if term.gain is None else decimal(term.gain), self.real(made.discounts[term.rank])
        plain = not {"discount", "base"} & options.keys()
        rule = "the gain divided by the discount" + ", log2(rank + 1)" * plain
        yield f"1. Each term is {rule}: at rank {term.rank}, {gain} / {discount} = {self.real(term.value)}."
        yield f"2. The sum of the terms: {self._sum(each.value for each in made.terms)} = {self.real(made.total)}."
        if made.ideal:
            grades = [grade_text(each.grade) for each in made.ideal]
            listed = " ".join(grades[:_FRACTIONS]) + " …" * (len(grades) > _FRACTIONS)
            terms = self._sum(each.value for each in made.ideal)
            total = self.real(made.ideal[-1].so_far)
            yield f"3. The same sum for the ideal ranking, with grades {listed}: {terms} = {total}."
            yield "4. The first sum divided by the second:"

    def _sum(self, terms: Iterable[float]) -> str:
        listed = [self.real(term) for term in terms]
        if len(listed) > _FRACTIONS:
            listed = [*listed[: _FRACTIONS - 1], "…", listed[-1]]
        return " + ".join(listed)

    def arithmetic(self, explained: Explained, made: Sum) -> str:
        name, value = self.look.name(explained.request), self.value(explained)
        if not made.over:
            return f"{name} = {value}: the sum would be divided by 0."
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
        total = decimal(made.total) if _counts_ones(made) else self.real(made.total)
        return f"{name} = {product}{total}{quotient} = {value}{shares}"

    def dearest(self, made: Sum) -> Iterator[str]:
        """What is lost most by."""
        if not made.ideal:
            return
        gap = made.ideal[-1].so_far - made.total
        cost = made.loss
        if gap <= _EQUAL * abs(made.ideal[-1].so_far) or cost is None:
            yield "No ranking has a higher value."
            return
        where = "was not retrieved, and should be at" if cost.rank is None else f"is at rank {cost.rank} instead of"
        yield (
            f"{id_text(cost.ideal.document)} (grade {grade_text(cost.ideal.grade)}) {where} rank {cost.ideal.rank}:"
            f" this is the largest loss, {self.real(cost.lost)}."
        )


def _counts_ones(made: Sum) -> bool:
    return not made.gains and all(term.value in (0, 1) for term in made.terms)


def _ranks(last: int) -> list[Cell]:
    return [Cell(str(rank)) for rank in range(1, last + 1)]


def _cut(score: str) -> str:
    return score if len(score) <= _SCORE else f"{score[: _SCORE - 1]}…"
