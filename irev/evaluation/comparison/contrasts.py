"""Comparison: the values of several runs on the same queries in, what their differences show out.

`compare` makes every contrast of two, with tests, intervals, effect sizes and what it takes to read them: corrections
for many tests, the share of the variance that queries have, and how many queries would be needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import NamedTuple, TypeVar

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, difference, mean
from irev.evaluation.comparison import (
    Aligned,
    Measured,
    differences_of,
    firsts_of,
    pairs_of,
    shares_of,
    without_unjudged,
)
from irev.statistics import corrections, effects, intervals, maximum_t, paired, variance
from irev.statistics.effects import Effect, Equivalence, NeedSpan
from irev.statistics.intervals import Interval
from irev.statistics.paired import TestResult
from irev.statistics.plan import MAX_T, OF_MEANS, TUKEY, Plan
from irev.statistics.rounding import sized
from irev.statistics.variance import Anova

POWER = 0.8
"""The power that `Contrast.needed` is for."""

MANY = 1000
"""With as many queries, differences too small to matter become significant."""


@dataclass(frozen=True)
class Unjudged:
    """The comparison of two runs without unjudged documents, so that lower results move up.

    Attributes
    ----------
    depth : int
        How many ranks are looked at for judged documents.
    baseline_judged, judged : float
        Shares of judged documents among these, means over all queries; a query without results has 1.
    difference : float
    interval : Interval or None
    p : float or None
        Of the first test, corrected as `Contrast.adjusted`.
    finding : str
        One of `FINDINGS`.
    bounds : Interval or None
        The difference if the unjudged documents among the first ranks have the highest grade for one run alone, the
        baseline or the run; the ideal ranking stays the same. None for measures without a cutoff.
    few : bool
        Whether one of the runs has too few judged documents to fill the first ranks, and the bounds contain 0: without
        unjudged documents its list is shorter then, and says little.
    """

    depth: int
    baseline_judged: float
    judged: float
    difference: float
    interval: Interval | None
    p: float | None
    finding: str
    bounds: Interval | None = None
    few: bool = False


@dataclass(frozen=True, eq=False)
class Contrast:
    """One run against another, under one measure.

    Differences are those of the run minus the baseline. Wins are queries on which the run is better, which it is with
    a lower value where lower is better.

    Attributes
    ----------
    baseline, run : str
    baseline_values, values : (n,)
        Of every query. They are parts of one table for all contrasts.
    baseline_mean, mean : float
    difference : float
        Mean of the differences.
    relative : float or None
        The difference as a share of the baseline's mean; None where that is 0.
    wins, ties, losses : int
        Queries.
    effect : Effect
        Positive where the run is better.
    interval : Interval or None
        Of the difference; None where there is none.
    tests : tuple of TestResult
        In the order of `Plan.tests`.
    adjusted : tuple of (float or None)
        The p-value of each test, corrected within its family.
    least : tuple of (float or None)
        The smallest value that `adjusted` can have with so few queries that differ; None where there is no such limit,
        or none is known, as for Tukey's test.
    equivalent : Equivalence or None
        Whether the two are the same within the margin, where there is one.
    needed : int or None
        Queries that a t-test with the plan's alternative and correction would need to find this difference with the
        power `POWER`; None where none are enough.
    needed_span : NeedSpan or None
        The same for the ends of the interval of the effect; None where that has none.
    finding : str
        One of `FINDINGS`.
    design_effect : float or None
        How many times larger the variance of the difference is than if queries did not depend on each other, where
        they are in clusters.
    unjudged : Unjudged or None
        Where clearly more is judged of one run than of the other.
    unseen : float
        The part of the interval's standard error that is `intervals.unseen`; 0 where all queries differ.
    zero_inside : bool
        Whether a test of the mean finds a difference, and the interval contains 0 because of that part.
    unknown : str
        Why that is unknown; empty if it is known.
    """

    baseline: str
    run: str
    baseline_values: Floats
    values: Floats
    baseline_mean: float
    mean: float
    difference: float
    relative: float | None
    wins: int
    ties: int
    losses: int
    effect: Effect
    interval: Interval | None
    tests: tuple[TestResult, ...]
    adjusted: tuple[float | None, ...]
    least: tuple[float | None, ...]
    equivalent: Equivalence | None
    needed: int | None
    needed_span: NeedSpan | None
    finding: str
    design_effect: float | None = None
    unjudged: Unjudged | None = None
    unseen: float = 0.0
    zero_inside: bool = False
    unknown: str = ""

    @property
    def rests_on_unjudged(self) -> bool | None:
        """Return True if the finding is another one without unjudged documents, or of a run with few others; None if
        that is unknown."""
        if self.finding not in (BETTER, WORSE, EQUIVALENT, NO_WORSE):
            return False
        if self.unknown:
            return None
        other = self.unjudged
        return other is not None and (other.few or other.finding != self.finding)

    @property
    def differences(self) -> Floats:
        """(n,) Of every query; 0 where both have the same infinite value. Not kept: pairs may be many."""
        return difference(self.values, self.baseline_values)


FINDINGS = {
    "better": "the run is significantly better, by the first test",
    "worse": "the run is significantly worse, by the first test",
    "equivalent": "two one-sided tests show that the runs differ by less than the margin",
    "no worse": "a one-sided test shows that the run is not worse by the margin or more",
    "not shown": "no difference is shown, which does not mean that there is none",
    "no test": "the test is not defined for such values",
}
"""What a contrast shows, and what that means."""

BETTER, WORSE, EQUIVALENT, NO_WORSE, NOT_SHOWN, UNKNOWN = FINDINGS


@dataclass(frozen=True, eq=False)
class Compared:
    """What one measure shows.

    Attributes
    ----------
    measured : Measured
    means : tuple of float
        Of every run.
    intervals : tuple of (Interval or None)
        Of these means.
    contrasts : tuple of Contrast
    family : int
        How many p-values of the first test are corrected together; with Tukey's, which has all pairs, how many these
        are.
    drawn : str
        How a correction that takes the values of all runs knew: ``100,000 joint sign flips, seed 0``; else empty.
    anova : Anova
        Of all runs and queries.
    """

    measured: Measured
    means: tuple[float, ...]
    intervals: tuple[Interval | None, ...]
    contrasts: tuple[Contrast, ...]
    family: int
    drawn: str
    anova: Anova


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Several runs, compared.

    Attributes
    ----------
    runs : tuple of str
    baseline : str or None
        The run that all others are compared with; None where all pairs are.
    compared : tuple of Compared
        One for each measure.
    plan : Plan
    correction : str
        The one that was made.
    others : int
        Pairs without the baseline, which were tested together with these because the baseline is the best run.
    """

    runs: tuple[str, ...]
    baseline: str | None
    compared: tuple[Compared, ...]
    plan: Plan
    correction: str
    others: int = 0


