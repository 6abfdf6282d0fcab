"""User models: C/W/L measures, which differ in nothing but how likely a reader goes on from each rank. In the formulas
x_i is the gain at rank i, and C_i the probability that the reader goes on from rank i to rank i + 1. Each is expected
utility, EU, gain per result seen, unless of= chooses another quantity: ETU, gain in all; EC and ETC, cost per result
seen and in all; ED, how many results are seen; or ResEU, ResETU, ResEC, ResETC and ResED, how much more each would be
if all that is not judged, and all that might follow the last result, had the highest gain and cost the least. A result
costs what --costs says of its type; where nothing is known, as below the last result, a rank costs max_cost, 1 unless
given, and at least min_cost, 1 unless given.
Gains are shares of the highest one: (grade - min_rel) / (max_rel - min_rel), where max_rel is the highest grade of the
judgments, over all queries, unless given, and min_rel is 0 unless given; a lower grade than min_rel gains 0, and one
above max_rel is an error, or gains 1 with clip=true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, decimal
from irev.base.records import Memoized, dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.measures import gains
from irev.measures.measure import Better, Terms, Values, measure
from irev.measures.parameters import (
    NONE,
    Cutoffs,
    FlagParameter,
    Option,
    Parameter,
    RealParameter,
    WholeParameter,
    WordParameter,
)
from irev.ranking.ranked import Ranked

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")
RESIDUAL = "Res"

RESIDUALS = tuple(RESIDUAL + quantity for quantity in QUANTITIES)

OF: dict[str, Option] = {
    "of": WordParameter(
        *QUANTITIES,
        *RESIDUALS,
        also={name.lower(): name for quantity in QUANTITIES for name in (quantity, RESIDUAL + quantity)},
    )
}
"""The option that chooses a quantity."""

SCALED: dict[str, Option] = {
    "max_rel": RealParameter("auto", 0.0, open=True, words=("auto",)),
    "min_rel": RealParameter(0.0, 0.0),
    "clip": FlagParameter(),
}
"""The options that make gains of grades, as `_shares` has them."""

SPENT: dict[str, Option] = {
    "max_cost": RealParameter(1.0, 0.0, open=True),
    "min_cost": RealParameter(1.0, 0.0, open=True),
}
"""The options for what ranks cost that no result has, or whose cost is not known, and in the best case."""

OF_COST = ("EC", "ETC")
"""The quantities that are costs."""

MOST_RANKS = 1_000_000
"""The largest number of ranks that a reader may go down."""

DEPTH: dict[str, Option] = {"depth": WholeParameter(1000, 1, MOST_RANKS)}
"""The option for the last rank."""

BETTER: dict[str, Better] = {**dict.fromkeys((*OF_COST, *RESIDUALS), "lower"), "ED": "neither"}
"""Which values are better, for quantities whose higher values are not better."""


@dataclass(frozen=True, eq=False)
class ToGain:
    """What a reader can gain and spend.

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
    """Goes down the rankings of all queries at once, some ranks at a time: C/W/L, where a measure is no more than how
    likely a reader goes on from each rank.

    C_i is the probability of going on from rank i. V_i = C_1 · … · C_{i-1} is then that of getting to rank i, W_i = V_i
    / (sum of V) the share of attention that rank i has, and L_i = V_i · (1 - C_i) the probability that rank i is the
    last one. With x_i the gain and k_i the cost of rank i, five quantities follow::

        ED  = sum of V_i             expected depth: how many results are seen
        ETU = sum of V_i · x_i       expected total utility = sum of L_i · (x_1 + … + x_i)
        ETC = sum of V_i · k_i       expected total cost    = sum of L_i · (k_1 + … + k_i)
        EU  = ETU / ED               expected utility per result seen
        EC  = ETC / ED               expected cost per result seen

    A reader of a ranking of so many ranks stops at the last one, C = 0 there. What is not known leaves a residual: how
    much more the quantity is when every document without a judgment, and every rank below the last result, has the
    highest gain and every rank of unknown cost the lowest cost.

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
        """Look at the gains before rank 1, if the reader needs to."""


@dataclass(frozen=True, eq=False)
class WayDown:
    """(q,) Totals over all ranks that a reader goes down: the sums of V_i, V_i · x_i and V_i · k_i."""

    seen: Floats
    gained: Floats
    spent: Floats

    def of(self, quantity: str) -> Floats:
        """One of the five quantities."""
        found = {"ED": self.seen, "ETU": self.gained, "ETC": self.spent}
        return found[quantity] if quantity in found else found[quantity.replace("E", "ET")] / self.seen


def read(reader: Reader, gains: ToGain) -> WayDown:
    """Go down the rankings, some ranks at a time; sums are added rank by rank."""
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
            cost = np.stack([_cost_at(ranked, i, gains.cost) for i in ranks.tolist()])
        gained, spent = _up_to(gained_so_far, gain), _up_to(spent_so_far, cost)
        ways = _ways(reached, reader.goes_on(At(ranks[:, None], gain, cost, gained, spent)), gain.shape)
        gained_so_far, spent_so_far, reached = gained[-1], spent[-1], ways[-1]
        ways = ways[:-1]
        seen, found, paid = (_up_to(*each)[-1] for each in ((seen, ways), (found, ways * gain), (paid, ways * cost)))
        if not reached.any():
            break
    return WayDown(seen, found, paid)


_AT_ONCE = 1 << 15
"""Numbers of ranks times queries that are computed together."""


def _stretches(last: int, queries: int) -> Iterator[Ints]:
    """The ranks up to the last one in pieces that grow: many readers stop soon."""
    first, ranks = 1, 16
    while first <= last:
        ranks = max(min(ranks, _AT_ONCE // max(queries, 1), last + 1 - first), 1)
        yield np.arange(first, first + ranks)
        first, ranks = first + ranks, 4 * ranks


def _up_to(before: Floats, added: Floats) -> Floats:
    """(ranks, queries) Running sums over ranks, which begin with `before`."""
    return np.add.accumulate(np.concatenate((before[None], added)))[1:]


def _ways(reached: Floats, likely: Floats | Bools | float, shape: tuple[int, ...]) -> Floats:
    """(ranks + 1, queries) V_i of the ranks, and of the rank after them."""
    steps = np.empty((shape[0] + 1, *shape[1:]))
    steps[0], steps[1:] = reached, likely
    return np.multiply.accumulate(steps)


@dataclass(frozen=True, eq=False)
class Walk(Memoized):
    """A reader and the gains of some rankings. Going down once gives all quantities, and once more all residuals.

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
        """The totals of the reader."""
        return read(self.reader, self.gains)

    def at_best(self, least: float) -> WayDown:
        """The totals in the best case: unjudged documents have the highest gain, and ranks of unknown cost cost
        `least`."""
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
    """The expected value of a quantity over all orders of tied documents, for a reader whom gains do not change."""
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


