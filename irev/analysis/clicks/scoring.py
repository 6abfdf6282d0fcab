"""A log is scored: all of its impressions pass by once, and what looks at them gets every block.

Which of the two questions is asked the log decides: of interleaved lists, which system users prefer; of buckets, or of
impressions that are neither, what users did there.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Protocol

from irev.analysis.clicks.buckets import BucketPlan, Buckets, BucketTest, UserOfBucket
from irev.analysis.clicks.interleaved import InterleavedUser, InterleavingPlan, Interleavings, Preference
from irev.base.records import dataclass
from irev.reading.events.checks import LogFacts
from irev.reading.events.log import Impressions, Log
from irev.reading.events.schema import INTERLEAVED


class Observer(Protocol):
    """What looks at impressions, some at a time."""

    def add(self, some: Impressions) -> None:
        """Take some impressions, of which all events are there."""


@dataclass(frozen=True)
class ScoredLog:
    """What a log says.

    Attributes
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each code was found, of events that were left out.
    found : BucketTest or Preference
    listed : list of UserOfBucket or InterleavedUser, or None
        Every user, in the order of the log, where they are wanted.
    users : dict of tuple to bytes
        Their ids by their hashes.
    """

    facts: LogFacts
    faults: dict[str, int]
    found: BucketTest | Preference
    listed: list[UserOfBucket] | list[InterleavedUser] | None
    users: dict[tuple[int, int], bytes]


def score(
    log: Log,
    buckets: BucketPlan,
    interleaving: InterleavingPlan,
    *,
    drop: bool = False,
    per_user: bool = False,
    also: Iterable[Observer] = (),
    memory: int | None = None,
) -> ScoredLog:
    """What a log says, by the plan for its kind.

    `drop` leaves out events with faults, for which `InputError` is raised otherwise. What is in `also` sees every
    impression too, and must not trust any before this returns.
    """
    also = list(also)
    found: BucketTest | Preference
    listed: list[UserOfBucket] | list[InterleavedUser] | None
    if log.facts.kind == INTERLEAVED:
        with closing(Interleavings(log, memory)) as lists:
            _observe(log, [lists, *also])
            of_lists: list[InterleavedUser] | None = [] if per_user else None
            found, listed = lists.compare(interleaving, of_lists), of_lists
    else:
        with closing(Buckets(log, memory)) as users:
            _observe(log, [users, *also])
            of_buckets: list[UserOfBucket] | None = [] if per_user else None
            found, listed = users.compare(buckets, of_buckets), of_buckets
    if not drop:
        log.require_sound()
    log.require_any()
    return ScoredLog(log.facts, dict(log.faults.counts), found, listed, log.users)


def _observe(log: Log, observers: list[Observer]) -> None:
    for some in log.impressions():
        for each in observers:
            each.add(some)