T = TypeVar("T")

_AT_ONCE = 1 << 22
"""So many differences are held together; the pairs of many runs have far more than the runs have values."""


def _by_pair(
    function: Callable[[Floats, Ints | None], list[T]], measured: Measured, pairs: Sequence[tuple[int, int]]
) -> list[T]:
    """Call the function with arrays of differences (queries, pairs) and clusters, and join the results."""
    values = measured.values
    step = max(1, _AT_ONCE // max(len(values), 1))
    parts = (pairs[begin : begin + step] for begin in range(0, len(pairs), step))
    return [found for part in parts for found in function(differences_of(values, part), measured.cluster)]


def compare(
    aligned: Aligned, baseline: int | None, plan: Plan, with_needs: bool = True, best: bool = False
) -> ComparedRuns:
    """Compare runs under every measure.

    Parameters
    ----------
    aligned : Aligned
        At least two runs.
    baseline : int or None
        The place of the run that the others are compared with; None for all pairs.
    plan : Plan
        The tests, intervals, and corrections.
    with_needs : bool
        Whether the number of queries needed and intervals of effects are computed, which take most of the time.
    best : bool
        The baseline was chosen because it is the best of these runs. All pairs are tested then, as without a
        baseline, with the same correction and the same p-values; only the contrasts with the best are kept.

    Raises
    ------
    UsageError
        For fewer than two runs, a correction that does not suit the tests, and all pairs with an alternative that has a
        direction.
    """
    if len(aligned.runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    kept = pairs_of(len(aligned.runs), baseline)
    pairs = [*kept, *(pair for pair in pairs_of(len(aligned.runs), None) if baseline not in pair)] if best else kept
    firsts = firsts_of(aligned.measured) if plan.family == "all" else [*range(len(aligned.measured))]
    own = {place: aligned.measured[place] for place in sorted({*firsts})}
    tests = len(pairs) * (len(own) if plan.family == "all" else 1)
    all_pairs = best or baseline is None
    require_suitable(plan, all_pairs)
    correction = corrections.chosen(plan, tests, all_pairs)
    tested = [_tested(measured, pairs, plan) for measured in own.values()]
    adjusted, least, drawn = _adjusted(tested, [*own.values()], pairs, plan, correction)
    sizes = _family_sizes(adjusted, len(aligned.runs), plan, correction)
    levels = [corrections.level(correction, plan.alpha, max(size, 1)) for size in sizes]
    spans = [_intervals(each, kept, plan) for each in own.values()]
    together = map(_FoundTogether, sizes, levels, drawn, spans, tested, adjusted, least)
    found = dict(zip(own, together, strict=True))
    compared = tuple(
        _compared(aligned, measured, kept, plan, with_needs, found[first])
        for measured, first in zip(aligned.measured, firsts, strict=True)
    )
    called = None if baseline is None else aligned.runs[baseline]
    again = partial(compare, baseline=baseline, plan=plan, with_needs=False, best=best)
    compared = _with_unjudged(compared, kept, aligned, plan.family, again)
    return ComparedRuns(aligned.runs, called, compared, plan, correction, len(pairs) - len(kept))


MORE_JUDGED = 0.05
"""A difference of the shares of judged documents, half a document of ten, up to which unjudged documents decide no
more than chance does: docs/judgments.md has the simulation."""


def unevenly_judged(measured: Measured, pairs: Sequence[tuple[int, int]]) -> list[bool]:
    """Of which pairs clearly more of one run is judged: by more than `MORE_JUDGED`, and other than by chance."""
    if measured.condensed is None:
        return [False] * len(pairs)

    def uneven(differences: Floats, cluster: Ints | None) -> list[bool]:
        spans = intervals.interval("t", paired.jackknifed(differences, cluster), Plan())
        means = np.abs(differences.mean(axis=0)).tolist()
        return [
            size > MORE_JUDGED and span is not None and not span.low <= 0 <= span.high
            for size, span in zip(means, spans, strict=True)
        ]

    return _by_pair(uneven, replace(measured, values=shares_of(measured.condensed)), pairs)


def _with_unjudged(
    compared: tuple[Compared, ...],
    pairs: Sequence[tuple[int, int]],
    aligned: Aligned,
    family: str,
    compare: Callable[[Aligned], ComparedRuns],
) -> tuple[Compared, ...]:
    """Add the comparison without unjudged documents to each unevenly judged pair."""
    uneven = [unevenly_judged(measured, pairs) for measured in aligned.measured]
    if not any(map(any, uneven)):
        return compared
    # With one family of all measures, the others are needed for its correction.
    chosen = [family == "all" or any(of_pairs) for of_pairs in uneven]
    condensed = tuple(map(without_unjudged, compress(aligned.measured, chosen)))
    found_again = iter(compare(replace(aligned, measured=condensed)).compared)
    again = [next(found_again) if use else one for one, use in zip(compared, chosen, strict=True)]
    return tuple(
        replace(
            one,
            contrasts=tuple(
                replace(contrast, unjudged=_unjudged(one.measured, pair, found)) if is_uneven else contrast
                for contrast, found, pair, is_uneven in zip(
                    one.contrasts, other.contrasts, pairs, of_pairs, strict=True
                )
            ),
        )
        for one, other, of_pairs in zip(compared, again, uneven, strict=True)
    )


def _unjudged(measured: Measured, pair: tuple[int, int], found: Contrast) -> Unjudged | None:
    if measured.condensed is None:
        return None
    baseline, run = (mean(shares_of(measured.condensed)[:, run]) for run in pair)
    shown = found.difference, found.interval, found.adjusted[0], found.finding
    bounds = None
    if (best := measured.condensed.best) is not None:
        before, after = ((mean(measured.values[:, of]), mean(best[:, of])) for of in pair)
        bounds = Interval(after[0] - before[1], after[1] - before[0])
    known = bounds is not None and not bounds.low <= 0 <= bounds.high
    condensed = measured.condensed
    few = not (condensed.judged[:, pair] > 0).any(axis=0).all()
    if bounds is not None:
        few |= any(condensed.retrieved[of] < condensed.depth for of in pair)
    return Unjudged(condensed.depth, baseline, run, *shown, bounds, few and not known)


def require_suitable(plan: Plan, all_pairs: bool) -> None:
    """Raise what `compare` would raise for a plan that does not suit its tests or pairs, to be told at once."""
    if all_pairs and plan.alternative != "two-sided" and plan.correction != TUKEY:
        fact = f"all pairs are tested, and none has a baseline; so the alternative {plan.alternative} has no meaning"
        raise UsageError(fact, remedy="name a baseline, or leave the alternative two-sided")
    if plan.correction == MAX_T and (odd := [name for name in plan.tests if name not in OF_MEANS]):
        fact = f"the maximum-t method corrects tests of the mean by sign flips; --test {odd[0]} is not such a test"
        raise UsageError(fact, remedy="choose another correction, such as holm, or --test t or randomization")
    if plan.correction != TUKEY:
        return
    if plan.tests != ("randomization",):
        raise UsageError(
            "Tukey's test is made by randomisation here", remedy="leave out --test, or use --test randomization"
        )
    if plan.alternative != "two-sided":
        raise UsageError("Tukey's test is two-sided", remedy="choose another correction, such as holm")
    if plan.family == "all":
        raise UsageError("Tukey's test is made for each measure", remedy="leave out --family all")


_ByTest = list[list[TestResult]]
"""For each test, what it gives for each pair."""


def _tested(measured: Measured, pairs: Sequence[tuple[int, int]], plan: Plan) -> _ByTest:
    def tested(name: str) -> list[TestResult]:
        rows = paired.rows_for(name)
        return _by_pair(lambda each, cluster: paired.test(name, rows(each, cluster), plan), measured, pairs)

    return [tested(name) for name in plan.tests]


_PValues = list[float | None]

_Adjusted = list[_PValues]
"""For each test, the corrected p-value of each pair."""


def _adjusted(
    tested: Sequence[_ByTest],
    measured: Sequence[Measured],
    pairs: Sequence[tuple[int, int]],
    plan: Plan,
    correction: str,
) -> tuple[list[_Adjusted], list[_Adjusted], list[str]]:
    """The corrected p-values of every measure, the smallest that these can be, and `Compared.drawn`."""
    if correction == TUKEY:
        drawn = f"{plan.samples:,} samples, seed {plan.seed}"
        unknown: _Adjusted = [[None] * len(pairs)]
        return [[_by_tukey(each, pairs, plan)] for each in measured], [unknown] * len(measured), [drawn] * len(measured)
    result: list[_Adjusted] = [[] for _ in tested]
    limits: list[_Adjusted] = [[] for _ in tested]
    said = [""] * len(measured)
    for family in _families(measured, plan):
        for place in range(len(plan.tests)):
            alone = [t for number in family for t in tested[number][place]]
            p = [t.p for t in alone]
            if correction == MAX_T:
                columns = _joined([measured[number] for number in family], pairs, [value is not None for value in p])
                together, least, drawn = _by_maximum_t(columns, p, plan)
            else:
                together = corrections.adjusted(correction, p)
                least, drawn = corrections.least(correction, alone), ""
            for i, number in enumerate(family):
                mine = slice(i * len(pairs), (i + 1) * len(pairs))
                result[number].append(together[mine])
                limits[number].append(least[mine])
                said[number] = drawn
    return result, limits, said


def _families(measured: Sequence[Measured], plan: Plan) -> list[list[int]]:
    """The places of measures whose tests and intervals are corrected together."""
    places = list(range(len(measured)))
    return [places] if plan.family == "all" else [[place] for place in places]


class _Joined(NamedTuple):
    """Measures side by side: values that may be squared (n, k · measures), and pairs of their columns."""

    values: Floats
    pairs: list[tuple[int, int]]


def _joined(measured: Sequence[Measured], pairs: Sequence[tuple[int, int]], counting: Sequence[bool]) -> _Joined:
    """The contrasts of measures on the same queries that count, of which all differences are finite."""
    # Two runs that differ by finite numbers have the same infinite values, if any.
    finite = [
        sized(paired.cluster_sums(np.where(np.isfinite(each.values), each.values, 0.0), each.cluster))
        for each in measured
    ]
    runs = finite[0].shape[1]
    placed = [(base + i * runs, run + i * runs) for i in range(len(measured)) for base, run in pairs]
    return _Joined(np.hstack(finite), [pair for pair, counts in zip(placed, counting, strict=True) if counts])


def _by_maximum_t(columns: _Joined, p: _PValues, plan: Plan) -> tuple[_PValues, _PValues, str]:
    if not columns.pairs:
        return p, [None] * len(p), ""
    found = iter(maximum_t.adjusted(*columns, plan).tolist())
    least = maximum_t.least(*columns, plan)
    return (
        [None if value is None else next(found) for value in p],
        [None if value is None else least for value in p],
        maximum_t.method(*columns, plan),
    )


def _intervals(measured: Measured, pairs: Sequence[tuple[int, int]], plan: Plan) -> list[Interval | None]:
    """The intervals of the differences."""
    largest = intervals.possible(measured.values)
    return _by_pair(
        lambda differences, cluster: intervals.of_differences(differences, plan, largest, cluster), measured, pairs
    )


def _family_sizes(adjusted: Sequence[_Adjusted], runs: int, plan: Plan, correction: str) -> list[int]:
    """`Compared.family` of every measure: a test without a p-value does not count."""
    sizes = [sum(p is not None for p in of[0]) for of in adjusted]
    if correction == TUKEY:
        return [math.comb(runs, 2) if size else 0 for size in sizes]
    return [sum(sizes)] * len(sizes) if plan.family == "all" else sizes


def _by_tukey(measured: Measured, pairs: Sequence[tuple[int, int]], plan: Plan) -> list[float | None]:
    if len(measured.queries) < 2 or not np.isfinite(measured.values).all():
        return [None] * len(pairs)
    p = corrections.tukey(paired.cluster_sums(measured.values, measured.cluster), plan)
    return [float(p[base, run]) for base, run in pairs]


class _FoundTogether(NamedTuple):
    """What is known of all contrasts of a measure together: `Compared.family`, `corrections.level`, `Compared.drawn`,
    and by pair."""

    family: int
    level: float
    drawn: str
    intervals: Sequence[Interval | None]
    tested: _ByTest
    adjusted: _Adjusted
    least: _Adjusted


def _compared(
    aligned: Aligned,
    measured: Measured,
    pairs: Sequence[tuple[int, int]],
    plan: Plan,
    with_needs: bool,
    found: _FoundTogether,
) -> Compared:
    values = measured.values
    means = tuple(mean(values[:, run]) for run in range(values.shape[1]))
    rows = paired.jackknifed(values, measured.cluster)
    of_means = intervals.of_means(values, plan, rows)
    contrasts = tuple(
        _contrast(aligned.runs, measured, means, pair, plan, with_needs, found, number)
        for number, pair in enumerate(pairs)
    )
    return Compared(measured, means, tuple(of_means), contrasts, found.family, found.drawn, variance.anova(rows))


def _contrast(
    runs: Sequence[str],
    measured: Measured,
    means: Sequence[float],
    pair: tuple[int, int],
    plan: Plan,
    with_needs: bool,
    found: _FoundTogether,
    number: int,
) -> Contrast:
    """The contrast of a pair of runs, which has this number among all that were made."""
    (base, run), better = pair, measured.quantity.better
    values, baseline_values = measured.values[:, run], measured.values[:, base]
    differences = difference(values, baseline_values)
    adjusted = tuple(of[number] for of in found.adjusted)
    gains = -differences if better == "lower" else differences
    wins, ties, losses = paired.outcomes(gains)
    rows = gains if measured.cluster is None else paired.jackknifed(gains[:, None], measured.cluster)[:, 0]
    effect = effects.effect(gains, plan.confidence if with_needs else None, rows)
    margin, p = plan.margin, found.tested[0][number].p
    (unseen,) = intervals.unseen(gains[:, None], intervals.possible(measured.values), measured.cluster)
    equivalent = None if margin is None else effects.equivalence(rows, margin, unseen)
    between = mean(differences)
    needed = span = None
    alike = effects.design_effect(gains, rows)
    if effect.standardised is not None and alike and with_needs:
        size = len(gains) / len(rows)
        sign = (-1 if better == "lower" else 1) * math.sqrt(size / alike)
        needed = effects.queries_needed(sign * effect.standardised, found.level, POWER, plan.alternative, size)
        if effect.interval is not None:
            ends = [sign * end for end in effect.interval]
            span = effects.needed_span(min(ends), max(ends), found.level, POWER, plan.alternative, size)
    sums = paired.cluster_sums(differences[:, None], measured.cluster)[:, 0]
    finding = _finding(sums, better, adjusted[0], equivalent, plan)
    return Contrast(
        baseline=runs[base],
        run=runs[run],
        baseline_values=baseline_values,
        values=values,
        baseline_mean=means[base],
        mean=means[run],
        difference=between,
        relative=between / means[base] if means[base] and math.isfinite(between) else None,
        wins=wins,
        ties=ties,
        losses=losses,
        effect=effect,
        interval=found.intervals[number],
        tests=tuple(of[number] for of in found.tested),
        adjusted=adjusted,
        least=tuple(of[number] for of in found.least),
        unknown=measured.unknown,
        equivalent=equivalent,
        needed=needed,
        needed_span=span,
        finding=finding,
        design_effect=None if measured.cluster is None else alike,
        unseen=unseen,
        zero_inside=bool(unseen) and finding in (BETTER, WORSE) and _zero_inside(found.intervals[number], p, plan),
    )


def _zero_inside(span: Interval | None, p: float | None, plan: Plan) -> bool:
    """Return True if an interval contains 0, and one by a test of the mean with this p would not."""
    outside = (1 - plan.confidence) / (1 if plan.alternative == "two-sided" else 2)
    if span is None or p is None or p > outside or not paired.TESTS[plan.tests[0]].of_mean:
        return False
    return span.low <= 0 <= span.high


def _finding(differences: Floats, better: str, p: float | None, equivalent: Equivalence | None, plan: Plan) -> str:
    """What a contrast shows: equivalence first, since a difference within the margin does not matter."""
    if equivalent is not None and equivalent.p is not None and equivalent.p <= plan.alpha:
        return EQUIVALENT
    if p is not None and p <= plan.alpha:
        return BETTER if _shown_greater(differences, plan) == (better != "lower") else WORSE
    if equivalent is not None and equivalent.p_not_worse is not None and equivalent.p_not_worse <= plan.alpha:
        return NO_WORSE
    return UNKNOWN if p is None else NOT_SHOWN


def _shown_greater(differences: Floats, plan: Plan) -> bool:
    """Whether the values of the run, and not those of the baseline, are greater by a test that shows a difference.

    Tests of ranks and signs are not about the mean, which may lie on the other side.
    """
    if plan.alternative != "two-sided":
        return plan.alternative == "greater"
    if paired.TESTS[plan.tests[0]].of_mean:
        return mean(differences) > 0
    greater, less = (
        paired.test(plan.tests[0], differences[:, None], replace(plan, alternative=side))[0].p
        for side in ("greater", "less")
    )
    return greater is not None and less is not None and greater < less
