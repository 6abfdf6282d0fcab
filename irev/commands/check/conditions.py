"""Conditions of a check: read from a command line or a configuration file, and measured for a run.

A `Condition` is what was written, `GateRules` say how to judge it, and a `Case` is the condition measured for one run:
the value of the run, the value of its baseline, and the queries that are to blame.

A condition is split at its last ``=``, since names of measures may have some: ``nDCG@10=0.42``, ``AP(rel=2)=0.3``.
Before the measure may stand what it is about: ``run:bm25/``, ``group:de/``, or both. Beside measures there are the
`COUNTS`. A share of queries has a loss before it: ``nDCG@10>0.2=2%``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import CURRENT, Settings
from irev.base.text import REAL, percent
from irev.evaluation.result import Facts
from irev.measures import Request
from irev.measures.request import parse_among

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
        lambda facts, queries: len({*queries} - {*facts.not_retrieved, *facts.empty}),
    ),
    "missing": ("judged queries for which nothing was retrieved", lambda facts, queries: facts.missing),
    "empty": ("queries whose list of results is empty", lambda facts, queries: len(facts.empty)),
    "tied": ("queries with a judged document in a tie", lambda facts, queries: facts.tied),
    "judged": ("retrieved documents that are judged", lambda facts, queries: facts.judged),
    "unjudged": ("retrieved documents that are not judged", lambda facts, queries: facts.unjudged),
}
"""What conditions can be about beside measures: what each is, and how it comes of facts and the queries that count."""

UNKNOWN_ELSEWHERE = {*COUNTS} - {"queries"}
"""Counts that are not known of values that another program computed."""

_COMPARES: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
    "=": lambda value, limit: value == limit,
}


NO_OTHERS: Mapping[str, Request] = {}

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


def requests_of(conditions: Sequence[Condition]) -> tuple[Request, ...]:
    """The measures that conditions are about."""
    return tuple(dict.fromkeys(each.request for each in conditions if each.request is not None))


def _named(kind: str, text: str) -> str:
    return f"{option(kind)} {text}"


_EXPECTED = {
    MIN: "NAME=VALUE, such as nDCG@10=0.42",
    MAX: "NAME=VALUE, such as unjudged=100",
    EVERY_QUERY: "NAME, a sign and a value, such as RR>0",
    MAX_DROP: "NAME=VALUE or NAME=SHARE, such as nDCG@10=0.01 or nDCG@10=2%",
    NO_WORSE_THAN: "VALUE or NAME=VALUE, such as 0.01 or nDCG@10=2%",
    MAX_QUERY_LOSSES: "a number of queries, or NAME=NUMBER, such as 5 or nDCG@10=5",
    MAX_SHARE_LOSING: "NAME>LOSS=SHARE, such as nDCG@10>0.2=2%",
}

_FORMS = {
    **dict.fromkeys((MIN, MAX, MAX_DROP), r"(?P<name>.*\S.*)=(?P<number>[^=]*)"),
    **dict.fromkeys((NO_WORSE_THAN, MAX_QUERY_LOSSES), r"((?P<name>.*\S.*)=)?(?P<number>[^=]*)"),
    EVERY_QUERY: r"(?P<name>.+?)\s*(?P<sign>>=|<=|>|<|=)\s*(?P<number>[^<>=]+)",
    MAX_SHARE_LOSING: r"(?P<name>.*?)\s*>\s*(?P<loss>[^<>=]+?)\s*=\s*(?P<number>[^<>=]+)",
}


def read(
    kind: str,
    text: str,
    measures: tuple[str, ...] = (),
    compat: str = CURRENT,
    others: Mapping[str, Request] = NO_OTHERS,
) -> list[Condition]:
    """The conditions that a text stands for: one for each measure it names, or for each of `measures` if it names none.
    `others` are measures of other programs by name.

    Raises
    ------
    UsageError
        For a text that is not a condition, and for a measure that does not exist.
    """
    written = _named(kind, text)
    found = re.fullmatch(_FORMS[kind], text, re.DOTALL)
    if found is None:
        raise UsageError(f"{written}: this is not a condition", remedy=f"expected {_EXPECTED[kind]}")
    parts = {name: part.strip() for name, part in found.groupdict("").items()}
    value, relative = _value(kind, parts["number"], written)
    loss = _number(kind, parts["loss"], written) if parts.get("loss") else 0.0
    made: list[Condition] = []
    for subject in (parts["name"],) if parts["name"] else measures:
        run, group, name = _about(subject)
        one = Condition(kind, text, None, "", run, group, value, relative, parts.get("sign", ""), loss)
        if name in COUNTS:
            made.append(replace(one, count=_counted(one, name)))
        else:
            made += (replace(one, request=each) for each in _requests(one, name, compat, others))
    return made


def _counted(condition: Condition, name: str) -> str:
    """One of `COUNTS`. Raises `UsageError` where it cannot be meant."""
    if condition.kind in (MIN, MAX) and not condition.group:
        return name
    where, remedy = f"with {option(condition.kind)}", f"use {option(MIN)} or {option(MAX)}"
    if condition.group:
        where, remedy = "of a group", "leave the group out"
    raise UsageError(f"{condition.named}: '{name}' is counted for a run, not {where}", remedy=remedy)


def _requests(condition: Condition, name: str, compat: str, others: Mapping[str, Request]) -> Sequence[Request]:
    """The measures of a name. Raises `UsageError` where it has none, and for those that the condition cannot be of."""
    try:
        requests = parse_among([name], others, compat, lambda message: None)
    except UsageError as error:
        near = did_you_mean(name, COUNTS) or error.remedy
        raise UsageError(f"{condition.named}: {error.fact}", remedy=near) from None
    for request in requests:
        measure = request.measure
        if measure.kind == "text" or (condition.kind not in (MIN, MAX) and not measure.per_query):
            each = "" if measure.kind == "text" else " for each query"
            fact = f"{condition.named}: '{request.standard}' is not a number{each}"
            raise UsageError(fact, remedy="choose another")
        if condition.kind in AGAINST and request.better == "neither":
            fact = f"{condition.named}: '{request.standard}' is neither better high nor low"
            raise UsageError(fact, remedy=f"use {option(MIN)} or {option(MAX)}")
    return requests


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


def require_possible(conditions: Sequence[Condition], settings: Settings) -> None:
    """Raise `UsageError` for a limit that no value of a measure from 0 to 1 is beyond, or that all are beyond: the
    condition would always hold, or never. With gains of the user's own, values may be others."""
    for condition in conditions:
        if condition.request is not None and condition.request.of_one and settings.gains is None:
            fact, remedy = _impossible(condition, condition.request)
            if fact:
                said = f"{condition.named}: {condition.request.standard} lies between 0 and 1, {fact}"
                raise UsageError(said, remedy=remedy)


def _impossible(condition: Condition, request: Request) -> tuple[str, str]:
    """What is wrong with the limit of a condition on a measure from 0 to 1, and what to do; empty if nothing is."""
    limit, relative = condition.value, condition.relative
    if condition.kind == MAX_SHARE_LOSING:
        limit, relative = condition.loss, False
    if condition.kind in (MIN, MAX, EVERY_QUERY):
        return ("", "") if 0 <= limit <= 1 else (f"and {decimal(limit)} does not", "write a number from 0 to 1")
    # What is better low may become many times what it was.
    if condition.kind == MAX_QUERY_LOSSES or limit < 1 or (relative and request.better != "higher"):
        return "", ""
    if relative:
        return f"so no drop is larger than {percent(limit)}", "write a share below 100%"
    meant = "a number below 1" if limit >= 100 else f"{limit / 100:.12g}"
    share = f"{decimal(limit)}% or " if limit < 100 and condition.kind != MAX_SHARE_LOSING else ""
    return f"so no drop is larger than {decimal(limit)}", f"write {share}{meant}"


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
