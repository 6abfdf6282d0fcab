"""Conditions of a check: what was written on a command line or in a configuration file, as records; and how to judge.

A condition is split at its last ``=``, since names of measures may have some: ``nDCG@10=0.42``, ``AP(rel=2)=0.3``.
Before the measure may stand what it is about: ``run:bm25/``, ``group:de/``, or both. Beside measures there are the
`COUNTS`. A share of queries has a loss before it: ``nDCG@10>0.2=2%``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from irev.base.errors import UsageError, decimal, option
from irev.base.records import NamedTuple, dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import CURRENT
from irev.base.text import REAL, percent
from irev.evaluation.result import Facts
from irev.measures import Request, parse
from irev.questions.check.baseline import ROUNDING
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.reading.resources import Resources

MIN, MAX, EVERY_QUERY = "min", "max", "every_query"
MAX_DROP, NO_WORSE_THAN = "max_drop", "no_worse_than"
MAX_QUERY_LOSSES, MAX_SHARE_LOSING = "max_query_losses", "max_share_losing"
KINDS = (MIN, MAX, EVERY_QUERY, MAX_DROP, NO_WORSE_THAN, MAX_QUERY_LOSSES, MAX_SHARE_LOSING)
"""The choices that are conditions."""

AGAINST = (MAX_DROP, NO_WORSE_THAN, MAX_QUERY_LOSSES, MAX_SHARE_LOSING)
"""Kinds that need a baseline."""

SHOWING = (NO_WORSE_THAN, MAX_SHARE_LOSING)
"""Kinds that hold when something is shown, and not already when its opposite is not."""

COUNTS: dict[str, tuple[str, Callable[[Facts, Sequence[bytes]], int]]] = {
    "queries": (
        "judged queries that the run has results for",
        lambda facts, queries: len({*queries} - {*facts.not_retrieved}),
    ),
    "missing": ("judged queries that the run has no results for", lambda facts, queries: len(facts.not_retrieved)),
    "tied": ("queries with a judged document in a tie", lambda facts, queries: facts.tied),
    "judged": ("retrieved documents that are judged", lambda facts, queries: facts.judged),
    "unjudged": ("retrieved documents that are not judged", lambda facts, queries: facts.unjudged),
}
"""What conditions can be about beside measures: what each is, and how it comes of facts and the queries that count."""

_COMPARES: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
    "=": lambda value, limit: value == limit,
}


_ABOUT = (r"run:(?P<run>.+?)(/group:(?P<group>.+))?", r"group:(?P<group>.+?)(/run:(?P<run>.+))?")
"""What may stand before a measure."""


@dataclass(frozen=True)
class Condition:
    """One thing that is required.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    text : str
        As it was written: ``nDCG@10=0.42``.
    request : Request or None
        The measure; None for a count.
    count : str
        One of `COUNTS`, or empty.
    run, group : str
        What it is about; empty for every run, and for all queries.
    value : float
        The number that was written; of a share, 0.02 for ``2%``.
    relative : bool
        Whether it is a share of the baseline's value.
    sign : str
        How every query is compared, one of ``> >= < <= =``.
    loss : float
        What a query may lose before it counts among those of a share that lose.
    took : Resources or None
        The numbers that it is about, where it is about what the run took: its `count` names one of these.
    """

    kind: str
    text: str
    request: Request | None
    count: str
    run: str
    group: str
    value: float
    relative: bool = False
    sign: str = ""
    loss: float = 0.0
    took: Resources | None = None

    @property
    def measure(self) -> str:
        """What is measured, as a finding calls it."""
        return self.count if self.request is None else self.request.standard

    @property
    def written(self) -> str:
        """As results have it, with the option: ``--min nDCG@10=0.42``."""
        return f"--{self.kind.replace('_', '-')} {self.text}"

    @property
    def named(self) -> str:
        """As errors have it."""
        return _named(self.kind, self.text)

    def holds(self, value: float) -> bool:
        """Whether a query's value is as required."""
        return _COMPARES[self.sign](value, self.value)


def _named(kind: str, text: str) -> str:
    return f"{option(kind)} {text}"


