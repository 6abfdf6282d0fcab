"""The page of a report: how runs compare, where, and why, from all queries down to single documents.

Everything but single queries is written here and reads without a script. The script shows what `queries` has prepared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from irev import __version__
from irev.base.errors import decimal, printable
from irev.base.exit import DONE
from irev.base.records import cached_property, dataclass
from irev.base.settings import ABOUT, Settings
from irev.base.text import MISSING, counted, interval, named, percent, signed
from irev.evaluation.comparison.contrasts import WORSE
from irev.evaluation.curves import CurvePicture
from irev.evaluation.curves.by_query import of_contrast
from irev.evaluation.record import record
from irev.evaluation.result import Outcome, Result
from irev.evaluation.side_by_side import Attribution, SideBySide
from irev.measures import Request
from irev.output.figures.svg import with_numbers
from irev.output.finding import ReportedFinding, recorded
from irev.output.pages import (
    END,
    Markup,
    document,
    folded,
    framed,
    isolated,
    joined,
    queries,
    reasons_list,
    sentence,
    sentences,
    sheet_of,
    table,
    tag,
)
from irev.output.pages.queries import QueryTable, distinct, one_query, scale_of
from irev.output.report import CONCLUDED, MARK, Cell, Look, Sheet, Sort
from irev.output.reports.comparison import ComparisonLayout, ComparisonReport, directed, marks_of
from irev.output.reports.grid import AgainstBest, shown, standings
from irev.output.reports.ranking import grade_text

MOST_DIFFERENCES = 6
"""Pictures of the differences of single queries; of more runs there are none."""

LONG = 30
"""Rows up to which tables are tables at first; others are lines of text until they are opened."""

FIRST = 10
"""Documents that differences are due to that are shown at once; the others are opened, and not printed."""

OF_NEIGHBOURS = ("knn_recall", "distance_recall", "distance_ratio")
"""Measures of the nearest neighbours: the judgments have all of these, so that nothing is missing."""


@dataclass(frozen=True)
class Board:
    """What makes a leaderboard of the table of runs.

    Attributes
    ----------
    sort : Request or None
        The measure that runs are ranked by; None for the first.
    known : AgainstBest or None
        What is shown of the difference between each run and the best in that measure.
    title : str
        What the page is called.
    taken : mapping of str to mapping of str to str
        What each run took, by its name and the names of columns.
    tradeoff : Curves or None
        The runs in that measure against what they took, where that is known.
    """

    sort: Request | None = None
    known: AgainstBest | None = None
    title: str = ""
    taken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tradeoff: CurvePicture | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns of what runs took."""
        return [*dict.fromkeys(key for of in self.taken.values() for key in of)]


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
    board : Board
        What makes a leaderboard of the table of runs.
    """

    result: Result
    requests: tuple[Request, ...]
    side: SideBySide
    comparison: ComparisonReport | None
    qrels: str
    coverage: Request | None = None
    warnings: Sequence[str] = ()
    curves: Sequence[CurvePicture] = ()
    differing: Sequence[Differing] = ()
    titles: Mapping[bytes, str] = field(default_factory=dict)
    documents: Mapping[bytes, str] = field(default_factory=dict)
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    digits: int = 4
    verdict: ReportedFinding | None = None
    left_out: int = 0
    board: Board = field(default_factory=Board)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.result.outcomes

    @cached_property
    def _names(self) -> dict[bytes, str]:
        """What queries are called, no two alike."""
        names = distinct([printable(query) for query in self.side.queries])
        return dict(zip(self.side.queries, names, strict=True))

    @cached_property
    def _columns(self) -> list[list[list[str]]]:
        """The values of queries as texts, of each measure those of each run and what is said of all."""
        side = self.side
        return [
            queries.columns(values, request, self.digits, self._baseline)
            for values, request in zip(side.values, self.requests, strict=True)
        ]

    @cached_property
    def values(self) -> list[list[tuple[str, ...]]]:
        """Of each measure the values of each query as texts, one for each run."""
        first = queries.leading(self.side)
        return [list(zip(*columns[first : first + len(self.outcomes)], strict=True)) for columns in self._columns]

    @cached_property
    def _table(self) -> QueryTable:
        return QueryTable(self.side, self.requests[0], self._names, self._columns[0], self.titles)

    @property
    def _lost(self) -> str:
        """What is said of a document without a rank, which may have one below a cut."""
        depth = self.result.settings.depth
        return "not retrieved" if depth is None else f"not in the first {depth:,}"

    @property
    def _baseline(self) -> int:
        """The place of the run that others are compared with; the first where there is none."""
        called = [outcome.run for outcome in self.outcomes]
        return called.index(self.baseline) if self.baseline in called else 0

    @property
    def queries(self) -> int:
        return self.outcomes[0].scores.considered

    def by_rank(self) -> ReportPage:
        """The same with the runs in the order of their ranks."""
        runs = self.result.outcomes
        ranked = tuple(self.ranks)
        side = self.side.of_runs([runs.index(each) for each in ranked])
        return replace(self, result=replace(self.result, outcomes=ranked), side=side)

    def written(self) -> bytes:
        """The page."""
        runs = [outcome.run for outcome in self.outcomes]
        whose = runs[0] if len(runs) == 1 else counted(len(runs), "run")
        whose = whose if self.verdict is None else "Check"  # runs are also those that it compares with
        title = self.board.title or f"{whose} on {named(self.qrels)}"
        sections = list(self._sections())
        links = tag("ul", None, (tag("li", None, tag("a", {"href": f"#{name}"}, said)) for name, said, _ in sections))
        top = tag(
            "header",
            None,
            tag("p", {"class": "brand"}, f"irev {__version__} report"),
            tag("h1", None, sentence(title)),
            tag("p", {"class": "lead"}, sentence(self._lead())),
            tag("nav", {"aria-label": "Parts of this page"}, links),
        )
        parts = (
            tag("section", {"id": name, "aria-labelledby": f"{name}-h"}, tag("h2", {"id": f"{name}-h"}, said), content)
            for name, said, content in sections
        )
        body = joined(top, END, tag("main", None, END, (joined(part, END) for part in parts)))
        return document(title, body, self._data(runs))

    def _lead(self) -> str:
        name = self.requests[0].standard
        return f"{counted(self.queries, 'query', 'queries')}: {self.result.policy}. Queries are ordered by {name}."

    def _sections(self) -> Iterator[tuple[str, str, Markup]]:
        """Name, heading and content of each part."""
        overview = joined(self._overview(), self._warnings())
        table, figures = self._table.markup, [*self._curves()]
        curves = tag("div", {"class": "charts"}, figures)
        if self.verdict is not None:
            yield "verdict", "Verdict", joined(*self._verdict(self.verdict))
        yield "overview", "Overview", overview
        if self.comparison is not None:
            yield "significance", "Significance", joined(*self._significance(self.comparison))
        if figures:
            yield "curves", "Curves", curves
        yield "queries", "Queries", table
        if self.side.depth:
            yield "query", "One query", one_query()
        if any(each.found for each in self.differing):
            yield "documents", "Documents that changed scores most", joined(*self._responsible())
        yield "made", "How this was made", joined(*self._made())

    # The table of runs

    @property
    def baseline(self) -> str | None:
        """The run that others are compared with."""
        return None if self.comparison is None else self.comparison.comparison.baseline

    @cached_property
    def ranks(self) -> Mapping[Outcome, int]:
        """The runs, best first, each with its rank; one alone is the first."""
        by = self.board.sort or self.requests[0]
        look = Look(sort=Sort(by, by.better != "lower"))
        return standings(replace(self.result, per_query=False), look) or dict.fromkeys(self.result.outcomes, 1)

    def _overview(self) -> Iterator[Markup]:
        """The table of runs, and what is said of it."""
        marks, ranks = self._marks(), self.ranks
        columns = {outcome: [column.request for column in outcome.scores.columns].index for outcome in ranks}
        values = {
            outcome: [outcome.summary.values[at(request)] for request in self.requests]
            for outcome, at in columns.items()
        }
        best = [self._best([of[i] for of in values.values()], request) for i, request in enumerate(self.requests)]
        several = len(ranks) > 1
        rows = []
        for outcome, rank in ranks.items():
            cells = [Cell(str(rank))] if several else []
            cells.append(self._name(outcome.run))
            taken = self.board.taken.get(outcome.run, {})
            cells += [Cell(taken.get(name, "")) for name in self.board.columns]
            for i, value in enumerate(values[outcome]):
                text = shown(value, self.digits) or MISSING
                marked = (i, outcome.run) in marks
                tone, above = marks.get((i, outcome.run), ("", ""))
                cells.append(Cell(text, best=text == best[i], tone=tone, significant=marked, above=above))
            if self.board.known is not None:
                cell = self.board.known.findings.get(outcome.run, Cell(""))
                tone = "" if cell.text == WORSE else "tied"
                cells.append(Cell(cell.text, tone=tone, above=cell.above))
            facts = outcome.facts
            if self.coverage is not None:
                value = outcome.summary.values[columns[outcome](self.coverage)]
                cells.append(Cell(_share(1 - value) if isinstance(value, float) else MISSING))
            cells += [
                Cell(_share(facts.judged_share) if facts.judged + facts.unjudged else MISSING),
                Cell(f"{facts.missing:,}"),
                Cell(f"{facts.tied:,}"),
            ]
            rows.append(tuple(cells))
        judged = () if self.coverage is None else (f"judged in first {self.coverage.cutoff}",)
        names = (directed(request) + " (sum)" * _added_up(request) for request in self.requests)
        against = ("vs best",) if self.board.known is not None else ()
        labels = (*(("rank",) if several else ()), "run", *self.board.columns)
        about = ("judged of all", "queries without results", "queries with ties")
        header = (*labels, *names, *against, *judged, *about)
        texts = {header.index("run"), *range(len(labels) - len(self.board.columns), len(labels))}
        texts |= {header.index(name) for name in against}
        made = table(Sheet("", header, header.index("run") + 1, frozenset(texts), (tuple(rows),)), "board")
        yield framed(made, "", name="Runs and measures", kind="tall")
        notes = ["Bold: the best run."] if any(text is not None for text in best) else []
        if self.comparison is not None and self.baseline is not None:
            notes.append(_significant(self.comparison.laid, bool(marks), self.baseline))
        if self.board.known is not None:
            notes.append(f"{self.board.known.note}.")
        yield from sentences([*notes, *self._facts()], "note")

    def _name(self, run: str) -> Cell:
        return Cell(run + " (baseline)" * (run == self.baseline))

    def _facts(self) -> Iterator[str]:
        """What the columns beside the measures are."""
        said = "Judged of all: the share of all retrieved documents that are judged, over all queries together"
        if self.coverage is not None:
            first = (
                f"Judged in first {self.coverage.cutoff}: the share of the first {self.coverage.cutoff} "
                "results that are judged, averaged over queries; a query without results has 1"
            )
            said += f". {first}"
        yield f"{said}."
        if self.result.settings.judged_only:
            yield "Unjudged documents are removed, and ranks renumbered."
        elif not all(each.measure.name in OF_NEIGHBOURS for each in self.result.requests):
            few = "numbers of a run with a small share may be too low"
            yield f"Unjudged documents count as not relevant, so {few}."
        if self.left_out:
            yield (
                f"The runs have different queries: {counted(self.left_out, 'query', 'queries')} that not all runs "
                f"have {'is' if self.left_out == 1 else 'are'} left out. Numbers of judgments, results and ties "
                "are for all queries of each run, all other numbers for the queries that all runs have."
            )

    def _best(self, values: Sequence[Any], request: Request) -> str | None:
        known = [value for value in values if isinstance(value, float | int) and not math.isnan(value)]
        if len(values) < 2 or not known or request.better == "neither":
            return None
        return shown(min(known) if request.better == "lower" else max(known), self.digits)

    def _marks(self) -> dict[tuple[int, str], tuple[str, str]]:
        """The measures and runs with a significant difference to the baseline: good, bad or neither; and the marks of
        the finding."""
        if self.comparison is None or self.baseline is None:
            return {}
        laid = self.comparison.laid
        tones = {"better": "good", "worse": "bad"}
        return {
            (place, contrast.run): (tones.get(contrast.finding, ""), marks_of(contrast))
            for place, compared in enumerate(laid.comparison.compared)
            for contrast in compared.contrasts
            if laid.significant(contrast.adjusted[0])
        }

    # What a check has found

    def _verdict(self, report: ReportedFinding) -> Iterator[Markup]:
        """The verdict in a sentence, its reasons, and the tables of a check."""
        headline, *reasons = report.lead
        kind = "good" if report.status == DONE else "bad"
        yield tag("p", {"class": f"headline {kind}"}, sentence(headline))
        if reasons:
            yield reasons_list(reasons)
        seen = report.seen(Look("standard", self.digits))
        for sheet in seen.sheets:
            yield from _sheet(sheet, "Findings")
        if further := [*seen.further]:
            tables = (part for sheet in further for part in _sheet(sheet, "Findings"))
            yield tag("details", None, tag("summary", None, "Measures and queries"), *tables)
        yield from sentences(seen.notes, "note")

    def _warnings(self) -> Iterator[Markup]:
        if self.warnings:
            yield tag("h3", None, "Warnings")
            yield tag("ul", {"class": "warnings"}, (tag("li", None, sentence(text)) for text in self.warnings))

    def _significance(self, comparison: ComparisonReport) -> Iterator[Markup]:
        seen = comparison.seen(Look("standard", self.digits))
        yield tag("div", {"class": "beside"}, (part for sheet in seen.sheets for part in _sheet(sheet, "Means")))
        yield from sentences(
            [*seen.notes, f"irev compare has other tests, intervals and corrections. {CONCLUDED}"], "note"
        )

    # Curves

    def _curves(self) -> Iterator[Markup]:
        """Those of averages; then of each run against the baseline the differences of single queries, sorted."""
        count = counted(self.queries, "query", "queries")
        about = f" {count}."
        if self.left_out:
            about = f"{about[:-1]} that all runs have; {self.left_out:,} left out."
        if self.board.tradeoff is not None:
            yield with_numbers(self.board.tradeoff, self.digits, f" {count}.")
        named = () if self.baseline is None else (self.baseline,)
        place = [outcome.run for outcome in self.ranks].index
        for curves in self.curves:
            ranked = tuple(sorted(curves.curves, key=lambda curve: place(curve.name)))
            if picture := with_numbers(replace(curves, curves=ranked, named=named), self.digits, about):
                yield picture
        for curves in self._differences():
            if picture := with_numbers(curves, self.digits, about):
                yield picture

    def _differences(self) -> Iterator[CurvePicture]:
        if self.comparison is None or self.comparison.comparison.baseline is None:
            return
        comparison = self.comparison.comparison
        compared = comparison.compared[0]
        contrasts = compared.contrasts if len(compared.contrasts) <= MOST_DIFFERENCES else ()
        for contrast in contrasts:
            found = of_contrast(compared.measured, contrast, comparison.plan.confidence)
            said = f"wins/ties/losses {contrast.wins}/{contrast.ties}/{contrast.losses}, mean"
            mean = signed(contrast.difference, self.digits)
            if contrast.interval is not None:
                mean += f" {interval(contrast.interval, self.digits)}"
            caption = f"Differences of single queries, run minus baseline, sorted; {said} {mean}."
            yield replace(found, caption=caption)

    # The documents that differences are due to

    def _responsible(self) -> Iterator[Markup]:
        """The first of them, and the rest on demand."""
        name, several = self.requests[0].standard, len(self.differing) > 1
        found = [(each.run, one) for each in self.differing for one in each.found]
        found.sort(key=lambda pair: -abs(pair[1].contribution))
        rows = tuple(
            (
                *([Cell(run)] if several else []),
                Cell(self._names[one.query]),
                Cell(printable(one.document)),
                Cell(grade_text(one.grade)),
                Cell(str(one.before) if one.before else self._lost),
                Cell(str(one.after) if one.after else self._lost),
                Cell(signed(one.contribution, self.digits), tone=_tone(one.contribution, self.requests[0])),
                *([Cell(self._text(one.document), tone="words")] if self.documents else []),
            )
            for run, one in found
        )
        labels = ("run", "query", "document") if several else ("query", "document")
        header = (*labels, "grade", "was at", "is at", f"{name} of its query", *(["text"] if self.documents else []))
        texts = frozenset(range(len(labels))) | ({len(header) - 1} if self.documents else set())
        first = self.differing[0]
        title = f"From {first.baseline} to {'each of the others' if several else first.run}"
        yield from _sheet(Sheet(title, header, len(labels), texts, (rows[:FIRST],)))
        if rest := rows[FIRST:]:
            yield folded(Sheet("", header, len(labels), texts, (rest,)), f"Others: {len(rest):,}", "numbers")
        said = f"How much each judged document contributes to the change in {name} of its query, the largest first. "
        yield from sentences([f"{said}The contributions of all documents add up to the change."], "note")

    def _text(self, document: bytes) -> str:
        return queries.text_of(self.documents.get(document))

    # How it was made

    def _made(self) -> Iterator[Markup]:
        if self.command:
            yield tag("h3", None, "Command")
            yield tag("pre", {"class": "command", "tabindex": 0}, tag("code", None, isolated(self.command)))

        yield tag("h3", None, "Settings")
        yield tag("ul", None, (tag("li", None, sentence(said)) for said in _in_sentences(self.result)))
        asked = {request.label: request for request in self.requests}
        of_one = replace(self.result, outcomes=self.outcomes[:1])  # of all, the record has thousands of queries
        measures = {
            each["standard"]: _as_asked(each["definition"], asked[each["label"]])
            for each in record(of_one)["measures"]
            if each["label"] in asked
        }
        yield from _pairs("Definitions", ("measure", "meaning"), measures)
        if self.result.inputs:
            rows = tuple(
                tuple(map(Cell, (file.role, named(file.name), f"{file.size:,}", f"{file.lines:,}", file.sha256)))
                for file in self.result.inputs
            )
            header = ("role", "file", "bytes", "lines", "sha256")
            yield from _sheet(Sheet("Files", header, 2, frozenset({0, 1, 4}), (rows,)))
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
            "lead": queries.leading(self.side),
            "rows": self._table.at_once,
            "sorted": f", the worst first by the median of the runs{self._table.last}",
            **queries.data(self.side, self._columns, self.digits, self.titles, self.documents),
        }


def _sheet(sheet: Sheet, name: str = "") -> Iterator[Markup]:
    """A table, as lines of text if it is long; `name` where it has no title."""
    if sum(map(len, sheet.sections)) <= LONG:
        yield from sheet_of(sheet)
    else:
        yield folded(sheet, sheet.title or name)
        yield from sentences(sheet.notes, "note")


def _tone(change: float, request: Request) -> str:
    better = request.better
    return "" if better == "neither" else "good" if (change > 0) == (better == "higher") else "bad"


def _pairs(title: str, header: tuple[str, str], pairs: Mapping[str, str]) -> Iterator[Markup]:
    rows = tuple((Cell(named(key)), Cell(named(value))) for key, value in pairs.items())
    if rows:
        yield from sheet_of(Sheet(title, header, 1, frozenset({0, 1}), (rows,)))


def _in_sentences(result: Result) -> Iterator[str]:
    """How values were made."""
    settings = result.settings
    yield f"Queries that count: {result.policy}."
    yield f"A grade of {decimal(settings.level)} or more is relevant."
    if settings.judged_only:
        yield "Unjudged documents are removed, and ranks renumbered."
    else:
        yield "Unjudged documents count as not relevant."
    yield f"A negative grade counts as follows: {settings.meaning('negative')}."
    precision = ", in single precision" if settings.single_precision and settings.order == "score" else ""
    yield f"Results are ordered {settings.meaning('order')}{precision}."
    yield f"Equal scores are ordered {settings.meaning('ties')}."
    yield f"If a query retrieves a document twice: {settings.meaning('duplicates')}."
    for name, about in ABOUT.items():
        value = getattr(settings, name)
        if name not in _SAID and value != getattr(Settings(), name):
            said = f"{about.says[0].upper()}{about.says[1:]}"
            yield f"{said}." if value is True else f"{said}: {_plain(recorded(value))}."


_SAID = ("level", "judged_only", "negative", "order", "ties", "duplicates", "complete", "queries", "only")
"""Settings that every page says something of."""


def _as_asked(definition: str, request: Request) -> str:
    """The definition of a measure for the cutoff that was asked for, and for one query."""
    cutoff = "" if request.cutoff is None else str(request.cutoff)
    said = re.sub(r"\b(first|at|by|rank) k\b", rf"\1 {cutoff}", definition) if cutoff else definition
    if said.startswith("Mean "):
        said = f"{said[5].upper()}{said[6:].rstrip('.')} of a query."
    level = "" if request.level is None else f" A grade of {decimal(request.level)} or more is relevant."
    return f"{said}{level}"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value[:20])) + (", …" if len(value) > 20 else "")
    return str(value)


def _significant(laid: ComparisonLayout, marked: bool, baseline: str) -> str:
    """What a star says of a value, or why there is none."""
    below = "; see the tests below."
    if marked:
        return f"{MARK} differs significantly from {baseline}{below}"
    found = [p for compared in laid.comparison.compared for one in compared.contrasts for p in one.adjusted]
    if all(p is None for p in found):
        return "No difference to the baseline could be tested."
    some = " that could be tested" if None in found else ""
    return f"No difference to the baseline{some} is significant{below}"


def _share(value: float) -> str:
    return percent(round(value, 3)) if not math.isnan(value) else MISSING


def _added_up(request: Request) -> bool:
    """Whether the number for all queries is the sum of theirs, where tests are of means."""
    return not request.aggregate and request.measure.summary in ("sum", "judged relevant")
