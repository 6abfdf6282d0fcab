"""Judges: whether those who judged the same documents agree, and what becomes of runs under each of them.

`pool` brings judgments onto the same pairs of query and document. `agreement_of` has the coefficients of every two
judges and of all, `merge` makes one set of judgments of several, and `runs_under` holds the orders of runs that judges
lead to against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from irev.analysis.comparison.agreement import Agreed, Ordering, agreement, orderings_of
from irev.analysis.comparison.alignment import align
from irev.analysis.comparison.contrasts import BETTER, WORSE, Contrast, compare
from irev.analysis.comparison.systems import of_outcome, quantity_of
from irev.analysis.curves import of_agreement
from irev.base import segments
from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import named
from irev.errors import InputError, UsageError, decimal, shown
from irev.evaluation.curves.curve import Curves
from irev.evaluation.result import Outcome
from irev.reading import ids
from irev.reading.flat_ids import FlatIds
from irev.reading.qrels import Judgments
from irev.statistics import raters
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan

MOST_GRADES = 50
"""Coefficients of agreement are about a few grades that several documents have."""

FIRST, MAX, MEAN, MAJORITY = "first", "max", "mean", "majority"
PREFERENCES = {
    FIRST: "the grade of the first judge who gave one",
    MAX: "the highest grade",
    MEAN: "the mean of the grades",
    MAJORITY: "the grade that most judges gave, of several such that of the first judge",
}
"""How grades that differ become one."""


@dataclass(frozen=True)
class JudgeScale:
    """The grades of a judge, and what each comes to.

    Attributes
    ----------
    judge : str or None
        Whose; None for all who have no scale of their own.
    grades : tuple of (float, float)
        A grade, and what it comes to; a grade that is not there is refused.
    """

    judge: str | None
    grades: tuple[tuple[float, float], ...]


class Judge(NamedTuple):
    """What a judge judged.

    Attributes
    ----------
    name : str
    documents : int
        How many judgments there are, those with a negative grade left out.
    left_out : int
        How many these are: in the pool, and not judged.
    queries : int
    mean : float or None
        Of the grades; None where there are none.
    relevant : float or None
        The share of them at or above the level of relevance.
    grades : tuple of (float, int)
        How often each grade was given, rising.
    """

    name: str
    documents: int
    left_out: int
    queries: int
    mean: float | None
    relevant: float | None
    grades: tuple[tuple[float, int], ...]


@dataclass(frozen=True, eq=False)
class Pooled:
    """Judgments of several judges, `p` pairs of a query and a document that any of them judged.

    Attributes
    ----------
    names : tuple of str, length m
        What judges are called.
    queries : tuple of bytes
        In byte order.
    query : (p,)
        The place of each pair's query; rising.
    grades : (p, m)
        NaN where a judge gave none.
    left_out : tuple of int, length m
        Judgments with a negative grade.
    mapped : frozenset of str
        Judges whose scale was said.
    """

    names: tuple[str, ...]
    queries: tuple[bytes, ...]
    query: Ints
    grades: Floats
    left_out: tuple[int, ...]
    mapped: frozenset[str]
    _judgments: tuple[Judgments, ...] = field(repr=False)
    _place: tuple[Ints, Ints] = field(repr=False)

    def document(self, pair: int) -> bytes:
        """The document of a pair."""
        judge, row = (int(of[pair]) for of in self._place)
        judgments = self._judgments[judge]
        return ids.at(judgments.text, judgments.document_start[row], judgments.document_length[row])

    @property
    def judged(self) -> Bools:
        """(p, m) Who judged what."""
        return ~np.isnan(self.grades)


def pool(names: Sequence[str], judgments: Sequence[Judgments], scales: Sequence[JudgeScale] = ()) -> Pooled:
    """Bring judgments onto the same pairs of query and document.

    Parameters
    ----------
    names : sequence of str
        What judges are called, no two alike.
    judgments : sequence of Judgments
        Of each; negative grades are left out.
    scales : sequence of JudgeScale
        What grades come to.

    Raises
    ------
    UsageError
        For fewer than two judges, two that are called alike, and a scale of nobody.
    InputError
        For a grade that its scale does not have, and judges without a pair in common.
    """
    if len(names) < 2:
        raise UsageError("there is nobody to agree with", remedy="give the judgments of at least two judges")
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise UsageError(f"two judges are called {named(again)}", remedy="NAME=FILE calls a judge otherwise")
    for scale in scales:
        if scale.judge is not None and scale.judge not in names:
            raise UsageError(
                f"there is no judge {named(scale.judge)}", remedy=f"there are {', '.join(map(named, names))}"
            )
    for each in judgments:
        if not each.assigned:
            each.require_grades("agreement is")
    queries = tuple(sorted({query for each in judgments for query in each.queries}))
    place = {query: number for number, query in enumerate(queries)}
    kept: list[Ints] = []
    grades: list[Floats] = []
    for name, each in zip(names, judgments, strict=True):
        rows = np.flatnonzero(each.grade >= 0)
        kept.append(rows)
        grades.append(_scaled(name, each, rows, scales))
    own = [np.array([place[query] for query in each.queries], dtype=np.int64) for each in judgments]
    pairs: list[Ints] = []  # of each judge, the pair of each row that is kept
    first: list[tuple[int, Ints]] = []  # judges, and the rows of pairs that nobody before them judged
    count = 0
    for judge, (each, rows) in enumerate(zip(judgments, kept, strict=True)):
        pair = np.full(len(rows), -1, dtype=np.int64)
        for earlier in range(judge):
            _find(each, rows, judgments[earlier], kept[earlier], pairs[earlier], pair)
        new = np.flatnonzero(pair < 0)
        pair[new] = count + np.arange(len(new))
        count += len(new)
        pairs.append(pair)
        first.append((judge, rows[new]))
    found = np.full((count, len(names)), np.nan)
    for judge, pair in enumerate(pairs):
        found[pair, judge] = grades[judge]
    judge_of = np.concatenate([np.full(len(rows), judge) for judge, rows in first])
    row_of = np.concatenate([rows for _, rows in first])
    query = np.concatenate([own[judge][judgments[judge].query[rows]] for judge, rows in first])
    start = np.concatenate([judgments[judge].document_start[rows].astype(np.int64) for judge, rows in first])
    order = np.lexsort((start, judge_of, query))
    pooled = Pooled(
        tuple(names),
        queries,
        query[order],
        found[order],
        tuple(len(each.grade) - len(rows) for each, rows in zip(judgments, kept, strict=True)),
        frozenset(name for name in names if _scale_of(name, scales) is not None),
        tuple(judgments),
        (judge_of[order], row_of[order]),
    )
    if not (pooled.judged.sum(axis=1) > 1).any():
        fact = "no document of a query was judged by two judges"
        unless = ", and any grade not negative" if any(pooled.left_out) else ""
        raise InputError(fact, remedy=f"are the ids of queries and documents the same in all files{unless}?")
    return pooled


def _find(each: Judgments, rows: Ints, other: Judgments, kept: Ints, pairs: Ints, pair: Ints) -> None:
    """Set the pairs of rows that another judge judged too."""
    missing = np.flatnonzero(pair < 0)
    some = rows[missing]
    query = other.places(each.queries)[each.query[some]]
    start, length = each.document_start[some].astype(np.int64), each.document_length[some].astype(np.int64)
    seeds = FlatIds.of(each.queries).keys[each.query[some]]
    key = ids.keys(each.text, start, length, seeds)
    here, there = other.find(each.text, query, start, length, key)
    pair_of = np.full(len(other.grade), -1, dtype=np.int64)
    pair_of[kept] = pairs
    pair[missing[here]] = pair_of[there]


def _scale_of(name: str, scales: Sequence[JudgeScale]) -> JudgeScale | None:
    """The scale of a judge: their own, or else that of all."""
    own = [scale for scale in scales if scale.judge == name]
    return next(iter(own or [scale for scale in scales if scale.judge is None]), None)


def _scaled(name: str, judgments: Judgments, rows: Ints, scales: Sequence[JudgeScale]) -> Floats:
    """What the grades of some rows come to."""
    grade = judgments.grade[rows]
    scale = _scale_of(name, scales)
    if scale is None:
        return grade
    known = dict(scale.grades)
    found = np.full(len(grade), np.nan)
    for given, meant in known.items():
        found[grade == given] = meant
    unknown = np.flatnonzero(np.isnan(found))
    if len(unknown):
        row = int(unknown[judgments.document_start[rows[unknown]].argmin()])  # the earliest in the file
        at = rows[row]
        document = ids.at(judgments.text, judgments.document_start[at], judgments.document_length[at])
        query = judgments.queries[judgments.query[at]]
        fact = f"document {shown(document)} of query {shown(query)} has grade {decimal(grade[row])}"
        expected = ", ".join(decimal(given) for given in known)
        raise InputError(f"{fact}, which the scale has not", judgments.name, f"--scale has {expected}; add it there")
    return found


class Coefficient(NamedTuple):
    """A coefficient, None where there is none, and its interval."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class OfTopic:
    """How two judges agree on one topic.

    Attributes
    ----------
    query : bytes
    documents : int
        Judged by both.
    equal, kappa, overlap : float or None
    relevant : tuple of (int, int)
        How many of them each holds to be relevant.
    """

    query: bytes
    documents: int
    equal: float | None
    kappa: float | None
    overlap: float | None
    relevant: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pair:
    """How two judges agree, on the documents that both judged.

    Attributes
    ----------
    first, second : str
    documents, queries : int
        That both judged.
    table : int (g, g)
        How often the first gave each grade, a row each, and the second each, a column each.
    coefficients : mapping of str to Coefficient
        By their names in `COEFFICIENTS`.
    topics : tuple of OfTopic
        In byte order of their ids.
    """

    first: str
    second: str
    documents: int
    queries: int
    table: Ints
    coefficients: Mapping[str, Coefficient]
    topics: tuple[OfTopic, ...]


