"""Values that stand beside queries, brought to other queries: the same ones in another order, fewer, or more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from irev.base.segments import Floats, N


def values_on(
    values: npt.NDArray[N], queries: Sequence[bytes], wanted: Sequence[bytes], absent: float | None = None
) -> npt.NDArray[N]:
    """The values of the wanted queries.

    Parameters
    ----------
    values : (q,)
    queries : sequence of bytes, length q
        What they are the values of, each once, in whatever order.
    wanted : sequence of bytes, length w
    absent : number, optional
        Counts as the value of a query that has none.

    Returns
    -------
    values : (w,)
        The array itself where the queries are the same.

    Raises
    ------
    KeyError
        For a wanted query without a value, unless `absent` counts as one.
    """
    if wanted == queries:
        return values
    places = {query: place for place, query in enumerate(queries)}
    if absent is None:
        return values[[places[query] for query in wanted]]
    padded = np.append(values, np.array([absent], dtype=values.dtype))
    return padded[[places.get(query, len(values)) for query in wanted]]


def difference(after: Floats, before: Floats) -> Floats:
    """After less before; 0 where both are the same infinity."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(after == before, 0.0, after - before)
