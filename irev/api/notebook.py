"""What notebooks, terminals and programs get of findings: the report that the command line shows, in other clothes.

A finding that is shown is the record that the analysis made, with a name for what it was made from. Everything here is
made when it is asked for; nothing of it is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.errors import UsageError
from irev.output.report import Look

if TYPE_CHECKING:
    import pandas
    import polars

    from irev.output.report import Report


class Drawing(NamedTuple):
    """A figure, which a notebook shows.

    Attributes
    ----------
    make : callable
        ``make(ending)``: the content of a file of this kind.
    """

    make: Callable[[str], bytes]

    def save(self, path: str) -> None:
        """Write it to a file, whose ending says of which kind: ``.svg``, ``.png`` or ``.pdf``."""
        content = self.make(path.rpartition(".")[2].lower())
        with open(path, "wb") as file:
            file.write(content)

    def _repr_svg_(self) -> str:
        return self.make("svg").decode("utf-8")

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
        from irev.output.styles import TABLE, written

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


def drawable(ending: str) -> str:
    """The ending of a figure's file. Raises `UsageError` for another one, `IrevError` where matplotlib is missing."""
    from irev.output.figures import PICTURES, require_drawable

    if ending not in PICTURES:
        raise UsageError(f"no figure can be written to a file called '.{ending}'", remedy="name .svg, .png or .pdf")
    require_drawable(ending)
    return ending
