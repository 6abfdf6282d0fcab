"""What is shown beside findings: every measure of every run, and the queries that changed most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from irev.analysis.gate.cases import gains_of, has, has_queries, paired, part_of, told, value_of
from irev.analysis.gate.conditions import Condition
from irev.analysis.gate.rules import GateRules
from irev.analysis.gate.verdict import WORST, MeasuredValue, Moved
from irev.evaluation.result import Outcome
from irev.measures import Request


def values(
    conditions: Sequence[Condition],
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
) -> Iterator[MeasuredValue]:
    """Every measure of every run, over all queries and over the groups that conditions are about."""
    groups = ["", *dict.fromkeys(condition.group for condition in conditions if condition.group)]
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for group in groups:
            part = part_of(outcome, group)
            for request in requests:
                before = None
                if baseline is not None and has(baseline.scores, request):
                    known = not group or has_queries(baseline.scores, request)
                    before = value_of(baseline, outcome, group, request) if known else None
                value = value_of(outcome, outcome, group, request)
                better = request.better
                yield MeasuredValue(outcome.run, group, request.standard, part.considered, value, before, better)


def moved(
    requests: Sequence[Request], outcomes: Sequence[Outcome], baselines: Mapping[str, Outcome], rules: GateRules
) -> Iterator[Moved]:
    """The queries of each run that changed most, worst first."""
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for request in requests:
            if baseline is None or not request.measure.per_query or not has(baseline.scores, request):
                continue
            if not has_queries(baseline.scores, request):
                continue
            before, after = paired(request, outcome.scores, baseline.scores)
            gains = gains_of(request, before, after, rules.precision)
            order = np.argsort(gains, kind="stable")
            changed = order[gains[order] != 0]
            most = changed[np.argsort(-np.abs(gains[changed]), kind="stable")][:WORST]
            if len(most):
                worst_first = most[np.argsort(gains[most], kind="stable")]
                yield Moved(outcome.run, request.standard, told(outcome.scores, before, after, worst_first))
