"""How many users an A/B test takes, or interleaving: from how much users of a past log vary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, percent, real
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.events.schema import INTERLEAVED
from irev.extensions.clicks.online import AbChoices, LogChoices, OnlinePowerChoices
from irev.extensions.clicks.online.ab import compare as compare_buckets
from irev.extensions.clicks.online.logs import LogFinding, of_log
from irev.extensions.clicks.online.metrics import METRICS
from irev.extensions.clicks.online.preference import compare as compare_lists
from irev.output.report import Plain, Sheet, keyed, table
from irev.statistics.power import MOST, users_needed
from irev.statistics.ratios import Ratio
from irev.statistics.sequential import ONCE, Always

CREDIT = "credit"
"""What is planned for by interleaving: what an impression with a click is worth to A, less what it is to B."""


class OnlineNeed(NamedTuple):
    """How many users it takes.

    Attributes
    ----------
    metric : str
        Of clicks, or `CREDIT`.
    value : float or None
        In the log.
    deviation : float or None
        How much one user varies; None where users do not, or it is not known.
    difference : float or None
        That is to be found.
    relative : float or None
        The same, of the value.
    users, impressions : int or None
        Of both buckets together, or of interleaved lists; impressions with or without clicks. None where no number is
        enough.
    users_every_look : int or None
        With results that hold at every look (`--sequential`), at the last one.
    """

    metric: str
    value: float | None
    deviation: float | None
    difference: float | None
    relative: float | None = None
    users: int | None = None
    impressions: int | None = None
    users_every_look: int | None = None

    def of_impressions(self, per_user: float) -> OnlineNeed:
        """The same with impressions, of so many by each user."""
        return self._replace(impressions=None if self.users is None else math.ceil(self.users * per_user))


@dataclass(frozen=True, repr=False)
class OnlinePower(LogFinding):
    """How many users it takes to find differences.

    Beside what every `LogFinding` has:

    Attributes
    ----------
    interleaved : bool
        Whether lists are interleaved; otherwise there are two buckets.
    needs : tuple of OnlineNeed
    plan : OnlinePowerChoices
    """

    interleaved: bool
    needs: tuple[OnlineNeed, ...]
    plan: OnlinePowerChoices

    columns = OnlineNeed._fields
    texts = frozenset({"metric"})

    @property
    def title(self) -> str:
        return "Users needed by " + ("interleaving" if self.interleaved else "an A/B test")

    @property
    def sheets(self) -> Iterator[Sheet]:
        digits = self.look.digits
        rows = (
            {
                "metric": need.metric,
                "value": real(need.value, digits),
                "difference": real(need.difference, digits),
                **({} if need.relative is None else {"relative": f"{100 * need.relative:g}%"}),
                "users": _whole(need.users),
                "impressions": _whole(need.impressions),
                "every look": _whole(need.users_every_look),
            }
            for need in self.needs
        )
        yield table("", ("metric",), None, rows)

    def said(self) -> Iterator[str]:
        plan = self.plan
        chance = f"{percent(plan.power)} at level {decimal(plan.alpha)}, two-sided"
        if self.interleaved:
            yield (
                "users: the number of users with a click that finds a difference of the mean credit with "
                f"probability {chance}; credit: what an impression with a click is worth to A minus what it is "
                "worth to B. impressions: with or without a click."
            )
        else:
            shares = f"{percent(plan.share)} in the new bucket"
            yield (
                f"users: the number of users of both buckets together, {shares}, that finds the difference with "
                f"probability {chance}, by Welch's t-test without correction."
            )
        yield (
            "every look: the number of users at the last look, if results are valid at every look "
            "(--sequential). All numbers assume that users come as often as in this log; over a longer time they "
            "come more often."
        )
        if any(need.users is None for need in self.needs):
            yield f"{MISSING}: more than {counted(MOST, 'user')}, or all users of the log have the same value."
        if not self.interleaved:
            names = dict.fromkeys(need.metric for need in self.needs)
            yield "; ".join(f"{name}: {METRICS[name].description}" for name in names) + "."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        yield from self.needs

    @property
    def record(self) -> dict[str, Any]:
        plan = self.plan
        return {
            **self.stamp("irev online power"),
            "interleaved": self.interleaved,
            "plan": {
                "baseline": plan.baseline,
                "share": None if self.interleaved else plan.share,
                "power": plan.power,
                "alpha": plan.alpha,
            },
            "needs": [keyed(self.columns, row) for row in self.rows],
        }

    def __repr__(self) -> str:
        return f"<OnlinePower: {self.title}, {counted(len(self.needs), 'difference')}>"


def _whole(number: int | None) -> str:
    return MISSING if number is None else f"{number:,}"


RELATIVE, OF_CREDIT = (0.01, 0.02, 0.05, 0.1, 0.2), (0.02, 0.05, 0.1, 0.2)
"""Differences that are planned for where none are asked about: of metrics, and of the mean credit."""


def answer(inputs: Inputs, choices: OnlinePowerChoices) -> OnlinePower:
    """How many users it takes to find differences."""
    return of_log(inputs, choices.files, "scoring", lambda log: planned(log, choices))


def planned(log: Log, choices: OnlinePowerChoices) -> OnlinePower:
    """How many users it takes, by a log whose impressions have not been read yet."""
    interleaved = log.facts.kind == INTERLEAVED
    needs = [*(_of_lists if interleaved else _of_buckets)(log, choices)]
    return OnlinePower.of(log, interleaved, tuple(needs), choices)


def _of_buckets(log: Log, choices: OnlinePowerChoices) -> Iterator[OnlineNeed]:
    plan = AbChoices(metrics=choices.metrics, baseline=choices.baseline, on_error=choices.on_error)
    found = compare_buckets(log, plan).found
    first = found.buckets[0]
    for each in found.metrics:
        ratio = each.values[0]
        for relative in choices.differences or RELATIVE:
            difference = None if ratio.value is None else relative * abs(ratio.value)
            need = _need(each.metric.name, ratio, difference, 2, choices)
            yield need._replace(relative=relative).of_impressions(first.impressions / first.users)


def _of_lists(log: Log, choices: OnlinePowerChoices) -> Iterator[OnlineNeed]:
    found = compare_lists(log, LogChoices(on_error=choices.on_error)).found
    for difference in choices.differences or OF_CREDIT:
        need = _need(CREDIT, found.credit, difference, 1, choices)
        yield need.of_impressions(found.impressions / found.users_clicked) if found.users_clicked else need


def _need(name: str, ratio: Ratio, difference: float | None, groups: int, choices: OnlinePowerChoices) -> OnlineNeed:
    """How many users find a difference, of as many groups, if users vary as those of a ratio do.

    The error of a ratio of n users times √n is how much one user varies, whatever n is.
    """
    if not ratio.error or not difference:
        return OnlineNeed(name, ratio.value, None, difference)
    deviation = ratio.error * math.sqrt(ratio.n)
    once, always = (
        users_needed(difference / deviation, choices.alpha, choices.power, groups, choices.share, looks)
        for looks in (ONCE, Always(1.0))
    )
    return OnlineNeed(name, ratio.value, deviation, difference, users=once, users_every_look=always)
