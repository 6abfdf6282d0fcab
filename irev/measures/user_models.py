"""Readers who go down a ranking: C/W/L, where a measure is no more than how likely a reader goes on from each rank.

C_i is the probability of going on from rank i. V_i = C_1 · … · C_{i-1} is then that of getting to rank i, W_i = V_i /
(sum of V) the share of attention that rank i has, and L_i = V_i · (1 - C_i) the probability that rank i is the last
one. With x_i the gain and k_i the cost of rank i, five quantities follow::

    ED  = sum of V_i             expected depth: how many results are seen
    ETU = sum of V_i · x_i       expected total utility = sum of L_i · (x_1 + … + x_i)
    ETC = sum of V_i · k_i       expected total cost    = sum of L_i · (k_1 + … + k_i)
    EU  = ETU / ED               expected utility per result seen
    EC  = ETC / ED               expected cost per result seen

A reader of a ranking of so many ranks stops at the last one, C = 0 there. What is not known leaves a residual: how much
more the quantity is when every document without a judgment, and every rank below the last result, has the highest gain
and every rank of unknown cost the lowest cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError
from irev.base.records import Memoized, dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.measures.measure import Better, Terms
from irev.measures.parameters import Choice, Flag, Option, Real, Whole
from irev.ranking.ranked import Ranked

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")
RESIDUAL = "Res"

RESIDUALS = tuple(RESIDUAL + quantity for quantity in QUANTITIES)

OF: dict[str, Option] = {
    "of": Choice(
        *QUANTITIES,
        *RESIDUALS,
        also={name.lower(): name for quantity in QUANTITIES for name in (quantity, RESIDUAL + quantity)},
    )
}
"""The option that chooses a quantity."""

SCALED: dict[str, Option] = {
    "max_rel": Real("auto", 0.0, open=True, words=("auto",)),
    "min_rel": Real(0.0, 0.0),
    "clip": Flag(),
}
"""The options that make gains of grades, as `irev.measures.gains.shares` has them."""

SPENT: dict[str, Option] = {"max_cost": Real(1.0, 0.0, open=True), "min_cost": Real(1.0, 0.0, open=True)}
"""The options for what ranks cost that no result has, or whose cost is not known, and in the best case."""

OF_COST = ("EC", "ETC")
"""The quantities that are costs."""

MOST_RANKS = 1_000_000
"""So many ranks a reader may go down, one after the other."""

DEPTH: dict[str, Option] = {"depth": Whole(1000, 1, MOST_RANKS)}
"""The option for the last rank that there is."""

BETTER: dict[str, Better] = {
    **dict.fromkeys((*OF_COST, *RESIDUALS), "lower"),
    "ED": "neither",
}
"""Which value is the better one, of quantities of which it is not the higher one."""


@dataclass(frozen=True, eq=False)
class ToGain:
    """What a reader gains, and spends.

    Attributes
    ----------
    ranked : Ranked
    gain : float (h,)
        The gain of each hit, 0 to 1.
    judged : bool (h,)
        Whether it is judged.
    unknown : float
        The gain of ranks that have no judged document.
    cost : float
        What ranks cost of which that is not known.
    """

    ranked: Ranked
    gain: Floats
    judged: Bools
    unknown: float = 0.0
    cost: float = 1.0

    @property
    def alike(self) -> bool:
        """Whether every rank costs the same."""
        return self.ranked.element is None


class At(NamedTuple):
    """The next ranks: their numbers (ranks, 1); (ranks, queries) gain and cost of each, and of all up to it."""

    i: Ints
    gain: Floats
    cost: Floats
    gained: Floats
    spent: Floats


class Reader:
    """Goes down the rankings of all queries at once, some ranks at a time.

    Parameters
    ----------
    last : int
        The last rank that there is.
    goes_on : callable
        ``goes_on(at)``: C_i of the ranks that are next.

    Raises
    ------
    UsageError
        For more than `MOST_RANKS`.
    """

    def __init__(self, last: int, goes_on: Callable[[At], Floats | Bools | float]) -> None:
        if last > MOST_RANKS:
            raise UsageError(f"{last} ranks are too many for a user model", remedy=f"the most is {MOST_RANKS}")
        self.last, self.goes_on = last, goes_on

    def starts(self, gains: ToGain) -> None:
        """Look at what there is to gain, before rank 1; most have no need to."""


@dataclass(frozen=True, eq=False)
class WayDown:
    """(q,) What came of it: the sums of V_i, V_i · x_i and V_i · k_i."""

    seen: Floats
    gained: Floats
    spent: Floats

    def of(self, quantity: str) -> Floats:
        """One of the five."""
        found = {"ED": self.seen, "ETU": self.gained, "ETC": self.spent}
        return found[quantity] if quantity in found else found[quantity.replace("E", "ET")] / self.seen


def read(reader: Reader, gains: ToGain) -> WayDown:
    """Go down, some ranks at a time; sums are added rank by rank."""
    ranked, size = gains.ranked, gains.ranked.size
    some = np.flatnonzero((gains.judged if gains.unknown else gains.gain > 0) & (ranked.rank <= reader.last))
    some = some[segments.stable_order(ranked.rank[some])]
    owner, rank, values = ranked.owner[some], ranked.rank[some], gains.gain[some]
    seen, gained_so_far, spent_so_far, found, paid = (np.zeros(size) for _ in range(5))
    reached = np.ones(size)
    reader.starts(gains)
    for ranks in _stretches(reader.last, size):
        gain, cost = (np.full((len(ranks), size), each) for each in (gains.unknown, gains.cost))
        here = slice(*np.searchsorted(rank, (ranks[0], ranks[-1] + 1)))
        gain[rank[here] - ranks[0], owner[here]] = values[here]
        if not gains.alike:
            cost = np.stack([ranked.cost_at(i, gains.cost) for i in ranks.tolist()])
        gained, spent = _up_to(gained_so_far, gain), _up_to(spent_so_far, cost)
        ways = _ways(reached, reader.goes_on(At(ranks[:, None], gain, cost, gained, spent)), gain.shape)
        gained_so_far, spent_so_far, reached = gained[-1], spent[-1], ways[-1]
        ways = ways[:-1]
        seen, found, paid = (_up_to(*each)[-1] for each in ((seen, ways), (found, ways * gain), (paid, ways * cost)))
        if not reached.any():
            break
    return WayDown(seen, found, paid)


_AT_ONCE = 1 << 15
"""So many numbers, of ranks and queries, are worked on together."""


def _stretches(last: int, queries: int) -> Iterator[Ints]:
    """The ranks up to the last one in pieces that grow: many readers stop soon."""
    first, ranks = 1, 16
    while first <= last:
        ranks = max(min(ranks, _AT_ONCE // max(queries, 1), last + 1 - first), 1)
        yield np.arange(first, first + ranks)
        first, ranks = first + ranks, 4 * ranks


def _up_to(before: Floats, added: Floats) -> Floats:
    """(ranks, queries) What there was before and all that is added up to each rank, one after the other."""
    return np.add.accumulate(np.concatenate((before[None], added)))[1:]


def _ways(reached: Floats, likely: Floats | Bools | float, shape: tuple[int, ...]) -> Floats:
    """(ranks + 1, queries) V_i of the ranks, and of the next one."""
    steps = np.empty((shape[0] + 1, *shape[1:]))
    steps[0], steps[1:] = reached, likely
    return np.multiply.accumulate(steps)


@dataclass(frozen=True, eq=False)
class Walk(Memoized):
    """A reader with what there is to gain. All quantities come of one way down, and one more in the best case.

    Attributes
    ----------
    reader : Reader
    gains : ToGain
    static : bool
        Whether the reader goes on with the same probability whatever was gained.
    thrifty : bool
        Whether the reader looks at what is spent.
    """

    reader: Reader
    gains: ToGain
    static: bool
    thrifty: bool

    def down(self) -> WayDown:
        """What came of it."""
        return read(self.reader, self.gains)

    def at_best(self, least: float) -> WayDown:
        """What would in the best case, where ranks of unknown cost cost `least`."""
        return read(self.reader, replace(self.gains, unknown=1.0, cost=least))

    def attention(self, cost: float) -> Floats:
        """V_1, V_2, … of a reader whom gains do not change, as far as they are above 0, where every rank costs the
        same."""
        parts, reached = [], np.ones(1)
        for ranks in _stretches(self.reader.last, 1):
            i = ranks[:, None]
            nothing, spent = np.zeros(i.shape), np.multiply(i, cost, dtype=np.float64)
            ways = _ways(reached, self.reader.goes_on(At(i, nothing, np.full(i.shape, cost), nothing, spent)), i.shape)
            parts.append(ways[:-1, 0])
            reached = ways[-1]
            if not reached.any():
                break
        weights = np.concatenate(parts)
        return weights[weights > 0]


def value(walk: Walk, of: str, least: float = 1.0) -> Terms | Floats:
    """A quantity, or the residual of one; as `Terms` where it is a sum over the ranks of documents that gain.

    `least` is what ranks of unknown cost cost in the best case.
    """
    gains = walk.gains
    if of.startswith(RESIDUAL):
        quantity = of.removeprefix(RESIDUAL)
        left: Floats = walk.once(Walk.at_best, least).of(quantity) - walk.once(Walk.down).of(quantity)
        return left
    if walk.static and of in ("EU", "ETU") and (gains.alike or not walk.thrifty):
        weights = walk.once(Walk.attention, gains.cost)
        ranked = gains.ranked
        some = (gains.gain > 0) & (ranked.rank <= len(weights))
        rank = ranked.rank[some]
        return Terms(ranked.owner[some], rank, gains.gain[some] * weights[rank - 1], _over(weights, of))
    return walk.once(Walk.down).of(of)


def expected(walk: Walk, of: str, least: float = 1.0) -> Terms | Floats:
    """What a quantity is on average over all orders of documents that tie, for a reader whom gains do not change."""
    gains = walk.gains
    weights, ranked = walk.once(Walk.attention, gains.cost), gains.ranked
    some = gains.judged if of.startswith(RESIDUAL) else gains.gain > 0
    mean = _mean(weights, ranked)[some]
    if of in ("EU", "ETU"):
        return Terms(ranked.owner[some], ranked.tie_first[some], gains.gain[some] * mean, _over(weights, of))
    if of in ("ResEU", "ResETU") and walk.thrifty and least != gains.cost:
        best, quantity = walk.once(Walk.attention, least), of.removeprefix(RESIDUAL)
        lost = segments.total((1.0 - gains.gain[some]) * _mean(best, ranked)[some], ranked.owner[some], ranked.size)
        gained = segments.total(gains.gain[some] * mean, ranked.owner[some], ranked.size)
        more: Floats = (best.sum() - lost) / _over(best, quantity) - gained / _over(weights, quantity)
        return more
    if of in ("ResEU", "ResETU"):
        known = segments.total(mean, ranked.owner[some], ranked.size)
        left: Floats = np.maximum(weights.sum() - known, 0.0) / _over(weights, of.removeprefix(RESIDUAL))
        return left
    return value(walk, of, least)


def _mean(weights: Floats, ranked: Ranked) -> Floats:
    """(h,) The mean of the weights of the ranks at which each hit may stand."""
    return ranked.mean_over_ties(np.pad(weights, (0, max(ranked.last_rank - len(weights), 0))))


def _over(weights: Floats, of: str) -> float:
    return float(np.cumsum(weights)[-1]) if of == "EU" else 1.0


# Readers who look at more than a rank


class Aware(Reader):
    """For as much as still lies ahead, which such a reader knows. AP."""

    def __init__(self, last: int) -> None:
        super().__init__(last, self._for_what_is_ahead)

    def starts(self, gains: ToGain) -> None:
        ranked = gains.ranked
        some = (gains.judged if gains.unknown else gains.gain > 0) & (ranked.rank <= self.last)
        owner, rank = ranked.owner[some], ranked.rank[some]
        inverse = 1.0 / np.arange(1, self.last + 1)
        self.ahead = segments.total((gains.gain[some] - gains.unknown) * inverse[rank - 1], owner, ranked.size)
        self.ahead += gains.unknown * inverse.sum()
        self.end = np.full(ranked.size, self.last if gains.unknown else 0)
        np.maximum.at(self.end, owner, rank)

    def _for_what_is_ahead(self, at: At) -> Floats:
        # Gains are 0 or more: what is 0 once stays so.
        left = np.maximum(np.subtract.accumulate(np.concatenate((self.ahead[None], at.gain / at.i))), 0.0)
        left[1:][self.end <= at.i] = 0.0
        self.ahead = left[-1]
        return segments.ratio(left[1:], left[:-1])


class Bejeweled(Reader):
    """Until T is gained or K spent; with every gain above the usual one both rise, and with others they fall. BPM."""

    def __init__(self, last: int, T: float, K: float, hb: float = 0.0, hc: float = 0.0, usual: float = 0.0) -> None:
        super().__init__(last, self._within_limits)
        self.limits = T, K
        self.changes = hb, hc
        self.usual = usual

    def starts(self, gains: ToGain) -> None:
        self.T, self.K = (np.full(gains.ranked.size, limit, dtype=np.float64) for limit in self.limits)

    def _within_limits(self, at: At) -> Bools:
        T, K = (
            np.add.accumulate(np.concatenate((limit[None], change * (at.gain - self.usual))))
            for limit, change in zip((self.T, self.K), self.changes, strict=True)
        )
        self.T, self.K = T[-1], K[-1]
        goes_on: Bools = (at.gained < T[:-1]) & (at.spent < K[:-1])
        return goes_on
