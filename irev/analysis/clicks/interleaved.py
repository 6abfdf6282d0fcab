"""Interleaved lists: which of two systems users prefer.

What an impression is worth to A and to B is for `irev.analysis.interleaving.credit`; the one with more wins it. One
without a click says nothing and is no tie. Impressions of one user are not independent, so what is tested is users: a
user is for the system to which all clicks of the user are worth more, and the sign test asks whether more users are for
one of them. Of probabilistic lists the mean credit decides instead: shares of clicks at random are 1/2 on average, and
not in the median, so that signs lean to one side when there is nothing to see. So they do of lists by team draft as
soon as a run ends before its list and documents of the other, which are nobody's, fill it.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from irev.analysis.clicks.actions import ByUser
from irev.analysis.comparison.contrasts import NOT_SHOWN
from irev.analysis.interleaving.credit import credited
from irev.analysis.interleaving.interleaved import Clicked
from irev.base.exact_sums import ExactSum
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.reading.events.log import Impressions, Log
from irev.reading.events.schema import NOBODY, PROBABILISTIC, TEAM_DRAFT
from irev.statistics import ratios, user_bootstrap
from irev.statistics.intervals import Interval
from irev.statistics.paired_tests.sign import of_outcomes
from irev.statistics.ratios import Ratio
from irev.statistics.tested import Tested

BY_MEAN = (PROBABILISTIC,)
"""The methods of which the mean credit decides."""

BY_MEAN_IF_FILLED = (*BY_MEAN, TEAM_DRAFT)
"""Those of which it decides where documents of nobody's are in lists."""

ENOUGH = 20
"""Fewer users have no percentile interval: it would be too narrow, and without width where all are for one system."""

SAME = 1e-9
"""Credits that differ by less are equal: sums of shares round."""


