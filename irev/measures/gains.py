"""Gains: what a document of each grade is worth, for the retrieved documents and for the ideal ranking, and how much
less it is worth further down.

The gain of a document is its grade, or the gain that the settings give to that grade; with ``gain=exp``, 2 to the
power of that, less 1. Pairs such as ``1=3,2=9`` give other gains to some grades and come last, so that what they say
is the gain. A pair for the grade -1 gives a gain to retrieved documents that the judgments do not name, one for -2 to
those judged with a negative grade; without such a pair they have none. A grade given twice has the lower gain in a run
and the first in the ideal ranking, as trec_eval has it. The relevance level plays no part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import AboveMaximum, UsageError, decimal
from irev.base.records import cached_property, dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.measures.parameters import Option, RealParameter, WordParameter
from irev.ranking.ranked import Ranked

UNJUDGED, POOLED = -1, -2
"""The grades by which pairs name documents without a judgment and documents judged with a negative grade."""

Given = tuple[tuple[Any, float], ...]
"""Grades and the gains they are given, in the order given."""

GAIN: dict[str, Option] = {"gain": WordParameter("linear", "exp", also={"log2": "linear", "exp-log2": "exp"})}
DISCOUNT: dict[str, Option] = {
    "discount": WordParameter("log2", "jarvelin2002", "zipf", also={"jk": "jarvelin2002"}),
    "base": RealParameter(2.0, 1.0, open=True),
}
"""The options of measures that have gains, and discounts; they are the fields of `Scale`."""

_HIGHEST_POWER = 1000.0
"""Highest grade of which an exponential gain is taken: a sum of such gains still is a number."""


@dataclass(frozen=True)
class Scale:
    """What gain a grade is, and what a gain at a rank counts.

    Attributes
    ----------
    gain : str
        ``linear``, the grade g itself, or ``exp``, 2^g - 1.
    discount : str
        What the gain at rank i is divided by: ``log2``, log2(i + 1); ``jarvelin2002``, 1 at ranks below `base` and
        log_base(i) from there on; ``zipf``, i.
    base : float
        Above 1; of ``jarvelin2002`` alone.
    """

    gain: str = "linear"
    discount: str = "log2"
    base: float = 2.0

    def __post_init__(self) -> None:
        if self.base != 2.0 and self.discount != "jarvelin2002":
            raise UsageError(
                f"the discount {self.discount} has no base",
                remedy=f"expected discount=jarvelin2002,base={decimal(self.base)}",
            )

    def gains(self, worth: Floats) -> Floats:
        """The gains of documents of these grades, or of what the settings have made of their grades."""
        if self.gain == "linear":
            return worth
        if worth.max(initial=0.0) > _HIGHEST_POWER:
            raise UsageError(
                f"2 to the power of the grade {decimal(worth.max())} is too large a gain",
                remedy=f"gain=exp is for grades up to {decimal(_HIGHEST_POWER)}",
            )
        # The power of each distinct number by the C library, which unlike numpy has them the same on every machine.
        known = segments.distinct(worth)
        return np.array([2.0**x - 1.0 for x in known.tolist()], dtype=np.float64)[np.searchsorted(known, worth)]

    def divisors(self, rank: Ints) -> Floats:
        """What the gains at these ranks are divided by."""
        if self.discount == "zipf":
            return rank.astype(np.float64)
        if self.discount == "log2":
            return segments.log2(rank + 1)
        logarithms = segments.log2(np.maximum(rank, 1)) / math.log2(self.base)
        return np.where(rank < self.base, 1.0, logarithms)


PLAIN = Scale()
"""That of trec_eval."""


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
    scale : Scale
        What it counts at its rank.
    judgment : int (d,) or None
        In the ideal ranking, which of the judgments of `Ranked` each document is.
    """

    queries: int
    owner: Ints
    rank: Ints
    gain: Floats
    scale: Scale = PLAIN
    judgment: Ints | None = None

    @cached_property
    def discounted(self) -> Floats:
        """(d,) Each gain, discounted for its rank."""
        return self.gain / self.scale.divisors(self.rank)

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


def credited(ranked: Ranked, pairs: Given, scale: Scale = PLAIN) -> tuple[Ints, Ints, Floats]:
    """Query, rank and gain of every retrieved document that has a gain, be it 0."""
    if _unjudged_gain(pairs):
        ranked = ranked.every_rank()
    gain = _hit_gains(ranked, pairs, scale)
    has = ~np.isnan(gain)
    return ranked.owner[has], ranked.rank[has], gain[has]


