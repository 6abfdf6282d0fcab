"""Measures: rankings in, one number per query out. A module per family, and whoever adds a measure edits no
other.

Every module of `families` is imported, and a measure registers itself where it is defined. Those of
`structured_judgments`, whose measures need judgments of another kind or are asked for rarely, are imported when a name
is none of these.

In the definitions, for one query: n is the number of documents retrieved, g_1 … g_n are their grades in
rank order, r_k is the number of relevant documents (grade at least the relevance level) among the first k,
r = r_n, and R is the number of relevant documents in the judgments, retrieved or not. Results that tie in
score were put in order before any measure sees them. A query that the run lacks, where it counts at all, is
a query with n = 0.
"""

from __future__ import annotations

from irev.base.registry import import_all
from irev.measures import families

import_all(families.__name__)

from irev.measures.measure import MEASURES  # noqa: E402 (the table is full only now)
from irev.measures.request import Request, among, in_trec_order, parse, weighted  # noqa: E402

__all__ = ["MEASURES", "Request", "among", "in_trec_order", "parse", "weighted"]
