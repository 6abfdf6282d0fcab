"""`explain` and `diff`: what the values of single queries are made of, and what changed them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from irev.base.errors import UsageError
from irev.doors.api.given import MemoryGiven, ask
from irev.doors.api.inputs import Judged, Retrieved
from irev.doors.api.options import Options
from irev.doors.api.values import listed

if TYPE_CHECKING:
    from irev.questions.diff.answer import Difference
    from irev.questions.explain.finding import Explanation


def explain(
    qrels: Judged | None = None,
    run: Retrieved | None = None,
    query: str | None = None,
    measures: str | Iterable[str] = (),
    *,
    grades: Iterable[float | None] | None = None,
    relevant: int | None = None,
    top: int | None = None,
    everything: bool = False,
    **options: Unpack[Options],
) -> Explanation:
    """Explain how the values of one query are computed.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
        Both, unless there are `grades`.
    query : str, optional
        Unless given, the one with the worst value of the first measure; every judged query counts then; one
        without results scores 0.
    measures : str or iterable of str
        As after ``-m``; none at all means ``nDCG@10``.
    grades : iterable of float or None, optional
        Explain a ranking of documents with these grades, best rank first, instead: ``[3, 2, None, 0]``, None for a
        unjudged document. Their names are d1, d2, and so on.
    relevant : int, optional
        With `grades`: how many documents are relevant in all. Those that are not among the grades, m1, m2, and so on,
        have the relevance level as grade. Unless given, all relevant ones are among the grades.
    top : int, optional
        Number of ranks to show; by default up to the cutoff, or 10.
    everything : bool
        Show all ranks; the result has them in any case.
    **options
        See `Options`; `queries`, `complete` and `strict` have no meaning for one query, and are errors.

    Returns
    -------
    Explanation
        With an `Explained` for each measure in `measures`: its value, the ranking, and the terms of one that is a sum
        over ranks. Ids are bytes. Notebooks show it.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, measures without a value for a single query, and options that
        have no effect with `grades`.
    InputError
        For a query without judgments, and all errors of `evaluate`.
    """
    if (qrels is None or run is None) if grades is None else (qrels is not None or run is not None):
        raise UsageError("expected qrels and run, or grades")

    for name in ("queries", "complete", "strict"):
        if name in options:
            raise UsageError(f"{name} has no meaning for a single query", remedy="leave it out")
    given = MemoryGiven(
        {"": qrels} if qrels is not None else {}, {"the run": run} if run is not None else {}, measures, options
    )
    found: Explanation = ask("explain", given, locals())
    return replace(found, worst=None, more="everything=True")


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
    """Find what changed from one run to another: the queries that lost and won most, and the documents that caused it.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    before, after : path, nested dictionary, data frame, arrays, or Run
    measures : str or iterable of str
        As after ``-m``; the first one orders the queries. None at all means ``nDCG@10``.
    query : str or iterable of str
        Show the documents of these queries, instead of those that changed most.
    limit : int
        Show the documents of this number of queries that lost, and of queries that won.
    best : bool
        Those that won come first.
    top : int, optional
        Number of documents of each query to show; by default 5.
    everything : bool
        Show all documents of each query that changed anything; the result has them in any case.
    pool_depth : int, optional
        Number of first ranks that documents enter and leave; by default the cutoff of the first measure, or 10.
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
        For a query without judgments, runs without a query in common, and all errors of `evaluate`.
    """
    if not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    asked = listed("query", [query] if isinstance(query, str) else query)
    given = MemoryGiven({"": qrels}, {"before": before, "after": after}, measures, options)
    found: Difference = ask("diff", given, locals(), query=asked)
    return found
