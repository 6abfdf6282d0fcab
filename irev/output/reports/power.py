"""The report of a plan: how many queries it takes, and what that was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.analysis.comparison.planning import ANOVA, INTERVAL, Design, Need
from irev.base.text import MISSING, counted, named, percent, real, signed
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Plain, Report, Sheet
from irev.output.reports.tables import Texts, keyed, needed_between, stamped, table
from irev.statistics.power import MOST

FORMAT, VERSION = "irev power", 1

_COLUMNS = (
    "measure",
    "baseline",
    "run",
    "queries",
    "difference",
    "variance",
    "effect",
    "power",
    "needed",
    "needed_low",
    "needed_high",
)

_HOW = {
    "t": "paired t-test",
    ANOVA: "one-way analysis of variance",
    INTERVAL: "t interval of the difference",
}


class PowerReport(Report):
    """How many queries a design takes for each pair of runs, or for a variance, laid out.

    `policy` says in words which queries count, `inputs` are the files; of a variance there are none.
    """

    title = "Queries needed"
    columns = _COLUMNS
    exact = frozenset({"variance"})

    def __init__(self, needs: Sequence[Need], design: Design, policy: str = "", inputs: Sequence[Input] = ()) -> None:
        self.needs, self.design, self.policy, self.inputs = needs, design, policy, inputs
        self.measured = any(need.measure for need in needs)

    @property
    def sheets(self) -> Iterator[Sheet]:
        kind = self.design.kind
        header = ["queries needed", "variance"]
        if kind != INTERVAL:
            header = ["queries needed", "difference", "variance", "effect"]
        if any(need.needed_span for need in self.needs):
            header.insert(1, "interval")
        if self.measured:
            header += ["queries now", *(["power now"] if kind == "t" else [])]
        labels = ["measure", *([] if kind == ANOVA else ["run", "against"])] if self.measured else []
        yield table("", labels, header, map(self._texts, self.needs))

    def _texts(self, need: Need) -> Texts:
        digits = self.look.digits
        return {
            "measure": need.measure,
            "run": named(need.run),
            "against": named(need.baseline),
            "queries needed": MISSING if need.needed is None else f"{need.needed:,}",
            "interval": needed_between(need.needed_span),
            "difference": signed(need.difference, digits),
            "variance": real(need.variance, digits + 2),
            "effect": signed(need.effect, 2),
            "queries now": f"{need.queries:,}" if need.queries is not None else "",
            "power now": real(need.present, 2),
        }

    @property
    def notes(self) -> Iterator[str]:
        design = self.design
        yield _sentence(design)
        if any(need.needed is None for need in self.needs):
            yield (
                f"{MISSING}: no number of queries shows a difference of 0"
                + (", or one that --alternative excludes" if design.alternative != "two-sided" else "")
                + f"; or more than {MOST:,} are needed; or the variance is 0 or unknown."
            )
        if self.measured and design.difference is None and design.kind != INTERVAL:
            yield (
                "These are the queries for a difference as large as the one measured, which is itself uncertain;"
                " --difference asks for the least one that matters."
                + (
                    f" interval: from the {percent(1 - design.alpha)} interval of the effect; ∞ where that holds 0."
                    " The power now is then the p-value in other words."
                    if design.kind == "t"
                    else ""
                )
            )
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return map(_row, self.needs)

    @property
    def record(self) -> dict[str, Any]:
        design = self.design
        return {
            **stamped(FORMAT, VERSION),
            "policy": self.policy,
            "design": {
                "kind": design.kind,
                "alpha": design.alpha,
                "power": design.power,
                "alternative": design.alternative,
                "difference": design.difference,
                "variance": design.variance,
                "systems": design.systems,
                "width": design.width,
            },
            "inputs": [file.recorded() for file in self.inputs],
            "needs": [keyed(_COLUMNS, _row(need)) for need in self.needs],
        }


def _sentence(design: Design) -> str:
    level = decimal(design.alpha)
    if design.kind == INTERVAL:
        confidence = percent(1 - design.alpha)
        return f"For a {confidence} {_HOW[INTERVAL]} that is expected to be {decimal(design.width or 0.0)} wide."
    sides = "" if design.kind == ANOVA or design.alternative == "two-sided" else ", one-sided"
    of = f" of {counted(design.systems or 2, 'run')}" if design.kind == ANOVA else ""
    return f"For a {_HOW[design.kind]}{of}{sides} at level {level} with a power of {percent(design.power)}."


def _row(need: Need) -> tuple[Plain, ...]:
    return (
        need.measure or None,
        need.baseline or None,
        need.run or None,
        need.queries,
        need.difference,
        need.variance,
        need.effect,
        need.present,
        need.needed,
        *(need.needed_span or (None, None)),
    )
