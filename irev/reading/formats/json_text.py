"""JSON: an object with an object for each query, as pytrec_eval and ranx write it, or records with named fields.

Records stand one on a line (JSONL) or in one array. What is read of a JSON file at a time is one query or one record,
so that memory does not grow with the file. A JSON file has no lines to speak of: messages count its entries. Numbers
are passed on as they are written (see `irev.reading.json_reader`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from irev.base.settings import Settings
from irev.base.text import encoded
from irev.errors import Faults, InputError, Problem
from irev.reading import columns
from irev.reading.columns import Naming
from irev.reading.fields import STAND_IN, Layout, too_long
from irev.reading.formats import (
    HEAD,
    JUDGMENTS,
    PLAIN,
    RUNS,
    Format,
    Rewritten,
    as_field,
    grade_of_word,
    id_fault,
    rewritten_layout,
    whole_lines,
)
from irev.reading.json_reader import (
    MISSING,
    DecimalText,
    IntegerText,
    JsonText,
    NotJson,
    Scan,
    at_path,
    first_fields,
    kind_of,
    members_of,
    not_by_query,
    not_json,
    reason_of,
    repeated,
    scanner,
    shown_text,
)
from irev.reading.limits import LONGEST
from irev.reading.sources import BOM, Source, Stream


def _value_fault(line: int, role: str, value: object) -> Problem:
    return Problem(line, "E113", f"the {role} is {kind_of(value)}", "expected a number")


def record_line(record: Any, names: Mapping[str, str], line: int, faults: Faults) -> str:
    """A record as a line of fields; nothing, and a problem noted, when something is wrong with it."""
    fields = members_of(record, "record", line, faults)
    if fields is None:
        return ""
    found = []
    for role, name in names.items():
        value = at_path(fields, name)
        if value is MISSING:
            there = ", ".join(map(shown_text, fields)) or "none"
            remedy = f"there are {there}; --columns {role}=NAME chooses one of them"
            faults.note(Problem(line, "E113", f"the record has no field {name!r}", remedy))
            return ""
        if role == "grade" and type(value) is str and (grade := grade_of_word(value)) is not None:
            found.append(grade)
        elif role not in columns.TEXTS:
            if type(value) not in (IntegerText, DecimalText):
                faults.note(_value_fault(line, role, value))
                return ""
            found.append(value)
        elif (field := id_field(value, role, line, faults)) is not None:
            found.append(field)
        else:
            return ""
    return " ".join(found)


def id_field(value: Any, role: str, line: int, faults: Faults) -> str | None:
    """An id as a field of a line; None, and a problem noted, for what is none."""
    if type(value) not in (str, IntegerText):
        remedy = "expected a string or a whole number"
        faults.note(Problem(line, "E110", f"the {role} id is {kind_of(value)}", remedy))
        return None
    field = as_field(value)
    if field is None:
        faults.note(id_fault(line, role, value))
    return field


def cut_paths(naming: Naming, there: Iterable[str]) -> Naming:
    """The naming with the first part of each path that was named: a field that a record has beside others."""
    cut = {role: name if name in there else name.partition(".")[0] for role, name in naming.chosen.items()}
    return replace(naming, chosen=cut)


def record_names(naming: Naming, source: Source) -> dict[str, str]:
    """The field of each role, as the first record has them; the usual one where it has none of its names."""
    fields = first_fields(source.head(HEAD))
    there = list(fields)
    cut = cut_paths(naming, there)
    if not cut.has(there):  # each record is then found to lack it
        _require_own_kind(naming, fields, source.name)
        return {
            role: naming.chosen.get(role) or next(iter(columns.candidates(role, {}, there)), name)
            for role, name in naming.usual.items()
        }
    found = cut.among(there, source.name, "field", source.everything)
    lists = [name for name in columns.candidates("results", {}, there) if fields[name] == "["]
    if found["document"].lower() in columns.WORDS and "document" not in naming.chosen and lists:
        remedy = f"--run-format lists reads {shown_text(lists[0])}, --columns document={found['document']} the other"
        raise columns.ambiguous("document", [found["document"], *lists], source.name, "field", remedy)
    return {role: naming.chosen.get(role, name) for role, name in found.items()}


def _require_own_kind(naming: Naming, fields: Mapping[str, str], name: str) -> None:
    """Raise `InputError` for records with the lists of a run instead of judgments, or the other way round."""
    judged = "grade" in naming.roles
    role, this = ("results", "a run has") if judged else ("relevant", "judgments have")
    lists = [each for each in columns.candidates(role, {}, list(fields)) if fields[each] == "["]
    if lists and columns.candidates("query", naming.chosen, list(fields)):
        fact = f"the records have lists of documents, {shown_text(lists[0])}, as {this}"
        raise InputError(fact, name, "judgments come before runs")


# JSONL


def _jsonl(naming: Naming, source: Source, faults: Faults) -> tuple[Layout, Stream]:
    names = record_names(naming, source)
    if _SPREAD.match(source.head(HEAD).removeprefix(BOM)):
        return _entries(names, _record_example(names), source, faults, named=True)

    def rewritten(source: Source) -> Iterator[bytes]:
        scan = scanner()
        alike = None
        fields = rb" ".join(rb"\g<%b>" % role.encode() for role in names) + rb"\n"
        number = 0
        for piece in whole_lines(source):
            if piece.count(b"\n") == len(piece):  # nothing else, perhaps for gigabytes
                number += len(piece)
                yield piece
                continue
            if alike is None:
                alike = _lines_like(piece.partition(b"\n")[0], scan, names)
            text, count = alike.subn(fields, piece)
            if count == piece.count(b"\n") and _is_utf8(piece):
                number += count
                yield text
                continue
            found = []
            for line in _decoded(piece):
                number += 1
                found.append(_jsonl_line(line, scan, names, number, faults))
            found.append("")
            yield "\n".join(found).encode()

    layout = rewritten_layout(tuple(names), _record_example(names), named=True)
    return layout, Rewritten(source, rewritten, faults)


def _lines_like(line: bytes, scan: Scan, names: Mapping[str, str]) -> re.Pattern[bytes]:
    """What matches lines with the fields of this one in the same order, and nothing that needs a closer look.

    Nearly all files consist of such lines, and a regular expression reads them four times as fast.
    """
    groups = {name: role for role, name in names.items()}
    try:
        keys = [key for key, _ in scan(line.decode(), 0)[0]]
    except (ValueError, TypeError, RecursionError):
        keys = []
    if sorted(keys) != sorted(groups):
        keys = list(groups)
    fields = (
        rb'"%b": ?' % re.escape(encoded(key))
        + (_A_TEXT if groups[key] in columns.TEXTS else _A_NUMBER) % groups[key].encode()
        for key in keys
    )
    return re.compile(rb"^\{" + b", ?".join(fields) + rb"\}\n", re.MULTILINE)


_A_TEXT = rb'"(?P<%b>[^\x00-\x20\x7f"\\]+)"'
_A_NUMBER = rb"(?P<%b>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decoded(piece: bytes) -> Iterator[str | bytes]:
    """The lines of a piece as text; as bytes where they are not UTF-8."""
    try:
        yield from piece.decode().split("\n")[:-1]
    except UnicodeDecodeError:
        for line in piece.split(b"\n")[:-1]:
            try:
                yield line.decode()
            except UnicodeDecodeError:
                yield line


def _jsonl_line(line: str | bytes, scan: Scan, names: Mapping[str, str], number: int, faults: Faults) -> str:
    if isinstance(line, bytes):
        faults.note(not_json(number, "it is not UTF-8"))
        return ""
    text = line.strip(" \t\r")
    if not text:
        return ""
    if len(text) > LONGEST:
        faults.note(too_long(number))
        return ""
    try:
        record, end = scan(text, 0)
        if end < len(text):
            raise NotJson(f"something follows the record, in column {end + 1}")
    except (ValueError, RecursionError) as error:
        faults.note(not_json(number, reason_of(error)))
        return ""
    return record_line(record, names, number, faults)


# JSON


class _Entries:
    """The judgments or results of a JSON file as lines, one for each; `count` of them so far.

    An object at its beginning is a record where `records` says so, and otherwise has an object for each query.
    """

    def __init__(self, text: JsonText, names: Mapping[str, str], name: str, faults: Faults, *, records: bool) -> None:
        self._text, self._names, self._name, self._faults, self._records = text, names, name, faults, records
        self._role = list(names)[-1]
        self._queries: set[str] = set()
        self.count = 0

    def lines(self) -> Iterator[bytes]:
        """All of them. Raises `NotJson`."""
        text = self._text
        if text.next() == "[":
            yield from text.elements(lambda: self._of_record(text.value()))
        elif text.next() == "{" and self._records:
            while text.next():
                yield self._of_record(text.value())
        elif text.next() == "{":
            yield from text.members(lambda query: self._of_query(query, text.value()))
        else:
            text.take("{[")
        text.end()

    def _of_record(self, record: Any) -> bytes:
        self.count += 1
        return record_line(record, self._names, self.count, self._faults).encode() + b"\n"

    def _of_query(self, query: str, found: Any) -> bytes:
        fault = self._query_fault(query, found)
        if fault:
            self._faults.note(fault)
            self.count += 1
            return b"\n"
        if not found:
            self._faults.empty.append(query)
        query = str(as_field(query))
        documents = [document for document, _ in found]
        sound = (
            {type(number) for _, number in found} <= {IntegerText, DecimalText}
            and (not documents or PLAIN.fullmatch("".join(documents)) is not None)
            and len({"", *documents}) == len(documents) + 1
        )
        if sound:
            self.count += len(found)
            return "".join([f"{query} {document} {number}\n" for document, number in found]).encode()
        seen: set[str] = set()
        return "".join([self._of_document(query, document, number, seen) for document, number in found]).encode()

    def _query_fault(self, query: str, found: Any) -> Problem | None:
        line = self.count + 1
        if as_field(query) is None:
            return id_fault(line, "query", query)
        if query in self._queries:
            return repeated(line, query, "among the queries")
        if columns.are_names(self._queries, query):
            raise not_by_query(query, self._name)
        self._queries.add(query)
        if type(found) is not tuple:
            remedy = f"expected an object of documents and {self._role}s"
            return Problem(line, "E113", f"for query {shown_text(query)} there is {kind_of(found)}", remedy)
        return None

    def _of_document(self, query: str, document: str, number: object, seen: set[str]) -> str:
        self.count += 1
        if (field := as_field(document)) is None:
            fault = id_fault(self.count, "document", document)
        elif document in seen:
            fault = repeated(self.count, document, f"for query {shown_text(query.replace(chr(STAND_IN), ' '))}")
        elif type(number) not in (IntegerText, DecimalText):
            place = f" of document {shown_text(document)} for query {shown_text(query.replace(chr(STAND_IN), ' '))}"
            fault = _value_fault(self.count, self._role + place, number)
        else:
            seen.add(document)
            return f"{query} {field} {number}\n"
        self._faults.note(fault)
        return "\n"


def _json(naming: Naming, source: Source, faults: Faults) -> tuple[Layout, Stream]:
    array = source.head(HEAD).removeprefix(BOM).lstrip()[:1] == b"["
    names = record_names(naming, source)
    if not array:  # the numbers of documents are never ranks
        names = {role: role for role in ("query", "document", "grade" if "grade" in naming.roles else "score")}

    return _entries(names, f'{{"query": {{"document": {list(names)[-1]}}}}}', source, faults, named=array)


def _entries(
    names: Mapping[str, str], example: str, source: Source, faults: Faults, *, named: bool
) -> tuple[Layout, Stream]:
    """What is read value by value; `named` says whether these are records."""

    def rewritten(source: Source) -> Iterator[bytes]:
        entries = _Entries(JsonText(source), names, source.name, faults, records=named)
        try:
            yield from entries.lines()
        except NotJson as error:
            faults.note(not_json(entries.count + 1, str(error)))

    return rewritten_layout(tuple(names), example, "entry", named=named), Rewritten(source, rewritten, faults)


# What they look like


def _record_example(names: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {role}' for role, name in names.items()) + "}"


_STRING = rb'"(?:[^"\\]|\\.)*"'
_BEGINS_JSON = re.compile(rb"\s*(?:\{\s*(?:%b\s*:\s*\{|\}\s*\Z)|\[\s*(?:\{\s*\"|\]\s*\Z))" % _STRING)
BEGINS_LISTS = rb"\s*\{\s*%b\s*:\s*\[" % _STRING
"""How an object begins that has an array for each query, or a record with an array in front."""
_SPREAD = re.compile(rb"\s*\{[ \t\r]*\n")
"""How a record begins that is spread over several lines, as programs write it for people."""
_BEGINS_JSONL = re.compile(rb'\s*\{\s*%b\s*:\s*["\-0-9tfn]' % _STRING)


def _add(value: str, numbers: tuple[str, str]) -> tuple[Format, Format]:
    first, second = numbers
    usual = columns.of_file(Settings(), value).usual
    key = usual[value]
    return (
        Format(
            name="json",
            description=f"JSON: an object that has, for each query, an object of documents and {value}s, as pytrec_eval"
            " and ranx write it; or an array of records as in jsonl.",
            example=f'{{"q1": {{"d01": {first}, "d02": {second}}}}}\n',
            lines=lambda source, settings, faults: _json(columns.of_file(settings, value), source, faults),
            recognised=lambda head, settings: bool(_BEGINS_JSON.match(head.removeprefix(BOM))),
            likely=lambda lines: (
                lines[0].lstrip().startswith((b"{", b"[")) and re.match(BEGINS_LISTS, b"\n".join(lines)) is None
            ),
        ),
        Format(
            name="jsonl",
            description="JSON records, one on each line or one after the other, with fields such as"
            f" {', '.join(usual.values())}; further fields are ignored. Other names by --columns, also in an object:"
            " document=metadata.id.",
            example=f'{{"query_id": "q1", "doc_id": "d01", "{key}": {first}}}\n'
            f'{{"query_id": "q1", "doc_id": "d02", "{key}": {second}}}\n',
            lines=lambda source, settings, faults: _jsonl(columns.of_file(settings, value), source, faults),
            recognised=lambda head, settings: bool(_BEGINS_JSONL.match(head.removeprefix(BOM))),
        ),
    )


for _table, _formats in ((JUDGMENTS, _add("grade", ("2", "0"))), (RUNS, _add("score", ("12.5", "11.0")))):
    for _format in _formats:
        _table.add(_format.name, _format)
