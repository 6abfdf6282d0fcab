"""Arrays of true and of found neighbours to rankings, some queries at a time: no id becomes text.

The numbers are those that `irev.ranking.ranking` makes of the same rows as lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.base.errors import Problem
from irev.base.records import dataclass
from irev.base.segments import Array, Bools, Floats, Ints
from irev.base.settings import Settings
from irev.ranking.ranked import Ranked
from irev.reading.fields import JudgmentKind
from irev.reading.flat_ids import FlatIds
from irev.reading.formats.neighbours import grades, repeated
from irev.reading.judgments import Details

if TYPE_CHECKING:
    from irev.reading.formats.neighbours import NeighbourJudgments


@dataclass(frozen=True, eq=False)
class Distances(Details):
    """Distances of neighbours; the fields of its class are empty.

    Attributes
    ----------
    true, found : float (n, K), (n, k)
        Of the true neighbours and of those that were found, in the order of the rows, without what is none: infinite
        ones stand at the end. Similarities have their sign changed.
    """

    true: Any = None
    found: Any = None


def distances_of(truth: Array, found: Array, of_truth: Array, of_found: Array, falling: bool) -> Distances:
    """The distances of some rows of both, given their ids, and whether these are similarities, which fall."""
    tables = []
    for ids, given in ((truth, of_truth), (found, of_found)):
        there = ids >= 0
        table = np.where(there, -given.astype(np.float64) if falling else given, np.inf)
        tables.append(table if there.all() else np.take_along_axis(table, np.argsort(~there, axis=1, kind="stable"), 1))
    empty = np.empty(0, dtype=np.int64)
    return Distances(
        JudgmentKind("distances"), empty, np.empty(0), empty, FlatIds.of(()), true=tables[0], found=tables[1]
    )


def by_score(found: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Some rows in the order of their scores, highest first, equal ones by the digits of their ids as bytes, highest
    first, what is none at the end; and where in a row each score begins."""
    falls = (scores[:, 1:] < scores[:, :-1]) | (found[:, 1:] < 0)
    falls &= (found[:, :-1] >= 0) | (found[:, 1:] < 0)
    rows = np.flatnonzero(~falls.all(axis=1))
    opens = np.ones(found.shape, dtype=bool)
    if len(rows):
        ids, given = found[rows].astype(np.int64), scores[rows].astype(np.float64)
        digits = np.searchsorted(10 ** np.arange(1, 18), ids, "right")
        aligned = ids * 10 ** (digits.max(initial=0) - digits)
        order = np.lexsort((-digits, -aligned, -given, ids < 0), axis=1)
        found, scores = found.copy(), scores.copy()
        for table in (found, scores):
            table[rows] = np.take_along_axis(table[rows], order, axis=1)
        opens[:, 1:] = (scores[:, 1:] != scores[:, :-1]) | (found[:, 1:] < 0)
    return found, scores, opens


class RepeatedId(NamedTuple):
    """An id that occurs twice in a row.

    Attributes
    ----------
    judged : bool
        Whether in one of true neighbours.
    problem : Problem
    """

    judged: bool
    problem: Problem


class NeighbourHits(NamedTuple):
    """Found neighbours that are true ones, h of them, by row and then by rank.

    Attributes
    ----------
    owner : int (h,)
        The row of each.
    column, place : int (h,)
        Where it stands among the found ones and among the true ones of that row, counted from 0.
    """

    owner: Ints
    column: Ints
    place: Ints


