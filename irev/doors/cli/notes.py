"""What is said on standard error about an evaluation that the numbers do not show: a closed list, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.base.settings import Settings
from irev.doors.cli.streams import warn
from irev.evaluation.notes import (
    Note,
    doubt_notes,
    empty_notes,
    filled_notes,
    lacking_notes,
    left_out_notes,
    level_notes,
    listed,
    not_common_notes,
    reading_notes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.errors import Problem
    from irev.evaluation.comparison.alignment import Aligned
    from irev.evaluation.result import Outcome
    from irev.measures import Request
    from irev.ranking.fusion.inputs import FileRun
    from irev.ranking.fusion.merging import SharedQueries
    from irev.ranking.ranking import LeftOut
    from irev.reading.judgments import Details, Judgments
    from irev.reading.runs import Reading

SHARED = 3
"""So many runs are named with what is said of each; what is said of more is said once, unless all is asked for."""


def say(notes: Sequence[Note], runs: int, everything: bool) -> None:
    """Say what there is to be said of so many runs; of many alike in one line, unless `everything` is wanted.

    Where that is so, all that is said of single runs stands behind it.
    """
    about: dict[str, set[str]] = {}
    for note in notes:
        about.setdefault(note.shared, set()).add(note.run)
    for shared, named in about.items():
        if len(named) > SHARED and not everything:
            warn(f"{len(named)} of {runs} runs {shared}; --all-warnings names them")
    for note in notes:
        if everything or len(about[note.shared]) <= SHARED:
            warn(f"{note.run}{note.said}")


def note_judgments(judgments: Judgments, settings: Settings, requests: Sequence[Request] | None = None) -> None:
    """What judgments were perhaps meant to be instead, and grades that the relevance level does not suit."""
    note_doubts(judgments.name, judgments.doubts, judgments.details)
    _say_all(level_notes(judgments, settings, requests))


def note_doubts(name: str, doubts: Sequence[Problem], details: Details | None = None) -> None:
    """What judgments were perhaps meant to be instead."""
    _say_all(doubt_notes(name, doubts, details))


def note_empty(name: str, queries: Sequence[bytes]) -> None:
    """Queries that a file names and has nothing for, which no format of rows holds."""
    _say_all(empty_notes(name, queries))


def note_left_out(left_out: LeftOut, settings: Settings, run: str) -> None:
    """The same, said of one run."""
    say([*left_out_notes(left_out, settings, run)], 1, everything=True)


def note_reading(reading: Reading, run: str) -> None:
    """What the rows of one run give reason to say."""
    say([*reading_notes(reading, run)], 1, everything=True)


def note_ties(outcomes: Sequence[Outcome], settings: Settings, everything: bool = True) -> None:
    """Ties that hold a judged document: there the numbers depend on how ties are broken."""
    if settings.ties == "average":
        return
    several_runs, several_qrels = (len({getattr(o, of) for o in outcomes}) > 1 for of in ("run", "qrels"))
    notes = []
    for outcome in outcomes:
        tied, size = outcome.facts.tied, len(outcome.scores.queries)
        if tied:
            queries = "1 query has" if tied == 1 else f"{tied} of {size} queries have"
            which = [outcome.run] * several_runs + [f"under {outcome.qrels}"] * several_qrels
            of = ": " if which else ""
            said = f"{of}{queries} a judged document in a tie, ordered by --ties {settings.ties}"
            shared = f"have judged documents in ties, ordered by --ties {settings.ties}"
            notes.append(Note(" ".join(which), said, shared))
    say(notes, len(outcomes), everything)


def note_groups(outcomes: Sequence[Outcome], ungrouped: Sequence[bytes]) -> None:
    """Queries that count and are in no group, and groups none of whose queries counts in any run."""
    if ungrouped:
        warn(f"{listed(ungrouped, 'query is in no group', 'queries are in no group')}")
    counting = {group.name for outcome in outcomes for group in outcome.groups if group.size}
    empty = sorted({group.name for outcome in outcomes for group in outcome.groups} - counting)
    if empty:
        of = listed(empty, "group has no query that counts", "groups have no query that counts")
        warn(f"{of}; a line of groups is query, tab, group")


def note_filled(aligned: Aligned) -> None:
    """Queries that some of the runs lack, and that count as 0 or not at all."""
    _say_all(filled_notes(aligned.filled, aligned.left_out))


def left_out(aligned: Aligned) -> list[str]:
    """What is said of queries that do not count, if there are any."""
    return [note.said for note in not_common_notes(aligned.left_out)]


def note_not_common(queries: Sequence[bytes]) -> None:
    """Queries that do not count since some of the runs lack them."""
    _say_all(not_common_notes(queries))


def _say_all(notes: Iterable[Note]) -> None:
    for note in notes:
        warn(f"{note.run}{note.said}")


def fused_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were fused: queries that they lack, and runs that are given twice."""
    yield from side_by_side_notes(runs, shared)
    first: dict[tuple[object, ...], FileRun] = {}
    for run in runs:
        before = first.setdefault((run.print, run.reading.rows, run.reading.tag), run)
        if before is not run:
            said = f": this seems to be the same run as {before.name}; it counts twice"
            yield Note(run.name, said, "seem to be runs that are given twice; they count as often")


def side_by_side_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were read side by side: queries that they lack."""
    for run, queries in zip(runs, shared.lacking, strict=True):
        yield from reading_notes(run.reading, run.name)
        yield from lacking_notes(run.name, queries)
