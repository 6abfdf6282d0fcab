"""A log of events: read once, checked, and put together by impression, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, Problem
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import encoded
from irev.extensions.clicks.events import delimited, json_lines, parquet, ubi
from irev.extensions.clicks.events.checks import (
    CLICKED,
    CONVERTED,
    DONE,
    KINDS,
    LINES,
    SHOWN,
    SPOILT,
    Checker,
)
from irev.extensions.clicks.events.rows import numbered, texts_of_bytes
from irev.extensions.clicks.events.schema import LISTS
from irev.extensions.clicks.events.spill import Spill
from irev.reading.formats import head_of, require_line_feeds
from irev.reading.ids import Words
from irev.reading.sources import BOM, Digest, Source

DESCRIBED = 3
"""Faults of each code that are described; all are counted."""


@dataclass(frozen=True, eq=False)
class Impressions:
    """Some impressions, with what users did there; all events of each are here.

    Documents, queries and users are 64-bit halves of hashes (`irev.extensions.clicks.events.rows.TextColumn.half`), as
    `irev.extensions.clicks.events.log.hashed` makes them of ids.

    Attributes
    ----------
    place : int (n,)
        File and line, as `Log.where` reads them; they rise.
    user : uint64 (n, 2)
        Both halves; those of the impression where no user is named.
    query : uint64 (n,)
        0 where none is named.
    time : int (n,)
        In microseconds; 0 in a log without times.
    bucket : int (n,)
        Into `LogFacts.buckets`; -1 without.
    length : int (n,)
        Documents of each; -1 where they are not named.
    start : int (n,)
        Where the items of each begin in the lists.
    owner : int (items,)
        The impression of each item.
    lists : dict of str to array (items,)
        ``documents`` (uint64), ``teams`` (int8: `schema.A`, `schema.B`, `schema.NOBODY`), ``shares``,
        ``propensities`` (float64): those that any impression here has. What one lacks is NaN.
    given : dict of str to bool (n,)
        Which impressions have each of these.
    click_of : int (c,)
        The impression of each click; clicks are ordered by impression and position, and then by time.
    position : int (c,)
        From 1.
    click_time : int (c,)
    dwell : float (c,)
        Seconds; NaN where it is not given.
    conversion_of : int (v,)
        The impression of each conversion, rising.
    value : float (v,)
        NaN where it is not given; of one impression they rise.
    """

    place: Ints
    user: Words
    query: Words
    time: Ints
    bucket: Ints
    length: Ints
    start: Ints
    owner: Ints
    lists: dict[str, Any]
    given: dict[str, Bools]
    click_of: Ints
    position: Ints
    click_time: Ints
    dwell: Floats
    conversion_of: Ints
    value: Floats

    def __len__(self) -> int:
        return len(self.place)

    @property
    def clicked(self) -> Ints:
        """The items that were clicked, once each, in order; for impressions whose documents are named."""
        known = self.length[self.click_of] >= 0
        items = self.start[self.click_of[known]] + self.position[known] - 1
        distinct: Ints = items[segments.opens(items)]
        return distinct


class Log:
    """An open log.

    Parameters
    ----------
    paths : sequence of str
        Files that are one log, in their order; ``-`` is standard input.
    memory : int, optional
        As in `Spill`.
    watch : callable, optional
        As of `Source`.
    digest : bool
        Whether `digests` are wanted.

    Attributes
    ----------
    paths : tuple of str
    facts : LogFacts
    digests : list of (str, Digest)
        Of each file, by its name.
    faults : Faults
        So far: those of rows at once, the others when all `impressions` have been taken.

    Raises
    ------
    InputError
        For a file that cannot be opened or read, or is no log.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        memory: int | None = None,
        watch: Callable[[int], None] | None = None,
        digest: bool = False,
    ) -> None:
        self.paths = tuple(paths)
        self.digests: list[tuple[str, Digest]] = []
        self.faults = Faults(DESCRIBED)
        self._files: list[tuple[str, str]] = []
        self._spill = Spill(memory)
        checker = Checker(self._spill, self.faults)
        try:
            for number, path in enumerate(paths):
                with Source(path, digest=digest, watch=watch) as source:
                    module, unit = _format(source)
                    self._files.append((source.name, unit))
                    for block in module.blocks(source):
                        checker.take(block, number)
                    if digest:
                        self.digests.append((source.name, source.digest()))
        except BaseException:
            self._spill.close()
            raise
        self.facts = checker.done()
        if not self.facts.rows:
            self._spill.close()
            raise InputError("there are no events", ", ".join(name for name, _ in self._files), "expected a log")

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spill.close()

    def impressions(self) -> Iterator[Impressions]:
        """All impressions that can be used, some at a time; to be taken once.

        The others, with all of their events, are left out: those with a fault, or of which an event has one.
        """
        facts = self.facts
        facts.impressions = facts.clicks = facts.conversions = 0
        for part in self._spill.parts:
            found = _put_together(self._spill, part, facts.timed, self.faults)
            facts.impressions += len(found)
            facts.clicks += len(found.click_of)
            facts.conversions += len(found.conversion_of)
            yield found
        facts.left_out = facts.rows - facts.impressions - facts.clicks - facts.conversions

    def fail(self, places: Ints, code: str, fact: str, remedy: str, first: Ints) -> None:
        """Note faults that are seen only when all impressions of users are, each with the place that it contradicts."""
        _fail(self.faults, places, code, lambda row: fact, remedy, first)

    def leave_out(self, **counts: int) -> None:
        """Count as left out what was kept so far, by the names of `LogFacts`."""
        for name, count in counts.items():
            setattr(self.facts, name, getattr(self.facts, name) - count)
            self.facts.left_out += count

    def where(self, place: int) -> str:
        """A place as messages name it."""
        name, unit = self._files[place >> LINES]
        line = place & ((1 << LINES) - 1)
        return f"{name}:{line}" if unit == "line" else f"{name}, {unit} {line}"

    def described(self) -> Iterator[tuple[str, Problem]]:
        """The earliest faults of each code, in the order of the log, with their places."""
        for problem in self.faults.earliest():
            yield self.where(problem.line), problem

    def require_sound(self) -> None:
        """Raise `InputError` for the earliest fault, if there is any: all are counted in its message."""
        for problem in self.faults.earliest():
            raise InputError(*_said(self, problem))

    def require_any(self) -> None:
        """Raise `InputError` where no impression is left."""
        if not self.facts.impressions:
            faults = ", ".join(f"{code} {count:,}" for code, count in sorted(self.faults.counts.items()))
            remedy = f"faults in the log: {faults}" if faults else "a log needs impressions as well as clicks"
            raise InputError("no impression is left", ", ".join(name for name, _ in self._files), remedy)


