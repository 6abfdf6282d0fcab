"""Evaluation of few documents in plain Python, as training loops ask for it: one query of ten documents at a time.

A call of numpy takes about as long as sorting ten documents does, and to index, rank and evaluate by arrays is two
hundred such calls. So dictionaries with few documents for each query go this way, if they hold nothing unusual and all
measures are in `FEW`: an evaluator is compiled once to what its measures need, and a call makes no arrays and no
records. Results are those of `reading.in_memory`, `ranking.ranking` and `evaluation` to the last bit, without
`LeftOut.no_overlap` and `near_miss`, which programs do not ask for. Unusual data, errors included, are left to those
modules.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base.errors import Problem
from irev.base.records import cached_property, dataclass
from irev.base.segments import Floats
from irev.base.settings import RELEVANT, Settings
from irev.evaluation.result import Facts
from irev.evaluation.scores import Column, Scores, Summary
from irev.measures.few_documents import Function, JudgedQuery, functions_of
from irev.measures.request import Request
from irev.ranking.hits import LOOKED_AT, RESULTS, FirstResults, UnmatchedIds, near_miss_among
from irev.ranking.ranking import LeftOut
from irev.reading import in_memory
from irev.reading.judgments import LARGEST, Judgments
from irev.reading.qrels import HIGHEST_EXPECTED

MOST_MISSING = 400
"""Judged queries without results of which values are computed here; of more arrays are faster."""

MOST_JUDGED = 20_000
"""Judgments that are kept as they are handed in; more are indexed at once."""

QUERIES, DOCUMENTS = 100, 3_000
"""Queries of a run, and documents of all of them, up to which values are computed here; of more arrays are faster."""


@dataclass(frozen=True, eq=False)
class FewJudgments:
    """The judgments of a small dictionary, with what evaluating few documents wants to know of `Judgments`.

    Attributes
    ----------
    written : dict
        The dictionary, copied.
    settings : Settings
        What they are read with.
    index : dict of bytes to int
        Judged queries, in byte order, and their places in that.
    grades : dict of bytes to dict
        The grade of each document that is judged for a query.
    odd : bool
        Whether some grade is no small whole number, nor a fraction of 1.
    """

    written: dict[str, dict[str, float]]
    settings: Settings
    index: dict[bytes, int]
    grades: dict[bytes, dict[str, float]]
    odd: bool
    name: ClassVar[str] = "qrels"
    details: ClassVar[None] = None
    neighbours: ClassVar[bool] = False
    relevant_only: ClassVar[bool] = False
    of_arrays: ClassVar[bool] = False
    unanswerable: ClassVar[tuple[bytes, ...]] = ()

    def of_query(self, query: bytes) -> dict[str, float]:
        """As `Judgments.of_query`."""
        return self.grades[query]

    @cached_property
    def positive(self) -> int:
        """How many grades are above 0."""
        return sum(1 for grades in self.grades.values() for grade in grades.values() if grade > 0)

    @cached_property
    def highest(self) -> float:
        """The highest grade."""
        return max(max(grades.values()) for grades in self.grades.values())

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
        """The same for any number of documents."""
        return in_memory.judgments(self.written, self.settings)


def judgments(data: object, settings: Settings) -> Judgments | FewJudgments:
    """Judgments in memory: `FewJudgments` where they are few and usual, else as `in_memory.judgments` gives them."""
    few = (
        _few_judgments(data, settings)
        if type(data) is dict and settings.negative != "error" and settings.queries != RELEVANT
        else None
    )
    return few or in_memory.judgments(data, settings)


def indexed(judgments: Judgments | FewJudgments) -> Judgments:
    """Judgments for any number of documents."""
    return judgments.indexed if isinstance(judgments, FewJudgments) else judgments


def _few_judgments(data: dict[Any, Any], settings: Settings) -> FewJudgments | None:
    if not data or not _is_small(data, MOST_JUDGED):
        return None
    grades = {}
    written = {query: dict(documents) for query, documents in data.items()}
    odd, least = False, 0.0 if settings.negative == "nonrelevant" else -math.inf
    for query, documents in written.items():
        name, values = _query(query), _numbers(documents)
        if name is None or values is None or (lowest := min(values)) < -LARGEST or (highest := max(values)) > LARGEST:
            return None
        if not odd and (highest > 1 or lowest < 0):
            odd = highest > HIGHEST_EXPECTED or not all(map(float.is_integer, values))
        # A grade of -0 is 0.
        grades[name] = dict(zip(documents, [max(value, least) + 0.0 for value in values], strict=True))
    return FewJudgments(written, settings, {query: place for place, query in enumerate(sorted(grades))}, grades, odd)


def is_few(run: Mapping[Any, Any]) -> bool:
    """Whether values of a run are computed here, if none of its queries is unusual."""
    return len(run) <= QUERIES and _is_small(run, DOCUMENTS)


def _is_small(data: Mapping[Any, Any], most: int) -> bool:
    """Whether these are dictionaries of so many documents or fewer, and at least one."""
    usual = all(type(documents) is dict and documents for documents in data.values())
    return usual and sum(map(len, data.values())) <= most


def _query(query: object) -> bytes | None:
    """The bytes of a query id, or None for an unusual one."""
    if type(query) is not str or not query or "\0" in query:
        return None
    try:
        return query.encode()
    except UnicodeEncodeError:
        return None


def _numbers(documents: Mapping[str, float]) -> array[float] | None:
    """The scores or grades of documents, or None where one is not a number, or one of the ids is unusual."""
    try:
        joined = "".join(documents)
        if not joined.isascii():
            joined.encode()
        numbers = array("d", documents.values())
    except (TypeError, OverflowError, UnicodeEncodeError):
        return None
    usual = _NUMBERS.issuperset(map(type, documents.values())) and not ("\0" in joined or "" in documents)
    return numbers if usual and not any(map(math.isnan, numbers)) else None


_NUMBERS = frozenset({float, int, np.float64})


def _ordered(documents: Mapping[str, float], scores: Sequence[float], ties: str) -> list[tuple[float, str]]:
    """Documents by falling score. The order of the characters of ids is that of their bytes."""
    rows = list(zip(scores, documents, strict=True))
    if ties == "file":
        return sorted(rows, key=lambda row: -row[0])
    if ties == "docid-asc":
        return sorted(rows, key=lambda row: (-row[0], row[1]))
    return sorted(rows, reverse=True)


def _left_out(judgments: Judgments | FewJudgments, retrieved: Collection[bytes], complete: bool) -> LeftOut:
    return LeftOut(
        tuple(name for name in judgments.index if name not in retrieved),
        tuple(sorted(name for name in retrieved if name not in judgments.index)),
        not_retrieved_count=complete,
        not_judged_count=False,
    )


def suits(settings: Settings) -> bool:
    """Whether the settings ask for nothing that only arrays do."""
    which = ("queries", "query_weights", "only", "gains", "costs", "order", "drop_self", "document_of", "strict")
    return settings.are_usual(*which, "depth", "judged_only") and settings.ties != "average"


def near_miss(judgments: Judgments | FewJudgments, run: Mapping[str, Any]) -> UnmatchedIds | None:
    """As `irev.ranking.hits.near_miss`, of a run of which values are computed here."""
    first, judged = [], {}
    for query, documents in islice(run.items(), LOOKED_AT):
        name = query.encode()
        if name in judgments.index:
            grades = judgments.of_query(name)
            there: list[bytes] = []
            others: list[bytes] = []
            for document in islice(documents, RESULTS):
                (there if document in grades else others).append(document.encode())
            first.append(FirstResults(name, tuple(there), tuple(others)))
            # The ids of judgments are of use only beside those of results that are not judged.
            judged[name] = [document.encode() for document in grades] if others else []
    return near_miss_among(first, judged)


class FewQueryValues(NamedTuple):
    """The values of a query, how many of its documents are judged and are not, whether a judged one is tied, and
    whether all are."""

    query: JudgedQuery
    values: list[float]
    judged: int = 0
    unjudged: int = 0
    tied: bool = False
    alike: bool = False


class FewEvaluator:
    """Evaluates runs of few documents; what it learns of a query it keeps for the next call.

    Parameters
    ----------
    judgments : Judgments or FewJudgments
        Of grades.
    settings : Settings
        Such as they are when they `suits`.
    requests : tuple of Request
    functions : tuple of Function
        One for each request.
    """

    def __init__(
        self,
        judgments: Judgments | FewJudgments,
        settings: Settings,
        requests: tuple[Request, ...],
        functions: tuple[Function, ...],
    ) -> None:
        self.judgments, self.requests, self.complete = judgments, requests, settings.complete
        self._functions, self._level, self._ties = functions, settings.level, settings.ties
        self._single = settings.single_precision
        self._known: dict[Any, JudgedQuery] = {}

    def evaluate(self, run: Mapping[Any, Any]) -> FewValues | None:
        """The values of a run; None for what is large or in any way unusual."""
        if not is_few(run):
            return None
        judged, complete = self.judgments.index, self.complete and not self._single
        found = []
        for query, documents in run.items():
            values = self.values(query, documents)
            if values is not None:
                found.append(values)
            elif (name := _query(query)) is None or name in judged or _numbers(documents) is None:
                return None
        if not found or (complete and len(judged) > len(found) + MOST_MISSING):
            return None
        if complete and len(found) < len(judged):
            there = {each.query.name for each in found}
            missing = [self._known.get(name) or self._learnt(name, name) for name in judged if name not in there]
            found += [
                FewQueryValues(each, [function(each, [], []) for function in self._functions]) for each in missing
            ]
        if len(found) > 1:
            found.sort(key=_by_name)
        return FewValues(self, found, tuple(run))

    def values(self, query: Any, documents: Any) -> FewQueryValues | None:
        """The values of one query; None for one without judgments, and for what is large or in any way unusual."""
        known = self._known.get(query)
        if known is None:
            name = _query(query)
            if name is None or name not in self.judgments.index:
                return None
            known = self._learnt(query, name)
        scores = _numbers(documents)
        if scores is None:
            return None
        if self._single:
            scores = array("f", scores)
        level, grades = self._level, known.grades
        score_of = dict(zip(documents, scores, strict=True))
        rising = sorted(scores)
        size = len(rising) + 1
        hits, tied, alike = [], False, False
        for document in grades.keys() & score_of.keys():
            score = score_of[document]
            place = bisect_right(rising, score)
            if place > 1 and rising[place - 2] == score:
                tied, alike = True, rising[0] == rising[-1]
                break
            hits.append((size - place, grades[document]))
        if tied:
            rows = enumerate(_ordered(documents, scores, self._ties), 1)
            hits = [(rank, grades[document]) for rank, (_, document) in rows if document in grades]
        else:
            hits.sort()
        ranks = [rank for rank, grade in hits if grade >= level]
        judged = sum(1 for _, grade in hits if grade >= 0)
        return FewQueryValues(
            known,
            [function(known, hits, ranks) for function in self._functions],
            judged,
            size - 1 - judged,
            tied,
            alike,
        )

    def _learnt(self, query: Any, name: bytes) -> JudgedQuery:
        known = self._known[query] = JudgedQuery(name, self.judgments.of_query(name), self._level)
        return known


def _by_name(values: FewQueryValues) -> bytes:
    return values.query.name


def compiled(
    judgments: Judgments | FewJudgments, settings: Settings, requests: tuple[Request, ...]
) -> FewEvaluator | None:
    """What evaluates runs of few documents; None where the settings or a measure ask for more."""
    functions = functions_of(requests) if suits(settings) and judgments.details is None else None
    return None if functions is None else FewEvaluator(judgments, settings, requests, functions)


class FewValues(NamedTuple):
    """The values of a run, of which records are made when they are wanted.

    Attributes
    ----------
    evaluator : FewEvaluator
    rows : list of FewQueryValues
        By query, in the order of their bytes.
    retrieved : tuple of str
        The queries of the run.
    """

    evaluator: FewEvaluator
    rows: list[FewQueryValues]
    retrieved: tuple[str, ...]

    @property
    def tied(self) -> bool:
        """Whether a query has a judged document in a tie; asked in every call."""
        for each in self.rows:  # noqa: SIM110 - a generator takes longer
            if each.tied:
                return True
        return False

    @property
    def judged(self) -> bool:
        """Return True if any document is judged."""
        return any(each.judged for each in self.rows)

    @property
    def considered(self) -> int:
        """Queries that means divide by."""
        return len(self.evaluator.judgments.index) if self.evaluator.complete else len(self.rows)

    @property
    def scores(self) -> Scores:
        """The values of queries."""
        asked = self.evaluator
        values = map(np.array, zip(*(each.values for each in self.rows), strict=True))
        columns = tuple(map(Column, asked.requests, values))
        names = tuple(each.query.name for each in self.rows)
        return Scores(names, columns, self.considered, asked.complete, asked.judgments.positive, b"run")

    @property
    def summary(self) -> Summary:
        """Means, added up in the order of the queries."""
        columns, considered = zip(*[each.values for each in self.rows], strict=True), self.considered
        return Summary(tuple([reduce(add, column, 0.0) / considered for column in columns]))

    @property
    def left_out(self) -> LeftOut:
        """Queries that are not in both."""
        retrieved = {query.encode() for query in self.retrieved}
        return _left_out(self.evaluator.judgments, retrieved, self.evaluator.complete)

    @property
    def facts(self) -> Facts:
        """What numbers do not show."""
        judged = unjudged = tied = alike = 0
        for each in self.rows:
            judged, unjudged = judged + each.judged, unjudged + each.unjudged
            tied, alike = tied + each.tied, alike + each.alike
        left_out = self.left_out
        return Facts(judged, unjudged, tied, left_out.not_retrieved, left_out.not_judged, alike=alike)