@dataclass(frozen=True, eq=False)
class Together:
    """How three judges or more agree.

    Attributes
    ----------
    documents, queries : int
        That at least two of them judged.
    by_all : int
        Documents that all of them judged.
    coefficients : mapping of str to Coefficient
        ``equal``, ``overlap`` and ``mean_overlap``, of documents that all judged; ``kappa`` and ``weighted``, the
        means over pairs of judges (Light, Measures of Response Agreement for Qualitative Data, Psychological Bulletin
        76(5), 1971); ``alpha``, of all that two of them judged. Only the last has an interval.
    """

    documents: int
    queries: int
    by_all: int
    coefficients: Mapping[str, Coefficient]


@dataclass(frozen=True, eq=False)
class Judges:
    """What judges agree on.

    Attributes
    ----------
    judges : tuple of Judge
    grades : tuple of float
        Of all judges, rising.
    pairs : tuple of Pair
        Every two judges that judged a document in common.
    apart : tuple of (str, str)
        Every two that have none.
    together : Together or None
        None of two judges.
    scales : tuple of (str, float) or None
        The highest grade of each judge where these differ and not all scales were said, so that there is no weighted
        kappa.
    level : float
        From which grade on a document is relevant.
    weights, alpha_level : str
        Of weighted kappa, and of alpha.
    confidence : float
        Of the intervals.
    samples, seed : int
        Without effect: intervals drew samples once.
    """

    judges: tuple[Judge, ...]
    grades: tuple[float, ...]
    pairs: tuple[Pair, ...]
    apart: tuple[tuple[str, str], ...]
    together: Together | None
    scales: tuple[tuple[str, float], ...] | None
    level: float
    weights: str
    alpha_level: str
    confidence: float
    samples: int
    seed: int