def _unjudged_gain(pairs: Given) -> bool:
    """Whether documents without a judgment are given a gain."""
    return any(grade == UNJUDGED for grade, _ in pairs)


def _hit_gains(ranked: Ranked, pairs: Given, scale: Scale) -> Floats:
    """(h,) The gain of every hit, NaN for one that has none."""
    judged = ranked.grade >= 0
    gain = np.full(len(ranked.grade), np.nan)
    gain[judged] = scale.gains(ranked.gain[judged])
    # The lowest gain of a grade is written last.
    for grade, worth in sorted(pairs, key=lambda pair: -pair[1]):
        gain[_of(grade, ranked.grade)] = worth
    return gain


def _of(grade: float, grades: Floats) -> Bools:
    """Which of the documents with these grades a pair for `grade` is about."""
    named: Bools = (grades >= 0) & (grades == grade)
    if grade == UNJUDGED:
        named = np.isnan(grades)
    elif grade == POOLED:
        named = grades < 0
    return named


def retrieved(ranked: Ranked, pairs: Given, scale: Scale) -> Gained:
    """The retrieved documents with a gain, which may be negative."""
    owner, rank, gain = credited(ranked, pairs, scale)
    gains = gain != 0
    return Gained(ranked.size, owner[gains], rank[gains], gain[gains], scale)


def ideal(ranked: Ranked, pairs: Given, scale: Scale) -> Gained:
    """The best ranking there could be: the judged documents with a positive gain, highest gain first."""
    judged = ranked.judged_grade >= 0
    gain = np.zeros(len(ranked.judged_grade))
    gain[judged] = scale.gains(ranked.judged_gain[judged])
    # The first gain given for a grade is written last.
    for grade, worth in reversed(pairs):
        if grade >= 0:
            gain[ranked.judged_grade == grade] = worth
    positive = np.flatnonzero(gain > 0)
    if pairs or ranked.settings.gains is not None:
        positive = positive[np.lexsort((-gain[positive], ranked.judged_owner[positive]))]
    owner = ranked.judged_owner[positive]
    return Gained(ranked.size, owner, segments.position(owner, ranked.size) + 1, gain[positive], scale, positive)


def both(ranked: Ranked, pairs: Given, scale: Scale = PLAIN) -> tuple[Gained, Gained]:
    """The retrieved documents with a gain, and the ideal ranking."""
    return ranked.once(retrieved, pairs, scale), ranked.once(ideal, pairs, scale)


def gain_despite_ties(ranked: Ranked, pairs: Given, scale: Scale) -> Floats:
    """(h,) The gain of every hit, 0 for one that has none.

    Raises
    ------
    UsageError
        Where documents that are no hits have a gain: of these it is not known which they tie with.
    """
    if _unjudged_gain(pairs):
        raise UsageError(
            "there are no expected values over ties if unjudged documents have a gain",
            remedy="leave out the gain of the grade -1, or choose another --ties",
        )
    gain = _hit_gains(ranked, pairs, scale)
    return np.where(np.isnan(gain), 0.0, gain)


def discounted_over_ties(ranked: Ranked, pairs: Given, scale: Scale) -> Floats:
    """(h,) The discounted gain of every hit, on average over all orders of the documents that it ties with."""
    ranks = np.arange(1, ranked.last_rank + 1)
    return gain_despite_ties(ranked, pairs, scale) * ranked.mean_over_ties(1.0 / scale.divisors(ranks))


def positive(ranked: Ranked) -> Floats:
    """(h,) The gain of each hit that has one above 0, else 0."""
    return np.where((ranked.grade >= 0) & (ranked.gain > 0), ranked.gain, 0.0)


def require_up_to(ranked: Ranked, most: float, measure: str, option: str) -> None:
    """Raise `AboveMaximum` when a judged document has a higher gain than the measure was told there is."""
    found = float(ranked.judged_gain.max(initial=0.0))
    if found > most:
        called = "grade" if ranked.settings.gains is None else "gain"
        raise AboveMaximum(measure, option, found, most, called)


def highest(ranked: Ranked) -> float:
    """The highest gain of the whole file, of whatever query, or the highest that the settings give; 0 at least."""
    given = [ranked.highest_grade] if ranked.settings.gains is None else [gain for _, gain in ranked.settings.gains]
    return max([0.0, *given])


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
