"""A verdict as a report, as a record, and as services for continuous integration read it.

For services nothing tells when or where it was made, so the same verdict gives the same bytes. Ids, and names of runs
and files, are from strangers: control characters and broken UTF-8 are shown escaped, and what a format could take for
its own signs is escaped as that format asks.

GitHub states its limits: ten errors and ten warnings of a step, 1 MiB for its summary, 65,536 characters for a comment.
What is left out is said. Sizes are counted in bytes of UTF-8, which are never fewer than characters.
"""

from __future__ import annotations

import os
import shlex
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from irev.base.errors import printable
from irev.base.exit import DONE, FAILED
from irev.base.text import named, plain
from irev.commands.check import CheckChoices
from irev.commands.check.verdict import (
    FAIL,
    TITLE,
    Finding,
    Moved,
    Verdict,
    blamed,
    blanks,
    cut,
    details,
    direction,
    reason,
    run_told,
    shown,
    signed,
    to_tell,
    word,
)
from irev.output import finding as findings
from irev.output.finding import fields_of, recorded
from irev.output.report import CONCLUDED, Cell, Look, Plain, Sheet, Texts, stamp, table
from irev.output.styles import written
from irev.output.styles.github import in_message, in_property
from irev.reading.sources import STANDARD_INPUT

if TYPE_CHECKING:
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
        result: Result | None = None,
    ) -> None:
        self.verdict, self.result, self._choices, self._page = verdict, result, choices, page

    def write(self, put: findings.Put) -> None:
        super().write(put)
        if self._choices is not None and self._choices.log is not None and self.result is not None:
            from irev.commands import builds

            builds.keep(self._choices.log, builds.build_of(self.result))

    @property
    def status(self) -> int:
        return DONE if self.verdict.holds else FAILED

    @property
    def files(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """What services for continuous integration read, and the page."""
        makers: dict[str, Callable[[Verdict], bytes]] = {
            "junit": junit,
            "comment": lambda verdict: markdown(self, COMMENT, MARKER),
            "page": lambda verdict: self._page(self),
        }
        for kind, path in self._choices.also if self._choices else ():
            yield path, (makers[kind](self.verdict),)

    @property
    def lead(self) -> Iterator[str]:
        yield f"{self.verdict.headline}."
        yield from (f"{word(finding)}: {reason(finding)}" for finding in to_tell(self.verdict))

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.verdict.findings:
            yield _conditions(self.verdict)

    @property
    def further(self) -> Iterator[Sheet]:
        """The measures, and the queries that changed most: a page has them."""
        sheets = (_measures(self.verdict), *(_moved(each, self.verdict) for each in self.verdict.moved))
        return (sheet for sheet in sheets if sheet.header)

    @property
    def notes(self) -> Iterator[str]:
        yield f"Queries: {named(self.verdict.policy)}."
        if self.verdict.baseline:
            yield f"Baseline: {named(self.verdict.baseline)}."
        yield from filter(None, (blanks(self.verdict.findings), *map(named, self.verdict.notes)))
        yield from self._on_documents()
        if self.look.width is not None:
            yield CONCLUDED

    def _on_documents(self) -> Iterator[str]:
        """How to see which documents made queries fall, of the run that fails first."""
        failed = [each for each in self.verdict.findings if not each.holds and each.difference is not None]
        if not failed or self._choices is None:
            return
        if self._choices.baseline is not None:
            yield "The baseline has only values. Keep a copy of its run for irev diff, which shows what changed."
        elif before := self._choices.baseline_run:
            files = self.verdict.qrels, before, dict(self.verdict.files)[failed[0].run]
            if all(map(os.path.isfile, files)):
                command = named(shlex.join(["irev", "diff", "-m", failed[0].measure, *files]))
                yield f"To see which documents made queries fall, with the same options for files: {command}"

    @property
    def columns(self) -> tuple[str, ...]:
        return _COLUMNS

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return map(_row, self.verdict.findings)

    @property
    def record(self) -> dict[str, Any]:
        """The whole verdict as dictionaries and lists; what is not a finite number is ``"inf"``, ``"-inf"`` or
        ``"nan"``."""
        verdict = self.verdict
        return {
            **stamp(TITLE),
            **fields_of(verdict, "holds", "headline", "failed", "policy", "qrels"),
            "baseline": verdict.baseline or None,
            "runs": [{"name": name, "file": file} for name, file in verdict.files],
            "findings": [_finding(finding) for finding in verdict.findings],
            "values": [fields_of(value, *_VALUE) for value in verdict.values],
            "moved": recorded(verdict.moved),
            "notes": list(verdict.notes),
        }


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


# For services of continuous integration

ANNOTATIONS = 10
SUMMARY = 1_048_576
COMMENT = 65_536

MARKER = f"<!-- {TITLE} -->\n"
"""The first line of a comment, which is not shown: by it the comment is found and replaced next time."""

_MOST = 100
"""Queries that are listed for a condition."""

_TITLE, _MESSAGE = 255, 2000
"""Characters of an annotation's title, which GitHub limits, and of what it says."""

_NAME, _SHOWN = 100, 10
"""Conditions that the last annotation names, and characters of each."""


def markdown(report: CheckReport, limit: int, first: str = "") -> bytes:
    """What ``-f markdown`` writes, of at most `limit` bytes: lines are left out from the end, and the last one says
    so."""
    text = first.encode() + written("markdown", report, Look("standard"))
    if len(text) <= limit:
        return text
    lines = text.splitlines(keepends=True)
    kept = bisect([*accumulate(map(len, lines))], limit - 200)
    said = (
        f"Left out, because GitHub accepts at most {limit:,} bytes here: {len(lines) - kept:,} of {len(lines):,} lines."
    )
    return b"".join([*lines[:kept], b"\n", said.encode(), b"\n"])


def junit(verdict: Verdict) -> bytes:
    """The verdict as JUnit XML, which Jenkins, GitLab and most others read: a suite for each run, a case for each
    condition.

    It keeps to the schema ``junit-10.xsd`` of the xUnit plugin of Jenkins, the strictest of its readers, which knows no
    attribute ``skipped`` of ``testsuites``. There is no time and no host in it.

    A condition that does not hold is a failure. One that cannot be told and counts as passed is skipped: a green case
    would say that it was shown to hold.
    """
    runs: dict[str, list[Finding]] = {name: [] for name, _ in verdict.files}
    for finding in verdict.findings:
        runs.setdefault(finding.run, []).append(finding)
    files = dict(verdict.files)
    root = ElementTree.Element("testsuites", {"name": TITLE} | _counts(verdict.findings))
    for run, of_run in runs.items():
        if of_run:
            skipped = sum(finding.holds and finding.state == "undecided" for finding in of_run)
            about = {"name": named(run)} | _counts(of_run) | {"skipped": str(skipped)}
            if run in files:
                about["file"] = named(files[run])
            suite = ElementTree.SubElement(root, "testsuite", about)
            for finding in of_run:
                _case(suite, finding)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _counts(findings: Sequence[Finding]) -> dict[str, str]:
    failures = sum(not finding.holds for finding in findings)
    return {"tests": str(len(findings)), "failures": str(failures), "errors": "0"}


def _case(suite: ElementTree.Element, finding: Finding) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", {"name": named(finding.condition), "classname": named(finding.run)}
    )
    if finding.state == "pass" and finding.holds:
        kind, about = "system-out", {}
    elif finding.holds:
        kind, about = "skipped", {"message": f"{word(finding)}: {reason(finding)}"}
    else:
        kind, about = "failure", {"type": word(finding), "message": reason(finding)}
    lines = [f"{name}: {text}" for name, text in details(finding).items()]
    lines += [f"query {query}" for query in blamed(finding, _MOST)]
    ElementTree.SubElement(case, kind, about).text = "\n".join([reason(finding), *lines, ""])


