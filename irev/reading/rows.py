"""Files of judgments or results as rows of text, just as they stand: what conversions keep.

Numbers are checked as evaluations check them and passed on as they are written. Rows come a chunk of the file at a
time, in the order of the file, so that memory does not grow with it. That a query judges or retrieves a document twice
is not looked for: rows that are read again are refused, or not, just as these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from irev.base.errors import Faults, InputError, Problem, ProblemError, UsageError, shown
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.reading import block, chunks, formats, qrels, runs
from irev.reading.chunks import Buffer, Chunks
from irev.reading.columns import BESIDE
from irev.reading.fields import GRADES, Fields, Layout, split, with_blanks
from irev.reading.formats import JUDGMENTS, RUNS, head_of
from irev.reading.ids import padded
from irev.reading.sources import Source, Stream

Kind = Literal["qrels", "run"]

ROLES: dict[Kind, tuple[str, ...]] = {
    "qrels": ("query", "iteration", "document", "grade"),
    "run": ("query", "document", "rank", "score", "tag"),
}
"""What a row can have, in the order of TREC's formats, where the iteration is the second field of judgments."""

LOST = "E130"
"""The code of what a conversion would lose."""

_PARTS = "files are joined only if each query is in one of them; convert several runs one by one"


class Rows(NamedTuple):
    """Some rows of a file, one after the other.

    Attributes
    ----------
    name, unit : str
        The file, and what its lines are called.
    called : bytes
        The run id of a run that has none.
    columns : dict of str to list of bytes
        The values of each role.
    line : callable
        The line of a row.
    """

    name: str
    unit: str
    called: bytes
    columns: dict[str, list[bytes]]
    line: Callable[[int], int]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.columns["query"])

    def problem(self, row: int, fact: str, remedy: str) -> ProblemError:
        """The error of a row of which something would be lost."""
        return ProblemError(self.name, Problem(self.line(row), LOST, fact, remedy), self.unit)


