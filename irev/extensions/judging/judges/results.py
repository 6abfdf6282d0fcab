"""What is found of several judges: of each, of each pair, of all together, of merging their judgments, and of runs
under each of them; and `worked`, kappa as a fraction, worked by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, decimal, shown
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import named, plain, real
from irev.commands.agreement import Agreed, Ordering
from irev.evaluation.comparison.contrasts import BETTER, WORSE, Contrast
from irev.extensions.judging.judges import JudgeScale
from irev.extensions.judging.raters import Homogeneity
from irev.output.finding import Names, fields_of
from irev.output.report import Sheet, table
from irev.reading import ids
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Judgments
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan
from irev.statistics.ratios import Ratio


@dataclass(frozen=True)
class Judge:
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

    RECORDED: ClassVar[Names] = {"documents": "judgments", "left_out": "negative", "grades": "counts"}

    name: str
    documents: int
    left_out: int
    queries: int
    mean: float | None
    relevant: float | None
    grades: tuple[tuple[float, int], ...]


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


class GradesOfJudges(NamedTuple):
    """The test whether one of two judges gives higher grades, on the documents that both judged.

    Attributes
    ----------
    first, second : float
        The mean grade of each.
    interval : Interval or None
        Of the second less the first.
    p : float or None
        Of no such difference.
    homogeneity : Homogeneity or None
        Of each grade being given equally often by both.
    """

    first: float
    second: float
    interval: Interval | None
    p: float | None
    homogeneity: Homogeneity | None


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
    grades : Grades or None
        None where judges have different scales.
    """

    RECORDED: ClassVar[Names] = {
        "first": "judge",
        "second": "and",
        "table": "counts",
        "coefficients": "*",
        "topics": "*query",
    }

    first: str
    second: str
    documents: int
    queries: int
    table: Ints
    coefficients: Mapping[str, Coefficient]
    topics: tuple[OfTopic, ...]
    grades: GradesOfJudges | None = None


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
        76(5), 1971); ``fleiss``, of documents that all judged (Fleiss, Measuring Nominal Scale Agreement among Many
        Raters, Psychological Bulletin 76(5), 1971); ``alpha``, of all that two of them judged. Only the last two have
        intervals.
    """

    RECORDED: ClassVar[Names] = {"coefficients": "*"}

    documents: int
    queries: int
    by_all: int
    coefficients: Mapping[str, Coefficient]


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

    RECORDED: ClassVar[Names] = {"grades": None}

    prefer: str
    by_several: int
    without_majority: int
    conflicts: tuple[Conflict, ...]
    grades: Floats


class PairUnder(NamedTuple):
    """Two runs under two judges.

    Attributes
    ----------
    measure : str
    first, second : str
        The judges.
    contrasts : tuple of Contrast
        The second run against the first, under each judge.
    swapped : bool
        Whether the judges put them in opposite order.
    change : Ratio
        The difference under the second judge less that under the first, the mean over queries with its standard error.
    interval : Interval or None
        Of that.
    p : float or None
        Of no such change, corrected over all pairs of runs.
    """

    measure: str
    first: str
    second: str
    contrasts: tuple[Contrast, Contrast]
    swapped: bool
    change: Ratio
    interval: Interval | None
    p: float | None

    @property
    def significant(self) -> str:
        """Under which judges the difference is significant, one of `CONCLUSIONS`."""
        found = [contrast.finding for contrast in self.contrasts]
        one, other = (finding in (BETTER, WORSE) for finding in found)
        if one and other:
            return BOTH if found[0] == found[1] else OPPOSITE
        return FIRST_ONLY if one else SECOND_ONLY if other else NEITHER

    @property
    def shown(self) -> bool:
        """True if the judges order the pair oppositely and one of the orders is significant."""
        return self.swapped and self.significant != NEITHER

    @property
    def differs(self) -> bool:
        """True if the order or the significance of the pair depends on the judge."""
        return self.swapped or self.significant in (FIRST_ONLY, SECOND_ONLY)


BOTH, FIRST_ONLY, SECOND_ONLY, OPPOSITE, NEITHER = CONCLUSIONS = (
    *("both", "first only", "second only"),
    *("opposite", "neither"),
)


FEWEST_QUERIES = 5
"""With fewer queries tau has no interval: too few samples differ from each other. benchmarks/agreement.py counts."""


class Order(NamedTuple):
    """The agreement of the orders of runs by two judges.

    Attributes
    ----------
    measure, first, second : str
        The measure, and the judges.
    agreed : Agreed
    interval : Interval or None
        Of tau b, over queries; None for fewer than `FEWEST_QUERIES`, and where all samples of them have the same tau.
    top : int
        Runs in the better half under either judge.
    tau_top : float or None
        tau b of these; None for fewer than four runs.
    """

    measure: str
    first: str
    second: str
    agreed: Agreed
    interval: Interval | None
    top: int
    tau_top: float | None


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
    agreed : tuple of Order
        For each measure and every two judges.
    pairs : tuple of PairUnder
        For each of these, all pairs of runs.
    plan : Plan
        Of the tests.
    """

    runs: tuple[str, ...]
    queries: int
    orderings: tuple[tuple[str, str, Ordering], ...]
    agreed: tuple[Order, ...]
    pairs: tuple[PairUnder, ...]
    plan: Plan

    @property
    def differing(self) -> list[PairUnder]:
        """Pairs of runs of which two judges lead to another order or conclusion, those with a contradiction first."""
        worst = [OPPOSITE, FIRST_ONLY, SECOND_ONLY, BOTH, NEITHER]
        return sorted((each for each in self.pairs if each.differs), key=lambda each: worst.index(each.significant))

    def counts(self, order: Order) -> dict[str, int]:
        """Count the pairs of runs with each of `CONCLUSIONS`, and those that are swapped and significant."""
        own = [each for each in self.pairs if each[:3] == order[:3]]
        found = {name: sum(each.significant == name for each in own) for name in CONCLUSIONS}
        return {**found, "shown": sum(each.shown for each in own)}

    def recorded(self) -> dict[str, Any]:
        """What records say of it."""
        return {
            "queries": self.queries,
            "runs": list(self.runs),
            "alpha": self.plan.alpha,
            "scores": [
                {
                    "judge": judge,
                    "measure": measure,
                    "values": {
                        run: plain(value) for run, value in zip(self.runs, ordering.values.tolist(), strict=True)
                    },
                    "places": dict(zip(self.runs, ordering.places, strict=True)),
                }
                for judge, measure, ordering in self.orderings
            ],
            "orders": [
                {
                    "measure": each.measure,
                    "judge": each.first,
                    "and": each.second,
                    **fields_of(each.agreed, "tau_b", "tau_ap", "swapped", "pairs"),
                    **fields_of(each, "interval", "top", "tau_top"),
                    "significant": {name: count for name, count in self.counts(each).items() if name in CONCLUSIONS},
                }
                for each in self.agreed
            ],
            "differing": [
                {
                    "measure": each.measure,
                    "run": each.contrasts[0].baseline,
                    "and": each.contrasts[0].run,
                    **fields_of(each, "swapped", "significant"),
                    "change": plain(each.change.value),
                    **fields_of(each, "interval", "p"),
                    "under": {
                        judge: {"difference": plain(contrast.difference), "p": plain(contrast.adjusted[0])}
                        for judge, contrast in zip((each.first, each.second), each.contrasts, strict=True)
                    },
                }
                for each in self.differing
            ],
        }


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


