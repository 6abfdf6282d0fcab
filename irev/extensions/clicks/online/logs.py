"""What questions about a log have alike: it is read once, and what was wrong with it is said, in findings too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np

from irev.base.choice import NamedRun
from irev.base.errors import Faults, Problem, UsageError, shown
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.base.text import REAL, counted, decoded, encoded, p_value
from irev.evaluation import files, objects
from irev.evaluation.inputs import Inputs, first_of, names_of, refuse_idle_columns
from irev.evaluation.notes import reading_notes
from irev.evaluation.result import Input
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.events.schema import LogFacts, with_meant
from irev.output.finding import Drawing, ReportedFinding
from irev.output.report import stamped
from irev.ranking.ranking import First
from irev.reading.fields import ListOf
from irev.reading.formats import FORGING
from irev.reading.lists import read_list
from irev.reading.sources import Source
from irev.statistics.ratios import ONCE, Always, Looks


def require_names(runs: Sequence[Any]) -> None:
    """Raise `UsageError` for a name that no log may have, and that would be refused where clicks are scored."""
    for run in runs:
        if isinstance(run, NamedRun) and re.search(FORGING, run.called):
            fact = f"the name {shown(encoded(run.called))} contains a control character, or has a blank at an end"
            raise UsageError(fact, remedy="choose another")


def first_of_runs(inputs: Inputs, runs: Sequence[Any], most: int | None) -> Sequence[tuple[str, First]]:
    """The name of each run, and the first `most` documents of each of its queries, or all."""
    if inputs.batched:
        found, _ = first_of(inputs, runs, most, inputs.digest)
        refuse_idle_columns(inputs, False, any(run.reading.named for run in found))
        names = names_of(inputs, [run.reading.tag for run in found], runs)
        inputs.say([note for run in found for note in reading_notes(run.reading, run.name)], len(runs))
        return [(name, run.first) for name, run in zip(names, found, strict=True)]

    called, usual = ("run",) if len(runs) == 1 else ("a", "b"), ("run",) if len(runs) == 1 else ("A", "B")
    each = zip(runs, called, strict=True)
    read = [objects.first_of(run, name, inputs.settings, most, inputs.warn) for run, name in each]
    paths = [os.fsdecode(run) if isinstance(run, str | os.PathLike) else "" for run in runs]
    tags = [
        decoded(reading.tag) if path else run.name if isinstance(run, objects.Run) else name
        for (_, reading), path, run, name in zip(read, paths, runs, usual, strict=True)
    ]
    names = files.names_of([path or tag for path, tag in zip(paths, tags, strict=True)], tags, (), lambda _: None)
    return [(name, first) for name, (first, _) in zip(names, read, strict=True)]


def propensities_of(inputs: Inputs, given: Any) -> tuple[str | None, Floats | None]:
    """The file of the probabilities that positions are looked at, empty for numbers, and these; None where they are in
    the log."""
    if given is None or not isinstance(given, str | os.PathLike):
        return (None if given is None else ""), given
    path = os.fsdecode(given)
    with Source(path, digest=inputs.batched) as source:
        positions = read_propensities(source)
        if inputs.batched:
            inputs.files.append(Input("propensities", source.name, *source.digest()))
        return path if inputs.batched else source.name, positions


def read_propensities(source: Source) -> Floats:
    """(k,) The probabilities that positions 1 to k of a list are looked at, one on each line of a file.

    Raises
    ------
    ProblemError
        For a line that is not a number above 0 and at most 1.
    InputError
        For a file without any.
    """
    expected = "expected one on each line, for each position"
    about = ListOf("propensities", ("propensity",), expected, lambda line: [line], keys=0)
    faults, found = Faults(), []
    for number, _, (cell,) in read_list(source, about, faults):
        value = float(cell) if re.fullmatch(REAL.encode(), cell) else float("nan")
        if not 0 < value <= 1:
            fact = f"{shown(cell)} is not a propensity"
            faults.note(Problem(number, "E147", fact, "expected a number above 0 and at most 1"))
        found.append(value)
    faults.raise_earliest(source.name)
    return np.array(found)


@contextmanager
def opened(inputs: Inputs, paths: Sequence[str]) -> Iterator[Log]:
    """A log of what users saw and clicked; `inputs.runs` may have it, open already."""
    for each in inputs.runs:
        if isinstance(each, Log) and each.paths == tuple(paths):
            yield each
            return
    if not paths:
        raise UsageError("expected at least one LOG")
    with inputs.working(f"reading {counted(len(paths), 'file')}"):
        found = Log(paths, digest=inputs.digest)
    with found:
        inputs.files.extend(Input("log", name, *digest) for name, digest in found.digests)
        yield found


def warn(inputs: Inputs, message: str) -> None:
    """Say what makes a finding doubtful; in Python the report of the finding says it."""
    if inputs.batched:
        inputs.warn(message)


PER_USER = 10
"""So many impressions are supposed to come to a user who counts, where looks at users are planned by impressions."""


def require_sound(log: Log, drop: bool) -> None:
    """Raise `InputError` for events with faults, unless they are dropped, and for a log without an impression."""
    if not drop:
        log.require_sound()
    log.require_any()


def looks_at(impressions: int, planned: int | None) -> Looks:
    """How errors are read, of so many impressions: once, or at every look, of so many that are planned.

    The clock is impressions and not users: users who come back say something new, and looks at as many users could go
    on forever. `irev.statistics.ratios.Always` errs less than it says where what users do is correlated.
    """
    return ONCE if planned is None else Always(impressions / planned)


def log_notes(log: Log, faults: Mapping[str, int]) -> Iterator[str]:
    """What was left out of a log, and which fields were ignored."""
    strange = sorted(log.facts.strange)
    if strange:
        yield f"{counted(len(strange), 'field')} ignored, unknown: {', '.join(map(with_meant, strange[:5]))}"
    told = set()
    for place, problem in log.described():
        if problem.code not in told:
            told.add(problem.code)
            count = faults[problem.code]
            more = f", the first of {count:,}" if count > 1 else ""
            yield f"{place}: {problem.fact} ({problem.code}{more}); left out"


@dataclass(frozen=True, repr=False)
class LogFinding(ReportedFinding):
    """What was found in a log.

    Attributes
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each code was found, of events that were left out.
    inputs : sequence of Input
        The files that were read.
    """

    facts: LogFacts
    faults: dict[str, int]
    inputs: Sequence[Input]

    @classmethod
    def of(cls, log: Log, *found: Any) -> Self:
        """What was found in a log, whose files are not known yet."""
        return cls(log.facts, dict(log.faults.counts), (), *found)

    @property
    def doubts(self) -> Iterator[str]:
        """What makes it doubtful."""
        return iter(())

    def noted(self, inputs: Inputs, log: Log) -> Self:
        """The same with the files that were read; what was left out and makes it doubtful is said."""
        for sentence in (*log_notes(log, self.faults), *self.doubts):
            warn(inputs, sentence)
        return replace(self, inputs=tuple(inputs.files))

    def plot(self) -> Drawing:
        """There is nothing to draw. Raises `UsageError`."""
        raise UsageError("results about a log have no picture", remedy="show them, or use to_pandas()")

    @property
    def notes(self) -> Iterator[str]:
        yield from self.said()
        facts = self.facts
        if facts.unnamed:
            yield (
                f"{counted(facts.unnamed, 'impression')} of {facts.impressions:,}"
                f" {'names' if facts.unnamed == 1 else 'name'} no user, and each counts as one: intervals are too"
                " narrow if users come back."
            )
        if facts.left_out:
            codes = ", ".join(f"{code} {count:,}" for code, count in sorted(self.faults.items()))
            yield f"Left out: {counted(facts.left_out, 'event')} of {facts.rows:,}, because of these faults: {codes}."

    def said(self) -> Iterator[str]:
        """Sentences on what was found."""
        return iter(())

    def stamp(self, kind: str) -> dict[str, Any]:
        """How the record begins."""
        facts = self.facts
        return {
            **stamped(kind),
            "inputs": [file.recorded() for file in self.inputs],
            "events": {
                "impressions": facts.impressions,
                "clicks": facts.clicks,
                "conversions": facts.conversions,
                "left_out": facts.left_out,
                "without_user": facts.unnamed,
                "faults": dict(sorted(self.faults.items())),
            },
        }


F = TypeVar("F", bound=LogFinding)


def of_log(inputs: Inputs, files: Sequence[str], doing: str, find: Callable[[Log], F]) -> F:
    """What is found in the log of some files, with progress shown while its events are looked at, and notes said."""
    with opened(inputs, files) as log:
        with inputs.working(f"{doing} {counted(log.facts.rows, 'event')}"):
            found = find(log)
        return found.noted(inputs, log)


@dataclass(frozen=True, repr=False)
class Clicks(LogFinding):
    """What a log of clicks says, as `irev.clicks` gives it.

    Beside what every `LogFinding` has:

    Attributes
    ----------
    found : BucketTest or Preference
    """

    found: Any

    def __repr__(self) -> str:
        return f"<Clicks: {self.title}, {self.facts.impressions:,} impressions>"


def at_every_look(planned: int) -> str:
    """What is said of results that hold at every look."""
    return (
        f"Results are valid at every look, however often you look: the error rates hold for all looks together, for"
        f" {planned:,}"
        " planned impressions, the same number at each look."
    )


def compared(p: float | None) -> str:
    """A p-value behind its name: ``= 0.012``, ``< 0.001``."""
    text = p_value(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
