"""Groups of judgments within queries, in the order in which trec_eval adds their values: by the bytes of names."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Ints
from irev.reading.judgments import Details


def in_order(details: Details, group: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Groups by query and name, and where the group of each row stands among them.

    Parameters
    ----------
    details : Details
    group, query : int (n,)
        Of each row its group, an index into the groups of the details, and its query, any number.

    Returns
    -------
    wanted : int (g,)
        The groups of the rows, each once.
    place : int (n,)
        Indices into them.
    """
    known = len(details.grouped[1])
    wanted = np.flatnonzero(segments.count(group, known))
    of = np.zeros(known, dtype=np.int64)
    of[group] = query
    wanted = wanted[np.lexsort((details.once(_by_bytes)[wanted], of[wanted]))]
    of[wanted] = np.arange(len(wanted))
    return wanted, of[group]


def _by_bytes(details: Details) -> Ints:
    """(g,) Numbers that rise as the bytes of the names of groups do."""
    groups = details.grouped[1]
    rank = np.empty(len(groups.names), dtype=np.int64)
    rank[sorted(range(len(rank)), key=groups.names.__getitem__)] = np.arange(len(rank))
    return rank[groups.name]
