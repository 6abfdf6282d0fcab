"""What a figure of a comparison shows, and what it says below."""

from __future__ import annotations

from irev.analysis.comparison.contrasts import Comparison
from irev.base.text import percent
from irev.output.figures import Panel
from irev.output.reports.comparison.words import directed, kind_of_interval


def panels(comparison: Comparison) -> list[Panel]:
    """What a figure shows: the differences of each contrast, under each measure."""
    return [
        Panel(
            measure=directed(compared.measured.quantity),
            baseline=contrast.baseline,
            run=contrast.run,
            differences=contrast.differences,
            queries=compared.measured.queries,
            low=None if contrast.interval is None else contrast.interval.low,
            high=None if contrast.interval is None else contrast.interval.high,
            mean=contrast.difference,
            margin=comparison.plan.margin,
        )
        for compared in comparison.compared
        for contrast in compared.contrasts
    ]


def caption(comparison: Comparison, policy: str) -> str:
    """What a figure says below."""
    return (
        "Differences of single queries, run minus baseline; means with"
        f" {percent(comparison.plan.confidence)} intervals ({kind_of_interval(comparison)}). Queries: {policy}."
    )
