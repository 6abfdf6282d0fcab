"""The splitter: lines of white-space separated fields to offsets, a whole chunk at a time.

White space is that of C: blank, tab, vertical tab, form feed and carriage return. Nearly every chunk of nearly every
file has its fields separated by single blanks or tabs, and `flatnonzero` finds every offset at once. Any other shape of
chunk (CRLF, runs of blanks, comments, empty lines, lines of the wrong length) takes a general path that is slower,
still vectorised, and finds what is wrong with each line.

trec_eval takes a blank in an id for a separator. A line that has exactly the fields of its format between tabs says
where its ids end, and is read so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from irev.base.errors import Faults, Problem, shown
from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.reading.ids import PAD, Bytes, at
from irev.reading.limits import LONGEST

NEWLINE, BLANK, TAB, HASH = 10, 32, 9, 35

STAND_IN = 127
"""The byte that is a blank in rewritten lines until they have been split: no id of such a format may hold it."""

NO_COMMENTS_YET = " (comments came with trec_eval 10.0)"
"""What is added to the remedy of a line that looks like a comment where there are none."""

GRADES = "grades"
"""The kind of judgments that are a grade of each document, and nothing else."""

GROUPS = "groups"
"""The kind of judgments beside these that measures of the core ask for."""

PICKED = (b"0", b"2")
"""The groups of probabilities, which are methods, of documents that were picked: alone, or drawn as well."""

WORSE = "worse"
"""The field of a document to which the `document` of the line is preferred."""

Comments = Literal["none", "line start", "first field"]
"""Which lines are comments: none, those whose first byte is ``#``, or those whose first field begins with ``#``."""


@dataclass(frozen=True, eq=False)
class JudgmentKind:
    """What judgments are, as their format says.

    Attributes
    ----------
    name : str
        What they are called: ``grades`` of documents; or, where lines have fields beside those that say more (see
        `irev.reading.extra_columns`), something else, such as ``subtopics``. Measures ask for it by that name.
    check : callable or None
        ``check(judgments, faults)``: adds what is wrong with judgments of which every line can be read.
    assigned : bool
        Whether the scores of a run say how far it has what is judged, and it may name nothing else: as nuggets, which
        are no documents that anybody could retrieve.
    graded : bool
        Whether measures of grades may take the highest grade of a document. Levels that only order documents, and
        opinions of several people, would be made up to something else.
    ties : str
        How documents of equal score are ordered under these judgments unless another order than the usual is asked for,
        where their evaluator does otherwise: one of the words of `irev.base.settings.Settings.ties`.
    implied : str
        What is said where the format is taken since all measures need such judgments and no format is named; "" where
        it has to be named.
    doubt : str
        What is doubtful where all rows are of one group, with a place for its name.
    notes : callable or None
        ``notes(judgments, settings, requests)``: what such judgments have to say on an evaluation, as
        `irev.evaluation.notes.level_notes` has it.
    rows : callable or None
        ``rows(layout)``: what collects the rows of a file instead of `irev.reading.extra_columns.Further`.
    """

    name: str = GRADES
    check: Callable[[Any, Faults], None] | None = None
    assigned: bool = False
    graded: bool = True
    ties: str = ""
    implied: str = ""
    doubt: str = ""
    notes: Callable[..., Iterable[Any]] | None = None
    rows: Callable[[Layout], Any] | None = None


@dataclass(frozen=True, eq=False)
class Layout:
    """What the lines of a format look like.

    Attributes
    ----------
    fields : tuple of str
        The name of each field.
    exact : bool
        Whether further fields are a fault; otherwise they are ignored.
    empty_lines : bool
        Whether empty lines are skipped; otherwise they are a fault.
    comments : str
        See `Comments`.
    example : str
        A line of this format, for messages.
    unit : str
        What its lines are in a file that has no lines: a row, an entry.
    hint : str
        What to try when lines have another number of fields.
    blanks : bool
        Whether `STAND_IN` is a blank in a field, as it is in lines that were rewritten from a format whose ids may
        hold blanks.
    named : bool
        Whether `irev.base.settings.Settings.columns` says what is what: its columns, or fields, have names.
    relevant_only : bool
        Whether lines name relevant documents and no others.
    kind : JudgmentKind
        What its judgments are, as the `Format` says.
    """

    fields: tuple[str, ...]
    exact: bool
    empty_lines: bool
    comments: Comments
    example: str
    unit: str = "line"
    hint: str = ""
    blanks: bool = False
    named: bool = False
    relevant_only: bool = False
    kind: JudgmentKind = JudgmentKind()


