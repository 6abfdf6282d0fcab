"""``irev judges``: whether judges agree, what becomes of runs under each, and one set of judgments of several."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.analysis.comparison.defaults import DEFAULT_MEASURES
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import REAL
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.cli.notes import note_doubts
from irev.cli.options import (
    MEASURING,
    READING,
    REPORTING,
    RUNNING,
    NamedFile,
    Reporting,
    Running,
    WholeNumber,
    inputs_given,
    measure_option,
    settings_options,
    taken,
    with_costs,
)
from irev.cli.output import ending_of, refuse_clashes, require_new, show, write, write_pieces
from irev.cli.testing_options import CONFIDENCE, choice_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.analysis.judges import JudgeScale, Merged, Pooled, RunsUnder
    from irev.evaluation.result import Input
    from irev.reading.qrels import Judgments

_OF_RUNS = (
    *("measures", "plot", "names_given", "jobs", "all_warnings", "depth", "judged_only", "collection_size", "gains"),
    *("costs", "order", "ties", "duplicates", "drop_self", "run_format", "run_columns"),
)
"""Parameters that are about runs."""


class ScaleOf(click.ParamType["JudgeScale"]):
    """What grades come to, ``0:0,1:1,2:1``, or which there are, ``0,1,2``; of one judge after ``NAME=``."""

    name = "scale"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> JudgeScale:
        from irev.analysis.judges import JudgeScale

        if isinstance(value, JudgeScale):
            return value
        judge, equals, written = value.rpartition("=")
        grades: dict[float, float] = {}
        for part in written.split(","):
            given, _, meant = part.partition(":")
            meant = meant if ":" in part else given
            if not all(re.fullmatch(REAL, each, re.ASCII) and 0 <= float(each) < 2**53 for each in (given, meant)):
                self.fail(f"'{part}' is neither a grade such as 2 nor two such as 2:1", param, ctx)
            if float(given) in grades:
                self.fail(f"grade {given} is given twice", param, ctx)
            grades[float(given)] = float(meant)
        return JudgeScale(judge if equals else None, tuple(grades.items()))


@dataclass(frozen=True)
class Merging:
    """What the options of merging say."""

    merge: str | None
    prefer: str
    overwrite: bool


@click.command(
    "judges",
    cls=Command,
    short_help="How far judges agree, and what that does to runs.",
    epilog="irev judges --run hybrid.run --run keyword.run qrels.txt judge2.txt",
)
@click.argument("judged", metavar="[NAME=]QRELS…", nargs=-1, type=NamedFile())
@click.option("--run", "runs", metavar="RUN", multiple=True, help="Also measure this run under each judge. Repeat it.")
@click.option(
    "--scale",
    "scales",
    type=ScaleOf(),
    metavar="[NAME=]GRADE[:GRADE],…",
    multiple=True,
    help="Which grades there are, and what each comes to; of all judges, or of one.",
)
@choice_option(
    "--weights", words=("linear", "quadratic"), default="quadratic", meaning="The weights of weighted kappa."
)
@choice_option(
    "--alpha",
    "alpha_level",
    words=("nominal", "ordinal", "interval"),
    default="ordinal",
    meaning="What alpha takes grades for.",
)
@click.option(
    "--merge", metavar="FILE", help="Write one set of judgments of all to FILE, in the format that its ending asks for."
)
@choice_option(
    "--prefer",
    words=("first", "max", "mean", "majority"),
    default="first",
    meaning="With --merge: the grade of a document that judges gave different ones.",
)
@click.option("--force", "overwrite", is_flag=True, help="With --merge: replace FILE if there is such a file.")
@click.option(
    "--plot",
    metavar="FILE",
    help="Also draw runs under every two judges, as .svg, .png, .pdf or .html (with matplotlib), or as .txt.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show every topic and every conflict where people read.")
@measure_option("With --run: a measure. Repeat it for more. Default: AP and nDCG@10.")
# The next two have no effect: intervals drew samples once.
@click.option("--samples", metavar="N", type=WholeNumber(1), default=10_000, hidden=True)
@click.option("--seed", metavar="N", type=WholeNumber(0), default=0, hidden=True)
@settings_options((CONFIDENCE,), RUNNING, REPORTING, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def judges_command(
    ctx: click.Context,
    /,
    judged: tuple[tuple[str, str], ...],
    runs: tuple[str, ...],
    scales: tuple[JudgeScale, ...],
    measures: tuple[str, ...],
    per_query: bool,
    plot: str | None,
    **choices: Any,
) -> None:
    """Say how far judges agree, who judged the same documents.

    Every file has the judgments of one judge. Agreement is over documents that both judged, or, of all together, two of
    them. With --run it is said too which runs change places when the judge does.
    """
    from irev.analysis.judges import HowAgreed, agreement_of, merge, pictures, pool
    from irev.output.reports.judges import JudgesReport

    merging, running, look = taken(Merging, choices), taken(Running, choices), taken(Reporting, choices)
    wanted = taken(HowAgreed, choices)
    settings = Settings(**with_costs(choices), level=wanted.level)
    paths = [path for _, path in judged]
    inputs = inputs_given(ctx, (*paths, *runs))
    if runs and "-" in paths:
        raise click.UsageError("judgments are read twice where there are runs, and standard input cannot be", ctx)
    refuse_clashes(look.output, inputs, {"--merge": merging.merge, "--plot": plot})
    to = look.to(inputs)
    _refuse_idle(ctx, to.style, bool(runs), merging)
    if plot is not None:
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    judgments, inputs_read = read(judged, settings, merging=merging.merge is not None)
    if not runs:
        refuse_idle_columns(ctx, any(each.named for each in judgments), False)
    pooled = pool([name for name, _ in judged], judgments, scales)
    found = agreement_of(pooled, wanted)
    merged = merge(pooled, merging.prefer) if merging.merge is not None else None
    under = None
    if runs:
        under, more = _under(ctx, judged, runs, measures, judgments, settings, running)
        inputs_read += more
    if merged is not None and merging.merge is not None:
        made = _written(pooled, merged, merging.merge)
        write_pieces(made, merging.merge, inputs, new=not merging.overwrite)
    report = JudgesReport(found, merged, under, inputs_read, per_query)
    if plot is not None and under is not None:
        from irev.output.figures import figure_of_curves

        caption = f"{under.queries:,} topics that all judges judged."
        write(figure_of_curves(pictures(under), ending_of(plot), caption, report.title), plot, inputs)
    show(report, to)


def _refuse_idle(ctx: click.Context, style: str, with_runs: bool, merging: Merging) -> None:
    """Refuse what changes nothing, and a file that would be replaced."""
    from irev.output.styles import obeys

    refuse_idle_in(ctx, style, "digits")
    if not obeys(style, "details"):
        refuse_idle(ctx, f"-f {style} has every topic anyway", "per_query")
    if not with_runs:
        refuse_idle(ctx, "it is about runs, which --run names", *_OF_RUNS)
    if merging.merge is None:
        refuse_idle(ctx, "it is for --merge", "prefer", "overwrite")
    elif not merging.overwrite:
        require_new(merging.merge)


def read(
    files: Sequence[tuple[str, str]], settings: Settings, merging: bool = False
) -> tuple[list[Judgments], list[Input]]:
    """The judgments of every judge, and what was read."""
    from irev.errors import InputError
    from irev.evaluation.result import Input
    from irev.reading import qrels
    from irev.reading.sources import Source

    found, inputs = [], []
    for _, path in files:
        with ExitStack() as opened:
            source = opened.enter_context(Source(path, digest=True))
            judgments = qrels.read(source, settings)
            if merging and judgments.details is not None:
                fact = (
                    f"these are judgments of {judgments.details.kind}, of which --merge would keep no more than grades"
                )
                raise InputError(fact, source.name, "without --merge they are compared by the highest grade")
            note_doubts(judgments.name, judgments.doubts, judgments.details)
            inputs.append(Input("qrels", source.name, *source.digest()))
            found.append(judgments)
    return found, inputs


def _written(pooled: Pooled, merged: Merged, path: str) -> Iterator[bytes]:
    """Merged judgments in the format that the name of their file asks for, TREC's unless it asks for one.

    They stand by query, and within it as they stood in the files of the first judge, the second and so on.
    """
    from irev.errors import decimal
    from irev.output import targets
    from irev.reading.rows import Rows

    target = targets.chosen(None if ending_of(path) else "trec", path, option="")
    columns = {
        "query": [pooled.queries[query] for query in pooled.query.tolist()],
        "document": [pooled.document(pair) for pair in range(len(pooled.query))],
        "grade": [decimal(grade).encode() for grade in merged.grades.tolist()],
    }
    rows = Rows(path, "line", b"", columns, lambda row: row + 1)
    found: Iterator[bytes] = target.write(targets.Data("qrels", tuple(columns), lambda: iter([rows])))
    return found


def _under(
    ctx: click.Context,
    files: Sequence[tuple[str, str]],
    runs: Sequence[str],
    measures: Sequence[str],
    judgments: Sequence[Judgments],
    settings: Settings,
    running: Running,
) -> tuple[RunsUnder, list[Input]]:
    """What becomes of runs under each judge, and what was read of them."""
    from irev import measures as catalogue
    from irev.analysis.comparison.agreement import require_orders
    from irev.analysis.judges import OF_RUNS, common_queries, runs_under
    from irev.cli.evaluating import evaluate_runs, files_of
    from irev.cli.notes import say
    from irev.cli.streams import warn
    from irev.evaluation.notes import left_out_notes, reading_notes

    sets, paths = files_of(tuple(runs), tuple(files), ctx)
    requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
    refuse_idle_scales(ctx, requests)
    require_orders(requests)
    listed = replace(settings, queries=common_queries(judgments))
    evaluated = evaluate_runs(sets, paths, requests, listed, running, digest=True)
    notes = [
        *(note for run in evaluated.evaluated for note in reading_notes(run.reading, run.name)),
        *(
            note
            for run in evaluated.evaluated
            for (name, _), left_out in zip(sets, run.left_out, strict=True)
            for note in left_out_notes(left_out, listed, f"{run.name} under {name}")
        ),
    ]
    say(notes, len(evaluated.evaluated), running.all_warnings)
    return runs_under(evaluated.outcomes, OF_RUNS), [each for each in evaluated.inputs if each.role == "run"]
