"""How far down relevant documents stand: the rank of the first one, and the average rank of all that were retrieved."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.measures.expected_over_ties import divided_ties
from irev.measures.measure import measure
from irev.measures.parameters import RealParameter
from irev.ranking.ranked import Ranked

MISS = RealParameter("inf", 0.0, words=("inf",))
"""The value of a query for which nothing relevant was retrieved."""


def _expected_search_length(ranked: Ranked, miss: float | str) -> Floats:
    first = segments.first(ranked.tie_first[ranked.relevant], ranked.relevant_owner, ranked.size, missing=0)
    last = segments.first(ranked.tie_last[ranked.relevant], ranked.relevant_owner, ranked.size, missing=0)
    beside = ranked.relevant & (ranked.tie_first == first[ranked.owner])
    relevant = segments.count(ranked.owner[beside], ranked.size)
    length = np.where(relevant > 0, first - 1 + (last - first + 2) / (relevant + 1), float(miss))
    for tie in divided_ties(ranked):
        if tie.first == first[tie.query]:
            # How likely none of the relevant documents stands at the first 1, 2, 3 … ranks of the tie.
            passed = np.arange(tie.inside)
            none = np.cumprod(np.maximum(tie.size - tie.relevant - passed, 0) / (tie.size - passed))
            within = tie.first * (1.0 - none[-1]) + (none[:-1] - none[-1]).sum()
            length[tie.query] = within + (float(miss) * none[-1] if none[-1] > 0 else 0.0)
    return length


@measure(
    "search_length",
    beyond_one=True,
    better="lower",
    standard="SearchLength",
    cut="depth",
    options={"miss": MISS},
    expected=_expected_search_length,
    bounds="search",
)
def search_length(ranked: Ranked, miss: float | str) -> Floats:
    """Rank of the first relevant document: how many results one reads until something relevant is found.

    The lower, the better, and never below 1. Where recip_rank maps rank 1 to 1 and rank 2 to 0.5, this counts
    every rank the same.

    A query for which nothing relevant was retrieved has no such rank. Its value is infinite unless another is
    given, and so then is the mean; the median (agg=median) is finite unless half of the values are infinite.

    Parameters: miss, the value where nothing relevant was retrieved: a number, such as 1001 for runs of 1000
    results, or inf, the default.

    Under --ties average it is its expected value: (f - 1) + (m + 1) / (t + 1) for the first tie that holds
    relevant documents, t of them among m documents from rank f on. Cooper's expected search length counts the
    documents that are not relevant alone, and is 1 less.

    Source: William S. Cooper, Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the
    Weak Ordering Action of Retrieval Systems, American Documentation 19(1), 1968.

    Example: grades 0 - 1 | 1 0 | 0 0, R = 1: search_length_agg=median 3.0000, search_length_miss=11 5.0000.
    """
    first = segments.first(ranked.relevant_rank, ranked.relevant_owner, ranked.size, missing=0)
    return np.where(first > 0, first.astype(np.float64), float(miss))


def _expected_average_rank(ranked: Ranked, miss: float | str) -> Floats:
    # Ties before the cut keep all their documents; of one that the cut divides the number is chance.
    depth = ranked.last_rank if ranked.settings.depth is None else ranked.settings.depth
    whole = ranked.relevant & (ranked.tie_last <= depth)
    middle = (ranked.tie_first + ranked.tie_last)[whole] / 2
    found = segments.count(ranked.owner[whole], ranked.size)
    ranks = segments.total(middle, ranked.owner[whole], ranked.size)
    average = np.where(found > 0, segments.ratio(ranks, found), float(miss))
    for tie in divided_ties(ranked):
        inside = np.arange(tie.relevant + 1)
        total = ranks[tie.query] + inside * (tie.first + depth) / 2
        count = found[tie.query] + inside
        chances = tie.chances()
        possible = chances > 0
        values = np.where(count > 0, segments.ratio(total, count), float(miss))
        average[tie.query] = (chances[possible] * values[possible]).sum()
    return average


@measure(
    "avg_rank",
    beyond_one=True,
    better="lower",
    standard="AvgRank",
    cut="depth",
    options={"miss": MISS},
    expected=_expected_average_rank,
)
def average_rank(ranked: Ranked, miss: float | str) -> Floats:
    """Average rank of the relevant documents that were retrieved.

    avg_rank = (sum of the ranks of the relevant documents retrieved) / r.

    The lower, the better; with r relevant documents retrieved it is at least (r + 1) / 2. Those that were not
    retrieved have no rank and leave no trace, so a run that finds less may look better: read it beside recall.

    A query for which nothing relevant was retrieved has no average. Its value is infinite unless another is
    given, and so then is the mean; the median (agg=median) is finite unless half of the values are infinite.

    Parameters: miss, the value where nothing relevant was retrieved: a number, such as 1001 for runs of 1000
    results, or inf, the default.

    Example: grades 0 1 - 1 | 1 0 | 0 0, R = 2: avg_rank_agg=median 3.0000, avg_rank_miss=11 5.0000,
    avg_rank_2,miss=3 2.0000.
    """
    found = ranked.relevant_retrieved
    ranks = segments.total(ranked.relevant_rank, ranked.relevant_owner, ranked.size)
    return np.where(found > 0, segments.ratio(ranks, found), float(miss))
