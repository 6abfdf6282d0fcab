"""Differences of runs in other ways than by tests: by a posterior, over seeds, beside an experiment before, by weights,
and in groups of queries.

Each way makes lines, one for each measure and pair of runs, of which the fields are the columns and the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from irev.base.aggregates import mean, standard_deviation
from irev.base.errors import InputError, UsageError, decimal, option, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, difference, values_on
from irev.base.text import counted, decoded, encoded, ends, interval, named, p_value, percent, real, signed
from irev.commands.compare import CompareChoices
from irev.evaluation.comparison import Aligned, Condensed, Measured, align, pairs_of, shares_of, without_unjudged
from irev.evaluation.comparison.systems import Gathered, read
from irev.evaluation.notes import group_notes
from irev.evaluation.result import Input
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import RESTS, Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.output.reports.comparison import unevenly_judged, what_mark_means
from irev.reading.small_files import read_groups
from irev.reading.sources import Source
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import INTERVALS, WIDER, of_differences, possible, unseen
from irev.statistics.paired import jackknifed, test

BAYES, SEEDS, ORIGINAL, WEIGHTS, GROUPS = "bayes", "seeds", "original", "weights", "groups"
"""The ways, as the choices that ask for them are called."""


class Believed(NamedTuple):
    """By a posterior: how probable it is that a run is better than the baseline, and by more than the margin."""

    measure: str
    baseline: str
    run: str
    queries: int
    difference: float | None
    low: float | None
    high: float | None
    better: float | None
    beyond: float | None
    note: str
    rests_on_unjudged: bool | None = False


class OverRuns(NamedTuple):
    """Over all runs that systems could have: the difference, and standard deviations of what makes values vary.

    Then the mean of both systems, and the standard deviation of means between their seeds: None for a single run.
    """

    measure: str
    baseline: str
    run: str
    queries: int
    runs: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    of_queries: float
    of_runs: float
    of_rest: float
    baseline_mean: float
    baseline_sd: float | None
    mean: float
    sd: float | None
    rests_on_unjudged: bool | None = False


_OF_SYSTEMS = ("baseline_mean", "baseline_sd", "mean", "sd")
"""Fields of `OverRuns` about one system, which people see in a table of their own."""


class Repeated(NamedTuple):
    """An improvement over the baseline, beside what it was before; `Replication` says what each number is."""

    measure: str
    baseline: str
    run: str
    queries: int
    original: float
    difference: float
    effect_ratio: float | None
    original_relative: float | None
    relative: float | None
    delta_relative: float | None
    rmse_baseline: float | None
    rmse: float | None


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


Line = Believed | OverRuns | Repeated | WeightedDifference | InGroup

_WITHOUT_INTERVAL = {
    SEEDS: "values vary by rounding alone or are not finite",
    WEIGHTS: "a few queries all differ by the same amount, or one query has nearly all of the weight",
    GROUPS: "a group has one query or cluster, a few that all differ by the same amount, or values that are not finite",
}
"""Why a line has none."""

FEW = 25
"""With fewer queries of equal weight intervals of skewed differences miss too often: benchmarks/weighted_means.py."""

_HEADINGS = {
    "of_queries": "queries, SD",
    "of_runs": "seeds, SD",
    "of_rest": "rest, SD",
    "better": "P(better)",
    "beyond": "P(by margin)",
    "run": "run",
    "baseline": "against",
    "effective": "n eff",
    "effect_ratio": "ER",
    "delta_relative": "ΔRI",
    "rmse": "RMSE",
    "rmse_baseline": "RMSE, baseline",
}
"""How people see the fields of lines that have other names for them."""

RESTING = "rests_on_unjudged"
"""The field that says whether what a line shows changes without unjudged documents; None if that is unknown."""

_LABELS = ("measure", "run", "baseline", "group")


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Pictured, ReportedFinding):
    """Differences of runs, found in one of the ways.

    Attributes
    ----------
    way : str
        `BAYES`, `SEEDS`, `ORIGINAL`, `WEIGHTS` or `GROUPS`.
    lines : tuple of Line
    confidence, alpha : float
        Of intervals, and of significance.
    margin : float or None
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    notes_of : tuple of str
        What else is to be said.
    how : str
        How intervals of weighted means, or in groups, are made.
    units : str
        What has the weights: ``queries`` or ``clusters``.
    unjudged : tuple of str
        Sentences on unjudged documents.
    """

    way: str
    lines: tuple[Line, ...]
    confidence: float
    alpha: float
    margin: float | None
    policy: str
    inputs: tuple[Input, ...] = ()
    notes_of: tuple[str, ...] = ()
    how: str = ""
    units: str = "queries"
    unjudged: tuple[str, ...] = ()

    texts = frozenset({*_LABELS, "note"})
    exact = frozenset({"p", "adjusted", "interaction"})

    @property
    def title(self) -> str:
        return {
            BAYES: "Bayesian comparison",
            SEEDS: "Systems compared over queries and seeds",
            ORIGINAL: "Differences now and in the original experiment",
            WEIGHTS: "Differences of weighted means",
            GROUPS: "Differences in groups of queries",
        }[self.way]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.lines[0]._fields

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

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.way == SEEDS:
            yield self._systems
        hidden = ("high", "note", RESTING, *(["queries"] if self.way != GROUPS else []), "runs", *_OF_SYSTEMS)
        names = [name for name in self.columns if name not in hidden]
        there = [name for name in names if any(getattr(line, name) is not None for line in self.lines)]
        if "adjusted" in there:
            there.remove("p")
        header = ["interval" if name == "low" else _HEADINGS.get(name, name.replace("_", " ")) for name in there]
        labels = [_HEADINGS.get(name, name) for name in _LABELS if name in there]
        yield table("", labels, [name for name in header if name not in labels], map(self._texts, self.lines))

    @property
    def _systems(self) -> Sheet:
        """The mean of every system, and its standard deviation between seeds."""
        found = {}
        for line in self.lines:
            if isinstance(line, OverRuns):
                found[line.measure, line.baseline] = line.baseline_mean, line.baseline_sd
                found[line.measure, line.run] = line.mean, line.sd
        digits = self.look.digits
        rows: list[Texts] = [
            {"measure": named(of), "system": named(name), "mean": real(mean, digits), "SD of means": real(sd, digits)}
            for (of, name), (mean, sd) in found.items()
        ]
        return table("", ("measure", "system"), ["mean", "SD of means"], rows)

    def _texts(self, line: Line) -> Texts:
        found: dict[str, str | Cell] = {}
        for name, value in line._asdict().items():
            called = _HEADINGS.get(name, name.replace("_", " "))
            found[called] = named(value) if isinstance(value, str) else self._number(name, value)
        if _is_marked(line):
            found["difference"] = Cell(str(found["difference"]), above=RESTS)
        if not isinstance(line, Repeated):
            found["interval"] = interval(ends(line.low, line.high), self.look.digits)
        if isinstance(line, InGroup):
            found["interaction"] = Cell(p_value(line.interaction), significant=self._less(line.interaction))
        if isinstance(line, OverRuns | WeightedDifference | InGroup):
            found["adjusted"] = Cell(p_value(line.adjusted), significant=self._significant(line))
        return found

    def _significant(self, line: OverRuns | WeightedDifference | InGroup) -> bool:
        return self._less(line.adjusted)

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
        level = f"{percent(self.confidence)}"
        if self.way == BAYES:
            margin = "" if self.margin is None else f"; P(by margin): of more than {decimal(self.margin)}"
            yield (
                "difference: the median of the posterior of the mean difference, under symmetric Student-t noise;"
                f" interval: {level} of the probability; wider where not all queries differ. P(better): the"
                f" probability that the run is better{margin}."
            )
            for line in self.lines:
                if isinstance(line, Believed) and line.note:
                    about = f"{named(line.run)} against {named(line.baseline)}, {named(line.measure)}"
                    yield f"{about}: {'no posterior, ' if line.better is None else ''}{line.note}."
        elif self.way == SEEDS:
            runs = {line.runs for line in self.lines if isinstance(line, OverRuns)}
            yield (
                f"Each system has {counted(max(runs), 'run')}, or a single one if it has no seeds. SD of means: "
                f"standard deviation between the seeds of a system. interval, {level}: for other queries and other "
                "seeds. adjusted: p-values, with Holm's correction. SD: standard deviation of values between "
                "queries (for one system), between seeds, and of both together."
            )
            if max(runs) == 2:
                yield "Two seeds are few: of 100 tests of equal systems, up to 9 find a difference, not 5."
        elif self.way == WEIGHTS:
            decide = [line.effective for line in self.lines if isinstance(line, WeightedDifference) and line.effective]
            if decide and min(decide) < FEW:
                yield (
                    f"Few {self.units} decide: n eff is {real(min(decide), 1)}. Intervals of skewed differences then"
                    " miss in up to 13 of 100 samples, not in 5."
                )
            yield (
                f"difference: of means by the weights of queries. interval, {level}: {self.how}. n eff: so many"
                f" {self.units} of equal weight would weigh as much. adjusted: p-values by t, with Holm's correction."
            )
        elif self.way == GROUPS:
            yield (
                f"interval, {level}: {self.how}. adjusted: p-values by t, with Holm's correction over the groups and"
                " runs of a measure. interaction: p of the difference being the same in all groups (Welch's analysis"
                " of variance). A difference that is significant in one group and not in another need not differ"
                " between them."
            )
        else:
            yield (
                "original, difference: the improvement then and now. ER: effect ratio, now divided by then; 1 "
                "means equally large. relative: the improvement divided by the baseline. ΔRI: relative then "
                "minus relative now; 0 means equal. RMSE: between the values of queries then and now; — if the "
                "queries are not the same."
            )
        if any(isinstance(each, OverRuns | WeightedDifference | InGroup) and each.low is None for each in self.lines):
            yield f"There is no interval where {_WITHOUT_INTERVAL[self.way]}."
        starred = [each for each in self.lines if isinstance(each, OverRuns | WeightedDifference | InGroup)]
        if any(self._significant(each) or self._less(getattr(each, "interaction", None)) for each in starred):
            yield f"* significant at {decimal(self.alpha)}."
        yield from map(named, (*self.notes_of, *self.unjudged))

    def drawn(self, form: Form) -> bytes:
        """A forest plot of the differences and their intervals."""
        from irev.output.figures import figure_of_estimates
        from irev.output.figures.bars import Estimate, Estimated

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
        return figure_of_estimates(numbers, form, caption, self.title)

    def __repr__(self) -> str:
        return f"<Differences: {counted(len(self.lines), 'line')}, {self.way}>"


def differences(found: Gathered, choices: CompareChoices) -> Differences:
    """The differences of runs in the way that is asked for.

    Raises
    ------
    UsageError
        For runs that cannot be divided among systems, and an original experiment of other runs or measures.
    """
    ways = (BAYES, SEEDS, ORIGINAL, WEIGHTS, GROUPS)
    way = next(name for name in ways if getattr(choices, name) not in (None, False, ()))
    runs = found.aligned.runs
    first = choices.first(runs, found.files)
    inputs, notes = found.inputs, list(found.notes)
    if len(runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    pairs = pairs_of(len(runs), first)
    aligned = found.aligned
    made: Callable[[Measured], Iterable[Line]] = partial(_believed, runs=runs, pairs=pairs, choices=choices)
    if choices.seeds:
        systems, pairs = _systems(runs, choices.seeds, first, choices.baseline is not None)
        notes += [f"{each.name} is one run, the same under every seed." for each in systems if len(each.places) == 1]
        made = partial(_over_runs, systems=systems, pairs=pairs, choices=choices)
        first = None if first is None else next(n for n, each in enumerate(systems) if first in each.places)
        aligned = _means_of(aligned, systems)
    elif choices.original is not None:
        before, more = _before(choices.original, found, notes)
        inputs = (*inputs, *more)
        made = partial(_repeated, before=before, runs=runs, pairs=pairs)
    elif choices.weights:
        made = partial(_weighed, runs=runs, pairs=pairs, choices=choices)
    elif choices.groups:
        members = _groups(choices.groups, found.aligned.measured[0], notes)
        made = partial(_in_groups, runs=runs, pairs=pairs, members=members, choices=choices, notes=notes)
    lines = [line for measured in found.aligned.measured for line in made(measured)]
    said = tuple(notes)
    uneven, unjudged = unevenly_judged(aligned, first, 4, shares=True)
    if way != ORIGINAL:
        again = [line for each in found.aligned.measured for line in made(without_unjudged(each))] if uneven else lines
        unknown = {each.quantity.standard for each in found.aligned.measured if each.unknown}
        rests = [_rests(*each, uneven, unknown, choices.alpha) for each in zip(lines, again, strict=True)]
        both = zip(lines, rests, strict=True)
        lines = [each if isinstance(each, Repeated) else each._replace(rests_on_unjudged=of) for each, of in both]
        if any(rests):
            none = any(uneven[line[:3]] for line, of in zip(lines, rests, strict=True) if of)
            unjudged.append(what_mark_means("result", none))
    units = "queries" if found.aligned.measured[0].cluster is None else "clusters"
    how, clustered = "", " by clusters" * (units == "clusters")
    if way == GROUPS:
        how = f"{INTERVALS[choices.interval].title}{clustered}; {WIDER}"
    if way == WEIGHTS:
        bootstrap = f", {choices.samples:,} samples, seed {choices.seed}" if choices.interval != "t" else ""
        how = {
            "t": f"t, with the jackknife's error{clustered} and as many degrees of freedom as weights leave",
            "percentile": f"bootstrap percentiles{clustered}{bootstrap}",
            "bca": f"bootstrap{clustered}, bias-corrected and accelerated{bootstrap}",
        }[choices.interval] + f"; {WIDER}"
    return Differences(
        way,
        tuple(lines),
        choices.confidence,
        choices.alpha,
        choices.margin,
        found.policy,
        inputs,
        said,
        how,
        units,
        tuple(unjudged),
    )


def _is_marked(line: Line) -> bool:
    return bool(getattr(line, RESTING, False))


def _rests(
    line: Line, other: Line, uneven: Mapping[tuple[str, str, str], bool], unknown: Collection[str], alpha: float
) -> bool | None:
    """Whether what a line shows is not what `other` shows, of the same without unjudged documents; None if unknown."""
    shown = _shows(line, alpha)
    if not any(shown):
        return False
    if line.measure in unknown:
        return None
    few = uneven.get((line.measure, line.baseline, line.run))
    return few is not None and (few or shown != _shows(other, alpha))


def _shows(line: Line, alpha: float) -> tuple[int, bool]:
    """The side of 0 on which the difference is shown to be, or 0; and whether groups are shown to differ."""
    if isinstance(line, Believed):
        low, high = line.low or 0.0, line.high or 0.0
        return (low > 0) - (high < 0), False
    p, between = getattr(line, "adjusted", None), getattr(line, "interaction", None)
    side = 0 if p is None or p > alpha or not line.difference else 1 if line.difference > 0 else -1
    return side, between is not None and between <= alpha


def _means_of(aligned: Aligned, systems: Sequence[SeedRuns]) -> Aligned:
    """The means over the seeds of every system, in the place of its runs."""

    def mean_of(values: Floats) -> Floats:
        return np.column_stack([values[:, each.places].mean(axis=1) for each in systems])

    def measured(each: Measured) -> Measured:
        old = each.condensed
        new = old and Condensed(
            old.depth,
            mean_of(shares_of(old)),
            mean_of(old.values),
            None if old.best is None else mean_of(old.best),
            tuple(float(np.mean([old.retrieved[place] for place in each.places])) for each in systems),
        )
        return replace(each, values=mean_of(each.values), condensed=new)

    names = tuple(each.name for each in systems)
    return replace(aligned, runs=names, measured=tuple(map(measured, aligned.measured)))


def _weighed(
    measured: Measured, runs: Sequence[str], pairs: Sequence[tuple[int, int]], choices: CompareChoices
) -> Iterator[Line]:
    from irev.statistics.ratios import weighted_mean

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
    from irev.statistics.variance import welch

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


def _believed(
    measured: Measured, runs: Sequence[str], pairs: Sequence[tuple[int, int]], choices: CompareChoices
) -> Iterator[Line]:
    from irev.statistics.bayesian import posterior

    for base, run in pairs:
        gains = difference(measured.values[:, run], measured.values[:, base])
        lower = measured.quantity.better == "lower"
        # Better is less of such a measure: its gains are turned, and what is found is turned back.
        (error,) = unseen(gains[:, None], possible(measured.values))
        found = posterior(-gains if lower else gains, choices.confidence, choices.margin, error)
        median, low, high = found[:3]
        if lower and median is not None and low is not None and high is not None:
            median, low, high = -median, -high, -low
        about = (measured.quantity.standard, runs[base], runs[run], len(measured.queries))
        yield Believed(*about, median, low, high, *found[3:])


class SeedRuns(NamedTuple):
    """A system, and the places of its runs; one place alone for a system without seeds."""

    name: str
    places: list[int]


def _systems(
    runs: Sequence[str], seeds: int, first: int | None, said: bool
) -> tuple[list[SeedRuns], list[tuple[int, int]]]:
    """Systems, each so many runs that follow each other, called by what the names of these begin with.

    A baseline that the user `said` may be a single run, where that leaves as many of each other system. One that is
    only the first could be the sign of a run that was forgotten.
    """
    alone = first if said and len(runs) % seeds == 1 else None
    places = [place for place in range(len(runs)) if place != alone]
    of_each = [places[at : at + seeds] for at in range(0, len(places), seeds)]
    if alone is not None:
        of_each = sorted([*of_each, [alone]])
    if len(places) % seeds or len(of_each) < 2:
        fact = f"{counted(len(runs), 'run')} cannot be two or more systems of {seeds} runs each"
        remedy = (
            f"give {seeds} runs of each system, one system after the other; of a baseline without seeds one run, named "
            f"with {option('baseline')}"
        )
        raise UsageError(fact, remedy=remedy)
    systems = [_beginning([runs[place] for place in each]) or runs[each[0]] for each in of_each]
    if len(set(systems)) < len(systems):
        systems = [runs[each[0]] for each in of_each]
    baseline = None if first is None else next(n for n, each in enumerate(of_each) if first in each)
    return [*map(SeedRuns, systems, of_each)], pairs_of(len(systems), baseline)


def _beginning(names: Sequence[str]) -> str:
    """What all names begin with."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike).rstrip("-_.# ")


