"""Counts: how many queries, and how many documents retrieved, judged and relevant."""

from __future__ import annotations

import numpy as np

from irev import segments
from irev.measures.measure import measure
from irev.ranked import Ranked
from irev.segments import Ints


@measure("runid", kind="text", summary="run tag", per_query=False)
def run_id(ranked: Ranked) -> list[bytes]:
    """Name of the run: the run id in the last row of its file.

    Printed for all queries together only. The last data row of the file decides, also when its query is not
    evaluated, and also when other rows bear other names.

    Example: grades 1 0, R = 1, run id bm25: runid bm25.
    """
    return [ranked.tag] * ranked.size


@measure("num_q", kind="count", summary="queries", per_query=False)
def queries(ranked: Ranked) -> Ints:
    """Number of queries that the averages divide by.

    Printed for all queries together only. These are the queries that both files have; with -c they are all
    judged queries, those that the run lacks included.

    Example: grades 1 0 | 0 1, R = 1: num_q 2.
    """
    return np.ones(ranked.size, dtype=np.int64)


@measure("num_ret", kind="count")
def retrieved(ranked: Ranked) -> Ints:
    """Number of documents retrieved, n.

    Counted after the ranking was cut (-M) and unjudged documents were dropped (-J). The line for all
    queries is the sum. A query that the run lacks has 0.

    Example: grades 1 - 0, R = 1: num_ret 3.
    """
    return ranked.retrieved


@measure("num_rel", kind="count", summary="judged relevant")
def relevant(ranked: Ranked) -> Ints:
    """Number of relevant documents in the judgments, R, whether retrieved or not.

    A document is relevant when its grade is at least the relevance level (-l). The line for all queries is
    the sum, with one exception that trec_eval makes: with -c it is the number of judgments with a grade
    above 0 in the whole file, whatever the relevance level.

    Example: grades 1 - 0, R = 3: num_rel 3.
    """
    return ranked.relevant_total


@measure("num_rel_ret", kind="count")
def relevant_retrieved(ranked: Ranked) -> Ints:
    """Number of relevant documents retrieved, r.

    A document is relevant when its grade is at least the relevance level (-l). The line for all queries is
    the sum.

    Example: grades 1 - 0 1, R = 3: num_rel_ret 2.
    """
    return ranked.relevant_retrieved


@measure("num_nonrel_judged_ret", kind="count")
def nonrelevant_judged_retrieved(ranked: Ranked) -> Ints:
    """Number of retrieved documents that are judged and not relevant.

    Their grade is 0 or more and below the relevance level (-l). A document without a judgment, or with a
    negative grade, is neither relevant nor judged nonrelevant. The line for all queries is the sum.

    Example: grades 1 - 0 0, R = 1: num_nonrel_judged_ret 2.
    """
    return segments.count(ranked.owner[ranked.nonrelevant], ranked.size)
