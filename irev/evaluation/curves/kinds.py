"""The kinds of pictures: their names, which options and Python have without numpy."""

RECALL_PRECISION = "recall-precision"
ONE_QUERY = "query"
CUTOFF = "cutoff"
AGAINST_EACH_OTHER = "precision-recall@k"
ROC = "roc"
DIFFERENCES = "queries"
TOPICS = "topics"
SCATTER = "scatter"
DISTRIBUTION = "distribution"
AGREEMENT = "agreement"

KINDS = {
    RECALL_PRECISION: "precision at eleven points of recall",
    ONE_QUERY: "precision and recall of one query, at every relevant document",
    CUTOFF: "measures by cutoff",
    AGAINST_EACH_OTHER: "precision against recall, cutoff by cutoff",
    ROC: "recall against fallout, the share of judged documents that are not relevant and found, cutoff by cutoff",
    DIFFERENCES: "differences of queries from the baseline, sorted",
    TOPICS: "differences of queries from the median of the runs",
    SCATTER: "runs against the baseline, query by query",
    DISTRIBUTION: "how the values of queries are distributed",
    AGREEMENT: "runs under two measures or sets of judgments",
}
"""Every kind, and what it shows."""

BY_CUTOFF = (CUTOFF, AGAINST_EACH_OTHER, ROC)
OF_PAIRS = (DIFFERENCES, SCATTER)
OF_FEW_POINTS = (ONE_QUERY, AGAINST_EACH_OTHER, ROC, AGREEMENT)
WITHOUT_MEASURES = (RECALL_PRECISION, ONE_QUERY, AGAINST_EACH_OTHER, ROC)
WITH_QUERIES = (DIFFERENCES, TOPICS, SCATTER, DISTRIBUTION)
"""Kinds that have points for single queries, or for their values."""

NIST = "nist"
"""A rule by which points of recall are reached, of which `irev.evaluation.curves.recall_precision` has the words."""
