"""Relevance judgments, read whole: a query, a document and its grade in each line.

Queries may be scattered and rows stand in any order. What comes out, `Judgments`, is indexed for the only question that
is asked of it: which of these run rows are judged?
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.base import segments
from irev.base.errors import AboveMaximum, Faults, InputError, Problem, decimal, option, shown
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.reading import columns, formats, ids, numbers
from irev.reading.chunks import Buffer, count_lines, line_slices, read_all
from irev.reading.fields import (
    GRADES,
    HASH,
    NO_COMMENTS_YET,
    STAND_IN,
    Fields,
    Layout,
    column,
    line,
    spaced,
    split,
    with_blanks,
)
from irev.reading.flat_ids import FlatIds, Halves, by_key, kept
from irev.reading.ids import Bytes
from irev.reading.judgments import LARGEST, Details, JudgmentColumns, Judgments, counting
from irev.reading.small_files import folded, grades_of_words, words_known
from irev.reading.sources import Source, Stream

if TYPE_CHECKING:
    from irev.reading.extra_columns import Further


HIGHEST_EXPECTED = 1000
"""A grade above this is rather a timestamp or an id, read from the wrong column."""


LONGEST_NUMBER = 400
"""Bytes behind the beginning of an id that have the grade, but for ids that nobody writes."""


def read(
    source: Source,
    settings: Settings,
    faults: Faults | None = None,
    inspect: Callable[[Fields], None] = lambda fields: None,
    again: str = "",
    rater: str = "",
) -> Judgments:
    """Read a file of judgments.

    Parameters
    ----------
    source : Source
    settings : Settings
        The format, and what a negative grade means.
    faults : Faults, optional
        Where to collect what is wrong; lines that are wrong are then left out. Without it the earliest is raised.
    inspect : callable, optional
        Is given each part of the file, and may add to its faults.
    again : str
        The path by which the file can be opened again: columns of arrays of neighbours are then read when somebody asks
        for them.
    rater : str
        The judge whose judgments they are: where a column of `Settings.raters` is called so, its grades are read, and
        its empty cells are no judgments.

    Raises
    ------
    ProblemError
        For its earliest line that has not the fields of the format, has a grade that is not a number, or judges a
        document again.
    InputError
        For a file without judgments.
    """
    if rater in settings.raters:
        settings, source.unrated = settings.of_rater(rater), True
    found = Faults() if faults is None else faults
    refused = Faults(found.most)
    refused.one_is_enough = faults is None
    layout, stream = formats.opened(formats.JUDGMENTS, settings.qrels_format, source, settings, refused)
    found.unit, found.columns, found.named = layout.unit, stream is source, layout.named
    if again and formats.is_neighbours(stream) and os.path.isfile(again):
        judgments: Judgments = stream.judgments(again, partial(read, settings=settings))
        return judgments
    whole = of_lines(layout, stream, settings, found, refused, inspect, stream is source, faults is not None)
    return replace(whole, neighbours=True, doubts=()) if formats.is_neighbours(stream) else whole


def of_lines(
    layout: Layout,
    stream: Stream,
    settings: Settings,
    found: Faults,
    refused: Faults | None = None,
    inspect: Callable[[Fields], None] = lambda fields: None,
    plain: bool = False,
    collecting: bool = False,
) -> Judgments:
    """The judgments of a stream of lines, as `read` gives them.

    Parameters
    ----------
    layout : Layout
    stream : Stream
    settings : Settings
    found : Faults
        Where to collect what is wrong.
    refused : Faults, optional
        What is wrong before lines are split, complete when the stream has ended.
    inspect : callable
        As `read` has it.
    plain : bool
        Whether these are the lines of the file.
    collecting : bool
        Whether nothing is raised for what is wrong with lines.
    """
    buffer = read_all(stream)
    rows = _JudgmentRows(
        buffer, Suspicions(plain and "ignored" in layout.fields, layout.kind.name == GRADES), _further(layout)
    )
    lines = 0
    for begin, end in line_slices(buffer):
        fields = split(buffer.text, begin, end, layout, found.most)
        with_blanks(buffer.text, begin, end, layout)
        inspect(fields)
        rows.add(buffer.text, fields, lines, settings, found)
        lines += fields.lines
    whole = _assembled(stream.name, buffer.text, rows, found, settings)
    judgments = replace(whole, named=layout.named, relevant_only=layout.relevant_only)
    if refused is not None:
        found.take(refused)
        judgments = replace(judgments, doubts=(*refused.doubts, *judgments.doubts))
    if layout.kind.check is not None:
        layout.kind.check(judgments, found)
    if not collecting:
        found.raise_earliest(stream.name)
    if not len(judgments.key) and not found.counts:
        fact = "the file is empty" if not lines else "the file holds no judgments"
        raise InputError(fact, stream.name, f"expected lines such as {layout.example}")
    if refused is not None and refused.empty and layout.kind.name == GRADES:
        judgments = judgments.over(tuple(sorted({*judgments.queries, *map(encoded, refused.empty)})))
    return counting(judgments, settings)


def _further(layout: Layout) -> Further | None:
    if layout.kind.name == GRADES:
        return None
    if layout.kind.rows is not None:
        own: Further = layout.kind.rows(layout)
        return own
    from irev.reading.extra_columns import Further  # rarely wanted

    return Further(layout)


def refuse_above(path: str, settings: Settings, error: AboveMaximum) -> None:
    """Raise `ProblemError` for the first line with a grade above what a measure was told is the highest.

    Nothing is done where the file cannot be read again, and where the fault is not one of grades.
    """
    if error.called != "grade" or not os.path.isfile(path):
        return
    faults = Faults()

    def look_at(fields: Fields) -> None:
        line = fields.lines_of(np.arange(fields.rows))
        grade = grades(fields.text, fields, line, settings, Faults())

        def above(row: int) -> Problem:
            stated = f"the highest grade that measure '{error.measure}' allows is {decimal(error.most)}"
            fact = f"the grade {decimal(grade[row])} is too high: {stated}"
            return Problem(int(line[row]), "E160", fact, error.remedy, column=fields.column(row, "grade"))

        fields.faults.add(np.flatnonzero(grade > error.most), above)

    with Source(path) as source:
        read(source, settings, faults, look_at)
        faults.raise_earliest(source.name)


class _Seconds:
    """The second fields of the lines, which nothing reads: where they are not all the same, they may have been meant.

    Rounds of judging are harmless, and told by their fractions: TREC-COVID has 0.5, 1, 1.5 and so on.
    """

    def __init__(self, there: bool, graded: bool) -> None:
        self.there, self._graded = there, graded
        self._first = b""
        self._other: Problem | None = None
        self._rounds = False
        self._told = ""

    def look_at(self, fields: Fields, lines_before: int) -> None:
        """Take the next part of the file, which begins after so many lines."""
        if not self.there or not fields.rows or self._rounds:
            return
        text, (start, stop) = fields.text, fields.span("ignored")
        length = stop - start
        self._first = self._first or ids.at(text, start[0], length[0])
        if len(self._first) == 1 and (length == 1).all() and (text[start] == self._first[0]).all():
            return  # as nearly always
        _, examples = ids.grouped(text, start, length)
        begin, end = (each[: columns.FIRST].tolist() for each in fields.span("document"))
        documents = {ids.at(text, a, b - a) for a, b in zip(begin, end, strict=True)}
        several = len(documents) > 1 or self._told or len(begin) < 3  # one of all lines is the iteration
        self._rounds = any(b"." in ids.at(text, start[row], length[row]) for row in examples.tolist())
        for row in ids.changes(text, start, length)[:2].tolist():
            second = ids.at(text, start[row], length[row])
            if self._other is None and second != self._first:
                line, place = fields.line_of(row) + lines_before, fields.column(row, "ignored")
                fact = f"the second field is {shown(second)}, and in the first line {shown(self._first)}"
                self._told = _told_apart(second) if several else ""
                told = f"{self._told}; " if self._graded and several else ""
                remedy = f"it is ignored; {told}are these judgments?"
                self._other = Problem(line, "W223", fact, remedy, column=place)

    def doubts(self) -> list[Problem]:
        """A problem when they differ, at the first line that does."""
        return [] if self._other is None or self._rounds else [self._other]

    def remedy(self, text: Bytes, taking: str, *places: int) -> str:
        """What to do about documents that are judged twice, whose ids stand at these places; `taking` ends it where
        second fields do not tell them apart."""
        kept = "keep one of the two lines"
        if self.there:
            before = [ids.at(text, place - column(text, place) + 1, column(text, place) - 1) for place in places]
            seconds = list(dict.fromkeys(line.split()[1] for line in before))
            last = ids.at(text, places[-1], LONGEST_NUMBER).split(b"\n")[0].split()[1:2]
            timed = last and last[0].isdigit() and int(last[0]) > HIGHEST_EXPECTED
            if len(seconds) > 1:
                differ = f"their second fields differ ({' and '.join(map(shown, seconds))})"
                return kept if timed or not self._told else f"{kept}; {differ}, and {_told_apart(seconds[-1])}"
        return kept + taking


def _told_apart(second: bytes) -> str:
    """What reads second fields such as this one."""
    people = "" if second.isdigit() else ", and --qrels-format qrels_jg people"
    return f"--qrels-format subtopics tells subtopics apart{people}"


class _JudgmentRows:
    """The rows of a file, in as few bytes as will do: parts that are joined at the end would need the memory twice."""

    def __init__(self, buffer: Buffer, doubts: Suspicions, further: Further | None) -> None:
        most = count_lines(buffer)
        place = np.uint32 if buffer.end < 1 << 32 else np.int64
        self._columns = JudgmentColumns(
            np.empty(most, np.int32),
            np.empty(most, place),
            np.empty(most, np.int32),
            np.empty(most, np.float64),
            np.empty(most, np.uint64),
        )
        self._count = 0
        self._queries = [FlatIds(buffer.text, np.empty(0, place), np.empty(0, np.int32))]
        self._named = 0
        self.doubts = doubts
        self.further = further

    def add(self, text: Bytes, fields: Fields, lines_before: int, settings: Settings, faults: Faults) -> None:
        """Take the rows of the next slice of the file, which begins after so many lines."""
        faults.take(fields.faults, lines_before)
        line = fields.lines_of(np.arange(fields.rows)) + lines_before
        grade = grades(text, fields, line, settings, faults)
        self.doubts.look_at(fields, grade, line)
        begin, stop = fields.span("query")
        first = ids.changes(text, begin, stop - begin)
        queries = FlatIds(text, begin[first], (stop - begin)[first])
        distinct, number = queries.numbered()
        runs = np.diff(np.append(first, fields.rows))
        seeds = np.repeat(queries.keys, runs)
        start, stop = fields.span("document")
        here, rows = slice(self._count, self._count + fields.rows), self._columns
        rows.query[here] = np.repeat(number + np.int32(self._named), runs)
        rows.start[here] = start
        rows.length[here] = stop - start
        rows.grade[here] = grade
        rows.key[here] = ids.keys(text, start, stop - start, seeds)
        if self.further is not None:
            self.further.add(text, fields, line, faults)
        self._count += fields.rows
        # A query that comes back in another slice has another number there, until all are known.
        found = queries.pick(distinct)
        self._queries.append(FlatIds(text, found.start.astype(rows.start.dtype), found.length.astype(np.int32)))
        self._named += len(found)

    def pick(self) -> tuple[Sequence[bytes], JudgmentColumns]:
        """The queries in byte order, and all rows, which are given away."""
        parts = self._queries
        start, length = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "length"))
        named = FlatIds(parts[0].text, start, length)
        del self._queries, parts
        distinct, place = named.numbered()
        queries = kept(named.pick(distinct))
        columns = self._columns.of_first(self._count)
        for begin, end in segments.pieces(self._count):
            columns.query[begin:end] = place[columns.query[begin:end]]
        del self._columns
        return queries, columns


class Suspicions:
    """What rows of judgments were perhaps meant to be instead; `seconds` where they have second fields, and `graded`
    where these could be of judgments that are more than grades."""

    def __init__(self, seconds: bool, graded: bool = True) -> None:
        self.seconds = _Seconds(seconds, graded)
        self._high: Problem | None = None
        self._fraction: Problem | None = None
        self._spaced: Problem | None = None
        self._fractions = self._count = 0

    def look_at(self, fields: Fields, grade: Floats, line: Ints) -> None:
        """Take the next part of the file: its rows, their grades, and the lines that they stand on."""
        if not fields.rows:
            return
        self.seconds.look_at(fields, int(line[0]) - fields.line_of(0))
        if self._spaced is None and len(fields.spaced):
            row = int(fields.spaced[0])
            self._spaced = spaced(fields, row).moved(int(line[row]) - fields.line_of(row))
        self.look_at_grades(grade, lambda row: (int(line[row]), fields.column(row, "grade"), ""))

    def look_at_grades(self, grade: Floats, place: Callable[[int], tuple[int, int | None, str]]) -> None:
        """Take the grades of the next part, and what gives the line of a row, its column, and words after its grade."""
        self._count += len(grade)
        for row in np.flatnonzero(grade > HIGHEST_EXPECTED)[: self._high is None].tolist():
            line, column, whose = place(row)
            fact = f"the grade {decimal(grade[row])}{whose} is above {HIGHEST_EXPECTED}"
            remedy = "is it a timestamp or an id from another column?"
            self._high = Problem(line, "W224", fact, remedy, column=column)
        broken = np.flatnonzero(np.trunc(grade) != grade)
        broken = broken[~np.isnan(grade[broken])]
        self._fractions += len(broken)
        beyond = broken[np.abs(grade[broken] - 0.5) > 0.5]  # shares from 0 to 1 are grades that people give
        for row in beyond[: self._fraction is None].tolist():
            line, column, whose = place(row)
            fact = f"the grade {decimal(grade[row])}{whose} has a fraction, as most of them have"
            remedy = "are these judgments, or the scores of a run?"
            self._fraction = Problem(line, "W225", fact, remedy, column=column)

    def found(self) -> list[Problem]:
        """At the first line each: another second field, a grade that is too high, and a fraction beyond 0 to 1 where
        most grades have one; and a blank in an id."""
        fraction = self._fraction if 2 * self._fractions > self._count else None
        doubts = (*self.seconds.doubts(), self._high, fraction, self._spaced)
        return sorted(doubt for doubt in doubts if doubt is not None)


def grades(text: Bytes, fields: Fields, line: Ints, settings: Settings, faults: Faults) -> Floats:
    """The grades, as the setting for negative ones has them; 1 where lines have none. Adds to `faults`."""
    if "grade" not in fields.layout.fields:
        return np.ones(fields.rows)
    start, stop = fields.span("grade")
    grade = numbers.decimals(text, start, stop)
    if grade.uncertain is not None:
        grade.settle(np.flatnonzero(grade.uncertain))
    value = grade.value

    rows = np.flatnonzero(np.isnan(value))
    # A word among numbers is rather a slip, unless somebody said what words are worth.
    if len(rows) and (len(rows) == len(value) or settings.grade_words):
        _take_words(value, rows, text, start, stop - start, settings)

    def described(row: int, code: str, fact: str, remedy: str) -> Problem:
        written = shown(ids.at(text, start[row], stop[row] - start[row]))
        return Problem(int(line[row]), code, fact.format(written), remedy, column=fields.column(row, "grade"))

    def unusable(row: int) -> Problem:
        if not np.isnan(value[row]):
            return described(row, "E102", "the grade {} is too large", "expected at most 2^53")
        # A line that begins with a number sign is perhaps meant as a comment, where there are none.
        comment = NO_COMMENTS_YET if text[fields.span("query")[0][row]] == HASH else ""
        word = f"; {words_known(settings)}" if chr(text[start[row]]).isalpha() else ""
        expected = f"expected a grade such as 0, 1 or 0.5{comment or word}"
        return described(row, "E102", "the grade {} is not a number", expected)

    beyond = ~(np.abs(value) <= LARGEST)
    faults.add(np.flatnonzero(beyond), unusable)
    if settings.negative == "nonrelevant":
        np.maximum(value, 0.0, out=value)
    elif settings.negative == "error":
        remedy = "choose --negative unjudged or nonrelevant"
        faults.add(np.flatnonzero(value < 0), lambda row: described(row, "E106", "the grade {} is negative", remedy))
        beyond |= value < 0
    value[beyond] = np.nan
    value += 0.0  # a grade of -0 is 0, in messages too
    return value


def _take_words(value: Floats, rows: Ints, text: Bytes, start: Ints, length: Ints, settings: Settings) -> None:
    """Put the grades of words in their places; of a run in the place of judgments the first row is no such word."""
    grades = grades_of_words(settings)

    def grade(row: int) -> float:
        word = ids.at(text, start[row], length[row]).replace(bytes((STAND_IN,)), b" ")
        return grades.get(folded(decoded(word)), np.nan)

    if np.isnan(grade(int(rows[0]))):
        return
    group, examples = ids.grouped(text, start[rows], length[rows])
    value[rows] = np.array([grade(row) for row in rows[examples].tolist()])[group]


def _assembled(name: str, text: Bytes, rows: _JudgmentRows, faults: Faults, settings: Settings) -> Judgments:
    """The judgments of all parts, without those that cannot be used. Adds to `faults`."""
    doubts = rows.doubts
    queries, columns = rows.pick()
    if rows.further is not None:
        columns, order, key, details = rows.further.pick(queries, text, columns, faults)
        return _indexed(name, queries, text, columns, order, key, tuple(doubts.found()), details)
    order, key = by_key(columns.key)
    del columns.key
    repeated, first = _repeated(text, columns, order, key)
    taking = taking_repeated(columns.grade, repeated, first, settings)

    def judged_again(row: int) -> Problem:
        again, opening = int(columns.start[row]), int(columns.start[first[np.searchsorted(repeated, row)]])
        document = shown(ids.at(text, again, columns.length[row]))
        fact = f"document {document} is judged twice for query {shown(queries[columns.query[row]])}"
        remedy = doubts.seconds.remedy(text, taking, opening, again)
        return Problem(line(text, again), "E103", fact, remedy, line(text, opening), column(text, again))

    faults.add(repeated[refused_again(columns.grade, repeated, first, settings)], judged_again)
    usable = ~np.isnan(columns.grade)
    usable[repeated] = False
    if not usable.all():
        kept = usable[order]
        order, key = order[kept], key[kept]
    return _indexed(name, queries, text, columns, order, key, tuple(doubts.found()))


def refused_again(grade: Floats, again: Ints, first: Ints, settings: Settings) -> Bools:
    """Which rows that judge a document again are refused; under ``max`` the first row gets the highest grade."""
    if settings.duplicates == "max":
        np.maximum.at(grade, first, grade[again])
        return np.zeros(len(again), dtype=bool)
    refused: Bools = grade[again] != grade[first]
    return refused if settings.duplicates == "same" else np.ones(len(again), dtype=bool)


def taking_repeated(grade: Floats, again: Ints, first: Ints, settings: Settings) -> str:
    """The choice that takes all rows that judge a document again, as the end of a remedy; nothing where a choice for
    runs stands in its place."""
    choice = "same" if np.array_equal(grade[again], grade[first]) else "max"
    return "" if settings.duplicates in ("first", "best") else f", or choose {option('duplicates', choice)}"


def _repeated(text: Bytes, columns: JudgmentColumns, order: Ints, key: Halves) -> tuple[Ints, Ints]:
    """Rows that judge a document again, and the first row of each that does, as `irev.reading.ids.repeated` gives them.

    Only the few need a closer look that share the upper halves of their keys.
    """
    alike = np.flatnonzero(key[1:] == key[:-1])
    if not len(alike):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    rows = segments.distinct(np.concatenate((order[alike], order[alike + 1])).astype(np.int64))
    start, length = columns.start[rows].astype(np.int64), columns.length[rows].astype(np.int64)
    query = columns.query[rows]
    again, first = ids.repeated(text, start, length, ids.keys(text, start, length, query.astype(np.uint64)), query)
    return rows[again], rows[first]


def indexed(
    name: str, queries: Sequence[bytes], text: Bytes, columns: JudgmentColumns, doubts: Sequence[Problem] = ()
) -> Judgments:
    """Judgments in whatever order, of which none occurs twice, ordered for look-up. The columns are lost."""
    order, key = by_key(columns.key)
    del columns.key
    return _indexed(name, queries, text, columns, order, key, tuple(doubts))


def _indexed(
    name: str,
    queries: Sequence[bytes],
    text: Bytes,
    columns: JudgmentColumns,
    order: Ints,
    key: Halves,
    doubts: tuple[Problem, ...] = (),
    details: Details | None = None,
) -> Judgments:
    ordered = {}
    for each in ("query", "start", "length", "grade"):  # one after the other, so that none is there twice for long
        values = getattr(columns, each)
        ordered[each] = segments.pick(values if each in ("start", "grade") else segments.narrowed(values), order)
        delattr(columns, each)
    return Judgments(
        name,
        queries,
        text,
        ordered["query"],
        ordered["start"],
        ordered["length"],
        ordered["grade"],
        key,
        doubts,
        details=details,
    )
