"""The answer of ``irev power``: how many queries are needed to find a difference, and how often a gate fails.

Both are computed from measured runs, or from a variance.

The designs are those of Sakai, Topic Set Size Design, Information Retrieval Journal 19(3), 2016: by a paired t-test, by
analysis of variance for several runs, or by the width of an interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.segments import Floats, mean
from irev.base.text import MISSING, counted, named, p_value, percent, real, signed
from irev.evaluation.comparison import Aligned, Measured, differences_of, firsts_of, in_clusters, pairs_of
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import cluster_notes
from irev.evaluation.result import Input
from irev.extensions.studies.power import ANOVA, INTERVAL, PowerChoices, T
from irev.extensions.studies.statistics import planning
from irev.extensions.studies.statistics.planning import Unseen, all_differ, sample_variance
from irev.output.finding import ReportedFinding, recorded
from irev.output.report import Plain, Sheet, Texts, stamped, table
from irev.statistics import corrections, effects
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.effects import MOST
from irev.statistics.intervals import possible, unseen_error
from irev.statistics.paired import cluster_sums, jackknifed
from irev.statistics.plan import MAX_T, TUKEY, Plan
from irev.statistics.rounding import SLACK

_DESIGN = ("kind", "alpha", "power", "alternative", "difference", "variance", "systems", "width")
_GATE = {"gate": "allowed", "difference": "drop", "number": "queries", "variance": "variance", "alpha": "alpha"}
"""The choices that records have, and what they are called there."""


class Need(NamedTuple):
    """How many queries are needed.

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
    no_worse: float | None = None


IN_CLUSTERS = "Numbers of queries are for clusters like these; variance: of the mean, times the number of queries."

_HOW = {
    "t": "paired t-test",
    ANOVA: "one-way analysis of variance",
    INTERVAL: "t interval of the difference",
}


@dataclass(frozen=True, eq=False, repr=False)
class Power(ReportedFinding):
    """How many queries a design needs for each pair of runs, or for a variance.

    Attributes
    ----------
    needs : tuple of Need
    design : PowerChoices
    tests : int
        How many t-tests are corrected together.
    policy : str
        Which queries count, in words; empty of a variance.
    inputs : tuple of Input
    """

    needs: tuple[Need, ...]
    design: PowerChoices
    tests: int = 1
    policy: str = ""
    inputs: tuple[Input, ...] = ()

    title = "Queries needed"
    columns = Need._fields
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
            "difference": signed(need.difference, digits),
            "variance": real(need.variance, digits + 2),
            "effect": signed(need.effect, 2),
            "queries now": f"{need.queries:,}" if need.queries is not None else "",
            "power now": real(need.power, 2),
        }

    @property
    def notes(self) -> Iterator[str]:
        design = self.design
        yield _sentence(design, self.tests, self.measured)
        if any(need.needed is None for need in self.needs):
            yield f"{MISSING}: more than {MOST:,} are needed, or the variance is 0 or unknown."
        if design.clusters is not None:
            yield IN_CLUSTERS
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter(self.needs)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev power"),
            "policy": self.policy,
            "design": {
                **{name: getattr(self.design, name) for name in _DESIGN},
                "correction": _level(self.design, self.tests)[0],
                "tests": self.tests,
            },
            "inputs": recorded(self.inputs),
            "needs": recorded(self.needs),
        }


_SHARE = (", if all queries differ", ", if as large a share of the queries differs")
"""What intervals and --no-worse-than are planned for, without runs and with them."""


def _sentence(design: PowerChoices, tests: int, measured: bool) -> str:
    level = decimal(design.alpha)
    if design.kind == INTERVAL:
        confidence = percent(1 - design.alpha)
        width = f"{decimal(design.width or 0.0)} wide{_SHARE[measured]}"
        return f"For a {confidence} {_HOW[INTERVAL]} that is expected to be {width}."
    sides = "" if design.kind == ANOVA or design.alternative == "two-sided" else ", one-sided"
    of = f" of {counted(design.systems or 2, 'run')}" if design.kind == ANOVA else ""
    corrected, limit = _level(design, tests)
    if corrected != "none":
        joint: dict[str, str] = {MAX_T: "the maximum-t method", TUKEY: "Tukey's test"}
        title = joint.get(corrected) or CORRECTIONS[corrected].title
        of = f" with {title} over {counted(tests, 'test')}"
        level += f", which is p ≤ {p_value(limit)} for one of them alone,"
    return f"For a {_HOW[design.kind]}{of}{sides} at level {level} with a power of {percent(design.power)}."


def _level(design: PowerChoices, tests: int) -> tuple[str, float]:
    """The correction that `irev compare` makes of so many tests, and the level of one of them."""
    plan = Plan(correction=design.correction)
    corrected = corrections.chosen(plan, tests, design.all_pairs) if design.kind == T and tests > 1 else "none"
    return corrected, corrections.level(corrected, design.alpha, tests)


