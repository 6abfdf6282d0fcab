"""``irev fuse``: several runs made one."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import REAL
from irev.doors.cli.help import Command
from irev.doors.cli.idle import refuse_idle, refuse_idle_columns
from irev.doors.cli.names import Name
from irev.doors.cli.notes import fused_notes, note_empty, say
from irev.doors.cli.options import (
    OUTPUT,
    RUN_READING,
    Grade,
    WholeNumber,
    inputs_given,
    pick,
    settings_options,
)
from irev.doors.cli.output import STANDARD_OUTPUT, ending_of, refuse_inputs, write_pieces
from irev.doors.cli.streams import columns
from irev.output import writers
from irev.ranking.fusion.methods import METHODS
from irev.ranking.fusion.normalisations import NORMALISATIONS

if TYPE_CHECKING:
    from irev.ranking.fusion.shared_queries import SharedQueries
    from irev.ranking.fusion.spec import FusionSpec
    from irev.reading.block import Block


class Weights(click.ParamType[tuple[float, ...]]):
    """Numbers, one for each run: ``0.7,0.3``."""

    name = "weights"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        for part in value.split(","):
            if not re.fullmatch(REAL, part, re.ASCII):
                self.fail(f"'{part}' is no number; expected one for each run, such as 0.7,0.3", param, ctx)
            if math.isinf(float(part)):
                self.fail(f"{part} is too large", param, ctx)
        return tuple(map(float, value.split(",")))


@dataclass(frozen=True)
class AskedFusion:
    """What the options say of how runs are fused."""

    fusion: str
    norm: str | None
    run_weights: tuple[float, ...] | None
    rrf_k: float | None
    input_depth: int | None
    top_kept: int | None

    def spec(self) -> FusionSpec:
        """That, checked. Raises `UsageError` for options that do not go together."""
        from irev.ranking.fusion.spec import chosen

        return chosen(self.fusion, self.norm, self.rrf_k, self.run_weights, self.input_depth, self.top_kept)


@click.command(
    "fuse",
    cls=Command,
    short_help="Make one run of several.",
    epilog="irev fuse --method combsum --weights 2,1 -o fused.run semantic.run keyword.run",
)
@click.argument("files", metavar="RUN…", nargs=-1)
@click.option(
    "--method",
    "fusion",
    metavar="NAME",
    type=Name(METHODS, dict.fromkeys(("wsum", "weighted-sum", "linear"), "combsum")),
    default="rrf",
    show_default=True,
    help=f"How: {', '.join(METHODS)}. --list says what each does.",
)
@click.option(
    "--norm",
    metavar="NAME",
    type=Name((*NORMALISATIONS, "none"), dict.fromkeys(("zscore", "z-score", "zmuv"), "z")),
    help="What makes scores of different runs comparable, for the methods that look at scores:"
    f" {', '.join(NORMALISATIONS)}, or none. Default: min-max.",
)
@click.option(
    "--weights",
    "run_weights",
    metavar="W,…",
    type=Weights(),
    help="What each run counts for, in the order of the runs, for the methods that add up: 0.7,0.3. Default: all the"
    " same.",
)
@click.option("--rrf-k", "rrf_k", metavar="K", type=Grade(), help="The constant of rrf. Default: 60.")
@click.option(
    "--depth",
    "input_depth",
    metavar="N",
    type=WholeNumber(1),
    help="Look at the first N documents of each ranking alone. Default: all.",
)
@click.option(
    "--top",
    "top_kept",
    metavar="N",
    type=WholeNumber(1),
    help="Keep the first N documents of each query. Default: all.",
)
@click.option(
    "-f",
    "--format",
    "target",
    type=click.Choice(writers.writers()),
    help="The format of the fused run. Default: what the ending of the output file asks for, or trec.",
)
@settings_options((OUTPUT,))
@click.option("--tag", metavar="NAME", help="The run id of the fused run. Default: the name of the method.")
@click.option("--list", "ways_listed", is_flag=True, help="List the methods and normalisations, and fuse nothing.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@settings_options(RUN_READING)
@click.help_option("-h", "--help")
@click.pass_context
def fuse_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    target: str | None,
    output: str | None,
    tag: str | None,
    ways_listed: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Make one run of the RUNs, and write it to standard output or a file.

    Documents of equal fused score stand in the order of their ids, highest bytes first. A query that some of the runs
    lack is fused of the others. Runs whose queries stand in the same order are read side by side, a part of each at a
    time; any others are read whole. One RUN may be `-`, standard input; a folder and @LIST stand for the files in them.
    """
    if ways_listed:
        if files:
            raise click.UsageError("--list fuses nothing; leave out the runs", ctx)
        refuse_idle(ctx, "--list fuses nothing", *({each.name or "" for each in ctx.command.params} - {"ways_listed"}))
        click.echo("\n".join(_listed(columns() if sys.stdout.isatty() else None)))
        return
    if not files:
        raise click.UsageError("expected at least one RUN", ctx)
    spec, settings = pick(AskedFusion, choices).spec(), Settings(**choices)
    if settings.ties == "average":
        raise click.UsageError("documents in ties have no rank of their own under --ties average; choose another", ctx)
    out = STANDARD_OUTPUT if output is None else output
    written = writers.chosen(target or (None if ending_of(out) else "trec"), out, option="-f")
    run_id = writers.tag_held(os.fsencode(spec.method if tag is None else tag), written)

    from irev.doors.cli import progress
    from irev.output.fused import NAME, data_of
    from irev.ranking.fusion.inputs import fused_runs, in_step_or_whole, of_files
    from irev.ranking.fusion.spec import require_weights
    from irev.reading.id_lists import runs_named
    from irev.reading.sources import Source

    paths = [path for each in files for path in runs_named(each, settings.dataset)]
    inputs = (*inputs_given(ctx, paths), *(each.removeprefix("@") for each in files))
    refuse_inputs(out, inputs)
    require_weights(spec, len(paths))
    with ExitStack() as opened:
        runs = of_files([opened.enter_context(Source(path)) for path in paths], spec, settings)
        for each in runs:
            opened.enter_context(each)

        def write(shared: SharedQueries, whole: bool) -> None:
            write_pieces(written.write(data_of(lambda: blocks(shared, whole), run_id)), out, inputs)

        def blocks(shared: SharedQueries, whole: bool) -> Iterator[Block]:
            yield from fused_runs(runs, spec, shared, whole)
            refuse_idle_columns(ctx, False, any(each.reading.named for each in runs))  # before anything is written

        with progress.working("fusing", quiet):
            _, shared = in_step_or_whole(runs, write)
    say([*fused_notes(runs, shared)], len(runs), everything=False)
    note_empty(NAME, shared.empty)


def _listed(width: int | None) -> Iterator[str]:
    """What there is, with a line on each, or as many as it takes in so many columns."""
    import textwrap

    def about(name: str, says: str) -> Iterator[str]:
        yield from ("", f"  {name}")
        yield from (f"    {line}" for line in ([says] if width is None else textwrap.wrap(says, max(width - 8, 20))))

    yield "Methods (--method)"
    for name, method in METHODS.items():
        yield from about(name, method.says)
    yield from ("", "Normalisations (--norm)")
    for name, normalisation in NORMALISATIONS.items():
        yield from about(name, normalisation.says)
    yield from about("none", "The scores as they are.")
