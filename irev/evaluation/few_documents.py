"""Evaluation of few documents in plain Python, as training loops ask for it: one query of ten documents at a time.

What comes out is what `irev.evaluation.scores` and `summary` make of the rankings, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irev.base.settings import Settings
from irev.evaluation.result import Facts
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Summary
from irev.measures import Request
from irev.measures.few_documents import FewHits, Function
from irev.ranking.ranking import LeftOut
from irev.ranking.small_dictionaries import FewJudgments, few_rankings
from irev.reading import memory
from irev.reading.judgments import Judgments

MOST = 40
"""Queries; more are faster by arrays."""


class FewEvaluated(NamedTuple):
    """What `irev.doors.api.evaluation` shows."""

    scores: Scores
    summary: Summary
    left_out: LeftOut
    facts: Facts


def suits(settings: Settings) -> bool:
    """Whether the settings ask for nothing that only arrays do."""
    return settings.depth is None and not settings.judged_only and settings.ties != "average"


def evaluate(
    judgments: Judgments | FewJudgments,
    run: memory.Listed,
    settings: Settings,
    requests: Sequence[Request],
    functions: Sequence[Function],
    tag: bytes,
) -> FewEvaluated | None:
    """The scores of a run, or None for what is too large or in any way unusual; `functions` has one for each request.

    Settings have to be those that it `suits`.
    """
    if max(len(run), len(judgments.queries) if settings.complete else 0) > MOST:
        return None
    few = few_rankings(judgments, run, settings)
    if few is None:
        return None
    level, values, judged, tied = settings.level, [], 0, 0
    for query in few.queries:
        hits = [(rank, query.grades[query.rows[rank - 1][1]]) for _, rank, _, _ in query.hits]
        grades = query.falling.tolist()
        judged += sum(1 for _, grade in hits if grade >= 0)
        tied += any(first < last for _, _, first, last in query.hits)
        of_query = FewHits(hits, grades, level, sum(1 for grade in grades if grade >= level))
        values.append([function(of_query) for function in functions])
    names = tuple(query.name for query in few.queries)
    considered = len(judgments.queries) if settings.complete else len(names)
    columns = tuple(map(Column, requests, map(np.array, zip(*values, strict=True))))
    scores = Scores(names, columns, considered, settings.complete, judgments.positive, tag)
    totals = [0.0] * len(functions)
    for row in values:
        totals = [total + value for total, value in zip(totals, row, strict=True)]
    summary = Summary(tuple(total / considered for total in totals))
    left_out = few.left_out
    retrieved = sum(len(query.rows) for query in few.queries)
    facts = Facts(judged, retrieved - judged, tied, left_out.not_retrieved, left_out.not_judged)
    return FewEvaluated(scores, summary, left_out, facts)
