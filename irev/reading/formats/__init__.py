"""File formats: a record for each, in a module of this folder, and how the format of a file is chosen.

There are two tables, `JUDGMENTS` and `RUNS`. A format is either lines of fields, which `irev.reading.fields` splits, or
something else that its module rewrites as such lines while it is read (`Rewritten`); either way the same readers,
checks and messages follow. The names that options take, the list that ``irev formats`` prints and the page in the
documentation come from these records, so a new format is a new module here and nothing else.

A file is of the format that was named for it, or else of the one that its first bytes are certainly in, or else of
TREC's. A format that could be mistaken for another one is never recognised; but where the first line is not of TREC's
format, the message may suggest it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeGuard

from irev.base.errors import Faults, InputError, Problem, UsageError
from irev.base.records import dataclass
from irev.base.registry import Registry, import_all, provided, where
from irev.base.settings import Settings
from irev.base.text import REAL
from irev.reading import chunks
from irev.reading.columns import candidates, likely, of_lists
from irev.reading.fields import GRADES, STAND_IN, JudgmentKind, Layout
from irev.reading.limits import LONGEST
from irev.reading.sources import BOM, COMPRESSIONS, UNREADABLE, Source, Stream

_RECORD = rb'\s*\{\s*"format":\s*"(irev [a-z ]+)"'
"""How what irev saves begins."""

HEAD = 1 << 16
"""Bytes from the beginning of a file that its format may be recognised by, unless its first record is longer."""

FIRST = 20
"""So many lines are looked at for what a format must have in each."""


@dataclass(frozen=True, eq=False)
class Format:
    """A format of judgments or runs.

    Attributes
    ----------
    name : str
        What ``--qrels-format`` or ``--run-format`` takes.
    description : str
        A sentence on its fields and on who writes it.
    example : str
        A few lines of it.
    lines : callable
        ``lines(source, settings, faults)``: the layout of the file's lines, and the stream that gives them. Both may
        depend on a header. What is wrong with single lines is noted in `faults`, and an empty line takes their place.
        Raises `InputError` for a file that cannot be read at all.
    recognised : callable
        ``recognised(head, settings)``: whether a file that begins so, as `head_of` has it, is certainly of this format.
    suggested : bool
        Whether messages may suggest it for lines that are not of TREC's format (see `irev.reading.hints`).
    plausible : callable
        ``plausible(columns)``: whether the fields of the first lines, by name, can be of this format where it is to be
        suggested; ids and grades are looked at anyhow.
    special : int
        Which one a file is of that would be recognised as several: the one with the highest number. A file of a special
        format, 1, may be CSV or JSON too; 2 is more special.
    beside : bool
        Whether another file belongs to it, whose path stands behind its name: ``NAME:FILE``.
    kind : JudgmentKind
        What its judgments are.
    """

    @property
    def option(self) -> str:
        """How an option names it."""
        return f"{self.name}:FILE" if self.beside else self.name

    name: str
    description: str
    example: str
    lines: Callable[[Source, Settings, Faults], tuple[Layout, Stream]]
    recognised: Callable[[bytes, Settings], bool] = lambda head, settings: False
    suggested: bool = False
    plausible: Callable[[dict[str, list[bytes]]], bool] = lambda columns: True
    special: int = 0
    beside: bool = False
    kind: JudgmentKind = JudgmentKind()

    def add_to(self, table: Registry[Format]) -> None:
        """Register it."""
        table.add(self.name, self)


_LISTED = "`irev formats` lists them all"
JUDGMENTS: Registry[Format] = Registry("format of judgments", partial(import_all, __name__), _LISTED, "formats")
RUNS: Registry[Format] = Registry("format of runs", partial(import_all, __name__), _LISTED, "formats")
DEFAULT = "trec"


def head_of(source: Source) -> bytes:
    """The first bytes of a file, by which its format is recognised: whole lines, or at least one whole record of JSON.

    These are about `HEAD` bytes; more where the first line or record is longer or stands behind blanks, and at most
    `LONGEST`, above which the readers of lines and records refuse it.
    """
    size = HEAD
    while len(head := source.head(size)) == size:
        text = head.removeprefix(BOM).lstrip()
        is_json = text[:1] in (b"{", b"[")
        if size >= LONGEST or (_has_record(text) if is_json else b"\n" in text):
            # An array of numbers has no lines.
            return head if is_json or b"\0" in head else head[: head.rfind(b"\n") + 1] or head
        size *= 4
    return head


def _has_record(text: bytes) -> bool:
    """Whether a text of JSON has the whole of the first record, or begins with an object for each query."""
    return re.match(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{', text) is not None or _json_reader().first_object(text)[1]


def listed(table: Registry[Format]) -> list[Format]:
    """All formats, TREC's first and the others by name."""
    return sorted(table.values(), key=lambda form: (form.name != DEFAULT, form.name))


