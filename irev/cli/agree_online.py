"""``irev agree --online``: whether offline differences of past experiments predicted online ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import click

from irev.base.records import dataclass
from irev.cli.idle import refuse_idle, refuse_idle_in
from irev.cli.options import SEED, F, Reporting, WholeNumber, inputs_given, settings_options
from irev.cli.output import ending_of, refuse_clashes, show, write
from irev.cli.testing_options import CONFIDENCE

_OWN = (
    click.option(
        "--online",
        metavar="FILE",
        help="Past experiments, in CSV or JSON lines: name, online, maybe online_error, and the offline difference of"
        " each measure; or name, offline and online, the last two files of saved results. No judgments and runs are"
        " given then.",
    ),
    click.option(
        "--plot",
        "plot_online",
        metavar="FILE",
        help="Also draw online against offline differences of --online, as .svg, .png, .pdf or .html (with"
        " matplotlib), or as .txt.",
    ),
    CONFIDENCE,
    click.option(
        "--samples",
        metavar="N",
        type=WholeNumber(1),
        default=10_000,
        show_default=True,
        help="With --online: samples of experiments, to compare measures by.",
    ),
    SEED,
)

_SHARED = ("measures", "style", "output", "digits")
"""Parameters that mean something with and without --online."""


@dataclass(frozen=True)
class OnlineChoices:
    """What the options that are about past experiments say."""

    plot_online: str | None
    confidence: float
    samples: int
    seed: int


_NAMES = tuple(field.name for field in fields(OnlineChoices))


def online_options() -> Callable[[F], F]:
    """The options of past experiments."""
    return settings_options(_OWN)


def refuse_without_online(ctx: click.Context) -> None:
    """Raise `click.UsageError` for options that are about past experiments, where none are given."""
    refuse_idle(ctx, "it is for --online", *_NAMES)


def agree_online(
    ctx: click.Context,
    path: str,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    look: Reporting,
    chosen: OnlineChoices,
) -> None:
    """Show how well each measure predicted what happened online."""
    if files:
        raise click.UsageError("--online has the experiments; leave out judgments and runs", ctx)
    others = (each.name or "" for each in ctx.command.params)
    idle = [name for name in others if name not in (*_SHARED, *_NAMES, "online", "files")]
    refuse_idle(ctx, "with --online no run is evaluated", *idle)
    inputs = inputs_given(ctx, (path,))
    plot = chosen.plot_online
    refuse_clashes(look.output, inputs, {"--plot": plot})
    to = look.to(inputs)
    if plot is not None:
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    refuse_idle_in(ctx, to.style, "digits")

    from irev.analysis.online import EXPECTED, experiments_of, online_pictures, predictions
    from irev.analysis.saved_experiments import OFFLINE, saved_experiments
    from irev.cli.streams import warn
    from irev.evaluation.result import Input
    from irev.output.reports.online import PredictionsReport
    from irev.reading.small_tables import read_small_table
    from irev.reading.sources import Source

    with Source(path, digest=True) as source:
        table = read_small_table(source, EXPECTED)
        read = Input("experiments", source.name, *source.digest())
    inputs_read: tuple[Input, ...] = (read,)
    if OFFLINE in table.columns:
        experiments, records = saved_experiments(table, measures)
        refuse_clashes(look.output, (*inputs, *(each.name for each in records)), {"--plot": plot})
        inputs_read += records
    else:
        experiments = experiments_of(table, measures, warn)
    if len(experiments.measures) < 2:
        refuse_idle(ctx, "a single measure is compared with no other", "samples", "seed")
    predicted = predictions(experiments, chosen.confidence, chosen.samples, chosen.seed)
    report = PredictionsReport(predicted, inputs_read)
    if plot is not None:
        from irev.output.figures import figure_of_curves

        said = report.verdict if predicted.rivals else ""
        write(figure_of_curves(online_pictures(predicted), ending_of(plot), said, report.title), plot, inputs)
    show(report, to)
