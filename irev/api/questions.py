"""The Python functions of questions, one for each: a signature, a docstring, and the conversion of some arguments.

- Rankings: `fuse` merges runs, `rbo` measures how far two overlap, `explain` shows how the values of a query are
  computed, and `diff` what changed them.
- Many values: `curves` computes the points of pictures, `trend` the means of builds.
- `read_qrels` and `read_run` read data once, to be used again.

`evaluate`, `compare` and `check` have modules of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

from irev.api.options import (
    Options,
    RunOptions,
    ask,
    every_query,
    flag,
    inputs_of,
    listed,
    names_of_measures,
    path_of,
    paths_of,
    require_several,
    settings_of,
    warned,
    whole_number,
)
from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.evaluation import dictionaries
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import reading_notes, warn_of
from irev.evaluation.objects import Judged, Path, Qrels, Retrieved, Run, judgments_of, require_read_alike, rows_of
from irev.reading import in_memory, runs
from irev.reading.sources import Source, file_read
from irev.statistics.plan import Family

if TYPE_CHECKING:
    from irev.commands.curves.answer import Curves
    from irev.commands.diff.answer import Difference
    from irev.commands.explain.answer import Explanation
    from irev.commands.rbo.answer import RunOverlap
    from irev.commands.trend.answer import Trend


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
    require_several("runs", runs)
    runs = runs if isinstance(runs, Mapping) else [*runs]
    if isinstance(weights, Mapping):
        weights = _in_order(weights, [*map(str, runs)] if isinstance(runs, Mapping) else None)
    fused = ask("fuse", _side_by_side(runs, settings_of(options, RunOptions)), locals())
    called = method if name is None else name
    return Run(called, called, fused.blocks(), Settings())


def _side_by_side(runs: Mapping[str, Retrieved] | Sequence[Retrieved], settings: Settings) -> Inputs:
    """Runs by their names, or by their numbers."""
    named = runs if isinstance(runs, Mapping) else dict(enumerate(runs, start=1))
    return Inputs((), [*named.values()], settings, names=[*map(str, named)], warn=warned)


def _in_order(weights: Mapping[str, Any], names: Sequence[str] | None) -> list[Any]:
    """A weight for each run, in the order of the runs."""
    called = {str(each): weight for each, weight in weights.items()}
    if names is None:
        raise UsageError("the runs have no names, so weights cannot be a dictionary", remedy="give a list of weights")
    if called.keys() != {*names}:
        lacking = next(iter(sorted(called.keys() ^ {*names})))
        fact = "there is no run" if lacking in called else "there is no weight for run"
        raise UsageError(f"{fact} {lacking!r}", remedy="give a weight for each run")
    return [called[each] for each in names]


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
    about = _side_by_side((a, b), replace(settings_of(options, RunOptions), depth=first))
    found: RunOverlap = ask("rbo", about, locals())
    return found


def explain(
    qrels: Judged | None = None,
    run: Retrieved | None = None,
    query: str | None = None,
    measures: str | Iterable[str] = (),
    *,
    grades: Iterable[float | None] | Iterable[Iterable[float | None]] | None = None,
    relevant: int | Iterable[int] | None = None,
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
    grades : iterable of float or None, or iterable of several of these, optional
        Explain a ranking of documents with these grades, best rank first, instead: ``[3, 2, None, 0]``, None for an
        unjudged document. Their names are d1, d2, and so on.
    relevant : int or iterable of int, optional
        With `grades`, a number for each ranking: how many documents are relevant in all. Those that are not among the
        grades, m1, m2, and so on, have the relevance level as grade. Unless given, all relevant ones are among the
        grades.
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
        over ranks. Ids are bytes. Notebooks show it. Of several rankings, `others` has all but the first,
        and `means` the mean of each measure.

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
    judged, runs = {"": qrels} if qrels is not None else {}, {"the run": run} if run is not None else None
    about = inputs_of(judged, runs, measures, settings_of(options))
    found: Explanation = ask("explain", about, locals())
    others = tuple(replace(each, more="everything=True") for each in found.others)
    return replace(found, worst=None, more="everything=True", others=others)


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
    asked = listed("query", [query] if isinstance(query, str) else query)
    about = inputs_of({"": qrels}, {"before": before, "after": after}, measures, settings_of(every_query(options)))
    found: Difference = ask("diff", about, locals(), query=asked)
    return found


def curves(
    qrels: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    kind: str = "recall-precision",
    measures: str | Iterable[str] = (),
    *,
    query: str | None = None,
    rule: str | None = None,
    cutoffs: Iterable[int] = (),
    baseline: str | None = None,
    resources: Path | None = None,
    against: str | None = None,
    confidence: float = 0.95,
    both: bool = False,
    **options: Unpack[Options],
) -> Curves:
    """Compute the points of curves, which can be shown and drawn.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids.
    kind : str
        ``recall-precision``, ``query``, ``cutoff``, ``precision-recall@k``, ``roc``, ``queries``, ``topics``,
        ``distribution``, ``sheet`` or ``tradeoff``, as ``irev curves --kind``
        has them.
    measures : str or iterable of str
        As after ``-m``; by cutoff named without one.
    query : str, optional
        The one that ``query`` draws.
    rule : str, optional
        ``nist``, of the eleven points.
    cutoffs : iterable of int
        By cutoff; some up to 1000 unless given.
    baseline : str, optional
        The run that ``queries`` compares the others with, by default the first. Among many runs it has a
        name in other pictures, too.
    resources : path, optional
        Resources of runs, for ``tradeoff``: a table with a header: run, optionally query, and numbers such as latency.
    against : str, optional
        The column of it against which measures are drawn, such as ``latency:p99``; by default the first.
    confidence : float
        Of the intervals of ``queries``.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    **options
        See `Options`. Every judged query counts unless `both`, `complete` or `queries` says otherwise.

    Returns
    -------
    Curves
        With a picture, `irev.evaluation.curves.CurvePicture`, for each measure, query or pair of runs in `pictures`.

    Raises
    ------
    UsageError
        For an unknown choice or run, a choice that the kind does not use, and too few runs.
    InputError
        For input that cannot be read, and runs without a query in common.
    """
    require_several("runs", runs)
    names = tuple(each for each in names_of_measures(measures) if each)
    asked = () if query is None else listed("query", [query])
    given = {name: value for name, value in locals().items() if name != "qrels"}  # of one set of judgments
    took = None if resources is None else path_of("resources", resources)
    settings = settings_of(options if flag("both", both) else every_query(options))
    about = inputs_of({"": qrels}, runs, names, settings)
    found: Curves = ask("curves", about, given, measures=names, query=asked, resources=took)
    return found


def trend(
    results: Path | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    branch: str | None = None,
    family: Family = "measure",
    clusters: Path | Mapping[str, str] | None = None,
) -> Trend:
    """Show how saved results changed from build to build, and from which build on they are significantly worse.

    Parameters
    ----------
    results : path, or iterable of paths
        Results that ``irev eval -q -f json`` saved, and folders of them.
    measures : str or iterable of str
        All that every build has unless given.
    branch : str, optional
        Only builds of this branch.
    family : str
        The falls of which at most 5% are false together: those of each ``measure`` of a run, or ``all``.
    clusters : path, str, or mapping of str to str, optional
        The cluster of each query, of queries that depend on each other, as for `compare`.

    Returns
    -------
    Trend
        With ``builds``, and ``series`` for each run and measure: its ``means`` and ``shifts``. ``to_pandas()`` has a
        row for each build, run and measure; ``plot()`` draws the means.

    Raises
    ------
    InputError
        For a file that is not a saved result, results without the values of single queries, and results that cannot be
        compared: other settings, no run or no measure in common.
    UsageError
        For a measure that not every build has, and a branch without builds.
    """
    paths = paths_of("results", results)
    if not paths:
        raise UsageError("results: expected paths of saved results, found none")
    made = {"results": paths, "measures": tuple(names_of_measures(measures))}
    found: Trend = ask("trend", Inputs(warn=warned), {"branch": branch, "family": family, "clusters": clusters}, **made)
    return found


def read_qrels(data: Judged, **options: Unpack[Options]) -> Qrels:
    """Read and index judgments, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        Options for reading: `negative`, `columns`, `qrels_format`, and `compat`, as comments came
        with trec_eval 10.0.
    """
    files = file_read("qrels", data)
    return Qrels(dictionaries.indexed(judgments_of(data, settings_of(options), warned)), files)


def read_run(data: Retrieved, **options: Unpack[Options]) -> Run:
    """Read a run into memory, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        Options for reading: `order`, `duplicates`, `drop_self`, `columns`, `run_format` and
        `compat`.
    """
    settings = settings_of(options)
    if isinstance(data, Run):
        require_read_alike(data, settings)
        return data
    if isinstance(data, str | os.PathLike):
        files = file_read("run", data)
        with Source(os.fsdecode(data)) as source:
            blocks, reading = runs.read(source, in_memory.kept, settings)
        warn_of(reading_notes(reading, source.name), warned, settings)
        return Run(source.name, decoded(reading.tag), tuple(blocks), settings, files)
    return Run("run", "run", tuple(rows_of(data, settings, "run", warned)), settings)
