"""The report of judges: how far they agree, by topic too, what was made of their conflicts, and runs under each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irev.analysis.comparison.contrasts import BETTER, WORSE, Contrast
from irev.analysis.judges import COEFFICIENTS, PREFERENCES, Coefficient, Judges, Merged, Pair, RunsUnder, Together
from irev.base.text import (
    MISSING,
    counted,
    decoded,
    interval,
    named,
    p_value,
    percent,
    plain,
    real,
    signed,
)
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.tables import stamped, table

FORMAT, VERSION = "irev judges", 1

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

_HEADINGS = {name: name.replace("_", " ") for name in COEFFICIENTS} | {"equal": "same"}

_LISTED = 20
"""Conflicts, pairs of runs and topics that people see unless they ask for all."""

_TABLES = 6
"""So many tables of grades people see unless they ask for all."""

_FEW_TOPICS = 10
"""With fewer topics intervals may be too narrow (benchmarks/agreement.py)."""

ALL = "all"


class JudgesReport(Report):
    """What judges agree on, laid out.

    `merged` is what was made of their judgments, `under` what becomes of runs, `inputs` are the files; `everything`
    says whether all topics, conflicts and tables are shown to people.
    """

    columns = _COLUMNS
    texts = frozenset(_TEXTS)
    exact = frozenset({"grade", "and_grade"})
    deepest = 4

    def __init__(
        self,
        judges: Judges,
        merged: Merged | None = None,
        under: RunsUnder | None = None,
        inputs: Sequence[Input] = (),
        everything: bool = False,
        more: str = "-q",
    ) -> None:
        self.judges, self.merged, self.under, self.inputs = judges, merged, under, inputs
        self.everything, self.more = everything, more

    @property
    def title(self) -> str:
        return "Agreement of " + counted(len(self.judges.judges), "judge")

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._who()
        yield self._agreement()
        pairs = self.judges.pairs
        for pair in pairs if self.everything else pairs[:_TABLES]:
            yield self._grades(pair)
        if self.everything:
            yield self._topics()
        if self.under is not None:
            yield self._places(self.under)
            yield self._orders(self.under)
            if self.under.swapped:
                yield self._swapped(self.under)
        if self.merged is not None and self.merged.conflicts:
            yield self._conflicts(self.merged)

    def _who(self) -> Sheet:
        rows = (
            {
                "judge": named(judge.name),
                "judgments": f"{judge.documents:,}",
                "topics": f"{judge.queries:,}",
                "mean grade": real(judge.mean, self.look.digits),
                "relevant": real(judge.relevant, self.look.digits),
                "grades": ", ".join(f"{decimal(grade)}: {count:,}" for grade, count in judge.grades),
            }
            for judge in self.judges.judges
        )
        header = ("judgments", "topics", "mean grade", "relevant", "grades")
        return table("", ("judge",), header, rows, ("judge", "grades"))

    def _agreement(self) -> Sheet:
        """A section for every two judges, and one for all together, with a row for each coefficient."""
        sections = [
            self._section((named(pair.first), named(pair.second)), pair.coefficients, pair.documents)
            for pair in self.judges.pairs
        ]
        if (together := self.judges.together) is not None:
            sections.append(self._section((ALL, ""), together.coefficients, together.documents))
        header = ("judge", "and", "coefficient", "value", "interval", "documents")
        return Sheet("Agreement", header, 3, frozenset({0, 1, 2}), tuple(sections))

    def _section(
        self, names: tuple[str, str], found: Mapping[str, Coefficient], documents: int
    ) -> tuple[tuple[Cell, ...], ...]:
        digits = self.look.digits
        kept = {name: each for name, each in found.items() if name != "weighted" or self.judges.scales is None}
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
        grades = [decimal(grade) for grade in self.judges.grades]
        rows = (
            {"grade": grade, **{other: f"{count:,}" for other, count in zip(grades, row, strict=True)}}
            for grade, row in zip(grades, pair.table.tolist(), strict=True)
        )
        title = f"Grades of {named(pair.first)}, a row each, and of {named(pair.second)}, a column each"
        return table(title, ("grade",), grades, rows)

    def _topics(self) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "topic": named(decoded(topic.query)),
                "judge": named(pair.first),
                "and": named(pair.second),
                "both judged": f"{topic.documents:,}",
                "same": real(topic.equal, digits),
                "kappa": real(topic.kappa, digits),
                "overlap": real(topic.overlap, digits),
                "relevant": f"{topic.relevant[0]:,} and {topic.relevant[1]:,}",
            }
            for pair in self.judges.pairs
            for topic in pair.topics
        )
        header = ("both judged", "same", "kappa", "overlap", "relevant")
        return table("Topics", ("topic", "judge", "and"), header, rows)

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
        return table("Runs under each judge, with their places", ("run",), [head for head, *_ in columns], rows)

    def _orders(self, under: RunsUnder) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "measure": measure,
                "judge": named(one),
                "and": named(other),
                "tau b": real(each.tau_b, digits),
                "tau AP": real(each.tau_ap, digits),
                "swapped": f"{each.swapped:,} of {each.pairs:,}",
                "shown": f"{under.shown(measure, one, other):,}",
            }
            for measure, one, other, each in under.agreed
        )
        return table("Orders of runs", ("measure", "judge", "and"), ("tau b", "tau AP", "swapped", "shown"), rows)

    def _swapped(self, under: RunsUnder) -> Sheet:
        found = sorted(under.swapped, key=lambda each: not each.shown)
        kept = found if self.everything else found[:_LISTED]
        rows: Iterator[dict[str, Cell | str]] = (
            {
                "run": named(each.contrasts[0].baseline),
                "and": named(each.contrasts[0].run),
                "measure": each.measure,
                "judge": named(each.first),
                "difference": self._difference(each.contrasts[0]),
                "other judge": named(each.second),
                "there": self._difference(each.contrasts[1]),
            }
            for each in kept
        )
        header = ("measure", "judge", "difference", "other judge", "there")
        texts = ("run", "and", "measure", "judge", "other judge")
        return table(
            "Runs that change places", ("run", "and"), header, rows, texts, self._left_out(len(found), len(kept))
        )

    def _difference(self, contrast: Contrast) -> Cell:
        p = contrast.adjusted[0]
        significant = contrast.finding in (BETTER, WORSE)
        return Cell(f"{signed(contrast.difference, self.look.digits)} ({p_value(p)})", significant=significant)

    def _conflicts(self, merged: Merged) -> Sheet:
        kept = merged.conflicts if self.everything else merged.conflicts[:_LISTED]
        names = [named(judge.name) for judge in self.judges.judges]
        rows = (
            {
                "topic": named(decoded(each.query)),
                "document": named(decoded(each.document)),
                **{
                    f"by {name}": MISSING if grade is None else decimal(grade)
                    for name, grade in zip(names, each.grades, strict=True)
                },
                "merged": decimal(each.merged),
            }
            for each in kept
        )
        header = (*(f"by {name}" for name in names), "merged")
        left_out = self._left_out(len(merged.conflicts), len(kept))
        return table("Conflicts", ("topic", "document"), header, rows, notes=left_out)

    def _left_out(self, count: int, kept: int) -> list[str]:
        return [f"{counted(count - kept, 'row')} left out; {self.more} shows all."] if count > kept else []

    @property
    def notes(self) -> Iterator[str]:
        judges = self.judges
        weights, alpha = judges.weights, judges.alpha_level
        yield (
            "same: share of documents with the same grade; kappa: Cohen's"
            + (f", weighted: the same with {weights} weights" if judges.scales is None else "")
            + f"; alpha: Krippendorff's, {alpha}; overlap: documents that both hold to be relevant, of those that"
            " either does, in all topics together; mean overlap: the mean of the overlaps of the topics (Voorhees)."
            f" Relevant: a grade of {decimal(judges.level)} or more."
        )
        if judges.together is not None:
            yield (
                f"{ALL}: alpha of documents that two judges or more judged; kappa, the mean over pairs; same and"
                f" overlaps of the {counted(judges.together.by_all, 'document')} that all judged."
            )
        yield (f"[ ]: intervals with {percent(judges.confidence)} confidence, jackknife-t over topics.")
        if min(pair.queries for pair in judges.pairs) < _FEW_TOPICS:
            yield f"Intervals of fewer than {_FEW_TOPICS} topics may be too narrow."
        if judges.scales is not None:
            found = ", ".join(f"{named(name)} to {decimal(most)}" for name, most in judges.scales)
            yield (
                f"The scales differ, by the highest grades given ({found}), so there is no weighted kappa, and the"
                " others take equal numbers for equal grades; --scale maps grades, or says that they are of one scale."
            )
        for one, other in judges.apart:
            yield f"{named(one)} and {named(other)} judged no document in common."
        for judge in judges.judges:
            if judge.left_out:
                yield f"{named(judge.name)}: {counted(judge.left_out, 'negative grade')} left out: not judged."
        if not self.everything and len(judges.pairs) > _TABLES:
            yield f"Tables of grades of {len(judges.pairs) - _TABLES} pairs left out; {self.more} shows all."
        if self.under is not None:
            yield from self._notes_of_runs(self.under)
        if self.merged is not None:
            yield from self._notes_of_merging(self.merged)

    def _notes_of_runs(self, under: RunsUnder) -> Iterator[str]:
        yield (
            f"Runs over the {counted(under.queries, 'topic')} that all judges judged, one without results as"
            " finding nothing."
            " swapped: pairs of runs in opposite order; shown: those of which a paired t-test finds either order to be"
            f" more than chance (Holm over all pairs, {decimal(under.plan.alpha)})."
        )
        if under.swapped:
            yield "difference, there: of the second run from the first, with its p-value."
        if any(each.shown for each in under.swapped):
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
        for judge in self.judges.judges:
            for name, value in (("mean", judge.mean), ("relevant", judge.relevant)):
                yield {"statistic": name, "judge": judge.name, "value": value, "n": judge.documents}
            for grade, count in judge.grades:
                yield {"statistic": "count", "judge": judge.name, "grade": grade, "value": count, "n": judge.documents}
        for pair in self.judges.pairs:
            about: dict[str, Plain] = {"judge": pair.first, "and": pair.second}
            yield from _coefficients(about, pair.coefficients, pair.documents)
            for first, row in zip(self.judges.grades, pair.table.tolist(), strict=True):
                for second, count in zip(self.judges.grades, row, strict=True):
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
        if self.judges.together is not None:
            yield from _coefficients({"judge": ALL}, *_of_all(self.judges.together))
        if self.under is not None:
            yield from _of_runs(self.under)
        for conflict in self.merged.conflicts if self.merged is not None else ():
            place: dict[str, Plain] = {"query": decoded(conflict.query), "document": decoded(conflict.document)}
            for judge, own in zip(self.judges.judges, conflict.grades, strict=True):
                if own is not None:
                    yield {"statistic": "conflict", "judge": judge.name, **place, "grade": own}
            yield {"statistic": "merged", **place, "grade": conflict.merged}

    @property
    def record(self) -> dict[str, Any]:
        judges = self.judges
        found: dict[str, Any] = {
            **stamped(FORMAT, VERSION),
            "level": judges.level,
            "weights": judges.weights,
            "alpha": judges.alpha_level,
            "confidence": judges.confidence,
            "inputs": [file.recorded() for file in self.inputs],
            "grades": list(judges.grades),
            "highest": None if judges.scales is None else dict(judges.scales),
            "judges": [
                {
                    "name": judge.name,
                    "judgments": judge.documents,
                    "negative": judge.left_out,
                    "queries": judge.queries,
                    "mean": judge.mean,
                    "relevant": judge.relevant,
                    "counts": [[grade, count] for grade, count in judge.grades],
                }
                for judge in judges.judges
            ],
            "pairs": [
                {
                    "judge": pair.first,
                    "and": pair.second,
                    "documents": pair.documents,
                    "queries": pair.queries,
                    "counts": pair.table.tolist(),
                    **_recorded(pair.coefficients),
                    "topics": {
                        decoded(topic.query): {
                            "documents": topic.documents,
                            "equal": plain(topic.equal),
                            "kappa": plain(topic.kappa),
                            "overlap": plain(topic.overlap),
                            "relevant": list(topic.relevant),
                        }
                        for topic in pair.topics
                    },
                }
                for pair in judges.pairs
            ],
            "apart": [list(each) for each in judges.apart],
        }
        if judges.together is not None:
            coefficients, documents = _of_all(judges.together)
            found["together"] = {
                "documents": documents,
                "queries": judges.together.queries,
                "by_all": judges.together.by_all,
                **_recorded(coefficients),
            }
        if self.under is not None:
            found["runs"] = _record_of_runs(self.under)
        if self.merged is not None:
            found["merged"] = {
                "prefer": self.merged.prefer,
                "by_several": self.merged.by_several,
                "without_majority": self.merged.without_majority,
                "conflicts": [
                    {
                        "query": decoded(each.query),
                        "document": decoded(each.document),
                        "grades": list(each.grades),
                        "merged": each.merged,
                    }
                    for each in self.merged.conflicts
                ],
            }
        return found


def _of_all(together: Together) -> tuple[Mapping[str, Coefficient], int]:
    return together.coefficients, together.documents


def _coefficients(
    about: Mapping[str, Plain], found: Mapping[str, Coefficient], documents: int
) -> Iterator[dict[str, Plain]]:
    for name, each in found.items():
        low, high = each.interval or (None, None)
        yield {"statistic": name, **about, "value": each.value, "low": low, "high": high, "n": documents}


def _recorded(found: Mapping[str, Coefficient]) -> dict[str, Any]:
    return {
        name: {"value": each.value, "interval": None if each.interval is None else list(each.interval)}
        for name, each in found.items()
    }


def _of_runs(under: RunsUnder) -> Iterator[dict[str, Plain]]:
    for judge, measure, ordering in under.orderings:
        for run, value in zip(under.runs, ordering.values.tolist(), strict=True):
            about = {"judge": judge, "run": run, "measure": measure}
            yield {"statistic": "score", **about, "value": value, "n": ordering.queries}
    for measure, one, other, each in under.agreed:
        for name, number in (("tau_b", each.tau_b), ("tau_ap", each.tau_ap), ("swapped", each.swapped)):
            about = {"judge": one, "and": other, "measure": measure}
            yield {"statistic": name, **about, "value": number, "n": each.pairs}
    for swap in under.swapped:
        for judge, contrast in zip((swap.first, swap.second), swap.contrasts, strict=True):
            pair = {"judge": judge, "run": contrast.baseline, "and_run": contrast.run, "measure": swap.measure}
            yield {"statistic": "difference", **pair, "value": contrast.difference, "n": len(contrast.differences)}
            yield {"statistic": "p", **pair, "value": contrast.adjusted[0], "n": len(contrast.differences)}


def _record_of_runs(under: RunsUnder) -> dict[str, Any]:
    return {
        "queries": under.queries,
        "runs": list(under.runs),
        "alpha": under.plan.alpha,
        "scores": [
            {
                "judge": judge,
                "measure": measure,
                "values": {run: plain(value) for run, value in zip(under.runs, ordering.values.tolist(), strict=True)},
                "places": dict(zip(under.runs, ordering.places, strict=True)),
            }
            for judge, measure, ordering in under.orderings
        ],
        "orders": [
            {
                "measure": measure,
                "judge": one,
                "and": other,
                "tau_b": plain(each.tau_b),
                "tau_ap": plain(each.tau_ap),
                "swapped": each.swapped,
                "pairs": each.pairs,
            }
            for measure, one, other, each in under.agreed
        ],
        "swapped": [
            {
                "measure": swap.measure,
                "run": swap.contrasts[0].baseline,
                "and": swap.contrasts[0].run,
                "shown": swap.shown,
                "under": {
                    judge: {"difference": plain(contrast.difference), "p": plain(contrast.adjusted[0])}
                    for judge, contrast in zip((swap.first, swap.second), swap.contrasts, strict=True)
                },
            }
            for swap in under.swapped
        ],
    }
