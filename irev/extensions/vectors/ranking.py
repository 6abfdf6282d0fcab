"""Arrays of true and of found neighbours to rankings, some queries at a time: no id becomes text.

The numbers are those that `irev.ranking.ranking` makes of the same rows as lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import Problem
from irev.base.records import dataclass
from irev.base.segments import Array, Bools, Floats, Ints
from irev.base.settings import Settings
from irev.extensions.vectors.files import NeighbourJudgments, grades_of_neighbours, repeated
from irev.ranking.ranked import Ranked
from irev.reading.fields import JudgmentKind
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Details


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


_NEAR = 0.01
"""By this share of the distance of the last true neighbour of a row may distances of the same vectors differ, as they
are computed in other ways."""


def impossible(
    truth: Array, found: Array, hits: NeighbourHits, of_truth: Array, of_found: Array, falling: bool, begin: int
) -> Problem | None:
    """The first result whose distance contradicts the truth: that of a true neighbour which has another one there, or
    of another vector that is nearer than all true neighbours allow; given the distances of both."""
    sign = -1.0 if falling else 1.0
    true, near = of_truth * sign, of_found * sign
    last = np.where(truth >= 0, true, -np.inf).max(axis=1)
    slack = _NEAR * np.maximum(np.abs(last), np.abs(np.where(truth >= 0, true, 0)).max(axis=1))
    others: Bools = np.asarray(found >= 0)
    others[hits.owner, hits.column] = False
    others &= (truth >= 0).all(axis=1, keepdims=True)  # a shorter row is one of which a filter leaves no more
    wrong: Bools = np.zeros(found.shape, dtype=bool)
    np.less(near, (last - slack)[:, None], out=wrong, where=others)
    other, own = true[hits.owner, hits.place], near[hits.owner, hits.column]
    wrong[hits.owner, hits.column] = np.abs(own - other) > slack[hits.owner]
    if not wrong.any():
        return None
    row, column = divmod(int(wrong.argmax()), wrong.shape[1])
    called, at = int(found[row, column]), f"{of_found[row, column]:.6g}"
    if others[row, column]:
        kind = "the similarity" if falling else "the distance"
        which = f"the {truth.shape[1]} nearest, of which the last has {of_truth[row, -1]:.6g}"
        fact = f"{kind} {at} of id {called} would make it one of {which}, and the judgments do not name it"
        remedy = "are these ids of the same vectors, and distances of the same kind?"
    else:
        judged = float(of_truth[row, hits.place[(hits.owner == row) & (hits.column == column)][0]])
        fact = f"the id {called} has the distance {at} here and {judged:.6g} in the judgments"
        own, other = np.abs(own), np.abs(other)
        squares, roots = (bool(np.allclose(a, b * b, rtol=_NEAR)) for a, b in ((own, other), (other, own)))
        remedy = "compute both in the same way"
        if squares or roots:
            remedy = f"distances here are the {'squares' if squares else 'roots'} of those there; {remedy}"
    return Problem(begin + row + 1, "E113", f"{fact} (query {begin + row})", remedy)


_FEW, _MANY = 0.05, 0.2
"""Shares of results that are true neighbours: below the one something may be wrong, above the other it was found."""


def misplaced(truth: Array, found: Array, hits: NeighbourHits) -> str:
    """Why few of these results are true neighbours: ids from 1 on where others are from 0 on, rows of other queries, or
    ids of another base. Empty where many are, and where no reason is found."""
    size = np.count_nonzero(found >= 0)
    if not size or len(hits.owner) >= _FEW * size:
        return ""
    rows = np.arange(min(len(found), 100))
    for by in (1, -1):
        moved = np.where(found[rows] >= 0, found[rows].astype(np.int64) + by, -1)
        if np.isin(_keyed(moved), _keyed(truth[rows])).sum() >= _MANY * np.count_nonzero(moved >= 0):
            here, there = ("0", "1") if by > 0 else ("1", "0")
            return f"ids are off by one: they seem to count from {here}, and those of the judgments from {there}"
    owner = np.repeat(np.arange(len(truth)), truth.shape[1])
    order = np.argsort(truth, axis=None, kind="stable")
    known = truth.reshape(-1)[order]
    fits = []
    for row in rows.tolist():
        there = found[row][found[row] >= 0]
        begin, end = (np.searchsorted(known, there, side) for side in ("left", "right"))
        places = [owner[order[a:b]] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
        counts = np.bincount(np.concatenate(places), minlength=1) if places else np.zeros(1)
        best = int(counts.argmax())
        if best != row and counts[best] >= max(len(there) / 2, 3):
            fits.append((row, best))
    if len(fits) >= 3:  # not by chance
        row, best = fits[0]
        return f"row {row} fits row {best} of the judgments: are the queries in another order?"
    most, judged = int(found.max()), int(truth.max())
    if most > 2 * judged and len(hits.owner):  # where none is judged, that is said
        return f"ids go up to {most}, and those of the judgments up to {judged}: are they of another base?"
    return ""


def _keyed(ids: Array) -> Array:
    """Ids told apart by their rows; what is none is no id of any row."""
    rows = np.arange(len(ids))[:, None]
    return np.where(ids >= 0, ids.astype(np.int64) + (rows << 53), -1 - rows)


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
        As `grades_of_neighbours` takes them.
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
        of_all = grades_of_neighbours(truth, distances)
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
