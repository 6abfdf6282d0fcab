"""The Python functions of this extension, one for each command and with its name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

from irev.api.comparison import held_inputs, held_of, refuse_evaluating, require_named
from irev.api.options import (
    Options,
    ask,
    checked_record,
    every_query,
    groups_of,
    inputs_of,
    named_numbers,
    path_of,
    settings_of,
    warned,
)
from irev.base.errors import UsageError
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs
from irev.extensions.studies.collections import CollectionsChoices
from irev.extensions.studies.collections.answer import Part, across

if TYPE_CHECKING:
    from irev.api.evaluation import Evaluation
    from irev.evaluation.objects import Judged, Path, Retrieved
    from irev.extensions.studies.bayes.answer import Posteriors
    from irev.extensions.studies.collections.answer import Collections
    from irev.extensions.studies.differences import Differences
    from irev.extensions.studies.replicate.answer import Replicated
    from irev.extensions.studies.seeds.answer import SeedDifferences
    from irev.statistics.plan import IntervalKind


def bayes(
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    margin: float | None = None,
    confidence: float = 0.95,
    both: bool = False,
    **options: Unpack[Options],
) -> Posteriors:
    """Show how probable it is that each run is better than the baseline.

    Parameters
    ----------
    qrels, runs, measures, baseline, all_pairs, both, **options
        As for `irev.compare`.
    margin : float, optional
        Also show the probability that a run is better by more than this.
    confidence : float
        Of intervals.

    Returns
    -------
    Posteriors
        With a `Believed` in `lines` for each measure and pair of runs: the median difference, its interval, and the
        probability that the run is better.

    Raises
    ------
    UsageError, InputError
        As `irev.compare`.
    """
    found: Posteriors = ask("bayes", held_inputs(qrels, runs, measures, both, options), locals())
    return found


def compare_by(
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    query_weights: Path | Mapping[str, float] | None = None,
    groups: Path | Mapping[str, str] | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    both: bool = False,
    clusters: Path | Mapping[str, str] | None = None,
    interval: IntervalKind = "t",
    confidence: float = 0.95,
    alpha: float = 0.05,
    seed: int = 0,
    unjudged: Literal["bootstrap"] | None = None,
    **options: Unpack[Options],
) -> Differences:
    """Compare weighted means of runs, or means in groups of queries.

    Parameters
    ----------
    qrels, runs, measures, baseline, all_pairs, both, clusters, unjudged, **options
        As for `irev.compare`.
    query_weights : path, or mapping of str to float, optional
        The weight of each query, 0 or more: the differences are those of weighted means.
    groups : path, or mapping of str to str, optional
        The group of each query: the differences are those in each group, with a test of whether they are the same.
    interval, confidence, alpha, seed
        As for `irev.compare`.

    Returns
    -------
    Differences
        With a line in `lines` for each measure and pair of runs, and each group.

    Raises
    ------
    UsageError, InputError
        As `irev.compare`.
    """
    about = held_inputs(qrels, runs, measures, both, options, unjudged)
    weights = None if query_weights is None else named_numbers("query_weights", query_weights)
    grouped = os.fsdecode(groups) if isinstance(groups, str | os.PathLike) else groups_of(groups) or None
    found: Differences = ask("compare-by", about, locals(), weights=weights, groups=grouped)
    return found


def seeds(
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    runs_per_system: int | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    confidence: float = 0.95,
    both: bool = False,
    **options: Unpack[Options],
) -> SeedDifferences:
    """Compare systems by several runs of each, which differ only by the random seed.

    Parameters
    ----------
    qrels, runs, measures, baseline, all_pairs, both, **options
        As for `irev.compare`; all runs of one system, then all runs of the next. A baseline without seeds is one run,
        named as `baseline`.
    runs_per_system : int
        At least 2; must be given.
    confidence : float
        Of intervals.

    Returns
    -------
    SeedDifferences
        With an `OverRuns` in `lines` for each measure and pair of systems: the difference, its interval and p-value,
        and standard deviations between queries and between seeds.

    Raises
    ------
    UsageError
        For runs that cannot be divided among systems; and as `irev.compare`.
    InputError
        As `irev.compare`.
    """
    found: SeedDifferences = ask("seeds", held_inputs(qrels, runs, measures, both, options), locals())
    return found


def replicate(
    original: Path,
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    both: bool = False,
    **options: Unpack[Options],
) -> Replicated:
    """Show whether the improvements of an earlier experiment are found again.

    Parameters
    ----------
    original : path
        Saved results of the same runs.
    qrels, runs, measures, baseline, all_pairs, both, **options
        As for `irev.compare`.

    Returns
    -------
    Replicated
        With a `Repeated` in `lines` for each measure and pair of runs: both improvements, the effect ratio, and with
        the same queries root mean squared differences.

    Raises
    ------
    UsageError
        For an original experiment of other runs or measures; and as `irev.compare`.
    InputError
        As `irev.compare`.
    """
    path = path_of("original", original)
    about = held_inputs(qrels, runs, measures, both, options)
    found: Replicated = ask("replicate", about, locals(), original=path)
    return found


def collections(
    collections: Path | Mapping[str, Mapping[str, Evaluation]],
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    confidence: float = 0.95,
    both: bool = False,
    **options: Unpack[Options],
) -> Collections:
    """Score and compare runs on several collections.

    Parameters
    ----------
    collections : path, or mapping of str to evaluations
        A file of collections, as ``irev collections`` reads; or for each collection evaluations by the names of their
        runs.
    measures, baseline, all_pairs, both, **options
        As for `irev.compare`.
    confidence : float
        Of intervals.

    Returns
    -------
    Collections
        With the mean of each run on each collection, and macro averages, in `means`; and in `pairs` the difference of
        each pair of runs on each collection, its macro average, and the random-effects meta-analysis.

    Raises
    ------
    UsageError, InputError
        As `irev.compare`, and for an invalid file of collections.
    """
    if not isinstance(collections, Mapping):
        path = path_of("collections", collections)
        settings = settings_of(options if both else every_query(options))
        about = replace(inputs_of({}, None, measures, settings), jobs=1)
        found: Collections = ask("collections", about, locals(), path=path)
        return found

    refuse_evaluating(options, measures)
    if not collections:
        raise UsageError("collections: expected a collection or more, found none", remedy="give some")
    parts = []
    for name, evaluations in collections.items():
        require_named(evaluations, f"collection {name!r}: ")
        parts.append(Part(name, "", systems_of(Inputs(held=held_of(evaluations, both, 1), warn=warned))))
    given: dict[str, Any] = locals()
    return across(parts, checked_record(CollectionsChoices, given, given, path=None))
