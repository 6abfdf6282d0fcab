"""``irev explain``: why a query has the number that it has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import Settings
from irev.cli.notes import note_judgments, note_reading
from irev.cli.options import (
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
from irev.cli.output import reporting_to, show
from irev.cli.streams import warn

if TYPE_CHECKING:
    from irev.measures import Request
    from irev.reading.qrels import Judgments

DEFAULT = "nDCG@10"


@click.command("explain", short_help="Show why a query has the number that it has.")
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@click.option("--query", metavar="ID", required=True, help="The query.")
@measure_option(f"A measure; `irev measures` lists them. Repeat it for more. Default: {DEFAULT}.")
@click.option(
    "-n", "--top", metavar="N", type=WholeNumber(1), help="Show the first N ranks. Default: up to the cutoff, or 10."
)
@click.option("--all", "everything", is_flag=True, help="Show all ranks.")
@settings_options(TEXTS, REPORTING, NAMING, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def explain_command(
    ctx: click.Context,
    /,
    qrels: str,
    run: str,
    query: str,
    measures: tuple[str, ...],
    top: int | None,
    everything: bool,
    titles: str | None,
    documents: str | None,
    style: str | None,
    output: str | None,
    names: str | None,
    digits: int,
    **choices: Any,
) -> None:
    """Show what the value of a measure is made of for one query: rank by rank, with what each document adds.

    Beside the documents of the RUN stands the ideal ranking, where the measure is a share of that. Of a measure that is
    no sum over ranks, what can be counted is shown.
    """
    inputs = inputs_given(ctx, (qrels, run, titles, documents))
    to = reporting_to(style, output, inputs, names, digits)
    wanted = os.fsencode(query)

    from irev.analysis.explain import explain
    from irev.base.text import named
    from irev.output.reports.explanation import ExplanationReport, shown_ids
    from irev.output.reports.ranking import Excerpt
    from irev.ranking import ranking
    from irev.reading import qrels as reading_qrels
    from irev.reading.sources import Source

    settings = Settings(**choices, queries=(wanted,))
    requests = requests_of(measures, settings)
    with Source(qrels) as source:
        judgments = reading_qrels.read(source, settings)
    require_judged([wanted], judgments)
    with Source(run) as source:
        ranked, reading, _, whole = ranking.rank_keeping(judgments, source, settings, {wanted})
        name = source.name
    explanation = explain(ranked, whole[wanted], requests)
    excerpt = Excerpt(top, everything, titles=texts(titles, [wanted], settings))
    excerpt = excerpt._replace(documents=texts(documents, shown_ids(explanation, excerpt), settings))
    report = ExplanationReport(explanation, named(name), named(judgments.name), meanings(requests), excerpt)

    note_judgments(judgments, settings)
    note_reading(reading, name)
    show(report, to)


def requests_of(measures: Sequence[str], settings: Settings) -> tuple[Request, ...]:
    """What is asked for, in the order in which it is, of what has a value for a single query."""
    from irev.analysis.explain import of_single_queries
    from irev.measures import parse

    texts = measures or [DEFAULT]
    each = [parse([text], settings.compat) for text in texts]
    order = {request: place for place, found in reversed(list(enumerate(each))) for request in found}
    requests = parse(texts, settings.compat, warn)
    return of_single_queries(sorted(requests, key=lambda request: order.get(request, len(texts))))


def require_judged(queries: Iterable[bytes], judgments: Judgments) -> None:
    """Raise `InputError` for a query that is not judged, with those that look like it."""
    from irev.base.registry import did_you_mean
    from irev.errors import InputError, escaped, shown

    for query in queries:
        if query not in judgments.index:
            known = [each.decode("utf-8", "backslashreplace") for each in judgments.queries]
            near = did_you_mean(
                query.decode("utf-8", "backslashreplace"), known, f"judged is {known[0]!r}, for example"
            )
            raise InputError(f"query {shown(query)} has no judgments", judgments.name, escaped(near))


def texts(path: str | None, wanted: Iterable[bytes], settings: Settings) -> dict[bytes, str]:
    """The texts that a file has for some ids; none where there is no file."""
    if path is None:
        return {}
    from irev.reading.sources import Source
    from irev.reading.titles import read_texts

    with Source(path) as source:
        source.large = settings.allow_large
        return read_texts(source, frozenset(wanted))


def meanings(requests: Iterable[Request]) -> dict[Request, str]:
    """What each measure is, in a sentence: its formula, if its definition begins with that."""
    from irev.measures.pages import page

    pages = {request: page(request.measure) for request in requests}
    return {request: _formula(each.definition) or each.summary for request, each in pages.items()}


def _formula(definition: tuple[str, ...]) -> str:
    """The first sentence of a definition, if it is a formula."""
    first, stop, _ = (definition[0] if definition else "").partition(". ")
    return f"{first}{stop.strip()}" if " = " in first else ""
