"""The report of a plan: how many queries it takes, and what that was computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irev import __version__
from irev.analysis.comparison.planning import ANOVA, INTERVAL, Design, Need
from irev.base.text import MISSING, counted, named, percent, plain, real, scipy_version, signed
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.statistics.power import MOST

FORMAT, VERSION = "irev power", 1

_COLUMNS = ("measure", "baseline", "run", "queries", "difference", "variance", "effect", "power", "needed")

_HOW = {
    "t": "paired t-test",
    ANOVA: "one-way analysis of variance",
    INTERVAL: "t interval of the difference",
}


def report(
    needs: Sequence[Need], design: Design, policy: str = "", inputs: Sequence[Input] = (), digits: int = 4
) -> Report:
    """Lay out how many queries a design takes for each pair of runs, or for a variance."""
    measured = any(need.measure for need in needs)
    header = ["queries needed", "variance"]
    if design.kind != INTERVAL:
        header = ["queries needed", "difference", "variance", "effect"]
    if measured:
        header += ["queries now", *(["power now"] if design.kind == "t" else [])]
    labels = ["measure", *([] if design.kind == ANOVA else ["run", "against"])] if measured else []
    rows = []
    for need in needs:
        texts = {
            "measure": need.measure,
            "run": named(need.run),
            "against": named(need.baseline),
            "queries needed": MISSING if need.needed is None else f"{need.needed:,}",
            "difference": signed(need.difference, digits),
            "variance": real(need.variance, digits + 2),
            "effect": signed(need.effect, 2),
            "queries now": f"{need.queries:,}" if need.queries is not None else "",
            "power now": real(need.present, 2),
        }
        rows.append(tuple(Cell(texts[column]) for column in (*labels, *header)))
    sheet = Sheet("", (*labels, *header), len(labels), frozenset(range(len(labels))), (tuple(rows),), ())
    notes = [_sentence(design)]
    if any(need.needed is None for need in needs):
        notes.append(
            f"{MISSING}: no number of queries shows a difference of 0"
            + (", or one that --alternative excludes" if design.alternative != "two-sided" else "")
            + f"; or more than {MOST:,} are needed; or the variance is 0 or unknown."
        )
    if measured and design.difference is None and design.kind != INTERVAL:
        notes.append(
            "These are the queries for a difference as large as the one measured, which is itself uncertain;"
            " --difference asks for the least one that matters."
            + (" The power now is then the p-value in other words." if design.kind == "t" else "")
        )
    if policy:
        notes.append(f"Queries: {policy}.")
    return Report(
        title="Queries needed",
        lead=(),
        sheets=(sheet,),
        notes=tuple(notes),
        columns=_COLUMNS,
        rows=tuple(_row(need) for need in needs),
        record=_record(needs, design, policy, inputs),
        digits=digits,
        exact=frozenset({"variance"}),
    )


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
    )


def _record(needs: Sequence[Need], design: Design, policy: str, inputs: Sequence[Input]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "irev": __version__,
        "scipy": scipy_version(),
        "policy": policy,
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
        "inputs": [file.recorded() for file in inputs],
        "needs": [
            dict(zip(_COLUMNS, (plain(v) if isinstance(v, float) else v for v in _row(need)), strict=True))
            for need in needs
        ],
    }
