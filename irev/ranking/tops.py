"""What pages of rankings see of a run: the first documents of each query, and the rank of every judged one.

Far less than the run has, and enough to lay several runs beside each other: where a judged document stands is known
whatever its rank, and of all others the first few are. Where these stand in another run, that run is asked once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from irev.base.segments import Ints


class Top(NamedTuple):
    """The first documents of one query.

    Attributes
    ----------
    documents : tuple of bytes
        In the order of their ranks, 1, 2, 3, …
    judgment : tuple of int
        Of each its judgment, as an index into the judgments; -1 for one that they do not name.
    """

    documents: tuple[bytes, ...]
    judgment: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tops:
    """The first documents of a run, and where the judged ones stand.

    Attributes
    ----------
    first : mapping of bytes to Top
        For each query of the run.
    rank : int (j,)
        Of each judgment the rank of its document; 0 where it was not retrieved, or was cut off or dropped.
    """

    first: Mapping[bytes, Top]
    rank: Ints
