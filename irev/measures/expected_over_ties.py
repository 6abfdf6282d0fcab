"""Expected values over random orders of tied documents; and decorators for measures that are linear in what they count.

The expected value of a measure that is linear in a count is the measure of the expected count. `of_relevant`, `of_hits`
and `of_chances` register such a function once, for values and for expected values. Other measures look at each tie that
the cut divides, of which a query has one at most. When m documents tie and h of them matter, every set of h places is
equally likely to be theirs, whatever the order among the h: so what depends on places is a sum over the first, second,
… of them, and over the places that it may have.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irev.base import segments
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
"""A count for each query, whole or expected; and a function that returns one."""

Registering = Callable[..., Callable[[Callable[..., Values]], Callable[..., Values]]]


def linear_in(actual: Callable[[Ranked], Any], expected: Callable[[Ranked], Any]) -> Registering:
    """A decorator like `measure`, for functions whose second argument is computed from the rankings: by `actual` for
    the values, and by `expected` for the expected values over ties."""

    def named(name: str, **about: Any) -> Callable[[Callable[..., Values]], Callable[..., Values]]:
        def register(function: Callable[..., Values]) -> Callable[..., Values]:
            def of(found: Callable[[Ranked], Any]) -> Callable[..., Values]:
                return lambda ranked, *given, **options: function(ranked, found(ranked), *given, **options)

            return measure(name, expected=of(expected), **about)(wraps(function)(of(actual)))

        return register

    return named


of_relevant = linear_in(lambda ranked: ranked.relevant_retrieved, expected_relevant)
"""For ``function(ranked, found, …)``, linear in the number of relevant documents retrieved, `found`."""


def _count(ranked: Ranked) -> Callable[..., Ints]:
    return lambda flags, depth=EVERY: ranked.within(depth, flags)


of_hits = linear_in(_count, lambda ranked: partial(expected_within, ranked))
"""For ``function(ranked, count, …)``, linear in ``count(flags, depth)``: the number of flagged hits, in all or within
the first `depth` ranks."""

Chances = Callable[[int], Floats]

of_chances = linear_in(
    lambda ranked: lambda k: (ranked.rank <= k).astype(np.float64), lambda ranked: ranked.chance_within
)
"""For ``function(ranked, chances, …)``, linear in ``chances(k)``: for each hit the probability of a rank up to k, which
is 0 or 1 for values."""

EVERY = 2**31 - 1
"""A cutoff beyond all ranks."""


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


@lru_cache(16)
def chances(size: int, chosen: int, number: int) -> tuple[int, Floats]:
    """Where document number `number` of the chosen ones stands in a tie: the first place that matters, and the
    probability of each place from there on. Those far from its mean place are left out; together they are below 2^-60.

    The probability of place t is C(t, number) · C(size - 1 - t, chosen - 1 - number) / C(size, chosen), both counted
    from 0. Logarithms of the ratios of neighbours are added, as the binomials themselves would overflow.
    """
    after, spacing = chosen - 1 - number, (size + 1) / (chosen + 1)
    mean = (number + 1) * spacing - 1
    variance = spacing * spacing * (number + 1) * (after + 1) * (size - chosen) / ((size + 1) * (chosen + 2))
    reach = math.sqrt(2 * _FAR * variance) + _FAR * spacing
    first, last = max(number, math.floor(mean - reach)), min(size - 1 - after, math.ceil(mean + reach))
    place = np.arange(first + 1, last + 1)
    ratios = place / (place - number) * (size - place - after) / (size - place)
    logarithms = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    weights = np.exp(logarithms - logarithms.max())
    return first, weights / weights.sum()


_FAR = 42.0
"""Minus the logarithm of the probability that is left out on either side."""


def expected_at(size: int, chosen: int, number: int, worth: Floats) -> float:
    """What document number `number` of the chosen ones of a tie is expected to be worth, by what each place is worth;
    places beyond these are worth nothing."""
    first, chance = chances(size, chosen, number)
    there = worth[first : first + len(chance)]
    return float(chance[: len(there)] @ there)
