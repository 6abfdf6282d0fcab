"""Runs under predicted judgments of all queries, which human judgments of some of them correct.

`by_predictions` has the mean of every run and the difference of every two of them by human judgments alone, by
predicted ones alone, and corrected; and how far the predictions favour a run.

Where a human judged some documents of a query, each drawn with a known probability π, `drawn_of` has them. A measure
that is a sum over ranks, where a document adds what its own grade and rank say, is then estimated without bias,
whatever the predictions are: its value by predicted grades, plus (what the document adds by its human grade - what it
adds by its predicted one)/π for each document that was drawn. This is a difference estimator: Cassel, Särndal and
Wretman, Some Results on Generalized Difference Estimation and Generalized Regression Estimation for Finite Populations,
Biometrika 63(3), 1976.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.errors import InputError, UsageError, option, shown
from irev.evaluation.comparison.alignment import Aligned, differences_of, nonfinite
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.measures.structured_judgments.inclusion import stands_for
from irev.ranking.ranking import First
from irev.reading import ids
from irev.reading.formats.audit import DRAWN_DOCUMENTS, DRAWN_QUERIES
from irev.reading.judgments import Judgments
from irev.statistics import corrections
from irev.statistics.prediction_powered import Corrected, bias, chosen, corrected, favour
from irev.statistics.ratios import around, p_of_zero, ratio

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
    from irev.ranking.ranking import rank_blocks
    from irev.reading import memory

    adds: dict[tuple[int, float | None], float] = dict.fromkeys(pairs, 0.0)
    cutoff = request.cutoff
    asked = [(rank, grade) for rank, grade in adds if grade is not None and (cutoff is None or rank <= cutoff)]
    if not asked:
        return adds
    judged = {f"q{number}": {f"d{rank}": grade} for number, (rank, grade) in enumerate(asked)}
    run = {f"q{number}": [f"d{each}" for each in range(1, rank + 1)] for number, (rank, _) in enumerate(asked)}
    settings = Settings(level=settings.level, gains=settings.gains, queries="qrels")
    judgments = memory.judgments(judged, settings)
    ranked, _ = rank_blocks(judgments, memory.blocks(run, settings), "", b"", settings)
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
        fact = "human judgments of strata say not which documents were drawn"
        raise UsageError(fact, remedy="give judgments with probabilities: --qrels-format prels")
    if details is None or details.probability is None:
        return Sample()
    drawn, (group, groups) = stands_for(details), details.grouped
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
                f"{request.standard} is no sum of what single documents add, so that human judgments of drawn documents"
                " cannot correct it without bias",
                remedy=f"measure by {INSTEAD.get(name, ', '.join(SUMS.values()))}, or judge whole queries",
            )
        given = dict(request.options)
        if "max_rel" in request.measure.options and not (
            isinstance(given.get("max_rel"), float) and {*given} <= {"max_rel", "T", "p", "gain", "halflife", "depth"}
        ):
            fact = f"{request.standard} divides gains by the highest grade of the judgments, which documents that are"
            fact = f"{fact} drawn do not tell"
            raise UsageError(fact, remedy=f"say which it is, as {SUMS[name].replace('@k', '')}(max_rel=3) does")


CHOSEN = 0.01
"""From this p on a sample looks chosen: one random sample of a hundred does."""

LEAST = 2
"""Queries that a human has to have judged: one has no error."""


class Unlike(NamedTuple):
    """A measure by which the judged queries look chosen, not drawn at random: the mean predicted value of the judged
    queries, and of the others, over all runs; and p of no difference."""

    measure: str
    judged: float
    others: float
    p: float


class CorrectedValue(NamedTuple):
    """The mean of a run, or the difference of a run from another, by both kinds of judgments.

    Attributes
    ----------
    measure, run : str
    baseline : str or None
        The run that `run` is compared with; None of a mean.
    human, human_low, human_high : float or None
        By human judgments of the judged queries alone, with Student's interval.
    predicted : float
        By predicted judgments of all queries alone.
    corrected, low, high : float or None
        By both, with its interval.
    error, error_of_all : float or None
        The standard error of that, and the part of it that comes from all queries, however many of them are judged.
    p : float or None
        Of a corrected difference of 0, by Holm's correction over the pairs of runs of the measure.
    tuning : float
        The weight of the predictions, from 0.
    worth : int or None
        How many more queries with human judgments alone would give as narrow an interval; None where documents were
        drawn.
    bias, bias_low, bias_high : float or None
        The mean of human less predicted values of the judged queries.
    favour, favour_p : float or None
        The bias of a run less the mean bias of the others, and the p of none, by Holm's correction over the runs; None
        of a single run, and of a difference.
    """

    measure: str
    run: str
    baseline: str | None
    human: float | None
    human_low: float | None
    human_high: float | None
    predicted: float
    corrected: float
    low: float | None
    high: float | None
    error: float | None
    error_of_all: float
    p: float | None
    tuning: float
    worth: int | None
    bias: float | None
    bias_low: float | None
    bias_high: float | None
    favour: float | None = None
    favour_p: float | None = None


@dataclass(frozen=True, eq=False)
class ByPredictions:
    """Runs under human and predicted judgments.

    Attributes
    ----------
    queries, judged : int
        With predicted judgments, and with human ones, too.
    means, differences : tuple of CorrectedValue
    chosen : tuple of Unlike
    """

    queries: int
    judged: int
    means: tuple[CorrectedValue, ...]
    differences: tuple[CorrectedValue, ...]
    chosen: tuple[Unlike, ...]


def by_predictions(
    human: Sequence[Outcome],
    predicted: Sequence[Outcome],
    judged: Collection[bytes],
    confidence: float,
    pairs: Sequence[tuple[int, int]],
    sample: Sample = Sample(),  # noqa: B008
    firsts: Sequence[First] = (),
) -> ByPredictions:
    """Means, differences and biases of runs.

    Parameters
    ----------
    human, predicted : sequence of Outcome
        Every run under human judgments and under predicted ones, in one order, over all queries judged there.
    judged : collection of bytes
        The queries that a human judged; others, of which all grades are negative, do not count.
    confidence : float
        Of the intervals.
    pairs : sequence of (int, int)
        The places of a baseline and a run, for each difference.
    sample : Sample
        How these were drawn. Where it is documents, human values are estimates without bias.
    firsts : sequence of First, optional
        The documents of every run, where documents were drawn.

    Raises
    ------
    InputError
        For a query with human judgments and without predicted ones, and for fewer than two that have both.
    UsageError
        For a measure without finite numbers for single queries, and for one that documents that were drawn cannot
        correct.
    """
    requests = [column.request for column in human[0].columns if column.request.measure.numeric]
    if not requests:
        raise UsageError("no measure has numbers for single queries", remedy="name another one, such as nDCG@10")
    drawn = sample.documents
    if drawn is not None:
        require_sums(requests)
    by_human, by_model = (aligned_outcomes(outcomes, requests, both=False) for outcomes in (human, predicted))
    queries = {query: place for place, query in enumerate(by_model.measured[0].queries)}
    rows = [row for row, query in enumerate(by_human.measured[0].queries) if query in judged]
    known = [by_human.measured[0].queries[row] for row in rows]
    _require_predicted(known, queries)
    known = [*queries] if sample.everywhere else known
    places = np.array([queries[query] for query in known], dtype=np.int64)
    weights = np.array([sample.weights.get(query, 1.0) for query in known])
    means: list[CorrectedValue] = []
    differences: list[CorrectedValue] = []
    unlike: list[Unlike] = []
    for place, request in enumerate(requests):
        alone = values = _finite(by_human, place)[rows]
        guesses = _finite(by_model, place)
        if drawn is not None:
            found = [drawn.corrections(request, first, known) for first in firsts]
            alone, corrections = (np.stack(columns, axis=1) for columns in zip(*found, strict=True))
            values = guesses[places] + corrections
        about = _OfMeasure(request, by_model.runs, values, alone, guesses, places, weights, confidence)
        means += about.means()
        differences += about.differences(pairs)
        unlike += _unlike(about, len(requests))
    return ByPredictions(len(queries), len(places), tuple(means), tuple(differences), tuple(unlike))


def _require_predicted(judged: Sequence[bytes], predicted: Collection[bytes]) -> None:
    if strange := [query for query in judged if query not in predicted]:
        fact = f"query {shown(strange[0])} has human judgments and no predicted ones"
        raise InputError(fact, remedy="the predicted judgments have to cover all queries")
    if len(judged) < LEAST:
        fact = f"a human judged {len(judged)} of the {len(predicted)} queries with predicted judgments"
        raise InputError(fact, remedy=f"judge {LEAST} or more, drawn at random; 30 are a good number to begin with")


def _finite(aligned: Aligned, place: int) -> Floats:
    measured = aligned.measured[place]
    if infinite := nonfinite(measured):
        fact = f"{measured.quantity.standard} has no finite value for query {shown(infinite[0])}"
        raise UsageError(fact, remedy="name another measure")
    return measured.values


class _OfMeasure(NamedTuple):
    """Values under one measure: (n, k) by a human, with the help of predictions where documents were drawn, and alone;
    (N, k) predicted, which of these the former are of, and their weights."""

    request: Request
    runs: tuple[str, ...]
    human: Floats
    alone: Floats
    predicted: Floats
    places: Ints
    weights: Floats
    confidence: float

    def means(self) -> list[CorrectedValue]:
        found = [
            self._line(run, None, values)
            for run, *values in zip(self.runs, self.human.T, self.alone.T, self.predicted.T, strict=True)
        ]
        if len(found) < 2:
            return found
        favours = favour(self.human - self.predicted[self.places], self.weights)
        p = [p_of_zero(each) for each in favours]
        p = corrections.adjusted("holm", p) if len(found) > 2 else p  # of two runs it is one test
        return [
            line._replace(favour=each.value, favour_p=value)
            for line, each, value in zip(found, favours, p, strict=True)
        ]

    def differences(self, pairs: Sequence[tuple[int, int]]) -> list[CorrectedValue]:
        if not pairs:
            return []
        apart = (differences_of(values, pairs).T for values in (self.human, self.alone, self.predicted))
        found = [
            self._line(self.runs[run], self.runs[base], values)
            for (base, run), *values in zip(pairs, *apart, strict=True)
        ]
        adjusted = corrections.adjusted("holm", [line.p for line in found])
        return [line._replace(p=p) for line, p in zip(found, adjusted, strict=True)]

    def _line(self, run: str, baseline: str | None, values: Sequence[Floats]) -> CorrectedValue:
        human, alone, guesses = values
        share = self.request.measure.of_one and guesses.min() >= 0 and guesses.max() <= 1
        found = corrected(human, guesses, self.places, self.weights, share=share and baseline is None)
        by_hand = replace(found, human=ratio(self.weights * alone, self.weights))
        off = bias(human, guesses[self.places], self.weights)
        human_low, human_high = by_hand.human_interval(self.confidence) or (None, None)
        bias_low, bias_high = around(off, self.confidence) or (None, None)
        ends_of_both = found.interval(self.confidence) or (None, None)
        return CorrectedValue(
            self.request.standard,
            run,
            baseline,
            human=by_hand.human.value,
            human_low=human_low,
            human_high=human_high,
            predicted=found.predicted,
            corrected=found.value,
            low=ends_of_both[0],
            high=ends_of_both[1],
            error=found.estimate.error,
            error_of_all=math.sqrt(found.of_all),
            p=None if baseline is None else found.p,
            tuning=found.tuning,
            worth=_worth(by_hand) if self.alone is self.human else None,
            bias=off.value,
            bias_low=bias_low,
            bias_high=bias_high,
        )


def _worth(found: Corrected) -> int | None:
    # Rounding alone makes no query.
    return None if found.worth is None else max(0, int(found.worth + 1e-6))


def _unlike(about: _OfMeasure, tests: int) -> list[Unlike]:
    """The measure, where the judged queries look chosen by the mean of the predicted values of all runs."""
    guesses = about.predicted.mean(axis=1)
    p = chosen(guesses, about.places, about.weights)
    if p is None or p * tests > CHOSEN:
        return []
    others = np.delete(guesses, about.places)
    judged = float(np.average(guesses[about.places], weights=about.weights))
    return [Unlike(about.request.standard, judged, float(others.mean()), p)]
