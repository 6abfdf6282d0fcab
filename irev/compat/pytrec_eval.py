"""The interface of pytrec_eval, dictionary for dictionary: change the import and keep the program.

    from irev.compat import pytrec_eval
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, {"map", "ndcg_cut.10"})
    evaluator.evaluate(run)["q1"]["ndcg_cut_10"]

That package runs the code of trec_eval 9, and so do these numbers follow that version: scores are compared in single
precision. What irev refuses anywhere is refused here too: a score that is not a number, an id that is empty or has a
NUL.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from irev.base.segments import Floats
from irev.base.settings import SINGLE_PRECISION, Settings
from irev.base.text import decoded, encoded
from irev.evaluation import dictionaries
from irev.evaluation import scores as evaluation
from irev.evaluation.dictionaries import NestedEvaluator, by_name
from irev.evaluation.objects import ranked_by
from irev.evaluation.scores import Column
from irev.measures import MEASURES, Request, in_trec_order, parse
from irev.measures.measure import OF_OTHER_JUDGMENTS, SETS, TREC_ORDER, Measure
from irev.measures.parameters import Cutoffs, Levels
from irev.ranking.ranked import Ranked

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


def _of_version_9(names: Iterable[str]) -> set[str]:
    return {name for name in names if not MEASURES[name].new_in_10}


supported_nicknames: dict[str, set[str]] = {
    name: _of_version_9(members) for name, members in SETS.items() if name not in OF_OTHER_JUDGMENTS
}
"""Names of sets of measures, and their members. Measures of preferences, which pytrec_eval lists and cannot compute
from its judgments, are not among them."""

supported_measures: set[str] = _of_version_9(SETS["all_trec"])
"""Names of measures."""

__version__ = "0.5.11"
"""The version of pytrec_eval-terrier whose interface this is: other packages look at it before they use one."""

_PARAMETERS = r"[._](-?[0-9]+(?:\.[0-9]+)?(?:,-?[0-9]+(?:\.[0-9]+)?)*)"


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A run from lines ``query Q0 document rank score tag``.

    Raises
    ------
    ValueError
        For a line with another number of fields, a score that is not a number, or a document that a query has twice.
    """
    run: dict[str, dict[str, float]] = {}
    for line in f_run:
        query, _, document, _, score, _ = line.split()
        _add(run.setdefault(query, {}), query, document, float(score))
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Judgments from lines ``query 0 document grade``.

    Raises
    ------
    ValueError
        For a line with another number of fields, a grade that is not a whole number, or a document that is judged
        twice.
    """
    judgments: dict[str, dict[str, int]] = {}
    for line in f_qrel:
        query, _, document, grade = line.split()
        _add(judgments.setdefault(query, {}), query, document, int(grade))
    return judgments


def _add(documents: dict[str, Any], query: str, document: str, value: float) -> None:
    if document in documents:
        raise ValueError(f"document {document!r} of query {query!r} occurs twice")
    documents[document] = value


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """The value for all queries: a sum for ``num_…``, exp of the mean for ``gm_…``, else the mean; nan for none.

    Added as numpy adds, in pairs, and as pytrec_eval therefore does; `irev.evaluate` adds from left to right, as
    trec_eval does, which may differ in the last digit.
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluates runs against judgments.

    Parameters
    ----------
    query_relevance : dict
        ``{query: {document: grade}}``, grades being whole numbers.
    measures : iterable of str
        ``map``, ``P.5,10``, ``ndcg_cut_10``, or a set such as ``official``.
    relevance_level : int
        Lowest grade that counts as relevant, 1 or more.
    judged_docs_only_flag : bool
        Drop documents without a judgment.

    Raises
    ------
    ValueError
        For a measure that is not supported.
    TypeError
        For judgments that are no such dictionary, and a relevance level that is not a whole number of 1 or more.
    InputError
        For an id that is empty or holds a NUL.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if not hasattr(relevance_level, "__index__"):
            raise TypeError("Argument relevance_level should be a whole number.")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        self._settings = Settings(
            level=float(relevance_level), judged_only=bool(judged_docs_only_flag), compat=SINGLE_PRECISION
        )
        self._requests = _parsed(frozenset(measures))
        judged = {query: documents for query, documents in query_relevance.items() if len(documents)}
        for documents in judged.values():
            for grade in documents.values():
                operator.index(grade)
        self._nested: NestedEvaluator | None = None
        if judged:
            judgments = dictionaries.judgments(judged, self._settings)
            self._nested = NestedEvaluator(judgments, self._settings, self._requests)
        self._labels = tuple(map(_key, self._requests))

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of a run.

        Parameters
        ----------
        scores : dict
            ``{query: {document: score}}``.

        Returns
        -------
        values : dict
            ``{query: {measure: value}}`` of the queries that are judged; values of ``gm_map`` and ``gm_bpref`` are
            logarithms, and those of texts 0.
        """
        nested = self._nested
        if nested is None or not scores:
            return {}
        read = nested.rows(scores)
        rows = [] if read is None else read[0]
        if len(rows) > 1:
            rows.sort(key=by_name)
        names = [row.query.query for row in rows]
        values: Iterable[Iterable[float]] | None = nested.of_few(rows) if rows and self._requests else None
        if values is None:
            ranked = nested.ranked(rows) if rows else None
            if ranked is None:
                judged = nested.judgments.index
                common = {query: documents for query, documents in scores.items() if _is_judged(query, judged)}
                if not common:
                    return {}
                if not all(isinstance(documents, dict | Mapping) for documents in common.values()):
                    raise TypeError("Unable to extract query/object scores.")
                ranked, _ = ranked_by(nested.judgments, common, self._settings, "run", warnings.warn)
            names = [*map(decoded, ranked.queries)]
            columns = evaluation.evaluate(ranked, self._requests).columns
            of_queries = [_as_of_version_9(column, ranked).tolist() for column in columns]
            values = zip(*of_queries, strict=True) if of_queries else [()] * ranked.size
        found = {name: dict(zip(self._labels, row, strict=True)) for name, row in zip(names, values, strict=True)}
        return {query: found[query] for query in scores if query in found}


def _is_judged(query: Any, index: Mapping[bytes, int]) -> bool:
    if not isinstance(query, str):
        raise TypeError("Expected string as key.")
    return encoded(query) in index


@lru_cache(128)
def _parsed(measures: frozenset[str]) -> tuple[Request, ...]:
    """What is asked for; kept, since programs make an evaluator for each query."""
    combined = _combined(measures)
    return in_trec_order(parse(combined, SINGLE_PRECISION)) if combined else ()


def _combined(measures: Iterable[str]) -> list[str]:
    """The measures as texts for `parse`, with all parameters of a measure in one; a bare name adds none to them."""
    parameters: dict[str, set[str]] = {}
    for measure in measures:
        members = supported_nicknames.get(measure, {measure})
        for name in members:
            base, given = _parts(name)
            # Cutoffs add up. Where a measure takes all its numbers together, as utility does, their order matters.
            each = given.split(",") if _is_listed(MEASURES[base]) else [given]
            parameters.setdefault(base, set()).update(filter(None, each))
    return [f"{name}.{','.join(sorted(given))}" if given else name for name, given in parameters.items()]


def _is_listed(measure: Measure) -> bool:
    """Whether each number that may follow the name is a result of its own."""
    return isinstance(measure.parameter, Cutoffs | Levels)


def _parts(measure: str) -> tuple[str, str]:
    if measure in supported_measures:
        return measure, ""
    for name in TREC_ORDER:
        found = re.fullmatch(re.escape(name) + _PARAMETERS, measure) if name in supported_measures else None
        if found is not None:
            return name, found[1]
    raise ValueError(f"unsupported measure {measure}")


def _key(request: Request) -> str:
    """What that package calls a result: where a measure is printed once, its parameters are no part of the name."""
    return request.label if _is_listed(request.measure) else request.measure.name


def _as_of_version_9(column: Column, ranked: Ranked) -> Floats:
    """Values as that package has them: all are real, texts have 0, and some of nothing retrieved are nan."""
    measure = column.request.measure
    if measure.kind == "text":
        return np.zeros(ranked.size)
    values = column.values.astype(np.float64)
    if measure.name in ("iprec_at_recall", "11pt_avg"):
        # trec_eval 9 divides by the rank at which a recall level is reached, and may reach it at rank 0.
        level = np.min(column.request.value.value)  # the lowest makes the mean of several nan
        values[(ranked.retrieved == 0) & (level * ranked.relevant_total + 0.9 < 1)] = np.nan
    return values
