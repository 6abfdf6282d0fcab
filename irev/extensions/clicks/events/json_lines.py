"""Logs in JSON, an object on each line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from irev.base.errors import Problem
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.rows import ColumnMaker, EventBlock, EventRows, RowFault, legible, unknown_event
from irev.reading.fields import too_long
from irev.reading.formats import whole_lines
from irev.reading.json_reader import KeyTwice, NoNumber, not_json, once, reason_of, repeated
from irev.reading.limits import LONGEST
from irev.reading.sources import Source

_scan = json.JSONDecoder(parse_constant=NoNumber).scan_once  # type: ignore[attr-defined]
_strictly = json.JSONDecoder(parse_constant=NoNumber, object_pairs_hook=once)
_CODES = {event: code for code, event in enumerate(schema.EVENTS)}


Reading = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Makes an event, with the fields of `schema`, of an object; None of one that is none."""


def blocks(source: Source, reading: Reading | None = None) -> Iterator[EventBlock]:
    """The rows of a log, some at a time."""
    lines = 0
    for piece in whole_lines(source):
        piece = piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece
        yield _parsed(piece, lines, reading)
        lines += piece.count(b"\n")


def _parsed(piece: bytes, before: int, reading: Reading | None) -> EventBlock:
    """The rows of whole lines, which follow `before` others."""
    # Between a key and its colon nobody writes a blank; where there may be one, no object is taken at a glance.
    usual = not any(mark in piece for mark in (b'" ', b'"\t', b'"\r'))
    try:
        written: list[Any] = piece.decode().split("\n")
    except UnicodeDecodeError:
        written = piece.split(b"\n")
    written.pop()  # nothing stands behind the last newline
    return _block(written, before, usual, reading)


def _block(written: list[Any], before: int, usual: bool, reading: Reading | None) -> EventBlock:
    faults: list[RowFault] = []
    rows: tuple[list[int], ...] = tuple([] for _ in schema.EVENTS)
    objects: tuple[list[dict[str, Any]], ...] = tuple([] for _ in schema.EVENTS)
    shapes: set[tuple[str, ...]] = set()
    for row, line in enumerate(written):
        try:
            text = line if type(line) is str else line.decode()
            found, end = _scan(text, 0)
            # An object has as many keys as colons follow quotation marks, unless one stands in a string or deeper.
            sure = (
                usual
                and 4 * len(text) <= LONGEST
                and end == len(text)
                and type(found) is dict
                and text.count('":') == len(found)
            )
        except (StopIteration, ValueError, RecursionError):
            sure = False
        if not sure:
            found = _carefully(line.encode() if type(line) is str else line, row, faults)
            if found is None:
                continue
        if reading is not None:
            found = reading(found)
            if found is None:
                continue
        shapes.add(tuple(found))
        event = found.get("event")
        code = _CODES.get(event) if type(event) is str else None
        if code is None:
            faults.append(unknown_event(row, event, found.get("impression")))
            continue
        rows[code].append(row)
        objects[code].append(found)
    fields = {name for shape in shapes for name in shape}
    parts = []
    for event, where, of in zip(schema.EVENTS, rows, objects, strict=True):
        if where:
            maker = ColumnMaker(where, faults)
            columns = {
                name: maker.column(name, [each.get(name) for each in of]) for name in schema.OF[event] if name in fields
            }
            parts.append(EventRows(event, np.array(where, dtype=np.int64), columns))
    return EventBlock(np.arange(before + 1, before + len(written) + 1), parts, faults, fields - schema.FIELDS)


def _carefully(line: bytes, row: int, faults: list[RowFault]) -> dict[str, Any] | None:
    """The object on a line that is not quite as usual; None, and mostly a fault, where there is none."""
    if not line.strip():
        return None
    found: Any = None
    problem = None if len(line) <= LONGEST else too_long(1)
    try:
        found = _strictly.decode(line.decode()) if problem is None else None
    except KeyTwice as error:
        problem = repeated(1, error.key, "in one object")
    except UnicodeDecodeError:
        problem = not_json(1, "it is not UTF-8")
    except (ValueError, RecursionError) as error:
        problem = not_json(1, reason_of(error))
        if line.strip() == b"{":
            remedy = "write each event on one line, as `jq -c .` does"
            problem = Problem(1, "E111", "the object continues on the next line", remedy)
    if problem is not None:
        faults.append(RowFault.of(row, problem, _named(line)))
    elif type(found) is dict:
        return found
    else:
        faults.append(RowFault(row, "E113", "the line has no object", "expected one"))
    return None


_IMPRESSION = re.compile(rb'"(?:impression|query_id)"\s*:\s*("(?:[^"\\]|\\.)*"|[0-9]+)')


def _named(line: bytes) -> bytes:
    """The id of the impression that stands on a line that is no event: the first, of several."""
    found = _IMPRESSION.search(line)
    try:
        return legible(json.loads(found[1].decode())) if found else b""
    except ValueError:
        return b""