class RowFile:
    """An open file of judgments or results, whose rows can be read again and again."""

    def __init__(self, source: Source, kind: Kind, settings: Settings) -> None:
        self.source, self.kind, self.settings = source, kind, settings
        self._refused = Faults()
        self._begun = False
        self._doubts = qrels.Suspicions(False)
        self.source.beside = dict.fromkeys(BESIDE["grade" if kind == "qrels" else "score"], "")
        self._layout, self._stream = _opened(self.source, self.kind, self.settings, self._refused)
        if self._layout.kind.name != GRADES:
            called = self._layout.kind.name
            fact = f"these are judgments of {called}; a conversion would keep only their grades"
            raise InputError(fact, self.source.name, "irev eval reads them unchanged")

    @property
    def roles(self) -> tuple[str, ...]:
        """What its rows have."""
        return tuple(role for role in ROLES[self.kind] if role == "grade" or self._field(role) is not None)

    @property
    def doubts(self) -> list[Problem]:
        """Return the doubts about the column, after all rows were read."""
        return [*self._refused.doubts, *self._doubts.found()]

    @property
    def empty(self) -> list[bytes]:
        """Queries that it has nothing for, and that no row has, once all were read."""
        return [encoded(query) for query in self._refused.empty]

    @property
    def named(self) -> bool:
        """Whether it has columns that can be named."""
        return self._layout.named

    def _field(self, role: str) -> str | None:
        """The field that holds a role: in TREC's lines the iteration is a field without a name."""
        name = "ignored" if role == "iteration" and self._stream is self.source else role
        return name if name in self._layout.fields else None

    def rows(self) -> Iterator[Rows]:
        """All rows, some at a time.

        Raises
        ------
        ProblemError
            For the earliest line that cannot be read, or has more fields than there is a place for.
        InputError
            For a file without rows.
        """
        if self._begun:
            self._stream.rewind()
            self._refused.clear()
        self._begun = True
        self._doubts = qrels.Suspicions(self._stream is self.source and "ignored" in self._layout.fields)
        pieces, buffer = Chunks(self._stream), Buffer(padded(chunks.SIZE))
        lines = count = 0
        while pieces.read(buffer):
            fields = _checked(buffer, self._layout, self.kind, self.settings, self._doubts, lines)
            found = Faults()
            found.unit, found.columns = self._layout.unit, self._stream is self.source
            found.take(fields.faults, lines)
            for row in fields.surplus[:1].tolist():
                fact = f"the line has more than {len(self._layout.fields)} fields, and the others would be lost"
                found.note(Problem(fields.line_of(row) + lines, LOST, fact, "remove them, or a blank in an id"))
            # The reader is ahead of this chunk: what it refused further down is not the earliest yet.
            found.problems += [problem for problem in self._refused.problems if problem.line <= lines + fields.lines]
            found.raise_earliest(self.source.name)
            if fields.rows:
                yield self._rows(buffer, fields, lines)
            count, lines = count + fields.rows, lines + fields.lines
        self._refused.unit = self._layout.unit
        self._refused.raise_earliest(self.source.name)
        if not count:
            what = "judgments" if self.kind == "qrels" else "results"
            fact = f"the file holds no {what}" if lines or self.empty else "the file is empty"
            raise InputError(fact, self.source.name, f"expected lines such as {self._layout.example}")

    def _rows(self, buffer: Buffer, fields: Fields, before: int) -> Rows:
        text = buffer.text[buffer.begin : buffer.end].tobytes()
        columns = {}
        for role in self.roles:
            name = self._field(role)
            if name is None:
                columns[role] = [b"1"] * fields.rows  # a format without grades names what is relevant
                continue
            start, stop = (places - buffer.begin for places in fields.span(name))
            columns[role] = [text[a:b] for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
        called = runs.tag_of(self.source.name)
        return Rows(self.source.name, self._layout.unit, called, columns, lambda row: fields.line_of(row) + before)


def _opened(source: Source, kind: Kind, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    if kind == "qrels":
        return formats.opened(JUDGMENTS, settings.qrels_format, source, settings, faults)
    return formats.opened(RUNS, settings.run_format, source, settings, faults)


def _checked(
    buffer: Buffer, layout: Layout, kind: Kind, settings: Settings, doubts: qrels.Suspicions, before: int = 0
) -> Fields:
    """The fields of a chunk that begins after some lines, with what is wrong with it among their faults."""
    fields = split(buffer.text, buffer.begin, buffer.end, layout)
    with_blanks(buffer.text, buffer.begin, buffer.end, layout)
    if fields.rows and kind == "qrels":
        line = fields.lines_of(np.arange(fields.rows))
        doubts.look_at(fields, qrels.grades(buffer.text, fields, line, settings, fields.faults), line + before)
    elif fields.rows:
        block.ordering(buffer.text, fields, settings)
    return fields


def kind_of(source: Source, settings: Settings) -> Kind:
    """Whether a file holds judgments or a run.

    That is told by a format that was named for one of them; by one that the file is certainly in, if it is so for one
    of them alone; or by its beginning, if it can be read as one of them alone. The file is then as if nothing had been
    read of it.

    Raises
    ------
    UsageError
        Where it cannot be told.
    """
    if (settings.qrels_format is None) != (settings.run_format is None):
        return "run" if settings.qrels_format is None else "qrels"
    head = head_of(source)
    certain: dict[Kind, formats.Format | None] = {
        "qrels": formats.recognised(JUDGMENTS, head, settings),
        "run": formats.recognised(RUNS, head, settings),
    }
    may_be = [kind for kind, form in certain.items() if form is not None]
    special = [kind for kind in may_be if (form := certain[kind]) is not None and form.special]
    for kinds in (may_be, special):
        if len(kinds) == 1 and not (kinds == ["qrels"] and _may_have_scores(certain["qrels"], head)):
            return kinds[0]
    readable = [kind for kind in certain if _begins_as(source, kind, settings)]
    if len(readable) == 1:
        return readable[0]
    fact = "this may be judgments or a run" if readable else "this looks neither like judgments nor like a run"
    remedy = "add --content qrels or --content run"
    raise UsageError(fact, source.name, remedy if readable else f"{remedy} to see the error")


def _may_have_scores(form: formats.Format | None, head: bytes) -> bool:
    """Whether what are grades in a format by their column alone, which is called score, have fractions."""
    return form is JUDGMENTS.find("beir") and re.search(rb"\t-?[0-9]*\.[0-9]*[1-9][^\t\n]*\n", head) is not None


def _begins_as(source: Source, kind: Kind, settings: Settings) -> bool:
    """Whether a file begins with a row of one of the two, whatever is wrong further down."""
    faults, buffer = Faults(), Buffer(padded(0))
    try:
        layout, stream = _opened(source, kind, settings, faults)
        there = Chunks(stream, 1 << 16).read(buffer)
        fields = _checked(buffer, layout, kind, settings, qrels.Suspicions(False)) if there else None
        wrong = [problem.line for problem in (*faults.problems, *(fields.faults.problems if fields else ()))]
        return fields is not None and fields.rows > 0 and fields.line_of(0) < min(wrong, default=fields.lines + 1)
    except InputError:
        return False
    finally:
        source.rewind()


def together(tables: Sequence[RowFile], tag: bytes | None = None) -> Iterator[Rows]:
    """The rows of several files as of one, whose queries must be different ones. `tag` is the run id of all, if given.

    Raises
    ------
    ProblemError
        For a query that stands in two of them.
    """
    owner: dict[bytes, int] = {}
    for number, table in enumerate(tables):
        for rows in table.rows():
            if len(tables) > 1:
                for query in dict.fromkeys(rows.columns["query"]):
                    first = owner.setdefault(query, number)
                    if first != number:
                        row = rows.columns["query"].index(query)
                        fact = f"the query {shown(query)} is also in {tables[first].source.name}"
                        raise rows.problem(row, fact, _PARTS)
            yield rows if tag is None else _with_tag(rows, tag)


def _with_tag(rows: Rows, tag: bytes) -> Rows:
    """The same rows with one run id."""
    return rows._replace(columns={**rows.columns, "tag": [tag] * rows.number})
