"""The interface of ir_measures, for the measures that irev has.

    from irev.compat import ir_measures
    ir_measures.calc_aggregate(["nDCG@10", "AP(rel=2)"], qrels, run)

Measures are texts, or objects whose `str` is one, such as those of ir_measures itself; judgments and runs are nested
dictionaries, data frames, or named tuples with its fields. As there, every judged query counts, one that the run lacks
as having found nothing.

The numbers are irev's, and differ from those of ir_measures in this: there is one order of documents for all measures,
by score as a double and then by id, highest first; ``IPrec`` reaches a recall level where trec_eval 10 does; ``NumQ``
and ``NumRel`` count the queries that the run lacks; ``SetF(beta=2)`` is F2; ``Compat`` looks at 1000 results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from irev.api import Evaluation
from irev.api import Evaluator as _Evaluator
from irev.errors import UsageError
from irev.reading import memory

__all__ = [
    "CalcResults",
    "Evaluator",
    "Metric",
    "Qrel",
    "ScoredDoc",
    "calc",
    "calc_aggregate",
    "evaluator",
    "iter_calc",
]


class Qrel(NamedTuple):
    """A judgment."""

    query_id: str
    doc_id: str
    relevance: float
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A result."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of one query."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """The values for all queries by measure, and those of each query."""

    aggregated: dict[Any, float]
    per_query: list[Metric]


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Evaluates runs against judgments that are indexed once: what `evaluator` gives.

    Attributes
    ----------
    measures : tuple
        Measures as they were given.
    """

    measures: tuple[Any, ...]
    _evaluator: _Evaluator

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of every judged query for every measure."""
        yield from self._per_query(self._evaluated(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """The value for all queries of every measure."""
        return self._aggregated(self._evaluated(run))

    def calc(self, run: Any) -> CalcResults:
        """Both."""
        found = self._evaluated(run)
        return CalcResults(self._aggregated(found), list(self._per_query(found)))

    def _evaluated(self, run: Any) -> Evaluation:
        return self._evaluator.evaluate(_columns(run, "score"))

    def _aggregated(self, found: Evaluation) -> dict[Any, float]:
        values = found.mean()
        return {measure: values[str(measure)] for measure in self.measures}

    def _per_query(self, found: Evaluation) -> Iterator[Metric]:
        everyone = dict.fromkeys(found.queries, 1)  # NumQ counts each of them
        values = [found.per_query.get(str(measure), everyone) for measure in self.measures]
        for query in found.queries:
            for measure, by_query in zip(self.measures, values, strict=True):
                yield Metric(query, measure, by_query[query])


def evaluator(measures: Iterable[Any], qrels: Any) -> Evaluator:
    """An `Evaluator` for these measures and judgments.

    Raises
    ------
    UsageError
        For a measure that irev does not have, that is a text, or that stands for several.
    InputError
        For judgments that cannot be understood.
    """
    asked = tuple(dict.fromkeys(measures))
    if not asked:
        raise UsageError("there is no measure")
    made = _Evaluator(_columns(qrels, "relevance"), [str(measure) for measure in asked], complete=True)
    for measure in asked:
        if str(measure) not in made.numbers:
            raise UsageError(f"'{measure}' is not one number", remedy="name measures such as P@5 one by one")
    return Evaluator(asked, made)


def iter_calc(measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of every judged query for every measure."""
    return evaluator(measures, qrels).iter_calc(run)


def calc_aggregate(measures: Iterable[Any], qrels: Any, run: Any) -> dict[Any, float]:
    """The value for all queries of every measure."""
    return evaluator(measures, qrels).calc_aggregate(run)


def calc(measures: Iterable[Any], qrels: Any, run: Any) -> CalcResults:
    """Both."""
    return evaluator(measures, qrels).calc(run)


def _columns(data: Any, value: str) -> Any:
    """Named tuples as three columns; everything else as it is."""
    if isinstance(data, Mapping | str) or memory.is_frame(data) or not isinstance(data, Iterable):
        return data
    rows = list(data)
    if isinstance(data, tuple) and rows and not hasattr(rows[0], "query_id"):
        return data
    return [row.query_id for row in rows], [row.doc_id for row in rows], [getattr(row, value) for row in rows]