def pool(given: Sequence[tuple[str, Judgments]], scales: Sequence[JudgeScale] = ()) -> Pooled:
    """Bring judgments onto the same pairs of query and document.

    Parameters
    ----------
    given : sequence of (str, Judgments)
        The judgments of each judge, by names of which no two are alike; negative grades are left out.
    scales : sequence of JudgeScale
        What grades come to.

    Raises
    ------
    UsageError
        For fewer than two judges, two that are called alike, and a scale without a judge.
    InputError
        For a grade that its scale does not have, and judges without a pair in common.
    """
    names, judgments = [name for name, _ in given], [each for _, each in given]
    if len(names) < 2:
        raise UsageError("agreement needs at least two judges", remedy="give the judgments of at least two judges")
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise UsageError(f"two judges are called {named(again)}", remedy="NAME=FILE renames a judge")
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
        fact = "no document was judged by two judges for the same query"
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
    found = np.full(len(grade), np.nan)
    for low, high, meant in scale.grades:
        found[(low <= grade) & (grade <= high)] = meant
    unknown = np.flatnonzero(np.isnan(found))
    if len(unknown):
        row = int(unknown[judgments.document_start[rows[unknown]].argmin()])  # the earliest in the file
        at = rows[row]
        document = ids.at(judgments.text, judgments.document_start[at], judgments.document_length[at])
        query = judgments.queries[judgments.query[at]]
        fact = f"document {shown(document)} of query {shown(query)} has grade {decimal(grade[row])}"
        spans = [(low,) if low == high else (low, high) for low, high, _ in scale.grades]
        expected = ", ".join("..".join(map(decimal, span)) for span in spans)
        raise InputError(f"{fact}, which is not in the scale", judgments.name, f"--scale has {expected}; add it there")
    return found


