"""``irev clicks``: what users clicked."""

from __future__ import annotations

from typing import Any

import click

from irev.base.settings import Settings
from irev.cli.help import Command
from irev.cli.interleave import log_style_option
from irev.cli.options import OUTPUT, READING, RUNNING, Running, WholeNumber, inputs_given, settings_options, taken
from irev.cli.output import refuse_clashes, reporting_to
from irev.cli.simulating import SIMULATING, Simulating
from irev.output.styles import LOG


@click.command(
    "clicks",
    cls=Command,
    short_help="Make up logs of clicks.",
    epilog="irev clicks --simulate --method team-draft qrels.txt hybrid.run keyword.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@settings_options(SIMULATING)
@click.option("--seed", metavar="N", type=WholeNumber(0), default=0, show_default=True, help="Where chance begins.")
@log_style_option("what there is of them")
@settings_options((OUTPUT,), RUNNING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def clicks_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    simulate: bool,
    seed: int,
    style: str | None,
    output: str | None,
    **choices: Any,
) -> None:
    """Make up a log of users who are shown the RUNs, and click what QRELS say is good.

    Users come back in sessions. With --method every list is made of two runs; without it every user sees one of the
    runs, always the same.
    """
    from irev.cli import simulating

    running, asked = taken(Running, choices), taken(Simulating, choices)
    settings = Settings(**choices)
    if not simulate:
        raise click.UsageError("expected --simulate, and QRELS RUN…", ctx)
    inputs = inputs_given(ctx, files)
    refuse_clashes(output, inputs)
    to = reporting_to(style, output, inputs, kind=LOG)
    simulating.simulate(ctx, files, asked, seed, settings, running, to)
