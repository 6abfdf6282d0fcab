"""D-measures: the gain of a document is that for all subtopics together, and how many are met counts apart.

A document gains its grade for each subtopic, or nothing where that is below the relevance level; all subtopics count
alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.extensions.diversity.files import KIND
from irev.extensions.diversity.intents import CUTOFFS, expected_coverage
from irev.extensions.diversity.subtopics import Relevance, covered, judged, number, retrieved
from irev.measures.gains import DISCOUNT, GAIN, Gained, Scale
from irev.measures.measure import MadeOf, Terms, measure
from irev.measures.parameters import Cutoffs, RealParameter
from irev.ranking.ranked import Ranked


def _gains(ranked: Ranked, found: Relevance, documents: int, scale: Scale) -> Floats:
    """The gain of each of so many documents, for all its subtopics together."""
    worth = scale.gains(ranked.worth(found.grade))
    return np.bincount(found.document, weights=worth, minlength=documents).astype(np.float64, copy=False)


def _run(ranked: Ranked, scale: Scale) -> Gained:
    gain = _gains(ranked, ranked.once(retrieved), len(ranked.rank), scale)
    some = gain != 0
    return Gained(ranked.size, ranked.owner[some], ranked.rank[some], gain[some], scale)


def _ideal(ranked: Ranked, scale: Scale) -> Gained:
    """The judged documents, highest gain first."""
    gain = _gains(ranked, ranked.once(judged), len(ranked.judged_owner), scale)
    some = np.flatnonzero(gain > 0)
    some = some[np.lexsort((-gain[some], ranked.judged_owner[some]))]
    owner = ranked.judged_owner[some]
    return Gained(ranked.size, owner, segments.position(owner, ranked.size) + 1, gain[some], scale, some)


def _at(ranked: Ranked, k: int, scale: Scale) -> Floats:
    """(q,) What the ideal ranking has in its first k ranks."""
    best = ranked.once(_ideal, scale)
    top = best.rank <= k
    return segments.total(best.discounted[top], best.owner[top], ranked.size)


def _expected(ranked: Ranked, k: int, **given: Any) -> Terms:
    scale = Scale(**given)
    over, ranked = _at(ranked, k, scale), ranked.at(depth=k)
    gain = _gains(ranked, ranked.once(retrieved), len(ranked.rank), scale)
    values = gain * ranked.mean_over_ties(1.0 / scale.divisors(np.arange(1, ranked.last_rank + 1)))
    return Terms(ranked.owner, ranked.rank, values, over)


@measure(
    "d_ndcg",
    of=KIND,
    standard="D-nDCG",
    over=Cutoffs(*CUTOFFS),
    graded=True,
    options={**GAIN, **DISCOUNT},
    expected=_expected,
)
def d_ndcg(ranked: Ranked, k: int, **scale: Any) -> Terms:
    """nDCG of the first k results, whose gains are those for all subtopics together.

    d_ndcg_k = D_k / I_k with D_k = sum over the ranks i ≤ k of g_i / log2(i + 1), where g_i is the sum of the
    grades of the document for all subtopics, and I_k the same for the judged documents with the highest such gains.

    Parameters: gain, discount and base, as for ndcg_cut; gain=exp takes 2^g - 1 for the grade g of each subtopic.

    A grade below the relevance level gains nothing. A query without subtopics has 0. The probabilities of subtopics,
    which the paper has, are alike here, and then do not matter.

    Elsewhere: NTCIREVAL reads a gain for each grade; --gains gives one.

    Source: Tetsuya Sakai and Ruihua Song, Evaluating diversified search results using per-intent graded relevance,
    SIGIR 2011.

    Example: subtopics 1,2 1=2 - 3, not retrieved 2: d_ndcg_1 1.0000, d_ndcg_4 0.8807, d_ndcg_4,gain=exp 0.8326.
    """
    chosen = Scale(**scale)
    run, best = ranked.once(_run, chosen), ranked.once(_ideal, chosen)
    near = run.rank <= k
    return Terms(
        run.owner[near], run.rank[near], run.discounted[near], _at(ranked, k, chosen), made_of=MadeOf(run, best, k)
    )


def _expected_sharp(ranked: Ranked, k: int, gamma: float, **scale: Any) -> Floats:
    recall = segments.ratio(expected_coverage(ranked, k), ranked.once(number))
    return gamma * recall + (1.0 - gamma) * _expected(ranked, k, **scale).total(ranked.size)


@measure(
    "d_sharp_ndcg",
    of=KIND,
    standard="D#-nDCG",
    over=Cutoffs(*CUTOFFS),
    graded=True,
    options={"gamma": RealParameter(0.5, 0.0, 1.0), **GAIN, **DISCOUNT},
    expected=_expected_sharp,
)
def d_sharp_ndcg(ranked: Ranked, k: int, gamma: float, **scale: Any) -> Terms:
    """Subtopic recall and D-nDCG of the first k results, weighed.

    d_sharp_ndcg_k = gamma · strec_k + (1 - gamma) · d_ndcg_k. Each result adds a share of the subtopics that it is
    the first to be relevant to, and its discounted gain as a share of the ideal.

    Parameters: gamma, the weight of subtopic recall, 0.5 unless given; gain, discount and base, as for d_ndcg.

    A query without subtopics has 0.

    Elsewhere: I-rec of NTCIREVAL counts subtopics without a relevant document too, where they are listed apart.

    Source: Tetsuya Sakai and Ruihua Song, Evaluating diversified search results using per-intent graded relevance,
    SIGIR 2011.

    Example: subtopics 1,2 1=2 - 3, not retrieved 2: d_sharp_ndcg_1 0.8333, d_sharp_ndcg_4 0.9404,
    d_sharp_ndcg_1,gamma=0.25 0.9167.
    """
    relevance, chosen = d_ndcg(ranked, k, **scale), Scale(**scale)
    gain = _gains(ranked, ranked.once(retrieved), len(ranked.rank), chosen) / chosen.divisors(ranked.rank)
    ideal, subtopics = relevance.over, ranked.once(number)
    values = gamma * segments.ratio(ranked.once(covered), subtopics[ranked.owner])
    values += (1.0 - gamma) * segments.ratio(gain, np.asarray(ideal)[ranked.owner])
    some = (ranked.rank <= k) & (values != 0)
    return replace(
        relevance, owner=ranked.owner[some], rank=ranked.rank[some], values=values[some], over=1.0, made_of=None
    )