def _said(log: Log, problem: Problem) -> tuple[str, str, str]:
    counts = log.faults.counts
    first = "" if problem.first is None else f" (first at {log.where(problem.first)})"
    total = sum(counts.values())
    more = ""
    if total > 1:
        codes = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
        more = f" ({total:,} faults in all: {codes})"
    return f"{problem.fact}{first}", log.where(problem.line), f"{problem.remedy}; --on-error drop leaves it out{more}"


def _format(source: Source) -> tuple[Any, str]:
    """The module that reads a file, and what it counts."""
    head = head_of(source)
    if head.startswith(b"PAR1"):
        return parquet, "row"
    if not head.strip():
        raise InputError("the file is empty", source.name, "expected a log of events")
    require_line_feeds(head, source.name)
    if head.removeprefix(BOM).lstrip()[:1] == b"{":
        return (ubi if ubi.is_ubi(source) else json_lines), "line"
    return delimited, "line"


def _by_position(impression: Ints, position: Ints, time: Ints, dwell: Floats) -> Ints:
    """The order of clicks by impression and position, and of those at one position by time and dwell time."""
    key = impression << 21 | position
    order = np.argsort(key)
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if len(again):
        tied = np.unique(np.append(again, again + 1))
        rows = order[tied]
        order[tied] = rows[np.lexsort((dwell[rows], time[rows], key[rows]))]
    return order


