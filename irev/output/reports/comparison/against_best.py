"""What is shown of the difference between the best run and each other, for a table of runs in their order.

The best is known only after all have been seen, so that it is no baseline that was chosen before: its contrasts are
corrected with those of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from irev.base.text import counted
from irev.errors import decimal
from irev.evaluation.comparison.contrasts import BETTER, NOT_SHOWN, WORSE, Comparison, compare
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.output.report import Cell, Look
from irev.output.reports.comparison.words import ComparisonLayout, tested
from irev.output.reports.grid import AgainstBest
from irev.statistics.plan import Plan

BEST = "best"
_PLAN = Plan()
"""What a comparison is made by unless asked otherwise: of the same runs both are to find the same."""

_TURNED = {BETTER: WORSE, WORSE: BETTER}


def against_best(outcomes: Sequence[Outcome], request: Request, best: Outcome, policy: str) -> AgainstBest:
    """Hold all runs against the best; `policy` is which queries count, in words: all runs have values of the same."""
    return found_against_best(
        compare(aligned_outcomes(outcomes, [request.base], both=True), None, _PLAN), request, best, policy
    )


def found_against_best(comparison: Comparison, request: Request, best: Outcome, policy: str) -> AgainstBest:
    """The same of a comparison of all pairs, or with the best, under one measure."""
    (compared,) = comparison.compared
    findings = {best.run: Cell(BEST)}
    for contrast in compared.contrasts:
        if contrast.run == best.run:
            findings[contrast.baseline] = _cell(_TURNED.get(contrast.finding, contrast.finding))
        elif contrast.baseline == best.run:
            findings[contrast.run] = _cell(contrast.finding)
    laid = ComparisonLayout(comparison, Look())
    queries = counted(len(compared.measured.queries), "query", "queries")
    how = tested(laid, alone=False)
    return AgainstBest(
        findings,
        f"vs best: whether the difference to the best in {request.base.standard} is significant, p ≤"
        f" {decimal(_PLAN.alpha)}, on {queries} ({policy}): {how}; {NOT_SHOWN} does not mean equal",
    )


def _cell(finding: str) -> Cell:
    return Cell(finding, tone="bad" if finding == WORSE else "quiet")
