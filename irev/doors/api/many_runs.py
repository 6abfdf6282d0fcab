"""Many runs: `evaluate_runs` evaluates them, here or on a cluster; `curves` has their points by recall, by cutoff and
by query, and `trend` their means by build.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from irev.base.errors import UsageError
from irev.base.text import decoded
from irev.doors.api.evaluation import Evaluation, Evaluator, evaluate_named, require_weighted
from irev.doors.api.given import MemoryGiven, ask
from irev.doors.api.inputs import Judged, Path, Retrieved
from irev.doors.api.options import (
    EvaluationOptions,
    Options,
    listed,
    names_of_measures,
    path_in_list,
    path_of,
    requests_by_name,
    require_several,
    settings_of,
    warned,
    warned_of,
)
from irev.evaluation.files import Files, evaluate_files, names_of
from irev.evaluation.notes import doubt_notes, left_out_notes, level_notes, reading_notes
from irev.evaluation.scores import suited
from irev.reading.sources import file_read

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from irev.questions.curves.answer import Curves
    from irev.questions.trend.answer import Trend


def evaluate_runs(
    qrels: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    executor: Executor | str | Any = None,
    **options: Unpack[EvaluationOptions],
) -> dict[str, Evaluation]:
    """Evaluate runs against judgments, with the results of `evaluate` for each run.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids, and where several share one by their files, as ``irev eval`` does.
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    executor : executor of concurrent.futures, client of Dask, or str, optional
        Where runs are evaluated; by default one after the other in this process. ``processes`` are processes of this
        machine, ``dask://HOST:PORT`` is a cluster, ``mpi`` a pool of mpi4py. An executor that you pass is not shut
        down. Judgments and runs are paths then, or URLs, which workers read themselves.
    **options
        See `evaluate`.

    Returns
    -------
    dict of str to Evaluation
        In the order of the runs, whatever is ready first; `compare` accepts it.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, an invalid executor, and data in memory where paths are
        needed.
    InputError
        For judgments or a run that cannot be read, or that have no query in common; of several errors the one of the
        earliest run. When a worker is lost, cannot read a file, or has other versions of irev or numpy.
    """
    require_several("runs", runs)
    names = list(runs) if isinstance(runs, Mapping) else None
    given: list[Retrieved] = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
    called = names if names is not None else [path_in_list("runs", run) for run in given]
    if executor is None:
        evaluator = Evaluator(qrels, measures, **options)
        evaluations = [evaluate_named(evaluator, run, name) for run, name in zip(given, called, strict=True)]
    else:
        evaluations = _elsewhere(qrels, given, measures, executor, options)
    if names is None:
        tags = [decoded(each.scores.tag) for each in evaluations]
        names = [*names_of(called, tags, (), lambda note: None)]
    return dict(zip(names, evaluations, strict=True))


def _elsewhere(
    qrels: Judged, runs: list[Retrieved], measures: str | Iterable[str], executor: Any, options: EvaluationOptions
) -> list[Evaluation]:
    for given, what in ((qrels, "judgments"), *((run, "a run") for run in runs)):
        if not isinstance(given, str | os.PathLike):
            fact = f"workers read files, not {what} of type {type(given).__name__}"
            raise UsageError(fact, remedy="write it to a file and give its path, or leave out executor")
    settings = settings_of(options, EvaluationOptions)
    named = requests_by_name(measures, settings.compat)
    require_weighted(settings, named.values())
    settings = suited(settings, tuple(named.values()), warned)
    files = Files([("", os.fsdecode(qrels))], [os.fsdecode(run) for run in runs])  # type: ignore[arg-type]
    found = evaluate_files(files, tuple(named.values()), settings, executor=executor)
    for judgments in found.judgments:
        warned_of(doubt_notes(judgments.name, judgments.doubts, judgments.details))
        warned_of(level_notes(judgments, settings, tuple(named.values())))
    for each in found.evaluated:
        warned_of(reading_notes(each.reading, each.name))
        warned_of(left_out_notes(each.left_out[0], settings, each.name))
    return [
        Evaluation(
            tuple(named),
            each.scores[0],
            each.summaries[0],
            each.left_out[0],
            each.facts[0],
            settings,
            (*file_read("qrels", qrels), *file_read("run", run)),
        )
        for each, run in zip(found.evaluated, runs, strict=True)
    ]


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
    tie_tolerance: float = 0.0,
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
        ``scatter``, ``distribution``, ``agreement`` (of measures), ``sheet`` or ``tradeoff``, as ``irev curves --kind``
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
        The run that ``queries`` and ``scatter`` compare the others with; the first unless given.
    resources : path, optional
        Resources of runs, for ``tradeoff``: a table with a header: run, optionally query, and numbers such as latency.
    against : str, optional
        The column of it against which measures are drawn, such as ``latency:p99``; by default the first.
    confidence, tie_tolerance : float
        Of the intervals of ``queries``; differences up to the tolerance are ties.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    **options
        See `Options`. Every judged query counts unless `both`, `complete` or `queries` says otherwise.

    Returns
    -------
    Curves
        With a picture, `irev.evaluation.curves.Curves`, for each measure, query or pair of runs in `pictures`.

    Raises
    ------
    UsageError
        For an unknown choice or run, a choice that the kind does not use, and too few runs.
    InputError
        For input that cannot be read, and runs without a query in common.
    """
    if not both and not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    names = tuple(each for each in names_of_measures(measures) if each)
    asked = () if query is None else listed("query", [query])
    given = {name: value for name, value in locals().items() if name != "qrels"}  # of one set of judgments
    took = None if resources is None else path_of("resources", resources)
    about = MemoryGiven({"": qrels}, runs, names, options)
    found: Curves = ask("curves", about, given, measures=names, query=asked, resources=took)
    return found


def trend(results: Path | Iterable[Path], measures: str | Iterable[str] = (), *, branch: str | None = None) -> Trend:
    """Show how saved results changed from build to build, and from which build on they are significantly worse.

    Parameters
    ----------
    results : path, or iterable of paths
        Results that ``irev eval -q -f json`` saved, folders of them, and ``sqlite:FILE``.
    measures : str or iterable of str
        All that every build has unless given.
    branch : str, optional
        Only builds of this branch.

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
    paths = [results] if isinstance(results, str | os.PathLike) or not isinstance(results, Iterable) else [*results]
    if not paths:
        raise UsageError("results: expected paths of saved results, found none")
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"results: expected paths of saved results, found {type(path).__name__}")
    made = {"results": tuple(map(os.fsdecode, paths)), "measures": tuple(names_of_measures(measures))}
    found: Trend = ask("trend", None, {"branch": branch}, **made)
    return found
