"""What explanations and differences see of a run: the rankings of a few chosen queries, with every document.

Everything else keeps of a ranking what `irev.ranking.ranked` has, the judged documents and their ranks. A `FullRanking`
keeps the ids too, and what the run wrote as scores. Its views follow the same rules, so that the document at a rank of
a `Ranked` is the one at the same rank of the `FullRanking` that was cut alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.reading import flat_ids
from irev.reading.flat_ids import FlatIds


@dataclass(frozen=True, eq=False)
class FullRanking:
    """The ranking of one query, of `n` documents; its ranks are 1, 2, 3, … in their order.

    Attributes
    ----------
    query : bytes
    documents : FlatIds, length n
        Their ids.
    scores : FlatIds, length n
        What ranks them, as it is written in the run; empty texts where it has no scores. Of a run in memory its scores,
        unless something else orders it.
    grade : float (n,)
        NaN for a document that the judgments do not name; below 0 for one in the pool that is not judged.
    tie_first, tie_last : int (n,)
        First and last rank of the documents of equal score.
    judged : FlatIds, length j
        All documents that the judgments name for the query, best grade first, as in `Ranked.judged_grade`; those of
        equal grade in the order of their bytes.
    judged_grade : float (j,)
        Their grades.
    averaged : bool
        Whether measures have their expected value over ties: then a cut keeps whatever may stand before it.
    """

    query: bytes
    documents: FlatIds
    scores: FlatIds
    grade: Floats
    tie_first: Ints
    tie_last: Ints
    judged: FlatIds
    judged_grade: Floats
    averaged: bool = False

    def __len__(self) -> int:
        return len(self.documents)

    def at(self, depth: int | None = None, judged_only: bool = False) -> FullRanking:
        """The ranking cut at a depth, and then without unjudged documents, as `irev.ranking.ranked.Ranked.at`."""
        view = self
        if depth is not None:
            last = int(np.count_nonzero(self.tie_first <= depth)) if self.averaged else depth
            view = view._with(np.arange(min(last, len(self))))
        if judged_only:
            view = view._only_judged()
        return view

    def _only_judged(self) -> FullRanking:
        kept = self._with(np.flatnonzero(self.grade >= 0))
        # A tie shrinks to its judged members.
        opens, group = np.unique(kept.tie_first, return_inverse=True)
        sizes = np.bincount(group, minlength=len(opens))
        last = np.cumsum(sizes)[group]
        return replace(kept, tie_first=last - sizes[group] + 1, tie_last=last)

    def _with(self, places: Ints) -> FullRanking:
        if len(places) == len(self):
            return self
        return replace(
            self,
            documents=self.documents.pick(places),
            scores=self.scores.pick(places),
            grade=self.grade[places],
            tie_first=self.tie_first[places],
            tie_last=self.tie_last[places],
        )


@dataclass(frozen=True, eq=False)
class Firsts:
    """The first documents of the judged queries of a run, or of a part of it, `t` of them.

    Attributes
    ----------
    query : int (t,)
        Index of the query among those that are judged.
    place : int (t,)
        Its rank, 1, 2, 3, … in each query.
    judgment : int (t,)
        Its judgment, as an index into the judgments; -1 for one that they do not name.
    others : FlatIds
        The ids of these last, in their order; what the others are called stands in the judgments.
    """

    query: Ints
    place: Ints
    judgment: Ints
    others: FlatIds

    @classmethod
    def joined(cls, parts: Sequence[Firsts]) -> Firsts:
        """One behind the other."""
        query, place, judgment = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("query", "place", "judgment")
        )
        return cls(query, place, judgment, flat_ids.joined([part.others for part in parts]))


@dataclass(frozen=True, eq=False)
class TopK:
    """The first documents of a run, and where the judged ones stand.

    Attributes
    ----------
    first : Firsts
    rank : int (j,)
        Of each judgment the rank of its document; 0 where it was not retrieved, or was cut off or dropped.
    """

    first: Firsts
    rank: Ints
