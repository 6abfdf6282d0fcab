"""Another ranking on a log: what users would have clicked, by each estimator, beside what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, interval, named, p_value, percent, real, signed
from irev.extensions.clicks.online import ITEM_POSITION, LIST, POSITION, OffPolicyChoices
from irev.extensions.clicks.online.logs import LogFinding
from irev.output.finding import fields_of
from irev.output.report import Plain, Sheet, keyed, table
from irev.statistics.intervals import Interval
from irev.statistics.ratios import Ratio

SHOWN = "shown"
ESTIMATORS = IPS, NORMALISED, POOLED = ("ips", "self-normalised", "pooled")
_DIVIDED = {
    POSITION: "divided by the propensity of where it was shown",
    ITEM_POSITION: "where it was shown at the same rank",
    LIST: "where the whole list shown was this ranking",
}
_SUPPOSED = {
    ITEM_POSITION: "This supposes that a document at a rank is clicked as often whatever stands around it.",
    LIST: "This supposes nothing about how users go through lists.",
}
_COLUMNS = (
    *("estimator", "value", "bound", "low", "high"),
    *("difference", "bound_difference", "difference_low", "difference_high", "p", "effective", "heaviest"),
)


class MethodEstimate(NamedTuple):
    """An estimate of the other ranking.

    Attributes
    ----------
    name : str
        One of `ESTIMATORS`.
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
    pooled_support : float or None
        The same of documents that any list of the log showed for their query.
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
    pooled_support: float | None
    estimates: tuple[MethodEstimate, ...]
    run: str = ""
    file: str | None = None

    columns = _COLUMNS
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
        wanted = self.wanted
        yield (
            f"{SHOWN}: the lists of the log, {counted(self.impressions, 'impression')} and"
            f" {counted(self.clicks, 'click')}, of which {self.counted:,} are on documents that this ranking has."
            f" {IPS}: each click counts as its document would in this ranking, {_DIVIDED[wanted.model]}."
        )
        yield (
            f"{POOLED}: uses all lists of a query for a document together (balance heuristic), with support "
            f"{real(self.pooled_support, self.look.digits)}."
        )
        yield self.supported
        yield from self.doubts
        yield (
            "effective: effective number of looks at shown documents, with or without a click; heaviest: the "
            "largest weight of a click."
        )
        if any(each.value is None for each in self.estimates):
            least = decimal(wanted.effective)
            yield f"{MISSING}: users looked at too few documents: fewer than {least} effective looks (--min-effective)."
        if self.unranked:
            yield (
                f"{counted(self.unranked, 'impression')} of queries that this ranking lacks: it gets no clicks there."
            )
        if wanted.model != POSITION:
            yield f"{_SUPPOSED[wanted.model]} Intervals and p are over users."
            return
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
        yield from map(_row, self.estimates)

    @property
    def record(self) -> dict[str, Any]:
        wanted = self.wanted
        return {
            **self.stamp("irev off-policy"),
            "run": self.run,
            **fields_of(wanted, "model", "cutoff"),
            "min_effective": wanted.effective,
            "min_support": wanted.support,
            "confidence": wanted.confidence,
            "propensities": self.file,
            **fields_of(self, "impressions", "users", "clicks", "unranked", "counted", "support", "pooled_support"),
            "estimates": [keyed(_COLUMNS, row) for row in self.rows],
        }

    def __repr__(self) -> str:
        first = ", ".join(f"{each.name} {between(real, each.value, each.bound, 4)}" for each in self.estimates)
        return f"<Estimates of {named(self.run)}: shown {self.shown:.4f}, {first}>"


def unsupported_note(found: Estimates) -> str:
    """The sentence of a ranking of which the log knows too little."""
    pooled = found.pooled_support
    also = f", except for {POOLED}" if pooled is not None and pooled >= found.wanted.support else ""
    return (
        f"The support is {real(found.support, 4)}, less than {decimal(found.wanted.support)} (--min-support): too "
        f"much of this ranking was not seen by users. So differences have no p and no interval{also}."
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


def _row(each: MethodEstimate) -> tuple[Plain, ...]:
    return (
        each.name,
        each.value,
        each.bound,
        *(each.interval or (None, None)),
        each.difference,
        each.bound_difference,
        *(each.difference_interval or (None, None)),
        each.p,
        each.effective,
        each.heaviest,
    )
