"""Judgments and runs that are dictionaries, joined from the side of the judgments.

A measure sees no more of an unjudged document than the rank that it takes. So each judged document is looked up in the
run, its rank is one more than the number of higher scores, and ids are compared only where a judged document is tied.
Few documents are evaluated in plain Python, query by query: a call of numpy takes as long as sorting ten documents.
Results are those of `ranking.ranking` and `evaluation.scores` to the last bit. Unusual data, errors included, are left
to those modules.
"""

from __future__ import annotations

import math
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import reduce
from itertools import chain, compress, count, islice, repeat
from operator import add, attrgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import Problem
from irev.base.records import cached_property, dataclass
from irev.base.segments import Array, Floats, Ints
from irev.base.settings import RELEVANT, Settings
from irev.base.text import decoded, encoded
from irev.evaluation import scores as evaluation
from irev.evaluation.batch import facts_of
from irev.evaluation.result import Facts
from irev.evaluation.scores import NOTHING_BESIDE, Beside, Column, Scores, Summary
from irev.measures.few_documents import JudgedQuery, functions_of
from irev.measures.request import Request
from irev.ranking.hits import LOOKED_AT, QUERIES_OF_BLOCK, RESULTS, FirstResults, UnmatchedIds, near_miss_among
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.reading import in_memory
from irev.reading.judgments import LARGEST, Judgments
from irev.reading.qrels import HIGHEST_EXPECTED

MOST_MISSING = 400
"""Judged queries without results that are looked at one by one."""

MOST_JUDGED = 100_000
"""Judgments that are kept as they are handed in; more are indexed at once."""

QUERIES, DOCUMENTS = 40, 500
"""Queries, and documents of all of them, up to which plain Python is faster than arrays."""

TOGETHER = 1 << 16
"""Documents that are ranked at the same time, counting as many for each query as the longest has."""


@dataclass(frozen=True, eq=False)
class NestedJudgments:
    """The judgments of a dictionary, with what evaluating other dictionaries wants to know of `Judgments`.

    Attributes
    ----------
    settings : Settings
        What they are read with.
    grades : dict of bytes to dict
        The grade of each document that is judged for a query.
    odd : bool
        Whether some grade is no small whole number, nor a fraction of 1.
    """

    settings: Settings
    grades: dict[bytes, dict[str, float]]
    odd: bool
    name: ClassVar[str] = "qrels"
    details: ClassVar[None] = None
    neighbours: ClassVar[bool] = False
    relevant_only: ClassVar[bool] = False
    of_arrays: ClassVar[bool] = False
    unanswerable: ClassVar[tuple[bytes, ...]] = ()

    def of_query(self, query: bytes) -> dict[str, float]:
        """As `Judgments.of_query`, in another order."""
        return self.grades[query]

    @cached_property
    def index(self) -> dict[bytes, int]:
        """As `Judgments.index`."""
        return {query: place for place, query in enumerate(sorted(self.grades))}

    @cached_property
    def positive(self) -> int:
        """How many grades are above 0."""
        return int(np.count_nonzero(self.grade > 0))

    @cached_property
    def highest(self) -> float:
        """The highest grade."""
        return float(self.grade.max())

    @property
    def queries(self) -> tuple[bytes, ...]:
        """Judged queries, in byte order."""
        return tuple(self.index)

    def without_relevant(self, level: float) -> Sequence[int]:
        """As `Judgments.without_relevant`."""
        return [n for query, n in self.index.items() if all(grade < level for grade in self.grades[query].values())]

    @cached_property
    def grade(self) -> Floats:
        """All grades."""
        return np.array([grade for grades in self.grades.values() for grade in grades.values()])

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """As those of `Judgments`."""
        return self.indexed.doubts if self.odd else ()

    @cached_property
    def indexed(self) -> Judgments:
        """The same for runs that are no dictionaries."""
        return in_memory.judgments({decoded(query): self.grades[query] for query in self.grades}, self.settings)