def read(
    kind: str, text: str, measures: tuple[str, ...] = (), compat: str = CURRENT, took: Resources | None = None
) -> list[Condition]:
    """The conditions that a text stands for: one for each measure it names, or for each of `measures` if it names none;
    or one about what runs `took`, where it names a column of that.

    Raises
    ------
    UsageError
        For a text that is not a condition, and for a measure that does not exist.
    """
    written = _named(kind, text)
    parts = _split(kind, text, written)
    subjects = (parts.subject,) if parts.subject else measures
    named = [parts._replace(subject=subject) for subject in subjects]
    return [condition for each in named for condition in _conditions(kind, text, each, compat, took)]


_EXPECTED = {
    MIN: "NAME=VALUE, such as nDCG@10=0.42",
    MAX: "NAME=VALUE, such as unjudged=100",
    EVERY_QUERY: "NAME, a sign and a value, such as RR>0",
    MAX_DROP: "NAME=VALUE or NAME=SHARE, such as nDCG@10=0.01 or nDCG@10=2%",
    NO_WORSE_THAN: "VALUE or NAME=VALUE, such as 0.01 or nDCG@10=2%",
    MAX_QUERY_LOSSES: "a number of queries, or NAME=NUMBER, such as 5 or nDCG@10=5",
    MAX_SHARE_LOSING: "NAME>LOSS=SHARE, such as nDCG@10>0.2=2%",
}


class _Parts(NamedTuple):
    """A condition taken apart; the subject may be empty, and so may the loss."""

    subject: str
    sign: str
    number: str
    loss: str = ""


def _split(kind: str, text: str, written: str) -> _Parts:
    parts = None
    if kind == EVERY_QUERY:
        if found := re.fullmatch(r"(.+?)\s*(>=|<=|>|<|=)\s*([^<>=]+)", text):
            parts = _Parts(*found.groups())
    elif kind == MAX_SHARE_LOSING:
        if found := re.fullmatch(r"(.*?)\s*>\s*([^<>=]+?)\s*=\s*([^<>=]+)", text):
            parts = _Parts(found[1], "=", found[3].strip(), found[2])
    elif "=" in text:
        subject, _, number = text.rpartition("=")
        parts = _Parts(subject.strip(), "=", number.strip()) if subject.strip() else None
    elif kind in (NO_WORSE_THAN, MAX_QUERY_LOSSES):
        parts = _Parts("", "=", text.strip())
    if parts is None:
        raise UsageError(f"{written}: this is not a condition", remedy=f"expected {_EXPECTED[kind]}")
    return parts


def _conditions(kind: str, text: str, parts: _Parts, compat: str, took: Resources | None) -> list[Condition]:
    written, others = _named(kind, text), f"use {option(MIN)} or {option(MAX)}"
    value, relative = _value(kind, parts.number, written)
    loss = _number(kind, parts.loss, written) if parts.loss else 0.0
    run, group, name = _about(parts.subject)
    made: dict[str, Any] = {"kind": kind, "text": text, "run": run, "group": group}
    made |= {"value": value, "relative": relative, "loss": loss}
    resource = took is not None and {name, name.rpartition(":")[0]} & {*took.columns}
    if name in COUNTS or resource:
        if kind not in (MIN, MAX) or group:
            where, remedy = ("of a group", "leave the group out") if group else (f"with {option(kind)}", others)
            raise UsageError(f"{written}: '{name}' is counted for a run, not {where}", remedy=remedy)
        if took is not None and resource:
            column, statistic = took.column(name)
            if _is_measure(column, compat):
                fact = f"{written}: '{column}' is a measure, and a column of {took.name}"
                raise UsageError(fact, remedy="rename the column")
            name = f"{column}:{statistic}" if statistic else column
        return [Condition(request=None, count=name, took=took if resource else None, **made)]
    try:
        requests = parse([name], compat)
    except UsageError as error:
        known = [*COUNTS, *(took.columns if took is not None else ())]
        near = did_you_mean(name, known) or error.remedy
        raise UsageError(f"{written}: {error.fact}", remedy=near) from None
    for request in requests:
        measure = request.measure
        if measure.kind == "text" or (kind not in (MIN, MAX) and not measure.per_query):
            each = "" if measure.kind == "text" else " for each query"
            raise UsageError(f"{written}: '{request.standard}' is not a number{each}", remedy="choose another")
        if kind in AGAINST and request.better == "neither":
            raise UsageError(f"{written}: '{request.standard}' is neither better high nor low", remedy=others)
    return [Condition(request=request, count="", sign=parts.sign, **made) for request in requests]


