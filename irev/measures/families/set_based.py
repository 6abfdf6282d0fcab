"""The results as a set, whatever their order: precision, recall and what combines them, and utility.

Most of these are linear in r, the number of relevant documents retrieved, when n and R are given. Their expected value
over ties, where a cut goes through one, is then that of the expected r.
"""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, decimal
from irev.base.segments import Floats
from irev.measures.expected_over_ties import Found, divided_ties, of_relevant
from irev.measures.measure import ORDER_FREE, measure
from irev.measures.parameters import Numbers, RealParameter, Value, Warn
from irev.ranking.ranked import Ranked


@of_relevant(
    "set_P", at_ranks=True, standard="SetP", cut="depth", also=("ranx precision", "textbook Precision"), bounds="rising"
)
def set_precision(ranked: Ranked, found: Found) -> Floats:
    """Share of all results that are relevant.

    set_P = r / n, where r is the number of relevant documents retrieved and n the number of documents
    retrieved.

    A query without results has 0. With a cutoff the divisor is the number of results that are there, where
    that of P_k stays k.

    Elsewhere: textbooks and ranx call it precision, without a cutoff. With one, precision@10, it is P_10.

    Example: grades 1 1 0 1, R = 5: set_P 0.7500, set_P_10 0.7500.
    """
    return segments.ratio(found, ranked.retrieved)


@of_relevant("set_recall", at_ranks=True, standard="SetR", cut="depth", bounds="search")
def set_recall(ranked: Ranked, found: Found) -> Floats:
    """Share of all relevant documents that were retrieved.

    set_recall = r / R, where r is the number of relevant documents retrieved and R the number of relevant
    documents in the judgments.

    A query without relevant documents has 0.

    Elsewhere: ranx calls it recall, without a cutoff; here that is recall at the usual cutoffs, as in trec_eval.

    Example: grades 1 1 0 1, R = 5: set_recall 0.6000.
    """
    return segments.ratio(found, ranked.relevant_total)


@of_relevant("set_relative_P", at_ranks=True, standard="SetRelP", cut="depth", bounds="search")
def set_relative_precision(ranked: Ranked, found: Found) -> Floats:
    """Relevant documents retrieved, as a share of the most that so many results could hold.

    set_relative_P = r / min(n, R).

    A query without results or without relevant documents has 0.

    Elsewhere: ir_measures also writes SetP(relative=True).

    Example: grades 1 1 0 1, R = 5: set_relative_P 0.7500.
    """
    return segments.ratio(found, np.minimum(ranked.retrieved, ranked.relevant_total))


def _chance_of_relevant(ranked: Ranked) -> Floats:
    depth = ranked.last_rank if ranked.settings.depth is None else ranked.settings.depth
    sure = segments.count(ranked.owner[ranked.relevant & (ranked.tie_last <= depth)], ranked.size) > 0
    chance = sure.astype(np.float64)
    for tie in divided_ties(ranked):
        if not sure[tie.query]:
            chance[tie.query] = 1.0 - tie.chances()[0]
    return chance


@measure(
    "set_success",
    standard="SetSuccess",
    cut="success",
    also=("ranx hit_rate",),
    expected=_chance_of_relevant,
    bounds="rising",
)
def set_success(ranked: Ranked) -> Floats:
    """Whether anything relevant was retrieved: 1 or 0.

    1 when r, the number of relevant documents retrieved, is 1 or more. Its average is the share of queries that
    found something at all. With a cutoff it is success.

    A query without results or without relevant documents has 0.

    Elsewhere: ranx calls it hit_rate, without a cutoff.

    Example: grades 0 0 1 | 0 - | 1, R = 2: set_success 0.6667.
    """
    return (ranked.relevant_retrieved > 0).astype(np.float64)


@measure("set_map", at_ranks=True, standard="SetAP", cut="depth", expected=ORDER_FREE, bounds="search")
def set_average_precision(ranked: Ranked) -> Floats:
    """Precision times recall of the results as a set.

    set_map = (r · r) / (n · R). It is what average precision would be if every relevant document retrieved
    stood at a rank where precision is r / n.

    A query without results or without relevant documents has 0.

    Example: grades 1 1 0 1, R = 5: set_map 0.4500.
    """
    found = ranked.relevant_retrieved.astype(np.float64)
    return segments.ratio(found * found, ranked.retrieved.astype(np.float64) * ranked.relevant_total)


class XOrBeta(Numbers):
    """The x of trec_eval's F measure, ``set_F.4``, or the beta of which it is the square, ``set_F.beta=2``."""

    form = "a number such as 4, or beta=2"
    beta = RealParameter(1.0, 0.0, 1e6)

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        if "beta=" not in text:
            return super().parse(name, text, warn)
        if "," in text:
            raise UsageError(f"measure '{name}' takes x or beta, not both", remedy="beta=2 is x = 4")
        beta = float(self.beta.read(f"'beta' of measure '{name}'", text.removeprefix("beta=")))
        return [Value((beta * beta,), f"_beta={decimal(beta)}")]

    def call(self, value: Value) -> tuple[list[str], str]:
        return ([value.label[1:]], "") if value.label.startswith("_beta=") else super().call(value)

    def named(self, key: str, text: str) -> list[str] | None:
        return [f"beta={text}"] if key == "beta" else super().named(key, text)


@of_relevant(
    "set_F", at_ranks=True, standard="SetF", over=XOrBeta(1.0, key="x"), cut="depth", also=("ranx f1",), bounds="search"
)
def set_f(ranked: Ranked, found: Found, weights: tuple[float, ...]) -> Floats:
    """Weighted harmonic mean of the precision and recall of the results as a set.

    set_F = (x + 1) · P · R' / (x · P + R') with P = r / n and R' = r / R; 0 when nothing relevant is
    retrieved.

    Parameters: x, 1 unless given. It stands where beta squared stands in the textbook, so F with beta = 2 is
    set_F.4, and set_F.2 is F with beta = 1.4142. Above 1 it leans to recall, below 1 to precision. Of
    several numbers the first counts. Or beta, and x is its square: set_F.beta=2 is the textbook's F with
    beta = 2. One of the two, not both.

    Elsewhere: ir_measures gives what it calls beta to trec_eval as x, so its SetF(beta=2) is set_F.2; here
    SetF(beta=2) is the textbook's. ranx calls it f1, without a cutoff.

    Source: C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Example: grades 1 1 0 1, R = 5: set_F 0.6667, set_F_4 0.6250, set_F_beta=2 0.6250, set_F_0.25 0.7143.
    """
    x = weights[0]
    p, r = segments.ratio(found, ranked.retrieved), segments.ratio(found, ranked.relevant_total)
    value = np.zeros(ranked.size)
    # A negative x can make the divisor 0; C then gives inf or nan, and so does this.
    with np.errstate(all="ignore"):
        np.divide((x + 1.0) * p * r, x * p + r, out=value, where=found > 0)
    return value


@of_relevant(
    "utility", beyond_one=True, standard="Utility", bounds="search", over=Numbers(1, -1, 0, 0, key="weights", length=4)
)
def utility(ranked: Ranked, found: Found, weights: tuple[float, ...]) -> Floats:
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
    n, total = ranked.retrieved, ranked.relevant_total
    rest = ranked.settings.collection_size + found - n - total
    with np.errstate(all="ignore"):
        value = a * found + b * (n - found) + c * (total - found) + d * rest
    return np.where(ranked.missing, 0.0, value)
