"""Preferences between documents as trec_eval reads them: levels of documents in the subgroups of a group.

Within a subgroup a document of a higher level is preferred to each of a lower one; levels of different subgroups are
not compared. Of a group with one subgroup, levels say all there is to say. With several, preferences follow from others
(a over b in one, b over c in another), and may contradict each other. None of that depends on a run: it is found once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, Problem, decimal, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Array, Bools, Floats, Ints
from irev.base.text import and_more
from irev.reading import ids
from irev.reading.fields import JudgmentKind, column, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, QRELS_GROUPS, lines
from irev.reading.judgments import Details, Judgments

PREFERENCES = "preferences"
"""The kind of judgments."""

SHOWN = 5
"""So many preferences of a cycle are named."""


MOST, FOR_EACH = 5_000_000, 50
"""Preferences of groups with several subgroups, those that follow among them, that are listed: so many, or for each
row so many, which are more in large files. A chain of n documents makes half of n² of them."""


@dataclass(frozen=True, eq=False)
class Preferences:
    """The preferences of all groups.

    Attributes
    ----------
    level : float (d,)
        The level of each row of the details.
    simple : bool (g,)
        Groups with one subgroup, whose levels are all there is.
    better, worse : int (p,)
        Every preference of the other groups, those that follow from others too, as two judgments.
    start, count : int (g,)
        Where those of each group begin, and how many there are.
    cycles : tuple of (int, tuple of int)
        Groups with preferences that contradict each other, and judgments of which each is preferred to the next, and
        the last to the first. Of these groups there are no preferences.
    """

    level: Floats
    simple: Bools
    better: AnyInts
    worse: AnyInts
    start: Ints
    count: Ints
    cycles: tuple[tuple[int, tuple[int, ...]], ...] = ()


def preferences(details: Details, single: bool) -> Preferences:
    """What the levels of all rows come to; `single` compares them as 32-bit floats, as trec_eval 9 does."""
    level = details.grade.astype(np.float32).astype(np.float64) if single else details.grade
    of_group, groups = details.grouped
    subgroups = details.subgroups
    none = np.zeros(len(groups), dtype=np.int64)
    if subgroups is None or details.subgroup is None:
        return Preferences(level, np.ones(len(groups), dtype=bool), none[:0], none[:0], none, none)
    simple = segments.count(subgroups.within, len(groups)) == 1
    rows = np.flatnonzero(~simple[of_group])
    rows = rows[segments.falling_order(level[rows])]
    rows = rows[segments.stable_order(details.subgroup[rows])]
    # The members of a group, each a number: by group, and by judgment.
    judged = max(len(details.start) - 1, 1)
    known, member = segments.numbered(of_group[rows] * judged + details.judgment[rows], len(groups) * judged)
    group, judgment = known // judged, known % judged
    most = max(MOST, FOR_EACH * len(rows))
    above, below = pairs(details.subgroup[rows], level[rows], most)
    found = segments.distinct(member[above] * len(known) + member[below])
    better, worse = found // max(len(known), 1), found % max(len(known), 1)
    # Something follows, or is contradicted, only where a document of two subgroups is above one and below another.
    between = segments.count(member, len(known)) > 1
    for side in (better, worse):
        between &= segments.count(side, len(known)) > 0
    mixed = segments.distinct(group[between])
    count = segments.count(group[better], len(groups))
    start = segments.starts(count)
    # As said, and behind these what is closed.
    narrow = segments.narrowed(judgment, 0)
    parts, size, cycles = [(narrow[better], narrow[worse])], len(better), []
    for number in mixed.tolist():
        first, last = np.searchsorted(group, (number, number + 1)).tolist()
        said = slice(start[number], start[number] + count[number])
        # In the order of the file, so that of several cycles the same one is named everywhere.
        members = first + np.argsort(details.documents.start[judgment[first:last]])
        place = np.empty(last - first, dtype=np.int64)
        place[members - first] = np.arange(last - first)
        high, low = place[better[said] - first], place[worse[said] - first]
        in_order = np.lexsort((low, high))
        closed = _closed(last - first, high[in_order].tolist(), low[in_order].tolist(), size, most)
        if isinstance(closed, list):
            cycles.append((number, tuple(judgment[members[closed]].tolist())))
            count[number] = 0
        else:
            parts.append((narrow[members][closed[0]], narrow[members][closed[1]]))
            start[number], count[number] = size, len(closed[0])
            size += len(closed[0])
    better, worse = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return Preferences(level, simple, better, worse, start, count, tuple(cycles))


def _require_few(preferences: int, most: int) -> None:
    """Raise `InputError`, to which `check` adds the file, before too many preferences fill the memory."""
    if preferences > most:
        fact = f"judgment groups with several subgroups have {preferences:,} preferences, or more with what follows"
        raise InputError(fact, remedy=f"at most {MOST:,} are compared, or {FOR_EACH} for each line; use smaller groups")


def pairs(owner: Ints, level: Array, most: int = sys.maxsize) -> tuple[Ints, Ints]:
    """Of rows that stand by owner and falling level, every two of one owner and different levels, the higher first."""
    opens = np.ones(len(owner) + 1, dtype=bool)
    opens[1:-1] = owner[1:] != owner[:-1]
    ends = np.flatnonzero(opens)
    last = ends[1:][np.cumsum(opens[:-1]) - 1] if len(owner) else ends[:0]
    opens[1:-1] |= level[1:] != level[:-1]
    classes = np.flatnonzero(opens)
    lower = classes[1:][np.cumsum(opens[:-1]) - 1] if len(owner) else classes[:0]
    counts = last - lower
    _require_few(int(counts.sum()), most)
    above = np.repeat(np.arange(len(owner)), counts)
    return above, lower[above] + np.arange(len(above)) - segments.starts(counts)[above]


def _closed(
    size: int, better: Sequence[int], worse: Sequence[int], found: int, most: int
) -> tuple[Ints, Ints] | list[int]:
    """All preferences that follow from some among so many documents; a cycle of documents where there is one. `found`
    were listed before, and at most `most` may be in all.

    A whole number has a bit for every document that is below another one; the lowest documents are settled first.
    """
    above: list[list[int]] = [[] for _ in range(size)]
    open_below = [0] * size
    for high, low in zip(better, worse, strict=True):
        above[low].append(high)
        open_below[high] += 1
    below = [0] * size
    settled = [document for document in range(size) if not open_below[document]]
    for document in settled:  # which grows meanwhile
        found += below[document].bit_count()
        _require_few(found, most)
        here = below[document] | 1 << document
        for high in above[document]:
            below[high] |= here
            open_below[high] -= 1
            if not open_below[high]:
                settled.append(high)
    if len(settled) < size:
        return cycle(better, worse, {document for document in range(size) if open_below[document]})
    lower = [_places(each) for each in below]
    return np.repeat(np.arange(size), [len(each) for each in lower]), np.concatenate(lower)


def _places(bits: int) -> Ints:
    """The places of the bits of a whole number that are set."""
    octets = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little"))


def cycle(better: Sequence[int], worse: Sequence[int], among: set[int]) -> list[int]:
    """Documents of which each is preferred to the next, and the last to the first; few, where there are several.

    Each of those `among` is preferred to another of them.
    """
    after: dict[int, list[int]] = {document: [] for document in among}
    for high, low in zip(better, worse, strict=True):
        if high in among and low in among:
            after[high].append(low)
    start, seen = min(among), set[int]()
    while start not in seen:  # until a document comes again, which is in a cycle
        seen.add(start)
        start = after[start][0]
    came_from = dict.fromkeys(after[start], start)
    waiting = list(came_from)
    for document in waiting:
        if document == start:
            break
        for low in after[document]:
            if low not in came_from:
                came_from[low] = document
                waiting.append(low)
    found = [came_from[start]]
    while found[-1] != start:
        found.append(came_from[found[-1]])
    found.reverse()
    first = found.index(min(found))
    return found[first:] + found[:first]


def check(judgments: Judgments, faults: Faults) -> None:
    """Add levels below 0, and what contradicts itself in a group with several subgroups."""
    details = judgments.details
    if details is None:
        return
    text, place = judgments.text, details.place

    def negative(row: int) -> Problem:
        fact = f"the level {decimal(details.grade[row])} is negative"
        remedy = "0 is the lowest level; --negative nonrelevant counts it as 0"
        return Problem(line(text, int(place[row])), "E106", fact, remedy)

    below = np.flatnonzero(details.grade < 0)
    faults.add(below[np.argsort(place[below])], negative)
    try:
        details.once(preferences, False)
    except InputError as error:
        error.place = judgments.name
        raise
    found = sorted((*_levels_apart(judgments, details), *_cycles(judgments, details)), key=lambda each: each[0])
    faults.add(range(len(found)), lambda i: found[i][1]())


Fault = tuple[int, Callable[[], Problem]]
"""Where something is wrong, and what describes it."""


def _document(judgments: Judgments, number: int) -> str:
    start, length = judgments.document_start[number], judgments.document_length[number]
    return shown(ids.at(judgments.text, int(start), int(length)))


def _of_group(judgments: Judgments, details: Details, group: int) -> str:
    groups = details.grouped[1]
    query = judgments.queries[int(groups.within[group])]
    return f"group {shown(groups.called(group))} of query {shown(query)}"


def _levels_apart(judgments: Judgments, details: Details) -> Iterator[Fault]:
    """Documents that are of level 0 in one subgroup and above it in another one of the same group."""
    text, judgment, group = judgments.text, details.judgment, details.grouped[0]
    rows = np.flatnonzero(~details.once(preferences, False).simple[group])
    # Rows of one group and document stand together: mostly all of them are alike, and their order does not matter.
    zero = details.grade[rows] == 0
    unlike = (
        (judgment[rows[1:]] == judgment[rows[:-1]]) & (group[rows[1:]] == group[rows[:-1]]) & (zero[1:] != zero[:-1])
    )
    if not unlike.any():
        return
    order = rows[np.lexsort((details.place[rows], judgment[rows], group[rows]))]
    before, after = order[:-1], order[1:]
    apart = (judgment[before] == judgment[after]) & (group[before] == group[after])
    apart &= (details.grade[before] == 0) != (details.grade[after] == 0)

    def described(first: int, again: int) -> Problem:
        levels = f"{decimal(details.grade[first])} and {decimal(details.grade[again])}"
        fact = f"document {_document(judgments, int(judgment[again]))} has levels {levels}"
        fact += f" in {_of_group(judgments, details, int(group[again]))}"
        remedy = "0 means not relevant: in one group all levels of a document are 0, or none is"
        here, there = int(details.place[again]), int(details.place[first])
        return Problem(line(text, here), "E118", fact, remedy, line(text, there), column(text, here))

    for first, again in zip(before[apart].tolist(), after[apart].tolist(), strict=True):
        yield int(details.place[again]), partial(described, first, again)


def _cycles(judgments: Judgments, details: Details) -> Iterator[Fault]:
    """Documents of a group of which each is preferred to the next, and the last to the first."""

    def described(group: int, cycle: tuple[int, ...], last: int) -> Problem:
        told = []
        for better, worse in _steps(cycle):
            rows = _rows(details, group, better, worse)
            above, below = (line(judgments.text, int(details.place[row])) for row in rows)
            pair = f"{_document(judgments, better)} over {_document(judgments, worse)}"
            told.append(f"{pair} (lines {above} and {below})")
        fact = f"preferences in {_of_group(judgments, details, group)} contradict each other: "
        fact += ", ".join(told[:SHOWN]) + and_more(len(told), SHOWN)
        remedy = "leave out one of them, or use a separate group for each person"
        return Problem(line(judgments.text, last), "E118", fact, remedy)

    for group, cycle in details.once(preferences, False).cycles:
        last = max(int(details.place[row]) for step in _steps(cycle) for row in _rows(details, group, *step))
        yield last, partial(described, group, cycle, last)


def _steps(cycle: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    return zip(cycle, (*cycle[1:], cycle[0]), strict=True)


def _rows(details: Details, group: int, better: int, worse: int) -> tuple[int, int]:
    """Two rows of a group that have one document above another in a subgroup."""

    def levels(judgment: int) -> Iterator[tuple[int, int, float]]:
        for row in range(int(details.start[judgment]), int(details.start[judgment + 1])):
            if of_group[row] == group and details.subgroup is not None:
                yield row, int(details.subgroup[row]), float(details.grade[row])

    of_group = details.grouped[0]
    return next(
        (above, below)
        for above, subgroup, higher in levels(better)
        for below, same, lower in levels(worse)
        if same == subgroup and higher > lower
    )


_BY_PREFERENCE = JudgmentKind(PREFERENCES, check, graded=False, ties="docid-asc")
_PREFS = replace(
    QRELS, fields=("query", "group", "subgroup", "document", "grade"), example="query group subgroup document level"
)

Format(
    name="prefs",
    description="trec_eval's preferences: query, judgment group, subgroup, document and level, separated by white"
    " space. Within a subgroup a higher level is preferred to a lower one; the preferences of a group must not"
    " contradict each other.",
    example="q1 ann s1 d01 2\nq1 ann s1 d02 1\n",
    lines=partial(lines, _PREFS),
    suggested=True,
    kind=_BY_PREFERENCE,
).add_to(JUDGMENTS)
Format(
    name="qrels_prefs",
    description="TREC qrels as preferences: query, judgment group, document and level. Within each group a "
    "document of a higher level is preferred to one of a lower level.",
    example="q1 0 d01 2\nq1 0 d02 0\n",
    lines=partial(lines, replace(QRELS_GROUPS, example="query group document level")),
    kind=_BY_PREFERENCE,
).add_to(JUDGMENTS)
