"""Rank-biased precision: the gain of a reader who goes on to the next result with a fixed probability.

As trec_eval has it, with grades and its own residual, and as papers have it, with relevance alone and a residual that
always counts what follows the last result.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.measures import gains
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Option, Pairs, RealParameter
from irev.ranking.ranked import Ranked

PERSISTENCE = 0.9
NEGLIGIBLE = 1e-30
"""Weight of a rank at which a residual is complete."""

GivenPairs = tuple[tuple[Any, float], ...]


def _split(choices: GivenPairs) -> tuple[float, gains.Given]:
    """The persistence, and the gains given to grades."""
    p = [PERSISTENCE, *(value for key, value in choices if key == "p")][-1]
    return p, tuple(choice for choice in choices if choice[0] != "p")


def weights(p: float, ranks: int) -> Floats:
    """1, p, p·p, …: the weight of each rank, multiplied up one by one, as `p ** i` rounds otherwise."""
    factors = np.full(max(ranks, 1), p)
    factors[0] = 1.0
    with np.errstate(all="ignore"):
        return np.cumprod(factors)


def last_that_matters(p: float) -> int:
    """Rank after which weights are negligible."""
    if p == 0:
        return 1
    return int(math.log(NEGLIGIBLE) / math.log(abs(p))) + 1 if abs(p) < 1 else sys.maxsize


def _shares(ranked: Ranked, pairs: gains.Given, gmax: float | str, owner: Ints, gain: Floats) -> Floats:
    """Gains of documents of the queries `owner` as shares of the highest gain."""
    if gmax != "query":
        return segments.ratio(gain, gains.highest(ranked) if isinstance(gmax, str) else gmax)
    low, high = gains.range_of(ranked, pairs)
    with np.errstate(all="ignore"):
        scaled = (gain - low) / (high[owner] - low)
    return np.where((low < 0) | (high[owner] > 1), scaled, gain)


def _expected_rbp(ranked: Ranked, choices: GivenPairs, gmax: float | str) -> Terms:
    p, pairs = _split(choices)
    shares = _shares(ranked, pairs, gmax, ranked.owner, gains.gain_despite_ties(ranked, pairs, gains.PLAIN))
    gains_something = (ranked.grade >= 0) | any(grade == gains.POOLED for grade, _ in pairs)
    with np.errstate(all="ignore"):
        values = np.where(gains_something, shares, 0.0) * ranked.mean_over_ties(weights(p, ranked.last_rank))
    return Terms(ranked.owner, ranked.tie_first, values, times=1.0 - p)


@measure(
    "rbp",
    standard="gRBP",
    cut="depth",
    graded=True,
    expected=_expected_rbp,
    bounds="search",
    over=Pairs(p=PERSISTENCE),
    options={"gmax": RealParameter("query", 0.0, open=True, words=("query", "auto"))},
    new_in_10=True,
)
def rank_biased_precision(ranked: Ranked, choices: GivenPairs, gmax: float | str) -> Terms:
    """Rank-biased precision: gain per result seen, for a reader who goes on with probability p.

    rbp = (1 - p) · sum over the ranks i of y_i · p^(i-1), where y_i is the gain of the document, between 0
    and 1. The gain of a document is its grade; when the highest judged grade m of the query exceeds 1, it
    is the grade over m. In small letters, rbp is trec_eval's measure of grades; in capitals, RBP is ir_measures'
    measure of relevance alone, binrbp.

    Parameters: p=0.8 for the persistence, 0.9 unless given, which must lie between 0 and 1 for the value to
    make sense; and other gains for some grades, rbp.p=0.8,1=0.5,2=1, as for ndcg. Where a gain is below 0
    or above 1, all gains x of the query become (x - low) / (high - low), over its highest and lowest gain
    and 0. And gmax, which all gains are divided by instead, with nothing subtracted: a number, or auto for the
    highest grade of the judgments, over all queries; so that a grade is worth the same in every query. With a
    gmax below the highest gain the value may exceed 1.

    Documents without a judgment, or with a negative grade, gain nothing; rbp_resid is what they might. The
    relevance level (-l) plays no part. A query without positive grades has 0, and no ranking of finite
    length reaches 1.

    Elsewhere: ranx takes grades as they are, which is gmax=1: its rbp.95 is rbp.p=0.95,gmax=1. trec_eval does not
    set its lowest and highest gain before it looks for them, so its value may depend on what else it computes.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 1 0 2, R = 2: rbp 0.1310, rbp_p=0.5 0.3750, rbp_p=0.5,gmax=4 0.1875, rbp_p=0.5,gmax=1 0.7500.
    """
    p, pairs = _split(choices)
    owner, rank, gain = gains.credited(ranked, pairs)
    gain = _shares(ranked, pairs, gmax, owner, gain)
    some = gain != 0
    owner, rank, gain = owner[some], rank[some], gain[some]
    with np.errstate(all="ignore"):
        values = gain * weights(p, int(rank.max(initial=0)))[rank - 1]
    return Terms(owner, rank, values, times=1.0 - p)


def _chance_of_unjudged(ranked: Ranked) -> Floats:
    """(q,) How likely any document before the cut has no judgment: 0 or 1, but where a tie stands across the cut."""
    judged = ranked.grade >= 0
    depth = ranked.settings.depth
    within = judged if depth is None else judged & (ranked.tie_last <= depth)
    above = segments.count(ranked.owner[within], ranked.size)
    chance = (ranked.retrieved > above).astype(np.float64)
    across = judged & ~within
    owner, first, last = ranked.owner[across], ranked.tie_first[across], ranked.tie_last[across]
    for i in np.flatnonzero(segments.opens(owner, first)).tolist():
        query, places, size = owner[i], int(depth or 0) + 1 - int(first[i]), int(last[i] - first[i]) + 1
        members = int(np.count_nonzero(owner == query))
        if above[query] == first[i] - 1:
            taken = np.arange(places)
            chance[query] = 1.0 - float(np.prod(np.maximum(members - taken, 0) / (size - taken)))
    return chance


def _expected_rbp_resid(ranked: Ranked, choices: GivenPairs) -> Floats:
    p, _ = _split(choices)
    judged = ranked.grade >= 0
    some = _chance_of_unjudged(ranked)
    factors = weights(p, max(int(ranked.retrieved.max(initial=0)), ranked.last_rank) + 1)
    with np.errstate(all="ignore"):
        mean = ranked.mean_over_ties(factors)[judged]
        every = np.concatenate(([0.0], np.cumsum(factors)))[ranked.retrieved]
        unjudged = every - segments.total(mean, ranked.owner[judged], ranked.size)
        residual = some * factors[ranked.retrieved] + (1 - p) * unjudged
    return np.where(some > 0, residual, 0.0)


@measure(
    "rbp_resid",
    better="lower",
    standard="gRBPResid",
    cut="depth",
    over=Pairs(p=PERSISTENCE),
    expected=_expected_rbp_resid,
    new_in_10=True,
)
def rank_biased_residual(ranked: Ranked, choices: GivenPairs) -> Floats:
    """How much higher rank-biased precision could be if unjudged documents had the highest gain.

    rbp_resid = p^n + (1 - p) · sum of p^(i-1) over the ranks i of documents without a judgment. The first
    part stands for what might follow the last result.

    Parameter: p=0.8 for the persistence, 0.9 unless given. Gains may be given, as for rbp, but do not matter.

    A negative grade counts as no judgment. As in trec_eval, the value is 0 when every result is judged:
    then p^n is left out too. A query that the run lacks has 0. Ranks that weigh less than 1e-30 are left
    out.

    Elsewhere: binrbp_resid is the residual of the paper, which always counts what might follow the last result, and
    which other programs compute.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 1 - 1, R = 2: rbp_resid 0.8190, rbp_resid_p=0.5 0.3750.
    """
    p, _ = _split(choices)
    judged = ranked.grade >= 0
    owner, rank = ranked.owner[judged], ranked.rank[judged]
    unjudged = ranked.retrieved > segments.count(owner, ranked.size)
    factors = weights(p, min(int(ranked.retrieved.max(initial=0)), last_that_matters(p)) + 1)

    # Rank by rank over all queries at once: a list of all unjudged documents would be as long as the run.
    order = np.argsort(rank, kind="stable")
    bounds = np.searchsorted(rank[order], np.arange(1, len(factors) + 1))
    owner = owner[order]
    summed = np.zeros(ranked.size)
    with np.errstate(all="ignore"):
        for i, weight in enumerate(factors[:-1].tolist()):
            added = np.where(ranked.retrieved > i, weight, 0.0)
            added[owner[bounds[i] : bounds[i + 1]]] = 0.0
            summed += added
        residual = factors[np.minimum(ranked.retrieved, len(factors) - 1)] + (1 - p) * summed
    return np.where(unjudged, residual, 0.0)


P: dict[str, Option] = {"p": RealParameter(0.8, 0.0, 1.0, open=True, stated=True)}
"""The option of the measures of relevance alone."""


def _expected_binrbp(ranked: Ranked, p: float) -> Terms:
    values = ranked.mean_over_ties(weights(p, ranked.last_rank))[ranked.relevant]
    return Terms(ranked.relevant_owner, ranked.tie_first[ranked.relevant], values, times=1.0 - p)


@measure("binrbp", standard="RBP", cut="depth", options=P, expected=_expected_binrbp, bounds="rising")
def binary_rank_biased_precision(ranked: Ranked, p: float) -> Terms:
    """Rank-biased precision of relevance alone: relevant documents per result seen.

    binrbp = (1 - p) · sum of p^(i-1) over the ranks i of relevant documents. The reader looks at the first
    result, and after each one goes on to the next with probability p. In capitals, RBP is ir_measures' name of it;
    in small letters, rbp is trec_eval's measure of grades, with 0.9 as p.

    Parameters: p, 0.8 unless given, above 0 and below 1: 0.5 for an impatient reader, 0.95 for a patient one. And a
    cutoff, binrbp.10 or RBP@10: the first so many results alone.

    Documents without a judgment count as not relevant; binrbp_resid is what they might add. A query without
    relevant documents has 0, and no ranking of finite length reaches 1.

    Elsewhere: RBP of ir_measures, which requires a relevance level, as in RBP(p=0.8,rel=1), and of cwl-eval.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 2 0 1, R = 2: binrbp 0.3280, binrbp_p=0.5 0.6250, binrbp_2 0.2000.
    """
    rank = ranked.relevant_rank
    return Terms(ranked.relevant_owner, rank, weights(p, int(rank.max(initial=0)))[rank - 1], times=1.0 - p)


def _expected_binrbp_resid(ranked: Ranked, p: float) -> Floats:
    judged = ranked.grade >= 0
    mean = ranked.mean_over_ties(weights(p, ranked.last_rank))[judged]
    return np.maximum(1.0 - (1.0 - p) * segments.total(mean, ranked.owner[judged], ranked.size), 0.0)


@measure("binrbp_resid", better="lower", standard="RBPResid", cut="depth", options=P, expected=_expected_binrbp_resid)
def binary_rank_biased_residual(ranked: Ranked, p: float) -> Floats:
    """Residual of binary rank-biased precision: how much higher it could be if all that is unjudged were relevant.

    binrbp_resid = (1 - p) · (sum of p^(i-1) over the ranks i of documents without a judgment) + p^n. The second part
    stands for what might follow the last result. With everything judged, binrbp would lie
    between its value now and that plus the residual.

    Parameters: p, 0.8 unless given, and a cutoff, as for binrbp; with a cutoff k, n is min(n, k).

    A negative grade counts as no judgment. What might follow counts also where every result is judged, and a query
    without results has 1, as nothing at all is known of it.

    Elsewhere: cwl-eval computes the same. trec_eval's rbp_resid is 0 where every result is judged.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 1 - 1, R = 2: binrbp_resid 0.6720, binrbp_resid_p=0.5 0.3750, binrbp_resid_1 0.8000.
    """
    judged = ranked.grade >= 0
    owner, rank = ranked.owner[judged], ranked.rank[judged]
    remaining = weights(p, int(rank.max(initial=0)) + 1)
    above = np.zeros_like(rank)
    above[1:] = np.where(owner[1:] == owner[:-1], rank[:-1], 0)
    # The ranks between two judged documents weigh p^(rank of the upper) less p^(rank of the lower, less 1).
    between = segments.total(remaining[above] - remaining[rank - 1], owner, ranked.size)
    last = np.zeros(ranked.size, dtype=np.int64)
    np.maximum.at(last, owner, rank)
    return between + remaining[last]
