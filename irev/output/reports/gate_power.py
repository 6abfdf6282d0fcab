"""The report of a gate that is planned: how often it turns red, and what that was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any

from irev.analysis.gate.planning import Chance, Planned
from irev.base.text import MISSING, named, real
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Plain, Report, Sheet
from irev.output.reports.tables import Texts, keyed, stamped, table

FORMAT, VERSION = "irev gate power", 1

_COLUMNS = (
    *("measure", "baseline", "run", "queries", "variance", "drop"),
    *("by_value", "significant", "any_drop", "no_worse"),
)

_CHANCES = {
    "by value": "by_value",
    "significant": "significant",
    "any drop": "any_drop",
    "no worse": "no_worse",
}
"""Headings of chances, and what they are."""


class GatePowerReport(Report):
    """How often a gate turns red, for each true drop, laid out.

    `policy` says in words which queries count, `inputs` are the files; of a variance there are none.
    """

    title = "How often a gate turns red"
    columns = _COLUMNS
    exact = frozenset({"variance", "drop"})

    def __init__(
        self, chances: Sequence[Chance], planned: Planned, policy: str = "", inputs: Sequence[Input] = ()
    ) -> None:
        self.chances, self.planned, self.policy, self.inputs = chances, planned, policy, inputs

    @property
    def sheets(self) -> Iterator[Sheet]:
        measured = any(chance.measure for chance in self.chances)
        names = ["measure", "run", "against"] if measured else []
        # What tells rows apart stands in every part of a table that is too wide for one.
        labels = [*names, "true drop"] if measured else []
        header = ["queries", "variance", *([] if measured else ["true drop"]), *_CHANCES]
        yield table("", labels, header, map(self._texts, self.chances), texts=names)

    def _texts(self, chance: Chance) -> Texts:
        return {
            "measure": chance.measure,
            "run": named(chance.run),
            "against": named(chance.baseline),
            "queries": f"{chance.queries:,}",
            "variance": real(chance.variance, self.look.digits + 2),
            "true drop": decimal(round(chance.drop, 12)),
            **{heading: _percent(getattr(chance, name)) for heading, name in _CHANCES.items()},
        }

    @property
    def notes(self) -> Iterator[str]:
        allowed, level = decimal(self.planned.allowed), decimal(self.planned.alpha)
        yield (
            f"By value: --max-drop {allowed}; significant: with --significant {level}; any drop: with --any-drop, too;"
            f" no worse: --no-worse-than {allowed} at that level. Of one condition, for differences that are normal."
        )
        if any(chance.by_value is None for chance in self.chances):
            yield f"{MISSING}: there are fewer than two queries, or the variance is 0 or unknown."
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return map(_row, self.chances)

    @property
    def record(self) -> dict[str, Any]:
        planned = self.planned
        return {
            **stamped(FORMAT, VERSION),
            "policy": self.policy,
            "gate": {
                "allowed": planned.allowed,
                "drop": planned.drop,
                "queries": planned.queries,
                "variance": planned.variance,
                "alpha": planned.alpha,
            },
            "inputs": [file.recorded() for file in self.inputs],
            "chances": [keyed(_COLUMNS, _row(chance)) for chance in self.chances],
        }


def _percent(chance: float | None) -> str:
    return MISSING if chance is None else f"{100 * chance:.1f}%"


def _row(chance: Chance) -> tuple[Plain, ...]:
    return tuple(value if value != "" else None for value in astuple(chance))
