"""What runs score against judgments, in z-scores too, and which of them are not shown to differ from the best.

A z-score is how many standard deviations a value is above the mean that other runs have for the same query, z = (value
- mean) / deviation. Where the deviation is 0, z is 0 for a value that is the mean and `NOWHERE` for another, as in
trec_eval. Summaries are made of z-scores as they are made of values; what is a fact about all queries, how many they
are and how many documents are relevant in the whole file, stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.base.errors import InputError, UsageError, option, shown
from irev.base.segments import Floats
from irev.base.text import counted
from irev.evaluation.notes import Note
from irev.evaluation.result import Outcome, Result, in_groups
from irev.evaluation.scores import Column
from irev.evaluation.summary import Summary, summarise
from irev.output.styles import TABLE, TREC, needs_inputs
from irev.questions.eval import EvalChoices
from irev.questions.eval.finding import Evaluated
from irev.questions.question import GivenBeside, GivenFiles

if TYPE_CHECKING:
    from irev.questions.predicted import Predicted
    from irev.reading.small_files import Spread, ZScores


def answer(given: GivenFiles, choices: EvalChoices) -> Evaluated | Predicted:
    """The values of every run, under every set of judgments; with predicted ones, corrected means."""
    if choices.predicted is not None:
        if TREC in given.styles:
            fact = f"with {option('predicted')} a measure has several numbers, and a line of trec_eval has one"
            raise UsageError(fact, remedy="leave out -f trec, or say -f tsv")
        return corrected_means(given, choices.predicted, choices.confidence)
    if choices.collections is not None:
        from irev.questions.eval import collections

        return collections.answer(given, choices, choices.collections)
    per_query, zscores = choices.per_query, choices.zscore
    style, *_ = given.styles
    for each in given.styles:
        if zscores is not None and each != TREC:
            raise UsageError(f"-Z {zscores}: z-scores are printed only with -f trec, not with -f {each}")
    if choices.no_summary and not per_query and style == TABLE:
        fact = f"{option('no_summary')} has no effect here: without -q nothing else is shown"
        raise UsageError(fact)
    requests = given.measured(choices.aggregates, choices.bounds)
    sort = None
    if given.sort is not None:
        from irev.questions.eval.finding import sort_of

        sort = sort_of(given.sort, requests, runs=given.run_count, per_query=per_query, style=style)
    if choices.significance:
        from irev.questions.eval.finding import require_order

        require_order(sort, runs=given.run_count, sets=len(choices.sets), per_query=per_query)
    known = _zscores_of(zscores)
    evaluated = given.evaluated(
        requests,
        digest=any(map(needs_inputs, given.styles)) or choices.log is not None,
        groups=choices.groups,
        per_query=per_query
        or choices.significance
        or known is not None
        or choices.per_query_to is not None
        or choices.log is not None,
    )
    outcomes = evaluated.outcomes
    if known is not None:
        if lacking := ", ".join(missing(outcomes[0], known)):
            said = f" has no means of {lacking}, which no line for a query shows: 0.0000 is not its value"
            given.say([Note(known.name, said, "")])
        outcomes = tuple(standardised(outcome, known) for outcome in outcomes)
    settings = given.settings
    result = Result(
        outcomes,
        settings,
        settings.policy,
        evaluated.inputs,
        per_query,
        summarised=not choices.no_summary,
        zscores=known is not None,
    )
    given.note(evaluated, ties=style == TABLE)
    best = None
    if choices.significance:
        from irev.questions.eval.finding import against_best

        with given.working(f"comparing {counted(given.run_count, 'run')}"):
            best = against_best(result, sort)
    return Evaluated(result, best, sort, choices.per_query_to, choices.log, choices.build)


def corrected_means(given: GivenBeside, model: str, confidence: float) -> Predicted:
    """The mean of every run by human judgments, by those of a model, and by both; every query counts."""
    from irev.questions.predicted import corrected_runs

    given.settings = replace(given.settings, complete=True)
    return corrected_runs(given, model, confidence, 0.05, lambda runs: ())


def _zscores_of(path: str | None) -> ZScores | None:
    """The means and deviations that a file has, where one is given."""
    if path is None:
        return None
    from irev.reading.small_files import read_zscores
    from irev.reading.sources import Source

    with Source(path) as source:
        return read_zscores(source)


NOWHERE = -1000000.0
"""The z-score of a value that has none."""


def standardised(outcome: Outcome, known: ZScores) -> Outcome:
    """The same outcome in z-scores. Texts stay texts; a measure without a line for single queries, which is in no file
    that is made of such lines, may be missing in all of them, and is `NOWHERE` then.

    Raises
    ------
    InputError
        For a query, or a measure of a query, that the file has nothing of.
    """
    scores = outcome.scores
    scores = replace(scores, columns=tuple(_standardised(column, scores.queries, known) for column in scores.columns))
    grouping = {query: group.name for group in outcome.groups for query in group.queries}
    groups = (group._replace(summary=_reals(group.summary)) for group in in_groups(scores, grouping))
    return replace(outcome, scores=scores, summary=_reals(summarise(scores)), groups=tuple(groups))


def missing(outcome: Outcome, known: ZScores) -> tuple[str, ...]:
    """The labels of measures that no query has an entry of, although they are there for all queries together."""
    labels = (column.request.base.label for column in outcome.scores.columns if _for_all_alone(column))
    return tuple(label for label in labels if not any(label.encode() in entries for entries in known.of.values()))


def _for_all_alone(column: Column) -> bool:
    measure = column.request.measure
    return measure.summary == "geometric mean" and not measure.per_query


def _standardised(column: Column, queries: Sequence[bytes], known: ZScores) -> Column:
    measure = column.request.measure
    if measure.kind == "text" or measure.summary == "queries":
        return column
    label = column.request.base.label
    spreads = [known.of.get(query, {}).get(label.encode()) for query in queries]
    lacking = [query for query, spread in zip(queries, spreads, strict=True) if spread is None]
    if lacking and not (_for_all_alone(column) and len(lacking) == len(queries)):
        fact = f"there is no mean of {label} for query {shown(lacking[0])}"
        fact += f", nor for {counted(len(lacking) - 1, 'other query', 'other queries')}" * (len(lacking) > 1)
        raise InputError(fact, known.name, f"expected a line such as: {shown(lacking[0])} {label} 0.25 0.1")
    return replace(column, values=_zscores(column.values.astype(np.float64), spreads))


def _zscores(values: Floats, spreads: list[Spread | None]) -> Floats:
    """One for each value."""
    if not any(spreads):
        return np.full(len(values), NOWHERE)
    mean, deviation = np.array(spreads, dtype=np.float64).reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (values - mean) / deviation
    return np.where(deviation == 0, np.where(values == mean, 0.0, NOWHERE), z)


def _reals(summary: Summary) -> Summary:
    """The same, its counts as real numbers, as which z-scores print."""
    return Summary(tuple(float(value) if isinstance(value, int) else value for value in summary.values))
