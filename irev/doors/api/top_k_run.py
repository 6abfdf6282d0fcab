"""Tables of neighbours, as searches for the nearest give them, as a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError
from irev.reading.in_memory.frame_columns import array_of


class Neighbours(NamedTuple):
    """What `top_k` gives: a tuple of three arrays.

    Attributes
    ----------
    queries, documents : array of n
    scores : array of float (n,)
        What orders the documents of a query. Where they are given as judgments, all documents are relevant instead.
    """

    queries: Any
    documents: Any
    scores: Any

    @property
    def grades(self) -> Any:
        """(n,) How many documents of the query stand from each one on, or from the first one with the same score: what
        files of neighbours have as grades."""

        number = np.arange(len(self.scores))
        opens = np.ones((2, len(number)), dtype=bool)  # a query; a score of it
        opens[0, 1:] = np.asarray(self.queries[1:] != self.queries[:-1])
        opens[1, 1:] = opens[0, 1:] | (self.scores[1:] != self.scores[:-1])
        first = np.flatnonzero(opens[0])
        ends = np.append(first[1:], len(number))[np.cumsum(opens[0]) - 1]
        return (ends - np.maximum.accumulate(np.where(opens[1], number, 0))).astype(np.float64)


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
    run : Neighbours, a tuple of three arrays
        Queries, documents and scores, row by row. All arrays may be those of other libraries, such as tensors of torch
        and jax on a processor: numpy asks for them by ``__array__`` or DLPack, and no such library is imported.

    Raises
    ------
    UsageError
        For tables of other shapes, an index that `documents` does not have, and scores that fall in no row and rise in
        some, as distances do.
    """

    table = np.asarray(array_of(indices, "top_k", "indices"))
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise UsageError(
            f"indices are an array of {table.dtype} of shape {table.shape}",
            remedy="expected whole numbers of shape (n, k)",
        )
    found: Any = table >= 0
    if found.all():
        owner, place = np.repeat(np.arange(len(table)), table.shape[1]), np.tile(np.arange(table.shape[1]), len(table))
        found = ...
    else:
        owner, place = np.nonzero(found)
    value: Any = -place
    if scores is not None:
        given = np.asarray(array_of(scores, "top_k", "scores"))
        if given.shape != table.shape:
            raise UsageError(f"scores are of shape {given.shape}, and indices of {table.shape}")
        value = given[found].reshape(-1)
        _require_no_distances(owner, value)
    number = table[found].reshape(-1)
    named = owner if queries is None else _ids(queries, "queries", len(table))[owner]
    if documents is None:
        return Neighbours(named, number, value.astype(np.float64))
    ids = _ids(documents, "documents", None)
    if len(number) and int(number.max()) >= len(ids):
        raise UsageError(f"there is an index {int(number.max())}, but only {len(ids)} documents")
    return Neighbours(named, ids[number], value.astype(np.float64))


def _require_no_distances(owner: Any, value: Any) -> None:
    """Rows stand best first: scores that only rise there would turn every one of them round."""
    within = owner[1:] == owner[:-1]
    rising, falling = ((value[1:] > value[:-1]) & within).any(), ((value[1:] < value[:-1]) & within).any()
    if rising and not falling:
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
