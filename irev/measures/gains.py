"""Gains: what a document of each grade is worth, for the retrieved documents and for the ideal ranking.

The gain of a document is its grade, unless pairs such as ``1=3,2=9`` give other gains to some grades, or the
settings give a gain to every grade; of the two, pairs come first. A pair for the grade -1 gives a gain to retrieved
documents that the judgments do not name, one for -2 to those judged with a negative grade; without such a pair
they have none. A grade given twice has the lower gain in a run and the first in the ideal ranking, as trec_eval has
it. The relevance level plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irev import segments
from irev.ranked import Ranked
from irev.segments import Bools, Floats, Ints

UNJUDGED, POOLED = -1, -2
"""The grades by which pairs name documents without a judgment and documents judged with a negative grade."""

Given = tuple[tuple[Any, float], ...]
"""Grades and the gains they are given, in the order given."""


@dataclass(frozen=True, eq=False)
class Gained:
    """Documents of a ranking with a gain other than 0, in rank order.

    Attributes
    ----------
    queries : int
        Number of queries, q.
    owner, rank : int (d,)
        Query and rank of each document.
    gain : float (d,)
        What it is worth.
    """

    queries: int
    owner: Ints
    rank: Ints
    gain: Floats

    @cached_property
    def discounted(self) -> Floats:
        """(d,) gain / log2(rank + 1)."""
        return self.gain / segments.log2(self.rank + 1)

    @cached_property
    def so_far(self) -> Floats:
        """(d,) Discounted gains up to each document, itself included."""
        return segments.running_sum(self.discounted, self.owner, self.queries)

    @cached_property
    def total(self) -> Floats:
        """(q,) All discounted gains."""
        return segments.total(self.discounted, self.owner, self.queries)

    @cached_property
    def count(self) -> Ints:
        """(q,) Number of documents."""
        return segments.count(self.owner, self.queries)

    def within(self, owner: Ints, depth: Ints) -> Floats:
        """Discounted gains of the queries `owner`, each added up to the rank that `depth` has for it."""
        longest = int(self.rank.max(initial=0))
        sought = owner * (longest + 1) + np.minimum(depth, longest)
        found = np.searchsorted(self.owner * (longest + 1) + self.rank, sought, side="right")
        some = found > segments.starts(self.count)[owner]
        sums = np.zeros(len(owner))
        sums[some] = self.so_far[found[some] - 1]
        return sums


def credited(ranked: Ranked, pairs: Given) -> tuple[Ints, Ints, Floats]:
    """Query, rank and gain of every retrieved document that has a gain, be it 0."""
    if any(grade == UNJUDGED for grade, _ in pairs):
        ranked = ranked.every_rank()
    gain = np.where(ranked.grade >= 0, ranked.gain, np.nan)
    # The lowest gain of a grade is written last.
    for grade, worth in sorted(pairs, key=lambda pair: -pair[1]):
        gain[_of(grade, ranked.grade)] = worth
    has = ~np.isnan(gain)
    return ranked.owner[has], ranked.rank[has], gain[has]


def _of(grade: int, grades: Floats) -> Bools:
    """Which of the documents with these grades a pair for `grade` is about."""
    named: Bools = (grades >= 0) & (grades == grade)
    if grade == UNJUDGED:
        named = np.isnan(grades)
    elif grade == POOLED:
        named = grades < 0
    return named


def retrieved(ranked: Ranked, pairs: Given) -> Gained:
    """The retrieved documents with a gain, which may be negative."""
    owner, rank, gain = credited(ranked, pairs)
    gains = gain != 0
    return Gained(ranked.size, owner[gains], rank[gains], gain[gains])


def ideal(ranked: Ranked, pairs: Given) -> Gained:
    """The best ranking there could be: the judged documents with a positive gain, highest gain first."""
    gain = np.where(ranked.judged_grade >= 0, ranked.judged_gain, 0.0)
    # The first gain given for a grade is written last.
    for grade, worth in reversed(pairs):
        if grade >= 0:
            gain[ranked.judged_grade == grade] = worth
    positive = gain > 0
    owner, gain = ranked.judged_owner[positive], gain[positive]
    if pairs or ranked.settings.gains is not None:
        order = np.lexsort((-gain, owner))
        owner, gain = owner[order], gain[order]
    return Gained(ranked.size, owner, segments.position(owner, ranked.size) + 1, gain)


def range_of(ranked: Ranked, pairs: Given) -> tuple[float, Floats]:
    """Lowest gain, and the highest of each query, among 0, the gains given, and the grades that keep their
    own.

    The grades of a query that keep their own are its judged ones and the whole numbers up to the highest,
    whether or not a document has each. Where the settings give gains, no grade keeps its own.
    """
    given = [worth for _, worth in pairs]
    named = {grade for grade, _ in pairs}
    highest = np.zeros(ranked.size)
    if ranked.settings.gains is not None:
        given += [gain for grade, gain in ranked.settings.gains if grade not in named]
    else:
        judged = np.where(ranked.judged_grade >= 0, ranked.judged_grade, 0.0)
        np.maximum.at(highest, ranked.judged_owner, judged)
        highest = np.floor(highest)
        for grade in sorted(named, reverse=True):
            highest = np.where(highest == grade, highest - 1, highest)
        judged[np.isin(judged, list(named))] = 0.0
        np.maximum.at(highest, ranked.judged_owner, judged)
    return min([0.0, *given]), np.maximum(highest, max([0.0, *given]))
