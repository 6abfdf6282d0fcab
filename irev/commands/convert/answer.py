"""Rows of files as bytes of another format, one after the other, so that files of any length stream by; or what
evaluations make of the files, where options change how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain

import numpy as np

from irev.base.errors import Problem, UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.segments import AnyInts, position
from irev.base.settings import Settings
from irev.commands.convert import SPECIAL, ConvertChoices
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import Note, doubt_notes, empty_notes, reading_notes
from irev.output import writers
from irev.output.finding import ReportedFinding
from irev.ranking.hits import first_rows
from irev.reading import ids, qrels, runs
from irev.reading.block import Block
from irev.reading.columns import require_named
from irev.reading.rows import ROLES, RowFile, Rows, kind_of
from irev.reading.sources import Source


@dataclass(frozen=True, eq=False)
class Converted(ReportedFinding):
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
            of_table = doubt_notes(table.source.name, table.doubts), empty_notes(table.source.name, table.empty)
            for note in (*chain(*of_table), *(table.noted if isinstance(table, EvaluatedFile) else ())):
                yield f"{note.run}{note.said}"


class EvaluatedFile(RowFile):
    """A file whose rows are what evaluations with its settings have: rankings, or one grade of each document."""

    _empty: Sequence[bytes] = ()
    _doubted: Sequence[Problem] = ()
    noted: Sequence[Note] = ()

    @property
    def doubts(self) -> list[Problem]:
        return [*self._doubted]

    @property
    def empty(self) -> list[bytes]:
        return [*self._empty]

    @property
    def roles(self) -> tuple[str, ...]:
        return ("query", "document", "grade") if self.kind == "qrels" else ROLES["run"]

    def rows(self) -> Iterator[Rows]:
        self.source.rewind()
        self.source.beside = {}
        if self.kind == "qrels":
            yield self._judged()
            return
        blocks, reading = runs.read(self.source, self._ranked, self.settings)
        self.noted = [*reading_notes(reading, self.source.name)]
        self._empty = [query for _, without in blocks for query in without]
        for columns, _ in blocks:
            if columns["query"]:
                yield self._as_rows(columns | {"tag": [reading.tag] * len(columns["query"])})

    def _judged(self) -> Rows:
        judgments = qrels.read(self.source, self.settings)
        self._doubted = judgments.doubts
        starts, lengths = judgments.document_start, judgments.document_length
        documents = [ids.at(judgments.text, *each) for each in zip(starts.tolist(), lengths.tolist(), strict=True)]
        found = zip(
            [judgments.queries[number] for number in judgments.query.tolist()],
            documents,
            judgments.grade.tolist(),
            strict=True,
        )
        rows = [(query, document, decimal(grade).encode()) for query, document, grade in sorted(found)]
        return self._as_rows(dict(zip(self.roles, map(list, zip(*rows, strict=True)), strict=True)))

    def _as_rows(self, columns: dict[str, list[bytes]]) -> Rows:
        return Rows(self.source.name, "row", runs.tag_of(self.source.name), columns, lambda row: row + 1)

    def _ranked(self, block: Block) -> tuple[dict[str, list[bytes]], list[bytes]]:
        """The rows of a block in the order of their ranks, and its queries without any."""
        rows, _ = first_rows(block, self.settings, None)
        query = block.query[rows]
        rank = position(query, len(block.queries)) + 1
        counts = np.bincount(query, minlength=len(block.queries))
        score = [b"%d" % left for left in (counts[query] - rank + 1).tolist()]
        if self.settings.are_usual("order", "ties") and "score" in block.fields.layout.fields:
            start, stop = (offsets[block.row[rows]] for offsets in block.fields.span("score"))
            score = _texts(block, start, stop - start)
        columns = {
            "query": [block.queries[number] for number in query.tolist()],
            "document": _texts(block, block.start[rows], block.length[rows]),
            "rank": [b"%d" % each for each in rank.tolist()],
            "score": score,
        }
        return columns, [block.queries[number] for number in np.flatnonzero(counts == 0).tolist()]


def _texts(block: Block, starts: AnyInts, lengths: AnyInts) -> list[bytes]:
    return [ids.at(block.text, *each) for each in zip(starts.tolist(), lengths.tolist(), strict=True)]


OF_RUNS = ("run_format", "order", "ties", "drop_self", "document_of")
IDLE = {"qrels": ("tag", *OF_RUNS), "run": ("qrels_format", "negative", "grade_words")}
"""What has no effect where files hold judgments, and where they hold runs."""


def answer(inputs: Inputs, choices: ConvertChoices) -> Converted:
    """The rows of all files in the format of the last."""
    target = writers.chosen(choices.target, choices.output)
    tag = None if choices.tag is None else writers.tag_held(os.fsencode(choices.tag), target)
    tables: list[RowFile] = []
    settings = inputs.settings
    settings.require_ranks()
    opened_as = RowFile if settings.are_usual(*SPECIAL) else EvaluatedFile

    def pieces() -> Iterator[bytes]:
        with ExitStack() as opened:
            for path in choices.files:
                source = opened.enter_context(Source(path))
                tables.append(opened_as(source, choices.file_kind or kind_of(source, settings), settings))
            _require_alike(tables, settings, tag)
            yield from target.write(writers.data_of(tables, tag, target.fills))

    return Converted(choices.output, pieces(), tables)


def _require_alike(tables: list[RowFile], settings: Settings, tag: bytes | None) -> None:
    """Raise `UsageError` for files of two kinds, and for choices that are about the other kind."""
    first, *others = tables
    for table in others:
        if table.kind != first.kind:
            names = f"{first.source.name} and {table.source.name}"
            raise UsageError(f"judgments and runs cannot be joined: {names}")
    for name in IDLE[first.kind]:
        if tag is not None if name == "tag" else not settings.are_usual(name):
            what = "these are judgments" if first.kind == "qrels" else "this is a run"
            raise UsageError(f"{option(name)} has no effect here: {what}")
    judged, retrieved = (any(table.named and table.kind == kind for table in tables) for kind in ("qrels", "run"))
    require_named(settings, judged, retrieved)
