"""Files of judgments and runs that are written: a module for each format, with a function ``write(data)``.

It gives the bytes piece by piece, and raises `ProblemError` with code E130 for the first row of which its format would
lose anything: nothing is rounded, replaced or left out. A new format is a new module in this folder, called as ``--to``
has it. Beside its function may stand `ENDINGS`, of names of files, `LOST`, what no run id holds, and a function
``require()``, if it needs what may not be installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.base.registry import module_of, names_in
from irev.reading.columns import TEXTS
from irev.reading.limits import LONGEST

if TYPE_CHECKING:  # names alone are wanted when the command line is read
    from irev.reading.rows import Kind, RowFile, Rows

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
    from irev.reading.rows import together

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


def writers() -> list[str]:
    """The names that ``--to`` takes, without importing any of them; TREC's first."""
    return sorted(names_in(__name__), key=lambda name: (name != "trec", name))


def chosen(name: str | None, path: str, option: str = "--to") -> ModuleType:
    """The module of the format asked for, or of the one that the name of the file asks for.

    `option` is what could ask for another, if anything.

    Raises
    ------
    UsageError
        For a name that asks for none.
    IrevError
        When what the format needs is not installed.
    """
    modules = {each: module_of(__name__, each) for each in ([name] if name else writers())}
    ending = os.path.splitext(path)[1][1:].lower()
    for each, module in modules.items():
        if name or ending in (each, *getattr(module, "ENDINGS", ())):
            if hasattr(module, "require"):
                module.require()
            return module
    fact = f"the ending of '{path}' is not a known format"
    if packs := {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}.get(ending):
        inner = next((each for each in writers() if f".{each}." in path.lower()), "FORMAT")
        both = f"leave out .{ending}, and use {packs}"
        if option:
            both = f"{option} {inner}{' -' * (option == '--to')} | {packs} > {path} does both"
        raise UsageError(f"{fact}, and nothing is compressed here", remedy=both)
    if ending == "json":
        either = f"{option} jsonl, or an ending .jsonl," if option else "an ending .jsonl"
        raise UsageError(fact, remedy=f"{either} writes JSON objects, one on each line")
    known = ", ".join(f".{end}" for each, module in modules.items() for end in (each, *getattr(module, "ENDINGS", ())))
    either = f"choose one with {option}, or an ending" if option else "choose an ending"
    raise UsageError(fact, remedy=f"{either} that has one: {known}")


def tag_held(tag: bytes, target: ModuleType) -> bytes:
    """A run id for all rows. Raises `UsageError` for one that files of the target do not hold, and one with control
    characters, which a terminal obeys."""
    if tag and b"\n" not in tag and not TABLE_IDS.search(tag) and not getattr(target, "LOST", TABLE_IDS).search(tag):
        return tag
    name = target.__name__.rpartition(".")[2]
    raise UsageError(
        f"{name} cannot store the tag {shown(tag)} of --tag", remedy="choose one without blanks and control characters"
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
