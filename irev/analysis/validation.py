"""Validation: everything that is wrong with judgments and runs, and what is legal but usually a mistake.

Errors are what evaluation refuses, found by the same readers; a reader that is asked to collects them instead of
raising the earliest. Warnings and the rules of a track for submissions are checked here, block by block, so that a run
of any length streams by.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import and_more, decoded, encoded
from irev.errors import Faults, InputError, Problem, ProblemError, decimal, shown
from irev.ranking.ranking import Hits, hits, require_common, strangers
from irev.reading import ids, numbers, qrels, runs
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import Fields, Layout, column, split
from irev.reading.formats import BOM
from irev.reading.ids import Bytes, Words
from irev.reading.numbers import TOLERANCE
from irev.reading.qrels import Judgments
from irev.reading.runs import Block, Reading
from irev.reading.sources import STANDARD_INPUT, Source

JUDGED_AT = 10
"""Depth at which the share of judged documents is counted."""

MOST_GRADES = 20
"""So many different grades are counted one by one."""


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
        Whether the rows of a query must stand by falling score.
    docids : DocIds or None
        The documents of the collection.
    """

    topics: tuple[bytes, ...] | None = None
    max_depth: int | None = None
    tag: re.Pattern[bytes] | None = None
    sorted: bool = False
    docids: DocIds | None = None


@dataclass(frozen=True, eq=False)
class DocIds:
    """The ids of a collection as sorted hashes of eight bytes, so that ten million fit.

    An id that is not in the collection is taken for one that is when their hashes agree: once in 10^5 runs of
    seven million lines.
    """

    name: str
    key: Words

    @classmethod
    def read(cls, source: Source) -> DocIds:
        """Read the first field of every line, a chunk at a time.

        Raises
        ------
        ProblemError
            For a line that is no text.
        InputError
            For a file without ids.
        """
        layout = Layout(("document",), exact=False, empty_lines=True, comments="none", example="document")
        chunks, buffer = Chunks(source), Buffer(ids.padded(0))
        parts: list[Words] = []
        faults, lines = Faults(), 0
        while chunks.read(buffer):
            fields = split(buffer.text, buffer.begin, buffer.end, layout)
            faults.take(fields.faults, lines)
            faults.raise_earliest(source.name)
            lines += fields.lines
            start, stop = fields.span("document")
            parts.append(ids.keys(buffer.text, start, stop - start, ids.SEED))
        if not sum(len(part) for part in parts):
            raise InputError("the file lists no ids", source.name, "expected one on each line")
        key = np.concatenate(parts)
        key.sort()
        return cls(source.name, key)

    def lacks(self, text: Bytes, start: Ints, length: Ints) -> Bools:
        """Which of the given ids are not in the collection."""
        wanted = ids.keys(text, start, length, ids.SEED)
        place = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        lacking: Bools = self.key[place] != wanted
        return lacking


@dataclass(frozen=True)
class FileReport:
    """What was found in one file.

    Attributes
    ----------
    name, kind : str
        The file, and whether it holds ``judgments`` or a ``run``.
    faults : Faults
        Its problems; line 0 is for what is true of the file as a whole.
    statistics : dict
        What the file holds, as names and values; empty for a file that could not be read to its end.
    """

    name: str
    kind: str
    faults: Faults
    statistics: dict[str, Any] = field(default_factory=dict)

    def add(self, code: str, fact: str, remedy: str, line: int = 0, column: int | None = None) -> None:
        """Add one problem, of a line or of the file as a whole."""
        self.faults.add([0], lambda row: Problem(line, code, fact, remedy, column=column))

    def once(self, code: str) -> None:
        """Keep only the earliest problem of a code, where one is enough to say that all lines need another look."""
        first = [problem for problem in self.faults.earliest() if problem.code == code][:1]
        self.faults.problems = [problem for problem in self.faults.problems if problem.code != code] + first
        if first:
            self.faults.counts[code] = 1

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """What keeps the file from being opened, or read to its end, becomes one of its problems."""
        try:
            yield
        except ProblemError as error:
            problem = error.problem
            self.faults.add([0], lambda row: problem)
        except InputError as error:
            self.add("E100", error.fact, error.remedy)


def check_judgments(path: str, settings: Settings, most: int) -> tuple[Judgments, FileReport]:
    """Read judgments and report on them; at most `most` problems of a kind are described.

    The judgments are those that can be used, and perhaps none.
    """
    report = FileReport(_called(path), "judgments", Faults(most))
    judgments = _NO_JUDGMENTS
    with report.collecting(), Source(path) as source:
        marked = source.head(len(BOM)) == BOM
        judgments = qrels.read(source, settings, report.faults, _encoding)
        _mark(marked, report)
        for doubt in judgments.doubts:
            report.faults.note(doubt)
        _relevance(judgments, settings, report)
        distinct, count = np.unique(judgments.grade, return_counts=True)
        grades: dict[str, float] = {decimal(grade): int(n) for grade, n in zip(distinct, count, strict=True)}
        report.statistics.update(
            {
                "queries": len(judgments.queries),
                "judgments": len(judgments.grade),
                "grades": grades if len(grades) <= MOST_GRADES else _spread(judgments.grade),
                "relevant per query": _spread(_relevant(judgments, settings)),
            }
        )
    return judgments, report


