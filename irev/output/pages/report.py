"""The page of a report: how runs compare, where, and why, from all queries down to single documents.

Everything but single topics is written here and reads without a script. The script shows what `topics` has prepared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from irev import __version__
from irev.base.exit import DONE
from irev.base.records import dataclass
from irev.base.settings import ABOUT, Settings
from irev.base.text import MISSING, counted, interval, named, percent, signed
from irev.errors import printable
from irev.evaluation.curves.by_query import sorted_differences
from irev.evaluation.curves.curve import Curves
from irev.evaluation.result import Outcome, Result
from irev.evaluation.side_by_side import Attribution, SideBySide
from irev.measures import Request
from irev.output.finding import Finding
from irev.output.pages import topics
from irev.output.pages.html import (
    END,
    Content,
    Markup,
    document,
    elements,
    folded,
    framed,
    isolated,
    joined,
    sentences,
    sheet_of,
    table,
    tag,
)
from irev.output.pages.svg import with_numbers
from irev.output.pages.topic_table import TopicTable, directed, one_topic, scale_of
from irev.output.pages.topics import distinct
from irev.output.report import MARK, Cell, Look, Report, Sheet
from irev.output.reports.comparison.compact import ComparisonReport
from irev.output.reports.comparison.words import ComparisonLayout
from irev.output.reports.grid import shown
from irev.output.reports.ranking import grade_text

MOST_DIFFERENCES = 6
"""Pictures of the differences of single topics; of more runs there are none."""

ELEMENTS = 2_600
"""Elements of a page up to which tables are tables at first; others are lines of text until they are opened."""

FEW = 100
"""Elements that a table may have wherever it stands."""


@dataclass(frozen=True, eq=False)
class Differing:
    """The documents that a difference is due to most."""

    baseline: str
    run: str
    found: tuple[Attribution, ...]


@dataclass(frozen=True, eq=False)
class ReportPage:
    """What a page has.

    Attributes
    ----------
    result : Result
        The runs, all with the same queries and with names that can be told apart, and what they were made with.
    requests : tuple of Request
        The measures that are shown.
    coverage : Request or None
        The share of judged documents among the first, where that was evaluated.
    side : SideBySide
    comparison : ComparisonReport or None
        The differences, where there are several runs.
    qrels : str
    warnings : sequence of str
        What numbers do not show.
    curves : sequence of Curves
        Of averages over all queries.
    differing : sequence of Differing
    titles, documents : mapping of bytes to str
    command : str
        What was typed to make it.
    versions : mapping of str to str
    digits : int
    verdict : Finding or None
        Of a check, which stands before everything else.
    left_out : int
        Queries that not all runs have, which the page is not about.
    judgments : sequence of Report
        What is said of the judgments: how far judges agree, what they cover.
    """

    result: Result
    requests: tuple[Request, ...]
    side: SideBySide
    comparison: ComparisonReport | None
    qrels: str
    coverage: Request | None = None
    warnings: Sequence[str] = ()
    curves: Sequence[Curves] = ()
    differing: Sequence[Differing] = ()
    titles: Mapping[bytes, str] = field(default_factory=dict)
    documents: Mapping[bytes, str] = field(default_factory=dict)
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    digits: int = 4
    verdict: Finding | None = None
    left_out: int = 0
    judgments: Sequence[Report] = ()

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.result.outcomes

    @cached_property
    def _names(self) -> dict[bytes, str]:
        """What topics are called, no two alike."""
        names = distinct([printable(query) for query in self.side.queries])
        return dict(zip(self.side.queries, names, strict=True))

    @cached_property
    def _columns(self) -> list[list[list[str]]]:
        """The values of topics as texts, of each measure those of each run and what is said of all."""
        side = self.side
        return [
            topics.columns(values, request, self.digits, self._baseline)
            for values, request in zip(side.values, self.requests, strict=True)
        ]

    @cached_property
    def _table(self) -> TopicTable:
        return TopicTable(self.side, self.requests[0], self._names, self._columns[0], self.titles)

    @property
    def _lost(self) -> str:
        """What is said of a document without a rank, which may have one below a cut."""
        depth = self.result.settings.depth
        return "not retrieved" if depth is None else f"not in the first {depth:,}"

    @property
    def _baseline(self) -> int:
        """The place of the run that others are compared with; the first where there is none."""
        name = None if self.comparison is None else self.comparison.comparison.baseline
        called = [outcome.run for outcome in self.outcomes]
        return called.index(name) if name in called else 0

    @property
    def queries(self) -> int:
        return self.outcomes[0].scores.considered

    def written(self) -> bytes:
        """The page."""
        runs = [outcome.run for outcome in self.outcomes]
        title = f"{runs[0] if len(runs) == 1 else counted(len(runs), 'run')} on {named(self.qrels)}"
        title = title if self.verdict is None else f"Check of {title}"
        sections = list(self._sections())
        links = tag("ul", None, (tag("li", None, tag("a", {"href": f"#{name}"}, said)) for name, said, _ in sections))
        top = tag(
            "header",
            None,
            tag("p", {"class": "brand"}, f"irev {__version__} report"),
            tag("h1", None, isolated(title)),
            tag("p", {"class": "lead"}, isolated(self._lead())),
            tag("nav", {"aria-label": "Parts of this page"}, links),
        )
        parts = (
            tag("section", {"id": name, "aria-labelledby": f"{name}-h"}, tag("h2", {"id": f"{name}-h"}, said), content)
            for name, said, content in sections
        )
        return document(title, joined(top, END, tag("main", None, END, _lines(parts))), self._data(runs))

    def _lead(self) -> str:
        name = self.requests[0].standard
        return f"{counted(self.queries, 'query', 'queries')}: {self.result.policy}. Topics are ordered by {name}."

    def _sections(self) -> Iterator[tuple[str, str, Markup]]:
        """Name, heading and content of each part. Those that have any number of tables have what room others leave."""
        overview, topics, figures = joined(self._overview()), self._table.markup, [*self._curves()]
        curves = tag("div", {"class": "charts"}, figures)
        # The script adds a few to each heading of a column, and to each table.
        scripted = 3 * len(self.outcomes) + 60
        room = _Room(ELEMENTS - sum(map(elements, (overview, topics, curves))) - scripted)
        if self.verdict is not None:
            yield "verdict", "Verdict", joined(*self._verdict(self.verdict, room))
        yield "overview", "Overview", overview
        if self.comparison is not None:
            yield "significance", "Significance", joined(*self._significance(self.comparison, room))
        if figures:
            yield "curves", "Curves", curves
        yield "topics", "Topics", topics
        if self.side.depth:
            yield "topic", "One topic", one_topic()
        if any(each.found for each in self.differing):
            yield "documents", "Documents most responsible", joined(*self._responsible(room))
        if self.judgments:
            yield "judgments", "Judgments", joined(*self._judgments(room))
        yield "made", "How this was made", joined(*self._made(room))

    # What a check has found

    def _verdict(self, report: Finding, room: _Room) -> Iterator[Markup]:
        """The verdict in a sentence, its reasons, and the tables of a check."""
        headline, *reasons = report.lead
        kind = "good" if report.status == DONE else "bad"
        yield tag("p", {"class": f"headline {kind}"}, isolated(headline))
        if reasons:
            yield tag("ul", {"class": "reasons"}, (tag("li", None, isolated(reason)) for reason in reasons))
        seen = report.seen(Look("standard", self.digits))
        for sheet in seen.sheets:
            yield from room.sheet(sheet, "Findings")
        yield from sentences(seen.notes, "note")

    def _judgments(self, room: _Room) -> Iterator[Markup]:
        """What is said of the judgments, each with its own heading, tables and notes."""
        for report in self.judgments:
            seen = report.seen(Look("standard", self.digits))
            yield tag("h3", None, isolated(seen.title))
            yield from sentences(seen.lead)
            for sheet in seen.sheets:
                yield from room.sheet(sheet, seen.title)
            yield from sentences(seen.notes, "note")

    # The runs

    def _overview(self) -> Iterator[Markup]:
        marks = self._marks()
        columns = [[column.request for column in outcome.scores.columns].index for outcome in self.outcomes]
        values = [
            [outcome.summary.values[at(request)] for request in self.requests]
            for outcome, at in zip(self.outcomes, columns, strict=True)
        ]
        best = [self._best([of[i] for of in values], request) for i, request in enumerate(self.requests)]
        baseline = self.comparison.comparison.baseline if self.comparison is not None else None
        rows = []
        for outcome, of, at in zip(self.outcomes, values, columns, strict=True):
            cells = [Cell(outcome.run + (" (baseline)" if outcome.run == baseline else ""))]
            for i, value in enumerate(of):
                text = shown(value, self.digits) or MISSING
                tone = marks.get((i, outcome.run))
                cells.append(Cell(text, best=text == best[i], tone=tone or "", significant=tone is not None))
            facts = outcome.facts
            if self.coverage is not None:
                value = outcome.summary.values[at(self.coverage)]
                cells.append(Cell(_share(value) if isinstance(value, float) else MISSING))
            cells += [
                Cell(_share(facts.judged_share) if facts.judged + facts.unjudged else MISSING),
                Cell(f"{len(facts.not_retrieved):,}"),
                Cell(f"{facts.tied:,}"),
            ]
            rows.append(tuple(cells))
        judged = () if self.coverage is None else (f"judged in first {self.coverage.cutoff}",)
        names = (directed(request) + " (sum)" * _added_up(request) for request in self.requests)
        header = ("run", *names, *judged, "judged of all", "topics without results", "topics with ties")
        yield framed(table(Sheet("", header, 1, frozenset({0}), (tuple(rows),))), "", name="Runs and measures")
        notes = ["Bold: the best of the runs."] if any(text is not None for text in best) else []
        if self.comparison is not None and baseline is not None:
            notes.append(_significant(self.comparison.laid, bool(marks), baseline))
        notes += self._about_facts()
        yield from sentences(notes, "note")
        if self.warnings:
            yield tag("h3", None, "Warnings")
            yield tag("ul", {"class": "warnings"}, (tag("li", None, isolated(text)) for text in self.warnings))

    def _about_facts(self) -> Iterator[str]:
        """What the columns beside the measures are."""
        said = "Judged of all: the share of all retrieved documents, of all queries together, that have a judgment"
        if self.coverage is not None:
            first = f"Judged in first {self.coverage.cutoff}: that share of the first results of each query"
            said += f". {first}, 0 where there are none, averaged over queries"
        yield f"{said}."
        if self.result.settings.judged_only:
            yield "Documents without a judgment are dropped, and the ranks closed."
        else:
            few = "numbers of a run with a small share may be too low"
            yield f"Documents without one count as not relevant, so that {few}."
        if self.left_out:
            yield (
                f"The runs have other queries, and {counted(self.left_out, 'query', 'queries')} that not all have"
                f" {'is' if self.left_out == 1 else 'are'} left out: what is said of judgments, results and ties is of"
                " all queries of each run, everything else of those that all runs have."
            )

    def _best(self, values: Sequence[Any], request: Request) -> str | None:
        known = [value for value in values if isinstance(value, float | int) and not math.isnan(value)]
        if len(values) < 2 or not known or request.better == "neither":
            return None
        return shown(min(known) if request.better == "lower" else max(known), self.digits)

    def _marks(self) -> dict[tuple[int, str], str]:
        """The measures and runs with a significant difference to the baseline, by any test: good, bad or neither."""
        if self.comparison is None or self.comparison.comparison.baseline is None:
            return {}
        laid = self.comparison.laid
        tones = {"better": "good", "worse": "bad"}
        return {
            (place, contrast.run): tones.get(contrast.finding, "")
            for place, compared in enumerate(laid.comparison.compared)
            for contrast in compared.contrasts
            if any(map(laid.significant, contrast.adjusted))
        }

    def _significance(self, comparison: ComparisonReport, room: _Room) -> Iterator[Markup]:
        seen = comparison.seen(Look("standard", self.digits))
        yield tag("div", {"class": "beside"}, (part for sheet in seen.sheets for part in room.sheet(sheet, "Means")))
        yield from sentences(
            [*seen.notes, "Effects, wins and losses, and how all was computed: irev compare --details."], "note"
        )

    # Curves

    def _curves(self) -> Iterator[Markup]:
        """Those of averages; then of each run against the baseline the differences of single topics, sorted."""
        about = f" {counted(self.queries, 'query', 'queries')}."
        if self.left_out:
            about = f"{about[:-1]} that all runs have; {self.left_out:,} left out."
        for curves in (*self.curves, *self._differences()):
            if picture := with_numbers(curves, self.digits, about):
                yield picture

    def _differences(self) -> Iterator[Curves]:
        if self.comparison is None or self.comparison.comparison.baseline is None:
            return
        comparison = self.comparison.comparison
        compared, runs = comparison.compared[0], comparison.runs
        contrasts = compared.contrasts if len(compared.contrasts) <= MOST_DIFFERENCES else ()
        for contrast in contrasts:
            pair = (contrast.baseline, contrast.run)
            values = [compared.measured.values[:, runs.index(name)] for name in pair]
            found = sorted_differences(
                compared.measured.quantity.standard,
                pair,
                compared.measured.queries,
                (values[0], values[1]),
                None if contrast.interval is None else (contrast.interval.low, contrast.interval.high),
                (contrast.wins, contrast.ties, contrast.losses),
                percent(comparison.plan.confidence),
            )
            said = f"wins/ties/losses {contrast.wins}/{contrast.ties}/{contrast.losses}, mean"
            mean = signed(contrast.difference, self.digits)
            if contrast.interval is not None:
                mean += f" {interval(contrast.interval, self.digits)}"
            caption = f"Differences of single queries, run minus baseline, sorted; {said} {mean}."
            yield replace(found, caption=caption)

    # The documents that differences are due to

    def _responsible(self, room: _Room) -> Iterator[Markup]:
        name, several = self.requests[0].standard, len(self.differing) > 1
        sections = tuple(
            tuple(
                (
                    *([Cell(each.run)] if several else []),
                    Cell(self._names[one.query]),
                    Cell(printable(one.document)),
                    Cell(grade_text(one.grade)),
                    Cell(str(one.before) if one.before else self._lost),
                    Cell(str(one.after) if one.after else self._lost),
                    Cell(signed(one.contribution, self.digits), tone=_tone(one.contribution, self.requests[0])),
                    *([Cell(self._text(one.document), tone="words")] if self.documents else []),
                )
                for one in each.found
            )
            for each in self.differing
            if each.found
        )
        labels = ("run", "topic", "document") if several else ("topic", "document")
        header = (*labels, "grade", "was at", "is at", f"{name} of its topic", *(["text"] if self.documents else []))
        texts = frozenset(range(len(labels))) | ({len(header) - 1} if self.documents else set())
        first = self.differing[0]
        title = f"From {first.baseline} to {'each of the others' if several else first.run}"
        yield from room.sheet(Sheet(title, header, len(labels), texts, sections))
        yield tag(
            "p",
            {"class": "note"},
            f"What each judged document adds to the change in {name} of its topic, the largest first. What all of its"
            " documents add makes up the change.",
        )

    def _text(self, document: bytes) -> str:
        return topics.text_of(self.documents.get(document))

    # How it was made

    def _made(self, room: _Room) -> Iterator[Markup]:
        if self.command:
            yield tag("h3", None, "Command")
            yield tag("pre", {"class": "command", "tabindex": 0}, tag("code", None, isolated(self.command)))
        from irev.evaluation.record import record

        made = record(self.result)
        settings = self.result.settings
        pairs = {key: str(value) for key, value in made["policy"].items()}
        pairs |= {
            f"option {name.replace('_', '-')}": _plain(made["options"][name])
            for name, about in ABOUT.items()
            if about.recorded and getattr(settings, name) != getattr(Settings(), name)
        }
        yield from _pairs("Settings", ("setting", "value"), pairs)
        asked = {request.label for request in self.requests}
        measures = {each["standard"]: each["definition"] for each in made["measures"] if each["label"] in asked}
        yield from _pairs("Definitions", ("measure", "meaning"), measures)
        if self.result.inputs:
            rows = tuple(
                tuple(map(Cell, (file.role, named(file.name), f"{file.size:,}", f"{file.lines:,}", file.sha256)))
                for file in self.result.inputs
            )
            header = ("role", "file", "bytes", "lines", "sha256")
            yield from room.sheet(Sheet("Files", header, 2, frozenset({0, 1, 4}), (rows,)))
        yield from _pairs("Versions", ("program", "version"), self.versions)

    # For the script

    def _data(self, runs: Sequence[str]) -> dict[str, Any]:
        names = distinct([request.standard for request in self.requests])
        return {
            "runs": runs,
            "measures": [
                {"name": name, "better": request.better, "scale": scale_of(self.side, place)}
                for place, (request, name) in enumerate(zip(self.requests, names, strict=True))
            ],
            "order": self._table.order,
            "queries": list(self._names.values()),
            "baseline": self._baseline,
            "lost": self._lost,
            "cut": self.result.settings.depth is not None,
            "statistics": topics.statistics(self.side),
            "rows": self._table.at_once,
            "sorted": f", the worst first by the median of the runs{self._table.last}",
            "paper": [[*columns, size] for columns, size in zip(self._table.groups, self._table.sizes, strict=True)],
            **topics.data(self.side, self._columns, self.digits, self.titles, self.documents),
        }


class _Room:
    """How many more elements a page may have at first."""

    def __init__(self, elements: int) -> None:
        self._left = elements

    def sheet(self, sheet: Sheet, name: str = "") -> Iterator[Markup]:
        """A table where it has room, else as lines of text; `name` where it has no title."""
        made = joined(*sheet_of(sheet))
        count = elements(made)
        if count > self._left and len(sheet.sections) and count > FEW:
            made = joined(folded(sheet, sheet.title or name), *sentences(sheet.notes, "note"))
        self._left -= elements(made)
        yield made


def _significant(laid: ComparisonLayout, marked: bool, baseline: str) -> str:
    """What a star says of a value, or why there is none."""
    side = {"greater": "greater than", "less": "less than"}.get(laid.plan.alternative)
    below = "; the tests stand below."
    if marked:
        test = ", by at least one of the tests" if len(laid.plan.tests) > 1 else ""
        said = f"is significantly {side}" if side else "differs significantly from"
        return f"{MARK} {said} {baseline}{test}{below}"
    found = [p for compared in laid.comparison.compared for one in compared.contrasts for p in one.adjusted]
    if all(p is None for p in found):
        return "No difference to the baseline could be tested."
    some = " that could be tested" if None in found else ""
    if side:
        return f"No value{some} is significantly {side} the baseline's{below}"
    return f"No difference to the baseline{some} is significant{below}"


def _share(value: float) -> str:
    return percent(round(value, 3)) if not math.isnan(value) else MISSING


def _tone(change: float, request: Request) -> str:
    better = request.better
    return "" if better == "neither" else "good" if (change > 0) == (better == "higher") else "bad"


def _added_up(request: Request) -> bool:
    """Whether the number for all queries is the sum of theirs, where tests are of means."""
    return not request.aggregate and request.measure.summary in ("sum", "judged relevant")


def _pairs(title: str, header: tuple[str, str], pairs: Mapping[str, str]) -> Iterator[Markup]:
    rows = tuple((Cell(named(key)), Cell(named(value))) for key, value in pairs.items())
    if rows:
        yield from sheet_of(Sheet(title, header, 1, frozenset({0, 1}), (rows,)))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={of}" for key, of in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value[:20])) + (", …" if len(value) > 20 else "")
    return "yes" if value is True else str(value)


def _lines(parts: Iterator[Markup]) -> Content:
    return [joined(part, END) for part in parts]