def judgments(data: object, settings: Settings) -> Judgments | NestedJudgments:
    """Judgments in memory: `NestedJudgments` where they are usual, else as `in_memory.judgments` gives them."""
    if type(data) is dict and settings.negative != "error" and settings.queries != RELEVANT:
        try:
            return _nested_judgments(data, settings)
        except _UNUSUAL:
            pass
    return in_memory.judgments(data, settings)


def indexed(judgments: Judgments | NestedJudgments) -> Judgments:
    """Judgments for runs of any kind."""
    return judgments.indexed if isinstance(judgments, NestedJudgments) else judgments


def _nested_judgments(data: dict[Any, Any], settings: Settings) -> NestedJudgments:
    """The judgments. Raises one of `_UNUSUAL`, also for many."""
    if not data or sum(map(len, data.values())) > MOST_JUDGED:
        raise ValueError
    grades: dict[bytes, dict[str, float]] = {}
    odd, least = False, 0.0 if settings.negative == "nonrelevant" else -math.inf
    for query, documents in data.items():
        values = array("d", _numbers(documents))
        if not all(-LARGEST <= value <= LARGEST for value in values):  # NaN is none of these
            raise ValueError
        if not odd and (max(values) > 1 or min(values) < 0):
            odd = max(values) > HIGHEST_EXPECTED or not all(map(float.is_integer, values))
        # A grade of -0 is 0.
        grades[_query(query)] = dict(zip(documents, [max(value, least) + 0.0 for value in values], strict=True))
    return NestedJudgments(settings, grades, odd)


_UNUSUAL = (TypeError, ValueError, OverflowError, struct.error)
"""What is raised for data that are left to others."""


def _query(query: object) -> bytes:
    """The bytes of a query id. Raises one of `_UNUSUAL`."""
    if type(query) is not str or not query or "\0" in query:
        raise ValueError
    return query.encode()


def _numbers(documents: Mapping[str, float]) -> bytes:
    """The scores or grades of documents as doubles. Raises one of `_UNUSUAL`, also for an id that is none."""
    if type(documents) is not dict or not documents or "" in documents:
        raise ValueError
    joined = "".join(documents)
    if "\0" in joined or not (joined.isascii() or joined.encode()):
        raise ValueError
    return struct.pack(f"{len(documents)}d", *documents.values())


class JudgedRow(NamedTuple):
    """A judged query of a run.

    Attributes
    ----------
    query : JudgedQuery
    documents : collection of str
        What was retrieved for it.
    scores : bytes
        The score of each of these as a double.
    found : list of float
        The score of each judged document, NaN of one that was not retrieved.
    tied : bool
        Whether a judged document is known to be in a tie.
    """

    query: JudgedQuery
    documents: Collection[str]
    scores: bytes
    found: list[float]
    tied: bool = False


by_name: Callable[[JudgedRow], Any] = attrgetter("query.name")