ALL = "all"


def worked(pair: Pair, grades: Sequence[str], digits: int) -> Sheet:
    """The table of the grades of two judges with its totals, and what kappa is computed from below it."""
    counts = [[int(count) for count in row] for row in pair.table.tolist()]
    columns = [sum(row[place] for row in counts) for place in range(len(grades))]
    lines = [*zip(grades, counts, strict=True), (ALL, columns)]
    rows = ({"grade": grade, **_texts(grades, row), ALL: f"{sum(row):,}"} for grade, row in lines)
    title = f"Kappa of {named(pair.first)}, a row for each grade, and {named(pair.second)}, a column for each"
    return table(title, ("grade",), None, rows, notes=_steps(counts, columns, digits))


def _texts(grades: Sequence[str], row: Sequence[int]) -> dict[str, str]:
    return {grade: f"{count:,}" for grade, count in zip(grades, row, strict=True)}


def _steps(counts: Sequence[Sequence[int]], columns: Sequence[int], digits: int) -> Iterator[str]:
    rows = [sum(row) for row in counts]
    n = sum(rows)
    same = [row[place] for place, row in enumerate(counts)]
    products = [one * other for one, other in zip(rows, columns, strict=True)]
    observed, expected = sum(same) * n, sum(products)  # both of n²
    yield (
        f"1. Observed agreement, the diagonal: p_o = ({_sum(same)}) / {n:,} = {sum(same):,}/{n:,}"
        f" = {real(sum(same) / n, digits)}."
    )
    yield (
        "2. Agreement expected by chance, total of each row times total of its column: p_e ="
        f" ({' + '.join(f'{one:,} · {other:,}' for one, other in zip(rows, columns, strict=True))}) / {n:,}²"
        f" = {expected:,}/{n * n:,} = {real(expected / (n * n), digits)}."
    )
    above, below = observed - expected, n * n - expected
    if not below:
        yield "3. kappa = (p_o - p_e) / (1 - p_e) is undefined: chance alone agrees on everything."
        return
    yield (
        f"3. kappa = (p_o - p_e) / (1 - p_e) = ({observed:,} - {expected:,}) / ({n * n:,} - {expected:,})"
        f" = {above:,}/{below:,} = {real(above / below, digits)}."
    )


def _sum(numbers: Sequence[int]) -> str:
    return " + ".join(f"{number:,}" for number in numbers)
