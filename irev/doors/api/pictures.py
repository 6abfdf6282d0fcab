"""`curves`: runs by recall, by cutoff and by query, with the choices that ``irev curves`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from irev.base.registry import did_you_mean
from irev.base.text import decoded, encoded
from irev.doors.api.inputs import Judged, Path, Retrieved, judgments_of, ranked_by
from irev.doors.api.options import Options, settings_of
from irev.doors.api.values import between, no_value, number, whole_number
from irev.doors.api.warned import warned, warned_of
from irev.errors import UsageError
from irev.evaluation.curves.kinds import KINDS, LOOKED_AT_BY, NIST, ONE_QUERY
from irev.evaluation.notes import left_out_notes, level_notes
from irev.evaluation.scores import suited
from irev.ranking import small_dictionaries

if TYPE_CHECKING:
    from irev.base.settings import Settings
    from irev.doors.api.findings import ShownCurves
    from irev.measures import Request
    from irev.ranking.ranked import Ranked
    from irev.ranking.ranking import LeftOut


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
    confidence: float = 0.95,
    tie_tolerance: float = 0.0,
    both: bool = False,
    **options: Unpack[Options],
) -> ShownCurves:
    """The points of curves, which can be shown and drawn.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids.
    kind : str
        ``recall-precision``, ``query``, ``cutoff``, ``precision-recall@k``, ``queries``, ``topics``, ``scatter``,
        ``distribution`` or ``agreement`` (of measures), as ``irev curves --kind`` has them.
    measures : str or iterable of str
        As after ``-m``; by cutoff named without one.
    query : str, optional
        The one that ``query`` draws.
    rule : str, optional
        ``nist``, of the eleven points.
    cutoffs : iterable of int
        By cutoff; some up to 1000 unless given.
    baseline : str, optional
        The run that ``queries`` and ``scatter`` hold the others against; the first unless given.
    confidence, tie_tolerance : float
        Of the intervals of ``queries``; differences up to the tolerance are ties.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    **options
        See `Options`. Every judged query counts unless `both`, `complete` or `queries` says otherwise.

    Returns
    -------
    Curves
        With a picture, `irev.evaluation.curves.curve.Curves`, for each measure, query or pair of runs in `pictures`.

    Raises
    ------
    UsageError
        For a choice or a run that there is not, one that the kind does not look at, and fewer runs than it takes.
    InputError
        For what cannot be read or understood, and runs that have no query in common.
    """
    from irev.analysis.curves import Wanted, curves_of, requests_of, require_runs
    from irev.doors.api.findings import ShownCurves
    from irev.evaluation import scores, summary
    from irev.evaluation.batch import facts_of
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.evaluation.result import Outcome
    from irev.output.reports.curves import HowMade, policy_of
    from irev.statistics.plan import Plan

    given = {
        "measures": measures,
        "query": query,
        "rule": rule,
        "cutoffs": (cutoffs := tuple(cutoffs)),
        "baseline": baseline,
        "confidence": confidence != Plan.confidence,
        "tie_tolerance": tie_tolerance != Plan.tie_tolerance,
    }
    _require_looked_at(kind, given)
    if rule not in (None, NIST):
        raise no_value("rule", rule, repr(NIST))
    if tie_tolerance and number("tie_tolerance", tie_tolerance) < 0:
        raise no_value("tie_tolerance", tie_tolerance, "0 or more")
    if not both and not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    settings = settings_of(options)
    if settings.queries == "run":
        raise UsageError("curves are over the same queries for all runs", remedy="leave out queries='run'")
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    ks = tuple(sorted({whole_number("cutoffs", k, least=1) for k in cutoffs}))
    wanted = Wanted(kind, tuple(each for each in names if each), rule, ks)
    requests = () if kind == ONE_QUERY else requests_of(wanted, settings)
    if requests and isinstance(qrels, str | os.PathLike):
        settings = suited(settings, requests, warned)
    ranked = _ranked(qrels, runs, settings, requests)
    if kind == ONE_QUERY:
        from irev.evaluation.curves.of_one_query import of_one_query

        if query is None:
            raise UsageError("which query is to be drawn?", remedy="name it: query='301'")
        picture = of_one_query({name: each for name, (each, _) in ranked.items()}, encoded(query))
        return ShownCurves(kind, (picture,), HowMade(settings, "by itself", 1))
    require_runs(kind, len(ranked))
    plan = Plan(confidence=between("confidence", confidence), tie_tolerance=float(tie_tolerance))
    if baseline is not None and baseline not in ranked:
        raise UsageError(f"there is no run {baseline!r}", remedy=did_you_mean(baseline, ranked))
    first = 0 if baseline is None else list(ranked).index(baseline)
    wanted = replace(wanted, baseline=first, plan=plan)
    outcomes = []
    for name, (each, left_out) in ranked.items():
        found = scores.evaluate(each, requests)
        outcomes.append(Outcome(name, "", found, summary.summarise(found), facts_of(each, left_out)))
    kept, _ = on_same_queries(outcomes)
    made = HowMade(settings, policy_of(settings, len(kept)), kept[0].scores.considered)
    return ShownCurves(kind, curves_of(wanted, kept, settings), made)


def _require_looked_at(kind: str, given: Mapping[str, object]) -> None:
    if kind not in KINDS:
        near = did_you_mean(str(kind), KINDS, f"there are {', '.join(KINDS)}")
        raise UsageError(f"there is no kind of curves {kind!r}", remedy=near)
    for name, value in given.items():
        if value and kind not in LOOKED_AT_BY[name]:
            raise UsageError(f"{name} changes nothing here", remedy=f"it is for kind {', '.join(LOOKED_AT_BY[name])}")


def _ranked(
    qrels: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    settings: Settings,
    requests: Sequence[Request],
) -> dict[str, tuple[Ranked, LeftOut]]:
    """Every run by its name, ranked."""
    from irev.evaluation.run_names import names_of

    if isinstance(runs, str | os.PathLike):
        raise TypeError("expected runs: a list of paths, or a dictionary of runs by their names")
    judgments = small_dictionaries.indexed(judgments_of(qrels, settings))
    warned_of(level_notes(judgments, settings, requests))
    settings = settings.of_every_query(tuple(judgments.queries))
    if isinstance(runs, Mapping):
        found = {name: ranked_by(judgments, run, settings) for name, run in runs.items()}
    else:
        paths = [os.fsdecode(path) for path in runs]
        ranked = [ranked_by(judgments, path, settings) for path in paths]
        tags = [decoded(each.tag) for each, _ in ranked]
        found = dict(zip(names_of(paths, tags, (), lambda note: None), ranked, strict=True))
    if not found:
        raise UsageError("there is nothing to draw", remedy="give at least one run")
    for name, (_, left_out) in found.items():
        warned_of(left_out_notes(left_out, settings, name))
    return found