# The measures


_MOST = 1e9
"""So much is not gained in any ranking; far beyond it 2T is not a number."""

_GOAL: dict[str, Option] = {"T": RealParameter(1.0, 0.0, _MOST, open=True, stated=True)}
_P: dict[str, Option] = {"p": RealParameter(0.9, 0.0, 1.0, open=True, stated=True)}
_AT_10 = Cutoffs(10)


def user_model(
    name: str,
    *,
    standard: str,
    over: Parameter = NONE,
    options: dict[str, Option] | None = None,
    also: tuple[str, ...] = (),
    static: bool = False,
    thrifty: bool = False,
) -> Callable[[Callable[..., Reader]], Callable[..., Values]]:
    """Register the measure of which the decorated function makes the reader.

    Parameters
    ----------
    name, standard, over, options, also
        As `irev.measures.measure.measure` has them; options beside those that all user models have.
    static : bool
        Whether readers do not look at what they gain: there are expected values over ties, and bounds, then.
    thrifty : bool
        Whether they look at what they spend.
    """

    def costs(given: dict[str, Any]) -> bool:
        return thrifty or given.get("of", "").removeprefix(RESIDUAL) in OF_COST

    def register(function: Callable[..., Reader]) -> Callable[..., Values]:
        def evaluated(how: Callable[..., Values]) -> Callable[..., Values]:
            @wraps(function)
            def values(
                ranked: Ranked, *parameter: Any, of: str, max_cost: float, min_cost: float, **chosen: Any
            ) -> Values:
                scaling = tuple((key, chosen.pop(key)) for key in (*SCALED, *gains.GAIN) if key in chosen)
                walk = ranked.once(
                    _walk, name, function, parameter, tuple(chosen.items()), scaling, max_cost, static, thrifty
                )
                return how(walk, of, min_cost)

            return values

        return measure(
            name,
            standard=standard,
            over=over,
            options={**(options or {}), **OF, **SCALED, **SPENT},
            graded=True,
            better_of=("of", BETTER),
            also=also,
            expected=evaluated(expected) if static else None,
            bounds="rising" if static else "none",
            within_one=("of", ("EU",)),
            unbounded=("of", RESIDUALS),  # nothing of them is left when everything is known
            costs=costs,
        )(evaluated(value))

    return register


