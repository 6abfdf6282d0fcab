"""Interleaved lists: which of two systems users prefer. The finding and its report come first, then how it is computed.

`irev.extensions.clicks.online.interleave` has what an impression is worth to A and to B; the one with more wins it.
One without a click says nothing and is no tie. Impressions of one user are not independent, so what is tested is users:
a user is for the system to which all clicks of the user are worth more, and the sign test asks whether more users are
for one of them. Of probabilistic lists the mean credit decides instead: shares of clicks at random are 1/2 on average,
and not in the median, so that signs lean to one side when there is nothing to see. So they do of lists by team draft as
soon as a run ends before its list and documents of the other, which are nobody's, fill it.

A list that is drawn once and shown to everybody has the same luck for all users: clicks by position alone favour
whichever run its coins put on top. Where lists repeat more often than lists that are drawn for every impression would,
the mean credit decides, and the test treats both users and lists as random.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints, total
from irev.base.text import counted, interval, named, p_value, percent, plain, real, signed
from irev.evaluation.comparison.contrasts import BETTER, NOT_SHOWN
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks.events.log import Impressions, Log
from irev.extensions.clicks.events.rows import numbered
from irev.extensions.clicks.events.schema import DROP, INTERLEAVED, NOBODY, A
from irev.extensions.clicks.online import LogChoices
from irev.extensions.clicks.online.by_user import ByUser, Users, float_sums
from irev.extensions.clicks.online.interleave import LEAN, LEAN_IF_FILLED, METHODS
from irev.extensions.clicks.online.logs import (
    PER_USER,
    Clicks,
    at_every_look,
    compared,
    looks_at,
    of_log,
    require_sound,
)
from irev.extensions.clicks.statistics import ExactSum, Jackknife, crossed, lead, signs
from irev.output.finding import fields_of
from irev.output.report import MARK, Cell, Plain, Sheet, Texts, table
from irev.reading.ids import Words
from irev.statistics import ratios
from irev.statistics.intervals import Interval
from irev.statistics.paired import TestResult, of_outcomes
from irev.statistics.ratios import Looks, Ratio

_OUTCOMES = ("of", "a", "b", "n", "for_a", "ties", "for_b", "delta", "low", "high", "p", "method", "finding")


class Wins(NamedTuple):
    """Wins of A, ties, and wins of B; and how far that is from a tie, with its interval over users.

    Attributes
    ----------
    a, ties, b : int
    delta : float or None
        (wins of A + ties/2)/(wins of either + ties) - 1/2, from -1/2 to 1/2: Δ_AB of Chapelle, Joachims, Radlinski and
        Yue, Large-Scale Validation and Analysis of Interleaved Search Evaluation, ACM TOIS 30(1), 2012. None where
        there are none of the three.
    interval : Interval or None
        Of it, by `irev.extensions.clicks.statistics.lead`, for as many as independent ones would say as much; None of
        fewer than two users, and of users where lists are shared.
    """

    a: int
    ties: int
    b: int
    delta: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Preference:
    """What users prefer.

    Attributes
    ----------
    names : tuple of str
        Of A and B.
    method : str
    impressions, clicked : int
        All, and those with a click.
    users, users_clicked : int
    of_impressions, of_users : Wins
        Users with a click, each for the system to which the user's clicks are worth more.
    test : TestResult
        The sign test of users; its statistic is how many are for A. Without p where lists are shared.
    credit_a, credit_b : float
        In all.
    credit : Ratio
        What an impression with a click is worth to A, less what it is to B; its standard error is over users, and over
        lists too where these are shared.
    credit_interval : Interval or None
    credit_p : float or None
        Of a mean credit of 0.
    filled : int
        Impressions of lists with documents that are nobody's, since a run had ended.
    lists : int
        Different lists with a click: of a query, documents and teams.
    shared : bool
        Whether several users have the same ones more often than if lists were drawn for each of them.
    named : bool
        Whether every impression names its query. Where one does not, lists of the same documents are taken for those of
        a query, and lists that are drawn for every impression may look shared.
    by_mean : bool
        Whether the mean credit decides, and not the sign test.
    finding : str
        ``A`` or ``B``, the system that is shown to be preferred, or `NOT_SHOWN`.
    plan : LogChoices
    """

    names: tuple[str, str]
    method: str
    impressions: int
    clicked: int
    users: int
    users_clicked: int
    of_impressions: Wins
    of_users: Wins
    test: TestResult
    credit_a: float
    credit_b: float
    credit: Ratio
    credit_interval: Interval | None
    credit_p: float | None
    filled: int
    lists: int
    shared: bool
    named: bool
    by_mean: bool
    finding: str
    plan: LogChoices


@dataclass(frozen=True, repr=False)
class ListClicks(Clicks):
    """Which of two runs users prefer."""

    found: Preference

    @property
    def title(self) -> str:
        return f"Clicks on interleaved lists of {' and '.join(map(named, self.found.names))}"

    @property
    def _p(self) -> float | None:
        """The p-value of the test that decides."""
        return self.found.credit_p if self.found.by_mean else self.found.test.p

    # For people

    @property
    def lead(self) -> Iterator[str]:
        found = self.found
        a, b = map(named, found.names)
        if found.finding == NOT_SHOWN:
            yield f"No preference for {a} or {b} is shown. This does not mean that users have none."
        else:
            preferred, other = (a, b) if found.finding == "A" else (b, a)
            test = "mean credit" if found.by_mean else "sign test"
            yield f"Users prefer {preferred} to {other} (p {compared(self._p)}, {test})."

    @property
    def sheets(self) -> Iterator[Sheet]:
        found, digits = self.found, self.look.digits
        a, b = map(named, found.names)
        if a == b:
            a, b = f"{a} (A)", f"{b} (B)"
        span = f"{percent(found.plan.confidence)} interval"
        shown = found.finding != NOT_SHOWN
        rows: list[Texts] = [
            {
                "of": of,
                f"for {a}": f"{outcome.a:,}",
                "ties": f"{outcome.ties:,}",
                f"for {b}": f"{outcome.b:,}",
                "delta": signed(outcome.delta, digits),
                span: interval(outcome.interval, digits),
                "p": p,
            }
            for of, outcome, p in (
                ("users", found.of_users, Cell(p_value(found.test.p), significant=shown and not found.by_mean)),
                ("impressions", found.of_impressions, Cell("")),
            )
        ]
        rows.append(
            {
                "of": "credit",
                f"for {a}": real(found.credit_a, digits),
                f"for {b}": real(found.credit_b, digits),
                "delta": signed(found.credit.value, digits),
                span: interval(found.credit_interval, digits),
                "p": Cell(p_value(found.credit_p), significant=shown and found.by_mean),
            }
        )
        yield table("", ("of",), None, rows)

    @property
    def doubts(self) -> Iterator[str]:
        if self.found.shared:
            yield shared(self.found)
        if self.found.credit.heavy:
            yield heavy_users(self.found)

    def said(self) -> Iterator[str]:
        found, plan = self.found, self.found.plan
        a = named(found.names[0])
        over = "users and lists" if found.shared else "users"
        yield (
            f"{found.method}: {counted(found.clicked, 'impression')} of {found.impressions:,} with a click, by "
            f"{counted(found.users_clicked, 'user')} of {found.users:,}; the others give no information. A user "
            "prefers the system to which"
            + (" the user's clicks" if plan.sequential is None else " the user's first clicks with a credit")
            + " are worth more."
        )
        if plan.sequential is not None:
            yield at_every_look(plan.sequential)
        decides = "the mean credit decides" if found.by_mean else "the sign test of users decides"
        exact = "" if plan.sequential is None else ", except for users, whose interval is that of the mixture"
        signs = "none, because lists are shared" if found.shared else found.test.method
        yield (
            f"{MARK} p ≤ {decimal(plan.alpha)}, two-sided: {decides}. Sign test: {signs}. delta: (wins of {a} + "
            f"ties/2)/all - 1/2, with score intervals{exact}; credit: per impression with a click, {a} minus the "
            f"other. Errors are computed over {over}, by the jackknife."
        )
        yield from self.doubts
        least = 2.0 ** (1 - found.of_users.a - found.of_users.b)
        if not found.by_mean and least > plan.alpha and plan.sequential is None:
            yield (
                "So few users prefer a system that no outcome could be significant: the lowest possible p is"
                f" {p_value(min(least, 1.0))}."
            )
        if found.by_mean and not found.shared and METHODS[found.method].signs == LEAN:
            yield "Where credit is shared by probabilities, signs favour one side even when clicks are random."
        elif found.by_mean and not found.shared:
            yield (
                f"In {found.filled:,} of {counted(found.impressions, 'list')}, one run ran out of documents: "
                "there signs favour one side even when clicks are random."
            )

    # For programs

    columns = _OUTCOMES
    texts = frozenset({"of", "a", "b", "method", "finding"})
    exact = frozenset({"p"})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        found = self.found
        by_sign, by_mean = (None, self._finding()) if found.by_mean else (self._finding(), None)
        credit = (found.credit_a, None, found.credit_b, found.credit.value)
        for of, n, numbers, span, p, finding in (
            ("users", found.users_clicked, found.of_users[:4], found.of_users.interval, found.test.p, by_sign),
            ("impressions", found.clicked, found.of_impressions[:4], found.of_impressions.interval, None, None),
            ("credit", found.clicked, credit, found.credit_interval, found.credit_p, by_mean),
        ):
            yield (of, *found.names, n, *numbers, *(span or (None, None)), p, found.method, finding)

    def _finding(self) -> str:
        found = self.found
        return NOT_SHOWN if found.finding == NOT_SHOWN else f"{found.finding} {BETTER}"

    @property
    def record(self) -> dict[str, Any]:
        found = self.found
        low, high = found.credit_interval or (None, None)
        return {
            **self.stamp("irev preference"),
            "method": found.method,
            "a": found.names[0],
            "b": found.names[1],
            "plan": fields_of(found.plan, "confidence", "alpha", "sequential"),
            "clicked": found.clicked,
            "users": {
                **_recorded(found.of_users),
                "all": found.users,
                "p": found.test.p,
                "test": found.test.method,
            },
            "finding": self._finding(),
            "impressions": _recorded(found.of_impressions),
            "filled": found.filled,
            "lists": {"different": found.lists, "shared": found.shared},
            "decides": "credit" if found.by_mean else "sign",
            "credit": {
                "a": plain(found.credit_a),
                "b": plain(found.credit_b),
                "difference": found.credit.value,
                "error": found.credit.error,
                "low": low,
                "high": high,
                "p": found.credit_p,
            },
        }


def shared(found: Preference) -> str:
    """The caution about lists that were drawn once and shown to several users."""
    unsure = (
        ""
        if found.named
        else " The log does not name all queries. So lists are recognised by their documents, and some may only "
        "seem to be shared: name the queries."
    )
    return (
        f"SHARED LISTS: {counted(found.clicked, 'impression')} with a click show {counted(found.lists, 'list')}, "
        "fewer than if a list had been drawn for each user. Users with the same list share its random draw. So "
        "errors are over users and lists, and the sign test of users has no p. Draw a list for every impression, "
        f"or many for each query (irev online interleave --draws).{unsure}"
    )


def heavy_users(found: Preference) -> str:
    """The caution about users, or lists, a few of which weigh much more than others."""
    units = "lists" if found.shared and found.credit.n == found.lists else "users"
    return (
        f"HEAVY {units.upper()}: {found.credit.n:,} {units} weigh as much as {found.credit.effective or 0.0:,.1f} "
        "with equally many clicks would: the mean credit is not known better than from so few."
    )


def _recorded(outcome: Wins) -> dict[str, Any]:
    names = ("wins_a", "ties", "wins_b", "delta", "low", "high")
    return dict(zip(names, (*outcome[:4], *(outcome.interval or (None, None))), strict=True))


SURPRISING = 3.0
"""Lists repeat by more than chance where so many standard deviations more pairs of impressions have the same one, each
pair by two users."""

MOST_COINS = 60
"""More coins than these count as these: two lists that so many decide about are never the same."""

SAME = 1e-9
"""Credits that differ by less are equal: sums of shares round."""


class Interleavings:
    """Takes impressions, and then says which system users prefer."""

    def __init__(self, log: Log, memory: int | None = None) -> None:
        self._log = log
        self._users, self._lists = ByUser(memory), ByUser(memory)
        self._credit, self._apart = (ExactSum(), ExactSum()), ExactSum()
        self._filled, self._named = 0, True

    def add(self, some: Impressions) -> None:
        """Take some impressions."""
        clicked = np.bincount(some.click_of, minlength=len(some)) > 0
        a, b = self._credited(some)
        apart = np.where(np.abs(a - b) <= SAME, 0.0, a - b)
        for sum_, credit in zip((*self._credit, self._apart), (a, b, apart), strict=True):
            sum_.add(credit)
        teams = some.lists.get("teams", np.zeros(len(some.owner), dtype=np.int8))
        self._filled += len(np.unique(some.owner[teams == NOBODY]))
        columns = {
            "clicked": clicked.astype(np.int8),
            "a": (apart > 0).astype(np.int8),
            "b": (apart < 0).astype(np.int8),
            "apart": apart,
        }
        shown = _lists_shown(some)
        self._users.add(some, columns, kept={"list": shown[:, 1]})
        of_teams = np.bincount(some.owner[teams != NOBODY], minlength=len(some))
        coins = np.minimum(METHODS[self._log.facts.method].coins(of_teams), MOST_COINS)
        self._lists.add(some, {**columns, "ways": np.where(clicked, 2.0**coins, 0.0), "user": some.user[:, 1]}, shown)
        self._named &= bool((some.query != 0).all())

    def _credited(self, some: Impressions) -> tuple[Floats, Floats]:
        """The credit of each impression. A click is its team's; where lists have shares, it is shared out by the
        probabilities that A, and that B, contributed the document, given the list: the credit by teams, in expectation
        over all ways in which the list could have come about. A document that is clicked again counts once, and one of
        nobody's not at all."""
        teams = some.lists.get("teams", np.zeros(len(some.owner), dtype=np.int8))
        items = some.clicked[teams[some.clicked] != NOBODY]
        of_a = (teams[items] == A).astype(np.float64)
        if self._log.facts.method == "probabilistic" and len(items):
            of_a = some.lists["shares"][items]
        of = some.owner[items]
        a, b = (np.bincount(of, worth, len(some)).astype(np.float64) for worth in (of_a, 1 - of_a))
        return a, b

    def close(self) -> None:
        """Let go of what was taken."""
        self._users.close()
        self._lists.close()

    def compare(self, plan: LogChoices) -> Preference:
        """What is found of all that was taken."""
        facts = self._log.facts
        users = impressions = users_clicked = 0
        won, sides = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
        for some in self._users:
            a, b, seen, apart = (some.sums[name] for name in ("a", "b", "clicked", "apart"))
            users += len(seen)
            impressions += int(some.impressions.sum())
            users_clicked += int(np.count_nonzero(seen))
            won += [int(each.sum()) for each in (a, seen - a - b, b)]
            side = np.where(np.abs(apart) <= SAME, 0, np.sign(apart))[seen > 0]
            if plan.sequential is not None:
                side = _first_decided(some)
            sides += [int(np.count_nonzero(side == each)) for each in (1, 0, -1)]
        clicked = int(won.sum())
        lists, shared = self._repeated()
        credit, of_wins = self._known(clicked, self._apart.value, float(won[0] - won[2]) / 2, shared)
        test, always = of_outcomes(int(sides[0]), int(sides[1]), int(sides[2]), "two-sided"), None
        if plan.sequential is not None:
            a, b = int(sides[0]), int(sides[2])
            always = signs(a, b, plan.sequential / PER_USER, plan.confidence)
            test = TestResult(float(a), always.p, f"beta-binomial mixture, {a:,} of {a + b:,} positive")
        if shared:
            test = replace(test, p=None, note="lists are shared, so users are not independent")
        looks = looks_at(impressions, plan.sequential)
        credit_p = ratios.p_of_zero(credit, looks)
        leaning = (LEAN, LEAN_IF_FILLED) if self._filled else (LEAN,)
        by_mean = shared or METHODS[facts.method].signs in leaning
        p, ahead = (credit_p, credit.value) if by_mean else (test.p, int(sides[0] - sides[2]))
        finding = ("A" if (ahead or 0) > 0 else "B") if p is not None and p <= plan.alpha else NOT_SHOWN
        each = np.repeat([0.5, 0.0, -0.5], sides)
        of_users = Ratio(None, None, 0) if shared else ratios.ratio(each, np.ones(len(each)))
        of_signs = _wins(sides, of_users, plan, looks)
        if always is not None and not shared and of_signs.delta is not None:
            of_signs = of_signs._replace(interval=Interval(*(end - 0.5 for end in always.interval)))
        return Preference(
            names=facts.names,
            method=facts.method,
            impressions=impressions,
            clicked=clicked,
            users=users,
            users_clicked=users_clicked,
            of_impressions=_wins(won, of_wins, plan, looks),
            of_users=of_signs,
            test=test,
            credit_a=self._credit[0].value,
            credit_b=self._credit[1].value,
            credit=credit,
            credit_interval=ratios.around(credit, plan.confidence, looks),
            credit_p=credit_p,
            filled=self._filled,
            lists=lists,
            shared=shared,
            named=self._named,
            by_mean=by_mean,
            finding=finding,
            plan=plan,
        )

    def _repeated(self) -> tuple[int, bool]:
        """How many different lists have a click, and whether users have the same ones by more than chance.

        Let m_u of m impressions of a query be by user u, n_i have list i, and n_iu both. Where lists are drawn for each
        impression, or for each user, with chances p, the mean of Σ (n_i² - Σ n_iu²)/p_i - (m² - Σ m_u²) is 0, and its
        variance at most 2((Σ m_u²)² - Σ m_u⁴)(Σ 1 - 1) for as many lists as there can be, which are as many as 1/p is
        on average: pairs of users are uncorrelated. What a user saw again is no luck that others share.
        """
        lists = 0
        more = variance = 0.0
        for some in self._lists:
            seen = some.sums["clicked"]
            there = seen > 0
            seen, ways = seen[there].astype(np.float64), some.sums["ways"][there] / seen[there]
            lists += len(seen)
            query, queries = numbered(some.key[there, 0], np.zeros(len(seen), dtype=np.uint64))
            shown = np.bincount(query, seen, queries)
            possible = np.bincount(query, seen * ways, queries) / shown
            clicked = some.columns["clicked"] > 0
            place = (np.cumsum(there) - 1)[some.of[clicked]]
            again = _squares(place, some.columns["user"][clicked], len(seen))[0]
            own, fourth = _squares(query[place], some.columns["user"][clicked], queries)
            more += float(((seen**2 - again) * ways).sum() - (shown**2 - own).sum())
            variance += float((2 * (own**2 - fourth) * (possible - 1)).sum())
        return lists, more > SURPRISING * variance**0.5

    def _known(self, clicked: int, apart: float, won: float, shared: bool) -> tuple[Ratio, Ratio]:
        """The credit of an impression with a click, A less B, and by how much more than half of them A wins."""
        if not clicked:
            return Ratio(None, None, 0), Ratio(None, None, 0)
        values = {"apart": apart / clicked, "won": won / clicked}

        def over(units: Iterator[_Units], alike: bool = False) -> list[Ratio]:
            found = {name: Jackknife(value, clicked, alike) for name, value in values.items()}
            for some in units:
                there = some.clicked > 0
                for name, jackknife in found.items():
                    jackknife.add(getattr(some, name)[there], some.clicked[there])
            return [jackknife.ratio() for jackknife in found.values()]

        found = over(_Units.of(some) for some in self._users)
        if shared:
            lists = over((_Units.of(some) for some in self._lists), alike=True)
            both = over(_Units.of_pairs(some) for some in self._users)
            found = [crossed(*each) for each in zip(found, lists, both, strict=True)]
        return found[0], found[1]


