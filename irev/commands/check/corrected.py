"""Conditions under judgments of a model that a human corrects: about the corrected mean of a run, or its corrected
difference from a baseline.

As elsewhere a value is compared with its limit, and a drop is tested where that is asked for: here by
Student's t of the corrected mean of what queries have left, with its standard error by `irev.statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import counted, named, number, signed
from irev.commands.check import CheckChoices, conditions
from irev.commands.check.conditions import (
    AGAINST,
    EVERY_QUERY,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MAX_SHARE_LOSING,
    Case,
    Condition,
    GateRules,
    Weighed,
    allowance,
)
from irev.commands.check.verdict import MeasuredValue
from irev.commands.predicted import Predicted, few_notes, gathered
from irev.commands.predictions import CorrectedValue, ValuesByBoth, by_predictions
from irev.evaluation.comparison import Clusters
from irev.evaluation.notes import Note
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.ranking.ranking import First
from irev.reading.judgments import Judgments
from irev.statistics.paired import TestResult

CONFIDENCE = 0.95
"""Of the intervals that details have."""


def require_correctable(choices: CheckChoices) -> None:
    """Raise `UsageError` for what predicted judgments cannot be corrected for."""
    if choices.baseline is not None:
        fact = f"{option('baseline')} has values by one set of judgments, which {option('predicted')} cannot correct"
        raise UsageError(fact, remedy=f"keep the run that it was made of, and name it by {option('baseline_run')}")
    for kind in (EVERY_QUERY, MAX_QUERY_LOSSES, MAX_SHARE_LOSING):
        if getattr(choices, kind):
            fact = f"{option(kind)} is about single queries, and {option('predicted')} corrects means"
            raise UsageError(fact, remedy=f"require a mean by {option('min')}, or a difference by {option('max_drop')}")


class BothOutcomes(NamedTuple):
    """Runs under human and predicted judgments.

    Attributes
    ----------
    human, model : Judgments
    by_human, by_model : sequence of Outcome
        The runs, then those that they are compared with: one for all of them, or one for each.
    firsts : callable
        The documents of all of them, where a human judged documents that were drawn.
    """

    human: Judgments
    model: Judgments
    by_human: Sequence[Outcome]
    by_model: Sequence[Outcome]
    firsts: Callable[[], Sequence[First]]


def values_of_runs(
    both: BothOutcomes, outcomes: Sequence[Outcome], settings: Settings, clusters: Clusters = None
) -> ValuesOfRuns:
    """What both kinds of judgments say of runs, `outcomes`, and of what they are compared with.

    Raises
    ------
    InputError, UsageError
        As `irev.commands.predictions.values_by_both` does.
    """
    runs = [outcome.run for outcome in outcomes]
    called = [*runs, *(f"{each.run} (before)" if each.run in runs else each.run for each in both.by_model[len(runs) :])]
    by_human, by_model = (
        [replace(each, run=name) for each, name in zip(of, called, strict=True)]
        for of in (both.by_human, both.by_model)
    )
    values, drawn, warnings = gathered(both.human, both.model, (by_human, by_model), settings, both.firsts, clusters)
    held = len(called) - len(runs)
    before = {run: len(runs) + (at if held > 1 else 0) for at, run in enumerate(runs)} if held else {}
    found = by_predictions(values, CONFIDENCE, [(before[run], at) for at, run in enumerate(runs) if held])
    human, model = both.human.name, both.model.name
    return ValuesOfRuns(
        {each.request: each for each in values},
        {run: at for at, run in enumerate(runs)},
        before,
        Predicted(found, human, model, CONFIDENCE, of_drawn=drawn, everything=True),
        warnings,
    )


@dataclass(frozen=True, eq=False)
class ValuesOfRuns:
    """Values of runs, and of what they are compared with, by both kinds of judgments.

    Attributes
    ----------
    values : mapping of Request to ValuesByBoth
    places : mapping of str to int
        Which column a run is, by its name.
    before : mapping of str to int
        Which column the baseline of a run is; empty for nothing.
    found : Predicted
        Means of all columns, and the difference of each run from its baseline.
    warnings : sequence of Note
        About results that the human did not judge.
    """

    values: Mapping[Request, ValuesByBoth]
    places: Mapping[str, int]
    before: Mapping[str, int]
    found: Predicted
    warnings: Sequence[Note]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers are."""
        found = self.found
        queries = counted(found.found.queries, "query", "queries")
        said = (
            f"Values are corrected: predicted judgments of {queries} ({named(found.model)}), and human ones of"
            f" {found.found.judged:,} of these ({named(found.human)}), by prediction-powered inference."
        )
        more = (
            "A corrected difference is estimated from the differences of single queries; it is not exactly the"
            " difference of the two values."
        )
        return (said, *([more] if self.before else []), *few_notes(found.found))

    def case_of(self, condition: Condition, outcome: Outcome, baseline: Outcome | None, rules: GateRules) -> Case:
        """Measure what a condition is about, as `irev.commands.check.conditions.case_of` does by one set of judgments.

        Raises
        ------
        UsageError
            For a condition without the baseline that it needs, and on what is no mean of queries.
        """
        request = condition.request
        if request is None:
            return conditions.case_of(condition, outcome, baseline, rules)
        if request not in self.values or (request.aggregate or request.measure.summary) != "mean":
            fact = f"{condition.named}: predicted judgments are corrected in means of queries, and {request.standard}"
            raise UsageError(f"{fact} is none", remedy="choose another measure")
        about, run = self.values[request], self.places[outcome.run]
        mean, considered = self._mean(request, run), len(about.predicted)
        if condition.kind not in AGAINST:
            return Case(outcome, considered, mean.corrected, aside=_aside(mean, rules.digits))
        if outcome.run not in self.before:
            raise UsageError(f"{condition.named}: there is nothing to compare with", remedy="give a baseline")
        base = self.before[outcome.run]
        before, apart = self._mean(request, base).corrected, self._difference(request, base, run)
        lower = request.better == "lower"
        weighed = None
        if rules.tests(condition):
            suited = replace(rules, any_drop=rules.any_drop and condition.kind == MAX_DROP)
            weighed = _weigh(about, (base, run), condition, before, lower, suited)
        return Case(
            outcome,
            considered,
            mean.corrected,
            before,
            apart.corrected if lower else -apart.corrected,
            weighed,
            apart=apart.corrected,
            aside=_aside(apart, rules.digits, signed),
        )

    def measured(self, requests: Sequence[Request], outcomes: Sequence[Outcome]) -> Iterator[MeasuredValue]:
        """Every measure of every run, corrected."""
        for outcome in outcomes:
            for request in requests:
                if request in self.values:
                    mean, base = self._mean(request, self.places[outcome.run]), self.before.get(outcome.run)
                    before = None if base is None else self._mean(request, base).corrected
                    queries = len(self.values[request].predicted)
                    yield MeasuredValue(
                        outcome.run, "", request.standard, queries, mean.corrected, before, request.better
                    )

    def _mean(self, request: Request, place: int) -> CorrectedValue:
        return self._line(self.found.found.means, request, place)

    def _difference(self, request: Request, base: int, run: int) -> CorrectedValue:
        name = self.values[request].runs[base]
        of_base = [each for each in self.found.found.differences if each.baseline == name]
        return self._line(of_base, request, run)

    def _line(self, lines: Sequence[CorrectedValue], request: Request, place: int) -> CorrectedValue:
        run = self.values[request].runs[place]
        return next(each for each in lines if (each.measure, each.run) == (request.standard, run))