def _is_measure(name: str, compat: str) -> bool:
    try:
        return bool(parse([name], compat))
    except UsageError:
        return False


def _about(subject: str) -> tuple[str, str, str]:
    """The run, the group, and the measure that a subject names; names of runs and groups may have slashes."""
    about, slash, measure = subject.rpartition("/")
    if not slash:
        return "", "", subject
    for pattern in _ABOUT:
        if (found := re.fullmatch(pattern, about)) and measure:
            named = found.groupdict()
            return named.get("run") or "", named.get("group") or "", measure
    raise UsageError(f"'{subject}' names no measure", remedy="expected run:NAME/MEASURE or group:NAME/MEASURE")


def _value(kind: str, number: str, written: str) -> tuple[float, bool]:
    """The number of a condition, and whether it is a share."""
    share = number.endswith("%") and kind in (MAX_DROP, NO_WORSE_THAN, MAX_SHARE_LOSING)
    value = _number(kind, number[:-1].strip() if share else number, written, number)
    if kind == NO_WORSE_THAN and value == 0:
        raise UsageError(
            f"{written}: no test can show a loss of 0", remedy="name the largest loss that does not matter"
        )
    if kind == MAX_QUERY_LOSSES and value != int(value):
        raise UsageError(f"{written}: {number} is not a number of queries", remedy=f"expected {_EXPECTED[kind]}")
    made = value / 100 if share else value
    if kind == MAX_SHARE_LOSING and not 0 < made < 1:
        fact = "no test can show a share of 0" if made == 0 else f"{number} is not a share of queries"
        raise UsageError(f"{written}: {fact}", remedy=f"expected {_EXPECTED[kind]}")
    return made, share


def _number(kind: str, digits: str, written: str, number: str = "") -> float:
    """What some digits are, of which those of a condition on a change are not below 0."""
    if not re.fullmatch(REAL, digits, re.ASCII) or not math.isfinite(float(digits)):
        raise UsageError(f"{written}: '{number or digits}' is not a number", remedy=f"expected {_EXPECTED[kind]}")
    value = float(digits)
    if kind in AGAINST and value < 0:
        raise UsageError(f"{written}: {number or digits} is below 0", remedy=f"expected {_EXPECTED[kind]}")
    return value


def required(condition: Condition) -> str:
    """What a condition requires, in words."""
    amount = percent(condition.value) if condition.relative else decimal(condition.value)
    match condition.kind:
        case "min":
            return f"at least {amount}"
        case "max":
            return f"at most {amount}"
        case "every_query":
            return f"{condition.sign} {amount} for every query"
        case "max_drop":
            return f"a drop of at most {amount}"
        case "no_worse_than":
            return f"shown not to be worse by {amount} or more"
        case "max_share_losing":
            return f"shown that at most {percent(condition.value)} of queries lose more than {decimal(condition.loss)}"
        case _:
            return f"at most {amount} {'query' if condition.value == 1 else 'queries'} worse"


@dataclass(frozen=True)
class GateRules:
    """How conditions against a baseline are judged.

    Attributes
    ----------
    plan : Plan
        The test, and its level, `Plan.alpha`.
    significant : bool
        Whether a drop must be shown to be larger than is allowed to fail.
    any_drop : bool
        Whether it is enough to show that there is any, where the one that is measured is larger than is allowed; of
        conditions on drops alone.
    undecided : str or None
        What an undecided condition counts as, ``fail`` or ``pass``; None for what suits its kind.
    precision : float
        Differences up to this are none: half the last digit of a baseline that was rounded, or what adding rounds.
    digits : int
        How many follow the point in sentences.
    """

    plan: Plan
    significant: bool = False
    any_drop: bool = False
    undecided: str | None = None
    precision: float = ROUNDING
    digits: int = 4

    def tests(self, condition: Condition) -> bool:
        """Whether a condition is judged by a test of differences."""
        return condition.kind == NO_WORSE_THAN or (condition.kind == MAX_DROP and self.significant)

    def lenient(self, condition: Condition) -> bool:
        """Whether a condition counts as passed where the queries are too few to tell."""
        if self.undecided is not None:
            return self.undecided == "pass"
        return condition.kind not in SHOWING
