"""What users prefer: the record of it, and how people and programs see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import counted, interval, named, p_value, percent, plain, real, signed
from irev.evaluation.comparison.contrasts import BETTER, NOT_SHOWN
from irev.output.finding import fields_of
from irev.output.report import MARK, Cell, Plain, Sheet, Texts, keyed, table
from irev.questions.online import LogChoices
from irev.questions.online.interleaving import LEAN, METHODS
from irev.questions.online.logs import Clicks, at_every_look, compared
from irev.statistics.intervals import Interval
from irev.statistics.paired import TestResult
from irev.statistics.ratios import Ratio

FORMAT = "irev preference"

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
        Of it, by `irev.statistics.shares.lead`, for as many as independent ones would say as much; None of fewer than
        two users, and of users where lists are shared.
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
        Of that against 0.
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


class InterleavedUser(NamedTuple):
    """A user: where the log first has it, the hash of the id, impressions, and how many of those with a click A won,
    tied and lost."""

    place: int
    key: tuple[int, int]
    impressions: int
    a: int
    ties: int
    b: int


@dataclass(frozen=True, repr=False)
class ListClicks(Clicks):
    """Which of two runs users prefer; `listed` has the users, if they are listed."""

    found: Preference
    listed: Sequence[InterleavedUser] | None

    @property
    def title(self) -> str:
        return f"Clicks on interleaved lists of {' and '.join(map(named, self.found.names))}"

    @property
    def _p(self) -> float | None:
        """Of the test that decides."""
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
        if self.listed is not None:
            users = (
                {
                    "user": named(self.user(user.key) or ""),
                    "impressions": f"{user.impressions:,}",
                    f"for {a}": f"{user.a:,}",
                    "ties": f"{user.ties:,}",
                    f"for {b}": f"{user.b:,}",
                }
                for user in self.listed
            )
            yield table("Users", ("user",), ("impressions", f"for {a}", "ties", f"for {b}"), users)

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
        if found.by_mean and not found.shared and METHODS.find(found.method).signs == LEAN:
            yield "Where credit is shared by probabilities, signs favour one side even when clicks are random."
        elif found.by_mean and not found.shared:
            yield (
                f"In {found.filled:,} of {counted(found.impressions, 'list')}, one run ran out of documents: "
                "there signs favour one side even when clicks are random."
            )
        if not METHODS.find(found.method).fair:
            yield (
                "Balanced lists can favour one system when clicks are random: irev online interleave shows by how much."
            )

    # For programs

    @property
    def columns(self) -> tuple[str, ...]:
        return ("user", "impressions", "for_a", "ties", "for_b") if self.listed is not None else _OUTCOMES

    @property
    def texts(self) -> frozenset[str]:
        return frozenset({"user"} if self.listed is not None else {"of", "a", "b", "method", "finding"})

    exact = frozenset({"p"})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        if self.listed is not None:
            for user in self.listed:
                yield (self.user(user.key), user.impressions, user.a, user.ties, user.b)
            return
        found = self.found
        by_sign, by_mean = (None, self._finding()) if found.by_mean else (self._finding(), None)
        for of, n, outcome, p, finding in (
            ("users", found.users_clicked, found.of_users, found.test.p, by_sign),
            ("impressions", found.clicked, found.of_impressions, None, None),
        ):
            ends = (None, None) if outcome.interval is None else outcome.interval
            yield (
                *(of, *found.names, n, outcome.a, outcome.ties, outcome.b, outcome.delta, *ends),
                *(p, found.method, finding),
            )
        ends = (None, None) if found.credit_interval is None else found.credit_interval
        yield (
            *("credit", *found.names, found.clicked, found.credit_a, None, found.credit_b, found.credit.value),
            *(*ends, found.credit_p, found.method, by_mean),
        )

    def _finding(self) -> str:
        found = self.found
        return NOT_SHOWN if found.finding == NOT_SHOWN else f"{found.finding} {BETTER}"

    @property
    def record(self) -> dict[str, Any]:
        found = self.found
        low, high = (None, None) if found.credit_interval is None else found.credit_interval
        record = {
            **self.stamp(FORMAT),
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
        if self.listed is not None:
            record["listed"] = [keyed(self.columns, row) for row in self.rows]
        return record


def shared(found: Preference) -> str:
    """The sentence of lists that were drawn once and shown to several."""
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
    """The sentence of users, or lists, of which a few weigh much more than others."""
    units = "lists" if found.shared and found.credit.n == found.lists else "users"
    return (
        f"HEAVY {units.upper()}: {found.credit.n:,} {units} weigh as much as {found.credit.effective or 0.0:,.1f} "
        "with equally many clicks would: the mean credit is not known better than from so few."
    )


def _recorded(outcome: Wins) -> dict[str, Any]:
    low, high = (None, None) if outcome.interval is None else outcome.interval
    return {
        "wins_a": outcome.a,
        "ties": outcome.ties,
        "wins_b": outcome.b,
        "delta": outcome.delta,
        "low": low,
        "high": high,
    }