def recognised(table: Registry[Format], head: bytes, settings: Settings) -> Format | None:
    """The format that a file which begins with these bytes is certainly in, or None."""
    found = [form for form in table.values() if form.recognised(head, settings)]
    return max(found, key=lambda form: form.special, default=None)


def taken_for(table: Registry[Format], head: bytes) -> str:
    """What a file of TREC's lines that begins with these bytes would be taken for instead; nothing if for no other."""
    form = recognised(table, head, Settings())
    marks = {mark: kind.name for kind in COMPRESSIONS for mark in kind.marks}
    marks |= {**UNREADABLE, BOM: "UTF-8 with a byte order mark"}
    return form.name if form else next((what for mark, what in marks.items() if head.startswith(mark)), "")


def opened(
    table: Registry[Format], name: str | None, source: Source, settings: Settings, faults: Faults
) -> tuple[Layout, Stream]:
    """The lines of a file in the format called `name`, or in the one that it certainly is, or else in TREC format.

    `faults` collects what is wrong before lines are split; it is complete when the stream has ended.
    """
    if name is not None:
        called = name.partition(":")[0]
        named = table.find(called if called in table and table[called].beside else name)
        return _lines(table, named, source, settings, faults)
    head = head_of(source)
    trec = import_module(f"{__name__}.{DEFAULT}")  # the one that most files are in; others take time
    columns = settings.columns_of("grade" if table is JUDGMENTS else "score")
    if not columns and trec.certainly(table, head):
        return table[DEFAULT].lines(source, settings, faults)
    saved = re.match(_RECORD, head)
    if saved:
        what = "judgments" if table is JUDGMENTS else "a run"
        fact = f"this is a file that irev saved, an {saved[1].decode()}, not {what}"
        raise InputError(fact, source.name, "give the files from which it was made; irev show and compare read results")
    form = recognised(table, head, settings)
    if form is not None:
        return _lines(table, form, source, settings, faults)
    require_line_feeds(head, source.name)
    apart = settings.columns_apart
    of_others = apart != settings and recognised(table, head, apart) is not None
    if not of_others and (form := with_header(table, head)):
        return _lines(table, form, source, settings, faults)
    hint = ""
    first = next(
        (line for line in head.removeprefix(BOM).split(b"\n") if line.strip() and not line.startswith(b"#")), b""
    )
    like_json = re.match(rb'\s*(?:\{\s*"|\[\s*[{"\[])', first) is not None
    if first and (like_json or not trec.fits(table, first)):
        hint = _hints().advice(table, head.removeprefix(BOM), source.name, settings)
        if hint and like_json:
            what = "judgments" if table is JUDGMENTS else "runs"
            raise InputError(f"this is JSON, but not in the form that {what} have", source.name, hint)
        if not hint and first.lstrip().startswith((b"{", b"[")):
            return _lines(table, table["json"], source, settings, faults)  # whose reader says best what is wrong
    layout, stream = table[DEFAULT].lines(source, settings, faults)
    return replace(layout, hint=hint), stream


def _name_columns(names: list[str]) -> bool:
    """Whether one is a usual name, or one may be that of the query and another that of documents."""
    of_documents = ("document", "results", "relevant")
    return bool(roles_of(names)) or (
        bool(likely("query", names, {})) and any(likely(role, names, {}) for role in of_documents)
    )


def roles_of(names: list[str]) -> set[str]:
    """The roles that columns of these names may have."""
    return {role for role in ("query", "document", "grade", "score") if candidates(role, {}, names)}


