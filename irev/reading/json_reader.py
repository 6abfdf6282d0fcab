"""A reader of JSON, piece by piece, with numbers as they are written; all formats made of JSON use it.

What other readers let pass is refused: a repeated key, of which the last value would win. NaN and infinities are not
JSON, but Python writes them: they are refused where they are read, and nobody's business elsewhere. A value is put
together whole, and its length is bounded, so that memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from irev.base.errors import Faults, InputError, Problem, shown
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.reading import chunks, columns, limits
from irev.reading.fields import Layout
from irev.reading.formats import Rewritten, as_field, head_of, id_fault, rewritten_layout
from irev.reading.limits import LONGEST
from irev.reading.sources import BOM, Source, Stream


class IntegerText(str):
    """A whole number as it is written."""

    __slots__ = ()


class DecimalText(str):
    """Any other number as it is written."""

    __slots__ = ()


class NoNumber:
    """NaN or an infinity, of which the word is kept for messages."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def __str__(self) -> str:
        return self.word


T = TypeVar("T")

Scan = Callable[[str, int], tuple[Any, int]]
"""The value that begins at an offset, and the offset behind it. Objects are tuples of pairs; numbers are as above."""


class NotJson(ValueError):
    """What a message says about text that is not JSON."""


class Unfit(Exception):
    """What is wrong with a record, or with a row of one, whose line is still to be said."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.fact)
        self._problem = problem

    def at(self, line: int) -> Problem:
        """The problem of a line."""
        return replace(self._problem, line=line)


def unfit(code: str, fact: str, remedy: str) -> Unfit:
    """An `Unfit` of these words."""
    return Unfit(Problem(0, code, fact, remedy))


class KeyTwice(ValueError):
    """A key that occurs twice in an object."""

    def __init__(self, key: str) -> None:
        super().__init__("a key occurs twice in an object")
        self.key = key


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For the json module: an object as a dictionary. Raises `KeyTwice` for a repeated key."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyTwice(next(key for i, key in enumerate(keys) if key in keys[:i]))
    return found


def scanner() -> Scan:
    """A `Scan`, which raises what the json module raises."""
    return json.JSONDecoder(
        object_pairs_hook=tuple, parse_int=IntegerText, parse_float=DecimalText, parse_constant=NoNumber
    ).raw_decode


def reason_of(error: Exception) -> str:
    """Why a text is not JSON; the place is said otherwise."""
    if isinstance(error, RecursionError):
        return "values are nested too deeply"
    if isinstance(error, NotJson):
        return str(error)
    message = str(getattr(error, "msg", error))
    return message[:1].lower() + message[1:]


def not_json(line: int, reason: str, column: int | None = None) -> Problem:
    """The fault of what cannot be read as JSON."""
    return Problem(line, "E111", f"this is not JSON: {reason}", "write it with a JSON library", column=column)


def not_by_query(key: str, name: str) -> InputError:
    """The error of a file by query whose keys are names of columns."""
    fact = f"{shown_text(key)} and others are names of columns, but queries were expected there"
    return InputError(fact, name, "write a record for each row")


def kind_of(value: object) -> str:
    """What a value is, in the words of JSON."""
    kinds = {
        "str": "a string",
        "IntegerText": "a number",
        "DecimalText": "a number",
        "tuple": "an object",
        "list": "an array",
        "RepeatedKey": "in an object that has a key twice",
    }
    if isinstance(value, NoNumber):
        return str(value)
    return kinds.get(type(value).__name__, "null" if value is None else str(value).lower())


def members_of(value: Any, what: str) -> dict[str, Any]:
    """An object as a dictionary. Raises `Unfit` for what is none or has a key twice."""
    if type(value) is not tuple:
        raise unfit("E113", f"the {what} is {kind_of(value)}", "expected an object")
    fields = dict(value)
    if len(fields) != len(value):
        again = next(key for i, (key, _) in enumerate(value) if key in dict(value[:i]))
        raise Unfit(repeated(0, again, "in one object"))
    return fields


def id_field(value: Any, role: str) -> str:
    """An id as a field of a line. Raises `Unfit` for what is none."""
    if type(value) not in (str, IntegerText):
        raise unfit("E110", f"the {role} id is {kind_of(value)}", "expected a string or a whole number")
    field = as_field(value)
    if field is None:
        raise Unfit(id_fault(0, role, value))
    return field


def number_field(value: Any, role: str) -> str:
    """A number as a field of a line. Raises `Unfit` for anything else."""
    if type(value) is not IntegerText and type(value) is not DecimalText:
        raise unfit("E113", f"the {role} is {kind_of(value)}", "expected a number")
    return str(value)


def field_of(fields: Mapping[str, Any], name: str, role: str) -> Any:
    """The field of a record that has a role, as `at_path` finds it. Raises `Unfit` where there is none."""
    value = at_path(fields, name)
    if value is MISSING:
        there = ", ".join(map(shown_text, fields)) or "none"
        raise unfit("E113", f"the record has no field {name!r}", f"there are {there}")
    return value


MISSING = object()
"""What stands where a record has no such field."""


class RepeatedKey:
    """What stands where a field is in an object with a key twice: nobody can say which of its values is meant."""


REPEATED = RepeatedKey()


def at_path(fields: Mapping[str, Any], name: str) -> Any:
    """The value of a field, or of a field in an object in a field: ``metadata.id``; `MISSING` where there is none.

    `REPEATED` where an object on the way has a key twice. Of fields of an id, ``file+page``, the values are joined, or
    else one that is no text and no whole number is given.
    """
    if name in fields:
        return fields[name]
    first, *others = name.split(columns.JOINING)
    if others:
        values = [at_path(fields, each) for each in (first, *others)]
        odd = [each for each in values if type(each) not in (str, IntegerText)]
        return odd[0] if odd else columns.JOINING.join(values) if all(values) else ""
    first, dot, rest = name.partition(".")
    inner = fields.get(first) if dot else None
    if type(inner) is not tuple:
        return MISSING
    found = dict(inner)
    return at_path(found, rest) if len(found) == len(inner) else REPEATED


def begins_json(head: bytes) -> bool:
    """Whether a file begins as JSON does: the quick look before a closer one."""
    return head[:64].removeprefix(BOM).lstrip()[:1] in (b"{", b"[", b"")


def first_fields(head: bytes, path: str = "") -> dict[str, str]:
    """The fields of the first object in a text that may be cut anywhere, each with the first character of its value,
    which is a bracket for a list that is written as a string.

    Also of the first in an array, or in the array that a path leads to. Fields behind the place where the text is cut,
    or is not JSON, are missing.
    """
    return first_object(head, path)[0]


def first_object(head: bytes, path: str = "") -> tuple[dict[str, str], bool]:
    """The same, and whether the text has all of its fields."""
    found: dict[str, str] = {}
    text = decoded(head.removeprefix(BOM)).lstrip(" \t\r\n[") if begins_json(head) else ""
    scan, at = scanner(), 0
    try:
        for step in steps_of(path):
            if step == EACH:
                at = _skipped(text, at + 1) if text[at] == "[" else len(text)
            else:
                at = next((place for key, place in _members(text, at, scan) if key == step), len(text))
        for key, place in _members(text, at, scan):
            found[key] = "[" if _WRITTEN_LIST.match(text, place) else text[place]
    except (ValueError, IndexError, RecursionError):
        return found, False
    return found, True


EACH = "[]"
"""A step of a path into every element of an array."""


def steps_of(path: str) -> list[str]:
    """The names and arrays on a path: ``data.turns[].``."""
    return re.findall(r"\[\]|[^.\[\]]+", path)


def _members(text: str, at: int, scan: Scan) -> Iterator[tuple[str, int]]:
    """The keys of an object in a text, and where their values begin. Raises `ValueError` or `IndexError` where the text
    is cut or is not JSON."""
    if text[at] != "{":
        raise NotJson("no object")
    at = _skipped(text, at + 1)
    while text[at] != "}":
        key, at = scan(text, at)
        at = _skipped(text, at)
        if type(key) is not str or text[at] != ":":
            raise NotJson("no key")
        at = _skipped(text, at + 1)
        yield key, at
        _, at = scan(text, at)
        at = _skipped(text, at)
        if text[at] != "}":
            at = _skipped(text, at + 1) if text[at] == "," else len(text)


def _skipped(text: str, at: int) -> int:
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing, too


def repeated(line: int, key: str, where: str) -> Problem:
    remedy = "keep one of the two; most JSON readers would use the last one"
    return Problem(line, "E112", f"the key {shown_text(key)} occurs twice {where}", remedy)


def shown_text(text: str) -> str:
    return shown(text.encode("utf-8", "backslashreplace"))


_CLOSING = {"{": "}", "[": "]"}
_WRITTEN_LIST = re.compile(r""""\s*\[\s*(?:'|\\"|\{|\]|[0-9])""")
_BLANKS = re.compile(r"[ \t\n\r]*")


class JsonText:
    """A JSON text that is read piece by piece, and forgotten as its values are taken."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._most = None if limits.large_allowed() else limits.SMALL
        self._scan = scanner()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._size = max(min(chunks.SIZE, source.size + 1 if source.size else chunks.SIZE), len(BOM))
        self._text = ""
        self._at = 0
        self._begun = self._ended = False
        self._line, self._column = 1, 1  # of the first character that is held

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column of a character, as an editor counts."""
        newline = self._text.rfind("\n", 0, at)
        column = self._column + at if newline < 0 else at - newline
        return self._line + self._text.count("\n", 0, at), column

    def _refused(self, reason: str, at: int) -> NotJson:
        return NotJson("{} (line {}, column {})".format(reason, *self._place(at)))

    def _more(self) -> bool:
        """Read another piece; whether there was one."""
        if self._ended:
            return False
        # Long values are scanned from their beginning; where their length is bounded, memory is worth more than that.
        held = len(self._text) - self._at
        room = bytearray(max(self._size, held if self._most is None else min(held, 8 * self._size)))
        got = self._source.fill(memoryview(room))
        data = bytes(room[:got])
        if not self._begun:
            data, self._begun = data.removeprefix(BOM), True
        self._ended = got < len(room)
        self._line, self._column = self._place(self._at)
        self._text, self._at = self._text[self._at :], 0
        try:
            self._text += self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            self._text += data[: error.start].decode("utf-8", "replace")
            raise self._refused("it is not UTF-8", len(self._text)) from None
        return True

    def next(self) -> str:
        """The next character that is no white space, which stays; nothing at the end."""
        while True:
            self._at = _skipped(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """The next character, which must be one of those expected."""
        found = self.next()
        if not found or found not in expected:
            wanted = " or ".join(f"'{character}'" for character in expected)
            raise self._refused(f"expecting {wanted}", self._at)
        self._at += 1
        return found

    def end(self) -> None:
        """Nothing may follow."""
        if self.next():
            raise self._refused("data follow its end", self._at)

    def members(self, of: Callable[[str], T]) -> Iterator[T]:
        """What is made of each member of the object that comes next; `of` is given its key, and takes its value."""
        for key in self.names():
            yield of(key)

    def names(self) -> Iterator[str]:
        """The keys of the object that comes next; between two of them a value has to be taken."""
        self.take("{")
        if self.next() == "}":
            self.take("}")
            return
        while True:
            if self.next() != '"':
                self.take('"')
            key = self.value()
            self.take(":")
            yield key
            if self.take(",}") == "}":
                return

    def elements(self, of: Callable[[], T]) -> Iterator[T]:
        """What is made of each element of the array that comes next; `of` takes it."""
        self.take("[")
        if self.next() == "]":
            self.take("]")
            return
        while True:
            yield of()
            if self.take(",]") == "]":
                return

    def value(self) -> Any:
        """The next value, whole."""
        closing = _CLOSING.get(self.next(), "")
        looked = self._at
        while True:
            if self._text.find(closing, looked) < 0:  # to scan it would make objects of all that is there, for nothing
                held = len(self._text) - self._at
                if self._longer():
                    looked = self._at + held
                    continue
            try:
                value, end = self._scan(self._text, self._at)
            except (ValueError, RecursionError) as error:
                at = getattr(error, "pos", self._at)
                if not self._may_be_cut(error, at) or not self._longer():
                    raise self._refused(reason_of(error), at) from None
                continue
            if end == len(self._text) and self._longer():
                continue  # a number may go on
            self._at = end
            return value

    def skip(self) -> None:
        """Read past a value of any length; an object member by member."""
        if self.next() == "{":
            for _ in self.names():
                self.value()
        else:
            self.value()

    def _longer(self) -> bool:
        """As `_more`, when all that is held belongs to one value."""
        if self._most is not None and len(self._text) - self._at > self._most:
            fact = f"a value is longer than {limits.amount(self._most)}"
            raise InputError(fact, self._source.name, "write it in lines, or set IREV_ALLOW_LARGE=1")
        return self._more()

    def _may_be_cut(self, error: Exception, at: int) -> bool:
        """Whether a value is perhaps faulty only because not all of it has been read yet."""
        if isinstance(error, NotJson | RecursionError):
            return False
        unread = len(self._text) - at
        return unread <= LONGEST if "Unterminated" in str(error) else unread < len(" -Infinity")


class JsonRows(ABC):
    """The judgments or results of a JSON file as lines, one for each; `count` of them so far, by which messages name
    them. `records` says that the file has records, and no object with something for each query.
    """

    def __init__(self, text: JsonText, name: str, faults: Faults, records: bool = True) -> None:
        self.text, self.name, self.faults, self.records = text, name, faults, records
        self._rows: dict[str, int | None] = {}  # of each query; None as long as none of its records was read
        self.count = 0

    @abstractmethod
    def lines(self) -> Iterator[bytes]:
        """All of them. Raises `NotJson`."""

    def of_all(
        self,
        of_record: Callable[[Any], bytes],
        of_query: Callable[[str, Any], bytes] | None = None,
        path: str = "",
    ) -> Iterator[bytes]:
        """The lines of records, one after the other or in an array, each perhaps in an array that a path leads to; or,
        where it is said how, of what an object has for each query. Both raise `Unfit` where there are none."""
        text, steps = self.text, steps_of(path)
        if text.next() == "[":
            yield from self._inside([EACH, *steps], of_record)
        elif text.next() != "{":
            text.take("{[")
        elif of_query is None:
            while text.next():
                yield from self._inside(steps, of_record)
        else:
            yield from text.members(lambda query: self.together(of_query, query, text.value()))
        text.end()

    def _inside(self, steps: list[str], of_record: Callable[[Any], bytes]) -> Iterator[bytes]:
        """The lines of the records that steps lead to from the value that comes next."""
        text = self.text
        if not steps:
            yield self.together(of_record, text.value())
        elif steps[0] == EACH:
            for part in text.elements(lambda: self._inside(steps[1:], of_record)):
                yield from part
        else:
            found = False
            for key in text.names():
                if key != steps[0] or found:
                    text.skip()
                    continue
                found = True
                yield from self._inside(steps[1:], of_record)
            if not found:
                self.count += 1
                self.faults.note(
                    Problem(self.count, "E113", f"there is no field {shown_text(steps[0])}", "expected one")
                )

    def together(self, lines_of: Callable[..., bytes], *given: Any) -> bytes:
        """The lines that are made of what is given; an empty one, and a problem noted, where it is unfit."""
        try:
            return lines_of(*given)
        except Unfit as error:
            self.count += 1
            self.faults.note(error.at(self.count))
            return b"\n"

    def row(self, line_of: Callable[..., str], *given: Any) -> str:
        """The same for the one line that is made of what is given."""
        self.count += 1
        try:
            return line_of(*given) + "\n"
        except Unfit as error:
            self.faults.note(error.at(self.count))
            return "\n"

    def rows_of(
        self, query: Any, rows: Any, remedy: str, line_of: Callable[[str, Any, int], str], has: str = " has"
    ) -> bytes:
        """The lines of the rows in the array of a query, each made by ``line_of(query, row, rank)``.

        The rows of another record of the query follow those of the first. If `rows` is not an array, the error says
        what the query `has` instead, with the remedy.
        """
        field = self.new_query(query)
        if type(rows) is not list:
            raise unfit("E113", f"query {shown_text(query)}{has} {kind_of(rows)}", remedy)
        before = self._rows[query]
        if before is None and not rows:
            self.faults.empty.append(query)
        if before == 0 and rows:
            self.faults.empty.remove(query)
        before = before or 0
        self._rows[query] = before + len(rows)
        return "".join(
            [self.row(line_of, field, row, before + rank) for rank, row in enumerate(rows, start=1)]
        ).encode()

    def is_joined(self, query: str, rows: list[Any]) -> bool:
        """Return True if these rows of a query follow those of another record."""
        return (self._rows[query] or 0) > len(rows)

    def new_query(self, query: Any) -> str:
        """The id of a query as a field. Raises `Unfit` for what is none, and for a key of an object that was there
        before."""
        field = id_field(query, "query")
        if not self.records and query in self._rows:
            raise Unfit(repeated(0, query, "among the queries"))
        if not self.records and columns.are_names(self._rows.keys(), query):
            raise not_by_query(query, self.name)
        self._rows.setdefault(query, None)
        return field


class JsonRecords(JsonRows):
    """Records, in lines or in one array; `line_of` makes a line of each."""

    def __init__(self, line_of: Callable[[Any], str], *given: Any) -> None:
        super().__init__(*given)
        self._line_of = line_of

    def lines(self) -> Iterator[bytes]:
        return self.of_all(lambda record: self.row(self._line_of, record).encode())


Rows = Callable[[JsonText, str, Faults], JsonRows]
"""Makes the reader of a file from its text, its name and the collector of its faults."""


def json_head(source: Source) -> bytes:
    """The first bytes of a file of JSON, without a byte order mark. Raises `InputError` for an empty file."""
    head = head_of(source).removeprefix(BOM)
    if not head.strip():
        raise InputError("the file is empty", source.name, "expected JSON")
    return head


def reading(
    fields: tuple[str, ...], example: str, rows: Rows, unit: str = "entry", relevant_only: bool = False
) -> Callable[[Source, Settings, Faults], tuple[Layout, Stream]]:
    """The `lines` of a `Format` of JSON whose fields have fixed names."""
    layout = replace(rewritten_layout(fields, example, unit, named=False), relevant_only=relevant_only)
    return lambda source, settings, faults: json_lines(layout, source, faults, rows)


def json_lines(layout: Layout, source: Source, faults: Faults, rows: Rows) -> tuple[Layout, Stream]:
    """The layout, and the lines that a reader of rows makes of a file."""

    def rewritten(source: Source) -> Iterator[bytes]:
        found = rows(JsonText(source), source.name, faults)
        try:
            yield from found.lines()
        except NotJson as error:
            faults.note(not_json(found.count + 1, str(error)))

    return layout, Rewritten(source, rewritten, faults)
