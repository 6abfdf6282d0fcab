"""How documents, queries and their texts are worded in reports about single rankings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from irev.base.errors import decimal, escaped, printable
from irev.base.text import MISSING
from irev.output.report import Cell, Sheet
from irev.output.terminal import GAP, width, width_of

LONGEST = 120
"""Characters of a text that are shown where there is no screen to fit."""

SHORTEST = 16
"""No screen is so narrow that less of a text is shown."""

_ID = 40
"""Characters of an id that are shown in a table."""


class Excerpt(NamedTuple):
    """What of rankings is shown.

    Attributes
    ----------
    top : int or None
        Ranks, or documents of each query, that are shown; None for as many as suit the report.
    everything : bool
        Whether all of them are.
    titles, documents : mapping of bytes to str
        Texts of queries and documents.
    """

    top: int | None = None
    everything: bool = False
    titles: Mapping[bytes, str] = {}
    documents: Mapping[bytes, str] = {}

    def recorded_text(self, document: bytes) -> dict[str, str]:
        """What a record has of a document's text, where that is known."""
        text = self.documents.get(document)
        return {} if text is None else {"text": text}


def grade_text(grade: float | None) -> str:
    """A grade, a dash where the judgments do not name the document."""
    return MISSING if grade is None or math.isnan(grade) else decimal(grade)


def rank_text(rank: int | None) -> str:
    """A rank, a dash where the document was not retrieved."""
    return MISSING if rank is None else str(rank)


def grade_or_none(grade: float) -> float | None:
    """A grade as data: a whole one as a whole number, None where the judgments do not name the document."""
    if math.isnan(grade):
        return None
    return int(grade) if grade == int(grade) else grade


def id_text(name: bytes) -> str:
    """An id that is safe to show, with only the two ends of one that is very long."""
    text = printable(name)
    return text if len(text) <= _ID else f"{text[: _ID // 2]}…{text[1 - _ID // 2 :]}"


def beside(text: str, most: int = LONGEST) -> str:
    """A text that is safe to show in one line, cut to so many columns."""
    line = " ".join(text[: 8 * LONGEST].split())
    line = escaped(line)
    if width(line) <= most:
        return line
    kept, used = [], 1
    for character in line:
        used += width(character)
        if used > most:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def with_texts(sheet: Sheet, place: int, header: str, texts: Sequence[str | None], screen: int | None) -> Sheet:
    """A sheet with a further column of texts, one for each row, as wide as the screen leaves room for.

    Parameters
    ----------
    sheet : Sheet
    place : int
        Where the column is put.
    header : str
        What stands above it.
    texts : sequence of str or None
    screen : int or None
        Columns of the screen; None where there is none.
    """
    most = LONGEST
    if screen is not None:
        most = min(max(screen - width_of(sheet) - GAP, SHORTEST), LONGEST)
    cells = iter([Cell(beside(text, most) if text else "") for text in texts])
    sections = tuple(tuple((*row[:place], next(cells), *row[place:]) for row in section) for section in sheet.sections)
    return replace(
        sheet,
        header=(*sheet.header[:place], header, *sheet.header[place:]),
        # A text behind them is no label: where a table is split it stands once.
        labels=sheet.labels + (place < sheet.labels),
        texts=frozenset([place, *(at + (at >= place) for at in sheet.texts)]),
        sections=sections,
    )
