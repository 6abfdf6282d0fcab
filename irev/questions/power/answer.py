"""Planning: how many queries it takes to find a difference, from runs that were measured or from a variance.

The designs are those of Sakai, Topic Set Size Design, Information Retrieval Journal 19(3), 2016: by a paired t-test, by
analysis of variance for several runs, or by the width of an interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from irev.base.aggregates import mean
from irev.base.errors import UsageError, option
from irev.base.segments import Floats
from irev.evaluation.comparison import Aligned, differences_of, pairs_of
from irev.questions.power import ANOVA, INTERVAL, PowerChoices, T
from irev.questions.power.finding import Chance, GatePower, Need, Power
from irev.questions.predicted import corrected_runs
from irev.questions.question import GivenSystems
from irev.statistics import effects, power
from irev.statistics.prediction_powered import queries_needed
from irev.statistics.variance import sample_variance


def answer(given: GivenSystems, choices: PowerChoices) -> Power | GatePower:
    """How many queries it takes, or how often a gate turns red: of the runs that are given, or of a variance."""
    if choices.gate is None:
        _require_answer(choices)
    if choices.predicted is not None:
        return _by_predicted(given, choices.predicted, choices)
    found = given.systems() if choices.files else None
    if found and len(found.aligned.runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    about = (found.policy, found.inputs) if found else ("", ())
    first = choices.first(found.aligned.runs, found.files) if found else None
    if choices.gate is not None:
        chances = chances_of_runs(found.aligned, first, choices) if found else chances_of_variance(choices)
        return GatePower(tuple(chances), choices, *about)
    if choices.kind == ANOVA and choices.systems is None:
        choices = replace(choices, systems=len(found.aligned.runs) if found else 2)
    needs = from_runs(found.aligned, first, choices) if found else [from_variance(choices)]
    return Power(tuple(needs), choices, *about)


def _by_predicted(given: GivenSystems, model: str, choices: PowerChoices) -> Power:
    """How many queries a human has to judge, where a model judged all."""
    found = corrected_runs(
        given,
        model,
        1 - choices.alpha,
        choices.alpha,
        lambda runs: pairs_of(len(runs), choices.first(runs, ())),
    )
    if not found.found.differences:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    judged, queries = found.found.judged, found.found.queries
    needs = [
        Need(
            line.measure,
            line.baseline,
            line.run,
            judged,
            line.corrected,
            None if line.error is None else (line.error**2 - line.error_of_all**2) * judged,
            needed=None
            if line.error is None
            else queries_needed(
                line.error, line.error_of_all**2, judged, queries, choices.width or 0.0, 1 - choices.alpha
            ),
        )
        for line in found.found.differences
    ]
    policy = f"of {queries:,} that a model judged, {judged:,} by a human so far"
    return Power(tuple(needs), choices, policy, found.inputs)


def _require_answer(choices: PowerChoices) -> None:
    """Raise `UsageError` for an interval without a width, and a direction without a run to differ from in it.

    A difference that is asked for is the same for each pair; one that was measured has the sign that the order of the
    runs gives it.
    """
    if choices.kind == INTERVAL and choices.width is None:
        raise UsageError("the width of the interval is needed", remedy=f"give {option('width')}")
    if choices.all_pairs and choices.alternative != "two-sided" and choices.difference is None and choices.files:
        fact = f"with all pairs there is no baseline, so --alternative {choices.alternative} has no meaning"
        raise UsageError(
            fact, remedy=f"name a baseline or a {option('difference')}, or leave the alternative two-sided"
        )


def from_variance(design: PowerChoices) -> Need:
    """How many queries a design takes, without any data.

    Raises
    ------
    UsageError
        For a design that lacks a number.
    """
    if design.variance is None:
        raise UsageError(
            "without runs a variance is needed", remedy=f"give {option('variance')}, or judgments and runs"
        )
    if design.kind == INTERVAL:
        return Need(variance=design.variance, needed=_by_interval(design, design.variance))
    if design.difference is None:
        raise UsageError(
            "without runs a difference is needed", remedy=f"give {option('difference')}, or judgments and runs"
        )
    return _need(design, (None, None, None), None, design.difference, design.variance, design.systems or 2)


def from_runs(aligned: Aligned, baseline: int | None, design: PowerChoices) -> list[Need]:
    """How many queries it takes for runs as different as these, or with a variance as theirs.

    For ``t`` and ``interval`` each pair of runs is looked at under every measure; for ``anova`` all runs together.
    """
    pairs = pairs_of(len(aligned.runs), baseline)
    found = []
    for measured in aligned.measured:
        name = measured.quantity.standard
        if design.kind == ANOVA:
            means = [mean(column) for column in measured.values.T]
            spread = max(means) - min(means) if design.difference is None else design.difference
            variance = _within(measured.values) if design.variance is None else design.variance
            systems = design.systems or measured.values.shape[1]
            found.append(_need(design, (name, None, None), len(measured.queries), spread, variance, systems))
            continue
        for (base, run), differences in zip(pairs, differences_of(measured.values, pairs).T, strict=True):
            variance = sample_variance(differences) if design.variance is None else design.variance
            about = name, aligned.runs[base], aligned.runs[run]
            difference = mean(differences) if design.difference is None else design.difference
            need = _need(design, about, len(measured.queries), difference, variance, 2)
            if design.kind == T and design.difference is None and design.variance is None:
                span = effects.effect(differences, 0.0, 1 - design.alpha).interval
                if span is not None:
                    ends = power.needed_span(*span, design.alpha, design.power, design.alternative)
                    need = need._replace(needed_span=ends)
            found.append(need)
    return found


def _within(values: Floats) -> float | None:
    """The variance of queries within a run, of all runs together."""
    found = [sample_variance(column) for column in values.T]
    known = [variance for variance in found if variance is not None]
    return mean(np.array(known)) if len(known) == len(found) else None


def _need(
    design: PowerChoices,
    about: tuple[str | None, str | None, str | None],
    queries: int | None,
    difference: float,
    variance: float | None,
    systems: int,
) -> Need:
    effect = present = needed = None
    if variance is not None and math.isfinite(variance) and variance > 0 and math.isfinite(difference):
        effect = difference / math.sqrt(variance)
        if design.kind == INTERVAL:
            needed = _by_interval(design, variance)
        elif design.kind == ANOVA:
            needed = power.needed_anova(systems, abs(difference), variance, design.alpha, design.power)
        else:
            # A difference that is asked for lies where the alternative looks for it, one that was measured may not.
            toward = -effect if design.difference is not None and design.alternative == "less" else effect
            needed = power.queries_needed(toward, design.alpha, design.power, design.alternative)
            if queries is not None and queries > 1:
                present = power.power_of(queries, toward, design.alpha, design.alternative)
    return Need(*about, queries, difference, variance, effect, present, needed)


def _by_interval(design: PowerChoices, variance: float) -> int | None:
    return power.needed_interval(design.width or 0.0, variance, design.alpha)


# How often a gate fails: the chances are those of normal differences, whose spread comes from runs or is given.


def chances_of_variance(asked: PowerChoices) -> list[Chance]:
    """The chances of a gate without any data.

    Raises
    ------
    UsageError
        Without a variance, or a number of queries.
    """
    if asked.variance is None:
        raise UsageError(
            "without runs a variance is needed", remedy=f"give {option('variance')}, or judgments and runs"
        )
    if asked.number is None:
        raise UsageError(
            "without runs a number of queries is needed", remedy=f"give {option('number')}, or judgments and runs"
        )
    return list(_chances(asked, (None, None, None), asked.number, asked.variance))


def chances_of_runs(aligned: Aligned, baseline: int | None, asked: PowerChoices) -> list[Chance]:
    """The chances of a gate for runs that differ as these do, under every measure."""
    pairs = pairs_of(len(aligned.runs), baseline)
    found: list[Chance] = []
    for measured in aligned.measured:
        for (base, run), differences in zip(pairs, differences_of(measured.values, pairs).T, strict=True):
            about = (measured.quantity.standard, aligned.runs[base], aligned.runs[run])
            variance = sample_variance(differences) if asked.variance is None else asked.variance
            found += _chances(asked, about, asked.number or len(differences), variance)
    return found


def _chances(
    asked: PowerChoices, about: tuple[str | None, str | None, str | None], queries: int, variance: float | None
) -> Iterator[Chance]:
    for drop in asked.drops:
        if not variance or not math.isfinite(variance) or queries < 2:
            yield Chance(*about, queries, variance, drop)
            continue
        gate = (queries, drop, asked.gate or 0.0, math.sqrt(variance))
        yield Chance(
            *about,
            queries,
            variance,
            drop,
            power.measured_beyond(*gate),
            power.shown_beyond(*gate, asked.alpha),
            power.shown_and_measured_beyond(*gate, asked.alpha),
            1 - power.shown_within(*gate, asked.alpha),
        )