class _Units(NamedTuple):
    """Units that the test treats as random: impressions with a click, their credit, and A's wins above one half."""

    clicked: Floats
    apart: Floats
    won: Floats

    @classmethod
    def of(cls, some: Users) -> _Units:
        """Users, or lists."""
        a, b, clicked, apart = (some.sums[name].astype(np.float64) for name in ("a", "b", "clicked", "apart"))
        return cls(clicked, apart, (a - b) / 2)

    @classmethod
    def of_pairs(cls, some: Users) -> _Units:
        """Pairs of a user and a list."""
        pair, pairs = numbered(some.of.astype(np.uint64), some.columns["list"])
        a, b, clicked = (total(some.columns[name], pair, pairs).astype(np.float64) for name in ("a", "b", "clicked"))
        return cls(clicked, float_sums(some.columns["apart"], pair, pairs), (a - b) / 2)


def _squares(of: Ints, user: Words, n: int) -> tuple[Floats, Floats]:
    """Of n lists or queries Σ m² and Σ m⁴, m being how many of the impressions each user has; `of` says of which each
    impression is."""
    pair, pairs = numbered(of.astype(np.uint64), user)
    where = np.empty(pairs, dtype=np.int64)
    where[pair] = of
    square = np.bincount(pair, minlength=pairs).astype(np.float64) ** 2
    squares, fourth = (np.bincount(where, power, n).astype(np.float64, copy=False) for power in (square, square**2))
    return squares, fourth


