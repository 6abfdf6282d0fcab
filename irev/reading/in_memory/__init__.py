"""Judgments and runs that are in memory already: nested dictionaries, data frames, and arrays.

What comes out is what files give, `Judgments` and `Block`s, so that everything after it is shared and a number does not
depend on where its data came from. Nothing that is handed in is changed, and no library of data frames is imported: one
that hands in a frame has imported it. The modules of this folder take data apart: ids as bytes, the columns of frames
and arrays, and rows by query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from irev.base.errors import Faults, InputError, UsageError
from irev.base.segments import Floats
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.reading import formats, ids, numbers, qrels
from irev.reading.block import Block, all_but_best
from irev.reading.fields import SUBTOPICS, Fields, JudgmentKind, Layout
from irev.reading.flat_ids import FlatIds
from irev.reading.in_memory.frame_columns import lists_of_frame
from irev.reading.in_memory.query_rows import QueryRows, by_query, joined_rows, nested_rows, table_rows
from irev.reading.in_memory.written_ids import joined_ids
from irev.reading.judgments import LARGEST, JudgmentColumns, Judgments


class Frame(Protocol):
    """What a data frame of pandas or polars, and a table of pyarrow, have in common."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""

    def __getitem__(self, name: Any, /) -> Any: ...


Listed = Mapping[str, Mapping[str, float] | Sequence[str]] | Mapping[str, float] | list[str]
"""A run: ``{query: {document: score}}``, or ``{query: [document, …]}``, best first; without queries of one."""


ListedJudgments = Mapping[str, Mapping[str, Any] | Sequence[str] | Set[str]] | Mapping[str, float | str] | list[str]
"""Judgments: ``{query: {document: grade}}``, or ``{query: [document, …]}``, the relevant ones, with a grade of 1;
without queries of one."""


Arrays = tuple[Sequence[Any] | np.ndarray[Any, Any], ...]
"""Queries, documents, and grades or scores, all of one length."""


def judgments(data: object, settings: Settings, name: str = "qrels") -> Judgments:
    """Judgments of a nested dictionary, one of lists, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : ListedJudgments, Frame or Arrays
    settings : Settings
        Names of columns, and what a negative grade means.
    name : str
        What messages call them.

    Raises
    ------
    InputError
        For an id that is none, a grade that is not a number, a document that is judged twice, or no judgments at all.
    """
    data = by_query(data, "grade")
    lists = lists_of_frame(data, "grade", settings, name)
    data = data if lists is None else lists
    parts = (
        list(nested_rows(data, "grade", name, settings))
        if isinstance(data, Mapping)
        else [table_rows(data, "grade", settings, name)]
    )
    part = joined_rows(parts) if len(parts) != 1 else parts[0]
    if not part.rows:
        raise InputError("there are no judgments", name)
    document = part.documents(0, part.rows)
    grade = graded(part.values, settings, name, part.described)
    counts = np.diff(part.bounds)
    judged = sorted(part.queries[i] for i in np.flatnonzero(counts).tolist())
    index = {query: i for i, query in enumerate(judged)}
    query = np.repeat(np.array([index.get(query, -1) for query in part.queries], dtype=np.int64), counts)
    key = document.keys_from(np.repeat(part.seeds, counts))
    if not part.distinct:
        twice, _ = ids.repeated(document.text, document.start, document.length, key, query)
        if len(twice):
            raise InputError(f"{part.described(int(twice[0]))} is judged twice", name, "keep one of the two")
    columns = JudgmentColumns(query, document.start, document.length, grade, key)
    return qrels.indexed(name, tuple(judged), document.text, columns)


def graded(value: Floats, settings: Settings, name: str, described: Callable[[int], str]) -> Floats:
    """The grades, as the setting for negative ones has them."""
    for row in np.flatnonzero(~(np.abs(value) <= LARGEST))[:1].tolist():
        fact = "is not a number" if np.isnan(value[row]) else "is too large; expected at most 2^53"
        raise InputError(f"the grade {value[row]} of {described(row)} {fact}", name)
    if settings.negative == "nonrelevant":
        value = np.maximum(value, 0.0)
    elif settings.negative == "error":
        for row in np.flatnonzero(value < 0)[:1].tolist():
            remedy = "choose negative='unjudged' or 'nonrelevant'"
            raise InputError(f"the grade {value[row]} of {described(row)} is negative", name, remedy)
    return value + 0.0  # a grade of -0 is 0


def blocks(data: object, settings: Settings, name: str = "run") -> Iterator[Block]:
    """The blocks of a run that is a nested dictionary, one of lists, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : Listed, Frame or Arrays
    settings : Settings
        The names of the columns, the order of the rows, and what to do with documents that occur twice.
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For an id that is none, a score that is not a number, a document that a query retrieves twice, or no results.
    """
    data = by_query(data, "score")
    lists = lists_of_frame(data, "score", settings, name)
    data = data if lists is None else lists
    parts: Iterable[QueryRows]
    if isinstance(data, Mapping):
        if settings.order == "rank" and any(isinstance(documents, Mapping) for documents in data.values()):
            raise UsageError("a dictionary has no ranks", name, "leave out order='rank'")
        parts = nested_rows(data, "score", name)
    else:
        parts = [table_rows(data, "rank" if settings.order == "rank" else "score", settings, name)]
    some = False
    for part in parts:
        for first, last in part.cuts():
            some = True
            yield _block(part, first, last, settings, name)
    if not some:
        raise InputError("there are no results", name)


