"""What is known of a run where its unjudged documents are asked about: its rankings, its first documents, its scores.

Rankings stay here as they are, a few thousand hits, so that a run can be scored again under fewer judgments without
being read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.segments import Bools
from irev.evaluation.batch import Batch, Evaluated, Task, local
from irev.evaluation.inputs import Inputs, names_of, refuse_idle_columns, require_runs, warn_of_evaluated
from irev.evaluation.notes import judgments_notes, not_common_notes
from irev.evaluation.result import Input, common_queries
from irev.evaluation.scores import evaluate, suited, summarise
from irev.evaluation.side_by_side import judgment_at, judgments_in_order
from irev.measures import Request, parse
from irev.measures.request import HIGH, LOW
from irev.ranking import ranking
from irev.ranking.hits import TopK
from irev.ranking.ranked import Ranked, some
from irev.reading import qrels
from irev.reading.judgments import Judgments
from irev.reading.sources import Source

DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where the share of judged documents is told, as deep as runs go."""


class Covered(NamedTuple):
    """A run, and what it leaves open.

    Attributes
    ----------
    evaluated : Evaluated
        Under all judgments.
    ranked : Ranked
    top_k : TopK
        Its first documents, and where judged ones stand.
    bounds : tuple of ((float, float) or None)
        Of each request the lowest and highest value for all queries; None where no exact method is known.
    """

    evaluated: Evaluated
    ranked: Ranked
    top_k: TopK
    bounds: tuple[tuple[float, float] | None, ...]

    def under_fewer(self, judgments: Judgments, removed: Bools, requests: Sequence[Request]) -> list[float]:
        """The values for all queries as if some judgments, (j,) flagged, had never been made.

        The queries stay the same: one of which nothing is judged any more has nothing to find.
        """
        kept = ~np.append(removed, True)  # the last is of hits that the judgments do not name, of which there are none
        hits = kept[judgment_at(self.ranked, self.ranked.owner, self.ranked.rank, judgments, self.top_k)]
        judged = kept[:-1][judgments_in_order(self.ranked, judgments)]
        grade = judgments.grade[~removed]
        fewer = _with_fewer(self.ranked, hits, judged, int((grade > 0).sum()), float(grade.max(initial=0.0)))
        return numbers_of(fewer, requests)


def numbers_of(ranked: Ranked, requests: Sequence[Request]) -> list[float]:
    """The values of requests for all queries."""
    return [float(value or 0.0) for value in summarise(evaluate(ranked, requests)).values]


@dataclass(frozen=True, eq=False)
class Covering:
    """Evaluates runs, and keeps what is asked of coverage.

    Attributes
    ----------
    task : Task
        Under one set of judgments.
    most : int
        First documents of each query to keep.
    bounded : tuple of Request
        What to give bounds of.
    """

    task: Task
    most: int
    bounded: tuple[Request, ...]

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Covered:
        (judgments,) = self.task.judgments
        with Source(path, digest=self.task.digest, watch=watch, name=name) as source:
            ranked, reading, left_out, top_k = ranking.rank_with_top_k(judgments, source, self.task.settings, self.most)
            digest = source.digest() if self.task.digest else None
        found = self.task.of(source.name, reading, [(ranked, left_out)], digest)
        bounds = tuple(_bounds(ranked, request) for request in self.bounded)
        # Without what measures have made of the rankings, which is many times as large.
        return Covered(found, replace(ranked, _views={}), top_k, bounds)


class CoveredRuns(NamedTuple):
    """Several runs, and what they leave open.

    Attributes
    ----------
    names : sequence of str
    runs : tuple of Covered
    judgments : Judgments
    inputs : tuple of Input
    """

    names: Sequence[str]
    runs: tuple[Covered, ...]
    judgments: Judgments
    inputs: tuple[Input, ...]


def asked_of(requests: Sequence[Request]) -> tuple[Request, ...]:
    """What to evaluate: the requests, the same of condensed lists, and the share that are judged at each of
    `DEPTHS`."""
    judged = parse([f"judged.{','.join(map(str, DEPTHS))}"])
    return (*requests, *(replace(request, judged_only=True) for request in requests), *judged)