def _put_together(spill: Spill, part: int, timed: bool, faults: Faults) -> Impressions:
    shown, done = spill.rows("shown", part, SHOWN), spill.rows("done", part, DONE)
    number, groups = numbered(np.append(shown["hi"], done["hi"]), np.append(shown["lo"], done["lo"]))
    of_shown, of_done = number[: len(shown)], number[len(shown) :]
    spoilt = np.zeros(groups, dtype=bool)
    spoilt[of_done[done["kind"] == SPOILT]] = True
    lone = spoilt.copy()  # its impression may be one that has a fault
    first = np.full(groups, -1, dtype=np.int64)
    first[of_shown[::-1]] = np.arange(len(shown))[::-1]

    again = np.flatnonzero(first[of_shown] != np.arange(len(shown)))
    _fail(
        faults,
        shown["place"][again],
        "E144",
        lambda row: "the id of this impression was used before",
        "an impression needs its own id",
        shown["place"][first[of_shown[again]]],
    )
    spoilt[of_shown[again]] = True

    lists = {name: spill.rows(name, part) for name in LISTS}
    given = {name: (shown["given"] >> bit & 1).astype(bool) for bit, name in enumerate(LISTS)}
    item_start = {
        name: np.append(0, np.cumsum(np.where(given[name], np.maximum(shown["length"], 0), 0)))[:-1] for name in LISTS
    }

    # What was done, seen beside the impression that it names.
    place, kind, impression = done["place"], done["kind"], first[of_done]
    bad = kind == SPOILT

    def what(row: int) -> str:
        return next(event for event, code in KINDS.items() if code == kind[row])

    def fail(where: Bools, code: str, fact: Any, remedy: str) -> None:
        nonlocal bad
        rows = np.flatnonzero(where & ~bad)
        _fail(faults, place[rows], code, lambda row: fact(int(rows[row])), remedy)
        bad = bad | where
        spoilt[of_done[rows]] = True

    without = impression < 0
    fail(
        without & ~lone[of_done],
        "E141",
        lambda row: f"the {what(row)} names an impression that the log does not have",
        "the log must have every impression, before its clicks",
    )
    bad |= without
    impression = np.where(without, 0, impression)
    if len(shown):
        fail(
            place < shown["place"][impression],
            "E141",
            lambda row: f"the {what(row)} is before its impression",
            "put impressions first, or sort the log by time",
        )
        if timed:
            fail(
                done["time"] < shown["time"][impression],
                "E146",
                lambda row: f"the time of the {what(row)} is before that of its impression",
                "do the clocks agree?",
            )
        named = shown["user_hi"] != shown["hi"]
        other_user = named[impression] & (done["user"] != 0) & (done["user"] != shown["user_hi"][impression])
        both = (done["bucket"] >= 0) & (shown["bucket"][impression] >= 0)
        other_bucket = both & (done["bucket"] != shown["bucket"][impression])
        for name, other in (("user", other_user), ("bucket", other_bucket)):
            fail(
                other,
                "E150",
                lambda row, name=name: f"the {what(row)} has a different {name} than its impression",
                f"leave out the {name}, or give that of the impression",
            )
        length, position = shown["length"][impression].astype(np.int64), done["position"]
        clicks = kind == CLICKED
        fail(
            clicks & (length >= 0) & (position > length),
            "E142",
            lambda row: f"the position {position[row]} cannot be in a list of {length[row]}",
            "positions are counted from 1",
        )
        documents = lists["documents"]
        named = clicks & ~bad & (position == 0)
        fail(
            named & (length < 0),
            "E113",
            lambda row: "the click has no position, and its impression no documents",
            "expected a rank from 1",
        )
        _find_documents(np.flatnonzero(named & ~bad), done, impression, item_start["documents"], length, documents)
        fail(
            named & (position == 0),
            "E148",
            lambda row: "the document clicked was not shown",
            "do impressions and clicks have ids of one kind?",
        )
        compared = np.flatnonzero(clicks & ~bad & (done["document"] != 0) & (length > 0))
        differs = np.zeros(len(done), dtype=bool)
        differs[compared] = (
            documents[item_start["documents"][impression[compared]] + position[compared] - 1]
            != done["document"][compared]
        )
        fail(
            differs,
            "E148",
            lambda row: f"the document clicked was not shown at position {position[row]}",
            "is the position counted from 1?",
        )

    kept = np.flatnonzero(~spoilt[of_shown])
    new = np.full(max(len(shown), 1), -1, dtype=np.int64)
    new[kept] = np.arange(len(kept))
    of_new = np.where(bad | spoilt[of_done], -1, new[impression])
    clicks = np.flatnonzero((of_new >= 0) & (kind == CLICKED))
    times, numbers, positions = done["time"], done["number"], done["position"].astype(np.int64)
    clicks = clicks[_by_position(of_new[clicks], positions[clicks], times[clicks], numbers[clicks])]
    conversions = np.flatnonzero((of_new >= 0) & (kind == CONVERTED))
    conversions = conversions[np.lexsort((done["number"][conversions], of_new[conversions]))]
    length = shown["length"][kept].astype(np.int64)
    sizes = np.maximum(length, 0)
    owner = np.repeat(np.arange(len(kept)), sizes)
    start = np.append(0, np.cumsum(sizes))[:-1]
    return Impressions(
        place=shown["place"][kept],
        user=np.stack((shown["user_hi"][kept], shown["user_lo"][kept]), axis=1),
        query=shown["query"][kept],
        time=shown["time"][kept],
        bucket=shown["bucket"][kept].astype(np.int64),
        length=length,
        start=start,
        owner=owner,
        lists={
            name: _kept_items(items, given[name], item_start[name], kept, start, owner)
            for name, items in lists.items()
            if len(items)
        },
        given={name: has[kept] for name, has in given.items()},
        click_of=of_new[clicks],
        position=done["position"][clicks].astype(np.int64),
        click_time=done["time"][clicks],
        dwell=done["number"][clicks],
        conversion_of=of_new[conversions],
        value=done["number"][conversions],
    )


