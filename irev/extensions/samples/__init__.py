"""Judgments of samples: strata, probabilities with which documents were drawn, and audits."""

from irev.base.extensions import Extension

EXTENSION = Extension(
    __name__,
    "estimate measures from judgments of a sample",
    measures=("inclusion", "sampled"),
    formats=("audit", "files"),
)
