"""Rank-biased precision: the gain of a reader who goes on to the next result with a fixed probability."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from irev import segments
from irev.measures import gains
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Pairs
from irev.ranked import Ranked
from irev.segments import Floats

PERSISTENCE = 0.9
NEGLIGIBLE = 1e-30
"""Weight of a rank at which a residual is complete."""

Choices = tuple[tuple[Any, float], ...]


def _split(choices: Choices) -> tuple[float, gains.Given]:
    """The persistence, and the gains given to grades."""
    p = [PERSISTENCE, *(value for key, value in choices if key == "p")][-1]
    return p, tuple(choice for choice in choices if choice[0] != "p")


def _weights(p: float, ranks: int) -> Floats:
    """1, p, p·p, …: the weight of each rank, multiplied up one by one, as `p ** i` rounds otherwise."""
    factors = np.full(max(ranks, 1), p)
    factors[0] = 1.0
    with np.errstate(all="ignore"):
        return np.cumprod(factors)


def _last_that_matters(p: float) -> int:
    """Rank after which weights are negligible."""
    if p == 0:
        return 1
    return int(math.log(NEGLIGIBLE) / math.log(abs(p))) + 1 if abs(p) < 1 else sys.maxsize


@measure("rbp", over=Pairs("p"), new_in_10=True)
def rank_biased_precision(ranked: Ranked, choices: Choices) -> Terms:
    """Rank-biased precision: gain per result seen, for a reader who goes on with probability p.

    rbp = (1 - p) · sum over the ranks i of y_i · p^(i-1), where y_i is the gain of the document, between 0
    and 1. The gain of a document is its grade; when the highest judged grade m of the query exceeds 1, it
    is the grade over m.

    Parameters: p=0.8 for the persistence, 0.9 unless given, which must lie between 0 and 1 for the value to
    make sense; and other gains for some grades, rbp.p=0.8,1=0.5,2=1, as for ndcg. Where a gain is below 0
    or above 1, all gains x of the query become (x - low) / (high - low), over its highest and lowest gain
    and 0.

    Documents without a judgment, or with a negative grade, gain nothing; rbp_resid is what they might. The
    relevance level (-l) plays no part. A query without positive grades has 0, and no ranking of finite
    length reaches 1.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 1 0 1, R = 2: rbp 0.1810, rbp_p=0.5 0.6250.
    """
    p, pairs = _split(choices)
    owner, rank, gain = gains.credited(ranked, pairs)
    low, high = gains.range_of(ranked, pairs)
    with np.errstate(all="ignore"):
        scaled = (gain - low) / (high[owner] - low)
    gain = np.where((low < 0) | (high[owner] > 1), scaled, gain)
    some = gain != 0
    owner, rank, gain = owner[some], rank[some], gain[some]
    with np.errstate(all="ignore"):
        values = gain * _weights(p, int(rank.max(initial=0)))[rank - 1]
    return Terms(owner, rank, values, times=1.0 - p)


@measure("rbp_resid", over=Pairs("p"), new_in_10=True)
def rank_biased_residual(ranked: Ranked, choices: Choices) -> Floats:
    """How much higher rank-biased precision could be if unjudged documents had the highest gain.

    rbp_resid = p^n + (1 - p) · sum of p^(i-1) over the ranks i of documents without a judgment. The first
    part stands for what might follow the last result.

    Parameter: p=0.8 for the persistence, 0.9 unless given. Gains may be given, as for rbp, but do not matter.

    A negative grade counts as no judgment. As in trec_eval, the value is 0 when every result is judged:
    then p^n is left out too. A query that the run lacks has 0. Ranks that weigh less than 1e-30 are left
    out.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 1 - 1, R = 2: rbp_resid 0.8190, rbp_resid_p=0.5 0.3750.
    """
    p, _ = _split(choices)
    judged = ranked.grade >= 0
    owner, rank = ranked.owner[judged], ranked.rank[judged]
    unjudged = ranked.retrieved > segments.count(owner, ranked.size)
    weights = _weights(p, min(int(ranked.retrieved.max(initial=0)), _last_that_matters(p)) + 1)

    # Rank by rank over all queries at once: a list of all unjudged documents would be as long as the run.
    order = np.argsort(rank, kind="stable")
    bounds = np.searchsorted(rank[order], np.arange(1, len(weights) + 1))
    owner = owner[order]
    summed = np.zeros(ranked.size)
    with np.errstate(all="ignore"):
        for i, weight in enumerate(weights[:-1].tolist()):
            added = np.where(ranked.retrieved > i, weight, 0.0)
            added[owner[bounds[i] : bounds[i + 1]]] = 0.0
            summed += added
        residual = weights[np.minimum(ranked.retrieved, len(weights) - 1)] + (1 - p) * summed
    return np.where(unjudged, residual, 0.0)
