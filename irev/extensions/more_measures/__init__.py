"""Measures of papers and textbooks that trec_eval does not have."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "measure what trec_eval does not: ERR, Q-measure, graded AP, search length, accuracy and others",
    measures=("confusion", "expected_reciprocal_rank", "first_relevant", "graded_precision"),
)
