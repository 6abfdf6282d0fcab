"""Rankings of several runs to blocks of one, many queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, shown
from irev.base.records import cached_property, dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.ranking.fusion import METHODS, NONE, NORMALISATIONS, SCORES, FusionSpec
from irev.ranking.fusion.votes import RunRankings, Votes
from irev.ranking.hits import comparable_scores, first_rows
from irev.reading import ids, numbers
from irev.reading.block import Block
from irev.reading.fields import NOWHERE
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import PAD, Bytes, Words

ROWS = 1 << 16
"""Rows of all runs that are fused together, unless a query has more: numpy is kept busy, and they fit into a cache."""


@dataclass(frozen=True, eq=False)
class RankedBlock:
    """The rankings of some queries, `q` of them with `n` rows.

    Attributes
    ----------
    queries : list of bytes
    ends : list of int, length q + 1
        Where the rows of each begin, and where the last ones end; they stand in the order of ranks.
    documents : FlatIds, length n
        One behind the other in a text of their own.
    key : uint64 (n,)
        As in `Block`: of query and document.
    score : float (n,)
        What ranks them; where that is the order of rows, their ranks with the sign changed.
    """

    queries: list[bytes]
    ends: list[int]
    documents: FlatIds
    key: Words
    score: Floats

    @cached_property
    def sizes(self) -> Ints:
        """(q,) Rows of each query."""
        ends: Ints = np.array(self.ends, dtype=np.int64)
        return ends[1:] - ends[:-1]


def keeper(spec: FusionSpec, settings: Settings) -> Callable[[Block], RankedBlock]:
    """What keeps of a block what a fusion needs of it."""
    exact = spec.of_scores

    def kept(block: Block) -> RankedBlock:
        rows, _ = first_rows(block, settings, spec.depth)
        if exact and block.score.uncertain is not None:
            block.score.settle(rows[block.score.uncertain[rows]])
        ends = np.searchsorted(block.query[rows], np.arange(len(block.queries) + 1))
        score = comparable_scores(block.score, settings)[rows]
        if settings.order == "file":
            score = ends[block.query[rows]] - np.arange(1.0, len(rows) + 1)
        documents = FlatIds(block.text, block.start[rows], block.length[rows]).copied()
        return RankedBlock(list(block.queries), ends.tolist(), documents, block.key[rows], score)

    return kept


Part = tuple[RankedBlock, int]
"""The rankings of a block, and which of them is meant."""


def fused(merged: Iterable[tuple[bytes, list[Part | None]]], names: Sequence[str], spec: FusionSpec) -> Iterator[Block]:
    """Blocks of the fused run, each of whose queries stands in the order of its ranks, and is cut.

    Parameters
    ----------
    merged : iterable
        As `irev.ranking.fusion.inputs.in_step` gives it.
    names : sequence of str
        What messages call the runs.
    spec : FusionSpec

    Raises
    ------
    InputError
        For a score that is infinite where scores count, one that the normalisation has no number for, and a sum that a
        double does not hold.
    """
    queries: list[bytes] = []
    parts: list[list[Part | None]] = []
    rows = 0
    for query, found in merged:
        queries.append(query)
        parts.append(found)
        rows += sum(block.ends[number + 1] - block.ends[number] for block, number in filter(None, found))
        if rows >= ROWS:
            yield _fused(queries, parts, names, spec)
            queries, parts, rows = [], [], 0
    if queries:
        yield _fused(queries, parts, names, spec)


def _fused(
    queries: list[bytes], parts: Sequence[Sequence[Part | None]], names: Sequence[str], spec: FusionSpec
) -> Block:
    rows = _GatheredRows(parts, len(names))
    rankings = rows.rankings
    document, example = _documents(rows)
    of: Ints = rankings.query[rankings.owner[example]]
    how = METHODS[spec.method]
    score = rankings.score
    if how.of == SCORES:
        score = _normalised(rows, queries, names, spec)
    weights = None if spec.weights is None else np.array(spec.weights)
    votes = Votes(rankings, score, document, of, weights)
    with np.errstate(over="ignore", invalid="ignore"):
        value = how.function(votes) if spec.k is None else how.function(votes, spec.k)
    for place in np.flatnonzero(~np.isfinite(value))[:1].tolist():
        said = f"the fused score of document {shown(rows.id(example[place]))} of query {shown(queries[of[place]])}"
        raise InputError(f"{said} is too large for a double", "", "use a method of ranks for such scores: rrf")
    block = Block(
        rows.text,
        queries,
        _begins(of, queries),
        of,
        rows.start[example],
        rows.length[example],
        rows.key[example],
        numbers.exact(value + 0.0, np.empty(0, np.int64)),  # no score is -0
        NOWHERE,
        np.broadcast_to(np.int64(0), len(of)),
    )
    return _in_order(block, first_rows(block, Settings(), spec.top)[0])


def _in_order(block: Block, rows: Ints) -> Block:
    """Some rows of a block, in this order."""
    query: Ints = block.query[rows]
    return replace(
        block,
        first=_begins(query, block.queries),
        query=query,
        start=block.start[rows],
        length=block.length[rows],
        key=block.key[rows],
        score=numbers.exact(block.score.value[rows], np.empty(0, np.int64)),
        row=np.broadcast_to(np.int64(0), len(rows)),
    )


def in_own_text(block: Block) -> Block:
    """A block of a fused run to be kept: without the ids of all the rows that it was made of."""
    documents = FlatIds(block.text, block.start, block.length).copied()
    start, length = documents.start.astype(np.int64), documents.length.astype(np.int64)
    return replace(block, text=documents.text, start=start, length=length)


def _begins(query: Ints, queries: Sequence[bytes]) -> Ints:
    """(s,) The first row of each query, given that of each row, rising."""
    found: Ints = np.searchsorted(query, np.arange(len(queries)))
    return found


class _GatheredRows:
    """The rows of all runs for some queries, those of a run one behind the other.

    Attributes
    ----------
    text : uint8
    start, length : int (n,)
        Where the ids of the documents stand in it.
    key : uint64 (n,)
    rankings : RunRankings
    """

    text: Bytes

    def __init__(self, parts: Sequence[Sequence[Part | None]], runs: int) -> None:
        pieces: list[tuple[RankedBlock, int, int]] = []
        of_run, of_query = list[int](), list[int]()
        for run in range(runs):
            for query, part in enumerate(each[run] for each in parts):
                if part is None or part[0].ends[part[1] + 1] == part[0].ends[part[1]]:
                    continue
                of_run.append(run)
                of_query.append(query)
                block, number = part
                if pieces and pieces[-1][0] is block and pieces[-1][2] == number:
                    pieces[-1] = block, pieces[-1][1], number + 1
                else:
                    pieces.append((block, number, number + 1))
        spans = [(block, slice(block.ends[first], block.ends[last])) for block, first, last in pieces]
        none = np.empty(0, np.int64)
        self.key: Words = np.concatenate([none.astype(np.uint64), *(block.key[rows] for block, rows in spans)])
        score = np.concatenate([np.empty(0), *(block.score[rows] for block, rows in spans)])
        sizes = np.concatenate([none, *(block.sizes[first:last] for block, first, last in pieces)])
        ranking = np.array(of_run, np.int64), np.array(of_query, np.int64)
        self.rankings = RunRankings(*ranking, sizes, score, runs, len(parts))
        self.text, self.start, self.length = _joined([block.documents[rows] for block, rows in spans])

    def id(self, row: int) -> bytes:
        """The document of a row."""
        return ids.at(self.text, int(self.start[row]), int(self.length[row]))


def _joined(parts: Sequence[FlatIds]) -> tuple[Bytes, Ints, Ints]:
    """Ids that stand one behind the other in each of some texts, as ids of one text."""
    begins = [int(part.start[0]) for part in parts]
    sizes = [int(part.start[-1]) + int(part.length[-1]) - begin for part, begin in zip(parts, begins, strict=True)]
    text = ids.padded(sum(sizes))
    starts, end = [], PAD
    for part, begin, size in zip(parts, begins, sizes, strict=True):
        text[end : end + size] = part.text[begin : begin + size]
        starts.append(part.start.astype(np.int64) + (end - begin))
        end += size
    none = np.empty(0, np.int64)
    length = np.concatenate([none, *(part.length for part in parts)])
    return text, np.concatenate([none, *starts]), length


def _documents(rows: _GatheredRows) -> tuple[Ints, Ints]:
    """Which rows are of the same query and document: for each row the number of its document, and an example of each.

    Documents are numbered by query, and within a query in no order that means anything.
    """
    rankings = rows.rankings
    query = rankings.query[rankings.owner]
    bits = np.uint64(max(rankings.queries - 1, 1).bit_length())
    word = rows.key >> bits
    word |= query.astype(np.uint64) << (np.uint64(64) - bits)
    order = np.argsort(word)
    found = word[order]
    document, example = _numbered(order, segments.opens(found))
    first = example[document]
    text, start, length = rows.text, rows.start, rows.length
    if not ids.equal(text, start, length, text, start[first], length[first]).all():  # of several one hash
        order = ids.rising(text, start, length, query)
        opens = segments.opens(query[order])
        opens[ids.changes(text, start[order], length[order])] = True
        document, example = _numbered(order, opens)
    return document, example


def _numbered(order: Ints, opens: np.typing.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    document = np.empty(len(order), dtype=np.int64)
    document[order] = np.cumsum(opens) - 1
    return document, order[opens]


def _normalised(rows: _GatheredRows, queries: Sequence[bytes], names: Sequence[str], spec: FusionSpec) -> Floats:
    """The scores, comparable between runs. Raises `InputError` for those that cannot be made so."""
    rankings = rows.rankings

    def described(row: int) -> tuple[str, str]:
        ranking = rankings.owner[row]
        query = shown(queries[rankings.query[ranking]])
        return f"of document {shown(rows.id(row))} of query {query}", names[rankings.run[ranking]]

    if not spec.of_scores:
        return NORMALISATIONS[spec.norm].function(rankings)
    for row in np.flatnonzero(~np.isfinite(rankings.score))[:1].tolist():
        which, name = described(row)
        raise InputError(f"the score {which} is infinite", name, "use a method of ranks for such scores: rrf")
    if spec.norm == NONE:
        return rankings.score
    how = NORMALISATIONS[spec.norm]
    if how.positive:
        for ranking in np.flatnonzero(~(rankings.highest > 0))[:1].tolist():
            query, highest = shown(queries[rankings.query[ranking]]), float(rankings.highest[ranking])
            fact = f"the highest score of query {query} is {highest!r}, and {spec.norm} divides by it"
            raise InputError(fact, names[rankings.run[ranking]], "min-max works with any scores")
    with np.errstate(over="ignore", invalid="ignore"):
        found = how.function(rankings)
    for row in np.flatnonzero(~np.isfinite(found))[:1].tolist():
        which, name = described(row)
        fact = f"{spec.norm} of the score {which} is too large for a double"
        raise InputError(fact, name, "use a method of ranks for such scores: rrf")
    return found