def _mark(marked: bool, report: FileReport) -> None:
    """A byte order mark where it is no error."""
    if marked and not report.faults.counts["E109"]:
        fact, remedy = "the file begins with a byte order mark", "it is skipped here; other tools read it as an id"
        report.add("W211", fact, remedy, 1, 1)


def _called(path: str) -> str:
    return "<stdin>" if path == STANDARD_INPUT else path


def _relevance(judgments: Judgments, settings: Settings, report: FileReport) -> None:
    """Queries without relevant documents. Those none of whose lines can be used have errors enough."""
    grade = judgments.grade
    usable = np.bincount(judgments.query, minlength=len(judgments.queries)) > 0
    without = np.flatnonzero(usable & (_relevant(judgments, settings) == 0))
    if len(without) == np.count_nonzero(usable) and (grade > 0).any():
        fact = f"no grade reaches the relevance level {decimal(settings.level)}"
        report.add("W222", fact, f"--level {decimal(grade.max())} would count the highest grade as relevant")
    elif len(without):
        fact = f"no document is relevant for {_named([judgments.queries[i] for i in without])}"
        report.add("W221", fact, "such queries score 0")


def _relevant(judgments: Judgments, settings: Settings) -> Ints:
    """How many documents are relevant for each query."""
    return np.bincount(judgments.query[judgments.grade >= settings.level], minlength=len(judgments.queries))


def check_run(judgments: Judgments, path: str, settings: Settings, rules: TrackRules, most: int) -> FileReport:
    """Read a run and report on it; without judgments, on the run alone."""
    report = FileReport(_called(path), "run", Faults(most))
    with report.collecting(), Source(path) as source:
        marked = source.head(len(BOM)) == BOM
        inspector = _Inspector(judgments, settings, rules)
        blocks, reading = runs.read(source, inspector.inspect, settings, faults=report.faults)
        _mark(marked, report)
        retrieved: dict[bytes, int] = {}
        for block in blocks:
            retrieved.update(zip(block.queries, block.retrieved.tolist(), strict=True))
        if len(judgments.grade) and retrieved:
            _coverage(judgments, source, blocks, retrieved, settings, report)
        _lines(reading, report)
        report.once("E305")
        if rules.tag is not None and not report.faults.counts["E305"] and not rules.tag.fullmatch(reading.tag):
            # The lines have none: the run is called like its file.
            fact = f"the run id, here the name of the file, does not match {shown(rules.tag.pattern)}"
            report.add("E305", fact, "name the run as the track asks")
        if not any(code.startswith("E1") for code in report.faults.counts):
            _depths(retrieved, report)  # results that cannot be read would be missed
        if rules.topics is not None:
            _topics(rules.topics, retrieved, report)
        report.statistics.update(
            {
                "queries": len(retrieved),
                "results": reading.rows,
                "results per query": _spread(np.array(list(retrieved.values()))),
                f"judged share at {JUDGED_AT}": _judged_share(judgments, blocks, retrieved),
                "run id": reading.tag.decode("utf-8", "backslashreplace"),
            }
        )
    return report


def _coverage(
    judgments: Judgments,
    source: Source,
    blocks: list[Hits],
    retrieved: dict[bytes, int],
    settings: Settings,
    report: FileReport,
) -> None:
    """Queries that only one file has, and a run that shares nothing with the judgments."""
    try:
        require_common(judgments, source.name, retrieved, settings)
    except InputError as error:
        report.add("E120", error.fact, error.remedy)
        return
    missing = [query for query in judgments.queries if query not in retrieved]
    if missing:
        report.add("W205", f"no results for {_named(missing)}", "eval leaves them out, or counts them as 0 with -c")
    unjudged = sorted(query for query in retrieved if query not in judgments.index)
    if unjudged:
        report.add("W212", f"results without judgments for {_named(unjudged)}", "eval leaves them out")
    found = strangers(judgments, blocks)
    if found is not None:
        report.add("W208", found.fact, found.remedy)


def _lines(reading: Reading, report: FileReport) -> None:
    """What reading found out beside the results."""
    if reading.other_tag:
        fact = f"run ids differ: {shown(reading.tag)} and {shown(reading.other_tag)}"
        report.add("W203", fact, "a run has one id; were two files put together?")
    if reading.shifted is not None:
        fact, remedy = "more than 6 fields, and the rank is no number", "has an id a blank in it?"
        report.add("W206", fact, remedy, reading.shifted)


def _depths(retrieved: dict[bytes, int], report: FileReport) -> None:
    """Queries with fewer results than most have."""
    depth = Counter(retrieved.values())
    usual, queries = depth.most_common(1)[0] if depth else (0, 0)
    fewer = sorted(query for query, n in retrieved.items() if n < usual)
    if fewer and queries > len(retrieved) / 2:
        report.add("W204", f"fewer than {usual} results for {_named(fewer)}", "most queries have that many")


