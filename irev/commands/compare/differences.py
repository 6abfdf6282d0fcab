"""Differences of runs in other ways than by tests: by weights of queries, and in groups of queries.

Each way makes lines, one for each measure and pair of runs, of which the fields are the columns and the record. The
commands of the extension studies show their lines by `Differences` too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from irev.base.errors import InputError, UsageError, decimal, option, shown
from irev.base.records import dataclass
from irev.base.segments import Ints, difference, mean
from irev.base.text import counted, decoded, encoded, ends, interval, named, p_value, percent, real, signed
from irev.commands.compare import CompareChoices
from irev.evaluation.comparison import Aligned, Measured, pairs_of, without_unjudged
from irev.evaluation.comparison.systems import Gathered
from irev.evaluation.notes import group_notes
from irev.evaluation.result import Input
from irev.output.figures import Estimate, Estimated, figure_of_estimates
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import RESTS, Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.output.reports.comparison import unevenly_judged, what_mark_means
from irev.reading.small_files import read_groups
from irev.reading.sources import Source
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import INTERVALS, WIDER, of_differences, possible, unseen
from irev.statistics.paired import jackknifed, test
from irev.statistics.ratios import weighted_mean
from irev.statistics.variance import welch

RESTING = "rests_on_unjudged"
"""The field that says whether what a line shows changes without unjudged documents; None if that is unknown."""

_LABELS = ("measure", "run", "baseline", "group")


Line: TypeAlias = Any
"""A named tuple with the fields ``measure``, ``baseline`` and ``run``, and those that its way has."""


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Pictured, ReportedFinding):
    """Differences of runs, found in one of the ways.

    Attributes
    ----------
    lines : tuple of Line
    confidence, alpha : float
        Of intervals, and of significance.
    margin : float or None
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    notes_of : tuple of str
        What else is to be said.
    unjudged : tuple of str
        Sentences on unjudged documents.
    """

    lines: tuple[Line, ...]
    confidence: float
    alpha: float
    margin: float | None
    policy: str
    inputs: tuple[Input, ...] = ()
    notes_of: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    way: ClassVar[str]
    """What records call the way."""

    hidden: ClassVar[tuple[str, ...]] = ("queries",)
    """Fields of lines that people do not see."""

    headings: ClassVar[Mapping[str, str]] = {}
    """What people see for the names of fields."""

    without_interval: ClassVar[str] = ""
    """Why a line has no interval, where it may have none."""

    texts = frozenset({*_LABELS, "note"})
    exact = frozenset({"p", "adjusted", "interaction"})

    @property
    def explained(self) -> Iterator[str]:
        """Sentences on the numbers."""
        return iter(())

    @property
    def columns(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self.lines[0]._fields
        return found

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter(self.lines)

    @property
    def record(self) -> dict[str, Any]:
        found = fields_of(self, "way", "confidence", "alpha", "margin", "policy", "inputs")
        return {
            **stamped("irev differences"),
            **found,
            "notes": [*self.notes_of, *self.unjudged],
            **fields_of(self, "lines"),
        }

    def _heading(self, name: str) -> str:
        return {"baseline": "against", "low": "interval", **self.headings}.get(name, name.replace("_", " "))

    @property
    def sheets(self) -> Iterator[Sheet]:
        there = [
            name
            for name in self.columns
            if name not in ("high", "note", RESTING, *self.hidden)
            and any(getattr(line, name) is not None for line in self.lines)
        ]
        if "adjusted" in there:
            there.remove("p")
        labels = [self._heading(name) for name in _LABELS if name in there]
        header = [heading for name in there if (heading := self._heading(name)) not in labels]
        yield table("", labels, header, map(self._texts, self.lines))

    def _texts(self, line: Line) -> Texts:
        found: dict[str, str | Cell] = {}
        for name, value in line._asdict().items():
            called = self._heading(name)
            if name in ("adjusted", "interaction"):
                found[called] = Cell(p_value(value), significant=self._less(value))
            elif name == "low":
                found[called] = interval(ends(value, line._asdict()["high"]), self.look.digits)
            else:
                found[called] = named(value) if isinstance(value, str) else self._number(name, value)
        if _is_marked(line):
            found["difference"] = Cell(str(found["difference"]), above=RESTS)
        return found

    def _less(self, p: float | None) -> bool:
        return p is not None and p <= self.alpha

    def _number(self, name: str, value: float | None) -> str:
        if name == "effective":
            return real(value, 1)
        if name == "queries":
            return f"{value:,}"
        changes = ("difference", "original", "relative", "original_relative", "delta_relative")
        return (signed if name in changes else real)(value, self.look.digits)

    @property
    def notes(self) -> Iterator[str]:
        yield f"Queries: {self.policy}."
        yield from self.explained
        if self.without_interval and any(line.low is None for line in self.lines):
            yield f"There is no interval where {self.without_interval}."
        p_values = (getattr(line, name, None) for line in self.lines for name in ("adjusted", "interaction"))
        if any(map(self._less, p_values)):
            yield f"* significant at {decimal(self.alpha)}."
        yield from map(named, (*self.notes_of, *self.unjudged))

    def drawn(self, form: Form) -> bytes:
        """A forest plot of the differences and their intervals."""
        numbers = []
        for line in self.lines:
            spans = [(name, getattr(line, name, None)) for name in ("original", "difference")]
            known = ends(getattr(line, "low", None), getattr(line, "high", None))
            estimates = tuple(
                Estimate(name, value, known if name == "difference" else None)
                for name, value in spans
                if value is not None
            )
            if estimates:
                name = f"{named(line.run)} − {named(line.baseline)}" + (f" {RESTS}" if _is_marked(line) else "")
                numbers.append(Estimated(line.measure, name, estimates, True))
        caption = " ".join([f"Intervals at {percent(self.confidence)}.", *self.unjudged])
        return figure_of_estimates(numbers, form, caption)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {counted(len(self.lines), 'line')}>"


Shows = Callable[[Any], tuple[int, bool]]
"""What a line shows: the side of 0 on which the difference is, or 0; and whether groups differ."""


Made = Callable[[Measured], Iterable[Line]]
"""Makes the lines of a measure."""


def lines_of(found: Gathered, made: Made) -> tuple[Line, ...]:
    """The lines of every measure."""
    return tuple(line for measured in found.aligned.measured for line in made(measured))


def marked(
    lines: Sequence[Line], found: Gathered, aligned: Aligned, first: int | None, made: Made, shows: Shows
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The lines, with a mark on those that change without unjudged documents; and sentences on unjudged documents.

    Judged documents are counted in `aligned`, whose places `first` is one of.
    """
    measures = found.aligned.measured
    uneven, unjudged = unevenly_judged(aligned, first, 4, shares=True)
    others = [line for each in measures for line in made(without_unjudged(each))] if uneven else lines
    unknown = {each.quantity.standard for each in measures if each.unknown}
    rests = [_rests(*each, uneven, unknown, shows) for each in zip(lines, others, strict=True)]
    if any(rests):
        few = any(uneven[line.measure, line.baseline, line.run] for line, of in zip(lines, rests, strict=True) if of)
        unjudged.append(what_mark_means("result", few))
    again = [line._replace(rests_on_unjudged=of) for line, of in zip(lines, rests, strict=True)]
    return tuple(again), tuple(unjudged)


