"""Workbooks of Excel, ``.xlsx``: the first sheet, with the names of columns in its first row.

Its cells become text and are then read as those of CSV, so that all rules are the same: a cell has an id, a number,
true or false, or a list.
"""

from __future__ import annotations

import csv
import io
import lzma
import struct
import zipfile
import zlib
from dataclasses import replace
from functools import partial
from typing import Any

from irev.base.errors import Faults, InputError
from irev.base.settings import Settings
from irev.reading import columns
from irev.reading.fields import Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, delimited
from irev.reading.sources import GivenText, Source, Stream, is_workbook


def _lines(value: str, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    text = GivenText(_as_csv(source), source.name)
    text.beside, text.unrated = source.beside, source.unrated
    layout, stream = delimited.table_lines(",", value, text, settings, faults)
    return replace(layout, unit="row" if layout.unit == "line" else layout.unit), stream


_DAMAGED = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(RuntimeError, OSError, ValueError, EOFError, LookupError),
)
"""Errors of the zip archive if a file is damaged, beside the reader's own."""


def _as_csv(source: Source) -> bytes:
    """The first sheet. Raises `InputError` for a file that cannot be read as a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise InputError(
            "python-calamine is needed to read .xlsx", source.name, "pip install python-calamine"
        ) from None
    with source.seekable() as file:
        try:
            with zipfile.ZipFile(file) as archive:
                source.require_plausible(sum(member.file_size for member in archive.infolist()))
                if archive.testzip() is not None:
                    raise zipfile.BadZipFile("a part is damaged")
            file.seek(0)
            sheet = CalamineWorkbook.from_filelike(file).get_sheet_by_index(0)
            rows = sheet.to_python(skip_empty_area=False)
        except (CalamineError, *_DAMAGED) as error:
            reason = " ".join(str(error).split())
            fact = f"the file cannot be read as a workbook of Excel ({reason})"
            raise InputError(fact, source.name, "save it again as .xlsx without a password, or as CSV") from None
    written = io.StringIO()
    made = csv.writer(written, lineterminator="\n")
    for row in rows:
        cells = [_text(cell) for cell in row]
        made.writerow(cells if any(cells) else [])
    return written.getvalue().encode("utf-8", "surrogatepass")


def _text(cell: Any) -> str:
    """A cell as text; whole numbers without a point, as they are shown, since a workbook has no others."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    # A row has to stay one line of the text.
    return str(cell).replace("\r", "\v").replace("\n", "\v")


_EXACT = 2**53
"""Below this, every whole number is a double of its own."""

for _table, _value, _example in (
    (JUDGMENTS, "grade", "query_id  doc_id  relevance\nq1        d01     2\n"),
    (RUNS, "score", "query_id  doc_id  score\nq1        d01     12.5\n"),
):
    _table.add(
        "xlsx",
        Format(
            name="xlsx",
            description="The first sheet of a workbook of Excel, with names of columns in its first row, such as"
            f" {', '.join(columns.usual(_value))}; further columns are ignored. Other names by --columns. Needs"
            " python-calamine.",
            example=_example,
            lines=partial(_lines, _value),
            recognised=lambda head, settings: is_workbook(head),
        ),
    )
