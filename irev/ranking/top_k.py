"""What pages of rankings see of a run: the first documents of each query, and the rank of every judged one.

Far less than the run has, and enough to lay several runs beside each other: where a judged document stands is known
whatever its rank, and of all others the first few are. Where these stand in another run, that run is asked once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.reading import flat_ids
from irev.reading.flat_ids import FlatIds


@dataclass(frozen=True, eq=False)
class Firsts:
    """The first documents of the judged queries of a run, or of a part of it, `t` of them.

    Attributes
    ----------
    query : int (t,)
        Index of the query among those that are judged.
    place : int (t,)
        Its rank, 1, 2, 3, … in each query.
    judgment : int (t,)
        Its judgment, as an index into the judgments; -1 for one that they do not name.
    others : FlatIds
        The ids of these last, in their order; what the others are called stands in the judgments.
    """

    query: Ints
    place: Ints
    judgment: Ints
    others: FlatIds

    @classmethod
    def joined(cls, parts: Sequence[Firsts]) -> Firsts:
        """One behind the other."""
        query, place, judgment = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("query", "place", "judgment")
        )
        return cls(query, place, judgment, flat_ids.joined([part.others for part in parts]))


@dataclass(frozen=True, eq=False)
class TopK:
    """The first documents of a run, and where the judged ones stand.

    Attributes
    ----------
    first : Firsts
    rank : int (j,)
        Of each judgment the rank of its document; 0 where it was not retrieved, or was cut off or dropped.
    """

    first: Firsts
    rank: Ints
