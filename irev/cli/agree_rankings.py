"""``irev agree RUN RUN``: how far the rankings of two runs overlap, query by query, without judgments."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from irev.base.settings import Settings
from irev.cli.idle import refuse_idle, refuse_idle_columns, refuse_idle_in
from irev.cli.notes import note_empty, say, side_by_side_notes
from irev.cli.options import Reporting, Running, inputs_given
from irev.cli.output import show

if TYPE_CHECKING:
    from irev.statistics.overlap import Ties

_OBEYED = (
    *("files", "persistence", "tied", "style", "output", "digits", "names_given", "quiet", "jobs", "all_warnings"),
    *("run_format", "run_columns", "columns", "order", "ties", "duplicates", "drop_self", "allow_large", "dataset"),
    *("compat", "depth"),
)
"""Parameters that mean something here."""


def agree_rankings(
    ctx: click.Context,
    files: tuple[str, ...],
    persistence: float,
    tied: Ties,
    settings: Settings,
    running: Running,
    look: Reporting,
) -> None:
    """Show how far two runs overlap."""
    others = [each.name or "" for each in ctx.command.params if each.name not in _OBEYED]
    refuse_idle(ctx, "two runs are held against each other without judgments", *others)
    if settings.ties == "average":
        raise click.UsageError("--rbo-ties says what ties are here; choose another --ties", ctx)
    to = look.to(inputs_given(ctx, files))
    refuse_idle_in(ctx, to.style, "digits")

    from irev.analysis.overlap import overlap_of, spec_of
    from irev.base.text import decoded
    from irev.cli import progress
    from irev.cli.streams import warn
    from irev.evaluation.result import Input
    from irev.evaluation.run_names import names_of
    from irev.output.reports.overlap import OverlapReport
    from irev.ranking.fusion.inputs import in_step_or_whole, of_files
    from irev.reading.sources import Source

    with ExitStack() as opened:
        sources = [opened.enter_context(Source(path, digest=True)) for path in files]
        runs = [opened.enter_context(each) for each in of_files(sources, spec_of(settings.depth), settings)]
        with progress.working("comparing", running.quiet):
            found, shared = in_step_or_whole(
                runs, lambda shared, whole: overlap_of(runs, ("", ""), persistence, tied, shared, whole)
            )
        refuse_idle_columns(ctx, False, any(each.reading.named for each in runs))
        names = names_of(files, [decoded(each.reading.tag) for each in runs], running.names_given, warn)
        inputs = [Input("run", each.name, *each.digest()) for each in sources]
    say([*side_by_side_notes(runs, shared)], len(runs), everything=running.all_warnings)
    note_empty("the runs", shared.empty)
    show(OverlapReport(found.called(names), inputs), to)
