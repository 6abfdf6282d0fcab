"""What users did in the buckets of an A/B test, and which differences are more than chance."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace

from irev.base.text import counted
from irev.errors import UsageError, option
from irev.questions.online.ab.buckets import Buckets, UserOfBucket
from irev.questions.online.ab.choices import AbChoices
from irev.questions.online.ab.finding import BucketClicks, heavy, mismatched, skewed
from irev.questions.online.choices import Given
from irev.questions.online.logs import log_notes, observe, require_sound
from irev.reading.events.log import Log
from irev.reading.events.schema import DROP, INTERLEAVED


def answer(given: Given, choices: AbChoices) -> BucketClicks:
    """What users did in each bucket of a log."""
    if {*map(os.path.realpath, choices.files)} & {*map(os.path.realpath, choices.before)}:
        raise UsageError(f"{option('before')} names a log of the test itself", remedy="name one of the time before it")
    with given.log(choices.files, users=choices.per_user) as log:
        if log.facts.kind == INTERLEAVED:
            raise UsageError("the lists of this log are interleaved", remedy="irev online preference compares the runs")
        with (
            given.log(choices.before) if choices.before else nullcontext() as before,
            given.working(f"scoring {counted(log.facts.rows, 'event')}"),
        ):
            found = compare(log, choices, before=before)
            for sentence in log_notes(before, before.faults.counts) if before is not None else ():
                given.note(sentence)
        for sentence in (*log_notes(log, found.faults), *_doubts(found)):
            given.note(sentence)
    return replace(found, inputs=tuple(given.inputs))


def compare(log: Log, choices: AbChoices, memory: int | None = None, before: Log | None = None) -> BucketClicks:
    """What users did in each bucket of a log, whose impressions have not been read yet, given the log of the time
    before."""
    listed: list[UserOfBucket] | None = [] if choices.per_user else None
    with closing(Buckets(log, choices, memory, before)) as users:
        observe(log, users)
        if before is not None:
            for some in before.impressions():
                users.add_before(some)
        if choices.before and not users.apart:
            fact = f"the log of {option('before')} goes on after the test began, so that the test would explain itself"
            raise UsageError(fact, remedy="leave out of it what is not older than the test")
        found = users.compare(listed)
    for each in (log, before):
        if each is not None:
            require_sound(each, choices.on_error == DROP)
    return BucketClicks(log.facts, dict(log.faults.counts), found, listed, log.users, choices.show_users)


def _doubts(clicks: BucketClicks) -> Iterator[str]:
    """What makes the result doubtful."""
    found = clicks.found
    if len(found.buckets) > 1 and found.mismatch:
        yield mismatched(found)
    yield from heavy(found)
    yield from skewed(found)
