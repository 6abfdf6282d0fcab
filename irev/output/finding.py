"""`ReportedFinding`, the base of all findings: how notebooks, Python programs and styles get its report.

A finding is the record that an answer returns. Its report is computed each time it is asked for, and not kept.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.errors import IrevError
from irev.base.exit import DONE
from irev.base.text import decoded, plain
from irev.output.report import USUAL_WIDTH, Form, Look, Report, Sort
from irev.output.styles import TABLE, written

if TYPE_CHECKING:
    import pandas
    import polars

    from irev.evaluation.curves import CurvePicture


Names = Mapping[str, str | None]
"""What the fields of a record are called in the records that are written: see `recorded`."""


Put = Callable[[str, Iterable[bytes]], None]
"""Writes a file: its name and its content."""


class Drawing(NamedTuple):
    """A figure, which a notebook shows.

    Attributes
    ----------
    make : callable
        ``make(form)``: the content of a file of this form.
    """

    make: Callable[[Form], bytes]

    def save(self, path: str, width: float = USUAL_WIDTH, notes: bool = True) -> None:
        """Write it to a file, whose ending says of which kind: ``.svg``, ``.png`` or ``.pdf``.

        Parameters
        ----------
        path : str
        width : float
            In inches, in which text has 8 points or so: 3.3 for a column of a paper.
        notes : bool
            Whether sentences stand below it.
        """
        content = self.make(Form(path.rpartition(".")[2].lower(), width, notes))
        with open(path, "wb") as file:
            file.write(content)

    def _repr_svg_(self) -> str:
        return self.make(Form("svg")).decode("utf-8")

    def __repr__(self) -> str:
        return "<figure: .save('FILE.svg'), .png or .pdf writes it>"


class Shown(ABC):
    """Findings that have a `report`: HTML in notebooks, a table when printed, data frames."""

    @abstractmethod
    def report(self) -> Report:
        """What the command line would show."""

    def _repr_html_(self) -> str:
        from irev.output.styles.html import fragment

        return fragment(self.report().seen(Look("standard")))

    def __str__(self) -> str:
        """The table that the command line shows, 80 columns wide."""
        return written(TABLE, self.report(), Look("standard")).decode("utf-8", "replace").rstrip("\n")

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the rows and columns of ``-f csv``, unrounded."""
        import pandas

        return pandas.DataFrame(self._columns_of_rows())

    def to_polars(self) -> polars.DataFrame:
        """The same for polars."""
        import polars

        return polars.DataFrame(self._columns_of_rows(), strict=False)

    def _columns_of_rows(self) -> dict[str, list[Any]]:
        report = self.report().seen(Look("standard"))
        rows = list(report.rows)
        return {name: [row[place] for row in rows] for place, name in enumerate(report.columns)}


def drawing_of_bars(sets: Iterable[tuple[str, Mapping[str, float]]], bars: str, caption: str, order: bool) -> Drawing:
    """Bars, a picture of each set of values: its title, the value of each name, what the names are, and whether the
    highest stands first."""
    from irev.evaluation.curves import BARS, Axis, Curve, CurvePicture, Point
    from irev.output.figures import figure_of_curves

    found = []
    for title, values in sets:
        named = [(name, value) for name, value in values.items() if math.isfinite(value)]
        if order:
            named.sort(key=lambda each: -each[1])
        points = tuple(Point(place, value, name) for place, (name, value) in enumerate(named, start=1))
        low = 0.0 if all(value >= 0 for _, value in named) else None
        axes = Axis("place", bars), Axis("value", "", low)
        found += [CurvePicture("", title, "", *axes, (Curve("", points),), BARS, labels="query")] * bool(points)
    if not found:
        raise IrevError("there is nothing to draw", remedy="the result has no values for single queries or ranks")
    return Drawing(lambda form: figure_of_curves(found, form, caption))


class ReportedFinding(Report, Shown):
    """A finding that is its own report: one record for the analysis, for Python and for every style."""

    sort: Sort | None = None
    """What tables are sorted by."""

    def report(self) -> Report:
        return self

    @property
    def beside(self) -> Iterable[tuple[str, Report]]:
        """Reports that are written to files of their own, in the style that the name of each asks for."""
        return ()

    @property
    def status(self) -> int:
        """How a process ends that has shown it, one of `irev.base.exit`."""
        return DONE

    @property
    def files(self) -> Iterable[tuple[str, Iterable[bytes]]]:
        """The files that are written beside what is shown: the name of each, and its content."""
        return ()

    def write(self, put: Put) -> None:
        """Have its files written: ``put(name, content)`` writes one, once all of its content is there."""
        for name, content in self.files:
            put(name, content)


class Pictured(ABC):
    """What is drawn."""

    @abstractmethod
    def drawn(self, form: Form) -> bytes:
        """The content of a file of this form."""

    def plot(self) -> Drawing:
        """What `drawn` shows, for notebooks."""
        return Drawing(self.drawn)


class CurvesFinding(Pictured, ReportedFinding):
    """A finding that is pictures, which screens show first: elsewhere signs need not stand below each other."""

    pictures: tuple[CurvePicture, ...]

    @property
    def lead(self) -> Iterator[str]:
        if self.look.width is not None:
            from irev.output.figures.charts import drawn

            yield from drawn(self.pictures, self.look.width)


def recorded(value: Any) -> Any:
    """A value as records have it: records as objects, ids as text, arrays as lists, and numbers that JSON has not as
    text.

    A record may say in `RECORDED` what its fields are called there. None leaves a field out; ``*`` puts the entries of
    a mapping in its place; ``*NAME`` makes an object of a sequence of records, with their field NAME as keys.
    """
    if hasattr(value, "recorded"):
        return value.recorded()
    if isinstance(value, bytes):
        return decoded(value)
    if isinstance(value, float):
        return plain(value)
    if isinstance(value, Mapping):
        return {recorded(key): recorded(each) for key, each in value.items()}
    names = getattr(value, "_fields", ()) or ([each.name for each in fields(value)] if is_dataclass(value) else ())
    if names:
        return _object(value, names)
    if hasattr(value, "tolist"):
        return value.tolist()
    return [recorded(each) for each in value] if isinstance(value, tuple | list) else value


def fields_of(value: Any, *names: str) -> dict[str, Any]:
    """Some fields of a record by their names, as records have them."""
    return {name: recorded(getattr(value, name)) for name in names}


def _object(value: Any, names: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        called, held = getattr(value, "RECORDED", {}).get(name, name), getattr(value, name)
        if called == "*":
            found |= recorded(held)
        elif called is not None and called.startswith("*"):
            keyed = [recorded(each) for each in held]
            found[name] = {each.pop(called[1:]): each for each in keyed}
        elif called is not None:
            found[called] = recorded(held)
    return found
