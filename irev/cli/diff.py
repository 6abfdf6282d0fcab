"""``irev diff``: what changed between two runs, query by query and document by document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.cli.evaluating import settings_of
from irev.cli.explain import DEFAULT, requests_of, require_judged, texts
from irev.cli.notes import note_judgments, note_left_out, note_reading
from irev.cli.options import (
    EVERY_QUERY,
    MEASURING,
    NAMING,
    READING,
    REPORTING,
    TEXTS,
    WholeNumber,
    inputs_given,
    measure_option,
    settings_options,
)
from irev.cli.output import refuse_clashes, reporting_to, show, write

if TYPE_CHECKING:
    from irev.analysis.diff import Changes, Detail
    from irev.ranking.full import Whole


@click.command("diff", short_help="Show what changed between two runs.")
@click.argument("qrels", metavar="QRELS")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@measure_option(f"A measure, by which queries are ordered. Further ones are shown beside it. Default: {DEFAULT}.")
@click.option("--query", "asked", metavar="ID", multiple=True, help="Show this query. Repeat it for more.")
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(0),
    default=10,
    show_default=True,
    help="Show the N queries that lost most, and the N that won most.",
)
@click.option("--best", is_flag=True, help="Show those that won first.")
@click.option("-n", "--top", metavar="N", type=WholeNumber(1), help="Show N documents of each query. Default: 5.")
@click.option("--all", "everything", is_flag=True, help="Show all documents of each query that changed anything.")
@click.option(
    "--pool-depth",
    metavar="K",
    type=WholeNumber(1),
    help="How many ranks documents enter and leave. Default: the cutoff of the first measure, or 10.",
)
@click.option(
    "--unjudged",
    metavar="FILE",
    help="Write a line `query document rank` for each document without a judgment that entered the first K ranks of a"
    " query that is shown.",
)
@settings_options(TEXTS, REPORTING, NAMING, EVERY_QUERY, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def diff_command(
    ctx: click.Context,
    /,
    qrels: str,
    before: str,
    after: str,
    measures: tuple[str, ...],
    asked: tuple[str, ...],
    limit: int,
    best: bool,
    top: int | None,
    everything: bool,
    pool_depth: int | None,
    unjudged: str | None,
    titles: str | None,
    documents: str | None,
    style: str | None,
    output: str | None,
    names: str | None,
    digits: int,
    **choices: Any,
) -> None:
    """Show what changed from run A to run B: the queries that lost and won most, and the documents that moved there.

    What documents contribute adds up to the change, for measures that are sums over ranks. Every judged query counts,
    one that a run lacks as having found nothing.
    """
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (qrels, before, after, titles, documents, *listed))
    refuse_clashes(output, inputs, {"--unjudged": unjudged})
    to = reporting_to(style, output, inputs, names, digits)

    from irev.analysis import diff
    from irev.base.text import named
    from irev.evaluation.run_names import names_of
    from irev.output.reports.difference import DifferenceReport, Names, shown_ids
    from irev.output.reports.ranking import Excerpt
    from irev.ranking import ranking
    from irev.reading import qrels as reading_qrels
    from irev.reading.sources import Source

    requests = requests_of(measures, settings)
    wanted = list(dict.fromkeys(map(os.fsencode, asked)))
    with Source(qrels) as source:
        judgments = reading_qrels.read(source, settings)
    require_judged(wanted, judgments)
    stated = settings
    if settings.complete and settings.single_precision:  # which leaves missing queries without a value
        settings = replace(settings, queries=judgments.queries)

    depth = pool_depth or requests[0].cutoff or 10
    with ExitStack() as opened:
        sources = [opened.enter_context(Source(path)) for path in (before, after)]
        evaluated = [ranking.rank(judgments, source, settings) for source in sources]
        earlier, later = (ranked for ranked, _, _ in evaluated)
        changes = diff.changes(earlier, later, requests)
        sections = _sections(changes, wanted, limit, best)
        shown = [changes.queries[place] for section in sections for place in section]
        wholes: list[dict[bytes, Whole]] = [{}, {}]
        for place, source in enumerate(sources if shown else ()):
            source.rewind()
            wholes[place] = ranking.keep(judgments, source, settings, shown)
    details = diff.details(changes, earlier, later, wholes[0], wholes[1], depth)

    files = [source.name for source in sources]
    tags = [reading.tag.decode("utf-8", "surrogateescape") for _, reading, _ in evaluated]
    called = [named(name) for name in names_of(files, tags, (), lambda message: None)]
    excerpt = Excerpt(top, everything, depth, texts(titles, shown, settings))
    excerpt = excerpt._replace(documents=texts(documents, shown_ids(details, excerpt), settings))
    about = Names(named(judgments.name), *called, *map(named, files))
    report = DifferenceReport(changes, sections, details, about, stated.policy, excerpt)

    note_judgments(judgments, settings)
    for name, (_, reading, left_out) in zip(files, evaluated, strict=True):
        note_reading(reading, name)
        note_left_out(left_out, stated, name)
    if unjudged is not None:
        write(_to_judge(details), unjudged, inputs)
    show(report, to)


def _sections(changes: Changes, asked: Sequence[bytes], limit: int, best: bool) -> list[list[int]]:
    """The queries to show, by their place: those asked for, or those that lost and won most."""
    from irev.errors import InputError, shown

    if asked:
        places = {query: place for place, query in enumerate(changes.queries)}
        for query in asked:
            if query not in places:
                raise InputError(f"query {shown(query)} does not count: a run has no results for it")
        return [[places[query] for query in asked]]
    sides = [changes.worse[:limit], changes.better[:limit]]
    return sides[::-1] if best else sides


def _to_judge(details: Sequence[Detail]) -> bytes:
    """A line for each document that entered and has no judgment."""
    return b"".join(
        b"%b %b %d\n" % (detail.query, move.document, move.after or 0)
        for detail in details
        for move in detail.newcomers
    )
