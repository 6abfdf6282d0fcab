"""``irev clicks --simulate``: the options of logs that are made up, and the one call that makes one."""

from __future__ import annotations

import click

from irev.analysis.clicks import models
from irev.analysis.interleaving import methods
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.cli.idle import refuse_idle, refuse_idle_columns
from irev.cli.interleave import length_option, require_names, require_ranks
from irev.cli.names import Name
from irev.cli.notes import note_doubts, note_unasked, say
from irev.cli.options import ByGrade, Running, WholeNumber
from irev.cli.output import Output, show
from irev.cli.streams import warn
from irev.evaluation.notes import reading_notes

SIMULATE = click.option(
    "--simulate", is_flag=True, help="Make up a log: the files are QRELS RUN…, and users click by a model."
)

SIMULATING = (
    SIMULATE,
    click.option(
        "--model",
        type=Name(models.names()),
        default="position",
        show_default=True,
        help="With --simulate: position, where rank r is looked at with probability 1/r; cascade, where users read from"
        " the top up to their first click (Craswell et al. 2008).",
    ),
    click.option(
        "--method",
        type=Name(methods.names()),
        help="With --simulate: interleave two runs, as irev interleave does. Default: an A/B test of all of them.",
    ),
    click.option(
        "--draws",
        metavar="N",
        type=WholeNumber(1),
        help="With --simulate --method: show one of N lists of each query, those of irev interleave --draws N. Default:"
        " a list is drawn for every impression.",
    ),
    length_option("length"),
    click.option(
        "--impressions",
        metavar="N",
        type=WholeNumber(1),
        default=1000,
        show_default=True,
        help="With --simulate: lists that are shown.",
    ),
    click.option(
        "--users",
        metavar="N",
        type=WholeNumber(1),
        default=100,
        show_default=True,
        help="With --simulate: users, at most.",
    ),
    click.option(
        "--attraction",
        metavar="GRADE=P,…",
        type=ByGrade("attraction", "probability", "1=0.4", lowest=0, highest=1),
        default=(),
        help="With --simulate: the probability of a click on a document that is looked at. Default: (2^grade - 1) /"
        " 2^highest, and 0.05 at least.",
    ),
)
"""What a log is made of that is made up."""


@dataclass(frozen=True)
class Simulating:
    """What the options of `SIMULATING` say."""

    model: str
    method: str | None
    draws: int | None
    length: int
    impressions: int
    users: int
    attraction: tuple[tuple[float, float], ...]


OF_SIMULATION = ("model", "method", "draws", "length", "impressions", "users", "attraction")
"""The parameters that are about nothing else."""


def simulate(
    ctx: click.Context,
    files: tuple[str, ...],
    asked: Simulating,
    seed: int,
    settings: Settings,
    running: Running,
    to: Output,
) -> None:
    """Make up a log of users who see the runs, and click what the judgments say is good."""
    require_ranks(ctx, settings)
    require_names(ctx, running.names_given)
    if asked.method is None:
        refuse_idle(ctx, "without --method every user sees one of the runs", "draws")
    if len(files) < 2:
        raise click.UsageError(f"--simulate expects QRELS and at least one RUN, but got {len(files)} of them", ctx)

    from irev.analysis.clicks.simulation import SimulationWanted, require_simulated, simulate
    from irev.analysis.interleaving import lists
    from irev.cli.evaluating import first_of_files
    from irev.evaluation.result import Input
    from irev.evaluation.run_names import names_of
    from irev.output.reports.simulation import SimulationReport
    from irev.output.styles import needs_inputs
    from irev.reading import qrels
    from irev.reading.id_lists import runs_named
    from irev.reading.sources import Source

    wanted = SimulationWanted(**vars(asked), seed=seed)
    judged, *arguments = files
    runs = [path for argument in arguments for path in runs_named(argument, settings.dataset)]
    require_simulated(wanted, len(runs))
    digest = needs_inputs(to.style)
    with Source(judged, digest=digest) as source:
        judgments = qrels.read(source, settings)
        inputs = [Input("qrels", source.name, *source.digest())] if digest else []
    most = wanted.length if wanted.method is None else lists.most(wanted.method, wanted.length)
    found, read = first_of_files(runs, settings, most, to.style, running)
    refuse_idle_columns(ctx, judgments.named, any(run.reading.named for run in found))
    names = names_of(runs, [decoded(run.reading.tag) for run in found], running.names_given, warn)
    log = simulate(judgments, [run.first for run in found], names, wanted)

    note_doubts(judgments.name, judgments.doubts, judgments.details)
    say([note for run in found for note in reading_notes(run.reading, run.name)], len(runs), running.all_warnings)
    note_unasked(log.alone)
    show(SimulationReport(log, [*inputs, *read]), to)
