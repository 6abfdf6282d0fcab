"""Checks beside those of reading: documents that are judged but for a letter or a blank, rows that are no UTF-8, and
what a track asks of a submission.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, Problem, shown
from irev.base.records import cached_property, dataclass
from irev.base.segments import AnyInts, Bools, Ints
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.ranking.hits import Hits, hits
from irev.reading import ids, numbers
from irev.reading.block import Block
from irev.reading.chunks import line_slices, read_all
from irev.reading.fields import Fields, Layout, column, split, with_blanks
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import Rewritten
from irev.reading.ids import Bytes
from irev.reading.judgments import Judgments
from irev.reading.lists import lines_of_ids
from irev.reading.numbers import TOLERANCE
from irev.reading.sources import Source


@dataclass(frozen=True, eq=False)
class NearMisses:
    """Looks for them among the documents of blocks."""

    judgments: Judgments

    def rows(self, block: Block) -> tuple[Ints, list[int]]:
        """The rows whose document a judged one equals but for capital letters, and but for a blank."""
        judged = self.judgments
        if not judged.queries:
            return np.empty(0, np.int64), []
        of_block = judged.places(block.queries)
        query = of_block[block.query]
        exact, _ = judged.find(block.text, query, block.start, block.length, block.key)
        text = _folded(block.text)
        seeds = np.array([_key_of(query) for query in block.queries], dtype=np.uint64)
        key = ids.keys(text, block.start, block.length, seeds[block.query])
        folded, _ = self._folded.find(text, query, block.start, block.length, key)
        candidates = (query >= 0) & (_beyond_ascii(block.text, block.start, block.length) | self._has_blanks[query])
        candidates[exact] = False
        blank = [row for row in np.flatnonzero(candidates).tolist() if self._but_for_blanks(block, row, query)]
        return np.setdiff1d(folded, exact), blank

    @cached_property
    def _folded(self) -> Judgments:
        """The judgments with their ids in small letters."""
        judged = self.judgments
        text = _folded(judged.text)
        seeds = np.array([_key_of(query) for query in judged.queries], dtype=np.uint64)
        key = ids.keys(text, judged.document_start, judged.document_length, seeds[judged.query])
        order = np.argsort(key)
        return replace(
            judged,
            text=text,
            query=judged.query[order],
            document_start=judged.document_start[order],
            document_length=judged.document_length[order],
            grade=judged.grade[order],
            key=(key[order] >> np.uint64(32)).astype(np.uint32),
        )

    @cached_property
    def _has_blanks(self) -> Bools:
        """Which judged queries have a document id with a blank in it: one that Unicode knows and ASCII does not."""
        judged = self.judgments
        has = np.zeros(len(judged.queries), dtype=bool)
        high = np.flatnonzero(_beyond_ascii(judged.text, judged.document_start, judged.document_length))
        for row in high.tolist():
            written = ids.at(judged.text, judged.document_start[row], judged.document_length[row])
            has[judged.query[row]] |= _without_blanks(written) != written
        return has

    def _but_for_blanks(self, block: Block, row: int, query: Ints) -> bool:
        written = ids.at(block.text, block.start[row], block.length[row])
        return _without_blanks(written) in self._bare_ids(int(query[row]))

    def _bare_ids(self, query: int) -> set[bytes]:
        """The ids of the documents judged for a query, without their blanks."""
        if query not in self._bare:
            judged = self.judgments
            spans = [
                (judged.document_start[row], judged.document_length[row])
                for row in np.flatnonzero(judged.query == query)
            ]
            self._bare[query] = {_without_blanks(ids.at(judged.text, start, length)) for start, length in spans}
        return self._bare[query]

    @cached_property
    def _bare(self) -> dict[int, set[bytes]]:
        return {}


def _beyond_ascii(text: Bytes, start: AnyInts, length: AnyInts) -> Bools:
    """Which ids have a byte that is not ASCII."""
    high = np.zeros(len(start), dtype=bool)
    if (text >= 0x80).any():
        for word in ids.words(text, start, length):
            high |= (word & np.uint64(0x8080808080808080)) != 0
    return high


def _without_blanks(written: bytes) -> bytes:
    """An id without what Unicode calls white space, and without characters that have no width."""
    text = decoded(written)
    return encoded("".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cf"))


def _folded(text: Bytes) -> Bytes:
    """The text with the letters A to Z small."""
    return np.where((text >= ord("A")) & (text <= ord("Z")), text + np.uint8(32), text)


def _key_of(query: bytes) -> int:
    return hash(query) & 0xFFFFFFFFFFFFFFFF


def check_encoding(fields: Fields) -> None:
    """Add to the faults the rows that are not UTF-8."""
    text, start, stop = fields.text, fields.start[0], fields.stop[-1]
    if not fields.rows:
        return
    beyond = np.flatnonzero(text[start[0] : stop[-1]] >= 0x80) + start[0]
    if not len(beyond) or _not_utf8(text[start[0] : stop[-1]].tobytes()) is None:
        return
    suspects = np.flatnonzero(np.searchsorted(beyond, start) < np.searchsorted(beyond, stop))

    def place(row: int) -> int | None:
        return _not_utf8(ids.at(text, start[row], stop[row] - start[row]))

    # An array: objects for each row of a file of millions would be a matter of memory.
    broken = suspects[np.fromiter((place(int(row)) is not None for row in suspects), bool, len(suspects))]

    def described(row: int) -> Problem:
        where = column(text, int(start[row]) + (place(row) or 0))
        return Problem(
            fields.line_of(row), "W209", "the line is not UTF-8", "tools that decode it will differ", column=where
        )

    fields.faults.add(broken, described, fields.lines_of)


_INVISIBLE = re.compile(
    rb"[\x01-\x08\x0e-\x1f]|\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xbb\xbf|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
"""Control characters, and those of UTF-8 that have no width or turn the direction of writing."""

_VISIBLE = bytes((*range(9, 14), *range(32, 128)))


def check_invisible(fields: Fields) -> None:
    """Add to the faults the first row with each character that cannot be seen in an id or a name."""
    if not fields.rows:
        return
    begin, end = int(fields.start[0][0]), int(fields.stop[-1][-1])
    text = fields.text[begin:end].tobytes()
    if not text.translate(None, _VISIBLE):
        return
    places = begin + np.array([found.start() for found in _INVISIBLE.finditer(text)], dtype=np.int64)
    for name, start, stop in zip(fields.layout.fields, fields.start, fields.stop, strict=False):
        rows = np.minimum(np.searchsorted(stop, places, side="right"), fields.rows - 1)
        inside = (start[rows] <= places) & (places < stop[rows])
        listed: dict[str, tuple[int, int]] = {}
        for row, place in zip(rows[inside].tolist(), places[inside].tolist(), strict=True):
            if (found := _INVISIBLE.match(text, place - begin)) is not None:
                listed.setdefault(f"U+{ord(found[0].decode('utf-8')):04X}", (row, place))
        for character, (row, place) in listed.items():
            fact = f"the {name} holds the invisible character {character}"
            line, where = fields.line_of(row), column(fields.text, place)
            fields.faults.note(Problem(line, "W229", fact, "ids are compared byte for byte", column=where))


def _not_utf8(text: bytes) -> int | None:
    """The first byte that cannot be decoded, if there is one."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


