"""Curves of several runs: which measures a kind of picture takes, their points, and, for people, a drawing in text.

The points are made in `irev.evaluation.curves`; what a kind needs beside them, pairs of runs, intervals, orderings, is
decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.settings import policy
from irev.base.text import counted, named, percent, plain, real, signed
from irev.commands.curves import CurvesChoices
from irev.commands.curves.sheet import MEASURES, ResultSheet
from irev.evaluation.comparison import differences_of, pairs_of
from irev.evaluation.comparison.systems import place_of
from irev.evaluation.curves import (
    BARS,
    BY_CUTOFF,
    CUTOFF,
    DIFFERENCES,
    LINES,
    OF_FEW_POINTS,
    ONE_QUERY,
    RECALL_PRECISION,
    ROC,
    SHEET,
    TOPICS,
    TRADEOFF,
    Curve,
    CurvePicture,
    HowMade,
    by_query,
    by_run,
)
from irev.evaluation.curves.by_query import ValuesByQuery, values_by_query
from irev.evaluation.curves.by_run import AP, direction_of, of_one_query, tradeoff
from irev.evaluation.inputs import Inputs, names_of, on_same_queries, single_queries
from irev.evaluation.result import Outcome
from irev.measures import Request, parse
from irev.output.figures import figure_of_curves
from irev.output.finding import CurvesFinding
from irev.output.report import Cell, Form, Plain, Sheet, Texts, stamp, table
from irev.reading.lists import read_resources
from irev.reading.sources import Source
from irev.statistics import intervals, paired
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.commands.curves.sheet import ResultSheet
    from irev.reading.lists import Resources


@dataclass(frozen=True, eq=False, repr=False)
class Curves(CurvesFinding):
    """Pictures of one kind.

    Attributes
    ----------
    pictures : tuple of CurvePicture
        At least one, each with its axes, and a `Curve` of points for every run.
    made : HowMade
        Which queries count, and under which settings.
    every_point : bool
        Whether people see every query.
    """

    pictures: tuple[CurvePicture, ...]
    made: HowMade
    every_point: bool = False

    @property
    def kind(self) -> str:
        """One of `irev.evaluation.curves.KINDS`."""
        return self.pictures[0].kind

    @property
    def title(self) -> str:
        kind = "ROC" if self.kind == ROC else self.kind.capitalize()
        return f"{kind}, {counted(self._runs, 'run')}"

    @property
    def _runs(self) -> int:
        first = self.pictures[0]
        if first.labels == "run":
            return sum(len(curve.points) for curve in first.curves)
        names = {curve.name for chart in self.pictures for curve in chart.curves}
        return len(names | {value for chart in self.pictures for name, value in chart.given if name == "baseline"})

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        first = self.pictures[0]
        if first.drawn == LINES and not first.labels:
            for chart in self.pictures:
                yield self._across(chart)
            return
        if any(curve.values for chart in self.pictures for curve in chart.curves):
            yield self._values()
        if self.every_point or first.kind in OF_FEW_POINTS:
            for chart in self.pictures:
                yield self._points(chart)

    def _across(self, chart: CurvePicture) -> Sheet:
        """The points of curves that have the same x, side by side."""
        names = [named(curve.name) for curve in chart.curves]
        rows = []
        for place, point in enumerate(chart.curves[0].points):
            values = (real(curve.points[place].y, self.look.digits) for curve in chart.curves)
            rows.append((Cell(f"{point.x:g}"), *map(Cell, values)))
        return Sheet(named(chart.measure), (chart.x.name, *names), 1, frozenset(), (tuple(rows),))

    def _values(self) -> Sheet:
        rows: list[Texts] = []
        for chart in self.pictures:
            for curve in chart.curves:
                about = {"measure": named(chart.measure), "run": named(curve.name)}
                about |= {name: named(text) for name, text in chart.given}
                rows.append(about | {name.replace("_", " "): self._shown(name, curve) for name in curve.values})
        labels = [name for name in ("measure", "run", *dict(self.pictures[0].given)) if any(row[name] for row in rows)]
        headings = [name.replace("_", " ") for name in self.pictures[0].curves[0].values]
        return table("", labels, [name for name in headings if name != "not numbers" or self._odd], rows)

    @property
    def _odd(self) -> bool:
        return any(curve.values.get("not_numbers") for chart in self.pictures for curve in chart.curves)

    def _shown(self, name: str, curve: Curve) -> str:
        value = curve.values[name]
        if isinstance(value, int):
            return f"{value:,}"
        return (signed if "low" in curve.values else real)(value, self.look.digits)

    def _points(self, chart: CurvePicture) -> Sheet:
        """Every point in a row."""
        digits = self.look.digits
        labels = [name for name in ("run" if chart.labels != "run" else "", chart.labels) if name]
        header = [*(axis.name for axis in (chart.x, chart.y) if axis.name != "place"), *chart.more]
        signs = {chart.y.name} if chart.drawn == BARS else set()
        sections = []
        for curve in chart.curves:
            rows = []
            for point in curve.points:
                about = {"run": named(curve.name), chart.labels: named(point.label)}
                numbers = {chart.x.name: point.x, chart.y.name: point.y}
                numbers |= dict(zip(chart.more, point.more, strict=True))
                shown = {name: (signed if name in signs else real)(value, digits) for name, value in numbers.items()}
                shown |= {name: str(value) for name, value in numbers.items() if isinstance(value, int)}
                rows.append(about | shown)
            sections.append(table("", labels, [name.replace("_", " ") for name in header], map(_spaced, rows)))
        title = ", ".join(named(part) for part in (chart.measure, chart.about) if part)
        first = sections[0]
        several = tuple(section for each in sections for section in each.sections if section)
        return Sheet(title, first.header, first.labels, first.texts, several)

    @property
    def notes(self) -> Iterator[str]:
        if self.look.width is None:
            for chart in self.pictures:
                yield from chart.notes
        yield from dict.fromkeys(chart.caption for chart in self.pictures if chart.caption)
        yield self.made.caption
        if not self.every_point and self.pictures[0].kind not in OF_FEW_POINTS and self.pictures[0].labels:
            yield "-q: single queries; formats for programs have them without it."

    # For programs

    @property
    def columns(self) -> tuple[str, ...]:
        chart = self.pictures[0]
        about = ["measure"] * bool(chart.measure) + [name for name, _ in chart.given]
        run = ["run"] if chart.labels != "run" else []
        label = [chart.labels] if chart.labels else []
        return (*about, *run, *label, chart.x.name, chart.y.name, *chart.more)

    @property
    def texts(self) -> frozenset[str]:
        chart = self.pictures[0]
        return frozenset({"measure", "run", chart.labels, *dict(chart.given)} - {""})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for chart in self.pictures:
            about = [chart.measure] * bool(chart.measure) + [text for _, text in chart.given]
            for curve in chart.curves:
                run = [curve.name] if chart.labels != "run" else []
                for point in curve.points:
                    label = [point.label] if chart.labels else []
                    yield (*about, *run, *label, _whole(chart.x.name, point.x), point.y, *point.more)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamp("irev curves"),
            "kind": self.kind,
            "policy": self.made.policy,
            "made": self.made.caption,
            "queries": self.made.queries,
            "inputs": [file.recorded() for file in self.made.inputs],
            "pictures": [_picture(chart) for chart in self.pictures],
        }

    # For Python

    def drawn(self, form: Form) -> bytes:
        """The pictures."""
        return figure_of_curves(self.pictures, form, self.made.caption)

    def __repr__(self) -> str:
        return f"<Curves: {self.title}>"


def _spaced(row: Mapping[str, str]) -> Texts:
    return {name.replace("_", " "): text for name, text in row.items()}


def _whole(axis: str, value: float) -> float | int:
    return int(value) if axis in ("k", "place") else value


def _picture(chart: CurvePicture) -> dict[str, Any]:
    return {
        "measure": chart.measure or None,
        **dict(chart.given),
        "x": chart.x.name,
        "y": chart.y.name,
        "caption": chart.caption,
        "notes": list(chart.notes),
        "curves": [
            {
                "run": None if chart.labels == "run" else curve.name or None,
                "values": {name: plain(value) for name, value in curve.values.items()},
                "points": [
                    {
                        **({chart.labels: point.label} if chart.labels else {}),
                        chart.x.name: plain(_whole(chart.x.name, point.x)),
                        chart.y.name: plain(point.y),
                        **{name: plain(value) for name, value in zip(chart.more, point.more, strict=True)},
                    }
                    for point in curve.points
                ],
            }
            for curve in chart.curves
        ],
    }


def answer(inputs: Inputs, choices: CurvesChoices) -> Curves | ResultSheet:
    """The pictures of one kind."""
    settings = inputs.settings
    if choices.curve in (ONE_QUERY, RECALL_PRECISION):
        settings.require_ranks()
    if settings.queries == "run":
        raise UsageError(
            f"{option('queries', 'run')} means other queries for each run, but curves need the same queries"
        )
    if choices.curve == ONE_QUERY:
        return _of_queries(inputs, choices)
    _require_runs(choices.curve, len(inputs.runs))
    resources = _resources(choices)
    outcomes, _ = on_same_queries(inputs, _requests(inputs, choices), each_query=True)
    if choices.curve == SHEET:
        return _sheet(inputs, outcomes)
    counting = settings.policy if len(inputs.runs) == 1 else policy(settings)
    made = HowMade(settings, counting, outcomes[0].scores.considered, tuple(inputs.files))
    names = [*dict.fromkeys(outcome.run for outcome in outcomes)]
    baseline = _baseline(inputs, choices, names)
    if resources is not None:
        requests = [column.request for column in outcomes[0].scores.columns]
        against = choices.against or resources.columns[0]
        pictures = tuple(tradeoff(outcomes, request, resources, against) for request in requests)
    else:
        pictures = _drawn(inputs, choices, outcomes, baseline)
    if choices.baseline is not None:
        pictures = tuple(replace(each, named=(names[baseline],)) for each in pictures)
    return Curves(pictures, made, choices.per_query)


def _baseline(inputs: Inputs, choices: CurvesChoices, names: Sequence[str]) -> int:
    """The place of the baseline. Raises `UsageError` where there is no such run."""
    return 0 if choices.baseline is None else place_of(choices.baseline, names, choices.files[-len(inputs.runs) :])


def _resources(choices: CurvesChoices) -> Resources | None:
    """What the runs took, where that is drawn. Raises `UsageError` where it is, and no file says so."""
    if choices.curve != TRADEOFF:
        return None

    if choices.resources is None:
        raise UsageError("a file with the resources of the runs is needed", remedy=f"give {option('resources')}")
    with Source(choices.resources) as source:
        found = read_resources(source)
    direction_of(found, choices.against or found.columns[0])
    return found


def _of_queries(inputs: Inputs, choices: CurvesChoices) -> Curves:
    """Of single queries, which rankings make."""
    asked = tuple(dict.fromkeys(choices.query))
    if not asked:
        raise UsageError("the query to draw is needed", remedy=f"give {option('query')}")
    with single_queries(inputs, inputs.settings, asked, requests=AP) as (_, _, found):
        names = names_of(inputs, [run.ranked.tag for run in found])
        runs = dict(zip(names, (run.ranked for run in found), strict=True))
        pictures = tuple(of_one_query(runs, query) for query in asked)
    if choices.baseline is not None:
        pictures = tuple(replace(each, named=(names[_baseline(inputs, choices, names)],)) for each in pictures)
    return Curves(pictures, HowMade(inputs.settings, "each by itself", len(asked), tuple(inputs.files)))


def _sheet(inputs: Inputs, outcomes: Sequence[Outcome]) -> ResultSheet:
    """TREC's sheet of the first run, which is not one of the others, under whatever name it is there again:
    ``my.run runs/*``."""
    sheet, *others = outcomes
    digests = [each.sha256 for each in inputs.files if each.role == "run"] or [*map(str, range(len(outcomes)))]
    others = [each for each, digest in zip(others, digests[1:], strict=True) if digest != digests[0]]
    pictures = [by_run.recall_precision([sheet], inputs.settings)]
    if len(others) + 1 >= by_query.FEWEST_RUNS:
        of = next(each for each in values_by_query([sheet, *others]) if each.measure == "AP")
        topics = by_query.beside_others(of.measure, of.runs[0], of.queries, of.values[:, 0], of.values[:, 1:])
        pictures.append(topics)
    counting = policy(inputs.settings) if others else inputs.settings.policy
    made = HowMade(inputs.settings, counting, sheet.scores.considered, tuple(inputs.files))
    return ResultSheet(sheet, tuple(pictures), made, len(others))


def _require_runs(kind: str, runs: int) -> None:
    """Raise `UsageError` for fewer runs than a kind takes, to be told before a long computation."""
    if kind == DIFFERENCES and runs < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    if kind == TOPICS:
        by_query.require_median(runs)


def _requests(inputs: Inputs, choices: CurvesChoices) -> tuple[Request, ...]:
    """What to evaluate. Raises `UsageError` for a measure that there is not, or that does not suit the kind."""
    kind = choices.curve
    if kind == RECALL_PRECISION:
        return by_run.recall_requests(choices.rule)
    if kind == SHEET:
        return tuple(parse(MEASURES, inputs.settings.compat))
    if kind in BY_CUTOFF:
        names = by_run.AXES[kind][0] if kind in by_run.AXES else choices.measures
        return by_run.cutoff_requests(names, choices.cutoffs or by_run.CUTOFFS)
    numeric = tuple(request for request in inputs.requests if request.measure.numeric)
    if not numeric:
        raise UsageError(
            f"{inputs.requests[0].standard} has no numbers for single queries", remedy="choose another measure"
        )
    return tuple(dict.fromkeys(request.base for request in numeric))


def _drawn(
    inputs: Inputs, choices: CurvesChoices, outcomes: Sequence[Outcome], baseline: int
) -> tuple[CurvePicture, ...]:
    """The pictures of runs, which evaluations make."""
    kind = choices.curve
    if kind == RECALL_PRECISION:
        return (by_run.recall_precision(outcomes, inputs.settings, choices.rule),)
    if kind == CUTOFF:
        return by_run.by_cutoff(outcomes)
    if kind in by_run.AXES:
        return (by_run.against_each_other(outcomes, kind),)
    plan = Plan(confidence=choices.confidence)
    found: list[CurvePicture] = []
    for values in values_by_query(outcomes):
        if kind == DIFFERENCES:
            found += _differences(values, baseline, plan)
        elif kind == TOPICS:
            found += by_query.topics(values.measure, values.runs, values.queries, values.values)
        else:
            found.append(by_query.distribution(values.measure, values.runs, values.queries, values.values))
    return tuple(found)


def _differences(values: ValuesByQuery, baseline: int, plan: Plan) -> tuple[CurvePicture, ...]:
    """Of every run from the baseline, with the interval and the outcomes that comparisons have."""
    pairs = pairs_of(len(values.runs), baseline)
    differences = differences_of(values.values, pairs)
    spans = intervals.of_differences(differences, plan, intervals.possible(values.values))
    found = []
    for number, (base, run) in enumerate(pairs):
        gains = -differences[:, number] if values.better == "lower" else differences[:, number]
        found.append(
            by_query.sorted_differences(
                values.measure,
                (values.runs[base], values.runs[run]),
                values.queries,
                (values.values[:, base], values.values[:, run]),
                spans[number],
                paired.outcomes(gains),
                percent(plan.confidence),
            )
        )
    return tuple(found)
