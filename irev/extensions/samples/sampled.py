"""Judgments of a sample: measures that infer from some judged documents of each stratum what all of them would give."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.extensions.samples.files import STRATA
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Option, WholeParameter, WordParameter
from irev.ranking.ranked import Ranked

RELEVANT, JUDGED = 0.00001, 0.00003
"""What is added to the relevant and to the judged documents of a stratum seen so far, so that there is a share."""

_OPTIONS: dict[str, Option] = {"depth": WholeParameter(1000, 1, 1_000_000), "like": WordParameter("trec", "trecvid")}
"""The last rank that counts, and which of the two programs of the name sample_eval.pl says what is not in the paper."""


class _SampledRows(NamedTuple):
    """The strata of some queries, g of them, and the hits within the depth, h of them, in rank order.

    Attributes
    ----------
    of_hit : int (h,)
        The stratum of each hit.
    hit : int (h,)
        Its place among those of `Ranked`.
    of_judgment : int (j,)
        The stratum of each judgment.
    documents, judged : int (g,)
        How many documents each has, and how many of these were judged.
    """

    of_hit: Ints
    hit: Ints
    of_judgment: Ints
    documents: Ints
    judged: Ints

    @property
    def weight(self) -> Floats:
        """(g,) How many documents one that was judged stands for."""
        return segments.ratio(self.documents, self.judged)


def _strata(ranked: Ranked, depth: int) -> _SampledRows:
    details, judgment, judged = ranked.detailed
    stratum, _ = details.grouped
    hit = np.flatnonzero((ranked.rank <= depth) & (judgment >= 0))
    of_judgment = stratum[details.start[judged]]
    of_hit = stratum[details.start[judgment[hit]]]
    known = segments.distinct(of_judgment)
    of_judgment, of_hit = np.searchsorted(known, of_judgment), np.searchsorted(known, of_hit)
    counts = [segments.count(of_judgment[some], len(known)) for some in (slice(None), ranked.judged_grade >= 0)]
    return _SampledRows(of_hit, hit, of_judgment, *counts)


@measure("xinfap", standard="xinfAP", of=STRATA, options=_OPTIONS)
def extended_inferred_ap(ranked: Ranked, depth: int, like: str) -> Terms:
    """Extended inferred average precision: average precision, inferred from judgments of a sample of each stratum.

    xinfap = (sum over the relevant results of w_s · p_i) / R with R = sum of w_s over all relevant documents, where
    w_s = N_s / n_s is how many of the N_s documents of its stratum s each of the n_s judged ones stands for.
    p_i = (1 + sum over the strata of d_s · (r_s + 0.00001) / (n_s + 0.00003)) / i is the precision expected at rank i:
    of the results above it, d_s are in stratum s, of which n_s are judged, and r_s relevant.

    Parameters: depth, 1000 unless given: further results do not count. like=trecvid divides by the depth where R is
    above it.

    A document that the judgments do not name is not relevant. A query without relevant documents in the
    sample has 0.

    Elsewhere: sample_eval.pl of TREC prints this value under the name infAP, and TRECVID's does with
    like=trecvid. They take every grade above 0 as relevant; here it is the relevance level (-l).

    Source: Emine Yilmaz, Evangelos Kanoulas and Javed A. Aslam, A simple and efficient sampling method for estimating
    AP and NDCG, SIGIR 2008.

    Example: strata 1 with the grades a 1, b 0, and 2 with c 1, d -1, e -1, and the results a c d b: xinfap 1.0000.
    """
    strata = _strata(ranked, depth)
    groups = len(strata.documents)
    relevant = ranked.relevant[strata.hit]
    # What the results of a stratum above a rank lead to expect changes with each of them alone.
    order = segments.stable_order(strata.of_hit)
    owner = strata.of_hit[order]
    seen = segments.position(owner, groups) + 1
    r, n = (segments.running_count(flags[order], owner, groups) for flags in (relevant, ranked.grade[strata.hit] >= 0))
    now = seen * (r + RELEVANT) / (n + JUDGED)
    before = np.where(seen > 1, np.concatenate(([0.0], now[:-1])), 0.0)[: len(now)]
    change = np.empty(len(now))
    change[order] = now - before
    query = ranked.owner[strata.hit]
    above = segments.running_sum(change, query, ranked.size) - change
    rank = ranked.rank[strata.hit]
    found = relevant & (strata.weight[strata.of_hit] > 0)
    values = ((1.0 + np.maximum(above, 0.0)) / rank * strata.weight[strata.of_hit])[found]
    there = ranked.judged_grade >= ranked.settings.level
    total = segments.total(strata.weight[strata.of_judgment[there]], ranked.judged_owner[there], ranked.size)
    return Terms(query[found], rank[found], values, total if like == "trec" else np.minimum(total, depth))


@measure("infndcg", standard="infNDCG", of=STRATA, graded=True, options=_OPTIONS, also=("sample_eval infNDCG",))
def inferred_ndcg(ranked: Ranked, depth: int, like: str) -> Terms:
    """Inferred nDCG: nDCG, inferred from judgments of a sample of each stratum.

    infndcg = (sum over the results of d_s / n_s · g_i / log2(i + 1)) / Z, where d_s of the results are in stratum s of
    the document at rank i, n_s of these judged. Z is the sum of g / log2(rank + 1) over the ideal ranking, which has
    c_g = (sum over the strata of the judged documents of that grade · N_s / n_s) documents of grade g, rounded, halves
    up, highest grade first: N_s is how many documents a stratum has, n_s how many of these are judged.

    Parameters: depth, 1000 unless given: further results do not count, nor further documents of a grade in Z.
    like=trecvid does not round c_g: the documents of the next grade begin at rank c_g + 1, which need not be a whole
    number, and so on, and the part of one at the end of its grade is left out.

    A document that the judgments do not name gains nothing. The relevance level (-l) plays no part. A query without
    positive grades in the sample has 0.

    Elsewhere: sample_eval.pl of TREC prints the same, and that of TRECVID with like=trecvid, but for grades above 9,
    which they sort as words.

    Source: Emine Yilmaz, Evangelos Kanoulas and Javed A. Aslam, A simple and efficient sampling method for estimating
    AP and NDCG, SIGIR 2008.

    Example: strata 1 with the grades a 1, b 0, and 2 with c 1, d -1, e -1, and the results a c d b: infndcg 0.8830.
    """
    strata = _strata(ranked, depth)
    groups = len(strata.documents)
    grade, rank = ranked.grade[strata.hit], ranked.rank[strata.hit]
    shown = segments.count(strata.of_hit, groups)
    judged = segments.count(strata.of_hit[grade >= 0], groups)
    gains = grade > 0
    weight = segments.ratio(shown, judged)[strata.of_hit]
    values = (weight * grade / segments.log2(rank + 1))[gains]
    return Terms(ranked.owner[strata.hit][gains], rank[gains], values, _ideal(ranked, strata, depth, like))


def _ideal(ranked: Ranked, strata: _SampledRows, depth: int, like: str) -> Floats:
    """(q,) The discounted gain of the ideal ranking."""
    ideal = np.zeros(ranked.size)
    some = np.flatnonzero(ranked.judged_grade > 0)
    counts: list[dict[float, float]] = [{} for _ in range(ranked.size)]
    order = some[np.lexsort((strata.of_judgment[some], ranked.judged_owner[some]))]
    key = np.stack((ranked.judged_owner[order], strata.of_judgment[order], ranked.judged_grade[order]))
    distinct, number = np.unique(key, axis=1, return_counts=True)
    for (query, stratum, grade), count in zip(distinct.T.tolist(), number.tolist(), strict=True):
        s = int(stratum)
        estimated = count * int(strata.documents[s]) / int(strata.judged[s])
        of_query = counts[int(query)]
        of_query[grade] = of_query.get(grade, 0.0) + estimated
    for query, of_query in enumerate(counts):
        start = total = 0.0
        for grade in sorted(of_query, reverse=True):
            documents = of_query[grade]
            end = start + (math.floor(documents + 0.5) if like == "trec" else documents)
            rank = start + 1.0
            while rank <= end:
                total += grade / math.log2(rank + 1.0)
                if rank >= depth:
                    break
                rank += 1.0
            start = end
        ideal[query] = total
    return ideal
