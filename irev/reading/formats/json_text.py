"""JSON: an object with an object for each query, as pytrec_eval and ranx write it, or records with named fields.

Records stand one on a line (JSONL) or in one array. What is read of a JSON file at a time is one query or one record,
so that memory does not grow with the file. A JSON file has no lines to speak of: messages count its entries. Numbers
are passed on as they are written (see `irev.reading.json_reader`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from irev.base.errors import Faults, InputError
from irev.base.settings import Settings
from irev.base.text import brief, decoded, encoded
from irev.reading import columns
from irev.reading.columns import Naming
from irev.reading.fields import Layout, too_long
from irev.reading.formats import (
    JUDGMENTS,
    PLAIN,
    RUNS,
    Format,
    Rewritten,
    as_field,
    head_of,
    rewritten_layout,
    whole_lines,
)
from irev.reading.json_reader import (
    DecimalText,
    IntegerText,
    JsonRows,
    NotJson,
    Scan,
    Unfit,
    begins_json,
    field_of,
    first_fields,
    first_object,
    id_field,
    json_lines,
    kind_of,
    members_of,
    not_json,
    number_field,
    reason_of,
    repeated,
    scanner,
    shown_text,
    unfit,
)
from irev.reading.limits import LONGEST, amount
from irev.reading.sources import BOM, Source, Stream


def _number(value: Any, role: str) -> str:
    """A number as a field of a line; in place of a grade also a word."""
    if role.startswith("grade") and type(value) is bool:
        return str(value).lower()  # a word, as in CSV
    if role.startswith("grade") and type(value) is str and value[:1].isalpha() and (word := as_field(value)):
        return word
    return number_field(value, role)


_NO_COLUMNS: Mapping[str, str] = MappingProxyType({})


def record_line(record: Any, names: Mapping[str, str], beside: Mapping[str, str] = _NO_COLUMNS) -> str:
    """A record as a line of fields, `beside` as `irev.reading.sources.Source` has it. Raises `Unfit` when something is
    wrong with it."""
    fields = members_of(record, "record")
    found = []
    for role, name in names.items():
        if beside.get(role) and "score" in names:
            value = fields.get(name)
            found.append((isinstance(value, str) and " " not in value and as_field(value)) or beside[role])
            continue
        value = fields[name] if name in fields else field_of(fields, name, role)
        if role in columns.TEXTS:
            found.append(id_field(value, role))
        else:
            plain = type(value) is DecimalText or type(value) is IntegerText
            found.append(value if plain else _number(value, role))
    return " ".join(found)


def cut_paths(naming: Naming, there: Iterable[str]) -> Naming:
    """The naming with the first part of each path that was named: a field that a record has beside others."""
    plus = columns.JOINING
    cut = {
        role: name if name in there else plus.join(part.partition(".")[0] for part in name.split(plus))
        for role, name in naming.chosen.items()
    }
    return replace(naming, chosen=cut)


def record_names(naming: Naming, source: Source) -> dict[str, str]:
    """The field of each role, as the first record has them; the usual one where it has none of its names."""
    head = head_of(source)
    fields, whole = first_object(head, naming.path)
    there = list(fields)
    if not whole and len(head) >= LONGEST and not set(naming.roles) <= naming.chosen.keys():
        fact = f"the first record is longer than {amount(LONGEST)}, so that its fields are not known"
        raise InputError(fact, source.name, "name its fields by --columns")
    cut = cut_paths(naming, there)
    if not cut.has(there):
        _require_own_kind(naming, fields, source.name)
        if whole:
            raise without_fields(cut, head, source.name)
        return {
            role: naming.chosen.get(role) or next(iter(columns.candidates(role, {}, there)), name)
            for role, name in naming.usual.items()
        }
    kinds = _kinds(fields, head) if len(columns.graded(there)) > 1 else {}
    found = cut.among(there, source.name, "field", source.beside, kinds)
    lists = [name for name in columns.candidates("results", {}, there) if fields[name] == "["]
    if found["document"].lower() in columns.WORDS and "document" not in naming.chosen and lists:
        document = found["document"]
        fact = f"fields {brief(document)} and {brief(lists[0])} could each be the document"
        remedy = f"--run-format lists reads {shown_text(lists[0])}, {naming.named({'document': document})} the other"
        raise InputError(fact, source.name, remedy)
    return {role: naming.chosen.get(role, name) for role, name in found.items()}


def without_fields(naming: Naming, head: bytes, name: str) -> InputError:
    """The error where the first record lacks fields. It may have all records in an array, or a list of documents."""
    fields = first_fields(head, naming.path)
    for each in fields:
        path = f"{naming.path}{each}[]."
        if fields[each] == "[" and (inner := first_fields(head, path)):
            error = in_array(replace(naming, path=path), each, inner, name, head)
            if error is not None:
                return error
    missing = [role for role in naming.roles if not columns.candidates(role, naming.chosen, list(fields))]
    return naming.missing(missing, list(fields), name, "field", _kinds(fields, head))


def in_array(naming: Naming, array: str, fields: Mapping[str, str], name: str, head: bytes) -> InputError | None:
    """The error where records are in an array, of which the first has these fields; None where these name no query."""
    wanted, kinds = naming, _kinds(fields, head)
    if "[" in fields.values() and not columns.candidates("document", naming.chosen, list(fields)):
        wanted = replace(naming, roles=("query", "relevant" if {*columns.JUDGED} & {*naming.roles} else "results"))
    found = {role: next(iter(columns.candidates(role, {}, [*fields])), "") for role in wanted.roles}
    left = [each for each in fields if each not in found.values()]
    names = {role: found[role] or columns.likely(role, left, kinds) for role in wanted.roles}
    if not names["query"]:
        return None
    remedy = f"add {wanted.named({role: each or 'NAME' for role, each in names.items()})}"
    return InputError(f"the records are in the array {shown_text(array)}", name, remedy)


def _kinds(fields: Mapping[str, str], head: bytes) -> dict[str, str]:
    """The kind of the values of each field, as they are written at the beginning of a file; by the first character
    where none ends there."""
    text = decoded(head)

    def values(name: str) -> list[str]:
        written = json.dumps(name, ensure_ascii=False)
        found = re.finditer(rf"{re.escape(written)}\s*:\s*(\[[^\]]*\]|[^\s,}}\]]+)", text)
        return [each[1] for each in islice(found, columns.FIRST)]

    return {name: columns.kind_of(values(name) or [first]) for name, first in fields.items()}


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
    if naming.path or _SPREAD.match(head_of(source).removeprefix(BOM)):
        return _entries(names, _record_example(names), source, faults, named=True, path=naming.path)

    def rewritten(source: Source) -> Iterator[bytes]:
        scan = scanner()
        alike = None
        fields = rb" ".join(rb"\g<%b>" % role.encode() for role in names) + rb"\n"
        number = 0
        for piece in whole_lines(source):
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
                found.append(_jsonl_line(line, scan, names, number, faults, source.beside))
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


def _jsonl_line(
    line: str | bytes,
    scan: Scan,
    names: Mapping[str, str],
    number: int,
    faults: Faults,
    beside: Mapping[str, str],
) -> str:
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
            raise NotJson(f"data follow the record, in column {end + 1}")
        return record_line(record, names, beside)
    except (ValueError, RecursionError) as error:
        faults.note(not_json(number, reason_of(error)))
    except Unfit as error:
        faults.note(error.at(number))
    return ""


# JSON


class Entries(JsonRows):
    """Records, or an object with an object of documents for each query."""

    def __init__(
        self, names: Mapping[str, str], records: bool, path: str, *given: Any, beside: Mapping[str, str] = _NO_COLUMNS
    ) -> None:
        super().__init__(*given)
        self._beside = beside
        self.records = records
        self._names, self._role, self._path = names, list(names)[-1], path

    def lines(self) -> Iterator[bytes]:
        return self.of_all(self.of_record, None if self.records else self.of_query, self._path)

    def of_record(self, record: Any) -> bytes:
        return self.row(record_line, record, self._names, self._beside).encode()

    def of_query(self, query: str, found: Any) -> bytes:
        field = self.new_query(query)
        if type(found) is not tuple:
            remedy = f"expected an object of documents and {self._role}s"
            raise unfit("E113", f"query {shown_text(query)} has {kind_of(found)}", remedy)
        if not found:
            self.faults.empty.append(query)
        documents = [document for document, _ in found]
        sound = (
            {type(number) for _, number in found} <= {IntegerText, DecimalText}
            and (not documents or re.fullmatch(PLAIN, "".join(documents)) is not None)
            and len({"", *documents}) == len(documents) + 1
        )
        if sound:
            self.count += len(found)
            return "".join([f"{field} {document} {number}\n" for document, number in found]).encode()
        seen: set[str] = set()
        return "".join([self.row(self._of_document, query, *each, seen) for each in found]).encode()

    def _of_document(self, query: str, document: str, number: object, seen: set[str]) -> str:
        field = id_field(document, "document")
        if document in seen:
            raise Unfit(repeated(0, document, f"for query {shown_text(query)}"))
        written = _number(number, f"{self._role} of document {shown_text(document)} for query {shown_text(query)}")
        seen.add(document)
        return f"{as_field(query)} {field} {written}"


def _json(naming: Naming, source: Source, faults: Faults) -> tuple[Layout, Stream]:
    array = bool(naming.path) or head_of(source).removeprefix(BOM).lstrip()[:1] == b"["
    if array:
        names = record_names(naming, source)
    else:  # the numbers of documents are never ranks
        _require_own_kind(naming, first_fields(head_of(source)), source.name)
        names = {role: role for role in ("query", "document", "grade" if "grade" in naming.roles else "score")}
    return _entries(
        names, f'{{"query": {{"document": {list(names)[-1]}}}}}', source, faults, named=array, path=naming.path
    )


def _entries(
    names: Mapping[str, str], example: str, source: Source, faults: Faults, *, named: bool, path: str
) -> tuple[Layout, Stream]:
    """What is read value by value; `named` says whether these are records, perhaps in the array at a path."""
    layout = rewritten_layout(tuple(names), example, "entry", named=named)
    return json_lines(layout, source, faults, partial(Entries, names, named, path, beside=source.beside))


# What they look like


def _record_example(names: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {role}' for role, name in names.items()) + "}"


STRING = rb'"(?:[^"\\]|\\.)*"'
_BEGINS_JSON = re.compile(rb"\s*(?:\{\s*(?:%b\s*:\s*\{|\}\s*\Z)|\[\s*(?:\{\s*\"|\]\s*\Z))" % STRING)
BEGINS_LISTS = rb"\s*\{\s*%b\s*:\s*\[" % STRING
"""How an object begins that has an array for each query, or a record with an array in front."""
_SPREAD = re.compile(rb"\s*\{[ \t\r]*\n")
"""How a record begins that is spread over several lines, as programs write it for people."""
_BEGINS_JSONL = re.compile(rb'\s*\{\s*%b\s*:\s*["\-0-9tfn]' % STRING)


def _of_records(settings: Settings, value: str) -> Naming:
    return columns.of_file(settings, value).of_records()


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
            lines=lambda source, settings, faults: _json(_of_records(settings, value), source, faults),
            recognised=lambda head, settings: bool(
                _BEGINS_JSON.match(head.removeprefix(BOM)) or (columns.in_array(settings, value) and begins_json(head))
            ),
        ),
        Format(
            name="jsonl",
            description="JSON records, one on each line or one after the other, with fields such as"
            f" {', '.join(usual.values())}; further fields are ignored. Other names by --columns, also in an object:"
            " document=metadata.id.",
            example=f'{{"query_id": "q1", "doc_id": "d01", "{key}": {first}}}\n'
            f'{{"query_id": "q1", "doc_id": "d02", "{key}": {second}}}\n',
            lines=lambda source, settings, faults: _jsonl(
                columns.of_file(settings, value).of_records(), source, faults
            ),
            recognised=lambda head, settings: bool(_BEGINS_JSONL.match(head.removeprefix(BOM))),
        ),
    )


for _table, _formats in ((JUDGMENTS, _add("grade", ("2", "0"))), (RUNS, _add("score", ("12.5", "11.0")))):
    for _format in _formats:
        _table.add(_format.name, _format)
