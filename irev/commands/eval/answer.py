"""What runs score against judgments, in z-scores too, and which of them are not shown to differ from the best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from irev.base.errors import UsageError, option
from irev.base.text import counted
from irev.commands.eval import EvalChoices
from irev.commands.eval.finding import (
    EvaluationFinding,
    Medians,
    against_best,
    measured,
    require_medians,
    require_order,
    sort_of,
)
from irev.evaluation.inputs import Inputs, evaluate, warn_of_runs
from irev.evaluation.notes import Note
from irev.evaluation.result import Result
from irev.output.styles import TABLE, TREC, needs_inputs

if TYPE_CHECKING:
    pass


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
            best = against_best(result, sort, choices.clusters, inputs.say)
    return EvaluationFinding(result, best, sort, choices.log)