NONE: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Fields:
    """Where the fields of a chunk stand: for each field an array with one offset per row.

    Attributes
    ----------
    start, stop : sequence of int (rows,)
        Offsets into the text of the first byte of each field, and of the byte after its last.
    line : int (rows,) or None
        Line of each row, counting from 1 at the chunk's first line; None when every line is a row.
    lines : int
        Number of lines in the chunk.
    surplus : int (s,)
        Rows with more fields than the layout names.
    spaced : int (b,)
        Rows with a blank in a field, since tabs separate their fields.
    faults : Faults
        What is wrong with the lines that are no rows.
    layout : Layout
        Names the fields.
    text : uint8
        Where all this stands.
    """

    start: tuple[Ints, ...]
    stop: tuple[Ints, ...]
    line: Ints | None
    lines: int
    surplus: Ints
    faults: Faults
    layout: Layout
    text: Bytes
    spaced: Ints = NONE

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.stop[0])

    def span(self, field: str) -> tuple[Ints, Ints]:
        """Where a field of the layout begins and ends, row by row."""
        place = self.layout.fields.index(field)
        return self.start[place], self.stop[place]

    def column(self, row: int, field: str) -> int:
        """Byte of its line at which a field begins, counting from 1."""
        start, _ = self.span(field)
        return column(self.text, int(start[row]))

    def line_of(self, row: int) -> int:
        """Line number of one row."""
        return row + 1 if self.line is None else int(self.line[row])

    def lines_of(self, rows: Ints) -> Ints:
        """Line numbers of the given rows."""
        return rows + 1 if self.line is None else self.line[rows]


def nowhere() -> Fields:
    """The fields of rows in memory, which have no lines."""
    return Fields((), (), None, 0, NONE, Faults(), Layout((), True, True, "none", ""), np.empty(0, np.uint8))


NOWHERE = nowhere()


def spaced(fields: Fields, row: int) -> Problem:
    """What is said of the first row with a blank in an id."""
    line = fields.line_of(row)
    return Problem(line, "W228", "tabs separate the fields, so blanks are part of ids", "trec_eval would split them")


def column(text: Bytes, place: int) -> int:
    """Which byte of its line stands at `place`, counting from 1."""
    window = 256
    while True:
        begin = max(PAD, place - window)
        newline = text[begin:place].tobytes().rfind(b"\n")
        if newline >= 0 or begin == PAD:
            return place - begin - newline
        window *= 4


def line(text: Bytes, place: int) -> int:
    """Which line of a text, counting from 1, stands at `place`; counted, for the few places that messages name."""
    step = 1 << 20
    newlines = (np.count_nonzero(text[at : min(at + step, place)] == NEWLINE) for at in range(PAD, place, step))
    return 1 + sum(map(int, newlines))


def split(text: Bytes, begin: int, end: int, layout: Layout, most: int = 1) -> Fields:
    """The fields of the lines in ``text[begin:end]``, which ends with a newline; `most` faults are described."""
    return _regular(text, begin, end, layout, most) or _general(text, begin, end, layout, most)


def with_blanks(text: Bytes, begin: int, end: int, layout: Layout) -> None:
    """Put blanks where `STAND_IN` stands for them, once these lines have been split."""
    if layout.blanks:
        part = text[begin:end]
        part[part == STAND_IN] = BLANK