@dataclass(frozen=True)
class TrackRules:
    """What a track asks of a submission; None asks nothing.

    Attributes
    ----------
    topics : tuple of bytes or None
        The queries that a run must have, and no others.
    max_depth : int or None
        Most results for a query.
    tag : re.Pattern or None
        What the run id must match, as a whole.
    sorted : bool
        Whether the rows of a query must be sorted by score, highest first.
    docids : DocIds or None
        The documents of the collection.
    """

    topics: tuple[bytes, ...] | None = None
    max_depth: int | None = None
    tag: re.Pattern[bytes] | None = None
    sorted: bool = False
    docids: DocIds | None = None

    def of_file(self, path: str) -> TrackRules:
        """The same rules, with the name of this file, without its endings, in place of ``{file}`` in `tag`."""
        if self.tag is None or FILE not in self.tag.pattern:
            return self
        name = os.fsencode(os.path.basename(path)).partition(b".")[0]
        return replace(self, tag=re.compile(self.tag.pattern.replace(FILE, re.escape(name))))


FILE = b"{file}"


@dataclass(frozen=True, eq=False)
class DocIds:
    """The ids of a collection, and the file that lists them."""

    name: str
    ids: FlatIds

    @classmethod
    def read(cls, source: Source) -> DocIds:
        """Read a list of ids.

        Raises
        ------
        ProblemError
            For a line that is no text, and as `read_list` does, but an id may occur twice.
        InputError
            For a file without ids.
        """
        layout = Layout(
            ("document",), exact=False, empty_lines=True, comments="line start", example="document", blanks=True
        )
        buffer = read_all(Rewritten(source, lambda source: lines_of_ids(source, "document"), Faults()))
        starts: list[AnyInts] = [np.empty(0, dtype=np.int32)]
        lengths: list[AnyInts] = [np.empty(0, dtype=np.int8)]
        faults, lines = Faults(), 0
        for begin, end in line_slices(buffer):
            fields = split(buffer.text, begin, end, layout)
            with_blanks(buffer.text, begin, end, layout)
            faults.take(fields.faults, lines)
            faults.raise_earliest(source.name)
            lines += fields.lines
            start, stop = fields.span("document")
            starts.append(segments.narrowed(start, 0))
            lengths.append(segments.narrowed(stop - start, 0))
        found = FlatIds(buffer.text, np.concatenate(starts), np.concatenate(lengths))
        if not len(found):
            raise InputError("the file lists no ids", source.name, "expected one on each line")
        return cls(source.name, found)

    def lacks(self, text: Bytes, start: AnyInts, length: AnyInts) -> Bools:
        """Which of the given ids are not in the collection."""
        lacking: Bools = self.ids.places(FlatIds(text, start, length)) < 0
        return lacking


