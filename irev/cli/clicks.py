"""``irev clicks``: what users clicked."""

from __future__ import annotations

from typing import Any

import click

from irev.base.exit_status import DONE
from irev.base.settings import Settings
from irev.cli.help import Command
from irev.cli.idle import refuse_idle
from irev.cli.off_policy import OF_RANKING, OFF_POLICY, OffPolicyChoices
from irev.cli.options import (
    DIGITS,
    OUTPUT,
    READING,
    RUNNING,
    SEED,
    Running,
    inputs_given,
    settings_options,
    taken,
)
from irev.cli.output import refuse_clashes, reporting_to
from irev.cli.scoring import OF_SCORING, SCORING, Scoring
from irev.cli.simulating import OF_SIMULATION, SIMULATING, Simulating
from irev.output.styles import LOG, styles
from irev.reading.events.schema import DROP

OF_RUNS = (
    *("names_given", "jobs", "all_warnings", "qrels_format", "run_format", "columns", "qrels_columns", "run_columns"),
    *("order", "ties", "duplicates", "negative", "drop_self", "compat"),
)
"""Parameters about files that a log is made up of."""

OF_JUDGMENTS = ("qrels_format", "negative")
"""Of these, what is about judgments alone."""


@click.command(
    "clicks",
    cls=Command,
    short_help="What users clicked: interleaved lists, A/B tests.",
    epilog="irev clicks interleaved.jsonl",
)
@click.argument("files", metavar="LOG… | --simulate QRELS RUN…", nargs=-1)
@settings_options(SCORING, OFF_POLICY, SIMULATING)
@SEED
@click.option(
    "-f",
    "--format",
    "style",
    metavar="STYLE",
    type=click.Choice(styles()),
    help=f"How to write what was found: table, for people; {', '.join(styles()[1:])}. Default: what the ending of the"
    " output file asks for, or table; with --simulate jsonl, a line for each event.",
)
@settings_options((OUTPUT, DIGITS), RUNNING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def clicks_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    simulate: bool,
    ranking: str | None,
    seed: int,
    style: str | None,
    output: str | None,
    digits: int,
    **choices: Any,
) -> int:
    """Score a LOG of what users were shown and clicked, or make one up.

    Interleaved lists say which of two systems users prefer; buckets of users, whether what they did differs. Look once,
    at a time chosen before: 14 daily looks at p ≤ 0.05 find a difference that is not there in 22 of 100 A/B tests.
    Several LOGs are one, in their order: JSON on lines, CSV, TSV or Parquet. Exit status: 0 done, 1 buckets are not as
    large as they were meant to be, 2 wrong usage or a log with faults. With --ranking: what RUN would have got instead.
    """
    running, scored, asked = taken(Running, choices), taken(Scoring, choices), taken(Simulating, choices)
    other = taken(OffPolicyChoices, choices)
    settings = Settings(**choices)
    inputs = inputs_given(ctx, (*files, ranking, other.propensities))
    refuse_clashes(output, inputs)
    if simulate:
        from irev.cli import simulating

        refuse_idle(ctx, "a log that is made up is not scored", *OF_SCORING, "digits", "ranking", *OF_RANKING)
        simulating.simulate(ctx, files, asked, seed, settings, running, reporting_to(style, output, inputs, kind=LOG))
        return DONE
    if not files:
        raise click.UsageError("expected a log, or --simulate QRELS RUN…", ctx)
    refuse_idle(ctx, "it is for --simulate", *OF_SIMULATION, *OF_JUDGMENTS)
    to = reporting_to(style, output, inputs, digits=digits)
    if ranking is not None:
        from irev.cli import off_policy

        idle = [name for name in (*OF_SCORING, "seed") if name not in ("on_error", "confidence")]
        refuse_idle(ctx, "with --ranking a log is not scored", *idle)
        drop = scored.on_error == DROP
        off_policy.estimate(ctx, files, ranking, other, scored.confidence, drop, settings, running, to)
        return DONE
    from irev.cli import scoring

    refuse_idle(ctx, "it is for --ranking", *OF_RANKING)
    refuse_idle(ctx, "it is for --simulate and --ranking", *OF_RUNS)
    return scoring.score(ctx, files, scored, seed, settings.allow_large, running, to)
