"""Agreement of a ranking with preferences: how much it resembles the ideal ranking that they make."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.measures import gains
from irev.measures.expected_over_ties import chances
from irev.measures.families.rank_biased import last_that_matters, weights
from irev.measures.measure import Terms, measure
from irev.measures.parameters import RealParameter, WholeParameter, WordParameter
from irev.ranking.ranked import Ranked


class _Preferred(NamedTuple):
    """The hits with a gain above 0.

    Attributes
    ----------
    owner, rank, first, last : int (d,)
        Query, rank, and first and last rank of the tie of each.
    likes : int (d,)
        A number that the documents of equal gain of one query share; it rises as the gain falls.
    place : int (d,)
        Rank in the ideal ranking, which has the highest gains first, and equal ones in the order of the run, those not
        retrieved last.
    """

    owner: Ints
    rank: Ints
    first: Ints
    last: Ints
    likes: Ints
    place: Ints


def _preferred(ranked: Ranked) -> _Preferred:
    best = ranked.once(gains.ideal, (), gains.PLAIN)
    gain = gains.positive(ranked)
    some = gain > 0
    known = segments.distinct(best.gain)
    owner = ranked.owner[some]
    likes = (owner + 1) * len(known) - np.searchsorted(known, gain[some])
    ideal = (best.owner + 1) * len(known) - np.searchsorted(known, best.gain)
    higher = np.searchsorted(ideal, likes) - segments.starts(best.count)[owner]
    order = np.argsort(likes, kind="stable")
    equal = np.empty(len(likes), dtype=np.int64)
    equal[order] = np.arange(len(likes)) - np.searchsorted(likes[order], likes[order])
    ranks = (ranked.rank[some], ranked.tie_first[some], ranked.tie_last[some])
    return _Preferred(owner, *ranks, likes, higher + equal + 1)


@dataclass(frozen=True, eq=False)
class _Worth:
    """What a document adds to the rank-biased overlap that is in both rankings from some rank on.

    Attributes
    ----------
    of_rank : float (d + 1,)
        At index i - 1 the sum of p^(j-1) / j over i ≤ j ≤ d, the greatest of `depth`; 0 at the last one, for all ranks
        beyond.
    depth : int (q,)
        Where the rankings of each query are cut.
    beyond : float (q,)
        What of the sums is of ranks beyond that.
    """

    of_rank: Floats
    depth: Ints
    beyond: Floats

    def __call__(self, rank: Ints, owner: Ints | int) -> Floats:
        """(d,) From these ranks on, in the queries `owner`."""
        from_there: Floats = self.of_rank[np.minimum(rank, len(self.of_rank)) - 1] - self.beyond[owner]
        return np.maximum(from_there, 0.0)


def _worth(ranked: Ranked, p: float, depth: int | str) -> _Worth:
    count = ranked.once(gains.ideal, (), gains.PLAIN).count
    depths = np.maximum(ranked.retrieved, count) if isinstance(depth, str) else np.full(ranked.size, depth)
    greatest = int(depths.max(initial=1))
    shares = weights(p, greatest) / np.arange(1, greatest + 1)
    of_rank = np.append(np.cumsum(shares[::-1])[::-1], 0.0)
    return _Worth(of_rank, depths, of_rank[depths])


def _over(ranked: Ranked, worth: _Worth, p: float, normalize: str) -> Floats:
    """(q,) What the overlap is a share of: that of the ideal ranking with itself, or of two equal rankings as long as
    the depth."""
    if normalize == "false":
        lengths, which = np.unique(worth.depth, return_inverse=True)
        return np.array([weights(p, int(length)).sum() for length in lengths])[which]
    count = np.minimum(ranked.once(gains.ideal, (), gains.PLAIN).count, worth.depth)
    return np.concatenate(([0.0], np.cumsum(worth.of_rank)))[count] - count * worth.beyond


def _expected(ranked: Ranked, p: float, normalize: str, depth: int | str) -> Terms:
    """Of equal documents in one tie, the first in whatever order has the first of their places in the ideal ranking."""
    found = _preferred(ranked)
    worth = _worth(ranked, p, depth)
    end = min(len(worth.of_rank) - 1, last_that_matters(p))
    if ranked.settings.depth is not None:
        end = min(end, ranked.settings.depth)
    near = found.first <= end
    values = np.where(near, worth(np.maximum(found.first, found.place), found.owner), 0.0)
    order = np.argsort(found.likes, kind="stable")
    begins = segments.opens(found.likes[order], found.first[order])
    group = np.cumsum(begins) - 1
    chosen = np.empty(len(order), dtype=np.int64)
    number = np.empty(len(order), dtype=np.int64)
    chosen[order] = np.bincount(group)[group]
    number[order] = np.arange(len(order)) - np.flatnonzero(begins)[group]
    # The number of a document is the least place in its tie that it can have.
    near &= found.first + number <= end
    values[~near] = 0.0
    tied = np.flatnonzero(near & (found.last > found.first))
    tied = tied[np.lexsort((number[tied], chosen[tied], found.first[tied], found.owner[tied]))]
    alike = segments.opens(found.owner[tied], found.first[tied], chosen[tied], number[tied])
    for rows in np.split(tied, np.flatnonzero(alike)[1:]) if len(tied) else ():
        i = int(rows[0])
        skipped, chance = chances(int(found.last[i] - found.first[i] + 1), int(chosen[i]), int(number[i]))
        first = int(found.first[i]) + skipped
        chance = chance[: max(end + 1 - first, 0)]
        of_ranks = chance * worth(np.arange(first, first + len(chance)), found.owner[i])
        # At ranks up to its place in the ideal ranking a document has the worth of that place, which `values` has.
        place = np.clip(found.place[rows] + 1 - first, 0, len(chance))
        later = np.append(np.cumsum(of_ranks[::-1])[::-1], 0.0)
        values[rows] = values[rows] * np.append(0.0, np.cumsum(chance))[place] + later[place]
    return Terms(found.owner, found.first, values, _over(ranked, worth, p, normalize))


@measure(
    "compat",
    standard="Compat",
    graded=True,
    options={
        "p": RealParameter(0.95, 0.0, 1.0, open=True, stated=True),
        "normalize": WordParameter("true", "false", also={"True": "true", "False": "false"}),
        "depth": WholeParameter(1000, 1, 1_000_000, words=("longest",)),
    },
    expected=_expected,
    bounds="search",
)
def compatibility(ranked: Ranked, p: float, normalize: str, depth: int | str) -> Terms:
    """Compatibility: how much the ranking overlaps, in its top above all, with the ideal ranking nearest to it.

    compat = B(run, ideal) / B(ideal, ideal) with B(x, y) = (sum over the ranks i ≤ depth of p^(i-1) · o_i / i) / (sum
    of p^(i-1)), rank-biased overlap, where o_i is the number of documents that the first i of x and of y share.
    The ideal ranking has all documents with a positive grade, highest grade first; equal ones in the order of
    the run, those not retrieved last. So it is one of the best rankings that the grades allow, the one most
    like the run.

    Parameters: p, 0.95 unless given: the higher, the deeper it looks; normalize=false for B(run, ideal) alone, which
    is below 1 for a query with few documents to prefer; and depth, 1000 unless given, beyond which ranks do not
    matter, or longest, for the length of the longer of the two rankings.

    Grades say what is better than what, and nothing else: 0, 1, 2 and 0, 1, 9 are the same. Documents without a
    judgment, or with a grade of 0 or less, only take up ranks. The relevance level (-l) plays no part. A query
    without positive grades has 0.

    Elsewhere: the program of the authors leaves queries without positive grades out of the mean, and has documents
    of equal score in the order of rising ids, as --ties docid-asc does; so does ir_measures, which cuts both rankings
    at the longer of the two, not at 1000: that gives other numbers for short runs, and depth=longest has them.

    Source: Charles L. A. Clarke, Alexandra Vtyurina and Mark D. Smucker, Assessing top-k preferences, ACM Transactions
    on Information Systems 39(3), 2021.

    Example: grades 2 0 1 0, R = 3: compat 0.6917, compat_p=0.8 0.7217, compat_normalize=false 0.2416,
    compat_depth=longest 0.7167.
    """
    found = _preferred(ranked)
    worth = _worth(ranked, p, depth)
    values = worth(np.maximum(found.rank, found.place), found.owner)
    return Terms(found.owner, found.rank, values, _over(ranked, worth, p, normalize))