def _regular(text: Bytes, begin: int, end: int, layout: Layout, most: int = 1) -> Fields | None:
    """The fields when every line has just those of the layout, with one blank or tab between them; otherwise None."""
    width = len(layout.fields)
    chunk = text[begin:end]
    separates = chunk <= BLANK
    if not len(chunk) or separates[0] or (separates[1:] & separates[:-1]).any():
        return None
    ends = np.flatnonzero(separates)
    if len(ends) % width:
        return None
    rows = len(ends) // width
    stop = np.empty((width, rows), dtype=np.int64)
    np.add(ends.reshape(rows, width).T, begin, out=stop)
    # Every last separator is a newline, and the others are all blanks or tabs: then no other byte can hide among them.
    if not (text[stop[-1]] == NEWLINE).all():
        return None
    between = rows * (width - 1)
    blanks = np.count_nonzero(chunk == BLANK)
    if blanks != between and blanks + np.count_nonzero(chunk == TAB) != between:
        return None
    start = np.empty_like(stop)
    start[0, 0] = begin
    start[0, 1:] = stop[-1, :-1] + 1
    np.add(stop[:-1], 1, out=start[1:])
    if layout.comments != "none" and (text[start[0]] == HASH).any():
        return None
    if end - begin > LONGEST and (stop[-1] - start[0] > LONGEST).any():
        return None
    return Fields(tuple(start), tuple(stop), None, rows, NONE, Faults(most), layout, text)


def _general(text: Bytes, begin: int, end: int, layout: Layout, most: int) -> Fields:
    width = len(layout.fields)
    chunk = text[begin:end]
    newlines = np.flatnonzero(chunk == NEWLINE) + begin
    lines = len(newlines)
    # Fields begin and end where white space does; the byte before the chunk counts as white space.
    white = np.ones(len(chunk) + 1, dtype=bool)
    white[1:] = (chunk == BLANK) | ((chunk >= TAB) & (chunk <= 13))
    edges = np.flatnonzero(white[1:] != white[:-1]) + begin
    starts, stops = edges[0::2], edges[1::2]
    line_of_field = np.searchsorted(newlines, starts)
    count = np.bincount(line_of_field, minlength=lines)
    spaced = NONE
    if width > 1 and (count > width).any():
        tabs = np.flatnonzero(chunk == TAB) + begin
        tabbed = (count > width) & (np.bincount(np.searchsorted(newlines, tabs), minlength=lines) == width - 1)
        if tabbed.any():
            starts, stops, spaced = _between_tabs(text, tabs, newlines, tabbed, starts, stops, layout)
            line_of_field = np.searchsorted(newlines, starts)
            count = np.bincount(line_of_field, minlength=lines)
    first = np.zeros(lines, dtype=np.int64)
    np.cumsum(count[:-1], out=first[1:])
    line_start = np.empty(lines, dtype=np.int64)
    line_start[:1] = begin
    line_start[1:] = newlines[:-1] + 1

    data = count > 0
    if layout.comments != "none":
        opening = line_start if layout.comments == "line start" else _at(starts, first, data, line_start)
        data &= text[opening] != HASH
    comment = (count > 0) & ~data
    empty = count == 0
    broken = data & (count != width if layout.exact else count < width)
    zero = chunk == 0
    null = np.logical_or.reduceat(zero, line_start - begin) if zero.any() else np.zeros(lines, dtype=bool)
    null &= ~comment
    # Even in a comment: what follows such a line may not have been read.
    long = (newlines - line_start > LONGEST) & ~null
    faulty = (broken | null if layout.empty_lines else broken | null | empty) & ~long
    rows = np.flatnonzero(data & ~faulty & ~long)
    faults = Faults(most)
    faults.add(
        np.flatnonzero(faulty & ~null),
        lambda line: _miscounted(line, text, int(line_start[line]), int(newlines[line]), int(count[line]), layout),
    )
    faults.add(
        np.flatnonzero(faulty & null), lambda line: _null(line, text, int(line_start[line]), int(newlines[line]))
    )
    faults.add(np.flatnonzero(long), lambda line: too_long(line + 1))
    return Fields(
        tuple(starts[first[rows] + k] for k in range(width)),
        tuple(stops[first[rows] + k] for k in range(width)),
        rows + 1,
        lines,
        np.flatnonzero(count[rows] > width),
        faults,
        layout,
        text,
        np.flatnonzero(np.isin(rows, spaced)) if len(spaced) else NONE,
    )


