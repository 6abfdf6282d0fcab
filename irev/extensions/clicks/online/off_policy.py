"""Off-policy estimates: what users would have done with another ranking, from a log of what they did with those shown.

Under the position-based model a document is clicked if its position is examined, with a known propensity p, and the
document attracts, with an unknown γ: P(click at k) = p_k γ. So a click at position k counts f(r)/p_k, where r is the
rank of its document in the other ranking and f(r) = p_r. The sum is an unbiased estimate of Σ f(r) γ over the documents
shown, per impression: of the clicks that the other ranking would get, cut where the list shown ended.

A document that was not shown adds nothing to this sum, and at most f(r) to the truth, since γ is at most 1. So the
truth lies between the estimate and the estimate + Σ f(r) over the documents not shown. Intervals and tests are of both
bounds: `irev.extensions.clicks.statistics.Bounded`. `Estimates.support` is the share of Σ f(r) that the documents shown
have, and the self-normalised estimate is IPS divided by it: a guess, which supposes that documents not shown are as
good as the others.

What is shown depends on lists and propensities alone, since a rule that looks at clicks selects estimates by their
error.

Joachims, Swaminathan and Schnabel, Unbiased Learning-to-Rank with Biased Feedback, WSDM 2017; Swaminathan and
Joachims, The Self-Normalized Estimator for Counterfactual Learning, NeurIPS 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, decimal
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints, total
from irev.base.text import counted, interval, named, p_value, percent, real, signed
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks.events.log import Impressions, Log
from irev.extensions.clicks.events.rows import TextColumn
from irev.extensions.clicks.events.schema import DROP
from irev.extensions.clicks.online import OffPolicyChoices
from irev.extensions.clicks.online.by_user import ByUser, Columns
from irev.extensions.clicks.online.logs import LogFinding, first_of_runs, of_log, propensities_of
from irev.extensions.clicks.statistics import Bounded, ExactSum, Jackknife
from irev.output.finding import fields_of
from irev.output.report import Plain, Sheet, keyed, table
from irev.ranking.ranking import First
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Words
from irev.statistics.intervals import Interval
from irev.statistics.ratios import Ratio

SHOWN = "shown"
IPS, NORMALISED = ("ips", "self-normalised")


class MethodEstimate(NamedTuple):
    """An estimate of the other ranking.

    Attributes
    ----------
    name : str
        `IPS` or `NORMALISED`.
    value : float or None
        Per impression, if nobody clicks documents that were not shown. For ``self-normalised`` a guess: those are as
        good as the others. None where it rests on too few looks.
    bound : float or None
        The same, if everybody who looks at a document that was not shown clicks it. None for ``self-normalised``.
    interval : Interval or None
        For the truth, wherever it is between the two. None without them, and for fewer than two users.
    difference, bound_difference : float or None
        Both less what was shown.
    difference_interval : Interval or None
    p : float or None
        Of no difference, two-sided: of the one of both that is nearer to 0, and 1 where 0 lies between them. None, as
        the interval before, with too little support.
    effective : float
        (Σ p w)²/Σ p w² over documents shown, w being what a click counts: as many looks that all count alike would say
        as much. It does not depend on clicks.
    heaviest : float
        The most that a click could count.
    """

    name: str
    value: float | None = None
    bound: float | None = None
    interval: Interval | None = None
    difference: float | None = None
    bound_difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None
    effective: float = 0.0
    heaviest: float = 0.0


@dataclass(frozen=True, repr=False)
class Estimates(LogFinding):
    """What another ranking would have got, as `irev.off_policy` gives it.

    Beside what every `LogFinding` has:

    Attributes
    ----------
    wanted : OffPolicyChoices
    impressions, users, clicks : int
        Clicks on a document again are not counted.
    unranked : int
        Impressions of queries that the other ranking does not have, and so shows nothing for.
    counted : int
        Clicks on documents that it has high enough.
    shown : float
        The same, of the lists that were shown.
    shown_interval : Interval or None
    shown_ratio : Ratio
        The same as a ratio over users, which says whether a few of them weigh much more than others.
    support : float or None
        The share of Σ f(r) of the other ranking that documents shown have, over all impressions; None of nothing.
    estimates : tuple of Estimate
    run : str
        What the ranking is called.
    file : str or None
        What propensities were read from; empty where they were handed in, None where they are in the log.
    """

    wanted: OffPolicyChoices
    impressions: int
    users: int
    clicks: int
    unranked: int
    counted: int
    shown: float
    shown_interval: Interval | None
    shown_ratio: Ratio
    support: float | None
    estimates: tuple[MethodEstimate, ...]
    run: str = ""
    file: str | None = None

    columns = (
        *("estimator", "value", "bound", "low", "high"),
        *("difference", "bound_difference", "difference_low", "difference_high", "p", "effective", "heaviest"),
    )
    texts = frozenset({"estimator"})
    exact = frozenset({"p"})

    @property
    def unsupported(self) -> bool:
        """Whether there is too little support to tell differences from chance."""
        return self.support is not None and self.support < self.wanted.support

    @property
    def title(self) -> str:
        return f"Estimated clicks of {named(self.run)} from {counted(self.users, 'user')}"

    @property
    def _what(self) -> str:
        wanted = self.wanted
        cutoff = "" if wanted.cutoff is None else f" of the first {wanted.cutoff:,}"
        return f"clicks per impression{cutoff}"

    @property
    def sheets(self) -> Iterator[Sheet]:
        digits = self.look.digits
        level = percent(self.wanted.confidence)
        rows = [
            {
                "estimator": SHOWN,
                self._what: real(self.shown, digits),
                level: interval(self.shown_interval, digits, sign=False),
            },
            *(
                {
                    "estimator": each.name,
                    self._what: between(real, each.value, each.bound, digits),
                    level: interval(each.interval, digits, sign=False),
                    "difference": between(signed, each.difference, each.bound_difference, digits),
                    f"{level} of it": interval(each.difference_interval, digits),
                    "p": p_value(each.p),
                    "effective": f"{each.effective:,.1f}",
                    "heaviest": real(each.heaviest, digits),
                }
                for each in self.estimates
            ),
        ]
        yield table("", ("estimator",), None, rows)

    @property
    def doubts(self) -> Iterator[str]:
        if self.unsupported:
            yield unsupported_note(self)
        if self.shown_ratio.heavy:
            yield heavy_users(self)

    def said(self) -> Iterator[str]:
        yield (
            f"{SHOWN}: the lists of the log, {counted(self.impressions, 'impression')} and"
            f" {counted(self.clicks, 'click')}, of which {self.counted:,} are on documents that this ranking has."
            f" {IPS}: each click counts as its document would in this ranking, divided by the propensity of where it"
            " was shown."
        )
        yield self.supported
        yield from self.doubts
        yield (
            "effective: effective number of looks at shown documents, with or without a click; heaviest: the "
            "largest weight of a click."
        )
        if self.unranked:
            yield (
                f"{counted(self.unranked, 'impression')} of queries that this ranking lacks: it gets no clicks there."
            )
        given = "in the log" if self.file is None else f"of {named(self.file)}" if self.file else "that were given"
        yield (
            f"Propensities: those {given}. The estimates assume that these are right, and that only position "
            "decides whether users look at a document. Intervals and p are over users."
        )

    @property
    def supported(self) -> str:
        """What part of the ranking the log knows of, in a sentence."""
        support = self.support
        if support is None:
            return "This ranking shows nothing."
        return (
            f"Support: {real(support, self.look.digits)} of the weight of this ranking is on documents that were "
            "shown. The log has no information about the others. So an estimate is a range, from no click on "
            "them to a click at every look, and intervals contain the range. p is "
            f"for the end of the range that is nearer to no difference. {NORMALISED} is a guess without interval "
            f"and p: {IPS} divided by the support, which assumes that documents that users did not see are as good "
            "as the others."
        )

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        yield (SHOWN, self.shown, None, *(self.shown_interval or (None, None)), *[None] * 7)
        for name, value, bound, span, difference, bound_difference, of_difference, *rest in self.estimates:
            spans = (span or (None, None)), (of_difference or (None, None))
            yield (name, value, bound, *spans[0], difference, bound_difference, *spans[1], *rest)

    @property
    def record(self) -> dict[str, Any]:
        wanted = self.wanted
        return {
            **self.stamp("irev off-policy"),
            "run": self.run,
            **fields_of(wanted, "cutoff"),
            "min_effective": wanted.effective,
            "min_support": wanted.support,
            "confidence": wanted.confidence,
            "propensities": self.file,
            **fields_of(self, "impressions", "users", "clicks", "unranked", "counted", "support"),
            "estimates": [keyed(self.columns, row) for row in self.rows],
        }

    def __repr__(self) -> str:
        first = ", ".join(f"{each.name} {between(real, each.value, each.bound, 4)}" for each in self.estimates)
        return f"<Estimates of {named(self.run)}: shown {self.shown:.4f}, {first}>"


def unsupported_note(found: Estimates) -> str:
    """The sentence of a ranking of which the log knows too little."""
    return (
        f"The support is {real(found.support, 4)}, less than {decimal(found.wanted.support)} (--min-support): too "
        f"much of this ranking was not seen by users. So differences have no p and no interval."
    )


def heavy_users(found: Estimates) -> str:
    """The sentence of users of whom a few weigh much more than others."""
    return (
        f"HEAVY USERS: {counted(found.users, 'user')} weigh as much as {found.shown_ratio.effective or 0.0:,.1f} "
        "with equally many impressions: the estimates have only the precision of so few users."
    )


def between(text: Callable[[float | None, int], str], low: float | None, high: float | None, digits: int) -> str:
    """Both ends of a bounded number, or the one that both are printed as."""
    ends = (text(low, digits), text(low if high is None else high, digits))
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


class OtherRanking:
    """The ranks of documents in another ranking, by the hashes that stand for queries and documents in a log."""

    def __init__(self, first: First) -> None:
        names = list(first)
        queries = _hashed(names)
        order = np.argsort(queries)
        self._queries = queries[order]
        lists = [first[names[place]] for place in order.tolist()]
        self._depth = np.array([len(documents) for documents in lists], dtype=np.int64)
        document = _hashed([each for documents in lists for each in documents])
        query = self._queries.repeat(self._depth)
        rank = np.arange(1, len(document) + 1) - (np.cumsum(self._depth) - self._depth).repeat(self._depth)
        key = _paired(query, document)
        order = np.argsort(key)
        self._key, self._query, self._document, self._rank = key[order], query[order], document[order], rank[order]

    def depth(self, query: Words) -> Ints:
        """How many documents a query has; 0 for one that is not there."""
        place = np.minimum(np.searchsorted(self._queries, query), max(len(self._queries) - 1, 0))
        if not len(self._queries):
            return np.zeros(len(query), dtype=np.int64)
        return np.where(self._queries[place] == query, self._depth[place], 0)

    def rank(self, query: Words, document: Words) -> Ints:
        """The rank of each document for its query, from 1; 0 for one that is not there."""
        if not len(self._key):
            return np.zeros(len(query), dtype=np.int64)
        place = np.minimum(np.searchsorted(self._key, _paired(query, document)), len(self._key) - 1)
        there = (self._query[place] == query) & (self._document[place] == document)
        return np.where(there, self._rank[place], 0)


def _hashed(ids: Sequence[bytes]) -> Words:
    """What stands for ids in a log."""
    flat = FlatIds.of(ids)
    return TextColumn(flat.text, flat.start.astype(np.int64), flat.length.astype(np.int64)).half(0)


def _paired(query: Words, document: Words) -> Words:
    """A key for each pair; it finds, and does not decide."""
    return (query ^ (query >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + document


class Steps:
    """How far one more click, or one fewer, could move a sum down and up.

    A click adds its weight w. A click that does not happen, of the p w that were expected at most, takes that away.
    """

    def __init__(self) -> None:
        self.down = self.up = 0.0

    def add(self, weight: Floats, propensity: Floats) -> None:
        """Take documents shown: what a click on each would add, and the propensity."""
        missed = weight * propensity
        self.up = max(self.up, float(weight.max(initial=0.0)), -float(missed.min(initial=0.0)))
        self.down = max(self.down, -float(weight.min(initial=0.0)), float(missed.max(initial=0.0)))


_COLUMNS = (SHOWN, IPS, "covered", "mass", "missed")
"""What is added for each user: Σ f/p over clicks, by the list shown and the other; Σ f(r) of documents shown, of all
that the other ranking has, and of what was not shown."""

_LEAST = 1e-100
"""Propensities below count as this much, so that squares of weights are finite: nobody looks there either way."""

Linear = Mapping[str, int]
"""How often each column is in a sum."""

DIFFERENCE = "difference"

_ENDS: dict[str, tuple[Linear, Linear]] = {
    SHOWN: ({SHOWN: 1}, {SHOWN: 1}),
    IPS: ({IPS: 1}, {IPS: 1, "missed": 1}),
    DIFFERENCE: ({IPS: 1, SHOWN: -1}, {IPS: 1, "missed": 1, SHOWN: -1}),
}
"""Both ends of what is estimated, as sums over impressions."""


class OffPolicy:
    """Takes impressions, in any order and number, and then has `estimates`: the same in any order, to the last bit.

    Parameters
    ----------
    log : Log
    ranking : OtherRanking
    wanted : OffPolicyChoices
    positions : (k,), optional
        Propensities of positions 1 to k; without them, the log's.
    memory : int, optional
        As in `irev.extensions.clicks.events.spill.Spill`.
    """

    def __init__(
        self,
        log: Log,
        ranking: OtherRanking,
        wanted: OffPolicyChoices,
        positions: Floats | None = None,
        memory: int | None = None,
    ) -> None:
        self._log, self._ranking, self._wanted, self._positions = log, ranking, wanted, positions
        self._users = ByUser(memory)
        self._looks, self._squares = ExactSum(), ExactSum()
        self._steps = {name: Steps() for name in _ENDS}
        self._clicks = self._counted = self._unranked = 0

    def close(self) -> None:
        """Let go of what was taken."""
        self._users.close()

    def add(self, some: Impressions) -> None:
        """Take some impressions.

        Raises
        ------
        InputError
            For one without a query, documents or propensities, with its place.
        """
        n, wanted, owner, start = len(some), self._wanted, some.owner, some.start
        self._require(
            some, some.length >= 0, "documents", "it is not known which documents of the other ranking were shown"
        )
        self._require(some, some.query != 0, "query", "the other ranking has queries")
        place = np.arange(len(owner)) - start[owner]
        propensity = np.maximum(self._propensity(some, place), _LEAST)
        cut = some.length if wanted.cutoff is None else np.minimum(some.length, wanted.cutoff)
        depth = self._ranking.depth(some.query)
        document = some.lists.get("documents", np.empty(0, dtype=np.uint64))
        value = _Values(propensity, start, cut)
        rank = self._ranking.rank(some.query[owner], document)
        covered = value.of(rank, owner)
        weight, as_shown = covered / propensity, value.of(place + 1, owner) / propensity
        mass, seen, clicked = value.mass(np.minimum(cut, depth)), total(covered, owner, n), some.clicked
        columns: Columns = {
            **{name: total(of[clicked], owner[clicked], n) for name, of in ((SHOWN, as_shown), (IPS, weight))},
            **{"covered": seen, "mass": mass, "missed": np.maximum(mass - seen, 0.0)},
        }
        self._users.add(some, columns)
        self._looks.add(seen)
        self._squares.add(total(covered * weight, owner, n))
        for name, of in ((SHOWN, as_shown), (IPS, weight), (DIFFERENCE, weight - as_shown)):
            self._steps[name].add(of, propensity)
        self._clicks += len(clicked)
        self._counted += int(np.count_nonzero(weight[clicked]))
        self._unranked += int(np.count_nonzero(depth == 0))

    def _propensity(self, some: Impressions, place: Ints) -> Floats:
        if self._positions is not None:
            most = len(self._positions)
            why = f"there are propensities for {most:,} positions"
            self._require(some, some.length <= most, "so short a list", why)
            return self._positions[place]
        given = some.given.get("propensities", np.zeros(len(some), dtype=np.bool_)) | (some.length == 0)
        self._require(some, given, "propensities", "--propensities FILE has one for each position")
        found: Floats = some.lists.get("propensities", np.empty(0))
        return found

    def _require(self, some: Impressions, there: Bools, what: str, why: str) -> None:
        if not there.all():
            place = self._log.where(int(some.place[np.argmin(there)]))
            raise InputError(f"the impression has no {what}", place, why)

    def estimates(self) -> Estimates:
        """All that was counted.

        Raises
        ------
        InputError
            Without impressions, and where all estimates rest on too few looks.
        """
        users, n = 0, 0.0
        sums = {name: ExactSum() for name in _COLUMNS}
        for some in self._users:
            users += len(some.impressions)
            n += float(some.impressions.sum())
            for name, each in sums.items():
                each.add(some.sums[name])
        whole = {name: each.value for name, each in sums.items()}
        if not users:
            raise InputError("there are no impressions to estimate from")
        if self._unranked == n:
            raise InputError(
                "the other ranking has no query of the log", "", "are the ids of queries the same in both?"
            )
        shown, mass, covered = whole[SHOWN] / n, whole["mass"], whole["covered"]
        support = covered / mass if mass else None
        ends, squares = self._bounded(whole, n), self._squares.value
        effective, heaviest = self._looks.value**2 / squares if squares else 0.0, self._steps[IPS].up
        if effective < self._wanted.effective:
            rest, least = decimal(round(effective, 1)), decimal(self._wanted.effective)
            fact = f"the estimates are based on only {rest} effective looks, fewer than {least}"
            remedy = "use a longer log, a ranking more similar to what was shown, or a lower --min-effective"
            raise InputError(fact, "", remedy)
        confidence, own, apart = self._wanted.confidence, ends[IPS], ends[DIFFERENCE]
        known = support is None or support >= self._wanted.support
        value = whole[IPS] / n * (mass / covered)
        found = (
            MethodEstimate(
                IPS,
                own.low.value,
                own.high.value,
                own.interval(confidence),
                apart.low.value,
                apart.high.value,
                apart.interval(confidence) if known else None,
                apart.p_of_zero() if known else None,
                effective,
                heaviest,
            ),
            MethodEstimate(NORMALISED, value, difference=value - shown, effective=effective, heaviest=heaviest),
        )
        return Estimates.of(
            self._log,
            self._wanted,
            round(n),
            users,
            self._clicks,
            self._unranked,
            self._counted,
            shown,
            ends[SHOWN].interval(self._wanted.confidence),
            ends[SHOWN].low,
            support,
            found,
        )

    def _bounded(self, whole: Mapping[str, float], n: float) -> dict[str, Bounded]:
        """What is in `_ENDS`, given the sums of all users."""
        taken = [
            (end, Jackknife(math.fsum(times * whole[column] for column, times in end.items()) / n, n))
            for ends in _ENDS.values()
            for end in ends
        ]
        for some in self._users:
            for end, jackknife in taken:
                y = np.sum([times * some.sums[column] for column, times in end.items()], axis=0)
                jackknife.add(y, some.impressions.astype(np.float64))
        ratios = iter([jackknife.ratio() for _, jackknife in taken])
        return {
            name: Bounded(next(ratios), next(ratios), self._steps[name].down / n, self._steps[name].up / n)
            for name in _ENDS
        }


def estimated(
    log: Log,
    ranking: OtherRanking,
    wanted: OffPolicyChoices,
    positions: Floats | None = None,
    *,
    drop: bool = False,
) -> Estimates:
    """What is known of another ranking from a log, whose impressions have not been taken yet.

    `drop` leaves out events with faults, for which `InputError` is raised otherwise; it is also for what `OffPolicy`
    refuses.
    """
    with closing(OffPolicy(log, ranking, wanted, positions)) as policy:
        for some in log.impressions():
            policy.add(some)
        if not drop:
            log.require_sound()
        return policy.estimates()


class _Values:
    """f(r) of some lists: the propensity at a rank."""

    def __init__(self, propensity: Floats, start: Ints, cut: Ints) -> None:
        self._propensity, self._start, self._cut = propensity, start, cut

    def of(self, rank: Ints, owner: Ints) -> Floats:
        """Of documents at these ranks, in lists; 0 where one has none, or is cut off."""
        there = (rank > 0) & (rank <= self._cut[owner])
        return np.where(there, self._propensity[self._start[owner] + np.where(there, rank, 1) - 1], 0.0)

    def mass(self, deep: Ints) -> Floats:
        """Of the first so many ranks of each list, together."""
        owner = np.arange(len(deep)).repeat(deep)
        rank = np.arange(len(owner)) - (np.cumsum(deep) - deep)[owner]
        return total(self._propensity[self._start[owner] + rank], owner, len(deep))


def answer(inputs: Inputs, choices: OffPolicyChoices) -> Estimates:
    """What a run would have got from the users of a log."""
    inputs.settings.require_ranks()
    if len(choices.files) < 2:
        raise UsageError(f"expected RUN and at least one LOG, but got {counted(len(choices.files), 'file')}")
    run, *files = choices.files
    ((name, first),) = first_of_runs(inputs, [run], choices.cutoff)
    file, positions = propensities_of(inputs, choices.propensities)
    drop = choices.on_error == DROP
    find = partial(estimated, ranking=OtherRanking(first), wanted=choices, positions=positions, drop=drop)
    return replace(of_log(inputs, files, "looking at", find), run=name, file=file)
