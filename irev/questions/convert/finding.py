"""What becomes of files that are converted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irev.base.records import dataclass
from irev.evaluation.notes import doubt_notes, empty_notes
from irev.output.finding import Finding
from irev.reading.rows import RowFile


@dataclass(frozen=True, eq=False)
class Converted(Finding):
    """The new file, which is made as it is written.

    Attributes
    ----------
    file : str
        The new file.
    pieces : iterator of bytes
        What it holds.
    tables : sequence of RowFile
        The files that it is made of, once it is made.
    """

    file: str
    pieces: Iterator[bytes]
    tables: Sequence[RowFile]

    @property
    def files(self) -> list[tuple[str, Iterator[bytes]]]:
        return [(self.file, self.pieces)]

    @property
    def notes(self) -> Iterator[str]:
        for table in self.tables:
            for note in (*doubt_notes(table.source.name, table.doubts), *empty_notes(table.source.name, table.empty)):
                yield f"{note.run}{note.said}"
