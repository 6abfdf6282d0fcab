"""Planning: how many queries it takes to find a difference, from runs that were measured or from a variance.

The designs are those of Sakai, Topic Set Size Design, Information Retrieval Journal 19(3), 2016: by a paired t-test, by
analysis of variance for several runs, or by the width of an interval.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from irev.analysis.comparison.alignment import Aligned
from irev.analysis.comparison.contrasts import differences_of, pairs_of
from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.errors import UsageError
from irev.statistics import effects, power
from irev.statistics.plan import DESIGNS, DesignKind
from irev.statistics.power import NeedSpan
from irev.statistics.variance import sample_variance

T, ANOVA, INTERVAL = DESIGNS


@dataclass(frozen=True)
class Design:
    """What a set of queries is to make possible.

    Attributes
    ----------
    kind : DesignKind
        One of `DESIGNS`.
    alpha, power : float
        Level of significance, and the probability of finding a difference that is there.
    alternative : str
        ``two-sided``, ``greater`` or ``less``; of a t-test alone.
    difference : float or None
        The least difference that is to be found; None for the one that was measured.
    variance : float or None
        Of the differences of single queries for a t-test or an interval, of queries within a run for ANOVA; None
        for the one that was measured.
    systems : int or None
        Runs to compare at a time; None for as many as were measured.
    width : float or None
        The width that an interval should have.
    """

    kind: DesignKind = T
    alpha: float = 0.05
    power: float = 0.8
    alternative: str = "two-sided"
    difference: float | None = None
    variance: float | None = None
    systems: int | None = None
    width: float | None = None


@dataclass(frozen=True)
class Need:
    """How many queries it takes.

    Attributes
    ----------
    measure, baseline, run : str
        What was measured, empty for a design from a variance.
    queries : int or None
        As many there are.
    difference, variance : float or None
        What the number was computed from.
    effect : float or None
        The difference over the standard deviation of differences.
    present : float or None
        The power that the queries that there are have to find the difference.
    needed : int or None
        None where no number of queries is enough, or the data say nothing.
    needed_span : NeedSpan or None
        The same for the ends of the interval of the effect, with a confidence of 1 - alpha, where a t-test is planned
        for the effect that was measured.
    """

    measure: str
    baseline: str
    run: str
    queries: int | None
    difference: float | None
    variance: float | None
    effect: float | None
    present: float | None
    needed: int | None
    needed_span: NeedSpan | None = None


def from_variance(design: Design) -> Need:
    """How many queries a design takes, without any data.

    Raises
    ------
    UsageError
        For a design that lacks a number.
    """
    _require_width(design)
    if design.variance is None:
        raise UsageError("without runs a variance is needed", remedy="give --variance, or judgments and runs")
    if design.kind == INTERVAL:
        return Need("", "", "", None, None, design.variance, None, None, _by_interval(design, design.variance))
    if design.difference is None:
        raise UsageError("without runs a difference is needed", remedy="give --difference, or judgments and runs")
    return _need(design, ("", "", ""), None, design.difference, design.variance, design.systems or 2)


def require_directed(design: Design, all_pairs: bool) -> None:
    """Raise `UsageError` for a direction without a run that the others could differ from in it.

    A difference that is asked for is the same for each pair; one that was measured has the sign that the order of the
    runs gives it.
    """
    if all_pairs and design.alternative != "two-sided" and design.difference is None:
        fact = f"of all pairs of runs none is the baseline that the others could be {design.alternative} than"
        raise UsageError(fact, remedy="name a baseline or a --difference, or leave the alternative two-sided")


def from_runs(aligned: Aligned, baseline: int | None, design: Design) -> list[Need]:
    """How many queries it takes for runs as different as these, or with a variance as theirs.

    For ``t`` and ``interval`` each pair of runs is looked at under every measure; for ``anova`` all runs together.

    Raises
    ------
    UsageError
        For a design that lacks a number, one run alone, and as `require_directed`.
    """
    _require_width(design)
    require_directed(design, baseline is None)
    if len(aligned.runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    pairs = pairs_of(len(aligned.runs), baseline)
    found = []
    for measured in aligned.measured:
        name = measured.quantity.standard
        if design.kind == ANOVA:
            means = [mean(column) for column in measured.values.T]
            spread = max(means) - min(means) if design.difference is None else design.difference
            variance = _within(measured.values) if design.variance is None else design.variance
            systems = design.systems or measured.values.shape[1]
            found.append(_need(design, (name, "", ""), len(measured.queries), spread, variance, systems))
            continue
        for (base, run), differences in zip(pairs, differences_of(measured.values, pairs).T, strict=True):
            variance = sample_variance(differences) if design.variance is None else design.variance
            about = (name, aligned.runs[base], aligned.runs[run])
            difference = mean(differences) if design.difference is None else design.difference
            need = _need(design, about, len(measured.queries), difference, variance, 2)
            if design.kind == T and design.difference is None and design.variance is None:
                span = effects.effect(differences, 0.0, 1 - design.alpha).interval
                if span is not None:
                    ends = power.needed_span(*span, design.alpha, design.power, design.alternative)
                    need = replace(need, needed_span=ends)
            found.append(need)
    return found


def _within(values: Floats) -> float | None:
    """The variance of queries within a run, of all runs together."""
    found = [sample_variance(column) for column in values.T]
    known = [variance for variance in found if variance is not None]
    return mean(np.array(known)) if len(known) == len(found) else None


def _need(
    design: Design,
    about: tuple[str, str, str],
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


def _by_interval(design: Design, variance: float) -> int | None:
    return power.needed_interval(design.width or 0.0, variance, design.alpha)


def _require_width(design: Design) -> None:
    if design.kind == INTERVAL and design.width is None:
        raise UsageError("the width of the interval is needed", remedy="give --width")
