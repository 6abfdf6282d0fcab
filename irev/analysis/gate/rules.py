"""How conditions against a baseline are judged, as one record."""

from __future__ import annotations

from dataclasses import dataclass

from irev.analysis.gate.baseline import ROUNDING
from irev.analysis.gate.conditions import MAX_DROP, NO_WORSE_THAN, SHOWING, Condition
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class Rules:
    """How conditions against a baseline are judged.

    Attributes
    ----------
    plan : Plan
        The test, and its level, `Plan.alpha`.
    significant : bool
        Whether a drop must be shown to be larger than is allowed to fail.
    any_drop : bool
        Whether it is enough to show that there is any, where the one that is measured is larger than is allowed.
    undecided : str or None
        What an undecided condition counts as, ``fail`` or ``pass``; None for what suits its kind.
    precision : float
        Differences up to this are none: half the last digit of a baseline that was rounded, or what adding rounds.
    digits : int
        How many follow the point in sentences.
    """

    plan: Plan
    significant: bool = False
    any_drop: bool = False
    undecided: str | None = None
    precision: float = ROUNDING
    digits: int = 4

    def tests(self, condition: Condition) -> bool:
        """Whether a condition is judged by a test of differences."""
        return condition.kind == NO_WORSE_THAN or (condition.kind == MAX_DROP and self.significant)

    def lenient(self, condition: Condition) -> bool:
        """Whether a condition counts as passed where the queries are too few to tell."""
        if self.undecided is not None:
            return self.undecided == "pass"
        return condition.kind not in SHOWING