COEFFICIENTS = ("equal", "kappa", "weighted", "alpha", "overlap", "mean_overlap")
"""Coefficients of agreement: ``overlap`` counts the documents of all topics together, ``mean_overlap`` is the mean of
the overlaps of topics that have a document that a judge holds to be relevant."""

PROPORTIONS = frozenset({"equal", "overlap", "mean_overlap"})
"""Those that are from 0 to 1; the others are from -1 to 1."""


@dataclass(frozen=True)
class HowAgreed:
    """How agreement is measured.

    Attributes
    ----------
    level : float
        From which grade on a document is relevant.
    weights : str
        One of `irev.statistics.raters.WEIGHTS`, of weighted kappa.
    alpha_level : str
        One of `irev.statistics.raters.LEVELS`.
    confidence : float
        Of the intervals.
    samples, seed : int
        Without effect: intervals drew samples once.
    """

    level: float = 1.0
    weights: str = "quadratic"
    alpha_level: str = "ordinal"
    confidence: float = 0.95
    samples: int = 10_000
    seed: int = 0


def agreement_of(pooled: Pooled, wanted: HowAgreed) -> Judges:
    """How far judges agree: every two of them, and all.

    Raises
    ------
    UsageError
        For more than `MOST_GRADES` different grades.
    """
    given = pooled.judged
    grades = np.unique(pooled.grades[given])
    if len(grades) > MOST_GRADES:
        fact = f"{len(grades):,} different grades were given, which are no categories that people agree on"
        raise UsageError(fact, remedy="--scale GRADE:GRADE,… says what grades come to")
    rating = np.where(given, np.searchsorted(grades, np.where(given, pooled.grades, grades[0])), -1)
    judges = tuple(_judge(pooled, place, wanted.level) for place in range(len(pooled.names)))
    highest = [(judge.name, judge.grades[-1][0]) for judge in judges if judge.grades]
    said = all(name in pooled.mapped for name, _ in highest)
    scales = tuple(highest) if not said and len({most for _, most in highest}) > 1 else None
    of = _Coefficients(grades, wanted, weighted=scales is None)
    pairs, apart = [], []
    for one, other in combinations(range(len(pooled.names)), 2):
        both = np.flatnonzero(given[:, one] & given[:, other])
        if len(both):
            pairs.append(_pair(pooled, rating, (one, other), both, of))
        else:
            apart.append((pooled.names[one], pooled.names[other]))
    return Judges(
        judges,
        tuple(grades.tolist()),
        tuple(pairs),
        tuple(apart),
        _together(pooled, rating, pairs, of) if len(judges) > 2 else None,
        scales,
        wanted.level,
        wanted.weights,
        wanted.alpha_level,
        wanted.confidence,
        wanted.samples,
        wanted.seed,
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

    def __init__(self, grades: Floats, wanted: HowAgreed, weighted: bool) -> None:
        self.grades, self.wanted, self.weighted = grades, wanted, weighted
        self.relevant = grades >= wanted.level

    def of_tables(self) -> dict[str, raters.Coefficient]:
        plain, distant = (raters.apart(weights, self.grades) for weights in ("none", self.wanted.weights))
        found: dict[str, raters.Coefficient] = {
            "equal": raters.equal,
            "kappa": lambda tables: raters.kappa(tables, plain),
            "overlap": lambda tables: raters.overlap(tables, self.relevant),
        }
        if self.weighted:
            found["weighted"] = lambda tables: raters.kappa(tables, distant)
        return found

    def alpha(self, tables: Floats) -> Floats:
        return raters.alpha(tables, self.wanted.alpha_level, self.grades)

    def measured(self, name: str, kind: raters.Coefficient, counted: Floats) -> Coefficient:
        """The value for all topics, and its interval."""
        span = raters.interval(kind, counted, self.wanted.confidence, name in PROPORTIONS)
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
    return Pair(pooled.names[one], pooled.names[other], len(both), len(known), table, coefficients, topics)


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
    coefficients = {
        "equal": Coefficient(_share((every == every[:, :1]).all(axis=1).sum(), len(every)), None),
        "alpha": of.measured("alpha", of.alpha, counted),
        "overlap": Coefficient(_share(by_all.sum(), int(either.sum())), None),
        "mean_overlap": Coefficient(mean(overlaps) if len(overlaps) else None, None),
    }
    for name in ("kappa", "weighted"):
        values = [pair.coefficients[name].value for pair in pairs]
        defined = [value for value in values if value is not None]
        complete = len(defined) == len(pooled.names) * (len(pooled.names) - 1) // 2
        coefficients[name] = Coefficient(mean(np.array(defined)) if complete else None, None)
    return Together(len(several), len(known), len(every), {name: coefficients[name] for name in COEFFICIENTS})


def _number(value: Floats | float) -> float | None:
    return None if np.isnan(value) else float(value)


def _share(part: int, whole: int) -> float | None:
    return float(part) / whole if whole else None


# One set of judgments of several


class Conflict(NamedTuple):
    """A document that judges gave different grades.

    Attributes
    ----------
    query, document : bytes
    grades : tuple of (float or None)
        Of every judge.
    merged : float
        What became of them.
    """

    query: bytes
    document: bytes
    grades: tuple[float | None, ...]
    merged: float


@dataclass(frozen=True, eq=False)
class Merged:
    """One set of judgments of several.

    Attributes
    ----------
    prefer : str
        One of `PREFERENCES`.
    grades : (p,)
        Of each pair.
    conflicts : tuple of Conflict
        In the order of the pairs.
    by_several : int
        Pairs that several judges judged, of which these are some.
    without_majority : int
        With `MAJORITY`: how many had several grades that equally many gave.
    """

    prefer: str
    grades: Floats
    conflicts: tuple[Conflict, ...]
    by_several: int
    without_majority: int


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
    return Merged(prefer, merged, conflicts, int((given.sum(axis=1) > 1).sum()), without)


# Runs


OF_RUNS = Plan(tests=("t",), correction="holm")
"""How pairs of runs are tested."""


class Swapped(NamedTuple):
    """Two runs that two judges put in opposite order.

    Attributes
    ----------
    measure : str
    first, second : str
        The judges.
    contrasts : tuple of Contrast
        The second run against the first, which is better under the first judge, under each judge.
    """

    measure: str
    first: str
    second: str
    contrasts: tuple[Contrast, Contrast]

    @property
    def shown(self) -> bool:
        """Whether either order was shown to be more than chance."""
        return any(contrast.finding in (BETTER, WORSE) for contrast in self.contrasts)


@dataclass(frozen=True, eq=False)
class RunsUnder:
    """What becomes of runs under each judge.

    Attributes
    ----------
    runs : tuple of str
    queries : int
        That all judges judged, over which runs are measured.
    orderings : tuple of (str, str, Ordering)
        One for each judge and measure, which stand before it.
    agreed : tuple of (str, str, str, Agreed)
        For each measure and every two judges: measure, judges, and how far the orders agree.
    swapped : tuple of Swapped
    plan : Plan
        Of the tests.
    """

    runs: tuple[str, ...]
    queries: int
    orderings: tuple[tuple[str, str, Ordering], ...]
    agreed: tuple[tuple[str, str, str, Agreed], ...]
    swapped: tuple[Swapped, ...]
    plan: Plan

    def shown(self, measure: str, first: str, second: str) -> int:
        """Of how many pairs of runs that two judges put in opposite order either order was shown."""
        return sum(each.shown for each in self.swapped if each[:3] == (measure, first, second))


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
    agreed, swapped = [], []
    for (one, measure, first), (other, same, second) in combinations(orderings, 2):
        if measure != same:
            continue
        (each,) = agreement(runs, (first, second)).agreed
        agreed.append((measure, one, other, each))
        swapped += _swapped(measure, (one, other), runs, (first, second), contrasts)
    return RunsUnder(runs, outcomes[0].scores.considered, tuple(orderings), tuple(agreed), tuple(swapped), plan)


def pictures(under: RunsUnder) -> tuple[Curves, ...]:
    """For each measure and every two judges the runs, by what they have under the one and under the other."""
    by_judge = {(judge, measure): replace(each, name=f"{measure}, {judge}") for judge, measure, each in under.orderings}
    return tuple(
        of_agreement(under.runs, by_judge[first, measure], by_judge[second, measure], agreed)
        for measure, first, second, agreed in under.agreed
    )


def _contrasts(outcomes: Sequence[Outcome], plan: Plan) -> dict[tuple[str, str, str], Contrast]:
    """Every run against every other, under each measure."""
    quantities = tuple(quantity_of(column.request) for column in outcomes[0].columns if column.request.measure.numeric)
    if not quantities:
        return {}
    compared = compare(align([of_outcome(each) for each in outcomes], quantities, both=False), None, plan).compared
    return {
        (each.measured.quantity.standard, contrast.baseline, contrast.run): contrast
        for each in compared
        for contrast in each.contrasts
    }


def _swapped(
    measure: str,
    judges: tuple[str, str],
    runs: Sequence[str],
    orderings: tuple[Ordering, Ordering],
    contrasts: Mapping[str, Mapping[tuple[str, str, str], Contrast]],
) -> list[Swapped]:
    one, other = (ordering.merit for ordering in orderings)
    found = []
    for i, j in combinations(range(len(runs)), 2):
        if (one[i] - one[j]) * (other[i] - other[j]) < 0:
            key = (measure, runs[i], runs[j])
            if all(key in contrasts[judge] for judge in judges):
                first, second = (contrasts[judge][key] for judge in judges)
                found.append(Swapped(measure, *judges, (first, second)))
    return found