def _aside(line: CorrectedValue, digits: int, word: Callable[[float, int], str] = number) -> str:
    """What each kind of judgments says alone."""
    human = "" if line.human is None else f", {word(line.human, digits)} by human ones"
    return f"{word(line.predicted, digits)} by predicted judgments alone{human}"


def _weigh(
    about: ValuesByBoth, pair: tuple[int, int], condition: Condition, before: float, lower: bool, rules: GateRules
) -> Weighed | None:
    """Test whether the corrected loss is larger than allowed; None if an infinite one is allowed."""
    if not math.isfinite(allowance(condition, before)):
        return None
    base, run = pair
    sign = -1.0 if lower else 1.0
    gains = {run: sign, base: -sign}
    # A share is one of the baseline's true mean: each query may lose that share of its own value.
    share = condition.value * math.copysign(1.0, before) if condition.relative else 0.0
    both = about.human, about.predicted
    human, guesses = (values[:, run] - values[:, base] for values in both)
    _, error = about.unseen(human, guesses)
    left = about.sum_of({run: sign, base: share - sign}, 0.0 if condition.relative else condition.value, error)
    tested = about.sum_of(gains, 0.0, error) if rules.any_drop else left
    unchanged, p = not human.any() and not guesses.any(), tested.p_below
    if p is None and tested.p_above is not None and not unchanged:
        p = 1 - tested.p_above  # all queries differ by the same amount
    level = 1 - min(2 * rules.plan.alpha, 0.99)
    return Weighed(
        about.sum_of({run: 1.0, base: -1.0}, 0.0, error).interval(level),
        TestResult(None, p, "t", "" if p is not None else "no query differs"),
        left.p_above,
        still=left.p_below is None,
        unchanged=unchanged,
        tested=(*((values[:, [*pair]] + 0.0).tobytes() for values in both), tested.value, p),
    )
