"""``irev clicks LOG… --ranking RUN``: the options of estimates of another ranking, and the one call that makes them."""

from __future__ import annotations

from dataclasses import fields

import click

from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import counted
from irev.cli.idle import refuse_idle_columns, refuse_idle_in
from irev.cli.interleave import require_ranks
from irev.cli.names import Name
from irev.cli.options import Running, WholeNumber
from irev.cli.output import Output, show
from irev.cli.scoring import note_log
from irev.cli.testing_options import Number

ESTIMATES = ("clicks", "dcg", "reciprocal", "precision")

OFF_POLICY = (
    click.option(
        "--ranking",
        metavar="RUN",
        help="Estimate what RUN would have got of these users, from clicks on the lists that were shown.",
    ),
    click.option(
        "--propensities",
        metavar="FILE",
        help="With --ranking: the probability that each position is looked at, one on each line. Default: those in the"
        " log.",
    ),
    click.option(
        "--estimate",
        "metric",
        type=Name(ESTIMATES),
        default="clicks",
        show_default=True,
        help="With --ranking: clicks per impression; or DCG, the sum of 1/rank, or precision, of documents as they are"
        " clicked when looked at.",
    ),
    click.option(
        "--cutoff",
        metavar="K",
        type=WholeNumber(1),
        help="With --ranking: only the first K documents count. Default: as many as were shown.",
    ),
    click.option(
        "--clip",
        metavar="W",
        type=Number(open_ends=True),
        default=10.0,
        show_default=True,
        help="With --ranking: the most that a click counts in the clipped estimate.",
    ),
    click.option(
        "--min-effective",
        "effective",
        metavar="N",
        type=Number(1),
        default=100.0,
        show_default=True,
        help="With --ranking: the least effective number of looks that an estimate may rest on.",
    ),
    click.option(
        "--min-support",
        "support",
        metavar="SHARE",
        type=Number(0, 1),
        default=0.5,
        show_default=True,
        help="With --ranking: the share of its weight that documents shown must have for differences to have a p.",
    ),
)
"""How another ranking is estimated."""


@dataclass(frozen=True)
class OffPolicyChoices:
    """What the options of `OFF_POLICY` say, but for the ranking."""

    propensities: str | None
    metric: str
    cutoff: int | None
    clip: float
    effective: float
    support: float


OF_RANKING = tuple(field.name for field in fields(OffPolicyChoices))
"""The parameters that are about nothing else."""


def estimate(
    ctx: click.Context,
    files: tuple[str, ...],
    run: str,
    asked: OffPolicyChoices,
    confidence: float,
    drop: bool,
    settings: Settings,
    running: Running,
    to: Output,
) -> None:
    """Show what a run would have got of the users of a log."""
    refuse_idle_in(ctx, to.style, "digits")
    require_ranks(ctx, settings)

    from irev.analysis.clicks.off_policy import OffPolicyWanted, OtherRanking, estimated
    from irev.base.text import decoded
    from irev.cli import progress
    from irev.cli.evaluating import first_of_files
    from irev.cli.notes import say
    from irev.cli.streams import warn
    from irev.evaluation.notes import reading_notes
    from irev.evaluation.result import Input
    from irev.evaluation.run_names import names_of
    from irev.output.reports.off_policy import OffPolicyReport, heavy_users, unsupported
    from irev.output.styles import needs_inputs
    from irev.reading.events.log import Log
    from irev.reading.propensities import read_propensities
    from irev.reading.sources import Source

    wanted = OffPolicyWanted(asked.metric, asked.cutoff, asked.clip, asked.effective, asked.support, confidence)
    positions, read = None, []
    if asked.propensities is not None:
        with Source(asked.propensities, digest=True) as source:
            positions = read_propensities(source)
            read.append(Input("propensities", source.name, *source.digest()))
    found, runs = first_of_files([run], settings, asked.cutoff, to.style, running)
    (ranked,) = found
    refuse_idle_columns(ctx, False, ranked.reading.named)
    (name,) = names_of([run], [decoded(ranked.reading.tag)], running.names_given, warn)
    say(list(reading_notes(ranked.reading, ranked.name)), 1, running.all_warnings)
    with progress.working(f"reading {counted(len(files), 'file')}", running.quiet):
        log = Log(files, large=settings.allow_large, digest=needs_inputs(to.style))
    with log:
        with progress.working(f"looking at {counted(log.facts.rows, 'event')}", running.quiet):
            estimates = estimated(log, OtherRanking(ranked.first), wanted, positions, drop=drop)
        note_log(log, log.faults.counts)
        logs = [Input("log", file, *digest) for file, digest in log.digests]
    if estimates.unsupported:
        warn(unsupported(estimates))
    if estimates.shown_ratio.heavy:
        warn(heavy_users(estimates))
    show(OffPolicyReport(estimates, name, asked.propensities, [*logs, *runs, *read]), to)