_Chosen = tuple[tuple[str, Any], ...]


def _shares(
    ranked: Ranked, measure: str, max_rel: float | str, min_rel: float, clip: bool, gain: str = "linear"
) -> Floats:
    """(h,) The gain of each hit between 0 and 1: (gain - min_rel) / (max_rel - min_rel).

    Parameters
    ----------
    ranked : Ranked
    measure : str
        Whose gains they are, for messages.
    max_rel : float or str
        The gain that is 1, or ``auto`` for the highest one of the judgments.
    min_rel : float
        The gain that is 0, as are lower ones.
    clip : bool
        Whether higher gains than `max_rel` are 1.
    gain : str
        What both differences are, `irev.measures.gains.Scale.gain`.

    Raises
    ------
    UsageError
        For a `max_rel` that is not above `min_rel`, and for a higher gain unless `clip`.
    """
    if not isinstance(max_rel, str) and max_rel <= min_rel:
        raise UsageError(
            f"max_rel of measure '{measure}' is {decimal(max_rel)}, but must be above min_rel, which is "
            f"{decimal(min_rel)}",
            remedy="max_rel is the grade with gain 1, min_rel the grade with gain 0",
        )
    if not isinstance(max_rel, str) and not clip:
        gains.require_up_to(ranked, max_rel, measure, "max_rel")
    high = gains.highest(ranked) if isinstance(max_rel, str) else max_rel
    scale, high = gains.Scale(gain), max(high - min_rel, 0.0)
    worth = np.clip(gains.positive(ranked) - min_rel, 0.0, high)
    return segments.ratio(scale.gains(worth), scale.gains(np.array([high])))


def _walk(
    ranked: Ranked,
    name: str,
    function: Callable[..., Reader],
    parameter: tuple[Any, ...],
    chosen: _Chosen,
    scaling: _Chosen,
    cost: float,
    static: bool,
    thrifty: bool,
) -> Walk:
    """The reader that a measure's function makes, with the gains of these rankings."""
    scaled = _shares(ranked, name, **dict(scaling))
    there = ToGain(ranked, scaled, ranked.grade >= 0, cost=cost)
    return Walk(function(*parameter, **dict(chosen)), there, static, thrifty)


@user_model("cwl_p", standard="CWL_P", over=_AT_10, also=("cwl-eval PrecisionCWLMetric (k) max_rel=1",), static=True)
def precision(k: int) -> Reader:
    """Graded precision of the first k results, as C/W/L has it: the mean gain of a reader who sees all of them.

    cwl_p_k = (x_1 + … + x_k) / k: C_i = 1 for i < k, and 0 at k.

    With of=ETU it is the cumulated gain. Missing ranks count as gaining nothing. A query without results has 0.

    Elsewhere: P of cwl-eval. P is the precision of relevance alone.

    Source: Leif Azzopardi, Paul Thomas and Alistair Moffat, cwl_eval: an evaluation tool for information retrieval,
    SIGIR 2019.

    Example: grades 2 0 1 -, R = 2: cwl_p_2 0.5000, cwl_p_2,of=ETU 1.0000, cwl_p_5,of=ResEU 0.4000.
    """
    return Reader(k, lambda at: 1.0)


