"""Reasons: a sentence for each condition that says what was required, what was measured, and what follows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from irev.base.text import and_more, disambiguate, number, signed
from irev.errors import decimal, printable
from irev.questions.check.cases import Case, Weighed, allowance
from irev.questions.check.conditions import (
    EVERY_QUERY,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MIN,
    Condition,
    GateRules,
    required,
)
from irev.questions.check.verdict import Change, State
from irev.statistics.shares import Share

_NAMED = 3
"""How many queries a sentence has room for."""

_MOST_DIGITS = 17
"""Behind the point: what no number between 0 and 1 needs more of."""

TOO_FEW = "the queries are too few to tell"


def reason(
    condition: Condition, case: Case, state: State, p: float | None, least: float | None, rules: GateRules
) -> tuple[str, str]:
    """Why a condition holds for a run, does not, or cannot be told; and the end of that, if it names queries.

    `least` is the smallest p that its test can have with such queries, where there is a limit.
    """
    digits = _telling(condition, case, state, rules)
    subject = f"{condition.group}/{condition.measure}" if condition.group else condition.measure
    text = str(int(case.measured)) if condition.request is None else number(case.measured, digits)
    said = f"{case.outcome.run}: {subject} is {text}"
    if case.before is not None and case.difference is not None:
        by = "" if math.isnan(case.difference) else f" ({signed(case.difference, digits)})"
        said += f", the baseline {number(case.before, digits)}{by}"
    said += f"; required: {required(condition)}"
    count = len(case.changes)
    if condition.kind == EVERY_QUERY:
        said = f"{case.outcome.run}: {subject} is to be {condition.sign} {decimal(condition.value)} for every query; "
        said += f"it is not for {count} of {case.queries}" if count else "it is"
    if condition.kind == MAX_QUERY_LOSSES:
        said += f"; {count} of {case.queries} {'is' if count == 1 else 'are'}"
    if case.losing is not None:
        said += f"; {_lost(case.losing, state, p)}"
    if case.weighed is not None:
        said += f"; {_tested(case.weighed, state, p, rules)}"
    if state == "undecided" and least is not None and least > rules.plan.alpha:
        what = "no result can show that the condition holds" if case.losing is not None else "no drop can be shown"
        said += f", and {what}: p is at least {least:.4f} whatever the values"
    queries = f" ({_those(case.changes, digits)})" if state != "pass" and case.changes else ""
    return said + queries, queries


def _telling(condition: Condition, case: Case, state: State, rules: GateRules) -> int:
    """As many digits as show that a condition does not hold: 0.7215 is not seen to be below 0.7215."""
    digits = rules.digits
    if state != "fail" or condition.request is None or condition.kind not in (MIN, MAX, MAX_DROP):
        return digits
    value, limit = case.measured, condition.value
    if condition.kind == MAX_DROP:
        value, limit = case.drop, math.nan if case.before is None else allowance(condition, case.before)
    while digits in range(_MOST_DIGITS) and round(value, digits) == round(limit, digits):
        digits += 1
    return digits


def _lost(losing: Share, state: State, p: float | None) -> str:
    """What the share of the queries that lose too much is measured to be, and what it may be."""
    said = f"{losing.count} of {losing.of} {'does' if losing.count == 1 else 'do'}, and of all queries "
    if state == "fail":  # p is that of the share being small enough
        return f"{said}at least {100 * losing.low:.1f}%"
    said += f"at most {100 * losing.high:.1f}%" + (f", {_p(p)}" if p is not None else "")
    return f"{said}: {TOO_FEW}" if state == "undecided" else said


def _tested(weighed: Weighed, state: State, p: float | None, rules: GateRules) -> str:
    digits, span = rules.digits, weighed.interval
    between = ""
    if span is not None:
        between = f"the difference lies between {signed(span.low, digits)} and {signed(span.high, digits)}"
    if weighed.still and span is not None and state != "fail":
        alike = "no query differs" if span.low == span.high == 0 else "all queries differ by the same amount"
        return f"{alike}, so that there is no variance to test against: it shows nothing of other queries"
    if p is None and between and state == "fail":  # no test was made, nor any needed
        return f"{between}: every query is worse by the same amount" if weighed.still else between
    if p is None:
        note = weighed.worse.note
        return f"the test says nothing ({note})" if note else "the test says nothing"
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
