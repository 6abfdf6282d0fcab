"""What judges agree on: the record of it, and how people and programs see it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.text import (
    MISSING,
    counted,
    decoded,
    interval,
    named,
    p_value,
    percent,
    real,
    signed,
)
from irev.commands.agreement import of_agreement
from irev.evaluation.comparison.contrasts import BETTER, WORSE, Contrast
from irev.evaluation.result import Input
from irev.extensions.judging.judges import PREFERENCES
from irev.extensions.judging.judges.results import (
    CONCLUSIONS,
    FEWEST_QUERIES,
    NEITHER,
    Coefficient,
    Judge,
    Merged,
    Order,
    Pair,
    Pooled,
    RunsUnder,
    Together,
    worked,
)
from irev.extensions.judging.raters import SAMPLES
from irev.output import writers
from irev.output.figures import figure_of_curves
from irev.output.finding import Names, Pictured, ReportedFinding, recorded
from irev.output.report import Cell, Form, Plain, Report, Sheet, first_of, stamped, table
from irev.reading.rows import Rows

_COLUMNS = (
    "statistic",
    "judge",
    "and",
    "query",
    "document",
    "grade",
    "and_grade",
    "run",
    "and_run",
    "measure",
    "value",
    "low",
    "high",
    "n",
)
_TEXTS = ("statistic", "judge", "and", "query", "document", "run", "and_run", "measure")

COEFFICIENTS = ("equal", "kappa", "weighted", "fleiss", "alpha", "overlap", "mean_overlap")
"""Coefficients of agreement: ``overlap`` counts the documents of all topics together, ``mean_overlap`` is the mean of
the overlaps of topics that have a document that a judge holds to be relevant."""

_HEADINGS = {name: name.replace("_", " ") for name in COEFFICIENTS} | {"equal": "same"}

_TABLES = 6
"""So many tables of grades people see unless they ask for all."""

_FEW_TOPICS = 10
"""With fewer topics intervals may be too narrow (benchmarks/agreement.py)."""

ALL = "all"

SHOWN = frozenset(CONCLUSIONS) - {NEITHER}


@dataclass(frozen=True, eq=False)
class Judges(Pictured, ReportedFinding):
    """What judges agree on.

    Attributes
    ----------
    judges : tuple of Judge
    grades : tuple of float
        Of all judges, rising.
    pairs : tuple of Pair
        Every two judges that judged a document in common.
    apart : tuple of (str, str)
        Every two that have none.
    together : Together or None
        None of two judges.
    scales : tuple of (str, float) or None
        The highest grade of each judge where these differ and not all scales were said, so that there is no weighted
        kappa.
    level : float
        From which grade on a document is relevant.
    weights, alpha_level : str
        Of weighted kappa, and of alpha.
    confidence : float
        Of the intervals.
    """

    level: float
    weights: str
    alpha_level: str
    confidence: float
    inputs: tuple[Input, ...]
    grades: tuple[float, ...]
    scales: Mapping[str, float] | None
    judges: tuple[Judge, ...]
    pairs: tuple[Pair, ...]
    apart: tuple[tuple[str, str], ...]
    together: Together | None
    pooled: Pooled
    under: RunsUnder | None = None
    merged: Merged | None = None
    everything: bool = False
    explain: bool = False
    more: str = "-q"
    file: str | None = None
    unsettled_to: str | None = None

    RECORDED: ClassVar[Names] = {
        "alpha_level": "alpha",
        "scales": "highest",
        "under": "runs",
        "pooled": None,
        "everything": None,
        "explain": None,
        "more": None,
        "file": None,
        "unsettled_to": None,
    }

    columns = _COLUMNS
    texts = frozenset(_TEXTS)
    exact = frozenset({"grade", "and_grade"})
    deepest = 4

    @property
    def title(self) -> str:
        return "Agreement of " + counted(len(self.judges), "judge")

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._who()
        yield self._agreement()
        if self.scales is None:
            yield self._shifts()
        pairs = self.pairs
        for pair in pairs if self.everything else pairs[:_TABLES]:
            yield self._grades(pair)
        if self.everything:
            yield self._topics()
        if self.under is not None:
            yield self._places(self.under)
            yield self._orders(self.under)
            yield self._conclusions(self.under)
            if self.under.differing:
                yield self._differing(self.under)
        if self.merged is not None and self.merged.conflicts:
            yield self._conflicts(self.merged)

    def _who(self) -> Sheet:
        rows = (
            {
                "judge": named(judge.name),
                "judgments": f"{judge.documents:,}",
                "queries": f"{judge.queries:,}",
                "mean grade": real(judge.mean, self.look.digits),
                "relevant": real(judge.relevant, self.look.digits),
                "grades": ", ".join(f"{decimal(grade)}: {count:,}" for grade, count in judge.grades),
            }
            for judge in self.judges
        )
        return table("", ("judge",), None, rows, ("judge", "grades"))

    def _agreement(self) -> Sheet:
        """A section for every two judges, and one for all together, with a row for each coefficient."""
        sections = [
            self._section((named(pair.first), named(pair.second)), pair.coefficients, pair.documents)
            for pair in self.pairs
        ]
        if (together := self.together) is not None:
            sections.append(self._section((ALL, ""), together.coefficients, together.documents))
        header = ("judge", "and", "coefficient", "value", "interval", "documents")
        return Sheet("Agreement", header, 3, frozenset({0, 1, 2}), tuple(sections))

    def _section(
        self, names: tuple[str, str], found: Mapping[str, Coefficient], documents: int
    ) -> tuple[tuple[Cell, ...], ...]:
        digits = self.look.digits
        kept = {name: each for name, each in found.items() if name != "weighted" or self.scales is None}
        return tuple(
            tuple(
                map(
                    Cell,
                    (
                        *(("", "") if place else names),
                        _HEADINGS[name],
                        real(each.value, digits),
                        interval(each.interval, digits, sign=False),
                        "" if place else f"{documents:,}",
                    ),
                )
            )
            for place, (name, each) in enumerate(kept.items())
        )

    def _grades(self, pair: Pair) -> Sheet:
        grades = [decimal(grade) for grade in self.grades]
        rows = (
            {"grade": grade, **{other: f"{count:,}" for other, count in zip(grades, row, strict=True)}}
            for grade, row in zip(grades, pair.table.tolist(), strict=True)
        )
        if self.explain:
            return worked(pair, grades, self.look.digits)
        title = f"Grades of {named(pair.first)}, a row each, and of {named(pair.second)}, a column each"
        return table(title, ("grade",), grades, rows)

    def _topics(self) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "query": named(decoded(topic.query)),
                "judge": named(pair.first),
                "and": named(pair.second),
                "both judged": f"{topic.documents:,}",
                "same": real(topic.equal, digits),
                "kappa": real(topic.kappa, digits),
                "overlap": real(topic.overlap, digits),
                "relevant": f"{topic.relevant[0]:,} and {topic.relevant[1]:,}",
            }
            for pair in self.pairs
            for topic in pair.topics
        )
        return table("Queries", ("query", "judge", "and"), None, rows)

    def _places(self, under: RunsUnder) -> Sheet:
        """Runs as rows, best first by the first judge and measure; under each judge the value and the place."""
        columns = [
            (f"{measure}, {named(judge)}", ordering.values.tolist(), ordering.places)
            for measure in dict.fromkeys(measure for _, measure, _ in under.orderings)
            for judge, same, ordering in under.orderings
            if same == measure
        ]
        order = sorted(range(len(under.runs)), key=lambda run: columns[0][2][run])
        rows = (
            {
                "run": named(under.runs[run]),
                **{head: f"{real(values[run], self.look.digits)} ({places[run]})" for head, values, places in columns},
            }
            for run in order
        )
        return table("Runs under each judge, with their places", ("run",), None, rows)

    def _orders(self, under: RunsUnder) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                **self._about(each),
                "tau b": real(each.agreed.tau_b, digits),
                "interval": interval(each.interval, digits, sign=False),
                **({} if each.tau_top is None else {f"of the top {each.top}": real(each.tau_top, digits)}),
                "tau AP": real(each.agreed.tau_ap, digits),
                "swapped": f"{each.agreed.swapped:,} of {each.agreed.pairs:,}",
                "shown": f"{under.counts(each)['shown']:,}",
            }
            for each in under.agreed
        )
        return table("Orders of runs", ("measure", "judge", "and"), None, rows)

    def _about(self, each: Order) -> dict[str, str]:
        return {"measure": each.measure, "judge": named(each.first), "and": named(each.second)}

    def _conclusions(self, under: RunsUnder) -> Sheet:
        rows = (
            {**self._about(each), **{name: f"{count:,}" for name, count in under.counts(each).items() if name in SHOWN}}
            for each in under.agreed
        )
        return table("Pairs of runs with a significant difference", ("measure", "judge", "and"), None, rows)

    def _differing(self, under: RunsUnder) -> Sheet:
        kept, left_out = first_of(under.differing, self.everything, self.more)
        rows: Iterator[dict[str, Cell | str]] = (
            {
                "run": named(each.contrasts[0].baseline),
                "and": named(each.contrasts[0].run),
                "measure": each.measure,
                "judge": named(each.first),
                "difference": self._difference(each.contrasts[0]),
                "other judge": named(each.second),
                "there": self._difference(each.contrasts[1]),
                "change": signed(each.change.value, self.look.digits),
                "interval": interval(each.interval, self.look.digits),
                "p": Cell(p_value(each.p), significant=each.p is not None and each.p <= under.plan.alpha),
            }
            for each in kept
        )
        texts = ("run", "and", "measure", "judge", "other judge")
        title = "Pairs of runs whose order or significance depends on the judge"
        return table(title, ("run", "and"), None, rows, texts, left_out)

    def _shifts(self) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "judge": named(pair.first),
                "and": named(pair.second),
                "mean grade": real(pair.grades.first, digits),
                "other": real(pair.grades.second, digits),
                "difference": signed(pair.grades.second - pair.grades.first, digits),
                "interval": interval(pair.grades.interval, digits),
                "p": p_value(pair.grades.p),
                "all grades": p_value(None if pair.grades.homogeneity is None else pair.grades.homogeneity.p),
            }
            for pair in self.pairs
            if pair.grades is not None
        )
        return table("Grades of documents that both judged", ("judge", "and"), None, rows)

    def _difference(self, contrast: Contrast) -> Cell:
        p = contrast.adjusted[0]
        significant = contrast.finding in (BETTER, WORSE)
        return Cell(f"{signed(contrast.difference, self.look.digits)} ({p_value(p)})", significant=significant)

    def _conflicts(self, merged: Merged) -> Sheet:
        kept, left_out = first_of(merged.conflicts, self.everything, self.more)
        names = [named(judge.name) for judge in self.judges]
        rows = (
            {
                "query": named(decoded(each.query)),
                "document": named(decoded(each.document)),
                **{
                    f"by {name}": MISSING if grade is None else decimal(grade)
                    for name, grade in zip(names, each.grades, strict=True)
                },
                "merged": decimal(each.merged),
            }
            for each in kept
        )
        return table("Conflicts", ("query", "document"), None, rows, notes=left_out)

    @property
    def notes(self) -> Iterator[str]:
        judges = self
        weights, alpha = judges.weights, judges.alpha_level
        yield (
            "same: share of documents with the same grade; kappa: Cohen's"
            + (f", weighted: the same with {weights} weights" if judges.scales is None else "")
            + "; fleiss: kappa with the grades of all judges pooled for chance agreement (Fleiss; of two judges Scott's"
            f" pi); alpha: Krippendorff's, {alpha}; overlap: documents that both judge relevant / documents that at "
            "least one judges relevant, over all queries together; mean overlap: the mean of the overlaps of "
            f"the queries (Voorhees). Relevant: a grade of {decimal(judges.level)} or more."
        )
        if judges.together is not None:
            yield (
                f"{ALL}: alpha over documents that two or more judges judged; kappa is the mean over pairs; same, "
                f"fleiss and overlaps are over the {counted(judges.together.by_all, 'document')} that all judged."
            )
        if judges.scales is None:
            yield (
                "difference: mean grade of the second judge minus that of the first, with its interval and p by t over"
                " queries; all grades: p of the Stuart-Maxwell test, over queries, that both give each"
                " grade equally often."
            )
        yield (f"[ ]: intervals with {percent(judges.confidence)} confidence, jackknife-t over queries.")
        if min(pair.queries for pair in judges.pairs) < _FEW_TOPICS:
            yield f"With fewer than {_FEW_TOPICS} queries, intervals may be too narrow."
        if judges.scales is not None:
            found = ", ".join(f"{named(name)} to {decimal(most)}" for name, most in judges.scales.items())
            yield (
                f"The scales seem to differ: the highest grades given are {found}. So weighted kappa is not "
                "computed, and the other numbers treat equal numbers as equal grades. --scale maps grades, or "
                "confirms that the scale is the same."
            )
        for one, other in judges.apart:
            yield f"{named(one)} and {named(other)} judged no document in common."
        for judge in judges.judges:
            if judge.left_out:
                yield f"{named(judge.name)}: {counted(judge.left_out, 'negative grade')} left out as unjudged."
        if not self.everything and len(judges.pairs) > _TABLES:
            yield f"Tables of grades of {len(judges.pairs) - _TABLES} pairs left out; {self.more} shows all."
        if self.under is not None:
            yield from self._notes_of_runs(self.under)
        if self.merged is not None:
            yield from self._notes_of_merging(self.merged)

    def _notes_of_runs(self, under: RunsUnder) -> Iterator[str]:
        if under.queries < FEWEST_QUERIES:
            span = f"No interval of tau b with fewer than {FEWEST_QUERIES} queries"
        else:
            span = (
                "Interval of tau b: for the mean tau of other samples of as many queries, by the bootstrap"
                f" ({SAMPLES:,} samples, seed {under.plan.seed})"
            )
            if any(each.agreed.tau_b is not None and each.interval is None for each in under.agreed):
                span += "; none where all samples have the same tau, which says nothing about other queries"
        yield (
            f"Runs over the {counted(under.queries, 'query', 'queries')} that all judges judged; one without "
            "results counts as an empty ranking. swapped: pairs of runs in opposite order; shown: swapped pairs "
            "with a significant difference under either judge, by a paired t-test (Holm over all pairs, "
            f"{decimal(under.plan.alpha)}). {span}."
        )
        if any(each.tau_top is not None for each in under.agreed):
            yield "of the top: tau b of the runs that are in the better half under either judge."
        yield (
            "both, first only, second only: pairs with a significant difference under both judges, in the same"
            " direction, and under one of them; opposite: under both, in opposite directions."
        )
        if under.differing:
            yield (
                "difference, there: of the second run from the first, with its p-value; change: the difference of these"
                " differences, by a paired t-test (p by Holm over all pairs)."
            )
        if any(each.significant != NEITHER or (each.p or 1) <= under.plan.alpha for each in under.differing):
            yield "* significant."

    def _notes_of_merging(self, merged: Merged) -> Iterator[str]:
        conflicts = counted(len(merged.conflicts), "conflict")
        several = f"{merged.by_several:,} documents that several judges judged"
        yield f"Merged by {merged.prefer}: {PREFERENCES[merged.prefer]}. {conflicts} in {several}."
        if merged.without_majority:
            yield f"Of these, {merged.without_majority:,} have no majority."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for given in self._found():
            yield tuple(given.get(column) for column in _COLUMNS)

    def _found(self) -> Iterator[dict[str, Plain]]:
        for judge in self.judges:
            for name, value in (("mean", judge.mean), ("relevant", judge.relevant)):
                yield {"statistic": name, "judge": judge.name, "value": value, "n": judge.documents}
            for grade, count in judge.grades:
                yield {"statistic": "count", "judge": judge.name, "grade": grade, "value": count, "n": judge.documents}
        for pair in self.pairs:
            about: dict[str, Plain] = {"judge": pair.first, "and": pair.second}
            yield from _coefficients(about, pair.coefficients, pair.documents)
            yield from _shift(about, pair)
            for first, row in zip(self.grades, pair.table.tolist(), strict=True):
                for second, count in zip(self.grades, row, strict=True):
                    cell: dict[str, Plain] = {"grade": first, "and_grade": second, "value": count, "n": pair.documents}
                    yield {"statistic": "count", **about, **cell}
            for topic in pair.topics:
                for name in ("equal", "kappa", "overlap"):
                    query = decoded(topic.query)
                    yield {
                        "statistic": name,
                        **about,
                        "query": query,
                        "value": getattr(topic, name),
                        "n": topic.documents,
                    }
        if self.together is not None:
            yield from _coefficients({"judge": ALL}, self.together.coefficients, self.together.documents)
        if self.under is not None:
            yield from _of_runs(self.under)
        for conflict in self.merged.conflicts if self.merged is not None else ():
            place: dict[str, Plain] = {"query": decoded(conflict.query), "document": decoded(conflict.document)}
            for judge, own in zip(self.judges, conflict.grades, strict=True):
                if own is not None:
                    yield {"statistic": "conflict", "judge": judge.name, **place, "grade": own}
            yield {"statistic": "merged", **place, "grade": conflict.merged}

    @property
    def record(self) -> dict[str, Any]:
        optional = {"together", "runs", "merged"}
        found = {name: each for name, each in recorded(self).items() if each is not None or name not in optional}
        return {**stamped("irev judges"), **found}

    @property
    def beside(self) -> Iterator[tuple[str, Report]]:
        if self.unsettled_to is not None:
            yield self.unsettled_to, self.unsettled()

    # For Python

    def unsettled(self) -> Unsettled:
        """The documents on which no grade has a majority of those who judged it."""
        grades = self.pooled.grades
        kept = []
        for pair in np.flatnonzero(self.pooled.judged.sum(axis=1) > 1).tolist():
            own = grades[pair, ~np.isnan(grades[pair])].tolist()
            if 2 * max(map(own.count, own)) <= len(own):
                kept.append(pair)
        return Unsettled(self.pooled, tuple(kept))

    def qrels(self) -> dict[str, dict[str, float]]:
        """The merged judgments, ``{query: {document: grade}}``. Raises `UsageError` where none were asked for."""
        if self.merged is None:
            raise UsageError(
                "judgments were not merged", remedy=f"{option('prefer', 'first or max or mean or majority')} does"
            )
        found: dict[str, dict[str, float]] = {}
        for pair, grade in enumerate(self.merged.grades.tolist()):
            query = decoded(self.pooled.queries[self.pooled.query[pair]])
            found.setdefault(query, {})[decoded(self.pooled.document(pair))] = grade
        return found

    def drawn(self, form: Form) -> bytes:
        """Runs by their values under every two judges."""
        if (under := self.under) is None:
            raise UsageError("there are no runs to draw", remedy="give some: runs=…")
        by_judge = {
            (judge, measure): replace(each, name=f"{measure}, {judge}") for judge, measure, each in under.orderings
        }
        curves = [
            of_agreement(
                under.runs, by_judge[each.first, each.measure], by_judge[each.second, each.measure], each.agreed
            )
            for each in under.agreed
        ]
        caption = f"{under.queries:,} queries that all judges judged."
        return figure_of_curves(curves, form, caption)

    @property
    def files(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The merged judgments in the format that the name of their file asks for, TREC's unless it asks for one.

        They stand by query, and within it as they stood in the files of the first judge, the second and so on.
        """
        if not self.file or self.merged is None:
            return

        target = writers.chosen(None if os.path.splitext(self.file)[1] else "trec", self.file, option="")
        pairs = range(len(self.pooled.query))
        columns = {
            "query": [self.pooled.queries[query] for query in self.pooled.query.tolist()],
            "document": [self.pooled.document(pair) for pair in pairs],
            "grade": [decimal(grade).encode() for grade in self.merged.grades.tolist()],
        }
        rows = Rows(self.file, "line", b"", columns, lambda row: row + 1)
        yield self.file, target.write(writers.Data("qrels", tuple(columns), lambda: iter([rows])))

    def __repr__(self) -> str:
        found = ", ".join(
            f"{named(each.first)} and {named(each.second)} kappa {real(each.coefficients['kappa'].value, 4)}"
            for each in self.pairs[:3]
        )
        return f"<Judges: {found}{', …' if len(self.pairs) > 3 else ''}>"


