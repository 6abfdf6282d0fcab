"""Lists: for each query the documents that were retrieved for it, best first, as pipelines write them; or the relevant.

They are records, one on each line or in an array, that have a query and an array of documents, or one object that has
an array for each query. A document is its id or an object with it, perhaps deep inside, and with a score perhaps. The
order of the array is the ranking unless the field of the score is named: otherwise scores are only looked at to see
that they do not say otherwise: scores that rise, and distances that fall, give a warning.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from json import dumps
from math import isfinite
from typing import Any

from irev.base.errors import Faults, InputError, Problem
from irev.base.settings import Settings
from irev.base.text import counted, decoded
from irev.reading import columns
from irev.reading.columns import Naming
from irev.reading.fields import Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, Rewritten, rewritten_layout
from irev.reading.formats.json_text import BEGINS_LISTS, cut_paths, in_array
from irev.reading.json_reader import (
    MISSING,
    DecimalText,
    IntegerText,
    JsonRows,
    JsonText,
    NoNumber,
    at_path,
    begins_json,
    field_of,
    first_fields,
    id_field,
    json_head,
    json_lines,
    kind_of,
    members_of,
    scanner,
    shown_text,
    unfit,
)
from irev.reading.sources import BOM, Source, Stream

NUMBERS = (IntegerText, DecimalText)
_PAIR = {"document": "[0]", "grade": "[1]"}
"""How the parts of a pair in an array are named."""


def naming_of(settings: Settings, value: str) -> Naming:
    """How the query and the array of a record are found; `value` is ``grade`` or ``score``."""
    return columns.of_lists(settings, value).of_records()


def _in_records(head: bytes, settings: Settings, value: str) -> bool:
    """Whether the first record of a file has a query and an array of documents, and is not itself one document."""
    naming = naming_of(settings, value)
    fields = first_fields(head, naming.path)
    naming = cut_paths(naming, fields)
    if not fields or not naming.has(list(fields)):
        return False
    array = naming.roles[1]
    kinds = "[{" if columns.candidates("document", naming.chosen, list(fields)) else "[{n"  # null, for a message
    arrays = [name for name in columns.candidates(array, naming.chosen, list(fields)) if fields[name] in kinds]
    return bool(arrays) and not cut_paths(columns.of_file(settings, value).of_records(), fields).has(list(fields))


class _Lists(JsonRows):
    """Arrays of documents, in records or in an object that has one for each query."""

    def __init__(
        self,
        settings: Settings,
        value: str,
        fields: Mapping[str, str],
        array: bool,
        text: JsonText,
        name: str,
        faults: Faults,
    ) -> None:
        naming = naming_of(settings, value)
        cut = cut_paths(naming, fields)
        super().__init__(text, name, faults, array or cut.has(list(fields)))
        self._value = value
        self._scored = value == "score" and "score" in naming.chosen
        self._sorted = value == "score" and settings.order != "file" and not self._scored
        self._naming, self._chosen = naming, naming.chosen
        self._id: str | None = None
        self._score = ""  # where the first score was found
        self._grades: str | None = None  # the array of grades beside the documents of all records; empty for none
        self._way = 0
        self._known: dict[tuple[str, ...], tuple[list[Any], list[Any]]] = {}
        self._names = naming.usual
        self.others: Sequence[str] = ()  # columns of a table that may hold numbers of documents
        self.of_rows = ""  # the option that reads rows of single documents, where they have numbers
        if self.records and cut.has(list(fields)):
            found = cut.among(list(fields), name, "field")
            self._names = {role: naming.chosen.get(role, each) for role, each in found.items()}
        self._array = self._names[naming.roles[1]]
        # Pipelines that answer questions write what they gave to a model, which need not be ids.
        self._texts = self.records and self._array == "contexts" and "results" not in self._chosen

    def lines(self) -> Iterator[bytes]:
        return self.of_all(self.of_record, None if self.records else self.of_query, self._naming.path)

    def of_record(self, record: Any) -> bytes:
        fields = members_of(record, "record")
        query, documents = (field_of(fields, name, role) for role, name in self._names.items())
        documents = _opened(documents)
        return self.of_query(query, documents, self._beside(fields, query, documents))

    def of_cell(self, query: Any, cell: Any, *others: Any) -> bytes:
        """The lines of a row of a table. Raises `Unfit` for a text that may be one document, beside its number."""
        if self.of_rows and isinstance(cell, str) and not re.match(r"\s*(?:\[|\Z)", cell):
            fact = (
                f"query {shown_text(query)} has the text {shown_text(cell)} for a list, and a {self._value} beside it"
            )
            raise unfit("E113", fact, f"add {self.of_rows} if each row has one document, or write lists in brackets")
        written = isinstance(cell, str) and (cell.lstrip().startswith("[") or not self._texts)
        query, documents = _as_json(query), listed(cell) if written else _as_json(cell)
        if isinstance(documents, str):
            fact = f"query {shown_text(query)} has the text {shown_text(documents)} for a list"
            raise unfit("E113", fact, 'expected an array of documents, such as ["d1", "d2"]')
        if (
            not self.faults.doubts
            and isinstance(cell, str)
            and not cell.lstrip().startswith("[")
            and len(documents) > 1
        ):
            parts = f"{shown_text(cell.strip())} of query {shown_text(query)} is {len(documents)} documents"
            one = dumps([cell.strip()], ensure_ascii=False)
            fact, remedy = f"cells are split at blanks: {parts}", f"write lists as JSON: {one} if this is one id"
            self.faults.doubts.append(Problem(0, "W228", fact, remedy))
        fields = {name: _numbers_in(each) for name, each in zip(self.others, others, strict=True)}
        return self.of_query(query, documents, self._beside(fields, query, documents))

    def _beside(self, fields: Mapping[str, Any], query: Any, documents: Any) -> list[Any] | None:
        """The numbers of a record's documents in an array of their own; None where there is none. Raises `Unfit` where
        it is not certain that they are theirs."""

        def arrays(role: str, chosen: Mapping[str, str]) -> list[str]:
            named = [chosen[role]] if role in chosen else columns.numbers_beside(role, chosen, fields)
            return [name for name in named if type(at_path(fields, name)) is list]

        judged = self._value == "grade"
        if type(documents) is not list or not (judged or self._sorted or self._scored):
            return None
        there = arrays(self._value, self._chosen)
        if judged and "grade" not in self._chosen:
            of_results = any(type(fields[name]) is list for name in columns.candidates("results", {}, [*fields]))
            alike = there if of_results else [] if there else arrays("score", {})
            there = [] if of_results else there
            for name in alike:
                if documents and len(fields[name]) == len(documents):
                    fact = f"query {shown_text(query)} has as many values in {name!r} as relevant documents"
                    remedy = f"add {self._naming.named({'grade': name})} if these are their grades, or else rename it"
                    raise unfit("E113", fact, remedy)
        if len(there) > 1:
            raise self._naming.ambiguous(self._value, there, self.name, "field")
        name = there[0] if there else ""
        numbers = at_path(fields, name) if there else []
        if len(numbers) != len(documents) and any(type(each) in NUMBERS for each in numbers):
            both = f"{counted(len(documents), 'document')} and {counted(len(numbers), 'number')}"
            fact = f"query {shown_text(query)} has {both} in {name!r}"
            remedy = f"expected a {self._value} of each document"
            raise unfit("E113", fact, remedy if judged else f"{remedy}; --order file ranks by the order alone")
        if len(numbers) != len(documents):
            name = ""  # words about something else
        if judged and documents:
            if self._grades not in (None, name):
                fact = f"query {shown_text(query)} has {f'grades in {name!r}' if name else 'no grades'}"
                raise unfit("E113", f"{fact}, unlike the queries before", "write the grades of all queries, or of none")
            self._grades = name
        elif name:
            self._score = self._score or name
        return numbers if name else None

    def _beside_number(self, query: str, number: Any) -> str | None:
        """A number out of an array of its own as a field."""
        if self._value == "grade" and type(number) is bool:
            return str(int(number))
        if self._value == "grade" and type(number) not in NUMBERS:
            raise unfit("E113", f"query {shown_text(query)} has {kind_of(number)} among its grades", "expected numbers")
        return number if type(number) in NUMBERS else None

    def of_query(self, query: str, found: Any, numbers: list[Any] | None = None) -> bytes:
        line, scores = self.count + 1, list[str | None]()

        def line_of(field: str, document: Any, rank: int) -> str:
            scores.append(None)
            made, scores[-1] = self._of_document(document, query)
            if numbers is not None:
                scores[-1] = self._beside_number(query, numbers[len(scores) - 1])
            if self._scored and scores[-1] is None:
                raise unfit("E113", f"the document {shown_text(made)} has no score", "expected a number in each")
            number = scores[-1] if self._scored or self._value == "grade" else rank
            return f"{field} {made} {number or 1}"

        rows = self.rows_of(query, found, "expected an array of documents", line_of)
        if self._sorted:
            self._require_order(scores, found, query, line)
        return rows

    def _require_order(self, scores: list[str | None], documents: list[Any], query: str, line: int) -> None:
        """Note what contradicts the order of an array: scores, as in the arrays before, pairs, and ranks."""
        way = _way(scores)
        near = columns.is_distance(self._score)
        what, worse = ("distances", -1) if near else ("scores", 1)
        by_score = self._naming.named({"score": self._score or "NAME"})
        by_number = "sort the arrays, the nearest first" if near else f"rank by the scores with {by_score}"
        remedy = f"{by_number}, or rank by the order of the array with --order file"
        fact = ""
        if self.is_joined(query, documents) and any(scores):
            fact = f"query {shown_text(query)} has two records, and their documents have {what}"
            remedy = f"{by_number}, or rank one list behind the other with --order file"
        elif way is None:
            fact = f"the {what} of query {shown_text(query)} neither fall nor rise along the array"
        elif way * self._way < 0:
            fact = f"the {what} of query {shown_text(query)} {'rise' if way > 0 else 'fall'}, and others did not"
        elif _are_ranks(documents):
            fact = f"the pairs of query {shown_text(query)} may be ranks and ids as well as ids and scores"
            remedy = "write ids as strings, or read them as ids and scores with --order file"
        elif not _rising(documents):
            fact = f"the ranks of query {shown_text(query)} do not rise along the array"
            remedy = "sort the array, or use it unchanged with --order file"
        elif way == worse and not self._way:
            moved = "fall" if near else "rise"
            fact = f"the {what} of query {shown_text(query)} {moved} along the array, which is the ranking"
            self.faults.doubts.append(Problem(0, "W201", fact, remedy if near else f"{by_score} ranks by the scores"))
            fact = ""
        self._way = self._way or way or 0
        if fact:
            self.faults.note(Problem(line, "E113", fact, remedy))

    def _of_document(self, document: Any, query: str) -> tuple[str, str | None]:
        """The id of a document as a field; and its score or grade, if it has one."""
        score: Any = None
        if type(document) is list and document and {"document", self._value} & {*self._chosen}:
            document = tuple((f"[{place}]", each) for place, each in enumerate(document))
        elif type(document) is list and len(document) == 2 and type(document[1]) in NUMBERS:
            if self._value == "grade":
                fact = f"the documents of query {shown_text(query)} are pairs"
                raise unfit("E113", fact, f"add {self._naming.named(_PAIR)} if these are ids and grades")
            document, score = document
            self._score = "[1]"
        if type(document) is tuple:
            fields = members_of(document, "document")
            if not self.records:
                self._require_document(fields, query)
            score = self._number(fields) if score is None else score
            document = self._id_in(fields)
        if type(document) is list:
            fact = f"the array {shown_text(query)} has arrays in it, and is no list of a query's documents"
            raise unfit("E110", fact, 'write each query and its documents, such as {"q1": ["d1", "d2"]}')
        if type(document) not in (str, IntegerText):
            remedy = f"expected a string, a whole number, or an object with one; {self._where()} says where"
            raise unfit("E110", f"a document of query {shown_text(query)} is {kind_of(document)}", remedy)
        if self._texts and " " in document:
            fact = f"the {self._array} of query {shown_text(query)} are texts, not ids: {shown_text(document)}"
            where = self._naming.named({"results": "NAME"})
            raise unfit("E110", fact, f"{where} names the field with ids, or {self._array} if these are some")
        return id_field(document, "document"), score if type(score) in NUMBERS else None

    def _where(self) -> str:
        """The option that says where the id of a document is."""
        return replace(self._naming, path="").named({"document": "NAME"})

    def _id_in(self, fields: dict[str, Any]) -> Any:
        """The id that an object has."""
        known = self._names_among(tuple(fields))[0]
        if len(known) > 1:
            raise self._naming.ambiguous("document", known, self.name, "field")
        if self._id is None and known:
            self._id = known[0]
        value = at_path(fields, self._id) if self._id is not None else MISSING
        if value is MISSING:
            there_are = ", ".join(map(shown_text, fields)) or "none"
            remedy = f"there are {there_are}; {self._where()} says where it is, such as metadata.id"
            raise unfit("E113", f"the document has no {'id' if self._id is None else f'field {self._id!r}'}", remedy)
        return value

    def _require_document(self, fields: dict[str, Any], query: str) -> None:
        """Raise `InputError` where an array that should be of a query's documents is one of queries."""
        there = list(fields)
        others = [name for name in columns.candidates("query", {}, there) if fields[name] != query]
        arrays = [name for role in ("results", "relevant") for name in columns.candidates(role, {}, there)]
        arrays = [name for name in arrays if type(fields[name]) is list]
        if others or arrays:
            firsts = {name: _FIRST.get(type(value), "0") for name, value in fields.items()}
            naming = replace(self._naming, path=f"{query}[].")
            found = in_array(naming, query, firsts, self.name, b"")
            fact = (
                f"in the array {shown_text(query)} records have a field {shown_text((others + arrays)[0])} of their own"
            )
            remedy = "this is no list of a query's documents: write only the array to a file"
            raise found or InputError(fact, self.name, remedy)

    def _names_among(self, there: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
        """Which fields of an object could be its id, among them the one that was it before; and which its number. Or
        the ones named."""
        if there not in self._known:
            known = columns.candidates("document", self._chosen, there)
            if "document" in self._chosen:
                known = [self._chosen["document"]]
            elif known[:1] != [columns.ALIASES["document"][0]]:
                known = known or [each for each in (*columns.IDS, _PAIR["document"]) if each in there]
                known += [self._id] if self._id in there and self._id not in known else []
            named = self._chosen.get(self._value)
            numbers = [named] if named is not None else columns.candidates(self._value, {}, there)
            beside = columns.numbers_beside("score", {}, there) if self._value == "score" else []
            self._known[there] = known, numbers or beside
        return self._known[there]

    def _number(self, fields: dict[str, Any]) -> Any:
        """The score of an object in a run, or its grade in judgments; None where it has none."""
        known = self._names_among(tuple(fields))[1]
        value = at_path(fields, known[0]) if known else None
        if self._value == "score":
            self._score = self._score or (known[0] if known else "")
            return value
        if not known and columns.candidates("score", {}, list(fields)):
            remedy = f"are these judgments? {self._naming.named({'grade': 'NAME'})} says which field is the grade"
            raise unfit("E113", "the document has a score and no grade", remedy)
        if type(value) is bool:
            return IntegerText(int(value))
        if known and type(value) not in NUMBERS:
            fact = f"has no field {known[0]!r}" if value is MISSING else f"has a grade that is {kind_of(value)}"
            raise unfit("E113", f"the document {fact}", "expected a number")
        return value


def _opened(value: Any) -> Any:
    """A value of a record, of which an array may be written as a string."""
    return listed(value) if isinstance(value, str) and value.lstrip().startswith("[") else value


def _numbers_in(cell: Any) -> Any:
    """The list in a cell that may hold numbers: as `listed` reads it, or numbers with blanks or commas between them."""
    found = _opened(_as_json(cell))
    if isinstance(found, str) and re.fullmatch(rf"\s*(?:\[{_NUMBERS}\]|{_NUMBER}{_BETWEEN}{_NUMBERS})\s*", found):
        return [NoNumber(each) if each == "nan" else DecimalText(each) for each in re.findall(_NUMBER, found)]
    return found


_NUMBER = r"(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|nan)"
_BETWEEN = r"(?:\s*[,;]\s*|\s+)"
_NUMBERS = rf"\s*{_NUMBER}(?:{_BETWEEN}{_NUMBER})*\s*"


def _way(scores: list[str | None]) -> int | None:
    """Whether scores fall, -1, or rise, 1, along an array, or neither is to be seen, 0; None where they do both."""
    if None in scores:
        return 0
    values = [float(score) for score in scores if score is not None]
    pairs = list(pairwise(values))
    fall, rise = any(a > b for a, b in pairs), any(a < b for a, b in pairs)
    return None if fall and rise else rise - fall


def _are_ranks(documents: list[Any]) -> bool:
    """Whether documents are pairs of 1, 2 and so on, as numbers, and of whole numbers that could be ids."""
    return bool(documents) and all(
        type(each) is list and len(each) == 2 and each[0] == str(rank) and {*map(type, each)} == {IntegerText}
        for rank, each in enumerate(documents, start=1)
    )


def _rising(documents: list[Any]) -> bool:
    """Whether the ranks that objects have, if they do, rise."""
    named = ([float(v) for k, v in each if k.lower() in _RANKS and type(v) in NUMBERS] for each in _objects(documents))
    ranks = [found[0] for found in named if found]
    return all(a < b for a, b in pairwise(ranks))


def _objects(documents: list[Any]) -> list[Any]:
    return [each for each in documents if type(each) is tuple]


_RANKS = ("rank", "position")
_FIRST: dict[type, str] = {str: '"', list: "[", tuple: "{"}
"""The characters by which `first_fields` tells values."""


def _layout(settings: Settings, value: str) -> Layout:
    scored = value == "grade" or "score" in naming_of(settings, value).chosen
    fields = ("query", "document", value if scored else "rank")
    layout = rewritten_layout(fields, '{"query": ["document"]}', "entry", named=True)
    return replace(layout, relevant_only=value == "grade")


def _lines(value: str, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    head = json_head(source)
    fields = first_fields(head, naming_of(settings, value).path)
    rows = partial(_Lists, settings, value, fields, head.lstrip()[:1] == b"[")
    return json_lines(_layout(settings, value), source, faults, rows)


def of_table(
    naming: Naming,
    settings: Settings,
    value: str,
    names: Sequence[str],
    rows: Callable[[Source, Sequence[str]], Iterator[tuple[Any, ...]]],
    source: Source,
    faults: Faults,
) -> tuple[Layout, Stream]:
    """The lines of a table with a column of lists, as `irev.reading.formats.lists_of_table` has it."""
    named = [*naming.among(names, source.name).values()]
    of_rows = (
        columns.of_file(settings, value).named({"document": named[1]}) if has_numbers(value, settings, names) else ""
    )

    numbers = [name for role in (value, "score") for name in columns.numbers_beside(role, naming.chosen, names)]
    numbers += columns.candidates("results", {}, names) if value == "grade" else []
    others = [each for each in dict.fromkeys(numbers) if each not in named]

    def rewritten(source: Source) -> Iterator[bytes]:
        found = _Lists(settings, value, dict.fromkeys(names, "["), False, JsonText(source), source.name, faults)
        found.of_rows, found.others = of_rows, others
        for row in rows(source, [*named, *others]):
            yield found.together(found.of_cell, *row)

    return _layout(settings, value), Rewritten(source, rewritten, faults)


def has_numbers(value: str, settings: Settings, names: Sequence[str]) -> bool:
    """Return True if judgments have a column of grades, or a run one of scores or ranks."""
    chosen = settings.columns_of(value)
    return any(columns.candidates(role, chosen, names) for role in ([value, "rank"] if value == "score" else [value]))


def _as_json(value: Any) -> Any:
    """A value of Python as the reader of JSON has it."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return IntegerText(value)
    if isinstance(value, float):
        return DecimalText(value) if isfinite(value) else NoNumber(str(value))
    if isinstance(value, bytes):
        return decoded(value)
    if isinstance(value, dict):
        return tuple((str(key), _as_json(each)) for key, each in value.items())
    return [_as_json(each) for each in value] if isinstance(value, list | tuple) else value


def listed(cell: str) -> Any:
    """The list in a cell of text: an array of JSON, a list as Python or numpy writes it, or ids with blanks between
    them; the text itself where it is none of these."""
    text = cell.strip()
    if not text.startswith("["):
        if text.lower() in _EMPTY:
            return []
        return cell if re.search(r"""[,;|\[{]|(?:^|\s)\(?['"]""", text) else text.split()
    try:
        value, end = scanner()(text, 0)
        return value if end == len(text) else cell
    except (ValueError, RecursionError):
        pass
    if re.fullmatch(_WRITTEN, text):  # numpy writes no commas
        return [
            NoNumber(each) if each in ("None", "nan") else _as_json(literal_eval(each))
            for each in re.findall(_PART, text)
        ]
    try:
        return _as_json(literal_eval(text)) if re.search(r".[\[{(]", text) else cell
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return cell


_EMPTY = ("", "nan", "none", "null", "<na>")
"""Texts that programs write for a cell without a value."""

_PART = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?(?:0|[1-9][0-9]*)(?![0-9.eE])|None|nan"""
_WRITTEN = rf"\[\s*(?:(?:{_PART})(?:\s*,\s*|\s+|(?=\])))*\]"
"""A list of texts and whole numbers as Python or numpy writes it, perhaps with a missing one."""


Format(
    name="lists",
    description="JSON or JSONL lists of relevant documents: records with a query and an array such as relevant_ids;"
    " or an object with an array for each query, not recognised, as it could be a run. Documents are ids, of grade"
    " 1 or of the array grades beside them, or objects with an id and a grade.",
    example='{"query_id": "q1", "relevant_ids": ["d01", {"id": "d02", "grade": 2}]}\n',
    lines=lambda *given: _lines("grade", *given),
    recognised=lambda head, settings: _in_records(head, settings, "grade"),
    suggested=True,
    special=1,
).add_to(JUDGMENTS)
Format(
    name="lists",
    description="JSON or JSONL lists of retrieved documents, best first: records with a query and an array such as"
    " results, retrieved_ids, docs or contexts; or an object with an array for each query. Documents are ids or"
    " objects with an id, or with one inside: --columns document=metadata.id.",
    example='{"query_id": "q1", "results": ["d01", {"id": "d02", "score": 11.0}]}\n',
    lines=lambda *given: _lines("score", *given),
    recognised=lambda head, settings: (
        begins_json(head)
        and (re.match(BEGINS_LISTS, head.removeprefix(BOM)) is not None or _in_records(head, settings, "score"))
    ),
    special=1,
).add_to(RUNS)
