"""The results as a set, whatever their order: precision, recall and what combines them, and utility."""

from __future__ import annotations

import numpy as np

from irev import segments
from irev.measures.measure import measure
from irev.measures.parameters import Numbers
from irev.ranked import Ranked
from irev.segments import Floats


@measure("set_P")
def set_precision(ranked: Ranked) -> Floats:
    """Share of all results that are relevant.

    set_P = r / n, where r is the number of relevant documents retrieved and n the number of documents
    retrieved.

    A query without results has 0.

    Example: grades 1 1 0 1, R = 5: set_P 0.7500.
    """
    return segments.ratio(ranked.relevant_retrieved, ranked.retrieved)


@measure("set_recall")
def set_recall(ranked: Ranked) -> Floats:
    """Share of all relevant documents that were retrieved.

    set_recall = r / R, where r is the number of relevant documents retrieved and R the number of relevant
    documents in the judgments.

    A query without relevant documents has 0.

    Example: grades 1 1 0 1, R = 5: set_recall 0.6000.
    """
    return segments.ratio(ranked.relevant_retrieved, ranked.relevant_total)


@measure("set_relative_P")
def set_relative_precision(ranked: Ranked) -> Floats:
    """Relevant documents retrieved, as a share of the most that so many results could hold.

    set_relative_P = r / min(n, R).

    A query without results or without relevant documents has 0.

    Example: grades 1 1 0 1, R = 5: set_relative_P 0.7500.
    """
    return segments.ratio(ranked.relevant_retrieved, np.minimum(ranked.retrieved, ranked.relevant_total))


@measure("set_map")
def set_average_precision(ranked: Ranked) -> Floats:
    """Precision times recall of the results as a set.

    set_map = (r · r) / (n · R). It is what average precision would be if every relevant document retrieved
    stood at a rank where precision is r / n.

    A query without results or without relevant documents has 0.

    Example: grades 1 1 0 1, R = 5: set_map 0.4500.
    """
    found = ranked.relevant_retrieved.astype(np.float64)
    return segments.ratio(found * found, ranked.retrieved.astype(np.float64) * ranked.relevant_total)


@measure("set_F", over=Numbers(1.0))
def set_f(ranked: Ranked, weights: tuple[float, ...]) -> Floats:
    """Weighted harmonic mean of the precision and recall of the results as a set.

    set_F = (x + 1) · P · R' / (x · P + R') with P = r / n and R' = r / R; 0 when nothing relevant is
    retrieved.

    Parameter: x, 1 unless given. It stands where beta squared stands in the textbook, so F with beta = 2 is
    set_F.4, and set_F.2 is F with beta = 1.4142. Above 1 it leans to recall, below 1 to precision. Of
    several numbers the first counts.

    Source: C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Example: grades 1 1 0 1, R = 5: set_F 0.6667, set_F_4 0.6250, set_F_0.25 0.7143.
    """
    found = ranked.relevant_retrieved
    x = weights[0]
    p = segments.ratio(found, ranked.retrieved)
    r = segments.ratio(found, ranked.relevant_total)
    value = np.zeros(ranked.size)
    # A negative x can make the divisor 0; C then gives inf or nan, and so does this.
    with np.errstate(all="ignore"):
        np.divide((x + 1.0) * p * r, x * p + r, out=value, where=found > 0)
    return value


@measure("utility", over=Numbers(1, -1, 0, 0, length=4))
def utility(ranked: Ranked, weights: tuple[float, ...]) -> Floats:
    """Gains and losses of accepting the results and rejecting everything else.

    utility = a · r + b · (n - r) + c · (R - r) + d · (N + r - n - R): so much for each relevant document
    retrieved, other document retrieved, relevant document missed, and other document left out of a
    collection of N documents.

    Parameter: the four numbers a,b,c,d; 1,-1,0,0 unless given. N is the number of documents in the
    collection (-N, 0 unless given), which matters only when d is not 0.

    The results are a set: their order does not matter, and the value may be negative. A query that the run
    lacks has 0, whatever the numbers.

    Example: grades 1 1 0 1, R = 5: utility 2.0000, utility_2,-1,-0.5,0 4.0000.
    """
    a, b, c, d = weights
    r, n, total = ranked.relevant_retrieved, ranked.retrieved, ranked.relevant_total
    rest = ranked.settings.collection_size + r - n - total
    with np.errstate(all="ignore"):
        value = a * r + b * (n - r) + c * (total - r) + d * rest
    return np.where(ranked.missing, 0.0, value)
