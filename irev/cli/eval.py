"""``irev eval``: options to settings and requests, the calls of the pipeline, and notes on what was left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev import __version__
from irev.cli.notes import note_judgments, note_left_out, note_reading, note_ties, warn
from irev.cli.options import (
    EVALUATING,
    LISTS,
    READING,
    SHOWING,
    Aggregates,
    Named,
    WholeNumber,
    complete_measures,
    settings_options,
)
from irev.cli.output import refuse_inputs, write
from irev.settings import Settings

if TYPE_CHECKING:
    from irev.batch import Evaluated
    from irev.reading.qrels import Judgments
    from irev.result import Input, Outcome


@click.command("eval", short_help="Score runs against relevance judgments.")
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    multiple=True,
    help="A measure (map, nDCG@10), with parameters (P.5,10), a printed label (P_10) or a set (official, set,"
    " all_trec); `irev measures` lists them. Repeat it for more. Default: official.",
    shell_complete=complete_measures,
)
@click.option(
    "--aggregate",
    "aggregates",
    metavar="NAME,…",
    type=Aggregates(),
    default=(),
    help="How the line for all queries is made: mean, gmean, median, min, max, sd, sum, or a quantile such as q25.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Add the lowest and highest value there could be, whatever unjudged results turn out to be.",
)
@click.option("-q", "--per-query", "--query_eval_wanted", is_flag=True, help="Print the values of each query too.")
@click.option("-n", "--no-summary", "--nosummary", is_flag=True, help="Leave out the lines for all queries.")
@click.option("--name", "names_given", metavar="NAME", multiple=True, help="What to call a run; once for each run.")
@click.option(
    "--qrels",
    "sets",
    type=Named(),
    metavar="NAME=FILE",
    multiple=True,
    help="Evaluate every run under these judgments, side by side; once for each set. All other files are runs then.",
)
@click.option(
    "--groups", metavar="FILE", help="Groups of queries, `query TAB group` or JSON: numbers for each of them too."
)
@click.option("-j", "--jobs", metavar="N", type=WholeNumber(1), help="Runs to evaluate at the same time.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@settings_options(SHOWING, EVALUATING, READING)
@click.version_option(__version__, "-v", "--version", message="irev %(version)s", help="Show the version and exit.")
@click.help_option("-h", "--help")
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    aggregates: tuple[str, ...],
    bounds: bool,
    per_query: bool,
    no_summary: bool,
    names_given: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    groups: str | None,
    jobs: int | None,
    quiet: bool,
    style: str | None,
    output: str | None,
    names: str | None,
    digits: int,
    wide: bool,
    sort: str | None,
    **choices: Any,
) -> None:
    """Score the results in every RUN against the relevance judgments in QRELS.

    QRELS has lines `query 0 document grade`, RUN has lines `query Q0 document rank score tag`. One of the files may be
    `-`, standard input; compression is recognised by content. `@FILE` stands for the runs that FILE lists.
    """
    sets, runs = _files(files, sets, ctx)
    settings = _consistent(Settings(**choices), ctx)
    inputs = (*(path for _, path in sets), *runs, *ctx.meta.get(LISTS, ()), *([groups] if groups else []))
    if inputs.count("-") > 1:
        raise click.UsageError("only one of the files can be standard input", ctx)
    refuse_inputs(output, inputs)

    from irev import measures as catalogue
    from irev.batch import Batch, Task, processes
    from irev.cli import progress
    from irev.cli.output import screen_for
    from irev.rendering import TABLE, chosen, needs_inputs, render
    from irev.result import Result

    style = chosen(style, output)
    requests = catalogue.parse(measures, settings.compat, warn, aggregates, bounds)
    sorting = catalogue.sorting(sort, requests)
    settings = replace(settings, elsewhere=max(request.elsewhere for request in requests))
    digest = needs_inputs(style)
    grouping, group_files = _groups(groups, digest)
    judgments, judgment_files = _judgments(sets, settings, digest)
    batch = Batch(Task(judgments, requests, settings, digest), runs, processes(runs, jobs))
    with progress.shown(batch, runs, quiet):
        evaluated = list(batch.results())
    outcomes = _outcomes(evaluated, runs, [name for name, _ in sets], names_given, grouping)
    result = Result(
        outcomes,
        settings,
        settings.policy,
        (*judgment_files, *_inputs(evaluated), *group_files),
        per_query,
        not no_summary,
        names,
        digits,
        wide,
        sorting,
    )
    rendered = render(style, result, screen_for(style, output))

    for each in judgments:
        note_judgments(each, settings)
    for run in evaluated:
        note_reading(run.reading, run.name)
        for (name, _), left_out in zip(sets, run.left_out, strict=True):
            note_left_out(left_out, settings, f"{run.name} under {name}" if len(sets) > 1 else run.name)
    if style == TABLE:
        note_ties(outcomes, settings)
    write(rendered, output, inputs, safe=style == TABLE)


def _files(
    files: tuple[str, ...], sets: tuple[tuple[str, str], ...], ctx: click.Context
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The sets of judgments, and the runs, those in lists included."""
    if not sets:
        if len(files) < 2:
            raise click.UsageError(f"expected QRELS and at least one RUN, but got {len(files)} of them", ctx)
        sets, files = (("", files[0]),), files[1:]
    elif not files:
        raise click.UsageError("expected at least one RUN", ctx)
    if len({name for name, _ in sets}) < len(sets):
        raise click.UsageError("two sets of judgments are called alike; --qrels NAME=FILE names them", ctx)
    runs: list[str] = []
    for path in files:
        runs += _listed(path[1:], ctx) if path.startswith("@") else [path]
    return sets, tuple(runs)