@user_model("cwl_rr", standard="CWL_RR", options=DEPTH, also=("cwl-eval RRCWLMetric max_rel=1",))
def reciprocal_rank(depth: int) -> Reader:
    """Graded reciprocal rank, as C/W/L has it: gain per result, for a reader who stops at the first that gains.

    cwl_rr = x_i / i where rank i is the first with a gain above 0: C_i = 1 before it, and 0 at it.

    Parameters: depth, 1000 unless given, the last rank that a reader looks at who finds nothing.

    A query of which nothing gains has 0, and the depth as its expected depth.

    Elsewhere: RR of cwl-eval, but for of=ETC where nothing gains, which is 0 there. recip_rank is the one of relevance
    alone.

    Source: Paul B. Kantor and Ellen M. Voorhees, The TREC-5 confusion track, Information Retrieval 2, 2000; Azzopardi,
    Thomas and Moffat, SIGIR 2019.

    Example: grades 0 2 4 0, R = 2: cwl_rr 0.2500, cwl_rr_of=ED 2.0000, cwl_rr_of=ETU 0.5000.
    """
    return Reader(depth, lambda at: at.gained == 0)


@user_model("cwl_ap", standard="CWL_AP", options=DEPTH, also=("cwl-eval APCWLMetric max_rel=1",))
def average_precision(depth: int) -> Reader:
    """Graded average precision of what was found, as C/W/L has it, for a reader who knows how much lies ahead.

    cwl_ap = (sum over i of x_i · (x_1 + … + x_i) / i) / (sum of x_i): C_i = S_{i+1} / S_i with
    S_i = x_i / i + x_{i+1} / (i+1) + … up to the last rank.

    Parameters: depth, 1000 unless given, the last rank.

    Gains that were not retrieved do not matter: with gains of 0 and 1 it is map · R / r, R the relevant documents and r
    those found. A query of which nothing gains has 0, and an expected depth of 1.

    Elsewhere: AP of cwl-eval, whose documentation says that it divides by all relevant documents. map does.

    Source: Alistair Moffat, Paul Thomas and Falk Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013.

    Example: grades 1 0 1 -, R = 3: cwl_ap 0.8333, cwl_ap_of=ED 1.5000, cwl_ap_of=ETU 1.2500.
    """
    return Aware(depth)


@user_model(
    "cwl_rbp", standard="CWL_RBP", options={**_P, **DEPTH}, also=("cwl-eval RBPCWLMetric (p) max_rel=1",), static=True
)
def rank_biased_precision(p: float, depth: int) -> Reader:
    """Rank-biased precision, as C/W/L has it: gain per result, for a reader who goes on with probability p.

    cwl_rbp = (sum of p^(i-1) · x_i) / (sum of p^(i-1)) over the ranks i ≤ depth: C_i = p.

    Parameters: p, 0.9 unless given, above 0 and below 1; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: RBP of cwl-eval. binrbp is the one of relevance alone, rbp that of trec_eval.

    Source: Alistair Moffat and Justin Zobel, Rank-biased precision for measurement of retrieval
    effectiveness, ACM Transactions on Information Systems 27(1), 2008.

    Example: grades 2 0 1 -, R = 2: cwl_rbp_p=0.5 0.5625, cwl_rbp_p=0.5,of=ED 2.0000, cwl_rbp_p=0.5,of=ResEU 0.1250.
    """
    return Reader(depth, lambda at: p)


