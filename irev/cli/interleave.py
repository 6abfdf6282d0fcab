"""``irev interleave``: lists made of two runs, to be shown to users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from irev.analysis.interleaving import methods
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns
from irev.cli.names import Name
from irev.cli.notes import note_bias, note_not_common, say
from irev.cli.options import (
    OUTPUT,
    RUN_READING,
    RUNNING,
    F,
    Running,
    WholeNumber,
    inputs_given,
    settings_options,
    taken,
)
from irev.cli.output import refuse_clashes, reporting_to, show
from irev.cli.streams import warn
from irev.errors import shown
from irev.evaluation.notes import reading_notes
from irev.output.styles import LOG, styles

DATA = ("jsonl", "json", "csv", "tsv", "parquet")
"""The styles that have lists and logs; all others are for people."""


def length_option(parameter: str) -> Callable[[F], F]:
    """``--length`` of lists; `parameter` is its name, which has a heading in the help."""
    return click.option(
        "--length",
        parameter,
        metavar="N",
        type=WholeNumber(1),
        default=10,
        show_default=True,
        help="Documents of a list, at most.",
    )


def log_style_option(others: str) -> Callable[[F], F]:
    """``-f`` of a command that writes what users are shown; `others` says what is written where people read."""
    return click.option(
        "-f",
        "--format",
        "style",
        metavar="STYLE",
        type=click.Choice(styles()),
        help=f"{', '.join(DATA)}: what is shown; {', '.join(each for each in styles() if each not in DATA)}: {others}."
        " Default: what the ending of the output file asks for, or jsonl.",
    )


@click.command(
    "interleave",
    cls=Command,
    short_help="Make lists of two runs, to see which users click.",
    epilog="irev interleave hybrid.run keyword.run",
)
@click.argument("runs", metavar="A B", nargs=-1)
@click.option(
    "--method",
    "interleaving",
    type=Name(methods.names()),
    default="team-draft",
    show_default=True,
    help="team-draft: both add their best in turns (Radlinski et al. 2008); balanced: rank by rank (Joachims 2003);"
    " probabilistic: drawn from softmax distributions over ranks (Hofmann et al. 2011).",
)
@length_option("length_of_lists")
@click.option(
    "--draws",
    "draws_of_lists",
    metavar="N",
    type=WholeNumber(1),
    default=1,
    show_default=True,
    help="Lists of each query; show each user one of them at random. Where all users see a single one, they share the"
    " luck of its draw.",
)
@click.option(
    "--seed",
    "seed_of_lists",
    metavar="N",
    type=WholeNumber(0),
    default=0,
    show_default=True,
    help="Where chance begins.",
)
@click.option(
    "--within",
    "within_first",
    metavar="K",
    type=WholeNumber(1),
    help="With --method probabilistic: draw from the first K documents of each run alone. Default: all.",
)
@log_style_option("what clicks at random would be worth to A and B")
@settings_options((OUTPUT,), RUNNING, RUN_READING)
@click.help_option("-h", "--help")
@click.pass_context
def interleave_command(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    interleaving: str,
    length_of_lists: int,
    draws_of_lists: int,
    seed_of_lists: int,
    within_first: int | None,
    style: str | None,
    output: str | None,
    **choices: Any,
) -> None:
    """Make a list of the runs A and B for each query that both have, or --draws of them, and say who contributed what.

    Queries stand in the order of their bytes. What is drawn for one depends on the seed and its id alone. When a run
    has nothing to add any more, documents of the other fill the list, and clicks there count for neither.
    """
    running, settings = taken(Running, choices), Settings(**choices)
    require_ranks(ctx, settings)
    require_names(ctx, running.names_given)
    inputs = inputs_given(ctx, runs)
    refuse_clashes(output, inputs)
    to = reporting_to(style, output, inputs, kind=LOG)
    whole = methods.find(interleaving).whole
    if not whole:
        refuse_idle(ctx, f"--method {interleaving} looks at the first --length documents of each run", "within_first")

    from irev.analysis.interleaving.lists import interleave, most
    from irev.cli.evaluating import first_of_files
    from irev.evaluation.run_names import names_of
    from irev.output.reports.interleaving import InterleavingReport
    from irev.reading.id_lists import runs_named

    paths = [path for argument in runs for path in runs_named(argument, settings.dataset)]
    if len(paths) != 2:
        raise click.UsageError(f"expected two runs, A and B, but got {len(paths)} of them", ctx)
    found, read = first_of_files(
        paths, settings, within_first if whole else most(interleaving, length_of_lists), to.style, running
    )
    refuse_idle_columns(ctx, False, any(run.reading.named for run in found))
    a, b = names_of(paths, [decoded(run.reading.tag) for run in found], running.names_given, warn)
    made = interleave(
        found[0].first, found[1].first, (a, b), interleaving, length_of_lists, seed_of_lists, draws_of_lists
    )

    say([note for run in found for note in reading_notes(run.reading, run.name)], 2, running.all_warnings)
    note_not_common(made.alone)
    note_bias(made)
    show(InterleavingReport(made, read), to)


def require_ranks(ctx: click.Context, settings: Settings) -> None:
    """Raise `click.UsageError` where documents in ties have no rank of their own, and so no place in a list."""
    if settings.ties == "average":
        raise click.UsageError("documents in ties have no rank of their own under --ties average; choose another", ctx)


def require_names(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Raise `click.UsageError` for a name that no log may have, and that would be refused where clicks are scored."""
    from irev.reading.formats import FORGING

    for name in names:
        if not name or FORGING.search(name):
            fact = f"{shown(encoded(name))} of --name is empty, holds a control character, or has a blank at an end"
            raise click.UsageError(f"{fact}; choose another", ctx)
