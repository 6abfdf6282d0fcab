"""Choices that the studies share, which look at runs by their values of the same queries."""

from __future__ import annotations

from typing import Any

from irev.base.choice import as_in
from irev.base.records import dataclass
from irev.commands.question import DIGITS, EVERY_QUERY, REPORTING
from irev.commands.shared import PictureChoices, RunPairs, picture_choice
from irev.statistics.plan import Plan

SHARED = (REPORTING, DIGITS, EVERY_QUERY, "level")
"""The groups of choices of each study, and the lowest relevant grade."""

ALPHA, CONFIDENCE = Plan().alpha, Plan().confidence
"""The largest p-value that is significant, and how sure intervals are unless something else is asked for."""


def confidence_choice() -> Any:
    """How sure intervals are."""
    return as_in(Plan, "confidence", heading="")


@dataclass(frozen=True)
class StudyChoices(RunPairs):
    """Which runs are looked at, and what is drawn."""

    plot: str | None = picture_choice("also draw the differences")
    width: float = as_in(PictureChoices, "width")