@dataclass(frozen=True, eq=False, repr=False)
class Unsettled(ReportedFinding):
    """Documents to adjudicate: no grade has a majority. A row has the grade of each judge, and an empty grade.

    Attributes
    ----------
    pooled : Pooled
    pairs : tuple of int
        Places of the documents among the pairs of a query and a document.
    """

    pooled: Pooled
    pairs: tuple[int, ...]

    exact = frozenset({"grade"})

    @property
    def title(self) -> str:
        return counted(len(self.pairs), "document") + " without a majority"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("query", "document", *(f"by {named(name)}" for name in self.pooled.names), "grade")

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(self.columns[:-1])

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        pooled = self.pooled
        for pair in self.pairs:
            grades = (None if np.isnan(grade) else decimal(grade) for grade in pooled.grades[pair].tolist())
            query = pooled.queries[pooled.query[pair]]
            yield (decoded(query), decoded(pooled.document(pair)), *grades, None)

    @property
    def sheets(self) -> Iterator[Sheet]:
        rows = (
            {
                name: named(str(value)) if value is not None else ""
                for name, value in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        )
        yield table("", ("query", "document"), self.columns[2:], rows, self.columns[:2])

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev unsettled"),
            "documents": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }

    def __repr__(self) -> str:
        return f"<Unsettled: {self.title}>"


