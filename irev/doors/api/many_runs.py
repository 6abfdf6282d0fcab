"""`evaluate_runs`: many runs under the same judgments, one after the other here or several at a time elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from irev.base.errors import UsageError
from irev.base.text import decoded
from irev.doors.api.evaluation import Evaluation, Evaluator, evaluate_named, require_weighted
from irev.doors.api.inputs import Judged, Path, Retrieved
from irev.doors.api.options import EvaluationOptions, settings_of
from irev.doors.api.values import path_in_list, requests_by_name, warned, warned_of
from irev.evaluation.files import Files, evaluate_files, names_of
from irev.evaluation.notes import doubt_notes, left_out_notes, level_notes, reading_notes
from irev.evaluation.scores import suited
from irev.reading.sources import file_read

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
    if isinstance(runs, str | bytes | os.PathLike):
        raise TypeError("expected several runs: a list of paths, or a dictionary of runs by their names")
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
