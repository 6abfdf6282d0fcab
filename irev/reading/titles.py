"""Texts that go with ids: what a query asks, what a document is called or says. Shown to people, never evaluated.

A file of them may be far larger than what is wanted of it, so it is read in pieces and of each wanted text only the
beginning is kept. Lines are of two kinds: an id, a tab and a text; or JSON objects, ``{"id": "d1", "title": "…"}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

import numpy as np

from irev.base.errors import Problem, ProblemError, shown
from irev.base.segments import Ints
from irev.base.text import decoded, encoded
from irev.reading import ids, remote
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import NEWLINE, TAB, too_long
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import head_of
from irev.reading.ids import PAD, padded
from irev.reading.limits import LONGEST
from irev.reading.sources import Source

KEPT = 1000
"""Characters of a text that are kept."""

ID_KEYS = ("id", "_id", "doc_id", "docid", "docno", "query_id", "qid")
TEXT_KEYS = ("title", "text", "query", "question", "contents", "body")
"""What keys of JSON objects are called, the first that is there before the others; a title and a text are joined."""

_ID = re.compile(
    rb'"(?:' + b"|".join(key.encode() for key in ID_KEYS) + rb')"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(-?[0-9]+)\s*[,}])'
)


def texts_of(
    path: str, wanted: Collection[bytes], large: bool, kind: Literal["queries", "documents"]
) -> dict[bytes, str]:
    """The texts that a file has for the wanted ids, as `read_texts` has them. `large` is `Settings.allow_large`.

    `kind` says what ids these are, for data sets, which have texts of both.
    """
    if remote.is_dataset(path):
        return {key: _joined(record) for key, record in remote.records(path, kind, wanted)} if wanted else {}
    with Source(path) as source:
        source.large = large
        return read_texts(source, wanted)


def read_texts(source: Source, wanted: Collection[bytes]) -> dict[bytes, str]:
    """The texts of the wanted ids, as far as the file has them; of one that occurs twice, the first.

    Bytes that are no UTF-8 become lone surrogates. Reading ends when all are found.

    Raises
    ------
    ProblemError
        For a line that has no tab, or is not JSON object although the first is one, and for a line that is too long.
    InputError
        For a folder.
    """
    source.require_one()
    missing = set(wanted)
    found: dict[bytes, str] = {}
    if not missing:
        return found
    as_json = head_of(source).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    pieces = Chunks(source)
    buffer = Buffer(padded(0))
    lines = 0
    while missing and pieces.read(buffer):
        count, newlines = _lines(buffer, lines, source.name)
        read = _json_texts if as_json else _tab_texts
        for key, text in read(buffer, newlines, missing, lines, source.name):
            if key in missing:
                found[key] = text[:KEPT]
                missing.discard(key)
        lines += count
    return found


def _lines(buffer: Buffer, before: int, name: str) -> tuple[int, Ints]:
    newlines = np.flatnonzero(buffer.text[buffer.begin : buffer.end] == NEWLINE) + buffer.begin
    lengths = np.diff(newlines, prepend=buffer.begin - 1) - 1
    if int(lengths.max(initial=0)) > LONGEST:
        raise ProblemError(name, too_long(before + int(np.argmax(lengths > LONGEST)) + 1))
    return len(newlines), newlines


def _tab_texts(
    buffer: Buffer, newlines: Ints, wanted: Collection[bytes], before: int, name: str
) -> Iterator[tuple[bytes, str]]:
    text = buffer.text
    starts = np.append(buffer.begin, newlines[:-1] + 1)
    tabs = np.append(np.flatnonzero(text[buffer.begin : buffer.end] == TAB) + buffer.begin, buffer.end)
    stops = tabs[np.searchsorted(tabs, starts)]
    if before == 0 and text[PAD : PAD + 3].tobytes() == b"\xef\xbb\xbf":
        starts[0] += 3
    filled = newlines > starts
    lacking = np.flatnonzero(filled & (stops >= newlines))
    for row in lacking.tolist():
        line = text[starts[row] : newlines[row]].tobytes()
        if line.strip():
            fact = f"expected an id, a tab and a text, found {shown(line)}"
            raise ProblemError(
                name, Problem(before + row + 1, "E101", fact, "write them on one line, with a tab between them")
            )
    rows = np.flatnonzero(filled & (stops < newlines))
    # Few of many lines are wanted: keys rule out the others.
    starts, stops, ends = starts[rows], stops[rows], newlines[rows]
    likely = np.isin(ids.keys(text, starts, stops - starts, ids.SEED), FlatIds.of([*wanted]).keys)
    for start, stop, end in zip(starts[likely].tolist(), stops[likely].tolist(), ends[likely].tolist(), strict=True):
        key = text[start:stop].tobytes()
        if key in wanted:
            yield key, decoded(text[stop + 1 : end].tobytes()[: 4 * KEPT]).rstrip("\r")


def _json_texts(
    buffer: Buffer, newlines: Ints, wanted: Collection[bytes], before: int, name: str
) -> Iterator[tuple[bytes, str]]:
    content = buffer.text[buffer.begin : buffer.end].tobytes()
    row = -1
    for match in _ID.finditer(content):
        written = match[1] if match[2] is None else match[2]
        if written not in wanted and b"\\" not in written:
            continue
        here = int(np.searchsorted(newlines, buffer.begin + match.start()))
        if here == row:
            continue
        row = here
        begin = 0 if row == 0 else int(newlines[row - 1]) + 1 - buffer.begin
        key, text = _read_object(content[begin : int(newlines[row]) - buffer.begin], before + row + 1, name)
        if key is not None:
            yield key, text


def _read_object(line: bytes, number: int, name: str) -> tuple[bytes | None, str]:
    try:
        read = json.loads(line.decode("utf-8-sig", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        fact = f"expected a JSON object, found {shown(line)} ({error})"
        raise ProblemError(name, Problem(number, "E101", fact, "write one in each line")) from None
    key = next((read[key] for key in ID_KEYS if key in read), None) if isinstance(read, dict) else None
    if isinstance(key, bool) or not isinstance(key, str | int):
        return None, ""
    return str(key).encode("utf-8", "surrogateescape" if _escapable(str(key)) else "surrogatepass"), _joined(read)


def _joined(record: Mapping[str, Any]) -> str:
    """The title and the text of a record, or what it has of them."""
    texts = [record[part] for part in TEXT_KEYS if isinstance(record.get(part), str) and record[part]]
    return ": ".join(part[:KEPT] for part in dict.fromkeys(texts[:2]))


def _escapable(text: str) -> bool:
    try:
        encoded(text)
    except UnicodeEncodeError:
        return False
    return True
