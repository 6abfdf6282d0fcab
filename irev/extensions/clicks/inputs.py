"""Logs of users, and the first documents of runs, read from an `irev.evaluation.inputs.Inputs`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from irev.base.choice import NamedRun
from irev.base.errors import Faults, Problem, UsageError, shown
from irev.base.segments import Floats
from irev.base.text import REAL, counted, decoded, encoded
from irev.evaluation import files, objects
from irev.evaluation.inputs import Inputs, first_of, names_of, refuse_idle_columns
from irev.evaluation.notes import reading_notes
from irev.evaluation.result import Input
from irev.extensions.clicks.events.log import Log
from irev.ranking.ranking import First
from irev.reading.formats import FORGING
from irev.reading.lists import read_list
from irev.reading.small_files import ListOf
from irev.reading.sources import Source


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
