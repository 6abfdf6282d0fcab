"""The finding of `compare` as callers get it: the analysis's, which can be shown.

Each is the record that the analysis made, and what its report says besides: what runs and judgments are called, and
which queries count.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from irev.analysis.comparison.contrasts import Comparison
from irev.base.records import dataclass
from irev.base.text import named
from irev.output.finding import Drawing, Shown, drawable
from irev.output.report import TABLES, Report

S = TypeVar("S", bound=Shown)


def shown(kind: type[S], found: object, **more: Any) -> S:
    """What the analysis found as what can be shown, with `more` that its report says."""
    return kind(**{each.name: getattr(found, each.name) for each in fields(found)}, **more)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class ShownComparison(Comparison, Shown):
    """A comparison, as `irev.compare` gives it.

    Attributes
    ----------
    policy : str
        Which queries count, in words.
    details : bool
        Whether all that was found is shown.
    layout : str
        How it is shown: ``tables``, or ``paper`` for one table with a caption.
    notes : tuple of str
        What makes it doubtful, and which measures are left out; each was a warning too.
    """

    policy: str = ""
    details: bool = False
    layout: str = TABLES
    notes: tuple[str, ...] = ()

    def report(self) -> Report:
        from irev.output.reports.comparison.report import ComparisonReport

        return ComparisonReport(
            self, self.policy, self.notes, detailed=self.details, layout=self.layout, more="details=True"
        )

    def plot(self) -> Drawing:
        """Mean differences with their intervals, and the differences of single queries, sorted; with matplotlib."""
        from irev.output.figures import figure
        from irev.output.reports.comparison.figure import caption, panels

        return Drawing(lambda ending: figure(panels(self), drawable(ending), caption(self, self.policy)))

    def __repr__(self) -> str:
        held = f"against {named(self.baseline)}" if self.baseline is not None else "all pairs"
        first = [
            f"{named(contrast.run)} {contrast.difference:+.4f} ({contrast.finding})"
            for compared in self.compared[:1]
            for contrast in compared.contrasts[:3]
        ]
        measure = self.compared[0].measured.quantity.standard
        more = ", …" if len(self.compared) > 1 or len(self.compared[0].contrasts) > len(first) else ""
        return f"<Comparison of {len(self.runs)} runs, {held}: {measure}: {', '.join(first)}{more}>"