def _between_tabs(
    text: Bytes, tabs: Ints, newlines: Ints, tabbed: Bools, starts: Ints, stops: Ints, layout: Layout
) -> tuple[Ints, Ints, Ints]:
    """Where fields begin and end that only tabs separate in the lines that are `tabbed`; and lines with such blanks.

    A run id stays its first word, as trec_eval reads it.
    """
    line, before = np.searchsorted(newlines, starts), np.searchsorted(tabs, starts)
    together = (line[1:] == line[:-1]) & (before[1:] == before[:-1])
    filled = np.bincount(line[np.append(True, ~together)], minlength=len(newlines)) == len(layout.fields)
    within = together & tabbed[line[1:]]
    if not layout.exact:
        ends = np.searchsorted(tabs, newlines)
        within &= before[1:] < ends[line[1:]]
    # With nothing between two tabs, or other white space in a field, tabs do not tell the fields apart.
    blank = (text[stops[:-1]] == BLANK) & (text[starts[1:] - 1] == BLANK)
    filled[line[1:][within & ~blank]] = False
    within &= filled[line[1:]]
    return starts[np.append(True, ~within)], stops[np.append(~within, True)], np.unique(line[1:][within])


def too_long(line: int) -> Problem:
    """The fault of a line of more than `LONGEST` bytes."""
    fact = f"the line is longer than {LONGEST >> 20} MiB"
    return Problem(line, "E108", fact, "expected lines of text; what follows it may not have been read")


def _at(starts: Ints, first: Ints, present: Bools, otherwise: Ints) -> Ints:
    """Start of each line's first field, or `otherwise` for a line without fields."""
    places = otherwise.copy()
    places[present] = starts[first[present]]
    return places


def _null(line: int, text: Bytes, start: int, stop: int) -> Problem:
    zero = text[start:stop] == 0
    fact, remedy = "this line contains a NUL byte", "expected text"
    if (zero[1:] ^ zero[:-1]).all() and len(zero) > 3:  # as ASCII is in UTF-16, which need not begin with a mark
        fact, remedy = "every other byte of this line is NUL, as in UTF-16", "write it as UTF-8"
    return Problem(line + 1, "E104", fact, remedy, column=int(np.argmax(zero)) + 1)


def _miscounted(line: int, text: Bytes, start: int, stop: int, count: int, layout: Layout) -> Problem:
    expected = f"expected {len(layout.fields)} fields: {layout.example}"
    if count == 0:
        return Problem(line + 1, "E101", "the line is empty", expected)
    found = at(text, start, min(stop - start, 200)).strip()
    if layout.comments == "none" and found.startswith(b"#"):
        expected += NO_COMMENTS_YET
    fields = "1 field" if count == 1 else f"{count} fields"
    remedy = f"{expected}; {layout.hint}" if layout.hint else expected
    if layout.blanks:  # what is there now is not what was written
        return Problem(line + 1, "E101", f"{fields} in a record", remedy)
    return Problem(line + 1, "E101", f"{fields} in {shown(found)}", remedy)


class ListOf(NamedTuple):
    """What a list has, for its reader and for messages.

    Attributes
    ----------
    all : str
        What the entries are called: ids, groups.
    columns : tuple of str
        What each entry has: an id of a query, a document or something else, and perhaps more.
    expected : str
    split : callable
        Makes the fields of a line, where the lines are no table with a header.
    keys : int
        How many of the columns tell entries apart; 0 where entries may be alike.
    key_of : callable
        Makes one of two keys that are written differently and mean the same.
    """

    all: str
    columns: tuple[str, ...]
    expected: str
    split: Callable[[bytes], list[bytes]] = bytes.split
    keys: int = 1
    key_of: Callable[[bytes], bytes] = bytes


def _id_in(line: bytes) -> list[bytes]:
    """The id of a line: what stands before a tab, where there is one, or else the first field."""
    before, tab, _ = line.partition(b"\t")
    return [before.strip()] if tab else line.split(None, 1)[:1]


def ids_of(role: str) -> ListOf:
    """A list of ids of queries or documents. What follows an id, such as the text of a topic, is ignored."""
    return ListOf("ids", (role,), "expected one on each line", _id_in)


def written_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, without blanks around them, and their numbers.

    A tab at the end stays: it may end an id that has blanks in it.
    """
    for number, line in enumerate(content.split(b"\n"), start=1):
        if (line := line.lstrip().rstrip(b" \r")) and not line.startswith(b"#"):
            yield number, line
