"""Differences of runs in other ways than by tests on one set of queries.

Each way makes lines, one for each measure and pair of runs, of which the fields are the columns and the record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.text import counted, ends, interval, named, p_value, percent, real, signed
from irev.evaluation.comparison import Aligned, Measured, without_unjudged
from irev.evaluation.comparison.systems import Gathered
from irev.evaluation.result import Input
from irev.output.figures import Estimate, Estimated, figure_of_estimates
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import RESTS, Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.output.reports.comparison import unevenly_judged, what_mark_means

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
