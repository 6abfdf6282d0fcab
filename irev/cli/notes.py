"""What is said on standard error about an evaluation that the numbers do not show: a closed list, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.base.settings import Settings
from irev.base.text import and_more, counted, real
from irev.cli.streams import warn
from irev.errors import Problem, decimal, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.analysis.comparison.alignment import Aligned
    from irev.analysis.interleaving.lists import Interleaving
    from irev.analysis.pools.pool import PoolOfRuns
    from irev.analysis.pools.runs import FilesRead
    from irev.evaluation.result import Outcome
    from irev.ranking.fusion.inputs import FileRun
    from irev.ranking.fusion.shared_queries import SharedQueries
    from irev.ranking.ranking import LeftOut
    from irev.reading.qrels import Judgments
    from irev.reading.runs import Reading

NAMED = 5
"""How many queries a note names before it only counts."""

SHARED = 3
"""So many runs are named with what is said of each; what is said of more is said once, unless all is asked for."""


class Note(NamedTuple):
    """A sentence about a run, which may be said of many.

    Attributes
    ----------
    run : str
        What it is about, with where it is.
    said : str
        What follows the name of the run.
    shared : str
        What is said of many runs together: ``have tied documents``.
    """

    run: str
    said: str
    shared: str


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


def note_judgments(judgments: Judgments, settings: Settings) -> None:
    """What was perhaps meant otherwise; positive grades of which none reaches the relevance level, which make every
    binary measure 0."""
    note_doubts(judgments.name, judgments.doubts)
    highest = float(judgments.grade.max())
    if 0 < highest < settings.level:
        fact = f"no grade reaches the relevance level {decimal(settings.level)}, the highest is {decimal(highest)}"
        warn(f"{judgments.name}: {fact}; --level {decimal(highest)} would count it as relevant")


def note_doubts(name: str, doubts: Sequence[Problem]) -> None:
    """What judgments were perhaps meant to be instead."""
    for doubt in doubts:
        warn(f"{name}:{doubt.line}: {doubt.fact}; {doubt.remedy}")


def note_empty(name: str, queries: Sequence[bytes]) -> None:
    """Queries that a file names and has nothing for, which no format of rows holds."""
    if queries:
        warn(f"{name}: {_listed(queries, 'query has no documents', 'queries have no documents')}; left out")


def left_out_notes(left_out: LeftOut, settings: Settings, run: str) -> Iterator[Note]:
    """Queries in one file only, and files that have no document in common."""
    if left_out.not_retrieved and settings.only is None:
        # -c is no advice where another choice of queries was made.
        counted = "left out (-c counts them)" if settings.queries == "both" else "left out"
        if left_out.not_retrieved_count:
            counted = "counted as finding nothing"
        what = ("judged query has no results", "judged queries have no results")
        if not isinstance(settings.queries, str):
            what = ("listed query has no results", "listed queries have no results")
        said = f": {_listed(left_out.not_retrieved, *what)}; {counted}"
        yield Note(run, said, f"have no results for {what[1].partition(' have ')[0]}, {counted}")
    if left_out.not_judged and settings.only is None:
        counted = "counted as having nothing to find" if left_out.not_judged_count else "left out"
        listed = _listed(left_out.not_judged, "query has no judgments", "queries have no judgments")
        yield Note(run, f": {listed}; {counted}", f"have queries without judgments, {counted}")
    if left_out.strangers is not None:
        fact = f": {left_out.strangers.fact}; {left_out.strangers.remedy}"
        yield Note(run, fact, "have no document that is judged")


def reading_notes(reading: Reading, run: str) -> Iterator[Note]:
    """Run ids that differ, and lines that look shifted."""
    if reading.other_tag:
        differ = f"run ids differ, among them {shown(reading.other_tag)}"
        last = f": {differ}; runid is that of the last row, {shown(reading.tag)}"
        yield Note(run, last, "have rows with different run ids; runid is that of the last row")
    if reading.shifted is not None:
        fact = f":{reading.shifted}: more than 6 fields, and the rank is no number; has an id a blank in it?"
        yield Note(
            run, fact, "have rows of more than 6 fields, of which the rank is no number; has an id a blank in it?"
        )


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
        warn(f"{_listed(ungrouped, 'query is in no group', 'queries are in no group')}")
    counting = {group.name for outcome in outcomes for group in outcome.groups if group.size}
    empty = sorted({group.name for outcome in outcomes for group in outcome.groups} - counting)
    if empty:
        of = _listed(empty, "group has no query that counts", "groups have no query that counts")
        warn(f"{of}; a line of groups is query, tab, group")


def note_filled(aligned: Aligned) -> None:
    """Queries that some of the runs lack, and that count as 0 or not at all."""
    for run, queries in aligned.filled:
        warn(f"{run}: {_listed(queries, 'query has no value', 'queries have no value')}; counted as 0")
    for note in left_out(aligned):
        warn(note)


def left_out(aligned: Aligned) -> list[str]:
    """What is said of queries that do not count, if there are any."""
    return _not_common(aligned.left_out)


def note_not_common(queries: Sequence[bytes]) -> None:
    """Queries that do not count since some of the runs lack them."""
    for note in _not_common(queries):
        warn(note)


def _not_common(queries: Sequence[bytes]) -> list[str]:
    if not queries:
        return []
    listed = _listed(queries, "query is not in all of the runs", "queries are not in all of the runs")
    return [f"{listed}; left out"]


def _listed(queries: Sequence[bytes], one: str, several: str) -> str:
    named = ", ".join(shown(query)[1:-1] for query in queries[:NAMED])
    more = and_more(len(queries), NAMED)
    return f"{len(queries)} {one if len(queries) == 1 else several}: {named}{more}"


def pool_notes(runs: Sequence[str], found: FilesRead) -> Iterator[Note]:
    """What there is to say of the runs of a pool: queries that they lack, and runs that are given twice."""
    for number, (run, reading) in enumerate(zip(runs, found.readings, strict=True)):
        yield from reading_notes(reading, run)
        yield from _lacking(run, found.gathered.lacking(number))
    for again, first in found.twice:
        said = f": this seems to be the same run as {runs[first]}; its documents are unique to neither"
        yield Note(runs[again], said, "seem to be runs that are given twice; their documents are unique to none")


def fused_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were fused: queries that they lack, and runs that are given twice."""
    yield from lacking_notes(runs, shared)
    first: dict[tuple[object, ...], FileRun] = {}
    for run in runs:
        before = first.setdefault((run.print, run.reading.rows, run.reading.tag), run)
        if before is not run:
            said = f": this seems to be the same run as {before.name}; it counts twice"
            yield Note(run.name, said, "seem to be runs that are given twice; they count as often")


