"""What is said on standard error about an evaluation that the numbers do not show: a closed list, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.base.settings import Settings
from irev.base.text import and_more
from irev.cli.streams import warn
from irev.errors import decimal, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.analysis.comparison.alignment import Aligned
    from irev.evaluation.result import Outcome
    from irev.ranking.ranking import LeftOut
    from irev.reading.qrels import Judgments
    from irev.reading.runs import Reading

NAMED = 5
"""How many queries a note names before it only counts."""


def note_judgments(judgments: Judgments, settings: Settings) -> None:
    """What was perhaps meant otherwise; positive grades of which none reaches the relevance level, which make every
    binary measure 0."""
    for doubt in judgments.doubts:
        warn(f"{judgments.name}:{doubt.line}: {doubt.fact}; {doubt.remedy}")
    highest = float(judgments.grade.max())
    if 0 < highest < settings.level:
        fact = f"no grade reaches the relevance level {decimal(settings.level)}, the highest is {decimal(highest)}"
        warn(f"{judgments.name}: {fact}; --level {decimal(highest)} would count it as relevant")


def note_left_out(left_out: LeftOut, settings: Settings, run: str) -> None:
    """Queries in one file only, and files that have no document in common."""
    if left_out.not_retrieved and settings.only is None:
        # -c is no advice where another choice of queries was made.
        counted = "left out (-c counts them)" if settings.queries == "both" else "left out"
        if left_out.not_retrieved_count:
            counted = "counted as finding nothing"
        what = ("judged query has no results", "judged queries have no results")
        if not isinstance(settings.queries, str):
            what = ("listed query has no results", "listed queries have no results")
        warn(f"{run}: {_listed(left_out.not_retrieved, *what)}; {counted}")
    if left_out.not_judged and settings.only is None:
        counted = "counted as having nothing to find" if left_out.not_judged_count else "left out"
        listed = _listed(left_out.not_judged, "query has no judgments", "queries have no judgments")
        warn(f"{run}: {listed}; {counted}")
    if left_out.strangers is not None:
        warn(f"{run}: {left_out.strangers.fact}; {left_out.strangers.remedy}")


def note_reading(reading: Reading, run: str) -> None:
    """Run ids that differ, and lines that look shifted."""
    if reading.other_tag:
        differ = f"run ids differ, among them {shown(reading.other_tag)}"
        warn(f"{run}: {differ}; runid is that of the last row, {shown(reading.tag)}")
    if reading.shifted is not None:
        warn(f"{run}:{reading.shifted}: more than 6 fields, and the rank is no number; has an id a blank in it?")


def note_ties(outcomes: Sequence[Outcome], settings: Settings) -> None:
    """Ties that hold a judged document: there the numbers depend on how ties are broken."""
    if settings.ties == "average":
        return
    several_runs, several_qrels = (len({getattr(o, of) for o in outcomes}) > 1 for of in ("run", "qrels"))
    for outcome in outcomes:
        tied, size = outcome.facts.tied, len(outcome.scores.queries)
        if tied:
            queries = "1 query has" if tied == 1 else f"{tied} of {size} queries have"
            which = [outcome.run] * several_runs + [f"under {outcome.qrels}"] * several_qrels
            of = " ".join(which) + ": " if which else ""
            warn(f"{of}{queries} a judged document in a tie, ordered by --ties {settings.ties}")


def note_ungrouped(queries: Sequence[bytes]) -> None:
    """Queries that count and are in no group."""
    if queries:
        warn(f"{_listed(queries, 'query is in no group', 'queries are in no group')}")


def note_filled(aligned: Aligned) -> None:
    """Queries that some of the runs lack, and that count as 0 or not at all."""
    for run, queries in aligned.filled:
        warn(f"{run}: {_listed(queries, 'query has no value', 'queries have no value')}; counted as 0")
    for note in left_out(aligned):
        warn(note)


def left_out(aligned: Aligned) -> list[str]:
    """What is said of queries that do not count, if there are any."""
    if not aligned.left_out:
        return []
    listed = _listed(aligned.left_out, "query is not in all of the runs", "queries are not in all of the runs")
    return [f"{listed}; left out"]


def _listed(queries: Sequence[bytes], one: str, several: str) -> str:
    named = ", ".join(shown(query)[1:-1] for query in queries[:NAMED])
    more = and_more(len(queries), NAMED)
    return f"{len(queries)} {one if len(queries) == 1 else several}: {named}{more}"
