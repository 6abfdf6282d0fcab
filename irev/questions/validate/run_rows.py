"""What is odd about the rows of a run: their ranks, scores and ids, and what a track asks of them, block by block."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.base.settings import Settings
from irev.errors import Problem, shown
from irev.questions.validate.checks import NearMisses, TrackRules, check_encoding
from irev.ranking.hits import Hits, hits
from irev.reading import ids, numbers
from irev.reading.block import Block
from irev.reading.judgments import Judgments
from irev.reading.numbers import TOLERANCE


@dataclass(frozen=True, eq=False)
class Inspector:
    """Looks at the rows of a block. Problems are added to the faults of its chunk, which know their lines."""

    judgments: Judgments
    settings: Settings
    rules: TrackRules

    def inspect(self, block: Block) -> Hits:
        """Check a block; its ranking reduced to judged documents is what is kept."""
        check_encoding(block.fields)
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
        if self.judgments.assigned:
            return
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