def lacking_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were read side by side: queries that they lack."""
    for run, queries in zip(runs, shared.lacking, strict=True):
        yield from reading_notes(run.reading, run.name)
        yield from _lacking(run.name, queries)


def _lacking(run: str, queries: Sequence[bytes]) -> Iterator[Note]:
    """Queries that a run lacks, and others have."""
    if queries:
        what = ("query of other runs has no results", "queries of other runs have no results")
        yield Note(run, f": {_listed(queries, *what)}", f"have no results for {what[1].partition(' have ')[0]}")


def note_pool(pool: PoolOfRuns) -> None:
    """What judgments that are given make doubtful."""
    if pool.overspent:
        what = ("query has more judgments than the budget", "queries have more judgments than the budget")
        warn(f"{pool.judgments}: {_listed(pool.overspent, *what)}; none of their documents is to be judged")
    if pool.strangers:
        fact = "none of the documents that were looked at is judged"
        warn(f"{pool.judgments}: {fact}; are the document ids those of the runs?")
    samples = [each.sample for each in pool.queries if each.sample is not None]
    waiting = sum(int((each.drawn & (each.grade != each.grade)).sum()) for each in samples)
    if waiting:
        warn(f"{counted(waiting, 'document')} of the sample {'has' if waiting == 1 else 'have'} no judgment yet")


def note_unasked(queries: Sequence[bytes]) -> None:
    """Queries that simulated users do not ask."""
    if queries:
        what = ("query is not judged, or not in all of the runs", "queries are not judged, or not in all of the runs")
        warn(f"{_listed(queries, *what)}; never asked")


_ROUNDING = 1e-9
"""Means that differ by less are equal."""


def note_bias(made: Interleaving) -> None:
    """A method by which clicks without a reason are worth more to one of the runs."""
    if made.over_draws is not None and abs(made.over_draws.a - made.over_draws.b) > _ROUNDING:
        worth = sorted(((made.over_draws.a, made.a), (made.over_draws.b, made.b)), reverse=True)
        said = " and ".join(f"{real(share, 4)} to {run}" for share, run in worth)
        warn(f"{made.method} interleaving: a click at random is worth {said}, whichever is better")