@dataclass(frozen=True)
class InterleavingPlan:
    """How the two are compared.

    Attributes
    ----------
    confidence, alpha : float
    samples, seed : int
        Of the bootstrap over users.
    """

    confidence: float = 0.95
    alpha: float = 0.05
    samples: int = 10_000
    seed: int = 0


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
        Percentile interval of it, users drawn again; None of fewer than `ENOUGH`.
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
    test : Tested
        The sign test of users; its statistic is how many are for A.
    credit_a, credit_b : float
        In all.
    credit : Ratio
        What an impression with a click is worth to A, less what it is to B; its standard error is over users.
    credit_interval : Interval or None
    credit_p : float or None
        Of that against 0.
    filled : int
        Impressions of lists with documents that are nobody's, since a run had ended.
    by_mean : bool
        Whether the mean credit decides, and not the sign test.
    finding : str
        ``A`` or ``B``, the system that is shown to be preferred, or `NOT_SHOWN`.
    plan : InterleavingPlan
    """

    names: tuple[str, str]
    method: str
    impressions: int
    clicked: int
    users: int
    users_clicked: int
    of_impressions: Wins
    of_users: Wins
    test: Tested
    credit_a: float
    credit_b: float
    credit: Ratio
    credit_interval: Interval | None
    credit_p: float | None
    filled: int
    by_mean: bool
    finding: str
    plan: InterleavingPlan


class InterleavedUser(NamedTuple):
    """A user: where the log first has it, the hash of the id, impressions, and how many of those with a click A won,
    tied and lost."""

    place: int
    key: tuple[int, int]
    impressions: int
    a: int
    ties: int
    b: int


class Interleavings:
    """Takes impressions, and then says which system users prefer."""

    def __init__(self, log: Log, memory: int | None = None) -> None:
        self._log = log
        self._users = ByUser(memory)
        self._credit = ExactSum(), ExactSum()
        self._filled = 0

    def add(self, some: Impressions) -> None:
        """Take some impressions."""
        clicked = np.bincount(some.click_of, minlength=len(some)) > 0
        a, b = self._credited(some)
        apart = np.where(np.abs(a - b) <= SAME, 0.0, a - b)
        for total, credit in zip(self._credit, (a, b), strict=True):
            total.add(credit)
        if "teams" in some.lists:
            self._filled += len(np.unique(some.owner[some.lists["teams"] == NOBODY]))
        self._users.add(
            some,
            {
                "clicked": clicked.astype(np.int8),
                "a": (apart > 0).astype(np.int8),
                "b": (apart < 0).astype(np.int8),
                "apart": apart,
            },
        )

    def _credited(self, some: Impressions) -> tuple[Floats, Floats]:
        """The credit of each impression."""
        items = some.clicked
        of = some.owner[items]
        columns = {name: some.lists[name][items] for name in ("shares", "ranks_a", "ranks_b") if name in some.lists}
        if not len(items):
            return np.zeros(len(some)), np.zeros(len(some))
        clicked = Clicked(
            of,
            items - some.start[of] + 1,
            some.lists["teams"][items].astype(np.int64),
            columns.get("shares"),
            columns.get("ranks_a"),
            columns.get("ranks_b"),
        )
        a, b = credited(self._log.facts.method, clicked, len(some))
        return a, b

    def close(self) -> None:
        """Let go of what was taken."""
        self._users.close()

    def compare(self, plan: InterleavingPlan, per_user: list[InterleavedUser] | None = None) -> Preference:
        """What is found of all that was taken; `per_user` gets every user, where it is wanted."""
        facts = self._log.facts
        users = impressions = clicked = 0
        outcomes: Counter[tuple[int, int, int, int]] = Counter()
        sums = [ExactSum() for _ in range(5)]
        for some in self._users:
            a, b, seen, apart = (some.sums[name] for name in ("a", "b", "clicked", "apart"))
            users += len(seen)
            impressions += int(some.impressions.sum())
            clicked += int(seen.sum())
            rows = np.flatnonzero(seen)
            side = np.where(np.abs(apart) <= SAME, 0, np.sign(apart)).astype(np.int64)
            kinds, counts = np.unique(np.stack((a, seen - a - b, b, side), axis=1)[rows], axis=0, return_counts=True)
            for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
                outcomes[tuple(kind)] += count
            y, x = apart[rows], seen[rows].astype(np.float64)
            for total, values in zip(sums[:2], (y, x), strict=True):
                total.add(values)
            for total, (one, other) in zip(sums[2:], ((y, y), (x, y), (x, x)), strict=True):
                total.add_products(one, other)
            if per_user is not None:
                columns = some.impressions, a, seen - a - b, b
                users_here = zip(
                    some.place.tolist(), some.key.tolist(), *(each.tolist() for each in columns), strict=True
                )
                per_user += [InterleavedUser(place, (key[0], key[1]), *numbers) for place, key, *numbers in users_here]
        if per_user is not None:
            per_user.sort(key=lambda user: user.place)
        kinds = np.array(sorted(outcomes), dtype=np.float64).reshape(-1, 4)
        counts = np.array([outcomes[kind] for kind in sorted(outcomes)], dtype=np.int64)
        sides = np.stack([kinds[:, 3] == side for side in (1, 0, -1)], axis=1).astype(np.float64)
        of_users = _outcome(sides, counts, plan)
        test = of_outcomes(of_users.a, of_users.ties, of_users.b, "two-sided")
        credit = ratios.of_sums(int(counts.sum()), *(total.exact for total in sums))
        credit_p = ratios.p_of_zero(credit)
        by_mean = facts.method in (BY_MEAN_IF_FILLED if self._filled else BY_MEAN)
        p, lead = (credit_p, credit.value) if by_mean else (test.p, of_users.a - of_users.b)
        finding = ("A" if (lead or 0) > 0 else "B") if p is not None and p <= plan.alpha else NOT_SHOWN
        return Preference(
            names=facts.names,
            method=facts.method,
            impressions=impressions,
            clicked=clicked,
            users=users,
            users_clicked=int(counts.sum()),
            of_impressions=_outcome(kinds[:, :3], counts, plan),
            of_users=of_users,
            test=test,
            credit_a=self._credit[0].value,
            credit_b=self._credit[1].value,
            credit=credit,
            credit_interval=ratios.around(credit, plan.confidence),
            credit_p=credit_p,
            filled=self._filled,
            by_mean=by_mean,
            finding=finding,
            plan=plan,
        )


def _outcome(values: Floats, counts: np.ndarray, plan: InterleavingPlan) -> Wins:
    """What users with such wins of A, ties and wins of B come to."""
    a, ties, b = (int(each) for each in counts @ values) if len(values) else (0, 0, 0)
    delta = (a + ties / 2) / (a + ties + b) - 0.5 if a + ties + b else None
    interval = None
    if counts.sum() >= ENOUGH:
        interval = user_bootstrap.interval(
            values,
            counts,
            lambda sums: (sums[:, 0] + sums[:, 1] / 2) / sums.sum(axis=1) - 0.5,
            plan.confidence,
            plan.samples,
            plan.seed,
        )
    return Wins(a, ties, b, delta, interval)
