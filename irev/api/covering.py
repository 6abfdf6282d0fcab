"""`coverage`: what judgments cover of runs, with the choices that ``irev coverage`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Unpack

from irev.api.inputs import Path
from irev.api.options import Options, settings_of
from irev.api.values import whole_number
from irev.api.warned import warned, warned_of
from irev.errors import UsageError
from irev.evaluation.notes import doubt_notes, left_out_notes, level_notes, not_common_notes, reading_notes
from irev.evaluation.scores import suited

if TYPE_CHECKING:
    from irev.api.findings import ShownCoverage


def coverage(
    qrels: Path,
    runs: Mapping[str, Path] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    groups: Mapping[str, str] | None = None,
    pool_depth: int = 100,
    top: int = 10,
    **options: Unpack[Options],
) -> ShownCoverage:
    """What of runs was judged, what unjudged documents could change, and what runs owe to judgments of their own.

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
        How many first documents are looked at for what is not judged.
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
        For a choice that there is not, and settings under which the question has no answer.
    InputError
        For what cannot be read or understood.
    """
    from irev import measures as catalogue
    from irev.analysis.comparison.defaults import DEFAULT_MEASURES
    from irev.analysis.coverage import coverage_of, require_groups, require_suited
    from irev.api.findings import ShownCoverage, shown
    from irev.evaluation.covered import cover

    if isinstance(runs, str | os.PathLike):
        raise TypeError("expected runs: a list of paths, or a dictionary of paths by their names")
    if not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    settings = settings_of(options)
    if settings.judged_only or settings.ties == "average" or settings.queries == "run":
        odd = "judged_only" if settings.judged_only else "queries" if settings.queries == "run" else "ties"
        raise UsageError(f"{odd} has no answer here", remedy=f"leave out {odd}")
    given = (measures,) if isinstance(measures, str) else tuple(measures)
    requests = catalogue.parse([each for each in given if each] or DEFAULT_MEASURES, settings.compat)
    require_suited(requests)
    paths = [os.fsdecode(path) for path in (runs.values() if isinstance(runs, Mapping) else runs)]
    if not paths:
        raise UsageError("there is nothing to look at", remedy="give at least one run")
    names = [*runs] if isinstance(runs, Mapping) else ()
    most = whole_number("top", top, least=1)
    settings = suited(settings, requests, warned)
    found = cover(os.fsdecode(qrels), paths, requests, settings, names=names, most=most, jobs=1)
    require_groups(groups or {}, found.names, "groups")
    judgments = found.judgments
    warned_of(doubt_notes(judgments.name, judgments.doubts, judgments.details))
    warned_of(level_notes(judgments, settings, requests))
    for each in found.runs:
        warned_of(reading_notes(each.evaluated.reading, each.evaluated.name))
        warned_of(left_out_notes(each.evaluated.left_out[0], settings, each.evaluated.name))
    warned_of(not_common_notes(found.some))
    made = coverage_of(
        found.names,
        found.runs,
        found.judgments,
        requests,
        groups or {},
        first=most,
        pool_depth=whole_number("pool_depth", pool_depth, least=1),
        level=settings.level,
    )
    return shown(ShownCoverage, made, policy=settings.policy)
