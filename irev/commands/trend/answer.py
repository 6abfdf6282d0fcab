"""How the results of builds changed: the series of every run and measure, and its shifts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.base.directions import directions_in
from irev.base.errors import IrevWarning, UsageError
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, named, plain, real, signed
from irev.commands.builds import Build, builds_in, shared
from irev.commands.shared import FACTS
from irev.commands.trend import TrendChoices
from irev.evaluation.comparison import Clusters, cluster_numbers
from irev.evaluation.curves import LINES, Axis, Curve, CurvePicture, Point
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import FEW_CLUSTERS, cluster_notes, skewed, unknown_shares
from irev.evaluation.result import Outcome, same_judgments
from irev.evaluation.scores import Column, changes_with_judgments
from irev.measures import Request
from irev.measures.request import others_in, parse_among
from irev.output.figures import figure_of_curves
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.statistics.paired import equal_clusters
from irev.statistics.shifts import ALPHA, FEWEST, Shift, shifts

BARS = "▁▂▃▄▅▆▇█"
WIDEST = 30
"""So many builds, the last ones, have a bar in a table."""

SHORT = 9
"""Characters of a commit that people see."""

FALL, RISE = "fall", "rise"

_COLUMNS = ("run", "measure", "build", *FACTS, "value", "change", "from_best", "shift", "difference", "p")


@dataclass(frozen=True, eq=False)
class Series:
    """The values of a run by a measure, build by build.

    Attributes
    ----------
    run : str
    request : Request
    means : tuple of float
        The mean of each build over the queries that all builds have.
    queries, left_out : int
        How many queries that is, and how many more a build has.
    shifts : tuple of Shift
        The builds from which on the mean is higher or lower by more than chance.
    rejudged : tuple of int
        The places of builds with other judgments than the build before: nothing is tested across these.
    clusters : int or None
        How many clusters the queries are in, where they depend on each other.
    few_clusters : bool
        Whether these are so few, or so unequal, that tests err more often.
    """

    run: str
    request: Request
    means: tuple[float, ...]
    queries: int
    left_out: int
    shifts: tuple[Shift, ...]
    rejudged: tuple[int, ...]
    clusters: int | None = None
    few_clusters: bool = False

    @property
    def tested(self) -> bool:
        """Whether there are enough queries, or clusters, to find shifts."""
        return (self.queries if self.clusters is None else self.clusters) >= FEWEST

    def kind(self, shift: Shift) -> str:
        """Whether a shift is for the worse, `FALL`, or for the better, `RISE`."""
        return RISE if (shift.difference > 0) == (self.request.better != "lower") else FALL

    @property
    def falls(self) -> tuple[Shift, ...]:
        """The shifts for the worse."""
        return tuple(shift for shift in self.shifts if self.kind(shift) == FALL)

    @property
    def best(self) -> float:
        """The best mean of all builds; NaN where none is a number."""
        numbers = [mean for mean in self.means if not math.isnan(mean)]
        return (min if self.request.better == "lower" else max)(numbers, default=math.nan)

    def change(self, place: int) -> float | None:
        """The mean of a build minus that of the build before; None for the first."""
        return self.means[place] - self.means[place - 1] if place else None

    @property
    def bars(self) -> str:
        """The last builds as bars, from the lowest to the highest mean."""
        last = self.means[-WIDEST:]
        numbers = [mean for mean in last if math.isfinite(mean)]
        low, span = min(numbers, default=0.0), max(numbers, default=0.0) - min(numbers, default=0.0)
        steps = [round((mean - low) / span * 7) if span > 0 else 3 for mean in numbers]
        drawn = iter(BARS[step] for step in steps)
        return "".join(next(drawn) if math.isfinite(mean) else " " for mean in last)


@dataclass(frozen=True, eq=False, repr=False)
class Trend(Pictured, ReportedFinding):
    """How the results of builds changed.

    Attributes
    ----------
    builds : tuple of Build
        In order.
    series : tuple of Series
        Of each run by each measure.
    policy : str
        Which queries count, in words.
    alpha : float
        The probability of a false fall in each series.
    judged_unknown : str
        Why it is unknown whether unjudged documents decide; empty if all documents are judged.
    """

    builds: tuple[Build, ...]
    series: tuple[Series, ...]
    policy: str
    alpha: float = ALPHA
    judged_unknown: str = ""

    columns = _COLUMNS
    texts = frozenset({"run", "measure", "shift", *FACTS})
    exact = frozenset({"p"})

    @property
    def title(self) -> str:
        return f"Trend of {counted(len(self.builds), 'build')}"

    @property
    def _runs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.run for each in self.series))

    def _called(self, place: int) -> str:
        """A build as people see it: its number, and its commit."""
        commit = self.builds[place].commit[:SHORT]
        return f"{place + 1}, {named(commit)}" if commit else f"{place + 1}"

    # For people

    @property
    def overview(self) -> Sheet:
        """A row for each run and measure."""
        digits, last = self.look.digits, len(self.builds) - 1
        labels = ("run", "measure") if len(self._runs) > 1 else ("measure",)
        rows: list[Texts] = []
        for each in self.series:
            falls, none = each.falls, "none" if each.tested else MISSING
            rows.append(
                {
                    **({"run": named(each.run)} if "run" in labels else {}),
                    "measure": named(self.look.name(each.request)),
                    "trend": Cell(each.bars, tone="code"),
                    "last": real(each.means[-1], digits),
                    "from build before": signed(each.change(last), digits) if last else MISSING,
                    "from best": signed(each.means[-1] - each.best, digits),
                    "first fall": Cell(self._called(falls[0].at), tone="bad") if falls else none,
                }
            )
        return table("Trend", labels, None, rows, (*labels, "trend", "first fall"))

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self.overview
        called = {
            each: named(
                f"{self.look.name(each.request)} of {each.run}" if len(self._runs) > 1 else self.look.name(each.request)
            )
            for each in self.series
        }
        facts = [fact for fact in FACTS if any(getattr(build, fact) for build in self.builds)]
        rows: list[Texts] = []
        for place, build in enumerate(self.builds):
            row: dict[str, Cell | str] = {fact: named(getattr(build, fact)) for fact in facts}
            row |= {"build": f"{place + 1}", "commit": named(build.commit[:SHORT])}
            row |= {"time": build.time[: len("2026-03-01T02:00")].replace("T", " ")} if build.time else {}
            row |= {called[each]: self._value(each, place) for each in self.series}
            rows.append(row)
        yield table("Builds", ("build", *facts), [*called.values()], rows, facts)

    def _value(self, series: Series, place: int) -> Cell:
        """The mean of a build, with a mark where a shift begins."""
        text = real(series.means[place], self.look.digits)
        shift = next((shift for shift in series.shifts if shift.at == place), None)
        if shift is None:
            return Cell(text)
        falls = series.kind(shift) == FALL
        return Cell(f"{'▼' if falls else '▲'} {text}", tone="bad" if falls else "good")

    @property
    def falls(self) -> Iterator[str]:
        """A sentence for each shift."""
        for each in self.series:
            for shift in each.shifts:
                worse = "worse" if each.kind(shift) == FALL else "better"
                run = f" of {named(each.run)}" if len(self._runs) > 1 else ""
                yield (
                    f"{named(self.look.name(each.request))}{run} is significantly {worse} from build "
                    f"{self._called(shift.at)} on: {signed(shift.difference, self.look.digits)} on average; found "
                    f"at build {shift.seen + 1}."
                )

    @property
    def notes(self) -> Iterator[str]:
        yield from self.falls
        first = self.series[0]
        if any(each.tested for each in self.series):
            said = (
                "▼ ▲: from this build on the mean is worse, or better, than before, by a paired t test at every build."
            )
            yield f"{said} {self._level}"
        else:
            units = "clusters" if first.clusters else "queries"
            yield f"Falls and rises are not tested: with fewer than {FEWEST} {units} nothing can be said of others."
        looks = [(each, shift) for each in self.series for shift in each.shifts]
        tests = [
            (
                f"{named(self.look.name(each.request))} from build {self._called(shift.at)} on",
                each.clusters or each.queries,
                shift.wanted,
            )
            for each, shift in looks
        ]
        yield from skewed(tests, "shift", "cluster" if first.clusters else "")
        left_out = f"; {counted(first.left_out, 'query', 'queries')} that not every build has left out"
        clusters = "" if first.clusters is None else f" in {counted(first.clusters, 'cluster')}"
        yield f"Queries: {first.queries:,}{clusters}, {named(self.policy)}{left_out if first.left_out else ''}."
        if first.rejudged:
            listed = ", ".join(self._called(place) for place in first.rejudged)
            yield f"Judgments changed at build {listed}: builds before and after it are not tested against each other."
        yield from unknown_shares([self.judged_unknown])
        if not all(build.time for build in self.builds):
            yield "Not every build has a time: builds are in the order in which they were given."

    @property
    def _level(self) -> str:
        """State the probability of a false fall in each series and in all series together."""
        false = "The probability of a false ▼ in all builds together"
        if any(each.few_clusters for each in self.series):
            return f"{false} can be above {ALPHA:.0%} with so few clusters."
        several, false = len(self.series), f"{false} is at most"
        unless = ", unless changes are so rare that these queries hardly show them."
        if several == 1 or self.alpha < ALPHA:
            of = "" if several == 1 else f" for all {several:,} series together"
            return f"{false} {ALPHA:.0%}{of}{unless}"
        return (
            f"{false} {ALPHA:.0%} for each of {several:,} series{unless[:-1]}; for all series together it is up to"
            f" {1 - (1 - ALPHA) ** several:.0%}, or {ALPHA:.0%} with --family all."
        )

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for each in self.series:
            shifts = {shift.at: shift for shift in each.shifts}
            for place, (build, mean) in enumerate(zip(self.builds, each.means, strict=True)):
                shift = shifts.get(place)
                yield (
                    each.run,
                    self.look.name(each.request),
                    place + 1,
                    *(getattr(build, fact) or None for fact in FACTS),
                    mean,
                    each.change(place),
                    mean - each.best,
                    each.kind(shift) if shift else None,
                    shift.difference if shift else None,
                    shift.p if shift else None,
                )

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev trend"),
            "policy": self.policy,
            "alpha": self.alpha,
            "judged_unknown": self.judged_unknown or None,
            "builds": [
                {"file": build.name, **{fact: getattr(build, fact) or None for fact in FACTS}} for build in self.builds
            ],
            "series": [
                {
                    "run": each.run,
                    "measure": each.request.standard,
                    "better": each.request.better,
                    **fields_of(each, "queries", *(["clusters"] if each.clusters else []), "left_out", "means"),
                    "shifts": [
                        {
                            "kind": each.kind(shift),
                            "build": shift.at + 1,
                            "found": shift.seen + 1,
                            "difference": plain(shift.difference),
                            "p": plain(shift.p),
                        }
                        for shift in each.shifts
                    ],
                    "rejudged": [place + 1 for place in each.rejudged],
                }
                for each in self.series
            ],
        }

    # For Python

    def drawn(self, form: Form) -> bytes:
        """The means of every build, a picture for each measure, with a line where a fall begins."""
        caption = " ".join([f"{counted(len(self.builds), 'build')}.", *unknown_shares([self.judged_unknown])])
        return figure_of_curves(self._pictures(), form, caption)

    def _pictures(self) -> Sequence[CurvePicture]:
        x = Axis("build", "build", 1, len(self.builds))
        pictures = []
        for request in dict.fromkeys(each.request for each in self.series):
            of_measure = [each for each in self.series if each.request == request]
            curves = tuple(
                Curve(each.run, tuple(Point(place, mean) for place, mean in enumerate(each.means, start=1)))
                for each in of_measure
            )
            falls = sorted({shift.at + 1 for each in of_measure for shift in each.falls})
            notes = tuple(f"Dashed line: worse from build {self._called(at - 1)} on." for at in falls)
            marks = tuple(float(at) for at in falls)
            y = Axis("value", f"mean {request.standard}")
            pictures.append(CurvePicture("trend", request.standard, "", x, y, curves, LINES, notes=notes, marks=marks))
        return pictures

    def __repr__(self) -> str:
        return (
            f"<Trend: {counted(len(self.builds), 'build')}, {counted(sum(len(s.falls) for s in self.series), 'fall')}>"
        )


def answer(inputs: Inputs, choices: TrendChoices) -> Trend:
    """How the results of builds changed, by all measures that all have, or by some.

    Raises
    ------
    InputError
        For builds that were evaluated with different settings, and builds that have no run or measure in common.
    UsageError
        For a measure that not all have, and one that is no mean.
    """

    def warn(message: str) -> None:
        inputs.warn(message, IrevWarning)

    builds = builds_in(choices.results, warn, directions_in(choices.measures))
    if choices.branch is not None:
        there = sorted({build.branch for build in builds} - {""})
        builds = [build for build in builds if build.branch == choices.branch]
        if not builds:
            remedy = f"there are {', '.join(there)}" if there else "the results do not have a branch"
            raise UsageError(f"there is no build of the branch '{choices.branch}'", remedy=remedy)
    named, known = shared(builds)
    runs: list[str | None] = [*named] or [None]
    requests = _requests(known, choices.measures, builds[0].result.settings.compat)
    alpha = ALPHA / (len(runs) * len(requests) if choices.family == "all" else 1)
    series = tuple(series for run in runs for series in _series(builds, run, requests, choices.clusters, alpha))
    outcomes = [outcome for build in builds for outcome in build.result.outcomes]
    queries = sorted(set.intersection(*(set(outcome.scores.queries) for outcome in outcomes)))
    cluster = None if choices.clusters is None else cluster_numbers(queries, choices.clusters)
    for note in cluster_notes(queries, cluster):
        warn(note.said)
    unknown = ""
    if any(map(changes_with_judgments, requests)):
        unknown = next(filter(None, (outcome.unknown_shares for outcome in outcomes)), "")
    return Trend(tuple(builds), series, builds[0].result.policy, alpha, unknown)


def _requests(there: Sequence[Request], measures: Sequence[str], compat: str) -> Sequence[Request]:
    """The measures that were asked for, or those that all builds have."""
    asked = parse_among(measures, others_in(there), compat, lambda message: None)
    for request in asked:
        if request.aggregate not in ("", "mean"):
            raise UsageError(
                f"a trend is one of means, and not of {request.standard}", remedy=f"ask for {request.base.standard}"
            )
        if request.base not in there:
            raise UsageError(
                f"not every build has {request.standard}",
                remedy=f"all have: {', '.join(each.standard for each in there)}",
            )
    return [request.base for request in asked] or there


def _series(
    builds: Sequence[Build],
    run: str | None,
    requests: Sequence[Request],
    clusters: Clusters,
    alpha: float,
) -> Iterator[Series]:
    """The series of a run by every measure; None for the only run of each build, which has its last name."""
    outcomes = [next(each for each in build.result.outcomes if run in (None, each.run)) for build in builds]
    name = outcomes[-1].run
    kept = set.intersection(*(set(outcome.scores.queries) for outcome in outcomes))
    places = [[place for place, query in enumerate(each.scores.queries) if query in kept] for each in outcomes]
    left_out = max(len(each.scores.queries) for each in outcomes) - len(kept)
    cluster = None
    if clusters is not None:
        cluster = cluster_numbers([query for query in outcomes[0].scores.queries if query in kept], clusters)
    begins = [place for place in range(len(builds)) if place == 0 or _rejudged(builds[place - 1 : place + 1])]
    for request in requests:
        values = np.array(
            [_column(outcome, request).values[place] for outcome, place in zip(outcomes, places, strict=True)],
            dtype=np.float64,
        )
        counting = np.isfinite(values).all(axis=0)
        finite = values[:, counting]
        number = None if cluster is None else np.unique(cluster[counting], return_inverse=True)[1]
        clustered = () if number is None else (len(np.unique(number)), equal_clusters(number) < FEW_CLUSTERS)
        found = []
        for begin, end in zip(begins, [*begins[1:], len(builds)], strict=True):
            found += [
                shift._replace(at=shift.at + begin, seen=shift.seen + begin)
                for shift in shifts(finite[begin:end], alpha, number)
            ]
        means = tuple(float(mean) for mean in values.mean(axis=1)) if len(kept) else (float("nan"),) * len(builds)
        yield Series(name, request, means, len(kept), left_out, tuple(found), tuple(begins[1:]), *clustered)


def _rejudged(builds: Sequence[Build]) -> bool:
    before, after = builds
    return not same_judgments(before.result.inputs, after.result.inputs)


def _column(outcome: Outcome, request: Request) -> Column:
    return next(column for column in outcome.columns if column.request.base == request)
