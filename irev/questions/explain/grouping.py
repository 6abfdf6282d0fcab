"""Which measures share a list of documents, and how far down it is shown.

Measures of which the lists say the same have one together: at several cutoffs, the first ranks of the longest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from irev.output.reports.ranking import Excerpt
from irev.questions.explain.parts import Explained

SHOWN = 10
"""Ranks that are shown of a measure without a cutoff."""

_LEVEL = "iprec_at_recall"
"""The measure whose values at several points stand in one table."""


def last_rank(explained: Explained, excerpt: Excerpt) -> int:
    """The last rank that is shown."""
    longest = max(len(explained.whole), len(explained.sum.ideal) if explained.sum else 0)
    if excerpt.everything:
        return longest
    wanted = (explained.request.cutoff or SHOWN) if excerpt.top is None else excerpt.top
    return min(wanted, longest)


def last_rank_of(group: Sequence[Explained], excerpt: Excerpt) -> int:
    """The last rank that is shown of measures that share a list; of many cutoffs the longest is much too long."""
    last = last_rank(group[-1], excerpt)
    if len(group) == 1 or excerpt.everything or excerpt.top is not None:
        return last
    return min(last, max(SHOWN, min(each.request.cutoff or SHOWN for each in group)))


def groups_of(measures: Sequence[Explained]) -> list[list[Explained]]:
    """The measures that share a list, the one with the longest last."""
    found: list[list[Explained]] = []
    for explained in measures:
        group = next((group for group in found if _share(group[0], explained)), None)
        if group is None:
            found.append([explained])
        else:
            group.append(explained)
            group.sort(key=_depth)
    return found


def _depth(explained: Explained) -> float:
    return explained.request.cutoff or (SHOWN if explained.sum is None else math.inf)


def is_at_recall(explained: Explained) -> bool:
    return explained.request.measure.name == _LEVEL


def _share(one: Explained, other: Explained) -> bool:
    """Whether the list of one of two measures says all that the other's does, if not more."""
    short, long = sorted((one, other), key=_depth)
    few, many = short.sum, long.sum
    if (
        short.whole is not long.whole
        or short.request.level != long.request.level
        or short.request.measure.at_ranks != long.request.measure.at_ranks
        or is_at_recall(short) != is_at_recall(long)
    ):
        return False
    if is_at_recall(short):
        return replace(short.request, value=long.request.value) == long.request
    if few is None or many is None:
        return few is many
    within = [term for term in few.terms if term.rank <= _depth(short)]
    return (
        short.request.measure.standard == long.request.measure.standard
        and within == [*many.terms[: len(within)]]
        and not any(term.value for term in few.terms[len(within) :])
        and few.ideal == many.ideal[: len(few.ideal)]
        and few.discounts.items() <= many.discounts.items()
    )