def _over_runs(
    measured: Measured, systems: Sequence[SeedRuns], pairs: Sequence[tuple[int, int]], choices: CompareChoices
) -> Iterator[Line]:
    from irev.statistics.variance import over_seeds

    seeds = choices.seeds or 1
    if len(measured.queries) < 2:
        raise UsageError("one query says nothing about other queries", remedy="give judgments of more queries")
    # A single run is what every seed would give.
    of_each = [np.repeat(measured.values[:, each.places], seeds // len(each.places), axis=1) for each in systems]
    found = [over_seeds(of_each[base], of_each[run], choices.confidence) for base, run in pairs]
    p_values = adjusted("holm", [each.p for each in found])
    means = [[mean(column) for column in measured.values[:, each.places].T] for each in systems]
    about_systems = [
        (mean(np.array(each)), None if len(each) < 2 else standard_deviation(np.array(each))) for each in means
    ]
    for (base, run), each, p in zip(pairs, found, p_values, strict=True):
        about = (measured.quantity.standard, systems[base].name, systems[run].name, len(measured.queries), seeds)
        yield OverRuns(*about, *each[:4], p, *each[4:], *about_systems[base], *about_systems[run])


def _before(path: str, found: Gathered, notes: list[str]) -> tuple[dict[str, Measured], tuple[Input, ...]]:
    """The experiment before, by measure, with its runs in the order of those of now."""
    saved = read((path,), (), notes.append)
    notes += saved.notes
    runs, names = found.aligned.runs, [system.name for system in saved.systems]
    if len(names) != len(runs):
        fact = f"{path} has {counted(len(names), 'run')}, but {len(runs)} are given"
        raise UsageError(fact, remedy="save the original experiment with as many runs, in the same order")
    if lacking := [run for run in runs if run not in names]:
        if len(lacking) < len(runs):
            raise UsageError(
                f"{path} has no run named {', '.join(lacking)}; it has {', '.join(names)}",
                remedy="give the runs the same names",
            )
        matched = ", ".join(f"{run} with {name}" for run, name in zip(runs, names, strict=True))
        notes.append(f"No run has its name in {path}; runs are compared in their order: {matched}.")
    ordered = [*saved.systems] if lacking else [saved.systems[names.index(run)] for run in runs]
    asked = [measured.quantity for measured in found.aligned.measured]
    shared = [each for each in asked if all(each in system.measured for system in ordered)]
    if not shared:
        fact = f"{path} has no values of {', '.join(each.standard for each in asked)}"
        raise UsageError(fact, remedy=f"save it with these measures, or name others with {option('measures')}")
    if len(shared) < len(asked):
        left = ", ".join(each.standard for each in asked if each not in shared)
        notes.append(f"Not in {path}, and left out: {left}.")
    aligned = align(ordered, shared, both=False)
    return {measured.quantity.standard: measured for measured in aligned.measured}, saved.inputs


def _repeated(
    measured: Measured, before: dict[str, Measured], runs: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> Iterator[Line]:
    from irev.statistics.meta_analysis import replication

    old = before.get(measured.quantity.standard)
    if old is None:
        return
    same = set(old.queries) == set(measured.queries)
    then = values_on(old.values, old.queries, measured.queries) if same else old.values
    for base, run in pairs:
        found = replication((then[:, base], then[:, run]), (measured.values[:, base], measured.values[:, run]), same)
        yield Repeated(measured.quantity.standard, runs[base], runs[run], len(measured.queries), *found)