def require_line_feeds(head: bytes, name: str) -> None:
    """Raise `InputError` for a file that begins so where lines end in carriage returns alone."""
    first = [line for line in head.split(b"\r") if line.strip()][:2]
    # A single line of six fields at the most may have such signs between them.
    whole = [len(re.findall(rb"[^\s,;]+", line)) > (1 if re.search(rb"\S[,;]\S", line) else 3) for line in first]
    if len(first) > 1 and b"\n" not in head and all(whole):
        raise InputError("lines end in carriage returns alone", name, "end them in line feeds: tr '\\r' '\\n'")


def with_header(table: Registry[Format], head: bytes) -> Format | None:
    """The format of a table whose first line names columns; None for any other file.

    Where the table lacks a column, the reader of the format says so.
    """
    line = head.removeprefix(BOM).lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    words, place = line.split(), 4 if table is RUNS else 3
    if len(words) > place and re.fullmatch(REAL, words[place]):
        return None  # a line of TREC's, with an id that is called as a column is
    for separator, name in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        names = [name.strip(' \r"') for name in line.split(separator)]
        numbers = any(re.fullmatch(REAL, each) for each in names)
        if len(names) > 1 and not numbers and _name_columns(names):
            return table[name]
    return None


def lists_of_table(
    settings: Settings,
    value: str,
    names: Sequence[str],
    rows: Callable[[Source, Sequence[str]], Iterator[tuple[Any, ...]]],
    source: Source,
    faults: Faults,
) -> tuple[Layout, Stream] | None:
    """The lines of a table with a column of lists and no column of documents; None for any other table.

    Parameters
    ----------
    settings : Settings
    value : str
        ``grade`` or ``score``.
    names : sequence of str
        Its columns.
    rows : callable
        ``rows(source, names)``: what each row has in some columns, of which the first are the query and the list.
    source : Source
    faults : Faults

    Raises
    ------
    InputError
        Where no extension reads lists.
    """
    naming = of_lists(settings, value)
    if candidates("document", naming.chosen, names) or not naming.has(names):
        return None
    if (found := provided("lists")) is None:
        fact = f"the table has lists of documents; what reads these is {where('lists')}"
        raise InputError(fact, source.name, "write a row for each document")
    lines: tuple[Layout, Stream] = found.of_table(naming, settings, value, names, rows, source, faults)
    return lines


def settled(settings: Settings) -> Settings:
    """The settings, with the order of ties that goes with the named format of judgments where none is asked for."""
    form = None if settings.qrels_format is None else JUDGMENTS.get(settings.qrels_format)
    if form is None or not form.kind.ties or not settings.are_usual("ties"):
        return settings
    return replace(settings, ties=form.kind.ties)


def require_grades(settings: Settings, which: str) -> None:
    """Raise `UsageError` where the named format is of more than grades, which judgments that are in no file have."""
    form = None if settings.qrels_format is None else JUDGMENTS.get(settings.qrels_format.partition(":")[0])
    if form is not None and form.kind.name != GRADES:
        fact = f"qrels_format={form.name!r} is for judgments of {form.kind.name}, but {which} are grades"
        raise UsageError(fact, remedy="write them to a file, and give its path")


def _json_reader() -> ModuleType:
    """The module that reads JSON, which needs this module."""
    return import_module("irev.reading.json_reader")


def _hints() -> ModuleType:
    """The module that tries formats on lines with the readers of judgments and runs, which need this module."""
    return import_module("irev.reading.hints")


def _lines(
    table: Registry[Format], form: Format, source: Source, settings: Settings, faults: Faults
) -> tuple[Layout, Stream]:
    """The lines of a file of a format, which say of what kind they are."""
    try:
        layout, stream = form.lines(source, settings, faults)
    except InputError:
        _hints().refuse_other(table, form, head_of(source), source.name, settings)
        raise
    return replace(layout, kind=form.kind), stream


FORGING = r"[\x00-\x1f\x7f\ud800-\udfff]|^ | \Z"
"""What an id must not hold that comes from a format where it could: in lines it would make another field or line, or
none that a terminal or UTF-8 can show. Lone halves of UTF-16 pairs are what JSON can write and UTF-8 cannot. Blanks at
either end are rather a slip of who wrote the file, and nobody would see them."""

PLAIN = r"[^\x00-\x20\x7f\ud800-\udfff]+"
"""Ids that are fields of a line as they are."""


