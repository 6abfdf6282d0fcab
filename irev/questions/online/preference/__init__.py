"""Preference: which of two runs users prefer, from clicks on interleaved lists.

This module declares what `irev online preference` can be asked.
"""

from __future__ import annotations

from irev.base.records import dataclass
from irev.questions.online import LogChoices
from irev.questions.question import PROGRESS, REPORTING, Question


@dataclass(frozen=True)
class PreferenceChoices(LogChoices):
    """How two runs are compared by clicks on interleaved lists."""


QUESTION = Question(
    "preference",
    says="Find which run users prefer, from clicks on mixed lists.",
    about="""Find which of two runs users prefer, from a LOG of clicks on interleaved lists.

Look once, at a time chosen before: with daily looks, false findings are far too frequent. Results of
--sequential are valid at every look. Several LOGs are read as one, in their order: JSON lines, CSV, TSV or Parquet.""",
    example="irev online preference interleaved.jsonl",
    files="LOG…",
    choices=PreferenceChoices,
    shared=(REPORTING, PROGRESS, "allow_large"),
    group="online",
)
