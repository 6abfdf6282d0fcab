"""Rows of files as bytes of another format, one after the other, so that files of any length stream by."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.commands.convert import ConvertChoices
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import doubt_notes, empty_notes
from irev.output import writers
from irev.output.finding import Finding
from irev.reading.columns import require_named
from irev.reading.rows import RowFile, kind_of
from irev.reading.sources import Source


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


IDLE = {"qrels": ("tag", "run_format"), "run": ("qrels_format",)}
"""What has no effect where files hold judgments, and where they hold runs."""


def answer(inputs: Inputs, choices: ConvertChoices) -> Converted:
    """The rows of all files in the format of the last."""
    target = writers.chosen(choices.target, choices.output)
    tag = None if choices.tag is None else writers.tag_held(os.fsencode(choices.tag), target)
    tables: list[RowFile] = []

    def pieces() -> Iterator[bytes]:
        with ExitStack() as opened:
            for path in choices.files:
                source = opened.enter_context(Source(path))
                tables.append(RowFile(source, choices.file_kind or kind_of(source, inputs.settings), inputs.settings))
            _require_alike(tables, inputs.settings, tag)
            yield from target.write(writers.data_of(tables, tag, getattr(target, "FILLS", False)))

    return Converted(choices.output, pieces(), tables)


def _require_alike(tables: list[RowFile], settings: Settings, tag: bytes | None) -> None:
    """Raise `UsageError` for files of two kinds, and for choices that are about the other kind."""
    first, *others = tables
    for table in others:
        if table.kind != first.kind:
            names = f"{first.source.name} and {table.source.name}"
            raise UsageError(f"judgments and runs cannot be joined: {names}")
    given = vars(settings) | {"tag": tag}
    for name in IDLE[first.kind]:
        if given[name]:
            what = "these are judgments" if first.kind == "qrels" else "this is a run"
            raise UsageError(f"{option(name)} has no effect here: {what}")
    judged, retrieved = (any(table.named and table.kind == kind for table in tables) for kind in ("qrels", "run"))
    require_named(settings, judged, retrieved)