def as_field(written: str) -> str | None:
    """An id as a field of a rewritten line, its blanks as `irev.reading.fields.STAND_IN`; None when it can be none."""
    if re.fullmatch(PLAIN, written):
        return written
    return written.replace(" ", chr(STAND_IN)) if written and not re.search(FORGING, written) else None


def id_fault(line: int, role: str, written: str) -> Problem:
    """The fault of an empty id, or of one that matches `FORGING`."""
    if not written:
        return Problem(line, "E110", f"the {role} id is empty", "expected an id")
    shown = written[:60].encode("unicode_escape").decode() + ("…" if len(written) > 60 else "")
    what = "holds a control character" if re.search(_CONTROL, written) else "begins or ends with a blank"
    return Problem(line, "E110", f"the {role} id '{shown}' {what}", "replace it, in the judgments and the run alike")


_CONTROL = r"[\x00-\x1f\x7f\ud800-\udfff]"


def whole_lines(source: Source) -> Iterator[bytes]:
    """The source in pieces of whole lines, without a byte order mark; the last newline is added if it is missing.

    Nothing is read behind a line that is longer than `irev.reading.fields.LONGEST`: it is the last, and incomplete.
    """
    room = bytearray(max(chunks.SIZE, len(BOM)))
    left, first = b"", True
    while True:
        got = source.fill(memoryview(room))
        text = left + room[:got]
        if first:
            text, first = text.removeprefix(BOM), False
        if got < len(room) or len(text) - text.rfind(b"\n") > LONGEST + 1:
            if text:
                yield text if text.endswith(b"\n") else text + b"\n"
            return
        cut = text.rfind(b"\n") + 1
        left = text[cut:]
        if cut:
            yield text[:cut]


class TableStream(Stream, Protocol):
    """A stream of lines that has columns beside them."""

    source: Source

    def batches(self) -> Iterator[dict[str, Any]]:
        """The columns of some rows, by role."""


def is_table(stream: Stream) -> TypeGuard[TableStream]:
    """Whether a stream has columns beside its lines."""
    return hasattr(stream, "batches")


class ArrayStream(Stream, Protocol):
    """A stream of lines that are rows of arrays of neighbours, which need not become text."""

    def judgments(self, path: str, read: Callable[[Source], Any]) -> Any:
        """The judgments that they are, which can be opened again by a path, and read whole."""


def is_neighbours(stream: Stream) -> TypeGuard[ArrayStream]:
    """Whether a stream is one of arrays."""
    return hasattr(stream, "judgments")


class Rewritten:
    """A source rewritten as lines, by a generator that begins anew when the source is rewound.

    Parameters
    ----------
    source : Source
    rewrite : callable
        ``rewrite(source)``: yields bytes. Line n of what it yields should come from line n of the file, with empty
        lines for what has no counterpart, so that messages name the right line. Raises `InputError`.
    faults : Faults
        Where the generator notes what is wrong; cleared when it begins anew. The stream ends with the part in which
        something is, where that is enough.
    """

    def __init__(self, source: Source, rewrite: Callable[[Source], Iterator[bytes]], faults: Faults) -> None:
        self.name = source.name
        self.size = 0
        self._source = source
        self._rewrite = rewrite
        self._faults = faults
        self._parts = rewrite(source)
        self._left = memoryview(b"")

    def fill(self, room: memoryview) -> int:
        """As `irev.reading.sources.Source.fill`."""
        filled = 0
        while filled < len(room):
            if not len(self._left):
                ended = self._faults.one_is_enough and self._faults.problems
                part = None if ended else next(self._parts, None)
                if part is None:
                    break
                self._left = memoryview(part)
            taken = min(len(self._left), len(room) - filled)
            room[filled : filled + taken] = self._left[:taken]
            self._left = self._left[taken:]
            filled += taken
        return filled

    def rewind(self) -> None:
        """As `irev.reading.sources.Source.rewind`."""
        self._source.rewind()
        self._faults.clear()
        self._parts = self._rewrite(self._source)
        self._left = memoryview(b"")


def rewritten_layout(fields: tuple[str, ...], example: str, unit: str = "line", *, named: bool) -> Layout:
    """The layout of lines that a generator makes: exactly these fields, empty lines for what was no record.

    `named` says whether columns of the file can be named.
    """
    return Layout(
        fields, exact=True, empty_lines=True, comments="none", example=example, unit=unit, blanks=True, named=named
    )