_CHANCES = {
    "by value": "by_value",
    "significant": "significant",
    "no worse": "no_worse",
}
"""Headings of the table, and the field of `Chance` in each."""


@dataclass(frozen=True, eq=False, repr=False)
class GatePower(ReportedFinding):
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
            f"By value: --max-drop {allowed}; significant: with --significant {level};"
            f" no worse: --no-worse-than {allowed} at that level. For one condition, and normally distributed"
            f" differences{_SHARE[any(chance.measure for chance in self.chances)]}."
        )
        if any(chance.by_value is None for chance in self.chances):
            yield f"{MISSING}: there are fewer than two queries, or the variance is 0 or unknown."
        if self.gate.clusters is not None:
            yield IN_CLUSTERS
        if self.policy:
            yield f"Queries: {self.policy}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter(self.chances)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev gate power"),
            "policy": self.policy,
            "gate": {called: getattr(self.gate, name) for name, called in _GATE.items()},
            "inputs": recorded(self.inputs),
            "chances": recorded(self.chances),
        }


def _percent(chance: float | None) -> str:
    return MISSING if chance is None else f"{100 * chance:.1f}%"


def answer(inputs: Inputs, choices: PowerChoices) -> Power | GatePower:
    """How many queries it takes, or how often a gate turns red: of the runs that are given, or of a variance."""
    if choices.gate is None:
        _require_answer(choices)
    found = systems_of(inputs) if choices.files else None
    if found and len(found.aligned.runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    if found:
        found = found._replace(aligned=in_clusters(found.aligned, choices.clusters))
        inputs.say([*cluster_notes(found.aligned.measured[0].queries, found.aligned.measured[0].cluster)])
    about = (found.policy, found.inputs) if found else ("", ())
    first = choices.first(found.aligned.runs, found.files) if found else None
    if choices.gate is not None:
        chances = chances_of_runs(found.aligned, first, choices) if found else chances_of_variance(choices)
        return GatePower(tuple(chances), choices, *about)
    if choices.kind != INTERVAL and choices.systems is None:
        choices = replace(choices, systems=len(found.aligned.runs) if found else 2)
    tests = 1
    if choices.kind == T:
        tests = len(pairs_of(choices.systems or 2, None if choices.all_pairs else 0))
        tests *= len({*firsts_of(found.aligned.measured)}) if found and choices.family == "all" else 1
    level = _level(choices, tests)[1]
    needs = from_runs(found.aligned, first, choices, level) if found else [from_variance(choices, level)]
    return Power(tuple(needs), choices, tests, *about)


def _require_answer(choices: PowerChoices) -> None:
    """Raise `UsageError` for an interval without a width, and for a test without a difference to find.

    A measured difference is none: those that made somebody plan an experiment are too large.
    """
    if choices.kind == INTERVAL and choices.width is None:
        raise UsageError("the width of the interval is needed", remedy=f"give {option('width')}")
    if choices.kind != INTERVAL and choices.difference is None:
        fact = "the smallest difference that matters is needed; a measured one that is significant is often too large"
        raise UsageError(fact, remedy=f"give {option('difference')}")


def from_variance(design: PowerChoices, level: float) -> Need:
    """How many queries a design takes, without any data.

    Raises
    ------
    UsageError
        For a design that lacks a number.
    """
    if design.variance is None:
        raise UsageError(
            "without runs a variance is needed", remedy=f"give {option('variance')}, or judgments and runs"
        )
    if design.kind == INTERVAL:
        return Need(variance=design.variance, needed=_by_interval(design, design.variance))
    return _need(design, level, (None, None, None), None, design.variance)


def from_runs(aligned: Aligned, baseline: int | None, design: PowerChoices, level: float) -> list[Need]:
    """How many queries it takes for runs that differ by a variance such as theirs.

    For ``t`` and ``interval`` each pair of runs is looked at under every measure; for ``anova`` all runs together.
    """
    pairs = pairs_of(len(aligned.runs), baseline)
    found = []
    for measured in aligned.measured:
        name, queries = measured.quantity.standard, len(measured.queries)
        rows = measured.clusters or queries
        if design.kind == ANOVA:
            variance = (
                _within(jackknifed(measured.values, measured.cluster)) if design.variance is None else design.variance
            )
            need = _need(design, level, (name, None, None), rows, variance)
            found.append(_of_queries(need, queries / rows))
            continue
        by_pair = jackknifed(differences_of(measured.values, pairs), measured.cluster).T
        for (base, run), differences in zip(pairs, by_pair, strict=True):
            variance = sample_variance(differences) if design.variance is None else design.variance
            about = name, aligned.runs[base], aligned.runs[run]
            unseen = _unseen(measured, base, run)
            need = _need(design, level, about, rows, variance, mean(differences), unseen)
            found.append(_of_queries(need, queries / rows))
    return found


def _of_queries(need: Need, size: float) -> Need:
    """The same in queries, of what is about clusters of so many queries each: a variance is one of the mean then, times
    the queries."""
    if size == 1:
        return need

    def times(clusters: int | None) -> int | None:
        return None if clusters is None else math.ceil(clusters * size)  # as `queries_needed` of clusters

    return need._replace(
        queries=times(need.queries),
        variance=None if need.variance is None else need.variance * size,
        effect=None if need.effect is None else need.effect / math.sqrt(size),
        needed=times(need.needed),
    )


def _within(values: Floats) -> float | None:
    """The variance of queries within a run, of all runs together."""
    found = [sample_variance(column) for column in values.T]
    known = [variance for variance in found if variance is not None]
    return mean(np.array(known)) if len(known) == len(found) else None


def _need(
    design: PowerChoices,
    level: float,
    about: tuple[str | None, str | None, str | None],
    queries: int | None,
    variance: float | None,
    measured: float = math.nan,
    unseen: Unseen = all_differ,
) -> Need:
    difference = measured if design.difference is None else design.difference
    effect = present = needed = None
    if variance is not None and math.isfinite(variance) and variance > 0 and math.isfinite(difference):
        effect = difference / math.sqrt(variance)
        if design.kind == INTERVAL:
            needed = _by_interval(design, variance, unseen)
        elif design.kind == ANOVA:
            needed = planning.needed_anova(design.systems or 2, difference, variance, design.alpha, design.power)
        else:
            # The difference lies where the alternative looks for it.
            sides = "two-sided" if design.alternative == "two-sided" else "greater"
            needed = effects.queries_needed(effect, level, design.power, sides)
            if queries is not None and queries > 1:
                present = effects.power_of(queries, effect, level, sides)
    return Need(*about, queries, difference, variance, effect, present, needed)


def _by_interval(design: PowerChoices, variance: float, unseen: Unseen = all_differ) -> int | None:
    return planning.needed_interval(design.width or 0.0, variance, design.alpha, unseen)


def _unseen(measured: Measured, base: int, run: int) -> Unseen:
    """The error of queries (or clusters) that differ and are not in a sample, of which as large a share differs."""
    largest = possible(measured.values)
    sums = cluster_sums(differences_of(measured.values, [(base, run)]), measured.cluster)
    share = float((np.abs(sums) > SLACK * largest).mean())
    return lambda n: unseen_error(n, n * share, largest)


# How often a gate fails: the chances are those of normal differences, whose spread comes from runs or is given.


def chances_of_variance(asked: PowerChoices) -> list[Chance]:
    """The chances of a gate without any data.

    Raises
    ------
    UsageError
        Without a variance, or a number of queries.
    """
    if asked.variance is None:
        raise UsageError(
            "without runs a variance is needed", remedy=f"give {option('variance')}, or judgments and runs"
        )
    if asked.number is None:
        raise UsageError(
            "without runs a number of queries is needed", remedy=f"give {option('number')}, or judgments and runs"
        )
    return list(_chances(asked, (None, None, None), asked.number, asked.variance, 1.0))


def chances_of_runs(aligned: Aligned, baseline: int | None, asked: PowerChoices) -> list[Chance]:
    """The chances of a gate for runs that differ as these do, under every measure."""
    pairs = pairs_of(len(aligned.runs), baseline)
    found: list[Chance] = []
    for measured in aligned.measured:
        queries = len(measured.queries)
        by_pair = jackknifed(differences_of(measured.values, pairs), measured.cluster).T
        for (base, run), rows in zip(pairs, by_pair, strict=True):
            about = (measured.quantity.standard, aligned.runs[base], aligned.runs[run])
            variance = sample_variance(rows) if asked.variance is None else asked.variance
            unseen = _unseen(measured, base, run)
            found += _chances(asked, about, asked.number or queries, variance, queries / len(rows), unseen)
    return found


def _chances(
    asked: PowerChoices,
    about: tuple[str | None, str | None, str | None],
    queries: int,
    variance: float | None,
    size: float,
    unseen: Unseen = all_differ,
) -> Iterator[Chance]:
    """Of so many queries in clusters of this mean size, that differ from each other by this variance."""
    clusters = round(queries / size)
    for drop in asked.drops:
        if not variance or not math.isfinite(variance) or clusters < 2:
            yield Chance(*about, queries, variance, drop)
            continue
        gate = (clusters, drop, asked.gate or 0.0, math.sqrt(variance))
        yield Chance(
            *about,
            queries,
            variance * size,
            drop,
            planning.measured_beyond(*gate),
            planning.shown_beyond(*gate, asked.alpha),
            1 - planning.shown_within(*gate, asked.alpha, unseen(clusters)),
        )
