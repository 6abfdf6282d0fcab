"""The reports of a log of clicks: what an A/B test found, or interleaved lists, laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from irev.analysis.clicks.buckets import (
    ENOUGH,
    FISHER,
    MISMATCH,
    PERMUTATION,
    BucketContrast,
    BucketTest,
    MetricFound,
    UserOfBucket,
)
from irev.analysis.clicks.interleaved import BY_MEAN, InterleavedUser, Preference, Wins
from irev.analysis.clicks.metrics import METRICS
from irev.analysis.clicks.scoring import ScoredLog
from irev.analysis.comparison.contrasts import BETTER, FINDINGS, NOT_SHOWN, UNKNOWN, WORSE
from irev.base.text import (
    and_more,
    counted,
    decoded,
    interval,
    named,
    p_value,
    percent,
    percentage,
    plain,
    real,
    signed,
)
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import MARK, Cell, Plain, Report, Sheet
from irev.output.reports.tables import Texts, keyed, stamped, table
from irev.reading.events.checks import LogFacts
from irev.statistics import user_permutation
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.user_permutation import RULE, needed

BUCKETS, PREFERENCE, VERSION = "irev buckets", "irev preference", 1

HEXADECIMAL = 16
"""Digits of the hash that stands for a user."""


def pseudonym(user: bytes) -> str:
    """What is shown of a user unless the id is asked for: the first digits of its SHA-256.

    The same user has the same one in every log. It keeps ids out of sight, and no secret: who can guess an id, as one
    can a number or an address, can make its pseudonym and look for it.
    """
    return sha256(user).hexdigest()[:HEXADECIMAL]


class LogReport(Report):
    """What both reports have alike.

    Parameters
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each was found, of events that were left out.
    inputs : sequence of Input
    users : dict of tuple to bytes, optional
        The ids of users by their hashes, where users are listed.
    shown : bool
        Whether they are shown as they are.
    """

    def __init__(
        self,
        facts: LogFacts,
        faults: dict[str, int],
        inputs: Sequence[Input] = (),
        users: dict[tuple[int, int], bytes] | None = None,
        shown: bool = False,
    ) -> None:
        self.facts, self.faults, self.inputs, self.users, self.shown = facts, faults, inputs, users, shown

    def user(self, key: tuple[int, int]) -> str | None:
        """What is shown of a user; None for one who is not named."""
        name = (self.users or {}).get(key)
        if name is None:
            return None
        return decoded(name) if self.shown else pseudonym(name)

    @property
    def notes(self) -> Iterator[str]:
        yield from self.said()
        facts = self.facts
        if facts.unnamed:
            yield (
                f"{counted(facts.unnamed, 'impression')} of {facts.impressions:,}"
                f" {'names' if facts.unnamed == 1 else 'name'} no user, and each counts as one: intervals are too"
                " narrow if users come back."
            )
        if facts.left_out:
            codes = ", ".join(f"{code} {count:,}" for code, count in sorted(self.faults.items()))
            yield f"Left out: {counted(facts.left_out, 'event')} of {facts.rows:,}, for these faults: {codes}."

    def said(self) -> Iterator[str]:
        """Sentences on what was found."""
        return iter(())

    def recorded(self, kind: str) -> dict[str, Any]:
        """How the record begins."""
        facts = self.facts
        return {
            **stamped(kind, VERSION),
            "inputs": [file.recorded() for file in self.inputs],
            "events": {
                "impressions": facts.impressions,
                "clicks": facts.clicks,
                "conversions": facts.conversions,
                "left_out": facts.left_out,
                "without_user": facts.unnamed,
                "faults": dict(sorted(self.faults.items())),
            },
        }


_CONTRASTS = (
    *("metric", "bucket", "baseline", "users", "value", "error", "skewness", "needed", "baseline_value"),
    *("difference", "low", "high", "relative", "relative_low", "relative_high", "p", "adjusted", "least", "test"),
    *("detectable", "finding"),
)
_MEANT = {
    NOT_SHOWN: FINDINGS[NOT_SHOWN],
    UNKNOWN: "nothing is said about such values, of users too few of whom count, or about buckets that are not as large"
    " as meant",
}


class BucketReport(LogReport):
    """An A/B test; `listed` has its users, where they are wanted."""

    def __init__(self, found: BucketTest, listed: Sequence[UserOfBucket] | None, *log: Any) -> None:
        super().__init__(*log)
        self.found, self.listed = found, listed

    @property
    def title(self) -> str:
        return "Clicks in " + counted(len(self.found.buckets), "bucket")

    @property
    def lead(self) -> Iterator[str]:
        if self.found.mismatch:
            yield mismatched(self.found)

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._sizes()
        yield self._values()
        if len(self.found.buckets) > 1:
            yield self._contrasts()
        if self.listed is not None:
            yield self._users(self.listed)

    def _sizes(self) -> Sheet:
        total = sum(bucket.users for bucket in self.found.buckets) or 1
        rows = (
            {
                "bucket": named(bucket.name),
                "users": f"{bucket.users:,}",
                "share": f"{100 * bucket.users / total:.2f}%",
                "meant": f"{100 * bucket.share:.2f}%",
                "impressions": f"{bucket.impressions:,}",
                "clicks": f"{bucket.clicks:,}",
                "conversions": f"{bucket.conversions:,}",
                "effective": f"{bucket.effective:,.1f}",
            }
            for bucket in self.found.buckets
        )
        return table(
            "", ("bucket",), ("users", "effective", "share", "meant", "impressions", "clicks", "conversions"), rows
        )

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
                f"{percent(plan.confidence)} interval": interval(_ends(contrast), digits),
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

    def _users(self, listed: Sequence[UserOfBucket]) -> Sheet:
        digits = self.look.digits
        names = [each.metric.name for each in self.found.metrics]
        rows = (
            {
                "user": named(self.user(user.key) or ""),
                "bucket": named(user.bucket),
                "impressions": f"{user.impressions:,}",
                **{name: real(user.values.get(name), digits) for name in names},
            }
            for user in listed
        )
        return table("Users", ("user", "bucket"), ("impressions", *names), rows)

    def said(self) -> Iterator[str]:
        found, plan = self.found, self.found.plan
        if found.p is not None and not found.mismatch:
            least = found.least
            few = "" if least is None else f"; of so few users none can be: the least p is {p_value(least)}"
            yield f"Sizes of the buckets: no mismatch is shown (p {_below(found.p)}){few}."
        yield "effective: users who all come equally often, of whom so many would weigh as much."
        yield from heavy(found)
        yield from skewed(found)
        if len(found.buckets) < 2:
            yield "There is one bucket, and nothing to hold it against." + (
                "" if self.facts.buckets else " An A/B test needs the field bucket, and interleaved lists need teams."
            )
        elif not found.mismatch:
            tests = sum(contrast.adjusted is not None for each in found.metrics for contrast in each.contrasts)
            correction = CORRECTIONS[plan.correction].title
            yield (
                f"{MARK} p ≤ {decimal(plan.alpha)}: Welch's t-test of ratios over users, by the jackknife, two-sided,"
                f" {correction} over {counted(tests, 'test')}; intervals of differences are uncorrected. It is for one"
                " look, at a time that was chosen before: with a look each day a difference is found more often than"
                " that where there is none."
            )
            yield (
                "detectable: the true difference that an uncorrected t-test would find with a chance of"
                f" {percent(plan.power)}."
            )
            yield from self._tested_otherwise()
        yield "; ".join(f"{each.metric.name}: {each.metric.description}" for each in found.metrics) + "."
        lower = [each.metric.name for each in found.metrics if each.metric.better == "lower"]
        if lower and len(found.buckets) > 1:
            yield f"Lower is better of {' and '.join(lower)}."
        findings = {contrast.finding for each in found.metrics for contrast in each.contrasts}
        for finding, meaning in _MEANT.items():
            if finding in findings:
                yield f"{finding}: {meaning}."

    def _tested_otherwise(self) -> Iterator[str]:
        """What was not tested by t, and why."""
        several = len(self.found.buckets) > 2
        for test, says in (
            (
                PERMUTATION,
                f"Not t but a permutation test of t, two-sided, its intervals as well, since values are skewed: users"
                f" are dealt out to the buckets again {user_permutation.SAMPLES:,} times: ",
            ),
            (
                FISHER,
                f"Not t but Fisher's exact test of how many users have any, two-sided, without an interval, since fewer"
                f" than {ENOUGH} users of a bucket have another value than most: ",
            ),
            (
                None,
                f"No test, since fewer than {ENOUGH} users of a bucket have another value than most, and all some: ",
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
                "So few users have any that no outcome would have been found; the least p there could be, uncorrected:"
                f" {least}{and_more(len(hopeless), _LISTED)}."
            )

    # For programs

    @property
    def columns(self) -> tuple[str, ...]:
        if self.listed is not None:
            return ("user", "bucket", "impressions", *(each.metric.name for each in self.found.metrics))
        return _CONTRASTS

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(
            {"user", "bucket"} if self.listed is not None else {"metric", "bucket", "baseline", "test", "finding"}
        )

    exact = frozenset({"p", "adjusted"})

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        if self.listed is not None:
            names = [each.metric.name for each in self.found.metrics]
            for user in self.listed:
                values = (user.values.get(name) for name in names)
                yield (self.user(user.key), user.bucket, user.impressions, *values)
        else:
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
        record = {
            **self.recorded(BUCKETS),
            "plan": {
                "baseline": plan.baseline,
                "confidence": plan.confidence,
                "alpha": plan.alpha,
                "power": plan.power,
                "correction": plan.correction,
            },
            "sample_ratio": {"p": found.p, "at_most": MISMATCH, "mismatch": found.mismatch},
            "buckets": [bucket._asdict() for bucket in found.buckets],
            "metrics": [
                {
                    "name": each.metric.name,
                    "description": METRICS[each.metric.name].description,
                    "better": each.metric.better,
                }
                for each in found.metrics
            ],
            "contrasts": [keyed(_CONTRASTS, row) for each in found.metrics for row in self._of_metric(each)],
        }
        if self.listed is not None:
            record["listed"] = [keyed(self.columns, row) for row in self.rows]
        return record


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
        f"SAMPLE RATIO MISMATCH: users are not spread over the buckets as meant (p {_below(found.p)}): {sizes}. Users"
        " were lost or counted otherwise in one of them; until it is known why, no difference below means anything."
    )


def heavy(found: BucketTest) -> Iterator[str]:
    """A sentence for each bucket in which some users weigh much more than others."""
    for bucket in found.buckets:
        if bucket.heavy:
            yield (
                f"HEAVY USERS: {counted(bucket.users, 'user')} of {named(bucket.name)} weigh as much as"
                f" {bucket.effective:,.1f} who come equally often: a few decide. Are some of them machines?"
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
            f"SKEWED VALUES: the t-test needs {RULE} users times the squared skewness in each bucket:"
            f" {'; '.join(most[:_SKEWED])}{and_more(len(most), _SKEWED)}. A permutation test takes its place."
        )


def _below(p: float | None) -> str:
    text = p_value(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def _ends(contrast: BucketContrast) -> tuple[float, float] | None:
    low, high = contrast.found.low, contrast.found.high
    return None if low is None or high is None else (low, high)


def _span(span: tuple[float, float] | None, digits: int) -> str:
    return "" if span is None else interval(span, digits, sign=False)


_OUTCOMES = ("of", "a", "b", "n", "for_a", "ties", "for_b", "delta", "low", "high", "p", "method", "finding")


class PreferenceReport(LogReport):
    """Which of two systems users prefer; `listed` has the users, where they are wanted."""

    def __init__(self, found: Preference, listed: Sequence[InterleavedUser] | None, *log: Any) -> None:
        super().__init__(*log)
        self.found, self.listed = found, listed

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
            yield f"It is not shown that users prefer {a} or {b}, which does not mean that they do not."
        else:
            preferred, other = (a, b) if found.finding == "A" else (b, a)
            test = "mean credit" if found.by_mean else "sign test"
            yield f"Users prefer {preferred} to {other} (p {_below(self._p)}, {test})."

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
        yield table("", ("of",), (f"for {a}", "ties", f"for {b}", "delta", span, "p"), rows)
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

    def said(self) -> Iterator[str]:
        found, plan = self.found, self.found.plan
        a = named(found.names[0])
        over = "users and lists" if found.shared else "users"
        yield (
            f"{found.method}: {counted(found.clicked, 'impression')} of {found.impressions:,} with a click, by"
            f" {counted(found.users_clicked, 'user')} of {found.users:,}; the others say nothing. A user is for the"
            " system to which the user's clicks are worth more."
        )
        decides = "the mean credit decides" if found.by_mean else "the sign test of users decides"
        signs = "none, since lists are shared" if found.shared else found.test.method
        yield (
            f"{MARK} p ≤ {decimal(plan.alpha)}, two-sided: {decides}. Sign test: {signs}. delta: (wins of {a} +"
            " ties/2)/all - 1/2, with score intervals; of credit, that of an impression with a click,"
            f" {a} less the other. Errors are over {over}, each left out in turn."
        )
        if found.shared:
            yield shared(found)
        if found.credit.heavy:
            yield heavy_users(found)
        least = 2.0 ** (1 - found.of_users.a - found.of_users.b)
        if not found.by_mean and least > plan.alpha:
            yield (
                "So few users are for a system that no outcome would have been found: the least p there could be is"
                f" {p_value(min(least, 1.0))}."
            )
        if found.by_mean and not found.shared and found.method in BY_MEAN:
            yield "Signs lean to one side even when clicks come by chance, where credit is shared out by probabilities."
        elif found.by_mean and not found.shared:
            yield (
                f"{counted(found.filled, 'list')} of {found.impressions:,} had documents of nobody's, since a run had"
                " ended: signs lean to one side there even when clicks come by chance."
            )
        if found.method == "balanced":
            yield "Balanced lists can favour one system when clicks come by chance: irev interleave shows by how much."

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
            **self.recorded(PREFERENCE),
            "method": found.method,
            "a": found.names[0],
            "b": found.names[1],
            "plan": {
                "confidence": found.plan.confidence,
                "alpha": found.plan.alpha,
                "samples": found.plan.samples,
                "seed": found.plan.seed,
            },
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
        else " The log does not name all queries, so that lists of the same documents are compared, and some may look"
        " shared that are not: name queries."
    )
    return (
        f"SHARED LISTS: {counted(found.clicked, 'impression')} with a click show {counted(found.lists, 'list')}, and"
        " users have the same ones more often than if lists were drawn for each of them. They share the luck of such a"
        " draw, so that lists count as chance too, and signs of users are not tested. Draw a list for every impression,"
        f" or many for each query (irev interleave --draws).{unsure}"
    )


def heavy_users(found: Preference) -> str:
    """The sentence of users, or lists, of which a few weigh much more than others."""
    units = "lists" if found.shared and found.credit.n == found.lists else "users"
    return (
        f"HEAVY {units.upper()}: {found.credit.n:,} {units} weigh as much as {found.credit.effective or 0.0:,.1f} that"
        " are clicked equally often: the mean credit is known no better than from so few."
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


def report_of(
    scored: ScoredLog, inputs: Sequence[Input] = (), show_users: bool = False
) -> BucketReport | PreferenceReport:
    """The report that suits what was found."""
    log = scored.facts, scored.faults, inputs, scored.users, show_users
    if isinstance(scored.found, BucketTest):
        return BucketReport(scored.found, scored.listed, *log)  # type: ignore[arg-type]
    return PreferenceReport(scored.found, scored.listed, *log)  # type: ignore[arg-type]
