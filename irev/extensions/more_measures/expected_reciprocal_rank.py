"""Expected reciprocal rank: a reader goes down the results and stops at the one that satisfies."""

from __future__ import annotations

import math

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints, sum_in_order
from irev.measures import gains
from irev.measures.expected_over_ties import expected_at
from irev.measures.measure import Terms, measure
from irev.measures.parameters import RealParameter
from irev.ranking.ranked import Ranked


def _satisfies(ranked: Ranked, gmax: float | str) -> Floats:
    """(h,) How likely each hit satisfies the reader: (2^g - 1) / 2^gmax."""
    most = gains.highest(ranked) if isinstance(gmax, str) else gmax
    gains.require_up_to(ranked, most, "err", "gmax")
    # Powers of the difference, as 2^g itself may be too large a number.
    satisfies: Floats = segments.exp2(gains.positive(ranked) - most) - math.exp2(-most)
    return satisfies


def _reached(satisfies: Floats, owner: Ints, queries: int) -> Floats:
    """(d,) How likely the reader gets past all documents of the same query above each."""
    reached = np.ones(len(satisfies))
    counts = segments.count(owner, queries)
    longer = np.flatnonzero(counts > 1)
    for start, rows in zip(segments.starts(counts)[longer].tolist(), counts[longer].tolist(), strict=True):
        np.cumprod(1.0 - satisfies[start : start + rows - 1], out=reached[start + 1 : start + rows])
    return reached


def _expected(ranked: Ranked, gmax: float | str) -> Terms:
    """Over the orders of each tie; those above it do not change how likely it is reached."""
    satisfies = _satisfies(ranked, gmax)
    some = satisfies > 0
    inverse = 1.0 / np.arange(1, ranked.last_rank + 1)
    if ranked.settings.depth is not None:
        inverse[ranked.settings.depth :] = 0.0
    mean = ranked.mean_over_ties(inverse)[some]
    owner, first, satisfies = ranked.owner[some], ranked.tie_first[some], satisfies[some]
    size = (ranked.tie_last - ranked.tie_first + 1)[some]
    begins = np.flatnonzero(segments.opens(owner, first))
    chosen = np.diff(np.append(begins, len(owner)))
    values = satisfies[begins] * mean[begins]
    for i in np.flatnonzero(chosen > 1).tolist():
        begin, h, m = int(begins[i]), int(chosen[i]), int(size[begins[i]])
        ranks = inverse[first[begin] - 1 :][:m]
        passed = _passed(satisfies[begin : begin + h])
        # What so few readers see further down is below the last bit.
        seen = np.flatnonzero(passed[:h] > _FEW).tolist()
        parts = [(passed[k] - passed[k + 1]) * expected_at(m, h, k, ranks) for k in seen]
        values[i] = sum_in_order(np.array(parts))
    return Terms(owner[begins], first[begins], _reached(satisfies, owner, ranked.size)[begins] * values)


_FEW = 2.0**-100


def _passed(satisfies: Floats) -> Floats:
    """(d + 1,) How likely the reader gets past the first 0, 1, 2, … of these documents in random order; up to the first
    number where that is below `_FEW`.

    That is the mean over all sets of so many of them, which each further document enters in its share of the sets.
    It falls with each document, as those that satisfy least come first: what is once below stays there.
    """
    passed = np.ones(1)
    for number, stop in enumerate(np.sort(satisfies).tolist(), start=1):
        share = np.arange(len(passed) + 1) / number
        without, among = np.append(passed, 0.0), np.append(0.0, passed)
        passed = (1.0 - share) * without + share * (1.0 - stop) * among
        passed = passed[: np.count_nonzero(passed > _FEW) + 1]
    return passed


@measure(
    "err",
    standard="ERR",
    cut="depth",
    graded=True,
    options={"gmax": RealParameter(4.0, 0.0, open=True, words=("auto",))},
    expected=_expected,
    bounds="rising",
)
def expected_reciprocal_rank(ranked: Ranked, gmax: float | str) -> Terms:
    """Expected reciprocal rank: one over the rank at which a reader is satisfied, on average.

    err = sum over the ranks i of R_i / i · (1 - R_1) … (1 - R_{i-1}) with R_i = (2^g_i - 1) / 2^gmax, the
    probability that the document at rank i satisfies. What stands below a document that is likely to satisfy
    counts little.

    Parameters: gmax, the highest grade there could be, 4 unless given; gmax=auto takes the highest grade of
    the judgments, over all queries, so that numbers depend on the file. A grade above gmax is an error. And a
    cutoff, err.20 or ERR@20: the first so many results alone.

    Documents without a judgment, or with a negative grade, satisfy no one. The relevance level (-l) plays no
    part. A query without positive grades has 0. No ranking reaches 1, and what the best one has depends on the
    grades: with the grades 0 and 1 and the gmax of 4 it stays below 0.185.

    Elsewhere: gdeval, and so ir_measures, always has 4 as gmax, fails on a higher grade, and rounds to five
    decimals; ERR@20 is the same there.

    Source: Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan, Expected Reciprocal Rank for Graded
    Relevance, CIKM 2009.

    Example: grades 3 0 2 4, R = 3: err 0.5798, err_1 0.4375, err_gmax=auto 0.5798, err_gmax=5 0.3261.
    """
    satisfies = _satisfies(ranked, gmax)
    some = satisfies > 0
    owner, rank, satisfies = ranked.owner[some], ranked.rank[some], satisfies[some]
    return Terms(owner, rank, _reached(satisfies, owner, ranked.size) * satisfies / rank)