def _coefficients(
    about: Mapping[str, Plain], found: Mapping[str, Coefficient], documents: int
) -> Iterator[dict[str, Plain]]:
    for name, each in found.items():
        low, high = each.interval or (None, None)
        yield {"statistic": name, **about, "value": each.value, "low": low, "high": high, "n": documents}


def _shift(about: Mapping[str, Plain], pair: Pair) -> Iterator[dict[str, Plain]]:
    if (of := pair.grades) is None:
        return
    low, high = of.interval or (None, None)
    value = {"value": of.second - of.first, "low": low, "high": high, "n": pair.documents}
    yield {"statistic": "grade difference", **about, **value}
    yield {"statistic": "p of grade difference", **about, "value": of.p, "n": pair.documents}
    p = None if of.homogeneity is None else of.homogeneity.p
    yield {"statistic": "p of all grades", **about, "value": p, "n": pair.documents}


def _of_runs(under: RunsUnder) -> Iterator[dict[str, Plain]]:
    for judge, measure, ordering in under.orderings:
        for run, value in zip(under.runs, ordering.values.tolist(), strict=True):
            about = {"judge": judge, "run": run, "measure": measure}
            yield {"statistic": "score", **about, "value": value, "n": ordering.queries}
    for order in under.agreed:
        about = {"judge": order.first, "and": order.second, "measure": order.measure}
        low, high = order.interval or (None, None)
        pairs = order.agreed.pairs
        yield {"statistic": "tau_b", **about, "value": order.agreed.tau_b, "low": low, "high": high, "n": pairs}
        for name, number in (("tau_ap", order.agreed.tau_ap), ("swapped", order.agreed.swapped)):
            yield {"statistic": name, **about, "value": number, "n": pairs}
        if order.tau_top is not None:
            yield {"statistic": "tau_top", **about, "value": order.tau_top, "n": math.comb(order.top, 2)}
        for name, count in under.counts(order).items():
            if name != "shown":
                yield {"statistic": f"significant {name}", **about, "value": count, "n": pairs}
    for each in under.differing:
        runs: dict[str, Plain] = {"run": each.contrasts[0].baseline, "and_run": each.contrasts[0].run}
        n = each.change.n
        for judge, contrast in zip((each.first, each.second), each.contrasts, strict=True):
            pair = {"judge": judge, **runs, "measure": each.measure}
            yield {"statistic": "difference", **pair, "value": contrast.difference, "n": n}
            yield {"statistic": "p", **pair, "value": contrast.adjusted[0], "n": n}
        pair = {"judge": each.first, "and": each.second, **runs, "measure": each.measure}
        low, high = each.interval or (None, None)
        yield {"statistic": "change", **pair, "value": each.change.value, "low": low, "high": high, "n": n}
        yield {"statistic": "p of change", **pair, "value": each.p, "n": n}
