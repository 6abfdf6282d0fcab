"""Diversity: results judged for each subtopic, or intent, of a query."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "measure diversity: judgments of subtopics, α-nDCG, ERR-IA and others",
    measures=("d_sharp", "intents", "novelty"),
    formats=("files",),
)
