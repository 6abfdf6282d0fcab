"""Tables made of a text for each heading, and what records of the same findings have alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from irev import __version__
from irev.base.text import MISSING, plain, scipy_version
from irev.output.report import Cell, Plain, Sheet
from irev.statistics.power import NeedSpan

Texts = Mapping[str, Cell | str]
"""What a row has under each heading."""


def table(
    title: str,
    labels: Sequence[str],
    header: Sequence[str],
    rows: Iterable[Texts],
    texts: Collection[str] | None = None,
    notes: Iterable[str] = (),
) -> Sheet:
    """A sheet of rows that have a text under each of the headings that they have something for.

    Parameters
    ----------
    title : str
    labels : sequence of str
        The headings of what rows are about, no two alike, also among `header`.
    header : sequence of str
        The others. What a row has under yet another heading is not shown.
    rows : iterable of mapping of str to (Cell or str)
    texts : collection of str, optional
        The headings of texts; None are those of the labels.
    notes : iterable of str, optional
    """
    headings = (*labels, *header)
    named = labels if texts is None else texts
    places = frozenset(place for place, heading in enumerate(headings) if heading in named)
    cells = tuple(tuple(_cell(row.get(heading, "")) for heading in headings) for row in rows)
    return Sheet(title, headings, len(labels), places, (cells,), tuple(notes))


def _cell(content: Cell | str) -> Cell:
    return content if isinstance(content, Cell) else Cell(content)


def needed_between(span: NeedSpan | None) -> str:
    """From how many queries to how many: ``[12, 340]``; ``[12, ∞]`` where none are enough for the smallest effect."""
    if span is None or span.least is None:
        return MISSING
    return f"[{span.least:,}, {'∞' if span.most is None else f'{span.most:,}'}]"


def stamped(kind: str, version: int) -> dict[str, Any]:
    """How the record of a statistical finding begins: what it is, and which programs made it."""
    return {"format": kind, "version": version, "irev": __version__, "scipy": scipy_version()}


def keyed(columns: Sequence[str], row: Sequence[Plain]) -> dict[str, Any]:
    """The values of a row by the names of columns, numbers as JSON has them."""
    return {
        column: plain(value) if isinstance(value, float) else value for column, value in zip(columns, row, strict=True)
    }
