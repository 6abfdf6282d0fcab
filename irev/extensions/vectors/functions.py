"""Arrays in memory: `top_k` makes a run, or judgments, of the neighbours that a search found for each query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from irev.base.errors import InputError, UsageError
from irev.base.records import cached_property
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.extensions.vectors.files import NeighbourJudgments, grades_of_neighbours, in_memory
from irev.reading import ids
from irev.reading import in_memory as reading
from irev.reading.in_memory import OwnRows, QueryRows, gathered, in_pieces
from irev.reading.in_memory.frame_columns import array_of, id_column, ids_of
from irev.reading.judgments import Judgments
from irev.reading.written_ids import UnusableId


def top_k(indices: Any, scores: Any = None, *, queries: Any = None, documents: Any = None) -> Neighbours:
    """Make a run from the k documents that were found for each query, best first: three arrays for `evaluate`.

    Given as judgments, as the true neighbours that an approximate search should find, all of them are relevant, and a
    nearer one has a higher grade, as in a file of neighbours: the last one of a row has 1, the one before it 2, and so
    on. Those of the same score have the same grade.

    Parameters
    ----------
    indices : array of int (n, k)
        A row for each query: where each document stands in `documents`. A negative number, as libraries put where they
        found fewer than k, is no document.
    scores : array of float (n, k), optional
        What orders the documents of a row, highest first. Unless given they stand in order. Distances are given with
        their sign changed.
    queries : sequence of n ids, optional
        Unless given, the ids of queries are 0 to n - 1.
    documents : sequence of ids, optional
        Unless given, the ids of documents are the numbers in `indices`.

    Returns
    -------
    run : Neighbours, three arrays
        Queries, documents and scores, row by row, made when you ask for them. All arrays may be those of other
        libraries, such as tensors of torch and jax on a processor: numpy asks for them by ``__array__`` or DLPack, and
        no such library is imported.

    Raises
    ------
    UsageError
        For tables of other shapes, an index that `documents` does not have, and scores that fall in no row and rise in
        some, as distances do.
    """

    table = _table(indices, "indices")
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise UsageError(
            f"indices are an array of {table.dtype} of shape {table.shape}",
            remedy="expected whole numbers of shape (n, k)",
        )
    given = None
    if scores is not None:
        given = _table(scores, "scores")
        if given.shape != table.shape:
            raise UsageError(f"scores are of shape {given.shape}, and indices of {table.shape}")
        _require_no_distances(table >= 0, given)
    names = None if queries is None else _ids(queries, "queries", len(table))
    called = None if documents is None else _ids(documents, "documents", None)
    most = int(table.max(initial=-1))
    if called is not None and most >= len(called):
        raise UsageError(f"there is an index {most}, but only {len(called)} documents")
    return Neighbours(table, given, names, called)


def _table(given: Any, what: str) -> Any:
    try:
        return np.asarray(array_of(given, "top_k", what))
    except ValueError:
        remedy = "give each row k numbers: a negative index stands for no document"
        raise UsageError(f"{what} have rows of different lengths", remedy=remedy) from None


def _require_no_distances(there: Any, scores: Any) -> None:
    """Rows stand best first: scores that only rise there would turn every one of them round."""
    both = there[:, 1:] & there[:, :-1]
    before, after = scores[:, :-1], scores[:, 1:]
    if bool(((after > before) & both).any()) and not ((after < before) & both).any():
        fact = "scores rise in every row, as distances do, but the highest score must be the best"
        raise UsageError(fact, remedy="give negative distances, or leave out scores")


def _ids(given: Any, what: str, count: int | None) -> Any:
    if isinstance(given, list | tuple) and given and isinstance(given[0], str | bytes):
        ids = np.empty(len(given), dtype=object)  # numpy would cut NULs off, and make one type of several
        ids[:] = given
    else:
        ids = np.asarray(array_of(given, "top_k", what))
    if ids.ndim != 1 or (count is not None and len(ids) != count):
        expected = "" if count is None else f" of {count}"
        raise UsageError(f"{what} are of shape {ids.shape}", remedy=f"expected a list{expected}")
    return ids


class Neighbours(OwnRows):
    """What `irev.top_k` gives: three arrays, with a row for each document of each query. They are made when somebody
    asks for them: tables are evaluated as they are.

    Attributes
    ----------
    queries, documents : array of n
    scores : array of float (n,)
        What orders the documents of a query. Where they are given as judgments, all documents are relevant instead.
    """

    def __init__(self, table: Any, given: Any = None, names: Any = None, called: Any = None) -> None:
        """Keep a table of numbers, less than 0 for none, of the same shape its scores, the ids of its rows, and the
        ids that its numbers stand for."""
        self.table, self.given, self.names, self.called = table, given, names, called

    @cached_property
    def there(self) -> Any:
        """(rows, k) Where the table has a document; ``...`` where it has one everywhere."""
        found: Any = self.table >= 0
        return ... if found.all() else found

    @cached_property
    def counts(self) -> Ints:
        """(rows,) How many documents each query has."""
        rows, width = self.table.shape
        return np.full(rows, width) if self.there is ... else np.count_nonzero(self.there, axis=1)

    @cached_property
    def queries(self) -> Any:
        """The query of each document."""
        names = np.arange(len(self.table)) if self.names is None else self.names
        return np.repeat(names, self.counts)

    @cached_property
    def documents(self) -> Any:
        """The documents of all queries."""
        numbers = self.table[self.there].reshape(-1)
        return numbers if self.called is None else self.called[numbers]

    @cached_property
    def scores(self) -> Floats:
        """The scores of all documents; without any, places with their sign changed."""
        scores = -np.arange(self.table.shape[1]) if self.given is None else self.given
        found: Floats = np.broadcast_to(scores, self.table.shape)[self.there].reshape(-1).astype(np.float64)
        return found

    @property
    def grades(self) -> Floats:
        """(n,) How many documents of the query stand from each one on, or from the first one with the same score: what
        files of neighbours have as grades."""
        found: Floats = grades_of_neighbours(self.table, self.given)[self.there].reshape(-1).astype(np.float64)
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter((self.queries, self.documents, self.scores))

    def __getitem__(self, place: Any) -> Any:
        return (self.queries, self.documents, self.scores)[place]

    def __len__(self) -> int:
        return 3

    def as_numbers(self) -> Any:
        """The table with the ids of documents, where queries are called by their rows and documents by whole numbers;
        None elsewhere."""
        if self.names is not None or not len(self.table):
            return None
        if self.called is None:
            return self.table
        if self.called.dtype.kind not in "iu" or int(self.called.min(initial=0)) < 0:
            return None
        return self.called[self.table] if self.there is ... else np.where(self.there, self.called[self.table], -1)

    def rows(self, role: str, name: str) -> QueryRows:
        """The rows by query; a query without documents is there and has none."""
        names = id_column(np.arange(len(self.table)) if self.names is None else self.names, name, "queries")
        values = self.grades if role == "grade" else self.scores
        document = id_column(self.documents, name, "documents")
        try:
            queries = ids_of(names)
        except UnusableId as fault:
            raise InputError(f"the query id of row {fault.row} {fault.fact}", name) from None
        if len(ids.grouped(queries.text, queries.start, queries.length)[1]) < len(queries):
            return gathered(id_column(self.queries, name, "queries"), document, values, role, name)
        return in_pieces(list(queries), np.append(0, np.cumsum(self.counts)), document, values, role, name)

    def judged(self, settings: Settings) -> Judgments:
        """The judgments that they are: every document is relevant."""
        arrays, whole = in_memory(self, "qrels"), partial(_as_columns, self, settings)
        return whole() if arrays is None else NeighbourJudgments.in_memory(arrays, whole)


def _as_columns(data: Neighbours, settings: Settings) -> Judgments:
    return replace(reading.judgments(data, settings), neighbours=True)
