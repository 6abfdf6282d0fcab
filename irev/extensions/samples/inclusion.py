"""Judgments with inclusion probabilities: measures in which a judged document stands for all that were as likely to be
drawn. π is the probability of a document: that of the file, and 1 where the method says that the document was picked (0
or 2), since it is there for certain. R is estimated: the sum of 1/π over the relevant documents that were judged. A
document without a judgment counts for nothing; those that were drawn stand for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.extensions.samples.files import PROBABILITIES
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs
from irev.ranking.ranked import Ranked
from irev.reading.judgments import Details


class _Drawn(NamedTuple):
    """The relevant documents that were judged.

    Attributes
    ----------
    query, rank : int (h,)
        Of each that was retrieved.
    stands_for : float (h,)
        How many documents it stands for: 1/π.
    total : float (q,)
        R.
    """

    query: Ints
    rank: Ints
    stands_for: Floats
    total: Floats


def _drawn(ranked: Ranked) -> _Drawn:
    details, judgment, judged = ranked.detailed
    weight = details.once(Details.stands_for)
    there = ranked.judged_grade >= ranked.settings.level
    total = segments.total(weight[judged[there]], ranked.judged_owner[there], ranked.size)
    found = ranked.relevant
    return _Drawn(ranked.owner[found], ranked.rank[found], weight[judgment[found]], total)


@measure("statap", standard="statAP", of=PROBABILITIES, also=("papers statMAP",))
def estimated_ap(ranked: Ranked) -> Terms:
    """Average precision, estimated from judged documents and the probabilities with which they were drawn.

    statap = (sum over the relevant results d of 1/π_d · p_d) / R. p_d = (1 + sum of 1/π over the relevant results above
    d) / rank of d is the precision expected at the rank of d.

    In p_d the document itself counts as 1, not as 1/π_d: that it was drawn is known once there is a p_d, so that it
    stands for itself alone. With 1/π_d the sum would expect too much, as drawing d would count twice. If documents are
    drawn independently of each other, R and the sum expect what they estimate; their quotient does so in the limit of
    large samples. With all π = 1 it is average precision. It can be above 1.

    A query without relevant documents in the sample has 0.

    Elsewhere: statAP_MQ_eval.pl of the Million Query tracks computes the same formula, versions 3 and 4, and leaves out
    of the mean queries without relevant documents and those of which all documents were picked. It takes every grade
    above 0 as relevant; here it is the relevance level (-l).

    Source: Javed A. Aslam, Virgil Pavlu and Emine Yilmaz, A statistical method for system evaluation using incomplete
    judgments, SIGIR 2006; the sampling is of Javed A. Aslam and Virgil Pavlu, A practical sampling strategy for
    efficient retrieval evaluation, Northeastern University 2007.

    Example: drawn a 1 with π = 1, and with 0.5 b 1, c 0 and d 1, and the results a e b c: statap 0.4667.
    """
    drawn = _drawn(ranked)
    so_far = segments.running_sum(drawn.stands_for, drawn.query, ranked.size)
    above = np.where(segments.position(drawn.query, ranked.size) > 0, np.append(0.0, so_far[:-1])[: len(so_far)], 0.0)
    values = (1.0 + above) / drawn.rank * drawn.stands_for
    return Terms(drawn.query, drawn.rank, values, drawn.total)


@measure("stat_P", standard="statP", of=PROBABILITIES, over=Cutoffs(*CUTOFFS))
def estimated_precision(ranked: Ranked, k: int) -> Terms:
    """Precision of the first k results, estimated from the probabilities with which documents were drawn.

    stat_P_k = (sum of 1/π over the relevant documents among the first k) / k.

    It expects what it estimates, however documents are drawn, and can be above 1. Ranks that a run lacks hold nothing
    relevant.

    Elsewhere: statAP_MQ_eval.pl prints this value under the name Prec_at_k; version 4 has 0 where a query has
    fewer than k results.

    Source: Javed A. Aslam, Virgil Pavlu and Emine Yilmaz, A statistical method for system evaluation using incomplete
    judgments, SIGIR 2006.

    Example: drawn a 1 with π = 1, and with 0.5 b 1, c 0 and d 1, and the results a e b c: stat_P_3 1.0000.
    """
    drawn = _drawn(ranked)
    within = drawn.rank <= k
    return Terms(drawn.query[within], drawn.rank[within], drawn.stands_for[within], float(k), by_rank=False)


@measure("stat_Rprec", standard="statRprec", of=PROBABILITIES)
def estimated_r_precision(ranked: Ranked) -> Terms:
    """Precision at rank R, estimated from the probabilities with which documents were drawn.

    stat_Rprec = (sum of 1/π over the relevant documents among the first k) / k, with k = R rounded, halves up. With
    fewer than k results it is divided by R as it is.

    A query without relevant documents in the sample has 0.

    Elsewhere: statAP_MQ_eval.pl prints this value under the name R-prec.

    Source: Javed A. Aslam, Virgil Pavlu and Emine Yilmaz, A statistical method for system evaluation using incomplete
    judgments, SIGIR 2006.

    Example: drawn a 1 with π = 1, and with 0.5 b 1, c 0 and d 1, and the results a e b c: stat_Rprec 0.6000.
    """
    drawn = _drawn(ranked)
    k = np.floor(drawn.total + 0.5)
    within = drawn.rank <= k[drawn.query]
    over = np.where(ranked.retrieved >= k, k, drawn.total)
    return Terms(drawn.query[within], drawn.rank[within], drawn.stands_for[within], over, by_rank=False)


@measure("stat_num_rel", standard="statNumRel", of=PROBABILITIES, better="neither")
def estimated_relevant(ranked: Ranked) -> Floats:
    """Number of relevant documents, estimated from the probabilities with which documents were drawn.

    stat_num_rel = R, the sum of 1/π over the relevant documents that were judged.

    It expects what it estimates, however documents are drawn, if all had a chance to be.

    Elsewhere: statAP_MQ_eval.pl prints this value under the name Relevant.

    Source: Javed A. Aslam, Virgil Pavlu and Emine Yilmaz, A statistical method for system evaluation using incomplete
    judgments, SIGIR 2006.

    Example: drawn a 1 with π = 1, and with 0.5 b 1, c 0 and d 1, and the results a e b c: stat_num_rel 5.0000.
    """
    return _drawn(ranked).total
