"""`explain` and `diff`: what the values of single queries are made of, and what changed them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from irev.api.given import MemoryGiven, ask, checked
from irev.api.inputs import Judged, Qrels, Retrieved, Run, judgments_of, ranked_run
from irev.api.measures import requests_of_single_queries
from irev.api.options import Options, settings_of
from irev.api.values import listed, whole_number
from irev.api.warned import warned, warned_of
from irev.base.text import named
from irev.errors import UsageError
from irev.evaluation.notes import level_notes
from irev.evaluation.scores import suited
from irev.ranking import small_dictionaries

if TYPE_CHECKING:
    from irev.api.findings import ShownExplanation
    from irev.questions.diff.finding import Difference


def explain(
    qrels: Judged,
    run: Retrieved,
    query: str | None = None,
    measures: str | Iterable[str] = (),
    *,
    top: int | None = None,
    everything: bool = False,
    **options: Unpack[Options],
) -> ShownExplanation:
    """Explain what the values of one query are made of.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
    query : str, optional
        Unless given, the one with the worst value of the first measure; every judged query counts then, one that the
        run lacks as having found nothing.
    measures : str or iterable of str
        As after ``-m``; none at all means ``nDCG@10``.
    top : int, optional
        Show so many ranks, where it is shown: unless given, those up to the cutoff, or 10.
    everything : bool
        Show all ranks; the result has them anyway.
    **options
        See `Options`; `queries`, `complete` and `strict` say nothing of one query, and are refused.

    Returns
    -------
    Explanation
        With an `Explained` for each measure in `measures`: its value, the ranking, and the terms of one that is a sum
        over ranks. Ids are bytes. Notebooks show it.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, and measures without a value for a single query.
    InputError
        For a query without judgments, and what `evaluate` refuses.
    """
    from irev.analysis import explain as explaining
    from irev.analysis.single_queries import require_judged
    from irev.api.findings import ShownExplanation, shown
    from irev.evaluation.result import worst
    from irev.evaluation.scores import evaluate
    from irev.output.reports.ranking import Excerpt

    for name in ("queries", "complete", "strict"):
        if name in options:
            raise UsageError(f"{name} says nothing of one query", remedy="leave it out")
    if everything and top is not None:
        raise UsageError("top changes nothing here: everything=True shows all ranks")
    excerpt = Excerpt(None if top is None else whole_number("top", top, 1), everything)
    settings = settings_of(options)
    requests = requests_of_single_queries(measures, settings.compat)
    if isinstance(qrels, str | os.PathLike):
        settings = suited(settings, requests, warned)
    judgments = small_dictionaries.indexed(judgments_of(qrels, settings))
    warned_of(level_notes(judgments, settings, requests))
    if query is None:
        every = replace(settings, complete=True).of_every_query(tuple(judgments.queries))
        with ExitStack() as opened:
            scores = evaluate(ranked_run(judgments, run, every, opened).ranked, requests)
        relevant = judgments.relevant(scores.queries, settings.level).tolist()
        wanted: tuple[bytes, ...] = (worst(scores, requests[0], relevant).query,)
    else:
        wanted = listed("query", [query])
        require_judged(wanted, judgments)
    settings = replace(settings, queries=wanted)
    with ExitStack() as opened:
        found = ranked_run(judgments, run, settings, opened)
        (whole,) = found.keep(wanted).values()
    explained = explaining.explain(found.ranked, whole, requests)
    called = {"run": named(_called(run, "the run")), "qrels": named(_called(qrels, "the judgments"))}
    return shown(ShownExplanation, explained, **called, excerpt=excerpt)


def diff(
    qrels: Judged,
    before: Retrieved,
    after: Retrieved,
    measures: str | Iterable[str] = (),
    *,
    query: str | Iterable[str] = (),
    limit: int = 10,
    best: bool = False,
    top: int | None = None,
    everything: bool = False,
    pool_depth: int | None = None,
    **options: Unpack[Options],
) -> Difference:
    """Find what changed from one run to another: the queries that lost and won most, and the documents that did it.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    before, after : path, nested dictionary, data frame, arrays, or Run
    measures : str or iterable of str
        As after ``-m``; the first one orders the queries. None at all means ``nDCG@10``.
    query : str or iterable of str
        Look at the documents of these queries, instead of those that changed most.
    limit : int
        Look at the documents of so many queries that lost, and so many that won.
    best : bool
        Those that won come first.
    top : int, optional
        Show so many documents of each query, where it is shown: unless given, 5.
    everything : bool
        Show all documents of each query that changed anything; the result has them anyway.
    pool_depth : int, optional
        How many ranks documents enter and leave: unless given, the cutoff of the first measure, or 10.
    **options
        See `Options`. Every judged query counts, and one without results scores 0, unless `complete` or
        `queries` says otherwise.

    Returns
    -------
    Difference
        With the values of all queries in `changes`, and a `Detail` for each query that was looked at in `details`: its
        documents, and what each contributes to the change. Ids are bytes. Notebooks show it.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, measures that have no number for a single query, and
        ``ties="average"``.
    InputError
        For a query without judgments, runs without a query in common, and what `evaluate` refuses.
    """
    from irev.questions.diff.choices import QUESTION

    if not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    choices = checked(QUESTION, locals(), query=listed("query", [query] if isinstance(query, str) else query))
    runs = {"before": before, "after": after}
    found: Difference = ask(QUESTION, MemoryGiven({"the judgments": qrels}, runs, measures, options), choices)
    return found


def _called(data: Judged | Retrieved, otherwise: str) -> str:
    """What data is called: a file by its path, and what is in memory otherwise."""
    if isinstance(data, str | os.PathLike):
        return os.fsdecode(data)
    return data.name if isinstance(data, Run) else data.judgments.name if isinstance(data, Qrels) else otherwise
