"""Several collections side by side, as BEIR and MTEB print them: each has judgments and runs of its own, and the macro
average of a run is the mean over the collections of its numbers, whatever they have of queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from irev.base.text import named
from irev.commands.eval import EvalChoices
from irev.commands.eval.finding import EvaluationFinding, measured, sort_of
from irev.evaluation.collections import groups_of, is_average, of_group, read
from irev.evaluation.inputs import Inputs, evaluate, of_collection, warn_of_runs
from irev.evaluation.result import MACRO, Facts, Input, Outcome, Result
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Summary
from irev.measures import Request
from irev.output.report import MARK, Cell, Sheet, table
from irev.output.reports.evaluation import EvaluationReport
from irev.output.reports.grid import shown


def answer(inputs: Inputs, choices: EvalChoices, path: str) -> EvaluationFinding:
    """The values of every run on each of its collections, and their macro averages."""
    (requests, settings), style = measured(inputs, choices), inputs.styles[0]
    outcomes: list[Outcome] = []
    files: list[Input] = []
    listed = read(path)
    for each in listed:
        part = of_collection(inputs, each.name, each.qrels, each.runs, each.called)
        found = evaluate(part, requests, settings, digest=True, groups=None, per_query=True)
        warn_of_runs(part, found, settings=settings)
        outcomes += found.outcomes
        files += found.inputs
    averaged = [] if choices.no_summary else macro_averages(outcomes, {each.name: each.group for each in listed})
    result = Result(
        (*outcomes, *averaged),
        settings,
        settings.policy,
        tuple(dict.fromkeys(files)),
        choices.per_query,
        summarised=not choices.no_summary,
    )
    sort = None
    if inputs.sort is not None:
        sort = sort_of(
            inputs.sort,
            requests,
            runs=len({outcome.run for outcome in outcomes}),
            per_query=choices.per_query,
            style=style,
        )
    return Collections(result, sort=sort)


def macro_averages(outcomes: list[Outcome], groups: Mapping[str, str]) -> list[Outcome]:
    """For each run the mean over the collections of each number that is a mean; none where it lacks a collection.

    So of each of the `groups`, by collection, and of all.
    """
    found = []
    for group, run in product(groups_of(groups.values()), dict.fromkeys(outcome.run for outcome in outcomes)):
        collections = [name for name in groups if group in ("", groups[name])]
        of_run = {outcome.qrels: outcome for outcome in outcomes if outcome.run == run}
        first = next(iter(of_run.values()))
        columns = tuple(Column(each.request, np.empty(0)) for each in first.scores.columns)
        whole = of_run.keys() >= {*collections}
        values = tuple(
            _mean(column.request, [of_run[name].summary.values[place] for name in collections]) if whole else None
            for place, column in enumerate(columns)
        )
        scores = Scores((), columns, 0, first.scores.complete, 0, first.scores.tag)
        found.append(Outcome(run, of_group(MACRO, group), scores, Summary(values), Facts(0, 0, 0, (), ())))
    return found


def _mean(request: Request, values: list[Any]) -> float | None:
    """The mean of some numbers, where they are means of queries, and counts of nothing."""
    averaged = (request.aggregate or request.measure.summary) == "mean"
    if not averaged or not all(isinstance(value, int | float) for value in values):
        return None
    return math.fsum(values) / len(values)


class Collections(EvaluationFinding):
    """What runs score on several collections: for people a table for each measure, collections side by side."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The files of all collections."""
        return tuple(self.result.inputs)

    bare = False

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{len({each.qrels for each in self.result.outcomes if not is_average(each.qrels)})} collections"

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.result.per_query:
            alone = tuple(outcome for outcome in self.result.outcomes if not is_average(outcome.qrels))
            yield from EvaluationReport(replace(self.result, outcomes=alone)).seen(self.look).sheets
        if not self.result.summarised:
            return
        numbers = [place for place, each in enumerate(self.result.requests) if each.measure.kind != "text"]
        for place in numbers:
            yield self._of_measure(place)

    def _of_measure(self, place: int) -> Sheet:
        """The values of every run on every collection."""
        result, request = self.result, self.result.requests[place]
        outcomes = {(outcome.run, outcome.qrels): outcome for outcome in result.outcomes}
        columns = [*dict.fromkeys(name for _, name in outcomes)]
        runs = [outcome.run for outcome in result.outcomes if outcome.qrels == MACRO]
        rows: list[dict[str, Cell | str]] = [{"run": named(run)} for run in runs]
        for column in columns:
            there = [outcomes.get((run, column)) for run in runs]
            values = [None if each is None else each.summary.values[place] for each in there]
            odd = [each is not None and result.is_odd(each) for each in there]
            best = _best([None if other else value for value, other in zip(values, odd, strict=True)], request)
            for row, value, other in zip(rows, values, odd, strict=True):
                marked = value is not None and value == best and not other
                row[column] = Cell(shown(value, self.look.digits) + MARK * other, best=marked)
        title = self.look.name(request)
        made = table(title, ["run"], columns, rows)
        return replace(made, header=("run", *map(named, columns)))

    @property
    def notes(self) -> Iterator[str]:
        counted: dict[str, set[int]] = {}
        for outcome in self.result.outcomes:
            counted.setdefault(outcome.qrels, set()).add(outcome.scores.considered)
        counts = [
            f"{named(name)} {' or '.join(f'{count:,}' for count in sorted(found))}"
            for name, found in counted.items()
            if not is_average(name)
        ]
        if MACRO in counted:
            groups = ", or over those of a group" if sum(map(is_average, counted)) > 1 else ""
            weighed = f"the mean over the collections{groups}, which weigh the same"
            yield f"{MACRO}: {weighed}. Queries: {', '.join(counts)}."
        yield f"Queries: {self.result.policy}."
        runs = {outcome.run for outcome in self.result.outcomes}
        if MACRO in counted and len(self.result.outcomes) < len(counted) * len(runs):
            yield f"A run that lacks a collection has no {MACRO}."
        if any(map(self.result.is_odd, self.result.outcomes)):
            yield f"{MARK} averaged over other queries than most runs, so never marked as best"


def _best(values: list[Any], request: Request) -> Any:
    known = [value for value in values if isinstance(value, int | float) and not math.isnan(value)]
    if len(known) < 2 or request.better == "neither":
        return None
    return min(known) if request.better == "lower" else max(known)
