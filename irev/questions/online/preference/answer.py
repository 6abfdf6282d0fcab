"""Find which run users prefer, from clicks on mixed lists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from irev.base.text import counted
from irev.errors import UsageError
from irev.questions.online.given import Given
from irev.questions.online.logs import log_notes, observe, require_sound
from irev.questions.online.preference.choices import PreferenceChoices
from irev.questions.online.preference.finding import ListClicks, heavy_users, shared
from irev.questions.online.preference.wins import InterleavedUser, Interleavings
from irev.reading.events.log import Log
from irev.reading.events.schema import DROP, INTERLEAVED


def answer(given: Given, choices: PreferenceChoices) -> ListClicks:
    """Which run users of a log prefer."""
    with given.log(choices.files, users=choices.per_user) as log:
        if log.facts.kind != INTERLEAVED:
            raise UsageError("the lists of this log are not interleaved", remedy="irev online ab compares buckets")
        with given.working(f"scoring {counted(log.facts.rows, 'event')}"):
            found = compare(log, choices)
        for sentence in (*log_notes(log, found.faults), *_doubts(found)):
            given.note(sentence)
    return replace(found, inputs=tuple(given.inputs))


def compare(log: Log, choices: PreferenceChoices, memory: int | None = None) -> ListClicks:
    """Which run users of a log prefer, whose impressions have not been read yet."""
    listed: list[InterleavedUser] | None = [] if choices.per_user else None
    with closing(Interleavings(log, memory)) as lists:
        observe(log, lists)
        found = lists.compare(choices, listed)
    require_sound(log, choices.on_error == DROP)
    return ListClicks(log.facts, dict(log.faults.counts), found, listed, log.users, choices.show_users)


def _doubts(clicks: ListClicks) -> Iterator[str]:
    """What makes the result doubtful."""
    if clicks.found.shared:
        yield shared(clicks.found)
    if clicks.found.credit.heavy:
        yield heavy_users(clicks.found)
