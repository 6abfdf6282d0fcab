"""``irev pool``: which documents of runs are to be judged."""

from __future__ import annotations

import re
from typing import Any

import click

from irev.analysis.pools.wanted import STRATA, WAYS, PoolWanted, chosen, idle
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns
from irev.cli.notes import note_judgments, note_pool, pool_notes, say
from irev.cli.options import (
    OUTPUT,
    READING,
    RUNNING,
    Running,
    WholeNumber,
    complete_measures,
    inputs_given,
    setting_option,
    settings_options,
    taken,
)
from irev.cli.output import refuse_clashes, reporting_to, show, write
from irev.cli.streams import warn
from irev.output.styles import POOL, styles

DATA = ("tsv", "csv", "json", "jsonl", "parquet")
"""The styles that list documents; all others are for people, and show what runs contribute."""


class Strata(click.ParamType[tuple[tuple[int, str], ...]]):
    """Depths and shares, ``10=1,50=0.2``."""

    name = "strata"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, str], ...]:
        if isinstance(value, tuple):
            return value
        pairs: dict[int, str] = {}
        for part in value.split(","):
            depth, equals, share = part.partition("=")
            if not (equals and re.fullmatch("[0-9]{1,9}", depth, re.ASCII) and re.fullmatch(_SHARE, share, re.ASCII)):
                self.fail(f"'{part}' is no depth and share such as 50=0.2", param, ctx)
            if int(depth) in pairs:
                self.fail(f"depth {depth} is given twice", param, ctx)
            pairs[int(depth)] = share
        return tuple(pairs.items())


@dataclass(frozen=True)
class AskedPool:
    """What the options say of which documents are wanted."""

    first: int | None
    budget: int | None
    strata: tuple[tuple[int, str], ...] | None
    next_documents: int | None
    by: str | None
    measure: str
    within: int | None
    in_order: bool
    seed: int

    def wanted(self, level: float) -> PoolWanted:
        """That, checked. Raises `UsageError` for options that do not go together."""
        return chosen(
            self.by,
            self.first,
            self.budget,
            dict(self.strata) if self.strata else None,
            self.next_documents,
            within=self.within,
            measure=self.measure,
            level=level,
            seed=self.seed,
            in_order=self.in_order,
        )


_SHARE = r"[0-9]{0,9}\.?[0-9]{0,18}"