def hits(truth: Array, found: Array, begin: int) -> NeighbourHits | RepeatedId:
    """The found neighbours that are true ones, or the first id that occurs twice in a row.

    Parameters
    ----------
    truth : int (n, K)
    found : int (n, k)
        Less than 0 for none.
    begin : int
        How many rows stand before these.
    """
    (rows, width), most = truth.shape, found.shape[1]
    bits = max(width, most).bit_length() + 1
    none = max(int(truth.max()), int(found.max()), 0) + 1
    # All ids of a row are sorted together, with where they stand and of which table they are in their lowest bits:
    # what was found stands behind the same id of the truth. The fewer bytes, the faster.
    kind: Any = np.uint32 if (none + 2) << bits <= 1 << 32 else np.uint64
    keys = np.empty((rows, width + most), dtype=kind)
    half, low = 1 << (bits - 1), bits - 1
    for table, here, absent, flag in (
        (truth, keys[:, :width], none, 0),
        (found, keys[:, width:], none + 1, half),
    ):
        here[:] = table
        if int(table.min()) < 0:
            here[table < 0] = absent
        here <<= kind(bits)
        here |= np.arange(flag, flag + table.shape[1], dtype=kind)
    keys.sort(axis=1)
    before, after = keys[:, :-1], keys[:, 1:]
    apart: Array = before ^ after
    again = apart < half
    if again.any() and (again := again & (after < none << bits)).any():
        row, column = divmod(int(again.argmax()), again.shape[1])
        key = int(keys[row, column])
        return RepeatedId(not key & half, repeated(begin + row, key >> bits))
    # Sorted once more, by where they were found; behind that stands where in the truth. All else comes last.
    np.minimum(apart, 1 << bits, out=apart)
    apart &= kind(1 << bits)
    if none << bits <= int(keys[:, -1].max()):
        apart[after >= none << bits] = 1 << bits
    after &= kind(half - 1)
    apart |= after
    apart <<= kind(low)
    before &= kind(half - 1)
    apart |= before
    small: Any = np.uint16 if bits + low < 16 else np.uint32 if bits + low < 32 else np.uint64
    pairs = apart.astype(small)
    pairs.sort(axis=1)
    same = pairs < 1 << bits + low
    pair = pairs[same].astype(np.int64)
    owner = np.repeat(np.arange(rows), np.count_nonzero(same, axis=1))
    return NeighbourHits(owner, pair >> low, pair & (half - 1))


@lru_cache(maxsize=2)
def _all_judged(rows: int, width: int) -> tuple[Ints, Floats]:
    """Query and grade of every judgment, where each query has as many neighbours; of most parts it is the same."""
    return np.repeat(np.arange(rows), width), np.tile(np.arange(width, 0, -1.0), rows)


def ranked(
    truth: Array,
    distances: Array | None,
    found: Array,
    hits: NeighbourHits,
    queries: Sequence[bytes],
    missing: Bools,
    tag: bytes,
    judgments: NeighbourJudgments,
    settings: Settings,
    known: Distances | None,
    opens: Bools | None = None,
) -> Ranked:
    """The rankings of some queries.

    Parameters
    ----------
    truth, distances
        As `irev.reading.formats.neighbours.grades` takes them.
    found, hits
        As `hits` takes and gives them.
    queries : sequence of n ids
    missing : bool (n,)
        Queries that the run does not have.
    tag : bytes
        The run id.
    judgments : NeighbourJudgments
        What is true of all rows.
    settings : Settings
    known : Distances or None
        Where both files have distances.
    opens : bool (n, k), optional
        Where in a row each score begins, as `by_score` gives it. Otherwise no two results are tied.
    """
    width, there = truth.shape[1], found >= 0
    grade: Array
    rank: Array = hits.column + 1
    if not there.all():
        rank = np.cumsum(there, axis=1)[hits.owner, hits.column]
    tie_first = tie_last = rank
    if opens is not None and not opens.all():
        places = np.arange(found.shape[1])
        first = np.maximum.accumulate(np.where(opens, places, 0), axis=1)
        closes = np.append(opens[:, 1:], np.ones((len(opens), 1), dtype=bool), axis=1)
        last = np.minimum.accumulate(np.where(closes, places, len(places))[:, ::-1], axis=1)[:, ::-1]
        tie_first, tie_last = (each[hits.owner, hits.column] + 1 for each in (first, last))
    if distances is None and int(truth.min()) >= 0:
        grade = width - hits.place
        judged_owner, judged_grade = _all_judged(len(truth), width)
    else:
        of_all = grades(truth, distances)
        grade = of_all[hits.owner, hits.place]
        judged: Ints = np.flatnonzero(of_all)
        judged_owner, judged_grade = judged // width, of_all.reshape(-1)[judged].astype(np.float64)
    ranked = Ranked(
        settings=settings.uncut,
        queries=queries,
        missing=missing,
        retrieved=np.count_nonzero(there, axis=1),
        owner=hits.owner,
        rank=rank,
        grade=grade.astype(np.float64),
        tie_first=tie_first,
        tie_last=tie_last,
        judged_owner=judged_owner,
        judged_grade=judged_grade,
        considered=len(queries),
        positive_judgments=judgments.positive,
        highest_grade=judgments.highest,
        tag=tag,
        details=known,
    )
    return ranked.at(depth=settings.depth, judged_only=settings.judged_only)
