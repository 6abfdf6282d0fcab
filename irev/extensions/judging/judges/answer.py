"""Judges: whether those who judged the same documents agree, and what becomes of runs under each of them.

`pool` brings judgments onto the same pairs of query and document. `agreement_of` has the coefficients of every two
judges and of all, `merge` makes one set of judgments of several, and `runs_under` holds the orders of runs that judges
lead to against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, UsageError, decimal, option
from irev.base.segments import Floats, Ints, mean
from irev.base.text import named
from irev.commands.agreement import Ordering, agreement, orderings_of, require_orders
from irev.evaluation.comparison.contrasts import Contrast, compare
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.inputs import Inputs, outcomes_of, require_read_twice
from irev.evaluation.result import Outcome
from irev.extensions.judging import raters
from irev.extensions.judging.judges import PREFERENCES, JudgesChoices
from irev.extensions.judging.judges.finding import COEFFICIENTS, Judges
from irev.extensions.judging.judges.results import (
    FEWEST_QUERIES,
    Coefficient,
    Conflict,
    GradesOfJudges,
    Judge,
    Merged,
    OfTopic,
    Order,
    Pair,
    PairUnder,
    Pooled,
    RunsUnder,
    Together,
    pool,
)
from irev.reading.judgments import Judgments
from irev.statistics import corrections, correlations
from irev.statistics.plan import Plan
from irev.statistics.ratios import around, p_of_zero, ratio

OF_RUNS = Plan(tests=("t",), correction="holm")
"""How pairs of runs are tested."""

FIRST, MAX, MEAN, MAJORITY = PREFERENCES

PROPORTIONS = frozenset({"equal", "overlap", "mean_overlap"})
"""Those that are from 0 to 1; the others are from -1 to 1."""

MOST_GRADES = 50
"""Coefficients of agreement are about a few grades that several documents have."""


def answer(inputs: Inputs, choices: JudgesChoices) -> Judges:
    """How far judges agree, with their judgments merged and runs measured under each where that is asked for."""
    require_read_twice(inputs)
    merging = choices.merge is not None
    for _, each in inputs.judged:
        if merging and each.details is not None:
            fact = f"these are judgments of {each.kind}, and {option('merge')} would keep only their grades"
            raise InputError(
                fact,
                each.name,
                f"leave out {option('merge')}: agreement is computed from the highest grade of each document",
            )
    pooled = pool(inputs.judged, choices.scales)
    found = agreement_of(pooled, choices, inputs.settings.level)
    under = None
    if inputs.runs:
        require_orders(inputs.requests)
        common = common_queries([each for _, each in inputs.judged])
        under = runs_under(outcomes_of(inputs, replace(inputs.settings, queries=common)), OF_RUNS)
    return replace(
        found,
        merged=merge(pooled, choices.prefer) if merging else None,
        under=under,
        inputs=tuple(inputs.files),
        everything=choices.per_query,
        explain=choices.explain,
        file=choices.merge,
        unsettled_to=choices.unsettled_to,
    )


def agreement_of(pooled: Pooled, choices: JudgesChoices, level: float) -> Judges:
    """How far judges agree: every two of them, and all.

    Raises
    ------
    UsageError
        For more than `MOST_GRADES` different grades.
    """
    given = pooled.judged
    grades = np.unique(pooled.grades[given])
    if len(grades) > MOST_GRADES:
        fact = f"{len(grades):,} different grades were given, too many for categories"
        raise UsageError(fact, remedy="--scale GRADE:GRADE,… maps them to few grades")
    _require_common_categories(pooled, choices)
    rating = np.where(given, np.searchsorted(grades, np.where(given, pooled.grades, grades[0])), -1)
    judges = tuple(_judge(pooled, place, level) for place in range(len(pooled.names)))
    highest = [(judge.name, judge.grades[-1][0]) for judge in judges if judge.grades]
    said = all(name in pooled.mapped for name, _ in highest)
    scales = dict(highest) if not said and len({most for _, most in highest}) > 1 else None
    of = _Coefficients(grades, choices, level, weighted=scales is None)
    pairs, apart = [], []
    for one, other in combinations(range(len(pooled.names)), 2):
        both = np.flatnonzero(given[:, one] & given[:, other])
        if len(both):
            pairs.append(_pair(pooled, rating, (one, other), both, of))
        else:
            apart.append((pooled.names[one], pooled.names[other]))
    return Judges(
        level=level,
        weights=choices.weights,
        alpha_level=choices.alpha_level,
        confidence=choices.confidence,
        inputs=(),
        grades=tuple(grades.tolist()),
        scales=scales,
        judges=judges,
        pairs=tuple(pairs),
        apart=tuple(apart),
        together=_together(pooled, rating, pairs, of) if len(judges) > 2 else None,
        pooled=pooled,
    )


def _require_common_categories(pooled: Pooled, choices: JudgesChoices) -> None:
    """Raise `InputError` where one judge gives scores, such as 0.85, and another whole grades: as categories they
    cannot agree. Coefficients of distances can be computed: ``--alpha interval``."""
    grades = {name: of[~np.isnan(of)] for name, of in zip(pooled.names, pooled.grades.T, strict=True)}
    scores = [name for name, of in grades.items() if (of % 1).any() and name not in pooled.mapped]
    if choices.alpha_level == "interval" or len(scores) in (0, len(grades)):
        return
    highest = float(grades[scores[0]].max())
    example = next(each for each in grades[scores[0]].tolist() if each % 1)
    top = decimal(max(1.0, math.ceil(highest)))
    threshold = decimal(float(top) / 2)
    scale = f"{named(scores[0])}=0..{threshold}:0,{threshold}..{top}:1"
    raise InputError(
        f"{named(scores[0])} gives scores such as {decimal(example)}, and other judges give whole grades",
        remedy=f"map ranges of scores to grades, with your threshold: {option('scale', scale)}; or compare distances:"
        f" {option('alpha', 'interval')}",
    )


def _judge(pooled: Pooled, place: int, level: float) -> Judge:
    given = pooled.judged[:, place]
    grade = pooled.grades[given, place]
    values, counts = np.unique(grade, return_counts=True)
    n = len(grade)
    return Judge(
        pooled.names[place],
        n,
        pooled.left_out[place],
        len(segments.distinct(pooled.query[given])),
        float(grade.sum() / n) if n else None,
        _share((grade >= level).sum(), n),
        tuple(zip(values.tolist(), counts.tolist(), strict=True)),
    )


class _Coefficients:
    """The coefficients of two judges, as functions of tables."""

    def __init__(self, grades: Floats, choices: JudgesChoices, level: float, weighted: bool) -> None:
        self.grades, self.choices, self.weighted = grades, choices, weighted
        self.relevant = grades >= level

    def of_tables(self) -> dict[str, raters.Coefficient]:
        plain, distant = (raters.apart(weights, self.grades) for weights in ("none", self.choices.weights))
        found: dict[str, raters.Coefficient] = {
            "equal": raters.equal,
            "kappa": lambda tables: raters.kappa(tables, plain),
            "overlap": lambda tables: raters.overlap(tables, self.relevant),
        }
        if self.weighted:
            found["weighted"] = lambda tables: raters.kappa(tables, distant)
        return found

    def fleiss(self, tables: Floats) -> Floats:
        return raters.kappa(tables, raters.apart("none", self.grades))

    def alpha(self, tables: Floats) -> Floats:
        return raters.alpha(tables, self.choices.alpha_level, self.grades)

    def measured(self, name: str, kind: raters.Coefficient, counted: Floats) -> Coefficient:
        """The value for all topics, and its interval."""
        span = raters.interval(kind, counted, self.choices.confidence, name in PROPORTIONS)
        return Coefficient(_number(kind(counted.sum(axis=0))), span)


def _pair(pooled: Pooled, rating: Ints, places: tuple[int, int], both: Ints, of: _Coefficients) -> Pair:
    one, other = places
    first, second = rating[both, one], rating[both, other]
    known = segments.distinct(pooled.query[both])
    topic = np.searchsorted(known, pooled.query[both])
    counted = raters.tables(first, second, topic, len(known), len(of.grades))
    kinds = of.of_tables()
    mirrored = counted + counted.transpose(0, 2, 1)  # each pair of ratings, in both orders
    equal, kappa, overlap = (kinds[name](counted) for name in ("equal", "kappa", "overlap"))
    found = {name: of.measured(name, kind, counted) for name, kind in kinds.items()}
    found["fleiss"] = of.measured("fleiss", of.fleiss, mirrored)
    found["alpha"] = of.measured("alpha", of.alpha, mirrored)
    overlaps = overlap[~np.isnan(overlap)]
    found["mean_overlap"] = of.measured("mean_overlap", raters.share, np.stack([overlaps, np.ones(len(overlaps))], 1))
    coefficients = {name: found.get(name, Coefficient(None, None)) for name in COEFFICIENTS}
    relevant = counted[:, of.relevant, :].sum(axis=(1, 2)), counted[:, :, of.relevant].sum(axis=(1, 2))
    topics = tuple(
        OfTopic(
            pooled.queries[query],
            int(counted[place].sum()),
            _number(equal[place]),
            _number(kappa[place]),
            _number(overlap[place]),
            (int(relevant[0][place]), int(relevant[1][place])),
        )
        for place, query in enumerate(known.tolist())
    )
    table = counted.sum(axis=0).astype(np.int64)
    grades = _grades(counted, of) if of.weighted else None
    return Pair(pooled.names[one], pooled.names[other], len(both), len(known), table, coefficients, topics, grades)


def _grades(counted: Floats, of: _Coefficients) -> GradesOfJudges:
    """Test whether one judge gives higher grades than the other, from a table of grades for each topic."""
    first, second = (counted.sum(axis=axis) @ of.grades for axis in (2, 1))
    documents = counted.sum(axis=(1, 2))
    apart = ratio(second - first, documents)
    one, other = (float(each.sum() / documents.sum()) for each in (first, second))
    return GradesOfJudges(
        one, other, around(apart, of.choices.confidence), p_of_zero(apart), raters.homogeneity(counted)
    )


def _together(pooled: Pooled, rating: Ints, pairs: Sequence[Pair], of: _Coefficients) -> Together:
    given = pooled.judged
    several = np.flatnonzero(given.sum(axis=1) > 1)
    known = segments.distinct(pooled.query[several])
    topic = np.searchsorted(known, pooled.query[several])
    counted = raters.coincidences(rating[several], topic, len(known), len(of.grades))
    whole = given.all(axis=1)
    every, query = rating[whole], pooled.query[whole]
    relevant = of.relevant[every]
    either = np.bincount(query[relevant.any(axis=1)], minlength=len(pooled.queries))
    by_all = np.bincount(query[relevant.all(axis=1)], minlength=len(pooled.queries))[either > 0]
    overlaps = by_all / either[either > 0]
    topics, topic_of = np.unique(query, return_inverse=True)
    complete = raters.coincidences(every, topic_of, len(topics), len(of.grades))
    coefficients = {
        "equal": Coefficient(_share((every == every[:, :1]).all(axis=1).sum(), len(every)), None),
        "fleiss": of.measured("fleiss", of.fleiss, complete),
        "alpha": of.measured("alpha", of.alpha, counted),
        "overlap": Coefficient(_share(by_all.sum(), int(either.sum())), None),
        "mean_overlap": Coefficient(mean(overlaps) if len(overlaps) else None, None),
    }
    for name in ("kappa", "weighted"):
        values = [pair.coefficients[name].value for pair in pairs]
        defined = [value for value in values if value is not None]
        every_pair = len(defined) == len(pooled.names) * (len(pooled.names) - 1) // 2
        coefficients[name] = Coefficient(mean(np.array(defined)) if every_pair else None, None)
    return Together(len(several), len(known), len(every), {name: coefficients[name] for name in COEFFICIENTS})


def _number(value: Floats | float) -> float | None:
    return None if np.isnan(value) else float(value)


def _share(part: int, whole: int) -> float | None:
    return float(part) / whole if whole else None


# One set of judgments of several


def merge(pooled: Pooled, prefer: str) -> Merged:
    """Make one grade of those of all judges for each pair; where they differ, as `PREFERENCES` has it."""
    given = pooled.judged
    grades = np.where(given, pooled.grades, -np.inf)
    first = pooled.grades[np.arange(len(given)), given.argmax(axis=1)]
    highest = grades.max(axis=1)
    differ = np.flatnonzero((given & (pooled.grades != first[:, None])).any(axis=1))
    merged = first.copy()
    without = 0
    if prefer == MAX:
        merged = highest
    elif prefer == MEAN:
        total = np.zeros(len(given))
        for judge in range(given.shape[1]):  # one after the other, as aggregates add
            total += np.where(given[:, judge], pooled.grades[:, judge], 0.0)
        merged[differ] = total[differ] / given[differ].sum(axis=1)
    elif prefer == MAJORITY:
        for pair in differ.tolist():
            own = pooled.grades[pair, given[pair]].tolist()
            counts = {grade: own.count(grade) for grade in own}
            most = max(counts.values())
            leading = [grade for grade, count in counts.items() if count == most]
            merged[pair] = leading[0]
            without += len(leading) > 1
    conflicts = tuple(
        Conflict(
            pooled.queries[pooled.query[pair]],
            pooled.document(pair),
            tuple(None if np.isnan(grade) else grade for grade in pooled.grades[pair].tolist()),
            float(merged[pair]),
        )
        for pair in differ.tolist()
    )
    return Merged(prefer, int((given.sum(axis=1) > 1).sum()), without, conflicts, merged)


# Runs


def common_queries(judgments: Sequence[Judgments]) -> tuple[bytes, ...]:
    """The queries that all judges judged, in byte order; one of which all grades are negative was not.

    Raises
    ------
    InputError
        When there are none.
    """
    judged = [{each.queries[query] for query in segments.distinct(each.query[each.grade >= 0])} for each in judgments]
    common = set.intersection(*judged)
    if not common:
        raise InputError("no query was judged by all judges", remedy="leave out --run, or a judge")
    return tuple(sorted(common))


def runs_under(outcomes: Sequence[Outcome], plan: Plan) -> RunsUnder:
    """The orders that judges bring runs into, how far these agree, and which pairs of runs change places.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Every run under every judge, all over the same queries.
    plan : Plan
        How differences between runs are tested, all pairs of them.

    Raises
    ------
    UsageError
        For fewer than two runs.
    """
    judges = tuple(dict.fromkeys(outcome.qrels for outcome in outcomes))
    under = {judge: [outcome for outcome in outcomes if outcome.qrels == judge] for judge in judges}
    runs = tuple(outcome.run for outcome in under[judges[0]])
    if len(runs) < 2:
        raise UsageError("there is nothing to order", remedy="give at least two runs")
    orderings = [(judge, ordering.name, ordering) for judge in judges for ordering in orderings_of(under[judge], ())[1]]
    contrasts = {judge: _contrasts(under[judge], plan) for judge in judges}
    agreed, pairs = [], []
    for (one, measure, first), (other, same, second) in combinations(orderings, 2):
        if measure == same:
            found = _pairs(measure, (one, other), runs, (first, second), contrasts)
            agreed.append(_order(measure, (one, other), runs, (first, second), found, plan))
            pairs += found
    return RunsUnder(runs, outcomes[0].scores.considered, tuple(orderings), tuple(agreed), tuple(pairs), plan)


def _contrasts(outcomes: Sequence[Outcome], plan: Plan) -> dict[tuple[str, str, str], Contrast]:
    """Every run against every other, under each measure."""
    requests = [column.request for column in outcomes[0].columns if column.request.measure.numeric]
    if not requests:
        return {}
    compared = compare(aligned_outcomes(outcomes, requests, both=False), None, plan).compared
    return {
        (each.measured.quantity.standard, contrast.baseline, contrast.run): contrast
        for each in compared
        for contrast in each.contrasts
    }


def _pairs(
    measure: str,
    judges: tuple[str, str],
    runs: Sequence[str],
    orderings: tuple[Ordering, Ordering],
    contrasts: Mapping[str, Mapping[tuple[str, str, str], Contrast]],
) -> list[PairUnder]:
    """All pairs of runs that have a difference under both judges."""
    one, other = (ordering.merit for ordering in orderings)
    found = []
    for i, j in combinations(range(len(runs)), 2):
        key = (measure, runs[i], runs[j])
        if all(key in contrasts[judge] for judge in judges):
            first, second = (contrasts[judge][key] for judge in judges)
            apart = second.differences - first.differences
            change = ratio(apart, np.ones(len(apart)))
            swapped = bool((one[i] - one[j]) * (other[i] - other[j]) < 0)
            span = around(change, OF_RUNS.confidence)
            found.append(PairUnder(measure, *judges, (first, second), swapped, change, span, p_of_zero(change)))
    adjusted = corrections.adjusted("holm", [each.p for each in found])
    return [each._replace(p=p) for each, p in zip(found, adjusted, strict=True)]


def _order(
    measure: str,
    judges: tuple[str, str],
    runs: Sequence[str],
    orderings: tuple[Ordering, Ordering],
    pairs: Sequence[PairUnder],
    plan: Plan,
) -> Order:
    (each,) = agreement(runs, orderings).agreed
    span = None
    if each.tau_b is not None and pairs and len(pairs[0].contrasts[0].values) >= FEWEST_QUERIES:
        first, second = (np.stack([_values(run, pairs, judge) for run in runs], axis=1) for judge in (0, 1))
        span = raters.tau_interval(each.tau_b, first, second, plan.confidence, plan.seed)
    half = (len(runs) + 1) // 2
    top = [run for run, places in enumerate(zip(*(of.places for of in orderings), strict=True)) if min(places) <= half]
    one, other = (ordering.merit[top] for ordering in orderings)
    tau_top = correlations.kendall_b(one, other) if len(runs) > 3 else None
    return Order(measure, *judges, each, span, len(top), tau_top)


def _values(run: str, pairs: Sequence[PairUnder], judge: int) -> Floats:
    """The values of single queries of a run under the first or the second judge."""
    for each in pairs:
        contrast = each.contrasts[judge]
        if run in (contrast.run, contrast.baseline):
            return contrast.values if run == contrast.run else contrast.baseline_values
    raise KeyError(run)
