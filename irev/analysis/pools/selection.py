"""What a way of choosing takes of the documents of one query."""

from __future__ import annotations

from typing import NamedTuple

from irev.base.segments import Floats, Ints


class Selection(NamedTuple):
    """The documents of one query that make its pool, `c` of them.

    Attributes
    ----------
    documents : int (c,)
        Their places among the candidates, best first; those that are judged already stand among them.
    value : float (c,) or None
        What they were chosen by, where that is more than ranks.
    stratum : int (c,) or None
        Counting from 1, of a sample.
    """

    documents: Ints
    value: Floats | None = None
    stratum: Ints | None = None
