"""How conditions against a baseline are judged, as one record, and which conditions each choice of it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection

from irev.analysis.gate.baseline import ROUNDING
from irev.analysis.gate.conditions import MAX_DROP, MAX_SHARE_LOSING, NO_WORSE_THAN, SHOWING, Condition
from irev.base.records import dataclass
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class GateRules:
    """How conditions against a baseline are judged.

    Attributes
    ----------
    plan : Plan
        The test, and its level, `Plan.alpha`.
    significant : bool
        Whether a drop must be shown to be larger than is allowed to fail.
    any_drop : bool
        Whether it is enough to show that there is any, where the one that is measured is larger than is allowed; of
        conditions on drops alone.
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


NOTHING_SHOWN = "no condition is one that has to be shown, as --max-drop and --no-worse-than are"
"""Why a level of significance may change nothing."""

NEEDS: dict[str, tuple[tuple[str, ...], str]] = {
    "any-drop": ((MAX_DROP,), "the drop that is shown is of no other condition"),
    "correction": ((MAX_DROP,), "no other p-values are corrected"),
    "test": ((MAX_DROP, NO_WORSE_THAN), "nothing else is tested"),
    "samples": ((MAX_DROP, NO_WORSE_THAN), "nothing else is tested"),
    "seed": ((MAX_DROP, NO_WORSE_THAN), "nothing else is tested"),
    "undecided": ((MAX_DROP, NO_WORSE_THAN, MAX_SHARE_LOSING), "nothing else can be undecided"),
}
"""Choices that say nothing unless there is a condition of one of these kinds, and why; a drop is tested only where
significance is asked for."""


def idle(
    given: Collection[str], kinds: Collection[str], significant: bool, written: Callable[[str], str] = "--{}".format
) -> str:
    """What to say of the first of the choices given that say nothing; empty where each says something.

    Parameters
    ----------
    given : collection of str
        Names of `NEEDS`, and others.
    kinds : collection of str
        Of the conditions that there are.
    significant : bool
        Whether drops are tested.
    written : callable, optional
        How an option is written.
    """
    tested = {kind for kind in kinds if significant or kind != MAX_DROP}
    for name, (needed, why) in NEEDS.items():
        if name in given and tested.isdisjoint(needed):
            within = f" with {written('significant')}"
            options = [written(kind) + (within if kind == MAX_DROP else "") for kind in needed]
            ways = " or ".join(filter(None, (", ".join(options[:-1]), options[-1])))
            return f"{written(name)} needs {ways}: {why}"
    return ""