def _lists_shown(some: Impressions) -> Words:
    """Of each impression the hash of its query, or of the set of its documents if it names none, and that of its list:
    the query, and documents and teams in their order."""
    documents = some.lists.get("documents", np.zeros(len(some.owner), dtype=np.uint64))
    teams = some.lists.get("teams", np.zeros(len(some.owner), dtype=np.int8)).astype(np.uint64)
    place = (np.arange(len(some.owner)) - some.start[some.owner]).astype(np.uint64)
    ordered = _mixed(documents ^ _mixed(place * np.uint64(4) + (teams & np.uint64(3)) + np.uint64(1)))
    found = np.zeros((len(some), 2), dtype=np.uint64)
    np.add.at(found[:, 0], some.owner, _mixed(documents))
    np.add.at(found[:, 1], some.owner, ordered)
    named: Bools = some.query != 0
    found[named, 0] = some.query[named]
    found[:, 0] = _mixed(found[:, 0])
    found[:, 1] ^= found[:, 0]
    return found


def _mixed(words: Words) -> Words:
    """Words of which every bit depends on all bits (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
    Generators, OOPSLA 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _first_decided(some: Users) -> Ints:
    """For which system the first impression that decides is, of each user who has one: 1 or -1. What a user does later
    changes nothing, so that signs which were looked at stay."""
    apart = some.columns["a"].astype(np.int64) - some.columns["b"]
    rows = np.flatnonzero(apart)
    rows = rows[np.lexsort((some.places[rows], some.of[rows]))]
    first: Ints = apart[rows[np.unique(some.of[rows], return_index=True)[1]]]
    return first


def _wins(counts: np.ndarray, known: Ratio, plan: LogChoices, looks: Looks) -> Wins:
    """So many wins of A, ties, and wins of B, and their interval: `known` is the standard error of delta."""
    a, ties, b = (int(each) for each in counts)
    n = a + ties + b
    if not n:
        return Wins(a, ties, b, None, None)
    delta, interval = (a + ties / 2) / n - 0.5, None
    if known.error is not None and known.effective is not None:
        # As many independent ones as have this error, or where none differs as weigh as much.
        variance = (a + b) / n / 4 - delta**2
        independent = min(variance / known.error**2 if known.error else known.effective, n)
        part = independent / n
        reach = looks.reach(plan.confidence, known.freedom)
        if np.isfinite(reach):
            low, high = lead(a * part, ties * part, b * part, reach)
            interval = Interval(low / 2, high / 2)
    return Wins(a, ties, b, delta, interval)


def answer(inputs: Inputs, choices: LogChoices) -> ListClicks:
    """Which run users of a log prefer."""
    return of_log(inputs, choices.files, "scoring", lambda log: compare(log, choices))


def compare(log: Log, choices: LogChoices, memory: int | None = None) -> ListClicks:
    """Which run users of a log prefer, whose impressions have not been read yet."""
    if log.facts.kind != INTERLEAVED:
        require_sound(log, choices.on_error == DROP)  # it may be no log at all
        raise UsageError("the lists of this log are not interleaved", remedy="irev online ab compares buckets")
    with closing(Interleavings(log, memory)) as lists:
        for some in log.impressions():
            lists.add(some)
        found = lists.compare(choices)
    require_sound(log, choices.on_error == DROP)
    return ListClicks.of(log, found)