def cover(inputs: Inputs, most: int) -> CoveredRuns:
    """Evaluate every run, and keep its first documents of each query; of files alone.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different.
    InputError
        For a file that cannot be read or understood, or that shares no query with the judgments.
    """
    require_runs(inputs)
    requests, paths = inputs.requests, inputs.runs
    settings = suited(inputs.settings, requests, inputs.warn)
    ((_, judged),) = inputs.judgments
    with Source(judged, digest=True) as source:
        judgments = qrels.read(source, settings)
        read = [Input("qrels", source.name, *source.digest())]
    judgments.require_grades("coverage is")
    of_each = settings.of_every_query(tuple(judgments.queries))
    batch = Batch(
        Covering(Task((judgments,), asked_of(requests), of_each, digest=True), most, requests),
        paths,
        local(paths, inputs.jobs),
    )
    with inputs.watched(batch, paths):
        runs = tuple(batch.results())
    some: tuple[bytes, ...] = ()
    if of_each.queries == "both" and not of_each.complete:
        runs, some = _on_same_queries(runs, requests)
    evaluated = [each.evaluated for each in runs]
    read += [Input("run", each.name, *each.digest) for each in evaluated if each.digest]
    names = names_of(inputs, [each.reading.tag for each in evaluated])
    inputs.tell(judgments_notes(judgments, settings, requests), settings)
    warn_of_evaluated(inputs, evaluated, settings)
    inputs.tell(not_common_notes(some))
    refuse_idle_columns(inputs, judgments.named, any(each.reading.named for each in evaluated))
    return CoveredRuns(names, runs, judgments, tuple(read))


def _on_same_queries(
    runs: tuple[Covered, ...], requests: Sequence[Request]
) -> tuple[tuple[Covered, ...], tuple[bytes, ...]]:
    """The runs with the queries that all of them have, and the queries that some of them lack."""
    common, some = common_queries([each.ranked.queries for each in runs])
    return tuple(_with_queries(each, common, requests) for each in runs) if some else runs, some


def _with_queries(each: Covered, queries: set[bytes], requests: Sequence[Request]) -> Covered:
    ranked = _of_queries(each.ranked, np.array([query in queries for query in each.ranked.queries]))
    scores = evaluate(ranked, asked_of(requests))
    evaluated = each.evaluated._replace(scores=(scores,), summaries=(summarise(scores),))
    bounds = tuple(_bounds(ranked, request) for request in requests)
    return Covered(evaluated, replace(ranked, _views={}), each.top_k, bounds)


def _bounds(ranked: Ranked, request: Request) -> tuple[float, float] | None:
    if request.bounds in ("fixed", "none"):
        return None
    both = [replace(request, bound=bound) for bound in (LOW, HIGH)]
    try:
        low, high = numbers_of(ranked, both)
    except UsageError:  # no exact method is known under these judgments
        return None
    return low, high


def _of_queries(ranked: Ranked, kept: Bools) -> Ranked:
    """The rankings of some of the queries, (q,) flagged, as if there were no others."""
    hits, judged, number = kept[ranked.owner], kept[ranked.judged_owner], np.cumsum(kept) - 1
    return replace(
        ranked.with_hits(hits),
        queries=tuple(ranked.queries[query] for query in np.flatnonzero(kept).tolist()),
        missing=ranked.missing[kept],
        retrieved=ranked.retrieved[kept],
        owner=number[ranked.owner[hits]],
        judged_owner=number[ranked.judged_owner[judged]],
        judged_grade=ranked.judged_grade[judged],
        judged=some(ranked.judged, judged),
        element=None if ranked.element is None else ranked.element[np.repeat(kept, ranked.retrieved)],
        considered=int(kept.sum()),
        _views={},
    ).wide


def _with_fewer(ranked: Ranked, hits: Bools, judged: Bools, positive_judgments: int, highest_grade: float) -> Ranked:
    """These rankings under fewer judgments: (h,) the hits that stay hits, (j,) the judgments that stay."""
    return replace(
        ranked.with_hits(hits),
        judged_owner=ranked.judged_owner[judged],
        judged_grade=ranked.judged_grade[judged],
        judged=some(ranked.judged, judged),
        positive_judgments=positive_judgments,
        highest_grade=highest_grade,
        _views={},
    )
