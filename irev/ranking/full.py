"""What explanations and differences see of a run: the rankings of a few chosen queries, with every document.

Everything else keeps of a ranking what `irev.ranking.ranked` has, the judged documents and their ranks. A `FullRanking`
keeps the ids too, and what the run wrote as scores. Its views follow the same rules, so that the document at a rank of
a `Ranked` is the one at the same rank of the `FullRanking` that was cut alike.

Of which queries all documents are wanted is often known only when a run was ranked: a `RankedRun` can be read a second
time. A file is read once more, and so need not be kept; from memory the blocks are made once more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.ranking.hits import by_rank, comparable_scores, hits, order_of, ordered_by, query_boundary, tie_starts
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import Blocks, LeftOut, of_blocks, rank, rank_blocks, ranked_of, require_gains
from irev.reading import ids, runs
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import Source


@dataclass(frozen=True, eq=False)
class FullRanking:
    """The ranking of one query, of `n` documents; its ranks are 1, 2, 3, … in their order.

    Attributes
    ----------
    query : bytes
    documents : FlatIds, length n
        Their ids.
    scores : FlatIds, length n
        What ranks them, as it is written in the run; empty texts where it has no scores. Of a run in memory its scores,
        unless something else orders it.
    grade : float (n,)
        NaN for a document that the judgments do not name; below 0 for one in the pool that is not judged.
    tie_first, tie_last : int (n,)
        First and last rank of the documents of equal score.
    judged : FlatIds, length j
        All documents that the judgments name for the query, best grade first, as in `Ranked.judged_grade`; those of
        equal grade in the order of their bytes.
    judged_grade : float (j,)
        Their grades.
    averaged : bool
        Whether measures have their expected value over ties: then a cut keeps whatever may stand before it.
    """

    query: bytes
    documents: FlatIds
    scores: FlatIds
    grade: Floats
    tie_first: Ints
    tie_last: Ints
    judged: FlatIds
    judged_grade: Floats
    averaged: bool = False

    def __len__(self) -> int:
        return len(self.documents)

    def at(self, depth: int | None = None, judged_only: bool = False) -> FullRanking:
        """The ranking cut at a depth, and then without unjudged documents, as `irev.ranking.ranked.Ranked.at`."""
        view = self
        if depth is not None:
            last = int(np.count_nonzero(self.tie_first <= depth)) if self.averaged else depth
            view = view._with(np.arange(min(last, len(self))))
        if judged_only:
            view = view._only_judged()
        return view

    def _only_judged(self) -> FullRanking:
        kept = self._with(np.flatnonzero(self.grade >= 0))
        # A tie shrinks to its judged members.
        opens, group = np.unique(kept.tie_first, return_inverse=True)
        sizes = np.bincount(group, minlength=len(opens))
        last = np.cumsum(sizes)[group]
        return replace(kept, tie_first=last - sizes[group] + 1, tie_last=last)

    def _with(self, places: Ints) -> FullRanking:
        if len(places) == len(self):
            return self
        return replace(
            self,
            documents=self.documents.pick(places),
            scores=self.scores.pick(places),
            grade=self.grade[places],
            tie_first=self.tie_first[places],
            tie_last=self.tie_last[places],
        )


def rank_keeping(
    judgments: Judgments, source: Source, settings: Settings, chosen: Collection[bytes]
) -> tuple[Ranked, Reading, LeftOut, dict[bytes, FullRanking]]:
    """Rank a run as `rank` does, and keep the chosen queries whole; the latter as `keep` gives them."""
    require_gains(judgments, settings)
    wanted = frozenset(chosen)
    blocks, reading = runs.read(
        source,
        lambda block: (hits(block, judgments, settings), wholes(block, judgments, settings, wanted)),
        settings,
    )
    ranked, left_out = ranked_of(judgments, [found for found, _ in blocks], source.name, reading.tag, settings)
    return ranked, reading, left_out, _all_of(chosen, [kept for _, kept in blocks], judgments, settings)


def keep(judgments: Judgments, run: Blocks, settings: Settings, chosen: Collection[bytes]) -> dict[bytes, FullRanking]:
    """The full rankings of chosen queries alone, for whoever has ranked the run before and has rewound it.

    Parameters
    ----------
    judgments : Judgments
    run : Source or iterable of Block
    settings : Settings
        Depth and judged-only are applied to what is returned; which queries are evaluated plays no part.
    chosen : collection of bytes
        The queries.

    Returns
    -------
    whole : dict of bytes to FullRanking
        One for each of them, without documents where the run has none.
    """
    wanted = frozenset(chosen)
    blocks, _ = of_blocks(run, lambda block: wholes(block, judgments, settings, wanted), settings)
    return _all_of(chosen, blocks, judgments, settings)


def _all_of(
    chosen: Collection[bytes], blocks: Iterable[list[FullRanking]], judgments: Judgments, settings: Settings
) -> dict[bytes, FullRanking]:
    found = {whole.query: whole for block in blocks for whole in block}
    return {
        query: (found[query] if query in found else _nothing(query, judgments)).at(settings.depth, settings.judged_only)
        for query in chosen
    }


def _nothing(query: bytes, judgments: Judgments) -> FullRanking:
    """The ranking of a query for which nothing was retrieved."""
    none = np.empty(0, dtype=np.int64)
    return FullRanking(query, FlatIds.of(()), FlatIds.of(()), np.empty(0), none, none, *_judged(query, judgments))


def _judged(query: bytes, judgments: Judgments) -> tuple[FlatIds, Floats]:
    """The documents that the judgments name for a query, and their grades, best first, equal ones by id."""
    rows = judgments.rows_of(query)
    # Those of equal grade are in the order of their keys, which means nothing, and of long ids differs by process.
    rows = rows[ids.rising(judgments.text, judgments.document_start[rows], judgments.document_length[rows])]
    rows = rows[segments.falling_order(judgments.grade[rows])]
    documents = FlatIds(judgments.text, judgments.document_start[rows], judgments.document_length[rows]).copied()
    return documents, judgments.grade[rows]


def wholes(block: Block, judgments: Judgments, settings: Settings, chosen: frozenset[bytes]) -> list[FullRanking]:
    """The full rankings of those queries of a block that are chosen, neither cut nor without unjudged documents."""
    numbers = [number for number, query in enumerate(block.queries) if query in chosen]
    if not numbers:
        return []
    block = block.without(np.flatnonzero(~np.isin(block.query, numbers)))
    score = comparable_scores(block.score, settings)
    boundary = query_boundary(block)
    ties = ordered_by(judgments, settings)
    order = order_of(block, score, boundary, stable=ties == "file")
    rows = np.arange(len(score)) if order is None else order

    group_start = tie_starts(score[rows], boundary)
    sizes = np.diff(group_start)
    group = np.repeat(np.arange(len(sizes)), sizes)
    first, last = group_start[group], group_start[group + 1] - 1
    rows = by_rank(block, order, group_start, ties)

    of_block = judgments.places(block.queries)
    found, judgment = judgments.find(block.text, of_block[block.query], block.start, block.length, block.key)
    grade = np.full(len(score), np.nan)
    grade[found] = judgments.grade[judgment]
    kept = []
    for number in numbers:
        begin = int(block.first[number])
        end = begin + int(np.count_nonzero(block.query == number))
        mine = rows[begin:end]
        kept.append(
            FullRanking(
                block.queries[number],
                FlatIds(block.text, block.start[mine], block.length[mine]).copied(),
                _written(block, mine, settings),
                grade[mine],
                first[begin:end] - begin + 1,
                last[begin:end] - begin + 1,
                *_judged(block.queries[number], judgments),
                averaged=settings.ties == "average",
            )
        )
    return kept


def _written(block: Block, rows: Ints, settings: Settings) -> FlatIds:
    """What ranks some rows of a block, as it is written; a score in memory with the digits that tell it from others."""
    for field in ("score", "rank"):
        if field in block.fields.layout.fields:
            starts, stops = (offsets[block.row[rows]] for offsets in block.fields.span(field))
            return FlatIds(block.text, starts, stops - starts).copied()
    if settings.order != "score":
        return FlatIds.of([b""] * len(rows))
    score = block.score
    if len(score.text):  # of a file that was read into memory
        return FlatIds(score.text, score.start[rows], score.stop[rows] - score.start[rows]).copied()
    return FlatIds.of([repr(value).encode() for value in score.value[rows].tolist()])


class RankedRun(NamedTuple):
    """A run that was ranked, and of which chosen queries may be had whole.

    Attributes
    ----------
    name : str
        What messages call it.
    path : str
        The file that it is in; nothing of a run in memory.
    ranked : Ranked
    left_out : LeftOut
    reading : Reading
        What reading found; nothing of a run in memory.
    keep : callable
        Gives the full rankings of chosen queries, as `keep` does.
    """

    name: str
    path: str
    ranked: Ranked
    left_out: LeftOut
    reading: Reading
    keep: Callable[[Collection[bytes]], dict[bytes, FullRanking]]


def in_file(judgments: Judgments, source: Source, settings: Settings, chosen: Collection[bytes] = ()) -> RankedRun:
    """A run in a file, which must stay open; of `chosen` queries all is kept at once, so that none is read again.

    Raises `InputError` as `irev.ranking.ranking.rank`.
    """
    if chosen:
        ranked, reading, left_out, whole = rank_keeping(judgments, source, settings, chosen)
    else:
        (ranked, reading, left_out), whole = rank(judgments, source, settings), {}

    def kept(queries: Collection[bytes]) -> dict[bytes, FullRanking]:
        if whole.keys() >= {*queries}:
            return {query: whole[query] for query in queries}
        source.rewind()
        return keep(judgments, source, settings, queries)

    return RankedRun(source.name, source.name, ranked, left_out, reading, kept)


def in_memory(
    judgments: Judgments,
    blocks: Callable[[], Iterable[Block]],
    name: str,
    tag: bytes,
    settings: Settings,
    path: str = "",
) -> RankedRun:
    """A run in memory, whose blocks are made as often as they are wanted; otherwise as `rank_blocks`."""
    ranked, left_out = rank_blocks(judgments, blocks(), name, tag, settings)

    def kept(chosen: Collection[bytes]) -> dict[bytes, FullRanking]:
        return keep(judgments, blocks(), settings, chosen)

    return RankedRun(name, path, ranked, left_out, Reading(0, 0, tag), kept)
