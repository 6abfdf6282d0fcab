"""The report of an agreement: the places of the runs in each ordering, and how far every two orderings agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irev import __version__
from irev.analysis.comparison.agreement import Agreed, Agreement
from irev.base.text import MISSING, counted, named, plain, real, scipy_version
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet

FORMAT, VERSION = "irev agreement", 1

_COLUMNS = ("first", "second", "tau_a", "tau_b", "tau_ap", "rbo", "swapped", "pairs")


def report(agreement: Agreement, policy: str, inputs: Sequence[Input] = (), digits: int = 4) -> Report:
    """Lay out how far orderings of runs agree."""
    notes = [
        "tau a, tau b: Kendall's, with ties counted as neither order, and left out; tau AP weighs the top more;"
        f" RBO: rank-biased overlap with p = {decimal(agreement.persistence)}; 1 is the same order.",
        "swapped: pairs of runs that the two put in opposite order.",
    ]
    if any(None in _row(agreed) for agreed in agreement.agreed):
        notes.append(f"{MISSING}: of an ordering in which all runs tie there is none.")
    if len(agreement.runs) < _FEW:
        notes.append(f"With {counted(len(agreement.runs), 'run')} a single swap changes these a lot.")
    notes.append(f"Queries: {policy}.")
    return Report(
        title="Agreement of orderings of " + counted(len(agreement.runs), "run"),
        lead=(),
        sheets=(_pairs(agreement, digits), _places(agreement, digits)),
        notes=tuple(notes),
        columns=_COLUMNS,
        rows=tuple(_row(agreed) for agreed in agreement.agreed),
        record=_record(agreement, policy, inputs),
        digits=digits,
    )


_FEW = 10
"""With fewer runs coefficients move in large steps."""


def _pairs(agreement: Agreement, digits: int) -> Sheet:
    rows = tuple(
        (
            Cell(named(agreed.first)),
            Cell(named(agreed.second)),
            *(Cell(real(value, digits)) for value in (agreed.tau_a, agreed.tau_b, agreed.tau_ap, agreed.rbo)),
            Cell(f"{agreed.swapped:,} of {agreed.pairs:,}"),
        )
        for agreed in agreement.agreed
    )
    header = ("ordering", "and", "tau a", "tau b", "tau AP", "RBO", "swapped")
    return Sheet("", header, 2, frozenset({0, 1}), (rows,), ())


def _places(agreement: Agreement, digits: int) -> Sheet:
    """Runs as rows, best first by the first ordering; of each ordering the value and the place."""
    columns = [(ordering.values.tolist(), ordering.places) for ordering in agreement.orderings]
    order = sorted(range(len(agreement.runs)), key=lambda run: columns[0][1][run])
    rows = tuple(
        (
            Cell(named(agreement.runs[run])),
            *(Cell(f"{real(values[run], digits)} ({places[run]})") for values, places in columns),
        )
        for run in order
    )
    header = ("run", *(named(ordering.name) for ordering in agreement.orderings))
    return Sheet("Runs, with their places", header, 1, frozenset({0}), (rows,), ())


def _row(agreed: Agreed) -> tuple[Plain, ...]:
    coefficients = (agreed.tau_a, agreed.tau_b, agreed.tau_ap, agreed.rbo)
    return (agreed.first, agreed.second, *coefficients, agreed.swapped, agreed.pairs)


def _record(agreement: Agreement, policy: str, inputs: Sequence[Input]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "irev": __version__,
        "scipy": scipy_version(),
        "policy": policy,
        "persistence": agreement.persistence,
        "runs": list(agreement.runs),
        "inputs": [file.recorded() for file in inputs],
        "orderings": [
            {
                "name": ordering.name,
                "better": ordering.better,
                "queries": ordering.queries,
                "values": {
                    run: plain(value) for run, value in zip(agreement.runs, ordering.values.tolist(), strict=True)
                },
                "places": dict(zip(agreement.runs, ordering.places, strict=True)),
            }
            for ordering in agreement.orderings
        ],
        "agreed": [dict(zip(_COLUMNS, _row(agreed), strict=True)) for agreed in agreement.agreed],
    }
