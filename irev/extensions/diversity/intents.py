"""Intents: a measure of the results for each subtopic, averaged over the subtopics, and how many of them are met.

A document is relevant to a subtopic when its grade for that reaches the relevance level. The subtopics of a topic are
those with a relevant document, retrieved or not, and all count alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.extensions.diversity.files import KIND
from irev.extensions.diversity.subtopics import (
    apart,
    covered,
    mean_over_subtopics,
    number,
    retrieved,
    terms_over_subtopics,
)
from irev.measures.expected_over_ties import Chances, DividedTie, of_chances
from irev.measures.families.average_precision import average_precision
from irev.measures.families.dcg import ndcg_at
from irev.measures.gains import DISCOUNT, GAIN
from irev.measures.measure import MEASURES, Terms, Values, measure, summed
from irev.measures.parameters import Cutoffs
from irev.ranking.ranked import Ranked

CUTOFFS = (5, 10, 20)
"""Those of ndeval."""


def _expected(name: str, split: Ranked, *given: Any, **options: Any) -> Values:
    """The expected value over ties of a measure of the results for each subtopic."""
    expected = MEASURES[name].expected
    if not callable(expected):
        raise ValueError(f"measure {name!r} has no expected value")
    return expected(split, *given, **options)


@of_chances("P_ia", of=KIND, standard="P-IA", over=Cutoffs(*CUTOFFS), also=("ir_measures P_IA@k",))
def intent_aware_precision(ranked: Ranked, chances: Chances, k: int) -> Terms:
    """Intent-aware precision: the share of the first k results that is relevant to a subtopic, averaged over them.

    P_ia_k = (sum over the subtopics of the documents among the first k that are relevant to it) / (k · S), with S the
    number of subtopics. Missing results count as not relevant.

    A query without subtopics has 0. The best that there is may be far below 1, where documents are relevant to few
    subtopics.

    Elsewhere: ndeval, and so ir_measures, has no cutoff above 20.

    Source: Rakesh Agrawal, Sreenivas Gollapudi, Alan Halverson and Samuel Ieong, Diversifying search results, WSDM
    2009.

    Example: subtopics 1,2 1 - 3, not retrieved 2: P_ia_1 0.6667, P_ia_5 0.2667.
    """
    subtopics, chance = np.bincount(ranked.once(retrieved).document, minlength=len(ranked.rank)), chances(k)
    some = (subtopics > 0) & (chance > 0)
    values = (subtopics * chance)[some]
    return Terms(ranked.owner[some], ranked.rank[some], values, k * ranked.once(number), by_rank=False)


@measure(
    "map_ia",
    of=KIND,
    standard="MAP-IA",
    cut="depth",
    also=("ir_measures AP_IA", "ir_measures MAP_IA"),
    expected=lambda ranked: mean_over_subtopics(ranked, lambda split: summed(_expected("map", split), split.size)),
)
def intent_aware_average_precision(ranked: Ranked) -> Terms:
    """Intent-aware average precision: that of the results for each subtopic, averaged over them.

    map_ia = 1 / S · sum over the S subtopics of (sum of r_i / i over the ranks i of documents relevant to it) / R,
    where r_i counts those among the first i, and R those in the judgments.

    A query without subtopics has 0.

    Parameter: a cutoff, map_ia.k=10 or MAP-IA@10: the first so many results alone, divided by R all the same.

    Source: Rakesh Agrawal, Sreenivas Gollapudi, Alan Halverson and Samuel Ieong, Diversifying search results, WSDM
    2009.

    Example: subtopics 1,2 1 - 3, not retrieved 2: map_ia 0.5833, map_ia_2 0.5000.
    """
    return terms_over_subtopics(ranked, average_precision)


@measure(
    "ndcg_ia",
    of=KIND,
    standard="nDCG-IA",
    over=Cutoffs(*CUTOFFS),
    graded=True,
    options={**GAIN, **DISCOUNT},
    expected=lambda ranked, k, **scale: mean_over_subtopics(
        ranked, lambda split: summed(_expected("ndcg_cut", split, k, gains=(), **scale), split.size)
    ),
)
def intent_aware_ndcg(ranked: Ranked, k: int, **scale: Any) -> Terms:
    """Intent-aware nDCG of the first k results: that of the results for each subtopic, averaged over them.

    ndcg_ia_k = 1 / S · sum over the S subtopics of ndcg_cut_k, for which the gain of a document is its grade for the
    subtopic, or 0 below the relevance level, and whose ideal is that of the subtopic.

    Parameters: gain, discount and base, as for ndcg_cut.

    No ranking can be ideal for all subtopics, so that the best there is may be far below 1. A query without subtopics
    has 0.

    Source: Rakesh Agrawal, Sreenivas Gollapudi, Alan Halverson and Samuel Ieong, Diversifying search results, WSDM
    2009.

    Example: subtopics 1,2 1=2 - 3, not retrieved 2: ndcg_ia_1 0.5000, ndcg_ia_4 0.6345, ndcg_ia_4,gain=exp 0.6135.
    """
    return terms_over_subtopics(ranked, lambda split: ndcg_at(split, k, (), **scale))


def expected_coverage(ranked: Ranked, k: int) -> Floats:
    """(q,) How many subtopics are expected to be met within the first k ranks, and before the cut."""
    split, owner = ranked.once(apart)
    limit = k if ranked.settings.depth is None else min(k, ranked.settings.depth)
    near = split.tie_last <= limit
    chance = np.minimum(segments.count(split.owner[near], split.size), 1).astype(np.float64)
    divided = np.flatnonzero((split.tie_first <= limit) & ~near & (chance[split.owner] == 0))
    # At most one tie is divided, of which every relevant document is in here.
    for subtopic in segments.distinct(split.owner[divided]).tolist():
        rows = divided[split.owner[divided] == subtopic]
        first, size = int(split.tie_first[rows[0]]), int(split.tie_last[rows[0]] - split.tie_first[rows[0]]) + 1
        chance[subtopic] = 1.0 - DividedTie(subtopic, first, size, limit - first + 1, len(rows)).chances()[0]
    return segments.total(chance, owner, ranked.size)


@measure(
    "strec",
    of=KIND,
    standard="strec",
    over=Cutoffs(*CUTOFFS),
    also=("papers S-recall@k", "NTCIREVAL I-rec@k", "ir_measures StRecall@k"),
    expected=lambda ranked, k: segments.ratio(expected_coverage(ranked, k), ranked.once(number)),
)
def subtopic_recall(ranked: Ranked, k: int) -> Terms:
    """Subtopic recall: the share of the subtopics that the first k results are relevant to.

    strec_k = (number of subtopics that any of the first k results is relevant to) / S, with S the number of subtopics
    that any judged document is relevant to.

    A query without subtopics has 0.

    Elsewhere: S-recall and I-rec in papers. Where the intents of a query are listed apart, as for NTCIREVAL, one
    that no document is relevant to counts there, and makes the value smaller. ndeval has no cutoff above 20.

    Source: ChengXiang Zhai, William W. Cohen and John Lafferty, Beyond independent relevance: methods and evaluation
    metrics for subtopic retrieval, SIGIR 2003.

    Example: subtopics 1,2 1 - 3, not retrieved 4: strec_1 0.5000, strec_3 0.5000, strec_4 0.7500.
    """
    found = ranked.once(covered)
    some = (found > 0) & (ranked.rank <= k)
    return Terms(
        ranked.owner[some], ranked.rank[some], found[some].astype(np.float64), ranked.once(number), by_rank=False
    )