@user_model(
    "sdcg",
    standard="SDCG",
    over=_AT_10,
    options=gains.GAIN,
    also=("cwl-eval NDCGCWLMetric (k) max_rel=1",),
    static=True,
)
def scaled_dcg(k: int) -> Reader:
    """Scaled DCG: the discounted gain of the first k results, as a share of the most that k results can have.

    sdcg_k = (sum of x_i / log2(i + 1)) / (sum of 1 / log2(i + 1)) over the ranks i ≤ k:
    C_i = log2(i + 1) / log2(i + 2) for i < k, and 0 at k.

    Option: gain=exp makes x_i (2^d - 1) / (2^m - 1), where d is the grade less min_rel, and m max_rel less min_rel.

    Unlike for nDCG it does not matter which documents there are: the ideal is k documents of the highest grade. A query
    without results has 0.

    Elsewhere: SDCG of ir_measures, which requires max_rel, and moves higher grades to it, as clip=true does; cwl-eval
    calls it NDCG.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM Transactions on
    Information Systems 20(4), 2002; Azzopardi, Thomas and Moffat, SIGIR 2019.

    Example: grades 2 0 1 -, R = 2: sdcg_3 0.5866, sdcg_3,of=ETU 1.2500, sdcg_3,max_rel=4 0.2933,
    sdcg_2,gain=exp 0.6131.
    """
    return Reader(k, lambda at: segments.log2(at.i + 1) / segments.log2(at.i + 2))


@user_model(
    "inst",
    standard="INST",
    options={"T": RealParameter(1.0, 0.5, _MOST, stated=True), **DEPTH},
    also=("cwl-eval INSTCWLMetric (T) max_rel=1",),
)
def inst(T: float, depth: int) -> Reader:
    """INST: gain per result seen, for a reader who wants to gain T in all.

    inst = (sum of V_i · x_i) / (sum of V_i) over the ranks i ≤ depth, where x_i is the gain at rank i and V_i the
    probability that the reader gets there: V_1 = 1 and V_{i+1} = V_i · ((i + T + T_i - 1) / (i + T + T_i))² with
    T_i = T - (x_1 + … + x_i), what is still wanted. The more is still wanted and the further down the reader is,
    the more likely the next result is looked at.

    Parameters: T, 1 unless given, how much is wanted, 0.5 at least; and depth, 1000 unless given. The depth matters:
    weights fall slowly, and what stands beyond it is left out.

    Documents without a judgment, or with a negative grade, gain nothing, nor do ranks below the last result,
    which count all the same. The relevance level (-l) plays no part. A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Alistair Moffat, Peter Bailey, Falk Scholer and Paul Thomas, INST: an adaptive metric for information
    retrieval evaluation, Australasian Document Computing Symposium, 2015; the family in their Incorporating user
    expectations and behavior into the measurement of search effectiveness, ACM Transactions on Information Systems
    35(3), 2017.

    Example: grades 2 0 1 -, R = 2: inst 0.6639, inst_T=2 0.3503, inst_max_rel=4 0.2655.
    """

    def goes_on(at: At) -> Floats:
        after = at.i + 2.0 * T - at.gained
        likely: Floats = ((after - 1.0) / after) ** 2
        return likely

    return Reader(depth, goes_on)


def _of_size(at: At, T: float) -> Floats:
    """More and more likely, for whoever wants T in all, and does not look at what there was."""
    likely: Floats = ((at.i + 2.0 * T - 1.0) / (at.i + 2.0 * T)) ** 2
    return likely


@user_model(
    "insq", standard="INSQ", options={**_GOAL, **DEPTH}, also=("cwl-eval INSQCWLMetric (T) max_rel=1",), static=True
)
def insq(T: float, depth: int) -> Reader:
    """INSQ: gain per result seen, for a reader who wants T in all, and does not look at what there was.

    insq = (sum of V_i · x_i) / (sum of V_i) over the ranks i ≤ depth, V_i = (2T / (i + 2T - 1))²:
    C_i = ((i + 2T - 1) / (i + 2T))².

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given. The depth matters: weights
    fall slowly, and what stands beyond it is left out.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Alistair Moffat, Falk Scholer and Paul Thomas, Models and metrics: IR evaluation as a user process,
    Australasian Document Computing Symposium, 2012.

    Example: grades 2 0 1 -, R = 2: insq 0.4368, insq_depth=2 0.6923, insq_T=2,depth=2,of=ED 1.6400.
    """
    return Reader(depth, partial(_of_size, T=T))


