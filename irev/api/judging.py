"""`judges`: how far judges agree, with the choices that ``irev judges`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from irev.api.inputs import Judged, Path, Retrieved, judgments_of, ranked_by
from irev.api.options import Options, settings_of
from irev.api.values import between, no_value, number, whole_number
from irev.base.text import decoded
from irev.errors import UsageError
from irev.ranking import small_dictionaries

if TYPE_CHECKING:
    from irev.analysis.judges import JudgeScale, RunsUnder
    from irev.api.findings import ShownJudges
    from irev.base.settings import Settings
    from irev.reading.qrels import Judgments

Grades = Mapping[float, float] | Iterable[float]
"""What each grade comes to, or which there are."""


def judges(
    judgments: Mapping[str, Judged] | Iterable[Path],
    runs: Mapping[str, Retrieved] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    scale: Grades | Mapping[str, Grades] | None = None,
    weights: str = "quadratic",
    alpha: str = "ordinal",
    prefer: str | None = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    **options: Unpack[Options],
) -> ShownJudges:
    """How far judges agree who judged the same documents, and what becomes of runs under each.

    Parameters
    ----------
    judgments : mapping of str to judgments, or iterable of paths
        At least two, by the names of the judges: paths, nested dictionaries, data frames, arrays, or Qrels. Paths alone
        are called by the names of the files.
    runs : mapping of str to run, or iterable of paths, optional
        At least two, which are measured under each judge, over the queries that all of them judged.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    scale : mapping of float to float, or iterable of float; or mapping of str to these
        What each grade comes to, or which grades there are: of all judges, or of some by their names.
    weights : str
        Of weighted kappa: ``linear`` or ``quadratic``.
    alpha : str
        What Krippendorff's alpha takes grades for: ``nominal``, ``ordinal`` or ``interval``.
    prefer : str, optional
        ``first``, ``max``, ``mean`` or ``majority``: also make one set of judgments of all, in `merged`; where they
        differ, of that grade.
    confidence : float
        Of the intervals, which are jackknife-t over topics.
    samples, seed : int
        Without effect: intervals drew samples once.
    **options
        See `Options`. `level` says which grades are relevant.

    Returns
    -------
    Judges
        With a `Pair` for every two judges in `pairs`, what all agree on in `together`, and what becomes of runs in
        `under`.

    Raises
    ------
    UsageError
        For fewer than two judges or runs, and for a choice or a judge that there is not.
    InputError
        For what cannot be read or understood, and judges without a document in common.
    """
    from irev.analysis.judges import PREFERENCES, HowAgreed, agreement_of, merge, pool
    from irev.api.findings import ShownJudges, shown
    from irev.statistics.raters import LEVELS, WEIGHTS

    words = (("weights", weights, WEIGHTS), ("alpha", alpha, LEVELS), ("prefer", prefer, (None, *PREFERENCES)))
    for name, value, known in words:
        if value not in known:
            raise no_value(name, value, ", ".join(map(repr, known)))
    if runs is None and measures:
        raise UsageError("measures changes nothing here", remedy="it is about runs")
    settings = settings_of(options)
    read = _judgments(judgments, settings)
    pooled = pool([*read], [*read.values()], _scales(scale))
    wanted = HowAgreed(
        settings.level,
        weights,
        alpha,
        between("confidence", confidence),
        whole_number("samples", samples, least=1),
        whole_number("seed", seed),
    )
    found = agreement_of(pooled, wanted)
    merged = None if prefer is None else merge(pooled, prefer)
    under = None if runs is None else _under(read, runs, measures, settings)
    return shown(ShownJudges, found, pooled=pooled, merged=merged, under=under)


def _judgments(judgments: Mapping[str, Judged] | Iterable[Path], settings: Settings) -> dict[str, Judgments]:
    if isinstance(judgments, str | os.PathLike):
        raise TypeError("expected several judgments: a list of paths, or a dictionary of judgments by their names")
    if isinstance(judgments, Mapping):
        given: list[tuple[str, Judged]] = [*judgments.items()]
    else:
        given = [(os.path.basename(os.fsdecode(path)), path) for path in judgments]
    found: dict[str, Judgments] = {}
    for name, each in given:
        if name in found:
            raise UsageError(f"two judges are called {name!r}", remedy="call them by names: {'first': …}")
        found[name] = small_dictionaries.indexed(judgments_of(each, settings))
    return found


def _scales(scale: Grades | Mapping[str, Grades] | None) -> list[JudgeScale]:
    from irev.analysis.judges import JudgeScale

    def of(judge: str | None, grades: Grades) -> JudgeScale:
        pairs = grades.items() if isinstance(grades, Mapping) else [(grade, grade) for grade in grades]
        return JudgeScale(judge, tuple((number("scale", given), number("scale", meant)) for given, meant in pairs))

    if scale is None:
        return []
    if isinstance(scale, Mapping) and all(isinstance(key, str) for key in scale):
        return [of(str(judge), grades) for judge, grades in scale.items()]  # type: ignore[arg-type]
    return [of(None, scale)]  # type: ignore[arg-type]


def _under(
    judgments: Mapping[str, Judgments],
    runs: Mapping[str, Retrieved] | Iterable[Path],
    measures: str | Iterable[str],
    settings: Settings,
) -> RunsUnder:
    from irev import measures as catalogue
    from irev.analysis.comparison.agreement import require_orders
    from irev.analysis.comparison.defaults import DEFAULT_MEASURES
    from irev.analysis.judges import OF_RUNS, common_queries, runs_under
    from irev.evaluation import scores, summary
    from irev.evaluation.batch import facts_of
    from irev.evaluation.result import Outcome
    from irev.evaluation.run_names import names_of

    if isinstance(runs, str | os.PathLike):
        raise TypeError("expected several runs: a list of paths, or a dictionary of runs by their names")
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    requests = catalogue.parse([each for each in names if each] or DEFAULT_MEASURES, settings.compat)
    require_orders(requests)
    settings = replace(settings, queries=common_queries([*judgments.values()]))
    given: list[Retrieved] = [*runs.values()] if isinstance(runs, Mapping) else [os.fsdecode(path) for path in runs]
    outcomes = []
    for judge, each in judgments.items():
        ranked = [ranked_by(each, run, settings) for run in given]
        if isinstance(runs, Mapping):
            called = [*runs]
        else:
            tags = [decoded(found.tag) for found, _ in ranked]
            called = [*names_of([str(path) for path in given], tags, (), lambda note: None)]
        for name, (found, left_out) in zip(called, ranked, strict=True):
            scored = scores.evaluate(found, requests)
            outcomes.append(Outcome(name, judge, scored, summary.summarise(scored), facts_of(found, left_out)))
    return runs_under(outcomes, OF_RUNS)
