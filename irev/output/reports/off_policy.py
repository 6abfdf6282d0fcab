"""The report of another ranking on a log: what users would have clicked, by each estimator, beside what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from irev.analysis.clicks.off_policy import (
    CLIPPED,
    IPS,
    NORMALISED,
    SHOWN,
    OffPolicyEstimate,
    OffPolicyEstimates,
)
from irev.base.text import MISSING, counted, interval, named, p_value, percent, plain, real, signed
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Plain, Sheet
from irev.output.reports.clicks import LogReport
from irev.output.reports.tables import keyed, table

FORMAT = "irev off-policy"

_ESTIMATED = {
    "clicks": "clicks per impression",
    "dcg": "DCG",
    "reciprocal": "sum of 1/rank",
    "precision": "precision",
}
_COLUMNS = (
    *("estimator", "value", "bound", "low", "high"),
    *("difference", "bound_difference", "difference_low", "difference_high", "p", "effective", "heaviest"),
)


class OffPolicyReport(LogReport):
    """Estimates of another ranking, laid out.

    `run` is what it is called; `file` what propensities were read from, empty where they were handed in, and None where
    they are in the log.
    """

    columns = _COLUMNS
    texts = frozenset({"estimator"})
    exact = frozenset({"p"})

    def __init__(self, found: OffPolicyEstimates, run: str, file: str | None, inputs: Sequence[Input] = ()) -> None:
        super().__init__(found.facts, found.faults, inputs)
        self.found, self.run, self.file = found, run, file

    @property
    def title(self) -> str:
        return f"What {named(self.run)} would have got of {counted(self.found.users, 'user')}"

    @property
    def _what(self) -> str:
        wanted = self.found.wanted
        cutoff = "" if wanted.cutoff is None else f" of the first {wanted.cutoff:,}"
        return f"{_ESTIMATED[wanted.metric]}{cutoff}"

    @property
    def sheets(self) -> Iterator[Sheet]:
        found, digits = self.found, self.look.digits
        level = percent(found.wanted.confidence)
        rows = [
            {
                "estimator": SHOWN,
                self._what: real(found.shown, digits),
                level: interval(found.shown_interval, digits, sign=False),
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
                for each in found.estimates
            ),
        ]
        header = (self._what, level, "difference", f"{level} of it", "p", "effective", "heaviest")
        yield table("", ("estimator",), header, rows)

    def said(self) -> Iterator[str]:
        found, wanted = self.found, self.found.wanted
        yield (
            f"{SHOWN}: the lists of the log, {counted(found.impressions, 'impression')} and"
            f" {counted(found.clicks, 'click')}, of which {found.counted:,} are on documents that this ranking has."
            f" {IPS}: each click counts as its document would in this ranking, divided by the propensity of where it"
            f" was shown. {CLIPPED}: the same, but a click counts at most {decimal(wanted.clip)}."
        )
        yield self.supported
        if found.unsupported:
            yield unsupported(found)
        if found.shown_ratio.heavy:
            yield heavy_users(found)
        yield (
            "effective: effective number of looks at documents shown, whatever is clicked; heaviest: the most that one"
            " click could count."
        )
        if any(each.value is None for each in found.estimates):
            least = decimal(wanted.effective)
            yield f"{MISSING}: fewer than {least} effective looks (--min-effective)."
        if found.unranked:
            yield (
                f"{counted(found.unranked, 'impression')} of queries that this ranking lacks: it shows nothing there."
            )
        given = "in the log" if self.file is None else f"of {named(self.file)}" if self.file else "that were given"
        yield (
            f"Propensities: those {given}. All of this supposes that they are right, and that position alone decides"
            " whether a document is looked at. Intervals and p are over users."
        )

    @property
    def supported(self) -> str:
        """What part of the ranking the log knows of, in a sentence."""
        support = self.found.support
        if support is None:
            return "This ranking shows nothing."
        return (
            f"Support: {real(support, self.look.digits)} of the weight of this ranking is on documents that were shown."
            " Nobody knows what the others would get: estimates go from no click on them to a click whenever one is"
            f" looked at, and so do their intervals, with what {CLIPPED} leaves out. p asks the end nearer to no"
            f" difference. {NORMALISED} is a guess, without interval and p: {IPS} divided by the support, as if"
            " documents that were not shown were as good as the others."
        )

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        found = self.found
        yield (SHOWN, found.shown, None, *(found.shown_interval or (None, None)), *[None] * 7)
        yield from map(_row, found.estimates)

    @property
    def record(self) -> dict[str, Any]:
        found, wanted = self.found, self.found.wanted
        return {
            **self.recorded(FORMAT),
            "run": self.run,
            "metric": wanted.metric,
            "cutoff": wanted.cutoff,
            "clip": wanted.clip,
            "min_effective": wanted.effective,
            "min_support": wanted.support,
            "confidence": wanted.confidence,
            "propensities": self.file,
            "impressions": found.impressions,
            "users": found.users,
            "clicks": found.clicks,
            "unranked": found.unranked,
            "counted": found.counted,
            "support": plain(found.support),
            "estimates": [keyed(_COLUMNS, row) for row in self.rows],
        }


def unsupported(found: OffPolicyEstimates) -> str:
    """The sentence of a ranking of which the log knows too little."""
    return (
        f"The support is {real(found.support, 4)}, less than {decimal(found.wanted.support)} (--min-support): too much"
        " of this ranking was not shown, so that differences have no p, and no interval."
    )


def heavy_users(found: OffPolicyEstimates) -> str:
    """The sentence of users of whom a few weigh much more than others."""
    return (
        f"HEAVY USERS: {counted(found.users, 'user')} weigh as much as {found.shown_ratio.effective or 0.0:,.1f} who"
        " come equally often: estimates are known no better than from so few."
    )


def between(text: Callable[[float | None, int], str], low: float | None, high: float | None, digits: int) -> str:
    """Both ends of a bounded number, or the one that both are printed as."""
    ends = (text(low, digits), text(low if high is None else high, digits))
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _row(each: OffPolicyEstimate) -> tuple[Plain, ...]:
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
