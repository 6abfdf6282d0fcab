"""How many queries it takes, and how often a gate turns red: the records, and how people and programs see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, named, percent, real, signed
from irev.evaluation.result import Input
from irev.output.finding import Finding, recorded
from irev.output.report import Plain, Sheet, Texts, needed_between, stamped, table
from irev.questions.power import ANOVA, INTERVAL, PowerChoices
from irev.statistics.power import MOST, NeedSpan

_DESIGN = ("kind", "alpha", "power", "alternative", "difference", "variance", "systems", "width")
_GATE = {"gate": "allowed", "difference": "drop", "number": "queries", "variance": "variance", "alpha": "alpha"}
"""The choices that records have, and what they are called there."""


class Need(NamedTuple):
    """How many queries it takes.

    Attributes
    ----------
    measure, baseline, run : str or None
        What was measured; None for a design from a variance.
    queries : int or None
        As many there are.
    difference, variance : float or None
        What the number was computed from.
    effect : float or None
        The difference over the standard deviation of differences.
    power : float or None
        That the queries that there are have to find the difference.
    needed : int or None
        None where no number of queries is enough, or the data say nothing.
    needed_span : NeedSpan or None
        The same for the ends of the interval of the effect, with a confidence of 1 - alpha, where a t-test is planned
        for the effect that was measured.
    """

    measure: str | None = None
    baseline: str | None = None
    run: str | None = None
    queries: int | None = None
    difference: float | None = None
    variance: float | None = None
    effect: float | None = None
    power: float | None = None
    needed: int | None = None
    needed_span: NeedSpan | None = None


class Chance(NamedTuple):
    """How often a gate fails.

    Attributes
    ----------
    measure, baseline, run : str or None
        What was measured; None without runs.
    queries : int
    variance : float or None
        Of the differences of single queries; None where it is not known.
    drop : float
        The true drop.
    by_value : float or None
        Chance that ``--max-drop`` fails; None, here and below, where the variance is 0 or not known, or there are
        fewer than two queries.
    significant : float or None
        The same with ``--significant``.
    any_drop : float or None
        The same with ``--any-drop``, too.
    no_worse : float or None
        Chance that ``--no-worse-than`` does not hold.
    """

    measure: str | None
    baseline: str | None
    run: str | None
    queries: int
    variance: float | None
    drop: float
    by_value: float | None = None
    significant: float | None = None
    any_drop: float | None = None
    no_worse: float | None = None


_HOW = {
    "t": "paired t-test",
    ANOVA: "one-way analysis of variance",
    INTERVAL: "t interval of the difference",
}


@dataclass(frozen=True, eq=False, repr=False)
class Power(Finding):
    """How many queries a design takes for each pair of runs, or for a variance.

    Attributes
    ----------
    needs : tuple of Need
    design : PowerChoices
    policy : str
        Which queries count, in words; empty of a variance.
    inputs : tuple of Input
    """

    needs: tuple[Need, ...]
    design: PowerChoices
    policy: str = ""
    inputs: tuple[Input, ...] = ()

    title = "Queries needed"
    columns = (*Need._fields[:-1], "needed_low", "needed_high")
    exact = frozenset({"variance"})

    @property
    def measured(self) -> bool:
        """Whether there are runs."""
        return any(need.measure for need in self.needs)

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
            "measure": need.measure or "",
            "run": named(need.run or ""),
            "against": named(need.baseline or ""),
            "queries needed": MISSING if need.needed is None else f"{need.needed:,}",
            "interval": needed_between(need.needed_span),
            "difference": signed(need.difference, digits),
            "variance": real(need.variance, digits + 2),
            "effect": signed(need.effect, 2),
            "queries now": f"{need.queries:,}" if need.queries is not None else "",
            "power now": real(need.power, 2),
        }

    @property
    def notes(self) -> Iterator[str]:
        design = self.design
        yield _sentence(design)
        if design.predicted is not None and any(need.needed is None for need in self.needs):
            yield f"{MISSING}: the interval would be wider even if a human judged all queries."
        elif any(need.needed is None for need in self.needs):
            yield (
                f"{MISSING}: no number of queries shows a difference of 0"
                + (", or one that --alternative excludes" if design.alternative != "two-sided" else "")
                + f"; or more than {MOST:,} are needed; or the variance is 0 or unknown."
            )
        if self.measured and design.difference is None and design.kind != INTERVAL:
            yield (
                "The numbers are for a difference as large as the measured one, which is itself uncertain; "
                "--difference sets the smallest difference that matters."
                + (
                    f" interval: from the {percent(1 - design.alpha)} interval of the effect; ∞ where that "
                    "contains 0. The power for the measured difference only restates its p-value."
                    if design.kind == "t"
                    else ""
                )
            )
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return ((*need[:-1], *(need.needed_span or (None, None))) for need in self.needs)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev power", 1),
            "policy": self.policy,
            "design": {name: getattr(self.design, name) for name in _DESIGN},
            "inputs": recorded(self.inputs),
            "needs": recorded([*self.objects]),
        }


def _sentence(design: PowerChoices) -> str:
    level = decimal(design.alpha)
    if design.kind == INTERVAL:
        confidence = percent(1 - design.alpha)
        return f"For a {confidence} {_HOW[INTERVAL]} that is expected to be {decimal(design.width or 0.0)} wide."
    sides = "" if design.kind == ANOVA or design.alternative == "two-sided" else ", one-sided"
    of = f" of {counted(design.systems or 2, 'run')}" if design.kind == ANOVA else ""
    return f"For a {_HOW[design.kind]}{of}{sides} at level {level} with a power of {percent(design.power)}."


_CHANCES = {
    "by value": "by_value",
    "significant": "significant",
    "any drop": "any_drop",
    "no worse": "no_worse",
}
"""Headings of chances, and what they are."""


@dataclass(frozen=True, eq=False, repr=False)
class GatePower(Finding):
    """How often a gate fails, for each true drop.

    Attributes
    ----------
    chances : tuple of Chance
    gate : PowerChoices
    policy : str
        Which queries count, in words; empty of a variance.
    inputs : tuple of Input
    """

    chances: tuple[Chance, ...]
    gate: PowerChoices
    policy: str = ""
    inputs: tuple[Input, ...] = ()

    title = "How often a gate fails"
    columns = Chance._fields
    exact = frozenset({"variance", "drop"})

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
            "measure": chance.measure or "",
            "run": named(chance.run or ""),
            "against": named(chance.baseline or ""),
            "queries": f"{chance.queries:,}",
            "variance": real(chance.variance, self.look.digits + 2),
            "true drop": decimal(round(chance.drop, 12)),
            **{heading: _percent(getattr(chance, name)) for heading, name in _CHANCES.items()},
        }

    @property
    def notes(self) -> Iterator[str]:
        allowed, level = decimal(self.gate.gate or 0.0), decimal(self.gate.alpha)
        yield (
            f"By value: --max-drop {allowed}; significant: with --significant {level}; any drop: with --any-drop, too;"
            f" no worse: --no-worse-than {allowed} at that level. For one condition, and normally distributed"
            f" differences."
        )
        if any(chance.by_value is None for chance in self.chances):
            yield f"{MISSING}: there are fewer than two queries, or the variance is 0 or unknown."
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter(self.chances)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev gate power", 1),
            "policy": self.policy,
            "gate": {called: getattr(self.gate, name) for name, called in _GATE.items()},
            "inputs": recorded(self.inputs),
            "chances": recorded(self.chances),
        }


def _percent(chance: float | None) -> str:
    return MISSING if chance is None else f"{100 * chance:.1f}%"
