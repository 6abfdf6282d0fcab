"""``irev explain``: why a query has the number that it has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import LOOKED_AT_BY, Settings
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.cli.notes import note_judgments, note_reading
from irev.cli.options import (
    MEASURING,
    NAMING,
    READING,
    REPORTING,
    Reporting,
    WholeNumber,
    inputs_given,
    measure_option,
    options_of,
    settings_options,
    taken,
    with_costs,
)
from irev.cli.output import show
from irev.cli.streams import warn
from irev.questions.texts import Texts

if TYPE_CHECKING:
    from irev.evaluation.result import Result
    from irev.measures import Request
    from irev.reading.judgments import Judgments
    from irev.reading.runs import Reading
    from irev.reading.sources import Source


@click.command(
    "explain",
    cls=Command,
    short_help="Show why a query has the number that it has.",
    epilog="irev explain -m nDCG@10 --query q2 qrels.txt keyword.run",
)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@click.option("--query", metavar="ID", help="The query. Default: the one with the worst value of the first measure.")
@click.option("--list", "listing", is_flag=True, help="List the queries by value, the worst first, and explain none.")
@measure_option(f"A measure; `irev measures` lists them. Repeat it for more. Default: {LOOKED_AT_BY}.")
@click.option(
    "-n", "--top", metavar="N", type=WholeNumber(1), help="Show the first N ranks. Default: up to the cutoff, or 10."
)
@click.option("--all", "everything", is_flag=True, help="Show all ranks.")
@settings_options(options_of(Texts), REPORTING, NAMING, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def explain_command(
    ctx: click.Context,
    /,
    qrels: str,
    run: str,
    query: str | None,
    listing: bool,
    measures: tuple[str, ...],
    **choices: Any,
) -> None:
    """Show what the value of a measure is made of for one query: rank by rank, with what each document adds.

    Beside the documents of the RUN stands the ideal ranking, where the measure is a share of that. Of a measure that is
    no sum over ranks, what can be counted is shown. Every judged query counts, one that the RUN lacks as having found
    nothing.
    """
    shown, look = taken(Texts, choices), taken(Reporting, choices)
    top, everything = choices.pop("top"), choices.pop("everything")
    to = look.to(inputs_given(ctx, (qrels, run, shown.titles, shown.documents)))
    if everything:
        refuse_idle(ctx, "--all shows all ranks", "top")
    if listing:
        refuse_idle(ctx, "--list explains no query", "query", "top", "everything", "documents")
    refuse_idle_in(ctx, to.style, "digits", "titles", "documents")

    from irev.analysis.explain import explain
    from irev.analysis.single_queries import requests_of, require_judged
    from irev.base.text import named
    from irev.evaluation.result import worst
    from irev.evaluation.scores import suited
    from irev.output.reports.explanation import ExplanationReport, shown_ids
    from irev.output.reports.queries import QueriesReport
    from irev.output.reports.ranking import Excerpt
    from irev.ranking import ranking
    from irev.reading import qrels as reading_qrels
    from irev.reading.sources import Source

    choices = with_costs(choices)
    settings = Settings(**choices, queries="both" if query is None else (os.fsencode(query),), complete=query is None)
    requests = requests_of(measures, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    with Source(qrels) as source:
        judgments = reading_qrels.read(source, settings)
    if query is not None:
        require_judged([os.fsencode(query)], judgments)
    with Source(run) as source:
        found, wanted = None, os.fsencode(query or "")
        if query is None:
            settings = settings.of_every_query(tuple(judgments.queries))
            result, reading = _result(judgments, source, settings, requests)
            (outcome,) = result.outcomes
            if listing:
                refuse_idle_columns(ctx, judgments.named, reading.named)
                note_judgments(judgments, settings, requests)
                titles = shown.of_queries(outcome.scores.queries, settings.allow_large)
                show(QueriesReport(result, titles), to)
                return
            scores = outcome.scores
            found = worst(scores, requests[0], judgments.relevant(scores.queries, settings.level).tolist())
            wanted = found.query
            settings = replace(settings, complete=False, queries=(wanted,))
            source.rewind()
        ranked, reading, _, whole = ranking.rank_keeping(judgments, source, settings, {wanted})
    refuse_idle_columns(ctx, judgments.named, reading.named)
    explanation = explain(ranked, whole[wanted], requests)
    large = settings.allow_large
    excerpt = Excerpt(top, everything, shown.of_queries([wanted], large))
    excerpt = excerpt._replace(documents=shown.of_documents(shown_ids(explanation, excerpt), large))
    report = ExplanationReport(explanation, named(source.name), named(judgments.name), excerpt, found)
    note_judgments(judgments, settings, requests)
    note_reading(reading, source.name)
    show(report, to)


def _result(
    judgments: Judgments, source: Source, settings: Settings, requests: Sequence[Request]
) -> tuple[Result, Reading]:
    """The values of all queries of a run, and what reading it found."""
    from irev.evaluation.batch import facts_of
    from irev.evaluation.result import Outcome, Result
    from irev.evaluation.scores import evaluate
    from irev.evaluation.summary import summarise
    from irev.ranking import ranking

    ranked, reading, left_out = ranking.rank(judgments, source, settings)
    scores = evaluate(ranked, requests)
    outcome = Outcome(source.name, "", scores, summarise(scores), facts_of(ranked, left_out))
    return Result((outcome,), settings, settings.policy, per_query=True), reading
