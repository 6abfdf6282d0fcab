"""Retrieval as a decision on every document of the collection, retrieved or not, relevant or not: the four counts, and
how often the decision is right, for documents and for pairs of them."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, option, shown
from irev.base.segments import Floats, Ints
from irev.measures.expected_over_ties import Count, Found, divided_ties, of_hits, of_relevant
from irev.measures.measure import Terms, measure
from irev.ranking.ranked import Ranked


@of_relevant("tp", standard="TP", cut="depth", bounds="rising", kind="count")
def true_positives(ranked: Ranked, found: Found) -> Found:
    """True positives: relevant documents that were retrieved.

    tp = r, the same as num_rel_ret. The line for all queries is the sum; agg=mean gives the average.

    Example: grades 1 - 0 1, R = 3: tp 2, tp_3 1.
    """
    return found


@of_relevant("fp", better="lower", standard="FP", cut="depth", bounds="search", kind="count")
def false_positives(ranked: Ranked, found: Found) -> Found:
    """False positives: documents that were retrieved and are not relevant.

    fp = n - r. Documents without a judgment count as not relevant; num_nonrel_judged_ret leaves them out. The
    line for all queries is the sum.

    Example: grades 1 - 0 1, R = 3: fp 2, fp_1 0.
    """
    return ranked.retrieved - found


@of_relevant("fn", better="lower", standard="FN", cut="depth", bounds="search", kind="count")
def false_negatives(ranked: Ranked, found: Found) -> Found:
    """False negatives: relevant documents that were not retrieved.

    fn = R - r. The line for all queries is the sum. A query that the run lacks has R.

    Example: grades 1 - 0 1, R = 3: fn 1, fn_3 2.
    """
    return ranked.relevant_total - found


def _left_out(ranked: Ranked, found: Floats | Ints, name: str) -> Floats | Ints:
    """Documents of the collection that are neither retrieved nor relevant, when `found` relevant ones are retrieved."""
    size = ranked.settings.collection_size
    if size == 0:
        remedy = f"give {option('collection_size')}"
        raise UsageError(f"measure '{name}' needs the size of the collection", remedy=remedy)
    known = ranked.retrieved + ranked.relevant_total - found
    if (known > size).any():
        query = int(np.argmax(known > size))
        raise UsageError(
            f"the collection has more than {size} documents: {int(known[query])} are retrieved or relevant for query"
            f" {shown(ranked.queries[query])}",
            remedy=f"give a larger {option('collection_size')}",
        )
    left: Floats | Ints = size - known
    return left


@of_relevant("tn", standard="TN", cut="depth", bounds="search", kind="count")
def true_negatives(ranked: Ranked, found: Found) -> Found:
    """True negatives: documents of the collection that are neither retrieved nor relevant.

    tn = N - n - R + r, where N is the number of documents in the collection, which -N gives: without it the
    measure is refused, and so is a size below the number of documents that are retrieved or relevant.

    The line for all queries is the sum. A query that the run lacks has N - R.

    Example: grades 1 - 0 1, R = 3, N = 20: tn 15, tn_3 15, tn_1 17.
    """
    return _left_out(ranked, found, "tn")


@of_hits("fallout", better="lower", standard="Fallout", cut="depth", also=("textbook FPR",), bounds="search")
def fallout(ranked: Ranked, count: Count) -> Floats:
    """Share of the documents judged not relevant that were retrieved.

    fallout = f / F, where F documents are judged not relevant and f of them were retrieved. It is the false positive
    rate among judged documents, which a ROC curve shows against recall. Documents without a judgment are left out.

    A query without documents that are judged not relevant has 0. Where few of them are judged, or those that some
    runs found alone, it says little.

    Elsewhere: textbooks divide by all documents of the collection that are not relevant, FP / (FP + TN); fp and tn
    (-N) give that, which is next to 0 in any large collection.

    Example: grades 1 - 0 1 0, not retrieved 0 0: fallout 0.5000, fallout_3 0.2500.
    """
    return segments.ratio(count(ranked.nonrelevant), ranked.nonrelevant_total)


@of_relevant("set_accuracy", standard="SetAccuracy", cut="depth", also=("textbook accuracy",), bounds="search")
def set_accuracy(ranked: Ranked, found: Found) -> Floats:
    """Share of all documents of the collection on which retrieving them or not was right.

    set_accuracy = (tp + tn) / N = (N - n - R + 2 r) / N, where N is the number of documents in the collection,
    which -N gives: without it the measure is refused, and so is a size below the number of documents that are
    retrieved or relevant.

    In a large collection nearly everything is neither retrieved nor relevant, so the value is close to 1
    whatever the run does: retrieving nothing at all has 1 - R / N. Precision and recall tell more.

    Elsewhere: this is the accuracy of textbooks and classifiers. Three other measures bear the name: Accuracy
    of ir_measures is pair_accuracy, Accuracy@k and top_k_accuracy@k of BEIR are success at k, and accuracy of
    MTEB is recall at 1.

    Source: Christopher D. Manning, Prabhakar Raghavan and Hinrich Schütze, Introduction to Information
    Retrieval, Cambridge University Press, 2008, section 8.3.

    Example: grades 1 - 0 1, R = 3, N = 20: set_accuracy 0.8500, set_accuracy_1 0.9000.
    """
    right = found + _left_out(ranked, found, "set_accuracy")
    return segments.ratio(right, ranked.settings.collection_size)


def _pairs(ranked: Ranked, above: Floats | Ints) -> Terms:
    """From how many documents that are not relevant stand above each relevant hit."""
    others = (ranked.retrieved - ranked.relevant_retrieved)[ranked.relevant_owner]
    return Terms(
        ranked.relevant_owner, ranked.relevant_rank, 1.0 - segments.ratio(above, others), ranked.relevant_retrieved
    )


def _expected_pair_accuracy(ranked: Ranked) -> Floats:
    """Of two documents that tie each stands above the other in half of all orders."""
    owner, first = ranked.relevant_owner, ranked.tie_first[ranked.relevant]
    size = ranked.tie_last[ranked.relevant] - first + 1
    place = segments.position(owner, ranked.size)
    begins = segments.opens(owner, first)
    tie = np.cumsum(begins) - 1
    higher = first - 1 - place[begins][tie]
    above = higher + (size - segments.count(tie, int(begins.sum()))[tie]) / 2
    values = _pairs(ranked, above).total(ranked.size)
    for divided in divided_ties(ranked):
        # Given how many relevant documents of the tie stand before the cut, the same holds for its ranks there.
        mine = (owner == divided.query) & (first < divided.first)
        before = int(mine.sum())
        inside = np.arange(divided.relevant + 1)
        found = before + inside
        others = int(ranked.retrieved[divided.query]) - found
        lost = above[mine].sum() + inside * (divided.first - 1 - before + (divided.inside - inside) / 2)
        right = np.where(found > 0, 1.0 - segments.ratio(lost, found * others), 0.0)
        values[divided.query] = (divided.chances() * right).sum()
    return values


@measure(
    "pair_accuracy",
    standard="Accuracy",
    cut="depth",
    expected=_expected_pair_accuracy,
    bounds="search",
)
def pair_accuracy(ranked: Ranked) -> Terms:
    """Share of the pairs of a relevant and another result that are in the right order.

    pair_accuracy = 1 - (sum over the relevant documents retrieved of the others that stand above it) /
    (r · (n - r)). It is the area under the ROC curve of the results: 1 when the relevant ones come first, 0
    when they come last, 0.5 on average for a random order.

    Unjudged documents count as not relevant. Nothing is said about relevant documents that were not
    retrieved. A query for which nothing relevant was retrieved has 0, one with nothing but relevant results 1.

    Elsewhere: ir_measures calls it Accuracy. It keeps tied documents in the order of the file; it leaves
    queries for which nothing relevant was retrieved out of the mean when it is asked for alone and counts them
    as 0 when it is not; and it stops at a query with nothing but relevant results. Accuracy@k and
    top_k_accuracy@k of BEIR are success at k, accuracy of MTEB is recall at 1, and the accuracy of textbooks is
    set_accuracy.

    Example: grades 1 0 1 - | 0 0 | 1 1, R = 2: pair_accuracy 0.5833, pair_accuracy_3 0.5000.
    """
    place = segments.position(ranked.relevant_owner, ranked.size)
    return _pairs(ranked, ranked.relevant_rank - 1 - place)
