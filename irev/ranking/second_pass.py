"""Runs that can be read a second time: of a few queries, which the rankings choose, all documents are wanted.

A file is read once more, and so need not be kept; from memory the blocks are made once more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from irev.base.settings import Settings
from irev.ranking import ranking
from irev.ranking.full import FullRanking
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.reading.block import Block
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import Source


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
        Gives the full rankings of chosen queries, as `irev.ranking.ranking.keep` does.
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
        ranked, reading, left_out, whole = ranking.rank_keeping(judgments, source, settings, chosen)
    else:
        (ranked, reading, left_out), whole = ranking.rank(judgments, source, settings), {}

    def keep(queries: Collection[bytes]) -> dict[bytes, FullRanking]:
        if whole.keys() >= {*queries}:
            return {query: whole[query] for query in queries}
        source.rewind()
        return ranking.keep(judgments, source, settings, queries)

    return RankedRun(source.name, source.name, ranked, left_out, reading, keep)


def in_memory(
    judgments: Judgments,
    blocks: Callable[[], Iterable[Block]],
    name: str,
    tag: bytes,
    settings: Settings,
    path: str = "",
) -> RankedRun:
    """A run in memory, whose blocks are made as often as they are wanted; otherwise as `rank_blocks`."""
    ranked, left_out = ranking.rank_blocks(judgments, blocks(), name, tag, settings)

    def keep(chosen: Collection[bytes]) -> dict[bytes, FullRanking]:
        return ranking.keep(judgments, blocks(), settings, chosen)

    return RankedRun(name, path, ranked, left_out, Reading(0, 0, tag), keep)
