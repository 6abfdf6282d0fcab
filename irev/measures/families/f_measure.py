"""The F measure of the first results: precision and recall at a cutoff in one number."""

from __future__ import annotations

from irev.measures.expected_over_ties import Chances, of_chances
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import Terms
from irev.measures.parameters import Cutoffs, RealParameter
from irev.ranking.ranked import Ranked


@of_chances(
    "F",
    at_ranks=True,
    standard="F",
    over=Cutoffs(*CUTOFFS),
    options={"beta": RealParameter(1.0, 0.0, 1e6)},
    also=("ranx f1@k",),
    bounds="search",
)
def f_measure(ranked: Ranked, chances: Chances, k: int, beta: float) -> Terms:
    """Weighted harmonic mean of the precision and the recall of the first k results.

    F_k = (1 + beta²) · P · R' / (beta² · P + R') with P = r_k / k and R' = r_k / R, which is
    (1 + beta²) · r_k / (beta² · R + k); 0 when nothing relevant stands among the first k.

    With fewer than k results the missing ones count as not relevant: precision is divided by k. A query
    without relevant documents has 0.

    Parameters: beta, 1 unless given: recall matters beta times as much as precision. Above 1 it leans to
    recall, below 1 to precision, and with 0 it is precision.

    Elsewhere: ranx calls it f1. What it calls f1 without a cutoff is set_F, where precision is divided by
    the number of results.

    Source: C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Example: grades 1 1 0 1, R = 5: F_4 0.6667, F_10 0.4000, F_4,beta=2 0.6250, F_4,beta=0.5 0.7143.
    """
    # With P = r / k and R' = r / R the harmonic mean is linear in r.
    divisor = beta * beta * ranked.relevant_total + k
    counted = chances(k)[ranked.relevant]
    return Terms(ranked.relevant_owner, ranked.relevant_rank, counted, divisor, times=1.0 + beta * beta)
