"""Rows that do not fit into memory, brought together by DuckDB, which sorts on disk: the only module that knows it.

Each row has a number of what it is to stand with, and its own number, so that rows that stand together are in the order
in which they came, as they would be in memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator
from types import ModuleType
from typing import Any

from irev.base.exit import at_a_signal
from irev.errors import InputError
from irev.reading import limits

SHARE = 0.25
"""Share of the memory that there is which rows may take before they are sorted on disk: to bring them together takes
about three times as much as they do."""

OWNER, ROW = "owner", "row"
"""The columns of numbers: of what a row stands with, and of the row."""


def most_held() -> int:
    """Bytes of rows that are brought together in memory."""
    return int(limits.available() * SHARE)


def require(name: str, held: int) -> ModuleType:
    """DuckDB; `InputError` about a file where it is not installed."""
    try:
        import duckdb
    except ImportError:
        fact = f"queries are scattered over more than {limits.amount(held)} of rows, and duckdb is needed to sort them"
        remedy = "pip install duckdb, or write the rows of each query together"
        raise InputError(f"{fact} on disk", name, remedy) from None
    module: ModuleType = duckdb
    return module


def brought_together(name: str, batches: Iterator[Any], held: int, rows: int) -> Generator[Any]:
    """Batches of the same columns, by their numbers.

    Parameters
    ----------
    name : str
        What messages call the file.
    batches : iterator of pyarrow.RecordBatch
        With columns `OWNER` and `ROW`. What it raises is raised.
    held : int
        Bytes of memory to sort in.
    rows : int
        Of a batch that is given, at most.

    Raises
    ------
    InputError
        Where DuckDB is not installed, or cannot sort.
    """
    import pyarrow

    duckdb = require(name, held)
    raised: list[Exception] = []

    def watched() -> Iterator[Any]:
        try:
            yield from batches
        except Exception as error:  # which would come back as a text, out of another library
            raised.append(error)
            raise

    first = next(batches, None)
    if first is None:
        return
    folder = tempfile.mkdtemp(prefix="irev-")
    with at_a_signal(lambda: shutil.rmtree(folder, ignore_errors=True)):
        try:
            settings = {"temp_directory": folder, "memory_limit": f"{max(held >> 20, 64)}MiB", "threads": 1}
            with duckdb.connect(":memory:", config=settings) as database:
                given = pyarrow.RecordBatchReader.from_batches(first.schema, _with_first(first, watched()))
                database.register("given", given)
                found = database.sql(f"SELECT * FROM given ORDER BY {OWNER}, {ROW}")
                yield from found.to_arrow_reader(rows)
        except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
            if raised:
                raise raised[0] from None
            reason = str(error).partition("\n")[0]
            raise InputError(f"its rows could not be sorted on disk ({reason})", name, f"is {folder} full?") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _with_first(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others
