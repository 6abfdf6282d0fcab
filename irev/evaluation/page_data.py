"""What pages show of a run beside its numbers: its first documents, and what judged ones add to the measures.

A run is read once for that and for its numbers. Documents without a judgment that are among the first of one run may
stand anywhere in another: `Located` reads the runs again and says where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.base.settings import Settings
from irev.evaluation import summary
from irev.evaluation.batch import Evaluated, IdealColumns, ShownRun, ShownTerms, Task
from irev.evaluation.scores import Scores, evaluate, terms
from irev.evaluation.summary import Summary
from irev.measures import Request
from irev.ranking import ranking
from irev.ranking.order import TopK
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Judgments
from irev.reading.sources import Source


class ToShow(NamedTuple):
    """What is to be kept of each run.

    Attributes
    ----------
    most : int
        Documents of each ranking.
    curves : tuple of Request
        What is evaluated for curves.
    terms : tuple of Request or None
        The measures of which terms are kept; None for all.
    """

    most: int
    curves: tuple[Request, ...] = ()
    terms: tuple[Request, ...] | None = None


@dataclass(frozen=True, eq=False)
class ShowingTask(Task):
    """A task that also keeps what is shown, of one set of judgments."""

    show: ToShow = field(default_factory=lambda: ToShow(10))

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Evaluated:
        (judgments,) = self.judgments
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            ranked, reading, left_out, top_k = ranking.rank_with_top_k(judgments, source, self.settings, self.show.most)
            digest = source.digest() if self.digest else None
        found = self.of(source.name, reading, [(ranked, left_out)], digest)
        wide = ranked.wide
        wanted = self.requests if self.show.terms is None else self.show.terms
        of_requests = tuple(_terms(wide, each, judgments, top_k) if each in wanted else None for each in self.requests)
        return found._replace(shown=ShownRun(top_k, wide.retrieved, of_requests, *self._of_curves(ranked)))

    def _of_curves(self, ranked: Ranked) -> tuple[Scores, Summary]:
        """What curves are made of: values of single queries where the queries of another run may be others, and of
        counts. Nothing where runs say how far they have what is judged, since these retrieve nothing."""
        curves = () if ranked.details is not None and ranked.details.kind.assigned else self.show.curves
        if self.settings.queries == "both" and not self.settings.complete:
            scores = evaluate(ranked, curves)
            return scores, summary.summarise(scores)
        alone = [request for request in curves if request.measure.kind != "count"]
        scores, averages = summary.evaluate(ranked, alone)
        counts = evaluate(ranked, [request for request in curves if request.measure.kind == "count"])
        scores = replace(scores, columns=(*scores.columns, *counts.columns))
        return scores, Summary((*averages.values, *summary.summarise(counts).values))


@dataclass(frozen=True, eq=False)
class Located:
    """Where the documents that `judgments` name stand in each run of a batch."""

    judgments: Judgments
    settings: Settings

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Ints:
        with Source(path, watch=watch, name=name) as source:
            return ranking.ranks(self.judgments, source, self.settings)


def _terms(ranked: Ranked, request: Request, judgments: Judgments, top_k: TopK) -> ShownTerms | None:
    found = terms(ranked, request)
    if found is None:
        return None
    owner, rank = found.owner.astype(np.int64), found.rank.astype(np.int64)
    if request.judged_only and not ranked.settings.judged_only:
        kept = ranked.grade >= 0  # ranks are those of a ranking without the others
        begin = segments.starts(segments.count(ranked.owner[kept], ranked.size))
        rank = ranked.rank[kept][begin[owner] + rank - 1]
    over = np.broadcast_to(np.asarray(found.over, dtype=np.float64), (ranked.size,))
    ideal = None
    if found.made_of is not None and found.made_of.ideal is not None and found.made_of.ideal.judgment is not None:
        best, depth = found.made_of.ideal, found.made_of.depth
        value = best.discounted if found.made_of.discounted else best.gain
        row = judgments_in_order(ranked, judgments)[best.judgment]
        least = np.full(ranked.size, -np.inf)  # what may change places with the last above the cutoff
        if depth is not None:
            last = best.rank == depth
            least[best.owner[last]] = best.gain[last]
        inside = np.flatnonzero(best.gain >= least[best.owner])
        ideal = IdealColumns(row[inside], best.rank[inside], best.gain[inside], value[inside], depth)
    judgment = judgment_at(ranked, owner, rank, judgments, top_k)
    return ShownTerms(owner, rank, judgment, np.asarray(found.values, dtype=np.float64), over, found.times, ideal)


def judgments_in_order(ranked: Ranked, judgments: Judgments) -> Ints:
    """(j,) The judgment of each of `Ranked.judged_grade`."""
    evaluated = np.zeros(len(judgments.queries) + 1, dtype=bool)
    evaluated[judgments.places(ranked.queries)] = True
    evaluated[-1] = False  # where queries without judgments have left their mark
    return judgments.by_query[evaluated[judgments.query[judgments.by_query]]]


def judgment_at(ranked: Ranked, owner: Ints, rank: Ints, judgments: Judgments, top_k: TopK) -> Ints:
    """The judgment of the document at each rank, -1 for one without."""
    there = np.flatnonzero(top_k.rank)
    width = int(max(top_k.rank.max(initial=0), rank.max(initial=0))) + 1
    known = judgments.query[there].astype(np.int64) * width + top_k.rank[there]
    by_place = np.argsort(known)
    known, there = known[by_place], there[by_place]
    place = judgments.places(ranked.queries)[owner]
    wanted = place * width + rank
    at = np.searchsorted(known, wanted)
    found = np.append(there, -1)[at]
    found[(np.append(known, -1)[at] != wanted) | (place < 0)] = -1
    return found
