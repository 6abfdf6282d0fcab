"""What every command but ``eval`` hands to the renderers: the same findings for people, for programs and as a record.

People get sheets, which are tables with sentences around them. Programs get rows, with a value in each column. What
reads a finding back gets the record. A renderer takes the part that suits its style; which numbers stand there, and
what is said about them, was decided before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MARK = "*"
"""The mark of significance, as sentences have it."""

Plain = str | float | int | bool | None
"""A value in a row for programs; None is one that there is not."""


@dataclass(frozen=True)
class Cell:
    """A text in a table for people.

    Attributes
    ----------
    text : str
        Safe to show: control characters are escaped already. Signs of markup are not; that is for the renderer.
    best : bool
        Whether it is the best number of those that it is compared with; it is set in bold type.
    tone : str
        ``good``, ``bad``, ``quiet`` or nothing: a colour in terminals, a class in HTML. It repeats what the text says,
        since many outputs, and many readers, have no colours.
    significant : bool
        Whether the mark of significance follows it, a star, or a dagger in a paper; a note of the report says what it
        means, and begins with `MARK`.
    """

    text: str
    best: bool = False
    tone: str = ""
    significant: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table for people.

    Attributes
    ----------
    title : str
        What it is about, where it does not say so itself.
    header : tuple of str
        What stands above each column.
    labels : int
        How many of the columns, from the left, say what a row is about. They are repeated where a table is spread over
        several because it is too wide.
    texts : frozenset of int
        The places of the columns that hold texts; all others hold numbers, which are aligned at their right end.
    sections : tuple of sections, which are tuples of rows, which are tuples of Cell
        Rows that belong together, each with a cell for every column; a rule is drawn between sections.
    notes : tuple of str
        Sentences that belong below it, such as what a mark means.
    """

    title: str
    header: tuple[str, ...]
    labels: int
    texts: frozenset[int]
    sections: tuple[tuple[tuple[Cell, ...], ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """What a command found.

    Attributes
    ----------
    title : str
    lead : tuple of str
        Sentences that stand before the sheets.
    sheets : tuple of Sheet
    notes : tuple of str
        Sentences that stand after all sheets.
    columns : tuple of str
        The names of the columns of `rows`, no two alike.
    rows : tuple of tuples of Plain
        Data for programs, unrounded, with a value for each column. Ids are text in which bytes that are no UTF-8 are
        lone surrogates, as `os.fsdecode` makes them.
    record : mapping of str to what JSON has
        Everything. Its numbers are finite; any other is the text ``inf``, ``-inf`` or ``nan``.
    digits : int
        How many follow the point of the real numbers in lists of `rows` that are rounded, which are ``tsv`` and
        ``csv``; `irev.base.text.EXACT` for as many as it takes.
    exact : frozenset of str
        The columns that are never rounded, such as p-values.
    """

    title: str
    lead: tuple[str, ...]
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Plain, ...], ...]
    record: Mapping[str, Any]
    digits: int = 4
    exact: frozenset[str] = frozenset()
