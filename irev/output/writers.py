"""Files of judgments and runs that are written, in one of several formats.

A format gives the bytes piece by piece, and raises `ProblemError` with code E130 for the first row of which it would
lose anything: nothing is rounded, replaced or left out. A new format is a function, and an entry of `WRITERS`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import repeat
from types import ModuleType
from typing import Any, NamedTuple

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.output.styles.parquet import Sink, require
from irev.reading import formats
from irev.reading.columns import TEXTS
from irev.reading.formats import HEAD, JUDGMENTS, RUNS
from irev.reading.limits import LONGEST
from irev.reading.rows import Kind, RowFile, Rows, together

NAMES = {"query": "query_id", "document": "doc_id", "grade": "relevance"}
"""What columns are called; those of other roles are called as these."""

TABLE_IDS = re.compile(rb"[\x00-\t\x0b-\x1f\x7f]|^ | $", re.MULTILINE)
"""What no id may hold that is read from a table; and a newline, which no id holds."""

NOT_IN_TABLES = "it holds a control character, or a blank at an end"


@dataclass(frozen=True)
class Data:
    """What is to be written.

    Attributes
    ----------
    kind : str
    roles : tuple of str
        What rows have, in the order of `irev.reading.rows.ROLES`.
    rows : callable
        ``rows()``: all of them, some at a time, as often as it is called.
    """

    kind: Kind
    roles: tuple[str, ...]
    rows: Callable[[], Iterator[Rows]]


def data_of(tables: Sequence[RowFile], tag: bytes | None, fills: bool) -> Data:
    """Files of one kind, put together.

    With `fills` the format has something to put where a row has none of a role, so that files may differ in what they
    have.

    Raises
    ------
    InputError
        For files that would leave columns empty.
    """
    roles = tables[0].roles
    for table in tables[1:]:
        if table.roles != roles and not fills:
            apart = {*roles} ^ {*table.roles}
            lacking = [role for role in (*roles, *table.roles) if role in apart and (tag is None or role != "tag")]
            if lacking:
                has, lacks = (table, tables[0]) if lacking[0] in table.roles else (tables[0], table)
                fact = f"this file has no {lacking[0]}, but {has.source.name} has"
                raise InputError(fact, lacks.source.name, "convert them separately, or to trec")
    if tag is not None and "tag" not in roles:
        roles = (*roles, "tag")
    return Data(tables[0].kind, roles, lambda: together(tables, tag))


class Writer(NamedTuple):
    """A format, called as ``--to`` has it.

    Attributes
    ----------
    name : str
    write : callable
    endings : tuple of str
        Of names of files, beside the name.
    lost : pattern of bytes
        What no run id may hold.
    fills : bool
        Whether rows need not have everything.
    require : callable
        Raises `IrevError` if something is not installed.
    """

    name: str
    write: Callable[[Data], Iterator[bytes]]
    endings: tuple[str, ...] = ()
    lost: re.Pattern[bytes] = TABLE_IDS
    fills: bool = False
    require: Callable[[], object] = bool


def chosen(name: str | None, path: str, option: str = "--to") -> Writer:
    """The format asked for, or the one that the name of the file asks for.

    `option` is what could ask for another, if anything.

    Raises
    ------
    UsageError
        For a name that asks for none.
    IrevError
        When what the format needs is not installed.
    """
    ending = os.path.splitext(path)[1][1:].lower()
    for each in WRITERS.values():
        if each.name == name or (not name and ending in (each.name, *each.endings)):
            each.require()
            return each
    fact = f"the ending of '{path}' is not a known format"
    if packs := {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}.get(ending):
        inner = next((each for each in WRITERS if f".{each}." in path.lower()), "FORMAT")
        both = f"leave out .{ending}, and use {packs}"
        if option:
            both = f"{option} {inner}{' -' * (option == '--to')} | {packs} > {path} does both"
        raise UsageError(f"{fact}, and nothing is compressed here", remedy=both)
    if ending == "json":
        either = f"{option} jsonl, or an ending .jsonl," if option else "an ending .jsonl"
        raise UsageError(fact, remedy=f"{either} writes JSON objects, one on each line")
    known = ", ".join(f".{end}" for each in WRITERS.values() for end in (each.name, *each.endings))
    either = f"choose one with {option}, or an ending" if option else "choose an ending"
    raise UsageError(fact, remedy=f"{either} that has one: {known}")


def tag_held(tag: bytes, target: Writer) -> bytes:
    """A run id for all rows. Raises `UsageError` for one that files of the target do not hold, and one with control
    characters, which a terminal obeys."""
    if tag and b"\n" not in tag and not TABLE_IDS.search(tag) and not target.lost.search(tag):
        return tag
    raise UsageError(
        f"{target.name} cannot store the tag {shown(tag)} of --tag",
        remedy="choose one without blanks and control characters",
    )


def require_held(rows: Rows, role: str, lost: re.Pattern[bytes], target: str, why: str, remedy: str) -> None:
    """Raise `ProblemError` for the first value of a role in which a pattern is found; ids hold no newline."""
    values = rows.columns[role]
    if lost.search(b"\n".join(values)):
        for row, value in enumerate(values):
            if lost.search(value):
                raise rows.problem(row, f"{target} cannot store the {role} {shown(value)}: {why}", remedy)


def require_short(rows: Rows, lines: Sequence[bytes | str], target: str) -> None:
    """Raise `ProblemError` for the first line that is longer than any that is read."""
    if max(map(len, lines), default=0) <= LONGEST:
        return
    for row, line in enumerate(lines):
        if len(line) > LONGEST:
            raise rows.problem(row, f"in {target} its line would be longer than {LONGEST >> 20} MiB", "shorten its ids")


NOT_WHOLE = re.compile(rb"^(?![+-]?[0-9]{1,18}$)", re.MULTILINE)
"""Found in lines that are no whole number of 64 bits."""


def require_table(rows: Rows, target: str) -> None:
    """Raise `ProblemError` for what no table holds: ids that would not be read, ranks that are none."""
    for role in rows.columns:
        if role in TEXTS:
            require_held(rows, role, TABLE_IDS, target, NOT_IN_TABLES, "trec can store control characters")
    if "rank" in rows.columns:
        require_held(
            rows,
            "rank",
            NOT_WHOLE,
            target,
            "it is not a whole number",
            "trec can store any rank; or renumber the ranks",
        )


def utf8(rows: Rows, role: str, target: str) -> list[str]:
    """The values of a role as texts."""
    values = rows.columns[role]
    try:
        return b"\n".join(values).decode().split("\n")
    except UnicodeDecodeError:
        for row, value in enumerate(values):
            try:
                value.decode()
            except UnicodeDecodeError:
                fact = f"{target} cannot store the {role} {shown(value)}: it is not UTF-8"
                raise rows.problem(row, fact, "trec and csv can store any bytes") from None
        raise


# TREC

_BLANKS = b"\0\t\v\f\r "
LOST = re.compile(b"[%b]" % _BLANKS)
"""What would end a field, or be refused in one; but for a newline, which no id holds, and which stands between many."""

_COMMENT = re.compile(rb"^#", re.MULTILINE)


def _trec(data: Data) -> Iterator[bytes]:
    """TREC's formats: ``query 0 document grade`` for judgments, ``query Q0 document rank score tag`` for runs.

    What rows have none of is filled in, as nothing is lost by it: 0 for the second field of judgments; for a rank the
    place of the row among those of its query; for a score the rank with its sign changed, by which it is ordered just
    so; for a run id the name of the file, without folder and suffixes, which is what irev calls it anyway.
    """
    places: Counter[bytes] = Counter()
    begun = False
    for rows in data.rows():
        for role, values in rows.columns.items():
            joined = b"\n" + b"\n".join(values)
            if len(joined.translate(None, _BLANKS)) < len(joined):  # much quicker than a pattern
                require_held(rows, role, LOST, "trec", "there is a blank in it", "csv, jsonl and parquet can store it")
            if role == "query" and b"\n#" in joined:
                comment = "the line would be read as a comment"
                require_held(rows, role, _COMMENT, "trec", comment, "csv, jsonl and parquet can store it")
        lines = _judgments(rows) if data.kind == "qrels" else _results(rows, places)
        require_short(rows, lines, "trec")
        text = b"".join(lines)
        if not begun:
            taken_for = formats.taken_for(RUNS if data.kind == "run" else JUDGMENTS, text[:HEAD])
            if taken_for:
                fact = f"as a TREC file this would be read as {taken_for}, because of its first bytes"
                raise InputError(fact, rows.name, "begin with another query, or convert to csv")
            begun = True
        yield text


def _judgments(rows: Rows) -> list[bytes]:
    columns = rows.columns
    iteration = columns.get("iteration", [b"0"] * rows.number)
    fields = zip(columns["query"], iteration, columns["document"], columns["grade"], strict=True)
    return [b"%b %b %b %b\n" % row for row in fields]


def _results(rows: Rows, places: Counter[bytes]) -> list[bytes]:
    columns = rows.columns
    ranks = columns["rank"] if "rank" in columns else _numbered(columns["query"], places)
    scores = columns.get("score") or [_negated(rank) for rank in ranks]
    tags = columns["tag"] if "tag" in columns else [rows.called] * rows.number
    ends = [b"%b\n" % tag for tag in tags]
    return list(map(b" ".join, zip(columns["query"], repeat(b"Q0"), columns["document"], ranks, scores, ends)))


def _numbered(queries: list[bytes], places: Counter[bytes]) -> list[bytes]:
    found = []
    for query in queries:
        places[query] += 1
        found.append(b"%d" % places[query])
    return found


def _negated(rank: bytes) -> bytes:
    return rank[1:] if rank.startswith(b"-") else b"-" + rank.removeprefix(b"+")


# CSV

_QUOTED = re.compile(rb'[",]')


def _csv(data: Data) -> Iterator[bytes]:
    """CSV with a header of `NAMES`, quoted as in RFC 4180 where that is needed; the columns that the rows have."""
    yield ",".join(NAMES.get(role, role) for role in data.roles).encode() + b"\n"
    for rows in data.rows():
        require_table(rows, "csv")
        columns = (_fields(rows.columns[role]) for role in data.roles)
        lines = [b",".join(row) + b"\n" for row in zip(*columns, strict=True)]
        require_short(rows, lines, "csv")
        yield b"".join(lines)


def _fields(values: list[bytes]) -> list[bytes]:
    if not _QUOTED.search(b"\n".join(values)):
        return values
    return [b'"%b"' % value.replace(b'"', b'""') if _QUOTED.search(value) else value for value in values]


# JSONL

_INFINITE = re.compile(rb"inf", re.IGNORECASE)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PARTS = re.compile(r"([+-]?)0*([0-9]*)\.?([0-9]*)((?:[eE][+-]?[0-9]+)?)")


def _jsonl(data: Data) -> Iterator[bytes]:
    """JSONL: a record in each line, with the fields that CSV has as columns.

    Numbers stand as they were written, but for what JSON has no room for: a plus sign, zeros in front, a point without
    digits on both sides.
    """
    record = "{" + ", ".join(f'"{NAMES.get(role, role)}": %s' for role in data.roles) + "}\n"
    for rows in data.rows():
        require_table(rows, "jsonl")
        lines = [record % row for row in zip(*(_values(rows, role) for role in data.roles), strict=True)]
        encoded = [line.encode() for line in lines]
        require_short(rows, encoded, "jsonl")
        yield b"".join(encoded)


def _values(rows: Rows, role: str) -> list[str]:
    if role in TEXTS:
        written: Callable[[str], str] = json.JSONEncoder(ensure_ascii=False).encode
        return [written(value) for value in utf8(rows, role, "jsonl")]
    require_held(rows, role, _INFINITE, "jsonl", "JSON has no infinity", "trec, csv and parquet can store it")
    return [_number(value.decode()) for value in rows.columns[role]]


def _number(written: str) -> str:
    """The same digits as JSON has them."""
    if _NUMBER.fullmatch(written):
        return written
    sign, whole, decimals, exponent = _PARTS.fullmatch(written).groups()  # type: ignore[union-attr]  # it is a number
    return f"{sign.strip('+')}{whole or '0'}{'.' if decimals else ''}{decimals}{exponent}"


# Parquet


def _parquet(data: Data) -> Iterator[bytes]:
    """Parquet with the columns of CSV, the rows of each chunk of the input as a row group. Needs pyarrow.

    Ids are strings, ranks and whole grades 64-bit integers, scores and other grades doubles: a number that a double
    does not give back is refused. Judgments are read twice, for the type of their grades.
    """
    arrow = require()
    kinds = {"rank": arrow.int64(), "score": arrow.float64()}
    if data.kind == "qrels":
        whole = not any(NOT_WHOLE.search(b"\n".join(rows.columns["grade"])) for rows in data.rows())
        kinds["grade"] = arrow.int64() if whole else arrow.float64()
    types = {role: arrow.string() if role in TEXTS else kinds[role] for role in data.roles}
    schema = arrow.schema([(NAMES.get(role, role), kind) for role, kind in types.items()])
    sink = Sink()
    with arrow.parquet.ParquetWriter(sink, schema) as writer:
        for rows in data.rows():
            require_table(rows, "parquet")
            columns = [_column(arrow, rows, role, kind) for role, kind in types.items()]
            writer.write_batch(arrow.record_batch(columns, schema=schema))
            yield sink.pick()
    yield sink.pick()


def _column(arrow: ModuleType, rows: Rows, role: str, kind: Any) -> Any:
    if role in TEXTS:
        return arrow.array(utf8(rows, role, "parquet"), kind)
    values = rows.columns[role]
    if arrow.types.is_integer(kind):
        return arrow.array([int(value) for value in values], kind)
    numbers = [float(value) for value in values]
    for row, (written, number) in enumerate(zip(values, numbers, strict=True)):
        if repr(number) != written.decode() and not _gives_back(number, written.decode()):
            fact = f"parquet cannot store the {role} {shown(written)}: a double has fewer digits"
            raise rows.problem(row, fact, "trec, csv and jsonl can store it")
    return arrow.array(numbers, kind)


def _gives_back(number: float, written: str) -> bool:
    """Whether the shortest text of a double has the value that was written."""
    try:
        return Decimal(repr(number)) == Decimal(written)
    except ArithmeticError:  # an exponent of many digits
        return False


WRITERS = {
    each.name: each
    for each in (
        Writer("trec", _trec, ("qrels", "run", "txt"), LOST, fills=True),
        Writer("csv", _csv),
        Writer("jsonl", _jsonl, ("ndjson",)),
        Writer("parquet", _parquet, require=require),
    )
}
