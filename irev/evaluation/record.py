"""The record of a result: everything that was computed and what it was computed from, as dictionaries and lists.

`record` makes it of a `Result`, and `irev.evaluation.saved` makes the same `Result` of it again.
``docs/result.schema.json`` describes every key. Numbers are unrounded, ids are text with the bytes that are no UTF-8 as
lone surrogates, and what is not a finite number is ``"inf"``, ``"-inf"`` or ``"nan"``, which JSON has no numbers for.
Nothing in it tells when or where it was made: the same files and options give the same record.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irev.base.errors import InputError, decimal, shown
from irev.base.records import dataclass
from irev.base.segments import Array
from irev.base.settings import ABOUT, Settings
from irev.base.text import decoded, encoded
from irev.evaluation.result import Outcome, Result
from irev.evaluation.scores import Summarised, Summary
from irev.measures import Request
from irev.measures.measure import Measure
from irev.measures.parameters import Cutoffs
from irev.reading import limits
from irev.reading.json_reader import once
from irev.reading.sources import BOM, Source

AGAIN = "make the record again with `irev eval -f json`"

_ODD = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_LARGEST = 2**63 - 1
_DIGITS = 400
"""No number of so many digits is meant; to read those of a million takes minutes."""


_BEGINS = re.compile(rb"\s*[{[]")
_SAYS = re.compile(rb'"format"\s*:\s*"irev result"')


def is_record(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a record."""
    return _BEGINS.match(head.removeprefix(BOM)) is not None and _SAYS.search(head) is not None


