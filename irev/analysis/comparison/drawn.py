"""Values of queries by predicted judgments, corrected by human judgments of documents that were drawn.

A human judged some documents of a query, each drawn with a known probability π. A measure that is a sum over ranks,
where a document adds what its own grade and rank say, is then estimated without bias, whatever the predictions are: its
value by predicted grades, plus (what the document adds by its human grade - what it adds by its predicted one)/π for
each document that was drawn. This is a difference estimator: Cassel, Särndal and Wretman, Some Results on Generalized
Difference Estimation and Generalized Regression Estimation for Finite Populations, Biometrika 63(3), 1976.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.base.settings import Settings
from irev.errors import UsageError, option
from irev.measures import Request
from irev.measures.structured_judgments.inclusion import stands_for
from irev.ranking.ranking import First
from irev.reading import ids
from irev.reading.judgments import Judgments

SUMS = ("P", "CG", "DCG", "DCG@k", "RBP")
"""Measures that are sums over ranks, as messages name them."""

_SUMS = frozenset({"P", "cg", "dcg", "dcg_cut", "binrbp"})


class DrawnDocument(NamedTuple):
    """A document that a human judged: its grades, the predicted one None where there is none, and 1/π."""

    document: bytes
    human: float
    predicted: float | None
    stands_for: float


class DrawnDocuments(NamedTuple):
    """What was drawn of each query that a human judged documents of."""

    documents: Mapping[bytes, Sequence[DrawnDocument]]
    settings: Settings

    def corrections(self, request: Request, first: First, queries: Sequence[bytes]) -> tuple[Floats, Floats]:
        """Of a run, given its documents in order: for each of some queries the value by the drawn documents alone, Σ
        human/π, and what corrects the value by predicted judgments, Σ (human - predicted)/π."""
        found: list[tuple[int, int, DrawnDocument]] = []
        for place, query in enumerate(queries):
            ranks = {document: rank for rank, document in enumerate(first.get(query, ()), start=1)}
            found += [(place, ranks[each.document], each) for each in self.documents[query] if each.document in ranks]
        adds = self._adds(request, {(rank, grade) for _, rank, each in found for grade in (each.human, each.predicted)})
        alone, corrections = np.zeros(len(queries)), np.zeros(len(queries))
        for place, rank, each in found:
            alone[place] += each.stands_for * adds[rank, each.human]
            corrections[place] += each.stands_for * (adds[rank, each.human] - adds[rank, each.predicted])
        return alone, corrections

    def _adds(
        self, request: Request, pairs: Iterable[tuple[int, float | None]]
    ) -> dict[tuple[int, float | None], float]:
        """What a document adds at a rank by its grade: the value of a ranking in which it alone is judged."""
        from irev.evaluation import scores
        from irev.ranking.ranking import rank_blocks
        from irev.reading import memory

        adds: dict[tuple[int, float | None], float] = dict.fromkeys(pairs, 0.0)
        cutoff = request.cutoff
        asked = [(rank, grade) for rank, grade in adds if grade is not None and (cutoff is None or rank <= cutoff)]
        if not asked:
            return adds
        judged = {f"q{number}": {f"d{rank}": grade} for number, (rank, grade) in enumerate(asked)}
        run = {f"q{number}": [f"d{each}" for each in range(1, rank + 1)] for number, (rank, _) in enumerate(asked)}
        settings = Settings(level=self.settings.level, gains=self.settings.gains, queries="qrels")
        judgments = memory.judgments(judged, settings)
        ranked, _ = rank_blocks(judgments, memory.blocks(run, settings), "", b"", settings)
        (column,) = scores.evaluate(ranked, (request,)).columns
        of_query = dict(zip(ranked.queries, column.values.tolist(), strict=True))
        return adds | {pair: of_query[b"q%d" % number] for number, pair in enumerate(asked)}


def drawn_of(human: Judgments, model: Judgments, settings: Settings) -> DrawnDocuments | None:
    """The documents that a human judged, each with its predicted grade; None where the human judgments have no
    probabilities.

    Parameters
    ----------
    human, model : Judgments
        A document that was drawn and got a negative grade is left out: no human could say.
    settings : Settings
        Of the evaluation.

    Raises
    ------
    UsageError
        For a setting under which a document adds what other judgments say.
    """
    if human.details is not None and human.details.kind == "strata":
        fact = "human judgments of strata say not which documents were drawn"
        raise UsageError(fact, remedy="give judgments with probabilities: --qrels-format prels")
    if human.details is None or human.details.probability is None:
        return None
    weight = stands_for(human.details)
    if settings.judged_only or settings.ties == "average":
        setting = "judged_only" if settings.judged_only else "ties"
        raise UsageError(f"{option(setting)} is not possible where human judgments have probabilities")
    wanted = frozenset(human.queries)
    kept = np.flatnonzero([query in wanted for query in model.queries])
    guessed: dict[tuple[bytes, bytes], float] = {}
    for row in np.flatnonzero(np.isin(model.query, kept)).tolist():
        guessed[_named(model, row)] = float(model.grade[row])
    found: dict[bytes, list[DrawnDocument]] = {query: [] for query in human.queries}
    for row in np.flatnonzero(human.grade >= 0).tolist():
        query, document = _named(human, row)
        grade = float(human.grade[row])
        found[query].append(DrawnDocument(document, grade, guessed.get((query, document)), float(weight[row])))
    return DrawnDocuments(found, settings)


def _named(judgments: Judgments, row: int) -> tuple[bytes, bytes]:
    place = judgments.document_start[row], judgments.document_length[row]
    return judgments.queries[judgments.query[row]], ids.at(judgments.text, *place)


def require_sums(requests: Iterable[Request]) -> None:
    """Raise `UsageError` for a measure that is no sum over ranks."""
    for request in requests:
        if request.measure.name not in _SUMS:
            raise UsageError(
                f"{request.standard} is no sum of what single documents add, so that human judgments of drawn documents"
                " cannot correct it without bias",
                remedy=f"measure by {', '.join(SUMS)}, or judge whole queries",
            )