@click.command(
    "pool",
    cls=Command,
    short_help="Choose the documents of runs to judge.",
    epilog="irev pool --depth 3 --judged qrels.txt hybrid.run keyword.run semantic.run",
)
@click.argument("files", metavar="RUN…", nargs=-1)
@click.option("--depth", "first", metavar="K", type=WholeNumber(1), help="The first K documents of each run.")
@click.option(
    "--budget",
    metavar="N",
    type=WholeNumber(1),
    help="As many documents of each query as there can be with N judgments, those of --judged counted: the best by"
    " reciprocal rank fusion, or --by maxmean.",
)
@click.option(
    "--strata",
    metavar="K=SHARE,…",
    type=Strata(),
    help="A sample: 10=1,50=0.2 takes all documents that any run has among its first 10, and of others among the first"
    " 50 a fifth.",
)
@click.option(
    "--next",
    "next_documents",
    metavar="N",
    type=WholeNumber(1),
    help="The next N documents: with --by maxmean of each query, 1 unless given; with --by difference of all queries"
    " together.",
)
@click.option(
    "--by",
    "by",
    type=click.Choice(WAYS),
    help="How documents are chosen. maxmean: the run that did best so far gives the next one (Losada et al. 2017);"
    " difference: those whose judgment can tell two runs apart best (Carterette et al. 2006). Default: what is said by"
    " --depth, --budget (rrf) or --strata.",
)
@click.option(
    "-m",
    "--measure",
    "--metric",
    "measure",
    metavar="NAME",
    default="AP",
    show_default=True,
    help="With --by difference: AP, nDCG or nDCG@k.",
    shell_complete=complete_measures,
)
@click.option(
    "--within", metavar="K", type=WholeNumber(1), help="Look at the first K documents of each run alone. Default: all."
)
@click.option("--judged", metavar="QRELS", help="What is judged already: left out, and learned from.")
@setting_option("level")
@click.option(
    "--in-order",
    is_flag=True,
    help="Best first, with ranks and what documents were chosen by. Otherwise they are shuffled, so that judges see no"
    " ranks.",
)
@click.option(
    "--seed", metavar="N", type=WholeNumber(0), default=0, show_default=True, help="Of the order and the sample."
)
@click.option(
    "--sample-eval",
    metavar="FILE",
    help="Write the strata and their judgments for sample_eval.pl (infNDCG, extended infAP).",
)
@click.option("--statap", metavar="FILE", help="Write the sample, its judgments and probabilities for statAP_MQ_eval.")
@click.option(
    "-f",
    "--format",
    "style",
    metavar="STYLE",
    type=click.Choice(styles()),
    help=f"{', '.join(DATA)}: the documents to judge; {', '.join(each for each in styles() if each not in DATA)}: what"
    " each run contributes. Default: what the ending of the output file asks for, or tsv.",
)
@settings_options((OUTPUT,), RUNNING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def pool_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    judged: str | None,
    sample_eval: str | None,
    statap: str | None,
    style: str | None,
    output: str | None,
    **choices: Any,
) -> None:
    """Choose which documents of the RUNs are to be judged, each once for its query, without those of --judged.

    Every query of any run has a pool, and queries stand in the order of their bytes. One RUN may be `-`, standard
    input; a folder and @LIST stand for the files in them.
    """
    running, asked = taken(Running, choices), taken(AskedPool, choices)
    settings = Settings(**choices)
    wanted = asked.wanted(settings.level)
    if settings.ties == "average":
        raise click.UsageError("documents in ties have no rank of their own under --ties average; choose another", ctx)
    if not files:
        raise click.UsageError("expected at least one RUN", ctx)
    inputs = inputs_given(ctx, (*files, judged))
    refuse_clashes(output, inputs, {"--sample-eval": sample_eval, "--statap": statap})
    to = reporting_to(style, output, inputs, kind=POOL)
    _refuse_idle(ctx, wanted, judged, to.style)

    from irev.analysis.pools.pool import make, require_made
    from irev.analysis.pools.runs import read_files
    from irev.cli import progress
    from irev.evaluation.run_names import names_of
    from irev.output.reports.pool import PoolReport, for_sample_eval, for_statap
    from irev.output.styles import needs_inputs
    from irev.reading.id_lists import runs_named

    paths = [path for argument in files for path in runs_named(argument, settings.dataset)]
    require_made(wanted, len(paths))
    found = read_files(
        paths,
        judged,
        settings,
        wanted.most,
        digest=needs_inputs(to.style),
        jobs=running.jobs,
        watched=lambda batch, paths: progress.shown(batch, paths, running.quiet),
    )
    judgments, readings = found.judgments, found.readings
    refuse_idle_columns(ctx, judgments is not None and judgments.named, any(each.named for each in readings))
    names = names_of(paths, found.tags, running.names_given, warn)
    pool = make(found.gathered, names, judgments, wanted, samples=bool(sample_eval or statap))

    asked_for = ((sample_eval, for_sample_eval), (statap, for_statap))
    files_made = [(path, lines(pool)) for path, lines in asked_for if path is not None]

    if judgments is not None:
        note_judgments(judgments, settings)
    say([*pool_notes(paths, found)], len(paths), running.all_warnings)
    note_pool(pool)
    for path, content in files_made:
        write(content, path, inputs)
    show(PoolReport(pool, found.inputs), to)


def _refuse_idle(ctx: click.Context, wanted: PoolWanted, judged: str | None, style: str) -> None:
    """Refuse what would change nothing."""
    for why, names in idle(wanted, judged is not None):
        refuse_idle(ctx, why, *names)
    if wanted.by != STRATA:
        refuse_idle(ctx, "it is for --strata", "sample_eval", "statap")
    if judged is None:
        refuse_idle(ctx, "there are no judgments; --judged names them", "sample_eval", "statap")
    if style not in DATA:
        refuse_idle(ctx, f"-f {style} lists no documents, as tsv does", "in_order")
        if wanted.by != STRATA:
            refuse_idle(ctx, f"-f {style} lists no documents, as tsv does, and no sample is drawn", "seed")
