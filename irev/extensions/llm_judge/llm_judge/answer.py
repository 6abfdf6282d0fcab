"""The answer of ``irev llm-judge``: runs by a model's judgments, corrected by a human's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from irev.base import segments
from irev.base.errors import InputError, JudgmentsWarning, UsageError, decimal, option
from irev.base.settings import Settings
from irev.base.text import counted
from irev.evaluation.comparison import pairs_of
from irev.evaluation.comparison.systems import left_out_measures, place_of, quantity_of
from irev.evaluation.inputs import Inputs, first_documents, outcomes_of, require_read_twice
from irev.evaluation.notes import Note, cluster_notes, listed
from irev.evaluation.result import Outcome
from irev.extensions.llm_judge.llm_judge import HUMAN, PREDICTED, Limit, LlmJudgeChoices
from irev.extensions.llm_judge.llm_judge.finding import ALPHA, NO_WORSE, CorrectedRuns, JudgedCondition
from irev.extensions.llm_judge.values import (
    ByPredictions,
    CorrectedValue,
    Unlike,
    by_predictions,
    values_by_both,
)
from irev.measures import Request, parse
from irev.ranking.ranking import no_common_query
from irev.reading.judgments import Judgments
from irev.statistics.rounding import SLACK

FIRST_RESULTS = 10
"""The results of a query that a human has to have judged, where no measure has a cutoff."""

CONDITIONS = ("min", "max_drop", "no_worse_than")


def answer(inputs: Inputs, choices: LlmJudgeChoices) -> CorrectedRuns:
    """Means and differences of runs by both kinds of judgments, and whether conditions on them hold.

    Raises
    ------
    InputError
        For a run that shares no query with a set of judgments; and as `values_by_both`.
    UsageError
        For an aggregate that is no mean, a condition on what is not measured; and as `values_by_both`.
    """
    limits = [
        (kind, request.standard, request.better == "lower", limit.value)
        for kind in CONDITIONS
        for limit in getattr(choices, kind)
        for request in _requests(kind, limit, inputs.settings)
    ]
    measures = (*inputs.measures, *dict.fromkeys(measure for _, measure, *_ in limits))
    inputs = replace(inputs, measures=measures, settings=replace(inputs.settings, complete=True))
    for request in inputs.requests:
        if request.aggregate and request.aggregate != "mean":
            fact = f"{request.standard} is no mean over queries, and only means are corrected"
            raise UsageError(fact, remedy=f"ask for {request.base.standard}")
    require_read_twice(inputs)
    model, human = (dict(inputs.judged)[name] for name in (PREDICTED, HUMAN))
    if human.kind == "strata" or (human.details is not None and human.details.probability is not None):
        raise InputError(
            "these are judgments of documents that were drawn, and a model is corrected by those of whole queries",
            human.name,
            "judge all documents of some queries, drawn by `irev pool --depth K --audit N`",
        )
    outcomes = outcomes_of(inputs, replace(inputs.settings, queries="qrels"), sampled=HUMAN)
    by_model, by_human = ([each for each in outcomes if each.qrels == name] for name in (PREDICTED, HUMAN))
    for each in outcomes:
        lacking, judgments = each.facts, model if each.qrels == PREDICTED else human
        if len(lacking.not_retrieved) == len(judgments.queries):
            raise no_common_query(judgments.name, judgments.queries[0], each.run, lacking.not_judged[0])
    judged = _judged_queries(human)
    lacking_grades = [*_unjudged_notes(inputs, human, model, by_human, judged)]
    values = values_by_both(by_human, by_model, judged, choices.clusters or "")
    runs = [each.run for each in by_model]
    first = None if choices.baseline is None else place_of(choices.baseline, runs, [*map(str, inputs.runs)])
    pairs = pairs_of(len(runs), first)
    if limits and first is not None and not pairs:
        raise UsageError("there is nothing to compare", remedy="give another run beside the baseline")
    found = by_predictions(values, choices.confidence, pairs, choices.sequential, choices.interval_width)
    bounds = by_predictions(values, 1 - 2 * ALPHA, pairs, choices.sequential) if choices.no_worse_than else found
    compared = [quantity_of(column.request) for column in by_model[0].columns if column.request.measure.numeric]
    left_out = [Note("", said, "") for said in left_out_measures(inputs.requests, compared)]
    dependent = cluster_notes(sorted(by_model[0].scores.queries), values[0].cluster)
    inputs.say([*left_out, *lacking_grades, *_chosen_notes(found.chosen, human.name), *dependent])
    return CorrectedRuns(
        found,
        human.name,
        model.name,
        choices.confidence,
        tuple(dict.fromkeys(inputs.files)),
        choices.sequential,
        choices.interval_width,
        tuple(_judged(limits, None if first is None else runs[first], found, bounds)),
    )


def _requests(kind: str, limit: Limit, settings: Settings) -> tuple[Request, ...]:
    """The measures that a condition is about.

    Raises
    ------
    UsageError
        For a measure that is no mean over queries, and for a limit that no run or every run would meet.
    """
    value, said = limit.value, option(kind, f"{limit.measure}={decimal(limit.value)}")
    if kind != "min" and (value < 0 or (kind == "no_worse_than" and not value)):
        remedy = f"expected a number {'of 0 or more' if kind == 'max_drop' else 'above 0'}"
        raise UsageError(f"{said}: {decimal(value)} is no loss that can be allowed", remedy=remedy)
    requests = parse([limit.measure], settings.compat)
    for request in requests:
        if not request.measure.numeric or request.measure.summary != "mean":
            raise UsageError(f"{said}: {request.standard} is no mean over queries", remedy="choose another measure")
        if request.of_one and settings.gains is None and not (0 <= value <= 1 if kind == "min" else value < 1):
            fact = f"and {decimal(value)} does not" if kind == "min" else f"so no drop is larger than {decimal(value)}"
            remedy = "write a number from 0 to 1" if kind == "min" else "write a number below 1"
            raise UsageError(f"{said}: {request.standard} lies between 0 and 1, {fact}", remedy=remedy)
    return requests


def _judged(
    limits: Sequence[tuple[str, str, bool, float]], baseline: str | None, found: ByPredictions, bounds: ByPredictions
) -> Iterator[JudgedCondition]:
    """Whether each condition holds, for each run but the baseline."""
    lines = {"min": found.means, "max_drop": found.differences, "no_worse_than": bounds.differences}
    for kind, measure, lower, limit in limits:
        for line in lines[kind]:
            if line.measure == measure and line.run != baseline:
                yield JudgedCondition(measure, line.run, *_required(kind, limit, line, lower))


def _required(kind: str, limit: float, line: CorrectedValue, lower: bool) -> tuple[str, float, float | None, bool]:
    """What is required in words, the limit, what it is compared with, and whether it holds."""
    said = decimal(limit)
    if kind == "min":
        return f"at least {said}", limit, line.corrected, line.corrected >= limit - SLACK
    sign = -1.0 if lower else 1.0
    if kind == "max_drop":
        return f"a drop of at most {said}", limit, line.corrected, sign * line.corrected >= -limit - SLACK
    bound = line.high if lower else line.low
    return f"{NO_WORSE} by {said}", limit, bound, bound is not None and sign * bound > -limit


def _judged_queries(human: Judgments) -> frozenset[bytes]:
    """The queries that the human judged; one of which all grades are negative was not."""
    found = frozenset(human.queries[query] for query in segments.distinct(human.query[human.grade >= 0]))
    if not found:
        raise InputError("no query is judged here: all grades are negative", human.name, "fill in the grades")
    return found


def _unjudged_notes(
    inputs: Inputs, human: Judgments, model: Judgments, outcomes: Sequence[Outcome], judged: frozenset[bytes]
) -> Iterator[Note]:
    """Results of the queries that a human judged that the model judged and the human did not.

    They count as not relevant, so that values by human judgments are too low, and with them the corrected ones. Where
    the human judged fewer than half as many of the first results as the model, and not only relevant ones, `InputError`
    is raised.
    """

    def judged_in(judgments: Judgments) -> set[tuple[bytes, bytes]]:
        rows = {query: judgments.rows_of(query) for query in judged}
        known = {query: judgments.documents(of[judgments.grade[of] >= 0]) for query, of in rows.items()}
        return {(query, document) for query, documents in known.items() for document in documents}

    by_human, by_model = judged_in(human), judged_in(model)
    if by_model <= by_human:
        return
    columns = outcomes[0].columns
    runs = [run.first for run in first_documents(inputs, inputs.settings.depth)[1]]

    def results(depth: int | None) -> Iterator[tuple[bytes, bytes]]:
        return ((query, document) for run in runs for query in judged for document in run.get(query, ())[:depth])

    cutoffs = [column.request.cutoff for column in columns]
    depth = min((cutoff or FIRST_RESULTS for cutoff in cutoffs), default=FIRST_RESULTS)
    first = [*results(depth)]
    hits, guessed = (sum(pair in of for pair in first) for of in (by_human, by_model))
    if 2 * hits < guessed and (human.grade == 0).any():  # a list of relevant documents has no others
        raise InputError(
            f"of the first {depth} results, {hits:,} of {len(first):,} are judged here and {guessed:,} in {model.name}:"
            " these are judgments of single pairs, not of whole queries",
            human.name,
            "judge whole queries, drawn by `irev pool --audit`; `irev judges HUMAN LLM` compares pairs",
        )
    deepest = None if None in cutoffs else max(filter(None, cutoffs), default=None)
    if lacking := by_model.intersection(results(deepest)) - by_human:
        queries = sorted({query for query, _ in lacking})
        among = "results" if deepest is None else f"the first {deepest} results"
        are, they_count = ("is", "counts") if len(lacking) == 1 else ("are", "count")
        said = (
            f": {counted(len(lacking), 'document')} among {among} {are} judged in {model.name} and not here, and"
            f" {they_count} as not relevant, so corrected values may be too low:"
            f" {listed(queries, 'query {}', 'queries')}; judge whole queries"
        )
        yield Note(human.name, said, "", JudgmentsWarning)


def _chosen_notes(unlike: Iterable[Unlike], human: str) -> Iterator[Note]:
    for measure, judged, others, p in unlike:
        said = (
            f": the judged queries do not look like a random sample: by predicted judgments {measure} is {judged:.4f}"
            f" for them and {others:.4f} for the others (p {p:.2g}); intervals hold for random samples"
        )
        yield Note(human, said, "", JudgmentsWarning)
