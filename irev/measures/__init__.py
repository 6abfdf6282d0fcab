"""Measures: rankings in, one number per query out. A module per family, and whoever adds a measure edits no
other.

A measure registers itself where it is defined. The families of the usual measures are imported here, and those of all
others once a name is none of these.

In the definitions, for one query: n is the number of documents retrieved, g_1 … g_n are their grades in
rank order, r_k is the number of relevant documents (grade at least the relevance level) among the first k,
r = r_n, and R is the number of relevant documents in the judgments, retrieved or not. Results that tie in
score were put in order before any measure sees them. A query that the run lacks, where it counts at all, is
a query with n = 0.
"""

from __future__ import annotations

from irev.measures.families import average_precision, counts, dcg, incomplete_judgments, precision
from irev.measures.measure import MEASURES
from irev.measures.request import Request, among, in_trec_order, parse, weighted

USUAL = (average_precision, counts, dcg, incomplete_judgments, precision)
"""The families of what trec_eval prints unasked, and of nDCG."""

__all__ = ["MEASURES", "Request", "among", "in_trec_order", "parse", "weighted"]
