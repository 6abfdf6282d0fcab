"""Rankings, one or two of them: `explain` says what the values of a query are made of, and `diff` what changed them;
without judgments `fuse` makes one run of several, and `rbo` says how far two overlap.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.doors.api.given import MemoryGiven, RunsGiven, ask
from irev.doors.api.inputs import Judged, Retrieved, Run
from irev.doors.api.options import Options, RunOptions, listed, settings_of, whole_number

if TYPE_CHECKING:
    from irev.questions.diff.answer import Difference
    from irev.questions.explain.finding import Explanation
    from irev.questions.rbo.answer import RunOverlap


def fuse(
    runs: Mapping[str, Retrieved] | Iterable[Retrieved],
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    k: float | None = None,
    depth: int | None = None,
    length: int | None = None,
    name: str | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Merge several runs into one.

    Parameters
    ----------
    runs : iterable of run, or mapping of str to run
        Paths, nested dictionaries, data frames, arrays, or Runs; by their names, if they have some.
    method : str
        ``rrf``, ``combsum``, ``combmnz``, ``combmax``, ``combmin``, ``combmed``, ``combanz``, ``isr`` or ``borda``.
    norm : str, optional
        Normalisation of scores, for the methods that use scores: ``min-max`` (the default),
        ``max``, ``sum``, ``z``, ``rank``, or ``none``.
    weights : sequence of float, or mapping of str to float, optional
        The weight of each run, in their order or by their names: for ``combsum``, ``rrf`` and ``borda``.
    k : float, optional
        The constant of ``rrf``, 60 unless given.
    depth : int, optional
        Use only this number of first documents of each ranking.
    length : int, optional
        Keep this number of first documents of each query.
    name : str, optional
        Name and run id of the fused run; by default the name of the method.
    **options
        See `RunOptions`.

    Returns
    -------
    Run
        The fused run; ``to_dict()`` and ``to_pandas()`` return its documents.

    Raises
    ------
    UsageError
        For choices that exclude each other, another number of weights than runs, and ``ties="average"``.
    InputError
        For a run that has no query in common with the others, scores that cannot be made comparable, and what cannot be
        read or understood.
    """
    from irev.ranking.fusion.fused import in_own_text

    if isinstance(runs, str | os.PathLike) or not isinstance(runs, Iterable):
        raise TypeError("expected runs: a list of runs, or a dictionary of runs by their names")
    given = {str(each): run for each, run in runs.items()} if isinstance(runs, Mapping) else [*runs]
    if isinstance(weights, Mapping):
        weights = _in_order(weights, given)
    fused = ask("fuse", RunsGiven(given, settings_of(options, RunOptions)), locals())
    called = method if name is None else name
    blocks = fused.made(lambda blocks: tuple(map(in_own_text, blocks())))
    return Run(called, called, blocks, Settings())


def _in_order(weights: Mapping[str, Any], runs: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    """A weight for each run, in the order of the runs."""
    called = {str(each): weight for each, weight in weights.items()}
    if not isinstance(runs, Mapping):
        raise UsageError("the runs have no names, so weights cannot be a dictionary", remedy="give a list of weights")
    if called.keys() != runs.keys():
        lacking = next(iter(sorted(called.keys() ^ runs.keys())))
        fact = "there is no run" if lacking in called else "there is no weight for run"
        raise UsageError(f"{fact} {lacking!r}", remedy="give a weight for each run")
    return [called[each] for each in runs]


def rbo(
    a: Retrieved,
    b: Retrieved,
    *,
    p: float = 0.9,
    rbo_ties: Literal["a", "b", "w"] = "a",
    depth: int | None = None,
    **options: Unpack[RunOptions],
) -> RunOverlap:
    """Rank-biased overlap of two runs, query by query.

    Parameters
    ----------
    a, b : path, nested dictionary, data frame, arrays, or Run
    p : float
        Persistence, above 0 and below 1; a higher one gives more weight to low ranks.
    rbo_ties : str
        How ties count. ``a``: the expected value over all orders, RBO^a; ``b``: the same, scaled
        at each depth so that a run overlaps fully with itself, RBO^b; ``w``: tied documents share one rank, RBO^w.
    depth : int, optional
        Use only this number of first documents of each ranking.
    **options
        See `RunOptions`.

    Returns
    -------
    RunOverlap
        With arrays in the order of ``queries``, which are bytes: ``extrapolated``, ``least`` and ``residual``,
        ``documents`` of each run, and those in ``common``; and their ``means``. A query that one run lacks has 0, and
        a residual of 1. ``to_pandas()`` has a row for each query.

    Raises
    ------
    UsageError
        For an invalid `p`, unknown ties, and ``ties="average"``.
    InputError
        For runs without a query in common, and input that cannot be read.

    Source: Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM Transactions on Information
    Systems 28(4), 2010; Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
    """
    first = None if depth is None else whole_number("depth", depth, 1)
    given = RunsGiven((a, b), replace(settings_of(options, RunOptions), depth=first))
    found: RunOverlap = ask("rbo", given, locals())
    return found


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
        Explain a ranking of documents with these grades, best rank first, instead: ``[3, 2, None, 0]``, None for an
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
