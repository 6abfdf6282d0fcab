"""Judgments of samples: strata, and probabilities with which documents were drawn."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "estimate measures from judgments of a sample",
    measures=("inclusion", "sampled"),
    formats=("files",),
)
