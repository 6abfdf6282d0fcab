"""Several runs made one, a part of each at a time: rows of text, for the formats that `irev.output.writers` has; and
the list of ways to fuse.

Scores have as many digits as it takes to read the same double again, and ranks count from 1.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.commands.fuse import FuseChoices
from irev.evaluation.inputs import Inputs, side_by_side
from irev.output import writers
from irev.output.finding import Put, ReportedFinding
from irev.ranking.fusion import METHODS, NONE, NORMALISATIONS, require_weights
from irev.ranking.fusion.fused import in_own_text
from irev.ranking.fusion.inputs import InputRun, SharedQueries, fused_runs
from irev.reading.block import Block
from irev.reading.rows import ROLES, Rows

NAME = "the fused run"
"""What messages call it."""

STANDARD_OUTPUT = "-"


@dataclass(frozen=True, eq=False)
class Fused(ReportedFinding):
    """The fused run, which is made as it is written.

    Attributes
    ----------
    choices : FuseChoices
    made : callable
        ``made(work)``: what ``work(blocks)`` makes of the run, where ``blocks()`` gives its blocks, whose rows stand in
        the order of ranks. Where they cannot be given part by part, `work` begins once more.
    """

    choices: FuseChoices
    made: Callable[[Callable[[Callable[[], Iterable[Block]]], Any]], Any]

    def blocks(self) -> tuple[Block, ...]:
        """Return the fused run as blocks that need no other text."""
        found: tuple[Block, ...] = self.made(lambda blocks: tuple(map(in_own_text, blocks())))
        return found

    def write(self, put: Put) -> None:
        path, asked = self.choices.output or STANDARD_OUTPUT, self.choices.target
        target = writers.chosen(asked or (None if os.path.splitext(path)[1][1:] else "trec"), path, option="-f")
        named = self.choices.fusion if self.choices.tag is None else self.choices.tag
        tag = writers.tag_held(os.fsencode(named), target)
        self.made(
            lambda blocks: put(path, target.write(writers.Data("run", ROLES["run"], lambda: _rows(blocks(), tag))))
        )


@dataclass(frozen=True, eq=False)
class Ways(ReportedFinding):
    """The methods and normalisations, with a line on each, or as many as it takes in `width` columns."""

    width: int | None

    def write(self, put: Put) -> None:
        put(STANDARD_OUTPUT, (f"{line}\n".encode() for line in self._lines()))

    def _lines(self) -> Iterator[str]:
        yield "Methods (--method)"
        for name, method in METHODS.items():
            yield from self._about(name, method.says)
        yield from ("", "Normalisations (--norm)")
        for name, normalisation in NORMALISATIONS.items():
            yield from self._about(name, normalisation.says)
        yield from self._about(NONE, "Use the scores unchanged.")

    def _about(self, name: str, says: str) -> Iterator[str]:
        yield from ("", f"  {name}")
        lines = [says] if self.width is None else textwrap.wrap(says, max(self.width - 8, 20))
        yield from (f"    {line}" for line in lines)


def _rows(blocks: Iterable[Block], tag: bytes) -> Iterator[Rows]:
    before = 0
    for block in blocks:
        count = len(block.query)
        text, starts = block.text.tobytes(), block.start
        position = segments.position(block.query, len(block.queries)) + 1
        columns = {
            "query": list(map(list(block.queries).__getitem__, block.query.tolist())),
            "document": [
                text[begin:end] for begin, end in zip(starts.tolist(), (starts + block.length).tolist(), strict=True)
            ],
            "rank": _ranks(position),
            "score": repr(block.score.value.tolist())[1:-1].encode().split(b", ") if count else [],
            "tag": [tag] * count,
        }
        yield Rows(NAME, "row", tag, columns, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += count


def _ranks(position: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[bytes]:
    written = [b"%d" % rank for rank in range(int(position.max(initial=0)) + 1)]
    return list(map(written.__getitem__, position.tolist()))


T = TypeVar("T")


def answer(inputs: Inputs, choices: FuseChoices) -> Fused | Ways:
    """The fused run, which is made when it is written; or the ways to fuse."""
    if choices.ways_listed:
        if len(inputs.runs):
            raise UsageError(f"{option('list')} only lists the methods", remedy="leave out the runs")
        return Ways(inputs.width)
    if not len(inputs.runs):
        raise UsageError("there is nothing to fuse", remedy="give at least one run")
    inputs.settings.require_ranks()
    spec = choices.spec
    require_weights(spec, len(inputs.runs))

    def made(work: Callable[[Callable[[], Iterable[Block]]], T]) -> T:
        def worked(runs: Sequence[InputRun], shared: SharedQueries, whole: bool) -> T:
            return work(lambda: fused_runs(runs, spec, shared, whole))

        return side_by_side(inputs, spec, worked, fusing=True)[1]

    return Fused(choices, made)
