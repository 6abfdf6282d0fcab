"""What ``--sort`` says: a measure, or what several runs have for a query, and which end stands first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from irev.cli.idle import refuse_idle

if TYPE_CHECKING:
    from irev.evaluation.result import Result
    from irev.measures import Request
    from irev.output.report import Sort
    from irev.output.reports.leaderboard import AgainstBest

_ENDS = {":asc": False, ":desc": True}


def sort_of(
    ctx: click.Context, text: str | None, requests: Sequence[Request], *, runs: int, per_query: bool, style: str
) -> Sort | None:
    """What a table is to be sorted by; None unless that is asked for.

    Raises
    ------
    UsageError
        For what is none of the measures, and where there is nothing to be sorted.
    """
    if text is None:
        return None
    from irev.measures import among
    from irev.output.report import TOPICS, Sort
    from irev.output.styles import for_screens

    if not per_query and runs < 2:
        refuse_idle(ctx, "it orders runs, or single queries; give several runs, or add -q", "sort")
    name, descending = next(
        ((text.removesuffix(end), down) for end, down in _ENDS.items() if text.endswith(end)), (text, None)
    )
    if name not in TOPICS:
        return Sort(among(name, requests), descending)
    if not (per_query and runs > 1 and for_screens(style)):
        refuse_idle(ctx, f"{name} is of the values that several runs have for a query; add -q and -f table", "sort")
    return Sort(name, descending)


def against_best(result: Result, sort: Sort | None) -> AgainstBest | None:
    """What is shown of the difference between each run and the best, of runs that are sorted by a measure."""
    from irev.output.report import Look
    from irev.output.reports.comparison.against_best import against_best
    from irev.output.reports.leaderboard import standings

    ranks = standings(result, Look(sort=sort))
    if sort is None or isinstance(sort.by, str) or not ranks:
        return None
    return against_best(result.outcomes, sort.by, next(outcome for outcome, rank in ranks.items() if rank == 1))