class NestedEvaluator:
    """Evaluates dictionaries; what it learns of a query it keeps for the next call.

    Parameters
    ----------
    judgments : Judgments or NestedJudgments
        Of grades.
    settings : Settings
    requests : tuple of Request
    """

    def __init__(
        self, judgments: Judgments | NestedJudgments, settings: Settings, requests: tuple[Request, ...]
    ) -> None:
        self.judgments, self.settings, self.requests = judgments, settings, requests
        plain = settings.are_usual("depth", "judged_only") and settings.ties != "average"
        self._functions = functions_of(requests) if plain else None
        self._known: dict[Any, JudgedQuery] = {}

    def evaluate(
        self, run: Mapping[Any, Any], examples: bool = False, beside: Beside = NOTHING_BESIDE
    ) -> FewValues | tuple[Scores, Summary, LeftOut, Facts] | None:
        """The values of a run, and with `examples` of ids that do not match; None for what is in any way unusual."""
        read = self.rows(run, lists=True)
        if read is None:
            return None
        rows, others = read
        near = None
        if examples:
            if all(score != score for row in rows for score in row.found):
                return None
            near = _near_miss(rows)
        there = {row.query.name for row in rows}
        complete = self.settings.complete and not self.settings.single_precision
        if complete and len(there) < len(self.judgments.index):
            if len(self.judgments.index) > len(there) + MOST_MISSING:
                return None
            missing = [self._learnt(decoded(name), name) for name in self.judgments.index if name not in there]
            rows += [JudgedRow(each, (), b"", [math.nan] * len(each.grades)) for each in missing if each]
        rows.sort(key=by_name)
        few = self.of_few(rows) if beside is NOTHING_BESIDE else None
        if few is not None:
            return FewValues(self, rows, few, there, others, near)
        ranked = self.ranked(rows)
        if ranked is None:
            return None
        left_out = self.left_out(there, others, near)
        scores = evaluation.evaluate_beside(ranked, self.requests, beside)
        return scores, evaluation.summarise(scores), left_out, facts_of(ranked, left_out)

    def left_out(self, there: Set[bytes], others: list[bytes], near: UnmatchedIds | None) -> LeftOut:
        """Queries that are not in both."""
        missing = tuple(name for name in self.judgments.index if name not in there)
        return LeftOut(missing, tuple(sorted(others)), self.settings.complete, False, near_miss=near)

    def rows(self, run: Mapping[Any, Any], lists: bool = False) -> tuple[list[JudgedRow], list[bytes]] | None:
        """The judged queries of a run, as they come, and the names of the others; None for an unusual run, and one
        without any judged query. With `lists` a query may have a list of documents, best first."""
        rows, others = [], []
        try:
            for query, given in run.items():
                documents = dict(zip(given, _FALLING, strict=False)) if lists and type(given) is list else given
                if len(documents) < len(given):
                    return None
                scores = _numbers(documents)
                known = self._known.get(query) or self._learnt(query, _query(query))
                if known is not None:
                    found = list(map(documents.get, known.documents, _ABSENT))
                    rows.append(JudgedRow(known, documents, scores, found))
                elif np.isnan(np.frombuffer(scores)).any():
                    return None
                else:
                    others.append(query.encode())
        except _UNUSUAL:
            return None
        return (rows, others) if rows else None

    def _learnt(self, query: str, name: bytes) -> JudgedQuery | None:
        if name not in self.judgments.index:
            return None
        known = self._known[query] = JudgedQuery(query, name, self.judgments.of_query(name), self.settings.level)
        return known

    def of_few(self, rows: list[JudgedRow]) -> list[list[float]] | None:
        """The values of few documents, a list for each query; None for many, for measures that have no function of
        plain Python, and where a score is not a number. Rows of tied documents no longer need the run's dictionary."""
        if self._functions is None or len(rows) > QUERIES or sum([len(row.scores) for row in rows]) > _BYTES:
            return None
        kind, level = "f" if self.settings.single_precision else "d", self.settings.level
        values = []
        for place, row in enumerate(rows):
            query, scores = row.query, array("d", row.scores)
            found = array("d", row.found)
            if kind == "f":
                scores, found = array("f", scores), array("f", found)
            if any(map(math.isnan, scores)):
                return None
            rising, hits = sorted(scores), []
            alike: dict[float, dict[str, int]] = {}
            for document, grade, score in zip(query.documents, query.falling, found, strict=True):
                if score == score:
                    above = bisect_right(rising, score)
                    rank = len(scores) + 1 - above
                    if above > 1 and rising[above - 2] == score:
                        if score not in alike:
                            same = [each == score for each in scores]
                            alike[score] = _ranks_of(row.documents, same, rank, self.settings.ties)
                        rank = alike[score][document]
                    hits.append((rank, grade))
            if alike:
                rows[place] = row._replace(documents=tuple(row.documents), tied=True)
            hits.sort()
            ranks = [rank for rank, grade in hits if grade >= level]
            values.append([function(query, hits, ranks) for function in self._functions])
        return values

    def ranked(self, rows: list[JudgedRow]) -> Ranked | None:
        """The rankings of queries, which are in byte order; None where a score is not a number."""
        counts = [len(row.scores) // 8 for row in rows]
        parts = []
        for begin, end in _parts(counts):
            hits = _hits(rows[begin:end], np.array(counts[begin:end]), self.settings)
            if hits is None:
                return None
            hits[0] += begin
            parts.append(hits)
        owner, grade, rank, first, last = (np.concatenate(each) for each in zip(*parts, strict=True))
        judgments, retrieved = self.judgments, np.array(counts)
        return Ranked(
            settings=self.settings.uncut,
            queries=tuple(row.query.name for row in rows),
            missing=retrieved == 0,
            retrieved=retrieved,
            owner=owner,
            rank=rank,
            grade=grade,
            tie_first=first,
            tie_last=last,
            judged_owner=np.repeat(np.arange(len(rows)), [len(row.query.grade) for row in rows]),
            judged_grade=np.concatenate([row.query.grade for row in rows]),
            considered=len(judgments.index) if self.settings.complete else len(rows),
            positive_judgments=judgments.positive,
            highest_grade=judgments.highest,
            tag=b"run",
        ).at(depth=self.settings.depth, judged_only=self.settings.judged_only)


_BYTES = 8 * DOCUMENTS

_ABSENT = repeat(math.nan)

_FALLING = range(-1, -(1 << 31), -1)
"""What orders a list: ranks with their sign changed."""


def _ranks_of(documents: Collection[str], same: Sequence[bool], first: int, ties: str) -> dict[str, int]:
    """The ranks of those documents of the same score, given the first of these ranks. The order of the characters of
    ids is that of their bytes."""
    members = list(compress(documents, same))
    if ties != "file":
        members.sort(reverse=ties != "docid-asc")
    return dict(zip(members, count(first)))


def _parts(counts: list[int]) -> Iterator[tuple[int, int]]:
    """Where parts of queries begin and end that have no more than `TOGETHER` documents each, unless one query has."""
    begin = longest = 0
    for place, rows in enumerate(counts):
        longest = max(longest, rows)
        if begin < place and (place + 1 - begin) * longest > TOGETHER:
            yield begin, place
            begin, longest = place, rows
    yield begin, len(counts)


def _hits(rows: list[JudgedRow], counts: Ints, settings: Settings) -> list[Array] | None:
    """Query, grade, rank, and first and last rank of the tie of each judged document that was retrieved, by query and
    rank; None where a score is not a number."""
    scores = np.frombuffer(b"".join([row.scores for row in rows]))
    if np.isnan(scores).any():
        return None
    judged = np.array([len(row.found) for row in rows])
    found = np.frombuffer(struct.pack(f"{judged.sum()}d", *chain.from_iterable([row.found for row in rows])))
    if settings.single_precision:
        with np.errstate(over="ignore"):
            scores, found = scores.astype(np.float32), found.astype(np.float32)
    # A row for each query, the highest score first; at least one NaN ends it.
    width = 1 << int(counts.max()).bit_length()
    matrix = np.full((len(rows), width), np.nan, scores.dtype)
    matrix[np.arange(width) < counts[:, None]] = -scores
    matrix.sort(axis=1)
    hit = np.flatnonzero(found == found)
    owner, score = np.repeat(np.arange(len(rows)), judged)[hit], -found[hit]
    begin = owner * width
    first = last = rank = _places(matrix, begin, score, np.less)
    tied = np.flatnonzero(matrix.ravel()[first + 1] == score)
    if len(tied):
        last, rank = first.copy(), first.copy()
        last[tied] = _places(matrix, begin[tied], score[tied], np.less_equal) - 1
        of_query, of_judged = np.split(scores, np.cumsum(counts)[:-1]), hit - segments.starts(judged)[owner]
        placed: dict[int, dict[str, int]] = {}
        for row in tied.tolist():
            query, place = int(owner[row]), int(first[row])
            if place not in placed:
                same = (of_query[query] == -score[row]).tolist()
                placed[place] = _ranks_of(rows[query].documents, same, place, settings.ties)
            rank[row] = placed[place][rows[query].query.documents[of_judged[row]]]
    grade = np.concatenate([row.query.grade for row in rows])[hit]
    by_rank = np.argsort(rank)
    ranks = [(each - begin + 1)[by_rank] for each in (rank, first, last)[: 3 if len(tied) else 1]]
    return [owner[by_rank], grade[by_rank], *ranks, *(ranks * 2)[: 3 - len(ranks)]]


def _places(matrix: Floats, begin: Ints, score: Floats, before: Any) -> Ints:
    """Where in the rows, which rise, the first number stands that is not `before` a score: its place in all of them,
    given where the row begins."""
    numbers, place, step = matrix.ravel(), begin.copy(), matrix.shape[1] >> 1
    while step:
        place += step * before(numbers[place + (step - 1)], score)
        step >>= 1
    return place


def compiled(
    judgments: Judgments | NestedJudgments, settings: Settings, requests: tuple[Request, ...]
) -> NestedEvaluator | None:
    """What evaluates dictionaries; None where the settings or the judgments ask for more."""
    which = ("queries", "only", "gains", "costs", "order", "drop_self", "document_of", "strict")
    suits = settings.are_usual(*which) and judgments.details is None
    return NestedEvaluator(judgments, settings, requests) if suits else None


def _near_miss(rows: list[JudgedRow]) -> UnmatchedIds | None:
    """As `irev.ranking.hits.near_miss`."""
    first, judged = [], {}
    many = sum([len(row.scores) for row in rows]) > 8 * in_memory.ROWS
    for query, documents, *_ in rows[: LOOKED_AT if many else QUERIES_OF_BLOCK]:
        there: list[bytes] = []
        others: list[bytes] = []
        for document in islice(documents, RESULTS):
            (there if document in query.grades else others).append(encoded(document))
        if others:
            first.append(FirstResults(query.name, tuple(there), tuple(others)))
            judged[query.name] = [*map(encoded, query.documents)]
    return near_miss_among(first, judged)


class FewValues(NamedTuple):
    """The values of few documents, of which records are made when they are wanted.

    Attributes
    ----------
    evaluator : NestedEvaluator
    rows : list of JudgedRow
        By query, in the order of their bytes.
    values : list of list of float
        For each row the value of each request.
    there : set of bytes
        The judged queries of the run.
    others : list of bytes
        Its other queries.
    near : UnmatchedIds or None
    """

    evaluator: NestedEvaluator
    rows: list[JudgedRow]
    values: list[list[float]]
    there: Set[bytes]
    others: list[bytes]
    near: UnmatchedIds | None

    @property
    def tied(self) -> bool:
        """Whether a query has a judged document in a tie; asked in every call."""
        return any(row.tied for row in self.rows)

    @property
    def _considered(self) -> int:
        asked = self.evaluator
        return len(asked.judgments.index) if asked.settings.complete else len(self.rows)

    @property
    def scores(self) -> Scores:
        """The values of queries."""
        asked = self.evaluator
        columns = tuple(map(Column, asked.requests, map(np.array, zip(*self.values, strict=True))))
        names, complete = tuple([row.query.name for row in self.rows]), asked.settings.complete
        return Scores(names, columns, self._considered, complete, asked.judgments.positive, b"run")

    @property
    def summary(self) -> Summary:
        """Means, added up in the order of the queries."""
        columns, considered = zip(*self.values, strict=True), self._considered
        return Summary(tuple([reduce(add, column, 0.0) / considered for column in columns]))

    @property
    def left_out(self) -> LeftOut:
        """Queries that are not in both."""
        return self.evaluator.left_out(self.there, self.others, self.near)

    @property
    def facts(self) -> Facts:
        """What numbers do not show."""
        ranked = self.evaluator.ranked(self.rows)
        return facts_of(ranked, self.left_out)  # type: ignore[arg-type]  # its scores are numbers
