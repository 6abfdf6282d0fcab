"""``irev clicks LOG…``: the options of logs that are scored, and the one call that scores one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from irev.analysis.clicks.metrics import METRICS
from irev.base.exit_status import DONE, FAILED
from irev.base.records import dataclass
from irev.base.text import REAL, counted
from irev.cli.idle import refuse_idle, refuse_idle_in
from irev.cli.names import Name
from irev.cli.options import Running, WholeNumber
from irev.cli.output import Output, show
from irev.cli.streams import warn
from irev.cli.testing_options import ALPHA, CONFIDENCE, choice_option, share_option
from irev.reading.events.schema import DROP, ON_ERROR, REFUSE
from irev.statistics.plan import OF_VALUES


class BucketShares(click.ParamType[tuple[tuple[str, float], ...]]):
    """Buckets, and their shares of users: ``old=0.9,new=0.1``."""

    name = "shares"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str, float], ...]:
        if isinstance(value, tuple):
            return value
        found: dict[str, float] = {}
        for part in value.split(","):
            bucket, equals, share = part.rpartition("=")
            if not (equals and re.fullmatch(REAL, share, re.ASCII) and 0 < float(share) < float("inf")):
                self.fail(f"'{part}' is no bucket and share above 0, such as new=0.5", param, ctx)
            if bucket in found:
                self.fail(f"{bucket} is given twice", param, ctx)
            found[bucket] = float(share)
        return tuple(found.items())


SCORING = (
    click.option(
        "--on-error",
        type=click.Choice(ON_ERROR),
        default=REFUSE,
        show_default=True,
        help="What is done about events that are wrong: refuse the log, or drop them, with all events of their"
        " impression or, of a user in several buckets, of the user.",
    ),
    click.option(
        "-m",
        "--measure",
        "--metric",
        "metrics",
        metavar="NAME",
        type=Name(METRICS),
        multiple=True,
        help=f"Of buckets, what to measure: {', '.join(METRICS)}. Repeat it for more. Default: all that the log has.",
    ),
    click.option(
        "--baseline", metavar="NAME", help="The bucket that others are held against. Default: the first by name."
    ),
    click.option(
        "--shares",
        metavar="BUCKET=P,…",
        type=BucketShares(),
        default=(),
        help="Which share of users each bucket was to have. Default: equal ones.",
    ),
    ALPHA,
    CONFIDENCE,
    choice_option(
        "--correction",
        words=OF_VALUES,
        default="holm",
        meaning="How p-values are corrected, of all metrics and buckets together.",
    ),
    share_option("--power", default=0.8, meaning="Of buckets: chance of finding the difference called detectable."),
    click.option(
        "--samples",
        metavar="N",
        type=WholeNumber(1),
        default=10_000,
        show_default=True,
        help="Without effect: intervals of interleaved lists need no samples any more.",
    ),
    click.option("--per-user", is_flag=True, help="List the users: instead of what was found, where programs read."),
    click.option("--show-users", is_flag=True, help="Show the ids of users, of which else a hash stands there."),
)
"""How a log is scored."""

OF_BUCKETS = ("metrics", "baseline", "shares", "correction", "power")
OF_LISTS = ("samples", "seed")
"""The parameters that are about one kind of log alone."""


@dataclass(frozen=True)
class Scoring:
    """What the options of `SCORING` say."""

    on_error: str
    metrics: tuple[str, ...]
    baseline: str | None
    shares: tuple[tuple[str, float], ...]
    alpha: float
    confidence: float
    correction: str
    power: float
    samples: int
    per_user: bool
    show_users: bool


OF_SCORING = tuple(Scoring.__dataclass_fields__)
"""The parameters that a log which is made up has no use for."""


def score(
    ctx: click.Context,
    files: tuple[str, ...],
    asked: Scoring,
    seed: int,
    large: bool,
    running: Running,
    to: Output,
) -> int:
    """Score a log, and say what is wrong with it."""
    refuse_idle_in(ctx, to.style, "digits")
    if not asked.per_user:
        refuse_idle(ctx, "ids of users are shown with --per-user alone", "show_users")

    from irev.analysis.clicks import scoring
    from irev.analysis.clicks.buckets import BucketPlan, BucketTest
    from irev.analysis.clicks.interleaved import InterleavingPlan
    from irev.cli import progress
    from irev.evaluation.result import Input
    from irev.output.reports.clicks import heavy, heavy_users, mismatched, report_of, shared, skewed
    from irev.output.styles import needs_inputs
    from irev.reading.events.log import Log
    from irev.reading.events.schema import INTERLEAVED

    buckets = BucketPlan(
        asked.metrics,
        asked.baseline,
        dict(asked.shares) or None,
        asked.confidence,
        asked.alpha,
        asked.power,
        asked.correction,
    )
    lists = InterleavingPlan(asked.confidence, asked.alpha, asked.samples, seed)
    with progress.working(f"reading {counted(len(files), 'file')}", running.quiet):
        log = Log(files, large=large, users=asked.per_user, digest=needs_inputs(to.style))
    with log:
        if log.facts.kind == INTERLEAVED:
            refuse_idle(ctx, "it is about buckets, and the lists of this log are interleaved", *OF_BUCKETS)
        else:
            refuse_idle(ctx, "it is about interleaved lists, and this log has none", *OF_LISTS)
        with progress.working(f"scoring {counted(log.facts.rows, 'event')}", running.quiet):
            found = scoring.score(log, buckets, lists, drop=asked.on_error == DROP, per_user=asked.per_user)
        inputs = tuple(Input("log", name, *digest) for name, digest in log.digests)
        note_log(log, found.faults)
    if isinstance(found.found, BucketTest):
        if len(found.found.buckets) < 2:
            refuse_idle(ctx, "there is one bucket", "baseline", "shares", "alpha", "correction", "power")
        if found.found.mismatch:
            warn(mismatched(found.found))
        for sentence in (*heavy(found.found), *skewed(found.found)):
            warn(sentence)
    else:
        if found.found.shared:
            warn(shared(found.found))
        if found.found.credit.heavy:
            warn(heavy_users(found.found))
    show(report_of(found, inputs, asked.show_users), to)
    return FAILED if isinstance(found.found, BucketTest) and found.found.mismatch else DONE


def note_log(log: Any, faults: Mapping[str, int]) -> None:
    """Say what was left out, and what was not looked at."""
    strange = sorted(log.facts.strange)
    if strange:
        warn(f"{counted(len(strange), 'field')} ignored that no event has: {', '.join(strange[:5])}")
    told = set()
    for place, problem in log.described():
        if problem.code not in told:
            told.add(problem.code)
            count = faults[problem.code]
            more = f", the first of {count:,}" if count > 1 else ""
            warn(f"{place}: {problem.fact} ({problem.code}{more}); left out")
