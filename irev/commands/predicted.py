"""Runs under human and predicted judgments, as people and programs see them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.base import segments
from irev.base.errors import InputError, JudgmentsWarning, UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import MISSING, counted, ends, interval, named, p_value, percent, real, signed
from irev.commands.drawn import sample_of
from irev.commands.predictions import (
    ByPredictions,
    CorrectedValue,
    Predictor,
    ValuesByBoth,
    by_predictions,
    values_by_both,
)
from irev.evaluation.comparison import Clusters, pairs_of
from irev.evaluation.comparison.systems import left_out_measures, quantity_of
from irev.evaluation.inputs import (
    HUMAN,
    PREDICTED,
    Inputs,
    first_documents,
    outcomes_of,
    require_read_twice,
    with_predicted,
)
from irev.evaluation.notes import Note, chosen_notes, cluster_notes, listed
from irev.evaluation.result import Input, Outcome, Result
from irev.evaluation.summary import Summary
from irev.output.finding import Pictured, ReportedFinding, fields_of, recorded
from irev.output.report import Cell, Form, Plain, Sheet, Texts, first_of, stamped, table
from irev.ranking.ranking import First, no_common_query
from irev.reading.judgments import Judgments
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.output.figures.bars import Estimated

FEW = 15
"""With fewer judged queries nobody has tried how often intervals hold (benchmarks/predicted_judgments.py)."""

FIRST_RESULTS = 10
"""The results of a query that a human has to have judged, where no measure has a cutoff."""

RARE = 5
"""In so many judged queries a model has to differ from the human: docs/statistics.md has what is missed otherwise."""


@dataclass(frozen=True, eq=False, repr=False)
class Predicted(Pictured, ReportedFinding):
    """What runs are worth by predicted judgments that human ones correct.

    Attributes
    ----------
    found : ByPredictions
    human, model : str
        What the judges are called.
    confidence : float
        Of the intervals.
    inputs : tuple of Input
    of_drawn : bool
        Whether the human judged documents that were drawn, not all that the runs have.
    alpha : float
        Up to which p-value a difference is significant.
    predictors : tuple of Predictor
        How well each of several models predicts, of which this is the best; empty for one.
    sequential : int or None
        About how many queries will be judged in the end, where intervals and p-values hold at every look.
    """

    found: ByPredictions
    human: str
    model: str
    confidence: float
    inputs: tuple[Input, ...] = ()
    of_drawn: bool = False
    alpha: float = 0.05
    everything: bool = False
    more: str = "-q"
    predictors: tuple[Predictor, ...] = ()
    sequential: int | None = None

    columns = CorrectedValue._fields
    texts = frozenset({"measure", "run", "baseline"})
    exact = frozenset({"p", "favour_p"})

    @property
    def title(self) -> str:
        judged, queries = self.found.judged, counted(self.found.queries, "query", "queries")
        return f"Runs by predicted judgments of {queries}, corrected by human ones of {judged:,}"

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.predictors:
            yield table("Predictors", ("measure", "predicted by"), None, map(self._predictor, self.predictors))
        numbers = ("human", "predicted", "corrected", "interval")
        yield table("Means", ("measure", "run"), (*numbers, "worth"), map(self._texts, self.found.means))
        differences = self.found.differences
        if differences:
            kept, notes = first_of(differences, self.everything, self.more)
            labels, rows = ("measure", "run", "against"), map(self._texts, kept)
            yield table("Differences", labels, (*numbers, "p", "worth"), rows, notes=notes)
        compared = ("against other runs", "p") if self._of_several else ()
        yield table("Bias", ("measure", "run"), ("bias", "interval", *compared), map(self._bias, self.found.means))

    def _texts(self, line: CorrectedValue) -> Texts:
        digits, of_two = self.look.digits, line.baseline is not None
        word = signed if of_two else real
        return {
            "measure": line.measure,
            "run": named(line.run),
            "against": named(line.baseline or ""),
            "human": word(line.human, digits),
            "predicted": word(line.predicted, digits),
            "corrected": word(line.corrected, digits),
            "interval": interval(ends(line.low, line.high), digits, of_two),
            "p": Cell(p_value(line.p), significant=self._significant(line.p)),
            "worth": self._worth(line.worth),
        }

    def _predictor(self, line: Predictor) -> Texts:
        best = line.predicted == self.model
        return {
            "measure": line.measure,
            "predicted by": Cell(named(line.predicted), best=best, tone="total" * best),
            "residual variance": real(line.residual, self.look.digits + 2),
            "share left": MISSING if line.left is None else percent(round(line.left, 3)),
            "worth": self._worth(line.worth),
        }

    def _worth(self, worth: int | None) -> str:
        """The number of queries, or that it is more than there are left to judge."""
        left = self.found.queries - self.found.judged
        if worth is None:
            return MISSING
        return f"+{worth:,}" if worth <= left else f">{left:,}"

    @property
    def _corrections(self) -> Iterator[str]:
        """How p-values are corrected."""
        measures = len({line.measure for line in self.found.means})
        runs, pairs = len(self.found.means) // measures, len(self.found.differences) // measures
        if runs > 2 and pairs == math.comb(runs, 2) and self.sequential is None:
            yield f"of differences by the maximum-t method ({Plan.samples:,} samples, seed {Plan.seed})"
        elif pairs > 1:
            yield "of differences with Holm's correction over those of a measure"
        if runs > 2:
            yield "of biases with Holm's correction over the runs"

    @property
    def _of_several(self) -> bool:
        return any(line.favour is not None for line in self.found.means)

    def _significant(self, p: float | None) -> bool:
        return p is not None and p <= self.alpha

    def _bias(self, line: CorrectedValue) -> Texts:
        digits = self.look.digits
        return {
            "measure": line.measure,
            "run": named(line.run),
            "bias": signed(line.bias, digits),
            "interval": interval(ends(line.bias_low, line.bias_high), digits),
            "against other runs": signed(line.favour, digits),
            "p": Cell(p_value(line.favour_p), significant=self._significant(line.favour_p)),
        }

    @property
    def notes(self) -> Iterator[str]:
        found = self.found
        yield (
            f"human: by {named(self.human)}, the {counted(found.judged, 'query', 'queries')} judged there; "
            f"predicted: by {named(self.model)}, all {found.queries:,}; corrected: both (prediction-powered "
            f"inference). interval: {percent(self.confidence)} confidence. worth: without the model, a human "
            "would have to judge this many more queries for an interval as narrow (a rough number, even with 40"
            " judged queries); with > more than there are."
        )
        yield (
            "The corrected interval allows for the errors of the model that the judged queries show. These have to be a"
            " random sample of all."
        )
        if found.clusters is not None:
            yield f"Intervals and p-values take {counted(found.clusters, 'cluster')} of queries as independent."
        if self.sequential is not None:
            yield (
                f"Intervals and p-values hold at every look, for {self.sequential:,} judged queries in the end, the"
                " same number at each look (asymptotic confidence sequences)."
            )
        elif self.found.differences:
            yield (
                "Intervals and p-values are valid for one look: judging more queries until p is low finds differences"
                " that do not exist (see --sequential)."
            )
        if self.predictors:
            best = named(self.model)
            yield (
                "Predictors: residual variance is what predictions leave of the variance of human values, in the mean"
                " of the runs; worth is that of the run with the least. The best over all measures is"
                f" {best}, by which the other tables are."
            )
        if self.of_drawn:
            yield ("The human judged documents that were drawn. human: estimated from these and their probabilities.")
        favours = (
            " Against other runs: the bias of the run minus the mean bias of the others, with its p-value; below 0, "
            "the predictions favour the run."
        )
        yield (
            "bias: human minus predicted, over the judged queries; below 0, the predictions are too high."
            + (favours if self._of_several else "")
        )
        if corrected := [*self._corrections]:
            yield f"p: {', '.join(corrected)}."
        yield from few_notes(found)
        lines = (*found.means, *found.differences)
        if any(self._significant(p) for line in lines for p in (line.p, line.favour_p)):
            yield f"* significant at {decimal(self.alpha)}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter((*self.found.means, *self.found.differences))

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev predicted judgments"),
            "human": self.human,
            "predicted": self.model,
            **fields_of(self, "confidence", "inputs"),
            **fields_of(self.found, "queries", "judged", "chosen", "means", "differences"),
            **({} if self.sequential is None else {"sequential": self.sequential}),
            **({} if self.found.clusters is None else {"clusters": self.found.clusters}),
            **({"predictors": recorded(self.predictors)} if self.predictors else {}),
        }

    def drawn(self, form: Form) -> bytes:
        """A forest plot: of every run and difference, by human, predicted and both kinds of judgments."""
        from irev.output.figures.bars import figure

        caption = (
            f"human: {named(self.human)}, {self.found.judged:,} queries; predicted: {named(self.model)}, all"
            f" {self.found.queries:,}; corrected: both. Intervals at {percent(self.confidence)}."
        )
        return figure(self.estimated, form, caption, self.title)

    @property
    def estimated(self) -> list[Estimated]:
        """Every mean and difference with its estimates, as forest plots have them."""
        from irev.output.figures.bars import Estimate, Estimated

        numbers = []
        for line in (*self.found.means, *self.found.differences):
            human = (
                () if line.human is None else (Estimate("human", line.human, ends(line.human_low, line.human_high)),)
            )
            numbers.append(
                Estimated(
                    line.measure if line.baseline is None else f"{line.measure}, differences",
                    named(line.run) if line.baseline is None else f"{named(line.run)} − {named(line.baseline)}",
                    (
                        *human,
                        Estimate("predicted", line.predicted, None),
                        Estimate("corrected", line.corrected, ends(line.low, line.high)),
                    ),
                    line.baseline is not None,
                )
            )
        return numbers

    def __repr__(self) -> str:
        return f"<Predicted: {self.found.judged} of {self.found.queries} queries judged by a human>"


def few_notes(found: ByPredictions) -> Iterator[str]:
    """What is said of intervals by human judgments of few queries, or of few that show an error of the model."""
    if found.judged < FEW:
        yield (
            f"Intervals were tested with {FEW} or more judged queries; with fewer they may be too narrow, and so "
            "may those of human judgments alone."
        )
    if found.differing < RARE:
        few = f"only {found.differing:,}" if found.differing else "none"
        yield (
            f"For one run and measure, the values by human and model differ in {few} of {found.judged:,} judged"
            " queries. Errors of the model as rare as that are easily missed, and the interval may be too narrow:"
            " judge more queries."
        )


def corrected_runs(
    inputs: Inputs,
    model: Any,
    confidence: float,
    alpha: float,
    pairs: Callable[[Sequence[str]], Sequence[tuple[int, int]]],
    everything: bool = False,
    clusters: Clusters = None,
    sequential: int | None = None,
) -> Predicted:
    """The same as `from_predicted`, of runs beside human judgments, and of judgments by a model in this file.

    Raises `UsageError` where there are saved results, and where not every query counts, too.
    """
    if not inputs.judgments:
        raise UsageError(f"{option('predicted')} takes judgments and runs, but saved results are given")
    if not inputs.settings.complete:
        raise UsageError(f"{option('queries')} has no effect with {option('predicted')}")
    both = with_predicted(inputs, model)
    found = from_predicted(both, confidence, alpha, pairs, everything, clusters=clusters, sequential=sequential)
    human, predicted = (judgments.name for _, judgments in both.judged)
    return replace(found, human=human, model=predicted)


def from_predicted(
    inputs: Inputs,
    confidence: float,
    alpha: float = 0.05,
    pairs: Callable[[Sequence[str]], Sequence[tuple[int, int]]] = lambda runs: pairs_of(len(runs), None),
    everything: bool = False,
    judges: Sequence[str] = (HUMAN, PREDICTED),
    clusters: Clusters = None,
    sequential: int | None = None,
) -> Predicted:
    """Runs by predicted judgments, corrected by human ones.

    Parameters
    ----------
    inputs : Inputs
        With sets of judgments, and runs.
    confidence, alpha : float
    pairs : callable
        Of the names of the runs, the places of a baseline and a run for each difference; all pairs unless given.
    everything : bool
        Whether people see every difference.
    judges : sequence of str
        What the human and the model are called; of several models the best predictor is used.
    clusters : optional
        As `irev.evaluation.comparison.in_clusters` takes them; empty where they could be said and are not.
    sequential : int, optional
        As `by_predictions` takes it.

    Raises
    ------
    InputError
        For a run that shares no query with a set of judgments; and as `values_by_both`.
    UsageError
        For an aggregate that is no mean; and as `values_by_both`.
    """
    for request in inputs.requests:
        if request.aggregate and request.aggregate != "mean":
            fact = f"{request.standard} is no mean over queries, and only means are corrected"
            raise UsageError(fact, remedy=f"ask for {request.base.standard}")
    require_read_twice(inputs)
    judged, (person, *models) = dict(inputs.judged), judges
    human = judged[person]
    outcomes = outcomes_of(inputs, replace(inputs.settings, queries="qrels"), sampled=person)
    under = {name: [each for each in outcomes if each.qrels == name] for name in judges}
    for each in outcomes:
        lacking, judgments = each.facts, judged[each.qrels]
        if len(lacking.not_retrieved) == len(judgments.queries):
            raise no_common_query(judgments.name, judgments.queries[0], each.run, lacking.not_judged[0])

    def firsts() -> list[First]:
        return [run.first for run in first_documents(inputs, inputs.settings.depth)[1]]

    every = {
        name: gathered(human, judged[name], (under[person], under[name]), inputs.settings, firsts, clusters)
        for name in models
    }
    by_measure = zip(*(values for values, *_ in every.values()), strict=True)
    predictors = [each.predictor(name) for values in by_measure for name, each in zip(every, values, strict=True)]
    model, by_model = (chosen := best_predictor(predictors)), under[chosen]
    values, drawn, lacking_grades = every[model]
    found = by_predictions(values, confidence, pairs([each.run for each in by_model]), sequential)
    compared = [quantity_of(column.request) for column in by_model[0].columns if column.request.measure.numeric]
    left_out = [Note("", said, "") for said in left_out_measures(inputs.requests, compared)]
    dependent = () if clusters is None else cluster_notes(sorted(by_model[0].scores.queries), values[0].cluster)
    inputs.say([*left_out, *lacking_grades, *chosen_notes(found.chosen, human.name), *dependent])
    files, compared_models = tuple(dict.fromkeys(inputs.files)), tuple(predictors) if len(models) > 1 else ()
    return Predicted(
        found, person, model, confidence, files, drawn, alpha, everything, "-q", compared_models, sequential
    )


def best_predictor(predictors: Sequence[Predictor]) -> str:
    """The model that leaves the least of the variance of human values, in the mean of all measures; of several such
    the first."""
    left: dict[str, list[float]] = {}
    for each in predictors:
        left.setdefault(each.predicted, []).append(1.0 if each.left is None else each.left)
    return min(left, key=lambda model: math.fsum(left[model]))


def with_corrected_means(result: Result, found: Predicted) -> Result:
    """The result of a model's judgments with the corrected means in place of its own, where there are such; runs are
    those that were corrected, in their order."""
    runs = [*dict.fromkeys(line.run for line in found.found.means)]
    means = {(line.run, line.measure): line.corrected for line in found.found.means}
    made = []
    for outcome, run in zip(result.outcomes, runs, strict=True):
        known = zip(outcome.columns, outcome.summary.values, strict=True)
        values = (means.get((run, column.request.standard), value) for column, value in known)
        made.append(replace(outcome, summary=Summary(tuple(values))))
    return replace(result, outcomes=tuple(made), inputs=tuple(dict.fromkeys((*found.inputs, *result.inputs))))


def gathered(
    human: Judgments,
    model: Judgments,
    outcomes: tuple[Sequence[Outcome], Sequence[Outcome]],
    settings: Settings,
    firsts: Callable[[], Sequence[First]],
    clusters: Clusters = None,
) -> tuple[list[ValuesByBoth], bool, list[Note]]:
    """The values of single queries by both kinds of judgments, whether the human judged documents that were drawn, and
    notes on results that the human did not judge.

    Parameters
    ----------
    human, model : Judgments
    outcomes : (sequence of Outcome, sequence of Outcome)
        Every run under each of them, in one order.
    settings : Settings
    firsts : callable
        The documents of every run, which are wanted where documents were drawn.
    clusters : optional
        As `irev.evaluation.comparison.in_clusters` takes them.
    """
    sample = sample_of(human, model, settings)
    drawn = sample.documents is not None
    judged = frozenset(common_queries([human]))
    notes = [] if drawn else [*unjudged_notes(human, model, outcomes[0], judged, firsts)]
    return values_by_both(*outcomes, judged, sample, firsts() if drawn else [], clusters), drawn, notes


def unjudged_notes(
    human: Judgments,
    model: Judgments,
    outcomes: Sequence[Outcome],
    judged: frozenset[bytes],
    firsts: Callable[[], Sequence[First]],
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
    columns, runs = outcomes[0].columns, firsts()

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
            "judge whole queries, or documents drawn by `irev pool --audit`; `irev judges HUMAN LLM` compares pairs",
        )
    deepest = None if None in cutoffs else max(filter(None, cutoffs), default=None)
    if lacking := by_model.intersection(results(deepest)) - by_human:
        queries = sorted({query for query, _ in lacking})
        among = "results" if deepest is None else f"the first {deepest} results"
        are, they_count = ("is", "counts") if len(lacking) == 1 else ("are", "count")
        said = (
            f": {counted(len(lacking), 'document')} among {among} {are} judged in {model.name} and not here, and"
            f" {they_count} as not relevant, so corrected values may be too low:"
            f" {listed(queries, 'query {}', 'queries')}; judge whole queries, or documents drawn by `irev pool --audit`"
        )
        yield Note(human.name, said, "", JudgmentsWarning)


def common_queries(judgments: Sequence[Judgments]) -> tuple[bytes, ...]:
    """The queries that all judges judged, in byte order; one of which all grades are negative was not.

    Raises
    ------
    InputError
        When there are none.
    """
    judged = [{each.queries[query] for query in segments.distinct(each.query[each.grade >= 0])} for each in judgments]
    common = set.intersection(*judged)
    if not common:
        raise InputError("no query was judged by all judges", remedy="leave out --run, or a judge")
    return tuple(sorted(common))
