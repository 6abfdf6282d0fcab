"""Whether two measures, sets of judgments or sets of queries order runs alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.settings import BOTH, JUDGED
from irev.base.text import MISSING, counted, named, real
from irev.commands.agree import AgreeChoices
from irev.commands.agreement import (
    Agreed,
    Agreement,
    Subset,
    agreement,
    orderings_of,
    orderings_of_systems,
    require_orders,
)
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs, on_same_queries
from irev.evaluation.result import Input
from irev.output.finding import ReportedFinding, fields_of, recorded
from irev.output.report import Cell, Plain, Sheet, stamped, table
from irev.reading.small_files import read_ids
from irev.reading.sources import Source

_COEFFICIENTS = {
    "tau a": "tau_a",
    "tau b": "tau_b",
    "tau AP": "tau_ap",
    "first true": "tau_ap_first",
    "second true": "tau_ap_second",
    "RBO": "rbo",
    "least RBO": "rbo_least",
}
"""The fields of `Agreed` that are coefficients, by their headings."""

_FEW = 10
"""With fewer runs coefficients move in large steps."""


@dataclass(frozen=True, eq=False, repr=False)
class Agree(ReportedFinding):
    """How far orderings of runs agree.

    Attributes
    ----------
    agreement : Agreement
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    """

    agreement: Agreement
    policy: str
    inputs: tuple[Input, ...]

    columns = Agreed._fields

    @property
    def title(self) -> str:
        return "Agreement of orderings of " + counted(len(self.agreement.runs), "run")

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._pairs()
        yield self._places()

    def _pairs(self) -> Sheet:
        rows = (
            {
                "ordering": named(agreed.first),
                "and": named(agreed.second),
                **{head: real(getattr(agreed, name), self.look.digits) for head, name in _COEFFICIENTS.items()},
                "swapped": f"{agreed.swapped:,} of {agreed.pairs:,}",
            }
            for agreed in self.agreement.agreed
        )
        return table("", ("ordering", "and"), None, rows)

    def _places(self) -> Sheet:
        """Runs as rows, best first by the first ordering; of each ordering the value and the place."""
        columns = [(ordering.values.tolist(), ordering.places) for ordering in self.agreement.orderings]
        order = sorted(range(len(self.agreement.runs)), key=lambda run: columns[0][1][run])
        rows = tuple(
            (
                Cell(named(self.agreement.runs[run])),
                *(Cell(f"{real(values[run], self.look.digits)} ({places[run]})") for values, places in columns),
            )
            for run in order
        )
        header = ("run", *(named(ordering.name) for ordering in self.agreement.orderings))
        return Sheet("Runs, with their places", header, 1, frozenset({0}), (rows,), ())

    @property
    def notes(self) -> Iterator[str]:
        agreement = self.agreement
        yield (
            "tau a, tau b: Kendall's; a counts tied pairs as neither order, b leaves them out. tau AP: Yilmaz's, "
            "in which the top weighs more: the mean, then with the first and with the second ordering taken as "
            f"true. RBO: rank-biased overlap with p = {decimal(agreement.persistence)}; 1 is the same order."
        )
        yield "swapped: pairs of runs that the two put in opposite order."
        if any(None in agreed for agreed in agreement.agreed):
            yield f"{MISSING}: not defined for an ordering in which all runs tie."
        if len(agreement.runs) < _FEW:
            yield f"With {counted(len(agreement.runs), 'run')} a single swap changes these a lot."
            yield "RBO of so few runs is never low: its lowest possible value is shown beside it."
        yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter(self.agreement.agreed)

    @property
    def record(self) -> dict[str, Any]:
        runs = self.agreement.runs
        orderings = [
            {
                **fields_of(each, "name", "better", "queries"),
                "values": dict(zip(runs, each.values.tolist(), strict=True)),
                "places": dict(zip(runs, each.places, strict=True)),
            }
            for each in self.agreement.orderings
        ]
        return {
            **stamped("irev agreement"),
            "policy": self.policy,
            "persistence": self.agreement.persistence,
            **recorded({"runs": runs, "inputs": self.inputs, "orderings": orderings, "agreed": self.agreement.agreed}),
        }


def answer(inputs: Inputs, choices: AgreeChoices) -> Agree:
    """How far every two orderings of the runs agree."""
    subsets = _subsets(choices.subsets)
    if not inputs.judgments:
        found = systems_of(inputs)
        runs, orderings = orderings_of_systems(found.aligned, subsets)
        return Agree(agreement(runs, orderings, choices.persistence), found.policy, found.inputs)
    if len(choices.files) - max(len(choices.sets), 1) < 2:
        remedy = "" if choices.sets else "; irev rbo RUN RUN compares two rankings without judgments"
        raise UsageError("there is nothing to order", remedy=f"give at least two runs{remedy}")
    require_orders(inputs.requests)
    outcomes, some_left_out = on_same_queries(inputs)
    runs, orderings = orderings_of(outcomes, subsets)
    shared = BOTH if inputs.settings.queries == "run" else JUDGED
    policy = shared if some_left_out else inputs.settings.policy
    return Agree(agreement(runs, orderings, choices.persistence), policy, tuple(inputs.files))


def _subsets(subsets: Sequence[tuple[str, str]]) -> list[Subset]:
    if len({name for name, _ in subsets}) < len(subsets):
        raise UsageError(f"two sets of queries have the same name; {option('subset', 'NAME=FILE')} names them")
    found = []
    for name, path in subsets:
        with Source(path) as source:
            found.append((name, frozenset(read_ids(source))))
    return found