def content(source: Source, again: str = AGAIN) -> Any:
    """What a file has, as JSON; `again` is the remedy of errors.

    Raises
    ------
    InputError
        For a file that is not JSON, with the line, and for objects that have a key twice.
    """
    try:
        text = source.content(limits.RECORD).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8, as JSON must be", source.name, again) from None
    try:
        return json.loads(text, object_pairs_hook=once, parse_int=_whole, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON ({error.msg})", f"{source.name}:{error.lineno}", again) from None
    except RecursionError:
        raise InputError("the nesting is too deep for a record of results", source.name, again) from None
    except ValueError as error:  # what the functions refuse
        raise InputError(f"this is not JSON ({error})", source.name, again) from None


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _no_number(name: str) -> Any:
    raise ValueError(f"there is {name} instead of a number")


@dataclass(frozen=True)
class RecordValue:
    """A value in a record, and where it stands.

    Attributes
    ----------
    value : object
    place : str
        Its place in the record: ``results[0].counts``.
    file : str
    again : str
        The remedy of errors.
    """

    value: Any
    place: str
    file: str
    again: str = AGAIN

    def refused(self, expected: str) -> InputError:
        kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        there = kinds.get(type(self.value), "a number")
        if isinstance(self.value, str):
            there = shown(self.value.encode("utf-8", "replace"))
        place = f"{self.file}, {self.place}" if self.place else self.file
        return InputError(f"expected {expected}, found {there}", place, self.again)

    def members(self) -> dict[str, RecordValue]:
        """What is in an object, by key."""
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        return {key: self._inside(key, value) for key, value in self.value.items()}

    def elements(self) -> list[RecordValue]:
        """What is in a list."""
        if not isinstance(self.value, list | tuple):
            raise self.refused("a list")
        return [
            RecordValue(value, f"{self.place}[{number}]", self.file, self.again)
            for number, value in enumerate(self.value)
        ]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, Mapping) and key in self.value

    def __getitem__(self, key: str) -> RecordValue:
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        if key not in self.value:
            raise self.refused(f"an object with the key {shown(key.encode('utf-8', 'replace'))}")
        return self._inside(key, self.value[key])

    def _inside(self, key: str, value: Any) -> RecordValue:
        name = shown(key.encode("utf-8", "replace"))[1:-1]
        return RecordValue(value, f"{self.place}.{name}" if self.place else name, self.file, self.again)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.refused("a text")
        try:
            encoded(self.value)
        except UnicodeEncodeError:
            raise self.refused("a text of valid characters") from None
        return self.value

    def id(self) -> bytes:
        return encoded(self.text())

    def word(self, words: Sequence[str]) -> str:
        if self.value not in words:
            raise self.refused(f"one of {', '.join(words)}")
        return self.text()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refused("true or false")
        return self.value

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= _LARGEST:
            raise self.refused("a whole number of 0 or more")
        return self.value

    def number(self) -> float | int:
        """A number, whole ones as such."""
        if isinstance(self.value, str) and self.value in _ODD:
            return _ODD[self.value]
        if isinstance(self.value, float) and math.isfinite(self.value):
            return self.value
        if isinstance(self.value, int) and not isinstance(self.value, bool) and abs(self.value) <= _LARGEST:
            return self.value
        raise self.refused("a number, 'inf', '-inf' or 'nan'")

    def finite(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refused("a number")
        if (isinstance(self.value, int) and abs(self.value) > _LARGEST) or not math.isfinite(self.value):
            raise self.refused("a smaller number")
        return float(self.value)

    def or_none(self, read: Callable[[RecordValue], Any]) -> Any:
        return None if self.value is None else read(self)


FORMAT, VERSION = "irev result", 1
"""`VERSION` rises when a key is removed or changes its meaning; a reader leaves keys alone that it does not know."""


def record(result: Result, standard: bool = False) -> dict[str, Any]:
    """The record of a result, with the values of single queries and of all of them where these are wanted.

    Values of single queries are a `RowsByQuery`; all else is what JSON has.

    Values are called as trec_eval does, or as papers do where `standard` says so; of two alike the second has ``#2``
    behind it.
    """
    keys = _keys(result, standard)
    return {
        "format": FORMAT,
        "version": VERSION,
        "irev": result.version,
        "options": _options(result.settings),
        "policy": _policy(result),
        "measures": [_measure(request, keys) for request in result.requests],
        "inputs": [file.recorded() for file in result.inputs],
        "results": [_outcome(outcome, result, keys) for outcome in result.outcomes],
    }


def _keys(result: Result, standard: bool) -> dict[Request, str]:
    """What the values of each request are called, and those of single queries, which know no aggregate."""
    requests = dict.fromkeys([*result.requests, *(request.base for request in result.requests)])
    keys: dict[str, Request] = {}
    for request in requests:
        name, number = request.standard if standard else request.label, 1
        key = name
        while key in keys:  # two recall levels may share a label
            number += 1
            key = f"{name}#{number}"
        keys[key] = request
    return {request: key for key, request in keys.items()}


def _options(settings: Settings) -> dict[str, Any]:
    options = {name: getattr(settings, name) for name in ABOUT}
    if settings.document_of is None:
        del options["document_of"]
    for name in ("costs", "grade_words", "query_weights"):
        numbers = options.pop(name)
        if numbers is not None:
            options[name] = {decoded(each) if isinstance(each, bytes) else each: number for each, number in numbers}
    return options | {
        "only": None if settings.only is None else decoded(settings.only),
        "columns": dict(settings.columns),
        "queries": settings.queries if isinstance(settings.queries, str) else [decoded(q) for q in settings.queries],
        "gains": None if settings.gains is None else [list(pair) for pair in settings.gains],
    }


def _policy(result: Result) -> dict[str, str]:
    """What the options come to, in words."""
    settings = result.settings
    precision = ", in single precision" if settings.single_precision else ""
    return {
        "queries": result.policy,
        "relevant": f"a grade of {decimal(settings.level)} or more",
        "unjudged": "removed, and ranks renumbered" if settings.judged_only else "not relevant",
        "negative grades": settings.meaning("negative"),
        "order": settings.meaning("order") + (precision if settings.order == "score" else ""),
        "ties": settings.meaning("ties"),
        "duplicates": settings.meaning("duplicates"),
    }


def _measure(request: Request, keys: Mapping[Request, str]) -> dict[str, Any]:
    measure = request.measure
    return {
        "key": keys[request],
        "label": request.label,
        "standard": request.standard,
        "measure": measure.name,
        "definition": _definition(measure),
        "kind": measure.kind,
        "aggregate": request.aggregate or measure.summary,
        "cutoff": request.value.value if isinstance(measure.parameter, Cutoffs) else request.k,
        "level": request.level,
        "judged_only": request.judged_only,
        "bound": request.bound or None,
        "better": request.better,
        "per_query": keys[request.base] if measure.per_query else None,
        **({} if measure.computed else {"computed": False}),
    }


def _definition(measure: Measure) -> str:
    """The first sentence of its documentation."""
    return " ".join(measure.documentation.strip().partition("\n\n")[0].split())


def _outcome(outcome: Outcome, result: Result, keys: Mapping[Request, str]) -> dict[str, Any]:
    facts, scores = outcome.facts, outcome.scores
    groups = {}
    for group in outcome.groups:
        summary = {"summary": _summary(group.summary, result, keys)} if result.summarised else {}
        queries = [decoded(query) for query in group.queries]
        groups[decoded(group.name)] = {"size": int(group.size), "queries": queries, **summary}
    made: dict[str, Any] = {
        "run": outcome.run,
        "qrels": outcome.qrels,
        "tag": decoded(scores.tag),
        **({} if facts.known else {"computed": False}),
        "counts": {
            "queries": int(scores.considered),
            "judged": int(facts.judged),
            "unjudged": int(facts.unjudged),
            "tied": int(facts.tied),
            "positive_judgments": int(scores.positive_judgments),
            "not_retrieved": [decoded(query) for query in facts.not_retrieved],
            "not_judged": [decoded(query) for query in facts.not_judged],
            **({"empty": [decoded(query) for query in facts.empty]} if facts.empty else {}),
        },
        "queries": [decoded(query) for query in scores.queries],
    }
    if result.summarised:
        made["summary"] = _summary(outcome.summary, result, keys)
    made["groups"] = groups
    if result.per_query:
        columns = {keys[column.request]: column for column in outcome.columns}
        made["per_query"] = RowsByQuery(made["queries"], {key: column.values for key, column in columns.items()})
        weights = {key: column.weights for key, column in columns.items() if column.weights is not None}
        if weights:
            made["weights"] = RowsByQuery(made["queries"], weights)
    return made


def _summary(summary: Summary, result: Result, keys: Mapping[Request, str]) -> dict[str, Any]:
    values = zip(result.requests, summary.values, strict=True)
    return {keys[request]: _plain(value) for request, value in values if value is not None}


_ROWS = 4096
"""Queries whose values are made at a time."""


class RowsByQuery(Mapping[str, dict[str, Any]]):
    """The values of each query, by measure, which are made as they are passed: as dictionaries they would take ten
    times the room."""

    def __init__(self, queries: Sequence[str], columns: Mapping[str, Array]) -> None:
        self._queries, self._columns = queries, columns

    def __len__(self) -> int:
        return len(self._queries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._queries)

    def __getitem__(self, query: str) -> dict[str, Any]:
        try:
            place = self._queries.index(query)
        except ValueError:
            raise KeyError(query) from None
        return next(self._rows(place, place + 1))[1]

    def items(self) -> ItemsView[str, dict[str, Any]]:
        """Each query and its row; made anew each time."""
        return _RowItems(self)

    def _rows(self, begin: int, end: int) -> Iterator[tuple[str, dict[str, Any]]]:
        for first in range(begin, end, _ROWS):
            here = slice(first, min(first + _ROWS, end))
            queries = self._queries[here]
            cells = [_cells(values[here]) for values in self._columns.values()]
            rows = zip(*cells, strict=True) if cells else [()] * len(queries)
            for query, row in zip(queries, rows, strict=True):
                yield query, dict(zip(self._columns, row, strict=True))


class _RowItems(ItemsView[str, dict[str, Any]]):
    _mapping: RowsByQuery

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return self._mapping._rows(0, len(self._mapping))


def _cells(values: Array) -> list[Any]:
    plain = values.dtype.kind == "i" or (values.dtype.kind == "f" and bool(np.isfinite(values).all()))
    cells: list[Any] = values.tolist()
    return cells if plain else [_plain(value) for value in cells]


def _plain(value: Summarised) -> Any:
    if isinstance(value, bytes):
        return decoded(value)
    return repr(float(value)) if isinstance(value, float) and not math.isfinite(value) else value
