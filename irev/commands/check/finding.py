"""A verdict as a report: tables for people, a row for each finding for programs, and a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from irev.base.errors import printable
from irev.base.exit import DONE, FAILED
from irev.base.text import MISSING, and_more, decoded, named, plain
from irev.commands.check import CheckChoices, services
from irev.commands.check.verdict import Cause, Finding, Moved, Verdict, Why
from irev.commands.check.words import (
    FAIL,
    TITLE,
    blanks,
    details,
    did_it,
    direction,
    explained,
    reason,
    run_told,
    shown,
    signed,
    to_tell,
    word,
)
from irev.output import finding as findings
from irev.output.finding import fields_of, recorded
from irev.output.report import CONCLUDED, INDENT, Cell, Plain, Sheet, Texts, stamp, table
from irev.output.reports.ranking import grade_or_none, grade_text, id_text, rank_text

if TYPE_CHECKING:
    from irev.commands.trend.answer import Trend
    from irev.evaluation.result import Result

_TONES = {"fail": "bad", "undecided": "quiet", "pass": "good"}


class CheckReport(findings.ReportedFinding):
    """The verdict, laid out: its reasons, conditions, measures and changed queries.

    Rows and record call states ``pass``, ``fail`` and ``undecided``, and have unrounded numbers.
    """

    title = TITLE
    exact = frozenset({"p"})
    alarm = f"{FAIL}: "

    def __init__(
        self,
        verdict: Verdict,
        choices: CheckChoices | None = None,
        page: Callable[[CheckReport], bytes] = lambda report: b"",
        keep: Callable[[], None] | None = None,
        trend: Trend | None = None,
        result: Result | None = None,
    ) -> None:
        self.verdict, self.result, self._trend_of_log = verdict, result, trend
        self._choices, self._page, self._keep = choices, page, keep

    def write(self, put: findings.Put) -> None:
        super().write(put)
        if self._keep is not None:
            self._keep()

    @property
    def _trend(self) -> Trend | None:
        return None if self._trend_of_log is None else self._trend_of_log.seen(self.look)

    @property
    def status(self) -> int:
        return DONE if self.verdict.holds else FAILED

    @property
    def files(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """What services for continuous integration read, and the page."""
        makers: dict[str, Callable[[Verdict], bytes]] = {
            "junit": services.junit,
            "comment": lambda verdict: services.comment(verdict).encode("utf-8", "replace"),
            "summary": lambda verdict: services.summary(verdict).encode("utf-8", "replace"),
            "gitlab": services.metrics,
            "page": lambda verdict: self._page(self),
        }
        for kind, path in self._choices.also if self._choices else ():
            yield path, (makers[kind](self.verdict),)

    @property
    def lead(self) -> Iterator[str]:
        yield f"{self.verdict.headline}."
        yield from _reasons(self.verdict)

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.verdict.findings:
            yield _conditions(self.verdict)
        if self._trend is not None:
            yield self._trend.overview

    @property
    def further(self) -> Iterator[Sheet]:
        """The measures, the queries that changed most, and what made them fall: a page has them."""
        verdict = self.verdict
        sheets = (_measures(verdict), *(_moved(each, verdict) for each in verdict.moved))
        return (sheet for sheet in (*sheets, *(_why(each, verdict) for each in verdict.whys)) if sheet.header)

    @property
    def notes(self) -> Iterator[str]:
        yield f"Queries: {named(self.verdict.policy)}."
        if self.verdict.baseline:
            yield f"Baseline: {named(self.verdict.baseline)}."
        yield from filter(None, (blanks(self.verdict.findings), *map(named, self.verdict.notes)))
        if self._trend is not None:
            yield from self._trend.falls
        if self.look.width is not None:
            yield CONCLUDED

    @property
    def columns(self) -> tuple[str, ...]:
        return _COLUMNS

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return map(_row, self.verdict.findings)

    @property
    def record(self) -> dict[str, Any]:
        return record(self.verdict)


_NAMED = 3
"""Queries of which it is said before the tables what made them fall."""


def _reasons(verdict: Verdict) -> Iterator[str]:
    """Each condition that does not hold or cannot be decided, and why."""
    for finding, why in to_tell(verdict):
        yield f"{word(finding)}: {reason(finding)}"
        if why is not None:
            yield from (f"{INDENT}{sentence}" for sentence in explained(why, _NAMED))


# Tables


def _conditions(verdict: Verdict) -> Sheet:
    columns = ("required", "measured", "baseline", "difference", "interval", "losing", "p")
    # `measure` and `required` say what the condition is; rows and record have it as it was written.
    rows: list[Texts] = [
        {
            "state": Cell(word(finding), tone=_TONES[finding.state]),
            "measure": named(finding.subject),
            "run": run_told(finding.run, verdict),
            **details(finding),
        }
        for finding in verdict.findings
    ]
    # Where a measure of a run has several conditions, what is required tells them apart in every part of the table.
    alike = len({(found.subject, found.run) for found in verdict.findings}) < len(verdict.findings)
    labels = ("state", "measure", "run", *columns[:alike])
    return table("Conditions", labels, columns[alike:], rows, (*labels, "required", "losing"), filled=True)


def _measures(verdict: Verdict) -> Sheet:
    labels = ("run", "group", "measure")
    rows: list[Texts] = [
        {
            "run": run_told(value.run, verdict),
            "group": named(value.group),
            "measure": named(value.measure),
            "queries": str(value.queries),
            "value": shown(value.value),
            "baseline": shown(value.baseline),
            "difference": signed(value.difference),
            "change": Cell(change := direction(value), tone={"better": "good", "worse": "bad"}.get(change, "")),
        }
        for value in verdict.values
    ]
    header = ("queries", "value", "baseline", "difference", "change")
    return table("Measures", labels, header, rows, (*labels, "change"), filled=True)


def _moved(moved: Moved, verdict: Verdict) -> Sheet:
    rows: list[Texts] = [
        {
            "query": printable(change.query),
            "before": shown(change.before),
            "after": shown(change.after),
            "difference": signed(change.difference),
        }
        for change in moved.queries
    ]
    of_run = f" of {run}" if (run := run_told(moved.run, verdict)) else ""
    title = f"Queries{of_run} that changed most in {named(moved.measure)}"
    return table(title, ("query",), ("before", "after", "difference"), rows, filled=True)


def _why(why: Why, verdict: Verdict) -> Sheet:
    of_run = f" of {run}" if (run := run_told(why.run, verdict)) else ""
    title = f"What made queries{of_run} fall in {named(f'{why.group}/' if why.group else '')}{named(why.measure)}"
    if not why.compared:
        now: list[Texts] = [
            {"query": id_text(each.query), "change": signed(each.change), "now": did_it(each, why)}
            for each in why.causes
        ]
        return table(title, ["query"], ["change", "now"], now, ["query", "now"], filled=True)
    rows = [_moved_by(cause) for cause in why.causes]
    notes = [f"{MISSING}: no judgment, not retrieved, or no document at that rank."]
    for name in ("its share", "above it now"):  # measures that are no sum over ranks have none of either
        if all(row[name] == MISSING for row in rows):
            rows = [{**row, name: ""} for row in rows]
    notes = notes if any(MISSING in row.values() for row in rows) else []
    labels, header = ["query", "document"], ["grade", "was at", "is at", "its share", "of change", "above it now"]
    return table(title, labels, header, rows, [*labels, "above it now"], notes, filled=True)


def _moved_by(cause: Cause) -> dict[str, str]:
    """What moved the document that a query lost most by."""
    above = cause.document is not None and cause.by is not None
    return {
        "query": id_text(cause.query),
        "document": MISSING if cause.document is None else id_text(cause.document),
        "grade": grade_text(cause.grade),
        "was at": rank_text(cause.was),
        "is at": rank_text(cause.now),
        "its share": MISSING if cause.contribution is None else signed(cause.contribution),
        "of change": signed(cause.change),
        "above it now": id_text(cause.by or b"") + and_more(cause.others, 0, ",") if above else MISSING,
    }


# For programs

_COLUMNS = (
    "state",
    "holds",
    "condition",
    "run",
    "group",
    "measure",
    "required",
    "measured",
    "baseline",
    "difference",
    "low",
    "high",
    "p",
    "losing",
    "losing_high",
    "reason",
)


def _row(finding: Finding) -> tuple[Plain, ...]:
    lost = finding.losing
    shares = {
        "losing": None if lost is None else lost.count / lost.of,
        "losing_high": None if lost is None else lost.high,
    }
    return tuple(shares[column] if column in shares else getattr(finding, column) for column in _COLUMNS)


def record(verdict: Verdict) -> dict[str, Any]:
    """The whole verdict as dictionaries and lists; what is not a finite number is ``"inf"``, ``"-inf"`` or
    ``"nan"``."""
    return {
        **stamp(TITLE),
        **fields_of(verdict, "holds", "headline", "failed", "policy", "qrels"),
        "baseline": verdict.baseline or None,
        "runs": [{"name": name, "file": file} for name, file in verdict.files],
        "findings": [_finding(finding) for finding in verdict.findings],
        "values": [fields_of(value, *_VALUE) for value in verdict.values],
        "moved": recorded(verdict.moved),
        "why": [_record_of(why) for why in verdict.whys],
        "notes": list(verdict.notes),
    }


def _record_of(why: Why) -> dict[str, Any]:
    return {
        **fields_of(why, "run", "group", "measure", "fallen", "depth", "compared", "newcomers"),
        "queries": [
            {
                "query": decoded(cause.query),
                "change": plain(cause.change),
                "missing": cause.missing,
                "document": None if cause.document is None else decoded(cause.document),
                "grade": grade_or_none(cause.grade),
                "before": cause.was,
                "after": cause.now,
                "contribution": plain(cause.contribution),
                "above": None
                if cause.by is None
                else {
                    "document": decoded(cause.by),
                    "grade": grade_or_none(cause.by_grade),
                    "rank": cause.by_rank,
                    "more": cause.others,
                },
                "sentence": did_it(cause, why),
            }
            for cause in why.causes
        ],
    }


_VALUE = ("run", "group", "measure", "queries", "value", "baseline", "difference", "better")
"""What the record has of the value of a measure."""

_FINDING = (
    *("condition", "run", "group", "measure", "state", "holds", "required", "measured", "baseline", "difference"),
    *("interval", "p", "losing", "reason", "queries", "rests_on_unjudged"),
)
"""What it has of a finding."""


def _finding(finding: Finding) -> dict[str, Any]:
    found = {name: recorded(getattr(finding, name, None)) for name in _FINDING}
    if finding.low is not None and finding.high is not None:
        found["interval"] = {"low": plain(finding.low), "high": plain(finding.high)}
    if (lost := finding.losing) is not None:
        found["losing"] = {"queries": lost.count, "of": lost.of, "low": lost.low, "high": lost.high}
    return found