def _topics(topics: tuple[bytes, ...], retrieved: dict[bytes, int], report: FileReport) -> None:
    absent = [topic for topic in topics if topic not in retrieved]
    extra = sorted(retrieved.keys() - set(topics))
    if absent:
        report.add("E301", f"no results for {_named(absent, 'topic')}", "a submission has results for each")
    if extra:
        report.add("E302", f"results for {_named(extra)}, not among the topics", "leave them out")


def _judged_share(judgments: Judgments, blocks: list[Hits], retrieved: dict[bytes, int]) -> float:
    """Share of the first `JUDGED_AT` results of judged queries that have a grade of 0 or more."""
    near = sum(
        int(np.count_nonzero((block.rank <= JUDGED_AT) & (judgments.grade[block.judgment] >= 0))) for block in blocks
    )
    of = sum(min(n, JUDGED_AT) for query, n in retrieved.items() if query in judgments.index)
    return round(near / of, 4) if of else 0.0


def _named(queries: Iterable[bytes], what: str = "query", most: int = 5) -> str:
    listed = list(queries)
    plural = {"query": "queries"}.get(what, f"{what}s")
    named = ", ".join(shown(query) for query in listed[:most])
    more = and_more(len(listed), most)
    return f"{what} {named}" if len(listed) == 1 else f"{len(listed)} {plural}: {named}{more}"


def _spread(values: Ints | Floats) -> dict[str, float]:
    if not len(values):
        return {"least": 0, "median": 0, "most": 0}
    least, median, most = values.min(), np.median(values), values.max()
    return {"least": least.item(), "median": median.item(), "most": most.item()}


_NO_JUDGMENTS = Judgments(
    name="",
    queries=(),
    text=ids.padded(0),
    query=np.empty(0, np.int64),
    document_start=np.empty(0, np.int64),
    document_length=np.empty(0, np.int64),
    grade=np.empty(0),
    key=np.empty(0, np.uint32),
)


def _encoding(fields: Fields) -> None:
    """Add to the faults the rows that are not UTF-8."""
    text, start, stop = fields.text, fields.start[0], fields.stop[-1]
    if not fields.rows:
        return
    beyond = np.flatnonzero(text[start[0] : stop[-1]] >= 0x80) + start[0]
    if not len(beyond) or _not_utf8(text[start[0] : stop[-1]].tobytes()) is None:
        return
    suspects = np.flatnonzero(np.searchsorted(beyond, start) < np.searchsorted(beyond, stop))
    places = {row: _not_utf8(ids.at(text, start[row], stop[row] - start[row])) for row in suspects.tolist()}
    broken = {row: place for row, place in places.items() if place is not None}

    def described(row: int) -> Problem:
        where = column(text, int(start[row]) + broken[row])
        return Problem(
            fields.line_of(row), "W209", "the line is not UTF-8", "tools that decode it will differ", column=where
        )

    fields.faults.add(np.array(list(broken), dtype=np.int64), described, fields.lines_of)


def _not_utf8(text: bytes) -> int | None:
    """The first byte that cannot be decoded, if there is one."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


@dataclass(frozen=True, eq=False)
class _Inspector:
    """Looks at the rows of a block. Problems are added to the faults of its chunk, which know their lines."""

    judgments: Judgments
    settings: Settings
    rules: TrackRules

    def inspect(self, block: Block) -> Hits:
        """Check a block; its ranking reduced to judged documents is what is kept."""
        _encoding(block.fields)
        if len(block.query):
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
        self._add(block, rank.bad, "W210", "the rank is no number", "nothing reads it, but tools may", "rank")
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
        """Queries whose scores are all the same, which leaves the order to the document ids."""
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

    def _near_misses(self, block: Block) -> None:
        """Documents that would be judged if their letters were of the other case, or but for a blank in their id."""
        judged = self.judgments
        if not judged.queries:
            return
        of_block = np.array([judged.index.get(query, -1) for query in block.queries], dtype=np.int64)
        exact, _ = judged.find(block.text, of_block[block.query], block.start, block.length, block.key)
        text = _folded(block.text)
        seeds = np.array([_key_of(query) for query in block.queries], dtype=np.uint64)
        key = ids.keys(text, block.start, block.length, seeds[block.query])
        folded, _ = self._folded.find(text, of_block[block.query], block.start, block.length, key)
        rows = np.setdiff1d(folded, exact)
        remedy = "it counts as unjudged; ids are compared byte for byte"
        self._add(block, rows, "W207", "a judged document has this id but for capital letters", remedy, "document")
        query = of_block[block.query]
        candidates = (query >= 0) & (_beyond_ascii(block.text, block.start, block.length) | self._has_blanks[query])
        candidates[exact] = False
        blank = [row for row in np.flatnonzero(candidates).tolist() if self._but_for_blanks(block, row, query)]
        self._add(block, blank, "W213", "a judged document has this id but for a blank", remedy, "document")

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


def _beyond_ascii(text: Bytes, start: Ints, length: Ints) -> Bools:
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
