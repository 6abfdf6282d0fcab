"""Documents that a human judged, each drawn with a known probability π, which correct the predicted value of a query.

A measure that is a sum over ranks, where a document adds what its own grade and rank say, is estimated without bias,
whatever the predictions are: its value by predicted grades, plus (what the document adds by its human grade - what it
adds by its predicted one)/π for each document that was drawn. This is a difference estimator: Cassel, Särndal and
Wretman, Some Results on Generalized Difference Estimation and Generalized Regression Estimation for Finite Populations,
Biometrika 63(3), 1976.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.segments import Floats
from irev.base.settings import Settings
from irev.measures import Request
from irev.ranking.ranking import First, rank_blocks
from irev.reading import ids
from irev.reading.fields import DRAWN_DOCUMENTS, DRAWN_QUERIES
from irev.reading.judgments import Judgments

SUMS = {
    "P": "P",
    "cg": "CG",
    "dcg": "DCG",
    "dcg_cut": "DCG@k",
    "binrbp": "RBP",
    "sdcg": "SDCG@k",
    "insq": "INSQ",
    "tbg": "TBG",
    "cwl_p": "CWL_P@k",
    "cwl_rbp": "CWL_RBP",
}
"""Measures that are sums over ranks with fixed weights, and how messages name them."""

INSTEAD = {"inst": "INSQ", "ndcg": "DCG", "ndcg_cut": "DCG@k"}
"""Which of them is nearest to a measure in which what a document adds depends on the judgments of others."""


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
            drawn = self.documents.get(query, ())
            found += [(place, ranks[each.document], each) for each in drawn if each.document in ranks]
        pairs = {(rank, grade) for _, rank, each in found for grade in (each.human, each.predicted)}
        adds = adds_of(request, pairs, self.settings)
        alone, corrections = np.zeros(len(queries)), np.zeros(len(queries))
        for place, rank, each in found:
            alone[place] += each.stands_for * adds[rank, each.human]
            corrections[place] += each.stands_for * (adds[rank, each.human] - adds[rank, each.predicted])
        return alone, corrections


def adds_of(
    request: Request, pairs: Iterable[tuple[int, float | None]], settings: Settings
) -> dict[tuple[int, float | None], float]:
    """What a document adds to a sum over ranks, by its rank and grade: the value of a ranking in which it alone is
    judged."""
    from irev.evaluation import scores
    from irev.reading import in_memory

    adds: dict[tuple[int, float | None], float] = dict.fromkeys(pairs, 0.0)
    cutoff = request.cutoff
    asked = [(rank, grade) for rank, grade in adds if grade is not None and (cutoff is None or rank <= cutoff)]
    if not asked:
        return adds
    judged = {f"q{number}": {f"d{rank}": grade} for number, (rank, grade) in enumerate(asked)}
    run = {f"q{number}": [f"d{each}" for each in range(1, rank + 1)] for number, (rank, _) in enumerate(asked)}
    settings = Settings(level=settings.level, gains=settings.gains, queries="qrels")
    judgments = in_memory.judgments(judged, settings)
    ranked, _ = rank_blocks(judgments, in_memory.blocks(run, settings), "", b"", settings)
    (column,) = scores.evaluate(ranked, (request,)).columns
    of_query = dict(zip(ranked.queries, column.values.tolist(), strict=True))
    return adds | {pair: of_query[b"q%d" % number] for number, pair in enumerate(asked)}


class Sample(NamedTuple):
    """What a human judged of all that a model did.

    Attributes
    ----------
    weights : mapping of bytes to float
        1/π of each query, where queries were drawn with probabilities of their own; empty where all were as likely.
    documents : DrawnDocuments or None
        The documents that were drawn; None where a human judged whole queries.
    everywhere : bool
        Whether these were drawn from all queries, so that one without any counts as well.
    """

    weights: Mapping[bytes, float] = {}
    documents: DrawnDocuments | None = None
    everywhere: bool = False


def sample_of(human: Judgments, model: Judgments, settings: Settings) -> Sample:
    """What the human judgments are of: queries drawn alike unless they have probabilities.

    Parameters
    ----------
    human, model : Judgments
    settings : Settings
        Of the evaluation.

    Raises
    ------
    UsageError
        For a setting under which a document adds what other judgments say.
    """
    details = human.details
    if details is not None and details.kind.name == "strata":
        fact = "human judgments of strata do not say which documents were drawn"
        raise UsageError(fact, remedy="give judgments with probabilities: --qrels-format prels")
    if details is None or details.probability is None:
        return Sample()
    drawn, (group, groups) = details.stands_for(), details.grouped
    if groups.are(DRAWN_QUERIES)[group].any():
        of_query = zip(human.query.tolist(), drawn.tolist(), strict=True)
        return Sample({human.queries[query]: weight for query, weight in of_query})
    everywhere = bool(groups.are(DRAWN_DOCUMENTS)[group].any())
    return Sample(documents=drawn_of(human, model, drawn, settings), everywhere=everywhere)


def drawn_of(human: Judgments, model: Judgments, weight: Floats, settings: Settings) -> DrawnDocuments:
    """The documents that a human judged, each with its predicted grade.

    Parameters
    ----------
    human, model : Judgments
        A document that was drawn and got a negative grade is left out: no human could say.
    weight : (j,) array
        1/π of each human judgment.
    settings : Settings
        Of the evaluation.

    Raises
    ------
    UsageError
        For a setting under which a document adds what other judgments say.
    """
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
        name = request.measure.name
        if name not in SUMS:
            raise UsageError(
                f"{request.standard} is not a sum over documents, so human judgments of drawn documents cannot "
                "correct it without bias",
                remedy=f"measure by {INSTEAD.get(name, ', '.join(SUMS.values()))}, or judge whole queries",
            )
        given = dict(request.options)
        if "max_rel" in request.measure.options and not (
            isinstance(given.get("max_rel"), float) and {*given} <= {"max_rel", "T", "p", "gain", "halflife", "depth"}
        ):
            fact = f"{request.standard} divides gains by the highest grade of the judgments, which documents that are"
            fact = f"{fact} drawn do not tell"
            raise UsageError(fact, remedy=f"say which it is, as {SUMS[name].replace('@k', '')}(max_rel=3) does")
