"""Documents that tie, in random order: which of them stand before a cut, and at which place of a tie one stands.

For any measure that is linear in the number of relevant documents before the cut, the expected number is all it takes;
others look at each tie that the cut divides, of which a query has one at most. When m documents tie and h of them
matter, every set of h places is equally likely to be theirs, whatever the order among the h: so what depends on places
is a sum over the first, second, … of them, and over the places that it may have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeAlias

import numpy as np

from irev.base import segments
from irev.base.records import NamedTuple
from irev.base.segments import Bools, Floats, Ints
from irev.measures.measure import Values, measure
from irev.ranking.ranked import Ranked


def expected_within(ranked: Ranked, flags: Bools, depth: int | None = None) -> Floats:
    """(q,) How many flagged hits are expected before the cut, or within the first `depth` ranks of that."""
    chance = ranked.chance_within(ranked.last_rank if depth is None else depth)
    return segments.total(chance[flags], ranked.owner[flags], ranked.size)


def expected_relevant(ranked: Ranked) -> Floats:
    """(q,) How many relevant documents are expected before the cut."""
    return expected_within(ranked, ranked.relevant)


Found: TypeAlias = "Floats | Ints"
Count = Callable[..., Found]
"""What is found in rankings, or expected to be; and what counts it."""

Registering = Callable[..., Callable[[Callable[..., Values]], Callable[..., Values]]]


def made_of(actual: Callable[[Ranked], Any], expected: Callable[[Ranked], Any]) -> Registering:
    """`measure` for functions of rankings and of something that is found in them: what is `actual` there, or what is
    `expected` over all orders of ties. The one function then gives the values, and the expected values."""

    def named(name: str, **about: Any) -> Callable[[Callable[..., Values]], Callable[..., Values]]:
        def register(function: Callable[..., Values]) -> Callable[..., Values]:
            def of(found: Callable[[Ranked], Any]) -> Callable[..., Values]:
                return lambda ranked, *given, **options: function(ranked, found(ranked), *given, **options)

            return measure(name, expected=of(expected), **about)(wraps(function)(of(actual)))

        return register

    return named


of_relevant = made_of(lambda ranked: ranked.relevant_retrieved, expected_relevant)
"""``function(ranked, found, …)``, linear in r, the number of relevant documents retrieved."""


def _count(ranked: Ranked) -> Callable[..., Ints]:
    return lambda flags, depth=EVERY: ranked.within(depth, flags)


of_hits = made_of(_count, lambda ranked: partial(expected_within, ranked))
"""``function(ranked, count, …)``, linear in what ``count(flags, depth)`` says: how many flagged hits there are, or
within the first `depth` ranks."""

Chances = Callable[[int], Floats]

of_chances = made_of(
    lambda ranked: lambda k: (ranked.rank <= k).astype(np.float64), lambda ranked: ranked.chance_within
)
"""``function(ranked, chances, …)``: ``chances(k)`` is how likely each hit stands within the first k ranks, 1 or 0 where
that is known."""

EVERY = 2**31 - 1
"""The cutoff that cuts nothing."""


class DividedTie(NamedTuple):
    """A tie with relevant documents that the cut goes through.

    Attributes
    ----------
    query : int
        Index of its query.
    first : int
        The first of its ranks.
    size : int
        Number of its documents.
    inside : int
        Number of its ranks that stand before the cut, fewer than `size`.
    relevant : int
        Number of its relevant documents.
    """

    query: int
    first: int
    size: int
    inside: int
    relevant: int

    def chances(self) -> Floats:
        """(relevant + 1,) How likely 0, 1, 2 … of its relevant documents stand before the cut: hypergeometric."""
        others = self.size - self.relevant
        lowest, highest = max(0, self.inside - others), min(self.relevant, self.inside)
        j = np.arange(lowest, highest, dtype=np.float64)
        # From the chance of j documents to that of j + 1; as logarithms, or the product of many would overflow.
        steps = (self.relevant - j) * (self.inside - j) / ((j + 1) * (others - self.inside + j + 1))
        logarithms = np.concatenate(([0.0], np.cumsum(np.log(steps))))
        weights = np.exp(logarithms - logarithms.max())
        chances = np.zeros(self.relevant + 1)
        chances[lowest : highest + 1] = weights / weights.sum()
        return chances


def divided_ties(ranked: Ranked) -> list[DividedTie]:
    """The ties with relevant documents that the cut goes through."""
    depth = ranked.settings.depth
    if depth is None:
        return []
    divided = ranked.relevant & (ranked.tie_first <= depth) & (ranked.tie_last > depth)
    first = ranked.tie_first[divided].tolist()
    size = (ranked.tie_last - ranked.tie_first + 1)[divided].tolist()
    relevant = segments.count(ranked.owner[divided], ranked.size)
    queries = np.flatnonzero(relevant)
    return [
        DividedTie(query, first[row], size[row], depth - first[row] + 1, count)
        for query, row, count in zip(
            queries.tolist(),
            segments.starts(relevant)[queries].tolist(),
            relevant[queries].tolist(),
            strict=True,
        )
    ]


def opens_tie(ranked: Ranked) -> Bools:
    """(relevant hits,) Which are the first relevant one of their tie; one that ties with none is."""
    return segments.opens(ranked.relevant_owner, ranked.tie_first[ranked.relevant])


def chances(size: int, chosen: int, number: int) -> Floats:
    """(size,) How likely, at each place of a tie, the one that stands there is number `number` of the chosen ones.

    The probability of place t is C(t, number) · C(size - 1 - t, chosen - 1 - number) / C(size, chosen), both counted
    from 0. Logarithms of the ratios of neighbours are added, as the binomials themselves would overflow.
    """
    after = chosen - 1 - number
    place = np.arange(number + 1, size - after)
    ratios = place / (place - number) * (size - place - after) / (size - place)
    logarithms = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    weights = np.exp(logarithms - logarithms.max())
    chance = np.zeros(size)
    chance[number : size - after] = weights / weights.sum()
    return chance