@dataclass(frozen=True, eq=False)
class Inspector:
    """Looks at the rows of a block. Problems are added to the faults of its chunk, which know their lines."""

    judgments: Judgments
    settings: Settings
    rules: TrackRules
    sums: list[int] = field(default_factory=list)
    """The sum of the keys of each block. Runs with the same documents have the same total, whatever the blocks."""

    def inspect(self, block: Block) -> Hits:
        """Check a block; its ranking reduced to judged documents is what is kept."""
        check_encoding(block.fields)
        check_invisible(block.fields)
        if len(block.query):
            self.sums.append(int(block.key.sum()))
            self._ranks(block)
            self._scores(block)
            self._near_misses(block)
            self._rules(block)
        return hits(block, self.judgments, self.settings)

    def _add(
        self, block: Block, rows: Any, code: str, fact: str | Callable[[int], str], remedy: str, name: str
    ) -> None:
        """A problem at each of `rows`; `fact` is a text or gives it for a row, `name` is the field at fault."""
        fields = block.fields

        def described(row: int) -> Problem:
            own = int(block.row[row])
            text = fact if isinstance(fact, str) else fact(row)
            return Problem(fields.line_of(own), code, text, remedy, column=fields.column(own, name))

        fields.faults.add(np.asarray(rows), described, lambda some: fields.lines_of(block.row[some]))

    def _orders(self, block: Block) -> str:
        """The field that orders the rows, when it is not their place in the file."""
        has_score = "score" in block.fields.layout.fields
        return "rank" if self.settings.order == "rank" or not has_score else "score"

    def _ranks(self, block: Block) -> None:
        """Scores that rise from one rank to the next, once per query, and ranks that are no numbers."""
        if "rank" not in block.fields.layout.fields or self._orders(block) == "rank":
            return
        start, stop = (span[block.row] for span in block.fields.span("rank"))
        rank = numbers.decimals(block.text, start, stop)
        self._add(block, rank.bad, "W210", "the rank is not a number", "nothing reads it, but tools may", "rank")
        if self.settings.order == "file":
            return
        order = np.lexsort((rank.value, block.query)) if len(rank.bad) or not _rises(rank.value, block.query) else None
        rows = np.arange(len(block.query)) if order is None else order
        above, below = rows[:-1], rows[1:]
        rising = (block.query[below] == block.query[above]) & (rank.value[below] > rank.value[above])
        first = _first_of_each(below[_higher(block, below, above, rising)], block.query)
        remedy = "eval goes by the score; --order rank goes by the rank"
        self._add(block, first, "W201", "the score is higher than that of the rank before", remedy, "score")

    def _scores(self, block: Block) -> None:
        """Infinite scores; and queries whose scores are all the same, which leaves the order to the document ids."""
        if self.judgments.assigned:
            return
        infinite = np.flatnonzero(np.isinf(block.score.value))
        self._add(block, infinite, "W232", "the score is infinite", "write a finite score", self._orders(block))
        query = block.query
        several = np.bincount(query, minlength=len(block.queries)) > 1
        alike = several & ~self._differing(block)
        if block.score.uncertain is not None and alike.any():
            block.score.settle(np.flatnonzero(alike[query]))
            alike = several & ~self._differing(block)
        name = self._orders(block)
        counts = np.bincount(query, minlength=len(block.queries))
        self._add(
            block,
            block.first[np.flatnonzero(alike)],
            "W202",
            lambda row: f"the {counts[query[row]]} {name}s of this query are equal",
            "document ids alone decide their order",
            name,
        )

    def _differing(self, block: Block) -> Bools:
        """Which queries have scores that differ."""
        score, query = block.score.value, block.query
        changes = (score[1:] != score[:-1]) & (query[1:] == query[:-1])
        return np.bincount(query[1:][changes], minlength=len(block.queries)) > 0

    @cached_property
    def _misses(self) -> NearMisses:
        return NearMisses(self.judgments)

    def _near_misses(self, block: Block) -> None:
        """Documents that are judged under an id that differs in nothing that one sees."""
        capitals, blanks = self._misses.rows(block)
        remedy = "it counts as unjudged; ids are compared byte for byte"
        self._add(block, capitals, "W207", "a judged document has this id but for capital letters", remedy, "document")
        self._add(block, blanks, "W213", "a judged document has this id but for a blank", remedy, "document")

    def _rules(self, block: Block) -> None:
        """The rules of the track that look at single rows."""
        rules, query = self.rules, block.query
        if rules.max_depth is not None:
            place = np.arange(len(query)) - block.first[query]
            results = "1 result" if rules.max_depth == 1 else f"{rules.max_depth} results"
            fact = f"this query has more than {results}"
            self._add(block, np.flatnonzero(place == rules.max_depth), "E303", fact, "cut the rest", "query")
        if rules.docids is not None:
            lacking = np.flatnonzero(rules.docids.lacks(block.text, block.start, block.length))
            fact = f"this document is not in {rules.docids.name}"
            self._add(block, lacking, "E304", fact, "only documents of the collection can be submitted", "document")
        if rules.tag is not None and "tag" in block.fields.layout.fields:
            self._tags(block, rules.tag)
        if rules.sorted:
            name = self._orders(block)
            better = "higher" if name == "score" else "lower"
            below = np.arange(1, len(query))
            rising = below[_higher(block, below, below - 1, query[1:] == query[:-1])]
            fact = f"the {name} is {better} than that of the line before"
            self._add(block, _first_of_each(rising, query), "E306", fact, f"sort each query by {name}", name)

    def _tags(self, block: Block, pattern: re.Pattern[bytes]) -> None:
        """Run ids that are not as the track wants them."""
        start, stop = (span[block.row] for span in block.fields.span("tag"))
        changes = ids.changes(block.text, start, stop - start)
        wrong = [not pattern.fullmatch(ids.at(block.text, start[row], stop[row] - start[row])) for row in changes]
        rows = np.flatnonzero(np.repeat(wrong, np.diff(np.append(changes, len(start)))))
        fact = f"the run id does not match {shown(pattern.pattern)}"
        first = _first_of_each(rows, block.query)
        self._add(block, first, "E305", fact, "name the run as the track asks", "tag")


def _rises(values: Any, query: Ints) -> bool:
    return bool(((values[1:] >= values[:-1]) | (query[1:] != query[:-1])).all())


def _higher(block: Block, rows: Ints, others: Ints, wanted: Bools) -> Bools:
    """Whether the rows that are wanted have higher scores than the others; doubtful ones are read exactly."""
    score = block.score
    if score.uncertain is not None:
        with np.errstate(invalid="ignore", over="ignore"):  # infinities, and differences beyond the largest double
            near = np.abs(score.value[rows] - score.value[others]) <= 4 * TOLERANCE * np.abs(score.value[rows])
        near &= wanted & (score.uncertain[rows] | score.uncertain[others]) & ~score.written_alike(rows, others)
        score.settle(segments.distinct(np.concatenate((rows[near], others[near]))))
    return wanted & (score.value[rows] > score.value[others])


def _first_of_each(rows: Ints, query: Ints) -> Ints:
    """The first of the given rows of each query."""
    rows = np.sort(rows)
    return rows[np.unique(query[rows], return_index=True)[1]]
