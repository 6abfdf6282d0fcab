"""What users did in the buckets of an A/B test, and which differences are more than chance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from irev.base.errors import UsageError, decimal
from irev.base.exit import DONE, FAILED
from irev.base.records import dataclass
from irev.base.text import and_more, counted, ends, interval, named, p_value, percent, percentage, real, signed
from irev.evaluation.comparison.contrasts import BETTER, FINDINGS, NOT_SHOWN, UNKNOWN, WORSE
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks import statistics
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.events.schema import DROP, INTERLEAVED
from irev.extensions.clicks.online import AbChoices
from irev.extensions.clicks.online.ab.buckets import (
    ENOUGH,
    FISHER,
    MISMATCH,
    PERMUTATION,
    BucketContrast,
    Buckets,
    BucketTest,
    MetricFound,
)
from irev.extensions.clicks.online.logs import (
    Clicks,
    at_every_look,
    compared,
    of_log,
    require_sound,
)
from irev.extensions.clicks.online.metrics import METRICS
from irev.extensions.clicks.statistics import RULE, needed
from irev.output.finding import fields_of
from irev.output.report import MARK, Cell, Plain, Sheet, Texts, keyed, table
from irev.statistics.corrections import CORRECTIONS

_CONTRASTS = (
    *("metric", "bucket", "baseline", "users", "value", "error", "skewness", "needed", "baseline_value"),
    *("difference", "low", "high", "relative", "relative_low", "relative_high", "p", "adjusted", "least", "test"),
    *("detectable", "finding"),
)
_MEANT = {
    NOT_SHOWN: FINDINGS[NOT_SHOWN],
    UNKNOWN: "no finding: too few users count, such values cannot be tested, or the buckets have wrong sizes",
}


@dataclass(frozen=True, repr=False)
class BucketClicks(Clicks):
    """What users did in the buckets of an A/B test."""

    found: BucketTest

    @property
    def status(self) -> int:
        return FAILED if self.found.mismatch else DONE

    @property
    def title(self) -> str:
        return "Clicks in " + counted(len(self.found.buckets), "bucket")

    @property
    def lead(self) -> Iterator[str]:
        if self.found.mismatch:
            yield mismatched(self.found)

    @property
    def doubts(self) -> Iterator[str]:
        if len(self.found.buckets) > 1 and self.found.mismatch:
            yield mismatched(self.found)
        yield from heavy(self.found)
        yield from skewed(self.found)

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._sizes()
        yield self._values()
        if len(self.found.buckets) > 1:
            yield self._contrasts()

    def _sizes(self) -> Sheet:
        total = sum(bucket.users for bucket in self.found.buckets) or 1
        rows = (
            {
                "bucket": named(bucket.name),
                "users": f"{bucket.users:,}",
                "effective": f"{bucket.effective:,.1f}",
                "share": f"{100 * bucket.users / total:.2f}%",
                "meant": f"{100 * bucket.share:.2f}%",
                "impressions": f"{bucket.impressions:,}",
                "clicks": f"{bucket.clicks:,}",
                "conversions": f"{bucket.conversions:,}",
            }
            for bucket in self.found.buckets
        )
        return table("", ("bucket",), None, rows)

    def _values(self) -> Sheet:
        digits = self.look.digits
        header = tuple(named(bucket.name) for bucket in self.found.buckets)
        rows = tuple(
            (
                Cell(each.metric.name),
                *(
                    Cell(f"{real(value.value, digits)} {_span(span, digits)}".rstrip())
                    for value, span in zip(each.values, each.intervals, strict=True)
                ),
            )
            for each in self.found.metrics
        )
        title = f"Values, with {percent(self.found.plan.confidence)} intervals"
        return Sheet(title, ("metric", *header), 1, frozenset({0}), (rows,), ())

    def _contrasts(self) -> Sheet:
        digits, plan = self.look.digits, self.found.plan
        rows: Iterator[Texts] = (
            {
                "metric": each.metric.name,
                "bucket": named(contrast.bucket),
                "difference": signed(contrast.found.difference, digits),
                f"{percent(plan.confidence)} interval": interval(ends(contrast.found.low, contrast.found.high), digits),
                "relative": percentage(contrast.found.relative),
                "p": Cell(p_value(contrast.adjusted), significant=self._significant(contrast)),
                "detectable": real(contrast.detectable, digits),
                "finding": Cell(contrast.finding, tone=_TONES.get(contrast.finding, "")),
            }
            for each in self.found.metrics
            for contrast in each.contrasts
        )
        header = ("difference", f"{percent(plan.confidence)} interval", "relative", "p", "detectable", "finding")
        title = f"Against {named(plan.baseline or '')}"
        return table(title, ("metric", "bucket"), header, rows, ("metric", "bucket", "finding"))

    def _significant(self, contrast: BucketContrast) -> bool:
        return contrast.finding in (BETTER, WORSE)

    def said(self) -> Iterator[str]:
        found, plan = self.found, self.found.plan
        if found.p is not None and not found.mismatch:
            least = found.least
            few = (
                ""
                if least is None
                else f"; with so few users no mismatch can be shown: the lowest possible p is {p_value(least)}"
            )
            yield f"Sizes of the buckets: no mismatch is shown (p {compared(found.p)}){few}."
        yield "effective: the number of users with equally many impressions that would give the same precision."
        yield from heavy(found)
        yield from skewed(found)
        if len(found.buckets) < 2:
            yield "There is only one bucket, so nothing is compared." + (
                "" if self.facts.buckets else " An A/B test needs the field bucket, and interleaved lists need teams."
            )
        elif not found.mismatch:
            own = [each for each in found.metrics if each.same_as is None]
            tests = sum(contrast.adjusted is not None for each in own for contrast in each.contrasts)
            correction = CORRECTIONS[plan.correction].title
            test = "Welch's t-test" if plan.sequential is None else "confidence sequences, asymptotic,"
            if tests:
                yield (
                    f"{MARK} p ≤ {decimal(plan.alpha)}: {test} of ratios over users, by the jackknife, two-sided,"
                    f" {correction} over {counted(tests, 'test')}; intervals of differences are uncorrected."
                )
                if plan.sequential is None:
                    yield (
                        "This is valid for one look, at a time chosen before the test: with a look each day, false "
                        "findings are more frequent (see --sequential)."
                    )
                else:
                    yield at_every_look(plan.sequential)
                yield (
                    "detectable: the true difference that an uncorrected test would find with probability "
                    f"{percent(plan.power)}."
                )
            else:
                yield "No metric could be tested."
            for each in found.metrics:
                if each.same_as is not None:
                    both = f"{each.metric.name} and {each.same_as}"
                    yield f"{both} are one test: the values of users are perfectly correlated."
            yield from self._tested_otherwise()
        yield "; ".join(f"{each.metric.name}: {each.metric.description}" for each in found.metrics) + "."
        lower = [each.metric.name for each in found.metrics if each.metric.better == "lower"]
        if lower and len(found.buckets) > 1:
            yield f"Lower is better for {' and '.join(lower)}."
        findings = {contrast.finding for each in found.metrics for contrast in each.contrasts}
        for finding, meaning in _MEANT.items():
            if finding in findings:
                yield f"{finding}: {meaning}."

    def _tested_otherwise(self) -> Iterator[str]:
        """What was not tested by t, and why."""
        several = len(self.found.buckets) > 2
        if self.found.plan.sequential is not None:
            waiting = [
                f"{each.metric.name} of {named(contrast.bucket)}" if several else each.metric.name
                for each in self.found.metrics
                for contrast in each.contrasts
                if contrast.test is None and contrast.found.difference is not None
            ]
            if waiting:
                yield (
                    f"Not tested yet, because fewer than {ENOUGH} users of a bucket have a value other than the "
                    "most frequent one, or because values are so skewed that t needs more users: "
                    f"{', '.join(waiting[:_LISTED])}{and_more(len(waiting), _LISTED)}."
                )
            return
        for test, says in (
            (
                PERMUTATION,
                "Values are skewed, so a two-sided permutation test replaces t, for intervals too "
                f"({statistics.SAMPLES:,} random assignments of users to buckets): ",
            ),
            (
                FISHER,
                f"Fewer than {ENOUGH} users of a bucket have a value other than the most frequent one, so Fisher's "
                "two-sided exact test of how many users have any replaces t, without an interval: ",
            ),
            (
                None,
                f"Fewer than {ENOUGH} users of a bucket have a value other than the most frequent one, and all users "
                "have some, so there is no test: ",
            ),
        ):
            names = [
                f"{each.metric.name} of {named(contrast.bucket)}" if several else each.metric.name
                for each in self.found.metrics
                for contrast in each.contrasts
                if (contrast.few or test == PERMUTATION) and contrast.test == test
            ]
            if names:
                yield f"{says}{', '.join(names[:_LISTED])}{and_more(len(names), _LISTED)}."
        alpha = self.found.plan.alpha
        hopeless = {
            f"{each.metric.name}{f' of {named(contrast.bucket)}' if several else ''}": contrast.least
            for each in self.found.metrics
            for contrast in each.contrasts
            if contrast.least is not None and contrast.least > alpha
        }
        if hopeless:
            least = ", ".join(f"{p_value(p)} of {name}" for name, p in [*hopeless.items()][:_LISTED])
            yield (
                "So few users have any that no outcome could be significant; the lowest possible p, uncorrected: "
                f"{least}{and_more(len(hopeless), _LISTED)}."
            )

    # For programs

    columns = _CONTRASTS
    texts = frozenset({"metric", "bucket", "baseline", "test", "finding"})
    exact = frozenset({"p", "adjusted"})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for each in self.found.metrics:
            yield from self._of_metric(each)

    def _of_metric(self, each: MetricFound) -> Iterator[tuple[Plain, ...]]:
        first, *others = self.found.buckets
        base, *values = each.values
        skewness, *skewnesses = ((of, None if of is None else needed(of)) for of in each.skewness)
        nothing = (None,) * (len(_CONTRASTS) - 8)
        yield (each.metric.name, first.name, None, first.users, base.value, base.error, *skewness, *nothing)
        for bucket, value, skewness, contrast in zip(others, values, skewnesses, each.contrasts, strict=True):
            of = contrast.found
            yield (
                *(each.metric.name, bucket.name, first.name, bucket.users, value.value, value.error, *skewness),
                *(base.value, of.difference, of.low, of.high, of.relative, of.relative_low, of.relative_high),
                *(of.p, contrast.adjusted, contrast.least, contrast.test, contrast.detectable, contrast.finding),
            )

    @property
    def record(self) -> dict[str, Any]:
        found, plan = self.found, self.found.plan
        return {
            **self.stamp("irev buckets"),
            "plan": fields_of(plan, "baseline", "confidence", "alpha", "power", "correction", "sequential"),
            "sample_ratio": {"p": found.p, "at_most": MISMATCH, "mismatch": found.mismatch},
            "buckets": [bucket._asdict() for bucket in found.buckets],
            "metrics": [
                {
                    "name": each.metric.name,
                    "description": METRICS[each.metric.name].description,
                    "better": each.metric.better,
                    "same_as": each.same_as,
                }
                for each in found.metrics
            ],
            "contrasts": [keyed(_CONTRASTS, row) for each in found.metrics for row in self._of_metric(each)],
        }


_LISTED, _SKEWED = 5, 2
"""Buckets that a sentence names."""

_TONES = {BETTER: "good", WORSE: "bad", NOT_SHOWN: "quiet", UNKNOWN: "quiet"}


def mismatched(found: BucketTest) -> str:
    """The sentence of buckets that are not as large as they were meant to be."""
    total = sum(bucket.users for bucket in found.buckets)
    apart = sorted(found.buckets, key=lambda bucket: -abs(bucket.users - bucket.share * total))
    meant = {of.name: f"{of.share * total:,.0f}" if of.share * total >= 0.5 else "less than 1" for of in apart}
    sizes = ", ".join(f"{named(of.name)} {of.users:,} of {meant[of.name]}" for of in apart[:_LISTED])
    sizes += and_more(len(apart), _LISTED)
    return (
        f"SAMPLE RATIO MISMATCH: users are not spread over the buckets as meant (p {compared(found.p)}): {sizes}. "
        "Users were lost, or counted differently in one bucket. Find out why first: until then the differences "
        "below mean nothing."
    )


def heavy(found: BucketTest) -> Iterator[str]:
    """A sentence for each bucket in which some users weigh much more than others."""
    for bucket in found.buckets:
        if bucket.heavy:
            yield (
                f"HEAVY USERS: {counted(bucket.users, 'user')} of {named(bucket.name)} weigh as much as"
                f" {bucket.effective:,.1f} with equally many impressions would: a few users decide. Are some of them"
                f" machines?"
            )


def skewed(found: BucketTest) -> Iterator[str]:
    """A sentence on the buckets that have too few users for t by Kohavi's rule, with how many it asks for."""
    asks = {
        f"{needed(skewness):,} for {each.metric.name} of {named(bucket.name)} (skewness {skewness:.1f},"
        f" {value.n:,} here)": needed(skewness)
        for each in found.metrics
        if any(contrast.test == PERMUTATION for contrast in each.contrasts)
        for bucket, value, skewness in zip(found.buckets, each.values, each.skewness, strict=True)
        if skewness is not None and value.n < needed(skewness)
    }
    if asks:
        most = sorted(asks, key=lambda each: -asks[each])
        yield (
            f"SKEWED VALUES: the t-test needs {RULE} · skewness² users in each bucket:"
            f" {'; '.join(most[:_SKEWED])}{and_more(len(most), _SKEWED)}. A permutation test is used instead."
        )


def _span(span: tuple[float, float] | None, digits: int) -> str:
    return "" if span is None else interval(span, digits, sign=False)


def answer(inputs: Inputs, choices: AbChoices) -> BucketClicks:
    """What users did in each bucket of a log."""
    return of_log(inputs, choices.files, "scoring", lambda log: compare(log, choices))


def compare(log: Log, choices: AbChoices, memory: int | None = None) -> BucketClicks:
    """What users did in each bucket of a log, whose impressions have not been read yet."""
    if log.facts.kind == INTERLEAVED:
        raise UsageError("the lists of this log are interleaved", remedy="irev online preference compares the runs")
    with closing(Buckets(log, choices, memory)) as users:
        for some in log.impressions():
            users.add(some)
        found = users.compare()
    require_sound(log, choices.on_error == DROP)
    return BucketClicks.of(log, found)
