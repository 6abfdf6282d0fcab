"""The answer of ``irev eval``: what runs score, in z-scores too, and which are not shown to differ from the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.base.errors import UsageError, option
from irev.base.settings import Settings
from irev.base.text import counted, decoded
from irev.commands.eval import EvalChoices
from irev.evaluation.inputs import Inputs, evaluate, refuse_idle_scales, warn_of_runs
from irev.evaluation.notes import Note, cluster_notes
from irev.evaluation.result import Result
from irev.evaluation.scores import suited
from irev.measures import Request, among, parse, weighted
from irev.output.finding import Put, ReportedFinding
from irev.output.report import TOPICS, Look, Plain, Sheet, Sort, stamped
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import DATA, TABLE, TREC, for_screens, needs_inputs

if TYPE_CHECKING:
    from irev.evaluation.comparison import Clusters
    from irev.output.reports.grid import AgainstBest


class EvaluationFinding(EvaluationReport, ReportedFinding):
    """What runs score.

    Parameters
    ----------
    result : Result
    known : AgainstBest, optional
        What is shown of runs against the best.
    sort : Sort, optional
        What tables are sorted by.
    log : str, optional
        Where the result is kept for `irev trend`.
    """

    def __init__(
        self, result: Result, known: AgainstBest | None = None, sort: Sort | None = None, log: str | None = None
    ) -> None:
        super().__init__(result, known)
        self.sort, self._log = sort, log

    def write(self, put: Put) -> None:
        super().write(put)
        if self._log is not None:
            from irev.commands.builds import build_of, keep

            keep(self._log, build_of(self.result))


class Medians(EvaluationFinding):
    """The best, median and worst value of each query over several runs, as organisers send them to participants."""

    columns = ("measure", "query", "best", "median", "worst", "spread", "best_run", "worst_run")
    texts = frozenset({"measure", "query", "best_run", "worst_run"})
    mixed: Mapping[str, str] = {}  # type: ignore[assignment]

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"Best, median and worst of {len(self.result.outcomes):,} runs"

    @property
    def sheets(self) -> Iterator[Sheet]:
        from irev.output.reports.grid import over_runs_sheets

        return over_runs_sheets(self.result, self.look)

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        from irev.output.reports.grid import over_runs

        for _, request, topics in over_runs(self.result, self.look):
            for query, topic in topics:
                numbers = (topic.best, topic.median, topic.worst, topic.spread, topic.best_run, topic.worst_run)
                yield (self.look.name(request), decoded(query), *numbers)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    @property
    def record(self) -> dict[str, Any]:
        runs = [outcome.run for outcome in self.result.outcomes]
        return {**stamped("irev medians"), "runs": runs, "queries": [*self.objects]}


def require_medians(runs: int, sets: int, style: str) -> None:
    """Raise `UsageError` where there are no several runs under one set of judgments, and for lines of trec_eval."""
    fact = f"{option('medians')} shows the best, median and worst of several runs under one set of judgments"
    if runs < 2 or sets > 1:
        raise UsageError(fact, remedy="give several runs" if runs < 2 else "name one set")
    if style == TREC:
        raise UsageError(f"{fact}, which lines of trec_eval cannot hold", remedy="add -f table or -f csv")


_ENDS = {":asc": False, ":desc": True}


def sort_of(text: str, requests: Sequence[Request], *, runs: int, per_query: bool, style: str) -> Sort:
    """What a table is to be sorted by.

    Raises
    ------
    UsageError
        For what is none of the measures, and where there is nothing to be sorted.
    """
    if not per_query and runs < 2:
        fact = f"{option('sort')} has no effect here: it orders runs, or single queries"
        raise UsageError(fact, remedy="give several runs, or add -q")
    if per_query and style in (TREC, *DATA):
        fact = f"{option('sort')} with -q orders queries, and -f {style} has them in the order of their ids"
        raise UsageError(fact, remedy="add -f table")
    name, descending = next(
        ((text.removesuffix(end), down) for end, down in _ENDS.items() if text.endswith(end)), (text, None)
    )
    if name not in TOPICS:
        return Sort(among(name, requests, per_query), descending)
    if not (per_query and runs > 1 and for_screens(style)):
        fact = f"{option('sort')} has no effect here: {name} needs several runs with values for each query"
        raise UsageError(fact, remedy="add -q and -f table")
    return Sort(name, descending)


def require_order(sort: Sort | None, *, runs: int, sets: int, per_query: bool) -> None:
    """Raise `UsageError` where runs have no order by a measure that their difference from the best could be of."""
    fact = f"{option('significance')} has no effect here: it marks runs that are ordered by a measure, under one set of"
    if per_query:
        raise UsageError(f"{fact} judgments, and -q shows single queries", remedy="leave out -q")
    if sets > 1:
        raise UsageError(f"{fact} judgments, and several are given", remedy="name one")
    if sort is None or runs < 2:
        raise UsageError(f"{fact} judgments", remedy=f"add {option('sort')}")


def _against_best(
    result: Result, sort: Sort | None, clusters: Clusters, say: Callable[[Sequence[Note]], object]
) -> AgainstBest | None:
    """What is shown of the difference between each run and the best, of runs that are sorted by a measure.

    Raises
    ------
    UsageError
        Where runs are ranked by other numbers than are tested, so that the best of these might be another: values of
        different queries, or an aggregate that is no mean.
    """
    from irev.evaluation.comparison import in_clusters
    from irev.evaluation.comparison.systems import aligned_outcomes
    from irev.output.reports.comparison import against_best
    from irev.output.reports.grid import standings

    ranks = standings(result, Look(sort=sort))
    if sort is None or isinstance(sort.by, str) or not ranks:
        return None
    if not _means(result, sort.by):
        fact = f"{sort.by.standard} ranks runs by a number that is not a mean over queries, but tests compare means"
        raise UsageError(
            f"--significance: {fact}", remedy="sort by a measure that is averaged, without another aggregate"
        )
    if len({tuple(outcome.scores.queries) for outcome in result.outcomes}) > 1:
        fact = "--significance: the runs have results for different queries, so their means are not comparable"
        raise UsageError(fact, remedy="count all judged queries, those without results too, with -c")
    best = next(place for place, outcome in enumerate(result.outcomes) if ranks[outcome] == 1)
    aligned = in_clusters(aligned_outcomes(result.outcomes, [sort.by.base], both=True), clusters)
    say([*cluster_notes(aligned.measured[0].queries, aligned.measured[0].cluster)])
    return against_best(aligned, sort.by, best, result.policy)


def _means(result: Result, request: Request) -> bool:
    """Whether runs have the same order by a measure as by the means of its values."""
    if request.aggregate or not request.measure.numeric:
        return request.aggregate in ("mean", "sum")
    (weights,) = (column.weights for column in result.outcomes[0].scores.columns if column.request == request)
    return weights is None


def measured(inputs: Inputs, choices: EvalChoices) -> tuple[tuple[Request, ...], Settings]:
    """The measures that were asked for, or trec_eval's, with other aggregates and bounds; and the
    settings that suit them."""
    names, settings, warn = inputs.measures, inputs.settings, inputs.warn_of_measure
    requests = tuple(parse(names, settings.compat, warn, tuple(choices.aggregates), choices.bounds))
    if settings.query_weights is not None and not choices.aggregates:
        requests = weighted(requests)
    settings = suited(settings, requests, inputs.warn)
    refuse_idle_scales(inputs, requests)
    return requests, settings


def answer(inputs: Inputs, choices: EvalChoices) -> EvaluationFinding | Medians:
    """The values of every run, under every set of judgments."""
    per_query, zscores = choices.per_query, choices.zscore
    style, *_ = inputs.styles
    for each in inputs.styles:
        if zscores is not None and each != TREC:
            raise UsageError(f"-Z {zscores}: z-scores are printed only with -f trec, not with -f {each}")
    if choices.no_summary and not per_query and style == TABLE:
        fact = f"{option('no_summary')} has no effect here: without -q nothing else is shown"
        raise UsageError(fact)
    if choices.medians:
        require_medians(len(inputs.runs), len(choices.sets), style)
    requests, settings = measured(inputs, choices)
    sort = None
    if inputs.sort is not None:
        of_queries = per_query or choices.medians
        sort = sort_of(inputs.sort, requests, runs=len(inputs.runs), per_query=of_queries, style=style)
    if choices.significance:
        if TREC in inputs.styles:
            fact = f"{option('significance')} marks runs, and a line of trec_eval has only a number"
            raise UsageError(fact, remedy="add -f table")
        require_order(sort, runs=len(inputs.runs), sets=len(choices.sets), per_query=per_query)
    known = None
    if zscores is not None:
        from irev.commands.eval.zscores import missing, read, standardised

        known = read(zscores)
    evaluated = evaluate(
        inputs,
        requests,
        settings,
        digest=any(map(needs_inputs, inputs.styles)) or choices.log is not None,
        content=any(map(needs_inputs, inputs.styles)) or choices.log is not None,
        groups=choices.groups,
        per_query=per_query or choices.significance or known is not None or choices.medians or choices.log is not None,
        unjudged=choices.significance,
    )
    outcomes = evaluated.outcomes
    if known is not None:
        if lacking := ", ".join(missing(outcomes[0], known)):
            said = f" has no means of {lacking}, which no line for a query shows: 0.0000 is not its value"
            inputs.say([Note(known.name, said, "")])
        outcomes = tuple(standardised(outcome, known) for outcome in outcomes)
    result = Result(
        outcomes,
        settings,
        settings.policy,
        evaluated.inputs,
        per_query,
        summarised=not choices.no_summary,
        zscores=known is not None,
    )
    warn_of_runs(inputs, evaluated, style == TABLE, settings)
    if choices.medians:
        return Medians(replace(result, per_query=True), None, sort, choices.log)
    best = None
    if choices.significance:
        with inputs.working(f"comparing {counted(len(inputs.runs), 'run')}"):
            best = _against_best(result, sort, choices.clusters, inputs.say)
    return EvaluationFinding(result, best, sort, choices.log)
