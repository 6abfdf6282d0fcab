"""Counts and lists: how many queries, and how many documents retrieved, judged and relevant; and which grades.

Most of them are their own expected value over ties, also where a cut goes through one.
"""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Ints
from irev.measures.expected_over_ties import Count, Found, of_hits, of_relevant
from irev.measures.measure import measure
from irev.measures.parameters import Numbers
from irev.ranking.ranked import Ranked


@measure(
    "runid",
    standard="RunID",
    expected=lambda ranked: [ranked.tag] * ranked.size,
    kind="text",
    summary="run tag",
    per_query=False,
)
def run_id(ranked: Ranked) -> list[bytes]:
    """Name of the run: the run id in the last row of its file.

    Printed for all queries together only. The last data row of the file decides, also when its query is not
    evaluated, and also when other rows bear other names.

    Example: grades 1 0, R = 1, run id bm25: runid bm25.
    """
    return [ranked.tag] * ranked.size


@measure(
    "num_q",
    better="neither",
    standard="NumQ",
    expected=lambda ranked: np.ones(ranked.size, dtype=np.int64),
    bounds="fixed",
    kind="count",
    summary="queries",
    per_query=False,
)
def queries(ranked: Ranked) -> Ints:
    """Number of queries that the averages divide by.

    Printed for all queries together only. These are the queries that both files have; with -c they are all
    judged queries, those that the run lacks included.

    Elsewhere: ir_measures averages over all judged queries, as -c does, but its NumQ leaves out those that the
    run lacks.

    Example: grades 1 0 | 0 1, R = 1: num_q 2.
    """
    return np.ones(ranked.size, dtype=np.int64)


@measure(
    "num_ret",
    better="neither",
    standard="NumRet",
    at_level="num_rel_ret",
    cut="depth",
    expected=lambda ranked: ranked.retrieved,
    bounds="fixed",
    kind="count",
)
def retrieved(ranked: Ranked) -> Ints:
    """Number of documents retrieved, n.

    Counted after the ranking was cut (-M) and unjudged documents were dropped (-J). The line for all
    queries is the sum. A query that the run lacks has 0.

    Elsewhere: in ir_measures NumRet(rel=1) is another measure, num_rel_ret.

    Example: grades 1 - 0, R = 1: num_ret 3, num_ret_2 2.
    """
    return ranked.retrieved


@measure(
    "num_rel",
    better="neither",
    standard="NumRel",
    expected=lambda ranked: ranked.relevant_total,
    bounds="search",
    kind="count",
    summary="judged relevant",
)
def relevant(ranked: Ranked) -> Ints:
    """Number of relevant documents in the judgments, R, whether retrieved or not.

    A document is relevant when its grade is at least the relevance level (-l). The line for all queries is
    the sum, with one exception that trec_eval makes: with -c it is the number of judgments with a grade
    above 0 in the whole file, whatever the relevance level.

    Elsewhere: ir_measures averages over all judged queries, as -c does, but its NumRel leaves out the relevant
    documents of those that the run lacks.

    Example: grades 1 - 0, R = 3: num_rel 3.
    """
    return ranked.relevant_total


@of_relevant(
    "num_rel_ret",
    standard="NumRelRet",
    cut="depth",
    also=("ranx hits agg=mean",),
    bounds="rising",
    kind="count",
)
def relevant_retrieved(ranked: Ranked, found: Found) -> Found:
    """Number of relevant documents retrieved, r.

    A document is relevant when its grade is at least the relevance level (-l). The line for all queries is
    the sum.

    Elsewhere: ranx calls it hits and averages it over queries; ir_measures also writes NumRet(rel=1).

    Example: grades 1 - 0 1 | 0 1 1, R = 3: num_rel_ret 4, num_rel_ret_2 2, num_rel_ret_agg=mean 2.0000.
    """
    return found


@of_hits(
    "num_nonrel_judged_ret", better="lower", standard="NumNonRelJudgedRet", cut="depth", bounds="search", kind="count"
)
def nonrelevant_judged_retrieved(ranked: Ranked, count: Count) -> Found:
    """Number of retrieved documents that are judged and not relevant.

    Their grade is 0 or more and below the relevance level (-l). A document without a judgment, or with a
    negative grade, is neither relevant nor judged nonrelevant. The line for all queries is the sum.

    Example: grades 1 - 0 0, R = 1: num_nonrel_judged_ret 2.
    """
    return count(ranked.nonrelevant)


# Lists


UNJUDGED, POOLED = ord("-"), ord(".")
SYMBOLS = np.frombuffer(b"0123456789>", dtype=np.uint8)
"""Of the grades 0 to 9, and of all above."""


@measure("relstring", standard="RelString", over=Numbers(10, key="length"), kind="text", summary="none")
def relevance_string(ranked: Ranked, lengths: tuple[float, ...]) -> list[bytes]:
    """Grades of the first results, a character each, in single quotes.

    A grade of 0 to 9 is its digit and a higher one is ">"; "-" is a document without a judgment, "." one
    that the judgments name with a negative grade, that is, in the pool but not judged.

    Parameter: how many results to show, 10 unless given; of several numbers the first counts. The string is
    shorter for a query with fewer results, and empty for a query that the run lacks.

    Printed for single queries only.

    Example: grades - . 0 2 1 0 12: relstring '-.0210>', relstring_3 '-.0'.
    """
    shown = np.minimum(ranked.retrieved, int(min(max(lengths[0], 0), 2**31)))
    start = segments.starts(shown)
    characters = np.full(int(shown.sum()), UNJUDGED, dtype=np.uint8)
    near = ranked.rank <= shown[ranked.owner]
    grade = ranked.grade[near]
    symbol = np.where(grade < 0, POOLED, SYMBOLS[np.clip(grade, 0, 10).astype(np.int64)])
    characters[start[ranked.owner[near]] + ranked.rank[near] - 1] = symbol
    text = characters.tobytes()
    return [b"'%b'" % text[i : i + n] for i, n in zip(start.tolist(), shown.tolist(), strict=True)]


@measure("pr_points", at_ranks=True, standard="PRPoints", cut="depth", kind="text", summary="none")
def precision_recall_points(ranked: Ranked) -> list[bytes]:
    """Recall and precision at every relevant document retrieved, in single quotes.

    A point i/R,i/k for the i-th relevant document retrieved, at rank k, with four decimals each, and a space
    between points: what the precision-recall curve is drawn from, before any interpolation. Between two
    points recall stays and precision falls; iprec_at_recall_x is the highest precision at or after recall x.

    It is empty for a query for which nothing relevant was retrieved. Printed for single queries only.

    Example: grades 1 0 1 - 1, R = 4: pr_points '0.2500,1.0000 0.5000,0.6667 0.7500,0.6000',
    pr_points_2 '0.2500,1.0000'.
    """
    owner = ranked.relevant_owner
    recall = segments.ratio(segments.position(owner, ranked.size) + 1, ranked.relevant_total[owner])
    pairs = zip(recall.tolist(), ranked.relevant_precision.tolist(), strict=True)
    points = [b"%.4f,%.4f" % pair for pair in pairs]
    found = ranked.relevant_retrieved
    start = segments.starts(found)
    return [b"'%b'" % b" ".join(points[i : i + n]) for i, n in zip(start.tolist(), found.tolist(), strict=True)]
