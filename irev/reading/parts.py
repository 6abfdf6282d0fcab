"""A table in several files: a folder of Parquet files as Spark and its like write them, or a pattern that names some.

Names tell it from a folder of runs: its files are ``part-00000…`` or ``part.0…``, or lie in folders ``topic=101``,
Hive's partitions, which are a column of their own with that text in every row. The parts are read one after the other
in the order of their names. What such programs leave beside the parts is passed over: names that begin with a dot or an
underscore. A folder of a table whose log says which of its files still count is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from glob import glob
from typing import IO, NamedTuple
from urllib.parse import unquote_to_bytes

from irev.base.errors import InputError, Problem, UnreachableError, shown
from irev.base.text import decoded
from irev.reading.open_files import Digest, changed, is_url

MARK = b"PAR1"
"""How a Parquet file begins."""

NULL = "__HIVE_DEFAULT_PARTITION__"
"""How a partition says that its column has no value."""

LOGS = {"_delta_log": "Delta", "_spark_metadata": "Spark's streaming", "metadata": "Iceberg", ".hoodie": "Hudi"}
"""Folders that say which files of a table count, by whose they are."""

_PARTITION = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_PART = re.compile(r"part[-.][0-9]")

EXPECTED = "several Parquet files are one table if they are named part-…, or lie in folders column=value"


class TablePart(NamedTuple):
    """A file of a table.

    Attributes
    ----------
    path : str
    values : dict of str to (str or None)
        The columns that its folders say, with the value of all its rows; None for null.
    state : (int, int)
        Bytes, and when it was changed.
    """

    path: str
    values: dict[str, str | None]
    state: tuple[int, int]


def is_pattern(path: str) -> bool:
    """Whether a path is the name of no file, and may name several."""
    return any(mark in path for mark in "*?[") and not is_url(path) and not os.path.lexists(path)


def is_table(path: str) -> bool:
    """Return True if a folder or a pattern is one table of Parquet files, by their names.

    Raises
    ------
    InputError
        Where this is true of some of its files only.
    """
    if os.path.isdir(path):
        if _PARTITION.fullmatch(os.path.basename(path.rstrip(os.sep))):
            return several(path, path, None) is not None
        try:
            inside = {name: os.path.join(path, name) for name in sorted(os.listdir(path)) if not _is_beside(name)}
        except OSError:
            return False  # reading it says why
        of_table = {
            name: (_PARTITION if os.path.isdir(each) else _PART).match(name) is not None
            for name, each in inside.items()
        }
    elif is_pattern(path):
        found = [each for each in _distinct(glob(path, recursive=True)) if not _is_beside(os.path.basename(each))]
        inside = {each: each for each in sorted(found)}
        of_table = {
            each: _PART.match(os.path.basename(each)) is not None or bool(_values(each, path)) for each in found
        }
    else:
        return False
    part = next((name for name, found in of_table.items() if found), None)
    if part is None:
        return False
    first = inside[part]
    if several(first, first, None) is None if os.path.isdir(first) else not _begins_as_parquet(first):
        return False  # texts are a run each
    if other := next((name for name, found in of_table.items() if not found), None):
        named = [shown(os.fsencode(name)) for name in (part, other)]
        fact = f"{named[0]} is named as a part of one table, and {named[1]} is not"
        raise InputError(fact, path, "give runs one by one; or move what is no part away")
    return True


def parts_of(path: str) -> list[TablePart]:
    """The parts that a folder has or a pattern names, in the order of their names.

    Raises
    ------
    InputError
        For a folder in a folder that is no partition; for partitions that differ in their columns; for a table whose
        log says which files count; for what is no file or cannot be read.
    """
    if os.path.isdir(path):
        found = list(_inside(path, {}))
    else:
        found = []
        for each in sorted(_distinct(glob(path, recursive=True)), key=_in_order):
            if not _is_beside(os.path.basename(each)):
                values = _values(each, path)
                found += _inside(each, values) if os.path.isdir(each) else [_part(each, values)]
    for part in found:
        if part.values.keys() != found[0].values.keys():
            fact = f"its partitions have other columns than those of {shown(os.fsencode(found[0].path))}"
            raise InputError(fact, part.path, "expected the same folders `column=value` around all parts")
    return found


def _inside(folder: str, values: dict[str, str | None]) -> Iterator[TablePart]:
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise UnreachableError(f"cannot be read ({error.strerror or error})", folder) from None
    for name in sorted(names, key=_in_order):
        path = os.path.join(folder, name)
        if name in LOGS and os.path.isdir(path):
            fact = f"this is a table of {LOGS[name]}, so some of its files may be deleted rows"
            raise InputError(fact, folder, "export it as plain Parquet files")
        if name == "_temporary" and os.path.isdir(path):
            raise InputError("this folder is still being written, or writing was interrupted", folder, f"see {path}")
        if _is_beside(name):
            continue
        if os.path.isdir(path) and _PARTITION.fullmatch(name):
            yield from _inside(path, _with(values, name, path))
        elif os.path.isdir(path):
            fact = f"there is a folder in it, {shown(os.fsencode(path))}"
            raise InputError(fact, folder, "expected Parquet files, and folders `column=value` with such files")
        else:
            yield _part(path, values)


def _distinct(paths: list[str]) -> list[str]:
    """Paths that a pattern matches, without folders where it matches what is in them, as ``**`` does."""
    folders = {os.path.dirname(path.rstrip(os.sep)) for path in paths}
    return [path for path in paths if path.rstrip(os.sep) not in folders]


def _with(values: dict[str, str | None], name: str, path: str) -> dict[str, str | None]:
    """The columns of a folder, and that of a folder `name` in it, if it is a partition."""
    partition = _PARTITION.fullmatch(name)
    if partition is None:
        return values
    column, value = (decoded(unquote_to_bytes(os.fsencode(each))) for each in partition.groups())
    if column in values:
        raise InputError(f"there are 2 columns {column!r}", path, "rename one")
    return {**values, column: None if value == NULL else value}


def _values(path: str, pattern: str) -> dict[str, str | None]:
    """The columns that the folders say which a pattern leaves open."""
    values: dict[str, str | None] = {}
    fixed = next(place for place, name in enumerate(pattern.split(os.sep)) if any(mark in name for mark in "*?["))
    folders = path.split(os.sep)[fixed:]
    for name in folders if os.path.isdir(path) else folders[:-1]:
        values = _with(values, name, path)
    return values


def _is_beside(name: str) -> bool:
    return name.startswith((".", "_"))


def _in_order(name: str) -> list[bytes]:
    return os.fsencode(name).split(os.fsencode(os.sep))


def _part(path: str, values: dict[str, str | None]) -> TablePart:
    try:
        status = os.stat(path)
    except OSError as error:  # such as a link that leads nowhere
        raise UnreachableError(f"cannot be opened ({error.strerror or error})", path) from None
    if not stat.S_ISREG(status.st_mode):  # to open a pipe is to wait for whoever writes to it
        raise InputError("this is not a file, but a pipe or a device", path, "take it out of there")
    return TablePart(path, values, (status.st_size, status.st_mtime_ns))


def several(path: str, name: str, watch: Callable[[int], None] | None) -> TableParts | None:
    """The parts of a folder or pattern; None where there are none of Parquet."""
    if not (os.path.isdir(path) or is_pattern(path)):
        return None
    refused: InputError | None = None
    found: list[TablePart] = []
    try:
        found = parts_of(path)
        first = next((part.path for part in found if _begins_as_parquet(part.path)), None)
    except InputError as error:
        refused, first = error, None
    if refused is None and first is None:
        return None
    return TableParts(path, name, found, first or os.devnull, refused, watch)


def _begins_as_parquet(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(len(MARK)) == MARK
    except OSError as error:
        raise UnreachableError(f"cannot be opened ({error.strerror or error})", path) from None


class TableParts:
    """The files of a table, to be opened one after the other.

    Attributes
    ----------
    files : list of TablePart
    first : str
        The path of the first of Parquet, which says what they all are; of an empty file where they are refused.
    passed : int
        Bytes of those that were read.
    refused : InputError or None
        Why they are no table.
    """

    def __init__(
        self,
        path: str,
        name: str,
        files: list[TablePart],
        first: str,
        refused: InputError | None,
        watch: Callable[[int], None] | None,
    ) -> None:
        self.files = files
        self.first = first
        self.passed = 0
        self._rows: dict[int, str] = {}
        self.refused = refused
        self._path, self._name, self._watch = path, name, watch

    @property
    def size(self) -> int:
        """Bytes of all."""
        return sum(part.state[0] for part in self.files)

    def require(self, as_table: bool = True) -> None:
        """Raise `InputError` unless the files are one table, and that can be read here."""
        if as_table and is_table(self._path):
            if self.refused is not None:
                raise self.refused
            return
        hint = EXPECTED if as_table and self.refused is None else ""
        if os.path.isdir(self._path):
            raise UnreachableError("this is a directory", self._name, f"expected a file{hint and '; '}{hint}")
        raise UnreachableError("there is no such file", self._name, hint)

    def require_one(self, names: list[str]) -> None:
        """Raise `InputError` where files may be runs of their own, because no column that is read tells them apart."""
        columns = self.files[0].values
        for column in columns:
            values = {part.values[column]: part for part in self.files}
            if column not in names and len(values) > 1:
                first, other, *_ = (f"{column}={NULL if value is None else value}" for value in values)
                both = f"{shown(os.fsencode(first))} and {shown(os.fsencode(other))}"
                fact = f"the folders {both} may be two runs or one, since no column {column!r} is read"
                raise InputError(fact, self._name, f"give each folder as a run; or write one run without {column!r}")
        loose = [part for part in self.files if not _PART.match(os.path.basename(part.path))]
        if loose and len(self.files) > 1 and not columns.keys() & set(names):
            fact = f"{shown(os.fsencode(os.path.basename(loose[0].path)))} may be a run or a part of one"
            raise InputError(fact, self._name, "give runs one by one; or name all parts part-…")

    def each(self) -> Generator[tuple[TablePart, IO[bytes]]]:
        """Each with its file, which is open until the next is asked for. Raises `InputError` for one that is none."""
        self._count(-self.passed)
        for part in self.files:
            with self._opened(part) as file:
                yield part, file
            self._count(part.state[0])

    def _count(self, size: int) -> None:
        self.passed += size
        if self._watch is not None and size:
            self._watch(size)

    def _opened(self, part: TablePart) -> IO[bytes]:
        try:
            file = open(part.path, "rb")  # noqa: SIM115 - the caller closes it
        except OSError as error:
            raise UnreachableError(f"cannot be opened ({error.strerror or error})", part.path) from None
        status = os.fstat(file.fileno())
        if (status.st_size, status.st_mtime_ns) != part.state:
            file.close()
            raise changed(self._name)
        mark = file.read(len(MARK))
        if mark != MARK:
            file.close()
            raise InputError("this is not a Parquet file", part.path, "remove it, or give the Parquet files")
        file.seek(0)
        return file

    def begin(self, part: TablePart, row: int) -> None:
        """Say that so many rows stand before a part."""
        self._rows[row] = part.path

    def located(self, problem: Problem) -> tuple[str, Problem]:
        """The file of a problem whose rows were counted through all parts, and the problem with rows of that file."""
        begin, file = self._place(problem.line)
        moved = replace(problem, line=problem.line - begin, first=None)
        if problem.first is None:
            return file, moved
        first, other = self._place(problem.first)
        if other == file:
            return file, replace(moved, first=problem.first - first)
        return file, replace(moved, fact=f"{problem.fact} (first in row {problem.first - first} of {other})")

    def _place(self, row: int) -> tuple[int, str]:
        begin = max((before for before in self._rows if before < row), default=0)
        return begin, self._rows.get(begin, self._name)

    def check_unchanged(self) -> None:
        """Raise `InputError` where there are other parts, or others than there were."""
        try:
            same = parts_of(self._path) == self.files
        except OSError:
            same = False
        if not same:
            raise changed(self._name)

    def digest(self) -> Digest:
        """What the parts are: of their paths from here, and their bytes, in their order."""
        found, size, lines = hashlib.sha256(), 0, 0
        folder = self._path if os.path.isdir(self._path) else os.path.dirname(self._path)
        for part, file in self.each():
            name = os.fsencode(os.path.relpath(part.path, folder or "."))
            found.update(b"%d %d " % (len(name), part.state[0]) + name)
            while piece := file.read(1 << 20):
                found.update(piece)
                size += len(piece)
                lines += piece.count(b"\n")
        return Digest(found.hexdigest(), size, lines)
