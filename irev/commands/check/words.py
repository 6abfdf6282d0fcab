"""How words and numbers of a verdict look, and the sentences that say why a condition holds or not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from irev.base.errors import decimal, printable
from irev.base.text import and_more, counted, disambiguate, ends, interval, named, number, p_value
from irev.base.text import signed as with_sign
from irev.commands.check.conditions import (
    EVERY_QUERY,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MIN,
    Condition,
    allowance,
)
from irev.commands.check.verdict import (
    DIGITS,
    Cause,
    Change,
    Finding,
    MeasuredValue,
    Newcomers,
    State,
    Verdict,
    Weighed,
    Why,
)
from irev.output.report import RESTS
from irev.output.reports.ranking import rank_text
from irev.statistics.intervals import Share

TITLE = "irev check"

FAIL = "FAIL"

_WORDS = {"pass": "pass", "fail": FAIL, "undecided": "cannot tell"}


def word(finding: Finding) -> str:
    """The state of a condition: ``pass``, ``FAIL`` or ``cannot tell``; marked if it rests on unjudged documents."""
    return _WORDS[finding.state] + (f" {RESTS}" if finding.rests_on_unjudged else "")


def shown(value: float | None, digits: int = DIGITS) -> str:
    """A number, or nothing."""
    return "" if value is None else number(value, digits)


def signed(value: float | None, digits: int = DIGITS) -> str:
    """A difference with its sign, or nothing."""
    return "" if value is None else with_sign(value, digits)


def direction(value: MeasuredValue) -> str:
    """Whether the difference is for the ``better`` or the ``worse``; empty if it is neither, or none that is seen."""
    difference = value.difference
    if difference is None or value.better == "neither" or signed(difference)[0] not in "+-":
        return ""
    return "better" if (difference > 0) == (value.better == "higher") else "worse"


def run_told(run: str, verdict: Verdict) -> str:
    """The name of a run where there are several; one needs none."""
    return named(run) if len(verdict.files) > 1 else ""


def reason(finding: Finding, longest: int = 0) -> str:
    """Why a condition holds, does not, or cannot be told; cut after so many characters, unless that is 0."""
    return cut(named(finding.reason), longest)


def blamed(finding: Finding, most: int, longest: int = 0) -> list[str]:
    """The queries that are to blame with their values, and how many more there are than `most`; ids are cut after so
    many characters, unless that is 0."""
    listed = []
    for change in finding.queries[:most]:
        values = filter(None, (shown(change.before), shown(change.after)))
        listed.append(f"{cut(printable(change.query), longest)} {' → '.join(values)}")
    more = and_more(len(finding.queries), most).strip()
    return [*listed, more] if more else listed


def blanks(rows: Sequence[Finding] | Sequence[MeasuredValue]) -> str:
    """Why some rows of a table have no baseline and others have; empty where it is not so."""
    if len({row.baseline is None for row in rows}) < 2:
        return ""
    if isinstance(rows[0], Finding):
        return "Conditions on the value of a run have no baseline: those cells are empty."
    return "Cells are empty for measures and groups that the saved baseline does not have."


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


def explained(why: Why, most: int, longest: int = 0) -> Iterator[str]:
    """Sentences on why a run is worse: newcomers as a whole, then the queries that fell most, at most so many."""
    if why.newcomers is not None:
        yield _newcomers(why, why.newcomers)
    for cause in why.causes[:most]:
        yield f"{cut(printable(cause.query), longest)}: {did_it(cause, why, longest)}"


def _newcomers(why: Why, found: Newcomers) -> str:
    """How much of the loss comes from missing judgments: `found.documents` of those in the first ranks have none."""
    first, loss = f"the first {why.depth:,}", f"of the loss in {named(why.measure)}"
    if not found.documents:
        risen = f"entered {first} or rose there" if why.summed else f"is new in {first}"
        where = risen if why.compared else f"is in {first}"
        return f"Nothing {loss} comes from missing judgments: no unjudged document {where}."
    queries = counted(found.queries, "query", "queries")
    if found.queries < why.fallen:
        queries = f"the {queries} that fell most"
    lost = f"{shown(found.regained)} of {shown(found.lost)} in {queries}"
    unjudged = counted(found.documents, "unjudged document")
    verb = "is" if found.documents == 1 else "are"
    risen = f"that entered {first} or rose there" if why.summed else f"that {verb} new in {first}"
    where = risen if why.compared else f"in {first}"
    share = _share(found.regained / found.lost)
    return f"{share} {loss} ({lost}) disappears if {unjudged} {where} {verb} ignored."


def _share(share: float) -> str:
    """A share in whole percent, of which neither 0 nor 100 is said of less or more."""
    return f"{min(max(round(100 * share), 1), 99)}%" if 0 < share < 1 else "Nothing" if share <= 0 else "All"


def did_it(cause: Cause, why: Why, longest: int = 0) -> str:
    """What made a query fall, in a clause."""
    if not why.compared:
        return _now(cause, why, longest)
    retrieved = "retrieved" if why.cut is None else f"among the first {why.cut:,}"
    by = "" if cause.by is None else f"{cut(printable(cause.by), longest)} ({_grade(cause.by_grade)})"
    by += and_more(cause.others, 0, ",")
    if cause.document is None:
        if cause.missing:
            return "the run has no results for it"
        return (
            f"{by} {'are' if cause.others else 'is'} newly {retrieved}" if by else "no single document is responsible"
        )
    document = f"{cut(printable(cause.document), longest)} ({_grade(cause.grade)})"
    if cause.now is None:
        since = ", since the run has no results for the query" if cause.missing else ""
        said = f"{document}, which was at {cause.was}, is no longer {retrieved}{since}"
    elif by:
        said = f"{by} pushed {document} from {cause.was} to {cause.now}"
    elif cause.now == cause.was:
        said = f"{document} stays at {cause.now} and counts less, because documents above it changed"
    else:
        said = f"{document} went from {rank_text(cause.was)} to {cause.now}"
    if cause.contribution is None:
        return said
    part, change = signed(cause.contribution), signed(cause.change)
    return f"{said}: {part}" + (f" of {change}" if part != change else "")


def _now(cause: Cause, why: Why, longest: int) -> str:
    """What can be said where the rankings of the baseline are not known."""
    if cause.missing:
        return "the run has no results for it"
    if cause.by is None:
        return f"all of the first {why.depth:,} are judged"
    count = cause.others + 1
    first = f"{cut(printable(cause.by), longest)} at {cause.by_rank}"
    return f"{count:,} of the first {why.depth:,} {'has' if count == 1 else 'have'} no judgment, the highest is {first}"


def _grade(grade: float) -> str:
    return "unjudged" if math.isnan(grade) or grade < 0 else f"grade {decimal(grade)}"


def details(finding: Finding) -> dict[str, str]:
    """The numbers of a condition by what they are, without those that it has not."""
    span = ends(finding.low, finding.high)
    found = {
        "required": named(finding.required),
        "measured": shown(finding.measured),
        "baseline": shown(finding.baseline),
        "difference": signed(finding.difference),
        "interval": "" if span is None else interval(span, DIGITS),
        "losing": _losing(finding),
        "p": "" if finding.p is None else p_value(finding.p),
    }
    return {name: text for name, text in found.items() if text}


def _losing(finding: Finding) -> str:
    if (lost := finding.losing) is None:
        return ""
    return f"{lost.count} of {lost.of}, {100 * lost.low:.1f}% to {100 * lost.high:.1f}% of all"


def cut(text: str, longest: int) -> str:
    """The text, or if it has more characters than `longest` its beginning and ``…``; 0 is no limit."""
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text


_NAMED = 3
"""How many queries a sentence has room for."""

_MOST_DIGITS = 17
"""Behind the point: what no number between 0 and 1 needs more of."""

TOO_FEW = "the queries are too few to tell"


def reason_of(condition: Condition, found: Finding, state: State, level: float) -> tuple[str, str]:
    """Why a condition holds for a run, does not, or cannot be told; and the end of that, if it names queries."""
    digits, count = _telling(condition, found, state), len(found.queries)
    text = str(int(found.measured)) if condition.request is None else number(found.measured, digits)
    said = f"{found.run}: {found.subject} is {text}"
    if found.baseline is not None and found.difference is not None:
        by = "" if math.isnan(found.difference) else f" ({with_sign(found.difference, digits)})"
        said += f", the baseline {number(found.baseline, digits)}{by}"
    said += f"; required: {found.required}"
    if condition.kind == EVERY_QUERY:
        said = f"{found.run}: {found.subject} must be {found.required}; "
        said += f"it is not for {count} of {found.considered}" if count else "it is"
    if condition.kind == MAX_QUERY_LOSSES:
        said += f"; {count} of {found.considered} {'is' if count == 1 else 'are'}"
    if found.losing is not None:
        said += f"; {_lost(found.losing, state, found.p)}"
        if state == "undecided" and (least := found.losing.least) > level:
            said += f", and no result can show that the condition holds: p is at least {least:.4f} whatever the values"
    if found.weighed is not None:
        said += f"; {_tested(found.weighed, found.considered, state, found.p)}"
    queries = f" ({_those(found.queries, digits)})" if state != "pass" and found.queries else ""
    return said + queries, queries


def _telling(condition: Condition, found: Finding, state: State) -> int:
    """As many digits as show that a condition does not hold: 0.7215 is not seen to be below 0.7215."""
    digits = DIGITS
    if state != "fail" or condition.request is None or condition.kind not in (MIN, MAX, MAX_DROP):
        return digits
    value, limit = found.measured, condition.value
    if condition.kind == MAX_DROP:
        value, limit = found.drop, math.nan if found.baseline is None else allowance(condition, found.baseline)
    while digits < _MOST_DIGITS and round(value, digits) == round(limit, digits):
        digits += 1
    return digits


def _lost(losing: Share, state: State, p: float | None) -> str:
    """What the share of the queries that lose too much is measured to be, and what it may be."""
    said = f"{losing.count} of {losing.of} {'does' if losing.count == 1 else 'do'}, and of all queries "
    if state == "fail":  # p is that of the share being small enough
        return f"{said}at least {100 * losing.low:.1f}%"
    said += f"at most {100 * losing.high:.1f}%" + (f", {_p(p)}" if p is not None else "")
    return f"{said}: {TOO_FEW}" if state == "undecided" else said


def _tested(weighed: Weighed, queries: int, state: State, p: float | None) -> str:
    span = weighed.interval
    between = "" if span is None else f"the difference is between {signed(span.low)} and {signed(span.high)}"
    if weighed.unchanged and span is not None and span.low < span.high:
        said = f"no query differs, which excludes a drop of more than {shown(span.high)}"
        if weighed.wanted is None or weighed.wanted <= queries:
            return said
        return f"{said}; about {weighed.wanted:,} queries without a difference would exclude the drop that is allowed"
    if weighed.still and state == "undecided":
        return f"all queries differ by the same amount, and {queries} are too few to tell how others differ"
    if p is None:
        note = weighed.worse.note
        return f"the test has no result ({note})" if note else "the test has no result"
    if state == "undecided":
        return f"{between}, {_p(p)}: {TOO_FEW}" if between else f"{_p(p)}: cannot tell"
    return ", ".join(filter(None, (between, _p(p))))


def _p(p: float) -> str:
    return f"p = {p:.4f}" if p >= 0.0001 else "p < 0.0001"


def _those(changes: Sequence[Change], digits: int) -> str:
    named = []
    for change in changes[:_NAMED]:
        query = printable(disambiguate(change.query))
        values = number(change.after, digits)
        if change.before is not None:
            values = f"{number(change.before, digits)} to {values}"
        named.append(f"{query}: {values}")
    more = and_more(len(changes), _NAMED)
    more = more and f",{more}"
    return ", ".join(named) + more
