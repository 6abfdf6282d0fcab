"""What questions about a log have alike: the log is read once, and what was wrong with it is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from irev.base.text import counted
from irev.reading.events.log import Impressions, Log
from irev.statistics.sequential import ONCE, Always, Looks

PER_USER = 10
"""So many impressions are supposed to come to a user who counts, where looks at users are planned by impressions."""


class Observer(Protocol):
    """What looks at impressions, some at a time."""

    def add(self, some: Impressions) -> None:
        """Take some impressions, of which all events are there."""


def observe(log: Log, observer: Observer) -> None:
    """Show all impressions of a log to an observer, which must not trust any before `require_sound` has returned."""
    for some in log.impressions():
        observer.add(some)


def require_sound(log: Log, drop: bool) -> None:
    """Raise `InputError` for events with faults, unless they are dropped, and for a log without an impression."""
    if not drop:
        log.require_sound()
    log.require_any()


def looks_at(impressions: int, planned: int | None) -> Looks:
    """How errors are read, of so many impressions: once, or at every look, of so many that are planned.

    The clock is impressions and not users: users who come back say something new, and looks at as many users could go
    on forever. `irev.statistics.sequential.Always` errs less than it says where what users do is correlated.
    """
    return ONCE if planned is None else Always(impressions / planned)


def log_notes(log: Log, faults: Mapping[str, int]) -> Iterator[str]:
    """What was left out of a log, and which fields were ignored."""
    strange = sorted(log.facts.strange)
    if strange:
        yield f"{counted(len(strange), 'field')} ignored that no event has: {', '.join(strange[:5])}"
    told = set()
    for place, problem in log.described():
        if problem.code not in told:
            told.add(problem.code)
            count = faults[problem.code]
            more = f", the first of {count:,}" if count > 1 else ""
            yield f"{place}: {problem.fact} ({problem.code}{more}); left out"
