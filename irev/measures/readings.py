"""Explanations: how a text given to ``-m`` is understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.measures import MEASURES, Request, parse
from irev.measures import spellings as calls
from irev.measures.measure import SETS, TREC_ORDER
from irev.measures.pages import summary
from irev.measures.parameters import Cutoffs, Levels, Option
from irev.measures.spellings import names

_ARGUMENTS = re.compile(r"\([^()]*\)|-l[0-9]+$")
_CUTOFF = re.compile(r"(@|_at_)[^@]*$")


@dataclass(frozen=True)
class MeasureReading:
    """How one text is understood.

    Attributes
    ----------
    text : str
        What was given.
    spelling : str
        Whose way of writing it is.
    requests : tuple of Request
        The lines that it asks for.
    notes : tuple of str
        What was read in a way that its author may not expect.
    """

    text: str
    spelling: str
    requests: tuple[Request, ...]
    notes: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """The explanation as ``irev measures --explain --json`` has it."""
        lines = [
            {
                "measure": request.measure.name,
                "summary": summary(request.measure),
                "parameters": dict(chosen(request)),
                "trec": request.label,
                "standard": request.standard,
            }
            for request in self.requests
        ]
        return {"text": self.text, "spelling": self.spelling, "lines": lines, "notes": self.notes}


def explain(text: str) -> MeasureReading:
    """How `text` is understood. Raises `UsageError` for what ``-m`` would refuse."""
    notes: list[str] = []
    requests = parse([text], warn=notes.append)
    return MeasureReading(text, _spelling(text, requests), requests, tuple(notes))


def chosen(request: Request) -> Iterator[tuple[str, str]]:
    """Each parameter and option of a request with its value, those at their defaults too unless they choose nothing."""
    measure, parameter = request.measure, request.measure.parameter
    inside, cut = parameter.call(request.value)
    if cut:
        yield "k" if isinstance(parameter, Cutoffs) else "level" if isinstance(parameter, Levels) else "at", cut
    if request.k is not None:
        yield "k", str(request.k)
    for part in inside:
        key, _, value = part.partition("=")
        yield key, value
    given = dict(request.options)
    for key, option in measure.options.items():
        written = option.write(given.get(key, option.default))
        if key in given or _typed(option, written):
            yield key, written
    if request.level is not None:
        yield "rel", decimal(request.level)
    if request.judged_only:
        yield "judged_only", "true"
    if request.bound:
        yield request.bound_key, request.bound
    if request.aggregate:
        yield "agg", request.aggregate


def _typed(option: Option, text: str) -> bool:
    """Whether one could type `text`: a default that one could not says that nothing is chosen."""
    try:
        option.read("", text)
    except UsageError:
        return False
    return True


def _spelling(text: str, requests: tuple[Request, ...]) -> str:
    """Whose way of writing a text is."""
    if text in SETS:
        return f"a set of {len(SETS[text])} measures"
    own = "trec_eval" if all(request.measure.name in TREC_ORDER for request in requests) else "trec_eval's style"
    if text in MEASURES:
        return own
    try:
        call = calls.read(text)
    except UsageError:  # no call, so it is written as trec_eval does
        plain = all(request.plain for request in requests)
        printed = ", a printed label" if text in {request.label for request in requests} else ""
        return (own if plain else "trec_eval's style") + printed
    if call.tool == "trec_eval":
        return "trec_eval's name in a call"
    shape = _CUTOFF.sub(r"\1k", _ARGUMENTS.sub("", text))
    tools = [tool for tool, name, _ in calls.also(call.measure) if name == shape]
    return ", ".join(dict.fromkeys(["standard name" if call.tool == "standard" else call.tool, *tools]))


def offered(incomplete: str) -> Iterator[tuple[str, str]]:
    """What may be typed after ``-m`` where `incomplete` stands, and what each is in a sentence."""
    before, last = _last_of(incomplete)
    for name, meaning in names():
        if name.startswith(last) and not (name == last and name.endswith("@")):
            yield before + name, meaning


def _last_of(measures: str) -> tuple[str, str]:
    """A list of measures, cut where the last of them begins. Neither a comma in parentheses begins one, nor what
    begins with a digit: ``AP,P@5,10`` are two measures."""
    begin = depth = 0
    for place, sign in enumerate(measures):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth and not measures[place + 1 : place + 2].isdigit():
            begin = place + 1
    return measures[:begin], measures[begin:]
