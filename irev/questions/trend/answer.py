"""How the results of builds changed: the series of every run and measure, and its shifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import InputError, UsageError
from irev.evaluation.result import Outcome
from irev.measures import Request, parse
from irev.questions.builds import Build, builds_in
from irev.questions.check.baseline import SAME
from irev.questions.trend.choices import TrendChoices
from irev.questions.trend.finding import Series, Trend
from irev.statistics.shifts import shifts

if TYPE_CHECKING:
    from irev.evaluation.scores import Column


def answer(given: object, choices: TrendChoices) -> Trend:
    """How the results of builds changed."""
    builds = builds_in(choices.results)
    if choices.branch is not None:
        there = sorted({build.branch for build in builds} - {""})
        builds = [build for build in builds if build.branch == choices.branch]
        if not builds:
            remedy = f"there are {', '.join(there)}" if there else "the results do not say of which branch they are"
            raise UsageError(f"there is no build of the branch '{choices.branch}'", remedy=remedy)
    return trend_of(builds, choices.measures)


def trend_of(builds: Sequence[Build], measures: Sequence[str] = ()) -> Trend:
    """How the results of builds changed, by all measures that all have, or by some.

    Raises
    ------
    InputError
        For builds that were evaluated with different settings, and builds that have no run or measure in common.
    UsageError
        For a measure that not all have.
    """
    first = builds[0]
    for build in builds:
        for setting in SAME:
            then, now = getattr(first.result.settings, setting), getattr(build.result.settings, setting)
            if then != now:
                fact = f"{first.name} was made with another {setting.replace('_', '-')} ({then}, not {now})"
                raise InputError(fact, build.name, "give builds that were evaluated with the same options")
        if build.result.several_qrels:
            raise InputError("there are results under several sets of judgments", build.name, "save one of them")
    runs = [outcome.run for outcome in builds[-1].result.outcomes]
    alone = all(len(build.result.outcomes) == 1 for build in builds)
    if not alone:
        runs = [run for run in runs if all(run in {each.run for each in build.result.outcomes} for build in builds)]
    if not runs:
        fact = "the builds have no run in common: runs are known by their names"
        raise InputError(fact, builds[-1].name, "call the run alike in every build, with --names")
    requests = _requests(builds, measures)
    return Trend(
        tuple(builds),
        tuple(series for run in runs for series in _series(builds, run, requests)),
        first.result.policy,
    )


def _requests(builds: Sequence[Build], measures: Sequence[str]) -> list[Request]:
    """The measures that were asked for, or those that all builds have."""
    compat = builds[0].result.settings.compat
    shared = [column.request for column in builds[0].result.outcomes[0].columns if column.request.measure.numeric]
    for build in builds:
        have = {column.request for column in build.result.outcomes[0].columns}
        shared = [request for request in shared if request in have]
    asked = [request.base for request in parse(measures, compat)] if measures else shared
    for request in asked:
        if request not in shared:
            there = ", ".join(each.standard for each in shared) or "none"
            raise UsageError(f"not every build has {request.standard}", remedy=f"all have: {there}")
    if not asked:
        raise InputError("the builds have no measure in common", builds[-1].name, "evaluate all by the same measures")
    return asked


def _series(builds: Sequence[Build], run: str, requests: Sequence[Request]) -> Iterator[Series]:
    """The series of a run by every measure."""
    outcomes = []
    for build in builds:
        only, *others = build.result.outcomes
        outcomes.append(next(each for each in (only, *others) if each.run == run) if others else only)
    judged = [_judgments(build) for build in builds]
    kept = set.intersection(*(set(outcome.scores.queries) for outcome in outcomes))
    places = [[place for place, query in enumerate(each.scores.queries) if query in kept] for each in outcomes]
    left_out = max(len(each.scores.queries) for each in outcomes) - len(kept)
    begins = [place for place in range(len(builds)) if place == 0 or judged[place] != judged[place - 1]]
    for request in requests:
        values = np.array(
            [_column(outcome, request).values[place] for outcome, place in zip(outcomes, places, strict=True)],
            dtype=np.float64,
        )
        finite = values[:, np.isfinite(values).all(axis=0)]
        found = []
        for begin, end in zip(begins, [*begins[1:], len(builds)], strict=True):
            found += [
                shift._replace(at=shift.at + begin, seen=shift.seen + begin) for shift in shifts(finite[begin:end])
            ]
        means = tuple(float(mean) for mean in values.mean(axis=1)) if len(kept) else (float("nan"),) * len(builds)
        yield Series(run, request, means, len(kept), left_out, tuple(found), tuple(begins[1:]))


def _judgments(build: Build) -> frozenset[str]:
    return frozenset(file.sha256 for file in build.result.inputs if file.role == "qrels")


def _column(outcome: Outcome, request: Request) -> Column:
    return next(column for column in outcome.columns if column.request == request)