def _block(part: QueryRows, first: int, last: int, settings: Settings, name: str) -> Block:
    """The block of the queries from `first` up to `last`."""
    begin, end = part.bounds[first], part.bounds[last]
    rows = np.diff(part.bounds[first : last + 1])
    query = np.repeat(np.arange(last - first), rows)
    document = part.documents(begin, end)
    if settings.document_of is not None:
        start, stop = ids.cut(settings.document_of, document.text, document.start, document.start + document.length)
        document = FlatIds(document.text, start, stop - start)
    key = document.keys_from(np.repeat(part.seeds[first:last], rows))
    value = part.values[begin:end]
    for row in np.flatnonzero(np.isnan(value))[:1].tolist():
        raise InputError(f"the {part.role} of {part.described(begin + row)} is not a number", name)
    if settings.order == "file":
        value = -np.arange(begin, end, dtype=np.float64)
    elif part.role == "rank":
        value = -value
    block = Block(
        document.text,
        part.queries[first:last],
        part.bounds[first:last] - begin,
        query,
        document.start,
        document.length,
        key,
        numbers.exact(value, np.empty(0, np.int64)),
        NOWHERE,
        np.broadcast_to(np.int64(0), end - begin),
    )
    if settings.drop_self:
        queries = joined_ids(part.queries[first:last])
        is_query = ids.equal(
            document.text, document.start, document.length, queries.text, queries.start[query], queries.length[query]
        )
        block = block.without(np.flatnonzero(is_query))
    return block if part.distinct and settings.document_of is None else _without_repeats(block, part, settings, name)


def _without_repeats(block: Block, part: QueryRows, settings: Settings, name: str) -> Block:
    """The block with each document once per query."""
    again, first = ids.repeated(block.text, block.start, block.length, block.key, block.query)
    if not len(again):
        return block
    if settings.repeats == "error":
        fact = f"{part.described(int(block.row[again[0]]))} is retrieved twice"
        raise InputError(fact, name, "keep one of the two, or choose duplicates='first' or 'best'")
    return block.without(all_but_best(block, again, first) if settings.repeats == "best" else again)


def no_judgments(name: str) -> Judgments:
    """Judgments of no query: those of a part of the queries of which none is judged."""
    none = np.empty(0, np.int64)
    nothing = JudgmentColumns(none, none, none, np.empty(0), np.empty(0, np.uint64))
    return qrels.indexed(name, (), joined_ids([]).text, nothing)


def no_results() -> Block:
    """The block of no query."""
    ids_there, none = joined_ids([]), np.empty(0, np.int64)
    number = numbers.exact(np.empty(0), none)
    return Block(ids_there.text, [], none, none, none, none, np.empty(0, np.uint64), number, NOWHERE, none)


NOWHERE = Fields(
    (), (), None, 0, np.empty(0, np.int64), Faults(), Layout((), True, True, "none", ""), np.empty(0, np.uint8)
)
"""What stands for the lines of rows that come from none."""


def kept(block: Block) -> Block:
    """A block of a file that stays when the text it was read from is overwritten."""
    text = block.text.copy()
    return replace(block, text=text, queries=list(block.queries), score=replace(block.score, text=text), fields=NOWHERE)


class _LinesInMemory:
    """Lines that are in memory, as a stream of them."""

    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.size = name, len(text)
        self._text, self._place = memoryview(text), 0

    def fill(self, room: memoryview) -> int:
        """As `irev.reading.sources.Source.fill`."""
        part = self._text[self._place : self._place + len(room)]
        room[: len(part)] = part
        self._place += len(part)
        return len(part)

    def rewind(self) -> None:
        """As `irev.reading.sources.Source.rewind`."""
        self._place = 0


def subtopic_judgments(
    rows: Iterable[tuple[str, str, str, float]], settings: Settings, name: str = "qrels"
) -> Judgments:
    """The judgments of rows of query, subtopic, document and grade.

    Raises
    ------
    InputError
        For an id that is none, a grade that is not a number, and a document that is judged twice for a subtopic.
    """
    from irev.reading.formats.structured import BY_SUBTOPIC  # formats are registered when they are asked for

    layout = replace(
        BY_SUBTOPIC, comments="none", empty_lines=True, blanks=True, kind=JudgmentKind(SUBTOPICS), unit="judgment"
    )
    lines = []
    for number, (query, subtopic, document, grade) in enumerate(rows, start=1):
        fields = []
        for role, written in (("query", query), ("subtopic", subtopic), ("document", document)):
            field = formats.as_field(written)
            if field is None:
                fault = formats.id_fault(number, role, written)
                raise InputError(f"judgment {number}: {fault.fact}", name, fault.remedy)
            fields.append(field)
        lines.append(f"{' '.join(fields)} {grade!s}\n")
    text = encoded("".join(lines))
    return qrels.of_lines(layout, _LinesInMemory(name, text), settings, Faults())