def _listed(path: str, ctx: click.Context) -> list[str]:
    """The runs that a file lists, a path on each line."""
    from irev.errors import InputError
    from irev.reading.lists import read_lines
    from irev.sources import Source

    ctx.meta.setdefault(LISTS, []).append(path)
    with Source(path) as source:
        runs = [os.fsdecode(line) for line in read_lines(source)]
    if not runs:
        raise InputError("the file lists no runs", path, "expected a path on each line")
    return runs


def _consistent(settings: Settings, ctx: click.Context) -> Settings:
    """The settings when -c and --queries agree."""
    if settings.queries == "qrels":
        return replace(settings, queries="both", complete=True)
    if settings.complete and settings.queries != "both":
        raise click.UsageError("-c means --queries qrels, and another --queries is given", ctx)
    return settings


def _groups(path: str | None, digest: bool) -> tuple[dict[bytes, bytes], list[Input]]:
    """The group of each query, none when there is no file of groups; and what that file was."""
    if path is None:
        return {}, []
    from irev.reading.lists import read_groups
    from irev.result import Input
    from irev.sources import Source

    with Source(path, digest=digest) as source:
        groups = read_groups(source)
        return groups, [Input("groups", source.name, *source.digest())] if digest else []


def _judgments(
    sets: Sequence[tuple[str, str]], settings: Settings, digest: bool
) -> tuple[tuple[Judgments, ...], list[Input]]:
    from irev.reading import qrels
    from irev.result import Input
    from irev.sources import Source

    judgments, inputs = [], []
    for _, path in sets:
        with Source(path, digest=digest) as source:
            judgments.append(qrels.read(source, settings))
            if digest:
                inputs.append(Input("qrels", source.name, *source.digest()))
    return tuple(judgments), inputs


def _inputs(evaluated: Sequence[Evaluated]) -> list[Input]:
    from irev.result import Input

    return [Input("run", each.name, *each.digest) for each in evaluated if each.digest is not None]


def _outcomes(
    evaluated: Sequence[Evaluated],
    runs: Sequence[str],
    sets: Sequence[str],
    given: Sequence[str],
    grouping: dict[bytes, bytes],
) -> tuple[Outcome, ...]:
    """Every run under every set of judgments, with a name, its summary and those of groups."""
    from irev.aggregation import summarise
    from irev.naming import names_of
    from irev.result import Group, Outcome

    tags = [each.reading.tag.decode("utf-8", "surrogateescape") for each in evaluated]
    names = names_of(runs, tags, given, warn)
    outcomes = []
    for name, each in zip(names, evaluated, strict=True):
        for qrels, scores, facts in zip(sets, each.scores, each.facts, strict=True):
            groups = []
            for group in sorted(set(grouping.values())):
                part = scores.of([grouping.get(query) == group for query in scores.queries])
                groups.append(Group(group, len(part.queries), summarise(part), part.queries))
            outcomes.append(Outcome(name, qrels, scores, summarise(scores), facts, tuple(groups)))
    if grouping:
        _note_ungrouped(outcomes, grouping)
    return tuple(outcomes)


def _note_ungrouped(outcomes: Sequence[Outcome], grouping: dict[bytes, bytes]) -> None:
    from irev.cli.notes import note_ungrouped

    note_ungrouped(sorted({q for outcome in outcomes for q in outcome.scores.queries if q not in grouping}))