def github_annotations(verdict: Verdict) -> str:
    """Workflow commands: an error for what does not hold, a warning for what cannot be told, and the verdict.

    Of more than ten errors, or warnings, the tenth says how many are left out, since GitHub drops them unsaid.
    """
    errors = [finding for finding in verdict.findings if not finding.holds]
    warnings = [finding for finding in verdict.findings if finding.holds and finding.state == "undecided"]
    lines = [
        *_limited("error", errors, "more conditions do not hold", verdict),
        *_limited("warning", warnings, "more conditions cannot be decided", verdict),
        _command("notice", "", TITLE, f"{verdict.headline}."),
    ]
    return "".join(f"{line}\n" for line in lines)


def _limited(kind: str, findings: Sequence[Finding], what: str, verdict: Verdict) -> Iterator[str]:
    files = dict(verdict.files)
    shown = findings if len(findings) <= ANNOTATIONS else findings[: ANNOTATIONS - 1]
    for finding in shown:
        title = f"{TITLE}: {word(finding)} {named(finding.condition)}"
        yield _command(kind, files.get(finding.run, ""), title, reason(finding))
    if len(findings) > len(shown):
        rest = findings[len(shown) :]
        conditions = ", ".join(cut(named(finding.condition), _NAME) for finding in rest[:_SHOWN])
        more = ", …" if len(rest) > _SHOWN else ""
        yield _command(kind, "", f"{TITLE}: {len(rest)} {what}", f"{len(rest)} {what}: {conditions}{more}")


def _command(kind: str, file: str, title: str, message: str) -> str:
    """A workflow command; what stands in it must not end or forge one."""
    place = f"file={in_property(named(file))}," if file not in ("", STANDARD_INPUT, "<stdin>") else ""
    return f"::{kind} {place}title={in_property(cut(title, _TITLE))}::{in_message(cut(message, _MESSAGE))}"