@user_model(
    "bpm",
    standard="BPM",
    over=_AT_10,
    options={**_GOAL, **DEPTH},
    also=("cwl-eval BPMCWLMetric (T,k) max_rel=1",),
    thrifty=True,
)
def bejeweled_player(k: int, T: float, depth: int) -> Reader:
    """Bejeweled player model: gain per result, for a reader who stops after gaining T, or spending k.

    bpm_k = (x_1 + … + x_i) / i, where i is the first rank up to which T is gained or k spent, or else the depth:
    C_i = 1 before it, and 0 at it. A result costs 1, or what --costs says.

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: BPMCWLMetric of cwl-eval, and BPM of ir_measures, which requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Fan Zhang, Yiqun Liu, Xin Li, Min Zhang, Yinghui Xu and Shaoping Ma, Evaluating web search with a Bejeweled
    player model, SIGIR 2017.

    Example: grades 2 0 4 -, R = 2: bpm_2 0.2500, bpm_5 0.5000, bpm_5,T=2 0.3000, bpm_5,of=ED 3.0000.
    """
    return Bejeweled(depth, T, float(k))


@user_model(
    "bpm_dynamic",
    standard="BPMD",
    over=_AT_10,
    options={
        **_GOAL,
        "hb": RealParameter(1.0, 0.0),
        "hc": RealParameter(1.0, 0.0),
        "usual": RealParameter(0.5, 0.0, 1.0),
        **DEPTH,
    },
    also=("cwl-eval BPMDCWLMetric (T,k,hb,hc,usual) max_rel=1",),
    thrifty=True,
)
def dynamic_bejeweled_player(k: int, T: float, hb: float, hc: float, usual: float, depth: int) -> Reader:
    """Dynamic Bejeweled player model: bpm, for a reader whose goal and patience change with what is found.

    As bpm_k, but after looking at rank i, and stopping or not, the goal T becomes T + hb · (x_i - usual) and the
    patience k becomes k + hc · (x_i - usual), before the next rank is looked at.

    Parameters: T, 1 unless given, how much is wanted at first; hb and hc, 1 unless given, how much the goal and the
    patience change; usual, 0.5 unless given, the gain at which they do not; and depth, 1000 unless given, the last
    rank. With hb=0,hc=0 it is bpm.

    A query without results has 0.

    Elsewhere: in BPMDCWLMetric of cwl-eval hc does nothing: what should change the patience changes a goal that is not
    looked at again. Its values are those of hc=0.

    Source: Zhang et al., SIGIR 2017.

    Example: grades 0 4 4 -, R = 2: bpm_dynamic_5 0.5000, bpm_dynamic_5,of=ED 2.0000, bpm_dynamic_5,T=2,of=ETU 2.0000.
    """
    return Bejeweled(depth, T, float(k), hb, hc, usual)


@user_model("nerr8", standard="NERR8", over=_AT_10, also=("cwl-eval NERReq8CWLMetric (k) max_rel=1",))
def nearly_err_8(k: int) -> Reader:
    """Nearly expected reciprocal rank, 8: gain per result, for a reader of k results who stops when satisfied.

    nerr8_k is EU with C_i = 1 - x_i for i < k, and 0 at k: a gain is the probability that the document satisfies.

    It is the first of four measures of the form of C/W/L that stand in for ERR, which has not that form. A query
    without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same; ir_measures requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Leif Azzopardi, Joel Mackenzie and Alistair Moffat, ERR is not C/W/L: exploring the relationship between
    expected reciprocal rank and other metrics, ICTIR 2021, equation 8.

    Example: grades 1 0 2 -, R = 2: nerr8_2 0.3333, nerr8_5 0.5000, nerr8_5,of=ED 2.0000.
    """
    return Reader(k, lambda at: 1.0 - at.gain)


