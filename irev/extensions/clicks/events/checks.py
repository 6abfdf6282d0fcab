"""What each row of a log must hold, seen alone and beside the first ones, and the arrays that are kept of it.

A row with a fault is not kept. What is kept of it is that there was one, so that other events of its impression are
left out with it: without its click, an impression would look as if nobody had clicked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irev.base.errors import Faults, Problem
from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.base.text import decoded
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.rows import (
    FURTHEST,
    UNKNOWN_TEAM,
    EventBlock,
    EventRows,
    ListColumn,
    NumberColumn,
    RowFault,
    TextColumn,
    TimeColumn,
    coded,
    texts_of_bytes,
)
from irev.extensions.clicks.events.schema import BUCKETS, INTERLEAVED, LISTS, METHODS, PLAIN, LogFacts
from irev.extensions.clicks.events.spill import Spill, parts_of
from irev.reading.ids import Words

SHOWN: Any = np.dtype(
    [
        *(("hi", "u8"), ("lo", "u8"), ("user_hi", "u8"), ("user_lo", "u8"), ("query", "u8")),
        *(("place", "i8"), ("time", "i8"), ("bucket", "i4"), ("length", "i4"), ("given", "u1")),
    ]
)
"""What is kept of an impression beside its lists: `length` is -1 without documents, `given` has a bit for each list."""

DONE: Any = np.dtype(
    [
        *(("hi", "u8"), ("lo", "u8"), ("place", "i8"), ("time", "i8"), ("document", "u8"), ("number", "f8")),
        *(("user", "u8"), ("position", "i4"), ("bucket", "i4"), ("kind", "i1")),
    ]
)
"""What is kept of what was done (`number` is the dwell time of a click, or the value of a conversion), or of a faulty
row."""

CLICKED, CONVERTED, SPOILT = range(3)

KINDS = {
    schema.CLICK: CLICKED,
    schema.CONVERSION: CONVERTED,
}

WRITTEN_BY = "irev online interleave writes them"

TIMES_OF_ALL = "give every event a time, or none of them"

LINES = 40
"""Bits of the line in a place; what stands above is the file."""

MOST_NAMES = 1000
"""Buckets, and the like, that a log may have."""

LONGEST_LIST = 1 << 20

LONGEST_DWELL = FURTHEST // schema.MICROSECONDS
"""Seconds: a float holds as many microseconds exactly."""

LARGEST_VALUE = 1e15
"""Of a conversion; squares of sums of these are far from the largest float."""


Said = str | Callable[[int], str]


@dataclass(eq=False)
class _Checked:
    """The rows of one event in a block, and which of them have a fault."""

    part: EventRows
    place: Ints
    bad: Bools
    faults: Faults

    def fail(self, where: Bools, code: str, fact: Said, remedy: str) -> None:
        """Note a fault of some rows, unless they have one."""
        new = np.flatnonzero(where & ~self.bad)
        if len(new):
            self.faults.add(
                new,
                lambda row: Problem(int(self.place[row]), code, fact if isinstance(fact, str) else fact(row), remedy),
            )
            self.bad |= where

    def texts(self, name: str) -> TextColumn:
        found = self.part.columns.get(name)
        if isinstance(found, TextColumn):
            return found
        none = np.zeros(len(self.place), dtype=np.int64)
        return TextColumn(np.zeros(256, dtype=np.uint8), none + 64, none)

    def numbers(self, name: str) -> Any:
        found = self.part.columns.get(name)
        return found.value if isinstance(found, NumberColumn) else np.full(len(self.place), np.nan)

    def times(self) -> TimeColumn:
        found = self.part.columns.get(schema.TIME)
        if isinstance(found, TimeColumn):
            return found
        none = np.zeros(len(self.place), dtype=bool)
        return TimeColumn(np.zeros(len(self.place), dtype=np.int64), none, none)

    def lists(self, name: str) -> ListColumn:
        found = self.part.columns.get(name)
        return found if isinstance(found, ListColumn) else ListColumn(np.full(len(self.place), -1), np.empty(0))

    def owner(self, lists: ListColumn) -> Ints:
        """The row of each item."""
        return np.repeat(np.arange(len(self.place)), np.maximum(lists.sizes, 0))

    def any_of(self, wrong: Bools, owner: Ints) -> Bools:
        """The rows of which some item is wrong."""
        return np.bincount(owner[wrong], minlength=len(self.place)) > 0


class Checker:
    """Checks blocks in the order of the log, and keeps what is sound in a `Spill`.

    Parameters
    ----------
    spill : Spill
        Gets ``shown``, ``done``, and each list by its name.
    faults : Faults
        Their lines are places: that of the file, in `LINES` bits, and above these its number.
    """

    def __init__(self, spill: Spill, faults: Faults) -> None:
        self.facts = LogFacts()
        self._spill, self._faults = spill, faults
        self._timed: bool | None = None
        self._dated = False
        self._first: tuple[str, int, int, int] | None = None  # the kind, and the codes of method and names
        self._names: dict[bytes, int] = {}
        self._buckets: dict[bytes, int] = {}

    def take(self, block: EventBlock, file: int) -> None:
        """Check the rows of a block."""
        place = (file << LINES) | block.lines
        bad = np.zeros(len(place), dtype=bool)
        for fault in sorted(block.faults):
            if not bad[fault.row]:
                problem = Problem(int(place[fault.row]), fault.code, fault.fact, fault.remedy)
                self._faults.add([0], lambda _, problem=problem: problem)  # type: ignore[misc]
                bad[fault.row] = True
        self._spoil([fault for fault in block.faults if fault.impression], place)
        if len(self.facts.strange) < MOST_NAMES:
            self.facts.strange |= block.strange
        parts = [_Checked(part, place[part.rows], bad[part.rows], self._faults) for part in block.parts]
        there = bad.copy()
        for part in block.parts:
            there[part.rows] = True
        self.facts.rows += int(np.count_nonzero(there))
        self._decide_times(parts)
        for rows in parts:
            self._common(rows)
            if rows.part.event == schema.IMPRESSION:
                self._impressions(rows)
            else:
                self._actions(rows)
        self._spill.settle()

    def done(self) -> LogFacts:
        """What the log is, when all of it is read."""
        facts = self.facts
        if self._first is not None:
            facts.kind, method, *names = self._first
            called = [decoded(name) for name in self._names]
            facts.method = called[method] if method >= 0 else ""
            facts.names = tuple(called[name] if name >= 0 else usual for name, usual in zip(names, "AB", strict=True))  # type: ignore[assignment]
        facts.timed = bool(self._timed)
        facts.buckets = [decoded(name) for name in self._buckets]
        return facts

    def _spoil(self, faults: list[RowFault], place: Ints) -> None:
        """Keep of rows that are no events that there was something at the impressions that they name."""
        if faults:
            lost = np.zeros(len(faults), dtype=DONE)
            lost["hi"], lost["lo"] = texts_of_bytes([fault.impression for fault in faults]).keys()
            lost["place"] = place[[fault.row for fault in faults]]
            lost["kind"] = SPOILT
            self._spill.put("done", lost, parts_of(lost["hi"]))

    def _decide_times(self, parts: list[_Checked]) -> None:
        """Whether the first event has a time, and whether that is a date."""
        if self._timed is None:
            first = [
                (int(rows.place[good[0]]), bool(times.given[good[0]]), bool(times.dated[good[0]]))
                for rows in parts
                if len(good := np.flatnonzero(~rows.bad)) and (times := rows.times())
            ]
            _, self._timed, self._dated = min(first) if first else (0, None, False)

    def _common(self, rows: _Checked) -> None:
        """What all events must have."""
        impression = rows.texts("impression")
        rows.fail(~impression.given, "E113", f"the {rows.part.event} has no impression", "expected the id of one")
        given, dated = rows.times().given, rows.times().dated
        if self._timed:
            rows.fail(~given, "E113", "there is no time, and the first event has one", TIMES_OF_ALL)
            is_, first = ("seconds", "a date") if self._dated else ("a date", "seconds")
            fact = f"the time is {is_}, and that of the first event {first}"
            rows.fail(dated != self._dated, "E113", fact, "write all times in the same form")
        elif self._timed is False:
            rows.fail(given, "E113", "there is a time, and the first event has none", TIMES_OF_ALL)
        for name in schema.TEXTS:
            if name in rows.part.columns:
                texts = rows.texts(name)
                unusable = np.zeros(len(rows.place), dtype=bool)
                unusable[texts.unusable()] = True
                rows.fail(
                    unusable,
                    "E110",
                    f"the {name} contains a control character, or begins or ends with a blank",
                    "replace it everywhere in the id",
                )

    def _actions(self, rows: _Checked) -> None:
        """Clicks, or what else is done."""
        click = rows.part.event == schema.CLICK
        record = np.zeros(len(rows.place), dtype=DONE)
        record["place"], record["time"] = rows.place, rows.times().value
        record["hi"], record["lo"] = rows.texts("impression").keys()
        record["user"] = rows.texts("user").half(0)
        bucket = coded(rows.texts("bucket"), dict(self._buckets), MOST_NAMES)
        record["bucket"] = np.where(bucket < len(self._buckets), bucket, MOST_NAMES)  # one of no impression so far
        record["kind"] = KINDS[rows.part.event]
        record["number"] = np.nan
        if click:
            position, dwell, document = rows.numbers("position"), rows.numbers("dwell"), rows.texts("document")
            unknown = np.isnan(position)
            fact = "the click has no position and no document"
            rows.fail(unknown & ~document.given, "E113", fact, "expected a rank from 1, or the document")
            with np.errstate(invalid="ignore"):
                inside = unknown | (position >= 1) & (position <= LONGEST_LIST) & (position == np.rint(position))
                rows.fail(
                    ~inside,
                    "E142",
                    lambda row: f"the position {position[row]:g} cannot be in a list",
                    "expected a whole number from 1",
                )
                rows.fail(dwell < 0, "E113", "the dwell time is below 0", "expected seconds")
                rows.fail(dwell > LONGEST_DWELL, "E113", "the dwell time is too large", "expected seconds")
            record["position"] = np.where(rows.bad, 0, np.nan_to_num(position))
            record["number"] = dwell
            record["document"] = document.half(0)
        else:
            value = record["number"] = rows.numbers("value")
            rows.fail(np.abs(value) > LARGEST_VALUE, "E113", "the value is too large", "expected at most 10^15 in size")
        record["kind"][rows.bad] = SPOILT
        record = record[(record["hi"] != 0) | ~rows.bad]
        self._spill.put("done", record, parts_of(record["hi"]))

    def _impressions(self, rows: _Checked) -> None:
        n = len(rows.place)
        documents = rows.lists(schema.DOCUMENTS)
        kinds = self._kinds(rows)
        keys: Words = np.empty(0, np.uint64)
        if isinstance(documents.items, TextColumn):
            keys = self._documents(rows, documents)
        for name in LISTS[1:]:
            self._list(rows, name, documents.sizes)
        self._same_as_first(rows, kinds)
        record = np.zeros(n, dtype=SHOWN)
        record["hi"], record["lo"] = rows.texts("impression").keys()
        user = rows.texts("user")
        high, low = user.keys()
        record["user_hi"] = np.where(user.given, high, record["hi"])
        record["user_lo"] = np.where(user.given, low, record["lo"])
        record["query"] = rows.texts("query").half(0)
        record["place"], record["time"] = rows.place, rows.times().value
        record["bucket"] = self._codes(rows, "bucket", self._buckets)
        record["length"] = documents.sizes
        good = ~rows.bad
        part = parts_of(record["hi"])
        for bit, name in enumerate(LISTS):
            lists = rows.lists(name)
            has = good & (lists.sizes >= 0)
            record["given"][has] |= 1 << bit
            if has.any():
                items = keys if name == schema.DOCUMENTS else lists.items
                if not has.all():
                    items = items[has[rows.owner(lists)]]
                self._spill.put(name, items, np.repeat(part[has], lists.sizes[has]))
        self._spill.put("shown", record[good], part[good])
        self.facts.unnamed += int(np.count_nonzero(good & ~user.given))
        if rows.bad.any():
            lost = np.zeros(int(np.count_nonzero(rows.bad)), dtype=DONE)
            for name in ("hi", "lo", "place"):
                lost[name] = record[name][rows.bad]
            lost["kind"] = SPOILT
            lost = lost[lost["hi"] != 0]
            self._spill.put("done", lost, parts_of(lost["hi"]))

    def _kinds(self, rows: _Checked) -> Ints:
        """The place of the kind of each impression in `schema.KINDS`, which has what it needs."""
        bucket, method, teams = rows.texts("bucket"), rows.texts("method"), rows.lists(schema.TEAMS)
        mixed = method.given | (teams.sizes >= 0)
        rows.fail(
            mixed & bucket.given,
            "E149",
            "the impression has a bucket, and a method or teams",
            "a list is either interleaved or from one bucket: put the two kinds into separate logs",
        )
        for name, there in (
            ("method", method.given),
            ("teams", teams.sizes >= 0),
            ("documents", rows.lists(schema.DOCUMENTS).sizes >= 0),
        ):
            rows.fail(
                mixed & ~there,
                "E113",
                f"the interleaved impression has no {name}",
                WRITTEN_BY,
            )
        known = np.zeros(len(rows.place), dtype=bool)
        if mixed.any():
            for word, needs in METHODS.items():
                are = method.are(word)
                known |= are
                for name in needs:
                    lacking = are & (rows.lists(name).sizes < 0)
                    rows.fail(lacking, "E113", f"the {word} impression has no {name}", WRITTEN_BY)
            rows.fail(
                mixed & ~known,
                "E113",
                "there is no such method",
                "expected " + ", ".join(METHODS),
            )
        kinds = np.full(len(rows.place), schema.KINDS.index(PLAIN))
        kinds[bucket.given] = schema.KINDS.index(BUCKETS)
        kinds[mixed] = schema.KINDS.index(INTERLEAVED)
        return kinds

    def _documents(self, rows: _Checked, documents: ListColumn) -> Words:
        """The hashes of the documents, all of which can be used, and none of which occurs twice in a list."""
        items, owner = documents.items, rows.owner(documents)
        wrong = ~items.given
        wrong[items.unusable()] = True
        rows.fail(
            rows.any_of(wrong, owner),
            "E110",
            "the id of a document is empty, holds a control character, or begins or ends with a blank",
            "replace it everywhere in the id",
        )
        keys: Words = items.half(0)
        count = documents.sizes
        if len(count) and (count == count[0]).all() and count[0] > 0:
            ordered = np.sort(keys.reshape(-1, int(count[0])), axis=1)
            again = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        else:
            order = np.lexsort((keys, owner))
            by_list, ordered = owner[order], keys[order]
            same = (by_list[1:] == by_list[:-1]) & (ordered[1:] == ordered[:-1])
            again = rows.any_of(same, by_list[1:])
        rows.fail(again, "E103", "a document occurs twice in the list", "a list shows each document once")
        rows.fail(count > LONGEST_LIST, "E143", f"the list has more than {LONGEST_LIST:,} documents", "is it one list?")
        return keys

    def _list(self, rows: _Checked, name: str, length: Ints) -> None:
        """A list with an item for each document."""
        if name not in rows.part.columns:
            return
        lists = rows.lists(name)
        rows.fail((lists.sizes >= 0) & (length < 0), "E113", f"there are {name} and no documents", "expected both")
        rows.fail(
            (lists.sizes >= 0) & (lists.sizes != length),
            "E143",
            lambda row: f"there are {lists.sizes[row]} {name} for {length[row]} documents",
            "expected one for each",
        )
        owner, items = rows.owner(lists), lists.items
        if name == schema.TEAMS:
            wrong, code, fact, expected = (
                items == UNKNOWN_TEAM,
                "E113",
                "is not A, B or null",
                "expected one of these",
            )
        else:
            positive = items > 0 if name == "propensities" else items >= 0
            wrong, code, fact = ~(positive & (items <= 1)), "E147", "is not a probability"
            expected = "expected numbers above 0, up to 1"
            if name == "shares":
                expected = "expected numbers from 0 to 1, or null for a document of neither run"
                wrong &= ~(np.isnan(items) & self._of_team(rows, lists, schema.NOBODY))
        rows.fail(rows.any_of(wrong, owner), code, f"an item of {name} {fact}", expected)
        if name == "shares":
            impossible = (items == 0) & self._of_team(rows, lists, schema.A)
            impossible |= (items == 1) & self._of_team(rows, lists, schema.B)
            fact = "the team of a document could not have contributed it"
            rows.fail(rows.any_of(impossible, owner), "E147", fact, "shares are the shares of A")

    def _of_team(self, rows: _Checked, lists: ListColumn, team: int) -> Bools:
        """Which items of a list are of documents of a team, as far as it is as long as that of teams."""
        teams = rows.lists(schema.TEAMS)
        alike = teams.sizes == lists.sizes
        found = np.zeros(len(lists.items), dtype=bool)
        found[alike[rows.owner(lists)]] = teams.items[alike[rows.owner(teams)]] == team
        return found

    def _codes(self, rows: _Checked, name: str, codes: dict[bytes, int]) -> Ints:
        if name not in rows.part.columns:
            return np.full(len(rows.place), -1)
        found = coded(rows.texts(name), codes, MOST_NAMES)
        rows.fail(
            found >= MOST_NAMES, "E113", f"this is one more {name} than allowed", f"is the meaning of {name} right?"
        )
        return found

    def _same_as_first(self, rows: _Checked, kinds: Ints) -> None:
        """The first impression says of which kind all are, by what method and of which systems."""
        codes = [self._codes(rows, name, self._names) for name in ("method", "a", "b")]
        rows.fail((codes[1] >= 0) & (codes[1] == codes[2]), "E113", "A and B are the same system", "expected two")
        good = np.flatnonzero(~rows.bad)
        if self._first is None and len(good):
            first = int(good[0])
            self._first = (schema.KINDS[kinds[first]], *(int(code[first]) for code in codes))  # type: ignore[assignment]
        if self._first is None:
            return
        kind, *first_codes = self._first
        rows.fail(
            kinds != schema.KINDS.index(kind),
            "E149",
            lambda row: f"the impression is {_KIND[schema.KINDS[kinds[row]]]}, and the first is {_KIND[kind]}",
            "put them into separate logs",
        )
        for name, found, expected in zip(("method", "a", "b"), codes, first_codes, strict=True):
            what = {"method": "method"}.get(name, f"system {name}")
            rows.fail(
                found != expected,
                "E149",
                f"the impression has another {what} than the first",
                "put experiments into separate logs",
            )


_KIND = {INTERLEAVED: "interleaved", BUCKETS: "of a bucket", PLAIN: "neither interleaved nor of a bucket"}
