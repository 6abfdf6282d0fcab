"""How words and numbers of a verdict look; `irev.questions.check.reasons` says why a condition does not hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.base import text as wording
from irev.base.text import and_more, counted, named, number
from irev.errors import decimal, printable
from irev.output.reports.ranking import beside, rank_text
from irev.questions.check.verdict import Cause, Change, Finding, MeasuredValue, Newcomers, Why

if TYPE_CHECKING:
    from irev.questions.check.finding import Verdict

TITLE = "irev check"

_TEXT = 40
"""Columns of a document's text within a sentence."""

_WORDS = {"pass": "pass", "fail": "FAIL", "undecided": "cannot tell"}


def word(finding: Finding) -> str:
    """What became of a condition: ``pass``, ``FAIL`` or ``cannot tell``."""
    return _WORDS[finding.state]


def shown(value: float | None, digits: int) -> str:
    """A number, or nothing."""
    return "" if value is None else number(value, digits)


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign, or nothing."""
    return "" if value is None else wording.signed(value, digits)


def direction(value: MeasuredValue, digits: int) -> str:
    """Whether the difference is for the ``better`` or the ``worse``; empty if it is neither, or none that is seen."""
    difference = value.difference
    if difference is None or value.better == "neither" or signed(difference, digits)[0] not in "+-":
        return ""
    return "better" if (difference > 0) == (value.better == "higher") else "worse"


def run_told(run: str, verdict: Verdict) -> str:
    """The name of a run where there are several; one needs none."""
    return named(run) if len(verdict.files) > 1 else ""


def reason(finding: Finding, longest: int = 0) -> str:
    """Why a condition holds, does not, or cannot be told; cut after so many characters, unless that is 0."""
    return cut(named(finding.reason), longest)


def changed(change: Change, digits: int, longest: int = 0) -> str:
    """A query with its value, and the one before; an id is cut after so many characters, unless that is 0."""
    values = filter(None, (shown(change.before, digits), shown(change.after, digits)))
    return f"{cut(printable(change.query), longest)} {' → '.join(values)}"


def blamed(finding: Finding, verdict: Verdict, most: int, longest: int = 0) -> list[str]:
    """The queries that are to blame, and how many more there are than `most`."""
    listed = [changed(change, verdict.digits, longest) for change in finding.queries[:most]]
    more = and_more(len(finding.queries), most).strip()
    return [*listed, more] if more else listed


def blanks(rows: Sequence[Finding] | Sequence[MeasuredValue]) -> str:
    """Why some rows of a table have no baseline and others have; empty where it is not so."""
    if len({row.baseline is None for row in rows}) < 2:
        return ""
    if isinstance(rows[0], Finding):
        return "Without a baseline, and so empty there: conditions on the run's own value."
    return "Without a baseline, and so empty there: measures, or groups, that it was saved without."


def why_of(finding: Finding, verdict: Verdict) -> Why | None:
    """Why a condition does not hold, where that is known."""
    about = finding.run, finding.group, finding.measure
    if finding.holds:
        return None
    return next((why for why in verdict.whys if (why.run, why.group, why.measure) == about), None)


def to_tell(verdict: Verdict) -> Iterator[tuple[Finding, Why | None]]:
    """The conditions that do not hold or cannot be told, with why: of several about the same fall the first has it,
    and names the queries."""
    told: list[Why | None] = []
    named: set[tuple[str, str, str]] = set()
    for finding in verdict.findings:
        if not finding.holds or finding.state == "undecided":
            why, queries = why_of(finding, verdict), (finding.run, finding.subject, finding.named)
            shorter = (
                replace(finding, reason=finding.reason.removesuffix(finding.named)) if queries in named else finding
            )
            yield shorter, None if any(why is each for each in told) else why
            told.append(why)
            named.add(queries)


def explained(why: Why, verdict: Verdict, most: int, longest: int = 0) -> Iterator[str]:
    """Sentences on why a run is worse: newcomers as a whole, then the queries that fell most, at most so many."""
    if why.newcomers is not None:
        yield _newcomers(why, why.newcomers, verdict.digits)
    for cause in why.causes[:most]:
        yield f"{cut(printable(cause.query), longest)}: {did_it(cause, why, verdict, longest)}"


def _newcomers(why: Why, found: Newcomers, digits: int) -> str:
    """How much of the fall is for want of judgments, where `found.documents` of those in the first ranks have none."""
    first, fall = f"the first {why.depth:,}", f"Of the fall in {named(why.measure)}"
    if not found.documents:
        risen = f"entered {first} or rose there" if why.summed else f"is new in {first}"
        without = risen if why.compared else f"is in {first}"
        return f"{fall} nothing is seen to be for want of judgments: no document without one {without}."
    queries = counted(found.queries, "query", "queries")
    if found.queries < why.fallen:
        queries = f"the {queries} that fell most"
    lost = f"{number(found.regained, digits)} of {number(found.lost, digits)} in {queries}"
    unjudged = f"{counted(found.documents, 'document')} without a judgment"
    verb = "is" if found.documents == 1 else "are"
    risen = f"that entered {first} or rose there" if why.summed else f"that {verb} new in {first}"
    where = risen if why.compared else f"in {first}"
    share = _share(found.regained / found.lost)
    return f"{fall} {share} ({lost}) comes back when {unjudged} {where} {verb} left out."


def _share(share: float) -> str:
    """A share in whole percent, of which neither 0 nor 100 is said of less or more."""
    return f"{min(max(round(100 * share), 1), 99)}%" if 0 < share < 1 else "nothing" if share <= 0 else "all"


def did_it(cause: Cause, why: Why, verdict: Verdict, longest: int = 0) -> str:
    """What made a query fall, in a clause."""
    if not why.compared:
        return _now(cause, why, longest, verdict)
    retrieved = "retrieved" if why.cut is None else f"among the first {why.cut:,}"
    by = "" if cause.by is None else f"{_document(cause.by, verdict, longest)} ({_grade(cause.by_grade)})"
    by += and_more(cause.others, 0, ",")
    if cause.document is None:
        if cause.missing:
            return "the run has no results for it"
        return f"{by} {'are' if cause.others else 'is'} newly {retrieved}" if by else "no one document can be named"
    document = f"{_document(cause.document, verdict, longest)} ({_grade(cause.grade)})"
    if cause.now is None:
        since = ", since the run has no results for the query" if cause.missing else ""
        said = f"{document}, which was at {cause.was}, is no longer {retrieved}{since}"
    elif by:
        said = f"{by} pushed {document} from {cause.was} to {cause.now}"
    elif cause.now == cause.was:
        said = f"{document} stays at {cause.now} and counts less, since what stands above it changed"
    else:
        said = f"{document} went from {rank_text(cause.was)} to {cause.now}"
    if cause.contribution is None:
        return said
    part, change = (signed(value, verdict.digits) for value in (cause.contribution, cause.change))
    return f"{said}: {part}" + (f" of {change}" if part != change else "")


def _now(cause: Cause, why: Why, longest: int, verdict: Verdict) -> str:
    """What can be said where the rankings of the baseline are not known."""
    if cause.missing:
        return "the run has no results for it"
    if cause.by is None:
        return f"all of the first {why.depth:,} are judged"
    count = cause.others + 1
    first = f"{_document(cause.by, verdict, longest)} at {cause.by_rank}"
    return f"{count:,} of the first {why.depth:,} {'has' if count == 1 else 'have'} no judgment, the highest is {first}"


def _document(document: bytes, verdict: Verdict, longest: int) -> str:
    text = verdict.documents.get(document)
    name = cut(printable(document), longest)
    return f"{name} “{beside(text, _TEXT)}”" if text else name


def _grade(grade: float) -> str:
    return "unjudged" if math.isnan(grade) or grade < 0 else f"grade {decimal(grade)}"


def details(finding: Finding, verdict: Verdict) -> dict[str, str]:
    """The numbers of a condition by what they are, without those that it has not."""
    digits = verdict.digits
    found = {
        "required": named(finding.required),
        "measured": shown(finding.measured, digits),
        "baseline": shown(finding.baseline, digits),
        "difference": signed(finding.difference, digits),
        "interval": _interval(finding, digits),
        "losing": _losing(finding),
        "p": "" if finding.p is None else wording.p_value(finding.p),
    }
    return {name: text for name, text in found.items() if text}


def _interval(finding: Finding, digits: int) -> str:
    if finding.low is None or finding.high is None:
        return ""
    return wording.interval((finding.low, finding.high), digits)


def _losing(finding: Finding) -> str:
    if (lost := finding.losing) is None:
        return ""
    return f"{lost.count} of {lost.of}, {100 * lost.low:.1f}% to {100 * lost.high:.1f}% of all"


def cut(text: str, longest: int) -> str:
    """The text, or if it has more characters than `longest` its beginning and ``…``; 0 is no limit."""
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text
