"""A saved result made again: from the files and settings that its record has, and what differs then.

The record says what files were, by their hashes, so that a number that differs is laid to the files or to the program.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import NamedTuple

from irev.base.errors import InputError
from irev.base.records import dataclass
from irev.base.text import counted
from irev.evaluation.files import Files, evaluate_files
from irev.evaluation.result import Input, Result, rounded, rows
from irev.evaluation.summary import Summarised
from irev.reading.open_files import is_remote


class ChangedNumber(NamedTuple):
    """A value that differs; one of both is None where only the other result has it.

    Attributes
    ----------
    run, qrels : str
    about : bytes
        The query, ``all``, or ``all:`` and a group, as outputs show them.
    label : str
        What is measured.
    then, now : float, int, bytes or None
    """

    run: str
    qrels: str
    about: bytes
    label: str
    then: Summarised
    now: Summarised


@dataclass(frozen=True)
class Rerun:
    """What came of a saved result that was made again.

    Attributes
    ----------
    files : tuple of (Input, Input)
        Each file as it was and as it is.
    numbers : int
        How many there are, in either result.
    different : tuple of ChangedNumber
        Those that differ.
    version : str
        That of irev that made the saved result.
    """

    files: tuple[tuple[Input, Input], ...]
    numbers: int
    different: tuple[ChangedNumber, ...]
    version: str

    @property
    def changed(self) -> tuple[tuple[Input, Input], ...]:
        """The files that have another content now."""
        return tuple((then, now) for then, now in self.files if then.sha256 != now.sha256)

    @property
    def same(self) -> bool:
        """Whether files and numbers are what they were."""
        return not self.changed and not self.different


def made_again(saved: Result, name: str) -> Rerun:
    """Make a saved result again.

    Parameters
    ----------
    saved : Result
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For a record that has no files, or files that are not there or cannot be read again, all of which are named;
        and for a file that changed and cannot be used.
    """
    sets = [file for file in saved.inputs if file.role == "qrels"]
    runs = [file for file in saved.inputs if file.role == "run"]
    groups = [file for file in saved.inputs if file.role == "groups"]
    called = list(dict.fromkeys(outcome.qrels for outcome in saved.outcomes))
    named = list(dict.fromkeys(outcome.run for outcome in saved.outcomes))
    if not sets or not runs:
        raise InputError("the record does not have its files", name, "make it with `irev eval -f json`")
    if (len(sets), len(runs)) != (len(called), len(named)) or len(saved.outcomes) != len(sets) * len(runs):
        raise InputError("the record has other files than results", name, "make it again with `irev eval -f json`")
    if gone := [f"{file.name} ({why})" for file in saved.inputs if (why := _gone(file.name))]:
        remedy = "restore the files, and run irev in the same folder as before"
        raise InputError(f"{counted(len(gone), 'file')} cannot be read again: {', '.join(gone)}", name, remedy)
    files = Files(
        [(each, file.name) for each, file in zip(called, sets, strict=True)],
        [file.name for file in runs],
        named,
        groups=groups[0].name if groups else None,
    )
    every = any(not {*each.facts.not_retrieved}.isdisjoint(each.scores.queries) for each in saved.outcomes)
    found = evaluate_files(
        files,
        saved.requests,
        saved.settings,
        digest=True,
        each_query=every,
        per_query=saved.per_query,
    )
    now = replace(saved, outcomes=found.outcomes)
    numbers, different = _compared(saved, rounded(now, saved.precision))
    return Rerun(tuple(zip(saved.inputs, found.inputs, strict=True)), numbers, different, saved.version)


def _gone(path: str) -> str:
    """Why a file cannot be read again, empty where it is there."""
    if path == "<stdin>":
        return "it was standard input"
    if is_remote(path):
        return ""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return "there is no such file"
    return "" if stat.S_ISREG(mode) else "it is a stream, not a file"


def _compared(then: Result, now: Result) -> tuple[int, tuple[ChangedNumber, ...]]:
    """How many numbers there are in both, and those that differ, the values for all queries first."""
    before, after = _numbers(then), _numbers(now)
    keys = sorted({**before, **after}, key=lambda key: key[0])  # which keeps the order of each kind
    pairs = ((key, before.get(key), after.get(key)) for key in keys)
    return len(keys), tuple(ChangedNumber(*key[1:], *values) for key, *values in pairs if not _alike(*values))


def _numbers(result: Result) -> dict[tuple[bool, str, str, bytes, str], Summarised]:
    """Every value, by whether it is of a single query, and by what it is of."""
    return {
        (row.query is not None, row.outcome.run, row.outcome.qrels, row.name, request.label): value
        for row in rows(result)
        for request, value in row.values
    }


def _alike(one: Summarised, other: Summarised) -> bool:
    return one == other or (one != one and other != other)  # what is not a number is unlike itself
