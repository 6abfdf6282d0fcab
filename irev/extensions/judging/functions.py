"""The Python functions: `coverage` shows how much of runs was judged, `judges` how far judges agree, and `pool` chooses
documents to judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack

from irev.api.options import (
    Options,
    ReadingOptions,
    ask,
    every_query,
    groups_of,
    inputs_of,
    path_of,
    require_several,
    settings_of,
)
from irev.evaluation.objects import Judged, Path, Retrieved
from irev.extensions.judging.judges import scales_of

if TYPE_CHECKING:
    from irev.extensions.judging.coverage.finding import Coverage
    from irev.extensions.judging.judges.finding import Judges
    from irev.extensions.judging.pool.finding import Pool


def coverage(
    qrels: Path,
    runs: Mapping[str, Path] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    groups: Mapping[str, str] | None = None,
    pool_depth: int = 100,
    top: int = 10,
    **options: Unpack[Options],
) -> Coverage:
    """Show how much of runs was judged, how far unjudged documents could change scores, and what runs gain from their
    own pool.

    Parameters
    ----------
    qrels : path
    runs : mapping of str to path, or iterable of paths
        By their names; paths alone are called by their run ids.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    groups : mapping of str to str, optional
        The group of a run by its name: runs of a group are left out together.
    pool_depth : int
        To which rank runs were pooled.
    top : int
        Number of first documents in which unjudged ones are counted.
    **options
        See `Options`. Every judged query counts unless `queries` says otherwise.

    Returns
    -------
    Coverage
        With a `RunCoverage` for each run in `runs`, unjudged documents in `holes`, pairs of runs that could change
        places in `exchanges`, and a `Bias` for each measure in `biases`.

    Raises
    ------
    UsageError
        For an unknown choice, and for settings under which this cannot be computed.
    InputError
        For input that cannot be read.
    """
    require_several("runs", runs)
    given = {**locals(), "groups": groups_of(groups, "runs", "'bm25': 'lexical'")}
    about = inputs_of({"": path_of("qrels", qrels)}, runs, measures, settings_of(every_query(options)))
    about = replace(about, runs=[path_of("a run", run) for run in about.runs], jobs=1)
    found: Coverage = ask("coverage", about, given, groups=given["groups"])
    return found


Grades = Mapping[float, float] | Mapping[tuple[float, float], float] | Iterable[float]
"""A mapping of grades or ranges to grades, or the grades of a scale."""


def judges(
    judgments: Mapping[str, Judged] | Iterable[Path],
    runs: Mapping[str, Retrieved] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    scale: Grades | Mapping[str, Grades] | str | None = None,
    weights: str = "quadratic",
    alpha: str = "ordinal",
    prefer: str | None = None,
    explain: bool = False,
    confidence: float = 0.95,
    **options: Unpack[Options],
) -> Judges:
    """Measure how far judges of the same documents agree, and how runs score under each judge.

    Parameters
    ----------
    judgments : mapping of str to judgments, or iterable of paths
        At least two, by the names of the judges: paths, nested dictionaries, data frames, arrays, or Qrels. Paths alone
        are called by the names of the files.
    runs : mapping of str to run, or iterable of paths, optional
        At least two, which are measured under each judge, over the queries that all of them judged.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    scale : mapping of float or (float, float) to float, or iterable of float; or mapping of str to these; or str
        The grade to which each grade or range is mapped, or the grades of the scale: for all judges, or for some by
        their names. A text is read as after ``--scale``.
    weights : str
        Of weighted kappa: ``linear`` or ``quadratic``.
    alpha : str
        How Krippendorff's alpha treats grades: ``nominal``, ``ordinal`` or ``interval``.
    prefer : str, optional
        ``first``, ``max``, ``mean`` or ``majority``: also make one set of judgments of all, in `merged`; where they
        differ, of that grade.
    explain : bool
        Show how kappa comes about, where it is shown: the table with totals, and kappa as a fraction.
    confidence : float
        Confidence level of the intervals, which are jackknife-t over queries.
    **options
        See `Options`. `level` is the lowest relevant grade.

    Returns
    -------
    Judges
        With a `Pair` for every two judges in `pairs`, agreement of all in `together`, and runs under each judge in
        `under`.

    Raises
    ------
    UsageError
        For fewer than two judges or runs, and for an unknown choice or judge.
    InputError
        For input that cannot be read, and judges without a document in common.
    """
    require_several("judgments", judgments)
    if runs is not None:
        require_several("runs", runs)
    given = {**locals(), "prefer": "first" if prefer is None else prefer}
    merging = None if prefer is None else ""
    about = inputs_of(judgments, runs, measures, settings_of(options))
    found: Judges = ask("judges", about, given, scales=scales_of(scale), merge=merging)
    return found


def pool(
    runs: Mapping[str, Retrieved] | Iterable[Path],
    *,
    depth: int | None = None,
    budget: int | None = None,
    strata: Mapping[int, float | str] | None = None,
    next: int | None = None,
    by: Literal["depth", "rrf", "maxmean", "strata"] | None = None,
    audit: int | None = None,
    within: int | None = None,
    judged: Judged | None = None,
    judges: int | None = None,
    overlap: int = 0,
    in_order: bool = False,
    seed: int = 0,
    **options: Unpack[ReadingOptions],
) -> Pool:
    """Choose documents of runs to judge.

    Parameters
    ----------
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids.
    depth : int, optional
        The first so many documents of each run.
    budget : int, optional
        Number of judgments for each query, including those in `judged`: as many documents as that allows.
    strata : mapping of int to (float or str), optional
        A sample: ``{10: 1, 50: 0.2}`` takes all documents that any run has among its first 10, and of others among the
        first 50 a fifth, rounded up. Shares are read as decimal numbers.
    next : int, optional
        By ``maxmean``, the next so many documents of each query; 1 unless given.
    by : str, optional
        How documents are chosen: by ``depth``; by reciprocal rank fusion, ``rrf``, or bandit, ``maxmean``, with a
        budget; or as ``strata``. Unless given, what `depth`, `budget` (``rrf``) or `strata` says.
    audit : int, optional
        With `depth`: only so many queries, drawn at random from those without a judgment.
    within : int, optional
        Use only this number of first documents of each run.
    judged : path, nested dictionary, data frame, arrays, or Qrels, optional
        Existing judgments: their documents are left out, and methods use their grades.
    judges : int, optional
        Give whole queries to so many judges: `PooledQuery.judges` has their numbers.
    overlap : int
        With `judges`: so many queries, drawn at random, are given to a second judge too.
    in_order : bool
        Best first; otherwise the documents of a query are shuffled.
    seed : int
        Of the order and the sample.
    **options
        See `ReadingOptions`.

    Returns
    -------
    Pool
        With a `PooledQuery` for each query of any run in `queries`, whose `documents` are to be judged, and what each
        run has in `contributions`. Ids are bytes. ``to_pandas()`` has a row for each document; notebooks show it.

    Raises
    ------
    UsageError
        For choices that exclude each other, and ``ties="average"``.
    InputError
        For a run that has no query in common with the others, judgments without a query in common with the runs, a
        budget that every query has overspent, and input that cannot be read.
    """
    require_several("runs", runs)
    given = {**locals(), "strata": None if isinstance(strata, Mapping) and not strata else strata}
    about = inputs_of({} if judged is None else {"": judged}, runs, (), settings_of(options, ReadingOptions))
    found: Pool = ask("pool", about, given)
    return found