@user_model("nerr9", standard="NERR9", over=_AT_10, also=("cwl-eval NERReq9CWLMetric (k) max_rel=1",))
def nearly_err_9(k: int) -> Reader:
    """Nearly expected reciprocal rank, 9: as nerr8, for a reader who also loses patience as one over the rank falls.

    nerr9_k is EU with C_i = (1 - x_i) · i / (i + 1) for i < k, and 0 at k.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same; ir_measures requires max_rel, and moves higher grades to it,
    as clip=true does.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9.

    Example: grades 1 0 2 -, R = 2: nerr9_2 0.4000, nerr9_5 0.4706.
    """
    return Reader(k, lambda at: (1.0 - at.gain) * (at.i / (at.i + 1.0)))


@user_model("nerr10", standard="NERR10", options={**_P, **DEPTH}, also=("cwl-eval NERReq10CWLMetric (p) max_rel=1",))
def nearly_err_10(p: float, depth: int) -> Reader:
    """Nearly expected reciprocal rank, 10: as nerr8, for a reader who also goes on with probability p.

    nerr10 is EU with C_i = p · (1 - x_i) over the ranks i ≤ depth.

    Parameters: p, 0.9 unless given, above 0 and below 1; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10.

    Example: grades 1 0 2 -, R = 2: nerr10_p=0.5 0.4545, nerr10_p=0.5,of=ED 1.3750.
    """
    return Reader(depth, lambda at: (1.0 - at.gain) * p)


@user_model("nerr11", standard="NERR11", options={**_GOAL, **DEPTH}, also=("cwl-eval NERReq11CWLMetric (T) max_rel=1",))
def nearly_err_11(T: float, depth: int) -> Reader:
    """Nearly expected reciprocal rank, 11: as nerr8, for a reader who also goes on as that of insq does.

    nerr11 is EU with C_i = ((i + 2T - 1) / (i + 2T))² · (1 - x_i) over the ranks i ≤ depth.

    Parameters: T, 1 unless given, how much is wanted; and depth, 1000 unless given, the last rank.

    A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves higher grades to it, as clip=true does. The totals of cwl-eval lose those who go on from the last rank.

    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11.

    Example: grades 1 0 2 -, R = 2: nerr11_depth=3 0.4639, nerr11_T=2,depth=2 0.3788.
    """
    return Reader(depth, lambda at: (1.0 - at.gain) * _of_size(at, T))


@user_model(
    "tbg",
    standard="TBG",
    options={"halflife": RealParameter(224.0, 0.0, open=True), **DEPTH},
    also=("cwl-eval TBGCWLMetric (halflife) max_rel=1",),
    static=True,
    thrifty=True,
)
def time_biased_gain(halflife: float, depth: int) -> Reader:
    """Time-biased gain, as C/W/L has it: gain per result, for a reader half of whom are gone after every halflife.

    tbg is EU with C_i = 2^(-k_i / halflife) over the ranks i ≤ depth, where k_i is what rank i costs.

    Parameters: halflife, 224 unless given, in the unit of costs; and depth, 1000 unless given, the last rank.

    Where every result costs 1 it is cwl_rbp with p = 2^(-1 / halflife). A query without results has 0.

    Elsewhere: TBGCWLMetric of cwl-eval. The measure of the paper is a total, of=ETU, of gains and times that it has a
    model for; a document that was seen before gains nothing there, which judgments have to say here.

    Source: Mark D. Smucker and Charles L. A. Clarke, Time-based calibration of effectiveness measures, SIGIR 2012.

    Example: grades 2 0 1 -, R = 2: tbg_halflife=1 0.5625, tbg_halflife=1,of=ETU 1.1250.
    """
    return Reader(depth, lambda at: segments.exp2(-at.cost / halflife))


def _cost_at(ranked: Ranked, rank: int, unknown: float) -> Floats:
    """(q,) What the result at a rank costs, `unknown` where there is none, or no costs are known."""
    cost = np.full(ranked.size, unknown)
    if ranked.element is not None:
        there = np.flatnonzero(ranked.retrieved >= rank)
        known = np.array([cost for _, cost in ranked.settings.costs or ()])
        cost[there] = known[ranked.element[ranked.documents_of(there) + rank - 1]]
    return cost
