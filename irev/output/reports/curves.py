"""The report of curves: their points, what is true of all points together, and, for people, a drawing in text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irev import __version__
from irev.analysis.comparison.defaults import JUDGED
from irev.base.settings import Settings
from irev.base.text import counted, named, plain, real, signed
from irev.errors import decimal
from irev.evaluation.curves.curve import BARS, LINES, Curve, Curves
from irev.evaluation.curves.kinds import OF_FEW_POINTS
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.tables import Texts, table

FORMAT, VERSION = "irev curves", 1


class HowMade(NamedTuple):
    """How the values of curves were made.

    Attributes
    ----------
    settings : Settings
    policy : str
        Which queries count, in words.
    queries : int
        How many these are.
    inputs : sequence of Input
    """

    settings: Settings
    policy: str
    queries: int
    inputs: Sequence[Input] = ()

    @property
    def caption(self) -> str:
        """What a figure of them says: how many queries, which, and under which settings."""
        settings = self.settings
        cut = f"; rankings cut at rank {settings.depth:,}" if settings.depth is not None else ""
        unjudged = "; documents without a judgment dropped" if settings.judged_only else ""
        compat = f"; as trec_eval {settings.compat}" if settings.single_precision else ""
        return (
            f"{counted(self.queries, 'query', 'queries')}: {self.policy}. Relevant: a grade of"
            f" {decimal(settings.level)} or more{cut}{unjudged}{compat}."
        )


def policy_of(settings: Settings, runs: int) -> str:
    """Which queries count where runs are on the same ones, in words."""
    every = settings.complete or settings.queries != "both" or settings.only is not None
    return settings.policy if every or runs == 1 else JUDGED


class CurvesReport(Report):
    """Pictures of one kind, of which there is at least one, laid out."""

    def __init__(self, charts: Sequence[Curves], made: HowMade, every_point: bool = False) -> None:
        self.charts, self.made, self.every_point = tuple(charts), made, every_point

    @property
    def title(self) -> str:
        return f"{self.charts[0].kind.capitalize()}, {counted(self._runs, 'run')}"

    @property
    def _runs(self) -> int:
        first = self.charts[0]
        if first.labels == "run":
            return len(first.curves[0].points)
        names = {curve.name for chart in self.charts for curve in chart.curves}
        return len(names | {value for chart in self.charts for name, value in chart.given if name == "baseline"})

    # For people

    @property
    def lead(self) -> Iterator[str]:
        """The figure, on screens alone: elsewhere signs need not stand below each other."""
        if self.look.width is not None:
            from irev.output.figures.chart_text import drawn

            yield from drawn(self.charts, self.look.width)

    @property
    def sheets(self) -> Iterator[Sheet]:
        first = self.charts[0]
        if first.drawn == LINES and not first.labels:
            for chart in self.charts:
                yield self._across(chart)
            return
        if any(curve.values for chart in self.charts for curve in chart.curves):
            yield self._values()
        if self.every_point or first.kind in OF_FEW_POINTS:
            for chart in self.charts:
                yield self._points(chart)

    def _across(self, chart: Curves) -> Sheet:
        """The points of curves that have the same x, side by side."""
        names = [named(curve.name) for curve in chart.curves]
        rows = []
        for place, point in enumerate(chart.curves[0].points):
            values = (real(curve.points[place].y, self.look.digits) for curve in chart.curves)
            rows.append((Cell(f"{point.x:g}"), *map(Cell, values)))
        return Sheet(named(chart.measure), (chart.x.name, *names), 1, frozenset(), (tuple(rows),))

    def _values(self) -> Sheet:
        rows: list[Texts] = []
        for chart in self.charts:
            for curve in chart.curves:
                about = {"measure": named(chart.measure), "run": named(curve.name)}
                about |= {name: named(text) for name, text in chart.given}
                rows.append(about | {name.replace("_", " "): self._shown(chart, name, curve) for name in curve.values})
        labels = [name for name in ("measure", "run", *dict(self.charts[0].given)) if any(row[name] for row in rows)]
        headings = [name.replace("_", " ") for name in self.charts[0].curves[0].values]
        return table("", labels, [name for name in headings if name != "not numbers" or self._odd], rows)

    @property
    def _odd(self) -> bool:
        return any(curve.values.get("not_numbers") for chart in self.charts for curve in chart.curves)

    def _shown(self, chart: Curves, name: str, curve: Curve) -> str:
        value = curve.values[name]
        if isinstance(value, int):
            return f"{value:,}"
        return (signed if "low" in curve.values else real)(value, self.look.digits)

    def _points(self, chart: Curves) -> Sheet:
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
            for chart in self.charts:
                yield from chart.notes
        yield from dict.fromkeys(chart.caption for chart in self.charts if chart.caption)
        yield self.made.caption
        if not self.every_point and self.charts[0].kind not in OF_FEW_POINTS and self.charts[0].labels:
            yield "-q: single queries, which formats that programs read have anyway."

    # For programs

    @property
    def columns(self) -> tuple[str, ...]:
        chart = self.charts[0]
        about = ["measure"] * bool(chart.measure) + [name for name, _ in chart.given]
        run = ["run"] if chart.labels != "run" else []
        label = [chart.labels] if chart.labels else []
        return (*about, *run, *label, chart.x.name, chart.y.name, *chart.more)

    @property
    def texts(self) -> frozenset[str]:
        chart = self.charts[0]
        return frozenset({"measure", "run", chart.labels, *dict(chart.given)} - {""})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for chart in self.charts:
            about = [chart.measure] * bool(chart.measure) + [text for _, text in chart.given]
            for curve in chart.curves:
                run = [curve.name] if chart.labels != "run" else []
                for point in curve.points:
                    label = [point.label] if chart.labels else []
                    yield (*about, *run, *label, _whole(chart.x.name, point.x), point.y, *point.more)

    @property
    def record(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "kind": self.charts[0].kind,
            "policy": self.made.policy,
            "made": self.made.caption,
            "queries": self.made.queries,
            "inputs": [file.recorded() for file in self.made.inputs],
            "pictures": [_picture(chart) for chart in self.charts],
        }


def _spaced(row: Mapping[str, str]) -> Texts:
    return {name.replace("_", " "): text for name, text in row.items()}


def _whole(axis: str, value: float) -> float | int:
    return int(value) if axis in ("k", "place") else value


def _picture(chart: Curves) -> dict[str, Any]:
    return {
        "measure": chart.measure or None,
        **dict(chart.given),
        "x": chart.x.name,
        "y": chart.y.name,
        "caption": chart.caption,
        "notes": list(chart.notes),
        "curves": [
            {
                "run": curve.name or None,
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