def require_two(runs: Sequence[str]) -> None:
    """Raise `UsageError` for fewer than two runs."""
    if len(runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")


def _is_marked(line: Line) -> bool:
    return bool(getattr(line, RESTING, False))


def _rests(
    line: Line, other: Line, uneven: Mapping[tuple[str, str, str], bool], unknown: Collection[str], shows: Shows
) -> bool | None:
    """Whether what a line shows is not what `other` shows, of the same without unjudged documents; None if unknown."""
    shown = shows(line)
    if not any(shown):
        return False
    if line.measure in unknown:
        return None
    few = uneven.get((line.measure, line.baseline, line.run))
    return few is not None and (few or shown != shows(other))


def shown_by_test(line: Any, alpha: float) -> tuple[int, bool]:
    """What the corrected p-value of a line shows, and that of the interaction of run and group."""
    p, between = line.adjusted, getattr(line, "interaction", None)
    side = 0 if p is None or p > alpha or not line.difference else 1 if line.difference > 0 else -1
    return side, between is not None and between <= alpha


# By weights of queries, and in groups of queries


class WeightedDifference(NamedTuple):
    """The difference of weighted means, as `irev.statistics.ratios` has it; `queries` are those with a weight."""

    measure: str
    baseline: str
    run: str
    queries: int
    effective: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    rests_on_unjudged: bool | None = False


class InGroup(NamedTuple):
    """The difference in a group of queries; `interaction` is p of the difference being the same in all groups in which
    it varies, None for a group in which it does not."""

    measure: str
    baseline: str
    run: str
    group: str
    queries: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    interaction: float | None
    rests_on_unjudged: bool | None = False


FEW = 25
"""With fewer queries of equal weight intervals of skewed differences miss too often: benchmarks/weighted_means.py."""


@dataclass(frozen=True, eq=False, repr=False)
class WeightedDifferences(Differences):
    """Differences of weighted means.

    Attributes
    ----------
    how : str
        How intervals are made.
    units : str
        What has the weights: ``queries`` or ``clusters``.
    """

    how: str = ""
    units: str = "queries"

    title = "Differences of weighted means"
    way = "weights"
    headings: ClassVar[Mapping[str, str]] = {"effective": "n eff"}
    without_interval = "a few queries all differ by the same amount, or one query has nearly all of the weight"

    @property
    def explained(self) -> Iterator[str]:
        decide = [line.effective for line in self.lines if line.effective]
        if decide and min(decide) < FEW:
            yield (
                f"Few {self.units} decide: n eff is {real(min(decide), 1)}. Intervals of skewed differences then"
                " miss in up to 13 of 100 samples, not in 5."
            )
        yield (
            f"difference: of means by the weights of queries. interval, {percent(self.confidence)}: {self.how}. n eff:"
            f" so many {self.units} of equal weight would weigh as much. adjusted: p-values by t, with Holm's"
            " correction."
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupDifferences(Differences):
    """Differences in groups of queries.

    Attributes
    ----------
    how : str
        How intervals are made.
    """

    how: str = ""

    title = "Differences in groups of queries"
    way = "groups"
    hidden = ()
    without_interval = (
        "a group has one query or cluster, a few that all differ by the same amount, or values that are not finite"
    )

    @property
    def explained(self) -> Iterator[str]:
        yield (
            f"interval, {percent(self.confidence)}: {self.how}. adjusted: p-values by t, with Holm's correction over"
            " the groups and runs of a measure. interaction: p of the difference being the same in all groups (Welch's"
            " analysis of variance). A difference that is significant in one group and not in another need not differ"
            " between them."
        )


def differences(found: Gathered, choices: CompareChoices) -> Differences:
    """The differences of runs by the weights of queries, or in groups of queries."""
    runs, notes = found.aligned.runs, list(found.notes)
    require_two(runs)
    first = choices.first(runs, found.files)
    pairs = pairs_of(len(runs), first)
    about: dict[str, Any] = {"runs": runs, "pairs": pairs, "choices": choices}
    units = "queries" if found.aligned.measured[0].cluster is None else "clusters"
    clustered = " by clusters" * (units == "clusters")
    made: Made
    kind: Callable[..., Differences]
    if choices.weights:
        made = partial(_weighed, **about)
        bootstrap = f", {choices.samples:,} samples, seed {choices.seed}" if choices.interval != "t" else ""
        how = {
            "t": f"t, with the jackknife's error{clustered} and as many degrees of freedom as weights leave",
            "percentile": f"bootstrap percentiles{clustered}{bootstrap}",
            "bca": f"bootstrap{clustered}, bias-corrected and accelerated{bootstrap}",
        }[choices.interval]
        kind = partial(WeightedDifferences, how=f"{how}; {WIDER}", units=units)
    else:
        members = _groups(choices.groups or {}, found.aligned.measured[0], notes)
        made = partial(_in_groups, members=members, notes=notes, **about)
        kind = partial(GroupDifferences, how=f"{INTERVALS[choices.interval].title}{clustered}; {WIDER}")
    lines = lines_of(found, made)
    shared = choices.confidence, choices.alpha, choices.margin, found.policy, found.inputs, tuple(notes)
    lines, unjudged = marked(lines, found, found.aligned, first, made, lambda line: shown_by_test(line, choices.alpha))
    return kind(lines, *shared, unjudged)


def _weighed(
    measured: Measured, runs: Sequence[str], pairs: Sequence[tuple[int, int]], choices: CompareChoices
) -> Iterator[Line]:
    known = dict(choices.weights or ())
    for query in measured.queries:
        if query not in known:
            raise InputError(f"the query {shown(query)} has no weight", remedy=f"add it to {option('query_weights')}")
    weights = np.array([known[query] for query in measured.queries], dtype=np.float64)
    differences = (difference(measured.values[:, run], measured.values[:, base]) for base, run in pairs)
    largest = possible(measured.values)
    found = [weighted_mean(each, weights, choices, measured.cluster, largest) for each in differences]
    p_values = adjusted("holm", [each.p for each in found])
    for (base, run), each, p in zip(pairs, found, p_values, strict=True):
        low, high = each.interval or (None, None)
        about = (measured.quantity.standard, runs[base], runs[run], int((weights > 0).sum()))
        yield WeightedDifference(*about, each.effective, each.mean, low, high, each.p, p)


def _groups(said: str | Mapping[str, str], measured: Measured, notes: list[str]) -> dict[str, Ints]:
    """The places of the queries of each group, in the order of their names."""
    if isinstance(said, str):
        with Source(said) as source:
            known = read_groups(source)
    else:
        known = {encoded(query): encoded(group) for query, group in said.items()}
    notes += (note.said for note in group_notes((), [each for each in measured.queries if each not in known]))
    found: dict[str, list[int]] = {}
    for place, query in enumerate(measured.queries):
        if query in known:
            found.setdefault(decoded(known[query]), []).append(place)
    if len(found) < 2:
        fact = f"{option('groups')}: the queries that count are in {counted(len(found), 'group')}"
        raise UsageError(fact, remedy="give two groups or more")
    members = {group: np.array(found[group], dtype=np.int64) for group in sorted(found)}
    if measured.cluster is not None:
        several = [np.unique(measured.cluster[places]) for places in members.values()]
        if sum(map(len, several)) > len(np.unique(np.concatenate(several))):
            fact = f"{option('clusters')}: a cluster has queries of several groups"
            raise UsageError(fact, remedy="give groups of whole clusters, or leave out one of the two options")
    return members


def _in_groups(
    measured: Measured,
    runs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    members: Mapping[str, Ints],
    choices: CompareChoices,
    notes: list[str],
) -> Iterator[Line]:
    largest, found = possible(measured.values), list[InGroup]()
    for base, run in pairs:
        of_pair, parts = list[InGroup](), {}
        for group, places in members.items():
            column = difference(measured.values[places, run], measured.values[places, base])[:, None]
            cluster = None if measured.cluster is None else np.unique(measured.cluster[places], return_inverse=True)[1]
            rows = jackknifed(column, cluster)
            (span,) = of_differences(column, choices, largest, cluster)
            (more,) = unseen(column, largest, cluster)
            size, error = len(rows), math.nan
            if size > 1 and np.isfinite(rows).all():
                error = math.hypot(float(rows.std(ddof=1)) / math.sqrt(size), more)
            (tested,) = test("t", rows, choices)
            if error > 0:
                parts[group] = (mean(column[:, 0]), error, size)
            about = (measured.quantity.standard, runs[base], runs[run], group, len(places))
            low, high = span or (None, None)
            of_pair.append(InGroup(*about, mean(column[:, 0]), low, high, tested.p, None, None))
        same = welch(*np.array([*parts.values()], dtype=np.float64).T) if len(parts) > 1 else None
        found += (line._replace(interaction=same[2] if same and line.group in parts else None) for line in of_pair)
        left_out = [group for group in members if same and group not in parts]
        said = f"Left out of the interaction, because they have one query or no variance: {', '.join(left_out)}."
        if left_out and said not in notes:
            notes.append(said)
    p_values = adjusted("holm", [line.p for line in found])
    yield from (line._replace(adjusted=p) for line, p in zip(found, p_values, strict=True))
