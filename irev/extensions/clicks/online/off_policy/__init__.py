"""Off-policy estimates: what users would have done with another ranking, from a log of what they did with those shown.

Under the position-based model a document is clicked if its position is examined, with a known propensity p, and the
document attracts, with an unknown γ: P(click at k) = p_k γ. So a click at position k counts f(r)/p_k, where r is the
rank of its document in the other ranking and f(r) = p_r. The sum is an unbiased estimate of Σ f(r) γ over the documents
shown, per impression: of the clicks that the other ranking would get, cut where the list shown ended.

A document that was not shown adds nothing to this sum, and at most f(r) to the truth, since γ is at most 1. So the
truth lies between the estimate and the estimate + Σ f(r) over the documents not shown. Intervals and tests are of both
bounds: `irev.extensions.clicks.ratios.Bounded`. `Estimates.support` is the share of Σ f(r) that the documents shown
have, and the self-normalised estimate is IPS divided by it: a guess, which supposes that documents not shown are as
good as the others.

Where only rankings are in the log, a document counts only where it was shown as the other ranking has it: at its rank
there (``item-position``), or in a list that is the other ranking's from its first to its last document (``list``).
Clicks are then divided by nothing, p being 1, and ``pooled`` divides by how often that was shown: the item-position and
the list estimator of Li et al. What is not shown so counts as not shown.

``pooled`` has all lists that a query was shown with speak for a document together, whoever made them. A document j of
the other ranking was shown for its query with propensities that add up to P, in whatever lists, and would have counted
f in each of these impressions, F in all, had the ranking been shown. Then each click on it counts F/P. These are the
weights of the balance heuristic, which take the lists of all loggers for those of one that draws among them (Veach and
Guibas, Optimally Combining Sampling Techniques for Monte Carlo Rendering, SIGGRAPH 1995; of logs Agarwal, Basu,
Schnabel and Joachims, Effective Evaluation Using Logged Bandit Feedback from Multiple Loggers, KDD 2017). By ``ips`` a
document counts where this list showed it, here where any did.

A doubly robust estimate adds a guess γ of the attraction of a document and corrects it by clicks: Σ f γ +
Σ (click - pγ) F/P (Dudík, Langford and Li, Doubly Robust Policy Evaluation and Learning, ICML 2011). With these weights
it is the same estimate whatever the guess: Fγ is added, and PγF/P taken away.

What is shown depends on lists and propensities alone, since a rule that looks at clicks selects estimates by their
error.

Joachims, Swaminathan and Schnabel, Unbiased Learning-to-Rank with Biased Feedback, WSDM 2017 (additive measures); Li,
Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen, Offline Evaluation of Ranking Policies with Click Models, KDD 2018
(clicks, and estimators under click models); Swaminathan and Joachims, The Self-Normalized Estimator for
Counterfactual Learning, NeurIPS 2015.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from irev.base.errors import InputError, UsageError, decimal, option
from irev.base.segments import Bools, Floats, Ints, opens, total
from irev.base.text import counted
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks.events.log import Impressions, Log
from irev.extensions.clicks.events.rows import TextColumn
from irev.extensions.clicks.events.schema import DROP
from irev.extensions.clicks.inputs import first_of_runs, propensities_of
from irev.extensions.clicks.online import LIST, POSITION, OffPolicyChoices
from irev.extensions.clicks.online.by_user import ByUser, Columns, Users, sorted_sums
from irev.extensions.clicks.online.logs import of_log
from irev.extensions.clicks.online.off_policy.finding import (
    ESTIMATORS,
    IPS,
    NORMALISED,
    POOLED,
    SHOWN,
    Estimates,
    MethodEstimate,
)
from irev.extensions.clicks.ratios import Bounded, ExactSum, Jackknife
from irev.ranking.ranking import First
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Words


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
        self._begins = np.cumsum(self._depth) - self._depth
        order = np.argsort(key)
        self._key, self._query, self._document, self._rank = key[order], query[order], document[order], rank[order]

    def __len__(self) -> int:
        return len(self._key)

    def pair(self, query: Words, rank: Ints) -> Ints:
        """A number for the document of each query at a rank, which has one: below ``len(ranking)``."""
        found: Ints = self._begins[np.searchsorted(self._queries, query)] + rank - 1
        return found

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


NEVER = "never shown"
"""Name of the column with the most that documents shown in no list could count."""


class LookSums:
    """The sums for the effective number of looks, Σ p w and Σ p w² over documents shown, clicked or not."""

    def __init__(self) -> None:
        self._sum, self._squares = ExactSum(), ExactSum()

    def add(self, sums: Floats, squares: Floats) -> None:
        """Add Σ p w and Σ p w² of some impressions."""
        self._sum.add(sums)
        self._squares.add(squares)

    @property
    def effective(self) -> float:
        """(Σ p w)²/Σ p w²; 0 of nothing."""
        squares = self._squares.value
        return self._sum.value**2 / squares if squares else 0.0


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


class _Sums:
    """Sums of positive numbers by pair, the same in whatever order they come: equal ones are counted."""

    def __init__(self, pairs: int) -> None:
        self._pairs = pairs
        self._rows: list[tuple[Ints, Floats, Ints]] = []

    def add(self, pair: Ints, value: Floats) -> None:
        """Take numbers."""
        self._rows.append(_counted(pair, value, np.ones(len(pair), dtype=np.int64)))
        if len(self._rows) > 64:
            self._rows = [self._merged()]

    def _merged(self) -> tuple[Ints, Floats, Ints]:
        pair, value, often = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        return _counted(pair, value, often)

    def sums(self) -> Floats:
        """(pairs,) The sum of each."""
        if not self._rows:
            return np.zeros(self._pairs)
        pair, value, often = self._merged()
        return np.bincount(pair, value * often, self._pairs).astype(np.float64, copy=False)


def _counted(pair: Ints, value: Floats, often: Ints) -> tuple[Ints, Floats, Ints]:
    """Different pairs and values, in order, and how often each is there."""
    order = np.lexsort((value, pair))
    pair, value = pair[order], value[order]
    begins = np.flatnonzero(opens(pair, value))
    return pair[begins], value[begins], np.add.reduceat(often[order], begins) if len(begins) else often[:0]


class PooledSums:
    """Sums for the pooled estimate: takes the documents of the other ranking for each impression, then gives each
    user's sums.

    Parameters
    ----------
    pairs : int
        Documents of the other ranking, over all queries.
    """

    def __init__(self, pairs: int) -> None:
        self._would, self._looks = _Sums(pairs), _Sums(pairs)

    def add(self, pair: Ints, worth: Floats, propensity: Floats) -> None:
        """Take documents: what each would count in an impression, and with what propensity it was shown there, 0 where
        it was not."""
        there = propensity > 0
        self._would.add(pair, worth)
        self._looks.add(pair[there], propensity[there])

    def settle(self) -> None:
        """Compute the weights, once all impressions are taken."""
        shown = self._looks.sums()
        self._ever = shown > 0
        self.weight = np.where(self._ever, self._would.sums() / np.where(self._ever, shown, 1.0), 0.0)

    def columns(self, users: Users) -> Columns:
        """What is added for each user: by the estimate, and of documents that were never shown."""
        items, of, n = users.items, users.item_of, len(users.place)
        pair = items["pair"]
        return {
            POOLED: sorted_sums(self.weight[pair] * items["clicked"], of, n),
            NEVER: sorted_sums(np.where(self._ever[pair], 0.0, items["worth"]), of, n),
        }


_BEYOND = {IPS: "missed", POOLED: NEVER}
"""What the lower end of each estimate leaves out."""

_SUMS = (SHOWN, IPS, "covered", "mass", "missed")
_COLUMNS = ("impressions", *_SUMS, POOLED, NEVER)
"""What is added for each user: impressions; Σ f/p over clicks, by the list shown and the other; Σ f(r) of
documents shown, of all that the other ranking has, and of what each estimate leaves out."""

_LEAST = 1e-100
"""Propensities below count as this much, so that squares of weights are finite: nobody looks there either way."""

Linear = Mapping[str, int]
"""How often each column is in a sum."""

_LESS = f" - {SHOWN}"

_ENDS: dict[str, tuple[Linear, Linear]] = {
    SHOWN: ({SHOWN: 1}, {SHOWN: 1}),
    **{name: ({name: 1}, {name: 1, missed: 1}) for name, missed in _BEYOND.items()},
    **{name + _LESS: ({name: 1, SHOWN: -1}, {name: 1, missed: 1, SHOWN: -1}) for name, missed in _BEYOND.items()},
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
        self._pooled = PooledSums(len(ranking))
        self._looks = {name: LookSums() for name in (IPS, POOLED)}
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
        rank = self._alike(self._ranking.rank(some.query[owner], document), place, owner, cut)
        covered = value.of(rank, owner)
        weight, as_shown = covered / propensity, value.of(place + 1, owner) / propensity
        mass, seen, clicked = value.mass(np.minimum(cut, depth)), total(covered, owner, n), some.clicked
        columns: Columns = {
            **{name: total(of[clicked], owner[clicked], n) for name, of in ((SHOWN, as_shown), (IPS, weight))},
            **{"covered": seen, "mass": mass, "missed": np.maximum(mass - seen, 0.0)},
        }
        self._users.add(some, columns)
        self._pool(some, value, np.minimum(cut, depth), rank, propensity, as_shown)
        self._looks[IPS].add(seen, total(covered * weight, owner, n))
        for name, of in ((SHOWN, as_shown), (IPS, weight), (IPS + _LESS, weight - as_shown)):
            self._steps[name].add(of, propensity)
        self._clicks += len(clicked)
        self._counted += int(np.count_nonzero(weight[clicked]))
        self._unranked += int(np.count_nonzero(depth == 0))

    def _alike(self, rank: Ints, place: Ints, owner: Ints, needed: Ints) -> Ints:
        """The ranks of documents that count where they were shown; 0 of others. `needed`: how many make up a list."""
        if self._wanted.model == POSITION:
            return rank
        same = rank == place + 1
        if self._wanted.model == LIST:
            found = np.bincount(owner[same & (place < needed[owner])], minlength=len(needed))
            same &= (found == needed)[owner]
        return np.where(same, rank, 0)

    def _pool(
        self, some: Impressions, value: _Values, deep: Ints, rank: Ints, propensity: Floats, as_shown: Floats
    ) -> None:
        """Take the first so many documents of the other ranking for each impression, shown there or not."""
        begins = np.cumsum(deep) - deep
        of = np.arange(len(deep)).repeat(deep)
        ranks = np.arange(len(of)) - begins[of] + 1
        shown = np.flatnonzero((rank > 0) & (rank <= deep[some.owner]))
        at = begins[some.owner[shown]] + rank[shown] - 1
        columns: Columns = {
            "pair": self._ranking.pair(some.query[of], ranks),
            "worth": value.of(ranks, of),
            **{name: np.zeros(len(of)) for name in ("propensity", "as_shown")},
            "clicked": np.zeros(len(of), dtype=np.int8),
        }
        clicked = np.zeros(len(rank), dtype=np.int8)
        clicked[some.clicked] = 1
        for name, column in (("propensity", propensity), ("as_shown", as_shown), ("clicked", clicked)):
            columns[name][at] = column[shown]
        self._pooled.add(columns["pair"], columns["worth"], columns["propensity"])
        self._users.add_items(some.user[of], columns)
        elsewhere = np.ones(len(rank), dtype=np.bool_)
        elsewhere[shown] = False
        self._steps[POOLED + _LESS].add(-as_shown[elsewhere], propensity[elsewhere])

    def _weigh(self, users: Users) -> None:
        """See how much looks at single documents count, by the weights of all lists together."""
        shown = users.items["propensity"] > 0
        items, of, n = users.items[shown], users.item_of[shown], len(users.place)
        weight, looks = self._pooled.weight[items["pair"]], items["propensity"]
        self._looks[POOLED].add(sorted_sums(looks * weight, of, n), sorted_sums(looks * weight**2, of, n))
        self._steps[POOLED].add(weight, looks)
        self._steps[POOLED + _LESS].add(weight - items["as_shown"], looks)

    def _columns(self, some: Users) -> dict[str, Floats]:
        return {
            "impressions": some.impressions.astype(np.float64),
            **{name: some.sums[name] for name in _SUMS},
            **self._pooled.columns(some),
        }

    def _propensity(self, some: Impressions, place: Ints) -> Floats:
        if self._wanted.model != POSITION:
            return np.ones(len(place))
        if self._positions is not None:
            most = len(self._positions)
            why = f"there are propensities for {most:,} positions"
            self._require(some, some.length <= most, "so short a list", why)
            return self._positions[place]
        given = some.given.get("propensities", np.zeros(len(some), dtype=np.bool_)) | (some.length == 0)
        self._require(
            some, given, "propensities", "--propensities FILE has one for each position; --model list needs none"
        )
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
        users, sums = 0, {name: ExactSum() for name in _COLUMNS}
        self._pooled.settle()
        for some in self._users:
            users += len(some.impressions)
            self._weigh(some)
            for name, each in self._columns(some).items():
                sums[name].add(each)
        whole = {name: each.value for name, each in sums.items()}
        if not users:
            raise InputError("there are no impressions to estimate from")
        if self._unranked == whole["impressions"]:
            raise InputError(
                "the other ranking has no query of the log", "", "are the ids of queries the same in both?"
            )
        n = whole["impressions"]
        shown = whole[SHOWN] / n
        support = whole["covered"] / whole["mass"] if whole["mass"] else None
        pooled = 1 - whole[NEVER] / whole["mass"] if whole["mass"] else None
        ends = self._bounded(whole)
        found = []
        for name in ESTIMATORS:
            seen = POOLED if name == POOLED else IPS
            looks, heaviest = self._looks[seen], self._steps[seen].up
            if looks.effective < self._wanted.effective:
                found.append(MethodEstimate(name, effective=looks.effective, heaviest=heaviest))
            elif name == NORMALISED:
                value = whole[IPS] / n * (whole["mass"] / whole["covered"])
                found.append(
                    MethodEstimate(name, value, difference=value - shown, effective=looks.effective, heaviest=heaviest)
                )
            else:
                own, apart = ends[name], ends[name + _LESS]
                supported = pooled if name == POOLED else support
                known = supported is None or supported >= self._wanted.support
                found.append(
                    MethodEstimate(
                        name,
                        own.low.value,
                        own.high.value,
                        own.interval(self._wanted.confidence),
                        apart.low.value,
                        apart.high.value,
                        apart.interval(self._wanted.confidence) if known else None,
                        apart.p_of_zero() if known else None,
                        looks.effective,
                        heaviest,
                    )
                )
        if all(each.value is None for each in found):
            rest = decimal(round(max(each.effective for each in found), 1))
            fact = (
                f"the estimates are based on only {rest} effective looks, fewer than {decimal(self._wanted.effective)}"
            )
            raise InputError(
                fact, "", "use a longer log, a ranking more similar to what was shown, or a lower --min-effective"
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
            pooled,
            tuple(found),
        )

    def _bounded(self, whole: Mapping[str, float]) -> dict[str, Bounded]:
        """What is in `_ENDS`, given the sums of all users."""
        n = whole["impressions"]
        taken = [
            (end, Jackknife(math.fsum(times * whole[column] for column, times in end.items()) / n, n))
            for ends in _ENDS.values()
            for end in ends
        ]
        for some in self._users:
            columns = self._columns(some)
            for end, jackknife in taken:
                y = np.sum([times * columns[column] for column, times in end.items()], axis=0)
                jackknife.add(y, columns["impressions"])
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
    if choices.propensities is not None and choices.model != POSITION:
        fact = f"{option('propensities')} has no effect with {option('model', choices.model)}"
        raise UsageError(fact, remedy="choose one of both")
    run, *files = choices.files
    ((name, first),) = first_of_runs(inputs, [run], choices.cutoff)
    file, positions = propensities_of(inputs, choices.propensities)
    drop = choices.on_error == DROP
    find = partial(estimated, ranking=OtherRanking(first), wanted=choices, positions=positions, drop=drop)
    return replace(of_log(inputs, files, "looking at", find), run=name, file=file)