def _find_documents(
    clicks: Ints, done: Any, impression: Ints, item_start: Ints, length: Ints, documents: Words
) -> None:
    """Give clicks without a position that of their document in the list; 0 stays where it was not shown."""
    size = length[clicks]
    click = np.repeat(clicks, size)
    place = np.arange(len(click)) - np.repeat(np.cumsum(size) - size, size)
    same = np.flatnonzero(documents[item_start[impression[click]] + place] == done["document"][click])[::-1]
    done["position"][click[same]] = place[same] + 1  # the first, where a document is shown twice


def _kept_items(items: Any, given: Bools, item_start: Ints, kept: Ints, start: Ints, owner: Ints) -> Any:
    """The items of the impressions that are kept; NaN, or 0, for those that have none."""
    if len(kept) == len(given) and given.all():
        return items
    from_start = item_start[kept] - start
    has = given[kept][owner]
    places = np.where(has, np.arange(len(owner)) + from_start[owner], 0)
    missing = np.nan if items.dtype.kind == "f" else 0
    return np.where(has, items[places], items.dtype.type(missing))


def _fail(faults: Faults, places: Ints, code: str, fact: Any, remedy: str, first: Ints | None = None) -> None:
    """Note faults at places, of which none has one; `fact` is told which of them it is about."""
    order = np.argsort(places, kind="stable")
    faults.add(
        order,
        lambda row: Problem(
            int(places[row]), code, fact(row), remedy, first=None if first is None else int(first[row])
        ),
    )


def hashed(texts: Sequence[str]) -> Words:
    """The hashes by which documents and queries of `Impressions` are known; of bytes that are no UTF-8 as `decoded`."""
    return texts_of_bytes([encoded(text) for text in texts]).half(0)
